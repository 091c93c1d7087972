//! A fitted Gaussian: densities, score vectors, information, samples.

use crate::blocks;
use crate::control::Control;
use crate::data::{Points, Values};
use crate::error::{Error, Result};
use crate::generative::{ArrayAxis, Coordinates, FittedDistribution, FreeParameter, ParameterArray, ShrunkFactor};
use crate::linalg::{Cholesky, Matrix, gramian, gramian_of_columns_within};
use crate::notice::Notice;
use rand::SeedableRng;
use rand_distr::{Distribution, StandardNormal};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};
use std::f64::consts::{SQRT_2, TAU};

/// A normal distribution with its mean and covariance.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "StoredGaussian")]
pub struct FittedGaussian {
    #[serde(with = "blocks::f64s")]
    pub(in crate::generative) mean: Vec<f64>,
    pub(in crate::generative) spread: Spread,
    /// Columns of one value, whose variance is not that of the rows.
    #[serde(with = "blocks::usizes")]
    pub(in crate::generative) constant: Vec<usize>,
}

/// Roots of variances, or the factor of a covariance.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(in crate::generative) enum Spread {
    Known(#[serde(with = "blocks::f64s")] Vec<f64>),
    Diagonal(#[serde(with = "blocks::f64s")] Vec<f64>),
    Spherical(f64),
    Full(ShrunkFactor),
}

/// A fit as a file holds it, before it is checked.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredGaussian {
    #[serde(with = "blocks::f64s")]
    mean: Vec<f64>,
    spread: Spread,
    #[serde(with = "blocks::usizes")]
    constant: Vec<usize>,
}

impl TryFrom<StoredGaussian> for FittedGaussian {
    type Error = Error;
    fn try_from(StoredGaussian { mean, spread, constant }: StoredGaussian) -> Result<Self> {
        let fitted = FittedGaussian { mean, spread, constant };
        let scales = match &fitted.spread {
            Spread::Known(scales) | Spread::Diagonal(scales) => scales,
            Spread::Spherical(scale) => std::slice::from_ref(scale),
            Spread::Full(factor) => factor.scales(),
        };
        if !matches!(fitted.spread, Spread::Spherical(_)) {
            Error::unless_equal("scales of a Gaussian", fitted.mean.len(), scales.len())?;
        }
        if let Spread::Full(factor) = &fitted.spread {
            Error::unless_equal("size of the factor of a Gaussian", fitted.mean.len(), factor.lower().size())?;
        }
        let sound = scales.iter().all(|s| *s > 0.0 && s.is_finite()) && fitted.mean.iter().all(|m| m.is_finite());
        let inside = fitted.constant.iter().all(|&j| j < fitted.mean.len());
        if sound && inside { Ok(fitted) } else { Err(Error::Data("a stored Gaussian has a mean or a scale that none has".into())) }
    }
}

impl FittedGaussian {
    fn dim(&self) -> usize {
        self.mean.len()
    }

    /// The root of the variance of a column.
    fn scale(&self, j: usize) -> f64 {
        match &self.spread {
            Spread::Known(scales) | Spread::Diagonal(scales) => scales[j],
            Spread::Spherical(scale) => *scale,
            Spread::Full(factor) => factor.scales()[j],
        }
    }

    /// u = L^-1 (x - m) of every row x, with S = L L'.
    fn whitened(&self, inputs: &Points) -> Result<Matrix> {
        Error::unless_equal("numbers per row of a Gaussian", self.dim(), inputs.dim())?;
        let mut u = Matrix::new(inputs.rows(), self.dim(), inputs.to_dense().into_owned())?;
        for i in 0..u.rows() {
            u.row_mut(i).iter_mut().zip(&self.mean).for_each(|(x, m)| *x -= m);
        }
        match &self.spread {
            Spread::Full(factor) => factor.whiten(&mut u, &Control::unwatched())?,
            _ => {
                for i in 0..u.rows() {
                    u.row_mut(i).iter_mut().enumerate().for_each(|(j, x)| *x /= self.scale(j));
                }
            }
        }
        Ok(u)
    }

