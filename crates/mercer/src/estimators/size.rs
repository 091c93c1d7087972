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
    /// Numbers that are not 0 among the features of a row, where these are many and sparse: see
    /// [`crate::gram::Gram::sparse_features`].
    pub stored: Option<usize>,
}

/// Fewer rows are solved by kernel values, however sparse their features; and so many operations for each number of these are
/// what conjugate gradients take.
const SPARSE_ROWS: usize = 2048;
const PASSES: f64 = 60_000.0;
/// Operations of a kernel value.
const PER_VALUE: f64 = 40.0;
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

    /// Operations of a prediction from all training rows, or from features where these are few: kernel values and a product with weights.
    pub(super) fn per_prediction(self) -> f64 {
        self.few().unwrap_or(self.rows) as f64 * (PER_VALUE + 2.0 * self.outputs as f64)
    }

    /// Operations of a least-squares fit by conjugate gradients over sparse features, where they are fewer than those of a factor of
    /// kernel values.
    pub fn by_gradients(self) -> Option<f64> {
        let stored = self.stored.filter(|_| self.few().is_none() && self.rows >= SPARSE_ROWS)?;
        let work = PASSES * (self.rows * stored.max(1) * self.outputs.max(1)) as f64;
        (work <= (self.rows as f64).powi(3) / 6.0).then_some(work)
    }
}
