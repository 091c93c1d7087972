//! Estimators of a transformed target: means by Duan's smearing (1983, JASA 78, 605-610), quantiles by the inverse, units, refusals.

use crate::made;
use mercer::data::{Column, Dataset, Target, TargetInfo, Values};
use mercer::linalg::Matrix;
use mercer::report::{DeviationOf, interval, standard_deviation};
use mercer::{Control, EstimatorExpr, KernelExpr, Learner, Model, Predictions, Want, store};

/// ln y = 1 + 2 x + e of 120 rows, with e of standard deviation 0.4.
fn log_normal() -> (Dataset, Vec<f64>) {
    let x: Vec<f64> = (0..120).map(|i| (i as f64 * 0.37).sin()).collect();
    let y = x.iter().zip(made::errors(5, 120)).map(|(x, e)| (1.0 + 2.0 * x + 0.4 * e).exp()).collect();
    (Dataset::new(vec![Column { name: "x".into(), values: Values::Numbers(x) }]).unwrap(), y)
}

fn fitted(estimator: &str, data: &Dataset, target: &Target, weights: Option<&[f64]>) -> mercer::Result<Model> {
    let learner = Learner { kernel: Some(KernelExpr::parse("rbf(length_scale=1)")?), ..Learner::new(EstimatorExpr::parse(estimator)?) };
    learner.fit(data, target, &TargetInfo::of(target), weights, &Control::default())
}

fn predicted(estimator: &str, data: &Dataset, y: &[f64]) -> Predictions {
    let model = fitted(estimator, data, &Target::numbers(y), None).unwrap();
    model.predict(data, Want { variance: true, ..Want::default() }, &Control::default()).unwrap()
}

fn near(found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len());
    for (a, b) in found.iter().zip(expected) {
        assert!((a - b).abs() <= tolerance * b.abs().max(1e-300), "{a} and not {b}");
    }
}

#[test]
fn without_inputs_the_smeared_mean_is_the_mean() {
    // Duan (1983), section 2: with the mean m of g(y) as the fit, sum g^-1(m + (g(y_i) - m)) / n is the mean of y.
    let (data, y) = log_normal();
    let mean = y.iter().sum::<f64>() / y.len() as f64;
    for wrapper in ["log_target(baseline)", "log_target(baseline, shift=3)", "power_target(baseline)", "power_target(baseline, power=0.2)"]
    {
        let found = predicted(wrapper, &data, &y);
        near(&found.numbers().unwrap()[..1], &[mean], 1e-12);
    }
}

#[test]
fn means_are_smeared_by_residuals_that_are_left_out_and_intervals_are_those_of_the_logarithm() {
    let (data, y) = log_normal();
    let log: Vec<f64> = y.iter().map(|y| y.ln()).collect();
    for name in ["ridge(lambda=0.5)", "gp(noise=0.2, variance=1)"] {
        let plain = fitted(name, &data, &Target::numbers(&log), None).unwrap();
        let control = Control::default();
        let f = plain.predict(&data, Want { variance: true, ..Want::default() }, &control).unwrap();
        let without = plain.leave_one_out(None, &Target::numbers(&log), None, &control).unwrap().unwrap();
        let factor = log.iter().zip(without.numbers().unwrap()).map(|(t, f)| (t - f).exp()).sum::<f64>() / 120.0;
        let found = predicted(&format!("log_target({name})"), &data, &y);
        near(found.numbers().unwrap(), &f.numbers().unwrap().iter().map(|f| f.exp() * factor).collect::<Vec<_>>(), 1e-10);
        // exp(s^2 / 2) of normal errors, within three standard errors of a mean of 120 of them.
        assert!((factor / 0.08f64.exp() - 1.0).abs() < 3.0 * 0.04, "{factor}");
        let Some((low, high)) = interval(&found, 0.9).unwrap() else { continue };
        let (of_log, above) = interval(&f, 0.9).unwrap().unwrap();
        near(low.data(), &of_log.data().iter().map(|z| z.exp()).collect::<Vec<_>>(), 1e-10);
        near(high.data(), &above.data().iter().map(|z| z.exp()).collect::<Vec<_>>(), 1e-10);
        // Of a new target more is unknown than of its mean.
        let [new, mean] = [DeviationOf::Target, DeviationOf::Mean].map(|of| standard_deviation(&found, of).unwrap());
        assert!(new.data().iter().zip(mean.data()).all(|(new, mean)| new > mean && *mean > 0.0));
    }
    // A row takes no part in its own mean: what is left of the factor is that of the other rows.
    let model = fitted("log_target(ridge(lambda=0.5))", &data, &Target::numbers(&y), None).unwrap();
    let found = model.leave_one_out(None, &Target::numbers(&y), None, &Control::default()).unwrap().unwrap();
    let plain = fitted("ridge(lambda=0.5)", &data, &Target::numbers(&log), None).unwrap();
    let f = plain.leave_one_out(None, &Target::numbers(&log), None, &Control::default()).unwrap().unwrap();
    let f = f.numbers().unwrap();
    let of_others = |i: usize| (0..120).filter(|j| *j != i).map(|j| (log[j] - f[j]).exp()).sum::<f64>() / 119.0;
    near(found.numbers().unwrap(), &(0..120).map(|i| f[i].exp() * of_others(i)).collect::<Vec<_>>(), 1e-9);
}

