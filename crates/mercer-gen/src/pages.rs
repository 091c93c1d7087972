//! The pages `docs/kernels.md`, `docs/estimators.md` and `docs/limits.md`.

use mercer::data::Kind;
use mercer::estimators::Needs;
use mercer::param::Param;
use mercer::{estimators, generative, kernels};
use std::fmt::Write;

pub(crate) const MADE: &str = "<!-- Made by `make gen` from the records in the code; edit those. -->\n";

fn table(out: &mut String, params: &[Param]) {
    if params.is_empty() {
        return;
    }
    out.push_str("\n| parameter | what it is | may be |\n|---|---|---|\n");
    for p in params {
        let _ = writeln!(out, "| `{}` | {} | {} |", p.name, p.doc, p.domain);
    }
}

pub(crate) fn kernels() -> String {
    let mut out = format!(
        "{MADE}\n# Kernels\n\n`mercer check EXPR` says whether an expression is valid, and why.\n\n| composite kernel | what it is |\n|---|---|\n"
    );
    for c in kernels::compositions() {
        let _ = writeln!(out, "| `{}` | {} |", c.form.form, c.form.doc);
    }
    for s in kernels::shorthands() {
        let _ = writeln!(out, "| `{}` | {}. Source: {} |", s.form.form, s.form.doc, s.source);
    }
    for k in kernels::catalogue() {
        let as_is = if k.as_is { ", as they are: not standardised" } else { "" };
        let valid = if k.because.is_empty() { "Not a Mercer kernel in general.".to_owned() } else { format!("Mercer: {}.", k.because) };
        let _ = write!(out, "\n## {}\n\n{}. Takes {}{as_is}. {valid} Source: {}.\n", k.name, k.doc, k.takes, k.source);
        table(&mut out, k.params);
        if !k.aliases.is_empty() {
            let list: Vec<String> = k.aliases.iter().map(|(alias, param, _)| format!("`{alias}` for `{param}`")).collect();
            let _ = write!(out, "\nAlso accepted, and converted: {}.\n", list.join(", "));
        }
    }
    for c in kernels::compositions().into_iter().filter(|c| !c.form.name.is_empty() && !c.params.is_empty()) {
        let _ = write!(out, "\n## {}\n\n`{}`: {}. Source: {}.\n", c.form.name, c.form.form, c.form.doc, c.source);
        table(&mut out, c.params);
    }
    out.push_str("\n# Generative models\n\nThe kernel `fisher` takes one of them as a parameter: `fisher(gaussian(covariance=full))`.\n");
    for m in generative::catalogue() {
        let as_is = if m.as_is { ", as they are: not standardised" } else { "" };
        let _ = write!(out, "\n## {}\n\n{}. Takes {}{as_is}. Source: {}.\n", m.name, m.doc, m.takes, m.source);
        table(&mut out, m.params);
    }
    out
}

pub(crate) fn estimators() -> String {
    let mut out = format!(
        "{MADE}\n# Estimators\n\nA number is written as a value, as `auto` (settled from the data by the criterion named below) or as a range `0.1..10` (searched).\n"
    );
    for e in estimators::catalogue() {
        let kernel = match e.needs {
            Needs::MercerKernel => "Needs a Mercer kernel.",
            Needs::AnySimilarity => "Takes any similarity, symmetric or not.",
            Needs::Symmetric => "Takes any symmetric similarity.",
            Needs::NonNegative => "Takes any symmetric similarity whose values are 0 and above.",
            Needs::Features => "Reads the features of a kernel that has them written out: linear, tfidf, their sums.",
            Needs::Coordinates => "Reads the coordinates of rows: the kernel is linear.",
            Needs::Vectors => "Reads kernel values between the vectors of sets: the kernel is set_mean(K).",
            Needs::Rows => "Reads the cells of rows and no kernel.",
            Needs::Nothing => "Needs no kernel.",
        };
        let tuned = match e.criterion {
            _ if e.takes == [Kind::Nothing] => "Takes no target.".to_owned(),
            criterion => format!("Tuned by {}.", criterion.map_or("cross-validation", |c| c.name)),
        };
        let _ = write!(out, "\n## {}\n\n{}. {kernel} {tuned}\n", e.name, e.doc);
        table(&mut out, e.params);
    }
    out.push_str("\n# Transformed targets\n\nParameters, their search and what is needed of the kernel are those of the estimator E.\n");
    for t in estimators::target_transforms() {
        let _ = write!(out, "\n## {}\n\n`{}`: {}. Source: {}.\n", t.name, t.form, t.doc, t.source);
        table(&mut out, t.params);
    }
    out
}

pub(crate) fn limits() -> String {
    let mut out = format!(
        "{MADE}\n# Limits of a comparison\n\nHow `mercer compare` spends its budget, and how many rows a fit learns from, follows from these numbers. \
         An operation is one of floating point, as estimators count them; shares are of what the unit says.\n\n\
         | limit | value | unit | what it is for | measured again by |\n|---|---|---|---|---|\n"
    );
    for l in mercer::trial::limits::TABLE {
        let again = if l.again.is_empty() { String::new() } else { format!("`{}`", l.again) };
        let value = if l.value >= 1e6 { format!("{:e}", l.value) } else { l.value.to_string() };
        let _ = writeln!(out, "| `{}` | {value} | {} | {} | {again} |", l.name, l.unit, l.why);
    }
    out
}
