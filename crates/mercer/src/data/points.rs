//! A batch of points: rows of numbers, dense or compressed sparse rows (CSR), behind one type.

use super::cells::{Cells, Misfit, word_of_number};
use super::{ColumnKind, Dataset, Inputs, PER_FUNCTION, Values};
use crate::blocks;
use crate::error::{Error, Result};
use crate::linalg::SCATTERED;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::sync::Arc;

/// `rows` points of `dim` numbers. A clone shares them, and so does the choice of all rows.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Points {
    rows: usize,
    dim: usize,
    #[serde(serialize_with = "shared")]
    storage: Arc<Storage>,
}

fn shared<S: Serializer>(storage: &Arc<Storage>, s: S) -> std::result::Result<S::Ok, S::Error> {
    storage.as_ref().serialize(s)
}

/// How the numbers lie in memory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Storage {
    /// Row after row.
    Dense(#[serde(with = "blocks::f64s")] Vec<f64>),
    /// Row i holds `values[starts[i]..starts[i + 1]]` in columns `columns[..]`, which ascend.
    Csr {
        /// `rows + 1` offsets.
        #[serde(with = "blocks::usizes")]
        starts: Vec<usize>,
        /// The column of each stored number.
        #[serde(with = "blocks::u32s")]
        columns: Vec<u32>,
        /// The stored numbers.
        #[serde(with = "blocks::f64s")]
        values: Vec<f64>,
    },
}

/// Stored points are checked like new ones.
impl<'de> Deserialize<'de> for Points {
    fn deserialize<D: Deserializer<'de>>(d: D) -> std::result::Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Stored {
            rows: usize,
            dim: usize,
            storage: Storage,
        }
        let Stored { rows, dim, storage } = Stored::deserialize(d)?;
        match storage {
            Storage::Dense(values) => Points::dense(rows, dim, values),
            Storage::Csr { starts, columns, values } => Points::csr(rows, dim, starts, columns, values),
        }
        .map_err(serde::de::Error::custom)
    }
}

impl Points {
    fn of(rows: usize, dim: usize, storage: Storage) -> Self {
        Points { rows, dim, storage: Arc::new(storage) }
    }

    /// Dense points, row after row; every number finite.
    pub fn dense(rows: usize, dim: usize, values: Vec<f64>) -> Result<Self> {
        if rows.checked_mul(dim) != Some(values.len()) {
            return Err(Error::Shape {
                what: format!("numbers of {rows} points of {dim}"),
                expected: rows.saturating_mul(dim),
                found: values.len(),
            });
        }
        finite(&values, |k| (k / dim.max(1), k % dim.max(1)))?;
        Ok(Points::of(rows, dim, Storage::Dense(values)))
    }

    /// Dense points that a kernel has computed from checked points; `values` has `rows * dim` numbers.
    pub(crate) fn computed(rows: usize, dim: usize, values: Vec<f64>) -> Self {
        debug_assert_eq!(values.len(), rows * dim);
        Points::of(rows, dim, Storage::Dense(values))
    }

    /// Bytes that working with sparse points takes for each of their columns, empty or not.
    pub const BYTES_PER_COLUMN: u64 = 32;

    /// Sparse points in CSR form; columns ascend within a row and lie below `dim`, every number finite.
    pub fn csr(rows: usize, dim: usize, starts: Vec<usize>, columns: Vec<u32>, values: Vec<f64>) -> Result<Self> {
        let fault = |why: &str| Err(Error::Data(format!("sparse points: {why}")));
        if u32::try_from(dim).is_err() {
            return fault("a dimension above 4294967295 has no column numbers");
        }
        if Some(starts.len()) != rows.checked_add(1) || starts[0] != 0 || starts[rows] != values.len() || columns.len() != values.len() {
            return fault("offsets, columns and values do not fit together");
        }
        if starts.windows(2).any(|w| w[0] > w[1]) {
            return fault("offsets must not fall");
        }
        for w in starts.windows(2) {
            let row = &columns[w[0]..w[1]];
            if row.windows(2).any(|c| c[0] >= c[1]) || row.last().is_some_and(|&c| c as usize >= dim) {
                return fault("columns must ascend within a row and lie below the dimension");
            }
        }
        finite(&values, |k| (starts.partition_point(|&s| s <= k) - 1, columns[k] as usize))?;
        Ok(Points::of(rows, dim, Storage::Csr { starts, columns, values }))
    }

