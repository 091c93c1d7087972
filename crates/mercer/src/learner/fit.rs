//! A fit to some rows of a table, step by step: the rows, the kernel bound to them, the search, the fit, the model.

use super::{About, FitStart, Learner, Model, TimedFit, TrainingRows};
use crate::control::Control;
use crate::data::{Examples, Sample, Target, TargetInfo, some_rows_of};
use crate::error::{Error, Result};
use crate::estimators::{EstimatorExpr, Fitted, FittedModel, Needs, OwnedView, Size, ViewKind};
use crate::fitting::{
    self, KernelValues, Prepared, Sharing, Used, cannot_predict, fit_view, plan, read_rows_for, require_similarity, size_of, support_of,
    zero_norm_rows,
};
use crate::gram::{Known, Mercer, Side};
use crate::kernels::{FittedKernel, KernelExpr};
use crate::metrics::Scoring;
use crate::notice::{Notice, SampleReason, SampleSizes};
use crate::select::{Aim, Preparation, Search, Tuned, wins, without_target};
use crate::trial::limits::{CURVES_WORK, FEWEST_ROWS};
use crate::trial::{Landmarks, largest};
use std::sync::Arc;
use std::time::Instant;

/// Seconds that a last step after a stop has at least, the share of its rows that it takes where that was too much, and operations a second
/// that are assumed then.
const LAST_SECONDS: f64 = 0.5;
const FEWER: usize = 16;
const LAST_RATE: f64 = 5.0e9;

/// The settings of a fit that do not depend on the number of its rows.
#[derive(Clone, Copy)]
pub(super) struct FitSettings<'a> {
    pub(super) start: &'a FitStart<'a>,
    pub(super) examples: &'a Examples<'a>,
    pub(super) info: &'a TargetInfo,
    pub(super) landmarks: Option<Landmarks>,
    /// The reason for a sample of the rows.
    pub(super) reason: SampleReason,
}

/// Rows to tune on and to fit to.
pub(super) struct TrainingSample {
    /// Their places.
    rows: Vec<usize>,
    used: Sample,
    prepared: Prepared,
}

/// A fit on its way.
struct Fitting<'f> {
    learner: &'f Learner,
    settings: &'f FitSettings<'f>,
    sample: &'f TrainingSample,
    control: &'f Control,
}

