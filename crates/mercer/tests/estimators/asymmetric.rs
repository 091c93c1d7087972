//! A similarity that is neither symmetric nor positive semi-definite, given as a matrix: its columns are features of the row, and every
//! fit is a fit of a linear model to them. A row of the matrix is what is predicted, a column what it is compared with.

use mercer::compare::{Comparing, compare};
use mercer::control::Control;
use mercer::data::{Column, Dataset, Examples, Holds, Own, Similarities, Split, Target, TargetInfo, Values};
use mercer::estimators::{EstimatorExpr, Fitted, Predicted, Predictions, Want, catalogue};
use mercer::gram::psd_check;
use mercer::kernels::KernelExpr;
use mercer::learner::{Learner, Model};
use mercer::linalg::{Cholesky, Matrix, product, transposed_product_within};
use mercer::read::Labels;
use mercer::{select, store, validity};

const N: usize = 30;

fn at(i: usize) -> f64 {
    (7 * i % 31) as f64 / 8.0 - 1.7
}

/// How much x is like what z becomes, one step further.
fn odd(x: f64, z: f64) -> f64 {
    (-2.0 * (x - z - 1.0).powi(2)).exp()
}

fn training() -> Matrix {
    Matrix::from_fn(N, N, |i, j| odd(at(i), at(j)))
}

/// Of rows that are none of the training rows with these.
fn beyond() -> Matrix {
    Matrix::from_fn(7, N, |i, j| odd(0.37 * i as f64 - 1.1, at(j)))
}

fn numbers() -> Vec<f64> {
    (0..N).map(|i| (1.9 * at(i)).cos() + 0.2 * (11.0 * i as f64).sin()).collect()
}

fn classes(count: usize) -> Target {
    let codes = (0..N).map(|i| (((numbers()[i] + 1.3) * count as f64 / 2.6) as usize).min(count - 1)).collect();
    Target::Classes { codes, names: (0..count).map(|k| format!("class {k}")).collect() }
}

fn rows(values: Similarities) -> Dataset {
    Dataset::new(vec![Column { name: "x".into(), values: Values::Similarities(values) }]).unwrap()
}

fn info(target: &Target) -> TargetInfo {
    let names = if let Target::Classes { names, .. } = target { Some(names.clone()) } else { None };
    TargetInfo { names: vec!["t".into()], classes: names, labels: Labels::Text }
}

fn learner(estimator: &str, kernel: &str) -> Learner {
    Learner { kernel: Some(KernelExpr::parse(kernel).unwrap()), ..Learner::new(EstimatorExpr::parse(estimator).unwrap()) }
}

/// Fitted to the matrix, stored and read again.
fn fit(estimator: &str, target: &Target) -> Model {
    let data = rows(Similarities::among(training()).unwrap());
    let model = learner(estimator, "precomputed").fit(&data, target, &info(target), None, &Control::default()).unwrap();
    store::from_bytes(&store::to_bytes(&model).unwrap(), "bytes").unwrap()
}

fn predict(model: &Model, values: Matrix) -> Predictions {
    let Holds::Similarities(items) = &model.prep.schema.columns[0].holds else { panic!("similarities") };
    let want = Want { scores: true, probabilities: true, variance: false, covariance: false, by_class: false };
    model.predict(&rows(Similarities::against(items, values, Own::Unknown).unwrap()), want, &Control::default()).unwrap()
}

/// w and b, a weight for every training row; rows that were not kept have none.
fn weights(model: &Model) -> (Matrix, Vec<f64>) {
    let e = model.fitted.expansion().unwrap();
    let mut w = Matrix::zeros(N, e.bias.len());
    e.support.iter().enumerate().for_each(|(s, &j)| w.row_mut(j).copy_from_slice(e.coef.row(s)));
    (w, e.bias.clone())
}

/// K w + b.
fn linear(k: &Matrix, (w, b): &(Matrix, Vec<f64>)) -> Matrix {
    let f = product(k, w).unwrap();
    Matrix::from_fn(f.rows(), f.cols(), |i, o| f[(i, o)] + b[o])
}

#[track_caller]
fn close(a: &Matrix, b: &Matrix, tolerance: f64) {
    assert_eq!((a.rows(), a.cols()), (b.rows(), b.cols()));
    for (x, y) in a.data().iter().zip(b.data()) {
        assert!((x - y).abs() <= tolerance * (1.0 + y.abs()), "{x} and {y}");
    }
}

