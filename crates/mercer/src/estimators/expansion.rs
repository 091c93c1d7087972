//! f(x) = sum_s coef[s, o] k(support_s, x) + bias[o]: what the representer theorem makes of almost every fitted thing.

use crate::blocks;
use crate::error::{Error, Result};
use crate::gram::{Gram, apply};
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

impl Expansion {
    /// An expansion over the given training rows.
    pub fn new(support: Vec<usize>, coef: Matrix, bias: Vec<f64>) -> Self {
        Expansion { support, coef, bias }
    }

    /// f at M new inputs (M x outputs) from their M x support Gram matrix.
    pub fn predict(&self, cross: &dyn Gram) -> Result<Matrix> {
        for (what, expected, found) in [
            ("rows of the coefficients", self.support.len(), self.coef.rows()),
            ("constants of an expansion", self.coef.cols(), self.bias.len()),
        ] {
            if expected != found {
                return Err(Error::Shape { what: what.into(), expected, found });
            }
        }
        let mut out = apply(cross, &self.coef)?;
        for i in 0..out.rows() {
            for (f, b) in out.row_mut(i).iter_mut().zip(&self.bias) {
                *f += b;
            }
        }
        Ok(out)
    }
}
