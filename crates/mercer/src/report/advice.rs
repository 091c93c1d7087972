//! Advice on a kernel in lines: the rule that fired, what each kernel was worth, and whether the rule holds here.

use super::words::{brief, counted};
use crate::compare::{Advice, Judged, Rule};
use crate::error::{Error, Result};
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
            Rule::Structure if self.numbers == 0 => "columns of strings and structures have kernels of their own".into(),
            Rule::Structure => format!("strings and structures have kernels of their own, added to rbf over the numbers ({size})"),
            Rule::ManyColumns => format!("so many columns are told apart by lines: linear ({size})"),
            Rule::Smooth => format!("rbf, as nothing says otherwise ({size})"),
        }
    }

    /// What follows from what was measured.
    fn verdict(&self) -> String {
        match (self.best(), self.judged.first()) {
            (Some(0), _) => "the kernel of the rule is the best of these".into(),
            (Some(_), Some(first)) if self.holds() => {
                format!("the kernel of the rule, {}, is within noise of the best: either will do", first.kernel)
            }
            (Some(k), Some(_)) => format!("the rule does not hold here: take --kernel '{}'", self.judged[k].kernel),
            _ => "the kernel of the rule could not be measured".into(),
        }
    }
}

fn line(judged: &Judged, mark: &str) -> String {
    let Judged { kernel, found } = judged;
    match found {
        Ok(tuning) => {
            let value = tuning.value.map_or_else(|| "not judged".into(), brief);
            format!("{mark} {kernel}: {} {value} on {}", tuning.criterion, counted(tuning.rows, "row"))
        }
        Err(why) => format!("{mark} {kernel}: {why}"),
    }
}

/// The rule, one line for each kernel, and what follows.
pub fn advice_text(advice: &Advice) -> String {
    let best = advice.best();
    let mut lines = vec![format!("rule: {}", advice.because()), "measured by ridge, tuned for each kernel (* best):".into()];
    lines.extend(advice.judged.iter().enumerate().map(|(k, j)| line(j, if best == Some(k) { "  *" } else { "   " })));
    lines.push(advice.verdict());
    lines.join("\n")
}

/// The same as JSON: the rule, one object for each kernel with its tuning or why there is none, and what follows.
///
/// # Errors
/// What cannot be written as JSON.
pub fn advice_json(advice: &Advice) -> Result<String> {
    let best = advice.best();
    let kernels: Vec<Json> = advice
        .judged
        .iter()
        .enumerate()
        .map(|(k, Judged { kernel, found })| {
            json!({
                "kernel": kernel.to_string(),
                "best": best == Some(k),
                "tuning": found.as_ref().ok(),
                "failure": found.as_ref().err().map(ToString::to_string),
            })
        })
        .collect();
    let document = json!({
        "rule": advice.rule.name(),
        "because": advice.because(),
        "numbers": advice.numbers,
        "rows": advice.rows,
        "kernels": kernels,
        "best": best.map(|k| advice.judged[k].kernel.to_string()),
        "holds": advice.holds(),
        "verdict": advice.verdict(),
    });
    serde_json::to_string_pretty(&document).map_err(|e| Error::Data(e.to_string()))
}
