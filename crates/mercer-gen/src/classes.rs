//! The Python classes: one for each estimator and kind of target, as data.

use crate::spellings::{Argument, CLASS_WEIGHT, MAX_SECONDS, N_JOBS, Role, Spelling, USUAL, spellings};
use mercer::data::Kind;
use mercer::error::{Error, Result};
use mercer::estimators::{self, EstimatorEntry, EstimatorExpr, Finds, Needs, Scores, When};
use mercer::param::{Domain, Param};
use std::collections::{BTreeMap, BTreeSet};

/// The modules of the classes that are written by hand, since they stand for no estimator or for every one.
const HAND_WRITTEN: &[(&str, &[&str])] = &[("_learners", &["MercerClassifier", "MercerRegressor"]), ("_smoothing", &["Lowess"])];
/// The module of the searches over such estimators, and their names.
pub(crate) const SEARCHES: (&str, &[&str]) = ("_search", &["GridSearchCV"]);

/// The modules of the base classes.
const BASES: &[(&str, &[&str])] = &[
    ("_base", &["AskedProbabilities", "KernelClassifier", "KernelRegressor", "Probabilities", "Scores", "SupportRows"]),
    ("_clusters", &["Clusters", "Medoids", "Spectral"]),
    ("_components", &["KernelTransformer", "PrincipalComponents", "Scaling"]),
    ("_density", &["ModelledClasses", "ModelledDensity", "SmoothedDensity"]),
    ("_gp", &["GaussianProcess", "GaussianProcessClasses"]),
    ("_linear", &["LinearMachineClassifier", "LinearMachineRegressor"]),
    ("_neighbours", &["NeighbourClassifier", "NeighbourRegressor"]),
    ("_relevance", &["RelevanceRegressor", "RelevanceVectors"]),
    ("_ridge", &["RidgeClassification", "RidgeRegression"]),
    ("_smoothing", &["LocalCurve"]),
    ("_streams", &["StreamOfClasses", "StreamOfNumbers"]),
    ("_svm", &["ClassesOfSets", "OneClassMachine", "SupportVectorClassifier", "SupportVectorRegressor"]),
];

/// Attributes of classes that stand on a model of the library.
const OF_MODELS: &[(&str, &str)] = &[
    ("model_ : mercer.Model or its like", "The fitted model of the library"),
    ("certificate_ : dict", "Name, value and tolerance of the number that proves how good the fit is"),
];
/// Attributes of every class.
const EVERY_ATTRIBUTE: &[(&str, &str)] = &[
    ("n_features_in_ : int", "Number of columns"),
    ("feature_names_in_ : ndarray of shape (n_features_in_,)", "Their names, where the training rows had names"),
];

