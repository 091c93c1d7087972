//! The mode of latent functions under a Gaussian prior, which is also the solution of every penalised likelihood over a kernel:
//!
//! ```text
//! minimise  P(alpha, b) = sum_i w_i l(y_i, f_i) + 1/2 sum_o alpha_o' S alpha_o,     f = S alpha + 1 b',
//! ```
//!
//! with S the prior covariance (a kernel matrix over its penalty) and constants b, where there are any, without a penalty.
//!
//! Newton's method whose steps are found by conjugate gradients in the space of functions: with the residual e = r - alpha,
//! r = -dl/df, a step solves (S + S W S) d = S e, preconditioned by S, so that only products with S are needed and the spectrum is
//! that of I + S W. Constants are at their best for every function: they leave W - W H (H'W H)^-1 H'W in its place. As r is then
//! feasible in the dual, the duality gap is exactly e'S e / 2.

use super::likelihood::{Curvature, Likelihood, Slopes};
use super::near_factor::NearFactor;
use crate::control::Control;
use crate::error::Result;
use crate::gram::dot;
use crate::linalg::{Cholesky, Matrix, multiply_upper};

/// Newton steps, and products with S for each of them, at most.
pub(super) const STEPS: usize = 200;
/// Halvings of a step at most.
const HALVINGS: usize = 40;
/// The duality gap, as a share of the objective, at which nothing is left to gain: functions are then accurate to 1e-10.
pub(super) const EXACT: f64 = 1e-21;
/// The duality gap within a search, as a share of the objective: functions are then accurate to 1e-6, which its steps resolve.
pub(super) const OF_SEARCH: f64 = 1e-13;
/// Below this share a gap that stops shrinking is rounding.
pub(super) const ROUNDING: f64 = 1e-12;

/// The mode and how it was found.
#[derive(Clone, Debug)]
pub struct Mode {
    /// N x outputs.
    pub alpha: Matrix,
    /// S alpha, N x outputs.
    pub function: Matrix,
    /// One for each output; 0 without constants.
    pub constants: Vec<f64>,
    /// f = S alpha + 1 b'.
    pub latent: Matrix,
    /// W there.
    pub curvature: Curvature,
    /// P there.
    pub objective: f64,
    /// How far P is above its least value, at most.
    pub gap: f64,
    /// Newton steps.
    pub iterations: usize,
}

impl Mode {
    /// The duality gap as a share of the objective.
    pub fn relative_gap(&self) -> f64 {
        if self.gap > 0.0 { self.gap / self.objective.abs().max(f64::MIN_POSITIVE) } else { 0.0 }
    }
}

/// What is minimised.
struct Problem<'a> {
    likelihood: &'a dyn Likelihood,
    multiply: &'a dyn Fn(&Matrix) -> Result<Matrix>,
    /// S itself, where steps may use a factor of it: one latent function, no constants, curvature that is not negative.
    whole: Option<&'a Matrix>,
    constants: bool,
    control: &'a Control,
}

/// A place on the way: coefficients, their function, the best constants for it.
struct ModeIterate {
    alpha: Matrix,
    function: Matrix,
    constants: Vec<f64>,
    slopes: Slopes,
    objective: f64,
}

/// x'y over all entries.
fn inner(x: &Matrix, y: &Matrix) -> f64 {
    dot(x.data(), y.data())
}

/// y + t x.
pub(super) fn plus(y: &Matrix, t: f64, x: &Matrix) -> Matrix {
    let mut out = y.clone();
    out.data_mut().iter_mut().zip(x.data()).for_each(|(y, x)| *y += t * x);
    out
}

/// Sums of columns.
fn sums(x: &Matrix) -> Vec<f64> {
    (0..x.cols()).map(|o| (0..x.rows()).map(|i| x[(i, o)]).sum()).collect()
}

/// x + 1 b'.
pub(super) fn shifted(x: &Matrix, b: &[f64]) -> Matrix {
    Matrix::from_fn(x.rows(), x.cols(), |i, o| x[(i, o)] + b[o])
}

