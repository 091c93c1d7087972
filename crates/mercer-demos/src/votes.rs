//! Fig 14.14: three classes separated by binary machines. Each class against the rest leaves places that two classes claim; each against
//! each leaves places where every class has one vote. A softmax orders the classes at every place.

use super::made::{Draw, even, fit, plane, rows_of, scores, two_classes};
use super::{Demo, Shown};
use mercer::control::Control;
use mercer::data::{Dataset, Target};
use mercer::error::{Error, Result};
use mercer::estimators::Want;
use mercer::report::{Layer, Panel, Panels, contours};

pub(super) const DEMO: Demo = Demo {
    name: "three_classes",
    figures: &["14.14"],
    about: "three classes by machines of two: regions that two classes claim, or that have a vote for each; a softmax has none",
    run,
};

const PAIRS: [(usize, usize); 3] = [(0, 1), (0, 2), (1, 2)];
const ROWS: usize = 120;

/// A row of a class: clouds lie around the middle like the blades of a mill, each turned by the same angle.
fn blade(class: usize, draw: &mut Draw) -> [f64; 2] {
    let (towards, turned) = (class as f64 * std::f64::consts::TAU / 3.0, 0.9);
    let (along, across) = (draw.normal(0.0, 1.2), draw.normal(0.0, 0.4));
    let (sin, cos) = (towards + turned).sin_cos();
    [2.4 * towards.cos() + along * cos - across * sin, 2.4 * towards.sin() + along * sin + across * cos]
}

/// Decisions between two classes at each place of the plane, and the figures that are above 0 on one side of their lines.
struct Region {
    title: &'static str,
    claims: [Vec<f64>; 3],
    odd: Vec<bool>,
}

impl Region {
    /// Share of the plane where the class is ambiguous.
    fn area(&self) -> f64 {
        self.odd.iter().filter(|o| **o).count() as f64 / self.odd.len() as f64
    }
}

/// Whether each of three classes wins once: their pairs go round in a ring. Above 0 is for the second of a pair.
fn ring(pairs: &[Vec<f64>; 3], place: usize) -> bool {
    let mut votes = [0; 3];
    for (&(a, b), f) in PAIRS.iter().zip(pairs) {
        votes[if f[place] > 0.0 { b } else { a }] += 1;
    }
    votes == [1; 3]
}

/// Each class against all others.
fn against_the_rest(data: &Dataset, codes: &[usize], judged: &Dataset, control: &Control) -> Result<Region> {
    let claim = |class: usize| {
        let one: Vec<usize> = codes.iter().map(|k| usize::from(*k == class)).collect();
        scores(&fit("svc(c=1)", "linear", data, &two_classes(&one), control)?, judged, control)
    };
    let claims = [claim(0)?, claim(1)?, claim(2)?];
    let odd = (0..judged.rows()).map(|i| claims.iter().filter(|f| f[i] > 0.0).count() == 2).collect();
    Ok(Region { title: "each against the rest", claims, odd })
}

/// Each class against each other: the decision values of pairs.
fn against_each(data: &Dataset, target: &Target, judged: &Dataset, control: &Control) -> Result<Region> {
    let found = fit("svc(c=1)", "linear", data, target, control)?.predict(judged, Want { scores: true, ..Want::default() }, control)?;
    let values = found.scores.filter(|_| found.pairs == PAIRS).ok_or_else(|| Error::Data("no decision values of pairs".into()))?;
    let claims = [0, 1, 2].map(|k| values.col(k));
    let odd = (0..judged.rows()).map(|i| ring(&claims, i)).collect();
    Ok(Region { title: "each against each", claims, odd })
}

/// One machine of all classes: the log-odds of pairs.
fn softmax(data: &Dataset, target: &Target, judged: &Dataset, control: &Control) -> Result<Region> {
    let found = fit("l2vm(lambda=0.1)", "linear", data, target, control)?;
    let found = found.predict(judged, Want { probabilities: true, ..Want::default() }, control)?.probabilities;
    let p = found.ok_or_else(|| Error::Data("no probabilities".into()))?;
    let claims = PAIRS.map(|(a, b)| (0..p.rows()).map(|i| p[(i, b)].ln() - p[(i, a)].ln()).collect());
    let odd = (0..judged.rows()).map(|i| ring(&claims, i)).collect();
    Ok(Region { title: "softmax", claims, odd })
}

fn run(control: &Control) -> Result<Shown> {
    // Places along a side of the plane, and how far it goes.
    const SIDE: usize = 201;
    const FAR: f64 = 5.0;
    let mut draw = Draw::new(14);
    let codes: Vec<usize> = (0..ROWS).map(|i| i % 3).collect();
    let places: Vec<[f64; 2]> = codes.iter().map(|&k| blade(k, &mut draw)).collect();
    let target = Target::Classes { codes: codes.clone(), names: (0..3).map(|k| k.to_string()).collect() };
    let at = even(-FAR, FAR, SIDE);
    let grid: Vec<[f64; 2]> = at.iter().flat_map(|y| at.iter().map(|x| [*x, *y])).collect();
    let (data, judged) = (plane(&places)?, plane(&grid)?);
    let regions = [
        against_the_rest(&data, &codes, &judged, control)?,
        against_each(&data, &target, &judged, control)?,
        softmax(&data, &target, &judged, control)?,
    ];
    let mut shown = Shown::default();
    let [rest, each, one] = &regions;
    shown.number("each against the rest: share of the plane that two classes claim", rest.area(), "above 0", rest.area() > 0.0);
    shown.number("each against each: share of the plane with a vote for every class", each.area(), "above 0", each.area() > 0.0);
    shown.number("softmax: the same", one.area(), "0: log-odds of pairs add up", one.area() == 0.0);
    let panels = regions.iter().map(|region| {
        let mut layers: Vec<(String, Layer)> = (0..3).map(|k| (format!("class {k}"), rows_of(&places, &codes, k))).collect();
        let lines = region.claims.iter().flat_map(|f| {
            let far = f.iter().fold([0.0_f64; 2], |[low, high], v| [low.max(-v), high.max(*v)]);
            let far = far[0].min(far[1]);
            contours(&at, &at, &f.iter().map(|v| v.clamp(-far, far)).collect::<Vec<_>>(), 1)
        });
        layers.push(("decisions".into(), Layer::Contours(lines.collect())));
        let odd: Vec<usize> = (0..grid.len()).filter(|&i| region.odd[i]).collect();
        let step = ((odd.len() as f64 / 100.0).sqrt().round() as usize).max(4);
        let some = odd.iter().filter(|&i| (i / SIDE).is_multiple_of(step) && (i % SIDE).is_multiple_of(step)).map(|&i| grid[i]);
        layers.push(("ambiguous".into(), Layer::Rings(some.collect())));
        Panel { title: region.title.into(), axes: ["x1".into(), "x2".into()], layers, upwards: Some([-FAR, FAR]) }
    });
    let svg = Panels { panels: panels.collect(), across: 3 }
        .file("Three classes by machines of two", "Three clouds of rows and the places where machines of two classes are ambiguous")?;
    shown.figures.push(("three_classes.svg".into(), svg));
    Ok(shown)
}