    /// Number of points.
    pub fn rows(&self) -> usize {
        self.rows
    }
    /// Numbers per point.
    pub fn dim(&self) -> usize {
        self.dim
    }
    /// The numbers, taken out.
    pub(crate) fn into_storage(self) -> Storage {
        Arc::try_unwrap(self.storage).unwrap_or_else(|shared| shared.as_ref().clone())
    }
    /// The numbers as they lie in memory.
    pub fn storage(&self) -> &Storage {
        &self.storage
    }

    /// Whether the points are held sparse.
    pub fn is_sparse(&self) -> bool {
        matches!(*self.storage, Storage::Csr { .. })
    }

    /// All numbers, row after row; a copy where the points are sparse.
    pub fn to_dense(&self) -> Cow<'_, [f64]> {
        match self.storage.as_ref() {
            Storage::Dense(v) => Cow::Borrowed(v),
            Storage::Csr { starts, columns, values } => {
                let mut out = vec![0.0; self.rows * self.dim];
                for (i, w) in starts.windows(2).enumerate() {
                    for k in w[0]..w[1] {
                        out[i * self.dim + columns[k] as usize] = values[k];
                    }
                }
                Cow::Owned(out)
            }
        }
    }
}

/// The numbers of a vector as they are written, two at least but in square brackets: `48.1, 11.5`, `48.1;11.5`, `(48.1 11.5)`, `48,1; 11,5`.
fn numbers_of(text: &str) -> Option<Vec<&str>> {
    let pairs = [('(', ')'), ('[', ']')];
    let inner = pairs.into_iter().find_map(|(open, close)| text.strip_prefix(open)?.strip_suffix(close));
    let bare = inner.unwrap_or(text);
    let items: Vec<&str> = if bare.contains(';') {
        bare.split(';').map(str::trim).collect()
    } else if bare.contains(", ") || (bare.contains(',') && (inner.is_some() || bare.matches('.').count() > 1)) {
        bare.split(',').map(str::trim).collect()
    } else if inner.is_some() {
        bare.split_whitespace().collect()
    } else {
        return None;
    };
    let sound = |item: &&str| {
        let mark = if bare.contains(';') && !item.contains('.') { item.replacen(',', ".", 1) } else { (*item).to_owned() };
        mark.bytes().any(|b| b.is_ascii_digit()) && mark.parse::<f64>().is_ok()
    };
    ((items.len() > 1 || text.starts_with('[')) && items.iter().all(sound)).then_some(items)
}

impl Cells for Points {
    /// Numbers per vector.
    type Schema = usize;
    const WRITTEN: Option<&'static str> = Some("a vector such as '48.1, 11.5' or (48.1, 11.5)");

