//! The proof of a solution: duality gap, violation and offset, from kernel values in f64.

use super::state::ProblemState;
use super::{CHECK, SAFE, SolverJob};
use crate::control::Control;
use crate::error::Result;
use crate::gram::{Features, Gram, HERE, apply_among, apply_rows};
use crate::linalg::Matrix;

/// The place of a row without a coefficient.
const NOWHERE: usize = usize::MAX;

/// Where the slopes of a group lie.
pub(super) struct GroupLevel {
    /// The greatest slope where b may rise, and the least where it may fall.
    top: f64,
    bottom: f64,
    /// How many variables are free to go both ways, and the sum of their slopes.
    free: usize,
    sum: f64,
}

impl GroupLevel {
    pub(super) fn offset(&self) -> f64 {
        if self.free > 0 { self.sum / self.free as f64 } else { self.middle() }
    }

    /// The middle of the slopes, or the one that there is.
    pub(super) fn middle(&self) -> f64 {
        match (self.top.is_finite(), self.bottom.is_finite()) {
            (true, true) => 0.5 * (self.top + self.bottom),
            (true, false) => self.top,
            (false, true) => self.bottom,
            (false, false) => 0.0,
        }
    }

    fn violation(&self) -> f64 {
        if self.top.is_finite() && self.bottom.is_finite() { self.top - self.bottom } else { 0.0 }
    }
}

/// How good a point is.
pub(super) struct Quality {
    /// One for each group.
    pub(super) levels: Vec<GroupLevel>,
    pub(super) bound: usize,
    pub(super) primal: f64,
    pub(super) dual: f64,
    pub(super) gap: f64,
    pub(super) violation: f64,
}

impl Quality {
    pub(super) fn free(&self) -> usize {
        self.levels.iter().map(|l| l.free).sum()
    }

    pub(super) fn within(&self, tolerance: f64) -> bool {
        self.violation <= tolerance && self.gap <= tolerance
    }
}

/// The quality of a point, its values of f taken as they stand.
pub(super) fn of(state: &ProblemState<'_>) -> Quality {
    let p = state.problem;
    let n = state.coef.len();
    let (mut bound, groups) = (0, p.group.iter().max().map_or(1, |g| g + 1));
    let mut levels: Vec<GroupLevel> =
        (0..groups).map(|_| GroupLevel { top: f64::NEG_INFINITY, bottom: f64::INFINITY, free: 0, sum: 0.0 }).collect();
    for k in 0..n {
        let ((rise, fall), level) = (state.slopes(k), &mut levels[p.group_of(k)]);
        (level.top, level.bottom) = (level.top.max(rise), level.bottom.min(fall));
        if rise == fall {
            level.free += 1;
            level.sum += rise;
        } else if state.coef[k] != 0.0 {
            bound += 1;
        }
    }
    let offsets: Vec<f64> = levels.iter().map(GroupLevel::offset).collect();
    let (mut gap, mut linear, mut quadratic) = (0.0, 0.0, 0.0);
    for k in 0..n {
        let (b, u) = (state.coef[k], state.v(k) - offsets[p.group_of(k)]);
        // (s - b) u - tube (|s| - |b|) at the best s, which is a bound or 0.
        let best = if u > p.tube {
            p.high[k]
        } else if u < -p.tube {
            p.low[k]
        } else {
            0.0
        };
        gap += (best - b) * u - p.tube * (best.abs() - b.abs());
        // From where it began with values of f there: b'Kb grows by the change of b times the sum of both values of f.
        let (from, f) = state.before.as_ref().map_or((0.0, 0.0), |before| (before.coef[k], before.values[k]));
        linear += p.target[k] * (b - from) - p.tube * (b.abs() - from.abs());
        quadratic += (b - from) * (state.values[k] + f);
    }
    let dual = state.before.as_ref().map_or(0.0, |before| before.dual) + linear - 0.5 * quadratic;
    let primal = dual + gap;
    let size = primal.abs().max(dual.abs());
    let gap = if size > 0.0 { gap / size } else { 0.0 };
    let violation = levels.iter().map(GroupLevel::violation).fold(f64::NEG_INFINITY, f64::max);
    Quality { levels, bound, primal, dual, gap, violation }
}

