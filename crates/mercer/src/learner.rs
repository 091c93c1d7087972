//! A learner is the recipe: preparation, kernel, estimator. A model is what it leaves: everything prediction needs.

mod builder;
mod distributions;
mod explain;
mod influences;
mod model;
mod pre_images;
mod streaming;

pub use distributions::DrawnRows;
pub use explain::{Explained, Explanation, MaskedPart, Measure};
pub use influences::{ClassRows, Influences, Masking, PartEffect, PlaceEffects};
pub use model::{About, Model};
pub use pre_images::{PreImageMethod, PreImages};

use crate::control::{Control, contain};
use crate::data::TargetInfo;
use crate::data::{Dataset, Examples, Sample, Split, Target, some_rows_of};
use crate::error::{Error, Result};
use crate::estimators::{EstimatorExpr, Fitted, FittedModel, Needs, OwnedView, Size};
use crate::fitting::{
    self, KernelValues, Prepared, Sharing, Used, cannot_predict, fit_view, plan, prepare_to_fit, read_rows_for, require_similarity,
    size_of, support_of, zero_norm_rows,
};
use crate::gram::{Known, Mercer, Side};
use crate::kernels::{FittedKernel, KernelExpr};
use crate::metrics::{Metric, Scoring, judged_by, require_judged};
use crate::prep;
use crate::select::{Aim, Preparation, Search, SearchState, Tuned, part, wins, without_target};
use crate::trial::limits::{CURVES_WORK, FEWEST_ROWS, LEAST_ROWS};
use crate::trial::{Landmarks, largest};
use serde::{Deserialize, Serialize};
use std::time::Instant;

/// How many of the rows a fit learns from; fewer than all are drawn at random.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum TrainingRows {
    /// All; a refusal where they take too much memory.
    #[default]
    All,
    /// So many at most.
    Most(usize),
    /// As many as memory and time allow for an exact fit; all rows through landmarks where the estimator uses few features.
    Affordable,
    /// So many at most, the last fit through landmarks: see [`Nystroem`](crate::kernels::Nystroem). Searches use the exact kernel
    /// on a sample of the rows.
    ThroughLandmarks {
        /// The rows.
        most: usize,
        /// The landmarks.
        rank: usize,
    },
}

/// The recipe of a model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Learner {
    /// How columns become inputs.
    pub prep: prep::Recipe,
    /// The kernel; `None`: made from the column types.
    pub kernel: Option<KernelExpr>,
    /// The estimator.
    pub estimator: EstimatorExpr,
    /// Seed of anything random.
    pub seed: u64,
    /// Fit although the kernel is not positive semi-definite and the estimator needs one that is.
    pub allow_non_mercer: bool,
    /// Which rows to learn from.
    pub sample: TrainingRows,
    /// Keep the training rows that prediction needs none of, where the kernel is made of few features: for their coefficients.
    #[serde(default)]
    pub keep_rows: bool,
    /// The metric that cross-validation tunes by; `None`: accuracy or the root of the mean squared error.
    pub metric: Option<Metric>,
}

impl Learner {
    /// The learner of an estimator with everything else at its default.
    pub fn new(estimator: impl Into<EstimatorExpr>) -> Self {
        Learner {
            prep: prep::Recipe::default(),
            kernel: None,
            estimator: estimator.into(),
            seed: 0,
            allow_non_mercer: false,
            sample: TrainingRows::All,
            keep_rows: false,
            metric: None,
        }
    }
}

/// A fit, and the seconds of its parts.
#[derive(Debug)]
pub struct Timed {
    /// What it left.
    pub model: Model,
    /// Seconds of tuning.
    pub tune_seconds: f64,
    /// Seconds of the fit itself.
    pub fit_seconds: f64,
}

/// The notice of a model that was trained on a random sample of its rows.
pub(crate) fn from_a_sample(rows: &str, all: usize) -> String {
    format!("{SAMPLED}: {rows} of {all}")
}

/// How that notice begins.
pub(crate) const SAMPLED: &str = "trained on a random sample of the rows";

/// The reason for sampling, where the user did not ask for it.
pub(crate) const TOO_MUCH: &str = ", as an exact fit to all of them takes too much time or memory";

/// The reason for sampling, where the user asked for an end.
const STOPPED: &str = ", as there was no time left for more";

