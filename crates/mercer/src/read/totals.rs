//! A last line of totals, as spreadsheets have it: `Total;;;20860,56`. Where its numbers are the sums or means of the rows above, it is
//! left out, and that is said.

use super::cells::{Cell, Cells};
use super::infer::shortened;
use super::marks::present;
use crate::data::Writing;

/// Words that open a line of totals, in any case.
const WORDS: [&str; 20] = [
    "total",
    "totals",
    "grand total",
    "sum",
    "sums",
    "average",
    "mean",
    "overall total",
    "summe",
    "gesamt",
    "gesamtsumme",
    "insgesamt",
    "durchschnitt",
    "mittelwert",
    "somme",
    "total général",
    "moyenne",
    "suma",
    "totale",
    "totaal",
];

/// What the last row is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum LastRow {
    /// A row like the others.
    Plain,
    /// It opens with a word for totals, and holds the sums or means of the rows above.
    Totals(String),
    /// It opens with such a word alone.
    Named(String),
}

/// What the last of some rows is.
pub(super) fn last_row<'a>(columns: impl Iterator<Item = &'a Cells> + Clone) -> LastRow {
    let last = |cells: &'a Cells| cells.last().unwrap_or_default();
    let Some(word) = columns.clone().map(last).find(|cell| !cell.is_empty()) else { return LastRow::Plain };
    let plain = word.trim_end_matches(':').trim().to_lowercase();
    let rows = columns.clone().next().map_or(0, Cells::len);
    if rows < 3 || !WORDS.contains(&plain.as_str()) || columns.clone().any(|cells| cells.iter().take(rows - 1).any(|cell| cell == word)) {
        return LastRow::Plain;
    }
    let mut totals = columns.filter(|cells| !last(cells).is_empty() && last(cells) != word).map(is_total).peekable();
    let is_sound = totals.peek().is_some() && totals.all(|total| total);
    if is_sound { LastRow::Totals(shortened(word)) } else { LastRow::Named(shortened(word)) }
}

/// Whether the last cell of a column is the sum or the mean of the numbers above, as far as these are rounded.
fn is_total(cells: &Cells) -> bool {
    let above = cells.select(&(0..cells.len() - 1).collect::<Vec<_>>());
    let Some(writing) = Writing::of(&above) else { return false };
    let numbers: Vec<f64> = above.iter().filter_map(|cell| if let Cell::Number(x) = writing.cell(cell) { Some(x) } else { None }).collect();
    let Some(Cell::Number(total)) = cells.last().map(|cell| writing.cell(cell)) else { return false };
    let decimals = |cell: &str| cell.rsplit_once(['.', ',']).map_or(0, |(_, behind)| behind.bytes().filter(u8::is_ascii_digit).count());
    let digits = present(cells).map(decimals).max().unwrap_or(0).min(12) as i32;
    let slack = 0.5 * 10f64.powi(-digits) * (numbers.len() + 1) as f64;
    let sum: f64 = numbers.iter().sum();
    (total - sum).abs() <= slack + 1e-9 * sum.abs() || (total - sum / numbers.len().max(1) as f64).abs() <= 10f64.powi(-digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(columns: &[&[&str]]) -> LastRow {
        let columns: Vec<Cells> = columns
            .iter()
            .map(|list| {
                let mut cells = Cells::new(true, false);
                list.iter().for_each(|cell| cells.push(cell));
                cells
            })
            .collect();
        last_row(columns.iter())
    }

    #[test]
    fn totals_open_with_a_word_and_hold_the_sums_of_the_rows_above() {
        let totals = |word: &str| LastRow::Totals(word.into());
        assert_eq!(of(&[&["a", "b", "c", "Total"], &["1.5", "2", "3", "6.5"]]), totals("Total"));
        assert_eq!(of(&[&["1,25", "2,25", "", "Summe:"], &["x", "y", "x", ""], &["1,01", "2,02", "3,03", "6,06"]]), totals("Summe:"));
        assert_eq!(of(&[&["a", "b", "c", "Mean"], &["1", "2", "6", "3"]]), totals("Mean"));
        assert_eq!(of(&[&["a", "b", "c", "Total"], &["1.5", "2", "3", "7"]]), LastRow::Named("Total".into()));
        assert_eq!(of(&[&["a", "b", "c", "Total"], &["", "", "", ""]]), LastRow::Named("Total".into()));
        for list in [["a", "b", "c", "d"], ["total", "a", "b", "total"]] {
            assert_eq!(of(&[&list, &["1", "2", "3", "6"]]), LastRow::Plain, "{list:?}");
        }
    }
}
