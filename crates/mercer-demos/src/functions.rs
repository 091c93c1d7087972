//! Two pictures of the kernel trick: exclusive or after the lift x -> (x1, x2, x1 x2), and common kernels as functions of one row.

use super::made::{column, even, fit, plane, points, rows_of, scores, two_classes};
use super::{Demo, Shown};
use mercer::control::Control;
use mercer::error::Result;
use mercer::gram::Dense;
use mercer::kernels::KernelExpr;
use mercer::linalg::Matrix;
use mercer::report::{Layer, Panel, Panels, contours};

pub(super) const LIFT: Demo = Demo {
    name: "xor_lift",
    figures: &[],
    about: "exclusive or is separated by the plane x1 + x2 - 2 x1 x2 = 1/2 of the lift, and by no line",
    run: lift,
};

pub(super) const FUNCTIONS: Demo =
    Demo { name: "kernel_functions", figures: &[], about: "common kernels as functions of one row, the other kept", run: functions };

fn lift(control: &Control) -> Result<Shown> {
    // Its feature map is x -> (x1, x2, x1 x2).
    const LIFTED: &str = "linear + on(x1, linear)*on(x2, linear)";
    let corners = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]];
    let codes = [0, 1, 1, 0];
    let (data, target) = (plane(&corners)?, two_classes(&codes));
    let machine = |kernel: &str| fit("svc(c=1e3, tolerance=1e-9)", kernel, &data, &target, control);
    let correct = |f: &[f64]| f.iter().zip(codes).filter(|(f, k)| (**f > 0.0) == (*k == 1)).count();
    let (line, separated) = (machine("linear")?, machine(LIFTED)?);
    let (before, after) = (correct(&scores(&line, &data, control)?), correct(&scores(&separated, &data, control)?));
    let mut shown = Shown::default();
    shown.finding("corners that a line tells rightly", before.to_string(), "at most 3", before <= 3);
    shown.finding("corners that a plane tells rightly after the lift", after.to_string(), "4", after == 4);
    let at = even(-0.5, 1.5, 81);
    let grid: Vec<[f64; 2]> = at.iter().flat_map(|y| at.iter().map(|x| [*x, *y])).collect();
    let f = scores(&separated, &plane(&grid)?, control)?;
    let widest = |p: &[f64; 2]| 2.0 * p[0] + 2.0 * p[1] - 4.0 * p[0] * p[1] - 1.0;
    let off = grid.iter().zip(&f).map(|(p, f)| (f - widest(p)).abs()).fold(0.0, f64::max);
    shown.number("greatest distance of its function from 2 (x1 + x2 - 2 x1 x2) - 1", off, "0 up to 1e-6", off <= 1e-6);
    let panel = |title: &str, axes: [&str; 2], places: &[[f64; 2]], border: Option<(&str, Layer)>| {
        let mut layers: Vec<(String, Layer)> = (0..2).map(|k| (format!("class {k}"), rows_of(places, &codes, k))).collect();
        layers.extend(border.map(|(words, layer)| (words.to_owned(), layer)));
        Panel { title: title.into(), axes: axes.map(Into::into), layers, upwards: Some([-0.5, 1.5]) }
    };
    let clamped: Vec<f64> = f.iter().map(|v| v.clamp(-1.0, 1.0)).collect();
    let lifted = corners.map(|p| [p[0] + p[1], p[0] * p[1]]);
    let panels = vec![
        panel("no line parts them", ["x1", "x2"], &corners, None),
        panel("a plane parts what is lifted", ["x1 + x2", "x1 x2"], &lifted, Some(("plane", Layer::Line(vec![[0.0, -0.25], [2.5, 1.0]])))),
        panel("seen from before", ["x1", "x2"], &corners, Some(("border", Layer::Contours(contours(&at, &at, &clamped, 1))))),
    ];
    let svg =
        Panels { panels, across: 3 }.file("Exclusive or, lifted", "Four corners that no line parts, and that a plane parts once lifted")?;
    shown.figures.push(("xor_lift.svg".into(), svg));
    Ok(shown)
}

/// Kernels seen as functions of one row.
struct Seen {
    title: &'static str,
    /// The row that is kept.
    kept: f64,
    /// A kernel, a place, and the value there that the formula has.
    kernels: [(&'static str, f64, f64); 3],
}

const SEEN: [Seen; 4] = [
    Seen {
        title: "products of rows, the other at 1",
        kept: 1.0,
        kernels: [
            ("linear", 2.0, 2.0),
            ("polynomial(degree=2, gamma=1, offset=1)", 2.0, 9.0),
            ("polynomial(degree=3, gamma=1, offset=1)", 1.0, 8.0),
        ],
    },
    Seen {
        title: "the rbf kernel around 0",
        kept: 0.0,
        // exp(-1/2) at one length scale.
        kernels: [
            ("rbf(length_scale=0.5)", 0.5, 0.606_530_659_712_633_4),
            ("rbf(length_scale=1)", 1.0, 0.606_530_659_712_633_4),
            ("rbf(length_scale=2)", 2.0, 0.606_530_659_712_633_4),
        ],
    },
    Seen {
        title: "rough and smooth, around 0",
        kept: 0.0,
        // exp(-1); (1 + sqrt 3) exp(-sqrt 3); exp(-1/2).
        kernels: [
            ("laplacian(length_scale=1)", 1.0, 0.367_879_441_171_442_33),
            ("matern(nu=1.5, length_scale=1)", 1.0, 0.483_357_724_596_507_7),
            ("rbf(length_scale=1)", 1.0, 0.606_530_659_712_633_4),
        ],
    },
    Seen {
        title: "others, the other row at 1",
        kept: 1.0,
        // exp(-2 sin^2(pi / 2)); tanh(1); (1 + 1 / 2)^-1.
        kernels: [
            ("periodic(period=2, length_scale=1)", 2.0, 0.135_335_283_236_612_7),
            ("sigmoid(gamma=1, offset=0)", 1.0, 0.761_594_155_955_764_9),
            ("rational_quadratic(alpha=1, length_scale=1)", 2.0, 0.666_666_666_666_666_6),
        ],
    },
];

fn functions(control: &Control) -> Result<Shown> {
    let at = even(-3.0, 3.0, 241);
    let mut shown = Shown::default();
    let mut panels = Vec::new();
    for Seen { title, kept, kernels } in SEEN {
        let mut layers = Vec::new();
        for (kernel, place, expected) in kernels {
            let expr = KernelExpr::parse(kernel)?;
            let places: Vec<f64> = at.iter().copied().chain([place]).collect();
            let cross = Dense::of(expr.bind_within(Some(&column(&places)?), &column(&[kept])?, control)?.as_ref(), control)?;
            let values: Matrix = cross.into_matrix();
            let found = values[(at.len(), 0)];
            shown.number(format!("{kernel} of {place} and {kept}"), found, format!("{expected:.4}"), (found - expected).abs() <= 1e-12);
            layers.push((kernel.to_owned(), Layer::Line(points(&at, &values.col(0)[..at.len()]))));
        }
        panels.push(Panel { title: title.into(), axes: ["x".into(), "k".into()], layers, upwards: None });
    }
    let svg = Panels { panels, across: 2 }.file("Kernels as functions", "Common kernels as functions of one row, the other kept")?;
    shown.figures.push(("kernel_functions.svg".into(), svg));
    Ok(shown)
}
