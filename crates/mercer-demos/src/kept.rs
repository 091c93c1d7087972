//! Figs 14.4 to 14.6: four kernel machines under one kernel, for classes and for a noisy sinc; which training rows each of them keeps.

use super::made::{Draw, column, error_rate, even, fit, numbers, plane, points, two_classes};
use super::{Demo, Shown};
use mercer::control::Control;
use mercer::data::Target;
use mercer::error::Result;
use mercer::estimators::Fitted;
use mercer::learner::Model;
use mercer::report::{Layer, Panel, Panels};

pub(super) const CLASSES: Demo = Demo {
    name: "kept_classes",
    figures: &["14.4"],
    about: "two classes in the plane: four kernel machines err alike and keep fewer and fewer rows",
    run: classes,
};

pub(super) const NUMBERS: Demo = Demo {
    name: "kept_numbers",
    figures: &["14.5", "14.6"],
    about: "a noisy sinc: four kernel machines err alike; their coefficients as stems",
    run: sinc,
};

/// Rows kept, from few to all.
fn ordered(shown: &mut Shown, kept: &[(&str, usize)], rows: usize) {
    let text: Vec<String> = kept.iter().map(|(name, count)| format!("{name} {count}")).collect();
    shown.finding(
        "rows kept",
        text.join(", "),
        "rvm < l1vm < support vectors < l2vm, all",
        kept.is_sorted_by(|a, b| a.1 < b.1) && kept.last().is_some_and(|l2vm| l2vm.1 == rows),
    );
}

fn kept(model: &Model) -> Vec<usize> {
    model.support_rows()
}

fn classes(control: &Control) -> Result<Shown> {
    let mut shown = Shown::default();
    let mut draw = Draw::new(21);
    let mut rows = |count: usize| -> (Vec<[f64; 2]>, Vec<usize>) {
        let codes: Vec<usize> = (0..count).map(|i| i % 2).collect();
        // Two bows that reach into one another.
        let place = |k: usize, draw: &mut Draw| {
            let angle = draw.between(0.0, std::f64::consts::PI);
            let (x, y) = if k == 0 { (angle.cos(), angle.sin()) } else { (1.0 - angle.cos(), 0.4 - angle.sin()) };
            [x + draw.normal(0.0, 0.25), y + draw.normal(0.0, 0.25)]
        };
        (codes.iter().map(|&k| place(k, &mut draw)).collect(), codes)
    };
    let ((places, codes), (judged, truth)) = (rows(200), rows(4000));
    let (data, new) = (plane(&places)?, plane(&judged)?);
    let (mut errors, mut counts, mut panels) = (Vec::new(), Vec::new(), Vec::new());
    for (name, estimator) in [("rvm", "rvm"), ("l1vm", "l1vm(lambda=1)"), ("svc", "svc"), ("l2vm", "l2vm(lambda=5)")] {
        let model = fit(estimator, "rbf(length_scale=0.3)", &data, &two_classes(&codes), control)?;
        let wrong = error_rate(&model, &new, &truth, control)?;
        errors.push((name, wrong));
        let rows = kept(&model);
        counts.push((name, rows.len()));
        let of = |code: usize| Layer::Marks(code, (0..200).filter(|&i| codes[i] == code).map(|i| places[i]).collect());
        let layers = vec![
            ("class 0".to_owned(), of(0)),
            ("class 1".into(), of(1)),
            ("kept".into(), Layer::Rings(rows.iter().map(|&i| places[i]).collect())),
        ];
        panels.push(Panel { title: format!("{name}: {} rows kept", rows.len()), axes: ["x1".into(), "x2".into()], layers, upwards: None });
    }
    let (least, most) = errors.iter().fold((1.0f64, 0.0f64), |(l, m), (_, e)| (l.min(*e), m.max(*e)));
    let text: Vec<String> = errors.iter().map(|(name, e)| format!("{name} {:.1}%", 100.0 * e)).collect();
    shown.finding("share of new rows misclassified", text.join(", "), "within 2 points of each other", most - least <= 0.02);
    ordered(&mut shown, &counts, 200);
    let svg = Panels { panels, across: 2 }
        .file("Rows that four classifiers keep", "The same rows four times, with rings around those that each classifier keeps")?;
    shown.figures.push(("kept_classes.svg".into(), svg));
    Ok(shown)
}

