//! Nearest neighbours and the baseline.

use crate::made;

use made::*;
use mercer::control::Control;
use mercer::data::{Dataset, Points, Target};
use mercer::error::Error;
use mercer::estimators::{
    Baseline, Estimator, Fitted, FittedKnn, FoundNeighbours, Knn, NeighbourWeights, Predicted, Query, Task, Ties, View, Want,
};
use mercer::gram::Dense;
use mercer::kernels::KernelExpr;
use mercer::linalg::Matrix;

fn knn(k: f64) -> Knn {
    Knn { k: k.into(), ..Knn::default() }
}

fn three() -> Vec<String> {
    ["a", "b", "c"].map(String::from).to_vec()
}

// spec: M18
#[test]
fn the_linear_kernel_gives_euclidean_neighbours() {
    let (x, new) = (points(60, 120, 3), points(61, 200, 3));
    let codes: Vec<usize> = (0..120).map(|i| i % 3).collect();
    let target = Target::Classes { codes: codes.clone(), names: three() };
    let fitted = fit(&knn(1.0), &square(&x, |a, b| dot(a, b)), &target, None).unwrap();
    let p = fitted.predict(&Query::new(&cross(&new, &x, fitted.support(), |a, b| dot(a, b)), everything(), &Control::default())).unwrap();
    for (i, z) in new.iter().enumerate() {
        let distance = |j: usize| x[j].iter().zip(z).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
        let nearest = (0..120).min_by(|&a, &b| distance(a).total_cmp(&distance(b))).unwrap();
        assert_eq!(classes(&p)[i], codes[nearest]);
    }
}

// spec: G17
#[test]
fn densities_in_the_volume_of_k_neighbours_give_the_shares_of_votes() {
    let (n, k, x, new) = (90, 7, points(62, 90, 2), points(63, 30, 2));
    let codes: Vec<usize> = (0..n).map(|i| [0, 0, 1, 2, 2, 2][i % 6]).collect();
    let target = Target::Classes { codes: codes.clone(), names: three() };
    let knn = Knn { ties: Ties::First, ..knn(k as f64) };
    let fitted = fit(&knn, &square(&x, |a, b| dot(a, b)), &target, None).unwrap();
    let p = fitted.predict(&Query::new(&cross(&new, &x, fitted.support(), |a, b| dot(a, b)), everything(), &Control::default())).unwrap();
    let votes = p.scores.unwrap();
    for (i, z) in new.iter().enumerate() {
        let mut apart: Vec<(f64, usize)> = (0..n).map(|j| (x[j].iter().zip(z).map(|(a, b)| (a - b).powi(2)).sum::<f64>(), j)).collect();
        apart.sort_by(|a, b| a.0.total_cmp(&b.0));
        // The circle that holds k rows.
        let volume = std::f64::consts::PI * apart[k - 1].0;
        let joint: Vec<f64> = (0..3)
            .map(|c| {
                let of_class = codes.iter().filter(|&&code| code == c).count() as f64;
                let inside = apart[..k].iter().filter(|(_, j)| codes[*j] == c).count() as f64;
                inside / (of_class * volume) * (of_class / n as f64)
            })
            .collect();
        let all: f64 = joint.iter().sum();
        assert!((0..3).all(|c| (joint[c] / all - votes[(i, c)] / k as f64).abs() <= 1e-14));
    }
}

// spec: M18
#[test]
fn strings_have_neighbours_too() {
    let shared = |a: &&str, b: &&str| a.bytes().zip(b.bytes()).filter(|(x, y)| x == y).count() as f64;
    let x = ["GATTACA", "GATTTCA", "CCCGGGA", "CCCGGCA"];
    let target = Target::classes(&["left", "left", "right", "right"]);
    let fitted = fit(&knn(2.0), &square(&x, shared), &target, None).unwrap();
    let p = fitted
        .predict(&Query::new(&cross(&["GATTACC", "CCCGGGG"], &x, fitted.support(), shared), everything(), &Control::default()))
        .unwrap();
    assert_eq!(classes(&p), [0, 1]);
    // Two votes of two, half of the rows: (2 + 1/2) / (2 + 1).
    close(p.probabilities.unwrap()[(0, 0)], 2.5 / 3.0, 1e-12);
}

