//! Likelihoods of targets given latent functions: each row has `outputs` latent values f and loses w_i l(y_i, f_i).
//!
//! Two classes: l = log(1 + e^-tf), t = -1 or 1, one latent function. Several: l = log sum_c e^f_c - f_y, one for each class
//! (Murphy 2012, 14.55; Rasmussen & Williams 2006, 3.3 and 3.5).

use crate::control::Control;
use crate::error::Result;
use crate::linalg::{Matrix, gramian_of_columns_within};
use std::ops::Range;

/// Losses of rows as functions of their latent values. Convex where it is not said otherwise.
pub trait Likelihood: Sync {
    /// Latent functions of a row.
    fn outputs(&self) -> usize;
    /// Loss, slopes and curvature at latent values f (N x outputs).
    fn at(&self, f: &Matrix) -> Slopes;
    /// d curvature_i / d f_i of every row where there is one latent function: the third derivatives of its loss.
    fn third(&self, f: &Matrix) -> Vec<f64>;
}

/// A likelihood at latent values.
#[derive(Clone, Debug)]
pub struct Slopes {
    /// sum_i w_i l_i.
    pub loss: f64,
    /// -d loss / d f, N x outputs.
    pub residual: Matrix,
    /// Second derivatives.
    pub curvature: Curvature,
}

/// W, the second derivatives of a loss: blocks of rows, diag(D_i) - D_i D_i' / w_i where latent functions are coupled, else diag(D_i).
#[derive(Clone, Debug)]
pub struct Curvature {
    /// D, N x outputs.
    pub diagonal: Matrix,
    /// w_i, where the latent functions of a row are coupled.
    pub coupled: Option<Vec<f64>>,
}

impl Curvature {
    /// W v for v (N x outputs). Where latent functions are coupled D_a (v_a - D'v / w) is D_a (v_a - v_k + u) with k that of the greatest
    /// D and u = sum_b D_b (v_k - v_b) / w, which keeps its digits where D_k is nearly w.
    pub fn times(&self, v: &Matrix) -> Matrix {
        let mut out = v.clone();
        for i in 0..v.rows() {
            let (d, v) = (self.diagonal.row(i), v.row(i));
            let less = self.coupled.as_ref().map(|w| {
                let most = d.iter().zip(v).max_by(|a, b| a.0.total_cmp(b.0)).map_or(0.0, |(_, v)| *v);
                (most, d.iter().zip(v).map(|(d, other)| d * (most - other)).sum::<f64>() / w[i])
            });
            for (out, d) in out.row_mut(i).iter_mut().zip(d) {
                *out = d * less.map_or(*out, |(most, u)| (*out - most) + u);
            }
        }
        out
    }

    /// The entry (a, b) of every row's block of W. Where latent functions are coupled D_a - D_a D_a / w is the sum of D_a D_b / w over
    /// the others.
    pub fn between(&self, a: usize, b: usize) -> Vec<f64> {
        let d = &self.diagonal;
        let of_row = |i: usize| match &self.coupled {
            None if a == b => d[(i, a)],
            None => 0.0,
            Some(w) if a == b => {
                d.row(i).iter().enumerate().filter(|(c, _)| *c != a).map(|(_, other)| d[(i, a)] * other).sum::<f64>() / w[i]
            }
            Some(w) => -d[(i, a)] * d[(i, b)] / w[i],
        };
        (0..d.rows()).map(of_row).collect()
    }

    /// R of row `i` with R R' its block of W: diag(D)^1/2, less D (D^1/2)' / w where latent functions are coupled.
    pub fn root(&self, i: usize) -> Matrix {
        let d = self.diagonal.row(i);
        let less = |a: usize, b: usize| self.coupled.as_ref().map_or(0.0, |w| d[a] / w[i] * d[b].sqrt());
        Matrix::from_fn(d.len(), d.len(), |a, b| if a == b { d[a].sqrt() } else { 0.0 } - less(a, b))
    }

    /// z_i (x) D_i multiplied by a number of each row, for some rows of features Z (N x m): rows x m outputs, by feature and then by output.
    pub fn spread(&self, z: &Matrix, rows: Range<usize>, by: impl Fn(usize) -> f64) -> Matrix {
        let outputs = self.diagonal.cols();
        let mut out = Vec::with_capacity(rows.len() * z.cols() * outputs);
        for i in rows.clone() {
            let (d, by) = (self.diagonal.row(i), by(i));
            z.row(i).iter().for_each(|z| out.extend(d.iter().map(|d| z * by * d)));
        }
        Matrix::new(rows.len(), z.cols() * outputs, out).unwrap_or_default()
    }

