//! Support vector classification against LIBSVM, hand-solved problems and its own optimality conditions.

use crate::made;

use made::*;
use mercer::control::{CancelFlag, Control};
use mercer::data::Target;
use mercer::error::Error;
use mercer::estimators::{ClassPairs, ClassWeight, EqualVotes, Estimator, Fitted, FittedSvc, Query, Svc, SvcDecision, Task, View};
use mercer::gram::Dense;
use mercer::linalg::Matrix;

fn svc(c: f64, tolerance: f64) -> Svc {
    Svc { c: c.into(), tolerance: tolerance.into(), ..Svc::default() }
}

/// (set, N, D, c, gamma, optimal objective, offset, support vectors) by scikit-learn 1.9.1 SVC (LIBSVM), tol=1e-10.
type Reference = (usize, usize, usize, f64, f64, f64, f64, usize);

const LIBSVM: [Reference; 10] = [
    (0, 60, 2, 1.00, 1.0, 22.256286708, 0.733376832, 30),
    (1, 80, 3, 10.00, 0.5, 159.166984489, 1.252676101, 28),
    (2, 120, 2, 100.00, 2.0, 2150.757869423, 0.443328407, 37),
    (3, 100, 5, 0.10, 0.2, 8.408353077, 0.613158049, 97),
    (4, 150, 4, 1.00, 1.0, 52.190446628, 0.050833344, 81),
    (5, 200, 2, 1000.00, 1.0, 48938.996165771, 4.379624358, 61),
    (6, 90, 6, 5.00, 0.1, 139.795941881, 1.219518407, 44),
    (7, 300, 3, 1.00, 3.0, 92.644534991, 0.169334824, 146),
    (8, 250, 2, 0.01, 1.0, 1.907392745, 0.700476002, 216),
    (9, 400, 2, 20.00, 4.0, 2109.663768134, 0.105517948, 127),
];

fn made_task(set: usize, n: usize, d: usize, gamma: f64) -> (Rows, Dense, Target) {
    let (x, e) = (points(set, n, d), errors(set, n));
    let target = labels((0..n).map(|i| x[i][0] * x[i][0] + x[i][1] - 0.3 + 0.5 * e[i] > 0.0));
    let gram = square(&x, |a, b| rbf(gamma)(a, b));
    (x, gram, target)
}

fn codes(target: &Target) -> &[usize] {
    match target {
        Target::Classes { codes, .. } => codes,
        _ => &[],
    }
}

/// Coefficient of every training row.
fn coefficients(fitted: &FittedSvc, n: usize) -> Vec<f64> {
    let mut all = vec![0.0; n];
    for (s, &r) in fitted.expansion.support.iter().enumerate() {
        all[r] = fitted.expansion.coef[(s, 0)];
    }
    all
}

// spec: S13
// spec-part: M17 (the rows of section 1.4 have tests of their own)
#[test]
fn objective_offset_and_support_are_those_of_libsvm() {
    for (set, n, d, c, gamma, objective, offset, support) in LIBSVM {
        let (_, gram, target) = made_task(set, n, d, gamma);
        let rough = fit(&svc(c, 1e-3), &gram, &target, None).unwrap();
        assert!(rough.summary().converged, "set {set}: {:?}", rough.summary());
        close(rough.summary().objective.unwrap() / objective, 1.0, 1.01e-3);
        let fine = fit(&svc(c, 1e-9), &gram, &target, None).unwrap();
        assert!(fine.summary().converged, "set {set}: {:?}", fine.summary());
        close(fine.summary().objective.unwrap() / objective, 1.0, 1e-8);
        // LIBSVM keeps kernel rows in f32, and its offset shows that in proportion to c.
        close(fine.expansion.bias[0], offset, 1e-6 * c.max(1.0));
        assert_eq!(fine.support().len(), support, "set {set}");
    }
}

// spec: S16, S22
#[test]
fn two_points_give_the_margin_between_them() {
    let x = vec![vec![-1.0], vec![1.0]];
    let gram = square(&x, |a, b| dot(a, b));
    let fitted = fit(&svc(1e6, 1e-6), &gram, &labels([false, true]), None).unwrap();
    assert_eq!(fitted.support(), [0, 1]);
    close(fitted.expansion.coef[(0, 0)], -0.5, 1e-12);
    close(fitted.expansion.coef[(1, 0)], 0.5, 1e-12);
    close(fitted.expansion.bias[0], 0.0, 1e-12);
    let w: f64 = (0..2).map(|s| fitted.expansion.coef[(s, 0)] * x[s][0]).sum();
    close(w, 1.0, 1e-12);
    close(fitted.summary().objective.unwrap(), 0.5, 1e-9);
}

