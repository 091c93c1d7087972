//! Steps on all free variables of a block at once: what ends the zigzag of pairs on badly scaled kernels.
//!
//! ```text
//! maximise  g'd - 1/2 d'K d   subject to  sum d = 0        over the free variables F, g = v + lift there
//! d = K^-1 g - mu K^-1 1,     mu = (1'K^-1 g) / (1'K^-1 1)
//! ```
//!
//! by Cholesky with rows left out that depend on those before them, then as far along d as the bounds let go. Where a
//! bound is met its variable is not free any more, and the step is taken again.

use super::pairs::{Block, Until};
use super::passes::Passes;
use super::state::State;
use crate::gram::{axpy, dot};

/// A pivot below this share of the diagonal is none, in f32 and in f64.
const DEPENDENT: [f64; 2] = [1e-6, 1e-12];

impl<T: Passes> Block<'_, T> {
    /// What one step over so many free variables costs, in multiplications.
    pub(super) fn newton_cost(&self, free: usize) -> f64 {
        let f = free as f64;
        f * f * f / 6.0 + f * (2.0 * f + 0.25 * self.v.len() as f64) + 200.0
    }

    /// Takes such steps until none meets a bound, or `budget` multiplications are spent.
    pub(super) fn newton(&mut self, state: &State<'_>, until: &Until<'_>, mut budget: f64) {
        let mut free: Vec<usize> = (0..self.members.len()).filter(|&a| self.up[a] == self.down[a]).collect();
        while free.len() > 1 && budget > 0.0 && !until.stopped() {
            budget -= self.newton_cost(free.len());
            let Some((kept, direction)) = self.direction(&free) else { return };
            if !self.go(state, &kept, &direction) {
                return;
            }
            free.retain(|&a| self.up[a] == self.down[a]);
        }
    }

    /// d, and the variables that it is over.
    fn direction(&mut self, free: &[usize]) -> Option<(Vec<usize>, Vec<f64>)> {
        let least = DEPENDENT[usize::from(size_of::<T>() == 8)];
        let (mut lower, mut kept): (Vec<Vec<f64>>, Vec<usize>) = (Vec::new(), Vec::new());
        for &a in free {
            let row = self.row(a);
            let diagonal = row[a].to_f64();
            let mut line: Vec<f64> = kept.iter().map(|&b| row[b].to_f64()).collect();
            let mut pivot = diagonal;
            for c in 0..line.len() {
                let before = dot(&lower[c][..c], &line[..c]);
                line[c] = (line[c] - before) / lower[c][c];
                pivot -= line[c] * line[c];
            }
            if pivot > least * diagonal.abs() && pivot > self.flat {
                line.push(pivot.sqrt());
                lower.push(line);
                kept.push(a);
            }
        }
        if kept.len() < 2 {
            return None;
        }
        let solve = |mut x: Vec<f64>| {
            for c in 0..x.len() {
                let before = dot(&lower[c][..c], &x[..c]);
                x[c] = (x[c] - before) / lower[c][c];
            }
            for c in (0..x.len()).rev() {
                x[c] /= lower[c][c];
                let last = x[c];
                x[..c].iter_mut().zip(&lower[c]).for_each(|(x, l)| *x -= l * last);
            }
            x
        };
        let mut g: Vec<f64> = kept.iter().map(|&a| self.v[a].to_f64() + self.up[a].to_f64()).collect();
        let mean = g.iter().sum::<f64>() / g.len() as f64;
        g.iter_mut().for_each(|g| *g -= mean);
        let (x, w) = (solve(g.clone()), solve(vec![1.0; kept.len()]));
        let mu = x.iter().sum::<f64>() / w.iter().sum::<f64>();
        let mut d: Vec<f64> = x.iter().zip(&w).map(|(x, w)| x - mu * w).collect();
        // What rounding leaves of the sum goes to the largest entry.
        let left: f64 = d.iter().sum();
        let largest = (0..d.len()).fold(0, |m, k| if d[k].abs() > d[m].abs() { k } else { m });
        d[largest] -= left;
        let slope: f64 = d.iter().zip(&g).map(|(d, g)| d * g).sum();
        (slope > 0.0 && slope.is_finite()).then_some((kept, d))
    }

    /// Goes along d as far as the bounds let; whether one was met.
    fn go(&mut self, state: &State<'_>, kept: &[usize], d: &[f64]) -> bool {
        let limit = |coef: f64, a: usize, d: f64| {
            let k = self.members[a];
            if d > 0.0 { state.above(k, coef) } else { state.below(k, coef) }
        };
        let (mut share, mut met) = (1.0, None);
        let ends: Vec<f64> = kept.iter().zip(d).map(|(&a, &d)| limit(self.coef[a], a, d)).collect();
        for (k, (&a, &d)) in kept.iter().zip(d).enumerate() {
            let room = (ends[k] - self.coef[a]) / d;
            if d != 0.0 && room < share {
                (share, met) = (room, Some(k));
            }
        }
        for (k, (&a, &d)) in kept.iter().zip(d).enumerate() {
            let old = self.coef[a];
            let new = old + share * d;
            let beyond = if d > 0.0 { new >= ends[k] } else { new <= ends[k] };
            self.coef[a] = if d != 0.0 && (met == Some(k) || beyond) { ends[k] } else { new };
            let change = T::from_f64(old - self.coef[a]);
            let (v, row) = self.v_and_row(a);
            axpy(change, row, v);
            self.bound(state, a);
        }
        met.is_some()
    }
}
