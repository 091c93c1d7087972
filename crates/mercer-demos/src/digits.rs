//! Noise taken from pictures of digits by the components of others (Mika, Schoelkopf, Smola, Mueller, Scholz & Raetsch 1999, Kernel PCA
//! and de-noising in feature spaces). The digits are drawn here, by pens along lines that lean, turn and shake. What m components
//! keep of a row has a pre-image, the row whose phi(z) is nearest: under a linear kernel it is what they keep.

use super::made::{Draw, column_names, learner};
use super::{Demo, Shown};
use mercer::control::Control;
use mercer::data::{Column, Dataset, Labels, Target, TargetInfo, Values};
use mercer::error::{Error, Result};
use mercer::estimators::{Predicted, Want};
use mercer::learner::{Learner, Model, PreImageMethod};
use mercer::linalg::Matrix;
use std::fmt::Write as _;

pub(super) const DEMO: Demo = Demo {
    name: "digits",
    figures: &[],
    about: "noise taken from drawn digits: what linear components keep, and the pre-images of what kernel ones keep",
    run,
};

/// Pixels along a side.
pub(super) const SIDE: usize = 16;
/// Standard deviation of the noise; ink is 1 and paper 0.
const NOISE: f64 = 0.5;
const COUNTS: [usize; 5] = [8, 16, 32, 64, 128];
const KERNEL: &str = "rbf(length_scale=11)";

/// The line of a pen for each digit, in a square of side 1, y downwards.
const LINES: [&[[f64; 2]]; 10] = [
    &[[0.5, 0.1], [0.25, 0.25], [0.2, 0.5], [0.25, 0.75], [0.5, 0.9], [0.75, 0.75], [0.8, 0.5], [0.75, 0.25], [0.5, 0.1]],
    &[[0.35, 0.25], [0.55, 0.1], [0.55, 0.9]],
    &[[0.25, 0.28], [0.35, 0.13], [0.6, 0.1], [0.75, 0.28], [0.65, 0.5], [0.25, 0.9], [0.78, 0.9]],
    &[[0.25, 0.15], [0.55, 0.1], [0.72, 0.25], [0.62, 0.43], [0.42, 0.48], [0.65, 0.53], [0.76, 0.7], [0.6, 0.88], [0.25, 0.86]],
    &[[0.62, 0.9], [0.62, 0.1], [0.22, 0.65], [0.8, 0.65]],
    &[[0.72, 0.1], [0.32, 0.1], [0.28, 0.45], [0.55, 0.4], [0.75, 0.58], [0.7, 0.8], [0.5, 0.9], [0.25, 0.83]],
    &[[0.66, 0.1], [0.4, 0.3], [0.27, 0.6], [0.35, 0.85], [0.6, 0.88], [0.74, 0.7], [0.6, 0.52], [0.33, 0.6]],
    &[[0.22, 0.1], [0.78, 0.1], [0.42, 0.9]],
    &[
        [0.5, 0.48],
        [0.3, 0.33],
        [0.35, 0.14],
        [0.6, 0.1],
        [0.72, 0.27],
        [0.5, 0.48],
        [0.27, 0.68],
        [0.35, 0.87],
        [0.62, 0.9],
        [0.75, 0.7],
        [0.5, 0.48],
    ],
    &[[0.7, 0.38], [0.45, 0.48], [0.28, 0.32], [0.4, 0.12], [0.65, 0.14], [0.72, 0.38], [0.6, 0.9]],
];

