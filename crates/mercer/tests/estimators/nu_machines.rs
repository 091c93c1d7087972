//! Machines of nu, of one class, two classes and numbers, against LIBSVM, hand-solved problems and their bounds.

use crate::made;

use made::*;
use mercer::control::Control;
use mercer::data::Target;
use mercer::estimators::{
    Answer, ClassWeight, Estimator, ExpansionFit, Fitted, FittedOneClass, FittedSvc, NuSvc, NuSvr, OneClass, Query, Svc, Svr, Task, View,
};
use mercer::gram::Dense;
use mercer::linalg::Matrix;

const ROWS: usize = 120;

/// 120 points of the plane.
fn plane(shift: f64) -> Rows {
    let point = |i: usize| {
        let t = i as f64;
        vec![(1.3 * t).sin() + shift, 0.5 * (2.1 * t).cos() + (0.37 * t).sin() + shift]
    };
    (0..ROWS).map(point).collect()
}

/// New points.
fn places() -> Rows {
    vec![vec![0.3, -0.2], vec![2.0, 2.0]]
}

fn error(i: usize) -> f64 {
    0.6 * (7.1 * i as f64).sin()
}

fn one_class(nu: f64, tolerance: f64) -> OneClass {
    OneClass { nu: nu.into(), tolerance: tolerance.into(), ..OneClass::default() }
}

fn nu_svc(nu: f64, tolerance: f64) -> NuSvc {
    NuSvc { nu: nu.into(), tolerance: tolerance.into(), ..NuSvc::default() }
}

fn nu_svr(nu: f64, c: f64, tolerance: f64) -> NuSvr {
    NuSvr { nu: nu.into(), c: c.into(), standardise_target: false, tolerance: tolerance.into(), ..NuSvr::default() }
}

fn absent(rows: usize) -> Target {
    Target::Absent { rows }
}

/// a'Ka / 2 of the coefficients of a machine of one output.
fn half_square(coef: &Matrix, support: &[usize], gram: &Dense) -> f64 {
    let of = |s: usize| support.iter().enumerate().map(|(t, &r)| coef[(t, 0)] * gram.matrix()[(support[s], r)]).sum::<f64>();
    0.5 * (0..support.len()).map(|s| coef[(s, 0)] * of(s)).sum::<f64>()
}

/// Scores of the places above.
fn at_places(fitted: &impl Fitted, x: &Rows, kernel: impl Fn(&[f64], &[f64]) -> f64) -> Vec<f64> {
    let gram = cross(&places(), x, fitted.support(), |a, b| kernel(a, b));
    let found = fitted.predict(&Query::new(&gram, everything(), &Control::default())).unwrap();
    found.scores.as_ref().unwrap_or_else(|| numbers(&found)).col(0)
}

/// nu, whether every third row counts twice, a'Ka / 2, offset, and decision values at the places, by scikit-learn 1.9.1 OneClassSVM
/// (LIBSVM), gamma=0.5, tol=1e-10.
const LIBSVM_ONE_CLASS: [(f64, bool, f64, f64, [f64; 2]); 6] = [
    (0.05, false, 5.100576985545082, 1.7390349580224986, [0.13866679, -1.11476401]),
    (0.05, true, 9.144413198407122, 2.32200377113205, [0.1980475, -1.48151423]),
    (0.1, false, 21.014971420703795, 3.586414612940684, [0.35084894, -2.30860725]),
    (0.1, true, 37.4649357577915, 4.76268007742144, [0.44596295, -3.00092536]),
    (0.5, false, 622.7083178463865, 23.115240064701304, [3.44929615, -18.64097331]),
    (0.5, true, 1095.9398381160481, 30.619688351158022, [4.02026979, -23.66050128]),
];

