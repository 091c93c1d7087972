//! Fig 14.1: two sets of points under three nested grids, with the cells that hold points of both.
//!
//! By hand: cells of side 1/4 hold (.1, .1) with (.2, .2) and (.6, .3) with (.7, .4), two pairs; of side 1/2 besides (.3, .6) with either of
//! (.4, .9) and (.1, .7), three; the whole square all four points of the smaller set. New pairs 2, 1, 1 count 1, 1/2, 1/4: 2.75.

use super::{Demo, Shown};
use mercer::control::Control;
use mercer::data::{Column, Dataset, Sets, Values};
use mercer::error::Result;
use mercer::gram;
use mercer::kernels::KernelExpr;
use mercer::report::{Layer, Panel, Panels};

pub(super) const DEMO: Demo = Demo {
    name: "pyramid",
    figures: &["14.1"],
    about: "the pyramid match kernel: two sets of points are matched in cells whose side doubles from level to level",
    run,
};

const ONE: [[f64; 2]; 4] = [[0.1, 0.1], [0.3, 0.6], [0.6, 0.3], [0.9, 0.9]];
const OTHER: [[f64; 2]; 5] = [[0.2, 0.2], [0.4, 0.9], [0.6, 0.2], [0.7, 0.4], [0.1, 0.7]];

fn run(control: &Control) -> Result<Shown> {
    let mut shown = Shown::default();
    let set = |points: &[[f64; 2]]| points.iter().map(|p| p.to_vec()).collect::<Vec<_>>();
    let values = Values::Sets(Sets::of_rows(&[set(&ONE), set(&OTHER)])?);
    let data = Dataset::new(vec![Column { name: "points".into(), values }])?;
    let value = |kernel: &str| -> Result<f64> {
        let bound = KernelExpr::parse(kernel)?.bind(None, &data)?;
        Ok(gram::dense(bound.as_ref(), control)?[(0, 1)])
    };
    let (mut panels, mut before) = (Vec::new(), 0.0);
    for (level, (cells, by_hand)) in [(4, [2.0, 2.0, 1.0]), (2, [3.0, 1.0, 0.5]), (1, [4.0, 1.0, 0.25])].into_iter().enumerate() {
        let shared = value(&format!("pyramid_match(levels=0, side={})", 1.0 / f64::from(cells)))?;
        let found = [shared, shared - before, 0.5f64.powi(level as i32)];
        let words = |[shared, new, weight]: [f64; 3]| format!("{shared} shared, {new} new, times {weight}: {}", new * weight);
        shown.finding(format!("level {level}, {cells} x {cells} cells"), words(found), words(by_hand), found == by_hand);
        before = shared;
        panels.push(panel(format!("{cells} x {cells} cells: {shared} pairs"), cells));
    }
    let k = value("pyramid_match(levels=2, side=1)")?;
    shown.number("the kernel: the sum over levels", k, "2.75", (k - 2.75).abs() < 1e-14);
    let svg = Panels { panels, across: 3 }.file("Pyramid match", "Two sets of points under grids of three sides")?;
    shown.figures.push(("pyramid.svg".into(), svg));
    Ok(shown)
}

fn panel(title: String, cells: i32) -> Panel {
    let lines =
        (0..=cells).map(|k| f64::from(k) / f64::from(cells)).flat_map(|at| [vec![[at, 0.0], [at, 1.0]], vec![[0.0, at], [1.0, at]]]);
    let layers = vec![
        ("cells".to_owned(), Layer::Contours(lines.collect())),
        ("one set".into(), Layer::Marks(0, ONE.to_vec())),
        ("the other".into(), Layer::Marks(1, OTHER.to_vec())),
    ];
    Panel { title, axes: ["x1".into(), "x2".into()], layers, upwards: Some([0.0, 1.0]) }
}
