//! equal: k(x, z) = share of the category columns in which x and z have the same label.
//!
//! Its feature map is the one-hot code divided by sqrt(columns). A label not seen in training equals nothing.

use super::labels::LabelColumns;
use crate::control::Control;
use crate::data::UNSEEN;
use crate::error::Result;
use crate::gram::{Kernel, Mercer, Tile, log_decay};
use crate::linalg::Real;
use mercer_derive::{Formula, Parameters};
use serde::{Deserialize, Serialize};

/// Equal or not.
///
/// ```text
/// share of the category columns that are equal
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Formula, Parameters)]
#[serde(deny_unknown_fields)]
pub struct Equal {}

/// Columns in which two rows have one label, which training had.
fn equal_labels(x: &[u32], z: &[u32]) -> usize {
    x.iter().zip(z).filter(|(x, z)| x == z && **x != UNSEEN).count()
}

impl Kernel for Equal {
    const NAME: &'static str = "equal";
    const DOC: &'static str = Self::FORMULA;
    const SOURCE: &'static str = "the one-hot code: the inner product of indicators of labels";
    const BECAUSE: &'static str = "an inner product of indicators";
    const SHARED: &'static str = "label";
    type Inputs = LabelColumns;
    type Learnt = ();
    type Prepared = LabelColumns;

    fn prepare(&self, (): &(), inputs: &LabelColumns, _: Option<&LabelColumns>, _: &Control) -> Result<LabelColumns> {
        Ok(inputs.clone())
    }
    fn fill<T: Real>(&self, tile: Tile<'_, LabelColumns, T>) {
        let (a, b) = (tile.a, tile.b);
        let share = 1.0 / a.columns().max(1) as f64;
        tile.from_pairs(|i, j| equal_labels(a.row(i), b.row(j)) as f64 * share);
    }
    fn diagonal(&self, x: &LabelColumns) -> Vec<f64> {
        let share = 1.0 / x.columns().max(1) as f64;
        (0..x.rows()).map(|i| x.row(i).iter().filter(|c| **c != UNSEEN).count() as f64 * share).collect()
    }
    fn log_diagonal(&self, x: &LabelColumns) -> Option<Vec<f64>> {
        Some(self.diagonal(x).into_iter().map(libm::log).collect())
    }
    fn fill_log_decay(&self, tile: Tile<'_, LabelColumns, f64>) {
        let (a, b) = (tile.a, tile.b);
        let known = |x: &[u32]| x.iter().filter(|c| **c != UNSEEN).count() as f64;
        tile.from_pairs(|i, j| {
            let scale = (known(a.row(i)) * known(b.row(j))).sqrt();
            if scale > 0.0 { log_decay(equal_labels(a.row(i), b.row(j)) as f64, scale) } else { 0.0 }
        });
    }
    fn mercer(&self) -> Mercer {
        Mercer::Always
    }
}
