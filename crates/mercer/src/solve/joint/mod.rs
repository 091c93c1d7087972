//! Support vector machines of all classes at once, by block coordinate descent on the dual: one block holds the variables of a row.
//!
//! ```text
//! minimise    1/2 sum_c |w_c|^2 + sum_i C_i l(m_i),     m_ic = 1 - (g_iy - g_ic),  y = y_i,     g_ic = w_c'phi(x_i) + b_c
//! ```
//!
//! where l is the sum of max(0, m_c) over the other classes (Weston and Watkins 1999) or the greatest of them (Crammer and Singer 2001).
//! The dual has a variable a_ic >= 0 for each row and each other class. With B_ic = -a_ic and B_iy = sum_c a_ic it is
//!
//! ```text
//! maximise    sum_ic a_ic - 1/2 sum_c B_c'K B_c      subject to  sum_i B_ic = 0 for every c,
//!             a_ic <= C_i (Weston and Watkins)  or  sum_c a_ic <= C_i (Crammer and Singer),
//! ```
//!
//! w_c = sum_i B_ic phi(x_i). The sums of B belong to the offsets b, which are not penalised. They are found by the method of multipliers:
//! descent on the dual of the problem with |b - b0|^2 / (2 rho) added, in which K + rho takes the place of K and b = b0 + rho sum_i B_i,
//! then b0 = b. A point that is returned has sums of 0 (`feasible`), and its duality gap is a sum of terms none of which is negative:
//!
//! ```text
//! gap = sum_i C_i l(m_i) - sum_c a_ic m_ic
//! ```
//!
//! Steps of single rows zigzag where costs are large and many variables are free; as soon as they have cost as much, all free variables
//! take a step at once (`face`).
//!
//! Of two classes both are the problem of [`smo`](super::smo) with bounds 2 C_i, its f = g_2 - g_1, at half its objective.

mod crammer_singer;
mod face;
mod feasible;
mod row_loss;
mod state;
mod weston_watkins;

use super::smo::Options;
use crate::control::Control;
use crate::error::{Error, Result};
use crate::gram::{self, Features, Gram, RowCache, Side};
use crate::linalg::Matrix;
use row_loss::RowLoss;
use state::JointState;

/// What a row costs that is not beyond the margins to the other classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JointLoss {
    /// What it lacks to each margin, summed.
    WestonWatkins,
    /// What it lacks to the margin of the nearest other class.
    CrammerSinger,
}

/// Whether each class has an offset.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Offsets {
    /// One that is not penalised.
    #[default]
    Free,
    /// None: b = 0.
    Zero,
}

/// One problem over the rows of a Gram matrix.
#[derive(Clone, Debug, PartialEq)]
pub struct JointProblem {
    /// The class of each row, from 0.
    pub class: Vec<usize>,
    /// How many classes there are, 2 at least.
    pub classes: usize,
    /// C of each row, 0 or above.
    pub cost: Vec<f64>,
    /// What a row costs.
    pub loss: JointLoss,
    /// Whether there are offsets.
    pub offsets: Offsets,
    /// Where to start: B (N x C) and b, which are brought within the bounds. `None`: zeros.
    pub start: Option<(Matrix, Vec<f64>)>,
}

/// The answer to a problem; every number is computed from kernel values in f64.
#[derive(Clone, Debug, PartialEq)]
pub struct JointSolution {
    /// B, N x C.
    pub coef: Matrix,
    /// b, one for each class.
    pub offsets: Vec<f64>,
    /// Rows with variables above 0 that may still rise.
    pub free: usize,
    /// Rows none of whose variables may rise.
    pub bound: usize,
    /// Value of the primal problem.
    pub primal: f64,
    /// Value of the dual problem, never above the primal.
    pub dual: f64,
    /// (primal - dual) / max(|primal|, |dual|).
    pub gap: f64,
    /// Greatest violation of the optimality conditions of a row, in units of g, before the sums of coefficients were corrected.
    pub violation: f64,
    /// Steps, each of one row.
    pub iterations: usize,
    /// Whether gap and violation are within the tolerance.
    pub converged: bool,
}

