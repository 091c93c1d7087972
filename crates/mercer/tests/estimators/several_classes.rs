//! The ways in which `svc` tells several classes apart: what each leaves, what they have in common, and what they refuse.

use crate::made;

use made::*;
use mercer::control::{CancelFlag, Control};
use mercer::data::{ColumnKind, Dataset, Target};
use mercer::error::Error;
use mercer::estimators::{
    Decoding, Estimator, EstimatorExpr, FitContext, Fitted, FittedModel, FittedSvc, Multiclass, OutputCode, Predictions, Query, Svc,
    SvcDecision, Task, View, Want,
};
use mercer::gram::Dense;
use mercer::kernels::KernelExpr;
use mercer::linalg::Matrix;
use mercer::testkit;

const ALL: [Multiclass; 6] =
    [Multiclass::Pairs, Multiclass::OneVsRest, Multiclass::WestonWatkins, Multiclass::CrammerSinger, Multiclass::Dag, Multiclass::Codes];
const JOINT: [Multiclass; 2] = [Multiclass::WestonWatkins, Multiclass::CrammerSinger];

fn svc(multiclass: Multiclass, c: f64, tolerance: f64) -> Svc {
    Svc { c: c.into(), tolerance: tolerance.into(), multiclass, ..Svc::default() }
}

fn named(codes: Vec<usize>, count: usize) -> Target {
    Target::Classes { codes, names: (0..count).map(|k| format!("class {k}")).collect() }
}

/// Classes of the plane by their angle, their borders blurred.
fn sectors(set: usize, n: usize, count: usize) -> (Rows, Target) {
    let (x, e) = (points(set, n, 2), errors(set, n));
    let turn = |i: usize| (x[i][1].atan2(x[i][0]) / std::f64::consts::TAU + 0.5 + 0.05 * e[i]).rem_euclid(1.0);
    let codes = (0..n).map(|i| ((turn(i) * count as f64) as usize).min(count - 1)).collect();
    (x, named(codes, count))
}

fn codes(target: &Target) -> &[usize] {
    target.as_classes("a test").unwrap().0
}

fn predicted(fitted: &FittedSvc, gram: &Dense, want: Want) -> Predictions {
    let (k, s) = (gram.matrix(), fitted.support());
    let values = Matrix::from_fn(k.rows(), s.len(), |i, j| k[(i, s[j])]);
    let cross = Dense::cross(values, k.diagonal(), s.iter().map(|&j| k[(j, j)]).collect()).unwrap();
    fitted.predict(&Query::new(&cross, want, &Control::default())).unwrap()
}

#[test]
fn every_way_learns_the_classes_and_says_how_good_its_solution_is() {
    let (x, target) = sectors(50, 120, 4);
    let gram = square(&x, |a, b| rbf(2.0)(a, b));
    for multiclass in ALL {
        let fitted = fit(&svc(multiclass, 10.0, 1e-3), &gram, &target, None).unwrap();
        let (summary, found) = (fitted.summary(), on_training(&fitted, &gram));
        assert!(summary.converged && summary.certificate.as_ref().unwrap().is_met(), "{multiclass:?}: {summary:?}");
        let correct = classes(&found).iter().zip(codes(&target)).filter(|(a, b)| a == b).count();
        assert!(correct >= 108, "{multiclass:?}: {correct} of 120");
        let columns = if matches!(multiclass, Multiclass::Pairs | Multiclass::Dag) { 6 } else { 4 };
        assert_eq!((found.scores.as_ref().unwrap().cols(), found.pairs.len()), (columns, if columns == 6 { 6 } else { 0 }));
        // Classes alone are those that come with decision values.
        assert_eq!(classes(&predicted(&fitted, &gram, Want::default())), classes(&found), "{multiclass:?}");
    }
}

