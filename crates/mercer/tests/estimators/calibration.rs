//! Class probabilities made of scores that the rows had no part in.

use crate::made;

use made::*;
use mercer::control::{Control, with_threads};
use mercer::data::{Dataset, Points, Split, Target, folds};
use mercer::estimators::{
    ClassWeight, EstimatorExpr, FitContext, Fitted, FittedModel, HoldOut, Predictions, Query, Sigmoid, Svc, Task, View,
};
use mercer::gram::{Dense, Gram, Subset};
use mercer::kernels::KernelExpr;
use mercer::learner::Learner;
use mercer::read::TargetInfo;
use mercer::testkit;

pub(crate) const SEED: u64 = 5;

fn svc(c: f64) -> Svc {
    Svc { c: c.into(), tolerance: 1e-9.into(), probabilities: true, ..Svc::default() }
}

/// Three classes in the plane, the second and third rarer, with noise at their borders.
fn three(n: usize) -> (Rows, Dense, Target) {
    let (x, e) = (points(3, n, 2), errors(3, n));
    let class = |i: usize| match x[i][0] + 0.4 * e[i] {
        v if v < 0.1 => "a",
        _ if x[i][1] + 0.4 * e[i] < 0.0 => "b",
        _ => "c",
    };
    let labels: Vec<&str> = (0..n).map(class).collect();
    let gram = square(&x, |a, b| rbf(0.8)(a, b));
    (x, gram, Target::classes(&labels))
}

fn codes(target: &Target) -> &[usize] {
    match target {
        Target::Classes { codes, .. } => codes,
        _ => panic!("classes expected"),
    }
}

pub(crate) fn seeded(estimator: &EstimatorExpr, gram: &dyn Gram, target: &Target, weights: Option<&[f64]>) -> FittedModel {
    estimator.fit(&Task { view: View::Values(gram), target, weights, control: &Control::default(), seed: SEED }).unwrap()
}

fn of(svc: Svc) -> EstimatorExpr {
    EstimatorExpr::Svc(svc)
}

pub(crate) fn parsed(text: &str) -> EstimatorExpr {
    EstimatorExpr::parse(text).unwrap()
}

/// The methods with scores, each at a setting of its own, without probabilities of calibration and with them.
const METHODS: [(&str, &str); 4] = [
    ("svc(c=1)", "svc(c=1, probabilities=true)"),
    ("ridge(lambda=0.5)", "ridge(lambda=0.5, probabilities=true)"),
    ("knn(k=7, calibrated=false)", "knn(k=7)"),
    ("nadaraya_watson(calibrated=false)", "nadaraya_watson"),
];

fn on(fitted: &FittedModel, gram: &Dense, rows: &[usize], train: &[usize]) -> Predictions {
    let support: Vec<usize> = fitted.support().iter().map(|&s| train[s]).collect();
    fitted.predict(&Query::new(&Subset::new(gram, rows, &support), everything(), &Control::default())).unwrap()
}

#[test]
fn the_sigmoid_is_the_one_of_scikit_learn() {
    let f = [-2.1, -1.3, -0.9, -0.2, 0.1, 0.15, 0.4, 0.9, 1.2, 2.5];
    let class = [false, false, true, false, false, true, true, false, true, true];
    let weights = [1.0, 2.0, 0.5, 1.0, 3.0, 1.0, 1.0, 0.25, 2.0, 1.0];
    // scikit-learn 1.9.1: sklearn.calibration._sigmoid_calibration(f, y, w) gives -slope, -offset, to about six digits.
    for (w, slope, offset) in [([1.0; 10], 0.610_648_6, -0.042_471_2), (weights, 1.081_244, -0.387_377)] {
        let rows: Vec<_> = (0..10).map(|i| (f[i], class[i], w[i])).collect();
        let found = Sigmoid::fit(&rows);
        close(found.slope, slope, 1e-5);
        close(found.offset, offset, 1e-5);
    }
}

