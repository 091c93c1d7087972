//! The losses by their definitions, and the work of the solvers by the numbers that they read, which is the same on every machine.

use super::super::likelihood::log1p_exp;
use super::*;
use rand::{RngExt, SeedableRng};
use rand_distr::{Distribution, Exp1, StandardNormal};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::sync::atomic::{AtomicU64, Ordering};

/// Rows that count the numbers that are read of them.
struct Counted<'a, R> {
    of: &'a R,
    read: AtomicU64,
}

impl<R: RowAccess> Counted<'_, R> {
    fn count(&self, i: usize) {
        self.read.fetch_add((self.of.stored(i + 1) - self.of.stored(i)) as u64, Ordering::Relaxed);
    }
}

impl<R: RowAccess> RowAccess for Counted<'_, R> {
    fn len(&self) -> usize {
        self.of.len()
    }
    fn width(&self) -> usize {
        self.of.width()
    }
    fn constant(&self) -> f64 {
        self.of.constant()
    }
    fn stored(&self, i: usize) -> usize {
        self.of.stored(i)
    }
    fn dot(&self, i: usize, weights: &[f64]) -> f64 {
        self.count(i);
        self.of.dot(i, weights)
    }
    fn add(&self, i: usize, factor: f64, weights: &mut [f64]) {
        self.count(i);
        self.of.add(i, factor, weights);
    }
    fn add_squares(&self, i: usize, factor: f64, sum: &mut [f64]) {
        self.count(i);
        self.of.add_squares(i, factor, sum);
    }
    fn square(&self, i: usize) -> f64 {
        self.count(i);
        self.of.square(i)
    }
    fn fetch(&self, i: usize) {
        self.of.fetch(i);
    }
    fn fetch_place(&self, i: usize) {
        self.of.fetch_place(i);
    }
}

/// Rows like counts of words, of length 1: column k is drawn about as often as 1 / (k + 3). Targets are linear with noise.
struct Texts {
    starts: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<f64>,
    target: Vec<f64>,
}

const COLUMNS: usize = 50_000;
const DRAWN: usize = 30;

fn texts(rows: usize) -> Texts {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(5);
    let truth: Vec<f64> = (0..COLUMNS).map(|_| StandardNormal.sample(&mut random)).collect();
    let mut t = Texts { starts: vec![0], columns: Vec::new(), values: Vec::new(), target: Vec::new() };
    for _ in 0..rows {
        let mut drawn: Vec<u32> = (0..DRAWN)
            .map(|_| (3.0 * ((COLUMNS as f64 + 3.0) / 3.0).powf(random.random::<f64>()) - 3.0) as u32)
            .map(|k| k.min(COLUMNS as u32 - 1))
            .collect();
        drawn.sort_unstable();
        drawn.dedup();
        let rarely = |k: u32| (f64::from(k) + 3.0).ln();
        let row: Vec<f64> = drawn.iter().map(|&k| rarely(k) * (1.0 + Distribution::<f64>::sample(&Exp1, &mut random))).collect();
        let length = row.iter().map(|x| x * x).sum::<f64>().sqrt();
        let f: f64 = drawn.iter().zip(&row).map(|(&k, x)| truth[k as usize] * x / length).sum();
        t.columns.extend(&drawn);
        t.values.extend(row.iter().map(|x| x / length));
        t.starts.push(t.columns.len());
        let noise: f64 = StandardNormal.sample(&mut random);
        t.target.push(5.0 * (f + 0.3 * noise));
    }
    t
}

/// The slope of log numbers read against log rows: from ten thousand rows to a million for classes by every method that there is,
/// to half of it for numbers by the one that `auto` takes. What reading a number costs rises too, once the rows leave the cache:
/// slopes of seconds, 1.13 to 1.18 for coordinates, are in bench/RESULTS.md.
// spec: S15
#[test]
fn a_hundred_times_the_rows_take_a_hundred_times_the_numbers_read() {
    let texts = texts(1_000_000);
    let loss = |one_sided, squared| Loss { one_sided, squared, tube: if one_sided { 0.0 } else { 0.1 } };
    let settings = [
        (loss(true, false), 0.1, Method::Coordinate),
        (loss(true, true), 1.0, Method::Coordinate),
        (loss(true, true), 1.0, Method::Newton),
        (loss(false, false), 0.1, Method::Coordinate),
        (loss(false, true), 1.0, Method::Newton),
    ];
    for (loss, c, method) in settings {
        let sizes = if loss.one_sided { [10_000, 1_000_000] } else { [5_000, 500_000] };
        let read = sizes.map(|n| {
            let rows = SparseRows::new(&texts.starts[..=n], &texts.columns, &texts.values, COLUMNS, 1.0);
            let rows = Counted { of: &rows, read: AtomicU64::new(0) };
            let target = texts.target[..n].iter().map(|z| if loss.one_sided { z.signum() } else { *z }).collect();
            let problem = Problem { target, cost: vec![c; n], loss };
            let options = Options { method, tolerance: 1e-4, max_iterations: 1000, seed: 0 };
            let solution = &all(&rows, &[problem], &options, &Control::default()).unwrap()[0];
            assert!(solution.converged && (0.0..=1e-4).contains(&solution.gap), "{loss:?} {method:?}: {solution:?}");
            rows.read.into_inner() as f64
        });
        let slope = (read[1] / read[0]).log10() / 2.0;
        assert!(slope <= 1.1, "{loss:?} {method:?}: {slope}, numbers read {read:?}");
        // No solver can do without reading every number once.
        assert!(read.iter().zip(sizes).all(|(r, n)| *r >= texts.starts[n] as f64), "{read:?}");
    }
}

