//! Fig 14.15 (Hastie et al. 2009, Figure 12.6): errors of support vector machines on rows left out, by the penalty C and by gamma.
//! The narrower the kernel, the stronger the penalty has to hold it: so on these rows and on two of three draws of the mixture, for
//! the curves are flat near their least.

use super::made::{Draw, even, plane, points, two_classes};
use super::{Demo, Shown};
use mercer::control::Control;
use mercer::data::{Examples, Fold, Split, folds};
use mercer::error::Result;
use mercer::estimators::{EstimatorExpr, Predicted, Want};
use mercer::kernels::KernelExpr;
use mercer::report::{Layer, Panel, Panels};
use mercer::select::{Strip, grid};

pub(super) const DEMO: Demo = Demo {
    name: "penalties",
    figures: &["14.15"],
    about: "errors on rows left out, by C and by gamma: the narrower the kernel, the smaller the best C",
    run,
};

/// Variance of a row around its centre.
const VARIANCE: f64 = 0.2;

/// Ten centres of each class: rows are drawn around them.
struct Mixture([Vec<[f64; 2]>; 2]);

impl Mixture {
    fn new(draw: &mut Draw) -> Mixture {
        Mixture([[1.0, 0.0], [0.0, 1.0]].map(|middle| (0..10).map(|_| middle.map(|m| draw.normal(m, 1.0))).collect()))
    }
    /// A row of a class.
    fn row(&self, class: usize, draw: &mut Draw) -> [f64; 2] {
        let centre = self.0[class][draw.between(0.0, 10.0) as usize % 10];
        centre.map(|m| draw.normal(m, VARIANCE.sqrt()))
    }
    /// p(x | class), but for a factor of both.
    fn density(&self, class: usize, x: [f64; 2]) -> f64 {
        self.0[class].iter().map(|m| (-0.5 * ((x[0] - m[0]).powi(2) + (x[1] - m[1]).powi(2)) / VARIANCE).exp()).sum()
    }
    /// The Bayes error rate: the least share of misclassified rows.
    fn least_error(&self, draw: &mut Draw) -> f64 {
        // Draws that the least error there can be is averaged over.
        const DRAWS: usize = 20_000;
        let wrong = |i: usize| {
            let x = self.row(i % 2, draw);
            self.density(i % 2, x) < self.density(1 - i % 2, x)
        };
        (0..DRAWS).map(wrong).filter(|w| *w).count() as f64 / DRAWS as f64
    }
}

fn run(control: &Control) -> Result<Shown> {
    const ROWS: usize = 200;
    const GAMMAS: [f64; 4] = [0.1, 0.5, 1.0, 5.0];
    // Five folds so many times, each time others.
    const TIMES: u64 = 8;
    let mut draw = Draw::new(16);
    let mixture = Mixture::new(&mut draw);
    let codes: Vec<usize> = (0..ROWS).map(|i| i % 2).collect();
    let places: Vec<[f64; 2]> = codes.iter().map(|&k| mixture.row(k, &mut draw)).collect();
    let (data, target) = (plane(&places)?, two_classes(&codes));
    let powers = even(-2.0, 3.0, 21);
    let penalties = powers.iter().map(|p| EstimatorExpr::parse(&format!("svc(c={})", 10f64.powf(*p)))).collect::<Result<Vec<_>>>()?;
    let kernel = |gamma: &f64| Ok(Strip { kernel: KernelExpr::parse(&format!("rbf(gamma={gamma})"))?, estimators: penalties.clone() });
    let strips = GAMMAS.iter().map(kernel).collect::<Result<Vec<_>>>()?;
    let left_out: Vec<Fold> = (0..TIMES).map(|seed| folds(&target, &Split::Rows, 5, seed)).collect::<Result<Vec<_>>>()?.concat();
    let examples = Examples { data: &data, target: &target, weights: None, split: &Split::Rows };
    let cells = grid(&strips, &examples, &left_out, Want::default(), control, 1)?;
    let mut errors = vec![vec![0.0; penalties.len()]; strips.len()];
    for (errors, folds) in errors.iter_mut().zip(cells) {
        for (fold, row) in left_out.iter().zip(folds) {
            for (error, cell) in errors.iter_mut().zip(row) {
                let Predicted::Classes(found) = cell.predictions?.values else { continue };
                let wrong = found.iter().zip(&fold.test).filter(|(found, i)| **found != codes[**i]).count();
                *error += wrong as f64 / (ROWS as u64 * TIMES) as f64;
            }
        }
    }
    let best = |errors: &[f64]| (0..errors.len()).min_by(|&a, &b| errors[a].total_cmp(&errors[b])).unwrap_or(0);
    let least = mixture.least_error(&mut draw);
    let mut shown = Shown::default();
    for (gamma, errors) in GAMMAS.iter().zip(&errors) {
        let error = errors[best(errors)];
        // The error of 200 rows has a standard error of its own.
        let allowed = 2.0 * (least * (1.0 - least) / ROWS as f64).sqrt();
        shown.number(
            format!("gamma={gamma}: least error, at C=1e{}", powers[best(errors)]),
            error,
            format!("at least Bayes' {least:.3}, up to two standard errors"),
            error >= least - allowed,
        );
    }
    let (wide, narrow) = (powers[best(&errors[2])], powers[best(&errors[3])]);
    shown.finding("log10 of the best C at gamma=5", narrow.to_string(), format!("below {wide}, that at gamma=1"), narrow < wide);
    let bayes = ("Bayes".to_owned(), Layer::Contours(vec![vec![[powers[0], least], [powers[powers.len() - 1], least]]]));
    let curve = |k: usize| (format!("gamma={}", GAMMAS[k]), Layer::Line(points(&powers, &errors[k])));
    let panel = |title: &str, mut layers: Vec<(String, Layer)>| {
        layers.push(bayes.clone());
        Panel { title: title.into(), axes: ["log10 C".into(), "error".into()], layers, upwards: Some([0.0, 0.5]) }
    };
    let panels = vec![panel("error on rows left out", (0..GAMMAS.len()).map(curve).collect()), panel("at gamma=5", vec![curve(3)])];
    let svg = Panels { panels, across: 2 }.file(
        "Errors by C and gamma",
        "Curves of the error on rows left out against the penalty, one for each gamma, above Bayes' error",
    )?;
    shown.figures.push(("penalties.svg".into(), svg));
    Ok(shown)
}
