//! Whether an estimator predicts worse than the best one, by the rows that both predicted without having seen them.
//!
//! Two estimators are compared by the differences d_u of the pseudo-values of each unit u. Where they are equally good the sign of
//! every d_u is as likely one as the other, so that sum d_u / root of sum d_u^2 has the distribution of sum s_u d_u / root of sum
//! d_u^2 with random signs s_u: Fisher's randomisation test, exact for as few units as there may be. Signs are common to all pairs,
//! and the greatest of the statistics of all pairs is taken: with the probability of 5% any of J equally good estimators is called
//! worse than another (Westfall and Young 1993, Resampling-based multiple testing). What is worse is taken out, and the others are
//! compared again, until none goes (Romano and Wolf 2005). The interval of a difference are the shifts of it that the test does not
//! reject, with one more unit that has no difference, so that units that all agree still leave a width.

use super::{Judged, estimate::ROUNDING};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::Serialize;

/// Draws of signs; of few units all signs are taken.
const DRAWS: usize = 1000;

/// A score minus that of the best estimator, on the same held-out rows.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Difference {
    /// The difference of the metric.
    pub mean: f64,
    /// Its standard error, by the rows.
    pub se: f64,
    /// Lower end of its 95% interval, which allows for the comparison of several estimators; infinite where there are too few rows
    /// for any.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Whether both have the same score in every fold.
    pub tied: bool,
}

impl Difference {
    /// Whether the interval leaves zero out.
    pub fn is_significant(&self) -> bool {
        self.low > 0.0 || self.high < 0.0
    }
}

/// Pseudo-values of estimators whose metric is defined and finite, for the same units.
struct Field<'a> {
    judged: Vec<Option<&'a Judged>>,
    /// The units in an order that does not depend on that of the rows.
    order: Vec<usize>,
}

