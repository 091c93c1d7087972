//! Nadaraya-Watson regression against its formula, local averages, refits, differences, and a grid of bandwidths.

use crate::made::{cross, dot, errors, fit, points, rbf, square};
use mercer::control::Control;
use mercer::data::{Dataset, Points, Target};
use mercer::estimators::{Estimator, EstimatorExpr, Expansion, Fitted, NadarayaWatson, Predicted, Query, Task, View, Want};
use mercer::gram::{Dense, PairWeights};
use mercer::kernels::KernelExpr;
use mercer::learner::Learner;
use mercer::linalg::Matrix;
use mercer::read::{Labels, TargetInfo};
use mercer::smoothing::{LocalFit, LocalOptions, Reach, SmoothingKernel};

const WANT: Want = Want { probabilities: true, variance: false, covariance: false, scores: false, by_class: false };

fn numbers(predicted: Predicted) -> Vec<f64> {
    let Predicted::Numbers(m) = predicted else { panic!("numbers expected") };
    m.into_data()
}

fn task<'a>(gram: &'a Dense, target: &'a Target, weights: Option<&'a [f64]>, control: &'a Control) -> Task<'a> {
    Task { view: View::Values(gram), target, weights, control, seed: 1 }
}

#[test]
fn predictions_are_means_by_kernel_values_and_shares_of_classes() {
    // k(0, .) = 1, 1/2, 1/4: (1 + 2/2 + 3 * 7/4) / (1 + 2/2 + 3/4) with weights 1, 2, 3 is (1 + 2 + 21/4) / (11/4) = 3.
    let k = Dense::cross(Matrix::new(1, 3, vec![1.0, 0.5, 0.25]).unwrap(), vec![1.0], vec![1.0; 3]).unwrap();
    let gram = Dense::square(Matrix::from_fn(3, 3, |i, j| 0.5f64.powi((i as i32 - j as i32).abs()))).unwrap();
    let weights = [1.0, 2.0, 3.0];
    let control = Control::default();
    let fitted = fit(&NadarayaWatson::default(), &gram, &Target::numbers(&[1.0, 2.0, 7.0]), Some(&weights)).unwrap();
    let p = fitted.predict(&Query::new(&k, WANT, &control)).unwrap();
    assert!((numbers(p.values)[0] - 3.0).abs() <= 1e-15);
    let fitted = fit(&NadarayaWatson::default(), &gram, &Target::classes(&["a", "b", "a"]), Some(&weights)).unwrap();
    let p = fitted.predict(&Query::new(&k, WANT, &control)).unwrap();
    // The shares are 7/11 and 4/11, of (sum w k)^2 / sum w k^2 = 2.75^2 / 1.6875 rows that decide, and the frequencies (4 + 1) / (6 + 2) and
    // (2 + 1) / (6 + 2) count like one more.
    let (p_of, rows) = (p.probabilities.unwrap(), 2.75f64 * 2.75 / 1.6875);
    for (class, share, frequency) in [(0, 7.0 / 11.0, 5.0 / 8.0), (1, 4.0 / 11.0, 3.0 / 8.0)] {
        assert!((p_of[(0, class)] - (rows * share + frequency) / (rows + 1.0)).abs() <= 1e-15, "{p_of:?}");
    }
    assert_eq!(p.values, Predicted::Classes(vec![0]));
    // A constant target is reproduced to the bit.
    let constant = fit(&NadarayaWatson::default(), &gram, &Target::numbers(&[0.1; 3]), None).unwrap();
    assert!(numbers(constant.predict(&Query::new(&k, WANT, &control)).unwrap().values) == [0.1]);
}

