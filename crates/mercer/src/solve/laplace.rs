//! Laplace's approximation around a mode: the evidence, its derivatives, and what a prediction's variance needs
//! (Rasmussen & Williams 2006, 3.4, 3.5, 5.5.1; algorithms 3.1 to 3.3 and 5.1).
//!
//! With W = D, or D - D R w^-1 R'D where the latent functions of a row are coupled (R adds over them), B_c = I + D_c^1/2 S D_c^1/2 and
//! E_c = D_c^1/2 B_c^-1 D_c^1/2,
//! ```text
//! -log q = P + 1/2 log |I + S W|,     |I + S W| = prod_c |B_c|  ( |F| / prod_i w_i,  F = sum_c E_c, where coupled ),
//! (S + W^-1)^-1 = E  ( - E R F^-1 R'E ) =: V,     posterior covariance S - S V S.
//! ```
//! Its derivative by S holds what the mode itself moves: with t = 1/2 d log |I + S W| / d f and u = (I - V S) t, less what the
//! constants take up, V H (H'V H)^-1 H'u,
//! ```text
//! d(-log q) / dS = 1/2 sum_c ( V_cc - alpha_c alpha_c' + u_c alpha_c' + alpha_c u_c' ).
//! ```

use super::likelihood::Likelihood;
use super::mode::Mode;
use crate::control::Control;
use crate::error::Result;
use crate::linalg::{Cholesky, Lower, Matrix, gramian_within, product_within, transposed_product_within};
use rayon::prelude::*;

/// -log q and its derivative by S.
pub struct Evidence {
    /// -log q.
    pub value: f64,
    /// d value / d S_ij, symmetric.
    pub weights: Matrix,
}

/// The factors that variances of new latent values are made of.
pub struct Posterior {
    /// D^1/2, N x outputs.
    pub root: Matrix,
    /// Cholesky factors of B_c.
    pub each: Vec<Lower>,
    /// The Cholesky factor of F, where latent functions are coupled.
    pub joint: Option<Lower>,
    /// -log q.
    pub value: f64,
}

/// D_c^1/2 of one latent function.
fn root(mode: &Mode, c: usize) -> Vec<f64> {
    mode.curvature.diagonal.col(c).into_iter().map(f64::sqrt).collect()
}

/// Every entry multiplied by the numbers of its row and of its column.
fn scale(matrix: &mut Matrix, by: &[f64]) {
    matrix.data_mut().par_chunks_mut(by.len().max(1)).zip(by).for_each(|(row, own)| {
        row.iter_mut().zip(by).for_each(|(v, other)| *v *= own * other);
    });
}

/// to += sign from.
pub(super) fn add(to: &mut Matrix, sign: f64, from: &Matrix) {
    to.data_mut().par_iter_mut().zip(from.data()).for_each(|(t, f)| *t += sign * f);
}

/// I + R S R for a diagonal R.
pub(super) fn within_roots(s: &Matrix, root: &[f64], control: &Control) -> Matrix {
    let mut b = Matrix::unset(s.rows(), s.cols(), control);
    b.data_mut().par_chunks_mut(root.len().max(1)).enumerate().for_each(|(i, row)| {
        row.iter_mut().zip(s.row(i)).zip(root).for_each(|((b, s), other)| *b = root[i] * s * other);
        row[i] += 1.0;
    });
    b
}

/// B_c, factorised.
fn factor(s: &Matrix, root: &[f64], control: &Control) -> Result<Cholesky> {
    Cholesky::new(within_roots(s, root, control), control)
}

/// log w_i, summed, where latent functions are coupled.
fn log_weights(mode: &Mode) -> f64 {
    mode.curvature.coupled.as_ref().map_or(0.0, |w| w.iter().map(|w| w.ln()).sum())
}

/// The factors at a mode under the prior covariance S (N x N).
///
/// # Errors
/// Memory, or a request of `control`; numbers that break down.
pub fn posterior(s: &Matrix, mode: &Mode, control: &Control) -> Result<Posterior> {
    let (n, outputs) = (s.rows(), mode.alpha.cols());
    let coupled = mode.curvature.coupled.is_some();
    control.plan("the posterior of latent functions", 8 * (n as u64).pow(2) * (outputs as u64 / 2 + if coupled { 4 } else { 2 }))?;
    let (mut each, mut log_det, mut sum) = (Vec::new(), 0.0, None);
    for c in 0..outputs {
        let root = root(mode, c);
        let b = factor(s, &root, control)?;
        log_det += b.log_det();
        if coupled {
            each.push(b.clone().into_lower());
            let mut e = b.into_inverse(control)?;
            scale(&mut e, &root);
            match &mut sum {
                None => sum = Some(e),
                Some(sum) => add(sum, 1.0, &e),
            }
        } else {
            each.push(b.into_lower());
        }
    }
    let joint = sum.map(|f| Cholesky::new(f, control)).transpose()?;
    log_det += joint.as_ref().map_or(0.0, Cholesky::log_det) - log_weights(mode);
    let mut root = mode.curvature.diagonal.clone();
    root.data_mut().iter_mut().for_each(|d| *d = d.sqrt());
    Ok(Posterior { root, each, joint: joint.map(Cholesky::into_lower), value: mode.objective + 0.5 * log_det })
}

