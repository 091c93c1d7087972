//! Every kernel seen through one object-safe face, so that expressions need no match over the list.

use super::fitted::{Fixed, Scope};
use super::shared::Shared;
use super::uses::wrong_kind;
use crate::control::Control;
use crate::data::{Arity, Column, ColumnKind, Dataset, Inputs, Points, RowWeights, Values};
use crate::error::{Error, Result};
use crate::expr::{Argument, Term};
use crate::gram::{Bound, Coordinates, Kernel, Leaf, Mercer, Ready, Spectral, require_fit};
use crate::param::{self, NumericSetting, Param, Value};
use std::sync::Arc;

/// What the lists, the help and the docs say of a kernel.
#[derive(Clone, Copy, Debug)]
pub struct KernelEntry {
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
    pub(super) defaults: Defaults,
}

/// The default of each parameter, as it is written in an expression.
#[derive(Clone, Copy, Debug)]
pub(super) enum Defaults {
    /// Those of a type.
    Of(fn() -> Vec<String>),
    /// Those of a function that the program has registered.
    Listed(&'static [&'static str]),
}

impl KernelEntry {
    /// The default of each parameter, as it is written in an expression.
    pub fn defaults(&self) -> Vec<String> {
        match self.defaults {
            Defaults::Of(defaults) => defaults(),
            Defaults::Listed(all) => all.iter().map(|text| (*text).to_owned()).collect(),
        }
    }
}

pub(super) fn entry<K: Kernel>() -> KernelEntry {
    KernelEntry {
        name: K::NAME,
        doc: K::DOC,
        source: K::SOURCE,
        takes: K::Inputs::NEEDS,
        because: K::BECAUSE,
        as_is: K::AS_IS,
        params: K::default().records(),
        aliases: K::ALIASES,
        defaults: Defaults::Of(|| param::written(&K::default())),
    }
}

pub(super) fn build<K: Kernel>(args: &[Argument]) -> Result<K> {
    param::build(K::NAME, K::ALIASES, args)
}

/// What a kernel learns from the rows that it sees.
pub(super) fn learn<K: Kernel>(kernel: &K, rows: Scope<'_>, weights: RowWeights<'_>, control: &Control) -> Result<Shared<K::Learnt>> {
    let inputs = rows.gather::<K::Inputs>(kernel)?;
    require_fit(kernel, inputs.as_ref())?;
    kernel.learn(&inputs, weights, control).map(Shared::from)
}

/// Rows made ready for a kernel of the list, and the columns of them that it takes.
struct FixedLeaf<K: Kernel> {
    kernel: K,
    ready: Arc<Ready<K>>,
    columns: Vec<Taken>,
}

/// A column that a kernel takes: new rows have it by the same name, with as many numbers.
pub(super) struct Taken {
    name: String,
    place: usize,
    width: usize,
}

impl Taken {
    pub(super) fn of(data: &Dataset, place: usize) -> Self {
        let column = &data.columns()[place];
        Taken { name: column.name.clone(), place, width: width(column) }
    }

    /// Its place among the columns of new rows: the same one as a rule.
    pub(super) fn place(&self, new: &Dataset) -> Result<usize> {
        let same = new.columns().get(self.place).is_some_and(|c| c.name == self.name);
        let place = if same { self.place } else { new.position(&self.name)? };
        let column = &new.columns()[place];
        if !column.values.is_empty() {
            Error::unless_equal(&format!("numbers per row of column '{}'", self.name), self.width, width(column))?;
        }
        Ok(place)
    }
}

/// Numbers that a cell is made of, where it is made of numbers.
fn width(column: &Column) -> usize {
    match &column.values {
        Values::Numbers(_) => 1,
        other => other.vectors().map_or(0, Points::dim),
    }
}

impl<K: Kernel> Fixed for FixedLeaf<K> {
    fn among(&self, control: &Control) -> Result<Box<dyn Bound>> {
        Ok(Box::new(Leaf::among(&self.ready, control)))
    }
    fn cross(&self, new: &Dataset, control: &Control) -> Result<Box<dyn Bound>> {
        let columns: Vec<usize> = self.columns.iter().map(|column| column.place(new)).collect::<Result<_>>()?;
        let kind = |c: usize| new.columns()[c].values.kind();
        if let Some(&c) = columns.iter().find(|&&c| !Takes::takes(&self.kernel, kind(c))) {
            return Err(wrong_kind(&self.kernel, &new.columns()[c].name, kind(c)));
        }
        Ok(Box::new(Leaf::cross(K::Inputs::gather(new, &columns)?.as_ref(), &self.ready, control)?))
    }
}