// Each machine is the one of two classes, its own and the rest, which LIBSVM and `svc` solve alike.
#[test]
fn a_machine_of_one_against_the_rest_is_that_of_two_classes() {
    let (x, target) = sectors(51, 60, 3);
    let gram = square(&x, |a, b| rbf(1.0)(a, b));
    let fitted = fit(&svc(Multiclass::OneVsRest, 3.0, 1e-8), &gram, &target, None).unwrap();
    let scores = on_training(&fitted, &gram).scores.unwrap();
    let mut objective = 0.0;
    for class in 0..3 {
        let alone = labels(codes(&target).iter().map(|k| *k == class));
        let machine = fit(&svc(Multiclass::Pairs, 3.0, 1e-8), &gram, &alone, None).unwrap();
        let values = on_training(&machine, &gram).scores.unwrap();
        (0..60).for_each(|i| close(scores[(i, class)], values[(i, 0)], 1e-5));
        objective += machine.summary().objective.unwrap();
    }
    close(fitted.summary().objective.unwrap() / objective, 1.0, 1e-7);
}

// spec: S32
#[test]
fn the_identity_code_is_one_against_the_rest() {
    for (set, count) in [(52, 3), (53, 5)] {
        let (x, target) = sectors(set, 80, count);
        let gram = square(&x, |a, b| rbf(1.0)(a, b));
        let rest = fit(&svc(Multiclass::OneVsRest, 5.0, 1e-3), &gram, &target, None).unwrap();
        let coded = Svc { code: OutputCode::Identity, ..svc(Multiclass::Codes, 5.0, 1e-3) };
        let coded = fit(&coded, &gram, &target, None).unwrap();
        assert_eq!(coded.expansion, rest.expansion);
        assert_eq!(classes(&on_training(&coded, &gram)), classes(&on_training(&rest, &gram)));
    }
}

// Dietterich and Bakiri (1995): the exhaustive code of three classes has the machines {1 | 2 3}, {1 3 | 2}, {1 2 | 3}.
#[test]
fn decoding_takes_the_word_that_agrees_best_with_the_machines() {
    let (x, target) = sectors(54, 60, 3);
    let gram = square(&x, |a, b| rbf(1.0)(a, b));
    for decoding in [Decoding::Loss, Decoding::Hamming] {
        let fitted = fit(&Svc { decoding, ..svc(Multiclass::Codes, 5.0, 1e-3) }, &gram, &target, None).unwrap();
        let SvcDecision::Codes(coded) = &fitted.decision else { panic!("codes were fitted") };
        let words: Vec<&[f64]> = (0..3).map(|c| coded.code.row(c)).collect();
        assert_eq!(words, [[1.0, 1.0, 1.0], [-1.0, -1.0, 1.0], [-1.0, 1.0, -1.0]]);
        let machines = fitted.expansion.predict(&gram_of_support(&fitted, &gram), &Control::default()).unwrap();
        let found = on_training(&fitted, &gram);
        for i in 0..60 {
            let cost = |c: usize| -> f64 {
                let of = |l: usize| {
                    let agreement = words[c][l] * machines[(i, l)];
                    if decoding == Decoding::Loss { (1.0 - agreement).max(0.0) } else { f64::from(u8::from(agreement <= 0.0)) }
                };
                (0..3).map(of).sum()
            };
            let best = (0..3).fold(0, |best, c| if cost(c) < cost(best) { c } else { best });
            assert_eq!(classes(&found)[i], best);
            (0..3).for_each(|c| close(found.scores.as_ref().unwrap()[(i, c)], -cost(c), 1e-12));
        }
    }
}

fn gram_of_support(fitted: &FittedSvc, gram: &Dense) -> Dense {
    let (k, s) = (gram.matrix(), fitted.support());
    let values = Matrix::from_fn(k.rows(), s.len(), |i, j| k[(i, s[j])]);
    Dense::cross(values, k.diagonal(), s.iter().map(|&j| k[(j, j)]).collect()).unwrap()
}

