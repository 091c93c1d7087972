//! Where to cut what ranks rows of two classes: at the least cost of errors on rows that were held out. With the costs 1 / weight of each
//! class that is the highest balanced accuracy (Elkan 2001, The foundations of cost-sensitive learning).

use crate::data::Target;
use crate::estimators::{Predicted, Predictions};
use serde::{Deserialize, Serialize};

/// A cut of the probabilities of the second of two classes, or of decision values where there are none.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cut {
    /// Rows above it are of the second class.
    pub above: f64,
    /// Whether it is one of probabilities.
    pub of_probabilities: bool,
}

/// Rows of two classes that were held out, with the number that ranks each.
#[derive(Default)]
struct Ranked {
    of_probabilities: bool,
    values: Vec<f64>,
    truth: Vec<usize>,
    weights: Vec<f64>,
}

impl Cut {
    /// Numbers that rank the rows of predictions, larger for the second of two classes.
    fn ranking(predictions: &Predictions) -> Option<(bool, Vec<f64>)> {
        let values = predictions.ranking(2)?;
        let last = values.cols().checked_sub(1)?;
        Some((predictions.probabilities.is_some(), (0..values.rows()).map(|i| values[(i, last)]).collect()))
    }

    /// The class of each row by the cut. Nothing changes where the predictions lack what it cuts.
    pub fn apply(&self, predictions: &mut Predictions) {
        if let Some((of_probabilities, values)) = Self::ranking(predictions)
            && of_probabilities == self.of_probabilities
        {
            predictions.values = Predicted::Classes(values.iter().map(|v| usize::from(*v > self.above)).collect());
        }
    }

    /// The cut with the least cost of errors of two classes: the middle of the widest gap between values among those.
    fn least(rows: &Ranked, costs: [f64; 2]) -> Option<Cut> {
        let mut order: Vec<usize> = (0..rows.values.len()).collect();
        if order.is_empty() || rows.values.iter().any(|v| !v.is_finite()) {
            return None;
        }
        order.sort_by(|&a, &b| rows.values[a].total_cmp(&rows.values[b]));
        // Below every value: all rows are of the second class.
        let cost = |i: usize| rows.weights[i] * costs[rows.truth[i]];
        let mut missed: f64 = order.iter().filter(|&&i| rows.truth[i] == 0).map(|&i| cost(i)).sum();
        let (least, most) = (rows.values[order[0]], rows.values[order[order.len() - 1]]);
        let total: f64 = order.iter().map(|&i| cost(i)).sum();
        let mut found = (missed, 0.0, f64::NEG_INFINITY);
        let tied: Vec<&[usize]> = order.chunk_by(|&a, &b| rows.values[a] == rows.values[b]).collect();
        for (k, alike) in tied.iter().enumerate() {
            missed += alike.iter().map(|&i| if rows.truth[i] == 0 { -cost(i) } else { cost(i) }).sum::<f64>();
            let here = rows.values[alike[0]];
            let gap = tied.get(k + 1).map_or(0.0, |next| rows.values[next[0]] - here);
            // Costs that differ by rounding are the same.
            let same = (missed - found.0).abs() <= 1e-12 * total;
            if (!same && missed < found.0) || (same && gap > found.1) {
                found = (missed.min(found.0), gap, here + 0.5 * gap);
            }
        }
        let above = if found.2 == f64::NEG_INFINITY { least - (most - least).max(1.0) } else { found.2 };
        Some(Cut { above, of_probabilities: rows.of_probabilities })
    }

    /// The cut of all held-out rows of the first folds: their predictions, and their rows among those of the target.
    pub fn of_held_out(parts: &[(&[usize], &Predictions)], target: &Target, weights: Option<&[f64]>, costs: [f64; 2]) -> Option<Cut> {
        let Target::Classes { codes, .. } = target else { return None };
        let mut all = Ranked::default();
        for (rows, predictions) in parts {
            let (of_probabilities, values) = Self::ranking(predictions)?;
            all.of_probabilities = of_probabilities;
            all.values.extend(values);
            all.truth.extend(rows.iter().map(|&i| codes[i]));
            all.weights.extend(rows.iter().map(|&i| weights.map_or(1.0, |w| w[i])));
        }
        Self::least(&all, costs)
    }

