//! Numbers written for people: `3,5`, `1,234.50`, `1.234,50`, `$1,234`, `12.5 %`. One column has one unit and one way of
//! writing; which one, all of its cells together decide.

use super::cells::{Cell, Cells, missing_among_numbers};
use crate::data::{Marks, Thousands, Unit};

const UNITS: [Unit; 8] = [Unit::None, Unit::Percent, Unit::Dollar, Unit::Euro, Unit::Pound, Unit::Yen, Unit::Rupee, Unit::Franc];

/// Decimals behind a comma or not, and what parts thousands.
const WAYS: [(bool, Thousands); 8] = [
    (false, Thousands::None),
    (true, Thousands::None),
    (false, Thousands::Comma),
    (true, Thousands::Point),
    (false, Thousands::Space),
    (true, Thousands::Space),
    (false, Thousands::Apostrophe),
    (true, Thousands::Apostrophe),
];

/// What all cells of a column say together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Said {
    /// One way of writing.
    One(Marks),
    /// `1,234` in every cell that has a comma: 1234 or 1.234.
    Either,
    /// No numbers.
    None,
}

/// Every way in which each cell that is not missing is a number; none where no cell is one.
pub(super) fn fitting(cells: &Cells) -> Vec<Marks> {
    let mut present = cells.iter().filter(|cell| Cell::of(cell) != Cell::Missing && !missing_among_numbers(cell)).peekable();
    let Some(first) = present.peek() else { return Vec::new() };
    let mut ways: Vec<Marks> = Vec::new();
    for unit in UNITS {
        let all = WAYS.map(|(decimal_comma, thousands)| Marks { decimal_comma, thousands, unit });
        ways.extend(all.into_iter().filter(|marks| marks.number(first).is_some()));
    }
    for cell in present {
        ways.retain(|marks| marks.number(cell).is_some());
        if ways.is_empty() {
            break;
        }
    }
    ways
}

/// The way in which the column is written.
pub(super) fn said(cells: &Cells) -> Said {
    let ways = fitting(cells);
    let has = |decimal_comma, thousands| ways.iter().copied().find(|m| m.decimal_comma == decimal_comma && m.thousands == thousands);
    let wished = cells.decimal_comma.and_then(|comma| {
        let fits = ways.iter().copied().filter(|m| m.decimal_comma == comma);
        // `1,234` where decimals stand behind points: thousands.
        fits.min_by_key(|m| m.thousands != Thousands::None)
    });
    if let Some(marks) = wished {
        return Said::One(marks);
    }
    let Some(&first) = ways.first() else { return Said::None };
    let is_money = !matches!(first.unit, Unit::None | Unit::Percent);
    match (has(false, Thousands::None), has(true, Thousands::None)) {
        // Every point could part thousands: prices have two decimals or none.
        (Some(plain), None) => match has(true, Thousands::Point) {
            Some(parted) if is_money => Said::One(parted),
            _ => Said::One(plain),
        },
        (None, Some(comma)) => match has(false, Thousands::Comma) {
            None => Said::One(comma),
            Some(parted) if is_money => Said::One(parted),
            Some(_) if cells.commas_are_free => Said::One(comma),
            Some(_) => Said::Either,
        },
        (Some(plain), Some(_)) => Said::One(plain),
        (None, None) => Said::One(first),
    }
}

impl Marks {
    /// The number that a cell writes in this way.
    pub(super) fn number(self, cell: &str) -> Option<f64> {
        let (negative, body) = self.unit.without(cell)?;
        let mark = if self.decimal_comma { ',' } else { '.' };
        let (whole, decimals) = match body.split_once(mark) {
            Some((whole, decimals)) => (whole, Some(decimals)),
            None => (body, None),
        };
        let mut plain = String::with_capacity(body.len() + 1);
        if negative {
            plain.push('-');
        }
        if self.thousands == Thousands::None {
            // Behind a decimal comma, a point is none.
            if self.decimal_comma && whole.contains('.') {
                return None;
            }
            plain.push_str(whole);
        } else {
            self.thousands.parts(whole)?.for_each(|part| plain.push_str(part));
        }
        if let Some(decimals) = decimals {
            plain.push('.');
            plain.push_str(decimals);
        }
        let exponent = self.thousands == Thousands::None && self.unit == Unit::None;
        let written = |b: u8| b.is_ascii_digit() || b == b'.' || (exponent && b"eE+-".contains(&b));
        let sound = body.starts_with(|c: char| c.is_ascii_digit() || c == mark) && plain.bytes().skip(usize::from(negative)).all(written);
        plain.parse().ok().filter(|x: &f64| sound && x.is_finite())
    }

