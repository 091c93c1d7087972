//! Inducing inputs that move: the bound of a Gaussian process through a few rows (Titsias 2009) is a smooth function of these rows too, so
//! that L-BFGS takes them, the kernel, the noise and the variance to where the bound is greater, all together.
//!
//! The inputs stand behind the training rows in one Gram matrix: derivatives by its values give those by the parameters of the kernel
//! (`Bound::gradient`) and by the inputs (`Bound::input_gradient`).

use super::free::{Free, Setting, free_parameters};
use crate::control::Control;
use crate::data::{Dataset, Examples, Kind};
use crate::error::{Error, Result};
use crate::estimators::{EstimatorExpr, Gp, Task, View};
use crate::gram::{PairWeights, Subset};
use crate::kernels::KernelExpr;
use crate::linalg::Matrix;
use crate::solve::Minimiser;

/// A kernel and a Gaussian process that are settled, and the inducing inputs they were settled with.
pub(crate) struct MovedInducing {
    pub(crate) kernel: KernelExpr,
    pub(crate) gp: Gp,
    /// As prepared rows.
    pub(crate) inputs: Dataset,
}

/// What moves.
struct Moving<'a> {
    start: Setting,
    free: Vec<Free>,
    examples: &'a Examples<'a>,
    /// The prepared training rows, and behind them those that inducing inputs begin at.
    rows: Dataset,
    /// Numbers of the inputs in one unit of a coordinate, for each number of a row; 0 of those that stay.
    units: Vec<f64>,
    seed: u64,
}

impl Moving<'_> {
    fn gp(setting: &Setting) -> Result<&Gp> {
        match &setting.estimator {
            EstimatorExpr::Gp(gp) => Ok(gp),
            other => {
                Err(Error::Setting { name: "inducing".into(), why: format!("{} has no inducing rows; fit gp(inducing=500)", other.name()) })
            }
        }
    }

    /// Minus the bound with its derivatives by the coordinates of free parameters and by the numbers of the inputs.
    fn value(&self, x: &[f64], z: &Matrix, control: &Control) -> Result<(f64, Vec<f64>, Matrix)> {
        let (examples, n) = (self.examples, self.examples.rows());
        let setting = self.start.with(&self.free, x)?;
        let rows = self.rows.clone().with_last_numbers(z)?;
        let kernel = setting.kernel.learn(examples.data, examples.weights, control)?;
        let reference = kernel.reference(&rows, control)?;
        let among = reference.among(control)?;
        let training: Vec<usize> = (0..n).collect();
        let view = Subset::new(among.as_ref(), &training, &training);
        let task = Task { view: View::Values(&view), target: examples.target, weights: examples.weights, control, seed: self.seed };
        let found = Self::gp(&setting)?.criterion_behind(among.as_ref(), &task)?;
        let by_kernel = among.gradient(&found.weights, control)?;
        let slopes = self.free.iter().zip(x).map(|(f, x)| f.slope(*x, &by_kernel, &found.own)).collect();
        let PairWeights::Centres(with) = &found.weights else { return Err(Error::Data("a bound weighs rows with inducing rows".into())) };
        // A pair of inducing inputs counts for both of them.
        let weight = |j: usize, i: usize| with.values[(i, j)] + if i < n { 0.0 } else { with.values[(n + j, i - n)] };
        control.plan("the gradient in inducing inputs", 16 * with.values.data().len() as u64)?;
        let weights = Matrix::from_fn(z.rows(), rows.rows(), weight);
        let inputs: Vec<usize> = (n..rows.rows()).collect();
        Ok((found.value, slopes, reference.cross(&rows.select(&inputs), control)?.input_gradient(&weights, control)?))
    }

    /// The numbers of the inputs at coordinates.
    fn inputs(&self, from: &Matrix, x: &[f64]) -> Matrix {
        let d = from.cols();
        Matrix::from_fn(from.rows(), d, |j, c| from[(j, c)] + self.units[c] * x[j * d + c])
    }
}