#[test]
fn separated_reversed_and_equal_values_have_finite_sigmoids() {
    let fit = |values: &[f64]| {
        let rows: Vec<_> = values.iter().enumerate().map(|(i, &f)| (f, i % 2 == 1, 1.0)).collect();
        Sigmoid::fit(&rows)
    };
    let apart = fit(&[-1.0, 1.0, -1.0, 1.0, -1.0, 1.0]);
    // Two values: the sigmoid meets the smoothed frequencies (3 + 1) / (3 + 2) and 1 / (3 + 2).
    close(apart.probability(1.0), 0.8, 1e-9);
    close(apart.probability(-1.0), 0.2, 1e-9);
    let reversed = fit(&[1.0, -1.0, 1.0, -1.0, 1.0, -1.0]);
    close(reversed.slope, -apart.slope, 1e-9);
    let (near, far) = (fit(&[-1.0, 1.0, -3.0, 2.0]), fit(&[-1e8, 1e8, -3e8, 2e8]));
    close(far.slope * 1e8, near.slope, 1e-6);
    close(far.offset, near.offset, 1e-6);
    for equal in [fit(&[0.0; 6]), fit(&[2.0; 6])] {
        close(equal.probability(0.0), 0.5, 1e-6);
        close(equal.probability(2.0), 0.5, 1e-6);
    }
}

// spec: S27, R07
#[test]
fn sigmoids_are_fitted_to_decision_values_of_machines_that_never_saw_the_row() {
    let (_, gram, target) = three(150);
    let weights: Vec<f64> = (0..150).map(|i| 1.0 + (i % 3) as f64).collect();
    let sums: Vec<f64> = (0..3).map(|k| (0..150).filter(|&i| codes(&target)[i] == k).map(|i| weights[i]).sum()).collect();
    for class_weight in [ClassWeight::None, ClassWeight::Balanced] {
        let fitted = seeded(&of(Svc { class_weight, ..svc(2.0) }), &gram, &target, Some(&weights));
        assert_eq!(fitted.sigmoids().len(), 3);
        let factor = |k: usize| match class_weight {
            ClassWeight::None => 1.0,
            ClassWeight::Balanced => sums.iter().sum::<f64>() / (3.0 * sums[k]),
        };
        let counted: Vec<f64> = (0..150).map(|i| weights[i] * factor(codes(&target)[i])).collect();
        // The same by hand: one fit without each fold, with the weights that rows of all classes have.
        let mut rows: [Vec<(f64, bool, f64)>; 3] = Default::default();
        for fold in folds(&target, &Split::Rows, 5, SEED).unwrap() {
            let w: Vec<f64> = fold.train.iter().map(|&i| counted[i]).collect();
            let plain = of(Svc { probabilities: false, ..svc(2.0) });
            let part = seeded(&plain, &Subset::new(&gram, &fold.train, &fold.train), &target.select(&fold.train), Some(&w));
            let p = on(&part, &gram, &fold.test, &fold.train);
            for (r, &i) in fold.test.iter().enumerate() {
                for (o, &(a, b)) in p.pairs.iter().enumerate() {
                    let class = codes(&target)[i];
                    if class == a || class == b {
                        rows[o].push((p.scores.as_ref().unwrap()[(r, o)], class == b, counted[i]));
                    }
                }
            }
        }
        for (found, rows) in fitted.sigmoids().iter().zip(&rows) {
            let expected = Sigmoid::fit(rows);
            assert!(found.slope > 0.0, "{found:?}");
            close(found.slope, expected.slope, 1e-5 * expected.slope);
            close(found.offset, expected.offset, 1e-5);
        }
        assert!(fitted.summary().notes.iter().any(|n| n.contains("held out in 5 folds")), "{:?}", fitted.summary().notes);
    }
}

// spec: S27, R07
#[test]
fn labels_without_a_reason_are_not_believed_although_the_training_rows_are_all_right() {
    let n = 200;
    let (x, e) = (points(8, n + 100, 3), errors(8, n + 100));
    let all = square(&x, |a, b| rbf(30.0)(a, b));
    let train: Vec<usize> = (0..n).collect();
    let target = labels((0..n).map(|i| e[i] > 0.0));
    let fitted = seeded(&of(svc(100.0)), &Subset::new(&all, &train, &train), &target, None);
    let right = |p: &Predictions| {
        let scores = p.scores.as_ref().unwrap();
        (0..n).filter(|&i| (scores[(i, 0)] > 0.0) == (codes(&target)[i] == 1)).count()
    };
    assert_eq!(right(&on(&fitted, &all, &train, &train)), n);
    let p = on(&fitted, &all, &(n..n + 100).collect::<Vec<_>>(), &train).probabilities.unwrap();
    assert!((0..100).all(|i| (p[(i, 1)] - 0.5).abs() < 0.2), "{p:?}");
}

