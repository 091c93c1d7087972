//! How the cells of a column write numbers: `3.5`, `3,5`, `2024-03-01` or `yes`. A column is read in one way as a whole,
//! so that a single odd cell stays a fault.

use super::cells::{Cell, Cells};

/// How numbers are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Writing {
    /// With a decimal point.
    Point,
    /// With a decimal comma.
    Comma,
    /// As dates of ISO 8601, which count days since 1970-01-01.
    Date,
    /// As true and false, yes and no, t and f, which are 1 and 0.
    Flag,
}

/// Words for 1 and 0.
const FLAGS: [[&str; 2]; 3] = [["true", "false"], ["yes", "no"], ["t", "f"]];

impl Writing {
    /// How every cell of the column that is not missing writes a number; `None` where some do not, or differ in how.
    pub(super) fn of(cells: &Cells) -> Option<Writing> {
        let all = [Writing::Point, Writing::Comma, Writing::Date, Writing::Flag];
        all.into_iter().find(|writing| {
            let said = |text: &str| matches!(writing.cell(text), Cell::Missing | Cell::Number(_) | Cell::Infinite);
            cells.iter().all(said)
                && match writing {
                    Writing::Comma => cells.commas_are_free || cells.iter().any(|text| text.contains(',') && !thousands(text)),
                    Writing::Flag => one_pair(cells),
                    _ => true,
                }
        })
    }

    /// What a cell says when it is read like this.
    pub(super) fn cell(self, text: &str) -> Cell {
        let plain = Cell::of(text);
        if plain == Cell::Missing || self == Writing::Point {
            return plain;
        }
        let number = match self {
            Writing::Comma => comma(text),
            Writing::Date => days(text),
            _ => flag(text).map(|(_, value)| value),
        };
        number.map_or(Cell::Word, Cell::Number)
    }

    /// What is to be said of a column that is read like this; nothing of plain numbers.
    pub(super) fn notice(self, column: &str) -> Option<String> {
        let (holds, how) = match self {
            Writing::Point => return None,
            Writing::Comma => ("numbers with decimal commas", "read as numbers"),
            Writing::Date => ("dates", "read as days since 1970-01-01"),
            Writing::Flag => ("true and false, or words for them", "read as 1 and 0"),
        };
        Some(format!("column '{column}' holds {holds}: {how}; --types {column}=category reads labels"))
    }

    /// What was expected of a cell that does not say such a number.
    pub(super) fn expected(self) -> &'static str {
        match self {
            Writing::Point => "a finite number, or an empty cell if it is missing",
            Writing::Comma => "a finite number with a decimal comma, or an empty cell if it is missing",
            Writing::Date => "a date such as 2024-03-01 or 2024-03-01T12:30:00Z, or an empty cell if it is missing",
            Writing::Flag => "true or false, yes or no, t or f, or an empty cell if it is missing",
        }
    }
}

/// `3,5`, and whole numbers beside it; a point has no place in either.
fn comma(text: &str) -> Option<f64> {
    let sound = text.bytes().filter(|&b| b == b',').count() <= 1 && text.bytes().all(|b| b.is_ascii_digit() || b",-+eE".contains(&b));
    text.replace(',', ".").parse().ok().filter(|x: &f64| sound && x.is_finite())
}

/// `1,234,567`: a comma that parts thousands, or that could.
fn thousands(text: &str) -> bool {
    let mut parts = text.trim_start_matches(['-', '+']).split(',');
    let digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
    let first = parts.next().unwrap_or_default();
    (1..=3).contains(&first.len()) && digits(first) && parts.all(|part| part.len() == 3 && digits(part))
}

fn flag(text: &str) -> Option<(usize, f64)> {
    let place = |word: &str| FLAGS.iter().position(|pair| pair.contains(&word)).map(|p| (p, f64::from(u8::from(FLAGS[p][0] == word))));
    (text.len() <= 5).then(|| text.to_ascii_lowercase()).and_then(|word| place(&word))
}

/// Whether all words are of one pair, and there is a word.
fn one_pair(cells: &Cells) -> bool {
    let mut pairs = cells.iter().filter_map(|text| flag(text).map(|(pair, _)| pair));
    pairs.next().is_some_and(|first| pairs.all(|pair| pair == first))
}

