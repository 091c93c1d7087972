//! Kernels that a program brings along. Once registered, one is a part of expressions, searches, models and comparisons of that
//! program, as those of the list are.

use super::fitted::{Fixed, Scope, foreign};
use super::leaf::{self, AnyKernel, Entry};
use super::shared::Shared;
use super::{KernelExpr, compositions, listed};
use crate::control::Control;
use crate::data::RowWeights;
use crate::error::{Error, Result};
use crate::expr::Argument;
use crate::gram::Kernel;
use crate::param::named;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use std::any::{Any, TypeId};
use std::fmt::{self, Debug};
use std::marker::PhantomData;
use std::sync::{PoisonError, RwLock};

/// Makes a kernel a part of every expression that this program reads from now on. Registering it again changes nothing.
///
/// A model with such a kernel is loaded only by a program that has registered it.
///
/// # Errors
/// A name that another kernel or composition has, or that no expression can have.
pub fn register<K: Kernel>() -> Result<()> {
    let maker = Of::<K>(PhantomData);
    let setting = |why: &str| Error::Setting { name: format!("kernel {}", K::NAME), why: why.into() };
    if let Some(why) = named::fault_of(K::NAME) {
        return Err(setting(why));
    }
    let mut all = MAKERS.write().unwrap_or_else(PoisonError::into_inner);
    match all.iter().find(|known| known.entry().name == K::NAME) {
        Some(known) if known.kernel() == maker.kernel() => return Ok(()),
        Some(_) => return Err(setting("another kernel is registered by this name; give it another NAME")),
        None => {}
    }
    if listed().iter().any(|entry| entry.name == K::NAME) || compositions().iter().any(|entry| entry.form.name == K::NAME) {
        return Err(setting("Mercer has a kernel or a composition of this name; give it another NAME"));
    }
    all.push(Box::leak(Box::new(maker)));
    Ok(())
}

/// A kernel that this program has registered, with its parameters.
pub struct Registered(Box<dyn AnyRegistered>);

/// What such a kernel has learnt.
pub struct RegisteredLearnt(Box<dyn AnyLearnt>);

/// Kernels that are registered.
static MAKERS: RwLock<Vec<&'static dyn Maker>> = RwLock::new(Vec::new());

/// Makes kernels of one type.
trait Maker: Send + Sync {
    fn kernel(&self) -> TypeId;
    fn entry(&self) -> Entry;
    fn build(&self, args: &[Argument]) -> Result<Registered>;
    fn stored(&self, parameters: Value) -> serde_json::Result<Registered>;
    fn learnt(&self, value: Value) -> serde_json::Result<RegisteredLearnt>;
}

/// The kernels of a type.
struct Of<K>(PhantomData<fn() -> K>);

