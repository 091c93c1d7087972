//! sigmoid: k(x, z) = tanh(gamma x . z + offset). Not positive semi-definite in general (K08, E1-12).

use crate::control::Control;
use crate::data::{Points, RowWeights};
use crate::error::Result;
use crate::gram::{Kernel, Map, MapFormula, Mercer, PointFormula, PreparedPoints, Tile};
use crate::linalg::Real;
use crate::param::{Alias, Value};
use mercer_derive::{Formula, Parameters};
use serde::{Deserialize, Serialize};

/// A hyperbolic tangent of the inner product.
///
/// ```text
/// tanh(gamma x . z + offset): not a Mercer kernel in general
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Formula, Parameters)]
#[serde(deny_unknown_fields)]
pub struct Sigmoid {
    /// factor of the inner product; auto: 1 / number of columns
    #[param(domain = PositiveFinite, search = 30.0)]
    gamma: Value,
    /// added inside the tanh
    #[param(default = 0.0, domain = Real)]
    offset: Value,
}

#[derive(Clone, Copy)]
struct Tanh {
    gamma: f64,
    offset: f64,
}

impl Map for Tanh {
    #[inline(always)]
    fn at<T: Real, const FMA: bool>(self, x: T) -> T {
        T::from_f64(libm::tanh(self.gamma * x.to_f64() + self.offset))
    }
    /// `tanh`: tanh(gamma x + offset); its numbers are gamma and offset.
    fn formula(self) -> Option<MapFormula> {
        Some(MapFormula::new("tanh", &[self.gamma, self.offset]))
    }
}

impl Tanh {
    /// 1 - tanh^2 at gamma x . z + offset.
    fn slope(self, dot: f64) -> f64 {
        let t = self.at::<f64, true>(dot);
        1.0 - t * t
    }
}

impl Sigmoid {
    fn tanh(&self) -> Tanh {
        Tanh { gamma: self.gamma.number(), offset: self.offset.number() }
    }
}

impl Kernel for Sigmoid {
    const NAME: &'static str = "sigmoid";
    const DOC: &'static str = Self::FORMULA;
    const SOURCE: &'static str = "Murphy, Machine Learning: a Probabilistic Perspective (2012), (14.17)";
    const ALIASES: &'static [Alias] = &[("coef0", "offset", |x| x)];
    const DIFFERENTIABLE: &'static [&'static str] = &["gamma", "offset"];
    type Inputs = Points;
    type Learnt = ();
    type Prepared = PreparedPoints;

    fn settle(&self, inputs: &Points, _: RowWeights<'_>) -> Self {
        Sigmoid { gamma: self.gamma.settle(1.0 / inputs.dim().max(1) as f64), ..self.clone() }
    }
    fn prepare(&self, (): &(), inputs: &Points, like: Option<&PreparedPoints>, _: &Control) -> Result<PreparedPoints> {
        Ok(PreparedPoints::plain(inputs, like))
    }
    fn fill<T: Real>(&self, tile: Tile<'_, PreparedPoints, T>) {
        tile.from_dots(self.tanh());
    }
    fn point_formula<'p>(&self, rows: &'p PreparedPoints, cols: &'p PreparedPoints) -> Option<PointFormula<'p>> {
        PointFormula::of_dots(self.tanh(), rows, cols)
    }
    fn diagonal(&self, x: &PreparedPoints) -> Vec<f64> {
        x.norms().iter().map(|n| self.tanh().at::<f64, true>(*n)).collect()
    }
    fn mercer(&self) -> Mercer {
        Mercer::Never("tanh(gamma x . z + offset) has Gram matrices with negative eigenvalues".into())
    }
    /// dk/doffset = 1 - tanh^2, dk/dgamma = (1 - tanh^2) x . z.
    fn gradient(&self, mut tile: Tile<'_, PreparedPoints, f64>, weights: &[f64], out: &mut [f64]) {
        let f = self.tanh();
        let cols = tile.cols.len();
        tile.each_dot(|k, row| {
            for (dot, w) in row.iter().zip(&weights[k * cols..]) {
                let slope = f.slope(*dot);
                out[0] += w * slope * dot;
                out[1] += w * slope;
            }
        });
    }
    fn input_gradient(&self, tile: Tile<'_, PreparedPoints, f64>, weights: &[f64], out: &mut [f64]) -> Result<()> {
        let f = self.tanh();
        tile.add_slopes_of_dots(weights, |dot| f.gamma * f.slope(dot), out);
        Ok(())
    }
}
