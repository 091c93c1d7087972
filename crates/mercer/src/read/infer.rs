//! The type of a column, inferred from all of its cells.
//!
//! In this order: what only trees, sets of vectors, graphs or vectors look like, nine in ten cells at least; SMILES; DNA or RNA, ten letters or
//! more a cell on average; only numbers, be they plain, written for people, dates or words for true and false; labels that repeat
//! (at most half as many as cells, and at most 20 or a tenth of the rows); proteins, or one word of letters a cell, nine in ten cells at
//! least, ten letters or more on average (sequences), where nine in ten letters decide whether these are bases or residues; three words
//! or more a cell on average (texts), where a word has a letter; at least ten cells of which nine in ten
//! differ (identifiers); whatever is left are labels. Other cells among numbers, amounts, dates or times are an error where nine in
//! ten cells are such (ten at least), and where half of them are, not by their unit alone, and the cells do not repeat like labels.

use super::cells::{Cell, Cells, missing_among_numbers};
use super::facts::{Fact, Topic, declared};
use super::lists::ListSize;
use super::marks::{self, Said};
use super::sequences::Molecules;
use super::writing::Mostly;
use super::{dates, doubts, sequences};
use crate::data::letters::Alphabet;
use crate::data::names::shell_word;
use crate::data::{Addition, ColumnKind, DateOrder, Unit, Writing, list_of_numbers};
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
    /// Cells of letters alone, and their length.
    of_letters: usize,
    letters: usize,
    length: usize,
    words: usize,
}

fn count(cells: &Cells) -> Counts<'_> {
    let mut c = Counts::default();
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
        if text.bytes().all(|b| b.is_ascii_alphabetic()) {
            c.of_letters += 1;
            c.letters += text.len();
        }
        c.length += text.chars().count();
        c.words += text.split_whitespace().filter(|word| word.contains(char::is_alphabetic)).count();
    }
    c
}

/// `3,5` or `1,234.5`: a number for people, not for a parser.
fn number_with_commas(text: &str) -> bool {
    text.contains(',') && text.bytes().all(|b| b.is_ascii_digit() || b",.-+".contains(&b)) && text.replace(',', "").parse::<f64>().is_ok()
}

/// A column that is looked at.
struct Looking<'a> {
    file: &'a str,
    column: &'a str,
    cells: &'a Cells,
}

/// What the column looks like.
///
/// # Errors
/// Numbers, dates, trees, .. with an infinity or with a few other cells among them, and numbers with commas that can be read in two
/// ways: with the first such cell.
pub(super) fn looks(file: &str, column: &str, cells: &Cells, facts: &mut Vec<Fact>) -> Result<Looks> {
    let c = count(cells);
    let looking = Looking { file, column, cells };
    if let Some(found) = looking.structures(&c, facts)? {
        return Ok(found);
    }
    let smiles = sequences::smiles(column, cells, c.repeats());
    if let Some((molecules, fact)) = &smiles {
        facts.push(fact.clone());
        match molecules {
            Molecules::Graphs => return Ok(Looks::Of(ColumnKind::Graph)),
            Molecules::Labels => return Ok(Looks::Of(ColumnKind::Category)),
            Molecules::Other => {}
        }
    }
    let alphabet = match &smiles {
        None if c.length >= LONG * c.cells => Alphabet::guess(cells.iter().filter(|text| !cells.misses(text))),
        _ => Alphabet::Text,
    };
    if matches!(alphabet, Alphabet::Dna | Alphabet::Rna) {
        return Ok(Looks::Of(ColumnKind::Sequence));
    }
    if doubts::are_telephones(column, cells) {
        return Ok(if c.repeats() { Looks::Of(ColumnKind::Category) } else { c.identifier("telephone numbers") });
    }
    if let Some(found) = looking.numbers(&c, facts)? {
        return Ok(found);
    }
    Ok(if c.repeats() {
        Looks::Of(ColumnKind::Category)
    } else if alphabet == Alphabet::Protein || c.are_long_words() {
        Looks::Of(ColumnKind::Sequence)
    } else if c.words >= 3 * c.cells {
        Looks::Of(ColumnKind::Text)
    } else if c.differs() {
        c.identifier(&why_no_numbers(cells))
    } else {
        Looks::Of(ColumnKind::Category)
    })
}