    fn len(&self) -> usize {
        self.rows
    }
    fn select(&self, rows: &[usize]) -> Self {
        if rows.len() == self.rows && rows.iter().enumerate().all(|(k, i)| k == *i) {
            return self.clone();
        }
        let storage = match self.storage.as_ref() {
            Storage::Dense(v) => {
                let mut some = Vec::with_capacity(rows.len() * self.dim);
                rows.iter().for_each(|&i| some.extend_from_slice(&v[i * self.dim..(i + 1) * self.dim]));
                Storage::Dense(some)
            }
            Storage::Csr { starts, columns, values } => {
                let mut s = vec![0];
                let (mut c, mut v) = (Vec::new(), Vec::new());
                for &i in rows {
                    c.extend_from_slice(&columns[starts[i]..starts[i + 1]]);
                    v.extend_from_slice(&values[starts[i]..starts[i + 1]]);
                    s.push(v.len());
                }
                Storage::Csr { starts: s, columns: c, values: v }
            }
        };
        Points::of(rows.len(), self.dim, storage)
    }
    fn schema(&self) -> usize {
        self.dim
    }
    fn aligned(&self, dim: &usize, column: &str) -> Result<Self> {
        Error::unless_equal(&format!("numbers per row of column '{column}'"), *dim, self.dim)?;
        Ok(self.clone())
    }
    /// Whole numbers alone may be a list of labels.
    fn looks_like(text: &str) -> bool {
        numbers_of(text).is_some_and(|items| items.iter().all(|item| item.contains(['.', ','])))
    }
    fn could_be(text: &str) -> bool {
        numbers_of(text).is_some()
    }
    fn parse(texts: &mut dyn Iterator<Item = &str>) -> std::result::Result<Self, Misfit> {
        let (mut values, mut rows, mut dim) = (Vec::new(), 0, None);
        for (row, text) in texts.enumerate() {
            let written = Self::WRITTEN.unwrap_or_default();
            let misfit = |expected: String| Misfit { row, found: text.to_owned(), expected };
            let items = numbers_of(text).ok_or_else(|| misfit(format!("{written}; a vector cannot be missing")))?;
            let dim = *dim.get_or_insert(items.len());
            if items.len() != dim {
                return Err(misfit(format!("a vector of {dim} numbers, as in row 1")));
            }
            let number = |item: &&str| item.replace(',', ".").parse::<f64>().ok().filter(|x| x.is_finite());
            values.extend(items.iter().map(number).collect::<Option<Vec<f64>>>().ok_or_else(|| misfit(written.to_owned()))?);
            rows += 1;
        }
        let misfit = |e: Error| Misfit { row: 0, found: String::new(), expected: e.to_string() };
        Points::dense(rows, dim.unwrap_or(0), values).map_err(misfit)
    }
    fn cell(&self, row: usize) -> serde_json::Value {
        serde_json::json!(self.select(&[row]).to_dense())
    }
    fn words(&self, row: usize, word: &mut dyn FnMut(u64)) {
        match self.storage.as_ref() {
            Storage::Dense(v) => v[row * self.dim..(row + 1) * self.dim].iter().for_each(|x| word(word_of_number(*x))),
            Storage::Csr { starts, columns, values } => {
                for k in starts[row]..starts[row + 1] {
                    word(u64::from(columns[k]));
                    word(word_of_number(values[k]));
                }
                word(u64::MAX);
            }
        }
    }
    fn describe(&self) -> String {
        format!("vectors of {} {}", self.dim, if self.dim == 1 { "number" } else { "numbers" })
    }
    fn stored(&self) -> usize {
        if self.is_sparse() { 2 * self.rows } else { self.rows * self.dim }
    }
    fn vectors(&self) -> Option<&Points> {
        Some(self)
    }
    fn with_vectors(&self, vectors: Points) -> Option<Self> {
        Some(vectors)
    }
}

fn finite(values: &[f64], place: impl Fn(usize) -> (usize, usize)) -> Result<()> {
    match values.iter().position(|v| !v.is_finite()) {
        None => Ok(()),
        Some(k) => {
            let (row, column) = place(k);
            Err(Error::Data(format!(
                "row {}, column {}: found {}, expected a finite number; fill or drop missing cells first",
                row + 1,
                column + 1,
                values[k]
            )))
        }
    }
}

impl Inputs for Points {
    const NEEDS: &'static str = "number columns";

    fn takes(kind: ColumnKind) -> bool {
        matches!(kind, ColumnKind::Number | ColumnKind::Points)
    }

    fn gather<'a>(data: &'a Dataset, columns: &[usize]) -> Result<Cow<'a, Self>> {
        if let [one] = columns
            && let Values::Points(p) = &data.columns()[*one].values
        {
            return Ok(Cow::Borrowed(p));
        }
        let parts: Vec<(usize, Cow<'_, [f64]>)> = columns
            .iter()
            .filter_map(|&c| match &data.columns()[c].values {
                Values::Numbers(v) => Some((1, Cow::Borrowed(v.as_slice()))),
                Values::Points(p) => Some((p.dim(), p.to_dense())),
                _ => None,
            })
            .collect();
        let dim: usize = parts.iter().map(|(d, _)| d).sum();
        let mut values = Vec::with_capacity(data.rows() * dim);
        for i in 0..data.rows() {
            for (d, part) in &parts {
                values.extend_from_slice(&part[i * d..(i + 1) * d]);
            }
        }
        Points::dense(data.rows(), dim, values).map(Cow::Owned)
    }

    /// A product or a difference for each number, of sparse ones for those that both have, and a function of their sum.
    fn per_pair(&self) -> f64 {
        match self.storage.as_ref() {
            Storage::Dense(_) => PER_FUNCTION + 2.0 * self.dim() as f64,
            Storage::Csr { columns, .. } => {
                let mut held = vec![0.0; self.dim()];
                columns.iter().for_each(|&c| held[c as usize] += 1.0);
                let pairs = (self.rows() as f64).powi(2).max(1.0);
                PER_FUNCTION + 2.0 * SCATTERED * held.iter().map(|count| count * count).sum::<f64>() / pairs
            }
        }
    }
    fn len(&self) -> usize {
        self.rows
    }
}
