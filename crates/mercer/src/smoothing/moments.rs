//! The sums over rows that a polynomial at a place follows from, in vectors:
//!
//! ```text
//! sum_i v_i phi_i phi_i',   sum_i v_i^2 / w_i phi_i phi_i',   sum_i v_i y_i phi_i;     v_i = w_i r_i p(|z_i|),   z_i = (x_i - x) / h
//! ```
//!
//! phi are 1, the steps z, and their products; r are weights against outliers. Rows in boxes out of reach are passed over.

use super::weighing::{LANES, LEAF, LEAVES, Law, Used, Weighing};
use super::{Sample, Shape, SmoothingKernel};
use crate::gram::{BoxNode, BoxTree, Level, dispatch, level};
use crate::linalg::fma;

/// Rows as columns of numbers, leaf by leaf of a tree.
#[derive(Clone, Debug)]
pub(super) struct Columns {
    tree: BoxTree,
    points: Vec<Vec<f64>>,
    /// w_i r_i, and r_i.
    weights: Vec<f64>,
    robust: Vec<f64>,
    /// w_i.
    counts: Vec<f64>,
    targets: Vec<f64>,
    total: f64,
}

impl Columns {
    /// Rows with weights against outliers (empty: 1); `units`: the size of differences in each column.
    pub(super) fn of(sample: &Sample, y: &[f64], robust: &[f64], units: &[f64]) -> Self {
        let tree = BoxTree::new(sample.points().data(), sample.dim(), units, LEAVES);
        let (points, counts) = (sample.points(), sample.weights());
        let robust_of = |i: usize| robust.get(i).copied().unwrap_or(1.0);
        Columns {
            points: (0..sample.dim()).map(|j| tree.lay_out(None, |i| points[(i, j)])).collect(),
            weights: tree.lay_out(Some(0.0), |i| counts[i] * robust_of(i)),
            robust: tree.lay_out(Some(0.0), robust_of),
            counts: tree.lay_out(Some(0.0), |i| counts[i]),
            targets: tree.lay_out(Some(0.0), |i| y[i]),
            total: sample.count(),
            tree,
        }
    }

    /// The squared distance of a box.
    fn gap(&self, node: usize, place: &[f64], per: &[f64]) -> f64 {
        self.tree.gaps(node, place).zip(per).map(|(gap, per)| (gap * per).powi(2)).sum()
    }

    fn square(&self, at: usize, place: &[f64], per: &[f64]) -> f64 {
        self.points.iter().zip(place).zip(per).map(|((column, x), per)| ((column[at] - x) * per).powi(2)).sum()
    }

    /// The least squared distance of a row of weight above 0.
    fn nearest(&self, place: &[f64], per: &[f64]) -> f64 {
        let mut least = f64::INFINITY;
        self.tree.nearest_first(
            |node| self.gap(node, place, per),
            |leaf| {
                let rows = (leaf.from..leaf.to).filter(|&at| self.weights[at] > 0.0);
                least = rows.map(|at| self.square(at, place, per)).fold(least, f64::min);
                least
            },
        );
        least
    }

    /// Distances in units and counts of rows, those of the nearest `wanted` rows among them, and of a row off the place if there is one.
    pub(super) fn near(&self, place: &[f64], units: &[f64], wanted: f64) -> Vec<(f64, f64)> {
        let distance = |at: usize| self.points.iter().zip(place).zip(units).map(|((c, x), unit)| ((c[at] - x) / unit).powi(2)).sum::<f64>();
        let (mut all, mut counted, mut reach) = (Vec::new(), 0.0, 0.0f64);
        let far = |node| self.tree.gaps(node, place).zip(units).map(|(gap, unit)| (gap / unit).powi(2)).sum::<f64>();
        self.tree.nearest_first(far, |leaf| {
            let enough = counted >= wanted && reach > 0.0;
            for at in (leaf.from..leaf.to).filter(|&at| self.counts[at] > 0.0) {
                let square = distance(at);
                all.push((square.sqrt(), self.counts[at]));
                counted += self.counts[at];
                if !enough {
                    reach = reach.max(square);
                }
            }
            // The farthest of enough rows is no nearer than the last that is wanted; rounding in a gap is less than this.
            if counted >= wanted && reach > 0.0 { reach * (1.0 + 1e-12) } else { f64::INFINITY }
        });
        all
    }
}

/// How many terms a polynomial of some columns has.
pub(super) fn number_of_terms(dim: usize, degree: usize) -> usize {
    match degree {
        0 => 1,
        1 => 1 + dim,
        _ => 1 + dim + dim * (dim + 1) / 2,
    }
}

