//! Predictions of rows by models that did not see them, put back into the order of the rows.

use crate::estimators::{Predicted, Predictions};
use crate::linalg::Matrix;

/// Predictions of rows that were held out.
#[derive(Clone, Debug, PartialEq)]
pub struct OutOfFold {
    /// The rows, from 0, ascending.
    pub rows: Vec<usize>,
    /// A prediction for each of them. Each fold has its own noise level: the variance is that of a new target.
    pub predictions: Predictions,
}

/// Rows of one fold with their predictions.
pub(super) type Part<'a> = (&'a [usize], &'a Predictions);

impl OutOfFold {
    /// The predictions of all folds; `None` where there is no fold.
    pub(super) fn of(parts: &[Part<'_>]) -> Option<OutOfFold> {
        let (_, first) = parts.first()?;
        let mut rows: Vec<usize> = parts.iter().flat_map(|(rows, _)| rows.iter().copied()).collect();
        rows.sort_unstable();
        let place: std::collections::HashMap<usize, usize> = rows.iter().enumerate().map(|(k, &i)| (i, k)).collect();
        let whole = |pick: &dyn Fn(&Predictions) -> Option<&Matrix>| -> Option<Matrix> {
            let columns = pick(first)?.cols();
            let mut out = Matrix::zeros(rows.len(), columns);
            for (rows, p) in parts {
                let part = pick(p).filter(|part| part.cols() == columns)?;
                rows.iter().enumerate().for_each(|(k, i)| out.row_mut(place[i]).copy_from_slice(part.row(k)));
            }
            Some(out)
        };
        let values = match &first.values {
            Predicted::Numbers(_) => Predicted::Numbers(whole(&|p| match &p.values {
                Predicted::Numbers(m) => Some(m),
                Predicted::Classes(_) => None,
            })?),
            Predicted::Classes(_) => {
                let mut codes = vec![0; rows.len()];
                for (rows, p) in parts {
                    if let Predicted::Classes(c) = &p.values {
                        rows.iter().zip(c).for_each(|(i, k)| codes[place[i]] = *k);
                    }
                }
                Predicted::Classes(codes)
            }
        };
        let mut out = Predictions::of(values);
        out.variance = whole(&|p| p.variance.as_ref()).map(|mut v| {
            for (rows, p) in parts {
                if let Some(noise) = &p.noise {
                    rows.iter().for_each(|i| v.row_mut(place[i]).iter_mut().zip(noise).for_each(|(v, s)| *v += s));
                }
            }
            v
        });
        out.probabilities = whole(&|p| p.probabilities.as_ref());
        Some(OutOfFold { rows, predictions: out })
    }
}
