//! The regularisation path of a support vector machine (Murphy 14.5.3; Hastie et al. 2004): coefficients along C, from a margin so wide that
//! every row is a support vector at its bound, and the errors by C beside cold fits.

use super::made::{Draw, fit, plane, points, scores, two_classes};
use super::{Demo, Shown};
use mercer::control::Control;
use mercer::data::{Examples, Split};
use mercer::error::Result;
use mercer::kernels::KernelExpr;
use mercer::learner::{PathSettings, TablePath};
use mercer::prep::Recipe;
use mercer::report::{Layer, Panel, Panels};

pub(super) const DEMO: Demo = Demo {
    name: "svm_path",
    figures: &[],
    about: "the regularisation path of a support vector machine: every coefficient is linear in 1/C between breakpoints",
    run,
};

fn run(control: &Control) -> Result<Shown> {
    const ROWS: usize = 40;
    const TEST_ROWS: usize = 1000;
    const KERNEL: &str = "rbf(gamma=0.5)";
    let mut draw = Draw::new(7);
    let mut cloud = |count: usize| -> (Vec<[f64; 2]>, Vec<usize>) {
        let codes: Vec<usize> = (0..count).map(|i| i % 2).collect();
        let side = |code: usize| if code == 1 { 0.7 } else { -0.7 };
        (codes.iter().map(|&k| [draw.normal(side(k), 1.0), draw.normal(side(k), 1.0)]).collect(), codes)
    };
    let ((places, codes), (new, truth)) = (cloud(ROWS), cloud(TEST_ROWS));
    let (data, target, new) = (plane(&places)?, two_classes(&codes), plane(&new)?);
    let settings = PathSettings {
        prep: Recipe { standardise: false, ..Recipe::default() },
        kernel: Some(KernelExpr::parse(KERNEL)?),
        ..PathSettings::default()
    };
    let examples = Examples { data: &data, target: &target, weights: None, split: &Split::Rows };
    let found = TablePath::of(&examples, &settings, control)?;
    let (breaks, alphas) = (found.path.breakpoints(), found.path.alphas(control)?);
    let mut shown = Shown::default();
    let least = alphas.row(0).iter().copied().fold(f64::INFINITY, f64::min);
    shown.number("least alpha at the first breakpoint", least, "1: every row is at its bound", (least - 1.0).abs() <= 1e-9);
    let (first, last) = (breaks[0].c, breaks[breaks.len() - 1].c);
    let mut worst: f64 = 0.0;
    let some = [0.1, 0.3, 0.5, 0.7].map(|share| first * (last / first).powf(share));
    let along = found.decision_function(&new, &some, control)?;
    for (place, c) in some.iter().enumerate() {
        let cold = scores(&fit(&format!("svc(c={c}, tolerance=1e-10)"), KERNEL, &data, &target, control)?, &new, control)?;
        worst = cold.iter().zip(along.col(place)).fold(worst, |m, (a, b)| m.max((a - b).abs()));
    }
    shown.number("greatest difference of decision values from four cold fits", worst, "at most 1e-6", worst <= 1e-6);
    let f = found.decision_function(&new, &breaks.iter().map(|b| b.c).collect::<Vec<_>>(), control)?;
    let error = |place: usize| {
        let wrong = f.col(place).iter().zip(&truth).filter(|(f, k)| (**f > 0.0) != (**k == 1)).count();
        wrong as f64 / TEST_ROWS as f64
    };
    let errors: Vec<f64> = (0..breaks.len()).map(error).collect();
    let best = errors.iter().copied().fold(f64::INFINITY, f64::min);
    let end = errors[errors.len() - 1];
    shown.number("least error on 1000 other rows along the path", best, format!("below {end}, that at its end"), best < end);
    let powers: Vec<f64> = breaks.iter().map(|b| b.c.log10()).collect();
    let lines = (0..ROWS).map(|i| points(&powers, &alphas.col(i))).collect();
    let of_training = breaks.iter().map(|b| b.error).collect::<Vec<_>>();
    let panel =
        |title: &str, upwards: &str, layers| Panel { title: title.into(), axes: ["log10 C".into(), upwards.into()], layers, upwards: None };
    let panels = vec![
        panel("coefficients", "alpha", vec![(String::new(), Layer::Contours(lines))]),
        panel(
            "errors",
            "error",
            vec![
                ("training rows".into(), Layer::Line(points(&powers, &of_training))),
                ("other rows".into(), Layer::Line(points(&powers, &errors))),
            ],
        ),
    ];
    let svg = Panels { panels, across: 2 }
        .file("Path of a support vector machine", "Coefficients of 40 rows along the penalty C, and errors on training and other rows")?;
    shown.figures.push(("svm_path.svg".into(), svg));
    Ok(shown)
}
