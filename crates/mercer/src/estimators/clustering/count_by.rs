//! How many clusters rows fall into, where that is open:
//!
//! ```text
//! silhouette: the number with the greatest mean silhouette
//! gap:        Gap(k) = mean_b log W*_kb - log W_k,  W_k = sum_r 1/(2 n_r) sum_{i, j in r} w_i w_j |phi_i - phi_j|^2;
//!             the least k with Gap(k) >= Gap(g) - 3 s_g, where g has the greatest gap
//! stability:  the greatest k whose clusters of two samples of the rows agree as well as those of the best k, within the noise
//! ```
//!
//! W* is of rows drawn evenly from the box around the principal components of the rows in feature space (Tibshirani, Walther & Hastie
//! 2001, reference b), s_k = (1 + 1/B)^(1/2) times the standard deviation of log W*; the rule is that of Dudoit & Fridlyand (2002), with 3
//! errors instead of one since the greatest of ten gaps is seldom within one by chance, because that of the paper, by neighbours
//! alone, stops at 1 where two clusters are worse than one and four are best. Samples hold 80% of the places, and agree by the
//! adjusted Rand index (Ben-Hur, Elisseeff & Guyon 2002; Hubert & Arabie 1985) of the places that both hold.

use super::clusters::{MOST_CLUSTERS, Places};
use crate::data::Target;
use crate::error::Result;
use crate::estimators::embedding::centred::Centred;
use crate::estimators::{Estimator, Task, View};
use crate::gram::{Dense, dot};
use crate::linalg::{Matrix, product_transposed_within};
use crate::notice::{ClusterChoice, Notice};
use crate::param::{Domain, Param};
use mercer_derive::Choice;
use rand::{RngExt, SeedableRng, seq};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};

/// Tables that are drawn to be compared with the rows.
const REFERENCES: usize = 20;
/// A gap is less than the greatest where it is below that by more than so many errors.
const ERRORS: f64 = 3.0;
/// Pairs of samples that are clustered.
const PAIRS: usize = 20;
/// The share of the places that a sample holds.
const SAMPLE: f64 = 0.8;
/// Means of agreement that differ by no more are equal but for rounding.
const EQUAL: f64 = 1e-9;

/// What the number of clusters is found by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Choice)]
#[serde(rename_all = "snake_case")]
pub enum CountBy {
    /// The mean silhouette.
    #[default]
    Silhouette,
    /// The gap statistic.
    Gap,
    /// Whether samples of the rows have the same clusters.
    Stability,
    /// Where eigenvalues fall most.
    Eigengap,
}

impl CountBy {
    /// The parameter of methods whose clusters are defined by distances.
    pub(super) const OF_DISTANCES: Param = Param::fixed(
        "count_by",
        "how the number of clusters is found, where it is auto. silhouette: from 2, the greatest mean silhouette; gap: from 1, by how much less the rows scatter within clusters than rows spread evenly do, which suits linear kernels and distances (curved ones lie less evenly than any such rows, and it rises on and on); stability: the greatest number whose clusters of two samples of the rows agree as well as those of the best",
        Domain::Choice(&["silhouette", "gap", "stability"]),
    );

    /// What is measured, for people.
    pub fn in_words(self) -> &'static str {
        match self {
            CountBy::Silhouette => "mean silhouette",
            CountBy::Gap => "gap statistic",
            CountBy::Stability => "agreement of samples (adjusted Rand index)",
            CountBy::Eigengap => "fall of the eigenvalues",
        }
    }
}

/// One number of clusters that was tried.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CountTried {
    /// The number.
    pub count: usize,
    /// What was measured of it: more is better.
    pub value: f64,
    /// The standard error of that, 0 where nothing is drawn.
    pub error: f64,
}

/// What was measured of several numbers of clusters, and which of them it speaks for.
#[derive(Clone, Debug, PartialEq)]
pub struct CountCurve {
    /// What was measured.
    pub by: CountBy,
    /// The numbers tried, ascending; none where there are too few rows to decide.
    pub tried: Vec<CountTried>,
    /// The number that is chosen.
    pub chosen: usize,
}

