//! Series as texts: `[1, null, 3]`, `[1 2 3]`, `[[1, 2], [3, 4]]`.

use super::Series;
use crate::data::cells::{Cells as _, MISSING_WORDS, Misfit};

/// What each time holds, and what to do where it does not.
pub(super) const FINITE: &str = "a finite number, or null where one is missing";

/// The numbers of a list without its brackets, separated by commas, semicolons or spaces, NaN where one is missing.
///
/// # Errors
/// The first word that is none, and its place from 1.
fn numbers_of(list: &str) -> std::result::Result<Vec<f64>, (usize, String)> {
    let list = list.trim();
    let words: Vec<String> = if list.is_empty() {
        Vec::new()
    } else if list.contains(';') {
        list.split(';').map(|word| word.replacen(',', ".", 1)).collect()
    } else if list.contains(',') {
        list.split(',').map(str::to_owned).collect()
    } else {
        list.split_whitespace().map(str::to_owned).collect()
    };
    let count = words.len();
    let number = |(k, word): (usize, String)| {
        let word = word.trim();
        match word.parse::<f64>() {
            Ok(x) if !x.is_infinite() => Ok(x),
            Err(_) if MISSING_WORDS.contains(&word) && (!word.is_empty() || k + 1 < count) => Ok(f64::NAN),
            _ => Err((k + 1, if word.is_empty() { "nothing".into() } else { word.to_owned() })),
        }
    };
    words.into_iter().enumerate().map(number).collect()
}

/// The numbers of a list in square brackets, NaN where one is missing; `None` of any other text.
#[cfg(feature = "read")]
pub(crate) fn list_of_numbers(text: &str) -> Option<Vec<f64>> {
    numbers_of(text.strip_prefix('[')?.strip_suffix(']')?).ok()
}

/// The vectors of one cell; none of an empty text.
pub(super) fn parsed(row: usize, text: &str) -> std::result::Result<Vec<Vec<f64>>, Misfit> {
    if text.is_empty() {
        return Ok(Vec::new());
    }
    let none = || Misfit { row, found: text.to_owned(), expected: Series::WRITTEN.unwrap_or_default().into() };
    let inner = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).ok_or_else(none)?.trim();
    let misfit = |time: usize, word: &str| Misfit { row, found: format!("{word} at time {time}"), expected: FINITE.into() };
    if !inner.starts_with('[') {
        let numbers = numbers_of(inner).map_err(|(time, word)| misfit(time, &word))?;
        return Ok(numbers.into_iter().map(|x| vec![x]).collect());
    }
    let (mut vectors, mut rest) = (Vec::new(), inner);
    while !rest.is_empty() {
        let (vector, behind) = rest.strip_prefix('[').and_then(|rest| rest.split_once(']')).ok_or_else(none)?;
        vectors.push(numbers_of(vector).map_err(|(_, word)| misfit(vectors.len() + 1, &word))?);
        let behind = behind.trim_start();
        rest = behind.strip_prefix([',', ';']).map_or(behind, str::trim_start);
    }
    Ok(vectors)
}
