//! Conformal intervals, prediction sets and p-values: numbers of crepes, cases by hand, coverage, units, refusals, the model file.

use crate::made;
use mercer::compare::{Comparing, compare};
use mercer::conformal::{Conformal, ConformalBy, ConformalScore, ConformalSource, FoldSplit};
use mercer::data::{Column, Dataset, Examples, Split, Target, TargetInfo, Values};
use mercer::estimators::{EstimatorExpr, Predicted};
use mercer::learner::{CONFORMAL_FOLDS, FitStart};
use mercer::linalg::Matrix;
use mercer::report::{interval_wants, model_interval};
use mercer::{Control, KernelExpr, Learner, Model, Predictions, store};

fn column(x: &[f64]) -> Dataset {
    Dataset::new(vec![Column { name: "x".into(), values: Values::Numbers(x.to_vec()) }]).unwrap()
}

fn learner(estimator: &str) -> Learner {
    let kernel = KernelExpr::parse("rbf(length_scale=1)").unwrap();
    Learner { kernel: Some(kernel), ..Learner::new(EstimatorExpr::parse(estimator).unwrap()) }
}

fn fitted(learner: &Learner, data: &Dataset, target: &Target, weights: Option<&[f64]>) -> Model {
    let examples = Examples { data, target, weights, split: &Split::Rows };
    // Nothing is searched: the starting values do.
    let mut start = FitStart::default();
    start.is_plain = true;
    learner.fit_from(&start, &examples, &TargetInfo::of(target), &Control::default()).unwrap().model
}

fn scored(estimator: &str, data: &Dataset, target: &Target, split: &Split) -> mercer::Result<Model> {
    let learner = learner(estimator);
    let model = fitted(&learner, data, target, None);
    let examples = Examples { data, target, weights: None, split };
    learner.conformalise(&model, &examples, ConformalBy::All, CONFORMAL_FOLDS, &Control::default())
}

fn ends(model: &Model, data: &Dataset, level: f64) -> (Vec<f64>, Vec<f64>) {
    let found = model.predict(data, interval_wants(model), &Control::default()).unwrap();
    let (low, high) = model_interval(model, &found, level, None, "interval").unwrap();
    (low.into_data(), high.into_data())
}

fn numbers(f: &[f64]) -> Predictions {
    Predictions::of(Predicted::Numbers(Matrix::column(f.to_vec())))
}

fn with_deviations(f: &[f64], s: &[f64]) -> Predictions {
    Predictions { variance: Some(Matrix::column(s.iter().map(|s| s * s).collect())), ..numbers(f) }
}

fn probabilities(p: &[[f64; 2]]) -> Predictions {
    let codes = p.iter().map(|p| usize::from(p[1] > p[0])).collect();
    let p = Matrix::new(p.len(), 2, p.concat()).unwrap();
    Predictions { probabilities: Some(p), ..Predictions::of(Predicted::Classes(codes)) }
}

fn near(found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len());
    for (a, b) in found.iter().zip(expected) {
        assert!(a == b || (a - b).abs() <= tolerance, "{a} and not {b}");
    }
}

fn of(predictions: &Predictions, target: &Target, weights: Option<&[f64]>, by: ConformalBy<'_>) -> mercer::Result<Conformal> {
    let rows: Vec<usize> = (0..target.rows()).collect();
    Conformal::of(&[(&rows, predictions)], target, weights, ConformalSource::Table, by)
}

const RESIDUALS: [f64; 12] = [0.3, -1.2, 0.7, 2.5, -0.1, 0.9, -1.7, 0.4, 1.1, -0.6, 0.2, 3.1];
const SIGMAS: [f64; 12] = [0.5, 1.0, 0.8, 1.5, 0.2, 0.9, 1.1, 0.7, 1.3, 0.6, 0.4, 2.0];

// crepes 0.9.1: ConformalRegressor().fit(RESIDUALS).predict_int([0, 1, -2], confidence=level).
#[test]
fn intervals_are_those_of_crepes() {
    let conformal = of(&numbers(&[0.0; 12]), &Target::numbers(&RESIDUALS), None, ConformalBy::All).unwrap();
    assert_eq!(conformal.score, ConformalScore::Residual);
    let infinite = f64::INFINITY;
    for (level, low, high) in [
        (0.5, [-0.9, 0.1, -2.9], [0.9, 1.9, -1.1]),
        (0.8, [-2.5, -1.5, -4.5], [2.5, 3.5, 0.5]),
        (0.9, [-3.1, -2.1, -5.1], [3.1, 4.1, 1.1]),
        (0.95, [-infinite; 3], [infinite; 3]),
    ] {
        let (below, above) = conformal.interval(&numbers(&[0.0, 1.0, -2.0]), level, None).unwrap();
        near(below.data(), &low, 1e-14);
        near(above.data(), &high, 1e-14);
    }
}