/// Days since 1970-01-01 of `YYYY-MM-DD`, with a time after `T` or a space and an offset from UTC after that, if any.
pub(super) fn days(text: &str) -> Option<f64> {
    let (date, time) = match text.split_once(['T', ' ']) {
        Some((date, time)) => (date, Some(time)),
        None => (text, None),
    };
    let [year, month, day] = numbers::<3>(date, '-', &[4, 2, 2])?;
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let length = match month {
        2 => 28 + i64::from(leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    if !(1..=length).contains(&day) {
        return None;
    }
    let seconds = match time {
        Some(time) => seconds(time)?,
        None => 0.0,
    };
    Some(since_1970(year, month, day) as f64 + seconds / 86_400.0)
}

/// Days from the civil calendar: years begin in March, so that the leap day is the last of its year.
/// Howard Hinnant, chrono-compatible low-level date algorithms (2014).
fn since_1970(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// Seconds of `HH:MM[:SS[.fraction]]` with `Z`, `+HH:MM`, `+HHMM` or `+HH` behind it, taken to UTC.
fn seconds(text: &str) -> Option<f64> {
    let (clock, offset) = match text.find(['Z', '+', '-']) {
        None => (text, 0),
        Some(at) if &text[at..] == "Z" => (&text[..at], 0),
        Some(at) => {
            let zone = &text[at + 1..];
            let [hours, minutes] = match zone.len() {
                2 => [numbers::<1>(zone, ':', &[2])?[0], 0],
                4 if zone.is_ascii() => [numbers::<1>(&zone[..2], ':', &[2])?[0], numbers::<1>(&zone[2..], ':', &[2])?[0]],
                _ => numbers::<2>(zone, ':', &[2, 2])?,
            };
            let sign = if text[at..].starts_with('-') { -1 } else { 1 };
            (hours <= 23 && minutes <= 59).then_some((&text[..at], sign * (hours * 3600 + minutes * 60)))?
        }
    };
    let (clock, fraction) = match clock.split_once('.') {
        Some((clock, digits)) if !digits.is_empty() && digits.len() <= 9 && digits.bytes().all(|b| b.is_ascii_digit()) => {
            (clock, format!("0.{digits}").parse::<f64>().ok()?)
        }
        Some(_) => return None,
        None => (clock, 0.0),
    };
    let [hours, minutes, whole] = match clock.len() {
        5 if fraction == 0.0 => {
            let [hours, minutes] = numbers::<2>(clock, ':', &[2, 2])?;
            [hours, minutes, 0]
        }
        _ => numbers::<3>(clock, ':', &[2, 2, 2])?,
    };
    (hours <= 23 && minutes <= 59 && whole <= 60).then_some((hours * 3600 + minutes * 60 + whole - offset) as f64 + fraction)
}

/// Numbers of so many digits each, parted by a character.
fn numbers<const N: usize>(text: &str, by: char, digits: &[usize; N]) -> Option<[i64; N]> {
    let mut out = [0; N];
    let mut parts = text.split(by);
    for (value, length) in out.iter_mut().zip(digits) {
        let part = parts.next().filter(|p| p.len() == *length && p.bytes().all(|b| b.is_ascii_digit()))?;
        *value = part.parse().ok()?;
    }
    parts.next().is_none().then_some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(list: &[&str]) -> Cells {
        let mut cells = Cells::default();
        list.iter().for_each(|c| cells.push(c));
        cells
    }

    #[test]
    fn dates_count_days_like_python() {
        // Python 3: (date - date(1970, 1, 1)).days, and datetime.timestamp() / 86400 with tzinfo UTC.
        for (text, expected) in [
            ("1970-01-01", 0.0),
            ("2000-02-29", 11_016.0),
            ("2024-03-01", 19_783.0),
            ("1900-03-01", -25_508.0),
            ("0001-01-01", -719_162.0),
            ("9999-12-31", 2_932_896.0),
            ("2024-03-01T12:00:00Z", 19_783.5),
            ("2024-03-01 06:00", 19_783.25),
            ("2024-03-01T00:00:00+06:00", 19_782.75),
            ("2024-03-01T00:00:00-0600", 19_783.25),
            ("2024-03-01T12:00:00.000Z", 19_783.5),
        ] {
            assert_eq!(days(text), Some(expected), "{text}");
        }
        for text in [
            "2023-02-29",
            "2024-13-01",
            "2024-00-10",
            "2024-1-1",
            "24-01-01",
            "2024-01-01T25:00",
            "2024-01-01T10",
            "2024-01-01x",
            "2024-01-01T",
        ] {
            assert_eq!(days(text), None, "{text}");
        }
    }

    #[test]
    fn a_column_is_read_in_one_way_as_a_whole() {
        assert_eq!(Writing::of(&cells(&["1", "2.5", ""])), Some(Writing::Point));
        assert_eq!(Writing::of(&cells(&["1", "2,5", "NA"])), Some(Writing::Comma));
        assert_eq!(Writing::of(&cells(&["2,5", "2.5"])), None);
        assert_eq!(Writing::of(&cells(&["2024-01-01", ""])), Some(Writing::Date));
        assert_eq!(Writing::of(&cells(&["2024-01-01", "soon"])), None);
        assert_eq!(Writing::of(&cells(&["Yes", "no"])), Some(Writing::Flag));
        assert_eq!(Writing::of(&cells(&["yes", "false"])), None);
        assert_eq!(Writing::of(&cells(&["1", "yes"])), None);
    }

    #[test]
    fn commas_that_may_part_thousands_are_no_decimal_commas_where_commas_part_cells() {
        assert_eq!(Writing::of(&cells(&["1,234", "12,345"])), None);
        let mut free = cells(&["1,234", "12,345"]);
        free.commas_are_free = true;
        assert_eq!(Writing::of(&free), Some(Writing::Comma));
        assert_eq!(Writing::Comma.cell("1,25"), Cell::Number(1.25));
        assert_eq!(Writing::Comma.cell("1.234,5"), Cell::Word);
        assert_eq!(Writing::Comma.cell("1,2,3"), Cell::Word);
    }
}
