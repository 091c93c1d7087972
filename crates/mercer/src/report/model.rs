//! What a model file holds and what there is to choose from, in words and as JSON.

use super::tuning;
use super::words::{brief_estimator, brief_kernel, wrapped};
use crate::error::{Error, Result};
use crate::estimators::{self, Fitted};
use crate::kernels;
use crate::learner::Model;
use crate::param::{Alias, Param};
use serde_json::json;

/// Characters of a line.
const WIDTH: usize = 100;
/// What stands under the words on the left.
const INDENT: &str = "             ";

/// A model in a dozen lines, with what asks for an action; numbers have four significant digits.
pub fn model_text(model: &Model) -> String {
    text(model, false)
}

/// The same with everything that the search learnt, and the values that it tried.
pub fn model_text_in_full(model: &Model) -> String {
    text(model, true)
}

fn text(model: &Model, full: bool) -> String {
    let line = |(what, text): &(&str, String)| wrapped(text, [&format!("{what:<13}"), INDENT], WIDTH);
    facts(model, full).iter().flat_map(line).collect::<Vec<_>>().join("\n")
}

/// What there is to say of a model, each with the word that it is said under; none continues the one before.
pub(super) fn facts(model: &Model, full: bool) -> Vec<(&'static str, String)> {
    let summary = model.summary();
    let mut facts = Vec::new();
    let mut say = |what: &'static str, text: &str| facts.push((what, text.to_owned()));
    say("estimator", &brief_estimator(&model.estimator));
    if model.estimator.uses_kernel() {
        say("kernel", &brief_kernel(&model.kernel));
    }
    say("target", &target_words(model));
    say("rows", &format!("{} for training, {} kept for prediction", model.about.rows, model.fitted.support().len()));
    let columns: Vec<String> = model.prep.schema.columns.iter().map(|c| format!("{} ({})", c.name, c.holds.sort())).collect();
    say("columns", &columns.join(", "));
    model.prep.describe().iter().for_each(|s| say("", s));
    if let Some(t) = &model.about.tuning {
        let value = t.value.map_or("not known".into(), |v| format!("{v:.6}"));
        say("tuned by", &format!("{} = {value} after {} evaluations on {} rows", t.criterion, t.evaluations, t.rows));
        t.parameters.iter().filter(|p| p.column.is_none()).for_each(|p| say("", &tuning::choice(p)));
        for finding in tuning::notices(t, model.about.rows) {
            match full {
                true => say("note", &finding.in_full()),
                false if finding.asks => say("note", &finding.said),
                false => {}
            }
        }
    }
    if let Some(c) = &summary.certificate {
        let verdict = if summary.converged { "met" } else { "NOT met" };
        let violated = summary.violation.map_or(String::new(), |v| format!(", optimality violated by {v:.1e} at most"));
        say("certificate", &format!("{} {:.1e}{violated}, tolerance {:.0e} {verdict}", c.name, c.value, c.tolerance));
    }
    if let Some(e) = summary.evidence {
        say("evidence", &format!("{e:.6} (log marginal likelihood)"));
    }
    if let Some(j) = summary.jitter {
        say("jitter", &format!("{j:.1e} added to the diagonal"));
    }
    summary.notes.iter().for_each(|n| say("note", n));
    say("made by", &format!("mercer {}, seed {}", model.about.version, model.about.seed));
    facts
}

fn target_words(model: &Model) -> String {
    let names = model.target.names.join(", ");
    match &model.target.classes {
        Some(classes) => format!("{names}, {} classes: {}", classes.len(), classes.join(", ")),
        None => format!("{names} (number)"),
    }
}

fn pretty(value: &serde_json::Value) -> Result<String> {
    serde_json::to_string_pretty(value).map_err(|e| Error::Numerical { what: "JSON".into(), why: e.to_string() })
}

