//! Methods whose functions are the mode of a likelihood under a Gaussian prior: logistic, gp of classes, l2vm.

use crate::problem;

use mercer::control::Control;
use mercer::data::Target;
use mercer::estimators::{
    ClassWeight, Estimator, EstimatorExpr, FitContext, Fitted, Gp, Inference, L2vm, Logistic, Predictions, Query, Ridge, Task, View, Want,
};
use mercer::gram::Dense;
use mercer::kernels::KernelExpr;
use mercer::linalg::{Cholesky, Matrix, product, transposed_product_within};
use mercer::param::Value;
use mercer::solve::{expectation, laplace, likelihood::ClassLikelihood, likelihood::sigmoid, mode};
use mercer::testkit;
use problem::*;

const ALL: Want = Want { variance: false, covariance: false, probabilities: true, scores: true, by_class: false };

/// 14 rows of two columns.
fn rows() -> Matrix {
    Matrix::from_fn(14, 2, |i, j| if j == 0 { (1.3 * i as f64).sin() } else { (0.7 * (i * i) as f64).cos() })
}

fn new_rows() -> Matrix {
    Matrix::new(3, 2, vec![0.1, 0.2, -0.7, 0.9, 3.0, -3.0]).unwrap()
}

fn classes(codes: &[usize], count: usize) -> Target {
    Target::Classes { codes: codes.to_vec(), names: (0..count).map(|k| format!("class {k}")).collect() }
}

const TWO: [usize; 14] = [0, 1, 0, 0, 1, 0, 1, 1, 0, 0, 1, 0, 0, 1];
const THREE: [usize; 14] = [0, 1, 1, 1, 2, 2, 2, 0, 0, 0, 1, 1, 1, 2];

fn logistic(lambda: f64) -> Logistic {
    Logistic { lambda: Value::Number(lambda), intercept: true, class_weight: ClassWeight::None }
}

fn process(variance: f64) -> Gp {
    Gp { noise: Value::Number(0.0), variance: Value::Number(variance), tempered: false, ..Gp::default() }
}

/// exp(-|x - z|^2 / (2 0.8^2)).
fn narrow(x: &[f64], z: &[f64]) -> f64 {
    rbf(x, z).powf(1.0 / 0.64)
}

fn all(fitted: &impl Fitted, cross: &Dense) -> Predictions {
    fitted.predict(&Query::new(cross, ALL, &Control::default())).unwrap()
}

fn criterion<E: Estimator>(e: &E, gram: &Dense, target: &Target, weights: Option<&[f64]>) -> mercer::estimators::Criterion {
    let control = Control::default();
    e.criterion(&Task { view: View::Values(gram), target, weights, control: &control, seed: 0 }).unwrap()
}

fn kit(name: &str, kernel: &str, rows: usize) {
    let data = testkit::table(rows, 17);
    testkit::check_estimator_expr(&EstimatorExpr::parse(name).unwrap(), &KernelExpr::parse(kernel).unwrap(), &data).unwrap();
}

#[test]
fn logistic_passes_the_conformance_kit() {
    kit("logistic", "0.7*rbf(length_scale=1.3) + 0.4*matern(nu=1.5, length_scale=0.8)*equal", 26);
    kit("logistic", "normalise(spectrum(k=2)) + 0.3*equal", 14);
}

#[test]
fn gp_passes_the_conformance_kit() {
    kit("gp", "0.7*rbf(length_scale=1.3) + 0.4*matern(nu=1.5, length_scale=0.8)*equal", 26);
    kit("gp", "normalise(spectrum(k=2)) + 0.3*equal", 14);
}

#[test]
fn l2vm_passes_the_conformance_kit() {
    kit("l2vm", "0.7*rbf(length_scale=1.3) + 0.4*matern(nu=1.5, length_scale=0.8)*equal", 26);
    kit("l2vm", "normalise(spectrum(k=2)) + 0.3*equal", 14);
}

