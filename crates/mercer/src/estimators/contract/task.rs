//! What an estimator is given: a view of the training rows, and their targets.

use crate::control::Control;
use crate::data::{Kind, Target};
use crate::error::Result;
use crate::estimators::{Size, View};
use crate::gram::{Gram, Side};
use crate::linalg::Matrix;
use crate::notice::Notice;
use std::borrow::Cow;

/// What an estimator is given.
#[derive(Clone, Copy)]
pub struct Task<'a> {
    /// What is read of the training rows; kernel values are N x N, and symmetric unless the estimator takes any similarity.
    pub view: View<'a>,
    /// N targets.
    pub target: &'a Target,
    /// N weights, each above 0 (rows of weight 0 are taken out before); weight 2 means the row stands twice.
    pub weights: Option<&'a [f64]>,
    /// Bounds and watchers.
    pub control: &'a Control,
    /// Seed of anything random.
    pub seed: u64,
}

impl<'a> Task<'a> {
    /// The features of the training rows (N x rank), where they are so few that a fit goes by them.
    pub(crate) fn few_features(&self) -> Option<Cow<'a, Matrix>> {
        self.gram().ok()?.structure().dense_features(Side::Rows).filter(|z| self.few(z.cols()))
    }
    /// Kernel values among the training rows.
    ///
    /// # Errors
    /// A view of something else.
    pub fn gram(&self) -> Result<&'a dyn Gram> {
        self.view.values()
    }
    /// Whether so many features are so few.
    pub(crate) fn few(&self, rank: usize) -> bool {
        Size { rank: Some(rank), ..self.size() }.few().is_some()
    }
    /// The size of the fit, its features apart.
    pub(crate) fn size(&self) -> Size {
        let classes = self.target.kind() == Kind::Classes;
        Size { rows: self.rows(), outputs: self.target.outputs(), classes, rank: None, stored: None, per_value: Size::PER_VALUE }
    }
    /// Training rows.
    pub fn rows(&self) -> usize {
        self.view.rows()
    }
    /// The weight of row i, 1 where no weights are given.
    pub fn weight(&self, i: usize) -> f64 {
        self.weights.map_or(1.0, |w| w[i])
    }
    /// Weights of all rows.
    pub(crate) fn all_weights(&self) -> Vec<f64> {
        (0..self.rows()).map(|i| self.weight(i)).collect()
    }
    /// Weights in the unit in which their mean is 1, and what there is to say of it, where they sum to less than so many rows though there
    /// are as many: such weights are shares, as no rows that are repeated come to less.
    pub(crate) fn shares_as_counts(&self, least: f64, what: &str) -> Option<(Vec<f64>, Notice)> {
        let (weights, n) = (self.weights?, self.rows() as f64);
        let total: f64 = weights.iter().sum();
        (total < least && n >= least).then(|| {
            let notice = Notice::WeightsAsShares { sum: total, less_than: what.to_owned() };
            (weights.iter().map(|w| n * (w / total)).collect(), notice)
        })
    }
    /// Weights as counts of rows: as they are where one of them is 1 or more, else, as no row stands there once, in the unit in which they
    /// sum to (sum w)^2 / sum w^2, the number of rows of equal weight that say as much (Kish 1965, Survey sampling).
    pub(crate) fn weights_as_counts(&self) -> Vec<f64> {
        let weights = self.all_weights();
        let most = weights.iter().fold(0.0f64, |most, w| most.max(*w));
        if most >= 1.0 || most == 0.0 {
            return weights;
        }
        // Shares of the greatest, whose squares do not underflow.
        let shares: Vec<f64> = weights.iter().map(|w| w / most).collect();
        let unit = shares.iter().sum::<f64>() / shares.iter().map(|w| w * w).sum::<f64>();
        shares.iter().map(|w| unit * w).collect()
    }
    /// The mean of k(x, x) over weighted rows; 1 where it says nothing.
    pub(crate) fn mean_square(&self) -> Result<f64> {
        let d = self.gram()?.diagonal(Side::Rows);
        let total: f64 = (0..d.len()).map(|i| self.weight(i)).sum();
        let mean = d.iter().enumerate().map(|(i, d)| self.weight(i) * d).sum::<f64>() / total;
        Ok(if mean > 0.0 && mean.is_finite() { mean } else { 1.0 })
    }
}
