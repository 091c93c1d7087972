//! The L1 vector machine against scikit-learn, against its conditions of optimality, and along its path.

use mercer::control::Control;
use mercer::data::Target;
use mercer::estimators::{ClassWeight, Estimator, ExpansionFit, FitContext, Fitted, L1vm, Predicted, Query, Task, View, Want, choose};
use mercer::gram::Dense;
use mercer::linalg::Matrix;
use mercer::param::Value;

const N: usize = 40;

fn x(i: usize) -> f64 {
    i as f64 * 0.15 - 3.0
}

fn gram() -> Matrix {
    Matrix::from_fn(N, N, |i, j| (-0.5 * (x(i) - x(j)).powi(2) / 0.36).exp())
}

fn numbers() -> Vec<f64> {
    (0..N).map(|i| (1.7 * x(i)).sin() + 0.3 * (9.0 * x(i)).cos()).collect()
}

fn codes() -> Vec<usize> {
    (0..N).map(|i| usize::from((1.7 * x(i)).sin() + 0.6 * (5.0 * x(i)).cos() > 0.0)).collect()
}

fn classes(codes: Vec<usize>, count: usize) -> Target {
    Target::Classes { codes, names: (0..count).map(|k| format!("class {k}")).collect() }
}

fn l1vm(lambda: f64) -> L1vm {
    L1vm { lambda: Value::Number(lambda), tolerance: Value::Number(1e-9), ..L1vm::default() }
}

fn with_task<R>(k: &Matrix, target: &Target, weights: Option<&[f64]>, work: impl FnOnce(&Task<'_>) -> R) -> R {
    let (dense, control) = (Dense::square(k.clone()).unwrap(), Control::default());
    work(&Task { view: View::Values(&dense), target, weights, control: &control, seed: 0 })
}

fn fit(lambda: f64, k: &Matrix, target: &Target, weights: Option<&[f64]>) -> ExpansionFit {
    with_task(k, target, weights, |task| l1vm(lambda).fit(task)).unwrap()
}

/// Outputs for the training rows.
fn outputs(fitted: &ExpansionFit, k: &Matrix) -> Matrix {
    let e = fitted.expansion();
    Matrix::from_fn(k.rows(), e.bias.len(), |i, o| {
        e.bias[o] + e.support.iter().enumerate().map(|(s, &j)| k[(i, j)] * e.coef[(s, o)]).sum::<f64>()
    })
}

/// The greatest violation of: g_j = lambda B_j / |B_j| where B_j is not 0, |g_j| <= lambda, sum of residuals 0; by lambda.
fn violation(fitted: &ExpansionFit, k: &Matrix, residuals: &Matrix, lambda: f64) -> f64 {
    let e = fitted.expansion();
    let mut worst = 0.0f64;
    for o in 0..residuals.cols() {
        worst = worst.max(residuals.col(o).iter().sum::<f64>().abs());
    }
    for j in 0..k.cols() {
        let g: Vec<f64> = (0..residuals.cols()).map(|o| (0..k.rows()).map(|i| k[(i, j)] * residuals[(i, o)]).sum()).collect();
        worst = worst.max(match e.support.binary_search(&j) {
            Ok(s) => {
                let length = e.coef.row(s).iter().map(|b| b * b).sum::<f64>().sqrt();
                g.iter().zip(e.coef.row(s)).map(|(g, b)| (g - lambda * b / length).powi(2)).sum::<f64>().sqrt()
            }
            Err(_) => g.iter().map(|g| g * g).sum::<f64>().sqrt() - lambda,
        });
    }
    worst / lambda
}

fn close(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance * (1.0 + expected.abs()), "{found} instead of {expected}");
}

// Objectives, constants and predictions of scikit-learn 1.9.1, K the matrix above:
// Lasso(alpha=lambda/40, tol=1e-14, max_iter=10_000_000).fit(K, y), its objective 1/2 |y - f|^2 + lambda |w|_1.
#[test]
fn numbers_have_the_lasso_of_scikit_learn() {
    let (k, y) = (gram(), numbers());
    for (lambda, objective, constant, first, middle) in [
        (0.5, 2.814_570_469_302_288_4, 0.086_500_147_794_054_05, 0.880_144_992_373_091, 0.013_949_217_039_357_947),
        (0.05, 1.074_161_501_478_145_4, 0.229_121_727_698_118_23, 1.002_218_427_173_768, 0.014_925_974_034_178_446),
    ] {
        let fitted = fit(lambda, &k, &Target::numbers(&y), None);
        let f = outputs(&fitted, &k);
        close(fitted.summary().objective.unwrap(), objective, 1e-9);
        close(fitted.expansion().bias[0], constant, 1e-5);
        close(f[(0, 0)], first, 1e-6);
        close(f[(20, 0)], middle, 1e-6);
        let residuals = Matrix::from_fn(N, 1, |i, _| y[i] - f[(i, 0)]);
        assert!(violation(&fitted, &k, &residuals, lambda) <= 1e-6);
        assert!(fitted.summary().converged);
    }
}

