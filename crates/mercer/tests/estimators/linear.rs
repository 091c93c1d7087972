//! Linear machines: optimality, equal bits, weights, sparse and dense rows, stopping.

use mercer::control::{Control, with_threads};
use mercer::data::{Column, Dataset, Points, Target, TargetInfo, Values};
use mercer::error::{Error, Result};
use mercer::estimators::{Estimator, Task, TubeLoss, View, ViewKind, Want};
use mercer::estimators::{EstimatorExpr, Expansion, Fitted, HingeLoss, LinearSolver, LinearSvc, LinearSvr, Predicted, Query, Summary};
use mercer::kernels::KernelExpr;
use mercer::learner::Learner;
use mercer::linalg::Matrix;
use mercer::param::Value;
use mercer::solve::hinge_mixture;
use mercer::store;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// What both machines are told.
#[derive(Clone, Copy, Debug)]
struct Linear {
    c: f64,
    squared: bool,
    constant: f64,
    primal: bool,
    tolerance: f64,
    max_iterations: usize,
}

/// What a fit left.
#[derive(Clone, Debug, PartialEq)]
struct Found {
    expansion: Expansion,
    summary: Summary,
}

impl Found {
    /// The weights of an output.
    fn weights(&self, output: usize) -> Vec<f64> {
        self.expansion.weights.as_ref().unwrap().col(output)
    }
}

const TIGHT: Linear = Linear { c: 0.7, squared: true, constant: 1.0, primal: false, tolerance: 1e-10, max_iterations: 100_000 };

impl Linear {
    fn solver(&self) -> LinearSolver {
        if self.primal { LinearSolver::Primal } else { LinearSolver::Dual }
    }
    fn svc(&self) -> LinearSvc {
        LinearSvc {
            c: Value::Number(self.c),
            loss: if self.squared { HingeLoss::SquaredHinge } else { HingeLoss::Hinge },
            intercept_scale: Value::Number(self.constant),
            solver: self.solver(),
            tolerance: Value::Number(self.tolerance),
            max_iterations: Value::Number(self.max_iterations as f64),
            ..LinearSvc::default()
        }
    }
    /// In units of the target.
    fn svr(&self, epsilon: f64) -> LinearSvr {
        LinearSvr {
            c: Value::Number(self.c),
            epsilon: Value::Number(epsilon),
            loss: if self.squared { TubeLoss::SquaredEpsilonInsensitive } else { TubeLoss::EpsilonInsensitive },
            standardise_target: false,
            intercept_scale: Value::Number(self.constant),
            solver: self.solver(),
            tolerance: Value::Number(self.tolerance),
            max_iterations: Value::Number(self.max_iterations as f64),
        }
    }
}

/// A fit to points, whose features are their coordinates.
fn fitted<E: Estimator>(
    machine: &E,
    points: &Points,
    target: &Target,
    weights: Option<&[f64]>,
    control: &Control,
    seed: u64,
) -> Result<Found> {
    let data = Dataset::new(vec![Column { name: "x".into(), values: Values::Points(points.clone()) }])?;
    let bound = KernelExpr::parse("linear")?.bind(None, &data)?;
    let made = machine.fit(&Task { view: View::of(ViewKind::Features, bound.as_ref()), target, weights, control, seed })?;
    Ok(Found { expansion: made.expansion().cloned().unwrap(), summary: made.summary().clone() })
}

/// Rows of which about a share `full` of the cells is not 0, and a target that is nearly linear in them.
fn rows(n: usize, dim: usize, full: f64, seed: u64) -> (Vec<f64>, Vec<f64>) {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut cell = || random.random_range(-1.0..1.0);
    let truth: Vec<f64> = (0..dim).map(|_| cell()).collect();
    let x: Vec<f64> = (0..n * dim).map(|_| if (cell() + 1.0) / 2.0 < full { cell() } else { 0.0 }).collect();
    let y = (0..n).map(|i| (0..dim).map(|j| x[i * dim + j] * truth[j]).sum::<f64>() + 0.4 * cell() + 0.1).collect();
    (x, y)
}

fn dense(x: &[f64], dim: usize) -> Points {
    Points::dense(x.len() / dim, dim, x.to_vec()).unwrap()
}

