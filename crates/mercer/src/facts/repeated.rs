//! Identifiers that several rows share: rows of one customer on both sides of a split are judged by what was learnt from that customer.

use super::{Fact, quoted};
use crate::data::names::named_as_owner;
use crate::data::{Column, Values};
use std::collections::HashSet;

/// The fact that several rows share each identifier of a column, by its name and values.
pub fn of_cells<'a>(name: &str, is_ignored: bool, cells: impl Iterator<Item = &'a str>) -> Option<Fact> {
    if !named_as_owner(name) {
        return None;
    }
    let (mut different, mut rows) = (HashSet::new(), 0);
    cells.filter(|cell| !cell.is_empty()).for_each(|cell| {
        different.insert(cell);
        rows += 1;
    });
    are_groups(different.len(), rows).then(|| fact(name, is_ignored, different.len(), rows))
}

/// The fact that several rows share each label, text or whole number of a column.
pub(super) fn of_column(column: &Column) -> Option<Fact> {
    match &column.values {
        Values::Categories(labels) => of_cells(&column.name, false, (0..labels.codes.len()).filter_map(|i| labels.label(i))),
        Values::Texts(texts) | Values::Sequences(texts) => of_cells(&column.name, false, (0..texts.len()).map(|i| texts.get(i))),
        Values::Numbers(numbers) if named_as_owner(&column.name) && numbers.iter().all(|x| x.is_nan() || x.fract() == 0.0) => {
            let known: Vec<u64> = numbers.iter().filter(|x| !x.is_nan()).map(|x| (x + 0.0).to_bits()).collect();
            let different = known.iter().collect::<HashSet<_>>().len();
            are_groups(different, known.len()).then(|| fact(&column.name, false, different, known.len()))
        }
        _ => None,
    }
}

/// Whether so many values of so many rows are those of groups.
pub(super) fn are_groups(different: usize, rows: usize) -> bool {
    // Fewer values are those of a setting or a place, of which all are known.
    const VALUES: usize = 20;
    // Rows of a value that make it an identifier of groups: one for each row identifies rows.
    const ROWS_OF_ONE: usize = 2;
    different >= VALUES && ROWS_OF_ONE * different <= rows
}

/// What keeps the rows of one value together.
pub(super) fn advice(name: &str) -> String {
    let option = if name.chars().all(|c| c.is_alphanumeric() || c == '_') { name.to_owned() } else { format!("'{name}'") };
    format!(
        "if the rows of one value belong together, --groups {option} keeps them in one fold, and scores are those of new values; \
         to ignore the column does not"
    )
}

fn fact(name: &str, is_ignored: bool, different: usize, rows: usize) -> Fact {
    let (shown, ignored) = (quoted(name), if is_ignored { ", which is ignored," } else { "" });
    Fact {
        leaks: Vec::new(),
        found: format!(
            "column {shown}{ignored} names {different} groups of rows: {:.1} rows of each value",
            rows as f64 / different as f64
        ),
        advice: advice(name),
    }
}
