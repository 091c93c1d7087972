//! Fig 14.3: functions of ten radial basis functions on a line, f(x) = sum_k w_k exp(-(x - m_k)^2 / (2 tau^2)), for narrow, middling and
//! wide ones: the fit, the functions, the design matrix.

use super::made::{Draw, even, points};
use super::{Demo, Shown};
use mercer::control::Control;
use mercer::error::Result;
use mercer::linalg::{Cholesky, Matrix, gramian_of_columns_within, product, transposed_product_within};
use mercer::report::{Layer, Panel, Panels};

pub(super) const DEMO: Demo = Demo {
    name: "basis",
    figures: &["14.3"],
    about: "a function of ten radial basis functions: narrow ones wiggle, wide ones are all alike",
    run,
};

/// exp(-(x - m_k)^2 / (2 tau^2)), N x 10.
fn design(x: &[f64], centres: &[f64], tau: f64) -> Matrix {
    Matrix::from_fn(x.len(), centres.len(), |i, k| (-0.5 * ((x[i] - centres[k]) / tau).powi(2)).exp())
}

/// The mean square of second differences.
fn roughness(f: &[f64], step: f64) -> f64 {
    f.windows(3).map(|w| ((w[0] - 2.0 * w[1] + w[2]) / (step * step)).powi(2)).sum::<f64>() / (f.len() - 2) as f64
}

fn run(control: &Control) -> Result<Shown> {
    const COUNT: usize = 10;
    // The penalty that keeps the system of wide functions solvable.
    const LAMBDA: f64 = 1e-3;
    let mut shown = Shown::default();
    let mut draw = Draw::new(2);
    let x = even(-1.0, 1.0, 21);
    let y: Vec<f64> = x.iter().map(|x| 1.0 - 2.0 * x + 3.0 * x * x + draw.normal(0.0, 0.4)).collect();
    let (centres, at) = (even(-1.0, 1.0, COUNT), even(-1.0, 1.0, 401));
    let (mut panels, mut rough) = (Vec::new(), Vec::new());
    for tau in [0.1, 0.5, 50.0] {
        let phi = design(&x, &centres, tau);
        let mut system = gramian_of_columns_within(&phi, None, control)?;
        system.add_to_diagonal(&[LAMBDA]);
        let right = transposed_product_within(&phi, &Matrix::column(y.clone()), control)?;
        let weights = Cholesky::new(system, control)?.solve(&right, control)?;
        let values = design(&at, &centres, tau);
        let f = product(&values, &weights)?.into_data();
        rough.push(roughness(&f, at[1] - at[0]));
        if tau == 50.0 {
            let least = phi.data().iter().copied().fold(1.0, f64::min);
            shown.number("least entry of the design matrix for tau = 50", least, "above 0.99: all functions are alike", least > 0.99);
        }
        let panel = |title: String, layers| Panel { title, axes: ["x".into(), String::new()], layers, upwards: None };
        panels.push(panel(
            format!("fit, tau = {tau}"),
            vec![("rows".into(), Layer::Marks(0, points(&x, &y))), ("fit".into(), Layer::Line(points(&at, &f)))],
        ));
        let functions = (0..COUNT).map(|k| (String::new(), Layer::Line(points(&at, &values.col(k))))).collect();
        panels.push(panel(format!("functions, tau = {tau}"), functions));
        let matrix = (0..COUNT).map(|k| (String::new(), Layer::Line(points(&x, &phi.col(k))))).collect();
        panels.push(Panel { upwards: Some([0.0, 1.05]), ..panel(format!("columns of the design matrix, tau = {tau}"), matrix) });
    }
    let falls = rough[0] > rough[1] && rough[1] > rough[2];
    let text: Vec<String> = rough.iter().map(|r| format!("{r:.3}")).collect();
    shown.finding("mean squared second difference of the fits", text.join(", "), "falls as the functions grow wider", falls);
    let svg = Panels { panels, across: 3 }
        .file("Radial basis functions of three widths", "Fits, basis functions and columns of the design matrix for three widths")?;
    shown.figures.push(("basis.svg".into(), svg));
    Ok(shown)
}