// spec: S27
// asks: U-01
#[test]
fn the_predicted_class_is_the_most_probable_and_probabilities_sum_to_one() {
    let (_, gram, three) = three(120);
    let two = labels((0..120).map(|i| codes(&three)[i] == 1));
    for target in [&two, &three] {
        for (plain, calibrated) in METHODS {
            let fitted = seeded(&parsed(calibrated), &gram, target, None);
            let p = on_training(&fitted, &gram);
            let probabilities = p.probabilities.as_ref().unwrap();
            for (i, &class) in classes(&p).iter().enumerate() {
                let row = probabilities.row(i);
                close(row.iter().sum::<f64>(), 1.0, 1e-12);
                assert!(row.iter().all(|x| *x <= row[class] && *x > 0.0), "{calibrated}: {row:?}, predicted {class}");
            }
            // The fit is the one without.
            let plain = seeded(&parsed(plain), &gram, target, None);
            assert_eq!(&plain, fitted.uncalibrated());
            assert_eq!(on_training(&plain, &gram).scores, p.scores, "{calibrated}");
        }
    }
}

// spec: S27, R07
#[test]
fn scores_of_ridge_and_neighbours_are_those_of_refits_without_the_row() {
    let n = 60;
    let (x, e) = (points(4, n, 2), errors(4, n));
    let gram = square(&x, |a, b| rbf(0.8)(a, b));
    let target = labels((0..n).map(|i| x[i][0] + 0.5 * e[i] > 0.0));
    let weights: Vec<f64> = (0..n).map(|i| 1.0 + (i % 3) as f64).collect();
    for (plain, calibrated) in &METHODS[1..] {
        let fitted = seeded(&parsed(calibrated), &gram, &target, Some(&weights));
        let rows: Vec<(f64, bool, f64)> = (0..n)
            .map(|i| {
                let rest: Vec<usize> = (0..n).filter(|&k| k != i).collect();
                let w: Vec<f64> = rest.iter().map(|&k| weights[k]).collect();
                let part = seeded(&parsed(plain), &Subset::new(&gram, &rest, &rest), &target.select(&rest), Some(&w));
                let p = on(&part, &gram, &[i], &rest);
                // Neighbours have probabilities, whose log odds are the score.
                let score = p.probabilities.as_ref().map_or_else(|| p.scores.as_ref().unwrap()[(0, 0)], |p| (p[(0, 1)] / p[(0, 0)]).ln());
                (score, codes(&target)[i] == 1, weights[i])
            })
            .collect();
        let (found, expected) = (fitted.sigmoids()[0], Sigmoid::fit(&rows));
        close(found.slope, expected.slope, 1e-6 * expected.slope.abs());
        close(found.offset, expected.offset, 1e-6);
    }
}

#[test]
fn features_and_kernel_values_calibrate_alike() {
    let data = testkit::table(400, 3);
    let kernel = KernelExpr::parse("linear").unwrap().settle(&data).unwrap();
    let bound = kernel.bind(None, &data).unwrap();
    assert!(bound.structure().dense_features(mercer::gram::Side::Rows).is_some());
    let dense = Dense::square(Dense::of(bound.as_ref(), &Control::default()).unwrap().matrix().clone()).unwrap();
    let e = errors(5, 400);
    let target = labels((0..400).map(|i| e[i] + dense.matrix()[(i, 0)] > 0.0));
    let weights: Vec<f64> = (0..400).map(|i| 1.0 + (i % 2) as f64).collect();
    for text in ["ridge(lambda=0.5, probabilities=true)", "ridge(lambda=0.5, intercept=false, probabilities=true)"] {
        let (a, b) = (
            seeded(&parsed(text), bound.as_ref(), &target, Some(&weights)).sigmoids()[0],
            seeded(&parsed(text), &dense, &target, Some(&weights)).sigmoids()[0],
        );
        close(a.slope, b.slope, 1e-7 * b.slope.abs());
        close(a.offset, b.offset, 1e-7);
    }
}

