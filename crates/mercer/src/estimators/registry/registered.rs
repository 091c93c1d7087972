//! Estimators that a program brings along. Once registered, one is a part of expressions, searches, models and comparisons of that
//! program, as those of the list are.

use super::any::DynEstimator;
use super::list::{EstimatorEntry, EstimatorExpr, listed};
use crate::error::{Error, Result};
use crate::estimators::probabilities::held_out;
use crate::estimators::{Estimator, Fit, FitContext, Fitted, Task};
use crate::expr::Argument;
use crate::param;
use crate::param::named::{Registry, stored_by_name};
use serde_json::Value;
use std::any::{Any, TypeId};
use std::fmt::{self, Debug};
use std::marker::PhantomData;

/// What a registered estimator leaves: a model compares, copies and prints it.
pub trait FittedOfProgram: Fitted + Clone + Debug + PartialEq + 'static {}

impl<F: Fitted + Clone + Debug + PartialEq + 'static> FittedOfProgram for F {}

/// Makes an estimator a part of every expression that this program reads from now on, and of comparisons that name no estimators.
/// Registering it again changes nothing.
///
/// A model by such an estimator is loaded only by a program that has registered it.
///
/// # Errors
/// A name that another estimator has, or that no expression can have.
pub fn register<E: Estimator<Fitted: FittedOfProgram> + 'static>() -> Result<()> {
    add::<E>(Some(EstimatorEntry::of(&E::default())))
}

/// Makes an estimator a part of expressions and models of this program, and of no list: one that stands for many, such as objects of
/// another language. Where it is registered already nothing changes.
///
/// # Errors
/// As [`register`].
pub fn register_unlisted<E: Estimator<Fitted: FittedOfProgram> + 'static>() -> Result<()> {
    add::<E>(None)
}

fn add<E: Estimator<Fitted: FittedOfProgram> + 'static>(entry: Option<EstimatorEntry>) -> Result<()> {
    let is_listed = listed().iter().any(|entry| entry.name == E::NAME);
    let maker = Of::<E> { entry, of: PhantomData };
    MAKERS.add(E::NAME, TypeId::of::<E>(), is_listed.then_some("an estimator"), Box::leak(Box::new(maker)))
}

/// An estimator that this program has registered, with its parameters.
pub struct Registered(Box<dyn AnyRegistered>);

/// What such an estimator left after fitting.
pub struct RegisteredFit(Box<dyn AnyFit>);

/// Estimators that are registered.
static MAKERS: Registry<dyn Maker> = Registry::new("estimator");

/// Makes estimators of one type.
trait Maker: Send + Sync {
    /// What the catalogue says of them, where it lists them.
    fn entry(&self) -> Option<EstimatorEntry>;
    fn build(&self, args: &[Argument]) -> Result<Registered>;
    fn stored(&self, parameters: Value) -> serde_json::Result<Registered>;
    fn fitted(&self, value: Value) -> serde_json::Result<RegisteredFit>;
}

/// The estimators of a type.
struct Of<E> {
    entry: Option<EstimatorEntry>,
    of: PhantomData<fn() -> E>,
}

impl<E: Estimator<Fitted: FittedOfProgram> + 'static> Maker for Of<E> {
    fn entry(&self) -> Option<EstimatorEntry> {
        self.entry
    }
    fn build(&self, args: &[Argument]) -> Result<Registered> {
        Ok(Registered(Box::new(param::build::<E>(E::NAME, E::ALIASES, args)?)))
    }
    fn stored(&self, parameters: Value) -> serde_json::Result<Registered> {
        Ok(Registered(Box::new(serde_json::from_value::<E>(parameters)?)))
    }
    fn fitted(&self, value: Value) -> serde_json::Result<RegisteredFit> {
        Ok(RegisteredFit::of::<E>(serde_json::from_value(value)?))
    }
}

/// What the lists say of those that are registered.
pub(super) fn entries() -> Vec<EstimatorEntry> {
    MAKERS.all().into_iter().filter_map(|(_, maker)| maker.entry()).collect()
}

/// The estimator of this name with these arguments; `None` if none is registered.
pub(super) fn call(name: &str, args: &[Argument]) -> Option<Result<Registered>> {
    MAKERS.get(name).map(|maker| maker.build(args))
}

