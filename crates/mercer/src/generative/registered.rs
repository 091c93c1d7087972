//! Generative models that a program brings along. Once registered, one is a part of kernels, searches and models of that program, as
//! those of the list are.

use super::any::{self, DynDistribution, DynModel};
use super::expression::{self, GenerativeEntry};
use super::{FittedDistribution, FittedGenerative, GenerativeExpr, GenerativeModel, listed};
use crate::control::Control;
use crate::data::{Dataset, RowWeights};
use crate::error::Result;
use crate::expr::Argument;
use crate::param::named::{Registry, stored_by_name};
use serde_json::Value;
use std::any::{Any, TypeId};
use std::fmt;
use std::marker::PhantomData;

/// Makes a generative model a part of every expression that this program reads from now on. Registering it again changes nothing.
///
/// A file with such a model is loaded only by a program that has registered it.
///
/// # Errors
/// A name that another generative model has, or that no expression can have.
pub fn register<M: GenerativeModel>() -> Result<()> {
    add::<M>(Some(expression::entry::<M>()))
}

/// Registers a generative model that the catalogue does not name: expressions and files have it, help and lists do not.
///
/// # Errors
/// As [`register`].
pub fn register_unlisted<M: GenerativeModel>() -> Result<()> {
    add::<M>(None)
}

fn add<M: GenerativeModel>(entry: Option<GenerativeEntry>) -> Result<()> {
    let is_listed = listed().iter().any(|entry| entry.name == M::NAME);
    let maker = Of::<M> { entry, of: PhantomData };
    MAKERS.add(M::NAME, TypeId::of::<M>(), is_listed.then_some("a generative model"), Box::leak(Box::new(maker)))
}

/// A generative model that this program has registered, with its parameters.
pub struct RegisteredModel(Box<dyn RegisteredAny>);

/// The fit of such a model.
pub struct RegisteredDistribution(Box<dyn RegisteredFitted>);

/// Generative models that are registered.
static MAKERS: Registry<dyn Maker> = Registry::new("generative model");

/// Makes models of one type.
trait Maker: Send + Sync {
    /// What the catalogue says of them, where it lists them.
    fn entry(&self) -> Option<GenerativeEntry>;
    fn build(&self, args: &[Argument]) -> Result<RegisteredModel>;
    fn stored(&self, parameters: Value) -> serde_json::Result<RegisteredModel>;
    fn fitted(&self, value: Value) -> serde_json::Result<RegisteredDistribution>;
}

/// The models of a type.
struct Of<M> {
    entry: Option<GenerativeEntry>,
    of: PhantomData<fn() -> M>,
}

impl<M: GenerativeModel> Maker for Of<M> {
    fn entry(&self) -> Option<GenerativeEntry> {
        self.entry
    }
    fn build(&self, args: &[Argument]) -> Result<RegisteredModel> {
        Ok(RegisteredModel(Box::new(expression::build::<M>(args)?)))
    }
    fn stored(&self, parameters: Value) -> serde_json::Result<RegisteredModel> {
        Ok(RegisteredModel(Box::new(serde_json::from_value::<M>(parameters)?)))
    }
    fn fitted(&self, value: Value) -> serde_json::Result<RegisteredDistribution> {
        Ok(RegisteredDistribution(Box::new(FittedBy::<M>(serde_json::from_value(value)?))))
    }
}

/// What the lists say of those that are registered.
pub(super) fn entries() -> Vec<GenerativeEntry> {
    MAKERS.all().into_iter().filter_map(|(_, maker)| maker.entry()).collect()
}

/// The model of this name with these arguments; `None` if none is registered.
pub(super) fn call(name: &str, args: &[Argument]) -> Option<Result<RegisteredModel>> {
    MAKERS.get(name).map(|maker| maker.build(args))
}