fn sinc(control: &Control) -> Result<Shown> {
    const WIDTH: &str = "rbf(length_scale=0.3)";
    let mut shown = Shown::default();
    let mut draw = Draw::new(9);
    // x from -10 to 10, standardised.
    let wide = 3f64.sqrt();
    let x = even(-wide, wide, 100);
    let true_value = |x: f64| {
        let x = 10.0 * x / wide;
        if x == 0.0 { 1.0 } else { x.sin() / x }
    };
    let y: Vec<f64> = x.iter().map(|x| true_value(*x) + draw.normal(0.0, 0.1)).collect();
    let at = even(-wide, wide, 401);
    let fresh: Vec<f64> = at.iter().map(|x| true_value(*x) + draw.normal(0.0, 0.1)).collect();
    let (data, new) = (column(&x)?, column(&at)?);
    // The textbook's penalty of 0.5 stands beside the whole square of an error, ours beside half of it.
    let (mut errors, mut counts, mut fits, mut stems) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let (mut drawn, mut whole) = (Vec::new(), true);
    for (name, estimator) in
        [("rvm", "rvm"), ("l1vm", "l1vm(lambda=0.25)"), ("svr", "svr(epsilon=0.1, standardise_target=false)"), ("l2vm", "l2vm(lambda=0.5)")]
    {
        let model = fit(estimator, WIDTH, &data, &Target::numbers(&y), control)?;
        let f = numbers(&model, &new, control)?;
        // Of new noisy values: their noise is part of the error.
        let rmse = (f.iter().zip(&fresh).map(|(f, y)| (f - y).powi(2)).sum::<f64>() / at.len() as f64).sqrt();
        errors.push((name, rmse));
        let rows = kept(&model);
        counts.push((name, rows.len()));
        fits.push(Panel {
            title: format!("{name}: {} rows kept", rows.len()),
            axes: ["x".into(), "y".into()],
            layers: vec![
                ("rows".into(), Layer::Marks(0, points(&x, &y))),
                ("kept".into(), Layer::Rings(rows.iter().map(|&i| [x[i], y[i]]).collect())),
                ("prediction".into(), Layer::Line(points(&at, &f))),
            ],
            upwards: None,
        });
        let coefficients = Fitted::expansion(&model.fitted).map_or(Vec::new(), |e| (0..rows.len()).map(|s| e.coef[(s, 0)]).collect());
        let mut all = vec![0.0; x.len()];
        rows.iter().zip(&coefficients).for_each(|(&i, c)| all[i] = *c);
        let place: Vec<f64> = (1..=x.len()).map(|i| i as f64).collect();
        let other = all.iter().filter(|c| **c != 0.0).count();
        drawn.push(format!("{name} {} of {}", other, all.len()));
        whole &= all.len() == 100 && other == rows.len();
        stems.push(Panel {
            title: format!("{name}: coefficients"),
            axes: ["row".into(), "coefficient".into()],
            layers: vec![(String::new(), Layer::Stems(points(&place, &all)))],
            upwards: None,
        });
    }
    let (least, most) = errors.iter().fold((f64::INFINITY, 0.0f64), |(l, m), (_, e)| (l.min(*e), m.max(*e)));
    let text: Vec<String> = errors.iter().map(|(name, e)| format!("{name} {e:.4}")).collect();
    shown.finding("root mean squared error of new values", text.join(", "), "within 20% of each other", most <= 1.2 * least);
    ordered(&mut shown, &counts, x.len());
    shown.finding("coefficients drawn", drawn.join(", "), "one for each of 100 rows, 0 but for those kept", whole);
    let fits = Panels { panels: fits, across: 2 };
    shown.figures.push((
        "kept_numbers.svg".into(),
        fits.file("Fits to a noisy sinc", "Four fits to the same rows, with rings around those that each keeps")?,
    ));
    let stems = Panels { panels: stems, across: 2 };
    shown.figures.push(("stems.svg".into(), stems.file("Coefficients of four fits", "The coefficient of each training row in four fits")?));
    Ok(shown)
}