// crepes 0.9.1: ConformalRegressor().fit(RESIDUALS, sigmas=SIGMAS).predict_int([0, 1, -2], sigmas=[1, 0.5, 2], confidence=level).
#[test]
fn intervals_scaled_by_a_deviation_are_those_of_crepes() {
    let conformal = of(&with_deviations(&[0.0; 12], &SIGMAS), &Target::numbers(&RESIDUALS), None, ConformalBy::All).unwrap();
    assert_eq!(conformal.score, ConformalScore::ScaledResidual);
    let new = with_deviations(&[0.0, 1.0, -2.0], &[1.0, 0.5, 2.0]);
    for (level, low, high) in [
        (0.5, [-1.0, 0.5, -4.0], [1.0, 1.5, 0.0]),
        (0.8, [-1.55, 0.225, -5.1], [1.55, 1.775, 1.1]),
        (0.9, [-5.0 / 3.0, 1.0 / 6.0, -16.0 / 3.0], [5.0 / 3.0, 11.0 / 6.0, 4.0 / 3.0]),
    ] {
        let (below, above) = conformal.interval(&new, level, None).unwrap();
        near(below.data(), &low, 1e-13);
        near(above.data(), &high, 1e-13);
    }
    // A predicted deviation of 0: a point, and unbounded where the rows are too few.
    let sure = with_deviations(&[4.0], &[0.0]);
    assert_eq!(conformal.interval(&sure, 0.9, None).unwrap().0[(0, 0)], 4.0);
    assert_eq!(conformal.interval(&sure, 0.99, None).unwrap().0[(0, 0)], f64::NEG_INFINITY);
    // Without a deviation new rows have no scale.
    assert!(conformal.interval(&numbers(&[0.0]), 0.9, None).unwrap_err().to_string().contains("variance"));
}

const SCORES: [f64; 10] = [0.1, 0.4, 0.25, 0.8, 0.05, 0.33, 0.6, 0.15, 0.2, 0.5];

fn of_classes(by: ConformalBy<'_>) -> Conformal {
    // The true class is the first in every second row.
    let truth = |i: usize| i % 2;
    let p: Vec<[f64; 2]> =
        (0..10).map(|i| if truth(i) == 0 { [1.0 - SCORES[i], SCORES[i]] } else { [SCORES[i], 1.0 - SCORES[i]] }).collect();
    let target = Target::Classes { codes: (0..10).map(truth).collect(), names: vec!["no".into(), "yes".into()] };
    of(&probabilities(&p), &target, None, by).unwrap()
}

// crepes 0.9.1: ConformalClassifier().fit(SCORES), predict_p and predict_set of the scores [[.3, .7], [.05, .95], [.5, .5]] with
// smoothing=False.
#[test]
fn p_values_and_sets_are_those_of_crepes() {
    let conformal = of_classes(ConformalBy::All);
    assert_eq!(conformal.score, ConformalScore::Probability);
    let new = probabilities(&[[0.7, 0.3], [0.95, 0.05], [0.5, 0.5]]);
    let p = conformal.class_p_values(&new, 2, None).unwrap();
    near(p.data(), &[6.0 / 11.0, 2.0 / 11.0, 1.0, 1.0 / 11.0, 4.0 / 11.0, 4.0 / 11.0], 1e-15);
    for (level, sets) in [
        (0.5, [[true, false], [true, false], [false, false]]),
        (0.8, [[true, false], [true, false], [true, true]]),
        (0.9, [[true, true], [true, false], [true, true]]),
    ] {
        assert_eq!(conformal.sets(&new, 2, level, None).unwrap(), sets.map(Vec::from), "{level}");
    }
}

