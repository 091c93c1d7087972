//! What every estimator must keep to, on every kind of target that it takes.

use super::case::{ALL, Case, agree, sound, targets, tightened};
use super::{Checked, Verdict, close, edge_cases, fail, fields_are_parameters, invariances, table, words};
use crate::control::{Control, with_threads};
use crate::data::{Dataset, Kind, Target};
use crate::error::Error;
use crate::estimators::{EstimatorExpr, FitContext, HoldOut, Needs, Predictions, Scores, View, Want, When, catalogue};
use crate::facts;
use crate::fitting::{self, prepare_to_fit};
use crate::gram::Dense;
use crate::kernels::{KernelExpr, Selection};
use crate::learner::{Learner, Model};
use crate::linalg::Matrix;
use crate::param::Value;
use crate::prep::Recipe;
use crate::store;

/// Every check that an estimator expression must pass with a kernel on a table.
///
/// Where two ways of stating one problem are compared, parameters named `tolerance` are set to 1e-10, and where rows
/// are left out, a flag named `standardise_target` is turned off: the scale of a target is that of all its rows.
pub fn check_estimator_expr(expr: &EstimatorExpr, kernel: &KernelExpr, data: &Dataset) -> Verdict {
    // Those are left to `check_calibrated`.
    let expr = &expr.without_probabilities();
    let checked = on_targets(expr, kernel, data, |target| expr.takes(target))?;
    let Some(entry) = catalogue().into_iter().find(|e| e.name == expr.name()) else { return fail("catalogue", expr.name()) };
    if let Some(kind) = entry.takes.iter().find(|kind| !checked.contains(kind)) {
        return fail("nothing was checked", format!("{} takes {kind:?}, and the kit has no such target", expr.name()));
    }
    if checked.is_empty() {
        return fail("nothing was checked", format!("{} takes no target that there is, not even none", expr.name()));
    }
    edge_cases::check(expr)
}

/// What an estimator with parameters that take one kind of target alone must keep to on such targets.
pub fn check_estimator_of(expr: &EstimatorExpr, kind: Kind, kernel: &KernelExpr, data: &Dataset) -> Verdict {
    on_targets(expr, kernel, data, |target| target.kind() == kind).map(|_| ())
}

/// Checks an estimator on the targets that are wanted, and gives their kinds.
fn on_targets(expr: &EstimatorExpr, kernel: &KernelExpr, data: &Dataset, wanted: impl Fn(&Target) -> bool) -> Checked<Vec<Kind>> {
    expression(expr)?;
    let kernel = &kernel_for(expr, kernel, data)?;
    let settled = words(kernel.settle(data))?;
    let mut checked = Vec::new();
    for (name, target) in targets(data.rows()).into_iter().filter(|(_, target)| wanted(target)) {
        checked.push(target.kind());
        let open = Case { kernel: settled.clone(), estimator: expr.clone(), data: data.clone(), target, new: table(9, 99) };
        on_target(&open, kernel).map_err(|why| format!("{name}: {why}"))?;
    }
    Ok(checked)
}

/// What an estimator whose probabilities are calibrated must keep to on targets of classes. Folds deal rows out by their place: orders are
/// left to the scores that it is made of.
pub fn check_calibrated(expr: &EstimatorExpr, kernel: &KernelExpr, data: &Dataset) -> Verdict {
    expression(expr)?;
    let kernel = &kernel_for(expr, kernel, data)?;
    let settled = words(kernel.settle(data))?;
    let mut checked = 0;
    for (name, target) in targets(data.rows()) {
        if !matches!(target, Target::Classes { .. }) || !expr.takes(&target) {
            continue;
        }
        checked += 1;
        let open = Case { kernel: settled.clone(), estimator: tightened(expr)?, data: data.clone(), target, new: table(9, 99) };
        let case = Case { estimator: words(open.read(None, |task| open.estimator.settle(task))?)?, ..open.clone() };
        let check = || -> Verdict {
            let model = case.model(None)?;
            let base = case.predict(&model)?;
            sound(&base)?;
            gives_what_it_says(&case, &base)?;
            only_what_is_wanted(&case, &model, &base)?;
            stored_models_predict_the_same_bits(&case, &model, &base)?;
            let once = case.each_once();
            weights_are_repetitions(&once, &once.predict(&once.model(None)?)?)?;
            the_same_bits_for_any_number_of_threads(&open, kernel)?;
            a_precomputed_gram_matrix_equals_its_kernel(&case, &base)
        };
        check().map_err(|why| format!("{name}: {why}"))?;
    }
    if checked == 0 { fail("nothing was checked", format!("{} takes no classes", expr.name())) } else { Ok(()) }
}

