//! A batch of strings: texts or sequences.

use super::cells::{Cells, Draw, Misfit, words_of_text};
use super::cut::{Cut, Cutter};
use super::letters::MASKED;
use super::parts::stretches;
use super::{Arity, ColumnKind, Dataset, Inputs, PER_STEP, Part, Parts, Values};
use crate::error::{Error, Result};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::ops::RangeInclusive;
use std::sync::{Arc, Mutex, PoisonError};
use unicode_segmentation::UnicodeSegmentation;

/// One string a row: rows of strings that others may share, with what has been found of them.
#[derive(Clone, Debug, Default)]
pub struct Strings {
    all: Arc<Corpus>,
    rows: Vec<u32>,
}

/// Strings, and the ways in which they have been cut so far.
#[derive(Debug, Default)]
struct Corpus {
    strings: Vec<String>,
    cuts: Mutex<Vec<(String, Arc<Cut>)>>,
}

/// The strings of some rows, cut into pieces.
pub(crate) struct CutRows<'a> {
    cut: Arc<Cut>,
    /// Their places among the strings that were cut.
    rows: &'a [u32],
}

impl CutRows<'_> {
    /// The different pieces, ascending; those of other strings may be among them.
    pub(crate) fn pieces(&self) -> &[String] {
        self.cut.pieces()
    }
    /// The pieces of a row, in order, as places among all pieces.
    pub(crate) fn row(&self, i: usize) -> &[u32] {
        self.cut.numbers(self.rows[i] as usize)
    }
    /// How many rows there are.
    pub(crate) fn rows(&self) -> usize {
        self.rows.len()
    }
    /// How many pieces all rows have.
    pub(crate) fn count(&self) -> usize {
        (0..self.rows.len()).map(|i| self.row(i).len()).sum()
    }
    /// The weight of the rows that hold each piece; `None` of a piece that none of them holds.
    pub(crate) fn holders(&self, weight: impl Fn(usize) -> f64) -> Vec<Option<f64>> {
        // The last row that held the piece, and the weight of all so far.
        let mut found: Vec<Option<(usize, f64)>> = vec![None; self.pieces().len()];
        for i in 0..self.rows.len() {
            for &piece in self.row(i) {
                match &mut found[piece as usize] {
                    Some((last, _)) if *last == i => {}
                    Some(seen) => *seen = (i, seen.1 + weight(i)),
                    none => *none = Some((i, weight(i))),
                }
            }
        }
        found.into_iter().map(|seen| seen.map(|(_, weight)| weight)).collect()
    }
}

impl Strings {
    /// The given strings, in order.
    pub fn new<S: Into<String>>(rows: impl IntoIterator<Item = S>) -> Self {
        let strings: Vec<String> = rows.into_iter().map(Into::into).collect();
        let rows = (0..strings.len() as u32).collect();
        Strings { all: Arc::new(Corpus { strings, cuts: Mutex::default() }), rows }
    }
    /// The strings cut into pieces in a way that `how` names.
    /// Each string is cut once for all rows of the same strings, unless there are too many pieces. `None` of few strings, which are
    /// sooner cut than pieces are numbered.
    pub(crate) fn cut(&self, how: &str, cut: Cutter<'_>) -> Option<CutRows<'_>> {
        // Strings cut into more pieces than this are not kept.
        const MOST_PIECES: usize = 50_000_000;
        // Fewer strings are cut as they come.
        const LEAST_CUT: usize = 64;
        if self.rows.len() < LEAST_CUT {
            return None;
        }
        let known = || self.all.cuts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, cut)) = known().iter().find(|(name, _)| name == how) {
            return Some(CutRows { cut: cut.clone(), rows: &self.rows });
        }
        // Not under the lock: a thread that waits for a part of this work may come here again.
        let all: Vec<&str> = self.all.strings.iter().map(String::as_str).collect();
        let made = Arc::new(Cut::of(&all, cut));
        let mut known = known();
        if made.len() <= MOST_PIECES && known.iter().all(|(name, _)| name != how) {
            known.push((how.to_owned(), made.clone()));
        }
        Some(CutRows { cut: made, rows: &self.rows })
    }
    /// Rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }
    /// Characters of a string, on average.
    pub(crate) fn mean_length(&self) -> f64 {
        self.iter().map(|s| s.chars().count()).sum::<usize>() as f64 / self.len().max(1) as f64
    }
    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
    /// The string of a row.
    pub fn get(&self, row: usize) -> &str {
        &self.all.strings[self.rows[row] as usize]
    }
    /// The strings, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        self.rows.iter().map(|&i| self.all.strings[i as usize].as_str())
    }
}

impl PartialEq for Strings {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().eq(other.iter())
    }
}

impl Serialize for Strings {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl<'de> Deserialize<'de> for Strings {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        Vec::<String>::deserialize(deserializer).map(Strings::new)
    }
}

impl Cells for Strings {
    type Schema = ();
    const WRITTEN: Option<&'static str> = Some("a text");
    const EMPTY: Option<&'static str> = Some("the empty text");
    const HAS_PARTS: bool = true;

