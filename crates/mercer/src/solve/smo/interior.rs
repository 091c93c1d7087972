//! A start from the interior, for kernels of few features: K = Z Z' with Z of N x D.
//!
//! There K has rank D, at most D + 1 variables lie between their bounds at the optimum, and pair steps on the hundreds that do
//! on the way there zigzag: the more so the larger the bounds. An interior point needs some tens of steps whatever the bounds,
//! each of them O(N D^2). Pair steps then take its point to the bounds, and their certificate stands.
//!
//! With each b cut at 0 into what is above and what is below, b = sum s a with s = +1 or -1, and Q = S Z Z' S:
//!
//! ```text
//! minimise    1/2 a'Qa + c'a      subject to  s'a = 0,  0 <= a <= u,      c = tube - s z
//! Q a + c + lambda s - mu + nu = 0,      mu a = nu (u - a) = tau -> 0
//! ```
//!
//! References: Mehrotra (1992), predictor and corrector; Ferris and Munson (2002) and Fine and Scheinberg (2001), both for
//! support vector machines: (Q + diagonal) x = r by the formula of Sherman, Morrison and Woodbury.

use super::limits::interior::*;
use super::state::{ProblemStage, ProblemState};
use super::{Problem, ROUNDING, SolverJob};
use crate::control::Control;
use crate::error::Result;
use crate::gram::{Features, axpy, dot};
use crate::linalg::{Cholesky, Matrix, add_transposed_product};
use rayon::prelude::*;

/// Moves problems to points near their optima.
pub(super) fn run(job: &SolverJob<'_>, states: &mut [&mut ProblemState<'_>]) -> Result<()> {
    if let Some(Features::Dense(features)) = job.features {
        states.par_iter_mut().for_each(|state| start(state, features, job.control));
    }
    Ok(())
}

/// Pair steps that take half as long as the way through the interior may.
pub(super) fn pairs_instead(state: &ProblemState<'_>, features: &Matrix) -> usize {
    let (n, d) = (state.coef.len() as f64, features.cols() as f64);
    (0.5 * WORK.0 * n * d * d / (n + WORK.1)) as usize
}

/// Moves a problem to a point near its optimum; leaves it where it is if no such point is found.
pub(super) fn start(state: &mut ProblemState<'_>, features: &Matrix, control: &Control) {
    if let Some(coef) = Interior::new(state.problem, features).and_then(|mut point| point.solve(control)) {
        state.coef = coef;
        state.stage = ProblemStage::Warm;
    }
}

/// A half of a variable: what of it is above 0, or below.
struct Half {
    variable: usize,
    sign: f64,
    most: f64,
    cost: f64,
}

/// A point between all bounds.
struct Interior<'a> {
    problem: &'a Problem,
    halves: Vec<Half>,
    /// Z, centred, which s'a = 0 allows, times the root of the scale.
    z: Matrix,
    /// The greatest bound: a is in units of it.
    scale: f64,
    a: Vec<f64>,
    mu: Vec<f64>,
    nu: Vec<f64>,
    lambda: f64,
}

/// A direction of all unknowns.
struct InteriorDirection {
    a: Vec<f64>,
    mu: Vec<f64>,
    nu: Vec<f64>,
    lambda: f64,
}

