//! The roads of the decomposition solver, by a Gram matrix that says what was asked of it; certificates by their definition.

use mercer::control::{Control, with_threads};
use mercer::data::Target;
use mercer::estimators::{Estimator, Fitted, NuSvc, Svc, Task, View};
use mercer::gram::{Block, Gram, Side};
use mercer::solve::smo::{Options, Problem, Solution, solve};
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// exp(-sharpness |x - z|^2) between points of the plane.
struct Bells {
    points: Vec<[f64; 2]>,
    sharpness: f64,
    /// Whether inputs can be laid out anew.
    gathers: bool,
    requests: Arc<Requests>,
}

/// What was asked of a matrix and of those that were laid out from it.
#[derive(Default)]
struct Requests {
    computed: AtomicUsize,
    laid_out: Mutex<Vec<usize>>,
}

impl Bells {
    fn new(points: Vec<[f64; 2]>, sharpness: f64, gathers: bool) -> Self {
        Bells { points, sharpness, gathers, requests: Arc::default() }
    }

    fn value(&self, [x, y]: [f64; 2], [u, v]: [f64; 2]) -> f64 {
        (-self.sharpness * ((x - u).powi(2) + (y - v).powi(2))).exp()
    }

    fn computed(&self) -> usize {
        self.requests.computed.load(Ordering::Relaxed)
    }
}

impl Gram for Bells {
    fn shape(&self) -> (usize, usize) {
        (self.points.len(), self.points.len())
    }
    fn fill(&self, rows: Range<usize>, cols: Range<usize>, mut out: Block<'_, f64>) {
        self.requests.computed.fetch_add(rows.len() * cols.len(), Ordering::Relaxed);
        for (k, i) in rows.enumerate() {
            out.row_mut(k).iter_mut().zip(&self.points[cols.clone()]).for_each(|(o, z)| *o = self.value(self.points[i], *z));
        }
    }
    fn diagonal(&self, _: Side) -> Vec<f64> {
        vec![1.0; self.points.len()]
    }
    fn symmetric(&self) -> bool {
        true
    }
    fn gathered(&self, rows: &[usize]) -> Option<Box<dyn Gram + '_>> {
        self.requests.laid_out.lock().unwrap().push(rows.len());
        let points = rows.iter().map(|&i| self.points[i]).collect();
        self.gathers.then(|| Box::new(Bells { points, requests: Arc::clone(&self.requests), ..*self }) as Box<dyn Gram>)
    }
}

/// The problem of two classes under one penalty.
fn classes(row: Vec<usize>, second: impl Fn(usize) -> bool, c: f64) -> Problem {
    let bound = |sign: f64| row.iter().map(|&i| if second(i) == (sign > 0.0) { c * sign } else { 0.0 }).collect();
    let target = row.iter().map(|&i| if second(i) { 1.0 } else { -1.0 }).collect();
    Problem { target, low: bound(-1.0), high: bound(1.0), row, ..Problem::default() }
}

/// Four classes whose rows take turns, every pair of them a problem.
fn pairs(n: usize, c: f64) -> (Vec<[f64; 2]>, Vec<Problem>) {
    let points = (0..n).map(|i| {
        let (angle, class) = (i as f64 * 0.737, (i % 4) as f64);
        [angle.sin() + 2.0 * (class - 1.5), (2.9 * angle).cos()]
    });
    let pairs = (0..4).flat_map(|b| (0..b).map(move |a| (a, b)));
    let rows = |a: usize, b: usize| (0..n).filter(|i| i % 4 == a || i % 4 == b).collect();
    (points.collect(), pairs.map(|(a, b)| classes(rows(a, b), |i| i % 4 == b, c)).collect())
}

/// Compares the certificate of a solution with its definition, f = Kb computed from all values.
fn certify(gram: &Bells, p: &Problem, found: &Solution) {
    let at = |k: usize| gram.points[p.row[k]];
    let support: Vec<usize> = (0..p.row.len()).filter(|&k| found.coef[k] != 0.0).collect();
    let (mut top, mut bottom, mut free, mut sum) = (f64::NEG_INFINITY, f64::INFINITY, 0, 0.0);
    let f: Vec<f64> = (0..p.row.len()).map(|k| support.iter().map(|&s| found.coef[s] * gram.value(at(k), at(s))).sum()).collect();
    for (k, &b) in found.coef.iter().enumerate() {
        let v = p.target[k] - f[k];
        top = if b < p.high[k] { v.max(top) } else { top };
        bottom = if b > p.low[k] { v.min(bottom) } else { bottom };
        if b > p.low[k] && b < p.high[k] {
            (free, sum) = (free + 1, sum + v);
        }
    }
    assert_eq!((found.free, found.bound), (free, support.len() - free));
    let offset = sum / free as f64;
    let (mut dual, mut gap) = (0.0, 0.0);
    for (k, &b) in found.coef.iter().enumerate() {
        let u = p.target[k] - f[k] - offset;
        dual += b * (p.target[k] - 0.5 * f[k]);
        gap += (u * p.high[k]).max(u * p.low[k]) - b * u;
    }
    assert!((top - bottom - found.violation).abs() <= 1e-9);
    for (a, b) in [(found.primal, dual + gap), (found.dual, dual), (found.offsets[0], offset)] {
        assert!((a - b).abs() <= 1e-11 * (1.0 + b.abs()), "{a} and {b}");
    }
}

