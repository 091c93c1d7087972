//! k1 + k2 + ...: features side by side (F24).

use crate::control::Control;
use crate::data::RowWeights;
use crate::error::Result;
use crate::expr::Term;
use crate::gram::{self, Bound};
use crate::kernels::composition::{Closure, Composition, Form, Properties};
use crate::kernels::fitted::Scope;
use crate::kernels::{FittedKernel, KernelExpr};
use mercer_derive::{Formula, Parameters};
use serde::{Deserialize, Serialize};

/// The sum of kernels.
///
/// ```text
/// features side by side; a number among the terms is a constant kernel
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Formula, Parameters)]
#[serde(deny_unknown_fields)]
pub struct Sum {}

impl Composition for Sum {
    const FORMS: &'static [Form] = &[Form {
        name: "",
        also: None,
        form: "k1 + k2",
        example: "rbf + linear",
        doc: Self::FORMULA,
        because: "a sum of Mercer kernels: features side by side",
    }];
    const SOURCE: &'static str = "Shawe-Taylor & Cristianini, Kernel Methods for Pattern Analysis (2004), Proposition 3.22";
    const IS: Properties = Properties { keeps_features: true, linear: true, keeps_constants: true, ..Properties::PLAIN };
    type Learnt = ();

    fn term(&self, parts: Vec<Term>) -> Term {
        Term::Sum(parts)
    }
    fn learn(&self, _: &[FittedKernel], _: Scope<'_>, _: RowWeights<'_>, _: &Control) -> Result<()> {
        Ok(())
    }
    fn compose(&self, (): &(), of: Vec<Box<dyn Bound>>, _: &Control) -> Result<Box<dyn Bound>> {
        Ok(Box::new(gram::Sum(of)))
    }
    fn closure(&self) -> Closure {
        Closure::OfMercer
    }
    fn is_zero(&self, parts: &[KernelExpr]) -> bool {
        !parts.is_empty() && parts.iter().all(KernelExpr::is_zero)
    }
}
