//! periodic: k(x, z) = exp(-2 sum_j sin^2(pi (x_j - z_j) / period) / length_scale^2) (MacKay 1998; Rasmussen & Williams 4.31).
//!
//! With u = (cos, sin)(2 pi x_j / period) for every column, |u_x - u_z|^2 = 4 sum_j sin^2(pi (x_j - z_j) / period): the
//! kernel is rbf of the inputs wound on circles.

use super::rbf::{Gaussian, Unlike};
use super::stationary;
use crate::control::Control;
use crate::data::{Points, RowWeights};
use crate::error::Result;
use crate::gram::{Kernel, Map, Mercer, PointFormula, PreparedBatch, PreparedPoints, Tile, map_row};
use crate::linalg::Real;
use crate::param::Value;
use mercer_derive::{Formula, Parameters};
use serde::{Deserialize, Serialize};
use std::f64::consts::PI;

/// Functions that repeat.
///
/// ```text
/// exp(-2 sin^2(pi |x - z| / period) / length_scale^2): functions that repeat
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Formula, Parameters)]
#[serde(deny_unknown_fields)]
pub struct Periodic {
    /// after which the function repeats, in units of the column as it is; auto: a quarter of the widest column's range
    #[param(domain = PositiveFinite, search = 10.0)]
    period: Value,
    /// smoothness within a period: 1 is about one wave, small is many; auto: 1
    #[param(domain = PositiveFinite, search = 100.0)]
    length_scale: Value,
}

/// Inputs on circles, divided by the length scale, and the inputs themselves.
pub struct CircleEmbedding {
    circles: PreparedPoints,
    plain: Vec<f64>,
    dim: usize,
}

impl PreparedBatch for CircleEmbedding {}

/// A quarter of the widest column's range; 1 where no column varies.
fn quarter_range(inputs: &Points) -> f64 {
    let (values, dim) = (inputs.to_dense(), inputs.dim());
    let range = |j: usize| {
        let column = values.iter().skip(j).step_by(dim);
        column.clone().fold(f64::NEG_INFINITY, |m, x| m.max(*x)) - column.fold(f64::INFINITY, |m, x| m.min(*x))
    };
    let widest = (0..dim).map(range).fold(0.0, f64::max);
    if widest > 0.0 { widest / 4.0 } else { 1.0 }
}

impl Kernel for Periodic {
    const NAME: &'static str = "periodic";
    const DOC: &'static str = Self::FORMULA;
    const SOURCE: &'static str =
        "MacKay, Introduction to Gaussian Processes (1998); Rasmussen & Williams, Gaussian Processes for Machine Learning (2006), (4.31)";
    const BECAUSE: &'static str = "rbf of the inputs wound on circles";
    const DIFFERENTIABLE: &'static [&'static str] = &["period", "length_scale"];
    const AS_IS: bool = true;
    type Inputs = Points;
    type Learnt = ();
    type Prepared = CircleEmbedding;

    fn settle(&self, inputs: &Points, _: RowWeights<'_>) -> Self {
        Periodic { period: self.period.settle_by(|| quarter_range(inputs)), length_scale: self.length_scale.settle(1.0) }
    }
    fn prepare(&self, (): &(), inputs: &Points, like: Option<&CircleEmbedding>, _: &Control) -> Result<CircleEmbedding> {
        let plain = inputs.to_dense().into_owned();
        let turn = 2.0 * PI / self.period.number();
        let wound = plain.iter().flat_map(|x| [libm::cos(turn * x), libm::sin(turn * x)]).collect();
        let circles =
            PreparedPoints::of_dense(inputs.rows(), 2 * inputs.dim(), wound, self.length_scale.numbers(), like.map(|l| &l.circles));
        Ok(CircleEmbedding { circles, plain, dim: inputs.dim() })
    }
    fn fill<T: Real>(&self, tile: Tile<'_, CircleEmbedding, T>) {
        tile.of(|wound| &wound.circles).from_sqdist(Gaussian);
    }
    fn point_formula<'p>(&self, rows: &'p CircleEmbedding, cols: &'p CircleEmbedding) -> Option<PointFormula<'p>> {
        PointFormula::of_sqdist(Gaussian, &rows.circles, &cols.circles)
    }
    fn diagonal(&self, x: &CircleEmbedding) -> Vec<f64> {
        vec![1.0; x.circles.rows()]
    }
    fn points<'p>(&self, x: &'p CircleEmbedding) -> Option<&'p PreparedPoints> {
        Some(&x.circles)
    }
    fn squared_distances(&self, sqdists: &mut [f64]) {
        map_row(sqdists, Unlike);
    }
    fn log_diagonal(&self, x: &CircleEmbedding) -> Option<Vec<f64>> {
        Some(vec![0.0; x.circles.rows()])
    }
    fn fill_log_decay(&self, tile: Tile<'_, CircleEmbedding, f64>) {
        stationary::fill_log_decay(tile.of(|wound| &wound.circles), Gaussian);
    }
    fn mercer(&self) -> Mercer {
        Mercer::Always
    }
    /// dk/dperiod = k 2 pi / (length_scale^2 period^2) sum_j d_j sin(2 pi d_j / period), d = x - z.
    fn gradient(&self, tile: Tile<'_, CircleEmbedding, f64>, weights: &[f64], out: &mut [f64]) {
        let (period, length) = (self.period.number(), self.length_scale.number());
        let (a, b, columns) = (tile.a, tile.b, tile.cols.len());
        let factor = 2.0 * PI / (length * length * period * period);
        let mut tile = tile.of(|wound| &wound.circles);
        tile.sqdists();
        for k in 0..tile.rows.len() {
            let i = tile.rows.at(k);
            for ((l, j), s) in tile.cols.clone().enumerate().zip(tile.out.row_mut(k)) {
                let (x, z) = (&a.plain[i * a.dim..(i + 1) * a.dim], &b.plain[j * b.dim..(j + 1) * b.dim]);
                let sum: f64 = x.iter().zip(z).map(|(x, z)| (x - z) * libm::sin(2.0 * PI * (x - z) / period)).sum();
                out[0] += weights[k * columns + l] * Gaussian.at::<f64, false>(*s) * factor * sum;
            }
        }
        stationary::gradient_of_sqdists(tile, Gaussian, &self.length_scale, weights, &mut out[1..]);
    }
    /// That of the circles, along them: with u = 2 pi x / period the points are (cos u, sin u).
    fn input_gradient(&self, tile: Tile<'_, CircleEmbedding, f64>, weights: &[f64], out: &mut [f64]) -> Result<()> {
        let (a, rows, turn) = (tile.a, tile.rows.clone(), 2.0 * PI / self.period.number());
        let mut of_circles = vec![0.0; 2 * out.len()];
        stationary::input_gradient(tile.of(|wound| &wound.circles), Gaussian, self.length_scale.numbers(), weights, &mut of_circles);
        let numbers = (0..rows.len()).flat_map(|k| &a.plain[rows.at(k) * a.dim..][..a.dim]);
        for ((o, x), by) in out.iter_mut().zip(numbers).zip(of_circles.as_chunks::<2>().0) {
            *o += turn * (by[1] * libm::cos(turn * x) - by[0] * libm::sin(turn * x));
        }
        Ok(())
    }
}
