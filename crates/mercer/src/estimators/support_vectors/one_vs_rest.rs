//! A machine for each class against the rest; the greatest decision value wins. Vapnik (1998); Rifkin and Klautau (2004).

use super::dichotomies::{self, Dichotomies};
use super::fitted_svc::{FittedSvc, LargestScore, SvcDecision};
use super::model::SvcRows;
use super::output_codes::identity;
use crate::error::Result;
use crate::estimators::targets::class_scores::ClassScores;
use crate::estimators::{Estimator, Predictions, Svc};

/// Fits one machine for each class that has rows.
pub(super) fn fit(rows: &SvcRows<'_>, earlier: Option<&FittedSvc>) -> Result<FittedSvc> {
    fitted(dichotomies::fit(&identity(rows.present.len()), rows, earlier)?, rows)
}

/// Predictions of each row by machines that were fitted without it.
pub(super) fn leave_one_out(rows: &SvcRows<'_>) -> Result<Predictions> {
    let (machines, values) = dichotomies::leave_one_out(&identity(rows.present.len()), rows)?;
    fitted(machines, rows)?.left_out(rows.task, &values)
}

/// The classifier that the machines make.
fn fitted(Dichotomies { expansion, iterations, summary }: Dichotomies, rows: &SvcRows<'_>) -> Result<FittedSvc> {
    let decision = SvcDecision::PerClass(LargestScore::new(ClassScores::present_in(rows.task, Svc::NAME)?));
    Ok(FittedSvc::new(expansion, rows.names.len(), decision, iterations, summary))
}
