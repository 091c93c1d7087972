//! Pre-images: rows z whose phi(z) lie nearest to what kernel principal components make of others, P phi = sum_i g_i phi(x_i).
//!
//! ```text
//! |phi(z) - P phi|^2 = k(z, z) - 2 A(z) + |P phi|^2,     A(z) = sum_i g_i k(z, x_i)
//! ```
//!
//! Under a Gaussian kernel A is stationary where z = sum_i g_i k(z, x_i) x_i / A(z) (Mika, Schoelkopf, Smola, Mueller, Scholz &
//! Raetsch 1999), and while A(z) > 0 the way there from any z leads upwards. Or z is where its distances from the nearest rows say
//! (Kwok & Tsang 2004, The pre-image problem in kernel methods). Under a linear kernel P phi is a row itself. All are sums of
//! training rows whose weights sum to 1. Under any kernel, of anything, there is the training row that is nearest.

use super::Model;
use crate::control::Control;
use crate::data::{Column, Dataset, Points, Values};
use crate::error::{Error, Result};
use crate::estimators::{FittedKernelPca, FittedModel, Predicted, Want};
use crate::gram::{self, Side, finite_diagonal};
use crate::kernels::Reference;
use crate::linalg::{Matrix, eigh, product_within};
use std::str::FromStr;

/// How pre-images are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PreImageMethod {
    /// The fixed point that the nearest training row leads to; Gaussian and linear kernels.
    FixedPoint,
    /// From distances to the nearest training rows; Gaussian and linear kernels.
    Distances,
    /// The nearest training row; any kernel.
    Nearest,
}

/// Pre-images of rows, one for each.
#[derive(Clone, Debug)]
pub struct PreImages {
    /// In the columns of the training table that the model learns from, in its units; of the nearest training rows no column.
    pub rows: Dataset,
    /// Index of the training row nearest in feature space, from 0.
    pub nearest: Vec<usize>,
    /// Squared distance in feature space from what the components make of the row.
    pub left: Vec<f64>,
    /// Rows whose fixed point was not reached.
    pub unfinished: Vec<usize>,
}

/// The greatest step that a fixed point may still make, in length scales.
const TOLERANCE: f64 = 1e-6;
const MOST_STEPS: usize = 1000;
/// Halvings of a step after which there is no way upwards but rounding.
const HALVINGS: i32 = 30;
/// Rows whose distances say where a pre-image is, as in Kwok & Tsang (2004).
const NEIGHBOURS: usize = 10;
/// Directions among these with less than this share of the greatest variance are rounding.
const FLAT: f64 = 1e-10;

impl FromStr for PreImageMethod {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        match name {
            "fixed_point" => Ok(PreImageMethod::FixedPoint),
            "distances" => Ok(PreImageMethod::Distances),
            "nearest" => Ok(PreImageMethod::Nearest),
            _ => Err(Error::unknown("way to a pre-image", name, ["fixed_point", "distances", "nearest"])),
        }
    }
}

impl Model {
    /// Pre-images of rows that have the training columns.
    ///
    /// # Errors
    /// As [`Model::predict`] and [`Model::pre_images`].
    pub fn pre_images_of(&self, data: &Dataset, method: PreImageMethod, control: &Control) -> Result<PreImages> {
        let count = self.principal_components()?.components();
        let Predicted::Numbers(values) = self.predict(data, Want::default(), control)?.values else {
            return Err(Error::Data("pre-images: components are numbers".into()));
        };
        self.pre_images(&Matrix::from_fn(values.rows(), count, |k, j| values[(k, j)]), method, control)
    }

    fn principal_components(&self) -> Result<&FittedKernelPca> {
        match &self.fitted {
            FittedModel::KernelPca(components) => Ok(components),
            _ => Err(Error::Data(format!("pre-images are of kernel_pca, and the model is of {}", self.estimator.name()))),
        }
    }