impl<K: Kernel> Maker for Of<K> {
    fn kernel(&self) -> TypeId {
        TypeId::of::<K>()
    }
    fn entry(&self) -> Entry {
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

/// The maker of kernels of a name.
fn maker(name: &str) -> Option<&'static dyn Maker> {
    MAKERS.read().unwrap_or_else(PoisonError::into_inner).iter().copied().find(|maker| maker.entry().name == name)
}

/// What the lists say of those that are registered.
pub(super) fn entries() -> Vec<Entry> {
    MAKERS.read().unwrap_or_else(PoisonError::into_inner).iter().map(|maker| maker.entry()).collect()
}

/// The kernel of this name with these arguments; `None` if none is registered.
pub(super) fn call(name: &str, args: &[Argument]) -> Option<Result<Registered>> {
    maker(name).map(|maker| maker.build(args))
}

/// A kernel whose type is forgotten, and that can be copied, bound and stored all the same.
trait AnyRegistered: AnyKernel + Send + Sync {
    fn leaf(&self) -> &dyn AnyKernel;
    fn leaf_mut(&mut self) -> &mut dyn AnyKernel;
    fn copy(&self) -> Box<dyn AnyRegistered>;
    fn parameters(&self) -> serde_json::Result<Value>;
    fn learn(&self, rows: Scope<'_>, weights: RowWeights<'_>, control: &Control) -> Result<RegisteredLearnt>;
    fn fix(&self, learnt: &RegisteredLearnt, rows: Scope<'_>) -> Result<Box<dyn Fixed>>;
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
    fn parameters(&self) -> serde_json::Result<Value> {
        serde_json::to_value(self)
    }
    fn learn(&self, rows: Scope<'_>, weights: RowWeights<'_>, control: &Control) -> Result<RegisteredLearnt> {
        Ok(RegisteredLearnt(Box::new(LearntBy::<K>(leaf::learn(self, rows, weights, control)?))))
    }
    fn fix(&self, learnt: &RegisteredLearnt, rows: Scope<'_>) -> Result<Box<dyn Fixed>> {
        leaf::fix(self, &learnt.0.any().downcast_ref::<LearntBy<K>>().ok_or_else(foreign)?.0, rows)
    }
}

/// What kernels of a type learn.
struct LearntBy<K: Kernel>(Shared<K::Learnt>);

/// The same, its type forgotten.
trait AnyLearnt: Send + Sync {
    fn kernel(&self) -> &'static str;
    fn any(&self) -> &dyn Any;
    fn copy(&self) -> Box<dyn AnyLearnt>;
    fn value(&self) -> serde_json::Result<Value>;
    fn is(&self, other: &dyn AnyLearnt) -> bool;
    fn tell(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result;
}

impl<K: Kernel> AnyLearnt for LearntBy<K> {
    fn kernel(&self) -> &'static str {
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

impl Registered {
    pub(super) fn leaf(&self) -> &dyn AnyKernel {
        self.0.leaf()
    }
    pub(super) fn leaf_mut(&mut self) -> &mut dyn AnyKernel {
        self.0.leaf_mut()
    }
    pub(super) fn learn(&self, rows: Scope<'_>, weights: RowWeights<'_>, control: &Control) -> Result<RegisteredLearnt> {
        self.0.learn(rows, weights, control)
    }
    pub(super) fn fix(&self, learnt: &RegisteredLearnt, rows: Scope<'_>) -> Result<Box<dyn Fixed>> {
        self.0.fix(learnt, rows)
    }
}

impl KernelExpr {
    /// A kernel of one's own as an expression.
    ///
    /// # Errors
    /// As [`register`].
    pub fn own<K: Kernel>(kernel: K) -> Result<KernelExpr> {
        register::<K>()?;
        Ok(KernelExpr::Registered(Registered(Box::new(kernel))))
    }
}

impl Clone for Registered {
    fn clone(&self) -> Self {
        Registered(self.0.copy())
    }
}

impl PartialEq for Registered {
    fn eq(&self, other: &Self) -> bool {
        self.leaf().term() == other.leaf().term()
    }
}

impl Debug for Registered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.leaf().term())
    }
}

impl Serialize for Registered {
    fn serialize<S: Serializer>(&self, s: S) -> std::result::Result<S::Ok, S::Error> {
        named::write(self.leaf().name(), self.0.parameters(), s)
    }
}

impl<'de> Deserialize<'de> for Registered {
    fn deserialize<D: Deserializer<'de>>(d: D) -> std::result::Result<Self, D::Error> {
        named::read("kernel", d, |name, value| maker(name).map(|maker| maker.stored(value)))
    }
}

impl Clone for RegisteredLearnt {
    fn clone(&self) -> Self {
        RegisteredLearnt(self.0.copy())
    }
}

impl PartialEq for RegisteredLearnt {
    fn eq(&self, other: &Self) -> bool {
        self.0.is(other.0.as_ref())
    }
}

impl Debug for RegisteredLearnt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.tell(f)
    }
}

impl Serialize for RegisteredLearnt {
    fn serialize<S: Serializer>(&self, s: S) -> std::result::Result<S::Ok, S::Error> {
        named::write(self.0.kernel(), self.0.value(), s)
    }
}

impl<'de> Deserialize<'de> for RegisteredLearnt {
    fn deserialize<D: Deserializer<'de>>(d: D) -> std::result::Result<Self, D::Error> {
        named::read("kernel", d, |name, value| maker(name).map(|maker| maker.learnt(value)))
    }
}