// crepes 0.9.1: the same with bins a for the first five scores and b for the others, new rows of a, b and a.
#[test]
fn p_values_by_group_are_those_of_crepes() {
    let labels: Vec<String> = (0..10).map(|i| if i < 5 { "a" } else { "b" }.to_owned()).collect();
    let conformal = of_classes(ConformalBy::Groups { column: "site", labels: &labels });
    let new = probabilities(&[[0.7, 0.3], [0.95, 0.05], [0.5, 0.5]]);
    let groups = ["a", "b", "a"].map(String::from);
    let p = conformal.class_p_values(&new, 2, Some(&groups)).unwrap();
    near(p.data(), &[0.5, 1.0 / 3.0, 1.0, 1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0], 1e-15);
    assert!(conformal.class_p_values(&new, 2, None).unwrap_err().to_string().contains("'site'"));
    let unknown = ["a", "c", "a"].map(String::from);
    assert!(conformal.sets(&new, 2, 0.9, Some(&unknown)).unwrap_err().to_string().contains("row 2: 'site' is 'c'"));
}

// By hand: the first class has the scores .05, .1, .2, .25, .6 and the second .15, .33, .4, .5, .8.
#[test]
fn by_class_each_class_has_a_quantile_of_its_own() {
    let conformal = of_classes(ConformalBy::Class);
    near(&conformal.quantiles(0.5, 0).unwrap(), &[0.2, 0.4], 1e-15);
    let new = probabilities(&[[0.79, 0.21], [0.35, 0.65]]);
    assert_eq!(conformal.sets(&new, 2, 0.5, None).unwrap(), [[false, false], [false, true]]);
    assert!(conformal.too_few(0.9).unwrap().unwrap().contains("always hold 'no' (5 rows), 'yes' (5 rows)"));
}

#[test]
fn a_class_without_a_row_is_in_every_set_by_class_and_one_class_alone_is_no_error() {
    let target = Target::Classes { codes: vec![0; 19], names: vec!["no".into(), "yes".into()] };
    let p = vec![[0.9, 0.1]; 19];
    let conformal = of(&probabilities(&p), &target, None, ConformalBy::Class).unwrap();
    assert_eq!(conformal.sets(&probabilities(&[[1.0, 0.0]]), 2, 0.9, None).unwrap(), [[true, true]]);
    assert!(conformal.too_few(0.9).unwrap().unwrap().contains("always hold 'yes' (0 rows)"));
    let all = of(&probabilities(&p), &target, None, ConformalBy::All).unwrap();
    assert_eq!(all.sets(&probabilities(&[[1.0, 0.0]]), 2, 0.9, None).unwrap(), [[true, false]]);
}

#[test]
fn five_rows_are_too_few_for_nine_in_ten_and_say_so() {
    let data = column(&[0.0, 1.0, 2.0, 3.0, 4.0]);
    let model = scored("ridge(lambda=1)", &data, &Target::numbers(&[0.0, 1.0, 1.5, 3.5, 4.0]), &Split::Rows).unwrap();
    let (low, high) = ends(&model, &data, 0.9);
    assert!(low.iter().all(|v| *v == f64::NEG_INFINITY) && high.iter().all(|v| *v == f64::INFINITY));
    let said = model.conformal.as_ref().unwrap().too_few(0.9).unwrap().unwrap();
    assert!(said.contains("90% intervals are unbounded") && said.contains("5 rows, and 9 are needed"), "{said}");
    assert!(ends(&model, &data, 0.8).0.iter().all(|v| v.is_finite()));
}

#[test]
fn constant_residuals_are_the_half_width() {
    let conformal = of(&numbers(&[1.0; 9]), &Target::numbers(&[3.0; 9]), None, ConformalBy::All).unwrap();
    let (low, high) = conformal.interval(&numbers(&[10.0]), 0.9, None).unwrap();
    assert_eq!((low[(0, 0)], high[(0, 0)]), (8.0, 12.0));
    let exact = of(&numbers(&[3.0; 9]), &Target::numbers(&[3.0; 9]), None, ConformalBy::All).unwrap();
    assert_eq!(exact.quantiles(0.9, 0).unwrap(), [0.0]);
    // 5 and 12 differ from 10 by more than any residual; 12 by as much as all.
    let p = conformal.number_p_values(&numbers(&[10.0, 10.0]), &Matrix::column(vec![12.0, 5.0]), None).unwrap();
    near(p.data(), &[1.0, 0.1], 1e-15);
}