/// The evidence at a mode under the prior covariance S (N x N) and its derivative.
///
/// # Errors
/// As [`posterior`].
pub fn evidence(s: &Matrix, mode: &Mode, likelihood: &dyn Likelihood, constants: bool, control: &Control) -> Result<Evidence> {
    let (n, outputs) = (s.rows() as u64, mode.alpha.cols() as u64);
    let matrices = if mode.curvature.coupled.is_some() { outputs + 5 } else { 2 };
    control.plan("the evidence and its gradient", 8 * n.pow(2) * matrices)?;
    if mode.curvature.coupled.is_some() { of_coupled(s, mode, constants, control) } else { of_one(s, mode, likelihood, constants, control) }
}

/// One latent function.
fn of_one(s: &Matrix, mode: &Mode, likelihood: &dyn Likelihood, constants: bool, control: &Control) -> Result<Evidence> {
    let root = root(mode, 0);
    let b = factor(s, &root, control)?;
    let value = mode.objective + 0.5 * b.log_det();
    let mut v = b.into_inverse(control)?;
    // The posterior variance is (1 - [B^-1]_ii) / D_i, or the prior's where nothing is learnt.
    let t = likelihood.third(&mode.latent).into_iter().zip(&root).enumerate().map(|(i, (third, root))| {
        let variance = if *root > 0.0 { (1.0 - v[(i, i)]) / (root * root) } else { s[(i, i)] };
        0.5 * third * variance
    });
    let t = Matrix::column(t.collect());
    scale(&mut v, &root);
    let prior = |x: &Matrix| product_within(s, x, control);
    let times = |x: &Matrix| product_within(&v, x, control);
    let u = moved(&t, &prior, &times, constants, control)?;
    add_moves(&mut v, mode, &u);
    Ok(Evidence { value, weights: v })
}

/// Products with a matrix that need not be there.
type Times<'a> = &'a dyn Fn(&Matrix) -> Result<Matrix>;

/// (I - V S) t less what the constants take up; `prior` multiplies by S, `times` by V.
pub(super) fn moved(t: &Matrix, prior: Times<'_>, times: Times<'_>, constants: bool, control: &Control) -> Result<Matrix> {
    let mut u = t.clone();
    add(&mut u, -1.0, &times(&prior(t)?)?);
    if constants {
        let (n, outputs) = (t.rows(), t.cols());
        // V H, one constant at a time, and H'V H with what is common to all constants made definite.
        let images: Vec<Matrix> =
            (0..outputs).map(|a| times(&Matrix::from_fn(n, outputs, |_, o| if o == a { 1.0 } else { 0.0 }))).collect::<Result<_>>()?;
        let sum = |m: &Matrix, o: usize| (0..n).map(|i| m[(i, o)]).sum::<f64>();
        let mut among = Matrix::from_fn(outputs, outputs, |a, b| sum(&images[a], b));
        if outputs > 1 {
            let mean = among.diagonal().iter().sum::<f64>() / outputs as f64;
            among.data_mut().iter_mut().for_each(|v| *v += mean / outputs as f64);
        }
        let right = Matrix::column((0..outputs).map(|o| sum(&u, o)).collect());
        let taken = Cholesky::new(among, control)?.solve(&right, control)?;
        images.iter().zip(taken.data()).for_each(|(image, by)| add(&mut u, -by, image));
    }
    Ok(u)
}

/// sum_c V_cc becomes the whole derivative.
fn add_moves(v: &mut Matrix, mode: &Mode, u: &Matrix) {
    let n = v.rows();
    let moves: Vec<(Vec<f64>, Vec<f64>)> = (0..u.cols()).map(|c| (mode.alpha.col(c), u.col(c))).collect();
    v.data_mut().par_chunks_mut(n.max(1)).enumerate().for_each(|(i, row)| {
        for (alpha, u) in &moves {
            let (ai, ui) = (alpha[i], u[i]);
            row.iter_mut().zip(alpha).zip(u).for_each(|((v, aj), uj)| *v += (ui * aj + ai * uj) - ai * aj);
        }
        row.iter_mut().for_each(|v| *v *= 0.5);
    });
}

