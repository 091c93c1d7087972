//! mahalanobis: k(x, z) = exp(-(x - z)' S^-1 (x - z) / 2) with a full covariance S (K01; S3 14.1): rbf along any axes.
//!
//! With S = L L' the distance is that of L^-1 x and L^-1 z. L is what the kernel learns.

use super::rbf::{Gaussian, Unlike};
use super::stationary;
use crate::control::Control;
use crate::data::{Points, RowWeights};
use crate::error::{Error, Result};
use crate::gram::{Kernel, Mercer, PointFormula, PreparedBatch, PreparedPoints, Tile, map_row};
use crate::linalg::{Cholesky, Lower, Matrix, Real, add_product};
use crate::param::Value;
use mercer_derive::{Formula, Parameters};
use serde::{Deserialize, Serialize};

/// The Gaussian kernel with a full covariance matrix.
///
/// ```text
/// exp(-(x - z)' covariance^-1 (x - z) / 2): rbf along any axes
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Formula, Parameters)]
#[serde(deny_unknown_fields)]
pub struct Mahalanobis {
    /// columns x columns numbers, row after row; auto: columns / 2 times the covariance of the training inputs, shrunk where there are few
    #[param(domain = Real, learnt)]
    covariance: Value,
}

/// columns / 2 times the covariance of the batch, which is the width of rbf where columns are uncorrelated and of one
/// variance. Few rows say little of a covariance: the share columns / (rows + columns) of it is the mean variance times I.
///
/// # Errors
/// Bounds of `control`, which is asked for time between rows.
fn start(inputs: &Points, weights: RowWeights<'_>, control: &Control) -> Result<Vec<f64>> {
    let (n, d) = (weights.total(inputs.rows()).max(1.0), inputs.dim());
    let values = inputs.to_dense();
    let mean: Vec<f64> =
        (0..d).map(|j| values.iter().skip(j).step_by(d).enumerate().map(|(i, x)| weights.at(i) * x).sum::<f64>() / n).collect();
    let mut s = vec![0.0; d * d];
    for (k, row) in values.chunks_exact(d.max(1)).enumerate() {
        control.check_time("the covariance of the inputs")?;
        let share = 0.5 * d as f64 * weights.at(k) / n;
        for i in 0..d {
            for j in 0..d {
                s[i * d + j] += share * (row[i] - mean[i]) * (row[j] - mean[j]);
            }
        }
    }
    let size = (0..d).map(|i| s[i * d + i]).sum::<f64>() / d.max(1) as f64;
    let size = if size > 0.0 && size.is_finite() { size } else { 1.0 };
    let share = d as f64 / (n + d as f64);
    s.iter_mut().for_each(|v| *v *= 1.0 - share);
    (0..d).for_each(|i| s[i * d + i] += share * size);
    Ok(s)
}

impl Mahalanobis {
    /// An error that names two entries either side of the diagonal that differ by more than rounding.
    fn symmetric(&self, dim: usize) -> Result<()> {
        // Entries on either side of the diagonal may differ by this share of the largest entry; their mean counts.
        const ASYMMETRY: f64 = 1e-3;
        let s = self.covariance.numbers();
        let largest = s.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        for i in 0..dim {
            for j in 0..i {
                let (below, above) = (s[i * dim + j], s[j * dim + i]);
                if (below - above).abs() > ASYMMETRY * largest {
                    return Err(Error::Data(format!(
                        "{}: the covariance has {below} at ({}, {}) and {above} at ({}, {}); make it symmetric",
                        Self::NAME,
                        i + 1,
                        j + 1,
                        j + 1,
                        i + 1
                    )));
                }
            }
        }
        Ok(())
    }
}

