//! The dual problem of support vector machines, solved by decomposition into blocks and pairs.
//!
//! ```text
//! minimise    1/2 a'Qa + p'a      subject to  y'a = delta,  0 <= a_i <= C_i,      Q_ij = y_i y_j K_ij
//! ```
//!
//! With b_i = y_i a_i and z_i = -y_i p_i the signs go away; this is the form that is solved here:
//!
//! ```text
//! minimise    1/2 b'Kb - z'b + tube sum |b|     subject to  sum b = delta,  low_i <= b_i <= high_i
//! ```
//!
//! where low..high is 0..C for y = +1 and -C..0 for y = -1, and tube is 0. Support vector regression, whose dual has two
//! variables a and ahat for each row, is the same problem with b = a - ahat, low..high = -C..C and tube = epsilon: half the
//! variables, and a kink at b = 0.
//!
//! With f = Kb and v = z - f, the slope of the objective is up_i = v_i - tube where b_i >= 0 is raised, v_i + tube where
//! b_i < 0 is; down_i = v_i - tube where b_i > 0 is lowered, v_i + tube where b_i <= 0 is. The point b is optimal if and only
//! if up_i <= offset for every b_i < high_i and down_i >= offset for every b_i > low_i. The primal value is
//! 1/2 b'Kb + delta offset + sum_i max over s in low_i..high_i of s (v_i - offset) - tube |s|, so that
//!
//! ```text
//! duality gap = sum_i (max over s of s u_i - tube |s|) - (b_i u_i - tube |b_i|),     u_i = v_i - offset,
//! ```
//!
//! a sum of terms none of which is negative.
//!
//! References: Osuna, Freund and Girosi (1997), decomposition; Fan, Chen and Lin (2005), second-order
//! choice of pairs; Joachims (1999) and Wen et al. (2018, ThunderSVM), blocks of violators of which half are kept.

mod among;
#[cfg(test)]
mod bells;
mod certificate;
mod coordinates;
mod decompose;
mod interior;
mod lanes;
mod newton;
mod pairs;
mod panels;
mod part;
mod passes;
mod sides;
mod state;
mod whole;

use crate::control::Control;
use crate::error::{Error, Result};
use crate::gram::{Features, Gram, RowCache, Side};
use passes::Passes;
use rayon::prelude::*;
use state::State;
use std::sync::Arc;

/// Below this tolerance rows of f32 are not tried.
const NARROW: f64 = 1e-5;
/// Share of the tolerance that is aimed at, so that exact values do not just miss it.
const MARGIN: f64 = 0.9;
/// Once the violation is within the tolerance, the gap may take so many times the steps taken, and so many per variable.
const PATIENCE: (usize, usize) = (4, 100);
/// Times that a problem is taken up again from exact values, per kind of row.
const ROUNDS: usize = 3;

/// One problem over rows of a Gram matrix.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// The row of K that each variable belongs to, ascending.
    pub row: Vec<usize>,
    /// z, one per variable.
    pub target: Vec<f64>,
    /// The least value of each variable, 0 or below.
    pub low: Vec<f64>,
    /// The greatest value of each variable, 0 or above.
    pub high: Vec<f64>,
    /// Half the height of the tube within which nothing is lost; 0 for classification.
    pub tube: f64,
    /// Where to start, within the bounds; its sum is kept. `None`: zeros.
    pub start: Option<Vec<f64>>,
}

/// When to stop, and how much memory to use.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// The greatest violation of the optimality conditions, and the greatest relative duality gap.
    pub tolerance: f64,
    /// The most pair steps per problem.
    pub max_iterations: usize,
    /// Bytes of kernel rows to keep.
    pub cache_bytes: u64,
}

impl Default for Options {
    fn default() -> Self {
        Options { tolerance: 1e-3, max_iterations: 10_000_000, cache_bytes: 1_000_000_000 }
    }
}

/// The answer to one problem, every number computed from kernel values in f64; rows of no part in any were found to be far from
/// having one in f32, by many times what its rounding was found to be.
#[derive(Clone, Debug, PartialEq)]
pub struct Solution {
    /// b, one per variable.
    pub coef: Vec<f64>,
    /// f = Kb at every variable, those that are held at 0 too; `None` where it was not worth knowing everywhere.
    pub values: Option<Vec<f64>>,
    /// v at the variables strictly between their bounds, averaged; where there is none, the middle of what is possible.
    pub offset: f64,
    /// How many variables lie strictly between their bounds.
    pub free: usize,
    /// How many variables lie at the bound that is not zero.
    pub bound: usize,
    /// Value of the primal problem.
    pub primal: f64,
    /// Value of the dual problem, never above the primal.
    pub dual: f64,
    /// (primal - dual) / max(|primal|, |dual|).
    pub gap: f64,
    /// Greatest v where b may rise, less the least v where b may fall; 0 or below at the optimum.
    pub violation: f64,
    /// Pair steps.
    pub iterations: usize,
    /// Whether gap and violation are within the tolerance.
    pub converged: bool,
}