#[test]
fn a_weight_of_two_is_two_rows() {
    let (y, w) = ([1.0, -4.0, 2.0, 3.0], [2.0, 1.0, 3.0, 4.0]);
    let repeated: Vec<f64> = y.iter().zip(w).flat_map(|(y, w)| std::iter::repeat_n(*y, w as usize)).collect();
    let weighted = of(&numbers(&[0.0; 4]), &Target::numbers(&y), Some(&w), ConformalBy::All).unwrap();
    let copies = of(&numbers(&[0.0; 10]), &Target::numbers(&repeated), None, ConformalBy::All).unwrap();
    for level in [0.1, 0.25, 0.5, 0.8, 0.9, 0.95] {
        assert_eq!(weighted.quantiles(level, 0).unwrap(), copies.quantiles(level, 0).unwrap(), "{level}");
    }
}

/// A share of `n` rows that is this probability but for four standard deviations, those of so many scores included.
fn is_covered(share: f64, level: f64, scores: usize, n: usize) -> bool {
    let deviation = (level * (1.0 - level) * (1.0 / scores as f64 + 1.0 / n as f64)).sqrt();
    (share - level).abs() <= 4.0 * deviation
}

fn share_inside(model: &Model, data: &Dataset, y: &[f64], level: f64) -> f64 {
    let (low, high) = ends(model, data, level);
    let inside = (0..y.len()).filter(|&i| low[i] <= y[i] && y[i] <= high[i]).count();
    inside as f64 / y.len() as f64
}

/// sin(2 x) + e with errors of one deviation.
fn wave(set: usize, n: usize) -> (Dataset, Vec<f64>) {
    let x: Vec<f64> = (0..n).map(|i| 3.0 * made::noise(set, i, 0)).collect();
    let y = x.iter().zip(made::errors(set, n)).map(|(x, e)| 5.0 + (2.0 * x).sin() + 0.5 * e).collect();
    (column(&x), y)
}

#[test]
fn intervals_of_every_estimator_of_numbers_cover() {
    let ((data, y), (new, truth)) = (wave(1, 60), wave(2, 200));
    let target = Target::numbers(&y);
    for estimator in EstimatorExpr::all_for(&target).unwrap() {
        let name = estimator.to_string();
        // The kernel that its columns ask for: some read features, some columns.
        let learner = Learner::new(estimator.clone());
        let model = fitted(&learner, &data, &target, None);
        let examples = Examples { data: &data, target: &target, weights: None, split: &Split::Rows };
        let made = learner.conformalise(&model, &examples, ConformalBy::All, 5, &Control::default());
        let model = made.unwrap_or_else(|e| panic!("{name}: {e}"));
        let share = share_inside(&model, &new, &truth, 0.9);
        assert!(is_covered(share, 0.9, 60, 200), "{name} holds {share}");
        let conformal = model.conformal.as_ref().unwrap();
        let closed = estimator.gives().leave_one_out.is_closed_form();
        assert!(!closed || conformal.source == ConformalSource::LeaveOneOut, "{name}: {}", conformal.source);
        assert_eq!(conformal.rows(), 60);
    }
}

// Student's t of 2 degrees has no variance; noise grows with |x|.
#[test]
fn heavy_tails_and_unequal_noise_are_covered() {
    let table = |set: usize, n: usize| {
        let x: Vec<f64> = (0..n).map(|i| 2.0 * made::noise(set, i, 0)).collect();
        // The inverse of the distribution function, t = (2 u - 1) / sqrt(2 u (1 - u)).
        let t = |i: usize| {
            let u = (made::noise(set, i, 5) + 1.0) / 2.0;
            (2.0 * u - 1.0) / (2.0 * u * (1.0 - u)).sqrt()
        };
        let y: Vec<f64> = (0..n).map(|i| x[i].sin() + (0.1 + x[i].abs()) * t(i)).collect();
        (column(&x), y)
    };
    let ((data, y), (new, truth)) = (table(3, 200), table(4, 600));
    for estimator in ["ridge(lambda=1)", "knn(k=10)", "gp(noise=0.5, variance=1)"] {
        let model = scored(estimator, &data, &Target::numbers(&y), &Split::Rows).unwrap();
        for level in [0.5, 0.9] {
            let share = share_inside(&model, &new, &truth, level);
            assert!(is_covered(share, level, 200, 600), "{estimator} holds {share} at {level}");
        }
        let own = model.conformal.as_ref().unwrap().coverage(0.9).unwrap().unwrap();
        assert!((own - 0.9).abs() <= 0.01, "{own}");
    }
}

