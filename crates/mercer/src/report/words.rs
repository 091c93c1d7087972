//! Numbers and sentences in plain words, shared by the terminal table, the page and the figures.

use super::{Comparison, Difference, Estimate, Metric, Row, Task};
use crate::estimators::{Baseline, Estimator, EstimatorExpr};
use crate::kernels::KernelExpr;
use crate::param::Value;

/// What stands where a number is not known.
pub(super) const UNKNOWN: &str = "–";

/// Digits after the point that show two significant digits of `error`, 0 to 9.
pub(super) fn digits_for(error: f64) -> usize {
    if error > 0.0 && error.is_finite() { (1.0 - error.log10().floor()).clamp(0.0, 9.0) as usize } else { 0 }
}

/// Digits after the point for a whole column, so that its points stand under each other: two significant digits
/// of the smallest standard error (at most one more than the largest needs), or four of the means where no
/// error is known.
pub(super) fn digits(column: impl Iterator<Item = Estimate> + Clone) -> usize {
    let errors = || column.clone().map(|e| e.se).filter(|s| *s > 0.0 && s.is_finite());
    let least = errors().fold(f64::INFINITY, f64::min);
    let most = errors().fold(0.0, f64::max);
    if least.is_finite() {
        return digits_for(least.max(most * 1e-1));
    }
    let size = column.map(|e| e.mean.abs()).filter(|m| m.is_finite()).fold(0.0, f64::max);
    digits_for(size * 1e-2)
}

/// A number with `digits` after the point and a true minus sign; in powers of ten where it would be long.
pub(super) fn number(value: f64, digits: usize) -> String {
    if !value.is_finite() {
        return UNKNOWN.into();
    }
    let text = if value.abs() >= 1e7 { format!("{value:.2e}") } else { format!("{value:.digits$}") };
    let zero = text.trim_start_matches('-').chars().all(|c| c == '0' || c == '.');
    match text.strip_prefix('-') {
        Some(rest) if zero => rest.into(),
        Some(rest) => format!("−{rest}"),
        None => text,
    }
}

/// A number as [`number`] writes it, but in scientific notation with `significant` digits if it would round to 0 though it
/// is not; a value negligible beside the digits shown is 0.
pub(super) fn not_zero(value: f64, digits: usize, significant: usize) -> String {
    // What is smaller than this share of the last digit shown is nothing.
    const NOTHING: f64 = 1e-9;
    let shown = 0.5 * 0.1f64.powi(digits as i32);
    let hidden = value.is_finite() && value.abs() < shown && value.abs() > NOTHING * shown;
    if hidden { format!("{value:.*e}", significant - 1).replace('-', "−") } else { number(value, digits) }
}

/// A number in powers of ten with so many digits after the point; 0 as 0.
pub(super) fn power(value: f64, digits: usize) -> String {
    if value == 0.0 { "0".into() } else { format!("{value:.digits$e}") }
}

/// A share as a percentage with one decimal, neither 0 nor 100 where it is not.
pub(super) fn percentage(share: f64) -> String {
    match 100.0 * share {
        p if !p.is_finite() => UNKNOWN.into(),
        p if p > 0.0 && p < 0.05 => "<0.1%".into(),
        p if (99.95..100.0).contains(&p) => ">99.9%".into(),
        p => format!("{}%", number(p, 1)),
    }
}

/// A value of a metric: a share as a percentage, anything else with `digits` after the point.
pub(super) fn score(metric: Metric, value: f64, digits: usize) -> String {
    if metric.is_share() { percentage(value) } else { not_zero(value, digits, 2) }
}

/// Points of a percentage, with one decimal.
pub(super) fn points(share: f64) -> String {
    let points = 100.0 * share;
    if points != 0.0 && points.abs() < 0.05 { (if points < 0.0 { "−<0.1" } else { "<0.1" }).into() } else { number(points, 1) }
}

/// The standard error of a value of a metric; `None` where it is not known.
pub(super) fn error_of(metric: Metric, value: Estimate, digits: usize) -> Option<String> {
    let known = value.mean.is_finite() && value.se.is_finite();
    known.then(|| if metric.is_share() { points(value.se) } else { not_zero(value.se, digits, 1) })
}