/// Bytes of a fit at one place: the sums, and the matrices that are made of them. `squares`: those of squared weights too.
pub(super) fn bytes_of_place(dim: usize, degree: usize, squares: bool) -> u64 {
    // Matrices of the products of terms that are held at once to invert one.
    const MATRICES: f64 = 5.0;
    let count = number_of_terms(dim, degree) as f64;
    let triangle = 0.5 * count * (count + 3.0) * if squares { 2.0 } else { 1.0 };
    let room = (LEAF * (1 + dim)) as f64 + LEAF as f64 * count;
    (8.0 * ((1 + LANES) as f64 * triangle + MATRICES * count * count + room)) as u64
}

/// 1, the steps, and their products, as many as there is room for.
pub(super) fn terms(z: &[f64], out: &mut [f64]) {
    out[0] = 1.0;
    let dim = z.len();
    if out.len() > 1 {
        out[1..=dim].copy_from_slice(z);
    }
    if out.len() > 1 + dim {
        let pairs = (0..dim).flat_map(|a| (a..dim).map(move |b| (a, b)));
        out[1 + dim..].iter_mut().zip(pairs).for_each(|(out, (a, b))| *out = z[a] * z[b]);
    }
}

/// The sums at a place; triangles are upper, row after row.
#[derive(Clone, Debug, Default)]
pub(super) struct Moments {
    pub(super) terms: Vec<f64>,
    /// Empty where they were not asked for.
    pub(super) squares: Vec<f64>,
    pub(super) targets: Vec<f64>,
    /// The distance beside which the kernel was taken; 0 but where all rows are far.
    pub(super) least: f64,
}

impl Moments {
    /// The sums at a place, with a bandwidth for each column.
    pub(super) fn at(rows: &Columns, kernel: SmoothingKernel, place: &[f64], widths: &[f64], degree: usize, squares: bool) -> Self {
        // Below this kernel value of the nearest row kernels that are never 0 are taken beside it.
        const FAINT: f64 = 1e-100;
        // What is passed over is below this share of every sum of squares; ln of the share that decides how far to look.
        const NEGLIGIBLE: f64 = 1e-16;
        const SMALLER: f64 = 37.0;
        let law = Law { kernel, shape: Shape::Radial };
        let per: Vec<f64> = widths.iter().map(|h| reciprocal(*h, kernel)).collect();
        let count = number_of_terms(place.len(), degree);
        let sums = |reach: f64, least: f64| {
            let mut leaves = Vec::new();
            rows.tree.leaves(reach, |node| rows.gap(node, place, &per), |leaf| leaves.push(leaf));
            let mut sums = Sums { first: vec![[0.0; LANES]; count * (count + 3) / 2], second: Vec::new() };
            if squares {
                sums.second = vec![[0.0; LANES]; count * (count + 1) / 2];
            }
            law.weighed(least * least, Adding { rows, leaves: &leaves, place, per: &per, count, sums: &mut sums });
            sums.moments(count, least)
        };
        if kernel.is_compact() {
            return sums(1.0, 0.0);
        }
        let near = rows.nearest(place, &per);
        let least = if law.log_profile(near) < FAINT.ln() { near.sqrt() } else { 0.0 };
        let reach = law.reach(near, rows.total.ln().max(0.0) + SMALLER);
        let found = sums(reach, least);
        // Beyond a reach of 4 and more bandwidths z^4 p falls.
        let most = reach.powi(degree as i32) * rows.total * (law.log_profile(reach) - law.log_profile(least * least)).exp();
        let diagonal = |a: usize| found.terms[a * count - a * (a + 1) / 2 + a];
        if reach >= 16.0 && (0..count).all(|a| most <= NEGLIGIBLE * diagonal(a)) { found } else { sums(f64::INFINITY, least) }
    }
}

/// 1 / h, such that a row just h away is not within a kernel that is 0 there, and within a boxcar.
fn reciprocal(h: f64, kernel: SmoothingKernel) -> f64 {
    let per = (1.0 / h).min(f64::MAX);
    if h * per < 1.0 && kernel != SmoothingKernel::Boxcar { per.next_up().min(f64::MAX) } else { per }
}

/// Sums by the lanes of vectors: of products of terms and of terms and targets, row after row; of products with squared weights.
struct Sums {
    first: Vec<[f64; LANES]>,
    second: Vec<[f64; LANES]>,
}

impl Sums {
    fn moments(&self, count: usize, least: f64) -> Moments {
        let whole = |lanes: &[f64; LANES]| lanes.iter().sum::<f64>();
        let mut moments = Moments { least, ..Moments::default() };
        let mut at = 0;
        for a in 0..count {
            let row = &self.first[at..=at + count - a];
            moments.terms.extend(row[..count - a].iter().map(whole));
            moments.targets.push(whole(&row[count - a]));
            at += count - a + 1;
        }
        moments.squares = self.second.iter().map(whole).collect();
        moments
    }
}

pub(super) struct Adding<'a> {
    rows: &'a Columns,
    leaves: &'a [BoxNode],
    place: &'a [f64],
    per: &'a [f64],
    count: usize,
    sums: &'a mut Sums,
}

