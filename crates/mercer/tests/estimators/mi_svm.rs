//! mi-SVM against its own definition: machines of vectors that `svc` fits, turn by turn, and sets whose positive vectors are known.

use mercer::control::Control;
use mercer::data::{Column, Dataset, Points, Sets, Target, Values};
use mercer::error::Error;
use mercer::estimators::{EstimatorExpr, Fitted, Predicted, Predictions, Want};
use mercer::kernels::KernelExpr;
use mercer::learner::{Learner, Model};
use mercer::read::TargetInfo;

const N: usize = 30;

/// Sets of four vectors spread over a square; each set of the second class has one more near (2, 2).
fn bags() -> (Vec<Vec<Vec<f64>>>, Vec<usize>) {
    let wave = |k: f64| 1.5 * (43.7 * k).sin();
    let codes: Vec<usize> = (0..N).map(|i| i % 2).collect();
    let bag = |i: usize| {
        let mut vectors: Vec<Vec<f64>> = (0..4).map(|j| vec![wave((i * 17 + j) as f64 + 0.3), wave((i * 31 + j) as f64 + 1.1)]).collect();
        if codes[i] == 1 {
            vectors.insert(i % 4, vec![2.0 + 0.1 * wave(i as f64), 2.0 + 0.1 * wave(i as f64 + 0.5)]);
        }
        vectors
    };
    ((0..N).map(bag).collect(), codes)
}

fn sets(rows: &[Vec<Vec<f64>>]) -> Dataset {
    Dataset::new(vec![Column { name: "s".into(), values: Values::Sets(Sets::of_rows(rows).unwrap()) }]).unwrap()
}

fn target(codes: &[usize]) -> Target {
    Target::Classes { codes: codes.to_vec(), names: vec!["plain".into(), "marked".into()] }
}

fn fit(estimator: &str, kernel: &str, data: &Dataset, target: &Target) -> Result<Model, Error> {
    let mut learner =
        Learner { kernel: Some(KernelExpr::parse(kernel).unwrap()), ..Learner::new(EstimatorExpr::parse(estimator).unwrap()) };
    learner.prep.standardise = false;
    learner.fit(data, target, &TargetInfo::of(target), None, &Control::default())
}

fn scores(model: &Model, data: &Dataset) -> (Vec<f64>, Vec<usize>) {
    let found: Predictions = model.predict(data, Want { scores: true, ..Want::default() }, &Control::default()).unwrap();
    let Predicted::Classes(codes) = found.values else { panic!("classes are predicted") };
    (found.scores.unwrap().col(0), codes)
}

#[test]
fn turns_of_machines_and_classes_are_those_of_the_definition() {
    let (rows, codes) = bags();
    let found = fit("mi_svm(c=3, tolerance=1e-8)", "set_mean(rbf(length_scale=2))", &sets(&rows), &target(&codes)).unwrap();
    // The same by `svc` on all vectors, as the paper states it.
    let vectors: Vec<&[f64]> = rows.iter().flatten().map(Vec::as_slice).collect();
    let owner: Vec<usize> = rows.iter().enumerate().flat_map(|(i, bag)| vec![i; bag.len()]).collect();
    let flat: Vec<f64> = vectors.concat();
    let points = Dataset::from_points(Points::dense(vectors.len(), 2, flat).unwrap());
    let mut labels: Vec<usize> = owner.iter().map(|&i| codes[i]).collect();
    let (values, turns) = (1..)
        .find_map(|turn| {
            let machine = fit("svc(c=3, tolerance=1e-8)", "rbf(length_scale=2)", &points, &target(&labels)).unwrap();
            let values = scores(&machine, &points).0;
            let best = |bag: usize| (0..owner.len()).filter(|&v| owner[v] == bag).max_by(|&a, &b| values[a].total_cmp(&values[b])).unwrap();
            let next: Vec<usize> =
                (0..owner.len()).map(|v| usize::from(codes[owner[v]] == 1 && (values[v] > 0.0 || best(owner[v]) == v))).collect();
            let settled = next == labels;
            labels = next;
            settled.then_some((values, turn))
        })
        .unwrap();
    assert!(turns > 1);
    let expected = |bag: usize| (0..owner.len()).filter(|&v| owner[v] == bag).map(|v| values[v]).fold(f64::NEG_INFINITY, f64::max);
    let (mine, classes) = scores(&found, &sets(&rows));
    for (bag, score) in mine.iter().enumerate() {
        assert!((score - expected(bag)).abs() <= 1e-5, "{bag}: {score} {}", expected(bag));
    }
    assert_eq!(classes, codes);
    assert!(found.fitted.summary().notes[0].starts_with(&format!("{turns} machines in turn")), "{:?}", found.fitted.summary().notes);
}