impl<'a> Interior<'a> {
    fn new(problem: &'a Problem, features: &Matrix) -> Option<Self> {
        let bounds = problem.high.iter().chain(&problem.low);
        let scale = bounds.fold(0.0, |most: f64, b| most.max(b.abs()));
        if !(scale > 0.0 && scale.is_finite()) {
            return None;
        }
        let mut halves = Vec::new();
        for (variable, (&low, &high)) in problem.low.iter().zip(&problem.high).enumerate() {
            for (sign, bound) in [(1.0, high), (-1.0, -low)] {
                if bound > 0.0 {
                    let cost = problem.tube - sign * problem.target[variable];
                    halves.push(Half { variable, sign, most: bound / scale, cost });
                }
            }
        }
        let mut z = features.select_rows(&problem.row);
        for j in 0..z.cols() {
            let mean = z.col(j).iter().sum::<f64>() / z.rows() as f64;
            (0..z.rows()).for_each(|i| z[(i, j)] = (z[(i, j)] - mean) * scale.sqrt());
        }
        let curve = z.data().iter().map(|v| v * v).sum::<f64>() / z.rows() as f64;
        // Between the middle, where a large quadratic part makes large duals, and 0, from which the way is long.
        let share = 0.5 / (1.0 + curve.sqrt().sqrt());
        let a: Vec<f64> = halves.iter().map(|h| h.most * share).collect();
        let mut point = Interior { problem, halves, z, scale, a, mu: Vec::new(), nu: Vec::new(), lambda: 0.0 };
        let slope: Vec<f64> = point.quadratic(&point.a).iter().zip(&point.halves).map(|(q, h)| q + h.cost).collect();
        let size = slope.iter().map(|g| g.abs()).sum::<f64>() / slope.len() as f64;
        point.mu = slope.iter().map(|g| g.max(0.0) + size).collect();
        point.nu = slope.iter().map(|g| (-g).max(0.0) + size).collect();
        slope.iter().all(|g| g.is_finite()).then_some(point)
    }

