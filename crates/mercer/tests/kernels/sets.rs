//! Kernels of sets of vectors against sums over pairs, and sets from tables to predictions.

use mercer::control::Control;
use mercer::data::{Column, Dataset, Points, Sets, Target, Values};
use mercer::estimators::{EstimatorExpr, Want};
use mercer::gram::{self, Side};
use mercer::kernels::KernelExpr;
use mercer::learner::Learner;
use mercer::linalg::Matrix;
use mercer::read::{ReadOptions, Source, Table};
use mercer::store;

fn rows() -> Vec<Vec<Vec<f64>>> {
    let vector = |k: usize| vec![(k as f64).sin(), (2.0 * k as f64).cos(), 0.1 * k as f64];
    (0..12).map(|i| (0..(i * 5) % 4).map(|j| vector(7 * i + j)).collect()).collect()
}

fn data(rows: &[Vec<Vec<f64>>]) -> Dataset {
    Dataset::new(vec![Column { name: "bag".into(), values: Values::Sets(Sets::of_rows(rows).unwrap()) }]).unwrap()
}

fn dense(kernel: &str, new: Option<&Dataset>, data: &Dataset) -> Matrix {
    gram::dense(KernelExpr::parse(kernel).unwrap().bind(new, data).unwrap().as_ref(), &Control::default()).unwrap()
}

#[test]
fn a_set_kernel_is_the_sum_or_the_mean_over_all_pairs() {
    let rows = rows();
    for inner in ["rbf(length_scale=0.7)", "linear", "polynomial(degree=2, gamma=1, offset=1)", "laplacian(length_scale=1)*linear"] {
        let all: Vec<Vec<f64>> = rows.iter().flatten().cloned().collect();
        let points = Dataset::from_points(Points::dense(all.len(), 3, all.concat()).unwrap());
        let k = dense(inner, None, &points);
        let starts: Vec<usize> = std::iter::once(0)
            .chain(rows.iter().scan(0, |at, set| {
                *at += set.len();
                Some(*at)
            }))
            .collect();
        let sum = |i: usize, j: usize| -> f64 {
            (starts[i]..starts[i + 1]).map(|a| (starts[j]..starts[j + 1]).map(|b| k[(a, b)]).sum::<f64>()).sum()
        };
        let [sums, means] = ["set_sum", "set_mean"].map(|name| dense(&format!("{name}({inner})"), None, &data(&rows)));
        let new = data(&rows[3..7]);
        let cross = dense(&format!("set_mean({inner})"), Some(&new), &data(&rows));
        for i in 0..rows.len() {
            for j in 0..rows.len() {
                let pairs = (rows[i].len() * rows[j].len()).max(1) as f64;
                assert!((sums[(i, j)] - sum(i, j)).abs() <= 1e-12 * (1.0 + sum(i, j).abs()), "{inner} ({i}, {j})");
                let mean = means[(i, j)];
                let same = |other: f64| (other - mean).abs() <= 1e-13 * (1.0 + mean.abs());
                assert!(same(sum(i, j) / pairs), "{inner} ({i}, {j})");
                assert!(!(3..7).contains(&i) || same(cross[(i - 3, j)]), "{inner} ({i}, {j})");
            }
        }
        let bound = KernelExpr::parse(&format!("set_mean({inner})")).unwrap().bind(Some(&new), &data(&rows)).unwrap();
        let own = bound.diagonal(Side::Rows);
        assert!((0..4).all(|i| (own[i] - means[(i + 3, i + 3)]).abs() <= 1e-13), "{inner}");
    }
}

#[test]
fn features_of_vectors_are_those_of_sets_on_average() {
    let (expr, control) = (KernelExpr::parse("normalise(set_mean(linear))").unwrap(), Control::default());
    assert_eq!((expr.rank(&data(&rows())), KernelExpr::parse("set_mean(rbf)").unwrap().rank(&data(&rows()))), (Some(3), None));
    let bound = expr.bind(None, &data(&rows())).unwrap();
    let features = bound.structure().dense_features(Side::Rows).unwrap();
    for (i, set) in rows().iter().enumerate() {
        let mean: Vec<f64> = (0..3).map(|j| set.iter().map(|v| v[j]).sum::<f64>() / set.len().max(1) as f64).collect();
        let norm = mean.iter().map(|v| v * v).sum::<f64>().sqrt().max(f64::MIN_POSITIVE);
        assert!((0..3).all(|j| (features[(i, j)] - mean[j] / norm).abs() <= 1e-14), "{i}");
    }
    // Vectors are still there for who reads them.
    let target = Target::Classes { codes: (0..12).map(|i| i % 2).collect(), names: vec!["a".into(), "b".into()] };
    for estimator in ["mi_svm(c=1)", "linear_svc(c=1)", "ridge(lambda=1)"] {
        let learner = Learner {
            kernel: Some(KernelExpr::parse("set_mean(linear)").unwrap()),
            ..Learner::new(EstimatorExpr::parse(estimator).unwrap())
        };
        let info = mercer::read::TargetInfo::of(&target);
        learner.fit(&data(&rows()), &target, &info, None, &control).unwrap_or_else(|why| panic!("{estimator}: {why}"));
    }
}

