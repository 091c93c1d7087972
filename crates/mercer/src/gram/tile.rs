//! A tile: some rows of one batch against some columns of another, and the loops that fill it.

use super::dots::Dots;
use super::{Block, DirectionCosine, PreparedPoints};
use crate::linalg::Real;
use crate::linalg::simd::{self, Map};
use std::ops::Range;

/// Which rows of the first batch a tile takes.
#[derive(Clone, Debug)]
pub enum TileRows<'t> {
    /// Consecutive rows.
    Range(Range<usize>),
    /// Any rows.
    List(&'t [usize]),
}

impl TileRows<'_> {
    /// How many.
    pub fn len(&self) -> usize {
        match self {
            TileRows::Range(r) => r.len(),
            TileRows::List(l) => l.len(),
        }
    }
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// The row of the batch that stands at row k of the tile.
    pub fn at(&self, k: usize) -> usize {
        match self {
            TileRows::Range(r) => r.start + k,
            TileRows::List(l) => l[k],
        }
    }
}

/// Kernel values to be written: `out[k, l]` for row `rows.at(k)` of `a` and column `cols.start + l` of `b`.
pub struct Tile<'t, P, T> {
    /// The batch along the rows.
    pub a: &'t P,
    /// Its rows.
    pub rows: TileRows<'t>,
    /// The batch along the columns.
    pub b: &'t P,
    /// Its rows that are the columns of the tile.
    pub cols: Range<usize>,
    /// Where the values go.
    pub out: Block<'t, T>,
}

impl<'t, P, T> Tile<'t, P, T> {
    /// Restricts the tile to one part of each prepared batch.
    pub fn of<Q>(self, part: impl Fn(&'t P) -> &'t Q) -> Tile<'t, Q, T> {
        Tile { a: part(self.a), rows: self.rows, b: part(self.b), cols: self.cols, out: self.out }
    }
}

impl<P, T: Real> Tile<'_, P, T> {
    /// `map` of every value that the tile holds.
    pub fn map(&mut self, map: impl Map) {
        for k in 0..self.rows.len() {
            simd::map_row(self.out.row_mut(k), map);
        }
    }

    /// Writes `map(pair(i, j))` for every pair, the map vectorised.
    pub fn from_pairs_mapped(mut self, pair: impl Fn(usize, usize) -> f64, map: impl Map) {
        // Pairs that are compared between two looks at the clock.
        const PAIRS: usize = 8;
        for k in 0..self.rows.len() {
            let i = self.rows.at(k);
            for first in (0..self.cols.len()).step_by(PAIRS) {
                if self.out.is_given_up() {
                    return;
                }
                let some = first..self.cols.len().min(first + PAIRS);
                for (o, l) in self.out.row_mut(k)[some.clone()].iter_mut().zip(some) {
                    *o = T::from_f64(pair(i, self.cols.start + l));
                }
            }
        }
        self.map(map);
    }

    /// Writes `pair(i, j)` for every pair: for kernels that compare two inputs at a time.
    pub fn from_pairs(self, pair: impl Fn(usize, usize) -> f64) {
        self.from_pairs_mapped(pair, simd::Identity);
    }
}

