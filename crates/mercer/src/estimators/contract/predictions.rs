//! Predictions for new inputs.

use super::transform::{Transformed, rows};
use crate::error::{Error, Result};
use crate::estimators::Want;
use crate::gram::{Gram, UnrelatedRows};
use crate::linalg::Matrix;
use crate::notice::Notice;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;

/// The predicted values of M inputs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Predicted {
    /// M x outputs.
    Numbers(#[serde(with = "rows")] Matrix),
    /// M class codes.
    Classes(Vec<usize>),
}

/// Predictions for M inputs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Predictions {
    /// The predicted values.
    pub values: Predicted,
    /// Variance of the function value, M x outputs; of classes that of the latent functions, where an estimator has them. Of a transformed
    /// target it is one of the transformed values, and so are covariance and noise.
    #[serde(with = "rows::option")]
    pub variance: Option<Matrix>,
    /// Covariance of the function values, M x M (the same for every output up to `scale`).
    #[serde(with = "rows::option")]
    pub covariance: Option<Matrix>,
    /// Variance of the noise added to the function to give a target, one per output.
    pub noise: Option<Vec<f64>>,
    /// Of a transformed target the predicted transformed values, where a variance or a covariance was wanted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transformed: Option<Transformed>,
    /// Class probabilities, M x classes; the predicted class is their largest.
    #[serde(with = "rows::option")]
    pub probabilities: Option<Matrix>,
    /// Decision values, one column for each class, or one alone for two; votes of two classes are two columns.
    #[serde(with = "rows::option")]
    pub scores: Option<Matrix>,
    /// Where the decision values are of pairs of classes, the pair of each column: above 0 for the second.
    pub pairs: Vec<(usize, usize)>,
    /// What the user should know of some of the inputs.
    pub notices: Vec<RowNotice>,
}

/// What the user should know of some of the inputs of predictions; its text counts them and names the first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RowNotice {
    /// The inputs, ascending.
    pub rows: Vec<usize>,
    /// What holds of them.
    pub said: Notice,
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
        let notice = |UnrelatedRows { kernel, shared, rows }| RowNotice {
            rows,
            said: Notice::Unrelated { shared: shared.into(), kernel: kernel.into() },
        };
        cross.unrelated_rows().into_iter().map(notice).collect()
    }

    /// The notice about those of its inputs that stand in a list, numbered by their places there.
    fn among(&self, list: &[usize]) -> Option<RowNotice> {
        let rows: Vec<usize> = (0..list.len()).filter(|&place| self.rows.binary_search(&list[place]).is_ok()).collect();
        (!rows.is_empty()).then(|| RowNotice { rows, said: self.said.clone() })
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
    /// Refuses to judge predictions of which some are missing.
    ///
    /// # Errors
    /// A row without a training row near.
    pub(crate) fn require_all(&self) -> Result<()> {
        let missing = self.notices.iter().find(|notice| notice.said == Notice::NoneNear);
        missing.map_or(Ok(()), |notice| Err(Error::Data(format!("rows to be judged are not predicted: {notice}"))))
    }

    /// The predicted numbers, row after row; `None` where classes are predicted.
    pub fn numbers(&self) -> Option<&[f64]> {
        if let Predicted::Numbers(values) = &self.values { Some(values.data()) } else { None }
    }

    /// The codes of the predicted classes; `None` where numbers are predicted.
    pub fn classes(&self) -> Option<&[usize]> {
        if let Predicted::Classes(codes) = &self.values { Some(codes) } else { None }
    }

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
        if let (Some(all), Some(some)) = (&mut self.transformed, more.transformed) {
            all.values.append_rows(some.values);
        }
        let both = [(&mut self.variance, more.variance), (&mut self.probabilities, more.probabilities), (&mut self.scores, more.scores)];
        for (all, some) in both {
            if let (Some(all), Some(some)) = (all.as_mut(), some) {
                all.append_rows(some);
            }
        }
    }

    /// Predictions of several models one under the other, with the parts that all of them have; the noise of each is added to its
    /// variances. `None` of no parts, and where some are numbers and some classes.
    pub fn stacked(parts: &[&Predictions]) -> Option<Predictions> {
        let rows = |p: &Predictions| match &p.values {
            Predicted::Numbers(m) => m.rows(),
            Predicted::Classes(codes) => codes.len(),
        };
        let whole = |pick: &dyn Fn(&Predictions) -> Option<Matrix>| -> Option<Matrix> {
            let mut found = parts.iter().filter(|p| rows(p) > 0).map(|p| pick(p));
            let mut all = found.next()??;
            for more in found {
                let more = more.filter(|m| m.cols() == all.cols())?;
                all.append_rows(more);
            }
            Some(all)
        };
        let numbers = |p: &Predictions| if let Predicted::Numbers(m) = &p.values { Some(m.clone()) } else { None };
        let codes = |p: &&Predictions| if let Predicted::Classes(codes) = &p.values { Some(codes.clone()) } else { None };
        let values = match &parts.first()?.values {
            Predicted::Numbers(_) => Predicted::Numbers(whole(&numbers)?),
            Predicted::Classes(_) => Predicted::Classes(parts.iter().map(codes).collect::<Option<Vec<_>>>()?.concat()),
        };
        let spread = |p: &Predictions| {
            let mut variance = p.variance.clone()?;
            if let Some(noise) = &p.noise {
                (0..variance.rows()).for_each(|i| variance.row_mut(i).iter_mut().zip(noise).for_each(|(v, s)| *v += s));
            }
            Some(variance)
        };
        let pairs = &parts.first()?.pairs;
        let scores = if parts.iter().all(|p| p.pairs == *pairs) { whole(&|p| p.scores.clone()) } else { None };
        let (variance, probabilities) = (whole(&spread), whole(&|p| p.probabilities.clone()));
        let transform = parts.first()?.transformed.as_ref().map(|t| t.transform);
        let transformed = transform
            .and_then(|transform| Some(Transformed { transform, values: whole(&|p| p.transformed.as_ref().map(|t| t.values.clone()))? }));
        let (mut notices, mut start) = (Vec::new(), 0);
        for part in parts {
            RowNotice::append(&mut notices, part.notices.clone(), start);
            start += rows(part);
        }
        let plain = Predictions::of(values);
        Some(Predictions { variance, transformed, probabilities, pairs: pairs.clone(), scores, notices, ..plain })
    }

    /// The predictions of some of the inputs, in the order given, without their covariance.
    pub fn select(&self, rows: &[usize]) -> Predictions {
        let of = |m: &Option<Matrix>| m.as_ref().map(|m| m.select_rows(rows));
        Predictions {
            values: match &self.values {
                Predicted::Numbers(m) => Predicted::Numbers(m.select_rows(rows)),
                Predicted::Classes(codes) => Predicted::Classes(rows.iter().map(|&i| codes[i]).collect()),
            },
            variance: of(&self.variance),
            covariance: None,
            noise: self.noise.clone(),
            transformed: self.transformed.as_ref().map(|t| Transformed { values: t.values.select_rows(rows), ..*t }),
            probabilities: of(&self.probabilities),
            scores: of(&self.scores),
            pairs: self.pairs.clone(),
            notices: self.notices.iter().filter_map(|notice| notice.among(rows)).collect(),
        }
    }

    /// Predictions with nothing besides the values.
    pub fn of(values: Predicted) -> Self {
        Predictions {
            values,
            variance: None,
            covariance: None,
            noise: None,
            transformed: None,
            probabilities: None,
            scores: None,
            pairs: Vec::new(),
            notices: Vec::new(),
        }
    }
}
