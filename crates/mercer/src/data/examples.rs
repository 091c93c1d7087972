//! Rows with their targets: what is fitted to, tuned on and scored.

use super::{Dataset, Split, Target};

/// Rows with their targets, weights, and what folds must respect.
#[derive(Clone, Copy)]
pub struct Examples<'a> {
    /// Inputs.
    pub data: &'a Dataset,
    /// Their targets.
    pub target: &'a Target,
    /// Their weights, each above 0.
    pub weights: Option<&'a [f64]>,
    /// What folds must respect.
    pub split: &'a Split,
}

/// Examples that own their rows.
#[derive(Clone)]
pub struct Sample {
    /// Inputs.
    pub data: Dataset,
    /// Their targets.
    pub target: Target,
    /// Their weights, each above 0.
    pub weights: Option<Vec<f64>>,
    /// What folds must respect.
    pub split: Split,
}

impl Examples<'_> {
    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.data.rows()
    }

    /// The given rows, in order.
    ///
    /// # Panics
    /// A row that there is not.
    pub fn select(&self, rows: &[usize]) -> Sample {
        Sample {
            data: self.data.select(rows),
            target: self.target.select(rows),
            weights: self.weights.map(|w| rows.iter().map(|&i| w[i]).collect()),
            split: self.split.select(rows),
        }
    }
}

impl Sample {
    /// Weights of the given rows.
    pub fn weights_of(&self, rows: &[usize]) -> Option<Vec<f64>> {
        self.weights.as_ref().map(|w| rows.iter().map(|&i| w[i]).collect())
    }

    /// Borrows the sample as examples.
    pub fn examples(&self) -> Examples<'_> {
        Examples { data: &self.data, target: &self.target, weights: self.weights.as_deref(), split: &self.split }
    }
}
