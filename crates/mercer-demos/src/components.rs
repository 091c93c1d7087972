//! Figs 14.7 to 14.9: kernel principal components. Three clusters in the plane: contours of eight components, and coordinates along two
//! beside those of linear ones (Schoelkopf, Smola & Mueller 1998); three phases of oil flow in twelve columns (Lawrence 2005).

use super::made::{Draw, column_names, even, fit, plane};
use super::{Demo, Shown};
use mercer::control::Control;
use mercer::data::{Column, Dataset, Target, Values};
use mercer::error::{Error, Result};
use mercer::estimators::{Predicted, Want};
use mercer::learner::Model;
use mercer::linalg::Matrix;
use mercer::read::{ReadOptions, Source, Table};
use mercer::report::{Layer, Panel, Panels, contours};

pub(super) const CONTOURS: Demo = Demo {
    name: "kpca_contours",
    figures: &["14.7"],
    about: "three clusters in the plane: the first two kernel principal components separate them, later ones split them",
    run: eight,
};

pub(super) const SCORES: Demo = Demo {
    name: "kpca_scores",
    figures: &["14.8"],
    about: "the same rows along two components: linear ones keep every distance, kernel ones send the clusters along different lines",
    run: scores,
};

pub(super) const OIL: Demo = Demo {
    name: "oil_flow",
    figures: &["14.9"],
    about: "three phases of flow in twelve columns: nearest neighbours on the plane of two components err less with a kernel",
    run: oil,
};

const CLUSTERS: usize = 3;
const EACH: usize = 30;
/// sigma^2 = 0.1.
const KERNEL: &str = "rbf(length_scale=0.31622776601683794)";

fn clusters() -> (Vec<[f64; 2]>, Vec<usize>) {
    let mut draw = Draw::new(7);
    let codes: Vec<usize> = (0..CLUSTERS * EACH).map(|i| i / EACH).collect();
    let centres = [[-0.5, -0.2], [0.0, 0.6], [0.5, 0.0]];
    (codes.iter().map(|&k| [draw.normal(centres[k][0], 0.1), draw.normal(centres[k][1], 0.1)]).collect(), codes)
}

fn components(estimator: &str, kernel: &str, data: &Dataset, control: &Control) -> Result<(Model, Matrix)> {
    let model = fit(estimator, kernel, data, &Target::Absent { rows: data.rows() }, control)?;
    let found = coordinates(&model, data, control)?;
    Ok((model, found))
}

fn coordinates(model: &Model, data: &Dataset, control: &Control) -> Result<Matrix> {
    match model.predict(data, Want::default(), control)?.values {
        Predicted::Numbers(found) => Ok(found),
        Predicted::Classes(_) => Err(Error::Data("components are numbers, and classes are predicted".into())),
    }
}

/// Rows whose nearest other row on the first two coordinates has another code.
fn errors(places: &Matrix, codes: &[usize]) -> usize {
    let apart = |i: usize, j: usize| (0..2).map(|d| (places[(i, d)] - places[(j, d)]).powi(2)).sum::<f64>();
    let nearest = |i: usize| (0..codes.len()).filter(|j| *j != i).min_by(|a, b| apart(i, *a).total_cmp(&apart(i, *b)));
    (0..codes.len()).filter(|&i| nearest(i).is_some_and(|j| codes[j] != codes[i])).count()
}

/// The share of the variance of a coordinate that lies between clusters.
fn between(places: &Matrix, k: usize, codes: &[usize]) -> f64 {
    let mean = |of: usize| codes.iter().enumerate().filter(|(_, c)| **c == of).map(|(i, _)| places[(i, k)]).sum::<f64>() / EACH as f64;
    let whole: f64 = (0..codes.len()).map(|i| places[(i, k)].powi(2)).sum();
    (0..CLUSTERS).map(|c| EACH as f64 * mean(c).powi(2)).sum::<f64>() / whole
}

fn marks(places: &[[f64; 2]], codes: &[usize], names: &[&str]) -> Vec<(String, Layer)> {
    let of = |code: usize| places.iter().zip(codes).filter(|(_, c)| **c == code).map(|(p, _)| *p).collect();
    names.iter().enumerate().map(|(code, name)| ((*name).to_owned(), Layer::Marks(code, of(code)))).collect()
}

