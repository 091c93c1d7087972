//! Data that ask for trouble: an answer or a named error, never a panic and never a number that is not one.

use super::case::{Case, sound, targets};
use super::{Verdict, fail, table, words};
use crate::control::Control;
use crate::data::{Column, Dataset, Sets, Target, TargetInfo, Values};
use crate::error::{Error, ErrorKind};
use crate::estimators::{EstimatorExpr, Needs, Predicted, Predictions, Scores};
use crate::kernels::KernelExpr;
use crate::learner::Learner;
use crate::linalg::Matrix;
use crate::store;

/// Tables of numbers that ask for trouble, by name.
fn tables() -> Vec<(&'static str, Dataset)> {
    let numbers = |rows: &[f64]| Column { name: "a".into(), values: Values::Numbers(rows.to_vec()) };
    let other = |rows: usize| Column { name: "b".into(), values: Values::Numbers((0..rows).map(|i| (i as f64).cos()).collect()) };
    let made = |columns| Dataset::new(columns).unwrap_or_default();
    let wave: Vec<f64> = (0..12).map(|i| (2.0 * f64::from(i)).sin()).collect();
    vec![
        ("one row", made(vec![numbers(&[0.5]), other(1)])),
        ("two rows", made(vec![numbers(&[0.5, -1.0]), other(2)])),
        ("two equal rows", made(vec![numbers(&[0.5, 0.5])])),
        ("five rows", made(vec![numbers(&wave[..5]), other(5)])),
        ("all rows equal", made(vec![numbers(&[0.25; 12])])),
        ("every row twice", made(vec![numbers(&[&wave[..6], &wave[..6]].concat())])),
        ("a constant column", made(vec![numbers(&[3.0; 12]), other(12)])),
        ("numbers from 1e-150 to 1e150", made(vec![numbers(&(0..12).map(|i| 10f64.powi(25 * i - 150)).collect::<Vec<_>>())])),
        ("far from the origin", made(vec![numbers(&wave.iter().map(|x| 1e9 + x).collect::<Vec<_>>()), other(12)])),
    ]
}

/// A table with a set of vectors in each row: its numbers, and those of the next row.
fn as_sets(data: &Dataset) -> Result<Dataset, String> {
    let cell = |i: usize| -> Vec<f64> {
        data.columns().iter().filter_map(|c| if let Values::Numbers(x) = &c.values { Some(x[i]) } else { None }).collect()
    };
    let rows = data.rows();
    let sets: Vec<Vec<Vec<f64>>> = (0..rows).map(|i| vec![cell(i), cell((i + 1) % rows)]).collect();
    let sets = Sets::of_rows(&sets).map_err(|e| e.to_string())?;
    Dataset::new(vec![Column { name: "set".into(), values: Values::Sets(sets) }]).map_err(|e| e.to_string())
}

/// The usual targets and some that ask for trouble, by name.
fn hard_targets(rows: usize) -> Vec<(&'static str, Target)> {
    let names = |list: &[&str]| list.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>();
    // As the training rows of a fold may have them.
    let without_rows = |absent: usize| {
        let all = ["ada", "bob", "cleo", "dora"][..3 + usize::from(absent > 0)].iter().map(|s| (*s).to_owned()).collect::<Vec<_>>();
        let present: Vec<usize> = (0..all.len()).filter(|&k| k != absent).collect();
        Target::Classes { codes: (0..rows).map(|i| present[(i * i + i / 3) % present.len()]).collect(), names: all }
    };
    let mut all = targets(rows);
    all.retain(|(_, t)| !matches!(t, Target::Classes { names, .. } if names.len() > rows));
    all.extend([
        ("a constant", Target::Numbers(Matrix::column(vec![0.1; rows]))),
        ("huge numbers", Target::Numbers(Matrix::from_fn(rows, 1, |i, _| 1e300 * (i as f64).sin()))),
        ("tiny numbers", Target::Numbers(Matrix::from_fn(rows, 1, |i, _| 1e-300 * (i as f64).sin()))),
        ("one class", Target::Classes { codes: vec![0; rows], names: names(&["only"]) }),
        ("two classes of three names", without_rows(0)),
        ("three classes of four names", without_rows(2)),
        ("one class of two names", Target::Classes { codes: vec![1; rows], names: names(&["absent", "only"]) }),
        (
            "a class with one row",
            Target::Classes { codes: (0..rows).map(|i| usize::from(i == 0)).collect(), names: names(&["many", "one"]) },
        ),
    ]);
    all
}

