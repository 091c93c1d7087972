//! What estimators say that a fit costs, held against what is counted while they fit: kernel values, bytes and operations.

#[path = "costs/limits.rs"]
mod limits;
#[path = "costs/slopes.rs"]
mod slopes;

use mercer::control::Control;
use mercer::data::{Column, Dataset, Points, Sets, Strings, Target, Values};
use mercer::error::Result;
use mercer::estimators::{EstimatorExpr, Needs, Size, Task, View, catalogue};
use mercer::gram::{Block, Bound, Dense, FeatureSource, Gram, RowFeatures, Side, Structure};
use mercer::kernels::KernelExpr;
use mercer::linalg::{Cholesky, Matrix, counted, gramian};
use std::alloc::{GlobalAlloc, Layout, System};
use std::borrow::Cow;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The allocator of the system, which says how much is held and how much was held at most.
struct Counting;

static HELD: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);
/// The most that it gives; more is refused, as by a system that has no more.
static LIMIT: AtomicUsize = AtomicUsize::new(usize::MAX);

fn took(bytes: usize) -> bool {
    let held = HELD.fetch_add(bytes, Ordering::Relaxed).saturating_add(bytes);
    if held > LIMIT.load(Ordering::Relaxed) {
        HELD.fetch_sub(bytes, Ordering::Relaxed);
        return false;
    }
    MOST.fetch_max(held, Ordering::Relaxed);
    true
}

/// Bytes that count: whole pages are the room of the matrix product, twice the last cache of the machine, of which it touches what it needs.
fn charged(layout: Layout, size: usize) -> usize {
    if layout.align() < 4096 { size } else { 0 }
}

// SAFETY: every call goes to the allocator of the system as it is.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if !took(charged(layout, layout.size())) {
            return std::ptr::null_mut();
        }
        // SAFETY: promised by the caller; so it is below.
        unsafe { System.alloc(layout) }
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if !took(charged(layout, layout.size())) {
            return std::ptr::null_mut();
        }
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }
    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        HELD.fetch_sub(charged(layout, layout.size()), Ordering::Relaxed);
        // SAFETY: as above.
        unsafe { System.dealloc(at, layout) }
    }
    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if !took(charged(layout, size)) {
            return std::ptr::null_mut();
        }
        HELD.fetch_sub(charged(layout, layout.size()), Ordering::Relaxed);
        // SAFETY: as above.
        unsafe { System.realloc(at, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Kernel values that are there already, handed out one block at a time and counted.
struct Handed<'a> {
    gram: &'a dyn Gram,
    values: AtomicUsize,
}

impl Handed<'_> {
    fn count(&self, values: usize) {
        self.values.fetch_add(values, Ordering::Relaxed);
    }
}

impl Gram for Handed<'_> {
    fn shape(&self) -> (usize, usize) {
        self.gram.shape()
    }
    fn fill(&self, rows: Range<usize>, cols: Range<usize>, out: Block<'_, f64>) {
        self.count(rows.len() * cols.len());
        self.gram.fill(rows, cols, out);
    }
    fn diagonal(&self, side: Side) -> Vec<f64> {
        self.gram.diagonal(side)
    }
    fn symmetric(&self) -> bool {
        self.gram.symmetric()
    }
    fn structure(&self) -> Structure<'_> {
        Structure::Features(self)
    }
}

impl FeatureSource for Handed<'_> {
    fn dense(&self, side: Side) -> Option<Cow<'_, Matrix>> {
        let features = self.gram.structure().dense_features(side)?;
        self.count(features.data().len());
        Some(features)
    }
}

/// What is said or counted of a fit.
#[derive(Clone, Copy, Debug)]
struct Taken {
    values: f64,
    operations: f64,
    /// Least and most bytes.
    bytes: (f64, f64),
}

/// Between -1.5 and 1.5: fractions of multiples of irrational numbers, spread evenly and without a generator.
fn noise(i: usize) -> f64 {
    ((i as f64 * 0.618_033_988_75).fract() + (i as f64 * 0.414_213_562_37).fract() - 1.0) * 1.5
}

