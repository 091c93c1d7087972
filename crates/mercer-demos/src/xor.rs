//! Fig 14.2: exclusive or. (a) The truth table; (b) powers of each column alone, up to the tenth, cannot separate it, for a sum
//! f(x1) + g(x2) never can, and their products can; (c) four radial basis functions can.

use super::made::{Draw, error_rate, fit, plane, scores, two_classes};
use super::{Demo, Shown};
use mercer::control::Control;
use mercer::error::Result;
use mercer::report::{Layer, Panel, Panels};

pub(super) const DEMO: Demo = Demo {
    name: "xor",
    figures: &["14.2"],
    about: "exclusive or: no sum of functions of each column separates it, products and radial basis functions do",
    run,
};

fn run(control: &Control) -> Result<Shown> {
    let mut shown = Shown::default();
    let corners = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]];
    let truth: Vec<usize> = corners.iter().map(|[a, b]| usize::from(a != b)).collect();
    shown.finding("x1 xor x2 at 00, 01, 10, 11", format!("{truth:?}"), "[0, 1, 1, 0]", truth == [0, 1, 1, 0]);
    let mut draw = Draw::new(4);
    let places: Vec<[f64; 2]> = (0..100).map(|i| corners[i % 4].map(|v| v + draw.normal(0.0, 0.1))).collect();
    let codes: Vec<usize> = (0..100).map(|i| truth[i % 4]).collect();
    let (data, target) = (plane(&places)?, two_classes(&codes));
    let mut panels = vec![panel("truth table", &corners, &truth, None)];
    for (title, estimator, kernel, separates) in [
        (
            "powers of each column alone",
            "logistic(lambda=1e-4)",
            "on(x1, polynomial(degree=10, gamma=1, offset=1)) + on(x2, polynomial(degree=10, gamma=1, offset=1))",
            false,
        ),
        ("powers and their products", "logistic(lambda=1e-4)", "polynomial(degree=2, gamma=1, offset=1)", true),
        ("four radial basis functions", "logistic(lambda=1e-4)", "nystroem(rbf(length_scale=0.5), rank=4, landmarks=spread)", true),
    ] {
        let model = fit(estimator, kernel, &data, &target, control)?;
        let at_corners = error_rate(&model, &plane(&corners)?, &truth, control)?;
        let (right, expected) =
            (1.0 - error_rate(&model, &data, &codes, control)?, if separates { "1" } else { "no more than 0.75 at the four corners" });
        if separates {
            shown.number(format!("{title}: share of the rows classified correctly"), right, expected, right == 1.0);
        } else {
            shown.number(format!("{title}: share of the corners classified correctly"), 1.0 - at_corners, expected, at_corners >= 0.25);
        }
        let lattice: Vec<[f64; 2]> = (0..61 * 61).map(|k| [-0.5 + (k % 61) as f64 / 30.0, -0.5 + (k / 61) as f64 / 30.0]).collect();
        let side = scores(&model, &plane(&lattice)?, control)?;
        let crossing = |k: usize, other: usize| (side[k] > 0.0) != (side[other] > 0.0);
        let border = (0..lattice.len()).filter(|k| (k % 61 < 60 && crossing(*k, k + 1)) || (k / 61 < 60 && crossing(*k, k + 61)));
        panels.push(panel(title, &places, &codes, Some(border.map(|k| lattice[k]).collect())));
    }
    let svg = Panels { panels, across: 2 }.file("Exclusive or", "Rows of exclusive or and the borders of three classifiers")?;
    shown.figures.push(("xor.svg".into(), svg));
    Ok(shown)
}

fn panel(title: &str, places: &[[f64; 2]], codes: &[usize], border: Option<Vec<[f64; 2]>>) -> Panel {
    let of = |code: usize| Layer::Marks(code, places.iter().zip(codes).filter(|(_, k)| **k == code).map(|(p, _)| *p).collect());
    let mut layers = vec![("class 0".to_owned(), of(0)), ("class 1".into(), of(1))];
    layers.extend(border.map(|border| ("border".to_owned(), Layer::Marks(6, border))));
    Panel { title: title.into(), axes: ["x1".into(), "x2".into()], layers, upwards: Some([-0.5, 1.5]) }
}