// M18 far from the origin: of 1e8 + 1 and 1e8 + 2 the second is nearer to 1e8 + 1.9, though the products are equal to 1e-16.
// spec: M18, F35
#[test]
fn neighbours_are_told_apart_far_from_the_origin() {
    let column = |values: &[f64]| Dataset::from_points(Points::dense(values.len(), 1, values.to_vec()).unwrap());
    let x = column(&[1e8 + 1.0, 1e8 + 2.0]);
    for kernel in ["linear", "2*linear", "linear + 1", "centre(linear)", "rbf(length_scale=1e9)", "negative_distance"] {
        let expr = KernelExpr::parse(kernel).unwrap();
        let gram = expr.bind(None, &x).unwrap();
        let control = Control::default();
        let target = labels([false, true]);
        let task = Task { view: View::Values(gram.as_ref()), target: &target, weights: None, control: &control, seed: 0 };
        let fitted = knn(1.0).fit(&task).unwrap();
        let cross = expr.bind(Some(&column(&[1e8 + 1.9, 1e8 + 1.1])), &x).unwrap();
        assert_eq!(classes(&fitted.predict(&Query::new(cross.as_ref(), everything(), &Control::default())).unwrap()), [1, 0], "{kernel}");
    }
}

// Rows that a kernel finds unlike everything to the last digit are still nearer or farther.
#[test]
fn an_outlier_has_nearest_neighbours_too() {
    let x = Dataset::from_points(Points::dense(3, 1, vec![0.0, 1.0, 2.0]).unwrap());
    let expr = KernelExpr::parse("rbf(length_scale=1)").unwrap();
    let gram = expr.bind(None, &x).unwrap();
    let control = Control::default();
    let target = Target::numbers(&[1.0, 2.0, 3.0]);
    let fitted =
        knn(1.0).fit(&Task { view: View::Values(gram.as_ref()), target: &target, weights: None, control: &control, seed: 0 }).unwrap();
    let new = Dataset::from_points(Points::dense(2, 1, vec![500.0, -500.0]).unwrap());
    let p = fitted.predict(&Query::new(expr.bind(Some(&new), &x).unwrap().as_ref(), everything(), &Control::default())).unwrap();
    assert_eq!(numbers(&p).data(), [3.0, 1.0]);
}

// Many rows in few columns are searched by a tree; the same rows as a matrix of kernel values are scanned.
#[test]
fn a_tree_of_many_rows_answers_like_a_scan() {
    let (n, m) = (1500, 60);
    let flat = |rows: Rows| rows.concat();
    let (x, new) = (points(71, n, 3), points(72, m, 3));
    let made = |rows: &Rows| Dataset::from_points(Points::dense(rows.len(), 3, flat(rows.clone())).unwrap());
    let (data, asking) = (made(&x), made(&new));
    let expr = KernelExpr::parse("2*rbf(length_scale=0.7)").unwrap();
    let among = expr.bind(None, &data).unwrap();
    let cross = expr.bind(Some(&asking), &data).unwrap();
    assert!(cross.nearest(&[0], 5).is_some());
    let control = Control::default();
    let scanned = Dense::of(cross.as_ref(), &control).unwrap();
    let all = Dense::of(among.as_ref(), &control).unwrap();
    let targets = [Target::numbers(&errors(73, n)), Target::Classes { codes: (0..n).map(|i| i % 3).collect(), names: three() }];
    for (target, weights) in targets.iter().flat_map(|t| [(t, NeighbourWeights::Uniform), (t, NeighbourWeights::Distance)]) {
        let asked = Knn { weights, ..knn(7.0) };
        let task = |gram| Task { view: View::Values(gram), target, weights: None, control: &control, seed: 0 };
        let fitted = asked.fit(&task(among.as_ref())).unwrap();
        let pairs = [
            (
                fitted.predict(&Query::new(cross.as_ref(), everything(), &Control::default())).unwrap(),
                fitted.predict(&Query::new(&scanned, everything(), &Control::default())).unwrap(),
            ),
            (asked.leave_one_out(&task(among.as_ref())).unwrap().unwrap(), asked.leave_one_out(&task(&all)).unwrap().unwrap()),
        ];
        for (tree, scan) in &pairs {
            match target {
                Target::Numbers(_) => {
                    numbers(tree).data().iter().zip(numbers(scan).data()).for_each(|(a, b)| close(*a, *b, 1e-9));
                }
                _ => {
                    assert_eq!(classes(tree), classes(scan));
                    let (a, b) = (tree.probabilities.as_ref().unwrap(), scan.probabilities.as_ref().unwrap());
                    a.data().iter().zip(b.data()).for_each(|(a, b)| close(*a, *b, 1e-9));
                }
            }
        }
    }
}