/// The kernel, or another where features, vectors or cells of rows are read and it has none: `linear` on all columns of numbers, one of
/// sets, or `identical`.
fn kernel_for(expr: &EstimatorExpr, kernel: &KernelExpr, data: &Dataset) -> Checked<KernelExpr> {
    if expr.needs().reads_values() || kernel.has_coordinates() || kernel.compares_vectors() {
        return Ok(kernel.clone());
    }
    let needs = if expr.needs() == Needs::Features { Needs::Coordinates } else { expr.needs() };
    let kinds: Vec<Selection<'_>> = data.columns().iter().map(|c| (c.name.as_str(), c.values.kind())).collect();
    fitting::natural_kernel(needs, &kinds).ok_or_else(|| format!("{} reads columns that the table has none of", expr.name()))
}

/// What predictions hold is what the record says, for a target that they can be of.
fn gives_what_it_says(case: &Case, base: &Predictions) -> Verdict {
    let (gives, name) = (case.estimator.gives(), case.estimator.name());
    let classes = matches!(case.target, Target::Classes { .. });
    let numbers = matches!(case.target, Target::Numbers(_));
    let probabilities = match gives.probabilities {
        When::Never => false,
        When::Always => true,
        When::Of(kind) => case.target.kind() == kind,
        When::If(flag) => case.estimator.arguments().iter().any(|(argument, value)| *argument == flag && value == "true"),
    };
    for (what, says, has) in [
        ("decision values", classes && gives.scores != Scores::None, base.scores.is_some()),
        ("probabilities", classes && probabilities, base.probabilities.is_some()),
        ("variances", numbers && gives.variance.is_always_for(Kind::Numbers), numbers && base.variance.is_some()),
        ("covariances", numbers && gives.covariance.is_always_for(Kind::Numbers), base.covariance.is_some()),
    ] {
        if says != has {
            return fail("what it gives", format!("{name} has {what}: {says} by its record, and {has}"));
        }
    }
    Ok(())
}

fn on_target(open: &Case, kernel: &KernelExpr) -> Verdict {
    let tight = tightened(&open.estimator)?;
    let estimator = given(words(open.read(None, |task| tight.settle(task))?)?)?;
    let case = Case { estimator, ..open.clone() };
    let model = case.model(None)?;
    let base = case.predict(&model)?;
    sound(&base)?;
    gives_what_it_says(&case, &base)?;
    only_what_is_wanted(&case, &model, &base)?;
    stored_models_predict_the_same_bits(&case, &model, &base)?;
    the_order_of_rows_does_not_matter(&case, &base)?;
    the_same_bits_for_any_number_of_threads(open, kernel)?;
    a_precomputed_gram_matrix_equals_its_kernel(&case, &base)?;
    weights_are_repetitions(&case, &base)?;
    weights_are_repetitions_in_preparation(&case)?;
    invariances::check(&case, open, kernel)?;
    for weights in [None, Some(some_weights(case.data.rows()))] {
        leaving_one_out_equals_refits(&case, weights.as_deref())?;
        the_criterion_has_the_derivatives_of_differences(&case, weights.as_deref())?;
    }
    Ok(())
}

/// The estimator with 1 for each number that a fit finds for itself: ways of stating one problem then differ by rounding alone, and not
/// by where a search for that number ends.
fn given(mut settled: EstimatorExpr) -> Checked<EstimatorExpr> {
    for own in settled.values() {
        if own.param.learnt && own.value == Value::Auto {
            words(settled.set(&own.path, &Value::Number(1.0)))?;
        }
    }
    Ok(settled)
}

