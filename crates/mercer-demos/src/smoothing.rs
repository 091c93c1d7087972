//! Fig 14.16: four smoothing kernels on one axis. Fig 14.17: the density of six points, by boxcars above and Gaussians below, the
//! bandwidth growing from left to right. Fig 14.18: averages under a Gaussian through noisy rows of one column.

use super::made::{Draw, even, points};
use super::{Demo, Shown};
use mercer::control::Control;
use mercer::error::Result;
use mercer::linalg::Matrix;
use mercer::report::{Layer, Panel, Panels};
use mercer::smoothing::{Asked, Bandwidth, Density, LocalFit, LocalOptions, Reach, Sample, Shape, SmoothingKernel, regression_width};

pub(super) const KERNELS: Demo = Demo {
    name: "smoothing_kernels",
    figures: &["14.16"],
    about: "four kernels that smooth: each integrates to 1, three are 0 beyond one bandwidth",
    run: kernels,
};

pub(super) const PARZEN: Demo = Demo {
    name: "parzen",
    figures: &["14.17"],
    about: "the density of six points: the bandwidth matters, the form of the kernel hardly",
    run: parzen,
};

pub(super) const REGRESSION: Demo = Demo {
    name: "nadaraya_watson",
    figures: &["14.18"],
    about: "averages under a Gaussian whose bandwidth goes by the spread of both columns",
    run: regression,
};

fn panel(title: String, layers: Vec<(String, Layer)>) -> Panel {
    Panel { title, axes: ["x".into(), String::new()], layers, upwards: None }
}

/// Trapezes over even places.
fn integral(x: &[f64], y: &[f64]) -> f64 {
    let step = x[1] - x[0];
    step * (y.iter().sum::<f64>() - 0.5 * (y[0] + y[y.len() - 1]))
}

fn kernels(_: &Control) -> Result<Shown> {
    let mut shown = Shown::default();
    let four = [SmoothingKernel::Boxcar, SmoothingKernel::Epanechnikov, SmoothingKernel::Tricube, SmoothingKernel::Gaussian];
    let at = even(-6.0, 6.0, 12_001);
    let drawn = even(-1.5, 1.5, 601);
    let mut layers = Vec::new();
    for kernel in four {
        let value = |x: &f64| kernel.log_constant(Shape::Radial, 1).exp() * kernel.profile(x.abs());
        let whole = integral(&at, &at.iter().map(value).collect::<Vec<_>>());
        shown.number(format!("integral of {kernel}"), whole, "1", (whole - 1.0).abs() <= 1e-3);
        let error = kernel.error_beside_epanechnikov();
        let text = "at most 1.08: the bandwidth matters more than the form";
        shown.number(
            format!("error of {kernel} at its best bandwidth, beside Epanechnikov's"),
            error,
            text,
            (1.0 - 1e-12..=1.08).contains(&error),
        );
        layers.push((kernel.to_string(), Layer::Line(points(&drawn, &drawn.iter().map(value).collect::<Vec<_>>()))));
    }
    let svg = Panels { panels: vec![panel("smoothing kernels".into(), layers)], across: 1 }
        .file("Smoothing kernels", "Boxcar, Epanechnikov, tri-cube and Gaussian kernels on one axis")?;
    shown.figures.push(("smoothing_kernels.svg".into(), svg));
    Ok(shown)
}

