//! What methods that find clusters share: rows that lie at one place counted as one, silhouettes, and what a fit leaves.
//!
//! Clusters are numbered from 0, the heaviest first. A new row is of the cluster k with the greatest score, which is an expansion:
//! |phi(x) - m_k|^2 = k(x, x) - 2 (f_k(x) - |m_k|^2 / 2) with m_k = sum_s coef[s, k] phi(x_s). Of medoids the nearest is found by
//! [`Gram::fill_distances`], which tells them apart where scores are equal in double precision.

use crate::data::even_rows;
use crate::error::{Error, Result};
use crate::estimators::Task;
use crate::gram::{self, Gram, Level, Side, Subset, TIED, dispatch, dot, level, spread};
use crate::linalg::{Block, Matrix, product_within};
use crate::solve::{KernelMeans, kernel_means};
use rayon::prelude::*;
use std::ops::Range;

/// Rows whose sums of kernel values differ by no more than this share may lie at one place.
const ALIKE: f64 = 1e-9;
/// Runs of rows, and rows of each, that sums of kernel values are over where there are more.
pub(crate) const SUMMED: (usize, usize) = (8, 256);
/// Rows of distances that are computed together.
const ROWS: usize = 240;
/// Distances that one thread brings to a power at a time.
const PART: usize = 1 << 14;
/// Up to so many rows may be equally far from one another by chance.
const FEW_PLACES: usize = 3;
/// Numbers of clusters that are tried where none is given.
pub(crate) const MOST_CLUSTERS: usize = 10;

/// Training rows by the places at which they lie in feature space, in an order that the order of rows does not change.
pub(crate) struct Places {
    /// The first row at each place.
    pub(crate) rows: Vec<usize>,
    /// The place of each row.
    pub(crate) of_row: Vec<usize>,
    /// The weight of the rows at each place.
    pub(crate) weights: Vec<f64>,
    /// The weight of one row at each place, the least of them: weights count rows, and a row of weight below 1 is a row all the same.
    pub(super) single: Vec<f64>,
    /// Distances among the places, to a power; symmetric.
    pub(crate) apart: Matrix,
    /// That power, 1 or 2. Squares in feature space may lie below 0 where the similarity is no kernel.
    pub(super) power: usize,
    /// The place of inputs without any feature, where it is set apart.
    pub(super) featureless: Option<usize>,
}

impl Places {
    /// The places of the rows of a task; with `distances` its kernel values are distances.
    pub(crate) fn of(task: &Task<'_>, distances: bool) -> Result<Places> {
        task.control.plan("distances among the rows", 8 * (task.rows() as u64).pow(2))?;
        let mut places = Self::alike(task, distances)?;
        places.apart = places.among(task, distances)?;
        Ok(places)
    }

    /// At most `most` of the places of the rows, taken at even steps of their order, with the distances among them.
    pub(crate) fn some_of(task: &Task<'_>, most: usize) -> Result<Places> {
        let mut places = Self::alike(task, false)?;
        let found = places.rows.len();
        if found > most {
            places = places.only(&even_rows(found, most), Matrix::zeros(0, 0));
        }
        task.control.plan("distances among the rows", 8 * (places.rows.len() as u64).pow(2))?;
        places.apart = places.among(task, false)?;
        Ok(places)
    }

    /// The places of the rows, without the distances among them.
    pub(crate) fn alike(task: &Task<'_>, distances: bool) -> Result<Places> {
        let (gram, n) = (task.gram()?, task.rows());
        if n == 0 {
            return Err(Error::Data("clusters need rows, and there is none".into()));
        }
        let Ordered { keys: sums, order, width } = in_order(task)?;
        let mut places = Places {
            rows: Vec::new(),
            of_row: vec![0; n],
            weights: Vec::new(),
            single: Vec::new(),
            apart: Matrix::zeros(0, 0),
            power: if distances { 1 } else { 2 },
            featureless: None,
        };
        let mut row = vec![0.0; n];
        for &i in &order {
            let mut near = (0..places.rows.len()).rev().take_while(|&p| sums[i] - sums[places.rows[p]] <= width).peekable();
            if near.peek().is_some() {
                write_apart(gram, distances, &[i], &mut row);
            }
            let place = near.find(|&p| row[places.rows[p]] == 0.0 && is_copy(gram, distances, &row, places.rows[p])).unwrap_or_else(|| {
                places.rows.push(i);
                places.weights.push(0.0);
                places.single.push(1.0);
                places.rows.len() - 1
            });
            places.of_row[i] = place;
            places.weights[place] += task.weight(i);
            places.single[place] = places.single[place].min(task.weight(i));
        }
        Ok(places)
    }

