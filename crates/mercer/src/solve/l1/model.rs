//! The quadratic model of a Newton step: H = X'DX of the active columns with the constants taken out, since those are not
//! penalised and follow: for b0 they are H_00^-1 (g_0 - H_0B step).

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
