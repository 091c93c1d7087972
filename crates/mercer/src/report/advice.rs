//! Advice on a kernel in lines: the rule that fired, what each kernel was worth, and whether the rule holds here.

use super::words::{brief, counted};
use crate::compare::{Advice, Judged, Rule};

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
    lines.push(match (best, advice.judged.first()) {
        (Some(0), _) => "the kernel of the rule is the best of these".into(),
        (Some(_), Some(first)) if advice.holds() => {
            format!("the kernel of the rule, {}, is within noise of the best: either will do", first.kernel)
        }
        (Some(k), Some(_)) => format!("the rule does not hold here: take --kernel '{}'", advice.judged[k].kernel),
        _ => "the kernel of the rule could not be measured".into(),
    });
    lines.join("\n")
}
