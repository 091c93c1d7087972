//! Predictions for new inputs.

use crate::estimators::Want;
use crate::linalg::Matrix;
use std::borrow::Cow;

/// The predicted values of M inputs.
#[derive(Clone, Debug, PartialEq)]
pub enum Predicted {
    /// M x outputs.
    Numbers(Matrix),
    /// M class codes.
    Classes(Vec<usize>),
}

/// Predictions for M inputs.
#[derive(Clone, Debug, PartialEq)]
pub struct Predictions {
    /// The predicted values.
    pub values: Predicted,
    /// Variance of the function value, M x outputs; of classes that of the latent functions, where an estimator has them.
    pub variance: Option<Matrix>,
    /// Covariance of the function values, M x M (the same for every output up to `scale`).
    pub covariance: Option<Matrix>,
    /// Variance of the noise added to the function to give a target, one per output.
    pub noise: Option<Vec<f64>>,
    /// Class probabilities, M x classes; the predicted class is their largest.
    pub probabilities: Option<Matrix>,
    /// Decision values, one column for each class, or one alone for two.
    pub scores: Option<Matrix>,
    /// Where the decision values are of pairs of classes, the pair of each column: above 0 for the second.
    pub pairs: Vec<(usize, usize)>,
}

impl Predictions {
    /// Numbers by which rows can be ranked, one column for each of so many classes, or one alone for two (larger: the second):
    /// probabilities, else decision values by class.
    pub(crate) fn ranking(&self, classes: usize) -> Option<Cow<'_, Matrix>> {
        self.probabilities.as_ref().map(Cow::Borrowed).or_else(|| self.scores_by_class(classes))
    }

    /// Decision values, one column for each of so many classes, or one alone for two (larger: the second). Those of pairs become
    /// votes, and between equal votes their sum decides.
    pub fn scores_by_class(&self, classes: usize) -> Option<Cow<'_, Matrix>> {
        let values = self.scores.as_ref()?;
        if self.pairs.is_empty() || classes == 2 {
            return Some(Cow::Borrowed(values));
        }
        let mut votes = Matrix::zeros(values.rows(), classes);
        for i in 0..values.rows() {
            let mut sums = vec![0.0; classes];
            for (&score, &(a, b)) in values.row(i).iter().zip(&self.pairs) {
                votes[(i, if score > 0.0 { b } else { a })] += 1.0;
                sums[b] += score;
                sums[a] -= score;
            }
            // Less than half a vote, and rising with the sum.
            sums.iter().enumerate().for_each(|(k, s)| votes[(i, k)] += s / (3.0 * (s.abs() + 1.0)));
        }
        Some(Cow::Owned(votes))
    }

    /// With decision values of pairs of so many classes as one for each class, where that is wanted.
    pub(crate) fn by_class_where_wanted(mut self, want: Want, classes: usize) -> Self {
        if want.by_class && classes > 2 && !self.pairs.is_empty() {
            self.scores = self.scores_by_class(classes).map(Cow::into_owned);
            self.pairs.clear();
        }
        self
    }

    /// Adds those of further inputs by the same model, of which no covariance was wanted.
    pub(crate) fn append(&mut self, more: Predictions) {
        match (&mut self.values, more.values) {
            (Predicted::Numbers(all), Predicted::Numbers(some)) => all.append_rows(some),
            (Predicted::Classes(all), Predicted::Classes(some)) => all.extend(some),
            _ => {}
        }
        let both = [(&mut self.variance, more.variance), (&mut self.probabilities, more.probabilities), (&mut self.scores, more.scores)];
        for (all, some) in both {
            if let (Some(all), Some(some)) = (all.as_mut(), some) {
                all.append_rows(some);
            }
        }
    }

    /// Predictions with nothing besides the values.
    pub fn of(values: Predicted) -> Self {
        Predictions { values, variance: None, covariance: None, noise: None, probabilities: None, scores: None, pairs: Vec::new() }
    }
}
