//! Fig 14.13 (Tipping 2001): p(x | 0) = U(0, 1), p(x | 1) = U(0.5, 1.5). Where both densities are 1 the log-odds are 0, elsewhere they
//! are infinite. Methods that are probabilistic find that; calibrated decision values of a support vector machine do not.

use super::made::{Draw, column, error_rate, even, fit, log_odds, points, two_classes};
use super::{Demo, Shown};
use mercer::control::Control;
use mercer::data::Dataset;
use mercer::error::Result;
use mercer::estimators::Fitted;
use mercer::report::{Layer, Panel, Panels};

pub(super) const DEMO: Demo =
    Demo { name: "overlap", figures: &["14.13"], about: "two uniform densities that overlap: which methods find log-odds of 0 there", run };

fn rows(count: usize, seed: u64) -> Result<(Dataset, Vec<usize>)> {
    let mut draw = Draw::new(seed);
    let codes: Vec<usize> = (0..count).map(|i| i % 2).collect();
    let x: Vec<f64> = codes.iter().map(|&k| draw.between(0.5 * k as f64, 1.0 + 0.5 * k as f64)).collect();
    Ok((column(&x)?, codes))
}

fn run(control: &Control) -> Result<Shown> {
    // Rows to learn from, half of each class, and rows to judge by.
    const ROWS: usize = 1000;
    // Of these so many for methods that keep them all.
    const DENSE_ROWS: usize = 400;
    const JUDGED: usize = 20_000;
    const KERNEL: &str = "rbf(length_scale=0.1)";
    // Where the log-odds are 0, but for the edges that no kernel of this width can follow.
    const MIDDLE: [f64; 2] = [0.55, 0.95];
    // Where one class alone is.
    const OUTSIDE: [f64; 2] = [0.25, 1.25];
    // Log-odds closer to 0 than this on average are found.
    const CLOSE: f64 = 0.25;
    let mut shown = Shown::default();
    let ((data, codes), (judged, truth)) = (rows(ROWS, 13)?, rows(JUDGED, 14)?);
    let at = even(-0.25, 1.75, 401);
    let middle = even(MIDDLE[0], MIDDLE[1], 81);
    let mut layers = Vec::new();
    for (estimator, probabilistic) in
        [("rvm", true), ("gp(variance=2)", true), ("l2vm(lambda=1)", true), ("svc(c=1, probabilities=true)", false)]
    {
        let dense = estimator.starts_with("gp") || estimator.starts_with("l2vm");
        let some: Vec<usize> = (0..if dense { DENSE_ROWS } else { ROWS }).collect();
        let model = fit(estimator, KERNEL, &data.select(&some), &two_classes(&codes).select(&some), control)?;
        let name = model.estimator.name();
        let wrong = error_rate(&model, &judged, &truth, control)?;
        shown.number(
            format!("{name}: share of new rows misclassified"),
            wrong,
            "0.25 ± 0.01, the least there can be",
            (wrong - 0.25).abs() <= 0.01,
        );
        let odds = log_odds(&model, &column(&middle)?, control)?;
        let rms = (odds.iter().map(|v| v * v).sum::<f64>() / odds.len() as f64).sqrt();
        if probabilistic {
            shown.number(format!("{name}: root mean square of the log-odds on [0.55, 0.95]"), rms, "below 0.25, near 0", rms <= CLOSE);
        } else {
            shown.number(
                format!("{name}: root mean square of the log-odds on [0.55, 0.95]"),
                rms,
                "above 0.25: calibration does not mend it",
                rms > CLOSE,
            );
        }
        if name == "rvm" {
            let kept = model.fitted.support().len();
            shown.finding("rvm: rows kept", kept.to_string(), format!("fewer than a tenth of {ROWS}"), 10 * kept < ROWS);
        }
        let outside = log_odds(&model, &column(&OUTSIDE)?, control)?.iter().fold(f64::INFINITY, |least, v| least.min(v.abs()));
        match name {
            "rvm" => shown.number("rvm: least size of the log-odds at 0.25 and 1.25", outside, "above 4: sure of its class", outside > 4.0),
            "svc" => shown.number("svc: least size of the log-odds at 0.25 and 1.25", outside, "below 3: it saturates", outside < 3.0),
            _ => {}
        }
        layers.push((name.to_owned(), Layer::Line(points(&at, &log_odds(&model, &column(&at)?, control)?))));
    }
    let panel = Panel { title: "log-odds of class 1".into(), axes: ["x".into(), "log-odds".into()], layers, upwards: Some([-8.0, 8.0]) };
    let svg = Panels { panels: vec![panel], across: 1 }.file(
        "Log-odds where two uniform densities overlap",
        "Log-odds of several classifiers over x; they should be 0 between 0.5 and 1",
    )?;
    shown.figures.push(("overlap.svg".into(), svg));
    Ok(shown)
}
