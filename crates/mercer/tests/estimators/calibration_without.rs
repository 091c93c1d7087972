//! Class probabilities where held-out scores tell nothing, a fold lacks a class, or the kernel has learnt from the rows held out.

use crate::calibration::{SEED, parsed, seeded};
use crate::made;

use made::*;
use mercer::control::Control;
use mercer::data::{Split, Target};
use mercer::estimators::{FitContext, Fitted, HoldOut, View};
use mercer::estimators::{Query, Task};
use mercer::kernels::KernelExpr;
use mercer::learner::Learner;

// The constant shares are a member of every family of maps, so that no fit need be worse than they on its own held-out rows.
#[test]
fn scores_that_tell_nothing_leave_the_shares_of_the_classes() {
    let n = 120;
    for (shares, draws) in [(&[0.95, 0.05][..], 4), (&[0.7, 0.3], 4), (&[0.7, 0.2, 0.1], 4)] {
        let class = |i: usize| {
            shares
                .iter()
                .scan(0.0, |sum, s| {
                    *sum += s;
                    Some(*sum)
                })
                .position(|end| (i as f64 + 0.5) < end * n as f64)
        };
        let codes: Vec<usize> = (0..n).map(|i| class(i).unwrap()).collect();
        let names: Vec<String> = (0..shares.len()).map(|k| k.to_string()).collect();
        let target = Target::Classes { codes: codes.clone(), names };
        let uncertainty: f64 = shares.iter().map(|s: &f64| -s * s.ln()).sum();
        for text in [
            "svc(c=1, probabilities=true)",
            "ridge(lambda=0.5, probabilities=true)",
            "perceptron(rate=1, probabilities=true)",
            "knn(k=7)",
            "nadaraya_watson",
            "discriminant(lambda=1e7)",
            "discriminant(lambda=0.01)",
        ] {
            for draw in 0..draws {
                let (x, new) = (points(40 + draw, n, 2), points(60 + draw, 200, 2));
                let fitted = seeded(&parsed(text), &square(&x, |a, b| rbf(0.5)(a, b)), &target, None);
                let gram = cross(&new, &x, fitted.support(), |a, b| rbf(0.5)(a, b));
                let p = fitted.predict(&Query::new(&gram, everything(), &Control::default())).unwrap().probabilities.unwrap();
                for (k, share) in shares.iter().enumerate() {
                    let mean = (0..200).map(|i| p[(i, k)]).sum::<f64>() / 200.0;
                    assert!((mean - share).abs() <= 0.1, "{text}, {shares:?}, draw {draw}: class {k} has {mean}");
                }
                // New rows have their classes with these shares, whatever their columns.
                let loss = (0..200).map(|i| (0..shares.len()).map(|k| -shares[k] * p[(i, k)].ln()).sum::<f64>()).sum::<f64>() / 200.0;
                assert!(loss <= 1.25 * uncertainty + 0.01, "{text}, {shares:?}, draw {draw}: {loss}, and {uncertainty} by the shares");
            }
        }
    }
}

// A class that one group alone has is unknown to the fit without it; the other rows are scored as usual.
#[test]
fn a_class_that_a_fold_lacks_leaves_the_other_classes_calibrated() {
    let n = 60;
    let e = errors(21, n);
    let class = |i: usize| if i / 10 == 3 { 2 } else { usize::from((i % 10) as f64 + 2.0 * e[i] > 4.5) };
    let x: Rows = (0..n).map(|i| if class(i) == 2 { vec![20.0 + e[i]] } else { vec![(i % 10) as f64] }).collect();
    let target = Target::Classes { codes: (0..n).map(class).collect(), names: ["a", "b", "c"].map(String::from).to_vec() };
    let gram = square(&x, |a, b| rbf(0.1)(a, b));
    let task = Task { view: View::Values(&gram), target: &target, weights: None, control: &Control::default(), seed: SEED };
    for text in [
        "svc(c=1, probabilities=true)",
        "ridge(lambda=0.5, probabilities=true)",
        "perceptron(rate=1, probabilities=true)",
        "knn(k=7)",
        "nadaraya_watson",
        "discriminant(lambda=0.1)",
    ] {
        for split in [
            Split::Groups((0..n).map(|i| i / 10).collect()),
            Split::Time((0..n).map(|i| if class(i) == 2 { 99.0 } else { i as f64 }).collect()),
        ] {
            let fitted = parsed(text).fit_with(&task, &FitContext::holding(HoldOut::by(&split))).unwrap().fitted;
            let p = on_training(&fitted, &gram);
            let probabilities = p.probabilities.as_ref().unwrap();
            let right = (0..n).filter(|&i| classes(&p)[i] == class(i)).count();
            assert!(right >= 48, "{text}, {split:?}: {right} of {n}");
            let loss = (0..n).filter(|&i| class(i) < 2).map(|i| -probabilities[(i, class(i))].ln()).sum::<f64>() / 50.0;
            assert!(loss < 0.75, "{text}, {split:?}: {loss}");
        }
    }
}

// Scores of a Fisher kernel whose information has been learnt from the rows to be held out are no held-out scores: labels at random would
// look learnt.
#[test]
fn a_kernel_that_learns_is_learnt_anew_without_the_rows_that_calibration_holds_out() {
    let (n, new, columns) = (40, 200, 14);
    let kernel = KernelExpr::parse("fisher(gaussian(covariance=full), information=empirical)").unwrap();
    for text in [
        "svc(c=1, probabilities=true)",
        "ridge(lambda=0.1, probabilities=true)",
        "knn(k=5)",
        "perceptron(rate=1, probabilities=true)",
        "discriminant(lambda=0.1)",
        "discriminant(lambda=0.1, calibrated=false)",
        "gp(noise=0.1, variance=1)",
    ] {
        let mut loss = 0.0;
        for draw in 0..2 {
            let (x, unseen) = (points(70 + draw, n, columns), points(80 + draw, new, columns));
            let target = labels((0..n).map(|i| (i * i + i / 3) % 2 == 1));
            let learner = Learner { kernel: Some(kernel.clone()), ..Learner::new(parsed(text)) };
            let model = learner.fit(&table_of(&x), &target, &classes_named(&["no", "yes"]), None, &Control::default()).unwrap();
            let p = model.predict(&table_of(&unseen), everything(), &Control::default()).unwrap().probabilities.unwrap();
            // Either class of a new row is as likely.
            loss += p.data().iter().map(|p| -p.max(1e-15).ln()).sum::<f64>() / (2.0 * 2.0 * new as f64);
        }
        // That of one half for each is .693; labels at random cost a fit of 40 rows some hundredths.
        assert!(loss < 0.85, "{text}: {loss}");
    }
}
