//! Kernel values that are there already: for every row its values with named items, one of which it is itself.

use super::cells::Cells;
use super::{Arity, ColumnKind, Dataset, Inputs, Values};
use crate::blocks;
use crate::error::{Error, Result};
use crate::linalg::Matrix;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

/// The place of a row that is none of the items.
const NONE: u32 = u32::MAX;

/// Values of a kernel between the rows of a column and named items. A clone shares them.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Similarities {
    names: Vec<String>,
    #[serde(with = "blocks::u32s")]
    own: Vec<u32>,
    /// Rows x names; rows x 0 where the rows are there to be compared with, and only as items.
    #[serde(serialize_with = "shared")]
    values: Arc<Matrix>,
    /// k(x, x) of every row; none where rows are no items and nobody has said it.
    #[serde(with = "blocks::f64s")]
    squares: Vec<f64>,
    /// Two items whose values do not mirror each other, in words; none where all do.
    #[serde(skip)]
    first_asymmetry: Option<Arc<str>>,
}

fn shared<S: Serializer>(values: &Arc<Matrix>, s: S) -> std::result::Result<S::Ok, S::Error> {
    values.as_ref().serialize(s)
}

/// Stored similarities are checked like new ones.
impl<'de> Deserialize<'de> for Similarities {
    fn deserialize<D: Deserializer<'de>>(d: D) -> std::result::Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Stored {
            names: Vec<String>,
            #[serde(with = "blocks::u32s")]
            own: Vec<u32>,
            values: Matrix,
            #[serde(with = "blocks::f64s")]
            squares: Vec<f64>,
        }
        let Stored { names, own, values, squares } = Stored::deserialize(d)?;
        let found = Similarities { names, own, values: Arc::new(values), squares, first_asymmetry: None };
        found.checked().map_err(serde::de::Error::custom)
    }
}

/// What is known of the kernel among new rows that are none of the training rows.
#[derive(Clone, Debug)]
pub enum Own {
    /// Nothing: their variance is unknown.
    Unknown,
    /// k(x, x) of each.
    Squares(Vec<f64>),
    /// The kernel between any two of them.
    Among(Matrix),
}

impl Similarities {
    /// `values` (rows x names): the kernel of every row with every named item; `own[i]` is the place of row i among the names.
    pub fn new(names: Vec<String>, own: Vec<u32>, values: Matrix) -> Result<Self> {
        Error::unless_equal("rows of a kernel matrix", own.len(), values.rows())?;
        Error::unless_equal("columns of a kernel matrix", names.len(), values.cols())?;
        let squares = own.iter().enumerate().map(|(i, &k)| values.row(i).get(k as usize).copied().unwrap_or_default()).collect();
        Similarities { names, own, values: Arc::new(values), squares, first_asymmetry: None }.checked()
    }

    fn checked(mut self) -> Result<Self> {
        Error::unless_equal("rows of a kernel matrix", self.own.len(), self.values.rows())?;
        if self.values.cols() > 0 {
            Error::unless_equal("columns of a kernel matrix", self.names.len(), self.values.cols())?;
        }
        if !self.squares.is_empty() {
            Error::unless_equal("the diagonal of a kernel matrix", self.own.len(), self.squares.len())?;
        }
        match self.own.iter().find(|k| **k != NONE && **k as usize >= self.names.len()) {
            Some(k) => Err(Error::Data(format!("a row of a kernel matrix says that it is item {k}, and there are {}", self.names.len()))),
            None => {
                self.first_asymmetry = first_asymmetry(&self.values, &self.own, &self.names);
                Ok(self)
            }
        }
    }

    /// Training rows from the kernel values among them (N x N): they are the items 0, 1, 2, ...
    ///
    /// # Errors
    /// A matrix that is not square, or a value that is not finite.
    pub fn among(values: Matrix) -> Result<Self> {
        let rows = values.rows();
        Error::unless_equal("columns of a square kernel matrix", rows, values.cols())?;
        finite(&values)?;
        Similarities::new((0..rows).map(|i| i.to_string()).collect(), every(rows), values)
    }