/// Seconds that a last step after a stop has at least, the share of its rows that it takes where that was too much, and operations a second that
/// are assumed then.
const LAST_SECONDS: f64 = 0.5;
const FEWER: usize = 16;
const LAST_RATE: f64 = 5.0e9;

/// Rows of a fit of this size that a last step after a stop has time for.
fn in_last_step(estimator: &EstimatorExpr, size: Size) -> usize {
    let work = LAST_SECONDS * LAST_RATE;
    largest(size.rows, |n| n <= FEWEST_ROWS || estimator.costs(size.at(n)).work(size) <= work)
}

/// Refuses a sample without rows.
pub(crate) fn check_sample(rows: Option<usize>) -> Result<()> {
    match rows {
        Some(0) => Err(Error::Setting { name: "sample (--sample)".into(), why: "a fit needs rows; write 1 or more".into() }),
        _ => Ok(()),
    }
}

/// Results of earlier searches that a fit starts from.
#[derive(Default)]
pub struct Before<'a> {
    /// Searches on parts of its rows: the last round of its own begins with what they have found.
    pub searches: &'a [&'a SearchState],
    /// As in [`Aim`].
    pub within_noise: bool,
    /// Whether nothing is searched: open parameters are those of earlier searches, or the data-based start.
    pub is_plain: bool,
    /// Its own search, and the seconds that it took.
    pub tuned: Option<(Tuned, f64)>,
    /// All rows that are used, prepared as the fit would prepare them.
    pub prepared: Option<&'a Prepared>,
    /// Where others have use for kernel values among all rows that a fit learns from.
    pub(crate) sharing: Option<Sharing>,
}

impl Before<'_> {
    /// Where kernel values are shared among so many rows.
    fn sharing_of(&self, rows: usize) -> Option<&Sharing> {
        self.sharing.as_ref().filter(|sharing| sharing.places.len() == rows)
    }
}

/// The settings of a fit that do not depend on the number of its rows.
struct Given<'a> {
    before: &'a Before<'a>,
    examples: &'a Examples<'a>,
    info: &'a TargetInfo,
    landmarks: Option<Landmarks>,
    /// The reason for a sample of the rows that the user did not ask for.
    why_sampled: &'static str,
}

/// Rows to tune on and to fit to.
struct Ready {
    /// Their places.
    rows: Vec<usize>,
    used: Sample,
    prepared: Prepared,
}

impl Ready {
    fn examples(&self) -> Examples<'_> {
        Examples { data: &self.prepared.data, ..self.used.examples() }
    }
}

impl Learner {
    /// Prepares the data, tunes open parameters, fits, and keeps the rows that prediction needs.
    ///
    /// `data`: N rows without the target; `target`: N; `weights`: N or none.
    pub fn fit(&self, data: &Dataset, target: &Target, info: &TargetInfo, weights: Option<&[f64]>, control: &Control) -> Result<Model> {
        let examples = Examples { data, target, weights, split: &Split::Rows };
        self.fit_from(&Before::default(), &examples, info, control).map(|timed| timed.model)
    }

    /// Fits as [`Learner::fit`] does, and measures the seconds of tuning and of the fit. The folds of tuning respect the split of
    /// the examples.
    ///
    /// # Errors
    /// What does not fit together; bounds of `control`; a panic, of a kernel or an estimator of the program's own too.
    pub fn fit_from(&self, before: &Before<'_>, examples: &Examples<'_>, info: &TargetInfo, control: &Control) -> Result<Timed> {
        contain(format_args!("fitting {}", self.estimator.name()), || self.fit_examples(before, examples, info, control))
    }

