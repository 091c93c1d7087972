//! Columns of numbers that may be no measurements: identifiers, codes, and values that stand for missing cells.

use super::cells::{Cell, Cells};
use super::dates;
use super::facts::{Fact, Topic};
use crate::data::names::{named_as_identifier, words};
use crate::data::{DateOrder, marker};
use std::collections::HashSet;

/// Fewer rows give no evidence of identifiers.
const ENOUGH: usize = 10;

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
    Fact::of_column(Topic::Identifiers, name, "{has} a different whole number in every row and the name of an identifier: ignored as one")
        .undone_by("number keeps it")
}

/// What a table that is read would say of a column of plain numbers, one sentence each, and whether it would keep it as an
/// input: columns that come as numbers are doubtful for the same reasons.
pub fn doubts(name: &str, values: &[f64]) -> (Vec<String>, bool) {
    let keeps = identity(name, values) != Identity::Identifier;
    let facts = if keeps { of_numbers(name, values) } else { vec![ignored(name)] };
    (facts.iter().map(Fact::sentence).collect(), keeps)
}

/// Whether a name is that of a postal code: `zip`, `ZipCode`, `postal code`, `PLZ`.
fn named_as_postal(name: &str) -> bool {
    // Last words of the names of postal codes, written together.
    const POSTAL: [&str; 5] = ["zip", "zipcode", "postcode", "postalcode", "plz"];
    let words = words(name);
    (0..words.len()).rev().take(2).any(|first| POSTAL.contains(&words[first..].concat().as_str()))
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

/// The first cell that is no day where most cells are days written as one number, and all have eight digits, or nine in ten are.
pub(super) fn no_day(cells: &Cells) -> Option<(usize, &str)> {
    let present = || cells.iter().enumerate().filter(|(_, cell)| Cell::of(cell) != Cell::Missing);
    let is_day = |cell: &str| dates::days(cell, DateOrder::Compact).is_some();
    let alike = present().all(|(_, cell)| cell.len() == 8 && cell.bytes().all(|b| b.is_ascii_digit()));
    let (days, all) = (present().filter(|(_, cell)| cell.len() == 8 && is_day(cell)).count(), present().count());
    let most = if alike { 2 * days >= all } else { days >= ENOUGH && 10 * days >= 9 * all };
    present().find(|(_, cell)| !is_day(cell)).filter(|_| most)
}

/// Whether the cells are codes of digits, some with a leading zero: 01067, 99998.
pub(super) fn are_codes(cells: &Cells) -> bool {
    of_digits(cells).is_some_and(|digits| digits.zeros)
}

/// What plain numbers are that nobody would count with: long codes with leading zeros, postal codes by their name, whole numbers
/// that a number cannot hold to the last digit, and codes such as 12E3, which a program writes 1.2e4 where it means a number.
pub(super) fn codes(name: &str, cells: &Cells) -> Option<&'static str> {
    // Fewer digits are hours, months or small counts.
    const DIGITS: usize = 4;
    if of_digits(cells).is_some_and(|digits| digits.longest >= DIGITS && (digits.zeros || (digits.alike && named_as_postal(name)))) {
        return no_day(cells).is_none().then_some("codes of digits, as postal codes are");
    }
    if cells.iter().any(is_code_with_exponent) {
        return Some("codes such as 12E3");
    }
    let lost = cells.iter().any(loses_digits);
    (lost && are_labels_or_collide(cells)).then_some("whole numbers of which a number would lose the last digits")
}

/// `12E3`: two digits or more, then an exponent.
fn is_code_with_exponent(cell: &str) -> bool {
    let digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
    cell.split_once(['e', 'E']).is_some_and(|(before, behind)| before.len() > 1 && !behind.is_empty() && digits(before) && digits(behind))
}

/// Whether a whole number has digits that a number of 53 bits does not hold.
pub(super) fn loses_digits(cell: &str) -> bool {
    let digits = cell.trim_start_matches(['-', '+']);
    let whole = digits.len() > 15 && digits.bytes().all(|b| b.is_ascii_digit());
    whole && cell.parse::<i128>().ok().zip(cell.parse::<f64>().ok()).is_none_or(|(exact, near)| near as i128 != exact)
}

/// Whether cells repeat, as labels do, or some that differ would be one number: points in time of nanoseconds do neither.
fn are_labels_or_collide(cells: &Cells) -> bool {
    let present = || cells.iter().filter(|cell| Cell::of(cell) != Cell::Missing);
    let texts: HashSet<&str> = present().collect();
    let numbers: HashSet<u64> = texts.iter().filter_map(|cell| cell.parse::<f64>().ok()).map(f64::to_bits).collect();
    2 * texts.len() <= present().count() || numbers.len() < texts.len()
}