    /// Distances among the places, each row of them written once.
    fn among(&self, task: &Task<'_>, distances: bool) -> Result<Matrix> {
        let (gram, n, m) = (task.gram()?, task.rows(), self.rows.len());
        // What is symmetric by its formula is computed once per pair. A fault is named by its rows below.
        if let Some(own) = gram.gathered(&self.rows).filter(|_| !distances) {
            match gram::dense(&Apart(own.as_ref()), task.control) {
                Err(Error::Numerical { .. }) => {}
                found => return found,
            }
        }
        let mut out = Matrix::zeros(m, m);
        let fault = out.data_mut().par_chunks_mut((ROWS * m).max(1)).zip(self.rows.par_chunks(ROWS)).find_map_first(|(out, rows)| {
            if let Err(asked) = task.control.check_wanted("distances in feature space") {
                return Some(asked);
            }
            gram::with_scratch(rows.len() * n, |block: &mut [f64]| {
                write_apart(gram, distances, rows, block);
                for ((out, block), &i) in out.chunks_exact_mut(m).zip(block.chunks_exact(n)).zip(rows) {
                    out.iter_mut().zip(&self.rows).for_each(|(o, &j)| *o = block[j]);
                    if let Some(q) = out.iter().position(|v| !(v.is_finite() && (*v >= 0.0 || !distances))) {
                        return Some(unfit(i, self.rows[q], out[q]));
                    }
                }
                None
            })
        });
        fault.map_or(Ok(()), Err)?;
        to_means(&mut out);
        Ok(out)
    }

    /// Where all other inputs have one norm, those without any feature, such as empty texts, lie half as far (squared) from each of them as two
    /// that share nothing lie from one another: they are set as far apart as these, so that they are no centre of anything.
    pub(super) fn set_featureless_apart(&mut self, gram: &dyn Gram) {
        let diagonal = gram.diagonal(Side::Rows);
        let norms: Vec<f64> = self.rows.iter().map(|&row| diagonal[row]).collect();
        let Some(place) = norms.iter().position(|&norm| norm == 0.0) else { return };
        let Some(norm) = norms.iter().copied().find(|&norm| norm > 0.0) else { return };
        if norms.iter().any(|&other| other != 0.0 && (other - norm).abs() > ALIKE * norm) {
            return;
        }
        for other in (0..norms.len()).filter(|&other| other != place) {
            self.apart[(place, other)] = 2.0 * norm;
            self.apart[(other, place)] = 2.0 * norm;
        }
        self.featureless = Some(place);
    }

    /// Kernel values among the places, of which the symmetric part makes distances.
    pub(crate) fn values(&self, task: &Task<'_>) -> Result<Matrix> {
        let m = self.rows.len();
        let Some(all) = task.gram()?.structure().held() else {
            return match task.gram()?.gathered(&self.rows) {
                Some(gathered) => gram::dense(gathered.as_ref(), task.control),
                None => gram::dense(&Subset::new(task.gram()?, &self.rows, &self.rows), task.control),
            };
        };
        let mut out = Matrix::zeros(m, m);
        out.data_mut().par_chunks_mut(m.max(1)).zip(&self.rows).for_each(|(out, &i)| {
            let row = all.row(i);
            out.iter_mut().zip(&self.rows).for_each(|(o, &j)| *o = row[j]);
        });
        to_means(&mut out);
        Ok(out)
    }

    /// An error unless there is a place for each cluster.
    pub(super) fn require(&self, clusters: usize, owner: &str) -> Result<()> {
        let (found, rows) = (self.rows.len(), self.of_row.len());
        if clusters <= found {
            return Ok(());
        }
        let there = match (found, rows) {
            (1, 1) => "there is 1 row".into(),
            (1, _) => format!("the {rows} rows lie at one place in feature space: their kernel values are equal"),
            _ if found == rows => format!("there are {rows} rows"),
            _ => format!("the {rows} rows lie at {found} places in feature space: at one place are rows whose kernel values are equal"),
        };
        Err(Error::Data(format!("{owner} is asked for {clusters} clusters, and {there}; lower clusters, add rows, or take another kernel")))
    }