impl Looking<'_> {
    fn fault<T>(&self, (row, found): (usize, &str), expected: &str) -> Result<T> {
        Err(Error::Cell {
            file: self.file.to_owned(),
            row: row + 1,
            column: self.column.to_owned(),
            found: shortened(found),
            expected: expected.to_owned(),
        })
    }

    /// How to read the column as labels, or not at all.
    fn as_labels(&self) -> String {
        format!("declare {} to read it as labels (ignore to leave it out)", declared(self.column, "category"))
    }

    /// Refuses a cell among others that are something else.
    fn odd<T>(&self, at: (usize, &str), expected: &str) -> Result<T> {
        self.fault(at, &format!("{expected}; {} if that stands for a missing cell, or {}", marking(at.1), self.as_labels()))
    }

    /// A kind whose cells look like no other's, where nine in ten cells that are not missing are such.
    fn structures(&self, c: &Counts<'_>, facts: &mut Vec<Fact>) -> Result<Option<Looks>> {
        // Cells that are looked at to find one that looks like no other kind's.
        const LOOKED_AT: usize = 1000;
        let there: Vec<(usize, &str)> = self.cells.iter().enumerate().filter(|(_, text)| !self.cells.misses(text)).collect();
        if let Some(found) = self.arrays(c, &there, facts)? {
            return Ok(Some(found));
        }
        let looked_at = there.iter().take(LOOKED_AT);
        let Some(kind) = looked_at.into_iter().find_map(|(_, text)| ColumnKind::ALL.iter().copied().find(|kind| kind.looks_like(text)))
        else {
            return Ok(None);
        };
        let alike = there.iter().filter(|(_, text)| kind.looks_like(text)).count();
        let odd = there.iter().copied().find(|(_, text)| !kind.could_be(text));
        let could_be = if odd.is_none() { there.len() } else { there.iter().filter(|(_, text)| kind.could_be(text)).count() };
        if 10 * could_be < 9 * there.len() {
            if let Some((row, found)) = odd.filter(|_| 2 * alike >= there.len() && there.len() >= 10) {
                let says = format!("{{looks}} like {}, but '{}' in row {} is none: not read so", kind.holds(), shortened(found), row + 1);
                let undo = format!("{} reads {}", kind.name(), kind.holds());
                facts.push(Fact::of_column(Topic::Labels, self.column, says).undone_by(&undo));
            }
            return Ok(None);
        }
        if kind != ColumnKind::Points {
            return Ok(Some(Looks::Of(kind)));
        }
        match (kind.parse(&mut self.cells.iter()), odd) {
            (Ok(_), _) => Ok(Some(Looks::Of(kind))),
            (Err(_), Some(at)) => self.odd(at, "a vector like the others of this column"),
            // A vector cannot be missing, nor have another length.
            (Err(_), None) => Ok(Some(c.identifier(UNEVEN))),
        }
    }

    /// Arrays of numbers in square brackets, which are never labels: vectors where all are of one length, series where they are not or
    /// lack numbers.
    fn arrays(&self, c: &Counts<'_>, there: &[(usize, &str)], facts: &mut Vec<Fact>) -> Result<Option<Looks>> {
        let size = |(_, text): &(usize, &str)| list_of_numbers(text).map(|list| ListSize::of(&list));
        let sizes: Vec<Option<ListSize>> = there.iter().map(size).collect();
        let count = sizes.iter().flatten().count();
        if 10 * count < 9 * there.len() || sizes.iter().flatten().all(|size| size.length == 0) {
            return Ok(None);
        }
        if let Some((at, _)) = there.iter().zip(&sizes).find(|(_, size)| size.is_none()) {
            return self.odd(*at, "an array of numbers such as [1.5, 2]");
        }
        if let Some(said) = ListSize::are_series(self.column, sizes.iter().flatten()) {
            facts.push(said);
            return Ok(Some(Looks::Of(ColumnKind::Series)));
        }
        let is_whole = count == self.cells.len() && ColumnKind::Points.parse(&mut self.cells.iter()).is_ok();
        Ok(Some(if is_whole { Looks::Of(ColumnKind::Points) } else { c.identifier(UNEVEN) }))
    }

    /// Numbers in any notation, or codes made of digits.
    fn numbers(&self, c: &Counts<'_>, facts: &mut Vec<Fact>) -> Result<Option<Looks>> {
        let (column, cells) = (self.column, self.cells);
        let writing = Writing::of(cells);
        // A format that tells strings from numbers is believed: codes such as '0123' are labels. Amounts and percentages are none.
        let bare = match &writing {
            Some(Writing::Marked(marks)) => marks.unit == Unit::None && marks.addition == Addition::None,
            Some(Writing::Point | Writing::Date(DateOrder::Compact)) => true,
            _ => false,
        };
        let as_strings = cells.strings && c.cells > 0 && bare;
        match writing {
            // There is an infinity, which is refused below; or words that are kept as labels are all there is.
            Some(Writing::Point) if c.not_numbers > 0 && (c.first_infinite.is_some() || c.numbers == 0) => {}
            Some(Writing::Point) => match doubts::codes(column, cells) {
                Some(_) if c.numbers == 0 => return Ok(Some(Looks::Number(Writing::Point))),
                Some(what) if c.differs() => return Ok(Some(c.identifier(what))),
                Some(what) => {
                    let says = format!("{{holds}} {what}: read as labels");
                    facts.push(Fact::of_column(Topic::Labels, column, says).undone_by("number reads numbers"));
                    return Ok(Some(Looks::Of(ColumnKind::Category)));
                }
                None if as_strings => {}
                None => return Ok(Some(Looks::Number(Writing::Point))),
            },
            Some(writing) if !as_strings => return Ok(Some(Looks::Number(writing))),
            _ => {}
        }
        if as_strings && c.numbers > 0 {
            let says = "{holds} numbers written as strings: read as labels";
            facts.push(Fact::of_column(Topic::Labels, column, says).undone_by("number reads numbers"));
            return Ok(None);
        }
        if let Some(at) = c.first_word.filter(|_| c.words_with_commas == c.not_numbers) {
            return match marks::said(cells) {
                Said::Either => self.fault(at, &format!("{EITHER}; or {}", self.as_labels())),
                _ => {
                    let expected = "a number with a decimal point and no other separator, or written like the others of its column";
                    self.fault(at, &format!("{expected}; {}", self.as_labels()))
                }
            };
        }
        if c.first_word.is_none()
            && c.numbers > 0
            && let Some(at) = c.first_infinite
        {
            return self.fault(at, "a finite number; leave the cell empty if it is missing");
        }
        self.few_among_numbers(c, facts)
    }

    /// Refuses or names the cells that are no numbers among others that are.
    fn few_among_numbers(&self, c: &Counts<'_>, facts: &mut Vec<Fact>) -> Result<Option<Looks>> {
        let most = Mostly::of(self.cells);
        let mut doubt = c.first_word.filter(|_| c.numbers > 0).map(|at| ("numbers".to_owned(), at));
        if let Some(most) = most {
            let Some(at) = most.odd else {
                // Commas in some cells that could part thousands.
                let comma = self.cells.iter().enumerate().find(|(_, cell)| cell.contains(','));
                return comma.filter(|_| most.open).map_or(Ok(None), |at| self.fault(at, &format!("{EITHER}; or {}", self.as_labels())));
            };
            let half = 2 * most.numbers > most.present;
            let some = half && most.is_sure() && !c.repeats();
            if (most.decides() || some) && dates::two_orders(self.cells).is_none() {
                return self.odd(at, &most.expected());
            }
            if half {
                doubt = Some((most.in_words(), at));
            }
        }
        // Identifiers say so themselves.
        let as_labels = c.repeats() || (!c.differs() && c.words < 3 * c.cells);
        if let Some((what, (row, found))) = doubt.filter(|_| as_labels) {
            let says = format!("{{holds}} {what} and words (first '{}' in row {}): read as labels", shortened(found), row + 1);
            facts.push(Fact::of_column(Topic::Labels, self.column, says));
        }
        Ok(None)
    }
}