    /// S^-1.
    fn precision(&self) -> Result<Matrix> {
        let mut roots = Matrix::from_fn(self.dim(), self.dim(), |i, j| if i == j { 1.0 / self.scale(j) } else { 0.0 });
        if let Spread::Full(factor) = &self.spread {
            factor.lower().solve_rows(&mut roots, &Control::unwatched())?;
        }
        Ok(gramian(&roots))
    }

    /// tr(S^-1 V) for a diagonal V.
    pub(in crate::generative) fn trace_of_inverse(&self, diagonal: &[f64]) -> Result<f64> {
        match &self.spread {
            Spread::Full(_) => Ok(self.precision()?.diagonal().iter().zip(diagonal).map(|(p, v)| p * v).sum()),
            _ => Ok(diagonal.iter().enumerate().map(|(j, v)| v / self.scale(j).powi(2)).sum()),
        }
    }

    /// S_ii.
    pub(in crate::generative) fn variances(&self) -> Vec<f64> {
        match &self.spread {
            Spread::Full(_) => self.covariance().diagonal(),
            _ => (0..self.dim()).map(|j| self.scale(j).powi(2)).collect(),
        }
    }

    /// S_ij.
    pub(in crate::generative) fn covariance(&self) -> Matrix {
        match &self.spread {
            Spread::Full(factor) => {
                let r = gramian(&factor.lower().to_matrix());
                Matrix::from_fn(self.dim(), self.dim(), |i, j| r[(i, j)] * self.scale(i) * self.scale(j))
            }
            _ => Matrix::from_fn(self.dim(), self.dim(), |i, j| if i == j { self.scale(j).powi(2) } else { 0.0 }),
        }
    }

    /// The words for the spread as an array, and its axes: a variance for each column, of a full covariance a matrix.
    pub(in crate::generative) fn spread_axes(&self, coordinates: &Coordinates) -> (&'static str, Vec<ArrayAxis>) {
        let axis = || coordinates.axis("column");
        match &self.spread {
            Spread::Full(_) => ("covariance of two columns", vec![axis(), axis()]),
            _ => ("variance of each column", vec![axis()]),
        }
    }
    /// The numbers of that array.
    pub(in crate::generative) fn spread_values(&self, coordinates: &Coordinates) -> Vec<f64> {
        match &self.spread {
            Spread::Full(_) => {
                let (s, scale) = (self.covariance(), &coordinates.scale);
                Matrix::from_fn(self.dim(), self.dim(), |i, j| scale[i] * s[(i, j)] * scale[j]).into_data()
            }
            _ => coordinates.variances(&self.variances()),
        }
    }

    /// (S + sum (x - m)(x - m)') / (rows + 1) for rows x - m, in the form that S has.
    pub(super) fn spread_with(&self, centred: &Matrix, control: &Control) -> Result<Spread> {
        Error::unless_equal("numbers per row of a Gaussian", self.dim(), centred.cols())?;
        let all = centred.rows() as f64 + 1.0;
        let squares = |j: usize| (0..centred.rows()).map(|i| centred[(i, j)].powi(2)).sum::<f64>();
        Ok(match &self.spread {
            Spread::Known(scales) => Spread::Known(scales.clone()),
            Spread::Diagonal(scales) => {
                Spread::Diagonal(scales.iter().enumerate().map(|(j, s)| ((s * s + squares(j)) / all).sqrt()).collect())
            }
            Spread::Spherical(scale) => {
                let mean = (0..self.dim()).map(squares).sum::<f64>() / self.dim().max(1) as f64;
                Spread::Spherical(((scale * scale + mean) / all).sqrt())
            }
            Spread::Full(_) => {
                let (own, pooled) = (gramian_of_columns_within(centred, None, control)?, self.covariance());
                let both = Matrix::from_fn(self.dim(), self.dim(), |i, j| (own[(i, j)] + pooled[(i, j)]) / all);
                Spread::Full(ShrunkFactor::new(&both, all, None, control)?)
            }
        })
    }

