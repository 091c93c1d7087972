//! What holds at the optimum of a support vector machine, row by row, whatever the problem.

use crate::made;

use made::*;
use mercer::control::Control;
use mercer::data::{Dataset, Points, Target};
use mercer::estimators::{EstimatorExpr, Expansion, ExpansionFit, Fitted, Query, Svc, Svr};
use mercer::gram::{self, Dense};
use mercer::kernels::KernelExpr;
use mercer::learner::{Learner, Model};
use mercer::linalg::Matrix;
use mercer::read::TargetInfo;
use mercer::report;
use proptest::prelude::*;

fn svc(c: f64, tolerance: f64) -> Svc {
    Svc { c: c.into(), tolerance: tolerance.into(), ..Svc::default() }
}

fn svr(c: f64, epsilon: f64, tolerance: f64) -> Svr {
    Svr { c: c.into(), epsilon: epsilon.into(), standardise_target: false, tolerance: tolerance.into(), ..Svr::default() }
}

/// The coefficient of every training row.
fn coefficients(expansion: &Expansion, n: usize) -> Vec<f64> {
    let mut all = vec![0.0; n];
    for (s, &r) in expansion.support.iter().enumerate() {
        all[r] = expansion.coef[(s, 0)];
    }
    all
}

/// b'Kb, the squared norm of w.
fn norm(b: &[f64], k: &Matrix) -> f64 {
    (0..b.len()).map(|i| b[i] * dot(k.row(i), b)).sum()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    // The slacks of the fit are all in its objective: c sum xi = objective - |w|^2 / 2.
    // spec: S25, E3-14
    #[test]
    fn slacks_of_a_classifier_are_its_misses_and_their_sum_is_no_less_than_its_errors(
        set in 0usize..5000, n in 4usize..40, d in 1usize..4, c in -2.0..3.0f64, gamma in -1.0..1.0f64, spread in 0.0..1.5f64,
    ) {
        let (x, e, c, gamma) = (points(set, n, d), errors(set, n), 10f64.powf(c), 10f64.powf(gamma));
        let truth: Vec<bool> = (0..n).map(|i| x[i][0] + spread * e[i] > 0.0).collect();
        prop_assume!(truth.iter().any(|t| *t) && truth.iter().any(|t| !*t));
        let gram = square(&x, |a, b| rbf(gamma)(a, b));
        let fitted = fit(&svc(c, 1e-7), &gram, &labels(truth.iter().copied()), None).unwrap();
        prop_assert!(fitted.summary().converged, "{:?}", fitted.summary());
        let b = coefficients(&fitted.expansion, n);
        let objective = fitted.summary().objective.unwrap();
        let slack = (objective - 0.5 * norm(&b, gram.matrix())) / c;
        let predicted = on_training(&fitted, &gram);
        let (found, scores) = (classes(&predicted), predicted.scores.as_ref().unwrap());
        let (mut misses, mut wrong) = (0.0, 0);
        for i in 0..n {
            let (t, right) = (if truth[i] { 1.0 } else { -1.0 }, found[i] == usize::from(truth[i]));
            // |t - y| inside the margin, nothing outside.
            let xi = if t * scores[(i, 0)] < 1.0 { (t - scores[(i, 0)]).abs() } else { 0.0 };
            prop_assert!(if xi < 1.0 { right } else { !right || xi == 1.0 }, "row {}: slack {} and right is {}", i, xi, right);
            // (c - a) xi = 0: who has slack is at the bound.
            prop_assert!(t * b[i] == c || xi <= 2e-7, "row {}: slack {} with the coefficient {} of {}", i, xi, b[i], c);
            misses += xi;
            wrong += usize::from(!right);
        }
        prop_assert!((slack - misses).abs() <= 1e-9 * (objective / c), "{} and {}", slack, misses);
        prop_assert!(slack >= wrong as f64 - 1e-9 * (objective / c), "{} with {} errors", slack, wrong);
    }

    // spec: S05, S06, E3-26, E4-09, E4-14
    #[test]
    fn slacks_of_a_regression_lie_on_the_side_of_their_coefficient(
        set in 0usize..5000, n in 3usize..40, c in -2.0..2.0f64, epsilon in prop_oneof![Just(0.0), 0.01..0.6f64], gamma in -1.0..1.0f64,
    ) {
        let (x, e, c, gamma) = (points(set, n, 2), errors(set, n), 10f64.powf(c), 10f64.powf(gamma));
        let t: Vec<f64> = (0..n).map(|i| (3.0 * x[i][0]).sin() + 0.5 * e[i]).collect();
        let gram = square(&x, |a, b| rbf(gamma)(a, b));
        let fitted = fit(&svr(c, epsilon, 1e-7), &gram, &Target::numbers(&t), None).unwrap();
        prop_assert!(fitted.summary().converged, "{:?}", fitted.summary());
        let (b, predicted) = (coefficients(&fitted.expansion, n), on_training(&fitted, &gram));
        prop_assert!(b.iter().sum::<f64>().abs() <= 1e-10 * c);
        let (f, mut slack) = (numbers(&predicted), 0.0);
        for i in 0..n {
            let (above, below) = ((t[i] - f[(i, 0)] - epsilon).max(0.0), (f[(i, 0)] - t[i] - epsilon).max(0.0));
            prop_assert!(above * below == 0.0);
            // A row above the upper boundary pulls up with all it has, one below the lower boundary pulls down.
            prop_assert!(above <= 2e-7 || b[i] == c, "row {}: {} above with {} of {}", i, above, b[i], c);
            prop_assert!(below <= 2e-7 || b[i] == -c, "row {}: {} below with {} of {}", i, below, b[i], c);
            // A row that lies between its bounds lies on the boundary of its side.
            if b[i] != 0.0 && b[i].abs() < c {
                prop_assert!(((t[i] - f[(i, 0)]) * b[i].signum() - epsilon).abs() <= 2e-7, "row {}", i);
            }
            slack += above + below;
        }
        let objective = fitted.summary().objective.unwrap();
        prop_assert!((c * slack + 0.5 * norm(&b, gram.matrix()) - objective).abs() <= 1e-9 * objective.max(c), "{} and {}", slack, objective);
    }
}

