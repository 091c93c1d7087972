//! Orders of growth of fits and predictions, as slopes of the logarithm of what is counted; `bench/scaling.py` prints those of measured
//! seconds.

#![allow(clippy::unwrap_used, clippy::panic, reason = "what fails here fails the test")]

use super::{HELD, Handed, MOST, column, gram, price, targets};
use mercer::control::Control;
use mercer::data::{Dataset, Points, Strings, Target, Values};
use mercer::estimators::{EstimatorExpr, Fitted, FittedModel, Query, Task, View, Want};
use mercer::features::{FeatureMap, Monomials};
use mercer::gram::{Bound, Dense, Gram};
use mercer::kernels::KernelExpr;
use mercer::linalg::{Matrix, counted};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What a fit or a prediction takes.
#[derive(Clone, Copy, Debug)]
struct Work {
    /// Kernel values, or numbers of features.
    values: f64,
    operations: f64,
}

fn work<R>(handed: &Handed<'_>, task: impl FnOnce() -> R) -> (R, Work) {
    handed.values.store(0, Ordering::Relaxed);
    let before = counted();
    let result = task();
    (result, Work { values: handed.values.load(Ordering::Relaxed) as f64, operations: (counted() - before) as f64 })
}

fn fit(text: &str, gram: &dyn Gram, target: &Target) -> (FittedModel, Work) {
    let handed = Handed { gram, values: AtomicUsize::new(0) };
    let control = Control::default();
    let task = Task { view: View::Values(&handed), target, weights: None, control: &control, seed: 1 };
    let estimator = EstimatorExpr::parse(text).unwrap();
    work(&handed, || estimator.fit(&task).unwrap())
}

/// The slope of log y against log x by least squares.
fn slope(x: &[usize], y: &[f64]) -> f64 {
    let points: Vec<(f64, f64)> = x.iter().zip(y).map(|(x, y)| ((*x as f64).ln(), y.ln())).collect();
    let n = points.len() as f64;
    let (mx, my) = points.iter().fold((0.0, 0.0), |(a, b), p| (a + p.0 / n, b + p.1 / n));
    points.iter().map(|p| (p.0 - mx) * (p.1 - my)).sum::<f64>() / points.iter().map(|p| (p.0 - mx).powi(2)).sum::<f64>()
}

#[track_caller]
fn near(what: &str, found: f64, expected: f64) {
    assert!((found - expected).abs() <= 0.25, "{what}: slope {found:.2}, expected {expected}");
}

/// Rows of so many columns for the linear kernel, which is made of as many features.
fn wide(rows: usize, columns: usize) -> Box<dyn Bound> {
    let numbers = (0..rows * columns).map(|i| super::noise(i * i % 100_003 + i)).collect();
    let data = column(Values::Points(Points::dense(rows, columns, numbers).unwrap())).unwrap();
    KernelExpr::parse("linear").unwrap().bind(None, &data).unwrap()
}

fn numbers(rows: usize) -> Target {
    targets(rows, super::NOISE).swap_remove(0).1
}

const ROWS: [usize; 3] = [500, 1000, 2000];
/// Rows of fits whose factor is in f64: from 1,500 on ridge takes one in f32, whose operations count half.
const EXACT: [usize; 3] = [370, 740, 1480];

