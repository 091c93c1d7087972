//! pyramid_match: k(X, Z) = sum over levels i = 0..levels of decay^i N_i, N_i = I_i - I_(i-1), I_i = sum over cells c of level i of
//! min(vectors of X in c, vectors of Z in c): cells of level i have a side 2^i times that of level 0, and N_i pairs of vectors meet there
//! first (K30; Grauman & Darrell, The pyramid match kernel, ICCV 2005).
//!
//! By parts k = sum_i v_i I_i with v_i = decay^i - decay^(i+1), and v_levels = decay^levels. As min(m, n) = sum_t [t <= m] [t <= n], the
//! t-th vector of a set in a cell is a feature of value sqrt(v_i): k is an inner product of sparse features, `levels + 1` of them a vector.

use crate::blocks;
use crate::control::Control;
use crate::data::{Cells, RowWeights, Sets};
use crate::error::{Error, Result};
use crate::gram::{Identity, Kernel, Mercer, Tile, prepare_each};
use crate::kernels::hashed_counts::{HashedCounts, by_hashed_features, mixed, per_value};
use crate::linalg::{Real, SparseMatrix};
use crate::param::Value;
use mercer_derive::{Formula, Parameters};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};

/// Vectors of two sets that meet in the cells of nested grids.
///
/// ```text
/// sum over levels i of decay^i (pairs of vectors that first share a cell of side 2^i): how well two sets can be
/// matched, vector to vector
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Formula, Parameters)]
#[serde(deny_unknown_fields)]
pub struct PyramidMatch {
    /// times that the side of a cell is doubled: there are levels + 1 grids, one inside the other
    // Sides from the range of the vectors down to 1/32 of it.
    #[param(default = 5.0, domain = Integer(0, 40))]
    levels: Value,
    /// weight of a match relative to one a level finer; 0.5 divides by the side of the cell
    // Grauman & Darrell (2005): a match counts by the inverse of the side of its cell.
    #[param(default = 0.5, domain = UpToOne)]
    decay: Value,
    /// side of the coarsest cells, which have a corner at 0; auto: the range of the training vectors along each axis, from their least
    /// value
    #[param(domain = PositiveFinite, learnt)]
    side: Value,
    /// randomly shifted grids over which k is averaged, so that no border decides; 0: one grid, not shifted
    #[param(default = 0.0, domain = Integer(0, 1000))]
    shifts: Value,
    /// seed of the shifts
    #[param(default = 0.0, domain = Integer(0, usize::MAX))]
    seed: Value,
}

/// The box that holds the vectors of the training sets: its lowest corner and its width along each axis; empty where the side is given.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VectorRange {
    #[serde(with = "blocks::f64s")]
    low: Vec<f64>,
    #[serde(with = "blocks::f64s")]
    width: Vec<f64>,
}

impl VectorRange {
    /// The range of the vectors of sets that count.
    fn of(sets: &Sets, weights: RowWeights<'_>) -> Self {
        let (values, dim) = (sets.vectors().to_dense(), sets.vectors().dim());
        let (mut low, mut high) = (vec![f64::INFINITY; dim], vec![f64::NEG_INFINITY; dim]);
        for row in (0..Cells::len(sets)).filter(|&row| weights.at(row) > 0.0) {
            for vector in values[sets.range(row).start * dim..sets.range(row).end * dim].chunks_exact(dim.max(1)) {
                for ((low, high), x) in low.iter_mut().zip(&mut high).zip(vector) {
                    (*low, *high) = (low.min(*x), high.max(*x));
                }
            }
        }
        // Without any vector there is no range.
        low.iter_mut().for_each(|low| *low = if low.is_finite() { *low } else { 0.0 });
        let width = low.iter().zip(&high).map(|(low, high)| (high - low).clamp(0.0, f64::MAX)).collect();
        VectorRange { low, width }
    }

    /// A coordinate from 0 up to and without 1 within the range; 0 along an axis without width.
    fn share(&self, axis: usize, x: f64) -> f64 {
        match self.width[axis] {
            0.0 => 0.0,
            // The last cell holds the upper end of the range.
            width if x - self.low[axis] == width => 1.0 - f64::EPSILON,
            width => (x - self.low[axis]) / width,
        }
    }
}

impl PyramidMatch {
    /// v_i of each level, over the number of grids.
    fn level_weights(&self, grids: usize) -> Vec<f64> {
        let (levels, decay) = (self.levels.integer(), self.decay.number());
        let weight = |i: usize| decay.powi(i as i32) - if i < levels { decay.powi(i as i32 + 1) } else { 0.0 };
        (0..=levels).map(|i| weight(i) / grids as f64).collect()
    }

    /// Offsets of each grid along each axis, as shares of the side of the coarsest cells: one grid that is not shifted, or as many as there are shifts.
    fn offsets(&self, dim: usize) -> Vec<Vec<f64>> {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(self.seed.integer() as u64);
        match self.shifts.integer() {
            0 => vec![vec![0.0; dim]],
            shifts => (0..shifts).map(|_| (0..dim).map(|_| random.random_range(0.0..1.0)).collect()).collect(),
        }
    }