fn sparse(x: &[f64], dim: usize) -> Points {
    let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
    for row in x.chunks(dim) {
        for (j, v) in row.iter().enumerate().filter(|(_, v)| **v != 0.0) {
            columns.push(j as u32);
            values.push(*v);
        }
        starts.push(values.len());
    }
    Points::csr(x.len() / dim, dim, starts, columns, values).unwrap()
}

fn signs(y: &[f64]) -> Target {
    Target::classes(&y.iter().map(|v| if *v > 0.0 { "up" } else { "down" }).collect::<Vec<_>>())
}

/// The four losses, each by each method that it has.
fn settings() -> Vec<(Linear, bool)> {
    let of = |squared, primal| Linear { squared, primal, ..TIGHT };
    [of(false, false), of(true, false), of(true, true)].into_iter().flat_map(|l| [(l, true), (l, false)]).collect()
}

fn fit(points: &Points, y: &[f64], weights: Option<&[f64]>, (linear, classes): (Linear, bool)) -> Found {
    let control = Control::default();
    match classes {
        true => fitted(&linear.svc(), points, &signs(y), weights, &control, 3).unwrap(),
        false => fitted(&linear.svr(0.1), points, &Target::numbers(y), weights, &control, 3).unwrap(),
    }
}

/// The primal objective by its definition.
fn objective(x: &[f64], y: &[f64], model: &Found, (linear, classes): (Linear, bool)) -> f64 {
    let (w, b) = (model.weights(0), model.expansion.bias[0]);
    let losses = x.chunks(w.len()).zip(y).map(|(row, y)| {
        let f: f64 = row.iter().zip(&w).map(|(x, w)| x * w).sum::<f64>() + b;
        let left = if classes { (1.0 - y.signum() * f).max(0.0) } else { ((y - f).abs() - 0.1).max(0.0) };
        if linear.squared { left * left } else { left }
    });
    let offset = if linear.constant == 0.0 { 0.0 } else { b / linear.constant };
    linear.c * losses.sum::<f64>() + 0.5 * (w.iter().map(|w| w * w).sum::<f64>() + offset * offset)
}

// spec: S15
#[test]
fn no_step_from_the_solution_leads_lower_and_the_gap_says_so() {
    for (dim, full) in [(3, 1.0), (12, 0.3)] {
        let (x, y) = rows(150, dim, full, 1);
        let points = sparse(&x, dim);
        for (linear, classes) in settings() {
            let setting = (Linear { constant: 2.0, ..linear }, classes);
            let model = fit(&points, &y, None, setting);
            let summary = &model.summary;
            assert!(summary.converged, "{setting:?}: {summary:?}");
            let gap = summary.certificate.as_ref().unwrap().value;
            assert!((0.0..=1e-10).contains(&gap), "{gap}");
            let here = objective(&x, &y, &model, setting);
            assert!((summary.objective.unwrap() - here).abs() < 1e-9 * here);
            for k in 0..=dim {
                for step in [-1e-3, 1e-3, -1e-2, 1e-2] {
                    let mut other = model.clone();
                    if k < dim {
                        other.expansion.weights.as_mut().unwrap()[(k, 0)] += step
                    } else {
                        other.expansion.bias[0] += step
                    }
                    assert!(objective(&x, &y, &other, setting) > here, "{setting:?}: column {k}, step {step}");
                }
            }
        }
    }
}

// spec: S41
#[test]
fn expectation_and_maximisation_end_at_the_weights_of_the_solver_and_never_rise() {
    for (c, full) in [(0.7, 1.0), (20.0, 0.4)] {
        let (x, y) = rows(120, 5, full, 6);
        let machine = Linear { c, squared: false, constant: 0.0, ..TIGHT };
        let model = fit(&dense(&x, 5), &y, None, (machine, true));
        let z: Vec<f64> = y.iter().map(|y| y.signum()).collect();
        let rows = Matrix::new(120, 5, x.clone()).unwrap();
        let found = hinge_mixture::hinge(&rows, &z, c, (1e-12, 20_000), &Control::default()).unwrap();
        for (a, b) in found.weights.iter().zip(model.weights(0)) {
            assert!((a - b).abs() <= 1e-5, "c = {c}: {a} and {b} after {} steps", found.objectives.len());
        }
        for pair in found.objectives.windows(2) {
            assert!(pair[1] <= pair[0] * (1.0 + 1e-13), "c = {c}: {pair:?}");
        }
        // At the start every margin is 1, and the end is the objective of the machine.
        assert!((found.objectives[0] - 120.0 * c).abs() <= 1e-9 * c);
        let least = objective(&x, &y, &model, (machine, true));
        assert!((found.objectives[found.objectives.len() - 1] - least).abs() <= 1e-6 * least, "{least}");
    }
    let why = hinge_mixture::hinge(&Matrix::zeros(2, 1), &[1.0, -1.0], 0.0, (1e-9, 9), &Control::default()).unwrap_err().to_string();
    assert!(why.contains("above 0"), "{why}");
}

