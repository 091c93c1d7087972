//! All alphas, and of numbers the noise, together: steps of Newton's method in their logs. With the covariance C of the weights w of
//! the columns that are there, blocks C_ab of all outputs, gamma = sum_a (outputs - alpha_a tr C_aa) and E = |t - Phi w|^2:
//!
//! ```text
//! J = -2 log p,   dJ/d log alpha_a = alpha_a (tr C_aa + |w_a|^2) - outputs,   dJ/d log beta = gamma + beta E - rows
//! d2J/d log alpha_a d log alpha_b = [a = b] alpha_a (tr C_aa + |w_a|^2) - alpha_a alpha_b (|C_ab|^2 + 2 w_a'C_ab w_b)
//! d2J/d log alpha_a d log beta = alpha_a (sum_c alpha_c C_ac^2 - C_aa + 2 w_a v_a),   v = C A w
//! d2J/d log beta^2 = sum_a alpha_a C_aa - sum_ac alpha_a alpha_c C_ac^2 + beta E - 2 w'A v
//! ```
//!
//! They are exact for numbers. For classes C is the inverse of the curvature at the mode, held as it is.

use crate::control::Control;
use crate::error::Result;
use crate::gram::dot;
use crate::linalg::{Cholesky, Matrix};

/// Steps at most, and the greatest change of a log that ends them.
pub(super) const STEPS: usize = 300;

/// The noise of numbers: the rows, and beta E.
pub(super) struct Noise {
    pub(super) rows: f64,
    pub(super) error: f64,
}

/// Decides when the joint steps end.
pub(super) struct End {
    last: f64,
    empty: usize,
}

impl End {
    pub(super) fn new() -> Self {
        End { last: f64::INFINITY, empty: 0 }
    }

    /// Told of each step.
    pub(super) fn reached(&mut self, step: &LogAlphaStep) -> bool {
        const SETTLED: f64 = 1e-11;
        // Changes of logs that no longer halve are rounding from here on.
        const ROUNDING: f64 = 1e-6;
        // Steps in a row that promise the log evidence less than this: what moves on is not determined.
        const PROMISE: f64 = 1e-9;
        const EMPTY: usize = 4;
        let moved = greatest(&step.logs);
        self.empty = if step.promise < PROMISE { self.empty + 1 } else { 0 };
        let stands = moved <= SETTLED || moved <= ROUNDING && moved > 0.5 * self.last || self.empty == EMPTY;
        self.last = moved;
        stands
    }
}

/// The changes of the logs of alphas, and last of beta where there is noise.
pub(super) struct LogAlphaStep {
    pub(super) logs: Vec<f64>,
    /// What the log evidence would rise by, were it as its curvature here says.
    pub(super) promise: f64,
}

impl LogAlphaStep {
    fn new(logs: Vec<f64>, slope: &Matrix) -> Self {
        LogAlphaStep { promise: -0.25 * dot(&logs, slope.data()), logs }
    }
}

/// The step from here. `covariance` has a place for every column and then output.
pub(super) fn step(alpha: &[f64], covariance: &Matrix, weights: &Matrix, noise: Option<&Noise>, control: &Control) -> Result<LogAlphaStep> {
    // The greatest change of a log in one step.
    const LONGEST: f64 = 2.0;
    // What is added to the diagonal until the matrix is positive definite: at a stationary alpha its own part is the number of outputs.
    const DAMPING: [f64; 7] = [0.0, 1e-3, 1e-2, 0.1, 1.0, 10.0, 1e3];
    let (m, outputs) = (alpha.len(), weights.cols());
    let block = |a: usize, b: usize| {
        let (mut square, mut between) = (0.0, 0.0);
        for c in 0..outputs {
            let row = &covariance.row(a * outputs + c)[b * outputs..(b + 1) * outputs];
            square += dot(row, row);
            between += weights[(a, c)] * dot(row, weights.row(b));
        }
        (square, between)
    };
    let trace = |a: usize| (a * outputs..(a + 1) * outputs).map(|i| covariance[(i, i)]).sum::<f64>();
    let own: Vec<f64> = (0..m).map(|a| alpha[a] * (trace(a) + dot(weights.row(a), weights.row(a)))).collect();
    let size = m + usize::from(noise.is_some());
    let (mut slope, mut curve) = (Matrix::zeros(size, 1), Matrix::zeros(size, size));
    for a in 0..m {
        slope[(a, 0)] = own[a] - outputs as f64;
        for b in 0..=a {
            let (square, between) = block(a, b);
            let value = -alpha[a] * alpha[b] * (square + 2.0 * between);
            (curve[(a, b)], curve[(b, a)]) = (value, value);
        }
        curve[(a, a)] += own[a];
    }
    if let Some(noise) = noise {
        let moved: Vec<f64> = (0..m).map(|a| (0..m).map(|c| covariance[(a, c)] * alpha[c] * weights[(c, 0)]).sum()).collect();
        let mut determined = m as f64;
        curve[(m, m)] = noise.error;
        for a in 0..m {
            let squares: f64 = (0..m).map(|c| alpha[c] * covariance[(a, c)].powi(2)).sum();
            let share = covariance[(a, a)] - squares;
            determined -= alpha[a] * covariance[(a, a)];
            let value = alpha[a] * (2.0 * weights[(a, 0)] * moved[a] - share);
            (curve[(a, m)], curve[(m, a)]) = (value, value);
            curve[(m, m)] += alpha[a] * (share - 2.0 * weights[(a, 0)] * moved[a]);
        }
        slope[(m, 0)] = determined + noise.error - noise.rows;
    }
    for damping in DAMPING {
        let mut damped = curve.clone();
        damped.add_to_diagonal(&vec![damping; size]);
        let Ok(factor) = Cholesky::new(damped, control) else { continue };
        let mut logs: Vec<f64> = factor.solve(&slope, control)?.into_data().iter().map(|v| -v).collect();
        let longest = greatest(&logs);
        if longest.is_finite() {
            let share = (LONGEST / longest.max(f64::MIN_POSITIVE)).min(1.0);
            logs.iter_mut().for_each(|v| *v *= share);
            return Ok(LogAlphaStep::new(logs, &slope));
        }
    }
    // Against the slope at least.
    Ok(LogAlphaStep::new(slope.data().iter().map(|v| (-v).clamp(-LONGEST, LONGEST)).collect(), &slope))
}

/// The greatest size of a change.
pub(super) fn greatest(logs: &[f64]) -> f64 {
    logs.iter().fold(0.0, |m, v| if v.is_nan() { f64::INFINITY } else { m.max(v.abs()) })
}
