//! The path of all solutions of a support vector machine: against cold fits, against paths worked out by hand, and by the conditions of
//! optimality.

use crate::made;

use made::*;
use mercer::control::Control;
use mercer::error::Error;
use mercer::estimators::Svc;
use mercer::gram::Dense;
use mercer::linalg::Matrix;
use mercer::solve::path::{Breakpoint, PathEnd, PathPoint, SvmPath};

fn path(gram: &Dense, positive: &[bool], weights: &[f64]) -> SvmPath {
    SvmPath::new(gram.matrix().clone(), positive, weights, f64::INFINITY, &Control::default()).unwrap()
}

fn decisions(point: &PathPoint, k: &Matrix) -> Vec<f64> {
    (0..k.rows()).map(|i| dot(k.row(i), &point.coef) + point.intercept).collect()
}

fn penalties(breakpoints: &[Breakpoint]) -> Vec<f64> {
    breakpoints.iter().map(|b| b.c).collect()
}

/// A problem: kernel values, classes, weights.
struct Problem {
    name: &'static str,
    gram: Dense,
    positive: Vec<bool>,
    weights: Vec<f64>,
}

fn problem(name: &'static str, x: &Rows, kernel: impl Fn(&[f64], &[f64]) -> f64, positive: Vec<bool>, weights: Vec<f64>) -> Problem {
    Problem { name, gram: square(x, |a, b| kernel(a, b)), positive, weights }
}

fn linear(a: &[f64], b: &[f64]) -> f64 {
    dot(a, b)
}

/// Points of which the classes overlap; so many of the first are of the second class.
fn overlapping(set: usize, n: usize, positive: usize) -> (Rows, Vec<bool>) {
    let is_positive: Vec<bool> = (0..n).map(|i| i < positive).collect();
    let shifted = |(x, p): (Vec<f64>, &bool)| x.into_iter().map(|v| if *p { v + 0.4 } else { v - 0.4 }).collect();
    (points(set, n, 2).into_iter().zip(&is_positive).map(shifted).collect(), is_positive)
}

fn problems() -> Vec<Problem> {
    let ones = |n| vec![1.0; n];
    let weights = |n: usize| (0..n).map(|i| if i % 9 == 4 { 0.0 } else { 1.2 + noise(3, i, 5) }).collect();
    let (even, of_even) = overlapping(1, 40, 20);
    let (few, of_few) = overlapping(2, 40, 11);
    let (mut copies, mut of_copies) = overlapping(4, 30, 13);
    // Copies in one class, and in both.
    for (from, positive) in [(0, true), (0, true), (14, false), (5, false), (20, true)] {
        copies.push(copies[from].clone());
        of_copies.push(positive);
    }
    let n = copies.len();
    vec![
        problem("balanced, rbf", &even, rbf(1.0), of_even.clone(), ones(40)),
        problem("balanced, linear", &even, linear, of_even.clone(), ones(40)),
        problem("unbalanced, rbf", &few, rbf(1.0), of_few.clone(), ones(40)),
        problem("unbalanced, linear", &few, linear, of_few.clone(), ones(40)),
        problem("the other class is the larger, rbf", &few, rbf(3.0), of_few.iter().map(|p| !p).collect(), ones(40)),
        problem("weighted, rbf", &even, rbf(0.5), of_even.clone(), weights(40)),
        problem("weighted, linear", &few, linear, of_few.clone(), weights(40)),
        problem("wide, rbf", &even, rbf(0.003), of_even, ones(40)),
        problem("copies, rbf", &copies, rbf(1.0), of_copies.clone(), ones(n)),
        problem("copies, linear", &copies, linear, of_copies, ones(n)),
    ]
}

// A cold fit of svc at 20 values of C: at breakpoints, between them, before the first and beyond the last.
// spec: S36, E3-16
#[test]
fn at_any_c_the_path_is_the_cold_fit() {
    for p in problems() {
        let path = path(&p.gram, &p.positive, &p.weights);
        // Beyond, the kernel matrix has no digits left.
        assert!(path.most_c() > 1e8 && (path.end() == PathEnd::Complete || p.name.starts_with("wide")), "{}: {:?}", p.name, path.end());
        let breaks = path.breakpoints();
        assert!(breaks.len() > 5 && breaks.windows(2).all(|w| w[0].c <= w[1].c), "{}: {breaks:?}", p.name);
        // Beyond, a fit takes long.
        let within: Vec<f64> = penalties(&breaks).into_iter().filter(|c| *c < 300.0).collect();
        let last = within.len() - 1;
        let at = (0..9).map(|k| within[k * last / 9]);
        let between = (0..9).map(|k| k * (last - 1) / 9).map(|k| 0.3 * within[k] + 0.7 * within[k + 1]);
        for c in at.chain(between).chain([0.2 * within[0], 1.5 * within[last]]) {
            let svc = Svc { c: c.into(), tolerance: 1e-10.into(), ..Svc::default() };
            let fitted = fit(&svc, &p.gram, &labels(p.positive.iter().copied()), Some(&p.weights)).unwrap();
            let cold = on_training(&fitted, &p.gram).scores.unwrap();
            let found = decisions(&path.at(c).unwrap(), p.gram.matrix());
            // With no row on the margin there is an interval of offsets, and a coefficient of a cold fit that is not 0 by rounding takes
            // an end of it.
            let is_open = breaks.windows(2).any(|w| w[0].elbow == 0 && w[0].c <= c * (1.0 + 1e-9) && c * (1.0 - 1e-9) <= w[1].c);
            let shift = if is_open { cold[(0, 0)] - found[0] } else { 0.0 };
            for (i, f) in found.iter().enumerate() {
                assert!((f + shift - cold[(i, 0)]).abs() <= 1e-6, "{}, C = {c}: row {i} {f} and {}", p.name, cold[(i, 0)]);
            }
        }
        let first = path.at(breaks[0].c).unwrap();
        if p.name.starts_with("balanced") {
            let at_bound = |i: usize| (first.coef[i].abs() - breaks[0].c * p.weights[i]).abs() <= 1e-12 * breaks[0].c;
            assert!((0..p.positive.len()).all(at_bound), "{}: all rows are bound support vectors", p.name);
        }
    }
}