#[test]
fn both_methods_find_the_same_point() {
    let (x, y) = rows(300, 8, 0.5, 2);
    for classes in [true, false] {
        let [dual, primal] = [false, true].map(|primal| fit(&dense(&x, 8), &y, None, (Linear { primal, ..TIGHT }, classes)));
        for (a, b) in dual.weights(0).iter().zip(primal.weights(0)) {
            assert!((a - b).abs() < 1e-6, "{a} {b}");
        }
    }
}

#[test]
fn more_columns_than_rows_and_rows_of_zeros_and_no_intercept() {
    let (mut x, y) = rows(30, 80, 0.2, 4);
    x[..160].fill(0.0);
    for (linear, classes) in settings() {
        let setting = (Linear { constant: 0.0, ..linear }, classes);
        let model = fit(&sparse(&x, 80), &y, None, setting);
        assert!(model.summary.converged, "{setting:?}: {:?}", model.summary);
        assert!(model.expansion.bias[0].abs() == 0.0 && model.weights(0).iter().all(|w| w.is_finite()));
    }
}

#[test]
fn bits_are_the_same_for_any_number_of_threads() {
    let (x, y) = rows(9000, 20, 0.6, 5);
    let points = sparse(&x, 20);
    let three: Vec<String> = y.iter().map(|v| if v.abs() < 0.2 { "low".into() } else { format!("{}", v.signum()) }).collect();
    for primal in [false, true] {
        let linear = Linear { primal, tolerance: 1e-4, ..TIGHT };
        for target in [signs(&y), Target::classes(&three)] {
            let model =
                |threads| with_threads(threads, || fitted(&linear.svc(), &points, &target, None, &Control::default(), 3)).unwrap().unwrap();
            let one = model(1);
            assert_eq!(one, model(2));
            assert_eq!(one, model(5));
        }
    }
}

#[test]
fn weights_are_repeated_rows_and_a_weight_of_zero_is_an_absent_row() {
    let (x, y) = rows(60, 4, 1.0, 6);
    let weights: Vec<f64> = (0..60).map(|i| [1.0, 2.0, 0.0, 3.0][i % 4]).collect();
    let repeated: Vec<usize> = (0..60).flat_map(|i| vec![i; weights[i] as usize]).collect();
    let xs: Vec<f64> = repeated.iter().flat_map(|&i| x[4 * i..4 * i + 4].to_vec()).collect();
    let ys: Vec<f64> = repeated.iter().map(|&i| y[i]).collect();
    for setting in settings() {
        let (weighed, whole) = (fit(&dense(&x, 4), &y, Some(&weights), setting), fit(&dense(&xs, 4), &ys, None, setting));
        for (a, b) in weighed.weights(0).iter().zip(whole.weights(0)) {
            assert!((a - b).abs() < 1e-5, "{setting:?}: {a} {b}");
        }
        assert!((weighed.summary.objective.unwrap() - whole.summary.objective.unwrap()).abs() < 1e-8);
    }
}

#[test]
fn sparse_rows_are_dense_rows() {
    let (x, y) = rows(200, 10, 0.4, 7);
    for setting in settings() {
        let (a, b) = (fit(&dense(&x, 10), &y, None, setting), fit(&sparse(&x, 10), &y, None, setting));
        let near = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-6);
        assert!(near(&a.weights(0), &b.weights(0)) && near(&a.expansion.bias, &b.expansion.bias), "{setting:?}");
    }
}

