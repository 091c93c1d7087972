//! k medoids, kernel k-means, spectral clustering and nearest medoids against their definitions; and bad input.

use crate::made;

use made::*;
use mercer::control::Control;
use mercer::data::{Column, Dataset, Target, Values};
use mercer::error::Error;
use mercer::estimators::{Answer, EstimatorExpr, Fitted, Predicted, Task, View, Want};
use mercer::gram::Dense;
use mercer::kernels::KernelExpr;
use mercer::learner::{Learner, Model};
use mercer::linalg::Matrix;
use mercer::prep::Recipe;
use mercer::read::{Labels, TargetInfo};
use mercer::report::{Picture, Row};

fn table(columns: Vec<(&str, Vec<f64>)>) -> Dataset {
    Dataset::new(columns.into_iter().map(|(name, v)| Column { name: name.into(), values: Values::Numbers(v) }).collect()).unwrap()
}

fn learn(estimator: &str, kernel: &str, data: &Dataset, target: &Target, info: &TargetInfo) -> Result<Model, String> {
    let estimator = EstimatorExpr::parse(estimator).map_err(|e| e.to_string())?;
    let kernel = Some(KernelExpr::parse(kernel).map_err(|e| e.to_string())?);
    let prep = Recipe { standardise: false, drop_constant: false, ..Recipe::default() };
    let learner = Learner { kernel, prep, ..Learner::new(estimator) };
    learner.fit(data, target, info, None, &Control::default()).map_err(|e| e.to_string())
}

fn none() -> TargetInfo {
    TargetInfo { names: Vec::new(), classes: None, labels: Labels::default() }
}

fn clusters(estimator: &str, kernel: &str, data: &Dataset) -> Result<(Model, Vec<usize>), String> {
    let model = learn(estimator, kernel, data, &Target::Absent { rows: data.rows() }, &none())?;
    Ok((model.clone(), codes(&model, data)))
}

fn codes(model: &Model, data: &Dataset) -> Vec<usize> {
    match model.predict(data, Want::default(), &Control::default()).unwrap().values {
        Predicted::Classes(codes) => codes,
        Predicted::Numbers(_) => panic!("clusters are numbered"),
    }
}

/// Rows on two rings around the origin, 60 on the inner and 90 on the outer one.
fn rings() -> Dataset {
    let place = |i: usize| {
        let (count, radius) = if i < 60 { (60, 1.0) } else { (90, 4.0) };
        let (angle, radius) = (std::f64::consts::TAU * i as f64 / f64::from(count), radius + 0.05 * ((i * 7) % 5) as f64);
        [radius * angle.cos(), radius * angle.sin()]
    };
    table((0..2).map(|d| (["x", "y"][d], (0..150).map(|i| place(i)[d]).collect())).collect())
}

#[test]
fn spectral_clustering_tells_rings_apart_that_means_cannot_and_takes_new_rows_to_their_ring() {
    let data = rings();
    let (model, found) = clusters("spectral_clustering(clusters=2)", "rbf(length_scale=0.5)", &data).unwrap();
    // The heavier ring is cluster 0.
    assert_eq!(found, (0..150).map(|i| usize::from(i < 60)).collect::<Vec<_>>());
    assert_eq!(model.answer, Answer::Clusters { count: 2 });
    let new = table(vec![("x", vec![0.0, 1.1, 0.0, -4.1]), ("y", vec![-1.05, 0.0, 4.2, 0.0])]);
    assert_eq!(codes(&model, &new), [1, 1, 0, 0]);
    assert!(model.summary().converged && model.summary().certificate.as_ref().unwrap().value <= 1e-8);
    let (_, by_means) = clusters("kernel_k_means(clusters=2)", "linear", &data).unwrap();
    assert!((0..60).any(|i| by_means[i] != by_means[0]));
}

