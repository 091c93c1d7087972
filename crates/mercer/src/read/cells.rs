//! The cells of one column as text, end to end in one string, and what a single cell says.

use super::unseen::{Unseen, seen};
pub(super) use crate::data::MISSING_WORDS;

/// The cells of a column, trimmed of the spaces around them.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Cells {
    text: String,
    ends: Vec<usize>,
    /// Whether cells were separated by something else than commas, so that a comma in one belongs to what it says.
    pub(super) commas_are_free: bool,
    /// Whether the format distinguishes strings from numbers, and these were strings.
    pub(super) strings: bool,
    /// Whether the user said that words such as `None` are labels here, so that only an empty cell is missing.
    pub(super) words_stay: bool,
    /// Whether the user said that decimals stand behind a comma (`true`) or a point.
    pub(super) decimal_comma: Option<bool>,
    /// What stands before decimals elsewhere in the table.
    pub(super) decimals: Decimals,
    /// The characters that are not seen which cells were rid of.
    pub(super) unseen: Unseen,
}

/// What stands before decimals in the columns of a table that leave no doubt.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) enum Decimals {
    /// Points, since the format has no other numbers.
    #[default]
    OfFormat,
    /// Unknown: no column determines it.
    Unknown,
    /// Points in some column.
    Points,
    /// Commas in some column, and points in none.
    Commas,
}

impl Cells {
    pub(super) fn new(commas_are_free: bool, strings: bool) -> Self {
        Cells { commas_are_free, strings, ..Cells::default() }
    }
    pub(super) fn push(&mut self, cell: &str) {
        let cell = seen(cell, self.ends.len(), &mut self.unseen);
        self.text.push_str(cell.trim());
        self.ends.push(self.text.len());
    }
    /// Adds the cells of another column.
    pub(super) fn append(&mut self, other: &Cells) {
        self.unseen = self.unseen.and(other.unseen, self.len());
        other.iter().for_each(|cell| self.push(cell));
        self.commas_are_free &= other.commas_are_free;
    }
    /// The cells of these rows, in this order.
    pub(super) fn select(&self, rows: &[usize]) -> Self {
        let mut some = Cells { text: String::new(), ends: Vec::with_capacity(rows.len()), ..*self };
        let starts: Vec<usize> = std::iter::once(0).chain(self.ends.iter().copied()).collect();
        rows.iter().for_each(|&i| some.push(&self.text[starts[i]..starts[i + 1]]));
        some
    }
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }
    /// What a cell says on its own, in a column that is not of numbers: where strings are distinguished from missing cells, or the user
    /// keeps words, only an empty cell is missing.
    pub(super) fn says(&self, cell: &str) -> Cell {
        match Cell::of(cell) {
            Cell::Missing if !cell.is_empty() && (self.strings || self.words_stay) => Cell::Word,
            other => other,
        }
    }
    /// Whether a cell is missing in a column that is not of numbers.
    pub(super) fn misses(&self, cell: &str) -> bool {
        self.says(cell) == Cell::Missing
    }
    /// Marks the cells as declared labels: words such as `None` are labels then, except among numbers.
    pub(super) fn of_declared_labels(mut self) -> Self {
        let has_words = self.iter().any(|cell| Cell::of(cell) == Cell::Word);
        self.words_stay |= has_words;
        self
    }
    /// Adds missing cells until there are `rows`.
    pub(super) fn pad(&mut self, rows: usize) {
        self.ends.resize(rows.max(self.ends.len()), self.text.len());
    }
    pub(super) fn iter(&self) -> impl Iterator<Item = &str> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(a, &b)| &self.text[a..b])
    }
    /// The cell of a row, from 0.
    pub(super) fn get(&self, row: usize) -> Option<&str> {
        let end = *self.ends.get(row)?;
        let start = row.checked_sub(1).map_or(0, |before| self.ends[before]);
        self.text.get(start..end)
    }
    /// Empties the cells that `empty` selects; gives the cells and how many were emptied.
    pub(super) fn emptied(&self, empty: impl Fn(&str) -> bool) -> (Self, usize) {
        let mut kept = Cells { text: String::with_capacity(self.text.len()), ends: Vec::with_capacity(self.ends.len()), ..*self };
        let mut count = 0;
        for cell in self.iter() {
            let gone = !cell.is_empty() && empty(cell);
            count += usize::from(gone);
            kept.push(if gone { "" } else { cell });
        }
        (kept, count)
    }
    /// Numbers as they would be written; NaN is a missing cell.
    pub(super) fn of_numbers(numbers: &[f64]) -> Self {
        let mut cells = Cells::default();
        for x in numbers {
            if x.is_nan() {
                cells.push("");
            } else {
                cells.push(&x.to_string());
            }
        }
        cells
    }
}

