//! k1 * k2 * ...: products of features (F24).

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

/// The product of kernels.
///
/// ```text
/// products of features
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Formula, Parameters)]
#[serde(deny_unknown_fields)]
pub struct Product {}

impl Composition for Product {
    const FORMS: &'static [Form] = &[Form {
        name: "",
        also: None,
        form: "k1*k2",
        example: "rbf*equal",
        doc: Self::FORMULA,
        because: "a product of Mercer kernels: products of features (Schur)",
    }];
    const SOURCE: &'static str = "Shawe-Taylor & Cristianini, Kernel Methods for Pattern Analysis (2004), Proposition 3.22";
    const IS: Properties = Properties { keeps_constants: true, ..Properties::PLAIN };
    type Learnt = ();

    fn term(&self, parts: Vec<Term>) -> Term {
        Term::Product(parts)
    }
    fn learn(&self, _: &[FittedKernel], _: Scope<'_>, _: RowWeights<'_>, _: &Control) -> Result<()> {
        Ok(())
    }
    fn compose(&self, (): &(), of: Vec<Box<dyn Bound>>, _: &Control) -> Result<Box<dyn Bound>> {
        Ok(Box::new(gram::Product(of)))
    }
    fn closure(&self) -> Closure {
        Closure::OfMercer
    }
    fn is_zero(&self, parts: &[KernelExpr]) -> bool {
        parts.iter().any(KernelExpr::is_zero)
    }
}