#[test]
fn sets_of_one_vector_have_the_kernel_of_their_vectors() {
    let rows: Vec<Vec<Vec<f64>>> = (0..9).map(|i| vec![vec![(i as f64).sin(), (i as f64).cos()]]).collect();
    let points = Dataset::from_points(Points::dense(9, 2, rows.concat().concat()).unwrap());
    for name in ["set_sum", "set_mean"] {
        assert_eq!(dense(&format!("{name}(rbf(length_scale=0.5))"), None, &data(&rows)), dense("rbf(length_scale=0.5)", None, &points));
    }
}

#[test]
fn validity_and_refusals_are_those_of_the_inner_kernel() {
    let why = |text: &str| KernelExpr::parse(text).unwrap();
    assert!(!matches!(why("set_mean(sigmoid)").validity(), mercer::kernels::Validity::Proved(_)));
    assert!(matches!(why("normalise(set_mean(rbf))").validity(), mercer::kernels::Validity::Proved(_)));
    assert!(matches!(why("set_sum(-1*rbf)").validity(), mercer::kernels::Validity::Refuted(_)));
    let refusal = |text: &str| why(text).bind(None, &data(&rows())).err().unwrap().to_string();
    assert!(refusal("set_mean(centre(linear))").contains("write it around"), "{}", refusal("set_mean(centre(linear))"));
    assert!(refusal("set_mean(spectrum(k=2))").contains("spectrum takes"), "{}", refusal("set_mean(spectrum(k=2))"));
    assert!(refusal("rbf(length_scale=1)").contains("bag (set)"), "{}", refusal("rbf(length_scale=1)"));
}

// musk1 of the UCI repository: 92 molecules, each a set of conformations.
#[test]
fn molecules_are_sets_of_their_conformations() {
    let file = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/musk1/musk1.csv"));
    if !file.exists() {
        println!("skipped: no musk1");
        return;
    }
    let options = ReadOptions::with_types(["conformation_name=ignore"]).unwrap();
    let mut table = Table::read(&Source::File(file.into())).unwrap();
    table.group_into("molecule_name", &["target".into()], &options).unwrap();
    let (target, info) = table.take_target(&["target"], &options).unwrap();
    let data = table.dataset(&options).unwrap();
    let Values::Sets(sets) = &data.columns()[0].values else { panic!("no sets") };
    assert_eq!((data.rows(), sets.vectors().rows(), sets.vectors().dim()), (92, 476, 166));
    let learner = Learner::new(EstimatorExpr::parse("svc(c=10)").unwrap());
    let model = learner.fit(&data, &target, &info, None, &Control::default()).unwrap();
    let again = store::from_bytes(&store::to_bytes(&model).unwrap(), "model").unwrap();
    // New rows are grouped as the model was fitted.
    let mut new = Table::read(&Source::File(file.into())).unwrap();
    new.group_like(&again.prep.schema).unwrap();
    let new = new.dataset_like(&again.prep.schema, &ReadOptions::default()).unwrap();
    let say = |model: &mercer::learner::Model, data: &Dataset| {
        format!("{:?}", model.predict(data, Want::default(), &Control::default()).unwrap())
    };
    assert_eq!(say(&model, &data), say(&again, &new));
    assert!(matches!(target, Target::Classes { .. }));
}

