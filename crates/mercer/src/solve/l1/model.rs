//! The quadratic model of a Newton step of one output: H = X'DX of the active columns with the constant taken out, since that is not
//! penalised and follows: its step is H_00^-1 (g_0 - H_0B step).

use super::quadratic::Quadratic;
use crate::control::Control;
use crate::error::Result;
use crate::gram::dot;
use crate::linalg::{Matrix, gramian_within, product_transposed_within};
use crate::solve::active_factor::ActiveFactor;

/// The model at some predictions of one output.
pub(super) struct Model {
    /// H.
    pub(super) h: Matrix,
    /// H_B0.
    across: Vec<f64>,
    /// H_00.
    constant: f64,
}

impl Model {
    /// Of the columns x_j (one a row) where the losses have such a curvature; their memory serves for the columns scaled.
    pub(super) fn new(x: Matrix, curvature: &[f64], control: &Control) -> Result<Model> {
        let constant: f64 = curvature.iter().sum();
        let across: Vec<f64> = (0..x.rows()).map(|j| dot(x.row(j), curvature)).collect();
        Ok(Model { h: centred(x, curvature, &across, constant, control)?, across, constant })
    }

    /// g - H_B0 H_00^-1 g_0.
    pub(super) fn slope(&self, g: &[f64], of_constant: f64) -> Vec<f64> {
        g.iter().zip(&self.across).map(|(g, a)| g - a * (of_constant / self.constant)).collect()
    }

    /// The step of the constant that goes with a step of the rest.
    pub(super) fn constant(&self, of_constant: f64, step: &[f64]) -> f64 {
        (of_constant - dot(&self.across, step)) / self.constant
    }
}

/// The model of one output of squared losses: H = X'WX of all columns of the working set, which stays as the set grows, and its factor.
#[derive(Default)]
pub(super) struct Squares {
    h: Matrix,
    factor: ActiveFactor,
}

impl Squares {
    /// Takes in the columns x_j (one a row, without their means) that have come since.
    pub(super) fn extend(&mut self, x: &Matrix, weights: &[f64], control: &Control) -> Result<()> {
        let (before, all) = (self.h.rows(), x.rows());
        let mut new = x.select_rows(&(before..all).collect::<Vec<_>>());
        for row in new.data_mut().chunks_exact_mut(weights.len().max(1)) {
            row.iter_mut().zip(weights).for_each(|(v, w)| *v *= w);
        }
        let with_new = product_transposed_within(x, &new, control)?;
        let mut h = Vec::with_capacity(all * all);
        for i in 0..before {
            h.extend_from_slice(self.h.row(i));
            h.extend_from_slice(with_new.row(i));
        }
        for i in before..all {
            h.extend((0..before).map(|j| with_new[(j, i - before)]));
            h.extend((before..all).map(|j| with_new[(i.max(j), i.min(j) - before)]));
        }
        self.h = Matrix::new(all, all, h)?;
        Ok(())
    }

    /// The minimum from `a`: see [`Quadratic::minimise`].
    pub(super) fn minimise(&mut self, a: &[f64], slope: &[f64], lambda: f64, tolerance: f64, control: &Control) -> Result<Vec<f64>> {
        Quadratic { h: &self.h, lambda }.minimise(a, slope, tolerance, &mut self.factor, control)
    }
}

/// X'DX of columns from which their means by D are taken: nothing cancels.
fn centred(mut x: Matrix, curvature: &[f64], sums: &[f64], total: f64, control: &Control) -> Result<Matrix> {
    let roots: Vec<f64> = curvature.iter().map(|d| d.sqrt()).collect();
    for (row, sum) in x.data_mut().chunks_exact_mut(curvature.len()).zip(sums) {
        let mean = if total > 0.0 { sum / total } else { 0.0 };
        row.iter_mut().zip(&roots).for_each(|(v, root)| *v = root * (*v - mean));
    }
    gramian_within(&x, control)
}
