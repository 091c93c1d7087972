//! Support vector machines of all classes at once, as problems: objectives of other solvers, certificates, hand-solved cases, limits.

use crate::made;

use made::*;
use mercer::control::{CancelFlag, Control};
use mercer::error::Error;
use mercer::gram::{Dense, Gram, Side};
use mercer::kernels::KernelExpr;
use mercer::linalg::Matrix;
use mercer::solve::joint::{JointLoss, JointProblem, JointSolution, Offsets, solve};
use mercer::solve::smo::Options;

const BOTH: [JointLoss; 2] = [JointLoss::WestonWatkins, JointLoss::CrammerSinger];

/// Three classes in the plane with blurred borders.
fn three(set: usize, n: usize) -> (Rows, Vec<usize>) {
    let (x, e) = (points(set, n, 2), errors(set, n));
    let class = |i: usize| match (x[i][0] + 0.5 * e[i], x[i][1] - 0.5 * e[i]) {
        (r, _) if r < -0.2 => 0,
        (_, u) if u > 0.1 => 1,
        _ => 2,
    };
    let classes = (0..n).map(class).collect();
    (x, classes)
}

fn problem(class: &[usize], cost: Vec<f64>, loss: JointLoss, offsets: Offsets) -> JointProblem {
    let classes = class.iter().max().map_or(0, |most| most + 1).max(2);
    JointProblem { class: class.to_vec(), classes, cost, loss, offsets, start: None }
}

fn solved(gram: &Dense, problem: &JointProblem, tolerance: f64) -> JointSolution {
    solve(gram, problem, &Options { tolerance, ..Options::default() }, &Control::default()).unwrap()
}

/// Objectives of the primal and of the dual, written out from their formulas.
fn objectives(gram: &Dense, problem: &JointProblem, solution: &JointSolution) -> (f64, f64) {
    let (n, classes, k) = (problem.class.len(), problem.classes, gram.matrix());
    let f = |i: usize, c: usize| (0..n).map(|j| k[(i, j)] * solution.coef[(j, c)]).sum::<f64>();
    let (mut square, mut losses, mut linear) = (0.0, 0.0, 0.0);
    for (i, &y) in problem.class.iter().enumerate() {
        let values: Vec<f64> = (0..classes).map(|c| f(i, c)).collect();
        square += (0..classes).map(|c| solution.coef[(i, c)] * values[c]).sum::<f64>();
        let lacks = |c: usize| (1.0 - (values[y] + solution.offsets[y] - values[c] - solution.offsets[c])).max(0.0);
        let others: Vec<f64> = (0..classes).filter(|c| *c != y).map(lacks).collect();
        losses += problem.cost[i]
            * match problem.loss {
                JointLoss::WestonWatkins => others.iter().sum::<f64>(),
                JointLoss::CrammerSinger => others.iter().copied().fold(0.0, f64::max),
            };
        linear += solution.coef[(i, y)];
    }
    (0.5 * square + losses, linear - 0.5 * square)
}

/// Every bound, and every sum, of the dual.
#[track_caller]
fn is_feasible(problem: &JointProblem, solution: &JointSolution) {
    let scale: f64 = problem.cost.iter().sum::<f64>() * problem.classes as f64;
    for (i, &y) in problem.class.iter().enumerate() {
        let (row, cost) = (solution.coef.row(i), problem.cost[i]);
        close(row.iter().sum(), 0.0, 1e-12 * cost.max(1.0));
        let most = match problem.loss {
            JointLoss::WestonWatkins => cost * (problem.classes - 1) as f64,
            JointLoss::CrammerSinger => cost,
        };
        assert!(row[y] >= 0.0 && row[y] <= most * (1.0 + 1e-12), "{row:?}");
        let least = -cost * (1.0 + 1e-12);
        assert!(row.iter().enumerate().all(|(c, b)| c == y || (*b <= 0.0 && *b >= least)), "{row:?}");
    }
    if problem.offsets == Offsets::Free {
        (0..problem.classes).for_each(|c| close(solution.coef.col(c).iter().sum(), 0.0, 1e-12 * scale.max(1.0)));
    }
}