#[test]
fn json_lines_and_cells_hold_sets() {
    let text = "{\"x\": [[1, 2], [3, 4]], \"y\": 1}\n{\"x\": [[5, 6]], \"y\": 2}\n{\"x\": [], \"y\": 3}\n";
    let read = Table::parse("t.jsonl", text.as_bytes()).unwrap().dataset(&ReadOptions::default()).unwrap();
    let Values::Sets(sets) = &read.columns()[0].values else { panic!("no sets: {:?}", read.columns()[0].values.kind()) };
    assert_eq!(sets.starts(), [0, 2, 3, 3]);
    let csv = "x;y\n[[1,2],[3,4]];a\n[[5,6]];b\n[[7];c\n";
    let declared = ReadOptions::with_types(["x=set"]).unwrap();
    let why = Table::parse("t.csv", csv.as_bytes()).unwrap().dataset(&declared).unwrap_err().to_string();
    assert!(why.contains("row 3, column 'x'") && why.contains("[[1,2],[3,4]]"), "{why}");
    let why = Table::parse("t.csv", csv.replace("[[7]", "[[7]]").as_bytes()).unwrap().dataset(&declared).unwrap_err().to_string();
    assert!(why.contains("row 3, column 'x': found 'a vector of length 1', expected 2, as in row 1"), "{why}");
}

// rng = numpy.random.default_rng(7); round(rng.uniform(0, 1, (m, 2)), 3) for m in 4, 6, 3; values by numpy and scipy.sparse: cells
// floor(x 2^(3 - i)), i = 0..3, intersections as products of 0/1 matrices [h >= t], weights 2^-i of new matches.
#[test]
fn pyramid_match_equals_intersections_by_sparse_products() {
    let rows = [
        vec![vec![0.625, 0.897], vec![0.776, 0.225], vec![0.3, 0.874], vec![0.005, 0.821]],
        vec![vec![0.797, 0.468], vec![0.303, 0.278], vec![0.255, 0.445], vec![0.505, 0.553], vec![0.996, 0.793], vec![0.622, 0.989]],
        vec![vec![0.215, 0.16], vec![0.613, 0.044], vec![0.036, 0.515]],
        Vec::new(),
    ];
    let k = dense("pyramid_match(levels=3, side=1)", None, &data(&rows));
    let expected = [[4.0, 1.0, 0.625, 0.0], [1.0, 6.0, 0.625, 0.0], [0.625, 0.625, 3.0, 0.0], [0.0; 4]];
    for (i, row) in expected.iter().enumerate() {
        for (j, value) in row.iter().enumerate() {
            assert!((k[(i, j)] - value).abs() <= 1e-14 * value, "({i}, {j}): {}", k[(i, j)]);
        }
    }
    // Cells that new sets alone have count in k(x, x).
    let new = data(&rows[1..3]);
    let bound = KernelExpr::parse("pyramid_match(levels=3, side=1)").unwrap().bind(Some(&new), &data(&rows[..1])).unwrap();
    let own = bound.diagonal(Side::Rows);
    assert!((own[0] - 6.0).abs() <= 1e-14 && (own[1] - 3.0).abs() <= 1e-14, "{own:?}");
}

/// The greatest sum of w over pairs that match every vector of the smaller of two sets: all ways are tried.
fn best_matching(x: &[Vec<f64>], z: &[Vec<f64>], w: &dyn Fn(&[f64], &[f64]) -> f64) -> f64 {
    fn rest(x: &[Vec<f64>], z: &[Vec<f64>], taken: usize, w: &dyn Fn(&[f64], &[f64]) -> f64) -> f64 {
        let Some((first, others)) = x.split_first() else { return 0.0 };
        let free = (0..z.len()).filter(|j| taken & (1 << j) == 0);
        free.map(|j| w(first, &z[j]) + rest(others, z, taken | (1 << j), w)).fold(f64::NEG_INFINITY, f64::max)
    }
    if x.len() <= z.len() { rest(x, z, 0, w) } else { rest(z, x, 0, w) }
}

