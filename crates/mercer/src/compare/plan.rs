//! How many rows each estimator can learn from: all of them, or a random part where an exact fit to all would cost too much
//! memory or time. Without a time limit the part follows from counted work, so that it is the same on every machine; with
//! one, from the speed that is measured here.

use super::Comparing;
use crate::control::Control;
use crate::data::{Examples, some_rows_of};
use crate::error::Result;
use crate::estimators::EstimatorExpr;
use crate::fitting;
use crate::kernels::KernelExpr;
use std::time::Instant;

/// Work that one fit may take, in floating-point operations, on a table of [`NOMINAL_ROWS`] rows; larger tables get more.
const NOMINAL_WORK: f64 = 8.2e10;
const NOMINAL_ROWS: f64 = 20_000.0;
/// The work allowed grows with the rows to this power.
const GROWTH: f64 = 0.48;
/// Work of a first look, in floating-point operations: what comes before any search need not see every row.
const FIRST_WORK: f64 = 3e9;
/// Fewer rows than this are never cut.
const LEAST_ROWS: usize = 1000;
/// Rows on which speed is measured; smaller tables are not worth it.
const PROBE_ROWS: usize = 1500;
const WORTH_ROWS: usize = 4000;
/// Fits that a comparison makes of each estimator, in units of one fit to the rows of a fold: tuned values on every fold, a
/// first look at each, the search, and the fit to all rows.
fn fits(folds: usize) -> f64 {
    1.3 * folds as f64 + 4.0
}
/// The share of the time that the plan counts on.
const SHARE: f64 = 0.7;

/// What a comparison is going to do.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Rows that take part.
    pub rows: usize,
    /// One for each estimator that can predict the target, in the order asked for.
    pub fits: Vec<Planned>,
}

/// What is going to be done with one estimator.
#[derive(Clone, Debug, PartialEq)]
pub struct Planned {
    /// The estimator as asked for.
    pub estimator: EstimatorExpr,
    /// Rows that its largest fit learns from.
    pub rows: usize,
    /// The most memory of a fit, in bytes.
    pub bytes: u64,
    /// Seconds of all its fits and of its search, as far as a small fit tells; `None` on tables that are too small to ask.
    pub seconds: Option<f64>,
}

impl Plan {
    /// Seconds of the whole, where they are known.
    pub fn seconds(&self) -> Option<f64> {
        self.fits.iter().map(|f| f.seconds).sum()
    }
}

/// The plan for prepared rows.
pub(super) fn plan(examples: &Examples<'_>, kernel: &KernelExpr, comparing: &Comparing, control: &Control) -> Result<Plan> {
    let rows = examples.rows();
    let able: Vec<&EstimatorExpr> = comparing.estimators.iter().filter(|e| e.takes(examples.target)).collect();
    let outputs = fitting::outputs(examples.target);
    let probe = (rows >= WORTH_ROWS).then(|| examples.select(&some_rows_of(examples.target, PROBE_ROWS, comparing.seed)));
    let left = control.seconds_left();
    let mut fits = Vec::new();
    for estimator in &able {
        control.check()?;
        let rate = match &probe {
            Some(sample) => measured_rate(estimator, kernel, &sample.examples(), outputs, control, comparing.seed)?,
            None => None,
        };
        let allowed = match (left, rate) {
            (Some(seconds), Some(rate)) => SHARE * seconds / able.len() as f64 / self::fits(comparing.folds) * rate,
            (Some(_), None) => f64::INFINITY,
            (None, _) => NOMINAL_WORK * (rows as f64 / NOMINAL_ROWS).powf(GROWTH),
        };
        let within = |n: usize| {
            let fits = estimator.bytes(n, outputs) <= control.allowed();
            fits && (n <= LEAST_ROWS || estimator.work(n, outputs) <= allowed)
        };
        let most = largest(rows.min(comparing.sample.unwrap_or(rows)), within);
        let seconds = rate.map(|rate| self::fits(comparing.folds) * estimator.work(most, outputs) / rate);
        fits.push(Planned { estimator: (*estimator).clone(), rows: most, bytes: estimator.bytes(most, outputs), seconds });
    }
    Ok(Plan { rows, fits })
}

/// Rows that a first look learns from, of so many.
pub(super) fn first_rows(estimator: &EstimatorExpr, rows: usize, outputs: usize) -> usize {
    largest(rows, |n| n <= LEAST_ROWS || estimator.work(n, outputs) <= FIRST_WORK)
}

/// The largest number of rows up to `most` that is within bounds, which hold for fewer rows too; `most` where none is, so that
/// the refusal names it.
fn largest(most: usize, within: impl Fn(usize) -> bool) -> usize {
    if within(most) {
        return most;
    }
    let (mut low, mut high) = (0, most);
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if within(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    if low == 0 { most } else { low }
}

/// Operations per second of a small fit with its prediction; `None` where it fails, which the comparison will say.
fn measured_rate(
    estimator: &EstimatorExpr,
    kernel: &KernelExpr,
    sample: &Examples<'_>,
    outputs: usize,
    control: &Control,
    seed: u64,
) -> Result<Option<f64>> {
    let kernel = kernel.settle(sample.data)?;
    let clock = Instant::now();
    let Ok(fitted) = fitting::fit_settled(&kernel, estimator, sample, control, seed) else { return Ok(None) };
    let support = fitting::support_of(&kernel, &fitted, sample.data);
    let want = crate::estimators::Want::default();
    if fitting::predict_settled(&kernel, &fitted, &support, sample.data, want, control).is_err() {
        return Ok(None);
    }
    Ok(Some(estimator.work(sample.rows(), outputs) / clock.elapsed().as_secs_f64().max(1e-6)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_number_of_rows_within_bounds_is_found() {
        assert_eq!(largest(100, |n| n <= 37), 37);
        assert_eq!(largest(100, |_| true), 100);
        assert_eq!(largest(100, |_| false), 100);
        assert_eq!(largest(1, |n| n <= 1), 1);
    }
}
