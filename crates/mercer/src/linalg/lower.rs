//! A lower triangular factor L that is kept for later: its N (N + 1) / 2 numbers row after row, in memory as in a model file.

use super::Matrix;
use super::triangle::Triangle;
use crate::blocks;
use crate::control::Control;
use crate::error::{Error, Result};
use serde::{Deserialize, Deserializer, Serialize};

/// An N x N lower triangular matrix with a diagonal above 0. Stored as its N (N + 1) / 2 numbers, row after row.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Lower {
    size: usize,
    #[serde(with = "blocks::f64s")]
    packed: Vec<f64>,
}

impl Lower {
    /// A factor that stands in the lower triangle of a square matrix, in the memory of that matrix; half of it is given back.
    pub(crate) fn from_square(square: Matrix) -> Self {
        let size = square.rows();
        let mut packed = square.into_data();
        let mut end = 0;
        for i in 0..size {
            // Rows only move towards the start, past rows that have moved already.
            packed.copy_within(i * size..i * size + i + 1, end);
            end += i + 1;
        }
        packed.truncate(end);
        packed.shrink_to_fit();
        Lower { size, packed }
    }
    /// A factor that another program has computed, in the lower triangle of a square matrix.
    ///
    /// # Errors
    /// A matrix that is not square; a number that is not finite; a pivot that is not above 0.
    pub(crate) fn of_factor(square: Matrix) -> Result<Self> {
        Error::unless_equal("columns of a triangular factor", square.rows(), square.cols())?;
        let lower = Lower::from_square(square);
        match lower.is_factor() {
            true => Ok(lower),
            false => Err(Error::Data("a triangular factor holds a number that is not finite or a pivot that is not above 0".into())),
        }
    }

    /// Whether every number is finite and every pivot above 0.
    fn is_factor(&self) -> bool {
        self.packed.iter().all(|v| v.is_finite()) && (0..self.size).all(|i| self.packed[i * (i + 1) / 2 + i] > 0.0)
    }

    /// N.
    pub fn size(&self) -> usize {
        self.size
    }
    /// L as a square matrix, 0 above the diagonal.
    pub fn to_matrix(&self) -> Matrix {
        Matrix::from_fn(self.size, self.size, |i, j| if j <= i { self.packed[i * (i + 1) / 2 + j] } else { 0.0 })
    }
    /// Every row b of `rows` (M x N) becomes L^-1 b.
    ///
    /// An error if the sizes do not fit, or on request of `control`.
    pub fn solve_rows(&self, rows: &mut Matrix, control: &Control) -> Result<()> {
        Error::unless_equal("length of a right side", self.size, rows.cols())?;
        Triangle::Packed(&self.packed).solve(self.size, rows.data_mut(), false, control)
    }
    /// Every row b of `rows` (M x N) becomes L'^-1 b; errors as of [`Lower::solve_rows`].
    pub fn solve_transposed_rows(&self, rows: &mut Matrix, control: &Control) -> Result<()> {
        Error::unless_equal("length of a right side", self.size, rows.cols())?;
        Triangle::Packed(&self.packed).solve(self.size, rows.data_mut(), true, control)
    }
}

impl<'de> Deserialize<'de> for Lower {
    fn deserialize<D: Deserializer<'de>>(d: D) -> std::result::Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Stored {
            size: usize,
            #[serde(with = "blocks::f64s")]
            packed: Vec<f64>,
        }
        let Stored { size, packed } = Stored::deserialize(d)?;
        let fault = |why: &str| serde::de::Error::custom(format!("triangular factor of size {size}: {why}"));
        if size.checked_add(1).and_then(|m| m.checked_mul(size)).is_none_or(|twice| twice / 2 != packed.len()) {
            return Err(fault("the number of entries does not fit"));
        }
        let lower = Lower { size, packed };
        if lower.is_factor() { Ok(lower) } else { Err(fault("an entry is not finite or a pivot is not above 0")) }
    }
}
