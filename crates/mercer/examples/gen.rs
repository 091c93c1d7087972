//! Writes the pages that are made from the catalogue: `docs/kernels.md` and `docs/estimators.md`.
//!
//! `gen FOLDER` writes them; `gen FOLDER --check` fails if they are not as they would be written.

use mercer::param::Param;
use mercer::{estimators, kernels};
use std::fmt::Write;
use std::path::Path;
use std::process::ExitCode;

const MADE: &str = "<!-- Made by `make gen` from the records in the code; edit those. -->\n";

fn main() -> ExitCode {
    let mut words = std::env::args().skip(1);
    let folder = words.next().unwrap_or_else(|| "docs".into());
    let check = words.next().as_deref() == Some("--check");
    let mut stale = false;
    for (name, page) in [("kernels.md", kernels_page()), ("estimators.md", estimators_page())] {
        let path = Path::new(&folder).join(name);
        let now = std::fs::read_to_string(&path).unwrap_or_default();
        if now == page {
            continue;
        }
        stale = true;
        if check {
            eprintln!("{} is not what the catalogue says; run `make gen`", path.display());
        } else if let Err(e) = std::fs::write(&path, page) {
            eprintln!("{}: {e}", path.display());
            return ExitCode::FAILURE;
        }
    }
    if check && stale { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn table(out: &mut String, params: &[Param]) {
    if params.is_empty() {
        return;
    }
    out.push_str("\n| parameter | what it is | may be |\n|---|---|---|\n");
    for p in params {
        let _ = writeln!(out, "| `{}` | {} | {} |", p.name, p.doc, p.domain);
    }
}

fn kernels_page() -> String {
    let mut out = format!(
        "{MADE}\n# Kernels\n\n`mercer check EXPR` says whether an expression is valid, and why.\n\n| kernel of kernels | what it is |\n|---|---|\n"
    );
    for c in kernels::COMPOSITIONS {
        let _ = writeln!(out, "| `{}` | {} |", c.form, c.doc);
    }
    for k in kernels::catalogue() {
        let as_is = if k.as_is { ", as they are: not standardised" } else { "" };
        let valid = if k.because.is_empty() { "Not a Mercer kernel in general.".to_owned() } else { format!("Mercer: {}.", k.because) };
        let _ = write!(out, "\n## {}\n\n{}. Takes {}{as_is}. {valid}\n", k.name, k.doc, k.takes);
        table(&mut out, k.params);
        if !k.aliases.is_empty() {
            let list: Vec<String> = k.aliases.iter().map(|(alias, param, _)| format!("`{alias}` for `{param}`")).collect();
            let _ = write!(out, "\nAlso accepted, and converted: {}.\n", list.join(", "));
        }
    }
    out
}

fn estimators_page() -> String {
    let mut out = format!(
        "{MADE}\n# Estimators\n\nA number is written as a value, as `auto` (settled from the data by the criterion named below) or as a range `0.1..10` (searched).\n"
    );
    for e in estimators::catalogue() {
        let kernel = if e.needs_mercer { "Needs a Mercer kernel." } else { "Takes any similarity." };
        let _ = write!(out, "\n## {}\n\n{}. {kernel} Tuned by {}.\n", e.name, e.doc, e.criterion.unwrap_or("cross-validation"));
        table(&mut out, e.params);
    }
    out
}
