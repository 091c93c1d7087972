//! The parts of a cell that can be masked one by one, to see what a model answers by.

use std::ops::RangeInclusive;

/// A part of a cell: some of its units.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The units that are masked together, ascending; the first names the part.
    pub units: Vec<usize>,
    /// Its content, on one line.
    pub text: String,
    /// Its place in the cell, in words: `31`, `node 2`; empty where the text says it.
    pub place: String,
    /// What parts of other cells share with it, the most general name first: `TGAC`, `TGAC at 31`.
    pub names: Vec<String>,
}

/// The parts of one cell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parts {
    /// The smallest parts, as they read one after the other: letters, words, times, nodes and edges, members.
    pub units: Vec<String>,
    /// The parts that are masked in turn.
    pub parts: Vec<Part>,
    /// The name of a place, where places of different cells compare: `letter`, `time`.
    pub axis: Option<&'static str>,
}

/// Every stretch of so many of `length` units in order, at steps that grow with the width where they `overlap` by half alone; the last
/// stretch ends with the units.
pub(super) fn stretches(length: usize, widths: RangeInclusive<usize>, step: impl Fn(usize) -> usize) -> Vec<Vec<usize>> {
    let mut all = Vec::new();
    let most = |width: usize| width.clamp(1, length.max(1));
    for width in most(*widths.start())..=most(*widths.end()) {
        let last = (length + 1).saturating_sub(width);
        let starts = (0..last).step_by(step(width).max(1));
        let end = last.checked_sub(1).filter(|end| end % step(width).max(1) != 0);
        all.extend(starts.chain(end).map(|start| (start..start + width).collect()));
    }
    all
}

/// A number with six significant digits at most.
pub(super) fn rounded(x: f64) -> f64 {
    format!("{x:.5e}").parse().unwrap_or(x)
}

/// Numbers of one vector in brackets, or one number alone.
pub(super) fn vector_text(vector: &[f64]) -> String {
    let numbers: Vec<String> = vector.iter().map(|x| rounded(*x).to_string()).collect();
    if let [one] = numbers.as_slice() { one.clone() } else { format!("[{}]", numbers.join(", ")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_cover_all_units_and_no_more() {
        assert_eq!(stretches(3, 2..=2, |_| 1), [[0, 1], [1, 2]]);
        assert_eq!(stretches(3, 4..=6, |_| 1), [[0, 1, 2]]);
        assert_eq!(stretches(6, 4..=4, |width| width / 2), [[0, 1, 2, 3], [2, 3, 4, 5]]);
        assert_eq!(stretches(5, 4..=4, |width| width / 2), [[0, 1, 2, 3], [1, 2, 3, 4]]);
        assert!(stretches(0, 1..=1, |_| 1).is_empty());
        assert_eq!((rounded(0.123_456_78), rounded(12345.0), vector_text(&[1.0, -2.5])), (0.123457, 12345.0, "[1, -2.5]".into()));
    }
}
