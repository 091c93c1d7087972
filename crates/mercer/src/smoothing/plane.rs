//! Gaussian sums over points of the plane at many places together: points and places in square cells, the kernel between two cells D
//! apart a series of Chebyshev polynomials in each direction (Greengard & Strain 1991; Fong & Darve 2009),
//!
//! e^(-(D + u - t)^2 / 2) = sum_kl C_kl(D) T_k(u) T_l(t),   |u|, |t| <= 1.
//!
//! So a cell is its moments sum_i w_i T_k(t_i1) T_l(t_i2), which are carried along the first column to each column of cells, there along
//! the second. Every sum comes with a bound of its error: what a series may be wrong by, beside the greatest value between two cells, is
//! known for every step, and is summed on the same ways.

use crate::control::Control;
use crate::error::Result;
use crate::gram::{Level, dispatch, level};
use crate::linalg::fma;
use rayon::prelude::*;
use std::ops::Range;

/// Terms in each direction.
const TERMS: usize = 24;
/// The width of a cell.
const WIDTH: f64 = 2.0;
/// What the series of cells so many steps apart may be wrong by, beside the greatest value between them, roundings among it.
const WRONG: [f64; 9] = [2.5e-14, 2.5e-14, 2.5e-14, 2.5e-14, 2.5e-14, 6e-14, 1.6e-11, 6e-10, 8e-9];
/// Coordinates whose cells can be counted.
const FARTHEST: f64 = 1e9;
/// Pairs of points and places below which cells do not pay.
const FEW_PAIRS: usize = 1 << 20;
/// Nanoseconds: of a pair of cells, of a point in its cell, and of a pair of a point and a place, by which cells are weighed against
/// pairs; and the cells whose points count at a place.
const CELLS: f64 = 4e3;
const POINT: f64 = 60.0;
const PAIR: f64 = 2.0;
const WITHIN: f64 = 50.0;

type Block = [[f64; TERMS]; TERMS];

/// A sum and what it may be wrong by.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Bounded {
    pub(super) value: f64,
    pub(super) error: f64,
}

/// The sums of w_i e^(-|x - x_i|^2 / 2) at every place; points and places are pairs of numbers. `None` where taking them one by one is
/// no slower.
pub(super) fn sums(points: &[f64], weights: &[f64], places: &[f64], tolerance: f64, control: &Control) -> Result<Option<Vec<Bounded>>> {
    let (count, asked) = (weights.len(), places.len() / 2);
    if count.saturating_mul(asked) < FEW_PAIRS || !points.iter().chain(places).all(|z| z.abs() <= FARTHEST) {
        return Ok(None);
    }
    let (sources, targets) = (Cells::of(points), Cells::of(places));
    let crowd = count as f64 / sources.cells.len() as f64;
    let pairs = asked as f64 * WITHIN * crowd * PAIR;
    let memory = (std::mem::size_of::<Block>() * sources.cells.len()) as u64;
    if pairs < targets.cells.len() as f64 * 2.0 * WITHIN.sqrt() * CELLS + count as f64 * POINT || memory > control.allowed() / 4 {
        return Ok(None);
    }
    let total: f64 = weights.iter().sum();
    let reach = ((2.0 * (10.0 * total / tolerance).ln()).max(1.0).sqrt() / WIDTH).ceil() as i64;
    if reach >= WRONG.len() as i64 {
        return Ok(None);
    }
    let moments = sources.cells.par_iter().map(|cell| {
        control.check_time("densities")?;
        Ok(Moments::of(cell, &sources.order, points, weights))
    });
    let moments: Vec<Moments> = moments.collect::<Result<_>>()?;
    let apart = |step: i64| WIDTH * step as f64;
    let ways = Ways {
        sources: &sources,
        moments: &moments,
        reach,
        between: (-reach..=reach).map(|step| coefficients(apart(step))).collect(),
        greatest: (-reach..=reach).map(|step| libm::exp(-0.5 * apart((step.abs() - 1).max(0)).powi(2))).collect(),
        beyond: total * libm::exp(-0.5 * apart(reach).powi(2)),
    };
    let columns: Vec<&[Cell]> = targets.cells.chunk_by(|a, b| a.at[0] == b.at[0]).collect();
    let found = columns.into_par_iter().map(|column| ways.along(column, &targets.order, places, control));
    let mut out = vec![Bounded::default(); asked];
    found.collect::<Result<Vec<_>>>()?.into_iter().flatten().for_each(|(place, sum)| out[place] = sum);
    Ok(Some(out))
}

