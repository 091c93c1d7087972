//! Metrics of predicted classes, over weighted rows; `None` where the rows do not define one.
//!
//! F1, balanced accuracy and average precision: van Rijsbergen, Information Retrieval (1979); AUC one against the rest: Fawcett (2006);
//! Brier (1950); calibration error of the predicted class in ten bins: Guo et al. (2017).

use crate::linalg::Matrix;

/// Predictions of classes beside the truth.
pub(super) struct ClassRows<'a> {
    /// The class predicted for each row.
    pub found: &'a [usize],
    /// Its true class.
    pub truth: &'a [usize],
    /// How many classes there are.
    pub classes: usize,
    /// A weight for each row.
    pub weights: Option<&'a [f64]>,
    /// Rows x classes.
    pub probabilities: Option<&'a Matrix>,
    /// Ranking scores: rows x classes, or x 1 of two classes (larger: the second).
    pub ranking: Option<&'a Matrix>,
    /// Of two classes the one whose F1 and average precision are taken.
    pub positive: Option<usize>,
}

/// Weight of rows by what they are and what they are taken for.
#[derive(Clone, Copy, Default)]
struct Counts {
    right: f64,
    truth: f64,
    found: f64,
}

impl ClassRows<'_> {
    fn weight(&self, i: usize) -> f64 {
        self.weights.map_or(1.0, |w| w[i])
    }

    /// The weighted mean over the rows; `None` of no rows.
    fn average(&self, f: impl Fn(usize) -> f64) -> Option<f64> {
        let (sum, total) = (0..self.truth.len()).fold((0.0, 0.0), |(s, t), i| (s + self.weight(i) * f(i), t + self.weight(i)));
        (total > 0.0).then(|| sum / total)
    }

    fn counts(&self) -> Vec<Counts> {
        let mut all = vec![Counts::default(); self.classes];
        for i in 0..self.truth.len() {
            let w = self.weight(i);
            all[self.truth[i]].truth += w;
            all[self.found[i]].found += w;
            if self.truth[i] == self.found[i] {
                all[self.truth[i]].right += w;
            }
        }
        all
    }
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, n) = values.fold((0.0, 0), |(s, n), x| (s + x, n + 1));
    (n > 0).then(|| sum / f64::from(n))
}

/// The recall of each class; `None` for a class without rows.
pub fn recalls(found: &[usize], truth: &[usize], classes: usize, weights: Option<&[f64]>) -> Vec<Option<f64>> {
    let rows = ClassRows { found, truth, classes, weights, probabilities: None, ranking: None, positive: None };
    rows.counts().iter().map(|c| (c.truth > 0.0).then(|| c.right / c.truth)).collect()
}

pub(super) fn accuracy(rows: &ClassRows<'_>) -> Option<f64> {
    rows.average(|i| f64::from(u8::from(rows.found[i] == rows.truth[i])))
}

/// The standard error of a share of so many rows, with one more correct and one more wrong, so that none is exact: a few folds
/// may agree by chance.
pub(super) fn sampling_error_of_share(share: f64, rows: f64) -> f64 {
    let right = (1.0 + rows * share) / (rows + 2.0);
    (right * (1.0 - right) / rows).max(0.0).sqrt()
}

/// Mean of the recalls of the classes that there are.
pub(super) fn balanced_accuracy(rows: &ClassRows<'_>) -> Option<f64> {
    mean(recalls(rows.found, rows.truth, rows.classes, rows.weights).into_iter().flatten())
}

/// 2 correct / (true + predicted) of a class; `None` where it is neither true nor predicted.
fn f1_of(c: &Counts) -> Option<f64> {
    (c.truth + c.found > 0.0).then(|| 2.0 * c.right / (c.truth + c.found))
}

/// F1 of one of two classes, or the mean over the classes that are true or predicted.
pub(super) fn f1(rows: &ClassRows<'_>) -> Option<f64> {
    match rows.positive {
        Some(class) => f1_of(&rows.counts()[class]),
        None => f1_macro(rows),
    }
}

/// The mean of F1 over the classes that are true or predicted.
pub(super) fn f1_macro(rows: &ClassRows<'_>) -> Option<f64> {
    mean(rows.counts().iter().filter_map(f1_of))
}

/// The probability that a row of the class has a larger value than a row of the rest, a tie counted half; of two classes
/// once, of more the mean over the classes.
pub(super) fn auc(rows: &ClassRows<'_>) -> Option<f64> {
    let values = rows.ranking?;
    let last = values.cols().checked_sub(1)?;
    if rows.classes == 2 {
        return area(rows, 1, |i| values[(i, last)]);
    }
    mean((0..rows.classes.min(values.cols())).filter_map(|class| area(rows, class, |i| values[(i, class)])))
}