// spec: M29
#[test]
fn the_representer_form_equals_the_primal_for_a_linear_kernel() {
    // Probabilities of scikit-learn 1.9.1: LogisticRegression(C=2, tol=1e-14, solver="newton-cg") with the same weights of rows.
    let weights: Vec<f64> = (0..14).map(|i| 1.0 + (i % 3) as f64 / 2.0).collect();
    let (x, new) = (rows(), new_rows());
    let cases = [
        (
            classes(&TWO, 2),
            vec![0.5858619872913794, 0.4141380127086206, 0.576283978096432, 0.4237160219035681, 0.6647967843821421, 0.33520321561785793],
        ),
        (
            classes(&THREE, 3),
            vec![
                0.26157315369152084,
                0.4315003852729654,
                0.30692646103551374,
                0.4039407143336652,
                0.16802870997042418,
                0.4280305756959107,
                0.004144466051393199,
                0.9898642535289086,
                0.005991280419698291,
            ],
        ),
    ];
    for (target, expected) in cases {
        let fitted = fit(&logistic(0.5), &square(&x, linear), &target, Some(&weights));
        let p = all(&fitted, &cross(&new, &x, linear)).probabilities.unwrap();
        close(&p, &Matrix::new(3, expected.len() / 3, expected).unwrap(), 1e-9);
        assert!(fitted.summary().converged && fitted.summary().certificate.as_ref().unwrap().value < 1e-15);
    }
}

#[test]
fn weights_of_a_linear_logistic_regression_lie_in_the_span_of_the_rows() {
    // Three rows in five dimensions: the gradient of the primal objective, which is taken over all directions, is 0 at X'alpha.
    let x = wave(3, 5, 9);
    let fitted = fit(&logistic(0.7), &square(&x, linear), &classes(&[0, 1, 1], 2), None);
    let (alpha, b) = (&fitted.expansion().coef, fitted.expansion().bias[0]);
    let w = transposed_product_within(&x, alpha, &Control::default()).unwrap();
    for j in 0..5 {
        let loss: f64 = (0..3)
            .map(|i| {
                let f = (0..5).map(|d| x[(i, d)] * w[(d, 0)]).sum::<f64>() + b;
                (sigmoid(f) - f64::from(u8::from(i > 0))) * x[(i, j)]
            })
            .sum();
        assert!((loss + 0.7 * w[(j, 0)]).abs() < 1e-10, "{loss} {}", w[(j, 0)]);
    }
}

// spec: M03
#[test]
fn the_gradient_is_zero_at_the_optimum_of_a_logistic_model_on_kernel_features() {
    let (x, k) = (rows(), values(&rows(), &rows(), rbf));
    let fitted = fit(&l2vm(0.3, true), &square(&x, rbf), &classes(&TWO, 2), None);
    let (w, b) = (&fitted.expansion().coef, fitted.expansion().bias[0]);
    let f = product(&k, w).unwrap();
    let r: Vec<f64> = (0..14).map(|i| sigmoid(f[(i, 0)] + b) - f64::from(u8::from(TWO[i] == 1))).collect();
    assert!(r.iter().sum::<f64>().abs() < 1e-12);
    for j in 0..14 {
        let slope: f64 = (0..14).map(|i| r[i] * k[(i, j)]).sum::<f64>() + 0.3 * w[(j, 0)];
        assert!(slope.abs() < 1e-11, "{slope}");
    }
    // Convex: from the functions of a fit with ten times the penalty it ends in the same weights.
    let (gram, target, control) = (square(&x, rbf), classes(&TWO, 2), Control::default());
    let task = Task { view: View::Values(&gram), target: &target, weights: None, control: &control, seed: 1 };
    let earlier = fit(&l2vm(3.0, true), &gram, &target, None);
    let warm = l2vm(0.3, true).fit_with(&task, &FitContext::from_earlier(&earlier)).unwrap().fitted;
    assert!(warm.expansion().coef != *w, "the start is not used");
    (0..14).for_each(|i| assert!((warm.expansion().coef[(i, 0)] - w[(i, 0)]).abs() < 1e-8));
    // So have rows in another order.
    let order: Vec<usize> = (0..14).rev().collect();
    let turned =
        fit(&l2vm(0.3, true), &square(&x.select_rows(&order), rbf), &classes(&order.iter().map(|&i| TWO[i]).collect::<Vec<_>>(), 2), None);
    (0..14).for_each(|i| assert!((turned.expansion().coef[(13 - i, 0)] - w[(i, 0)]).abs() < 1e-8));
}

fn l2vm(lambda: f64, intercept: bool) -> L2vm {
    L2vm { lambda: Value::Number(lambda), intercept, class_weight: ClassWeight::None }
}