    /// ln |S|.
    fn log_det(&self) -> f64 {
        let scales: f64 = (0..self.dim()).map(|j| self.scale(j).ln()).sum();
        match &self.spread {
            Spread::Full(factor) => 2.0 * (scales + factor.lower().to_matrix().diagonal().iter().map(|l| l.ln()).sum::<f64>()),
            _ => 2.0 * scales,
        }
    }

    /// Rows of numbers made of each row u by what `write` adds to it.
    fn rows_of(u: &Matrix, width: usize, write: impl Fn(&[f64], &mut Vec<f64>)) -> Result<Matrix> {
        let mut all = Vec::with_capacity(u.rows() * width);
        (0..u.rows()).for_each(|i| write(u.row(i), &mut all));
        Matrix::new(u.rows(), width, all)
    }

    /// Numbers of a score vector.
    fn width(&self) -> usize {
        self.dim()
            + match &self.spread {
                Spread::Known(_) => 0,
                Spread::Diagonal(scales) => scales.len(),
                Spread::Spherical(_) => 1,
                Spread::Full(_) => self.pairs().count(),
            }
    }

    /// i <= j, row after row.
    fn pairs(&self) -> impl Iterator<Item = (usize, usize)> {
        let dim = self.dim();
        (0..dim).flat_map(move |i| (i..dim).map(move |j| (i, j)))
    }
}

impl FittedDistribution for FittedGaussian {
    type Inputs = Points;

