//! Lowess (Cleveland 1979): at each place a line by tri-cube weights to the nearest rows, then again with weights by the last residuals,
//! so that outliers count less.
//!
//! ```text
//! w_i = (1 - (|x_i - x| / h)^3)^3, h the distance of the k-th nearest row, k = frac N
//! then w_i (1 - (r_i / 6 median |r|)^2)^2
//! ```
//!
//! Rows closer than `delta` to the last place of a fit are interpolated.

use super::robust::{self, FAR, NEAR, ROUNDING};
use crate::blocks;
use crate::control::Control;
use crate::error::{Error, Result};
use crate::gram::{Level, dispatch, level};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// What a lowess is asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LowessOptions {
    /// The share of all rows that a line is fitted to.
    pub frac: f64,
    /// Rounds with weights by residuals.
    pub rounds: usize,
    /// Rows within this distance of the last place of a fit are interpolated.
    pub delta: f64,
}

impl Default for LowessOptions {
    /// Two thirds of the rows, three rounds, a fit at every row.
    fn default() -> Self {
        LowessOptions { frac: 2.0 / 3.0, rounds: 3, delta: 0.0 }
    }
}

/// A lowess that is ready to be asked for values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lowess {
    /// Ascending.
    #[serde(with = "blocks::f64s")]
    x: Vec<f64>,
    #[serde(with = "blocks::f64s")]
    y: Vec<f64>,
    /// Weights by residuals; 1 before the first round.
    #[serde(with = "blocks::f64s")]
    robust: Vec<f64>,
    /// Rows of a line.
    count: usize,
    /// By the rows as they were given.
    #[serde(with = "blocks::f64s")]
    fitted: Vec<f64>,
}

impl Lowess {
    /// Fits to rows of one column.
    ///
    /// # Errors
    /// Fewer than two rows, numbers that are not finite or of another count; a share not above 0 and at most 1, a delta below 0; on
    /// request of `control`.
    pub fn fit(x: &[f64], y: &[f64], options: &LowessOptions, control: &Control) -> Result<Self> {
        Error::unless_equal("targets", x.len(), y.len())?;
        if let Some(i) = (0..x.len()).find(|&i| !(x[i].is_finite() && y[i].is_finite())) {
            return Err(Error::Data(format!("row {}: ({}, {}); expected finite numbers", i + 1, x[i], y[i])));
        }
        if x.len() < 2 {
            return Err(Error::Data(format!("lowess needs two rows at least; found {}", x.len())));
        }
        let outside = |name: &str, value: f64, domain: &str| Error::OutOfDomain {
            owner: "lowess".into(),
            name: name.into(),
            value: value.to_string(),
            domain: domain.into(),
        };
        if !(options.frac > 0.0 && options.frac <= 1.0) {
            return Err(outside("frac", options.frac, "above 0 and at most 1"));
        }
        if !(options.delta >= 0.0 && options.delta.is_finite()) {
            return Err(outside("delta", options.delta, "a finite number, 0 or above"));
        }
        let mut order: Vec<usize> = (0..x.len()).collect();
        order.sort_by(|&a, &b| x[a].total_cmp(&x[b]));
        let (x, y): (Vec<f64>, Vec<f64>) = order.iter().map(|&i| (x[i], y[i])).unzip();
        let count = ((options.frac * x.len() as f64 + ROUNDING) as usize).clamp(2, x.len());
        let mut lowess = Lowess { fitted: vec![0.0; x.len()], robust: vec![1.0; x.len()], x, y, count };
        let places = lowess.places(options.delta);
        let mut values = lowess.values(&places, control)?;
        let ones = vec![1.0; values.len()];
        for round in 0..options.rounds {
            control.tell("rounds against outliers", round + 1, options.rounds);
            let residuals: Vec<f64> = lowess.y.iter().zip(&values).map(|(y, f)| y - f).collect();
            let Some(robust) = robust::weights(&residuals, &ones) else { break };
            lowess.robust = robust;
            values = lowess.values(&places, control)?;
        }
        order.iter().zip(&values).for_each(|(&i, v)| lowess.fitted[i] = *v);
        Ok(lowess)
    }

    /// Values at the rows, as they were given.
    pub fn fitted(&self) -> &[f64] {
        &self.fitted
    }

    /// Values at other places: lines to the nearest rows with the weights of the last round.
    ///
    /// # Errors
    /// A number that is not finite; a place all of whose rows are outliers; on request of `control`.
    pub fn predict(&self, x: &[f64], control: &Control) -> Result<Vec<f64>> {
        let one = |i: usize| {
            control.check_time("local lines")?;
            if !x[i].is_finite() {
                return Err(Error::Data(format!("row {}: x is {}; expected a finite number", i + 1, x[i])));
            }
            self.line(x[i], self.window(x[i])).ok_or_else(|| {
                Error::Data(format!("row {}: every row near {} counts as an outlier; take a larger frac, or fewer rounds", i + 1, x[i]))
            })
        };
        (0..x.len()).into_par_iter().map(one).collect()
    }

