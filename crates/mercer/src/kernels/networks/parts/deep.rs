//! The parameters of deep networks, which [`nngp`](crate::kernels::Nngp) and [`ntk`](crate::kernels::Ntk) share.
//!
//! Inputs are divided by the number of columns, as are the outputs of a layer by its width: with D columns the first layer is
//! bias_variance + weight_variance x . z / D (the parametrisation of neural-tangents).

use super::activation::{Activation, LayerMap};
use super::jet::{Jet, Scalar};
use super::layers::{LinearLayer, Network, Quantity};
use super::prepared::{self, NetworkRows};
use crate::control::Control;
use crate::data::Points;
use crate::error::Result;
use crate::gram::Tile;
use crate::linalg::Real;
use crate::param::{Domain, Param, Value};

pub(crate) const ACTIVATION: Param = Param::fixed(
    "activation",
    "what a hidden unit makes of its input: relu, leaky_relu, erf, tanh, sigmoid, gelu or sine",
    Domain::Choice(<Activation as crate::param::Choice>::WORDS),
);
pub(crate) const SLOPE: Param = Param::fixed("slope", "slope of leaky_relu below 0; other activations have none", Domain::UpToOne);
pub(crate) const DEPTH: Param = Param::fixed("depth", "hidden layers; 0 for linear functions", Domain::Integer(0, 1000));
pub(crate) const WEIGHT_VARIANCE: Param = Param::searched(
    "weight_variance",
    "variance of the weights of a layer, times the number of its inputs; auto: 2",
    Domain::PositiveFinite,
    30.0,
);
pub(crate) const BIAS_VARIANCE: Param =
    Param::searched("bias_variance", "variance of the biases of a layer; auto: 0.1", Domain::NonNegative, 30.0);

/// A deep network of [`nngp`](crate::kernels::Nngp) or [`ntk`](crate::kernels::Ntk), as its parameters state it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DeepNetwork<'a> {
    pub(crate) quantity: Quantity,
    pub(crate) activation: Activation,
    pub(crate) slope: &'a Value,
    pub(crate) depth: &'a Value,
    pub(crate) weight_variance: &'a Value,
    pub(crate) bias_variance: &'a Value,
}

/// The weight and the bias variance where they are open.
pub(crate) fn settle(weight_variance: &Value, bias_variance: &Value) -> (Value, Value) {
    (weight_variance.settle(2.0), bias_variance.settle(0.1))
}

impl DeepNetwork<'_> {
    fn map(&self) -> LayerMap {
        self.activation.layer(self.slope.number())
    }
    /// For inputs of so many columns.
    fn network<N: Scalar>(&self, weight: N, bias: N, columns: usize) -> Network<N> {
        let first = LinearLayer { weight: weight.times(1.0 / columns.max(1) as f64), bias };
        let hidden = LinearLayer { weight, bias };
        Network { map: self.map(), depth: self.depth.integer(), first, between: hidden, last: hidden }
    }
    fn settled(&self, columns: usize) -> Network<f64> {
        self.network(self.weight_variance.number(), self.bias_variance.number(), columns)
    }

    /// As [`Kernel::prepare`](crate::gram::Kernel::prepare).
    pub(crate) fn prepare(&self, inputs: &Points, like: Option<&NetworkRows>, control: &Control) -> Result<NetworkRows> {
        prepared::prepare(&self.settled(inputs.dim()), self.quantity, inputs, like, control)
    }
    /// As [`Kernel::fill`](crate::gram::Kernel::fill).
    pub(crate) fn fill<T: Real>(&self, tile: Tile<'_, NetworkRows, T>) {
        prepared::fill(&self.settled(tile.a.points().dim()), self.quantity, tile);
    }
    /// Derivatives in the variance of the weights and in that of the biases.
    pub(crate) fn gradient(&self, tile: Tile<'_, NetworkRows, f64>, weights: &[f64]) -> [f64; 2] {
        let (weight, bias) = (Jet::parameter(self.weight_variance.number(), 0), Jet::parameter(self.bias_variance.number(), 1));
        let network = self.network(weight, bias, tile.a.points().dim());
        prepared::gradient(&network, self.quantity, tile, weights)
    }
    /// Operations of one value: functions of one number in each layer, of a mixture for each pair of its parts.
    pub(crate) fn per_value(&self, inputs: &Points) -> f64 {
        let functions = match self.map() {
            LayerMap::Tanh | LayerMap::Sigmoid => super::mixture::TANH.len().pow(2),
            _ => 3,
        };
        prepared::per_value(inputs, self.depth.integer(), functions)
    }
}
