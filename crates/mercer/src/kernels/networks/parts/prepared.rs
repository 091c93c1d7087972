//! Rows made ready for a network: their points, and their variances in front of and behind every linear layer.

use super::activation::Correlation;
use super::jet::{Jet, Scalar};
use super::lanes::{ABREAST, PairLanes};
use super::layers::{Network, Quantity, Stage};
use crate::control::Control;
use crate::data::{PER_FUNCTION, Points};
use crate::error::{Error, Result};
use crate::gram::{DirectionCosine, Level, PreparedBatch, PreparedPoints, Tile, dispatch, level, prepare_each};
use crate::linalg::Real;
use std::ops::Range;

/// Points and what each brings to the layers of a network.
#[derive(Debug)]
pub struct NetworkRows {
    points: PreparedPoints,
    /// Row by row, as many for each.
    stages: Vec<Stage<f64>>,
    diagonal: Vec<f64>,
}

impl NetworkRows {
    /// The points.
    pub(crate) fn points(&self) -> &PreparedPoints {
        &self.points
    }
    /// k(x, x) of each row.
    pub(crate) fn diagonal(&self) -> &[f64] {
        &self.diagonal
    }
    fn stages(&self, i: usize, network: &Network<f64>) -> &[Stage<f64>] {
        let count = network.depth + 1;
        &self.stages[i * count..(i + 1) * count]
    }
}

impl PreparedBatch for NetworkRows {
    fn gather(&self, rows: &[usize]) -> Option<Self> {
        let count = self.stages.len() / self.diagonal.len().max(1);
        Some(NetworkRows {
            points: self.points.gather(rows)?,
            stages: rows.iter().flat_map(|&i| self.stages[i * count..(i + 1) * count].iter().copied()).collect(),
            diagonal: rows.iter().map(|&i| self.diagonal[i]).collect(),
        })
    }
}

impl<N: Scalar> From<DirectionCosine> for Correlation<N> {
    fn from(cosine: DirectionCosine) -> Self {
        Correlation { deficit: N::constant(cosine.deficit), excess: N::constant(cosine.excess) }
    }
}

/// Prepares rows for a network.
///
/// # Errors
/// Variances beyond the range of numbers; no memory for those of every layer.
pub(crate) fn prepare(
    network: &Network<f64>,
    quantity: Quantity,
    inputs: &Points,
    like: Option<&NetworkRows>,
    control: &Control,
) -> Result<NetworkRows> {
    // Rows that one thread takes at a time.
    const TOGETHER: usize = 64;
    let points = PreparedPoints::plain(inputs, like.map(|l| &l.points));
    let needed = 2 * points.rows() * (network.depth + 1) * size_of::<Stage<f64>>();
    control.plan("the variances of all rows in every layer of a network", needed as u64)?;
    let each = prepare_each(points.rows(), TOGETHER, control, |i| {
        let own = network.stages(points.norms()[i]);
        let value = network.value(quantity, Correlation::whole(), &own, &own);
        (own, value)
    })?;
    if let Some(row) = each.iter().position(|(_, value)| !value.is_finite()) {
        return Err(Error::Numerical {
            what: format!("the kernel of a network of {} hidden layers, in row {}", network.depth, row + 1),
            why: "its value exceeds the range of numbers; take fewer layers, or a smaller variance of the weights".into(),
        });
    }
    let (stages, diagonal): (Vec<Vec<Stage<f64>>>, Vec<f64>) = each.into_iter().unzip();
    let stages = stages.concat();
    Ok(NetworkRows { points, stages, diagonal })
}

/// Writes the kernel of every pair of a tile.
pub(crate) fn fill<T: Real>(network: &Network<f64>, quantity: Quantity, tile: Tile<'_, NetworkRows, T>) {
    let (a, b, rows, cols) = (tile.a, tile.b, tile.rows.clone(), tile.cols.clone());
    let mut abreast = ColumnGroups::of(network, quantity, b, cols.clone());
    tile.of(NetworkRows::points).from_dots_and_norms(|k, first, cosines, values| {
        let x = a.stages(rows.at(k), network);
        let is_done = abreast.as_mut().is_some_and(|all| all.write((k, x), first, cosines, values));
        for ((value, cosine), l) in values.iter_mut().zip(cosines).zip(first..) {
            // Not a number: a pair that takes a branch of its own.
            if !is_done || value.is_nan() {
                *value = network.value(quantity, (*cosine).into(), x, b.stages(cols.start + l, network));
            }
        }
    });
}