// Two vectors that share a cell of side s are less than s apart along every axis: the matching that k adds up, and so k, is at most the
// best one where a pair counts by the finest side above its distance. Whatever matching is taken, k counts at least its pairs, and a
// random shift leaves a pair in one cell of side s with probability prod_d (1 - |x_d - z_d| / s)+: the mean over shifts is at least the
// best matching where a pair counts by these. Grauman & Darrell (2005), section 4; Indyk & Thaper (2003).
// spec: K30
#[test]
fn pyramid_match_lies_between_two_optimal_matchings() {
    let mut draw = mercer::data::Draw::new(1, 30);
    let mut set = |most: usize| -> Vec<Vec<f64>> {
        (0..draw.whole(1, most)).map(|_| (0..2).map(|_| draw.whole(0, 1 << 20) as f64 / f64::from(1 << 20)).collect()).collect()
    };
    let rows: Vec<Vec<Vec<f64>>> = (0..200).map(|_| set(7)).collect();
    let (levels, side) = (4, 1.0);
    let sides: Vec<f64> = (0..=levels).map(|i| side * 2f64.powi(i - levels)).collect();
    let apart = |x: &[f64], z: &[f64]| -> Vec<f64> { x.iter().zip(z).map(|(a, b)| (a - b).abs()).collect() };
    let weight = |i: usize| 0.5f64.powi(i as i32);
    let finest = |x: &[f64], z: &[f64]| {
        let far = apart(x, z).into_iter().fold(0.0, f64::max);
        sides.iter().position(|s| far < *s).map_or(0.0, weight)
    };
    let expected = |x: &[f64], z: &[f64]| -> f64 {
        let meets = |s: f64| apart(x, z).into_iter().map(|d| (1.0 - d / s).max(0.0)).product::<f64>();
        let step = |i: usize| weight(i) - if i < levels as usize { weight(i + 1) } else { 0.0 };
        sides.iter().enumerate().map(|(i, s)| step(i) * meets(*s)).sum()
    };
    let plain = dense("pyramid_match(levels=4, side=1)", None, &data(&rows));
    let shifted = dense("pyramid_match(levels=4, side=1, shifts=400, seed=3)", None, &data(&rows));
    for k in [&plain, &shifted] {
        let check = gram::psd_check(k, &Control::default()).unwrap();
        assert!(check.witness.is_none(), "{} of {}", check.smallest, check.largest);
    }
    for p in 0..100 {
        let (x, z) = (&rows[2 * p], &rows[2 * p + 1]);
        let smaller = x.len().min(z.len()) as f64;
        let most = best_matching(x, z, &finest);
        let least = best_matching(x, z, &expected);
        for k in [&plain, &shifted] {
            let k = k[(2 * p, 2 * p + 1)];
            assert!(k <= smaller + 1e-12 && k <= most + 1e-12, "pair {p}: {k}, {smaller} vectors, {most}");
        }
        // Four standard deviations of a mean of 400 numbers between 0 and the greatest.
        let k = shifted[(2 * p, 2 * p + 1)];
        assert!(k >= least - 4.0 * most / 2.0 / 400f64.sqrt(), "pair {p}: {k} and {least}");
    }
    // All in one cell of the finest level: every vector of the smaller set is matched at full weight.
    let close = [vec![vec![0.01, 0.02]; 3], vec![vec![0.02, 0.01]; 5]];
    assert!((dense("pyramid_match(levels=4, side=1)", None, &data(&close))[(0, 1)] - 3.0).abs() <= 1e-14);
    assert!((best_matching(&close[0], &close[1], &finest) - 3.0).abs() <= 1e-14);
}

#[test]
fn pyramid_match_learns_the_range_of_the_training_vectors() {
    // Along the first axis from 0 to 8, along the second without width: cells of side 1, 2, 4 and 8.
    let rows = [vec![vec![0.0, 5.0]], vec![vec![1.5, 5.0]], vec![vec![3.0, 5.0]], vec![vec![8.0, 5.0]]];
    let k = dense("pyramid_match(levels=3)", None, &data(&rows));
    let row: Vec<f64> = (0..4).map(|j| k[(0, j)]).collect();
    for (value, expected) in row.iter().zip([1.0, 0.5, 0.25, 0.125]) {
        assert!((value - expected).abs() <= 1e-15, "{row:?}");
    }
    // New vectors outside the range are in cells of their own.
    let new = data(&[vec![vec![-0.5, 7.0], vec![7.5, 5.0]]]);
    let cross = dense("pyramid_match(levels=3)", Some(&new), &data(&rows));
    let row: Vec<f64> = (0..4).map(|j| cross[(0, j)]).collect();
    for (value, expected) in row.iter().zip([0.125, 0.125, 0.125, 1.0]) {
        assert!((value - expected).abs() <= 1e-15, "{row:?}");
    }
    let wide = data(&[vec![vec![1.0, 2.0, 3.0]]]);
    let why = KernelExpr::parse("pyramid_match").unwrap().bind(Some(&wide), &data(&rows)).err().unwrap().to_string();
    assert!(why.contains("bag") && why.contains('3') && why.contains('2'), "{why}");
}