impl<T: Real> Tile<'_, PreparedPoints, T> {
    /// Writes `map(x . z)` for every pair.
    pub fn from_dots(mut self, map: impl Map) {
        self.each_dot(|_, row| simd::map_row(row, map));
    }

    /// Writes `map(|x - z|^2)` for every pair; the squared distance is never negative and exactly 0 between equal points.
    pub fn from_sqdist(mut self, map: impl Map) {
        self.each_sqdist(|_, row| simd::map_row(row, map));
    }

    /// Writes the squared distances themselves.
    pub fn sqdists(&mut self) {
        self.each_sqdist(|_, _| {});
    }

    /// Writes the squared distances, and hands each row of them to `finish(row of the tile, distances)` while it is in cache.
    fn each_sqdist(&mut self, mut finish: impl FnMut(usize, &mut [T])) {
        // A squared distance below this share of the sum of the norms is computed again from differences:
        // above it, cancellation costs at most 5 of the 16 digits.
        const CANCELLED: f64 = 1e-5;
        let (a, rows, b, cols) = (self.a, self.rows.clone(), self.b, self.cols.clone());
        let sparse: Vec<T>;
        let norms = match b.numbers::<T>() {
            Some((_, norms)) => &norms[cols.clone()],
            None => {
                sparse = b.norms()[cols.clone()].iter().map(|&x| T::from_f64(x)).collect();
                &sparse
            }
        };
        self.each_dot(|k, row| {
            let i = rows.at(k);
            let (own, floor) = (T::from_f64(a.norms()[i]), T::from_f64(CANCELLED));
            let mut near = simd::sqdist_row(row, norms, own, floor);
            let size = simd::part(row.len());
            while near != 0 {
                let first = near.trailing_zeros() as usize * size;
                near &= near - 1;
                for ((o, &other), j) in row[first..].iter_mut().zip(&norms[first..]).zip(cols.start + first..cols.end).take(size) {
                    // The same numbers compared as for the bits of parts, so that neighbours make no difference.
                    if *o <= floor * (other + own) {
                        *o = T::from_f64(a.sqdist(i, b, j));
                    }
                }
            }
            finish(k, row);
        });
    }

    /// Hands `write(k, first, cosines, values)` the cosines of the angles between the point of row k of the tile and those of up to
    /// [`DirectionCosine::TOGETHER`] columns from `first` on, of which it writes the values: functions of x . z, |x|^2 and |z|^2.
    pub fn from_dots_and_norms(self, mut write: impl FnMut(usize, usize, &[DirectionCosine], &mut [f64])) {
        const TOGETHER: usize = DirectionCosine::TOGETHER;
        let (a, b, rows, cols) = (self.a.directions(), self.b.directions(), self.rows, self.cols);
        let mut tile = Tile { a, rows: rows.clone(), b, cols: cols.clone(), out: self.out };
        tile.each_dot(|_, _| {});
        let (mut cosines, mut values) = ([DirectionCosine::NONE; TOGETHER], [0.0; TOGETHER]);
        for k in 0..rows.len() {
            for first in (0..cols.len()).step_by(TOGETHER) {
                if tile.out.is_given_up() {
                    return;
                }
                let some = first..cols.len().min(first + TOGETHER);
                let (cosines, values) = (&mut cosines[..some.len()], &mut values[..some.len()]);
                let out = &mut tile.out.row_mut(k)[some.clone()];
                for ((cosine, dot), l) in cosines.iter_mut().zip(out.iter()).zip(some) {
                    *cosine = DirectionCosine::of(a, rows.at(k), b, cols.start + l, *dot);
                }
                write(k, first, cosines, values);
                out.iter_mut().zip(values).for_each(|(o, value)| *o = T::from_f64(*value));
            }
        }
    }

    /// Writes the inner products, and hands each row of them to `finish(row of the tile, products)` while it is in cache.
    pub fn each_dot(&mut self, mut finish: impl FnMut(usize, &mut [T])) {
        let (Some((left, _)), Some((right, _))) = (self.a.numbers::<T>(), self.b.numbers::<T>()) else {
            self.sparse_sums(|x, z| x * z);
            for k in 0..self.rows.len() {
                finish(k, self.out.row_mut(k));
            }
            return;
        };
        let dim = self.a.dim();
        let right = &right[self.cols.start * dim..self.cols.end * dim];
        let panels = if self.rows.len() == 1 { self.b.panels::<T>().map(|all| (all, self.cols.start)) } else { None };
        Dots { left, rows: &self.rows, right, dim, out: self.out.reborrow(), panels }.each(&mut finish);
    }

    /// Writes sum_c min(x_c, z_c) for every pair of points whose numbers are 0 or above. Minima are added, since
    /// (x + z - |x - z|) / 2 would cancel where one number outweighs the others.
    pub(crate) fn sums_of_minima(&mut self) {
        let (a, b) = (self.a, self.b);
        if b.postings().is_some() {
            return self.sparse_sums(f64::min);
        }
        let tile = Tile { a, rows: self.rows.clone(), b, cols: self.cols.clone(), out: self.out.reborrow() };
        tile.from_pairs(|i, j| a.sum_of_minima(i, b, j));
    }

    /// Sums over columns of a function of two numbers that is 0 where one of them is: each stored number of a row goes to the inputs that
    /// have its column. Points of which only one batch is sparse are compared pair by pair.
    fn sparse_sums(&mut self, of: impl Fn(f64, f64) -> f64) {
        let Some(postings) = self.b.postings() else {
            for k in 0..self.rows.len() {
                let (i, row) = (self.rows.at(k), self.out.row_mut(k));
                for (o, j) in row.iter_mut().zip(self.cols.clone()) {
                    *o = T::from_f64(self.a.merged(i, self.b, j).map(|(_, x, z)| of(x, z)).sum());
                }
            }
            return;
        };
        (0..self.rows.len()).for_each(|k| self.out.row_mut(k).fill(T::from_f64(0.0)));
        for columns in postings.within(self.cols.clone()) {
            for k in 0..self.rows.len() {
                let (i, row) = (self.rows.at(k), self.out.row_mut(k));
                for (c, v) in self.a.each(i) {
                    let (points, values) = columns.column(c);
                    for (&j, w) in points.iter().zip(values) {
                        let o = &mut row[j as usize - self.cols.start];
                        *o = *o + T::from_f64(of(v, *w));
                    }
                }
            }
        }
    }
}
