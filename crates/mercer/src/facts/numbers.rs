//! Facts about columns of numbers: single values that make the whole error, and tails beside which the rest is alike.

use super::{Fact, quoted};
use crate::data::Writing;
use crate::data::marker;

/// Quartiles of finite numbers; `None` of too few.
fn quartiles(values: &[f64]) -> Option<[f64; 3]> {
    // Fewer numbers say nothing of tails.
    const LEAST: usize = 20;
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

fn digits(x: f64) -> String {
    if x != 0.0 && !(1e-3..1e7).contains(&x.abs()) { format!("{x:.3e}") } else { format!("{}", (x * 1e4).round() / 1e4) }
}

/// What the errors of a predicted column will be made of.
pub(super) fn of_target(name: &str, values: &[f64]) -> Option<Fact> {
    // A single row is reported from this share of the squared deviation.
    const ONE_ROW: f64 = 0.5;
    // A share that one row in a hundred makes.
    const TAIL: f64 = 0.9;
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
                digits(values[row]),
                digits(median),
                percent(first / sum)
            ),
            advice: "RMSE and R² speak of this one row; correct or drop it, or judge by the median error (--metric median_absolute_error)"
                .into(),
        });
    }
    let some = all.len().div_ceil(100);
    let tail: f64 = all.iter().take(some).map(|(d, _)| d).sum();
    let straightened = straightened(values);
    let fitted = straightened
        .as_ref()
        .map(|(said, wrapper)| (said, format!("{wrapper}(E) fits any method E to {said}, as in --estimators 'ridge, {wrapper}(ridge)'")));
    if tail / sum >= TAIL {
        let transform = fitted.map_or(String::new(), |(_, how)| format!("{how}; or "));
        return Some(Fact {
            leaks: Vec::new(),
            found: format!(
                "of the target {}, {some} of {} rows make {} of the squared deviation",
                quoted(name),
                all.len(),
                percent(tail / sum)
            ),
            advice: format!("RMSE and R² speak of these rows; {transform}judge by another metric (--metric mae or median_absolute_error)"),
        });
    }
    fitted.map(|(said, how)| Fact {
        leaks: Vec::new(),
        found: format!("the target {} is skewed, and {said} much less", quoted(name)),
        advice: how,
    })
}

/// The skewness of finite numbers, the mean cube of their standardised values; `None` where they do not differ.
fn skewness(values: impl Iterator<Item = f64> + Clone) -> Option<f64> {
    let finite = values.filter(|x| x.is_finite());
    let largest = finite.clone().fold(0.0, |m: f64, x| m.max(x.abs()));
    let count = finite.clone().count() as f64;
    let mean = finite.clone().map(|x| x / largest).sum::<f64>() / count;
    let moment = |power: i32| finite.clone().map(|x| (x / largest - mean).powi(power)).sum::<f64>() / count;
    let skewness = moment(3) / moment(2).powf(1.5);
    skewness.is_finite().then_some(skewness)
}

/// What of a highly skewed target is much less skewed, in words, and the transformation that fits to it; the least skewed where there are
/// two.
fn straightened(values: &[f64]) -> Option<(&'static str, &'static str)> {
    // Skewness from which a distribution is highly skewed (Bulmer 1979, Principles of statistics, p. 63), and the share of it that a
    // transformation leaves at most where it is worth one.
    const SKEWED: f64 = 1.0;
    const LEFT: f64 = 0.5;
    let skewed = skewness(values.iter().copied()).filter(|skewness| *skewness > SKEWED)?;
    let lowest = values.iter().copied().filter(|x| x.is_finite()).fold(f64::INFINITY, f64::min);
    let root = skewness(values.iter().map(|x| x.sqrt())).filter(|_| lowest >= 0.0).map(|s| (s.abs(), ("its square root", "power_target")));
    let log = skewness(values.iter().map(|x| x.ln())).filter(|_| lowest > 0.0).map(|s| (s.abs(), ("its logarithm", "log_target")));
    let least = root.into_iter().chain(log).min_by(|a, b| a.0.total_cmp(&b.0))?;
    (least.0 <= LEFT * skewed).then_some(least.1)
}

/// A column that scaling by its standard deviation squeezes into a point. A value that may stand for missing cells was reported
/// when the table was read.
pub(super) fn of_input(name: &str, values: &[f64], writing: Writing) -> Option<Fact> {
    // Half of the cells lie within this part of a standard deviation.
    const SQUEEZED: f64 = 0.02;
    if let Some(missing) = marker(values) {
        let rest: Vec<f64> = values.iter().map(|x| if *x == missing { f64::NAN } else { *x }).collect();
        return of_input(name, &rest, writing);
    }
    let [low, median, high] = quartiles(values)?;
    let (all, sum) = deviations(values, median);
    let (_, row) = *all.iter().max_by(|a, b| a.0.total_cmp(&b.0))?;
    let scale = (values[row] - median).abs();
    let digits = |x: f64| writing.date(x).unwrap_or_else(|| digits(x));
    let no_logarithm = matches!(writing, Writing::Date(_)) || values.iter().any(|x| *x <= 0.0);
    let deviation = scale * (sum / all.len() as f64).sqrt();
    (high > low && (high - low) < SQUEEZED * deviation).then(|| Fact {
        leaks: Vec::new(),
        found: format!(
            "column {} has a few values far from the rest (row {}: {}, where half of the cells lie between {} and {})",
            quoted(name),
            row + 1,
            digits(values[row]),
            digits(low),
            digits(high)
        ),
        advice: format!(
            "once scaled, all other rows look alike in it; correct such cells, {} the column out",
            if no_logarithm { "or leave" } else { "take the logarithm, or leave" }
        ),
    })
}
