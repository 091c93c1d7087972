//! A = Q T Q' with T tridiagonal, by Householder reflections H = I - tau v v' in panels (Golub & Van Loan, Matrix
//! Computations, 8.3.1; Dongarra, Hammarling & Sorensen 1989, Block reduction of matrices to condensed forms).
//!
//! A panel of reflections is found from A as it was before the panel and from what they changed, A - V W' - W V'; then A takes
//! that change at once. Of A what stands above the diagonal and on it counts. The vectors stay in the rows of A, to turn eigenvectors of T
//! into those of A.

use super::Matrix;
use super::simd::{axpy, dot};
use super::symmetric::add_of_rows;
use crate::control::Control;
use crate::error::Result;
use mercer_linalg::{Into, View, ViewMut, product};
use rayon::prelude::*;

/// Reflections in a panel.
const PANEL: usize = 32;
/// Rows that one thread takes together.
const BAND: usize = 64;
/// Why a computation was asked to stop.
const WHAT: &str = "eigenvalues";

/// T and the reflections.
pub(super) struct Tridiagonal {
    /// The diagonal of T.
    pub(super) diagonal: Vec<f64>,
    /// What stands beside it.
    pub(super) beside: Vec<f64>,
    /// Row j holds the vector of reflection j, which begins with a 1 at column j + 1; before it are zeros.
    vectors: Matrix,
    tau: Vec<f64>,
}

/// x - factor y.
fn subtract(x: &mut [f64], factor: f64, y: &[f64]) {
    axpy(-factor, y, x);
}

/// Turns x into v with v_0 = 1 and (I - tau v v') x = (beta, 0, ..): beta and tau.
fn reflection(x: &mut [f64]) -> (f64, f64) {
    let first = x[0];
    // Scaled, so that no square overflows or vanishes.
    let largest = x[1..].iter().fold(0.0f64, |m, v| m.max(v.abs()));
    if largest == 0.0 {
        x[0] = 1.0;
        return (first, 0.0);
    }
    let scale = largest.max(first.abs());
    let norm = scale * x.iter().map(|v| (v / scale).powi(2)).sum::<f64>().sqrt();
    let beta = if first > 0.0 { -norm } else { norm };
    let by = first - beta;
    x[1..].iter_mut().for_each(|v| *v /= by);
    x[0] = 1.0;
    (beta, (beta - first) / beta)
}

impl Tridiagonal {
    /// Reduces a symmetric matrix, in its memory.
    pub(super) fn of(mut a: Matrix, control: &Control) -> Result<Self> {
        let n = a.rows();
        let (mut diagonal, mut beside, mut tau) = (vec![0.0; n], vec![0.0; n.saturating_sub(1)], vec![0.0; n.saturating_sub(1)]);
        // Rows: what the reflections of the panel are and what A changes by.
        let (mut v, mut w) = (Matrix::zeros(PANEL, n), Matrix::zeros(PANEL, n));
        let (mut product_of, mut parts) = (vec![0.0; n], vec![0.0; n * n.div_ceil(BAND)]);
        for start in (0..n).step_by(PANEL) {
            let size = PANEL.min(n - start);
            for k in 0..size {
                control.check_time(WHAT)?;
                let j = start + k;
                // Row j of A as the reflections before it left it; A is symmetric.
                let row = &mut a.row_mut(j)[j..];
                for l in 0..k {
                    subtract(row, w[(l, j)], &v.row(l)[j..]);
                    subtract(row, v[(l, j)], &w.row(l)[j..]);
                }
                diagonal[j] = row[0];
                if j + 1 == n {
                    break;
                }
                (beside[j], tau[j]) = reflection(&mut row[1..]);
                v.row_mut(k)[..=j].fill(0.0);
                v.row_mut(k)[j + 1..].copy_from_slice(&row[1..]);
                a.row_mut(j)[..=j].fill(0.0);
                let own = &v.row(k)[j + 1..];
                let p = &mut product_of[j + 1..];
                multiply(&a, j + 1, own, &mut parts, p);
                for l in 0..k {
                    let (vl, wl) = (&v.row(l)[j + 1..], &w.row(l)[j + 1..]);
                    let (by_w, by_v) = (dot(wl, own), dot(vl, own));
                    subtract(p, by_w, vl);
                    subtract(p, by_v, wl);
                }
                p.iter_mut().for_each(|p| *p *= tau[j]);
                let half = 0.5 * tau[j] * dot(p, own);
                subtract(p, half, own);
                w.row_mut(k)[..=j].fill(0.0);
                w.row_mut(k)[j + 1..].copy_from_slice(p);
            }
            update(&mut a, start + size, &v, &w);
        }
        Ok(Tridiagonal { diagonal, beside, vectors: a, tau })
    }