/// By how much a value may lie below the greatest and be as good by the rule.
fn indifference(by: CountBy, greatest: &CountTried, other: &CountTried) -> f64 {
    match by {
        CountBy::Gap => ERRORS * greatest.error,
        CountBy::Stability => greatest.error.hypot(other.error).max(EQUAL),
        CountBy::Silhouette | CountBy::Eigengap => 0.0,
    }
}

impl CountCurve {
    /// By how much the value of the choice may lie below the greatest and be as good.
    pub fn indifference(&self) -> f64 {
        let of = |count: usize| self.tried.iter().find(|t| t.count == count);
        let greatest = self.tried.iter().reduce(|b, t| if t.value > b.value { t } else { b });
        greatest.zip(of(self.chosen)).map_or(0.0, |(greatest, own)| indifference(self.by, greatest, own))
    }

    /// The notice of what chose the number.
    pub fn notice(&self) -> Notice {
        let of = |(least, most): (&CountTried, &CountTried)| {
            let own = self.tried.iter().find(|t| t.count == self.chosen).unwrap_or(least);
            let by = self.by.in_words().to_owned();
            ClusterChoice { by, value: own.value, error: own.error, least: least.count, most: most.count }
        };
        Notice::Clusters { chosen: self.chosen, by: self.tried.first().zip(self.tried.last()).map(of) }
    }

    /// Where nothing can be measured: 2 clusters, if there are two places.
    fn unknown(by: CountBy, places: &Places) -> CountCurve {
        CountCurve { by, tried: Vec::new(), chosen: 2.min(places.rows.len()) }
    }

    /// The number with the greatest value, of equal ones the least.
    pub(super) fn greatest(by: CountBy, tried: Vec<CountTried>, places: &Places) -> CountCurve {
        let mut best = None::<CountTried>;
        for one in &tried {
            if best.is_none_or(|b| one.value > b.value) {
                best = Some(*one);
            }
        }
        let Some(best) = best else { return Self::unknown(by, places) };
        CountCurve { by, tried, chosen: best.count }
    }
}

/// The number of clusters that an estimator finds.
pub(super) fn start<E: Estimator>(estimator: &E, task: &Task<'_>) -> Result<f64> {
    // Where nothing is measured two are as good as any number.
    Ok(estimator.counts(task, MOST_CLUSTERS)?.map_or(2.0, |found| found.chosen as f64))
}

/// Clusters of places for each of several numbers of them.
pub(super) type Clustering<'a> = &'a dyn Fn(&Places, &[usize]) -> Result<Vec<Vec<usize>>>;

/// Numbers of clusters from 2 (of the gap, from 1) to `most`.
pub(super) fn count(by: CountBy, places: &Places, most: usize, task: &Task<'_>, clusters: Clustering<'_>) -> Result<CountCurve> {
    match by {
        CountBy::Gap => gap(places, most, task, clusters),
        CountBy::Stability => stability(places, most, task, clusters),
        CountBy::Silhouette | CountBy::Eigengap => {
            let counts: Vec<usize> = (2..=most.min(places.most_clusters())).collect();
            let found = clusters(places, &counts)?;
            let width = |(&count, cluster): (&usize, &Vec<usize>)| {
                Ok(CountTried { count, value: places.silhouette(cluster, count, task)?, error: 0.0 })
            };
            let tried: Result<Vec<CountTried>> = counts.iter().zip(&found).map(width).collect();
            Ok(CountCurve::greatest(CountBy::Silhouette, tried?, places))
        }
    }
}

