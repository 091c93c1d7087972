//! chi_squared: k(x, z) = exp(-gamma sum_j (x_j - z_j)^2 / (x_j + z_j)) for x, z >= 0, 0/0 = 0
//! (Zhang, Marszalek, Lazebnik & Schmid 2007): histograms, rare bins counted as much as common ones.

use super::nonnegative;
use crate::control::Control;
use crate::data::{Points, RowWeights};
use crate::error::Result;
use crate::gram::{Kernel, Map, Mercer, PreparedPoints, Tile, chi_squared_distance};
use crate::linalg::Real;
use crate::param::Value;
use mercer_derive::{Formula, Parameters};
use serde::{Deserialize, Serialize};

/// The exponential of minus the chi-squared distance.
///
/// ```text
/// exp(-gamma sum (x - z)^2 / (x + z)): histograms of counts or shares
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Formula, Parameters)]
#[serde(deny_unknown_fields)]
pub struct ChiSquared {
    /// factor of the distance; auto: 1 over twice the mean distance from the mean row
    #[param(domain = PositiveFinite, search = 30.0)]
    gamma: Value,
}

#[derive(Clone, Copy)]
struct Decay {
    gamma: f64,
}

impl Map for Decay {
    #[inline(always)]
    fn at<T: Real, const FMA: bool>(self, distance: T) -> T {
        (T::from_f64(-self.gamma) * distance).exponential::<FMA>()
    }
}

/// The chi-squared distance of two prepared points.
fn distance(a: &PreparedPoints, i: usize, b: &PreparedPoints, j: usize) -> f64 {
    match (a.row(i), b.row(j)) {
        (Some(x), Some(z)) => chi_squared_distance(x, z),
        _ => a.merged(i, b, j).map(|(_, x, z)| if x + z > 0.0 { (x - z) * (x - z) / (x + z) } else { 0.0 }).sum(),
    }
}

/// 1 over twice the mean distance from the mean row, which is about the mean distance of two rows.
fn start(inputs: &Points, weights: RowWeights<'_>) -> f64 {
    let cloud = PreparedPoints::plain(inputs, None);
    let total = weights.total(cloud.rows());
    let mut middle = vec![0.0; inputs.dim()];
    (0..cloud.rows()).for_each(|i| cloud.each(i).for_each(|(j, x)| middle[j] += weights.at(i) * x / total));
    let middle = PreparedPoints::plain(&Points::computed(1, inputs.dim(), middle), Some(&cloud));
    let mean = (0..cloud.rows()).map(|i| weights.at(i) * distance(&cloud, i, &middle, 0)).sum::<f64>() / total;
    if mean > 0.0 && mean.is_finite() { 0.5 / mean } else { 1.0 }
}

impl Kernel for ChiSquared {
    const NAME: &'static str = "chi_squared";
    const DOC: &'static str = Self::FORMULA;
    const SOURCE: &'static str =
        "Zhang, Marszalek, Lazebnik & Schmid, Local features and kernels for classification of texture and object categories (2007)";
    const BECAUSE: &'static str =
        "exp of minus a distance of negative type: (x - z)^2 / (x + z) = x + z - 4 x z / (x + z), and x z / (x + z) is an inner product";
    const DIFFERENTIABLE: &'static [&'static str] = &["gamma"];
    const AS_IS: bool = true;
    type Inputs = Points;
    type Learnt = ();
    type Prepared = PreparedPoints;

    fn settle(&self, inputs: &Points, weights: RowWeights<'_>) -> Self {
        ChiSquared { gamma: self.gamma.settle_by(|| start(inputs, weights)) }
    }
    fn check(&self, inputs: &Points) -> Result<()> {
        nonnegative::check(Self::NAME, inputs)
    }
    fn prepare(&self, (): &(), inputs: &Points, like: Option<&PreparedPoints>, _: &Control) -> Result<PreparedPoints> {
        Ok(PreparedPoints::plain(inputs, like))
    }
    fn fill<T: Real>(&self, tile: Tile<'_, PreparedPoints, T>) {
        let (a, b) = (tile.a, tile.b);
        tile.from_pairs_mapped(|i, j| distance(a, i, b, j), Decay { gamma: self.gamma.number() });
    }
    fn diagonal(&self, x: &PreparedPoints) -> Vec<f64> {
        vec![1.0; x.rows()]
    }
    fn log_diagonal(&self, x: &PreparedPoints) -> Option<Vec<f64>> {
        Some(vec![0.0; x.rows()])
    }
    fn fill_log_decay(&self, tile: Tile<'_, PreparedPoints, f64>) {
        let (a, b, gamma) = (tile.a, tile.b, self.gamma.number());
        tile.from_pairs(|i, j| gamma * distance(a, i, b, j));
    }
    fn mercer(&self) -> Mercer {
        Mercer::Always
    }
    /// dk/dgamma = -distance k.
    fn gradient(&self, tile: Tile<'_, PreparedPoints, f64>, weights: &[f64], out: &mut [f64]) {
        let decay = Decay { gamma: self.gamma.number() };
        let columns = tile.cols.len();
        for k in 0..tile.rows.len() {
            for (l, j) in tile.cols.clone().enumerate() {
                let d = distance(tile.a, tile.rows.at(k), tile.b, j);
                out[0] -= weights[k * columns + l] * d * decay.at::<f64, false>(d);
            }
        }
    }
}