/// softmax(Q K' / sqrt(d)) V (Vaswani et al., Attention is all you need, 2017, equation 1): rows are keys, their targets values.
// spec: K45
#[test]
fn exponentials_of_scaled_products_as_weights_are_softmax_attention() {
    let d = 4;
    let (keys, queries, values) = (crate::made::points(81, 12, d), crate::made::points(82, 5, d), crate::made::points(83, 12, 3));
    let table = |rows: &[Vec<f64>]| Dataset::from_points(Points::dense(rows.len(), d, rows.concat()).unwrap());
    let kernel = KernelExpr::parse("exp(0.5*linear)").unwrap().learn(&table(&keys), None, &Control::default()).unwrap();
    let control = Control::default();
    let (among, target) = (kernel.gram(&table(&keys), &control).unwrap(), Target::Numbers(Matrix::new(12, 3, values.concat()).unwrap()));
    let fitted = NadarayaWatson::default()
        .fit(&Task { view: View::Values(among.as_ref()), target: &target, weights: None, control: &control, seed: 0 })
        .unwrap();
    let reference = kernel.reference(&table(&keys), &control).unwrap();
    let cross = reference.cross(&table(&queries), &control).unwrap();
    let found = numbers(fitted.predict(&Query::new(cross.as_ref(), WANT, &control)).unwrap().values);
    for (i, q) in queries.iter().enumerate() {
        let scores: Vec<f64> = keys.iter().map(|k| dot(q, k) / f64::sqrt(d as f64)).collect();
        let all: f64 = scores.iter().map(|s| s.exp()).sum();
        for o in 0..3 {
            let attention: f64 = scores.iter().zip(&values).map(|(s, v)| s.exp() / all * v[o]).sum();
            assert!((found[3 * i + o] - attention).abs() <= 1e-14, "{} and {attention}", found[3 * i + o]);
        }
    }
}

/// Murphy (2012), 14.93: where k is no smoothing kernel the sum is not divided, and is the expansion whose coefficients are the targets;
/// under a smoothing kernel the average is the quotient of two such expansions.
// spec: G21
#[test]
fn without_a_normaliser_it_is_the_expansion_whose_coefficients_are_the_targets() {
    let (x, new, y) = (points(1, 30, 3), points(2, 8, 3), errors(3, 30));
    let (all, control): (Vec<usize>, _) = ((0..30).collect(), Control::default());
    let sums = |coef: &[f64], k: &Dense| {
        Expansion::new(all.clone(), Matrix::column(coef.to_vec()), vec![0.0]).predict(k, &control).unwrap().into_data()
    };
    let weights: Vec<f64> = (0..3).map(|j| x.iter().zip(&y).map(|(x, y)| x[j] * y).sum()).collect();
    for (found, new) in sums(&y, &cross(&new, &x, &all, |a, b| dot(a, b))).iter().zip(&new) {
        assert!((found - dot(&weights, new)).abs() <= 1e-13);
    }
    let gaussian = cross(&new, &x, &all, |a, b| rbf(3.0)(a, b));
    let fitted = fit(&NadarayaWatson::default(), &square(&x, |a, b| rbf(3.0)(a, b)), &Target::numbers(&y), None).unwrap();
    let means = numbers(fitted.predict(&Query::new(&gaussian, WANT, &control)).unwrap().values);
    for (mean, (sum, mass)) in means.iter().zip(sums(&y, &gaussian).iter().zip(sums(&[1.0; 30], &gaussian))) {
        assert!((mean - sum / mass).abs() <= 1e-13);
    }
}

#[test]
fn under_a_gaussian_it_is_local_regression_of_degree_zero() {
    let (x, new, y) = (points(1, 60, 2), points(2, 20, 2), errors(3, 60));
    let h: f64 = 0.4;
    let gamma = 0.5 / (h * h);
    let weights: Vec<f64> = (0..60).map(|i| 0.5 + (i % 4) as f64).collect();
    let control = Control::default();
    let fitted = fit(&NadarayaWatson::default(), &square(&x, |a, b| rbf(gamma)(a, b)), &Target::numbers(&y), Some(&weights)).unwrap();
    let k = cross(&new, &x, fitted.support(), |a, b| rbf(gamma)(a, b));
    let ours = numbers(fitted.predict(&Query::new(&k, WANT, &control)).unwrap().values);
    let matrix = |rows: &[Vec<f64>]| Matrix::new(rows.len(), 2, rows.concat()).unwrap();
    let options = LocalOptions { kernel: SmoothingKernel::Gaussian, reach: Reach::Widths(vec![h; 2]), degree: 0, rounds: 0 };
    let local = LocalFit::fit(&matrix(&x), &y, Some(&weights), &options, &control).unwrap();
    let theirs = local.predict(&matrix(&new), &control).unwrap().values;
    assert!(ours.iter().zip(&theirs).all(|(a, b)| (a - b).abs() <= 1e-12), "{ours:?} {theirs:?}");
}

