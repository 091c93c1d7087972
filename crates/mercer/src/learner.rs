//! A learner is the recipe: preparation, kernel, estimator. A model is what it leaves: everything prediction needs.

mod builder;
mod conformalise;
mod distributions;
mod explain;
mod fit;
mod influences;
mod input_gradient;
mod model;
mod moved_inducing;
mod pre_images;
mod streaming;
mod svm_path;
mod verify;

pub use conformalise::CONFORMAL_FOLDS;
pub use distributions::DrawnRows;
pub use explain::{Explained, Explanation, MaskedPart, Measure};
pub use influences::{ClassRows, Influences, Masking, PartEffect, PlaceEffects};
pub use input_gradient::InputGradient;
pub use model::{About, Model};
pub use pre_images::{PreImageMethod, PreImages};
pub use svm_path::{PathSettings, TablePath};
pub use verify::Condition;

use crate::control::{Control, contain};
use crate::data::{Dataset, Examples, Split, Target, TargetInfo};
use crate::error::{Error, Result};
use crate::estimators::EstimatorExpr;
use crate::fitting::{Prepared, Sharing, Used, prepare_to_fit};
use crate::kernels::KernelExpr;
use crate::metrics::{Metric, judged_by, require_judged};
use crate::notice::{Notice, SampleReason};
use crate::prep;
use crate::select::{SearchState, Tuned, part};
use crate::trial::Landmarks;
use crate::trial::limits::{FEWEST_ROWS, LEAST_ROWS};
use fit::{FitSettings, TrainingSample};
use serde::{Deserialize, Serialize};

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
pub struct TimedFit {
    /// What it left.
    pub model: Model,
    /// Seconds of tuning.
    pub tune_seconds: f64,
    /// Seconds of the fit itself.
    pub fit_seconds: f64,
}

/// Refuses a sample without rows.
///
/// # Errors
/// 0 rows.
pub fn check_sample(rows: Option<usize>) -> Result<()> {
    match rows {
        Some(0) => Err(Error::Setting { name: "sample (--sample)".into(), why: "a fit needs rows; write 1 or more".into() }),
        _ => Ok(()),
    }
}

/// Results of earlier searches that a fit starts from.
#[derive(Default)]
pub struct FitStart<'a> {
    /// Searches on parts of its rows: the last round of its own begins with what they have found.
    pub searches: &'a [&'a SearchState],
    /// Whether searches end where what is left to gain is below the noise of the criterion, as they do for folds.
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

impl FitStart<'_> {
    /// Where kernel values are shared among so many rows.
    fn sharing_of(&self, rows: usize) -> Option<&Sharing> {
        self.sharing.as_ref().filter(|sharing| sharing.places.len() == rows)
    }
}

impl Learner {
    /// Prepares the data, tunes open parameters, fits, and keeps the rows that prediction needs.
    ///
    /// `data`: N rows without the target; `target`: N; `weights`: N or none.
    pub fn fit(&self, data: &Dataset, target: &Target, info: &TargetInfo, weights: Option<&[f64]>, control: &Control) -> Result<Model> {
        let examples = Examples { data, target, weights, split: &Split::Rows };
        self.fit_from(&FitStart::default(), &examples, info, control).map(|timed| timed.model)
    }

    /// Fits as [`Learner::fit`] does, and measures the seconds of tuning and of the fit. The folds of tuning respect the split of
    /// the examples.
    ///
    /// # Errors
    /// What does not fit together; bounds of `control`; a panic, of a kernel or an estimator of the program's own too.
    pub fn fit_from(&self, start: &FitStart<'_>, examples: &Examples<'_>, info: &TargetInfo, control: &Control) -> Result<TimedFit> {
        contain(format_args!("fitting {}", self.estimator.name()), || self.fit_examples(start, examples, info, control))
    }

    fn fit_examples(&self, start: &FitStart<'_>, examples: &Examples<'_>, info: &TargetInfo, control: &Control) -> Result<TimedFit> {
        let estimator = judged_by(&self.estimator, self.metric);
        if estimator != self.estimator {
            let TimedFit { mut model, tune_seconds, fit_seconds } =
                Learner { estimator, ..self.clone() }.fit_examples(start, examples, info, control)?;
            model.about.asked_estimator = self.estimator.to_string();
            let metric = self.metric.map_or("the metric", Metric::name);
            let name = model.estimator.name();
            model.about.notices.push(Notice::WithProbabilities { metric: metric.into(), estimator: name.into() });
            return Ok(TimedFit { model, tune_seconds, fit_seconds });
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
        let reason = if self.sample == TrainingRows::Affordable { SampleReason::TooMuch } else { SampleReason::OfLearner };
        let given = FitSettings { start, examples, info, landmarks, reason };
        loop {
            let fitted = fit::fit(self, used.clone(), most, &given, control);
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
    pub(crate) fn tuned(&self, start: &FitStart<'_>, examples: &Examples<'_>, control: &Control) -> Result<(Tuned, f64)> {
        let used = Used::of(&self.prep, examples.data, examples.target, examples.weights)?;
        let most = match self.sample {
            TrainingRows::Most(most) | TrainingRows::ThroughLandmarks { most, .. } => most,
            TrainingRows::All | TrainingRows::Affordable => used.rows.len(),
        };
        TrainingSample::of(self, used.rows, most, start, examples)?.tuned(self, start, control)
    }

    /// Columns as inputs.
    fn prepare(&self, data: &Dataset, weights: Option<&[f64]>) -> Result<Prepared> {
        prepare_to_fit(&self.prep, self.kernel.as_ref(), &self.estimator, data, weights)
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
}
