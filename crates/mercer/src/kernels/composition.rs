//! The trait that every composition implements: a kernel made of kernels.

use super::fitted::{Fixed, Scope};
use super::leaf::Takes;
use super::shared::Shared;
use super::{FittedKernel, KernelExpr, Learnt};
use crate::control::Control;
use crate::data::{Arity, ColumnKind, Dataset, RowWeights};
use crate::error::{Error, Result};
use crate::expr::{Argument, Term};
use crate::gram::Bound;
use crate::notice::Notice;
use crate::param::{self, Alias, NumericSetting, Param, Parameters, Value};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::fmt::Debug;

/// A name of a composition: what is written, and what it means.
#[derive(Clone, Copy, Debug)]
pub struct Form {
    /// The name that is called; empty for signs.
    pub name: &'static str,
    /// Another spelling of it.
    pub also: Option<&'static str>,
    /// How it is written.
    pub form: &'static str,
    /// One that can be computed, on the columns of a table such as `testkit::table`.
    pub example: &'static str,
    /// One sentence.
    pub doc: &'static str,
    /// Why it is a Mercer kernel where [`Composition::closure`] says so: a line of a proof.
    pub because: &'static str,
}

/// What other training rows would change besides through parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Learns {
    /// Nothing.
    Nothing,
    /// Kernel values, by a function of one input and of the other: k(x, z) + f(x) + f(z).
    Shifts,
    /// Kernel values.
    Values,
}

/// What holds for a composition whatever its parts.
#[derive(Clone, Copy, Debug)]
pub struct Properties {
    /// What its kernel values take from the training rows, not counting its parts.
    pub learns: Learns,
    /// Whether a prediction compares a new row with every training row, all of which must then stand along the columns.
    pub needs_training_rows: bool,
    /// Whether its parts compare other rows than these: they may not be kernels that need the training rows.
    pub other_rows: bool,
    /// Whether its gradient goes through to the parameters of its parts.
    pub smooth: bool,
    /// Whether it is a sum of multiples of its parts.
    pub linear: bool,
    /// Whether it is of few features where its parts are: those of them side by side, each times a number for each input.
    pub keeps_features: bool,
    /// Whether it has one value for all pairs where each of its parts has.
    pub keeps_constants: bool,
    /// Whether its parts take columns of numbers as they are: what it makes of them loses its meaning when they are standardised.
    pub as_is: bool,
}

impl Properties {
    /// A smooth function of kernel values that learns nothing.
    pub const PLAIN: Properties = Properties {
        learns: Learns::Nothing,
        needs_training_rows: false,
        other_rows: false,
        smooth: true,
        linear: false,
        keeps_features: false,
        keeps_constants: false,
        as_is: false,
    };
}

/// When a composition is a Mercer kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Closure {
    /// Where its parts are.
    OfMercer,
    /// Where its parts are, and only there.
    Faithful,
    /// Where its part is, or is of negative type; what is to be said of it.
    OfNegativeType(&'static str),
    /// Whatever its parts.
    Always,
    /// Not where its parts are, for the reason named.
    Never(String),
}

