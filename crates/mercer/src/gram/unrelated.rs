//! Rows that have nothing in common with any column, of kernels that are 0 for inputs without a common part: words, substrings, labels.

use super::{Block, Gram};
use crate::linalg::SparseMatrix;
use rayon::prelude::*;

/// Rows along the rows of a Gram matrix for which one kernel of an expression is 0 with every column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnrelatedRows {
    /// The name of the kernel.
    pub kernel: &'static str,
    /// What inputs have in common where it is above 0: a word.
    pub shared: &'static str,
    /// The rows, ascending.
    pub rows: Vec<usize>,
}

/// The rows whose value with every column is 0; among the rows of one batch those with k(x, x) = 0.
pub(super) fn by_values(gram: &dyn Gram) -> Vec<usize> {
    // Rows that one task looks at, and columns that it compares them with first: most rows have something in common with one of these.
    const ROWS: usize = 256;
    const COLUMNS: usize = 16;
    let (rows, cols) = gram.shape();
    if gram.symmetric() {
        return gram.zero_rows();
    }
    let all: Vec<usize> = (0..rows).collect();
    let parts: Vec<Vec<usize>> = all
        .par_chunks(ROWS)
        .map(|some| {
            let (mut left, mut from, mut width) = (some.to_vec(), 0, COLUMNS);
            while from < cols && !left.is_empty() {
                let end = (from + width).min(cols);
                let mut values = vec![0.0; left.len() * (end - from)];
                gram.fill_rows(&left, from..end, Block::new(&mut values, left.len(), end - from));
                let mut rows = values.chunks_exact(end - from);
                left.retain(|_| rows.next().is_some_and(|row| row.iter().all(|k| *k == 0.0)));
                (from, width) = (end, 2 * width);
            }
            left
        })
        .collect();
    parts.concat()
}

/// The rows without a feature in common with any column, of features none of which is below 0.
pub(super) fn by_features(rows: &SparseMatrix<'_>, cols: &SparseMatrix<'_>) -> Vec<usize> {
    let mut known = vec![false; rows.cols().max(cols.cols())];
    for j in 0..cols.rows() {
        let (features, values) = cols.row(j);
        features.iter().zip(values).filter(|(_, v)| **v != 0.0).for_each(|(f, _)| known[*f as usize] = true);
    }
    let is_related = |i: usize| {
        let (features, values) = rows.row(i);
        features.iter().zip(values).any(|(f, v)| *v != 0.0 && known[*f as usize])
    };
    (0..rows.rows()).filter(|i| !is_related(*i)).collect()
}
