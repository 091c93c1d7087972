//! How the cells of a column write numbers: `3.5`, `3,5`, `$1,234`, `2024-03-01`, `10:21:07` or `yes`. A column is read in one way as a
//! whole, so that a single odd cell stays a fault.

use super::cells::{Cell, Cells, missing_among_numbers};
use super::marks::{self, Said};
use super::{dates, facts::Fact, facts::Topic};
use crate::data::{DateOrder, Marks, Negative, Thousands, Unit, Writing};
use std::collections::HashSet;

/// Words for 1 and 0.
const FLAGS: [[&str; 2]; 3] = [["true", "false"], ["yes", "no"], ["t", "f"]];

impl Writing {
    /// How every cell of the column that is not missing writes a number; `None` where some do not, or differ in how.
    pub(super) fn of(cells: &Cells) -> Option<Writing> {
        if let Some(order) = compact_dates(cells) {
            return Some(Writing::Date(order));
        }
        if Writing::Point.fits(cells) && !marks::points_part(cells) {
            return Some(Writing::Point);
        }
        if let Said::One(marks) = marks::said(cells) {
            return Some(Writing::Marked(marks));
        }
        if let Some((order, _)) = dates::order(cells) {
            return Some(Writing::Date(order));
        }
        if are_clocks(cells) {
            return Some(Writing::Clock);
        }
        [Writing::Flag, Writing::Point].into_iter().find(|writing| writing.fits(cells) && (*writing == Writing::Point || one_pair(cells)))
    }

    /// The notation of a column of a new table; the training notation `trained` decides where several would fit.
    pub(super) fn like(trained: &Writing, cells: &Cells) -> Option<Writing> {
        let could = match trained {
            // Eight digits were plain numbers in training, and so were points.
            Writing::Point => Writing::Point.fits(cells),
            Writing::Marked(marks) => marks::fitting(cells).contains(marks),
            Writing::Date(order) => dates::fitting(cells).contains(order),
            Writing::Clock => Writing::Clock.fits(cells),
            Writing::Flag => Writing::Flag.fits(cells) && one_pair(cells),
        };
        if could { Some(trained.clone()) } else { Writing::of(cells).or_else(|| trained.with_negatives(cells)) }
    }

    /// The training notation with another notation of negative numbers, where training had none.
    fn with_negatives(&self, cells: &Cells) -> Option<Writing> {
        let fits = marks::fitting(cells);
        let alike = |found: &&Marks| match self {
            Writing::Marked(trained) => Marks { negative: found.negative, ..trained.clone() } == **found,
            Writing::Point => found.unit == Unit::None && !found.decimal_comma && found.thousands == Thousands::None,
            _ => false,
        };
        fits.iter().filter(|found| found.negative != Negative::Before).find(alike).cloned().map(Writing::Marked)
    }

    /// How a column that is declared to hold numbers is written: as all of its cells are, or as most of them, so that a fault is
    /// named by the cell that departs from the others.
    pub(super) fn declared(cells: &Cells) -> Writing {
        let told = Writing::of(cells).filter(|writing| *writing != Writing::Date(DateOrder::Compact));
        told.or_else(|| marks::nearest(cells).map(Writing::Marked)).unwrap_or(Writing::Point)
    }

    /// Whether every cell is a number in this way, or missing.
    pub(super) fn fits(&self, cells: &Cells) -> bool {
        cells.iter().all(|text| matches!(self.cell(text), Cell::Missing | Cell::Number(_) | Cell::Infinite))
    }

    /// What a cell says when it is read like this.
    pub(super) fn cell(&self, text: &str) -> Cell {
        let plain = Cell::of(text);
        if plain == Cell::Missing || missing_among_numbers(text) {
            return Cell::Missing;
        }
        let number = match self {
            Writing::Point => return plain,
            Writing::Marked(marks) => marks.number(text),
            Writing::Date(order) => dates::days(text, *order),
            Writing::Clock => clock(text).map(|(_, seconds)| seconds),
            Writing::Flag => flag(text).map(|(_, value)| value),
        };
        number.map_or(Cell::Word, Cell::Number)
    }