/// Whether the cells, nine in ten at least, are telephone numbers: with a plus before each, or with signs between digits or under a name that says so.
pub(super) fn are_telephones(name: &str, cells: &Cells) -> bool {
    // Words in the names of telephone numbers.
    const TELEPHONES: [&str; 9] = ["phone", "telephone", "tel", "telefon", "mobile", "cell", "fax", "handy", "phonenumber"];
    // Digits that a telephone number has at least, with its area code, and at most (ITU-T E.164).
    const TELEPHONE_DIGITS: std::ops::RangeInclusive<usize> = 6..=15;
    let named = words(name).iter().any(|word| TELEPHONES.contains(&word.as_str()));
    let (mut all, mut numbers, mut plus, mut signs) = (0, 0, true, false);
    for cell in cells.iter().filter(|cell| !cells.misses(cell)) {
        all += 1;
        let digits = cell.bytes().filter(u8::is_ascii_digit).count();
        if !TELEPHONE_DIGITS.contains(&digits) || !cell.bytes().all(|b| b.is_ascii_digit() || b" +-()/.".contains(&b)) {
            continue;
        }
        numbers += 1;
        plus &= cell.starts_with('+') && digits > 7;
        signs |= cell.contains([' ', '/', '(']);
    }
    // Numbers with a decimal point or a date are none by their name alone.
    numbers > 0 && 10 * numbers >= 9 * all && (plus || (named && (signs || cells.iter().all(|cell| !cell.contains('.')))))
}

/// Codes of digits.
struct Digits {
    longest: usize,
    alike: bool,
    zeros: bool,
}

/// How many digits the cells have, and whether some begin with 0; `None` where there is anything else.
fn of_digits(cells: &Cells) -> Option<Digits> {
    let mut present = cells.iter().filter(|cell| Cell::of(cell) != Cell::Missing).peekable();
    let first = present.peek().map(|cell| cell.len())?;
    let mut found = Digits { longest: first, alike: true, zeros: false };
    let all = present.all(|cell| {
        found.zeros |= cell.starts_with('0') && cell.len() > 1;
        found.alike &= cell.len() == first;
        found.longest = found.longest.max(cell.len());
        cell.bytes().all(|b| b.is_ascii_digit())
    });
    (all && !cells.strings).then_some(found)
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
    fn whole_numbers_above_2_to_53_and_codes_with_an_exponent_are_labels_where_numbers_would_make_two_one() {
        let cells = |list: &[&str]| {
            let mut cells = Cells::default();
            list.iter().for_each(|cell| cells.push(cell));
            cells
        };
        assert!(loses_digits("2023552585717889861") && loses_digits("9007199254740993") && loses_digits(&"9".repeat(60)));
        assert!(!loses_digits("9007199254740992") && !loses_digits("0.12345678901234567") && !loses_digits("-1"));
        assert!(codes("x", &cells(&["2023552585717889861", "2023552585717889862"])).is_some());
        assert!(codes("x", &cells(&["2023552585717889861", "5", "5", "2023552585717889861"])).is_some());
        // Nanoseconds since 1970, one second apart.
        assert!(codes("x", &cells(&["1700000000123456789", "1700000001123456789"])).is_none());
        assert!(codes("x", &cells(&["12E3", "7000", "12000"])).is_some());
        assert!(codes("x", &cells(&["1e5", "1.2e4", "3E-2"])).is_none());
    }

    #[test]
    fn telephone_numbers_have_signs_or_a_name() {
        let cells = |list: &[&str]| {
            let mut cells = Cells::default();
            list.iter().for_each(|cell| cells.push(cell));
            cells
        };
        for (name, list) in [
            ("x", ["+49 371 306027", "+49 30 123456"]),
            ("x", ["+49371306027", "+4930123456"]),
            ("phone", ["(555) 123-4567", "555-123-4567"]),
            ("Mobile phone", ["5551234567", "5551234568"]),
        ] {
            assert!(are_telephones(name, &cells(&list)), "{name} {list:?}");
        }
        for (name, list) in
            [("x", ["5551234567", "5551234568"]), ("phone", ["12", "15"]), ("cell", ["123456.5", "234567.25"]), ("x", ["+5", "+6"])]
        {
            assert!(!are_telephones(name, &cells(&list)), "{name} {list:?}");
        }
    }

    #[test]
    fn long_codes_of_digits_are_labels_by_their_zeros_or_their_name() {
        let cells = |list: &[&str]| {
            let mut cells = Cells::default();
            list.iter().for_each(|cell| cells.push(cell));
            cells
        };
        assert!(codes("x", &cells(&["01067", "99998", ""])).is_some() && codes("x", &cells(&["01067", "998"])).is_some());
        for name in ["zip", "ship zip", "ZipCode", "zip_code", "Postal Code", "post code", "PLZ"] {
            assert!(codes(name, &cells(&["98103", "98105"])).is_some(), "{name}");
        }
        for (name, list) in [
            ("x", ["98103", "98105"]),
            ("zip", ["98103", "9810"]),
            ("month", ["01", "12"]),
            ("zip", ["98103.5", "98105"]),
            ("code", ["1234", "5678"]),
            ("zipper", ["1234", "5678"]),
        ] {
            assert!(codes(name, &cells(&list)).is_none(), "{name} {list:?}");
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
