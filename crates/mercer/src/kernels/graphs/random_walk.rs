//! random_walk: k(x, z) = sum over lengths p of decay^p 1' A^p 1, A being the adjacency matrix of the direct product graph of x and z: its
//! nodes are pairs of nodes with one label, its edges pairs of edges with one label
//! (Gaertner, Flach & Wrobel, On graph kernels, COLT 2003; Vishwanathan et al., Graph kernels, JMLR 11, 2010).
//!
//! 1' A^p 1 counts pairs of walks of p steps with equal labels. Of all lengths the sum is 1' (I - decay A)^-1 1 where decay rho(A) < 1, rho
//! the largest eigenvalue. With A_xx of x with itself, rho(A)^2 <= rho(A_xx) rho(A_zz): closed walks of p steps by their labels w are
//! tr A^p = sum_w n_w(x) n_w(z), for which that is the inequality of Cauchy and Schwarz. Cost of a step: the edges of the product graph.

use super::parts::adjacency::Adjacency;
use crate::control::Control;
use crate::data::{Cells, Graphs, PER_STEP};
use crate::error::{Error, Result};
use crate::gram::{Kernel, Mercer, PreparedBatch, Tile, prepare_each};
use crate::linalg::Real;
use crate::param::Value;
use mercer_derive::{Formula, Parameters};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// Walks with equal labels in both graphs, weighted by their length.
///
/// ```text
/// sum over walks in x and walks in z with equal labels of decay^steps: common sequences of labels
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Formula, Parameters)]
#[serde(deny_unknown_fields)]
pub struct RandomWalk {
    /// weight of each step of a walk
    #[param(default = 0.1, domain = PositiveFinite)]
    decay: Value,
    /// most steps of a walk
    #[param(default = 10.0, domain = Integer(0, 1000))]
    steps: Value,
    /// walks of any length instead of at most steps; decay must be below 0.99 / rho, rho the largest eigenvalue of the product of a graph
    /// with itself
    unlimited: bool,
}

/// Graphs with k(x, x) of each.
pub struct Walked {
    graphs: Vec<Adjacency>,
    /// Where walks are unlimited, an upper bound of the largest eigenvalue of the product of each graph with itself.
    largest: Vec<f64>,
    own: Vec<f64>,
}

impl PreparedBatch for Walked {}

/// How often each label stands at a node of some graphs, and each edge between two labels.
#[derive(Default)]
struct LabelCounts {
    nodes: HashMap<u128, u64>,
    edges: HashMap<(u128, u128, u128), u64>,
}

impl LabelCounts {
    fn add(&mut self, graph: &Adjacency) {
        for (node, label) in graph.labels.iter().enumerate() {
            *self.nodes.entry(*label).or_insert(0) += 1;
            graph.edges(node).for_each(|(to, edge)| *self.edges.entry((*label, edge, graph.labels[to])).or_insert(0) += 1);
        }
    }

    /// Nodes and edges of the product of all of these graphs with themselves.
    fn of_product(&self) -> [u64; 2] {
        [self.nodes.values().map(|n| n * n).sum(), self.edges.values().map(|n| n * n).sum()]
    }
}

/// Bytes of the product of a graph with itself: of its nodes, which are pairs of one label, and of its edges. By the inequality of Cauchy and
/// Schwarz the product of two graphs has no more pairs than the greater of those of each with itself.
fn product_bytes(graph: &Adjacency) -> u64 {
    // Bytes of any two nodes, of a node of the product of two graphs, and of an edge of it, with room to grow.
    const PER_PAIR_OF_NODES: u64 = 4;
    const PER_NODE: u64 = 56;
    const PER_EDGE: u64 = 8;
    let mut counts = LabelCounts::default();
    counts.add(graph);
    let [nodes, edges] = counts.of_product();
    PER_PAIR_OF_NODES * (graph.nodes() as u64).pow(2) + PER_NODE * nodes + PER_EDGE * edges
}

