//! Rectangles of numbers somewhere in memory.

use faer::prelude::IntoConst;
use faer::{MatMut, MatRef};

/// A rectangle to read.
#[derive(Clone, Copy, Debug)]
pub struct View<'a, T>(pub(crate) MatRef<'a, T>);

/// A rectangle to write.
#[derive(Debug)]
pub struct ViewMut<'a, T>(pub(crate) MatMut<'a, T>);

impl<'a, T> View<'a, T> {
    /// A slice of `rows * cols` numbers, row after row.
    pub fn rows(data: &'a [T], rows: usize, cols: usize) -> Self {
        View(MatRef::from_row_major_slice(&data[..rows * cols], rows, cols))
    }
    /// A window onto row-major memory that others may be writing outside of it.
    ///
    /// # Safety
    /// For all `i < rows`, the `cols` numbers from `start + i * stride` are valid for reads and nothing writes those that are
    /// read through the view while it lives.
    pub unsafe fn window(start: *const T, rows: usize, cols: usize, stride: usize) -> Self {
        // SAFETY: promised by the caller.
        View(unsafe { MatRef::from_raw_parts(start, rows, cols, stride as isize, 1) })
    }
    /// The transpose, without a copy.
    pub fn transpose(self) -> Self {
        View(self.0.transpose())
    }
    /// A smaller rectangle inside: first row, first column, rows, columns.
    pub fn part(self, row: usize, col: usize, rows: usize, cols: usize) -> Self {
        View(self.0.submatrix(row, col, rows, cols))
    }
}

impl<'a, T> ViewMut<'a, T> {
    /// A slice of `rows * cols` numbers, row after row.
    pub fn rows(data: &'a mut [T], rows: usize, cols: usize) -> Self {
        ViewMut(MatMut::from_row_major_slice_mut(&mut data[..rows * cols], rows, cols))
    }
    /// A slice of `rows * cols` numbers, column after column.
    pub fn columns(data: &'a mut [T], rows: usize, cols: usize) -> Self {
        ViewMut(MatMut::from_column_major_slice_mut(&mut data[..rows * cols], rows, cols))
    }
    /// A window onto row-major memory.
    ///
    /// # Safety
    /// For all `i < rows`, the `cols` numbers from `start + i * stride` are valid for writes and nothing else touches
    /// them while the view lives.
    pub unsafe fn window(start: *mut T, rows: usize, cols: usize, stride: usize) -> Self {
        // SAFETY: promised by the caller.
        ViewMut(unsafe { MatMut::from_raw_parts_mut(start, rows, cols, stride as isize, 1) })
    }
    /// The transpose, without a copy.
    pub fn transpose(self) -> Self {
        ViewMut(self.0.transpose_mut())
    }
    /// A smaller rectangle inside: first row, first column, rows, columns.
    pub fn part(self, row: usize, col: usize, rows: usize, cols: usize) -> Self {
        ViewMut(self.0.submatrix_mut(row, col, rows, cols))
    }
    /// Two rectangles: the columns before `col` to read, the others to write.
    pub fn split_at_column(self, col: usize) -> (View<'a, T>, Self) {
        let (left, right) = self.0.split_at_col_mut(col);
        (View(left.into_const()), ViewMut(right))
    }
    /// Two rectangles to write: the columns before `col`, and the others.
    pub fn split_columns(self, col: usize) -> (Self, Self) {
        let (left, right) = self.0.split_at_col_mut(col);
        (ViewMut(left), ViewMut(right))
    }
    /// Borrows the rectangle for reading.
    pub fn read(&self) -> View<'_, T> {
        View(self.0.as_ref())
    }
    /// Borrows the rectangle again, for a shorter lifetime.
    pub fn reborrow(&mut self) -> ViewMut<'_, T> {
        ViewMut(self.0.as_mut())
    }
}
