//! The bandwidth of a local regression by rows left out: sum_i w_i (y_i - f_-i(x_i))^2 over factors of the deviations of the columns, then
//! golden sections about the least. Equal rows are looked at once and left out together: copies do not vouch for each other.

use super::local::{LocalFit, Reach};
use super::sample::each_once;
use super::{Sample, golden};
use crate::control::Control;
use crate::error::{Error, Result};
use crate::linalg::Matrix;

impl LocalFit {
    /// Mean square of rows left out with some units; infinite where a row has no other near.
    fn left_out_square(&self, rows: &[usize], control: &Control) -> Result<f64> {
        let (mut sum, mut count) = (0.0, 0.0);
        for (judged, &i) in self.judge(rows, false, control)?.iter().zip(rows) {
            let Some(left_out) = judged.as_ref().and_then(|j| j.left_out) else { return Ok(f64::INFINITY) };
            let weight = self.sample.weights()[i];
            sum += weight * (self.y[i] - left_out).powi(2);
            count += weight;
        }
        Ok(sum / count)
    }

    /// The bandwidth by the squares of rows left out, and what was tried.
    pub(super) fn choose(&mut self, control: &Control) -> Result<()> {
        let (points, dim) = (self.sample.points(), self.sample.dim());
        let both = Matrix::from_fn(points.rows(), dim + 1, |i, j| if j < dim { points[(i, j)] } else { self.y[i] });
        let (rows, weights) = each_once(&both, self.sample.weights());
        let sample = Sample::new(&points.select_rows(&rows), Some(&weights))?;
        let factor = sample.count().powf(-1.0 / (dim as f64 + 4.0));
        let base = (0..dim).map(|j| sample.require_spread(j).map(|()| factor * sample.deviation(j))).collect::<Result<Vec<f64>>>()?;
        let y = rows.iter().map(|&i| self.y[i]).collect();
        let mut once = self.clone().with(Some(y), Vec::new());
        (once.units, once.sample) = (base.clone(), sample.with_whole_rows());
        once.descend(&base, control)?;
        (self.units, self.curve) = (once.units, once.curve);
        self.reach = Reach::Widths(self.units.clone());
        Ok(())
    }

    /// Factors of a width of each column, then golden sections about the best.
    fn descend(&mut self, base: &[f64], control: &Control) -> Result<()> {
        // Factors of the data-based width that are tried, and their ends.
        const TRIED: usize = 25;
        const ENDS: [f64; 2] = [0.05, 8.0];
        // Golden sections between the best of them and its neighbours.
        const SECTIONS: usize = 16;
        // Rows at which bandwidths are judged, at most.
        const JUDGED: usize = 2000;
        let n = self.sample.rows();
        let rows: Vec<usize> = (0..n).step_by(n.div_ceil(JUDGED)).collect();
        let mut curve = Vec::new();
        let (low, high) = (ENDS[0].ln(), ENDS[1].ln());
        let step = (high - low) / (TRIED - 1) as f64;
        let mut best = (f64::INFINITY, high);
        let mut tried = |log: f64, best: &mut (f64, f64)| -> Result<f64> {
            self.units = base.iter().map(|b| b * log.exp()).collect();
            let score = self.left_out_square(&rows, control)?;
            curve.push((self.units[0], score));
            control.tell("bandwidths", curve.len(), TRIED + SECTIONS + 2);
            if score < best.0 {
                *best = (score, log);
            }
            Ok(if score.is_nan() { f64::INFINITY } else { score })
        };
        for k in 0..TRIED {
            tried(low + step * k as f64, &mut best)?;
        }
        let (ends, mut left) = ((best.1 - step, best.1 + step), 0..SECTIONS);
        golden::sections(ends, |log| tried(log, &mut best), |_| Ok(left.next().is_some()))?;
        if best.0 == f64::INFINITY {
            let instead = if self.kernel.is_compact() {
                "no bandwidth leaves every row another one near enough to judge it by; give a bandwidth, or a kernel without an end (gaussian)"
            } else {
                "at every bandwidth that was tried a row far from all others, or one of two, decides the fit at its place alone, so that nothing judges it; give a bandwidth, take averages (degree 0, nadaraya_watson), or leave the row out"
            };
            return Err(Error::Data(instead.into()));
        }
        self.units = base.iter().map(|b| b * best.1.exp()).collect();
        curve.retain(|(_, square)| square.is_finite());
        curve.sort_by(|a, b| a.0.total_cmp(&b.0));
        self.curve = curve;
        Ok(())
    }
}
