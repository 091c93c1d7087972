//! The first features of the infinite map of the Gaussian kernel in one dimension (F32; S1 5.2).

use super::FeatureMap;

/// psi_k(x) = exp(-u^2 / 2) u^k / sqrt(k!) with u = x / length_scale, k = 0..terms: their inner product tends to
/// exp(-(x - z)^2 / (2 length_scale^2)).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GaussianSeries {
    /// Features that are written out.
    pub terms: usize,
    /// Length scale of the kernel.
    pub length_scale: f64,
}

impl FeatureMap for GaussianSeries {
    /// Of the first coordinate; others are not looked at.
    fn features(&self, x: &[f64]) -> Vec<f64> {
        let u = x.first().copied().unwrap_or(0.0) / self.length_scale;
        let first = libm::exp(-0.5 * u * u);
        std::iter::successors(Some((1.0, first)), |(k, psi)| Some((k + 1.0, psi * u / f64::sqrt(*k))))
            .map(|(_, psi)| psi)
            .take(self.terms)
            .collect()
    }
}
