//! Rows made ready for a network: their points, and their variances in front of and behind every linear layer.

use super::activation::Correlation;
use super::jet::{Jet, Scalar};
use super::layers::{Network, Quantity, Stage};
use crate::control::Control;
use crate::data::{PER_FUNCTION, Points};
use crate::error::{Error, Result};
use crate::gram::{DirectionCosine, PreparedBatch, PreparedPoints, Tile};
use crate::linalg::Real;

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
    let points = PreparedPoints::plain(inputs, like.map(|l| &l.points));
    let needed = points.rows() * (network.depth + 1) * size_of::<Stage<f64>>();
    control.plan("the variances of all rows in every layer of a network", needed as u64)?;
    let (mut stages, mut diagonal) = (Vec::with_capacity(points.rows() * (network.depth + 1)), Vec::with_capacity(points.rows()));
    for (row, &norm) in points.norms().iter().enumerate() {
        control.check_time("variances of a network")?;
        let own = network.stages(norm);
        let value = network.value(quantity, Correlation::whole(), &own, &own);
        if !value.is_finite() {
            return Err(Error::Numerical {
                what: format!("the kernel of a network of {} hidden layers, in row {}", network.depth, row + 1),
                why: "its value exceeds the range of numbers; take fewer layers, or a smaller variance of the weights".into(),
            });
        }
        stages.extend(own);
        diagonal.push(value);
    }
    Ok(NetworkRows { points, stages, diagonal })
}

/// Writes the kernel of every pair of a tile.
pub(crate) fn fill<T: Real>(network: &Network<f64>, quantity: Quantity, tile: Tile<'_, NetworkRows, T>) {
    let (a, b, rows, first) = (tile.a, tile.b, tile.rows.clone(), tile.cols.start);
    tile.of(NetworkRows::points).from_dots_and_norms(|k, l, cosine| {
        network.value(quantity, cosine.into(), a.stages(rows.at(k), network), b.stages(first + l, network))
    });
}

/// The sums over a tile of the weights times the derivatives of the kernel in the two parameters that the network is a function of.
pub(crate) fn gradient(network: &Network<Jet>, quantity: Quantity, tile: Tile<'_, NetworkRows, f64>, weights: &[f64]) -> [f64; 2] {
    let norms = |points: &PreparedPoints, i: usize| network.stages(points.norms()[i]);
    let rows: Vec<Vec<Stage<Jet>>> = (0..tile.rows.len()).map(|k| norms(&tile.a.points, tile.rows.at(k))).collect();
    let columns: Vec<Vec<Stage<Jet>>> = tile.cols.clone().map(|j| norms(&tile.b.points, j)).collect();
    let mut sums = [0.0; 2];
    tile.of(NetworkRows::points).from_dots_and_norms(|k, l, cosine| {
        let value = network.value(quantity, cosine.into(), &rows[k], &columns[l]);
        let weight = weights[k * columns.len() + l];
        sums.iter_mut().zip(value.slopes).for_each(|(sum, slope)| *sum += weight * slope);
        value.value
    });
    sums
}

/// Operations of one value of a network of so many hidden layers, each of so many functions of one number.
pub(crate) fn per_value(inputs: &Points, depth: usize, functions: usize) -> f64 {
    use crate::data::Inputs;
    inputs.per_pair() + PER_FUNCTION * (depth * functions) as f64
}