// spec: S18, E3-33
#[test]
fn exclusive_or_with_a_quadratic_kernel_has_eighths() {
    let x = vec![vec![-1.0, -1.0], vec![-1.0, 1.0], vec![1.0, -1.0], vec![1.0, 1.0]];
    let gram = square(&x, |a, b| (1.0 + dot(a, b)).powi(2));
    let fitted = fit(&svc(10.0, 1e-10), &gram, &labels([false, true, true, false]), None).unwrap();
    for (s, sign) in [-1.0, 1.0, 1.0, -1.0].into_iter().enumerate() {
        close(fitted.expansion.coef[(s, 0)], sign / 8.0, 1e-10);
    }
    close(fitted.summary().objective.unwrap(), 0.25, 1e-9);
    assert_eq!(classes(&on_training(&fitted, &gram)), [0, 1, 1, 0]);
    // Without cross terms no degree is enough: what f says of (-,-) and (+,+) together it says of (-,+) and (+,-).
    for degree in [2, 3, 10] {
        let gram = square(&x, |a, b| (1.0 + a[0] * b[0]).powi(degree) + (1.0 + a[1] * b[1]).powi(degree));
        let fitted = fit(&svc(1e3, 1e-6), &gram, &labels([false, true, true, false]), None).unwrap();
        let p = on_training(&fitted, &gram);
        let right = classes(&p).iter().zip([0, 1, 1, 0]).filter(|(a, b)| *a == b).count();
        assert!(right <= 3, "degree {degree}: {right} of 4");
        let f = p.scores.unwrap().into_data();
        close(f[0] + f[3], f[1] + f[2], 1e-6 * (1.0 + f[0].abs()));
    }
}

// spec: S18, S21, S23
#[test]
fn optimality_conditions_hold_for_every_row() {
    for (set, n, d, c, gamma, ..) in LIBSVM {
        let (_, gram, target) = made_task(set, n, d, gamma);
        let fitted = fit(&svc(c, 1e-8), &gram, &target, None).unwrap();
        let b = coefficients(&fitted, n);
        close(b.iter().sum::<f64>(), 0.0, 1e-10 * c);
        let scores = on_training(&fitted, &gram).scores.unwrap();
        let mut free = Vec::new();
        for i in 0..n {
            let t = if codes(&target)[i] == 1 { 1.0 } else { -1.0 };
            let (a, margin) = (t * b[i], t * scores[(i, 0)]);
            assert!((0.0..=c).contains(&a));
            if a == 0.0 {
                assert!(margin >= 1.0 - 1e-7, "set {set}, row {i}: {margin}");
            } else if a == c {
                assert!(margin <= 1.0 + 1e-7, "set {set}, row {i}: {margin}");
            } else {
                close(margin, 1.0, 1e-7);
                free.push(t - (scores[(i, 0)] - fitted.expansion.bias[0]));
            }
        }
        close(fitted.expansion.bias[0], free.iter().sum::<f64>() / free.len() as f64, 1e-9 * c.max(1.0));
    }
}

// spec: S20
#[test]
fn fitted_anew_on_its_support_a_machine_is_the_same() {
    let (x, gram, target) = made_task(4, 150, 4, 1.0);
    let fitted = fit(&svc(1.0, 1e-8), &gram, &target, None).unwrap();
    let keep = fitted.support().to_vec();
    assert!(keep.len() < 100);
    // Fitted anew on the support alone, the function is the same.
    let few: Rows = keep.iter().map(|&i| x[i].clone()).collect();
    let alone = fit(&svc(1.0, 1e-8), &square(&few, |a, b| rbf(1.0)(a, b)), &target.select(&keep), None).unwrap();
    assert_eq!(alone.support().len(), keep.len());
    let new = points(77, 50, 4);
    let kernel = |a: &Vec<f64>, b: &Vec<f64>| rbf(1.0)(a, b);
    let one =
        fitted.predict(&Query::new(&cross(&new, &x, fitted.support(), kernel), everything(), &Control::default())).unwrap().scores.unwrap();
    let two =
        alone.predict(&Query::new(&cross(&new, &few, alone.support(), kernel), everything(), &Control::default())).unwrap().scores.unwrap();
    for i in 0..50 {
        close(one[(i, 0)], two[(i, 0)], 1e-6);
    }
}

