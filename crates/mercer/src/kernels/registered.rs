//! Kernels that a program brings along. Once registered, one is a part of expressions, searches, models and comparisons of that
//! program, as those of the list are.

use super::fitted::{Fixed, Scope, foreign};
use super::functions::{FunctionKernel, KernelFunction};
use super::leaf::{self, AnyKernel, KernelEntry, Takes};
use super::shared::Shared;
use super::{KernelExpr, compositions, listed};
use crate::control::Control;
use crate::data::RowWeights;
use crate::error::Result;
use crate::expr::Argument;
use crate::gram::Kernel;
use crate::notice::Notice;
use crate::param::named::{Registry, stored_by_name};
use serde_json::Value;
use std::any::{Any, TypeId};
use std::fmt::{self, Debug};
use std::marker::PhantomData;
use std::sync::{Arc, PoisonError, RwLock};

/// Makes a kernel a part of every expression that this program reads from now on. Registering it again changes nothing.
///
/// A model with such a kernel is loaded only by a program that has registered it.
///
/// # Errors
/// A name that another kernel or composition has, or that no expression can have.
pub fn register<K: Kernel>() -> Result<()> {
    MAKERS.add(K::NAME, TypeId::of::<K>(), listed_as(K::NAME), Box::leak(Box::new(Of::<K>(PhantomData))))
}

/// Makes a function a part of every expression that this program reads from now on, in place of another function of its name.
///
/// # Errors
/// A name that another kernel or composition has, or that no expression can have; a default outside of its domain.
pub fn register_function(function: Arc<dyn KernelFunction>) -> Result<()> {
    let name = function.entry().name;
    FunctionKernel::build(&function, &[])?;
    if MAKERS.get(name).is_some_and(|maker| maker.replace(&function)) {
        return Ok(());
    }
    MAKERS.add(name, TypeId::of::<OfFunction>(), listed_as(name), Box::leak(Box::new(OfFunction(RwLock::new(function)))))
}

/// What Mercer has of a name.
fn listed_as(name: &str) -> Option<&'static str> {
    let is_listed = listed().iter().any(|entry| entry.name == name) || compositions().iter().any(|entry| entry.form.name == name);
    is_listed.then_some("a kernel or a composition")
}

/// A kernel that this program has registered, with its parameters.
pub struct Registered(Box<dyn AnyRegistered>);

/// What such a kernel has learnt.
pub struct RegisteredLearnt(Box<dyn AnyLearnt>);

/// Kernels that are registered.
static MAKERS: Registry<dyn Maker> = Registry::new("kernel");

/// Makes kernels of one type.
trait Maker: Send + Sync {
    fn entry(&self) -> KernelEntry;
    fn build(&self, args: &[Argument]) -> Result<Registered>;
    fn stored(&self, parameters: Value) -> serde_json::Result<Registered>;
    fn learnt(&self, value: Value) -> serde_json::Result<RegisteredLearnt>;
    /// Takes a function in place of the one that it makes kernels of; whether it makes kernels of a function.
    fn replace(&self, _: &Arc<dyn KernelFunction>) -> bool {
        false
    }
}

/// The kernels of a type.
struct Of<K>(PhantomData<fn() -> K>);

impl<K: Kernel> Maker for Of<K> {
    fn entry(&self) -> KernelEntry {
        leaf::entry::<K>()
    }
    fn build(&self, args: &[Argument]) -> Result<Registered> {
        Ok(Registered(Box::new(leaf::build::<K>(args)?)))
    }
    fn stored(&self, parameters: Value) -> serde_json::Result<Registered> {
        Ok(Registered(Box::new(serde_json::from_value::<K>(parameters)?)))
    }
    fn learnt(&self, value: Value) -> serde_json::Result<RegisteredLearnt> {
        Ok(RegisteredLearnt(Box::new(LearntBy::<K>(serde_json::from_value(value)?))))
    }
}

/// The kernels of a function.
struct OfFunction(RwLock<Arc<dyn KernelFunction>>);

