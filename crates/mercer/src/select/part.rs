//! How many rows an estimator can learn from: all of them, or a random part where an exact fit to all would cost too much
//! memory or time. Without a limit of time the part follows from counted work, so that it is the same on every machine; with
//! one, from the speed of a small fit.

use super::Landmarks;
use crate::control::{Control, contain};
use crate::data::{Examples, some_rows_of};
use crate::error::Result;
use crate::estimators::{EstimatorExpr, Size, Want};
use crate::fitting;
use crate::kernels::KernelExpr;
use std::time::Instant;

/// Work that one of several fits may take, in floating-point operations, on a table of [`NOMINAL_ROWS`] rows; larger tables
/// get more.
const NOMINAL_WORK: f64 = 8.2e10;
const NOMINAL_ROWS: f64 = 20_000.0;
/// The work allowed grows with the rows to this power.
const GROWTH: f64 = 0.48;
/// Fewer rows than this are cut only where a fit is dear.
pub(crate) const LEAST_ROWS: usize = 1000;
/// A fit is dear where it takes this many times the nominal work, of tables with no more rows and of larger ones. They are cut to no
/// fewer than these, and these for each class.
const DEAR: [f64; 2] = [10.0, 1.2];
const FEWEST_ROWS: (usize, usize) = (100, 6);
/// Fits that predictions may take the nominal work of, all together.
const PREDICTING: f64 = 5.5;
/// Rows on which speed is measured, the first that are, and how they grow; smaller tables are not worth it.
const PROBE_ROWS: (usize, usize, usize) = (750, 6000, 2);
const WORTH_ROWS: usize = 4000;
/// All probes of an estimator take no more than this share of the time that is left.
const PROBES_SHARE: f64 = 0.05;
/// A probe that took this share of the time allowed, or so many seconds where there is no limit, is the last.
const PROBE_SHARE: f64 = 0.004;
const PROBE_SECONDS: f64 = 0.03;
/// Operations of the first probe, where the fewest rows do not take more.
const PROBE_WORK: f64 = 2e9;
/// Where those take so many, none is made, and as many a second are assumed.
const NOT_PROBED: f64 = 1e10;
/// A part is this share of the rows at most: a larger one saves nothing.
const WORTH_SHARE: f64 = 0.9;

/// Landmarks that are tried where an exact fit takes too much.
const LANDMARKS: [usize; 8] = [2000, 1500, 1000, 700, 500, 300, 200, 100];

/// What the fits to the rows may cost.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Means {
    /// Fits that are made of the estimator, in units of one fit to the rows.
    pub fits: f64,
    /// Rows that are predicted by them, all together.
    pub predicted: f64,
    /// Seconds for all of them, where there is a limit.
    pub seconds: Option<f64>,
    /// Whether seconds are asked for although there is no limit.
    pub told: bool,
    /// Where there is no limit, times the nominal work that one fit may take.
    pub patience: f64,
    /// Bytes that one fit may take.
    pub bytes: u64,
    /// Rows at most, as asked for.
    pub most: usize,
}

/// What an estimator can do with its means.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    /// Rows to learn from.
    pub rows: usize,
    /// The most that memory and the sample asked for allow.
    pub most: usize,
    /// The ways out where an exact fit to all takes too much; `rows` are then all.
    pub landmarks: Option<Landmarks>,
    /// What a small fit tells; `None` on tables that are too small to ask.
    pub speed: Option<Speed>,
}

/// The speed of a small fit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Speed {
    /// Operations of a fit per second.
    pub operations: f64,
    /// The same of a prediction.
    predicted: f64,
}

impl Speed {
    /// Seconds of fits to so many rows with their predictions.
    pub(crate) fn seconds(&self, means: &Means, estimator: &EstimatorExpr, size: Size) -> f64 {
        means.fits * estimator.work(size) / self.operations + means.predicted * estimator.prediction_work(size) / self.predicted
    }
}

