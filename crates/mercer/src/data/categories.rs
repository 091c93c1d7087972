//! Columns of labels: codes into a list of names.

use super::Strings;
use super::cells::{Cells, Draw};
use super::letters::composed;
use crate::blocks;
use crate::error::Result;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// The code of a category that was not among the training rows: equal to nothing, not even to itself.
pub const UNSEEN: u32 = u32::MAX;

/// The label of a missing cell in a column of categories.
pub const MISSING: &str = "(missing)";

/// Labels as codes into a list of names.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Categories {
    /// One code a row; [`UNSEEN`] for a label that is not in the list.
    #[serde(with = "blocks::u32s")]
    pub codes: Vec<u32>,
    /// The names, in sorted order where the column was read from text.
    pub names: Vec<String>,
}

impl Categories {
    /// Codes for labels, the names sorted. Letters are composed (NFC): a label is the same in however many characters it came.
    pub fn from_labels<S: AsRef<str>>(labels: &[S]) -> Self {
        let mut names: Vec<String> = labels.iter().map(|s| composed(s.as_ref().into()).into_owned()).collect();
        names.sort();
        names.dedup();
        Self::with_names(labels, names)
    }
    /// Codes for labels into a given list of names; other labels become [`UNSEEN`].
    pub fn with_names<S: AsRef<str>>(labels: &[S], names: Vec<String>) -> Self {
        let index: std::collections::HashMap<Cow<'_, str>, u32> =
            names.iter().zip(0u32..).map(|(n, i)| (composed(n.as_str().into()), i)).collect();
        let codes = labels.iter().map(|s| index.get(&composed(s.as_ref().into())).copied().unwrap_or(UNSEEN)).collect();
        drop(index);
        Categories { codes, names }
    }
    /// The labels as strings, empty where a cell is missing or its label unseen.
    pub fn strings(&self) -> Strings {
        Strings::new((0..self.codes.len()).map(|i| self.label(i).filter(|label| *label != MISSING).unwrap_or_default()))
    }
    /// The label of a row; `None` if unseen.
    pub fn label(&self, row: usize) -> Option<&str> {
        self.names.get(*self.codes.get(row)? as usize).map(String::as_str)
    }
    /// Recodes the labels by another list of names; labels missing from it become [`UNSEEN`].
    pub fn recoded(&self, names: &[String]) -> Categories {
        let place = Categories::with_names(&self.names, names.to_vec()).codes;
        let codes = self.codes.iter().map(|&k| place.get(k as usize).copied().unwrap_or(UNSEEN)).collect();
        Categories { codes, names: names.to_vec() }
    }
}

impl Cells for Categories {
    /// The training labels; the place of a label is its code.
    type Schema = Vec<String>;
    const WRITTEN: Option<&'static str> = Some("a label");

    fn len(&self) -> usize {
        self.codes.len()
    }
    fn select(&self, rows: &[usize]) -> Self {
        Categories { codes: rows.iter().map(|&i| self.codes[i]).collect(), names: self.names.clone() }
    }
    fn schema(&self) -> Vec<String> {
        self.names.clone()
    }
    fn aligned(&self, names: &Vec<String>, _: &str) -> Result<Self> {
        Ok(if self.names == *names { self.clone() } else { self.recoded(names) })
    }
    fn texts(&self) -> Option<Cow<'_, Strings>> {
        Some(Cow::Owned(self.strings()))
    }
    fn cell(&self, row: usize) -> serde_json::Value {
        self.label(row).into()
    }
    fn words(&self, row: usize, word: &mut dyn FnMut(u64)) {
        word(u64::from(self.codes[row]));
    }
    fn describe(&self) -> String {
        // Labels that a description names.
        const SHOWN: usize = 8;
        let named = self.names.iter().take(SHOWN).map(String::as_str).collect::<Vec<_>>().join(", ");
        match self.names.len() {
            1 => format!("1 label: {named}"),
            n if n > SHOWN => format!("{n} labels: {named}, ..."),
            n => format!("{n} labels: {named}"),
        }
    }
    fn missing(&self) -> Vec<usize> {
        (0..self.codes.len()).filter(|&i| self.label(i) == Some(MISSING)).collect()
    }
    fn is_constant(&self) -> bool {
        self.codes.windows(2).all(|w| w[0] == w[1])
    }
    fn invent(draw: &mut Draw) -> Option<Self> {
        let labels: Vec<&str> = (0..draw.rows).map(|_| draw.one_of(&["a", "b", "c"])).collect();
        Some(Categories::from_labels(&labels))
    }
}
