//! The linear system of kernel ridge regression with a constant that is not penalised:
//! `[C 1; 1' 0] [alpha; b] = [y; 0]` with C = K + lambda W^-1; without the constant, C alpha = y.
//!
//! Dual: C is formed and factorised, N^2 D + N^3. Primal, where K = Z Z' with few columns: C^-1 is
//! (W / lambda) (I - Z (Z'W Z + lambda I)^-1 Z'W) by Woodbury's identity, N D^2 + D^3 (F29, F37).

use super::residual::rounding;
use crate::control::Control;
use crate::error::Result;
use crate::estimators::{Costs, Size, Task};
use crate::gram;
use crate::linalg::{Cholesky, Matrix, SingleCholesky, gramian_of_columns_within, gramian_within, product, transposed_product_within};

/// Steps of iterative refinement at most.
const REFINEMENTS: usize = 8;
/// Steps of iterative refinement with a factor in f32 at most, each of which gives a few digits.
const SINGLE_REFINEMENTS: usize = 24;
/// From so many rows on a factor in f32 is worth its refinements.
const SINGLE_ROWS: usize = 1500;
/// The least lambda / w_i that leaves room for the rounding of a factor in f32, in units of N eps times the mean k(x, x).
const F32_SAFETY_FACTOR: f64 = 2.0;
/// The relative residual that a factor in f32 is always good for; a larger one must be the rounding of C alpha, or C is
/// factorised in f64.
const SINGLE_RESIDUAL: f64 = 1e-13;

/// Operations of refinement for each number of the matrix: some passes.
const REFINED: f64 = 100.0;

/// Operations of a factor of C, over the cube of the rows: half of them in single precision.
pub(crate) fn factor(rows: usize) -> f64 {
    if rows >= SINGLE_ROWS { 1.0 / 6.0 } else { 1.0 / 3.0 }
}

/// The costs of a fit that solves such a system: the matrix, or the features and what is made of them, and so many columns of N
/// numbers for each output; a factor of the matrix at `cubes` N^3, or of the matrix of its features.
pub(crate) fn costs(size: Size, columns: u64, cubes: f64) -> Costs {
    let (n, outputs, costs) = (size.rows as f64, size.outputs as f64, size.costs());
    let (numbers, fit) = match size.few() {
        None => (n * n, n * n * (n * cubes + REFINED)),
        Some(rank) => {
            let r = rank as f64;
            (1.5 * n * r + 3.0 * r * r, n * r * (2.0 * r + 20.0 + 12.0 * outputs) + r * r * r / 3.0)
        }
    };
    Costs { bytes: 8 * (numbers as u64 + columns * (size.rows * size.outputs) as u64), fit, ..costs }
}

/// What a system is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Solutions.
    Solutions,
    /// Solutions and the matrix P.
    Projection,
}

/// C, ready to be solved with and multiplied by.
enum System {
    /// Its Cholesky factor.
    Dual(Cholesky),
    /// C with its Cholesky factor in f32.
    Single(SingleCholesky),
    /// Z, w_i / lambda, and the Cholesky factor of Z'W Z / lambda + I.
    Primal { z: Matrix, scale: Vec<f64>, inner: Cholesky },
}

impl System {
    fn new(task: &Task<'_>, lambda: f64, purpose: Purpose) -> Result<Self> {
        let n = task.rows();
        if let Some(z) = task.few_features().filter(|_| lambda > 0.0) {
            let scale: Vec<f64> = (0..n).map(|i| task.weight(i) / lambda).collect();
            let mut inner = gramian_of_columns_within(&z, Some(&scale), task.control)?;
            inner.add_to_diagonal(&[1.0]);
            return Ok(System::Primal { inner: Cholesky::new(inner, task.control)?, z: z.into_owned(), scale });
        }
        let mut c = gram::dense(task.gram()?, task.control)?;
        let mean = c.diagonal().iter().sum::<f64>() / n.max(1) as f64;
        let ridge: Vec<f64> = (0..n).map(|i| lambda / task.weight(i)).collect();
        c.add_to_diagonal(&ridge);
        let least = F32_SAFETY_FACTOR * n as f64 * f64::from(f32::EPSILON) * mean;
        if purpose == Purpose::Solutions && n >= SINGLE_ROWS && ridge.iter().all(|r| *r >= least) {
            match SingleCholesky::new(c, task.control)? {
                Ok(single) => return Ok(System::Single(single)),
                Err(matrix) => c = matrix,
            }
        }
        Ok(System::Dual(Cholesky::new(c, task.control)?))
    }