/// A way of making a composite kernel. Its fields are its parameters, which are written behind the kernel; its parts stand beside it in [`Composed`].
pub trait Composition: Parameters + Clone + Debug + Default + PartialEq + Serialize + DeserializeOwned + Send + Sync + 'static {
    /// What it is called: one form for most.
    const FORMS: &'static [Form];
    /// Where it stands: author, work, year, equation.
    const SOURCE: &'static str;
    /// Other names that users bring from elsewhere.
    const ALIASES: &'static [Alias] = &[];
    /// The parameters that the gradient of what it binds knows, before those of its parts.
    const DIFFERENTIABLE: &'static [&'static str] = &[];
    /// What holds of it.
    const IS: Properties = Properties::PLAIN;
    /// What is learnt from the training rows besides parameters; `()` for most.
    type Learnt: Clone + Debug + PartialEq + Serialize + DeserializeOwned + Send + Sync + 'static;

    /// Which of its forms it has.
    fn form(&self) -> &'static Form {
        &Self::FORMS[0]
    }
    /// The one with this name at its defaults.
    fn called(_name: &str) -> Self {
        Self::default()
    }
    /// Reads the arguments of a call: one kernel, then parameters.
    ///
    /// # Errors
    /// Arguments that are none.
    fn read(name: &str, args: &[Argument], part: &dyn Fn(&Term) -> Result<KernelExpr>) -> Result<Composed<Self>> {
        match args {
            [Argument { name: None, term }, rest @ ..] if rest.is_empty() || !Self::default().records().is_empty() => {
                let mut how = Self::called(name);
                param::fill(&mut how, name, Self::ALIASES, rest)?;
                Ok(Composed { how, of: vec![part(term)?] })
            }
            _ => {
                let example = Self::FORMS.iter().find(|f| f.name == name).map_or("", |f| f.example);
                Err(Error::Data(format!("{name} takes one kernel: {example}")))
            }
        }
    }
    /// How it is printed: its name, its parts, what is not at its default.
    fn term(&self, parts: Vec<Term>) -> Term {
        let name = self.form().name;
        let given = param::given(&Self::called(name), self);
        let args = parts.into_iter().map(|term| Argument { name: None, term }).chain(given).collect();
        Term::Call { name: name.to_owned(), args, at: 0 }
    }
    /// The columns that its parts are pointed at.
    fn selected(&self) -> Option<&[String]> {
        None
    }
    /// A column of numbers that it takes itself, as it is.
    fn column(&self) -> Option<&str> {
        None
    }
    /// The kind of the one column that it takes instead of its parts, and that in words.
    fn takes() -> Option<(ColumnKind, &'static str)> {
        None
    }
    /// The rows that its parts compare and how often each counts, where they are not these.
    ///
    /// # Errors
    /// Columns of which there are none.
    fn inner(&self, _rows: Scope<'_>, _weights: RowWeights<'_>) -> Result<Option<(Dataset, Vec<f64>)>> {
        Ok(None)
    }
    /// Replaces what is `auto` by what the rows suggest, and a range by its point nearest to that.
    ///
    /// # Errors
    /// Rows that do not determine it.
    fn settle(&self, _rows: Scope<'_>) -> Result<Self> {
        Ok(self.clone())
    }
    /// Learns from the training rows, counted by weight. Parameters are settled, parts have learnt.
    ///
    /// # Errors
    /// Rows from which nothing can be learnt; bounds of `control`.
    fn learn(&self, parts: &[FittedKernel], rows: Scope<'_>, weights: RowWeights<'_>, control: &Control) -> Result<Self::Learnt>;
    /// Makes rows ready that new rows are compared with: its parts do, and [`Composition::compose`] is asked for each comparison.
    ///
    /// # Errors
    /// Rows that cannot be prepared.
    fn fix(&self, learnt: &Shared<Self::Learnt>, parts: &[FittedKernel], rows: Scope<'_>, control: &Control) -> Result<Box<dyn Fixed>> {
        // Lazy features do not stay lazy beside other parts or times other values.
        let rows = Scope { multiplied: false, ..rows };
        let of = parts.iter().map(|p| p.fix(rows, control)).collect::<Result<_>>()?;
        Ok(Box::new(FixedParts { how: self.clone(), learnt: learnt.clone(), of }))
    }
    /// The Gram matrix made of those of its parts; of no use where [`Composition::fix`] is its own.
    ///
    /// # Errors
    /// Something learnt that is not of this kernel, as only a damaged file has it; bounds of `control`.
    fn compose(&self, _learnt: &Self::Learnt, of: Vec<Box<dyn Bound>>, _control: &Control) -> Result<Box<dyn Bound>> {
        one(of)
    }
    /// When it is a Mercer kernel, for the values that its parameters have or may be searched over.
    fn closure(&self) -> Closure;
    /// Features that it is an inner product of, where they are few by construction, from those of its parts; for so many training
    /// rows.
    fn rank(&self, parts: &[Option<usize>], _rows: usize) -> Option<usize> {
        parts.iter().copied().sum::<Option<usize>>().filter(|_| Self::IS.keeps_features)
    }
    /// Operations of one of its values, from those of its parts, for such rows.
    fn per_value(&self, parts: &[f64], _rows: Scope<'_>) -> f64 {
        // Operations with the value of a part: a factor, a sum.
        const PER_PART: f64 = 2.0;
        parts.iter().map(|part| part + PER_PART).sum()
    }
    /// What the user should know of what was learnt.
    fn notice(&self, _learnt: &Self::Learnt) -> Option<Notice> {
        None
    }
    /// Whether it is 0 for every pair of inputs.
    fn is_zero(&self, parts: &[KernelExpr]) -> bool {
        parts.first().is_some_and(KernelExpr::is_zero)
    }
}