    /// The predictions of each fold by the cut of the other folds, so that no row is judged by a cut that it helped to choose.
    pub fn across(parts: &[(&[usize], &Predictions)], target: &Target, weights: Option<&[f64]>, costs: [f64; 2]) -> Vec<Predictions> {
        let of_fold = |k: usize| {
            let others: Vec<_> = parts.iter().enumerate().filter(|(other, _)| *other != k).map(|(_, part)| *part).collect();
            let mut own = parts[k].1.clone();
            if let Some(cut) = Self::of_held_out(&others, target, weights, costs) {
                cut.apply(&mut own);
            }
            own
        };
        (0..parts.len()).map(of_fold).collect()
    }
}

/// The costs of errors of two classes that make the least cost the highest balanced accuracy: 1 / weight of each class.
pub fn balanced_costs(target: &Target, weights: Option<&[f64]>) -> Option<[f64; 2]> {
    let Target::Classes { codes, names } = target else { return None };
    if names.len() != 2 {
        return None;
    }
    let mut totals = [0.0; 2];
    codes.iter().enumerate().for_each(|(i, &k)| totals[k] += weights.map_or(1.0, |w| w[i]));
    totals.iter().all(|t| *t > 0.0).then(|| totals.map(|t| 1.0 / t))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::Matrix;

    fn ranked(values: &[f64], truth: &[usize]) -> Ranked {
        Ranked { of_probabilities: true, values: values.to_vec(), truth: truth.to_vec(), weights: vec![1.0; truth.len()] }
    }

    #[test]
    fn the_cut_has_the_least_cost() {
        // One of three rows of the second class lies at .3 among six of the first below .5.
        let rows = ranked(&[0.1, 0.15, 0.2, 0.3, 0.35, 0.4, 0.45, 0.6, 0.9], &[0, 0, 0, 1, 0, 0, 0, 1, 1]);
        // Alike: one miss at .525 costs 1, three false alarms at .25 cost 3.
        assert!((Cut::least(&rows, [1.0, 1.0]).unwrap().above - 0.525).abs() < 1e-15);
        // A miss costs 10 false alarms.
        assert!((Cut::least(&rows, [1.0, 10.0]).unwrap().above - 0.25).abs() < 1e-15);
        // Balanced: a miss costs 1 / 3, three false alarms 3 / 6.
        assert!((Cut::least(&rows, [1.0 / 6.0, 1.0 / 3.0]).unwrap().above - 0.525).abs() < 1e-15);
        // Where errors of one class cost nothing, none of the other is made.
        assert!(Cut::least(&rows, [0.0, 1.0]).unwrap().above < 0.3);
        assert!(Cut::least(&rows, [1.0, 0.0]).unwrap().above > 0.45);
    }

    #[test]
    fn no_row_helps_to_choose_the_cut_that_it_is_judged_by() {
        let predictions = |p: &[f64]| {
            let rows = p.iter().flat_map(|p| [1.0 - p, *p]).collect();
            let probabilities = Matrix::new(p.len(), 2, rows).ok();
            Predictions { probabilities, ..Predictions::of(Predicted::Classes(vec![0; p.len()])) }
        };
        let target = Target::Classes { codes: vec![0, 0, 1, 0, 0, 1], names: vec!["no".into(), "yes".into()] };
        let (first, second) = (predictions(&[0.1, 0.2, 0.3]), predictions(&[0.5, 0.6, 0.9]));
        let parts: [(&[usize], &Predictions); 2] = [(&[0, 1, 2], &first), (&[3, 4, 5], &second)];
        let made = Cut::across(&parts, &target, None, [1.0, 1.0]);
        // The cut of the second fold is .75, that of the first .25.
        assert_eq!(made[0].values, Predicted::Classes(vec![0, 0, 0]));
        assert_eq!(made[1].values, Predicted::Classes(vec![1, 1, 1]));
        assert_eq!(balanced_costs(&target, None), Some([0.25, 0.5]));
        let scores = Predictions { scores: Some(Matrix::column(vec![1.0])), ..Predictions::of(Predicted::Classes(vec![0])) };
        let mut unlike = scores.clone();
        Cut { above: 0.5, of_probabilities: true }.apply(&mut unlike);
        assert_eq!(unlike, scores);
    }
}
