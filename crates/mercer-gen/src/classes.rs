//! The Python module with one class per estimator and sort of target.

use crate::spellings::{Argument, CLASS_WEIGHT, MAX_SECONDS, N_JOBS, Role, Spelling, USUAL, spellings};
use mercer::data::Kind;
use mercer::error::{Error, Result};
use mercer::estimators::{self, EstimatorEntry, EstimatorExpr, Finds, Needs, Scores, When};
use mercer::param::{Domain, Param};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

const WIDTH: usize = 116;
const MADE: &str = "Made by `make gen` from the records of the library and crates/mercer-gen/src/spellings.rs; edit those.";

/// A class that is written by hand.
struct HandWritten {
    class: &'static str,
    module: &'static str,
    /// The estimator that gets no generated class because of it.
    estimator: Option<&'static str>,
}

const HAND_WRITTEN: [HandWritten; 8] = [
    HandWritten { class: "KernelDensity", module: "_density", estimator: Some("kde") },
    HandWritten { class: "LinearSVC", module: "_linear", estimator: Some("linear_svc") },
    HandWritten { class: "LinearSVR", module: "_linear", estimator: Some("linear_svr") },
    HandWritten { class: "LocalRegression", module: "_smoothing", estimator: Some("local_regression") },
    HandWritten { class: "Lowess", module: "_smoothing", estimator: None },
    HandWritten { class: "MercerClassifier", module: "_learners", estimator: None },
    HandWritten { class: "MercerRegressor", module: "_learners", estimator: None },
    HandWritten { class: "NadarayaWatson", module: "_smoothing", estimator: None },
];
/// Searches over such estimators, and their module.
const SEARCHES: (&str, &[&str]) = ("_search", &["GridSearchCV"]);

/// The modules of the base classes.
const BASES: &[(&str, &[&str])] = &[
    ("_base", &["AskedProbabilities", "KernelClassifier", "KernelRegressor", "Probabilities", "Scores", "SupportRows"]),
    ("_clusters", &["Clusters", "Medoids", "Spectral"]),
    ("_components", &["KernelTransformer", "PrincipalComponents", "Scaling"]),
    ("_gp", &["GaussianProcess", "GaussianProcessClasses"]),
    ("_neighbours", &["NeighbourClassifier", "NeighbourRegressor"]),
    ("_relevance", &["RelevanceRegressor", "RelevanceVectors"]),
    ("_ridge", &["RidgeClassification", "RidgeRegression"]),
    ("_streams", &["StreamOfClasses", "StreamOfNumbers"]),
    ("_svm", &["SupportVectorClassifier", "SupportVectorRegressor"]),
];

/// Estimators that store the training rows and compute nothing in a fit: their classes have no time limit.
const LAZY: &[&str] = &["knn"];

/// A class to be written.
pub(crate) struct Class {
    name: String,
    estimator: EstimatorEntry,
    role: Role,
    says: Says,
    bases: String,
    fixed: &'static [(&'static str, &'static str)],
    positional: usize,
    arguments: Vec<Written>,
    attributes: Vec<(String, String)>,
}

/// What a class can say besides its predictions.
#[derive(Clone, Copy, Default)]
struct Says {
    /// Decision values, of two classes one number; votes are something else.
    scores: bool,
    probabilities: bool,
    /// The flag that enables probabilities, where they are optional.
    calibrated: Option<&'static str>,
    /// Predictions for each training row by the model fitted without it.
    left_out: bool,
}

/// An argument of a constructor, in words.
struct Written {
    name: String,
    default: String,
    class: String,
    doc: String,
    sets: Option<&'static str>,
}