// LogisticRegression(penalty="l1", C=1/lambda, solver="saga", tol=1e-13, max_iter=2_000_000).fit(K, t) of scikit-learn 1.9.1.
// spec: M11
#[test]
fn two_classes_have_the_l1_logistic_regression_of_scikit_learn() {
    let (k, t) = (gram(), codes());
    let mut kept = Vec::new();
    for (lambda, objective, constant, first, middle) in [
        (1.0, 18.672_362_048_563_127, 0.627_955_597_780_882, 1.500_521_937_562_277_6, 0.958_247_497_334_653_7),
        (0.1, 5.315_652_870_259_571, 4.474_877_162_345_594, 5.355_462_449_784_619, 3.042_098_001_287_443_2),
    ] {
        let fitted = fit(lambda, &k, &classes(t.clone(), 2), None);
        let f = outputs(&fitted, &k);
        close(fitted.summary().objective.unwrap(), objective, 1e-9);
        close(fitted.expansion().bias[0], constant, 1e-5);
        close(f[(0, 0)], first, 1e-5);
        close(f[(20, 0)], middle, 1e-5);
        let residuals = Matrix::from_fn(N, 1, |i, _| t[i] as f64 - 1.0 / (1.0 + (-f[(i, 0)]).exp()));
        assert!(violation(&fitted, &k, &residuals, lambda) <= 1e-6);
    }
    // Sparser as lambda grows, and nothing is kept from the greatest lambda on.
    for lambda in [0.01, 0.3, 3.0, 1e3] {
        kept.push(fit(lambda, &k, &classes(t.clone(), 2), None).support().len());
    }
    assert!(kept[0] > kept[2] && kept[1] > kept[2] && kept[2] > 0 && kept[3] == 0, "{kept:?}");
}

// MultiTaskLasso(alpha=0.2/40, tol=1e-14, max_iter=1_000_000).fit(K, Y) of scikit-learn 1.9.1.
#[test]
fn several_columns_of_numbers_share_their_rows_as_in_scikit_learn() {
    let k = gram();
    let y = numbers();
    let target = Target::Numbers(Matrix::from_fn(N, 2, |i, o| if o == 0 { y[i] } else { (1.1 * x(i)).cos() }));
    let fitted = fit(0.2, &k, &target, None);
    close(fitted.summary().objective.unwrap(), 2.022_385_324_943_951_6, 1e-9);
    let f = outputs(&fitted, &k);
    close(f[(0, 0)], 0.946_673_408_969_546_5, 1e-5);
    close(f[(0, 1)], -0.959_223_918_277_941_4, 1e-5);
}

fn three() -> Vec<usize> {
    (0..N).map(|i| if (2.0 * x(i)).sin() > 0.4 { 2 } else { usize::from(x(i) * x(i) > 2.0) }).collect()
}

// spec: M12
#[test]
fn several_classes_share_the_rows_that_are_kept_and_meet_the_conditions_of_groups() {
    let (k, t) = (gram(), three());
    for lambda in [2.0, 0.5, 0.05] {
        let fitted = fit(lambda, &k, &classes(t.clone(), 3), None);
        let e = fitted.expansion();
        assert!(!e.support.is_empty() && e.support.len() < N && e.coef.cols() == 3);
        for s in 0..e.support.len() {
            assert!(e.coef.row(s).iter().all(|b| *b != 0.0));
        }
        let f = outputs(&fitted, &k);
        let mut residuals = Matrix::zeros(N, 3);
        for i in 0..N {
            let sum: f64 = f.row(i).iter().map(|f| f.exp()).sum();
            (0..3).for_each(|c| residuals[(i, c)] = f64::from(u8::from(t[i] == c)) - f[(i, c)].exp() / sum);
        }
        let worst = violation(&fitted, &k, &residuals, lambda);
        assert!(worst <= 1e-6, "lambda {lambda}: {worst}");
        assert!(fitted.summary().converged, "{:?}", fitted.summary());
    }
}

