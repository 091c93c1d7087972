//! How the cells of a column write numbers: `3.5`, `3,5`, `$1,234`, `2024-03-01`, `10:21:07` or `yes`. A column is read in one way as a
//! whole, so that a single odd cell stays a fault.

use super::cells::{Cell, Cells, missing_among_numbers};
use super::clocks::{clock, minutes_and_seconds};
use super::infer::shortened;
use super::marks::{self, Said};
use super::unseen::look;
use super::{dates, facts::Fact, facts::Topic};
use crate::data::{Addition, DateOrder, Marks, Negative, Thousands, Unit, Writing};
use std::collections::HashSet;

/// The notation in which most cells of a column are numbers.
pub(super) struct Mostly<'a> {
    pub(super) writing: Writing,
    /// Whether a comma in it could part thousands or stand before decimals.
    pub(super) open: bool,
    /// How many cells are numbers in it, and how many there are that are not missing.
    pub(super) numbers: usize,
    pub(super) present: usize,
    /// The first cell that is none, with its row from 0.
    pub(super) odd: Option<(usize, &'a str)>,
}

impl<'a> Mostly<'a> {
    /// The notation that the most cells have; `None` where hardly any cell is a number.
    pub(super) fn of(cells: &'a Cells) -> Option<Self> {
        // Rows of a long column that tell whether it is worth looking at all of them.
        const SAMPLED: usize = 500;
        if cells.len() > 2 * SAMPLED {
            let some: Vec<usize> = (0..SAMPLED).map(|k| k * cells.len() / SAMPLED).collect();
            Mostly::of(&cells.select(&some)).filter(|most| 3 * most.numbers >= most.present)?;
        }
        let present = marks::present(cells).count();
        let with_digit = marks::present(cells).filter(|cell| cell.bytes().any(|b| b.is_ascii_digit())).count();
        if 2 * with_digit < present || with_digit == 0 {
            return None;
        }
        let rows = marks::most(cells);
        let (marked, open) = match marks::said(&cells.select(&rows)) {
            Said::One(marks) => (Some(Writing::Marked(marks)), false),
            Said::Either => (marks::fitting(&cells.select(&rows)).first().cloned().map(Writing::Marked), true),
            Said::None => (None, false),
        };
        let dates = [DateOrder::Compact, dates::nearest_order(cells)].map(|order| (Some(Writing::Date(order)), false));
        let times = [Writing::Clock, Writing::MinutesSeconds].map(|writing| (Some(writing), false));
        let ways = [(Some(Writing::Point), false), (marked, open)].into_iter().chain(dates).chain(times);
        let ways = ways.filter_map(|(writing, open)| writing.map(|writing| (writing, open)));
        let mut best: Option<Self> = None;
        for (writing, open) in ways.filter(|(writing, _)| !writing.is_of_seasons(cells)) {
            let is_number = |cell: &str| matches!(writing.cell(cell), Cell::Number(_));
            let numbers = marks::present(cells).filter(|cell| is_number(cell)).count();
            if numbers > best.as_ref().map_or(0, |best| best.numbers) {
                let odd = cells.iter().enumerate().find(|(_, cell)| matches!(writing.cell(cell), Cell::Word | Cell::Infinite));
                best = Some(Mostly { writing, open, numbers, present, odd });
            }
        }
        best
    }

    /// Whether nine in ten cells are numbers in this notation, ten at least.
    pub(super) fn decides(&self) -> bool {
        self.numbers >= 10 && 10 * self.numbers >= 9 * self.present
    }

    /// Whether the notation stands for no other word that may happen to follow a number, as a unit may.
    pub(super) fn is_sure(&self) -> bool {
        !matches!(&self.writing, Writing::Marked(Marks { unit: Unit::Other(_), .. }))
    }

    /// What the cells are, in the plural.
    pub(super) fn in_words(&self) -> String {
        match &self.writing {
            Writing::Date(_) => "dates".into(),
            Writing::Clock | Writing::MinutesSeconds => "times".into(),
            Writing::Marked(marks) if !self.open => marks.words(),
            _ => "numbers".into(),
        }
    }

    /// What was expected of the odd cell.
    pub(super) fn expected(&self) -> String {
        match &self.writing {
            _ if self.open => "a number whose commas part thousands (--decimal .) or stand before decimals (--decimal ,)".to_owned(),
            Writing::Point => "a number".to_owned(),
            Writing::Marked(marks) => format!("one of the {} of this column", marks.words()),
            writing => writing.example(),
        }
    }
}

