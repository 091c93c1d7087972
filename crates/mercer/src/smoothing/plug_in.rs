//! Plug-in bandwidths: the asymptotic best width for the Gaussian, (2 sqrt(pi) N |f''|^2)^(-1/5), with |f''|^2 estimated at a width that
//! depends on the answer, so that an equation is solved. |f^(s)|^2 = (-1)^s / N^2 sum_ij phi^(2s) of differences.

use super::differences::Differences;
use crate::control::Control;
use crate::error::{Error, Result};
use std::f64::consts::PI;

/// Sheather & Jones (1991), the constants of R's bw.SJ: all pairs over N (N - 1).
pub(super) fn sheather_jones(differences: &Differences) -> Result<f64> {
    let n = differences.count;
    let pairs = n * (n - 1.0);
    let fourth = |width: f64| differences.derivative(4, width) / pairs;
    let sixth = -differences.derivative(6, 1.23 * n.powf(-1.0 / 9.0)) / pairs;
    let start = fourth(1.24 * n.powf(-1.0 / 7.0));
    let sparse = || Error::Numerical {
        what: "bandwidth by sheather_jones".into(),
        why: "there are too few different values for its equation; use silverman, or give a number".into(),
    };
    if !(sixth > 0.0 && start > 0.0) {
        return Err(sparse());
    }
    let alpha = 1.357 * (start / sixth).powf(1.0 / 7.0);
    let gap = |h: f64| {
        let found = fourth(alpha * h.powf(5.0 / 7.0));
        if found > 0.0 { (1.0 / (2.0 * PI.sqrt() * n * found)).powf(0.2) - h } else { f64::INFINITY }
    };
    let most = 1.144 * n.powf(-0.2);
    // The solution of usual samples lies between a tenth of the most and the most.
    let bracket = [(0.1, 1.0), (0.01, 0.1), (1.0, 4.0), (0.001, 0.01)].into_iter().map(|(a, b)| (a * most, b * most));
    let found = bracket.into_iter().find(|(a, b)| gap(*a) > 0.0 && gap(*b) <= 0.0);
    let (low, high) = found.ok_or_else(sparse)?;
    Ok(differences.scale * root(low, high, |h| gap(h) > 0.0))
}

/// Botev, Grotowski & Kroese (2010), algorithm 1 with seven stages: the least solution of t = xi gamma(t), h = sqrt(t).
pub(super) fn improved(differences: &Differences, control: &Control, notes: &mut Vec<String>) -> Result<f64> {
    // Stages of the improved rule.
    const STAGES: usize = 7;
    let n = differences.count;
    let slope = |s: usize, t: f64| {
        let sign = if s.is_multiple_of(2) { 1.0 } else { -1.0 };
        sign * differences.derivative(2 * s, (2.0 * t).sqrt()) / (n * n)
    };
    let above = |h: f64| {
        let mut f = slope(STAGES, h * h);
        for s in (2..STAGES).rev() {
            let odd: f64 = (1..2 * s).step_by(2).map(|k| k as f64).product();
            let constant = (1.0 + 0.5f64.powf(s as f64 + 0.5)) / 3.0;
            let time = (2.0 * constant * odd / ((2.0 * PI).sqrt() * n * f)).powf(2.0 / (3.0 + 2.0 * s as f64));
            f = slope(s, time);
        }
        (2.0 * n * PI.sqrt() * f).powf(-0.2)
    };
    let usual = n.powf(-0.2);
    let mut last = None;
    for k in 0..60 {
        control.check_time("bandwidth by isj")?;
        let h = 0.005 * usual * 1000f64.powf(f64::from(k) / 59.0);
        let below = h < above(h);
        if let (Some(before), false) = (last, below) {
            return Ok(differences.scale * root(before, h, |h| h < above(h)));
        }
        last = below.then_some(h);
    }
    notes.push("the equation of isj has no solution here: sheather_jones is used".into());
    sheather_jones(differences)
}

/// Where something stops being true, by halves on a log scale.
fn root(mut low: f64, mut high: f64, holds: impl Fn(f64) -> bool) -> f64 {
    for _ in 0..60 {
        let middle = (low * high).sqrt();
        if middle <= low || middle >= high {
            break;
        }
        if holds(middle) { low = middle } else { high = middle }
    }
    (low * high).sqrt()
}
