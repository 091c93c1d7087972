//! A fit from batches of rows that are never together: sums that are added up here or on many machines, in any order, with the same bits.

#[cfg(feature = "read")]
mod source;
#[cfg(feature = "read")]
mod table;
#[cfg(test)]
mod tests;

#[cfg(feature = "read")]
pub use source::{BatchForm, BatchRows, BatchSample, BatchSource, BatchedTable};
#[cfg(feature = "read")]
pub use table::{BatchPlan, BatchSettings, BatchedFit};

use crate::control::{Control, contain};
use crate::data::{Dataset, Target};
use crate::error::{Error, Result};
use crate::estimators::{AfterPass, EstimatorExpr, Fitted, FittedModel, PassSums, Size, SizeOfPasses, Task, View, learner_of};
use crate::fitting::Used;
use crate::kernels::{KernelExpr, Support};
use crate::learner::{About, Model};
use crate::prep;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Rows whose features are held at a time.
const ROWS: usize = 4096;

/// Sums over batches of rows, of which a fit is made: by one pass over them (ridge), or by passes after which [`Partial::next`] says what is
/// added up in the next one. What is learnt before there are sums, the preparation, the kernel with its landmarks and the
/// parameters of the estimator, is that of a model that was fitted to some of the rows.
///
/// Bits do not depend on the order of the batches, nor on which of them are added here and which are merged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Partial {
    model: Model,
    recipe: prep::Recipe,
    sums: PassSums,
    /// The batches that were added in this pass.
    added: AddedBatches,
    /// Those of the passes before; `None` in the first one.
    expected: Option<AddedBatches>,
}

/// Batches that were added in a pass.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct AddedBatches {
    /// Their numbers.
    numbers: BTreeSet<u64>,
    /// Their rows, without those of weight 0 or dropped for a missing cell.
    rows: usize,
}

/// What follows from a pass over all batches.
#[derive(Clone, Debug)]
pub enum PassOutcome {
    /// The model: nothing is left to add.
    Model(Box<Model>),
    /// Sums of the next pass, to which every batch is added once more.
    Next(Box<Partial>),
}

/// Whether the fit of an estimator from batches takes further passes after that of the squares.
///
/// # Errors
/// With the list of those that do, where the estimator does not learn from batches of rows, or not with these parameters.
pub fn descends(estimator: &EstimatorExpr) -> Result<bool> {
    Ok(learner_of(estimator)?.descends())
}

impl Partial {
    /// Sums over no rows for a model that was fitted to some of the rows, which set the scale of the sums: once more these rows, or others of
    /// that model's kind. `recipe`: what is done with rows with missing cells, as in the learner of the model. `rows`: how many are to come,
    /// where that is known: the squares of features are then added up over a sample of them, to precondition passes over all of them, where
    /// that takes fewer operations (Rudi, Carratino and Rosasco 2017, FALKON).
    ///
    /// # Errors
    /// An estimator that does not learn from sums over rows; a kernel whose features are not written out; no memory for the square
    /// of their number.
    pub fn new(
        model: Model,
        recipe: &prep::Recipe,
        data: &Dataset,
        target: &Target,
        rows: Option<usize>,
        control: &Control,
    ) -> Result<Partial> {
        let some: Vec<usize> = (0..data.rows().min(ROWS)).collect();
        let prepared = model.prep.apply(&data.select(&some))?;
        let target = target.select(&some);
        let bound = model.kernel.gram_to_multiply(&prepared, control)?;
        let view = View::Values(bound.as_ref());
        let task = Task { view, target: &target, weights: None, control, seed: model.about.seed };
        let all = rows.map(|rows| SizeOfPasses { rows, ..size_of_row(model.kernel.expr(), &prepared, data.columns().len()) });
        let sums = PassSums::begin(&model.estimator, &task, all)?;
        drop(bound);
        Ok(Partial { model: without_rows(model), recipe: recipe.clone(), sums, added: AddedBatches::default(), expected: None })
    }

    /// The model that says how rows are prepared and compared.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The number of the pass, from 1.
    pub fn pass(&self) -> usize {
        self.sums.pass()
    }

    /// Numbers of the batches that were added in this pass, ascending.
    pub fn batches(&self) -> impl Iterator<Item = u64> {
        self.added.numbers.iter().copied()
    }

    /// Rows that were added in this pass, without those of weight 0 or dropped for a missing cell.
    pub fn rows(&self) -> usize {
        self.added.rows
    }

    /// Adds a batch of rows under a number of its own, wholly or not at all.
    ///
    /// # Errors
    /// A number that was added before, or was not in the passes before; rows without the columns of the model; targets that are not finite; bounds of `control`.
    pub fn add(&mut self, number: u64, data: &Dataset, target: &Target, weights: Option<&[f64]>, control: &Control) -> Result<()> {
        self.require_new(number)?;
        let work = || -> Result<(PassSums, usize)> {
            let mut sums = self.sums.emptied();
            let is_absent = weights.is_some_and(|w| w.iter().all(|w| *w == 0.0));
            let rows = if is_absent { Vec::new() } else { Used::of(&self.recipe, data, target, weights)?.rows };
            for (chunk, some) in rows.chunks(ROWS).enumerate() {
                control.check()?;
                let prepared = self.model.prep.apply(&data.select(some))?;
                let target = target.select(some);
                let weights: Option<Vec<f64>> = weights.map(|w| some.iter().map(|&i| w[i]).collect());
                let bound = self.model.kernel.gram_to_multiply(&prepared, control)?;
                let (view, weights, seed) = (View::Values(bound.as_ref()), weights.as_deref(), self.model.about.seed);
                let task = Task { view, target: &target, weights, control, seed };
                // Batches differ in the first row that is picked.
                sums.add(&self.model.estimator, &task, &self.model.fitted, number as usize + chunk * ROWS)?;
            }
            Ok((sums, rows.len()))
        };
        let (sums, rows) = contain(format_args!("adding batch {number}"), work).map_err(|error| of_batch(number, error))?;
        self.sums.merge(&sums)?;
        self.added.numbers.insert(number);
        self.added.rows += rows;
        Ok(())
    }

