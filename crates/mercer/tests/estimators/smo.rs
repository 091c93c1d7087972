//! The decomposition solver by itself.

use crate::made;

use made::*;
use mercer::control::Control;
use mercer::data::{Dataset, Points, Target};
use mercer::error::Error;
use mercer::estimators::{Fitted, Svr};
use mercer::gram::Dense;
use mercer::kernels::KernelExpr;
use mercer::solve::smo::{Options, Problem, Solution, solve, solve_from};

/// The problem of rows with labels -1 and 1 under one penalty.
fn classification(y: Vec<f64>, c: f64) -> Problem {
    Problem {
        row: (0..y.len()).collect(),
        low: y.iter().map(|y| if *y > 0.0 { 0.0 } else { -c }).collect(),
        high: y.iter().map(|y| if *y > 0.0 { c } else { 0.0 }).collect(),
        target: y,
        tube: 0.0,
        ..Problem::default()
    }
}

fn problem(set: usize, n: usize, c: f64) -> (Dense, Problem) {
    let (x, e) = (points(set, n, 3), errors(set, n));
    let y: Vec<f64> = (0..n).map(|i| if x[i][0] * x[i][1] + 0.3 * e[i] > 0.0 { 1.0 } else { -1.0 }).collect();
    let problem = classification(y, c);
    (square(&x, |a, b| rbf(1.0)(a, b)), problem)
}

// spec: F39, S45
#[test]
fn two_starts_reach_one_objective() {
    let (gram, cold) = problem(70, 700, 5.0);
    // Any point within the bounds whose sum is zero: pairs of one row of each class at uneven heights.
    let (mut rise, mut fall): (Vec<usize>, Vec<usize>) = (0..700).partition(|&i| cold.high[i] > 0.0);
    let mut start = vec![0.0; 700];
    while let (Some(i), Some(j)) = (rise.pop(), fall.pop()) {
        let a = 2.5 * (1.0 + noise(71, i, j));
        (start[i], start[j]) = (a, -a);
    }
    let warm = Problem { start: Some(start), ..cold.clone() };
    let options = Options { tolerance: 1e-9, ..Options::default() };
    let found = solve(&gram, &[cold, warm], &options, &Control::default()).unwrap();
    assert!(found.iter().all(|s| s.converged), "{found:?}");
    close(found[0].primal / found[1].primal, 1.0, 1e-8);
    close(found[0].dual / found[1].dual, 1.0, 1e-8);
    assert!(found.iter().all(|s| s.dual <= s.primal && s.gap <= 1e-9));
}

#[test]
fn a_path_of_penalties_goes_on_from_known_values_and_comes_to_the_optimum_of_each() {
    let n = 1400;
    let (gram, sides) = problem(72, n, 1.0);
    let gram = Dense::of(&gram, &Control::default()).unwrap();
    for tolerance in [1e-3, 1e-7] {
        let options = Options { tolerance, ..Options::default() };
        let mut before: Option<Solution> = None;
        for c in [0.5, 4.0, 64.0, 1024.0] {
            let mut cold = classification(sides.target.clone(), c);
            (2..n).step_by(5).for_each(|i| (cold.low[i], cold.high[i]) = (0.0, 0.0));
            let warm = Problem { start: before.as_ref().map(|b| b.coef.clone()), ..cold.clone() };
            let known = before.as_ref().and_then(Solution::exact_values);
            let found = solve_from(&gram, &[warm], &[known], &options, &Control::default()).unwrap().remove(0);
            let alone = solve(&gram, &[cold], &options, &Control::default()).unwrap().remove(0);
            assert!(found.converged && alone.converged, "c = {c}: {} and {}", found.violation, alone.violation);
            // Each lies between the two values of the other.
            let rounding = 1e-9 * alone.primal;
            assert!(found.dual <= alone.primal + rounding && alone.dual <= found.primal + rounding, "c = {c}");
            // What is known is Kb, in the rows that are held at 0 too.
            let size: f64 = found.coef.iter().map(|b| b.abs()).sum();
            let values = found.exact_values().unwrap();
            (0..n).for_each(|i| close(values[i], dot(gram.matrix().row(i), &found.coef), 1e-12 * size));
            assert!((2..n).step_by(5).all(|i| found.coef[i] == 0.0) && size > 0.0);
            before = Some(found);
        }
    }
}