    fn len(&self) -> usize {
        self.rows.len()
    }
    fn select(&self, rows: &[usize]) -> Self {
        // Some rows share the strings of all where they are no fewer than this share of them; else they have copies.
        const SHARED: usize = 4;
        if SHARED * rows.len() < self.all.strings.len() {
            return Strings::new(rows.iter().map(|&i| self.get(i)));
        }
        Strings { all: self.all.clone(), rows: rows.iter().map(|&i| self.rows[i]).collect() }
    }
    fn schema(&self) {}
    fn parse(texts: &mut dyn Iterator<Item = &str>) -> std::result::Result<Self, Misfit> {
        Ok(Strings::new(texts))
    }
    fn texts(&self) -> Option<Cow<'_, Strings>> {
        Some(Cow::Borrowed(self))
    }
    fn cell(&self, row: usize) -> serde_json::Value {
        self.get(row).into()
    }
    fn words(&self, row: usize, word: &mut dyn FnMut(u64)) {
        words_of_text(self.get(row), word);
    }
    fn describe(&self) -> String {
        let lengths = || self.iter().map(|s| s.chars().count());
        match (lengths().min(), lengths().max()) {
            (Some(least), Some(most)) => format!("{least} to {most} characters"),
            _ => "nothing".into(),
        }
    }
    fn missing(&self) -> Vec<usize> {
        (0..self.rows.len()).filter(|&i| self.get(i).is_empty()).collect()
    }
    /// Letters of a sequence, words of a text. Words mean the same at any place.
    fn parts(&self, row: usize, width: Option<usize>, kind: ColumnKind) -> Parts {
        // Letters of a sequence that are masked together, unless asked otherwise: up to the core of a binding site.
        const LETTERS: RangeInclusive<usize> = 4..=6;
        let units = units(self.get(row), kind);
        let is_text = kind == ColumnKind::Text;
        let widths = width.map_or(if is_text { 1..=1 } else { LETTERS }, |width| width..=width);
        let part = |masked: Vec<usize>| {
            let text: String = masked.iter().map(|&k| units[k].as_str()).collect::<String>().trim().to_owned();
            let place = masked.first().map_or(0, |first| first + 1).to_string();
            let at = (!is_text).then(|| format!("{text} at {place}"));
            Part { names: std::iter::once(text.clone()).chain(at).collect(), units: masked, text, place }
        };
        let parts = stretches(units.len(), widths, |_| 1).into_iter().map(part).collect();
        Parts { parts, units, axis: (!is_text).then_some("letter") }
    }
    /// A unit that is masked is one letter that matches nothing.
    fn masked(&self, row: usize, parts: &[Part], kind: ColumnKind) -> Option<Self> {
        let units = units(self.get(row), kind);
        let without = |part: &Part| -> String {
            let mut text: Vec<Cow<'_, str>> = units.iter().map(|unit| Cow::Borrowed(unit.as_str())).collect();
            part.units.iter().for_each(|&k| text[k] = Cow::Owned(MASKED.to_string()));
            text.concat()
        };
        Some(Strings::new(parts.iter().map(without)))
    }
    fn invent(draw: &mut Draw) -> Option<Self> {
        let rows = draw.rows;
        let string = |_| (0..draw.whole(2, 20)).map(|_| draw.one_of(&['A', 'C', 'G', 'T'])).collect();
        Some(Strings::new((0..rows).map(string).collect::<Vec<String>>()))
    }
    /// A string of one letter, and those that have another letter at one of its places.
    fn star(others: usize) -> Option<Self> {
        let place = |changed: usize| (0..others).map(|i| if i == changed { 'C' } else { 'A' }).collect();
        Some(Strings::new((0..=others).rev().map(place).collect::<Vec<String>>()))
    }
}

/// The letters of a sequence; the words of a text with what follows each.
fn units(text: &str, kind: ColumnKind) -> Vec<String> {
    if kind != ColumnKind::Text {
        return text.chars().map(String::from).collect();
    }
    let mut starts: Vec<usize> = text.unicode_word_indices().map(|(at, _)| at).collect();
    if let Some(first) = starts.first_mut() {
        *first = 0;
    }
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    starts.iter().zip(ends).map(|(from, to)| text[*from..to].to_owned()).collect()
}

impl Inputs for Strings {
    const NEEDS: &'static str = "one column of sequences or texts";
    const ARITY: Arity = Arity::One;

    fn takes(kind: ColumnKind) -> bool {
        matches!(kind, ColumnKind::Text | ColumnKind::Sequence)
    }

    fn gather<'a>(data: &'a Dataset, columns: &[usize]) -> Result<Cow<'a, Self>> {
        if let [one] = columns
            && let Values::Texts(s) | Values::Sequences(s) = &data.columns()[*one].values
        {
            return Ok(Cow::Borrowed(s));
        }
        Err(Error::Shape { what: "columns of a string kernel".into(), expected: 1, found: columns.len() })
    }

    /// Letters of one against letters of the other, one pair after the other.
    fn per_pair(&self) -> f64 {
        PER_STEP * self.mean_length().powi(2)
    }
    fn len(&self) -> usize {
        self.rows.len()
    }
}
