//! Ridge regression on few features, K = Z Z': the weights of the features are found, and no kernel value is computed.
//!
//! With m the weighted mean of the rows of Z and of y, where there is a constant, the weights solve
//! ```text
//! (Z_m' W Z_m + lambda I) beta = Z_m' W y_m,      Z_m = Z - 1 m',      b = m_y - m'beta:
//! ```
//! N rank^2 operations and the memory of Z. With g = Z'W (y - f) - lambda beta, alpha = W (y - f) / lambda is a point of the dual
//! problem whose value is |g|^2 / (2 lambda) below that of the primal one: the duality gap (F29, F37).
//!
//! Steps of refinement use a factor of that matrix. Where features are not formed (`gram::LazyWhitening`) it is computed from C, and
//! where they are sparse there is none: then each step is one of conjugate gradients.

use crate::control::Control;
use crate::error::Result;
use crate::estimators::Task;
use crate::gram::{Features, Multiplied};
use crate::linalg::{Cholesky, Lower, Matrix, SparseMatrix, gramian_of_columns_within, transposed_product_within};
use crate::solve::gradients::conjugate_gradients;
use std::borrow::Cow;

/// Steps of iterative refinement at most.
const REFINEMENTS: usize = 8;
/// The duality gap, as a share of the objective, at which a solution is as good as it needs to be.
const ENOUGH: f64 = 1e-24;
/// Steps of conjugate gradients at most in one of refinement: with a factor near by, and with the diagonal.
const NEAR_STEPS: usize = 8;
const STEPS: usize = 1000;
/// By how much one step of refinement by conjugate gradients shrinks what is open.
const SHRINK: f64 = 1e-12;

/// What solves the system, or nearly so.
pub(crate) trait Solver: Sync {
    /// A step towards (Z_m' W Z_m + lambda I) step = open, down to where |open| is `enough`.
    fn step(&self, open: &Matrix, multiply: &dyn Fn(&Matrix) -> Result<Matrix>, enough: f64, control: &Control) -> Result<Matrix>;
}

/// Its factor.
impl Solver for Cholesky {
    fn step(&self, open: &Matrix, _: &dyn Fn(&Matrix) -> Result<Matrix>, _: f64, control: &Control) -> Result<Matrix> {
        self.solve(open, control)
    }
}

/// A factor of a matrix near it.
pub(crate) struct Near(Cholesky);

impl Solver for Near {
    fn step(&self, open: &Matrix, multiply: &dyn Fn(&Matrix) -> Result<Matrix>, enough: f64, control: &Control) -> Result<Matrix> {
        conjugate_gradients(open, multiply, |r| self.0.solve(r, control), (enough, NEAR_STEPS), control)
    }
}

/// Its diagonal.
pub(crate) struct Diagonal(Vec<f64>);

impl Solver for Diagonal {
    fn step(&self, open: &Matrix, multiply: &dyn Fn(&Matrix) -> Result<Matrix>, enough: f64, control: &Control) -> Result<Matrix> {
        let near = |r: &Matrix| Ok(Matrix::from_fn(r.rows(), r.cols(), |j, o| r[(j, o)] / self.0[j]));
        conjugate_gradients(open, multiply, near, (enough, STEPS), control)
    }
}

/// The system over some features, ready to be solved.
pub(crate) struct Primal<'a, S> {
    pub(crate) z: Multiplied<'a>,
    lambda: f64,
    weights: Option<&'a [f64]>,
    /// The weighted mean of the features, where there is a constant.
    mean: Option<Vec<f64>>,
    pub(crate) solver: S,
}

/// What it gives for targets y (N x outputs).
pub(crate) struct PrimalSolution {
    /// beta, rank x outputs.
    pub(crate) beta: Matrix,
    /// One number per output.
    pub(crate) bias: Vec<f64>,
    /// f without the constant, N x outputs.
    pub(crate) f: Matrix,
    /// sum_i w_i (y_i - f_i - b)^2 / 2 + (lambda/2) |beta|^2, over all outputs.
    pub(crate) objective: f64,
    /// The duality gap as a share of it.
    pub(crate) gap: f64,
    /// Steps of refinement.
    pub(crate) steps: usize,
}