// spec: M04, M05
// spec: M10
#[test]
fn the_l2_vector_machine_of_numbers_solves_the_normal_equations_of_kernel_features() {
    // One period of a sine at 20 equal steps, under exp(-(x - z)^2 / (2 0.2^2)).
    let x = Matrix::from_fn(20, 1, |i, _| i as f64 / 19.0);
    let y = Matrix::column((0..20).map(|i| (std::f64::consts::TAU * i as f64 / 19.0).sin()).collect());
    let steep = |x: &[f64], z: &[f64]| rbf(x, z).powf(25.0);
    let (k, control) = (values(&x, &x, steep), Control::default());
    let fitted = fit(&l2vm(0.1, false), &square(&x, steep), &Target::Numbers(y.clone()), None);
    let mut normal = product(&k, &k).unwrap();
    normal.add_to_diagonal(&[0.1]);
    let expected = Cholesky::new(normal, &control).unwrap().solve(&product(&k, &y).unwrap(), &control).unwrap();
    close(&fitted.expansion().coef, &expected, 1e-9);
    assert!(expected.data().iter().all(|w| w.abs() > 1e-6), "all weights are non-zero");
    let ridge = Ridge { lambda: Value::Number(0.1), intercept: false, ..Ridge::default() };
    let ridge = fit(&ridge, &square(&x, steep), &Target::Numbers(y), None);
    let [ours, theirs] = [&fitted.expansion().coef, &ridge.expansion().coef].map(|coef| product(&k, coef).unwrap());
    let difference = ours.data().iter().zip(theirs.data()).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
    // max |K (K^2 + 0.1 I)^-1 K y - K (K + 0.1 I)^-1 y| by NumPy.
    assert!((difference - 0.051_947_202_686_549_34).abs() <= 1e-9, "not the same as kernel ridge regression: {difference}");
}

// Softmax, of which the two classes of M03 are one.
// spec: M10
#[test]
fn the_l2_vector_machine_of_several_classes_has_no_slope_at_its_optimum_and_no_weight_that_is_zero() {
    let k = values(&rows(), &rows(), rbf);
    let fitted = fit(&l2vm(0.3, true), &square(&rows(), rbf), &classes(&THREE, 3), None);
    let (w, b) = (&fitted.expansion().coef, &fitted.expansion().bias);
    let f = product(&k, w).unwrap();
    let sum = |i: usize| (0..3).map(|c| (f[(i, c)] + b[c]).exp()).sum::<f64>();
    let r = Matrix::from_fn(14, 3, |i, c| (f[(i, c)] + b[c]).exp() / sum(i) - f64::from(u8::from(THREE[i] == c)));
    let slopes = transposed_product_within(&k, &r, &Control::default()).unwrap();
    close(&Matrix::from_fn(14, 3, |j, c| slopes[(j, c)] + 0.3 * w[(j, c)]), &Matrix::zeros(14, 3), 1e-9);
    assert!((0..3).all(|c| r.col(c).iter().sum::<f64>().abs() < 1e-9));
    assert_eq!(fitted.support().len(), 14);
    assert!(w.data().iter().all(|w| w.abs() > 1e-6), "{:?}", w.data());
}

#[test]
fn any_similarity_makes_features_for_the_l2_vector_machine() {
    /// Neither symmetric nor positive semi-definite.
    fn odd(x: &[f64], z: &[f64]) -> f64 {
        (x[0] - 2.0 * z[0]).sin() - x[1] * z[1]
    }
    struct Plain(Matrix);
    impl mercer::gram::Gram for Plain {
        fn shape(&self) -> (usize, usize) {
            (self.0.rows(), self.0.cols())
        }
        fn fill(&self, rows: std::ops::Range<usize>, cols: std::ops::Range<usize>, mut out: mercer::gram::Block<'_, f64>) {
            rows.enumerate().for_each(|(k, i)| out.row_mut(k).copy_from_slice(&self.0.row(i)[cols.clone()]));
        }
        fn diagonal(&self, _: mercer::gram::Side) -> Vec<f64> {
            self.0.diagonal()
        }
    }
    let (x, control) = (rows(), Control::default());
    let phi = values(&x, &x, odd);
    let gram = Plain(phi.clone());
    let y = wave(14, 1, 4);
    let target = Target::Numbers(y.clone());
    let task = Task { view: View::Values(&gram), target: &target, weights: None, control: &control, seed: 0 };
    let fitted = l2vm(0.2, false).fit(&task).unwrap();
    let mut normal = transposed_product_within(&phi, &phi, &control).unwrap();
    normal.add_to_diagonal(&[0.2]);
    let right = transposed_product_within(&phi, &y, &control).unwrap();
    let w = Cholesky::new(normal, &control).unwrap().solve(&right, &control).unwrap();
    close(&fitted.expansion().coef, &w, 1e-10);
    let target = classes(&THREE, 3);
    assert!(l2vm(0.2, true).fit(&Task { target: &target, ..task }).unwrap().summary().converged);
}

