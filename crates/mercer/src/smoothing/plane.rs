//! Gaussian sums over points of the plane at many places together,
//!
//! sum_i w_i z_1^a z_2^b e^(-|z|^2 / 2),   z = x_i - x,
//!
//! of several lists of weights and pairs of powers: points and places stand in square cells, and the kernel between two cells is a
//! series of Chebyshev polynomials in each direction (Greengard & Strain 1991; Fong & Darve 2009; see [`super::series`]).
//!
//! So a cell is its moments sum_i w_i T_k(t_i1) T_l(t_i2), which are carried along the first column to each column of cells, there along
//! the second. Every sum comes with a bound of its error: what a series may be wrong by, beside the greatest value between two cells, is
//! known for every step, and is summed on the same ways.

use super::series::{Block, NOTHING, WIDTH, WRONG, add_product, coefficients, gather, greatest, values};
use crate::control::Control;
use crate::error::Result;
use rayon::prelude::*;
use std::ops::Range;

/// A sum that is asked for: the list of its weights, and the powers a and b.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Ask {
    pub(super) list: usize,
    pub(super) powers: [usize; 2],
}

/// A sum and what it may be wrong by.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Bounded {
    pub(super) value: f64,
    pub(super) error: f64,
}

/// Points, and what is summed over them.
pub(super) struct Sources<'a> {
    /// Pairs of numbers.
    pub(super) points: &'a [f64],
    /// Lists of weights; the first says what points weigh, and is 0 or above.
    pub(super) weights: &'a [&'a [f64]],
    pub(super) asked: &'a [Ask],
    /// Nanoseconds that a pair of a point and a place takes where the sums are taken pair by pair.
    pub(super) pair: f64,
}

