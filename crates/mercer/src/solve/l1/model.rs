//! The quadratic model of a Newton step: H = X'DX of the active columns with the constants taken out, since those are not
//! penalised and follow: for b0 they are H_00^-1 (g_0 - H_0B step).

use super::active::ActiveFactor;
use super::quadratic::Quadratic;
use crate::control::Control;
use crate::error::Result;
use crate::linalg::{Cholesky, Matrix, gramian_within, product_transposed, product_transposed_within};
use crate::solve::losses::{Loss, Losses};

/// The model at some predictions.
pub(super) struct Model {
    /// H, group after group.
    pub(super) h: Matrix,
    /// H_B0, (groups C) x C.
    across: Matrix,
    /// H_00.
    constants: Cholesky,
}

impl Model {
    /// Of the columns x_j (one a row) at the means.
    pub(super) fn new(x: &Matrix, losses: &Losses, means: &Matrix, control: &Control) -> Result<Model> {
        let (size, count, n) = (losses.outputs(), x.rows(), x.cols());
        let mut h = Matrix::zeros(count * size, count * size);
        let mut across = Matrix::zeros(count * size, size);
        let mut among = Matrix::zeros(size, size);
        let apart = losses.kind() != Loss::Softmax;
        for c in 0..size {
            for d in 0..=c {
                if apart && c != d {
                    continue;
                }
                let curvature = losses.curvature(means, c, d);
                let total: f64 = curvature.iter().sum();
                let sums = product_transposed(x, &Matrix::new(1, n, curvature.clone())?)?;
                let block = if apart {
                    if c > 0 && losses.kind() == Loss::Squared { None } else { Some(centred(x, &curvature, &sums, total, control)?) }
                } else {
                    let mut scaled = x.clone();
                    scaled.data_mut().chunks_exact_mut(n).for_each(|row| row.iter_mut().zip(&curvature).for_each(|(v, d)| *v *= d));
                    Some(product_transposed_within(&scaled, x, control)?)
                };
                for (e, f) in [(c, d), (d, c)] {
                    among[(e, f)] = total;
                    for j in 0..count {
                        across[(j * size + e, f)] = sums[(j, 0)];
                        for k in 0..count {
                            let value = block.as_ref().map(|b| b[(j, k)]);
                            h[(j * size + e, k * size + f)] = value.unwrap_or_else(|| h[(j * size, k * size)]);
                        }
                    }
                }
            }
        }
        if !apart {
            // A constant added to all outputs changes no probability.
            let middle = among.diagonal().iter().sum::<f64>() / size as f64;
            among.data_mut().iter_mut().for_each(|v| *v += middle / size as f64);
        }
        let constants = Cholesky::new(among, control)?;
        if !apart {
            let inner = constants.solve(&across.transpose(), control)?;
            for p in 0..count * size {
                for q in 0..count * size {
                    h[(p, q)] -= (0..size).map(|c| across[(p, c)] * inner[(c, q)]).sum::<f64>();
                }
            }
        }
        Ok(Model { h, across, constants })
    }

    /// g - H_B0 H_00^-1 g_0.
    pub(super) fn slope(&self, g: &[f64], of_constants: &[f64], control: &Control) -> Result<Vec<f64>> {
        let inner = self.constants.solve(&Matrix::column(of_constants.to_vec()), control)?;
        Ok(g.iter().enumerate().map(|(p, g)| g - self.across.row(p).iter().zip(inner.data()).map(|(a, i)| a * i).sum::<f64>()).collect())
    }

    /// The step of the constants that goes with a step of the rest.
    pub(super) fn constants(&self, of_constants: &[f64], step: &[f64], control: &Control) -> Result<Vec<f64>> {
        let mut left = of_constants.to_vec();
        for (p, s) in step.iter().enumerate().filter(|(_, s)| **s != 0.0) {
            left.iter_mut().zip(self.across.row(p)).for_each(|(l, a)| *l -= s * a);
        }
        Ok(self.constants.solve(&Matrix::column(left), control)?.into_data())
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
        Quadratic { h: &self.h, size: 1, lambda }.minimise(a, slope, tolerance, &mut self.factor, control)
    }
}

/// X'DX of columns from which their means by D are taken: nothing cancels.
fn centred(x: &Matrix, curvature: &[f64], sums: &Matrix, total: f64, control: &Control) -> Result<Matrix> {
    let roots: Vec<f64> = curvature.iter().map(|d| d.sqrt()).collect();
    let mut scaled = x.clone();
    for (row, sum) in scaled.data_mut().chunks_exact_mut(curvature.len()).zip(sums.data()) {
        let mean = if total > 0.0 { sum / total } else { 0.0 };
        row.iter_mut().zip(&roots).for_each(|(v, root)| *v = root * (*v - mean));
    }
    gramian_within(&scaled, control)
}
