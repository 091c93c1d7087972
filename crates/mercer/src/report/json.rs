//! The comparison as one JSON document. Numbers that are not known are `null`.

use super::predictions::{DeviationOf, standard_deviation};
use super::{AgainstBest, Comparison, Difference, Estimate, Method, Metric, Row, TargetScore, TestedOn};
use crate::compare::OutOfFold;
use crate::error::{Error, Result};
use crate::estimators::{Certificate, Predicted as Values};
use crate::linalg::Matrix;
use crate::select::{TunedParameter, Tuning};
use crate::trial::{Spent, Trial};
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;

#[derive(Serialize)]
struct Document<'a> {
    command: &'a str,
    task: &'static str,
    kernel: &'a str,
    folds: usize,
    seed: u64,
    metric: Metric,
    verdict: String,
    standings: Vec<String>,
    leaks: &'a [String],
    classes: &'a [String],
    recommendation: Vec<String>,
    class_rows: BTreeMap<&'a str, usize>,
    baseline: Option<Estimate>,
    corrected: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    test: Option<&'a TestedOn>,
    notices: Vec<&'a String>,
    rows: Vec<CandidateRecord<'a>>,
    trials: Vec<Work<'a>>,
}

/// One trial, and what it took.
#[derive(Serialize)]
struct Work<'a> {
    estimator: &'a str,
    purpose: &'static str,
    fold: Option<usize>,
    rows: usize,
    seconds: f64,
    operations: f64,
}

#[derive(Serialize)]
struct CandidateRecord<'a> {
    estimator: &'a str,
    settled: &'a str,
    #[serde(serialize_with = "by_name")]
    metrics: &'a [(Metric, Estimate)],
    #[serde(skip_serializing_if = "Option::is_none")]
    test: Option<Estimate>,
    recalls: BTreeMap<&'a str, Option<f64>>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    targets: BTreeMap<&'a str, TargetScore>,
    at_start: bool,
    scored_rows: usize,
    fitted_rows: usize,
    support: usize,
    #[serde(skip_serializing_if = "none_kept")]
    weights: usize,
    fit_seconds: f64,
    predict_us_per_row: f64,
    converged: bool,
    certificate: Option<&'a Certificate>,
    tuning: Option<TuningInWords<'a>>,
    method: Option<&'a Method>,
    best: bool,
    difference: Option<Difference>,
    over_guess: Option<Difference>,
    against_best: AgainstBest,
    #[serde(serialize_with = "by_fold")]
    folds: &'a [(Metric, Vec<f64>)],
    #[serde(skip_serializing_if = "Option::is_none")]
    held_out: Option<Predicted<'a>>,
    failure: Option<&'a str>,
}

/// Whether no weights of features are kept.
fn none_kept(weights: &usize) -> bool {
    *weights == 0
}

impl<'a> Work<'a> {
    fn of((trial, spent): &'a (Trial, Spent)) -> Self {
        Work {
            estimator: trial.estimator.name(),
            purpose: trial.purpose.name(),
            fold: trial.rows.fold.map(|k| k + 1),
            rows: trial.rows.most,
            seconds: spent.seconds,
            operations: spent.operations,
        }
    }
}

/// Predictions of rows by the models that had not seen them, in the order of the rows.
#[derive(Serialize)]
struct Predicted<'a> {
    rows: Vec<usize>,
    predicted: Labels<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    probabilities: Option<Vec<Vec<f64>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    standard_deviation: Option<Vec<Vec<f64>>>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Labels<'a> {
    Classes(Vec<&'a str>),
    Numbers(Vec<Vec<f64>>),
}

impl<'a> Predicted<'a> {
    fn of(found: &'a OutOfFold, classes: &'a [String]) -> Self {
        let lists = |m: &Matrix| (0..m.rows()).map(|i| m.row(i).to_vec()).collect::<Vec<_>>();
        let p = &found.predictions;
        Predicted {
            rows: found.rows.iter().map(|i| i + 1).collect(),
            predicted: match &p.values {
                Values::Classes(codes) => Labels::Classes(codes.iter().filter_map(|&k| classes.get(k)).map(String::as_str).collect()),
                Values::Numbers(m) => Labels::Numbers(lists(m)),
            },
            probabilities: p.probabilities.as_ref().map(lists),
            standard_deviation: standard_deviation(p, DeviationOf::Target).as_ref().map(lists),
        }
    }
}