    /// Z' S x.
    fn gathered(&self, x: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; self.z.cols()];
        self.halves.iter().zip(x).for_each(|(h, x)| axpy(h.sign * x, self.z.row(h.variable), &mut out));
        out
    }

    /// S Z w.
    fn spread(&self, w: &[f64]) -> Vec<f64> {
        self.halves.iter().map(|h| h.sign * dot(self.z.row(h.variable), w)).collect()
    }

    /// Q x.
    fn quadratic(&self, x: &[f64]) -> Vec<f64> {
        self.spread(&self.gathered(x))
    }

    /// 1/2 a'Qa + c'a from Q a.
    fn objective(&self, a: &[f64], slope: &[f64]) -> f64 {
        a.iter().zip(slope).zip(&self.halves).map(|((a, slope), h)| a * (0.5 * slope + h.cost)).sum()
    }

    fn room(&self, j: usize) -> f64 {
        self.halves[j].most - self.a[j]
    }

    /// mu'a + nu'(u - a).
    fn gap(&self) -> f64 {
        (0..self.a.len()).map(|j| self.mu[j] * self.a[j] + self.nu[j] * self.room(j)).sum()
    }

    /// Goes to the optimum; b there, `None` where rounding or the clock forbids it.
    fn solve(&mut self, control: &Control) -> Option<Vec<f64>> {
        let count = 2.0 * self.a.len() as f64;
        let cost = self.halves.iter().fold(0.0f64, |most, h| most.max(h.cost.abs()));
        let (mut before, mut reached, mut usual) = ([self.a.clone(), self.mu.clone(), self.nu.clone()], f64::INFINITY, None);
        for _ in 0..STEPS {
            if control.out_of_time() || control.check().is_err() {
                return None;
            }
            let slope = self.quadratic(&self.a);
            let objective = self.objective(&self.a, &slope);
            let gap = self.gap();
            // 0 from the start on, but for rounding.
            let wrong: Vec<f64> = (0..self.a.len())
                .map(|j| slope[j] + self.halves[j].cost + self.lambda * self.halves[j].sign - self.mu[j] + self.nu[j])
                .collect();
            let off = wrong.iter().fold(0.0f64, |most, w| most.max(w.abs()));
            if objective > reached || usual.is_some_and(|usual| off > WRONG * cost.max(USUAL * usual)) {
                // Nearer than this rounding does not let it come.
                return Some(self.best_of(before));
            }
            usual = Some(off.max(usual.unwrap_or(0.0)));
            let left: f64 = self.a.iter().zip(&self.halves).map(|(a, h)| h.sign * a).sum();
            let size: f64 = self.a.iter().sum();
            if gap <= GAP * objective.abs() && left.abs() <= GAP * size {
                return Some(self.coefficients());
            }
            let system = System::new(self, control)?;
            let foreseen = self.step(&system, &wrong, left, 0.0, None, control)?;
            let way = self.way(&foreseen);
            let after: f64 = (0..self.a.len())
                .map(|j| {
                    (self.mu[j] + way * foreseen.mu[j]) * (self.a[j] + way * foreseen.a[j])
                        + (self.nu[j] + way * foreseen.nu[j]) * (self.room(j) - way * foreseen.a[j])
                })
                .sum();
            let tau = (after / gap).powi(3) * gap / count;
            let step = self.step(&system, &wrong, left, tau, Some(&foreseen), control)?;
            let way = WAY * self.way(&step);
            // From here the objective may not rise by more than is still to be gained.
            reached = if gap <= objective.abs() { objective + gap } else { f64::INFINITY };
            before = [self.a.clone(), self.mu.clone(), self.nu.clone()];
            for j in 0..self.a.len() {
                self.a[j] += way * step.a[j];
                self.mu[j] += way * step.mu[j];
                self.nu[j] += way * step.nu[j];
            }
            self.lambda += way * step.lambda;
            if !(0..self.a.len()).all(|j| self.a[j] > 0.0 && self.room(j) > 0.0 && self.mu[j].is_finite() && self.nu[j].is_finite()) {
                return None;
            }
        }
        // Not all the way, but nearer than zeros.
        Some(self.coefficients())
    }

    /// The direction to mu a = nu (u - a) = tau, with the second-order terms of a step that was foreseen.
    fn step(
        &self,
        system: &System,
        wrong: &[f64],
        left: f64,
        tau: f64,
        foreseen: Option<&InteriorDirection>,
        control: &Control,
    ) -> Option<InteriorDirection> {
        let n = self.a.len();
        let second = |j: usize| foreseen.map_or((0.0, 0.0), |f| (f.a[j] * f.mu[j], f.a[j] * f.nu[j]));
        let below = |j: usize| (tau - second(j).0) / self.a[j];
        let above = |j: usize| (tau + second(j).1) / self.room(j);
        let right: Vec<f64> = (0..n).map(|j| -wrong[j] - self.mu[j] + below(j) + self.nu[j] - above(j)).collect();
        let p = system.solve(self, &right, control)?;
        let sum = |x: &[f64]| x.iter().zip(&self.halves).map(|(x, h)| h.sign * x).sum::<f64>();
        let lambda = (sum(&p) + left) / sum(&system.signs);
        let a: Vec<f64> = p.iter().zip(&system.signs).map(|(p, q)| p - lambda * q).collect();
        let mu = (0..n).map(|j| below(j) - self.mu[j] - self.mu[j] / self.a[j] * a[j]).collect();
        let nu = (0..n).map(|j| above(j) - self.nu[j] + self.nu[j] / self.room(j) * a[j]).collect();
        Some(InteriorDirection { a, mu, nu, lambda })
    }

    /// How far a step may go before something is below 0, at most 1.
    fn way(&self, step: &InteriorDirection) -> f64 {
        (0..self.a.len()).fold(1.0, |way: f64, j| {
            let values = [(self.a[j], step.a[j]), (self.room(j), -step.a[j]), (self.mu[j], step.mu[j]), (self.nu[j], step.nu[j])];
            values.iter().fold(way, |way, &(x, d)| if d < 0.0 { way.min(-x / d) } else { way })
        })
    }

    /// b of the least objective, of points and of multipliers here and before: rounding may have spoilt any of them.
    fn best_of(&mut self, [a, mu, nu]: [Vec<f64>; 3]) -> Vec<f64> {
        let here = self.coefficients();
        let a = std::mem::replace(&mut self.a, a);
        let old = self.coefficients();
        (self.mu, self.nu) = (mu, nu);
        let all_old = self.coefficients();
        self.a = a;
        let found = [here, old, all_old, self.coefficients()];
        let value = |coef: &Vec<f64>| {
            let a: Vec<f64> = self.halves.iter().map(|h| (h.sign * coef[h.variable]).max(0.0) / self.scale).collect();
            self.objective(&a, &self.quadratic(&a))
        };
        found.into_iter().min_by(|x, y| value(x).total_cmp(&value(y))).unwrap_or_default()
    }

    /// b: halves near a bound at it, and a sum of 0.
    fn coefficients(&self) -> Vec<f64> {
        let mut coef = vec![0.0; self.problem.row.len()];
        for (j, h) in self.halves.iter().enumerate() {
            // At a bound a goes to 0 and its multiplier does not.
            let a = if self.a[j] <= self.mu[j] * h.most {
                0.0
            } else if self.room(j) <= self.nu[j] * h.most {
                h.most
            } else {
                self.a[j]
            };
            coef[h.variable] += h.sign * a * self.scale;
        }
        // A sum of 0, from the variables that are farthest from all ends.
        let (low, high) = (&self.problem.low, &self.problem.high);
        for (k, b) in coef.iter_mut().enumerate() {
            *b = b.clamp(low[k], high[k]);
        }
        for _ in 0..coef.len() {
            let left: f64 = coef.iter().sum();
            if left.abs() <= ROUNDING * self.scale {
                break;
            }
            let room = |k: usize| (coef[k] - low[k]).min(high[k] - coef[k]).min(coef[k].abs());
            let least = |k: usize| if left > 0.0 { coef[k] - low[k] } else { high[k] - coef[k] };
            let better = |a: usize, b: usize| (room(a), least(a)) > (room(b), least(b));
            let k = (0..coef.len()).fold(0, |best, k| if better(k, best) { k } else { best });
            coef[k] = (coef[k] - left).clamp(low[k], high[k]);
        }
        coef
    }
}

