//! The curve of a fit over one column, and what is counted of its band.

use mercer::control::Control;
use mercer::data::{Column, Dataset, Target, Values};
use mercer::estimators::{EstimatorExpr, Want};
use mercer::kernels::KernelExpr;
use mercer::learner::Learner;
use mercer::read::TargetInfo;
use mercer::report::{Picture, Row, interval};

#[test]
fn the_band_of_a_fast_wave_is_counted_at_the_rows() {
    // Twenty periods of twelve rows: a curve known at 200 even places cuts off its turns.
    let x: Vec<f64> = (0..240).map(|i| f64::from(i) / 12.0).collect();
    let noise = |i: usize| ((12.9898 * i as f64).sin() * 43758.5453).fract();
    let y: Vec<f64> = x.iter().enumerate().map(|(i, t)| (std::f64::consts::TAU * t).sin() + 0.1 * noise(i)).collect();
    let data = Dataset::new(vec![Column { name: "t".into(), values: Values::Numbers(x.clone()) }]).unwrap();
    let (target, control) = (Target::numbers(&y), Control::default());
    let info = TargetInfo { names: vec!["y".into()], classes: None, labels: Default::default() };
    let mut learner = Learner::new(EstimatorExpr::parse("gp(noise=0.004)").unwrap());
    learner.kernel = Some(KernelExpr::parse("rbf(length_scale=0.03)").unwrap());
    let model = learner.fit(&data, &target, &info, None, &control).unwrap();
    let predictions = model.predict(&data, Want { variance: true, ..Want::default() }, &control).unwrap();
    let (low, high) = interval(&predictions, 0.9).unwrap().unwrap();
    let inside = (0..240).filter(|&i| low[(i, 0)] <= y[i] && y[i] <= high[(i, 0)]).count();
    let row = Row::of_model(&model, &data, &target, None, &control).unwrap();
    let curve = row.pictures.iter().find(|p| matches!(p, Picture::Curve(_))).unwrap();
    let said = curve.sentence(&row);
    assert!(said.contains(&format!("holds {inside} of the 240 rows")), "{inside}: {said}");
    let Picture::Curve(curve) = curve else { return };
    assert!(x.iter().all(|x| curve.at.contains(x)), "the curve goes through the place of every row");
}

#[test]
fn a_model_of_counts_has_a_page_without_pictures_between_its_rows() {
    let column = |k: usize| (0..24).map(|i| ((i * (k + 3)) % 7) as f64 + if i % 2 == k % 2 { 4.0 } else { 0.0 }).collect();
    let columns = (0..3).map(|k| Column { name: format!("c{k}"), values: Values::Numbers(column(k)) }).collect();
    let data = Dataset::new(columns).unwrap();
    let target = Target::Classes { codes: (0..24).map(|i| i % 2).collect(), names: vec!["a".into(), "b".into()] };
    for (estimator, kernel) in [("bayes(multinomial)", None), ("svc(c=1)", Some("histogram_intersection"))] {
        let mut learner = Learner::new(EstimatorExpr::parse(estimator).unwrap());
        learner.kernel = kernel.map(|kernel| KernelExpr::parse(kernel).unwrap());
        let model = learner.fit(&data, &target, &TargetInfo::of(&target), None, &Control::default()).unwrap();
        let row = Row::of_model(&model, &data, &target, None, &Control::default()).unwrap_or_else(|why| panic!("{estimator}: {why}"));
        let regions = row.pictures.iter().find_map(|p| if let Picture::Regions(regions) = p { Some(regions) } else { None });
        assert_eq!(regions.is_some(), kernel.is_some(), "{estimator}");
        assert!(regions.is_none_or(|r| r.across[0] >= 0.0 && r.upwards[0] >= 0.0));
    }
}
