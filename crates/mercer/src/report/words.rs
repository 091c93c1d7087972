//! Numbers and sentences in plain words, shared by the terminal table, the page and the figures.

use super::{Comparison, Estimate, Metric, Row, Task};
use crate::estimators::{Baseline, Estimator, EstimatorExpr};
use crate::kernels::KernelExpr;
use crate::param::Value;

/// What stands where a number is not known.
pub(super) const UNKNOWN: &str = "–";

/// Digits after the point that show two significant digits of `error`, 0 to 9.
fn digits_for(error: f64) -> usize {
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

/// The same, in powers of ten with so many digits where a number that is not 0 would read 0.
pub(super) fn not_zero(value: f64, digits: usize, significant: usize) -> String {
    let hidden = value != 0.0 && value.is_finite() && value.abs() < 0.5 * 0.1f64.powi(digits as i32);
    if hidden { format!("{value:.*e}", significant - 1).replace('-', "−") } else { number(value, digits) }
}

/// `0.973 ± 0.012`; without the second half where the error is not known.
pub(super) fn estimate(value: Estimate, digits: usize) -> String {
    let mean = not_zero(value.mean, digits, 2);
    if value.mean.is_finite() && value.se.is_finite() { format!("{mean} ± {}", not_zero(value.se, digits, 1)) } else { mean }
}

/// A difference to the best row, or that there is none in any fold.
pub(super) fn difference(value: Estimate, digits: usize) -> String {
    if is_none(value) { "none".into() } else { estimate(value, digits) }
}

/// Whether a difference is exactly 0 in each of several folds.
pub(super) fn is_none(difference: Estimate) -> bool {
    difference.folds > 1 && difference.mean == 0.0 && difference.se == 0.0
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

/// A share as a percentage that says neither 0 nor 100 where it is not.
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
    for (p, value) in estimator.values() {
        let _ = out.set(p.name, &value.rounded(4));
    }
    out.to_string()
}

/// Whether a row is the guess that looks at no input.
pub(super) fn is_baseline(row: &Row) -> bool {
    row.estimator == Baseline::NAME
}

/// How good a value of a metric is, as the end of a sentence that starts with the estimator.
pub(super) fn achievement(metric: Metric, value: Estimate) -> String {
    let d = digits([value].into_iter());
    let mean = number(value.mean, d);
    let error = if value.se > 0.0 && value.se.is_finite() { format!("± {}", number(value.se, d)) } else { String::new() };
    let bracket = if error.is_empty() { String::new() } else { format!(" ({error})") };
    format!("{}{bracket}", metric.achieved(&mean))
}

impl Comparison {
    /// The result in one sentence: which estimator predicts best, how well, and which others are as good.
    pub fn verdict(&self) -> String {
        let Some(best) = self.best() else {
            return self.without_a_best();
        };
        let name = |r: &Row| shown(&r.estimator, 60);
        let Some((metric, value)) = best.metrics.first() else {
            return format!("{} is the best; nothing was measured on held-out rows.", name(best));
        };
        let achieved = achievement(*metric, *value);
        let others: Vec<&Row> = self.entries.iter().filter(|r| !std::ptr::eq(*r, best)).collect();
        if others.is_empty() {
            return format!("{}: {achieved}{}{}.", name(best), self.beside_the_baseline(best, *metric), self.unequal_terms());
        }
        // A difference whose error is not known tells nothing apart.
        let (judged, unjudged): (Vec<&Row>, Vec<&Row>) =
            others.iter().partition(|r| r.failure.is_none() && r.converged && r.difference.is_some_and(|d| d.se.is_finite()));
        let noise = |r: &&&Row| r.difference.is_some_and(|d| d.within_noise());
        let (same, judged): (Vec<&Row>, Vec<&Row>) = judged.iter().partition(|r| r.difference.is_some_and(is_none));
        let near: Vec<String> = judged.iter().filter(noise).map(|r| name(r)).collect();
        let tail = match near.len() {
            0 if judged.is_empty() => String::new(),
            0 if judged.len() == 1 => format!("; {} is worse by more than noise", name(judged[0])),
            0 => format!("; the other {} are worse by more than noise", judged.len()),
            1 => format!("; {} is within noise of it", listed(&near)),
            _ => format!("; {} are within noise of it", listed(&near)),
        };
        let (unmet, unjudged): (Vec<&Row>, Vec<&Row>) =
            unjudged.iter().partition(|r| r.failure.is_none() && !r.converged && r.difference.is_some());
        let unmet: Vec<String> = unmet.iter().map(|r| name(r)).collect();
        let unmet = if unmet.is_empty() { String::new() } else { format!("; {} did not converge and cannot be judged", listed(&unmet)) };
        let without: Vec<String> = unjudged.iter().map(|r| name(r)).collect();
        let missing = match without.len() {
            0 => String::new(),
            1 => format!("; {} has no result to compare", without[0]),
            _ => format!("; {} have no result to compare", listed(&without)),
        };
        let same: Vec<String> = same.iter().map(|r| name(r)).collect();
        let terms = self.unequal_terms();
        let though = if terms.is_empty() { "" } else { ", but not on equal terms" };
        let best_of = match same.len() {
            0 if judged.is_empty() => ":".to_owned(),
            0 => format!(" predicts best{though}:"),
            _ => format!(" predicts best, and {} as well in every fold{though}:", listed(&same)),
        };
        format!("{}{best_of} {achieved}{}{tail}{unmet}{missing}{terms}.", name(best), self.beside_the_baseline(best, *metric))
    }

    /// Why nothing is called best.
    fn without_a_best(&self) -> String {
        let scored: Vec<&Row> = self.entries.iter().filter(|r| r.failure.is_none() && !r.metrics.is_empty()).collect();
        if scored.is_empty() {
            return "No estimator could be fitted; the reasons are in the table.".into();
        }
        let why = if scored.iter().all(|r| !r.converged) {
            "no fit converged on every fold"
        } else {
            "none was scored on every fold and fitted to all rows"
        };
        format!("Nothing is called best: {why}; the table shows what is known of {}.", counted(scored.len(), "estimator"))
    }

    /// What a guess that looks at no input achieves, as a part of a sentence on the best row.
    fn beside_the_baseline(&self, best: &Row, metric: Metric) -> String {
        let entry = self.entries.iter().find(|r| is_baseline(r) && r.failure.is_none());
        if is_baseline(best) {
            return ", which looks at no input".into();
        }
        let Some(value) = entry.and_then(|r| r.metric(metric)).or(self.baseline).filter(|e| e.mean.is_finite()) else {
            return String::new();
        };
        let reached = best.metric(metric).map_or(f64::NAN, |e| e.mean);
        let ahead = if metric.rises() { reached - value.mean } else { value.mean - reached };
        // The errors of the best row do where the baseline has none of its own.
        let margin = entry.and_then(|r| r.difference).or(best.metric(metric)).map_or(0.0, |d| d.margin());
        // No more digits than the best row has, and than are worth reading.
        let digits = digits([best.metric(metric).unwrap_or(value)].into_iter()).min(digits_for(value.mean.abs() * 1e-2));
        let guess = number(value.mean, digits);
        let told = metric.naive();
        if ahead > margin {
            format!(", where {told} gives {guess}")
        } else {
            format!(", no better within noise than {told}, which gives {guess}")
        }
    }

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
            [(0.0, "0.0 µs"), (2.3e-6, "2.3 µs"), (0.00346, "3.5 ms"), (0.99960, "1.0 s"), (59.7, "1 min 00 s"), (320.0, "5 min 20 s")]
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