    /// C^-1 b for b (N x columns).
    fn solve(&self, b: &Matrix, control: &Control) -> Result<Matrix> {
        match self {
            System::Dual(cholesky) => cholesky.solve(b, control),
            System::Single(single) => single.solve(b, control),
            System::Primal { z, scale, inner } => {
                let weighted = Matrix::from_fn(b.rows(), b.cols(), |i, o| scale[i] * b[(i, o)]);
                let fitted = product(z, &inner.solve(&transposed_product_within(z, &weighted, control)?, control)?)?;
                Ok(Matrix::from_fn(b.rows(), b.cols(), |i, o| scale[i] * (b[(i, o)] - fitted[(i, o)])))
            }
        }
    }

    /// C a for a (N x columns).
    fn multiply(&self, a: &Matrix) -> Result<Matrix> {
        match self {
            System::Dual(cholesky) => cholesky.multiply(a),
            System::Single(single) => single.multiply(a),
            System::Primal { z, scale, .. } => {
                let mut out = product(z, &transposed_product_within(z, a, &Control::unwatched())?)?;
                for i in 0..a.rows() {
                    out.row_mut(i).iter_mut().zip(a.row(i)).for_each(|(o, a)| *o += a / scale[i]);
                }
                Ok(out)
            }
        }
    }

    /// Factorises the system in f64 where its factor is in f32.
    fn in_double(self, control: &Control) -> Result<Self> {
        match self {
            System::Single(single) => Ok(System::Dual(Cholesky::new(single.into_matrix(), control)?)),
            other => Ok(other),
        }
    }

    fn into_inverse(self, control: &Control) -> Result<Matrix> {
        match self {
            System::Dual(cholesky) => cholesky.into_inverse(control),
            single @ System::Single(_) => single.in_double(control)?.into_inverse(control),
            System::Primal { z, scale, inner } => {
                let half = inner.solve_lower(&Matrix::from_fn(z.cols(), z.rows(), |j, i| z[(i, j)] * scale[i]), control)?;
                let mut out = gramian_within(&half.transpose(), control)?;
                out.data_mut().iter_mut().for_each(|v| *v = -*v);
                out.add_to_diagonal(&scale);
                Ok(out)
            }
        }
    }

    /// The diagonal of C.
    fn diagonal(&self) -> Vec<f64> {
        match self {
            System::Dual(cholesky) => cholesky.diagonal().to_vec(),
            System::Single(single) => single.diagonal().to_vec(),
            System::Primal { z, scale, .. } => (0..z.rows()).map(|i| gram::dot(z.row(i), z.row(i)) + 1.0 / scale[i]).collect(),
        }
    }

    fn jitter_used(&self) -> Option<f64> {
        match self {
            System::Dual(cholesky) => cholesky.jitter_used(),
            System::Single(_) | System::Primal { .. } => None,
        }
    }
}

/// The system, factorised.
pub(crate) struct Bordered {
    system: System,
    /// z = C^-1 1 and 1'z, where there is a constant.
    ones: Option<(Vec<f64>, f64)>,
}

/// alpha (N x outputs), b (one number per output), and the relative residual that they leave.
pub(crate) struct Solution {
    pub(crate) alpha: Matrix,
    pub(crate) bias: Vec<f64>,
    /// C alpha.
    pub(crate) product: Matrix,
    /// ||C alpha + b 1 - y|| / ||y - mean||, over all outputs.
    pub(crate) residual: f64,
    /// What rounding leaves of that residual.
    pub(crate) rounding: f64,
}

