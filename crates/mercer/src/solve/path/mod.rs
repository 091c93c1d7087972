//! All solutions of a two-class support vector machine, for every penalty C = 1 / lambda (Hastie, Rosset, Tibshirani & Zhu 2004).
//!
//! ```text
//! minimise  sum_i w_i max(0, 1 - y_i f(x_i)) + lambda/2 |f|^2,     f(x) = (sum_i s_i k(x_i, x) + s_0) / lambda,
//! 0 <= y_i s_i <= w_i,   sum_i s_i = 0
//! ```
//!
//! s and s_0 are linear in lambda between breakpoints. With h_i = sum_j s_j k(x_i, x_j) + s_0 = lambda f(x_i), a row is left of the elbow
//! of its loss (y_i h_i <= lambda, y_i s_i = w_i), right of it (y_i h_i >= lambda, s_i = 0) or on it (y_i h_i = lambda). `walk` follows
//! the active set from the widest margin on, `start` finds where it begins, `knots` keeps what it passes.

mod knots;
mod start;
mod walk;

use crate::control::Control;
use crate::error::{Error, Result};
use crate::linalg::Matrix;
use knots::Knots;
use walk::Walk;

/// Where the path of a support vector machine ends, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathEnd {
    /// It covers every C: beyond the last breakpoint it is one line.
    Complete,
    /// The greatest C that was asked for.
    Asked,
    /// The time was up, or an end was asked for.
    Stopped,
    /// An active set came again at one C: rows that are equal but for rounding.
    Cycled,
    /// The optimality conditions are violated by more than rounding: the kernel is no Mercer kernel, or C so large that digits are lost.
    Inexact,
}

impl PathEnd {
    /// The reason in words.
    pub fn reason(self) -> &'static str {
        match self {
            PathEnd::Complete => "complete",
            PathEnd::Asked => "the greatest C that was asked for",
            PathEnd::Stopped => "stopped early",
            PathEnd::Cycled => "an active set came again",
            PathEnd::Inexact => "rounding exceeds 1e-6 of the margin beyond it",
        }
    }
}

/// A value of C at which the solution changes its direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Breakpoint {
    /// C = 1 / lambda.
    pub c: f64,
    /// The intercept of the decision function.
    pub intercept: f64,
    /// Rows on the margin between this breakpoint and the next: free coefficients.
    pub elbow: usize,
    /// Rows within the margin or beyond it, from here on: coefficients at their bound.
    pub left: usize,
    /// Rows outside the margin, from here on: no support vectors.
    pub right: usize,
    /// Weighted share of misclassified training rows.
    pub error: f64,
    /// The greatest violation of an optimality condition, in units of the margin.
    pub violation: f64,
}

/// The solution at one C: f(x) = sum_i coef_i k(x_i, x) + intercept.
#[derive(Clone, Debug, PartialEq)]
pub struct PathPoint {
    /// One signed coefficient per row, in -C w_i .. C w_i.
    pub coef: Vec<f64>,
    /// The intercept; where no row is on the margin, the middle of the interval of equally good ones.
    pub intercept: f64,
}

/// The path of all solutions.
#[derive(Clone, Debug)]
pub struct SvmPath {
    knots: Knots,
    signs: Vec<f64>,
    end: PathEnd,
}

impl SvmPath {
    /// The path of N rows up to the penalty `most`, infinity for all of it, from their N x N matrix of Mercer kernel values, whose memory it
    /// takes. `positive`: the class of each row; `weights`: how much its loss counts, 0 for rows that are left out.
    ///
    /// # Errors
    /// Lengths that do not fit, numbers that are not finite, a class without weight, `most` not above 0; memory; stopping.
    pub fn new(gram: Matrix, positive: &[bool], weights: &[f64], most: f64, control: &Control) -> Result<Self> {
        check(&gram, positive, weights, most)?;
        let signs: Vec<f64> = positive.iter().map(|p| if *p { 1.0 } else { -1.0 }).collect();
        let (gram, means) = centred(gram)?;
        let (mut walk, lambda) = start::start(&gram, &signs, weights, control)?;
        let mut knots = Knots::new(means);
        let end = follow(&mut walk, lambda.max(1.0 / most), 1.0 / most, Some(&mut knots), control)?;
        if knots.is_empty() {
            let why = format!("{} before the first breakpoint; allow more time, or scale the columns", end.reason());
            return Err(Error::Numerical { what: "path".into(), why });
        }
        Ok(SvmPath { knots, signs, end })
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.signs.len()
    }

    /// Where the path ends.
    pub fn end(&self) -> PathEnd {
        self.end
    }

    /// The greatest C at which the path is known; infinity where it is complete.
    pub fn most_c(&self) -> f64 {
        if self.end == PathEnd::Complete { f64::INFINITY } else { self.knots.last_c() }
    }

    /// Whether every training row is classified with a full margin where C is large: the path ends in the hard-margin machine.
    pub fn is_separated(&self) -> bool {
        self.end == PathEnd::Complete && self.knots.ends_in_zero()
    }

    /// The breakpoints by ascending C; two of one C where equally good coefficients are exchanged. None where no C is different.
    pub fn breakpoints(&self) -> Vec<Breakpoint> {
        self.knots.breakpoints()
    }

    /// alpha_i = y_i coef_i / C in 0..w_i at every breakpoint (breakpoints x N).
    ///
    /// # Errors
    /// Memory.
    pub fn alphas(&self, control: &Control) -> Result<Matrix> {
        let (count, n) = (self.knots.finite(), self.rows());
        control.plan("coefficients of a path", 8 * (count * n) as u64)?;
        let mut all = Vec::with_capacity(count * n);
        self.knots.each_finite(|s| all.extend(s.iter().zip(&self.signs).map(|(s, y)| s * y)));
        Matrix::new(count, n, all)
    }