// Rousseeuw (1987): (b - a) / max(a, b) of every row, worked by hand for 0, 1, 2 beside 10, 11.
#[test]
fn silhouettes_are_of_distances_whatever_is_given_or_added_up() {
    let at = [0.0, 1.0, 2.0, 10.0, 11.0];
    let expected = (6.0 / 7.0 + 17.0 / 19.0 + 14.0 / 17.0 + 8.0 / 9.0 + 9.0 / 10.0) / 5.0;
    let products = Dense::square(Matrix::from_fn(5, 5, |i, j| at[i] * at[j])).unwrap();
    let distances = Dense::square(Matrix::from_fn(5, 5, |i, j| (at[i] - at[j]).abs())).unwrap();
    let (target, control) = (Target::Absent { rows: 5 }, Control::default());
    for (gram, estimator) in [
        (&products, "k_medoids(clusters=2)"),
        (&products, "k_medoids(clusters=2, power=1)"),
        (&products, "kernel_k_means(clusters=2)"),
        (&distances, "k_medoids(clusters=2, values=distances, power=1)"),
        (&distances, "k_medoids(clusters=2, values=distances)"),
    ] {
        let task = Task { view: View::Values(gram), target: &target, weights: None, control: &control, seed: 0 };
        let model = EstimatorExpr::parse(estimator).unwrap().fit(&task).unwrap();
        let found = model.clusters().unwrap();
        assert_eq!(found.sizes, [3.0, 2.0], "{estimator}");
        assert!((found.silhouette.unwrap() - expected).abs() <= 1e-12, "{estimator}: {:?}", found.silhouette);
    }
}

// A silhouette is a ratio of distances: what all rows weigh plays no part where they weigh less than one row, and weights count rows.
#[test]
fn silhouettes_do_not_depend_on_the_scale_of_weights_that_are_no_counts() {
    let at = [0.0, 1.0, 2.0, 10.0, 11.0];
    let gram = |at: &[f64]| Dense::square(Matrix::from_fn(at.len(), at.len(), |i, j| at[i] * at[j])).unwrap();
    let control = Control::default();
    let width = |at: &[f64], weights: Option<&[f64]>| {
        let (gram, target) = (gram(at), Target::Absent { rows: at.len() });
        let task = Task { view: View::Values(&gram), target: &target, weights, control: &control, seed: 0 };
        EstimatorExpr::parse("k_medoids(clusters=2)").unwrap().fit(&task).unwrap().clusters().unwrap().silhouette.unwrap()
    };
    for scale in [1.0, 0.5, 0.1, 1e-6] {
        assert!((width(&at, Some(&[scale; 5])) - width(&at, None)).abs() <= 1e-9, "{scale}: {}", width(&at, Some(&[scale; 5])));
    }
    let counted = width(&at, Some(&[1.0, 2.0, 1.0, 3.0, 1.0]));
    assert!((counted - width(&[0.0, 1.0, 1.0, 2.0, 10.0, 10.0, 10.0, 11.0], None)).abs() <= 1e-12);
}

// Rows of a short survey: every cluster is one place, of which there are many copies. The mean silhouette of all places is 1.
#[test]
fn every_place_may_be_a_cluster_where_rows_have_copies() {
    let places = [(0.0, 0.0), (5.0, 5.0), (9.0, 0.0), (20.0, 20.0)];
    for count in [2, 3, 4] {
        let data = table(vec![
            ("x", (0..20 * count).map(|i| places[i % count].0).collect()),
            ("y", (0..20 * count).map(|i| places[i % count].1).collect()),
        ]);
        for (estimator, kernel) in [
            ("k_medoids", "rbf(length_scale=3)"),
            ("k_medoids", "linear"),
            ("kernel_k_means", "linear"),
            ("spectral_clustering", "rbf(length_scale=1)"),
        ] {
            let (model, found) = clusters(estimator, kernel, &data).unwrap();
            assert_eq!(model.answer, Answer::Clusters { count }, "{estimator} {kernel}");
            assert!((0..20 * count).all(|i| found[i] == found[i % count]), "{estimator} {kernel}");
        }
    }
    // Without copies a cluster of its own tells nothing of a row.
    let three = table(vec![("x", vec![0.0, 5.0, 9.0])]);
    assert_eq!(clusters("k_medoids", "linear", &three).unwrap().0.answer, Answer::Clusters { count: 2 });
}

// Positive columns under the linear kernel: as many directions as columns, and eigenvalues of rounding after them.
#[test]
fn spectral_clustering_leaves_out_directions_that_are_rounding_and_says_so() {
    let column = |d: usize| (0..60).map(|i| 1.0 + ((i * [37, 53][d]) % 29) as f64 / 7.0).collect::<Vec<f64>>();
    let data = table(vec![("x", column(0)), ("y", column(1))]);
    let (model, found) = clusters("spectral_clustering(clusters=4)", "linear", &data).unwrap();
    let said = model.summary().notes.iter().find(|n| n.contains("directions")).unwrap();
    assert!(said.contains("2 directions and 4 clusters"), "{said}");
    assert_eq!(Fitted::expansion(&model.fitted).unwrap().bias.len(), 2);
    assert_eq!(codes(&model, &data), found);
    assert!(model.fitted.clusters().unwrap().sizes.iter().all(|s| *s > 0.0));
}

