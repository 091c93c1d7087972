//! Platt's sigmoid: the probability of a class from a decision value f.
//!
//! ```text
//! p(f) = 1 / (1 + exp(-(slope f + offset)))
//! minimises  sum_i w_i (-t_i ln p(f_i) - (1 - t_i) ln(1 - p(f_i)))
//! t_i = (n1 + 1) / (n1 + 2) for a row of the class, 1 / (n0 + 2) for another,   n1 and n0 the sums of their weights
//! ```
//!
//! Platt (2000), Probabilistic outputs for support vector machines; the Newton steps are those of Lin, Lin and Weng (2007), A
//! note on Platt's probabilistic outputs for support vector machines. Platt's A and B are -slope and -offset.

use serde::{Deserialize, Serialize};

/// Most Newton steps; a handful is usual.
const STEPS: usize = 100;
/// The gradient that counts as zero, as a share of what its terms could add up to.
const FLAT: f64 = 1e-12;
/// What is added to the curvature, as a share of what its terms could add up to: values that are all equal have no slope.
const RIDGE: f64 = 1e-12;

/// The probability of a class as a function of a decision value.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sigmoid {
    /// How fast the log odds rise, per unit of the decision value; negative where the values point the wrong way.
    pub slope: f64,
    /// The log odds at the decision value 0.
    pub offset: f64,
}

impl Sigmoid {
    /// Fits to decision values that the rows had no part in: for each row its value, whether it is of the class, and its
    /// weight, 0 or above.
    pub fn fit(rows: &[(f64, bool, f64)]) -> Sigmoid {
        let mass = |class: bool| rows.iter().filter(|r| r.1 == class).map(|r| r.2).sum::<f64>();
        let (n0, n1) = (mass(false), mass(true));
        let aim = |class: bool| if class { (n1 + 1.0) / (n1 + 2.0) } else { 1.0 / (n0 + 2.0) };
        let whole = n0 + n1;
        let (spread, square) = rows.iter().fold((0.0, 0.0), |(s, q), &(f, _, w)| (s + w * f.abs(), q + w * f * f));
        let loss = |s: Sigmoid| rows.iter().map(|&(f, class, w)| w * (softplus(s.log_odds(f)) - aim(class) * s.log_odds(f))).sum::<f64>();
        let mut now = Sigmoid { slope: 0.0, offset: ((n1 + 1.0) / (n0 + 1.0)).ln() };
        let mut height = loss(now);
        for _ in 0..STEPS {
            let (mut ga, mut gb) = (0.0, 0.0);
            let (mut haa, mut hab, mut hbb) = (RIDGE * square, 0.0, RIDGE * whole);
            for &(f, class, w) in rows {
                let p = now.probability(f);
                let (g, h) = (w * (p - aim(class)), w * p * (1.0 - p));
                ga += g * f;
                gb += g;
                haa += h * f * f;
                hab += h * f;
                hbb += h;
            }
            if ga.abs() <= FLAT * spread && gb.abs() <= FLAT * whole {
                break;
            }
            // Where all values are 0 the slope says nothing, and stays.
            let det = haa * hbb - hab * hab;
            let step = match det > 0.0 {
                true => Sigmoid { slope: (hab * gb - hbb * ga) / det, offset: (hab * ga - haa * gb) / det },
                false => Sigmoid { slope: 0.0, offset: -gb / hbb },
            };
            let fall = ga * step.slope + gb * step.offset;
            let mut share = 1.0;
            let next = loop {
                let next = Sigmoid { slope: now.slope + share * step.slope, offset: now.offset + share * step.offset };
                let found = loss(next);
                if found <= height + 1e-4 * share * fall {
                    height = found;
                    break Some(next);
                }
                share /= 2.0;
                if share < 1e-10 {
                    break None;
                }
            };
            // No lower point along the step: the minimum, as far as rounding lets it be told.
            let Some(next) = next else { break };
            now = next;
        }
        now
    }

    fn log_odds(&self, value: f64) -> f64 {
        self.slope * value + self.offset
    }

    /// The probability of the class at a decision value.
    pub fn probability(&self, value: f64) -> f64 {
        let z = self.log_odds(value);
        if z >= 0.0 { 1.0 / (1.0 + (-z).exp()) } else { z.exp() / (1.0 + z.exp()) }
    }
}

/// ln(1 + exp(z)).
fn softplus(z: f64) -> f64 {
    z.max(0.0) + (-z.abs()).exp().ln_1p()
}
