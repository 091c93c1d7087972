//! Training rows that stand for all: the centroids of kernelised features (Murphy 2012, 14.3.2; M05, M06, M07, M09).
//!
//! Estimators see kernel values and no coordinates. So a centre of k-means is taken to the row nearest to it, and where columns would
//! be tiled, rows are spread evenly over the range of all: each as far as can be from those before, which covers it within twice the
//! least radius that so many rows allow (Gonzalez 1985, Clustering to minimize the maximum intercluster distance). Where they would be
//! moved until the targets are fitted best (M07), rows are exchanged for others.

use crate::data::even_rows;
use crate::error::{Error, Result};
use crate::estimators::clustering::clusters::{Places, SUMMED};
use crate::estimators::systems::primal::means;
use crate::estimators::{KernelKMeans, Task};
use crate::gram::{self, Subset, TIED};
use crate::linalg::{Matrix, PASSED, gramian_of_columns_within, transposed_product_within};
use crate::solve::exchange::{Products, exchange};
use crate::solve::medoids;
use mercer_derive::Choice;
use serde::{Deserialize, Serialize};

/// How centroids are chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Choice)]
#[serde(rename_all = "snake_case")]
pub enum Centroids {
    /// Every row.
    All,
    /// Rows spread evenly over the range of all.
    Grid,
    /// The rows nearest to the centres of k-means in feature space.
    KMeans,
    /// k medoids.
    #[default]
    KMedoids,
    /// Rows by which the targets are fitted best.
    Optimised,
}

/// Rows that centres are chosen among at most, for each of them and at least: more say little more of where the rows lie.
const ROWS_PER_CENTROID: usize = 8;
const ENOUGH: usize = 1000;

/// The usual number of centroids among so many rows that differ.
pub(super) fn usual(rows: usize) -> usize {
    ((2.0 * (rows as f64).sqrt()).round() as usize).clamp(1, rows.max(1))
}

/// How many of so many rows the usual number of centres is chosen among.
pub(super) fn chosen_among(rows: usize) -> usize {
    rows.min(most_among(usual(rows)))
}

fn most_among(count: usize) -> usize {
    ENOUGH.max(ROWS_PER_CENTROID.saturating_mul(count))
}

/// Rows that are looked at to find those by which the targets are fitted best, for each of them and at least, and starts from which.
const TRIED_PER_CENTROID: usize = 4;
const TRIED: usize = 500;
const STARTS: usize = 4;

/// Rows that each is compared with, to find the copies.
pub(super) const COMPARED: usize = SUMMED.0 * SUMMED.1;

/// How many rows differ.
pub(super) fn differing(task: &Task<'_>) -> Result<usize> {
    Places::alike(task, false).map(|places| places.rows.len())
}

/// Training rows (ascending), of copies one, by the rows alone: k medoids where they are to be optimised. Centres are chosen among some
/// of many rows. `who` is named where there are too few of them.
pub(super) fn choose(how: Centroids, count: usize, who: &str, task: &Task<'_>) -> Result<Vec<usize>> {
    let mut places = match how {
        Centroids::All => Places::alike(task, false)?,
        Centroids::Grid => Places::of(task, false)?,
        Centroids::KMeans | Centroids::KMedoids | Centroids::Optimised => Places::some_of(task, most_among(count))?,
    };
    if how != Centroids::All {
        require(count, places.rows.len(), who)?;
    }
    let mut chosen: Vec<usize> = match how {
        Centroids::All => places.rows,
        Centroids::Grid => spread_evenly(&places, count).into_iter().map(|p| places.rows[p]).collect(),
        Centroids::KMeans => nearest_to_means(&places, count, task)?.into_iter().map(|p| places.rows[p]).collect(),
        Centroids::KMedoids | Centroids::Optimised => {
            places.raise(2);
            let found = medoids(&places.apart, &places.weights, count, 1, task.seed, task.control)?;
            found.places.into_iter().map(|p| places.rows[p]).collect()
        }
    };
    chosen.sort_unstable();
    Ok(chosen)
}

fn require(count: usize, found: usize, who: &str) -> Result<()> {
    if count <= found {
        return Ok(());
    }
    Err(Error::Data(format!("{who} is asked for {count} centroids, and there are {found} rows that differ; lower count, or add rows")))
}

/// Of so many rows, how many are tried as centroids where these are optimised.
pub(super) fn tried(count: usize, rows: usize) -> usize {
    rows.min(TRIED.max(TRIED_PER_CENTROID.saturating_mul(count)))
}

