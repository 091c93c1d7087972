//! A directed acyclic graph of decisions over pairs of classes (Platt, Cristianini and Shawe-Taylor 2000): the first and the last of the
//! classes that are left are compared, and the loser is out, until one is left. Of C classes C - 1 machines are evaluated for each row.

use super::class_pairs::ClassPairs;
use crate::error::{Error, Result};
use crate::estimators::{Expansion, Predicted, Predictions, Query, pair_count};

/// The classes that have rows, ascending.
fn present(pairs: &ClassPairs) -> Vec<usize> {
    let others = pairs.first.partition_point(|a| Some(a) == pairs.first.first());
    pairs.first.first().into_iter().chain(&pairs.second[..others]).copied().collect()
}

/// The place of the class that is left, from the decision values of pairs of places.
fn descend(classes: usize, mut score: impl FnMut(usize, usize) -> f64) -> usize {
    let (mut low, mut high) = (0, classes.saturating_sub(1));
    while low < high {
        if score(low, high) > 0.0 { low += 1 } else { high -= 1 }
    }
    low
}

/// The class that is left, from the decision values of all pairs.
pub(super) fn walk(pairs: &ClassPairs, scores: &[f64]) -> usize {
    let present = present(pairs);
    let score = |a: usize, b: usize| pairs.output((present[a], present[b])).map_or(0.0, |o| scores[o]);
    present.get(descend(present.len(), score)).copied().unwrap_or(0)
}

/// The class that is left of each row; a machine is evaluated for the rows that reach its node alone.
pub(super) fn predict(pairs: &ClassPairs, expansion: &Expansion, query: &Query<'_>) -> Result<Predictions> {
    let (present, rows) = (present(pairs), query.view.shape().0);
    Error::unless_equal("pairs of classes", pair_count(present.len()), pairs.first.len())?;
    let last = present.len().saturating_sub(1);
    // Rows by their place on a level: `low` classes were taken from the front, and high = low + last - level.
    let mut at: Vec<Vec<usize>> = vec![(0..rows).collect()];
    for level in 0..last {
        let mut next = vec![Vec::new(); at.len() + 1];
        for (low, rows) in at.iter().enumerate().filter(|(_, rows)| !rows.is_empty()) {
            query.control.check_time("predictions")?;
            let places = (low, low + last - level);
            let output = pairs.output((present[places.0], present[places.1]));
            let output =
                output.ok_or_else(|| Error::Shape { what: "pairs of classes".into(), expected: last + 1, found: present.len() })?;
            let (support, machine) = expansion.of_output(output, places)?;
            let part = query.view.part(rows, &support);
            let scores = machine.predict(part.view().values()?, query.control)?;
            rows.iter().zip(scores.data()).for_each(|(&i, f)| next[low + usize::from(*f > 0.0)].push(i));
        }
        at = next;
    }
    let mut codes = vec![0; rows];
    for (place, rows) in at.iter().enumerate() {
        rows.iter().for_each(|&i| codes[i] = present.get(place).copied().unwrap_or(0));
    }
    Ok(Predictions::of(Predicted::Classes(codes)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::estimators::EqualVotes;

    // spec: S30
    #[test]
    fn one_machine_fewer_than_there_are_classes_is_evaluated() {
        for classes in 2..9 {
            for winner in 0..classes {
                let mut evaluated = Vec::new();
                let found = descend(classes, |a, b| {
                    evaluated.push((a, b));
                    // The winner beats everyone; of others the second wins.
                    if a == winner { -1.0 } else { 1.0 }
                });
                assert_eq!((found, evaluated.len()), (winner, classes - 1));
            }
        }
    }

    // Platt et al. (2000), figure 1: four classes, 1 against 4 first; "not 1" leads to 2 against 4, "not 4" to 1 against 3.
    #[test]
    fn the_first_and_the_last_class_that_are_left_are_compared() {
        let all = [(1, 3), (1, 5), (1, 8), (3, 5), (3, 8), (5, 8)];
        let pairs = ClassPairs::new(&all, EqualVotes::Sum);
        // 8 beats 1, 3 beats 8, 3 beats 5.
        assert_eq!(walk(&pairs, &[-1.0, -1.0, 1.0, -1.0, -1.0, 1.0]), 3);
        // 1 beats 8, 5 beats 1, 5 beats 3; a value of 0 is for the first.
        assert_eq!(walk(&pairs, &[0.0, 1.0, 0.0, 0.5, 0.0, 0.0]), 5);
    }
}