    /// The way in words.
    pub(super) fn words(self) -> String {
        let mut words = match self.unit {
            Unit::None => "numbers".to_owned(),
            Unit::Percent => "percentages".to_owned(),
            unit => format!("amounts in {}", unit.signs()[0]),
        };
        let mut with = Vec::new();
        if self.decimal_comma {
            with.push("decimal commas");
        }
        with.extend(match self.thousands {
            Thousands::None => None,
            Thousands::Comma => Some("commas between thousands"),
            Thousands::Point => Some("points between thousands"),
            Thousands::Space => Some("spaces between thousands"),
            Thousands::Apostrophe => Some("apostrophes between thousands"),
        });
        if !with.is_empty() {
            words.push_str(" with ");
            words.push_str(&with.join(" and "));
        }
        words
    }
}

impl Thousands {
    fn has(self, c: char) -> bool {
        match self {
            Thousands::None => false,
            Thousands::Comma => c == ',',
            Thousands::Point => c == '.',
            Thousands::Space => matches!(c, ' ' | '\u{A0}' | '\u{202F}' | '\u{2009}'),
            Thousands::Apostrophe => matches!(c, '\'' | '\u{2019}'),
        }
    }

    /// The parts of a whole number: three digits each, one to three in the first. A number without any mark has one part.
    fn parts(self, whole: &str) -> Option<impl Iterator<Item = &str>> {
        let digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
        let mut parts = whole.split(move |c| self.has(c));
        let first = parts.next().unwrap_or_default();
        let sound = match parts.next() {
            None => digits(first),
            Some(second) => {
                (1..=3).contains(&first.len())
                    && !(first.starts_with('0'))
                    && std::iter::once(first).all(digits)
                    && std::iter::once(second).chain(parts).all(|part| part.len() == 3 && digits(part))
            }
        };
        sound.then(|| whole.split(move |c| self.has(c)))
    }
}

impl Unit {
    fn signs(self) -> &'static [&'static str] {
        match self {
            Unit::None => &[""],
            Unit::Percent => &["%"],
            Unit::Dollar => &["$", "US$", "USD"],
            Unit::Euro => &["€", "EUR"],
            Unit::Pound => &["£", "GBP"],
            Unit::Yen => &["¥", "JPY"],
            Unit::Rupee => &["₹", "INR"],
            Unit::Franc => &["CHF"],
        }
    }

    /// Whether the cell is below 0, and its text without sign and unit: `-$5`, `$-5`, `5 €`, `+5`.
    fn without(self, cell: &str) -> Option<(bool, &str)> {
        let (negative, rest) = signed(cell);
        if self == Unit::None {
            return Some((negative == Some(true), rest));
        }
        // The longest sign first: `US$` ends in `$`.
        for sign in self.signs().iter().rev() {
            let body = match rest.strip_prefix(sign) {
                Some(body) if self != Unit::Percent => Some(body),
                _ => rest.strip_suffix(sign),
            };
            if let Some(body) = body {
                let (inner, body) = if negative.is_none() { signed(body.trim()) } else { (None, body.trim()) };
                return Some((negative == Some(true) || inner == Some(true), body));
            }
        }
        None
    }
}

