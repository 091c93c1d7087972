//! What is known of a kernel's validity, in words and as data.

use crate::data::{Column, Values};
use crate::error::{Error, Result};
use crate::kernels::{Derivation, KernelExpr};
use crate::param::Value;
use crate::validity::{Verdict, ways_out};
use serde_json::{Value as Json, json};
use std::fmt::Write;

/// The verdict for people: one word, then what supports it, then what may be done.
pub fn validity_text(kernel: &KernelExpr, verdict: &Verdict) -> String {
    // Rows of a witness that are printed at most.
    const ROWS: usize = 12;
    match verdict {
        Verdict::Proved(proof) => format!("proved: {kernel} is positive semi-definite for every input.\n\n{proof}"),
        Verdict::Tested { open, rows, smallest, largest } => format!(
            "tested: no rule proves {kernel}, and no negative eigenvalue was found.\n\n\
             On {rows} rows the eigenvalues lie between {} and {}. Other rows may still refute it.\n\
             Not proved: {open}.",
            short(*smallest),
            short(*largest)
        ),
        Verdict::Refuted { open, settled, witness, rows, given } => {
            let mut text = format!("refuted: {kernel} is not positive semi-definite.\n\n");
            let source = if *given { "of the table, its columns as a fit prepares them" } else { "made up for this purpose" };
            let _ = writeln!(
                text,
                "With the weights v below on {} row{} {source}, sum_ij v_i v_j k(x_i, x_j) = {}{}.\n",
                witness.rows.len(),
                if witness.rows.len() == 1 { "" } else { "s" },
                short(witness.value),
                if **settled == *kernel { String::new() } else { format!(" for k = {settled}") }
            );
            let mut heaviest: Vec<usize> = (0..witness.rows.len()).collect();
            heaviest.sort_by(|a, b| witness.weights[*b].abs().total_cmp(&witness.weights[*a].abs()));
            for &i in heaviest.iter().take(ROWS) {
                let cells: Vec<String> = rows.columns().iter().map(|c| format!("{} = {}", c.name, cell(c, i))).collect();
                let row = if *given { format!("row {}: ", witness.rows[i] + 1) } else { String::new() };
                let _ = writeln!(text, "  v = {:>9}   {row}{}", short(witness.weights[i]), cells.join(", "));
            }
            if heaviest.len() > ROWS {
                let _ = writeln!(text, "  and {} more rows (--json prints all)", heaviest.len() - ROWS);
            }
            let (legal, repaired) = ways_out(kernel);
            let repaired: Vec<String> = repaired.iter().map(ToString::to_string).collect();
            let _ = write!(
                text,
                "\nWhy no rule proves it: {open}.\nAs it is it may be used with {}. Repaired on the training rows, with any estimator: {}.",
                legal.join(", "),
                repaired.join(", ")
            );
            text
        }
    }
}

/// The verdict as JSON: `{"kernel", "verdict": "proved" | "tested" | "refuted", ...}`.
pub fn validity_json(kernel: &KernelExpr, verdict: &Verdict) -> Result<String> {
    let mut out = json!({ "kernel": kernel.to_string() });
    let facts = match verdict {
        Verdict::Proved(proof) => json!({ "verdict": "proved", "derivation": derivation(proof) }),
        Verdict::Tested { open, rows, smallest, largest } => {
            json!({ "verdict": "tested", "open": open, "rows": rows, "smallest": smallest, "largest": largest })
        }
        Verdict::Refuted { open, settled, witness, rows, given } => {
            let (legal, repaired) = ways_out(kernel);
            let rows: Vec<Json> = (0..witness.rows.len())
                .map(|i| {
                    let cells: serde_json::Map<String, Json> = rows.columns().iter().map(|c| (c.name.clone(), c.values.cell(i))).collect();
                    json!({ "row": given.then(|| witness.rows[i] + 1), "weight": witness.weights[i], "cells": cells })
                })
                .collect();
            json!({
                "verdict": "refuted",
                "open": open,
                "settled": settled.to_string(),
                "value": witness.value,
                "rows": rows,
                "estimators": legal,
                "repaired": repaired.iter().map(ToString::to_string).collect::<Vec<_>>(),
            })
        }
    };
    if let (Some(all), Json::Object(facts)) = (out.as_object_mut(), facts) {
        all.extend(facts);
    }
    serde_json::to_string_pretty(&out).map_err(|e| Error::Data(e.to_string()))
}

fn derivation(proof: &Derivation) -> Json {
    json!({ "expression": proof.expression, "rule": proof.rule, "parts": proof.parts.iter().map(derivation).collect::<Vec<_>>() })
}

fn short(x: f64) -> Value {
    Value::Number(x).rounded(4)
}

fn cell(column: &Column, row: usize) -> String {
    match (&column.values, column.values.cell(row)) {
        (Values::Numbers(v), _) => short(v[row]).to_string(),
        (_, Json::String(s)) => s,
        (_, other) => other.to_string(),
    }
}
