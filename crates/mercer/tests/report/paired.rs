//! Whether one estimator is worse than the best: differences by held-out rows, against draws whose truth is known.

use crate::noise::{Folds, Noise, looked_at};
use crate::simulate::{Design, power, table, wrong};
use mercer::data::{Fold, Split, Target};
use mercer::estimators::{EstimatorExpr, Predicted, Predictions};
use mercer::linalg::Matrix;
use mercer::metrics::HeldOut;
use mercer::metrics::{Metric, Scoring};

/// Tables of a design; the share of 5% among so many has a standard error of 0.8%.
const TABLES: usize = 800;

#[test]
fn in_five_of_a_hundred_tables_any_of_equal_estimators_is_called_worse() {
    let of = Design::of;
    let designs = [
        of(Metric::Accuracy, 100),
        of(Metric::Rmse, 150),
        // The estimate of DeLong et al. errs on the careful side where a fold has few rows of a class.
        of(Metric::Auc, 400),
        Design { second: 0.2, ..of(Metric::BalancedAccuracy, 150) },
        // Copies that belong together count once.
        Design { copies: 4, ..of(Metric::Accuracy, 100) },
        // The best of several is the best by luck too.
        Design { estimators: 6, ..of(Metric::Accuracy, 100) },
        // What is far behind does not hide a difference.
        Design { estimators: 6, far: 4, ..of(Metric::Rmse, 100) },
        Design { estimators: 6, folds: 40, ..of(Metric::Rmse, 40) },
    ];
    for design in designs {
        let share = wrong(&design, TABLES);
        assert!((0.025..=0.07).contains(&share), "{} of {} estimators: {share}", design.metric.name(), design.estimators);
    }
}

#[test]
fn few_rows_call_next_to_nothing_worse() {
    for (metric, rows) in [(Metric::Accuracy, 3), (Metric::Rmse, 3), (Metric::Accuracy, 6), (Metric::Rmse, 6), (Metric::Rmse, 10)] {
        let share = wrong(&Design { estimators: 6, folds: rows, ..Design::of(metric, rows) }, TABLES / 2);
        assert!(share <= 0.06, "{} of {rows} rows: {share}", metric.name());
    }
}

#[test]
fn the_score_of_the_best_of_equals_is_corrected_to_that_of_any_of_them() {
    // The class is correct where a normal variable is above -1: 84.1345% (a table of the normal distribution).
    let design = Design { estimators: 8, ..Design::of(Metric::Accuracy, 100) };
    let tables = TABLES / 2;
    let all: Vec<[f64; 2]> = (0..tables as u64).map(|seed| table(&design, seed).scores).collect();
    let mean = |k: usize| all.iter().map(|scores| scores[k]).sum::<f64>() / tables as f64;
    // The standard error of the mean is 0.0015 to 0.002.
    assert!(mean(0) > 0.841_345 + 0.02, "{}", mean(0));
    assert!((mean(1) - 0.841_345).abs() <= 0.006, "{}", mean(1));
    // The best by far keeps its score.
    let [score, corrected] = table(&Design { estimators: 2, far: 1, ..design }, 1).scores;
    assert_eq!(score, corrected);
}

#[test]
fn a_score_is_the_metric_of_all_held_out_rows_together() {
    // Errors of 3, 4 and 0 in three folds of one row: the root of (9 + 16) / 3, and not the mean of the roots.
    let target = Target::Numbers(Matrix::zeros(3, 1));
    let folds: Vec<Fold> = (0..3).map(|k| Fold { train: Vec::new(), test: vec![k] }).collect();
    let found = [3.0, -4.0, 0.0].map(|f| Predictions::of(Predicted::Numbers(Matrix::column(vec![f]))));
    let scoring = Scoring::of(&target, None, None).unwrap();
    let held_out = HeldOut { folds: &folds, target: &target, weights: None, split: &Split::Rows, seed: 0 };
    let judged = held_out.judged(&found.each_ref(), &scoring).unwrap();
    assert!((judged.value - (25.0f64 / 3.0).sqrt()).abs() <= 1e-15);
    assert_eq!(judged.per_fold, [3.0, 4.0, 0.0]);
}