// spec: S27
#[test]
fn scores_that_held_out_rows_contradict_decide_all_the_same_and_are_not_believed() {
    // Rows that have nothing in common: without a row its class is the rarer one, and the offset speaks for the other.
    let gram = Dense::square(mercer::linalg::Matrix::from_fn(6, 6, |i, j| f64::from(u8::from(i == j)))).unwrap();
    let target = labels((0..6).map(|i| i % 2 == 1));
    let fitted = seeded(&of(svc(1.0)), &gram, &target, None);
    let p = on_training(&fitted, &gram);
    assert_eq!(classes(&p), codes(&target));
    assert!(p.probabilities.unwrap().data().iter().all(|p| (p - 0.5).abs() < 1e-5));
    assert!(fitted.summary().notes.iter().any(|n| n.contains("tell nothing of the classes")), "{:?}", fitted.summary().notes);
    // Of three classes, pairs and all.
    let three: Vec<&str> = (0..6).map(|i| ["a", "b", "c"][i % 3]).collect();
    let gram = Dense::square(mercer::linalg::Matrix::from_fn(12, 12, |i, j| f64::from(u8::from(i == j)))).unwrap();
    let target = Target::classes(&three.repeat(2));
    for text in ["svc(c=1, tolerance=1e-9, probabilities=true)", "ridge(lambda=0.1, probabilities=true)"] {
        assert_eq!(classes(&on_training(&seeded(&parsed(text), &gram, &target, None), &gram)), codes(&target), "{text}");
    }
}

/// Points along a line; each is of another class than those beside it.
fn alternating(n: usize, classes: usize) -> (Dense, Target) {
    let x: Rows = (0..n).map(|i| vec![i as f64]).collect();
    let names = (0..classes).map(|c| c.to_string()).collect();
    (square(&x, |a, b| rbf(1.0)(a, b)), Target::Classes { codes: (0..n).map(|i| i % classes).collect(), names })
}

// Held-out scores are all wrong: the votes rank rows, and each class is as probable as it is frequent.
#[test]
fn neighbours_that_held_out_rows_contradict_have_the_shares_of_the_classes() {
    for count in [2, 3] {
        let (gram, target) = alternating(30, count);
        let [fitted, plain] = ["knn(k=1)", "knn(k=1, calibrated=false)"].map(|text| seeded(&parsed(text), &gram, &target, None));
        let (p, q) = (on_training(&fitted, &gram), on_training(&plain, &gram));
        assert_eq!(classes(&p), codes(&target));
        assert_eq!(classes(&p), classes(&q));
        for a in p.probabilities.unwrap().data() {
            close(*a, 1.0 / count as f64, 1e-5);
        }
        assert!(fitted.summary().notes.iter().any(|n| n.contains("tell nothing of the classes")), "{:?}", fitted.summary().notes);
    }
}

fn learner(text: &str) -> Learner {
    Learner { kernel: Some(KernelExpr::parse("rbf(length_scale=1)").unwrap()), ..Learner::new(parsed(text)) }
}

// Every class has one row, many times over: no held-out row tells anything.
#[test]
fn classes_of_copies_of_one_row_are_predicted_and_have_the_shares_of_the_method() {
    for names in [&["a", "b"][..], &["a", "b", "c"]] {
        let n = 10 * names.len();
        let x: Rows = (0..n).map(|i| vec![(i % names.len()) as f64]).collect();
        let rows = table_of(&x);
        let target =
            Target::Classes { codes: (0..n).map(|i| i % names.len()).collect(), names: names.iter().map(|n| n.to_string()).collect() };
        let fit = |text: &str| learner(text).fit(&rows, &target, &classes_named(names), None, &Control::default()).unwrap();
        let predict = |text: &str| fit(text).predict(&rows, everything(), &Control::default()).unwrap();
        for (text, plain) in [
            ("knn(k=1)", "knn(k=1, calibrated=false)"),
            ("nadaraya_watson", "nadaraya_watson(calibrated=false)"),
            ("discriminant(lambda=0.1)", "discriminant(lambda=0.1, calibrated=false)"),
        ] {
            let (p, q) = (predict(text), predict(plain));
            assert_eq!(classes(&p), codes(&target), "{text}");
            for (a, b) in p.probabilities.unwrap().data().iter().zip(q.probabilities.unwrap().data()) {
                // Two classes are coupled from probabilities that are 1e-7 from 0 and 1 at least.
                assert!((a - b).abs() <= 1.001e-7, "{text}: {a} and {b}");
            }
            let notes = fit(text).fitted.summary().notes.clone();
            assert!(notes.iter().any(|n| n.contains("too few rows to calibrate class 'a'")), "{text}: {notes:?}");
        }
        for text in ["svc(c=10, probabilities=true)", "ridge(lambda=0.1, probabilities=true)"] {
            assert_eq!(classes(&predict(text)), codes(&target), "{text}");
        }
    }
}

