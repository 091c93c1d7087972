//! rbf: k(x, z) = exp(-s / 2), s = sum_j (x_j - z_j)^2 / length_scale_j^2 (K02, K03; S3 14.2, 14.3).

use super::stationary::{self, Profile};
use crate::control::Control;
use crate::data::{Points, RowWeights};
use crate::error::Result;
use crate::gram::{Kernel, Map, MapFormula, Mercer, PointFormula, PreparedPoints, Spectral, Tile, map_row};
use crate::linalg::Real;
use crate::param::{Alias, Value};
use mercer_derive::{Formula, Parameters};
use serde::{Deserialize, Serialize};

/// The Gaussian, squared exponential or radial basis function kernel.
///
/// ```text
/// exp(-|x - z|^2 / (2 length_scale^2)): smooth functions
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Formula, Parameters)]
#[serde(deny_unknown_fields)]
pub struct Rbf {
    #[param(stationary::LENGTH_SCALE)]
    length_scale: Value,
    #[param(stationary::ARD)]
    ard: bool,
}

/// exp(-s / 2).
#[derive(Clone, Copy)]
pub(in crate::kernels) struct Gaussian;

impl Map for Gaussian {
    #[inline(always)]
    fn at<T: Real, const FMA: bool>(self, s: T) -> T {
        (T::from_f64(-0.5) * s).exponential::<FMA>()
    }
    /// `gaussian`: exp(-s / 2).
    fn formula(self) -> Option<MapFormula> {
        Some(MapFormula::new("gaussian", &[]))
    }
}

/// 2 (1 - exp(-s / 2)): the squared distance in feature space.
#[derive(Clone, Copy)]
pub(in crate::kernels) struct Unlike;

impl Map for Unlike {
    #[inline(always)]
    fn at<T: Real, const FMA: bool>(self, s: T) -> T {
        T::from_f64(-2.0) * (T::from_f64(-0.5) * s).exponential_less_one::<FMA>()
    }
}

impl Profile for Gaussian {
    #[inline(always)]
    fn log_scale_derivative<T: Real, const FMA: bool>(self, s: T) -> T {
        s * self.at::<T, FMA>(s)
    }
    #[inline(always)]
    fn log_decay(self, s: f64) -> f64 {
        0.5 * s
    }
}

impl Kernel for Rbf {
    const NAME: &'static str = "rbf";
    const DOC: &'static str = Self::FORMULA;
    const SOURCE: &'static str = "Murphy, Machine Learning: a Probabilistic Perspective (2012), (14.2) and (14.3)";
    const BECAUSE: &'static str = "its Fourier transform is a Gaussian, nowhere negative (Bochner)";
    const ALIASES: &'static [Alias] = stationary::GAUSSIAN_ALIASES;
    const DIFFERENTIABLE: &'static [&'static str] = &["length_scale"];
    type Inputs = Points;
    type Learnt = ();
    type Prepared = PreparedPoints;

    fn settle(&self, inputs: &Points, weights: RowWeights<'_>) -> Self {
        Rbf { length_scale: stationary::settle(&self.length_scale, self.ard, inputs, weights), ..*self }
    }
    fn check(&self, inputs: &Points) -> Result<()> {
        stationary::check(Self::NAME, &self.length_scale, inputs)
    }
    fn prepare(&self, (): &(), inputs: &Points, like: Option<&PreparedPoints>, _: &Control) -> Result<PreparedPoints> {
        Ok(stationary::prepare(&self.length_scale, inputs, like))
    }
    fn fill<T: Real>(&self, tile: Tile<'_, PreparedPoints, T>) {
        tile.from_sqdist(Gaussian);
    }
    fn point_formula<'p>(&self, rows: &'p PreparedPoints, cols: &'p PreparedPoints) -> Option<PointFormula<'p>> {
        PointFormula::of_sqdist(Gaussian, rows, cols)
    }
    fn diagonal(&self, x: &PreparedPoints) -> Vec<f64> {
        vec![1.0; x.rows()]
    }
    fn points<'p>(&self, x: &'p PreparedPoints) -> Option<&'p PreparedPoints> {
        Some(x)
    }
    fn squared_distances(&self, sqdists: &mut [f64]) {
        map_row(sqdists, Unlike);
    }
    fn log_diagonal(&self, x: &PreparedPoints) -> Option<Vec<f64>> {
        Some(vec![0.0; x.rows()])
    }
    fn fill_log_decay(&self, tile: Tile<'_, PreparedPoints, f64>) {
        stationary::fill_log_decay(tile, Gaussian);
    }
    fn spectral(&self) -> Option<(Spectral, Vec<f64>)> {
        Some((Spectral::Normal, self.length_scale.numbers().to_vec()))
    }
    fn mercer(&self) -> Mercer {
        Mercer::Always
    }
    fn gradient(&self, tile: Tile<'_, PreparedPoints, f64>, weights: &[f64], out: &mut [f64]) {
        stationary::gradient(tile, Gaussian, &self.length_scale, weights, out);
    }
    fn input_gradient(&self, tile: Tile<'_, PreparedPoints, f64>, weights: &[f64], out: &mut [f64]) -> Result<()> {
        stationary::input_gradient(tile, Gaussian, self.length_scale.numbers(), weights, out);
        Ok(())
    }
}
