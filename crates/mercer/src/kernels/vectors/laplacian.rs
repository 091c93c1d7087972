//! laplacian: k(x, z) = exp(-sum_j |x_j - z_j| / length_scale_j) (K09): a product of Matern-1/2 kernels, one per column.

use super::stationary;
use crate::control::Control;
use crate::data::{Points, RowWeights};
use crate::error::Result;
use crate::gram::{Kernel, Map, MapFormula, Mercer, PointFormula, PointStatistic, PreparedPoints, Spectral, Tile, l1_distance};
use crate::linalg::Real;
use crate::param::{Alias, Value};
use mercer_derive::{Formula, Parameters};
use serde::{Deserialize, Serialize};

/// The Laplacian kernel: rough functions, additive distances.
///
/// ```text
/// exp(-sum |x - z| / length_scale): rough functions
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Formula, Parameters)]
#[serde(deny_unknown_fields)]
pub struct Laplacian {
    #[param(stationary::LENGTH_SCALE)]
    length_scale: Value,
    #[param(stationary::ARD)]
    ard: bool,
}

#[derive(Clone, Copy)]
struct Decay;

impl Map for Decay {
    #[inline(always)]
    fn at<T: Real, const FMA: bool>(self, d: T) -> T {
        (T::from_f64(0.0) - d).exponential::<FMA>()
    }
    /// `exponential_decay`: exp(-d).
    fn formula(self) -> Option<MapFormula> {
        Some(MapFormula::new("exponential_decay", &[]))
    }
}

/// The l1 distance of two prepared points.
fn distance(a: &PreparedPoints, i: usize, b: &PreparedPoints, j: usize) -> f64 {
    match (a.row(i), b.row(j)) {
        (Some(x), Some(z)) => l1_distance(x, z),
        _ => a.merged(i, b, j).map(|(_, x, z)| (x - z).abs()).sum(),
    }
}

impl Kernel for Laplacian {
    const NAME: &'static str = "laplacian";
    const DOC: &'static str = Self::FORMULA;
    const SOURCE: &'static str = "Rasmussen & Williams, Gaussian Processes for Machine Learning (2006), (4.18), multiplied over columns";
    const BECAUSE: &'static str = "a product over columns of exp(-|t|), whose Fourier transform 2/(1 + w^2) is nowhere negative (Bochner)";
    const ALIASES: &'static [Alias] = &[("gamma", "length_scale", |g| 1.0 / g)];
    const DIFFERENTIABLE: &'static [&'static str] = &["length_scale"];
    type Inputs = Points;
    type Learnt = ();
    type Prepared = PreparedPoints;

    fn settle(&self, inputs: &Points, weights: RowWeights<'_>) -> Self {
        Laplacian { length_scale: stationary::settle(&self.length_scale, self.ard, inputs, weights), ..*self }
    }
    fn check(&self, inputs: &Points) -> Result<()> {
        stationary::check(Self::NAME, &self.length_scale, inputs)
    }
    fn prepare(&self, (): &(), inputs: &Points, like: Option<&PreparedPoints>, _: &Control) -> Result<PreparedPoints> {
        Ok(stationary::prepare(&self.length_scale, inputs, like))
    }
    fn fill<T: Real>(&self, tile: Tile<'_, PreparedPoints, T>) {
        let (a, b) = (tile.a, tile.b);
        tile.from_pairs_mapped(|i, j| distance(a, i, b, j), Decay);
    }
    fn point_formula<'p>(&self, rows: &'p PreparedPoints, cols: &'p PreparedPoints) -> Option<PointFormula<'p>> {
        PointFormula::map(PointStatistic::L1Distance, Decay, rows, cols)
    }
    fn diagonal(&self, x: &PreparedPoints) -> Vec<f64> {
        vec![1.0; x.rows()]
    }
    fn log_diagonal(&self, x: &PreparedPoints) -> Option<Vec<f64>> {
        Some(vec![0.0; x.rows()])
    }
    fn fill_log_decay(&self, tile: Tile<'_, PreparedPoints, f64>) {
        let (a, b) = (tile.a, tile.b);
        tile.from_pairs(|i, j| distance(a, i, b, j));
    }
    fn spectral(&self) -> Option<(Spectral, Vec<f64>)> {
        Some((Spectral::Cauchy, self.length_scale.numbers().to_vec()))
    }
    fn mercer(&self) -> Mercer {
        Mercer::Always
    }
    /// dk/dlength_scale_j = k |x_j - z_j| / length_scale_j (scaled coordinates).
    fn gradient(&self, mut tile: Tile<'_, PreparedPoints, f64>, weights: &[f64], out: &mut [f64]) {
        let lengths = self.length_scale.numbers();
        let n = tile.cols.len();
        for k in 0..tile.rows.len() {
            let (i, row) = (tile.rows.at(k), tile.out.row_mut(k));
            for (l, j) in tile.cols.clone().enumerate() {
                row[l] = distance(tile.a, i, tile.b, j);
                let w = weights[k * n + l] * Decay.at::<f64, false>(row[l]);
                if lengths.len() == 1 {
                    out[0] += w * row[l] / lengths[0];
                } else if let (Some(x), Some(z)) = (tile.a.row(i), tile.b.row(j)) {
                    for ((x, z), &c) in x.iter().zip(z).zip(tile.a.kept()) {
                        out[c] += w * (x - z).abs() / lengths[c];
                    }
                } else {
                    for (c, x, z) in tile.a.merged(i, tile.b, j) {
                        out[c] += w * (x - z).abs() / lengths[c];
                    }
                }
            }
        }
    }
}