#[test]
fn best_match_takes_the_greatest_value_of_each_vector() {
    let rows = rows();
    let all: Vec<Vec<f64>> = rows.iter().flatten().cloned().collect();
    let k = dense("rbf(length_scale=0.7)", None, &Dataset::from_points(Points::dense(all.len(), 3, all.concat()).unwrap()));
    let starts: Vec<usize> = (0..=rows.len()).map(|i| rows[..i].iter().map(Vec::len).sum()).collect();
    let best = |i: usize, j: usize| -> f64 {
        let one = |i: usize, j: usize| {
            let most = |a: usize| (starts[j]..starts[j + 1]).map(|b| k[(a, b)]).fold(0.0, f64::max);
            (starts[i]..starts[i + 1]).map(most).sum::<f64>() / rows[i].len().max(1) as f64
        };
        (one(i, j) + one(j, i)) / 2.0
    };
    let found = dense("best_match(rbf(length_scale=0.7))", None, &data(&rows));
    let new = data(&rows[3..7]);
    let bound = KernelExpr::parse("best_match(rbf(length_scale=0.7))").unwrap().bind(Some(&new), &data(&rows)).unwrap();
    let (cross, own) = (gram::dense(bound.as_ref(), &Control::default()).unwrap(), bound.diagonal(Side::Rows));
    for i in 0..rows.len() {
        for j in 0..rows.len() {
            assert!((found[(i, j)] - best(i, j)).abs() <= 1e-13, "({i}, {j}): {} and {}", found[(i, j)], best(i, j));
            assert!(!(3..7).contains(&i) || (cross[(i - 3, j)] - best(i, j)).abs() <= 1e-13, "({i}, {j})");
        }
    }
    assert!((0..4).all(|i| (own[i] - best(i + 3, i + 3)).abs() <= 1e-13));
    // Four points of the line, two by two, under 1 where they are equal: [[1, .., ..]] has an eigenvalue below 0.
    let validity = KernelExpr::parse("best_match(rbf)").unwrap().validity();
    assert!(matches!(&validity, mercer::kernels::Validity::Refuted(why) if why.contains("set_mean")), "{validity:?}");
}

// Sets of two of the letters a, b, c, d, one axis each, under a narrow kernel that tells equal vectors from others: 1, 1/2 or 0 by what
// two sets share, [[1, 1/2, ..], ..] of the pairs; with {a}, {a, b}, {b}: k({a}, {a, b}) = 3/4, and [[1, 3/4, 0], [3/4, 1, 3/4], [0, 3/4, 1]]
// has the eigenvalue 1 - 3 sqrt(2) / 4 < 0.
#[test]
fn best_match_is_no_mercer_kernel() {
    let (a, b) = (vec![0.0], vec![1.0]);
    let k = dense("best_match(rbf(length_scale=0.01))", None, &data(&[vec![a.clone()], vec![a, b.clone()], vec![b]]));
    assert_eq!((k[(0, 1)], k[(0, 2)], k[(1, 2)]), (0.75, 0.0, 0.75));
    let check = gram::psd_check(&k, &Control::default()).unwrap();
    assert!((check.smallest - (1.0 - 0.75 * 2f64.sqrt())).abs() <= 1e-14 && check.witness.is_some(), "{}", check.smallest);
}

#[test]
fn set_extremes_is_a_kernel_of_least_and_greatest_values() {
    let rows = rows();
    let table: Vec<Vec<f64>> = rows
        .iter()
        .map(|set| {
            let along = |axis: usize, pick: fn(f64, f64) -> f64| set.iter().map(|v| v[axis]).reduce(pick).unwrap_or(0.0);
            (0..3).map(|axis| along(axis, f64::min)).chain((0..3).map(|axis| along(axis, f64::max))).collect()
        })
        .collect();
    let points = Dataset::from_points(Points::dense(rows.len(), 6, table.concat()).unwrap());
    for inner in ["rbf(length_scale=0.7)", "polynomial(degree=3, gamma=1, offset=1)", "linear"] {
        let (k, expected) = (dense(&format!("set_extremes({inner})"), None, &data(&rows)), dense(inner, None, &points));
        assert_eq!(k, expected, "{inner}");
        let cross = dense(&format!("set_extremes({inner})"), Some(&data(&rows[3..7])), &data(&rows));
        assert!((0..4).all(|i| (0..rows.len()).all(|j| (cross[(i, j)] - k[(i + 3, j)]).abs() <= 1e-12 * k[(j, j)].max(1.0))), "{inner}");
    }
}

