//! Gram matrices as formulas of prepared points: what an engine reads to compute them with code of its own.

use super::PreparedPoints;
use crate::linalg::simd::{Map, MapFormula};

/// What is computed of two points x and z before the map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PointStatistic {
    /// x . z.
    InnerProduct,
    /// |x - z|^2, exactly 0 between equal points.
    SquaredDistance,
    /// sum_j |x_j - z_j|.
    L1Distance,
    /// x . z, |x|^2 and |z|^2, three numbers of which the map is a function.
    InnerProductAndNorms,
}

/// How each value of a Gram matrix follows from points.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum PointFormula<'a> {
    /// map(statistic(x, z)) for each row x and column z.
    Map {
        /// Of the two points.
        statistic: PointStatistic,
        /// Applied to it.
        map: MapFormula,
        /// The points along the rows.
        rows: &'a PreparedPoints,
        /// The points along the columns.
        cols: &'a PreparedPoints,
    },
    /// A factor times every value.
    Scaled(f64, Box<PointFormula<'a>>),
    /// The sum of the parts, value by value.
    Sum(Vec<PointFormula<'a>>),
    /// The product of the parts, value by value.
    Product(Vec<PointFormula<'a>>),
    /// Lists of the rows and columns of another matrix.
    Selected {
        /// Its rows, in any order.
        rows: &'a [usize],
        /// Its columns, in any order.
        cols: &'a [usize],
        /// The other matrix.
        of: Box<PointFormula<'a>>,
    },
}

impl<'a> PointFormula<'a> {
    /// The map of a statistic; `None` where the map has no name.
    pub fn map(statistic: PointStatistic, map: impl Map, rows: &'a PreparedPoints, cols: &'a PreparedPoints) -> Option<Self> {
        Some(PointFormula::Map { statistic, map: map.formula()?, rows, cols })
    }
    /// map(|x - z|^2).
    pub fn of_sqdist(map: impl Map, rows: &'a PreparedPoints, cols: &'a PreparedPoints) -> Option<Self> {
        Self::map(PointStatistic::SquaredDistance, map, rows, cols)
    }
    /// The map of x . z, |x|^2 and |z|^2.
    pub fn of_dots_and_norms(map: MapFormula, rows: &'a PreparedPoints, cols: &'a PreparedPoints) -> Self {
        PointFormula::Map { statistic: PointStatistic::InnerProductAndNorms, map, rows, cols }
    }
    /// map(x . z).
    pub fn of_dots(map: impl Map, rows: &'a PreparedPoints, cols: &'a PreparedPoints) -> Option<Self> {
        Self::map(PointStatistic::InnerProduct, map, rows, cols)
    }
}
