//! Estimators that a program brings along. Once registered, one is a part of expressions, searches, models and comparisons of that
//! program, as those of the list are.

use super::any::{AnyEstimator, AnyFitted};
use super::list::{EstimatorEntry, EstimatorExpr, entry, listed};
use super::{Estimator, Fitted, HeldOut, Task, WarmStart};
use crate::data::Split;
use crate::error::{Error, Result};
use crate::expr::Argument;
use crate::param::{self, named};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use std::any::{Any, TypeId};
use std::fmt::{self, Debug};
use std::marker::PhantomData;
use std::sync::{PoisonError, RwLock};

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
    let maker = Of::<E>(PhantomData);
    let setting = |why: &str| Error::Setting { name: format!("estimator {}", E::NAME), why: why.into() };
    if let Some(why) = named::fault_of(E::NAME) {
        return Err(setting(why));
    }
    let mut all = MAKERS.write().unwrap_or_else(PoisonError::into_inner);
    match all.iter().find(|known| known.entry().name == E::NAME) {
        Some(known) if known.estimator() == maker.estimator() => return Ok(()),
        Some(_) => return Err(setting("another estimator is registered by this name; give it another NAME")),
        None => {}
    }
    if listed().iter().any(|entry| entry.name == E::NAME) {
        return Err(setting("Mercer has an estimator of this name; give it another NAME"));
    }
    all.push(Box::leak(Box::new(maker)));
    Ok(())
}

/// An estimator that this program has registered, with its parameters.
pub struct Registered(Box<dyn AnyRegistered>);

/// What such an estimator left after fitting.
pub struct RegisteredFit(Box<dyn AnyFit>);

/// Estimators that are registered.
static MAKERS: RwLock<Vec<&'static dyn Maker>> = RwLock::new(Vec::new());

/// Makes estimators of one type.
trait Maker: Send + Sync {
    fn estimator(&self) -> TypeId;
    fn entry(&self) -> EstimatorEntry;
    fn build(&self, args: &[Argument]) -> Result<Registered>;
    fn stored(&self, parameters: Value) -> serde_json::Result<Registered>;
    fn fitted(&self, value: Value) -> serde_json::Result<RegisteredFit>;
}

/// The estimators of a type.
struct Of<E>(PhantomData<fn() -> E>);

impl<E: Estimator<Fitted: FittedOfProgram> + 'static> Maker for Of<E> {
    fn estimator(&self) -> TypeId {
        TypeId::of::<E>()
    }
    fn entry(&self) -> EstimatorEntry {
        entry::<E>()
    }
    fn build(&self, args: &[Argument]) -> Result<Registered> {
        Ok(Registered(Box::new(param::build::<E>(E::NAME, E::PARAMS, E::ALIASES, args)?)))
    }
    fn stored(&self, parameters: Value) -> serde_json::Result<Registered> {
        Ok(Registered(Box::new(serde_json::from_value::<E>(parameters)?)))
    }
    fn fitted(&self, value: Value) -> serde_json::Result<RegisteredFit> {
        Ok(RegisteredFit::of::<E>(serde_json::from_value(value)?))
    }
}

/// The maker of estimators of a name.
fn maker(name: &str) -> Option<&'static dyn Maker> {
    MAKERS.read().unwrap_or_else(PoisonError::into_inner).iter().copied().find(|maker| maker.entry().name == name)
}

/// What the lists say of those that are registered.
pub(super) fn entries() -> Vec<EstimatorEntry> {
    MAKERS.read().unwrap_or_else(PoisonError::into_inner).iter().map(|maker| maker.entry()).collect()
}

/// The estimator of this name with these arguments; `None` if none is registered.
pub(super) fn call(name: &str, args: &[Argument]) -> Option<Result<Registered>> {
    maker(name).map(|maker| maker.build(args))
}

/// An earlier fit, and what it came to know.
type Earlier<'a> = Option<(&'a RegisteredFit, &'a WarmStart)>;

