//! A learner on a table file that is read batch by batch: a sample of the rows settles columns, kernel and parameters, one pass the scales, and one
//! or several the coefficients.

use super::{Partial, PassOutcome, require_sums};
use crate::control::Control;
use crate::data::{Dataset, Examples, Schema, Split, Target, TargetInfo};
use crate::error::{Error, Result};
use crate::fitting::{Prepared, Used, prepare_to_fit, size_of};
use crate::learner::{About, FitStart, Learner, Model};
use crate::notice::Notice;
use crate::prep::{Missing, Moments, Recipe};
use crate::read::{Batch, Batches, Fact, ReadOptions, Table};

/// A table file with the roles of its columns.
#[derive(Clone, Debug)]
pub struct BatchedTable<'a> {
    /// The file.
    pub batches: &'a Batches,
    /// How its columns are to be read.
    pub options: &'a ReadOptions,
    /// The columns to predict.
    pub target: &'a [String],
    /// The column of weights.
    pub weights: Option<&'a str>,
}

/// What a fit to batches takes of a table before it begins.
#[derive(Clone, Copy, Debug)]
pub struct BatchSettings {
    /// BatchRows of the sample, at most.
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

/// A model that was fitted batch by batch.
#[derive(Clone, Debug)]
pub struct BatchedFit {
    /// The model.
    pub model: Model,
    /// What the user should know about how the table was read.
    pub facts: Vec<Fact>,
}

/// BatchRows with their targets and weights.
struct BatchRows {
    data: Dataset,
    target: Target,
    weights: Option<Vec<f64>>,
}

impl BatchedTable<'_> {
    /// Fits a learner: open parameters are tuned on a sample of the rows, and a kernel without features of its own goes through landmarks among
    /// them.
    ///
    /// # Errors
    /// An estimator that does not learn from batches; a cell that does not fit its column as the sample has it, by row; what a fit to
    /// the sample refuses; bounds of `control` before there is a model. Time that ends between passes gives the best so far, not converged.
    pub fn fit(&self, learner: &Learner, settings: BatchSettings, control: &Control) -> Result<BatchedFit> {
        require_sums(&learner.estimator)?;
        let missing = &learner.prep.missing;
        control.tell("reading a sample of the rows", 0, 1);
        let mut sampled = self.batches.sample(settings.sample, learner.seed, control)?;
        let table = &mut sampled.table;
        let read = self.first(table, missing).map_err(|error| table.in_file(error));
        let facts = table.facts();
        let (sample, info) = read?;
        let recipe = Recipe {
            missing: missing.iter().filter(|(column, _)| !self.target.contains(column)).cloned().collect(),
            ..learner.prep.clone()
        };
        let learner = &Learner { prep: recipe, ..learner.clone() };
        let used = Used::of(&learner.prep, &sample.data, &sample.target, sample.weights.as_deref())?;
        let raw = Examples { data: &sample.data, target: &sample.target, weights: sample.weights.as_deref(), split: &Split::Rows }
            .select(&used.rows);
        let (kernel, estimator) = (learner.kernel.as_ref(), &learner.estimator);
        let mut prepared = prepare_to_fit(&learner.prep, kernel, estimator, &raw.data, raw.weights.as_deref())?;
        if let Some(mut moments) = Moments::of(&prepared.prep).filter(|_| sampled.rows > sample.data.rows()) {
            let schema = prepared.prep.schema.clone();
            self.pass("scaling the columns", sampled.batches, control, |_, table| {
                let Some(rows) = self.next(table, &schema, &info, missing)? else { return Ok(()) };
                let used = Used::of(&learner.prep, &rows.data, &rows.target, rows.weights.as_deref())?.rows;
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
        let mut partial = Partial::new(model, &learner.prep, &raw.data, &raw.target, control)?;
        // What follows from a pass takes little beside it, and is worth it when time is up.
        let between = &control.for_cancelling();
        let (mut model, passes) = loop {
            let pass = partial.pass();
            let best = partial.finish(between).ok().filter(|_| pass > 1);
            let what = if pass == 1 { "adding up batches".to_owned() } else { format!("adding up batches, pass {pass}") };
            let passed = self.pass(&what, sampled.batches, control, |number, table| {
                if best.is_some() && control.out_of_time() {
                    return Err(Error::Time { what: what.clone() });
                }
                let Some(rows) = self.next(table, &schema, &info, missing)? else { return Ok(()) };
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
        let (rows, batches) = (model.about.rows, sampled.batches);
        model.about.notices.push(Notice::Batched { rows, batches, passes, sample: used.rows.len() });
        Ok(BatchedFit { model, facts })
    }

    /// One pass over the batches of the file, with complaints that name the row in the file.
    fn pass(&self, what: &str, batches: usize, control: &Control, mut visit: impl FnMut(u64, &mut Table) -> Result<()>) -> Result<()> {
        self.batches.each(control, |Batch { number, mut table }| {
            control.tell(what, number as usize, batches);
            visit(number, &mut table).map_err(|error| table.in_file(error))
        })
    }

    /// The parts of the sample, which says what columns are.
    fn first(&self, table: &mut Table, missing: &[(String, Missing)]) -> Result<(BatchRows, TargetInfo)> {
        Missing::targets_to_drop(missing, self.target)?.into_iter().try_for_each(|name| table.leave_out_missing(name))?;
        let weights = self.weights.map(|name| table.take_weights(name)).transpose()?;
        let (target, info) = table.take_target(self.target, self.options)?;
        let data = table.dataset(self.options)?;
        Ok((BatchRows { data, target, weights }, info))
    }

    /// The parts of a batch, read as the sample was; none where no row of it has a target.
    fn next(&self, table: &mut Table, schema: &Schema, info: &TargetInfo, missing: &[(String, Missing)]) -> Result<Option<BatchRows>> {
        for name in Missing::targets_to_drop(missing, self.target)? {
            table.leave_out_missing_of_part(name)?;
        }
        if table.rows() == 0 {
            return Ok(None);
        }
        let weights = self.weights.map(|name| table.take_weights_of_part(name)).transpose()?;
        let target = table.take_target_like(info)?;
        let data = table.dataset_like(schema, self.options)?;
        Ok(Some(BatchRows { data, target, weights }))
    }
}