    /// The items under these names.
    ///
    /// # Errors
    /// Another number of names.
    pub fn named(self, names: Vec<String>) -> Result<Self> {
        Error::unless_equal("names of the rows of a kernel matrix", self.names.len(), names.len())?;
        Similarities { names, ..self }.checked()
    }

    /// Training rows of which no kernel value is known: for a method that looks at none while it is fitted.
    pub fn items(rows: usize) -> Self {
        let (names, values) = ((0..rows).map(|i| i.to_string()).collect(), Arc::new(Matrix::zeros(rows, 0)));
        Similarities { names, own: every(rows), values, squares: vec![0.0; rows], first_asymmetry: None }
    }

    /// New rows from their kernel values with the items that a model was fitted on (M x items).
    ///
    /// # Errors
    /// Another number of columns, a value that is not finite, and values among the new rows that are not M x M.
    pub fn against(items: &[String], values: Matrix, own: Own) -> Result<Self> {
        let rows = values.rows();
        Error::unless_equal("columns of kernel values with the training rows", items.len(), values.cols())?;
        finite(&values)?;
        let (names, unknown) = (items.to_vec(), vec![NONE; rows]);
        match own {
            Own::Unknown => {
                Similarities { names, own: unknown, values: Arc::new(values), squares: Vec::new(), first_asymmetry: None }.checked()
            }
            Own::Squares(squares) => {
                Error::unless_equal("the diagonal of a kernel matrix", rows, squares.len())?;
                if let Some(row) = squares.iter().position(|v| !v.is_finite()) {
                    let found = squares[row];
                    return Err(Error::Data(format!("the diagonal holds {found} in row {}; every kernel value must be finite", row + 1)));
                }
                Similarities { names, own: unknown, values: Arc::new(values), squares, first_asymmetry: None }.checked()
            }
            Own::Among(among) => {
                Error::unless_equal("columns of kernel values among new rows", rows, among.cols())?;
                Error::unless_equal("rows of kernel values among new rows", rows, among.rows())?;
                finite(&among)?;
                let all = Matrix::from_fn(rows, items.len() + rows, |i, j| match j.checked_sub(items.len()) {
                    Some(j) => among[(i, j)],
                    None => values[(i, j)],
                });
                let own = (items.len()..items.len() + rows).filter_map(|k| u32::try_from(k).ok()).collect();
                Similarities::new(names.into_iter().chain((0..rows).map(|i| format!("new {i}"))).collect(), own, all)
            }
        }
    }

    /// The rows as reference items that others are compared with, without values of their own.
    #[must_use]
    pub fn as_items(&self) -> Self {
        Similarities { values: Arc::new(Matrix::zeros(self.own.len(), 0)), first_asymmetry: None, ..self.clone() }
    }

    /// Whether the rows have no values of their own.
    pub fn are_items(&self) -> bool {
        self.values.cols() < self.names.len()
    }

    /// The values where the rows are all items, in their order.
    pub fn among_themselves(&self) -> Option<&Matrix> {
        let every = self.values.cols() == self.own.len() && self.own.iter().enumerate().all(|(i, k)| *k as usize == i);
        every.then_some(self.values.as_ref())
    }

    /// k(x, x) of every row, where it is known.
    pub fn squares(&self) -> Option<&[f64]> {
        (self.squares.len() == self.own.len()).then_some(self.squares.as_slice())
    }

    /// Two items whose values do not mirror each other, in words; `None` where the matrix that was given is symmetric.
    pub fn first_asymmetry(&self) -> Option<&str> {
        self.first_asymmetry.as_deref()
    }