    /// A coordinate as a number of sides of the coarsest cells.
    fn place(&self, range: &VectorRange, axis: usize, x: f64) -> f64 {
        match self.side {
            Value::Number(side) => x / side,
            _ => range.share(axis, x),
        }
    }

    /// The features of one set: hashed cells and the number of the vector in its cell, with their values.
    fn features(&self, vectors: &[f64], dim: usize, range: &VectorRange, offsets: &[Vec<f64>], weights: &[f64]) -> Vec<(u128, f64)> {
        let finest = (self.levels.integer() as f64).exp2();
        let mut row = Vec::with_capacity(vectors.len() / dim.max(1) * offsets.len() * weights.len());
        let (mut cells, mut hashes) = (Vec::new(), Vec::new());
        for (grid, offsets) in offsets.iter().enumerate() {
            cells.clear();
            for vector in vectors.chunks_exact(dim.max(1)) {
                let cell = |(axis, x): (usize, &f64)| ((self.place(range, axis, *x) + offsets[axis]) * finest).floor() as i64;
                cells.extend(vector.iter().enumerate().map(cell));
            }
            for (level, weight) in weights.iter().enumerate().filter(|(_, weight)| **weight > 0.0) {
                hashes.clear();
                let start = mixed(grid as u128, level as u128);
                let hash = |cell: &[i64]| cell.iter().fold(start, |hash, &number| mixed(hash, (number >> level) as u128));
                hashes.extend(cells.chunks_exact(dim.max(1)).map(hash));
                hashes.sort_unstable();
                for run in hashes.chunk_by(|a, b| a == b) {
                    row.extend((0u128..).zip(run).map(|(t, cell)| (mixed(*cell, t), weight.sqrt())));
                }
            }
        }
        row
    }
}

impl Kernel for PyramidMatch {
    const NAME: &'static str = "pyramid_match";
    const DOC: &'static str = Self::FORMULA;
    const SOURCE: &'static str = "Grauman & Darrell, The pyramid match kernel (2005); Murphy (2012), 14.2.7";
    const BECAUSE: &'static str = "a sum of histogram intersections with weights of 0 or above";
    type Inputs = Sets;
    type Learnt = VectorRange;
    type Prepared = HashedCounts;

    fn settle(&self, inputs: &Sets, weights: RowWeights<'_>) -> Self {
        let widest = || VectorRange::of(inputs, weights).width.into_iter().fold(0.0, f64::max).max(f64::MIN_POSITIVE);
        PyramidMatch { side: if self.side == Value::Auto { Value::Auto } else { self.side.settle_by(widest) }, ..self.clone() }
    }
    fn learns(&self) -> bool {
        self.side == Value::Auto
    }
    fn learn(&self, inputs: &Sets, weights: RowWeights<'_>, _: &Control) -> Result<VectorRange> {
        Ok(if self.learns() { VectorRange::of(inputs, weights) } else { VectorRange::default() })
    }
    fn prepare(&self, learnt: &VectorRange, inputs: &Sets, like: Option<&HashedCounts>, control: &Control) -> Result<HashedCounts> {
        // Bytes of the hash and the value of a vector in a cell.
        const PER_CELL: u64 = 32;
        // Sets whose features one thread makes at a time.
        const TOGETHER: usize = 16;
        let (values, dim) = (inputs.vectors().to_dense(), inputs.vectors().dim());
        if self.learns() && inputs.vectors().rows() > 0 {
            Error::unless_equal("numbers per vector that pyramid_match has learnt", dim, learnt.low.len())?;
            Error::unless_equal("widths that pyramid_match has learnt", dim, learnt.width.len())?;
        }
        let offsets = self.offsets(dim);
        let weights = self.level_weights(offsets.len());
        let vectors = |row: usize| &values[inputs.range(row).start * dim..inputs.range(row).end * dim];
        let counts = (inputs.vectors().rows() as u64).saturating_mul((offsets.len() * weights.len()) as u64);
        control.plan("cells of a pyramid", PER_CELL.saturating_mul(counts))?;
        let of_row = |row: usize| self.features(vectors(row), dim, learnt, &offsets, &weights);
        HashedCounts::new(prepare_each(Cells::len(inputs), TOGETHER, control, of_row)?, like, control)
    }
    fn stored(&self, inputs: &Sets) -> Option<usize> {
        let grids = self.shifts.integer().max(1) * (self.levels.integer() + 1);
        Some(inputs.vectors().rows().saturating_mul(grids))
    }
    fn per_value(&self, inputs: &Sets) -> f64 {
        per_value(inputs, Kernel::stored(self, inputs).unwrap_or(0), |some| {
            self.prepare(&VectorRange::of(some, RowWeights::default()), some, None, &Control::unwatched())
        })
    }
    by_hashed_features!();
}
