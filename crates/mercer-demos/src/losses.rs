//! Fig 14.10: (a) the square, Huber and epsilon-insensitive losses; (b) the tube of support vector regression and its slacks.

use super::made::{Draw, column, even, fit, numbers, points};
use super::{Demo, Shown};
use mercer::control::Control;
use mercer::data::Target;
use mercer::error::Result;
use mercer::estimators::Fitted;
use mercer::report::{Layer, Panel, Panels};

pub(super) const DEMO: Demo = Demo {
    name: "losses",
    figures: &["14.10"],
    about: "losses of regression, and the tube of support vector regression with its slacks",
    run,
};

/// Half the width of the tube of the losses.
const EPSILON: f64 = 1.5;

fn huber(r: f64) -> f64 {
    if r.abs() <= EPSILON { 0.5 * r * r } else { EPSILON * r.abs() - 0.5 * EPSILON * EPSILON }
}

fn insensitive(r: f64, epsilon: f64) -> f64 {
    (r.abs() - epsilon).max(0.0)
}

fn run(control: &Control) -> Result<Shown> {
    let mut shown = Shown::default();
    let r = even(-3.0, 3.0, 241);
    let curve = |loss: &dyn Fn(f64) -> f64| Layer::Line(r.iter().map(|&r| [r, loss(r)]).collect());
    let losses = Panel {
        title: "losses".into(),
        axes: ["residual".into(), "loss".into()],
        layers: vec![
            ("square".into(), curve(&|r| r * r)),
            ("Huber".into(), curve(&huber)),
            ("ε-insensitive".into(), curve(&|r| insensitive(r, EPSILON))),
        ],
        upwards: Some([-0.5, 5.0]),
    };
    let inside = r.iter().filter(|r| r.abs() <= EPSILON).map(|&r| insensitive(r, EPSILON)).fold(0.0, f64::max);
    shown.number("greatest ε-insensitive loss for residuals of at most 1.5", inside, "0", inside == 0.0);
    let slope = (huber(2.5) - huber(2.0)) / 0.5;
    shown.number(
        "slope of Huber's loss beyond 1.5",
        slope,
        "1.5, as that of the square loss at 1.5 halved",
        (slope - EPSILON).abs() <= 1e-12,
    );

    let (epsilon, c) = (0.25, 2.0);
    let mut draw = Draw::new(7);
    let x = even(0.0, 6.0, 40);
    let y: Vec<f64> = x.iter().map(|x| x.sin() + draw.normal(0.0, 0.25)).collect();
    let data = column(&x)?;
    let expression = format!("svr(c={c}, epsilon={epsilon}, standardise_target=false, tolerance=1e-8)");
    let model = fit(&expression, "rbf(length_scale=1)", &data, &Target::numbers(&y), control)?;
    let f = numbers(&model, &data, control)?;
    let above: Vec<f64> = y.iter().zip(&f).map(|(y, f)| (y - f - epsilon).max(0.0)).collect();
    let below: Vec<f64> = y.iter().zip(&f).map(|(y, f)| (f - y - epsilon).max(0.0)).collect();
    let product = above.iter().zip(&below).map(|(a, b)| a * b).fold(0.0, f64::max);
    shown.number("greatest product of the slacks ξ+ and ξ- of a row", product, "0: no row lies above and below the tube", product == 0.0);
    // Off the tube coefficients are at their bounds: +c above, -c below; within it they are 0.
    let mut coefficients = vec![0.0; x.len()];
    if let Some(e) = Fitted::expansion(&model.fitted) {
        model.support_rows().iter().enumerate().for_each(|(s, &i)| coefficients[i] = e.coef[(s, 0)]);
    }
    let agrees = |i: usize| match (above[i] > 1e-6, below[i] > 1e-6) {
        (true, _) => (coefficients[i] - c).abs() <= 1e-6,
        (_, true) => (coefficients[i] + c).abs() <= 1e-6,
        _ if (y[i] - f[i]).abs() < epsilon - 1e-6 => coefficients[i] == 0.0,
        _ => true,
    };
    let right = (0..x.len()).filter(|&i| agrees(i)).count();
    shown.finding(
        "rows whose coefficient is c above the tube, -c below, 0 within",
        right.to_string(),
        "all 40",
        right == x.len() && above.iter().any(|s| *s > 0.0) && below.iter().any(|s| *s > 0.0),
    );
    let at = even(0.0, 6.0, 201);
    let curve = numbers(&model, &column(&at)?, control)?;
    let moved = |by: f64| curve.iter().map(|f| f + by).collect::<Vec<f64>>();
    let words =
        |slack: &[f64], word: &str| (0..x.len()).filter(|&i| slack[i] > 0.05).map(|i| ([x[i], y[i]], word.to_owned())).collect::<Vec<_>>();
    let tube = Panel {
        title: format!("a tube of half width {epsilon}"),
        axes: ["x".into(), "y".into()],
        layers: vec![
            ("prediction".into(), Layer::Line(points(&at, &curve))),
            ("tube".into(), Layer::Line(points(&at, &moved(epsilon)))),
            (String::new(), Layer::Line(points(&at, &moved(-epsilon)))),
            ("rows".into(), Layer::Marks(0, points(&x, &y))),
            ("support".into(), Layer::Rings((0..x.len()).filter(|&i| coefficients[i] != 0.0).map(|i| [x[i], y[i]]).collect())),
            (String::new(), Layer::Words(words(&above, "ξ+"))),
            (String::new(), Layer::Words(words(&below, "ξ−"))),
        ],
        upwards: None,
    };
    let svg = Panels { panels: vec![losses, tube], across: 2 }.file(
        "Losses of regression and the tube",
        "Square, Huber and epsilon-insensitive losses; a fit with its tube and the rows outside of it",
    )?;
    shown.figures.push(("losses.svg".into(), svg));
    Ok(shown)
}
