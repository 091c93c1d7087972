//! What a dataset must hold to be given to a fitted model: names, sorts and labels of the training columns.

use super::{Categories, Column, Dataset, Sort, Values, Written};
use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// The columns of a training dataset without their cells. Stored in the model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Schema {
    /// The columns, in training order.
    pub columns: Vec<ColumnSchema>,
}

/// One training column without its cells.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ColumnSchema {
    /// Its name.
    pub name: String,
    /// What its cells are.
    pub holds: Holds,
    /// How they were written.
    #[serde(default)]
    pub written: Written,
}

/// What the cells of a column are, with all that new cells must agree with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Holds {
    /// One number a row.
    Number,
    /// A vector a row.
    Points {
        /// Numbers per vector.
        dim: usize,
    },
    /// One of these labels a row.
    Category {
        /// The training labels; the place of a label is its code.
        names: Vec<String>,
    },
    /// Running text.
    Text,
    /// A string over a small alphabet.
    Sequence,
    /// A row of a kernel matrix.
    Similarities {
        /// Names of the items that stand along its columns.
        names: Vec<String>,
    },
}

impl Holds {
    /// The sort of the column.
    pub fn sort(&self) -> Sort {
        match self {
            Holds::Number => Sort::Number,
            Holds::Points { .. } => Sort::Points,
            Holds::Category { .. } => Sort::Category,
            Holds::Text => Sort::Text,
            Holds::Sequence => Sort::Sequence,
            Holds::Similarities { .. } => Sort::Similarities,
        }
    }
}

impl Schema {
    /// The schema of a dataset.
    pub fn of(data: &Dataset) -> Self {
        let columns = data.columns().iter().map(|c| ColumnSchema {
            name: c.name.clone(),
            holds: match &c.values {
                Values::Numbers(_) => Holds::Number,
                Values::Points(p) => Holds::Points { dim: p.dim() },
                Values::Categories(c) => Holds::Category { names: c.names.clone() },
                Values::Texts(_) => Holds::Text,
                Values::Sequences(_) => Holds::Sequence,
                Values::Similarities(s) => Holds::Similarities { names: s.names().to_vec() },
            },
            written: data.written(&c.name),
        });
        Schema { columns: columns.collect() }
    }

    /// The columns of `data` that the schema names, in its order, labels coded as in training
    /// ([`UNSEEN`](super::UNSEEN) where training had no such label); other columns are left out.
    ///
    /// # Errors
    /// A column that is missing, is of another sort, or holds vectors of another size, by name.
    /// Texts, sequences and labels pass for strings.
    pub fn align(&self, data: &Dataset) -> Result<Dataset> {
        let known: HashMap<&str, &Column> = data.columns().iter().map(|c| (c.name.as_str(), c)).collect();
        let columns = self.columns.iter().map(|c| {
            let found = known.get(c.name.as_str()).map_or_else(|| data.column(&c.name), |found| Ok(*found))?;
            let values = c.holds.agree(&c.name, &found.values)?;
            Ok(Column { name: c.name.clone(), values })
        });
        Dataset::with_rows(data.rows(), columns.collect::<Result<_>>()?)
    }
}