#[test]
fn the_number_of_clusters_is_found_where_they_lie_apart() {
    let at = |i: usize| [[0.0, 0.0], [8.0, 1.0], [3.0, 9.0], [-7.0, 5.0]][i % 4];
    let scatter = |i: usize, d: usize| ((i * [37, 53][d]) % 29) as f64 / 14.5 - 1.0;
    let data = table((0..2).map(|d| (["x", "y"][d], (0..80).map(|i| at(i)[d] + scatter(i, d)).collect())).collect());
    for (estimator, kernel) in [
        ("k_medoids", "rbf(length_scale=3)"),
        ("k_medoids(power=1)", "linear"),
        ("kernel_k_means", "linear"),
        ("spectral_clustering", "rbf(length_scale=1)"),
        ("k_medoids(count_by=gap)", "linear"),
        ("k_medoids(count_by=stability)", "rbf(length_scale=3)"),
        ("kernel_k_means(count_by=gap)", "linear"),
        ("kernel_k_means(count_by=stability)", "linear"),
        ("spectral_clustering(count_by=stability)", "rbf(length_scale=1)"),
    ] {
        let (model, found) = clusters(estimator, kernel, &data).unwrap();
        assert_eq!(model.answer, Answer::Clusters { count: 4 }, "{estimator}");
        let told =
            model.about.notices.iter().any(|n| n.to_string().starts_with("clusters=4 of ") && n.to_string().contains("is chosen by the "));
        assert!(told, "{estimator}: {:?}", model.about.notices);
        assert!((0..80).all(|i| found[i] == found[i % 4]), "{estimator}");
        let mut four = found[..4].to_vec();
        four.sort_unstable();
        assert_eq!(four, [0, 1, 2, 3], "{estimator}");
    }
}

#[test]
fn what_stops_the_search_for_a_number_of_clusters_is_no_number() {
    let (data, control) = (rings(), Control::default());
    let gram = KernelExpr::parse("rbf(length_scale=1)").unwrap().bind(None, &data).unwrap();
    let target = Target::Absent { rows: data.rows() };
    let task = Task { view: View::Values(gram.as_ref()), target: &target, weights: None, control: &control, seed: 0 };
    control.cancel.cancel();
    for estimator in ["k_medoids", "kernel_k_means", "spectral_clustering"] {
        let found = EstimatorExpr::parse(estimator).unwrap().settle(&task);
        assert!(matches!(found, Err(Error::Cancelled)), "{estimator}: {found:?}");
    }
}

#[test]
fn the_page_measures_numbers_of_clusters_by_the_weights_of_the_rows() {
    let at = |i: usize, d: usize| ((i * [37, 53][d]) % 29) as f64 + if i.is_multiple_of(3) { 40.0 } else { 0.0 };
    let of = |rows: &[usize]| table((0..2).map(|d| (["x", "y"][d], rows.iter().map(|&i| at(i, d)).collect())).collect());
    let weights: Vec<f64> = (0..24).map(|i| (i % 3) as f64).collect();
    let repeated: Vec<usize> = (0..24).flat_map(|i| std::iter::repeat_n(i, i % 3)).collect();
    let curve = |data: &Dataset, weights: Option<&[f64]>| {
        let (model, _) = clusters("k_medoids(clusters=2, count_by=gap)", "linear", data).unwrap();
        let target = Target::Absent { rows: data.rows() };
        let row = Row::of_model(&model, data, &target, weights, &Control::default()).unwrap();
        let found = row.pictures.into_iter().find_map(|p| if let Picture::Tuning(curve) = p { Some(curve) } else { None });
        found.unwrap()
    };
    let (weighed, all) = (curve(&of(&(0..24).collect::<Vec<_>>()), Some(&weights)), curve(&of(&repeated), None));
    assert_eq!(weighed.parameter.tried.len(), all.parameter.tried.len());
    for (a, b) in weighed.parameter.tried.iter().zip(&all.parameter.tried) {
        assert!(a.0 == b.0 && (a.1 - b.1).abs() <= 1e-9, "{a:?} {b:?}");
    }
    assert!(all.errors.len() == all.parameter.tried.len() && all.errors.iter().all(|e| *e > 0.0));
}

