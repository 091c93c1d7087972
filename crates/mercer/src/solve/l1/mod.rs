//! min over B, b of sum_i w_i loss_i(f_i) + lambda sum_j |B_j|,  f = X B + 1 b'
//!
//! for N x p columns X and C outputs: the lasso and L1 logistic regression for C = 1, the group lasso, which takes a column in or
//! out for all outputs at once, for more (Tibshirani 1996; Yuan & Lin 2006). The constants b are not penalised. At the minimum,
//! with g_j = sum_i x_ij r_i and r the residuals, g_j = lambda B_j / |B_j| where B_j is not 0, and |g_j| <= lambda elsewhere.
//!
//! Proximal Newton steps on a working set of columns; a column outside is checked only where it may violate
//! its condition since the last check: |g_j - g_j'| <= |x_j - mean_j| |r - r'|, which is safe (screening: El Ghaoui et al. 2012;
//! Ndiaye et al. 2017). Along a path of falling lambda each solution starts the next.

mod alo;
mod bends;
mod conditions;
mod groups;
mod hessian;
mod model;
mod preconditioner;
mod quadratic;
mod screen;
mod sparsified;

pub use alo::leave_one_out;
pub use sparsified::{Sparsified, most_penalty, sparsified};

use crate::control::Control;
use crate::error::{Error, Result};
use crate::gram::dot;
use crate::linalg::{Matrix, combined_rows, product_transposed_within};
use crate::solve::active_factor::ActiveFactor;
use crate::solve::losses::{Loss, Losses};
use bends::Bends;
use conditions::{Patience, norm, violation};
use groups::Groups;
use model::{Model, Squares};
use quadratic::Quadratic;
use screen::Screen;

/// The columns of X, of which few are ever needed as a whole.
pub trait Columns: Sync {
    /// N and p.
    fn shape(&self) -> (usize, usize);
    /// Some columns, one a row of the result.
    fn columns(&self, which: &[usize], control: &Control) -> Result<Matrix>;
    /// sum_i x_ij r_i for residuals R (outputs x N): one row for each column, or for each of those named.
    fn correlations(&self, which: Option<&[usize]>, residuals: &Matrix, control: &Control) -> Result<Matrix>;
    /// Mean and root of the sum of squares around it, for each column.
    fn spreads(&self, control: &Control) -> Result<Vec<(f64, f64)>>;
}

/// When to stop.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Greatest violation of the optimality conditions, as a share of lambda.
    pub tolerance: f64,
    /// Newton steps at most for each lambda.
    pub max_iterations: usize,
}

/// The minimum for one lambda.
#[derive(Clone, Debug)]
pub struct Solution {
    /// The penalty.
    pub lambda: f64,
    /// Columns that are not 0, ascending.
    pub support: Vec<usize>,
    /// Their coefficients, support x C.
    pub coef: Matrix,
    /// b.
    pub constants: Vec<f64>,
    /// Predictions of the rows, C x N.
    pub predictions: Matrix,
    /// Loss and penalty.
    pub objective: f64,
    /// (objective - dual objective) / objective.
    pub gap: f64,
    /// Greatest violation of the conditions, as a share of lambda.
    pub violation: f64,
    /// Newton steps, those on the way to lambda included.
    pub iterations: usize,
    /// Whether the violation is within the tolerance.
    pub converged: bool,
}

/// A solver on its way along a path.
pub struct Solver<'a> {
    columns: &'a dyn Columns,
    losses: &'a Losses,
    options: Options,
    control: &'a Control,
    /// Working set: which columns, the columns themselves less their means (one a row), those means, their coefficients.
    held: Vec<usize>,
    place: Vec<usize>,
    x: Matrix,
    means: Vec<f64>,
    coef: Matrix,
    /// Beside columns without their means.
    constants: Vec<f64>,
    /// The model of one output of numbers, which is the same everywhere.
    squares: Option<Squares>,
    /// f, C x N.
    f: Matrix,
    screen: Screen,
    /// The last lambda that was met.
    at: Option<f64>,
    iterations: usize,
}

/// A column that is not in the working set.
const OUTSIDE: usize = usize::MAX;