    /// The mean silhouette of clusters of places (Rousseeuw 1987): (b - a) / max(a, b) with a the mean distance to the others of a
    /// row's own cluster and b the least mean distance to another cluster; 0 for a row alone in its cluster.
    pub(super) fn silhouette(&self, cluster: &[usize], count: usize, task: &Task<'_>) -> Result<f64> {
        task.control.check()?;
        let m = cluster.len();
        let mut mass = vec![0.0; count];
        cluster.iter().zip(&self.weights).for_each(|(&k, w)| mass[k] += w);
        let mut sums = Matrix::zeros(m, count);
        // Cluster by cluster a row is read in long runs, whose sums go side by side.
        let mut order: Vec<usize> = (0..m).collect();
        order.sort_by_key(|&q| cluster[q]);
        let runs: Vec<&[usize]> = order.chunk_by(|&a, &b| cluster[a] == cluster[b]).collect();
        let weights: Vec<f64> = order.iter().map(|&q| self.weights[q]).collect();
        sums.data_mut().par_chunks_mut((ROWS * count).max(1)).enumerate().for_each(|(band, sums)| {
            let mut apart = vec![0.0; m];
            for (p, sums) in (ROWS * band..).zip(sums.chunks_exact_mut(count.max(1))) {
                let row = self.apart.row(p);
                apart.iter_mut().zip(&order).for_each(|(d, &q)| *d = row[q]);
                if self.power == 2 {
                    roots(&mut apart);
                }
                let mut from = 0;
                for run in &runs {
                    let part = from..from + run.len();
                    from = part.end;
                    sums[cluster[run[0]]] = dot(&weights[part.clone()], &apart[part]);
                }
            }
        });
        let mut whole = 0.0;
        for (p, &own) in cluster.iter().enumerate() {
            // Copies of a row are others of its cluster.
            let others = mass[own] - self.single[p];
            let inside = sums[(p, own)] / others;
            let outside = (0..count).filter(|&k| k != own && mass[k] > 0.0).map(|k| sums[(p, k)] / mass[k]).fold(f64::INFINITY, f64::min);
            if others > ALIKE * mass[own] && outside.is_finite() && inside.max(outside) > 0.0 {
                whole += self.weights[p] * (outside - inside) / inside.max(outside);
            }
        }
        Ok(whole / self.weights.iter().sum::<f64>())
    }

    /// Brings the distances among the places to the power of 1 or 2, squares below 0 as if they were 0.
    pub(crate) fn raise(&mut self, power: usize) {
        let turn: fn(&mut [f64]) = match (self.power, power) {
            (2, 1) => roots,
            (1, 2) => |distances| distances.iter_mut().for_each(|d| *d *= *d),
            (2, 2) => |squares| {
                // Counted, which goes in vectors; there is seldom one.
                if squares.iter().filter(|d| **d < 0.0).count() > 0 {
                    squares.iter_mut().for_each(|d| *d = d.max(0.0));
                }
            },
            _ => return,
        };
        self.apart.data_mut().par_chunks_mut(PART).for_each(turn);
        self.power = power;
    }

    /// Some of the places, as if there were no others.
    pub(super) fn select(&self, some: &[usize]) -> Places {
        self.only(some, Matrix::from_fn(some.len(), some.len(), |p, q| self.apart[(some[p], some[q])]))
    }

    fn only(&self, some: &[usize], apart: Matrix) -> Places {
        let rows = some.iter().map(|&p| self.rows[p]).collect();
        Places {
            rows,
            of_row: (0..some.len()).collect(),
            weights: some.iter().map(|&p| self.weights[p]).collect(),
            single: some.iter().map(|&p| self.single[p]).collect(),
            apart,
            power: self.power,
            featureless: self.featureless.and_then(|place| some.iter().position(|&p| p == place)),
        }
    }

    /// The most clusters that can be identified: one less than the number of rows, copies counted, and no more than places.
    pub(super) fn most_clusters(&self) -> usize {
        let several = self.weights.iter().zip(&self.single).any(|(all, one)| *all > (1.0 + ALIKE) * one);
        self.rows.len().saturating_sub(usize::from(!several))
    }

    /// What there is to say where most places are equally far from all others: kernel values between them are lost beside k(x, x).
    pub(crate) fn equally_far(&self) -> Option<String> {
        let n = self.rows.len();
        let is_flat = |p: usize| {
            let others = || (0..n).filter(|q| *q != p).map(|q| self.apart[(p, q)]);
            let (least, most) = others().fold((f64::INFINITY, 0.0f64), |(least, most), d| (least.min(d), most.max(d)));
            most - least <= TIED * most
        };
        let flat = if n > FEW_PLACES { (0..n).filter(|&p| is_flat(p)).count() } else { 0 };
        (2 * flat > n).then(|| {
            format!(
                "{flat} of {n} rows are equally far from all others in feature space: their kernel values are 0, or too small beside k(x, x); a larger length scale, a smaller gamma or another kernel would tell them apart"
            )
        })
    }