// One class is copies of one row, the others are not: it is neither lost nor in the way of the others.
#[test]
fn a_class_of_copies_of_one_row_is_predicted_beside_others_that_are_calibrated() {
    let e = errors(12, 80);
    let mut x: Rows = (0..80).map(|i| vec![0.05 * i as f64]).collect();
    let mut labels: Vec<usize> = (0..80).map(|i| usize::from(x[i][0] + 0.8 * e[i] > 2.0)).collect();
    x.extend(std::iter::repeat_n(vec![9.0], 12));
    labels.extend([2; 12]);
    let (rows, names) = (table_of(&x), ["a", "b", "c"]);
    let target = Target::Classes { codes: labels, names: names.map(String::from).to_vec() };
    for text in
        ["knn(k=5)", "nadaraya_watson", "discriminant(lambda=0.1)", "svc(c=1, probabilities=true)", "ridge(lambda=0.1, probabilities=true)"]
    {
        let model = learner(text).fit(&rows, &target, &classes_named(&names), None, &Control::default()).unwrap();
        let p = model.predict(&rows, everything(), &Control::default()).unwrap();
        assert!(classes(&p)[80..].iter().all(|c| *c == 2), "{text}: {:?}", classes(&p));
        let notes = model.fitted.summary().notes.clone();
        assert!(notes.iter().any(|n| n.contains("too few rows to calibrate class 'c'")), "{text}: {notes:?}");
        assert!(notes.iter().any(|n| n.starts_with("probabilities are a softmax")), "{text}: {notes:?}");
    }
}

// A row of weight w is w rows: what is held out is held out with all its copies.
// spec: R07
#[test]
fn weights_are_copies_in_calibrations_too() {
    let n = 60;
    let (x, e) = (points(14, n, 2), errors(14, n));
    let class = |i: usize| usize::from(x[i][0] + 0.6 * e[i] > 0.0) + usize::from(x[i][1] + 0.6 * e[i] > 0.6);
    let counts: Vec<usize> = (0..n).map(|i| 1 + i % 3).collect();
    let names = ["a", "b", "c"];
    let target =
        |rows: &[usize]| Target::Classes { codes: rows.iter().map(|&i| class(i)).collect(), names: names.map(String::from).to_vec() };
    let each: Vec<usize> = (0..n).collect();
    // Each once in its place, and the others behind them.
    let copies: Vec<usize> = (0..3).flat_map(|k| (0..n).filter(move |i| k <= i % 3)).collect();
    let data = |rows: &[usize]| table_of(&rows.iter().map(|&i| x[i].clone()).collect::<Vec<_>>());
    let weights: Vec<f64> = counts.iter().map(|&c| c as f64).collect();
    let new = table_of(&points(15, 20, 2));
    for text in [
        "svc(c=1, tolerance=1e-10, probabilities=true)",
        "ridge(lambda=0.1, probabilities=true)",
        "knn(k=7)",
        "nadaraya_watson",
        "discriminant(lambda=0.1)",
        "discriminant(lambda=0.1, calibrated=false)",
    ] {
        let fit = |rows: &[usize], weights: Option<&[f64]>| {
            let model = learner(text).fit(&data(rows), &target(rows), &classes_named(&names), weights, &Control::default()).unwrap();
            model.predict(&new, everything(), &Control::default()).unwrap().probabilities.unwrap()
        };
        let (a, b) = (fit(&each, Some(&weights)), fit(&copies, None));
        // Machines of svc without a fold meet a tenth of its tolerance.
        let slack = if text.starts_with("svc") { 1e-6 } else { 1e-8 };
        for (a, b) in a.data().iter().zip(b.data()) {
            assert!((a - b).abs() <= slack, "{text}: {a} and {b}");
        }
    }
}

