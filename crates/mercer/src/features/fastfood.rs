//! Structured random frequencies (M42): blocks of d frequencies made of Hadamard transforms H, diagonals and a permutation P in place of
//! a matrix of normal numbers. Angles of m frequencies take O(m log d) operations a row instead of O(m d).
//!
//! * S H G P H B (Le, Sarlos & Smola, Fastfood: approximating kernel expansions in loglinear time, 2013): B holds random signs, G normal
//!   numbers, and S gives every frequency the length of a normal vector. Each is a standard normal vector exactly; those of one block
//!   depend on each other, and their mean errs up to 37% more than that of independent ones (D from 4 to 100, `rbf`).
//! * S H C P H.. with random signs in every diagonal, three transforms (Yu, Suresh, Choromanski, Holtmann-Rice & Kumar, Orthogonal
//!   random features, 2016): orthogonal within a block, normal nearly, with the error of dense orthogonal ones.

use crate::blocks;
use crate::control::Control;
use crate::error::{Error, Result};
use crate::linalg::{LANES, Matrix, hadamard};
use rand::RngExt;
use rand::seq::SliceRandom;
use rand_distr::{ChiSquared, Distribution, StandardNormal};
use rand_xoshiro::Xoshiro256PlusPlus;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Frequencies of a normal distribution with a fast transform; the last block is cut to the number asked for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "StoredFastfood")]
pub struct Fastfood {
    count: usize,
    columns: usize,
    /// Diagonals in the order in which they multiply, each before a Hadamard transform: those of all blocks in one row.
    diagonals: Matrix,
    /// P, after the first transform: which entry comes to each place, block after block.
    #[serde(with = "blocks::usizes")]
    order: Vec<usize>,
    /// What every row is multiplied by at last, block after block.
    #[serde(with = "blocks::f64s")]
    scales: Vec<f64>,
}

/// Blocks as a file holds them, before they are checked.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredFastfood {
    count: usize,
    columns: usize,
    diagonals: Matrix,
    #[serde(with = "blocks::usizes")]
    order: Vec<usize>,
    #[serde(with = "blocks::f64s")]
    scales: Vec<f64>,
}

impl TryFrom<StoredFastfood> for Fastfood {
    type Error = Error;
    fn try_from(StoredFastfood { count, columns, diagonals, order, scales }: StoredFastfood) -> Result<Self> {
        // Of more columns than memory has room for no power of two need exist.
        let size = columns.checked_next_power_of_two().map(|_| block_size(columns));
        let entries = size.and_then(|size| size.checked_mul(count.div_ceil(size))).unwrap_or(0);
        for found in [diagonals.cols(), order.len(), scales.len()] {
            Error::unless_equal("entries of blocks of frequencies", entries, found)?;
        }
        let fitted = Fastfood { count, columns, diagonals, order, scales };
        match fitted.order.iter().find(|place| **place >= fitted.size()) {
            Some(beyond) => Err(Error::Shape { what: "a place within a block".into(), expected: fitted.size() - 1, found: *beyond }),
            None => Ok(fitted),
        }
    }
}

/// Rows that are transformed together, and the room beside them that a permutation is written to.
type Room = (Vec<[f64; LANES]>, Vec<[f64; LANES]>);