// The first scenario of Tibshirani, Walther & Hastie (2001), 5: points drawn evenly from the unit square are one cluster, which neither
// a silhouette nor samples can say.
#[test]
fn the_gap_says_that_rows_without_clusters_are_one() {
    let one = |set: usize, estimator: &str| {
        let even = made::points(set, 150, 2);
        let data = table((0..2).map(|d| (["x", "y"][d], even.iter().map(|p| p[d]).collect())).collect());
        clusters(estimator, "linear", &data).unwrap().0.answer == Answer::Clusters { count: 1 }
    };
    let found: Vec<usize> = (0..12).filter(|&set| one(set, "kernel_k_means(count_by=gap)")).collect();
    assert!(found.len() >= 11, "{found:?}");
    assert!(one(found[0], "k_medoids(count_by=gap)"));
    let why = EstimatorExpr::parse("spectral_clustering(count_by=gap)").unwrap_err().to_string();
    assert!(why.contains("eigengap, stability"), "{why}");
}

#[test]
fn medoids_are_rows_of_the_table_and_given_distances_give_the_same_as_their_kernel() {
    let place = |i: usize, d: usize| (0.37 * (i * (d + 2)) as f64).sin() * 3.0 + ((i * (7 + d)) % 11) as f64 / 4.0;
    let data = table((0..2).map(|d| (["x", "y"][d], (0..120).map(|i| place(i, d)).collect())).collect());
    let n = data.rows();
    let (model, found) = clusters("k_medoids(clusters=3, power=1)", "linear", &data).unwrap();
    let rows = model.medoid_rows();
    assert_eq!(rows.iter().map(|&m| found[m]).collect::<Vec<_>>(), [0, 1, 2]);
    let far = |i: usize, j: usize| (0..2).map(|d| (place(i, d) - place(j, d)).powi(2)).sum::<f64>().sqrt();
    let loss: f64 = (0..n).map(|i| rows.iter().map(|&m| far(i, m)).fold(f64::INFINITY, f64::min)).sum();
    close(model.summary().objective.unwrap(), loss, 1e-9);
    let sizes = &model.fitted.clusters().unwrap().sizes;
    assert_eq!((sizes.iter().sum::<f64>(), sizes.is_sorted_by(|a, b| a >= b)), (n as f64, true));
    let distances = mercer::linalg::Matrix::from_fn(n, n, far);
    let gram = mercer::gram::Dense::square(distances).unwrap();
    let given = EstimatorExpr::parse("k_medoids(clusters=3, power=1, values=distances)").unwrap();
    let task = mercer::estimators::Task {
        view: View::Values(&gram),
        target: &Target::Absent { rows: n },
        weights: None,
        control: &Control::default(),
        seed: 0,
    };
    let given = given.fit(&task).unwrap();
    close(given.summary().objective.unwrap(), loss, 1e-9);
    assert_eq!(given.clusters().unwrap().medoids, rows);
}

// One medoid for each class; then the class of the nearest of those rows, as 1NN over them alone says.
// spec: M20
#[test]
fn the_nearest_medoid_is_the_nearest_neighbour_among_the_medoids() {
    let wave = |i: usize, d: usize| (0.37 * (i * (d + 2)) as f64).sin() * 3.0 + ((i * (7 + d)) % 11) as f64 / 4.0;
    let columns = |from: usize, to: usize| table((0..3).map(|d| (["a", "b", "c"][d], (from..to).map(|i| wave(i, d)).collect())).collect());
    let (data, new) = (columns(0, 90), columns(200, 260));
    for names in [vec!["n", "s"], vec!["n", "s", "w"]] {
        let codes_of: Vec<usize> = (0..90).map(|i| (i * i + i / 7) % names.len()).collect();
        let classes: Vec<String> = names.iter().map(|s| (*s).to_owned()).collect();
        let info = TargetInfo { names: vec!["t".into()], classes: Some(classes.clone()), labels: Labels::default() };
        let target = Target::Classes { codes: codes_of.clone(), names: classes.clone() };
        let model = learn("nearest_medoid", "rbf(length_scale=2)", &data, &target, &info).unwrap();
        let medoids = model.support_rows();
        // The medoid of a class has the least sum of squared distances 2 - 2 k to the others of it.
        let value = |i: usize, j: usize| (-(0..3).map(|d| (wave(i, d) - wave(j, d)).powi(2)).sum::<f64>() / 8.0).exp();
        for class in 0..names.len() {
            let members: Vec<usize> = (0..90).filter(|&i| codes_of[i] == class).collect();
            let sum = |i: usize| members.iter().map(|&j| 2.0 - 2.0 * value(i, j)).sum::<f64>();
            let least = members.iter().copied().min_by(|a, b| sum(*a).total_cmp(&sum(*b))).unwrap();
            assert!(medoids.contains(&least));
        }
        let some = Target::Classes { codes: medoids.iter().map(|&m| codes_of[m]).collect(), names: classes };
        let nearest = learn("knn(k=1)", "rbf(length_scale=2)", &data.select(&medoids), &some, &info).unwrap();
        assert_eq!(codes(&model, &new), codes(&nearest, &new));
    }
}

