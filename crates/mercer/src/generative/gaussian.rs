//! gaussian: p(x) = (2 pi)^(-d/2) |S|^(-1/2) exp(-(x - m)' S^-1 (x - m) / 2), by weighted maximum likelihood (Murphy 2012, 4.1).
//!
//! m = sum w x / sum w, S = sum w (x - m)(x - m)' / sum w. The score vector is in m and in the covariances S_ij with i <= j, the
//! variances s_j, or the one variance s; where the variances are known it is in m alone.

mod fitted;

use super::{GenerativeModel, ShrunkFactor};
use crate::control::Control;
use crate::data::{Cells, Points, RowWeights, Series};
use crate::error::{Error, Result};
use crate::linalg::{Matrix, gramian_of_columns_within};
use crate::param::Value;
pub(super) use fitted::{FittedGaussian, Spread};
use mercer_derive::{Choice, Parameters};
use serde::{Deserialize, Serialize};

/// The normal distribution of vectors.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Parameters)]
#[serde(deny_unknown_fields)]
pub struct Gaussian {
    /// S: diagonal, a variance per column; full, also a covariance per pair of columns; spherical, one variance for all columns
    #[param(default = CovarianceForm::Diagonal)]
    covariance: CovarianceForm,
    /// known variances, one or one per column, which leave the mean as the only free parameter; auto: estimated
    #[param(domain = PositiveFinite, learnt)]
    variance: Value,
    /// share of the correlations that a full S loses; auto: none where S is positive definite, else d / (rows + d)
    #[param(domain = UpToOne, learnt)]
    shrinkage: Value,
}

/// What the covariance may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Choice)]
#[serde(rename_all = "snake_case")]
pub enum CovarianceForm {
    /// A variance for each column.
    Diagonal,
    /// Also a covariance for each pair of columns.
    Full,
    /// One variance for all columns.
    Spherical,
}

/// Mean, variance of each column, rows minus the mean, and the columns that hold one value.
pub(super) struct Moments {
    pub(super) total: f64,
    pub(super) mean: Vec<f64>,
    variances: Vec<f64>,
    constant: Vec<usize>,
    pub(super) centred: Matrix,
    /// Whether there is one row that counts as less than two, and so says nothing of variances: a row of weight 2 stands there twice.
    is_one_row: bool,
}

impl Moments {
    pub(super) fn of(inputs: &Points, weights: RowWeights<'_>, control: &Control) -> Result<Self> {
        let (rows, dim, total) = (inputs.rows(), inputs.dim(), weights.total(inputs.rows()));
        if total.is_nan() || total <= 0.0 {
            return Err(Error::Data(format!("{}: there is no row of positive weight to fit it to", Gaussian::NAME)));
        }
        control.plan("rows of a Gaussian", 16 * (rows as u64).saturating_mul(dim as u64))?;
        let mut centred = Matrix::new(rows, dim, inputs.to_dense().into_owned())?;
        let mut mean = vec![0.0; dim];
        // The mean of what is left over takes the rounding of the first mean away.
        for _ in 0..2 {
            let mut step = vec![0.0; dim];
            for i in 0..rows {
                let share = weights.at(i) / total;
                step.iter_mut().zip(centred.row(i)).for_each(|(sum, x)| *sum += share * x);
            }
            for i in 0..rows {
                centred.row_mut(i).iter_mut().zip(&step).for_each(|(x, by)| *x -= by);
            }
            mean.iter_mut().zip(&step).for_each(|(m, by)| *m += by);
        }
        let counted: Vec<usize> = (0..rows).filter(|&i| weights.at(i) > 0.0).collect();
        let values = inputs.to_dense();
        let varies = |j: usize| counted.iter().any(|&i| values[i * dim + j] != values[counted[0] * dim + j]);
        let variance =
            |j: usize| if varies(j) { counted.iter().map(|&i| weights.at(i) / total * centred[(i, j)].powi(2)).sum() } else { 0.0 };
        let variances: Vec<f64> = (0..dim).map(variance).collect();
        if let Some(j) = variances.iter().position(|v| !v.is_finite()) {
            let why = "its variance is above 1e308; divide the column by a number".to_owned();
            return Err(Error::Numerical { what: format!("number {} of each row", j + 1), why });
        }
        let constant = (0..dim).filter(|&j| !variances[j].is_normal()).collect();
        Ok(Moments { total, mean, variances, constant, centred, is_one_row: counted.len() == 1 && total < 2.0 })
    }

