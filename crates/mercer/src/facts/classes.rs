//! Facts about a target of classes: rare ones, and a frequent one beside which the others hardly count.

use super::{Fact, quoted};
use crate::data::Target;

/// Class imbalance is reported from so many rows of the most frequent class to one of the rarest.
const IMBALANCE: usize = 20;
/// Beside a class with such a share of the rows, accuracy says little.
const FREQUENT: f64 = 0.8;

/// The most frequent class and its share of the rows, where guessing it is correct so often and another class so rare that accuracy
/// says little.
pub fn dominant_class(target: &Target) -> Option<(&str, f64)> {
    let Target::Classes { codes, names } = target else { return None };
    let mut counts = vec![0usize; names.len()];
    codes.iter().for_each(|&k| counts[k] += 1);
    let rare = counts.iter().copied().filter(|n| *n > 0).min()?;
    let usual = (0..counts.len()).max_by_key(|&k| counts[k])?;
    let share = counts[usual] as f64 / codes.len() as f64;
    (rare * IMBALANCE < counts[usual] && share >= FREQUENT).then_some((names[usual].as_str(), share))
}

pub(super) fn facts(codes: &[usize], names: &[String], folds: usize) -> Vec<Fact> {
    // Classes that are named.
    const NAMED: usize = 5;
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
            leaks: Vec::new(),
            found: format!("{} {noun} fewer rows than the {folds} folds ({})", few.len(), named.join(", ")),
            advice: format!(
                "some folds have no row of such a class to train on or to score; gather more rows, join it with another class{fewer}"
            ),
        });
    }
    if let (Some((rare, name)), Some((frequent, usual))) = (present.first(), present.last())
        && rare * IMBALANCE < *frequent
    {
        let share = *frequent as f64 / codes.len() as f64;
        let why = if share >= FREQUENT {
            format!("always answering {} is correct in {:.1}% of rows, so accuracy says little", quoted(usual), 100.0 * share)
        } else {
            format!("accuracy hardly depends on {}", quoted(name))
        };
        out.push(Fact {
            leaks: Vec::new(),
            found: format!("class {} has {rare} of {} rows, one to {} of {}", quoted(name), codes.len(), frequent / rare, quoted(usual)),
            advice: match present.len() {
                2 if share >= FREQUENT => format!(
                    "{why}; methods are ranked by average precision, and errors of both classes count alike (--costs CLASS=COST, ... says \
                     what they cost): look at the recall of each class"
                ),
                _ => format!(
                    "{why}; look at the recall of each class, at balanced accuracy, F1 or AUC (--metric balanced_accuracy, f1 or auc), and \
                     weigh classes alike where the estimator can (svc(class_weight=balanced))"
                ),
            },
        });
    }
    out
}
