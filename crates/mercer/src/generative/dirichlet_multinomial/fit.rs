//! The parameters of a Dirichlet-multinomial by maximum likelihood: Newton steps, with Minka's fixed point where they do not ascend
//! (Minka, Estimating a Dirichlet distribution, 2000, section 3).

use super::super::counts::Counts;
use crate::control::Control;
use crate::data::RowWeights;
use crate::error::Result;
use serde::{Deserialize, Serialize};
use statrs::function::gamma::digamma;

/// Terms of a sum over k < x that are added one by one; those behind them by their closed form.
const TERMS: usize = 1024;

/// How a fit ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Ending {
    /// At the maximum.
    Converged,
    /// Counts vary no more than those of a multinomial: A grows without end.
    Multinomial,
    /// After the greatest number of steps.
    Unfinished,
}

/// ln Gamma(a + x) - ln Gamma(a), for a whole number x.
pub(super) fn log_rising(a: f64, x: f64) -> f64 {
    let few = x.min(TERMS as f64);
    let sum: f64 = (0..few as usize).map(|k| (a + k as f64).ln()).sum();
    if x > few { sum + libm::lgamma(a + x) - libm::lgamma(a + few) } else { sum }
}

/// d log_rising / d a = sum_(k < x) 1 / (a + k).
pub(super) fn slope(a: f64, x: f64) -> f64 {
    let few = x.min(TERMS as f64);
    let sum: f64 = (0..few as usize).map(|k| (a + k as f64).recip()).sum();
    if x > few { sum + digamma(a + x) - digamma(a + few) } else { sum }
}

/// -d slope / d a = sum_(k < x) 1 / (a + k)^2.
pub(super) fn curvature(a: f64, x: f64) -> f64 {
    let few = x.min(TERMS as f64);
    let sum: f64 = (0..few as usize).map(|k| (a + k as f64).powi(-2)).sum();
    // Of large z: psi'(z) = 1 / z + 1 / (2 z^2) + 1 / (6 z^3) - 1 / (30 z^5) ..
    let trigamma = |z: f64| (1.0 + 0.5 / z + 1.0 / (6.0 * z * z)) / z;
    if x > few { sum + trigamma(a + few) - trigamma(a + x) } else { sum }
}

/// Weights of rows by their count in each column, and by their total.
pub(super) struct Tally {
    columns: Vec<Vec<(f64, f64)>>,
    totals: Vec<(f64, f64)>,
}

/// Weights of equal counts together; counts ascend.
fn merged(mut all: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    let one = |group: &[(f64, f64)]| (group[0].0, group.iter().map(|(_, weight)| weight).sum());
    all.chunk_by(|a, b| a.0 == b.0).map(one).collect()
}

impl Tally {
    pub(super) fn new(counts: &Counts, weights: RowWeights<'_>, prior: f64) -> Self {
        let mut columns = vec![Vec::new(); counts.columns];
        let mut totals = Vec::new();
        if prior > 0.0 {
            columns.iter_mut().for_each(|column| column.push((1.0, prior)));
            totals.push((1.0, prior * counts.columns as f64));
        }
        for (i, row) in counts.rows.iter().enumerate().filter(|(i, _)| weights.at(*i) > 0.0) {
            row.iter().for_each(|(column, x)| columns[*column].push((*x, weights.at(i))));
            totals.push((counts.total(i), weights.at(i)));
        }
        Tally { columns: columns.into_iter().map(merged).collect(), totals: merged(totals) }
    }

    /// The first column in which no row has a count.
    pub(super) fn empty_column(&self) -> Option<usize> {
        self.columns.iter().position(Vec::is_empty)
    }

    /// sum of weight times f over counts.
    fn sum(of: &[(f64, f64)], f: impl Fn(f64) -> f64) -> f64 {
        of.iter().map(|(x, weight)| weight * f(*x)).sum()
    }

    fn log_likelihood(&self, alphas: &[f64]) -> f64 {
        let all: f64 = alphas.iter().sum();
        let columns: f64 = self.columns.iter().zip(alphas).map(|(column, a)| Self::sum(column, |x| log_rising(*a, x))).sum();
        columns - Self::sum(&self.totals, |n| log_rising(all, n))
    }

