//! How large a fit is: what plans of memory and time go by.

/// The size of a fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Rows that are learnt from.
    pub rows: usize,
    /// Columns of the target, or classes.
    pub outputs: usize,
    /// Whether the outputs are classes.
    pub classes: bool,
    /// Features that the kernel is made of, where they are few by construction: see [`crate::gram::Gram::features`].
    pub rank: Option<usize>,
}

/// Features are few where there are so many rows for each of them.
const ROWS_PER_FEATURE: usize = 2;

impl Size {
    /// The same fit to another number of rows.
    pub fn at(self, rows: usize) -> Size {
        Size { rows, ..self }
    }

    /// The features, where there are so few of them that a fit goes by them and not by kernel values.
    pub fn few(self) -> Option<usize> {
        self.rank.filter(|rank| ROWS_PER_FEATURE * rank < self.rows)
    }
}