// spec: S23
#[test]
fn with_every_row_at_its_bound_the_offset_is_the_middle_of_what_the_rows_allow() {
    // f = w x + b, w = sum a t x. Rows of 'yes' allow b <= 1 - w x, the row of 'no' allows b >= -1 - w x.
    let cases: [(&[f64], &[f64], f64); 3] =
        // w = .01 (3 + 1): b from -1 + .04 to 1 - .12.
        [(&[-1.0, 3.0], &[1.0, 1.0], -0.04),
        // The row of 'no' counts twice: w = .01 (3 + 5) + .02: b from -1 + .1 to 1 - .5.
        (&[-1.0, 3.0, 5.0], &[2.0, 1.0, 1.0], -0.2),
        // w = .02 (-2) + .01 (9 + 1): b from -1 - .06 (-2 of -2 w) to 1 - .54.
        (&[2.0, 9.0, 1.0], &[2.0, 1.0, 1.0], (-1.0 - 0.12 + 1.0 - 0.54) / 2.0)];
    for (x, weights, middle) in cases {
        let gram = square(x, |a, b| a * b);
        let target = labels((0..x.len()).map(|i| i > 0));
        let fitted = fit(&svc(0.01, 1e-6), &gram, &target, Some(weights)).unwrap();
        for (b, (i, w)) in coefficients(&fitted.expansion, x.len()).iter().zip(weights.iter().enumerate()) {
            close(*b, if i == 0 { -0.01 * w } else { 0.01 * w }, 0.0);
        }
        close(fitted.expansion.bias[0], middle, 1e-12);
        assert!(fitted.summary().notes.iter().any(|n| n.contains("no row lies on the margin")), "{:?}", fitted.summary().notes);
    }
}

fn table(x: &Rows) -> Dataset {
    Dataset::from_points(Points::dense(x.len(), x[0].len(), x.concat()).unwrap())
}

fn classifier(x: &Rows, truth: &[bool], kernel: &str, estimator: &str) -> Model {
    let mut learner = Learner::new(EstimatorExpr::parse(estimator).unwrap());
    learner.kernel = Some(KernelExpr::parse(kernel).unwrap());
    learner.prep.standardise = false;
    let info = TargetInfo { names: vec!["t".into()], classes: Some(vec!["no".into(), "yes".into()]), labels: Default::default() };
    learner.fit(&table(x), &labels(truth.iter().copied()), &info, None, &Control::default()).unwrap()
}