// spec: S26
#[test]
fn one_class_has_the_objective_offset_and_scores_of_libsvm() {
    let x = plane(0.0);
    let gram = square(&x, |a, b| rbf(0.5)(a, b));
    for (nu, weighted, objective, offset, scores) in LIBSVM_ONE_CLASS {
        let weights: Vec<f64> = (0..ROWS).map(|i| if weighted && i % 3 == 0 { 2.0 } else { 1.0 }).collect();
        for (tolerance, of_objective, of_scores) in [(1e-3, 1e-4, 5e-3), (1e-9, 1e-7, 1e-6)] {
            let fitted = fit(&one_class(nu, tolerance), &gram, &absent(ROWS), Some(&weights)).unwrap();
            let summary = fitted.summary();
            assert!(summary.converged && summary.certificate.as_ref().unwrap().is_met(), "{nu} {tolerance}: {summary:?}");
            close(half_square(&fitted.expansion.coef, fitted.support(), &gram) / objective, 1.0, of_objective);
            close(-summary.objective.unwrap() / objective, 1.0, 10.0 * of_objective);
            close(-fitted.expansion.bias[0], offset, of_scores * offset);
            let found = at_places(&fitted, &x, rbf(0.5));
            found.iter().zip(scores).for_each(|(f, s)| close(*f, s, of_scores * offset));
            let sum: f64 = fitted.expansion.coef.col(0).iter().sum();
            close(sum, nu * weights.iter().sum::<f64>(), 1e-9 * sum);
        }
    }
}

// Scores by scikit-learn 1.9.1 OneClassSVM, kernel="linear", nu=0.1.
#[test]
fn one_class_of_a_linear_kernel_has_the_scores_of_libsvm() {
    let x = plane(2.0);
    let fitted = fit(&one_class(0.1, 1e-9), &square(&x, |a, b| dot(a, b)), &absent(ROWS), None).unwrap();
    close(-fitted.expansion.bias[0], 33.73445465121701, 1e-5);
    let found = at_places(&fitted, &x, dot);
    found.iter().zip([-31.8320764, 18.33910957]).for_each(|(f, s)| close(*f, s, 1e-4));
}

/// The share of the training rows that are outliers, by weight, and that of support vectors.
fn shares(fitted: &FittedOneClass, gram: &Dense, weights: &[f64]) -> (f64, f64) {
    let scores = numbers(&on_training(fitted, gram)).col(0);
    let total: f64 = weights.iter().sum();
    let out: f64 = scores.iter().zip(weights).filter(|(s, _)| **s < 0.0).map(|(_, w)| w).sum();
    (out / total, fitted.support().iter().map(|&i| weights[i]).sum::<f64>() / total)
}

// Schölkopf et al. (2001), proposition 3. LIBSVM calls all rows outliers for a tiny nu (scikit-learn issue 4195).
#[test]
fn one_class_keeps_both_bounds_of_nu_at_every_setting() {
    let (mut weights, mut found) = (vec![1.0; ROWS], 0.0);
    for set in 0..12 {
        let x = points(set, ROWS, 1 + set % 3);
        let gram = square(&x, |a, b| rbf(0.3 + set as f64)(a, b));
        if set % 2 == 1 {
            weights = (0..ROWS).map(|i| 0.5 + (i % 5) as f64).collect();
        }
        for nu in [1e-6, 1e-3, 0.02, 0.1, 0.37, 0.9, 1.0] {
            for tolerance in [1e-2, 1e-3, 1e-8] {
                let fitted = fit(&one_class(nu, tolerance), &gram, &absent(ROWS), Some(&weights)).unwrap();
                let (out, support) = shares(&fitted, &gram, &weights);
                assert!(out <= nu + 1e-12 && nu <= support + 1e-12, "set {set}, nu {nu}: {out} {support}");
                found += out;
                let note = &fitted.summary().notes[0];
                assert!(note.starts_with(&format!("{:.1}% of the training rows are outliers", 100.0 * out)), "{note} {out}");
            }
        }
    }
    assert!(found > 1.0, "{found}");
}

#[test]
fn one_class_answers_for_equal_rows_one_row_and_a_kernel_without_a_margin() {
    for rows in [1, 12] {
        let gram = square(&vec![vec![0.25]; rows], |a, b| rbf(1.0)(a, b));
        for nu in [1e-3, 0.5, 1.0] {
            let fitted = fit(&one_class(nu, 1e-3), &gram, &absent(rows), None).unwrap();
            assert!(fitted.summary().converged);
            // k = 1 everywhere: f is the sum of coefficients, nu N.
            close(-fitted.expansion.bias[0], nu * rows as f64, 1e-3 * nu * rows as f64);
            assert!(numbers(&on_training(&fitted, &gram)).data().iter().all(|s| *s >= 0.0));
        }
    }
    // -1 and 1 lie on both sides of the origin: w is 0.
    let gram = square(&[-1.0, 1.0], |a, b| a * b);
    let fitted = fit(&one_class(1.0, 1e-3), &gram, &absent(2), None).unwrap();
    assert!(fitted.summary().notes.iter().any(|n| n.contains("take a kernel such as rbf")), "{:?}", fitted.summary());
    assert!(numbers(&on_training(&fitted, &gram)).data().iter().all(|s| s.abs() < 1e-2));
    // Rows at 1 and 2, k = x z, nu = 1/2: the row at 1 has all of the weight, f(x) = x, and every offset from 1 to 2 is optimal.
    let gram = square(&[1.0, 2.0], |a, b| a * b);
    let fitted = fit(&one_class(0.5, 1e-6), &gram, &absent(2), None).unwrap();
    assert_eq!((fitted.support(), fitted.expansion.coef.data()), (&[0][..], &[1.0][..]));
    close(-fitted.expansion.bias[0], 1.5, 1e-5);
    assert_eq!(fitted.answer(&mercer::read::TargetInfo::of(&absent(2))).unwrap(), Answer::Novelty);
}