#[test]
fn what_cannot_be_is_refused_with_what_to_change() {
    let data = table(vec![("a", [1.0, 2.0, 5.0].repeat(4))]);
    let says = |found: Result<(Model, Vec<usize>), String>, words: &[&str]| {
        let why = found.map(|_| ()).unwrap_err();
        words.iter().for_each(|word| assert!(why.contains(word), "{why}"));
    };
    for estimator in ["k_medoids", "kernel_k_means", "spectral_clustering"] {
        says(clusters(&format!("{estimator}(clusters=4)"), "rbf", &data), &["4 clusters", "12 rows lie at 3 places", "lower clusters"]);
        let (_, found) = clusters(&format!("{estimator}(clusters=3)"), "rbf(length_scale=1)", &data).unwrap();
        assert!((0..12).all(|i| found[i] == found[i % 3]) && found[0] != found[1] && found[1] != found[2], "{estimator}");
        let one = table(vec![("a", vec![3.0])]);
        assert_eq!(clusters(&format!("{estimator}(clusters=1)"), "rbf(length_scale=1)", &one).unwrap().1, [0]);
        assert!(EstimatorExpr::parse(&format!("{estimator}(k=3)")).unwrap_err().to_string().contains("clusters"));
    }
    let apart = table(vec![("a", vec![-1.0, 1.0, 2.0])]);
    says(clusters("spectral_clustering(clusters=2)", "linear", &apart), &["0 or above", "rbf"]);
    says(clusters("k_medoids(clusters=2, values=distances)", "linear", &apart), &["distances are 0 or above"]);
    let target = Target::numbers(&[1.0, 2.0, 3.0]);
    says(learn("k_medoids", "rbf", &apart, &target, &none()).map(|m| (m, Vec::new())), &["takes no target"]);
}

#[test]
fn clusters_around_means_do_not_depend_on_where_zero_lies() {
    let at = |offset: f64| {
        let x: Vec<f64> = (0..30).map(|i| offset + [0.0, 3.0, 6.0][i % 3] + 0.25 * ((i * 7) % 5) as f64).collect();
        clusters("kernel_k_means(clusters=3)", "linear", &table(vec![("x", x)])).unwrap().0.fitted.clusters().unwrap().sizes.clone()
    };
    assert_eq!(at(0.0), [10.0, 10.0, 10.0]);
    assert_eq!(at(1e8), at(0.0));
}

// Of a ring of six nodes, each joined to the next and to itself, all sums are equal and joined nodes have k(x, x) + k(z, z) - 2 k = 0.
#[test]
fn joined_nodes_of_a_given_similarity_are_no_copies() {
    let ring = Matrix::from_fn(6, 6, |i, j| f64::from(u8::from((i + 6 - j) % 6 <= 1 || (j + 6 - i) % 6 <= 1)));
    let gram = Dense::square(ring).unwrap();
    let (target, control) = (Target::Absent { rows: 6 }, Control::default());
    let task = Task { view: View::Values(&gram), target: &target, weights: None, control: &control, seed: 0 };
    let fitted = EstimatorExpr::parse("k_medoids(clusters=6)").unwrap().fit(&task).unwrap();
    // With copies taken as one there would be fewer places than clusters.
    assert_eq!(fitted.clusters().unwrap().medoids.len(), 6);
}