/// The sign of a text, `Some(true)` for a minus, and the rest.
fn signed(text: &str) -> (Option<bool>, &str) {
    match text.strip_prefix(['-', '\u{2212}']) {
        Some(rest) => (Some(true), rest),
        None => text.strip_prefix('+').map_or((None, text), |rest| (Some(false), rest)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(list: &[&str]) -> Cells {
        let mut cells = Cells::default();
        list.iter().for_each(|c| cells.push(c));
        cells
    }

    fn read(list: &[&str]) -> Option<Vec<f64>> {
        match said(&column(list)) {
            Said::One(marks) => list.iter().map(|c| marks.number(c)).collect(),
            Said::Either | Said::None => None,
        }
    }

    #[test]
    fn the_column_decides_what_points_and_commas_mean() {
        assert_eq!(read(&["1,234.50", "12"]), Some(vec![1234.5, 12.0]));
        assert_eq!(read(&["1.234,50", "12"]), Some(vec![1234.5, 12.0]));
        assert_eq!(read(&["1,234,567", "1,234"]), Some(vec![1_234_567.0, 1234.0]));
        assert_eq!(read(&["1.234.567", "1.234"]), Some(vec![1_234_567.0, 1234.0]));
        assert_eq!(read(&["1 234,5", "12 345 678"]), Some(vec![1234.5, 12_345_678.0]));
        assert_eq!(read(&["1\u{202F}234.5", "7"]), Some(vec![1234.5, 7.0]));
        assert_eq!(read(&["1'234.50", "7.25"]), Some(vec![1234.5, 7.25]));
        assert_eq!(read(&["3,5", "1,234"]), Some(vec![3.5, 1.234]));
        // Marked numbers beside others without marks.
        assert_eq!(read(&["14,030.00", "4460.00"]), Some(vec![14_030.0, 4460.0]));
    }

    #[test]
    fn what_may_be_either_is_said_to_be_either_unless_the_user_decides() {
        assert_eq!(said(&column(&["1,234", "12,345"])), Said::Either);
        let mut cells = column(&["1,234", "12,345"]);
        cells.decimal_comma = Some(true);
        let Said::One(marks) = said(&cells) else { panic!("undecided") };
        assert_eq!(marks.number("1,234"), Some(1.234));
        cells.decimal_comma = Some(false);
        let Said::One(marks) = said(&cells) else { panic!("undecided") };
        assert_eq!(marks.number("1,234"), Some(1234.0));
        let mut free = column(&["1,234", "12,345"]);
        free.commas_are_free = true;
        let Said::One(marks) = said(&free) else { panic!("undecided") };
        assert_eq!(marks.number("1,234"), Some(1.234));
    }

    #[test]
    fn units_stand_before_or_behind_and_are_one_in_a_column() {
        assert_eq!(read(&["$743.80", "$1,813.13", "-$42.00", "$-1"]), Some(vec![743.8, 1813.13, -42.0, -1.0]));
        assert_eq!(read(&["$1,234", "$950"]), Some(vec![1234.0, 950.0]));
        assert_eq!(read(&["1.234,50 €", "EUR 7,25"]), Some(vec![1234.5, 7.25]));
        assert_eq!(read(&["99.9%", "24 %", "-3%"]), Some(vec![99.9, 24.0, -3.0]));
        assert_eq!(read(&["US$ 5", "USD 6.5"]), Some(vec![5.0, 6.5]));
        assert_eq!(read(&["$5", "€6"]), None);
        assert_eq!(read(&["5%", "6"]), None);
        assert_eq!(read(&["%5"]), None);
    }

    #[test]
    fn what_is_no_number_stays_none() {
        for cell in ["1,2,3", "12,34.5", "1.23,4.5", "0,123,456", "1,,234", "$", "%", "--5", "$-", "1e5%", "1234,567.0", ",", "a1", "1-2"] {
            assert_eq!(read(&[cell]), None, "{cell}");
        }
        assert_eq!(read(&["1,5e3"]), Some(vec![1500.0]));
        assert_eq!(read(&[",5", "\u{2212}1,25"]), Some(vec![0.5, -1.25]));
    }
}
