//! Tables of typed columns, targets, and batches of one kind of input.

mod any_columns;
mod cells;
#[macro_use]
mod columns;
mod cut;
mod dataset;
mod examples;
mod folds;
pub(crate) mod letters;
pub(crate) mod names;
mod numbers;
mod parts;
mod row_count;
mod row_weights;
mod sample;
mod schema;
mod strings;
mod target;
mod written;

#[cfg(feature = "read")]
pub(crate) use cells::MISSING_WORDS;
pub use cells::{Cells, Draw, Misfit};
pub use dataset::{Column, Dataset};
pub use examples::{Examples, Sample};
pub(crate) use folds::lose_alike;
pub use folds::{Fold, Split, folds};
#[cfg(feature = "read")]
pub(crate) use graphs::is_smiles;
pub(crate) use numbers::{are_constant, marker};
pub use parts::{Part, Parts};
pub use row_count::RowCount;
pub use row_weights::RowWeights;
pub(crate) use sample::{even_rows, rows_by_turns, some_rows, some_rows_of};
pub use schema::{ColumnSchema, Schema};
#[cfg(feature = "read")]
pub(crate) use series::list_of_numbers;
pub use similarities::Own;
pub(crate) use strings::CutRows;
pub use strings::Strings;
pub(crate) use target::absent;
pub use target::{Kind, Labels, Target, TargetInfo};
pub use written::{Addition, DateOrder, Marks, Negative, Thousands, Unit, Writing, Written};

use crate::blocks;
use crate::error::Result;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

// Kind, the name in `--types` and in messages, cells in words, variant of [`Values`], type of the cells, and its file.
columns! {
    /// One number a row. NaN stands for a missing cell until `prep` has filled it; nothing later sees one.
    Number = "number", "numbers": Numbers(#[serde(with = "blocks::cells")] Vec<f64>);
    /// A vector a row.
    Points = "points", "vectors": Points(Points) in points;
    /// One label of a known list a row.
    Category = "category", "categories": Categories(Categories) in categories;
    /// Running text.
    Text = "text", "texts": Texts(Strings);
    /// A string over a small alphabet.
    Sequence = "sequence", "sequences": Sequences(Strings);
    /// A row of a kernel matrix.
    Similarities = "similarities", "rows of a kernel matrix": Similarities(Similarities) in similarities;
    /// A tree with labelled nodes.
    Tree = "tree", "trees": Trees(Trees) in trees;
    /// A set of vectors.
    Set = "set", "sets of vectors": Sets(Sets) in sets;
    /// A graph with labelled nodes and edges.
    Graph = "graph", "graphs": Graphs(Graphs) in graphs;
    /// A series: vectors in order of time.
    Series = "series", "series": Series(Series) in series;
}

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

/// The columns that a kernel takes.
#[derive(Clone, Copy, Debug)]
pub struct ColumnNeeds {
    /// Whether a column of this kind can be part of its input.
    pub takes: fn(ColumnKind) -> bool,
    /// What the columns must hold, in words.
    pub words: &'static str,
    /// How many columns make up one input.
    pub arity: Arity,
    /// Whether it takes numbers as they are, not standardised.
    pub as_is: bool,
}

impl ColumnNeeds {
    /// The columns that batches of a kind are made of.
    pub fn of<I: Inputs>() -> Self {
        ColumnNeeds { takes: I::takes, words: I::NEEDS, arity: I::ARITY, as_is: false }
    }
}

/// [`Inputs`] of a kind of which one column makes up an input: the cells, their kind and variant of [`Values`], what the column must hold
/// and which kernels take it in words, and the operations of comparing two cells.
macro_rules! one_column {
    ($Cells:ident, $Kind:ident, $Variant:ident, $needs:literal, $kernels:literal, per_pair: |$cells:ident| $per_pair:expr) => {
        impl Inputs for $Cells {
            const NEEDS: &'static str = $needs;
            const ARITY: Arity = Arity::One;

            fn takes(kind: ColumnKind) -> bool {
                kind == ColumnKind::$Kind
            }
            fn gather<'a>(data: &'a Dataset, columns: &[usize]) -> Result<Cow<'a, Self>> {
                if let [one] = columns
                    && let Values::$Variant(cells) = &data.columns()[*one].values
                {
                    return Ok(Cow::Borrowed(cells));
                }
                Err(Error::Shape { what: concat!("columns of a kernel of ", $kernels).into(), expected: 1, found: columns.len() })
            }
            fn per_pair(&self) -> f64 {
                let $cells = self;
                $per_pair
            }
            fn len(&self) -> usize {
                Cells::len(self)
            }
        }
    };
}
use one_column;

/// Operations of a function of one number, such as an exponential.
pub(crate) const PER_FUNCTION: f64 = 20.0;
/// Operations of a dense product in the time of one step that waits for the step before it: 4 nanoseconds or less at 10^10 a second.
pub(crate) const PER_STEP: f64 = 30.0;

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
    /// Operations of comparing two of its rows once these are prepared, on average: of a kernel value, where the kernel does not count
    /// them.
    fn per_pair(&self) -> f64 {
        PER_FUNCTION
    }
    /// Whether the batch has no rows.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