/// The records are the fields; text and JSON round trips of the defaults and of every value changed separately.
fn expression(expr: &EstimatorExpr) -> Verdict {
    let name = expr.name();
    let Some(entry) = catalogue().into_iter().find(|e| e.name == name) else { return fail("catalogue", name) };
    let json = serde_json::to_value(expr).map_err(|e| e.to_string())?;
    fields_are_parameters(name, &json, entry.params)?;
    let mut forms = vec![expr.clone(), words(EstimatorExpr::parse(name))?];
    for own in expr.values() {
        for other in [Value::Auto, Value::Number(0.5), Value::Number(3.0), Value::Number(1.25e-7), Value::Range(0.125, 0.75), own.value] {
            let mut form = expr.clone();
            // A value outside of the domain is refused; every other is kept.
            if form.set(&own.path, &other).is_ok() {
                forms.push(form);
            }
        }
    }
    for form in forms {
        let text = form.to_string();
        if words(EstimatorExpr::parse(&text))? != form {
            return fail("text round trip", text);
        }
        let json = serde_json::to_string(&form).map_err(|e| e.to_string())?;
        if serde_json::from_str::<EstimatorExpr>(&json).map_err(|e| e.to_string())? != form {
            return fail("JSON round trip", json);
        }
    }
    Ok(())
}

fn only_what_is_wanted(case: &Case, model: &Model, base: &Predictions) -> Verdict {
    let few = words(model.predict(&case.new, Want::default(), &Control::default()))?;
    // What there is to know of a row is said with its value.
    let plain = Predictions { noise: few.noise.clone(), notices: base.notices.clone(), ..Predictions::of(base.values.clone()) };
    if few != plain {
        return fail("with nothing wanted", "the values have other bits, or more than them was computed");
    }
    let one = Case { new: case.new.select(&[3]), ..case.clone() };
    let all = words(model.predict(&case.new, Want { covariance: false, ..ALL }, &Control::default()))?;
    let alone = words(model.predict(&one.new, Want { covariance: false, ..ALL }, &Control::default()))?;
    agree("a row predicted alone", &alone, &row(&all, 3), 1e-10)
}

/// The predictions of one row out of many.
fn row(p: &Predictions, i: usize) -> Predictions {
    use crate::estimators::Predicted;
    let part = |m: &Option<Matrix>| m.as_ref().map(|m| m.select_rows(&[i]));
    Predictions {
        values: match &p.values {
            Predicted::Numbers(m) => Predicted::Numbers(m.select_rows(&[i])),
            Predicted::Classes(c) => Predicted::Classes(vec![c[i]]),
        },
        variance: part(&p.variance),
        covariance: None,
        noise: p.noise.clone(),
        transformed: None,
        probabilities: part(&p.probabilities),
        scores: part(&p.scores),
        pairs: p.pairs.clone(),
        notices: Vec::new(),
    }
}

fn stored_models_predict_the_same_bits(case: &Case, model: &Model, base: &Predictions) -> Verdict {
    let again = words(store::from_bytes(&words(store::to_bytes(model))?, "model"))?;
    let json = serde_json::to_string(model).map_err(|e| e.to_string())?;
    let plain: Model = serde_json::from_str(&json).map_err(|e| e.to_string())?;
    for (how, other) in [("model file", again), ("JSON", plain)] {
        if other != *model || case.predict(&other)? != *base {
            return fail(how, "what was read is not what was written");
        }
    }
    Ok(())
}

fn the_order_of_rows_does_not_matter(case: &Case, base: &Predictions) -> Verdict {
    let n = case.data.rows();
    let order: Vec<usize> = (0..n).rev().step_by(2).chain((0..n).rev().skip(1).step_by(2)).collect();
    let other = case.select(&order);
    agree("rows in another order", &other.predict(&other.model(None)?)?, base, 1e-8)
}

/// Preparation, tuning, fit and prediction, twice with one thread and once with three.
fn the_same_bits_for_any_number_of_threads(open: &Case, kernel: &KernelExpr) -> Verdict {
    let learner = Learner { kernel: Some(kernel.clone()), seed: 5, ..Learner::new(open.estimator.clone()) };
    let run = |threads| -> Checked<(Model, Predictions)> {
        words(with_threads(threads, || {
            let model = open.model_of(&learner, None)?;
            let predictions = open.predict(&model)?;
            Ok((model, predictions))
        }))?
    };
    let one = run(1)?;
    if one != run(1)? {
        return fail("the same seed", "two runs have other bits");
    }
    if one != run(3)? {
        return fail("threads", "three threads have other bits than one");
    }
    Ok(())
}