// spec: S24, S37
#[test]
fn any_large_c_gives_the_same_separator_of_separable_classes() {
    let x: Rows = points(30, 60, 2).into_iter().filter(|p| (p[0] + p[1]).abs() > 0.4).collect();
    let target = labels(x.iter().map(|p| p[0] + p[1] > 0.0));
    let gram = square(&x, |a, b| dot(a, b));
    let found: Vec<Vec<f64>> = [1e3, 1e6]
        .into_iter()
        .map(|c| {
            let fitted = fit(&svc(c, 1e-6), &gram, &target, None).unwrap();
            assert!(fitted.summary().converged, "{:?}", fitted.summary());
            let b = coefficients(&fitted, x.len());
            let w = |j: usize| (0..x.len()).map(|i| b[i] * x[i][j]).sum::<f64>();
            vec![w(0), w(1), fitted.expansion.bias[0]]
        })
        .collect();
    for j in 0..3 {
        close(found[0][j], found[1][j], 1e-5);
    }
}

#[test]
fn weight_two_is_a_repeated_row_and_weights_agree_with_libsvm() {
    let (n, set) = (90, 20);
    let (x, e) = (points(set, n, 2), errors(set, n));
    let target = labels((0..n).map(|i| x[i][0] + 0.5 * e[i] > 0.0));
    let weights: Vec<f64> = (0..n).map(|i| (1 + i % 3) as f64).collect();
    let fitted = fit(&svc(2.0, 1e-9), &square(&x, |a, b| rbf(1.0)(a, b)), &target, Some(&weights)).unwrap();
    // scikit-learn 1.9.1 SVC, sample_weight, tol=1e-10.
    close(fitted.summary().objective.unwrap(), 90.95382419176845, 1e-6);
    close(fitted.expansion.bias[0], 0.02272728, 1e-6);
    let rows: Vec<usize> = (0..n).flat_map(|i| vec![i; 1 + i % 3]).collect();
    let repeated: Rows = rows.iter().map(|&i| x[i].clone()).collect();
    let again = fit(&svc(2.0, 1e-9), &square(&repeated, |a, b| rbf(1.0)(a, b)), &target.select(&rows), None).unwrap();
    close(again.summary().objective.unwrap(), fitted.summary().objective.unwrap(), 1e-6);
    close(again.expansion.bias[0], fitted.expansion.bias[0], 1e-6);
}

#[test]
fn three_classes_one_against_one_agree_with_libsvm() {
    let (n, set) = (90, 20);
    let (x, e) = (points(set, n, 2), errors(set, n));
    let r: Vec<f64> = (0..n).map(|i| x[i][0] + 0.3 * e[i]).collect();
    let codes: Vec<usize> = r.iter().map(|&r| if r < -0.3 { 0 } else { 1 + usize::from(r >= 0.3) }).collect();
    let target = Target::Classes { codes: codes.clone(), names: vec!["a".into(), "b".into(), "c".into()] };
    let gram = square(&x, |a, b| rbf(1.0)(a, b));
    let estimator = Svc { class_weight: ClassWeight::Balanced, ..svc(2.0, 1e-9) };
    let fitted = fit(&estimator, &gram, &target, None).unwrap();
    // scikit-learn 1.9.1 SVC, class_weight="balanced" over all classes, tol=1e-10; its pairs count the first class as positive.
    assert_eq!(fitted.support().len(), 53);
    for (b, expected) in fitted.expansion.bias.iter().zip([0.24410173, 0.04880346, 0.22213237]) {
        close(-b, expected, 1e-6);
    }
    let p = on_training(&fitted, &gram);
    let expected = [[-2.18675091, -0.33036354, 0.83503442], [2.29262137, 1.49657534, 1.46545978], [-2.13421453, -0.07715826, 0.95776819]];
    let scores = p.scores.as_ref().unwrap();
    for (i, row) in expected.iter().enumerate() {
        for (o, s) in row.iter().enumerate() {
            close(-scores[(i, o)], *s, 1e-6);
        }
    }
    assert_eq!(classes(&p).iter().zip(&codes).filter(|(a, b)| a == b).count(), 77);
}