// scikit-learn 1.9.1 (LIBLINEAR), LinearSVC(multi_class="crammer_singer", fit_intercept=False, C=C, tol=1e-9, max_iter=10**7): the objective
// 1/2 |W|^2 + C sum of losses at its coefficients. (set, N, C, objective)
const LIBLINEAR: [(usize, usize, f64, f64); 3] =
    [(20, 90, 1.0, 55.19938260625739), (21, 60, 0.1, 4.259770065205267), (22, 120, 10.0, 562.2148791471159)];

// spec: S31
#[test]
fn the_linear_problem_of_crammer_and_singer_has_the_objective_of_liblinear() {
    for (set, n, c, objective) in LIBLINEAR {
        let (x, class) = three(set, n);
        let gram = square(&x, |a, b| dot(a, b));
        let problem = problem(&class, vec![c; n], JointLoss::CrammerSinger, Offsets::Zero);
        let found = solved(&gram, &problem, 1e-7);
        assert!(found.converged, "{set}: {} {}", found.gap, found.violation);
        close(found.primal / objective, 1.0, 1e-6);
        is_feasible(&problem, &found);
    }
}

// The dual problems with the kernel exp(-|x - z|^2) by scipy 1.17.1 optimize.minimize(method="SLSQP", ftol=1e-15): (set, N, C, loss, offsets,
// objective, objective where rows count 1, 2, 1/2 in turn).
type SlsqpObjective = (usize, usize, f64, JointLoss, Offsets, f64, f64);

const SLSQP: [SlsqpObjective; 8] = [
    (23, 30, 1.0, JointLoss::WestonWatkins, Offsets::Zero, 12.81759241, 14.40150982),
    (23, 30, 1.0, JointLoss::WestonWatkins, Offsets::Free, 12.63689447, 14.24135600),
    (23, 30, 1.0, JointLoss::CrammerSinger, Offsets::Zero, 11.37843638, 13.42056885),
    (23, 30, 1.0, JointLoss::CrammerSinger, Offsets::Free, 11.28373482, 13.34542857),
    (24, 36, 5.0, JointLoss::WestonWatkins, Offsets::Zero, 43.90587636, 34.47300677),
    (24, 36, 5.0, JointLoss::WestonWatkins, Offsets::Free, 43.30409999, 33.42136550),
    (24, 36, 5.0, JointLoss::CrammerSinger, Offsets::Zero, 42.51505506, 33.32641658),
    (24, 36, 5.0, JointLoss::CrammerSinger, Offsets::Free, 42.15254569, 32.76822576),
];

// spec: S31
#[test]
fn objectives_are_those_of_a_general_solver_and_of_their_formulas() {
    for (set, n, c, loss, offsets, plain, weighted) in SLSQP {
        let (x, class) = three(set, n);
        let gram = square(&x, |a, b| rbf(1.0)(a, b));
        let in_turn = (0..n).map(|i| c * [1.0, 2.0, 0.5][i % 3]).collect();
        for (cost, expected) in [(vec![c; n], plain), (in_turn, weighted)] {
            let problem = problem(&class, cost, loss, offsets);
            let found = solved(&gram, &problem, 1e-6);
            assert!(found.converged, "{set} {loss:?} {offsets:?}: {} {}", found.gap, found.violation);
            close(found.dual / expected, 1.0, 1e-5);
            let (primal, dual) = objectives(&gram, &problem, &found);
            close(found.primal / primal, 1.0, 1e-11);
            close(found.dual / dual, 1.0, 1e-11);
            close(found.gap, (primal - dual) / primal.max(dual), 1e-11);
            assert!(found.gap >= 0.0);
            is_feasible(&problem, &found);
        }
    }
}

