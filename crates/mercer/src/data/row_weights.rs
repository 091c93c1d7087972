//! How often rows count: a row of weight 2 is two rows, in means and medians as in fits.

/// The weight of each row of a table; 1 where none are given.
#[derive(Clone, Copy, Debug, Default)]
pub struct RowWeights<'a>(Option<&'a [f64]>);

impl<'a> From<Option<&'a [f64]>> for RowWeights<'a> {
    fn from(weights: Option<&'a [f64]>) -> Self {
        RowWeights(weights)
    }
}

impl RowWeights<'_> {
    /// The weight of row i.
    pub fn at(self, i: usize) -> f64 {
        self.0.map_or(1.0, |w| w.get(i).copied().unwrap_or(1.0))
    }
    /// The sum of the weights of `rows` rows.
    pub fn total(self, rows: usize) -> f64 {
        self.0.map_or(rows as f64, |w| w.iter().sum())
    }
    /// An error unless there is a weight for each of `rows` rows.
    pub(crate) fn check(self, rows: usize) -> crate::error::Result<()> {
        crate::error::Error::unless_equal("sample weights", rows, self.0.map_or(rows, <[f64]>::len))
    }
}
