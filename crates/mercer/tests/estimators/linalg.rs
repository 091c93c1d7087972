//! Dense linear algebra against its definitions, and the same bits for any number of threads.

use mercer::control::{CancelFlag, Control, with_threads};
use mercer::linalg::{Cholesky, Lower, Matrix, eigh, gramian, product, product_transposed};

/// A squared exponential Gram matrix of points on a line with `noise` on the diagonal.
fn smooth(n: usize, noise: f64) -> Matrix {
    Matrix::from_fn(n, n, |i, j| {
        let d = (i as f64 - j as f64) / 7.0;
        (-0.5 * d * d).exp() + if i == j { noise } else { 0.0 }
    })
}

fn wave(rows: usize, cols: usize) -> Matrix {
    Matrix::from_fn(rows, cols, |i, j| ((3 * i + 7 * j) as f64 * 0.37).sin())
}

fn close(a: &Matrix, b: &Matrix, tol: f64) {
    assert_eq!((a.rows(), a.cols()), (b.rows(), b.cols()));
    for (x, y) in a.data().iter().zip(b.data()) {
        assert!((x - y).abs() <= tol, "{x} and {y}");
    }
}

#[test]
fn products_equal_their_definition() {
    for (m, k, n) in [(0, 3, 2), (3, 0, 2), (1, 1, 1), (70, 33, 129), (200, 65, 64)] {
        let (a, b) = (wave(m, k), wave(k, n));
        let expected = Matrix::from_fn(m, n, |i, j| (0..k).map(|l| a[(i, l)] * b[(l, j)]).sum());
        close(&product(&a, &b).unwrap(), &expected, 1e-12);
        close(&product_transposed(&a, &b.transpose()).unwrap(), &expected, 1e-12);
        let square = gramian(&a);
        close(&square, &product_transposed(&a, &a).unwrap(), 1e-12);
        assert_eq!(square, square.transpose());
    }
    assert!(product(&wave(2, 3), &wave(2, 3)).is_err());
}

#[test]
fn factor_solve_inverse_and_determinant_agree_with_the_matrix() {
    for n in [0, 1, 2, 63, 64, 65, 127, 128, 129, 300] {
        let a = smooth(n, 0.1);
        let c = Cholesky::new(a.clone(), &Control::default()).unwrap();
        assert_eq!(c.jitter(), 0.0);
        let b = wave(n, 3);
        let x = c.solve(&b, &Control::default()).unwrap();
        close(&product(&a, &x).unwrap(), &b, 1e-12);
        close(&c.multiply(&x).unwrap(), &b, 1e-12);
        let half = c.solve_lower(&b, &Control::default()).unwrap();
        close(&product(&half.transpose(), &half).unwrap(), &product(&b.transpose(), &x).unwrap(), 1e-10);
        let diagonal = c.inverse_diagonal(&Control::default()).unwrap();
        let log_det = c.log_det();
        let inverse = c.into_inverse(&Control::default()).unwrap();
        assert_eq!(inverse, inverse.transpose());
        close(&product(&a, &inverse).unwrap(), &Matrix::from_fn(n, n, |i, j| f64::from(u8::from(i == j))), 1e-12);
        for (d, e) in diagonal.iter().zip(inverse.diagonal()) {
            assert!((d - e).abs() <= 1e-11);
        }
        let (values, _) = eigh(a, &Control::default()).unwrap();
        assert!((log_det - values.iter().map(|v| v.ln()).sum::<f64>()).abs() <= 1e-9 * (1.0 + log_det.abs()));
    }
}

#[test]
fn the_same_bits_come_from_any_number_of_threads() {
    let run = |threads| {
        with_threads(threads, || {
            let a = smooth(700, 0.01);
            let c = Cholesky::new(a.clone(), &Control::default()).unwrap();
            let x = c.solve(&wave(700, 130), &Control::default()).unwrap();
            let (values, vectors) = eigh(a.clone(), &Control::default()).unwrap();
            (c.log_det(), x, product(&a, &a).unwrap(), gramian(&a), c.into_inverse(&Control::default()).unwrap(), values, vectors)
        })
        .unwrap()
    };
    let one = run(1);
    for threads in [2, 3, 5] {
        assert!(one == run(threads), "{threads} threads");
    }
}

