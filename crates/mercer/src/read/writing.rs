//! How the cells of a column write numbers: `3.5`, `3,5`, `$1,234`, `2024-03-01` or `yes`. A column is read in one way as a
//! whole, so that a single odd cell stays a fault.

use super::cells::{Cell, Cells, missing_among_numbers};
use super::marks::{self, Said};
use super::{dates, facts::Fact, facts::Topic};
use crate::data::{Order, Writing};
use std::collections::HashSet;

/// Words for 1 and 0.
const FLAGS: [[&str; 2]; 3] = [["true", "false"], ["yes", "no"], ["t", "f"]];

impl Writing {
    /// How every cell of the column that is not missing writes a number; `None` where some do not, or differ in how.
    pub(super) fn of(cells: &Cells) -> Option<Writing> {
        if let Some(order) = compact_dates(cells) {
            return Some(Writing::Date(order));
        }
        // Points that the user says part thousands are no decimal points.
        let points_part = cells.decimal_comma == Some(true) && cells.iter().any(|cell| cell.contains('.'));
        if Writing::Point.fits(cells) && !points_part {
            return Some(Writing::Point);
        }
        if let Said::One(marks) = marks::said(cells) {
            return Some(Writing::Marked(marks));
        }
        if let Some((order, _)) = dates::order(cells) {
            return Some(Writing::Date(order));
        }
        [Writing::Flag, Writing::Point].into_iter().find(|writing| writing.fits(cells) && (*writing == Writing::Point || one_pair(cells)))
    }

    /// The same of a new table for a column that training wrote in `trained`, which decides where several ways would do.
    pub(super) fn like(trained: Writing, cells: &Cells) -> Option<Writing> {
        let could = match trained {
            // Two decimal points or commas more in training do not make 1.234 a thousand here without a mark to go by.
            Writing::Point => false,
            Writing::Marked(marks) => marks::fitting(cells).contains(&marks),
            Writing::Date(order) => dates::fitting(cells).contains(&order),
            Writing::Flag => Writing::Flag.fits(cells) && one_pair(cells),
        };
        match (could, trained) {
            (true, _) => Some(trained),
            // Eight digits were plain numbers in training.
            (false, Writing::Point) if Writing::Point.fits(cells) => Some(Writing::Point),
            _ => Writing::of(cells),
        }
    }

    /// Whether every cell is a number in this way, or missing.
    fn fits(self, cells: &Cells) -> bool {
        cells.iter().all(|text| matches!(self.cell(text), Cell::Missing | Cell::Number(_) | Cell::Infinite))
    }

    /// What a cell says when it is read like this.
    pub(super) fn cell(self, text: &str) -> Cell {
        let plain = Cell::of(text);
        if plain == Cell::Missing || missing_among_numbers(text) {
            return Cell::Missing;
        }
        let number = match self {
            Writing::Point => return plain,
            Writing::Marked(marks) => marks.number(text),
            Writing::Date(order) => dates::days(text, order),
            Writing::Flag => flag(text).map(|(_, value)| value),
        };
        number.map_or(Cell::Word, Cell::Number)
    }

    /// What is to be said of a column that is read like this; nothing of plain numbers.
    pub(super) fn fact(self, column: &str) -> Option<Fact> {
        let (topic, says, undo) = match self {
            Writing::Point => return None,
            Writing::Marked(marks) => (Topic::Numbers, format!("{{holds}} {}: read as numbers", marks.words()), "category reads labels"),
            Writing::Date(Order::Compact) => {
                (Topic::Dates, "{holds} dates written as 20221122: read as days since 1970-01-01".into(), "number reads plain numbers")
            }
            Writing::Date(order) => {
                let how = match order {
                    Order::DayFirst => ", day first",
                    Order::MonthFirst => ", month first",
                    Order::YearFirst | Order::Compact => "",
                };
                (Topic::Dates, format!("{{holds}} dates{how}: read as days since 1970-01-01"), "category reads labels")
            }
            Writing::Flag => (Topic::Flags, "{holds} true and false, or words for them: read as 1 and 0".into(), "category reads labels"),
        };
        Some(Fact::of_column(topic, column, says).undone_by(undo))
    }

