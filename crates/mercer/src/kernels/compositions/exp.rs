//! exp(k(x, z)) (F24).

use crate::control::Control;
use crate::data::RowWeights;
use crate::error::Result;
use crate::gram::{Bound, LogForm, Map, PairWeights, Rewrite, Rewritten, Side, map_row, reweighed, slope};
use crate::kernels::composition::{Closure, Composition, Form, Properties, one};
use crate::kernels::fitted::Scope;
use crate::kernels::{FittedKernel, KernelExpr};
use crate::linalg::{Matrix, Real};
use mercer_derive::{Formula, Parameters};
use serde::{Deserialize, Serialize};

/// The exponential of a kernel.
///
/// ```text
/// the exponential of k
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Formula, Parameters)]
#[serde(deny_unknown_fields)]
pub struct Exp {}

impl Composition for Exp {
    const FORMS: &'static [Form] = &[Form {
        name: "exp",
        also: None,
        form: "exp(k)",
        example: "exp(linear)",
        doc: Self::FORMULA,
        because: "a power series of a Mercer kernel with non-negative coefficients",
    }];
    const SOURCE: &'static str = "Shawe-Taylor & Cristianini, Kernel Methods for Pattern Analysis (2004), Proposition 3.24";
    const IS: Properties = Properties { keeps_constants: true, ..Properties::PLAIN };
    type Learnt = ();

    fn learn(&self, _: &[FittedKernel], _: Scope<'_>, _: RowWeights<'_>, _: &Control) -> Result<()> {
        Ok(())
    }
    fn compose(&self, (): &(), of: Vec<Box<dyn Bound>>, _: &Control) -> Result<Box<dyn Bound>> {
        Ok(Box::new(Rewritten::new(one(of)?, Exponential)))
    }
    fn closure(&self) -> Closure {
        Closure::OfNegativeType("exp")
    }
    fn is_zero(&self, _: &[KernelExpr]) -> bool {
        false
    }
}

#[derive(Clone, Copy)]
struct Exponential;

impl Map for Exponential {
    #[inline(always)]
    fn at<T: Real, const FMA: bool>(self, x: T) -> T {
        x.exponential::<FMA>()
    }
}

impl Rewrite for Exponential {
    fn row<T: Real>(&self, _: usize, _: usize, _: bool, values: &mut [T]) {
        map_row(values, Exponential);
    }
    fn diagonal(&self, _: Side, mut inner: Vec<f64>) -> Vec<f64> {
        map_row(&mut inner, Exponential);
        inner
    }
    fn log_form(&self) -> Option<LogForm> {
        Some(LogForm::Exponential)
    }
    /// d exp(k) = exp(k) dk.
    fn gradient(&self, inner: &dyn Bound, weights: &PairWeights, control: &Control) -> Result<Vec<f64>> {
        slope(inner, weights, f64::exp, control)
    }
    fn input_weights(&self, inner: &dyn Bound, weights: &Matrix, control: &Control) -> Result<Option<Matrix>> {
        reweighed(inner, weights, control, |w, k| w * k.exp()).map(Some)
    }
}