#[test]
fn a_row_left_out_in_closed_form_is_a_fit_without_it_and_the_criterion_has_the_derivatives_of_differences() {
    let (n, control) = (14, Control::default());
    let x = points(4, n, 2);
    let y = Matrix::from_fn(n, 2, |i, o| (1.0 + o as f64) * (3.0 * x[i][0]).sin() + errors(5, n)[i]);
    let weights: Vec<f64> = (0..n).map(|i| [1.0, 2.0, 0.5][i % 3]).collect();
    let labels: Vec<&str> = (0..n).map(|i| ["a", "b", "c"][(i * i + i / 2) % 3]).collect();
    let estimator = NadarayaWatson::default();
    let gram = square(&x, |a, b| rbf(2.0)(a, b));
    for target in [Target::Numbers(y), Target::classes(&labels)] {
        let left_out = estimator.leave_one_out(&task(&gram, &target, Some(&weights), &control)).unwrap().unwrap();
        for i in 0..n {
            let others: Vec<usize> = (0..n).filter(|&j| j != i).collect();
            let rest: Vec<Vec<f64>> = others.iter().map(|&j| x[j].clone()).collect();
            let w: Vec<f64> = others.iter().map(|&j| weights[j]).collect();
            let again = fit(&estimator, &square(&rest, |a, b| rbf(2.0)(a, b)), &target.select(&others), Some(&w)).unwrap();
            let k = cross(&[x[i].clone()], &rest, again.support(), |a, b| rbf(2.0)(a, b));
            let p = again.predict(&Query::new(&k, WANT, &control)).unwrap();
            let (a, b) = match (&left_out.probabilities, &p.probabilities) {
                (Some(a), Some(b)) => (a.row(i).to_vec(), b.row(0).to_vec()),
                _ => {
                    let Predicted::Numbers(all) = &left_out.values else { panic!("numbers expected") };
                    (all.row(i).to_vec(), numbers(p.values))
                }
            };
            assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() <= 1e-13), "row {i}: {a:?} {b:?}");
        }
        let at = |gram: &Dense| estimator.criterion(&task(gram, &target, Some(&weights), &control)).unwrap();
        let PairWeights::All(found) = at(&gram).weights else { panic!("all pairs expected") };
        let step = 1e-6;
        for (i, j) in [(0, 1), (3, 9), (12, 5)] {
            let moved = |by: f64| {
                let mut k = gram.matrix().clone();
                k[(i, j)] += by;
                k[(j, i)] += by;
                at(&Dense::square(k).unwrap()).value
            };
            let slope = (moved(step) - moved(-step)) / (2.0 * step);
            let ours = found[(i, j)] + found[(j, i)];
            assert!((slope - ours).abs() <= 1e-6 * slope.abs().max(0.01), "{i} {j}: {slope} {ours}");
        }
        assert!((0..n).all(|i| found[(i, i)] == 0.0));
    }
}

#[test]
fn the_bandwidth_that_is_found_leaves_rows_out_as_well_as_the_best_of_a_grid() {
    let n = 120;
    let x = points(6, n, 1);
    let y: Vec<f64> = (0..n).map(|i| (6.0 * x[i][0]).sin() + 0.3 * errors(7, n)[i]).collect();
    let (target, control) = (Target::numbers(&y), Control::default());
    let data = Dataset::from_points(Points::dense(n, 1, x.concat()).unwrap());
    let learner = Learner {
        kernel: Some(KernelExpr::parse("rbf(length_scale=auto)").unwrap()),
        ..Learner::new(EstimatorExpr::parse("nadaraya_watson").unwrap())
    };
    let info = TargetInfo { names: vec!["y".into()], classes: None, labels: Labels::default() };
    let model = learner.fit(&data, &target, &info, None, &control).unwrap();
    let left_out = model.leave_one_out(None, &target, None, &control).unwrap().unwrap();
    let square_of = |p: Vec<f64>| p.iter().zip(&y).map(|(f, y)| (f - y) * (f - y)).sum::<f64>() / n as f64;
    let ours = square_of(numbers(left_out.values));
    // Standardised columns: any grid of bandwidths is one of theirs.
    let of = |gamma: f64| {
        let gram = square(&x, |a, b| rbf(gamma)(a, b));
        square_of(numbers(NadarayaWatson::default().leave_one_out(&task(&gram, &target, None, &control)).unwrap().unwrap().values))
    };
    let best = (0..400).map(|k| of(10f64.powf(-2.0 + 0.0125 * f64::from(k)))).fold(f64::INFINITY, f64::min);
    assert!(ours <= 1.0005 * best, "{ours} {best}");
}