fn eight(control: &Control) -> Result<Shown> {
    let mut shown = Shown::default();
    let (places, codes) = clusters();
    let (model, found) = components("kernel_pca(components=8)", KERNEL, &plane(&places)?, control)?;
    shown.number("1-nearest-neighbour errors on components 1 and 2", errors(&found, &codes) as f64, "0", errors(&found, &codes) == 0);
    let shares: Vec<f64> = (0..8).map(|k| between(&found, k, &codes)).collect();
    let text: Vec<String> = shares.iter().map(|s| format!("{s:.2}")).collect();
    shown.finding(
        "share of the variance between clusters, by component",
        text.join(", "),
        "above 0.8 for 1 and 2, below 0.2 for the later ones",
        shares[..2].iter().all(|s| *s > 0.8) && shares[2..].iter().all(|s| *s < 0.2),
    );
    let at = even(-1.0, 1.0, 61);
    let grid: Vec<[f64; 2]> = at.iter().flat_map(|y| at.iter().map(move |x| [*x, *y])).collect();
    let values = coordinates(&model, &plane(&grid)?, control)?;
    let one = |k: usize| {
        let mut layers = vec![(String::new(), Layer::Contours(contours(&at, &at, &values.col(k), 9)))];
        layers.extend(marks(&places, &codes, &["", "", ""]));
        Panel { title: format!("component {}", k + 1), axes: ["x1".into(), "x2".into()], layers, upwards: None }
    };
    let figure = Panels { panels: (0..8).map(one).collect(), across: 3 };
    let svg =
        figure.file("Contours of eight kernel principal components", "Three clusters of rows with contours of each of eight components")?;
    shown.figures.push(("kpca_contours.svg".into(), svg));
    Ok(shown)
}