// spec: T03
#[test]
fn counted_slopes_are_those_of_the_tables_of_complexity() {
    let _alone = super::alone();
    super::warm_up().unwrap();
    // A value of a polynomial kernel is O(D), its explicit map O(D^2): the table of feature maps against kernels.
    let columns = [50, 100, 200];
    let plane = |d: usize| column(Values::Points(Points::dense(2, d, vec![0.5; 2 * d]).unwrap())).unwrap();
    let values = columns
        .map(|d| price("polynomial(degree=2, gamma=1, offset=0)", &plane(d)) - price("polynomial(degree=2, gamma=1, offset=0)", &plane(0)));
    let explicit = columns.map(|d| Monomials { degree: 2, gamma: 1.0, offset: 0.0 }.features(&vec![0.5; d]).len() as f64);
    near("a kernel value by columns", slope(&columns, &values), 1.0);
    near("an explicit map by columns", slope(&columns, &explicit), 2.0);
    // The dual: kernel values O(N^2), a factor O(N^3). Predictions O(N).
    for text in ["ridge(lambda=0.1)", "gp(variance=1, noise=0.1)", "svr(c=1, epsilon=0.1)"] {
        let fits = ROWS.map(|rows| fit(text, &gram(rows).unwrap(), &numbers(rows)).1);
        near(&format!("{text}: kernel values of a fit by rows"), slope(&ROWS, &fits.map(|w| w.values)), 2.0);
    }
    for text in ["ridge(lambda=0.1)", "gp(variance=1, noise=0.1)"] {
        let fits = EXACT.map(|rows| fit(text, &gram(rows).unwrap(), &numbers(rows)).1);
        near(&format!("{text}: operations of a fit by rows"), slope(&EXACT, &fits.map(|w| w.operations)), 3.0);
    }
    // The primal: O(N D^2) for the Gram matrix of features, so 1 in rows and 2 in columns while D is far below N.
    let by_rows = [4000, 8000, 16_000].map(|rows| fit("ridge(lambda=0.1)", wide(rows, 40).as_ref(), &numbers(rows)).1);
    near("primal: features read by rows", slope(&[4000, 8000, 16_000], &by_rows.map(|w| w.values)), 1.0);
    near("primal: operations by rows", slope(&[4000, 8000, 16_000], &by_rows.map(|w| w.operations)), 1.0);
    let many = [200, 400, 800];
    let by_columns = many.map(|d| fit("ridge(lambda=0.1)", wide(4000, d).as_ref(), &numbers(4000)).1);
    near("primal: operations by columns", slope(&many, &by_columns.map(|w| w.operations)), 2.0);
}

/// Kernel values and operations of predicting new rows of the plane, by what is wanted of them.
fn predict(model: &FittedModel, rows: usize, new: usize, want: Want) -> Work {
    let values = Matrix::from_fn(new, model.support().len(), |i, s| (-0.5 * (0.1 + ((i * 31 + s * 17) % rows) as f64 / rows as f64)).exp());
    let stored = model.support().len();
    let cross = Dense::cross(values, vec![1.0; new], vec![1.0; stored]).unwrap();
    let handed = Handed { gram: &cross, values: AtomicUsize::new(0) };
    let control = Control::default();
    work(&handed, || model.predict(&Query::new(&handed, want, &control)).unwrap()).1
}

// spec: E4-04
#[test]
fn the_mean_of_a_gaussian_process_takes_a_value_of_each_row_and_its_variance_their_pairs() {
    let _alone = super::alone();
    super::warm_up().unwrap();
    const NEW: usize = 64;
    let both = ROWS.map(|rows| {
        let model = fit("gp(variance=1, noise=0.1)", &gram(rows).unwrap(), &numbers(rows)).0;
        assert_eq!(model.support().len(), rows);
        let mean = predict(&model, rows, NEW, Want::default());
        let variance = predict(&model, rows, NEW, Want { variance: true, ..Want::default() });
        // N kernel values for each new row, whatever is wanted.
        assert_eq!(mean.values, (NEW * rows) as f64);
        // A product of N terms for the mean, and no more operations than a few for each.
        assert!(mean.operations <= (10 * NEW * rows) as f64, "{rows}: {mean:?}");
        // A triangular solve with a factor of N rows: N^2 operations for each new row.
        let more = variance.operations / (NEW * rows * rows) as f64;
        assert!((0.5..=2.5).contains(&more), "{rows}: {more} N^2");
        (mean, variance)
    });
    near("kernel values of a mean", slope(&ROWS, &both.map(|b| b.0.values)), 1.0);
    near("operations of a mean", slope(&ROWS, &both.map(|b| b.0.operations)), 1.0);
    near("operations of a variance", slope(&ROWS, &both.map(|b| b.1.operations)), 2.0);
}