// spec: S29
#[test]
fn votes_that_go_round_are_settled_by_the_sum_of_scores_then_by_the_lower_code() {
    let rule = "Most votes win; of equal votes the greater sum of scores; of equal sums the class named first.";
    assert!(include_str!("../../../../docs/choosing-parameters.md").contains(rule));
    let (x, target) = (vec![0, 1, 2], Target::Classes { codes: vec![0, 1, 2], names: vec!["a".into(), "b".into(), "c".into()] });
    let gram = square(&x, |a, b| f64::from(u8::from(a == b)));
    let mut fitted = fit(&svc(1.0, 1e-3), &gram, &target, None).unwrap();
    let nothing = Dense::cross(Matrix::zeros(1, 3), vec![1.0], vec![1.0; 3]).unwrap();
    // Pairs (0,1), (0,2), (1,2): 1 beats 0, 0 beats 2, 2 beats 1.
    for (bias, winner) in [([0.5, -0.5, 0.5], 0), ([0.5, -0.5, 0.9], 2), ([0.9, -0.5, 0.5], 1), ([0.0, 0.0, 0.0], 0)] {
        fitted.expansion.bias = bias.to_vec();
        assert_eq!(classes(&fitted.predict(&Query::new(&nothing, everything(), &Control::default())).unwrap()), [winner], "{bias:?}");
    }
    // As in libsvm: of equal votes the first class, and a value of 0 is a vote for the second of its pair (1, 2 and 2).
    let mut fitted = fit(&Svc { ties: EqualVotes::First, ..svc(1.0, 1e-3) }, &gram, &target, None).unwrap();
    for (bias, winner) in [([0.5, -0.5, 0.9], 0), ([0.9, -0.5, 0.5], 0), ([0.0, 0.0, 0.0], 2)] {
        fitted.expansion.bias = bias.to_vec();
        assert_eq!(classes(&fitted.predict(&Query::new(&nothing, everything(), &Control::default())).unwrap()), [winner], "{bias:?}");
    }
}

#[test]
fn a_class_without_rows_is_never_predicted_and_one_class_alone_is_a_named_error() {
    let (x, gram, target) = made_task(0, 60, 2, 1.0);
    let names: Vec<String> = ["first", "absent", "second"].map(String::from).to_vec();
    let sparse = Target::Classes { codes: codes(&target).iter().map(|k| 2 * k).collect(), names: names.clone() };
    let fitted = fit(&svc(1.0, 1e-6), &gram, &sparse, None).unwrap();
    let plain = fit(&svc(1.0, 1e-6), &gram, &target, None).unwrap();
    let (a, b) = (on_training(&fitted, &gram), on_training(&plain, &gram));
    assert_eq!(a.scores, b.scores);
    assert!(classes(&a).iter().zip(classes(&b)).all(|(a, b)| *a == 2 * b));
    let one = Target::Classes { codes: vec![2; x.len()], names };
    let error = fit(&svc(1.0, 1e-3), &gram, &one, None).unwrap_err().to_string();
    assert!(error.contains("'second'") && error.contains("at least two classes"), "{error}");
}

#[test]
fn equal_and_contradictory_rows_give_an_answer() {
    let all_equal = square(&[1.0; 8], |a, b| a * b);
    let target = labels((0..8).map(|i| i < 3));
    let fitted = fit(&svc(2.0, 1e-6), &all_equal, &target, None).unwrap();
    // f is one number; the best is -1 (three rows lose 2 each): the objective is 3 * 2 * c.
    assert!(fitted.summary().converged);
    close(fitted.summary().objective.unwrap(), 12.0, 1e-4);
    assert_eq!(classes(&on_training(&fitted, &all_equal)), [0; 8]);
    // Every row twice, once with either label: nothing can be learnt, f = 0 everywhere is optimal.
    let x = points(40, 20, 2);
    let twice: Rows = x.iter().chain(&x).cloned().collect();
    let gram = square(&twice, |a, b| rbf(1.0)(a, b));
    let fitted = fit(&svc(3.0, 1e-6), &gram, &labels((0..40).map(|i| i < 20)), None).unwrap();
    assert!(fitted.summary().converged);
    close(fitted.summary().objective.unwrap(), 120.0, 1e-3);
}

