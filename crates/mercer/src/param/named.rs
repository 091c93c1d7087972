//! What a program brings along: a table of makers by name, and how what they make is stored, by that name.

use crate::error::{Error, Result};
use crate::expr::{self, Term};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de, ser};
use serde_json::Value;
use std::any::TypeId;
use std::sync::{PoisonError, RwLock};

/// Makers of what is registered, in the order of their registration.
pub(crate) struct Registry<M: ?Sized + 'static> {
    /// What is registered, as an error names it: kernel, estimator.
    what: &'static str,
    makers: RwLock<Vec<(&'static str, TypeId, &'static M)>>,
}

impl<M: ?Sized + Sync + 'static> Registry<M> {
    /// An empty table.
    pub(crate) const fn new(what: &'static str) -> Self {
        Registry { what, makers: RwLock::new(Vec::new()) }
    }

    /// Adds the maker of a type by its name; the same type again changes nothing. `listed`: what Mercer has of that name, if anything.
    ///
    /// # Errors
    /// A name that is taken, or that no expression can have.
    pub(crate) fn add(&self, name: &'static str, of: TypeId, listed: Option<&str>, maker: &'static M) -> Result<()> {
        let refused = |why: String| Err(Error::Setting { name: format!("{} {name}", self.what), why });
        if !matches!(expr::parse(name), Ok(Term::Call { name: read, args, .. }) if read == name && args.is_empty()) {
            return refused("its NAME cannot stand in an expression; write letters, digits and underscores, a letter first".into());
        }
        if let Some(listed) = listed {
            return refused(format!("Mercer has {listed} of this name; give it another NAME"));
        }
        let mut makers = self.makers.write().unwrap_or_else(PoisonError::into_inner);
        match makers.iter().find(|(known, ..)| *known == name) {
            Some((_, known, _)) if *known == of => Ok(()),
            Some(_) => refused(format!("another {} is registered by this name; give it another NAME", self.what)),
            None => {
                makers.push((name, of, maker));
                Ok(())
            }
        }
    }

    /// Whether a type is registered.
    pub(crate) fn has(&self, of: TypeId) -> bool {
        self.makers.read().unwrap_or_else(PoisonError::into_inner).iter().any(|(_, known, _)| *known == of)
    }

    /// The maker of a name.
    pub(crate) fn get(&self, name: &str) -> Option<&'static M> {
        self.all().into_iter().find_map(|(known, maker)| (known == name).then_some(maker))
    }

    /// Every name with its maker.
    pub(crate) fn all(&self) -> Vec<(&'static str, &'static M)> {
        let makers = self.makers.read().unwrap_or_else(PoisonError::into_inner);
        makers.iter().map(|&(name, _, maker)| (name, maker)).collect()
    }

    /// Reads what `make` gives of the maker and the value that are stored.
    pub(crate) fn read<'de, D: Deserializer<'de>, T>(
        &self,
        d: D,
        make: impl FnOnce(&M, Value) -> serde_json::Result<T>,
    ) -> std::result::Result<T, D::Error> {
        let Named { name, value } = Named::deserialize(d)?;
        let unknown = || format!("it has the {} '{name}', which this program has not registered; register it before loading", self.what);
        make(self.get(&name).ok_or_else(|| de::Error::custom(unknown()))?, value).map_err(de::Error::custom)
    }
}

/// A name and what is stored under it.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Named {
    name: String,
    value: Value,
}

/// Stores a value under a name.
pub(crate) fn write<S: Serializer>(name: &str, value: serde_json::Result<Value>, s: S) -> std::result::Result<S::Ok, S::Error> {
    Named { name: name.to_owned(), value: value.map_err(ser::Error::custom)? }.serialize(s)
}

/// Copies, compares, prints and stores a type around a box whose trait has `copy`, `is`, `tell`, `owner` and `value`; `$make` of the
/// makers in a registry reads it.
macro_rules! stored_by_name {
    ($Type:ident, $registry:ident, $make:expr) => {
        impl Clone for $Type {
            fn clone(&self) -> Self {
                $Type(self.0.copy())
            }
        }

        impl PartialEq for $Type {
            fn eq(&self, other: &Self) -> bool {
                self.0.is(other.0.as_ref())
            }
        }

        impl std::fmt::Debug for $Type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.tell(f)
            }
        }

        impl serde::Serialize for $Type {
            fn serialize<S: serde::Serializer>(&self, s: S) -> std::result::Result<S::Ok, S::Error> {
                $crate::param::named::write(self.0.owner(), self.0.value(), s)
            }
        }

        impl<'de> serde::Deserialize<'de> for $Type {
            fn deserialize<D: serde::Deserializer<'de>>(d: D) -> std::result::Result<Self, D::Error> {
                $registry.read(d, $make)
            }
        }
    };
}
pub(crate) use stored_by_name;