    /// -d/2 of squared distances d: kernel values but for what is added to rows and columns, which clusters around means do not see.
    pub(super) fn halved(&self) -> Matrix {
        let mut out = self.apart.clone();
        out.data_mut().iter_mut().for_each(|d| *d *= -0.5);
        out
    }
}

dispatch! {
    /// Replaces squared distances by distances; squares below 0 count as 0.
    roots, roots_body, <>, (squares: &mut [f64]) -> (), operations: squares.len()
}

#[inline(always)]
fn roots_body<const FMA: bool>(squares: &mut [f64]) {
    squares.iter_mut().for_each(|d| *d = if *d > 0.0 { d.sqrt() } else { 0.0 });
}

/// Squared distances in feature space among the inputs of a Gram matrix.
struct Apart<'a>(&'a dyn Gram);

impl Gram for Apart<'_> {
    fn shape(&self) -> (usize, usize) {
        self.0.shape()
    }
    fn fill(&self, rows: Range<usize>, cols: Range<usize>, mut out: Block<'_, f64>) {
        self.0.fill_distances(&rows.clone().collect::<Vec<_>>(), cols, out.reborrow());
        for i in 0..rows.len() {
            self.0.squared_distances(out.row_mut(i));
        }
    }
    fn diagonal(&self, side: Side) -> Vec<f64> {
        vec![0.0; self.0.diagonal(side).len()]
    }
    fn symmetric(&self) -> bool {
        self.0.symmetric()
    }
}

/// Rows in an order that depends on what they are alone.
struct Ordered {
    /// What equal rows have in common: sum_j w_j (k(x_i, x_j) - k(x_i, x_i) / 2), half of the squared distances from all rows but for the
    /// sign and a constant, wherever the origin is.
    keys: Vec<f64>,
    /// The rows, the least key first.
    order: Vec<usize>,
    /// Keys that differ by no more may be of equal rows.
    width: f64,
}

impl Ordered {
    /// By weighted sums of the kernel values of every row.
    fn by(mut sums: Vec<f64>, mass: f64, own: &[f64]) -> Ordered {
        let width = ALIKE * largest(&sums).max(0.5 * mass * largest(own));
        sums.iter_mut().zip(own).for_each(|(sum, own)| *sum -= 0.5 * mass * own);
        Ordered { order: sorted(&sums), keys: sums, width }
    }
}

/// The rows in order. For many rows keys are sums over a sample, unless it distinguishes too few of them.
fn in_order(task: &Task<'_>) -> Result<Ordered> {
    let own = task.gram()?.diagonal(Side::Rows);
    let n = task.rows();
    if n > SUMMED.0 * SUMMED.1 {
        let some: Vec<usize> = (0..SUMMED.0).flat_map(|k| k * n / SUMMED.0..k * n / SUMMED.0 + SUMMED.1).collect();
        let all: Vec<usize> = (0..n).collect();
        let weights = Matrix::column(some.iter().map(|&i| task.weight(i)).collect());
        let sums = gram::apply(&Subset::new(task.gram()?, &all, &some), &weights, task.control)?.into_data();
        let Ordered { keys, order, width } = Ordered::by(sums, weights.data().iter().sum(), &own);
        let apart = order.windows(2).filter(|w| keys[w[1]] - keys[w[0]] > width).count();
        if 2 * apart > n {
            return Ok(Ordered { keys, order, width });
        }
    }
    let weights = Matrix::column(task.all_weights());
    let sums = match task.gram()?.structure().held() {
        Some(held) => product_within(held, &weights, task.control)?,
        None if task.gram()?.symmetric() => gram::apply_among(task.gram()?, &weights, 1, task.control)?,
        None => gram::apply(task.gram()?, &weights, task.control)?,
    }
    .into_data();
    Ok(Ordered::by(sums, weights.data().iter().sum(), &own))
}

/// Whether a training row is as far from every row as another whose distances are given. Of a similarity that is no kernel two rows at
/// distance 0, such as joined nodes of a graph, need not be copies.
fn is_copy(gram: &dyn Gram, distances: bool, row: &[f64], other: usize) -> bool {
    let mut compared = vec![0.0; row.len()];
    write_apart(gram, distances, &[other], &mut compared);
    let width = ALIKE * largest(row);
    row.iter().zip(&compared).all(|(a, b)| (a - b).abs() <= width)
}

