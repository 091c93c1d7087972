//! The plan of a comparison: rows, memory and work of each estimator.

use super::Comparing;
use super::entrants::Entrant;
use super::prices::timed_rows;
use crate::control::{Control, contain};
use crate::data::{Dataset, Examples, some_rows_of};
use crate::error::{Error, Result};
use crate::estimators::{EstimatorExpr, Size};
use crate::fitting::{self, KernelValues, Prepared};
use crate::kernels::KernelExpr;
use crate::metrics::Scoring;
use crate::select::{Aim, Search};
use crate::trial::limits::{
    BUDGET, COPIES, LOOK_ROWS, LOOK_SHARE, PLANNED_ROWS, PROBES_SHARE, PROGRAM_SHARE, SEARCHED_ROWS, VALUES_SHARE, assumed_rate,
};
use crate::trial::{Landmarks, RowsOf, fewest, largest, measured_value, most_kept, rows_for};

/// Training rows of a fold, as a share of all.
fn train_share(folds: usize) -> f64 {
    1.0 - 1.0 / folds.max(2) as f64
}

/// The plan of a comparison, an upper limit: candidates that cannot win are not searched further.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Rows that take part.
    pub rows: usize,
    /// One for each estimator that can predict the target, in the order asked for.
    pub fits: Vec<Planned>,
    /// Fits to no more rows than this read kernel values that are computed once for all estimators; 0 where a value takes no more work
    /// than reading it.
    pub shared_rows: usize,
    /// The size of a fit to all rows under the common kernel; where time is limited a value of it takes what it took on a few rows.
    pub size: Size,
    /// Operations of the values that they read at their starting values; `None` on tables that are too small to ask.
    pub shared: Option<f64>,
    /// Operations that may be spent; `None`: all that there is to do, or as long as the limit of time allows.
    pub budget: Option<f64>,
}

/// The plan for one estimator.
#[derive(Clone, Debug, PartialEq)]
pub struct Planned {
    /// The estimator as asked for.
    pub estimator: EstimatorExpr,
    /// Whether its kernel has one length scale for each column, and that of the others does not.
    pub own_scales: bool,
    /// Rows that its largest fit learns from.
    pub rows: usize,
    /// The most rows that memory and the sample asked for allow a fit to.
    pub most_rows: usize,
    /// Rows that its first look learns from at most.
    pub first_rows: usize,
    /// The memory of a fit that it is not begun without, in bytes.
    pub bytes: u64,
    /// The most memory that it takes where there is some: kernel rows that are kept.
    pub most_bytes: u64,
    /// Landmarks through which it may learn from all rows, where exact fits take too much.
    pub landmarks: Option<Landmarks>,
    /// Operations of all its fits and of its searches; `None` on tables that are too small to ask.
    pub operations: Option<f64>,
}

impl Plan {
    /// Operations of everything, where they are known.
    fn operations(&self) -> Option<f64> {
        self.fits.iter().map(|f| f.operations).chain([self.shared]).sum()
    }

    /// Seconds of the whole on this machine, where they are known: no more than the budget.
    pub fn seconds(&self) -> Option<f64> {
        self.operations().map(|all| seconds(all.min(self.budget.unwrap_or(f64::INFINITY))))
    }

    /// Whether there is more to do than the budget allows, as far as that is known.
    pub fn is_more_than_budget(&self) -> bool {
        self.operations().zip(self.budget).is_some_and(|(all, budget)| all > budget)
    }
}

impl Planned {
    /// Seconds on this machine, roughly.
    pub fn seconds(&self) -> Option<f64> {
        self.operations.map(seconds)
    }
}

/// Seconds of so many operations on the cores of this machine, before anything has been measured.
fn seconds(operations: f64) -> f64 {
    operations / assumed_rate()
}

/// Operations that a comparison may spend where it has no limit of time.
pub(super) fn budget(comparing: &Comparing, control: &Control) -> Option<f64> {
    comparing.effort.filter(|_| control.deadline.is_none()).map(|effort| effort * BUDGET)
}