/// Finds the mode. `rows` is N; `multiply` gives S V for V (N x outputs).
///
/// # Errors
/// On request of `control`, which is asked for each product, and those of `multiply`.
pub fn find(
    likelihood: &dyn Likelihood,
    rows: usize,
    multiply: &dyn Fn(&Matrix) -> Result<Matrix>,
    constants: bool,
    control: &Control,
) -> Result<Mode> {
    let problem = Problem { likelihood, multiply, whole: None, constants, control };
    let here = problem.origin(rows)?;
    problem.descend(here, EXACT)
}

/// Finds the mode from other coefficients than 0, where these are better, to the same tolerance as [`find`].
///
/// # Errors
/// As [`find`].
pub fn find_from(
    likelihood: &dyn Likelihood,
    alpha: &Matrix,
    multiply: &dyn Fn(&Matrix) -> Result<Matrix>,
    constants: bool,
    control: &Control,
) -> Result<Mode> {
    Problem { likelihood, multiply, whole: None, constants, control }.descend_near(alpha, EXACT)
}

/// Finds the mode on the way of a search: from coefficients of a mode nearby, to the tolerance of a search.
///
/// # Errors
/// As [`find`].
pub fn find_near(
    likelihood: &dyn Likelihood,
    alpha: &Matrix,
    multiply: &dyn Fn(&Matrix) -> Result<Matrix>,
    constants: bool,
    control: &Control,
) -> Result<Mode> {
    Problem { likelihood, multiply, whole: None, constants, control }.descend_near(alpha, OF_SEARCH)
}

/// The mode of one latent function without constants, of curvature that is not negative, where S is at hand; on the way of a search from coefficients of a mode
/// nearby, to the tolerance of a search.
///
/// # Errors
/// As [`find`].
pub fn find_within(likelihood: &dyn Likelihood, alpha: Option<&Matrix>, s: &Matrix, control: &Control) -> Result<Mode> {
    let diagonal = s.diagonal();
    // Half of S is read: what a product costs is what the memory gives.
    let multiply = |v: &Matrix| {
        control.check_time("the search of a mode")?;
        Ok(multiply_upper(s, &diagonal, v))
    };
    let problem = Problem { likelihood, multiply: &multiply, whole: Some(s), constants: false, control };
    match alpha {
        Some(alpha) => problem.descend_near(alpha, OF_SEARCH),
        None => problem.descend(problem.origin(s.rows())?, EXACT),
    }
}

