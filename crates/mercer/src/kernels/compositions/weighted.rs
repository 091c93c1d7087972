//! f(x) k(x, z) f(z): a kernel weighed by a column of numbers (F24).

use crate::control::Control;
use crate::data::{Dataset, RowWeights};
use crate::error::{Error, Result};
use crate::expr::{Argument, Term};
use crate::gram::{Bound, LogForm, PairWeights, Rewrite, Rewritten, Side, plan_copies};
use crate::kernels::composition::{Closure, Composed, Composition, Form, Properties};
use crate::kernels::fitted::{Fixed, Scope, foreign};
use crate::kernels::shared::Shared;
use crate::kernels::{FittedKernel, KernelExpr};
use crate::linalg::Real;
use mercer_derive::{Formula, Parameters};
use serde::{Deserialize, Serialize};

/// A kernel weighed by a column of numbers.
///
/// ```text
/// f(x) k(x, z) f(z), f the column w of numbers as it is
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Formula, Parameters)]
#[parameters(none)]
#[serde(deny_unknown_fields)]
pub struct Weighted {
    /// Its name.
    pub column: String,
}

impl Composition for Weighted {
    const FORMS: &'static [Form] = &[Form {
        name: "weighted",
        also: None,
        form: "weighted(w, k)",
        example: "weighted(a, rbf)",
        doc: Self::FORMULA,
        because: "f(x) k(x, z) f(z)",
    }];
    const SOURCE: &'static str = "Shawe-Taylor & Cristianini, Kernel Methods for Pattern Analysis (2004), Proposition 3.22";
    const IS: Properties = Properties { keeps_features: true, ..Properties::PLAIN };
    type Learnt = ();

    fn read(_: &str, args: &[Argument], part: &dyn Fn(&Term) -> Result<KernelExpr>) -> Result<Composed<Self>> {
        match args {
            [Argument { name: None, term: column }, Argument { name: None, term: kernel }] if column.word().is_some() => {
                let column = column.word().unwrap_or_default().to_owned();
                Ok(Composed::of(Weighted { column }, part(kernel)?))
            }
            _ => Err(Error::Data("weighted takes a column of numbers and a kernel: weighted(quality, rbf)".into())),
        }
    }
    fn term(&self, parts: Vec<Term>) -> Term {
        let args = std::iter::once(Term::Word(self.column.clone())).chain(parts).map(|term| Argument { name: None, term });
        Term::Call { name: "weighted".into(), args: args.collect(), at: 0 }
    }
    fn column(&self) -> Option<&str> {
        Some(&self.column)
    }
    fn learn(&self, _: &[FittedKernel], _: Scope<'_>, _: RowWeights<'_>, _: &Control) -> Result<()> {
        Ok(())
    }
    fn fix(&self, _: &Shared<()>, parts: &[FittedKernel], rows: Scope<'_>, control: &Control) -> Result<Box<dyn Fixed>> {
        let [of] = parts else { return Err(foreign()) };
        let weights = rows.numbers(&self.column)?.to_vec();
        Ok(Box::new(FixedWeights { column: self.column.clone(), weights, of: of.fix(rows, control)? }))
    }
    fn closure(&self) -> Closure {
        Closure::Faithful
    }
}

/// Rows made ready, and what weighs them.
struct FixedWeights {
    column: String,
    weights: Vec<f64>,
    of: Box<dyn Fixed>,
}

impl Fixed for FixedWeights {
    fn among(&self, control: &Control) -> Result<Box<dyn Bound>> {
        let how = Weights { rows: self.weights.clone(), cols: self.weights.clone() };
        Ok(Box::new(Rewritten::new(self.of.among(control)?, how)))
    }
    fn cross(&self, new: &Dataset, control: &Control) -> Result<Box<dyn Bound>> {
        let rows = Scope::of(new).numbers(&self.column)?.to_vec();
        Ok(Box::new(Rewritten::new(self.of.cross(new, control)?, Weights { rows, cols: self.weights.clone() })))
    }
}

/// f of both batches.
struct Weights {
    rows: Vec<f64>,
    cols: Vec<f64>,
}

impl Rewrite for Weights {
    fn row<T: Real>(&self, i: usize, first: usize, _: bool, values: &mut [T]) {
        for (v, right) in values.iter_mut().zip(&self.cols[first..]) {
            *v = *v * T::from_f64(self.rows[i] * right);
        }
    }
    fn diagonal(&self, side: Side, inner: Vec<f64>) -> Vec<f64> {
        let f = if side == Side::Rows { &self.rows } else { &self.cols };
        inner.iter().zip(f).map(|(d, f)| d * f * f).collect()
    }
    fn multiplies(&self, side: Side, _: usize) -> Option<Vec<f64>> {
        Some(if side == Side::Rows { &self.rows } else { &self.cols }.clone())
    }
    fn log_form(&self) -> Option<LogForm> {
        Some(LogForm::Multiplied)
    }
    fn gradient(&self, inner: &dyn Bound, weights: &PairWeights, control: &Control) -> Result<Vec<f64>> {
        plan_copies(1, weights, control)?;
        inner.gradient(&weights.map(|i, j, w| self.rows[i] * self.cols[j] * w), control)
    }
}
