//! Rows that are drawn as they are: those that are most typical of what a model answers.

use crate::report::words::{brief, counted, shown};

/// A row that is drawn, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct TypicalRow {
    /// Its number in the table, from 1.
    pub row: usize,
    /// Its class; empty where numbers are predicted.
    pub class: String,
    /// Its decision value for the class, or the number predicted for it.
    pub value: f64,
}

impl TypicalRow {
    /// The words above its picture.
    pub(super) fn caption(&self) -> String {
        match self.class.as_str() {
            "" => format!("row {}: {}", self.row, brief(self.value)),
            class => format!("row {}, {class}: {}", self.row, brief(self.value)),
        }
    }
}

/// What a figure of such rows shows, in one sentence.
pub(super) fn chosen<'a>(column: &str, what: &str, rows: impl Iterator<Item = &'a TypicalRow>) -> String {
    let rows: Vec<&TypicalRow> = rows.collect();
    let column = shown(column, 40);
    if rows.iter().any(|row| row.class.is_empty()) {
        return format!("The {what} of column {column} with the largest and the smallest predictions, with these.");
    }
    let mut classes: Vec<&str> = rows.iter().map(|row| row.class.as_str()).collect();
    classes.dedup();
    format!(
        "The {what} of column {column} that are most typical of {}: correctly classified rows with the largest decision values, which \
         stand above them.",
        counted(classes.len(), "class")
    )
}
