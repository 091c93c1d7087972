//! Rows of K that stay from one solution to the next.

use super::passes::Passes;
use crate::gram::{Gram, RowCache};

/// The rows that decomposition asked for last, in one kind of number: both kinds at once would take twice the memory that was given.
pub(super) struct KeptRows<'a> {
    gram: &'a dyn Gram,
    pub(super) single: Option<RowCache<'a, f32>>,
    pub(super) double: Option<RowCache<'a, f64>>,
}

impl<'a> KeptRows<'a> {
    pub(super) fn new(gram: &'a dyn Gram) -> Self {
        KeptRows { gram, single: None, double: None }
    }

    /// The rows in one kind of number, within so many bytes; those of the other kind make room.
    pub(super) fn cache<T: Passes>(&mut self, bytes: u64) -> &mut RowCache<'a, T> {
        let gram = self.gram;
        T::kept(self).get_or_insert_with(|| RowCache::new(gram, bytes))
    }
}