/// Every class: those that scikit-learn has too under its names, then those of the other estimators.
pub(crate) fn classes() -> Result<Vec<Class>> {
    let mut out = Vec::new();
    for entry in estimators::catalogue() {
        if HAND_WRITTEN.iter().any(|hand| hand.estimator == Some(entry.name)) {
            continue;
        }
        let estimator = EstimatorExpr::parse(entry.name)?;
        let mut roles = targets(&entry);
        match entry.gives.finds {
            _ if !entry.takes.contains(&Kind::Nothing) => {}
            Finds::Components => roles.push(Role::Transformer),
            Finds::Clusters => roles.push(Role::Clusterer),
            Finds::Density => return Err(Error::Data(format!("{} gets no class: that of a density is written by hand", entry.name))),
        }
        if roles.is_empty() {
            return Err(Error::Data(format!("{} gets no class: it takes no target, not even none", entry.name)));
        }
        for role in roles {
            let spelling = spellings().find(|s| s.estimator == entry.name && s.role == role);
            out.push(match spelling {
                Some(spelling) => spelt(entry, spelling),
                None => unspelt(entry, &estimator, role),
            });
        }
    }
    match spellings().find(|s| !out.iter().any(|class| class.name == s.class)) {
        Some(idle) => Err(Error::Data(format!("the spelling {} belongs to no estimator", idle.class))),
        None => Ok(out),
    }
}

/// What it is by the targets that it takes.
fn targets(entry: &EstimatorEntry) -> Vec<Role> {
    let of = |kind: Kind, role: Role| entry.takes.contains(&kind).then_some(role);
    [of(Kind::Classes, Role::Classifier), of(Kind::Numbers, Role::Regressor)].into_iter().flatten().collect()
}

fn attributes(role: Role, more: &[(&str, &str)]) -> Vec<(String, String)> {
    let classes: &[(&str, &str)] =
        if role == Role::Classifier { &[("classes_ : ndarray of shape (n_classes,)", "The classes")] } else { &[] };
    let every = [
        ("model_ : mercer.Model or its like", "The fitted model of the library"),
        ("certificate_ : dict", "Name, value and tolerance of the number that proves how good the fit is"),
        ("n_features_in_ : int", "Number of columns"),
        ("feature_names_in_ : ndarray of shape (n_features_in_,)", "Their names, where the training rows had names"),
    ];
    classes.iter().chain(more).chain(&every).map(|(name, doc)| ((*name).to_owned(), (*doc).to_owned())).collect()
}

fn written(argument: &Argument, params: &[Param]) -> Written {
    let record = params.iter().find(|p| argument.sets == Some(p.name));
    let (class, doc) = match record {
        Some(p) if argument.doc.1.is_empty() => (kind(p), p.doc.to_owned()),
        _ => (argument.doc.0.to_owned(), argument.doc.1.to_owned()),
    };
    Written { name: argument.name.to_owned(), default: argument.default.to_owned(), class, doc, sets: argument.sets }
}

fn spelt(entry: EstimatorEntry, spelling: &Spelling) -> Class {
    Class {
        name: spelling.class.to_owned(),
        estimator: entry,
        role: spelling.role,
        says: says(&entry, spelling.role),
        bases: spelling.bases.to_owned(),
        fixed: spelling.fixed,
        positional: spelling.positional,
        arguments: spelling.arguments.iter().chain(last(&entry)).map(|a| written(a, entry.params)).collect(),
        attributes: attributes(spelling.role, spelling.attributes),
    }
}

/// The last arguments of a class.
fn last(entry: &EstimatorEntry) -> impl Iterator<Item = &'static Argument> {
    let is_quick = entry.needs == Needs::Nothing || LAZY.contains(&entry.name);
    (!is_quick).then_some(&MAX_SECONDS).into_iter().chain([&N_JOBS])
}