    /// What was expected of a cell that does not say such a number.
    pub(super) fn expected(self) -> String {
        let expected = match self {
            Writing::Point => "a finite number".to_owned(),
            Writing::Marked(marks) => format!("one of the {} of this column", marks.words()),
            Writing::Date(order) => format!("a date such as {}", order.example()),
            Writing::Flag => "true or false, yes or no, t or f".to_owned(),
        };
        expected + ", or an empty cell if it is missing"
    }
}

/// Numbers of eight digits that are days of the calendar without exception, and not all the same.
fn compact_dates(cells: &Cells) -> Option<Order> {
    let first = cells.iter().find(|text| Cell::of(text) != Cell::Missing)?;
    dates::days(first, Order::Compact)?;
    let several = || cells.iter().filter(|text| Cell::of(text) != Cell::Missing).collect::<HashSet<_>>().len() > 1;
    (dates::fitting(cells).contains(&Order::Compact) && several()).then_some(Order::Compact)
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
    use crate::data::{Marks, Thousands, Unit};

    fn cells(list: &[&str]) -> Cells {
        let mut cells = Cells::default();
        list.iter().for_each(|c| cells.push(c));
        cells
    }

    fn marked(decimal_comma: bool, thousands: Thousands) -> Writing {
        Writing::Marked(Marks { decimal_comma, thousands, unit: Unit::None })
    }

    #[test]
    fn a_column_is_read_in_one_way_as_a_whole() {
        assert_eq!(Writing::of(&cells(&["1", "2.5", ""])), Some(Writing::Point));
        assert_eq!(Writing::of(&cells(&["1", "-", ".", "n.a."])), Some(Writing::Point));
        assert_eq!(Writing::of(&cells(&["1", "2,5", "NA"])), Some(marked(true, Thousands::None)));
        assert_eq!(Writing::of(&cells(&["2,5", "2.5"])), None);
        assert_eq!(Writing::of(&cells(&["2024-01-01", ""])), Some(Writing::Date(Order::YearFirst)));
        assert_eq!(Writing::of(&cells(&["2024-01-01", "soon"])), None);
        assert_eq!(Writing::of(&cells(&["20240101", "20240102"])), Some(Writing::Date(Order::Compact)));
        assert_eq!(Writing::of(&cells(&["20240101", "20240199"])), Some(Writing::Point));
        assert_eq!(Writing::of(&cells(&["20240101", "20240101"])), Some(Writing::Point));
        assert_eq!(Writing::of(&cells(&["Yes", "no"])), Some(Writing::Flag));
        assert_eq!(Writing::of(&cells(&["yes", "false"])), None);
        assert_eq!(Writing::of(&cells(&["1", "yes"])), None);
        assert_eq!(Writing::of(&cells(&["+", "-"])), None);
    }

    #[test]
    fn training_decides_what_a_new_column_leaves_open() {
        let day_first = Writing::Date(Order::DayFirst);
        assert_eq!(Writing::like(day_first, &cells(&["01/02/2016"])), Some(day_first));
        assert_eq!(Writing::like(day_first, &cells(&["12/31/2016"])), Some(Writing::Date(Order::MonthFirst)));
        assert_eq!(Writing::like(Writing::Date(Order::Compact), &cells(&["20240101"])), Some(Writing::Date(Order::Compact)));
        assert_eq!(Writing::like(Writing::Point, &cells(&["20240101", "20240102"])), Some(Writing::Point));
        let german = marked(true, Thousands::Point);
        assert_eq!(Writing::like(german, &cells(&["1.234"])), Some(german));
        assert_eq!(Writing::like(german, &cells(&["82.51"])), Some(Writing::Point));
        assert_eq!(Writing::like(Writing::Point, &cells(&["2,5"])), Some(marked(true, Thousands::None)));
    }
}