impl<'a> Field<'a> {
    fn of(all: &[Option<&'a Judged>]) -> Self {
        let usable = |j: &&Judged| j.value.is_finite() && !j.by_unit.is_empty() && j.by_unit.iter().all(|l| l.is_finite());
        let units = all.iter().flatten().find(|j| usable(j)).map_or(0, |j| j.by_unit.len());
        let judged: Vec<Option<&Judged>> = all.iter().map(|j| j.filter(|j| usable(j) && j.by_unit.len() == units)).collect();
        let mut order: Vec<usize> = (0..units).collect();
        let by_values = |&u: &usize, &v: &usize| {
            let ahead = judged.iter().flatten().map(|j| j.by_unit[u].total_cmp(&j.by_unit[v]));
            ahead.fold(std::cmp::Ordering::Equal, std::cmp::Ordering::then)
        };
        order.sort_by(by_values);
        Field { judged, order }
    }

    fn units(&self) -> f64 {
        self.order.len() as f64
    }

    /// The difference of two estimators in each unit, without what is rounding.
    fn gaps(&self, a: usize, b: usize) -> Option<Vec<f64>> {
        let (a, b) = (self.judged[a]?, self.judged[b]?);
        let scale = a.scale(b);
        let size = scale * a.by_unit.iter().chain(&b.by_unit).fold(0.0, |most: f64, l| most.max(l.abs()));
        let gap = |&u: &usize| scale * (a.by_unit[u] - b.by_unit[u]);
        Some(self.order.iter().map(gap).map(|d| if d.abs() <= ROUNDING * size { 0.0 } else { d }).collect())
    }

    /// Signs of all units: all there are for few, else so many draws.
    fn signs(&self) -> Vec<Vec<f64>> {
        let n = self.order.len();
        let sign = |positive: bool| if positive { 1.0 } else { -1.0 };
        if n >= 1 && (1usize << (n - 1).min(30)) <= DRAWS {
            // The other half are the same statistics.
            return (0..1usize << (n - 1)).map(|bits| (0..n).map(|u| sign(bits >> u & 1 == 0)).collect()).collect();
        }
        let mut random = Xoshiro256PlusPlus::seed_from_u64(0);
        (0..DRAWS).map(|_| (0..n).map(|_| sign(random.random())).collect()).collect()
    }
}

/// The difference of each to the best one, from pseudo-values of the same units; `None` for the best, and where there are none.
pub fn against_best(all: &[Option<&Judged>], best: usize, rises: bool) -> Vec<Option<Difference>> {
    let field = Field::of(all);
    let mut out = vec![None; all.len()];
    let mut left: Vec<usize> = (0..all.len()).filter(|&i| field.judged[i].is_some()).collect();
    if !left.contains(&best) {
        return out;
    }
    let signs = field.signs();
    // The signed sum of each estimator; the statistic of a pair is the difference of two of these.
    let sums: Vec<Vec<f64>> = (0..all.len())
        .map(|i| match field.judged[i] {
            Some(judged) => signs.iter().map(|s| field.order.iter().zip(s).map(|(&u, s)| s * judged.by_unit[u]).sum()).collect(),
            None => Vec::new(),
        })
        .collect();
    loop {
        let critical = critical(&field, &sums, &left);
        let mut worse = Vec::new();
        for &i in left.iter().filter(|&&i| i != best) {
            let Some(found) = difference(&field, i, best, critical) else { continue };
            out[i] = Some(found);
            if (if rises { -found.high } else { found.low }) > 0.0 {
                worse.push(i);
            }
        }
        if worse.is_empty() {
            return out;
        }
        left.retain(|i| !worse.contains(i));
    }
}

/// The value that the greatest statistic of any two of these exceeds with a probability of 5% at most, by random signs.
fn critical(field: &Field<'_>, sums: &[Vec<f64>], among: &[usize]) -> f64 {
    // Probability of calling any of equally good estimators worse than another.
    const LEVEL: f64 = 0.05;
    let draws = sums.iter().map(Vec::len).max().unwrap_or(0);
    let mut greatest = vec![0.0; draws];
    for (k, &a) in among.iter().enumerate() {
        for &b in &among[..k] {
            let length = field.gaps(a, b).map_or(0.0, |gaps| gaps.iter().map(|d| d * d).sum::<f64>().sqrt());
            let scale = field.judged[a].zip(field.judged[b]).map_or(1.0, |(a, b)| a.scale(b));
            if length > 0.0 {
                let pairs = sums[a].iter().zip(&sums[b]);
                greatest.iter_mut().zip(pairs).for_each(|(most, (x, y)): (&mut f64, _)| *most = most.max(scale * (x - y).abs() / length));
            }
        }
    }
    greatest.sort_by(f64::total_cmp);
    let place = ((1.0 - LEVEL) * draws as f64).ceil() as usize;
    greatest.get(place.saturating_sub(1)).copied().unwrap_or(f64::INFINITY)
}

/// An estimator minus another, with the interval of the shifts that are not rejected.
fn difference(field: &Field<'_>, a: usize, b: usize, critical: f64) -> Option<Difference> {
    let gaps = field.gaps(a, b)?;
    let (own, other) = (field.judged[a]?, field.judged[b]?);
    let (n, same) = (field.units(), gaps.iter().all(|d| *d == 0.0));
    let mean = if same { 0.0 } else { own.value - other.value };
    let centre = gaps.iter().sum::<f64>() / n;
    let squares = gaps.iter().map(|d| (d - centre).powi(2)).sum::<f64>() + centre * centre;
    let se = if n > 1.0 { (squares / (n * (n - 1.0))).sqrt() } else { f64::INFINITY };
    let freedom = n - critical * critical;
    // Rounding of the statistic of units that all agree, which is the root of n.
    let margin = match freedom > 1e-9 * n {
        _ if same => 0.0,
        true => critical * (squares / n / freedom).sqrt(),
        false => f64::INFINITY,
    };
    let equal = |(x, y): (&f64, &f64)| (x.is_nan() && y.is_nan()) || (x - y).abs() <= ROUNDING * x.abs().max(y.abs());
    let tied = mean == 0.0 && own.per_fold.iter().zip(&other.per_fold).all(equal);
    Some(Difference { mean, se: if same { 0.0 } else { se }, low: mean - margin, high: mean + margin, tied })
}

/// The expected score on new rows of the winner of several estimators: that of the best is too good, as it is the best by luck too.
///
/// Units are drawn with replacement, the estimator that is the best on these is scored on the units that were not drawn, and the mean
/// over the draws is taken: of equally good estimators it is the score of any of them, of others a little pessimistic (Tsamardinos,
/// Greasidou and Borboudakis 2018, Bootstrapping the out-of-sample predictions for efficient and accurate cross-validation). What is
/// drawn is the difference to the best on all units, so that a single estimator keeps its score. No better than that score.
pub fn corrected_for_choice(all: &[Option<&Judged>], best: usize, rises: bool) -> Option<f64> {
    let field = Field::of(all);
    let winner = field.judged[best]?;
    let others: Vec<Vec<f64>> = (0..all.len()).filter(|&i| i != best).filter_map(|i| field.gaps(i, best)).collect();
    let n = field.order.len();
    let mut random = Xoshiro256PlusPlus::seed_from_u64(0);
    let (mut sum, mut drawn) = (0.0, 0.0);
    for _ in 0..DRAWS {
        let mut counts = vec![0.0; n];
        (0..n).for_each(|_| counts[random.random_range(0..n)] += 1.0);
        let out = counts.iter().filter(|c| **c == 0.0).count();
        if out == 0 {
            continue;
        }
        let inside = |gaps: &Vec<f64>| -> f64 { gaps.iter().zip(&counts).map(|(d, c)| d * c).sum() };
        let outside = |gaps: &Vec<f64>| gaps.iter().zip(&counts).filter(|(_, c)| **c == 0.0).map(|(d, _)| d).sum::<f64>() / out as f64;
        let lead = |gaps: &Vec<f64>| if rises { inside(gaps) } else { -inside(gaps) };
        // The winner on all units is ahead of itself by nothing; what ties shares the draw.
        let most = others.iter().map(lead).fold(0.0, f64::max);
        let ahead: Vec<f64> = others.iter().filter(|gaps| lead(gaps) >= most).map(outside).chain((most <= 0.0).then_some(0.0)).collect();
        sum += ahead.iter().sum::<f64>() / ahead.len().max(1) as f64;
        drawn += 1.0;
    }
    let shift = if drawn > 0.0 { sum / drawn } else { 0.0 };
    Some(winner.value + if rises { shift.min(0.0) } else { shift.max(0.0) })
}
