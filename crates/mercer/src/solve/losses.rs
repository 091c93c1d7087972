//! Losses of generalised linear models as functions of the linear predictors f_i (one number, or one for each of C outputs):
//!
//! ```text
//! squared   1/2 (y - f)^2      logistic  ln(1 + e^f) - y f, y in {0, 1}      softmax  ln(sum_c e^f_c) - f_y
//! ```
//!
//! each with its mean, its curvature and its convex conjugate, which bounds what is left to gain (Boyd & Vandenberghe 2004, 5.7).

use super::likelihood::{log1p_exp, sigmoid, softmax};
use crate::error::{Error, Result};
use crate::linalg::Matrix;

/// Which loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loss {
    /// Half of the squared distance of numbers.
    Squared,
    /// Two classes, one output: the log odds of the second.
    Logistic,
    /// Several classes, one output each.
    Softmax,
}

/// The weighted loss of N rows. Everything of rows is held output by output: C x N.
#[derive(Clone, Debug)]
pub struct Losses {
    kind: Loss,
    /// Targets: numbers, 0 and 1, or indicators.
    y: Matrix,
    weights: Vec<f64>,
}

impl Losses {
    /// `y` is C x N, with one output for [`Loss::Logistic`]; weights are above 0.
    ///
    /// # Errors
    /// Sizes that do not fit.
    pub fn new(kind: Loss, y: Matrix, weights: Vec<f64>) -> Result<Self> {
        Error::unless_equal("weights of the rows", y.cols(), weights.len())?;
        if kind == Loss::Logistic {
            Error::unless_equal("outputs of two classes", 1, y.rows())?;
        }
        Ok(Losses { kind, y, weights })
    }
    /// Which loss it is.
    pub fn kind(&self) -> Loss {
        self.kind
    }
    /// C.
    pub fn outputs(&self) -> usize {
        self.y.rows()
    }
    /// N.
    pub fn rows(&self) -> usize {
        self.y.cols()
    }
    /// The greatest second derivative along any direction of the outputs, for a weight of 1.
    pub fn smoothness(&self) -> f64 {
        match self.kind {
            Loss::Squared => 1.0,
            Loss::Logistic => 0.25,
            Loss::Softmax => 0.5,
        }
    }
    /// The constants that alone fit best: means, or logarithms of odds or of shares that sum to 0.
    pub fn constants(&self) -> Vec<f64> {
        let total: f64 = self.weights.iter().sum();
        let means = (0..self.outputs()).map(|c| self.y.row(c).iter().zip(&self.weights).map(|(y, w)| w * y).sum::<f64>() / total);
        match self.kind {
            Loss::Squared => means.collect(),
            Loss::Logistic => means.map(|p| (p / (1.0 - p)).ln()).collect(),
            Loss::Softmax => {
                let logs: Vec<f64> = means.map(f64::ln).collect();
                let middle = logs.iter().sum::<f64>() / logs.len().max(1) as f64;
                logs.iter().map(|l| l - middle).collect()
            }
        }
    }
    /// The weighted loss of all rows at the predictors f (C x N).
    pub fn value(&self, f: &Matrix) -> f64 {
        self.of_rows(f).iter().zip(&self.weights).map(|(l, w)| l * w).sum()
    }

    /// The loss of each row at the predictors f, without its weight.
    pub fn of_rows(&self, f: &Matrix) -> Vec<f64> {
        let one = |i: usize| match self.kind {
            Loss::Squared => (0..self.outputs()).map(|c| 0.5 * (self.y[(c, i)] - f[(c, i)]).powi(2)).sum(),
            Loss::Logistic => log1p_exp(f[(0, i)]) - self.y[(0, i)] * f[(0, i)],
            Loss::Softmax => {
                let mut shares = f.col(i);
                softmax(&mut shares) - (0..self.outputs()).map(|c| self.y[(c, i)] * f[(c, i)]).sum::<f64>()
            }
        };
        (0..self.rows()).map(one).collect()
    }

    /// The expected targets at the predictors f, C x N.
    pub fn means(&self, f: &Matrix) -> Matrix {
        let mut out = f.clone();
        match self.kind {
            Loss::Squared => {}
            Loss::Logistic => out.data_mut().iter_mut().for_each(|v| *v = sigmoid(*v)),
            Loss::Softmax => {
                for i in 0..self.rows() {
                    let mut column = f.col(i);
                    softmax(&mut column);
                    column.iter().enumerate().for_each(|(c, v)| out[(c, i)] = *v);
                }
            }
        }
        out
    }
    /// Minus the gradient by the predictors: w_i (y_i - mean_i), C x N.
    pub fn residuals(&self, means: &Matrix) -> Matrix {
        let mut out = self.y.clone();
        for c in 0..self.outputs() {
            for ((r, m), w) in out.row_mut(c).iter_mut().zip(means.row(c)).zip(&self.weights) {
                *r = w * (*r - m);
            }
        }
        out
    }
    /// D, C x N, from the means: the second derivatives of a row's loss are diag(D), less D D'/w where outputs are coupled.
    pub fn curvature(&self, means: &Matrix) -> Matrix {
        let mut out = means.clone();
        for c in 0..self.outputs() {
            for (v, w) in out.row_mut(c).iter_mut().zip(&self.weights) {
                *v = match self.kind {
                    Loss::Squared => *w,
                    Loss::Logistic => w * *v * (1.0 - *v),
                    Loss::Softmax => w * *v,
                };
            }
        }
        out
    }
    /// Whether the outputs of a row share its curvature.
    pub fn is_coupled(&self) -> bool {
        self.kind == Loss::Softmax
    }
    /// The weights of the rows.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }
    /// The greatest weight.
    pub fn greatest_weight(&self) -> f64 {
        self.weights.iter().fold(0.0, |m: f64, w| m.max(*w))
    }
    /// The dual objective at theta = share * residuals: no more than the loss and any penalty that theta is feasible for.
    pub fn dual(&self, residuals: &Matrix, share: f64) -> f64 {
        let x_ln_x = |p: f64| if p > 0.0 { p * p.ln() } else { 0.0 };
        let mut sum = 0.0;
        for c in 0..self.outputs() {
            for ((y, r), w) in self.y.row(c).iter().zip(residuals.row(c)).zip(&self.weights) {
                let theta = share * r;
                let p = (y - theta / w).clamp(0.0, 1.0);
                sum += match self.kind {
                    Loss::Squared => theta * (y - 0.5 * theta / w),
                    Loss::Logistic => -w * (x_ln_x(p) + x_ln_x(1.0 - p)),
                    Loss::Softmax => -w * x_ln_x(p),
                };
            }
        }
        sum
    }
}
