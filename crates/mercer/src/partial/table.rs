//! A learner on rows that come in batches: a sample of the rows settles columns, kernel and parameters, one pass the scales, and one or several
//! the coefficients.

use super::source::{BatchForm, BatchRows, BatchSample, BatchSource};
use super::{Partial, PassOutcome, descends, of_batch, size_of_row};
use crate::control::Control;
use crate::data::{Examples, Split};
use crate::error::{Error, Result};
use crate::estimators::SizeOfPasses;
use crate::fitting::{Prepared, Used, prepare_to_fit, size_of};
use crate::learner::{About, FitStart, Learner, Model};
use crate::notice::Notice;
use crate::prep::{Moments, Recipe};
use crate::read::Fact;
use crate::trial::limits::assumed_rate;
use std::time::{Duration, Instant};

/// What a fit to batches takes of a table before it begins.
#[derive(Clone, Copy, Debug)]
pub struct BatchSettings {
    /// Rows of the sample, at most.
    pub sample: usize,
    /// Landmarks of a kernel without features of its own, at most.
    pub landmarks: usize,
}

impl Default for BatchSettings {
    /// A sample that is tuned on in seconds, and landmarks whose square is summed up at some 1e5 rows a second and core.
    fn default() -> Self {
        BatchSettings { sample: 5_000, landmarks: 1_000 }
    }
}

/// What a fit to batches is going to do once its sample is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BatchPlan {
    /// Bytes that each pass reads, where they are known.
    pub bytes: Option<u64>,
    /// Rows that there are.
    pub rows: usize,
    /// Batches that they come in.
    pub batches: usize,
    /// Rows over which the squares of features are summed up.
    pub squared: usize,
    /// Passes over all rows, those of a descent apart.
    pub passes: usize,
    /// Whether it descends, by as many further passes as that takes.
    pub descends: bool,
    /// Features whose products are summed up, at most.
    pub features: usize,
    /// How long the pass that drew the sample took.
    pub read: Duration,
}

impl BatchPlan {
    /// Seconds of reading, as fast as the sample was read.
    pub fn seconds_of_reading(&self) -> f64 {
        self.passes as f64 * self.read.as_secs_f64()
    }

    /// Seconds of summing up the products of features, by their number and what a second is worth before anything has been measured.
    pub fn seconds_of_sums(&self) -> f64 {
        let operations = 2.0 * (self.features as f64).powi(2) * self.squared as f64;
        operations / assumed_rate()
    }
}

/// A model that was fitted batch by batch.
#[derive(Clone, Debug)]
pub struct BatchedFit {
    /// The model.
    pub model: Model,
    /// What the user should know about how the table was read.
    pub facts: Vec<Fact>,
}

