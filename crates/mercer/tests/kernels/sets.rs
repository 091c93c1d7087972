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
