//! Values against scikit-learn 1.9.1, scipy and formulas worked by hand.

use super::*;
use crate::estimators::{TargetTransform, Transformed};
use crate::linalg::Matrix;

const WEIGHTS: [f64; 10] = [1.0, 2.0, 1.0, 0.5, 1.0, 3.0, 1.0, 1.0, 0.5, 2.0];

fn classes(names: &[&str], codes: &[usize]) -> Target {
    Target::Classes { codes: codes.to_vec(), names: names.iter().map(|s| (*s).to_owned()).collect() }
}

/// Two classes with the probability of the second.
fn two() -> (Predictions, Target) {
    let p = [0.1, 0.4, 0.35, 0.2, 0.8, 0.65, 0.05, 0.45, 0.4, 0.9];
    let mut out = Predictions::of(Predicted::Classes(p.iter().map(|p| usize::from(*p > 0.5)).collect()));
    out.probabilities = Some(Matrix::from_fn(10, 2, |i, k| if k == 1 { p[i] } else { 1.0 - p[i] }));
    (out, classes(&["no", "yes"], &[0, 0, 0, 0, 1, 0, 0, 1, 0, 1]))
}

fn three() -> (Predictions, Target) {
    #[rustfmt::skip]
    let p = vec![
        0.6, 0.3, 0.1,  0.2, 0.5, 0.3,  0.1, 0.2, 0.7,  0.3, 0.4, 0.3,  0.1, 0.8, 0.1,
        0.2, 0.5, 0.3,  0.3, 0.4, 0.3,  0.05, 0.05, 0.9,  0.5, 0.25, 0.25,  0.15, 0.35, 0.5,
    ];
    let mut out = Predictions::of(Predicted::Classes(vec![0, 1, 2, 1, 1, 1, 1, 2, 0, 2]));
    out.probabilities = Matrix::new(10, 3, p).ok();
    (out, classes(&["a", "b", "c"], &[0, 1, 2, 2, 1, 0, 1, 2, 0, 1]))
}

fn numbers() -> (Vec<f64>, Vec<f64>) {
    let y = vec![1.5, -2.0, 3.0, 7.25, 0.0, 4.5, 11.0, 2.0, -1.0, 6.0];
    (y, vec![1.0, -1.0, 3.5, 6.0, 1.0, 4.25, 8.0, 2.5, -3.0, 6.125])
}

fn check(predictions: &Predictions, truth: &Target, weights: Option<&[f64]>, expected: &[(Metric, f64)]) {
    let found = score(predictions, truth, weights);
    for (metric, value) in expected {
        let got = found.iter().find(|(m, _)| m == metric).map(|(_, v)| *v);
        assert!(got.is_some_and(|v| (v - value).abs() <= 1e-14), "{metric:?}: {got:?}, expected {value}");
    }
}

#[test]
fn metrics_of_two_classes_are_those_of_scikit_learn() {
    use Metric::*;
    let (p, truth) = two();
    // scikit-learn 1.9.1: accuracy_score, balanced_accuracy_score, f1_score, roc_auc_score, average_precision_score, log_loss,
    // brier_score_loss.
    let plain = [
        (Accuracy, 0.8),
        (BalancedAccuracy, 0.7619047619047619),
        (F1, 0.6666666666666666),
        (Auc, 0.9523809523809523),
        (AveragePrecision, 0.9166666666666665),
        (LogLoss, 0.4009065412672507),
        (Brier, 0.12700000000000003),
    ];
    check(&p, &truth, None, &plain);
    let weighted = [
        (Accuracy, 0.6923076923076923),
        (BalancedAccuracy, 0.7083333333333333),
        (F1, 0.6),
        (Auc, 0.9166666666666667),
        (AveragePrecision, 0.8928571428571428),
        (LogLoss, 0.48907009335027535),
        (Brier, 0.16807692307692312),
    ];
    check(&p, &truth, Some(&WEIGHTS), &weighted);
}

