//! One module per question: what is refused, what a column is taken for, what a target is taken for.

use super::*;
use crate::data::{ColumnKind, Schema, UNSEEN, Values};
use crate::error::ErrorKind;

mod batches;
mod dialects;
mod faults;
mod formats;
mod kinds;
mod letters;
mod odd;
#[cfg(feature = "parquet")]
mod parquet;
mod people;
mod records;
mod round_trip;
mod series;
mod targets;
mod written;

fn parsed(text: &str) -> Table {
    Table::parse("t.csv", text.as_bytes()).unwrap()
}

fn dataset(text: &str) -> Dataset {
    parsed(text).dataset(&ReadOptions::default()).unwrap()
}

fn options(types: &str) -> ReadOptions {
    ReadOptions::with_types([types]).unwrap()
}

/// A table of one column with the given cells.
fn column(name: &str, cells: impl IntoIterator<Item = String>) -> String {
    cells.into_iter().fold(format!("{name},other\n"), |text, cell| text + &cell + ",1\n")
}

/// The message of what must fail.
fn message<T>(result: Result<T>) -> String {
    match result {
        Ok(_) => panic!("this should have been refused"),
        Err(e) => {
            assert!(matches!(e.kind(), ErrorKind::Data | ErrorKind::Expression));
            e.to_string()
        }
    }
}

fn says(message: &str, parts: &[&str]) {
    for part in parts {
        assert!(message.contains(part), "'{message}' lacks '{part}'");
    }
}
