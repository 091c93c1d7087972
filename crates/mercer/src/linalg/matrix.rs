//! A dense matrix of f64, row after row in one contiguous `Vec`.

use crate::blocks;
use crate::control::Control;
use crate::error::{Error, Result};
use serde::{Deserialize, Deserializer, Serialize};

/// `rows` x `cols` numbers, row-major.
#[derive(Debug, Default, PartialEq, Serialize)]
pub struct Matrix {
    rows: usize,
    cols: usize,
    #[serde(with = "blocks::f64s")]
    data: Vec<f64>,
}

/// Large copies on large pages, as [`Matrix::zeros`]: with small ones their first writing costs several times the copying.
impl Clone for Matrix {
    fn clone(&self) -> Self {
        let mut data = Vec::with_capacity(self.data.len());
        super::prefer_large_pages(data.spare_capacity_mut());
        data.extend_from_slice(&self.data);
        Matrix { rows: self.rows, cols: self.cols, data }
    }
}

/// A stored matrix is checked like a new one.
impl<'de> Deserialize<'de> for Matrix {
    fn deserialize<D: Deserializer<'de>>(d: D) -> std::result::Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Stored {
            rows: usize,
            cols: usize,
            #[serde(with = "blocks::f64s")]
            data: Vec<f64>,
        }
        let s = Stored::deserialize(d)?;
        if let Some(x) = s.data.iter().find(|x| !x.is_finite()) {
            return Err(serde::de::Error::custom(format!("a stored matrix holds {x}")));
        }
        Matrix::new(s.rows, s.cols, s.data).map_err(serde::de::Error::custom)
    }
}

impl Matrix {
    /// A matrix from its numbers, row after row.
    pub fn new(rows: usize, cols: usize, data: Vec<f64>) -> Result<Self> {
        if rows.checked_mul(cols) != Some(data.len()) {
            return Err(Error::Shape {
                what: format!("numbers of a {rows} x {cols} matrix"),
                expected: rows.saturating_mul(cols),
                found: data.len(),
            });
        }
        Ok(Matrix { rows, cols, data })
    }
    /// All zeros; large ones on large pages where the system has them.
    pub fn zeros(rows: usize, cols: usize) -> Self {
        let mut data = vec![0.0; rows * cols];
        super::prefer_large_pages(&mut data);
        Matrix { rows, cols, data }
    }
    /// Numbers to be written over, in memory that `control` kept where there is some.
    pub(crate) fn unset(rows: usize, cols: usize, control: &Control) -> Self {
        match control.kept(rows * cols) {
            Some(data) => Matrix { rows, cols, data },
            None => Matrix::zeros(rows, cols),
        }
    }
    /// One column.
    pub fn column(data: Vec<f64>) -> Self {
        Matrix { rows: data.len(), cols: 1, data }
    }
    /// Every entry from its place.
    pub fn from_fn(rows: usize, cols: usize, mut f: impl FnMut(usize, usize) -> f64) -> Self {
        let mut data = Vec::with_capacity(rows * cols);
        for i in 0..rows {
            for j in 0..cols {
                data.push(f(i, j));
            }
        }
        Matrix { rows, cols, data }
    }
    /// Rows.
    pub fn rows(&self) -> usize {
        self.rows
    }
    /// Columns.
    pub fn cols(&self) -> usize {
        self.cols
    }
    /// All numbers, row after row.
    pub fn data(&self) -> &[f64] {
        &self.data
    }
    /// All numbers, row after row.
    pub fn data_mut(&mut self) -> &mut [f64] {
        &mut self.data
    }
    /// The numbers, given up.
    pub fn into_data(self) -> Vec<f64> {
        self.data
    }
    /// Row i.
    pub fn row(&self, i: usize) -> &[f64] {
        &self.data[i * self.cols..(i + 1) * self.cols]
    }
    /// Row i.
    pub fn row_mut(&mut self, i: usize) -> &mut [f64] {
        &mut self.data[i * self.cols..(i + 1) * self.cols]
    }
    /// Column j, copied.
    pub fn col(&self, j: usize) -> Vec<f64> {
        (0..self.rows).map(|i| self[(i, j)]).collect()
    }
    /// Puts further rows of as many columns below.
    pub(crate) fn append_rows(&mut self, more: Matrix) {
        self.rows += more.rows;
        self.data.extend(more.data);
    }
    /// Keeps the first rows.
    pub(crate) fn truncate_rows(&mut self, rows: usize) {
        self.data.truncate(rows * self.cols);
        self.rows = self.rows.min(rows);
    }
    /// The root of the sum of squares of all entries.
    pub(crate) fn norm(&self) -> f64 {
        self.data.iter().map(|v| v * v).sum::<f64>().sqrt()
    }
    /// Some rows, in order.
    ///
    /// # Panics
    /// A row that there is not.
    pub fn select_rows(&self, rows: &[usize]) -> Matrix {
        let mut data = Vec::with_capacity(rows.len() * self.cols);
        rows.iter().for_each(|&i| data.extend_from_slice(self.row(i)));
        Matrix { rows: rows.len(), cols: self.cols, data }
    }
    /// The transpose.
    pub fn transpose(&self) -> Matrix {
        Matrix::from_fn(self.cols, self.rows, |i, j| self[(j, i)])
    }
    /// The diagonal of a square matrix.
    pub fn diagonal(&self) -> Vec<f64> {
        (0..self.rows.min(self.cols)).map(|i| self[(i, i)]).collect()
    }
    /// Adds `by[i]` (or `by[0]` where only one is given) to the diagonal.
    pub fn add_to_diagonal(&mut self, by: &[f64]) {
        for i in 0..self.rows.min(self.cols) {
            self.data[i * self.cols + i] += if by.len() == 1 { by[0] } else { by[i] };
        }
    }
}

impl std::ops::Index<(usize, usize)> for Matrix {
    type Output = f64;
    fn index(&self, (i, j): (usize, usize)) -> &f64 {
        &self.data[i * self.cols + j]
    }
}

impl std::ops::IndexMut<(usize, usize)> for Matrix {
    fn index_mut(&mut self, (i, j): (usize, usize)) -> &mut f64 {
        &mut self.data[i * self.cols + j]
    }
}