fn two_classes() -> (Rows, Dense, Target) {
    let x = plane(0.0);
    let gram = square(&x, |a, b| rbf(0.5)(a, b));
    let target = labels(x.iter().enumerate().map(|(i, x)| x[0] * x[1] + error(i) > 0.0));
    (x, gram, target)
}

// a'Ka / 2 at rho = 1, 1 / rho (the greatest dual coefficient), intercept and decision values by scikit-learn 1.9.1 NuSVC (LIBSVM), gamma=0.5, tol=1e-10.
// spec: S26, E3-30
#[test]
fn nu_svc_has_the_objective_and_decision_values_of_libsvm() {
    let (x, gram, target) = two_classes();
    for (nu, objective, c, offset, scores) in [
        (0.5, 296.3374414150636, 153.45081150223004, -0.88657007, [0.46131323, 1.22247527]),
        (0.7, 5.152465131848662, 0.6846801524340144, 0.00202491, [0.25386541, 0.49691805]),
    ] {
        for (tolerance, of_objective, of_scores) in [(1e-3, 3e-3, 3e-2), (1e-9, 1e-5, 1e-4)] {
            let fitted = fit(&nu_svc(nu, tolerance), &gram, &target, None).unwrap();
            assert!(fitted.summary().converged, "{:?}", fitted.summary());
            // In the scale of a in 0..1, where the objective is that of nu.
            let own = fitted.expansion.coef.data().iter().fold(0.0f64, |most, b| most.max(b.abs()));
            let found = half_square(&fitted.expansion.coef, fitted.support(), &gram) / own.powi(2);
            close(found / (objective / (c * c)), 1.0, of_objective);
            // LIBSVM keeps kernel rows in f32, and its decision values show that in proportion to c.
            let slack = of_scores + 1e-6 * c;
            close(fitted.expansion.bias[0], offset, slack);
            let found = at_places(&fitted, &x, rbf(0.5));
            found.iter().zip(scores).for_each(|(f, s)| close(*f, s, slack));
        }
    }
}

/// The penalty c that a note names.
fn named(fitted: &FittedSvc) -> f64 {
    let all = fitted.summary().notes.join("; ");
    let from = all.split("c = ").nth(1).unwrap_or_else(|| panic!("{all}"));
    from.split(' ').next().unwrap().parse().unwrap()
}

// Schölkopf et al. (2000), propositions 5 and 6.
// spec: S26, E3-30
#[test]
fn nu_svc_keeps_both_bounds_on_50_random_sets_and_is_svc_of_the_penalty_that_it_names() {
    for set in 0..50 {
        let x = points(set, 60, 2);
        let e = errors(set, 60);
        let target = labels((0..60).map(|i| x[i][0] + 0.5 * x[i][1] + 0.8 * e[i] > 0.0));
        let gram = square(&x, |a, b| rbf(1.0)(a, b));
        let nu = 0.5 + 0.05 * (set % 5) as f64;
        let fitted = fit(&nu_svc(nu, 1e-7), &gram, &target, None).unwrap();
        let Target::Classes { codes, .. } = &target else { panic!() };
        let scores = on_training(&fitted, &gram).scores.unwrap().col(0);
        let margins: Vec<f64> = scores.iter().zip(codes).map(|(s, c)| if *c == 1 { *s } else { -s }).collect();
        let errors = margins.iter().filter(|m| **m < 1.0 - 1e-5).count() as f64 / 60.0;
        let support = fitted.support().len() as f64 / 60.0;
        assert!(errors <= nu + 1e-9 && nu <= support + 1e-9, "set {set}: {errors} {nu} {support}");
        let c = named(&fitted);
        let other = Svc { c: c.into(), tolerance: 1e-7.into(), ..Svc::default() };
        let other = fit(&other, &gram, &target, None).unwrap();
        close(other.summary().objective.unwrap() / fitted.summary().objective.unwrap(), 1.0, 1e-3);
        let there = on_training(&other, &gram).scores.unwrap().col(0);
        scores.iter().zip(&there).for_each(|(a, b)| close(*a, *b, 3e-3 * (1.0 + a.abs())));
    }
}

