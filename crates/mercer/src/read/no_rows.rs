//! Lines within a table that are no rows of it: the header once more where files were joined, and totals as spreadsheets have them,
//! `Total;;;20860,56`. They are left out where that is certain, and that is said.

use super::cells::{Cell, Cells};
use super::facts::Fact;
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

/// What a row is.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Totals {
    /// A row like the others.
    None,
    /// Its numbers are the sums or means of the other rows; the word that it opens with, if any.
    Sums(String),
    /// It opens with a word for totals, and its numbers are no sums.
    Named(String),
}

/// Leaves out of columns what is no row; gives the places of the others, none where all stay, and what is to be said.
pub(super) fn leave_out(file: &str, header: Option<&[String]>, columns: &mut [Cells]) -> (Vec<usize>, Vec<Fact>) {
    let rows = columns.first().map_or(0, Cells::len);
    let mut places: Vec<usize> = (0..rows).collect();
    let mut said: Vec<String> = header.and_then(|names| leave_out_headers(names, columns, &mut places)).into_iter().collect();
    for row in [places.len() - 1, 0] {
        let place = places[row] + 1;
        said.push(match totals(columns.iter(), row) {
            Totals::None => continue,
            Totals::Sums(word) => {
                let kept: Vec<usize> = (0..places.len()).filter(|at| *at != row).collect();
                keep(&kept, columns, &mut places);
                format!("row {place}, {word}, holds the sums or means of the others: left out")
            }
            Totals::Named(word) => {
                format!("row {place} opens with '{word}', as a line of totals does, and its numbers are no sums: read as a row")
            }
        });
    }
    let facts = said.into_iter().map(|says| Fact::of_table(format!("{file}: {says}"))).collect();
    (if places.len() < rows { places } else { Vec::new() }, facts)
}

/// Leaves out rows that are the header once more, above numbers.
fn leave_out_headers(names: &[String], columns: &mut [Cells], places: &mut Vec<usize>) -> Option<String> {
    let is_header = |row: usize| columns.iter().zip(names).all(|(cells, name)| cells.get(row) == Some(name));
    let (again, kept): (Vec<usize>, Vec<usize>) = (0..places.len()).partition(|&row| columns.len() > 1 && is_header(row));
    let first = again.first()?;
    let is_number = |cell: &str| matches!(Cell::of(cell), Cell::Number(_) | Cell::Missing);
    // Rows of labels alone may be what the first line is, too.
    let below_header =
        |cells: &Cells| !cells.get(*first).is_some_and(is_number) && kept.iter().all(|&row| cells.get(row).is_some_and(is_number));
    if kept.is_empty() || !columns.iter().any(below_header) {
        return None;
    }
    keep(&kept, columns, places);
    Some(match again.len() {
        1 => format!("row {} repeats the header, as where files are joined: left out", first + 1),
        n => format!("{n} rows (first row {}) repeat the header, as where files are joined: left out", first + 1),
    })
}

/// Keeps some rows of columns, and their places.
fn keep(kept: &[usize], columns: &mut [Cells], places: &mut Vec<usize>) {
    columns.iter_mut().for_each(|cells| *cells = cells.select(kept));
    *places = kept.iter().map(|&row| places[row]).collect();
}

/// What a row, from 0, of some columns is.
fn totals<'a>(columns: impl Iterator<Item = &'a Cells> + Clone, row: usize) -> Totals {
    // Rows beside which totals mean something.
    const FEWEST: usize = 3;
    // Rows of a short table.
    const SHORT: usize = 10;
    let own = |cells: &'a Cells| cells.get(row).unwrap_or_default();
    let rows = columns.clone().next().map_or(0, Cells::len);
    let Some(word) = columns.clone().map(own).find(|cell| !cell.is_empty()).filter(|_| rows > FEWEST) else { return Totals::None };
    let plain = word.trim_end_matches(':').trim().to_lowercase();
    let others = |cells: &'a Cells| cells.iter().enumerate().filter(move |(at, _)| *at != row).map(|(_, cell)| cell);
    let named = WORDS.contains(&plain.as_str()) && columns.clone().all(|cells| others(cells).all(|cell| cell != word));
    // Without a word, it lacks the name that every other row has.
    let nameless = || columns.clone().any(|cells| own(cells).is_empty() && others(cells).all(|cell| !cell.is_empty()));
    if !named && (Cell::of(word) == Cell::Word || !nameless()) {
        return Totals::None;
    }
    let sums: Vec<bool> =
        columns.filter(|cells| !own(cells).is_empty() && (!named || own(cells) != word)).map(|cells| is_total(cells, row, named)).collect();
    // Without a word, one sum in a short table may be chance.
    let enough = named || sums.len() > 1 || rows > SHORT;
    let sound = !sums.is_empty() && enough && sums.iter().all(|sum| *sum);
    match (sound, named) {
        (true, true) => Totals::Sums(format!("'{}'", shortened(word))),
        (true, false) => Totals::Sums("without a name".into()),
        (false, true) => Totals::Named(shortened(word)),
        (false, false) => Totals::None,
    }
}