/// A composition with its parts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Composed<C> {
    /// What is made of them.
    pub how: C,
    /// Its parts.
    pub of: Vec<KernelExpr>,
}

impl<C> Composed<C> {
    /// Of one kernel.
    pub fn of(how: C, kernel: KernelExpr) -> Self {
        Composed { how, of: vec![kernel] }
    }
}

/// The one thing of a composition of one part.
///
/// # Errors
/// Another number of them, as only a damaged file has it.
pub(super) fn one<T>(mut all: Vec<T>) -> Result<T> {
    match (all.pop(), all.len()) {
        (Some(one), 0) => Ok(one),
        (_, rest) => Err(Error::Data(format!("a composition of one kernel cannot be bound to {}", rest + 1))),
    }
}

/// What a composition and its parts have learnt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Own<L> {
    own: Shared<L>,
    parts: Vec<Learnt>,
}

/// The rows and columns that the parts of a composition see.
fn narrowed<C: Composition>(kernel: &Composed<C>, rows: Scope<'_>) -> Result<Option<Vec<String>>> {
    match C::takes() {
        Some(_) => rows.names(kernel).map(Some),
        None => Ok(kernel.how.selected().map(<[String]>::to_vec)),
    }
}

pub(super) fn learn<C: Composition>(
    kernel: &Composed<C>,
    rows: Scope<'_>,
    weights: RowWeights<'_>,
    control: &Control,
) -> Result<Own<C::Learnt>> {
    let name = kernel.name();
    param::require_settled(&kernel.how, name)?;
    if let Some(part) = kernel.of.iter().find(|p| C::IS.other_rows && p.needs_training_rows()) {
        let why = format!("{part} is a kernel of training rows, and {name} compares others with it; write it around {name}");
        return Err(Error::Setting { name: name.into(), why });
    }
    let selected = narrowed(kernel, rows)?;
    let rows = rows.narrowed(selected.as_deref());
    let inner = kernel.how.inner(rows, weights)?;
    let (theirs, counted) = inner.as_ref().map_or((rows, weights), |(data, w)| (Scope::of(data), RowWeights::from(Some(w.as_slice()))));
    let parts: Vec<FittedKernel> = kernel.of.iter().map(|p| p.learn_on(theirs, counted, control)).collect::<Result<_>>()?;
    let own = kernel.how.learn(&parts, rows, weights, control)?;
    Ok(Own { own: own.into(), parts: parts.into_iter().map(FittedKernel::into_learnt).collect() })
}

pub(super) fn fix<C: Composition>(
    kernel: &Composed<C>,
    learnt: &Own<C::Learnt>,
    rows: Scope<'_>,
    control: &Control,
) -> Result<Box<dyn Fixed>> {
    Error::unless_equal("parts that have learnt", kernel.of.len(), learnt.parts.len())?;
    if kernel.of.is_empty() {
        return Err(Error::Data("a sum or a product of no kernels cannot be bound".into()));
    }
    let selected = narrowed(kernel, rows)?;
    let parts: Vec<FittedKernel> = kernel.of.iter().zip(&learnt.parts).map(|(p, l)| FittedKernel::new(p.clone(), l.clone())).collect();
    kernel.how.fix(&learnt.own, &parts, rows.narrowed(selected.as_deref()), control)
}