/// Points of the plane, spread evenly.
fn points(rows: usize) -> Vec<[f64; 2]> {
    (0..rows).map(|i| [6.0 * (i as f64 * 0.754_877_666).fract() - 3.0, 6.0 * (i as f64 * 0.569_840_291).fract() - 3.0]).collect()
}

/// Noise of the usual problem, against a wave of height 1.
const NOISE: f64 = 0.4;

/// A wave over the plane with so much noise, the same cut into classes, and no target.
fn targets(rows: usize, share: f64) -> Vec<(&'static str, Target)> {
    let wave = |p: &[f64; 2], i: usize| p[0].sin() + 0.5 * p[1].cos() + share * noise(i);
    let x = points(rows);
    let numbers = Matrix::column(x.iter().enumerate().map(|(i, p)| wave(p, i)).collect());
    let classes = |count: usize| {
        let code = |(i, p): (usize, &[f64; 2])| (((wave(p, i) + 2.0) / 4.0 * count as f64).max(0.0) as usize).min(count - 1);
        let names = (0..count).map(|k| format!("class {k}")).collect();
        Target::Classes { codes: x.iter().enumerate().map(code).collect(), names }
    };
    vec![
        ("numbers", Target::Numbers(numbers)),
        ("two classes", classes(2)),
        ("five classes", classes(5)),
        ("no target", Target::Absent { rows }),
    ]
}

/// A Gaussian kernel on the plane.
fn gram(rows: usize) -> Result<Dense> {
    let x = points(rows);
    let square = |a: &[f64; 2], b: &[f64; 2]| (a[0] - b[0]).powi(2) + (a[1] - b[1]).powi(2);
    Dense::square(Matrix::from_fn(rows, rows, |i, j| (-0.5 * square(&x[i], &x[j])).exp()))
}

/// The coordinates of the plane, as the features of the linear kernel.
fn coordinates(rows: usize) -> Result<Box<dyn Bound>> {
    let numbers = points(rows).concat();
    KernelExpr::parse("linear")?.bind(None, &column(Values::Points(Points::dense(rows, 2, numbers)?))?)
}

/// Numbers of a row of a usual table.
const NUMBERS: usize = 10;

/// A Gaussian kernel on points of ten numbers, of which the target goes by two, as wide as they are apart: K has no low rank, and
/// many functions are needed.
fn gram_of_many_numbers(rows: usize) -> Result<Dense> {
    let plane = points(rows);
    let coordinate = |i: usize, d: usize| match d {
        0 | 1 => plane[i][d],
        d => 6.0 * (i as f64 * (d as f64 + 5.0).sqrt().fract()).fract() - 3.0,
    };
    let x = Matrix::from_fn(rows, NUMBERS, coordinate);
    let square = |i: usize, j: usize| x.row(i).iter().zip(x.row(j)).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
    // Of numbers spread evenly over six units the mean square of a difference is 6.
    Dense::square(Matrix::from_fn(rows, rows, |i, j| (-square(i, j) / (6.0 * NUMBERS as f64)).exp()))
}

/// Estimators whose work goes by how many rows they keep: they are held against the harder one of two problems.
fn is_sparse(name: &str) -> bool {
    matches!(name, "rvm" | "l1vm")
}

/// As much as the greater of two.
fn harder(a: Taken, b: Taken) -> Taken {
    let bytes = (a.bytes.0.max(b.bytes.0), a.bytes.1.max(b.bytes.1));
    Taken { values: a.values.max(b.values), operations: a.operations.max(b.operations), bytes }
}

