//! Frequencies of a stationary kernel: a matrix of them, or blocks with a fast transform.

use super::Fastfood;
use crate::control::Control;
use crate::error::Result;
use crate::linalg::{Matrix, product_transposed_within, product_within};
use serde::{Deserialize, Serialize};

/// Frequencies for length scales of 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Frequencies {
    /// One a row.
    Dense(Matrix),
    /// Products of Hadamard transforms.
    Structured(Fastfood),
}

impl Frequencies {
    /// How many there are.
    pub fn count(&self) -> usize {
        match self {
            Frequencies::Dense(all) => all.rows(),
            Frequencies::Structured(all) => all.count(),
        }
    }

    /// How many columns they are for.
    pub fn columns(&self) -> usize {
        match self {
            Frequencies::Dense(all) => all.cols(),
            Frequencies::Structured(all) => all.columns(),
        }
    }

    /// Multiplies one of them.
    pub fn scale(&mut self, which: usize, factor: f64) {
        match self {
            Frequencies::Dense(all) => all.row_mut(which).iter_mut().for_each(|w| *w *= factor),
            Frequencies::Structured(all) => all.scale(which, factor),
        }
    }

    /// The inner product of every row of x (N x columns) with every frequency.
    ///
    /// # Errors
    /// Stopped by `control`, or a table of other columns.
    pub fn angles(&self, x: &Matrix, control: &Control) -> Result<Matrix> {
        match self {
            Frequencies::Dense(all) => product_transposed_within(x, all, control),
            Frequencies::Structured(all) => all.angles(x, control),
        }
    }

    /// The frequencies added up by the weights in every row (N x count).
    ///
    /// # Errors
    /// Stopped by `control`, or weights of another number of frequencies.
    pub fn combined(&self, weights: &Matrix, control: &Control) -> Result<Matrix> {
        match self {
            Frequencies::Dense(all) => product_within(weights, all, control),
            Frequencies::Structured(all) => all.combined(weights, control),
        }
    }
}