/// Fits a learner to a sample of at most so many of the used rows.
pub(super) fn fit(learner: &Learner, used: Used, most: usize, settings: &FitSettings<'_>, control: &Control) -> Result<TimedFit> {
    let &FitSettings { start, examples, info, landmarks, reason } = settings;
    let sample = TrainingSample::of(learner, used.rows.clone(), most, start, examples)?;
    let fitting = Fitting { learner, settings, sample: &sample, control };
    let mut notices = used.notices.clone();
    if most < used.rows.len() {
        notices.push(Notice::Sampled { sizes: SampleSizes::Alike(most), of: used.rows.len(), reason });
    }
    notices.extend(sample.prepared.notices.iter().cloned());
    let open = fitting.settled_kernel()?;
    let kernel = fitting.learn(&open, control)?;
    let reading = fitting.bind(&kernel, &learner.estimator, control)?;
    notices.extend(fitting.zero_rows(&open, &reading));
    let (tuned, tune_seconds) = match &start.tuned {
        Some(tuned) => tuned.clone(),
        None => sample.tuned(learner, start, control)?,
    };
    let is_stopped = control.stop_early.is_cancelled();
    if is_stopped && tuned.tuning.is_none() {
        // There is no best so far.
        return Err(Error::Cancelled);
    }
    notices.extend(tuned.notice.clone());
    notices.extend(tuned.late.then_some(Notice::NothingJudged));
    notices.extend(is_stopped.then_some(Notice::SearchStopped));
    if let Some(exact_rows) = fitting.better_exact_rows(&tuned)? {
        let part = Learner { sample: TrainingRows::Most(exact_rows), ..learner.clone() };
        return part.fit_examples(start, examples, info, control);
    }
    let clock = Instant::now();
    let (kernel, mut fitted) = match fitting.last_fit(&tuned, (kernel, open), reading) {
        Ok(fitted) => fitted,
        Err(LastFit::Failed(error)) => return Err(error),
        Err(LastFit::TooLong(fewer)) => {
            let start = FitStart { tuned: Some((tuned, tune_seconds)), prepared: start.prepared, ..FitStart::default() };
            let settings = FitSettings { start: &start, landmarks: None, reason: SampleReason::Stopped, ..*settings };
            return fit(learner, used, fewer, &settings, &control.last_step().at_least(LAST_SECONDS));
        }
    };
    if !learner.keep_rows {
        fitted.forget_rows();
    }
    let mut warnings: Vec<Notice> = fitting::sum_of_weights(&tuned.estimator, sample.used.weights.as_deref()).into_iter().collect();
    warnings.extend(fitted.summary().warnings.iter().cloned());
    notices.extend(warnings.iter().cloned());
    let is_cut = control.stop_early.is_cancelled() && !is_stopped && !fitted.summary().converged;
    notices.extend(is_cut.then_some(Notice::FitStopped));
    let fit_seconds = clock.elapsed().as_secs_f64();
    notices.extend(kernel.notices());
    notices.extend(landmarks.map(|_| Notice::ThroughLandmarks));
    let left_out = fitting::left_out(&sample.rows, examples.data.rows());
    let TrainingSample { rows, prepared, .. } = sample;
    let asked_kernel = prepared.kernel.to_string();
    // Where prediction needs every row, the rows are kept and not copied.
    let every = fitted.support().len() == rows.len();
    let support = if every { prepared.data.as_items().into() } else { support_of(&kernel, &fitted, &prepared.data) };
    let answer = fitted.answer(info)?;
    let about = About {
        version: env!("CARGO_PKG_VERSION").into(),
        rows: rows.len(),
        asked_kernel,
        asked_estimator: learner.estimator.to_string(),
        seed: learner.seed,
        tuning: tuned.tuning,
        notices,
        warnings,
        left_out,
    };
    let model =
        Model { prep: prepared.prep, kernel, estimator: tuned.estimator, support, fitted, answer, cut: None, conformal: None, about };
    Ok(TimedFit { model, tune_seconds, fit_seconds })
}

/// Why there is no fit to all rows of a sample.
enum LastFit {
    Failed(Error),
    /// After a stop there is time for so many rows.
    TooLong(usize),
}

impl TrainingSample {
    /// So many of the rows that are used, at most.
    pub(super) fn of(
        learner: &Learner,
        mut rows: Vec<usize>,
        most: usize,
        start: &FitStart<'_>,
        examples: &Examples<'_>,
    ) -> Result<TrainingSample> {
        let mut used = examples.select(&rows);
        // All rows say which columns there are, so that no sample lacks one.
        let mut prepared = match start.prepared {
            Some(prepared) => prepared.clone(),
            None => learner.prepare(&used.data, used.weights.as_deref())?,
        };
        if most < rows.len() {
            rows = some_rows_of(&used.target, most, learner.seed).into_iter().map(|i| rows[i]).collect();
            used = examples.select(&rows);
            let again = prepared.again(&used.data, used.weights.as_deref())?;
            prepared.prep = again.prep;
            prepared.data = again.data;
        }
        if !learner.estimator.takes(&used.target) {
            return Err(cannot_predict(&learner.estimator, &used.target));
        }
        learner.estimator.require_in_domain(&used.target, &rows)?;
        Ok(TrainingSample { rows, used, prepared })
    }

