//! The comparison as one JSON document. Numbers that are not known are `null`.

use super::{Comparison, Estimate, Method, Metric, Row};
use crate::error::{Error, Result};
use crate::estimators::Certificate;
use crate::select::Tuning;
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
    recommendation: Vec<String>,
    class_rows: BTreeMap<&'a str, usize>,
    baseline: Option<Estimate>,
    notices: Vec<&'a String>,
    rows: Vec<Entry<'a>>,
}

#[derive(Serialize)]
struct Entry<'a> {
    estimator: &'a str,
    settled: &'a str,
    #[serde(serialize_with = "by_name")]
    metrics: &'a [(Metric, Estimate)],
    recalls: BTreeMap<&'a str, Option<f64>>,
    at_start: bool,
    scored_rows: usize,
    fitted_rows: usize,
    support: usize,
    fit_seconds: f64,
    predict_us_per_row: f64,
    converged: bool,
    certificate: Option<&'a Certificate>,
    tuning: Option<&'a Tuning>,
    method: Option<&'a Method>,
    best: bool,
    difference: Option<Estimate>,
    failure: Option<&'a str>,
}

/// A map from the metric's name to its estimate, in the row's order.
fn by_name<S: Serializer>(metrics: &[(Metric, Estimate)], to: S) -> std::result::Result<S::Ok, S::Error> {
    to.collect_map(metrics.iter().map(|(m, e)| (m.name(), e)))
}

impl<'a> Entry<'a> {
    fn of(row: &'a Row, classes: &'a [String]) -> Self {
        Entry {
            recalls: classes.iter().map(String::as_str).zip(row.recalls.iter().copied()).collect(),
            estimator: &row.estimator,
            settled: &row.settled,
            metrics: &row.metrics,
            at_start: row.standing.at_start,
            scored_rows: row.standing.rows,
            fitted_rows: row.standing.fitted_rows,
            support: row.support,
            fit_seconds: row.fit_seconds,
            predict_us_per_row: row.predict_us_per_row,
            converged: row.converged,
            certificate: row.certificate.as_ref(),
            tuning: row.tuning.as_ref(),
            method: row.method.as_ref(),
            best: row.best,
            difference: row.difference,
            failure: row.failure.as_deref(),
        }
    }
}

impl Comparison {
    /// The JSON document that `--json` writes: settings, then one object per estimator; ends with a line break.
    pub fn json(&self) -> Result<String> {
        let classes = self.classes();
        let document = Document {
            metric: self.ranking(),
            verdict: self.verdict(),
            recommendation: self.recommendation(),
            class_rows: classes.iter().map(String::as_str).zip(self.class_rows.iter().copied()).collect(),
            baseline: self.baseline,
            notices: self.facts.iter().chain(&self.notices).collect(),
            command: &self.command,
            task: self.task.name(),
            kernel: &self.kernel,
            folds: self.folds,
            seed: self.seed,
            rows: self.entries.iter().map(|row| Entry::of(row, classes)).collect(),
        };
        let mut text = serde_json::to_string_pretty(&document)
            .map_err(|e| Error::Numerical { what: "writing the comparison as JSON".into(), why: e.to_string() })?;
        text.push('\n');
        Ok(text)
    }
}