/// A map from the metric's name to its value in each fold, null where the rows of a fold do not define it.
fn by_fold<S: Serializer>(folds: &[(Metric, Vec<f64>)], to: S) -> std::result::Result<S::Ok, S::Error> {
    to.collect_map(folds.iter().map(|(m, values)| (m.name(), values)))
}

/// A map from the metric's name to its estimate, in the row's order.
fn by_name<S: Serializer>(metrics: &[(Metric, Estimate)], to: S) -> std::result::Result<S::Ok, S::Error> {
    to.collect_map(metrics.iter().map(|(m, e)| (m.name(), e)))
}

impl<'a> CandidateRecord<'a> {
    fn of(row: &'a Row, comparison: &'a Comparison, held_out: bool) -> Self {
        let classes = comparison.classes();
        CandidateRecord {
            recalls: classes.iter().map(String::as_str).zip(row.recalls.iter().copied()).collect(),
            targets: comparison.targets().iter().map(String::as_str).zip(row.by_target.iter().copied()).collect(),
            estimator: &row.estimator,
            settled: &row.settled,
            metrics: &row.metrics,
            test: row.test,
            at_start: row.status.at_start,
            scored_rows: row.status.rows,
            fitted_rows: row.status.fitted_rows,
            support: row.support,
            weights: row.weights,
            fit_seconds: row.fit_seconds,
            predict_us_per_row: row.predict_us_per_row,
            converged: row.converged,
            certificate: row.certificate.as_ref(),
            tuning: row.tuning.as_ref().map(TuningInWords::of),
            method: row.method.as_ref(),
            best: row.best,
            difference: row.difference,
            over_guess: row.over_guess,
            against_best: comparison.against_best(row),
            folds: &row.folds,
            held_out: row.held_out.as_ref().filter(|_| held_out).map(|found| Predicted::of(found, classes)),
            failure: row.failure.as_deref(),
        }
    }
}

impl Comparison {
    /// The JSON document that `--json` writes: settings, then one object per estimator, the best first; ends with a line break.
    pub fn json(&self) -> Result<String> {
        self.document(false)
    }

    /// The JSON document with `held_out` for each estimator: rows (from 1), what was predicted for each by the model that had not
    /// seen it, and probabilities (in the order of `classes`) or the standard deviation where there are any.
    pub fn json_with_held_out(&self) -> Result<String> {
        self.document(true)
    }

    fn document(&self, held_out: bool) -> Result<String> {
        let classes = self.classes();
        let document = Document {
            metric: self.ranking(),
            verdict: self.verdict(),
            standings: self.standings(),
            leaks: &self.leaks,
            classes,
            recommendation: self.recommendation(),
            class_rows: classes.iter().map(String::as_str).zip(self.class_rows.iter().copied()).collect(),
            baseline: self.baseline,
            corrected: self.corrected,
            test: self.test.as_ref(),
            notices: self.facts.iter().chain(&self.notices).collect(),
            command: &self.command,
            task: self.task.name(),
            kernel: &self.kernel,
            folds: self.folds,
            seed: self.seed,
            rows: self.entries.iter().map(|row| CandidateRecord::of(row, self, held_out)).collect(),
            trials: self.trials.iter().map(Work::of).collect(),
        };
        let mut text = serde_json::to_string_pretty(&document)
            .map_err(|e| Error::Numerical { what: "writing the comparison as JSON".into(), why: e.to_string() })?;
        text.push('\n');
        Ok(text)
    }
}

/// The result of tuning, what it went by as words.
#[derive(Serialize)]
pub(super) struct TuningInWords<'a> {
    criterion: String,
    rises: bool,
    value: Option<f64>,
    same: Option<f64>,
    evaluations: usize,
    complete: bool,
    rows: usize,
    parameters: &'a [TunedParameter],
}

impl<'a> TuningInWords<'a> {
    pub(super) fn of(tuning: &'a Tuning) -> Self {
        let Tuning { criterion, rises, value, same, evaluations, complete, rows, parameters } = tuning;
        TuningInWords {
            criterion: criterion.to_string(),
            rises: *rises,
            value: *value,
            same: *same,
            evaluations: *evaluations,
            complete: *complete,
            rows: *rows,
            parameters,
        }
    }
}