// So many groups that the Hessian is never made as a whole. The conditions are those of a convex problem: they hold at its minimum alone.
#[test]
fn many_classes_meet_the_conditions_of_groups_with_weights_of_rows() {
    const MANY: usize = 160;
    const CLASSES: usize = 9;
    let (u, v) = (|i: usize| (0.37 * i as f64).sin() * 3.0, |i: usize| (0.61 * i as f64 + 0.2).cos() * 3.0);
    let k = Matrix::from_fn(MANY, MANY, |i, j| (-3.0 * ((u(i) - u(j)).powi(2) + (v(i) - v(j)).powi(2))).exp());
    let t: Vec<usize> = (0..MANY).map(|i| ((u(i) + 3.0) / 2.01) as usize * 3 + ((v(i) + 3.0) / 2.01) as usize).collect();
    let weights: Vec<f64> = (0..MANY).map(|i| 0.5 + (i % 4) as f64).collect();
    let target = classes(t.clone(), CLASSES);
    for lambda in [0.2, 0.02] {
        let fitted = fit(lambda, &k, &target, Some(&weights));
        let kept = fitted.support().len();
        assert!(kept * CLASSES > 192 && kept < MANY, "{kept}");
        let f = outputs(&fitted, &k);
        let mut residuals = Matrix::zeros(MANY, CLASSES);
        for i in 0..MANY {
            let sum: f64 = f.row(i).iter().map(|f| f.exp()).sum();
            (0..CLASSES).for_each(|c| residuals[(i, c)] = weights[i] * (f64::from(u8::from(t[i] == c)) - f[(i, c)].exp() / sum));
        }
        let worst = violation(&fitted, &k, &residuals, lambda);
        assert!(worst <= 1e-6, "lambda {lambda}: {worst}");
        assert!(fitted.summary().converged, "{:?}", fitted.summary());
    }
}

#[test]
fn a_similarity_that_is_not_positive_semi_definite_is_taken() {
    // Its trace is below 0: at least one eigenvalue is.
    let k = Matrix::from_fn(N, N, |i, j| (3.0 * (x(i) - x(j))).sin().abs() - 0.2);
    let fitted = fit(0.1, &k, &Target::numbers(&numbers()), None);
    let f = outputs(&fitted, &k);
    let residuals = Matrix::from_fn(N, 1, |i, _| numbers()[i] - f[(i, 0)]);
    assert!(fitted.summary().converged && violation(&fitted, &k, &residuals, 0.1) <= 1e-6);
}

// spec: T01
#[test]
fn two_starts_agree_and_few_rows_are_kept() {
    let (k, target) = (gram(), classes(codes(), 2));
    let cold = fit(0.2, &k, &target, None);
    for other in [1e-3, 5.0] {
        let from = fit(other, &k, &target, None);
        let warm = with_task(&k, &target, None, |task| l1vm(0.2).fit_with(task, &FitContext::from_earlier(&from))).unwrap().fitted;
        let (a, b) = (outputs(&cold, &k), outputs(&warm, &k));
        assert!(a.data().iter().zip(b.data()).all(|(a, b)| (a - b).abs() <= 1e-8 * (1.0 + a.abs())), "from {other}");
    }
    assert!(cold.support().len() * 10 < 9 * N);
}

#[test]
fn every_point_of_the_path_is_the_fit_at_its_lambda_and_the_first_is_all_zero() {
    let (k, target) = (gram(), Target::numbers(&numbers()));
    let points = with_task(&k, &target, None, |task| l1vm(1.0).path(task, 100, 1e-3)).unwrap();
    assert_eq!(points.len(), 100);
    assert!(points[0].solution.support.is_empty() && !points[1].solution.support.is_empty());
    close(points[99].lambda, 1e-3 * points[0].lambda, 1e-12);
    let scale = numbers().iter().fold(0.0f64, |m, y| m.max(y.abs()));
    for point in points.iter().step_by(11) {
        let alone = fit(point.lambda, &k, &target, None);
        close(scale * scale * point.solution.objective, alone.summary().objective.unwrap(), 1e-10);
        assert!(point.solution.violation <= 1e-9 && point.solution.gap <= 1e-6, "{}", point.solution.gap);
    }
}

