//! Scores of the models of a comparison on a table of its own, which no fold and no search has seen.

use super::gather::ranked;
use super::words::counted;
use super::{Comparison, Estimate};
use crate::compare::Outcome;
use crate::control::Control;
use crate::data::{Dataset, Fold, Schema, Split, Target};
use crate::error::{Error, Result};
use crate::fitting::Used;
use crate::learner::Model;
use crate::metrics::{HeldOut, Scoring};
use crate::notice::Notice;
use crate::prep::Recipe;
use serde::Serialize;

/// Rows on which the models of a comparison are scored.
#[derive(Clone, Copy, Debug)]
pub struct TestRows<'a> {
    /// The name of their table.
    pub table: &'a str,
    /// The rows without the target.
    pub data: &'a Dataset,
    /// The target, with the classes of training.
    pub target: &'a Target,
    /// Weights of the rows.
    pub weights: Option<&'a [f64]>,
}

impl TestRows<'_> {
    /// Refuses rows that cannot be scored, before a model is fitted.
    ///
    /// # Errors
    /// Columns other than those of `training`; a target or weights of another length; a number or a weight that is not finite.
    pub fn check(&self, training: &Dataset) -> Result<()> {
        Schema::of(training).align(self.data)?;
        Used::of(&Recipe::default(), self.data, self.target, self.weights).map(drop)
    }
}

/// The table on which the models were scored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TestedOn {
    /// Its name.
    pub table: String,
    /// Its rows.
    pub rows: usize,
}

impl Comparison {
    /// Scores the model of each row on other rows, by the metric that ranks, each with its standard error by the rows. A model that gives
    /// no score has none, and a notice says why. `training` is the target that the models were fitted to.
    ///
    /// # Errors
    /// That the work is cancelled.
    pub fn score_on(&mut self, test: &TestRows<'_>, outcome: &Outcome, training: &Target, control: &Control) -> Result<()> {
        let scoring = Scoring::of(training, None, Some(self.ranking()))?;
        for (entry, place) in self.entries.iter_mut().zip(ranked(outcome)) {
            let Some(model) = &outcome.rows[place].model else { continue };
            match scored(model, test, &scoring, control) {
                Ok(score) => entry.test = score,
                Err(Error::Cancelled) => return Err(Error::Cancelled),
                Err(why) => {
                    let (estimator, table) = (entry.estimator.clone(), test.table.to_owned());
                    self.notices.push(Notice::NoTestScore { estimator, table, why: why.to_string() }.to_string());
                }
            }
        }
        self.test = Some(TestedOn { table: test.table.to_owned(), rows: test.data.rows() });
        Ok(())
    }

    /// What the column of the test table means; empty where there is none.
    pub(super) fn test_legend(&self) -> String {
        let said = |test: &TestedOn| {
            format!(" test: {} on {} of {}, by the models of all rows.", self.ranking().heading(), counted(test.rows, "row"), test.table)
        };
        self.test.as_ref().map(said).unwrap_or_default()
    }
}

/// The deciding metric on all rows of a table; `None` where they or the model do not define it.
fn scored(model: &Model, test: &TestRows<'_>, scoring: &Scoring, control: &Control) -> Result<Option<Estimate>> {
    let predictions = model.predict(test.data, scoring.deciding.wants(), control)?;
    let folds = [Fold { train: Vec::new(), test: (0..test.data.rows()).collect() }];
    let held_out = HeldOut { folds: &folds, target: test.target, weights: test.weights, split: &Split::Rows, seed: 0 };
    Ok(held_out.judged(&[&predictions], scoring).map(|judged| judged.estimate()).filter(|estimate| estimate.mean.is_finite()))
}