    fn parameters(&self) -> Vec<FreeParameter> {
        let mut all: Vec<FreeParameter> =
            self.mean.iter().enumerate().map(|(j, &value)| FreeParameter { name: format!("mean[{}]", j + 1), value }).collect();
        match &self.spread {
            Spread::Known(_) => {}
            Spread::Diagonal(scales) => {
                all.extend(scales.iter().enumerate().map(|(j, s)| FreeParameter { name: format!("variance[{}]", j + 1), value: s * s }));
            }
            Spread::Spherical(scale) => all.push(FreeParameter { name: "variance".into(), value: scale * scale }),
            Spread::Full(_) => {
                let s = self.covariance();
                let named = |(i, j)| FreeParameter { name: format!("covariance[{},{}]", i + 1, j + 1), value: s[(i, j)] };
                all.extend(self.pairs().map(named));
            }
        }
        all
    }
    fn with_parameters(&self, values: &[f64]) -> Result<Self> {
        Error::unless_equal("free parameters of a Gaussian", self.width(), values.len())?;
        let (mean, rest) = values.split_at(self.dim());
        let variances = if matches!(self.spread, Spread::Full(_)) { &[] } else { rest };
        if let Some(variance) = variances.iter().find(|v| v.is_nan() || **v <= 0.0) {
            return Err(Error::Data(format!("a Gaussian has a variance above 0, found {variance}")));
        }
        let spread = match &self.spread {
            Spread::Known(scales) => Spread::Known(scales.clone()),
            Spread::Diagonal(_) => Spread::Diagonal(rest.iter().map(|v| v.sqrt()).collect()),
            Spread::Spherical(_) => Spread::Spherical(rest[0].sqrt()),
            Spread::Full(_) => {
                let mut covariance = Matrix::zeros(self.dim(), self.dim());
                self.pairs().zip(rest).for_each(|((i, j), &v)| (covariance[(i, j)], covariance[(j, i)]) = (v, v));
                Spread::Full(ShrunkFactor::new(&covariance, 0.0, Some(0.0), &Control::unwatched())?)
            }
        };
        Ok(FittedGaussian { mean: mean.to_vec(), spread, constant: Vec::new() })
    }
    fn log_densities(&self, inputs: &Points) -> Result<Vec<f64>> {
        let u = self.whitened(inputs)?;
        let constant = -0.5 * (self.dim() as f64 * TAU.ln() + self.log_det());
        // So far from the mean that no number says how far.
        let log = |square: f64| if square.is_nan() { f64::NEG_INFINITY } else { constant - 0.5 * square };
        Ok((0..u.rows()).map(|i| log(u.row(i).iter().map(|x| x * x).sum::<f64>())).collect())
    }
    /// a = S^-1 (x - m) for the mean; d ln p / d S = (a a' - S^-1) / 2, twice that for i < j, since S_ij stands in two places.
    fn scores(&self, inputs: &Points) -> Result<Matrix> {
        let mut a = self.whitened(inputs)?;
        if let Spread::Full(factor) = &self.spread {
            factor.lower().solve_transposed_rows(&mut a, &Control::unwatched())?;
        }
        for i in 0..a.rows() {
            a.row_mut(i).iter_mut().enumerate().for_each(|(j, x)| *x /= self.scale(j));
        }
        let p = if matches!(self.spread, Spread::Full(_)) { self.precision()? } else { Matrix::default() };
        Self::rows_of(&a, self.width(), |a, out| {
            out.extend_from_slice(a);
            match &self.spread {
                Spread::Known(_) => {}
                Spread::Diagonal(scales) => out.extend(a.iter().zip(scales).map(|(a, s)| 0.5 * (a * a - 1.0 / (s * s)))),
                Spread::Spherical(s) => out.push(0.5 * (a.iter().map(|a| a * a).sum::<f64>() - self.dim() as f64 / (s * s))),
                Spread::Full(_) => {
                    out.extend(self.pairs().map(|(i, j)| if i == j { 0.5 } else { 1.0 } * (a[i] * a[j] - p[(i, j)])));
                }
            }
        })
    }
    /// S^-1 for the mean, beside it for the covariance tr(S^-1 dS S^-1 dS) / 2: 1 / (2 s^2) for a variance s of one column, d / (2 s^2)
    /// for one of all, c (P_ik P_jl + P_il P_jk) for S_ij and S_kl with P = S^-1, c = 1/4, doubled for i < j and for k < l.
    fn information(&self) -> Option<Matrix> {
        let (dim, p) = (self.dim(), self.precision().ok()?);
        let mut all = Matrix::zeros(self.width(), self.width());
        for i in 0..dim {
            (0..dim).for_each(|j| all[(i, j)] = p[(i, j)]);
        }
        match &self.spread {
            Spread::Known(_) => {}
            Spread::Diagonal(_) => (0..dim).for_each(|j| all[(dim + j, dim + j)] = 0.5 * p[(j, j)].powi(2)),
            Spread::Spherical(scale) => all[(dim, dim)] = 0.5 * dim as f64 / scale.powi(4),
            Spread::Full(_) => {
                let places = |(i, j): (usize, usize)| if i == j { 0.5 } else { 1.0 };
                for (row, (i, j)) in self.pairs().enumerate() {
                    for (column, (k, l)) in self.pairs().enumerate() {
                        let both = p[(i, k)] * p[(j, l)] + p[(i, l)] * p[(j, k)];
                        all[(dim + row, dim + column)] = places((i, j)) * places((k, l)) * both;
                    }
                }
            }
        }
        Some(all)
    }
    /// With u = L^-1 (x - m): u; for the covariance u_i u_j for i < j and (u_j^2 - 1) / 2^(1/2), or (u'u - d) / (2 d)^(1/2) for one
    /// variance of all columns.
    fn whitened_scores(&self, inputs: &Points) -> Result<Option<Matrix>> {
        let square = |x: f64| (x * x - 1.0) / SQRT_2;
        let made = Self::rows_of(&self.whitened(inputs)?, self.width(), |u, out| {
            out.extend_from_slice(u);
            match &self.spread {
                Spread::Known(_) => {}
                Spread::Diagonal(_) => out.extend(u.iter().map(|x| square(*x))),
                Spread::Spherical(_) => {
                    let dim = self.dim() as f64;
                    out.push((u.iter().map(|x| x * x).sum::<f64>() - dim) / (2.0 * dim).sqrt());
                }
                Spread::Full(_) => out.extend(self.pairs().map(|(i, j)| if i == j { square(u[i]) } else { u[i] * u[j] })),
            }
        });
        made.map(Some)
    }
    fn arrays(&self, coordinates: &Coordinates) -> Vec<ParameterArray> {
        let axis = || coordinates.axis("column");
        let (what, axes) = self.spread_axes(coordinates);
        vec![
            ParameterArray::new("mean", "mean of each column", vec![axis()], coordinates.points(&self.mean)),
            ParameterArray::new("covariance", what, axes, self.spread_values(coordinates)),
        ]
    }
    fn sample(&self, rows: usize, seed: u64) -> Result<Values> {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let dim = self.dim();
        let lower = if let Spread::Full(factor) = &self.spread { Some(factor.lower().to_matrix()) } else { None };
        let mut values = Vec::new();
        for _ in 0..rows {
            let u: Vec<f64> = (0..dim).map(|_| StandardNormal.sample(&mut random)).collect();
            let correlated = |j: usize| match &lower {
                Some(lower) => lower.row(j)[..=j].iter().zip(&u).map(|(l, u)| l * u).sum::<f64>(),
                None => u[j],
            };
            values.extend((0..dim).map(|j| self.mean[j] + self.scale(j) * correlated(j)));
        }
        Points::dense(rows, dim, values).map(Values::Points)
    }
    /// N(m, S)^rho is a multiple of N(m, S / rho): with T the covariance of the other and e the difference of the means,
    /// ((1 - 2 rho) d ln 2 pi + (1 - rho)(ln |S| + ln |T|) - d ln rho - ln |S + T| - rho e' (S + T)^-1 e) / 2.
    fn log_product(&self, other: &Self, rho: f64) -> Result<f64> {
        let dim = self.dim();
        Error::unless_equal("numbers of the mean of a Gaussian", dim, other.dim())?;
        let e: Vec<f64> = self.mean.iter().zip(&other.mean).map(|(a, b)| a - b).collect();
        let (log_det, square) = match (&self.spread, &other.spread) {
            (Spread::Full(_), _) | (_, Spread::Full(_)) => {
                let (s, t) = (self.covariance(), other.covariance());
                let factor = Cholesky::new(Matrix::from_fn(dim, dim, |i, j| s[(i, j)] + t[(i, j)]), &Control::unwatched())?;
                let mut u = Matrix::new(1, dim, e)?;
                factor.solve_rows(&mut u, &Control::unwatched())?;
                (factor.log_det(), u.data().iter().map(|u| u * u).sum::<f64>())
            }
            _ => (0..dim).fold((0.0, 0.0), |(log_det, square), j| {
                let both = self.scale(j).powi(2) + other.scale(j).powi(2);
                (log_det + both.ln(), square + e[j] * e[j] / both)
            }),
        };
        let own = self.log_det() + other.log_det();
        let of_dim = dim as f64 * ((1.0 - 2.0 * rho) * TAU.ln() - rho.ln());
        Ok(0.5 * (of_dim + (1.0 - rho) * own - log_det - rho * square))
    }
    fn is_maximum_likelihood(&self) -> bool {
        let shrunk = matches!(&self.spread, Spread::Full(factor) if factor.share() > 0.0);
        self.constant.is_empty() && !shrunk
    }
    fn notices(&self) -> Vec<Notice> {
        let mut all = Vec::new();
        if let [first, rest @ ..] = self.constant.as_slice() {
            let variance = self.scale(*first).powi(2);
            all.push(Notice::ConstantNumbers { first: *first, others: rest.len(), variance });
        }
        if let Spread::Full(factor) = &self.spread
            && factor.share() > 0.0
        {
            all.push(Notice::Shrinkage { share: factor.share() });
        }
        all
    }
}