impl dyn BatchSource + '_ {
    /// Fits a learner: open parameters are tuned on a sample of the rows, and a kernel without features of its own goes through landmarks among
    /// them. What is going to be done is announced once the sample is drawn.
    ///
    /// # Errors
    /// An estimator that does not learn from batches; a cell that does not fit its column as the sample has it, by row; what a fit to
    /// the sample refuses; bounds of `control` before there is a model. Time that ends between passes gives the best so far, not converged.
    pub fn fit(
        &self,
        learner: &Learner,
        settings: BatchSettings,
        control: &Control,
        announce: &mut dyn FnMut(&BatchPlan),
    ) -> Result<BatchedFit> {
        let descends = descends(&learner.estimator)?;
        let missing = &learner.prep.missing;
        control.tell("reading a sample of the rows", 0, 1);
        let began = Instant::now();
        let BatchSample { rows: sample, info, facts, all, batches } = self.sample(settings.sample, learner.seed, missing, control)?;
        let read = began.elapsed();
        let recipe = Recipe {
            missing: missing.iter().filter(|(column, _)| !self.target().contains(column)).cloned().collect(),
            ..learner.prep.clone()
        };
        let learner = &Learner { prep: recipe, ..learner.clone() };
        let used = Used::of(&learner.prep, &sample.data, &sample.target, sample.weights.as_deref())?;
        let raw = Examples { data: &sample.data, target: &sample.target, weights: sample.weights.as_deref(), split: &Split::Rows }
            .select(&used.rows);
        let (kernel, estimator) = (learner.kernel.as_ref(), &learner.estimator);
        let mut prepared = prepare_to_fit(&learner.prep, kernel, estimator, &raw.data, raw.weights.as_deref())?;
        let moments = Moments::of(&prepared.prep).filter(|_| all > sample.data.rows());
        let size = size_of(&prepared.kernel, &prepared.data, &raw.target);
        let features = size.rank.unwrap_or(settings.landmarks.min(raw.data.rows()));
        let of_pass = SizeOfPasses { rows: all, ..size_of_row(&prepared.kernel, &prepared.data, raw.data.columns().len()) };
        let every = of_pass.squared_rows(features, size.outputs, descends);
        let (squared, descends) = (all / every, descends || every > 1);
        let passes = 1 + usize::from(moments.is_some());
        announce(&BatchPlan { bytes: self.bytes(), rows: all, batches, squared, passes, descends, features, read });
        if let Some(mut moments) = moments {
            let schema = prepared.prep.schema.clone();
            let form = BatchForm { schema: &schema, info: &info, missing };
            self.pass("scaling the columns", batches, form, control, |number, rows| {
                let used = Used::of(&learner.prep, &rows.data, &rows.target, rows.weights.as_deref());
                let used = used.map_err(|error| of_batch(number, error))?.rows;
                let weights: Option<Vec<f64>> = rows.weights.map(|w| used.iter().map(|&i| w[i]).collect());
                moments.add(&rows.data.select(&used), weights.as_deref())
            })?;
            prepared.prep = moments.finish();
            prepared.data = prepared.prep.apply(&raw.data)?;
        }
        let fit = |learner: &Learner, prepared: &Prepared| {
            let start = FitStart { prepared: Some(prepared), ..FitStart::default() };
            let BatchRows { data, target, weights } = &sample;
            let examples = Examples { data, target, weights: weights.as_deref(), split: &Split::Rows };
            learner.fit_from(&start, &examples, &info, control).map(|fit| fit.model)
        };
        let mut model = fit(learner, &prepared)?;
        if size_of(&prepared.kernel, &prepared.data, &raw.target).rank.is_none() {
            let about = model.about;
            prepared.kernel = model.kernel.expr().clone().through_landmarks(settings.landmarks, learner.seed);
            model = fit(&Learner { kernel: Some(prepared.kernel.clone()), estimator: model.estimator, ..learner.clone() }, &prepared)?;
            let mut notices = model.about.notices;
            notices.extend(about.notices.iter().filter(|said| !notices.contains(said)).cloned().collect::<Vec<_>>());
            model.about = About { notices, ..about };
        }
        let schema = model.prep.schema.clone();
        let mut partial = Partial::new(model, &learner.prep, &raw.data, &raw.target, Some(all), control)?;
        let form = BatchForm { schema: &schema, info: &info, missing };
        // What follows from a pass takes little beside it, and is worth it when time is up.
        let between = &control.for_cancelling();
        let (mut model, passes) = loop {
            let pass = partial.pass();
            let best = partial.finish(between).ok().filter(|_| pass > 1);
            let what = if pass == 1 { "adding up batches".to_owned() } else { format!("adding up batches, pass {pass}") };
            let passed = self.pass(&what, batches, form, control, |number, rows| {
                if best.is_some() && control.out_of_time() {
                    return Err(Error::Time { what: what.clone() });
                }
                partial.add(number, &rows.data, &rows.target, rows.weights.as_deref(), control)
            });
            match (passed, best) {
                (Err(Error::Time { .. }), Some(best)) => break (best, pass - 1),
                (passed, _) => passed?,
            }
            match partial.next(between)? {
                PassOutcome::Model(model) => break (*model, pass),
                PassOutcome::Next(next) => partial = *next,
            }
        };
        let rows = model.about.rows;
        model.about.notices.push(Notice::Batched { rows, batches, passes, sample: used.rows.len() });
        Ok(BatchedFit { model, facts })
    }

    /// One pass over the batches, which says how far it is.
    fn pass(
        &self,
        what: &str,
        batches: usize,
        form: BatchForm<'_>,
        control: &Control,
        mut visit: impl FnMut(u64, BatchRows) -> Result<()>,
    ) -> Result<()> {
        self.each(form, control, &mut |number, rows| {
            control.tell(what, number as usize, batches);
            visit(number, rows)
        })
    }
}
