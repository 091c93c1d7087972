//! What a model has seen in strings: the effects of letters under the sequence, and the substrings of most effect.

use super::words::{brief, counted};
use crate::error::{Error, Result};
use crate::learner::{Explained, Explanation, Influences};
use serde::Serialize;

/// Substrings that are listed.
const LISTED: usize = 20;
/// A letter is marked from this share of the largest effect on, and twice as strongly from [`STRONG`] on.
const MARKED: f64 = 0.2;
const STRONG: f64 = 0.6;

/// The marks of the letters: for and against, weakly and strongly.
fn marks(effects: &[f64]) -> Vec<char> {
    let most = effects.iter().fold(0.0, |most: f64, e| most.max(e.abs()));
    let mark = |e: &f64| match e / most {
        share if share >= STRONG => '#',
        share if share >= MARKED => '+',
        share if share <= -STRONG => '=',
        share if share <= -MARKED => '-',
        _ => ' ',
    };
    effects.iter().map(|e| if most > 0.0 { mark(e) } else { ' ' }).collect()
}

/// A sequence with the marks under it, cut to a width; the number of the first letter of each line before it.
fn drawn(column: &Explained, width: usize) -> String {
    let marks = marks(&column.effects);
    let margin = column.units.len().to_string().len();
    let mut out = String::new();
    let (mut line, mut under, mut first, mut used) = (String::new(), String::new(), 1, 0);
    let room = width.saturating_sub(margin + 4).max(10);
    let mut end = |line: &mut String, under: &mut String, first: usize| {
        out.push_str(&format!("  {first:>margin$}  {}\n", line.trim_end()));
        if !under.trim().is_empty() {
            out.push_str(&format!("  {:margin$}  {}\n", "", under.trim_end()));
        }
        line.clear();
        under.clear();
    };
    for (k, (unit, mark)) in column.units.iter().zip(&marks).enumerate() {
        let length = unit.chars().count();
        if used + length > room && used > 0 {
            end(&mut line, &mut under, first);
            (first, used) = (k + 1, 0);
        }
        line.extend(unit.chars().map(|c| if c.is_control() { ' ' } else { c }));
        let word = unit.trim_end().chars().count();
        under.extend(std::iter::repeat_n(*mark, word).chain(std::iter::repeat_n(' ', length - word)));
        used += length;
    }
    if used > 0 {
        end(&mut line, &mut under, first);
    }
    out
}

/// Why a model answers as it does for one row.
pub fn explanation_text(explanation: &Explanation, width: usize) -> String {
    let mut out = if explanation.of == explanation.answer {
        format!("{}: decision value {}\n", explanation.answer, brief(explanation.value))
    } else {
        format!("{}: {}\n", explanation.of, brief(explanation.value))
    };
    for column in &explanation.columns {
        out.push_str(&format!("\ncolumn '{}'\n", column.column));
        out.push_str(&drawn(column, width));
        if column.strongest.is_empty() {
            out.push_str("  No part of it changes the answer.\n");
            continue;
        }
        out.push_str("\n  effect      from  part\n");
        for stretch in &column.strongest {
            out.push_str(&format!("  {:<10}  {:>4}  {}\n", format!("{:+}", Brief(stretch.effect)), stretch.first, stretch.text));
        }
    }
    out.push_str(&format!("\nEffect: {} less that with the part masked. # and + raise it, = and - lower it.\n", explanation.of));
    out
}

/// A number with a few digits, signed on request.
struct Brief(f64);

impl std::fmt::Display for Brief {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let sign = if f.sign_plus() && self.0 >= 0.0 { "+" } else { "" };
        write!(f, "{sign}{}", brief(self.0))
    }
}

/// The substrings that a model answers by.
pub fn influences_text(all: &[Influences]) -> String {
    let mut out = String::new();
    for influences in all {
        out.push_str(&format!("{} ({} rows)\n  mean effect  times  part\n", influences.of, influences.rows));
        for s in influences.substrings.iter().take(LISTED) {
            out.push_str(&format!("  {:<11}  {:>5}  {}\n", format!("{:+}", Brief(s.mean)), s.times, s.text));
        }
        let more = influences.substrings.len().saturating_sub(LISTED);
        if more > 0 {
            out.push_str(&format!("  and {} of less effect\n", counted(more, "part")));
        }
        out.push('\n');
    }
    out.push_str("Effect: what masking the part takes from the decision value of the class, or from the number; largest sums first.\n");
    out
}

fn pretty(document: &impl Serialize) -> Result<String> {
    serde_json::to_string_pretty(document).map_err(|e| Error::Data(e.to_string()))
}

/// An explanation as JSON.
///
/// # Errors
/// None that a user can bring about.
pub fn explanation_json(explanation: &Explanation) -> Result<String> {
    pretty(explanation)
}

/// Influences as JSON.
///
/// # Errors
/// None that a user can bring about.
pub fn influences_json(all: &[Influences]) -> Result<String> {
    pretty(&all)
}