/// A model without its numbers, as JSON.
pub fn model_json(model: &Model) -> Result<String> {
    pretty(&json!({
        "estimator": model.estimator.to_string(),
        "kernel": model.kernel.to_string(),
        "target": model.target,
        "prep": model.prep,
        "support": model.fitted.support().len(),
        "summary": model.summary(),
        "about": model.about,
    }))
}

/// One line or more per parameter, the explanations under each other.
fn params_text(params: &[Param], aliases: &[Alias]) -> Vec<String> {
    let mut said: Vec<(&str, String)> = params.iter().map(|p| (p.name, format!("{}; {}", p.doc, p.domain))).collect();
    said.extend(aliases.iter().map(|(alias, name, _)| (*alias, format!("another name for {name}, converted"))));
    let indent = " ".repeat(23);
    said.iter().flat_map(|(name, text)| wrapped(text, [&format!("    {name:<18} "), &indent], WIDTH)).collect()
}

/// Every kernel and estimator with its parameters, in words.
pub fn catalogue_text() -> String {
    let mut lines = vec!["KERNELS".to_owned()];
    let head = |name: &str, text: &str| wrapped(&format!("{name}: {text}"), ["  ", "    "], WIDTH);
    for k in kernels::catalogue() {
        lines.push(String::new());
        lines.extend(head(k.name, &format!("{} (takes {})", k.doc, k.takes)));
        lines.extend(params_text(k.params, k.aliases));
    }
    lines.extend([String::new(), "KERNELS OF KERNELS".to_owned()]);
    for c in kernels::COMPOSITIONS {
        lines.extend(wrapped(&format!("{}: {}", c.form, c.doc), ["  ", "    "], WIDTH));
    }
    lines.extend([String::new(), "ESTIMATORS".to_owned()]);
    for e in estimators::catalogue() {
        let needs = if e.needs_mercer { "needs a Mercer kernel" } else { "takes any similarity" };
        let facts = match e.criterion {
            _ if !e.uses_kernel => "needs no kernel".to_owned(),
            criterion => format!("{needs}; tuned by {}", criterion.unwrap_or("cross-validation")),
        };
        lines.push(String::new());
        lines.extend(head(e.name, &format!("{} ({facts})", e.doc)));
        lines.extend(params_text(e.params, e.aliases));
    }
    lines.push(String::new());
    let values = "A number may be written as a value, as auto (settled from the data), or as a range 0.1..10 (searched).";
    lines.extend(wrapped(values, ["", ""], WIDTH));
    lines.push("  mercer fit TABLE --target COL --kernel 'rbf(length_scale=0.5..5)' --estimator svc -o M.mercer".to_owned());
    lines.join("\n")
}

fn kernel_params_json(kernel: &kernels::Entry) -> serde_json::Value {
    let defaults = (kernel.defaults)();
    let one = |(p, default): (&Param, &String)| json!({"name": p.name, "doc": p.doc, "domain": p.domain.to_string(), "default": default});
    kernel.params.iter().zip(&defaults).map(one).collect()
}

fn params_json(params: &[Param]) -> serde_json::Value {
    params.iter().map(|p| json!({"name": p.name, "doc": p.doc, "domain": p.domain.to_string()})).collect()
}

/// Every kernel and estimator with its parameters, as JSON.
pub fn catalogue_json() -> Result<String> {
    let kernels: Vec<_> = kernels::catalogue()
        .iter()
        .map(|k| {
            let aliases: Vec<&str> = k.aliases.iter().map(|a| a.0).collect();
            json!({"name": k.name, "doc": k.doc, "source": k.source, "because": k.because, "takes": k.takes, "params": kernel_params_json(k), "aliases": aliases})
        })
        .collect();
    let estimators: Vec<_> = estimators::catalogue()
        .iter()
        .map(|e| json!({"name": e.name, "doc": e.doc, "criterion": e.criterion, "needs_mercer": e.needs_mercer, "params": params_json(e.params)}))
        .collect();
    pretty(&json!({"kernels": kernels, "estimators": estimators}))
}