/// The places of numbers, the least first.
fn sorted(numbers: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..numbers.len()).collect();
    order.sort_by(|&a, &b| numbers[a].total_cmp(&numbers[b]));
    order
}

/// The greatest size.
fn largest(numbers: &[f64]) -> f64 {
    numbers.iter().fold(0.0f64, |m, s| m.max(s.abs()))
}

/// Squared distances in feature space of some training rows from all, or the distances that their kernel values are.
fn write_apart(gram: &dyn Gram, distances: bool, rows: &[usize], out: &mut [f64]) {
    let n = gram.shape().0;
    if distances {
        return gram.fill_rows(rows, 0..n, Block::new(out, rows.len(), n));
    }
    gram.fill_distances(rows, 0..n, Block::new(out, rows.len(), n));
    gram.squared_distances(out);
}

/// Of values that are not symmetric the mean counts. By tiles, of which two stay in the cache.
fn to_means(of: &mut Matrix) {
    const TILE: usize = 64;
    let n = of.rows();
    for (down, along) in (0..n).step_by(TILE).flat_map(|p| (0..=p).step_by(TILE).map(move |q| (p, q))) {
        for p in down..n.min(down + TILE) {
            for q in along..p.min(along + TILE) {
                let (a, b) = (of[(p, q)], of[(q, p)]);
                if a != b {
                    let mean = 0.5 * (a + b);
                    (of[(p, q)], of[(q, p)]) = (mean, mean);
                }
            }
        }
    }
}

/// A distance that is none.
fn unfit(i: usize, j: usize, found: f64) -> Error {
    if found.is_finite() {
        return Error::Data(format!(
            "the distance of rows {} and {} is {found}, and distances are 0 or above; values=similarities takes kernel values",
            i + 1,
            j + 1
        ));
    }
    Error::Numerical {
        what: "distances in feature space".into(),
        why: format!("that of rows {} and {} is not finite; scale the columns or change the kernel", i + 1, j + 1),
    }
}

/// The best of several starts of k-means in feature space, each from places drawn far from one another.
pub(super) fn nearest_centres(
    values: &Matrix,
    apart: &dyn Fn(usize, usize) -> f64,
    weights: &[f64],
    count: usize,
    starts: usize,
    task: &Task<'_>,
) -> Result<KernelMeans> {
    let n = weights.len();
    let one = |start: usize| {
        let seed = task.seed.wrapping_add(start as u64);
        let centres = spread(weights, count, seed, task.control, |c, out| out.iter_mut().enumerate().for_each(|(p, v)| *v = apart(p, c)))?;
        let nearest = |p: usize| (1..centres.len()).fold(0, |b, k| if apart(p, centres[k]) < apart(p, centres[b]) { k } else { b });
        let mut first: Vec<usize> = (0..n).map(nearest).collect();
        // Where places lie at one point fewer are drawn: any others begin a cluster each.
        let others: Vec<usize> = (0..n).filter(|p| !centres.contains(p)).take(count - centres.len()).collect();
        others.into_iter().enumerate().for_each(|(k, p)| first[p] = centres.len() + k);
        kernel_means(values, weights, first, count, task.control)
    };
    let mut best = one(0)?;
    for start in 1..starts {
        if task.control.out_of_time() {
            break;
        }
        let found = one(start)?;
        let steps = best.steps + found.steps;
        best = KernelMeans { steps, ..if found.objective < best.objective { found } else { best } };
    }
    Ok(best)
}

/// Clusters by weight, heaviest first: for each old number the new one. Of equal weight the one whose first place comes first.
pub(super) fn numbers(cluster: &[usize], mass: &[f64]) -> Vec<usize> {
    let first = |k: usize| cluster.iter().position(|&c| c == k).unwrap_or(usize::MAX);
    let mut order: Vec<usize> = (0..mass.len()).collect();
    order.sort_by(|&a, &b| mass[b].total_cmp(&mass[a]).then_with(|| first(a).cmp(&first(b))));
    let mut number = vec![0; mass.len()];
    order.iter().enumerate().for_each(|(new, &old)| number[old] = new);
    number
}

/// The sizes of clusters, for a sentence.
pub(super) fn sizes_note(sizes: &[f64]) -> String {
    let most = 12;
    let shown: Vec<String> = sizes.iter().take(most).map(|s| format!("{}", (s * 100.0).round() / 100.0)).collect();
    format!("sizes of the clusters: {}{}", shown.join(", "), if sizes.len() > most { ", ..." } else { "" })
}
