//! min_max against counts by hand, the formula on explicit counts, and scipy; refusals, new rows, and models.

use crate::evaluated::{matrix, near, points, value};
use mercer::control::Control;
use mercer::data::{Column, Dataset, Graphs, Points, Strings, Target, Trees, Values};
use mercer::estimators::{EstimatorExpr, Want};
use mercer::gram::{self, Mercer};
use mercer::kernels::KernelExpr;
use mercer::learner::{Learner, Model};
use mercer::linalg::Matrix;
use mercer::read::{Labels, TargetInfo};
use mercer::{store, testkit};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::collections::HashMap;
use std::hash::Hash;

fn column(values: Values) -> Dataset {
    Dataset::new(vec![Column { name: "it".into(), values }]).unwrap()
}

fn texts(all: &[&str]) -> Dataset {
    column(Values::Texts(Strings::new(all.iter().copied())))
}

fn graphs(all: &[&str]) -> Dataset {
    column(Values::Graphs(Graphs::new(all).unwrap()))
}

/// New rows against training rows.
fn cross(expr: &str, new: &Dataset, rows: &Dataset) -> Matrix {
    let settled = KernelExpr::parse(expr).unwrap().settle(rows).unwrap();
    gram::dense(settled.bind(Some(new), rows).unwrap().as_ref(), &Control::default()).unwrap()
}

fn refusal(expr: &str, data: &Dataset) -> String {
    let bound = KernelExpr::parse(expr).and_then(|k| k.settle(data)).and_then(|k| k.bind(None, data));
    bound.map(|_| ()).unwrap_err().to_string()
}

/// sum min / sum max over everything that either has, 1 where neither has anything.
fn formula<T: Hash + Eq>(x: &HashMap<T, f64>, z: &HashMap<T, f64>) -> f64 {
    let of = |map: &HashMap<T, f64>, key: &T| map.get(key).copied().unwrap_or(0.0);
    let keys = || x.keys().chain(z.keys().filter(|key| !x.contains_key(*key)));
    let least: f64 = keys().map(|key| of(x, key).min(of(z, key))).sum();
    let most: f64 = keys().map(|key| of(x, key).max(of(z, key))).sum();
    if most > 0.0 { least / most } else { 1.0 }
}

/// How often each substring of some lengths stands in a string.
fn substrings(string: &str, lengths: std::ops::RangeInclusive<usize>) -> HashMap<String, f64> {
    let letters: Vec<char> = string.chars().collect();
    let mut found = HashMap::new();
    for length in lengths {
        letters.windows(length).for_each(|w| *found.entry(w.iter().collect()).or_insert(0.0) += 1.0);
    }
    found
}

#[test]
fn two_vectors_of_counts_have_the_share_worked_by_hand() {
    // Minima 1, 0, 2; maxima 3, 4, 2.
    near(value("min_max(linear)", &[3.0, 0.0, 2.0], &[1.0, 4.0, 2.0]), 3.0 / 9.0, 1e-15);
    // scipy 1.17: d = spatial.distance.braycurtis(x, z) gives (1 - d) / (1 + d), since d = 1 - 2 sum min / (sum x + sum z).
    near(value("min_max(linear)", &[1.5, 0.0, 2.25, 7.0, 0.1], &[0.5, 3.0, 2.0, 9.0, 0.0]), 0.599_369_085_173_501_6, 1e-15);
    // A number in front of the kernel is on both sides of the share.
    near(value("min_max(7*linear)", &[3.0, 0.0, 2.0], &[1.0, 4.0, 2.0]), 3.0 / 9.0, 1e-15);
    // Beside the same numbers once more nothing changes either.
    near(value("min_max(linear + linear)", &[3.0, 0.0, 2.0], &[1.0, 4.0, 2.0]), 3.0 / 9.0, 1e-15);
}