#[test]
fn a_difference_is_told_at_least_as_often_as_by_the_paired_test_of_a_textbook() {
    let of = |metric, rows, ahead| Design { ahead, ..Design::of(metric, rows) };
    for design in [of(Metric::Accuracy, 100, 0.5), of(Metric::Accuracy, 300, 0.25), of(Metric::Rmse, 150, 0.2)] {
        let [ours, textbook] = power(&design, TABLES / 2);
        assert!((0.3..0.95).contains(&textbook), "{}: {textbook}", design.metric.name());
        assert!(ours >= textbook - 0.01, "{}: {ours} beside {textbook}", design.metric.name());
    }
}

/// Two folds of predictions as classes or numbers, and the difference of the second estimator to the first.
fn difference(
    target: &Target,
    found: [Predicted; 2],
    metric: Metric,
    weights: Option<&[f64]>,
    split: &Split,
) -> mercer::metrics::Difference {
    let n = target.rows();
    let folds = [Fold { train: Vec::new(), test: (0..n).collect() }];
    let scoring = Scoring::of(target, None, Some(metric)).unwrap();
    let held_out = HeldOut { folds: &folds, target, weights, split, seed: 0 };
    let predictions = found.map(Predictions::of);
    held_out.differences(&predictions.each_ref().map(|p| vec![p]), 0, &scoring)[1].unwrap()
}

#[test]
fn the_error_of_a_mean_is_that_of_the_paired_t_test() {
    // Absolute errors 1..6 and 1.5, 1, 4, 4.5, 4, 7: differences .5, -1, 1, .5, -1, 1 with mean 1/6 and standard deviation
    // .9309493 (R: sd(c(.5,-1,1,.5,-1,1))), hence the error .9309493 / sqrt(6) = .3800585; halved weights are within 1/n^2 of it.
    let target = Target::Numbers(Matrix::zeros(6, 1));
    let column = |v: [f64; 6]| Predicted::Numbers(Matrix::column(v.into()));
    let found = [column([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]), column([1.5, 1.0, 4.0, 4.5, 4.0, 7.0])];
    let d = difference(&target, found, Metric::Mae, None, &Split::Rows);
    assert!((d.mean - 1.0 / 6.0).abs() <= 1e-12 && (d.se / 0.380_058_5 - 1.0).abs() <= 0.01, "{d:?}");
    // Of the 32 sums of the differences with signs one is 5 and two are 4 in size, so that 4 / root of 4.5 is exceeded with a
    // probability below 5%: 1.885618. The interval is 1.885618 root of ((4.33333 + 1/36) / 6 / (6 - 1.885618^2)) on either side.
    assert!((d.high - d.mean - 1.028_28).abs() <= 1e-4 && !d.is_significant(), "{d:?}");
}