#[test]
fn groups_of_unequal_noise_are_covered_each_where_scores_are_by_group() {
    let table = |set: usize, n: usize| {
        let (data, calm) = wave(set, n);
        let x = data.columns()[0].values.clone();
        let Values::Numbers(x) = x else { panic!("numbers") };
        let labels: Vec<String> = (0..n).map(|i| if i % 2 == 0 { "calm" } else { "loud" }.to_owned()).collect();
        let y: Vec<f64> =
            (0..n).map(|i| if i % 2 == 0 { calm[i] } else { (2.0 * x[i]).sin() + 5.0 + 4.0 * made::noise(set, i, 9) }).collect();
        (data, y, labels)
    };
    let ((data, y, labels), (new, truth, groups)) = (table(5, 200), table(6, 400));
    let (learner, target) = (learner("ridge(lambda=1)"), Target::numbers(&y));
    let model = fitted(&learner, &data, &target, None);
    let examples = Examples { data: &data, target: &target, weights: None, split: &Split::Rows };
    let by = ConformalBy::Groups { column: "site", labels: &labels };
    let model = learner.conformalise(&model, &examples, by, CONFORMAL_FOLDS, &Control::default()).unwrap();
    let found = model.predict(&new, interval_wants(&model), &Control::default()).unwrap();
    let (low, high) = model_interval(&model, &found, 0.9, Some(&groups), "interval").unwrap();
    let mut widths = [0.0; 2];
    for (k, parity) in [0, 1].into_iter().enumerate() {
        let rows: Vec<usize> = (0..400).filter(|i| i % 2 == parity).collect();
        let inside = rows.iter().filter(|&&i| low[(i, 0)] <= truth[i] && truth[i] <= high[(i, 0)]).count();
        assert!(is_covered(inside as f64 / 200.0, 0.9, 100, 200), "group {k}: {inside} of 200");
        widths[k] = high[(rows[0], 0)] - low[(rows[0], 0)];
    }
    assert!(widths[1] > 2.0 * widths[0], "{widths:?}");
}

// c f + b for the target c y + b: intervals go along.
#[test]
fn a_scaled_and_shifted_target_has_scaled_and_shifted_intervals() {
    let (data, y) = wave(7, 40);
    let scaled: Vec<f64> = y.iter().map(|y| 1024.0 * y - 3000.0).collect();
    for estimator in ["ridge(lambda=1)", "knn(k=5)", "gp(noise=0.1, variance=1)", "nadaraya_watson"] {
        let of = |y: &[f64]| ends(&scored(estimator, &data, &Target::numbers(y), &Split::Rows).unwrap(), &data, 0.8);
        let ((low, high), (below, above)) = (of(&y), of(&scaled));
        let moved = |v: Vec<f64>| v.iter().map(|v| 1024.0 * v - 3000.0).collect::<Vec<_>>();
        near(&below, &moved(low), 1e-6);
        near(&above, &moved(high), 1e-6);
    }
}

// Folds of one row each refit without it: the closed form must give the same residuals.
#[test]
fn closed_forms_score_rows_as_fits_without_them_do() {
    let (data, y) = wave(8, 12);
    for estimator in ["ridge(lambda=0.5)", "knn(k=3)"] {
        let mut learner = learner(estimator);
        learner.prep.standardise = false;
        let target = Target::numbers(&y);
        let model = fitted(&learner, &data, &target, None);
        let alone = Split::Groups((0..12).collect());
        let [closed, refitted] = [&Split::Rows, &alone].map(|split| {
            let examples = Examples { data: &data, target: &target, weights: None, split };
            learner.conformalise(&model, &examples, ConformalBy::All, 12, &Control::default()).unwrap().conformal.unwrap()
        });
        assert_eq!(closed.source, ConformalSource::LeaveOneOut);
        assert_eq!(refitted.source, ConformalSource::Folds { count: 12, split: FoldSplit::Groups });
        near(closed.scores().data(), refitted.scores().data(), 1e-9);
    }
}

