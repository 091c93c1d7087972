//! What an estimator is given: kernel values or features of the training rows, and their targets.

use crate::control::Control;
use crate::data::{Dataset, Kind, Target};
use crate::error::{Error, Result};
use crate::estimators::Size;
use crate::gram::{Features, Gram, Side};
use crate::linalg::Matrix;
use crate::notice::Notice;
use std::borrow::Cow;

/// What an estimator is given.
#[derive(Clone, Copy)]
pub struct Task<'a> {
    /// Kernel values among the training rows, N x N; symmetric unless the estimator takes any similarity.
    pub gram: &'a dyn Gram,
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
        self.gram.structure().dense_features(Side::Rows).filter(|z| self.few(z.cols()))
    }
    /// The features of the training rows, for an estimator that reads these and no kernel value.
    ///
    /// # Errors
    /// A kernel without features.
    pub(crate) fn written_features(&self, who: &str) -> Result<Features<'a>> {
        Features::of(self.gram, Side::Rows).ok_or_else(|| {
            Error::Data(format!(
                "{who} reads the features of rows, and this kernel has none written out; take the kernel linear, or tfidf for texts"
            ))
        })
    }
    /// The cells of the training rows, for an estimator that reads these and no kernel value.
    ///
    /// # Errors
    /// A kernel that does not keep them.
    pub(crate) fn table(&self, who: &str) -> Result<Cow<'a, Dataset>> {
        table(self.gram, who)
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
        self.gram.shape().0
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
    pub(crate) fn mean_square(&self) -> f64 {
        let d = self.gram.diagonal(Side::Rows);
        let total: f64 = (0..d.len()).map(|i| self.weight(i)).sum();
        let mean = d.iter().enumerate().map(|(i, d)| self.weight(i) * d).sum::<f64>() / total;
        if mean > 0.0 && mean.is_finite() { mean } else { 1.0 }
    }
}

/// The cells of the rows of a Gram matrix, for an estimator that reads these and no kernel value.
///
/// # Errors
/// A kernel that does not keep them.
pub fn table<'a>(gram: &'a dyn Gram, who: &str) -> Result<Cow<'a, Dataset>> {
    gram.structure().table(Side::Rows).ok_or_else(|| {
        Error::Data(format!("{who} reads the cells of rows, and this kernel keeps none; take the kernel identical, or on(NAME, identical)"))
    })
}