#[test]
fn every_class_stands_against_the_rest() {
    let (x, y) = rows(300, 6, 1.0, 8);
    let names: Vec<&str> = y
        .iter()
        .map(|v| {
            if *v < -0.3 {
                "a"
            } else if *v < 0.4 {
                "b"
            } else {
                "c"
            }
        })
        .collect();
    let target = Target::classes(&names);
    let control = Control::default();
    let points = dense(&x, 6);
    let data = Dataset::new(vec![Column { name: "x".into(), values: Values::Points(points.clone()) }]).unwrap();
    let bound = KernelExpr::parse("linear").unwrap().bind(None, &data).unwrap();
    let view = View::of(ViewKind::Features, bound.as_ref());
    let task = Task { view, target: &target, weights: None, control: &control, seed: 0 };
    let model = TIGHT.svc().fit(&task).unwrap();
    let weights = model.expansion.weights.clone().unwrap();
    assert_eq!((weights.rows(), weights.cols()), (6, 3));
    for (k, name) in ["a", "b", "c"].iter().enumerate() {
        let alone = Target::classes(&names.iter().map(|n| if n == name { "z" } else { "rest" }).collect::<Vec<_>>());
        let one = fitted(&TIGHT.svc(), &points, &alone, None, &control, 0).unwrap();
        assert_eq!(one.weights(0), weights.col(k));
    }
    let want = Want { scores: true, ..Want::default() };
    let found = model.predict(&Query::of(view, want, &control)).unwrap();
    let (Predicted::Classes(codes), Some(scores)) = (found.values, found.scores) else { panic!("no classes") };
    for (i, &code) in codes.iter().enumerate() {
        let row: Vec<f64> = (0..3).map(|k| (0..6).map(|j| x[6 * i + j] * weights[(j, k)]).sum::<f64>() + model.expansion.bias[k]).collect();
        assert!((0..3).all(|k| (scores[(i, k)] - row[k]).abs() <= 1e-12 && row[k] <= row[code]), "row {i}");
    }
    let Target::Classes { codes: truth, .. } = &target else { return };
    assert!(codes.iter().zip(truth).filter(|(a, b)| a == b).count() > 200);
    // Factors count where a class stands against the rest; balanced ones are the number of rows over three times those of the class.
    let count = |k: usize| truth.iter().filter(|c| **c == k).count() as f64;
    let factors: Vec<f64> = (0..3).map(|k| 300.0 / (3.0 * count(k))).collect();
    let balanced = LinearSvc { class_weight: mercer::estimators::ClassWeight::Balanced, ..TIGHT.svc() };
    assert_eq!(balanced.fit(&task).unwrap(), TIGHT.svc().fit_by_class(&task, &factors).unwrap());
    let weighed: Vec<f64> = truth.iter().map(|c| if *c == 1 { factors[1] } else { 1.0 }).collect();
    let alone = Target::classes(&names.iter().map(|n| if *n == "b" { "z" } else { "rest" }).collect::<Vec<_>>());
    let one = fitted(&TIGHT.svc(), &points, &alone, Some(&weighed), &control, 0).unwrap();
    let of_balanced = balanced.fit(&task).unwrap().expansion.weights.unwrap().col(1);
    assert!(one.weights(0).iter().zip(&of_balanced).all(|(a, b)| (a - b).abs() <= 1e-9));
}

#[test]
fn out_of_steps_or_time_the_best_point_comes_with_its_gap() {
    let (x, y) = rows(400, 10, 1.0, 9);
    for setting in settings() {
        let few = (Linear { max_iterations: 1, ..setting.0 }, setting.1);
        let model = fit(&dense(&x, 10), &y, None, few);
        assert!(!model.summary.converged && model.summary.certificate.unwrap().value > 1e-10);
        let late = Control::default().with_seconds(0.0);
        let target = Target::numbers(&y);
        let none = fitted(&setting.0.svr(0.1), &dense(&x, 10), &target, None, &late, 0).unwrap();
        assert!(!none.summary.converged && none.weights(0).iter().all(|w| w.is_finite()));
        let stopped = Control::default();
        stopped.cancel.cancel();
        let end = fitted(&setting.0.svr(0.1), &dense(&x, 10), &target, None, &stopped, 0);
        assert!(matches!(end, Err(Error::Cancelled)));
    }
}

