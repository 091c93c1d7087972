//! subtree: k(x, z) = sum over subtrees s of decay^|s| (times s stands in x) (times s stands in z), a subtree being a node
//! with all that is below it, and |s| its productions
//! (K28; Collins & Duffy, Convolution kernels for natural language, 2001;
//! Vishwanathan & Smola, Fast kernels for string and tree matching, 2003). See `productions.rs`.

use super::productions::{self, DECAY, Productions};
use crate::data::{RowWeights, Trees};
use crate::error::Result;
use crate::gram::{Kernel, Mercer, Tile};
use crate::linalg::Real;
use crate::param::{Param, Value};
use serde::{Deserialize, Serialize};

/// Shared subtrees, down to the words.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Subtree {
    decay: Value,
}

impl Default for Subtree {
    fn default() -> Self {
        Subtree { decay: Value::Number(DECAY) }
    }
}

/// A subtree goes down to the words.
const CUT: f64 = 0.0;

impl Kernel for Subtree {
    const NAME: &'static str = "subtree";
    const DOC: &'static str = "sum over whole subtrees of decay^productions (times in x) (times in z): equal phrases";
    const SOURCE: &'static str = "Vishwanathan & Smola, Fast kernels for string and tree matching (2003)";
    const BECAUSE: &'static str = "an inner product of weighted counts of fragments";
    const PARAMS: &'static [Param] = productions::PARAMS;
    type Inputs = Trees;
    type Learnt = ();
    type Prepared = Productions;

    fn settle(&self, _: &Trees, _: RowWeights<'_>) -> Self {
        Subtree { decay: self.decay.settle(DECAY) }
    }
    fn prepare(&self, (): &(), inputs: &Trees, like: Option<&Productions>) -> Result<Productions> {
        Productions::of(inputs, like, self.decay.number(), CUT)
    }
    fn fill<T: Real>(&self, tile: Tile<'_, Productions, T>) {
        let (a, b, decay) = (tile.a, tile.b, self.decay.number());
        tile.from_pairs(|i, j| a.shared(i, b, j, decay, CUT));
    }
    fn diagonal(&self, x: &Productions) -> Vec<f64> {
        x.own().to_vec()
    }
    fn per_value(&self, inputs: &Trees) -> f64 {
        Productions::per_pair(inputs)
    }
    fn mercer(&self) -> Mercer {
        Mercer::Always
    }
}
