//! Tables of typed columns, targets, and batches of one kind of input.

mod categories;
mod cells;
mod columns;
mod dataset;
mod examples;
mod folds;
mod numbers;
mod points;
mod row_count;
mod row_weights;
mod sample;
mod schema;
mod sets;
mod similarities;
mod strings;
mod target;
mod trees;
mod written;

pub use categories::{Categories, MISSING, UNSEEN};
pub use cells::{Cells, Draw, Misfit};
pub use columns::{ColumnKind, Holds, Values};
pub use dataset::{Column, Dataset};
pub use examples::{Examples, Sample};
pub use folds::{Fold, Split, folds};
pub use points::{Points, Storage};
pub use row_count::RowCount;
pub use row_weights::RowWeights;
pub(crate) use sample::{some_rows, some_rows_of};
pub use schema::{ColumnSchema, Schema};
pub use sets::Sets;
pub use similarities::Similarities;
pub use strings::Strings;
pub(crate) use target::absent;
pub use target::{Kind, Labels, Target, TargetInfo};
pub use trees::{Node, Trees};
pub use written::{Marks, Order, Thousands, Unit, Writing, Written};

use crate::error::Result;
use std::borrow::Cow;

/// How many columns make up one input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arity {
    /// None: the kernel looks at row numbers only.
    None,
    /// Exactly one.
    One,
    /// One or more.
    Some,
}

/// A batch of one kind of input, as a kernel takes it.
pub trait Inputs: Clone + Send + Sync + Sized {
    /// What the columns must hold, in words.
    const NEEDS: &'static str;
    /// How many columns it is made of.
    const ARITY: Arity = Arity::Some;
    /// Whether a column can be part of such a batch.
    fn takes(kind: ColumnKind) -> bool;
    /// The batch made of the given columns of a dataset, in order. Borrowed where nothing has to be copied.
    fn gather<'a>(data: &'a Dataset, columns: &[usize]) -> Result<Cow<'a, Self>>;
    /// Rows in the batch.
    fn len(&self) -> usize;
    /// Whether the batch has no rows.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
