//! Online updates: a model of an online estimator continues training on new rows.

use super::{About, Model};
use crate::control::{Control, contain};
use crate::data::{Dataset, Target};
use crate::error::{Error, Result};
use crate::estimators::{FitContext, Task};
use crate::fitting::{read_rows, support_of};

impl Model {
    /// Learns on from rows that come, of an estimator that sees one row after another. `data` holds the rows that the model keeps, in
    /// the order of [`Model::support_rows`], and new rows after them; the model that this gives keeps some of these. Preparation and
    /// kernel stay as they were learnt.
    ///
    /// # Errors
    /// An estimator that learns from all rows at once; a kernel that needs all training rows.
    pub fn learn_on(&self, data: &Dataset, known: usize, target: &Target, weights: Option<&[f64]>, control: &Control) -> Result<Model> {
        contain(format_args!("learning on by {}", self.estimator.name()), || self.learnt_on(data, known, target, weights, control))
    }

    fn learnt_on(&self, data: &Dataset, known: usize, target: &Target, weights: Option<&[f64]>, control: &Control) -> Result<Model> {
        Error::unless_equal("rows of the target", data.rows(), target.rows())?;
        Error::unless_equal("weights", data.rows(), weights.map_or(data.rows(), <[f64]>::len))?;
        Error::unless_equal("support rows before the new ones", self.support.rows(), known)?;
        if self.kernel.expr().needs_training_rows() {
            return Err(Error::Data(format!("{} needs all training rows, and those of a stream are not kept", self.kernel)));
        }
        let absent = |i: usize| i >= known && weights.is_some_and(|w| w[i] == 0.0);
        let (left_out, rows): (Vec<usize>, Vec<usize>) = (0..data.rows()).partition(|i| absent(*i));
        let prepared = self.prep.apply(data)?.select(&rows);
        let (target, weights) = (target.select(&rows), weights.map(|w| rows.iter().map(|&i| w[i]).collect::<Vec<_>>()));
        let reading = read_rows(&self.kernel, self.estimator.needs().view(), &prepared, control)?;
        let task = Task { view: reading.view(), target: &target, weights: weights.as_deref(), control, seed: self.about.seed };
        let fitted = self.estimator.fit_with(&task, &FitContext::continuing(&self.fitted, known))?.fitted;
        drop(reading);
        let support = support_of(&self.kernel, &fitted, &prepared);
        let seen = self.about.rows + rows.len() - known;
        let about = About { rows: seen, left_out, ..self.about.clone() };
        // Scores of rows that an earlier state predicted are not those of this one.
        Ok(Model { support, fitted, about, conformal: None, ..self.clone() })
    }
}