/// So many letters of DNA, drawn.
fn letters(count: usize, seed: u64) -> String {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    (0..count).map(|_| ['A', 'C', 'G', 'T'][random.random_range(0..4)]).collect()
}

// A kernel value of two strings by all their common substrings, from both being read to the sum, where the strings are drawn, where one
// letter is all that they hold, and where each is the same word again and again. From 16,384 letters to 1,048,576.
// spec: K20
#[test]
fn common_substrings_of_all_lengths_take_steps_and_bytes_in_proportion_to_the_letters() {
    let _alone = super::alone();
    const LETTERS: [usize; 4] = [1 << 14, 1 << 16, 1 << 18, 1 << 20];
    let kernel = KernelExpr::parse("substrings(decay=0.9, alphabet=dna)").unwrap();
    let drawn = |n: usize| [letters(n / 2, 1), letters(n / 2, 2)];
    let one_letter = |n: usize| ["A".repeat(n / 2 + n / 8), "A".repeat(n / 2 - n / 8)];
    let one_word = |n: usize| ["ACGTTGCA".repeat(n / 16), "GATTACAT".repeat(n / 16)];
    for (what, strings) in [("drawn", &drawn as &dyn Fn(usize) -> [String; 2]), ("one letter", &one_letter), ("one word", &one_word)] {
        let taken = LETTERS.map(|n| {
            let data = column(Values::Sequences(Strings::new(strings(n)))).unwrap();
            let (held, before) = (HELD.load(Ordering::Relaxed), counted());
            MOST.store(held, Ordering::Relaxed);
            let bound = kernel.bind(None, &data).unwrap();
            let k = mercer::gram::dense(bound.as_ref(), &Control::default()).unwrap();
            assert!(k.data().iter().all(|k| *k > 0.0 && k.is_finite()), "{what}: {:?}", k.data());
            ((counted() - before) as f64, MOST.load(Ordering::Relaxed).saturating_sub(held) as f64)
        });
        for (of, by_letters) in [("steps", taken.map(|t| t.0)), ("bytes", taken.map(|t| t.1))] {
            let slope = slope(&LETTERS, &by_letters);
            assert!((0.95..=1.05).contains(&slope), "{of} of {what}: slope {slope}, {by_letters:?}");
        }
    }
}

/// Points of so many equally large classes around as many centres, classes in turn.
fn balanced(rows: usize, classes: usize) -> (Vec<[f64; 2]>, Vec<usize>) {
    let codes: Vec<usize> = (0..rows).map(|i| i % classes).collect();
    let at = |(i, k): (usize, &usize)| {
        let turn = std::f64::consts::TAU * *k as f64 / classes as f64;
        [2.0 * turn.cos() + 0.5 * super::noise(i), 2.0 * turn.sin() + 0.5 * super::noise(i + 7919)]
    };
    (codes.iter().enumerate().map(at).collect(), codes)
}

fn of_points(x: &[[f64; 2]]) -> Dense {
    let square = |a: &[f64; 2], b: &[f64; 2]| (a[0] - b[0]).powi(2) + (a[1] - b[1]).powi(2);
    Dense::square(Matrix::from_fn(x.len(), x.len(), |i, j| (-0.5 * square(&x[i], &x[j])).exp())).unwrap()
}

