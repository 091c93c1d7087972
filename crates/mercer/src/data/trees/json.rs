//! Trees written as JSON: nested lists that begin with a label, `["S", ["NP", "I"], ["VP", "run"]]`, or objects,
//! `{"label": "S", "children": [..]}`. A text or a number alone is a leaf.

use serde_json::Value;

/// What is still to be written of a tree.
enum Pending<'v> {
    Node(&'v Value),
    Bracket,
}

/// Whether a text that nobody has declared is meant as a tree in JSON: a list in a list, or an object with children.
pub(super) fn looks_like(text: &str) -> bool {
    let nested = text.starts_with("[\"") && text[1..].contains('[');
    (nested || text.starts_with('{') && text.contains("\"children\"")) && bracketed(text).is_ok()
}

/// Whether a text is JSON and no bracket form.
pub(super) fn is_json(text: &str) -> bool {
    text.starts_with(['[', '{'])
}

/// The bracket form of a tree in JSON, or what is wrong with it.
pub(super) fn bracketed(text: &str) -> Result<String, String> {
    // Brackets in brackets that the reader of JSON takes.
    const DEEPEST: usize = 127;
    let json: Value = serde_json::from_str(text).map_err(|why| {
        if why.to_string().starts_with("recursion limit") {
            return format!("as JSON it is more than {DEEPEST} brackets deep; write it as (S (NP I)), which may be of any depth");
        }
        format!("as JSON it ends or breaks at character {}", why.column())
    })?;
    let (mut written, mut pending) = (String::new(), vec![Pending::Node(&json)]);
    while let Some(next) = pending.pop() {
        let Pending::Node(value) = next else {
            written.push(')');
            continue;
        };
        let (name, children) = parts(value)?;
        let is_leaf = children.is_empty() && !written.is_empty();
        // A bracket without a label takes the word that follows for one.
        let first_is_word = children.first().map(parts).transpose()?.is_none_or(|(_, below)| below.is_empty());
        let label = label(name, is_leaf || first_is_word)?;
        if !written.is_empty() {
            written.push(' ');
        }
        if !is_leaf {
            written.push('(');
            pending.push(Pending::Bracket);
        }
        written.push_str(&label);
        pending.extend(children.iter().rev().map(Pending::Node));
    }
    Ok(written)
}

/// The label of a node and its children.
fn parts(value: &Value) -> Result<(&Value, &[Value]), String> {
    match value {
        Value::Array(list) => match list.split_first() {
            Some((label, children)) => Ok((label, children)),
            None => Err("it has an empty list, which has no label".into()),
        },
        Value::Object(members) => {
            if let Some((name, _)) = members.iter().find(|(name, _)| *name != "label" && *name != "children") {
                return Err(format!("it has a member \"{name}\", and only \"label\" and \"children\" are read"));
            }
            let children = match members.get("children") {
                None | Some(Value::Null) => &[][..],
                Some(Value::Array(children)) => children,
                Some(other) => return Err(format!("\"children\" is {other}, expected a list")),
            };
            Ok((members.get("label").unwrap_or(&Value::Null), children))
        }
        leaf => Ok((leaf, &[])),
    }
}

/// The text of a label: no space or round bracket, which end labels in bracket form, and not empty. Where it is not `needed`, it may be
/// left out.
fn label(value: &Value, needed: bool) -> Result<String, String> {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Number(_) | Value::Bool(_) => value.to_string(),
        Value::Null if !needed => return Ok(String::new()),
        Value::Null => return Err("it has a node without a label; write one (a node whose first child has children may have none)".into()),
        other => return Err(format!("the label {other} is no text or number")),
    };
    match text.chars().find(|c| c.is_whitespace() || *c == '(' || *c == ')') {
        Some(c) => Err(format!("the label {value} holds '{c}', which ends a label; write another character")),
        None if text.is_empty() => Err("it has an empty label; write one".into()),
        None => Ok(text),
    }
}
