//! Kernels as inner products of feature maps that are written out.

use crate::series::signature;
use mercer::control::Control;
use mercer::data::{Categories, Column, Dataset, Points, Series, Sets, Strings, Values};
use mercer::estimators::Expansion;
use mercer::gram;
use mercer::kernels::KernelExpr;
use mercer::linalg::{Matrix, eigh, product_transposed};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::iter::once;

fn points(x: &Matrix) -> Dataset {
    Dataset::from_points(Points::dense(x.rows(), x.cols(), x.data().to_vec()).unwrap())
}

fn gram_of(kernel: &str, data: &Dataset) -> Matrix {
    let bound = KernelExpr::parse(kernel).unwrap().settle(data).unwrap().bind(None, data).unwrap();
    gram::dense(bound.as_ref(), &Control::default()).unwrap()
}

/// Every row through a map.
fn mapped(x: &Matrix, map: impl Fn(&[f64]) -> Vec<f64>) -> Matrix {
    let rows: Vec<Vec<f64>> = (0..x.rows()).map(|i| map(x.row(i))).collect();
    Matrix::from_fn(rows.len(), rows[0].len(), |i, j| rows[i][j])
}

fn same(kernel: &Matrix, phi: &Matrix, tolerance: f64) {
    let expected = product_transposed(phi, phi).unwrap();
    for (a, b) in kernel.data().iter().zip(expected.data()) {
        assert!((a - b).abs() <= tolerance * (1.0 + b.abs()), "{a} and {b}");
    }
}

/// A Gram matrix is that of features by their names.
pub(crate) fn inner_products<K: Ord>(kernel: &Matrix, phi: &[BTreeMap<K, f64>]) {
    for (i, x) in phi.iter().enumerate() {
        for (j, z) in phi.iter().enumerate() {
            let expected: f64 = x.iter().filter_map(|(name, v)| Some(v * z.get(name)?)).sum();
            assert!((kernel[(i, j)] - expected).abs() <= 1e-12 * (1.0 + expected.abs()), "({i}, {j}): {} and {expected}", kernel[(i, j)]);
        }
    }
}

/// All ordered products of `degree` coordinates, repeats included: d^degree of them.
fn ordered(x: &[f64], degree: usize) -> Vec<f64> {
    (0..degree).fold(vec![1.0], |all, _| all.iter().flat_map(|p| x.iter().map(move |v| p * v)).collect())
}

fn ordered_up_to_three(x: &[f64]) -> Vec<f64> {
    (0..=3).flat_map(|k| ordered(x, k)).collect()
}

const CUBIC: &str =
    "polynomial(degree=1, gamma=1, offset=1) + polynomial(degree=2, gamma=1, offset=0) + polynomial(degree=3, gamma=1, offset=0)";

