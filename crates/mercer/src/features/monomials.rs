//! Features of polynomial kernels: products of coordinates, each as often as it can be ordered, or once with its weight.

use super::FeatureMap;
use std::ops::RangeInclusive;

/// All ordered products of as many coordinates as `degrees` say, repeats included: d^k of each degree k. For 0..=3 the map
/// of 1 + x.z + (x.z)^2 + (x.z)^3 (F01 for one coordinate, F02).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrderedProducts {
    /// Numbers of factors.
    pub degrees: RangeInclusive<u32>,
}

impl OrderedProducts {
    /// How many there are of `dim` coordinates, not made: the sum of dim^k; `None` from 2^128 on.
    pub fn count(&self, dim: u64) -> Option<u128> {
        self.degrees.clone().try_fold(0u128, |sum, k| sum.checked_add(u128::from(dim).checked_pow(k)?))
    }
}

impl FeatureMap for OrderedProducts {
    fn features(&self, x: &[f64]) -> Vec<f64> {
        let step = |all: Vec<f64>, _| all.iter().flat_map(|p| x.iter().map(move |v| p * v)).collect();
        self.degrees.clone().flat_map(|k| (0..k).fold(vec![1.0], step)).collect()
    }
}

/// Every monomial once, with the root of its multinomial weight: the map of (gamma x.z + offset)^degree. C(d + degree,
/// degree) features, C(d + degree - 1, degree) where the offset is 0 (F10-F13).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Monomials {
    /// Degree of the polynomial.
    pub degree: u32,
    /// Factor of the inner product, 0 or above.
    pub gamma: f64,
    /// What is added to it, 0 or above.
    pub offset: f64,
}

impl Monomials {
    /// Adds the monomials of the coordinates from `j` on with `left` factors to come; `value` is the product so far, and
    /// `weight` the number of orders, degree! / (factorials of the exponents so far).
    fn collect(&self, x: &[f64], left: u32, value: f64, weight: f64, out: &mut Vec<f64>) {
        let Some((first, rest)) = x.split_first() else {
            // What is left of the degree falls to the offset.
            if left == 0 || self.offset > 0.0 {
                out.push(value * (weight / factorial(left) * self.offset.powi(left as i32)).sqrt());
            }
            return;
        };
        let scaled = self.gamma.sqrt() * first;
        for exponent in 0..=left {
            let power = scaled.powi(exponent as i32);
            self.collect(rest, left - exponent, value * power, weight / factorial(exponent), out);
        }
    }
}

fn factorial(n: u32) -> f64 {
    (1..=n).map(f64::from).product()
}

impl FeatureMap for Monomials {
    fn features(&self, x: &[f64]) -> Vec<f64> {
        let mut out = Vec::new();
        self.collect(x, self.degree, 1.0, factorial(self.degree), &mut out);
        out
    }
}
