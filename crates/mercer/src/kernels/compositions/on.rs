//! k of some columns only.

use crate::control::Control;
use crate::data::RowWeights;
use crate::error::{Error, Result};
use crate::expr::{Argument, Term};
use crate::kernels::composition::{Closure, Composed, Composition, Form, Properties};
use crate::kernels::fitted::{Fixed, Scope, foreign};
use crate::kernels::shared::Shared;
use crate::kernels::{FittedKernel, KernelExpr};
use mercer_derive::{Formula, Parameters};
use serde::{Deserialize, Serialize};

/// A kernel on some columns only.
///
/// ```text
/// k of these columns only
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Formula, Parameters)]
#[parameters(none)]
#[serde(deny_unknown_fields)]
pub struct On {
    /// Their names.
    pub columns: Vec<String>,
}

impl Composition for On {
    const FORMS: &'static [Form] = &[Form {
        name: "on",
        also: None,
        form: "on(age, k), on([a, b], k)",
        example: "on([a, b], rbf)",
        doc: Self::FORMULA,
        because: "a Mercer kernel of a part of the input",
    }];
    const SOURCE: &'static str = "Shawe-Taylor & Cristianini, Kernel Methods for Pattern Analysis (2004), Proposition 3.22";
    const IS: Properties = Properties { keeps_features: true, linear: true, keeps_constants: true, ..Properties::PLAIN };
    type Learnt = ();

    /// `on(column, kernel)`, `on(a, b, kernel)` or `on([a, b], kernel)`.
    fn read(_: &str, args: &[Argument], part: &dyn Fn(&Term) -> Result<KernelExpr>) -> Result<Composed<Self>> {
        let fault = || Error::Data("on takes columns and a kernel: on(age, rbf), on([age, \"body mass\"], rbf)".into());
        let (kernel, columns) = args.split_last().ok_or_else(fault)?;
        let mut names = Vec::new();
        for c in columns {
            match &c.term {
                Term::List(list) => names.extend(list.iter().map(|t| t.word().map(str::to_owned))),
                term => names.push(term.word().map(str::to_owned)),
            }
        }
        match names.into_iter().collect::<Option<Vec<String>>>() {
            Some(columns) if !columns.is_empty() && args.iter().all(|a| a.name.is_none()) => {
                Ok(Composed::of(On { columns }, part(&kernel.term)?))
            }
            _ => Err(fault()),
        }
    }
    fn term(&self, parts: Vec<Term>) -> Term {
        let words: Vec<Term> = self.columns.iter().map(|c| Term::Word(c.clone())).collect();
        let columns = if words.len() == 1 { words[0].clone() } else { Term::List(words) };
        let args = std::iter::once(columns).chain(parts).map(|term| Argument { name: None, term });
        Term::Call { name: "on".into(), args: args.collect(), at: 0 }
    }
    fn selected(&self) -> Option<&[String]> {
        Some(&self.columns)
    }
    fn learn(&self, _: &[FittedKernel], _: Scope<'_>, _: RowWeights<'_>, _: &Control) -> Result<()> {
        Ok(())
    }
    /// The part itself, which sees the columns by their names.
    fn fix(&self, _: &Shared<()>, parts: &[FittedKernel], rows: Scope<'_>, control: &Control) -> Result<Box<dyn Fixed>> {
        let [of] = parts else { return Err(foreign()) };
        of.fix(rows, control)
    }
    fn closure(&self) -> Closure {
        Closure::Faithful
    }
}