/// Beyond where values underflow the nearest row decides, as it does before: exp(-(x - 2)^2 / 2) beside exp(-(x - 1)^2 / 2) is e^(x - 1.5).
#[test]
fn where_kernel_values_underflow_the_nearest_row_decides() {
    let x = Dataset::from_points(Points::dense(3, 1, vec![0.0, 1.0, 2.0]).unwrap());
    let new = Dataset::from_points(Points::dense(4, 1, vec![30.0, 40.6, 1e6, -50.0]).unwrap());
    let (y, control) = (Target::numbers(&[1.0, 2.0, 6.0]), Control::default());
    for kernel in ["rbf(length_scale=1)", "2*rbf(length_scale=1)", "matern(nu=1.5, length_scale=0.01)"] {
        let kernel = KernelExpr::parse(kernel).unwrap();
        let gram = kernel.bind(None, &x).unwrap();
        let task = Task { view: View::Values(gram.as_ref()), target: &y, weights: None, control: &control, seed: 1 };
        let fitted = NadarayaWatson::default().fit(&task).unwrap();
        let cross = kernel.bind(Some(&new), &x).unwrap();
        let found = numbers(fitted.predict(&Query::new(cross.as_ref(), WANT, &control)).unwrap().values);
        for (found, expected) in found.iter().zip([6.0, 6.0, 6.0, 1.0]) {
            assert!((found - expected).abs() <= 1e-9, "{kernel}: {found}");
        }
    }
    // Rows that are alone under the kernel are said, and probabilities are never 0.
    let kernel = KernelExpr::parse("rbf(length_scale=0.01)").unwrap();
    let (gram, classes) = (kernel.bind(None, &x).unwrap(), Target::classes(&["a", "b", "a"]));
    let task = Task { view: View::Values(gram.as_ref()), target: &classes, weights: None, control: &control, seed: 1 };
    let fitted = NadarayaWatson::default().fit(&task).unwrap();
    assert!(fitted.summary().notes.iter().any(|n| n.contains("3 of 3 rows have kernel values of 0")), "{:?}", fitted.summary().notes);
    let cross = kernel.bind(Some(&new), &x).unwrap();
    let p = fitted.predict(&Query::new(cross.as_ref(), WANT, &control)).unwrap().probabilities.unwrap();
    // One row, of class a, with the frequencies (2 + 1) / (3 + 2) of a.
    assert!((p[(2, 0)] - (1.0 + 0.6) / 2.0).abs() <= 1e-12 && (p[(2, 1)] - 0.2).abs() <= 1e-12, "{p:?}");
}

#[test]
fn rows_without_anything_in_common_get_the_mean_and_values_below_zero_are_named() {
    let x: Vec<Vec<f64>> = vec![vec![0.0], vec![1.0], vec![2.0]];
    let (y, control) = (Target::numbers(&[1.0, 2.0, 6.0]), Control::default());
    let fitted = fit(&NadarayaWatson::default(), &square(&x, |a, b| rbf(1.0)(a, b)), &y, None).unwrap();
    let nothing = Dense::cross(Matrix::zeros(1, 3), vec![5.0], vec![1.0, 4.0, 9.0]).unwrap();
    assert_eq!(numbers(fitted.predict(&Query::new(&nothing, WANT, &control)).unwrap().values), [3.0]);
    let gram = square(&[vec![-1.0], vec![1.0], vec![2.0]], |a, b| a[0] * b[0]);
    let said = fit(&NadarayaWatson::default(), &gram, &y, None).unwrap_err().to_string();
    assert!(said.contains("row 1 with training row 2 is -1.000e0") && said.contains("such as rbf"), "{said}");
    let k = cross(&[vec![1.0]], &x, &[0, 1, 2], |a, b| 1.0 - b[0] * a[0]);
    let said = fitted.predict(&Query::new(&k, WANT, &control)).unwrap_err().to_string();
    assert!(said.contains("row 1 with training row 3 is -1.000e0"), "{said}");
    let one = task(&gram, &y, None, &control);
    assert!(NadarayaWatson::default().leave_one_out(&one).is_err());
    let single = Dense::square(Matrix::new(1, 1, vec![1.0]).unwrap()).unwrap();
    let alone = NadarayaWatson::default().leave_one_out(&task(&single, &Target::numbers(&[1.0]), None, &control)).unwrap_err();
    assert!(alone.to_string().contains("two or more"), "{alone}");
}