    /// Adds the sums over other batches, as of another machine, wholly or not at all.
    ///
    /// # Errors
    /// Sums of another model or pass; a batch that both have.
    pub fn merge(&mut self, other: &Partial) -> Result<()> {
        if other.model.about.version != self.model.about.version {
            let (own, its) = (&self.model.about.version, &other.model.about.version);
            return Err(Error::Data(format!("these sums were made by Mercer {its} and those by {own}; use one version on all machines")));
        }
        if other.model != self.model || other.recipe != self.recipe {
            return Err(Error::Data("these sums are of another model; begin all of them from copies of one".into()));
        }
        if self.pass() == other.pass() {
            other.batches().try_for_each(|number| self.require_new(number))?;
        }
        self.sums.merge(&other.sums)?;
        self.added.numbers.extend(&other.added.numbers);
        self.added.rows += other.added.rows;
        Ok(())
    }

    /// What follows from a pass over all batches: the model, or the sums of the next pass, to which all of them are added again. A model that
    /// is not converged says so in its summary.
    ///
    /// # Errors
    /// No rows; batches of the first pass that were not added; a system that is singular in working precision; bounds of `control`.
    pub fn next(&self, control: &Control) -> Result<PassOutcome> {
        self.require_all()?;
        Ok(match self.sums.after(&self.model.estimator, &self.model.fitted, control)? {
            AfterPass::Done(fitted) => PassOutcome::Model(Box::new(self.model_of(*fitted))),
            AfterPass::Next(sums) => {
                let expected = Some(self.expected.as_ref().unwrap_or(&self.added).clone());
                let (model, recipe) = (self.model.clone(), self.recipe.clone());
                PassOutcome::Next(Box::new(Partial { model, recipe, sums, added: AddedBatches::default(), expected }))
            }
        })
    }

    /// The best model so far: of an estimator of one pass that of all batches that were added, after which more can be added; of others that of
    /// the passes that are done, and its summary says whether it is converged.
    ///
    /// # Errors
    /// No rows, or passes that are too few for a model; a system that is singular in working precision; bounds of `control`.
    pub fn finish(&self, control: &Control) -> Result<Model> {
        self.sums.best(&self.model.estimator, &self.model.fitted, control).map(|fitted| self.model_of(fitted))
    }

    fn model_of(&self, fitted: FittedModel) -> Model {
        let rows = self.expected.as_ref().unwrap_or(&self.added).rows;
        Model { fitted, about: About { rows, ..self.model.about.clone() }, ..self.model.clone() }
    }

    fn require_new(&self, number: u64) -> Result<()> {
        if self.added.numbers.contains(&number) {
            return Err(Error::Data(format!("batch {number} was added before; a batch counts once, so give each a number of its own")));
        }
        if self.expected.as_ref().is_some_and(|expected| !expected.numbers.contains(&number)) {
            return Err(Error::Data(format!("batch {number} was not in the passes before; every pass goes over the same batches")));
        }
        Ok(())
    }

    /// An error unless this pass has gone over the batches of the passes before.
    fn require_all(&self) -> Result<()> {
        let Some(expected) = &self.expected else { return Ok(()) };
        if let Some(number) = expected.numbers.difference(&self.added.numbers).next() {
            let (count, of, pass) = (self.added.numbers.len(), expected.numbers.len(), self.pass());
            return Err(Error::Data(format!("pass {pass} has {count} of {of} batches; add the others, of which batch {number} is one")));
        }
        if expected.rows != self.added.rows {
            let (now, before, pass) = (self.added.rows, expected.rows, self.pass());
            return Err(Error::Data(format!(
                "pass {pass} has {now} rows in the batches in which the passes before had {before}; every pass goes over the same rows"
            )));
        }
        Ok(())
    }

    /// An error unless the parts are consistent: checked of what is read from bytes.
    pub(crate) fn check(&self, control: &Control) -> Result<()> {
        self.model.check(control)?;
        self.sums.check()
    }
}

/// What a row takes in a pass. `cells`: of a row before its preparation.
fn size_of_row(kernel: &KernelExpr, prepared: &Dataset, cells: usize) -> SizeOfPasses {
    let per_value = kernel.per_value(prepared).unwrap_or(Size::PER_VALUE);
    // Features through landmarks are applied, and not formed.
    let formed = if matches!(kernel, KernelExpr::Nystroem(_)) { 2.0 * kernel.rank(prepared).unwrap_or(0) as f64 } else { 0.0 };
    SizeOfPasses { rows: 1, cells, per_feature: (per_value - formed).max(1.0) }
}

/// A model that keeps no training row, nor what is numbered by them.
fn without_rows(mut model: Model) -> Model {
    model.fitted.forget_rows();
    let support: Support = model.support.select(&[]).as_items().into();
    let about = About { left_out: Vec::new(), ..model.about };
    Model { support, about, conformal: None, ..model }
}

/// The error with the batch that it was met in.
fn of_batch(number: u64, error: Error) -> Error {
    match error {
        Error::Data(why) => Error::Data(format!("batch {number}: {why}")),
        Error::Numerical { what, why } => Error::Numerical { what: format!("batch {number}: {what}"), why },
        Error::Shape { what, expected, found } => Error::Shape { what: format!("batch {number}: {what}"), expected, found },
        other => other,
    }
}