impl Sources<'_> {
    /// The sums at every place (pairs of numbers), place by place: what is farther than points of a share `tolerance` of all is passed
    /// over. `None` where taking pairs one by one is no slower.
    pub(super) fn sums(&self, places: &[f64], tolerance: f64, control: &Control) -> Result<Option<Vec<Bounded>>> {
        // Coordinates whose cells can be counted.
        const FARTHEST: f64 = 1e9;
        // Pairs of points and places below which cells do not pay.
        const FEW_PAIRS: usize = 1 << 20;
        // Nanoseconds: of a pair of cells, and of a point in its cell, by which cells are weighed against pairs; and the cells whose points
        // count at a place.
        const CELLS: f64 = 2e3;
        const POINT: f64 = 60.0;
        const WITHIN: f64 = 50.0;
        let (points, count, asked) = (self.points, self.points.len() / 2, places.len() / 2);
        if count.saturating_mul(asked) < FEW_PAIRS || !points.iter().chain(places).all(|z| z.abs() <= FARTHEST) {
            return Ok(None);
        }
        let (sources, targets) = (Cells::of(points), Cells::of(places));
        let groups = self.groups();
        let (lists, sums) = (self.weights.len(), self.asked.len());
        let crowd = count as f64 / sources.cells.len() as f64;
        let pairs = asked as f64 * WITHIN * crowd * self.pair;
        let carried = targets.cells.len() as f64 * (groups.len() + sums) as f64 * WITHIN.sqrt() * CELLS;
        let memory = std::mem::size_of::<Block>() * sources.cells.len() * lists + 2 * std::mem::size_of::<Bounded>() * asked * sums;
        if pairs < carried + (count * lists + asked * sums) as f64 * POINT || memory as u64 > control.allowed() / 4 {
            return Ok(None);
        }
        let total: f64 = self.weights[0].iter().sum();
        let reach = ((2.0 * (10.0 * total / tolerance).ln()).max(1.0).sqrt() / WIDTH).ceil() as usize;
        if reach >= WRONG.len() {
            return Ok(None);
        }
        let moments = sources.cells.par_iter().map(|cell| {
            control.check_time("sums over rows")?;
            Ok(Moments::of(cell, &sources.order, points, self.weights))
        });
        let moments: Vec<Vec<Moments>> = moments.collect::<Result<_>>()?;
        let powers = self.asked.iter().flat_map(|ask| ask.powers).max().unwrap_or(0);
        let beyond = |ask: &Ask| {
            let (apart, all): (f64, f64) = (WIDTH * reach as f64, self.weights[ask.list].iter().map(|w| w.abs()).sum());
            all * apart.powi((ask.powers[0] + ask.powers[1]) as i32) * libm::exp(-0.5 * apart * apart)
        };
        let ways = Ways {
            sources: &sources,
            moments: &moments,
            groups: &groups,
            asked: self.asked,
            reach: reach as i64,
            kernels: (0..=powers).map(|power| Kernel::of(power, reach)).collect(),
            beyond: self.asked.iter().map(beyond).collect(),
        };
        let columns: Vec<&[Cell]> = targets.cells.chunk_by(|a, b| a.at[0] == b.at[0]).collect();
        let found = columns.into_par_iter().map(|column| ways.along(column, &targets.order, places, control));
        let found: Vec<Vec<Bounded>> = found.collect::<Result<_>>()?;
        let mut out = vec![Bounded::default(); asked * sums];
        for (place, sum) in targets.order.iter().zip(found.iter().flat_map(|column| column.chunks_exact(sums))) {
            out[place * sums..(place + 1) * sums].copy_from_slice(sum);
        }
        Ok(Some(out))
    }

    /// What is carried along the first column: lists of weights with a first power.
    fn groups(&self) -> Vec<(usize, usize)> {
        let mut groups: Vec<(usize, usize)> = self.asked.iter().map(|ask| (ask.list, ask.powers[0])).collect();
        groups.sort_unstable();
        groups.dedup();
        groups
    }
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
        let cell = |(i, z): (usize, &[f64])| ([0, 1].map(|j| (z[j] / WIDTH).floor() as i64), i);
        let mut at: Vec<([i64; 2], usize)> = points.chunks_exact(2).enumerate().map(cell).collect();
        at.par_sort_unstable();
        let mut from = 0;
        let cells = at.chunk_by(|a, b| a.0 == b.0).map(|rows| {
            let part = from..from + rows.len();
            from = part.end;
            Cell { at: rows[0].0, part }
        });
        let cells = cells.collect();
        Cells { order: at.into_iter().map(|(_, i)| i).collect(), cells }
    }
}

impl Cell {
    /// Where its points stand in it: -1 to 1 in each direction.
    fn within(&self, order: &[usize], points: &[f64]) -> Vec<[f64; 2]> {
        let middle = self.at.map(|at| WIDTH * (at as f64 + 0.5));
        let within = |&i: &usize| [0, 1].map(|j| (points[2 * i + j] - middle[j]) / (0.5 * WIDTH));
        order[self.part.clone()].iter().map(within).collect()
    }
}

/// What a cell is from afar.
struct Moments {
    series: Block,
    /// The sum of the sizes of the weights, each times the greatest value that it can have, and what the series may be wrong by.
    weight: f64,
    error: f64,
}

impl Moments {
    /// One for each list of weights.
    fn of(cell: &Cell, order: &[usize], points: &[f64], lists: &[&[f64]]) -> Vec<Moments> {
        let of_cell = |list: &&[f64]| -> Vec<f64> { order[cell.part.clone()].iter().map(|&i| list[i]).collect() };
        let weights: Vec<Vec<f64>> = lists.iter().map(of_cell).collect();
        let mut series = vec![NOTHING; lists.len()];
        gather(&cell.within(order, points), &weights, &mut series);
        let moments = |(series, weights): (Block, &Vec<f64>)| Moments { series, weight: weights.iter().map(|w| w.abs()).sum(), error: 0.0 };
        series.into_iter().zip(&weights).map(moments).collect()
    }

    fn nothing() -> Moments {
        Moments { series: NOTHING, weight: 0.0, error: 0.0 }
    }

