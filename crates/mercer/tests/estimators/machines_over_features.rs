//! Support vector machines over features, dense and sparse: what they come to is what kernel values come to.

use crate::problem;

use mercer::control::Control;
use mercer::data::{Column, Dataset, Labels, Points, Strings, Target, TargetInfo, Values};
use mercer::estimators::{EstimatorExpr, FitContext, Fitted, FittedModel, Predicted, Predictions, Query, Summary, Task, View, Want};
use mercer::gram::{Dense, Gram, Side};
use mercer::kernels::KernelExpr;
use mercer::learner::{Learner, Model};
use mercer::linalg::Matrix;
use problem::wave;

const ROWS: usize = 3000;

/// Points of three columns; two classes, three classes, and numbers, all with noise.
fn table() -> (Dataset, Target, Target, Target) {
    let (x, noise) = (wave(ROWS, 3, 5), wave(ROWS, 1, 11));
    let f = |i: usize| (2.0 * x[(i, 0)]).sin() + x[(i, 1)] * x[(i, 2)] + 0.4 * noise[(i, 0)];
    let names = |names: &[&str]| names.iter().map(ToString::to_string).collect();
    let two = Target::Classes { codes: (0..ROWS).map(|i| usize::from(f(i) > 0.1)).collect(), names: names(&["a", "b"]) };
    let third = |i: usize| usize::from(f(i) > 0.1) + usize::from(f(i) > 0.9);
    let three = Target::Classes { codes: (0..ROWS).map(third).collect(), names: names(&["a", "b", "c"]) };
    let points = Points::dense(ROWS, 3, x.data().to_vec()).unwrap();
    let data = Dataset::new(vec![Column { name: "x".into(), values: Values::Points(points) }]).unwrap();
    (data, two, three, Target::Numbers(Matrix::column((0..ROWS).map(f).collect())))
}

fn fitted(gram: &dyn Gram, estimator: &str, target: &Target, weights: Option<&[f64]>, control: &Control) -> FittedModel {
    EstimatorExpr::parse(estimator).unwrap().fit(&Task { view: View::Values(gram), target, weights, control, seed: 0 }).unwrap()
}

fn scores(p: &Predictions) -> Matrix {
    match (&p.scores, &p.values) {
        (Some(scores), _) => scores.clone(),
        (None, Predicted::Numbers(numbers)) => numbers.clone(),
        (None, Predicted::Classes(_)) => panic!("there are no scores"),
    }
}

fn decided(fitted: &FittedModel, gram: &dyn Gram) -> Matrix {
    let support = mercer::gram::Subset::new(gram, &(0..ROWS).collect::<Vec<_>>(), fitted.support());
    scores(&fitted.predict(&Query::new(&support, Want { scores: true, ..Want::default() }, &Control::default())).unwrap())
}

/// The dual objective.
fn objective(summary: &Summary) -> f64 {
    summary.objective.unwrap() * (1.0 - summary.certificate.as_ref().unwrap().value)
}

#[test]
fn objective_certificate_and_decisions_are_those_of_kernel_values() {
    let (data, two, three, numbers) = table();
    let weights: Vec<f64> = (0..ROWS).map(|i| [1.0, 2.0, 0.0, 0.5][i % 4]).collect();
    let control = Control::default();
    let kernel = "nystroem(rbf(length_scale=0.6), rank=300)";
    let bound = KernelExpr::parse(kernel).unwrap().bind(None, &data).unwrap();
    let values = Dense::of(bound.as_ref(), &control).unwrap();
    assert!(bound.structure().dense_features(Side::Rows).is_some() && values.structure().dense_features(Side::Rows).is_none());
    for (estimator, target, weights) in [
        ("svc(c=1", &two, None),
        ("svc(c=30, class_weight=balanced", &two, Some(weights.as_slice())),
        ("svc(c=3", &three, None),
        ("svr(c=1, epsilon=0.1", &numbers, None),
        ("svr(c=10, epsilon=0.3", &numbers, Some(weights.as_slice())),
    ] {
        for (tolerance, most, near) in [(1e-3, 1e-4, 2e-2), (1e-6, 1e-6, 1e-4)] {
            let estimator = format!("{estimator}, tolerance={tolerance})");
            let over_features = fitted(bound.as_ref(), &estimator, target, weights, &control);
            let over_values = fitted(&values, &estimator, target, weights, &control);
            let (a, b) = (over_features.summary(), over_values.summary());
            assert!(a.converged && b.converged, "{estimator}: {a:?} and {b:?}");
            assert!(a.certificate.as_ref().unwrap().value <= tolerance && a.violation.unwrap() <= tolerance);
            let (f, v) = (objective(a), objective(b));
            assert!((f - v).abs() <= most * v, "{estimator}: {f} and {v}");
            let (p, q) = (decided(&over_features, bound.as_ref()), decided(&over_values, &values));
            let far = p.data().iter().zip(q.data()).fold(0.0f64, |far, (p, q)| far.max((p - q).abs()));
            assert!(far <= near, "{estimator}: decisions differ by {far}");
        }
    }
}

