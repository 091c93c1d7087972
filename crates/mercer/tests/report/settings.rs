//! Grids of settings: every cell is the score of a machine fitted to the training rows of each fold.

use mercer::compare::{Comparing, GridName, SettingsGrid, judge_settings};
use mercer::control::Control;
use mercer::data::{Column, Dataset, Examples, Split, Target, TargetInfo, Values, folds};
use mercer::estimators::{EstimatorExpr, Predicted, Want};
use mercer::kernels::KernelExpr;
use mercer::learner::Learner;
use mercer::linalg::Matrix;
use mercer::metrics::Metric;
use mercer::prep::Recipe;

/// Two classes of 30 points each, their centres so far apart.
fn examples(apart: f64) -> (Dataset, Target, TargetInfo) {
    let side = |i: usize| if i.is_multiple_of(2) { -0.5 * apart } else { 0.5 * apart };
    let numbers = |j: usize| (0..60).map(|i| side(i) + ((i * (7 + 4 * j) + j) as f64 * 0.7).sin()).collect();
    let column = |(j, name): (usize, &str)| Column { name: name.into(), values: Values::Numbers(numbers(j)) };
    let data = Dataset::new(["a", "b"].into_iter().enumerate().map(column).collect()).unwrap();
    let names = vec!["left".to_owned(), "right".to_owned()];
    let target = Target::Classes { codes: (0..60).map(|i| i % 2).collect(), names: names.clone() };
    (data, target, TargetInfo { names: vec!["y".into()], classes: Some(names), labels: Default::default() })
}

fn comparing(estimator: &str) -> Comparing {
    // The learner of each fold would prepare the columns on its training rows.
    let prep = Recipe { standardise: false, ..Recipe::default() };
    Comparing { prep, ..Comparing::new(vec![EstimatorExpr::parse(estimator).unwrap()]) }
}

fn judged(apart: f64, estimator: &str) -> mercer::Result<SettingsGrid> {
    let (data, target, info) = examples(apart);
    let examples = Examples { data: &data, target: &target, weights: None, split: &Split::Rows };
    judge_settings(&examples, &info, &comparing(estimator), GridName::Libsvm, &Control::default())
}

#[test]
fn a_cell_is_the_share_of_rows_that_machines_of_the_other_folds_predict() {
    let (data, target, info) = examples(1.0);
    let grid = judged(1.0, "svc").unwrap();
    assert_eq!((grid.settings.len(), grid.axes[0].len(), grid.axes[1].len(), grid.metric), (110, 11, 10, Metric::Accuracy));
    let splits = folds(&target, &Split::Rows, 5, 0).unwrap();
    let Target::Classes { codes, .. } = &target else { unreachable!() };
    for (c, gamma) in [(2.0, 0.125), (32768.0, 8.0), (0.03125, 2f64.powi(-15))] {
        let estimator = EstimatorExpr::parse(&format!("svc(c={c})")).unwrap();
        let kernel = Some(KernelExpr::parse(&format!("rbf(gamma={gamma})")).unwrap());
        let learner = Learner { prep: comparing("svc").prep, kernel, ..Learner::new(estimator) };
        let mut correct = 0;
        for fold in &splits {
            let model = learner.fit(&data.select(&fold.train), &target.select(&fold.train), &info, None, &Control::default()).unwrap();
            let found = model.predict(&data.select(&fold.test), Want::default(), &Control::default()).unwrap();
            let Predicted::Classes(found) = found.values else { unreachable!() };
            correct += found.iter().zip(&fold.test).filter(|(found, row)| **found == codes[**row]).count();
        }
        let cell = grid.settings.iter().find(|s| s.c == c && s.gamma == gamma).unwrap();
        assert_eq!(cell.score.unwrap().mean, correct as f64 / 60.0, "{c} {gamma}");
        assert_eq!((cell.folds.len(), cell.failure.is_none()), (5, true));
    }
    // What is expected on new rows is no better than the best of 110 scores.
    let best = grid.settings[grid.best].score.unwrap().mean;
    assert!(grid.settings.iter().all(|s| s.score.unwrap().mean <= best) && grid.corrected.unwrap() <= best);
}

#[test]
fn of_equally_good_settings_that_of_the_smallest_c_and_gamma_is_taken_and_fitted_to_all_rows() {
    // No row of one class lies within 8 of a row of the other.
    let grid = judged(10.0, "svc").unwrap();
    let perfect = |s: &&mercer::compare::JudgedSetting| s.score.unwrap().mean == 1.0;
    let smallest = grid.settings.iter().filter(perfect).map(|s| (s.c, s.gamma)).min_by(|a, b| a.partial_cmp(b).unwrap()).unwrap();
    let best = &grid.settings[grid.best];
    assert_eq!((best.c, best.gamma), smallest);
    assert_eq!((best.c, grid.model.about.rows), (2f64.powi(-5), 60));
    assert!(grid.model.estimator.to_string().contains("0.03125"), "{}", grid.model.estimator);
}

#[test]
fn numbers_are_judged_by_their_error() {
    let (data, _, _) = examples(1.0);
    let info = TargetInfo { names: vec!["y".into()], classes: None, labels: Default::default() };
    let target = Target::Numbers(Matrix::column((0..60).map(|i| (i as f64 * 0.3).sin()).collect()));
    let examples = Examples { data: &data, target: &target, weights: None, split: &Split::Rows };
    let grid = judge_settings(&examples, &info, &comparing("svr"), GridName::Libsvm, &Control::default()).unwrap();
    let best = grid.settings[grid.best].score.unwrap().mean;
    assert_eq!(grid.metric, Metric::Rmse);
    assert!(grid.settings.iter().all(|s| s.score.unwrap().mean >= best) && grid.corrected.unwrap() >= best);
}

#[test]
fn a_grid_that_cannot_be_is_refused_by_what_to_change() {
    let refused = |estimator: &str| judged(1.0, estimator).unwrap_err().to_string();
    assert!(refused("svc(c=3)").contains("sets c of svc; leave it out"));
    assert!(refused("ridge").contains("no parameter c"));
    assert!(GridName::parse("libsvn").unwrap_err().to_string().contains("libsvm"));
    let (data, target, info) = examples(1.0);
    let examples = Examples { data: &data, target: &target, weights: None, split: &Split::Rows };
    let own = Comparing { kernel: Some(KernelExpr::parse("linear").unwrap()), ..comparing("svc") };
    let why = judge_settings(&examples, &info, &own, GridName::Libsvm, &Control::default()).unwrap_err().to_string();
    assert!(why.contains("linear") && why.contains("leave it out"), "{why}");
}