impl Fastfood {
    /// `count` frequencies for so many columns; orthogonal within a block, or G normal.
    ///
    /// # Errors
    /// They exceed the memory allowed.
    pub fn draw(count: usize, columns: usize, orthogonal: bool, draw: &mut Xoshiro256PlusPlus, control: &Control) -> Result<Self> {
        let size = block_size(columns);
        let blocks = count.div_ceil(size);
        let rounds = if orthogonal { 3 } else { 2 };
        control.plan("random frequencies", 8 * (rounds + 2) * (blocks as u64).saturating_mul(size as u64))?;
        let mut diagonals = Matrix::from_fn(rounds as usize, blocks * size, |_, _| if draw.random() { 1.0 } else { -1.0 });
        if !orthogonal {
            diagonals.row_mut(1).iter_mut().for_each(|g| *g = StandardNormal.sample(draw));
        }
        let (mut order, mut scales) = (Vec::with_capacity(blocks * size), Vec::with_capacity(blocks * size));
        for last in diagonals.row(rounds as usize - 1).chunks(size) {
            control.check_time("random frequencies")?;
            let first = order.len();
            order.extend(0..size);
            order[first..].shuffle(draw);
            // The length of a row before it is scaled.
            let length = last.iter().map(|g| g * g).sum::<f64>().sqrt() * (size as f64).powf(0.5 * (rounds as f64 - 1.0));
            let lengths = ChiSquared::new(size as f64).ok();
            scales.extend((0..size).map(|_| lengths.map_or(0.0, |l| l.sample(draw).sqrt()) / length));
        }
        Ok(Fastfood { count, columns, diagonals, order, scales })
    }

    /// How many frequencies there are.
    pub fn count(&self) -> usize {
        self.count
    }

    /// How many columns they are for.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Multiplies a frequency.
    pub fn scale(&mut self, which: usize, factor: f64) {
        self.scales[which] *= factor;
    }

    /// The inner product of every row of x (N x columns) with every frequency.
    ///
    /// # Errors
    /// Stopped by `control`, or a table of other columns.
    pub fn angles(&self, x: &Matrix, control: &Control) -> Result<Matrix> {
        Error::unless_equal("columns of frequencies", self.columns, x.cols())?;
        self.over_rows(x, self.count, control, |rows, out, (x, other)| {
            for first in (0..self.count).step_by(self.size()) {
                let of_block = first..first + self.size();
                x.fill([0.0; LANES]);
                for (l, row) in rows.chunks(self.columns).enumerate() {
                    x.iter_mut().zip(row).for_each(|(x, v)| x[l] = *v);
                }
                for round in 0..self.diagonals.rows() {
                    x.iter_mut().zip(&self.diagonals.row(round)[of_block.clone()]).for_each(|(x, by)| *x = x.map(|v| v * by));
                    hadamard(x);
                    if round == 0 {
                        other.iter_mut().zip(&self.order[of_block.clone()]).for_each(|(to, from)| *to = x[*from]);
                        std::mem::swap(x, other);
                    }
                }
                for (l, out) in out.chunks_mut(self.count).enumerate() {
                    let scaled = x.iter().zip(&self.scales[of_block.clone()]);
                    out[first..].iter_mut().zip(scaled).for_each(|(out, (v, by))| *out = v[l] * by);
                }
            }
        })
    }

    /// The frequencies added up by the weights in every row (N x count).
    ///
    /// # Errors
    /// Stopped by `control`, or weights of another number of frequencies.
    pub fn combined(&self, weights: &Matrix, control: &Control) -> Result<Matrix> {
        Error::unless_equal("weights of frequencies", self.count, weights.cols())?;
        self.over_rows(weights, self.columns, control, |rows, out, (x, other)| {
            for first in (0..self.count).step_by(self.size()) {
                let of_block = first..first + self.size();
                x.fill([0.0; LANES]);
                for (l, row) in rows.chunks(self.count).enumerate() {
                    x.iter_mut().zip(&row[first..]).zip(&self.scales[of_block.clone()]).for_each(|((x, v), by)| x[l] = v * by);
                }
                for round in (0..self.diagonals.rows()).rev() {
                    if round == 0 {
                        x.iter().zip(&self.order[of_block.clone()]).for_each(|(from, to)| other[*to] = *from);
                        std::mem::swap(x, other);
                    }
                    hadamard(x);
                    x.iter_mut().zip(&self.diagonals.row(round)[of_block.clone()]).for_each(|(x, by)| *x = x.map(|v| v * by));
                }
                for (l, out) in out.chunks_mut(self.columns).enumerate() {
                    out.iter_mut().zip(x.iter()).for_each(|(out, v)| *out += v[l]);
                }
            }
        })
    }

