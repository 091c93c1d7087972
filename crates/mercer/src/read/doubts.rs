//! Columns of numbers that may be no measurements: identifiers, codes, and values that stand for missing cells.

use super::Notice;
use super::cells::{Cell, Cells, missing_among_numbers};
use super::dates;
use super::facts::{Fact, Topic};
use crate::data::{Marks, Order, Thousands, Unit};
use std::collections::HashSet;

/// Fewer rows tell nothing about identifiers.
const ENOUGH: usize = 10;
/// Last words of the names of identifiers.
const NAMES: [&str; 12] = ["id", "ids", "nr", "no", "key", "uuid", "guid", "rowid", "rownumber", "rownames", "index", "idx"];

/// Last words of the names of postal codes, written together.
const POSTAL: [&str; 5] = ["zip", "zipcode", "postcode", "postalcode", "plz"];
/// Fewer digits are hours, months or small counts.
const DIGITS: usize = 4;

/// What a column of whole numbers that are all different is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Identity {
    /// Named like an identifier, too.
    Identifier,
    /// It counts the rows, from 0 or from 1.
    Counter,
    /// It may well be a measurement.
    No,
}

pub(super) fn identity(name: &str, values: &[f64]) -> Identity {
    let whole = values.len() >= ENOUGH && values.iter().all(|x| x.fract() == 0.0);
    if !whole || values.iter().map(|x| (x + 0.0).to_bits()).collect::<HashSet<_>>().len() < values.len() {
        return Identity::No;
    }
    let counts = |first: f64| values.iter().enumerate().all(|(i, &x)| x == first + i as f64);
    if named_as_identifier(name) {
        Identity::Identifier
    } else if counts(0.0) || counts(1.0) {
        Identity::Counter
    } else {
        Identity::No
    }
}

/// What is said of an identifier of whole numbers.
pub(super) fn ignored(name: &str) -> Fact {
    Fact::of_column(Topic::Identifiers, name, "{has} a different whole number in every row: ignored as an identifier")
        .undone_by("number keeps it")
}

/// What a table that is read would say of a column of plain numbers, one sentence each, and whether it would keep it as an
/// input: columns that come as numbers are doubtful for the same reasons.
pub fn doubts(name: &str, values: &[f64]) -> (Vec<Notice>, bool) {
    let keeps = identity(name, values) != Identity::Identifier;
    let facts = if keeps { of_numbers(name, values) } else { vec![ignored(name)] };
    (facts.iter().map(Fact::sentence).collect(), keeps)
}

/// Whether the last word of a name is one of an identifier: `order id`, `PassengerId`, `Kunde Nr.`, but not `paid`.
fn named_as_identifier(name: &str) -> bool {
    words(name).last().is_some_and(|word| NAMES.contains(&word.as_str()))
}

/// Whether a name is that of a postal code: `zip`, `ZipCode`, `postal code`, `PLZ`.
fn named_as_postal(name: &str) -> bool {
    let words = words(name);
    (0..words.len()).rev().take(2).any(|first| POSTAL.contains(&words[first..].concat().as_str()))
}

/// The words of a name in small letters.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = ' ';
    for c in name.chars() {
        let begins = !c.is_alphanumeric() || (c.is_uppercase() && before.is_lowercase());
        if begins && words.last().is_some_and(|word| !word.is_empty()) {
            words.push(String::new());
        }
        if c.is_alphanumeric() {
            words.last_mut().into_iter().for_each(|word| word.extend(c.to_lowercase()));
        }
        before = c;
    }
    words.retain(|word| !word.is_empty());
    words
}

/// A value such as -999 that stands several times far outside of all others.
pub(crate) fn marker(values: &[f64]) -> Option<f64> {
    let mut sorted: Vec<f64> = values.iter().copied().filter(|x| !x.is_nan()).collect();
    sorted.sort_by(f64::total_cmp);
    let (&least, &most) = (sorted.first()?, sorted.last()?);
    [least, most].into_iter().find_map(|value| {
        let count = sorted.iter().filter(|&&x| x == value).count();
        let rest: Vec<f64> = sorted.iter().copied().filter(|&x| x != value).collect();
        let (&low, &high) = (rest.first()?, rest.last()?);
        let gap = if value < low { low - value } else { value - high };
        (count > 1 && nines(value) && gap > high - low).then_some(value)
    })
}

/// -9, 99, -999, 9999, ...
fn nines(value: f64) -> bool {
    let text = value.to_string();
    let digits = text.trim_start_matches('-');
    digits.bytes().all(|b| b == b'9') && (digits.len() > 1 || value < 0.0)
}

/// What is doubtful in a column of numbers that becomes an input.
pub(super) fn of_numbers(name: &str, values: &[f64]) -> Vec<Fact> {
    let mut facts = Vec::new();
    if identity(name, values) == Identity::Counter {
        let says = "{looks} like an identifier: it counts the rows; it is used as an input";
        facts.push(Fact::of_column(Topic::Identifiers, name, says).undone_by("ignore leaves it out"));
    }
    if let Some(value) = marker(values) {
        let says =
            format!("{{holds}} {value} in several rows, far outside of all other values: if that stands for missing, add --na={value}");
        facts.push(Fact::of_column(Topic::Missing, name, says));
    }
    facts
}