/// An estimator whose type is forgotten, and that can be copied, fitted and stored all the same.
trait AnyRegistered: DynEstimator + Send + Sync {
    fn any(&self) -> &(dyn DynEstimator + 'static);
    fn any_mut(&mut self) -> &mut (dyn DynEstimator + 'static);
    fn copy(&self) -> Box<dyn AnyRegistered>;
    fn owner(&self) -> &'static str;
    fn value(&self) -> serde_json::Result<Value>;
    fn is(&self, other: &dyn AnyRegistered) -> bool;
    fn as_any(&self) -> &dyn Any;
    fn tell(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result;
    fn fit_with(&self, task: &Task<'_>, context: &FitContext<'_, RegisteredFit>) -> Result<Fit<RegisteredFit>>;
}

impl<E: Estimator<Fitted: FittedOfProgram> + 'static> AnyRegistered for E {
    fn any(&self) -> &(dyn DynEstimator + 'static) {
        self
    }
    fn any_mut(&mut self) -> &mut (dyn DynEstimator + 'static) {
        self
    }
    fn copy(&self) -> Box<dyn AnyRegistered> {
        Box::new(self.clone())
    }
    fn owner(&self) -> &'static str {
        E::NAME
    }
    fn value(&self) -> serde_json::Result<Value> {
        serde_json::to_value(self)
    }
    /// By what is stored: two that are shown alike may differ.
    fn is(&self, other: &dyn AnyRegistered) -> bool {
        E::NAME == other.owner() && matches!((self.value(), other.value()), (Ok(one), Ok(other)) if one == other)
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn tell(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", DynEstimator::term(self))
    }
    fn fit_with(&self, task: &Task<'_>, context: &FitContext<'_, RegisteredFit>) -> Result<Fit<RegisteredFit>> {
        let own = context.map(RegisteredFit::as_left_by::<E>);
        if own.known.is_some() && own.earlier.is_none() {
            return Err(Error::Data(format!("the model is not one of {}", E::NAME)));
        }
        Ok(held_out::fit(self, task, &own)?.map(RegisteredFit::of::<E>))
    }
}

/// What estimators of a type leave.
struct LeftBy<E: Estimator>(E::Fitted);

/// What an estimator of any type left, its type erased.
trait AnyFit: Send + Sync {
    fn owner(&self) -> &'static str;
    fn as_any(&self) -> &dyn Any;
    fn fitted(&self) -> &dyn Fitted;
    fn fitted_mut(&mut self) -> &mut dyn Fitted;
    fn copy(&self) -> Box<dyn AnyFit>;
    fn value(&self) -> serde_json::Result<Value>;
    fn is(&self, other: &dyn AnyFit) -> bool;
    fn tell(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result;
}

impl<E: Estimator<Fitted: FittedOfProgram> + 'static> AnyFit for LeftBy<E> {
    fn owner(&self) -> &'static str {
        E::NAME
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn fitted(&self) -> &dyn Fitted {
        &self.0
    }
    fn fitted_mut(&mut self) -> &mut dyn Fitted {
        &mut self.0
    }
    fn copy(&self) -> Box<dyn AnyFit> {
        Box::new(LeftBy::<E>(self.0.clone()))
    }
    fn value(&self) -> serde_json::Result<Value> {
        serde_json::to_value(&self.0)
    }
    fn is(&self, other: &dyn AnyFit) -> bool {
        other.as_any().downcast_ref::<LeftBy<E>>().is_some_and(|other| self.0 == other.0)
    }
    fn tell(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Registered {
    /// What it is, where it is an estimator of this type.
    pub fn as_own<E: Estimator + 'static>(&self) -> Option<&E> {
        self.0.as_any().downcast_ref()
    }
    pub(super) fn any(&self) -> &(dyn DynEstimator + 'static) {
        self.0.any()
    }
    pub(super) fn any_mut(&mut self) -> &mut (dyn DynEstimator + 'static) {
        self.0.any_mut()
    }
    pub(super) fn fit_with(&self, task: &Task<'_>, context: &FitContext<'_, RegisteredFit>) -> Result<Fit<RegisteredFit>> {
        self.0.fit_with(task, context)
    }
}

impl RegisteredFit {
    fn of<E: Estimator<Fitted: FittedOfProgram> + 'static>(fitted: E::Fitted) -> Self {
        RegisteredFit(Box::new(LeftBy::<E>(fitted)))
    }
    /// What it is, where an estimator of this type left it.
    pub fn as_left_by<E: Estimator + 'static>(&self) -> Option<&E::Fitted> {
        self.0.as_any().downcast_ref::<LeftBy<E>>().map(|left| &left.0)
    }
    pub(super) fn fitted(&self) -> &dyn Fitted {
        self.0.fitted()
    }
    pub(super) fn fitted_mut(&mut self) -> &mut dyn Fitted {
        self.0.fitted_mut()
    }
}

impl EstimatorExpr {
    /// An estimator of one's own as an expression.
    ///
    /// # Errors
    /// As [`register`].
    pub fn own<E: Estimator<Fitted: FittedOfProgram> + 'static>(estimator: E) -> Result<EstimatorExpr> {
        if !MAKERS.has(TypeId::of::<E>()) {
            register::<E>()?;
        }
        Ok(EstimatorExpr::Registered(Registered(Box::new(estimator))))
    }
}

stored_by_name!(Registered, MAKERS, |maker, value| maker.stored(value));
stored_by_name!(RegisteredFit, MAKERS, |maker, value| maker.fitted(value));