/// The class of an estimator that scikit-learn does not have.
fn unspelt(entry: EstimatorEntry, estimator: &EstimatorExpr, role: Role) -> Class {
    let says = says(&entry, role);
    let mut bases = Vec::new();
    bases.extend(says.scores.then_some("Scores"));
    bases.extend(says.probabilities.then_some("Probabilities"));
    bases.extend(says.calibrated.filter(|flag| *flag == "probabilities").map(|_| "AskedProbabilities"));
    let (base, suffix) = match role {
        Role::Classifier => ("KernelClassifier", "Classifier"),
        Role::Regressor => ("KernelRegressor", "Regressor"),
        Role::Transformer => ("KernelTransformer", ""),
        Role::Clusterer => ("Clusters", ""),
    };
    bases.push(base);
    let defaults = estimator.arguments();
    // Only classes have probabilities.
    let idle = |p: &Param| role != Role::Classifier && entry.gives.calibrated == When::If(p.name);
    let own = entry.params.iter().zip(&defaults).filter(|(p, _)| !idle(p)).map(|(p, (_, default))| Written {
        name: name(p.name),
        default: literal(default),
        class: kind(p),
        doc: p.doc.to_owned(),
        sets: Some(p.name),
    });
    let weighs = role == Role::Classifier && entry.needs != Needs::Nothing && !entry.params.iter().any(|p| p.name == CLASS_WEIGHT.name);
    let usual = weighs.then_some(&CLASS_WEIGHT).into_iter().chain(USUAL).chain(last(&entry)).map(|a| written(a, &[]));
    Class {
        name: format!("{}{suffix}", camel(entry.name)),
        estimator: entry,
        role,
        says,
        bases: bases.join(", "),
        fixed: &[],
        positional: 0,
        arguments: own.chain(usual).collect(),
        attributes: attributes(role, &[]),
    }
}

/// What the record of an estimator says of a class.
fn says(entry: &EstimatorEntry, role: Role) -> Says {
    let (gives, classifies) = (entry.gives, role == Role::Classifier);
    Says {
        scores: classifies && matches!(gives.scores, Scores::Classes | Scores::Pairs),
        probabilities: classifies && gives.probabilities.is_always_for(Kind::Classes),
        left_out: role == Role::Regressor && gives.leave_one_out.is_always_for(Kind::Numbers),
        calibrated: match gives.calibrated {
            When::If(flag) if classifies => Some(flag),
            _ => None,
        },
    }
}

/// What may be given for a parameter.
fn kind(param: &Param) -> String {
    let class = match param.domain {
        Domain::Flag => "bool".to_owned(),
        Domain::Choice(words) => return format!("{{{}}}", words.iter().map(|w| format!("\"{w}\"")).collect::<Vec<_>>().join(", ")),
        Domain::Integer(..) => "int".to_owned(),
        Domain::Term(_) => "str".to_owned(),
        Domain::CountOrShare => "int, float or \"auto\"".to_owned(),
        _ => "float".to_owned(),
    };
    if param.search.is_some() { format!("{class}, \"auto\" or a pair (low, high) to search") } else { class }
}

/// The type of an argument that the docstring describes so.
fn hint(class: &str) -> &'static str {
    match class {
        "bool" => "bool",
        "int" => "int",
        "float" => "float",
        "int or None" => "int | None",
        "float or None" => "float | None",
        listed if listed.starts_with("float, \"auto\"") && (listed.contains("list") || listed.contains("array")) => "Any",
        searched if searched.starts_with("float, \"auto\"") => "float | str | tuple[float, float]",
        searched if searched.starts_with("int, \"auto\"") => "int | str | tuple[int, int]",
        words if words.starts_with('{') && words.ends_with('}') => "str",
        _ => "Any",
    }
}

/// A name of ours where Python can have it.
fn name(ours: &str) -> String {
    if ["lambda", "in", "is", "from", "with"].contains(&ours) { format!("{ours}_") } else { ours.to_owned() }
}

/// A default as Python writes it.
pub(crate) fn literal(text: &str) -> String {
    match text {
        "true" => "True".into(),
        "false" => "False".into(),
        number if number.parse::<f64>().is_ok() => number.into(),
        word => format!("\"{word}\""),
    }
}