/// Q + diagonal, factored.
struct System {
    /// One over the diagonal.
    inverse: Vec<f64>,
    /// I + Z' S (1/diagonal) S Z.
    small: Cholesky,
    /// The solution for s.
    signs: Vec<f64>,
}

impl System {
    fn new(point: &Interior<'_>, control: &Control) -> Option<Self> {
        let inverse: Vec<f64> = (0..point.a.len()).map(|j| 1.0 / (point.mu[j] / point.a[j] + point.nu[j] / point.room(j))).collect();
        let mut by_row = vec![0.0; point.z.rows()];
        point.halves.iter().zip(&inverse).for_each(|(h, v)| by_row[h.variable] += v);
        let (n, d) = (point.z.rows(), point.z.cols());
        let weighed = Matrix::from_fn(n, d, |i, j| by_row[i] * point.z[(i, j)]);
        let mut small = Matrix::from_fn(d, d, |i, j| if i == j { 1.0 } else { 0.0 });
        add_transposed_product(point.z.data(), weighed.data(), small.data_mut(), n, d, d);
        let small = Cholesky::new(small, control).ok()?;
        let mut system = System { inverse, small, signs: Vec::new() };
        let signs: Vec<f64> = point.halves.iter().map(|h| h.sign).collect();
        system.signs = system.solve(point, &signs, control)?;
        Some(system)
    }

    /// x with (Q + diagonal) x = r.
    fn solve(&self, point: &Interior<'_>, r: &[f64], control: &Control) -> Option<Vec<f64>> {
        let mut x = self.once(point, r, control)?;
        let product = point.quadratic(&x);
        let left: Vec<f64> = (0..r.len()).map(|j| r[j] - product[j] - x[j] / self.inverse[j]).collect();
        axpy(1.0, &self.once(point, &left, control)?, &mut x);
        Some(x)
    }

    fn once(&self, point: &Interior<'_>, r: &[f64], control: &Control) -> Option<Vec<f64>> {
        let scaled: Vec<f64> = r.iter().zip(&self.inverse).map(|(r, v)| r * v).collect();
        let w = self.small.solve(&Matrix::column(point.gathered(&scaled)), control).ok()?;
        let back = point.spread(w.data());
        Some((0..r.len()).map(|j| scaled[j] - self.inverse[j] * back[j]).collect())
    }
}