// spec: S30
#[test]
fn a_decision_graph_asks_for_the_kernel_values_of_one_machine_fewer_than_there_are_classes() {
    let (x, target) = sectors(55, 150, 5);
    let gram = square(&x, |a, b| rbf(2.0)(a, b));
    let graph = fit(&svc(Multiclass::Dag, 5.0, 1e-3), &gram, &target, None).unwrap();
    let votes = fit(&svc(Multiclass::Pairs, 5.0, 1e-3), &gram, &target, None).unwrap();
    assert_eq!(graph.expansion, votes.expansion, "the machines are the same");
    let SvcDecision::Dag(pairs) = &graph.decision else { panic!("a graph was fitted") };
    let scores = on_training(&graph, &gram).scores.unwrap();
    let pair = |a: usize, b: usize| (0..pairs.first.len()).find(|&o| (pairs.first[o], pairs.second[o]) == (a, b)).unwrap();
    // Rows of the support that a machine has coefficients of.
    let layout = graph.expansion.pairs.as_ref().unwrap();
    let size = |a: usize, b: usize| {
        let of = |s: usize| match layout.class[s] {
            class if class == a => graph.expansion.coef[(s, b - 1)] != 0.0,
            class if class == b => graph.expansion.coef[(s, a)] != 0.0,
            _ => false,
        };
        (0..layout.class.len()).filter(|&s| of(s)).count()
    };
    let (mut expected, mut values) = (Vec::new(), 0);
    for i in 0..150 {
        let (mut low, mut high, mut machines) = (0, 4, 0);
        while low < high {
            (values, machines) = (values + size(low, high), machines + 1);
            if scores[(i, pair(low, high))] > 0.0 { low += 1 } else { high -= 1 }
        }
        assert_eq!(machines, 4);
        expected.push(low);
    }
    let cross = gram_of_support(&graph, &gram);
    let counted = Counted::of(&cross);
    let found = graph.predict(&Query::new(&counted, Want::default(), &Control::default())).unwrap();
    assert_eq!(classes(&found), expected);
    assert_eq!(classes(&on_training(&graph, &gram)), expected);
    // Those of the machines that are met; values between two rows of a support may be computed with them, and never as many as of all machines.
    assert!((values..150 * graph.support().len()).contains(&counted.asked()), "{} {values}", counted.asked());
}

// spec: S31
#[test]
fn joint_machines_of_two_classes_are_that_of_pairs_at_twice_the_c() {
    for (set, c) in [(56, 0.5), (57, 20.0)] {
        let (x, target) = sectors(set, 70, 2);
        let gram = square(&x, |a, b| rbf(1.0)(a, b));
        let weights: Vec<f64> = (0..70).map(|i| [1.0, 2.0, 0.5][i % 3]).collect();
        for weights in [None, Some(&weights[..])] {
            let pairs = fit(&svc(Multiclass::Pairs, 2.0 * c, 1e-8), &gram, &target, weights).unwrap();
            let expected = on_training(&pairs, &gram).scores.unwrap();
            for multiclass in JOINT {
                let fitted = fit(&svc(multiclass, c, 1e-7), &gram, &target, weights).unwrap();
                assert!(fitted.summary().converged, "{:?}", fitted.summary());
                close(2.0 * fitted.summary().objective.unwrap() / pairs.summary().objective.unwrap(), 1.0, 1e-6);
                let found = on_training(&fitted, &gram);
                (0..70).for_each(|i| close(found.scores.as_ref().unwrap()[(i, 0)], expected[(i, 0)], 1e-2));
                assert_eq!(classes(&found), classes(&on_training(&pairs, &gram)));
            }
        }
    }
}

#[test]
fn two_classes_take_one_machine_whichever_way_more_would_be_told_apart() {
    let (x, target) = sectors(58, 60, 2);
    let gram = square(&x, |a, b| rbf(1.0)(a, b));
    let pairs = fit(&svc(Multiclass::Pairs, 2.0, 1e-3), &gram, &target, None).unwrap();
    for multiclass in [Multiclass::OneVsRest, Multiclass::Dag, Multiclass::Codes] {
        let fitted = fit(&svc(multiclass, 2.0, 1e-3), &gram, &target, None).unwrap();
        assert_eq!(fitted.expansion, pairs.expansion);
        assert_eq!(on_training(&fitted, &gram), on_training(&pairs, &gram), "{multiclass:?}");
    }
}