/// The columns of a tile, eight at a time, for networks that are computed so.
struct ColumnGroups {
    network: Network<PairLanes>,
    quantity: Quantity,
    /// Of each whole group of columns, those of all layers.
    columns: Vec<Stage<PairLanes>>,
    /// The last row of the tile that was asked for, and its layers.
    row: (Option<usize>, Vec<Stage<PairLanes>>),
}

impl ColumnGroups {
    fn of(network: &Network<f64>, quantity: Quantity, rows: &NetworkRows, cols: Range<usize>) -> Option<Self> {
        let starts = (cols.start..cols.end).step_by(ABREAST).filter(|start| start + ABREAST <= cols.end);
        let columns = starts.flat_map(|start| {
            let each: [&[Stage<f64>]; ABREAST] = std::array::from_fn(|k| rows.stages(start + k, network));
            (0..=network.depth).map(move |s| Stage::together(each.map(|stages| &stages[s])))
        });
        network.map.runs_abreast().then(|| ColumnGroups {
            network: network.abreast(),
            quantity,
            columns: columns.collect(),
            row: (None, Vec::new()),
        })
    }

    /// The values of row k of the tile, whose layers are x, and a whole group of columns; `false` where the group is not whole.
    fn write(&mut self, (k, x): (usize, &[Stage<f64>]), first: usize, cosines: &[DirectionCosine], values: &mut [f64]) -> bool {
        let (Ok(cosines), Ok(values)) = (<&[_; ABREAST]>::try_from(cosines), <&mut [_; ABREAST]>::try_from(values)) else {
            return false;
        };
        if self.row.0 != Some(k) {
            self.row = (Some(k), x.iter().map(|stage| Stage::together([stage; ABREAST])).collect());
        }
        let start = first / ABREAST * x.len();
        row_values(&self.network, self.quantity, cosines, &self.row.1, &self.columns[start..start + x.len()], values);
        true
    }
}

dispatch! {
    /// The kernel of one row with eight others.
    row_values, row_values_body, <>, (network: &Network<PairLanes>, quantity: Quantity, cosines: &[DirectionCosine; ABREAST], x: &[Stage<PairLanes>], z: &[Stage<PairLanes>], values: &mut [f64; ABREAST]) -> ()
}

#[inline(always)]
fn row_values_body<const FMA: bool>(
    network: &Network<PairLanes>,
    quantity: Quantity,
    cosines: &[DirectionCosine; ABREAST],
    x: &[Stage<PairLanes>],
    z: &[Stage<PairLanes>],
    values: &mut [f64; ABREAST],
) {
    let (mut deficit, mut excess) = ([0.0; ABREAST], [0.0; ABREAST]);
    for k in 0..ABREAST {
        (deficit[k], excess[k]) = (cosines[k].deficit, cosines[k].excess);
    }
    let correlation = Correlation { deficit: PairLanes(deficit), excess: PairLanes(excess) };
    *values = network.value(quantity, correlation, x, z).0;
}

/// The sums over a tile of the weights times the derivatives of the kernel in the two parameters that the network is a function of.
pub(crate) fn gradient(network: &Network<Jet>, quantity: Quantity, tile: Tile<'_, NetworkRows, f64>, weights: &[f64]) -> [f64; 2] {
    let norms = |points: &PreparedPoints, i: usize| network.stages(points.norms()[i]);
    let rows: Vec<Vec<Stage<Jet>>> = (0..tile.rows.len()).map(|k| norms(&tile.a.points, tile.rows.at(k))).collect();
    let columns: Vec<Vec<Stage<Jet>>> = tile.cols.clone().map(|j| norms(&tile.b.points, j)).collect();
    let mut sums = [0.0; 2];
    tile.of(NetworkRows::points).from_dots_and_norms(|k, first, cosines, values| {
        let weights = &weights[k * columns.len() + first..];
        for (((value, cosine), z), weight) in values.iter_mut().zip(cosines).zip(&columns[first..]).zip(weights) {
            let jet = network.value(quantity, (*cosine).into(), &rows[k], z);
            sums.iter_mut().zip(jet.slopes).for_each(|(sum, slope)| *sum += weight * slope);
            *value = jet.value;
        }
    });
    sums
}

/// Operations of one value of a network of so many hidden layers, each of so many functions of one number.
pub(crate) fn per_value(inputs: &Points, depth: usize, functions: usize) -> f64 {
    use crate::data::Inputs;
    inputs.per_pair() + PER_FUNCTION * (depth * functions) as f64
}
