//! What a verification of a model found, in lines and as a document.

use super::words::power;
use crate::error::{Error, Result};
use crate::learner::{Condition, Model};
use serde_json::{Value as Json, json};

/// Whether every condition is met, and each with its value and what it may be.
pub fn verification_text(model: &Model, conditions: &[Condition]) -> String {
    let missed = conditions.iter().filter(|c| !c.is_met()).count();
    let verdict = match missed {
        0 => format!("Optimal: {} meets every condition of its problem on {} rows.", model.estimator.name(), model.about.rows),
        _ => format!("Not optimal: {} misses {missed} of {} conditions of its problem.", model.estimator.name(), conditions.len()),
    };
    let line = |c: &Condition| {
        let met = if c.is_met() { "met   " } else { "missed" };
        format!("  {met}  {} = {} (at most {})", c.name, power(c.value, 1), power(c.tolerance, 1))
    };
    std::iter::once(verdict).chain(conditions.iter().map(line)).collect::<Vec<_>>().join("\n")
}

/// A verification as a document.
///
/// # Errors
/// Numbers that cannot be written.
pub fn verification_json(model: &Model, conditions: &[Condition]) -> Result<String> {
    let of = |c: &Condition| json!({ "name": c.name, "value": c.value, "tolerance": c.tolerance, "met": c.is_met() });
    let document = json!({
        "estimator": model.estimator.to_string(), "kernel": model.kernel.expr().to_string(), "rows": model.about.rows,
        "optimal": conditions.iter().all(Condition::is_met), "conditions": conditions.iter().map(of).collect::<Vec<Json>>(),
    });
    serde_json::to_string_pretty(&document).map_err(|e| Error::Data(e.to_string()))
}