#[test]
fn a_class_without_rows_is_never_predicted_and_one_class_alone_is_a_named_error() {
    let (x, target) = sectors(59, 60, 3);
    let gram = square(&x, |a, b| rbf(1.0)(a, b));
    let sparse = named(codes(&target).iter().map(|k| 2 * k).collect(), 5);
    for multiclass in ALL {
        let svc = svc(multiclass, 2.0, 1e-4);
        let (fitted, plain) = (fit(&svc, &gram, &sparse, None).unwrap(), fit(&svc, &gram, &target, None).unwrap());
        assert_eq!(fitted.expansion, plain.expansion);
        let (a, b) = (on_training(&fitted, &gram), on_training(&plain, &gram));
        assert!(classes(&a).iter().zip(classes(&b)).all(|(a, b)| *a == 2 * b), "{multiclass:?}");
        let error = fit(&svc, &gram, &named(vec![2; 60], 3), None).unwrap_err().to_string();
        assert!(error.contains("'class 2'") && error.contains("at least two classes"), "{error}");
    }
}

#[test]
fn weight_two_is_a_row_twice_and_class_weights_are_weights_of_rows() {
    let (x, target) = sectors(60, 50, 3);
    let twice: Rows = x.iter().chain(&x[..20]).cloned().collect();
    let of_twice = named(codes(&target).iter().chain(&codes(&target)[..20]).copied().collect(), 3);
    let weights: Vec<f64> = (0..50).map(|i| if i < 20 { 2.0 } else { 1.0 }).collect();
    for multiclass in ALL {
        let svc = svc(multiclass, 2.0, 1e-7);
        let gram = square(&x, |a, b| rbf(1.0)(a, b));
        let weighted = fit(&svc, &gram, &target, Some(&weights)).unwrap();
        let repeated = fit(&svc, &square(&twice, |a, b| rbf(1.0)(a, b)), &of_twice, None).unwrap();
        close(weighted.summary().objective.unwrap() / repeated.summary().objective.unwrap(), 1.0, 1e-5);
        let balanced = fit(&Svc { class_weight: mercer::estimators::ClassWeight::Balanced, ..svc.clone() }, &gram, &target, None).unwrap();
        let count = |k: usize| codes(&target).iter().filter(|code| **code == k).count() as f64;
        let factors: Vec<f64> = codes(&target).iter().map(|&k| 50.0 / (3.0 * count(k))).collect();
        let by_rows = fit(&svc, &gram, &target, Some(&factors)).unwrap();
        close(balanced.summary().objective.unwrap() / by_rows.summary().objective.unwrap(), 1.0, 1e-6);
    }
}

#[test]
fn a_fit_that_starts_from_one_at_another_c_has_the_same_objective() {
    let (x, target) = sectors(61, 80, 4);
    let gram = square(&x, |a, b| rbf(1.0)(a, b));
    let control = Control::default();
    let task = Task { view: View::Values(&gram), target: &target, weights: None, control: &control, seed: 1 };
    for multiclass in ALL {
        let earlier = svc(multiclass, 1.0, 1e-5).fit(&task).unwrap();
        for c in [0.5, 3.0] {
            let cold = svc(multiclass, c, 1e-5).fit(&task).unwrap();
            let warm = svc(multiclass, c, 1e-5).fit_with(&task, &FitContext::from_earlier(&earlier)).unwrap().fitted;
            assert!(warm.summary().converged, "{multiclass:?}");
            close(warm.summary().objective.unwrap() / cold.summary().objective.unwrap(), 1.0, 3e-5);
        }
    }
}

#[test]
fn probabilities_are_calibrated_whichever_way_classes_are_told_apart() {
    let (x, target) = sectors(62, 90, 3);
    let gram = square(&x, |a, b| rbf(1.0)(a, b));
    let control = Control::default();
    let task = Task { view: View::Values(&gram), target: &target, weights: None, control: &control, seed: 1 };
    for multiclass in ALL {
        let estimator = EstimatorExpr::Svc(Svc { probabilities: true, ..svc(multiclass, 2.0, 1e-3) });
        let fitted: FittedModel = estimator.fit(&task).unwrap();
        let found = on_training(&fitted, &gram);
        let p = found.probabilities.as_ref().unwrap();
        for i in 0..90 {
            close(p.row(i).iter().sum(), 1.0, 1e-9);
            let best = (0..3).fold(0, |best, k| if p[(i, k)] > p[(i, best)] { k } else { best });
            assert_eq!(classes(&found)[i], best, "{multiclass:?}");
        }
    }
}