/// The two variables of each row of a regression, over rows that all stand twice: a_n in 0..c with z = t_n - epsilon, and
/// -ahat_n in -c..0 with z = t_n + epsilon.
fn tube(set: usize, n: usize, c: f64, epsilon: f64) -> (Rows, Vec<f64>, Dense, Problem) {
    let (x, e) = (points(set, n, 2), errors(set, n));
    let t: Vec<f64> = (0..n).map(|i| (3.0 * x[i][0]).sin() + 0.4 * e[i]).collect();
    let twice: Rows = x.iter().chain(&x).cloned().collect();
    let problem = Problem {
        row: (0..2 * n).collect(),
        target: t.iter().map(|t| t - epsilon).chain(t.iter().map(|t| t + epsilon)).collect(),
        low: [vec![0.0; n], vec![-c; n]].concat(),
        high: [vec![c; n], vec![0.0; n]].concat(),
        ..problem(set, n, c).1
    };
    (x, t, square(&twice, |a, b| rbf(1.0)(a, b)), problem)
}

// spec: S07, S45, E4-08
#[test]
fn two_starts_of_a_regression_reach_one_objective_and_no_row_pulls_both_ways() {
    let n = 250;
    for (set, c, epsilon) in [(90, 1.0, 0.1), (91, 20.0, 0.02), (92, 0.2, 0.3)] {
        let (x, t, gram, cold) = tube(set, n, c, epsilon);
        // Both halves of every row away from 0, each as high as another's is low.
        let mut start = vec![0.0; 2 * n];
        for i in 0..n {
            let a = 0.5 * c * (1.0 + noise(set, i, 5));
            (start[i], start[n + (i + 7) % n]) = (a, -a);
        }
        let warm = Problem { start: Some(start), ..cold.clone() };
        let options = Options { tolerance: 1e-9, ..Options::default() };
        let found = solve(&gram, &[cold, warm], &options, &Control::default()).unwrap();
        close(found[0].primal / found[1].primal, 1.0, 1e-8);
        close(found[0].dual / found[1].dual, 1.0, 1e-8);
        // The estimator states the same problem.
        let svr = Svr { c: c.into(), epsilon: epsilon.into(), standardise_target: false, tolerance: 1e-9.into(), ..Svr::default() };
        let fitted = fit(&svr, &square(&x, |a, b| rbf(1.0)(a, b)), &Target::numbers(&t), None).unwrap();
        close(fitted.summary().objective.unwrap() / found[0].primal, 1.0, 1e-8);
        for s in &found {
            assert!(s.converged && s.gap <= 1e-9 && s.violation <= 1e-9, "set {set}: {s:?}");
            let halves: Vec<(f64, f64)> = (0..n).map(|i| (s.coef[i], -s.coef[n + i])).collect();
            assert!(halves.iter().all(|(a, ahat)| (0.0..=c).contains(a) && (0.0..=c).contains(ahat) && a * ahat == 0.0), "set {set}");
            assert!(halves.iter().any(|h| h.0 > 0.0) && halves.iter().any(|h| h.1 > 0.0));
            // -1/2 sum sum (a - ahat)(a - ahat) k - eps sum (a + ahat) + sum (a - ahat) t, and the gap to the primal.
            let b: Vec<f64> = halves.iter().map(|(a, ahat)| a - ahat).collect();
            let f: Vec<f64> = (0..n).map(|i| dot(&gram.matrix().row(i)[..n], &b)).collect();
            let sum: f64 = halves.iter().map(|(a, ahat)| a + ahat).sum();
            let dual = dot(&b, &t) - epsilon * sum - 0.5 * dot(&b, &f);
            close(s.dual, dual, 1e-9 * (1.0 + dual.abs()));
            let loss: f64 = (0..n).map(|i| ((t[i] - f[i] - s.offsets[0]).abs() - epsilon).max(0.0)).sum();
            close(s.primal, 0.5 * dot(&b, &f) + c * loss, 1e-9 * (1.0 + dual.abs()));
        }
    }
}

#[test]
fn problems_solved_together_come_to_what_each_comes_to_alone() {
    let (gram, whole) = problem(76, 900, 2.0);
    let parts: Vec<Problem> = [(0, 900), (0, 300), (250, 800), (600, 900), (100, 140)]
        .into_iter()
        .map(|(a, b)| Problem {
            row: whole.row[a..b].to_vec(),
            target: whole.target[a..b].to_vec(),
            low: whole.low[a..b].to_vec(),
            high: whole.high[a..b].to_vec(),
            tube: 0.0,
            ..Problem::default()
        })
        .collect();
    // Room for all rows, for two blocks at once, and for less than one block.
    for rows in [900, 600, 60] {
        let options = Options { cache_bytes: rows * 900 * 4, ..Options::default() };
        let together = solve(&gram, &parts, &options, &Control::default()).unwrap();
        for (part, found) in parts.iter().zip(&together) {
            let alone = solve(&gram, std::slice::from_ref(part), &options, &Control::default()).unwrap().remove(0);
            assert!(found.converged && found.coef == alone.coef && found.iterations == alone.iterations, "{rows} rows");
            close(found.dual / alone.dual, 1.0, 1e-12);
        }
    }
}