/// (Z'Z + lambda I)^-1 Z'y.
fn least_squares(z: &Matrix, y: &[f64], lambda: f64) -> Matrix {
    let control = Control::default();
    let mut normal = transposed_product_within(z, z, &control).unwrap();
    normal.add_to_diagonal(&[lambda]);
    let right = transposed_product_within(z, &Matrix::column(y.to_vec()), &control).unwrap();
    Cholesky::new(normal, &control).unwrap().solve(&right, &control).unwrap()
}

fn numbers_of(p: &Predictions) -> &Matrix {
    match &p.values {
        Predicted::Numbers(m) => m,
        Predicted::Classes(_) => panic!("numbers"),
    }
}

/// Target minus probability of every class, or of the second of two; and the scores themselves.
fn residuals(scores: &Matrix, target: &Target) -> Matrix {
    let Target::Classes { codes, names } = target else { panic!("classes") };
    let is = |i: usize, c: usize| f64::from(u8::from(codes[i] == c));
    if names.len() == 2 {
        return Matrix::from_fn(scores.rows(), 1, |i, _| is(i, 1) - 1.0 / (1.0 + (-scores[(i, 0)]).exp()));
    }
    let sum = |i: usize| scores.row(i).iter().map(|f| f.exp()).sum::<f64>();
    Matrix::from_fn(scores.rows(), names.len(), |i, c| is(i, c) - scores[(i, c)].exp() / sum(i))
}

/// The greatest |K'r - slope of the penalty|, by lambda: lambda w of a square, lambda w/|w| of a length where w is not 0, and no more
/// than lambda elsewhere. Of constants the sum of r.
fn violation(model: &Model, r: &Matrix, lambda: f64, square: bool) -> f64 {
    let (w, _) = weights(model);
    let g = transposed_product_within(&training(), r, &Control::default()).unwrap();
    let constants = (0..r.cols()).map(|o| r.col(o).iter().sum::<f64>().abs()).fold(0.0, f64::max);
    let of_row = |j: usize| {
        let length = w.row(j).iter().map(|v| v * v).sum::<f64>().sqrt();
        let by = if square { 1.0 } else { 1.0 / length };
        match length > 0.0 || square {
            true => g.row(j).iter().zip(w.row(j)).map(|(g, w)| (g - lambda * w * by).abs()).fold(0.0, f64::max),
            false => g.row(j).iter().map(|g| g * g).sum::<f64>().sqrt() - lambda,
        }
    };
    (0..N).map(of_row).fold(constants, f64::max) / lambda
}

#[test]
fn the_similarity_is_neither_symmetric_nor_positive_semi_definite() {
    let k = training();
    let apart = (0..N).flat_map(|i| (0..i).map(move |j| (i, j))).map(|(i, j)| (k[(i, j)] - k[(j, i)]).abs()).fold(0.0, f64::max);
    assert!(apart > 0.5, "{apart}");
    let mean = Matrix::from_fn(N, N, |i, j| 0.5 * (k[(i, j)] + k[(j, i)]));
    assert!(psd_check(&mean, &Control::default()).unwrap().smallest < -0.5);
}