#[test]
fn a_unit_of_the_target_is_one_of_its_predictions() {
    let (data, y) = log_normal();
    let thousands: Vec<f64> = y.iter().map(|y| 1000.0 * y).collect();
    for name in
        ["log_target(ridge(lambda=0.5))", "log_target(gp(noise=0.2, variance=1))", "log_target(gp)", "power_target(ridge(lambda=0.5))"]
    {
        let [a, b] = [&y, &thousands].map(|y| predicted(name, &data, y));
        let scaled: Vec<f64> = a.numbers().unwrap().iter().map(|f| 1000.0 * f).collect();
        near(b.numbers().unwrap(), &scaled, 1e-5);
        if let (Some((low, _)), Some((below, _))) = (interval(&a, 0.95).unwrap(), interval(&b, 0.95).unwrap()) {
            near(below.data(), &low.data().iter().map(|f| 1000.0 * f).collect::<Vec<_>>(), 1e-5);
        }
    }
    // A shift of the target that the logarithm takes back shifts the predictions.
    let shifted: Vec<f64> = y.iter().map(|y| y - 7.0).collect();
    let (a, b) =
        (predicted("log_target(ridge(lambda=0.5))", &data, &y), predicted("log_target(ridge(lambda=0.5), shift=7)", &data, &shifted));
    let [a, b] = [a, b].map(|p| p.numbers().unwrap().to_vec());
    assert!(a.iter().zip(&b).all(|(a, b)| (a - 7.0 - b).abs() < 1e-9 * a.abs().max(1.0)));
}

#[test]
fn several_targets_are_transformed_each_and_models_are_stored() {
    let (data, y) = log_normal();
    let both = Target::Numbers(Matrix::from_fn(120, 2, |i, o| if o == 0 { y[i] } else { 10.0 / y[i] }));
    let model = fitted("power_target(ridge(lambda=0.5), power=0.3)", &data, &both, None).unwrap();
    let found = model.predict(&data, Want::default(), &Control::default()).unwrap();
    for o in 0..2 {
        let alone: Vec<f64> = (0..120).map(|i| if o == 0 { y[i] } else { 10.0 / y[i] }).collect();
        let alone = predicted("power_target(ridge(lambda=0.5), power=0.3)", &data, &alone);
        near(&found.numbers().unwrap().iter().skip(o).step_by(2).copied().collect::<Vec<_>>(), alone.numbers().unwrap(), 1e-9);
    }
    let again = store::from_bytes(&store::to_bytes(&model).unwrap(), "model").unwrap();
    assert_eq!(again, model);
    assert_eq!(again.predict(&data, Want::default(), &Control::default()).unwrap(), found);
}

#[test]
fn a_value_without_a_logarithm_is_refused_by_its_row_with_what_takes_it() {
    let (data, mut y) = log_normal();
    let said = |name: &str, y: &[f64], weights: Option<&[f64]>| fitted(name, &data, &Target::numbers(y), weights).unwrap_err().to_string();
    (y[3], y[8]) = (0.0, -2.0);
    let mut weights = vec![1.0; 120];
    let zero = said("log_target(ridge)", &y, None);
    assert!(
        zero.contains("row 4: log_target takes a target above 0, and this one is 0; power_target(ridge, power=0.5) takes 0 too"),
        "{zero}"
    );
    // Rows keep their numbers where others are left out.
    weights[3] = 0.0;
    let below = said("log_target(ridge)", &y, Some(&weights));
    assert!(
        below.contains("row 9: log_target takes a target above 0, and this one is -2; log_target(ridge, shift=S) with S above 2"),
        "{below}"
    );
    assert!(said("power_target(ridge)", &y, None).contains("row 9: power_target takes a target of 0 and above, and this one is -2"));
    assert!(fitted("log_target(ridge(lambda=1), shift=2.5)", &data, &Target::numbers(&y), None).is_ok());
    weights[8] = 0.0;
    assert!(fitted("log_target(ridge(lambda=1))", &data, &Target::numbers(&y), Some(&weights)).is_ok());
}

#[test]
fn transformed_targets_are_written_as_they_are_read() {
    for text in ["log_target(gp)", "log_target(ridge(lambda=0.5), shift=1)", "power_target(svr(c=2))", "power_target(knn, power=0.25)"] {
        let read = EstimatorExpr::parse(text).unwrap();
        assert_eq!(read.to_string(), text);
        assert_eq!(serde_json::from_str::<EstimatorExpr>(&serde_json::to_string(&read).unwrap()).unwrap(), read);
    }
    assert_eq!(EstimatorExpr::parse("power_target(estimator=gp, power=0.5)").unwrap().to_string(), "power_target(gp)");
    assert_eq!(EstimatorExpr::parse("power_target(gp, 0.25)").unwrap().to_string(), "power_target(gp, power=0.25)");
    for (text, why) in [
        ("log_target", "it is written log_target(E, shift=0)"),
        ("log_target(svc)", "it takes an estimator of numbers, and svc predicts none"),
        ("log_target(power_target(gp))", "it takes an estimator, and power_target is a transformation"),
        ("power_target(gp, power=0.1..1)", "power=0.1..1"),
        ("power_target(gp, power=0)", "above 0"),
        ("log_target(gp, power=2)", "it is written log_target(E, shift=0)"),
        ("log_target(gpp)", "did you mean 'gp'?"),
        ("logtarget(gp)", "did you mean 'log_target'?"),
    ] {
        let said = EstimatorExpr::parse(text).unwrap_err().to_string();
        assert!(said.contains(why), "{text}: {said}");
    }
}