/// What an estimator says of a fit at its defaults, and what is counted; settling parameters is not.
fn compared(name: &str, gram: &dyn Gram, target: &Target) -> Result<(Taken, Taken)> {
    let handed = Handed { gram, values: AtomicUsize::new(0) };
    let control = Control::default();
    let estimator = EstimatorExpr::parse(name)?;
    let view = if estimator.needs().reads_values() { View::Values(&handed) } else { View::Features(RowFeatures::of(&handed)) };
    let task = Task { view, target, weights: None, control: &control, seed: 1 };
    let estimator = estimator.settle(&task)?;
    handed.values.store(0, Ordering::Relaxed);
    let (held, operations) = (HELD.load(Ordering::Relaxed), counted());
    MOST.store(held, Ordering::Relaxed);
    let fitted = estimator.fit(&task)?;
    let bytes = MOST.load(Ordering::Relaxed).saturating_sub(held) as f64;
    let operations = (counted() - operations) as f64;
    drop(fitted);
    let values = handed.values.load(Ordering::Relaxed) as f64;
    let classes = matches!(target, Target::Classes { .. });
    let rank = gram.structure().dense_features(Side::Rows).map(|z| z.cols());
    let size = Size { rows: gram.shape().0, outputs: target.outputs(), classes, rank, stored: None, per_value: Size::PER_VALUE };
    let costs = estimator.costs(size);
    let said =
        Taken { values: costs.values, operations: costs.fit, bytes: (costs.bytes as f64, costs.most_bytes(control.allowed()) as f64) };
    Ok((said, Taken { values, operations, bytes: (bytes, bytes) }))
}

/// An estimator at its defaults, or as the targets here have a solution: of five classes one has a quarter of the rows of another.
fn feasible(name: &str) -> &str {
    if name == "nu_svc" { "nu_svc(nu=0.39)" } else { name }
}

/// Rows of the smallest fit; two others are to twice and four times as many.
fn fewest(name: &str) -> usize {
    // A fit to 1,000 rows takes seconds.
    if name == "mds" { 100 } else { 250 }
}

/// Memory is told apart from there on: less of it is buffers of a fixed size.
const LEAST_BYTES: f64 = 1e6;
/// Operations that are less than this share of what kernel values take are not told apart.
const LEAST_SHARE: f64 = 0.1;

/// What is more than twice as much as said, or less than half.
fn faults(said: &Taken, counted: &Taken) -> Vec<String> {
    let mut all = Vec::new();
    let mut check = |what: &str, counted: f64, (least, most): (f64, f64), floor: f64| {
        if counted.max(floor) > 2.0 * most.max(floor) || 2.0 * counted.max(floor) < least.max(floor) {
            all.push(format!("{what}: {counted:.3e} counted, {least:.3e} to {most:.3e} said"));
        }
    };
    check("kernel values", counted.values, (said.values, said.values), 1.0);
    check("bytes", counted.bytes.0, said.bytes, LEAST_BYTES);
    let floor = LEAST_SHARE * Size::PER_VALUE * said.values;
    check("operations", counted.operations, (said.operations, said.operations), floor.max(1e5));
    all
}

/// Tests that count share the counters of the process.
fn alone() -> MutexGuard<'static, ()> {
    static COUNTING: Mutex<()> = Mutex::new(());
    COUNTING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Every thread has the buffers of matrix products, which it keeps.
fn warm_up() -> Result<()> {
    let a = Matrix::from_fn(1100, 1100, |i, j| if i == j { 9.0 } else { 1.0 / (1.0 + (i + j) as f64) });
    rayon::broadcast(|_| gramian(&a));
    rayon::broadcast(|_| Cholesky::new(gramian(&a), &Control::default()).is_ok());
    // And the thread that asks.
    let (_, target) = targets(a.rows(), NOISE).swap_remove(0);
    compared("ridge", &gram(a.rows())?, &target).map(drop)
}

