//! The closed list of column kinds: from one line each, what a column is called, what it holds, and what new cells must
//! agree with.

use super::cells::Cells;
use super::{Categories, Draw, Misfit, Points, Sets, Similarities, Strings, Trees};
use crate::blocks;
use crate::error::Result;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;

/// Kind, name in `--types` and in messages, cells in words, variant of [`Values`] and type of the cells.
macro_rules! columns {
    ($($(#[$doc:meta])* $Kind:ident = $name:literal, $holds:literal: $Variant:ident($(#[$stored:meta])* $Cells:ty);)*) => {
        /// The kind of a column: what one cell is.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum ColumnKind {
            $($(#[$doc])* $Kind,)*
        }

        impl ColumnKind {
            /// Every kind.
            pub const ALL: &'static [ColumnKind] = &[$(ColumnKind::$Kind,)*];
            /// The name in `--types` and in messages.
            pub fn name(self) -> &'static str {
                match self { $(ColumnKind::$Kind => $name,)* }
            }
            /// What such a column holds, in words.
            pub fn holds(self) -> &'static str {
                match self { $(ColumnKind::$Kind => $holds,)* }
            }
            /// See [`Cells::WRITTEN`].
            pub fn written(self) -> Option<&'static str> {
                match self { $(ColumnKind::$Kind => <$Cells as Cells>::WRITTEN,)* }
            }
            /// See [`Cells::EMPTY`].
            pub fn empty(self) -> Option<&'static str> {
                match self { $(ColumnKind::$Kind => <$Cells as Cells>::EMPTY,)* }
            }
            /// See [`Cells::looks_like`].
            pub fn looks_like(self, text: &str) -> bool {
                match self { $(ColumnKind::$Kind => <$Cells as Cells>::looks_like(text),)* }
            }
            /// See [`Cells::parse`].
            ///
            /// # Errors
            /// The first text that is no cell of this kind.
            pub fn parse(self, texts: &mut dyn Iterator<Item = &str>) -> std::result::Result<Values, Misfit> {
                Ok(match self { $(ColumnKind::$Kind => Values::$Variant(Cells::parse(texts)?),)* })
            }
            /// See [`Cells::invent`].
            pub fn invent(self, draw: &mut Draw) -> Option<Values> {
                Some(match self { $(ColumnKind::$Kind => Values::$Variant(Cells::invent(draw)?),)* })
            }
            /// See [`Cells::star`].
            pub fn star(self, others: usize) -> Option<Values> {
                Some(match self { $(ColumnKind::$Kind => Values::$Variant(Cells::star(others)?),)* })
            }
        }

        /// The cells of one column.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case", deny_unknown_fields)]
        pub enum Values {
            $($(#[$doc])* $Variant($(#[$stored])* $Cells),)*
        }

        impl Values {
            /// The kind of the column.
            pub fn kind(&self) -> ColumnKind {
                match self { $(Values::$Variant(_) => ColumnKind::$Kind,)* }
            }
            /// Rows.
            pub fn len(&self) -> usize {
                match self { $(Values::$Variant(cells) => Cells::len(cells),)* }
            }
            /// See [`Cells::select`].
            #[must_use]
            pub fn select(&self, rows: &[usize]) -> Values {
                match self { $(Values::$Variant(cells) => Values::$Variant(Cells::select(cells, rows)),)* }
            }
            /// What new cells must agree with.
            pub fn schema(&self) -> Holds {
                match self { $(Values::$Variant(cells) => Holds::$Kind(cells.schema()),)* }
            }
            /// See [`Cells::texts`].
            pub fn texts(&self) -> Option<Cow<'_, Strings>> {
                match self { $(Values::$Variant(cells) => cells.texts(),)* }
            }
            /// See [`Cells::cell`].
            pub fn cell(&self, row: usize) -> serde_json::Value {
                match self { $(Values::$Variant(cells) => cells.cell(row),)* }
            }
            /// See [`Cells::words`].
            pub fn words(&self, row: usize, word: &mut dyn FnMut(u64)) {
                match self { $(Values::$Variant(cells) => cells.words(row, word),)* }
            }
            /// See [`Cells::describe`].
            pub fn describe(&self) -> String {
                match self { $(Values::$Variant(cells) => cells.describe(),)* }
            }
            /// See [`Cells::missing`].
            pub fn missing(&self) -> Vec<usize> {
                match self { $(Values::$Variant(cells) => cells.missing(),)* }
            }
            /// See [`Cells::is_constant`].
            pub fn is_constant(&self) -> bool {
                match self { $(Values::$Variant(cells) => cells.is_constant(),)* }
            }
            /// See [`Cells::stored`].
            pub fn stored(&self) -> usize {
                match self { $(Values::$Variant(cells) => cells.stored(),)* }
            }
            /// See [`Cells::vectors`].
            pub fn vectors(&self) -> Option<&Points> {
                match self { $(Values::$Variant(cells) => Cells::vectors(cells),)* }
            }
            /// See [`Cells::owner`].
            pub fn owner(&self, vector: usize) -> usize {
                match self { $(Values::$Variant(cells) => cells.owner(vector),)* }
            }
            /// See [`Cells::with_vectors`].
            pub fn with_vectors(&self, vectors: Points) -> Option<Values> {
                Some(match self { $(Values::$Variant(cells) => Values::$Variant(cells.with_vectors(vectors)?),)* })
            }
        }

        /// What the cells of a column are, with all that new cells must agree with.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case", deny_unknown_fields)]
        pub enum Holds {
            $($(#[$doc])* $Kind(<$Cells as Cells>::Schema),)*
        }

        impl Holds {
            /// The kind of the column.
            pub fn kind(&self) -> ColumnKind {
                match self { $(Holds::$Kind(_) => ColumnKind::$Kind,)* }
            }
            /// Cells of this kind as a model takes them; `None` for cells of another.
            pub(super) fn aligned(&self, values: &Values, column: &str) -> Option<Result<Values>> {
                match (self, values) {
                    $((Holds::$Kind(schema), Values::$Variant(cells)) => Some(cells.aligned(schema, column).map(Values::$Variant)),)*
                    _ => None,
                }
            }
        }
    };
}

columns! {
    /// One number a row. NaN stands for a missing cell until `prep` has filled it; nothing later sees one.
    Number = "number", "numbers": Numbers(#[serde(with = "blocks::cells")] Vec<f64>);
    /// A vector a row.
    Points = "points", "vectors": Points(Points);
    /// One label of a known list a row.
    Category = "category", "categories": Categories(Categories);
    /// Running text.
    Text = "text", "texts": Texts(Strings);
    /// A string over a small alphabet.
    Sequence = "sequence", "sequences": Sequences(Strings);
    /// A row of a kernel matrix.
    Similarities = "similarities", "rows of a kernel matrix": Similarities(Similarities);
    /// A tree with labelled nodes.
    Tree = "tree", "trees": Trees(Trees);
    /// A set of vectors.
    Set = "set", "sets of vectors": Sets(Sets);
}

impl fmt::Display for ColumnKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Values {
    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