    fn examples(&self) -> Examples<'_> {
        Examples { data: &self.prepared.data, ..self.used.examples() }
    }

    /// Goes through every round of the search, or through the last one where other searches suggest where it begins; with the seconds
    /// that it took.
    pub(super) fn tuned(&self, learner: &Learner, start: &FitStart<'_>, control: &Control) -> Result<(Tuned, f64)> {
        let clock = Instant::now();
        let (kernel, examples) = (&self.prepared.kernel, self.examples());
        if let Target::Absent { .. } = examples.target {
            let tuned = without_target(kernel, &learner.estimator, &examples, learner.metric, control, learner.seed)?;
            return Ok((tuned, clock.elapsed().as_secs_f64()));
        }
        let scoring = Scoring::of(examples.target, examples.weights, learner.metric)?;
        let aim = Aim { scoring, within_noise: start.within_noise };
        let sharing = start.sharing_of(examples.rows());
        let preparation = Preparation { prepared: &self.prepared, raw: &self.used.data, settled: None, sharing };
        let mut search = Search::new(kernel, &learner.estimator, &examples, Some(preparation), aim, control, learner.seed)?;
        if start.is_plain {
            let judged = start.searches.iter().copied().find(|s| s.is_judged());
            let (kernel, estimator) = judged.unwrap_or(search.state()).best()?;
            let tuned = Tuned { kernel, estimator, tuning: None, late: false, notice: None };
            return Ok((tuned, clock.elapsed().as_secs_f64()));
        }
        search.suggest(start.searches.iter().copied());
        // Half of the time is kept for the fit itself, and some of the other to look along the parameters.
        search.run(&control.share(0.4))?;
        // A model that is not the best of a comparison is looked along where that is little work.
        let curves = !start.within_noise || search.work_of_curves() <= CURVES_WORK;
        let tuned = search.finish(curves, examples.data, &control.share(0.2))?;
        Ok((tuned, clock.elapsed().as_secs_f64()))
    }
}