// Two rows at -1 and 1 on a line, one of each class, f_2 - f_1 = w x. With w_2 = -w_1 = w / 2 the problem is w^2 / 4 + 2 C max(0, 1 - w): w = 1 where
// C >= 1/4, else w = 4 C.
#[test]
fn two_rows_are_solved_by_hand() {
    let gram = square(&[-1.0, 1.0], |a, b| a * b);
    for (c, w) in [(10.0, 1.0), (0.1, 0.4)] {
        for loss in BOTH {
            for offsets in [Offsets::Free, Offsets::Zero] {
                let found = solved(&gram, &problem(&[0, 1], vec![c; 2], loss, offsets), 1e-9);
                assert!(found.converged, "{found:?}");
                let weight = |class: usize| found.coef[(1, class)] - found.coef[(0, class)];
                close(weight(1) - weight(0), w, 1e-7);
                close(found.primal, 0.25 * w * w + 2.0 * c * (1.0 - w), 1e-7);
                close(found.offsets[1] - found.offsets[0], 0.0, 1e-6);
            }
        }
    }
}

// All rows equal, three classes of 1, 2 and 3 rows: f is the same everywhere and offsets alone decide. Weston and Watkins: with d = b_2 - b_1 and
// e = b_3 - b_2 the loss is (3 - d) + (5 - e) + (1 + d + e) = 9 wherever d, e <= 1 <= d + e, and more elsewhere. Crammer and Singer: with
// b = (0, 0, t) it is 3 (1 - t) + 3 (1 + t) = 6 for t in 0..1.
#[test]
fn equal_rows_are_decided_by_the_offsets() {
    let gram = square(&[1.0; 6], |a, b| a * b);
    let class = [0, 1, 1, 2, 2, 2];
    for (loss, objective) in [(JointLoss::WestonWatkins, 9.0), (JointLoss::CrammerSinger, 6.0)] {
        let found = solved(&gram, &problem(&class, vec![1.0; 6], loss, Offsets::Free), 1e-6);
        assert!(found.converged, "{found:?}");
        close(found.primal, objective, 1e-4);
        if loss == JointLoss::WestonWatkins {
            assert!(found.offsets[2] - found.offsets[0] >= 0.99, "{:?}", found.offsets);
        }
    }
}

// Where costs are small w is 0 and offsets alone decide. Of classes of 5, 11 and 14 rows Weston and Watkins' loss is, with d and e as above and d, e <= 1
// <= d + e, (16 - 6 d) + (25 - 3 e) + (5 + 5 d + 5 e) = 46 - d + 2 e: 45 at d = 1, e = 0. Crammer and Singer's is 30 at b = 0, and no less elsewhere: a
// rise t of the greatest class saves 14 t and costs 16 t.
#[test]
fn small_costs_leave_the_offsets_to_decide() {
    let x = points(42, 30, 2);
    let class: Vec<usize> = (0..30).map(|i| if i < 5 { 0 } else { 1 + usize::from(i >= 16) }).collect();
    let gram = square(&x, |a, b| rbf(1.0)(a, b));
    for (loss, each) in [(JointLoss::WestonWatkins, 45.0), (JointLoss::CrammerSinger, 30.0)] {
        for c in [1e-12, 1e-7] {
            let problem = problem(&class, vec![c; 30], loss, Offsets::Free);
            let found = solved(&gram, &problem, 1e-4);
            assert!(found.converged, "{loss:?} {c}: {} {}", found.gap, found.violation);
            close(found.primal / c, each, 1e-2);
        }
    }
}

// Every row three times, once of each class: f = 0 is optimal, and every row lacks 1 to both others.
#[test]
fn contradictory_rows_leave_nothing_to_learn() {
    let x = points(40, 12, 2);
    let (thrice, class): (Rows, Vec<usize>) = (0..3).flat_map(|c| x.iter().cloned().map(move |row| (row, c))).unzip();
    let gram = square(&thrice, |a, b| rbf(1.0)(a, b));
    for (loss, each) in [(JointLoss::WestonWatkins, 2.0), (JointLoss::CrammerSinger, 1.0)] {
        let found = solved(&gram, &problem(&class, vec![3.0; 36], loss, Offsets::Free), 1e-6);
        assert!(found.converged, "{} {}", found.gap, found.violation);
        close(found.primal, 3.0 * 36.0 * each, 1e-3);
    }
}

