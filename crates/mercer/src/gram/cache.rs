//! Rows of a square Gram matrix, kept within a byte budget: what a decomposition solver works from.
//!
//! Missing rows are computed together, tile by tile on all threads; the rows used longest ago make room.
//! Tiles are fixed by size, so that the numbers do not depend on the threads.
//!
//! Memory that was never touched may cost more than to compute a row anew: a budget is not used because it is there. It is
//! opened step by step, when computing rows again has taken as long as opening as much memory as is in use would.

use super::engine::engine;
use super::logarithm::require_not_lost;
use super::{Block, Gram, Side, add_rows, with_scratch};
use crate::control::Control;
use crate::error::{Error, Result};
use crate::linalg::{Real, prefer_large_pages};
use rayon::prelude::*;
use std::ops::Range;
use std::time::Instant;

/// Rows and columns of a tile, at most: 256 kB of f32.
const TILE: (usize, usize) = (64, 960);
/// However little memory there is, so many rows are held: as many as a solver adds up at once.
pub(crate) const LEAST_ROWS: usize = 8;
/// The slot of a row that is not held.
const NOWHERE: usize = usize::MAX;

/// A number that kernel rows are held in: f32 for speed, f64 for tight tolerances.
pub(crate) trait Cell: Real {
    /// Writes the tile of any list of rows.
    fn fill(gram: &dyn Gram, rows: &[usize], cols: Range<usize>, out: Block<'_, Self>);
}

impl Cell for f32 {
    fn fill(gram: &dyn Gram, rows: &[usize], cols: Range<usize>, out: Block<'_, f32>) {
        engine().rows_f32(gram, rows, cols, out);
    }
}

impl Cell for f64 {
    fn fill(gram: &dyn Gram, rows: &[usize], cols: Range<usize>, out: Block<'_, f64>) {
        engine().rows(gram, rows, cols, out);
    }
}

/// Some rows of a symmetric N x N Gram matrix.
pub(crate) struct RowCache<'a, T> {
    gram: &'a dyn Gram,
    columns: usize,
    /// Slot after slot, `columns` numbers each; the memory of a slot is first touched when it is filled.
    store: Vec<T>,
    /// The slot of each row.
    slot: Vec<usize>,
    /// The row in each slot in use.
    row: Vec<usize>,
    /// When each slot in use was asked for last.
    used: Vec<u64>,
    clock: u64,
    /// How many slots may be used by now.
    open: usize,
    /// Which rows were computed before.
    before: Vec<bool>,
    costs: Costs,
}

/// Seconds of computing rows, and how many.
#[derive(Default)]
struct Costs {
    /// Into memory that was never touched.
    fresh: (f64, usize),
    /// Into memory of other rows.
    reused: (f64, usize),
    /// Spent on rows that had been held once, since memory was opened last.
    again: f64,
}

impl Costs {
    /// What touching memory adds to a row.
    fn of_touching(&self) -> f64 {
        let each = |(seconds, rows): (f64, usize)| seconds / rows.max(1) as f64;
        (each(self.fresh) - each(self.reused)).max(0.0)
    }
    /// Notes rows of which some had been held once.
    fn note(&mut self, fresh: bool, seconds: f64, rows: usize, again: usize) {
        let kind = if fresh { &mut self.fresh } else { &mut self.reused };
        (kind.0, kind.1) = (kind.0 + seconds, kind.1 + rows);
        self.again += seconds * again as f64 / rows as f64;
    }
}

/// Memory of a row cache that is done, and how much of it was touched.
#[derive(Default)]
pub(crate) struct Memory<T> {
    store: Vec<T>,
    touched: usize,
}

impl<'a, T: Cell> RowCache<'a, T> {
    /// A cache of at most `bytes` bytes of rows, though never of fewer than [`LEAST_ROWS`].
    pub(crate) fn new(gram: &'a dyn Gram, bytes: u64) -> Self {
        Self::within(gram, bytes, Memory::default())
    }