impl Bordered {
    /// Factorises C; in the dual the Gram matrix is computed once and its memory holds the factor.
    pub(crate) fn new(task: &Task<'_>, lambda: f64, intercept: bool, purpose: Purpose) -> Result<Self> {
        Bordered::of(System::new(task, lambda, purpose)?, task.rows(), intercept, task.control)
    }

    fn of(system: System, rows: usize, intercept: bool, control: &Control) -> Result<Self> {
        let ones = if intercept {
            let z = system.solve(&Matrix::column(vec![1.0; rows]), control)?.into_data();
            let sum = z.iter().sum();
            Some((z, sum))
        } else {
            None
        };
        Ok(Bordered { system, ones })
    }

    /// What was added to the diagonal, if anything.
    pub(crate) fn jitter_used(&self) -> Option<f64> {
        self.system.jitter_used()
    }

    /// Whether C is positive definite in working precision: no pivot is at rounding, and none was helped.
    pub(crate) fn is_definite(&self) -> bool {
        let System::Dual(cholesky) = &self.system else { return true };
        let pivots = cholesky.pivots();
        let (least, most) = pivots.iter().map(|p| p * p).fold((f64::INFINITY, 0.0f64), |(l, m), p| (l.min(p), m.max(p)));
        cholesky.jitter() == 0.0 && least > pivots.len() as f64 * f64::EPSILON * most
    }

    /// Solves for targets y (N x outputs), refined until the residual is at rounding or stops shrinking.
    /// The system comes back, with a factor in f64 if one in f32 did not do.
    pub(crate) fn solve(self, y: &Matrix, control: &Control) -> Result<(Solution, Self)> {
        let solution = self.refined(y, control)?;
        let done = match &self.system {
            System::Single(_) => solution.residual <= solution.rounding.max(SINGLE_RESIDUAL),
            _ => true,
        };
        if done {
            return Ok((solution, self));
        }
        let again = Bordered::of(self.system.in_double(control)?, y.rows(), self.ones.is_some(), control)?;
        Ok((again.refined(y, control)?, again))
    }

    fn refined(&self, y: &Matrix, control: &Control) -> Result<Solution> {
        let refinements = if matches!(self.system, System::Single(_)) { SINGLE_REFINEMENTS } else { REFINEMENTS };
        let (n, outputs) = (y.rows(), y.cols());
        // The mean is taken out first, so that a large constant in y costs no digits.
        let mean: Vec<f64> = match self.ones {
            Some(_) => (0..outputs).map(|o| y.col(o).iter().sum::<f64>() / n as f64).collect(),
            None => vec![0.0; outputs],
        };
        let centred = Matrix::from_fn(n, outputs, |i, o| y[(i, o)] - mean[o]);
        let size = centred.norm();
        let mut best = Solution {
            alpha: Matrix::zeros(n, outputs),
            bias: vec![0.0; outputs],
            product: Matrix::zeros(n, outputs),
            residual: 1.0,
            rounding: 0.0,
        };
        // A target that is constant up to rounding is the constant.
        if size > 4.0 * f64::EPSILON * y.norm() {
            let mut rest = centred.clone();
            for _ in 0..=refinements {
                let (alpha, bias) = self.correct(&best.alpha, &best.bias, &rest, control)?;
                let product = self.system.multiply(&alpha)?;
                rest = Matrix::from_fn(n, outputs, |i, o| centred[(i, o)] - product[(i, o)] - bias[o]);
                let residual = rest.norm() / size;
                if residual.is_nan() || residual >= best.residual {
                    break;
                }
                let small = residual > 0.5 * best.residual || residual <= f64::EPSILON;
                best = Solution { alpha, bias, product, residual, rounding: 0.0 };
                if small {
                    break;
                }
            }
            best.rounding = rounding(&self.system.diagonal(), best.alpha.norm(), size);
        } else {
            best.residual = 0.0;
        }
        for (b, m) in best.bias.iter_mut().zip(mean) {
            *b += m;
        }
        Ok(best)
    }