/// The sum of the weights.
fn total(task: &Task<'_>) -> f64 {
    (0..task.rows()).map(|i| task.weight(i)).sum()
}

/// The weighted mean of the features, where there is to be a constant.
fn mean_of(z: &Multiplied<'_>, task: &Task<'_>, intercept: bool) -> Result<Option<Vec<f64>>> {
    if !intercept {
        return Ok(None);
    }
    let total = total(task);
    let share = Matrix::column((0..task.rows()).map(|i| task.weight(i) / total).collect());
    z.transposed_product(&share, task.control).map(|m| Some(m.into_data()))
}

/// A - by m m'.
fn less_square(a: &mut Matrix, by: f64, m: &[f64]) {
    for (row, own) in a.data_mut().chunks_exact_mut(m.len().max(1)).zip(m) {
        row.iter_mut().zip(m).for_each(|(v, m)| *v -= by * own * m);
    }
}

impl<'a> Primal<'a, Cholesky> {
    /// By a factor, over features that are written out.
    pub(crate) fn new(z: Cow<'a, Matrix>, task: &Task<'a>, lambda: f64, intercept: bool) -> Result<Self> {
        let mut system = gramian_of_columns_within(&z, task.weights, task.control)?;
        let z = Multiplied::Whole(Features::Dense(z));
        let mean = mean_of(&z, task, intercept)?;
        if let Some(mean) = &mean {
            less_square(&mut system, total(task), mean);
        }
        system.add_to_diagonal(&[lambda]);
        Ok(Primal { z, lambda, weights: task.weights, mean, solver: Cholesky::new(system, task.control)? })
    }
}

impl<'a> Primal<'a, Near> {
    /// By a factor of L^-1 C_m'W C_m L'^-1 + lambda I, computed from C, which takes digits where K_cc is ill-conditioned; and Z'W y_m.
    pub(crate) fn of_lazy_features(
        values: &'a Matrix,
        factor: &'a Lower,
        task: &Task<'a>,
        y: &Matrix,
        lambda: f64,
        intercept: bool,
    ) -> Result<(Self, Matrix)> {
        let (n, outputs, total) = (values.rows(), y.cols(), total(task));
        let centre = means(y, task.weights, intercept);
        let mut system = gramian_of_columns_within(values, task.weights, task.control)?;
        // Of W y_m and, last, of the weights as shares.
        let by = Matrix::from_fn(n, outputs + 1, |i, o| task.weight(i) * if o < outputs { y[(i, o)] - centre[o] } else { 1.0 / total });
        let sums = transposed_product_within(values, &by, task.control)?;
        if intercept {
            let mean: Vec<f64> = (0..sums.rows()).map(|j| sums[(j, outputs)]).collect();
            less_square(&mut system, total, &mean);
        }
        for _ in 0..2 {
            // Rows b become L^-1 b: what was symmetric is A L'^-1, and its transpose L^-1 A.
            factor.solve_rows(&mut system, task.control)?;
            system = system.transpose();
        }
        system.add_to_diagonal(&[lambda]);
        let mut sums = sums.transpose();
        factor.solve_rows(&mut sums, task.control)?;
        let mean = intercept.then(|| sums.row(outputs).to_vec());
        let first = Matrix::from_fn(sums.cols(), outputs, |j, o| sums[(o, j)]);
        let solver = Near(Cholesky::new(system, task.control)?);
        Ok((Primal { z: Multiplied::Lazy(values, factor), lambda, weights: task.weights, mean, solver }, first))
    }
}

