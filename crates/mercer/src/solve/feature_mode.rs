//! The mode of several latent functions over few features Z (N x m), in the space of their weights v (m x outputs):
//!
//! ```text
//! minimise  P(v, b) = sum_i w_i l(y_i, f_i) + lambda/2 |v|^2,     f = Z v + 1 b',
//! ```
//!
//! which is that of `mode` for S = Z Z' / lambda. A step of Newton's method solves (lambda I + Z'W Z) s = g, g = Z'r - lambda v, by
//! conjugate gradients. Each output's own block lambda I + Z'W_cc Z at curvature nearby is the preconditioner, which leaves a dozen
//! products with Z where S alone takes hundreds. The duality gap is |g|^2 / (2 lambda).

use super::gradients::joint_gradients;
use super::likelihood::{Curvature, Likelihood, Slopes};
use super::mode::{self, Mode, OfConstants};
use crate::control::Control;
use crate::error::Result;
use crate::gram::{axpy, dot};
use crate::linalg::{Cholesky, Matrix, gramian_of_columns_within, product_within, transposed_product_within};
use rayon::prelude::*;

/// What is minimised.
pub struct Features<'a> {
    /// N x m.
    pub z: &'a Matrix,
    /// The penalty.
    pub lambda: f64,
    /// Whether there are constants.
    pub constants: bool,
}

/// The blocks of the outputs, factorised.
struct Blocks(Vec<Cholesky>);

/// A place on the way: weights, Z v, the best constants for it.
struct FeatureIterate {
    weights: Matrix,
    function: Matrix,
    constants: Vec<f64>,
    slopes: Slopes,
    objective: f64,
}

