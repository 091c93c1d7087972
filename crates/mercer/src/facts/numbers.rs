//! Facts about columns of numbers: single values that make the whole error, and tails beside which the rest is alike.

use super::{Fact, quoted};
use crate::data::Writing;
use crate::data::marker;

/// A single row is reported from this share of the squared deviation.
const ONE_ROW: f64 = 0.5;
/// A share that one row in a hundred makes.
const TAIL: f64 = 0.9;
/// Half of the cells lie within this part of a standard deviation.
const SQUEEZED: f64 = 0.02;
/// Fewer numbers say nothing of tails.
const LEAST: usize = 20;

/// Quartiles of finite numbers; `None` of too few.
fn quartiles(values: &[f64]) -> Option<[f64; 3]> {
    let mut all: Vec<f64> = values.iter().copied().filter(|x| x.is_finite()).collect();
    if all.len() < LEAST {
        return None;
    }
    let n = all.len();
    Some([n / 4, n / 2, 3 * n / 4].map(|k| *all.select_nth_unstable_by(k, f64::total_cmp).1))
}

/// Squared deviations of finite numbers from the median, with their rows and up to a common factor; and their sum.
fn deviations(values: &[f64], median: f64) -> (Vec<(f64, usize)>, f64) {
    // Scaled, so that the squares of large numbers stay finite.
    let scale = values.iter().filter(|x| x.is_finite()).fold(0.0, |m: f64, x| m.max((x - median).abs()));
    let finite = values.iter().enumerate().filter(|(_, x)| x.is_finite());
    let all: Vec<(f64, usize)> = finite.map(|(i, x)| (((x - median) / scale).powi(2), i)).collect();
    let sum = all.iter().map(|(d, _)| d).sum();
    (all, sum)
}

fn percent(share: f64) -> String {
    if share > 0.995 { "more than 99%".into() } else { format!("{:.0}%", 100.0 * share) }
}

fn told(x: f64) -> String {
    if x != 0.0 && !(1e-3..1e7).contains(&x.abs()) { format!("{x:.3e}") } else { format!("{}", (x * 1e4).round() / 1e4) }
}

/// What the errors of a predicted column will be made of.
pub(super) fn of_target(name: &str, values: &[f64]) -> Option<Fact> {
    let [_, median, _] = quartiles(values)?;
    let (mut all, sum) = deviations(values, median);
    all.sort_by(|a, b| b.0.total_cmp(&a.0));
    let (first, row) = *all.first()?;
    if first / sum >= ONE_ROW {
        return Some(Fact {
            leaks: Vec::new(),
            found: format!(
                "row {} of the target {} is {}, where the middle is {}; it alone makes {} of the squared deviation",
                row + 1,
                quoted(name),
                told(values[row]),
                told(median),
                percent(first / sum)
            ),
            advice: "RMSE and R² speak of this one row; correct or drop it, or judge by the median error (--metric median_absolute_error)"
                .into(),
        });
    }
    let some = all.len().div_ceil(100);
    let tail: f64 = all.iter().take(some).map(|(d, _)| d).sum();
    (tail / sum >= TAIL).then(|| {
        let logarithm =
            if values.iter().all(|x| !x.is_finite() || *x > 0.0) { "predict its logarithm" } else { "predict a transformed value" };
        Fact {
            leaks: Vec::new(),
            found: format!(
                "of the target {}, {some} of {} rows make {} of the squared deviation",
                quoted(name),
                all.len(),
                percent(tail / sum)
            ),
            advice: format!(
                "RMSE and R² speak of these rows; {logarithm}, or judge by another metric (--metric mae or median_absolute_error)"
            ),
        }
    })
}

/// A column that scaling by its standard deviation squeezes into a point. A value that may stand for missing cells was reported
/// when the table was read.
pub(super) fn of_input(name: &str, values: &[f64], writing: Writing) -> Option<Fact> {
    if let Some(missing) = marker(values) {
        let rest: Vec<f64> = values.iter().map(|x| if *x == missing { f64::NAN } else { *x }).collect();
        return of_input(name, &rest, writing);
    }
    let [low, median, high] = quartiles(values)?;
    let (all, sum) = deviations(values, median);
    let (_, row) = *all.iter().max_by(|a, b| a.0.total_cmp(&b.0))?;
    let scale = (values[row] - median).abs();
    let told = |x: f64| writing.date(x).unwrap_or_else(|| told(x));
    let no_logarithm = matches!(writing, Writing::Date(_)) || values.iter().any(|x| *x <= 0.0);
    let deviation = scale * (sum / all.len() as f64).sqrt();
    (high > low && (high - low) < SQUEEZED * deviation).then(|| Fact {
        leaks: Vec::new(),
        found: format!(
            "column {} has a few values far from the rest (row {}: {}, where half of the cells lie between {} and {})",
            quoted(name),
            row + 1,
            told(values[row]),
            told(low),
            told(high)
        ),
        advice: format!(
            "once scaled, all other rows look alike in it; correct such cells, {} the column out",
            if no_logarithm { "or leave" } else { "take the logarithm, or leave" }
        ),
    })
}
