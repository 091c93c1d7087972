//! No kernel that is called a Mercer kernel has a Gram matrix with a negative eigenvalue, up to rounding: N eps lambda_max.

use crate::evaluated;

use evaluated::{matrix, near, value};
use mercer::control::Control;
use mercer::data::{Dataset, Points, Values};
use mercer::gram::{Mercer, psd_check};
use mercer::kernels::{KernelEntry, KernelExpr, catalogue};
use mercer::linalg::Matrix;
use mercer::param::Domain;
use mercer::testkit;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Draws for each kernel.
const DRAWS: usize = 150;

/// The definition of the specification, lambda_min >= -N eps lambda_max, for values that are known to `digits` eps.
fn require_positive(text: &str, k: &Matrix, digits: f64) {
    let check = psd_check(k, &Control::default()).unwrap();
    let rounding = digits * k.rows() as f64 * f64::EPSILON * check.largest;
    assert!(check.smallest >= -rounding, "{text} of {} rows: {} of {}", k.rows(), check.smallest, check.largest);
}

/// A kernel of the list with values for its parameters, where a single number can be one.
fn drawn(entry: &KernelEntry, random: &mut Xoshiro256PlusPlus) -> String {
    let mut arguments = Vec::new();
    for param in entry.params {
        let size = 10f64.powf(2.0 * random.random::<f64>() - 1.0);
        let value = match param.domain {
            // Few rows hold no word as often as asked for; lengths of windows bound one another; walks of any length ask for a small decay.
            _ if ["min_df", "max_df", "longest", "m", "length", "mismatches", "letters", "unlimited"].contains(&param.name) => continue,
            Domain::Positive | Domain::PositiveFinite => size.to_string(),
            Domain::NonNegative => (3.0 * random.random::<f64>()).to_string(),
            Domain::Integer(low, high) => (low + random.random_range(0..4)).min(high).to_string(),
            Domain::Flag => random.random::<bool>().to_string(),
            Domain::Real
            | Domain::Fraction
            | Domain::UpToOne
            | Domain::CountOrShare
            | Domain::IntegerOrInfinite(_)
            | Domain::Choice(_)
            | Domain::Words
            | Domain::Term(_) => continue,
        };
        arguments.push(format!("{}={value}", param.name));
    }
    if arguments.is_empty() { entry.name.to_owned() } else { format!("{}({})", entry.name, arguments.join(", ")) }
}

/// The table with the sizes of its numbers, or as it is.
fn suited(data: Dataset, entry: &KernelEntry) -> Dataset {
    if !entry.as_is {
        return data;
    }
    let columns = data.columns().iter().cloned().map(|mut c| {
        if let Values::Numbers(v) = &mut c.values {
            v.iter_mut().for_each(|x| *x = x.abs());
        }
        c
    });
    Dataset::new(columns.collect()).unwrap()
}

// spec: F19
#[test]
fn every_kernel_of_the_list_that_is_called_a_mercer_kernel_has_no_negative_eigenvalue() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut tried = Vec::new();
    for entry in catalogue() {
        let text = drawn(&entry, &mut random);
        if KernelExpr::parse(&text).unwrap().mercer() != Mercer::Always {
            continue;
        }
        tried.push(entry.name);
        for draw in 0..DRAWS {
            let (text, n) = (drawn(&entry, &mut random), random.random_range(1..28));
            let data = suited(testkit::table(n, draw as u64), &entry);
            require_positive(&text, &matrix(&text, &data), 1.0);
        }
    }
    assert!(tried.len() >= 15, "{tried:?}");
}

// spec: K31
#[test]
fn histogram_intersection_is_the_sum_of_the_lesser_bins_and_positive() {
    // 3 bins of 1 and 5 against 2: min(1, 0) + min(0, 0) + min(3, 1) + min(2, 5).
    near(value("histogram_intersection", &[1.0, 0.0, 3.0, 2.0], &[0.0, 0.0, 1.0, 5.0]), 3.0, 0.0);
    let mut random = Xoshiro256PlusPlus::seed_from_u64(3);
    for _ in 0..DRAWS {
        let (n, bins) = (random.random_range(2..40), random.random_range(1..8));
        let sparse = random.random::<bool>();
        let counts: Vec<f64> = (0..n * bins)
            .map(|_| if sparse && random.random::<f64>() < 0.5 { 0.0 } else { 10f64.powf(4.0 * random.random::<f64>() - 2.0) })
            .collect();
        let k = matrix("histogram_intersection", &Dataset::from_points(Points::dense(n, bins, counts.clone()).unwrap()));
        for i in 0..n {
            for j in 0..n {
                let expected: f64 = (0..bins).map(|b| counts[i * bins + b].min(counts[j * bins + b])).sum();
                near(k[(i, j)], expected, 1e-12 * (1.0 + k[(i, i)] + k[(j, j)]));
            }
        }
        require_positive("histogram_intersection", &k, 1.0);
    }
}

// spec: E1-10
#[test]
fn the_exponential_of_an_unbounded_kernel_is_a_mercer_kernel() {
    assert_eq!(KernelExpr::parse("exp(linear)").unwrap().mercer(), Mercer::Always);
    let mut random = Xoshiro256PlusPlus::seed_from_u64(5);
    for draw in 0..DRAWS {
        // x.x up to about 600: exp(x.x) up to 10^260.
        let (n, d, size) = (random.random_range(2..16), random.random_range(1..4), 24.0 * draw as f64 / DRAWS as f64);
        let x: Vec<f64> = (0..n * d).map(|_| size * (2.0 * random.random::<f64>() - 1.0) / (d as f64).sqrt()).collect();
        let data = Dataset::from_points(Points::dense(n, d, x.clone()).unwrap());
        let k = matrix("exp(linear)", &data);
        // f(x) exp(-|x - z|^2 / 2) f(z) with f = exp(|x|^2 / 2), whatever the size.
        let half = |i: usize| 0.5 * x[i * d..(i + 1) * d].iter().map(|v| v * v).sum::<f64>();
        for i in 0..n {
            for j in 0..n {
                let distance: f64 = (0..d).map(|c| (x[i * d + c] - x[j * d + c]).powi(2)).sum();
                let expected = half(i) + half(j) - 0.5 * distance;
                near(k[(i, j)].ln(), expected, 1e-13 * (1.0 + half(i) + half(j)));
            }
        }
        for text in ["linear", "0.001*polynomial(degree=2, gamma=1, offset=1)"] {
            // An exponent t that is known to eps t gives an exponential that is known to t eps.
            let exponent = matrix(text, &data).data().iter().fold(1.0f64, |m, t| m.max(t.abs()));
            require_positive(text, &matrix(&format!("exp({text})"), &data), exponent);
            require_positive(text, &matrix(&format!("normalise(exp({text}))"), &data), exponent);
        }
    }
}
