//! rational_quadratic: k(x, z) = (1 + s / (2 alpha))^-alpha, s = sum_j (x_j - z_j)^2 / length_scale_j^2
//! (Rasmussen & Williams 2006, 4.19): a mixture of rbf kernels over length scales; alpha = inf is rbf.

use super::stationary::{self, Profile};
use crate::control::Control;
use crate::data::{Points, RowWeights};
use crate::error::Result;
use crate::gram::{Kernel, Map, MapFormula, Mercer, PointFormula, PreparedPoints, Tile};
use crate::linalg::Real;
use crate::param::{Alias, Value};
use mercer_derive::{Formula, Parameters};
use serde::{Deserialize, Serialize};

/// Smooth functions that vary over several length scales at once.
///
/// ```text
/// (1 + |x - z|^2 / (2 alpha length_scale^2))^-alpha: smooth functions with several length scales
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Formula, Parameters)]
#[serde(deny_unknown_fields)]
pub struct RationalQuadratic {
    /// how alike the mixed length scales are: large is one of them; auto: 1
    #[param(domain = PositiveFinite, search = 100.0)]
    alpha: Value,
    #[param(stationary::LENGTH_SCALE)]
    length_scale: Value,
    #[param(stationary::ARD)]
    ard: bool,
}

/// (1 + s / (2 alpha))^-power.
#[derive(Clone, Copy)]
struct Mixture {
    alpha: f64,
    power: f64,
}

impl Mixture {
    #[inline(always)]
    fn value(self, s: f64) -> f64 {
        libm::exp(-self.log_decay(s))
    }
}

impl Map for Mixture {
    #[inline(always)]
    fn at<T: Real, const FMA: bool>(self, s: T) -> T {
        T::from_f64(self.value(s.to_f64()))
    }
    /// `rational_quadratic`: (1 + s / (2 alpha))^-power; its numbers are alpha and power.
    fn formula(self) -> Option<MapFormula> {
        Some(MapFormula::new("rational_quadratic", &[self.alpha, self.power]))
    }
}

impl Profile for Mixture {
    #[inline(always)]
    fn log_scale_derivative<T: Real, const FMA: bool>(self, s: T) -> T {
        s * T::from_f64(Mixture { power: self.power + 1.0, ..self }.value(s.to_f64()))
    }
    #[inline(always)]
    fn log_decay(self, s: f64) -> f64 {
        self.power * libm::log1p(s / (2.0 * self.alpha))
    }
}

impl RationalQuadratic {
    fn mixture(&self) -> Mixture {
        let alpha = self.alpha.number();
        Mixture { alpha, power: alpha }
    }
}

impl Kernel for RationalQuadratic {
    const NAME: &'static str = "rational_quadratic";
    const DOC: &'static str = Self::FORMULA;
    const SOURCE: &'static str = "Rasmussen & Williams, Gaussian Processes for Machine Learning (2006), (4.19)";
    const BECAUSE: &'static str = "a mixture of rbf kernels over length scales, with weights of a gamma density";
    const ALIASES: &'static [Alias] = &[("sigma", "length_scale", |s| s)];
    const DIFFERENTIABLE: &'static [&'static str] = &["alpha", "length_scale"];
    type Inputs = Points;
    type Learnt = ();
    type Prepared = PreparedPoints;

    fn settle(&self, inputs: &Points, weights: RowWeights<'_>) -> Self {
        let length_scale = stationary::settle(&self.length_scale, self.ard, inputs, weights);
        RationalQuadratic { alpha: self.alpha.settle(1.0), length_scale, ard: self.ard }
    }
    fn check(&self, inputs: &Points) -> Result<()> {
        stationary::check(Self::NAME, &self.length_scale, inputs)
    }
    fn prepare(&self, (): &(), inputs: &Points, like: Option<&PreparedPoints>, _: &Control) -> Result<PreparedPoints> {
        Ok(stationary::prepare(&self.length_scale, inputs, like))
    }
    fn fill<T: Real>(&self, tile: Tile<'_, PreparedPoints, T>) {
        tile.from_sqdist(self.mixture());
    }
    fn point_formula<'p>(&self, rows: &'p PreparedPoints, cols: &'p PreparedPoints) -> Option<PointFormula<'p>> {
        PointFormula::of_sqdist(self.mixture(), rows, cols)
    }
    fn diagonal(&self, x: &PreparedPoints) -> Vec<f64> {
        vec![1.0; x.rows()]
    }
    fn points<'p>(&self, x: &'p PreparedPoints) -> Option<&'p PreparedPoints> {
        Some(x)
    }
    fn squared_distances(&self, sqdists: &mut [f64]) {
        let alpha = self.alpha.number();
        sqdists.iter_mut().for_each(|s| *s = -2.0 * libm::expm1(-alpha * libm::log1p(*s / (2.0 * alpha))));
    }
    fn log_diagonal(&self, x: &PreparedPoints) -> Option<Vec<f64>> {
        Some(vec![0.0; x.rows()])
    }
    fn fill_log_decay(&self, tile: Tile<'_, PreparedPoints, f64>) {
        stationary::fill_log_decay(tile, self.mixture());
    }
    fn mercer(&self) -> Mercer {
        Mercer::Always
    }
    /// With u = s / (2 alpha): dk/dalpha = k (u / (1 + u) - log(1 + u)).
    fn gradient(&self, mut tile: Tile<'_, PreparedPoints, f64>, weights: &[f64], out: &mut [f64]) {
        let mixture = self.mixture();
        let columns = tile.cols.len();
        tile.sqdists();
        for k in 0..tile.rows.len() {
            for (s, w) in tile.out.row_mut(k).iter().zip(&weights[k * columns..]) {
                let u = s / (2.0 * mixture.alpha);
                out[0] += w * mixture.value(*s) * (u / (1.0 + u) - libm::log1p(u));
            }
        }
        stationary::gradient_of_sqdists(tile, mixture, &self.length_scale, weights, &mut out[1..]);
    }
    fn input_gradient(&self, tile: Tile<'_, PreparedPoints, f64>, weights: &[f64], out: &mut [f64]) -> Result<()> {
        stationary::input_gradient(tile, self.mixture(), self.length_scale.numbers(), weights, out);
        Ok(())
    }
}