// spec: S21
#[test]
fn the_report_counts_rows_on_the_margin_and_beyond_it() {
    for (set, n, c) in [(80, 120, 1.0), (81, 90, 30.0), (82, 60, 0.05)] {
        let (x, e) = (points(set, n, 2), errors(set, n));
        let truth: Vec<bool> = (0..n).map(|i| x[i][0] * x[i][1] + 0.3 * e[i] > 0.0).collect();
        let model = classifier(&x, &truth, "rbf(gamma=1)", &format!("svc(c={c}, tolerance=1e-8)"));
        let b = coefficients(model.fitted.expansion().unwrap(), n);
        let predictions = model.predict(&table(&x), everything(), &Control::default()).unwrap();
        let scores = predictions.scores.unwrap();
        // Classified by the rows' own margins, not by their coefficients.
        let margins: Vec<f64> = (0..n).map(|i| if truth[i] { scores[(i, 0)] } else { -scores[(i, 0)] }).collect();
        let on = margins.iter().filter(|m| (**m - 1.0).abs() <= 1e-6).count();
        let beyond = margins.iter().filter(|m| **m < 1.0 - 1e-6).count();
        assert_eq!(on + beyond + b.iter().filter(|b| **b == 0.0).count(), n, "set {set}");
        assert!(set == 82 || on > 0 && beyond > 0);
        let text = report::model_text(&model, 100).split_whitespace().collect::<Vec<_>>().join(" ");
        let said = format!("{on} coefficients lie between their bounds (rows on the margin), {beyond} at their bound (rows beyond it)");
        assert!(text.contains(&said), "set {set}: {said}\n{text}");
    }
}

// spec: S20, E4-07
#[test]
fn rows_outside_of_the_support_are_not_kept_and_change_no_bit_of_a_prediction() {
    let (n, set) = (150, 4);
    let (x, e) = (points(set, n, 4), errors(set, n));
    let truth: Vec<bool> = (0..n).map(|i| x[i][0] * x[i][0] + x[i][1] - 0.3 + 0.5 * e[i] > 0.0).collect();
    let (data, new) = (table(&x), table(&points(77, 50, 4)));
    let model = classifier(&x, &truth, "rbf(gamma=1)", "svc(c=1)");
    let expansion = model.fitted.expansion().unwrap();
    assert!(expansion.support.len() < 100);
    // a_n != 0 for every row that is kept, of either sign.
    assert!(expansion.coef.data().iter().all(|a| *a != 0.0) && expansion.coef.data().iter().any(|a| *a < 0.0));
    let found = model.predict(&new, everything(), &Control::default()).unwrap();
    // From the rows of the support and nothing else, to the bit.
    let support = data.select(&expansion.support);
    assert_eq!(*model.support, support);
    let against = |rows| model.kernel.reference(rows, &Control::default()).unwrap().cross(&new, &Control::default()).unwrap();
    let alone = against(&support);
    assert_eq!(model.fitted.predict(&Query::new(alone.as_ref(), everything(), &Control::default())).unwrap(), found);
    // The sum over all training rows, zeros included, is the same but for the order of its terms.
    let all = gram::dense(against(&data).as_ref(), &Control::default()).unwrap();
    let b = coefficients(expansion, n);
    assert!(b.iter().filter(|b| **b == 0.0).count() > 50);
    for i in 0..50 {
        let f = dot(all.row(i), &b) + expansion.bias[0];
        close(found.scores.as_ref().unwrap()[(i, 0)], f, 1e-13);
        assert_eq!(classes(&found)[i], usize::from(f > 0.0));
    }
}