#[test]
fn what_makes_no_sense_is_refused_in_words() {
    let (x, y) = rows(10, 2, 1.0, 10);
    let (points, control) = (dense(&x, 2), Control::default());
    let said = |linear: Linear, target: &Target, weights: Option<&[f64]>| {
        fitted(&linear.svc(), &points, target, weights, &control, 0).unwrap_err().to_string()
    };
    assert!(said(TIGHT, &Target::numbers(&y), None).contains("predicts classes"));
    assert!(said(TIGHT, &Target::classes(&["a"; 10]), None).contains("at least two classes"));
    assert!(said(TIGHT, &signs(&y), Some(&[0.0; 10])).contains("weight above 0"));
    assert!(said(TIGHT, &signs(&y), Some(&[-1.0; 10])).contains("row 1 has the weight -1"));
    assert!(said(Linear { c: 0.0, ..TIGHT }, &signs(&y), None).contains("c=0"));
    let values = EstimatorExpr::parse("linear_svc(solver=primal, loss=hinge, c=1)").unwrap();
    assert_eq!(values.to_string(), "linear_svc(c=1, loss=hinge, solver=primal)");
    assert!(said(Linear { squared: false, primal: true, ..TIGHT }, &signs(&y), None).contains("needs a squared loss"));
    let short = fitted(&TIGHT.svr(0.0), &points, &Target::Numbers(Matrix::zeros(9, 1)), None, &control, 0);
    assert!(short.unwrap_err().to_string().contains("expected 10, found 9"));
}

/// Rows of numbers and a label as a table.
fn table(x: &[f64], dim: usize) -> Dataset {
    let column = |j: usize| Column { name: format!("x{j}"), values: Values::Numbers(x.iter().skip(j).step_by(dim).copied().collect()) };
    Dataset::new((0..dim).map(column).collect()).unwrap()
}

// The problem in standardised columns and standard deviations of the target, put together here from its definition.
#[test]
fn a_learner_standardises_tunes_and_stores_weights_alone() {
    let (x, y) = rows(200, 5, 1.0, 11);
    let (data, target, control) = (table(&x, 5), Target::numbers(&y), Control::default());
    let estimator = EstimatorExpr::parse("linear_svr(c=0.1..10, epsilon=0.2, loss=squared_epsilon_insensitive)").unwrap();
    let model = Learner::new(estimator).fit(&data, &target, &TargetInfo::of(&target), None, &control).unwrap();
    assert_eq!(model.kernel.expr().to_string(), "linear");
    assert_eq!(model.support.rows(), 0);
    let c = model.estimator.values().iter().find(|own| own.path == "c").unwrap().value.number();
    assert!((0.1..=10.0).contains(&c), "{c}");
    let tuning = model.about.tuning.as_ref().unwrap();
    assert!(tuning.evaluations > 3 && tuning.value.is_some_and(|rmse| rmse > 0.0 && rmse < 0.6), "{tuning:?}");
    let stored = store::from_bytes(&store::to_bytes(&model).unwrap(), "model").unwrap();
    assert_eq!(stored, model);
    let moments = |v: &[f64]| {
        let mean = v.iter().sum::<f64>() / v.len() as f64;
        (mean, (v.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / v.len() as f64).sqrt())
    };
    let columns: Vec<(f64, f64)> = (0..5).map(|j| moments(&x.iter().skip(j).step_by(5).copied().collect::<Vec<_>>())).collect();
    let (mean, size) = moments(&y);
    let standard: Vec<f64> = x.iter().enumerate().map(|(k, v)| (v - columns[k % 5].0) / columns[k % 5].1).collect();
    let expansion = model.fitted.expansion().unwrap().clone();
    let weights = expansion.weights.unwrap();
    // f(x) = w'x + b in units of the target.
    let objective = |w: &[f64], b: f64| {
        let losses = standard.chunks(5).zip(&y).map(|(row, y)| {
            let f = row.iter().zip(w).map(|(x, w)| x * w).sum::<f64>() + b;
            (((y - mean) / size - f).abs() - 0.2).max(0.0).powi(2)
        });
        c * losses.sum::<f64>() + 0.5 * (w.iter().map(|w| w * w).sum::<f64>() + b * b)
    };
    let (w, b): (Vec<f64>, f64) = (weights.col(0).iter().map(|w| w / size).collect(), (expansion.bias[0] - mean) / size);
    let here = objective(&w, b);
    assert!((model.fitted.summary().objective.unwrap() - here).abs() <= 1e-9 * here);
    for k in 0..6 {
        for step in [-0.02, 0.02] {
            let (mut w, mut b) = (w.clone(), b);
            if k < 5 {
                w[k] += step
            } else {
                b += step
            }
            assert!(objective(&w, b) > here, "column {k}, step {step}");
        }
    }
}