    /// A cache of at most `bytes` bytes that reuses the memory of an earlier cache if it is large enough.
    pub(crate) fn within(gram: &'a dyn Gram, bytes: u64, memory: Memory<T>) -> Self {
        // Bytes that are opened without being asked twice.
        const OPEN: usize = 16 << 20;
        let columns = gram.shape().1;
        let one = (columns.max(1) * size_of::<T>()) as u64;
        let capacity = usize::try_from(bytes / one).unwrap_or(usize::MAX).clamp(LEAST_ROWS, columns.max(LEAST_ROWS));
        let Memory { mut store, mut touched } = memory;
        if store.len() < capacity * columns {
            (store, touched) = (vec![T::default(); capacity * columns], 0);
        }
        store.truncate(capacity * columns);
        let rows = gram.shape().0;
        let open = (OPEN / (columns.max(1) * size_of::<T>())).max(touched / columns.max(1)).clamp(LEAST_ROWS, capacity);
        // What is opened at once may be all, written once: large pages would make it dearer where they come from a host.
        prefer_large_pages(&mut store[open * columns..]);
        RowCache {
            gram,
            columns,
            store,
            slot: vec![NOWHERE; rows],
            row: Vec::new(),
            used: Vec::new(),
            clock: 0,
            open,
            before: vec![false; rows],
            costs: Costs::default(),
        }
    }

    /// What its rows are of.
    pub(crate) fn gram(&self) -> &'a dyn Gram {
        self.gram
    }

    /// Seconds that a value took, where rows have been computed; 0 before.
    pub(crate) fn seconds_per_value(&self) -> f64 {
        let (seconds, rows) = if self.costs.reused.1 > 0 { self.costs.reused } else { self.costs.fresh };
        seconds / (rows * self.columns).max(1) as f64
    }

    /// Its memory.
    pub(crate) fn into_memory(self) -> Memory<T> {
        Memory { touched: self.row.len() * self.columns, store: self.store }
    }

    /// The most rows that can be held, and asked for, at once.
    pub(crate) fn capacity(&self) -> usize {
        self.store.len().checked_div(self.columns).unwrap_or(LEAST_ROWS)
    }

    /// The given rows (none twice, at most [`RowCache::capacity`]), in order; those missing are computed.
    pub(crate) fn rows(&mut self, list: &[usize], control: &Control) -> Result<Vec<&[T]>> {
        // Rows computed between two looks at the cancel flag.
        const CHECK: usize = 64;
        if list.len() > self.capacity() {
            return Err(Error::Shape { what: "rows asked of a row cache".into(), expected: self.capacity(), found: list.len() });
        }
        self.clock += 1;
        let mut missing = Vec::new();
        for &i in list {
            match self.slot[i] {
                NOWHERE => missing.push(i),
                s => self.used[s] = self.clock,
            }
        }
        if !missing.is_empty() {
            self.widen(list.len());
            let touched = self.row.len();
            let slots = self.room(missing.len());
            for (rows, slots) in missing.chunks(CHECK).zip(slots.chunks(CHECK)) {
                let clock = Instant::now();
                let again = rows.iter().filter(|&&i| std::mem::replace(&mut self.before[i], true)).count();
                self.compute(rows, slots, control)?;
                self.costs.note(slots[0] >= touched, clock.elapsed().as_secs_f64(), rows.len(), again);
            }
        }
        Ok(list.iter().map(|&i| &self.store[self.slot[i] * self.columns..][..self.columns]).collect())
    }

    /// Opens more memory where so many rows ask for it, or where it pays.
    fn widen(&mut self, asked: usize) {
        self.open = self.open.max((asked + asked / 4).min(self.capacity()));
        if self.costs.again > self.open as f64 * self.costs.of_touching() {
            self.open = (2 * self.open).min(self.capacity());
            self.costs.again = 0.0;
        }
    }

    /// Ascending slots for `count` new rows: unused ones first, then those asked for longest ago.
    fn room(&mut self, count: usize) -> Vec<usize> {
        let fresh = count.min(self.open - self.row.len());
        let mut slots: Vec<usize> = (self.row.len()..self.row.len() + fresh).collect();
        self.row.resize(self.row.len() + fresh, NOWHERE);
        self.used.resize(self.row.len(), u64::MAX);
        let evict = count - fresh;
        if evict > 0 {
            let mut order: Vec<(u64, usize)> = self.used.iter().copied().zip(0..).collect();
            order.select_nth_unstable(evict - 1);
            slots.extend(order[..evict].iter().map(|&(_, s)| s));
            slots.sort_unstable();
        }
        for &s in &slots {
            if self.row[s] != NOWHERE {
                self.slot[self.row[s]] = NOWHERE;
                self.row[s] = NOWHERE;
            }
            // Free until it is filled: the first to go should filling be cancelled.
            self.used[s] = 0;
        }
        slots
    }

    /// Fills ascending slots with rows. Each task computes some columns of all rows beside each other, then takes them to
    /// their slots, which stay free where time is up before.
    fn compute(&mut self, rows: &[usize], slots: &[usize], control: &Control) -> Result<()> {
        let (gram, columns, most) = (self.gram, self.columns, tile_width(self.columns));
        let mut out: Vec<_> = slots_mut(&mut self.store, columns, slots).into_iter().map(|row| row.chunks_mut(most)).collect();
        let tiles: Vec<(usize, Vec<&mut [T]>)> =
            (0..columns).step_by(most).map(|c| (c, out.iter_mut().filter_map(Iterator::next).collect())).collect();
        tiles.into_par_iter().for_each_init(Vec::new, |values, (first, mut parts)| {
            let width = most.min(columns - first);
            for (list, parts) in rows.chunks(TILE.0).zip(parts.chunks_mut(TILE.0)) {
                if control.is_given_up() {
                    return;
                }
                values.resize(list.len() * width, T::default());
                T::fill(gram, list, first..first + width, Block::new(values, list.len(), width).watched(control));
                parts.iter_mut().zip(values.chunks(width)).for_each(|(part, row)| part.copy_from_slice(row));
            }
        });
        control.check_time("kernel values")?;
        for (&i, &s) in rows.iter().zip(slots) {
            self.slot[i] = s;
            self.row[s] = i;
            self.used[s] = self.clock;
        }
        Ok(())
    }
}

