//! Numbers drawn from Gaussian processes of infinitely wide networks with one activation each, given to a mixture of the kernels of five
//! (Lee et al. 2018; GP14): the evidence learns the weights, and they say which one the numbers came from.

use super::made::{Draw, column, even, fit, points};
use super::{Demo, Shown};
use mercer::control::Control;
use mercer::data::{Dataset, Target};
use mercer::error::Result;
use mercer::gram::{self, Side};
use mercer::kernels::KernelExpr;
use mercer::linalg::Cholesky;
use mercer::report::{Layer, Panel, Panels};

pub(super) const DEMO: Demo = Demo {
    name: "activations",
    figures: &[],
    about: "a mixture of kernels of networks, one for each activation, whose weights the evidence learns: it finds the one that made the numbers",
    run,
};

/// Those of the mixture, in its order.
const ACTIVATIONS: [&str; 5] = ["relu", "erf", "tanh", "sigmoid", "gelu"];
/// Of the network: one hidden layer.
const NETWORK: &str = "depth=1, weight_variance=6, bias_variance=0.1";
/// Variance of the noise.
const NOISE: f64 = 1e-4;

/// Numbers drawn from the process of a kernel at these rows, with noise.
fn drawn(kernel: &KernelExpr, data: &Dataset, seed: u64, control: &Control) -> Result<Vec<f64>> {
    let mut k = gram::dense(kernel.clone().bind(None, data)?.as_ref(), control)?;
    k.add_to_diagonal(&[NOISE]);
    let factor = Cholesky::new(k, control)?.into_lower().to_matrix();
    let mut draw = Draw::new(seed);
    let z: Vec<f64> = (0..data.rows()).map(|_| draw.normal(0.0, 1.0)).collect();
    Ok((0..data.rows()).map(|i| factor.row(i)[..=i].iter().zip(&z).map(|(l, z)| l * z).sum()).collect())
}

/// The part of the variance that a kernel of the mixture gives to the numbers, one for each activation.
fn shares(mixture: &KernelExpr, variances: &[f64]) -> Vec<f64> {
    let factors = mixture.values().into_iter().filter(|p| p.path.ends_with("scale")).map(|p| p.value.number());
    let given: Vec<f64> = factors.zip(variances).map(|(factor, variance)| factor * variance).collect();
    let whole: f64 = given.iter().sum();
    given.iter().map(|v| v / whole).collect()
}

fn run(control: &Control) -> Result<Shown> {
    const ROWS: usize = 140;
    const DRAWS: u64 = 2;
    // Less of the variance than this may go to kernels of other activations.
    const MOST: f64 = 0.8;
    let mut shown = Shown::default();
    let at = even(-2.0, 2.0, ROWS);
    let data = column(&at)?;
    let own = |activation: &str| KernelExpr::parse(&format!("nngp(activation={activation}, {NETWORK})"));
    let variance = |activation: &&str| -> Result<f64> {
        Ok(own(activation)?.bind(None, &data)?.diagonal(Side::Rows).iter().sum::<f64>() / ROWS as f64)
    };
    let variances = ACTIVATIONS.iter().map(variance).collect::<Result<Vec<_>>>()?;
    let mut panels = Vec::new();
    for (k, activation) in ACTIVATIONS.into_iter().enumerate() {
        let mut mean = vec![0.0; ACTIVATIONS.len()];
        let mut layers = Vec::new();
        for seed in 1..=DRAWS {
            let y = drawn(&own(activation)?, &data, seed, control)?;
            let process = format!("gp(noise={NOISE}, variance=1, standardise_target=false)");
            let model = fit(&process, &format!("activations(nngp({NETWORK}))"), &data, &Target::numbers(&y), control)?;
            mean.iter_mut().zip(shares(model.kernel.expr(), &variances)).for_each(|(m, s)| *m += s / DRAWS as f64);
            layers.push((format!("draw {seed}"), Layer::Line(points(&at, &y))));
        }
        // Kernels of erf and tanh hardly differ.
        let alike: &[usize] = if matches!(activation, "erf" | "tanh") { &[1, 2] } else { &[k] };
        let names = alike.iter().map(|&k| ACTIVATIONS[k]).collect::<Vec<_>>().join(" or ");
        let found: f64 = alike.iter().map(|&k| mean[k]).sum();
        shown.number(
            format!("numbers drawn with {activation}: share of the variance given to {names}"),
            found,
            format!("above {MOST}"),
            found > MOST,
        );
        let title = format!("drawn with {activation}; given to {names}: {found:.1}");
        panels.push(Panel { title, axes: ["x".into(), "y".into()], layers, upwards: None });
    }
    let svg = Panels { panels, across: 2 }.file(
        "Which activation made the numbers",
        "Draws from Gaussian processes of networks with one activation each, and the weights that the evidence gives to the kernels of five",
    )?;
    shown.figures.push(("activations.svg".into(), svg));
    Ok(shown)
}
