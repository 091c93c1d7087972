//! histogram_intersection: k(x, z) = sum_j min(x_j, z_j) for x, z >= 0 (K31): what two histograms have in common.

use super::nonnegative;
use crate::control::Control;
use crate::data::Points;
use crate::error::Result;
use crate::gram::{Kernel, Mercer, PreparedPoints, Tile};
use crate::linalg::Real;
use mercer_derive::{Formula, Parameters};
use serde::{Deserialize, Serialize};

/// The overlap of two histograms.
///
/// ```text
/// sum of min(x, z) over columns of counts: what two histograms have in common
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Formula, Parameters)]
#[serde(deny_unknown_fields)]
pub struct HistogramIntersection {}

impl Kernel for HistogramIntersection {
    const NAME: &'static str = "histogram_intersection";
    const DOC: &'static str = Self::FORMULA;
    const SOURCE: &'static str = "Swain & Ballard, Color indexing (1991)";
    const BECAUSE: &'static str = "min(x, z) is the inner product of the steps that are 1 up to x and up to z";
    const AS_IS: bool = true;
    type Inputs = Points;
    type Learnt = ();
    type Prepared = PreparedPoints;

    fn check(&self, inputs: &Points) -> Result<()> {
        nonnegative::check(Self::NAME, inputs)
    }
    fn prepare(&self, (): &(), inputs: &Points, like: Option<&PreparedPoints>, _: &Control) -> Result<PreparedPoints> {
        Ok(PreparedPoints::plain(inputs, like))
    }
    fn fill<T: Real>(&self, mut tile: Tile<'_, PreparedPoints, T>) {
        tile.sums_of_minima();
    }
    fn diagonal(&self, x: &PreparedPoints) -> Vec<f64> {
        (0..x.rows()).map(|i| x.sum_of_minima(i, x, i)).collect()
    }
    fn mercer(&self) -> Mercer {
        Mercer::Always
    }
}