fn gap(places: &Places, most: usize, task: &Task<'_>, clusters: Clustering<'_>) -> Result<CountCurve> {
    let (by, n) = (CountBy::Gap, places.rows.len());
    let counts: Vec<usize> = (1..=most.min(n.saturating_sub(1))).collect();
    if counts.len() < 2 {
        return Ok(CountCurve::unknown(by, places));
    }
    let mut squares = places.apart.clone();
    squares.data_mut().iter_mut().for_each(|d| *d = if places.power == 1 { *d * *d } else { d.max(0.0) });
    let ours = scatters(&squares, places, &counts, &clusters(places, &counts)?);
    let coordinates = coordinates(&squares, &places.weights, task)?;
    let mut drawn: Vec<Vec<f64>> = Vec::with_capacity(REFERENCES);
    for draw in 0..REFERENCES {
        task.control.check_time("reference tables of the gap statistic")?;
        task.control.tell("gap statistic", draw, REFERENCES);
        let squares = reference(&coordinates, task.seed.wrapping_add(draw as u64), task)?;
        let Places { rows, weights, single, .. } = places;
        let (rows, weights, single) = (rows.clone(), weights.clone(), single.clone());
        let mut like = Places { rows, of_row: (0..n).collect(), weights, single, apart: squares.clone(), power: 2, featureless: None };
        like.raise(places.power);
        let found = clusters(&like, &counts)?;
        drawn.push(scatters(&squares, &like, &counts, &found));
    }
    let size = REFERENCES as f64;
    let tried = counts.iter().enumerate().map(|(at, &count)| {
        let mean = drawn.iter().map(|d| d[at]).sum::<f64>() / size;
        let variance = drawn.iter().map(|d| (d[at] - mean).powi(2)).sum::<f64>() / size;
        CountTried { count, value: mean - ours[at], error: (variance * (1.0 + 1.0 / size)).sqrt() }
    });
    let greatest = CountCurve::greatest(by, tried.take_while(|t| t.value.is_finite()).collect(), places);
    let best = greatest.tried.iter().find(|t| t.count == greatest.chosen).copied();
    let first = greatest.tried.iter().find(|t| best.is_some_and(|b| t.value >= b.value - indifference(by, &b, t))).map(|t| t.count);
    Ok(CountCurve { chosen: first.unwrap_or(greatest.chosen), ..greatest })
}

/// log W_k for each number of clusters.
fn scatters(squares: &Matrix, places: &Places, counts: &[usize], found: &[Vec<usize>]) -> Vec<f64> {
    let weights = &places.weights;
    let one = |(&count, cluster): (&usize, &Vec<usize>)| {
        let (mut mass, mut inside) = (vec![0.0; count], vec![0.0; count]);
        for (p, &k) in cluster.iter().enumerate() {
            mass[k] += weights[p];
            let own = squares.row(p).iter().zip(weights).zip(cluster).filter(|(_, c)| **c == k);
            inside[k] += weights[p] * own.map(|((d, w), _)| d * w).sum::<f64>();
        }
        inside.iter().zip(&mass).filter(|(_, m)| **m > 0.0).map(|(s, m)| s / (2.0 * m)).sum::<f64>().ln()
    };
    counts.iter().zip(found).map(one).collect()
}

/// Where places lie along every principal component of them that is no rounding, places x components.
fn coordinates(squares: &Matrix, weights: &[f64], task: &Task<'_>) -> Result<Matrix> {
    let n = weights.len();
    let gram = Dense::square(Matrix::from_fn(n, n, |p, q| -0.5 * squares[(p, q)]))?;
    let among = Task { view: View::Values(&gram), target: &Target::Absent { rows: n }, weights: Some(weights), ..*task };
    let centred = Centred::new(&among, None)?;
    let found = centred.leading(n, EQUAL, task.seed, task.control)?;
    let kept = found.values.iter().take_while(|l| **l > centred.floor()).count();
    Ok(Matrix::from_fn(n, kept, |p, j| found.vectors[(j, p)] * found.values[j].sqrt() / centred.root[p]))
}