    /// The solution at a penalty.
    ///
    /// # Errors
    /// C not above 0 or not finite, or beyond the end of the path.
    pub fn at(&self, c: f64) -> Result<PathPoint> {
        let refuse = |domain: String| Err(Error::OutOfDomain { owner: "path".into(), name: "C".into(), value: c.to_string(), domain });
        if !(c > 0.0 && c.is_finite()) {
            return refuse("above 0 and finite".into());
        }
        // A breakpoint that was printed is on the path.
        if c > self.most_c() * (1.0 + 1e-12) {
            return refuse(format!("at most {}, where the path ends ({})", self.most_c(), self.end.reason()));
        }
        let (s, offset) = self.knots.at(1.0 / c);
        Ok(PathPoint { coef: s.into_iter().map(|s| s * c).collect(), intercept: offset * c })
    }
}

fn check(gram: &Matrix, positive: &[bool], weights: &[f64], most: f64) -> Result<()> {
    let n = positive.len();
    Error::unless_equal("rows of the kernel matrix", n, gram.rows())?;
    Error::unless_equal("columns of the kernel matrix", n, gram.cols())?;
    Error::unless_equal("weights", n, weights.len())?;
    if gram.data().iter().any(|v| !v.is_finite()) {
        return Err(Error::Numerical { what: "kernel matrix".into(), why: "a value is not finite; scale the columns".into() });
    }
    if let Some(i) = weights.iter().position(|w| !(w.is_finite() && *w >= 0.0)) {
        return Err(Error::Data(format!("row {}: the weight {} is not a finite number of 0 or above", i + 1, weights[i])));
    }
    let mass = |class: bool| positive.iter().zip(weights).filter(|(p, _)| **p == class).map(|(_, w)| w).sum::<f64>();
    if mass(true) <= 0.0 || mass(false) <= 0.0 {
        return Err(Error::Data("a path needs rows of two classes with weights above 0; add rows of the other class".into()));
    }
    if most.is_nan() || most <= 0.0 {
        return Err(Error::OutOfDomain { owner: "path".into(), name: "C".into(), value: most.to_string(), domain: "above 0".into() });
    }
    Ok(())
}

/// K with its rows around their mean and a constant added, and the mean of each row of K. As the coefficients sum to 0, both move the
/// offset alone; with the constant, K of some rows has a Cholesky factor wherever the rows and an offset determine their coefficients.
///
/// # Errors
/// A row with a distance below 0 from the mean.
fn centred(mut k: Matrix) -> Result<(Matrix, Vec<f64>)> {
    // What rounding may leave of a value, as a share of the greatest on the diagonal.
    const ROUNDING: f64 = 1e-10;
    let n = k.rows();
    let means: Vec<f64> = (0..n).map(|i| k.row(i).iter().sum::<f64>() / n as f64).collect();
    let mean = means.iter().sum::<f64>() / n as f64;
    let distances: Vec<f64> = (0..n).map(|i| k[(i, i)] - 2.0 * means[i] + mean).collect();
    let variance = distances.iter().sum::<f64>() / n as f64;
    let size = k.diagonal().iter().fold(0.0, |m: f64, v| m.max(v.abs()));
    if let Some(i) = distances.iter().position(|d| *d < -ROUNDING * size) {
        let why = format!("row {} has the squared distance {:.3e} from the mean of the rows; take a Mercer kernel", i + 1, distances[i]);
        return Err(Error::Numerical { what: "kernel matrix of a path".into(), why });
    }
    // Rows that are all equal have no variance but rounding.
    let constant = if variance > 1e-13 * size { variance } else { size.max(f64::MIN_POSITIVE) };
    for i in 0..n {
        let own = means[i];
        k.row_mut(i).iter_mut().zip(&means).for_each(|(v, other)| *v = *v - own - other + mean + constant);
    }
    Ok((k, means))
}

/// Follows the active set as its parameter falls from `from` to `to`, and keeps what it passes.
fn follow(walk: &mut Walk<'_>, from: f64, to: f64, mut knots: Option<&mut Knots>, control: &Control) -> Result<PathEnd> {
    // The greatest violation of a condition, in units of the margin, with which the path goes on.
    const EXACT: f64 = 1e-6;
    // Changes of the active set between two looks at the clock.
    const LOOK: usize = 16;
    walk.begin(from);
    for change in 0.. {
        control.check()?;
        if change % LOOK == 0 && control.out_of_time() {
            return Ok(PathEnd::Stopped);
        }
        match walk.refresh(control) {
            Err(Error::Time { .. }) => return Ok(PathEnd::Stopped),
            refreshed => refreshed?,
        }
        if let Some(knots) = knots.as_deref_mut()
            && knots.judge(walk.violation()) > EXACT
        {
            knots.forget_last();
            return Ok(PathEnd::Inexact);
        }
        let next = walk.next_event();
        let end = next.as_ref().is_none_or(|event| walk.parameter() - event.after <= to);
        let after = next.as_ref().filter(|_| !end).map_or(walk.parameter() - to, |event| event.after);
        if after > 0.0 || end {
            if let Some(knots) = knots.as_deref_mut() {
                knots.depart(walk, walk.parameter() - after);
            }
            walk.advance(after);
            if let Some(knots) = knots.as_deref_mut() {
                knots.arrive(walk);
            }
        }
        let Some(event) = next.filter(|_| !end) else { break };
        if !walk.change(&event, control)? {
            return Ok(PathEnd::Cycled);
        }
    }
    Ok(if to > 0.0 { PathEnd::Asked } else { PathEnd::Complete })
}
