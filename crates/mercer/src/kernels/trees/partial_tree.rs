//! partial_tree: k(x, z) = sum_nm C(n, m) over nodes of one label, C(n, m) = height (decay^2 + sum over equally long subsequences I of the
//! children of n, J of those of m, of decay^(d(I) + d(J)) prod_k C(n_Ik, m_Jk)), d the places from the first to the last
//! (Moschitti, Efficient convolution kernels for dependency and constituent syntactic trees, ECML 2006): fragments may lack any children.
//!
//! With S(i, j) = decay^2 C(n_i, m_j) (1 + D(i - 1, j - 1)), D(i, j) = sum_(i' <= i, j' <= j) decay^(i - i' + j - j') S(i', j'), the sum is
//! that of all S: one step for each pair of children.

use super::parts::forest::{ChildValues, KeyedNodes, Kids, NodeValues, PreparedTrees, by_nodes, per_value};
use super::parts::labelled::{DECAY, LabelledTree, ORDERED};
use crate::data::Trees;
use crate::error::Result;
use crate::gram::{Kernel, Mercer, Tile};
use crate::linalg::Real;
use crate::param::{Alias, Value};
use mercer_derive::{Formula, Parameters};
use serde::{Deserialize, Serialize};

/// Shared fragments that may lack any children.
///
/// ```text
/// sum over fragments that may lack any children, weighted by height and by the gaps between children, of (times
/// in x) (times in z): trees whose nodes have many children
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Formula, Parameters)]
#[serde(deny_unknown_fields)]
pub struct PartialTree {
    /// weight of each place from the first to the last of the children in a fragment, left out or not
    #[param(default = DECAY, domain = UpToOne, search = 10.0)]
    decay: Value,
    /// weight of each node of a fragment
    #[param(default = DECAY, domain = UpToOne, search = 10.0)]
    height: Value,
    #[param(ORDERED, default = true)]
    ordered: bool,
}

/// The sum over subsequences of children, on top of a node alone.
struct Subsequences {
    decay: f64,
    height: f64,
}

impl Subsequences {
    /// sum_ij S(i, j) for the children of a node and those of a slot; `before` is scratch, D(i - 1, j).
    fn sum(&self, below: &[ChildValues], rows: &[f64], kids: &[u32], before: &mut Vec<f64>) -> f64 {
        let (decay, square) = (self.decay, self.decay * self.decay);
        match (below, kids) {
            ([], _) | (_, []) => 0.0,
            ([a], _) => square * kids.iter().map(|&kid| a.at(rows, kid)).sum::<f64>(),
            (_, &[kid]) => square * below.iter().map(|child| child.at(rows, kid)).sum::<f64>(),
            ([a, b], &[k, l]) => {
                let first = a.at(rows, k);
                square * (first + a.at(rows, l) + b.at(rows, k) + b.at(rows, l) * (1.0 + square * first))
            }
            _ => {
                before.clear();
                before.resize(kids.len(), 0.0);
                let mut sum = 0.0;
                for child in below {
                    // sum over the places of this row up to j, and D(i - 1, j - 1).
                    let (mut along, mut diagonal) = (0.0, 0.0);
                    for (&kid, d) in kids.iter().zip(&mut *before) {
                        let ending = square * child.at(rows, kid) * (1.0 + diagonal);
                        sum += ending;
                        along = ending + decay * along;
                        diagonal = *d;
                        *d = along + decay * diagonal;
                    }
                }
                sum
            }
        }
    }
}

impl NodeValues for Subsequences {
    fn of(&self, below: &[ChildValues], rows: &[f64], kids: Kids<'_>, out: &mut Vec<f64>) {
        let (alone, mut before) = (self.decay * self.decay, Vec::new());
        out.extend(kids.each().map(|kids| self.height * (alone + self.sum(below, rows, kids, &mut before))));
    }
}

/// Operations of a pair of nodes of one label and few children, at 10^10 a second.
const PER_PAIR: f64 = 60.0;

impl PartialTree {
    fn nodes(&self, trees: &Trees, row: usize) -> KeyedNodes {
        KeyedNodes::by_label(LabelledTree::of(trees, row, self.ordered))
    }
    fn values(&self) -> Subsequences {
        Subsequences { decay: self.decay.number(), height: self.height.number() }
    }
}

impl Kernel for PartialTree {
    const NAME: &'static str = "partial_tree";
    const DOC: &'static str = Self::FORMULA;
    const SOURCE: &'static str = "Moschitti, Efficient convolution kernels for dependency and constituent syntactic trees (2006)";
    const BECAUSE: &'static str = "an inner product of weighted counts of fragments";
    const ALIASES: &'static [Alias] = &[("mu", "height", |x| x)];
    const SHARED: &'static str = "fragment";
    type Inputs = Trees;
    type Learnt = ();
    type Prepared = PreparedTrees;

    by_nodes!(remedy: "take a smaller decay or height");
}
