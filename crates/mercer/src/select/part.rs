//! How many rows a single fit can learn from: all of them, or a part where an exact fit to all would cost too much memory or time.
//! Without a limit of time the part follows from counted work, so that it is the same on every machine; with one, from the speed
//! of a small fit.

use crate::control::{Control, contain};
use crate::data::{Examples, some_rows_of};
use crate::error::Result;
use crate::estimators::{EstimatorExpr, Size, Want};
use crate::fitting;
use crate::kernels::KernelExpr;
use crate::trial::{RowsOf, largest, rows_for};
use std::time::Instant;

/// Fits that a search and a fit come to, in units of one fit.
const FITS: f64 = 5.0;
/// Work that a fit may take, in floating-point operations, on a table of [`NOMINAL_ROWS`] rows; larger tables get more, with
/// this power of their rows.
const NOMINAL_WORK: f64 = 8.2e11;
const NOMINAL_ROWS: f64 = 20_000.0;
const GROWTH: f64 = 0.48;
/// Few rows may take so many times as much.
const DEAR: f64 = 10.0;
/// Rows on which speed is measured, the first that are, and how they grow; smaller tables are not worth it.
const PROBE_ROWS: (usize, usize, usize) = (750, 6000, 2);
const WORTH_ROWS: usize = 4000;
/// All probes take no more than this share of the time that is left, and the last of them took this share of it.
const PROBES_SHARE: f64 = 0.05;
const PROBE_SHARE: f64 = 0.004;
/// Operations of the first probe, where the fewest rows do not take more. Where those take so many, none is made, and as many a
/// second are assumed.
const PROBE_WORK: f64 = 2e9;
const NOT_PROBED: f64 = 1e10;

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
        Some(seconds) => (seconds * rate / FITS, seconds * rate / FITS),
        None => {
            let nominal = NOMINAL_WORK * (rows as f64 / NOMINAL_ROWS).powf(GROWTH);
            (nominal, DEAR * nominal)
        }
    };
    let takes_landmarks = kernel.takes_landmarks() && kernel.lopsided(examples.data).is_none();
    Ok(rows_for(estimator, takes_landmarks, size, rows, |s| estimator.costs(s).bytes <= bytes, |s| estimator.costs(s).work(s), bounds))
}

/// Operations a second of a small fit; of fits that cannot be made small, and where no time is asked for, what is assumed.
fn speed(estimator: &EstimatorExpr, kernel: &KernelExpr, examples: &Examples<'_>, size: Size, control: &Control, seed: u64) -> Result<f64> {
    let (rows, Some(seconds)) = (examples.rows(), control.seconds_left()) else { return Ok(NOT_PROBED) };
    let quiet = &Control { progress: None, ..control.share(PROBES_SHARE) };
    let (first, most, growth) = PROBE_ROWS;
    let work = |n: usize| estimator.costs(size.at(n)).work(size);
    let mut probe = largest(first, |n| work(n) <= PROBE_WORK);
    let mut found = NOT_PROBED;
    while rows >= WORTH_ROWS && work(probe) <= NOT_PROBED && probe <= most.min(rows / 2) {
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
        probe *= growth;
    }
    Ok(found)
}