    /// Every row u of `rows`, an eigenvector of T, becomes Q u.
    pub(super) fn turn(&self, rows: &mut Matrix, control: &Control) -> Result<()> {
        let n = self.diagonal.len();
        let starts: Vec<usize> = (0..n.saturating_sub(1)).step_by(PANEL).collect();
        let panels: Vec<(usize, usize, Matrix)> = starts.iter().rev().map(|&start| self.panel(start)).collect();
        rows.data_mut().par_chunks_mut((BAND * n).max(1)).try_for_each(|band| {
            let height = band.len() / n;
            let mut whole = ViewMut::rows(band, height, n);
            for (start, size, t) in &panels {
                control.check_time(WHAT)?;
                let (first, width) = (start + 1, n - start - 1);
                let v = View::rows(self.vectors.data(), n, n).part(*start, first, *size, width);
                let (mut along, mut by) = (vec![0.0; height * size], vec![0.0; height * size]);
                product(
                    ViewMut::rows(&mut along, height, *size),
                    Into::Replace,
                    whole.read().part(0, first, height, width),
                    v.transpose(),
                    1.0,
                );
                let t = View::rows(t.data(), *size, *size);
                product(ViewMut::rows(&mut by, height, *size), Into::Replace, View::rows(&along, height, *size), t.transpose(), 1.0);
                product(whole.reborrow().part(0, first, height, width), Into::Add, View::rows(&by, height, *size), v, -1.0);
            }
            Ok(())
        })
    }

    /// Where a panel starts, its size, and the upper triangular T with H_start H_(start + 1) .. = I - V' T V for its rows V.
    fn panel(&self, start: usize) -> (usize, usize, Matrix) {
        let size = PANEL.min(self.tau.len() - start);
        let mut t = Matrix::zeros(size, size);
        for k in 0..size {
            let tau = self.tau[start + k];
            let own = self.vectors.row(start + k);
            let before: Vec<f64> = (0..k).map(|l| dot(&self.vectors.row(start + l)[start + k + 1..], &own[start + k + 1..])).collect();
            for i in 0..k {
                t[(i, k)] = -tau * (i..k).map(|l| t[(i, l)] * before[l]).sum::<f64>();
            }
            t[(k, k)] = tau;
        }
        (start, size, t)
    }
}

/// out = A[first.., first..] x from what stands above the diagonal and on it; `parts` has room for what each band of rows adds.
fn multiply(a: &Matrix, first: usize, x: &[f64], parts: &mut [f64], out: &mut [f64]) {
    let (n, width) = (a.cols(), x.len());
    let bands = width.div_ceil(BAND);
    let parts = &mut parts[..bands * n];
    parts.par_chunks_mut(n).enumerate().for_each(|(k, part)| {
        let rows = k * BAND..width.min((k + 1) * BAND);
        let part = &mut part[..width - rows.start];
        part.fill(0.0);
        part.iter_mut().zip(rows.clone()).for_each(|(p, i)| *p = a[(first + i, first + i)] * x[i]);
        add_of_rows(a, first, rows, x, part);
    });
    out.fill(0.0);
    for (k, part) in parts.chunks_exact(n).enumerate() {
        axpy(1.0, &part[..width - k * BAND], &mut out[k * BAND..]);
    }
}

/// A[first.., first..] -= V'W + W'V, above the diagonal and on it.
fn update(a: &mut Matrix, first: usize, v: &Matrix, w: &Matrix) {
    let n = a.cols();
    let (size, width) = (v.rows(), n - first);
    if width == 0 {
        return;
    }
    let [v, w] = [v, w].map(|m| View::rows(m.data(), size, n).part(0, first, size, width));
    a.data_mut()[first * n..].par_chunks_mut(BAND * n).enumerate().for_each(|(k, band)| {
        let (height, from) = (band.len() / n, k * BAND);
        let [left, right] = [v, w].map(|m| (m.part(0, from, size, height).transpose(), m.part(0, from, size, width - from)));
        let mut out = ViewMut::rows(band, height, n).part(0, first + from, height, width - from);
        product(out.reborrow(), Into::Add, left.0, right.1, -1.0);
        product(out, Into::Add, right.0, left.1, -1.0);
    });
}
