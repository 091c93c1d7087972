//! subset_tree: k(x, z) = sum over fragments f of decay^|f| (times f stands in x) (times f stands in z), a fragment being
//! nodes with all their children, cut below any node, and |f| its productions
//! (K28; Collins & Duffy, Convolution kernels for natural language, 2001).
//!
//! A production is the label of a node with those of its children. For nodes n, m of one production C(n, m) = decay prod_j (1 + C(n_j, m_j))
//! over their children, and 0 for nodes of two productions and for leaves; k = sum_nm C(n, m). O(|T1| |T2|) at worst, linear where
//! productions are many.

use super::parts::forest::{ChildValues, KeyedNodes, Kids, NodeValues, PreparedTrees, by_nodes, per_value};
use super::parts::labelled::{DECAY, LabelledTree, ORDERED};
use crate::data::Trees;
use crate::error::Result;
use crate::gram::{Kernel, Mercer, Tile};
use crate::linalg::Real;
use crate::param::Value;
use mercer_derive::{Formula, Parameters};
use serde::{Deserialize, Serialize};

/// Shared fragments that may be cut below any node.
///
/// ```text
/// sum over fragments of decay^productions (times in x) (times in z): common pieces of trees, cut below any node
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Formula, Parameters)]
#[serde(deny_unknown_fields)]
pub struct SubsetTree {
    /// weight of each production in a fragment; 1 counts fragments
    #[param(default = DECAY, domain = UpToOne, search = 10.0)]
    decay: Value,
    #[param(ORDERED, default = true)]
    ordered: bool,
}

/// C(n, m) = decay prod_j (1 + C(n_j, m_j)).
struct Fragments {
    decay: f64,
}

impl NodeValues for Fragments {
    fn of(&self, below: &[ChildValues], rows: &[f64], kids: Kids<'_>, out: &mut Vec<f64>) {
        match *below {
            _ if below.iter().all(|child| child.is_zero()) => out.resize(kids.len(), self.decay),
            [a] => out.extend(kids.all().iter().map(|&k| self.decay * (1.0 + a.at(rows, k)))),
            [a, b] => {
                let two = |k: &[u32]| self.decay * (1.0 + a.at(rows, k[0])) * (1.0 + b.at(rows, k[1]));
                out.extend(kids.all().chunks_exact(2).map(two));
            }
            _ => {
                let all = |kids: &[u32]| below.iter().zip(kids).fold(self.decay, |c, (values, &k)| c * (1.0 + values.at(rows, k)));
                out.extend(kids.all().chunks_exact(below.len()).map(all));
            }
        }
    }
}

/// Operations of a pair of nodes of one production, at 10^10 a second.
const PER_PAIR: f64 = 20.0;

impl SubsetTree {
    fn nodes(&self, trees: &Trees, row: usize) -> KeyedNodes {
        KeyedNodes::by_production(&LabelledTree::of(trees, row, self.ordered))
    }
    fn values(&self) -> Fragments {
        Fragments { decay: self.decay.number() }
    }
}

impl Kernel for SubsetTree {
    const NAME: &'static str = "subset_tree";
    const DOC: &'static str = Self::FORMULA;
    const SOURCE: &'static str = "Collins & Duffy, Convolution kernels for natural language (2001)";
    const BECAUSE: &'static str = "an inner product of weighted counts of fragments";
    const SHARED: &'static str = "fragment";
    type Inputs = Trees;
    type Learnt = ();
    type Prepared = PreparedTrees;

    by_nodes!(remedy: "take a smaller decay, or the kernel subtree");
}