#[test]
fn the_certificate_is_the_duality_gap_by_definition() {
    let (gram, p) = problem(72, 300, 3.0);
    for max_iterations in [5, 50, 100_000] {
        let options = Options { max_iterations, ..Options::default() };
        let s = solve(&gram, std::slice::from_ref(&p), &options, &Control::default()).unwrap().remove(0);
        let f: Vec<f64> = (0..300).map(|i| dot(gram.matrix().row(i), &s.coef)).collect();
        let norm = dot(&f, &s.coef);
        let loss: f64 = (0..300).map(|i| 3.0 * (1.0 - p.target[i] * (f[i] + s.offsets[0])).max(0.0)).sum();
        close(s.primal, 0.5 * norm + loss, 1e-9 * (norm + loss));
        close(s.dual, dot(&p.target, &s.coef) - 0.5 * norm, 1e-9 * norm);
        close(s.gap, (s.primal - s.dual) / s.primal, 1e-9);
        close(s.coef.iter().sum::<f64>(), 0.0, 3e-10);
    }
}

#[test]
fn a_kernel_that_is_not_positive_ends_with_a_point_within_the_bounds() {
    let (_, p) = problem(73, 200, 1.0);
    let x = points(73, 200, 3);
    let gram = square(&x, |a, b| (2.0 * dot(a, b) - 0.3).tanh());
    let options = Options { max_iterations: 20_000, ..Options::default() };
    let s = solve(&gram, std::slice::from_ref(&p), &options, &Control::default()).unwrap().remove(0);
    assert!(s.coef.iter().zip(p.low.iter().zip(&p.high)).all(|(b, (l, h))| l <= b && b <= h));
    assert!(s.iterations <= 20_000 && s.primal.is_finite());
}

// The work is counted: a pair step passes over every row once.
// spec: S14
#[test]
fn the_gap_goes_down_with_the_steps_and_the_work_rises_with_a_slope_below_2_3() {
    let control = Control::default();
    let (gram, p) = problem(75, 1000, 10.0);
    let gap = |steps: usize| {
        let options = Options { max_iterations: steps, tolerance: 1e-8, ..Options::default() };
        solve(&gram, std::slice::from_ref(&p), &options, &control).unwrap()[0].gap
    };
    let gaps: Vec<f64> = (0..5).map(|k| gap(50 << k)).collect();
    assert!(gaps.windows(2).all(|w| w[1] < w[0]) && gaps[4] < 1e-2 * gaps[0], "{gaps:?}");
    let points: Vec<(f64, f64)> = [250usize, 500, 1000, 2000, 4000]
        .iter()
        .map(|&n| {
            let (gram, p) = problem(76, n, 10.0);
            let s = solve(&gram, &[p], &Options::default(), &control).unwrap().remove(0);
            assert!(s.converged);
            ((n as f64).ln(), ((s.iterations * n) as f64).ln())
        })
        .collect();
    let mean = |f: fn(&(f64, f64)) -> f64| points.iter().map(f).sum::<f64>() / points.len() as f64;
    let (x, y) = (mean(|p| p.0), mean(|p| p.1));
    let slope = points.iter().map(|p| (p.0 - x) * (p.1 - y)).sum::<f64>() / points.iter().map(|p| (p.0 - x).powi(2)).sum::<f64>();
    assert!((1.0..=2.3).contains(&slope), "{slope}");
}

/// Rows whose six columns differ in size by a factor of 1e5, classes and numbers of them at one penalty.
fn badly_scaled(set: usize, n: usize, c: f64) -> (Rows, [Problem; 2]) {
    let (x, e) = (points(set, n, 6), errors(set, n));
    let scaled = x.iter().map(|p| p.iter().enumerate().map(|(j, v)| v * 10f64.powi(j as i32 - 2) + 5.0).collect()).collect();
    let values: Vec<f64> = (0..n).map(|i| x[i][0] + x[i][3] + 0.5 * e[i]).collect();
    let classes = classification(values.iter().map(|v| if *v > 0.0 { 1.0 } else { -1.0 }).collect(), c);
    let numbers = Problem { low: vec![-c; n], high: vec![c; n], target: values, tube: 0.1, ..classes.clone() };
    (scaled, [classes, numbers])
}