/// `96.0% ± 1.9` or `14.21 ± 0.62`; without the second half where the error is not known.
pub(super) fn estimate(metric: Metric, value: Estimate, digits: usize) -> String {
    let error = error_of(metric, value, digits).map_or(String::new(), |e| format!(" ± {e}"));
    format!("{}{error}", score(metric, value.mean, digits))
}

/// A difference to the best row with its 95% interval, such as `−0.7 (−2.0 to 0.6)`, shares in percentage points; or that there is
/// none in any fold.
pub(super) fn difference(metric: Metric, value: Difference, digits: usize) -> String {
    let one = |x: f64| if metric.is_share() { points(x) } else { not_zero(x, digits, 2) };
    match () {
        () if value.tied => "0 (tie)".into(),
        () if !(value.low.is_finite() && value.high.is_finite()) => one(value.mean),
        () => format!("{} ({} to {})", one(value.mean), one(value.low), one(value.high)),
    }
}

/// Digits after the point for a column of differences: two significant digits of the smallest standard error, as for [`digits`].
pub(super) fn digits_of_differences(column: impl Iterator<Item = Difference> + Clone) -> usize {
    digits(column.map(|d| Estimate { mean: d.mean, se: d.se, folds: 0 }))
}

/// Three significant digits, for a sentence.
pub(super) fn brief(value: f64) -> String {
    let size = value.abs();
    if size > 0.0 && size < 1e-4 { format!("{value:.1e}").replace('-', "−") } else { number(value, digits_for(size * 0.1).min(6)) }
}

/// The value of a parameter with three significant digits and no zeros that say nothing.
pub(super) fn value(x: f64) -> String {
    Value::Number(x).rounded(3).to_string()
}

/// A share as a whole percentage that says neither 0 nor 100 where it is not.
pub(super) fn percent(share: f64) -> String {
    match 100.0 * share {
        p if p > 0.0 && p < 0.5 => "<1%".into(),
        p if (99.5..100.0).contains(&p) => ">99%".into(),
        p => format!("{p:.0}%"),
    }
}

/// Seconds in the unit that suits them: `12 µs`, `3.4 ms`, `1.2 s`, `5 min 20 s`.
pub(super) fn seconds(value: f64) -> String {
    if !(value.is_finite() && value >= 0.0) {
        return UNKNOWN.into();
    }
    if value < 0.05e-6 {
        return "<0.1 µs".into();
    }
    // The unit is chosen after rounding, so that nothing is printed as "1000 ms".
    let scaled = [(1e6, "µs"), (1e3, "ms"), (1.0, "s")].map(|(by, unit)| (value * by, unit));
    for (x, unit) in scaled {
        if x < 9.95 {
            return format!("{x:.1} {unit}");
        }
        if x < 999.5 && (unit != "s" || x < 59.5) {
            return format!("{x:.0} {unit}");
        }
    }
    let whole = value.round();
    format!("{:.0} min {:02.0} s", (whole / 60.0).floor(), whole % 60.0)
}

/// A whole number with thin groups of three: `12 345`.
pub(super) fn count(n: usize) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push('\u{202f}');
        }
        out.push(c);
    }
    out
}

/// `1 row`, `12 345 rows`.
pub(super) fn counted(n: usize, one: &str) -> String {
    let plural = if one.ends_with("ss") { format!("{one}es") } else { format!("{one}s") };
    format!("{} {}", count(n), if n == 1 { one.to_owned() } else { plural })
}

/// `a`, `a and b`, `a, b and c`.
pub(super) fn listed<S: AsRef<str>>(names: &[S]) -> String {
    match names {
        [] => String::new(),
        [one] => one.as_ref().into(),
        [most @ .., last] => {
            let most: Vec<&str> = most.iter().map(AsRef::as_ref).collect();
            format!("{} and {}", most.join(", "), last.as_ref())
        }
    }
}

