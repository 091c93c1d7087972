//! The curvature W of losses of several outputs: for each row diag(D) where outputs are independent, and diag(D) - D D'/w where a softmax
//! couples them.

use crate::control::Control;
use crate::error::Result;
use crate::gram::{Level, dispatch, level};
use crate::linalg::{Cholesky, Matrix, product_transposed_within};
use crate::solve::likelihood::Curvature;

/// W.
pub(super) struct Bends<'a> {
    /// D, C x N.
    pub(super) d: Matrix,
    /// w, where the outputs of a row are coupled.
    pub(super) weights: Option<&'a [f64]>,
}

impl Bends<'_> {
    /// The second derivatives of each row by outputs c and e; `None` where they are all 0.
    pub(super) fn between(&self, c: usize, e: usize) -> Option<Vec<f64>> {
        let rows = self.d.row(c).iter().zip(self.d.row(e));
        match self.weights {
            Some(w) if c == e => Some(rows.zip(w).map(|((d, _), w)| own(*d, *w)).collect()),
            Some(w) => Some(rows.zip(w).map(|((d, other), w)| -d * other / w).collect()),
            None => (c == e).then(|| self.d.row(c).to_vec()),
        }
    }

    /// For each column of X (one a row) what no eigenvalue of its own block of X W X' exceeds.
    pub(super) fn bounds(&self, x: &Matrix, control: &Control) -> Result<Vec<f64>> {
        let squares = Matrix::from_fn(x.rows(), x.cols(), |j, i| x[(j, i)].powi(2));
        let most = |m: Matrix| -> Vec<f64> { (0..m.rows()).map(|j| m.row(j).iter().fold(0.0f64, |most, v| most.max(*v))).collect() };
        let mut bounds = most(product_transposed_within(&squares, &self.d, control)?);
        if let Some(w) = self.weights {
            // Sums of the sizes along a row of D - D D'/w.
            let sizes = Matrix::from_fn(self.d.rows(), self.d.cols(), |c, i| 2.0 * own(self.d[(c, i)], w[i]));
            let others = most(product_transposed_within(&squares, &sizes, control)?);
            bounds.iter_mut().zip(others).for_each(|(bound, other)| *bound = bound.min(other));
        }
        Ok(bounds)
    }

    /// The block of the constants, factorised.
    pub(super) fn of_constants(&self, control: &Control) -> Result<Cholesky> {
        let coupled = self.weights.map(<[f64]>::to_vec);
        Cholesky::new(Curvature { diagonal: self.d.transpose(), coupled }.of_constants(), control)
    }

    /// R -= W F for F = by x', C x N.
    pub(super) fn subtract(&self, x: &[f64], by: &[f64], r: &mut Matrix) {
        subtract_image(self.d.data(), self.weights, x, by, r.data_mut());
    }

    /// W F.
    pub(super) fn image(&self, f: &Matrix) -> Matrix {
        let mut out = f.clone();
        let n = f.cols().max(1);
        let mut means = vec![0.0; if self.weights.is_some() { n } else { 0 }];
        if let Some(w) = self.weights {
            for (d, f) in self.d.data().chunks_exact(n).zip(f.data().chunks_exact(n)) {
                means.iter_mut().zip(d).zip(f).for_each(|((m, d), f)| *m += d * f);
            }
            means.iter_mut().zip(w).for_each(|(m, w)| *m /= w);
        }
        for (d, out) in self.d.data().chunks_exact(n).zip(out.data_mut().chunks_exact_mut(n)) {
            match self.weights {
                Some(_) => out.iter_mut().zip(d).zip(&means).for_each(|((v, d), m)| *v = d * (*v - m)),
                None => out.iter_mut().zip(d).for_each(|(v, d)| *v *= d),
            }
        }
        out
    }
}

/// D - D^2 / w.
fn own(d: f64, w: f64) -> f64 {
    d * (1.0 - d / w).max(0.0)
}

dispatch! {
    /// R -= W F for F = by x', D and R one output after the other.
    subtract_image, subtract_body, <>, (d: &[f64], weights: Option<&[f64]>, x: &[f64], by: &[f64], r: &mut [f64]) -> (), operations: 2 * r.len() * by.len().max(1)
}

#[inline(always)]
fn subtract_body<const FMA: bool>(d: &[f64], weights: Option<&[f64]>, x: &[f64], by: &[f64], r: &mut [f64]) {
    let n = x.len().max(1);
    // x_i (D_i'by) / w_i.
    let mut means = vec![0.0; x.len()];
    if let Some(w) = weights {
        for (d, by) in d.chunks_exact(n).zip(by) {
            for (m, d) in means.iter_mut().zip(d) {
                *m += d * by;
            }
        }
        for ((m, x), w) in means.iter_mut().zip(x).zip(w) {
            *m *= x / w;
        }
    }
    for ((d, r), by) in d.chunks_exact(n).zip(r.chunks_exact_mut(n)).zip(by) {
        for (((r, d), x), m) in r.iter_mut().zip(d).zip(x).zip(&means) {
            *r -= d * (by * x - m);
        }
    }
}