pub(super) fn fix<K: Kernel>(kernel: &K, learnt: &Shared<K::Learnt>, rows: Scope<'_>, control: &Control) -> Result<Box<dyn Fixed>> {
    let places = rows.columns(kernel)?;
    let inputs = K::Inputs::gather(rows.data, &places)?;
    let ready = Arc::new(Ready::new(kernel, learnt.arc(), (inputs.as_ref(), Coordinates::of(rows.data, &places)), control)?);
    let columns = places.into_iter().map(|place| Taken::of(rows.data, place)).collect();
    Ok(Box::new(FixedLeaf { kernel: kernel.clone(), ready, columns }))
}

/// What takes columns: a kernel of the list, or a composition that takes a column instead of its parts.
pub(super) trait Takes {
    fn name(&self) -> &'static str;
    fn takes(&self, kind: ColumnKind) -> bool;
    fn takes_words(&self) -> &'static str;
    fn arity(&self) -> Arity;
    fn as_is(&self) -> bool;
    /// Numbers per input that the parameters ask for, where one of them is a list.
    fn dim(&self) -> Option<usize>;
    fn term(&self) -> Term;
}

impl<K: Kernel> Takes for K {
    fn name(&self) -> &'static str {
        K::NAME
    }
    fn takes(&self, kind: ColumnKind) -> bool {
        (self.column_needs().takes)(kind)
    }
    fn takes_words(&self) -> &'static str {
        self.column_needs().words
    }
    fn arity(&self) -> Arity {
        self.column_needs().arity
    }
    fn as_is(&self) -> bool {
        self.column_needs().as_is
    }
    fn dim(&self) -> Option<usize> {
        let lists = AnyKernel::values(self).into_iter().map(|setting| setting.value.numbers().len());
        lists.max().filter(|n| *n > 1).map(K::dim_for)
    }
    fn term(&self) -> Term {
        param::call(K::NAME, self)
    }
}

/// A kernel whose type is forgotten.
pub(super) trait AnyKernel: Takes {
    fn because(&self) -> &'static str;
    fn negative_type(&self) -> Option<&'static str>;
    fn values(&self) -> Vec<NumericSetting>;
    fn has_gradient(&self, path: &str) -> bool;
    fn set(&mut self, path: &str, value: &Value) -> Result<()>;
    fn verdict(&self) -> Mercer;
    fn learns(&self) -> bool;
    /// Features that it is an inner product of on such columns, where they are few by construction.
    fn rank(&self, rows: Scope<'_>) -> Option<usize>;
    /// Numbers that are not 0 among all its features of such rows, where they are sparse.
    fn stored(&self, rows: Scope<'_>) -> Option<usize>;
    /// Operations of one kernel value of such rows.
    fn per_value(&self, rows: Scope<'_>) -> Option<f64>;
    fn spectral(&self) -> Option<(Spectral, Vec<f64>)>;
    /// Whether its features are counts, none below 0.
    fn has_counts(&self) -> bool {
        false
    }
    fn settle_on(&mut self, rows: Scope<'_>, weights: RowWeights<'_>) -> Result<()>;
    /// Whether all of its values are computed where it is bound, and none later.
    fn computes_whole_matrices(&self) -> bool {
        false
    }
}

impl<K: Kernel> AnyKernel for K {
    fn because(&self) -> &'static str {
        K::BECAUSE
    }
    fn negative_type(&self) -> Option<&'static str> {
        Kernel::negative_type(self)
    }
    fn values(&self) -> Vec<NumericSetting> {
        param::numbers(self)
    }
    fn has_gradient(&self, path: &str) -> bool {
        K::DIFFERENTIABLE.contains(&path)
    }
    fn set(&mut self, path: &str, value: &Value) -> Result<()> {
        param::set_at(self, K::NAME, path, value)
    }
    fn verdict(&self) -> Mercer {
        self.mercer()
    }
    fn learns(&self) -> bool {
        Kernel::learns(self)
    }
    fn rank(&self, rows: Scope<'_>) -> Option<usize> {
        Kernel::rank(self, rows.gather::<K::Inputs>(self).ok()?.as_ref())
    }
    fn stored(&self, rows: Scope<'_>) -> Option<usize> {
        Kernel::stored(self, rows.gather::<K::Inputs>(self).ok()?.as_ref())
    }
    fn per_value(&self, rows: Scope<'_>) -> Option<f64> {
        Some(Kernel::per_value(self, rows.gather::<K::Inputs>(self).ok()?.as_ref()))
    }
    fn spectral(&self) -> Option<(Spectral, Vec<f64>)> {
        Kernel::spectral(self)
    }
    /// What is not settled yet is taken at its default.
    fn has_counts(&self) -> bool {
        let is_open = param::require_settled(self, K::NAME).is_err();
        Kernel::has_counts(self) || is_open && Kernel::has_counts(&K::default())
    }
    fn settle_on(&mut self, rows: Scope<'_>, weights: RowWeights<'_>) -> Result<()> {
        let inputs = rows.gather::<K::Inputs>(self)?;
        param::settle_from_defaults(self, &K::default());
        *self = self.settle(inputs.as_ref(), weights);
        Ok(())
    }
}