#[test]
fn approximate_leave_one_out_is_near_the_fits_without_each_row() {
    let k = gram();
    for (target, lambda) in [(Target::numbers(&numbers()), 0.1), (classes(codes(), 2), 0.3)] {
        let points = with_task(&k, &target, None, |task| l1vm(1.0).path(task, 60, 1e-3)).unwrap();
        let point = points.iter().min_by(|a, b| (a.lambda - lambda).abs().total_cmp(&(b.lambda - lambda).abs())).unwrap();
        let mut sum = 0.0;
        for i in 0..N {
            // The row has no part in the loss; its exemplar stays, as in the approximation.
            let weights: Vec<f64> = (0..N).map(|j| if i == j { 1e-9 } else { 1.0 }).collect();
            let f = outputs(&fit(point.lambda, &k, &target, Some(&weights)), &k)[(i, 0)];
            sum += match &target {
                Target::Numbers(y) => 0.5 * (y[(i, 0)] - f).powi(2),
                _ => (1.0 + (if codes()[i] == 1 { -f } else { f }).exp()).ln(),
            };
        }
        let scale = if matches!(target, Target::Numbers(_)) { numbers().iter().fold(0.0f64, |m, y| m.max(y.abs())).powi(2) } else { 1.0 };
        let (exact, found) = (sum / N as f64, scale * point.left_out.unwrap());
        // The active set changes without a row, which the approximation leaves out.
        assert!((found - exact).abs() <= 0.1 * exact, "{found} instead of {exact}");
        let (best, cautious) = (choose(&points, false).unwrap(), choose(&points, true).unwrap());
        assert!(best.left_out.unwrap() <= cautious.left_out.unwrap() && cautious.lambda >= best.lambda);
        assert!(cautious.left_out.unwrap() <= best.left_out.unwrap() + best.error.unwrap());
    }
}

#[test]
fn what_cannot_be_learnt_is_said() {
    let k = gram();
    let one = classes(vec![0; N], 2);
    let told = with_task(&k, &one, None, |task| l1vm(1.0).fit(task)).unwrap_err().to_string();
    assert!(told.contains("at least two classes") && told.contains("class 0"), "{told}");
    let mut broken = k.clone();
    broken[(5, 0)] = f64::NAN;
    let told = with_task(&broken, &Target::numbers(&numbers()), None, |task| l1vm(1.0).fit(task)).unwrap_err().to_string();
    assert!(told.contains("NaN"), "{told}");
    let constant = fit(1.0, &k, &Target::numbers(&[2.5; N]), None);
    assert!(constant.support().is_empty() && constant.summary().notes[0].contains("every coefficient is 0"));
    close(constant.expansion().bias[0], 2.5, 1e-14);
}

#[test]
fn classes_that_can_be_told_apart_have_finite_coefficients() {
    let k = gram();
    let apart = classes((0..N).map(|i| usize::from(i >= 20)).collect(), 2);
    let fitted = fit(1e-6, &k, &apart, None);
    assert!(fitted.expansion().coef.data().iter().all(|b| b.is_finite()));
    let (cross, control) = (
        Dense::cross(
            Matrix::from_fn(N, fitted.support().len(), |i, s| k[(i, fitted.support()[s])]),
            vec![1.0; N],
            vec![1.0; fitted.support().len()],
        )
        .unwrap(),
        Control::default(),
    );
    let p = fitted.predict(&Query::new(&cross, Want { probabilities: true, ..Want::default() }, &control)).unwrap();
    assert_eq!(p.values, Predicted::Classes((0..N).map(|i| usize::from(i >= 20)).collect()));
    for i in 0..N {
        assert!((p.probabilities.as_ref().unwrap().row(i).iter().sum::<f64>() - 1.0).abs() <= 1e-15);
    }
}

#[test]
fn the_machine_passes_the_conformance_kit() {
    let kernel = mercer::kernels::KernelExpr::parse("0.7*rbf(length_scale=1.3) + 0.4*matern(nu=1.5, length_scale=0.8)*equal").unwrap();
    let told = mercer::testkit::check_estimator_expr(&"l1vm".parse().unwrap(), &kernel, &mercer::testkit::table(26, 17));
    assert!(told.is_ok(), "{}", told.unwrap_err());
}

/// Balanced classes are rows with the weights N / (2 N_k), as in scikit-learn.
#[test]
fn balanced_classes_are_weights_of_rows() {
    let codes: Vec<usize> = (0..N).map(|i| usize::from((1.7 * x(i)).sin() > 0.5)).collect();
    let second = codes.iter().sum::<usize>() as f64;
    let of_class = [N as f64 / (2.0 * (N as f64 - second)), N as f64 / (2.0 * second)];
    let weights: Vec<f64> = codes.iter().map(|&k| of_class[k]).collect();
    let target = classes(codes, 2);
    let k = gram();
    let balanced = L1vm { class_weight: ClassWeight::Balanced, ..l1vm(0.5) };
    let ours = with_task(&k, &target, None, |task| balanced.fit(task).unwrap());
    let weighted = with_task(&k, &target, Some(&weights), |task| l1vm(0.5).fit(task).unwrap());
    let plain = with_task(&k, &target, None, |task| l1vm(0.5).fit(task).unwrap());
    let coef = |fitted: &ExpansionFit| fitted.expansion().coef.data().to_vec();
    assert!(coef(&ours).iter().zip(coef(&weighted)).all(|(a, b)| (a - b).abs() < 1e-10));
    assert!(coef(&ours) != coef(&plain));
}
