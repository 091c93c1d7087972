//! The rows of a table that a fit learns from, and what their weights say.

use crate::data::{Dataset, Target};
use crate::error::{Error, Result};
use crate::estimators::EstimatorExpr;
use crate::notice::Notice;
use crate::prep;

/// The training rows of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Used {
    /// Their numbers from 0, ascending.
    pub rows: Vec<usize>,
    /// Notices about the other rows.
    pub notices: Vec<Notice>,
}

impl Used {
    /// All rows but those of weight 0, which are absent rows, and those that the preparation drops for a missing cell.
    ///
    /// # Errors
    /// A target or weights of another length; a target that is not finite; a weight below 0 or not finite; what [`prep::Recipe::rows_kept`] refuses; no
    /// row left.
    pub fn of(recipe: &prep::Recipe, data: &Dataset, target: &Target, weights: Option<&[f64]>) -> Result<Self> {
        let n = data.rows();
        if target.rows() != n {
            return Err(Error::Shape { what: "rows of the target".into(), expected: n, found: target.rows() });
        }
        if let Target::Numbers(y) = target
            && let Some(i) = (0..n).find(|&i| !y.row(i).iter().all(|v| v.is_finite()))
        {
            let found = y.row(i).iter().find(|v| !v.is_finite()).copied().unwrap_or_default();
            return Err(Error::Data(format!("the target of row {} is {found}, not a finite number", i + 1)));
        }
        if let Some(w) = weights {
            if w.len() != n {
                return Err(Error::Shape { what: "sample weights".into(), expected: n, found: w.len() });
            }
            if let Some(i) = w.iter().position(|x| !(x.is_finite() && *x >= 0.0)) {
                return Err(Error::Data(format!("row {}: the weight {} is not a finite number of 0 or above", i + 1, w[i])));
            }
        }
        let prep::Kept { rows, notices } = recipe.rows_kept(data)?;
        let mut rows = rows.unwrap_or_else(|| (0..n).collect());
        if let Some(w) = weights {
            rows.retain(|&i| w[i] > 0.0);
            if rows.is_empty() && n > 0 {
                return Err(Error::Data("every row has weight 0".into()));
            }
        }
        Ok(Used { rows, notices })
    }
}

/// The rows out of `given` that are not among those used, which ascend.
pub(crate) fn left_out(used: &[usize], given: usize) -> Vec<usize> {
    let mut used = used.iter().peekable();
    (0..given).filter(|i| used.next_if_eq(&i).is_none()).collect()
}

/// A notice of weights that sum to less than two rows, of which there are two at least.
pub(crate) fn sum_of_weights(estimator: &EstimatorExpr, weights: Option<&[f64]>) -> Option<Notice> {
    let weights = weights.filter(|weights| weights.len() >= 2 && !estimator.facts().takes_weights_of_any_unit)?;
    let total: f64 = weights.iter().sum();
    (total < 2.0).then_some(Notice::SmallWeights { sum: total })
}
