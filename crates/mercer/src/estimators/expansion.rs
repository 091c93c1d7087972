//! f(x) = sum_s coef[s, o] k(support_s, x) + bias[o]: what the representer theorem makes of almost every fitted thing.

use crate::blocks;
use crate::error::{Error, Result};
use crate::gram::{self, Gram};
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
    /// An expansion over the given training rows (ascending); `coef` is support x outputs, `bias` one number per output.
    pub fn new(support: Vec<usize>, coef: Matrix, bias: Vec<f64>) -> Self {
        Expansion { support, coef, bias }
    }

    /// f of M new inputs, M x outputs, from their Gram matrix with the support (M x support).
    ///
    /// An error if the sizes do not fit, which a damaged model file may bring about.
    pub fn predict(&self, cross: &dyn Gram) -> Result<Matrix> {
        self.check()?;
        let mut out = gram::apply(cross, &self.coef)?;
        if self.bias.iter().any(|b| *b != 0.0) {
            for row in out.data_mut().chunks_exact_mut(self.bias.len()) {
                for (f, b) in row.iter_mut().zip(&self.bias) {
                    *f += b;
                }
            }
        }
        Ok(out)
    }

    /// An error unless support, coefficients and bias have sizes that fit.
    fn check(&self) -> Result<()> {
        for (what, expected, found) in [
            ("rows of the coefficients of an expansion", self.support.len(), self.coef.rows()),
            ("constants of an expansion", self.coef.cols(), self.bias.len()),
        ] {
            if expected != found {
                return Err(Error::Shape { what: what.into(), expected, found });
            }
        }
        Ok(())
    }
}