fn scores(control: &Control) -> Result<Shown> {
    let mut shown = Shown::default();
    let (rows, codes) = clusters();
    let data = plane(&rows)?;
    let (_, linear) = components("kernel_pca(components=2)", "linear", &data, control)?;
    let (_, curved) = components("kernel_pca(components=2)", KERNEL, &data, control)?;
    let point = |m: &Matrix, i: usize| [m[(i, 0)], m[(i, 1)]];
    let apart = |a: [f64; 2], b: [f64; 2]| ((a[0] - b[0]).powi(2) + (a[1] - b[1]).powi(2)).sqrt();
    let pairs = (0..rows.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
    let worst = pairs.map(|(i, j)| (apart(point(&linear, i), point(&linear, j)) - apart(rows[i], rows[j])).abs()).fold(0.0, f64::max);
    shown.finding("largest change of a distance by two linear components", format!("{worst:.1e}"), "0 but for rounding", worst <= 1e-9);
    // The direction from 0 along which the rows of a cluster lie, and the share of their squares along it.
    let line = |k: usize| {
        let (mut a, mut b, mut c) = (0.0, 0.0, 0.0);
        for i in (0..rows.len()).filter(|&i| codes[i] == k) {
            let [x, y] = point(&curved, i);
            (a, b, c) = (a + x * x, b + x * y, c + y * y);
        }
        let root = (0.25 * (a - c).powi(2) + b * b).sqrt();
        ((0.5 * (a + c) + root) / (a + c), 0.5 * (2.0 * b).atan2(a - c).to_degrees())
    };
    let lines: Vec<(f64, f64)> = (0..CLUSTERS).map(line).collect();
    let text: Vec<String> = lines.iter().map(|(share, angle)| format!("{:.1}% at {angle:.0} degrees", 100.0 * share)).collect();
    let turned = |a: f64, b: f64| (a - b).abs().min(180.0 - (a - b).abs());
    let apart = (0..CLUSTERS).flat_map(|i| (0..i).map(move |j| (i, j))).map(|(i, j)| turned(lines[i].1, lines[j].1)).fold(180.0, f64::min);
    shown.finding(
        "squares of kernel components along one line through 0, by cluster",
        text.join(", "),
        "above 95% each, the lines 30 degrees apart or more",
        lines.iter().all(|(share, _)| *share > 0.95) && apart >= 30.0,
    );
    let panel = |title: &str, m: &Matrix| Panel {
        title: title.into(),
        axes: ["component 1".into(), "component 2".into()],
        layers: marks(&(0..rows.len()).map(|i| point(m, i)).collect::<Vec<_>>(), &codes, &["cluster 1", "cluster 2", "cluster 3"]),
        upwards: None,
    };
    let figure = Panels { panels: vec![panel("linear", &linear), panel("rbf", &curved)], across: 2 };
    let svg = figure.file("Rows along two components", "Three clusters of rows along two linear and two kernel principal components")?;
    shown.figures.push(("kpca_scores.svg".into(), svg));
    Ok(shown)
}

/// Rows, codes, and whether they are the measured ones.
fn flows() -> Result<(Matrix, Vec<usize>, bool)> {
    // Where the hundred rows of the textbook stand, in some folder above the one that is worked in.
    const MEASURED: &str = "shared/data/oil_flow_100/oil_flow_100.csv";
    let here = std::env::current_dir().unwrap_or_default();
    if let Some(file) = here.ancestors().map(|folder| folder.join(MEASURED)).find(|file| file.exists()) {
        let mut table = Table::read(&Source::File(file))?;
        let options = ReadOptions::with_types(&["phase=category".to_owned()])?;
        let (target, _) = table.take_target(&["phase"], &options)?;
        let data = table.dataset(&options)?;
        let columns: Vec<&Vec<f64>> =
            data.columns().iter().filter_map(|c| if let Values::Numbers(v) = &c.values { Some(v) } else { None }).collect();
        if let Target::Classes { codes, .. } = target {
            return Ok((Matrix::from_fn(data.rows(), columns.len(), |i, d| columns[d][i]), codes, true));
        }
    }
    // Three phases around one point that differ in how far they scatter, which no plane of linear components can show.
    let mut draw = Draw::new(12);
    let codes: Vec<usize> = (0..100).map(|i| i % 3).collect();
    let seen = Matrix::from_fn(100, 12, |i, _| draw.normal(0.0, [0.2, 0.6, 1.8][codes[i]]));
    Ok((seen, codes, false))
}

fn table(rows: &Matrix, standardised: bool) -> Result<Dataset> {
    let one = |d: usize| {
        let v = rows.col(d);
        let mean = v.iter().sum::<f64>() / v.len() as f64;
        let deviation = (v.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / v.len() as f64).sqrt();
        let values = if standardised { v.iter().map(|x| (x - mean) / deviation).collect() } else { v };
        Column { name: column_names(d), values: Values::Numbers(values) }
    };
    Dataset::new((0..rows.cols()).map(one).collect())
}

fn oil(control: &Control) -> Result<Shown> {
    // The width under which the textbook's count comes out, in standard deviations of the columns.
    const WIDTH: &str = "rbf(length_scale=1.5)";
    let mut shown = Shown::default();
    let (rows, codes, measured) = flows()?;
    let (_, linear) = components("kernel_pca(components=2)", "linear", &table(&rows, false)?, control)?;
    let (_, curved) = components("kernel_pca(components=2)", WIDTH, &table(&rows, true)?, control)?;
    let (by_linear, by_kernel) = (errors(&linear, &codes), errors(&curved, &codes));
    let what = |name: &str| format!("{name}: 1-nearest-neighbour errors of 100 rows");
    if measured {
        shown.number(what("linear components"), by_linear as f64, "20, as in the textbook", by_linear == 20);
        shown.number(what("rbf components of standardised columns"), by_kernel as f64, "13, as in the textbook", by_kernel == 13);
    } else {
        let text = format!("{by_linear} and {by_kernel}, of rows that are made up");
        shown.finding(what("linear and rbf components"), text, "fewer by rbf", by_kernel < by_linear);
    }
    let panel = |title: String, m: &Matrix| Panel {
        title,
        axes: ["component 1".into(), "component 2".into()],
        layers: marks(&(0..m.rows()).map(|i| [m[(i, 0)], m[(i, 1)]]).collect::<Vec<_>>(), &codes, &["phase 1", "phase 2", "phase 3"]),
        upwards: None,
    };
    let panels = vec![panel(format!("linear: {by_linear} errors"), &linear), panel(format!("rbf: {by_kernel} errors"), &curved)];
    let svg = Panels { panels, across: 2 }
        .file("Oil flow along two components", "Three phases of flow along two linear and two kernel components")?;
    shown.figures.push(("oil_flow.svg".into(), svg));
    Ok(shown)
}