#[test]
fn threads_change_no_bit_and_a_start_changes_nothing_but_the_work() {
    let (data, two, _, numbers) = table();
    let kernel = KernelExpr::parse("fourier(rbf(length_scale=0.6), count=400)").unwrap();
    let control = Control::default();
    for (estimator, other, target) in [("svc(c=2)", "svc(c=1)", &two), ("svr(c=2, epsilon=0.1)", "svr(c=1, epsilon=0.1)", &numbers)] {
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| fitted(kernel.bind(None, &data).unwrap().as_ref(), estimator, target, None, &control))
        };
        let (one, three) = (on(1), on(3));
        assert_eq!(one, three);
        let bound = kernel.bind(None, &data).unwrap();
        let earlier = fitted(bound.as_ref(), other, target, None, &control);
        let task = Task { view: View::Values(bound.as_ref()), target, weights: None, control: &control, seed: 0 };
        let warm = EstimatorExpr::parse(estimator).unwrap().fit_with(&task, &FitContext::from_earlier(&earlier)).unwrap().fitted;
        assert!(warm.summary().converged);
        let (a, b) = (objective(warm.summary()), objective(one.summary()));
        assert!((a - b).abs() <= 1e-3 * b, "{a} and {b}");
    }
}

#[test]
fn a_fit_that_is_cut_short_says_how_far_it_came() {
    let (data, two, _, _) = table();
    let bound = KernelExpr::parse("nystroem(rbf(length_scale=0.3), rank=300)").unwrap().bind(None, &data).unwrap();
    for (estimator, control) in [
        ("svc(c=1000, tolerance=1e-6, max_iterations=2)", Control::default()),
        ("svc(c=1000, tolerance=1e-6)", Control::default().with_seconds(1e-9)),
    ] {
        let summary = fitted(bound.as_ref(), estimator, &two, None, &control).summary().clone();
        let (gap, violation) = (summary.certificate.unwrap().value, summary.violation.unwrap());
        assert!(!summary.converged && gap.is_finite() && violation > 1e-6 && summary.objective.unwrap().is_finite());
    }
}

/// Documents of made words, rare ones more often than not, and two classes that some of the words tell apart.
fn documents(rows: usize) -> (Dataset, Target) {
    let draw = wave(rows, 14, 3);
    let word = |i: usize, j: usize| ((draw[(i, j)].abs().powi(3) * 4000.0) as usize * 7919) % 4001;
    let text = |i: usize| (0..6 + i % 8).map(|j| format!("w{}", word(i, j))).collect::<Vec<_>>().join(" ");
    let told = |i: usize| (0..6 + i % 8).map(|j| word(i, j) as f64 - 2000.0).sum::<f64>() + 4000.0 * draw[(i, 13)] > 0.0;
    let texts = Strings::new((0..rows).map(text).collect::<Vec<String>>());
    let x = Points::dense(rows, 2, wave(rows, 2, 8).data().to_vec()).unwrap();
    let columns =
        vec![Column { name: "text".into(), values: Values::Texts(texts) }, Column { name: "x".into(), values: Values::Points(x) }];
    let names = vec!["a".into(), "b".into()];
    (Dataset::new(columns).unwrap(), Target::Classes { codes: (0..rows).map(|i| usize::from(told(i))).collect(), names })
}