// nu <= 2 min(N+, N-) / N, by weights of rows and classes. spec: S26
#[test]
fn a_nu_that_no_solution_has_is_refused_before_any_kernel_value_with_the_range_that_has_one() {
    let x = plane(0.0);
    let gram = square(&x, |a, b| rbf(0.5)(a, b));
    let counted = Counted::of(&gram);
    let target = labels((0..ROWS).map(|i| i % 10 == 0));
    let control = Control::default();
    let task = |weights| Task { view: View::Values(&counted), target: &target, weights, control: &control, seed: 1 };
    let refused = nu_svc(0.3, 1e-3).fit(&task(None)).unwrap_err().to_string();
    assert!(refused.contains("infeasible") && refused.contains("at most 0.2,") && refused.contains("'yes' weigh 12"), "{refused}");
    // Rows of the lighter class count three times: 36 of 144.
    let weights: Vec<f64> = (0..ROWS).map(|i| if i % 10 == 0 { 3.0 } else { 1.0 }).collect();
    let refused = nu_svc(0.6, 1e-3).fit(&task(Some(&weights))).unwrap_err().to_string();
    assert!(refused.contains("at most 0.5,"), "{refused}");
    assert_eq!(counted.asked(), 0);
    let balanced = NuSvc { class_weight: ClassWeight::Balanced, ..nu_svc(0.9, 1e-3) };
    assert!(balanced.fit(&task(None)).unwrap().summary().converged);
    // All rows equal: the means of both classes coincide.
    let equal = square(&vec![vec![0.5]; 12], |a, b| rbf(1.0)(a, b));
    let refused = fit(&nu_svc(0.5, 1e-3), &equal, &labels((0..12).map(|i| i % 2 == 0)), None).unwrap_err().to_string();
    assert!(refused.contains("no margin is left between classes 'no' and 'yes'"), "{refused}");
}

// Decision values of the pairs by scikit-learn 1.9.1 NuSVC, gamma=0.5, nu=0.6, tol=1e-10, which are above 0 for the first of a pair.
#[test]
fn nu_svc_of_three_classes_decides_by_pairs() {
    let x = plane(0.0);
    let codes = x.iter().enumerate().map(|(i, x)| [-0.5, 0.5].iter().filter(|cut| x[0] + error(i) >= **cut).count()).collect();
    let target = Target::Classes { codes, names: vec!["a".into(), "b".into(), "c".into()] };
    let gram = square(&x, |a, b| rbf(0.5)(a, b));
    let fitted = fit(&nu_svc(0.6, 1e-8), &gram, &target, None).unwrap();
    let new = cross(&[vec![0.3, -0.2], vec![1.0, -0.5]], &x, fitted.support(), |a, b| rbf(0.5)(a, b));
    let found = fitted.predict(&Query::new(&new, everything(), &Control::default())).unwrap().scores.unwrap();
    let expected: [[f64; 3]; 2] = [[-1.69232224, -0.54677821, 0.3232601], [-1.60378104, -1.14224453, -1.15995123]];
    for (i, row) in expected.iter().enumerate() {
        row.iter().enumerate().for_each(|(p, s)| close(found[(i, p)], -s, 1e-4 * (1.0 + s.abs())));
    }
}