// asks: U-03
#[test]
fn classes_of_few_rows_have_shrunk_scores_that_are_said_and_never_inverted() {
    let (x, _, _) = three(41);
    let class = |i: usize| match (i, x[i][0] > 0.0) {
        (40, _) => "rare",
        (_, true) => "no",
        (_, false) => "yes",
    };
    let labels: Vec<&str> = (0..41).map(class).collect();
    let gram = square(&x, |a, b| rbf(0.8)(a, b));
    for (_, text) in METHODS {
        let fitted = seeded(&parsed(text), &gram, &Target::classes(&labels), None);
        let p = on_training(&fitted, &gram).probabilities.unwrap();
        assert!(p.data().iter().all(|v| *v > 0.0 && *v < 1.0));
        let notes = &fitted.summary().notes;
        assert!(notes.iter().any(|n| n.contains("too few rows to calibrate class 'rare'")), "{text}: {notes:?}");
    }
    // Two rows, far apart: each lies on the margin of its class and has (n + 1) / (n + 2) with n = 1 (Platt 2000, his aims).
    let two = Dense::square(mercer::linalg::Matrix::from_fn(2, 2, |i, j| f64::from(u8::from(i == j)))).unwrap();
    let p = on_training(&seeded(&of(svc(1.0)), &two, &Target::classes(&["a", "b"]), None), &two);
    let found = p.probabilities.as_ref().unwrap();
    close(found[(0, 0)], 2.0 / 3.0, 1e-6);
    close(found[(1, 1)], 2.0 / 3.0, 1e-6);
    assert_eq!(classes(&p), &[0, 1]);
}

// Rows of a group, copies, and later times: scores come from fits that did not see them.
// spec: R07
#[test]
fn held_out_rows_keep_to_groups_and_times() {
    let n = 120;
    let (x, e) = (points(6, n, 2), errors(6, n));
    // Each row stands twice, and labels have no reason: a copy gives its label away.
    let twice: Rows = (0..2 * n).map(|i| x[i % n].clone()).collect();
    let gram = square(&twice, |a, b| rbf(100.0)(a, b));
    let target = labels((0..2 * n).map(|i| e[i % n] > 0.0));
    let task = Task { view: View::Values(&gram), target: &target, weights: None, control: &Control::default(), seed: SEED };
    let groups = Split::Groups((0..2 * n).map(|i| i % n).collect());
    for text in ["svc(c=100, probabilities=true)", "ridge(lambda=0.001, probabilities=true)", "knn(k=1)", "discriminant(lambda=0.001)"] {
        let sure = |split: &Split| {
            let fitted = parsed(text).fit_with(&task, &FitContext::holding(HoldOut::by(split))).unwrap().fitted;
            let p = on_training(&fitted, &gram).probabilities.unwrap();
            ((0..2 * n).map(|i| p.row(i).iter().fold(0.0f64, |m, p| m.max(*p))).sum::<f64>() / (2 * n) as f64, fitted)
        };
        let (open, _) = sure(&Split::Rows);
        let (kept, fitted) = sure(&groups);
        assert!(open > 0.8 && kept < 0.72, "{text}: {open} and {kept}");
        let notes = &fitted.summary().notes;
        assert!(notes.iter().any(|n| n.contains("held out in 5 folds that keep groups together")), "{text}: {notes:?}");
        let times = Split::Time((0..2 * n).map(|i| (i / 10) as f64).collect());
        let notes = parsed(text).fit_with(&task, &FitContext::holding(HoldOut::by(&times))).unwrap().fitted.summary().notes.clone();
        assert!(notes.iter().any(|n| n.contains("of later times")), "{text}: {notes:?}");
    }
    // A learner that is given copies keeps them together by itself.
    let rows = Dataset::from_points(Points::dense(2 * n, 2, twice.concat()).unwrap());
    let info = TargetInfo { names: vec!["t".into()], classes: Some(vec!["no".into(), "yes".into()]), labels: Default::default() };
    let learner = Learner { kernel: Some(KernelExpr::parse("rbf(length_scale=0.1)").unwrap()), ..Learner::new(parsed("knn(k=1)")) };
    let model = learner.fit(&rows, &target, &info, None, &Control::default()).unwrap();
    let p = model.predict(&rows, everything(), &Control::default()).unwrap().probabilities.unwrap();
    assert!(p.data().iter().all(|p| (p - 0.5).abs() < 0.25), "{p:?}");
}

