//! How many rows a single fit can learn from: all of them, or a part where an exact fit to all would cost too much memory or time.
//! Without a limit of time the part follows from counted work, so that it is the same on every machine; with one, from the speed
//! of a small fit.

use crate::control::{Control, contain};
use crate::data::{Examples, some_rows_of};
use crate::error::Result;
use crate::estimators::{EstimatorExpr, Size, Want};
use crate::fitting;
use crate::kernels::KernelExpr;
use crate::trial::limits::{
    BUDGET, FIT_SHARE, FITS_AND_SEARCH, MOST_PROBED_ROWS, PLANNED_ROWS, PROBE_SHARE, PROBE_WORK, PROBED_ROWS, PROBES_SHARE, UNPROBED_RATE,
};
use crate::trial::{RowsOf, largest, rows_for};
use std::time::Instant;

/// The part of prepared rows that a fit and its search can learn from, within so many bytes.
pub(crate) fn part(
    estimator: &EstimatorExpr,
    kernel: &KernelExpr,
    examples: &Examples<'_>,
    bytes: u64,
    control: &Control,
    seed: u64,
) -> Result<RowsOf> {
    control.check()?;
    let (rows, size) = (examples.rows(), fitting::size_of(kernel, examples.data, examples.target));
    let rate = speed(estimator, kernel, examples, size, control, seed)?;
    let bounds = match control.seconds_left() {
        Some(seconds) => (seconds * rate / FITS_AND_SEARCH, seconds * rate / FITS_AND_SEARCH),
        None => (FIT_SHARE * BUDGET, BUDGET),
    };
    let takes_landmarks = kernel.takes_landmarks() && kernel.first_asymmetry(examples.data).is_none();
    Ok(rows_for(estimator, takes_landmarks, size, rows, |s| estimator.costs(s).bytes <= bytes, |s| estimator.costs(s).work(s), bounds))
}

/// Operations a second of a small fit; of fits that cannot be made small, and where no time is asked for, what is assumed.
fn speed(estimator: &EstimatorExpr, kernel: &KernelExpr, examples: &Examples<'_>, size: Size, control: &Control, seed: u64) -> Result<f64> {
    let (rows, Some(seconds)) = (examples.rows(), control.seconds_left()) else { return Ok(UNPROBED_RATE) };
    let quiet = &Control { progress: None, ..control.share(PROBES_SHARE) };
    let work = |n: usize| estimator.costs(size.at(n)).work(size);
    let mut probe = largest(PROBED_ROWS, |n| work(n) <= PROBE_WORK);
    let mut found = UNPROBED_RATE;
    while rows >= PLANNED_ROWS && work(probe) <= UNPROBED_RATE && probe <= MOST_PROBED_ROWS.min(rows / 2) {
        let sample = examples.select(&some_rows_of(examples.target, probe, seed));
        let clock = Instant::now();
        let kernel = kernel.settle(&sample.data)?;
        let fit = || fitting::fit_settled(&kernel, estimator, &sample.examples(), quiet, seed);
        // What fails here the fit to all rows will say.
        let Ok((kernel, fitted)) = contain(estimator.name(), fit) else { break };
        found = work(probe) / clock.elapsed().as_secs_f64().max(1e-6);
        let predict = || fitting::predict_from(&kernel, &fitted, &sample.data, &sample.data, Want::JUDGED, quiet);
        if contain(estimator.name(), predict).is_err() || clock.elapsed().as_secs_f64() > PROBE_SHARE * seconds {
            break;
        }
        probe *= 2;
    }
    Ok(found)
}
