//! Gains in evidence from changing each alpha separately, with the mode held.

use super::{ClassSearch, some_of};
use crate::control::Control;
use crate::error::Result;
use crate::gram::dot;
use crate::linalg::{Matrix, eigh, transposed_product_within};
use crate::solve::likelihood::parts;
use crate::solve::relevance::{Change, NONE, best, gain};
use rayon::prelude::*;

/// Columns that promise most, and those that are there.
pub(super) struct Watched {
    columns: Vec<usize>,
    /// N x columns.
    phi: Matrix,
    /// The most that any other column promised.
    pub(super) others: f64,
}

impl Watched {
    /// `None` where looks are cheap: of one output, and where all columns are few. `wished`: of all columns, the greatest first.
    pub(super) fn of(state: &ClassSearch<'_>, wished: &[Change]) -> Option<Self> {
        // Columns that are looked at between two looks at all of them, beside those that are there.
        const WATCHED: usize = 32;
        if state.outputs() == 1 || state.phi.cols() <= 2 * (WATCHED + state.active.len()) {
            return None;
        }
        let new = || wished.iter().filter(|c| !state.is_there(c.column));
        let mut columns: Vec<usize> = new().take(WATCHED).map(|c| c.column).chain(state.active.iter().copied()).collect();
        columns.sort_unstable();
        Some(Watched { phi: some_of(state.phi, &columns), columns, others: new().nth(WATCHED).map_or(0.0, |c| c.gain) })
    }
}

/// Rows multiplied by numbers.
fn scaled(rows: &Matrix, by: &[f64]) -> Matrix {
    let mut out = rows.clone();
    out.data_mut().chunks_exact_mut(rows.cols().max(1)).zip(by).for_each(|(row, b)| row.iter_mut().for_each(|v| *v *= b));
    out
}

/// sum_i b_i phi_im^2 of every column.
fn squares(phi: &Matrix, by: &[f64]) -> Vec<f64> {
    const WIDTH: usize = 256;
    let p = phi.cols();
    let mut out = vec![0.0; p];
    out.par_chunks_mut(WIDTH).enumerate().for_each(|(k, some)| {
        for (row, b) in phi.data().chunks_exact(p).zip(by) {
            let row = &row[k * WIDTH..k * WIDTH + some.len()];
            some.iter_mut().zip(row).for_each(|(o, v)| *o += b * v * v);
        }
    });
    out
}

impl ClassSearch<'_> {
    /// The gain of changing each alpha separately at the current mode, greatest first; as many columns at a time as memory allows.
    pub(super) fn changes(&self, among: Option<&Watched>, control: &Control) -> Result<Vec<Change>> {
        let phi = among.map_or(self.phi, |some| &some.phi);
        let mut all = Vec::new();
        for some in parts(phi.cols(), self.active.len() * self.outputs().pow(2)) {
            let name = |k: usize| among.map_or(some.start + k, |watched| watched.columns[some.start + k]);
            let part = (some.len() < phi.cols()).then(|| some_of(phi, &some.clone().collect::<Vec<_>>()));
            all.extend(self.changes_of(part.as_ref().unwrap_or(phi), name, control)?);
        }
        all.sort_by(|a, b| b.gain.total_cmp(&a.gain).then(a.column.cmp(&b.column)));
        // The first is one that may be made.
        let may = |c: &Change| self.is_there(c.column) || self.is_apart(c.column);
        all.drain(..all.iter().position(may).unwrap_or(all.len()));
        Ok(all)
    }

    /// The changes of some columns, in their order; `name` gives the index of each column.
    fn changes_of(&self, phi: &Matrix, name: impl Fn(usize) -> usize + Sync, control: &Control) -> Result<Vec<Change>> {
        // The share of a column's curvature below which what is left of it is rounding.
        const ROUNDING: f64 = 1e-9;
        let (p, m, outputs) = (phi.cols(), self.columns.cols(), self.outputs());
        let q = transposed_product_within(phi, &self.slopes.residual, control)?;
        // For each output V_m of every column, brought to L^-1 V_m'.
        let mut turned: Vec<Matrix> = (0..outputs).map(|_| Matrix::zeros(p, m * outputs)).collect();
        let mut plain: Vec<Vec<f64>> = Vec::new();
        for c in 0..outputs {
            for d in 0..=c {
                let by = self.slopes.curvature.between(c, d);
                plain.push(squares(phi, &by));
                if m > 0 {
                    let block = transposed_product_within(phi, &scaled(&self.columns, &by), control)?;
                    for row in 0..p {
                        for a in 0..m {
                            turned[c][(row, a * outputs + d)] = block[(row, a)];
                            turned[d][(row, a * outputs + c)] = block[(row, a)];
                        }
                    }
                }
            }
        }
        if let Some(factor) = &self.factor {
            for rows in &mut turned {
                factor.solve_rows(rows, control)?;
            }
        }
        let change = |column: usize| -> Result<Change> {
            let of = name(column);
            let place = self.active.binary_search(&of).ok();
            let at = |c: usize, d: usize| {
                let (c, d) = (c.max(d), c.min(d));
                plain[c * (c + 1) / 2 + d][column] - dot(turned[c].row(column), turned[d].row(column))
            };
            // The slope at x = 0 of a column that is not there.
            if place.is_none() && (0..outputs).map(|c| q[(column, c)].powi(2) - at(c, c)).sum::<f64>() <= 0.0 {
                return Ok(NONE);
            }
            let whole: f64 = (0..outputs).map(|c| plain[c * (c + 1) / 2 + c][column]).sum();
            // Eigenvalues of S and Q along its eigenvectors.
            let (mut s, mut q) = if outputs == 1 {
                (vec![at(0, 0)], vec![q[(column, 0)]])
            } else {
                let (values, vectors) = eigh(Matrix::from_fn(outputs, outputs, at), control)?;
                let along = |k: usize| (0..outputs).map(|c| vectors[(c, k)] * q[(column, c)]).sum();
                (values, (0..outputs).map(along).collect())
            };
            // What all outputs have in common a softmax does not see.
            for (s, q) in s.iter_mut().zip(&mut q) {
                if *s <= ROUNDING * whole {
                    (*s, *q) = (0.0, 0.0);
                }
            }
            let mut x = 0.0;
            if let Some(alpha) = place.map(|k| self.alpha[k]) {
                for (s, q) in s.iter_mut().zip(&mut q) {
                    let left = alpha / (alpha - *s).max(f64::MIN_POSITIVE);
                    (*s, *q) = (left * *s, left * *q);
                }
                x = 1.0 / alpha;
            }
            if s.iter().all(|s| *s <= 0.0) {
                return Ok(NONE);
            }
            let to = best(&s, &q);
            Ok(Change { column: of, x: to, gain: gain(&s, &q, x, to) })
        };
        let mut all: Vec<Change> = (0..p).into_par_iter().with_min_len(64).map(change).collect::<Result<_>>()?;
        all.retain(|c| c.gain.is_finite());
        Ok(all)
    }
}