impl Fitting<'_> {
    /// Where others use kernel values among all rows of the sample.
    fn sharing(&self) -> Option<&Sharing> {
        self.settings.start.sharing_of(self.sample.rows.len())
    }

    /// A kernel as the fit takes it: through landmarks where an exact fit takes too much.
    fn through(&self, kernel: &KernelExpr) -> KernelExpr {
        let seed = self.learner.seed;
        self.settings.landmarks.map_or_else(|| kernel.clone(), |l| kernel.clone().through_landmarks(l.rank, seed))
    }

    fn size(&self, kernel: &KernelExpr) -> Size {
        size_of(kernel, &self.sample.prepared.data, &self.sample.used.target)
    }

    fn learn(&self, kernel: &KernelExpr, control: &Control) -> Result<FittedKernel> {
        kernel.learn(&self.sample.prepared.data, self.sample.used.weights.as_deref(), control)
    }

    /// The kernel as the rows settle it, after every refusal that needs no fit.
    fn settled_kernel(&self) -> Result<KernelExpr> {
        let (Learner { estimator, allow_non_mercer, .. }, TrainingSample { used, prepared, .. }) = (self.learner, self.sample);
        let open = prepared.kernel.settle_weighed(&prepared.data, used.weights.as_deref())?;
        // As it was asked for: a search may go to the ends of its ranges.
        require_similarity(&prepared.kernel, estimator, &prepared.data, *allow_non_mercer, self.control)?;
        plan(estimator, self.size(&self.through(&open)), &used.target, self.control)?;
        Ok(open)
    }

    /// What an estimator reads of the rows under a kernel: values that others have use for are computed once for all.
    fn bind(&self, kernel: &FittedKernel, estimator: &EstimatorExpr, control: &Control) -> Result<OwnedView<'_>> {
        let (expr, data) = (kernel.expr(), &self.sample.prepared.data);
        let shared = self.sharing().filter(|_| estimator.needs().view() == ViewKind::Values).and_then(|sharing| sharing.bound_to(expr));
        let reading = match shared {
            Some(bound) => OwnedView::Values(bound),
            None => read_rows_for(kernel, estimator, self.size(expr), data, control)?,
        };
        let OwnedView::Values(bound) = &reading else { return Ok(reading) };
        // Kernel values are no features, and of feature weights a model keeps no rows.
        let structure = bound.structure();
        let keeps_weights = structure.features_stand_alone() && structure.sparse_features(Side::Rows).is_some();
        let reads_values = estimator.looks_at_inputs() && !keeps_weights;
        let Some(sharing) = self.sharing().filter(|_| reads_values) else { return Ok(reading) };
        let all: Vec<usize> = (0..data.rows()).collect();
        let values = match sharing.known(expr) {
            Some(values) => values,
            // A part of them may be all that there is time for.
            None if control.was_stopped() => return Ok(reading),
            None => sharing.values((&all, &[]), false, expr, || KernelValues::of(bound.as_ref(), None, control))?,
        };
        Ok(OwnedView::Values(Arc::new(Known(values.matrix(control)?))))
    }

    /// Rows with k(x, x) = 0 under the kernel of the start.
    fn zero_rows(&self, open: &KernelExpr, reading: &OwnedView<'_>) -> Option<Notice> {
        let estimator = &self.learner.estimator;
        // The origin is a place like any other.
        let reads_values = estimator.looks_at_inputs() && estimator.needs() != Needs::Coordinates;
        let gram = reading.gram().filter(|_| reads_values && open.mercer() == Mercer::Always)?;
        zero_norm_rows(gram, &self.sample.rows)
    }

    /// The number of rows on which the exact kernel predicts better than all rows through landmarks that nobody asked for.
    fn better_exact_rows(&self, tuned: &Tuned) -> Result<Option<usize>> {
        let Learner { sample: TrainingRows::Affordable, metric, seed, .. } = self.learner else { return Ok(None) };
        let Some(landmarks) = self.settings.landmarks else { return Ok(None) };
        let used = &self.sample.used;
        let scoring = Scoring::of(&used.target, used.weights.as_deref(), *metric)?;
        let (examples, control) = (self.sample.examples(), self.control.share(0.4));
        let wins = wins(landmarks, &tuned.kernel, &tuned.estimator, &examples, scoring, &control, *seed);
        Ok(matches!(wins, Ok(false)).then_some(landmarks.exact_rows))
    }

    /// The fit with the settings that were found; `open`: the kernel that the rows are bound to already.
    fn last_fit(
        &self,
        tuned: &Tuned,
        (kernel, open): (FittedKernel, KernelExpr),
        reading: OwnedView<'_>,
    ) -> std::result::Result<(FittedKernel, FittedModel), LastFit> {
        let last = self.control.last_step();
        let chosen = self.through(&tuned.kernel);
        let (size, rows) = (self.size(&chosen), self.sample.rows.len());
        // What a stop leaves no time for is not begun.
        let fewer = in_last_step(&tuned.estimator, size);
        if last.was_stopped() && fewer < rows {
            return Err(LastFit::TooLong(fewer));
        }
        let fit = || -> Result<(FittedKernel, FittedModel)> {
            plan(&tuned.estimator, size, &self.sample.used.target, &last)?;
            last.check()?;
            let (kernel, reading) = if chosen == open {
                (kernel, reading)
            } else {
                drop(reading);
                let kernel = self.learn(&chosen, &last)?;
                let reading = self.bind(&kernel, &tuned.estimator, &last)?;
                (kernel, reading)
            };
            let given = (kernel.expr(), &tuned.estimator);
            let fitted = fit_view(reading.view(), given, (&self.sample.examples(), self.sharing()), &last, self.learner.seed)?;
            Ok((kernel, fitted))
        };
        fit().map_err(|error| match error {
            Error::Time { .. } if last.was_stopped() && rows > FEWEST_ROWS => LastFit::TooLong(fewer.min(rows / FEWER).max(FEWEST_ROWS)),
            error => LastFit::Failed(error),
        })
    }
}

/// Rows of a fit of this size that a last step after a stop has time for.
fn in_last_step(estimator: &EstimatorExpr, size: Size) -> usize {
    let work = LAST_SECONDS * LAST_RATE;
    largest(size.rows, |n| n <= FEWEST_ROWS || estimator.costs(size.at(n)).work(size) <= work)
}