#[test]
fn metrics_of_three_classes_are_those_of_scikit_learn() {
    use Metric::*;
    let (p, truth) = three();
    // scikit-learn 1.9.1: f1_score(average="macro"), roc_auc_score(multi_class="ovr"), average_precision_score(average="macro"), brier_score_loss.
    let plain = [
        (Accuracy, 0.7),
        (BalancedAccuracy, 0.6944444444444443),
        (F1, 0.7111111111111111),
        (Auc, 0.8650793650793651),
        (AveragePrecision, 0.7920634920634919),
        (LogLoss, 0.7361822568929519),
        (Brier, 0.41850000000000004),
    ];
    check(&p, &truth, None, &plain);
    let weighted = [
        (Accuracy, 0.5769230769230769),
        (BalancedAccuracy, 0.6),
        (F1, 0.5693257359924027),
        (Auc, 0.797735760971055),
        (AveragePrecision, 0.7295669729880258),
        (LogLoss, 0.8750082851087231),
        (Brier, 0.5125000000000001),
    ];
    check(&p, &truth, Some(&WEIGHTS), &weighted);
}

#[test]
fn decision_values_of_pairs_rank_the_rows_by_votes() {
    #[rustfmt::skip]
    let pairs = vec![
        -1.2, -0.8, 0.1,  0.5, -0.3, -0.6,  0.2, 0.9, 1.1,  -0.1, 0.4, 0.7,  1.0, 0.3, -0.2,
        -0.4, 0.6, 0.2,  0.8, -0.5, -1.0,  0.3, 1.5, 0.9,  -0.9, -0.2, 0.5,  0.1, 0.2, -0.3,
    ];
    let mut p = Predictions::of(Predicted::Classes(vec![0, 1, 2, 2, 1, 2, 1, 2, 0, 1]));
    (p.scores, p.pairs) = (Matrix::new(10, 3, pairs).ok(), vec![(0, 1), (0, 2), (1, 2)]);
    let truth = classes(&["a", "b", "c"], &[0, 1, 2, 2, 1, 0, 1, 2, 0, 1]);
    // scikit-learn 1.9.1: mean of roc_auc_score of each class against the rest, by _ovr_decision_function.
    check(&p, &truth, None, &[(Metric::Auc, 0.9920634920634921)]);
    check(&p, &truth, Some(&WEIGHTS), &[(Metric::Auc, 0.9738562091503268)]);
}

#[test]
fn metrics_of_numbers_are_those_of_scikit_learn() {
    use Metric::*;
    let (y, f) = numbers();
    let (truth, p) = (Target::numbers(&y), Predictions::of(Predicted::Numbers(Matrix::column(f.clone()))));
    // scikit-learn 1.9.1: root_mean_squared_error, mean_absolute_error, median_absolute_error, r2_score.
    check(&p, &truth, None, &[(Rmse, 1.3187351894902934), (Mae, 1.0125), (MedianAbsoluteError, 0.75), (R2, 0.8809320039368393)]);
    let weighted = [(Rmse, 1.1006990785580142), (Mae, 0.7788461538461539), (MedianAbsoluteError, 0.5), (R2, 0.9058465119955165)];
    check(&p, &truth, Some(&WEIGHTS), &weighted);
    // Two targets count alike: the second holds the squares of the first, backwards.
    let both = |v: &[f64]| Matrix::from_fn(10, 2, |i, o| if o == 0 { v[i] } else { v[9 - i].powi(2) });
    let (truth, p) = (Target::Numbers(both(&y)), Predictions::of(Predicted::Numbers(both(&f))));
    check(&p, &truth, Some(&WEIGHTS), &[(R2, 0.8398001259219492), (Mae, 3.3611778846153846), (Rmse, 6.844652032622041)]);
    check(&p, &truth, None, &[(MedianAbsoluteError, 1.6875), (Rmse, 10.174600358110194)]);
}