// One neighbour of 26 classes that is right in nine of ten rows.
#[test]
fn one_neighbour_is_believed_as_often_as_it_is_right() {
    let n = 520;
    let wobble = errors(9, n);
    let class = |i: usize| if wobble[i] > 0.8 { (i * 7) % 26 } else { i % 26 };
    let x: Rows = (0..n).map(|i| vec![(i % 26) as f64, 0.3 * noise(9, i, 1)]).collect();
    let names: Vec<String> = (0..26).map(|c| c.to_string()).collect();
    let target = Target::Classes { codes: (0..n).map(class).collect(), names };
    let gram = square(&x, |a, b| rbf(1.0)(a, b));
    let fitted = seeded(&parsed("knn(k=1)"), &gram, &target, None);
    let (new, codes): (Rows, Vec<usize>) =
        ((0..n).map(|i| vec![(i % 26) as f64, 0.3 * noise(10, i, 1)]).collect(), (0..n).map(class).collect());
    let p =
        fitted.predict(&Query::new(&cross(&new, &x, fitted.support(), |a, b| rbf(1.0)(a, b)), everything(), &Control::default())).unwrap();
    let stated = (0..n).map(|i| p.probabilities.as_ref().unwrap()[(i, classes(&p)[i])]).sum::<f64>() / n as f64;
    let correct = classes(&p).iter().zip(&codes).filter(|(a, b)| a == b).count() as f64 / n as f64;
    assert!((stated - correct).abs() <= 0.05, "{stated} and {correct}");
    assert!(p.probabilities.unwrap().data().iter().all(|p| *p > 1e-6));
}

#[test]
fn one_class_is_refused_where_probabilities_are_asked_for_and_predicted_where_they_are_a_default() {
    let (_, gram, _) = three(20);
    let target = Target::Classes { codes: vec![1; 20], names: vec!["no".into(), "yes".into()] };
    let task = Task { view: View::Values(&gram), target: &target, weights: None, control: &Control::default(), seed: SEED };
    let error = parsed("ridge(lambda=1, probabilities=true)").fit(&task).unwrap_err().to_string();
    assert!(error.contains("at least two classes") && error.contains("'yes'"), "{error}");
    for text in ["knn(k=3)", "nadaraya_watson"] {
        assert_eq!(classes(&on_training(&parsed(text).fit(&task).unwrap(), &gram)), [1; 20], "{text}");
    }
}

#[test]
fn probabilities_of_numbers_are_refused() {
    let (_, gram, _) = three(20);
    let target = Target::Numbers(mercer::linalg::Matrix::column(errors(1, 20)));
    let task = Task { view: View::Values(&gram), target: &target, weights: None, control: &Control::default(), seed: SEED };
    let error = parsed("ridge(lambda=1, probabilities=true)").fit(&task).unwrap_err().to_string();
    assert!(error.contains("probabilities") && error.contains("numbers"), "{error}");
}

#[test]
fn calibrations_are_stored_checked_and_the_same_bits_for_any_number_of_threads() {
    let (_, gram, target) = three(130);
    for (_, text) in METHODS {
        let fit = |threads| with_threads(threads, || seeded(&parsed(text), &gram, &target, None)).unwrap();
        let fitted = fit(1);
        assert_eq!(fitted, fit(2));
        let written = serde_json::to_value(&fitted).unwrap();
        assert_eq!(serde_json::from_value::<FittedModel>(written.clone()).unwrap(), fitted);
        let mut lacking = written;
        lacking["calibrated"]["calibration"]["sigmoids"].as_array_mut().unwrap().pop();
        let lacking: FittedModel = serde_json::from_value(lacking).unwrap();
        let cross = Subset::new(&gram, &[0], lacking.support());
        let error = lacking.predict(&Query::new(&cross, everything(), &Control::default())).unwrap_err().to_string();
        assert!(error.contains("sigmoids"), "{error}");
        let form = parsed(text);
        assert_eq!(parsed(&form.to_string()), form);
    }
    let earlier = r#"{"svc":{"c":"1","tolerance":"0.001","max_iterations":"10","class_weight":"none","cache_mb":"8"}}"#;
    assert!(serde_json::from_str::<EstimatorExpr>(earlier).unwrap().to_string().starts_with("svc(c=1"));
}