#[test]
fn a_singular_matrix_gets_the_jitter_that_is_reported_and_keeps_its_products() {
    // Rank 1: every pivot after the first is 0.
    let n = 200;
    let a = Matrix::from_fn(n, n, |i, j| (1.0 + (i % 3) as f64) * (1.0 + (j % 3) as f64));
    let c = Cholesky::new(a.clone(), &Control::default()).unwrap();
    let mean = a.diagonal().iter().sum::<f64>() / n as f64;
    assert!(c.jitter() > 0.0 && c.jitter() <= 1.0001e-4 * mean);
    close(&c.multiply(&wave(n, 2)).unwrap(), &product(&a, &wave(n, 2)).unwrap(), 1e-10);
    let mut shifted = a;
    shifted.add_to_diagonal(&[c.jitter()]);
    let x = c.solve(&wave(n, 1), &Control::default()).unwrap();
    let back = product(&shifted, &x).unwrap();
    let size = x.data().iter().fold(0.0f64, |m, v| m.max(v.abs()));
    close(&back, &wave(n, 1), 1e-12 * size * mean * n as f64);
}

#[test]
fn an_indefinite_matrix_and_a_nan_are_named_errors() {
    let fault = |values: Vec<f64>| Cholesky::new(Matrix::new(2, 2, values).unwrap(), &Control::default()).unwrap_err().to_string();
    assert!(fault(vec![1.0, 2.0, 2.0, 1.0]).contains("not positive definite at row 2"));
    assert!(fault(vec![1.0, f64::NAN, f64::NAN, 1.0]).contains("not positive definite"));
    assert!(fault(vec![-1.0, 0.0, 0.0, -1.0]).contains("row 1"));
    assert!(Cholesky::new(wave(2, 3), &Control::default()).is_err());
}

#[test]
fn a_raised_flag_stops_the_factorisation() {
    let cancel = CancelFlag::default();
    cancel.cancel();
    let control = Control { cancel, ..Control::default() };
    assert!(matches!(Cholesky::new(smooth(10, 1.0), &control), Err(mercer::error::Error::Cancelled)));
}

#[test]
fn a_stored_factor_comes_back_bit_for_bit_and_a_damaged_one_is_an_error() {
    let lower = Cholesky::new(smooth(20, 0.1), &Control::default()).unwrap().into_lower();
    let (text, stored) = mercer::blocks::collect(|| serde_json::to_string(&lower).unwrap());
    assert_eq!(stored.iter().map(Vec::len).sum::<usize>(), 8 * 20 * 21 / 2);
    let back: Lower = mercer::blocks::supply(stored, || serde_json::from_str(&text)).unwrap();
    assert_eq!(back, lower);
    for bad in [
        r#"{"size":2,"packed":{"inline":[1,0]}}"#,
        r#"{"size":18446744073709551615,"packed":{"inline":[1]}}"#,
        r#"{"size":2,"packed":{"inline":[1,0,0]}}"#,
        r#"{"size":1,"packed":{"inline":[-1]}}"#,
    ] {
        assert!(serde_json::from_str::<Lower>(bad).is_err(), "{bad}");
    }
}

#[test]
fn eigenvalues_of_matrices_near_the_ends_of_the_range_of_numbers_keep_their_digits() {
    // 14 rows: v v' has the eigenvalue |v|^2 and zeros.
    let v: Vec<f64> = (0..14).map(|i| (1.0 + 1.7 * f64::from(i)).sin()).collect();
    let square: f64 = v.iter().map(|x| x * x).sum();
    for exponent in [-1000, -600, -400, 0, 400, 600, 900, 1020] {
        let size = 2f64.powi(exponent);
        let (values, _) = eigh(Matrix::from_fn(14, 14, |i, j| v[i] * v[j] * size), &Control::default()).unwrap();
        assert!((values[13] / size / square - 1.0).abs() <= 1e-13, "2^{exponent}: {}", values[13]);
        assert!(values[..13].iter().all(|s| (s / size).abs() <= 1e-13), "2^{exponent}: {values:?}");
    }
    let beyond = Matrix::from_fn(14, 14, |i, j| v[i] * v[j] * 1.7e308);
    assert!(eigh(beyond, &Control::default()).unwrap_err().to_string().contains("beyond the range"));
}
