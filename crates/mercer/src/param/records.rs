//! Records and the struct that they are of: what is checked when a type is registered.

use super::{Domain, Param, Value};
use crate::error::{Error, Result};
use serde::Serialize;

/// An error unless the fields that serde sees are the parameters of the records, one for one, each stored as its domain asks.
pub(crate) fn require_records<T: Serialize>(owner: &str, object: &T, params: &[Param]) -> Result<()> {
    let refused = |why: String| Err(Error::Setting { name: owner.to_owned(), why });
    let stored = serde_json::to_value(object).map_err(|e| Error::Data(format!("{owner}: {e}")))?;
    let none = serde_json::Map::new();
    let fields = stored.as_object().unwrap_or(&none);
    let names = |all: Vec<&str>| format!("[{}]", all.join(", "));
    if fields.len() != params.len() || params.iter().any(|p| !fields.contains_key(p.name)) {
        return refused(format!(
            "its fields are {} and its records {}; each field that serde sees is a parameter with a record of its name",
            names(fields.keys().map(String::as_str).collect()),
            names(params.iter().map(|p| p.name).collect())
        ));
    }
    for param in params {
        let (fits, needed) = match (param.domain, &fields[param.name]) {
            (Domain::Flag, value) => (value.is_boolean(), "a bool"),
            (Domain::Words, value) => (value.is_array(), "a Vec<String>"),
            (Domain::Choice(_), value) => (value.is_string(), "an enum whose variants are stored as words"),
            (Domain::Term(_), _) => (true, ""),
            // As text, so that it may be auto or a range.
            (_, value) => {
                (value.as_str().is_some_and(|text| serde_json::from_value::<Value>(text.into()).is_ok()), "a mercer::param::Value")
            }
        };
        if !fits {
            return refused(format!("the field {} is stored as {}; its record asks for {needed}", param.name, fields[param.name]));
        }
    }
    Ok(())
}