fn parzen(control: &Control) -> Result<Shown> {
    // The points of the figure.
    const SIX: [f64; 6] = [-2.1, -1.3, -0.4, 1.9, 5.1, 6.2];
    let mut shown = Shown::default();
    let sample = Sample::of_numbers(&SIX, None)?;
    let at = even(-12.0, 16.0, 5601);
    let mut panels = Vec::new();
    for (kernel, narrow, wide) in [(SmoothingKernel::Boxcar, 1.0, 2.0), (SmoothingKernel::Gaussian, 1.0, 2.0)] {
        let mut tops = Vec::new();
        for h in [narrow, wide] {
            let asked = Asked { kernel, bandwidth: Bandwidth::Number(h), ..Asked::default() };
            let density = Density::fit(&sample, &asked, control)?;
            let values: Vec<f64> = density.log_density(&Matrix::column(at.clone()), control)?.iter().map(|l| l.exp()).collect();
            let whole = integral(&at, &values);
            shown.number(format!("integral of the density, {kernel}, h = {h}"), whole, "1", (whole - 1.0).abs() <= 3e-3);
            tops.push(values.iter().copied().fold(0.0, f64::max));
            let rug = Layer::Marks(0, SIX.iter().map(|x| [*x, 0.0]).collect());
            let curve = Layer::Line(points(&at, &values));
            panels.push(panel(format!("{kernel}, h = {h}"), vec![("points".into(), rug), ("density".into(), curve)]));
        }
        let text: Vec<String> = tops.iter().map(|t| format!("{t:.4}")).collect();
        shown.finding(format!("greatest density by {kernel}"), text.join(", "), "falls as the bandwidth grows", tops[1] < tops[0]);
    }
    for (kernel, h, expected) in [(SmoothingKernel::Gaussian, 1.5, 0.109_882_139_94), (SmoothingKernel::Boxcar, 1.0, 1.0 / 12.0)] {
        let density = Density::fit(&sample, &Asked { kernel, bandwidth: Bandwidth::Number(h), ..Asked::default() }, control)?;
        let found = density.log_density(&Matrix::column(vec![0.0]), control)?[0].exp();
        shown.number(format!("density at 0, {kernel}, h = {h}"), found, format!("{expected:.4}"), (found - expected).abs() <= 1e-10);
    }
    let svg = Panels { panels, across: 2 }
        .file("Densities of six points", "Boxcars above, Gaussians below, the bandwidth growing to the right")?;
    shown.figures.push(("parzen.svg".into(), svg));
    Ok(shown)
}

fn sinc(x: f64) -> f64 {
    if x == 0.0 { 1.0 } else { x.sin() / x }
}

fn regression(control: &Control) -> Result<Shown> {
    // Rows of the figure, and the standard deviation of their noise.
    const ROWS: usize = 100;
    const NOISE: f64 = 0.1;
    let mut shown = Shown::default();
    let mut draw = Draw::new(18);
    let x: Vec<f64> = (0..ROWS).map(|_| draw.between(-10.0, 10.0)).collect();
    let y: Vec<f64> = x.iter().map(|x| sinc(*x) + draw.normal(0.0, NOISE)).collect();
    let h = regression_width(&x, &y, control)?;
    // Numbers between -10 and 10 and sinc with noise: (4 / 3N)^(1/5) of about 7 and of about .3.
    shown.number("bandwidth", h, "between those of x and y", (0.1..2.0).contains(&h));
    let at = even(-10.0, 10.0, 401);
    let truth: Vec<f64> = at.iter().map(|x| sinc(*x)).collect();
    let mut layers = vec![("rows".into(), Layer::Marks(0, points(&x, &y))), ("sinc".into(), Layer::Line(points(&at, &truth)))];
    for (name, degree) in [("averages", 0), ("local lines", 1)] {
        let asked = LocalOptions { kernel: SmoothingKernel::Gaussian, reach: Reach::Widths(vec![h]), degree, rounds: 0 };
        let local = LocalFit::fit(&Matrix::column(x.clone()), &y, None, &asked, control)?;
        let found = local.predict(&Matrix::column(at.clone()), control)?.values;
        let error = (found.iter().zip(&truth).map(|(f, t)| (f - t).powi(2)).sum::<f64>() / at.len() as f64).sqrt();
        shown.number(format!("{name}: root mean square error from the true curve"), error, "below the noise, 0.1", error < NOISE);
        layers.push((name.into(), Layer::Line(points(&at, &found))));
    }
    let svg = Panels { panels: vec![panel("local regression".into(), layers)], across: 1 }
        .file("Nadaraya-Watson regression", "Noisy rows, the true curve, averages and local lines under a Gaussian")?;
    shown.figures.push(("nadaraya_watson.svg".into(), svg));
    Ok(shown)
}