// Fits and refusals; spec: K47
#[test]
fn machines_on_similarities_are_linear_models_on_the_columns_of_the_matrix_and_methods_that_need_a_kernel_refuse_it() {
    let (k, new, y) = (training(), beyond(), numbers());
    let target = Target::numbers(&y);
    // Square penalty: the closed form.
    let model = fit("l2vm(lambda=0.3, intercept=false)", &target);
    let w = least_squares(&k, &y, 0.3);
    close(&weights(&model).0, &w, 1e-8);
    close(numbers_of(&predict(&model, new.clone())), &product(&new, &w).unwrap(), 1e-8);
    // The same with centroids: of all rows, and of some, which the distances of the symmetric part choose.
    for centroids in ["all", "k_medoids", "k_means", "grid"] {
        let model = fit(&format!("rbf_network(lambda=0.3, intercept=false, count=6, centroids={centroids})"), &target);
        let kept = model.fitted.support().to_vec();
        assert_eq!(kept.len(), if centroids == "all" { N } else { 6 });
        let some = |of: &Matrix| Matrix::from_fn(of.rows(), kept.len(), |i, s| of[(i, kept[s])]);
        let w = least_squares(&some(&k), &y, 0.3);
        close(&model.fitted.expansion().unwrap().coef, &w, 1e-8);
        close(numbers_of(&predict(&model, new.clone())), &product(&some(&new), &w).unwrap(), 1e-8);
    }
    // Absolute penalty: the conditions of optimality, and no weight for some rows.
    let model = fit("l1vm(lambda=0.5, tolerance=1e-9)", &target);
    let (kept, all) = (model.fitted.support().len(), weights(&model));
    assert!((2..N - 5).contains(&kept), "{kept}");
    let f = linear(&k, &all);
    let r = Matrix::from_fn(N, 1, |i, _| y[i] - f[(i, 0)]);
    let worst = violation(&model, &r, 0.5, false);
    assert!(worst <= 1e-6, "{worst}");
    close(numbers_of(&predict(&model, new.clone())), &linear(&new, &all), 1e-10);
    // Classes: of the log loss and of that of softmax.
    for count in [2, 3] {
        let target = classes(count);
        for (estimator, lambda, square) in [("l2vm(lambda=0.3)", 0.3, true), ("l1vm(lambda=0.4, tolerance=1e-9)", 0.4, false)] {
            let model = fit(estimator, &target);
            let all = weights(&model);
            close(&predict(&model, new.clone()).scores.unwrap(), &linear(&new, &all), 1e-10);
            let worst = violation(&model, &residuals(&linear(&k, &all), &target), lambda, square);
            assert!(worst <= 1e-6, "{estimator} of {count} classes: {worst}");
        }
    }
    // Every method that needs more than features says so, and names those that do not.
    let data = rows(Similarities::among(training()).unwrap());
    let (mut able, mut refused) = (Vec::new(), Vec::new());
    for entry in catalogue() {
        let estimator = EstimatorExpr::parse(entry.name).unwrap();
        let target = [&target, &classes(2), &Target::Absent { rows: N }].into_iter().find(|t| estimator.takes(t)).unwrap().clone();
        for allow_non_mercer in [false, true] {
            let learner = Learner { allow_non_mercer, ..learner(entry.name, "precomputed") };
            match learner.fit(&data, &target, &info(&target), None, &Control::default()).map_err(|e| e.to_string()) {
                Ok(_) => able.push(entry.name),
                Err(why) if !entry.needs.reads_values() => assert!(why.contains("leave the kernel out, or "), "{why}"),
                Err(why) => {
                    let says =
                        format!("{} needs a symmetric similarity, and precomputed is not symmetric here: '1' and '0' have", entry.name);
                    assert!(why.starts_with(&says), "{why}");
                    assert!(why.ends_with("an estimator that takes any similarity (rvm, l2vm, l1vm, rbf_network)"), "{why}");
                    refused.push(entry.name);
                }
            }
        }
    }
    able.dedup();
    able.sort_unstable();
    assert_eq!(able, ["baseline", "l1vm", "l2vm", "rbf_network", "rvm"]);
    assert!(["svc", "svr", "gp", "ridge", "kernel_pca", "logistic", "knn"].iter().all(|name| refused.contains(name)), "{refused:?}");
    relevance_of_columns();
}