#[test]
fn a_weight_of_two_counts_as_two_rows_in_every_metric() {
    let rows = [0, 1, 2, 3, 4, 4, 5, 6, 7, 7, 8, 9];
    let weights: Vec<f64> = (0..10).map(|i| if i == 4 || i == 7 { 2.0 } else { 1.0 }).collect();
    let repeated = |p: &Predictions| Predictions {
        values: match &p.values {
            Predicted::Classes(c) => Predicted::Classes(rows.iter().map(|&i| c[i]).collect()),
            Predicted::Numbers(m) => Predicted::Numbers(m.select_rows(&rows)),
        },
        probabilities: p.probabilities.as_ref().map(|m| m.select_rows(&rows)),
        variance: p.variance.as_ref().map(|m| m.select_rows(&rows)),
        ..p.clone()
    };
    let (y, f) = numbers();
    let mut p = Predictions::of(Predicted::Numbers(Matrix::column(f)));
    (p.variance, p.noise) = (Some(Matrix::column(vec![0.4; 10])), Some(vec![0.1]));
    for (p, truth) in [two(), three(), (p, Target::numbers(&y))] {
        let weighted = score(&p, &truth, Some(&weights));
        let plain = score(&repeated(&p), &truth.select(&rows), None);
        for ((metric, a), (_, b)) in weighted.iter().zip(&plain) {
            assert!((a - b).abs() <= 1e-14, "{metric:?}: {a} and {b}");
        }
        assert_eq!(weighted.len(), if truth.as_numbers("").is_ok() { 6 } else { 8 });
    }
}

#[test]
fn the_calibration_error_is_the_gap_of_each_bin_by_its_weight() {
    // Stated 0.9, 0.6, 0.6, 0.75 of the predicted class, right in rows 1, 2 and 4: bins of one, two and one row, so that
    // (|1 - 0.9| + |1 - 1.2| + |1 - 0.75|) / 4 = 0.55 / 4; with the second row at weight 3 the bin of 0.6 has 4 of 6 rows,
    // 3 of them right: (0.1 + |3 - 2.4| + 0.25) / 6.
    let truth = classes(&["a", "b"], &[0, 0, 0, 1]);
    let mut p = Predictions::of(Predicted::Classes(vec![0, 0, 1, 1]));
    p.probabilities = Matrix::new(4, 2, vec![0.9, 0.1, 0.6, 0.4, 0.4, 0.6, 0.25, 0.75]).ok();
    check(&p, &truth, None, &[(Metric::CalibrationError, 0.55 / 4.0)]);
    check(&p, &truth, Some(&[1.0, 3.0, 1.0, 1.0]), &[(Metric::CalibrationError, 0.95 / 6.0)]);
}

#[test]
fn predicted_distributions_are_judged_with_their_noise() {
    let truth = Target::numbers(&[1.0, 2.0, 3.0, 6.0]);
    let mut p = Predictions::of(Predicted::Numbers(Matrix::column(vec![1.0, 3.0, 3.0, 3.5])));
    assert!(score(&p, &truth, None).iter().all(|(m, _)| *m != Metric::Nlpd && *m != Metric::Coverage));
    p.variance = Some(Matrix::column(vec![0.5; 4]));
    p.noise = Some(vec![0.5]);
    // Standard deviation 1: the errors 0, 1 and 0 lie within 1.96, and 2.5 does not.
    let nlpd = 0.5 * ((2.0 * std::f64::consts::PI).ln() + 7.25 / 4.0);
    check(&p, &truth, None, &[(Metric::Nlpd, nlpd), (Metric::Coverage, 0.75)]);
    // Variances that hold the noise already give the same.
    (p.variance, p.noise) = (Some(Matrix::column(vec![1.0; 4])), None);
    check(&p, &truth, None, &[(Metric::Nlpd, nlpd), (Metric::Coverage, 0.75)]);
}