// Pairs alone have not met the tolerance after ten million steps.
#[test]
fn a_badly_scaled_linear_kernel_is_solved_in_few_steps() {
    for (set, c) in [(77, 1.0), (78, 1e2), (79, 1e4), (80, 1e4)] {
        let (x, problems) = badly_scaled(set, 300, c);
        let gram = square(&x, |a, b| dot(a, b));
        for problem in problems {
            let s = solve(&gram, &[problem], &Options::default(), &Control::default()).unwrap().remove(0);
            let found = (s.iterations, s.free, s.gap, s.violation);
            assert!(s.converged && s.iterations <= 20_000, "c = {c}: {found:?}");
        }
    }
}

// The same with its columns known: K = Z Z' of rank 6.
#[test]
fn few_features_are_solved_in_few_steps_at_any_penalty() {
    for (set, c) in [(78, 1.0), (78, 1e2)].into_iter().chain((78..98).map(|set| (set, 1e4))) {
        let n = 400;
        let (x, problems) = badly_scaled(set, n, c);
        let data = Dataset::from_points(Points::dense(n, 6, x.concat()).unwrap());
        let gram = KernelExpr::parse("linear").unwrap().bind_within(None, &data, &Control::default()).unwrap();
        for problem in problems {
            let s = solve(gram.as_ref(), &[problem], &Options::default(), &Control::default()).unwrap().remove(0);
            let found = (s.iterations, s.free, s.gap, s.violation);
            assert!(s.converged && s.iterations <= 2 * n, "set {set}, c = {c}: {found:?}");
        }
    }
}

/// The dual of nu-SVC on some rows: a in 0..1, y'a = 0 and 1'a = nu N, so that each class has half of that sum. The start is that of
/// LIBSVM: the first rows of each class at 1, one in between.
fn nu_classification(row: Vec<usize>, y: &[f64], nu: f64) -> Problem {
    let half = 0.5 * nu * row.len() as f64;
    let mut left = [half, half];
    let group: Vec<usize> = row.iter().map(|&i| usize::from(y[i] < 0.0)).collect();
    let start = group.iter().map(|&g| {
        let a = left[g].clamp(0.0, 1.0);
        left[g] -= a;
        if g == 0 { a } else { -a }
    });
    let start = Some(start.collect());
    let bound = |g: usize, of: f64| group.iter().map(|&h| if h == g { of } else { 0.0 }).collect();
    Problem { target: vec![0.0; row.len()], low: bound(1, -1.0), high: bound(0, 1.0), start, group, row, tube: 0.0 }
}

