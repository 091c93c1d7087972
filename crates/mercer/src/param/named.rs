//! How what a program brings along is stored: by its name, with its parameters.

use crate::expr::{self, Term};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de, ser};
use serde_json::{Result, Value};

/// A name and what is stored under it.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Named {
    name: String,
    value: Value,
}

/// Stores a value under a name.
pub(crate) fn write<S: Serializer>(name: &str, value: Result<Value>, s: S) -> std::result::Result<S::Ok, S::Error> {
    Named { name: name.to_owned(), value: value.map_err(ser::Error::custom)? }.serialize(s)
}

/// Reads what `make` gives for a name and a value; `None` where nothing is registered by that name.
pub(crate) fn read<'de, D: Deserializer<'de>, T>(
    what: &str,
    d: D,
    make: impl FnOnce(&str, Value) -> Option<Result<T>>,
) -> std::result::Result<T, D::Error> {
    let Named { name, value } = Named::deserialize(d)?;
    let unknown = || format!("it has the {what} '{name}', which this program has not registered; register it before loading");
    make(&name, value).ok_or_else(|| de::Error::custom(unknown()))?.map_err(de::Error::custom)
}

/// Why an expression cannot have such a name; `None` where it can.
pub(crate) fn fault_of(name: &str) -> Option<&'static str> {
    let is_one = matches!(expr::parse(name), Ok(Term::Call { name: read, args, .. }) if read == name && args.is_empty());
    (!is_one).then_some("its NAME cannot stand in an expression; write letters, digits and underscores, a letter first")
}