/// Weighted means of columns, as of targets, where there is a constant; 0 where there is none.
pub(crate) fn means(y: &Matrix, weights: Option<&[f64]>, intercept: bool) -> Vec<f64> {
    let weight = |i: usize| weights.map_or(1.0, |w| w[i]);
    let total: f64 = (0..y.rows()).map(weight).sum();
    let mean = |o: usize| (0..y.rows()).map(|i| weight(i) * y[(i, o)]).sum::<f64>() / total;
    (0..y.cols()).map(|o| if intercept { mean(o) } else { 0.0 }).collect()
}

impl<'a> Primal<'a, Diagonal> {
    /// By conjugate gradients, over sparse features.
    pub(crate) fn sparse(z: SparseMatrix<'a>, task: &Task<'a>, lambda: f64, intercept: bool) -> Result<Self> {
        let mut diagonal = vec![lambda; z.cols()];
        for i in 0..z.rows() {
            let (columns, values) = z.row(i);
            columns.iter().zip(values).for_each(|(j, v)| diagonal[*j as usize] += task.weight(i) * v * v);
        }
        let z = Multiplied::Whole(Features::Sparse(z));
        let mean = mean_of(&z, task, intercept)?;
        if let Some(mean) = &mean {
            let total = total(task);
            diagonal.iter_mut().zip(mean).for_each(|(d, m)| *d = (*d - total * m * m).max(lambda));
        }
        Ok(Primal { z, lambda, weights: task.weights, mean, solver: Diagonal(diagonal) })
    }
}