#[test]
fn pairs_of_classes_are_solved_from_few_rows_and_their_certificates_are_those_of_all_values() {
    let control = Control::default();
    for (c, tolerance) in [(1.0, 1e-3), (100.0, 1e-3), (1.0, 1e-7)] {
        let (points, problems) = pairs(600, c);
        let (lazy, whole) = (Bells::new(points.clone(), 2.0, true), Bells::new(points, 2.0, false));
        let options = Options { tolerance, ..Options::default() };
        let found = solve(&lazy, &problems, &options, &control).unwrap();
        // Six pairs of 300 rows each.
        assert!(lazy.computed() < 6 * 300 * 300 / 2, "most of K was computed");
        let exact = solve(&whole, &problems, &Options { tolerance: 1e-9, ..options }, &control).unwrap();
        for ((problem, found), exact) in problems.iter().zip(&found).zip(&exact) {
            assert!(found.converged && found.gap <= tolerance);
            assert!((exact.dual - found.dual).abs() <= tolerance * exact.dual);
            certify(&lazy, problem, found);
        }
    }
}

#[test]
fn neither_threads_nor_rows_that_are_kept_change_a_bit() {
    let (points, problems) = pairs(300, 10.0);
    let run = |threads: usize, cache_bytes: u64| -> (Vec<Solution>, usize) {
        let gram = Bells::new(points.clone(), 2.0, true);
        let options = Options { cache_bytes, ..Options::default() };
        let found = with_threads(threads, || solve(&gram, &problems, &options, &Control::default()).unwrap()).unwrap();
        (found, gram.computed())
    };
    let (one, few) = run(1, 1 << 30);
    let (others, more) = run(3, 0);
    assert!(one == others && few < more);
}

#[test]
fn k_of_all_problems_of_groups_of_rows_and_of_one_problem_after_the_other_lead_to_the_same_bits() {
    let (points, mut problems) = pairs(600, 5.0);
    problems.push(classes((0..600).collect(), |i| i % 4 > 1, 5.0));
    // K among all rows takes 2.9 MB, the blocks that are held at once 1.8 MB.
    let mut all = Vec::new();
    for cache_bytes in [3_000_000, 2_000_000, 1_000_000] {
        let gram = Bells::new(points.clone(), 2.0, false);
        let options = Options { cache_bytes, ..Options::default() };
        let found = solve(&gram, &problems, &options, &Control::default()).unwrap();
        assert!(found.iter().all(|s| s.converged && s.iterations > 10));
        all.push((found, gram.computed()));
    }
    assert!(all.iter().all(|a| a.0 == all[0].0));
    assert!(all[0].1 < all[1].1 && all[1].1 < all[2].1, "{:?}", all.iter().map(|a| a.1).collect::<Vec<_>>());
}

/// Rows of two classes, so many that they are solved over what may still change where inputs can be laid out anew.
fn many_rows(c: f64) -> (Vec<[f64; 2]>, Problem) {
    let points = (0..8500).map(|i| [(i as f64 * 0.737).sin() * 2.0, (i as f64 * 1.311).cos() * 2.0]).collect::<Vec<_>>();
    let above = |i: usize| points[i][0] + 0.5 * (3.0 * points[i][1]).sin() + 0.6 * (i as f64 * 7.77).sin() > 0.0;
    let problem = classes((0..points.len()).collect(), above, c);
    (points, problem)
}

/// Solves a problem where inputs can be laid out anew and where they cannot; asserts that only some of them were.
fn in_parts_and_as_a_whole(points: &[[f64; 2]], problem: &Problem) -> (Bells, [Solution; 2]) {
    let grams = [true, false].map(|gathers| Bells::new(points.to_vec(), 4.0, gathers));
    let run = |gram: &Bells| solve(gram, std::slice::from_ref(problem), &Options::default(), &Control::default()).unwrap().remove(0);
    let solved = [run(&grams[0]), run(&grams[1])];
    let [parts, _] = grams;
    // More inputs than a block has, but not all.
    assert!(parts.requests.laid_out.lock().unwrap().iter().any(|count| (1025..points.len()).contains(count)), "there was no part");
    assert!(solved.iter().all(|s| s.converged) && (solved[0].dual - solved[1].dual).abs() <= 1e-3 * solved[1].dual.abs());
    (parts, solved)
}

