//! Values of single kernels from papers, other libraries and formulas worked by hand.

use crate::evaluated;

use evaluated::{matrix, near, points, value};
use mercer::control::Control;
use mercer::data::{Categories, Column, Dataset, Points, Strings, Values};
use mercer::fitting;
use mercer::gram::{self, Dense, Mercer};
use mercer::kernels::KernelExpr;
use mercer::linalg::Matrix;
use mercer::prep::Recipe;
use mercer::read::{ReadOptions, Table};
use proptest::prelude::*;
use rand::SeedableRng;
use rand_distr::{Distribution, StandardNormal};
use rand_xoshiro::Xoshiro256PlusPlus;

const X: [f64; 3] = [0.3, -1.2, 0.7];
const Z: [f64; 3] = [1.1, 0.4, -0.5];

// spec: K01
#[test]
fn a_full_covariance_is_the_formula_and_the_identity_is_rbf() {
    near(value("mahalanobis(covariance=[1, 0, 0, 0, 1, 0, 0, 0, 1])", &X, &Z), value("rbf(length_scale=1)", &X, &Z), 1e-15);
    // S = [[2, 0.6], [0.6, 0.5]], d = (-0.8, -1.6): d'S^-1 d = (0.5 d1^2 - 1.2 d1 d2 + 2 d2^2) / 0.64.
    let q = (0.5 * 0.64 - 1.2 * 1.28 + 2.0 * 2.56) / 0.64;
    near(value("mahalanobis(covariance=[2, 0.6, 0.6, 0.5])", &X[..2], &Z[..2]), (-0.5f64 * q).exp(), 1e-14);
    let scaled = value("rbf(length_scale=[2, 0.5, 3])", &X, &Z);
    near(value("mahalanobis(covariance=[4, 0, 0, 0, 0.25, 0, 0, 0, 9])", &X, &Z), scaled, 1e-14);
    for (wrong, why) in [("[1, 2, 2, 1]", "not positive definite"), ("[1, 0, 0.5, 1]", "symmetric"), ("[1]", "4 numbers")] {
        let data = points(&[&X[..2], &Z[..2]]);
        let found = KernelExpr::parse(&format!("mahalanobis(covariance={wrong})")).unwrap().bind(None, &data).map(|_| ()).unwrap_err();
        assert!(found.to_string().contains(why), "{found}");
    }
}

// spec: K10
#[test]
fn matern_of_any_order_is_that_of_scikit_learn() {
    // scikit-learn 1.9 gaussian_process.kernels.Matern(length_scale=1.3, nu=...).
    near(value("matern(nu=0.8, length_scale=1.3)", &X, &Z), 0.205_053_583_163_294_03, 1e-13);
    near(value("matern(nu=3.3, length_scale=1.3)", &X, &Z), 0.232_356_861_970_705_43, 1e-13);
    // The orders of the specification at r = 1.3, l = 2.
    for (nu, expected) in [(0.5, 0.522_045_776_761_016_1), (1.5, 0.689_582_258_199_219_3), (2.5, 0.738_135_030_313_570_5)] {
        near(value(&format!("matern(nu={nu}, length_scale=2)"), &[0.0], &[1.3]), expected, 1e-15);
        // Beside the closed form, by Bessel functions.
        near(value(&format!("matern(nu={}, length_scale=2)", nu + 1e-9), &[0.0], &[1.3]), expected, 1e-9);
    }
}

// spec: K12
#[test]
fn matern_tends_to_the_gaussian_as_its_order_grows() {
    let gap = |nu: f64| {
        (1..=300)
            .map(|k| f64::from(k) * 0.01)
            .map(|r| (value(&format!("matern(nu={nu}, length_scale=1)"), &[0.0], &[r]) - (-0.5 * r * r).exp()).abs())
            .fold(0.0, f64::max)
    };
    for (nu, expected) in [(20.0, 0.01144), (50.0, 0.00460), (100.0, 0.00230)] {
        near(gap(nu), expected, 5e-6);
    }
    assert!((gap(200.0) / gap(100.0) - 0.5).abs() <= 0.01 && gap(1000.0) < gap(200.0));
    assert_eq!(value("matern(nu=inf, length_scale=0.8)", &X, &Z), value("rbf(length_scale=0.8)", &X, &Z));
}