// nu, c, epsilon, primal objective and predictions at the places by scikit-learn 1.9.1 NuSVR (LIBSVM), gamma=0.5, tol=1e-10.
#[test]
fn nu_svr_has_the_objective_epsilon_and_predictions_of_libsvm() {
    let x = plane(0.0);
    let gram = square(&x, |a, b| rbf(0.5)(a, b));
    let t: Vec<f64> = x.iter().enumerate().map(|(i, x)| (2.0 * x[0]).sin() + x[1] + 0.5 * error(i)).collect();
    let target = Target::numbers(&t);
    for (nu, c, epsilon, objective, predicted) in [
        (0.2, 1.0, 0.29969267, 13.65093662965582, [0.34486981, 0.77672263]),
        (0.5, 1.0, 0.19156076, 22.506225756968036, [0.32750799, 0.80966967]),
        (0.5, 10.0, 0.18639727, 159.46395460105936, [0.46080748, 0.71323693]),
        (0.87, 0.1, 0.07819691, 5.880348597665453, [0.20421608, 0.43896297]),
    ] {
        let rough = fit(&nu_svr(nu, c, 1e-3), &gram, &target, None).unwrap();
        assert!(rough.summary().converged);
        close(rough.summary().objective.unwrap() / objective, 1.0, 1e-4);
        let fitted = fit(&nu_svr(nu, c, 1e-8), &gram, &target, None).unwrap();
        assert!(fitted.summary().converged, "{:?}", fitted.summary());
        close(fitted.summary().objective.unwrap() / objective, 1.0, 1e-6);
        let found = at_places(&fitted, &x, rbf(0.5));
        found.iter().zip(predicted).for_each(|(f, s)| close(*f, s, 1e-5 * c.max(1.0)));
        let coef = fitted.expansion.coef.col(0);
        close(coef.iter().map(|b| b.abs()).sum::<f64>(), c * nu * ROWS as f64, 1e-6 * c * ROWS as f64);
        assert!(fitted.summary().notes[0].contains(&format!("epsilon = {}", mercer::param::Value::Number(epsilon).rounded(4))));
        bounds_of_tube(&fitted, &gram, &t, nu, epsilon);
        // The same function by svr.
        let other = Svr { c: c.into(), epsilon: epsilon.into(), standardise_target: false, tolerance: 1e-8.into(), ..Svr::default() };
        let other = fit(&other, &gram, &target, None).unwrap();
        at_places(&other, &x, rbf(0.5)).iter().zip(&found).for_each(|(a, b)| close(*a, *b, 1e-5 * c.max(1.0)));
    }
}

/// Schölkopf et al. (2000), proposition 1: nu lies between the share of rows outside of the tube and that of support vectors.
fn bounds_of_tube(fitted: &ExpansionFit, gram: &Dense, t: &[f64], nu: f64, epsilon: f64) {
    let predicted = on_training(fitted, gram);
    let f = numbers(&predicted).col(0);
    let outside = f.iter().zip(t).filter(|(f, t)| (*f - *t).abs() > epsilon + 1e-5).count() as f64 / t.len() as f64;
    let support = fitted.support().len() as f64 / t.len() as f64;
    assert!(outside <= nu + 1e-9 && nu <= support + 1e-9, "{outside} {nu} {support}");
}

#[test]
fn nu_svr_answers_for_constant_targets_equal_rows_and_low_rank() {
    let x = plane(0.0);
    let gram = square(&x, |a, b| rbf(0.5)(a, b));
    let constant = fit(&NuSvr { c: 1.0.into(), ..NuSvr::default() }, &gram, &Target::numbers(&[0.1; ROWS]), None).unwrap();
    close(numbers(&on_training(&constant, &gram)).data()[0], 0.1, 1e-9);
    // Equal rows with targets 0..4: f is a constant, and of nu = 1/2 a tube with two and a half rows outside: its ends are 1 and 3 or
    // nearer to the middle.
    let equal = square(&vec![vec![0.5]; 5], |a, b| rbf(1.0)(a, b));
    let fitted = fit(&nu_svr(0.5, 1.0, 1e-6), &equal, &Target::numbers(&[0.0, 1.0, 2.0, 3.0, 4.0]), None).unwrap();
    assert!(fitted.summary().converged, "{:?}", fitted.summary());
    close(numbers(&on_training(&fitted, &equal)).data()[0], 2.0, 1e-4);
    assert!(fitted.summary().notes[0].contains("epsilon = 1"), "{:?}", fitted.summary().notes);
    // A linear kernel of rank two, where sum |a - ahat| of svr jumps along epsilon.
    let linear = square(&x, |a, b| dot(a, b));
    let t: Vec<f64> = x.iter().enumerate().map(|(i, x)| x[0] - x[1] + error(i)).collect();
    let fitted = fit(&nu_svr(0.4, 1.0, 1e-6), &linear, &Target::numbers(&t), None).unwrap();
    assert!(fitted.summary().converged, "{:?}", fitted.summary());
}