/// Solves problems over one symmetric Gram matrix; they share its rows.
///
/// Out of time or of iterations, the best point so far is returned with its certificate. An error if a problem
/// is malformed, a kernel value is not finite, or stopping was asked for.
pub fn solve(gram: &dyn Gram, problems: &[Problem], options: &Options, control: &Control) -> Result<Vec<Solution>> {
    solve_from(gram, problems, &[], options, control)
}

/// The same where f = Kb of the start is known for some problems, as it is along a path of penalties.
pub fn solve_from(
    gram: &dyn Gram,
    problems: &[Problem],
    known: &[Option<&[f64]>],
    options: &Options,
    control: &Control,
) -> Result<Vec<Solution>> {
    let diagonal = crate::gram::finite_diagonal(gram)?;
    let mut states = problems.par_iter().map(|p| State::new(p, gram.shape(), &diagonal)).collect::<Result<Vec<_>>>()?;
    for (state, values) in states.iter_mut().zip(known) {
        if let Some(values) = values.filter(|f| f.len() == state.coef.len()) {
            state.values.copy_from_slice(values);
            state.exact = true;
        }
    }
    if states.iter().any(interior::begins)
        && let Some(features) = gram.features(Side::Rows)
        && states.iter().any(|s| interior::fits(s, &features))
    {
        let features = Arc::new(features.into_owned());
        states.iter_mut().filter(|s| interior::fits(s, &features)).for_each(|s| s.features = Some(Arc::clone(&features)));
    }
    let (mut small, mut large): (Vec<&mut State<'_>>, Vec<&mut State<'_>>) =
        states.iter_mut().partition(|s| whole::fits(s, problems.len(), gram, control));
    if !small.is_empty() {
        whole::solve(gram, &mut small, options, control)?;
    }
    large.extend(small.into_iter().filter(|s| !s.closed));
    if let Some(features) = large.iter().any(|s| !s.near).then(|| Features::of(gram, Side::Rows)).flatten() {
        let fits = large.iter_mut().filter(|s| coordinates::fits(s, &features));
        let mut first: Vec<&mut State<'_>> = fits.map(|s| &mut **s).collect();
        coordinates::run(&features, &mut first, options, control)?;
        large.retain(|s| !s.closed);
    }
    large.par_iter_mut().for_each(|state| {
        if let Some(features) = state.features.take() {
            interior::start(state, &features, control);
        }
    });
    if large.iter().any(|s| s.is_moved()) {
        certificate::refresh(gram, &mut large, None, control)?;
        large.iter_mut().for_each(|s| s.stretch());
    }
    if options.tolerance >= NARROW {
        let mut far: Vec<&mut State<'_>> = large.iter_mut().filter(|s| !s.near).map(|s| &mut **s).collect();
        settle::<f32>(gram, &mut far, options, control)?;
    }
    settle::<f64>(gram, &mut large, options, control)?;
    Ok(states.into_par_iter().map(|s| s.into_solution(options.tolerance)).collect())
}

/// Takes every open problem to its tolerance with rows of one kind, then checks with exact values; again where that fails.
fn settle<T: Passes>(gram: &dyn Gram, states: &mut [&mut State<'_>], options: &Options, control: &Control) -> Result<()> {
    let (mut cache, rounded) = (None, (size_of::<T>() == 4).then_some(options.tolerance));
    for _ in 0..ROUNDS {
        if states.iter().all(|s| s.closed) {
            return Ok(());
        }
        let moved = match states {
            [state] if part::fits(gram, state) => part::run::<T>(gram, state, options, control)?,
            _ => {
                let cache = cache.get_or_insert_with(|| RowCache::<T>::new(gram, options.cache_bytes));
                decompose::run(states, cache, options, 0, control)?
            }
        };
        certificate::refresh(gram, states, rounded, control)?;
        for state in states.iter_mut() {
            state.closed |= state.is_optimal(options.tolerance);
        }
        if !moved {
            return Ok(());
        }
    }
    Ok(())
}

/// The error of a problem that makes no sense.
fn malformed(why: &str) -> Error {
    Error::Data(format!("support vector problem: {why}"))
}
