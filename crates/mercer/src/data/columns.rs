//! What the list of column kinds makes of one line each: what a column is called, what it holds, and what new cells must agree
//! with.

use super::{ColumnKind, Values};
use std::fmt;

/// Kind, name in `--types` and in messages, cells in words, variant of [`Values`] and type of the cells.
macro_rules! columns {
    ($($(#[$doc:meta])* $Kind:ident = $name:literal, $holds:literal: $Variant:ident($(#[$stored:meta])* $Cells:ty) $(in $module:ident)?;)*) => {
        $($(
            mod $module;
            pub use $module::*;
        )?)*

        /// The kind of a column: what one cell is.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        #[non_exhaustive]
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
            /// The content of such a column, in words.
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
            /// See [`Cells::HAS_PARTS`].
            pub fn has_parts(self) -> bool {
                match self { $(ColumnKind::$Kind => <$Cells as Cells>::HAS_PARTS,)* }
            }
            /// See [`Cells::looks_like`].
            pub fn looks_like(self, text: &str) -> bool {
                match self { $(ColumnKind::$Kind => <$Cells as Cells>::looks_like(text),)* }
            }
            /// See [`Cells::could_be`].
            pub fn could_be(self, text: &str) -> bool {
                match self { $(ColumnKind::$Kind => <$Cells as Cells>::could_be(text),)* }
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
        #[non_exhaustive]
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
            /// The schema that new cells must match.
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
            /// See [`Cells::incomplete`].
            pub fn incomplete(&self) -> Vec<usize> {
                match self { $(Values::$Variant(cells) => cells.incomplete(),)* }
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
            /// See [`Cells::parts`].
            pub fn parts(&self, row: usize, width: Option<usize>) -> Parts {
                match self { $(Values::$Variant(cells) => cells.parts(row, width, ColumnKind::$Kind),)* }
            }
            /// See [`Cells::masked`].
            pub fn masked(&self, row: usize, parts: &[Part]) -> Option<Values> {
                Some(match self { $(Values::$Variant(cells) => Values::$Variant(cells.masked(row, parts, ColumnKind::$Kind)?),)* })
            }
        }

        /// What the cells of a column are, with all that new cells must agree with.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case", deny_unknown_fields)]
        #[non_exhaustive]
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
