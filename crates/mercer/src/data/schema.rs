//! What a dataset must hold to be given to a fitted model: names, kinds and labels of the training columns.

use super::{Column, Dataset, Holds, Values, Written};
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

impl Schema {
    /// The schema of a dataset.
    pub fn of(data: &Dataset) -> Self {
        let columns =
            data.columns().iter().map(|c| ColumnSchema { name: c.name.clone(), holds: c.values.schema(), written: data.written(&c.name) });
        Schema { columns: columns.collect() }
    }

    /// The columns of `data` that the schema names, in its order, labels coded as in training
    /// ([`UNSEEN`](super::UNSEEN) where training had no such label); other columns are left out.
    ///
    /// # Errors
    /// A column that is missing, is of another kind, or holds vectors of another size, by name.
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
    /// Cells as the training cells were. What is read from text as it stands is read from the texts of other columns too: strings
    /// that repeat are read as labels, and long words as sequences.
    pub(crate) fn agree(&self, column: &str, values: &Values) -> Result<Values> {
        if let Some(aligned) = self.aligned(values, column) {
            return aligned;
        }
        let kind = self.kind();
        if kind.empty().is_some()
            && let Some(texts) = values.texts()
        {
            let parsed = kind.parse(&mut texts.iter()).map_err(|misfit| misfit.of_column(column))?;
            return self.agree(column, &parsed);
        }
        Err(Error::WrongKind {
            kernel: "the fitted model".into(),
            column: column.to_owned(),
            needs: kind.holds().into(),
            found: values.kind().holds().into(),
            fix: "give this column as it was in training".into(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Categories, Strings, UNSEEN};

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