#[test]
fn rational_quadratic_periodic_and_chi_squared_are_those_of_scikit_learn() {
    // scikit-learn 1.9: RationalQuadratic(length_scale=1.3, alpha=0.6), ExpSineSquared(0.9, 2.7), chi2_kernel(gamma=0.4).
    near(value("rational_quadratic(length_scale=1.3, alpha=0.6)", &X, &Z), 0.489_602_262_098_355_06, 1e-14);
    near(value("rational_quadratic(length_scale=1.3, alpha=1e8)", &X, &Z), value("rbf(length_scale=1.3)", &X, &Z), 1e-8);
    near(value("periodic(period=2.7, length_scale=0.9)", &X[..1], &Z[..1]), 0.204_201_920_906_506_4, 1e-14);
    near(value("periodic(period=2.7, length_scale=0.9)", &[0.3], &[0.3 + 5.0 * 2.7]), 1.0, 1e-13);
    let (a, b) = ([1.0, 0.0, 3.0, 2.0], [0.0, 0.0, 1.0, 5.0]);
    near(value("chi_squared(gamma=0.4)", &a, &b), 0.268_666_159_117_636_26, 1e-14);
}

// Bins of unlike mass: min(1e16, 0) + min(1, 1) = 1 and min(1e9, 0) + min(0.001, 0.001) = 0.001, dense as well as sparse.
// spec: K31
#[test]
fn a_heavy_bin_leaves_the_overlap_of_the_others_as_it_is() {
    for (heavy, light) in [(1e16, 1.0), (1e9, 0.001)] {
        let dense = points(&[&[heavy, light], &[0.0, light]]);
        let csr = Points::csr(2, 2, vec![0, 2, 3], vec![0, 1, 1], vec![heavy, light, light]).unwrap();
        for data in [dense, Dataset::from_points(csr)] {
            let k = matrix("histogram_intersection", &data);
            assert_eq!((k[(0, 1)], k[(1, 0)], k[(1, 1)], k[(0, 0)]), (light, light, light, heavy + light));
        }
    }
}

#[test]
fn kernels_of_masses_refuse_numbers_below_zero() {
    for kernel in ["histogram_intersection", "chi_squared(gamma=1)"] {
        let why = KernelExpr::parse(kernel).unwrap().bind(None, &points(&[&[1.0, 2.0], &[0.5, -2.5]])).map(|_| ()).unwrap_err().to_string();
        assert!(why.contains("row 2") && why.contains("-2.5"), "{why}");
    }
}

// spec: K13
#[test]
fn the_composite_kernel_of_the_source_is_an_expression_with_its_gradients() {
    let (t0, t1, t2, t3) = (1.7, 0.9, 0.3, 0.2);
    let expr = KernelExpr::parse(&format!("{t0}*rbf(length_scale={}) + {t2} + {t3}*linear", f64::sqrt(1.0 / t1))).unwrap();
    let data = points(&[&X, &Z, &[0.1, 0.2, -2.0]]);
    let k = matrix(&expr.to_string(), &data);
    let rows = [X, Z, [0.1, 0.2, -2.0]];
    let mut weights = Matrix::zeros(3, 3);
    let mut expected = [0.0; 4];
    for i in 0..3 {
        for j in 0..3 {
            let d: f64 = (0..3).map(|c| (rows[i][c] - rows[j][c]).powi(2)).sum();
            let dot: f64 = (0..3).map(|c| rows[i][c] * rows[j][c]).sum();
            let gauss = (-0.5 * t1 * d).exp();
            near(k[(i, j)], t0 * gauss + t2 + t3 * dot, 1e-14);
            weights[(i, j)] = ((i + 1) * (j + 1)) as f64;
            // By theta0, by the length scale l = theta1^(-1/2), by theta2, by theta3.
            for (e, slope) in expected.iter_mut().zip([gauss, t0 * gauss * d * t1 * f64::sqrt(t1), 1.0, dot]) {
                *e += weights[(i, j)] * slope;
            }
        }
    }
    let found = expr.bind(None, &data).unwrap().gradient(&weights.clone().into(), &Control::default()).unwrap();
    let paths: Vec<String> = expr.values().into_iter().map(|p| p.path).collect();
    assert_eq!(paths, ["0.scale", "0.0.rbf.length_scale", "1.constant.value", "2.scale"]);
    found.iter().zip(expected).for_each(|(a, b)| near(*a, b, 1e-12 * (1.0 + b.abs())));
}