// With k = 1 and 26 classes, one of which has 51 of 101 rows: (1 + f) / 2 for the neighbour's class, f / 2 for the others, where
// f = (n_c + 1) / (n + 26).
#[test]
fn one_neighbour_says_more_than_the_frequencies_of_many_classes() {
    let names: Vec<String> = (0..26).map(|c| c.to_string()).collect();
    let codes: Vec<usize> = (0..101).map(|i| if i < 50 { i % 25 } else { 25 }).collect();
    let x: Rows = (0..101).map(|i| vec![f64::from(i)]).collect();
    let target = Target::Classes { codes, names };
    let fitted = fit(&knn(1.0), &square(&x, |a, b| dot(a, b)), &target, None).unwrap();
    let p = fitted
        .predict(&Query::new(&cross(&[vec![3.2], vec![80.0]], &x, fitted.support(), |a, b| dot(a, b)), everything(), &Control::default()))
        .unwrap();
    let p = p.probabilities.unwrap();
    close(p[(0, 3)], (1.0 + 3.0 / 127.0) / 2.0, 1e-12);
    close(p[(0, 4)], 3.0 / 127.0 / 2.0, 1e-12);
    close(p[(0, 25)], 52.0 / 127.0 / 2.0, 1e-12);
    close(p[(1, 25)], (1.0 + 52.0 / 127.0) / 2.0, 1e-12);
}

// Two classes with a vote each: the rare one is nearer and wins, so that the frequent one does not become more probable.
#[test]
fn frequencies_do_not_overrule_the_nearer_neighbour() {
    let x: Rows = (0..20).map(|i| vec![f64::from(i)]).collect();
    let fitted = fit(&knn(2.0), &square(&x, |a, b| dot(a, b)), &labels((0..20).map(|i| i > 0)), None).unwrap();
    let p = fitted
        .predict(&Query::new(&cross(&[vec![0.2]], &x, fitted.support(), |a, b| dot(a, b)), everything(), &Control::default()))
        .unwrap();
    assert_eq!(classes(&p), [0]);
    let p = p.probabilities.unwrap();
    assert!(p[(0, 0)] > p[(0, 1)] && (p[(0, 0)] - p[(0, 1)]).abs() < 1e-5, "{p:?}");
    close(p.row(0).iter().sum::<f64>(), 1.0, 1e-12);
}

// f(x) = sum_i y_i / d_i / sum_i 1 / d_i over the neighbours; a neighbour at distance 0 alone decides.
#[test]
fn neighbours_count_by_the_inverse_of_their_distance_where_that_is_asked() {
    let x: Vec<Vec<f64>> = [0.0, 1.0, 3.0, 10.0].map(|v| vec![v]).to_vec();
    let new: Vec<Vec<f64>> = [0.25, 3.0].map(|v| vec![v]).to_vec();
    let by_distance = Knn { weights: NeighbourWeights::Distance, ..knn(3.0) };
    let fitted = fit(&by_distance, &square(&x, |a, b| dot(a, b)), &Target::numbers(&[1.0, 2.0, 5.0, 7.0]), None).unwrap();
    let p = fitted.predict(&Query::new(&cross(&new, &x, fitted.support(), |a, b| dot(a, b)), everything(), &Control::default())).unwrap();
    let shares = [1.0 / 0.25, 1.0 / 0.75, 1.0 / 2.75];
    let expected = (shares[0] + 2.0 * shares[1] + 5.0 * shares[2]) / shares.iter().sum::<f64>();
    close(numbers(&p)[(0, 0)], expected, 1e-12);
    close(numbers(&p)[(1, 0)], 5.0, 0.0);
}