// By code of its own: f from the coefficients, then the conditions of each row.
#[test]
fn at_every_breakpoint_the_conditions_of_optimality_hold() {
    for p in problems() {
        let path = path(&p.gram, &p.positive, &p.weights);
        let alphas = path.alphas(&Control::default()).unwrap();
        // Beyond, rounding of the sums below shows.
        for (at, b) in path.breakpoints().iter().enumerate().filter(|(_, b)| b.c < 1e7) {
            let sign = |i: usize| if p.positive[i] { 1.0 } else { -1.0 };
            let coef: Vec<f64> = (0..alphas.cols()).map(|i| b.c * sign(i) * alphas[(at, i)]).collect();
            assert!(coef.iter().sum::<f64>().abs() <= 1e-9 * b.c * p.weights.iter().sum::<f64>());
            let f = decisions(&PathPoint { coef, intercept: b.intercept }, p.gram.matrix());
            for i in 0..f.len() {
                let (alpha, most, margin) = (alphas[(at, i)], p.weights[i], sign(i) * f[i]);
                let context = || format!("{}: breakpoint {at} at C = {}, row {i}: {alpha} of {most}, margin {margin}", p.name, b.c);
                assert!(alpha >= -1e-7 && alpha <= most + 1e-7, "{}", context());
                assert!(alpha >= most - 1e-7 || margin >= 1.0 - 1e-6, "{}", context());
                assert!(alpha <= 1e-7 || margin <= 1.0 + 1e-6, "{}", context());
            }
            let wrong: f64 = (0..f.len()).filter(|&i| (f[i] > 0.0) != p.positive[i]).map(|i| p.weights[i]).sum();
            let near: f64 = (0..f.len()).filter(|&i| f[i].abs() < 1e-6).map(|i| p.weights[i]).sum();
            assert!((b.error * p.weights.iter().sum::<f64>() - wrong).abs() <= near + 1e-9);
            assert!(b.violation <= 1e-6);
        }
    }
}

// Two rows at -1 and 1: f = 2 C x until the margin is met at C = 1/2. Weighed 2 to 1, the row of 'yes' is on the margin from the start:
// f = 2 C (x - 1) + 1.
#[test]
fn two_rows_meet_the_margin_at_one_breakpoint() {
    let gram = square(&[-1.0, 1.0], |a, b| a * b);
    let even = path(&gram, &[false, true], &[1.0, 1.0]);
    assert!(even.is_separated() && even.breakpoints().len() == 1);
    close(even.breakpoints()[0].c, 0.5, 1e-12);
    for (c, slope) in [(0.1, 0.2), (0.5, 1.0), (7.0, 1.0), (1e9, 1.0)] {
        let point = even.at(c).unwrap();
        close(point.coef[1] - point.coef[0], slope, 1e-12);
        close(point.intercept, 0.0, 1e-12);
    }
    let uneven = path(&gram, &[false, true], &[1.0, 2.0]);
    close(penalties(&uneven.breakpoints())[0], 0.5, 1e-12);
    for (c, slope, intercept) in [(0.1, 0.2, 0.8), (0.25, 0.5, 0.5), (3.0, 1.0, 0.0)] {
        let point = uneven.at(c).unwrap();
        close(point.coef[1] - point.coef[0], slope, 1e-12);
        close(point.intercept, intercept, 1e-12);
    }
}

