//! What a model file holds and what there is to choose from, in words and as JSON.

use crate::error::{Error, Result};
use crate::estimators::{self, Fitted};
use crate::kernels;
use crate::learner::Model;
use crate::param::Param;
use serde_json::json;

/// A model in a dozen lines.
pub fn model_text(model: &Model) -> String {
    let summary = model.summary();
    let mut lines = vec![
        format!("estimator    {}", model.estimator),
        format!("kernel       {}", model.kernel),
        format!("target       {}", target_words(model)),
        format!("rows         {} for training, {} kept for prediction", model.about.rows, model.fitted.support().len()),
    ];
    let columns: Vec<String> = model.prep.schema.columns.iter().map(|c| format!("{} ({})", c.name, c.holds.sort())).collect();
    lines.push(format!("columns      {}", columns.join(", ")));
    lines.extend(model.prep.describe().iter().map(|s| format!("             {s}")));
    if let Some(t) = &model.about.tuning {
        let value = t.value.map_or("not known".into(), |v| format!("{v:.6}"));
        lines.push(format!("tuned by     {} = {value} after {} evaluations on {} rows", t.criterion, t.evaluations, t.rows));
        lines.extend(t.at_bound.iter().map(|b| format!("             {b}")));
    }
    if let Some(c) = &summary.certificate {
        let verdict = if summary.converged { "met" } else { "NOT met" };
        lines.push(format!("certificate  {} {:.1e}, tolerance {:.0e} {verdict}", c.name, c.value, c.tolerance));
    }
    if let Some(e) = summary.evidence {
        lines.push(format!("evidence     {e:.6} (log marginal likelihood)"));
    }
    if let Some(j) = summary.jitter {
        lines.push(format!("jitter       {j:.1e} added to the diagonal"));
    }
    lines.extend(summary.notes.iter().map(|n| format!("note         {n}")));
    lines.push(format!("made by      mercer {}, seed {}", model.about.version, model.about.seed));
    lines.join("\n")
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

fn params_text(params: &[Param]) -> String {
    params.iter().map(|p| format!("    {:<20} {}; {}\n", p.name, p.doc, p.domain)).collect()
}

/// Every kernel and estimator with its parameters, in words.
pub fn catalogue_text() -> String {
    let mut out = String::from("Kernels (combine with +, *, a number in front, on(columns, kernel), normalise(kernel)):\n\n");
    for k in kernels::catalogue() {
        out.push_str(&format!("{}: {} (takes {})\n{}", k.name, k.doc, k.takes, params_text(k.params)));
    }
    out.push_str("\nEstimators:\n\n");
    for e in estimators::catalogue() {
        let needs = if e.needs_mercer { "needs a Mercer kernel" } else { "takes any similarity" };
        out.push_str(&format!(
            "{}: {} ({needs}; tuned by {})\n{}",
            e.name,
            e.doc,
            e.criterion.unwrap_or("cross-validation"),
            params_text(e.params)
        ));
    }
    out.push_str("\nA number may be written as a value, as auto (settled from the data), or as a range 0.1..10 (searched).");
    out
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
            json!({"name": k.name, "doc": k.doc, "takes": k.takes, "params": kernel_params_json(k), "aliases": aliases})
        })
        .collect();
    let estimators: Vec<_> = estimators::catalogue()
        .iter()
        .map(|e| json!({"name": e.name, "doc": e.doc, "criterion": e.criterion, "needs_mercer": e.needs_mercer, "params": params_json(e.params)}))
        .collect();
    pretty(&json!({"kernels": kernels, "estimators": estimators}))
}
