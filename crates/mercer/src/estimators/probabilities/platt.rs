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

use super::damped_newton::{NewtonStep, minimum};
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
        let aims = aims(rows);
        let mass = |class: bool| rows.iter().filter(|r| r.1 == class).map(|r| r.2).sum::<f64>();
        let (n0, n1) = (mass(false), mass(true));
        let whole = n0 + n1;
        let spread = rows.iter().map(|&(f, _, w)| w * f.abs()).sum::<f64>();
        let place = |s: &Sigmoid| s.place(rows, aims);
        let step = |slopes: Slopes| {
            if slopes.ga.abs() <= FLAT * spread && slopes.gb.abs() <= FLAT * whole {
                return Ok(None);
            }
            let by = slopes.newton();
            Ok(Some(NewtonStep { by, fall: slopes.ga * by.slope + slopes.gb * by.offset }))
        };
        let start = Sigmoid::constant(rows);
        minimum(start, SMALL * whole, place, step, Sigmoid::moved).unwrap_or(start)
    }

    /// The one of them that does not change with the decision value: the mean of what is aimed at, nearly the share of the class.
    pub(super) fn constant(rows: &[(f64, bool, f64)]) -> Sigmoid {
        let aims = aims(rows);
        let (aimed, whole) = rows.iter().fold((0.0, 0.0), |(s, m), &(_, class, w)| (s + w * aims[usize::from(class)], m + w));
        Sigmoid { slope: 0.0, offset: (aimed / (whole - aimed)).ln() }
    }

    /// For each of the rows it was fitted to, the sigmoid without one repetition of that row, by one step of Newton's method from it.
    pub(super) fn without_each(&self, rows: &[(f64, bool, f64)]) -> Vec<Sigmoid> {
        let aims = aims(rows);
        let (_, all) = self.place(rows, aims);
        rows.iter()
            .map(|&(f, class, w)| {
                let (_, own) = self.place(&[(f, class, w.min(1.0))], aims);
                // What the ridge adds is added once.
                let (haa, hab, hbb) = (all.haa - own.haa * (1.0 - RIDGE), all.hab - own.hab, all.hbb - own.hbb * (1.0 - RIDGE));
                self.moved(&Slopes { ga: -own.ga, gb: -own.gb, haa, hab, hbb }.newton(), 1.0)
            })
            .collect()
    }

    fn moved(&self, by: &Sigmoid, share: f64) -> Sigmoid {
        Sigmoid { slope: self.slope + share * by.slope, offset: self.offset + share * by.offset }
    }

    /// The loss with its slopes and its curvature.
    fn place(&self, rows: &[(f64, bool, f64)], aims: [f64; 2]) -> (f64, Slopes) {
        let (square, whole) = rows.iter().fold((0.0, 0.0), |(s, m), &(f, _, w)| (s + w * f * f, m + w));
        let (mut loss, mut here) = (0.0, Slopes { ga: 0.0, gb: 0.0, haa: RIDGE * square, hab: 0.0, hbb: RIDGE * whole });
        for &(f, class, w) in rows {
            let (z, aim) = (self.log_odds(f), aims[usize::from(class)]);
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
    }

    /// The loss of rows by what is aimed at for them.
    pub(super) fn loss(&self, rows: &[(f64, bool, f64)]) -> f64 {
        self.place(rows, aims(rows)).0
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

impl Slopes {
    /// The step to the minimum of the second order. Where all values are 0 the slope says nothing, and stays.
    fn newton(&self) -> Sigmoid {
        let Slopes { ga, gb, haa, hab, hbb } = *self;
        let det = haa * hbb - hab * hab;
        match det > 0.0 {
            true => Sigmoid { slope: (hab * gb - hbb * ga) / det, offset: (hab * ga - haa * gb) / det },
            false => Sigmoid { slope: 0.0, offset: -gb / hbb },
        }
    }
}

/// What is aimed at for rows of the other class and for those of the class.
fn aims(rows: &[(f64, bool, f64)]) -> [f64; 2] {
    let mass = |class: bool| rows.iter().filter(|r| r.1 == class).map(|r| r.2).sum::<f64>();
    [1.0 / (mass(false) + 2.0), (mass(true) + 1.0) / (mass(true) + 2.0)]
}
