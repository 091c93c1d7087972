//! Reading, setting and printing the parameters of an owner by their names.

use super::{Alias, Domain, NumericSetting, Param, ParameterValue, Parameters, Value, elsewhere};
use crate::error::{Error, Result};
use crate::expr::{Argument, Term};

/// The record with this name, and its place.
fn place(owner: &str, params: &'static [Param], aliases: &[Alias], name: &str) -> Result<(usize, &'static Param)> {
    let by = |same: &dyn Fn(&str) -> bool| params.iter().position(|p| same(p.name)).map(|place| (place, &params[place]));
    // Books write C where files and keywords are in small letters.
    by(&|known| known == name).or_else(|| by(&|known| known.eq_ignore_ascii_case(name))).ok_or_else(|| {
        let known = params.iter().map(|p| p.name).chain(aliases.iter().map(|(alias, _, _)| *alias));
        let of_owner = elsewhere::NAMES.iter().filter(|(whose, _, _)| whose.split(' ').any(|o| o == owner));
        let elsewhere: Vec<(&str, &'static str)> = of_owner.map(|(_, name, here)| (*name, *here)).collect();
        Error::unknown_here(format!("parameter of {owner}"), name, known, &elsewhere)
    })
}

/// The record with this name.
pub(crate) fn find(owner: &str, params: &'static [Param], aliases: &[Alias], name: &str) -> Result<&'static Param> {
    place(owner, params, aliases, name).map(|(_, param)| param)
}

/// Each parameter with its record, in order.
fn each(object: &dyn Parameters) -> impl Iterator<Item = (&'static Param, &dyn ParameterValue)> {
    let records: &'static [Param] = object.records();
    records.iter().enumerate().filter_map(|(place, param)| Some((param, object.parameter(place)?)))
}

/// The parameter at a place, which its owner has where it has the record.
fn at<'a>(object: &'a mut dyn Parameters, owner: &str, place: usize) -> Result<&'a mut dyn ParameterValue> {
    object.parameter_mut(place).ok_or_else(|| Error::Data(format!("{owner} has no parameter at place {}", place + 1)))
}

/// Builds an owner from the arguments of a call, the rest at their defaults; positional arguments go in record order.
pub(crate) fn build<T: Default + Parameters>(owner: &str, aliases: &[Alias], args: &[Argument]) -> Result<T> {
    let mut made = T::default();
    fill(&mut made, owner, aliases, args)?;
    Ok(made)
}

/// Sets the parameters that are the arguments of a call.
pub(crate) fn fill(object: &mut dyn Parameters, owner: &str, aliases: &[Alias], args: &[Argument]) -> Result<()> {
    let params = object.records();
    let mut given: Vec<(&'static str, &str)> = Vec::new();
    for (i, arg) in args.iter().enumerate() {
        if let Some((alias, name, convert)) = aliases.iter().find(|(a, _, _)| arg.name.as_deref() == Some(a)) {
            let param = find(owner, params, aliases, name)?;
            require_once(owner, &mut given, param.name, alias)?;
            let given = Value::from_term(&arg.term, owner, alias, param.domain)?;
            set(object, owner, name, &given.map(convert))?;
            continue;
        }
        let (place, param) = match &arg.name {
            Some(name) => place(owner, params, aliases, name)?,
            None => {
                let more = || Error::Data(format!("{owner} takes {} parameter(s), found more", params.len()));
                (i, params.get(i).ok_or_else(more)?)
            }
        };
        require_once(owner, &mut given, param.name, param.name)?;
        at(object, owner, place)?.read(&arg.term, owner, param)?;
    }
    Ok(())
}

/// Notes that a parameter was given, by its name or another one; an error where it was before.
fn require_once<'a>(owner: &str, given: &mut Vec<(&'static str, &'a str)>, name: &'static str, by: &'a str) -> Result<()> {
    let Some((_, first)) = given.iter().find(|(known, _)| *known == name) else {
        given.push((name, by));
        return Ok(());
    };
    let other: Vec<String> = [*first, by].into_iter().filter(|by| *by != name).map(str::to_owned).collect();
    let spelt = match other.as_slice() {
        [] => String::new(),
        [one] => format!(" ({one} is another spelling of it)"),
        [one, two, ..] if one == two => format!(" ({one} is another spelling of it)"),
        [one, two, ..] => format!(" ({one} and {two} are other spellings of it)"),
    };
    Err(Error::Setting { name: owner.to_owned(), why: format!("{name} stands twice{spelt}; give it once") })
}