    /// sum_i z_i z_i' (x) W_i for features Z (N x m), its places by feature and then by output.
    ///
    /// # Errors
    /// On request of `control`.
    pub fn of_features(&self, z: &Matrix, control: &Control) -> Result<Matrix> {
        let (n, m, outputs) = (z.rows(), z.cols(), self.diagonal.cols());
        let mut out = Matrix::zeros(m * outputs, m * outputs);
        if let Some(w) = &self.coupled {
            for rows in parts(n, m * outputs) {
                let some = gramian_of_columns_within(&self.spread(z, rows, |i| 1.0 / w[i].sqrt()), None, control)?;
                out.data_mut().iter_mut().zip(some.data()).for_each(|(o, v)| *o -= v);
            }
        }
        // These keep their digits where a class is nearly certain.
        for a in 0..outputs {
            let block = gramian_of_columns_within(z, Some(&self.between(a, a)), control)?;
            for j in 0..m {
                block.row(j).iter().enumerate().for_each(|(k, value)| out[(j * outputs + a, k * outputs + a)] = *value);
            }
        }
        Ok(out)
    }

    /// H'W H for constants H, outputs x outputs; where outputs are coupled, a constant that is common to them all changes nothing,
    /// and the matrix is made definite along it.
    pub fn of_constants(&self) -> Matrix {
        let outputs = self.diagonal.cols();
        let mut out = Matrix::zeros(outputs, outputs);
        for i in 0..self.diagonal.rows() {
            let d = self.diagonal.row(i);
            for (a, da) in d.iter().enumerate() {
                let Some(w) = &self.coupled else {
                    out[(a, a)] += da;
                    continue;
                };
                for (b, db) in d.iter().enumerate().filter(|(b, _)| *b != a) {
                    let between = da * db / w[i];
                    out[(a, a)] += between;
                    out[(a, b)] -= between;
                }
            }
        }
        if self.coupled.is_some() {
            let mean = out.diagonal().iter().sum::<f64>() / outputs as f64;
            out.data_mut().iter_mut().for_each(|v| *v += mean / outputs as f64);
        }
        out
    }
}

/// Numbers that are held at a time where many rows have many each, as of z_i (x) D_i.
pub(crate) const HELD: usize = 1 << 22;

/// All of n rows in parts whose rows of so many numbers are held together.
pub(super) fn parts(n: usize, width: usize) -> impl Iterator<Item = Range<usize>> {
    let step = (HELD / width.max(1)).max(64);
    (0..n).step_by(step).map(move |from| from..n.min(from + step))
}

/// Classes: one latent function for two of them (that of the second), else one for each.
pub struct ClassLikelihood {
    codes: Vec<usize>,
    weights: Vec<f64>,
    outputs: usize,
}

impl ClassLikelihood {
    /// `codes` are below `classes`, at least 2, and `weights` above 0.
    pub fn new(codes: Vec<usize>, weights: Vec<f64>, classes: usize) -> Self {
        ClassLikelihood { codes, weights, outputs: if classes == 2 { 1 } else { classes } }
    }

    /// +1 for rows of the second class, else -1.
    pub fn signs(&self) -> Vec<f64> {
        self.codes.iter().map(|&k| if k == 1 { 1.0 } else { -1.0 }).collect()
    }

    /// Codes of the rows' classes.
    pub fn codes(&self) -> &[usize] {
        &self.codes
    }

    /// Weights of the rows.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// 1 where a latent function is that of the row's class, else 0: outputs x N.
    pub fn indicators(&self) -> Matrix {
        let own = |output: usize| if self.outputs == 1 { 1 } else { output };
        Matrix::from_fn(self.outputs, self.codes.len(), |o, i| f64::from(u8::from(self.codes[i] == own(o))))
    }

    fn of_two(&self, f: &Matrix) -> Slopes {
        let n = self.codes.len();
        let (mut loss, mut residual, mut diagonal) = (0.0, Matrix::zeros(n, 1), Matrix::zeros(n, 1));
        for i in 0..n {
            let (w, second, f) = (self.weights[i], self.codes[i] == 1, f[(i, 0)]);
            loss += w * log1p_exp(if second { -f } else { f });
            residual[(i, 0)] = if second { w * sigmoid(-f) } else { -w * sigmoid(f) };
            diagonal[(i, 0)] = w * sigmoid(f) * sigmoid(-f);
        }
        Slopes { loss, residual, curvature: Curvature { diagonal, coupled: None } }
    }

    fn of_several(&self, f: &Matrix) -> Slopes {
        let (mut loss, mut residual, mut diagonal) = (0.0, f.clone(), f.clone());
        for (i, &k) in self.codes.iter().enumerate() {
            let w = self.weights[i];
            let row = diagonal.row_mut(i);
            loss += w * (softmax(row) - f[(i, k)]);
            row.iter_mut().for_each(|p| *p *= w);
            residual.row_mut(i).iter_mut().zip(diagonal.row(i)).for_each(|(r, d)| *r = -d);
            // w (1 - p_k) as the sum of the others, which keeps its digits where p_k is nearly 1.
            residual[(i, k)] = diagonal.row(i).iter().enumerate().filter(|(c, _)| *c != k).map(|(_, d)| d).sum();
        }
        Slopes { loss, residual, curvature: Curvature { diagonal, coupled: Some(self.weights.clone()) } }
    }
}

