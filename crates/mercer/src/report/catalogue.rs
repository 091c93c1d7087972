//! What there is to choose from, all of it or one entry, in words and as JSON.

use super::model::{INDENT, pretty};
use super::words::wrapped;
use crate::data::Kind;
use crate::error::{Error, Result};
use crate::estimators::{self, EstimatorExpr, Needs};
use crate::generative;
use crate::kernels;
use crate::param::{Alias, Param};
use serde_json::json;

/// Characters of a line.
const WIDTH: usize = 100;

/// One line or more per parameter, the explanations under each other.
fn params_text(params: &[Param], aliases: &[Alias]) -> Vec<String> {
    let mut said: Vec<(&str, String)> = params.iter().map(|p| (p.name, format!("{}; {}", p.doc, p.domain))).collect();
    said.extend(aliases.iter().map(|(alias, name, _)| (*alias, format!("another name for {name}, converted"))));
    let indent = " ".repeat(23);
    said.iter().flat_map(|(name, text)| wrapped(text, [&format!("    {name:<18} "), &indent], WIDTH)).collect()
}

/// The kernel that an estimator needs, and what tunes it.
fn what_it_needs(e: &estimators::EstimatorEntry) -> String {
    let needs = match e.needs {
        Needs::Nothing => return "no kernel".to_owned(),
        Needs::MercerKernel => "a Mercer kernel",
        Needs::AnySimilarity => "any similarity, symmetric or not",
        Needs::Symmetric => "any symmetric similarity, a Mercer kernel or not",
        Needs::NonNegative => "any symmetric similarity without negative values, a Mercer kernel or not",
        Needs::Features => "a kernel whose features are written out, such as linear or tfidf",
        Needs::Coordinates => "the kernel linear, for the coordinates of rows",
        Needs::Vectors => "a kernel of sets made of a Mercer kernel of vectors: set_mean(K)",
        Needs::Rows => "no kernel: it reads the cells of rows",
    };
    match e.criterion {
        _ if e.takes == [Kind::Nothing] => format!("{needs}, and no target"),
        criterion => format!("{needs}; tuned by {}", criterion.map_or("cross-validation", |c| c.name)),
    }
}

/// Each parameter with its default.
fn defaults_text(params: &[Param], defaults: Vec<String>) -> String {
    let given: Vec<String> = params.iter().zip(defaults).map(|(p, value)| format!("{}={value}", p.name)).collect();
    if given.is_empty() { "none".to_owned() } else { given.join(", ") }
}

/// One kernel, composition, estimator or generative model by its name, in words.
///
/// # Errors
/// A name that none of them has.
pub fn entry_text(name: &str) -> Result<String> {
    let mut lines = Vec::new();
    let mut say = |what: &str, text: &str| lines.extend(wrapped(text, [&format!("{what:<13}"), INDENT], WIDTH));
    let with = |params: &[Param], aliases: &[Alias]| {
        let all = params_text(params, aliases);
        if all.is_empty() { vec!["    none".to_owned()] } else { all }
    };
    if let Some(k) = kernels::catalogue().into_iter().find(|k| k.name == name) {
        say("kernel", k.name);
        say("formula", k.doc);
        say("takes", k.takes);
        say("valid", if k.because.is_empty() { "not for every input (see mercer check)" } else { k.because });
        say("source", k.source);
        say("defaults", &defaults_text(k.params, k.defaults()));
        lines.push("parameters".into());
        lines.extend(with(k.params, k.aliases));
    } else if let Some(e) = estimators::catalogue().into_iter().find(|e| e.name == name) {
        say("estimator", e.name);
        say("what it is", e.doc);
        say("needs", &what_it_needs(&e));
        say("defaults", &EstimatorExpr::parse(e.name)?.arguments().iter().map(|(n, v)| format!("{n}={v}")).collect::<Vec<_>>().join(", "));
        lines.push("parameters".into());
        lines.extend(with(e.params, e.aliases));
    } else if let Some(c) = kernels::compositions().into_iter().find(|c| !name.is_empty() && c.form.name == name) {
        say("composition", c.form.name);
        say("written", c.form.form);
        say("what it is", c.form.doc);
        say("source", c.source);
        lines.extend(params_text(c.params, c.aliases));
    } else if let Some(s) = kernels::shorthands().iter().find(|s| s.form.name == name) {
        say("shorthand", s.form.name);
        say("written", s.form.form);
        say("stands for", s.form.doc);
        say("source", s.source);
    } else if let Some(t) = estimators::target_transforms().into_iter().find(|t| t.name == name) {
        say("transformed", t.name);
        say("written", t.form);
        say("what it is", t.doc);
        say("source", t.source);
        lines.extend(params_text(t.params, &[]));
    } else if let Some(m) = generative::catalogue().into_iter().find(|m| m.name == name) {
        say("model", m.name);
        say("density", m.doc);
        say("takes", m.takes);
        say("source", m.source);
        if let Some((_, here)) = kernels::ELSEWHERE.iter().find(|(other, _)| *other == name) {
            say("kernel", &format!("other books and libraries have a kernel of this name (here that is {here})"));
        }
        say("defaults", &defaults_text(m.params, (m.defaults)()));
        lines.push("parameters".into());
        lines.extend(with(m.params, m.aliases));
    } else {
        return Err(unknown_entry(name));
    }
    Ok(lines.join("\n"))
}