fn a_precomputed_gram_matrix_equals_its_kernel(case: &Case, base: &Predictions) -> Verdict {
    let control = Control::default();
    let kernel = words(case.kernel.learn(&case.data, None, &control))?;
    let bound = words(kernel.gram(&case.data, &control))?;
    let dense = words(Dense::of(bound.as_ref(), &control))?;
    if !case.estimator.needs().reads_values() {
        // Kernel values alone are no features.
        return match case.with_task(View::Values(&dense), None, |task| case.estimator.fit(task)) {
            Err(Error::Data(why)) if ["features of rows", "cells of rows", "vectors of sets"].iter().any(|what| why.contains(what)) => {
                Ok(())
            }
            Err(e) => fail("kernel values without features are refused in other words", e),
            Ok(_) => fail("kernel values without features", "are fitted"),
        };
    }
    // A task does not know which rows are copies.
    let split = facts::each_once(&case.data, &case.target);
    let context = FitContext::holding(HoldOut::by(&split));
    let fitted = words(case.with_task(View::Values(&dense), None, |task| case.estimator.fit_with(task, &context)))?.fitted;
    let found = words(fitting::predict_from(&kernel, &fitted, &case.data, &case.new, ALL, &control))?;
    agree("a precomputed Gram matrix", &found, base, 1e-8)
}

/// Weights between a half and two, no two in a row alike.
fn some_weights(n: usize) -> Vec<f64> {
    (0..n).map(|i| 0.5 + (i % 7) as f64 / 4.0).collect()
}

fn weights_are_repetitions(case: &Case, base: &Predictions) -> Verdict {
    let n = case.data.rows();
    let counts: Vec<usize> = (0..n).map(|i| [1, 2, 1, 3][i % 4]).collect();
    let rows: Vec<usize> = (0..n).flat_map(|i| std::iter::repeat_n(i, counts[i])).collect();
    let weights: Vec<f64> = counts.iter().map(|&c| c as f64).collect();
    let repeated = case.select(&rows);
    let (a, b) = (case.predict(&case.model(Some(&weights))?)?, repeated.predict(&repeated.model(None)?)?);
    agree("weight 2 and a repeated row", &a, &b, 1e-8)?;
    let (a, b) = (case.predict(&case.model(Some(&vec![1.0; n]))?)?, base);
    agree("weight 1 and no weight", &a, b, 1e-12)?;
    let there: Vec<usize> = (0..n).filter(|i| i % 5 != 4).collect();
    let weights: Vec<f64> = (0..n).map(|i| f64::from(u8::from(i % 5 != 4))).collect();
    let without = case.select(&there);
    let (a, b) = (case.predict(&case.model(Some(&weights))?)?, without.predict(&without.model(None)?)?);
    agree("weight 0 and an absent row", &a, &b, 1e-12)
}

/// Weights count as repetitions in standardising and in the automatic length scales of the kernel as well.
fn weights_are_repetitions_in_preparation(case: &Case) -> Verdict {
    let recipe = Recipe { drop_constant: false, ..Recipe::default() };
    let predicted = |case: &Case, weights: Option<&[f64]>| -> Checked<Predictions> {
        let prepared = words(prepare_to_fit(&recipe, None, &case.estimator, &case.data, weights))?;
        let kernel = words(prepared.kernel.settle_weighed(&prepared.data, weights))?;
        let learner = Learner { prep: recipe.clone(), kernel: Some(kernel), ..case.learner() };
        case.predict(&case.model_of(&learner, weights)?)
    };
    let n = case.data.rows();
    let counts: Vec<usize> = (0..n).map(|i| [1, 2, 1, 3][i % 4]).collect();
    let rows: Vec<usize> = (0..n).flat_map(|i| std::iter::repeat_n(i, counts[i])).collect();
    let weights: Vec<f64> = counts.iter().map(|&c| c as f64).collect();
    let (a, b) = (predicted(case, Some(&weights))?, predicted(&case.select(&rows), None)?);
    agree("weight 2 and a repeated row, standardised", &a, &b, 1e-8)
}

