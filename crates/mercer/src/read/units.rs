//! What stands with a number: a sign of money, a unit, and what says that it is below 0.

use crate::data::{Negative, Unit};

impl Unit {
    pub(super) fn signs(&self) -> &'static [&'static str] {
        match self {
            Unit::None | Unit::Other(_) => &[""],
            Unit::Percent => &["%"],
            Unit::Dollar => &["$", "US$", "USD"],
            Unit::Euro => &["€", "EUR"],
            Unit::Pound => &["£", "GBP"],
            Unit::Yen => &["¥", "JPY"],
            Unit::Rupee => &["₹", "Rs", "Rs.", "INR"],
            Unit::Franc => &["CHF"],
        }
    }

    /// Whether it stands before or behind the number, or may be left out: `$5`, `5 $` and `5`, but `5 %` alone.
    pub(super) fn is_money(&self) -> bool {
        !matches!(self, Unit::None | Unit::Percent | Unit::Other(_))
    }

    /// The unit of a cell that is a number and something else, `161.2 m2`, `R$ 5`.
    pub(super) fn other(cell: &str) -> Option<Unit> {
        // Units of money that stand before numbers and are letters.
        const BEFORE: [&str; 4] = ["kr", "kr.", "R", "RM"];
        let bare = cell.strip_prefix('(').map_or(cell, |rest| rest.trim_end_matches(')'));
        let (_, rest) = signed(bare.trim_end_matches(['-', '\u{2212}']));
        let unit = match rest.find(|c: char| c.is_ascii_digit())? {
            0 => behind(rest)?,
            at => {
                let sign = rest[..at].trim_end_matches(['.', ',', '-', ' ', '(']);
                let is_sign =
                    sign.chars().count() <= 4 && sign.ends_with(['$', '€', '£', '¥', '₹', '₽', '₩', '₺', '₴', '₦', '฿', '₫', '₪']);
                (is_sign || BEFORE.contains(&sign)).then_some(sign)?
            }
        };
        Some(Unit::Other(singular(unit).to_owned()))
    }

    /// Whether the cell is below 0, and its text without sign and unit: `-$5`, `$-5`, `5 €`, `+5`, `($5)`.
    pub(super) fn without<'a>(&self, cell: &'a str, negative: Negative) -> Option<(bool, &'a str)> {
        let (outer, rest) = negative.signed(cell);
        let body = match self {
            Unit::None => return Some((outer == Some(true), rest)),
            Unit::Other(unit) => match behind(rest) {
                Some(word) => (singular(word) == unit).then(|| &rest[..rest.len() - word.len()])?,
                None => rest.strip_prefix(unit.as_str()).or_else(|| rest.strip_suffix(unit.as_str()))?,
            },
            // The longest sign first: `US$` ends in `$`.
            _ => {
                let found = self.signs().iter().rev().find_map(|sign| match rest.strip_prefix(sign) {
                    Some(body) if *self != Unit::Percent => Some(body),
                    _ => rest.strip_suffix(sign),
                });
                found.or_else(|| self.is_money().then_some(rest))?
            }
        };
        let body = body.trim();
        let (inner, body) = if outer.is_none() { negative.signed(body) } else { (None, body) };
        Some((outer == Some(true) || inner == Some(true), body))
    }
}

/// The unit behind a number: a word of a few letters and signs, in which digits follow letters (`m2`).
fn behind(text: &str) -> Option<&str> {
    // The most letters in a unit: `square metres`, but no sentence.
    const LONGEST_UNIT: usize = 16;
    let at = text.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | ',' | '\'' | '\u{2019}' | '-') || c.is_whitespace()))?;
    let unit = &text[at..];
    let begins = unit.starts_with(|c: char| c.is_alphabetic() || matches!(c, '°' | '"' | '″' | '′' | '‰' | 'µ'));
    let sound =
        |c: char| c.is_alphanumeric() || matches!(c, '°' | '²' | '³' | '/' | '^' | '*' | '·' | '.' | ' ' | '"' | '″' | '′' | '‰' | '-');
    let has_number_apart = unit.split(' ').skip(1).any(|word| word.starts_with(|c: char| c.is_ascii_digit()));
    // 12E3 is a code or a number, no twelve of E3.
    let exponent = unit.strip_prefix(['e', 'E']).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit() || c == '-'));
    let fits = begins && unit.chars().all(sound) && unit.chars().count() <= LONGEST_UNIT && !has_number_apart && !exponent;
    fits.then_some(unit)
}

/// `years` as `year`; `ms` is no plural.
fn singular(unit: &str) -> &str {
    unit.strip_suffix('s').filter(|rest| rest.len() > 2 && rest.bytes().all(|b| b.is_ascii_lowercase())).unwrap_or(unit)
}

impl Negative {
    /// The sign of a text, `Some(true)` where it is below 0, and the rest.
    fn signed(self, text: &str) -> (Option<bool>, &str) {
        let declared = match self {
            Negative::Before => None,
            Negative::Brackets => text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')),
            Negative::Behind => text.strip_suffix(['-', '\u{2212}']),
        };
        match declared {
            Some(rest) => (Some(true), rest.trim()),
            None => signed(text),
        }
    }
}

/// The sign before a text, `Some(true)` for a minus, and the rest.
fn signed(text: &str) -> (Option<bool>, &str) {
    match text.strip_prefix(['-', '\u{2212}']) {
        Some(rest) => (Some(true), rest),
        None => text.strip_prefix('+').map_or((None, text), |rest| (Some(false), rest)),
    }
}
