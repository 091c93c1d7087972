//! Facts about a table that decide how far its results can be trusted, reported before anything is fitted.
//!
//! Pure functions of the rows and the target; each fact says what was found and what to do. They take n log n time in the
//! rows, the searches for relations on a sample of at most 20,000.

mod classes;
mod equal_rows;
mod giveaway;
mod inputs;
mod numbers;
mod repeated;

pub use classes::dominant_class;
pub use equal_rows::{copies, dealt_by_content, each_once, equal_rows, kept_together};
pub use repeated::of_cells as repeated_identifiers;

use crate::data::TargetInfo;
use crate::data::{Dataset, Split, Target};
use std::collections::HashSet;
use std::fmt;

/// Something found in a table, and what may be done about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// What was found, with its numbers.
    pub found: String,
    /// What to do.
    pub advice: String,
    /// Columns each of which alone gives the target away; none of any other fact.
    pub leaks: Vec<String>,
}

impl fmt::Display for Fact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.found, self.advice)
    }
}

/// Everything that is to be known of N rows without their target, of the target, and of so many folds that respect the
/// split; the facts that weigh most come first. Rows count from 1, as for the user. `standardise` says whether numbers are to be
/// scaled.
pub fn facts(data: &Dataset, target: &Target, info: &TargetInfo, split: &Split, folds: usize, standardise: bool) -> Vec<Fact> {
    let name = info.names.first().map_or("", String::as_str);
    let groups = equal_rows(data);
    let mut all = giveaway::facts(data, target, &groups);
    if matches!(split, Split::Rows | Split::Copies(_)) {
        let given_away: HashSet<String> = all.iter().flat_map(|fact| fact.leaks.clone()).collect();
        all.extend(data.columns().iter().filter(|column| !given_away.contains(&column.name)).filter_map(repeated::of_column));
    }
    all.extend(equal_rows::fact(data, target, &groups, split, folds));
    match target {
        Target::Classes { codes, names } => all.extend(classes::facts(codes, names, folds)),
        Target::Numbers(y) if y.cols() == 1 => all.extend(numbers::of_target(name, &y.col(0))),
        _ => {}
    }
    all.extend(data.columns().iter().filter_map(|column| inputs::fact(column, data.written(&column.name).numbers, standardise)));
    all
}

/// A name from the table as it stands in a sentence.
fn quoted(name: &str) -> String {
    let short: String = name.chars().take(60).map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
    if short.chars().count() < name.chars().count() { format!("'{short}…'") } else { format!("'{short}'") }
}

#[cfg(test)]
mod tests;
