//! Some rows and some columns of another Gram matrix, in any order.

use super::{Block, FeatureSource, Gram, LogGram, PointFormula, Side, Structure, with_scratch};
use crate::control::Control;
use crate::error::Result;
use crate::linalg::{Matrix, Real, SparseMatrix};
use std::borrow::Cow;
use std::ops::Range;

/// The rows and columns, without a copy.
pub struct Subset<'a> {
    of: &'a dyn Gram,
    rows: Vec<usize>,
    cols: Vec<usize>,
}

impl<'a> Subset<'a> {
    /// The given rows and columns.
    pub fn new(of: &'a dyn Gram, rows: &[usize], cols: &[usize]) -> Self {
        Subset { of, rows: rows.to_vec(), cols: cols.to_vec() }
    }

    /// The inputs of a side.
    fn list(&self, side: Side) -> &[usize] {
        if side == Side::Rows { &self.rows } else { &self.cols }
    }

    /// Fills columns run by run; or, where the runs are short and lie near each other, fills all between the first and the last and takes
    /// the ones that are requested: a single column costs as much as many together.
    fn by_columns<T: Real>(&self, rows: usize, cols: &[usize], mut out: Block<'_, T>, fill: impl Fn(Range<usize>, Block<'_, T>)) {
        // Runs of columns that are shorter than this on average are filled together with what lies between them, where that is not more than
        // so many times the columns.
        const SHORT: usize = 8;
        const SPREAD: usize = 4;
        let runs = runs(cols);
        let (Some(&low), Some(&high)) = (cols.iter().min(), cols.iter().max()) else { return };
        let span = high - low + 1;
        if runs.len() * SHORT <= cols.len() || span > SPREAD * cols.len() {
            for (j, c) in runs {
                let width = c.len();
                fill(c, out.part(0..rows, j..j + width));
            }
            return;
        }
        with_scratch(rows * span, |all: &mut [T]| {
            fill(low..high + 1, Block::new(all, rows, span).like(&out));
            for (k, row) in all.chunks_exact(span).enumerate() {
                out.row_mut(k).iter_mut().zip(cols).for_each(|(o, &j)| *o = row[j - low]);
            }
        });
    }

    /// Takes the values out of a matrix that is there; false where there is none.
    fn gather<T: Real>(&self, rows: &[usize], cols: Range<usize>, out: &mut Block<'_, T>) -> bool {
        let Some(matrix) = self.of.structure().held() else { return false };
        let cols = &self.cols[cols];
        for (k, &i) in rows.iter().enumerate() {
            let row = matrix.row(i);
            out.row_mut(k).iter_mut().zip(cols).for_each(|(o, &j)| *o = T::from_f64(row[j]));
        }
        true
    }
}

/// Runs of consecutive numbers: (offset in the list, range).
pub(crate) fn runs(list: &[usize]) -> Vec<(usize, Range<usize>)> {
    let mut out: Vec<(usize, Range<usize>)> = Vec::new();
    for (k, &i) in list.iter().enumerate() {
        match out.last_mut() {
            Some((_, r)) if r.end == i => r.end += 1,
            _ => out.push((k, i..i + 1)),
        }
    }
    out
}

/// The values of all rows with some of the columns, N x columns, of a Gram matrix among N inputs.
///
/// # Errors
/// As of [`dense`](super::dense).
pub(crate) fn values_with(gram: &dyn Gram, columns: &[usize], control: &Control) -> Result<Matrix> {
    let all: Vec<usize> = (0..gram.shape().0).collect();
    // Whole rows are made faster than single columns.
    match gram.symmetric() {
        true => super::dense(&Subset::new(gram, columns, &all), control).map(|rows| rows.transpose()),
        false => super::dense(&Subset::new(gram, &all, columns), control),
    }
}