/// One digit, drawn anew: ink by row and column.
pub(super) fn digit(code: usize, draw: &mut Draw) -> Vec<f64> {
    let (turn, lean, pen) = (draw.normal(0.0, 0.12), draw.normal(0.0, 0.12), draw.between(0.05, 0.08));
    let (size, place) = ([draw.between(0.8, 1.1), draw.between(0.8, 1.1)], [draw.normal(0.5, 0.03), draw.normal(0.5, 0.03)]);
    let mut moved = |p: &[f64; 2]| {
        let at = [0, 1].map(|d| size[d] * (p[d] - 0.5 + draw.normal(0.0, 0.015)));
        let x = at[0] + lean * at[1];
        [x * turn.cos() + at[1] * turn.sin() + place[0], at[1] * turn.cos() - x * turn.sin() + place[1]]
    };
    let line: Vec<[f64; 2]> = LINES[code].iter().map(&mut moved).collect();
    let ink = |at: usize| {
        let p = [(at % SIDE) as f64 + 0.5, (at / SIDE) as f64 + 0.5].map(|v| v / SIDE as f64);
        let far = |a: [f64; 2], b: [f64; 2]| {
            let (along, to) = ([b[0] - a[0], b[1] - a[1]], [p[0] - a[0], p[1] - a[1]]);
            let share = (along[0] * to[0] + along[1] * to[1]) / (along[0].powi(2) + along[1].powi(2)).max(1e-12);
            (0..2).map(|d| (to[d] - share.clamp(0.0, 1.0) * along[d]).powi(2)).sum::<f64>()
        };
        let nearest = line.windows(2).map(|ends| far(ends[0], ends[1])).fold(f64::INFINITY, f64::min);
        (-0.5 * nearest / (pen * pen)).exp()
    };
    (0..SIDE * SIDE).map(ink).collect()
}

fn digits(count: usize, draw: &mut Draw) -> Result<Matrix> {
    Matrix::new(count, SIDE * SIDE, (0..count).flat_map(|i| digit(i % LINES.len(), draw)).collect())
}

fn table(rows: &Matrix) -> Result<Dataset> {
    let column = |d: usize| Column { name: column_names(d), values: Values::Numbers(rows.col(d)) };
    Dataset::new((0..rows.cols()).map(column).collect())
}

/// Mean squared difference.
fn error(found: &Matrix, truth: &Matrix) -> f64 {
    found.data().iter().zip(truth.data()).map(|(f, t)| (f - t).powi(2)).sum::<f64>() / truth.data().len() as f64
}

/// Components of training rows, and the coordinates of others along them.
struct Components {
    model: Model,
    coordinates: Matrix,
}

impl Components {
    fn new(kernel: &str, rows: &Matrix, others: &Matrix, control: &Control) -> Result<Components> {
        let most = COUNTS[COUNTS.len() - 1];
        let target = Target::Absent { rows: rows.rows() };
        // Training rows are wanted also where few features say the same.
        let learner = Learner { keep_rows: true, ..learner(&format!("kernel_pca(components={most})"), kernel)? };
        let info = TargetInfo { names: Vec::new(), classes: None, labels: Labels::default() };
        let model = learner.fit(&table(rows)?, &target, &info, None, control)?;
        let Predicted::Numbers(coordinates) = model.predict(&table(others)?, Want::default(), control)?.values else {
            return Err(Error::Data("components give numbers".into()));
        };
        Ok(Components { model, coordinates })
    }

    /// Pre-images of what the first components make of the rows.
    fn pre_images(&self, count: usize, control: &Control) -> Result<Matrix> {
        let first = Matrix::from_fn(self.coordinates.rows(), count, |i, j| self.coordinates[(i, j)]);
        let found = self.model.pre_images(&first, PreImageMethod::FixedPoint, control)?.rows;
        let column = |d: usize| if let Values::Numbers(v) = &found.columns()[d].values { v.as_slice() } else { &[] };
        let columns: Vec<&[f64]> = (0..found.columns().len()).map(column).collect();
        Ok(Matrix::from_fn(found.rows(), columns.len(), |i, d| columns[d][i]))
    }
}

/// The number of components with the least error, that error, and the rows.
fn best(tried: Vec<(usize, Matrix)>, truth: &Matrix) -> (usize, f64, Matrix, String) {
    let errors: Vec<f64> = tried.iter().map(|(_, rows)| error(rows, truth)).collect();
    let at = (1..errors.len()).fold(0, |b, k| if errors[k] < errors[b] { k } else { b });
    let text = tried.iter().zip(&errors).map(|((count, _), e)| format!("{count}: {e:.4}")).collect::<Vec<_>>().join(", ");
    (tried[at].0, errors[at], tried[at].1.clone(), text)
}