const OF_WORDS: [&str; 4] = [
    "on(text, tfidf)",
    "2*on(text, tfidf(normalised=false, ngrams=2)) + on(x, linear) + 1",
    "normalise(on(text, tfidf(tf=count, idf=none, normalised=false)) + 0.5)",
    "on(text, normalise(spectrum(k=4)))",
];

#[test]
fn sparse_features_are_kept_by_algebra_and_their_products_are_the_kernel() {
    let (data, _) = documents(60);
    let control = Control::default();
    for kernel in OF_WORDS {
        let bound = KernelExpr::parse(kernel).unwrap().bind(None, &data).unwrap();
        let k = mercer::gram::dense(bound.as_ref(), &control).unwrap();
        let z = bound.structure().sparse_features(Side::Rows).unwrap();
        assert!(z.cols() > 60 && bound.structure().dense_features(Side::Rows).is_none());
        let all = Matrix::from_fn(60, z.cols(), |i, j| {
            let (columns, values) = z.row(i);
            columns.binary_search(&(j as u32)).map_or(0.0, |at| values[at])
        });
        problem::close(&mercer::linalg::product_transposed(&all, &all).unwrap(), &k, 1e-12);
        let some = [5, 3, 40];
        let subset = mercer::gram::Subset::new(bound.as_ref(), &some, &some);
        problem::close(&mercer::gram::dense(&subset, &control).unwrap(), &Matrix::from_fn(3, 3, |i, j| k[(some[i], some[j])]), 1e-12);
        assert_eq!(subset.structure().sparse_features(Side::Cols).unwrap(), z.select_rows(&some));
    }
}

#[test]
fn documents_are_solved_by_their_words_to_the_objective_of_kernel_values() {
    let (data, target) = documents(2200);
    let control = Control::default();
    for kernel in OF_WORDS {
        let bound = KernelExpr::parse(kernel).unwrap().bind(None, &data).unwrap();
        let values = Dense::of(bound.as_ref(), &control).unwrap();
        let all = [(1.0, 1e-3, 1e-4), (20.0, 1e-3, 1e-4), (1.0, 1e-6, 1e-6)];
        for &(c, tolerance, most) in if kernel == OF_WORDS[0] { &all[..] } else { &all[..1] } {
            let estimator = format!("svc(c={c}, tolerance={tolerance})");
            let a = fitted(bound.as_ref(), &estimator, &target, None, &control);
            let b = fitted(&values, &estimator, &target, None, &control);
            assert!(a.summary().converged && b.summary().converged, "{kernel} {estimator}: {:?}", a.summary());
            let (f, v) = (objective(a.summary()), objective(b.summary()));
            assert!((f - v).abs() <= most * v, "{kernel} {estimator}: {f} and {v}");
        }
    }
}

#[test]
fn a_model_of_words_holds_their_weights_and_no_text() {
    let (data, target) = documents(400);
    let (new, _) = documents(430);
    let info = TargetInfo { names: vec!["y".into()], classes: Some(vec!["a".into(), "b".into()]), labels: Labels::Text };
    for kernel in OF_WORDS {
        let model = |keep_rows: bool| -> Model {
            let mut learner = Learner::new(EstimatorExpr::parse("svc(c=1)").unwrap());
            (learner.kernel, learner.keep_rows) = (Some(KernelExpr::parse(kernel).unwrap()), keep_rows);
            learner.fit(&data, &target, &info, None, &Control::default()).unwrap()
        };
        let (kept, free) = (model(true), model(false));
        // Letter runs have columns in the order of the texts that are met: their rows stay.
        assert_eq!(free.support.rows() > 0, kernel.contains("spectrum"), "{kernel}");
        let back = mercer::store::from_bytes(&mercer::store::to_bytes(&free).unwrap(), "model").unwrap();
        let predict = |m: &Model| m.predict(&new, Want { scores: true, ..Want::default() }, &Control::default()).unwrap();
        assert_eq!(predict(&back), predict(&free));
        problem::close(&scores(&predict(&kept)), &scores(&predict(&free)), 1e-9);
    }
}
