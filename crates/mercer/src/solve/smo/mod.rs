//! The dual problem of support vector machines, solved by decomposition into blocks and pairs; `plan` chooses the way of each problem.
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
//! a sum of terms none of which is negative. Where variables are in groups, the sum of each group is kept: all of this holds with an
//! offset for each group, and pairs are of one group. The dual of nu-SVC has a group for each class: with z = 0 and sums of nu N / 2
//! and -nu N / 2 its offsets are bias - rho and bias + rho, and b / rho solves the problem of C = 1 / rho (Schölkopf et al. 2000).
//!
//! References: Osuna, Freund and Girosi (1997), decomposition; Fan, Chen and Lin (2005), second-order
//! choice of pairs; Joachims (1999) and Wen et al. (2018, ThunderSVM), blocks of violators of which half are kept.

mod certificate;
mod class_blocks;
mod coordinates;
mod decompose;
mod dense;
mod interior;
mod kept_rows;
mod lazy_rows;
mod limits;
mod newton;
mod pairs;
mod passes;
mod plan;
mod session;
mod shrinking;
mod simd;
mod state;
mod working_set_gram;

use crate::control::Control;
use crate::error::{Error, Result};
use crate::gram::{Features, Gram};
use kept_rows::KeptRows;
use limits::common::*;
use passes::Passes;
use plan::Road;
pub use session::{Proof, SolverSession};
use state::{ProblemStage, ProblemState};

/// One problem over rows of a Gram matrix.
#[derive(Clone, Debug, Default, PartialEq)]
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
    /// Where to start, within the bounds; its sum is kept, in each group. `None`: zeros.
    pub start: Option<Vec<f64>>,
    /// The group of each variable, from 0, where the sum of each group is kept and has an offset; empty for one group.
    pub group: Vec<usize>,
}

impl Problem {
    fn group_of(&self, k: usize) -> usize {
        self.group.get(k).copied().unwrap_or(0)
    }
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

/// How exact values of f = Kb are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// Computed from kernel values in f64 at every variable.
    Exact,
    /// Computed from kernel values in f64 at every variable that has a part in the certificate.
    Certified,
    /// As steps have left them.
    Stepped,
}

/// Values of f = Kb of a start.
#[derive(Clone, Copy, Debug)]
pub struct KnownValues<'a> {
    /// f at every variable.
    pub values: &'a [f64],
    /// How exact they are.
    pub precision: Precision,
}

/// The answer to one problem, every number computed from kernel values in f64 unless it is one on the way to another ([`Proof`]); rows of no
/// part in any were found to be far from having one in f32, by many times what its rounding was found to be.
#[derive(Clone, Debug, PartialEq)]
pub struct Solution {
    /// b, one per variable.
    pub coef: Vec<f64>,
    /// f = Kb at every variable, those that are held at 0 too.
    pub values: Vec<f64>,
    /// What is known of these values.
    pub precision: Precision,
    /// Of each group, at least one, v at the variables strictly between their bounds, averaged; where there is none, the middle of what is possible.
    pub offsets: Vec<f64>,
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
    /// Greatest v where b may rise, less the least v where b may fall, of the worst group; 0 or below at the optimum.
    pub violation: f64,
    /// Pair steps.
    pub iterations: usize,
    /// Whether gap and violation are within the tolerance.
    pub converged: bool,
}

impl Solution {
    /// f = Kb at every variable, where all of it was computed in f64.
    pub fn exact_values(&self) -> Option<&[f64]> {
        (self.precision == Precision::Exact).then_some(&self.values)
    }
}

/// Solves problems over one symmetric Gram matrix; they share its rows.
///
/// Out of time or of iterations, the best point so far is returned with its certificate. An error if a problem
/// is malformed, a kernel value is not finite, or stopping was asked for.
pub fn solve(gram: &dyn Gram, problems: &[Problem], options: &Options, control: &Control) -> Result<Vec<Solution>> {
    solve_from(gram, problems, &[], options, control)
}

