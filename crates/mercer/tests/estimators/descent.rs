//! Descents of the evidence from numbers that are given.

use crate::gp::{near, normals};

use mercer::control::Control;
use mercer::data::{Dataset, Examples, Points, Split, Target};
use mercer::estimators::EstimatorExpr;
use mercer::kernels::KernelExpr;

#[test]
fn a_descent_from_given_numbers_ends_without_a_slope_and_moves_nothing_else() {
    let kernel = KernelExpr::parse("1.5*rbf(length_scale=[1, 1]) + white(value=0.3)").unwrap();
    let estimator = EstimatorExpr::parse("gp(noise=0.01, variance=1, standardise_target=false)").unwrap();
    let x: Vec<f64> = (0..120).map(|i| f64::from(i * i % 37) / 9.0).collect();
    let y: Vec<f64> = (0..60).map(|i| (1.3 * x[2 * i]).sin() + 0.1 * x[2 * i + 1] + 0.05 * f64::from((i * 7 % 11) as u8)).collect();
    let data = Dataset::from_points(Points::dense(60, 2, x).unwrap());
    let (target, control) = (Target::numbers(&y), Control::default());
    let examples = Examples { data: &data, target: &target, weights: None, split: &Split::Rows };
    let ends = [Some((1e-2, 1e2)), Some((1e-2, 1e2)), Some((1e-2, 1e2)), None];
    let far = vec![vec![20.0, 8.0, 8.0]];
    let end = mercer::select::descend(&kernel, &estimator, &ends, &far, &examples, &control, 0).unwrap();
    let (criterion, slopes) = mercer::select::criterion(&end.kernel, &estimator, &examples, &control, 0).unwrap();
    assert!(end.converged && (criterion.value - end.value).abs() <= 1e-12 * end.value.abs());
    assert_eq!(end.kernel.values()[2].value.numbers(), [0.3]);
    for ((number, slope), (low, high)) in end.numbers.iter().zip(&slopes).zip(ends.iter().flatten()) {
        assert!(number > low && number < high && (number * slope).abs() <= 1e-2, "{number} has the slope {slope}");
    }
    let (start, _) = mercer::select::criterion(&kernel, &estimator, &examples, &control, 0).unwrap();
    assert!(end.value < start.value);
    // An end for each number, and none at or below 0.
    assert!(mercer::select::descend(&kernel, &estimator, &ends[..3], &[], &examples, &control, 0).is_err());
    let wrong = [Some((-1.0, 1.0)), None, None, None];
    assert!(mercer::select::descend(&kernel, &estimator, &wrong, &[], &examples, &control, 0).is_err());
}

#[test]
fn samples_lead_a_descent_and_all_rows_end_it() {
    let kernel = KernelExpr::parse("1.5*rbf(length_scale=[1, 1]) + white(value=0.3)").unwrap();
    let x = normals(800, 11);
    let f = |i: usize| (1.3 * x[2 * i]).sin() + 0.3 * x[2 * i + 1];
    let noise = normals(400, 12);
    let numbers = Target::numbers(&(0..400).map(|i| f(i) + 0.2 * noise[i]).collect::<Vec<_>>());
    let names = vec!["no".to_owned(), "yes".to_owned()];
    let classes = Target::Classes { codes: (0..400).map(|i| usize::from(f(i) + 0.5 * noise[i] > 0.0)).collect(), names };
    let data = Dataset::from_points(Points::dense(400, 2, x.clone()).unwrap());
    let control = Control::default();
    for (text, target, white) in
        [("gp(noise=1e-6, variance=1, standardise_target=false)", numbers, Some((1e-3, 1e1))), ("gp(variance=1, noise=0.1)", classes, None)]
    {
        let estimator = EstimatorExpr::parse(text).unwrap();
        let examples = Examples { data: &data, target: &target, weights: None, split: &Split::Rows };
        let ends = [Some((1e-2, 1e4)), Some((1e-2, 1e2)), Some((1e-2, 1e2)), white];
        let end = mercer::select::descend(&kernel, &estimator, &ends, &[], &examples, &control, 0).unwrap();
        let (criterion, slopes) = mercer::select::criterion(&end.kernel, &estimator, &examples, &control, 0).unwrap();
        near(criterion.value, end.value, 1e-8 * end.value.abs());
        assert!(end.converged && end.evaluations <= 15, "{}", end.evaluations);
        for ((number, slope), (low, high)) in end.numbers.iter().zip(&slopes).zip(ends.iter().flatten()) {
            assert!(number > low && number < high && (number * slope).abs() <= 2e-2, "{text}: {number} has the slope {slope}");
        }
        // From there nothing is left to do, and no sample is asked.
        let again = mercer::select::descend(&end.kernel, &estimator, &ends, &[], &examples, &control, 0).unwrap();
        near(again.value, end.value, 1e-6 * end.value.abs());
    }
}