/// Of z = +1 or -1 and f: each lies above the 0-1 loss, and no chord lies below it.
// spec: S12
#[test]
fn the_hinge_loss_and_the_log_loss_in_bits_are_convex_bounds_of_the_share_of_errors() {
    let hinge = Loss { one_sided: true, squared: false, tube: 0.0 };
    for z in [1.0, -1.0] {
        let losses: [&dyn Fn(f64) -> f64; 2] = [&|f| hinge.value(z, 1.0, z - f), &|f| log1p_exp(-z * f) / std::f64::consts::LN_2];
        let places: Vec<f64> = (-80..=80).map(|k| 0.05 * f64::from(k)).collect();
        for loss in losses {
            assert!((loss(0.0) - 1.0).abs() < 1e-15);
            for &f in &places {
                let wrong = f64::from(u8::from(z * f <= 0.0));
                assert!(loss(f) >= wrong - 1e-15, "{f}");
                for &g in &places {
                    assert!(loss(0.5 * (f + g)) <= 0.5 * (loss(f) + loss(g)) + 1e-14, "{f} {g}");
                }
            }
        }
    }
    assert_eq!(hinge.value(1.0, 1.0, 1.0 - 0.25), 0.75);
    assert_eq!(hinge.value(-1.0, 1.0, -1.0 + 3.0), 0.0);
}

// e^(-C g(f)) + e^(-C g(-f)) with g the hinge would be the same for every f if it were a likelihood of two classes: 2 e^-C at f = 0 and
// 1 + e^(-2 C) at f = 1, which are equal at C = 0 alone.
// spec: S39
#[test]
fn the_hinge_loss_is_the_logarithm_of_no_likelihood() {
    let hinge = Loss { one_sided: true, squared: false, tube: 0.0 };
    let g = |f: f64| hinge.value(1.0, 1.0, 1.0 - f);
    for c in [0.0, 1e-3, 0.5, 1.0, 3.0, 20.0f64] {
        let sum = |f: f64| (-c * g(f)).exp() + (-c * g(-f)).exp();
        assert!((sum(0.0) - 2.0 * (-c).exp()).abs() <= 1e-15 && (sum(1.0) - 1.0 - (-2.0 * c).exp()).abs() <= 1e-15);
        assert_eq!(sum(0.0) == sum(1.0), c == 0.0, "{c}");
    }
}

// exp(-2 g(m)) is the integral over l of a normal density at m with the mean 1 + l and the variance l (Polson & Scott 2011); with l = t^2
// that is 2 (2 pi)^(-1/2) times the integral of exp(-((1 - m) / t + t)^2 / 2). Without 1 / l in the exponent it is another number.
// spec: S40, E3-27
#[test]
fn the_hinge_loss_is_a_mixture_of_normal_densities() {
    let hinge = Loss { one_sided: true, squared: false, tube: 0.0 };
    let integral = |of: &dyn Fn(f64) -> f64| {
        let (pieces, to) = (40_000, 12.0);
        let step = to / f64::from(pieces);
        let inner: f64 = (1..pieces).map(|k| f64::from(2 + 2 * (k % 2)) * of(f64::from(k) * step)).sum();
        2.0 / (2.0 * std::f64::consts::PI).sqrt() * (inner + of(1e-300) + of(to)) * step / 3.0
    };
    for (m, expected) in [(0.3, 0.246_596_963_942), (-3.0, 3.354_626_279e-4), (1.0, 1.0), (2.5, 1.0)] {
        let mixture = integral(&|t| (-0.5 * ((1.0 - m) / t + t).powi(2)).exp());
        let loss = (-2.0 * hinge.value(1.0, 1.0, 1.0 - m)).exp();
        assert!((mixture - loss).abs() <= 1e-9 && (loss - expected).abs() <= 1e-12, "{m}: {mixture} and {loss}");
    }
    assert!((integral(&|t| (-0.5 * (t * t + 0.7).powi(2)).exp()) - 0.509_342_5).abs() <= 1e-6);
}
