//! The interface of every kind of column: all that the rooms above need of its cells.

use super::{ColumnKind, Part, Parts, Points, Strings};
use crate::error::{Error, Result};
use rand::{RngExt, SeedableRng};
use rand_distr::{Distribution, StandardNormal};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Serialize, de::DeserializeOwned};
use std::borrow::Cow;
use std::fmt;

/// The words that stand for a missing cell in every column, besides every spelling of NaN: those of pandas.read_csv, and `?`.
pub(crate) const MISSING_WORDS: [&str; 12] = ["", "NA", "N/A", "n/a", "#N/A", "#NA", "<NA>", "NULL", "Null", "null", "None", "?"];

/// The cells of a column of one kind. A new kind is a file with this trait and one line of the list in `mod.rs`.
pub trait Cells: Clone + PartialEq + fmt::Debug + Serialize + DeserializeOwned + Send + Sync + Sized {
    /// The schema that new cells must match, such as a width; `()` where there is nothing.
    type Schema: Clone + PartialEq + fmt::Debug + Serialize + DeserializeOwned;
    /// What a cell of text must be to be read as this kind, with an example; `None` where no column of text is.
    const WRITTEN: Option<&'static str> = None;
    /// What a missing cell is taken as, where there is such a cell: "the empty text".
    const EMPTY: Option<&'static str> = None;
    /// Whether cells have parts that can be masked.
    const HAS_PARTS: bool = false;

    /// Rows.
    fn len(&self) -> usize;
    /// Whether there are no rows.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// The given rows, in order; a row may be named twice.
    ///
    /// # Panics
    /// A row that there is not.
    fn select(&self, rows: &[usize]) -> Self;
    /// The schema that new cells must match.
    fn schema(&self) -> Self::Schema;
    /// Converts the cells to the schema of the training cells, as a fitted model takes them.
    ///
    /// # Errors
    /// Cells that do not agree with it, by the name of their column.
    fn aligned(&self, _schema: &Self::Schema, _column: &str) -> Result<Self> {
        Ok(self.clone())
    }
    /// Whether a text that nobody has declared is meant as such a cell.
    fn looks_like(_text: &str) -> bool {
        false
    }
    /// Whether a text beside others that look like such cells can be one of them, though it does not look like one itself.
    fn could_be(text: &str) -> bool {
        Self::looks_like(text)
    }
    /// Cells from text, an empty text where one is missing.
    ///
    /// # Errors
    /// The first text that is no such cell.
    fn parse(_texts: &mut dyn Iterator<Item = &str>) -> std::result::Result<Self, Misfit> {
        Err(Misfit { row: 0, found: String::new(), expected: "what is not written as text".into() })
    }
    /// The cells as texts, where they are strings of some kind.
    fn texts(&self) -> Option<Cow<'_, Strings>> {
        None
    }
    /// One cell, for reports.
    fn cell(&self, row: usize) -> serde_json::Value;
    /// A cell as words that are equal where the cells are.
    fn words(&self, row: usize, word: &mut dyn FnMut(u64)) {
        words_of_text(&self.cell(row).to_string(), word);
    }
    /// A description of the cells, in a few words.
    fn describe(&self) -> String;
    /// Rows whose cell is missing.
    fn missing(&self) -> Vec<usize> {
        Vec::new()
    }
    /// Rows whose cell is missing, or lacks a number that it should hold.
    fn incomplete(&self) -> Vec<usize> {
        self.missing()
    }
    /// Whether all rows hold one value, which carries no information; kinds that are left to their kernels say no.
    fn is_constant(&self) -> bool {
        false
    }
    /// Numbers and words that the cells are stored as, for plans of memory.
    fn stored(&self) -> usize {
        self.len()
    }
    /// The vectors that the cells are made of, where they are.
    fn vectors(&self) -> Option<&Points> {
        None
    }
    /// The row that one of them belongs to.
    fn owner(&self, vector: usize) -> usize {
        vector
    }
    /// Cells of this structure made of other vectors, as many as [`Cells::vectors`] gives.
    fn with_vectors(&self, _vectors: Points) -> Option<Self> {
        None
    }
    /// The parts of a cell of a column of this kind: stretches of `width` units where these are in order, of the usual width without one.
    fn parts(&self, _row: usize, _width: Option<usize>, _kind: ColumnKind) -> Parts {
        Parts::default()
    }
    /// A cell without each of some of its parts in turn.
    fn masked(&self, _row: usize, _parts: &[Part], _kind: ColumnKind) -> Option<Self> {
        None
    }
    /// Cells that are made up, to test kernels on.
    fn invent(_draw: &mut Draw) -> Option<Self> {
        None
    }
    /// A cell, and `others` that are each one change away from it.
    fn star(_others: usize) -> Option<Self> {
        None
    }
}

/// A text that is no cell of the kind that it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misfit {
    /// Its row, from 0.
    pub row: usize,
    /// The text.
    pub found: String,
    /// What was expected, and where the text departs from it.
    pub expected: String,
}

impl Misfit {
    /// The error of cells that stand in no column yet.
    pub fn alone(self) -> Error {
        Error::Data(format!("row {}: found '{}', expected {}", self.row + 1, self.found, self.expected))
    }
    /// The error of a column that came from no file.
    pub fn of_column(self, column: &str) -> Error {
        Error::Data(format!("row {}, column '{column}': found '{}', expected {}", self.row + 1, self.found, self.expected))
    }
}

/// A text as words: its length, then its bytes, eight a word.
pub(super) fn words_of_text(text: &str, word: &mut dyn FnMut(u64)) {
    word(text.len() as u64);
    for part in text.as_bytes().chunks(8) {
        let mut bytes = [0; 8];
        bytes[..part.len()].copy_from_slice(part);
        word(u64::from_le_bytes(bytes));
    }
}

/// A number as a word; all missing ones are one.
pub(super) fn word_of_number(x: f64) -> u64 {
    if x.is_nan() { u64::MAX } else { (x + 0.0).to_bits() }
}

/// How cells are made up.
#[derive(Clone, Debug)]
pub struct Draw {
    /// How many.
    pub rows: usize,
    /// Standard deviation of numbers.
    pub scale: f64,
    /// Whether numbers are 0 or above.
    pub positive: bool,
    /// Whether numbers lie near one of few.
    pub clustered: bool,
    /// Whether numbers are counts: whole, and 0 or above.
    pub counts: bool,
    random: Xoshiro256PlusPlus,
}

impl Draw {
    /// Rows of numbers of both signs with deviation 1.
    pub fn new(rows: usize, seed: u64) -> Self {
        Draw { rows, scale: 1.0, positive: false, clustered: false, counts: false, random: Xoshiro256PlusPlus::seed_from_u64(seed) }
    }
    /// A number.
    pub fn number(&mut self) -> f64 {
        // Where clusters of numbers lie, and their deviation.
        const CENTRES: [f64; 4] = [-2.0, -0.5, 0.5, 2.0];
        const SPREAD: f64 = 0.01;
        let normal: f64 = StandardNormal.sample(&mut self.random);
        let x = match self.clustered {
            true => self.scale * (self.one_of(&CENTRES) + SPREAD * normal),
            false => self.scale * normal,
        };
        match self.counts {
            true => x.abs().round(),
            false if self.positive => x.abs(),
            false => x,
        }
    }
    /// A whole number from `low` up to and without `high`.
    pub fn whole(&mut self, low: usize, high: usize) -> usize {
        self.random.random_range(low..high)
    }
    /// One of some values.
    pub fn one_of<T: Copy>(&mut self, values: &[T]) -> T {
        values[self.whole(0, values.len())]
    }
}
