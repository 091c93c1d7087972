//! The cosine c of the angle between two points, as 1 - c and 1 + c: an angle near 0 or pi keeps its digits, which c alone has lost.
//!
//! For unit vectors 1 - c = |u - v|^2 / 2 and 1 + c = |u + v|^2 / 2 (Kahan, How futile are mindless assessments of roundoff, 2006, 12).

use super::PreparedPoints;
use crate::linalg::Real;

/// The cosine c of the angle between two points; 0 where one of them is the origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DirectionCosine {
    /// 1 - c, exactly 0 between points of one direction.
    pub deficit: f64,
    /// 1 + c, exactly 0 between points of opposite directions.
    pub excess: f64,
}

impl DirectionCosine {
    /// How many are handed over together.
    pub const TOGETHER: usize = 8;
    /// Of the origin with any point.
    pub(super) const NONE: DirectionCosine = DirectionCosine { deficit: 1.0, excess: 1.0 };

    /// Of points of unit length or none, whose inner product was computed with the digits of `T`.
    pub(super) fn of<T: Real>(a: &PreparedPoints, i: usize, b: &PreparedPoints, j: usize, dot: T) -> Self {
        // Nearer to 1 than this, the angle is computed again from differences: above it, its rounding is below 1e-13, or 1e-6 in f32.
        let near = if size_of::<T>() == size_of::<f32>() { 1e-2 } else { 1e-5 };
        let cosine = dot.to_f64();
        if a.norms()[i] == 0.0 || b.norms()[j] == 0.0 {
            Self::NONE
        } else if 1.0 - cosine < near {
            let deficit = 0.5 * a.sqdist(i, b, j);
            DirectionCosine { deficit, excess: 2.0 - deficit }
        } else if 1.0 + cosine < near {
            let excess = 0.5 * a.squared_sum(i, b, j);
            DirectionCosine { deficit: 2.0 - excess, excess }
        } else {
            DirectionCosine { deficit: 1.0 - cosine, excess: 1.0 + cosine }
        }
    }
}
