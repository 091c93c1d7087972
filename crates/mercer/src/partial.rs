//! A fit from batches of rows that are never together: sums that are added up here or on many machines, in any order, with the same bits.

#[cfg(feature = "read")]
mod source;
#[cfg(feature = "read")]
mod table;

#[cfg(feature = "read")]
pub use source::{BatchForm, BatchRows, BatchSample, BatchSource, BatchedTable};
#[cfg(feature = "read")]
pub use table::{BatchPlan, BatchSettings, BatchedFit};

use crate::control::{Control, contain};
use crate::data::{Dataset, Target};
use crate::error::{Error, Result};
use crate::estimators::{Fitted, SquareSums, Task, add_squares, begin_squares, fit_of_squares};
use crate::fitting::{Used, read_rows};
use crate::kernels::Support;
use crate::learner::{About, Model};
use crate::prep;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Rows whose features are held at a time.
const ROWS: usize = 4096;

/// Sums over batches of rows, of which a fit is made. What is learnt before there are sums, the preparation, the kernel with its landmarks and the
/// parameters of the estimator, is that of a model that was fitted to some of the rows.
///
/// Bits do not depend on the order of the batches, nor on which of them are added here and which are merged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Partial {
    model: Model,
    recipe: prep::Recipe,
    sums: SquareSums,
    /// Numbers of the batches that were added.
    batches: BTreeSet<u64>,
    /// Rows that were added.
    rows: usize,
}

impl Partial {
    /// Sums over no rows for a model that was fitted to some of the rows, which set the scale of the sums: once more these rows, or others of
    /// that model's kind. `recipe`: what is done with rows with missing cells, as in the learner of the model.
    ///
    /// # Errors
    /// An estimator that does not learn from sums over rows (ridge does); a kernel whose features are not written out; no memory for the square
    /// of their number.
    pub fn new(model: Model, recipe: &prep::Recipe, data: &Dataset, target: &Target, control: &Control) -> Result<Partial> {
        let some: Vec<usize> = (0..data.rows().min(ROWS)).collect();
        let prepared = model.prep.apply(&data.select(&some))?;
        let target = target.select(&some);
        let reading = read_rows(&model.kernel, model.estimator.needs().view(), &prepared, control)?;
        let task = Task { view: reading.view(), target: &target, weights: None, control, seed: model.about.seed };
        let sums = begin_squares(&model.estimator, &task)?;
        drop(reading);
        Ok(Partial { model: without_rows(model), recipe: recipe.clone(), sums, batches: BTreeSet::new(), rows: 0 })
    }

    /// The model that says how rows are prepared and compared.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Numbers of the batches that were added, ascending.
    pub fn batches(&self) -> impl Iterator<Item = u64> {
        self.batches.iter().copied()
    }

    /// Rows that were added, without those of weight 0 or dropped for a missing cell.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Adds a batch of rows under a number of its own, wholly or not at all.
    ///
    /// # Errors
    /// A number that was added before; rows without the columns of the model; targets that are not finite; bounds of `control`.
    pub fn add(&mut self, number: u64, data: &Dataset, target: &Target, weights: Option<&[f64]>, control: &Control) -> Result<()> {
        self.require_new(number)?;
        let work = || -> Result<(SquareSums, usize)> {
            let mut sums = self.sums.emptied();
            let is_absent = weights.is_some_and(|w| w.iter().all(|w| *w == 0.0));
            let rows = if is_absent { Vec::new() } else { Used::of(&self.recipe, data, target, weights)?.rows };
            for some in rows.chunks(ROWS) {
                control.check()?;
                let prepared = self.model.prep.apply(&data.select(some))?;
                let target = target.select(some);
                let weights: Option<Vec<f64>> = weights.map(|w| some.iter().map(|&i| w[i]).collect());
                let reading = read_rows(&self.model.kernel, self.model.estimator.needs().view(), &prepared, control)?;
                let (weights, seed) = (weights.as_deref(), self.model.about.seed);
                add_squares(&mut sums, &Task { view: reading.view(), target: &target, weights, control, seed })?;
            }
            Ok((sums, rows.len()))
        };
        let (sums, rows) = contain(format_args!("adding batch {number}"), work).map_err(|error| of_batch(number, error))?;
        self.sums.merge(&sums)?;
        self.batches.insert(number);
        self.rows += rows;
        Ok(())
    }

    /// Adds the sums over other batches, as of another machine, wholly or not at all.
    ///
    /// # Errors
    /// Sums of another model; a batch that both have.
    pub fn merge(&mut self, other: &Partial) -> Result<()> {
        if other.model.about.version != self.model.about.version {
            let (own, its) = (&self.model.about.version, &other.model.about.version);
            return Err(Error::Data(format!("these sums were made by Mercer {its} and those by {own}; use one version on all machines")));
        }
        if other.model != self.model || other.recipe != self.recipe {
            return Err(Error::Data("these sums are of another model; begin all of them from copies of one".into()));
        }
        other.batches.iter().try_for_each(|&number| self.require_new(number))?;
        self.sums.merge(&other.sums)?;
        self.batches.extend(&other.batches);
        self.rows += other.rows;
        Ok(())
    }

    /// The model that is fitted to all batches that were added; more can be added afterwards.
    ///
    /// # Errors
    /// No rows; a system that is singular in working precision; bounds of `control`.
    pub fn finish(&self, control: &Control) -> Result<Model> {
        let fitted = fit_of_squares(&self.model.estimator, &self.sums, &self.model.fitted, control)?;
        let about = About { rows: self.rows, ..self.model.about.clone() };
        Ok(Model { fitted, about, ..self.model.clone() })
    }

    fn require_new(&self, number: u64) -> Result<()> {
        match self.batches.contains(&number) {
            true => Err(Error::Data(format!("batch {number} was added before; a batch counts once, so give each a number of its own"))),
            false => Ok(()),
        }
    }

    /// An error unless the parts are consistent: checked of what is read from bytes.
    pub(crate) fn check(&self, control: &Control) -> Result<()> {
        self.model.check(control)?;
        self.sums.check()
    }
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