    /// One step: the solution for `rest` added to what is there, keeping sum alpha = 0 where there is a constant.
    fn correct(&self, alpha: &Matrix, bias: &[f64], rest: &Matrix, control: &Control) -> Result<(Matrix, Vec<f64>)> {
        let mut step = self.system.solve(rest, control)?;
        let mut bias = bias.to_vec();
        for (o, b) in bias.iter_mut().enumerate() {
            let change =
                self.ones.as_ref().map_or(0.0, |(_, sum)| (0..step.rows()).map(|i| step[(i, o)] + alpha[(i, o)]).sum::<f64>() / sum);
            *b += change;
            for i in 0..step.rows() {
                step[(i, o)] += alpha[(i, o)] - self.ones.as_ref().map_or(0.0, |(z, _)| z[i] * change);
            }
        }
        Ok((step, bias))
    }

    /// P_ii for some rows, to the precision of the factor.
    pub(crate) fn projection_diagonal(&self, rows: &[usize], control: &Control) -> Result<Vec<f64>> {
        let inverse: Vec<f64> = match &self.system {
            System::Dual(cholesky) => {
                let all = cholesky.inverse_diagonal(control)?;
                rows.iter().map(|&i| all[i]).collect()
            }
            System::Single(single) => single.inverse_diagonal(rows, control)?,
            System::Primal { z, scale, inner } => {
                let half = inner.solve_lower(&Matrix::from_fn(z.cols(), rows.len(), |j, k| z[(rows[k], j)] * scale[rows[k]]), control)?;
                (0..rows.len()).map(|k| scale[rows[k]] - (0..half.rows()).map(|j| half[(j, k)].powi(2)).sum::<f64>()).collect()
            }
        };
        let own = |k: usize| self.ones.as_ref().map_or(0.0, |(z, sum)| z[rows[k]].powi(2) / sum);
        Ok(inverse.into_iter().enumerate().map(|(k, p)| p - own(k)).collect())
    }

    /// P = C^-1 - z z' / 1'z, or C^-1 without a constant: alpha = P y. In the memory of C.
    pub(crate) fn into_projection(self, control: &Control) -> Result<Matrix> {
        let mut p = self.system.into_inverse(control)?;
        if let Some((z, sum)) = self.ones {
            for (i, row) in p.data_mut().chunks_exact_mut(z.len()).enumerate() {
                for (v, w) in row.iter_mut().zip(&z) {
                    *v -= z[i] * w / sum;
                }
            }
        }
        Ok(p)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Solves a system on a line by a factor in f32, spoiled or not; whether it was kept.
    fn solved(ridge: f64, spoiled: bool) -> (Solution, bool) {
        let n = 300;
        let c = Matrix::from_fn(n, n, |i, j| (-((i as f64 - j as f64) / 20.0).powi(2)).exp() + if i == j { ridge } else { 0.0 });
        let control = Control::default();
        let mut single = SingleCholesky::new(c, &control).unwrap().ok().unwrap();
        if spoiled {
            single.spoil();
        }
        let y = Matrix::column((0..n).map(|i| (i as f64 / 7.0).sin()).collect());
        let (solution, system) = Bordered::of(System::Single(single), n, true, &control).unwrap().solve(&y, &control).unwrap();
        (solution, matches!(system.system, System::Single(_)))
    }

    #[test]
    fn a_factor_in_f32_is_refined_to_the_residual_of_f64() {
        for ridge in [1e-1, 1e-3, 1e-5] {
            let (solution, single) = solved(ridge, false);
            assert!(single && solution.residual <= 1e-13, "{ridge}: {}", solution.residual);
        }
    }

    #[test]
    fn where_refinement_of_f32_stalls_the_factor_is_made_in_f64() {
        let (solution, single) = solved(1e-3, true);
        assert!(!single && solution.residual <= 1e-13, "{}", solution.residual);
    }
}