impl Likelihood for ClassLikelihood {
    fn outputs(&self) -> usize {
        self.outputs
    }
    fn at(&self, f: &Matrix) -> Slopes {
        if self.outputs == 1 { self.of_two(f) } else { self.of_several(f) }
    }
    /// w s (1 - s) (1 - 2 s).
    fn third(&self, f: &Matrix) -> Vec<f64> {
        self.weights.iter().zip(f.data()).map(|(w, f)| w * sigmoid(*f) * sigmoid(-f) * (sigmoid(-f) - sigmoid(*f))).collect()
    }
}

/// 1 / (1 + e^-f), exact at both ends.
pub fn sigmoid(f: f64) -> f64 {
    if f >= 0.0 { 1.0 / (1.0 + (-f).exp()) } else { f.exp() / (1.0 + f.exp()) }
}

/// log(1 + e^f) without overflow (S11).
pub fn log1p_exp(f: f64) -> f64 {
    f.max(0.0) + (-f.abs()).exp().ln_1p()
}

/// Latent values become probabilities e^f_c / sum; the log of that sum.
pub fn softmax(row: &mut [f64]) -> f64 {
    let most = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    row.iter_mut().for_each(|v| *v = (*v - most).exp());
    let sum: f64 = row.iter().sum();
    row.iter_mut().for_each(|v| *v /= sum);
    most + sum.ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    // spec: S11
    #[test]
    fn the_logistic_loss_neither_overflows_nor_loses_its_tail() {
        assert_eq!(log1p_exp(-1000.0), 0.0);
        assert_eq!(log1p_exp(1000.0), 1000.0);
        assert!((log1p_exp(-40.0) / (-40f64).exp() - 1.0).abs() < 1e-15);
        assert!((log1p_exp(0.0) - 2f64.ln()).abs() < 1e-16);
    }

    // W_aa = p_a (1 - p_a) and W_ab = -p_a p_b, with 1 - p_a as the sum of the others.
    #[test]
    fn curvature_keeps_its_digits_where_a_class_is_nearly_certain() {
        let likelihood = ClassLikelihood::new(vec![0, 0], vec![1.0, 2.0], 3);
        let f = Matrix::from_fn(2, 3, |i, o| if o == 0 { 42.0 } else { (i + o) as f64 });
        let curvature = likelihood.at(&f).curvature;
        let w = |i: usize, a: usize, b: usize| {
            let p: Vec<f64> = (0..3).map(|o| (f[(i, o)] - 42.0).exp() / (0..3).map(|k| (f[(i, k)] - 42.0).exp()).sum::<f64>()).collect();
            let others: f64 = (0..3).filter(|o| *o != a).map(|o| p[o]).sum();
            [1.0, 2.0][i] * p[a] * if a == b { others } else { -p[b] }
        };
        for b in 0..3 {
            let unit = Matrix::from_fn(2, 3, |_, o| f64::from(u8::from(o == b)));
            let (times, constants) = (curvature.times(&unit), curvature.of_constants());
            let mean = (0..3).map(|o| w(0, o, o) + w(1, o, o)).sum::<f64>() / 3.0;
            for a in 0..3 {
                (0..2).for_each(|i| assert!((times[(i, a)] / w(i, a, b) - 1.0).abs() < 1e-12));
                let whole = w(0, a, b) + w(1, a, b) + mean / 3.0;
                assert!((constants[(a, b)] / whole - 1.0).abs() < 1e-12, "{} and {whole}", constants[(a, b)]);
            }
        }
    }

    /// Slopes, curvature and third derivatives against differences.
    #[test]
    fn derivatives_of_the_losses_are_those_of_differences() {
        for classes in [2, 4] {
            let likelihood = ClassLikelihood::new(vec![0, 1, 1, classes - 1], vec![1.0, 0.5, 2.0, 3.0], classes);
            let outputs = likelihood.outputs();
            let f = Matrix::from_fn(4, outputs, |i, o| (1.7 * i as f64 + 0.9 * o as f64).sin() * 2.0);
            let here = likelihood.at(&f);
            for i in 0..4 {
                for o in 0..outputs {
                    let h = 1e-5;
                    let moved = |by: f64| {
                        let mut f = f.clone();
                        f[(i, o)] += by;
                        likelihood.at(&f)
                    };
                    let (up, down) = (moved(h), moved(-h));
                    let slope = (up.loss - down.loss) / (2.0 * h);
                    assert!((slope + here.residual[(i, o)]).abs() < 1e-8, "{slope} {}", here.residual[(i, o)]);
                    let mut unit = Matrix::zeros(4, outputs);
                    unit[(i, o)] = 1.0;
                    let column = here.curvature.times(&unit);
                    for c in 0..outputs {
                        let curvature = (down.residual[(i, c)] - up.residual[(i, c)]) / (2.0 * h);
                        assert!((curvature - column[(i, c)]).abs() < 1e-8, "{curvature} {}", column[(i, c)]);
                    }
                    if outputs == 1 {
                        let third = (up.curvature.diagonal[(i, 0)] - down.curvature.diagonal[(i, 0)]) / (2.0 * h);
                        assert!((third - likelihood.third(&f)[i]).abs() < 1e-8);
                    }
                }
            }
        }
    }
}