#[test]
fn folds_in_order_of_time_score_the_later_rows() {
    let (data, y) = wave(9, 40);
    let model = scored("svr(c=1)", &data, &Target::numbers(&y), &Split::Time((0..40).map(f64::from).collect())).unwrap();
    let conformal = model.conformal.unwrap();
    assert_eq!(conformal.source, ConformalSource::Folds { count: CONFORMAL_FOLDS, split: FoldSplit::Time });
    assert!(conformal.rows() >= 30 && conformal.rows() < 40, "{}", conformal.rows());
}

#[test]
fn a_comparison_leaves_the_scores_of_its_held_out_rows_in_its_models() {
    let (data, y) = wave(10, 50);
    let target = Target::numbers(&y);
    let estimators = EstimatorExpr::parse_list("ridge(lambda=1), svr(c=1)").unwrap();
    let comparing = Comparing { kernel: Some(KernelExpr::parse("rbf(length_scale=1)").unwrap()), ..Comparing::new(estimators) };
    let info = TargetInfo::of(&target);
    let outcome = compare(&data, &target, &info, None, &Split::Rows, &comparing, &Control::default()).unwrap();
    for row in &outcome.rows {
        let (model, held_out) = (row.model.as_ref().unwrap(), row.out_of_fold.as_ref().unwrap());
        let conformal = model.conformal.as_ref().unwrap();
        assert_eq!(conformal.source, ConformalSource::Folds { count: 5, split: FoldSplit::Rows });
        let residuals: Vec<f64> =
            held_out.rows.iter().zip(held_out.predictions.numbers().unwrap()).map(|(&i, f)| (y[i] - f).abs()).collect();
        assert_eq!(conformal.scores().data(), residuals);
    }
}

#[test]
fn sets_of_classes_cover_by_probabilities_and_by_decision_values() {
    let table = |set: usize, n: usize| {
        let x: Vec<f64> = (0..n).map(|i| 3.0 * made::noise(set, i, 0)).collect();
        let label = |i: usize| ["a", "b", "c"][(x[i] + 1.5 * made::noise(set, i, 3) + 3.0).clamp(0.0, 5.9) as usize / 2];
        let codes: Vec<usize> = (0..n).map(|i| ["a", "b", "c"].iter().position(|c| *c == label(i)).unwrap()).collect();
        (column(&x), codes)
    };
    let ((data, codes), (new, truth)) = (table(11, 120), table(12, 300));
    let target = Target::Classes { codes, names: ["a", "b", "c"].map(String::from).to_vec() };
    for (estimator, score) in [
        ("ridge(lambda=1)", ConformalScore::DecisionValue),
        ("svc(c=1)", ConformalScore::DecisionValue),
        ("knn(k=7)", ConformalScore::Probability),
    ] {
        let model = scored(estimator, &data, &target, &Split::Rows).unwrap();
        let conformal = model.conformal.as_ref().unwrap();
        assert_eq!(conformal.score, score, "{estimator}");
        let found = model.predict(&new, conformal.want(), &Control::default()).unwrap();
        let sets = conformal.sets(&found, 3, 0.9, None).unwrap();
        let held = truth.iter().zip(&sets).filter(|(c, set)| set[**c]).count() as f64 / 300.0;
        assert!(held >= 0.9 - 4.0 * (0.09f64 * (1.0 / 120.0 + 1.0 / 300.0)).sqrt(), "{estimator} holds {held}");
        // A class is in the set exactly where its p-value exceeds 1 - level.
        let p = conformal.class_p_values(&found, 3, None).unwrap();
        for (i, set) in sets.iter().enumerate() {
            assert!((0..3).all(|c| set[c] == (p[(i, c)] > 0.1 + 1e-12)), "{estimator}, row {i}: {set:?}");
        }
    }
}

#[test]
fn intervals_of_a_transformed_target_are_the_inverse_of_those_of_the_transformed_one() {
    let (data, log) = wave(13, 40);
    let y: Vec<f64> = log.iter().map(|v| v.exp()).collect();
    let plain = scored("ridge(lambda=1)", &data, &Target::numbers(&log), &Split::Rows).unwrap();
    let model = scored("log_target(ridge(lambda=1))", &data, &Target::numbers(&y), &Split::Rows).unwrap();
    let ((low, high), (below, above)) = (ends(&plain, &data, 0.8), ends(&model, &data, 0.8));
    for i in 0..40 {
        assert!((below[i] / low[i].exp() - 1.0).abs() <= 1e-9 && (above[i] / high[i].exp() - 1.0).abs() <= 1e-9);
    }
    // Unbounded intervals keep to the values that the target can have.
    let (least, most) = ends(&model, &data, 0.99);
    assert!(least.iter().all(|v| *v == 0.0) && most.iter().all(|v| *v == f64::INFINITY));
}