/// What a cell says on its own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Cell {
    /// Empty, or a usual word for it.
    Missing,
    /// A finite number.
    Number(f64),
    /// A number that is not finite, or too large to be.
    Infinite,
    /// Anything else.
    Word,
}

/// Whether the cell is missing if its column holds numbers.
pub(super) fn missing_among_numbers(cell: &str) -> bool {
    // Words that do so among numbers. Among labels they are labels: `+` and `-`, `.` for a strand that is not known.
    const AMONG_NUMBERS: [&str; 5] = ["-", ".", "--", "na", "n.a."];
    AMONG_NUMBERS.contains(&cell)
}

impl Cell {
    pub(super) fn of(cell: &str) -> Self {
        if MISSING_WORDS.contains(&cell) {
            return Cell::Missing;
        }
        match cell.parse::<f64>() {
            Ok(x) if x.is_finite() => Cell::Number(x),
            Ok(x) if x.is_nan() => Cell::Missing,
            Ok(_) => Cell::Infinite,
            Err(_) => match fortran(cell) {
                Some(x) if x.is_finite() => Cell::Number(x),
                Some(_) => Cell::Infinite,
                None => Cell::Word,
            },
        }
    }
}

/// A number as Fortran writes it: `0.15D+04`, and `0.15+104` where the exponent has three digits. Without a point it is a code.
fn fortran(cell: &str) -> Option<f64> {
    let at = cell.char_indices().skip(1).find(|(_, c)| matches!(c, 'D' | 'd' | '+' | '-')).map(|(at, _)| at)?;
    let (mantissa, exponent) = cell.split_at(at);
    let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    let bare = mantissa.trim_start_matches(['+', '-']);
    if !bare.contains('.') || !bare.bytes().all(|b| b.is_ascii_digit() || b == b'.') {
        return None;
    }
    let power = match exponent.strip_prefix(['D', 'd']) {
        Some(power) => power
            .strip_prefix(['+', '-'])
            .filter(|rest| !rest.is_empty() && digits(rest))
            .map(|_| power)
            .or_else(|| (!power.is_empty() && power.len() <= 3 && digits(power)).then_some(power))?,
        None => (exponent.len() == 4 && digits(&exponent[1..])).then_some(exponent)?,
    };
    format!("{mantissa}e{power}").parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_fortran_have_a_point_and_a_d_or_an_exponent_of_three_digits() {
        // Fortran 2018, 13.7.2.3: D and E edit descriptors.
        for (text, value) in
            [("0.15D+04", 1500.0), ("-1.5d-2", -0.015), ("1.D0", 1.0), (".5D1", 5.0), ("0.15+104", 1.5e103), ("+2.5D+01", 25.0)]
        {
            assert_eq!(Cell::of(text), Cell::Number(value), "{text}");
        }
        assert_eq!(Cell::of("0.15+400"), Cell::Infinite);
        for text in ["12D3", "1.5D", "1.5D+", "D+04", "1.5-2", "1.2.3D4", "1.5DD4", "3.12+-0.4", "1.5+2021x", "-"] {
            assert_eq!(Cell::of(text), Cell::Word, "{text}");
        }
    }
}
