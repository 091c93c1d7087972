//! Kernel values between the vectors of sets.

use super::{Gram, Subset};

/// The kernel of vectors that a kernel of sets is made of: set I along a side holds the vectors `starts[I]..starts[I + 1]` of that side.
#[derive(Clone, Copy)]
pub struct SetVectors<'a> {
    /// Kernel values between vectors.
    pub values: &'a dyn Gram,
    /// Where the vectors of each set along the rows begin, and where the last ends.
    pub rows: &'a [usize],
    /// Where those of each set along the columns do.
    pub cols: &'a [usize],
}

/// The vectors of some sets.
pub struct SelectedVectors<'a> {
    values: Subset<'a>,
    rows: Vec<usize>,
    cols: Vec<usize>,
}

impl<'a> SetVectors<'a> {
    /// Those of some sets along the rows and along the columns.
    pub fn select(self, rows: &[usize], cols: &[usize]) -> SelectedVectors<'a> {
        let taken = |list: &[usize], starts: &[usize]| -> (Vec<usize>, Vec<usize>) {
            let mut own = vec![0];
            own.extend(list.iter().scan(0, |end, &i| {
                *end += starts[i + 1] - starts[i];
                Some(*end)
            }));
            (list.iter().flat_map(|&i| starts[i]..starts[i + 1]).collect(), own)
        };
        let ((rows, row_starts), (cols, col_starts)) = (taken(rows, self.rows), taken(cols, self.cols));
        SelectedVectors { values: Subset::new(self.values, &rows, &cols), rows: row_starts, cols: col_starts }
    }
}

impl SelectedVectors<'_> {
    /// The vectors.
    pub fn vectors(&self) -> SetVectors<'_> {
        SetVectors { values: &self.values, rows: &self.rows, cols: &self.cols }
    }
}
