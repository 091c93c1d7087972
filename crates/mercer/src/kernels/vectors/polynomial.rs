//! polynomial: k(x, z) = (gamma x . z + offset)^degree, degree a whole number, gamma > 0, offset >= 0 (K07, F10-F12).

use crate::control::Control;
use crate::data::{Points, RowWeights};
use crate::error::Result;
use crate::gram::{Kernel, Map, MapFormula, Mercer, PointFormula, PreparedPoints, Tile};
use crate::linalg::Real;
use crate::linalg::fma;
use crate::param::{Alias, Value};
use mercer_derive::{Formula, Parameters};
use serde::{Deserialize, Serialize};

/// A power of the inner product: all monomials up to the degree.
///
/// ```text
/// (gamma x . z + offset)^degree: products of up to degree columns
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Formula, Parameters)]
#[serde(deny_unknown_fields)]
pub struct Polynomial {
    /// highest order of the monomials
    #[param(default = 3.0, domain = Integer(1, 64))]
    degree: Value,
    /// factor of the inner product; auto: 1 / number of columns
    #[param(domain = PositiveFinite, search = 30.0)]
    gamma: Value,
    /// 0 keeps only monomials of exactly the degree
    #[param(default = 1.0, domain = NonNegative)]
    offset: Value,
}

#[derive(Clone, Copy)]
struct Power {
    degree: usize,
    gamma: f64,
    offset: f64,
}

impl Map for Power {
    #[inline(always)]
    fn at<T: Real, const FMA: bool>(self, x: T) -> T {
        let base = fma::<T, FMA>(T::from_f64(self.gamma), x, T::from_f64(self.offset));
        match self.degree {
            1 => base,
            2 => base * base,
            3 => base * base * base,
            n => (1..n).fold(base, |p, _| p * base),
        }
    }
    /// `polynomial`: (gamma x + offset)^degree; its numbers are degree, gamma and offset.
    fn formula(self) -> Option<MapFormula> {
        Some(MapFormula::new("polynomial", &[self.degree as f64, self.gamma, self.offset]))
    }
}

impl Power {
    /// degree base^(degree-1) at base = gamma x . z + offset.
    fn slope(self, dot: f64) -> f64 {
        self.degree as f64 * (self.gamma * dot + self.offset).powi(self.degree as i32 - 1)
    }
}

impl Polynomial {
    fn power(&self) -> Power {
        Power { degree: self.degree.integer(), gamma: self.gamma.number(), offset: self.offset.number() }
    }
}

impl Kernel for Polynomial {
    const NAME: &'static str = "polynomial";
    const DOC: &'static str = Self::FORMULA;
    const SOURCE: &'static str = "Murphy, Machine Learning: a Probabilistic Perspective (2012), 14.2.3";
    const BECAUSE: &'static str = "sums and products of an inner product, with non-negative coefficients";
    const ALIASES: &'static [Alias] = &[("coef0", "offset", |x| x)];
    const DIFFERENTIABLE: &'static [&'static str] = &["gamma", "offset"];
    type Inputs = Points;
    type Learnt = ();
    type Prepared = PreparedPoints;

    fn settle(&self, inputs: &Points, _: RowWeights<'_>) -> Self {
        Polynomial { gamma: self.gamma.settle(1.0 / inputs.dim().max(1) as f64), ..self.clone() }
    }
    fn prepare(&self, (): &(), inputs: &Points, like: Option<&PreparedPoints>, _: &Control) -> Result<PreparedPoints> {
        Ok(PreparedPoints::plain(inputs, like))
    }
    fn fill<T: Real>(&self, tile: Tile<'_, PreparedPoints, T>) {
        tile.from_dots(self.power());
    }
    fn point_formula<'p>(&self, rows: &'p PreparedPoints, cols: &'p PreparedPoints) -> Option<PointFormula<'p>> {
        PointFormula::of_dots(self.power(), rows, cols)
    }
    fn diagonal(&self, x: &PreparedPoints) -> Vec<f64> {
        x.norms().iter().map(|n| self.power().at::<f64, true>(*n)).collect()
    }
    fn mercer(&self) -> Mercer {
        Mercer::Always
    }
    /// dk/dgamma = degree base^(degree-1) x . z and dk/doffset = degree base^(degree-1); the degree is a whole number.
    fn gradient(&self, mut tile: Tile<'_, PreparedPoints, f64>, weights: &[f64], out: &mut [f64]) {
        let p = self.power();
        let cols = tile.cols.len();
        tile.each_dot(|k, row| {
            for (dot, w) in row.iter().zip(&weights[k * cols..]) {
                let by_offset = w * p.slope(*dot);
                out[1] += by_offset * dot;
                out[2] += by_offset;
            }
        });
    }
    fn input_gradient(&self, tile: Tile<'_, PreparedPoints, f64>, weights: &[f64], out: &mut [f64]) -> Result<()> {
        let p = self.power();
        tile.add_slopes_of_dots(weights, |dot| p.gamma * p.slope(dot), out);
        Ok(())
    }
}
