//! Long computations look up while they go on: a flag raised from another thread, or time that runs out, ends each of them.
//! What is asserted is that the call returned the named error, not how long it took.

use crate::made;

use made::{errors, points, rbf, square};
use mercer::control::{CancelFlag, Control};
use mercer::data::Target;
use mercer::error::{Error, Result};
use mercer::estimators::{EstimatorExpr, Fitted, Needs, Predicted, Query, Task, View, Want};
use mercer::gram::{self, Block, FeatureSource, Features, Gram, PairWeights, RowFeatures, Side, Structure};
use mercer::kernels::KernelExpr;
use mercer::linalg::{Cholesky, Matrix, eigh, gramian_within, product_transposed_within, product_within};
use mercer::testkit;
use std::borrow::Cow;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// A well-conditioned symmetric matrix.
fn smooth(n: usize) -> Matrix {
    Matrix::from_fn(n, n, |i, j| (-((i as f64 - j as f64) / 7.0).powi(2)).exp() + if i == j { 0.5 } else { 0.0 })
}

/// Work on prepared data.
type Work = Box<dyn FnOnce(&Control) -> Result<()>>;

/// Begins the work on larger and larger data, a watchdog beside it; a machine that is done before the watchdog wakes gets
/// the next size.
fn is_stopped(what: &str, prepare: impl Fn(usize) -> Work) {
    let sizes = [500, 1000, 2000, 4000];
    let cancelled = sizes.iter().any(|&n| {
        let work = prepare(n);
        let control = Control::default();
        let flag = control.cancel.clone();
        let watchdog = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(2));
            flag.cancel();
        });
        let outcome = work(&control);
        watchdog.join().unwrap();
        match outcome {
            Err(Error::Cancelled) => true,
            Ok(()) => false,
            Err(e) => panic!("{what}: {e}"),
        }
    });
    assert!(cancelled, "{what} never looked up");
    let late = sizes.iter().any(|&n| {
        let work = prepare(n);
        let control = Control { hard_deadline: Some(Instant::now() + Duration::from_millis(1)), ..Control::default() };
        match work(&control) {
            Err(Error::Time { .. }) => true,
            Ok(()) => false,
            Err(e) => panic!("{what}: {e}"),
        }
    });
    assert!(late, "{what} never looked at the clock");
}

/// Asserts that work on a symmetric matrix stops when cancelled or out of time.
fn stops_on_a_matrix(what: &str, work: impl Fn(Matrix, &Control) -> Result<()> + Clone + 'static) {
    is_stopped(what, |n| {
        let (a, work) = (smooth(n), work.clone());
        Box::new(move |control| work(a, control))
    });
}

/// Asserts that work on a Cholesky factor stops when cancelled or out of time.
fn stops_on_a_factor(what: &str, work: impl Fn(Cholesky, &Control) -> Result<()> + Clone + 'static) {
    is_stopped(what, |n| {
        let (c, work) = (Cholesky::new(smooth(n), &Control::default()).unwrap(), work.clone());
        Box::new(move |control| work(c, control))
    });
}

#[test]
fn factorisations_inverses_and_solves_end_when_a_flag_is_raised_or_time_is_up() {
    stops_on_a_matrix("Cholesky factorisation", |a, control| Cholesky::new(a, control).map(|_| ()));
    stops_on_a_matrix("eigendecomposition", |a, control| eigh(a, control).map(|_| ()));
    stops_on_a_factor("inverse", |c, control| c.into_inverse(control).map(|_| ()));
    stops_on_a_factor("diagonal of the inverse", |c, control| c.inverse_diagonal(control).map(|_| ()));
    stops_on_a_factor("solve", |c, control| {
        let b = Matrix::zeros(c.pivots().len(), 600);
        c.solve(&b, control).map(|_| ())
    });
    stops_on_a_factor("solve with a packed factor", |c, control| {
        let mut rows = Matrix::zeros(600, c.pivots().len());
        c.into_lower().solve_rows(&mut rows, control)
    });
}

#[test]
fn products_of_large_matrices_end_when_a_flag_is_raised_or_time_is_up() {
    stops_on_a_matrix("product", |a, control| product_within(&a, &a, control).map(|_| ()));
    stops_on_a_matrix("product with a transpose", |a, control| product_transposed_within(&a, &a, control).map(|_| ()));
    stops_on_a_matrix("A A'", |a, control| gramian_within(&a, control).map(|_| ()));
}

#[test]
fn gram_matrices_gradients_and_bound_repairs_end_when_a_flag_is_raised_or_time_is_up() {
    is_stopped("Gram matrix", |n| {
        let data = testkit::table(2 * n, 3);
        Box::new(move |control| {
            let bound = KernelExpr::parse("on([a, b], rbf(length_scale=1))")?.bind_within(None, &data, control)?;
            gram::dense(bound.as_ref(), control).map(|_| ())
        })
    });
    is_stopped("gradient", |n| {
        let (weights, data) = (PairWeights::All(smooth(n)), testkit::table(n, 3));
        Box::new(move |control| {
            let kernel = KernelExpr::parse("exp(on([a, b], rbf(length_scale=1)) * on([a, b], rbf(length_scale=2)))")?;
            kernel.bind_within(None, &data, control)?.gradient(&weights, control).map(|_| ())
        })
    });
    is_stopped("repair", |n| {
        let data = testkit::table(n, 3);
        Box::new(move |control| {
            KernelExpr::parse("clip(on([a, b], sigmoid(gamma=1, offset=1)))")?.bind_within(None, &data, control).map(|_| ())
        })
    });
}