#[test]
fn criteria_have_the_derivatives_of_differences_by_every_kernel_value() {
    let k = Matrix::from_fn(14, 14, |i, j| narrow(rows().row(i), rows().row(j)) + if i == j { 0.3 } else { 0.0 });
    let weights: Vec<f64> = (0..14).map(|i| 0.5 + (i % 4) as f64 / 2.0).collect();
    for target in [classes(&TWO, 2), classes(&THREE, 3)] {
        for weights in [None, Some(weights.as_slice())] {
            check_weights(&process(2.5), &k, &target, weights, 1e-6);
            check_weights(&logistic(0.2), &k, &target, weights, 1e-6);
            check_weights(&l2vm(0.4, true), &k, &target, weights, 1e-6);
        }
    }
    check_weights(&l2vm(0.4, true), &k, &Target::Numbers(wave(14, 2, 8)), Some(&weights), 1e-6);
}

#[test]
fn a_process_of_two_classes_has_the_evidence_and_the_latent_values_of_another_library() {
    // scikit-learn 1.9.1: GaussianProcessClassifier(ConstantKernel(2.5) * RBF(0.8), optimizer=None, max_iter_predict=1000), whose
    // iterations end where the evidence moves by less than 1e-10; latent means and variances from its parts, probabilities by scipy's quad.
    let (x, target) = (rows(), classes(&TWO, 2));
    let fitted = fit(&process(2.5), &square(&x, narrow), &target, None);
    assert!((fitted.summary().evidence.unwrap() + 10.035915265627223).abs() < 1e-8);
    let found = criterion(&process(2.5), &square(&x, narrow), &target, None);
    assert!((found.value - 10.035915265627223).abs() < 1e-8);
    // The slope by log variance.
    assert!((2.5 * found.own[1].1 - 0.17529019).abs() < 1e-7, "{}", 2.5 * found.own[1].1);
    let p = all(&fitted, &cross(&new_rows(), &x, narrow));
    close(&p.scores.unwrap(), &Matrix::column(vec![-0.2765413765004966, -1.035729594396862, -0.0015942774186757877]), 1e-5);
    let second: Vec<f64> = (0..3).map(|i| p.probabilities.as_ref().unwrap()[(i, 1)]).collect();
    close(&Matrix::column(second), &Matrix::column(vec![0.4435758094440216, 0.29033990843102375, 0.49972535264290985]), 1e-6);
}

/// log of the integral of prod sigmoid(t_i f_i) over a normal with covariance S of two rows, by the trapezoid rule.
fn exact_evidence(s: &Matrix, signs: [f64; 2]) -> f64 {
    let a = s[(0, 0)].sqrt();
    let (b, c) = (s[(1, 0)] / a, (s[(1, 1)] - (s[(1, 0)] / a).powi(2)).sqrt());
    let h = 0.05;
    let sum: f64 = (-180..=180)
        .flat_map(|i| (-180..=180).map(move |j| (h * f64::from(i), h * f64::from(j))))
        .map(|(u, v)| (-0.5 * (u * u + v * v)).exp() * sigmoid(signs[0] * a * u) * sigmoid(signs[1] * (b * u + c * v)))
        .sum();
    (sum * h * h / std::f64::consts::TAU).ln()
}