// spec: K14, GP02
#[test]
fn functions_with_normal_weights_have_the_covariance_of_their_kernel() {
    let data = points(&[&[0.3, -1.0], &[1.2, 0.4], &[-0.7, 0.9]]);
    let (draws, alpha) = (100_000, 2.0);
    let k = matrix(&format!("{}*polynomial(degree=2, gamma=1, offset=1)", 1.0 / alpha), &data);
    let root = 2f64.sqrt();
    let phi = |x: &[f64]| [1.0, root * x[0], root * x[1], x[0] * x[0], x[1] * x[1], root * x[0] * x[1]];
    let rows = [phi(&[0.3, -1.0]), phi(&[1.2, 0.4]), phi(&[-0.7, 0.9])];
    let mut random = Xoshiro256PlusPlus::seed_from_u64(11);
    let mut sums = [[0.0; 3]; 3];
    for _ in 0..draws {
        let w: [f64; 6] = std::array::from_fn(|_| {
            let z: f64 = StandardNormal.sample(&mut random);
            z / f64::sqrt(alpha)
        });
        let y = rows.map(|r| r.iter().zip(w).map(|(p, w)| p * w).sum::<f64>());
        for i in 0..3 {
            for j in 0..3 {
                sums[i][j] += y[i] * y[j];
            }
        }
    }
    for i in 0..3 {
        for j in 0..3 {
            // The standard error of a mean of products of two normal numbers.
            let error = ((k[(i, i)] * k[(j, j)] + k[(i, j)] * k[(i, j)]) / f64::from(draws)).sqrt();
            near(sums[i][j] / f64::from(draws), k[(i, j)], 3.0 * error);
        }
    }
}

// spec: K46
#[test]
fn mixtures_of_activations_with_normal_weights_have_the_covariance_of_their_kernel() {
    // f(x) = sum_m lambda_m phi_m(x), lambda_m ~ N(0, v_m): the kernel is sum_m v_m phi_m(x) phi_m(z).
    let inputs = [-1.4, 0.3, 0.9, 2.0f64];
    type Activation = fn(f64) -> f64;
    let activations: [(&str, f64, Activation); 4] =
        [("relu", 0.5, |x| x.max(0.0)), ("tanh", 2.0, f64::tanh), ("logistic", 1.5, |x| 1.0 / (1.0 + (-x).exp())), ("sine", 0.2, f64::sin)];
    let column =
        |(name, _, phi): (&str, f64, fn(f64) -> f64)| Column { name: name.into(), values: Values::Numbers(inputs.map(phi).to_vec()) };
    let data = Dataset::new(activations.map(column).to_vec()).unwrap();
    let k = matrix(&activations.map(|(name, v, _)| format!("{v}*on({name}, linear)")).join(" + "), &data);
    let (draws, mut sums) = (100_000, Matrix::zeros(4, 4));
    let mut random = Xoshiro256PlusPlus::seed_from_u64(13);
    for _ in 0..draws {
        let weights = activations.map(|(_, v, phi)| {
            let z: f64 = StandardNormal.sample(&mut random);
            (v.sqrt() * z, phi)
        });
        let f = inputs.map(|x| weights.iter().map(|(w, phi)| w * phi(x)).sum::<f64>());
        for i in 0..4 {
            for j in 0..4 {
                sums[(i, j)] += f[i] * f[j] / f64::from(draws);
            }
        }
    }
    for i in 0..4 {
        for j in 0..4 {
            let error = ((k[(i, i)] * k[(j, j)] + k[(i, j)] * k[(i, j)]) / f64::from(draws)).sqrt();
            near(sums[(i, j)], k[(i, j)], 3.0 * error);
        }
    }
}