#[test]
fn one_vector_decides_the_class_of_a_set_and_its_mean_does_not() {
    let (rows, codes) = bags();
    let model = fit("mi_svm", "set_mean(rbf)", &sets(&rows), &target(&codes)).unwrap();
    let new = [
        vec![vec![2.0, 2.0]],
        vec![vec![0.3, -0.2]],
        vec![vec![0.3, -0.2], vec![-1.0, 0.5], vec![-0.4, -1.2], vec![0.9, 0.1], vec![2.05, 1.95], vec![0.1, 0.1], vec![-0.7, 0.7]],
        Vec::new(),
    ];
    let (found, classes) = scores(&model, &sets(&new));
    assert_eq!((classes, found[3]), (vec![1, 0, 1, 0], -1.0));
    let named = fit("mi_svm(positive=[marked])", "set_mean(rbf)", &sets(&rows), &target(&codes)).unwrap();
    assert_eq!(scores(&named, &sets(&new)).0, found);
    // Names in the other order: the same sets are positive, and above 0 is the other class.
    let turned = Target::Classes { codes: codes.iter().map(|c| 1 - c).collect(), names: vec!["marked".into(), "plain".into()] };
    let turned = fit("mi_svm(positive=[marked])", "set_mean(rbf)", &sets(&rows), &turned).unwrap();
    assert_eq!(scores(&turned, &sets(&new)).1, [0, 1, 0, 1]);
}

// Classes that are numbers are named by numbers, as they are written or otherwise.
#[test]
fn the_positive_class_may_be_a_number() {
    let (rows, codes) = bags();
    let target = Target::Classes { codes, names: vec!["0".into(), "1".into()] };
    let fitted = |estimator: &str| scores(&fit(estimator, "set_mean(rbf)", &sets(&rows), &target).unwrap(), &sets(&rows));
    let expected = fitted("mi_svm(positive=[\"1\"])");
    for other in ["mi_svm(positive=[1])", "mi_svm(positive=[1.0])", "mi_svm"] {
        assert_eq!(fitted(other), expected, "{other}");
    }
    assert_ne!(fitted("mi_svm(positive=[0])"), expected);
}

#[test]
fn what_it_cannot_learn_from_is_said() {
    let (rows, codes) = bags();
    let says = |estimator: &str, kernel: &str, rows: &[Vec<Vec<f64>>], codes: &[usize], part: &str| {
        let why = fit(estimator, kernel, &sets(rows), &target(codes)).unwrap_err().to_string();
        assert!(why.contains(part), "{why}");
    };
    says("mi_svm(positive=[market])", "set_mean(rbf)", &rows, &codes, "did you mean 'marked'");
    says("mi_svm(positive=[marked, plain])", "set_mean(rbf)", &rows, &codes, "of two classes one is positive");
    says("mi_svm", "normalise(set_mean(rbf))", &rows, &codes, "take set_mean(K)");
    let empty: Vec<Vec<Vec<f64>>> = rows.iter().zip(&codes).map(|(bag, &c)| if c == 1 { Vec::new() } else { bag.clone() }).collect();
    says("mi_svm", "set_mean(rbf)", &empty, &codes, "every set of class 'marked' is empty");
}