impl OfFunction {
    fn function(&self) -> Arc<dyn KernelFunction> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Maker for OfFunction {
    fn entry(&self) -> KernelEntry {
        self.function().entry()
    }
    fn build(&self, args: &[Argument]) -> Result<Registered> {
        Ok(Registered(Box::new(FunctionKernel::build(&self.function(), args)?)))
    }
    fn stored(&self, parameters: Value) -> serde_json::Result<Registered> {
        let made = FunctionKernel::stored(&self.function(), parameters).map_err(serde::de::Error::custom)?;
        Ok(Registered(Box::new(made)))
    }
    fn learnt(&self, _: Value) -> serde_json::Result<RegisteredLearnt> {
        Ok(RegisteredLearnt(Box::new(NothingLearnt(self.entry().name))))
    }
    fn replace(&self, function: &Arc<dyn KernelFunction>) -> bool {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = function.clone();
        true
    }
}

/// What the lists say of those that are registered.
pub(super) fn entries() -> Vec<KernelEntry> {
    MAKERS.all().into_iter().map(|(_, maker)| maker.entry()).collect()
}

/// The kernel of this name with these arguments; `None` if none is registered.
pub(super) fn call(name: &str, args: &[Argument]) -> Option<Result<Registered>> {
    MAKERS.get(name).map(|maker| maker.build(args))
}

/// A kernel whose type is forgotten, and that can be copied, bound and stored all the same.
trait AnyRegistered: AnyKernel + Send + Sync {
    fn leaf(&self) -> &dyn AnyKernel;
    fn leaf_mut(&mut self) -> &mut dyn AnyKernel;
    fn copy(&self) -> Box<dyn AnyRegistered>;
    fn owner(&self) -> &'static str;
    fn value(&self) -> serde_json::Result<Value>;
    fn is(&self, other: &dyn AnyRegistered) -> bool;
    fn tell(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result;
    fn learn(&self, rows: Scope<'_>, weights: RowWeights<'_>, control: &Control) -> Result<RegisteredLearnt>;
    fn fix(&self, learnt: &RegisteredLearnt, rows: Scope<'_>, control: &Control) -> Result<Box<dyn Fixed>>;
    fn notices(&self, learnt: &RegisteredLearnt) -> Vec<Notice>;
    /// The function that it is, if it is one.
    fn function(&self) -> Option<&FunctionKernel> {
        None
    }
}

impl<K: Kernel> AnyRegistered for K {
    fn leaf(&self) -> &dyn AnyKernel {
        self
    }
    fn leaf_mut(&mut self) -> &mut dyn AnyKernel {
        self
    }
    fn copy(&self) -> Box<dyn AnyRegistered> {
        Box::new(self.clone())
    }
    fn owner(&self) -> &'static str {
        K::NAME
    }
    fn value(&self) -> serde_json::Result<Value> {
        serde_json::to_value(self)
    }
    fn is(&self, other: &dyn AnyRegistered) -> bool {
        Takes::term(self) == other.leaf().term()
    }
    fn tell(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", Takes::term(self))
    }
    fn learn(&self, rows: Scope<'_>, weights: RowWeights<'_>, control: &Control) -> Result<RegisteredLearnt> {
        Ok(RegisteredLearnt(Box::new(LearntBy::<K>(leaf::learn(self, rows, weights, control)?))))
    }
    fn fix(&self, learnt: &RegisteredLearnt, rows: Scope<'_>, control: &Control) -> Result<Box<dyn Fixed>> {
        leaf::fix(self, &learnt.0.any().downcast_ref::<LearntBy<K>>().ok_or_else(foreign)?.0, rows, control)
    }
    fn notices(&self, learnt: &RegisteredLearnt) -> Vec<Notice> {
        learnt.0.any().downcast_ref::<LearntBy<K>>().map(|learnt| Kernel::notices(self, &learnt.0)).unwrap_or_default()
    }
}

impl AnyRegistered for FunctionKernel {
    fn leaf(&self) -> &dyn AnyKernel {
        self
    }
    fn leaf_mut(&mut self) -> &mut dyn AnyKernel {
        self
    }
    fn copy(&self) -> Box<dyn AnyRegistered> {
        Box::new(self.clone())
    }
    fn owner(&self) -> &'static str {
        self.name()
    }
    fn value(&self) -> serde_json::Result<Value> {
        self.parameters()
    }
    fn is(&self, other: &dyn AnyRegistered) -> bool {
        self.term() == other.leaf().term()
    }
    fn tell(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.term())
    }
    fn learn(&self, _: Scope<'_>, _: RowWeights<'_>, _: &Control) -> Result<RegisteredLearnt> {
        Ok(RegisteredLearnt(Box::new(NothingLearnt(self.name()))))
    }
    fn fix(&self, _: &RegisteredLearnt, rows: Scope<'_>, _: &Control) -> Result<Box<dyn Fixed>> {
        FunctionKernel::fix(self, rows)
    }
    fn notices(&self, _: &RegisteredLearnt) -> Vec<Notice> {
        Vec::new()
    }
    fn function(&self) -> Option<&FunctionKernel> {
        Some(self)
    }
}

