//! k(x, z)^n for a whole number n from 1 (F24).

use crate::control::Control;
use crate::data::RowWeights;
use crate::error::Result;
use crate::expr::Term;
use crate::gram::{Bound, LogForm, PairWeights, Rewrite, Rewritten, Side, reweighed, slope};
use crate::kernels::FittedKernel;
use crate::kernels::composition::{Closure, Composition, Form, Properties, one};
use crate::kernels::fitted::Scope;
use crate::linalg::{Matrix, Real};
use mercer_derive::{Formula, Parameters};
use serde::{Deserialize, Serialize};

/// A kernel raised to a power.
///
/// ```text
/// a product of k with itself, up to 64 times
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Formula, Parameters)]
#[parameters(none)]
#[serde(deny_unknown_fields)]
pub struct Power {
    /// The exponent, from 1.
    #[param(default = 1)]
    pub exponent: u32,
}

impl Composition for Power {
    const FORMS: &'static [Form] = &[Form {
        name: "",
        also: None,
        form: "k^3",
        example: "linear^2",
        doc: Self::FORMULA,
        because: "a product of a Mercer kernel with itself (Schur)",
    }];
    const SOURCE: &'static str = "Shawe-Taylor & Cristianini, Kernel Methods for Pattern Analysis (2004), Proposition 3.24";
    const IS: Properties = Properties { keeps_constants: true, ..Properties::PLAIN };
    type Learnt = ();

    fn term(&self, mut parts: Vec<Term>) -> Term {
        let base = Box::new(parts.pop().unwrap_or(Term::Auto));
        Term::Power { base, exponent: self.exponent }
    }
    fn learn(&self, _: &[FittedKernel], _: Scope<'_>, _: RowWeights<'_>, _: &Control) -> Result<()> {
        Ok(())
    }
    fn compose(&self, (): &(), of: Vec<Box<dyn Bound>>, _: &Control) -> Result<Box<dyn Bound>> {
        Ok(Box::new(Rewritten::new(one(of)?, Raised(self.exponent.max(1)))))
    }
    fn closure(&self) -> Closure {
        Closure::OfMercer
    }
}

/// k^exponent.
struct Raised(u32);

impl Raised {
    /// n k^(n-1).
    fn slope(&self, k: f64) -> f64 {
        f64::from(self.0) * power(k, self.0 - 1)
    }
}

/// x^n by squaring, for any precision.
fn power<T: Real>(x: T, n: u32) -> T {
    let (mut result, mut square, mut left) = (T::from_f64(1.0), x, n);
    while left > 0 {
        if left & 1 == 1 {
            result = result * square;
        }
        square = square * square;
        left >>= 1;
    }
    result
}

impl Rewrite for Raised {
    fn row<T: Real>(&self, _: usize, _: usize, _: bool, values: &mut [T]) {
        values.iter_mut().for_each(|v| *v = power(*v, self.0));
    }
    fn diagonal(&self, _: Side, inner: Vec<f64>) -> Vec<f64> {
        inner.iter().map(|d| power(*d, self.0)).collect()
    }
    fn log_form(&self) -> Option<LogForm> {
        Some(LogForm::Power(f64::from(self.0)))
    }
    fn gradient(&self, inner: &dyn Bound, weights: &PairWeights, control: &Control) -> Result<Vec<f64>> {
        slope(inner, weights, |k| self.slope(k), control)
    }
    fn input_weights(&self, inner: &dyn Bound, weights: &Matrix, control: &Control) -> Result<Option<Matrix>> {
        reweighed(inner, weights, control, |w, k| w * self.slope(k)).map(Some)
    }
}
