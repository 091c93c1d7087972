//! Advice on a kernel in lines: the rule that fired, what each kernel was worth, and whether the rule holds here.

use super::json::TuningInWords;
use super::words::{counted, digits_for, score, wrapped};
use crate::compare::{Advice, Judged, Rule};
use crate::error::{Error, Result};
use crate::metrics::Metric;
use serde_json::{Value as Json, json};

impl Rule {
    /// The word that stands for it in documents.
    fn name(self) -> &'static str {
        match self {
            Rule::Structure => "structure",
            Rule::ManyColumns => "many columns",
            Rule::Smooth => "smooth",
        }
    }
}

impl Advice {
    /// The rule, with what made it fire.
    fn because(&self) -> String {
        let size = format!("{} in each of {}", counted(self.numbers, "number"), counted(self.rows, "row"));
        match self.rule {
            Rule::Structure if self.numbers == 0 => "kernels of strings and structures".into(),
            Rule::Structure => format!("kernels of strings and structures, added to rbf over the numbers ({size})"),
            Rule::ManyColumns => format!("linear (as many columns as rows are linearly separable; {size})"),
            Rule::Smooth => format!("rbf (the default for number columns; {size})"),
        }
    }

    /// What follows from what was measured.
    fn verdict(&self) -> String {
        let measured = self.judged.iter().filter(|j| j.score().is_some()).count();
        match (self.best(), self.judged.first()) {
            (Some(k), _) if measured == 1 => format!("only {} could be measured", self.judged[k].kernel),
            (Some(0), Some(first)) => format!("{} is the best of {measured} kernels", first.kernel),
            (Some(k), Some(first)) if self.holds() => {
                format!("{} is not distinguishable from the best, {}: either will do", first.kernel, self.judged[k].kernel)
            }
            (Some(k), Some(_)) => format!("take --kernel '{}': the suggested kernel is worse here", self.judged[k].kernel),
            _ => "no kernel could be measured".into(),
        }
    }

    /// How the kernels are measured, and what a guess would score.
    fn measured_by(&self) -> String {
        let rows = counted(self.judged_rows, "row");
        let metric = self.judged.iter().find_map(Judged::score).map(|(metric, _)| metric);
        let guess =
            metric.zip(self.baseline).map(|(metric, value)| format!("; {}: {}", metric.naive(), score(metric, value, digits_of(value))));
        format!("ridge tuned for each kernel, leave-one-out predictions of {rows} (* best){}:", guess.unwrap_or_default())
    }
}

/// Digits after the point for three significant ones.
fn digits_of(value: f64) -> usize {
    digits_for(value.abs() * 0.1).min(6)
}

fn line(judged: &Judged, mark: &str) -> String {
    let Judged { kernel, found, scores, .. } = judged;
    let said = |metric: Metric, value: f64| metric.achieved(&score(metric, value, digits_of(value)));
    match (judged.score(), found) {
        (Some((metric, value)), _) => {
            let auc = scores.iter().find(|(m, v)| *m == Metric::Auc && *m != metric && v.is_finite());
            let auc = auc.map_or(String::new(), |(m, v)| format!(", {}", said(*m, *v)));
            format!("{mark} {kernel}: {}{auc}", said(metric, value))
        }
        (None, Err(why)) => format!("{mark} {kernel}: {why}"),
        (None, Ok(_)) => format!("{mark} {kernel}: not measured"),
    }
}

/// The suggested kernel, one line for each kernel, and what follows, in lines of at most `width` characters (at least 40).
pub fn advice_text(advice: &Advice, width: usize) -> String {
    let best = advice.best();
    let mut lines = vec![format!("Suggested: {}", advice.because()), advice.measured_by()];
    let of = |(k, j)| line(j, if best == Some(k) { "*" } else { "-" });
    let kernels: Vec<String> = advice.judged.iter().enumerate().map(of).collect();
    lines = lines.iter().flat_map(|l| wrapped(l, ["", ""], width.max(40))).collect();
    lines.extend(kernels.iter().flat_map(|l| wrapped(l, ["  ", "    "], width.max(40))));
    lines.extend(wrapped(&advice.verdict(), ["", ""], width.max(40)));
    lines.join("\n")
}

/// The advice as JSON: the rule, one object for each kernel with its tuning or why there is none, and what follows.
///
/// # Errors
/// What cannot be written as JSON.
pub fn advice_json(advice: &Advice) -> Result<String> {
    let best = advice.best();
    let kernels: Vec<Json> = advice
        .judged
        .iter()
        .enumerate()
        .map(|(k, Judged { kernel, found, scores, difference })| {
            json!({
                "kernel": kernel.to_string(),
                "best": best == Some(k),
                "scores": scores.iter().map(|(m, v)| (m.name().to_owned(), json!(v))).collect::<serde_json::Map<String, Json>>(),
                "difference": difference,
                "tuning": found.as_ref().ok().map(TuningInWords::of),
                "failure": found.as_ref().err().map(ToString::to_string),
            })
        })
        .collect();
    let document = json!({
        "rule": advice.rule.name(),
        "because": advice.because(),
        "numbers": advice.numbers,
        "rows": advice.rows,
        "judged_rows": advice.judged_rows,
        "metric": advice.judged.iter().find_map(Judged::score).map(|(metric, _)| metric.name()),
        "baseline": advice.baseline,
        "kernels": kernels,
        "best": best.map(|k| advice.judged[k].kernel.to_string()),
        "holds": advice.holds(),
        "verdict": advice.verdict(),
    });
    serde_json::to_string_pretty(&document).map_err(|e| Error::Data(e.to_string()))
}