impl<'a> Solver<'a> {
    /// From the best constants, where every coefficient is 0.
    ///
    /// # Errors
    /// Columns and losses of other sizes; on request of `control`.
    pub fn new(columns: &'a dyn Columns, losses: &'a Losses, options: Options, control: &'a Control) -> Result<Self> {
        let (n, p) = columns.shape();
        Error::unless_equal("rows of the losses", n, losses.rows())?;
        let constants = losses.constants();
        let f = Matrix::from_fn(constants.len(), n, |c, _| constants[c]);
        let residuals = losses.residuals(&losses.means(&f));
        let screen = Screen::new(columns, residuals, control)?;
        let size = constants.len();
        let (x, coef) = (Matrix::zeros(0, n), Matrix::zeros(0, size));
        Ok(Solver {
            columns,
            losses,
            options,
            control,
            held: Vec::new(),
            place: vec![OUTSIDE; p],
            x,
            means: Vec::new(),
            coef,
            squares: (size == 1 && losses.kind() == Loss::Squared).then(Squares::default),
            constants,
            f,
            screen,
            at: None,
            iterations: 0,
        })
    }

    /// The smallest lambda at which every coefficient is 0, where the solver has not begun: max_j |g_j|.
    pub fn greatest_lambda(&self) -> f64 {
        self.screen.greatest()
    }

    /// Goes on from other coefficients, such as those of an earlier fit.
    pub fn start(&mut self, support: &[usize], coef: &Matrix, constants: &[f64]) -> Result<()> {
        if coef.cols() != self.constants.len() || constants.len() != self.constants.len() || support.iter().any(|j| *j >= self.place.len())
        {
            return Ok(());
        }
        self.take_in(support)?;
        for (s, &j) in support.iter().enumerate() {
            self.coef.row_mut(self.place[j]).copy_from_slice(coef.row(s));
        }
        self.constants.copy_from_slice(constants);
        let of_means = self.of_means();
        self.constants.iter_mut().zip(of_means).for_each(|(b, m)| *b += m);
        // No way from far: what is near is better than the way from 0.
        self.at = Some(0.0);
        self.predict()
    }

    /// The minimum at lambda. Time that ends gives the best so far, not converged.
    pub fn solve(&mut self, lambda: f64) -> Result<Solution> {
        // Each lambda on the way to the first one is so much smaller than the last.
        const STRIDE: f64 = 0.2;
        // The tolerance on the way.
        const ROUGH: f64 = 0.05;
        let mut before = self.at.unwrap_or(self.screen.greatest());
        while STRIDE * before > lambda && !self.control.out_of_time() {
            before *= STRIDE;
            self.until(before, ROUGH)?;
        }
        let tolerance = self.options.tolerance;
        if self.constants.len() > 1 && !self.control.out_of_time() {
            // Digits cost more here, and columns that come later take them away.
            self.until(lambda, tolerance.sqrt().min(ROUGH))?;
        }
        let worst = self.until(lambda, tolerance)?;
        self.at = Some(lambda);
        self.solution(lambda, worst)
    }

    /// Comes near the minimum; the greatest violation there, as a share of lambda.
    fn until(&mut self, lambda: f64, tolerance: f64) -> Result<f64> {
        // Columns that enter the working set at a time, at least.
        const ENTER: usize = 24;
        let mut left = self.options.max_iterations;
        loop {
            let inside = self.among_held(lambda, tolerance, &mut left)?;
            let residuals = self.losses.residuals(&self.losses.means(&self.f));
            let mut found = self.screen.violators(self.columns, residuals, lambda, self.control)?;
            found.retain(|(j, _)| self.place[*j] == OUTSIDE);
            let outside = found.iter().fold(0.0, |m: f64, v| m.max(v.1)) / lambda;
            if outside <= tolerance || left == 0 || self.control.out_of_time() {
                return Ok(inside.max(outside));
            }
            found.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
            found.truncate(ENTER.max(self.support().len()));
            let mut enter: Vec<usize> = found.into_iter().map(|v| v.0).collect();
            enter.sort_unstable();
            self.take_in(&enter)?;
        }
    }