    /// Pre-images of rows by their coordinates (rows x components) along all components or the first, as [`Model::predict`] gives
    /// them.
    ///
    /// # Errors
    /// A model of another estimator than `kernel_pca`, of distances, of few rows or of features alone; fixed points and distances
    /// where the kernel is not a Gaussian or linear one of columns of numbers without missing cells; bounds of `control`.
    pub fn pre_images(&self, coordinates: &Matrix, method: PreImageMethod, control: &Control) -> Result<PreImages> {
        let components = self.principal_components()?;
        if let Some(at) = coordinates.data().iter().position(|f| !f.is_finite()) {
            return Err(Error::Data(format!("row {}: a coordinate is not finite", at / coordinates.cols() + 1)));
        }
        control.plan("pre-images", 32 * (coordinates.rows() as u64) * (self.support.rows() as u64))?;
        let (shares, squares) = components.projections(coordinates, control)?;
        let reference = self.support.reference(&self.kernel, control)?;
        let among = reference.among(control)?;
        let own = finite_diagonal(among.as_ref())?;
        let along = gram::apply(among.as_ref(), &shares.transpose(), control)?.transpose();
        let far = |k: usize, i: usize| own[i] - 2.0 * along[(k, i)];
        let order = |k: usize| {
            let mut order: Vec<usize> = (0..own.len()).collect();
            order.sort_by(|&a, &b| far(k, a).total_cmp(&far(k, b)));
            order
        };
        let nearest: Vec<usize> =
            (0..shares.rows()).map(|k| (1..own.len()).fold(0, |b, i| if far(k, i) < far(k, b) { i } else { b })).collect();
        let left = |of: &dyn Fn(usize) -> f64| (0..shares.rows()).map(|k| (squares[k] + of(k)).max(0.0)).collect();
        if method == PreImageMethod::Nearest {
            let rows = Dataset::with_rows(nearest.len(), Vec::new())?;
            return Ok(PreImages { rows, left: left(&|k| far(k, nearest[k])), nearest, unfinished: Vec::new() });
        }
        let linear = self.kernel.expr().is_linear();
        let lengths = self.kernel.expr().gaussian().or(linear.then(|| vec![1.0])).ok_or_else(|| {
            let why = "is neither a Gaussian nor a linear kernel of all columns; ask for the nearest training rows, or fit with rbf";
            Error::Data(format!("pre-images: {} {why}", self.kernel))
        })?;
        let given = |name: &str| self.prep.schema.columns.iter().any(|c| c.name == name);
        if let Some(made) = self.support.names().into_iter().find(|name| !given(name)) {
            return Err(Error::Data(format!(
                "pre-images: '{made}' tells of a missing cell or a label, and a row found may lie between two; ask for the nearest training rows, or leave its column out"
            )));
        }
        let training = Numbers::of(&self.support, &lengths)?;
        let (found, unfinished) = match method {
            _ if linear => (product_within(&shares, &training.rows, control)?, Vec::new()),
            PreImageMethod::Distances => {
                let one = |k: usize| {
                    let order = order(k);
                    let some = &order[..NEIGHBOURS.min(order.len())];
                    // |phi(z) - phi(x)|^2 = 2 c (1 - exp(-s / 2)), s the squared distance in length scales.
                    let apart = |i: usize| -2.0 * (1.0 - (squares[k] + far(k, i)).max(0.0) / (2.0 * own[i])).ln();
                    let apart: Vec<(usize, f64)> = some.iter().map(|&i| (i, apart(i))).filter(|(_, s)| s.is_finite()).collect();
                    training.located(&apart, nearest[k], control)
                };
                let all = (0..shares.rows()).map(one).collect::<Result<Vec<_>>>()?;
                (Matrix::new(all.len(), training.rows.cols(), all.concat())?, Vec::new())
            }
            _ => training.fixed_points(reference, &shares, &nearest, control)?,
        };
        let rows = Dataset::new(training.columns(&found)?)?;
        let cross = reference.cross(&rows, control)?;
        let (at, own) = (gram::dense(cross.as_ref(), control)?, cross.diagonal(Side::Rows));
        let left = left(&|k| own[k] - 2.0 * gram::dot(at.row(k), shares.row(k)));
        let rows = Dataset::new(self.prep.in_units_of_table(rows.into_columns())?)?;
        Ok(PreImages { rows, nearest, left, unfinished })
    }
}

/// Training rows as a matrix of numbers, in prepared units.
struct Numbers<'a> {
    support: &'a Dataset,
    rows: Matrix,
    /// 1 / length scale of each.
    scales: Vec<f64>,
}

impl<'a> Numbers<'a> {
    fn of(support: &'a Dataset, lengths: &[f64]) -> Result<Self> {
        let mut parts: Vec<(usize, Vec<f64>)> = Vec::new();
        for column in support.columns() {
            match &column.values {
                Values::Numbers(v) => parts.push((1, v.clone())),
                Values::Points(p) => parts.push((p.dim(), p.to_dense().into_owned())),
                other => {
                    let holds = other.kind().holds();
                    return Err(Error::Data(format!(
                        "pre-images: column '{}' holds {holds}; ask for the nearest training rows",
                        column.name
                    )));
                }
            }
        }
        let dim: usize = parts.iter().map(|(d, _)| d).sum();
        let row = |i: usize| parts.iter().flat_map(move |(d, v)| v[i * d..(i + 1) * d].iter().copied());
        let rows = Matrix::new(support.rows(), dim, (0..support.rows()).flat_map(row).collect())?;
        let scales = (0..dim).map(|d| 1.0 / lengths[if lengths.len() == 1 { 0 } else { d }]).collect();
        Ok(Numbers { support, rows, scales })
    }