/// Moves inducing inputs, which begin at some of the training rows, with all that was open in a kernel and an estimator.
///
/// # Errors
/// An estimator without inducing rows; a kernel without a derivative in its inputs, or of all training rows; bounds of `control`, but that
/// of time once a bound is known.
pub(crate) fn move_inducing(
    (open_kernel, open_estimator): (&KernelExpr, &EstimatorExpr),
    (kernel, estimator): (&KernelExpr, &EstimatorExpr),
    chosen: &[usize],
    examples: &Examples<'_>,
    control: &Control,
    seed: u64,
) -> Result<MovedInducing> {
    // Steps of L-BFGS at most, and the relative decrease of the bound at which they end.
    const STEPS: usize = 100;
    const DECREASE: f64 = 1e-4;
    if kernel.needs_training_rows() {
        return Err(Error::Data(format!(
            "{kernel} compares with all training rows, so that no inducing input moves; take a kernel of pairs"
        )));
    }
    let start = Setting { kernel: kernel.clone(), estimator: estimator.clone() };
    let free = free_parameters(open_kernel, open_estimator, &start, Kind::Numbers);
    let all: Vec<usize> = (0..examples.rows()).chain(chosen.iter().copied()).collect();
    let rows = examples.data.select(&all);
    let mut moving = Moving { start, free, examples, units: Vec::new(), rows, seed };
    let from = examples.data.select(chosen).numbers();
    let x0: Vec<f64> = moving.free.iter().map(Free::coordinate).collect();
    let (_, _, slopes) = moving.value(&x0, &from, control)?;
    moving.units = units(&slopes);
    let count = moving.free.len();
    let mut best = (f64::INFINITY, Vec::new());
    let mut value = |x: &[f64]| -> Result<(f64, Vec<f64>)> {
        control.check()?;
        match moving.value(&x[..count], &moving.inputs(&from, &x[count..]), control) {
            Ok((value, mut slopes, by_input)) => {
                if value < best.0 {
                    best = (value, x.to_vec());
                }
                slopes.extend(by_input.data().iter().zip(moving.units.iter().cycle()).map(|(slope, unit)| slope * unit));
                Ok((value, slopes))
            }
            Err(Error::Numerical { .. }) => Ok((f64::INFINITY, vec![0.0; x.len()])),
            Err(other) => Err(other),
        }
    };
    let mut bounds: Vec<(f64, f64)> = moving.free.iter().map(Free::bounds).collect();
    bounds.resize(count + from.data().len(), (f64::NEG_INFINITY, f64::INFINITY));
    let solver = Minimiser { max_iterations: STEPS, tolerance: 1e-3, decrease: DECREASE, ..Minimiser::new(bounds) };
    let at = [x0, vec![0.0; from.data().len()]].concat();
    match solver.minimise(&mut value, &at, control) {
        // What was found before time was up is not lost.
        Err(Error::Time { .. }) if best.0.is_finite() => {}
        other => drop(other?),
    }
    let (_, x) = best;
    let setting = moving.start.with(&moving.free, &x[..count])?;
    let gp = Moving::gp(&setting)?.clone();
    let inputs = examples.data.select(chosen).with_last_numbers(&moving.inputs(&from, &x[count..]))?;
    Ok(MovedInducing { kernel: setting.kernel, gp, inputs })
}

/// Units in which the slopes in all numbers are of one size, their geometric mean 1: long length scales have long steps.
fn units(slopes: &Matrix) -> Vec<f64> {
    let square = |c: usize| slopes.col(c).iter().map(|g| g * g).sum::<f64>();
    let sizes: Vec<f64> = (0..slopes.cols()).map(|c| square(c).sqrt()).collect();
    let known: Vec<f64> = sizes.iter().filter(|size| **size > 0.0).map(|size| size.ln()).collect();
    let middle = (known.iter().sum::<f64>() / known.len().max(1) as f64).exp();
    sizes.iter().map(|size| if *size > 0.0 { middle / size } else { 0.0 }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Column, Split, Target, Values};

    #[test]
    fn derivatives_in_parameters_and_inputs_are_those_of_differences() {
        let wave = |step: f64| Values::Numbers((0..14).map(|i| (step * (f64::from(i) + 0.4)).sin()).collect());
        let columns = [("a", 0.9), ("b", 2.3)].map(|(name, step)| Column { name: name.into(), values: wave(step) });
        let data = Dataset::new(columns.to_vec()).unwrap();
        let target = Target::numbers(&(0..14).map(|i| (1.7 * f64::from(i)).cos()).collect::<Vec<_>>());
        let weights: Vec<f64> = (0..14).map(|i| 0.5 + f64::from(i) / 9.0).collect();
        let examples = Examples { data: &data, target: &target, weights: Some(&weights), split: &Split::Rows };
        let control = Control::default();
        let open = (KernelExpr::parse("rbf(ard=true) + on(a, linear)").unwrap(), EstimatorExpr::parse("gp(inducing=4)").unwrap());
        let settled = "rbf(length_scale=[0.8, 1.3], ard=true) + on(a, linear)";
        let estimator = EstimatorExpr::parse("gp(noise=0.2, variance=1.4, inducing=4)").unwrap();
        let start = Setting { kernel: KernelExpr::parse(settled).unwrap(), estimator };
        let free = free_parameters(&open.0, &open.1, &start, Kind::Numbers);
        let rows = data.select(&[(0..14).collect::<Vec<_>>(), vec![1, 4, 8, 11]].concat());
        let from = data.select(&[1, 4, 8, 11]).numbers();
        let moving = Moving { start, free, examples: &examples, units: vec![1.0; 2], rows, seed: 0 };
        let x: Vec<f64> = moving.free.iter().map(Free::coordinate).collect();
        let z = Matrix::from_fn(4, 2, |j, c| from[(j, c)] + 0.05 * (j as f64 - c as f64));
        let (_, slopes, by_input) = moving.value(&x, &z, &control).unwrap();
        let h = 1e-5;
        let near = |found: f64, expected: f64| assert!((found - expected).abs() <= 1e-7 * (1.0 + expected.abs()), "{found} {expected}");
        for k in 0..x.len() {
            let at = |by: f64| {
                let mut x = x.clone();
                x[k] += by;
                moving.value(&x, &z, &control).unwrap().0
            };
            near(slopes[k], (at(h) - at(-h)) / (2.0 * h));
        }
        for (j, c) in [(0, 0), (1, 1), (2, 0), (3, 1)] {
            let at = |by: f64| {
                let mut z = z.clone();
                z[(j, c)] += by;
                moving.value(&x, &z, &control).unwrap().0
            };
            near(by_input[(j, c)], (at(h) - at(-h)) / (2.0 * h));
        }
    }
}