    /// Newton steps on the working set; the greatest violation in it, as a share of lambda.
    fn among_held(&mut self, lambda: f64, tolerance: f64, left: &mut usize) -> Result<f64> {
        // Newton steps on one working set at most.
        const STEPS: usize = 60;
        let size = self.constants.len();
        let (mut worst, mut patience) = (f64::INFINITY, Patience::new(8));
        for _ in 0..STEPS {
            self.control.check()?;
            let means = self.losses.means(&self.f);
            let residuals = self.losses.residuals(&means);
            let slopes = product_transposed_within(&self.x, &residuals, self.control)?;
            let of_constants: Vec<f64> = (0..size).map(|c| residuals.row(c).iter().sum()).collect();
            let g = Matrix::from_fn(self.held.len(), size, |k, c| slopes[(k, c)] + self.means[k] * of_constants[c]);
            let violations: Vec<f64> = (0..self.held.len()).map(|k| violation(self.coef.row(k), g.row(k), lambda)).collect();
            worst = violations.iter().fold(norm(&of_constants), |m, v| m.max(*v)) / lambda;
            if worst <= tolerance || *left == 0 || patience.is_lost(worst) || self.control.out_of_time() {
                return Ok(worst);
            }
            *left -= 1;
            self.iterations += 1;
            // A model that holds everywhere is met in full; another only as well as it holds.
            let exact = 0.1 * tolerance * lambda;
            let within = if self.losses.kind() == Loss::Squared { exact } else { (0.1 * worst.powi(2).min(1.0) * lambda).max(exact) };
            let (active, old, new, of_constants) = if let Some(squares) = &mut self.squares {
                let old = self.coef.data().to_vec();
                let new = squares.minimise(&old, slopes.data(), lambda, within, self.control)?;
                ((0..self.held.len()).collect(), old, new, vec![of_constants[0] / self.losses.weights().iter().sum::<f64>()])
            } else {
                let moves = |k: &usize| norm(self.coef.row(*k)) > 0.0 || norm(g.row(*k)) > lambda;
                let active: Vec<usize> = (0..self.held.len()).filter(moves).collect();
                let (x, old) = (self.x.select_rows(&active), self.coef.select_rows(&active));
                let curvature = self.losses.curvature(&means);
                let (new, of_constants) = if size > 1 {
                    let weights = self.losses.is_coupled().then_some(self.losses.weights());
                    let groups = Groups::new(x, Bends { d: curvature, weights }, lambda, self.control)?;
                    let (new, of_constants) = groups.minimise(old.clone(), residuals, within)?;
                    (new.into_data(), of_constants)
                } else {
                    let model = Model::new(x, curvature.data(), self.control)?;
                    let slope = model.slope(slopes.select_rows(&active).data(), of_constants[0]);
                    let quadratic = Quadratic { h: &model.h, lambda };
                    let new = quadratic.minimise(old.data(), &slope, within, &mut ActiveFactor::default(), self.control)?;
                    let step: Vec<f64> = new.iter().zip(old.data()).map(|(n, o)| n - o).collect();
                    let of_constant = model.constant(of_constants[0], &step);
                    (new, vec![of_constant])
                };
                (active, old.into_data(), new, of_constants)
            };
            let step: Vec<f64> = new.iter().zip(&old).map(|(n, o)| n - o).collect();
            if !self.walk(&active, &step, &new, &of_constants, lambda)? {
                return Ok(worst);
            }
        }
        Ok(worst)
    }

    /// Takes the step, or the first half, quarter, ... of it that does not raise the objective; whether there was one.
    fn walk(&mut self, active: &[usize], step: &[f64], whole: &[f64], of_constants: &[f64], lambda: f64) -> Result<bool> {
        let size = self.constants.len();
        let along = self.function(active, step, of_constants)?;
        let before = self.objective(lambda);
        let (f, coef) = (self.f.clone(), self.coef.clone());
        let mut share = 1.0;
        // Near the minimum the objective is flat to rounding.
        let slack = 1e-13 * before.abs();
        for _ in 0..40 {
            for ((v, f), a) in self.f.data_mut().iter_mut().zip(f.data()).zip(along.data()) {
                *v = f + share * a;
            }
            for (k, &row) in active.iter().enumerate() {
                for c in 0..size {
                    let at = k * size + c;
                    self.coef[(row, c)] = if share == 1.0 { whole[at] } else { coef[(row, c)] + share * step[at] };
                }
            }
            if self.objective(lambda) <= before + slack {
                self.constants.iter_mut().zip(of_constants).for_each(|(b, s)| *b += share * s);
                return Ok(true);
            }
            share *= 0.5;
        }
        (self.f, self.coef) = (f, coef);
        Ok(false)
    }