/// `nearest_mean` as `NearestMean`.
fn camel(name: &str) -> String {
    let capital = |part: &str| {
        let (first, rest) = part.split_at(part.len().min(1));
        first.to_uppercase() + rest
    };
    name.split('_').map(capital).collect()
}

/// A paragraph of lines with an indent.
fn wrap(out: &mut String, indent: usize, text: &str) {
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.is_empty() && indent + line.chars().count() + 1 + word.chars().count() > WIDTH {
            let _ = writeln!(out, "{:indent$}{line}", "");
            line.clear();
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    let _ = writeln!(out, "{:indent$}{line}", "");
}

pub(crate) fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map_or_else(String::new, |c| c.to_uppercase().collect());
    format!("{first}{}.", letters.as_str())
}

/// The module with the classes.
///
/// # Errors
/// A base class without a module in [`BASES`].
pub(crate) fn module(classes: &[Class]) -> Result<String> {
    let mut out = format!("\"\"\"Estimators of scikit-learn's form.\n\n{MADE}\n\"\"\"\n\nfrom typing import Any\n\n");
    for (module, names) in imports(classes)? {
        let _ = writeln!(out, "from .{module} import {}", names.into_iter().collect::<Vec<_>>().join(", "));
    }
    let all: Vec<String> = exported(classes).into_iter().map(|name| format!("\"{name}\"")).collect();
    let _ = writeln!(out, "\n__all__ = [{}]", all.join(", "));
    for class in classes {
        class.write(&mut out);
    }
    Ok(out)
}

/// Names of the classes and of the searches over them.
pub(crate) fn exported(classes: &[Class]) -> Vec<&str> {
    sorted(classes).into_iter().chain(SEARCHES.1.iter().copied()).collect()
}

/// Names of all classes, those that are written by hand among them.
fn sorted(classes: &[Class]) -> Vec<&str> {
    let mut names: Vec<&str> = classes.iter().map(|c| c.name.as_str()).chain(HAND_WRITTEN.map(|hand| hand.class)).collect();
    names.sort_unstable();
    names
}

/// Names of the classes, and of the estimators that say more than a class.
pub(crate) fn names(classes: &[Class]) -> String {
    let names = sorted(classes);
    let by_hand: Vec<EstimatorEntry> =
        estimators::catalogue().into_iter().filter(|e| HAND_WRITTEN.iter().any(|hand| hand.estimator == Some(e.name))).collect();
    let of_hand = by_hand.iter().flat_map(|e| targets(e).into_iter().map(|role| (e.name, says(e, role)))).collect::<Vec<_>>();
    let all = || classes.iter().map(|c| (c.estimator.name, c.says)).chain(of_hand.iter().copied());
    let that = |say: fn(Says) -> bool| all().filter(|(_, says)| say(*says)).map(|(name, _)| name).collect::<Vec<_>>();
    let tuple = |names: &[&str]| format!("(\n{})", names.iter().map(|name| format!("    \"{name}\",\n")).collect::<String>());
    format!(
        "\"\"\"Names of the estimators of scikit-learn's form.\n\n{MADE}\n\"\"\"\n\nNAMES = {}\n# Searches over such estimators.\nSEARCHES = {}\n\n# Estimators of the library with decision values and with class probabilities; those with predictions for each training row by the model without it.\nSCORES = {}\nPROBABILITIES = {}\nLEFT_OUT = {}\n",
        tuple(&names),
        tuple(SEARCHES.1),
        tuple(&that(|s| s.scores)),
        tuple(&that(|s| s.probabilities)),
        tuple(&that(|s| s.left_out))
    )
}

