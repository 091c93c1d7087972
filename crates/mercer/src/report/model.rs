//! What a model file holds, in words and as JSON.

use super::distributions::{distributions_json, parameters_text, shapes};
use super::gather::{rows_kept, weights_kept};
use super::json::TuningInWords;
use super::tuning;
use super::words::{brief_estimator, brief_kernel, power, wrapped};
use crate::conformal::{Conformal, ConformalScore};
use crate::data::{ColumnSchema, Holds};
use crate::error::{Error, Result};
use crate::estimators::{Answer, Fitted};
use crate::learner::Model;
use crate::notice::Notice;
use crate::param::Value;
use serde_json::json;

/// What stands under the words on the left.
pub(super) const INDENT: &str = "             ";

/// A model in a dozen lines of at most `width` characters (at least 40), with what asks for an action; numbers have four significant
/// digits.
pub fn model_text(model: &Model, width: usize) -> String {
    text(model, false, width)
}

/// The text of a model in full: every digit of the parameters, every column with its labels, all that the search learnt, with
/// the values that it tried, and the fitted parameters of a generative model as tables.
pub fn model_text_in_full(model: &Model, width: usize) -> String {
    text(model, true, width)
}

fn text(model: &Model, full: bool, width: usize) -> String {
    // Characters that a line has at least.
    const NARROWEST: usize = 40;
    let width = width.max(NARROWEST);
    let line = |(what, text): &(&str, String)| wrapped(text, [&format!("{what:<13}"), INDENT], width);
    let mut said = facts(model, full).iter().flat_map(line).collect::<Vec<_>>().join("\n");
    if full && let Some(tables) = parameters_text(model, width).ok().filter(|tables| !tables.is_empty()) {
        said.push('\n');
        said.push_str(tables.trim_end());
    }
    said
}

/// What there is to say of a model, each with the word that it is said under; none continues the one before.
pub(super) fn facts(model: &Model, full: bool) -> Vec<(&'static str, String)> {
    let summary = model.summary();
    let mut facts = Vec::new();
    let mut say = |what: &'static str, text: &str| facts.push((what, text.to_owned()));
    say("estimator", &if full { model.estimator.to_string() } else { brief_estimator(&model.estimator) });
    if model.estimator.uses_kernel() {
        say("kernel", &if full { model.kernel.to_string() } else { brief_kernel(model.kernel.expr()) });
    }
    say("target", &target_words(model));
    let kept = match (rows_kept(model), weights_kept(model)) {
        (0, weights) if weights > 0 => format!("none kept for prediction, which takes the weights of {weights} features"),
        (rows, _) => format!("{rows} kept for prediction"),
    };
    say("rows", &format!("{} for training, {kept}", model.about.rows));
    say("columns", &columns(model, full));
    model.prep.describe().iter().for_each(|s| say("", s));
    if let Some(t) = &model.about.tuning {
        let value = t.value.map_or("not known".into(), |v| format!("{v:.6}"));
        say("tuned by", &format!("{} = {value} after {} evaluations on {} rows", t.criterion, t.evaluations, t.rows));
        t.parameters.iter().filter(|p| p.column.is_none()).for_each(|p| say("", &tuning::choice(p)));
        for finding in tuning::notices_of(model) {
            match full {
                true => say("note", &finding.in_full()),
                false if finding.asks => say("note", &finding.said),
                false => {}
            }
        }
    }
    if let Some(c) = &summary.certificate {
        let verdict = if summary.converged { "converged" } else { "NOT converged" };
        let violated = summary.violation.map_or(String::new(), |v| format!(", optimality violated by {} at most", power(v, 1)));
        say("certificate", &format!("{verdict}: {} {}{violated}, tolerance {}", c.name, power(c.value, 1), power(c.tolerance, 0)));
    }
    if let Some(shapes) = shapes(model) {
        say("parameters", &shapes);
    }
    if let Some(e) = summary.evidence {
        say("evidence", &format!("{e:.6} (log marginal likelihood)"));
    }
    if let Some(j) = summary.jitter {
        say("jitter", &format!("{j:.1e} added to the diagonal"));
    }
    if let Some(text) = model.conformal.as_ref().and_then(intervals_text) {
        say("intervals", &text);
    }
    summary.notes.iter().for_each(|n| say("note", n));
    say("made by", &format!("mercer {}, seed {}", model.about.version, model.about.seed));
    facts
}

