//! The sums over rows that a polynomial at a place follows from, in vectors:
//!
//! ```text
//! sum_i v_i phi_i phi_i',   sum_i v_i^2 / w_i phi_i phi_i',   sum_i v_i y_i phi_i;     v_i = w_i p(|z_i|),   z_i = (x_i - x) / h
//! ```
//!
//! phi are 1, the steps z, and their products.

use super::weighing::{LANES, Law, Used, Weighing};
use super::{Sample, Shape, SmoothingKernel};
use crate::gram::{Level, dispatch, level};
use crate::linalg::fma;

/// Rows that are taken together: what is known of them stays in the first cache.
const BLOCK: usize = 128;
/// Below this sum of weights kernels that are never 0 are taken beside the nearest row.
const FAINT: f64 = 1e-100;

/// Rows as columns of numbers, padded to whole vectors by rows of weight 0.
#[derive(Clone, Debug)]
pub(super) struct Columns {
    count: usize,
    points: Vec<f64>,
    weights: Vec<f64>,
    targets: Vec<f64>,
}

impl Columns {
    pub(super) fn of(sample: &Sample, y: &[f64]) -> Self {
        let (n, count) = (sample.rows(), sample.rows().next_multiple_of(LANES));
        let points = (0..sample.dim()).flat_map(|j| (0..count).map(move |i| sample.points()[(i.min(n - 1), j)])).collect();
        let padded = |of: &[f64]| (0..count).map(|i| of.get(i).copied().unwrap_or(0.0)).collect();
        Columns { count, points, weights: padded(sample.weights()), targets: padded(y) }
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
    pub(super) squares: Vec<f64>,
    pub(super) targets: Vec<f64>,
    /// The distance beside which the kernel was taken; 0 but where all rows are far.
    pub(super) least: f64,
}

impl Moments {
    /// The sums at a place, with a bandwidth for each column.
    pub(super) fn at(rows: &Columns, kernel: SmoothingKernel, place: &[f64], widths: &[f64], degree: usize) -> Self {
        let law = Law { kernel, shape: Shape::Radial };
        let count = number_of_terms(place.len(), degree);
        let mut room = vec![0.0; BLOCK * (place.len() + count)];
        let mut found = |least: f64| {
            let (triangle, targets) = (vec![0.0; count * (count + 1) / 2], vec![0.0; count]);
            let mut moments = Moments { squares: triangle.clone(), terms: triangle, targets, least };
            law.weighed(least * least, Adding { rows, place, widths, room: &mut room, moments: &mut moments });
            moments
        };
        let near = found(0.0);
        if near.terms[0] >= FAINT || kernel.is_compact() {
            return near;
        }
        found(nearest(rows, place, widths).sqrt())
    }
}

dispatch! {
    /// The least squared distance of a row.
    nearest, nearest_body, <>, (rows: &Columns, place: &[f64], widths: &[f64]) -> f64
}

#[inline(always)]
fn nearest_body<const FMA: bool>(rows: &Columns, place: &[f64], widths: &[f64]) -> f64 {
    let mut least = [f64::INFINITY; LANES];
    for at in (0..rows.count).step_by(LANES) {
        let mut squares = [0.0; LANES];
        for (j, (x, h)) in place.iter().zip(widths).enumerate() {
            let column = &rows.points[j * rows.count + at..][..LANES];
            for l in 0..LANES {
                let z = (column[l] - x) / h;
                squares[l] = fma::<f64, FMA>(z, z, squares[l]);
            }
        }
        for l in 0..LANES {
            least[l] = if squares[l] < least[l] { squares[l] } else { least[l] };
        }
    }
    least.into_iter().fold(f64::INFINITY, f64::min)
}

pub(super) struct Adding<'a> {
    rows: &'a Columns,
    place: &'a [f64],
    widths: &'a [f64],
    room: &'a mut [f64],
    moments: &'a mut Moments,
}

impl Used for Adding<'_> {
    type Out = ();
    fn by<W: Weighing>(self, by: W) {
        add(self, by);
    }
}

dispatch! {
    /// Adds every row to the sums.
    add, add_body, <W: Weighing>, (to: Adding<'_>, by: W) -> ()
}

#[inline(always)]
fn add_body<W: Weighing, const FMA: bool>(to: Adding<'_>, by: W) {
    let Adding { rows, place, widths, room, moments } = to;
    let (dim, count) = (place.len(), moments.targets.len());
    // Terms stand one after the other; the steps among them even where no polynomial has them.
    let (ones, others) = room.split_at_mut(BLOCK);
    ones.fill(1.0);
    let (mut v, mut u, mut part) = ([0.0; BLOCK], [0.0; BLOCK], [0.0; BLOCK]);
    for start in (0..rows.count).step_by(BLOCK) {
        let width = BLOCK.min(rows.count - start);
        let mut joined = [by.start(); BLOCK];
        for (j, (x, h)) in place.iter().zip(widths).enumerate() {
            let (column, z) = (&rows.points[j * rows.count + start..][..width], &mut others[j * BLOCK..][..width]);
            for l in 0..width {
                z[l] = (column[l] - x) / h;
                joined[l] = by.join::<FMA>(joined[l], z[l]);
            }
        }
        let (weights, y) = (&rows.weights[start..][..width], &rows.targets[start..][..width]);
        for l in 0..width {
            let p = by.finish::<FMA>(joined[l]);
            v[l] = weights[l] * p;
            u[l] = v[l] * p;
        }
        if v[..width].iter().all(|v| *v == 0.0) {
            continue;
        }
        if count > 1 + dim {
            let mut next = dim;
            for a in 0..dim {
                for b in a..dim {
                    let (steps, products) = others.split_at_mut(next * BLOCK);
                    let (za, zb) = (&steps[a * BLOCK..][..width], &steps[b * BLOCK..][..width]);
                    products[..width].iter_mut().zip(za.iter().zip(zb)).for_each(|(p, (a, b))| *p = a * b);
                    next += 1;
                }
            }
        }
        let term = |a: usize| if a == 0 { &ones[..width] } else { &others[(a - 1) * BLOCK..][..width] };
        let mut at = 0;
        for a in 0..count {
            part[..width].iter_mut().zip(v.iter().zip(term(a))).for_each(|(t, (v, phi))| *t = v * phi);
            moments.targets[a] += product::<FMA>(&part[..width], y);
            for b in a..count {
                moments.terms[at + b - a] += product::<FMA>(&part[..width], term(b));
            }
            part[..width].iter_mut().zip(u.iter().zip(term(a))).for_each(|(t, (u, phi))| *t = u * phi);
            for b in a..count {
                moments.squares[at + b - a] += product::<FMA>(&part[..width], term(b));
            }
            at += count - a;
        }
    }
}

#[inline(always)]
fn product<const FMA: bool>(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; LANES];
    for (a, b) in a.chunks_exact(LANES).zip(b.chunks_exact(LANES)) {
        for l in 0..LANES {
            sums[l] = fma::<f64, FMA>(a[l], b[l], sums[l]);
        }
    }
    sums.iter().sum()
}
