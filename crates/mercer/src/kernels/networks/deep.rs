//! The parameters of deep networks, which [`nngp`](super::super::Nngp) and [`ntk`](super::super::Ntk) share.
//!
//! Inputs are divided by the number of columns, as are the outputs of a layer by its width: with D columns the first layer is
//! bias_variance + weight_variance x . z / D (the parametrisation of neural-tangents).

use super::activation::{Activation, LayerMap};
use super::jet::{Jet, Scalar};
use super::layers::{LinearLayer, Network};
use crate::data::Points;
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

/// A network, but for its two variances.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DeepNetwork {
    map: LayerMap,
    depth: usize,
}

/// The weight and the bias variance where they are open.
pub(crate) fn settle(weight_variance: &Value, bias_variance: &Value) -> (Value, Value) {
    (weight_variance.settle(2.0), bias_variance.settle(0.1))
}

impl DeepNetwork {
    pub(crate) fn new(activation: Activation, slope: &Value, depth: &Value) -> Self {
        DeepNetwork { map: activation.layer(slope.number()), depth: depth.integer() }
    }

    fn network<N: Scalar>(self, weight: N, bias: N, columns: usize) -> Network<N> {
        let first = LinearLayer { weight: weight.times(1.0 / columns.max(1) as f64), bias };
        let hidden = LinearLayer { weight, bias };
        Network { map: self.map, depth: self.depth, first, between: hidden, last: hidden }
    }
    /// With settled variances, for inputs of so many columns.
    pub(crate) fn with(self, weight: &Value, bias: &Value, columns: usize) -> Network<f64> {
        self.network(weight.number(), bias.number(), columns)
    }
    /// As a function of the variance of the weights and of the biases.
    pub(crate) fn varied(self, weight: &Value, bias: &Value, columns: usize) -> Network<Jet> {
        self.network(Jet::parameter(weight.number(), 0), Jet::parameter(bias.number(), 1), columns)
    }

    /// Operations of one value: functions of one number in each layer, of a mixture for each pair of its parts.
    pub(crate) fn per_value(self, inputs: &Points) -> f64 {
        let functions = match self.map {
            LayerMap::Tanh | LayerMap::Sigmoid => super::mixture::TANH.len().pow(2),
            _ => 3,
        };
        super::prepared::per_value(inputs, self.depth, functions)
    }
}