    fn fit_examples(&self, before: &Before<'_>, examples: &Examples<'_>, info: &TargetInfo, control: &Control) -> Result<Timed> {
        let estimator = judged_by(&self.estimator, self.metric);
        if estimator != self.estimator {
            let Timed { mut model, tune_seconds, fit_seconds } =
                Learner { estimator, ..self.clone() }.fit_examples(before, examples, info, control)?;
            model.about.asked_estimator = self.estimator.to_string();
            let metric = self.metric.map_or("the metric", Metric::name);
            let name = model.estimator.name();
            model.about.notices.push(format!("{metric} is computed from class probabilities: {name} is fitted with probabilities=true"));
            return Ok(Timed { model, tune_seconds, fit_seconds });
        }
        require_judged(&self.estimator, self.metric, examples.target)?;
        let used = Used::of(&self.prep, examples.data, examples.target, examples.weights)?;
        let all = used.rows.len();
        let (mut most, landmarks) = match self.sample {
            TrainingRows::All => (all, None),
            TrainingRows::Most(most) => {
                check_sample(Some(most))?;
                (most, None)
            }
            TrainingRows::ThroughLandmarks { most, rank } => (most, Some(Landmarks { rank, exact_rows: most })),
            TrainingRows::Affordable => self.affordable(&examples.select(&used.rows).examples(), control)?,
        };
        let why_sampled = if self.sample == TrainingRows::Affordable { TOO_MUCH } else { "" };
        let given = Given { before, examples, info, landmarks, why_sampled };
        loop {
            let fitted = self.fit_some(used.clone(), most, &given, control);
            let fewer = most.min(all) / 3 * 2;
            // What the process holds moves between the plan and the fit.
            match fitted {
                Err(Error::Memory { .. }) if self.sample == TrainingRows::Affordable && landmarks.is_none() && fewer >= FEWEST_ROWS => {
                    most = fewer
                }
                fitted => return fitted,
            }
        }
    }

    /// Tunes as [`Learner::fit_from`] would, where the number of rows is given; with the seconds that it took. What has to be refused
    /// the fit refuses.
    pub(crate) fn tuned(&self, before: &Before<'_>, examples: &Examples<'_>, control: &Control) -> Result<(Tuned, f64)> {
        let used = Used::of(&self.prep, examples.data, examples.target, examples.weights)?;
        let most = match self.sample {
            TrainingRows::Most(most) | TrainingRows::ThroughLandmarks { most, .. } => most,
            TrainingRows::All | TrainingRows::Affordable => used.rows.len(),
        };
        let ready = self.ready(used.rows, most, before, examples)?;
        self.tune(before, &ready, control)
    }

    /// Columns as inputs.
    fn prepare(&self, data: &Dataset, weights: Option<&[f64]>) -> Result<Prepared> {
        prepare_to_fit(&self.prep, self.kernel.as_ref(), &self.estimator, data, weights)
    }

    /// So many of the rows that are used, at most.
    fn ready(&self, mut rows: Vec<usize>, most: usize, before: &Before<'_>, examples: &Examples<'_>) -> Result<Ready> {
        let mut used = examples.select(&rows);
        // All rows say which columns there are, so that no sample lacks one.
        let mut prepared = match before.prepared {
            Some(prepared) => prepared.clone(),
            None => self.prepare(&used.data, used.weights.as_deref())?,
        };
        if most < rows.len() {
            rows = some_rows_of(&used.target, most, self.seed).into_iter().map(|i| rows[i]).collect();
            used = examples.select(&rows);
            let again = prepared.again(&used.data, used.weights.as_deref())?;
            prepared.prep = again.prep;
            prepared.data = again.data;
        }
        if !self.estimator.takes(&used.target) {
            return Err(cannot_predict(&self.estimator, &used.target));
        }
        self.estimator.require_in_domain(&used.target, &rows)?;
        Ok(Ready { rows, used, prepared })
    }

