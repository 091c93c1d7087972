//! From the outcome of a comparison or of a fit to what is said about it.

use super::words::{brief_estimator, brief_kernel};
use super::{Comparison, Row, Task, pictures, tuning};
use crate::compare::{Comparing, Outcome, Scored};
use crate::control::Control;
use crate::data::{Dataset, Target};
use crate::error::Result;
use crate::estimators::Fitted;
use crate::learner::Model;
use crate::read::TargetInfo;

/// Seconds that the pictures of a report may take although the time is spent.
const PICTURES: f64 = 1.0;

/// What a comparison was asked about, besides its outcome.
pub struct Request<'a> {
    /// The command that repeats it.
    pub command: String,
    /// The table as the user named it.
    pub table: String,
    /// Its rows without the target, as read.
    pub data: &'a Dataset,
    /// The target.
    pub target: &'a Target,
    /// Names of target and classes.
    pub info: &'a TargetInfo,
    /// What was compared, and how.
    pub comparing: &'a Comparing,
    /// What reading the table gave notice of.
    pub read_notices: &'a [String],
}

impl Comparison {
    /// Everything that is to be said about an outcome. Its pictures are computed within `control`, and in a second where no
    /// time is left.
    pub fn of(outcome: &Outcome, request: &Request<'_>, control: &Control) -> Result<Comparison> {
        let task = match &request.info.classes {
            Some(classes) => Task::Classification { classes: classes.clone() },
            None => Task::Regression { targets: request.info.names.clone() },
        };
        let control = control.at_least(PICTURES);
        let entries = outcome
            .rows
            .iter()
            .enumerate()
            .map(|(i, scored)| row(scored, outcome.best == Some(i), request, &control))
            .collect::<Result<Vec<_>>>()?;
        let mut notices: Vec<String> = request.read_notices.iter().chain(&outcome.notices).cloned().collect();
        notices.extend(shared_notices(outcome));
        let of_rows: Vec<String> = outcome.rows.iter().flat_map(|r| fit_notices(r, &notices)).collect();
        notices.extend(of_rows);
        Ok(Comparison {
            command: request.command.clone(),
            table: request.table.clone(),
            rows: request.data.rows(),
            task,
            kernel: outcome.kernel.to_string(),
            folds: request.comparing.folds,
            seed: request.comparing.seed,
            columns: outcome.columns.clone(),
            notices,
            entries,
        })
    }
}

/// What every fit to all rows gave notice of, and the comparison did not.
fn shared_notices(outcome: &Outcome) -> Vec<String> {
    let models: Vec<&Model> = outcome.rows.iter().filter_map(|r| r.model.as_ref()).collect();
    let Some(first) = models.first() else { return Vec::new() };
    let shared = |n: &&String| !outcome.notices.contains(n) && models.len() > 1 && models.iter().all(|m| m.about.notices.contains(n));
    first.about.notices.iter().filter(shared).cloned().collect()
}

/// What there is to say of the fit to all rows and of its search that is not said of the whole, the estimator in front.
fn fit_notices(scored: &Scored, said: &[String]) -> Vec<String> {
    let Some(model) = &scored.model else { return Vec::new() };
    let of_fit = model.about.notices.iter().filter(|n| !said.contains(n)).cloned();
    let of_search = model.about.tuning.iter().flat_map(|t| tuning::notices(t, model.about.rows));
    of_fit.chain(of_search).map(|s| format!("{}: {s}", scored.estimator.name())).collect()
}

impl Row {
    /// What can be said of a model and of the rows that it was fitted to, without any rows held out; its pictures as in
    /// [`Comparison::of`].
    pub fn of_model(model: &Model, data: &Dataset, target: &Target, control: &Control) -> Result<Row> {
        let mut row = Row { estimator: model.estimator.name().into(), ..Row::default() };
        row.describe(model);
        row.pictures = pictures::of_model(model, data, target, &control.at_least(PICTURES))?;
        Ok(row)
    }

    fn describe(&mut self, model: &Model) {
        let summary = model.summary();
        let with = |kernel: String| if model.estimator.uses_kernel() { format!(" with {kernel}") } else { String::new() };
        self.settled = format!("{}{}", model.estimator, with(model.kernel.to_string()));
        self.brief = format!("{}{}", brief_estimator(&model.estimator), with(brief_kernel(&model.kernel)));
        self.support = model.fitted.support().len();
        self.converged = summary.converged;
        self.certificate = summary.certificate.clone();
        self.tuning = model.about.tuning.clone();
    }
}

fn row(scored: &Scored, best: bool, request: &Request<'_>, control: &Control) -> Result<Row> {
    let mut row = Row {
        estimator: scored.estimator.to_string(),
        metrics: scored.metrics.clone(),
        fit_seconds: scored.fit_seconds,
        predict_us_per_row: scored.predict_us_per_row,
        best,
        difference: scored.difference,
        failure: scored.failure.as_ref().map(ToString::to_string),
        ..Row::default()
    };
    if let Some(model) = &scored.model {
        row.describe(model);
        row.pictures = pictures::of_model(model, request.data, request.target, control)?;
        row.pictures.extend(pictures::of_held_out(scored, request));
        row.pictures.sort_by_key(|p| p.place());
    }
    Ok(row)
}