    /// The variance of each column; that of a constant column is the mean variance of the others.
    pub(super) fn positive_variances(&self) -> Vec<f64> {
        let scale = self.scale();
        self.variances.iter().map(|v| if v.is_normal() { *v } else { scale }).collect()
    }
    /// The variance of each column of the rows of a class; that of a column that does not vary in it is the one that all rows have.
    pub(super) fn variances_beside(&self, all: &Moments) -> Vec<f64> {
        self.variances.iter().zip(all.positive_variances()).map(|(v, whole)| if v.is_normal() { *v } else { whole }).collect()
    }
    /// The variance of each channel of series; beside all series, where they are those of a class.
    pub(super) fn variances_of_series(&self, all: Option<(&Series, RowWeights<'_>)>, control: &Control) -> Result<Vec<f64>> {
        Ok(match all {
            Some((all, weights)) => {
                let each: Vec<f64> = (0..Cells::len(all)).flat_map(|row| std::iter::repeat_n(weights.at(row), all.length(row))).collect();
                self.variances_beside(&Moments::of(all.vectors(), RowWeights::from(Some(each.as_slice())), control)?)
            }
            None => self.positive_variances(),
        })
    }
    /// The mean variance of the columns that vary; 1 where none does.
    fn scale(&self) -> f64 {
        let varying = self.variances.len() - self.constant.len();
        if varying == 0 { 1.0 } else { self.variances.iter().filter(|v| v.is_normal()).sum::<f64>() / varying as f64 }
    }
}

impl Gaussian {
    /// A variance for each column, where they are known.
    fn known(&self, dim: usize) -> Option<Vec<f64>> {
        match self.variance.numbers() {
            [] => None,
            [one] => Some(vec![*one; dim]),
            each => Some(each.to_vec()),
        }
    }
}

impl GenerativeModel for Gaussian {
    const NAME: &'static str = "gaussian";
    const DOC: &'static str = "exp(-(x - m)' S^-1 (x - m) / 2) / ((2 pi)^d |S|)^(1/2): one cloud of points around a mean m";
    const SOURCE: &'static str = "Murphy, Machine Learning: a Probabilistic Perspective (2012), (4.1), (4.6) and (4.7)";
    type Inputs = Points;
    type Fitted = FittedGaussian;