    fn objective(&self, lambda: f64) -> f64 {
        let penalty: f64 = (0..self.held.len()).map(|k| norm(self.coef.row(k))).sum();
        self.losses.value(&self.f) + lambda * penalty
    }

    fn support(&self) -> Vec<usize> {
        let mut support: Vec<usize> = (0..self.held.len()).filter(|&k| norm(self.coef.row(k)) > 0.0).map(|k| self.held[k]).collect();
        support.sort_unstable();
        support
    }

    /// Takes columns into the working set.
    fn take_in(&mut self, which: &[usize]) -> Result<()> {
        let new: Vec<usize> = which.iter().copied().filter(|&j| self.place[j] == OUTSIDE).collect();
        let mut x = self.columns.columns(&new, self.control)?;
        let weights = self.losses.weights();
        let total: f64 = weights.iter().sum();
        for row in x.data_mut().chunks_exact_mut(weights.len().max(1)) {
            let mean = dot(row, weights) / total;
            row.iter_mut().for_each(|v| *v -= mean);
            self.means.push(mean);
        }
        self.x.append_rows(x);
        if let Some(squares) = &mut self.squares {
            squares.extend(&self.x, weights, self.control)?;
        }
        self.coef.append_rows(Matrix::zeros(new.len(), self.constants.len()));
        for j in new {
            self.place[j] = self.held.len();
            self.held.push(j);
        }
        Ok(())
    }

    /// f anew, without what rounding has gathered in it.
    fn predict(&mut self) -> Result<()> {
        let all: Vec<usize> = (0..self.held.len()).collect();
        self.f = self.function(&all, self.coef.data(), &self.constants)?;
        Ok(())
    }

    /// What numbers of some columns of the working set, one for each output, and constants say of the rows, C x N.
    fn function(&self, which: &[usize], numbers: &[f64], constants: &[f64]) -> Result<Matrix> {
        let (size, n) = (constants.len(), self.x.cols());
        let mut out = Vec::with_capacity(size * n);
        for (c, constant) in constants.iter().enumerate() {
            let of = which.iter().zip(numbers.iter().skip(c).step_by(size)).filter(|(_, number)| **number != 0.0);
            let (rows, by): (Vec<&[f64]>, Vec<f64>) = of.map(|(&k, number)| (self.x.row(k), *number)).unzip();
            let sum = combined_rows(&rows, &by, n, self.control)?;
            out.extend(sum.into_iter().map(|v| v + constant));
        }
        Matrix::new(size, n, out)
    }

    /// What the means of the columns add to each output.
    fn of_means(&self) -> Vec<f64> {
        let size = self.constants.len();
        (0..size).map(|c| self.means.iter().enumerate().map(|(k, mean)| self.coef[(k, c)] * mean).sum()).collect()
    }

    fn solution(&mut self, lambda: f64, violation: f64) -> Result<Solution> {
        self.predict()?;
        let residuals = self.losses.residuals(&self.losses.means(&self.f));
        let objective = self.objective(lambda);
        // The largest |g_j| is at most what the conditions leave: that share of the residuals is feasible for the dual.
        let share = 1.0 / (1.0 + violation.max(0.0));
        let dual = self.losses.dual(&residuals, share);
        let support = self.support();
        let rows: Vec<usize> = support.iter().map(|&j| self.place[j]).collect();
        let constants = self.constants.iter().zip(self.of_means()).map(|(b, m)| b - m).collect();
        Ok(Solution {
            lambda,
            coef: self.coef.select_rows(&rows),
            support,
            constants,
            predictions: self.f.clone(),
            objective,
            gap: if objective > 0.0 { (objective - dual).max(0.0) / objective } else { 0.0 },
            violation,
            iterations: std::mem::take(&mut self.iterations),
            converged: violation <= self.options.tolerance,
        })
    }
}

/// `count` values from the greatest lambda down to `share` of it, in equal ratios.
pub fn path(greatest: f64, share: f64, count: usize) -> Vec<f64> {
    (0..count).map(|k| greatest * share.powf(k as f64 / count.saturating_sub(1).max(1) as f64)).collect()
}