/// One entry of the catalogue as JSON.
///
/// # Errors
/// As [`entry_text`].
pub fn entry_json(name: &str) -> Result<String> {
    if let Some(k) = kernels::catalogue().iter().find(|k| k.name == name) {
        return pretty(&kernel_json(k));
    }
    if let Some(e) = estimators::catalogue().iter().find(|e| e.name == name) {
        return pretty(&estimator_json(e)?);
    }
    if let Some(c) = kernels::compositions().iter().find(|c| !name.is_empty() && c.form.name == name) {
        return pretty(&composition_json(c));
    }
    if let Some(s) = kernels::shorthands().iter().find(|s| s.form.name == name) {
        return pretty(&shorthand_json(s));
    }
    if let Some(t) = estimators::target_transforms().iter().find(|t| t.name == name) {
        return pretty(&transform_json(t));
    }
    match generative::catalogue().iter().find(|m| m.name == name) {
        Some(m) => pretty(&model_json(m)),
        None => Err(unknown_entry(name)),
    }
}

fn unknown_entry(name: &str) -> Error {
    let kernels = kernels::catalogue().into_iter().map(|k| k.name);
    let compositions = kernels::compositions().into_iter().map(|c| c.form.name).filter(|n| !n.is_empty());
    let shorthands = kernels::shorthands().iter().map(|s| s.form.name);
    let estimators = estimators::catalogue().into_iter().map(|e| e.name);
    let models = generative::catalogue().into_iter().map(|m| m.name);
    let transforms = estimators::target_transforms().map(|t| t.name);
    let known: Vec<&str> = kernels.chain(compositions).chain(shorthands).chain(estimators).chain(transforms).chain(models).collect();
    let elsewhere = [kernels::ELSEWHERE, estimators::ELSEWHERE].concat();
    Error::unknown_here("model file, kernel or estimator", name, known, &elsewhere)
}

/// Every kernel, generative model and estimator with its parameters, in words.
pub fn catalogue_text() -> String {
    let mut lines = vec!["KERNELS".to_owned()];
    let head = |name: &str, text: &str| wrapped(&format!("{name}: {text}"), ["  ", "    "], WIDTH);
    for k in kernels::catalogue() {
        lines.push(String::new());
        lines.extend(head(k.name, &format!("{} (takes {})", k.doc, k.takes)));
        lines.extend(params_text(k.params, k.aliases));
    }
    lines.extend([String::new(), "COMPOSITE KERNELS".to_owned()]);
    for c in kernels::compositions() {
        lines.extend(head(c.form.form, c.form.doc));
        lines.extend(params_text(c.params, c.aliases));
    }
    for s in kernels::shorthands() {
        lines.extend(head(s.form.form, s.form.doc));
    }
    lines.extend([String::new(), "GENERATIVE MODELS (of the kernel fisher)".to_owned()]);
    for m in generative::catalogue() {
        lines.push(String::new());
        lines.extend(head(m.name, &format!("{} (takes {})", m.doc, m.takes)));
        lines.extend(params_text(m.params, m.aliases));
    }
    lines.extend([String::new(), "ESTIMATORS".to_owned()]);
    for e in estimators::catalogue() {
        lines.push(String::new());
        lines.extend(head(e.name, &format!("{} (needs {})", e.doc, what_it_needs(&e))));
        lines.extend(params_text(e.params, e.aliases));
    }
    lines.extend([String::new(), "TRANSFORMED TARGETS".to_owned()]);
    for t in estimators::target_transforms() {
        lines.extend(head(t.form, t.doc));
        lines.extend(params_text(t.params, &[]));
    }
    lines.push(String::new());
    let values = "A number may be written as a value, as auto (settled from the data), or as a range 0.1..10 (searched).";
    lines.extend(wrapped(values, ["", ""], WIDTH));
    lines.push("  mercer fit TABLE --target COL --kernel 'rbf(length_scale=0.5..5)' --estimator svc -o M.mercer".to_owned());
    lines.join("\n")
}

fn params_with_defaults_json(params: &[Param], defaults: &[String]) -> serde_json::Value {
    let one = |(p, default): (&Param, &String)| json!({"name": p.name, "doc": p.doc, "domain": p.domain.to_string(), "default": default});
    params.iter().zip(defaults).map(one).collect()
}

fn param_json(p: &Param) -> serde_json::Value {
    json!({"name": p.name, "doc": p.doc, "domain": p.domain.to_string(), "kind": p.domain.kind(), "choices": p.domain.choices(), "searched": p.search.is_some()})
}

fn params_json(params: &[Param]) -> serde_json::Value {
    params.iter().map(param_json).collect()
}

