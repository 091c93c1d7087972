//! How a fit went, and the certificate of its solution.

use crate::notice::Notice;
use serde::{Deserialize, Serialize};

/// How a fit went.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Summary {
    /// Steps of the solver; 0 for a closed form.
    pub iterations: usize,
    /// Whether the certificate is within its tolerance.
    pub converged: bool,
    /// The objective at the solution, where there is one: sum of losses + (lambda/2) norm^2.
    pub objective: Option<f64>,
    /// Log marginal likelihood, where there is one.
    pub evidence: Option<f64>,
    /// Proof of quality.
    pub certificate: Option<Certificate>,
    /// Greatest violation of the optimality conditions, 0 where none is, where these are inequalities; held against the
    /// tolerance of the certificate.
    pub violation: Option<f64>,
    /// What had to be added to the diagonal of the Gram matrix for a factorisation, if anything.
    pub jitter: Option<f64>,
    /// Anything the user should know, one sentence each.
    pub notes: Vec<String>,
    /// What the fit changed of what it was asked for: a model says it among its notices.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Notice>,
}

/// A number that proves how good a solution is, and the tolerance that it was asked to meet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Certificate {
    /// What is measured: `relative duality gap`, `relative residual`, ...
    pub name: String,
    /// Its value; 0 is perfect.
    pub value: f64,
    /// The tolerance asked for.
    pub tolerance: f64,
}

impl Certificate {
    /// Whether the value is within the tolerance.
    pub fn is_met(&self) -> bool {
        self.value <= self.tolerance
    }
}