impl Problem<'_> {
    /// Functions of 0.
    fn origin(&self, rows: usize) -> Result<ModeIterate> {
        let outputs = self.likelihood.outputs();
        self.place(Matrix::zeros(rows, outputs), Matrix::zeros(rows, outputs), vec![0.0; outputs])
    }

    /// From coefficients of a mode nearby, or from functions of 0 where these are better.
    fn descend_near(&self, alpha: &Matrix, exact: f64) -> Result<Mode> {
        let origin = self.origin(alpha.rows())?;
        if alpha.cols() != self.likelihood.outputs() {
            return self.descend(origin, exact);
        }
        let near = self.place(alpha.clone(), (self.multiply)(alpha)?, origin.constants.clone())?;
        self.descend(if near.objective < origin.objective { near } else { origin }, exact)
    }

    /// Newton's method from a place until the gap is so small a share of the objective.
    fn descend(&self, mut here: ModeIterate, exact: f64) -> Result<Mode> {
        // The share below which steps use a factor, where S is available: then W is near enough to what it will be.
        const FACTORED: f64 = 1e-2;
        // A factor in f32 costs as much as N / 12 products with S: a step that took more is followed by one with a factor made anew.
        const PRODUCTS_OF_FACTOR: usize = 12;
        let Problem { multiply, control, .. } = *self;
        let (mut last, mut iterations, mut factor, mut products) = (f64::INFINITY, 0, None::<NearFactor>, 0);
        loop {
            let residual = plus(&here.slopes.residual, -1.0, &here.alpha);
            let image = (multiply)(&residual)?;
            let gap = (0.5 * inner(&residual, &image)).max(0.0);
            let share = gap / here.objective.abs().max(f64::MIN_POSITIVE);
            let stalled = share <= ROUNDING && gap > 0.25 * last;
            let ended = share <= exact || stalled || iterations == STEPS;
            let worn = products > here.alpha.rows().div_ceil(PRODUCTS_OF_FACTOR);
            let wanted = worn || (factor.is_none() && share <= FACTORED);
            if let (Some(s), true, false) = (self.whole, wanted, ended) {
                factor.take().into_iter().for_each(|f| control.keep(f.into_memory()));
                factor = NearFactor::new(s, &here.slopes.curvature, control)?;
            }
            let next = if ended { None } else { self.next(&here, &residual, &image, share, factor.as_ref())? };
            let Some((next, taken)) = next else {
                let ModeIterate { mut alpha, mut function, constants, slopes, objective } = here;
                // Where S is singular many coefficients make one function; the slopes are those that the optimality conditions name.
                if share <= ROUNDING {
                    (alpha, function) = (slopes.residual, plus(&function, 1.0, &image));
                }
                let latent = shifted(&function, &constants);
                factor.into_iter().for_each(|f| control.keep(f.into_memory()));
                return Ok(Mode { alpha, function, constants, latent, curvature: slopes.curvature, objective, gap, iterations });
            };
            (here, last, products) = (next, gap, taken);
            iterations += 1;
            control.tell("steps of Newton's method", iterations, STEPS);
        }
    }

    /// The place of a function with its best constants, which are looked for from `b`.
    fn place(&self, alpha: Matrix, function: Matrix, b: Vec<f64>) -> Result<ModeIterate> {
        let norm = inner(&alpha, &function);
        let (constants, slopes) = best_constants(self.likelihood, self.constants, &function, b)?;
        let objective = slopes.loss + 0.5 * norm;
        Ok(ModeIterate { alpha, function, constants, slopes, objective })
    }

    /// The place after a step, and the products with S that the step took; `None` where no step brings less.
    fn next(
        &self,
        here: &ModeIterate,
        residual: &Matrix,
        image: &Matrix,
        share: f64,
        factor: Option<&NearFactor>,
    ) -> Result<Option<(ModeIterate, usize)>> {
        let constants = if self.constants { Some(OfConstants::new(&here.slopes.curvature)?) } else { None };
        let (curvature, reduce) = (&here.slopes.curvature, share.clamp(1e-16, 1e-2));
        let (step, moved, products) = match factor {
            Some(factor) => factor.step(curvature, residual, image, self.multiply, reduce, self.control)?,
            None => self.step(curvature, constants.as_ref(), residual, image, reduce)?,
        };
        let gain = inner(residual, &moved);
        let drift = drift(curvature, constants.as_ref(), &moved)?;
        halved(here.objective, gain, |t| {
            let start = here.constants.iter().zip(&drift).map(|(b, d)| b - t * d).collect();
            let there = self.place(plus(&here.alpha, t, &step), plus(&here.function, t, &moved), start)?;
            Ok((there.objective, there))
        })
        .map(|found| found.map(|place| (place, products)))
    }

    /// d, S d and the number of products with S, by conjugate gradients, until the residual's square is `reduce` of what it was.
    fn step(
        &self,
        curvature: &Curvature,
        constants: Option<&OfConstants>,
        residual: &Matrix,
        image: &Matrix,
        reduce: f64,
    ) -> Result<(Matrix, Matrix, usize)> {
        const PRODUCTS: usize = 2000;
        let (n, outputs) = (residual.rows(), residual.cols());
        let (mut d, mut sd) = (Matrix::zeros(n, outputs), Matrix::zeros(n, outputs));
        let (mut r, mut p, mut sp) = (residual.clone(), residual.clone(), image.clone());
        let mut square = inner(residual, image);
        let least = reduce * square;
        let mut products = 0;
        while products < PRODUCTS {
            products += 1;
            self.control.check_time("the search of a mode")?;
            let q = bent(curvature, constants, &sp)?;
            let bend = inner(&p, &sp) + inner(&sp, &q);
            if bend.is_nan() || bend <= 0.0 {
                break;
            }
            let t = square / bend;
            d = plus(&d, t, &p);
            sd = plus(&sd, t, &sp);
            r = plus(&plus(&r, -t, &p), -t, &q);
            let sr = (self.multiply)(&r)?;
            let next = inner(&r, &sr);
            if next.is_nan() || next <= least {
                break;
            }
            p = plus(&r, next / square, &p);
            sp = plus(&sr, next / square, &sp);
            square = next;
        }
        Ok((d, sd, products))
    }
}

