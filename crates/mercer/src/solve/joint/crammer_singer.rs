//! Crammer and Singer (2001): l(m) = max(0, max_c m_c), a_c >= 0, sum_c a_c <= C.

use super::row_loss::{Direction, ROUNDING, RowLoss, water_level, way_down};

pub(super) struct NearestMargin;

impl RowLoss for NearestMargin {
    fn loss(&self, margins: &[f64]) -> f64 {
        margins.iter().fold(0.0, |most, m| most.max(*m))
    }

    /// The greatest m where a variable may rise, less the least where one may fall; what is left of the cost has m = 0.
    fn violation(&self, margins: &[f64], class: usize, variables: &[f64], cost: f64) -> f64 {
        if cost == 0.0 {
            return 0.0;
        }
        let least = if self.is_full(variables, class, cost) { f64::INFINITY } else { 0.0 };
        let least = margins.iter().zip(variables).filter(|(_, a)| **a > 0.0).fold(least, |least, (m, _)| least.min(*m));
        (self.loss(margins) - least).max(0.0)
    }

    /// a_c = max(0, q_c - u): u = sum a where that is within the cost, else the u of which the sum is the cost.
    fn best(&self, targets: &[f64], class: usize, cost: f64, variables: &mut [f64]) {
        let others = targets.iter().enumerate().filter(|(c, _)| *c != class).map(|(_, q)| *q);
        let sum = water_level(others.clone(), f64::INFINITY, 1.0, 0.0);
        let level = if sum <= cost { sum } else { water_level(others, f64::INFINITY, 0.0, cost) };
        for (c, (a, q)) in variables.iter_mut().zip(targets).enumerate() {
            *a = if c == class { 0.0 } else { (q - level).max(0.0) };
        }
        if sum <= cost {
            return;
        }
        // A small cost may be less than the rounding of the level.
        let found: f64 = variables.iter().sum();
        if found > 0.0 {
            variables.iter_mut().for_each(|a| *a *= cost / found);
        } else {
            let other = |c: &usize| *c != class;
            let nearest = (0..targets.len()).filter(other).max_by(|&a, &b| targets[a].total_cmp(&targets[b]));
            nearest.into_iter().for_each(|c| variables[c] = cost);
        }
    }

    fn clip(&self, variables: &mut [f64], cost: f64) {
        variables.iter_mut().for_each(|a| *a = a.max(0.0));
        let sum: f64 = variables.iter().sum();
        if sum > cost {
            variables.iter_mut().for_each(|a| *a *= cost / sum);
        }
    }

    /// Where the sum is the cost, the greatest variable takes what the others give.
    fn free_directions(&self, variables: &[f64], class: usize, cost: f64) -> Vec<Direction> {
        let is_full = self.is_full(variables, class, cost);
        let greatest = (0..variables.len()).fold(0, |best, c| if variables[c] > variables[best] { c } else { best });
        let to = if is_full { greatest } else { class };
        (0..variables.len()).filter(|&c| variables[c] > 0.0 && c != to).map(|from| Direction { from, to }).collect()
    }

    fn room(&self, variables: &[f64], moves: &[f64], cost: f64) -> f64 {
        let (sum, rate) = (variables.iter().sum::<f64>(), moves.iter().sum::<f64>());
        // Of a sum that is kept the rate is rounding.
        let of_sum =
            if rate > ROUNDING * moves.iter().map(|d| d.abs()).sum::<f64>() { (cost - sum).max(0.0) / rate } else { f64::INFINITY };
        variables.iter().zip(moves).map(|(a, d)| way_down(*a, *d)).fold(of_sum, f64::min)
    }

    fn is_full(&self, variables: &[f64], _class: usize, cost: f64) -> bool {
        variables.iter().sum::<f64>() >= cost * (1.0 - ROUNDING)
    }
}