/// What the module with the classes imports: modules and names, both in order.
fn imports(classes: &[Class]) -> Result<BTreeMap<&'static str, BTreeSet<&str>>> {
    let mut out: BTreeMap<&'static str, BTreeSet<&str>> = BTreeMap::new();
    for base in classes.iter().flat_map(|class| class.bases.split(", ")) {
        let home = BASES.iter().find(|(_, bases)| bases.contains(&base));
        let (module, _) = home.ok_or_else(|| Error::Data(format!("the base class {base} has no module; add it to BASES")))?;
        out.entry(module).or_default().insert(base);
    }
    for hand in &HAND_WRITTEN {
        out.entry(hand.module).or_default().insert(hand.class);
    }
    out.entry(SEARCHES.0).or_default().extend(SEARCHES.1);
    Ok(out)
}

impl Class {
    fn write(&self, out: &mut String) {
        let _ = write!(out, "\n\nclass {}({}):\n    \"\"\"", self.name, self.bases);
        let mut first = String::new();
        wrap(&mut first, 4, &sentence(self.estimator.doc));
        let _ = writeln!(out, "{}", first.trim_start());
        let tuned = match (self.role, self.estimator.criterion) {
            (Role::Transformer | Role::Clusterer, _) => String::new(),
            (_, criterion) => format!(" What is \"auto\" or a pair is tuned by {}.", criterion.unwrap_or("cross-validation")),
        };
        wrap(out, 4, &format!("The estimator {} of Mercer.{tuned}", self.estimator.name));
        out.push_str("\n    Parameters\n    ----------\n");
        for a in &self.arguments {
            let _ = writeln!(out, "    {} : {}, default={}", a.name, a.class, a.default);
            wrap(out, 8, &sentence(&a.doc));
        }
        out.push_str("\n    Attributes\n    ----------\n");
        for (name, doc) in &self.attributes {
            let _ = writeln!(out, "    {name}");
            wrap(out, 8, &sentence(doc));
        }
        let name = &self.name;
        let few = match self.role {
            Role::Clusterer => "2",
            Role::Transformer => "1",
            Role::Classifier | Role::Regressor => "",
        };
        let (y, asked, answer) = match self.role {
            Role::Classifier => ("    >>> y = np.array([\"a\", \"a\", \"a\", \"b\", \"b\", \"b\"])\n", ".fit(X, y).predict(X)", "(6,)"),
            Role::Regressor => ("    >>> y = np.array([0.0, 0.8, 0.9, 0.1, -0.8, -1.0])\n", ".fit(X, y).predict(X)", "(6,)"),
            Role::Transformer => ("", ".fit_transform(X)", "(6, 1)"),
            Role::Clusterer => ("", ".fit_predict(X)", "(6,)"),
        };
        let _ = write!(
            out,
            "\n    Examples\n    --------\n    >>> import numpy as np\n    >>> from mercer import {name}\n    >>> X = np.arange(6.0).reshape(-1, 1)\n{y}    >>> {name}({few}){asked}.shape\n    {answer}\n    \"\"\"\n\n"
        );
        let _ = writeln!(out, "    _name = \"{}\"", self.estimator.name);
        let spelt: Vec<String> = self.arguments.iter().filter_map(|a| Some(format!("\"{}\": \"{}\"", a.sets?, a.name))).collect();
        let _ = writeln!(out, "    _spelt = {{{}}}", spelt.join(", "));
        if !self.fixed.is_empty() {
            let fixed: Vec<String> = self.fixed.iter().map(|(name, value)| format!("\"{name}\": {value}")).collect();
            let _ = writeln!(out, "    _fixed = {{{}}}", fixed.join(", "));
        }
        if self.estimator.needs == Needs::Nothing {
            out.push_str("    _poor = True\n");
        }
        out.push('\n');
        out.push_str("    def __init__(\n        self,\n");
        for (k, a) in self.arguments.iter().enumerate() {
            if k == self.positional {
                out.push_str("        *,\n");
            }
            let _ = writeln!(out, "        {}: {} = {},", a.name, hint(&a.class), a.default);
        }
        out.push_str("    ) -> None:\n");
        for a in &self.arguments {
            let _ = writeln!(out, "        self.{0} = {0}", a.name);
        }
    }
}
