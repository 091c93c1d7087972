//! Figs 14.11 and 14.12: the widest of all margins, signed distances to the line, and slacks of a soft margin.

use super::made::{Draw, fit, plane, rows_of, scores, two_classes};
use super::{Demo, Shown};
use mercer::control::Control;
use mercer::data::Dataset;
use mercer::error::Result;
use mercer::estimators::Fitted;
use mercer::learner::Model;
use mercer::report::{Layer, Panel, Panels};

pub(super) const WIDEST: Demo = Demo {
    name: "margin",
    figures: &["14.11"],
    about: "no line that separates two classes leaves a wider margin than that of a support vector machine",
    run: widest,
};

pub(super) const SOFT: Demo = Demo {
    name: "soft_margin",
    figures: &["14.12"],
    about: "signed distances to the separating line; rows within the margin and their slacks",
    run: soft,
};

/// A line w'x + b = 0.
struct Straight {
    w: [f64; 2],
    b: f64,
}

impl Straight {
    /// That of a linear machine: its decision values are w'x + b.
    fn of(model: &Model, control: &Control) -> Result<Straight> {
        let found = scores(model, &plane(&[[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])?, control)?;
        Ok(Straight { w: [found[1] - found[0], found[2] - found[0]], b: found[0] })
    }
    fn length(&self) -> f64 {
        self.w[0].hypot(self.w[1])
    }
    fn distance(&self, x: [f64; 2]) -> f64 {
        (self.w[0] * x[0] + self.w[1] * x[1] + self.b) / self.length()
    }
    /// Where w'x + b is a number, from one x1 to another.
    fn at(&self, level: f64, from: f64, to: f64) -> Layer {
        let x2 = |x1: f64| (level - self.b - self.w[0] * x1) / self.w[1];
        let (count, step) = (80, (to - from) / 80.0);
        Layer::Line((0..=count).map(|k| from + step * f64::from(k)).map(|x1| [x1, x2(x1)]).collect())
    }
}

/// Two clouds of rows around opposite places.
fn clouds(count: usize, apart: f64, seed: u64) -> (Vec<[f64; 2]>, Vec<usize>) {
    let mut draw = Draw::new(seed);
    let codes: Vec<usize> = (0..count).map(|i| i % 2).collect();
    let side = |code: usize| if code == 1 { apart } else { -apart };
    (codes.iter().map(|&k| [draw.normal(side(k), 1.0), draw.normal(side(k), 1.0)]).collect(), codes)
}

fn support(model: &Model, places: &[[f64; 2]]) -> Layer {
    Layer::Rings(model.support_rows().iter().map(|&i| places[i]).collect())
}

fn linear(c: f64, data: &Dataset, codes: &[usize], control: &Control) -> Result<Model> {
    fit(&format!("svc(c={c}, tolerance=1e-8)"), "linear", data, &two_classes(codes), control)
}

fn widest(control: &Control) -> Result<Shown> {
    // Lines that are drawn at random.
    const LINES: usize = 1000;
    let mut shown = Shown::default();
    let (places, codes) = clouds(40, 2.6, 3);
    let sign = |i: usize| if codes[i] == 1 { 1.0 } else { -1.0 };
    let margin = |line: &Straight| (0..places.len()).map(|i| sign(i) * line.distance(places[i])).fold(f64::INFINITY, f64::min);
    let model = linear(1e6, &plane(&places)?, &codes, control)?;
    let best = Straight::of(&model, control)?;
    let width = margin(&best);
    shown.number("margin of the support vector machine", width, "above 0: the classes are separated", width > 0.0);
    shown.number("1 / |w|", 1.0 / best.length(), "the margin", (1.0 / best.length() - width).abs() <= 1e-4 * width);
    // Lines by direction and offset; those that separate.
    let mut draw = Draw::new(11);
    let mut others: Vec<(f64, Straight)> = Vec::new();
    while others.len() < LINES {
        control.check()?;
        let angle = draw.between(0.0, std::f64::consts::TAU);
        let line = Straight { w: [angle.cos(), angle.sin()], b: draw.between(-3.0, 3.0) };
        let found = margin(&line);
        if found > 0.0 {
            others.push((found, line));
        }
    }
    let most = others.iter().map(|(m, _)| *m).fold(0.0, f64::max);
    shown.number(
        format!("widest margin of {LINES} random lines that separate the classes"),
        most,
        "at most that of the machine",
        most <= width * (1.0 + 1e-6),
    );
    let ends = places.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), p| (l.min(p[0]), h.max(p[0])));
    let upwards = places.iter().fold([f64::INFINITY, f64::NEG_INFINITY], |[l, h], p| [l.min(p[1] - 0.5), h.max(p[1] + 0.5)]);
    let panel = |title: &str, line: &Straight, width: f64, rings: Option<Layer>| {
        let scale = width * line.length();
        let mut layers = vec![
            ("line".to_owned(), line.at(0.0, ends.0, ends.1)),
            ("margin".into(), line.at(scale, ends.0, ends.1)),
            (String::new(), line.at(-scale, ends.0, ends.1)),
            ("class 0".into(), rows_of(&places, &codes, 0)),
            ("class 1".into(), rows_of(&places, &codes, 1)),
        ];
        layers.extend(rings.map(|rings| ("support".to_owned(), rings)));
        Panel { title: title.into(), axes: ["x1".into(), "x2".into()], layers, upwards: Some(upwards) }
    };
    others.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (narrow, small) = &others[LINES / 4];
    let panels = vec![
        panel("the widest margin", &best, width, Some(support(&model, &places))),
        panel("another line that separates", small, *narrow, None),
    ];
    let svg =
        Panels { panels, across: 2 }.file("Wide and narrow margins", "Two classes, the line with the widest margin and another one")?;
    shown.figures.push(("margin.svg".into(), svg));
    Ok(shown)
}