// Rows at -3, -1, 1, 3: f = 8 C x until the outer rows meet the margin (C = 1/24), f = x/3 until they leave with nothing left (C = 1/6),
// f = 2 C x while no row is on the margin, and f = x from C = 1/2 on.
#[test]
fn four_rows_on_a_line_pass_a_stretch_without_a_row_on_the_margin() {
    let gram = square(&[-3.0, -1.0, 1.0, 3.0], |a, b| a * b);
    let path = path(&gram, &[false, false, true, true], &[1.0; 4]);
    let breaks = path.breakpoints();
    assert_eq!(breaks.len(), 3, "{breaks:?}");
    penalties(&breaks).into_iter().zip([1.0 / 24.0, 1.0 / 6.0, 0.5]).for_each(|(c, expected)| close(c, expected, 1e-12));
    assert_eq!(breaks.iter().map(|b| (b.elbow, b.left, b.right)).collect::<Vec<_>>(), [(2, 2, 0), (0, 2, 2), (2, 0, 2)]);
    for (c, slope) in [(0.01, 0.08), (0.1, 1.0 / 3.0), (0.25, 0.5), (0.4, 0.8), (0.6, 1.0)] {
        let point = path.at(c).unwrap();
        close(point.coef.iter().zip([-3.0, -1.0, 1.0, 3.0]).map(|(b, x)| b * x).sum(), slope, 1e-12);
        close(point.intercept, 0.0, 1e-12);
    }
}

// Four rows of exclusive or under (1 + x z)^2 reach the margin at once, where alpha C = 1/8 (Haykin, Neural Networks, 1999, 6.5).
#[test]
fn rows_of_exclusive_or_reach_the_margin_together() {
    let x: Rows = [[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]].map(Vec::from).to_vec();
    let path = path(&square(&x, |a, b| (1.0 + dot(a, b)).powi(2)), &[false, true, true, false], &[1.0; 4]);
    assert_eq!(path.breakpoints().len(), 1);
    close(path.breakpoints()[0].c, 0.125, 1e-12);
    let point = path.at(5.0).unwrap();
    point.coef.iter().zip([-0.125, 0.125, 0.125, -0.125]).for_each(|(b, expected)| close(*b, expected, 1e-12));
    close(point.intercept, 0.0, 1e-12);
}

#[test]
fn permuted_rows_and_swapped_classes_have_the_same_path() {
    for p in problems() {
        let (n, k) = (p.positive.len(), p.gram.matrix());
        let order: Vec<usize> = (0..n).map(|i| (i * 17 + 5) % n).collect();
        let permuted = Dense::square(Matrix::from_fn(n, n, |i, j| k[(order[i], order[j])])).unwrap();
        let one = path(&p.gram, &p.positive, &p.weights);
        let other = path(
            &permuted,
            &order.iter().map(|&i| !p.positive[i]).collect::<Vec<_>>(),
            &order.iter().map(|&i| p.weights[i]).collect::<Vec<_>>(),
        );
        for c in (0..12).map(|e| 0.02 * 2f64.powi(e)) {
            let f = decisions(&one.at(c).unwrap(), k);
            let swapped = decisions(&other.at(c).unwrap(), permuted.matrix());
            (0..n).for_each(|i| close(swapped[i], -f[order[i]], 1e-8));
        }
    }
}

#[test]
fn rows_that_no_kernel_tells_apart_and_single_rows_have_a_path() {
    // All equal: f is the class that weighs more, or 0.
    let equal = square(&[1.0; 5], |a, b| a * b);
    let path_of = |positive: &[bool]| path(&equal, positive, &[1.0; 5]);
    let more = path_of(&[true, true, true, false, false]);
    assert!(more.breakpoints().is_empty() && more.end() == PathEnd::Complete);
    close(decisions(&more.at(3.0).unwrap(), equal.matrix())[0], 1.0, 1e-9);
    let one = path_of(&[true, false, false, false, false]);
    close(decisions(&one.at(0.1).unwrap(), equal.matrix())[4], -1.0, 1e-9);
    let even = path(&square(&[2.0, 2.0], |a, b| a * b), &[true, false], &[1.0; 2]);
    close(even.at(1.0).unwrap().intercept, 0.0, 1e-12);
}

#[test]
fn a_path_ends_where_it_is_asked_to_and_refuses_what_lies_beyond() {
    let p = &problems()[0];
    let part = |most| SvmPath::new(p.gram.matrix().clone(), &p.positive, &p.weights, most, &Control::default());
    let half = part(2.0).unwrap();
    assert_eq!(half.end(), PathEnd::Asked);
    close(half.most_c(), 2.0, 1e-12);
    assert!(half.at(2.0).is_ok() && half.at(1e-6).is_ok());
    let message = |e: Error| e.to_string();
    assert!(message(half.at(2.1).unwrap_err()).contains("where the path ends"));
    assert!(message(half.at(0.0).unwrap_err()).contains("above 0"));
    assert!(part(0.0).is_err() && part(f64::NAN).is_err());
    let one_class = SvmPath::new(p.gram.matrix().clone(), &[true; 40], &p.weights, 1.0, &Control::default());
    assert!(message(one_class.unwrap_err()).contains("two classes"));
    let stopped = Control::default();
    stopped.stop_early.cancel();
    let early = SvmPath::new(p.gram.matrix().clone(), &p.positive, &p.weights, 1.0, &stopped);
    assert!(message(early.unwrap_err()).contains("before the first breakpoint"));
    // Values that no Mercer kernel has.
    let negative = square(&points(7, 6, 2), |a, b| -dot(a, b));
    let refused = SvmPath::new(negative.matrix().clone(), &[true, false, true, false, true, false], &[1.0; 6], 1.0, &Control::default());
    assert!(message(refused.unwrap_err()).contains("Mercer kernel"));
}
