//! Predictions for new inputs.

use crate::gram::Gram;
use crate::linalg::Matrix;
use std::borrow::Cow;
use std::fmt;

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
    /// What the user should know of some of the inputs.
    pub notices: Vec<RowNotice>,
}

/// What the user should know of some of the inputs of predictions; its text counts them and names the first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowNotice {
    /// The inputs, ascending.
    pub rows: Vec<usize>,
    /// What holds of them.
    pub said: String,
}

impl fmt::Display for RowNotice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let first = self.rows.first().map_or(0, |row| row + 1);
        match self.rows.len() {
            1 => write!(f, "row {first}: {}", self.said),
            count => write!(f, "{count} rows (the first is row {first}): {}", self.said),
        }
    }
}

impl RowNotice {
    /// The rows of a Gram matrix of new inputs that have nothing in common with any training row that a prediction compares them with.
    pub(crate) fn unrelated(cross: &dyn Gram) -> Vec<RowNotice> {
        let said = |shared: &str, kernel: &str| {
            format!("no {shared} in common with any training row that the model keeps; to {kernel} such a row is unknown")
        };
        cross.unrelated_rows().into_iter().map(|found| RowNotice { rows: found.rows, said: said(found.shared, found.kernel) }).collect()
    }

    /// Adds notices about inputs that are numbered from `start` on.
    pub(crate) fn append(all: &mut Vec<RowNotice>, more: Vec<RowNotice>, start: usize) {
        for notice in more {
            let rows = notice.rows.into_iter().map(|row| start + row);
            match all.iter_mut().find(|known| known.said == notice.said) {
                Some(known) => known.rows.extend(rows),
                None => all.push(RowNotice { rows: rows.collect(), said: notice.said }),
            }
        }
    }
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

    /// Adds those of further inputs by the same model, of which no covariance was wanted.
    pub(crate) fn append(&mut self, more: Predictions) {
        let start = match &self.values {
            Predicted::Numbers(values) => values.rows(),
            Predicted::Classes(codes) => codes.len(),
        };
        RowNotice::append(&mut self.notices, more.notices, start);
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
        Predictions {
            values,
            variance: None,
            covariance: None,
            noise: None,
            probabilities: None,
            scores: None,
            pairs: Vec::new(),
            notices: Vec::new(),
        }
    }
}