    /// One row for each row of x, written a few rows at a time.
    fn over_rows(
        &self,
        x: &Matrix,
        width: usize,
        control: &Control,
        write: impl Fn(&[f64], &mut [f64], &mut Room) + Sync,
    ) -> Result<Matrix> {
        let mut out = Matrix::zeros(x.rows(), width);
        let room = || (vec![[0.0; LANES]; self.size()], vec![[0.0; LANES]; self.size()]);
        let tiles = x.data().par_chunks((LANES * x.cols()).max(1));
        out.data_mut().par_chunks_mut((LANES * width).max(1)).zip(tiles).try_for_each_init(room, |room, (out, rows)| {
            control.check_time("random frequencies")?;
            write(rows, out, room);
            Ok(())
        })?;
        Ok(out)
    }

    fn size(&self) -> usize {
        block_size(self.columns)
    }
}

/// The least power of two with room for the columns. Signs of fewer than 16 entries show few directions: kernel values over two
/// columns would be off by 0.14 (root mean square), over three by 0.06.
fn block_size(columns: usize) -> usize {
    columns.next_power_of_two().max(16)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::{product, product_transposed};
    use rand::SeedableRng;

    /// Blocks as matrices, from their definition.
    fn written_out(f: &Fastfood) -> Matrix {
        let size = f.size();
        let h = Matrix::from_fn(size, size, |i, j| 1.0 - 2.0 * f64::from((i & j).count_ones() % 2));
        let diagonal = |of: &[f64]| Matrix::from_fn(size, size, |i, j| if i == j { of[i] } else { 0.0 });
        let mut all = Vec::new();
        for first in (0..f.order.len()).step_by(size) {
            let p = Matrix::from_fn(size, size, |i, j| f64::from(f.order[first + i] == j));
            let times = |a: &Matrix, b: &Matrix| product(a, b).unwrap();
            let mut block = times(&p, &times(&h, &diagonal(&f.diagonals.row(0)[first..])));
            for round in 1..f.diagonals.rows() {
                block = times(&h, &times(&diagonal(&f.diagonals.row(round)[first..]), &block));
            }
            all.extend_from_slice(times(&diagonal(&f.scales[first..]), &block).data());
        }
        let whole = Matrix::new(all.len() / size, size, all).unwrap();
        Matrix::from_fn(f.count, f.columns, |p, j| whole[(p, j)])
    }

    #[test]
    fn fast_products_are_those_of_the_matrices_written_out_for_any_columns_and_count() {
        let control = Control::default();
        for (count, columns, orthogonal) in [(5, 1, true), (1, 3, false), (8, 4, true), (11, 4, false), (70, 33, true), (37, 5, false)] {
            let mut draw = Xoshiro256PlusPlus::seed_from_u64(count as u64);
            let f = Fastfood::draw(count, columns, orthogonal, &mut draw, &control).unwrap();
            let w = written_out(&f);
            let mut normal = |rows, cols| Matrix::from_fn(rows, cols, |_, _| StandardNormal.sample(&mut draw));
            let (x, t) = (normal(19, columns), normal(19, count));
            let near = |a: Matrix, b: Matrix| a.data().iter().zip(b.data()).all(|(a, b)| (a - b).abs() <= 1e-11 * (1.0 + b.abs()));
            assert!(near(f.angles(&x, &control).unwrap(), product_transposed(&x, &w).unwrap()), "{count} {columns}");
            assert!(near(f.combined(&t, &control).unwrap(), product(&t, &w).unwrap()), "{count} {columns}");
            let text = serde_json::to_string(&f).unwrap();
            assert_eq!(serde_json::from_str::<Fastfood>(&text).unwrap(), f);
            let wrong = text.replacen(&format!("\"columns\":{columns}"), "\"columns\":1000", 1);
            assert!(serde_json::from_str::<Fastfood>(&wrong).is_err());
        }
    }
}
