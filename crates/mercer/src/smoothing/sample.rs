//! The rows that a density or a bandwidth is made from. A weight counts rows: 2 is a row that stands there twice, 0 one that is absent.

use crate::error::{Error, Result};
use crate::linalg::Matrix;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

/// Rows of weight above 0, in some columns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sample {
    points: Matrix,
    weights: Vec<f64>,
}

/// The first of each group of equal rows, in the order of their values, and the weights of all in the unit in which their squares have the
/// same sum.
pub(super) fn each_once(rows: &Matrix, weights: &[f64]) -> (Vec<usize>, Vec<f64>) {
    let compare = |a: usize, b: usize| {
        let each = rows.row(a).iter().zip(rows.row(b)).map(|(x, z)| (x + 0.0).total_cmp(&(z + 0.0)));
        each.fold(Ordering::Equal, Ordering::then)
    };
    let mut order: Vec<usize> = (0..rows.rows()).collect();
    order.sort_by(|&a, &b| compare(a, b).then(weights[a].total_cmp(&weights[b])));
    let groups: Vec<&[usize]> = order.chunk_by(|&a, &b| compare(a, b) == Ordering::Equal).collect();
    let sums: Vec<f64> = groups.iter().map(|group| group.iter().map(|&i| weights[i]).sum()).collect();
    let most = sums.iter().fold(0.0f64, |most, w| most.max(*w));
    let shares: Vec<f64> = sums.iter().map(|w| w / most).collect();
    let unit = shares.iter().sum::<f64>() / shares.iter().map(|w| w * w).sum::<f64>();
    (groups.iter().map(|group| group[0]).collect(), shares.iter().map(|w| unit * w).collect())
}

/// Where a robust scale comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// 1.4826 times the median of |x - median|.
    MedianDeviation,
    /// The distance of the quartiles over 1.349.
    Quartiles,
    /// The standard deviation.
    StandardDeviation,
}

impl Sample {
    /// Rows with their weights; those of weight 0 are left out.
    ///
    /// # Errors
    /// No rows or columns, a number that is not finite, weights that are negative, of another count or all 0.
    pub fn new(points: &Matrix, weights: Option<&[f64]>) -> Result<Self> {
        let (rows, dim) = (points.rows(), points.cols());
        if rows == 0 || dim == 0 {
            return Err(Error::Data(format!("a density needs a row and a column, and there are {rows} rows of {dim} columns")));
        }
        require_finite(points)?;
        let Some(weights) = weights else { return Ok(Sample { points: points.clone(), weights: vec![1.0; rows] }) };
        Error::unless_equal("sample weights", rows, weights.len())?;
        if let Some(i) = weights.iter().position(|w| !(*w >= 0.0 && w.is_finite())) {
            return Err(Error::Data(format!("row {} has the weight {}; expected a finite number, 0 or above", i + 1, weights[i])));
        }
        let kept: Vec<usize> = (0..rows).filter(|&i| weights[i] > 0.0).collect();
        if kept.is_empty() {
            return Err(Error::Data("the weights sum to 0: there is no row of weight above 0".into()));
        }
        Ok(Sample { points: points.select_rows(&kept), weights: kept.iter().map(|&i| weights[i]).collect() })
    }

    /// Rows of one column.
    ///
    /// # Errors
    /// Those of [`Sample::new`].
    pub fn of_numbers(numbers: &[f64], weights: Option<&[f64]>) -> Result<Self> {
        Sample::new(&Matrix::column(numbers.to_vec()), weights)
    }

    /// Rows of weight above 0.
    pub fn rows(&self) -> usize {
        self.weights.len()
    }
    /// Columns.
    pub fn dim(&self) -> usize {
        self.points.cols()
    }
    /// The rows, N x D.
    pub fn points(&self) -> &Matrix {
        &self.points
    }
    /// Their weights.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }
    /// Rows as the weights count them.
    pub fn count(&self) -> f64 {
        self.weights.iter().sum()
    }

    /// Equal rows once, in the order of their values, with weights of the unit in which they count (sum w)^2 / sum w^2 rows (Kish 1965,
    /// Survey sampling): neither copies of rows nor the unit of the weights change what is chosen by rows left out.
    pub(super) fn once(&self) -> Sample {
        let (rows, weights) = each_once(&self.points, &self.weights);
        Sample { points: self.points.select_rows(&rows), weights }
    }

    /// The sample with weights of 1 at most: every row is then left out as a whole.
    pub(super) fn with_whole_rows(mut self) -> Sample {
        let most = self.weights.iter().fold(0.0f64, |most, w| most.max(*w));
        self.weights.iter_mut().for_each(|w| *w /= most);
        self
    }

    /// The numbers of a column in order, with their weights.
    pub(super) fn ordered(&self, column: usize) -> Vec<(f64, f64)> {
        self.ordered_rows(column).into_iter().map(|(x, w, _)| (x, w)).collect()
    }

    /// The numbers of a column in order, with their weights and rows.
    pub(super) fn ordered_rows(&self, column: usize) -> Vec<(f64, f64, usize)> {
        let rows = self.points.col(column).into_iter().zip(self.weights.iter().copied()).enumerate();
        let mut all: Vec<(f64, f64, usize)> = rows.map(|(i, (x, w))| (x, w, i)).collect();
        all.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        all
    }

