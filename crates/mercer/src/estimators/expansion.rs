//! f(x) = sum_s coef[s, o] k(support_s, x) + bias[o]: what the representer theorem makes of almost every fitted thing.

use crate::blocks;
use crate::linalg::Matrix;
use serde::{Deserialize, Serialize};

/// A kernel expansion with one or several outputs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expansion {
    /// Training rows with a coefficient that is not zero, ascending.
    #[serde(with = "blocks::usizes")]
    pub support: Vec<usize>,
    /// Coefficients, support x outputs.
    pub coef: Matrix,
    /// One constant per output.
    pub bias: Vec<f64>,
}