// spec: GP08
#[test]
fn the_mode_has_no_gradient_and_the_evidence_of_two_rows_is_near_its_integral() {
    let control = Control::default();
    let likelihood = ClassLikelihood::new(THREE.to_vec(), vec![1.0; 14], 3);
    let s = values(&rows(), &rows(), narrow);
    let found = mode::find(&likelihood, 14, &|v: &Matrix| product(&s, v), false, &control).unwrap();
    // f = S (y - p) at the mode.
    let mut rest = Matrix::zeros(14, 3);
    for i in 0..14 {
        let sum: f64 = found.latent.row(i).iter().map(|f| f.exp()).sum();
        (0..3).for_each(|c| rest[(i, c)] = f64::from(u8::from(THREE[i] == c)) - found.latent[(i, c)].exp() / sum);
    }
    close(&product(&s, &rest).unwrap(), &found.latent, 1e-10);
    // The error of Laplace's approximation falls with the square of the variance.
    for (variance, error) in [(1e-3, 1e-6), (1e-2, 1e-4), (0.1, 5e-3), (1.0, 0.1)] {
        for codes in [[0, 1], [1, 1]] {
            let s = Matrix::from_fn(2, 2, |i, j| variance * if i == j { 1.0 } else { 0.6 });
            let likelihood = ClassLikelihood::new(codes.to_vec(), vec![1.0; 2], 2);
            let found = mode::find(&likelihood, 2, &|v: &Matrix| product(&s, v), false, &control).unwrap();
            let evidence = -laplace::posterior(&s, &found, &control).unwrap().value;
            let expected = exact_evidence(&s, codes.map(|k| if k == 1 { 1.0 } else { -1.0 }));
            assert!((evidence - expected).abs() < error, "{variance}: {evidence} {expected}");
        }
    }
}

#[test]
fn classes_that_a_penalty_alone_keeps_apart_stay_finite_and_it_is_said() {
    let x = Matrix::from_fn(12, 1, |i, _| if i < 6 { -1.0 - i as f64 / 9.0 } else { i as f64 / 9.0 });
    let target = classes(&[0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1], 2);
    for lambda in [1.0, 1e-6, 1e-12] {
        let fitted = fit(&logistic(lambda), &square(&x, linear), &target, None);
        assert!(fitted.summary().converged, "{lambda}: {:?}", fitted.summary());
        assert!(fitted.expansion().coef.data().iter().all(|a| a.is_finite()));
        assert!(fitted.summary().notes.iter().any(|n| n.contains("lambda")), "{:?}", fitted.summary().notes);
    }
}

#[test]
fn a_class_with_few_rows_may_count_as_much_as_the_others() {
    let codes: Vec<usize> = (0..30).map(|i| usize::from(i % 10 == 0)).collect();
    let x = wave(30, 2, 3);
    let balanced = Logistic { class_weight: ClassWeight::Balanced, ..logistic(1.0) };
    let weights: Vec<f64> = codes.iter().map(|&k| if k == 1 { 30.0 / 6.0 } else { 30.0 / 54.0 }).collect();
    let gram = square(&x, rbf);
    let (a, b) = (fit(&balanced, &gram, &classes(&codes, 2), None), fit(&logistic(1.0), &gram, &classes(&codes, 2), Some(&weights)));
    close(&a.expansion().coef, &b.expansion().coef, 1e-12);
}

#[test]
fn one_class_alone_is_refused_and_a_class_without_rows_has_no_probability() {
    let (x, control) = (rows(), Control::default());
    let gram = square(&x, rbf);
    let only = classes(&[1; 14], 2);
    let task = Task { view: View::Values(&gram), target: &only, weights: None, control: &control, seed: 0 };
    for why in [logistic(1.0).fit(&task).err(), process(1.0).fit(&task).err(), l2vm(1.0, true).fit(&task).err()] {
        assert!(why.unwrap().to_string().contains("every row is of class 'class 1'"));
    }
    let target = classes(&TWO.map(|k| 2 * k), 3);
    let p = all(&fit(&process(1.0), &gram, &target, None), &cross(&new_rows(), &x, rbf));
    let q = all(&fit(&process(1.0), &gram, &classes(&TWO, 2), None), &cross(&new_rows(), &x, rbf));
    for i in 0..3 {
        let row = p.probabilities.as_ref().unwrap().row(i);
        assert_eq!((row[0], row[1], row[2]), (q.probabilities.as_ref().unwrap()[(i, 0)], 0.0, q.probabilities.as_ref().unwrap()[(i, 1)]));
    }
}

