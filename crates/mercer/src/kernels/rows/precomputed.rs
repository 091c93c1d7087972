//! precomputed: k(x, z) is looked up in a kernel matrix whose rows and columns have names.

use crate::control::Control;
use crate::data::Similarities;
use crate::error::Result;
use crate::gram::{Kernel, Mercer, PreparedBatch, Tile};
use crate::linalg::{Matrix, Real};
use mercer_derive::{Formula, Parameters};
use serde::{Deserialize, Serialize};

/// A kernel matrix that is there already.
///
/// ```text
/// values of a given kernel matrix, whose rows and columns are found by name
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Formula, Parameters)]
#[serde(deny_unknown_fields)]
pub struct Precomputed {}

impl PreparedBatch for Similarities {
    fn is_symmetric(&self) -> bool {
        self.first_asymmetry().is_none()
    }
    fn held(&self) -> Option<&Matrix> {
        self.among_themselves()
    }
}

impl Kernel for Precomputed {
    const NAME: &'static str = "precomputed";
    const DOC: &'static str = Self::FORMULA;
    const SOURCE: &'static str = "none: the values are given";
    type Inputs = Similarities;
    type Learnt = ();
    type Prepared = Similarities;

    fn prepare(&self, (): &(), inputs: &Similarities, _: Option<&Similarities>, _: &Control) -> Result<Similarities> {
        Ok(inputs.clone())
    }
    /// Batches of one expression have the same names in the same places: the schema of the training table sees to it.
    fn fill<T: Real>(&self, tile: Tile<'_, Similarities, T>) {
        let (a, b) = (tile.a, tile.b);
        tile.from_pairs(|i, j| a.row(i).get(b.own(j)).copied().unwrap_or(f64::NAN));
    }
    fn diagonal(&self, x: &Similarities) -> Vec<f64> {
        // Where they are not known, distances are right up to a constant for each row, and variances are refused.
        x.squares().map_or_else(|| vec![0.0; crate::data::Inputs::len(x)], <[f64]>::to_vec)
    }
    fn mercer(&self) -> Mercer {
        Mercer::Conditional("its values come from elsewhere".into())
    }
}
