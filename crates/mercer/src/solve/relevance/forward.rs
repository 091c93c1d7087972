//! Columns to begin from: one after another, each by what lies outside of those chosen before, as if the weights of these were free
//! (orthogonal least squares: Chen, Cowan & Grant 1991). Columns that are nearly collinear are chosen together, though none would be alone.

use super::span::{Columns, Span};
use crate::control::Control;
use crate::error::Result;
use crate::gram::{axpy, dot};
use crate::linalg::{Matrix, product_transposed_within};

/// What was chosen, in order.
pub(super) struct Chosen {
    pub(super) columns: Vec<usize>,
    /// Least squares weights, columns x targets.
    pub(super) weights: Matrix,
    /// The squares that are left of each target.
    pub(super) left: Vec<f64>,
}

/// Chooses among columns for some targets (targets x N) with noise of the same variance, estimated from `rows` rows of each; `least`: the
/// least sum of squares that is not rounding.
pub(super) fn chosen(columns: Columns<'_>, targets: &Matrix, (rows, least): (f64, f64), most: usize, control: &Control) -> Result<Chosen> {
    // Columns after the best end of a path that do not better it, until it is left.
    const PATIENCE: usize = 20;
    let (p, outputs) = (columns.values.rows(), targets.rows());
    let mut span = Span::new(columns);
    let (mut rest, mut along, mut chosen) = (targets.clone(), Vec::new(), Vec::new());
    let squares = |rest: &Matrix| -> Vec<f64> { (0..outputs).map(|o| dot(rest.row(o), rest.row(o))).collect() };
    // Copies of columns are 0, and no choice.
    let choices = span.outside.iter().filter(|square| **square > 0.0).count();
    let by_chance = chance(outputs as f64, choices as f64);
    // A column that is chosen among many takes with it as much noise as the best of them explains by chance.
    let free = |k: f64| rows - k * by_chance / outputs as f64;
    let cost = |k: f64, left: f64| outputs as f64 * rows * (left / free(k)).ln() + k * by_chance;
    let mut best = (cost(0.0, squares(&rest).iter().sum()), 0, squares(&rest));
    while chosen.len() < most.min(best.1 + PATIENCE) && !control.out_of_time() {
        control.check()?;
        let k = chosen.len() as f64 + 1.0;
        if free(k) < 1.0 || squares(&rest).iter().sum::<f64>() <= least {
            break;
        }
        let products = product_transposed_within(columns.values, &rest, control)?;
        let explained = |m: usize| match span.is_more_than_rounding(m, span.outside[m]) {
            true => dot(products.row(m), products.row(m)) / span.outside[m],
            false => 0.0,
        };
        let next = (0..p).map(|m| (m, explained(m))).fold((0, 0.0), |a, b| if b.1 > a.1 { b } else { a });
        if next.1 <= 0.0 {
            break;
        }
        let Some(direction) = span.extend(next.0, control)? else { break };
        let direction = direction.to_vec();
        for o in 0..outputs {
            let value = dot(&direction, rest.row(o));
            axpy(-value, &direction, rest.row_mut(o));
            along.push(value);
        }
        chosen.push(next.0);
        let left = squares(&rest);
        let cost = cost(k, left.iter().sum());
        if cost < best.0 {
            best = (cost, chosen.len(), left);
        }
    }
    let (_, count, left) = best;
    chosen.truncate(count);
    along.truncate(count * outputs);
    let mut weights = Matrix::new(chosen.len(), outputs, along)?;
    // Coordinates of what was chosen are a triangle.
    for k in (0..chosen.len()).rev() {
        let own = span.coordinates[(k, chosen[k])];
        weights.row_mut(k).iter_mut().for_each(|w| *w /= own);
        let row = weights.row(k).to_vec();
        (0..k).for_each(|j| axpy(-span.coordinates[(j, chosen[k])], &row, weights.row_mut(j)));
    }
    Ok(Chosen { columns: chosen, weights, left })
}

/// What the sum of squares of the best of p columns for targets of pure noise of variance 1 does not exceed, but for one time in p (Laurent &
/// Massart 2000, lemma 1).
fn chance(outputs: f64, p: f64) -> f64 {
    let log = 2.0 * p.max(2.0).ln();
    outputs + 2.0 * (outputs * log).sqrt() + log
}