/// A model whose type is forgotten, and that can be copied, fitted and stored all the same.
trait RegisteredAny: DynModel + Send + Sync {
    fn model(&self) -> &(dyn DynModel + 'static);
    fn model_mut(&mut self) -> &mut (dyn DynModel + 'static);
    fn copy(&self) -> Box<dyn RegisteredAny>;
    fn owner(&self) -> &'static str;
    fn value(&self) -> serde_json::Result<Value>;
    fn is(&self, other: &dyn RegisteredAny) -> bool;
    fn tell(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result;
    fn fit(&self, rows: &Dataset, weights: RowWeights<'_>, seed: u64, control: &Control) -> Result<RegisteredDistribution>;
    fn fit_class(
        &self,
        rows: &Dataset,
        weights: RowWeights<'_>,
        all: (&Dataset, RowWeights<'_>),
        seed: u64,
        control: &Control,
    ) -> Result<RegisteredDistribution>;
    fn fit_like(&self, rows: &Dataset, pooled: &RegisteredDistribution, seed: u64, control: &Control) -> Result<RegisteredDistribution>;
}

impl<M: GenerativeModel> RegisteredAny for M {
    fn model(&self) -> &(dyn DynModel + 'static) {
        self
    }
    fn model_mut(&mut self) -> &mut (dyn DynModel + 'static) {
        self
    }
    fn copy(&self) -> Box<dyn RegisteredAny> {
        Box::new(self.clone())
    }
    fn owner(&self) -> &'static str {
        M::NAME
    }
    fn value(&self) -> serde_json::Result<Value> {
        serde_json::to_value(self)
    }
    fn is(&self, other: &dyn RegisteredAny) -> bool {
        DynModel::term(self) == other.model().term()
    }
    fn tell(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", DynModel::term(self))
    }
    fn fit(&self, rows: &Dataset, weights: RowWeights<'_>, seed: u64, control: &Control) -> Result<RegisteredDistribution> {
        any::fit(self, rows, weights, seed, control).map(|fitted| RegisteredDistribution(Box::new(FittedBy::<M>(fitted))))
    }
    fn fit_class(
        &self,
        rows: &Dataset,
        weights: RowWeights<'_>,
        all: (&Dataset, RowWeights<'_>),
        seed: u64,
        control: &Control,
    ) -> Result<RegisteredDistribution> {
        any::fit_class(self, rows, weights, all, seed, control).map(|fitted| RegisteredDistribution(Box::new(FittedBy::<M>(fitted))))
    }
    fn fit_like(&self, rows: &Dataset, pooled: &RegisteredDistribution, seed: u64, control: &Control) -> Result<RegisteredDistribution> {
        let pooled = pooled.of::<M>().ok_or_else(any::unlike)?;
        any::fit_like(self, rows, pooled, seed, control).map(|fitted| RegisteredDistribution(Box::new(FittedBy::<M>(fitted))))
    }
}

/// The fit of a model of a type.
struct FittedBy<M: GenerativeModel>(M::Fitted);

/// The fit of a model whose type is forgotten.
trait RegisteredFitted: Send + Sync {
    fn owner(&self) -> &'static str;
    fn any(&self) -> &dyn Any;
    fn distribution(&self) -> &(dyn DynDistribution + 'static);
    fn with_parameters(&self, values: &[f64]) -> Result<RegisteredDistribution>;
    fn log_product(&self, other: &dyn RegisteredFitted, rho: f64, control: &Control) -> Result<f64>;
    fn copy(&self) -> Box<dyn RegisteredFitted>;
    fn value(&self) -> serde_json::Result<Value>;
    fn is(&self, other: &dyn RegisteredFitted) -> bool;
    fn tell(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result;
}

impl<M: GenerativeModel> RegisteredFitted for FittedBy<M> {
    fn owner(&self) -> &'static str {
        M::NAME
    }
    fn any(&self) -> &dyn Any {
        self
    }
    fn distribution(&self) -> &(dyn DynDistribution + 'static) {
        &self.0
    }
    fn with_parameters(&self, values: &[f64]) -> Result<RegisteredDistribution> {
        Ok(RegisteredDistribution(Box::new(FittedBy::<M>(self.0.with_parameters(values)?))))
    }
    fn log_product(&self, other: &dyn RegisteredFitted, rho: f64, control: &Control) -> Result<f64> {
        let other = other.any().downcast_ref::<FittedBy<M>>().ok_or_else(any::unlike)?;
        self.0.log_product_within(&other.0, rho, control)
    }
    fn copy(&self) -> Box<dyn RegisteredFitted> {
        Box::new(FittedBy::<M>(self.0.clone()))
    }
    fn value(&self) -> serde_json::Result<Value> {
        serde_json::to_value(&self.0)
    }
    fn is(&self, other: &dyn RegisteredFitted) -> bool {
        other.any().downcast_ref::<FittedBy<M>>().is_some_and(|other| self.0 == other.0)
    }
    fn tell(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl RegisteredModel {
    pub(super) fn any(&self) -> &(dyn DynModel + 'static) {
        self.0.model()
    }
    pub(super) fn any_mut(&mut self) -> &mut (dyn DynModel + 'static) {
        self.0.model_mut()
    }
    pub(super) fn fit(&self, rows: &Dataset, weights: RowWeights<'_>, seed: u64, control: &Control) -> Result<RegisteredDistribution> {
        self.0.fit(rows, weights, seed, control)
    }
    pub(super) fn fit_class(
        &self,
        rows: &Dataset,
        weights: RowWeights<'_>,
        all: (&Dataset, RowWeights<'_>),
        seed: u64,
        control: &Control,
    ) -> Result<RegisteredDistribution> {
        self.0.fit_class(rows, weights, all, seed, control)
    }
    pub(super) fn fit_like(
        &self,
        rows: &Dataset,
        pooled: &RegisteredDistribution,
        seed: u64,
        control: &Control,
    ) -> Result<RegisteredDistribution> {
        self.0.fit_like(rows, pooled, seed, control)
    }
}

impl RegisteredDistribution {
    pub(super) fn any(&self) -> &(dyn DynDistribution + 'static) {
        self.0.distribution()
    }
    pub(super) fn with_parameters(&self, values: &[f64]) -> Result<RegisteredDistribution> {
        self.0.with_parameters(values)
    }
    pub(super) fn log_product(&self, other: &Self, rho: f64, control: &Control) -> Result<f64> {
        self.0.log_product(other.0.as_ref(), rho, control)
    }
    /// The fit, if it is one of a model of that type.
    fn of<M: GenerativeModel>(&self) -> Option<&M::Fitted> {
        self.0.any().downcast_ref::<FittedBy<M>>().map(|fitted| &fitted.0)
    }
}

impl GenerativeExpr {
    /// A generative model of one's own as an expression.
    ///
    /// # Errors
    /// As [`register`].
    pub fn own<M: GenerativeModel>(model: M) -> Result<GenerativeExpr> {
        register::<M>()?;
        Ok(GenerativeExpr::Registered(RegisteredModel(Box::new(model))))
    }
}

impl FittedGenerative {
    /// The fit of a model of one's own, if it is one of that type.
    pub fn own<M: GenerativeModel>(&self) -> Option<&M::Fitted> {
        let FittedGenerative::Registered(fitted) = self else { return None };
        fitted.of::<M>()
    }
}

stored_by_name!(RegisteredModel, MAKERS, |maker, value| maker.stored(value));
stored_by_name!(RegisteredDistribution, MAKERS, |maker, value| maker.fitted(value));
