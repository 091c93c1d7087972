//! arc_cosine: k(x, z) = 1/pi |x|^n |z|^n J_n(t), t the angle between x and z, n the order; deeper, of its own values (Cho & Saul 2009).
//!
//! J_0 = pi - t, J_1 = sin t + (pi - t) cos t, J_2 = 3 sin t cos t + (pi - t)(1 + 2 cos^2 t): twice the expectation of a product of one
//! hidden unit (w . x)^n where w . x > 0, w normal.

use super::parts::activation::LayerMap;
use super::parts::layers::{LinearLayer, Network, Quantity};
use super::parts::prepared::{self, NetworkRows};
use crate::control::Control;
use crate::data::Points;
use crate::error::Result;
use crate::gram::{Kernel, MapFormula, Mercer, PointFormula, Tile};
use crate::linalg::Real;
use crate::param::Value;
use mercer_derive::{Formula, Parameters};
use serde::{Deserialize, Serialize};

/// Angles between rows, as networks of rectifiers see them.
///
/// ```text
/// 1/pi |x|^n |z|^n J_n(angle between x and z), n the order, repeated depth times on its own values: no length scale
/// to tune
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Formula, Parameters)]
#[serde(deny_unknown_fields)]
pub struct ArcCosine {
    /// power of the hidden units above 0: 0 for steps, 1 for rectifiers, 2 for their squares
    #[param(default = 1.0, domain = Integer(0, 2))]
    order: Value,
    /// hidden layers
    #[param(default = 1.0, domain = Integer(1, 1000))]
    depth: Value,
}

impl ArcCosine {
    fn network(&self) -> Network<f64> {
        let map = match self.order.integer() {
            0 => LayerMap::Step,
            1 => LayerMap::Rectifier { slope: 0.0 },
            _ => LayerMap::SquaredRectifier,
        };
        let first = LinearLayer { weight: 1.0, bias: 0.0 };
        let twice = LinearLayer { weight: 2.0, bias: 0.0 };
        Network { map, depth: self.depth.integer(), first, between: twice, last: twice }
    }
}

impl Kernel for ArcCosine {
    const NAME: &'static str = "arc_cosine";
    const DOC: &'static str = Self::FORMULA;
    const SOURCE: &'static str = "Cho & Saul, Kernel methods for deep learning (2009), (3) to (7) and (11)";
    const BECAUSE: &'static str = "twice the expectation of a product of one random hidden unit at both inputs";
    type Inputs = Points;
    type Learnt = ();
    type Prepared = NetworkRows;

    fn prepare(&self, (): &(), inputs: &Points, like: Option<&NetworkRows>, control: &Control) -> Result<NetworkRows> {
        prepared::prepare(&self.network(), Quantity::Output, inputs, like, control)
    }
    fn fill<T: Real>(&self, tile: Tile<'_, NetworkRows, T>) {
        prepared::fill(&self.network(), Quantity::Output, tile);
    }
    /// `arc_cosine`: the formula above; its numbers are order and depth.
    fn point_formula<'p>(&self, rows: &'p NetworkRows, cols: &'p NetworkRows) -> Option<PointFormula<'p>> {
        let map = MapFormula::new("arc_cosine", &[self.order.number(), self.depth.number()]);
        Some(PointFormula::of_dots_and_norms(map, rows.points(), cols.points()))
    }
    fn diagonal(&self, x: &NetworkRows) -> Vec<f64> {
        x.diagonal().to_vec()
    }
    fn per_value(&self, inputs: &Points) -> f64 {
        prepared::per_value(inputs, self.depth.integer(), 3)
    }
    fn mercer(&self) -> Mercer {
        Mercer::Always
    }
}