/// The plan for prepared rows.
pub(super) fn plan(
    examples: &Examples<'_>,
    whole: &Prepared,
    entrants: &[Entrant],
    comparing: &Comparing,
    control: &Control,
) -> Result<Plan> {
    let (rows, folds) = (examples.rows(), comparing.folds as f64);
    let sized = |kernel: &KernelExpr| fitting::size_of(kernel, examples.data, examples.target);
    let size = sized(&whole.kernel);
    // A limit of time is of this machine; work without one is counted, so that it is the same everywhere.
    let is_measured = control.deadline.is_some() && KernelValues::are_costly(&whole.data, size);
    let measured = is_measured.then(|| measured_value(&whole.kernel, &whole.data, &control.share(PROBES_SHARE))).flatten();
    let size = measured.map_or(size, |per_value| Size { per_value, ..size });
    let budget = budget(comparing, control);
    // With a limit of time the first guess is replaced as soon as something has been measured.
    let limit = control.seconds_left().map(|s| s * assumed_rate());
    let all = budget.or(limit).unwrap_or(f64::INFINITY);
    let (shared_rows, of_shared) = shared_values(whole, size, comparing.folds, all, control);
    let memory = control.room().saturating_sub(bytes_of(examples.data)) / 8 * 7;
    let asked = comparing.sample.unwrap_or(rows).min(rows);
    // Values that are computed once for all are priced beside the estimators.
    let known = |e: &EstimatorExpr, size: Size, kernel: &KernelExpr| {
        let are_shared = size.rows <= shared_rows && *kernel == whole.kernel && e.needs().reads_values();
        if are_shared { size.known() } else { size }
    };
    let fits = |e: &EstimatorExpr, size: Size| {
        let fold = size.at((train_share(comparing.folds) * size.rows as f64) as usize);
        let (of_fold, of_all) = (e.costs(fold), e.costs(size));
        folds * of_fold.work(fold)
            + rows as f64 * of_fold.prediction_work(fold)
            + of_all.work(size)
            + timed_rows(e, size, rows) as f64 * of_all.prediction_work(size)
    };
    let look = |e: &EstimatorExpr, size: Size, n: usize| {
        let size = size.at(n.min((train_share(comparing.folds) * rows as f64) as usize));
        folds * e.with_one_start().costs(size).work(size) + rows as f64 * e.costs(size).prediction_work(size)
    };
    let able: Vec<&Entrant> = entrants.iter().filter(|e| e.estimator.takes(examples.target)).collect();
    let fewest = fewest(size);
    let share = LOOK_SHARE * all / able.len().max(1) as f64;
    let of_program = PROGRAM_SHARE.max((1.0 - LOOK_SHARE) / able.len().max(1) as f64);
    let mut planned = Vec::new();
    for Entrant { estimator, kernel, own_scales } in able {
        let size = if *kernel == whole.kernel { size } else { sized(kernel) };
        let takes_landmarks = kernel.takes_landmarks() && kernel.first_asymmetry(examples.data).is_none();
        let known = |size: Size| known(estimator, size, kernel);
        let first = largest(asked.min(LOOK_ROWS), |n| n <= fewest || look(estimator, known(size.at(n)), n) <= share);
        // Looks at the same rows read the same kernel values.
        let steps = std::iter::successors(Some(LOOK_ROWS), |n| Some(n / 2).filter(|n| *n > fewest)).find(|n| *n <= first);
        let first = if shared_rows > 0 && first < asked { steps.unwrap_or(fewest.min(first)) } else { first };
        let in_memory = |s: Size| estimator.costs(s).bytes <= memory;
        let shares = (of_program * all, (1.0 - LOOK_SHARE) * all);
        let found = rows_for(estimator, takes_landmarks, size, asked, in_memory, |s| fits(estimator, known(s)), shares);
        let RowsOf { rows: learnt, most, landmarks } = found;
        let full = size;
        let size = Landmarks::size(landmarks, size);
        let operations = if rows >= PLANNED_ROWS {
            let aim = Aim { scoring: Scoring::of(examples.target, examples.weights, comparing.metric)?, within_noise: true };
            // What cannot be searched fails in its turn, and says so there.
            let some = examples.select(&some_rows_of(examples.target, learnt.min(SEARCHED_ROWS), comparing.seed));
            let search = contain(estimator.name(), || Search::new(kernel, estimator, &some.examples(), None, aim, control, comparing.seed));
            let searched = search.map_or(0.0, |s| folds * s.state().usual_work() + s.state().last_work(true, comparing.folds));
            Some(look(estimator, known(full.at(first)), first) + fits(estimator, known(size.at(learnt))) + searched)
        } else {
            None
        };
        let costs = estimator.costs(size.at(learnt));
        planned.push(Planned {
            estimator: estimator.clone(),
            own_scales: *own_scales,
            rows: learnt,
            most_rows: most,
            first_rows: first.min(most),
            bytes: costs.bytes,
            most_bytes: costs.most_bytes(memory),
            landmarks,
            operations,
        });
    }
    let shared = (rows >= PLANNED_ROWS).then(|| of_shared(shared_rows));
    Ok(Plan { rows, fits: planned, shared_rows, size, shared, budget })
}

/// Operations of the kernel values of fits to so many rows: among them, among as many training rows of every fold and of all its held-out
/// rows with them.
pub(super) fn values_work(size: Size, folds: usize, rows: usize) -> f64 {
    let most = (train_share(folds) * size.rows as f64) as usize;
    KernelValues::work(size.at(rows), 0) + folds as f64 * KernelValues::work(size.at(rows.min(most)), size.rows - most)
}

/// Rows of fits that may share kernel values, and the operations of these values for so many rows. They take no more than a
/// share of `all` operations, but for the fewest rows that fits learn from.
fn shared_values(whole: &Prepared, size: Size, folds: usize, all: f64, control: &Control) -> (usize, impl Fn(usize) -> f64) {
    let work = move |n: usize| values_work(size, folds, n);
    let has_room = |n: usize| KernelValues::bytes(n, 0) <= most_kept(size, control);
    // What is shared is never more than what is not.
    let rows = match KernelValues::are_costly(&whole.data, size) {
        true => largest(size.rows, |n| n <= fewest(size) || (has_room(n) && work(n) <= VALUES_SHARE * all)),
        false => 0,
    };
    (rows, work)
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