/// The conditions of Tipping and Faul (2003) from the weights and the noise alone: alpha_j = phi_j'r / (noise w_j) is above 0 and where its
/// derivative is 0, other columns have q^2 <= s, and the evidence is that of the targets.
fn relevance_of_columns() {
    let (k, y, control) = (training(), numbers(), Control::default());
    let model = fit("rvm(intercept=false)", &Target::numbers(&y));
    let all = weights(&model);
    let p = predict(&model, beyond());
    close(numbers_of(&p), &linear(&beyond(), &all), 1e-9);
    let (kept, noise) = (model.fitted.support().to_vec(), p.noise.unwrap()[0]);
    assert!((2..N - 5).contains(&kept.len()), "{kept:?}");
    let f = linear(&k, &all);
    let r = Matrix::from_fn(N, 1, |i, _| y[i] - f[(i, 0)]);
    let g = transposed_product_within(&k, &r, &control).unwrap();
    let alpha: Vec<f64> = kept.iter().map(|&j| g[(j, 0)] / (noise * all.0[(j, 0)])).collect();
    assert!(alpha.iter().all(|a| *a > 0.0), "{alpha:?}");
    let c = Matrix::from_fn(N, N, |a, b| {
        let sum: f64 = kept.iter().zip(&alpha).map(|(&j, alpha)| k[(a, j)] * k[(b, j)] / alpha).sum();
        sum + if a == b { noise } else { 0.0 }
    });
    let factor = Cholesky::new(c, &control).unwrap();
    let solved = |v: Matrix| factor.solve(&v, &control).unwrap();
    let inner = |a: &[f64], b: &Matrix| a.iter().zip(b.data()).map(|(a, b)| a * b).sum::<f64>();
    let alone = solved(Matrix::column(y.clone()));
    let evidence = -0.5 * (N as f64 * std::f64::consts::TAU.ln() + factor.log_det() + inner(&y, &alone));
    let found = model.summary().evidence.unwrap();
    assert!((found - evidence).abs() <= 1e-6 * evidence.abs(), "{found} {evidence}");
    for j in 0..N {
        let column = k.col(j);
        let (s, q) = (inner(&column, &solved(Matrix::column(column.clone()))), inner(&column, &alone));
        match kept.binary_search(&j) {
            // Of a column that is there alpha = s^2 / (q^2 - s), s and q without it, is the same as q^2 = s with it.
            Ok(_) => assert!((q * q - s).abs() <= 1e-3 * s, "column {j}: {} and {s}", q * q),
            Err(_) => assert!(q * q <= s * (1.0 + 1e-3) + 1e-6, "column {j}: {} and {s}", q * q),
        }
    }
}

#[test]
fn derivatives_are_those_by_every_value_and_of_what_stands_around_them() {
    let control = Control::default();
    let target = Target::numbers(&numbers());
    let weights: Vec<f64> = (0..N).map(|i| 0.5 + (i % 3) as f64).collect();
    let examples_of = |data: &Dataset, kernel: &str, estimator: &str, target: &Target| {
        let examples = Examples { data, target, weights: Some(&weights), split: &Split::Rows };
        let (kernel, estimator) = (KernelExpr::parse(kernel).unwrap(), EstimatorExpr::parse(estimator).unwrap());
        select::criterion(&kernel, &estimator, &examples, &control, 0)
    };
    let by = Matrix::from_fn(N, N, |i, j| ((3 * i + 7 * j) as f64).sin());
    let moved = |step: f64| {
        let k = training();
        Matrix::from_fn(N, N, |i, j| k[(i, j)] + step * by[(i, j)])
    };
    let table = |step: f64| {
        let x = Column { name: "x".into(), values: Values::Similarities(Similarities::among(moved(step)).unwrap()) };
        Dataset::new(vec![x, Column { name: "u".into(), values: Values::Numbers((0..N).map(at).collect()) }]).unwrap()
    };
    let around =
        |scale: f64, width: f64| format!("{scale}*on(x, precomputed)*on(u, rbf(length_scale={width})) + 0.3*on(u, rbf(length_scale=2))");
    for estimator in ["l2vm(lambda=0.4)", "rbf_network(lambda=0.4, centroids=all)", "rbf_network(lambda=0.4, count=9)"] {
        for target in [&target, &classes(2)] {
            let at = |step: f64| examples_of(&table(step), "on(x, precomputed)", estimator, target).unwrap().0;
            let gram = KernelExpr::parse("on(x, precomputed)").unwrap().bind(None, &table(0.0)).unwrap();
            let exact = at(0.0).weights.written_out(gram.as_ref(), "a test", &control).unwrap().into_owned();
            let exact = exact.data().iter().zip(by.data()).map(|(w, d)| w * d).sum::<f64>();
            let found = (at(1e-6).value - at(-1e-6).value) / 2e-6;
            assert!((found - exact).abs() <= 1e-4 * (1.0 + exact.abs()), "{estimator}: {found} and {exact}");
            let at = |scale: f64, width: f64| examples_of(&table(0.0), &around(scale, width), estimator, target).unwrap();
            let slopes = at(0.7, 0.9).1;
            let by_scale = (at(0.7 + 1e-6, 0.9).0.value - at(0.7 - 1e-6, 0.9).0.value) / 2e-6;
            let by_width = (at(0.7, 0.9 + 1e-6).0.value - at(0.7, 0.9 - 1e-6).0.value) / 2e-6;
            for (found, slope) in [by_scale, by_width].into_iter().zip(slopes) {
                assert!((found - slope).abs() <= 1e-4 * (1.0 + slope.abs()), "{estimator}: {found} and {slope}");
            }
        }
    }
    let why = examples_of(&table(0.0), "on(x, precomputed)", "gp(variance=1)", &target).unwrap_err().to_string();
    assert!(why.contains("gp needs a symmetric similarity"), "{why}");
}