/// What there is to say of what was learnt.
pub(super) fn notices<C: Composition>(kernel: &Composed<C>, learnt: &Own<C::Learnt>) -> Vec<Notice> {
    let parts = kernel.of.iter().zip(&learnt.parts).flat_map(|(p, l)| p.notices_of(l));
    kernel.how.notice(&learnt.own).into_iter().chain(parts).collect()
}

pub(super) fn settle<C: Composition>(kernel: &mut Composed<C>, rows: Scope<'_>, weights: RowWeights<'_>) -> Result<()> {
    let selected = narrowed(kernel, rows)?;
    let rows = rows.narrowed(selected.as_deref());
    kernel.how = kernel.how.settle(rows)?;
    match kernel.how.inner(rows, weights)? {
        None => kernel.of.iter_mut().try_for_each(|p| p.settle_on(rows, weights)),
        Some((data, w)) => kernel.of.iter_mut().try_for_each(|p| p.settle_on(Scope::of(&data), RowWeights::from(Some(w.as_slice())))),
    }
}

/// Rows made ready by the parts of a composition.
struct FixedParts<C: Composition> {
    how: C,
    learnt: Shared<C::Learnt>,
    of: Vec<Box<dyn Fixed>>,
}

impl<C: Composition> Fixed for FixedParts<C> {
    fn among(&self, control: &Control) -> Result<Box<dyn Bound>> {
        self.how.compose(&self.learnt, self.of.iter().map(|p| p.among(control)).collect::<Result<_>>()?, control)
    }
    fn cross(&self, new: &Dataset, control: &Control) -> Result<Box<dyn Bound>> {
        self.how.compose(&self.learnt, self.of.iter().map(|p| p.cross(new, control)).collect::<Result<_>>()?, control)
    }
}

