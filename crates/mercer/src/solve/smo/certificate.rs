//! The proof of a solution: duality gap, violation and offset, from kernel values in f64.

use super::state::State;
use crate::control::Control;
use crate::error::Result;
use crate::gram::{Gram, apply_rows};
use crate::linalg::Matrix;

/// Values of f between two looks at the cancel flag.
const CHECK: usize = 4096;

/// How good a point is.
pub(super) struct Quality {
    pub(super) offset: f64,
    pub(super) free: usize,
    pub(super) bound: usize,
    pub(super) primal: f64,
    pub(super) dual: f64,
    pub(super) gap: f64,
    pub(super) violation: f64,
}

impl Quality {
    pub(super) fn within(&self, tolerance: f64) -> bool {
        self.violation <= tolerance && self.gap <= tolerance
    }
}

/// The quality of a point, its values of f taken as they stand.
pub(super) fn of(state: &State<'_>) -> Quality {
    let p = state.problem;
    let n = state.coef.len();
    let (mut top, mut bottom) = (f64::NEG_INFINITY, f64::INFINITY);
    let (mut free, mut bound, mut sum) = (0usize, 0usize, 0.0);
    for k in 0..n {
        let (rise, fall) = state.slopes(k);
        (top, bottom) = (top.max(rise), bottom.min(fall));
        if rise == fall {
            free += 1;
            sum += rise;
        } else if state.coef[k] != 0.0 {
            bound += 1;
        }
    }
    let offset = match (free, top.is_finite(), bottom.is_finite()) {
        (0, true, true) => 0.5 * (top + bottom),
        (0, true, false) => top,
        (0, false, true) => bottom,
        (0, false, false) => 0.0,
        _ => sum / free as f64,
    };
    let (mut gap, mut linear, mut quadratic) = (0.0, 0.0, 0.0);
    for k in 0..n {
        let (b, u) = (state.coef[k], state.v(k) - offset);
        // (s - b) u - tube (|s| - |b|) at the best s, which is a bound or 0.
        let best = if u > p.tube {
            p.high[k]
        } else if u < -p.tube {
            p.low[k]
        } else {
            0.0
        };
        gap += (best - b) * u - p.tube * (best.abs() - b.abs());
        linear += p.target[k] * b - p.tube * b.abs();
        quadratic += b * state.values[k];
    }
    let dual = linear - 0.5 * quadratic;
    let primal = dual + gap;
    let size = primal.abs().max(dual.abs());
    let gap = if size > 0.0 { gap / size } else { 0.0 };
    let violation = if top.is_finite() && bottom.is_finite() { top - bottom } else { 0.0 };
    Quality { offset, free, bound, primal, dual, gap, violation }
}

/// Computes f = Kb anew for every problem, all of them in one pass over the rows of K with a coefficient.
pub(super) fn refresh(gram: &dyn Gram, states: &mut [&mut State<'_>], control: &Control) -> Result<()> {
    if states.is_empty() {
        return Ok(());
    }
    let n = gram.shape().0;
    let support = support(n, states);
    let mut at = vec![usize::MAX; n];
    for (s, &r) in support.iter().enumerate() {
        at[r] = s;
    }
    let mut coef = Matrix::zeros(support.len(), states.len());
    for (o, state) in states.iter().enumerate() {
        for (&r, &b) in state.problem.row.iter().zip(&state.coef) {
            if b != 0.0 {
                coef[(at[r], o)] += b;
            }
        }
    }
    for start in (0..n).step_by(CHECK) {
        control.check()?;
        let end = n.min(start + CHECK);
        let values = apply_rows(gram, &support, start..end, &coef)?;
        for (o, state) in states.iter_mut().enumerate() {
            let rows = &state.problem.row;
            let (from, to) = (rows.partition_point(|&r| r < start), rows.partition_point(|&r| r < end));
            for k in from..to {
                state.values[k] = values[(rows[k] - start, o)];
            }
        }
    }
    Ok(())
}

/// Every row with a coefficient.
fn support(n: usize, states: &[&mut State<'_>]) -> Vec<usize> {
    let mut used = vec![false; n];
    for state in states {
        for (&r, &b) in state.problem.row.iter().zip(&state.coef) {
            used[r] |= b != 0.0;
        }
    }
    (0..n).filter(|&r| used[r]).collect()
}