/// A name from the user's data as it may be shown: no control characters, at most `most` characters.
pub(super) fn shown(name: &str, most: usize) -> String {
    let clean = |c: char| if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') { '\u{fffd}' } else { c };
    if name.chars().count() <= most {
        name.chars().map(clean).collect()
    } else {
        name.chars().take(most.saturating_sub(1)).map(clean).chain(['…']).collect()
    }
}

/// A sentence in lines of at most `width` characters, the first and the other lines indented; a word longer than a line
/// is cut.
pub(super) fn wrapped(text: &str, indents: [&str; 2], width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut line = String::new();
    for word in text.split_whitespace() {
        let mut word: Vec<char> = shown(word, usize::MAX).chars().collect();
        let room = |lines: &[String]| width - indents[usize::from(!lines.is_empty())].chars().count();
        if !line.is_empty() && line.chars().count() + 1 + word.len() > room(&lines) {
            lines.push(std::mem::take(&mut line));
        }
        while word.len() > room(&lines) {
            let cut = room(&lines);
            lines.push(word.drain(..cut).collect());
        }
        if !line.is_empty() && !word.is_empty() {
            line.push(' ');
        }
        line.extend(word);
    }
    lines.push(line);
    lines.retain(|l| !l.is_empty());
    lines.iter().enumerate().map(|(i, l)| format!("{}{l}", indents[usize::from(i > 0)])).collect()
}

/// A settled kernel with four significant digits, for reading.
pub(super) fn brief_kernel(kernel: &KernelExpr) -> String {
    let mut out = kernel.clone();
    for p in kernel.values() {
        // A number that leaves its domain by rounding stays as it is.
        let _ = out.set(&p.path, &p.value.rounded(4));
    }
    out.to_string()
}

/// A settled estimator with four significant digits, for reading.
pub(super) fn brief_estimator(estimator: &EstimatorExpr) -> String {
    let mut out = estimator.clone();
    for own in estimator.values() {
        let _ = out.set(&own.path, &own.value.rounded(4));
    }
    out.to_string()
}

/// Whether a row is the guess that looks at no input.
pub(super) fn is_baseline(row: &Row) -> bool {
    row.estimator == Baseline::NAME
}

impl Comparison {
    /// The setting in one line: rows, classes or targets, kernel, folds, seed.
    pub(super) fn setting(&self) -> Vec<String> {
        let task = match &self.task {
            Task::Classification { classes } => counted(classes.len(), "class"),
            Task::Regression { targets } if targets.len() == 1 => format!("predicting {}", shown(&targets[0], 40)),
            Task::Regression { targets } => counted(targets.len(), "target"),
        };
        vec![counted(self.rows, "row"), task, counted(self.folds, "fold"), format!("seed {}", self.seed)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_has_the_digits_of_its_error() {
        let e = Estimate { mean: 0.97333, se: 0.0123, folds: 5 };
        let estimate = |e, digits| estimate(Metric::Rmse, e, digits);
        assert_eq!(estimate(e, digits([e].into_iter())), "0.973 ± 0.012");
        let e = Estimate { mean: -1234.6, se: 56.0, folds: 5 };
        assert_eq!(estimate(e, digits([e].into_iter())), "−1235 ± 56");
        assert_eq!(estimate(Estimate { mean: f64::NAN, se: 0.1, folds: 5 }, 2), "–");
        assert_eq!(estimate(Estimate { mean: 0.5, se: f64::NAN, folds: 5 }, 2), "0.50");
        assert_eq!(number(-0.0001, 2), "0.00");
    }

    #[test]
    fn seconds_take_the_unit_that_suits_them() {
        for (value, text) in
            [(0.0, "<0.1 µs"), (2.3e-6, "2.3 µs"), (0.00346, "3.5 ms"), (0.99960, "1.0 s"), (59.7, "1 min 00 s"), (320.0, "5 min 20 s")]
        {
            assert_eq!(seconds(value), text);
        }
        assert_eq!(seconds(f64::NAN), "–");
    }

    #[test]
    fn control_characters_and_long_names_are_made_fit_to_show() {
        assert_eq!(shown("a\u{0}b\nc", 9), "a\u{fffd}b\u{fffd}c");
        assert_eq!(shown("abcdef", 4), "abc…");
    }
}