#[test]
fn one_row_for_each_class_and_extreme_costs_have_an_answer() {
    let x = points(41, 5, 2);
    let gram = square(&x, |a, b| rbf(1.0)(a, b));
    for loss in BOTH {
        for c in [1e-20, 1e-9, 1.0, 1e12] {
            let problem = problem(&[0, 1, 2, 3, 4], vec![c; 5], loss, Offsets::Free);
            let found = solved(&gram, &problem, 1e-3);
            // At so great a cost rounding of the margins is all of the gap, as it is for two classes; no row lacks anything.
            assert!(found.converged || c == 1e12, "{loss:?} {c}: {} {}", found.gap, found.violation);
            assert!(found.violation <= 1e-3 && found.gap <= 1.0);
            is_feasible(&problem, &found);
            let g = |i: usize, k: usize| (0..5).map(|j| gram.matrix()[(i, j)] * found.coef[(j, k)]).sum::<f64>() + found.offsets[k];
            if c == 1e12 {
                assert!((0..5).all(|i| (0..5).all(|k| k == i || g(i, i) - g(i, k) >= 0.99)));
            }
        }
    }
}

#[test]
fn a_cost_of_two_is_a_row_twice_and_a_cost_of_zero_none() {
    let (x, class) = three(25, 40);
    let times = |i: usize| i % 3;
    let (twice, of_twice): (Rows, Vec<usize>) = (0..40).flat_map(|i| std::iter::repeat_n((x[i].clone(), class[i]), times(i))).unzip();
    for loss in BOTH {
        let weighted = problem(&class, (0..40).map(|i| 2.0 * times(i) as f64).collect(), loss, Offsets::Free);
        let repeated = problem(&of_twice, vec![2.0; twice.len()], loss, Offsets::Free);
        let a = solved(&square(&x, |a, b| rbf(1.0)(a, b)), &weighted, 1e-7);
        let b = solved(&square(&twice, |a, b| rbf(1.0)(a, b)), &repeated, 1e-7);
        assert!(a.converged && b.converged);
        close(a.primal / b.primal, 1.0, 1e-6);
        assert!((0..40).filter(|i| times(*i) == 0).all(|i| a.coef.row(i).iter().all(|b| *b == 0.0)));
    }
}

#[test]
fn a_start_from_a_solution_takes_few_steps_and_one_beyond_the_bounds_is_brought_within() {
    let (x, class) = three(26, 60);
    let gram = square(&x, |a, b| rbf(1.0)(a, b));
    for loss in BOTH {
        let cold = problem(&class, vec![1.0; 60], loss, Offsets::Free);
        let first = solved(&gram, &cold, 1e-4);
        let warm = JointProblem { start: Some((first.coef.clone(), first.offsets.clone())), ..cold.clone() };
        let again = solved(&gram, &warm, 1e-4);
        assert!(again.converged && 5 * again.iterations <= first.iterations, "{} {}", again.iterations, first.iterations);
        let less = JointProblem { cost: vec![0.3; 60], ..warm };
        let found = solved(&gram, &less, 1e-6);
        is_feasible(&less, &found);
        close(found.primal / solved(&gram, &JointProblem { start: None, ..less }, 1e-6).primal, 1.0, 1e-5);
    }
}