/// L of columns x columns numbers, row after row.
fn factor(s: &[f64], dim: usize, control: &Control) -> Result<Lower> {
    let matrix = Matrix::from_fn(dim, dim, |i, j| 0.5 * (s[i * dim + j] + s[j * dim + i]));
    match Cholesky::new(matrix, control) {
        Ok(factor) if factor.jitter() == 0.0 => Ok(factor.into_lower()),
        Err(e) if e.ends_all() => Err(e),
        _ => Err(Error::Data(format!("{}: the covariance is not positive definite; add to its diagonal", Mahalanobis::NAME))),
    }
}

/// L^-1 x of every input, and L.
pub struct Whitened {
    cloud: PreparedPoints,
    factor: Lower,
}

impl PreparedBatch for Whitened {}

impl Kernel for Mahalanobis {
    const NAME: &'static str = "mahalanobis";
    const DOC: &'static str = Self::FORMULA;
    const SOURCE: &'static str = "Murphy, Machine Learning: a Probabilistic Perspective (2012), (14.1)";
    const BECAUSE: &'static str = "rbf of L^-1 x, where covariance = L L'";
    const DIFFERENTIABLE: &'static [&'static str] = &["covariance"];
    type Inputs = Points;
    type Learnt = Lower;
    type Prepared = Whitened;

    fn dim_for(listed: usize) -> usize {
        listed.isqrt()
    }
    fn check(&self, inputs: &Points) -> Result<()> {
        let (s, d) = (self.covariance.numbers(), inputs.dim());
        if self.learns() {
            return Ok(());
        }
        if s.len() != d * d {
            return Err(Error::Data(format!(
                "{}: the covariance has {} numbers and there are {d} columns; give {} numbers, row after row",
                Self::NAME,
                s.len(),
                d * d
            )));
        }
        self.symmetric(d)
    }
    fn learns(&self) -> bool {
        self.covariance == Value::Auto
    }
    fn learn(&self, inputs: &Points, weights: RowWeights<'_>, control: &Control) -> Result<Lower> {
        // Bytes for each entry of the covariance: as it is averaged, as it is factored, and its factor.
        const PER_ENTRY: u64 = 24;
        match &self.covariance {
            Value::Auto => {
                control.plan("a covariance of all columns", PER_ENTRY.saturating_mul((inputs.dim() as u64).pow(2)))?;
                factor(&start(inputs, weights, control)?, inputs.dim(), control)
            }
            given => factor(given.numbers(), inputs.dim(), control),
        }
    }
    fn prepare(&self, factor: &Lower, inputs: &Points, like: Option<&Whitened>, control: &Control) -> Result<Whitened> {
        let (rows, dim) = (inputs.rows(), inputs.dim());
        let mut whitened = Matrix::new(rows, dim, inputs.to_dense().into_owned())?;
        factor.solve_rows(&mut whitened, control)?;
        let cloud = PreparedPoints::of_dense(rows, dim, whitened.into_data(), &[1.0], like.map(|l| &l.cloud));
        Ok(Whitened { cloud, factor: factor.clone() })
    }
    fn fill<T: Real>(&self, tile: Tile<'_, Whitened, T>) {
        tile.of(|whitened| &whitened.cloud).from_sqdist(Gaussian);
    }
    fn point_formula<'p>(&self, rows: &'p Whitened, cols: &'p Whitened) -> Option<PointFormula<'p>> {
        PointFormula::of_sqdist(Gaussian, &rows.cloud, &cols.cloud)
    }
    fn diagonal(&self, x: &Whitened) -> Vec<f64> {
        vec![1.0; x.cloud.rows()]
    }
    fn points<'p>(&self, x: &'p Whitened) -> Option<&'p PreparedPoints> {
        Some(&x.cloud)
    }
    fn squared_distances(&self, sqdists: &mut [f64]) {
        map_row(sqdists, Unlike);
    }
    fn log_diagonal(&self, x: &Whitened) -> Option<Vec<f64>> {
        Some(vec![0.0; x.cloud.rows()])
    }
    fn fill_log_decay(&self, tile: Tile<'_, Whitened, f64>) {
        stationary::fill_log_decay(tile.of(|whitened| &whitened.cloud), Gaussian);
    }
    fn mercer(&self) -> Mercer {
        let given = self.covariance.numbers();
        let dim = given.len().isqrt();
        let refused = match self.covariance {
            Value::Auto => return Mercer::Always,
            Value::Range(..) => Some("it is not searched over; give its numbers".to_owned()),
            _ if dim * dim != given.len() => Some(format!("{} numbers make no square matrix", given.len())),
            _ => self.symmetric(dim).and_then(|()| factor(given, dim, &Control::unwatched())).err().map(|e| e.to_string()),
        };
        refused.map_or(Mercer::Always, |why| Mercer::Conditional(format!("the covariance must be positive definite: {why}")))
    }
    /// dk/dS = k S^-1 d d' S^-1 / 2 with d = x - z, and S^-1 d = L'^-1 (u - v) for u = L^-1 x, v = L^-1 z. With
    /// V = weight k / 2: sum V (u - v)(u - v)' = U' diag(V 1) U + Z' diag(V' 1) Z - U' V Z - (U' V Z)'.
    fn gradient(&self, tile: Tile<'_, Whitened, f64>, weights: &[f64], out: &mut [f64]) {
        let factor = &tile.b.factor;
        let mut tile = tile.of(|whitened| &whitened.cloud);
        let (m, n, dim) = (tile.rows.len(), tile.cols.len(), tile.b.dim());
        tile.sqdists();
        tile.map(Gaussian);
        let v: Vec<f64> =
            (0..m).flat_map(|k| tile.out.row_mut(k).iter().zip(&weights[k * n..]).map(|(k, w)| 0.5 * k * w).collect::<Vec<_>>()).collect();
        let (Some(left), Some(right)) = (tile.a.dense(), tile.b.dense()) else { return };
        let z = &right[tile.cols.start * dim..tile.cols.end * dim];
        let mut vz = vec![0.0; m * dim];
        add_product(&v, z, &mut vz, m, n, dim);
        let mut sum = Matrix::zeros(dim, dim);
        let mut add = |factor: f64, x: &[f64], z: &[f64]| {
            for (i, x) in x.iter().enumerate() {
                sum.row_mut(i).iter_mut().zip(z).for_each(|(s, z)| *s += factor * x * z);
            }
        };
        for k in 0..m {
            let (x, vz) = (&left[tile.rows.at(k) * dim..][..dim], &vz[k * dim..(k + 1) * dim]);
            add(v[k * n..(k + 1) * n].iter().sum(), x, x);
            add(-1.0, x, vz);
            add(-1.0, vz, x);
        }
        for (l, z) in z.chunks_exact(dim.max(1)).enumerate() {
            add((0..m).map(|k| v[k * n + l]).sum(), z, z);
        }
        // L'^-1 M L^-1: both sides of M solved as rows.
        if factor.solve_transposed_rows(&mut sum, &Control::unwatched()).is_ok() {
            let mut other = sum.transpose();
            if factor.solve_transposed_rows(&mut other, &Control::unwatched()).is_ok() {
                out.iter_mut().zip(other.data()).for_each(|(o, g)| *o += g);
            }
        }
    }
    /// That of whitened points, L'^-1 g.
    fn input_gradient(&self, tile: Tile<'_, Whitened, f64>, weights: &[f64], out: &mut [f64]) -> Result<()> {
        let (factor, m) = (&tile.b.factor, tile.rows.len());
        let mut of_whitened = Matrix::zeros(m, out.len() / m.max(1));
        stationary::input_gradient(tile.of(|whitened| &whitened.cloud), Gaussian, &[1.0], weights, of_whitened.data_mut());
        factor.solve_transposed_rows(&mut of_whitened, &Control::unwatched())?;
        out.iter_mut().zip(of_whitened.data()).for_each(|(o, g)| *o += g);
        Ok(())
    }
}
