//! The type of a column, inferred from all of its cells.
//!
//! In this order: what only trees or sets of vectors look like, nine in ten cells at least; only numbers, be they plain, written
//! for people, dates or words for true and false; DNA or RNA letters, ten
//! or more a cell on average; labels that repeat (at most half as many as cells, and at most 20 or a tenth of the rows); one word of letters a cell, ten or more on average
//! (sequences); three words or more a cell on average (texts), where a word has a letter; at least ten cells of which nine in ten
//! differ (identifiers); whatever is left are labels. Words among numbers are an error where nine in ten cells are numbers (ten
//! at least), or half of them and the cells do not repeat like labels.

use super::cells::{Cell, Cells, missing_among_numbers};
use super::facts::{Fact, Topic, declared};
use super::marks::{self, Said};
use super::{dates, doubts};
use crate::data::{ColumnKind, DateOrder, Unit, Writing};
use crate::error::{Error, Result};
use std::collections::HashSet;

/// What a column looks like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Looks {
    Number(Writing),
    /// Cells of any other kind.
    Of(ColumnKind),
    /// Identifiers: cells that hardly repeat and carry no other information, and how that was seen.
    Identifier(String),
}

/// What one pass over the cells counts.
#[derive(Default)]
struct Counts<'a> {
    /// Cells that are not missing.
    cells: usize,
    numbers: usize,
    /// First cell that is no finite number, with its row from 0.
    first_infinite: Option<(usize, &'a str)>,
    first_word: Option<(usize, &'a str)>,
    words_with_commas: usize,
    not_numbers: usize,
    distinct: HashSet<&'a str>,
    letters_only: bool,
    nucleotides_only: bool,
    length: usize,
    words: usize,
}

fn count(cells: &Cells) -> Counts<'_> {
    let mut c = Counts { letters_only: true, nucleotides_only: true, ..Counts::default() };
    for (row, text) in cells.iter().enumerate() {
        let cell = cells.says(text);
        match cell {
            Cell::Missing => continue,
            Cell::Number(_) => c.numbers += 1,
            Cell::Infinite => c.first_infinite = c.first_infinite.or(Some((row, text))),
            Cell::Word if missing_among_numbers(text) => {}
            Cell::Word => c.first_word = c.first_word.or(Some((row, text))),
        }
        c.cells += 1;
        if !matches!(cell, Cell::Number(_)) && !missing_among_numbers(text) {
            c.not_numbers += 1;
            c.words_with_commas += usize::from(number_with_commas(text));
        }
        c.distinct.insert(text);
        c.letters_only &= text.bytes().all(|b| b.is_ascii_alphabetic());
        c.nucleotides_only &= text.bytes().all(|b| b"ACGTUNacgtun".contains(&b));
        c.length += text.chars().count();
        c.words += text.split_whitespace().filter(|word| word.contains(char::is_alphabetic)).count();
    }
    c
}

/// `3,5` or `1,234.5`: a number for people, not for a parser.
fn number_with_commas(text: &str) -> bool {
    text.contains(',') && text.bytes().all(|b| b.is_ascii_digit() || b",.-+".contains(&b)) && text.replace(',', "").parse::<f64>().is_ok()
}