/// Kernel values that have a flag raised when a few tiles of them were asked for.
struct Raising<'a> {
    of: &'a dyn Gram,
    flag: CancelFlag,
    asked: AtomicUsize,
    /// Tiles that were asked for although the flag was raised.
    late: AtomicUsize,
}

impl Raising<'_> {
    fn count(&self) {
        self.late.fetch_add(usize::from(self.flag.is_cancelled()), Ordering::SeqCst);
        if self.asked.fetch_add(1, Ordering::SeqCst) == 2 {
            self.flag.cancel();
        }
    }
}

impl Gram for Raising<'_> {
    fn shape(&self) -> (usize, usize) {
        self.of.shape()
    }
    fn fill(&self, rows: Range<usize>, cols: Range<usize>, out: Block<'_, f64>) {
        self.count();
        self.of.fill(rows, cols, out);
    }
    fn structure(&self) -> Structure<'_> {
        Structure::Features(self)
    }
    fn fill_f32(&self, rows: &[usize], cols: Range<usize>, out: Block<'_, f32>) {
        self.count();
        self.of.fill_f32(rows, cols, out);
    }
    fn diagonal(&self, side: Side) -> Vec<f64> {
        self.of.diagonal(side)
    }
}

/// All at once: the flag is raised as they are handed out.
impl FeatureSource for Raising<'_> {
    fn dense(&self, side: Side) -> Option<Cow<'_, Matrix>> {
        let features = self.of.structure().dense_features(side)?;
        self.asked.fetch_add(1, Ordering::SeqCst);
        self.flag.cancel();
        Some(features)
    }
}

#[test]
fn predictions_of_every_estimator_end_within_a_block_of_rows_after_a_flag_is_raised() {
    let (n, m) = (120, 9000);
    let (x, new) = (points(1, n, 2), points(2, m, 2));
    let gram = square(&x, |a, b| rbf(0.7)(a, b));
    let features = |rows: &[Vec<f64>]| Features::Dense(Cow::Owned(Matrix::from_fn(rows.len(), x[0].len(), |i, j| rows[i][j])));
    let (coordinates, places) = (features(&x), features(&new));
    let names: Vec<&str> = x.iter().map(|p| if p[0] > 0.0 { "above" } else { "below" }).collect();
    let mut tried = 0;
    for target in [Target::Numbers(Matrix::column(errors(3, n))), Target::classes(&names)] {
        // What reads cells of rows, or vectors of sets, is asked for a block of rows at a time.
        for open in EstimatorExpr::all_for(&target).unwrap().into_iter().filter(|e| !matches!(e.needs(), Needs::Rows | Needs::Vectors)) {
            let control = Control::default();
            let reads_features = !open.needs().reads_values();
            let view = if reads_features { View::Features(RowFeatures::of(&coordinates)) } else { View::Values(&gram) };
            let task = Task { view, target: &target, weights: None, control: &control, seed: 0 };
            let estimator = open.settle(&task).unwrap();
            let fitted = estimator.fit(&task).unwrap();
            let support: Vec<_> = fitted.support().iter().map(|&s| x[s].clone()).collect();
            let cross = made::cross(&new, &support, &(0..support.len()).collect::<Vec<_>>(), |a, b| rbf(0.7)(a, b));
            for variance in [false, true] {
                let want = Want { variance, probabilities: true, scores: true, ..Want::default() };
                let control = Control::default();
                let of: &dyn Gram = if reads_features { &places } else { &cross };
                let raising = Raising { of, flag: control.cancel.clone(), asked: AtomicUsize::new(0), late: AtomicUsize::new(0) };
                let view = if reads_features { View::Features(RowFeatures::of(&raising)) } else { View::Values(&raising) };
                match fitted.predict(&Query::of(view, want, &control)) {
                    Err(Error::Cancelled) => {
                        let late = raising.late.load(Ordering::SeqCst);
                        // Each thread may have looked just before.
                        assert!(late <= threads(), "{estimator}: {late} tiles were computed although the flag was raised");
                        tried += 1;
                    }
                    Ok(p) => {
                        assert_eq!(raising.asked.load(Ordering::SeqCst), 0, "{estimator} went on");
                        assert!(matches!(p.values, Predicted::Numbers(_) | Predicted::Classes(_)));
                    }
                    Err(e) => panic!("{estimator}: {e}"),
                }
            }
        }
    }
    assert!(tried >= 10, "only {tried} predictions use the kernel");
}

fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}
