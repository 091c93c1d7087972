//! Kernel values that are there already: for every row its values with named items, one of which it is itself.

use super::cells::Cells;
use super::{Arity, ColumnKind, Dataset, Inputs, Values};
use crate::blocks;
use crate::error::{Error, Result};
use crate::linalg::Matrix;
use serde::{Deserialize, Deserializer, Serialize};
use std::borrow::Cow;
use std::collections::HashMap;

/// Values of a kernel between the rows of a column and named items.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Similarities {
    names: Vec<String>,
    #[serde(with = "blocks::u32s")]
    own: Vec<u32>,
    values: Matrix,
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
        }
        let Stored { names, own, values } = Stored::deserialize(d)?;
        Similarities::new(names, own, values).map_err(serde::de::Error::custom)
    }
}

impl Similarities {
    /// `values` (rows x names): the kernel of every row with every named item; `own[i]` is the place of row i among the names.
    pub fn new(names: Vec<String>, own: Vec<u32>, values: Matrix) -> Result<Self> {
        Error::unless_equal("rows of a kernel matrix", own.len(), values.rows())?;
        Error::unless_equal("columns of a kernel matrix", names.len(), values.cols())?;
        if let Some(k) = own.iter().find(|k| **k as usize >= names.len()) {
            return Err(Error::Data(format!("a row of a kernel matrix says that it is item {k}, and there are {}", names.len())));
        }
        Ok(Similarities { names, own, values })
    }

    /// The rows that `wanted` names, looked up in a symmetric kernel matrix; `names[i]` is what its row and column i are called.
    ///
    /// # Errors
    /// A matrix that is not square, symmetric and finite, a name that stands twice, a wanted one that is not there.
    pub fn looked_up<S: AsRef<str>>(names: Vec<String>, values: &Matrix, wanted: &[S]) -> Result<Self> {
        Error::unless_equal("rows of the kernel matrix", names.len(), values.rows())?;
        Error::unless_equal("columns of the kernel matrix", names.len(), values.cols())?;
        if let Some(k) = values.data().iter().position(|x| !x.is_finite()) {
            let (row, column, found) = (k / names.len() + 1, &names[k % names.len()], values.data()[k]);
            return Err(Error::Data(format!("row {row}, column '{column}' of the kernel matrix: found {found}, expected a finite number")));
        }
        for i in 0..names.len() {
            for j in 0..i {
                let (a, b) = (values[(i, j)], values[(j, i)]);
                if (a - b).abs() > 1e-8 * (a.abs() + b.abs()) {
                    let found = format!("'{}' and '{}' have the values {a} and {b}", names[i], names[j]);
                    return Err(Error::Data(format!("{found}; a kernel matrix is symmetric")));
                }
            }
        }
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
        Similarities::new(names, own, values.select_rows(&rows))
    }

    /// Names of the items, in the order of the columns.
    pub fn names(&self) -> &[String] {
        &self.names
    }
    /// Where row i stands among the names.
    pub fn own(&self, i: usize) -> usize {
        self.own[i] as usize
    }
    /// The kernel of row i with every item.
    pub fn row(&self, i: usize) -> &[f64] {
        self.values.row(i)
    }

    /// The same with the items of another list; items of the rows themselves come after it. An error names an item of
    /// the list that is not here.
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
        Ok(Similarities {
            names: order.iter().map(|&k| self.names[k].clone()).collect(),
            own: self.own.iter().map(|&k| back[k as usize]).collect(),
            values: Matrix::from_fn(self.values.rows(), order.len(), |i, j| self.values[(i, order[j])]),
        })
    }
}

impl Cells for Similarities {
    /// Names of the items that stand along the columns.
    type Schema = Vec<String>;

    fn len(&self) -> usize {
        self.own.len()
    }
    fn select(&self, rows: &[usize]) -> Self {
        let own = rows.iter().map(|&i| self.own[i]).collect();
        Similarities { names: self.names.clone(), own, values: self.values.select_rows(rows) }
    }
    fn schema(&self) -> Vec<String> {
        self.names.clone()
    }
    fn aligned(&self, names: &Vec<String>, _: &str) -> Result<Self> {
        self.with_items(names)
    }
    fn cell(&self, row: usize) -> serde_json::Value {
        self.names[self.own(row)].as_str().into()
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
    fn len(&self) -> usize {
        self.own.len()
    }
}