fn run(control: &Control) -> Result<Shown> {
    const TRAINING: usize = 300;
    const NOISY: usize = 40;
    let mut shown = Shown::default();
    let mut draw = Draw::new(3);
    let (rows, truth) = (digits(TRAINING, &mut draw)?, digits(NOISY, &mut draw)?);
    let noisy = Matrix::from_fn(NOISY, truth.cols(), |i, d| truth[(i, d)] + draw.normal(0.0, NOISE));
    let (linear, curved) = (Components::new("linear", &rows, &noisy, control)?, Components::new(KERNEL, &rows, &noisy, control)?);
    let kept = COUNTS.iter().map(|&count| Ok((count, linear.pre_images(count, control)?))).collect::<Result<_>>()?;
    let made = COUNTS.iter().map(|&count| Ok((count, curved.pre_images(count, control)?))).collect::<Result<_>>()?;
    let (of_noise, (straight, least, kept, text), (bent, less, made, said)) =
        (error(&noisy, &truth), best(kept, &truth), best(made, &truth));
    shown.number(
        "mean squared error of the noisy pixels",
        of_noise,
        "0.25, the variance of the noise, within 5%",
        (of_noise / 0.25 - 1.0).abs() <= 0.05,
    );
    shown.finding(
        "the same of linear components, by their number",
        text,
        "less noise with few, all of it again with many",
        least < 0.2 * of_noise,
    );
    shown.finding("the same of pre-images, by the number of components", said, "the least below that of linear ones", less < least);
    let named = [
        ("drawn".to_owned(), &truth),
        ("with noise".to_owned(), &noisy),
        (format!("{straight} linear"), &kept),
        (format!("{bent} kernel"), &made),
    ];
    let label = "Digits as drawn, with noise, and with the noise taken away by linear and by kernel components";
    shown.figures.push(("digits.svg".into(), picture(&named, label)));
    Ok(shown)
}

/// Ten digits a line at most, a line for each set of rows, in eight greys.
pub(super) fn picture(lines: &[(String, &Matrix)], label: &str) -> String {
    const GREYS: usize = 8;
    const PIXEL: f64 = 3.5;
    let (digit, margin) = (SIDE as f64 * PIXEL + 8.0, 96.0);
    let (width, height) = (margin + 10.0 * digit, lines.len() as f64 * digit + 8.0);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" role=\"img\" aria-label=\"{label}\"><title>{label}</title>"
    );
    for (line, (name, rows)) in lines.iter().enumerate() {
        let top = 8.0 + line as f64 * digit;
        let middle = top + 0.5 * SIDE as f64 * PIXEL + 4.0;
        // Writing to a string cannot fail.
        let _ = write!(out, "<text x=\"4\" y=\"{middle}\" font-family=\"sans-serif\" font-size=\"12\" fill=\"#1F2328\">{name}</text>");
        for grey in 1..GREYS {
            let mut path = String::new();
            for (at, k) in (0..SIDE * SIDE).flat_map(|at| (0..rows.rows().min(10)).map(move |k| (at, k))) {
                let level = (rows[(k, at)].clamp(0.0, 1.0) * (GREYS - 1) as f64).round() as usize;
                if level == grey {
                    let x = margin + k as f64 * digit + (at % SIDE) as f64 * PIXEL;
                    let _ = write!(path, "M{x} {}h{PIXEL}v{PIXEL}h-{PIXEL}z", top + (at / SIDE) as f64 * PIXEL);
                }
            }
            let _ = write!(out, "<path fill=\"#1F2328\" fill-opacity=\"{:.2}\" d=\"{path}\"/>", grey as f64 / (GREYS - 1) as f64);
        }
    }
    out + "</svg>"
}
