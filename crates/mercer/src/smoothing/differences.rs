//! All differences of the values of a column, and sums of a polynomial times a Gaussian over them: what plug-in rules and least-squares
//! cross-validation are made of. Many values are first moved to a fine grid, shared between its two nearest places (Wand 1994).

use super::Sample;
use super::sample::quantile;
use crate::control::Control;
use crate::error::Result;
use crate::gram::{Level, dispatch, level};
use crate::linalg::Real;
use std::f64::consts::PI;

/// Differences in units of a scale.
pub(super) struct Differences {
    /// What a unit is in the column.
    pub(super) scale: f64,
    /// Rows, as weights count them.
    pub(super) count: f64,
    /// sum of w_i w_j over all pairs of equal values, each row with itself too.
    own: f64,
    apart: Vec<f64>,
    /// w_i w_j of each, pairs once.
    weights: Vec<f64>,
}

impl Differences {
    /// Of a sample with one column that has a spread.
    pub(super) fn new(sample: &Sample, control: &Control) -> Result<Self> {
        // Different values above which a grid is used.
        const FEW: usize = 400;
        // Places of the grid in scale N^(-1/5), a bandwidth of usual size.
        const FINE: f64 = 200.0;
        // Differences beyond so many scales say nothing to a rule.
        const FARTHEST: f64 = 40.0;
        let scale = sample.lesser_scale(0, 1.349);
        let all = sample.ordered(0);
        let middle = quantile(&all, 0.5);
        let mut values: Vec<(f64, f64)> = Vec::new();
        for (x, w) in all {
            match values.last_mut() {
                Some(last) if last.0 == x => last.1 += w,
                _ => values.push((x, w)),
            }
        }
        values.iter_mut().for_each(|(x, _)| *x = (*x - middle) / scale);
        let count = sample.count();
        let mut found = Differences { scale, count, own: 0.0, apart: Vec::new(), weights: Vec::new() };
        if values.len() <= FEW {
            found.own = values.iter().map(|(_, w)| w * w).sum();
            for (i, (x, w)) in values.iter().enumerate() {
                let beyond = values[i + 1..].iter().take_while(|(z, _)| z - x <= FARTHEST);
                let (apart, weights): (Vec<f64>, Vec<f64>) = beyond.map(|(z, v)| (z - x, w * v)).unzip();
                found.apart.extend(apart);
                found.weights.extend(weights);
            }
            return Ok(found);
        }
        let step = count.powf(-0.2) / FINE;
        let mut cells: Vec<(i64, f64)> = Vec::new();
        let mut add = |cell: i64, w: f64| match cells.iter_mut().rev().take(2).find(|(c, _)| *c == cell) {
            Some((_, all)) => *all += w,
            None => cells.push((cell, w)),
        };
        for (x, w) in &values {
            let place = x / step;
            let (lower, part) = (place.floor() as i64, place - place.floor());
            add(lower, w * (1.0 - part));
            add(lower + 1, w * part);
        }
        let most = (FARTHEST / step) as usize;
        let mut lags = vec![0.0; most + 1];
        for (i, (cell, w)) in cells.iter().enumerate() {
            if i % 256 == 0 {
                control.check_time("differences of all values")?;
            }
            for (other, v) in &cells[i + 1..] {
                let lag = (other - cell) as usize;
                if lag > most {
                    break;
                }
                lags[lag] += w * v;
            }
        }
        found.own = cells.iter().map(|(_, w)| w * w).sum();
        (found.apart, found.weights) = lags.iter().enumerate().filter(|(_, w)| **w > 0.0).map(|(lag, w)| (lag as f64 * step, *w)).unzip();
        Ok(found)
    }

    /// sum_i sum_j w_i w_j phi^(order)((x_i - x_j) / width) / width^(order + 1), phi the normal density, each row with itself too.
    pub(super) fn derivative(&self, order: usize, width: f64) -> f64 {
        let terms = hermite(order);
        let inside: f64 = sum_pairs_of(&self.apart, &self.weights, 1.0 / width, &terms);
        (self.own * terms[0] + 2.0 * inside) / ((2.0 * PI).sqrt() * width.powi(order as i32 + 1))
    }

    /// The derivative without pairs of a row and itself.
    pub(super) fn derivative_left_out(&self, order: usize, width: f64) -> f64 {
        self.derivative(order, width) - self.count * hermite(order)[0] / ((2.0 * PI).sqrt() * width.powi(order as i32 + 1))
    }
}

/// Coefficients of He_order(u), an even order up to 14, in powers of u^2; phi^(order)(u) = He_order(u) phi(u).
fn hermite(order: usize) -> [f64; 8] {
    let (mut before, mut now) = ([0.0; 16], [0.0; 16]);
    now[0] = 1.0;
    for k in 0..order.min(14) {
        let mut next = [0.0; 16];
        for p in 0..15 {
            next[p + 1] += now[p];
        }
        (0..16).for_each(|p| next[p] -= k as f64 * before[p]);
        (before, now) = (now, next);
    }
    std::array::from_fn(|k| now[2 * k])
}

dispatch! {
    sum_pairs_of, sum_pairs_body, <>, (apart: &[f64], weights: &[f64], by: f64, terms: &[f64; 8]) -> f64
}

/// sum_k w_k P(u_k^2) exp(-u_k^2 / 2) with u = apart * by.
#[inline(always)]
fn sum_pairs_body<const FMA: bool>(apart: &[f64], weights: &[f64], by: f64, terms: &[f64; 8]) -> f64 {
    let mut total = [0.0; 8];
    let one = |apart: f64, weight: f64| {
        let square = (apart * by) * (apart * by);
        let mut sum = terms[7];
        for k in (0..7).rev() {
            sum = crate::linalg::fma::<f64, FMA>(sum, square, terms[k]);
        }
        // Far away the polynomial may not be finite.
        if square < 1400.0 { weight * sum * (-0.5 * square).exponential::<FMA>() } else { 0.0 }
    };
    let (vectors, rest) = apart.as_chunks::<8>();
    let (of_vectors, of_rest) = weights.as_chunks::<8>();
    for (a, w) in vectors.iter().zip(of_vectors) {
        for l in 0..8 {
            total[l] += one(a[l], w[l]);
        }
    }
    total.iter().sum::<f64>() + rest.iter().zip(of_rest).map(|(a, w)| one(*a, *w)).sum::<f64>()
}