/// The direct product of two graphs: pairs of nodes with one label.
struct ProductGraph {
    pairs: usize,
    /// The pairs that pair i is joined to: `targets[starts[i]..starts[i + 1]]`.
    starts: Vec<usize>,
    targets: Vec<u32>,
}

impl ProductGraph {
    fn of(x: &Adjacency, z: &Adjacency) -> Self {
        // The number of each pair of nodes with one label, from 1.
        let mut number = vec![0u32; x.nodes() * z.nodes()];
        let mut pairs = Vec::new();
        for u in 0..x.nodes() {
            for v in (0..z.nodes()).filter(|&v| x.labels[u] == z.labels[v]) {
                pairs.push((u, v));
                number[u * z.nodes() + v] = pairs.len() as u32;
            }
        }
        let (mut starts, mut targets) = (Vec::with_capacity(pairs.len() + 1), Vec::new());
        starts.push(0);
        for &(u, v) in &pairs {
            for (to, label) in x.edges(u) {
                let ends = z.edges(v).filter(|(_, other)| *other == label);
                targets.extend(ends.map(|(end, _)| number[to * z.nodes() + end]).filter(|&target| target > 0).map(|target| target - 1));
            }
            starts.push(targets.len());
        }
        ProductGraph { pairs: pairs.len(), starts, targets }
    }

    /// (A v)_i.
    fn around(&self, vector: &[f64], i: usize) -> f64 {
        self.targets[self.starts[i]..self.starts[i + 1]].iter().map(|&target| vector[target as usize]).sum()
    }

    /// An upper bound of the largest eigenvalue: the least of max_i ((A + I) v)_i / v_i - 1 over v = (A + I)^r 1 (Collatz & Wielandt).
    fn largest_eigenvalue(&self) -> f64 {
        // Products with the adjacency matrix in which the largest eigenvalue is bounded.
        const BOUND_ROUNDS: usize = 100;
        let mut vector = vec![1.0; self.pairs];
        let mut least = if self.targets.is_empty() { 0.0 } else { f64::INFINITY };
        for _ in 0..BOUND_ROUNDS {
            if least == 0.0 {
                break;
            }
            let next: Vec<f64> = (0..self.pairs).map(|i| vector[i] + self.around(&vector, i)).collect();
            let ratio = next.iter().zip(&vector).map(|(n, v)| n / v).fold(1.0, f64::max);
            least = f64::min(least, ratio - 1.0);
            vector = next.iter().map(|n| n / ratio).collect();
        }
        least
    }

    /// The sum over walks of so many steps at most; where they are unlimited, `ratio` bounds decay times the largest eigenvalue.
    fn sum(&self, decay: f64, steps: Option<usize>, ratio: f64) -> f64 {
        let mut total = self.pairs as f64;
        let (mut walks, mut next) = (vec![1.0; self.pairs], vec![0.0; self.pairs]);
        let mut step = 0;
        while steps.is_none_or(|most| step < most) {
            next.iter_mut().enumerate().for_each(|(i, value)| *value = decay * self.around(&walks, i));
            std::mem::swap(&mut walks, &mut next);
            let term: f64 = walks.iter().sum();
            total += term;
            step += 1;
            // Of an even step, 1' A^(p+1) 1 <= rho 1' A^p 1: what follows is at most term ratio / (1 - ratio).
            if term == 0.0
                || !total.is_finite()
                || steps.is_none() && step % 2 == 0 && term * ratio <= (1.0 - ratio) * f64::EPSILON / 2.0 * total
            {
                break;
            }
        }
        total
    }
}

impl RandomWalk {
    fn step_limit(&self) -> Option<usize> {
        (!self.unlimited).then(|| self.steps.integer())
    }

    fn between(&self, a: &Walked, i: usize, b: &Walked, j: usize) -> f64 {
        let (decay, largest) = (self.decay.number(), (a.largest[i] * b.largest[j]).sqrt());
        ProductGraph::of(&a.graphs[i], &b.graphs[j]).sum(decay, self.step_limit(), decay * largest)
    }
}