/// Sets of points around four corners of a square, a corner of which is more frequent in each set than the others.
fn around_corners() -> Vec<Vec<Vec<f64>>> {
    let mut draw = mercer::data::Draw::new(1, 32);
    draw.scale = 0.05;
    let corner = |c: usize| [(c % 2) as f64, (c / 2) as f64];
    (0..40)
        .map(|i| {
            (0..draw.whole(3, 9))
                .map(|_| {
                    let c = if draw.whole(0, 2) == 0 { i % 4 } else { draw.whole(0, 4) };
                    corner(c).iter().map(|x| x + draw.number()).collect()
                })
                .collect()
        })
        .collect()
}

// spec: F09, K32
#[test]
fn counts_of_a_codebook_add_up_to_the_size_of_a_set() {
    let rows = around_corners();
    let corner = |v: &[f64]| usize::from(v[0] > 0.5) + 2 * usize::from(v[1] > 0.5);
    let counts: Vec<[f64; 4]> = rows
        .iter()
        .map(|set| {
            let mut counts = [0.0; 4];
            set.iter().for_each(|v| counts[corner(v)] += 1.0);
            counts
        })
        .collect();
    let compared =
        |by: &dyn Fn(f64, f64) -> f64, i: usize, j: usize| -> f64 { counts[i].iter().zip(&counts[j]).map(|(m, n)| by(*m, *n)).sum() };
    let linear = dense("codebook(centres=4, by=linear)", None, &data(&rows));
    let minima = dense("codebook(centres=4)", None, &data(&rows));
    for i in 0..rows.len() {
        // Minima with itself: the counts themselves.
        assert_eq!(minima[(i, i)], rows[i].len() as f64);
        for j in 0..rows.len() {
            assert_eq!(linear[(i, j)], compared(&|m, n| m * n, i, j), "({i}, {j})");
            assert_eq!(minima[(i, j)], compared(&f64::min, i, j), "({i}, {j})");
        }
    }
    // Whatever the centres, soft or hard, of training sets or others.
    for (centres, assign) in [(1, "hard"), (9, "hard"), (9, "soft"), (1000, "soft")] {
        let kernel = KernelExpr::parse(&format!("codebook(centres={centres}, assign={assign})")).unwrap();
        let bound = kernel.bind(Some(&data(&rows[20..])), &data(&rows[..20])).unwrap();
        let own = bound.diagonal(Side::Rows);
        for (k, set) in own.iter().zip(&rows[20..]) {
            assert!((k - set.len() as f64).abs() <= 1e-12 * k, "{centres} {assign}: {k} of {}", set.len());
        }
    }
    // A vector amid all corners counts for each of them alike where counts are soft.
    let mut square: Vec<Vec<Vec<f64>>> = (0..8).map(|i| vec![vec![f64::from(i % 2 == 1), f64::from(i / 2 % 2 == 1)]; 2]).collect();
    square.iter_mut().for_each(|set| set[1][0] += 0.01);
    let soft = KernelExpr::parse("codebook(centres=4, assign=soft, by=linear)").unwrap();
    let cross =
        gram::dense(soft.bind(Some(&data(&[vec![vec![0.505, 0.5]]])), &data(&square)).unwrap().as_ref(), &Control::default()).unwrap();
    assert!((0..8).all(|j| (cross[(0, j)] - 0.5).abs() <= 1e-9), "{:?}", cross.row(0));
}

#[test]
fn a_codebook_of_products_has_features_for_linear_models() {
    let rows = around_corners();
    let corner: Vec<usize> = (0..rows.len()).map(|i| i % 4 / 2).collect();
    let target = Target::Classes { codes: corner, names: vec!["low".into(), "high".into()] };
    let info = mercer::read::TargetInfo {
        names: vec!["y".into()],
        classes: Some(vec!["low".into(), "high".into()]),
        labels: mercer::read::Labels::Text,
    };
    let mut learner = Learner::new(EstimatorExpr::parse("linear_svc").unwrap());
    learner.kernel = Some(KernelExpr::parse("codebook(centres=4, by=linear)").unwrap());
    let model = learner.fit(&data(&rows), &target, &info, None, &Control::default()).unwrap();
    let again = store::from_bytes(&store::to_bytes(&model).unwrap(), "model").unwrap();
    let say = |model: &mercer::learner::Model| format!("{:?}", model.predict(&data(&rows), Want::default(), &Control::default()).unwrap());
    assert_eq!(say(&model), say(&again));
}