impl Used for Adding<'_> {
    type Out = ();
    fn by<W: Weighing>(self, by: W) {
        add(self, by);
    }
}

dispatch! {
    /// Adds the rows of the leaves to the sums.
    add, add_body, <W: Weighing>, (to: Adding<'_>, by: W) -> (), operations: to.operations()
}

impl Adding<'_> {
    /// Of a row: its distance, its weight, and the sums of products of its terms.
    fn operations(&self) -> usize {
        // Operations of the weight of a row, an exponential as a rule.
        const PER_WEIGHT: usize = 20;
        let (count, dim) = (self.count, self.place.len());
        let squares = if self.sums.second.is_empty() { 0 } else { count * (count + 2) };
        let rows: usize = self.leaves.iter().map(|leaf| leaf.to - leaf.from).sum();
        rows * (3 * dim + PER_WEIGHT + count * (count + 4) + squares)
    }
}

#[inline(always)]
fn add_body<W: Weighing, const FMA: bool>(to: Adding<'_>, by: W) {
    let Adding { rows, leaves, place, per, count, sums } = to;
    let dim = place.len();
    // 1, the steps and their products one after the other, as many as are terms; behind them the targets.
    let mut room = vec![1.0; LEAF * (1 + count.max(1 + dim))];
    let (mut v, mut u, mut part) = ([0.0; LEAF], [0.0; LEAF], [0.0; LEAF]);
    for leaf in leaves {
        let (from, to) = (leaf.from, leaf.to);
        let width = to - from;
        let mut joined = [by.start(); LEAF];
        for (j, (x, per)) in place.iter().zip(per).enumerate() {
            let (column, z) = (&rows.points[j][from..to], &mut room[(1 + j) * LEAF..][..width]);
            for l in 0..width {
                z[l] = (column[l] - x) * per;
                joined[l] = by.join::<FMA>(joined[l], z[l]);
            }
        }
        let (weights, robust) = (&rows.weights[from..to], &rows.robust[from..to]);
        for l in 0..width {
            let p = by.finish::<FMA>(joined[l]);
            v[l] = weights[l] * p;
            u[l] = v[l] * p * robust[l];
        }
        if v[..width].iter().all(|v| *v == 0.0) {
            continue;
        }
        if count > 1 + dim {
            let mut next = 1 + dim;
            for a in 1..=dim {
                for b in a..=dim {
                    let (steps, products) = room.split_at_mut(next * LEAF);
                    let (za, zb) = (&steps[a * LEAF..][..width], &steps[b * LEAF..][..width]);
                    products[..width].iter_mut().zip(za.iter().zip(zb)).for_each(|(p, (a, b))| *p = a * b);
                    next += 1;
                }
            }
        }
        room[count * LEAF..][..width].copy_from_slice(&rows.targets[from..to]);
        let (mut first, mut second) = (sums.first.as_mut_slice(), sums.second.as_mut_slice());
        for a in 0..count {
            let term = &room[a * LEAF..][..width];
            let row;
            (row, first) = first.split_at_mut(count - a + 1);
            part[..width].iter_mut().zip(v.iter().zip(term)).for_each(|(t, (v, phi))| *t = v * phi);
            products::<FMA>(&part[..width], &room[a * LEAF..], row);
            if !second.is_empty() {
                let row;
                (row, second) = second.split_at_mut(count - a);
                part[..width].iter_mut().zip(u.iter().zip(term)).for_each(|(t, (u, phi))| *t = u * phi);
                products::<FMA>(&part[..width], &room[a * LEAF..], row);
            }
        }
    }
}

/// Adds the inner products of some numbers with as many columns as there are sums.
#[inline(always)]
fn products<const FMA: bool>(part: &[f64], columns: &[f64], sums: &mut [[f64; LANES]]) {
    // A closure would not be compiled for the instructions of the loop around it.
    for (sum, column) in sums.iter_mut().zip(columns.chunks(LEAF)) {
        product::<FMA>(part, &column[..part.len()], sum);
    }
}

#[inline(always)]
fn product<const FMA: bool>(a: &[f64], b: &[f64], sum: &mut [f64; LANES]) {
    // Numbers of several vectors are added up side by side: each waits for the sum before it.
    const LONG: usize = 4 * LANES;
    let mut long = [0.0; LONG];
    let (a, b) = (a.chunks_exact(LONG), b.chunks_exact(LONG));
    for (a, b) in a.remainder().chunks_exact(LANES).zip(b.remainder().chunks_exact(LANES)) {
        for l in 0..LANES {
            sum[l] = fma::<f64, FMA>(a[l], b[l], sum[l]);
        }
    }
    for (a, b) in a.zip(b) {
        for l in 0..LONG {
            long[l] = fma::<f64, FMA>(a[l], b[l], long[l]);
        }
    }
    for l in 0..LANES {
        sum[l] += (long[l] + long[LANES + l]) + (long[2 * LANES + l] + long[3 * LANES + l]);
    }
}