#[test]
fn the_predicted_class_always_has_the_greatest_probability_alone() {
    let (x, new) = (points(62, 90, 2), points(63, 300, 2));
    let target = Target::Classes { codes: (0..90).map(|i| (i * i) % 3).collect(), names: three() };
    for k in 1..12 {
        let fitted = fit(&knn(f64::from(k)), &square(&x, |a, b| dot(a, b)), &target, None).unwrap();
        let p =
            fitted.predict(&Query::new(&cross(&new, &x, fitted.support(), |a, b| dot(a, b)), everything(), &Control::default())).unwrap();
        let probabilities = p.probabilities.as_ref().unwrap();
        for (i, &winner) in classes(&p).iter().enumerate() {
            close(probabilities.row(i).iter().sum::<f64>(), 1.0, 1e-12);
            assert!((0..3).all(|c| c == winner || probabilities[(i, c)] < probabilities[(i, winner)]), "k={k}, row {i}");
        }
    }
}

#[test]
fn of_classes_with_equal_votes_the_nearer_one_wins() {
    let x = vec![vec![0.0], vec![1.0]];
    let fitted = fit(&knn(2.0), &square(&x, |a, b| dot(a, b)), &labels([false, true]), None).unwrap();
    let new = vec![vec![0.2], vec![0.8], vec![0.5]];
    let p = fitted.predict(&Query::new(&cross(&new, &x, fitted.support(), |a, b| dot(a, b)), everything(), &Control::default())).unwrap();
    assert_eq!(classes(&p), [0, 1, 0]);
}

#[test]
fn the_first_of_classes_with_equal_votes_wins_where_that_is_asked() {
    let x = vec![vec![0.0], vec![1.0], vec![3.0]];
    let first = Knn { ties: Ties::First, ..knn(2.0) };
    let target = Target::Classes { codes: vec![2, 0, 1], names: three() };
    let fitted = fit(&first, &square(&x, |a, b| dot(a, b)), &target, None).unwrap();
    let new = vec![vec![0.1], vec![0.9], vec![2.5]];
    let p = fitted.predict(&Query::new(&cross(&new, &x, fitted.support(), |a, b| dot(a, b)), everything(), &Control::default())).unwrap();
    assert_eq!(classes(&p), [0, 0, 0]);
    // One vote each: nothing is raised.
    assert_eq!(p.scores.unwrap().data(), [1.0, 0.0, 1.0, 1.0, 0.0, 1.0, 1.0, 1.0, 0.0]);
}

// Of k = all rows every weight counts in full, whatever the order in which the weights are added.
#[test]
fn where_all_rows_are_asked_the_answer_is_their_weighted_mean() {
    let x = points(67, 25, 2);
    let (t, weights) = (errors(67, 25), (0..25).map(|i| 0.1 + 0.3 * (i % 4) as f64).collect::<Vec<_>>());
    let mean = t.iter().zip(&weights).map(|(t, w)| t * w).sum::<f64>() / weights.iter().sum::<f64>();
    let fitted = fit(&knn(1000.0), &square(&x, |a, b| dot(a, b)), &Target::numbers(&t), Some(&weights)).unwrap();
    let new = points(68, 50, 2);
    let p = fitted.predict(&Query::new(&cross(&new, &x, fitted.support(), |a, b| dot(a, b)), everything(), &Control::default())).unwrap();
    (0..50).for_each(|i| close(numbers(&p)[(i, 0)], mean, 1e-12));
}