impl Features<'_> {
    /// The mode, with the weights; from coefficients of a mode nearby (N x outputs) to the tolerance of a search.
    ///
    /// # Errors
    /// Memory; on request of `control`.
    pub fn mode(&self, likelihood: &dyn Likelihood, near: Option<&Matrix>, control: &Control) -> Result<(Mode, Matrix)> {
        // The gap that is asked for, as a share of that in the space of functions: weights are not refined by the slopes at the end.
        const FINER: f64 = 1e-3;
        // Steps one after another that bring nothing near the mode end the search.
        const STALLS: usize = 2;
        if likelihood.outputs() == 1 {
            return self.of_one(likelihood, near, control);
        }
        let (m, outputs) = (self.z.cols(), likelihood.outputs());
        let none = vec![0.0; outputs];
        let mut here = self.place(likelihood, Matrix::zeros(m, outputs), none.clone(), control)?;
        if let Some(alpha) = near.filter(|alpha| alpha.cols() == outputs) {
            let place = self.place(likelihood, self.weights(alpha, control)?, none, control)?;
            here = if place.objective < here.objective { place } else { here };
        }
        let exact = if near.is_some() { mode::OF_SEARCH } else { FINER * mode::EXACT };
        let (mut last, mut iterations, mut stalls, mut blocks) = (f64::INFINITY, 0, 0, None);
        loop {
            let mut slope = transposed_product_within(self.z, &here.slopes.residual, control)?;
            axpy(-self.lambda, here.weights.data(), slope.data_mut());
            let gap = dot(slope.data(), slope.data()) / (2.0 * self.lambda);
            let share = gap / here.objective.abs().max(f64::MIN_POSITIVE);
            if share <= mode::ROUNDING && gap > 0.25 * last {
                // Rounding, or blocks that are too old.
                (stalls, blocks) = (stalls + 1, None);
            } else {
                stalls = 0;
            }
            let ended = share <= exact || stalls == STALLS || iterations == mode::STEPS;
            let next = if ended { None } else { self.next(likelihood, &here, &slope, share, &mut blocks, control)? };
            let Some(next) = next else {
                let FeatureIterate { weights, function, constants, slopes, objective } = here;
                let latent = mode::shifted(&function, &constants);
                let (alpha, curvature) = (slopes.residual, slopes.curvature);
                return Ok((Mode { alpha, function, constants, latent, curvature, objective, gap, iterations }, weights));
            };
            (here, last) = (next, gap);
            iterations += 1;
            control.tell("steps of Newton's method", iterations, mode::STEPS);
        }
    }

    /// One latent function, by products alone.
    fn of_one(&self, likelihood: &dyn Likelihood, near: Option<&Matrix>, control: &Control) -> Result<(Mode, Matrix)> {
        let multiply = |v: &Matrix| product_within(self.z, &self.weights(v, control)?, control);
        let mode = match near {
            Some(alpha) => mode::find_near(likelihood, alpha, &multiply, self.constants, control)?,
            None => mode::find(likelihood, self.z.rows(), &multiply, self.constants, control)?,
        };
        let weights = self.weights(&mode.alpha, control)?;
        Ok((mode, weights))
    }

    /// Z'alpha / lambda.
    fn weights(&self, alpha: &Matrix, control: &Control) -> Result<Matrix> {
        let mut weights = transposed_product_within(self.z, alpha, control)?;
        weights.data_mut().iter_mut().for_each(|v| *v /= self.lambda);
        Ok(weights)
    }

    fn place(&self, likelihood: &dyn Likelihood, weights: Matrix, b: Vec<f64>, control: &Control) -> Result<FeatureIterate> {
        let function = product_within(self.z, &weights, control)?;
        self.place_of(likelihood, weights, function, b)
    }

    fn place_of(&self, likelihood: &dyn Likelihood, weights: Matrix, function: Matrix, b: Vec<f64>) -> Result<FeatureIterate> {
        let (constants, slopes) = mode::best_constants(likelihood, self.constants, &function, b)?;
        let objective = slopes.loss + 0.5 * self.lambda * dot(weights.data(), weights.data());
        Ok(FeatureIterate { weights, function, constants, slopes, objective })
    }

    /// The place after a step; `None` where no step brings less.
    fn next(
        &self,
        likelihood: &dyn Likelihood,
        here: &FeatureIterate,
        slope: &Matrix,
        share: f64,
        held: &mut Option<Blocks>,
        control: &Control,
    ) -> Result<Option<FeatureIterate>> {
        // More than this, and the blocks are made anew for the next step.
        const MANY: usize = 20;
        let curvature = &here.slopes.curvature;
        let within = if self.constants { Some(OfConstants::new(curvature)?) } else { None };
        let blocks = match held.take() {
            Some(blocks) => blocks,
            None => self.blocks(curvature, control)?,
        };
        let times = |v: &Matrix| mode::bent(curvature, within.as_ref(), v);
        let (step, products) = self.step(&blocks, curvature.coupled.is_some(), slope, &times, share.clamp(1e-16, 1e-2), control)?;
        *held = (products <= MANY).then_some(blocks);
        let moved = product_within(self.z, &step, control)?;
        let gain = dot(slope.data(), step.data());
        let drift = mode::drift(curvature, within.as_ref(), &moved)?;
        mode::halved(here.objective, gain, |t| {
            let start = here.constants.iter().zip(&drift).map(|(b, d)| b - t * d).collect();
            let place = self.place_of(likelihood, mode::plus(&here.weights, t, &step), mode::plus(&here.function, t, &moved), start)?;
            Ok((place.objective, place))
        })
    }

    /// The preconditioner at this curvature.
    fn blocks(&self, curvature: &Curvature, control: &Control) -> Result<Blocks> {
        let (m, outputs) = (self.z.cols(), curvature.diagonal.cols());
        control.plan("steps of Newton's method", 8 * (outputs * m * m) as u64)?;
        let block = |c: usize| {
            let mut block = gramian_of_columns_within(self.z, Some(&curvature.between(c, c)), control)?;
            block.add_to_diagonal(&vec![self.lambda; m]);
            Cholesky::new(block, control)
        };
        (0..outputs).map(block).collect::<Result<_>>().map(Blocks)
    }

    /// The step, until the square of what is left is `reduce` of what it was, and how many products it took. `times` gives W V, less
    /// what the constants take up.
    fn step(
        &self,
        blocks: &Blocks,
        coupled: bool,
        slope: &Matrix,
        times: &dyn Fn(&Matrix) -> Result<Matrix>,
        reduce: f64,
        control: &Control,
    ) -> Result<(Matrix, usize)> {
        // Products with Z and Z' in a step, at most.
        const PRODUCTS: usize = 200;
        let multiply = |p: &Matrix| {
            control.check_time("the search of a mode")?;
            let mut q = transposed_product_within(self.z, &times(&product_within(self.z, p, control)?)?, control)?;
            axpy(self.lambda, p.data(), q.data_mut());
            Ok(q)
        };
        joint_gradients(slope, multiply, |r| blocks.solve(r, coupled, control), |_| false, (reduce, PRODUCTS))
    }
}

