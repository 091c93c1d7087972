//! arcsine: k(x, z) = 2/pi asin(2 c / sqrt((1 + 2 a)(1 + 2 b))), c = bias_variance + weight_variance x . z, a and b the same of x and x,
//! z and z (K42; Williams 1997): infinitely many hidden units erf(w . x + b) with normal weights.

use super::parts::activation::LayerMap;
use super::parts::jet::{Jet, Scalar};
use super::parts::layers::{LinearLayer, Network, Quantity};
use super::parts::prepared::{self, NetworkRows};
use crate::control::Control;
use crate::data::{Points, RowWeights};
use crate::error::Result;
use crate::gram::{Kernel, MapFormula, Mercer, PointFormula, Tile};
use crate::linalg::Real;
use crate::param::Value;
use mercer_derive::{Formula, Parameters};
use serde::{Deserialize, Serialize};

/// The neural network kernel.
///
/// ```text
/// 2/pi asin(2 c(x, z) / sqrt((1 + 2 c(x, x)) (1 + 2 c(z, z)))), c(x, z) = bias_variance + weight_variance x . z:
/// functions that level off on both sides
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Formula, Parameters)]
#[serde(deny_unknown_fields)]
pub struct Arcsine {
    /// prior variance of the weights of a hidden unit: larger for steeper functions; auto: 1 / number of columns
    #[param(domain = PositiveFinite, search = 30.0)]
    weight_variance: Value,
    /// prior variance of the bias of a hidden unit: larger for functions that rise farther from the mean; auto: 1
    #[param(domain = NonNegative, search = 30.0)]
    bias_variance: Value,
}

impl Arcsine {
    fn network<N: Scalar>(weight: N, bias: N) -> Network<N> {
        let first = LinearLayer { weight, bias };
        let last = LinearLayer { weight: N::constant(1.0), bias: N::constant(0.0) };
        Network { map: LayerMap::Erf, depth: 1, first, between: last, last }
    }
    fn settled(&self) -> Network<f64> {
        Self::network(self.weight_variance.number(), self.bias_variance.number())
    }
}

impl Kernel for Arcsine {
    const NAME: &'static str = "arcsine";
    const DOC: &'static str = Self::FORMULA;
    const SOURCE: &'static str = "Williams, Computing with infinite networks (1997), (11); Rasmussen & Williams (2006), (4.29)";
    const BECAUSE: &'static str = "the expectation of a product of one random hidden unit at both inputs";
    const DIFFERENTIABLE: &'static [&'static str] = &["weight_variance", "bias_variance"];
    type Inputs = Points;
    type Learnt = ();
    type Prepared = NetworkRows;

    fn settle(&self, inputs: &Points, _: RowWeights<'_>) -> Self {
        let weight_variance = self.weight_variance.settle(1.0 / inputs.dim().max(1) as f64);
        Arcsine { weight_variance, bias_variance: self.bias_variance.settle(1.0) }
    }
    fn prepare(&self, (): &(), inputs: &Points, like: Option<&NetworkRows>, control: &Control) -> Result<NetworkRows> {
        prepared::prepare(&self.settled(), Quantity::Output, inputs, like, control)
    }
    fn fill<T: Real>(&self, tile: Tile<'_, NetworkRows, T>) {
        prepared::fill(&self.settled(), Quantity::Output, tile);
    }
    /// `arcsine`: the formula above; its numbers are the variances of weights and bias.
    fn point_formula<'p>(&self, rows: &'p NetworkRows, cols: &'p NetworkRows) -> Option<PointFormula<'p>> {
        let map = MapFormula::new("arcsine", &[self.weight_variance.number(), self.bias_variance.number()]);
        Some(PointFormula::of_dots_and_norms(map, rows.points(), cols.points()))
    }
    fn diagonal(&self, x: &NetworkRows) -> Vec<f64> {
        x.diagonal().to_vec()
    }
    fn per_value(&self, inputs: &Points) -> f64 {
        prepared::per_value(inputs, 1, 2)
    }
    fn mercer(&self) -> Mercer {
        Mercer::Always
    }
    fn gradient(&self, tile: Tile<'_, NetworkRows, f64>, weights: &[f64], out: &mut [f64]) {
        let (weight, bias) = (self.weight_variance.number(), self.bias_variance.number());
        let network = Self::network(Jet::parameter(weight, 0), Jet::parameter(bias, 1));
        let sums = prepared::gradient(&network, Quantity::Output, tile, weights);
        out.iter_mut().zip(sums).for_each(|(o, s)| *o += s);
    }
}