/// Points in the order of their cells.
struct Cells {
    order: Vec<usize>,
    cells: Vec<Cell>,
}

struct Cell {
    /// Its column and its row.
    at: [i64; 2],
    /// Its part of the order.
    part: Range<usize>,
}

impl Cells {
    fn of(points: &[f64]) -> Cells {
        let at: Vec<[i64; 2]> = points.chunks_exact(2).map(|z| [0, 1].map(|j| (z[j] / WIDTH).floor() as i64)).collect();
        let mut order: Vec<usize> = (0..at.len()).collect();
        let place = |i: usize, j: usize| points[2 * i + j];
        order.par_sort_unstable_by(|&a, &b| {
            let by = |j| place(a, j).total_cmp(&place(b, j));
            at[a].cmp(&at[b]).then_with(|| by(0)).then_with(|| by(1)).then_with(|| a.cmp(&b))
        });
        let mut from = 0;
        let cells = order.chunk_by(|&a, &b| at[a] == at[b]).map(|rows| {
            let part = from..from + rows.len();
            from = part.end;
            Cell { at: at[rows[0]], part }
        });
        let cells = cells.collect();
        Cells { order, cells }
    }
}

impl Cell {
    /// Where a point stands in the cell: -1 to 1 in each direction.
    fn within(&self, points: &[f64], i: usize) -> [f64; 2] {
        [0, 1].map(|j| (points[2 * i + j] - WIDTH * (self.at[j] as f64 + 0.5)) / (0.5 * WIDTH))
    }
}

/// What a cell is from afar.
struct Moments {
    series: Block,
    /// The sum of the weights, each times the greatest value that it can have, and what the series may be wrong by.
    weight: f64,
    error: f64,
}

impl Moments {
    fn of(cell: &Cell, order: &[usize], points: &[f64], weights: &[f64]) -> Moments {
        let rows = &order[cell.part.clone()];
        let within: Vec<[f64; 2]> = rows.iter().map(|&i| cell.within(points, i)).collect();
        let weights: Vec<f64> = rows.iter().map(|&i| weights[i]).collect();
        let mut series = [[0.0; TERMS]; TERMS];
        gather(&within, &weights, &mut series);
        Moments { series, weight: weights.iter().sum(), error: 0.0 }
    }

    fn nothing() -> Moments {
        Moments { series: [[0.0; TERMS]; TERMS], weight: 0.0, error: 0.0 }
    }

    /// Adds what is carried over so many steps.
    fn carry(&mut self, from: &Moments, step: i64, ways: &Ways<'_>) {
        let greatest = ways.greatest[(step + ways.reach) as usize];
        self.weight += greatest * from.weight;
        self.error += greatest * (from.error + WRONG[step.unsigned_abs() as usize] * from.weight);
    }
}

/// The ways from cells of points to cells of places.
struct Ways<'a> {
    sources: &'a Cells,
    moments: &'a [Moments],
    /// Steps beyond which cells are passed over.
    reach: i64,
    /// C of each step from -reach to reach.
    between: Vec<Block>,
    /// The greatest value of the kernel between two cells.
    greatest: Vec<f64>,
    /// What the cells that are passed over come to at most.
    beyond: f64,
}

impl Ways<'_> {
    /// Sums at the places of one column of cells.
    fn along(&self, column: &[Cell], order: &[usize], places: &[f64], control: &Control) -> Result<Vec<(usize, Bounded)>> {
        let (here, reach) = (column[0].at[0], self.reach);
        let cells = &self.sources.cells;
        let near = cells.partition_point(|s| s.at[0] < here - reach)..cells.partition_point(|s| s.at[0] <= here + reach);
        let counts = |row: &i64| {
            let next = column.partition_point(|t| t.at[1] < row - reach);
            column.get(next).is_some_and(|t| t.at[1] <= row + reach)
        };
        let mut rows: Vec<i64> = cells[near.clone()].iter().map(|s| s.at[1]).filter(counts).collect();
        rows.sort_unstable();
        rows.dedup();
        let mut carried: Vec<Moments> = rows.iter().map(|_| Moments::nothing()).collect();
        for (cell, moments) in cells[near.clone()].iter().zip(&self.moments[near]) {
            if let Ok(row) = rows.binary_search(&cell.at[1]) {
                let step = here - cell.at[0];
                add_product(&self.between[(step + reach) as usize], &moments.series, &mut carried[row].series);
                carried[row].carry(moments, step, self);
            }
        }
        let mut out = Vec::new();
        for cell in column {
            control.check_time("densities")?;
            let mut local = Moments::nothing();
            let first = rows.partition_point(|row| *row < cell.at[1] - reach);
            for (row, moments) in rows[first..].iter().zip(&carried[first..]).take_while(|(row, _)| **row <= cell.at[1] + reach) {
                let step = cell.at[1] - row;
                // C(-D) is C(D) transposed.
                add_product(&moments.series, &self.between[(reach - step) as usize], &mut local.series);
                local.carry(moments, step, self);
            }
            let error = local.error + self.beyond;
            let at = |&i: &usize| (i, Bounded { value: value(&local.series, cell.within(places, i)), error });
            out.extend(order[cell.part.clone()].iter().map(at));
        }
        Ok(out)
    }
}

