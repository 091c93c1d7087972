//! c k(x, z), c the number in front (F24).

use crate::control::Control;
use crate::data::RowWeights;
use crate::error::Result;
use crate::expr::{self, Term};
use crate::gram::{Bound, LogForm, PairWeights, Rewrite, Rewritten, Side, inner_product};
use crate::kernels::composition::{Closure, Composition, Form, Properties, one};
use crate::kernels::fitted::Scope;
use crate::kernels::{FittedKernel, KernelExpr};
use crate::linalg::{Matrix, Real};
use crate::param::Value;
use mercer_derive::{Formula, Parameters};
use serde::{Deserialize, Serialize};

/// A number times a kernel.
///
/// ```text
/// a number, `auto` or a range in front
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Formula, Parameters)]
#[parameters(composed)]
#[serde(deny_unknown_fields)]
pub struct Scale {
    /// number times the kernel
    #[param(default = 1.0, domain = Real, search = 100.0)]
    pub scale: Value,
}

impl Scale {
    /// Whether the number is left to the data.
    pub(crate) fn is_open(&self) -> bool {
        !self.scale.is_settled()
    }

    /// The number that `open`, if it is, takes where values are of this size.
    pub(crate) fn settle_to(&mut self, open: &Self, size: f64) {
        self.scale = open.scale.settle(size);
    }
}

impl Composition for Scale {
    const FORMS: &'static [Form] = &[Form {
        name: "",
        also: None,
        form: "2.5*k",
        example: "0.5*rbf",
        doc: Self::FORMULA,
        because: "a Mercer kernel times a number of 0 or above",
    }];
    const SOURCE: &'static str = "Shawe-Taylor & Cristianini, Kernel Methods for Pattern Analysis (2004), Proposition 3.22";
    const DIFFERENTIABLE: &'static [&'static str] = &["scale"];
    const IS: Properties = Properties { keeps_features: true, linear: true, keeps_constants: true, ..Properties::PLAIN };
    type Learnt = ();

    fn term(&self, parts: Vec<Term>) -> Term {
        let number = expr::parse(&self.scale.to_string()).unwrap_or(Term::Auto);
        let factors = parts.into_iter().flat_map(|part| if let Term::Product(more) = part { more } else { vec![part] });
        Term::Product(std::iter::once(number).chain(factors).collect())
    }
    fn settle(&self, _: Scope<'_>) -> Result<Self> {
        Ok(Scale { scale: self.scale.settle(1.0) })
    }
    fn learn(&self, _: &[FittedKernel], _: Scope<'_>, _: RowWeights<'_>, _: &Control) -> Result<()> {
        Ok(())
    }
    fn compose(&self, (): &(), of: Vec<Box<dyn Bound>>, _: &Control) -> Result<Box<dyn Bound>> {
        Ok(Box::new(Rewritten::new(one(of)?, Times(self.scale.number()))))
    }
    fn closure(&self) -> Closure {
        let by = &self.scale;
        if by.numbers().iter().any(|b| *b < 0.0) || matches!(by, Value::Range(low, _) if *low < 0.0) {
            return Closure::Never(format!("{by} times a Mercer kernel has k(x, x) < 0"));
        }
        Closure::Faithful
    }
    fn is_zero(&self, parts: &[KernelExpr]) -> bool {
        self.scale == Value::Number(0.0) || parts.first().is_some_and(KernelExpr::is_zero)
    }
}

/// by * k.
struct Times(f64);

impl Rewrite for Times {
    fn row<T: Real>(&self, _: usize, _: usize, _: bool, values: &mut [T]) {
        values.iter_mut().for_each(|v| *v = *v * T::from_f64(self.0));
    }
    fn diagonal(&self, _: Side, inner: Vec<f64>) -> Vec<f64> {
        inner.iter().map(|d| self.0 * d).collect()
    }
    fn stretches(&self) -> Option<f64> {
        (self.0 > 0.0).then_some(self.0)
    }
    fn factor(&self) -> Option<f64> {
        Some(self.0)
    }
    fn multiplies(&self, _: Side, inputs: usize) -> Option<Vec<f64>> {
        (self.0 >= 0.0).then(|| vec![self.0.sqrt(); inputs])
    }
    fn log_form(&self) -> Option<LogForm> {
        Some(LogForm::Multiplied)
    }
    fn parameters(&self) -> usize {
        1
    }
    fn gradient(&self, inner: &dyn Bound, weights: &PairWeights, control: &Control) -> Result<Vec<f64>> {
        let mut out = vec![inner_product(inner, weights, control)?];
        if inner.parameters() > 0 {
            out.extend(inner.gradient(weights, control)?.iter().map(|g| self.0 * g));
        }
        Ok(out)
    }
    fn input_weights(&self, _: &dyn Bound, weights: &Matrix, _: &Control) -> Result<Option<Matrix>> {
        Ok(Some(Matrix::from_fn(weights.rows(), weights.cols(), |i, j| self.0 * weights[(i, j)])))
    }
}