// spec: S17
#[test]
fn the_score_over_the_norm_of_w_is_the_signed_distance_from_the_plane() {
    let (n, set) = (60, 31);
    let (x, e) = (points(set, n, 3), errors(set, n));
    let target = labels((0..n).map(|i| x[i][0] - 0.5 * x[i][2] + 0.3 * e[i] > 0.1));
    let linear = |a: &Vec<f64>, b: &Vec<f64>| dot(a, b);
    let fitted = fit(&svc(2.0, 1e-9), &square(&x, linear), &target, None).unwrap();
    let score = |fitted: &mercer::estimators::FittedSvc, new: &Rows| {
        fitted
            .predict(&Query::new(&cross(new, &x, fitted.support(), linear), everything(), &Control::default()))
            .unwrap()
            .scores
            .unwrap()
            .into_data()
    };
    let b = coefficients(&fitted.expansion, n);
    let w: Vec<f64> = (0..3).map(|j| (0..n).map(|i| b[i] * x[i][j]).sum()).collect();
    let length = dot(&w, &w).sqrt();
    let new = points(set + 1, 40, 3);
    let r: Vec<f64> = score(&fitted, &new).iter().map(|f| f / length).collect();
    // x_perp = x - r w / |w| lies on the plane, and no step along the plane comes nearer to x.
    let feet: Rows = new.iter().zip(&r).map(|(x, r)| (0..3).map(|j| x[j] - r * w[j] / length).collect()).collect();
    score(&fitted, &feet).iter().for_each(|f| close(*f, 0.0, 1e-13));
    let along = [[w[1], -w[0], 0.0], [0.0, w[2], -w[1]]];
    for (i, foot) in feet.iter().enumerate() {
        for step in along {
            let beside: Vec<f64> = (0..3).map(|j| foot[j] + 0.1 * step[j]).collect();
            close(score(&fitted, &vec![beside.clone()])[0], 0.0, 1e-13);
            let distance = (0..3).map(|j| (new[i][j] - beside[j]).powi(2)).sum::<f64>().sqrt();
            assert!(distance > r[i].abs());
        }
    }
    // Rows on the margin lie 1/|w| away.
    let free: Vec<usize> = (0..n).filter(|&i| b[i] != 0.0 && b[i].abs() < 2.0).collect();
    assert!(!free.is_empty());
    for i in free {
        close(score(&fitted, &vec![x[i].clone()])[0].abs() / length, 1.0 / length, 1e-7);
    }
    // (w, b) times any number is the same plane, with the same distances and classes.
    let mut scaled = fitted.clone();
    scaled.expansion.coef.data_mut().iter_mut().for_each(|a| *a *= 7.5);
    scaled.expansion.bias[0] *= 7.5;
    score(&scaled, &new).iter().zip(&r).for_each(|(f, r)| close(f / (7.5 * length), *r, 1e-13));
    let of = |fitted: &mercer::estimators::FittedSvc| {
        classes(&fitted.predict(&Query::new(&cross(&new, &x, fitted.support(), linear), everything(), &Control::default())).unwrap())
            .to_vec()
    };
    assert_eq!(of(&scaled), of(&fitted));
}

/// sum of losses + lambda |w|^2, as (14.45) has it, at a fit.
fn risk(fitted: &ExpansionFit, gram: &Dense, t: &[f64], epsilon: f64, lambda: f64) -> f64 {
    let f = on_training(fitted, gram);
    let loss: f64 = t.iter().zip(numbers(&f).data()).map(|(t, f)| ((t - f).abs() - epsilon).max(0.0)).sum();
    loss + lambda * norm(&coefficients(&fitted.expansion, t.len()), gram.matrix())
}

// spec: S01, E3-12
#[test]
fn the_penalty_of_the_risk_is_half_of_one_over_c() {
    let (x, e) = (points(60, 50, 1), errors(60, 50));
    let t: Vec<f64> = (0..50).map(|i| (3.0 * x[i][0]).sin() + 0.4 * e[i]).collect();
    let gram = square(&x, |a, b| rbf(2.0)(a, b));
    let epsilon = 0.1;
    for lambda in [0.05, 0.5, 3.0] {
        let at = |c: f64| fit(&svr(c, epsilon, 1e-9), &gram, &Target::numbers(&t), None).unwrap();
        let c = 1.0 / (2.0 * lambda);
        let best = at(c);
        let least = risk(&best, &gram, &t, epsilon, lambda);
        // J = (c sum of losses + |w|^2 / 2) / c, and the objective is no other.
        close(least, best.summary().objective.unwrap() / c, 1e-8 * least);
        for other in [0.8 * c, 1.25 * c, 2.0 * c] {
            assert!(risk(&at(other), &gram, &t, epsilon, lambda) > least * (1.0 + 1e-6), "lambda {lambda}: {other} beside {c}");
        }
    }
    // The one convention of the documents: with lambda / 2 the penalty is 1/c.
    let page = include_str!("../../../../docs/decisions/kernel-language.md");
    assert!(page.contains("sum of losses + (lambda/2) norm^2") && page.contains("c = 1/lambda"));
}

// spec: S03, E3-26
#[test]
fn the_loss_is_nothing_within_epsilon_and_has_slope_one_beyond() {
    // With a kernel of zeros f is a constant, and by symmetry the two rows cost as much as at 0.
    let nothing = Dense::square(Matrix::zeros(2, 2)).unwrap();
    let (epsilon, c) = (0.25, 3.0);
    let loss = |error: f64| {
        let fitted = fit(&svr(c, epsilon, 1e-9), &nothing, &Target::numbers(&[error, -error]), None).unwrap();
        fitted.summary().objective.unwrap() / (2.0 * c)
    };
    for inside in [0.0, 0.1, 0.2499, 0.25] {
        close(loss(inside), 0.0, 1e-15);
    }
    for beyond in [1e-9, 1e-3, 0.5, 40.0] {
        close(loss(epsilon + beyond), beyond, 1e-14 * (1.0 + beyond));
    }
}