/// C(D) by the values at the zeros of T_24.
fn coefficients(apart: f64) -> Block {
    let step = std::f64::consts::PI / TERMS as f64;
    let polynomial = |k: usize, node: usize| libm::cos(k as f64 * step * (node as f64 + 0.5));
    let at = |node: usize| 0.5 * WIDTH * polynomial(1, node);
    let values: Block = std::array::from_fn(|a| std::array::from_fn(|b| libm::exp(-0.5 * (apart + at(a) - at(b)).powi(2))));
    let analysis: Block = std::array::from_fn(|k| {
        let scale = if k == 0 { 1.0 } else { 2.0 } / TERMS as f64;
        std::array::from_fn(|node| scale * polynomial(k, node))
    });
    let (mut half, mut out) = ([[0.0; TERMS]; TERMS], [[0.0; TERMS]; TERMS]);
    add_product(&analysis, &values, &mut half);
    let transposed: Block = std::array::from_fn(|node| std::array::from_fn(|k| analysis[k][node]));
    add_product(&half, &transposed, &mut out);
    out
}

#[inline(always)]
fn chebyshev<const FMA: bool>(x: f64) -> [f64; TERMS] {
    let mut t = [1.0; TERMS];
    t[1] = x;
    for k in 2..TERMS {
        t[k] = fma::<f64, FMA>(2.0 * x, t[k - 1], -t[k - 2]);
    }
    t
}

dispatch! {
    /// Adds the moments of points to a series.
    gather, gather_body, <>, (points: &[[f64; 2]], weights: &[f64], out: &mut Block) -> ()
}

#[inline(always)]
fn gather_body<const FMA: bool>(points: &[[f64; 2]], weights: &[f64], out: &mut Block) {
    for ([x, y], w) in points.iter().zip(weights) {
        let (first, second) = (chebyshev::<FMA>(*x), chebyshev::<FMA>(*y));
        for (row, a) in out.iter_mut().zip(first) {
            let a = a * w;
            for l in 0..TERMS {
                row[l] = fma::<f64, FMA>(a, second[l], row[l]);
            }
        }
    }
}

dispatch! {
    /// out <- out + a b.
    add_product, product_body, <>, (a: &Block, b: &Block, out: &mut Block) -> ()
}

#[inline(always)]
fn product_body<const FMA: bool>(a: &Block, b: &Block, out: &mut Block) {
    for (a, out) in a.iter().zip(out) {
        let mut row = *out;
        for (a, b) in a.iter().zip(b) {
            for l in 0..TERMS {
                row[l] = fma::<f64, FMA>(*a, b[l], row[l]);
            }
        }
        *out = row;
    }
}

dispatch! {
    /// A series of both directions at a place.
    value, value_body, <>, (series: &Block, at: [f64; 2]) -> f64
}

#[inline(always)]
fn value_body<const FMA: bool>(series: &Block, at: [f64; 2]) -> f64 {
    let (first, second) = (chebyshev::<FMA>(at[0]), chebyshev::<FMA>(at[1]));
    let mut row = [0.0; TERMS];
    for (a, b) in first.iter().zip(series) {
        for l in 0..TERMS {
            row[l] = fma::<f64, FMA>(*a, b[l], row[l]);
        }
    }
    row.iter().zip(&second).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_series_is_as_exact_as_is_said_of_its_step() {
        let places: Vec<f64> = (-50..=50).map(|k| f64::from(k) / 50.0).collect();
        for (step, said) in WRONG.into_iter().enumerate() {
            let apart = WIDTH * step as f64;
            let (block, greatest) = (coefficients(apart), libm::exp(-0.5 * (apart - WIDTH).max(0.0).powi(2)));
            for &u in &places {
                for &t in &places {
                    let wrong = (value(&block, [u, t]) - libm::exp(-0.5 * (apart + u - t).powi(2))).abs();
                    assert!(wrong <= said * greatest, "{step}: {:e}", wrong / greatest);
                }
            }
        }
    }
}