impl Gram for Subset<'_> {
    fn shape(&self) -> (usize, usize) {
        (self.rows.len(), self.cols.len())
    }
    fn fill(&self, rows: Range<usize>, cols: Range<usize>, mut out: Block<'_, f64>) {
        let list = &self.rows[rows];
        if self.gather(list, cols.clone(), &mut out) {
            return;
        }
        self.by_columns(list.len(), &self.cols[cols], out, |c, block| self.of.fill_rows(list, c, block));
    }
    fn fill_rows(&self, rows: &[usize], cols: Range<usize>, mut out: Block<'_, f64>) {
        let list: Vec<usize> = rows.iter().map(|&k| self.rows[k]).collect();
        if self.gather(&list, cols.clone(), &mut out) {
            return;
        }
        self.by_columns(list.len(), &self.cols[cols], out, |c, block| self.of.fill_rows(&list, c, block));
    }
    fn fill_distances(&self, rows: &[usize], cols: Range<usize>, out: Block<'_, f64>) {
        let list: Vec<usize> = rows.iter().map(|&k| self.rows[k]).collect();
        self.by_columns(list.len(), &self.cols[cols], out, |c, block| self.of.fill_distances(&list, c, block));
    }
    fn squared_distances(&self, apart: &mut [f64]) {
        self.of.squared_distances(apart);
    }
    fn logarithm(&self) -> Option<&dyn LogGram> {
        self.of.logarithm().map(|_| self as &dyn LogGram)
    }
    fn is_constant(&self) -> bool {
        self.of.is_constant()
    }
    fn diagonal(&self, side: Side) -> Vec<f64> {
        let all = self.of.diagonal(side);
        self.list(side).iter().map(|&i| all[i]).collect()
    }
    fn symmetric(&self) -> bool {
        self.of.symmetric() && self.rows == self.cols
    }
    fn structure(&self) -> Structure<'_> {
        Structure::Features(self)
    }
    fn folds(&self) -> bool {
        self.of.folds()
    }
    /// Columns that are left out have coefficients of 0.
    fn folded(&self, rows: &[usize], coef: &Matrix, control: &Control) -> Result<Option<Matrix>> {
        let list: Vec<usize> = rows.iter().map(|&k| self.rows[k]).collect();
        let mut all = Matrix::zeros(self.of.shape().1, coef.cols());
        for (s, &j) in self.cols.iter().enumerate() {
            all.row_mut(j).iter_mut().zip(coef.row(s)).for_each(|(a, c)| *a += c);
        }
        self.of.folded(&list, &all, control)
    }
    fn fill_f32(&self, rows: &[usize], cols: Range<usize>, mut out: Block<'_, f32>) {
        let list: Vec<usize> = rows.iter().map(|&k| self.rows[k]).collect();
        if self.gather(&list, cols.clone(), &mut out) {
            return;
        }
        self.by_columns(list.len(), &self.cols[cols], out, |c, block| self.of.fill_f32(&list, c, block));
    }
}

impl LogGram for Subset<'_> {
    fn log_diagonal(&self, side: Side) -> Vec<f64> {
        let all = self.of.logarithm().map(|log| log.log_diagonal(side)).unwrap_or_default();
        self.list(side).iter().filter_map(|&i| all.get(i).copied()).collect()
    }
    fn fill_log_decay(&self, rows: &[usize], cols: Range<usize>, out: Block<'_, f64>) {
        let Some(log) = self.of.logarithm() else { return };
        let list: Vec<usize> = rows.iter().map(|&k| self.rows[k]).collect();
        self.by_columns(list.len(), &self.cols[cols], out, |c, block| log.fill_log_decay(&list, c, block));
    }
}

impl FeatureSource for Subset<'_> {
    fn dense(&self, side: Side) -> Option<Cow<'_, Matrix>> {
        self.of.structure().dense_features(side).map(|all| Cow::Owned(all.select_rows(self.list(side))))
    }
    fn sparse(&self, side: Side) -> Option<SparseMatrix<'_>> {
        self.of.structure().sparse_features(side).map(|all| all.select_rows(self.list(side)))
    }
    fn point_formula(&self) -> Option<PointFormula<'_>> {
        let of = Box::new(self.of.structure().point_formula()?);
        Some(PointFormula::Selected { rows: &self.rows, cols: &self.cols, of })
    }
    fn stand_alone(&self) -> bool {
        self.of.structure().features_stand_alone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values that are not held as a matrix.
    struct Products(usize);

    impl Gram for Products {
        fn shape(&self) -> (usize, usize) {
            (self.0, self.0)
        }
        fn fill(&self, rows: Range<usize>, cols: Range<usize>, mut out: Block<'_, f64>) {
            for (k, i) in rows.enumerate() {
                out.row_mut(k).iter_mut().zip(cols.clone()).for_each(|(o, j)| *o = (1000 * i + j) as f64);
            }
        }
        fn diagonal(&self, _: Side) -> Vec<f64> {
            (0..self.0).map(|i| (1001 * i) as f64).collect()
        }
    }

    #[test]
    fn columns_in_any_order_are_those_of_the_whole() {
        let n = 60;
        let all = Products(n);
        // Scattered near each other, in runs, far apart, and none.
        let lists: [Vec<usize>; 4] = [(0..n).map(|j| 7 * j % n).collect(), (10..50).collect(), vec![59, 0, 30], Vec::new()];
        for cols in lists {
            let rows: Vec<usize> = (0..n).rev().step_by(3).collect();
            let subset = Subset::new(&all, &rows, &cols);
            let expected: Vec<f64> = rows.iter().flat_map(|i| cols.iter().map(move |j| (1000 * i + j) as f64)).collect();
            let mut found = vec![0.0; expected.len()];
            subset.fill(0..rows.len(), 0..cols.len(), Block::new(&mut found, rows.len(), cols.len()));
            assert_eq!(found, expected);
            let mut single = vec![0f32; expected.len()];
            let list: Vec<usize> = (0..rows.len()).collect();
            subset.fill_f32(&list, 0..cols.len(), Block::new(&mut single, rows.len(), cols.len()));
            assert!(single.iter().zip(&expected).all(|(a, b)| f64::from(*a) == *b));
        }
    }
}