#[test]
fn distributions_of_a_transformed_target_are_judged_in_its_unit() {
    // The mean of -scipy.stats.lognorm.logpdf(y, s=0.5, scale=exp(z)); in deviations y lies at 0.79, -0.59 and 0.40.
    let of = |transform, values: Vec<f64>| Predictions {
        variance: Some(Matrix::column(vec![0.15; 3])),
        noise: Some(vec![0.1]),
        transformed: Some(Transformed { transform, values: Matrix::column(values) }),
        ..Predictions::of(Predicted::Numbers(Matrix::column(vec![1.0; 3])))
    };
    let log = of(TargetTransform::Log { shift: 0.0 }, vec![0.3, -0.4, 0.9]);
    check(&log, &Target::numbers(&[2.0, 0.5, 3.0]), None, &[(Metric::Nlpd, 0.7786266597090733), (Metric::Coverage, 1.0)]);
    check(&log, &Target::numbers(&[20.0, 0.5, 3.0]), None, &[(Metric::Coverage, 2.0 / 3.0)]);
    // A power has no density at 0, where the interval of numbers below it ends.
    let root = of(TargetTransform::Power { power: 0.5 }, vec![-3.0, 0.1, 2.0]);
    let found = score(&root, &Target::numbers(&[0.0, 0.0, 4.0]), None);
    let value = |metric| found.iter().find(|(m, _)| *m == metric).unwrap().1;
    assert!(value(Metric::Nlpd).is_nan() && value(Metric::Coverage) == 1.0, "{found:?}");
}

#[test]
fn decision_values_rank_rows_where_there_are_no_probabilities() {
    let (mut p, truth) = two();
    let Some(probabilities) = p.probabilities.take() else { panic!("two classes with probabilities") };
    assert!(score(&p, &truth, None).iter().all(|(m, _)| *m != Metric::Auc));
    // Any rising function of the probability ranks alike.
    p.scores = Some(Matrix::from_fn(10, 1, |i, _| 40.0 * (probabilities[(i, 1)] - 0.5)));
    check(&p, &truth, None, &[(Metric::Auc, 0.9523809523809523)]);
    let (mut p, truth) = three();
    p.scores = p.probabilities.take();
    check(&p, &truth, Some(&WEIGHTS), &[(Metric::Auc, 0.797735760971055)]);
}

#[test]
fn what_the_rows_do_not_define_is_nan_and_what_is_no_number_is_infinite() {
    let value = |p: &Predictions, truth: &Target, metric| score(p, truth, None).into_iter().find(|(m, _)| *m == metric).map(|(_, v)| v);
    let p = Predictions::of(Predicted::Numbers(Matrix::column(vec![0.1, 0.2, 0.1])));
    let constant = Target::numbers(&[0.1; 3]);
    assert!(value(&p, &constant, Metric::R2).is_some_and(f64::is_nan));
    assert!(value(&p, &constant, Metric::Rmse).is_some_and(f64::is_finite));
    let broken = Predictions::of(Predicted::Numbers(Matrix::column(vec![0.1, f64::NAN, 0.1])));
    let truth = Target::numbers(&[1.0, 2.0, 3.0]);
    for (metric, worst) in [(Metric::Rmse, f64::INFINITY), (Metric::MedianAbsoluteError, f64::INFINITY), (Metric::R2, f64::NEG_INFINITY)] {
        assert_eq!(value(&broken, &truth, metric), Some(worst));
    }
    let (mut p, _) = two();
    let one = classes(&["no", "yes"], &[0; 10]);
    assert!(value(&p, &one, Metric::Auc).is_some_and(f64::is_nan));
    p.probabilities = Some(Matrix::from_fn(10, 2, |_, _| f64::NAN));
    let (_, truth) = two();
    for metric in [Metric::LogLoss, Metric::Brier, Metric::CalibrationError] {
        assert_eq!(value(&p, &truth, metric), Some(f64::INFINITY), "{metric:?}");
    }
    assert_eq!(value(&p, &truth, Metric::Auc), Some(f64::NEG_INFINITY));
}