/// Solves problems where f = Kb of the start is known for some, as it is along a path of penalties.
pub fn solve_from(
    gram: &dyn Gram,
    problems: &[Problem],
    known: &[Option<&[f64]>],
    options: &Options,
    control: &Control,
) -> Result<Vec<Solution>> {
    let exact = |values| KnownValues { values, precision: Precision::Exact };
    let known: Vec<Option<KnownValues<'_>>> = known.iter().map(|values| values.map(exact)).collect();
    SolverSession::new(gram)?.solve(problems, &known, Proof::Exact, options, control)
}

/// What every road works on.
#[derive(Clone, Copy)]
struct SolverJob<'a> {
    gram: &'a dyn Gram,
    /// Z with K = Z Z', where it is known.
    features: Option<&'a Features<'a>>,
    options: Options,
    proof: Proof,
    control: &'a Control,
}

/// Where steps in one precision have led.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StepProgress {
    /// They may lead further from exact values.
    Moved,
    /// More of them lead nowhere.
    Stands,
}

/// Takes problems to their tolerance over rows of K, in f32 where they are not near their optimum, then in f64.
fn settle_in_turn(job: &SolverJob<'_>, kept: &mut KeptRows<'_>, states: &mut [&mut ProblemState<'_>], road: Road) -> Result<()> {
    let in_f32 = job.options.tolerance >= NARROW;
    if states.iter().any(|s| s.is_moved()) {
        let is_known = |s: &ProblemState<'_>| match s.known {
            Some(Precision::Exact) => true,
            Some(_) => in_f32 && s.stage == ProblemStage::Cold,
            None => false,
        };
        let mut unknown: Vec<&mut ProblemState<'_>> = states.iter_mut().filter(|s| !is_known(s)).map(|s| &mut **s).collect();
        certificate::refresh(job, &mut unknown, None, 1)?;
        states.iter_mut().for_each(|s| s.stretch());
    }
    if in_f32 {
        let mut cold: Vec<&mut ProblemState<'_>> = states.iter_mut().filter(|s| s.stage == ProblemStage::Cold).map(|s| &mut **s).collect();
        settle::<f32>(job, kept, &mut cold, road)?;
    }
    settle::<f64>(job, kept, states, road)
}

/// Takes every open problem to its tolerance with rows of one kind, then checks with exact values, if they are asked for or f as the steps
/// have left it says that the point is not optimal; again where that fails.
fn settle<T: Passes>(job: &SolverJob<'_>, kept: &mut KeptRows<'_>, states: &mut [&mut ProblemState<'_>], road: Road) -> Result<()> {
    let (options, control) = (&job.options, job.control);
    let rounded = (size_of::<T>() == 4).then_some(options.tolerance);
    for _ in 0..ROUNDS {
        if states.iter().all(|s| s.is_done()) {
            return Ok(());
        }
        let progress = match states {
            [state] if road == Road::Shrinking => shrinking::run::<T>(job, state)?,
            _ => decompose::run(states, kept.cache::<T>(options.cache_bytes), options, 0, control)?,
        };
        states.iter_mut().for_each(|s| s.known = Some(Precision::Stepped));
        let is_enough = |s: &ProblemState<'_>| job.proof == Proof::AsStepped && s.is_optimal(options.tolerance);
        let mut unproven: Vec<&mut ProblemState<'_>> = states.iter_mut().filter(|s| !is_enough(s)).map(|s| &mut **s).collect();
        certificate::refresh(job, &mut unproven, rounded, 1)?;
        unproven.iter_mut().for_each(|s| s.known = Some(if rounded.is_some() { Precision::Certified } else { Precision::Exact }));
        states.iter_mut().for_each(|s| s.end_if(s.is_optimal(options.tolerance)));
        if progress == StepProgress::Stands {
            return Ok(());
        }
    }
    Ok(())
}

/// The error of a problem that makes no sense.
fn malformed(why: &str) -> Error {
    Error::Data(format!("support vector problem: {why}"))
}