// spec: E3-15
#[test]
fn machines_of_pairs_of_classes_take_twice_the_square_of_all_rows_and_not_that_times_the_square_of_classes() {
    let _alone = super::alone();
    const N: usize = 480;
    let target = |codes: &[usize], classes: usize| Target::Classes {
        codes: codes.to_vec(),
        names: (0..classes).map(|k| format!("class {k}")).collect(),
    };
    let svc = "svc(c=1, tolerance=1e-6)";
    for classes in [2, 4, 8, 16] {
        let (x, codes) = balanced(N, classes);
        let pairs: Vec<(usize, usize)> = (0..classes).flat_map(|a| (a + 1..classes).map(move |b| (a, b))).collect();
        // Each pair on its own.
        let mut squares = 0;
        let mut asked = 0.0;
        for &(a, b) in &pairs {
            let rows: Vec<usize> = (0..N).filter(|&i| codes[i] == a || codes[i] == b).collect();
            assert_eq!(rows.len(), 2 * N / classes);
            squares += rows.len() * rows.len();
            let some: Vec<[f64; 2]> = rows.iter().map(|&i| x[i]).collect();
            let two: Vec<usize> = rows.iter().map(|&i| usize::from(codes[i] == b)).collect();
            asked += fit(svc, &of_points(&some), &target(&two, 2)).1.values;
        }
        // C (C - 1) / 2 pairs of 2 N / C rows each: 2 N^2 (1 - 1 / C).
        assert_eq!(squares, 2 * N * N - 2 * N * N / classes);
        let share = asked / squares as f64;
        // Half of a symmetric matrix at least, and no value more than a few times.
        assert!((0.45..=2.0).contains(&share), "{classes} classes: {share} of the squares");
        // All pairs at once share kernel values among the rows of each class.
        let (model, all) = fit(svc, &of_points(&x), &target(&codes, classes));
        assert!(all.values <= 2.0 * (N * N) as f64, "{classes} classes: {all:?}");
        // A decision graph asks C - 1 of these machines about a row, all votes C (C - 1) / 2 (Platt, Cristianini & Shawe-Taylor 2000);
        // where one class wins each of its pairs, both name it.
        let want = Want { scores: true, ..Want::default() };
        let kept: Vec<Vec<f64>> = model.support().iter().map(|&s| of_points(&x).matrix().col(s)).collect();
        let cross = Dense::cross(Matrix::from_fn(N, kept.len(), |i, s| kept[s][i]), vec![1.0; N], vec![1.0; kept.len()]).unwrap();
        let said = model.predict(&Query::new(&cross, want, &Control::default())).unwrap();
        let (scores, voted) = (said.scores.unwrap(), said.values);
        let mercer::estimators::Predicted::Classes(voted) = voted else { panic!("classes") };
        let second_wins = |i: usize, a: usize, b: usize| scores[(i, pairs.iter().position(|p| *p == (a, b)).unwrap())] > 0.0;
        let mut clear = 0;
        for i in 0..N {
            let (mut low, mut high, mut machines) = (0, classes - 1, 0);
            while low < high {
                machines += 1;
                if second_wins(i, low, high) { low += 1 } else { high -= 1 }
            }
            assert_eq!(machines, classes - 1);
            let wins =
                |k: usize| (0..classes).filter(|&o| o != k).all(|o| if k < o { !second_wins(i, k, o) } else { second_wins(i, o, k) });
            if let Some(winner) = (0..classes).find(|&k| wins(k)) {
                clear += 1;
                assert!(voted[i] == winner && low == winner, "row {i}: {} by votes, {low} by the graph, {winner}", voted[i]);
            }
        }
        assert!(clear > N / 2, "{clear}");
    }
}

/// A table of so many numbers in each row.
fn table(rows: usize, columns: usize) -> Dataset {
    let numbers = (0..rows * columns).map(|i| super::noise(i * i % 100_003 + i)).collect();
    column(Values::Points(Points::dense(rows, columns, numbers).unwrap())).unwrap()
}