#[test]
fn the_deciding_metric_stands_first_and_each_stands_once() {
    let (p, truth) = three();
    for &deciding in Metric::ALL.iter().filter(|m| m.of_classes()) {
        let scored = score_by(&p, &truth, None, deciding);
        assert_eq!(scored[0].0, deciding);
        let mut metrics: Vec<Metric> = scored.iter().map(|(m, _)| *m).collect();
        metrics.sort_unstable();
        metrics.dedup();
        assert_eq!(metrics.len(), if deciding.is_listed() { 8 } else { 9 });
        let scoring = Scoring::of(&truth, None, Some(deciding)).unwrap();
        assert_eq!(scoring.decide(&p, &truth, None), scored[0].1);
    }
    // What cannot be known is first all the same, and no number.
    let bare = Predictions::of(p.values);
    let scored = score_by(&bare, &truth, None, Metric::LogLoss);
    assert!(scored[0].0 == Metric::LogLoss && scored[0].1.is_nan());
}

#[test]
fn f1_is_of_the_class_that_is_rarer_in_the_whole_table() {
    let whole = classes(&["no", "yes"], &[0, 1, 1, 1, 1]);
    let scoring = Scoring::of(&whole, None, None).unwrap();
    assert_eq!(scoring.positive, Some(0));
    // In this fold the class "yes" is the rarer one: of "no" two are found and one is missed.
    let p = Predictions::of(Predicted::Classes(vec![0, 0, 1, 1]));
    let fold = classes(&["no", "yes"], &[0, 0, 0, 1]);
    let f1 = scoring.score(&p, &fold, None).into_iter().find(|(m, _)| *m == Metric::F1).map(|(_, v)| v);
    assert_eq!(f1, Some(0.8));
    assert_eq!(Scoring::of(&whole, Some(&[9.0, 1.0, 1.0, 1.0, 1.0]), None).unwrap().positive, Some(1));
}

#[test]
fn f1_is_of_the_label_1_or_true_and_macro_f1_is_the_mean_over_both_classes() {
    // scikit-learn 1.9.1: f1_score([0, 1, 1, 1, 1], [0, 0, 1, 1, 1]).
    let found = Predictions::of(Predicted::Classes(vec![0, 0, 1, 1, 1]));
    for names in [["0", "1"], ["false", "true"], ["-1", "1"]] {
        check(&found, &classes(&names, &[0, 1, 1, 1, 1]), None, &[(Metric::F1, 0.8571428571428571)]);
    }
    // scikit-learn 1.9.1: f1_score(average="macro").
    let (p, truth) = two();
    for (weights, expected) in [(None, 0.7619047619047619), (Some(&WEIGHTS[..]), 0.675)] {
        let scoring = Scoring::of(&truth, weights, Some(Metric::F1Macro)).unwrap();
        assert!((scoring.decide(&p, &truth, weights) - expected).abs() <= 1e-14);
    }
    // Of more classes F1 is that mean: tables have it once.
    assert!(!score(&p, &truth, None).iter().any(|(metric, _)| *metric == Metric::F1Macro));
}

#[test]
fn a_metric_of_another_sort_of_target_is_refused_with_those_that_decide() {
    let refusal = |target: &Target, metric| Scoring::of(target, None, Some(metric)).unwrap_err().to_string();
    let (numbers, classes) = (Target::numbers(&[1.0, 2.0]), classes(&["a", "b"], &[0, 1]));
    let said = refusal(&numbers, Metric::Auc);
    assert_eq!(said, "metric: auc judges classes, and the target is of numbers; these decide: rmse, mae, median_absolute_error, r2, nlpd");
    assert!(
        refusal(&classes, Metric::R2).contains(
            "these decide: accuracy, balanced_accuracy, f1, f1_macro, auc, average_precision, log_loss, brier, calibration_error"
        )
    );
    assert!(refusal(&numbers, Metric::Coverage).contains("coverage is best near 0.95, so that nothing can be ranked by it"));
    assert_eq!(Scoring::of(&numbers, None, None).unwrap().deciding, Metric::Rmse);
}

