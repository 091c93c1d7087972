//! ntk: the kernel of networks of infinitely wide hidden layers that are trained by gradient descent (K43; Jacot, Gabriel & Hongler 2018):
//! T_1 = K_1, T_(l+1) = K_(l+1) + weight_variance T_l E f'(u) f'(v), (u, v) ~ N(0, K_l), K that of nngp.

use super::parts::activation::Activation;
use super::parts::deep::{self, DeepNetwork};
use super::parts::layers::Quantity;
use super::parts::prepared::NetworkRows;
use crate::control::Control;
use crate::data::{Points, RowWeights};
use crate::error::Result;
use crate::gram::{Kernel, Mercer, Tile};
use crate::linalg::Real;
use crate::param::Value;
use mercer_derive::{Formula, Parameters};
use serde::{Deserialize, Serialize};

/// The neural tangent kernel of a network.
///
/// ```text
/// T = K + weight_variance T E f'(u) f'(v) for each hidden layer, K of nngp: what networks of infinite width learn by
/// gradient descent
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Formula, Parameters)]
#[serde(deny_unknown_fields)]
pub struct Ntk {
    #[param(deep::ACTIVATION)]
    activation: Activation,
    #[param(deep::DEPTH, default = 2.0)]
    depth: Value,
    #[param(deep::WEIGHT_VARIANCE)]
    weight_variance: Value,
    #[param(deep::BIAS_VARIANCE)]
    bias_variance: Value,
    #[param(deep::SLOPE, default = 0.01)]
    slope: Value,
}

impl Ntk {
    fn deep(&self) -> DeepNetwork<'_> {
        let Ntk { activation, depth, weight_variance, bias_variance, slope } = self;
        DeepNetwork { quantity: Quantity::Tangent, activation: *activation, slope, depth, weight_variance, bias_variance }
    }
}

impl Kernel for Ntk {
    const NAME: &'static str = "ntk";
    const DOC: &'static str = Self::FORMULA;
    const SOURCE: &'static str =
        "Jacot, Gabriel & Hongler, Neural tangent kernel: convergence and generalization in neural networks (2018), theorem 1";
    const BECAUSE: &'static str = "the expectation of an inner product of gradients of the output of a random network in its weights";
    const DIFFERENTIABLE: &'static [&'static str] = &["weight_variance", "bias_variance"];
    type Inputs = Points;
    type Learnt = ();
    type Prepared = NetworkRows;

    fn settle(&self, _: &Points, _: RowWeights<'_>) -> Self {
        let (weight_variance, bias_variance) = deep::settle(&self.weight_variance, &self.bias_variance);
        Ntk { weight_variance, bias_variance, ..self.clone() }
    }
    fn prepare(&self, (): &(), inputs: &Points, like: Option<&NetworkRows>, control: &Control) -> Result<NetworkRows> {
        self.deep().prepare(inputs, like, control)
    }
    fn fill<T: Real>(&self, tile: Tile<'_, NetworkRows, T>) {
        self.deep().fill(tile);
    }
    fn diagonal(&self, x: &NetworkRows) -> Vec<f64> {
        x.diagonal().to_vec()
    }
    fn per_value(&self, inputs: &Points) -> f64 {
        self.deep().per_value(inputs)
    }
    fn mercer(&self) -> Mercer {
        Mercer::Always
    }
    fn gradient(&self, tile: Tile<'_, NetworkRows, f64>, weights: &[f64], out: &mut [f64]) {
        let sums = self.deep().gradient(tile, weights);
        out[1..].iter_mut().zip(sums).for_each(|(o, s)| *o += s);
    }
}
