//! The mode of the weights of a relevance vector machine for classes, under alphas that are held: Newton's method, whose steps between
//! two factorisations of H use conjugate gradients.

use super::{ClassSearch, LEAST_ALPHA, WeightMode};
use crate::control::Control;
use crate::error::{Error, Result};
use crate::gram::dot;
use crate::linalg::{Cholesky, Matrix, product_within, transposed_product_within};
use crate::solve::gradients::joint_gradients;

/// Steps of Newton's method for one mode.
const STEPS: usize = 50;
/// A decrement from which on steps are taken whole.
const NEAR: f64 = 1e-8;
/// Unknowns from which on a factor serves as a neighbour of others, and how far and by how many products with those systems are solved.
const NEIGHBOUR: usize = 32;
const ENOUGH: f64 = 1e-6;
const PRODUCTS: usize = 20;

impl ClassSearch<'_> {
    /// The mode of the weights under the alphas, by Newton's method, and what follows from it. Steps between two factorisations of H use
    /// conjugate gradients, preconditioned by the factor before.
    pub(super) fn find_mode(&mut self, control: &Control) -> Result<()> {
        let (m, outputs, n) = (self.columns.cols(), self.outputs(), self.phi.rows());
        self.alpha.iter_mut().zip(&self.squares).for_each(|(alpha, square)| *alpha = alpha.max(LEAST_ALPHA * square));
        if m == 0 {
            self.slopes = self.loss.at(&Matrix::zeros(n, outputs));
            (self.factor, self.evidence) = (None, -self.slopes.loss);
            self.keep();
            return Ok(());
        }
        self.slopes = self.loss.at(&product_within(&self.columns, &self.weights, control)?);
        // Where a column has gone the rest may be far off: rows that are mistaken by much have no curvature to steer by.
        if self.slopes.loss + self.penalty(&self.weights) > self.nothing {
            (self.weights, self.slopes) = (Matrix::zeros(m, outputs), self.loss.at(&Matrix::zeros(n, outputs)));
        }
        let solve_by =
            |factor: &Cholesky, r: &Matrix| Matrix::new(m, outputs, factor.solve(&Matrix::column(r.data().to_vec()), control)?.into_data());
        // The H before, of the same columns, is near.
        if let Some(factor) = self.factor.take().filter(|factor| outputs > 1 && factor.pivots().len() == m * outputs) {
            self.go_near(&|r: &Matrix| solve_by(&factor, r), control)?;
        }
        let (mut log_det, mut last) = (0.0, f64::INFINITY);
        for _ in 0..STEPS {
            control.check()?;
            let factor = Cholesky::new(self.hessian(control)?, control)?;
            log_det = factor.log_det();
            let solve = |r: &Matrix| solve_by(&factor, r);
            let slope = self.slope(control)?;
            let step = solve(&slope)?;
            let decrement = dot(slope.data(), step.data());
            // Near the mode a decrement falls to its square: one that does not is rounding.
            let found = decrement <= self.decrement || decrement <= NEAR && decrement > 0.25 * last;
            if !found {
                last = decrement;
                if !self.go_along(&step, decrement, control)? {
                    let what = "the weights of relevance vectors".into();
                    return Err(Error::Numerical { what, why: "no step leads to their mode".into() });
                }
                if m * outputs >= NEIGHBOUR {
                    self.go_near(&solve, control)?;
                }
            }
            self.factor = Some(factor);
            if found {
                break;
            }
        }
        let alphas: f64 = self.alpha.iter().map(|a| a.ln()).sum();
        let alpha_of = |a: usize| self.alpha.get(a).copied();
        let common: f64 =
            self.common.iter().enumerate().map(|(a, common)| alpha_of(a).map_or(common.ln(), |alpha| (common / alpha).ln_1p())).sum();
        self.evidence = -self.slopes.loss - self.penalty(&self.weights) + 0.5 * (outputs as f64 * alphas - log_det + common);
        self.keep();
        Ok(())
    }

    /// This mode is the last that was found.
    fn keep(&mut self) {
        let (active, alpha, weights) = (self.active.clone(), self.alpha.clone(), self.weights.clone());
        self.found = WeightMode { active, alpha, weights, evidence: self.evidence };
    }

    /// The slope of the log of the posterior by the weights.
    fn slope(&self, control: &Control) -> Result<Matrix> {
        let mut slope = transposed_product_within(&self.columns, &self.slopes.residual, control)?;
        for (a, alpha) in self.alpha.iter().enumerate() {
            slope.row_mut(a).iter_mut().zip(self.weights.row(a)).for_each(|(g, w)| *g -= alpha * w);
        }
        Ok(slope)
    }

    /// A step of Newton's method, cut until it does not lead uphill; whether it led anywhere.
    fn go_along(&mut self, step: &Matrix, decrement: f64, control: &Control) -> Result<bool> {
        // Halvings of a step.
        const HALVINGS: usize = 30;
        let here = self.slopes.loss + self.penalty(&self.weights);
        let mut size = 1.0;
        for _ in 0..HALVINGS {
            let moved = Matrix::from_fn(step.rows(), step.cols(), |a, c| self.weights[(a, c)] + size * step[(a, c)]);
            let slopes = self.loss.at(&product_within(&self.columns, &moved, control)?);
            let fall = here - slopes.loss - self.penalty(&moved);
            // Near the mode a whole step is right, and values are too coarse to tell.
            if fall >= 0.0 || decrement <= NEAR {
                (self.weights, self.slopes) = (moved, slopes);
                return Ok(true);
            }
            size *= 0.5;
        }
        Ok(false)
    }

    /// Steps of Newton's method whose systems are solved by products with H; `solve`: by the H of a place near by.
    fn go_near(&mut self, solve: &impl Fn(&Matrix) -> Result<Matrix>, control: &Control) -> Result<()> {
        let mut last = f64::INFINITY;
        for _ in 0..STEPS {
            control.check()?;
            let slope = self.slope(control)?;
            let times = |v: &Matrix| -> Result<Matrix> {
                let bent = self.slopes.curvature.times(&product_within(&self.columns, v, control)?);
                let mut all = transposed_product_within(&self.columns, &bent, control)?;
                for (a, alpha) in self.alpha.iter().enumerate() {
                    all.row_mut(a).iter_mut().zip(v.row(a)).for_each(|(h, v)| *h += alpha * v);
                }
                for (a, common) in self.common.iter().enumerate() {
                    let together = common / v.cols() as f64 * v.row(a).iter().sum::<f64>();
                    all.row_mut(a).iter_mut().for_each(|h| *h += together);
                }
                Ok(all)
            };
            let step = joint_gradients(&slope, times, solve, |_| false, (ENOUGH, PRODUCTS))?.0;
            let decrement = dot(slope.data(), step.data());
            if decrement <= self.decrement || decrement > 0.25 * last || !self.go_along(&step, decrement, control)? {
                break;
            }
            last = decrement;
        }
        Ok(())
    }
}
