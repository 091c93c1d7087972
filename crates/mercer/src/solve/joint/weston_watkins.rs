//! Weston and Watkins (1999): l(m) = sum_c max(0, m_c), 0 <= a_c <= C.

use super::row_loss::{Direction, ROUNDING, RowLoss, water_level, way_down};

pub(super) struct SumOfMargins;

impl RowLoss for SumOfMargins {
    fn loss(&self, margins: &[f64]) -> f64 {
        margins.iter().map(|m| m.max(0.0)).sum()
    }

    fn violation(&self, margins: &[f64], class: usize, variables: &[f64], cost: f64) -> f64 {
        let of = |(c, (&m, &a)): (usize, (&f64, &f64))| match c == class {
            true => 0.0,
            false => (if a < cost { m } else { 0.0 }).max(if a > 0.0 { -m } else { 0.0 }),
        };
        margins.iter().zip(variables).enumerate().map(of).fold(0.0, f64::max)
    }

    /// a_c = min(max(0, q_c - s), C) with s = sum a.
    fn best(&self, targets: &[f64], class: usize, cost: f64, variables: &mut [f64]) {
        let others = targets.iter().enumerate().filter(|(c, _)| *c != class).map(|(_, q)| *q);
        let sum = water_level(others, cost, 1.0, 0.0);
        for (c, (a, q)) in variables.iter_mut().zip(targets).enumerate() {
            *a = if c == class { 0.0 } else { (q - sum).clamp(0.0, cost) };
        }
    }

    fn clip(&self, variables: &mut [f64], cost: f64) {
        variables.iter_mut().for_each(|a| *a = if *a >= (1.0 - ROUNDING) * cost { cost } else { a.max(0.0) });
    }

    fn free_directions(&self, variables: &[f64], class: usize, cost: f64) -> Vec<Direction> {
        let free = |c: &usize| variables[*c] > 0.0 && variables[*c] < cost;
        (0..variables.len()).filter(free).map(|from| Direction { from, to: class }).collect()
    }

    fn room(&self, variables: &[f64], moves: &[f64], cost: f64) -> f64 {
        variables.iter().zip(moves).map(|(a, d)| way_down(*a, *d).min(way_down(cost - a, -d))).fold(f64::INFINITY, f64::min)
    }

    fn is_full(&self, variables: &[f64], class: usize, cost: f64) -> bool {
        variables.iter().enumerate().all(|(c, a)| c == class || *a >= cost)
    }
}