#[test]
fn rows_without_counts_are_like_each_other_and_like_no_other() {
    let k = matrix("min_max(linear)", &points(&[&[0.0, 0.0], &[0.0, 0.0], &[2.0, 1.0]]));
    assert_eq!(k.data(), [1.0, 1.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
    let rows = texts(&["a b", ""]);
    let k = cross("min_max(tfidf(tf=count, idf=none, normalised=false))", &texts(&["", "b"]), &rows);
    assert_eq!(k.data(), [0.0, 1.0, 0.5, 0.0]);
    assert_eq!(matrix("min_max(spectrum(k=3))", &texts(&["ab", "", "abc"])).data(), [1.0, 1.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
}

#[test]
fn on_sets_it_is_the_similarity_of_jaccard_and_tanimoto() {
    let sets = "min_max(tfidf(tf=binary, idf=none, normalised=false, tokens=spaces))";
    // {a, b, c} and {b, c, d} share 2 of 4; {a} and {a, b, c} 1 of 3.
    let k = matrix(sets, &texts(&["a b c b", "b d c", "a"]));
    for ((i, j), expected) in [((0, 1), 0.5), ((0, 2), 1.0 / 3.0), ((1, 2), 0.0)] {
        near(k[(i, j)], expected, 1e-15);
    }
    // Indicators of sets as numbers: scipy 1.17, 1 - spatial.distance.jaccard.
    near(value("min_max(linear)", &[1.0, 1.0, 1.0, 0.0], &[0.0, 1.0, 1.0, 1.0]), 0.5, 0.0);
}

#[test]
fn words_count_as_often_as_they_stand() {
    let k = matrix("min_max(tfidf(tf=count, idf=none, normalised=false))", &texts(&["a a b", "a b b", "c"]));
    // Minima 1 and 1, maxima 2 and 2.
    near(k[(0, 1)], 0.5, 1e-15);
    assert_eq!(k[(0, 2)], 0.0);
}

#[test]
fn graphs_share_their_labels_patterns_and_paths() {
    // C twice and O; C and N, which no training row has: minimum 1, maxima 2, 1, 1.
    near(cross("min_max(vertex_histogram)", &graphs(&["C N |"]), &graphs(&["C C O |"]))[(0, 0)], 0.25, 1e-15);
    // C-O and C-C: in round 0 the counts C 1, O 1 and C 2; in round 1 nothing in common of two nodes each.
    near(matrix("min_max(weisfeiler_lehman(depth=1))", &graphs(&["C O | 0-1", "C C | 0-1"]))[(0, 1)], 1.0 / 7.0, 1e-15);
    // C-O-C has two paths between C and O, one between C and C; C-O has one.
    near(matrix("min_max(shortest_path(pairs=unordered))", &graphs(&["C O C | 0-1 1-2", "C O | 0-1"]))[(0, 1)], 1.0 / 3.0, 1e-15);
    // Of three nodes: a path and a triangle with a node beside it, which is one triangle and two paths.
    let k = matrix("min_max(graphlet(size=3))", &graphs(&["a a a | 0-1 1-2", "a a a a | 0-1 1-2 0-2 2-3"]));
    near(k[(0, 1)], 1.0 / 3.0, 1e-15);
    // (S (A a) (B b)) and (S (A a) (B c)) share the subtree (A a) of three each.
    let trees = column(Values::Trees(Trees::new(["(S (A a) (B b))", "(S (A a) (B c))"]).unwrap()));
    near(matrix("min_max(subtree(decay=1))", &trees)[(0, 1)], 1.0 / 5.0, 1e-15);
}

#[test]
fn substrings_that_no_training_row_has_count_among_the_maxima() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(5);
    for alphabet in ["ACGT", "ACDEFGHIKLMNPQRSTVWY", "abc ?é"] {
        let letters: Vec<char> = alphabet.chars().collect();
        // Blocks of ten letters, so that long substrings occur again.
        let blocks: Vec<String> = (0..6).map(|_| (0..10).map(|_| letters[random.random_range(0..letters.len())]).collect()).collect();
        let mut strings = |count: usize, blocks: &[String]| -> Vec<String> {
            (0..count)
                .map(|_| (0..random.random_range(0..9)).map(|_| blocks[random.random_range(0..blocks.len())].as_str()).collect())
                .collect()
        };
        let (rows, new) = (strings(12, &blocks[..4]), strings(9, &blocks[2..]));
        let of = |all: &[String]| column(Values::Texts(Strings::new(all)));
        for (expr, lengths) in [("spectrum(k=2)", 2..=2), ("spectrum(k=12)", 12..=12), ("spectrum(k=35)", 35..=35), ("blended(k=3)", 1..=3)]
        {
            let counts = |all: &[String]| all.iter().map(|s| substrings(s, lengths.clone())).collect::<Vec<_>>();
            let (expr, x, z) = (format!("min_max({expr})"), counts(&new), counts(&rows));
            let (own, found) = (matrix(&expr, &of(&rows)), cross(&expr, &of(&new), &of(&rows)));
            for j in 0..z.len() {
                (0..x.len()).for_each(|i| near(found[(i, j)], formula(&x[i], &z[j]), 1e-12));
                (0..z.len()).for_each(|i| near(own[(i, j)], formula(&z[i], &z[j]), 1e-12));
            }
        }
    }
}

#[test]
fn values_are_those_of_the_formula_symmetric_and_positive() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(7);
    for draw in 0..40 {
        let (n, dim) = (random.random_range(1..60), random.random_range(1..300));
        let filled = random.random_range(0..=dim.min(12));
        let rows: Vec<HashMap<u32, f64>> = (0..n)
            .map(|_| {
                let some = random.random_range(0..=filled);
                (0..some).map(|_| (random.random_range(0..dim as u32), f64::from(random.random_range(0..40u32)) / 4.0)).collect()
            })
            .collect();
        let data = if draw % 2 == 0 {
            let mut values = vec![0.0; n * dim];
            rows.iter().enumerate().for_each(|(i, row)| row.iter().for_each(|(c, v)| values[i * dim + *c as usize] = *v));
            Dataset::from_points(Points::dense(n, dim, values).unwrap())
        } else {
            let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
            for row in &rows {
                let mut row: Vec<(u32, f64)> = row.iter().map(|(c, v)| (*c, *v)).collect();
                row.sort_by_key(|(c, _)| *c);
                columns.extend(row.iter().map(|(c, _)| *c));
                values.extend(row.iter().map(|(_, v)| *v));
                starts.push(values.len());
            }
            Dataset::from_points(Points::csr(n, dim, starts, columns, values).unwrap())
        };
        let k = matrix("min_max(linear)", &data);
        for i in 0..n {
            assert_eq!(k[(i, i)], 1.0);
            for j in 0..n {
                near(k[(i, j)], formula(&rows[i], &rows[j]), 1e-13);
                assert_eq!(k[(i, j)].to_bits(), k[(j, i)].to_bits());
            }
        }
        assert!(gram::psd_check(&k, &Control::default()).unwrap().witness.is_none());
        assert_eq!(matrix("normalise(min_max(linear))", &data), k);
        let new: Vec<usize> = (0..n).rev().step_by(2).collect();
        let found = cross("min_max(linear)", &data.select(&new), &data);
        (0..new.len()).for_each(|a| (0..n).for_each(|j| near(found[(a, j)], k[(new[a], j)], 1e-13)));
    }
}

#[test]
fn a_number_below_0_is_named_with_its_row_and_column() {
    let numbers = |name: &str, all: &[f64]| Column { name: name.into(), values: Values::Numbers(all.to_vec()) };
    let data = Dataset::new(vec![numbers("age", &[1.0, 2.0, 3.0]), numbers("change", &[0.5, 0.0, -0.25])]).unwrap();
    let why = refusal("min_max(linear)", &data);
    assert!(why.contains("row 3, column 'change'") && why.contains("found -0.25"), "{why}");
    assert_eq!(matrix("min_max(on(age, linear))", &data)[(0, 2)], 1.0 / 3.0);
    let why = refusal("min_max(2*on([change, age], linear))", &data);
    assert!(why.contains("row 3, column 'change'") && why.contains("found -0.25"), "{why}");
    let why = refusal("min_max(linear)", &points(&[&[0.0, 1.0], &[2.0, -3.0]]));
    assert!(why.contains("row 2, column 'x[2]'") && why.contains("found -3"), "{why}");
    // New rows too.
    let settled = KernelExpr::parse("min_max(linear)").unwrap();
    let why = settled.bind(Some(&points(&[&[1.0, -1.0]])), &points(&[&[1.0, 1.0]])).map(|_| ()).unwrap_err().to_string();
    assert!(why.contains("row 1, column 'x[2]'"), "{why}");
}

#[test]
fn kernels_that_do_not_count_are_refused_and_told_what_does() {
    let data = testkit::table(5, 1);
    for of in [
        "rbf",
        "min_max(linear)",
        "shortest_path",
        "substrings",
        "mismatch",
        "nystroem(linear)",
        "linear^2",
        "rbf + linear",
        "centre(linear)",
    ] {
        let why = refusal(&format!("min_max({of})"), &data);
        assert!(why.contains("min_max compares counts") && why.contains("weisfeiler_lehman"), "{of}: {why}");
    }
    for of in [
        "linear",
        "spectrum",
        "blended",
        "tfidf",
        "codebook(by=linear)",
        "subtree",
        "weisfeiler_lehman",
        "vertex_histogram",
        "graphlet",
        "shortest_path(pairs=unordered)",
        "spectrum + 2*on(b, linear)",
        "normalise(spectrum)",
        "substrings(longest=5)",
        "substrings(only=[TATA])",
        "blended(k=2..5)",
    ] {
        let kernel = KernelExpr::parse(&format!("min_max({of})")).unwrap();
        assert_eq!(kernel.to_string(), format!("min_max({})", KernelExpr::parse(of).unwrap()));
        assert_eq!(kernel.mercer(), Mercer::Always, "{kernel}");
    }
    assert!(refusal("min_max(linear, 2)", &data).contains("min_max takes one kernel"));
    // Fifty letters: substrings of up to six letters have no numbers, and share states.
    let letters: String = ('!'..'~').collect();
    assert!(refusal("min_max(blended(k=12))", &texts(&[&letters, &letters])).contains("one by one"));
}

#[test]
fn kernels_of_counts_pass_the_conformance_kit() {
    for rows in [3, 60] {
        let mut table = testkit::table(rows, 11);
        let columns = table.columns().iter().cloned().map(|mut c| {
            if let Values::Numbers(v) = &mut c.values {
                v.iter_mut().for_each(|x| *x = (3.0 * x.abs()).floor());
            }
            c
        });
        table = Dataset::new(columns.collect()).unwrap();
        for of in [
            "linear",
            "on(seq, blended(k=3))",
            "normalise(on(seq, spectrum))",
            "weisfeiler_lehman",
            "codebook(by=linear, centres=5)",
            "subtree",
            "on([a, b], linear) + 0.5*weisfeiler_lehman(depth=2)",
            "weighted(a, on(seq, spectrum(k=2)))",
        ] {
            let expr = KernelExpr::parse(&format!("min_max({of})")).unwrap();
            if let Err(why) = testkit::check_kernel_expr(&expr, &table) {
                panic!("{expr} on {rows} rows: {why}");
            }
        }
    }
}

#[test]
fn a_value_is_priced_as_that_of_the_kernel_that_counts_and_a_quotient() {
    let data = graphs(&["C O C N | 0-1 1-2 2-3"; 20]);
    let price = |expr: &str| KernelExpr::parse(expr).unwrap().per_value(&data).unwrap();
    let (inner, whole) = (price("weisfeiler_lehman"), price("min_max(weisfeiler_lehman)"));
    assert!(whole > inner && whole < 2.0 * inner, "{inner} {whole}");
}

#[test]
fn a_stored_model_takes_numbers_as_they_are_and_predicts_new_rows() {
    let (n, kernel) = (30, "min_max(linear)");
    let counts = |k: usize| -> Vec<f64> { (0..n).map(|i| ((i * (k + 3) + i / 5) % 7) as f64).collect() };
    let columns = (0..3).map(|k| Column { name: format!("n{k}"), values: Values::Numbers(counts(k)) }).collect();
    let data = Dataset::new(columns).unwrap();
    let classes = vec!["a".to_owned(), "b".to_owned()];
    let target = Target::Classes { codes: (0..n).map(|i| i / 2 % 2).collect(), names: classes.clone() };
    let info = TargetInfo { names: vec!["y".into()], classes: Some(classes), labels: Labels::Text };
    let mut learner = Learner::new(EstimatorExpr::parse("svc(c=10)").unwrap());
    learner.kernel = Some(KernelExpr::parse(kernel).unwrap());
    // Standardised columns would have numbers below 0, which are refused.
    let model = learner.fit(&data, &target, &info, None, &Control::default()).unwrap();
    assert_eq!(model.kernel.to_string(), kernel);
    let again = store::from_bytes(&store::to_bytes(&model).unwrap(), "model").unwrap();
    let new = data.select(&[3, 17, 4]);
    let say = |model: &Model| model.predict(&new, Want::default(), &Control::default()).unwrap();
    assert_eq!(format!("{:?}", say(&model)), format!("{:?}", say(&again)));
}