impl Blocks {
    /// Every output's numbers solved for; where outputs are coupled, without what is common to them.
    fn solve(&self, r: &Matrix, coupled: bool, control: &Control) -> Result<Matrix> {
        let columns = self.0.par_iter().enumerate().map(|(c, block)| block.solve(&Matrix::column(r.col(c)), control));
        let columns = columns.collect::<Result<Vec<Matrix>>>()?;
        let common = |j: usize| if coupled { columns.iter().map(|c| c[(j, 0)]).sum::<f64>() / columns.len() as f64 } else { 0.0 };
        let common: Vec<f64> = (0..r.rows()).map(common).collect();
        Ok(Matrix::from_fn(r.rows(), r.cols(), |j, c| columns[c][(j, 0)] - common[j]))
    }
}

#[cfg(test)]
mod tests {
    use super::super::likelihood::ClassLikelihood;
    use super::*;

    const N: usize = 60;

    fn likelihood(classes: usize) -> ClassLikelihood {
        let weights = (0..N).map(|i| 0.5 + (i % 3) as f64).collect();
        ClassLikelihood::new((0..N).map(|i| (i * i + i / 7) % classes).collect(), weights, classes)
    }

    // Against steps in the space of functions, which know nothing of features.
    #[test]
    fn the_mode_over_features_is_that_of_their_products() {
        let z = Matrix::from_fn(N, 7, |i, j| (1.3 * i as f64 + 2.1 * j as f64).sin() + 0.2 * j as f64);
        let control = Control::default();
        for (classes, constants, lambda) in [(2, true, 0.3), (3, true, 0.3), (5, false, 1e-3), (5, true, 20.0)] {
            let likelihood = likelihood(classes);
            let features = Features { z: &z, lambda, constants };
            let (found, weights) = features.mode(&likelihood, None, &control).unwrap();
            let multiply = |v: &Matrix| product_within(&z, &features.weights(v, &control)?, &control);
            let expected = mode::find(&likelihood, N, &multiply, constants, &control).unwrap();
            assert!((found.objective - expected.objective).abs() <= 1e-12 * expected.objective, "{classes}");
            for (a, b) in found.latent.data().iter().zip(expected.latent.data()) {
                assert!((a - b).abs() <= 1e-7 * (1.0 + b.abs()), "{classes} {constants} {lambda}: {a} {b}");
            }
            // The slope of the penalised loss by the weights.
            let by = transposed_product_within(&z, &found.alpha, &control).unwrap();
            assert!(weights.data().iter().zip(by.data()).all(|(v, g)| (lambda * v - g).abs() <= 1e-8 * (1.0 + g.abs())));
            let again = features.mode(&likelihood, Some(&found.alpha), &control).unwrap().0;
            assert!(again.iterations <= 2 && (again.objective - found.objective).abs() <= 1e-12 * found.objective);
        }
    }
}