/// The part of prepared rows.
pub(crate) fn part(
    estimator: &EstimatorExpr,
    kernel: &KernelExpr,
    examples: &Examples<'_>,
    means: Means,
    control: &Control,
    seed: u64,
) -> Result<Part> {
    control.check()?;
    let (rows, size) = (examples.rows(), fitting::size_of(kernel, examples.data, examples.target));
    let quiet = &Control { progress: None, ..control.share(PROBES_SHARE) };
    let (first, most_probed, growth) = PROBE_ROWS;
    let fewest = FEWEST_ROWS.0.max(if size.classes { FEWEST_ROWS.1 * size.outputs } else { 0 });
    let mut probe = largest(first, |n| n <= fewest || estimator.work(size.at(n)) <= PROBE_WORK);
    let asked_for = (means.told || means.seconds.is_some()) && rows >= WORTH_ROWS;
    let mut speed = asked_for.then_some(Speed { operations: NOT_PROBED, predicted: NOT_PROBED });
    while asked_for && estimator.work(size.at(probe)) <= NOT_PROBED && probe <= most_probed.min(rows / 2) {
        let sample = examples.select(&some_rows_of(examples.target, probe, seed));
        let clock = Instant::now();
        speed = measured(estimator, kernel, &sample.examples(), size, quiet, seed)?;
        let enough = means.seconds.map_or(PROBE_SECONDS, |s| PROBE_SHARE * s);
        if speed.is_none() || clock.elapsed().as_secs_f64() > enough {
            break;
        }
        probe *= growth;
    }
    let nominal = means.patience * NOMINAL_WORK * (rows as f64 / NOMINAL_ROWS).powf(GROWTH);
    let predicting = |size: Size| means.predicted * estimator.prediction_work(size) <= PREDICTING * nominal;
    let in_time = |size: Size| match (means.seconds, speed) {
        (Some(seconds), Some(speed)) => speed.seconds(&means, estimator, size) <= seconds,
        (Some(_), None) => true,
        (None, _) => estimator.work(size) <= nominal && predicting(size),
    };
    let fits = |size: Size| estimator.bytes(size) <= means.bytes;
    let asked = rows.min(means.most);
    let most = largest(asked, |n| fits(size.at(n)));
    let dear = DEAR[usize::from(asked > LEAST_ROWS)] * nominal;
    let never_cut = |n: usize| {
        n <= LEAST_ROWS && (n <= fewest || estimator.work(size.at(n)) <= dear && (asked <= LEAST_ROWS || predicting(size.at(n))))
    };
    let within = largest(asked, |n| fits(size.at(n)) && (never_cut(n) || in_time(size.at(n))));
    let part = Part { rows: if worth_cutting(within, most) { within } else { most }, most, landmarks: None, speed };
    // An exact fit to most of the rows is as good.
    if 2 * part.rows > asked || size.rank.is_some() || !kernel.takes_landmarks() || kernel.lopsided(examples.data).is_some() {
        return Ok(part);
    }
    let low = |rank: &usize| Size { rank: Some(*rank), ..size.at(asked) };
    let less = |size: Size| size.few().is_some() && estimator.work(size) < estimator.work(Size { rank: None, ..size });
    let landmarks = LANDMARKS.into_iter().find(|rank| less(low(rank)) && fits(low(rank)) && in_time(low(rank)));
    Ok(landmarks.map_or(part, |rank| {
        let landmarks = Landmarks { rank, exact_rows: part.rows };
        Part { rows: asked, most: asked, landmarks: Some(landmarks), speed }
    }))
}

/// Whether so many rows of all are few enough to be worth the rows that are left out.
pub(crate) fn worth_cutting(rows: usize, all: usize) -> bool {
    rows as f64 <= WORTH_SHARE * all as f64
}

/// The largest number of rows up to `most` that is within bounds, which hold for fewer rows too; `most` where none is, so that
/// the refusal names it.
pub(crate) fn largest(most: usize, within: impl Fn(usize) -> bool) -> usize {
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

/// The speed of a small fit and of its prediction; `None` where it fails, which the fit to all rows will say.
fn measured(
    estimator: &EstimatorExpr,
    kernel: &KernelExpr,
    sample: &Examples<'_>,
    size: Size,
    control: &Control,
    seed: u64,
) -> Result<Option<Speed>> {
    let kernel = kernel.settle(sample.data)?;
    let clock = Instant::now();
    let fit = || fitting::fit_settled(&kernel, estimator, sample, control, seed);
    let Ok((kernel, fitted)) = contain(estimator.name(), fit) else { return Ok(None) };
    let fit = clock.elapsed().as_secs_f64();
    let predict = || fitting::predict_from(&kernel, &fitted, sample.data, sample.data, Want::JUDGED, control);
    let predicted = contain(estimator.name(), predict);
    if predicted.is_err() {
        return Ok(None);
    }
    let predict = clock.elapsed().as_secs_f64() - fit;
    let rows = sample.rows();
    Ok(Some(Speed {
        operations: estimator.work(size.at(rows)) / fit.max(1e-6),
        predicted: rows as f64 * estimator.prediction_work(size.at(rows)) / predict.max(1e-6),
    }))
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