    /// Adds what is carried over so many steps.
    fn carry(&mut self, from: &Moments, step: i64, kernel: &Kernel) {
        let step = step.unsigned_abs() as usize;
        let greatest = kernel.greatest[step];
        self.weight += greatest * from.weight;
        self.error += greatest * (from.error + WRONG[step] * from.weight);
    }
}

/// The kernel of one direction with a power.
struct Kernel {
    /// C of each step from -reach to reach.
    between: Vec<Block>,
    /// Its greatest value between two cells, by their steps.
    greatest: Vec<f64>,
}

impl Kernel {
    fn of(power: usize, reach: usize) -> Kernel {
        let steps = -(reach as i64)..=reach as i64;
        Kernel {
            between: steps.map(|step| coefficients(power, WIDTH * step as f64)).collect(),
            greatest: (0..=reach).map(|step| greatest(power, step)).collect(),
        }
    }
}

/// The ways from cells of points to cells of places.
struct Ways<'a> {
    sources: &'a Cells,
    /// Of each cell, by lists of weights.
    moments: &'a [Vec<Moments>],
    groups: &'a [(usize, usize)],
    asked: &'a [Ask],
    /// Steps beyond which cells are passed over.
    reach: i64,
    /// By powers.
    kernels: Vec<Kernel>,
    /// What the cells that are passed over come to at most, for each sum.
    beyond: Vec<f64>,
}

impl Ways<'_> {
    /// Sums at the places of one column of cells, in their order.
    fn along(&self, column: &[Cell], order: &[usize], places: &[f64], control: &Control) -> Result<Vec<Bounded>> {
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
        let nothing = || rows.iter().map(|_| Moments::nothing()).collect();
        let mut carried: Vec<Vec<Moments>> = self.groups.iter().map(|_| nothing()).collect();
        for (cell, moments) in cells[near.clone()].iter().zip(&self.moments[near]) {
            let Ok(row) = rows.binary_search(&cell.at[1]) else { continue };
            let step = here - cell.at[0];
            for ((list, power), carried) in self.groups.iter().zip(&mut carried) {
                let kernel = &self.kernels[*power];
                add_product(&kernel.between[(step + reach) as usize], &moments[*list].series, &mut carried[row].series);
                carried[row].carry(&moments[*list], step, kernel);
            }
        }
        let of_group = |ask: &Ask| self.groups.iter().position(|group| *group == (ask.list, ask.powers[0]));
        let from: Vec<&[Moments]> = self.asked.iter().map(|ask| of_group(ask).map_or(&[][..], |group| &carried[group])).collect();
        let (mut out, mut found) = (Vec::new(), Vec::new());
        let mut series = vec![NOTHING; self.asked.len()];
        let mut errors = vec![0.0; self.asked.len()];
        for cell in column {
            control.check_time("sums over rows")?;
            let first = rows.partition_point(|row| *row < cell.at[1] - reach);
            let last = rows.partition_point(|row| *row <= cell.at[1] + reach);
            for (k, ask) in self.asked.iter().enumerate() {
                let kernel = &self.kernels[ask.powers[1]];
                let mut local = Moments::nothing();
                for (row, moments) in rows[first..last].iter().zip(&from[k][first..last]) {
                    let step = cell.at[1] - row;
                    // C(-D) is C(D) transposed, for an odd power with the other sign: that of x_i - x.
                    add_product(&moments.series, &kernel.between[(reach - step) as usize], &mut local.series);
                    local.carry(moments, step, kernel);
                }
                (series[k], errors[k]) = (local.series, local.error + self.beyond[k]);
            }
            found.clear();
            values(&series, &cell.within(order, places), &mut found);
            for found in found.chunks_exact(self.asked.len()) {
                let sums = found.iter().zip(self.asked).zip(&errors);
                out.extend(
                    sums.map(|((value, ask), error)| Bounded {
                        value: if ask.powers[0] % 2 == 1 { -value } else { *value },
                        error: *error,
                    }),
                );
            }
        }
        Ok(out)
    }
}