/// Prepares, tunes, fits, stores and predicts each.
pub(super) fn check(expr: &EstimatorExpr) -> Verdict {
    let (mut answers, mut faults) = (0, Vec::new());
    for (table_name, data) in tables() {
        let data = if expr.needs() == Needs::Vectors { as_sets(&data)? } else { data };
        for (target_name, target) in hard_targets(data.rows()) {
            if !expr.takes(&target) {
                continue;
            }
            for kernel in [None, Some(KernelExpr::parse("linear")), Some(KernelExpr::parse("rbf(length_scale=1)"))] {
                let kernel = kernel.transpose().map_err(|e| e.to_string())?;
                for drop_constant in [true, false] {
                    let mut learner = Learner { kernel: kernel.clone(), ..Learner::new(expr.clone()) };
                    learner.prep.drop_constant = drop_constant;
                    let lacks_features = match expr.needs() {
                        Needs::Vectors => kernel.is_some(),
                        Needs::Rows => kernel.as_ref().is_some_and(|k| !k.only_names_columns()),
                        needs => !needs.reads_values() && kernel.as_ref().is_some_and(|k| !k.has_coordinates()),
                    };
                    let tried = if lacks_features { refused(&learner, &data, &target) } else { attempt(&learner, &data, &target) };
                    let shown = learner.kernel.as_ref().map_or("the natural kernel".to_owned(), ToString::to_string);
                    match tried {
                        Ok(answered) => answers += usize::from(answered),
                        Err(why) => faults.push(format!("{table_name}, {target_name}, {shown}: {why}")),
                    }
                }
            }
        }
    }
    match (answers, faults.len()) {
        (_, 1..) => fail("data that ask for trouble", format!("{} faults:\n  {}", faults.len(), faults.join("\n  "))),
        (0, _) => fail("data that ask for trouble", "not one answer"),
        _ => no_rows(expr),
    }
}

/// Whether there was an answer; a named error is none.
fn attempt(learner: &Learner, data: &Dataset, target: &Target) -> Result<bool, String> {
    match learner.fit(data, target, &TargetInfo::of(target), None, &Control::default()) {
        Ok(model) => {
            let case = Case {
                kernel: model.kernel.expr().clone(),
                estimator: model.estimator.clone(),
                data: data.clone(),
                target: target.clone(),
                new: data.clone(),
            };
            let predictions = case.predict(&model)?;
            sound(&predictions)?;
            has_a_column_for_each_class(&predictions, target, learner.estimator.gives().scores)?;
            let again = words(store::from_bytes(&words(store::to_bytes(&model))?, "model"))?;
            if case.predict(&again)? != predictions {
                return fail("model file", "other predictions");
            }
            Ok(true)
        }
        Err(Error::Data(_) | Error::Numerical { .. } | Error::Shape { .. }) => Ok(false),
        Err(e) => fail("an error of another family", e),
    }
}

/// Tables of predictions have the columns that the names of the classes ask for, whichever of these have rows: those of folds then fit
/// together.
fn has_a_column_for_each_class(p: &Predictions, target: &Target, kind: Scores) -> Verdict {
    let (Target::Classes { names, .. }, Predicted::Classes(_)) = (target, &p.values) else { return Ok(()) };
    let of_scores = if names.len() == 2 && kind != Scores::Votes { 1 } else { names.len() };
    let scores = p.scores.as_ref().filter(|_| p.pairs.is_empty());
    for (what, table, columns) in [
        ("probabilities", p.probabilities.as_ref(), names.len()),
        ("scores", scores, of_scores),
        ("variances", p.variance.as_ref(), of_scores),
    ] {
        if let Some(found) = table.map(Matrix::cols).filter(|cols| *cols != columns) {
            return fail("columns", format!("{what} of {} classes have {found}", names.len()));
        }
    }
    Ok(())
}

/// No answer, but the refusal of a kernel without features.
fn refused(learner: &Learner, data: &Dataset, target: &Target) -> Result<bool, String> {
    match learner.fit(data, target, &TargetInfo::of(target), None, &Control::default()) {
        Err(Error::Setting { name, .. }) if name == "kernel" => Ok(false),
        Err(Error::Data(_) | Error::Shape { .. }) => Ok(false),
        Err(e) => fail("an error of another family", e),
        Ok(_) => fail("a kernel without features", "is fitted"),
    }
}

/// No row at all, and a table with fewer targets than rows, are errors of the data.
fn no_rows(expr: &EstimatorExpr) -> Verdict {
    for (name, target) in targets(4) {
        if !expr.takes(&target) {
            continue;
        }
        let learner = Learner::new(expr.clone());
        for (rows, of_target) in [(vec![], target.select(&[])), (vec![0, 1, 2], target.clone())] {
            let data = table(4, 1).select(&rows);
            match learner.fit(&data, &of_target, &TargetInfo::of(&target), None, &Control::default()) {
                Err(e) if e.kind() == ErrorKind::Data => {}
                Err(e) => return fail("rows that do not fit", format!("{name}: {e}")),
                Ok(_) => return fail("rows that do not fit", format!("{name}: {} rows were fitted", rows.len())),
            }
        }
    }
    Ok(())
}