    /// The first of the nearest rows of a place.
    fn window(&self, at: f64) -> usize {
        let (mut low, mut high) = (0, self.x.len() - self.count);
        while low < high {
            let middle = (low + high) / 2;
            if at - self.x[middle] > self.x[middle + self.count] - at { low = middle + 1 } else { high = middle }
        }
        low
    }

    /// Rows at which lines are fitted, the first and the last among them; equal rows once.
    fn places(&self, delta: f64) -> Vec<usize> {
        let (n, mut places, mut at) = (self.x.len(), Vec::new(), 0);
        loop {
            places.push(at);
            let mut last = at;
            let mut next = at + 1;
            while next < n && self.x[next] <= self.x[at] + delta {
                if self.x[next] == self.x[at] {
                    last = next;
                }
                next += 1;
            }
            if last + 1 >= n {
                return places;
            }
            // The last row that is within delta, and at least one farther.
            at = (last + 1).max(next - 1);
        }
    }

    fn values(&self, places: &[usize], control: &Control) -> Result<Vec<f64>> {
        let line = |&i: &usize| {
            control.check_time("local lines")?;
            Ok(self.line(self.x[i], self.window(self.x[i])).unwrap_or(self.y[i]))
        };
        let found: Vec<f64> = places.par_iter().map(line).collect::<Result<_>>()?;
        let mut values = vec![0.0; self.x.len()];
        for (k, &from) in places.iter().enumerate() {
            let to = places.get(k + 1).copied().unwrap_or(self.x.len() - 1);
            let (x, f) = (self.x[from], found[k]);
            let (width, rise) = (self.x[to] - x, found.get(k + 1).map_or(0.0, |next| next - f));
            for i in from..=to {
                let share = if width > 0.0 { (self.x[i] - x) / width } else { 0.0 };
                values[i] = if self.x[i] == x { f } else { f + share * rise };
            }
        }
        Ok(values)
    }

    /// The line at a place by the `count` rows from `first` on; none where none of them has a weight.
    fn line(&self, at: f64, first: usize) -> Option<f64> {
        let last = first + self.count - 1;
        let h = (at - self.x[first]).max(self.x[last] - at);
        // Rows as far as the last are there too.
        let from = self.x.partition_point(|x| at - x > FAR * h);
        let to = self.x.partition_point(|x| x - at <= FAR * h);
        let [w, wd, wdd, wy, wdy] = moments(&self.x[from..to], &self.y[from..to], &self.robust[from..to], at, h);
        if w <= 0.0 {
            return None;
        }
        let (mean, level) = (wd / w, wy / w);
        let (square, product) = (wdd / w - mean * mean, wdy / w - mean * level);
        // Rows that lie together make no line.
        let line = square.max(0.0).sqrt() > NEAR * (self.x[self.x.len() - 1] - self.x[0]);
        Some(if line { level - mean / square * product } else { level })
    }
}

dispatch! {
    /// Sums of w, w d, w d^2, w y and w d y over rows, d = x - at, w the tri-cube of d / h times the weight by residuals.
    moments, moments_body, <>, (x: &[f64], y: &[f64], robust: &[f64], at: f64, h: f64) -> [f64; 5]
}

#[inline(always)]
fn moments_body<const FMA: bool>(x: &[f64], y: &[f64], robust: &[f64], at: f64, h: f64) -> [f64; 5] {
    const LANES: usize = 8;
    let by = if h > 0.0 { 1.0 / h } else { 0.0 };
    let add = |sums: &mut [[f64; LANES]; 5], l: usize, x: f64, y: f64, robust: f64| {
        let d = x - at;
        let r = d.abs() * by;
        let rest = 1.0 - r * r * r;
        let w = robust * if r <= NEAR { 1.0 } else { rest * rest * rest };
        let (wd, wy) = (w * d, w * y);
        for (sum, term) in sums.iter_mut().zip([w, wd, wd * d, wy, wy * d]) {
            sum[l] += term;
        }
    };
    let mut sums = [[0.0; LANES]; 5];
    let whole = x.len() / LANES * LANES;
    for at in (0..whole).step_by(LANES) {
        let (x, y, robust) = (&x[at..at + LANES], &y[at..at + LANES], &robust[at..at + LANES]);
        for l in 0..LANES {
            add(&mut sums, l, x[l], y[l], robust[l]);
        }
    }
    for i in whole..x.len() {
        add(&mut sums, 0, x[i], y[i], robust[i]);
    }
    sums.map(|lanes| lanes.iter().sum())
}