/// Kernel values, bytes and operations of every estimator at its defaults, at three sizes, within a factor of 2 of what is counted; and
/// operations grow from the smallest fit to the largest as they are said to, within the same factor. Not counted: costs of predictions
/// and of criteria, fits over few and over sparse features, passes over the cells of rows and over vectors of sets.
#[test]
fn costs_of_every_estimator_are_what_is_counted() {
    let _alone = alone();
    warm_up().unwrap();
    let show = std::env::var_os("SHOW_COSTS").is_some();
    let mut wrong = Vec::new();
    for entry in catalogue().into_iter().filter(|entry| !matches!(entry.needs, Needs::Rows | Needs::Vectors)) {
        for (kind, what) in ["numbers", "two classes", "five classes", "no target"].into_iter().enumerate() {
            let mut all: Vec<(Taken, Taken)> = Vec::new();
            for rows in [1, 2, 4].map(|times| times * fewest(entry.name)) {
                let (_, target) = targets(rows, NOISE).swap_remove(kind);
                if !EstimatorExpr::parse(entry.name).unwrap().takes(&target) {
                    continue;
                }
                let reads_features = !entry.needs.reads_values();
                let of_rows: Box<dyn Gram> = if reads_features { coordinates(rows).unwrap() } else { Box::new(gram(rows).unwrap()) };
                let (said, mut counted) = compared(feasible(entry.name), of_rows.as_ref(), &target).unwrap();
                if is_sparse(entry.name) {
                    let (_, smooth) = targets(rows, 0.0).swap_remove(kind);
                    counted = harder(counted, compared(entry.name, &gram_of_many_numbers(rows).unwrap(), &smooth).unwrap().1);
                }
                if show {
                    let [bytes, most] = [counted.bytes.0 / said.bytes.0, counted.bytes.0 / said.bytes.1];
                    let (values, operations) = (counted.values / said.values, counted.operations / said.operations);
                    println!(
                        "{:<20} {what:<13} {rows:>5} values {values:5.2} operations {operations:5.2} bytes {bytes:5.2} {most:5.2}",
                        entry.name
                    );
                }
                let found = faults(&said, &counted).into_iter().map(|fault| format!("{}, {what}, {rows} rows: {fault}", entry.name));
                wrong.extend(found);
                all.push((said, counted));
            }
            if let [(first, few), _, (last, many)] = all.as_slice() {
                let growth = (many.operations / few.operations.max(1e5)) / (last.operations / first.operations.max(1e5));
                if many.operations > LEAST_SHARE * Size::PER_VALUE * many.values && !(0.5..=2.0).contains(&growth) {
                    wrong.push(format!("{}, {what}: operations grow {growth:.2} times as much as said", entry.name));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A table of one column.
fn column(values: Values) -> Result<Dataset> {
    Dataset::new(vec![Column { name: "x".into(), values }])
}

/// Operations of a kernel value; `NaN` where there is no such kernel of the table.
fn price(kernel: &str, data: &Dataset) -> f64 {
    KernelExpr::parse(kernel).ok().and_then(|kernel| kernel.per_value(data)).unwrap_or(f64::NAN)
}

#[test]
fn kernel_values_are_priced_by_what_they_compare() {
    let plane = |rows: usize, dim: usize| column(Values::Points(Points::dense(rows, dim, vec![0.5; rows * dim]).unwrap())).unwrap();
    // A function, and a product and a sum for each coordinate.
    assert_eq!(price("rbf", &plane(7, 10)), 40.0);
    assert_eq!(price("nystroem(rbf, rank=5)", &plane(7, 10)), 50.0, "a triangular solve with 5 landmarks");
    assert_eq!(price("rbf + linear", &plane(7, 10)), 84.0, "two parts and their sum");
    // Of sparse points the one number that all have: 20 + 2 x 20.
    let sparse = Points::csr(3, 1000, vec![0, 1, 2, 3], vec![7; 3], vec![0.5; 3]).unwrap();
    assert_eq!(price("linear", &column(Values::Points(sparse)).unwrap()), 60.0);
    // Every letter against all ten of the other string at once: 20 x 10.
    let strings = column(Values::Sequences(Strings::new(vec!["ACGTACGTAC"; 4]))).unwrap();
    assert_eq!(price("edit", &strings), 200.0);
    let strings = column(Values::Sequences(Strings::new(vec!["ACGTACGTAC"; 100]))).unwrap();
    // Of ACGTACGTAC eight runs of three letters, four of them different, all of which the others hold: 20 + 2 x 20 x 4.
    assert_eq!(price("spectrum(k=3)", &strings), 180.0);
    // Three vectors against three: 9 (20 + 2 x 2).
    let sets = column(Values::Sets(Sets::of_rows(&vec![vec![vec![0.0, 1.0]; 3]; 5]).unwrap())).unwrap();
    assert_eq!(price("on(x, set_mean(rbf))", &sets), 9.0 * 24.0 + 2.0);
}
