//! histogram_intersection: k(x, z) = sum_j min(x_j, z_j) for x, z >= 0 (K31): what two histograms have in common.
//!
//! min(x, z) = (x + z - |x - z|) / 2, so that the loop is that of the l1 distance.

use super::masses;
use crate::data::Points;
use crate::error::Result;
use crate::gram::{Cloud, Kernel, Mercer, Tile, l1_distance};
use crate::linalg::Real;
use crate::param::Param;
use serde::{Deserialize, Serialize};

/// The overlap of two histograms.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HistogramIntersection {}

/// Histograms with their sums.
pub struct Histograms {
    points: Cloud,
    sums: Vec<f64>,
}

impl Kernel for HistogramIntersection {
    const NAME: &'static str = "histogram_intersection";
    const DOC: &'static str = "sum of min(x, z) over columns of counts: what two histograms have in common";
    const SOURCE: &'static str = "Swain & Ballard, Color indexing (1991)";
    const BECAUSE: &'static str = "min(x, z) is the inner product of the steps that are 1 up to x and up to z";
    const PARAMS: &'static [Param] = &[];
    const AS_IS: bool = true;
    type Inputs = Points;
    type Prepared = Histograms;

    fn check(&self, inputs: &Points) -> Result<()> {
        masses::check(Self::NAME, inputs)
    }
    fn prepare(&self, inputs: &Points, like: Option<&Histograms>) -> Histograms {
        let points = Cloud::plain(inputs, like.map(|l| &l.points));
        let sums = (0..points.rows()).map(|i| points.each(i).map(|(_, x)| x).sum()).collect();
        Histograms { points, sums }
    }
    fn fill<T: Real>(&self, tile: Tile<'_, Histograms, T>) {
        let (a, b) = (tile.a, tile.b);
        tile.from_pairs(|i, j| match (a.points.row(i), b.points.row(j)) {
            (Some(x), Some(z)) => 0.5 * (a.sums[i] + b.sums[j] - l1_distance(x, z)),
            _ => a.points.merged(i, &b.points, j).map(|(_, x, z)| x.min(z)).sum(),
        });
    }
    fn diagonal(&self, x: &Histograms) -> Vec<f64> {
        x.sums.clone()
    }
    fn mercer(&self) -> Mercer {
        Mercer::Always
    }
}