    fn settle(&self, inputs: &Points, weights: RowWeights<'_>) -> Self {
        let near =
            |value: &Value, start: &dyn Fn() -> f64| if matches!(value, Value::Range(..)) { value.settle_by(start) } else { value.clone() };
        let typical = || Moments::of(inputs, weights, &Control::unwatched()).map_or(1.0, |moments| moments.scale());
        let few = || inputs.dim() as f64 / (weights.total(inputs.rows()) + inputs.dim() as f64);
        Gaussian { variance: near(&self.variance, &typical), shrinkage: near(&self.shrinkage, &few), ..self.clone() }
    }
    fn check(&self, inputs: &Points) -> Result<()> {
        match self.variance.numbers().len() {
            0 | 1 => Ok(()),
            given => Error::unless_equal("known variances of gaussian", inputs.dim(), given),
        }
    }
    fn free_parameters(&self, inputs: &Points) -> Option<usize> {
        let dim = inputs.dim();
        let variances = match self.covariance {
            _ if self.variance.is_settled() => 0,
            CovarianceForm::Diagonal => dim,
            CovarianceForm::Full => dim * (dim + 1) / 2,
            CovarianceForm::Spherical => 1,
        };
        Some(dim + variances)
    }
    fn fit(&self, inputs: &Points, weights: RowWeights<'_>, _seed: u64, control: &Control) -> Result<FittedGaussian> {
        self.fitted(inputs, weights, None, control)
    }
    /// A column that is constant in the class has a small share of the variance of all rows; a class of one row has the variances of all.
    fn fit_class(
        &self,
        inputs: &Points,
        weights: RowWeights<'_>,
        all: (&Points, RowWeights<'_>),
        _seed: u64,
        control: &Control,
    ) -> Result<FittedGaussian> {
        self.fitted(inputs, weights, Some(all), control)
    }
    /// Where the variances are estimated, as if one more point had been seen with the mean of these and the covariance of all rows: one point
    /// is enough.
    fn fit_like(&self, inputs: &Points, pooled: &FittedGaussian, _seed: u64, control: &Control) -> Result<FittedGaussian> {
        let moments = Moments::of(inputs, RowWeights::default(), control)?;
        let spread = pooled.spread_with(&moments.centred, control)?;
        Ok(FittedGaussian { mean: moments.mean, spread, constant: Vec::new() })
    }
}

impl Gaussian {
    /// The distribution of some rows; beside all rows, where they are those of a class.
    fn fitted(
        &self,
        inputs: &Points,
        weights: RowWeights<'_>,
        all: Option<(&Points, RowWeights<'_>)>,
        control: &Control,
    ) -> Result<FittedGaussian> {
        // The share of the variance of all rows below which none of a class lies: some of its rows agree in a column, and no two of another class
        // do. As much as scikit-learn's GaussianNB adds.
        const LEAST_OF_CLASS: f64 = 1e-9;
        let moments = Moments::of(inputs, weights, control)?;
        let dim = inputs.dim();
        if let Some(known) = self.known(dim) {
            let spread = Spread::Known(known.into_iter().map(f64::sqrt).collect());
            return Ok(FittedGaussian { mean: moments.mean, spread, constant: Vec::new() });
        }
        let least = match all {
            Some((all, weights)) => {
                let share = if moments.is_one_row { 1.0 } else { LEAST_OF_CLASS };
                Moments::of(all, weights, control)?.positive_variances().iter().map(|v| share * v).collect()
            }
            None => vec![moments.scale(); dim],
        };
        // Of all rows a column that is constant, of a class also one that varies by less.
        let is_repaired = |v: f64, least: f64| !v.is_normal() || (all.is_some() && v < least);
        let mut constant: Vec<usize> = (0..dim).filter(|&j| is_repaired(moments.variances[j], least[j])).collect();
        let mut variances = moments.variances;
        let spread = match self.covariance {
            CovarianceForm::Spherical => {
                let mean = |of: &[f64]| of.iter().sum::<f64>() / dim.max(1) as f64;
                let (own, least) = (mean(&variances), mean(&least));
                constant.retain(|_| is_repaired(own, least));
                Spread::Spherical(if is_repaired(own, least) { least.sqrt() } else { own.sqrt() })
            }
            form => {
                constant.iter().for_each(|&j| variances[j] = least[j]);
                match form {
                    CovarianceForm::Full => {
                        let counts: Vec<f64> = (0..inputs.rows()).map(|i| weights.at(i) / moments.total).collect();
                        let mut covariance = gramian_of_columns_within(&moments.centred, Some(&counts), control)?;
                        for (j, variance) in variances.iter().enumerate() {
                            covariance[(j, j)] = *variance;
                        }
                        for &j in &constant {
                            (0..dim).filter(|&i| i != j).for_each(|i| (covariance[(i, j)], covariance[(j, i)]) = (0.0, 0.0));
                        }
                        let share = self.shrinkage.is_settled().then(|| self.shrinkage.number());
                        Spread::Full(ShrunkFactor::new(&covariance, moments.total, share, control)?)
                    }
                    _ => Spread::Diagonal(variances.into_iter().map(f64::sqrt).collect()),
                }
            }
        };
        Ok(FittedGaussian { mean: moments.mean, spread, constant })
    }
}
