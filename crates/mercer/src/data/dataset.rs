//! A dataset: named, typed columns of one length.

use super::{Inputs, Points, Similarities, Strings, Written};
use crate::blocks;
use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// The code of a category that was not among the training rows: equal to nothing, not even to itself.
pub const UNSEEN: u32 = u32::MAX;

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sort {
    /// One number a row.
    Number,
    /// A vector a row.
    Points,
    /// One label of a known list a row.
    Category,
    /// Running text.
    Text,
    /// A string over a small alphabet.
    Sequence,
    /// A row of a kernel matrix.
    Similarities,
}

impl Sort {
    /// Every sort.
    pub const ALL: [Sort; 6] = [Sort::Number, Sort::Points, Sort::Category, Sort::Text, Sort::Sequence, Sort::Similarities];
    /// The name in `--types` and in messages.
    pub fn name(self) -> &'static str {
        match self {
            Sort::Number => "number",
            Sort::Points => "points",
            Sort::Category => "category",
            Sort::Text => "text",
            Sort::Sequence => "sequence",
            Sort::Similarities => "similarities",
        }
    }
    /// What such a column holds, in words.
    pub fn holds(self) -> &'static str {
        match self {
            Sort::Number => "numbers",
            Sort::Points => "vectors",
            Sort::Category => "categories",
            Sort::Text => "texts",
            Sort::Sequence => "sequences",
            Sort::Similarities => "rows of a kernel matrix",
        }
    }
}

impl fmt::Display for Sort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

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
    /// Codes for labels, the names sorted.
    pub fn from_labels<S: AsRef<str>>(labels: &[S]) -> Self {
        let mut names: Vec<String> = labels.iter().map(|s| s.as_ref().to_owned()).collect();
        names.sort();
        names.dedup();
        Self::with_names(labels, names)
    }
    /// Codes for labels into a given list of names; other labels become [`UNSEEN`].
    pub fn with_names<S: AsRef<str>>(labels: &[S], names: Vec<String>) -> Self {
        let index: std::collections::HashMap<&str, u32> = names.iter().zip(0u32..).map(|(n, i)| (n.as_str(), i)).collect();
        let codes = labels.iter().map(|s| index.get(s.as_ref()).copied().unwrap_or(UNSEEN)).collect();
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
}

/// The cells of one column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Values {
    /// One number a row. NaN stands for a missing cell until `prep` has filled it; nothing later sees one.
    Numbers(#[serde(with = "blocks::cells")] Vec<f64>),
    /// A vector a row.
    Points(Points),
    /// A label a row.
    Categories(Categories),
    /// Running text.
    Texts(Strings),
    /// Strings over a small alphabet.
    Sequences(Strings),
    /// A row of a kernel matrix each.
    Similarities(Similarities),
}

impl Values {
    /// Rows.
    pub fn len(&self) -> usize {
        match self {
            Values::Numbers(v) => v.len(),
            Values::Points(p) => p.rows(),
            Values::Categories(c) => c.codes.len(),
            Values::Texts(s) | Values::Sequences(s) => s.len(),
            Values::Similarities(s) => s.len(),
        }
    }
    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// The sort of the column.
    pub fn sort(&self) -> Sort {
        match self {
            Values::Numbers(_) => Sort::Number,
            Values::Points(_) => Sort::Points,
            Values::Categories(_) => Sort::Category,
            Values::Texts(_) => Sort::Text,
            Values::Sequences(_) => Sort::Sequence,
            Values::Similarities(_) => Sort::Similarities,
        }
    }
    /// The given rows, in order; a row may be named twice.
    pub fn select(&self, rows: &[usize]) -> Values {
        match self {
            Values::Numbers(v) => Values::Numbers(rows.iter().map(|&i| v[i]).collect()),
            Values::Points(p) => Values::Points(p.select(rows)),
            Values::Categories(c) => {
                Values::Categories(Categories { codes: rows.iter().map(|&i| c.codes[i]).collect(), names: c.names.clone() })
            }
            Values::Texts(s) => Values::Texts(s.select(rows)),
            Values::Sequences(s) => Values::Sequences(s.select(rows)),
            Values::Similarities(s) => Values::Similarities(s.select(rows)),
        }
    }
}

