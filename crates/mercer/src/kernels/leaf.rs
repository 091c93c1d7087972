//! Every kernel seen through one object-safe face, so that expressions need no match over the list.

use crate::control::Control;
use crate::data::{Arity, ColumnKind, Dataset, Inputs, RowWeights};
use crate::error::Result;
use crate::expr::{Argument, Term};
use crate::gram::{Bound, Kernel, Leaf, Mercer, Ready, require_fit};
use crate::param::{self, Param, Value};
use std::sync::Arc;

/// What the lists, the help and the docs say of a kernel.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Name in expressions.
    pub name: &'static str,
    /// One sentence.
    pub doc: &'static str,
    /// Where the formula stands.
    pub source: &'static str,
    /// The kind of columns it takes.
    pub takes: &'static str,
    /// Why it is a Mercer kernel; empty where it is not one.
    pub because: &'static str,
    /// Whether it takes columns as they are, not standardised.
    pub as_is: bool,
    /// Parameter records.
    pub params: &'static [Param],
    /// Other names of parameters.
    pub aliases: &'static [param::Alias],
    /// The default of each parameter, as it is written in an expression.
    pub defaults: fn() -> Vec<String>,
}

pub(super) fn entry<K: Kernel>() -> Entry {
    Entry {
        name: K::NAME,
        doc: K::DOC,
        source: K::SOURCE,
        takes: K::Inputs::NEEDS,
        because: K::BECAUSE,
        as_is: K::AS_IS,
        params: K::PARAMS,
        aliases: K::ALIASES,
        defaults: || param::terms(&K::default(), K::PARAMS).into_iter().map(|(_, term)| term.to_string()).collect(),
    }
}

pub(super) fn build<K: Kernel>(args: &[Argument]) -> Result<K> {
    param::build(K::NAME, K::PARAMS, K::ALIASES, args)
}

/// Some columns of a dataset.
pub(super) type Columns<'a> = (&'a Dataset, &'a [usize]);

/// What a kernel learns from some columns.
pub(super) fn learn<K: Kernel>(kernel: &K, (data, columns): Columns<'_>, weights: RowWeights<'_>, control: &Control) -> Result<K::Learnt> {
    let inputs = K::Inputs::gather(data, columns)?;
    require_fit(kernel, inputs.as_ref())?;
    kernel.learn(&inputs, weights, control)
}

/// A kernel on some columns, made ready: the side that stays, its types forgotten.
pub(super) trait Fixed: Send + Sync {
    fn among(&self, control: &Control) -> Result<Box<dyn Bound>>;
    fn cross(&self, new: Columns<'_>, control: &Control) -> Result<Box<dyn Bound>>;
}

impl<K: Kernel> Fixed for Arc<Ready<K>> {
    fn among(&self, _: &Control) -> Result<Box<dyn Bound>> {
        Ok(Box::new(Leaf::among(self)))
    }
    fn cross(&self, (data, columns): Columns<'_>, _: &Control) -> Result<Box<dyn Bound>> {
        Ok(Box::new(Leaf::cross(K::Inputs::gather(data, columns)?.as_ref(), self)?))
    }
}

pub(super) fn fix<K: Kernel>(kernel: &K, learnt: &K::Learnt, (data, columns): Columns<'_>) -> Result<Box<dyn Fixed>> {
    Ok(Box::new(Arc::new(Ready::new(kernel, learnt, K::Inputs::gather(data, columns)?.as_ref())?)))
}

/// A kernel whose type is forgotten.
pub(super) trait AnyKernel {
    fn name(&self) -> &'static str;
    fn takes(&self, kind: ColumnKind) -> bool;
    fn takes_words(&self) -> &'static str;
    fn arity(&self) -> Arity;
    fn as_is(&self) -> bool;
    fn because(&self) -> &'static str;
    fn negative_type(&self) -> Option<&'static str>;
    fn term(&self) -> Term;
    fn values(&self) -> Vec<(&'static Param, Value)>;
    fn has_gradient(&self, name: &str) -> bool;
    fn set(&mut self, name: &str, value: &Value) -> Result<()>;
    fn verdict(&self) -> Mercer;
    fn learns(&self) -> bool;
    /// Numbers per input that the parameters ask for, where one of them is a list.
    fn dim(&self) -> Option<usize>;
    fn settle_on(&mut self, columns: Columns<'_>, weights: RowWeights<'_>) -> Result<()>;
}

impl<K: Kernel> AnyKernel for K {
    fn name(&self) -> &'static str {
        K::NAME
    }
    fn takes(&self, kind: ColumnKind) -> bool {
        K::Inputs::takes(kind)
    }
    fn takes_words(&self) -> &'static str {
        K::Inputs::NEEDS
    }
    fn arity(&self) -> Arity {
        K::Inputs::ARITY
    }
    fn as_is(&self) -> bool {
        K::AS_IS
    }
    fn because(&self) -> &'static str {
        K::BECAUSE
    }
    fn negative_type(&self) -> Option<&'static str> {
        Kernel::negative_type(self)
    }
    fn term(&self) -> Term {
        param::call(K::NAME, self, K::PARAMS)
    }
    fn values(&self) -> Vec<(&'static Param, Value)> {
        param::values(self, K::PARAMS)
    }
    fn has_gradient(&self, name: &str) -> bool {
        K::DIFFERENTIABLE.contains(&name)
    }
    fn set(&mut self, name: &str, value: &Value) -> Result<()> {
        param::set(self, K::NAME, K::PARAMS, name, value)
    }
    fn verdict(&self) -> Mercer {
        self.mercer()
    }
    fn learns(&self) -> bool {
        Kernel::learns(self)
    }
    fn dim(&self) -> Option<usize> {
        let lists = AnyKernel::values(self).into_iter().map(|(_, v)| v.numbers().len());
        lists.max().filter(|n| *n > 1).map(K::dim_for)
    }
    fn settle_on(&mut self, (data, columns): Columns<'_>, weights: RowWeights<'_>) -> Result<()> {
        *self = self.settle(K::Inputs::gather(data, columns)?.as_ref(), weights);
        Ok(())
    }
}
