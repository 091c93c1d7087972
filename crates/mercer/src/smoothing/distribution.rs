//! The distribution of a density of one column, F(x) = sum_i w_i P((x - x_i) / h) / sum_i w_i, its quantiles and what is drawn from it.

use super::density::Density;
use super::{SmoothingKernel, Support};
use crate::control::Control;
use crate::error::{Error, Result};
use crate::linalg::Matrix;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// The distribution of a density of one column.
#[derive(Clone, Debug)]
pub struct Distribution {
    kernel: SmoothingKernel,
    support: Support,
    /// In order.
    points: Vec<f64>,
    /// Of each point, and the greatest of them.
    widths: Vec<f64>,
    widest: f64,
    weights: Vec<f64>,
    /// Sums of the weights before each place, and of all.
    before: Vec<f64>,
}

impl Density {
    /// The distribution of a density of one column.
    ///
    /// # Errors
    /// Several columns.
    pub fn distribution(&self) -> Result<Distribution> {
        if self.dim() != 1 {
            let why = format!("a distribution function and quantiles are of one column, and there are {}", self.dim());
            return Err(Error::Setting { name: "columns".into(), why });
        }
        let (all, width) = (self.sample().ordered_rows(0), self.stored.frame.width(0));
        let (points, weights): (Vec<f64>, Vec<f64>) = all.iter().map(|(x, w, _)| (*x, *w)).unzip();
        let widths: Vec<f64> = all.iter().map(|(_, _, i)| width * self.widths_of_rows().get(*i).copied().unwrap_or(1.0)).collect();
        let mut before = vec![0.0];
        weights.iter().for_each(|w| before.push(before[before.len() - 1] + w));
        let support = self.support().first().copied().unwrap_or(Support::ANYWHERE);
        Ok(Distribution { kernel: self.kernel(), support, points, widths, widest: width * self.widest(), weights, before })
    }

    /// Rows drawn from the density: rows of the sample by their weights, moved by the kernel, folded into the support.
    ///
    /// # Errors
    /// On request of `control`.
    pub fn draw(&self, count: usize, seed: u64, control: &Control) -> Result<Matrix> {
        let (dim, stored) = (self.dim(), &self.stored);
        control.plan("rows drawn from a density", 8 * (count as u64).saturating_mul(dim as u64))?;
        let mut source = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut until = Vec::with_capacity(stored.sample.rows());
        stored.sample.weights().iter().fold(0.0, |sum, w| {
            until.push(sum + w);
            sum + w
        });
        let total = until[until.len() - 1];
        let mut out = Vec::with_capacity(count * dim);
        for k in 0..count {
            if k % 4096 == 0 {
                control.check_time("rows drawn from a density")?;
            }
            let at = source.random::<f64>() * total;
            let row = until.partition_point(|u| *u <= at).min(until.len() - 1);
            let step = stored.frame.step(&stored.kernel.draw(stored.shape, dim, &mut source));
            let width = stored.widths.get(row).copied().unwrap_or(1.0);
            let moved = stored.sample.points().row(row).iter().zip(&step).map(|(x, s)| x + width * s);
            out.extend(moved.enumerate().map(|(j, x)| stored.support.get(j).map_or(x, |ends| ends.fold(x))));
        }
        Matrix::new(count, dim, out)
    }
}

impl Distribution {
    /// F(x).
    pub fn cumulative(&self, x: f64) -> f64 {
        let Support { low, high } = self.support;
        match (low.is_finite(), high.is_finite()) {
            _ if x <= low => 0.0,
            _ if x >= high => 1.0,
            (false, false) => self.unfolded(x),
            // What is mirrored into low..x comes from 2 low - x .. low.
            (true, false) => self.unfolded(x) - self.unfolded(2.0 * low - x),
            (false, true) => self.unfolded(x) + 1.0 - self.unfolded(2.0 * high - x),
            (true, true) => {
                let step = 2.0 * (high - low);
                let (first, last) = (self.points[0], self.points[self.points.len() - 1]);
                let reach = self.reach();
                let most = (((last - first + 2.0 * reach) / step).ceil() as i32 + 1).min(10_000);
                (-most..=most)
                    .map(|k| step * f64::from(k))
                    .map(|s| self.unfolded(x + s) - self.unfolded(2.0 * low - x + s))
                    .sum::<f64>()
                    .clamp(0.0, 1.0)
            }
        }
    }

    /// The number below which the share p of the density lies.
    ///
    /// # Errors
    /// A share outside of 0..1, or one at an end that is infinite.
    pub fn quantile(&self, p: f64) -> Result<f64> {
        let reach = self.reach();
        let mut low = (self.points[0] - reach).max(self.support.low);
        let mut high = (self.points[self.points.len() - 1] + reach).min(self.support.high);
        if !(0.0..=1.0).contains(&p) {
            let domain = "a share between 0 and 1".into();
            return Err(Error::OutOfDomain { owner: "quantile".into(), name: "p".into(), value: p.to_string(), domain });
        }
        // By halves down to neighbouring numbers.
        loop {
            let middle = 0.5 * (low + high);
            if middle <= low || middle >= high {
                return Ok(middle);
            }
            if self.cumulative(middle) < p { low = middle } else { high = middle }
        }
    }

    /// Beyond this a kernel has no mass that a double would show.
    fn reach(&self) -> f64 {
        self.widest
            * match self.kernel {
                SmoothingKernel::Gaussian => 38.5,
                SmoothingKernel::Exponential => 745.0,
                _ => 1.0,
            }
    }

    fn unfolded(&self, x: f64) -> f64 {
        // Rows so far below that their kernels are wholly below x count in full.
        let full = self.widest
            * match self.kernel {
                SmoothingKernel::Gaussian => 8.5,
                SmoothingKernel::Exponential => 37.0,
                _ => 1.0,
            };
        let first = self.points.partition_point(|p| *p < x - full);
        let last = self.points.partition_point(|p| *p <= x + self.reach());
        let inside = (first..last).map(|i| self.weights[i] * self.kernel.cumulative((x - self.points[i]) / self.widths[i]));
        (self.before[first] + inside.sum::<f64>()) / self.before[self.points.len()]
    }
}