#[test]
fn the_error_of_an_auc_is_that_of_delong() {
    // DeLong, DeLong and Clarke-Pearson (1988), equations 4 to 6: the variances of the placements of each class, over its rows.
    let truth = [false, false, false, false, true, true, true, true];
    let scores = [[0.1, 0.4, 0.35, 0.8, 0.3, 0.9, 0.7, 0.85], [0.2, 0.6, 0.5, 0.9, 0.4, 0.8, 0.3, 0.95]];
    let placed = |s: &[f64; 8], i: usize| -> f64 {
        let others: Vec<usize> = (0..8).filter(|&k| truth[k] != truth[i]).collect();
        let above = |k: usize| if truth[i] { s[i] > s[k] } else { s[k] > s[i] };
        others.iter().filter(|&&k| above(k)).count() as f64 / 4.0
    };
    let variance = |class: bool| -> f64 {
        let gaps: Vec<f64> = (0..8).filter(|&i| truth[i] == class).map(|i| placed(&scores[1], i) - placed(&scores[0], i)).collect();
        let mean = gaps.iter().sum::<f64>() / 4.0;
        gaps.iter().map(|g| (g - mean).powi(2)).sum::<f64>() / 3.0 / 4.0
    };
    let delong = (variance(true) + variance(false)).sqrt();
    let target = Target::Classes { codes: truth.map(usize::from).into(), names: ["a", "b"].map(String::from).into() };
    let folds = [Fold { train: Vec::new(), test: (0..8).collect() }];
    let predictions = scores.map(|s| Predictions {
        scores: Some(Matrix::column(s.into())),
        ..Predictions::of(Predicted::Classes(s.iter().map(|v| usize::from(*v > 0.5)).collect()))
    });
    let scoring = Scoring::of(&target, None, Some(Metric::Auc)).unwrap();
    let held_out = HeldOut { folds: &folds, target: &target, weights: None, split: &Split::Rows, seed: 0 };
    let d = held_out.differences(&predictions.each_ref().map(|p| vec![p]), 0, &scoring)[1].unwrap();
    assert!((d.se / delong - 1.0).abs() <= 0.02, "{} beside {delong}", d.se);
}

#[test]
fn a_row_of_weight_two_counts_as_two_copies_in_one_group() {
    let codes = vec![0, 1, 0, 1, 0, 1, 1, 0];
    let names: Vec<String> = ["a", "b"].map(String::from).into();
    let found = |flip: &[usize]| codes.iter().enumerate().map(|(i, c)| if flip.contains(&i) { 1 - c } else { *c }).collect::<Vec<usize>>();
    let (one, two) = (found(&[1]), found(&[2, 3, 4]));
    let target = Target::Classes { codes: codes.clone(), names: names.clone() };
    let weights = [2.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0];
    let classes = |c: &[usize]| Predicted::Classes(c.to_vec());
    let weighed = difference(&target, [classes(&one), classes(&two)], Metric::Accuracy, Some(&weights), &Split::Rows);
    let doubled = |c: &[usize]| [c, &c[..1]].concat();
    let target = Target::Classes { codes: doubled(&codes), names };
    let groups = Split::Groups(doubled(&[0, 1, 2, 3, 4, 5, 6, 7]));
    let copied = difference(&target, [classes(&doubled(&one)), classes(&doubled(&two))], Metric::Accuracy, None, &groups);
    assert!((weighed.mean - copied.mean).abs() <= 1e-12 && (weighed.se - copied.se).abs() <= 1e-12, "{weighed:?} {copied:?}");
}

#[test]
fn the_same_predictions_tie_and_the_best_has_no_difference() {
    let same = table(&Design { ahead: 0.0, ..Design::of(Metric::Accuracy, 40) }, 1);
    assert!(same.differences[same.best].is_none());
    let target = Target::Classes { codes: vec![0, 1, 0, 1], names: ["a", "b"].map(String::from).into() };
    let found = || Predicted::Classes(vec![0, 1, 1, 1]);
    let d = difference(&target, [found(), found()], Metric::Accuracy, None, &Split::Rows);
    assert!(d.tied && d.mean == 0.0 && d.se == 0.0 && !d.is_significant());
}

#[test]
fn on_tables_of_noise_nothing_is_called_better_than_a_guess_or_worse_than_the_best() {
    let few: Vec<EstimatorExpr> = ["ridge", "knn", "baseline"].iter().map(|name| EstimatorExpr::parse(name).unwrap()).collect();
    for (classes, rows, folds) in
        [(true, 10, Folds::EachRow), (true, 20, Folds::EachRow), (true, 30, Folds::Five), (false, 6, Folds::EachRow)]
    {
        let said = looked_at(&Noise { classes, rows, folds }, Some(&few), 30);
        // Of 30 tables more than 4 are called so with a probability of 1.6% where the level is 5%.
        assert!(
            said.tables >= 29 && said.better <= 4 && said.worse <= 4,
            "{rows} rows: {} and {} of {}",
            said.better,
            said.worse,
            said.tables
        );
    }
}