/// Whether the cell of a row is the sum of the other numbers of a column, or where `means` count their mean, as far as these are rounded.
fn is_total(cells: &Cells, row: usize, means: bool) -> bool {
    let others = cells.select(&(0..cells.len()).filter(|at| *at != row).collect::<Vec<_>>());
    let Some(writing) = Writing::of(&others) else { return false };
    let numbers: Vec<f64> =
        others.iter().filter_map(|cell| if let Cell::Number(x) = writing.cell(cell) { Some(x) } else { None }).collect();
    let Some(Cell::Number(total)) = cells.get(row).map(|cell| writing.cell(cell)) else { return false };
    let decimals = |cell: &str| cell.rsplit_once(['.', ',']).map_or(0, |(_, behind)| behind.bytes().filter(u8::is_ascii_digit).count());
    let digits = present(cells).map(decimals).max().unwrap_or(0).min(12) as i32;
    // Whole numbers are counts, and others rounded.
    let rounded = if digits == 0 { 1 } else { numbers.len() + 1 };
    let slack = 0.5 * 10f64.powi(-digits) * rounded as f64;
    let sum: f64 = numbers.iter().sum();
    let is = |value: f64, slack: f64| value != 0.0 && (total - value).abs() <= slack + 1e-9 * value.abs();
    is(sum, slack) || (means && is(sum / numbers.len().max(1) as f64, 10f64.powi(-digits)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(columns: &[&[&str]], row: usize) -> Totals {
        let columns: Vec<Cells> = columns
            .iter()
            .map(|list| {
                let mut cells = Cells::new(true, false);
                list.iter().for_each(|cell| cells.push(cell));
                cells
            })
            .collect();
        totals(columns.iter(), row)
    }

    #[test]
    fn totals_open_with_a_word_or_lack_a_name_and_hold_the_sums_of_the_other_rows() {
        let sums = |word: &str| Totals::Sums(word.into());
        assert_eq!(of(&[&["a", "b", "c", "Total"], &["1.5", "2", "3", "6.5"]], 3), sums("'Total'"));
        assert_eq!(of(&[&["Total", "a", "b", "c"], &["6.5", "1.5", "2", "3"]], 0), sums("'Total'"));
        assert_eq!(of(&[&["1,25", "2,25", "", "Summe:"], &["x", "y", "x", ""], &["1,01", "2,02", "3,03", "6,06"]], 3), sums("'Summe:'"));
        assert_eq!(of(&[&["a", "b", "c", "Mean"], &["1", "2", "6", "3"]], 3), sums("'Mean'"));
        assert_eq!(of(&[&["a", "b", "c", ""], &["1", "2", "6", "9"], &["1", "1", "2", "4"]], 3), sums("without a name"));
        assert_eq!(of(&[&["a", "b", "c", "Total"], &["1.5", "2", "3", "7"]], 3), Totals::Named("Total".into()));
        assert_eq!(of(&[&["a", "b", "c", "Total"], &["", "", "", ""]], 3), Totals::Named("Total".into()));
        for list in [["a", "b", "c", "d"], ["total", "a", "b", "total"], ["a", "", "c", ""]] {
            assert_eq!(of(&[&list, &["1", "2", "3", "6"]], 3), Totals::None, "{list:?}");
        }
        assert_eq!(of(&[&["a", "b", "c", ""], &["1", "2", "6", "8"]], 3), Totals::None);
    }
}