/// How intervals or prediction sets are made, with their half width and their coverage of held-out rows.
fn intervals_text(conformal: &Conformal) -> Option<String> {
    // The level of options that name none.
    const LEVEL: f64 = 0.9;
    let Conformal { source, score, .. } = conformal;
    let by = match &conformal.categories {
        None => String::new(),
        Some(of) => format!(" by {}", of.column.as_ref().map_or("class".to_owned(), |column| format!("'{column}'"))),
    };
    let quantile = conformal.quantiles(LEVEL, 0).ok()?;
    let half = match (&quantile[..], score) {
        ([q], _) if q.is_infinite() => ", too few rows: unbounded".to_owned(),
        ([q], ConformalScore::Residual) if conformal.transform.is_none() => format!(", half width {}", Value::Number(*q).rounded(3)),
        ([q], ConformalScore::ScaledResidual) => format!(", half width {} standard deviations", Value::Number(*q).rounded(3)),
        _ => String::new(),
    };
    let held = conformal.coverage(LEVEL).ok()??;
    Some(format!("{source}{by}: {score} of {} rows; 90%: holds {:.1}% of held-out rows{half}", conformal.rows(), 100.0 * held))
}

/// The columns that are learnt from; of many, the first and how many there are.
fn columns(model: &Model, full: bool) -> String {
    // Columns that are named.
    const COLUMNS: usize = 16;
    let labels = |c: &ColumnSchema| match &c.holds {
        Holds::Category(names) if full => format!(": {}", names.join(", ")),
        _ => String::new(),
    };
    let mut all: Vec<String> = model.prep.used().map(|c| format!("{} ({}{})", c.name, c.holds.kind(), labels(c))).collect();
    let more = all.len().saturating_sub(COLUMNS);
    if full || more == 0 {
        return all.join(", ");
    }
    all.truncate(COLUMNS);
    format!("{} and {more} more", all.join(", "))
}

fn target_words(model: &Model) -> String {
    let names = model.answer.columns().join(", ");
    match &model.answer {
        Answer::Classes { classes, .. } => format!("{names}, {} classes: {}", classes.len(), classes.join(", ")),
        Answer::Numbers { .. } => format!("{names} (number)"),
        other => format!("none; gives {}: {names}", other.noun()),
    }
}

pub(super) fn pretty(value: &serde_json::Value) -> Result<String> {
    serde_json::to_string_pretty(value).map_err(|e| Error::Numerical { what: "JSON".into(), why: e.to_string() })
}

/// A model as JSON, of whose numbers it holds the parameters of generative models alone.
pub fn model_json(model: &Model) -> Result<String> {
    let mut about = with_sentences(json!(model.about), &model.about.notices, "notices");
    if let Some(tuning) = &model.about.tuning {
        about["tuning"] = json!(TuningInWords::of(tuning));
    }
    pretty(&json!({
        "estimator": model.estimator.to_string(),
        "kernel": model.kernel.to_string(),
        "answer": model.answer,
        "prep": model.prep,
        "support": model.fitted.support().len(),
        "intervals": model.conformal.as_ref().and_then(intervals_text),
        "distributions": distributions_json(model)?,
        "summary": with_sentences(json!(model.summary()), &model.summary().warnings, "warnings"),
        "about": with_sentences(about, &model.about.warnings, "warnings"),
    }))
}

/// A record with its notices as sentences; those of a field that is left out where it is empty stay out.
fn with_sentences(mut record: serde_json::Value, notices: &[Notice], field: &str) -> serde_json::Value {
    if let Some(value) = record.get_mut(field) {
        *value = notices.iter().map(Notice::to_string).collect();
    }
    record
}