    /// What is to be said of a column that is read like this; nothing of plain numbers.
    pub(super) fn fact(&self, column: &str) -> Option<Fact> {
        let (topic, says, undo) = match self {
            Writing::Point => return None,
            Writing::Marked(marks) => (Topic::Numbers, format!("{{holds}} {}: read as numbers", marks.words()), "category reads labels"),
            Writing::Date(DateOrder::Compact) => (
                Topic::Dates,
                "{holds} dates written as 20221122 or 202211: read as days since 1970-01-01".into(),
                "number reads plain numbers",
            ),
            Writing::Date(order) => {
                let how = match order {
                    DateOrder::DayFirst => ", day first",
                    DateOrder::MonthFirst => ", month first",
                    DateOrder::Either => ", some day first and some month first",
                    DateOrder::YearFirst | DateOrder::Compact => "",
                };
                (Topic::Dates, format!("{{holds}} dates{how}: read as days since 1970-01-01"), "category reads labels")
            }
            Writing::Clock => (Topic::Dates, "{holds} times such as 10:21:07: read as numbers of seconds".into(), "category reads labels"),
            Writing::Flag => (Topic::Flags, "{holds} true and false, or words for them: read as 1 and 0".into(), "category reads labels"),
        };
        Some(Fact::of_column(topic, column, says).undone_by(undo))
    }

    /// What was expected of a cell that does not say such a number.
    pub(super) fn expected(&self) -> String {
        let expected = match self {
            Writing::Point => "a finite number".to_owned(),
            Writing::Marked(marks) => format!("one of the {} of this column", marks.words()),
            Writing::Date(order) => format!("a date such as {}", order.example()),
            Writing::Clock => "a time such as 10:21:07".to_owned(),
            Writing::Flag => "true or false, yes or no, t or f".to_owned(),
        };
        expected + ", or an empty cell if it is missing"
    }
}

/// Numbers of eight digits that are days of the calendar without exception, and not all the same; or of six that are months, and
/// of which there are as many as could hardly be so by chance.
fn compact_dates(cells: &Cells) -> Option<DateOrder> {
    let first = cells.iter().find(|text| Cell::of(text) != Cell::Missing)?;
    dates::days(first, DateOrder::Compact)?;
    let different = || cells.iter().filter(|text| Cell::of(text) != Cell::Missing).collect::<HashSet<_>>().len();
    let enough = if first.len() == 6 { MONTHS } else { 2 };
    (dates::fitting(cells).contains(&DateOrder::Compact) && different() >= enough).then_some(DateOrder::Compact)
}

/// Different numbers of six digits that are months; an eighth of all numbers from 190000 to 209999 are.
const MONTHS: usize = 10;

/// Whether every cell is a time of as many parts.
fn are_clocks(cells: &Cells) -> bool {
    let mut parts =
        cells.iter().filter(|text| Cell::of(text) != Cell::Missing && !missing_among_numbers(text)).map(|text| clock(text).map(|(n, _)| n));
    parts.next().flatten().is_some_and(|first| parts.all(|n| n == Some(first)))
}