/// Several latent functions, coupled by a softmax. With F = M M', X_c = E_c M'^-1 and Y_c = D_c M'^-1 - X_c the posterior covariance
/// of functions a and b is, multiplied by D_a and D_b, [a = b] D (I - B^-1) + Y_a Y_b'.
fn of_coupled(s: &Matrix, mode: &Mode, constants: bool, control: &Control) -> Result<Evidence> {
    let (n, outputs) = (s.rows(), mode.alpha.cols());
    let weights = mode.curvature.coupled.as_deref().unwrap_or_default();
    let d = &mode.curvature.diagonal;
    let (mut log_det, mut each, mut sum) = (-log_weights(mode), Vec::new(), Matrix::zeros(n, n));
    // 1 - [B_c^-1]_ii.
    let mut learnt = Matrix::zeros(n, outputs);
    for c in 0..outputs {
        let root = root(mode, c);
        let b = factor(s, &root, control)?;
        log_det += b.log_det();
        let mut e = b.into_inverse(control)?;
        (0..n).for_each(|i| learnt[(i, c)] = 1.0 - e[(i, i)]);
        scale(&mut e, &root);
        add(&mut sum, 1.0, &e);
        each.push(e);
    }
    let joint = Cholesky::new(sum.clone(), control)?;
    log_det += joint.log_det();
    let mut inverse = Matrix::from_fn(n, n, |i, j| if i == j { 1.0 } else { 0.0 });
    joint.solve_rows(&mut inverse, control)?;
    for e in &mut each {
        joint.solve_rows(e, control)?;
    }
    let t = turns(&each, &inverse, d, weights, &learnt);
    drop(inverse);
    // E_c v = X_c M'v and M'v = M^-1 F v.
    let times = |x: &Matrix| -> Result<Matrix> {
        let turned = joint.solve_lower(&joint.multiply(x)?, control)?;
        let mut total = Matrix::zeros(n, 1);
        for (c, e) in each.iter().enumerate() {
            let column = Matrix::column(x.col(c));
            // R'E v in the coordinates of M: X_c'v.
            add(&mut total, 1.0, &transposed_product_within(e, &column, control)?);
        }
        let mut out = Matrix::zeros(n, outputs);
        for (c, e) in each.iter().enumerate() {
            let mut own = Matrix::column(turned.col(c));
            add(&mut own, -1.0, &total);
            let image = product_within(e, &own, control)?;
            (0..n).for_each(|i| out[(i, c)] = image[(i, 0)]);
        }
        Ok(out)
    };
    let prior = |x: &Matrix| product_within(s, x, control);
    let u = moved(&t, &prior, &times, constants, control)?;
    for e in &each {
        add(&mut sum, -1.0, &gramian_within(e, control)?);
    }
    add_moves(&mut sum, mode, &u);
    Ok(Evidence { value: mode.objective + 0.5 * log_det, weights: sum })
}

/// t = 1/2 d log |I + S W| / d f of one row: half the trace of its posterior covariance times the derivatives of its block of W. With
/// q_c = p_c Cov_cc, v_c = p_c (Cov p)_c and D = w p it is w (q_c - p_c sum q - 2 (v_c - p_c sum v)) / 2.
pub(super) fn turn(w: f64, d: &[f64], q: &[f64], v: &[f64]) -> Vec<f64> {
    let (all_q, all_v) = (q.iter().sum::<f64>(), v.iter().sum::<f64>());
    let of = |((d, q), v): ((&f64, &f64), &f64)| 0.5 * w * (q - d / w * all_q - 2.0 * (v - d / w * all_v));
    d.iter().zip(q).zip(v).map(of).collect()
}

/// Half the derivative of log |I + S W| by the latent values, one row of outputs for each row.
fn turns(each: &[Matrix], inverse: &Matrix, d: &Matrix, weights: &[f64], learnt: &Matrix) -> Matrix {
    let (n, outputs) = (d.rows(), d.cols());
    let rows: Vec<Vec<f64>> = (0..n)
        .into_par_iter()
        .map(|i| {
            let w = weights[i];
            let y = |c: usize, k: usize| d[(i, c)] * inverse[(i, k)] - each[c][(i, k)];
            let total: Vec<f64> = (0..n).map(|k| (0..outputs).map(|c| y(c, k)).sum()).collect();
            let (mut q, mut v) = (vec![0.0; outputs], vec![0.0; outputs]);
            for c in 0..outputs {
                let p = d[(i, c)] / w;
                let (mut square, mut with) = (0.0, 0.0);
                for (k, total) in total.iter().enumerate() {
                    let own = y(c, k);
                    square += own * own;
                    with += own * total;
                }
                q[c] = learnt[(i, c)] / w + if p > 0.0 { square / (w * w * p) } else { 0.0 };
                v[c] = p * learnt[(i, c)] / w + with / (w * w);
            }
            turn(w, d.row(i), &q, &v)
        })
        .collect();
    Matrix::new(n, outputs, rows.concat()).unwrap_or_default()
}