// A row left out asks the others: on a line, 0 asks 1, 1 asks 0, 3 asks 1.
#[test]
fn a_row_left_out_asks_the_others() {
    let x = vec![vec![0.0], vec![1.0], vec![3.0]];
    let gram = square(&x, |a, b| dot(a, b));
    let control = Control::default();
    let left_out = |target: &Target, rows: &Dense| {
        knn(1.0).leave_one_out(&Task { view: View::Values(rows), target, weights: None, control: &control, seed: 0 })
    };
    let p = left_out(&Target::numbers(&[5.0, 6.0, 7.0]), &gram).unwrap().unwrap();
    assert_eq!(numbers(&p).data(), [6.0, 5.0, 6.0]);
    let p = left_out(&Target::Classes { codes: vec![0, 1, 2], names: three() }, &gram).unwrap().unwrap();
    assert_eq!(classes(&p), [1, 0, 1]);
    let alone = square(&x[..1], |a, b| dot(a, b));
    assert!(matches!(left_out(&Target::numbers(&[5.0]), &alone), Err(Error::Data(_))));
}

#[test]
fn weights_are_repeated_rows_and_the_order_of_rows_plays_no_part() {
    let n = 50;
    // A coarse grid, so that many distances are equal.
    let x: Rows = points(64, n, 2).into_iter().map(|p| p.into_iter().map(|v| (3.0 * v).round()).collect()).collect();
    let target = Target::Classes { codes: (0..n).map(|i| i % 3).collect(), names: three() };
    let t = Target::numbers(&errors(64, n));
    let weights: Vec<f64> = (0..n).map(|i| (1 + i % 3) as f64).collect();
    let rows: Vec<usize> = (0..n).rev().flat_map(|i| vec![i; 1 + i % 3]).collect();
    let repeated: Rows = rows.iter().map(|&i| x[i].clone()).collect();
    let new = points(65, 40, 2);
    let kernel = |a: &Vec<f64>, b: &Vec<f64>| dot(a, b);
    for k in [1.0, 4.0, 7.0] {
        for target in [&target, &t] {
            let a = fit(&knn(k), &square(&x, kernel), target, Some(&weights)).unwrap();
            let b = fit(&knn(k), &square(&repeated, kernel), &target.select(&rows), None).unwrap();
            let pa = a.predict(&Query::new(&cross(&new, &x, a.support(), kernel), everything(), &Control::default())).unwrap();
            let pb = b.predict(&Query::new(&cross(&new, &repeated, b.support(), kernel), everything(), &Control::default())).unwrap();
            match target {
                Target::Numbers(_) => (0..40).for_each(|i| close(numbers(&pa)[(i, 0)], numbers(&pb)[(i, 0)], 1e-12)),
                _ => assert_eq!(classes(&pa), classes(&pb)),
            }
        }
    }
}

#[test]
fn more_neighbours_than_rows_are_all_rows_and_it_is_said() {
    let x = vec![vec![0.0], vec![1.0], vec![5.0]];
    let fitted = fit(&knn(10.0), &square(&x, |a, b| dot(a, b)), &Target::numbers(&[1.0, 2.0, 6.0]), None).unwrap();
    assert!(fitted.summary().notes.iter().any(|n| n.contains("k=10")));
    let p = fitted
        .predict(&Query::new(&cross(&[vec![3.0]], &x, fitted.support(), |a, b| dot(a, b)), everything(), &Control::default()))
        .unwrap();
    close(numbers(&p)[(0, 0)], 3.0, 1e-12);
}

#[test]
fn stored_neighbours_predict_the_same_bits_and_damaged_ones_are_an_error() {
    let x = points(66, 30, 2);
    let gram = square(&x, |a, b| dot(a, b));
    let fitted = fit(&knn(3.0), &gram, &labels((0..30).map(|i| i % 2 == 0)), None).unwrap();
    let (text, blocks) = mercer::blocks::collect(|| serde_json::to_string(&fitted).unwrap());
    let back: FittedKnn = mercer::blocks::supply(blocks, || serde_json::from_str(&text).unwrap());
    assert_eq!(on_training(&back, &gram), on_training(&fitted, &gram));
    let text = serde_json::to_string(&fitted).unwrap();
    let broken: FittedKnn = serde_json::from_str(&text.replace("\"classes\":2", "\"classes\":1")).unwrap();
    let nothing = Dense::cross(Matrix::zeros(1, 30), vec![1.0], vec![1.0; 30]).unwrap();
    assert!(matches!(broken.predict(&Query::new(&nothing, everything(), &Control::default())), Err(Error::Data(_))));
    let narrow = Dense::cross(Matrix::zeros(1, 3), vec![1.0], vec![1.0; 3]).unwrap();
    assert!(matches!(back.predict(&Query::new(&narrow, everything(), &Control::default())), Err(Error::Shape { .. })));
}

