//! The Python modules with the classes, their names, and the texts of their docstrings.

use crate::classes::{Capabilities, Class, ConstructorArgument, SEARCHES, exported, imports, sorted};
use crate::spellings::{EXAMPLES, NOTES};
use mercer::data::Kind;
use mercer::error::Result;
use mercer::estimators::Needs;
use std::fmt::Write;

const WIDTH: usize = 140;
const MADE: &str = "Made by `make gen` from the records of the library and crates/mercer-gen/src/spellings.rs; edit those.";

/// Type and meaning of an argument or an attribute.
type Text = (&'static str, &'static str);

/// Words with commas, wrapped and indented.
fn listed(indent: usize, words: impl IntoIterator<Item = String>) -> String {
    let mut out = String::new();
    let mut line = String::new();
    for word in words {
        if !line.is_empty() && indent + line.chars().count() + word.chars().count() + 2 > WIDTH {
            let _ = writeln!(out, "{:indent$}{line}", "");
            line.clear();
        }
        let gap = if line.is_empty() { "" } else { " " };
        let _ = write!(line, "{gap}{word},");
    }
    let _ = writeln!(out, "{:indent$}{line}", "");
    out
}

/// A text as a literal of Python.
fn quoted(text: &str) -> String {
    let text = text.replace('\\', "\\\\");
    if text.contains('"') && !text.contains('\'') { format!("'{text}'") } else { format!("\"{}\"", text.replace('"', "\\\"")) }
}

/// A tuple of texts: on one line if it fits behind so many characters, else wrapped and indented.
fn tuple(before: usize, indent: usize, words: &[&str]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| quoted(word)).collect();
    let line = format!("({}{})", quoted.join(", "), if words.len() == 1 { "," } else { "" });
    if before + line.chars().count() < WIDTH { line } else { format!("(\n{}{:indent$})", listed(indent + 4, quoted), "") }
}

/// The module with the classes.
///
/// # Errors
/// A base class whose module is unknown.
pub(crate) fn module(classes: &[Class]) -> Result<String> {
    let mut out = format!("\"\"\"Estimators of scikit-learn's form.\n\n{MADE}\n\"\"\"\n\nfrom typing import Any\n\n");
    for (module, names) in imports(classes)? {
        let _ = writeln!(out, "from .{module} import {}", names.into_iter().collect::<Vec<_>>().join(", "));
    }
    let all: Vec<String> = exported(classes).into_iter().map(quoted).collect();
    let _ = writeln!(out, "\n__all__ = [\n{}]", listed(4, all));
    for class in classes {
        class.write(&mut out);
    }
    let made = listed(4, classes.iter().map(|class| class.name.clone()));
    let _ = write!(out, "\n\nfor _class in (\n{made}):\n    _class.__doc__ = docstring(_class)\ndel _class\n");
    Ok(out)
}

/// The module with the names of the classes, and of the estimators that say more than a class.
pub(crate) fn names(classes: &[Class]) -> String {
    let with = |has: fn(&Capabilities) -> bool| {
        let mut names: Vec<_> = classes.iter().filter(|class| has(&class.capabilities)).map(|class| class.estimator.name).collect();
        // Classes of one estimator follow each other.
        names.dedup();
        names
    };
    format!(
        "\"\"\"Names of the estimators of scikit-learn's form.\n\n{MADE}\n\"\"\"\n\nNAMES = {}\n# Searches over such estimators.\nSEARCHES = {}\n\n# Estimators of the library with decision values, with class probabilities, and with predictions for each training row by the model without it, of classes and of numbers.\nSCORES = {}\nPROBABILITIES = {}\nLEFT_OUT_CLASSES = {}\nLEFT_OUT_NUMBERS = {}\n",
        tuple(16, 0, &sorted(classes)),
        tuple(16, 0, SEARCHES.1),
        tuple(16, 0, &with(|each| each.scores)),
        tuple(16, 0, &with(|each| each.probabilities)),
        tuple(16, 0, &with(|each| each.left_out == Some(Kind::Classes))),
        tuple(16, 0, &with(|each| each.left_out == Some(Kind::Numbers)))
    )
}

/// Texts by key: the name that they belong to or, where that has another text already, the class and the name.
#[derive(Default)]
struct Texts {
    entries: Vec<(String, Text)>,
}

