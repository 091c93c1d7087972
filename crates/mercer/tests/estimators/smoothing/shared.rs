//! What tests of smoothing share.

use mercer::linalg::Matrix;

/// Whether two numbers agree relative to their size.
pub(crate) fn close(a: f64, b: f64, tolerance: f64) -> bool {
    (a - b).abs() <= tolerance * a.abs().max(b.abs())
}

/// Simpson's rule over `pieces` pairs of steps.
pub(crate) fn integral(f: impl Fn(f64) -> f64, from: f64, to: f64, pieces: usize) -> f64 {
    let step = (to - from) / (2 * pieces) as f64;
    let at = |k: usize| f(from + step * k as f64);
    let inner: f64 = (1..2 * pieces).map(|k| if k % 2 == 1 { 4.0 * at(k) } else { 2.0 * at(k) }).sum();
    (at(0) + inner + at(2 * pieces)) * step / 3.0
}

/// Numbers of a standard normal distribution, by a seed.
pub(crate) fn normal(count: usize, seed: u64) -> Vec<f64> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x1234_5678_9abc_def1;
    let mut uniform = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    };
    // Box and Muller.
    (0..count).map(|_| (-2.0 * uniform().ln()).sqrt() * (2.0 * std::f64::consts::PI * uniform()).cos()).collect()
}

/// Rows of standard normal numbers.
pub(crate) fn cloud(rows: usize, dim: usize, seed: u64) -> Matrix {
    Matrix::new(rows, dim, normal(rows * dim, seed)).unwrap()
}

/// The columns of a table of real data; `None`, said in one line, where it is absent.
pub(crate) fn data(name: &str) -> Option<Vec<Vec<f64>>> {
    let from = std::path::PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let places = [format!("../../fixtures/{name}.csv"), format!("../../../shared/data/{name}/{name}.csv")];
    let Some(text) = places.iter().find_map(|place| std::fs::read_to_string(from.join(place)).ok()) else {
        println!("{name} is absent: nothing is compared");
        return None;
    };
    let rows: Vec<Vec<f64>> = text.lines().skip(1).map(|l| l.split(',').map(|c| c.trim().parse().unwrap()).collect()).collect();
    Some((0..rows[0].len()).map(|j| rows.iter().map(|r| r[j]).collect()).collect())
}