/// A flag of an estimator turned off, where it has such a flag.
fn without_flag(estimator: &EstimatorExpr, flag: &str) -> Checked<EstimatorExpr> {
    let mut json = serde_json::to_value(estimator).map_err(|e| e.to_string())?;
    if let Some(found) = json.get_mut(estimator.name()).and_then(|fields| fields.get_mut(flag)) {
        *found = serde_json::Value::Bool(false);
    }
    serde_json::from_value(json).map_err(|e| e.to_string())
}

fn leaving_one_out_equals_refits(case: &Case, weights: Option<&[f64]>) -> Verdict {
    let case = Case { estimator: without_flag(&case.estimator, "standardise_target")?, ..case.clone() };
    let n = case.data.rows();
    let reading = words(case.reading())?;
    let dense = match reading.view() {
        View::Values(gram) => Some(words(Dense::of(gram, &Control::default()))?),
        _ => None,
    };
    let view = dense.as_ref().map_or(reading.view(), |dense| View::Values(dense));
    let closed = words(case.with_task(view, weights, |task| case.estimator.leave_one_out(task)))?;
    if closed.is_some() != case.estimator.gives().leave_one_out.when().is_always_for(case.target.kind()) {
        return fail("what it gives", "predictions without a row are not what its record says");
    }
    let Some(all) = closed else { return Ok(()) };
    for i in 0..n {
        let rest: Vec<usize> = (0..n).filter(|&k| k != i).collect();
        let mut refit = case.refit(view, weights, &rest, &[i])?;
        let mine = row(&all, i);
        // They need not hold all that a prediction holds.
        refit.variance = refit.variance.filter(|_| mine.variance.is_some());
        refit.noise = refit.noise.filter(|_| mine.noise.is_some());
        refit.probabilities = refit.probabilities.filter(|_| mine.probabilities.is_some());
        refit.scores = refit.scores.filter(|_| mine.scores.is_some());
        agree(&format!("row {i} left out"), &mine, &refit, 1e-8)?;
    }
    Ok(())
}

/// Through the kernel's parameters, by the path that tuning takes, and through the estimator's own.
fn the_criterion_has_the_derivatives_of_differences(case: &Case, weights: Option<&[f64]>) -> Verdict {
    if case.estimator.criterion_name().is_none() {
        return Ok(());
    }
    let at = |kernel: &KernelExpr, estimator: &EstimatorExpr| -> Checked<_> {
        let bound = words(kernel.bind(None, &case.data))?;
        let kind = estimator.needs().view();
        let named = words(fitting::named_rows(kind, kernel, &case.data))?;
        let view = fitting::view_of(kind, bound.as_ref(), named.as_deref());
        let found = words(case.with_task(view, weights, |task| estimator.criterion(task)))?;
        let by_kernel = words(bound.gradient(&found.weights, &Control::default()))?;
        Ok((found, by_kernel))
    };
    let (exact, by_kernel) = at(&case.kernel, &case.estimator)?;
    let compare = |path: &str, found: f64, x: f64, value: &dyn Fn(f64) -> Checked<f64>| -> Verdict {
        let h = 1e-4 * x.abs().max(1e-4);
        let difference = (value(x + h)? - value(x - h)?) / (2.0 * h);
        if close(found, difference, 1e-5) { Ok(()) } else { fail("criterion", format!("{path}: {found} and {difference} by differences")) }
    };
    let mut place = 0;
    for p in case.kernel.values() {
        let numbers = p.value.numbers().to_vec();
        for (e, &x) in numbers.iter().enumerate().filter(|_| p.differentiable) {
            compare(&p.path, by_kernel[place + e], x, &|moved| {
                let mut list = numbers.clone();
                list[e] = moved;
                let value = if list.len() == 1 { Value::Number(moved) } else { Value::List(list) };
                let mut kernel = case.kernel.clone();
                words(kernel.set(&p.path, &value))?;
                Ok(at(&kernel, &case.estimator)?.0.value)
            })?;
        }
        place += numbers.len();
    }
    for own in case.estimator.values() {
        let Some((_, found)) = exact.own.iter().find(|(name, _)| *name == own.path) else { continue };
        compare(&own.path, *found, own.value.number(), &|moved| {
            let mut estimator = case.estimator.clone();
            words(estimator.set(&own.path, &Value::Number(moved)))?;
            Ok(at(&case.kernel, &estimator)?.0.value)
        })?;
    }
    Ok(())
}
