//! Sparse Bayesian learning (Tipping 2001; Tipping & Faul 2003): weights w_m ~ N(0, I / alpha_m) of the columns phi_m of a matrix, each
//! alpha_m at the maximum of the marginal likelihood, most of them infinite.
//!
//! What the likelihood is of one alpha alone, all others held: with s and q of the column as if it were not there,
//! ```text
//! l(x) = 1/2 sum_c ( q_c^2 x / (1 + s_c x) - log(1 + s_c x) ),   x = 1 / alpha,
//! ```
//! greatest at x = (q^2 - s) / s^2 for one output, and at 0 where q^2 <= s: the column is left out.

mod classes;
mod forward;
mod joint;
mod numbers;
mod root;
mod span;

pub use classes::{ClassPlan, classes};
pub use numbers::{Numbers, Plan, numbers};
pub use span::Columns;

use crate::linalg::Matrix;

/// A fit is done where no single change of an alpha adds more to the log of the marginal likelihood, of numbers and of classes: for these
/// what Laplace's approximation leaves out is so much larger that less decides nothing.
const TOLERANCE: f64 = 1e-6;
const TOLERANCE_OF_CLASSES: f64 = 0.1;
/// A column whose weight is determined by less than this (gamma) adds less than the tolerance: about gamma^2 / 4.
const UNDETERMINED: f64 = 1e-3;
/// The share of the square of a column's length that a part of it must exceed to be more than rounding: the square of 1e4 times the
/// precision, so that a function along that part keeps four digits.
pub const SPANNED: f64 = 1e8 * f64::EPSILON * f64::EPSILON;
/// Changes at most.
const MOST_CHANGES: usize = 20_000;

/// The columns that stay, and what a prediction needs of them.
#[derive(Clone, Debug, Default)]
pub struct Relevance {
    /// Columns with a weight, ascending.
    pub columns: Vec<usize>,
    /// Their weights, columns x outputs.
    pub weights: Matrix,
    /// The constant of each output of classes, where there is one.
    pub constant: Vec<f64>,
    /// L with the posterior covariance L L' of the weights of numbers.
    pub root: Matrix,
    /// Their alphas.
    pub alpha: Vec<f64>,
    /// Variance of the noise of numbers; 0 for classes.
    pub noise: f64,
    /// Log of the marginal likelihood; of classes by Laplace's approximation.
    pub evidence: f64,
    /// Changes of alphas that were made.
    pub changes: usize,
    /// What a single change of an alpha would still add to the log of the marginal likelihood.
    pub gain: f64,
    /// The gain at which a fit is done.
    pub tolerance: f64,
}

/// l(to) - l(from): both may be great where noise is small, and their difference small.
fn gain(s: &[f64], q: &[f64], from: f64, to: f64) -> f64 {
    let of = |(s, q): (&f64, &f64)| {
        let (here, there) = (1.0 + s * from, 1.0 + s * to);
        let share = s * (to - from) / here;
        let log = if share.abs() < 0.5 { share.ln_1p() } else { (there / here).ln() };
        0.5 * (q * q * (to - from) / (here * there) - log)
    };
    s.iter().zip(q).map(of).sum()
}

/// The x at which l is greatest.
fn best(s: &[f64], q: &[f64]) -> f64 {
    // Halvings of an interval of log x.
    const HALVINGS: usize = 60;
    if let ([s], [q]) = (s, q) {
        return ((q * q - s) / (s * s)).max(0.0);
    }
    // 2 dl/dx.
    let slope = |x: f64| s.iter().zip(q).map(|(s, q)| (q / (1.0 + s * x)).powi(2) - s / (1.0 + s * x)).sum::<f64>();
    let largest = s.iter().copied().fold(0.0, f64::max);
    if slope(0.0) <= 0.0 || largest <= 0.0 {
        return 0.0;
    }
    let (mut low, mut high) = ((1e-12 / largest).ln(), (1e18 / largest).ln());
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        if slope(middle.exp()) > 0.0 { low = middle } else { high = middle }
    }
    low.exp()
}

/// A change of one alpha and what it adds.
#[derive(Clone, Copy)]
struct Change {
    column: usize,
    /// 1 / alpha; 0 leaves the column out.
    x: f64,
    gain: f64,
}

/// The better of two changes, the first of equal ones.
fn better(a: Change, b: Change) -> Change {
    if b.gain > a.gain { b } else { a }
}

const NONE: Change = Change { column: 0, x: 0.0, gain: f64::NEG_INFINITY };