/// The weight of a class and that of the rest at each different value, from the smallest up; `None` where a value is no number.
fn by_value(rows: &ClassRows<'_>, class: usize, value: impl Fn(usize) -> f64) -> Option<Vec<[f64; 2]>> {
    let mut order: Vec<usize> = (0..rows.truth.len()).collect();
    if order.iter().any(|&i| value(i).is_nan()) {
        return None;
    }
    order.sort_by(|&a, &b| value(a).total_cmp(&value(b)));
    let of = |tied: &[usize], own: bool| tied.iter().filter(|&&i| (rows.truth[i] == class) == own).map(|&i| rows.weight(i)).sum();
    Some(order.chunk_by(|&a, &b| value(a) == value(b)).map(|tied| [of(tied, true), of(tied, false)]).collect())
}

/// One class against the rest; `None` where either is absent.
fn area(rows: &ClassRows<'_>, class: usize, value: impl Fn(usize) -> f64) -> Option<f64> {
    let Some(values) = by_value(rows, class, value) else { return Some(f64::NAN) };
    let (mut below, mut inside, mut area) = (0.0, 0.0, 0.0);
    for [own, other] in values {
        area += own * (below + 0.5 * other);
        below += other;
        inside += own;
    }
    (inside > 0.0 && below > 0.0).then(|| area / (inside * below))
}

/// The sum over the different values, from the largest down, of the share of the class that has the value times the precision of all rows
/// that have as much or more; of two classes that of the positive one, of more the mean over the classes.
pub(super) fn average_precision(rows: &ClassRows<'_>) -> Option<f64> {
    let values = rows.ranking?;
    let last = values.cols().checked_sub(1)?;
    if rows.classes == 2 {
        return match rows.positive? {
            0 => precision(rows, 0, |i| -values[(i, last)]),
            _ => precision(rows, 1, |i| values[(i, last)]),
        };
    }
    mean((0..rows.classes.min(values.cols())).filter_map(|class| precision(rows, class, |i| values[(i, class)])))
}

/// The average precision of a class; `None` where it has no row.
fn precision(rows: &ClassRows<'_>, class: usize, value: impl Fn(usize) -> f64) -> Option<f64> {
    let Some(values) = by_value(rows, class, value) else { return Some(f64::NAN) };
    let (mut taken, mut right, mut sum) = (0.0, 0.0, 0.0);
    for [own, other] in values.into_iter().rev() {
        taken += own + other;
        right += own;
        if own > 0.0 {
            sum += own * right / taken;
        }
    }
    (right > 0.0).then(|| sum / right)
}

pub(super) fn log_loss(rows: &ClassRows<'_>) -> Option<f64> {
    // A probability is never taken as smaller than this in a log loss.
    const LEAST_PROBABILITY: f64 = f64::EPSILON;
    let p = rows.probabilities?;
    // Not `max`, which would take a missing number for the least probability.
    let surprise = |x: f64| if x < LEAST_PROBABILITY { -LEAST_PROBABILITY.ln() } else { -x.ln() };
    rows.average(|i| surprise(p[(i, rows.truth[i])]))
}

/// The squared distance between the probabilities and the truth (Brier 1950): of two classes half of it, (p - y)^2.
pub(super) fn brier(rows: &ClassRows<'_>) -> Option<f64> {
    let p = rows.probabilities?;
    let truth = |i: usize, k: usize| f64::from(u8::from(rows.truth[i] == k));
    let share = if rows.classes == 2 { 0.5 } else { 1.0 };
    rows.average(|i| share * p.row(i).iter().enumerate().map(|(k, p)| (p - truth(i, k)).powi(2)).sum::<f64>())
}

/// sum over bins of (weight of the bin / weight of all) |accuracy - mean probability of the predicted class|.
pub(super) fn calibration_error(rows: &ClassRows<'_>) -> Option<f64> {
    // Bins of the calibration error.
    const BINS: usize = 10;
    let p = rows.probabilities?;
    // The sum of weight x (right - stated) of each bin is the weight of the bin x the difference of its means.
    let mut gaps = [0.0; BINS];
    for i in 0..rows.truth.len() {
        let stated = p[(i, rows.found[i])];
        let bin = ((stated * BINS as f64).ceil() as usize).clamp(1, BINS) - 1;
        gaps[bin] += rows.weight(i) * (f64::from(u8::from(rows.found[i] == rows.truth[i])) - stated);
    }
    let total: f64 = (0..rows.truth.len()).map(|i| rows.weight(i)).sum();
    (total > 0.0).then(|| gaps.iter().map(|g| g.abs()).sum::<f64>() / total)
}
