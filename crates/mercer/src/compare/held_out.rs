//! Predictions of rows by models that did not see them, put back into the order of the rows.

use crate::estimators::Predictions;

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
        let found: Vec<&Predictions> = parts.iter().map(|(_, p)| *p).collect();
        let stacked = Predictions::stacked(&found)?;
        let tested: Vec<usize> = parts.iter().flat_map(|(rows, _)| rows.iter().copied()).collect();
        let mut order: Vec<usize> = (0..tested.len()).collect();
        order.sort_by_key(|&place| tested[place]);
        let rows = order.iter().map(|&place| tested[place]).collect();
        // Decision values of different models are on different scales.
        let predictions = Predictions { scores: None, pairs: Vec::new(), ..stacked.select(&order) };
        Some(OutOfFold { rows, predictions })
    }
}