/// Squared distances among as many places drawn evenly from the box around all.
fn reference(coordinates: &Matrix, seed: u64, task: &Task<'_>) -> Result<Matrix> {
    let (n, directions) = (coordinates.rows(), coordinates.cols());
    let mut draw = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut box_of = vec![[f64::INFINITY, f64::NEG_INFINITY]; directions];
    for p in 0..n {
        box_of.iter_mut().zip(coordinates.row(p)).for_each(|(b, v)| *b = [b[0].min(*v), b[1].max(*v)]);
    }
    let drawn = Matrix::from_fn(n, directions, |_, j| box_of[j][0] + draw.random::<f64>() * (box_of[j][1] - box_of[j][0]));
    let mut out = product_transposed_within(&drawn, &drawn, task.control)?;
    let own: Vec<f64> = (0..n).map(|p| dot(drawn.row(p), drawn.row(p))).collect();
    for p in 0..n {
        out.row_mut(p).iter_mut().zip(&own).for_each(|(v, o)| *v = (own[p] + o - 2.0 * *v).max(0.0));
        out[(p, p)] = 0.0;
    }
    Ok(out)
}

fn stability(places: &Places, most: usize, task: &Task<'_>, clusters: Clustering<'_>) -> Result<CountCurve> {
    let (by, n) = (CountBy::Stability, places.rows.len());
    let size = (SAMPLE * n as f64).ceil() as usize;
    let counts: Vec<usize> = (2..=most.min(size.saturating_sub(1))).collect();
    if counts.len() < 2 {
        return Ok(CountCurve::unknown(by, places));
    }
    let mut draw = Xoshiro256PlusPlus::seed_from_u64(task.seed);
    let mut agreement: Vec<Vec<f64>> = vec![Vec::new(); counts.len()];
    for pair in 0..PAIRS {
        task.control.check_time("clusters of samples of the rows")?;
        task.control.tell("stability of clusters", pair, PAIRS);
        let mut sampled = || {
            let mut sample = seq::index::sample(&mut draw, n, size).into_vec();
            sample.sort_unstable();
            sample
        };
        let (one, other) = (sampled(), sampled());
        let both: Vec<[usize; 2]> = (0..size).filter_map(|a| other.binary_search(&one[a]).ok().map(|b| [a, b])).collect();
        let weights: Vec<f64> = both.iter().map(|[a, _]| places.weights[one[*a]]).collect();
        let found = [clusters(&places.select(&one), &counts)?, clusters(&places.select(&other), &counts)?];
        for (at, &count) in counts.iter().enumerate() {
            let pairs: Vec<[usize; 2]> = both.iter().map(|[a, b]| [found[0][at][*a], found[1][at][*b]]).collect();
            agreement[at].push(adjusted_rand(&pairs, &weights, count));
        }
    }
    let tried: Vec<CountTried> = counts
        .iter()
        .zip(&agreement)
        .map(|(&count, of)| {
            let mean = of.iter().sum::<f64>() / of.len() as f64;
            let variance = of.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (of.len() - 1) as f64;
            CountTried { count, value: mean, error: (variance / of.len() as f64).sqrt() }
        })
        .collect();
    let greatest = CountCurve::greatest(by, tried, places);
    let best = greatest.tried.iter().find(|t| t.count == greatest.chosen).copied();
    let as_good = |t: &&CountTried| best.is_some_and(|b| b.value - t.value <= indifference(by, &b, t));
    let last = greatest.tried.iter().rev().find(as_good).map(|t| t.count);
    Ok(CountCurve { chosen: last.unwrap_or(greatest.chosen), ..greatest })
}