/// values += K' changes, where K is the kernel values of the first inputs, one for each change, with those after them, one for
/// each value. A few rows at a time are summed in the precision that they are computed in, the sums in f64.
pub(crate) fn add_products<T: Cell>(gram: &dyn Gram, changes: &[f64], values: &mut [f64], control: &Control) -> Result<()> {
    let rows: Vec<usize> = (0..changes.len()).collect();
    values.par_chunks_mut(TILE.1).enumerate().try_for_each(|(c, part)| {
        let (start, width) = (rows.len() + c * TILE.1, part.len());
        with_scratch(TILE.0 * width, |tile: &mut [T]| {
            for (list, changes) in rows.chunks(TILE.0).zip(changes.chunks(TILE.0)) {
                let tile = &mut tile[..list.len() * width];
                T::fill(gram, list, start..start + width, Block::new(tile, list.len(), width).watched(control));
                control.check_time("kernel values")?;
                let (eights, rest) = changes.as_chunks::<8>();
                for (rows, factors) in tile.chunks_exact(8 * width).zip(eights) {
                    add_rows(part, std::array::from_fn(|q| &rows[q * width..][..width]), factors.map(T::from_f64));
                }
                for (row, change) in tile[8 * eights.len() * width..].chunks_exact(width).zip(rest) {
                    part.iter_mut().zip(row).for_each(|(v, k)| *v += change * k.to_f64());
                }
            }
            Ok(())
        })
    })
}

/// Columns of the tiles of so many, so that every thread has as many tiles as any other.
fn tile_width(columns: usize) -> usize {
    // Columns of a tile are a multiple of these: what products take at a time.
    const STRIP: usize = 48;
    let tiles = columns.div_ceil(TILE.1).next_multiple_of(rayon::current_num_threads());
    columns.div_ceil(tiles.max(1)).next_multiple_of(STRIP).min(TILE.1)
}

/// The memory of ascending slots.
fn slots_mut<'a, T>(store: &'a mut [T], columns: usize, slots: &[usize]) -> Vec<&'a mut [T]> {
    let (mut rest, mut passed) = (store, 0);
    let mut out = Vec::with_capacity(slots.len());
    for &s in slots {
        let (own, after) = std::mem::take(&mut rest)[(s - passed) * columns..].split_at_mut(columns);
        out.push(own);
        (rest, passed) = (after, s + 1);
    }
    out
}

