//! white: k(x, z) = value where x and z are the same row, else 0: independent noise on every row.
//!
//! Equal inputs in different rows are different rows, and a new row is never a training row.

use crate::control::Control;
use crate::data::RowCount;
use crate::error::Result;
use crate::gram::{Kernel, Mercer, Tile};
use crate::linalg::Real;
use crate::param::Value;
use mercer_derive::{Formula, Parameters};
use serde::{Deserialize, Serialize};

/// White noise.
///
/// ```text
/// value where a row meets itself, else 0: independent noise on every row
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Formula, Parameters)]
#[serde(deny_unknown_fields)]
pub struct White {
    /// variance of the noise
    #[param(default = 1.0, domain = NonNegative, search = 1000.0)]
    value: Value,
}

/// Where row k of the tile meets itself, if it does.
fn itself<T>(tile: &Tile<'_, RowCount, T>, k: usize) -> Option<usize> {
    let i = tile.rows.at(k);
    (std::ptr::eq(tile.a, tile.b) && tile.cols.contains(&i)).then(|| i - tile.cols.start)
}

impl White {
    /// The value that `open`, if it is, takes where values are of this size.
    pub(in crate::kernels) fn settle_to(&mut self, open: &Self, size: f64) {
        self.value = open.value.settle(size);
    }
}

impl Kernel for White {
    const NAME: &'static str = "white";
    const DOC: &'static str = Self::FORMULA;
    const SOURCE: &'static str = "Rasmussen & Williams, Gaussian Processes for Machine Learning (2006), (2.20), its noise";
    const BECAUSE: &'static str = "v'Kv = value sum v^2, and value is 0 or above";
    const DIFFERENTIABLE: &'static [&'static str] = &["value"];
    type Inputs = RowCount;
    type Learnt = ();
    type Prepared = RowCount;

    fn prepare(&self, (): &(), inputs: &RowCount, _: Option<&RowCount>, _: &Control) -> Result<RowCount> {
        Ok(*inputs)
    }
    fn fill<T: Real>(&self, mut tile: Tile<'_, RowCount, T>) {
        for k in 0..tile.rows.len() {
            let place = itself(&tile, k);
            let row = tile.out.row_mut(k);
            row.fill(T::from_f64(0.0));
            if let Some(l) = place {
                row[l] = T::from_f64(self.value.number());
            }
        }
    }
    fn diagonal(&self, x: &RowCount) -> Vec<f64> {
        vec![self.value.number(); x.0]
    }
    fn log_diagonal(&self, x: &RowCount) -> Option<Vec<f64>> {
        Some(vec![libm::log(self.value.number()); x.0])
    }
    fn fill_log_decay(&self, mut tile: Tile<'_, RowCount, f64>) {
        for k in 0..tile.rows.len() {
            let place = itself(&tile, k);
            let row = tile.out.row_mut(k);
            row.fill(f64::INFINITY);
            if let Some(l) = place {
                row[l] = 0.0;
            }
        }
    }
    fn mercer(&self) -> Mercer {
        Mercer::Always
    }
    fn gradient(&self, tile: Tile<'_, RowCount, f64>, weights: &[f64], out: &mut [f64]) {
        let columns = tile.cols.len();
        out[0] += (0..tile.rows.len()).filter_map(|k| Some(weights[k * columns + itself(&tile, k)?])).sum::<f64>();
    }
}
