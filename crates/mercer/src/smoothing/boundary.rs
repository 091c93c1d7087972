//! Densities of values that end somewhere: mass that a kernel puts beyond an end is folded back, f(x) = sum over mirror images of x of the
//! unfolded density (Silverman 1986, 2.10). It integrates to 1 within the ends, and what is drawn is folded alike.

use super::Sample;
use super::density::Density;
use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};

/// The ends of a column; infinite where it has none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Support {
    /// The least value.
    pub low: f64,
    /// The greatest value.
    pub high: f64,
}

/// The ends in a file: JSON has no infinite numbers.
#[derive(Serialize, Deserialize)]
struct Ends(Option<f64>, Option<f64>);

impl Serialize for Support {
    fn serialize<S: serde::Serializer>(&self, to: S) -> std::result::Result<S::Ok, S::Error> {
        let end = |x: f64| Some(x).filter(|x| x.is_finite());
        Ends(end(self.low), end(self.high)).serialize(to)
    }
}

impl<'de> Deserialize<'de> for Support {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> std::result::Result<Self, D::Error> {
        let Ends(low, high) = Ends::deserialize(from)?;
        Ok(Support { low: low.unwrap_or(f64::NEG_INFINITY), high: high.unwrap_or(f64::INFINITY) })
    }
}

impl Support {
    /// No ends.
    pub const ANYWHERE: Support = Support { low: f64::NEG_INFINITY, high: f64::INFINITY };

    /// Whether a value can be there.
    pub fn has(self, x: f64) -> bool {
        (self.low..=self.high).contains(&x)
    }

    /// A value beyond an end, mirrored until it is within both.
    pub(super) fn fold(self, x: f64) -> f64 {
        let (low, high) = (self.low, self.high);
        match (low.is_finite(), high.is_finite()) {
            (true, true) => {
                let width = high - low;
                let part = (x - low).rem_euclid(2.0 * width);
                (low + if part > width { 2.0 * width - part } else { part }).clamp(low, high)
            }
            (true, false) if x < low => 2.0 * low - x,
            (false, true) if x > high => 2.0 * high - x,
            _ => x,
        }
    }

    /// The mirror images of a value within `reach` of the ends, and not itself.
    fn images(self, x: f64, reach: f64) -> Vec<f64> {
        // Mirror images of a number in one column at most.
        const MOST_IMAGES: i32 = 64;
        let (low, high) = (self.low, self.high);
        let all: Vec<f64> = match (low.is_finite(), high.is_finite()) {
            (true, true) => {
                let width = high - low;
                let most = ((reach / width).ceil() as i32).clamp(1, MOST_IMAGES);
                // A value at an end is its own mirror image and counts twice; only the value as it is, k = 0, is no image.
                let shifts = (-most..=most).map(|k| 2.0 * f64::from(k) * width);
                shifts.flat_map(|shift| [Some(x + shift).filter(|_| shift != 0.0), Some(2.0 * low - x + shift)]).flatten().collect()
            }
            (true, false) => vec![2.0 * low - x],
            (false, true) => vec![2.0 * high - x],
            (false, false) => Vec::new(),
        };
        all.into_iter().filter(|y| *y >= low - reach && *y <= high + reach).collect()
    }
}

/// A support that fits to a sample, one for each column or none.
pub(super) fn checked(support: &[Support], sample: &Sample) -> Result<Vec<Support>> {
    if support.iter().all(|s| *s == Support::ANYWHERE) {
        return Ok(Vec::new());
    }
    Error::unless_equal("supports, one for each column", sample.dim(), support.len())?;
    for (j, ends) in support.iter().enumerate() {
        if ends.low >= ends.high || ends.low.is_nan() || ends.high.is_nan() {
            let why = format!("({}, {}) of column {} holds no interval; the first number is the least", ends.low, ends.high, j + 1);
            return Err(Error::Setting { name: "support".into(), why });
        }
        if let Some(i) = (0..sample.rows()).find(|&i| !ends.has(sample.points()[(i, j)])) {
            let (x, row, column) = (sample.points()[(i, j)], i + 1, j + 1);
            let why = format!(
                "row {row}, column {column} is {x}, outside of ({}, {}); widen the support or leave the row out",
                ends.low, ends.high
            );
            return Err(Error::Setting { name: "support".into(), why });
        }
    }
    Ok(support.to_vec())
}

impl Density {
    /// ln of the sum over x and its mirror images; -inf outside the support.
    pub(super) fn folded(&self, x: &[f64], log_sum: impl Fn(&[f64]) -> f64) -> f64 {
        let support = self.support();
        let own = log_sum(x);
        if support.is_empty() {
            return own;
        }
        if !support.iter().zip(x).all(|(ends, x)| ends.has(*x)) {
            return f64::NEG_INFINITY;
        }
        let mut images = vec![x.to_vec()];
        for j in 0..support.len() {
            let more = self.with_images(j, x[j]);
            let moved = |y: &f64| images.iter().map(|image| moved(image, j, *y)).collect::<Vec<_>>();
            let beyond: Vec<Vec<f64>> = more[1..].iter().flat_map(moved).collect();
            images.extend(beyond);
        }
        let logs: Vec<f64> = std::iter::once(own).chain(images[1..].iter().map(|image| log_sum(image))).collect();
        self::log_sum(&logs)
    }

    /// A value of a column, and its mirror images at the ends of the column that count.
    pub(super) fn with_images(&self, column: usize, x: f64) -> Vec<f64> {
        // Images whose density is below e^-this of that of the number itself are left out.
        const NEGLIGIBLE: f64 = 45.0;
        // Gaussians fall below what counts within so many bandwidths of the nearest row, exponentials later.
        let far = if self.kernel().is_compact() { 1.0 } else { NEGLIGIBLE };
        let reach = far * self.widest() * self.stored.frame.width(column);
        let images = self.support().get(column).map_or_else(Vec::new, |ends| ends.images(x, reach));
        std::iter::once(x).chain(images).collect()
    }
}

/// ln of the sum of numbers whose logarithms are given.
pub(super) fn log_sum(logs: &[f64]) -> f64 {
    let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if most == f64::NEG_INFINITY { most } else { most + logs.iter().map(|l| (l - most).exp()).sum::<f64>().ln() }
}

fn moved(x: &[f64], column: usize, to: f64) -> Vec<f64> {
    let mut image = x.to_vec();
    image[column] = to;
    image
}