    /// Rows of numbers as columns like those of the training rows.
    fn columns(&self, rows: &Matrix) -> Result<Vec<Column>> {
        let mut first = 0;
        let columns = self.support.columns().iter().map(|column| {
            let dim = if let Values::Points(p) = &column.values { p.dim() } else { 1 };
            let numbers = (0..rows.rows()).flat_map(|i| rows.row(i)[first..first + dim].iter().copied()).collect();
            first += dim;
            let values = match &column.values {
                Values::Points(_) => Values::Points(Points::dense(rows.rows(), dim, numbers)?),
                _ => Values::Numbers(numbers),
            };
            Ok(Column { name: column.name.clone(), values })
        });
        columns.collect()
    }

    /// The squared distance between two rows in length scales.
    fn apart(&self, x: &[f64], z: &[f64]) -> f64 {
        x.iter().zip(z).zip(&self.scales).map(|((x, z), s)| ((x - z) * s).powi(2)).sum()
    }

    /// Where rows at such squared distances say that a row is: its difference from their mean, along which they differ, has the
    /// inner products (|c_i|^2 - s_i) / 2 with their differences c_i, up to what is common to all.
    fn located(&self, apart: &[(usize, f64)], nearest: usize, control: &Control) -> Result<Vec<f64>> {
        let (count, dim) = (apart.len(), self.rows.cols());
        if count < 2 {
            return Ok(self.rows.row(nearest).to_vec());
        }
        let mut mean = vec![0.0; dim];
        for (i, _) in apart {
            mean.iter_mut().zip(self.rows.row(*i)).for_each(|(m, x)| *m += x / count as f64);
        }
        let scaled = |i: usize, d: usize| (self.rows[(apart[i].0, d)] - mean[d]) * self.scales[d];
        let inner = |i: usize, j: usize| (0..dim).map(|d| scaled(i, d) * scaled(j, d)).sum::<f64>();
        let products = Matrix::from_fn(count, count, |i, j| inner(i.min(j), i.max(j)));
        let wanted: Vec<f64> = (0..count).map(|i| 0.5 * (products[(i, i)] - apart[i].1)).collect();
        let (values, vectors) = eigh(products, control)?;
        let floor = FLAT * values.iter().fold(0.0, |m: f64, v| m.max(*v));
        let mut out = mean.clone();
        for (e, value) in values.iter().enumerate().filter(|(_, v)| **v > floor) {
            let along = (0..count).map(|i| vectors[(i, e)] * wanted[i]).sum::<f64>() / value;
            for i in 0..count {
                let by = along * vectors[(i, e)];
                out.iter_mut().zip(self.rows.row(apart[i].0)).zip(&mean).for_each(|((o, x), m)| *o += by * (x - m));
            }
        }
        Ok(out)
    }

    /// Fixed points from training rows, and the rows whose fixed point was not reached.
    fn fixed_points(&self, reference: &Reference, shares: &Matrix, from: &[usize], control: &Control) -> Result<(Matrix, Vec<usize>)> {
        let mut at = self.rows.select_rows(from);
        let mut height = vec![f64::NEG_INFINITY; from.len()];
        let mut step = vec![1.0; from.len()];
        // Where each row is tried, and which are not there yet.
        let (mut tried, mut open): (Matrix, Vec<usize>) = (at.clone(), (0..from.len()).collect());
        let mut target = at.clone();
        for _ in 0..MOST_STEPS {
            if open.is_empty() {
                break;
            }
            control.check()?;
            let cross = reference.cross(&Dataset::new(self.columns(&tried.select_rows(&open))?)?, control)?;
            let mut weights = gram::dense(cross.as_ref(), control)?;
            let heights: Vec<f64> = (0..open.len())
                .map(|a| {
                    weights.row_mut(a).iter_mut().zip(shares.row(open[a])).for_each(|(k, g)| *k *= g);
                    weights.row(a).iter().sum()
                })
                .collect();
            let sums = product_within(&weights, &self.rows, control)?;
            let mut still = Vec::new();
            for (a, &k) in open.iter().enumerate() {
                if heights[a] > 0.0 && heights[a] >= height[k] {
                    height[k] = heights[a];
                    step[k] = 1.0;
                    at.row_mut(k).copy_from_slice(tried.row(k));
                    target.row_mut(k).iter_mut().zip(sums.row(a)).for_each(|(t, s)| *t = s / heights[a]);
                } else {
                    step[k] *= 0.5;
                }
                let there = self.apart(at.row(k), target.row(k)) <= TOLERANCE * TOLERANCE;
                if !there && step[k] >= 0.5f64.powi(HALVINGS) {
                    still.push(k);
                    let by = step[k];
                    let way = at.row(k).iter().zip(target.row(k)).map(|(z, t)| z + by * (t - z));
                    let next: Vec<f64> = way.collect();
                    tried.row_mut(k).copy_from_slice(&next);
                }
            }
            open = still;
        }
        let reached = |k: &usize| height[*k] > 0.0 && self.apart(at.row(*k), target.row(*k)) <= TOLERANCE * TOLERANCE;
        let unfinished = (0..from.len()).filter(|k| !reached(k)).collect();
        Ok((at, unfinished))
    }
}