    /// The Newton step by H = -diag(q) + z 11', of which Sherman and Morrison's formula gives the inverse; `None` where it does not ascend.
    fn newton(&self, alphas: &[f64]) -> Option<Vec<f64>> {
        let all: f64 = alphas.iter().sum();
        let (slope_of_all, z) = (Self::sum(&self.totals, |n| slope(all, n)), Self::sum(&self.totals, |n| curvature(all, n)));
        let each = |(column, a): (&Vec<(f64, f64)>, &f64)| {
            (Self::sum(column, |x| slope(*a, x)) - slope_of_all, Self::sum(column, |x| curvature(*a, x)))
        };
        let (g, q): (Vec<f64>, Vec<f64>) = self.columns.iter().zip(alphas).map(each).unzip();
        let rest = 1.0 / z - q.iter().map(|q| q.recip()).sum::<f64>();
        if rest.is_nan() || rest <= 0.0 {
            return None;
        }
        let shared = g.iter().zip(&q).map(|(g, q)| g / q).sum::<f64>() / rest;
        let moved: Vec<f64> = alphas.iter().zip(g.iter().zip(&q)).map(|(a, (g, q))| a + (g + shared) / q).collect();
        moved.iter().all(|a| *a > 0.0 && a.is_finite()).then_some(moved)
    }

    /// a_w sum_rows slope(a_w, x_w) / sum_rows slope(A, n): never descends.
    fn fixed_point(&self, alphas: &[f64]) -> Vec<f64> {
        let all: f64 = alphas.iter().sum();
        let below = Self::sum(&self.totals, |n| slope(all, n));
        self.columns.iter().zip(alphas).map(|(column, a)| a * Self::sum(column, |x| slope(*a, x)) / below).collect()
    }

    /// The parameters, and how the fit ended.
    pub(super) fn fit(&self, control: &Control) -> Result<(Vec<f64>, Ending)> {
        // Steps at most; a Newton step doubles the digits, and a fixed point alone takes thousands.
        const STEPS: usize = 5000;
        // Relative change of a parameter in a Newton step after which it is found: its square is below rounding.
        const CONVERGED: f64 = 1e-9;
        // Relative change of a parameter by the fixed point, which converges linearly, after which it is found.
        const CONVERGED_SLOWLY: f64 = 1e-13;
        // The sum A of the parameters at which rows are distributed as those of a multinomial but for rounding, per count of the longest row.
        const LARGE: f64 = 1e5;
        let sums: Vec<f64> = self.columns.iter().map(|column| Self::sum(column, |x| x)).collect();
        let total: f64 = sums.iter().sum();
        let mut alphas: Vec<f64> = sums.iter().map(|sum| sum * self.columns.len() as f64 / total).collect();
        let longest = self.totals.last().map_or(1.0, |(n, _)| *n);
        if longest <= 1.0 {
            // Rows of one count tell a / A alone.
            return Ok((alphas, Ending::Converged));
        }
        let mut likelihood = self.log_likelihood(&alphas);
        for _ in 0..STEPS {
            control.check()?;
            let ascends = |moved: &Vec<f64>| self.log_likelihood(moved) >= likelihood - 1e-12 * likelihood.abs();
            let newton = self.newton(&alphas).filter(ascends);
            let enough = if newton.is_some() { CONVERGED } else { CONVERGED_SLOWLY };
            let moved = newton.unwrap_or_else(|| self.fixed_point(&alphas));
            let change = moved.iter().zip(&alphas).map(|(a, b)| (a / b - 1.0).abs()).fold(0.0, f64::max);
            alphas = moved;
            likelihood = self.log_likelihood(&alphas);
            if alphas.iter().sum::<f64>() > LARGE * longest {
                return Ok((alphas, Ending::Multinomial));
            }
            if change <= enough {
                return Ok((alphas, Ending::Converged));
            }
        }
        Ok((alphas, Ending::Unfinished))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_many_terms_are_their_closed_forms() {
        for (a, x) in [(0.3, 5.0), (2.5, 1500.0), (1e-3, 1025.0), (700.0, 40_000.0)] {
            let each = |f: &dyn Fn(f64) -> f64| (0..x as usize).map(|k| f(a + k as f64)).sum::<f64>();
            for (found, expected) in
                [(log_rising(a, x), each(&|z| z.ln())), (slope(a, x), each(&|z| 1.0 / z)), (curvature(a, x), each(&|z| 1.0 / (z * z)))]
            {
                assert!((found - expected).abs() <= 1e-12 * expected.abs(), "{found} and {expected}");
            }
        }
    }
}
