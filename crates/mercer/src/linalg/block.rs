//! A rectangular window onto row-major memory: where a tile is written.

use crate::control::Control;
use std::marker::PhantomData;
use std::ops::Range;

/// `rows` x `cols` numbers with row stride `stride`. Windows of one matrix that do not overlap may be
/// written from several threads at once.
#[derive(Debug)]
pub struct Block<'a, T> {
    start: *mut T,
    rows: usize,
    cols: usize,
    stride: usize,
    /// Whoever waits for the numbers, where that is known.
    watch: Option<&'a Control>,
    life: PhantomData<&'a mut T>,
}

// SAFETY: a block is the only access to its window, like `&mut [T]`.
unsafe impl<T: Send> Send for Block<'_, T> {}

impl<'a, T> Block<'a, T> {
    /// A window over a whole slice of `rows * cols` numbers.
    ///
    /// # Panics
    /// If the slice is shorter than that.
    pub fn new(data: &'a mut [T], rows: usize, cols: usize) -> Self {
        assert!(data.len() >= rows * cols, "a block needs {rows} x {cols} numbers");
        Block { start: data.as_mut_ptr(), rows, cols, stride: cols, watch: None, life: PhantomData }
    }

    /// A window onto memory that others may be writing outside of it.
    ///
    /// # Safety
    /// For all `i < rows`, the `cols` numbers from `start + i * stride` are valid for writes and
    /// nothing else reads or writes them while the block lives.
    pub unsafe fn from_raw(start: *mut T, rows: usize, cols: usize, stride: usize) -> Self {
        Block { start, rows, cols, stride, watch: None, life: PhantomData }
    }

    /// The window of work under a control: see [`Block::is_given_up`].
    #[must_use]
    pub fn watched(self, control: &'a Control) -> Self {
        Block { watch: Some(control), ..self }
    }

    /// The window of work under a control, where it is under none yet.
    #[must_use]
    pub fn or_watched(self, control: &'a Control) -> Self {
        Block { watch: self.watch.or(Some(control)), ..self }
    }

    /// The window of the same work as another one.
    #[must_use]
    pub fn like<U>(self, other: &Block<'a, U>) -> Self {
        Block { watch: other.watch, ..self }
    }

    /// The control that the work is under, where it is known.
    pub fn control(&self) -> Option<&'a Control> {
        self.watch
    }

    /// Whether nobody will look at the numbers, as the work was cancelled or is out of time: what takes long for a few numbers asks between
    /// them, and leaves the others as they are.
    pub fn is_given_up(&self) -> bool {
        self.watch.is_some_and(Control::is_given_up)
    }

    /// Rows.
    pub fn rows(&self) -> usize {
        self.rows
    }
    /// Columns.
    pub fn cols(&self) -> usize {
        self.cols
    }
    /// Distance between rows.
    pub fn stride(&self) -> usize {
        self.stride
    }
    /// First number.
    pub fn as_mut_ptr(&mut self) -> *mut T {
        self.start
    }
    /// Row i of the window.
    pub fn row_mut(&mut self, i: usize) -> &mut [T] {
        assert!(i < self.rows);
        // SAFETY: within the window by the check above and the promise of the constructor.
        unsafe { std::slice::from_raw_parts_mut(self.start.add(i * self.stride), self.cols) }
    }
    /// Borrows the window again, for a shorter lifetime.
    pub fn reborrow(&mut self) -> Block<'_, T> {
        Block { start: self.start, rows: self.rows, cols: self.cols, stride: self.stride, watch: self.watch, life: PhantomData }
    }
    /// A smaller window inside this one.
    pub fn part(&mut self, rows: Range<usize>, cols: Range<usize>) -> Block<'_, T> {
        assert!(rows.end <= self.rows && cols.end <= self.cols && rows.start <= rows.end && cols.start <= cols.end);
        // SAFETY: inside the window by the check above.
        let start = unsafe { self.start.add(rows.start * self.stride + cols.start) };
        Block { start, rows: rows.len(), cols: cols.len(), stride: self.stride, watch: self.watch, life: PhantomData }
    }
    /// The window cut into tiles of at most `height` x `width`, each with its place; they may be written
    /// from several threads at once.
    pub fn into_tiles(self, height: usize, width: usize) -> Vec<(Range<usize>, Range<usize>, Block<'a, T>)> {
        let cut = |n: usize, step: usize| (0..n.div_ceil(step)).map(move |k| k * step..((k + 1) * step).min(n));
        let mut tiles = Vec::new();
        for rows in cut(self.rows, height.max(1)) {
            for cols in cut(self.cols, width.max(1)) {
                // SAFETY: inside the window, which is given up here; tiles do not overlap.
                let start = unsafe { self.start.add(rows.start * self.stride + cols.start) };
                let (stride, watch) = (self.stride, self.watch);
                let tile = Block { start, rows: rows.len(), cols: cols.len(), stride, watch, life: PhantomData };
                tiles.push((rows.clone(), cols, tile));
            }
        }
        tiles
    }
}
