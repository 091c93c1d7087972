//! subset_tree: k(x, z) = sum over fragments f of decay^|f| (times f stands in x) (times f stands in z), a fragment being
//! nodes with all their children, cut below any node, and |f| its productions
//! (K28; Collins & Duffy, Convolution kernels for natural language, 2001). See `productions.rs`.

use super::productions::{self, DECAY, Productions};
use crate::data::{RowWeights, Trees};
use crate::error::Result;
use crate::gram::{Kernel, Mercer, Tile};
use crate::linalg::Real;
use crate::param::{Param, Value};
use serde::{Deserialize, Serialize};

/// Shared fragments that may be cut below any node.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SubsetTree {
    decay: Value,
}

impl Default for SubsetTree {
    fn default() -> Self {
        SubsetTree { decay: Value::Number(DECAY) }
    }
}

/// A fragment may end at any child.
const CUT: f64 = 1.0;

impl Kernel for SubsetTree {
    const NAME: &'static str = "subset_tree";
    const DOC: &'static str = "sum over fragments of decay^productions (times in x) (times in z): common pieces of trees, cut below any node";
    const SOURCE: &'static str = "Collins & Duffy, Convolution kernels for natural language (2001)";
    const BECAUSE: &'static str = "an inner product of weighted counts of fragments";
    const PARAMS: &'static [Param] = productions::PARAMS;
    type Inputs = Trees;
    type Learnt = ();
    type Prepared = Productions;

    fn settle(&self, _: &Trees, _: RowWeights<'_>) -> Self {
        SubsetTree { decay: self.decay.settle(DECAY) }
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