#[test]
fn a_problem_solved_in_parts_is_solved_as_a_whole_and_rows_left_out_of_the_certificate_have_no_part_in_it() {
    let (points, problem) = many_rows(10.0);
    let (gram, [found, _]) = in_parts_and_as_a_whole(&points, &problem);
    certify(&gram, &problem, &found);
}

#[test]
fn groups_of_many_rows_keep_their_sums_in_parts() {
    // The dual of nu-SVC with nu = 0.4: from a part of each class at its bound.
    let (points, classes) = many_rows(1.0);
    let group: Vec<usize> = classes.target.iter().map(|y| usize::from(*y < 0.0)).collect();
    let mut left = [1700; 2];
    let at_bound = |&g: &usize| {
        left[g] -= i32::from(left[g] > 0);
        if left[g] > 0 { [1.0, -1.0][g] } else { 0.0 }
    };
    let start: Vec<f64> = group.iter().map(at_bound).collect();
    let sums = |coef: &[f64]| [0, 1].map(|g| coef.iter().zip(&group).filter(|(_, h)| **h == g).map(|(b, _)| b).sum::<f64>());
    let problem = Problem { target: vec![0.0; group.len()], start: Some(start.clone()), group: group.clone(), ..classes };
    let (gram, solved) = in_parts_and_as_a_whole(&points, &problem);
    for found in solved {
        for (sum, kept) in sums(&found.coef).into_iter().zip(sums(&start)) {
            assert!((sum - kept).abs() <= 1e-8 && kept.abs() == 1699.0, "{sum} and {kept}");
        }
        // In each group no slope where b may rise is above one where it may fall by more than the tolerance.
        let support: Vec<usize> = (0..group.len()).filter(|&k| found.coef[k] != 0.0).collect();
        let slope = |k: usize| -support.iter().map(|&s| found.coef[s] * gram.value(points[k], points[s])).sum::<f64>();
        let (mut top, mut bottom) = ([f64::NEG_INFINITY; 2], [f64::INFINITY; 2]);
        for (k, &g) in group.iter().enumerate() {
            let (v, b) = (slope(k), found.coef[k]);
            top[g] = if b < problem.high[k] { v.max(top[g]) } else { top[g] };
            bottom[g] = if b > problem.low[k] { v.min(bottom[g]) } else { bottom[g] };
        }
        let violation = (top[0] - bottom[0]).max(top[1] - bottom[1]);
        assert!((violation - found.violation).abs() <= 1e-9 && violation <= 1e-3, "{violation} and {}", found.violation);
    }
}

#[test]
fn a_search_of_the_penalty_takes_hardly_more_kernel_values_than_the_machine_that_it_finds() {
    let points = many_rows(1.0).0[..2100].to_vec();
    let second = |(i, p): (usize, &[f64; 2])| p[0] + 0.5 * (3.0 * p[1]).sin() + 0.6 * (i as f64 * 7.77).sin() > 0.0;
    let codes = points.iter().enumerate().map(|row| usize::from(second(row))).collect();
    let (target, control) = (Target::Classes { codes, names: vec!["no".into(), "yes".into()] }, Control::default());
    let grams = [(); 2].map(|()| Bells::new(points.clone(), 4.0, true));
    let [of_search, of_machine] =
        grams.each_ref().map(|gram| Task { view: View::Values(gram), target: &target, weights: None, control: &control, seed: 1 });
    let found = NuSvc { nu: 0.3.into(), ..NuSvc::default() }.fit(&of_search).unwrap();
    let note = &found.summary().notes[1];
    let c: f64 = note.split("c = ").nth(1).and_then(|rest| rest.split(' ').next()).unwrap().parse().unwrap();
    // The search solves to a tenth of its tolerance.
    let machine = Svc { c: c.into(), tolerance: 1e-4.into(), ..Svc::default() }.fit(&of_machine).unwrap();
    let [objective, expected] = [&found, &machine].map(|fitted| fitted.summary().objective.unwrap());
    assert!(found.summary().converged && (objective / expected - 1.0).abs() <= 1e-3, "{objective} and {expected}");
    let [search, alone] = grams.each_ref().map(Bells::computed);
    assert!(2 * search <= 3 * alone, "{search} kernel values of the search, {alone} of the machine");
}
