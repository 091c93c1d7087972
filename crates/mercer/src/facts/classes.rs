//! Facts about a target of classes: rare ones, and a frequent one beside which the others hardly count.

use super::{Fact, quoted};

/// A rarest class of fewer than one row to so many of the most frequent is told.
const IMBALANCE: usize = 20;
/// Beside a class with such a share of the rows, accuracy says little.
const FREQUENT: f64 = 0.8;
/// Classes that are named.
const NAMED: usize = 5;

pub(super) fn facts(codes: &[usize], names: &[String], folds: usize) -> Vec<Fact> {
    let mut counts = vec![0; names.len()];
    codes.iter().for_each(|&k| counts[k] += 1);
    let mut present: Vec<(usize, &String)> = counts.iter().copied().zip(names).filter(|(n, _)| *n > 0).collect();
    present.sort_by_key(|(n, _)| *n);
    let mut out = Vec::new();
    let few: Vec<&(usize, &String)> = present.iter().filter(|(n, _)| *n < folds).collect();
    if let Some((least, _)) = few.first() {
        let one = |(n, name): &&(usize, &String)| format!("{} has {n}", quoted(name));
        let mut named: Vec<String> = few.iter().take(NAMED).map(one).collect();
        if few.len() > NAMED {
            named.push(format!("{} more have fewer than {folds}", few.len() - NAMED));
        }
        let noun = if few.len() == 1 { "class has" } else { "classes have" };
        let fewer = if *least >= 2 { format!(", use at most {least} folds (--folds {least})") } else { String::new() };
        out.push(Fact {
            found: format!("{} {noun} fewer rows than the {folds} folds ({})", few.len(), named.join(", ")),
            advice: format!("some folds judge such a class without a row of it, or learn it from one or none; gather more rows, join it with another class{fewer}"),
        });
    }
    if let (Some((rare, name)), Some((frequent, usual))) = (present.first(), present.last())
        && rare * IMBALANCE < *frequent
    {
        let share = *frequent as f64 / codes.len() as f64;
        let why = if share >= FREQUENT {
            format!("always answering {} is right in {:.1}% of rows, so accuracy says little", quoted(usual), 100.0 * share)
        } else {
            format!("accuracy hardly depends on {}", quoted(name))
        };
        out.push(Fact {
            found: format!("class {} has {rare} of {} rows, one to {} of {}", quoted(name), codes.len(), frequent / rare, quoted(usual)),
            advice: format!(
                "{why}; look at the recall of each class, judge by another metric (--metric balanced_accuracy, f1 or auc), and weigh \
                 classes alike where the estimator can (svc(class_weight=balanced))"
            ),
        });
    }
    out
}