/// Computes f = Kb anew in f64 for every problem, all of them in one pass. `rounded` is the tolerance where f is known but for
/// the rounding of f32: then nothing is computed for rows that have no coefficient and are far from ever taking one.
///
/// Far is by more than the tolerance and [`SAFE`] times what f was found to be off where it is computed. Such a row has no part in the
/// greatest violation, in the gap and in the objective, so that these are those of f64. Tasks have `least` tiles at least.
pub(super) fn refresh(job: &SolverJob<'_>, states: &mut [&mut ProblemState<'_>], rounded: Option<f64>, least: usize) -> Result<()> {
    let (gram, control) = (job.gram, &job.control.finishing());
    if states.is_empty() {
        return Ok(());
    }
    let n = gram.shape().0;
    let mut at = vec![NOWHERE; n];
    let with_part = states.iter().flat_map(|s| s.problem.row.iter().zip(&s.coef)).filter(|(_, b)| **b != 0.0);
    with_part.for_each(|(&r, _)| at[r] = 0);
    let support: Vec<usize> = (0..n).filter(|&r| at[r] != NOWHERE).collect();
    support.iter().enumerate().for_each(|(s, &r)| at[r] = s);
    let mut coef = Matrix::zeros(support.len(), states.len());
    for (o, state) in states.iter().enumerate() {
        for (&r, &b) in state.problem.row.iter().zip(&state.coef) {
            if b != 0.0 {
                coef[(at[r], o)] += b;
            }
        }
    }
    let few = |z: &&Features<'_>| matches!(z, Features::Sparse(_)) || z.cols() < support.len();
    if let Some(z) = job.features.filter(few) {
        // Z (Z'b): no kernel value is needed.
        let weights = z.select_rows(&support).transposed_product(&coef, control)?;
        let values = z.product(&weights, control)?;
        for (o, state) in states.iter_mut().enumerate() {
            state.problem.row.iter().zip(&mut state.values).for_each(|(&r, f)| *f = values[(r, o)]);
        }
        return Ok(());
    }
    let Some(own) = gram.gathered(&support) else {
        return others(gram, (&support, &coef), &(0..n).collect::<Vec<_>>(), 0, states, least, control);
    };
    let values = apply_among(own.as_ref(), &coef, least, control)?;
    let mut asked = vec![rounded.is_none(); n];
    for (o, state) in states.iter_mut().enumerate() {
        let mut off = 0.0f64;
        for (k, r) in state.problem.row.iter().enumerate().filter(|(_, r)| at[**r] != NOWHERE) {
            let value = values[(at[*r], o)];
            off = off.max((std::mem::replace(&mut state.values[k], value) - value).abs());
        }
        let Some(tolerance) = rounded else { continue };
        let (margin, quality) = (tolerance.max(SAFE * off), of(state));
        for (k, &r) in state.problem.row.iter().enumerate() {
            let ((rise, fall), level) = (state.slopes(k), &quality.levels[state.problem.group_of(k)]);
            asked[r] |= level.free == 0 || !(rise + margin <= level.offset() && level.offset() <= fall - margin);
        }
    }
    let near: Vec<usize> = (0..n).filter(|&r| at[r] == NOWHERE && asked[r]).collect();
    let list = [&support[..], &near].concat();
    match gram.gathered(&list) {
        Some(gram) => others(gram.as_ref(), (&(0..support.len()).collect::<Vec<_>>(), &coef), &near, support.len(), states, least, control),
        None => others(gram, (&support, &coef), &(0..n).collect::<Vec<_>>(), 0, states, least, control),
    }
}

/// Computes f = Kb of one problem from K among its variables, on the thread that is at it.
pub(super) fn refresh_here(job: &SolverJob<'_>, among: &dyn Gram, state: &mut ProblemState<'_>, rounded: Option<f64>) -> Result<()> {
    let all: Vec<usize> = (0..state.coef.len()).collect();
    let problem = state.problem_of(&all, all.clone());
    let mut part = state.part(&problem, &all);
    refresh(&SolverJob { gram: among, features: None, ..*job }, &mut [&mut part], rounded, HERE)?;
    state.values = part.values;
    Ok(())
}

/// Writes f of the given rows, which are the columns of K from `first` on, from the rows of K with a coefficient.
fn others(
    gram: &dyn Gram,
    (support, coef): (&[usize], &Matrix),
    rows: &[usize],
    first: usize,
    states: &mut [&mut ProblemState<'_>],
    least: usize,
    control: &Control,
) -> Result<()> {
    let most = rows.iter().max().map_or(0, |r| r + 1);
    for (piece, some) in rows.chunks(CHECK).enumerate() {
        let start = first + piece * CHECK;
        let values = apply_rows(gram, support, start..start + some.len(), coef, least, control)?;
        let mut at = vec![NOWHERE; most];
        some.iter().enumerate().for_each(|(k, &r)| at[r] = k);
        for (o, state) in states.iter_mut().enumerate() {
            for (r, f) in state.problem.row.iter().zip(&mut state.values) {
                *f = at.get(*r).filter(|a| **a != NOWHERE).map_or(*f, |&a| values[(a, o)]);
            }
        }
    }
    Ok(())
}