#[test]
fn every_number_of_threads_gives_the_same_bits() {
    let (_, gram, target) = made_task(9, 400, 2, 4.0);
    let run = |threads| mercer::control::with_threads(threads, || fit(&svc(20.0, 1e-3), &gram, &target, None).unwrap()).unwrap();
    let one = run(1);
    assert_eq!(one, run(2));
    assert_eq!(one, run(5));
}

#[test]
fn a_cache_of_eight_rows_gives_the_same_bits() {
    // One block for each pair of classes, and one problem of many blocks.
    for (n, classes) in [(150, 4), (2300, 2)] {
        let (_, gram, target) = made_task(4, n, classes, 1.0);
        let fit = |cache_mb: f64| fit(&Svc { cache_mb: cache_mb.into(), ..svc(1.0, 1e-3) }, &gram, &target, None).unwrap();
        let fitted = fit(1e-6);
        assert!(fitted.summary().converged, "{:?}", fitted.summary());
        assert_eq!(fitted, fit(8000.0));
        assert_eq!(fitted, fit(9.2));
    }
}

// Solvers elsewhere lack a limit or do not keep it (libsvm #65, thundersvm #240).
#[test]
fn limits_give_the_best_point_with_its_gap_and_cancelling_gives_nothing() {
    let (_, gram, target) = made_task(9, 400, 2, 4.0);
    let few = Svc { max_iterations: 10.0.into(), ..svc(20.0, 1e-3) };
    let fitted = fit(&few, &gram, &target, None).unwrap();
    let s = fitted.summary();
    assert!(!s.converged && s.iterations == 10 && s.certificate.as_ref().unwrap().value > 1e-3);
    assert!(s.objective.unwrap() >= 2109.66);
    let run =
        |control: &Control| svc(20.0, 1e-3).fit(&Task { view: View::Values(&gram), target: &target, weights: None, control, seed: 1 });
    let late = run(&Control::default().with_seconds(0.0)).unwrap();
    assert!(!late.summary().converged && late.summary().iterations == 0);
    let cancel = CancelFlag::default();
    cancel.cancel();
    assert!(matches!(run(&Control { cancel, ..Control::default() }), Err(Error::Cancelled)));
}

#[test]
fn a_stored_classifier_predicts_the_same_bits_and_a_damaged_one_is_an_error() {
    let (_, gram, target) = made_task(0, 60, 2, 1.0);
    let fitted = fit(&svc(1.0, 1e-3), &gram, &target, None).unwrap();
    let (text, blocks) = mercer::blocks::collect(|| serde_json::to_string(&fitted).unwrap());
    let back: FittedSvc = mercer::blocks::supply(blocks, || serde_json::from_str(&text).unwrap());
    assert_eq!(back, fitted);
    assert_eq!(on_training(&back, &gram), on_training(&fitted, &gram));
    fn pairs(fitted: &mut FittedSvc) -> &mut ClassPairs {
        let SvcDecision::Pairs(pairs) = &mut fitted.decision else { panic!("pairs were fitted") };
        pairs
    }
    let damages: [fn(&mut FittedSvc); 3] = [|f| pairs(f).second[0] = 9, |f| pairs(f).first.clear(), |f| f.expansion.bias.clear()];
    for damage in damages {
        let mut broken = fitted.clone();
        damage(&mut broken);
        let g = Dense::cross(Matrix::zeros(2, broken.support().len()), vec![1.0; 2], vec![1.0; broken.support().len()]).unwrap();
        assert!(broken.predict(&Query::new(&g, everything(), &Control::default())).is_err());
    }
}

#[test]
fn a_kernel_value_that_is_not_a_number_is_a_named_error() {
    let (x, _, target) = made_task(0, 60, 2, 1.0);
    let gram = square(&x, |a, b| if a[0] < -0.5 && b[0] > 0.5 || a[0] > 0.5 && b[0] < -0.5 { f64::NAN } else { rbf(1.0)(a, b) });
    assert!(matches!(fit(&svc(1.0, 1e-3), &gram, &target, None), Err(Error::Numerical { .. })));
}
