//! Squared losses of linear machines as losses of latent values.

use super::Problem;
use crate::linalg::Matrix;
use crate::solve::likelihood::{Curvature, Likelihood, Slopes};

/// Of squared losses alone: others have no slope at their bends.
impl Likelihood for Problem {
    fn outputs(&self) -> usize {
        1
    }

    fn at(&self, f: &Matrix) -> Slopes {
        let (mut loss, mut residual, mut diagonal) = (0.0, f.clone(), f.clone());
        for (i, (z, cost)) in self.target.iter().zip(&self.cost).enumerate() {
            let u = z - f[(i, 0)];
            loss += self.loss.value(*z, *cost, u);
            residual[(i, 0)] = self.loss.slope(*z, *cost, u);
            diagonal[(i, 0)] = if residual[(i, 0)] == 0.0 { 0.0 } else { 2.0 * cost };
        }
        Slopes { loss, residual, curvature: Curvature { diagonal, coupled: None } }
    }

    /// 0 but at the bends.
    fn third(&self, f: &Matrix) -> Vec<f64> {
        vec![0.0; f.rows()]
    }
}
