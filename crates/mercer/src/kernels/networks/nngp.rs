//! nngp: the covariance of the outputs of random networks of infinitely wide hidden layers (K43, GP11, GP14; Neal 1996; Lee et al. 2018):
//! K_1 = bias_variance + weight_variance x . z / columns, K_(l+1) = bias_variance + weight_variance E f(u) f(v), (u, v) ~ N(0, K_l).

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

/// The Gaussian process of a network.
///
/// ```text
/// bias_variance + weight_variance E f(u) f(v) for each hidden layer, (u, v) normal with the covariance of the layer
/// before: what random networks of infinite width compute
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Formula, Parameters)]
#[serde(deny_unknown_fields)]
pub struct Nngp {
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

impl Nngp {
    fn deep(&self) -> DeepNetwork<'_> {
        let Nngp { activation, depth, weight_variance, bias_variance, slope } = self;
        DeepNetwork { quantity: Quantity::Output, activation: *activation, slope, depth, weight_variance, bias_variance }
    }
}

impl Kernel for Nngp {
    const NAME: &'static str = "nngp";
    const DOC: &'static str = Self::FORMULA;
    const SOURCE: &'static str =
        "Lee, Bahri, Novak, Schoenholz, Pennington & Sohl-Dickstein, Deep neural networks as Gaussian processes (2018), (4) and (5)";
    const BECAUSE: &'static str = "the covariance of the outputs of random networks";
    const DIFFERENTIABLE: &'static [&'static str] = &["weight_variance", "bias_variance"];
    type Inputs = Points;
    type Learnt = ();
    type Prepared = NetworkRows;

    fn settle(&self, _: &Points, _: RowWeights<'_>) -> Self {
        let (weight_variance, bias_variance) = deep::settle(&self.weight_variance, &self.bias_variance);
        Nngp { weight_variance, bias_variance, ..self.clone() }
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