#[test]
fn logistic_over_few_features_equals_that_over_kernel_values() {
    let data = testkit::table(60, 5);
    let (target, control) = (classes(&(0..60).map(|i| (i * i + i / 3) % 3).collect::<Vec<_>>(), 3), Control::default());
    let kernel = KernelExpr::parse("linear + constant(value=1)").unwrap().learn(&data, None, &control).unwrap();
    let bound = kernel.gram(&data, &control).unwrap();
    let dense = Dense::of(bound.as_ref(), &control).unwrap();
    let by_features = logistic(0.3)
        .fit(&Task { view: View::Values(bound.as_ref()), target: &target, weights: None, control: &control, seed: 0 })
        .unwrap();
    assert!(by_features.expansion().is_of_features());
    let by_values = fit(&logistic(0.3), &dense, &target, None);
    close(&by_features.expansion().coef, &by_values.expansion().coef, 1e-8);
    assert!((by_features.summary().objective.unwrap() - by_values.summary().objective.unwrap()).abs() < 1e-10);
}

#[test]
fn a_similarity_that_is_no_kernel_is_refused_with_the_methods_that_take_it() {
    let data = testkit::table(30, 3);
    let target = classes(&(0..30).map(|i| i % 2).collect::<Vec<_>>(), 2);
    let info = mercer::read::TargetInfo {
        names: vec!["t".into()],
        classes: Some(vec!["class 0".into(), "class 1".into()]),
        labels: mercer::read::Labels::default(),
    };
    let learner = |name: &str| mercer::learner::Learner {
        kernel: Some(KernelExpr::parse("sigmoid(gamma=2, offset=-1)").unwrap()),
        ..mercer::learner::Learner::new(EstimatorExpr::parse(name).unwrap())
    };
    for name in ["logistic", "gp"] {
        let why = learner(name).fit(&data, &target, &info, None, &Control::default()).unwrap_err().to_string();
        assert!(why.contains(name) && why.contains("l2vm") && why.contains("knn"), "{why}");
    }
    learner("l2vm").fit(&data, &target, &info, None, &Control::default()).unwrap();
}

/// Gp with expectation propagation.
fn propagated(variance: f64) -> Gp {
    Gp { inference: Inference::Ep, ..process(variance) }
}

#[test]
fn expectation_propagation_is_nearer_to_the_integral_than_laplace() {
    let control = Control::default();
    for variance in [0.1, 1.0, 10.0] {
        for codes in [[0, 1], [1, 1]] {
            let s = Matrix::from_fn(2, 2, |i, j| variance * if i == j { 1.0 } else { 0.6 });
            let signs = codes.map(|k| if k == 1 { 1.0 } else { -1.0 });
            let expected = exact_evidence(&s, signs);
            let rows = expectation::TwoClasses { signs: &signs, weights: &[1.0, 1.0] };
            let ep = -expectation::approximate(&s, &rows, &control).unwrap().value;
            let likelihood = ClassLikelihood::new(codes.to_vec(), vec![1.0; 2], 2);
            let found = mode::find(&likelihood, 2, &|v: &Matrix| product(&s, v), false, &control).unwrap();
            let laplace = -laplace::posterior(&s, &found, &control).unwrap().value;
            assert!((ep - expected).abs() < 2e-3, "{variance} {codes:?}: {ep} {expected}");
            assert!((ep - expected).abs() < 0.5 * (laplace - expected).abs(), "{variance} {codes:?}: {ep} {laplace} {expected}");
        }
    }
    // One row is no approximation at all.
    let one = Dense::square(Matrix::column(vec![4.0])).unwrap();
    let rows = expectation::TwoClasses { signs: &[1.0], weights: &[1.0] };
    let found = expectation::approximate(one.matrix(), &rows, &Control::default()).unwrap();
    assert!((found.value - 2f64.ln()).abs() < 1e-12, "{}", found.value);
}