#[test]
fn scores_are_stored_in_the_model_file_and_cheap_ones_without_being_asked_for() {
    let (data, y) = wave(14, 30);
    let target = Target::numbers(&y);
    let examples = Examples { data: &data, target: &target, weights: None, split: &Split::Rows };
    for (estimator, stored) in [("ridge(lambda=1)", true), ("knn(k=3)", true), ("svr(c=1)", false), ("gp(noise=0.1, variance=1)", false)] {
        let learner = learner(estimator);
        let model = learner.conformalise_cheaply(fitted(&learner, &data, &target, None), &examples, &Control::default());
        assert_eq!(model.conformal.is_some(), stored, "{estimator}");
        let again = store::from_bytes(&store::to_bytes(&model).unwrap(), "m").unwrap();
        assert_eq!(again, model);
        if stored {
            assert_eq!(ends(&again, &data, 0.9), ends(&model, &data, 0.9));
        }
    }
}

#[test]
fn rows_of_another_table_give_split_conformal_scores() {
    let ((data, y), (more, of_more), (new, truth)) = (wave(15, 40), wave(16, 100), wave(17, 300));
    let model = fitted(&learner("svr(c=1)"), &data, &Target::numbers(&y), None);
    let target = Target::numbers(&of_more);
    let weights: Vec<f64> = (0..100).map(|i| f64::from(u8::from(i >= 10))).collect();
    let examples = Examples { data: &more, target: &target, weights: Some(&weights), split: &Split::Rows };
    let model = model.conformalised_on(&examples, ConformalBy::All, &Control::default()).unwrap();
    let conformal = model.conformal.as_ref().unwrap();
    assert_eq!((conformal.source, conformal.rows()), (ConformalSource::Table, 90));
    assert!(is_covered(share_inside(&model, &new, &truth, 0.9), 0.9, 90, 300));
}

#[test]
fn what_cannot_be_is_refused_by_name() {
    let (data, y) = wave(18, 20);
    let target = Target::numbers(&y);
    let model = fitted(&learner("svr(c=1)"), &data, &target, None);
    let found = model.predict(&data, interval_wants(&model), &Control::default()).unwrap();
    let refused = |level: f64| model_interval(&model, &found, level, None, "--interval").unwrap_err().to_string();
    assert!(refused(0.9).contains("--interval") && refused(0.9).contains("no conformity scores"), "{}", refused(0.9));
    let scored = scored("ridge(lambda=1)", &data, &target, &Split::Rows).unwrap();
    let conformal = scored.conformal.as_ref().unwrap();
    for level in [0.0, 1.0, -0.5, f64::NAN] {
        assert!(conformal.interval(&found, level, None).is_err(), "{level}");
    }
    let groups = vec!["a".to_owned(); 20];
    assert!(conformal.interval(&found, 0.9, Some(&groups)).unwrap_err().to_string().contains("no conformity scores by group"));
    assert!(conformal.sets(&found, 2, 0.9, None).unwrap_err().to_string().contains("ask for an interval"));
    assert!(of_classes(ConformalBy::All).interval(&found, 0.9, None).unwrap_err().to_string().contains("prediction set"));
    let by_class = of(&numbers(&[0.0; 20]), &target, None, ConformalBy::Class).unwrap_err().to_string();
    assert!(by_class.contains("the target holds numbers"), "{by_class}");
    let none = of(&numbers(&[f64::NAN; 20]), &target, None, ConformalBy::All).unwrap_err().to_string();
    assert!(none.contains("row 1: its held-out prediction is not finite"), "{none}");
    let learner = learner("kernel_pca(components=1)");
    let absent = Target::Absent { rows: 20 };
    let model = fitted(&learner, &data, &absent, None);
    let examples = Examples { data: &data, target: &absent, weights: None, split: &Split::Rows };
    let none = learner.conformalise(&model, &examples, ConformalBy::All, 5, &Control::default()).unwrap_err().to_string();
    assert!(none.contains("kernel_pca gives components"), "{none}");
}