    /// The rows that `wanted` names, looked up in a square kernel matrix; `names[i]` is what its row and column i are called.
    ///
    /// # Errors
    /// A matrix that is not square and finite, a name that stands twice, a wanted one that is not there.
    pub fn looked_up<S: AsRef<str>>(names: Vec<String>, values: &Matrix, wanted: &[S]) -> Result<Self> {
        Error::unless_equal("rows of the kernel matrix", names.len(), values.rows())?;
        Error::unless_equal("columns of the kernel matrix", names.len(), values.cols())?;
        if let Some(k) = values.data().iter().position(|x| !x.is_finite()) {
            let (row, column, found) = (k / names.len() + 1, &names[k % names.len()], values.data()[k]);
            return Err(Error::Data(format!("row {row}, column '{column}' of the kernel matrix: found {found}, expected a finite number")));
        }
        // Of the whole matrix: a new row and a training row may be unlike each other too.
        let first_asymmetry = first_asymmetry(values, &every(names.len()), &names);
        let place: HashMap<&str, u32> = names.iter().zip(0u32..).map(|(name, k)| (name.as_str(), k)).collect();
        if place.len() < names.len() {
            return Err(Error::Data("a name stands twice in the kernel matrix".into()));
        }
        let own = wanted.iter().map(AsRef::as_ref).enumerate().map(|(i, name)| {
            let found = place.get(name).copied();
            found.ok_or_else(|| Error::Data(format!("row {} is called '{name}', which is not among the names of the kernel matrix", i + 1)))
        });
        let own = own.collect::<Result<Vec<u32>>>()?;
        let rows: Vec<usize> = own.iter().map(|&k| k as usize).collect();
        let squares = rows.iter().map(|&k| values[(k, k)]).collect();
        Ok(Similarities { names, own, values: Arc::new(values.select_rows(&rows)), squares, first_asymmetry })
    }

    /// Names of the items, in the order of the columns.
    pub fn names(&self) -> &[String] {
        &self.names
    }
    /// Where row i stands among the names; beyond them where it is none of them.
    pub fn own(&self, i: usize) -> usize {
        self.own[i] as usize
    }
    /// The kernel of row i with every item.
    pub fn row(&self, i: usize) -> &[f64] {
        self.values.row(i)
    }

    /// Reorders the values by the items of another list; items of the rows themselves follow it. An error names an item of the
    /// list that is missing here.
    pub fn with_items(&self, names: &[String]) -> Result<Self> {
        if self.names.starts_with(names) {
            return Ok(self.clone());
        }
        let place: HashMap<&str, usize> = self.names.iter().enumerate().map(|(k, n)| (n.as_str(), k)).collect();
        let mut order = Vec::with_capacity(names.len());
        for name in names {
            order.push(*place.get(name.as_str()).ok_or_else(|| {
                Error::Data(format!("the kernel matrix has no item '{name}', which the training rows have; give one with all of them"))
            })?);
        }
        let known: std::collections::HashSet<usize> = order.iter().copied().collect();
        order.extend((0..self.names.len()).filter(|k| !known.contains(k)));
        let mut back = vec![0u32; self.names.len()];
        order.iter().zip(0u32..).for_each(|(k, new)| back[*k] = new);
        let values = match self.are_items() {
            true => self.values.clone(),
            false => Arc::new(Matrix::from_fn(self.values.rows(), order.len(), |i, j| self.values[(i, order[j])])),
        };
        Ok(Similarities {
            names: order.iter().map(|&k| self.names[k].clone()).collect(),
            own: self.own.iter().map(|&k| back.get(k as usize).copied().unwrap_or(NONE)).collect(),
            values,
            squares: self.squares.clone(),
            first_asymmetry: self.first_asymmetry.clone(),
        })
    }
}

/// The places of so many rows that are the items in their order.
fn every(rows: usize) -> Vec<u32> {
    (0..rows).filter_map(|k| u32::try_from(k).ok()).collect()
}