#[test]
fn expectation_propagation_has_the_derivatives_of_differences_and_counts_weights_as_rows() {
    let x = rows();
    let k = Matrix::from_fn(14, 14, |i, j| narrow(x.row(i), x.row(j)) + if i == j { 0.3 } else { 0.0 });
    check_weights(&propagated(2.5), &k, &classes(&TWO, 2), None, 1e-5);
    let weights: Vec<f64> = (0..14).map(|i| 1.0 + (i % 3) as f64).collect();
    let each: Vec<usize> = (0..14).flat_map(|i| std::iter::repeat_n(i, 1 + i % 3)).collect();
    let codes: Vec<usize> = each.iter().map(|&i| TWO[i]).collect();
    let a = fit(&propagated(2.5), &square(&x, narrow), &classes(&TWO, 2), Some(&weights));
    let b = fit(&propagated(2.5), &square(&x.select_rows(&each), narrow), &classes(&codes, 2), None);
    assert!(a.summary().converged && b.summary().converged);
    assert!((a.summary().evidence.unwrap() - b.summary().evidence.unwrap()).abs() < 1e-7);
    let p = all(&a, &cross(&new_rows(), &x, narrow)).probabilities.unwrap();
    let q = all(&b, &cross(&new_rows(), &x.select_rows(&each), narrow)).probabilities.unwrap();
    close(&p, &q, 1e-7);
    // Several classes go by Laplace's approximation, which is said.
    let several = fit(&propagated(1.0), &square(&x, rbf), &classes(&THREE, 3), None);
    assert!(several.summary().notes.iter().any(|n| n.contains("Laplace")));
}

/// Log loss of new rows, by the classes that made the training rows.
fn log_loss(p: &Matrix, codes: &[usize]) -> f64 {
    codes.iter().enumerate().map(|(i, &k)| -p[(i, k)].ln()).sum::<f64>() / codes.len() as f64
}

// Classes that lie apart under a large variance: the covariance of Laplace's approximation falls back to the prior's.
#[test]
fn a_process_of_classes_that_lie_apart_is_sure_of_them_and_one_of_noise_is_not() {
    let part = |x: f64, classes: usize| (x * classes as f64) as usize;
    let (n, new) = (60, 30);
    let x = Matrix::column((0..n).map(|i| (i as f64 + 0.5) / n as f64).collect());
    let z = Matrix::column((0..new).map(|i| (i as f64 + 0.25) / new as f64).collect());
    let kernel = |a: &[f64], b: &[f64]| (-50.0 * (a[0] - b[0]).powi(2)).exp();
    let (gram, across) = (square(&x, kernel), cross(&z, &x, kernel));
    for count in [2, 3, 5] {
        let of = |m: &Matrix| m.data().iter().map(|x| part(*x, count)).collect::<Vec<_>>();
        let fitted = |tempered: bool, codes: &[usize]| {
            let fitted = fit(&Gp { tempered, ..process(1000.0) }, &gram, &classes(codes, count), None);
            (all(&fitted, &across), fitted.summary().notes.join(" "))
        };
        let ((plain, _), (tempered, said)) = (fitted(false, &of(&x)), fitted(true, &of(&x)));
        assert_eq!(plain.scores, tempered.scores);
        let [plain, tempered] = [plain, tempered].map(|p| log_loss(&p.probabilities.unwrap(), &of(&z)));
        assert!(tempered < 0.5 * plain, "{count}: {tempered} {plain}");
        assert!(said.contains("temperature of 0."), "{said}");
        // Classes that have nothing to do with the rows.
        let noise: Vec<usize> = (0..n).map(|i| (i * i + i / 7) * 7 % 11 % count).collect();
        let ((plain, _), (tempered, said)) = (fitted(false, &noise), fitted(true, &noise));
        assert!(plain.probabilities == tempered.probabilities && !said.contains("temperature"), "{said}");
    }
}

#[test]
fn a_temperature_that_is_none_is_an_error_and_no_probability() {
    let (x, new) = (rows(), new_rows());
    let fitted = fit(&process(1.5), &square(&x, narrow), &classes(&THREE, 3), None);
    let text = serde_json::to_string(&fitted).unwrap();
    let good = "\"temperature\":1.0";
    assert!(text.contains(good));
    for bad in ["0.0", "-1.0", "2.0"] {
        let damaged: mercer::estimators::FittedGp =
            serde_json::from_str(&text.replacen(good, &format!("\"temperature\":{bad}"), 1)).unwrap();
        let error = damaged.predict(&Query::new(&cross(&new, &x, narrow), ALL, &Control::default())).unwrap_err();
        assert!(error.to_string().contains("temperature"), "{error}");
    }
}