impl Kernel for RandomWalk {
    const NAME: &'static str = "random_walk";
    const DOC: &'static str = Self::FORMULA;
    const SOURCE: &'static str = "Gaertner, Flach & Wrobel, On graph kernels (2003); Vishwanathan et al., Graph kernels (2010)";
    const BECAUSE: &'static str = "an inner product of counts of walks by their labels, weighted by decay^steps";
    const SHARED: &'static str = "walk with its labels";
    type Inputs = Graphs;
    type Learnt = ();
    type Prepared = Walked;

    fn prepare(&self, (): &(), inputs: &Graphs, _: Option<&Walked>, control: &Control) -> Result<Walked> {
        // The most that decay rho of the product of a graph with itself may be where walks have any length: 36 / (1 - 0.99) steps then reach the last bit.
        const MOST_RATIO: f64 = 0.99;
        let graphs = prepare_each(Cells::len(inputs), 1, control, |row| Adjacency::of(inputs, row))?;
        let needed = graphs.iter().map(product_bytes).max().unwrap_or(0).saturating_mul(rayon::current_num_threads() as u64);
        control.plan("walks in the product of two graphs", needed)?;
        let fault = |row: usize, why: String| Error::Numerical { what: format!("the graph in row {}", row + 1), why };
        let decay = self.decay.number();
        let one = |row: usize| -> Result<(f64, f64)> {
            let product = ProductGraph::of(&graphs[row], &graphs[row]);
            let largest = if self.unlimited { product.largest_eigenvalue() } else { 0.0 };
            if decay * largest > MOST_RATIO {
                return Err(fault(
                    row,
                    format!(
                        "the largest eigenvalue of its product with itself is {largest:.4}, and {decay} times that is not below {MOST_RATIO}, as walks of any length need; take a decay below {:.4}, or random_walk(unlimited=false)",
                        MOST_RATIO / largest
                    ),
                ));
            }
            Ok((largest, product.sum(decay, self.step_limit(), decay * largest)))
        };
        let (largest, own): (Vec<f64>, Vec<f64>) =
            prepare_each(graphs.len(), 1, control, one)?.into_iter().collect::<Result<Vec<_>>>()?.into_iter().unzip();
        match own.iter().position(|k| !k.is_finite()) {
            None => Ok(Walked { graphs, largest, own }),
            Some(row) => Err(fault(row, "its walks weigh more than 1e308; take a smaller decay, or fewer steps".into())),
        }
    }
    fn fill<T: Real>(&self, tile: Tile<'_, Walked, T>) {
        let (a, b) = (tile.a, tile.b);
        tile.from_pairs(|i, j| self.between(a, i, b, j));
    }
    fn diagonal(&self, x: &Walked) -> Vec<f64> {
        x.own.clone()
    }
    /// A step for each edge of the product graph and step of a walk, by the labels of some graphs.
    fn per_value(&self, inputs: &Graphs) -> f64 {
        // Graphs from which the cost of a value is estimated.
        const SAMPLE: usize = 64;
        // Multiplications for one value before which a label is compared: building an edge of the product graph.
        const BUILD: f64 = 2.0;
        let step = Cells::len(inputs).div_ceil(SAMPLE).max(1);
        let (mut counts, mut graphs) = (LabelCounts::default(), 0.0);
        for row in (0..Cells::len(inputs)).step_by(step) {
            counts.add(&Adjacency::of(inputs, row));
            graphs += 1.0;
        }
        let [pairs, joined] = counts.of_product().map(|count| count as f64 / f64::max(graphs * graphs, 1.0));
        PER_STEP * (BUILD * pairs + joined * (BUILD + self.steps.number()))
    }
    fn mercer(&self) -> Mercer {
        Mercer::Always
    }
}
