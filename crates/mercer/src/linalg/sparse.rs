//! Sparse matrices, row after row: what is done with features of which most are 0.

use super::{Matrix, count_scattered};
use crate::control::Control;
use crate::error::Result;
use rayon::prelude::*;
use std::borrow::Cow;

/// Compressed rows: row i holds `values[starts[i]..starts[i + 1]]` in ascending `columns`.
#[derive(Clone, Debug, PartialEq)]
pub struct SparseMatrix<'a> {
    cols: usize,
    starts: Cow<'a, [usize]>,
    columns: Cow<'a, [u32]>,
    values: Cow<'a, [f64]>,
}

impl<'a> SparseMatrix<'a> {
    /// From its parts, which fit together.
    pub(crate) fn new(cols: usize, starts: Cow<'a, [usize]>, columns: Cow<'a, [u32]>, values: Cow<'a, [f64]>) -> Self {
        debug_assert!(starts.last() == Some(&values.len()) && columns.len() == values.len());
        SparseMatrix { cols, starts, columns, values }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.starts.len() - 1
    }
    /// Number of columns.
    pub fn cols(&self) -> usize {
        self.cols
    }
    /// Numbers that are stored.
    pub fn stored(&self) -> usize {
        self.values.len()
    }
    /// Columns and values of row i that are stored.
    pub fn row(&self, i: usize) -> (&[u32], &[f64]) {
        let row = self.starts[i]..self.starts[i + 1];
        (&self.columns[row.clone()], &self.values[row])
    }
    /// Starts of the rows, columns and values.
    pub(crate) fn parts(&self) -> (&[usize], &[u32], &[f64]) {
        (&self.starts, &self.columns, &self.values)
    }
    /// A matrix that borrows these numbers.
    pub(crate) fn borrowed(&self) -> SparseMatrix<'_> {
        let (starts, columns, values) = self.parts();
        SparseMatrix { cols: self.cols, starts: Cow::Borrowed(starts), columns: Cow::Borrowed(columns), values: Cow::Borrowed(values) }
    }
    /// |x_i|^2 of every row.
    pub fn squares(&self) -> Vec<f64> {
        (0..self.rows()).map(|i| self.row(i).1.iter().map(|v| v * v).sum()).collect()
    }

    /// Some rows, in any order.
    pub fn select_rows(&self, rows: &[usize]) -> SparseMatrix<'static> {
        let mut some = RowWriter::new(self.cols, rows.iter().map(|&i| self.row(i).1.len()).sum());
        for &i in rows {
            let (columns, values) = self.row(i);
            some.extend(columns.iter().copied(), values);
            some.end();
        }
        some.done()
    }

    /// Every row multiplied by a number of its own.
    pub fn scale_rows(self, by: &[f64]) -> SparseMatrix<'a> {
        let mut values = self.values.into_owned();
        for (row, by) in self.starts.windows(2).zip(by) {
            values[row[0]..row[1]].iter_mut().for_each(|v| *v *= by);
        }
        SparseMatrix { values: Cow::Owned(values), ..self }
    }

    /// Matrices of as many rows side by side; `None` where there are too many columns, or none of them.
    pub fn beside(parts: &[SparseMatrix<'_>]) -> Option<SparseMatrix<'static>> {
        let cols = parts.iter().map(|p| p.cols).sum();
        u32::try_from(cols).ok()?;
        let mut all = RowWriter::new(cols, parts.iter().map(|p| p.values.len()).sum());
        for i in 0..parts.first()?.rows() {
            let mut before = 0;
            for part in parts {
                let (columns, values) = part.row(i);
                all.extend(columns.iter().map(|c| before + c), values);
                before += part.cols as u32;
            }
            all.end();
        }
        Some(all.done())
    }

    /// The numbers that are not 0 of `rows` rows of `cols`, given row after row.
    pub(crate) fn of_dense(rows: usize, cols: usize, values: &[f64]) -> SparseMatrix<'static> {
        let mut all = RowWriter::new(cols, values.iter().filter(|v| **v != 0.0).count());
        for i in 0..rows {
            for (j, v) in values[i * cols..(i + 1) * cols].iter().enumerate().filter(|(_, v)| **v != 0.0) {
                all.columns.push(j as u32);
                all.values.push(*v);
            }
            all.end();
        }
        all.done()
    }

    /// Z B for B of cols x outputs.
    pub fn product(&self, b: &Matrix, control: &Control) -> Result<Matrix> {
        // Rows between two looks at the cancel flag.
        const CHECK: usize = 4096;
        let outputs = b.cols();
        count_scattered(2 * self.stored() * outputs);
        let mut out = Matrix::zeros(self.rows(), outputs);
        out.data_mut().par_chunks_mut((CHECK * outputs).max(1)).enumerate().try_for_each(|(band, part)| {
            control.check()?;
            for (k, out) in part.chunks_exact_mut(outputs.max(1)).enumerate() {
                let (columns, values) = self.row(band * CHECK + k);
                for (c, v) in columns.iter().zip(values) {
                    out.iter_mut().zip(b.row(*c as usize)).for_each(|(o, b)| *o += v * b);
                }
            }
            Ok::<(), crate::error::Error>(())
        })?;
        Ok(out)
    }

    /// Z'B for B of rows x outputs.
    pub fn transposed_product(&self, b: &Matrix, control: &Control) -> Result<Matrix> {
        // Rows that are summed separately: the same for any number of threads.
        const BAND: usize = 16_384;
        let outputs = b.cols();
        count_scattered(2 * self.stored() * outputs);
        let bands: Vec<Matrix> = (0..self.rows().div_ceil(BAND))
            .into_par_iter()
            .map(|band| {
                control.check()?;
                let mut sum = Matrix::zeros(self.cols, outputs);
                for i in band * BAND..((band + 1) * BAND).min(self.rows()) {
                    let (columns, values) = self.row(i);
                    for (c, v) in columns.iter().zip(values) {
                        sum.row_mut(*c as usize).iter_mut().zip(b.row(i)).for_each(|(s, b)| *s += v * b);
                    }
                }
                Ok(sum)
            })
            .collect::<Result<_>>()?;
        let mut bands = bands.into_iter();
        let mut total = bands.next().unwrap_or_else(|| Matrix::zeros(self.cols, outputs));
        bands.for_each(|band| total.data_mut().iter_mut().zip(band.data()).for_each(|(t, b)| *t += b));
        Ok(total)
    }
}

/// Rows that are being written.
struct RowWriter {
    cols: usize,
    starts: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<f64>,
}

impl RowWriter {
    fn new(cols: usize, stored: usize) -> Self {
        RowWriter { cols, starts: vec![0], columns: Vec::with_capacity(stored), values: Vec::with_capacity(stored) }
    }
    fn extend(&mut self, columns: impl Iterator<Item = u32>, values: &[f64]) {
        self.columns.extend(columns);
        self.values.extend_from_slice(values);
    }
    fn end(&mut self) {
        self.starts.push(self.values.len());
    }
    fn done(self) -> SparseMatrix<'static> {
        let RowWriter { cols, starts, columns, values } = self;
        SparseMatrix::new(cols, starts.into(), columns.into(), values.into())
    }
}