/// Newton's method for the constants alone, a convex problem of few variables; those that are there where others are not wanted.
pub(super) fn best_constants(likelihood: &dyn Likelihood, wanted: bool, function: &Matrix, mut b: Vec<f64>) -> Result<(Vec<f64>, Slopes)> {
    // Steps that bring the constants to their best, at most.
    const CONSTANT_STEPS: usize = 100;
    let mut here = likelihood.at(&shifted(function, &b));
    if !wanted {
        return Ok((b, here));
    }
    for _ in 0..CONSTANT_STEPS {
        let slope = sums(&here.residual);
        let size: f64 = here.residual.data().iter().map(|r| r.abs()).sum();
        let steep = slope.iter().fold(0.0f64, |m, s| m.max(s.abs()));
        if steep <= 8.0 * f64::EPSILON * size {
            break;
        }
        let step = OfConstants::new(&here.curvature)?.best(&slope)?;
        let mut t = 1.0;
        let mut moved = None;
        for _ in 0..HALVINGS {
            let tried: Vec<f64> = b.iter().zip(&step).map(|(b, s)| b + t * s).collect();
            let there = likelihood.at(&shifted(function, &tried));
            let flat = sums(&there.residual).iter().fold(0.0f64, |m, s| m.max(s.abs())) < 0.5 * steep;
            if there.loss < here.loss || (flat && there.loss <= here.loss * (1.0 + 8.0 * f64::EPSILON)) {
                moved = Some((tried, there));
                break;
            }
            t *= 0.5;
        }
        let Some(next) = moved else { break };
        (b, here) = next;
    }
    Ok((b, here))
}

/// The first of a whole step, its half, quarter, ... that brings enough of what it promises; `None` where none does. `to` makes the place
/// after a share of the step, with its objective.
pub(super) fn halved<P>(objective: f64, gain: f64, to: impl Fn(f64) -> Result<(f64, P)>) -> Result<Option<P>> {
    // The share of the decrease foreseen that a step must bring.
    const DECREASE: f64 = 1e-4;
    let slack = 8.0 * f64::EPSILON * objective.abs();
    let mut t = 1.0;
    for _ in 0..HALVINGS {
        let (there, place) = to(t)?;
        if there <= objective - DECREASE * t * gain + slack {
            return Ok(Some(place));
        }
        t *= 0.5;
    }
    Ok(None)
}

/// W V, less what the constants take up.
pub(super) fn bent(curvature: &Curvature, constants: Option<&OfConstants>, v: &Matrix) -> Result<Matrix> {
    let q = curvature.times(v);
    let Some(within) = constants else { return Ok(q) };
    let shift = within.best(&sums(&q))?;
    let away = curvature.times(&Matrix::from_fn(v.rows(), v.cols(), |_, o| shift[o]));
    Ok(plus(&q, -1.0, &away))
}

/// What the constants lose while the function moves.
pub(super) fn drift(curvature: &Curvature, constants: Option<&OfConstants>, moved: &Matrix) -> Result<Vec<f64>> {
    match constants {
        Some(within) => within.best(&sums(&curvature.times(moved))),
        None => Ok(vec![0.0; moved.cols()]),
    }
}

/// H'W H, factorised; `None` without curvature, where constants change no loss.
pub(super) struct OfConstants(Option<Cholesky>);

impl OfConstants {
    pub(super) fn new(curvature: &Curvature) -> Result<Self> {
        let matrix = curvature.of_constants();
        let size: f64 = matrix.diagonal().iter().sum();
        if size.is_nan() || size < f64::MIN_POSITIVE / f64::EPSILON {
            return Ok(OfConstants(None));
        }
        Cholesky::new(matrix, &Control::unwatched()).map(|c| OfConstants(Some(c)))
    }

    /// (H'W H)^-1 v.
    fn best(&self, v: &[f64]) -> Result<Vec<f64>> {
        match &self.0 {
            Some(factor) => factor.solve(&Matrix::column(v.to_vec()), &Control::unwatched()).map(Matrix::into_data),
            None => Ok(vec![0.0; v.len()]),
        }
    }
}