/// k(x, x) of every row, an error if one of them is not a finite number.
pub(crate) fn finite_diagonal(gram: &dyn Gram) -> Result<Vec<f64>> {
    let diagonal = gram.diagonal(Side::Rows);
    match diagonal.iter().position(|v| !v.is_finite()) {
        None => {
            require_not_lost(gram, Side::Rows, &diagonal)?;
            Ok(diagonal)
        }
        Some(i) => Err(Error::Numerical {
            what: "Gram matrix".into(),
            why: format!("the kernel of row {} with itself is {}; scale the columns or change the kernel's parameters", i + 1, diagonal[i]),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gram::Dense;
    use crate::linalg::Matrix;

    fn gram(n: usize) -> Dense {
        Dense::square(Matrix::from_fn(n, n, |i, j| 1.0 / (1.0 + i.abs_diff(j) as f64))).unwrap()
    }

    #[test]
    fn rows_equal_the_matrix_while_older_rows_make_room() {
        let (n, control) = (40, Control::default());
        let g = gram(n);
        let mut cache = RowCache::<f64>::new(&g, (9 * n * 8) as u64);
        assert_eq!(cache.capacity(), 9);
        for step in 0..60 {
            let mut list: Vec<usize> = (0..9).map(|k| (step * 7 + k * k * 3) % n).collect();
            list.sort_unstable();
            list.dedup();
            for (&i, row) in list.iter().zip(cache.rows(&list, &control).unwrap()) {
                assert_eq!(row, g.matrix().row(i));
            }
        }
    }

    #[test]
    fn rows_asked_for_again_and_again_open_more_of_the_budget() {
        let (n, control) = (64, Control::default());
        let g = gram(n);
        let mut cache = RowCache::<f32>::new(&g, u64::MAX);
        cache.open = 16;
        let mut passes = 0;
        while cache.row.len() < n {
            for list in (0..n).collect::<Vec<_>>().chunks(8) {
                let rows = cache.rows(list, &control).unwrap();
                assert!(list.iter().zip(rows).all(|(&i, row)| (0..n).all(|j| row[j] == g.matrix()[(i, j)] as f32)));
            }
            passes += 1;
            assert!(passes > 1 || cache.row.len() <= 32, "what is asked for once is not kept");
        }
    }

    #[test]
    fn the_byte_budget_is_kept_but_eight_rows_always_fit() {
        let g = gram(100);
        assert_eq!(RowCache::<f32>::new(&g, 0).capacity(), 8);
        assert_eq!(RowCache::<f32>::new(&g, 4000).capacity(), 10);
        assert_eq!(RowCache::<f32>::new(&g, u64::MAX).capacity(), 100);
    }

    #[test]
    fn the_row_asked_for_longest_ago_goes_first() {
        let (g, control) = (gram(20), Control::default());
        let mut cache = RowCache::<f32>::new(&g, 8 * 20 * 4);
        for list in [vec![0], vec![1], (2..8).collect(), vec![0], vec![9]] {
            cache.rows(&list, &control).unwrap();
        }
        let held: Vec<usize> = (0..20).filter(|&i| cache.slot[i] != NOWHERE).collect();
        assert_eq!(held, [0, 2, 3, 4, 5, 6, 7, 9]);
    }

    #[test]
    fn asking_for_more_rows_than_fit_is_a_named_error() {
        let g = gram(10);
        assert!(matches!(RowCache::<f32>::new(&g, 0).rows(&[0, 1, 2, 3, 4, 5, 6, 7, 8], &Control::default()), Err(Error::Shape { .. })));
    }

    #[test]
    fn a_cancelled_computation_leaves_no_wrong_row_behind() {
        let (g, control) = (gram(10), Control::default());
        let mut cache = RowCache::<f64>::new(&g, 8 * 10 * 8);
        cache.rows(&[0, 1, 2, 5, 6, 7, 8, 9], &control).unwrap();
        let stopped = Control::default();
        stopped.cancel.cancel();
        assert!(matches!(cache.rows(&[3, 4], &stopped), Err(Error::Cancelled)));
        for (i, row) in [2, 5, 0].into_iter().zip(cache.rows(&[2, 5, 0], &control).unwrap()) {
            assert_eq!(row, g.matrix().row(i));
        }
    }
}