/// The distance from which exp(-d^2 / 100) comes.
fn edits(k: f64) -> f64 {
    (-100.0 * k.ln()).sqrt()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    // spec: K29
    #[test]
    fn edit_distance_is_a_metric_by_steps_of_one_letter(strings in prop::collection::vec("[abc\u{e9}]{0,7}", 3), at in 0usize..8, letter in "[abcd]") {
        let [a, b, c] = [0, 1, 2].map(|i| strings[i].as_str());
        // A letter inserted, deleted or substituted.
        let letters: Vec<char> = a.chars().collect();
        let at = at.min(letters.len());
        let (before, after): (String, String) = (letters[..at].iter().collect(), letters[at..].iter().collect());
        let longer = format!("{before}{letter}{after}");
        let changed = format!("{before}{letter}{}", after.chars().skip(1).collect::<String>());
        let rows = [a, b, c, &longer, &changed];
        let data = Dataset::new(vec![Column { name: "s".into(), values: Values::Sequences(Strings::new(rows)) }]).unwrap();
        let k = matrix("edit(gamma=0.01)", &data);
        let d = Matrix::from_fn(5, 5, |i, j| edits(k[(i, j)]));
        for i in 0..5 {
            for j in 0..5 {
                prop_assert!((d[(i, j)] - d[(i, j)].round()).abs() <= 1e-6, "a whole number of edits: {}", d[(i, j)]);
                prop_assert_eq!(d[(i, j)].round() == 0.0, rows[i] == rows[j]);
                prop_assert_eq!(d[(i, j)], d[(j, i)]);
                // No fewer than the lengths differ by, no more than the longer one has letters.
                let (m, n) = (rows[i].chars().count() as f64, rows[j].chars().count() as f64);
                prop_assert!((m - n).abs() <= d[(i, j)].round() && d[(i, j)].round() <= m.max(n));
                for via in 0..5 {
                    prop_assert!(d[(i, j)].round() <= d[(i, via)].round() + d[(via, j)].round());
                }
            }
        }
        prop_assert_eq!(d[(0, 3)].round(), 1.0);
        prop_assert_eq!(d[(0, 4)].round(), if changed == a { 0.0 } else { 1.0 });
        // The warning of F36.
        prop_assert!(KernelExpr::parse("edit").unwrap().mercer() != Mercer::Always);
    }
}

#[test]
fn white_noise_knows_rows_and_new_rows_are_never_old_ones() {
    let data = points(&[&[1.0], &[1.0], &[2.0]]);
    let k = matrix("constant(value=2) + white(value=0.5)", &data);
    assert_eq!(k.data(), [2.5, 2.0, 2.0, 2.0, 2.5, 2.0, 2.0, 2.0, 2.5]);
    let cross = KernelExpr::parse("white").unwrap().bind(Some(&data), &data).unwrap();
    assert_eq!(Dense::of(cross.as_ref(), &Control::default()).unwrap().matrix().data(), [0.0; 9]);
}

#[test]
fn counts_and_angles_are_taken_as_they_are_and_the_rest_is_standardised() {
    let text = b"a,b,w,y\n1,5,2,1\n2,3,2,0\n4,1,2,1\n9,0,2,0\n";
    let mut table = Table::parse("t", text).unwrap();
    table.take_target(&["y"], &ReadOptions::default()).unwrap();
    let data = table.dataset(&ReadOptions::default()).unwrap();
    let prepared = |text: &str| {
        let expr = KernelExpr::parse(text).unwrap();
        fitting::prepare(&Recipe::default(), Some(&expr), &data).unwrap()
    };
    let numbers = |p: &fitting::Prepared, name: &str| match &p.data.column(name).unwrap().values {
        mercer::data::Values::Numbers(v) => v.clone(),
        _ => panic!("numbers"),
    };
    let both = prepared("on(a, chi_squared) + on(b, rbf)");
    assert_eq!(numbers(&both, "a"), [1.0, 2.0, 4.0, 9.0]);
    near(numbers(&both, "b").iter().sum(), 0.0, 1e-12);
    let shared = prepared("on(a, periodic(period=3)) + on([a, b], rbf)");
    assert_eq!(numbers(&shared, "a"), [1.0, 2.0, 4.0, 9.0]);
    assert!(shared.notices.iter().any(|n| n.to_string().contains("'a' is not standardised")), "{:?}", shared.notices);
    // A constant column that weighs is not dropped, and weighs.
    let weighed = prepared("weighted(w, on([a, b], rbf))");
    assert_eq!(numbers(&weighed, "w"), [2.0; 4]);
    let k = gram::dense(weighed.kernel.settle(&weighed.data).unwrap().bind(None, &weighed.data).unwrap().as_ref(), &Control::default())
        .unwrap();
    assert_eq!(k[(1, 1)], 4.0);
    for (text, why) in [
        ("weighted(q, rbf)", "unknown column 'q'"),
        ("on(a, b)", "kernel"),
        ("rbf^0", "whole number from 1"),
        ("exp(rbf, rbf)", "one kernel"),
    ] {
        let found = KernelExpr::parse(text).and_then(|k| fitting::prepare(&Recipe::default(), Some(&k), &data).map(|_| ())).unwrap_err();
        assert!(found.to_string().contains(why), "{text}: {found}");
    }
}