#[test]
fn values_normalised_have_the_derivatives_of_differences() {
    // k(x, x) above 0, which normalise asks for.
    let k = Matrix::from_fn(9, 9, |i, j| 1.5 + at(i) * at(j) + 0.6 * (at(i) - 2.0 * at(j)).sin());
    let x = Column { name: "x".into(), values: Values::Similarities(Similarities::among(k).unwrap()) };
    let data = Dataset::new(vec![x, Column { name: "u".into(), values: Values::Numbers((0..9).map(at).collect()) }]).unwrap();
    let weights = Matrix::from_fn(9, 9, |i, j| ((2 * i + 5 * j) as f64).cos());
    let bound = |scale: f64, width: f64| {
        let text = format!("normalise({scale}*on(x, precomputed) + on(u, rbf(length_scale={width})) + 2)");
        KernelExpr::parse(&text).unwrap().bind(None, &data).unwrap()
    };
    let value = |scale: f64, width: f64| {
        let all = mercer::gram::dense(bound(scale, width).as_ref(), &Control::default()).unwrap();
        all.data().iter().zip(weights.data()).map(|(k, w)| k * w).sum::<f64>()
    };
    let slopes = bound(0.4, 0.9).gradient(&weights.clone().into(), &Control::default()).unwrap();
    let h = 1e-6;
    close(
        &Matrix::column(slopes[..2].to_vec()),
        &Matrix::column(vec![
            (value(0.4 + h, 0.9) - value(0.4 - h, 0.9)) / (2.0 * h),
            (value(0.4, 0.9 + h) - value(0.4, 0.9 - h)) / (2.0 * h),
        ]),
        1e-6,
    );
}

#[test]
fn what_learns_from_the_matrix_is_refused_and_a_comparison_and_a_check_say_why() {
    let (data, target, control) = (rows(Similarities::among(training()).unwrap()), Target::numbers(&numbers()), Control::default());
    for kernel in ["centre(precomputed)", "clip(precomputed)", "2*nystroem(precomputed, rank=5)"] {
        let name = kernel.trim_start_matches("2*").split('(').next().unwrap();
        let why = learner("l2vm", kernel).fit(&data, &target, &info(&target), None, &control).unwrap_err().to_string();
        assert!(why.contains(&format!("{name} needs a symmetric similarity")), "{why}");
    }
    for kernel in ["2*precomputed", "precomputed + white(value=0.1)", "precomputed^2", "normalise(precomputed)"] {
        learner("l2vm", kernel).fit(&data, &target, &info(&target), None, &control).unwrap();
    }
    let estimators = ["l2vm", "ridge", "knn"].map(|name| EstimatorExpr::parse(name).unwrap()).to_vec();
    let comparing = Comparing { kernel: Some(KernelExpr::parse("precomputed").unwrap()), ..Comparing::new(estimators) };
    let outcome = compare(&data, &target, &info(&target), None, &Split::Rows, &comparing, &control).unwrap();
    let failures: Vec<Option<String>> = outcome.rows.iter().map(|row| row.failure.as_ref().map(ToString::to_string)).collect();
    assert!(failures[0].is_none() && outcome.rows[0].model.is_some(), "{failures:?}");
    assert!(failures[1..].iter().all(|why| why.as_ref().unwrap().contains("needs a symmetric similarity")), "{failures:?}");
    let why = validity::check(&KernelExpr::parse("precomputed").unwrap(), Some(&data), &control, 0).unwrap_err().to_string();
    assert!(why.starts_with("a Mercer kernel needs a symmetric similarity"), "{why}");
}