// Schölkopf, Smola, Williamson and Bartlett (2000), New support vector algorithms, propositions 5 and 6; Chang and Lin (2001).
#[test]
fn groups_solve_the_dual_of_nu_svc_whose_solution_over_rho_is_one_of_c_svc() {
    let control = Control::default();
    // One block of K that is held, of full and of low rank; pairs of three classes, row by row; blocks of a large problem.
    let bells = "rbf(gamma=2)";
    let cases = [(98, 300, 2, true, bells), (101, 300, 2, true, "linear"), (99, 450, 3, false, bells), (100, 2200, 2, false, bells)];
    for (set, n, classes, held, kernel) in cases {
        let (x, e) = (points(set, n, 3), errors(set, n));
        let value = |i: usize| if kernel == bells { x[i][0] * x[i][1] } else { x[i][0] } + 0.3 * e[i];
        let y: Vec<f64> = (0..n).map(|i| if value(i) > 0.0 { 1.0 } else { -1.0 }).collect();
        let kernel = KernelExpr::parse(kernel).unwrap();
        let data = Dataset::from_points(Points::dense(n, 3, x.concat()).unwrap());
        let bound = kernel.bind_within(None, &data, &control).unwrap();
        let k = Dense::square(mercer::gram::dense(bound.as_ref(), &control).unwrap()).unwrap();
        let gram: &dyn mercer::gram::Gram = if held { &k } else { bound.as_ref() };
        for (nu, tolerance) in [(0.5, 1e-4), (0.7, 1e-8)] {
            let rows = |p: usize| (0..n).filter(|i| classes == 2 || i % 3 != p).collect::<Vec<usize>>();
            let problems: Vec<Problem> = (0..classes * (classes - 1) / 2).map(|p| nu_classification(rows(p), &y, nu)).collect();
            let options = Options { tolerance, ..Options::default() };
            let solved = solve(gram, &problems, &options, &control).unwrap();
            for (p, s) in problems.iter().zip(&solved) {
                let count = p.row.len();
                assert!(s.converged && s.iterations > 0 && s.offsets.len() == 2, "set {set}, nu {nu}: {} {}", s.gap, s.violation);
                for (group, sign) in [(0, 0.5), (1, -0.5)] {
                    let sum: f64 = (0..count).filter(|&v| p.group[v] == group).map(|v| s.coef[v]).sum();
                    close(sum, sign * nu * count as f64, 1e-9 * count as f64);
                }
                // y f is rho where 0 < a < 1, at least rho where a = 0, at most rho where a = 1.
                let (bias, rho) = (0.5 * (s.offsets[0] + s.offsets[1]), 0.5 * (s.offsets[1] - s.offsets[0]));
                assert!(rho > 0.0);
                let f = |v: usize| p.row.iter().zip(&s.coef).map(|(&r, b)| b * k.matrix()[(p.row[v], r)]).sum::<f64>();
                let over: Vec<f64> = (0..count).map(|v| y[p.row[v]] * (f(v) + bias) - rho).collect();
                let slack = 2.0 * tolerance;
                for (v, over) in over.iter().enumerate() {
                    let a = s.coef[v].abs();
                    assert!((0.0..=1.0).contains(&a), "set {set}, nu {nu}, variable {v}: {a}");
                    assert!(a == 1.0 || *over >= -slack, "set {set}, nu {nu}, variable {v}: {a}, {over}");
                    assert!(a == 0.0 || *over <= slack, "set {set}, nu {nu}, variable {v}: {a}, {over}");
                }
                // nu lies between the shares of margin errors and of support vectors.
                let share = |found: usize| found as f64 / count as f64;
                assert!(share(over.iter().filter(|o| **o < -slack).count()) <= nu);
                assert!(share(s.coef.iter().filter(|b| **b != 0.0).count()) >= nu);
                // The machine of C = 1 / rho has the objective of b / rho, whose relative gap is no greater, and, since the objective
                // is strongly convex in w, decision values within sqrt(2 gap) of those.
                let labels: Vec<f64> = p.row.iter().map(|&i| y[i]).collect();
                let machine = Problem { row: p.row.clone(), ..classification(labels, 1.0 / rho) };
                let c_svc = solve(gram, &[machine], &options, &control).unwrap().remove(0);
                let norm: f64 = (0..count).map(|v| s.coef[v] * f(v)).sum();
                let loss: f64 = over.iter().map(|o| (-o / rho).max(0.0)).sum();
                close(c_svc.primal / (0.5 * norm / (rho * rho) + loss / rho), 1.0, 3.0 * tolerance);
                close(c_svc.offsets[0], bias / rho, 2.0 * (2.0 * tolerance * c_svc.primal).sqrt() + tolerance * (1.0 + 1.0 / rho));
            }
        }
    }
}

#[test]
fn malformed_problems_are_named_errors() {
    let (gram, p) = problem(74, 20, 1.0);
    let broken = [
        Problem { row: (1..21).collect(), ..p.clone() },
        Problem { target: vec![1.0; 3], ..p.clone() },
        Problem { high: vec![f64::INFINITY; 20], ..p.clone() },
        Problem { start: Some(vec![2.0; 20]), ..p.clone() },
        Problem { target: vec![f64::NAN; 20], ..p.clone() },
        Problem { row: vec![3; 20], ..p.clone() },
        Problem { group: vec![0; 19], ..p.clone() },
        Problem { group: vec![20; 20], ..p.clone() },
        Problem { tube: -1.0, ..p },
    ];
    for b in broken {
        assert!(matches!(solve(&gram, &[b], &Options::default(), &Control::default()), Err(Error::Data(_))));
    }
}

#[test]
fn with_memory_enough_no_row_is_computed_twice_and_problems_share_them() {
    let (gram, p) = problem(75, 900, 1.0);
    let counted = Counted::of(&gram);
    let s = solve(&counted, &[p.clone(), p.clone(), p], &Options::default(), &Control::default()).unwrap();
    assert!(s[0].converged && s[0] == s[1] && s[1] == s[2]);
    // Rows once in f32, columns of the support once more in f64 for the certificate.
    assert!(counted.asked() <= 2 * 900 * 900);
}