/// A Python class to generate.
pub(crate) struct Class {
    pub(crate) name: String,
    pub(crate) estimator: EstimatorEntry,
    pub(crate) capabilities: Capabilities,
    pub(crate) bases: String,
    /// Parameters of the estimator that have no argument, with their values as Python writes them.
    pub(crate) constants: &'static [(&'static str, &'static str)],
    /// Arguments that may be given by position.
    pub(crate) positional: usize,
    pub(crate) arguments: Vec<ConstructorArgument>,
    /// Attributes: name, type, meaning.
    pub(crate) attributes: Vec<(&'static str, &'static str, &'static str)>,
}

/// What a class gives besides predictions.
#[derive(Clone, Copy, Default)]
pub(crate) struct Capabilities {
    /// Decision values, for two classes one number; votes do not count.
    pub(crate) scores: bool,
    /// Probabilities, always.
    pub(crate) probabilities: bool,
    /// The flag that enables probabilities, where they are optional.
    pub(crate) calibrated: Option<&'static str>,
    /// Predictions for each training row by the model fitted without it, of classes or of numbers.
    pub(crate) left_out: Option<Kind>,
}

/// An argument of a constructor.
pub(crate) struct ConstructorArgument {
    pub(crate) name: String,
    /// The default as Python writes it.
    pub(crate) default: String,
    /// The annotation.
    pub(crate) hint: &'static str,
    /// Type and meaning in the docstring; `None`: those of the record of the parameter.
    pub(crate) text: Option<(&'static str, &'static str)>,
    /// The parameter of the estimator that it sets.
    pub(crate) sets: Option<&'static str>,
}

/// Every class: those that scikit-learn has too under its names, then those of the other estimators.
pub(crate) fn classes() -> Result<Vec<Class>> {
    let mut out = Vec::new();
    for entry in estimators::catalogue() {
        let estimator = EstimatorExpr::parse(entry.name)?;
        let mut roles = targets(&entry);
        match entry.gives.finds {
            _ if !entry.takes.contains(&Kind::Nothing) => {}
            Finds::Components => roles.push(Role::Transformer),
            Finds::Clusters => roles.push(Role::Clusterer),
            Finds::Density => roles.push(Role::Density),
            Finds::Novelty => roles.push(Role::Outlier),
        }
        if roles.is_empty() {
            return Err(Error::Data(format!("{} gets no class: it takes no target, not even none", entry.name)));
        }
        for role in roles {
            let of_spellings: Vec<Class> =
                spellings().filter(|s| s.estimator == entry.name && s.role == role).map(|s| class_of_spelling(entry, s)).collect();
            if of_spellings.is_empty() {
                out.push(generated_class(entry, &estimator, role)?);
            }
            out.extend(of_spellings);
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

fn attributes(
    entry: &EstimatorEntry,
    role: Role,
    more: &'static [(&'static str, &'static str)],
) -> Vec<(&'static str, &'static str, &'static str)> {
    let classes: &'static [(&str, &str)] =
        if role == Role::Classifier { &[("classes_ : ndarray of shape (n_classes,)", "The classes")] } else { &[] };
    // Classes of estimators that read coordinates are fitted directly, without a model of the library.
    let of_models: &'static [(&str, &str)] = if entry.needs == Needs::Coordinates { &[] } else { OF_MODELS };
    let all = classes.iter().chain(more).chain(of_models).chain(EVERY_ATTRIBUTE);
    all.map(|(head, doc)| head.split_once(" : ").map_or((*head, "", *doc), |(name, kind)| (name, kind, *doc))).collect()
}

fn constructor_argument(argument: &Argument, params: &[Param]) -> ConstructorArgument {
    let record = params.iter().find(|p| argument.sets == Some(p.name) && argument.doc.1.is_empty());
    ConstructorArgument {
        name: argument.name.to_owned(),
        default: argument.default.to_owned(),
        hint: record.map_or_else(|| hint_in_words(argument.doc.0), hint),
        text: record.is_none().then_some(argument.doc),
        sets: argument.sets,
    }
}

fn class_of_spelling(entry: EstimatorEntry, spelling: &Spelling) -> Class {
    Class {
        name: spelling.class.to_owned(),
        estimator: entry,
        capabilities: capabilities(&entry, spelling.role),
        bases: spelling.bases.to_owned(),
        constants: spelling.constants,
        positional: spelling.positional,
        arguments: spelling.arguments.iter().chain(last(&entry)).map(|a| constructor_argument(a, entry.params)).collect(),
        attributes: attributes(&entry, spelling.role, spelling.attributes),
    }
}

/// The last arguments of a class.
fn last(entry: &EstimatorEntry) -> impl Iterator<Item = &'static Argument> {
    // Estimators whose classes have no time limit: a fit stores the rows, or takes a pass or two over them.
    const QUICK: &[&str] = &["knn", "kde", "local_regression"];
    let is_quick = entry.needs == Needs::Nothing || QUICK.contains(&entry.name);
    (!is_quick).then_some(&MAX_SECONDS).into_iter().chain([&N_JOBS])
}

/// The class of an estimator that scikit-learn does not have.
fn generated_class(entry: EstimatorEntry, estimator: &EstimatorExpr, role: Role) -> Result<Class> {
    // Classifiers that a factor of the weights of a whole class does not change: each class is fitted by itself, and has no prior.
    const EACH_CLASS_ALONE: &[&str] = &["nearest_medoid"];
    let capabilities = capabilities(&entry, role);
    let mut bases = Vec::new();
    bases.extend(capabilities.scores.then_some("Scores"));
    bases.extend(capabilities.probabilities.then_some("Probabilities"));
    bases.extend(capabilities.calibrated.filter(|flag| *flag == "probabilities").map(|_| "AskedProbabilities"));
    let (base, suffix) = match role {
        Role::Classifier => ("KernelClassifier", "Classifier"),
        Role::Regressor => ("KernelRegressor", "Regressor"),
        Role::Transformer => ("KernelTransformer", ""),
        Role::Clusterer => ("Clusters", ""),
        Role::Density | Role::Outlier => {
            return Err(Error::Data(format!("{} gets no class: densities and finders of outliers need a spelling", entry.name)));
        }
    };
    bases.push(base);
    let defaults = estimator.arguments();
    // Only classes have probabilities.
    let idle = |p: &Param| role != Role::Classifier && entry.gives.calibrated == When::If(p.name);
    let own = entry.params.iter().zip(&defaults).filter(|(p, _)| !idle(p)).map(|(p, (_, default))| ConstructorArgument {
        name: name(p.name),
        default: literal(default),
        hint: hint(p),
        text: None,
        sets: Some(p.name),
    });
    let weighs = role == Role::Classifier
        && entry.needs != Needs::Nothing
        && !EACH_CLASS_ALONE.contains(&entry.name)
        && !entry.params.iter().any(|p| p.name == CLASS_WEIGHT.name);
    let usual = weighs.then_some(&CLASS_WEIGHT).into_iter().chain(USUAL).chain(last(&entry)).map(|a| constructor_argument(a, &[]));
    Ok(Class {
        name: format!("{}{suffix}", camel(entry.name)),
        estimator: entry,
        capabilities,
        bases: bases.join(", "),
        constants: &[],
        positional: 0,
        arguments: own.chain(usual).collect(),
        attributes: attributes(&entry, role, &[]),
    })
}

/// What a class of this role gives, by the record of its estimator.
fn capabilities(entry: &EstimatorEntry, role: Role) -> Capabilities {
    let (gives, classifies) = (entry.gives, role == Role::Classifier);
    let predicts = match role {
        Role::Classifier => Some(Kind::Classes),
        Role::Regressor => Some(Kind::Numbers),
        _ => None,
    };
    Capabilities {
        scores: classifies && matches!(gives.scores, Scores::Classes | Scores::Pairs),
        probabilities: classifies && gives.probabilities.is_always_for(Kind::Classes),
        left_out: predicts.filter(|kind| gives.leave_one_out.when().is_always_for(*kind)),
        calibrated: match gives.calibrated {
            When::If(flag) if classifies => Some(flag),
            _ => None,
        },
    }
}

/// The annotation of an argument that sets a parameter.
fn hint(param: &Param) -> &'static str {
    match (param.domain, param.search.is_some()) {
        (Domain::Flag, _) => "bool",
        (Domain::Choice(_), _) => "str",
        (Domain::Integer(..), false) => "int",
        (Domain::Integer(..), true) => "int | str | tuple[int, int]",
        (Domain::Term(_) | Domain::Words | Domain::CountOrShare, _) => "Any",
        (_, false) => "float",
        (_, true) => "float | str | tuple[float, float]",
    }
}

/// The annotation of an argument whose type is given in words.
fn hint_in_words(words: &str) -> &'static str {
    match words {
        "bool" => "bool",
        "int" => "int",
        "float" => "float",
        "int or None" => "int | None",
        "float or None" => "float | None",
        "str" => "str",
        "str or None" => "str | None",
        "dict or None" => "dict[str, Any] | None",
        "bool or \"auto\"" => "bool | str",
        "float, \"auto\" or a pair (low, high) to search" => "float | str | tuple[float, float]",
        choice if choice.starts_with('{') && choice.ends_with('}') => "str",
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
        "inf" => "float(\"inf\")".into(),
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

pub(crate) fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map_or_else(String::new, |c| c.to_uppercase().collect());
    format!("{first}{}.", letters.as_str())
}

/// Names of the classes and of the searches over them.
pub(crate) fn exported(classes: &[Class]) -> Vec<&str> {
    sorted(classes).into_iter().chain(SEARCHES.1.iter().copied()).collect()
}

/// Names of all classes, with those that are written by hand.
pub(crate) fn sorted(classes: &[Class]) -> Vec<&str> {
    let mut names: Vec<&str> = classes.iter().map(|c| c.name.as_str()).chain(hand_written()).collect();
    names.sort_unstable();
    names
}

fn hand_written<'a>() -> impl Iterator<Item = &'a str> {
    HAND_WRITTEN.iter().flat_map(|(_, classes)| classes.iter().copied())
}

/// What the module with the classes imports: modules and names, both in order.
pub(crate) fn imports(classes: &[Class]) -> Result<BTreeMap<&'static str, BTreeSet<&str>>> {
    // The module and the name of the function that composes docstrings.
    const DOCSTRINGS: (&str, &[&str]) = ("_docstrings", &["docstring"]);
    let mut out: BTreeMap<&'static str, BTreeSet<&str>> = BTreeMap::new();
    for base in classes.iter().flat_map(|class| class.bases.split(", ")) {
        let home = BASES.iter().find(|(_, bases)| bases.contains(&base));
        let (module, _) = home.ok_or_else(|| Error::Data(format!("the base class {base} has no module; add it to BASES")))?;
        out.entry(module).or_default().insert(base);
    }
    for (module, names) in HAND_WRITTEN.iter().chain([&SEARCHES, &DOCSTRINGS]) {
        out.entry(module).or_default().extend(*names);
    }
    Ok(out)
}