// spec: E1-05
#[test]
fn a_kernel_saves_fifty_times_the_products_of_a_map_and_a_prediction_may_take_more_by_it() {
    let _alone = super::alone();
    const COLUMNS: usize = 100;
    let map = Monomials { degree: 2, gamma: 1.0, offset: 0.0 };
    let features = map.features(&vec![1.0; COLUMNS]).len();
    // With weights of sqrt 2 each product of two columns counts once: n (n + 1) / 2 features for n products of the kernel.
    assert_eq!(features, COLUMNS * (COLUMNS + 1) / 2);
    assert_eq!(features as f64 / COLUMNS as f64, 50.5);
    // With repeated products 100 times as many, as the source has it; its 1769 is the cubic kernel with every lower degree.
    let ordered = mercer::features::OrderedProducts { degrees: 2..=2 };
    assert_eq!(ordered.count(COLUMNS as u64), Some(100 * COLUMNS as u128));
    let cubic = Monomials { degree: 3, gamma: 1.0, offset: 1.0 }.features(&vec![1.0; COLUMNS]).len();
    assert_eq!((cubic as f64 / COLUMNS as f64).round(), 1769.0);
    // A prediction: N kernel values of n products each, or one number for each feature.
    const N: usize = 600;
    let polynomial = KernelExpr::parse("polynomial(degree=2, gamma=1, offset=0)").unwrap();
    let data = table(N, COLUMNS);
    let bound = polynomial.bind(None, &data).unwrap();
    let target = numbers(N);
    let model = fit("svr(c=1, epsilon=0.001)", bound.as_ref(), &target).0;
    let kept = model.support().len();
    let new = polynomial.bind(Some(&table(1, COLUMNS)), &data.select(model.support())).unwrap();
    let handed = Handed { gram: new.as_ref(), values: AtomicUsize::new(0) };
    let (_, by_kernel) = work(&handed, || model.predict(&Query::new(&handed, Want::default(), &Control::default())).unwrap());
    assert_eq!(by_kernel.values, kept as f64);
    assert!(by_kernel.values * COLUMNS as f64 > 2.0 * features as f64, "{kept} rows of {COLUMNS} products, {features} features");
    // What is published of speed is measured: no page gives these ratios as a gain.
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let pages = std::fs::read_dir(root.join("docs"))
        .unwrap()
        .map(|f| f.unwrap().path())
        .chain([root.join("README.md"), root.join("bench/RESULTS.md")]);
    for page in pages.filter(|p| p.extension().is_some_and(|e| e == "md") && !p.ends_with("spec.md")) {
        let text = std::fs::read_to_string(&page).unwrap();
        for claim in ["1769", "1768", "50.5x", "100x fast", "100 times as fast"] {
            assert!(!text.contains(claim), "{}: {claim}", page.display());
        }
    }
}

// spec: M42
#[test]
fn structured_features_cost_the_logarithm_of_the_columns() {
    let _alone = super::alone();
    let (rows, pairs) = (8, 16_384);
    let counted_for = |columns: usize, orthogonal: bool| {
        let x = Points::dense(rows, columns, (0..rows * columns).map(|i| (i % 7) as f64).collect()).unwrap();
        let data = column(Values::Points(x)).unwrap();
        let kernel = format!("fourier(rbf(length_scale=9), count={}, structured=true, orthogonal={orthogonal})", 2 * pairs);
        let kernel = KernelExpr::parse(&kernel).unwrap();
        let before = counted();
        let bound = kernel.bind(None, &data).unwrap();
        drop(bound);
        (counted() - before) as f64
    };
    for orthogonal in [false, true] {
        let points: Vec<(f64, f64)> = (6..=14).step_by(2).map(|log| (log as f64, counted_for(1 << log, orthogonal))).collect();
        // A line in the logarithm: the same step for each doubling, and nothing that grows faster.
        let step = (points[1].1 - points[0].1) / 2.0;
        for (log, operations) in &points {
            let line = points[0].1 + (log - 6.0) * step;
            assert!((operations / line - 1.0).abs() <= 0.02, "orthogonal={orthogonal}, 2^{log} columns: {operations}, {line} on the line");
        }
        assert!(points[4].1 <= 14.0 / 6.0 * 1.01 * points[0].1, "{points:?}");
        assert!(points[0].1 >= (rows * pairs * 6) as f64, "the transforms are counted: {points:?}");
    }
}
