//! Functions drawn from a predictive distribution: mean + C^(1/2) z with z standard normal, C^(1/2) = U diag(s)^(1/2) by
//! the decomposition C = U diag(s) U' of the covariance over the rows (Rasmussen & Williams 2006, A.2). A covariance that is
//! singular up to rounding, as near training rows without noise, needs no jitter so.

use crate::control::Control;
use crate::error::Result;
use crate::estimators::{Predicted, Predictions};
use crate::linalg::{Matrix, eigh, product};
use rand::SeedableRng;
use rand_distr::{Distribution, StandardNormal};
use rand_xoshiro::Xoshiro256PlusPlus;

impl Predictions {
    /// `count` functions at the M rows of these predictions, without the noise of a target and in its unit: one M x count matrix for each
    /// output, independent of one another. `None` where there is no covariance, or none was wanted (with the variance).
    pub fn draws(&self, count: usize, seed: u64, control: &Control) -> Result<Option<Vec<Matrix>>> {
        let (Predicted::Numbers(mean), Some(covariance), Some(variance)) = (&self.values, &self.covariance, &self.variance) else {
            return Ok(None);
        };
        let mean = self.transformed.as_ref().map_or(mean, |t| &t.values);
        let of_target = |z: f64| self.transformed.as_ref().map_or(z, |t| t.transform.inverse(z));
        let (values, mut half) = eigh(covariance.clone(), control)?;
        for row in 0..half.rows() {
            half.row_mut(row).iter_mut().zip(&values).for_each(|(v, s)| *v *= s.max(0.0).sqrt());
        }
        // The covariance is that of the first output; the others differ from it by a factor.
        let size = |o: usize| (0..variance.rows()).map(|i| variance[(i, o)]).sum::<f64>();
        let mut source = Xoshiro256PlusPlus::seed_from_u64(seed);
        let one = |o: usize| {
            let factor = if o > 0 && size(0) > 0.0 { (size(o) / size(0)).sqrt() } else { 1.0 };
            let z = Matrix::from_fn(half.cols(), count, |_, _| StandardNormal.sample(&mut source));
            let around = product(&half, &z)?;
            Ok(Matrix::from_fn(mean.rows(), count, |i, k| of_target(mean[(i, o)] + factor * around[(i, k)])))
        };
        (0..mean.cols()).map(one).collect::<Result<_>>().map(Some)
    }
}