// Both kernels by hand, at t = location + width ln 3 and location - width ln 3, where s is 3/4 and 1/4.
#[test]
fn a_changepoint_is_one_kernel_before_and_another_one_behind() {
    let third = 3f64.ln();
    let table = |t: [f64; 2]| {
        let column = |name: &str, values: Vec<f64>| Column { name: name.into(), values: Values::Numbers(values) };
        Dataset::new(vec![column("t", vec![10.0 + 2.0 * t[0] * third, 10.0 + 2.0 * t[1] * third]), column("a", vec![3.0, 5.0])]).unwrap()
    };
    let text = "changepoint(t, on(a, linear), constant(value=7), location=10, width=2)";
    let k = matrix(text, &table([1.0, -1.0]));
    near(k[(0, 1)], 0.25 * 0.75 * 15.0 + 0.75 * 0.25 * 7.0, 1e-14);
    near(k[(0, 0)], 0.0625 * 9.0 + 0.5625 * 7.0, 1e-14);
    near(k[(1, 1)], 0.5625 * 25.0 + 0.0625 * 7.0, 1e-14);
    // Far from the change one kernel is left.
    let k = matrix(text, &table([-1000.0, -1000.0]));
    assert_eq!(k[(0, 1)], 15.0);
    let k = matrix(text, &table([1000.0, 1000.0]));
    assert_eq!(k[(0, 1)], 7.0);
    for (text, expected) in [
        ("changepoint(t, rbf)", "a column of numbers and two kernels"),
        ("changepoint(rbf, linear)", "a column of numbers and two kernels"),
        ("changepoint(t, rbf, linear, width=0)", "above 0 and finite"),
        ("changepoint(t, rbf, linear, steepness=2)", "steepness"),
    ] {
        let e = KernelExpr::parse(text).unwrap_err().to_string();
        assert!(e.contains(expected), "{text}: {e}");
    }
}

// Three labels in one column, two in the other, the factors multiplied by hand.
#[test]
fn kernels_of_labels_are_products_over_columns() {
    let column = |name: &str, labels: &[&str]| Column { name: name.into(), values: Values::Categories(Categories::from_labels(labels)) };
    let data = Dataset::new(vec![column("c", &["a", "a", "b", "c"]), column("d", &["u", "v", "v", "v"])]).unwrap();
    let k = matrix("li_racine(bandwidth=[0.3, 0.6])", &data);
    for ((i, j), expected) in [((0, 0), 1.0), ((0, 1), 0.6), ((1, 2), 0.3), ((0, 2), 0.18), ((2, 3), 0.3)] {
        near(k[(i, j)], expected, 1e-15);
    }
    let k = matrix("aitchison_aitken(bandwidth=[0.4, 0.3])", &data);
    for ((i, j), expected) in [((0, 0), 0.6 * 0.7), ((0, 1), 0.6 * 0.3), ((1, 2), 0.2 * 0.7), ((0, 2), 0.2 * 0.3), ((3, 3), 0.6 * 0.7)] {
        near(k[(i, j)], expected, 1e-15);
    }
    // At the largest bandwidth all labels are alike.
    let k = matrix("on(d, aitchison_aitken(bandwidth=0.5))", &data);
    assert!(k.data().iter().all(|v| *v == 0.5));
    for (text, expected) in [
        ("aitchison_aitken(bandwidth=0.6)", "category column 2 has 2 labels; take a bandwidth of at most 0.5000"),
        ("li_racine(bandwidth=[0.3, 0.4, 0.5])", "bandwidth has 3 numbers and there are 2 category columns"),
    ] {
        let e = KernelExpr::parse(text).unwrap().bind(None, &data).err().unwrap().to_string();
        assert!(e.contains(expected), "{text}: {e}");
    }
    let e = KernelExpr::parse("li_racine(bandwidth=1.5)").unwrap_err().to_string();
    assert!(e.contains("above 0 and at most 1"), "{e}");
}