#[test]
fn the_baseline_is_the_most_frequent_class_or_the_mean_by_weight() {
    let gram = square(&[0.0; 4], |_, _| 1.0);
    let nothing = Dense::cross(Matrix::zeros(2, 0), vec![1.0; 2], vec![]).unwrap();
    let target = Target::Classes { codes: vec![0, 0, 0, 2], names: three() };
    let fitted = fit(&Baseline {}, &gram, &target, Some(&[1.0, 1.0, 1.0, 5.0])).unwrap();
    assert!(fitted.support().is_empty());
    let p = fitted.predict(&Query::new(&nothing, everything(), &Control::default())).unwrap();
    assert_eq!(classes(&p), [2, 2]);
    for (found, expected) in p.probabilities.unwrap().row(1).iter().zip([0.375, 0.0, 0.625]) {
        close(*found, expected, 1e-12);
    }
    let fitted = fit(&Baseline {}, &gram, &Target::numbers(&[1.0, 2.0, 3.0, 6.0]), Some(&[1.0, 2.0, 1.0, 1.0])).unwrap();
    let p = fitted.predict(&Query::new(&nothing, everything(), &Control::default())).unwrap();
    close(numbers(&p)[(0, 0)], 2.8, 1e-12);
    // (3.24 + 2 * .64 + .04 + 10.24) / 5 = 2.96.
    close(p.noise.unwrap()[0], 2.96, 1e-12);
    close(p.variance.unwrap()[(0, 0)], 0.592, 1e-12);
}

#[test]
fn neighbours_found_elsewhere_are_asked_like_those_of_a_kernel() {
    let control = Control::default();
    let x: Vec<f64> = (0..20).map(|i| f64::from(i * 7 % 13)).collect();
    let gram = Dense::square(Matrix::from_fn(20, 20, |i, j| x[i] * x[j])).unwrap();
    let target = Target::classes(&(0..20).map(|i| if i * 5 % 7 < 3 { "a" } else { "b" }).collect::<Vec<_>>());
    let task = Task { view: View::Values(&gram), target: &target, weights: None, control: &control, seed: 0 };
    let estimator = knn(4.0);
    let (fitted, want) = (estimator.fit(&task).unwrap(), Want { scores: true, probabilities: true, ..Want::default() });
    let left_out = estimator.leave_one_out(&task).unwrap().unwrap();
    // Every other row, nearest first.
    let nearest = |i: usize| {
        let mut others: Vec<usize> = (0..20).filter(|j| *j != i).collect();
        others.sort_by(|a, b| (x[i] - x[*a]).abs().total_cmp(&(x[i] - x[*b]).abs()));
        others
    };
    let places: Vec<usize> = (0..20).flat_map(nearest).collect();
    // Rounding makes no difference between equal distances.
    let distances = Matrix::from_fn(20, 19, |i, j| (x[i] - x[places[19 * i + j]]).abs() * (1.0 + 1e-13 * j as f64));
    let own: Vec<usize> = (0..20).collect();
    let found = FoundNeighbours::new(20, &places, &distances, None, Some(own)).unwrap();
    assert_eq!(fitted.predict_found(&found, want, &control).unwrap(), left_out);
    // Only what has an infinite weight counts where there is any; weights of 0 for all are refused.
    let shares = Matrix::from_fn(20, 19, |_, j| if j == 0 { f64::INFINITY } else { 1.0 });
    let found = FoundNeighbours::new(20, &places, &distances, Some(shares), None).unwrap();
    let Predicted::Classes(codes) = fitted.predict_found(&found, want, &control).unwrap().values else { panic!("classes") };
    let Target::Classes { codes: truth, .. } = &target else { panic!("classes") };
    assert!((0..20).all(|i| codes[i] == truth[places[19 * i]]));
    for wrong in [0.0, -1.0, f64::NAN] {
        assert!(FoundNeighbours::new(20, &places, &distances, Some(Matrix::from_fn(20, 19, |_, _| wrong)), None).is_err());
    }
    assert!(FoundNeighbours::new(5, &places, &distances, None, None).is_err());
}