/// How well two partitions agree about which places are together, by pairs of places with the product of their weights: 1 where they
/// are the same, 0 on the average of partitions that have nothing to do with each other.
fn adjusted_rand(of: &[[usize; 2]], weights: &[f64], count: usize) -> f64 {
    let mut table = Matrix::zeros(count, count);
    of.iter().zip(weights).for_each(|([a, b], w)| table[(*a, *b)] += w);
    let own: f64 = weights.iter().map(|w| w * w).sum();
    let pairs = |sums: &mut dyn Iterator<Item = f64>| (sums.map(|s| s * s).sum::<f64>() - own) / 2.0;
    let both = pairs(&mut table.data().iter().copied());
    let one = pairs(&mut (0..count).map(|k| table.row(k).iter().sum()));
    let other = pairs(&mut (0..count).map(|k| table.col(k).iter().sum()));
    let all = pairs(&mut std::iter::once(weights.iter().sum()));
    let (chance, most) = (one * other / all, 0.5 * (one + other));
    if most - chance > EQUAL * all { (both - chance) / (most - chance) } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    // The table of Hubert & Arabie's index as scikit-learn's documentation of adjusted_rand_score works it:
    // ([0, 0, 1, 2], [0, 0, 1, 1]) is 0.57, ([0, 0, 1, 1], [0, 0, 1, 2]) too, and ([0, 0, 0, 0], [0, 1, 2, 3]) is 0.
    #[test]
    fn the_adjusted_rand_index_is_that_of_scikit_learn() {
        let of = |a: [usize; 4], b: [usize; 4]| {
            let pairs: Vec<[usize; 2]> = a.into_iter().zip(b).map(|(a, b)| [a, b]).collect();
            adjusted_rand(&pairs, &[1.0; 4], 4)
        };
        assert!((of([0, 0, 1, 2], [0, 0, 1, 1]) - 4.0 / 7.0).abs() <= 1e-12);
        assert!((of([0, 0, 1, 1], [0, 0, 1, 2]) - 4.0 / 7.0).abs() <= 1e-12);
        assert!((of([0, 0, 1, 1], [1, 1, 0, 0]) - 1.0).abs() <= 1e-12);
        assert!(of([0, 0, 0, 0], [0, 1, 2, 3]).abs() <= 1e-12);
    }

    // Of squared distances 1/(2 n) sum_ij d_ij is the sum of squares around the mean: 0, 2 and 10 have the mean 4 and 16 + 4 + 36 = 56;
    // with 10 alone 1 + 1 = 2.
    #[test]
    fn scatters_are_sums_of_squares_around_means() {
        let at = [0.0, 2.0, 10.0];
        let squares = Matrix::from_fn(3, 3, |p, q| (at[p] - at[q]) * (at[p] - at[q]));
        let places = Places {
            rows: vec![0, 1, 2],
            of_row: vec![0, 1, 2],
            weights: vec![1.0; 3],
            single: vec![1.0; 3],
            apart: squares.clone(),
            power: 2,
            featureless: None,
        };
        let found = scatters(&squares, &places, &[1, 2], &[vec![0, 0, 0], vec![0, 0, 1]]);
        assert!((found[0] - 56f64.ln()).abs() <= 1e-12 && (found[1] - 2f64.ln()).abs() <= 1e-12);
    }

    #[test]
    fn coordinates_along_components_keep_every_distance() {
        let at = |p: usize, d: usize| ((p * [37, 53, 11][d]) % 29) as f64 / 7.0;
        let squares = Matrix::from_fn(12, 12, |p, q| (0..3).map(|d| (at(p, d) - at(q, d)).powi(2)).sum());
        let weights: Vec<f64> = (0..12).map(|p| 1.0 + (p % 3) as f64).collect();
        let gram = Dense::square(squares.clone()).unwrap();
        let control = crate::control::Control::default();
        let task = Task { view: View::Values(&gram), target: &Target::Absent { rows: 12 }, weights: None, control: &control, seed: 0 };
        let found = coordinates(&squares, &weights, &task).unwrap();
        assert_eq!(found.cols(), 3);
        for (p, q) in (0..12).flat_map(|p| (0..12).map(move |q| (p, q))) {
            let d: f64 = (0..3).map(|j| (found[(p, j)] - found[(q, j)]).powi(2)).sum();
            assert!((d - squares[(p, q)]).abs() <= 1e-9);
        }
    }
}
