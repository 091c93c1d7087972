//! Tables of typed columns, targets, and batches of one sort of input.

mod dataset;
mod points;
mod schema;
mod strings;
mod target;

pub use dataset::{Categories, Column, Dataset, Sort, UNSEEN, Values};
pub use points::{Points, Storage};
pub use schema::{ColumnSchema, Holds, Schema};
pub use strings::Strings;
pub use target::Target;

use crate::error::Result;
use std::borrow::Cow;

/// A batch of one sort of input, as a kernel takes it.
pub trait Inputs: Clone + Send + Sync + Sized {
    /// What the columns must hold, in words.
    const SORT: &'static str;
    /// Whether a column can be part of such a batch.
    fn takes(sort: Sort) -> bool;
    /// The batch made of the given columns of a dataset, in order. Borrowed where nothing has to be copied.
    fn gather<'a>(data: &'a Dataset, columns: &[usize]) -> Result<Cow<'a, Self>>;
    /// Rows in the batch.
    fn len(&self) -> usize;
    /// Whether the batch has no rows.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
