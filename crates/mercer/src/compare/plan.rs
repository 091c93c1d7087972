//! How many rows each estimator can learn from, and what its fits will take: see [`part`].

use super::Comparing;
use super::contest::fits_side_by_side;
use super::finish::TIMED_ROWS;
use crate::control::{Control, contain};
use crate::data::{Dataset, Examples, some_rows_of};
use crate::error::{Error, Result};
use crate::estimators::EstimatorExpr;
use crate::kernels::KernelExpr;
use crate::metrics::Scoring;
use crate::select::{Aim, LEAST_ROWS, Landmarks, Means, Search, largest, part};

/// Rows of a first look that it may have in any case, and its work, in floating-point operations: what comes before any search need not
/// see every row.
const FIRST: (usize, f64) = (LEAST_ROWS, 3e9);
/// The same without a limit of time, where it counts if someone stops the comparison, and not otherwise.
const FIRST_UNLIMITED: (usize, f64) = (200, 3e8);
/// Fits that a comparison makes of each estimator, in units of one fit to all rows: tuned values on every fold, a
/// first look at each, and the fit to all rows with its search.
fn fits(folds: usize) -> f64 {
    LOOK * folds as f64 + 2.5
}
/// Times that every row is predicted: by a first look and with tuned values.
const PREDICTED: f64 = 2.0;
/// Fits to the rows of a fold, in units of one fit to all rows.
const LOOK: f64 = 0.7;
/// Share of an estimator's time that its first look may take.
const LOOK_SHARE: f64 = 0.15;
/// The share of the time that the plan counts on.
const SHARE: f64 = 0.8;
/// Tables with fewer rows are not worth a word on the time of their preparation.
const WORTH_ROWS: usize = 4000;
/// Copies of a table that a comparison holds: as it was read, the rows that are learnt from, the same prepared, and the training
/// and test rows of a fold.
const COPIES: u64 = 4;

/// What a comparison is going to do.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Rows that take part.
    pub rows: usize,
    /// One for each estimator that can predict the target, in the order asked for.
    pub fits: Vec<Planned>,
    /// Seconds of preparing the rows of every fold and of every fit; `None` on tables that are too small to ask.
    pub preparing: Option<f64>,
}

/// What is going to be done with one estimator.
#[derive(Clone, Debug, PartialEq)]
pub struct Planned {
    /// The estimator as asked for.
    pub estimator: EstimatorExpr,
    /// Rows that its largest fit learns from.
    pub rows: usize,
    /// The most rows that memory and the sample asked for allow a fit to: with a limit of time, the plan may turn out to have been
    /// too careful.
    pub most_rows: usize,
    /// Rows that its first look learns from at most.
    pub first_rows: usize,
    /// The memory of a fit that it is not begun without, in bytes.
    pub bytes: u64,
    /// The most memory that it takes where there is some: kernel rows that are kept.
    pub most_bytes: u64,
    /// Landmarks through which it may learn from all rows, where exact fits take too much.
    pub landmarks: Option<Landmarks>,
    /// Seconds of all its fits and of its search, as far as a small fit tells; `None` on tables that are too small to ask.
    pub seconds: Option<f64>,
}

impl Plan {
    /// Seconds of the whole, where they are known.
    pub fn seconds(&self) -> Option<f64> {
        let fits: Option<f64> = self.fits.iter().map(|f| f.seconds).sum();
        fits.map(|s| s + self.preparing.unwrap_or(0.0))
    }
}

/// The plan for prepared rows; `preparing` all of them took so many seconds.
pub(super) fn plan(examples: &Examples<'_>, kernel: &KernelExpr, comparing: &Comparing, preparing: f64, control: &Control) -> Result<Plan> {
    let rows = examples.rows();
    let able: Vec<&EstimatorExpr> = comparing.estimators.iter().filter(|e| e.takes(examples.target)).collect();
    let size = crate::fitting::size_of(kernel, examples.data, examples.target);
    let seconds = control.seconds_left().map(|s| SHARE * s / able.len() as f64);
    let folds = comparing.folds as f64;
    let means = Means {
        fits: fits(comparing.folds),
        predicted: PREDICTED * rows as f64 + rows.min(TIMED_ROWS) as f64,
        seconds,
        told: true,
        patience: 1.0,
        bytes: control.room().saturating_sub(bytes_of(examples.data)) / 8 * 7,
        most: comparing.sample.unwrap_or(rows),
    };
    let mut fits = Vec::new();
    for estimator in &able {
        let found = part(estimator, kernel, examples, means, control, comparing.seed)?;
        let size = Landmarks::size(found.landmarks, size);
        let bytes = estimator.bytes(size.at(found.rows));
        let most_bytes = estimator.most_bytes(size.at(found.rows), means.bytes);
        let seconds = match &found.speed {
            Some(speed) => {
                let aim = Aim { scoring: Scoring::of(examples.target, examples.weights, comparing.metric)?, within_noise: true };
                // What cannot be searched fails in its turn, and says so there.
                let searched_on = examples.select(&some_rows_of(examples.target, found.rows, comparing.seed));
                let search = contain(estimator.name(), || {
                    Search::new(kernel, estimator, &searched_on.examples(), None, aim, control, comparing.seed)
                });
                let searched = search.map_or(0.0, |s| (folds + 1.0) * s.usual_work() / speed.operations);
                let side_by_side = fits_side_by_side(found.rows, bytes, comparing.folds, control);
                let at_once = if side_by_side { folds / comparing.folds.div_ceil(rayon::current_num_threads()) as f64 } else { 1.0 };
                let whole = (speed.seconds(&means, estimator, size.at(found.rows)) + searched) / at_once;
                // A search ends with its time.
                Some(whole.min(means.seconds.unwrap_or(f64::INFINITY)))
            }
            None => None,
        };
        // A first look at every fold is brief beside what the time is for.
        let look = Means { fits: LOOK * folds, predicted: rows as f64, ..means };
        let brief = |n: usize| match (means.seconds, &found.speed) {
            (Some(seconds), Some(speed)) => speed.seconds(&look, estimator, size.at(n)) <= LOOK_SHARE * seconds,
            _ => true,
        };
        let (few, work) = if means.seconds.is_some() { FIRST } else { FIRST_UNLIMITED };
        let first_rows = largest(found.rows, |n| n <= few || (estimator.work(size.at(n)) <= work && brief(n)));
        let (estimator, rows, most_rows) = ((*estimator).clone(), found.rows, found.most);
        fits.push(Planned { estimator, rows, most_rows, first_rows, bytes, most_bytes, landmarks: found.landmarks, seconds });
    }
    let preparing = (rows >= WORTH_ROWS).then_some(preparing * (folds + able.len() as f64));
    Ok(Plan { rows, fits, preparing })
}

/// Bytes of a table's numbers, of codes, and of pointers to anything longer.
pub(super) fn bytes_of(data: &Dataset) -> u64 {
    8 * data.columns().iter().map(|c| c.values.stored()).sum::<usize>() as u64
}

/// Refuses a table of which a comparison could not hold what it needs beside any fit.
///
/// # Errors
/// Less memory than a few copies of the table take.
pub(super) fn require_room(data: &Dataset, control: &Control) -> Result<()> {
    let (needed, allowed) = (COPIES * bytes_of(data), control.max_memory);
    if needed <= allowed {
        return Ok(());
    }
    let what = format!("comparing on {} rows of {} columns", data.rows(), data.columns().len());
    Err(Error::TooLarge { what, needed, allowed })
}