impl Writing {
    /// Whether the cells that would be dates are seasons, `2010-11`.
    fn is_of_seasons(&self, cells: &Cells) -> bool {
        let Writing::Date(order) = self else { return false };
        super::periods::are_seasons(marks::present(cells).filter(|cell| dates::days(cell, *order).is_some()))
    }

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
        if let Some(writing) = times(cells) {
            return Some(writing);
        }
        [Writing::Flag, Writing::Point].into_iter().find(|writing| writing.fits(cells) && (*writing == Writing::Point || one_pair(cells)))
    }

    /// The notation of a column of a new table; the training notation `trained` decides where several would fit.
    pub(super) fn like(trained: &Writing, cells: &Cells) -> Option<Writing> {
        let could = match trained {
            Writing::Ordinal(_) => true,
            // Eight digits were plain numbers in training, and so were points.
            Writing::Point => Writing::Point.fits(cells),
            Writing::Marked(marks) => marks::fitting(cells).contains(marks),
            Writing::Date(order) => dates::fitting(cells).contains(order),
            Writing::Clock | Writing::MinutesSeconds => trained.fits(cells),
            Writing::Flag => Writing::Flag.fits(cells) && one_pair(cells),
        };
        if could { Some(trained.clone()) } else { Writing::of(cells).or_else(|| trained.with_negatives(cells)) }
    }

    /// The training notation with another notation of negative numbers, where training had none.
    fn with_negatives(&self, cells: &Cells) -> Option<Writing> {
        let fits = marks::fitting(cells);
        let alike = |found: &&Marks| match self {
            Writing::Marked(trained) => Marks { negative: found.negative, ..trained.clone() } == **found,
            Writing::Point => {
                let plain = found.unit == Unit::None && found.addition == Addition::None;
                plain && !found.decimal_comma && found.thousands == Thousands::None
            }
            _ => false,
        };
        fits.iter().filter(|found| found.negative != Negative::Before).find(alike).cloned().map(Writing::Marked)
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
            Writing::MinutesSeconds => minutes_and_seconds(text),
            Writing::Flag => flag(text).map(|(_, value)| value),
            Writing::Ordinal(steps) => {
                let wanted = look(text);
                steps.iter().position(|step| look(step) == wanted).map(|step| step as f64)
            }
        };
        number.map_or(Cell::Word, Cell::Number)
    }

    /// What is to be said of a column that is read like this; nothing of plain numbers.
    pub(super) fn fact(&self, column: &str) -> Option<Fact> {
        let (topic, says, undo) = match self {
            Writing::Point => return None,
            Writing::Marked(marks) if marks.addition == Addition::Uncertainty => {
                let says = "{holds} numbers with an uncertainty behind each, such as 3.12 ± 0.40: the numbers are read, the \
                            uncertainties left out; a column of 1/uncertainty^2 weighs rows by them (--weights)";
                (Topic::Numbers, says.to_owned(), "category reads labels")
            }
            // A sign that only looks like another minus.
            Writing::Marked(marks) if marks.words() == "numbers" => return None,
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
            Writing::MinutesSeconds => (
                Topic::Dates,
                "{holds} times in minutes and seconds such as 1:23.45: read as numbers of seconds".into(),
                "category reads labels",
            ),
            Writing::Ordinal(_) => return None,
            Writing::Flag => (Topic::Flags, "{holds} true and false, or words for them: read as 1 and 0".into(), "category reads labels"),
        };
        Some(Fact::of_column(topic, column, says).undone_by(undo))
    }

    /// What was expected of a cell that does not say such a number.
    pub(super) fn expected(&self) -> String {
        self.example() + ", or an empty cell if it is missing"
    }

    /// Such a number, in words.
    fn example(&self) -> String {
        match self {
            Writing::Point => "a finite number".to_owned(),
            Writing::Marked(marks) => format!("one of the {} of this column", marks.words()),
            Writing::Date(order) => format!("a date such as {}", order.example()),
            Writing::Clock => "a time such as 10:21:07".to_owned(),
            Writing::MinutesSeconds => "a time in minutes and seconds such as 1:23.45".to_owned(),
            Writing::Flag => "true or false, yes or no, t or f".to_owned(),
            Writing::Ordinal(steps) => format!("one of {}", shortened(&steps.join(" < "))),
        }
    }
}