fn kernel_json(k: &kernels::KernelEntry) -> serde_json::Value {
    let aliases: Vec<&str> = k.aliases.iter().map(|a| a.0).collect();
    json!({"name": k.name, "doc": k.doc, "source": k.source, "because": k.because, "takes": k.takes, "params": params_with_defaults_json(k.params, &k.defaults()), "aliases": aliases})
}

fn model_json(m: &generative::GenerativeEntry) -> serde_json::Value {
    let aliases: Vec<&str> = m.aliases.iter().map(|a| a.0).collect();
    json!({"name": m.name, "doc": m.doc, "source": m.source, "takes": m.takes, "params": params_with_defaults_json(m.params, &(m.defaults)()), "aliases": aliases})
}

fn shorthand_json(s: &kernels::Shorthand) -> serde_json::Value {
    json!({"name": s.form.name, "form": s.form.form, "doc": s.form.doc, "source": s.source, "because": s.form.because})
}

fn composition_json(c: &kernels::CompositionEntry) -> serde_json::Value {
    json!({"name": c.form.name, "form": c.form.form, "doc": c.form.doc, "source": c.source, "because": c.form.because, "params": params_json(c.params)})
}

fn transform_json(t: &estimators::TargetTransformEntry) -> serde_json::Value {
    json!({"name": t.name, "form": t.form, "doc": t.doc, "source": t.source, "params": params_json(t.params)})
}

/// The kinds of target that an estimator can be fitted to.
fn takes(e: &estimators::EstimatorEntry) -> Vec<&'static str> {
    let word = |kind: &Kind| match kind {
        Kind::Numbers => "numbers",
        Kind::Classes => "classes",
        Kind::Nothing => "nothing",
    };
    e.takes.iter().map(word).collect()
}

fn estimator_json(e: &estimators::EstimatorEntry) -> Result<serde_json::Value> {
    let defaults = EstimatorExpr::parse(e.name)?.arguments();
    let mut params: Vec<_> = e.params.iter().map(param_json).collect();
    params.iter_mut().zip(defaults).for_each(|(param, (_, default))| param["default"] = default.into());
    Ok(
        json!({"name": e.name, "doc": e.doc, "criterion": e.criterion.map(|c| c.name), "needs_mercer": e.needs == Needs::MercerKernel, "takes": takes(e), "params": params}),
    )
}

/// Every kernel, generative model and estimator with its parameters, as JSON.
pub fn catalogue_json() -> Result<String> {
    let kernels: Vec<_> = kernels::catalogue().iter().map(kernel_json).collect();
    let estimators = estimators::catalogue().iter().map(estimator_json).collect::<Result<Vec<_>>>()?;
    let compositions: Vec<_> = kernels::compositions().iter().map(composition_json).collect();
    let shorthands: Vec<_> = kernels::shorthands().iter().map(shorthand_json).collect();
    let models: Vec<_> = generative::catalogue().iter().map(model_json).collect();
    let transforms: Vec<_> = estimators::target_transforms().iter().map(transform_json).collect();
    pretty(
        &json!({"kernels": kernels, "compositions": compositions, "shorthands": shorthands, "models": models, "estimators": estimators, "transforms": transforms}),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::KernelExpr;

    #[test]
    fn every_name_that_an_expression_may_hold_is_described() {
        let names = kernels::catalogue().into_iter().map(|k| k.name).chain(estimators::catalogue().into_iter().map(|e| e.name));
        let names = names.chain(kernels::shorthands().iter().map(|s| s.form.name));
        let names = names.chain(generative::catalogue().into_iter().map(|m| m.name));
        let names = names.chain(estimators::target_transforms().map(|t| t.name));
        for name in names.chain(kernels::compositions().into_iter().map(|c| c.form.name).filter(|n| !n.is_empty())) {
            let text = entry_text(name).unwrap();
            assert!(text.lines().next().is_some_and(|l| l.ends_with(name)) && text.lines().count() >= 3, "{text}");
            assert!(text.lines().all(|l| l.chars().count() <= WIDTH), "{text}");
            assert!(entry_json(name).unwrap().contains(&format!("\"name\": \"{name}\"")));
        }
        assert!(entry_text("rbf").unwrap().contains("length_scale"));
    }

    #[test]
    fn what_other_books_call_a_kernel_or_an_estimator_is_understood() {
        for (name, here) in [("Gaussian", "rbf"), ("poly", "polynomial"), ("tanh", "sigmoid"), ("svm", "svc for classes"), ("KRR", "ridge")]
        {
            let said = entry_text(name).unwrap_err().to_string();
            assert!(said.contains(&format!("(here that is {here}")), "{said}");
        }
        assert!(KernelExpr::parse("gaussian(gamma=1)").unwrap_err().to_string().contains("(here that is rbf)"));
        assert!(EstimatorExpr::parse("logistic_regression").unwrap_err().to_string().contains("logistic"));
        assert!(entry_text("rbff").unwrap_err().to_string().contains("did you mean 'rbf'?"));
        assert_eq!(EstimatorExpr::parse("svc(C=2)").unwrap(), EstimatorExpr::parse("svc(c=2)").unwrap());
    }
}
