//! How much the rows of a class count besides their own weights.

use mercer_derive::Choice;
use serde::{Deserialize, Serialize};

/// How much the rows of a class count besides their own weights.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Choice)]
#[serde(rename_all = "snake_case")]
pub enum ClassWeight {
    /// All classes count alike per row.
    #[default]
    None,
    /// All classes count alike as a whole: (sum of weights) / (classes x sum of weights in the class).
    Balanced,
}

impl ClassWeight {
    /// The factor of each class from the sum of the weights of its rows; classes without rows are none.
    pub(crate) fn factors(self, mass: &[f64]) -> Vec<f64> {
        let (total, present) = (mass.iter().sum::<f64>(), mass.iter().filter(|m| **m > 0.0).count() as f64);
        mass.iter()
            .map(|mass| match self {
                ClassWeight::Balanced if *mass > 0.0 => total / (present * mass),
                _ => 1.0,
            })
            .collect()
    }
}