/// Seconds of `10:21:07`, `1:02:15.5`, `10:21` (hours and minutes), `2 days 10:21:07`, `10:21 PM`; hours may be more than 24.
fn clock(text: &str) -> Option<(usize, f64)> {
    let (negative, text) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
    let (days, text) = match text.split_once(" day") {
        Some((days, rest)) => (dates::numbers::<1>(days, '-', &[1..=6])?[0], rest.trim_start_matches('s').trim_start_matches(',').trim()),
        None => (0, text),
    };
    let upper = text.to_ascii_uppercase();
    let half = [("AM", 0), ("PM", 12)].into_iter().find_map(|(word, hours)| Some((upper.strip_suffix(word)?.trim_end(), hours)));
    let text = half.map_or(upper.as_str(), |(text, _)| text);
    let (whole, fraction) = match text.split_once('.') {
        Some((whole, digits)) if (1..=9).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit()) => {
            (whole, format!("0.{digits}").parse::<f64>().ok()?)
        }
        Some(_) => return None,
        None => (text, 0.0),
    };
    let (parts, [hours, minutes, seconds]) = match dates::numbers::<3>(whole, ':', &[1..=5, 2..=2, 2..=2]) {
        Some(found) => (3, found),
        None if fraction == 0.0 => {
            let [hours, minutes] = dates::numbers::<2>(whole, ':', &[1..=2, 2..=2])?;
            (2, [hours, minutes, 0])
        }
        None => return None,
    };
    let hours = match half {
        Some((_, half)) => (1..=12).contains(&hours).then_some(hours % 12 + half)?,
        None => hours,
    };
    let whole_seconds = seconds;
    let seconds = (((days * 24 + hours) * 60 + minutes) * 60 + seconds) as f64 + fraction;
    (minutes < 60 && whole_seconds < 60).then_some((parts, if negative { -seconds } else { seconds }))
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

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(list: &[&str]) -> Cells {
        let mut cells = Cells::default();
        list.iter().for_each(|c| cells.push(c));
        cells
    }

    fn marked(decimal_comma: bool, thousands: Thousands) -> Writing {
        Writing::Marked(Marks { decimal_comma, thousands, unit: Unit::None, negative: Negative::Before })
    }

    #[test]
    fn a_column_is_read_in_one_way_as_a_whole() {
        assert_eq!(Writing::of(&cells(&["1", "2.5", ""])), Some(Writing::Point));
        assert_eq!(Writing::of(&cells(&["1", "-", ".", "n.a."])), Some(Writing::Point));
        assert_eq!(Writing::of(&cells(&["1", "2,5", "NA"])), Some(marked(true, Thousands::None)));
        assert_eq!(Writing::of(&cells(&["2,5", "2.5"])), None);
        assert_eq!(Writing::of(&cells(&["2024-01-01", ""])), Some(Writing::Date(DateOrder::YearFirst)));
        assert_eq!(Writing::of(&cells(&["2024-01-01", "soon"])), None);
        assert_eq!(Writing::of(&cells(&["20240101", "20240102"])), Some(Writing::Date(DateOrder::Compact)));
        assert_eq!(Writing::of(&cells(&["20240101", "20240199"])), Some(Writing::Point));
        assert_eq!(Writing::of(&cells(&["20240101", "20240101"])), Some(Writing::Point));
        assert_eq!(Writing::of(&cells(&["2019-01", "2019-02", "2019-12"])), Some(Writing::Date(DateOrder::YearFirst)));
        let months: Vec<String> = (0..12).map(|i| format!("2019{:02}", i + 1)).collect();
        let months: Vec<&str> = months.iter().map(String::as_str).collect();
        assert_eq!(Writing::of(&cells(&months)), Some(Writing::Date(DateOrder::Compact)));
        assert_eq!(Writing::of(&cells(&months[..3])), Some(Writing::Point));
        assert_eq!(Writing::of(&cells(&["10:21:07", "1:02:15.5", "26:00:00"])), Some(Writing::Clock));
        assert_eq!(Writing::Clock.cell("10:21:07"), Cell::Number(37_267.0));
        assert_eq!(Writing::Clock.cell("0 days 10:21"), Cell::Number(37_260.0));
        assert_eq!(Writing::Clock.cell("10:21 PM"), Cell::Number(80_460.0));
        assert_eq!((Writing::of(&cells(&["10:21:07", "10:21"])), Writing::of(&cells(&["16:9", "4:3"]))), (None, None));
        assert_eq!(Writing::of(&cells(&["Yes", "no"])), Some(Writing::Flag));
        assert_eq!(Writing::of(&cells(&["yes", "false"])), None);
        assert_eq!(Writing::of(&cells(&["1", "yes"])), None);
        assert_eq!(Writing::of(&cells(&["+", "-"])), None);
    }

    #[test]
    fn training_decides_what_a_new_column_leaves_open() {
        let day_first = Writing::Date(DateOrder::DayFirst);
        assert_eq!(Writing::like(&day_first, &cells(&["01/02/2016"])), Some(day_first.clone()));
        assert_eq!(Writing::like(&day_first, &cells(&["12/31/2016"])), Some(Writing::Date(DateOrder::MonthFirst)));
        assert_eq!(Writing::like(&Writing::Date(DateOrder::Compact), &cells(&["20240101"])), Some(Writing::Date(DateOrder::Compact)));
        assert_eq!(Writing::like(&Writing::Point, &cells(&["20240101", "20240102"])), Some(Writing::Point));
        let german = marked(true, Thousands::Point);
        assert_eq!(Writing::like(&german, &cells(&["1.234"])), Some(german.clone()));
        assert_eq!(Writing::like(&german, &cells(&["82.51"])), Some(Writing::Point));
        let below = Marks { decimal_comma: false, thousands: Thousands::None, unit: Unit::None, negative: Negative::Brackets };
        assert_eq!(Writing::like(&Writing::Point, &cells(&["(7.00)"])), Some(Writing::Marked(below)));
        assert_eq!(Writing::like(&Writing::Point, &cells(&["2,5"])), Some(marked(true, Thousands::None)));
    }
}