/// Letters that a sequence has at least, on average.
const LONG: usize = 10;
/// Why arrays of numbers are no vectors.
const UNEVEN: &str = "vectors of which some are missing or of another length";
/// What a number with a comma must be where it could be two.
pub(super) const EITHER: &str =
    "a number that can be read in one way: --decimal . says that commas part thousands, --decimal , that decimals stand behind them";

/// What keeps cells that look like numbers or dates from being read so; empty where they look like neither.
fn why_no_numbers(cells: &Cells) -> String {
    if let Some([(day, first), (month, second)]) = dates::two_orders(cells) {
        let (day, month) = (day + 1, month + 1);
        return format!("dates in two orders, day first ('{first}' in row {day}) and month first ('{second}' in row {month})");
    }
    if let Some(most) = Mostly::of(cells).filter(|most| 2 * most.numbers > most.present)
        && let Some((row, found)) = most.odd
    {
        return format!("{}, but not in all rows ('{}' in row {})", most.in_words(), shortened(found), row + 1);
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
    /// Whether each cell is one word, nine in ten of letters alone, and these are long.
    fn are_long_words(&self) -> bool {
        10 * self.of_letters >= 9 * self.cells && self.letters >= LONG * self.of_letters && self.words <= self.cells
    }
    fn differs(&self) -> bool {
        self.cells >= 10 && 10 * self.distinct.len() >= 9 * self.cells
    }
}

/// The option that makes such cells missing, fit for a shell.
pub(super) fn marking(cell: &str) -> String {
    format!("--na={}", shell_word(&shortened(cell)))
}

/// The start of a cell, fit for a message.
pub(super) fn shortened(text: &str) -> String {
    if text.chars().count() <= 40 { text.to_owned() } else { text.chars().take(37).chain("...".chars()).collect() }
}