/// Sets a numeric parameter by name, its domain checked.
pub(crate) fn set(object: &mut dyn Parameters, owner: &str, name: &str, value: &Value) -> Result<()> {
    let (place, param) = place(owner, object.records(), &[], name)?;
    param.domain.check(owner, name, value)?;
    let number = at(object, owner, place)?.number_mut().ok_or_else(|| param.domain.refuse(owner, name, &value.to_string()))?;
    number.clone_from(value);
    Ok(())
}

/// Sets a numeric parameter by its path, its domain checked.
pub(crate) fn set_at(object: &mut dyn Parameters, owner: &str, path: &str, value: &Value) -> Result<()> {
    if let Some((name, rest)) = path.split_once('.')
        && let (place, Param { domain: Domain::Term(_), .. }) = place(owner, object.records(), &[], name)?
    {
        return at(object, owner, place)?.set_nested(rest, value);
    }
    set(object, owner, path, value)
}

/// Replaces what is open by its default, where that is a number, and a range by its point nearest to that.
pub(crate) fn settle_from_defaults(object: &mut dyn Parameters, defaults: &dyn Parameters) {
    for place in 0..object.records().len() {
        if let Some(Value::Number(start)) = defaults.parameter(place).and_then(|held| held.number())
            && let Some(open) = object.parameter_mut(place).and_then(|held| held.number_mut())
        {
            *open = open.settle(*start);
        }
    }
}

/// Sets a flag or a choice by name to one of its words.
pub(crate) fn set_word(object: &mut dyn Parameters, owner: &str, name: &str, word: &str) -> Result<()> {
    let (place, param) = place(owner, object.records(), &[], name)?;
    at(object, owner, place)?.read(&Term::Word(word.to_owned()), owner, param)
}

/// Every parameter with its value as a term, in record order.
pub(crate) fn terms(object: &dyn Parameters) -> Vec<(&'static str, Term)> {
    each(object).map(|(param, held)| (param.name, held.term())).collect()
}

/// Every parameter as it is written, in record order.
pub(crate) fn written(object: &dyn Parameters) -> Vec<String> {
    each(object).map(|(_, held)| held.term().to_string()).collect()
}

/// Every numeric parameter, those of nested expressions where these stand; one outside its domain, which only a damaged file brings
/// about, is left out.
pub(crate) fn numbers(object: &dyn Parameters) -> Vec<NumericSetting> {
    let mut all = Vec::new();
    for (param, held) in each(object) {
        let own = held.number().filter(|value| param.domain.check("", param.name, value).is_ok());
        all.extend(own.map(|value| NumericSetting { path: param.name.to_owned(), param, value: value.clone() }));
        all.extend(held.nested_numbers().into_iter().map(|nested| nested.below(param.name)));
    }
    all
}

/// An error that names the first parameter, of the owner or of a nested expression, that is not settled or, which only a damaged
/// file brings about, not in its domain.
pub(crate) fn require_settled(object: &dyn Parameters, owner: &str) -> Result<()> {
    let check = |name: &str, param: &Param, value: &Value| {
        param.domain.check(owner, name, value)?;
        let is_learnt = param.learnt && *value == Value::Auto;
        if is_learnt || value.is_settled() {
            return Ok(());
        }
        Err(Error::Unsettled { owner: owner.into(), name: name.into(), value: value.to_string() })
    };
    for (param, held) in each(object) {
        held.number().map_or(Ok(()), |value| check(param.name, param, value))?;
    }
    for (param, held) in each(object) {
        for setting in held.nested_numbers() {
            let NumericSetting { path, param, value } = setting.below(param.name);
            check(&path, param, &value)?;
        }
    }
    Ok(())
}

/// `name(a=1, b=auto)`, leaving out parameters at their defaults; `name` alone when all are.
pub(crate) fn call<T: Default + Parameters>(name: &str, object: &T) -> Term {
    Term::Call { name: name.to_owned(), args: given(&T::default(), object), at: 0 }
}

/// The parameters in which an owner differs from another, as arguments.
pub(crate) fn given(default: &dyn Parameters, object: &dyn Parameters) -> Vec<Argument> {
    let both = terms(object).into_iter().zip(terms(default));
    both.filter(|(now, default)| now != default).map(|((name, term), _)| Argument { name: Some(name.to_owned()), term }).collect()
}
