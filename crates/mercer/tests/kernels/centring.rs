//! Features less their mean over the training rows: H K H, and what it means for new rows.

use crate::evaluated;

use evaluated::{matrix, near};
use mercer::control::Control;
use mercer::data::{Column, Dataset, Points, Similarities, Values};
use mercer::features::Empirical;
use mercer::gram::{self, Dense};
use mercer::kernels::KernelExpr;
use mercer::linalg::{Matrix, eigh};

// spec: M35
#[test]
fn centring_the_worked_example_gives_its_numbers() {
    let k = Matrix::new(3, 3, vec![1.0, 0.8, 0.3, 0.8, 1.0, 0.5, 0.3, 0.5, 1.0]).unwrap();
    let names = ["a", "b", "c"].map(String::from).to_vec();
    let column = Column { name: "id".into(), values: Values::Similarities(Similarities::new(names, vec![0, 1, 2], k).unwrap()) };
    let centred = matrix("centre(precomputed)", &Dataset::new(vec![column]).unwrap());
    near(centred[(0, 0)], 0.288_888_89, 5e-9);
    near(centred.diagonal().iter().sum(), 0.933_333_33, 5e-9);
    for i in 0..3 {
        near(centred.row(i).iter().sum(), 0.0, 1e-15);
        near(centred.col(i).iter().sum(), 0.0, 1e-15);
    }
    let (values, _) = eigh(centred, &Control::default()).unwrap();
    for (found, expected) in values.iter().zip([0.0, 0.176_073_404, 0.757_259_930]) {
        near(*found, expected, 1e-9);
    }
}

fn table(rows: usize, from: usize) -> Dataset {
    let values = (0..3 * rows).map(|k| (1.7 * (from + k) as f64 + 0.3 * ((from + k) % 7) as f64).sin()).collect();
    Dataset::from_points(Points::dense(rows, 3, values).unwrap())
}

fn between(kernel: &str, new: &Dataset, data: &Dataset) -> Matrix {
    let bound = KernelExpr::parse(kernel).unwrap().settle(data).unwrap().bind(Some(new), data).unwrap();
    gram::dense(bound.as_ref(), &Control::default()).unwrap()
}

// spec: M36, E3-23
#[test]
fn new_rows_are_centred_by_the_means_of_the_training_rows() {
    let (data, new) = (table(14, 0), table(5, 1000));
    for kernel in ["rbf(length_scale=0.8)", "polynomial(degree=2, gamma=1, offset=1)", "linear"] {
        let (k, star) = (matrix(kernel, &data), between(kernel, &new, &data));
        // k~ = k* - K 1/N - 1 (1'k*)/N + 1 1'K 1/N^2
        let mean = |v: &[f64]| v.iter().sum::<f64>() / 14.0;
        let of_all = mean(k.data()) / 14.0;
        let found = between(&format!("centre({kernel})"), &new, &data);
        for i in 0..5 {
            for j in 0..14 {
                near(found[(i, j)], star[(i, j)] - mean(k.row(j)) - mean(star.row(i)) + of_all, 1e-13);
            }
        }
        // A training row that comes again is projected, by (14.40), where fitting had put it.
        let centred = format!("centre({kernel})");
        let h = matrix(&centred, &data);
        let fitted = Empirical::new(&Dense::square(h.clone()).unwrap(), &Control::default()).unwrap();
        let cross = Dense::cross(between(&centred, &data, &data), h.diagonal(), h.diagonal()).unwrap();
        let (first, again) = (fitted.features(), fitted.features_of(&cross, &Control::default()).unwrap());
        assert_eq!((again.rows(), again.cols()), (first.rows(), first.cols()));
        assert!(first.cols() <= 13, "centring takes one direction away");
        for (a, b) in again.data().iter().zip(first.data()) {
            near(*a, *b, 1e-10);
        }
        // Without centring them they land elsewhere.
        let raw = Dense::cross(between(kernel, &data, &data), h.diagonal(), h.diagonal()).unwrap();
        let raw = fitted.features_of(&raw, &Control::default()).unwrap();
        let moved = raw.data().iter().zip(first.data()).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
        assert!(kernel == "linear" || moved > 1e-3, "{kernel}: {moved}");
    }
}