    /// Fits to a sample of at most so many of the used rows.
    fn fit_some(&self, used: Used, most: usize, given: &Given<'_>, control: &Control) -> Result<Timed> {
        let Used { rows, mut notices } = used;
        let told_before = notices.clone();
        let &Given { before, examples, info, landmarks, why_sampled } = given;
        let (all, all_rows) = (rows.len(), rows.clone());
        // Through landmarks where an exact fit takes too much.
        let through =
            |kernel: &KernelExpr| landmarks.map_or_else(|| kernel.clone(), |l| kernel.clone().through_landmarks(l.rank, self.seed));
        let ready = self.ready(rows, most, before, examples)?;
        let Ready { rows, used, prepared } = &ready;
        if most < all {
            notices.push(from_a_sample(&most.to_string(), all) + why_sampled);
        }
        let left_out = fitting::left_out(rows, examples.data.rows());
        let open = prepared.kernel.settle_weighed(&prepared.data, used.weights.as_deref())?;
        // As it was asked for: a search may go to the ends of its ranges.
        require_similarity(&prepared.kernel, &self.estimator, &prepared.data, self.allow_non_mercer, control)?;
        let size = |kernel: &KernelExpr| size_of(kernel, &prepared.data, &used.target);
        plan(&self.estimator, size(&through(&open)), &used.target, control)?;
        notices.extend(prepared.notices.iter().cloned());
        let mut kernel = open.learn(&prepared.data, used.weights.as_deref(), control)?;
        let bind = |kernel: &FittedKernel, estimator: &EstimatorExpr, expr: &KernelExpr, control: &Control| -> Result<OwnedView<'_>> {
            let reading = read_rows_for(kernel, estimator, size(expr), &prepared.data, control)?;
            let OwnedView::Values(bound) = &reading else { return Ok(reading) };
            // Kernel values are no features, and of feature weights a model keeps no rows.
            let structure = bound.structure();
            let keeps_weights = structure.features_stand_alone() && structure.sparse_features(Side::Rows).is_some();
            let reads_values = estimator.looks_at_inputs() && !keeps_weights;
            let sharing = before.sharing_of(prepared.data.rows()).filter(|_| reads_values);
            let Some(sharing) = sharing else { return Ok(reading) };
            let all: Vec<usize> = (0..prepared.data.rows()).collect();
            let values = match sharing.known(expr) {
                Some(values) => values,
                // A part of them may be all that there is time for.
                None if control.was_stopped() => return Ok(reading),
                None => sharing.values((&all, &[]), false, expr, || KernelValues::of(bound.as_ref(), None, control))?,
            };
            Ok(OwnedView::Values(Box::new(Known(values.matrix(control)?))))
        };
        let mut reading = bind(&kernel, &self.estimator, &open, control)?;
        // The origin is a place like any other.
        let reads_values = self.estimator.looks_at_inputs() && self.estimator.needs() != Needs::Coordinates;
        if open.mercer() == Mercer::Always && reads_values {
            notices.extend(reading.gram().and_then(|gram| zero_norm_rows(gram, rows)));
        }
        let (tuned, tune_seconds) = match &before.tuned {
            Some(tuned) => tuned.clone(),
            None => self.tune(before, &ready, control)?,
        };
        let stopped = control.stop_early.is_cancelled();
        notices.extend(tuned.told.clone());
        if tuned.late {
            notices.push(
                "time was up before any setting could be judged: the starting values are fitted; allow more max_seconds (--max-seconds)"
                    .into(),
            );
        }
        if stopped {
            if tuned.tuning.is_none() {
                // There is no best so far.
                return Err(Error::Cancelled);
            }
            notices.push("the search was stopped on request: the best setting found by then is fitted".into());
        }
        if let (TrainingRows::Affordable, Some(landmarks)) = (self.sample, landmarks) {
            let scoring = Scoring::of(&used.target, used.weights.as_deref(), self.metric)?;
            let win = wins(landmarks, &tuned.kernel, &tuned.estimator, &ready.examples(), scoring, &control.share(0.4), self.seed);
            if let Ok(false) = win {
                // The exact kernel on a part of the rows predicts better.
                let part = Learner { sample: TrainingRows::Most(landmarks.exact_rows), ..self.clone() };
                return part.fit_examples(before, examples, info, control);
            }
        }
        let clock = Instant::now();
        let last = control.last_step();
        let chosen = through(&tuned.kernel);
        let again = |tuned: Tuned, fewer: usize| {
            let before = Before { tuned: Some((tuned, tune_seconds)), prepared: before.prepared, ..Before::default() };
            let given = Given { before: &before, landmarks: None, why_sampled: STOPPED, ..*given };
            let used = Used { rows: all_rows.clone(), notices: told_before.clone() };
            self.fit_some(used, fewer, &given, &control.last_step().at_least(LAST_SECONDS))
        };
        // What a stop leaves no time for is not begun.
        let fewer = in_last_step(&tuned.estimator, size(&chosen));
        if last.was_stopped() && fewer < rows.len() {
            drop(reading);
            return again(tuned, fewer);
        }
        let sharing = before.sharing_of(prepared.data.rows());
        let mut fit = || -> Result<FittedModel> {
            plan(&tuned.estimator, size(&chosen), &used.target, &last)?;
            last.check()?;
            if chosen != open {
                kernel = chosen.learn(&prepared.data, used.weights.as_deref(), &last)?;
                reading = bind(&kernel, &tuned.estimator, &chosen, &last)?;
            }
            fit_view(reading.view(), (kernel.expr(), &tuned.estimator), (&ready.examples(), sharing), &last, self.seed)
        };
        let mut fitted = match fit() {
            Err(Error::Time { .. }) if last.was_stopped() && rows.len() > FEWEST_ROWS => {
                return again(tuned, fewer.min(rows.len() / FEWER).max(FEWEST_ROWS));
            }
            fitted => fitted?,
        };
        if !self.keep_rows {
            fitted.forget_rows();
        }
        let mut warnings: Vec<String> = fitting::sum_of_weights(&tuned.estimator, used.weights.as_deref()).into_iter().collect();
        warnings.extend(fitted.summary().warnings.iter().cloned());
        notices.extend(warnings.iter().cloned());
        if control.stop_early.is_cancelled() && !stopped && !fitted.summary().converged {
            notices.push("the fit was stopped on request: its certificate says how good it is".into());
        }
        let fit_seconds = clock.elapsed().as_secs_f64();
        drop(reading);
        notices.extend(kernel.notices());
        if landmarks.is_some() {
            notices.push(format!("the kernel goes through landmarks{TOO_MUCH}"));
        }
        let Ready { rows, prepared, .. } = ready;
        let asked_kernel = prepared.kernel.to_string();
        // Where prediction needs every row, the rows are kept and not copied.
        let every = fitted.support().len() == rows.len();
        let support = if every { prepared.data.as_items().into() } else { support_of(&kernel, &fitted, &prepared.data) };
        let answer = fitted.answer(info)?;
        let model = Model {
            prep: prepared.prep,
            kernel,
            estimator: tuned.estimator,
            support,
            fitted,
            answer,
            cut: None,
            about: About {
                version: env!("CARGO_PKG_VERSION").into(),
                rows: rows.len(),
                asked_kernel,
                asked_estimator: self.estimator.to_string(),
                seed: self.seed,
                tuning: tuned.tuning,
                notices,
                warnings,
                left_out,
            },
        };
        Ok(Timed { model, tune_seconds, fit_seconds })
    }

    /// Rows that a fit is possible for, and the landmarks that it goes through where an exact one is not.
    fn affordable(&self, examples: &Examples<'_>, control: &Control) -> Result<(usize, Option<Landmarks>)> {
        let rows = examples.rows();
        let estimator = &self.estimator;
        if !estimator.takes(examples.target) || rows < LEAST_ROWS {
            return Ok((rows, None));
        }
        let prepared = self.prepare(examples.data, examples.weights)?;
        let examples = Examples { data: &prepared.data, ..*examples };
        // The rows that are learnt from are prepared once more, and what a search holds by then is not known.
        let bytes = control.room() / 4 * 3;
        part(estimator, &prepared.kernel, &examples, bytes, control, self.seed).map(|part| (part.rows, part.landmarks))
    }

    /// Goes through every round of the search, or through the last one where other searches suggest where it begins; with the seconds
    /// that it took.
    fn tune(&self, before: &Before<'_>, ready: &Ready, control: &Control) -> Result<(Tuned, f64)> {
        let clock = Instant::now();
        let (kernel, examples) = (&ready.prepared.kernel, ready.examples());
        if let Target::Absent { .. } = examples.target {
            let tuned = without_target(kernel, &self.estimator, &examples, self.metric, control, self.seed)?;
            return Ok((tuned, clock.elapsed().as_secs_f64()));
        }
        let scoring = Scoring::of(examples.target, examples.weights, self.metric)?;
        let aim = Aim { scoring, within_noise: before.within_noise };
        let sharing = before.sharing_of(examples.rows());
        let preparation = Preparation { prepared: &ready.prepared, raw: &ready.used.data, settled: None, sharing };
        let mut search = Search::new(kernel, &self.estimator, &examples, Some(preparation), aim, control, self.seed)?;
        if before.is_plain {
            let judged = before.searches.iter().copied().find(|s| s.is_judged());
            let (kernel, estimator) = judged.unwrap_or(search.state()).best()?;
            let tuned = Tuned { kernel, estimator, tuning: None, late: false, told: None };
            return Ok((tuned, clock.elapsed().as_secs_f64()));
        }
        search.suggest(before.searches.iter().copied());
        // Half of the time is kept for the fit itself, and some of the other to look along the parameters.
        search.run(&control.share(0.4))?;
        // A model that is not the best of a comparison is looked along where that is little work.
        let curves = !before.within_noise || search.work_of_curves() <= CURVES_WORK;
        let tuned = search.finish(curves, examples.data, &control.share(0.2))?;
        Ok((tuned, clock.elapsed().as_secs_f64()))
    }
}