/// What the column looks like.
///
/// # Errors
/// Numbers with an infinity or with a few words among them, and numbers with commas: with the first such cell.
pub(super) fn looks(file: &str, column: &str, cells: &Cells, facts: &mut Vec<Fact>) -> Result<Looks> {
    let c = count(cells);
    let fault = |(row, found): (usize, &str), expected: &str| {
        Err(Error::Cell {
            file: file.to_owned(),
            row: row + 1,
            column: column.to_owned(),
            found: shortened(found),
            expected: expected.to_owned(),
        })
    };
    match unmistakable(cells) {
        // A vector cannot be missing, nor have another length.
        Some(ColumnKind::Points) if ColumnKind::Points.parse(&mut cells.iter()).is_err() => {
            return Ok(c.identifier("vectors of which some are missing or of another length"));
        }
        Some(kind) => return Ok(Looks::Of(kind)),
        None => {}
    }
    if doubts::are_telephones(column, cells) {
        return Ok(if c.repeats() { Looks::Of(ColumnKind::Category) } else { c.identifier("telephone numbers") });
    }
    let writing = Writing::of(cells);
    // A format that tells strings from numbers is believed: codes such as '0123' are labels. Amounts and percentages are none.
    let bare = match &writing {
        Some(Writing::Marked(marks)) => marks.unit == Unit::None,
        Some(Writing::Point | Writing::Date(DateOrder::Compact)) => true,
        _ => false,
    };
    let as_strings = cells.strings && c.cells > 0 && bare;
    match writing {
        // There is an infinity, which is refused below; or words that are kept as labels are all there is.
        Some(Writing::Point) if c.not_numbers > 0 && (c.first_infinite.is_some() || c.numbers == 0) => {}
        Some(Writing::Point) => match doubts::codes(column, cells) {
            Some(_) if c.numbers == 0 => return Ok(Looks::Number(Writing::Point)),
            Some(what) if c.differs() => return Ok(c.identifier(what)),
            Some(what) => {
                let says = format!("{{holds}} {what}: read as labels");
                facts.push(Fact::of_column(Topic::Labels, column, says).undone_by("number reads numbers"));
                return Ok(Looks::Of(ColumnKind::Category));
            }
            None if as_strings => {}
            None => return Ok(Looks::Number(Writing::Point)),
        },
        Some(writing) if !as_strings => return Ok(Looks::Number(writing)),
        _ => {}
    }
    let labels = format!("declare {} to read it as labels (ignore to leave it out)", declared(column, "category"));
    if as_strings && c.numbers > 0 {
        let says = "{holds} numbers written as strings: read as labels";
        facts.push(Fact::of_column(Topic::Labels, column, says).undone_by("number reads numbers"));
    } else if let Some(at) = c.first_word.filter(|_| c.words_with_commas == c.not_numbers) {
        if marks::said(cells) == Said::Either {
            return fault(
                at,
                &format!(
                    "a number that can be read in one way: --decimal . says that commas part thousands, --decimal , that decimals stand behind them; or {labels}"
                ),
            );
        }
        return fault(
            at,
            &format!("a number with a decimal point and no other separator, or written like the others of its column; {labels}"),
        );
    }
    if c.first_word.is_none()
        && c.numbers > 0
        && let Some(at) = c.first_infinite
    {
        return fault(at, "a finite number; leave the cell empty if it is missing");
    }

    let repeats = c.repeats();
    let long = c.length >= 10 * c.cells;
    let mostly_numbers = c.numbers >= 10 && 10 * c.numbers >= 9 * c.cells;
    if let Some(at) = c.first_word
        && (mostly_numbers || (2 * c.numbers > c.cells && !repeats))
    {
        return fault(at, &format!("a number; {} if that stands for a missing cell, or {labels}", marking(at.1)));
    }
    if let Some((row, found)) = c.first_word
        && c.numbers > 0
        && repeats
    {
        let says = format!("{{holds}} numbers and words (first '{}' in row {}): read as labels", shortened(found), row + 1);
        facts.push(Fact::of_column(Topic::Labels, column, says));
    }
    Ok(if c.letters_only && c.nucleotides_only && long {
        Looks::Of(ColumnKind::Sequence)
    } else if repeats {
        Looks::Of(ColumnKind::Category)
    } else if c.letters_only && long {
        Looks::Of(ColumnKind::Sequence)
    } else if c.words >= 3 * c.cells {
        Looks::Of(ColumnKind::Text)
    } else if c.differs() {
        c.identifier(&why_no_numbers(cells))
    } else {
        Looks::Of(ColumnKind::Category)
    })
}

/// The kind whose cells look like no other's, where nine in ten cells that are not missing are such; the others are then faults.
fn unmistakable(cells: &Cells) -> Option<ColumnKind> {
    let there: Vec<&str> = cells.iter().filter(|text| !cells.misses(text)).collect();
    let first = there.iter().copied().take(10).find_map(|text| ColumnKind::ALL.iter().find(|kind| kind.looks_like(text)))?;
    let alike = there.iter().filter(|text| first.looks_like(text)).count();
    (10 * alike >= 9 * there.len()).then_some(*first)
}

/// What keeps cells that look like numbers or dates from being read so; empty where they look like neither.
fn why_no_numbers(cells: &Cells) -> String {
    if let Some([(day, first), (month, second)]) = dates::two_orders(cells) {
        let (day, month) = (day + 1, month + 1);
        return format!("dates in two orders, day first ('{first}' in row {day}) and month first ('{second}' in row {month})");
    }
    let mut units: Vec<(Unit, usize)> = Vec::new();
    for (row, _) in cells.iter().enumerate().filter(|(_, cell)| !cells.misses(cell)) {
        let Some(Writing::Marked(marks)) = Writing::of(&cells.select(&[row])) else { return String::new() };
        if units.iter().all(|(unit, _)| *unit != marks.unit) {
            units.push((marks.unit, row));
        }
        if units.len() > 1 {
            return format!("numbers in different units, as in rows {} and {}", units[0].1 + 1, units[1].1 + 1);
        }
    }
    String::new()
}

impl Counts<'_> {
    /// An identifier, described by its counts.
    fn identifier(&self, what: &str) -> Looks {
        let values = match (self.distinct.len(), self.cells) {
            (all, cells) if all == cells => format!("{all} different values in {cells} rows"),
            (some, cells) => format!("{some} different values in {cells} rows that have one"),
        };
        Looks::Identifier(if what.is_empty() { values } else { format!("{what}, {values}") })
    }
    /// Whether few values come back again and again, as labels do.
    fn repeats(&self) -> bool {
        2 * self.distinct.len() <= self.cells && self.distinct.len() <= 20.max(self.cells / 10)
    }
    fn differs(&self) -> bool {
        self.cells >= 10 && 10 * self.distinct.len() >= 9 * self.cells
    }
}

/// The option that makes such cells missing, fit for a shell.
fn marking(cell: &str) -> String {
    let cell = shortened(cell);
    let plain = cell.chars().all(|c| c.is_alphanumeric() || "_-.:=/%+@".contains(c));
    if plain { format!("--na={cell}") } else { format!("--na='{}'", cell.replace('\'', "'\\''")) }
}

/// The start of a cell, fit for a message.
pub(super) fn shortened(text: &str) -> String {
    if text.chars().count() <= 40 { text.to_owned() } else { text.chars().take(37).chain("...".chars()).collect() }
}