/// A named column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Column {
    /// Its name, unique in the dataset.
    pub name: String,
    /// Its cells.
    pub values: Values,
}

impl Column {
    /// A name for each number of a row: the column's own, or one per coordinate where it holds vectors.
    pub fn numbers(&self) -> Vec<String> {
        match &self.values {
            Values::Points(p) => (0..p.dim()).map(|k| format!("{}[{}]", self.name, k + 1)).collect(),
            _ => vec![self.name.clone()],
        }
    }
}

/// Named columns of one length.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Dataset {
    rows: usize,
    columns: Vec<Column>,
    /// Columns that were not written plainly.
    written: BTreeMap<String, Written>,
}

/// A stored dataset is checked like a new one.
impl<'de> Deserialize<'de> for Dataset {
    fn deserialize<D: serde::Deserializer<'de>>(d: D) -> std::result::Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Stored {
            rows: usize,
            columns: Vec<Column>,
            #[serde(default)]
            written: BTreeMap<String, Written>,
        }
        let Stored { rows, columns, written } = Stored::deserialize(d)?;
        let checked = Dataset::with_rows(rows, columns).map_err(serde::de::Error::custom)?;
        Ok(Dataset { written, ..checked })
    }
}

impl Dataset {
    /// A dataset of the given columns: at least one, of one length, names unique.
    pub fn new(columns: Vec<Column>) -> Result<Self> {
        let rows = columns.first().map_or(0, |c| c.values.len());
        Self::with_rows(rows, columns)
    }

    /// A dataset of `rows` rows, possibly without any column (a table with only a target).
    pub fn with_rows(rows: usize, columns: Vec<Column>) -> Result<Self> {
        let mut seen = std::collections::HashSet::new();
        for c in &columns {
            if c.values.len() != rows {
                return Err(Error::Shape { what: format!("rows of column '{}'", c.name), expected: rows, found: c.values.len() });
            }
            if let Values::Categories(cat) = &c.values
                && let Some(code) = cat.codes.iter().find(|&&k| k != UNSEEN && k as usize >= cat.names.len())
            {
                return Err(Error::Data(format!("column '{}': category code {code} has no name", c.name)));
            }
            if !seen.insert(&c.name) {
                return Err(Error::Data(format!("column name '{}' stands twice; rename one of them", c.name)));
            }
        }
        Ok(Dataset { rows, columns, written: BTreeMap::new() })
    }

    /// A dataset of one column named `x` that holds points.
    pub fn from_points(points: Points) -> Self {
        let rows = points.rows();
        Dataset { rows, columns: vec![Column { name: "x".into(), values: Values::Points(points) }], written: BTreeMap::new() }
    }

    /// Rows.
    pub fn rows(&self) -> usize {
        self.rows
    }
    /// The columns, in order.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }
    /// The columns, given up.
    pub fn into_columns(self) -> Vec<Column> {
        self.columns
    }
    /// Column names, in order.
    pub fn names(&self) -> Vec<&str> {
        self.columns.iter().map(|c| c.name.as_str()).collect()
    }
    /// Where the named column stands.
    pub fn position(&self, name: &str) -> Result<usize> {
        self.columns.iter().position(|c| c.name == name).ok_or_else(|| Error::unknown("column", name, self.names()))
    }
    /// The named column.
    pub fn column(&self, name: &str) -> Result<&Column> {
        Ok(&self.columns[self.position(name)?])
    }
    /// Takes the named column out.
    pub fn take(&mut self, name: &str) -> Result<Column> {
        let at = self.position(name)?;
        Ok(self.columns.remove(at))
    }
    /// The given rows, in order; a row may be named twice.
    pub fn select(&self, rows: &[usize]) -> Dataset {
        let columns = self.columns.iter().map(|c| Column { name: c.name.clone(), values: c.values.select(rows) }).collect();
        Dataset { rows: rows.len(), columns, written: self.written.clone() }
    }
    /// How a column was written in the table that it was read from.
    pub fn written(&self, name: &str) -> Written {
        self.written.get(name).cloned().unwrap_or_default()
    }
    /// The same dataset, which remembers how a column was written.
    pub(crate) fn remember(mut self, name: &str, written: Written) -> Self {
        if written != Written::default() {
            self.written.insert(name.to_owned(), written);
        }
        self
    }
}