#[test]
fn features_lead_where_kernel_values_do() {
    let (x, class) = three(28, 150);
    let bound = KernelExpr::parse("linear").unwrap().bind(None, &table_of(&x)).unwrap();
    let values = square(&x, |a, b| dot(a, b));
    assert!(bound.structure().dense_features(Side::Rows).is_some() && values.structure().dense_features(Side::Rows).is_none());
    for loss in BOTH {
        for offsets in [Offsets::Free, Offsets::Zero] {
            let problem = problem(&class, vec![1.0; 150], loss, offsets);
            let by_values = solved(&values, &problem, 1e-5);
            let options = Options { tolerance: 1e-5, ..Options::default() };
            let by_features = solve(bound.as_ref(), &problem, &options, &Control::default()).unwrap();
            assert!(by_values.converged && by_features.converged, "{loss:?} {offsets:?}");
            close(by_features.primal / by_values.primal, 1.0, 2e-5);
            is_feasible(&problem, &by_features);
            let (primal, dual) = objectives(&values, &problem, &by_features);
            close(by_features.primal / primal, 1.0, 1e-10);
            close(by_features.dual / dual, 1.0, 1e-10);
        }
    }
}

// Steps of single rows alone took 1.2 million of them for the loss of Weston and Watkins, 1.6 million for that of Crammer and Singer.
#[test]
fn large_costs_take_few_steps() {
    let (x, class) = three(31, 200);
    let gram = square(&x, |a, b| rbf(1.0)(a, b));
    for loss in BOTH {
        let problem = problem(&class, vec![256.0; 200], loss, Offsets::Free);
        let found = solved(&gram, &problem, 1e-3);
        let (primal, dual) = objectives(&gram, &problem, &found);
        assert!(
            found.converged && (primal - dual).abs() <= 1e-3 * primal && found.iterations <= 30_000,
            "{loss:?}: {} steps",
            found.iterations
        );
        is_feasible(&problem, &found);
        let tight = solved(&gram, &problem, 1e-8);
        assert!(tight.converged && tight.dual <= found.primal && found.dual <= tight.primal && tight.iterations <= 60_000);
    }
}

#[test]
fn limits_give_the_best_point_with_its_gap_and_cancelling_gives_nothing() {
    let (x, class) = three(27, 150);
    let gram = square(&x, |a, b| rbf(4.0)(a, b));
    for loss in BOTH {
        let problem = problem(&class, vec![20.0; 150], loss, Offsets::Free);
        let full = solved(&gram, &problem, 1e-4);
        let few = solve(&gram, &problem, &Options { max_iterations: 40, ..Options::default() }, &Control::default()).unwrap();
        assert!(!few.converged && few.iterations == 40 && few.gap > 1e-3 && few.dual <= full.primal && few.primal >= full.dual);
        is_feasible(&problem, &few);
        let late = solve(&gram, &problem, &Options::default(), &Control::default().with_seconds(0.0)).unwrap();
        // f = 0: the gap is all of the losses.
        assert!(!late.converged && late.iterations == 0);
        close(late.gap, 1.0, 1e-12);
        let cancel = CancelFlag::default();
        cancel.cancel();
        let stopped = solve(&gram, &problem, &Options::default(), &Control { cancel, ..Control::default() });
        assert!(matches!(stopped, Err(Error::Cancelled)));
    }
}

#[test]
fn sizes_that_do_not_fit_and_costs_that_are_no_numbers_are_refused() {
    let gram = square(&[-1.0, 1.0], |a, b| a * b);
    let good = problem(&[0, 1], vec![1.0; 2], JointLoss::WestonWatkins, Offsets::Free);
    let refused = |problem: JointProblem| solve(&gram, &problem, &Options::default(), &Control::default()).is_err();
    assert!(!refused(good.clone()));
    assert!(refused(JointProblem { class: vec![0, 2], ..good.clone() }));
    assert!(refused(JointProblem { class: vec![0], ..good.clone() }));
    assert!(refused(JointProblem { cost: vec![1.0, f64::NAN], ..good.clone() }));
    assert!(refused(JointProblem { start: Some((Matrix::zeros(2, 3), vec![0.0; 2])), ..good }));
}