impl Holds {
    fn agree(&self, column: &str, values: &Values) -> Result<Values> {
        match (self, values) {
            (Holds::Number, Values::Numbers(_)) => Ok(values.clone()),
            (Holds::Points { dim }, Values::Points(p)) if p.dim() == *dim => Ok(values.clone()),
            (Holds::Points { dim }, Values::Points(p)) => {
                Err(Error::Shape { what: format!("numbers per row of column '{column}'"), expected: *dim, found: p.dim() })
            }
            (Holds::Category { names }, Values::Categories(c)) if c.names == *names => Ok(values.clone()),
            (Holds::Category { names }, Values::Categories(c)) => Ok(Values::Categories(c.recoded(names))),
            // Strings that repeat are read as labels.
            (Holds::Text, Values::Categories(c)) => Ok(Values::Texts(c.strings())),
            (Holds::Sequence, Values::Categories(c)) => Ok(Values::Sequences(c.strings())),
            (Holds::Text, Values::Texts(s) | Values::Sequences(s)) => Ok(Values::Texts(s.clone())),
            (Holds::Sequence, Values::Texts(s) | Values::Sequences(s)) => Ok(Values::Sequences(s.clone())),
            (Holds::Similarities { names }, Values::Similarities(s)) => Ok(Values::Similarities(s.aligned(names)?)),
            _ => Err(Error::WrongSort {
                kernel: "the fitted model".into(),
                column: column.to_owned(),
                needs: self.sort().holds().into(),
                found: values.sort().holds().into(),
                fix: "give this column as it was in training".into(),
            }),
        }
    }
}

impl Categories {
    /// The same labels as codes into another list of names; labels that it lacks become [`UNSEEN`](super::UNSEEN).
    pub fn recoded(&self, names: &[String]) -> Categories {
        let place = Categories::with_names(&self.names, names.to_vec()).codes;
        let codes = self.codes.iter().map(|&k| place.get(k as usize).copied().unwrap_or(super::UNSEEN)).collect();
        Categories { codes, names: names.to_vec() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Strings, UNSEEN};

    fn table() -> Dataset {
        Dataset::new(vec![
            Column { name: "x".into(), values: Values::Numbers(vec![1.0, 2.0]) },
            Column { name: "c".into(), values: Values::Categories(Categories::from_labels(&["a", "b"])) },
            Column { name: "s".into(), values: Values::Sequences(Strings::new(["ACGT", "TT"])) },
        ])
        .unwrap()
    }

    #[test]
    fn columns_come_back_in_training_order_with_training_codes() {
        let schema = Schema::of(&table());
        let new = Dataset::new(vec![
            Column { name: "s".into(), values: Values::Texts(Strings::new(["GG", "CC"])) },
            Column { name: "extra".into(), values: Values::Numbers(vec![0.0, 0.0]) },
            Column { name: "c".into(), values: Values::Categories(Categories::from_labels(&["z", "b"])) },
            Column { name: "x".into(), values: Values::Numbers(vec![5.0, 6.0]) },
        ])
        .unwrap();
        let aligned = schema.align(&new).unwrap();
        assert_eq!(aligned.names(), ["x", "c", "s"]);
        assert_eq!(Schema::of(&aligned), schema);
        let Values::Categories(c) = &aligned.column("c").unwrap().values else { panic!("not categories") };
        assert_eq!(c.codes, [UNSEEN, 1]);
    }

    #[test]
    fn strings_that_repeat_and_were_read_as_labels_are_strings_again() {
        let schema = Schema::of(&table());
        let mut columns = table().into_columns();
        columns[2].values = Values::Categories(Categories::from_labels(&["TT", crate::data::MISSING]));
        let aligned = schema.align(&Dataset::new(columns).unwrap()).unwrap();
        assert_eq!(aligned.column("s").unwrap().values, Values::Sequences(Strings::new(["TT", ""])));
    }

    #[test]
    fn a_missing_column_and_a_wrong_sort_are_named() {
        let schema = Schema::of(&table());
        let mut short = table();
        short.take("c").unwrap();
        assert!(schema.align(&short).unwrap_err().to_string().contains("unknown column 'c'"));
        let mut wrong = table().into_columns();
        wrong[0].values = Values::Texts(Strings::new(["one", "two"]));
        let message = schema.align(&Dataset::new(wrong).unwrap()).unwrap_err().to_string();
        assert!(message.contains("'x'") && message.contains("number") && message.contains("text"), "{message}");
    }

    #[test]
    fn a_schema_survives_json() {
        let schema = Schema::of(&table());
        let json = serde_json::to_string(&schema).unwrap();
        assert_eq!(serde_json::from_str::<Schema>(&json).unwrap(), schema);
    }
}