fn matrix(rows: impl Into<proptest::collection::SizeRange>, d: usize) -> impl Strategy<Value = Matrix> {
    prop::collection::vec(prop::collection::vec(-2.0..2.0f64, d), rows).prop_map(move |v| Matrix::from_fn(v.len(), d, |i, j| v[i][j]))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]

    // spec: F03, F09
    #[test]
    fn the_cubic_kernel_is_the_inner_product_of_all_ordered_products(x in (1usize..=6).prop_flat_map(|d| matrix(2..6, d))) {
        let phi = mapped(&x, ordered_up_to_three);
        if x.cols() == 3 {
            prop_assert_eq!(phi.cols(), 40);
        }
        same(&gram_of(CUBIC, &points(&x)), &phi, 1e-12);
    }

    // spec: F08
    #[test]
    fn a_predictor_by_kernels_is_the_one_by_features(x in matrix(6..9, 3), new in matrix(2..5, 3), beta in prop::collection::vec(-1.0..1.0f64, 6), b in -3.0..3.0f64) {
        let beta: Vec<f64> = (0..x.rows()).map(|i| beta[i % 6] + 0.1 * i as f64).collect();
        let expansion = Expansion::new((0..x.rows()).collect(), Matrix::column(beta.clone()), vec![b]);
        let (data, new_data) = (points(&x), points(&new));
        let kernel = KernelExpr::parse(CUBIC).unwrap();
        let found = expansion.predict(kernel.bind(Some(&new_data), &data).unwrap().as_ref(), &Control::default()).unwrap();
        let phi = mapped(&x, ordered_up_to_three);
        let theta: Vec<f64> = (0..40).map(|j| (0..x.rows()).map(|i| beta[i] * phi[(i, j)]).sum()).collect();
        for i in 0..new.rows() {
            let expected: f64 = ordered_up_to_three(new.row(i)).iter().zip(&theta).map(|(p, t)| p * t).sum::<f64>() + b;
            prop_assert!((found[(i, 0)] - expected).abs() <= 1e-10 * (1.0 + expected.abs()));
        }
    }

    // spec: F09, F10
    #[test]
    fn both_maps_of_the_squared_inner_product_give_its_gram_matrix(x in matrix(2..8, 3), y in matrix(2..8, 2)) {
        same(&gram_of("polynomial(degree=2, gamma=1, offset=0)", &points(&x)), &mapped(&x, |r| ordered(r, 2)), 1e-12);
        let short = mapped(&y, |r| vec![r[0] * r[0], std::f64::consts::SQRT_2 * r[0] * r[1], r[1] * r[1]]);
        let long = mapped(&y, |r| ordered(r, 2));
        let k = gram_of("polynomial(degree=2, gamma=1, offset=0)", &points(&y));
        same(&k, &short, 1e-12);
        same(&k, &long, 1e-12);
    }

    // spec: F09, F11, F13
    #[test]
    fn squared_inner_products_with_an_offset_have_their_maps(x in matrix(2..8, 3), y in matrix(2..8, 2), c in prop_oneof![Just(0.0), 0.0..4.0f64]) {
        let map = |r: &[f64]| {
            let mut phi = ordered(r, 2);
            phi.extend(r.iter().map(|v| (2.0 * c).sqrt() * v));
            phi.push(c);
            phi
        };
        prop_assert_eq!(map(x.row(0)).len(), 13);
        same(&gram_of(&format!("polynomial(degree=2, gamma=1, offset={c})"), &points(&x)), &mapped(&x, map), 1e-12);
        let root = std::f64::consts::SQRT_2;
        let six = mapped(&y, |r| vec![1.0, root * r[0], root * r[1], r[0] * r[0], r[1] * r[1], root * r[0] * r[1]]);
        same(&gram_of("polynomial(degree=2, gamma=1, offset=1)", &points(&y)), &six, 1e-12);
    }

    // spec: F09
    #[test]
    fn linear_cosine_equal_and_spectrum_have_their_maps(x in matrix(2..8, 4), labels in prop::collection::vec((0usize..3, 0usize..4), 2..9), strings in prop::collection::vec("[ab]{0,9}", 2..7)) {
        same(&gram_of("linear", &points(&x)), &x, 1e-12);
        let unit = mapped(&x, |r| {
            let norm = r.iter().map(|v| v * v).sum::<f64>().sqrt();
            r.iter().map(|v| if norm > 0.0 { v / norm } else { 0.0 }).collect()
        });
        same(&gram_of("cosine", &points(&x)), &unit, 1e-12);

        let column = |name: &str, of: Vec<String>| Column { name: name.into(), values: Values::Categories(Categories::from_labels(&of)) };
        let first = labels.iter().map(|l| format!("p{}", l.0)).collect();
        let second = labels.iter().map(|l| format!("q{}", l.1)).collect();
        let data = Dataset::new(vec![column("a", first), column("b", second)]).unwrap();
        let codes = Matrix::from_fn(labels.len(), 7, |i, j| if j == labels[i].0 || j == 3 + labels[i].1 { 0.5f64.sqrt() } else { 0.0 });
        same(&gram_of("equal", &data), &codes, 1e-12);
        let rows = Matrix::from_fn(labels.len(), 12, |i, j| f64::from(u8::from(j == 4 * labels[i].0 + labels[i].1)));
        same(&gram_of("identical", &data), &rows, 0.0);
        // Of c labels a factor of equal ones is 0.7, of others 0.3 / (c - 1): a constant and an indicator, of both columns their products.
        let count = |of: &dyn Fn(&(usize, usize)) -> usize| labels.iter().map(of).collect::<std::collections::BTreeSet<usize>>().len();
        let factor = |label: usize, most: usize, count: usize| {
            let other = 0.3 / (count.max(2) - 1) as f64;
            once(other.sqrt()).chain((0..most).map(move |l| if l == label { (0.7 - other).sqrt() } else { 0.0 })).collect::<Vec<f64>>()
        };
        let (first, second) = (count(&|l| l.0), count(&|l| l.1));
        let pairs: Vec<Vec<f64>> = labels
            .iter()
            .map(|l| factor(l.0, 3, first).iter().flat_map(|a| factor(l.1, 4, second).into_iter().map(move |b| a * b)).collect())
            .collect();
        same(&gram_of("aitchison_aitken(bandwidth=0.3)", &data), &Matrix::from_fn(labels.len(), 20, |i, j| pairs[i][j]), 1e-12);

        let words = ["aa", "ab", "ba", "bb"];
        let counts = Matrix::from_fn(strings.len(), 4, |i, j| strings[i].as_bytes().windows(2).filter(|w| *w == words[j].as_bytes()).count() as f64);
        let data = Dataset::new(vec![Column { name: "s".into(), values: Values::Sequences(Strings::new(strings.clone())) }]).unwrap();
        same(&gram_of("spectrum(k=2)", &data), &counts, 0.0);
    }

    // spec: F09
    #[test]
    fn polynomials_of_any_degree_constants_and_spectra_of_any_length_have_their_maps(
        x in (1usize..=3).prop_flat_map(|d| matrix(2..6, d)),
        degree in 1usize..=5,
        gamma in 0.1..2.0f64,
        offset in prop_oneof![Just(0.0), 0.0..3.0f64],
        constant in 0.0..5.0f64,
        strings in prop::collection::vec("[ab]{0,9}", 2..7),
        length in 1usize..=4,
    ) {
        // gamma x.z + offset is the inner product of (sqrt(gamma) x, sqrt(offset)), and its power that of ordered products.
        let longer = |r: &[f64]| r.iter().map(|v| gamma.sqrt() * v).chain([offset.sqrt()]).collect::<Vec<f64>>();
        let phi = mapped(&x, |r| ordered(&longer(r), degree));
        let (k, expected) = (gram_of(&format!("polynomial(degree={degree}, gamma={gamma}, offset={offset})"), &points(&x)), product_transposed(&phi, &phi).unwrap());
        for i in 0..x.rows() {
            for j in 0..x.rows() {
                // Terms of either sign cancel: what is lost is in proportion to their sizes.
                let size = (expected[(i, i)] * expected[(j, j)]).sqrt();
                prop_assert!((k[(i, j)] - expected[(i, j)]).abs() <= 1e-13 * (1.0 + size), "{} and {}", k[(i, j)], expected[(i, j)]);
            }
        }
        same(&gram_of(&format!("constant(value={constant})"), &points(&x)), &mapped(&x, |_| vec![constant.sqrt()]), 1e-14);

        let words: Vec<Vec<u8>> = (0..1u32 << length).map(|w| (0..length).map(|i| if w >> i & 1 == 0 { b'a' } else { b'b' }).collect()).collect();
        let counts = Matrix::from_fn(strings.len(), words.len(), |i, j| strings[i].as_bytes().windows(length).filter(|w| *w == words[j]).count() as f64);
        let data = Dataset::new(vec![Column { name: "s".into(), values: Values::Sequences(Strings::new(strings.clone())) }]).unwrap();
        same(&gram_of(&format!("spectrum(k={length})"), &data), &counts, 0.0);
    }

    // spec: F09
    #[test]
    fn words_have_their_maps(texts in prop::collection::vec(prop::collection::vec(0usize..3, 1..9), 2..7)) {
        let written = texts.iter().map(|t| t.iter().map(|w| ["a", "b", "c"][*w]).collect::<Vec<&str>>().join(" "));
        let data = Dataset::new(vec![Column { name: "t".into(), values: Values::Texts(Strings::new(written.collect::<Vec<String>>())) }]).unwrap();
        // Three words, and nine pairs of neighbours.
        let counts = Matrix::from_fn(texts.len(), 12, |i, j| {
            let found = |run: &[usize]| texts[i].windows(run.len()).filter(|w| *w == run).count() as f64;
            if j < 3 { found(&[j]) } else { found(&[(j - 3) / 3, (j - 3) % 3]) }
        });
        same(&gram_of("tfidf(tf=count, idf=none, normalised=false, ngrams=2)", &data), &counts, 0.0);
        let n = texts.len() as f64;
        let holding = |j: usize| counts.col(j).iter().filter(|c| **c > 0.0).count() as f64;
        let weighted = mapped(&counts, |row| {
            let all: Vec<f64> = row.iter().enumerate().map(|(j, c)| c * (((1.0 + n) / (1.0 + holding(j))).ln() + 1.0)).collect();
            let norm = all.iter().map(|v| v * v).sum::<f64>().sqrt();
            all.iter().map(|v| v / norm).collect()
        });
        same(&gram_of("tfidf(tf=count, idf=smooth, ngrams=2)", &data), &weighted, 1e-12);
    }

    // spec: F09
    #[test]
    fn sets_have_their_maps(sets in prop::collection::vec(prop::collection::vec(prop::collection::vec(-2.0..2.0f64, 2), 1..6), 2..6)) {
        let data = Dataset::new(vec![Column { name: "set".into(), values: Values::Sets(Sets::of_rows(&sets).unwrap()) }]).unwrap();
        let longer = |v: &[f64]| ordered(&[v, &[1.0]].concat(), 2);
        let added = |set: &[Vec<f64>], by: f64| (0..9).map(|j| set.iter().map(|v| longer(v)[j]).sum::<f64>() / by).collect::<Vec<f64>>();
        let of = |map: &dyn Fn(&[Vec<f64>]) -> Vec<f64>| {
            let all: Vec<Vec<f64>> = sets.iter().map(|set| map(set)).collect();
            Matrix::from_fn(all.len(), all[0].len(), |i, j| all[i][j])
        };
        let square = "polynomial(degree=2, gamma=1, offset=1)";
        same(&gram_of(&format!("set_sum({square})"), &data), &of(&|set| added(set, 1.0)), 1e-12);
        same(&gram_of(&format!("set_mean({square})"), &data), &of(&|set| added(set, set.len() as f64)), 1e-12);
        let along = |set: &[Vec<f64>], d: usize, pick: fn(f64, f64) -> f64| set.iter().map(|v| v[d]).reduce(pick).unwrap();
        let ends = of(&|set| [f64::min as fn(f64, f64) -> f64, f64::max].iter().flat_map(|pick| [along(set, 0, *pick), along(set, 1, *pick)]).collect());
        same(&gram_of("set_extremes(linear)", &data), &ends, 1e-12);
        // The t-th vector of a set in a cell of side 3, 3/2 or 3/4, worth 1/4, 1/2 - 1/4 and 1 - 1/2.
        let cells = |set: &Vec<Vec<f64>>| {
            let mut held = BTreeMap::new();
            for v in set {
                for (level, (side, worth)) in [(0.75, 0.5f64), (1.5, 0.25), (3.0, 0.25)].into_iter().enumerate() {
                    let cell = |t: usize| (level, (v[0] / side).floor() as i64, (v[1] / side).floor() as i64, t);
                    let next = (0..).find(|t| !held.contains_key(&cell(*t))).unwrap();
                    held.insert(cell(next), worth.sqrt());
                }
            }
            held
        };
        inner_products(&gram_of("pyramid_match(levels=2, side=3)", &data), &sets.iter().map(cells).collect::<Vec<_>>());
    }

    // spec: F09
    #[test]
    fn signatures_have_their_maps(paths in prop::collection::vec(prop::collection::vec(prop::collection::vec(-1.0..1.0f64, 2), 1..7), 2..5), depth in 1usize..6) {
        let data = Dataset::new(vec![Column { name: "path".into(), values: Values::Series(Series::of_rows(&paths).unwrap()) }]).unwrap();
        let levels: Vec<Vec<f64>> = paths.iter().map(|path| signature(path, depth).concat()).collect();
        same(&gram_of(&format!("signature(depth={depth})"), &data), &Matrix::from_fn(paths.len(), levels[0].len(), |i, j| levels[i][j]), 1e-12);
    }

    // Maps that are learnt: scores of a Gaussian in units of their deviation, and shares of convolutions as the kernel gives them.
    // spec: F09
    #[test]
    fn kernels_that_learn_a_map_have_it(x in matrix(4..9, 2), paths in prop::collection::vec(prop::collection::vec(prop::collection::vec(-1.0..1.0f64, 1), 9..20), 3..6)) {
        let moments = |j: usize| {
            let column = x.col(j);
            let mean = column.iter().sum::<f64>() / x.rows() as f64;
            (mean, (column.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / x.rows() as f64).sqrt())
        };
        let [first, second] = [moments(0), moments(1)];
        prop_assume!(first.1 > 0.1 && second.1 > 0.1);
        let scores = mapped(&x, |r| {
            let u = [(r[0] - first.0) / first.1, (r[1] - second.0) / second.1];
            u.iter().flat_map(|u| [*u, (u * u - 1.0) / std::f64::consts::SQRT_2]).collect()
        });
        same(&gram_of("fisher(gaussian(covariance=diagonal))", &points(&x)), &scores, 1e-10);

        let data = Dataset::new(vec![Column { name: "path".into(), values: Values::Series(Series::of_rows(&paths).unwrap()) }]).unwrap();
        let bound = KernelExpr::parse("convolutions(count=84)").unwrap().settle(&data).unwrap().bind(None, &data).unwrap();
        let features = bound.structure().dense_features(mercer::gram::Side::Rows).unwrap().into_owned();
        prop_assert!(features.cols() > 1);
        let whole = mercer::gram::dense(&mercer::gram::Subset::new(bound.as_ref(), &(0..paths.len()).collect::<Vec<_>>(), &[0]), &Control::default()).unwrap();
        for i in 0..paths.len() {
            let expected: f64 = features.row(i).iter().zip(features.row(0)).map(|(a, b)| a * b).sum();
            prop_assert!((whole[(i, 0)] - expected).abs() <= 1e-12 * (1.0 + expected.abs()));
        }
    }

    // spec: E1-03
    #[test]
    fn the_homogeneous_cubic_kernel_is_always_positive(x in matrix(2..12, 3)) {
        let check = gram::psd_check(&gram_of("polynomial(degree=3, gamma=1, offset=0)", &points(&x)), &Control::default()).unwrap();
        prop_assert!(check.smallest >= -1e-12 * x.rows() as f64 * check.largest.max(1.0), "{}", check.smallest);
    }
}

// spec: K06
#[test]
fn the_rank_of_a_linear_gram_matrix_is_at_most_the_number_of_columns() {
    for d in [1, 2, 5] {
        let x = Matrix::from_fn(40, d, |i, j| ((i + 1) as f64 * (j + 2) as f64).sin());
        let sparse = {
            let starts = (0..=40).map(|i| i * d).collect();
            let columns = (0..40).flat_map(|_| 0..d as u32).collect();
            Dataset::from_points(Points::csr(40, d, starts, columns, x.data().to_vec()).unwrap())
        };
        for data in [points(&x), sparse] {
            let (values, _) = eigh(gram_of("linear", &data), &Control::default()).unwrap();
            let largest = values[39];
            assert!(values[0] >= -40.0 * f64::EPSILON * largest);
            assert_eq!(values.iter().filter(|v| **v > 1e-12 * largest).count(), d);
        }
    }
}