    /// An error unless there are two different values, and weights that count more than one row.
    pub(super) fn require_spread(&self, column: usize) -> Result<()> {
        let first = self.points[(0, column)];
        let name = if self.dim() == 1 { String::new() } else { format!("column {}: ", column + 1) };
        if self.rows() == 1 && self.count() <= 1.0 {
            return Err(Error::Data(format!(
                "{name}there is one row, and a rule for bandwidths needs several; give a bandwidth as a number"
            )));
        }
        if (1..self.rows()).all(|i| self.points[(i, column)] == first) {
            return Err(Error::Data(format!(
                "{name}the values are all {first}, which gives no scale for a bandwidth; give a bandwidth as a number, or leave the column out"
            )));
        }
        let count = self.count();
        if count <= 1.0 + 1e-9 {
            return Err(Error::Data(format!(
                "the weights sum to {count}, and weights count rows here (2: the row stands there twice); multiply them by the number of rows, or give a bandwidth as a number"
            )));
        }
        Ok(())
    }

    /// The mean of a column.
    pub(super) fn mean(&self, column: usize) -> f64 {
        let all = self.ordered(column);
        let middle = quantile(&all, 0.5);
        middle + all.iter().map(|(x, w)| w * (x - middle)).sum::<f64>() / self.count()
    }

    /// The standard deviation of a column, sum w (x - mean)^2 / (sum w - 1).
    pub(super) fn deviation(&self, column: usize) -> f64 {
        let mean = self.mean(column);
        let all = self.ordered(column);
        (all.iter().map(|(x, w)| w * (x - mean).powi(2)).sum::<f64>() / (self.count() - 1.0)).sqrt()
    }

    /// The standard deviation of a column without a tenth of its rows at each end; where that is 0, of the whole column.
    pub(super) fn middle_deviation(&self, column: usize) -> f64 {
        let (all, count) = (self.ordered(column), self.count());
        let cut = (0.1 * count).ceil();
        let mut passed = 0.0;
        let part = |&(x, w): &(f64, f64)| {
            let before = passed;
            passed += w;
            (x, (passed.min(count - cut) - before.max(cut)).max(0.0))
        };
        let kept: Vec<(f64, f64)> = all.iter().map(part).collect();
        let left = count - 2.0 * cut;
        let mean = kept.iter().map(|(x, w)| x * w).sum::<f64>() / left;
        let variance = kept.iter().map(|(x, w)| w * (x - mean).powi(2)).sum::<f64>() / (left - 1.0);
        if left > 1.0 && variance > 0.0 { variance.sqrt() } else { self.deviation(column) }
    }

    /// The distance of the quartiles of a column.
    pub(super) fn quartiles(&self, column: usize) -> f64 {
        let all = self.ordered(column);
        quantile(&all, 0.75) - quantile(&all, 0.25)
    }

    /// min(standard deviation, quartiles / by), the deviation alone where half of the values are equal.
    pub(super) fn lesser_scale(&self, column: usize, by: f64) -> f64 {
        let (deviation, quartiles) = (self.deviation(column), self.quartiles(column) / by);
        if quartiles > 0.0 { deviation.min(quartiles) } else { deviation }
    }
}

/// A quantile of numbers in order with weights as repetitions: linear between the order statistics around (W - 1) p (Hyndman & Fan
/// 1996, type 7, that of R and numpy).
pub(super) fn quantile(ordered: &[(f64, f64)], p: f64) -> f64 {
    let total: f64 = ordered.iter().map(|(_, w)| w).sum();
    let place = ((total - 1.0) * p).max(0.0);
    let lower = place.floor();
    // The value of the repetition that covers the place k, counted from 0.
    let at = |k: f64| {
        let mut passed = 0.0;
        for (x, w) in ordered {
            passed += w;
            if passed > k + 1e-9 {
                return *x;
            }
        }
        ordered.last().map_or(0.0, |(x, _)| *x)
    };
    let (a, b) = (at(lower), at(lower + 1.0));
    a + (place - lower) * (b - a)
}

/// A scale that a few far values do not change: 1.4826 MAD, where that is 0 the quartiles over 1.349, else the standard deviation
/// (Murphy 2012, 14.7.2).
///
/// # Errors
/// Those of [`Sample::new`]; values that are all equal.
pub fn robust_scale(numbers: &[f64], weights: Option<&[f64]>) -> Result<(f64, Scale)> {
    let sample = Sample::of_numbers(numbers, weights)?;
    sample.require_spread(0)?;
    Ok(sample.robust_scale(0))
}

impl Sample {
    pub(super) fn robust_scale(&self, column: usize) -> (f64, Scale) {
        let all = self.ordered(column);
        let middle = quantile(&all, 0.5);
        let mut apart: Vec<(f64, f64)> = all.iter().map(|(x, w)| ((x - middle).abs(), *w)).collect();
        apart.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (median, quartiles) = (quantile(&apart, 0.5), self.quartiles(column));
        match () {
            () if median > 0.0 => (1.4826 * median, Scale::MedianDeviation),
            () if quartiles > 0.0 => (quartiles / 1.349, Scale::Quartiles),
            () => (self.deviation(column), Scale::StandardDeviation),
        }
    }
}

/// An error that names the first number that is not finite.
pub(super) fn require_finite(points: &Matrix) -> Result<()> {
    match points.data().iter().position(|x| !x.is_finite()) {
        None => Ok(()),
        Some(at) => {
            let (row, column) = (at / points.cols() + 1, at % points.cols() + 1);
            Err(Error::Data(format!("row {row}, column {column} is {}; expected a finite number", points.data()[at])))
        }
    }
}