/// Two rows whose values do not mirror each other, in words; rows that are no items mirror none.
fn first_asymmetry(values: &Matrix, own: &[u32], names: &[String]) -> Option<Arc<str>> {
    // Rows and columns of a tile, within which values that mirror each other lie in the cache.
    const TILE: usize = 64;
    // Values that mirror each other may differ by so much of their size, or of the roots of their diagonal: what rounding in f32 leaves.
    const ROUNDING: f64 = 1e-5;
    let n = own.len();
    let starts = || (0..n).step_by(TILE);
    let places = starts().flat_map(|top| starts().take_while(move |left| *left <= top).map(move |left| (top, left)));
    let mut pairs =
        places.flat_map(|(top, left)| (top..(top + TILE).min(n)).flat_map(move |i| (left..(left + TILE).min(i)).map(move |j| (i, j))));
    let value = |i: usize, j: usize| values.row(i).get(own[j] as usize).copied();
    let apart = |&(i, j): &(usize, usize)| {
        let (Some(a), Some(b)) = (value(i, j), value(j, i)) else { return false };
        let size = || value(i, i).zip(value(j, j)).map_or(0.0, |(d, e)| (d * e).abs().sqrt());
        a != b && (a - b).abs() > ROUNDING * (a.abs() + b.abs()).max(size())
    };
    let (i, j) = pairs.find(apart)?;
    let name = |i: usize| names.get(own[i] as usize).map_or("", String::as_str);
    let shown = |i: usize, j: usize| value(i, j).unwrap_or(f64::NAN);
    Some(format!("'{}' and '{}' have the values {} and {}", name(i), name(j), shown(i, j), shown(j, i)).into())
}

/// Refuses a kernel value that is not finite.
fn finite(values: &Matrix) -> Result<()> {
    let Some(k) = values.data().iter().position(|v| !v.is_finite()) else { return Ok(()) };
    Err(Error::Data(format!(
        "the kernel matrix holds {} in row {}, column {}; every kernel value must be finite",
        values.data()[k],
        k / values.cols() + 1,
        k % values.cols() + 1
    )))
}

impl Cells for Similarities {
    /// Names of the items that stand along the columns.
    type Schema = Vec<String>;

    fn len(&self) -> usize {
        self.own.len()
    }
    fn select(&self, rows: &[usize]) -> Self {
        let every = rows.len() == self.own.len() && rows.iter().enumerate().all(|(k, i)| k == *i);
        if every {
            return self.clone();
        }
        let squares = if self.squares.is_empty() { Vec::new() } else { rows.iter().map(|&i| self.squares[i]).collect() };
        let (own, values) = (rows.iter().map(|&i| self.own[i]).collect(), Arc::new(self.values.select_rows(rows)));
        Similarities { names: self.names.clone(), own, values, squares, first_asymmetry: self.first_asymmetry.clone() }
    }
    fn schema(&self) -> Vec<String> {
        self.names.clone()
    }
    fn aligned(&self, names: &Vec<String>, _: &str) -> Result<Self> {
        self.with_items(names)
    }
    fn cell(&self, row: usize) -> serde_json::Value {
        self.names.get(self.own(row)).map_or("(new)", String::as_str).into()
    }
    fn words(&self, row: usize, word: &mut dyn FnMut(u64)) {
        word(self.own(row) as u64);
    }
    fn describe(&self) -> String {
        format!("similarities to {} items", self.names.len())
    }
}

impl Inputs for Similarities {
    const NEEDS: &'static str = "one column of rows of a kernel matrix (--gram COL=FILE)";
    const ARITY: Arity = Arity::One;

    fn takes(kind: ColumnKind) -> bool {
        kind == ColumnKind::Similarities
    }
    fn gather<'a>(data: &'a Dataset, columns: &[usize]) -> Result<Cow<'a, Self>> {
        match columns {
            [one] => match &data.columns()[*one].values {
                Values::Similarities(s) => Ok(Cow::Borrowed(s)),
                _ => Err(Error::Data("precomputed takes a column of rows of a kernel matrix".into())),
            },
            _ => Err(Error::Data(format!("precomputed takes one column and there are {}", columns.len()))),
        }
    }
    fn per_pair(&self) -> f64 {
        1.0
    }
    fn len(&self) -> usize {
        self.own.len()
    }
}