/// What kernels of a type learn.
struct LearntBy<K: Kernel>(Shared<K::Learnt>);

/// What a kernel of any type has learnt, its type erased.
trait AnyLearnt: Send + Sync {
    fn owner(&self) -> &'static str;
    fn any(&self) -> &dyn Any;
    fn copy(&self) -> Box<dyn AnyLearnt>;
    fn value(&self) -> serde_json::Result<Value>;
    fn is(&self, other: &dyn AnyLearnt) -> bool;
    fn tell(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result;
}

impl<K: Kernel> AnyLearnt for LearntBy<K> {
    fn owner(&self) -> &'static str {
        K::NAME
    }
    fn any(&self) -> &dyn Any {
        self
    }
    fn copy(&self) -> Box<dyn AnyLearnt> {
        Box::new(LearntBy::<K>(self.0.clone()))
    }
    fn value(&self) -> serde_json::Result<Value> {
        serde_json::to_value(&self.0)
    }
    fn is(&self, other: &dyn AnyLearnt) -> bool {
        other.any().downcast_ref::<LearntBy<K>>().is_some_and(|other| self.0 == other.0)
    }
    fn tell(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// What a function learns: nothing. It has its name.
struct NothingLearnt(&'static str);

impl AnyLearnt for NothingLearnt {
    fn owner(&self) -> &'static str {
        self.0
    }
    fn any(&self) -> &dyn Any {
        self
    }
    fn copy(&self) -> Box<dyn AnyLearnt> {
        Box::new(NothingLearnt(self.0))
    }
    fn value(&self) -> serde_json::Result<Value> {
        Ok(Value::Null)
    }
    fn is(&self, other: &dyn AnyLearnt) -> bool {
        self.0 == other.owner()
    }
    fn tell(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("()")
    }
}

impl Registered {
    /// Whether it is a function that its author declares positive semi-definite.
    pub(super) fn is_declared_mercer(&self) -> bool {
        self.0.function().is_some_and(FunctionKernel::is_declared_mercer)
    }
    pub(super) fn leaf(&self) -> &dyn AnyKernel {
        self.0.leaf()
    }
    pub(super) fn leaf_mut(&mut self) -> &mut dyn AnyKernel {
        self.0.leaf_mut()
    }
    pub(super) fn learn(&self, rows: Scope<'_>, weights: RowWeights<'_>, control: &Control) -> Result<RegisteredLearnt> {
        self.0.learn(rows, weights, control)
    }
    pub(super) fn fix(&self, learnt: &RegisteredLearnt, rows: Scope<'_>, control: &Control) -> Result<Box<dyn Fixed>> {
        self.0.fix(learnt, rows, control)
    }
    pub(super) fn notices(&self, learnt: &RegisteredLearnt) -> Vec<Notice> {
        self.0.notices(learnt)
    }
}

impl KernelExpr {
    /// Names of the functions in the expression that the program has registered.
    pub fn functions(&self) -> Vec<&'static str> {
        let own = if let KernelExpr::Registered(k) = self { k.0.function().map(Takes::name) } else { None };
        own.into_iter().chain(self.parts().iter().flat_map(KernelExpr::functions)).collect()
    }

    /// A kernel of one's own as an expression.
    ///
    /// # Errors
    /// As [`register`].
    pub fn own<K: Kernel>(kernel: K) -> Result<KernelExpr> {
        register::<K>()?;
        Ok(KernelExpr::Registered(Registered(Box::new(kernel))))
    }
}

stored_by_name!(Registered, MAKERS, |maker, value| maker.stored(value));
stored_by_name!(RegisteredLearnt, MAKERS, |maker, value| maker.learnt(value));