/// The first cell that is no day where most cells are days written as one number, and all have eight digits.
pub(super) fn no_day(cells: &Cells) -> Option<(usize, &str)> {
    let present = || cells.iter().enumerate().filter(|(_, cell)| Cell::of(cell) != Cell::Missing);
    let is_day = |cell: &str| dates::days(cell, Order::Compact).is_some();
    if !present().all(|(_, cell)| cell.len() == 8 && cell.bytes().all(|b| b.is_ascii_digit())) {
        return None;
    }
    let (days, all) = (present().filter(|(_, cell)| is_day(cell)).count(), present().count());
    present().find(|(_, cell)| !is_day(cell)).filter(|_| 2 * days >= all)
}

/// Whether points could part thousands in plain numbers: `1.234`, `950`, `12.345`.
pub(super) fn points_may_part(cells: &Cells) -> bool {
    let parted = Marks { decimal_comma: true, thousands: Thousands::Point, unit: Unit::None };
    let mut present = cells.iter().filter(|cell| Cell::of(cell) != Cell::Missing && !missing_among_numbers(cell));
    cells.iter().any(|cell| cell.contains('.') && cell != ".") && present.all(|cell| parted.number(cell).is_some())
}

/// Whether the cells are codes of digits, some with a leading zero: 01067, 99998.
pub(super) fn are_codes(cells: &Cells) -> bool {
    codes(cells).is_some_and(|(_, zeros)| zeros)
}

/// Whether they are codes that nobody would count with: long ones with leading zeros, or postal codes by their name.
pub(super) fn are_labels(name: &str, cells: &Cells) -> bool {
    let long = |(digits, zeros): (usize, bool)| digits >= DIGITS && (zeros || named_as_postal(name));
    !cells.strings && codes(cells).is_some_and(long) && no_day(cells).is_none()
}

/// How many digits each cell has, where that is one number, and whether some begin with 0.
fn codes(cells: &Cells) -> Option<(usize, bool)> {
    let mut present = cells.iter().filter(|cell| Cell::of(cell) != Cell::Missing).peekable();
    let length = present.peek().map(|cell| cell.len())?;
    let mut zeros = false;
    let alike = present.all(|cell| {
        zeros |= cell.starts_with('0') && cell.len() > 1;
        cell.len() == length && cell.bytes().all(|b| b.is_ascii_digit())
    });
    alike.then_some((length, zeros))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_whole_numbers_that_differ_under_a_name_that_says_so() {
        let values: Vec<f64> = (0..20).map(|i| f64::from(i * 37 % 101)).collect();
        for name in ["id", "order id", "PassengerId", "Kunde Nr.", "ID", "row_index"] {
            assert_eq!(identity(name, &values), Identity::Identifier, "{name}");
        }
        for name in ["paid", "x", "identity", "idle", "node"] {
            assert_eq!(identity(name, &values), Identity::No, "{name}");
        }
        assert_eq!(identity("id", &[values.clone(), vec![0.0]].concat()), Identity::No);
        assert_eq!(identity("t", &(1..=20).map(f64::from).collect::<Vec<_>>()), Identity::Counter);
        assert_eq!(identity("id", &values[..5]), Identity::No);
    }

    #[test]
    fn long_codes_of_digits_are_labels_by_their_zeros_or_their_name() {
        let cells = |list: &[&str]| {
            let mut cells = Cells::default();
            list.iter().for_each(|cell| cells.push(cell));
            cells
        };
        assert!(are_labels("x", &cells(&["01067", "99998", ""])));
        for name in ["zip", "ship zip", "ZipCode", "zip_code", "Postal Code", "post code", "PLZ"] {
            assert!(are_labels(name, &cells(&["98103", "98105"])), "{name}");
        }
        for (name, list) in [
            ("x", ["98103", "98105"]),
            ("zip", ["98103", "9810"]),
            ("month", ["01", "12"]),
            ("zip", ["98103.5", "98105"]),
            ("code", ["1234", "5678"]),
            ("zipper", ["1234", "5678"]),
        ] {
            assert!(!are_labels(name, &cells(&list)), "{name} {list:?}");
        }
    }

    #[test]
    fn values_of_nines_far_outside_of_the_rest_are_seen_where_they_repeat() {
        assert_eq!(marker(&[1.0, 2.0, -999.0, 3.0, -999.0]), Some(-999.0));
        assert_eq!(marker(&[18.0, 90.0, 999.0, 44.0, 999.0]), Some(999.0));
        assert_eq!(marker(&[1.0, 2.0, -999.0, 3.0]), None);
        assert_eq!(marker(&[18.0, 90.0, 99.0, 99.0]), None);
        assert_eq!(marker(&[1.0, 2.0, 1000.0, 1000.0]), None);
        assert_eq!(marker(&[f64::NAN, 999.0, 999.0]), None);
        assert_eq!(marker(&[-1e4, 1e4, -9999.0, -9999.0]), None);
    }
}
