//! equal: k(x, z) = share of the category columns in which x and z have the same label.
//!
//! Its feature map is the one-hot code divided by sqrt(columns). A label not seen in training equals nothing.

use crate::control::Control;
use crate::data::{ColumnKind, Dataset, Inputs, UNSEEN, Values};
use crate::error::Result;
use crate::gram::{Kernel, Mercer, PreparedBatch, Tile, log_decay};
use crate::linalg::Real;
use mercer_derive::{Formula, Parameters};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Equal or not.
///
/// ```text
/// share of the category columns that are equal
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Formula, Parameters)]
#[serde(deny_unknown_fields)]
pub struct Equal {}

/// Category columns side by side: `columns` codes a row.
#[derive(Clone, Debug)]
pub struct Labels {
    rows: usize,
    columns: usize,
    codes: Vec<u32>,
}

impl PreparedBatch for Labels {}

impl Inputs for Labels {
    const NEEDS: &'static str = "category columns";

    fn takes(kind: ColumnKind) -> bool {
        kind == ColumnKind::Category
    }
    fn gather<'a>(data: &'a Dataset, columns: &[usize]) -> Result<Cow<'a, Self>> {
        let parts: Vec<&[u32]> = columns
            .iter()
            .filter_map(|&c| match &data.columns()[c].values {
                Values::Categories(labels) => Some(labels.codes.as_slice()),
                _ => None,
            })
            .collect();
        let codes = (0..data.rows()).flat_map(|i| parts.iter().map(move |p| p[i])).collect();
        Ok(Cow::Owned(Labels { rows: data.rows(), columns: parts.len(), codes }))
    }
    fn len(&self) -> usize {
        self.rows
    }
}

impl Labels {
    fn row(&self, i: usize) -> &[u32] {
        &self.codes[i * self.columns..(i + 1) * self.columns]
    }
}

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
    type Inputs = Labels;
    type Learnt = ();
    type Prepared = Labels;

    fn prepare(&self, (): &(), inputs: &Labels, _: Option<&Labels>, _: &Control) -> Result<Labels> {
        Ok(inputs.clone())
    }
    fn fill<T: Real>(&self, tile: Tile<'_, Labels, T>) {
        let (a, b) = (tile.a, tile.b);
        let share = 1.0 / a.columns.max(1) as f64;
        tile.from_pairs(|i, j| equal_labels(a.row(i), b.row(j)) as f64 * share);
    }
    fn diagonal(&self, x: &Labels) -> Vec<f64> {
        let share = 1.0 / x.columns.max(1) as f64;
        (0..x.rows).map(|i| x.row(i).iter().filter(|c| **c != UNSEEN).count() as f64 * share).collect()
    }
    fn log_diagonal(&self, x: &Labels) -> Option<Vec<f64>> {
        Some(self.diagonal(x).into_iter().map(libm::log).collect())
    }
    fn fill_log_decay(&self, tile: Tile<'_, Labels, f64>) {
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
