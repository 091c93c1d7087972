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

use super::damped_newton::{Step, minimum};
use serde::{Deserialize, Serialize};

/// The gradient that counts as zero, as a share of what its terms could add up to.
const FLAT: f64 = 1e-12;
/// A step that promises less than this share is the last.
const SMALL: f64 = 1e-12;
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
        let aims = [aim(false), aim(true)];
        let place = |s: &Sigmoid| {
            let (mut loss, mut here) = (0.0, Slopes { ga: 0.0, gb: 0.0, haa: RIDGE * square, hab: 0.0, hbb: RIDGE * whole });
            for &(f, class, w) in rows {
                let (z, aim) = (s.log_odds(f), aims[usize::from(class)]);
                let e = (-z.abs()).exp();
                let p = if z >= 0.0 { 1.0 } else { e } / (1.0 + e);
                let (g, h) = (w * (p - aim), w * e / ((1.0 + e) * (1.0 + e)));
                loss += w * (z.max(0.0) + e.ln_1p() - aim * z);
                here.ga += g * f;
                here.gb += g;
                here.haa += h * f * f;
                here.hab += h * f;
                here.hbb += h;
            }
            (loss, here)
        };
        let step = |Slopes { ga, gb, haa, hab, hbb }: Slopes| {
            if ga.abs() <= FLAT * spread && gb.abs() <= FLAT * whole {
                return Ok(None);
            }
            // Where all values are 0 the slope says nothing, and stays.
            let det = haa * hbb - hab * hab;
            let by = match det > 0.0 {
                true => Sigmoid { slope: (hab * gb - hbb * ga) / det, offset: (hab * ga - haa * gb) / det },
                false => Sigmoid { slope: 0.0, offset: -gb / hbb },
            };
            Ok(Some(Step { by, fall: ga * by.slope + gb * by.offset }))
        };
        let moved = |from: &Sigmoid, by: &Sigmoid, share: f64| Sigmoid {
            slope: from.slope + share * by.slope,
            offset: from.offset + share * by.offset,
        };
        let start = Sigmoid { slope: 0.0, offset: ((n1 + 1.0) / (n0 + 1.0)).ln() };
        minimum(start, SMALL * whole, place, step, moved).unwrap_or(start)
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

/// The slopes of the loss by slope and offset, and its curvature.
struct Slopes {
    ga: f64,
    gb: f64,
    haa: f64,
    hab: f64,
    hbb: f64,
}