impl<S: Solver> Primal<'_, S> {
    fn weight(&self, i: usize) -> f64 {
        self.weights.map_or(1.0, |w| w[i])
    }

    /// m'beta.
    fn shift(&self, beta: &Matrix) -> Vec<f64> {
        let of = |o: usize| self.mean.as_ref().map_or(0.0, |mean| mean.iter().enumerate().map(|(j, m)| m * beta[(j, o)]).sum());
        (0..beta.cols()).map(of).collect()
    }

    /// f = Z beta, and Z_m' W r for r = y - (f - m'beta), y (`None`: 0) and so r of mean 0.
    fn there_and_back(&self, beta: &Matrix, y: Option<&Matrix>, control: &Control) -> Result<(Matrix, Matrix)> {
        let shift = self.shift(beta);
        let rest = |i: usize, o: usize, f: f64| self.weight(i) * (y.map_or(0.0, |y| y[(i, o)]) - (f - shift[o]));
        let (f, mut back) = self.z.there_and_back(beta, &rest, control)?;
        if let Some(mean) = &self.mean {
            // What rounding leaves of the mean.
            let mut sums = vec![0.0; f.cols()];
            (0..f.rows()).for_each(|i| sums.iter_mut().enumerate().for_each(|(o, s)| *s += rest(i, o, f[(i, o)])));
            for (j, m) in mean.iter().enumerate() {
                back.row_mut(j).iter_mut().zip(&sums).for_each(|(b, s)| *b -= m * s);
            }
        }
        Ok((f, back))
    }

    /// (Z_m' W Z_m + lambda I) p.
    fn multiply(&self, p: &Matrix, control: &Control) -> Result<Matrix> {
        let (_, mut back) = self.there_and_back(p, None, control)?;
        back.data_mut().iter_mut().zip(p.data()).for_each(|(b, p)| *b = self.lambda * p - *b);
        Ok(back)
    }

    /// Solves for targets, refined until the gap is next to nothing or g stops shrinking.
    pub(crate) fn solve(&self, y: &Matrix, control: &Control) -> Result<PrimalSolution> {
        let centre = means(y, self.weights, self.mean.is_some());
        let weighed = Matrix::from_fn(y.rows(), y.cols(), |i, o| self.weight(i) * (y[(i, o)] - centre[o]));
        self.solve_from(self.z.transposed_product(&weighed, control)?, y, control)
    }

    /// Solves from the gradient at beta = 0, g = Z_m' W (y - f) - lambda beta, which is Z'W y_m: centring one factor suffices.
    pub(crate) fn solve_from(&self, mut open: Matrix, y: &Matrix, control: &Control) -> Result<PrimalSolution> {
        let (n, outputs) = (y.rows(), y.cols());
        let centre = means(y, self.weights, self.mean.is_some());
        let centred = Matrix::from_fn(n, outputs, |i, o| y[(i, o)] - centre[o]);
        let size = centred.norm();
        let nothing = PrimalSolution {
            beta: Matrix::zeros(self.z.cols(), outputs),
            bias: centre.clone(),
            f: Matrix::zeros(n, outputs),
            objective: 0.0,
            gap: 0.0,
            steps: 0,
        };
        // A target that is constant up to rounding is the constant.
        if size <= 4.0 * f64::EPSILON * y.norm() {
            return Ok(nothing);
        }
        let objective = |f: &Matrix, beta: &Matrix| {
            let shift = self.shift(beta);
            let square = |i: usize| (0..outputs).map(|o| (centred[(i, o)] - (f[(i, o)] - shift[o])).powi(2)).sum::<f64>();
            (0..n).map(|i| 0.5 * self.weight(i) * square(i)).sum::<f64>() + 0.5 * self.lambda * beta.norm().powi(2)
        };
        let mut last = open.norm();
        let mut found = PrimalSolution { objective: objective(&nothing.f, &nothing.beta), ..nothing };
        let least = f64::EPSILON * last;
        for _ in 0..=REFINEMENTS {
            // |g|^2 of a gap that is next to nothing.
            let enough = (2.0 * self.lambda * ENOUGH * found.objective).sqrt().max(least);
            let aim = (0.1 * enough).max(SHRINK * last);
            let mut next = self.solver.step(&open, &|p| self.multiply(p, control), aim, control)?;
            next.data_mut().iter_mut().zip(found.beta.data()).for_each(|(b, earlier)| *b += earlier);
            let (values, mut left) = self.there_and_back(&next, Some(&centred), control)?;
            left.data_mut().iter_mut().zip(next.data()).for_each(|(g, b)| *g -= self.lambda * b);
            let length = left.norm();
            if length.is_nan() || length >= last {
                break;
            }
            let done = length > 0.5 * last || length <= enough || control.out_of_time();
            found = PrimalSolution { objective: objective(&values, &next), beta: next, f: values, steps: found.steps + 1, ..found };
            (open, last) = (left, length);
            if done {
                break;
            }
        }
        let bias = centre.iter().zip(self.shift(&found.beta)).map(|(c, s)| c - s).collect();
        let gap = last * last / (2.0 * self.lambda);
        Ok(PrimalSolution { bias, gap: if gap > 0.0 { gap / found.objective } else { 0.0 }, ..found })
    }

    /// alpha = W (y - f) / lambda, N x outputs.
    pub(crate) fn dual(&self, y: &Matrix, found: &PrimalSolution) -> Matrix {
        Matrix::from_fn(y.rows(), y.cols(), |i, o| self.weight(i) * (y[(i, o)] - found.f[(i, o)] - found.bias[o]) / self.lambda)
    }
}

impl Primal<'_, Cholesky> {
    /// h_i = w_i (1 / sum w + z_m' (Z_m' W Z_m + lambda I)^-1 z_m), the first term where there is a constant: how much row i pulls
    /// its own value.
    pub(crate) fn leverages(&self, control: &Control) -> Result<Vec<f64>> {
        let Multiplied::Whole(Features::Dense(z)) = &self.z else { return Ok(Vec::new()) };
        let (n, r) = (z.rows(), z.cols());
        let total: f64 = (0..n).map(|i| self.weight(i)).sum();
        let mut rows = Matrix::from_fn(n, r, |i, j| z[(i, j)] - self.mean.as_ref().map_or(0.0, |m| m[j]));
        self.solver.solve_rows(&mut rows, control)?;
        let constant = if self.mean.is_some() { 1.0 / total } else { 0.0 };
        Ok((0..n).map(|i| self.weight(i) * (constant + rows.row(i).iter().map(|v| v * v).sum::<f64>())).collect())
    }
}