impl Texts {
    /// The key of a text.
    fn key(&mut self, class: &str, name: &str, text: Text) -> String {
        let belongs = |key: &str| key == name || key.rsplit_once('.').is_some_and(|(_, of)| of == name);
        if let Some((key, _)) = self.entries.iter().find(|(key, known)| belongs(key) && *known == text) {
            return key.clone();
        }
        let is_first = !self.entries.iter().any(|(key, _)| key == name);
        let key = if is_first { name.to_owned() } else { format!("{class}.{name}") };
        self.entries.push((key.clone(), text));
        key
    }

    fn write(&self, out: &mut String) {
        for (key, (kind, doc)) in &self.entries {
            let head = format!("    {}: ", quoted(key));
            let _ = writeln!(out, "{head}{},", tuple(head.chars().count(), 4, &[kind, doc]));
        }
    }
}

/// The module with the texts of docstrings that no record of the library has.
pub(crate) fn texts(classes: &[Class]) -> String {
    let (mut arguments, mut attributes) = (Texts::default(), Texts::default());
    let mut keys = String::new();
    for class in classes {
        let argument = |a: &ConstructorArgument| Some(arguments.key(&class.name, &a.name, a.text?));
        let of_arguments: Vec<String> = class.arguments.iter().filter_map(argument).collect();
        let of_attributes: Vec<String> =
            class.attributes.iter().map(|(name, kind, doc)| attributes.key(&class.name, name, (kind, doc))).collect();
        let list = |keys: &[String]| tuple(8, 8, &keys.iter().map(String::as_str).collect::<Vec<_>>());
        let _ = writeln!(keys, "    \"{}\": (\n        {},\n        {},\n    ),", class.name, list(&of_arguments), list(&of_attributes));
    }
    let mut out = format!(
        "\"\"\"Texts of docstrings that no record of the library has.\n\n{MADE}\n\"\"\"\n\n# Arguments and attributes: type and meaning. A key with a class is the text of that class and of others that name it.\nARGUMENTS = {{\n"
    );
    arguments.write(&mut out);
    out.push_str("}\nATTRIBUTES = {\n");
    attributes.write(&mut out);
    let _ = write!(
        out,
        "}}\n# Of each class the keys of its arguments and of its attributes; other arguments have the text of a record.\nKEYS = {{\n{keys}}}\n# Of some classes a paragraph behind the first.\nNOTES = {{\n"
    );
    for (class, paragraph) in NOTES {
        let _ = writeln!(out, "    \"{class}\": (\n        {}\n    ),", quoted(paragraph));
    }
    out.push_str("}\n# Of some classes the example, where that of every class of the kind says too little.\nEXAMPLES = {\n");
    for (class, lines) in EXAMPLES {
        let lines: String = lines.iter().map(|line| format!("        {},\n", quoted(line))).collect();
        let _ = writeln!(out, "    \"{class}\": (\n{lines}    ),");
    }
    out.push_str("}\n");
    out
}

impl Class {
    fn write(&self, out: &mut String) {
        // Arguments that one line stores.
        const ASSIGNED: usize = 3;
        let pairs = |pairs: Vec<String>| format!("{{{}}}", pairs.join(", "));
        let _ = write!(out, "\n\nclass {}({}):\n    _name = \"{}\"\n", self.name, self.bases, self.estimator.name);
        let names = self.arguments.iter().filter_map(|a| Some(format!("\"{}\": \"{}\"", a.sets?, a.name)));
        let _ = writeln!(out, "    _parameter_names = {}", pairs(names.collect()));
        if !self.constants.is_empty() {
            let constants = self.constants.iter().map(|(name, value)| format!("\"{name}\": {value}"));
            let _ = writeln!(out, "    _constants = {}", pairs(constants.collect()));
        }
        if self.estimator.needs == Needs::Nothing {
            out.push_str("    _ignores_inputs = True\n");
        }
        let mut signature = vec!["self".to_owned()];
        for (k, a) in self.arguments.iter().enumerate() {
            if k == self.positional {
                signature.push("*".to_owned());
            }
            signature.push(format!("{}: {} = {}", a.name, a.hint, a.default));
        }
        let _ = write!(out, "\n    def __init__(\n{}    ) -> None:\n", listed(8, signature));
        for some in self.arguments.chunks(ASSIGNED) {
            let (fields, values): (Vec<String>, Vec<&str>) = some.iter().map(|a| (format!("self.{}", a.name), a.name.as_str())).unzip();
            let _ = writeln!(out, "        {} = {}", fields.join(", "), values.join(", "));
        }
    }
}