#[test]
fn names_are_read_in_any_case_and_with_those_of_other_libraries() {
    for &metric in Metric::ALL {
        assert_eq!(Metric::parse(metric.name()).unwrap(), metric);
        assert_eq!(serde_json::to_value(metric).unwrap(), metric.name());
        for other in metric.synonyms() {
            assert_eq!(Metric::parse(other).unwrap(), metric, "{other}");
        }
    }
    assert_eq!(Metric::parse("R²").unwrap(), Metric::R2);
    assert_eq!(Metric::parse("log loss").unwrap(), Metric::LogLoss);
    assert!(Metric::parse("calibratoin_error").unwrap_err().to_string().contains("did you mean 'calibration_error'?"));
    assert!(Metric::parse("roc-acu").unwrap_err().to_string().contains("did you mean 'auc'?"));
    assert!(Metric::parse("beauty").unwrap_err().to_string().contains("there are: accuracy, balanced_accuracy"));
}

#[test]
fn the_recall_of_a_class_is_the_share_of_its_rows_that_is_found() {
    let (p, truth) = three();
    let (Predicted::Classes(found), Target::Classes { codes, .. }) = (&p.values, &truth) else { panic!("classes") };
    // scikit-learn 1.9.1: recall_score(average=None, sample_weight=...).
    let expected = [1.0 / 3.0, 2.0 / 3.0, 0.8];
    for (found, expected) in recalls(found, codes, 3, Some(&WEIGHTS)).into_iter().zip(expected) {
        assert!(found.is_some_and(|r| (r - expected).abs() <= 1e-15));
    }
    assert_eq!(recalls(&[0], &[0], 2, None), [Some(1.0), None]);
}

#[test]
fn the_error_of_a_share_is_binomial_and_never_zero() {
    // 8 of 10 right, with one more of each: p = 9/12.
    assert!((Metric::Accuracy.sampling_error(0.8, 10) - (0.75f64 * 0.25 / 10.0).sqrt()).abs() <= 1e-15);
    assert!(Metric::Accuracy.sampling_error(1.0, 50) > 0.0);
    assert!((Metric::Rmse.sampling_error(3.0, 200) - 0.15).abs() <= 1e-15);
}

#[test]
fn each_target_is_scored_in_its_unit_and_several_are_ranked_without_one() {
    // Errors of 1 and 0 of the first, of 0 and 20 of the second; their variances are 1 and 400.
    let truth = Matrix::new(2, 2, vec![1.0, 10.0, 3.0, 50.0]).unwrap();
    let found = Matrix::new(2, 2, vec![2.0, 10.0, 3.0, 30.0]).unwrap();
    let scores = of_each_target(&found, &truth, None);
    assert_eq!(scores.iter().map(|s| (s.rmse, s.r2)).collect::<Vec<_>>(), [(0.5f64.sqrt(), 0.5), (200f64.sqrt(), 0.5)]);
    let weighed = of_each_target(&found, &truth, Some(&[3.0, 1.0]));
    assert!((weighed[0].rmse - 0.75f64.sqrt()).abs() < 1e-15 && (weighed[1].rmse - 10.0).abs() < 1e-13);
    let target = Target::Numbers(truth);
    assert_eq!(Scoring::of(&target, None, None).unwrap().deciding, Metric::R2);
    assert_eq!(Metric::usual(&Target::numbers(&[1.0, 2.0])), Metric::Rmse);
}