/// Operations of the starts, each of which brings the columns in and goes through them some five times.
pub(super) fn exchange_work(count: usize, rows: usize) -> f64 {
    let tried = tried(count, rows) as f64;
    2.0 * PASSED * tried.powi(2) * (STARTS * 11 * count) as f64 + rows as f64 * tried.powi(2)
}

/// Rows (ascending) by which outputs y (N x outputs), rows of weights w, are fitted best by least squares with the penalty lambda, and the
/// objective at which every start of the search ended. With `constants` columns and outputs count from their means.
pub(super) fn optimised(
    count: usize,
    lambda: f64,
    (mut y, w): (Matrix, &[f64]),
    constants: bool,
    who: &str,
    task: &Task<'_>,
) -> Result<(Vec<usize>, Vec<f64>)> {
    let places = Places::alike(task, false)?.rows;
    require(count, places.len(), who)?;
    let some: Vec<usize> = even_rows(places.len(), tried(count, places.len())).into_iter().map(|p| places[p]).collect();
    let all: Vec<usize> = (0..task.rows()).collect();
    let mut z = gram::dense(&Subset::new(task.gram()?, &all, &some), task.control)?;
    for matrix in [&mut z, &mut y] {
        let means = means(matrix, Some(w), constants);
        for (i, weight) in w.iter().enumerate() {
            let root = weight.sqrt();
            matrix.row_mut(i).iter_mut().zip(&means).for_each(|(v, mean)| *v = root * (*v - mean));
        }
    }
    let products = Products {
        columns: gramian_of_columns_within(&z, None, task.control)?,
        targets: transposed_product_within(&z, &y, task.control)?,
        square: gram::dot(y.data(), y.data()),
    };
    let found = exchange(&products, lambda, count, STARTS, task.seed, task.control)?;
    let mut rows: Vec<usize> = found.columns.into_iter().map(|k| some[k]).collect();
    rows.sort_unstable();
    Ok((rows, found.objectives))
}

/// From the place that is least far from all, each next one as far as can be from those before.
fn spread_evenly(places: &Places, count: usize) -> Vec<usize> {
    let n = places.rows.len();
    let far = |p: usize| places.apart.row(p).iter().zip(&places.weights).map(|(d, w)| d * w).sum::<f64>();
    let sums: Vec<f64> = (0..n).map(far).collect();
    let first = (1..n).fold(0, |best, p| if sums[p] < sums[best] * (1.0 - TIED) { p } else { best });
    let mut chosen = vec![first];
    // Below every distance where a place is chosen, even of what is no kernel.
    let mut nearest = places.apart.row(first).to_vec();
    nearest[first] = f64::NEG_INFINITY;
    while chosen.len() < count {
        let next = (1..n).fold(0, |best, p| if nearest[p] > nearest[best] * (1.0 + TIED) { p } else { best });
        chosen.push(next);
        nearest.iter_mut().zip(places.apart.row(next)).for_each(|(near, d)| *near = near.min(*d));
        nearest[next] = f64::NEG_INFINITY;
    }
    chosen
}

/// Of each cluster the place nearest to its centre: k(x, x) - 2 sum_q w_q k(x, x_q) / W is least.
fn nearest_to_means(places: &Places, count: usize, task: &Task<'_>) -> Result<Vec<usize>> {
    let values = places.values(task)?;
    let found = KernelKMeans::default().means(places, &values, count, task)?;
    let cluster = &found.cluster;
    let members = |k: usize| (0..cluster.len()).filter(move |p| cluster[*p] == k);
    let away = |p: usize, k: usize| {
        let with: f64 = members(k).map(|q| places.weights[q] * values[(p, q)]).sum();
        values[(p, p)] - 2.0 * with / found.mass[k]
    };
    let nearest = |k: usize| {
        let all: Vec<(usize, f64)> = members(k).map(|p| (p, away(p, k))).collect();
        let least = all.iter().map(|(_, away)| *away).fold(f64::INFINITY, f64::min);
        // The rows of a cluster of two are equally near to its centre.
        let rounding = |p: usize| TIED * values[(p, p)].abs().max(least.abs());
        all.into_iter().find(|(p, away)| *away <= least + rounding(*p)).map(|(p, _)| p)
    };
    Ok((0..count).filter_map(nearest).collect())
}