/// Predictions of numbers for rows of one decimal, standardised, with the columns in an order.
fn of_tenths(columns: &[usize], rows: &[usize]) -> Vec<f64> {
    let value = |i: usize, j: usize| ((i * [7, 11, 5][j] + i * i) % 10) as f64 / 10.0 / [0.3, 0.7, 0.9][j];
    let data = |rows: &[usize]| {
        let values = rows.iter().flat_map(|&i| columns.iter().map(move |&j| value(i, j))).collect();
        Dataset::from_points(Points::dense(rows.len(), columns.len(), values).unwrap())
    };
    let (train, new) = (data(rows), data(&(100..160).collect::<Vec<_>>()));
    let kernel = KernelExpr::parse("rbf(length_scale=0.37)").unwrap();
    let y: Vec<f64> = rows.iter().map(|&i| (i * 37 % 101) as f64).collect();
    let gram = kernel.bind(None, &train).unwrap();
    let (target, control) = (Target::numbers(&y), Control::default());
    let fitted =
        knn(5.0).fit(&Task { view: View::Values(gram.as_ref()), target: &target, weights: None, control: &control, seed: 0 }).unwrap();
    let cross = kernel.bind(Some(&new), &train).unwrap();
    let p = fitted.predict(&Query::new(cross.as_ref(), Want::default(), &control)).unwrap();
    numbers(&p).data().to_vec()
}

#[test]
fn rows_that_are_equally_far_but_for_rounding_share_whatever_the_order_of_rows_and_columns() {
    let rows: Vec<usize> = (0..80).collect();
    let base = of_tenths(&[0, 1, 2], &rows);
    for (columns, rows) in [([2, 0, 1], rows.clone()), ([1, 2, 0], rows.clone()), ([0, 1, 2], rows.iter().rev().copied().collect())] {
        let other = of_tenths(&columns, &rows);
        assert!(base.iter().zip(&other).all(|(a, b)| (a - b).abs() <= 1e-9), "{columns:?}");
    }
}

// Weights that sum to less than k are shares: no rows that are repeated come to less. Weights that count rows stay.
#[test]
fn weights_that_sum_to_one_are_shares_and_whole_ones_are_repetitions() {
    let (x, new) = (points(64, 60, 2), points(65, 40, 2));
    let codes: Vec<usize> = (0..60).map(|i| usize::from(x[i][0] > 0.1)).collect();
    let target = Target::Classes { codes, names: ["a", "b"].map(String::from).to_vec() };
    let gram = square(&x, |a, b| rbf(1.0)(a, b));
    let found = |weights: Option<&[f64]>| {
        let fitted = fit(&knn(5.0), &gram, &target, weights).unwrap();
        let p = fitted.predict(&Query::new(&cross(&new, &x, fitted.support(), |a, b| rbf(1.0)(a, b)), everything(), &Control::default()));
        (p.unwrap().probabilities.unwrap().data().to_vec(), fitted.summary().warnings.clone())
    };
    let (plain, none) = found(None);
    assert!(none.is_empty());
    for weight in [1.0 / 60.0, 0.05] {
        let (shares, told) = found(Some(&[weight; 60]));
        assert!(plain.iter().zip(&shares).all(|(a, b)| (a - b).abs() < 1e-12), "{weight}");
        assert!(told[0].to_string().contains("weights count rows here"), "{told:?}");
    }
    let (twice, told) = found(Some(&[2.0; 60]));
    assert!(told.is_empty() && twice != plain);
}