#[test]
fn stored_machines_predict_the_same_bits_and_damaged_ones_are_an_error() {
    let (x, target) = sectors(63, 60, 4);
    let gram = square(&x, |a, b| rbf(1.0)(a, b));
    for multiclass in ALL {
        let fitted = fit(&svc(multiclass, 1.0, 1e-3), &gram, &target, None).unwrap();
        let (text, blocks) = mercer::blocks::collect(|| serde_json::to_string(&fitted).unwrap());
        let back: FittedSvc = mercer::blocks::supply(blocks, || serde_json::from_str(&text).unwrap());
        assert_eq!(back, fitted);
        assert_eq!(on_training(&back, &gram), on_training(&fitted, &gram));
        let mut broken = fitted.clone();
        broken.expansion.bias.pop();
        let cross = gram_of_support(&fitted, &gram);
        for want in [Want::default(), everything()] {
            assert!(broken.predict(&Query::new(&cross, want, &Control::default())).is_err(), "{multiclass:?}");
        }
    }
}

#[test]
fn expressions_name_the_way_and_the_exhaustive_code_of_many_classes_is_refused() {
    for word in ["pairs", "one_vs_rest", "weston_watkins", "crammer_singer", "dag", "codes"] {
        let text = format!("svc(multiclass={word})");
        let shown = EstimatorExpr::parse(&text).unwrap().to_string();
        assert_eq!(shown, if word == "pairs" { "svc".to_owned() } else { text });
    }
    let (x, target) = sectors(64, 90, 9);
    let gram = square(&x, |a, b| rbf(1.0)(a, b));
    let coded = |code| fit(&Svc { code, ..svc(Multiclass::Codes, 1.0, 1e-3) }, &gram, &target, None);
    let error = coded(OutputCode::Exhaustive).unwrap_err().to_string();
    assert!(error.contains("code=random"), "{error}");
    assert!(coded(OutputCode::Auto).is_ok());
}

#[test]
fn limits_give_the_best_machines_with_their_gap_and_cancelling_gives_nothing() {
    let (x, target) = sectors(65, 150, 4);
    let gram = square(&x, |a, b| rbf(4.0)(a, b));
    let run = |svc: &Svc, control: &Control| svc.fit(&Task { view: View::Values(&gram), target: &target, weights: None, control, seed: 1 });
    for multiclass in ALL {
        let machines = svc(multiclass, 50.0, 1e-3);
        let few = run(&Svc { max_iterations: 5.0.into(), ..machines.clone() }, &Control::default()).unwrap();
        let late = run(&machines, &Control::default().with_seconds(0.0)).unwrap();
        for stopped in [&few, &late] {
            let summary = stopped.summary();
            assert!(!summary.converged && summary.certificate.as_ref().unwrap().value > 1e-3, "{multiclass:?}: {summary:?}");
            assert!(summary.notes.iter().any(|note| note.contains("stopped before")), "{multiclass:?}: {summary:?}");
            assert_eq!(classes(&on_training(stopped, &gram)).len(), 150);
        }
        let cancel = CancelFlag::default();
        cancel.cancel();
        assert!(matches!(run(&machines, &Control { cancel, ..Control::default() }), Err(Error::Cancelled)), "{multiclass:?}");
    }
}

#[test]
fn every_way_passes_the_conformance_kit() {
    let data = testkit::table(26, 17);
    let kinds = [ColumnKind::Number, ColumnKind::Category, ColumnKind::Sequence, ColumnKind::Text, ColumnKind::Points];
    let data = Dataset::new(data.columns().iter().filter(|c| kinds.contains(&c.values.kind())).cloned().collect()).unwrap();
    let kernel = KernelExpr::parse("0.7*rbf(length_scale=1.3) + 0.4*matern(nu=1.5, length_scale=0.8)*equal").unwrap();
    let faults: Vec<String> = ["one_vs_rest", "weston_watkins", "crammer_singer", "dag", "codes"]
        .into_iter()
        .filter_map(|way| {
            let estimator = EstimatorExpr::parse(&format!("svc(multiclass={way})")).unwrap();
            Some(format!("{way}: {}", testkit::check_estimator_expr(&estimator, &kernel, &data).err()?))
        })
        .collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