/// A composition whose type is forgotten.
pub(super) trait AnyComposition: Takes {
    fn form(&self) -> &'static Form;
    fn is(&self) -> Properties;
    fn parts(&self) -> &[KernelExpr];
    fn parts_mut(&mut self) -> &mut [KernelExpr];
    fn selected(&self) -> Option<&[String]>;
    fn column(&self) -> Option<&str>;
    fn takes_itself(&self) -> bool;
    fn values(&self) -> Vec<NumericSetting>;
    fn has_gradient(&self, name: &str) -> bool;
    fn set(&mut self, name: &str, value: &Value) -> Result<()>;
    fn settle_on(&mut self, rows: Scope<'_>, weights: RowWeights<'_>) -> Result<()>;
    fn closure(&self) -> Closure;
    fn is_zero(&self) -> bool;
    /// `rows` is one row of so many as `count`.
    fn rank(&self, rows: Scope<'_>, count: usize) -> Option<usize>;
    /// Numbers that are not 0 among its features of such rows, where some part has sparse ones.
    fn stored(&self, rows: Scope<'_>) -> Option<usize>;
    /// Operations of one kernel value of such rows.
    fn per_value(&self, rows: Scope<'_>) -> Option<f64>;
}

impl<C: Composition> AnyComposition for Composed<C> {
    fn form(&self) -> &'static Form {
        self.how.form()
    }
    fn is(&self) -> Properties {
        C::IS
    }
    fn parts(&self) -> &[KernelExpr] {
        &self.of
    }
    fn parts_mut(&mut self) -> &mut [KernelExpr] {
        &mut self.of
    }
    fn selected(&self) -> Option<&[String]> {
        self.how.selected()
    }
    fn column(&self) -> Option<&str> {
        self.how.column()
    }
    fn takes_itself(&self) -> bool {
        C::takes().is_some()
    }
    fn values(&self) -> Vec<NumericSetting> {
        param::numbers(&self.how)
    }
    fn has_gradient(&self, name: &str) -> bool {
        C::DIFFERENTIABLE.contains(&name)
    }
    fn set(&mut self, name: &str, value: &Value) -> Result<()> {
        let owner = self.name();
        param::set(&mut self.how, owner, name, value)
    }
    fn settle_on(&mut self, rows: Scope<'_>, weights: RowWeights<'_>) -> Result<()> {
        settle(self, rows, weights)
    }
    fn closure(&self) -> Closure {
        self.how.closure()
    }
    fn is_zero(&self) -> bool {
        self.how.is_zero(&self.of)
    }
    fn rank(&self, rows: Scope<'_>, count: usize) -> Option<usize> {
        let selected = narrowed(self, rows).ok()?;
        let rows = rows.narrowed(selected.as_deref());
        let inner = self.how.inner(rows, RowWeights::from(None)).ok()?;
        let theirs = inner.as_ref().map_or(rows, |(data, _)| Scope::of(data));
        let parts: Vec<Option<usize>> = self.of.iter().map(|p| p.rank_on(theirs, count)).collect();
        self.how.rank(&parts, count)
    }
    fn stored(&self, rows: Scope<'_>) -> Option<usize> {
        let selected = narrowed(self, rows).ok().filter(|_| C::IS.keeps_features)?;
        let rows = rows.narrowed(selected.as_deref());
        let all = rows.data.rows();
        self.of.iter().map(|p| p.stored_on(rows).or_else(|| p.rank_on(rows, all).map(|rank| rank * all))).sum()
    }
    fn per_value(&self, rows: Scope<'_>) -> Option<f64> {
        let selected = narrowed(self, rows).ok()?;
        let rows = rows.narrowed(selected.as_deref());
        let inner = self.how.inner(rows, RowWeights::from(None)).ok()?;
        let theirs = inner.as_ref().map_or(rows, |(data, _)| Scope::of(data));
        let parts: Vec<f64> = self.of.iter().map(|p| p.per_value_on(theirs)).collect::<Option<_>>()?;
        Some(self.how.per_value(&parts, rows))
    }
}

impl<C: Composition> Takes for Composed<C> {
    fn name(&self) -> &'static str {
        let name = self.how.form().name;
        if name.is_empty() { "kernel" } else { name }
    }
    fn takes(&self, kind: ColumnKind) -> bool {
        C::takes().is_some_and(|(taken, _)| taken == kind)
    }
    fn takes_words(&self) -> &'static str {
        C::takes().map_or("", |(_, words)| words)
    }
    fn arity(&self) -> Arity {
        Arity::One
    }
    fn as_is(&self) -> bool {
        self.of.iter().any(|p| p.has_leaf(&|k| k.as_is()))
    }
    fn dim(&self) -> Option<usize> {
        None
    }
    fn term(&self) -> Term {
        self.how.term(self.of.iter().map(KernelExpr::term).collect())
    }
}

/// What the lists, the help and the docs say of a composition.
#[derive(Clone, Copy, Debug)]
pub struct CompositionEntry {
    /// Its name and form.
    pub form: Form,
    /// Where it stands.
    pub source: &'static str,
    /// Parameter records.
    pub params: &'static [Param],
    /// Other names of parameters.
    pub aliases: &'static [Alias],
}

pub(super) fn entries<C: Composition>() -> impl Iterator<Item = CompositionEntry> {
    let params = C::default().records();
    C::FORMS.iter().map(move |form| CompositionEntry { form: *form, source: C::SOURCE, params, aliases: C::ALIASES })
}

/// The composition of this name with these arguments; `None` if it is another.
pub(super) fn call<C: Composition>(
    name: &str,
    args: &[Argument],
    part: &dyn Fn(&Term) -> Result<KernelExpr>,
) -> Option<Result<Composed<C>>> {
    let form = C::FORMS.iter().find(|f| !f.name.is_empty() && (f.name == name || f.also == Some(name)))?;
    Some(C::read(form.name, args, part))
}

/// The forms that take a column instead of their part and learn nothing, made of a kernel.
pub(super) fn of_columns<C: Composition>(part: &KernelExpr) -> impl Iterator<Item = Composed<C>> {
    C::FORMS
        .iter()
        .filter(|_| C::takes().is_some() && C::IS.learns == Learns::Nothing)
        .map(|form| Composed::of(C::called(form.name), part.clone()))
}
