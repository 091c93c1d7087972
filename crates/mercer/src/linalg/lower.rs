//! A lower triangular factor L: solves with many right sides, log determinant, the inverse of L L', and its stored form.
//!
//! Right sides come as rows, because a cross Gram matrix has them so: one row per new input.

use super::Matrix;
use super::symmetric::mirror_lower;
use crate::blocks;
use crate::control::Control;
use crate::error::{Error, Result};
use mercer_linalg::{Into, View, ViewMut, product, solve_lower, solve_upper};
use rayon::prelude::*;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Right sides that one thread solves together.
pub(super) const PANEL: usize = 128;

/// An N x N lower triangular matrix with a diagonal above 0. Stored as its N (N + 1) / 2 numbers, row after row.
#[derive(Clone, Debug)]
pub struct Lower {
    /// Only the lower triangle is read.
    square: Matrix,
}

impl Lower {
    /// A factor that stands in the lower triangle of a square matrix.
    pub(crate) fn from_square(square: Matrix) -> Self {
        Lower { square }
    }
    pub(crate) fn square(&self) -> &Matrix {
        &self.square
    }
    /// N.
    pub fn size(&self) -> usize {
        self.square.rows()
    }
    /// L as a square matrix, 0 above the diagonal.
    pub fn to_matrix(&self) -> Matrix {
        let n = self.size();
        Matrix::from_fn(n, n, |i, j| if j <= i { self.square[(i, j)] } else { 0.0 })
    }
    /// log det(L L').
    pub fn log_det(&self) -> f64 {
        2.0 * self.square.diagonal().iter().map(|d| d.ln()).sum::<f64>()
    }
    fn view(&self) -> View<'_, f64> {
        View::rows(self.square.data(), self.size(), self.size())
    }
    pub(crate) fn require_rows(&self, found: usize) -> Result<()> {
        Error::unless_equal("length of a right side", self.size(), found)
    }
    /// Every row b of `rows` (M x N) becomes L^-1 b.
    pub fn solve_rows(&self, rows: &mut Matrix) -> Result<()> {
        self.each_panel(rows, |panel| solve_lower(self.view(), panel))
    }
    /// Every row b of `rows` (M x N) becomes L'^-1 b.
    pub fn solve_transposed_rows(&self, rows: &mut Matrix) -> Result<()> {
        self.each_panel(rows, |panel| solve_upper(self.view().transpose(), panel))
    }
    fn each_panel(&self, rows: &mut Matrix, solve: impl Fn(ViewMut<'_, f64>) + Sync) -> Result<()> {
        let n = self.size();
        self.require_rows(rows.cols())?;
        if n > 0 {
            rows.data_mut().par_chunks_mut(PANEL * n).for_each(|panel| solve(ViewMut::columns(panel, n, panel.len() / n)));
        }
        Ok(())
    }

    /// (L^-1)', upper triangular: row j holds column j of L^-1.
    fn inverse_transposed(&self, control: &Control) -> Matrix {
        let n = self.size();
        let mut out = Matrix::unset(n, n, control);
        if n > 0 {
            // Panels differ in work: each thread takes the next one, the most work first.
            out.data_mut().chunks_mut(PANEL * n).enumerate().par_bridge().for_each(|(k, panel)| {
                let (start, width) = (k * PANEL, panel.len() / n);
                // Memory that is read before it is written to is handed out by the system twice.
                panel.fill(0.0);
                for j in 0..width {
                    panel[j * n + start + j] = 1.0;
                }
                // Above its first row a column of L^-1 is 0.
                let rows = n - start;
                let columns = ViewMut::columns(panel, n, width).part(start, 0, rows, width);
                solve_lower(self.view().part(start, start, rows, rows), columns);
            });
        }
        out
    }
    /// (L L')^-1, exactly symmetric, in the memory of L and one N x N work space.
    pub fn into_inverse(self, control: &Control) -> Matrix {
        let n = self.size();
        let u = self.inverse_transposed(control);
        let mut out = self.square;
        if n > 0 {
            let all = View::rows(u.data(), n, n);
            out.data_mut().chunks_mut(PANEL * n).enumerate().par_bridge().for_each(|(k, band)| {
                let (start, height) = (k * PANEL, band.len() / n);
                let (end, depth) = (start + height, n - start);
                let target = ViewMut::rows(band, height, n).part(0, 0, height, end);
                let left = all.part(start, start, height, depth);
                product(target, Into::Replace, left, all.part(0, start, end, depth).transpose(), 1.0);
            });
        }
        control.keep(u.into_data());
        mirror_lower(&mut out);
        out
    }
    /// The diagonal of (L L')^-1; one N x N work space.
    pub fn inverse_diagonal(&self, control: &Control) -> Vec<f64> {
        let u = self.inverse_transposed(control);
        let diagonal = (0..self.size()).map(|i| u.row(i)[i..].iter().map(|v| v * v).sum()).collect();
        control.keep(u.into_data());
        diagonal
    }
}

/// Two factors are equal when their lower triangles are.
impl PartialEq for Lower {
    fn eq(&self, other: &Self) -> bool {
        self.size() == other.size() && (0..self.size()).all(|i| self.square.row(i)[..=i] == other.square.row(i)[..=i])
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Packed {
    size: usize,
    #[serde(with = "blocks::f64s")]
    packed: Vec<f64>,
}

impl Serialize for Lower {
    fn serialize<S: Serializer>(&self, s: S) -> std::result::Result<S::Ok, S::Error> {
        let packed = (0..self.size()).flat_map(|i| self.square.row(i)[..=i].iter().copied()).collect();
        Packed { size: self.size(), packed }.serialize(s)
    }
}

impl<'de> Deserialize<'de> for Lower {
    fn deserialize<D: Deserializer<'de>>(d: D) -> std::result::Result<Self, D::Error> {
        let Packed { size, packed } = Packed::deserialize(d)?;
        let fault = |why: &str| serde::de::Error::custom(format!("triangular factor of size {size}: {why}"));
        // The numbers that are there bound what is allocated below.
        if size.checked_add(1).and_then(|m| m.checked_mul(size)).is_none_or(|twice| twice / 2 != packed.len()) {
            return Err(fault("the number of entries does not fit"));
        }
        let mut square = Matrix::zeros(size, size);
        let mut rest = packed.as_slice();
        for i in 0..size {
            let (row, after) = rest.split_at(i + 1);
            square.row_mut(i)[..=i].copy_from_slice(row);
            rest = after;
            if row.iter().any(|v| !v.is_finite()) || row[i] <= 0.0 {
                return Err(fault("an entry is not finite or a pivot is not above 0"));
            }
        }
        Ok(Lower { square })
    }
}