fn soft(control: &Control) -> Result<Shown> {
    let mut shown = Shown::default();
    let (places, codes) = clouds(60, 1.1, 5);
    let sign = |i: usize| if codes[i] == 1 { 1.0 } else { -1.0 };
    let (c, data) = (1.0, plane(&places)?);
    let model = linear(c, &data, &codes, control)?;
    let (line, f) = (Straight::of(&model, control)?, scores(&model, &data, control)?);
    // The foot of the perpendicular lies on the line, |f| / |w| away.
    let foot = |i: usize| {
        let far = f[i] / line.length().powi(2);
        [places[i][0] - far * line.w[0], places[i][1] - far * line.w[1]]
    };
    let off = (0..places.len()).map(|i| line.distance(foot(i)).abs()).fold(0.0, f64::max);
    let apart = |i: usize| (places[i][0] - foot(i)[0]).hypot(places[i][1] - foot(i)[1]);
    let wrong = (0..places.len()).map(|i| (apart(i) - f[i].abs() / line.length()).abs()).fold(0.0, f64::max);
    shown.number(
        "greatest difference of |f| / |w| from the distance to the line",
        wrong.max(off),
        "0 up to rounding",
        wrong.max(off) <= 1e-9,
    );
    let slack: Vec<f64> = (0..places.len()).map(|i| (1.0 - sign(i) * f[i]).max(0.0)).collect();
    let mut coefficient = vec![0.0; places.len()];
    if let Some(e) = Fitted::expansion(&model.fitted).filter(|e| !e.support.is_empty()) {
        model.support_rows().iter().enumerate().for_each(|(s, &i)| coefficient[i] = e.coef[(s, 0)].abs());
    }
    let bound = |i: usize| coefficient[i] >= c * (1.0 - 1e-6);
    let agrees = |i: usize| if slack[i] > 1e-6 { bound(i) } else { coefficient[i] == 0.0 || sign(i) * f[i] <= 1.0 + 1e-6 };
    let kept = coefficient.iter().any(|a| *a != 0.0);
    let right = (0..places.len()).filter(|&i| agrees(i)).count();
    if kept {
        shown.finding(
            "rows with a slack whose coefficient is c, and others on or beyond the margin",
            right.to_string(),
            "all 60",
            right == places.len(),
        );
    }
    let over = slack.iter().filter(|s| **s > 1.0).count();
    let mistakes = (0..places.len()).filter(|&i| sign(i) * f[i] < 0.0).count();
    shown.finding("rows with a slack above 1", over.to_string(), format!("{mistakes}, those on the wrong side"), over == mistakes);
    let ends = places.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), p| (l.min(p[0]), h.max(p[0])));
    let upwards = places.iter().fold([f64::INFINITY, f64::NEG_INFINITY], |[l, h], p| [l.min(p[1] - 0.5), h.max(p[1] + 0.5)]);
    let ringed = (0..places.len()).filter(|&i| slack[i] > 0.0 || (sign(i) * f[i] - 1.0).abs() <= 1e-6);
    let words = (0..places.len()).filter(|&i| slack[i] > 0.3).map(|i| (places[i], format!("ξ={:.1}", slack[i]))).collect();
    let far = (0..places.len()).max_by(|&a, &b| f[a].abs().total_cmp(&f[b].abs())).unwrap_or(0);
    let rows = |rest: Vec<(String, Layer)>| {
        let mut layers = vec![
            ("line".to_owned(), line.at(0.0, ends.0, ends.1)),
            ("class 0".into(), rows_of(&places, &codes, 0)),
            ("class 1".into(), rows_of(&places, &codes, 1)),
        ];
        layers.extend(rest);
        layers
    };
    let distance = Panel {
        title: "signed distance f / |w|".into(),
        axes: ["x1".into(), "x2".into()],
        layers: rows(vec![
            ("distance".into(), Layer::Line(vec![foot(far), places[far]])),
            (String::new(), Layer::Words(vec![(places[far], format!("{:.2}", f[far] / line.length()))])),
        ]),
        upwards: Some(upwards),
    };
    let slacks = Panel {
        title: "slacks of a soft margin".into(),
        axes: ["x1".into(), "x2".into()],
        layers: rows(vec![
            ("margin".into(), line.at(1.0, ends.0, ends.1)),
            (String::new(), line.at(-1.0, ends.0, ends.1)),
            ("support".into(), Layer::Rings(ringed.map(|i| places[i]).collect())),
            (String::new(), Layer::Words(words)),
        ]),
        upwards: Some(upwards),
    };
    let svg = Panels { panels: vec![distance, slacks], across: 2 }
        .file("Distances and slacks", "Two classes that overlap, the separating line, its margin and the rows within it")?;
    shown.figures.push(("soft_margin.svg".into(), svg));
    Ok(shown)
}
