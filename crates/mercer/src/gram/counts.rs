//! Features that are counts: how often each of many things occurs in an input, weighted or not.

use crate::linalg::SparseMatrix;

/// Counts of the inputs of one side of a Gram matrix.
#[derive(Clone, Debug)]
pub struct Counts<'a> {
    /// Inputs x things that are counted. Both sides have the columns of the batch along the columns.
    pub features: SparseMatrix<'a>,
    /// Sum of the counts of each input, of things that have no column included.
    pub totals: Vec<f64>,
}

impl<'a> Counts<'a> {
    /// Counts of which every one has a column.
    pub fn of(features: SparseMatrix<'a>) -> Self {
        let totals = (0..features.rows()).map(|i| features.row(i).1.iter().sum()).collect();
        Counts { features, totals }
    }

    /// The counts of each input multiplied by a number.
    pub(super) fn scale_rows(self, by: &[f64]) -> Self {
        let totals = self.totals.iter().zip(by).map(|(total, by)| total * by).collect();
        Counts { features: self.features.scale_rows(by), totals }
    }

    /// Counts of the same inputs side by side; `None` where there are too many columns, or none of them.
    pub(super) fn beside(parts: &[Counts<'_>]) -> Option<Counts<'static>> {
        let features: Vec<SparseMatrix<'_>> = parts.iter().map(|part| part.features.borrowed()).collect();
        let totals = (0..parts.first()?.totals.len()).map(|i| parts.iter().map(|part| part.totals[i]).sum()).collect();
        Some(Counts { features: SparseMatrix::beside(&features)?, totals })
    }
}