/// Numbers of eight digits that are days of the calendar without exception, and not all the same; or of six that are months, and
/// of which there are as many as could hardly be so by chance.
fn compact_dates(cells: &Cells) -> Option<DateOrder> {
    // Different numbers of six digits that are months; an eighth of all numbers from 190000 to 209999 are.
    const MONTHS: usize = 10;
    let first = cells.iter().find(|text| Cell::of(text) != Cell::Missing)?;
    dates::days(first, DateOrder::Compact)?;
    let different = || cells.iter().filter(|text| Cell::of(text) != Cell::Missing).collect::<HashSet<_>>().len();
    let enough = if first.len() == 6 { MONTHS } else { 2 };
    (dates::fitting(cells).contains(&DateOrder::Compact) && different() >= enough).then_some(DateOrder::Compact)
}

/// How times are written: of as many parts each, or as minutes and seconds where some have a fraction.
fn times(cells: &Cells) -> Option<Writing> {
    let mut parts = marks::present(cells).map(|text| clock(text).map(|(n, _)| n));
    if parts.next().flatten().is_some_and(|first| parts.all(|n| n == Some(first))) {
        return Some(Writing::Clock);
    }
    let minutes = |text: &str| text.contains(':') && clock(text).is_none() && minutes_and_seconds(text).is_some();
    (marks::present(cells).any(minutes) && Writing::MinutesSeconds.fits(cells)).then_some(Writing::MinutesSeconds)
}

fn flag(text: &str) -> Option<(usize, f64)> {
    // Words for 1 and 0.
    const FLAGS: [[&str; 2]; 3] = [["true", "false"], ["yes", "no"], ["t", "f"]];
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
        let (unit, negative, addition) = (Unit::None, Negative::Before, Addition::None);
        Writing::Marked(Marks { decimal_comma, thousands, unit, negative, addition })
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
        assert_eq!(Writing::of(&cells(&["1:23.45", "59.9", "2:05"])), Some(Writing::MinutesSeconds));
        assert_eq!((Writing::of(&cells(&["10:21:07", "10:21"])), Writing::of(&cells(&["16:9", "4:3"]))), (None, None));
        assert_eq!(Writing::of(&cells(&["Yes", "no"])), Some(Writing::Flag));
        assert_eq!(Writing::of(&cells(&["yes", "false"])), None);
        assert_eq!(Writing::of(&cells(&["1", "yes"])), None);
        assert_eq!(Writing::of(&cells(&["+", "-"])), None);
    }

    #[test]
    fn the_notation_of_most_cells_names_the_odd_one() {
        let mostly = |list: &[&str]| {
            let all: Vec<&str> = (0..24).map(|i| list[i % (list.len() - 1)]).chain([list[list.len() - 1]]).collect();
            let all = cells(&all);
            Mostly::of(&all).map(|most| (most.writing.clone(), most.odd.map(|(row, cell)| (row, cell.to_owned())), most.decides()))
        };
        for (list, writing) in [
            (&["1.5", "2.5", "21h"][..], Writing::Point),
            (&["2017-02-15", "2017-02-16", "0000-00-00"], Writing::Date(DateOrder::YearFirst)),
            (&["31/12/2016", "1/2/2016", "soon"], Writing::Date(DateOrder::DayFirst)),
            (&["1:23.45", "2:34.5", "dnf"], Writing::MinutesSeconds),
            (&["10:21:07", "10:22:07", "25h"], Writing::Clock),
        ] {
            assert_eq!(mostly(list), Some((writing, Some((24, list[list.len() - 1].to_owned())), true)), "{list:?}");
        }
        assert!(
            mostly(&["red", "blue", "5"]).is_none() && mostly(&["2009-10", "2010-11", "none"]).is_none_or(|(w, ..)| w == Writing::Point)
        );
    }

    #[test]
    fn steps_of_an_order_count_from_0_whatever_their_case() {
        let order = Writing::Ordinal(["never", "rarely", "often"].map(String::from).to_vec());
        assert_eq!([order.cell("Rarely"), order.cell("often"), order.cell("")], [Cell::Number(1.0), Cell::Number(2.0), Cell::Missing]);
        assert_eq!(order.cell("always"), Cell::Word);
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
        let (unit, negative, addition) = (Unit::None, Negative::Brackets, Addition::None);
        let below = Marks { decimal_comma: false, thousands: Thousands::None, unit, negative, addition };
        assert_eq!(Writing::like(&Writing::Point, &cells(&["(7.00)"])), Some(Writing::Marked(below)));
        assert_eq!(Writing::like(&Writing::Point, &cells(&["2,5"])), Some(marked(true, Thousands::None)));
    }
}