/// Bytes that steps on all free variables of a problem take, at most.
pub(crate) fn bytes_of_steps(rows: usize, classes: usize) -> u64 {
    face::bytes(rows * classes.saturating_sub(1))
}

/// Solves a problem: a step takes the kernel values of a row, or its features where K is an inner product of fewer than there are rows.
///
/// Out of time or of steps, the best point so far is returned with its certificate.
///
/// # Errors
/// Sizes that do not fit; a kernel value that is not finite; on request of `control`.
pub fn solve(gram: &dyn Gram, problem: &JointProblem, options: &Options, control: &Control) -> Result<JointSolution> {
    // The first aim is so much smaller than the tolerance, as the gap sums what the violation bounds for each row; and each next aim.
    const AIM: f64 = 0.5;
    const NEXT_AIM: f64 = 0.2;
    // Times that a smaller violation is aimed at where the gap is not met.
    const ROUNDS: usize = 8;
    check(gram, problem)?;
    let rule: &dyn RowLoss = match problem.loss {
        JointLoss::WestonWatkins => &weston_watkins::SumOfMargins,
        JointLoss::CrammerSinger => &crammer_singer::NearestMargin,
    };
    let diagonal = gram::finite_diagonal(gram)?;
    let features = Features::of(gram, Side::Rows).filter(|z| matches!(z, Features::Sparse(_)) || z.cols() < z.rows());
    let mut state = JointState::new(problem, rule, diagonal, features);
    state.start(gram, control)?;
    let mut cache = RowCache::<f64>::new(gram, options.cache_bytes);
    let (mut best, mut aim): (Option<JointSolution>, f64) = (None, AIM * options.tolerance);
    for _ in 0..ROUNDS {
        let ended = state.descend(&mut cache, aim, options, control)?;
        state.measure();
        state.make_feasible();
        // A fit that was ended has a point all the same, and a point without a certificate is of no use.
        state.refresh(gram, &control.finishing())?;
        let found = state.solution(options.tolerance);
        if best.as_ref().is_none_or(|best| found.gap <= best.gap) {
            best = Some(found);
        }
        if ended || best.as_ref().is_some_and(|best| best.converged) {
            break;
        }
        aim *= NEXT_AIM;
    }
    let iterations = state.iterations;
    best.map(|best| JointSolution { iterations, ..best })
        .ok_or_else(|| Error::Internal { what: "a support vector problem of all classes".into(), why: "no point was found".into() })
}

/// An error unless sizes fit and costs are finite.
fn check(gram: &dyn Gram, problem: &JointProblem) -> Result<()> {
    let n = problem.class.len();
    Error::unless_equal("rows of the Gram matrix", n, gram.shape().0)?;
    Error::unless_equal("columns of the Gram matrix", n, gram.shape().1)?;
    Error::unless_equal("costs of rows", n, problem.cost.len())?;
    if let Some((coef, offsets)) = &problem.start {
        Error::unless_equal("rows of a start", n, coef.rows())?;
        Error::unless_equal("classes of a start", problem.classes, coef.cols())?;
        Error::unless_equal("offsets of a start", problem.classes, offsets.len())?;
    }
    let malformed = |why: String| Error::Data(format!("support vector problem of all classes: {why}"));
    if let Some(class) = problem.class.iter().find(|class| **class >= problem.classes) {
        return Err(malformed(format!("class {class} of {} classes", problem.classes)));
    }
    match problem.cost.iter().position(|cost| !(*cost >= 0.0 && cost.is_finite())) {
        Some(i) => Err(malformed(format!("row {} costs {}; expected a finite number, 0 or above", i + 1, problem.cost[i]))),
        None => Ok(()),
    }
}