/// An estimator whose type is forgotten, and that can be copied, fitted and stored all the same.
trait AnyRegistered: AnyEstimator + Send + Sync {
    fn any(&self) -> &dyn AnyEstimator;
    fn any_mut(&mut self) -> &mut dyn AnyEstimator;
    fn copy(&self) -> Box<dyn AnyRegistered>;
    fn parameters(&self) -> serde_json::Result<Value>;
    fn fit_keeping(&self, task: &Task<'_>, earlier: Earlier<'_>, split: &Split) -> Result<(RegisteredFit, WarmStart)>;
    fn fit_held_out(&self, task: &Task<'_>, earlier: Option<&RegisteredFit>, split: &Split) -> Result<(RegisteredFit, HeldOut)>;
    fn learn_on(&self, task: &Task<'_>, earlier: &RegisteredFit, known: usize) -> Result<RegisteredFit>;
}

impl<E: Estimator<Fitted: FittedOfProgram> + 'static> AnyRegistered for E {
    fn any(&self) -> &dyn AnyEstimator {
        self
    }
    fn any_mut(&mut self) -> &mut dyn AnyEstimator {
        self
    }
    fn copy(&self) -> Box<dyn AnyRegistered> {
        Box::new(self.clone())
    }
    fn parameters(&self) -> serde_json::Result<Value> {
        serde_json::to_value(self)
    }
    fn fit_keeping(&self, task: &Task<'_>, earlier: Earlier<'_>, split: &Split) -> Result<(RegisteredFit, WarmStart)> {
        let earlier = earlier.and_then(|(fit, trace)| Some((fit.as_left_by::<E>()?, trace)));
        Estimator::fit_keeping(self, task, earlier, split).map(|(fitted, trace)| (RegisteredFit::of::<E>(fitted), trace))
    }
    fn fit_held_out(&self, task: &Task<'_>, earlier: Option<&RegisteredFit>, split: &Split) -> Result<(RegisteredFit, HeldOut)> {
        let earlier = earlier.and_then(RegisteredFit::as_left_by::<E>);
        Estimator::fit_held_out(self, task, earlier, split).map(|(fitted, held_out)| (RegisteredFit::of::<E>(fitted), held_out))
    }
    fn learn_on(&self, task: &Task<'_>, earlier: &RegisteredFit, known: usize) -> Result<RegisteredFit> {
        let foreign = || Error::Data(format!("the model is not one of {}", E::NAME));
        let earlier = earlier.as_left_by::<E>().ok_or_else(foreign)?;
        Estimator::learn_on(self, task, earlier, known).map(RegisteredFit::of::<E>)
    }
}

/// What estimators of a type leave.
struct LeftBy<E: Estimator>(E::Fitted);

/// The same, its type forgotten.
trait AnyFit: Send + Sync {
    fn estimator(&self) -> &'static str;
    fn as_any(&self) -> &dyn Any;
    fn fitted(&self) -> &dyn AnyFitted;
    fn fitted_mut(&mut self) -> &mut dyn AnyFitted;
    fn copy(&self) -> Box<dyn AnyFit>;
    fn value(&self) -> serde_json::Result<Value>;
    fn is(&self, other: &dyn AnyFit) -> bool;
    fn tell(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result;
}

impl<E: Estimator<Fitted: FittedOfProgram> + 'static> AnyFit for LeftBy<E> {
    fn estimator(&self) -> &'static str {
        E::NAME
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn fitted(&self) -> &dyn AnyFitted {
        &self.0
    }
    fn fitted_mut(&mut self) -> &mut dyn AnyFitted {
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
    pub(super) fn any(&self) -> &dyn AnyEstimator {
        self.0.any()
    }
    pub(super) fn any_mut(&mut self) -> &mut dyn AnyEstimator {
        self.0.any_mut()
    }
    pub(super) fn fit_keeping(&self, task: &Task<'_>, earlier: Earlier<'_>, split: &Split) -> Result<(RegisteredFit, WarmStart)> {
        self.0.fit_keeping(task, earlier, split)
    }
    pub(super) fn fit_held_out(&self, task: &Task<'_>, earlier: Option<&RegisteredFit>, split: &Split) -> Result<(RegisteredFit, HeldOut)> {
        self.0.fit_held_out(task, earlier, split)
    }
    pub(super) fn learn_on(&self, task: &Task<'_>, earlier: &RegisteredFit, known: usize) -> Result<RegisteredFit> {
        self.0.learn_on(task, earlier, known)
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
    pub(super) fn fitted(&self) -> &dyn AnyFitted {
        self.0.fitted()
    }
    pub(super) fn fitted_mut(&mut self) -> &mut dyn AnyFitted {
        self.0.fitted_mut()
    }
}

impl EstimatorExpr {
    /// An estimator of one's own as an expression.
    ///
    /// # Errors
    /// As [`register`].
    pub fn own<E: Estimator<Fitted: FittedOfProgram> + 'static>(estimator: E) -> Result<EstimatorExpr> {
        register::<E>()?;
        Ok(EstimatorExpr::Registered(Registered(Box::new(estimator))))
    }
}

impl Clone for Registered {
    fn clone(&self) -> Self {
        Registered(self.0.copy())
    }
}

impl PartialEq for Registered {
    fn eq(&self, other: &Self) -> bool {
        self.any().term() == other.any().term()
    }
}

impl Debug for Registered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.any().term())
    }
}

impl Serialize for Registered {
    fn serialize<S: Serializer>(&self, s: S) -> std::result::Result<S::Ok, S::Error> {
        named::write(self.any().name(), self.0.parameters(), s)
    }
}

impl<'de> Deserialize<'de> for Registered {
    fn deserialize<D: Deserializer<'de>>(d: D) -> std::result::Result<Self, D::Error> {
        named::read("estimator", d, |name, value| maker(name).map(|maker| maker.stored(value)))
    }
}

impl Clone for RegisteredFit {
    fn clone(&self) -> Self {
        RegisteredFit(self.0.copy())
    }
}

impl PartialEq for RegisteredFit {
    fn eq(&self, other: &Self) -> bool {
        self.0.is(other.0.as_ref())
    }
}

impl Debug for RegisteredFit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.tell(f)
    }
}

impl Serialize for RegisteredFit {
    fn serialize<S: Serializer>(&self, s: S) -> std::result::Result<S::Ok, S::Error> {
        named::write(self.0.estimator(), self.0.value(), s)
    }
}

impl<'de> Deserialize<'de> for RegisteredFit {
    fn deserialize<D: Deserializer<'de>>(d: D) -> std::result::Result<Self, D::Error> {
        named::read("estimator", d, |name, value| maker(name).map(|maker| maker.fitted(value)))
    }
}
