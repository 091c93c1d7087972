//! A machine for each class against the rest; the greatest decision value wins. Vapnik (1998); Rifkin and Klautau (2004).

use super::dichotomies::{self, Dichotomies};
use super::fitted_svc::{FittedSvc, LargestScore, SvcDecision};
use super::model::SvcRows;
use super::output_codes::identity;
use crate::error::Result;
use crate::estimators::Estimator;
use crate::estimators::Svc;
use crate::estimators::targets::class_scores::ClassScores;

/// Fits one machine for each class that has rows.
pub(super) fn fit(rows: &SvcRows<'_>, earlier: Option<&FittedSvc>) -> Result<FittedSvc> {
    let decision = SvcDecision::PerClass(LargestScore::new(ClassScores::present_in(rows.task, Svc::NAME)?));
    let Dichotomies { expansion, iterations, summary } = dichotomies::fit(&identity(rows.present.len()), rows, earlier)?;
    Ok(FittedSvc::new(expansion, rows.names.len(), decision, iterations, summary))
}
