//! Support vector regression with nu instead of epsilon (nu-SVR).
//!
//! ```text
//! minimise  1/2 |w|^2 + c (nu N epsilon + sum_i weight_i max(0, |t_i - f(x_i)| - epsilon))  over w, b and epsilon >= 0,   N = sum weight_i
//! ```
//!
//! The share of rows outside of the tube, by weight, is nu at most, and that of support vectors nu at least. The dual has a_i and ahat_i in
//! 0..c weight_i for each row, whose sums are c nu N / 2 each; f(x) = b + sum_i (a_i - ahat_i) k(x_i, x), and their offsets are b + epsilon
//! and b - epsilon. It is solved as it stands, with two variables for each row: once, with the sums met exactly and a certificate of its
//! own. A search of epsilon by `svr` takes four to six solutions and has no certificate where sum |a - ahat| jumps, as under kernels of low
//! rank. Schölkopf, Smola, Williamson and Bartlett (2000), New support vector algorithms; Chang and Lin (2002).

use super::by_class::ByClass;
use super::nu::GOAL;
use super::svm::{self, Totals};
use super::svr::{Scale, columns, start};
use crate::data::Kind;
use crate::error::Result;
use crate::estimators::targets::link::Link;
use crate::estimators::{Costs, Estimator, EstimatorFacts, ExpansionFit, Fit, FitContext, Size, Task};
use crate::gram::{Gram, Subset};
use crate::param::{Value, require_settled};
use crate::solve::smo::{self, Options, Problem};
use mercer_derive::Parameters;
use serde::{Deserialize, Serialize};

/// Support vector regression with nu.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Parameters)]
#[serde(deny_unknown_fields)]
pub struct NuSvr {
    /// upper bound on the share of rows outside of the tube, and lower bound on the share of support vectors
    #[param(default = 0.5, domain = UpToOne)]
    pub nu: Value,
    /// penalty C on residuals beyond the tube
    #[param(domain = Positive, search = 1e3)]
    pub c: Value,
    /// true: the target is centred and scaled while fitting, and c is in standard deviations; false: in target units
    #[param(default = true)]
    pub standardise_target: bool,
    /// greatest violation of the optimality conditions, in the units of the target while fitting, and greatest relative duality gap
    #[param(default = 1e-3, domain = Fraction)]
    pub tolerance: Value,
    /// most steps of the solver for each target column
    #[param(default = svm::MAX_ITERATIONS, domain = Integer(1, usize::MAX))]
    pub max_iterations: Value,
    /// kernel cache in MB; affects speed only
    #[param(default = svm::CACHE_MB, domain = Positive)]
    pub cache_mb: Value,
}

impl Estimator for NuSvr {
    const NAME: &'static str = "nu_svr";
    const DOC: &'static str =
        "support vector regression with nu, the share of rows outside of the tube, instead of the tube's half-width epsilon";
    const TAKES: &'static [Kind] = &[Kind::Numbers];
    type Fitted = ExpansionFit;

    fn facts(&self) -> EstimatorFacts {
        EstimatorFacts { ignores_shifts: true, skips_zero_weights: true, is_other_parametrisation: true, ..EstimatorFacts::default() }
    }

    /// As svr, with two variables for each row: kernel rows have twice as many values, and there are twice as many. Steps for each row do
    /// not fall.
    fn costs(&self, size: Size) -> Costs {
        // Operations for each pair of rows.
        const STEPS: f64 = 600.0;
        let twice = size.rows * size.outputs * 2;
        let costs = svm::costs(size, (2 * size.outputs, twice), &self.cache_mb, STEPS);
        let fit = if size.few().is_some() { costs.fit } else { STEPS * (size.rows as f64).powi(2) };
        Costs { kept_bytes: 4 * costs.kept_bytes, fit, ..costs }
    }

    fn start(&self, param: &str, task: &Task<'_>) -> Result<f64> {
        Ok(start(param, self.standardise_target, task))
    }

    fn fit_with(&self, task: &Task<'_>, _: &FitContext<'_, ExpansionFit>) -> Result<Fit<ExpansionFit>> {
        require_settled(self, Self::NAME)?;
        let c = svm::finite(Self::NAME, "c", &self.c)?;
        let nu = self.nu.number();
        let (columns, scales) = columns(task, self.standardise_target, Self::NAME)?;
        let n = task.rows();
        let problems: Vec<Problem> = columns.iter().zip(&scales).map(|(t, s)| both_sides(t, s, c, nu, task)).collect();
        let options = svm::options(task, &self.tolerance, &self.max_iterations, &self.cache_mb);
        // Both variables of a row have its kernel values.
        let held = ByClass::of(task, &[], 1, true)?;
        let gram: &dyn Gram = held.as_ref().map_or(task.gram()?, |held| &held.k);
        let twice: Vec<usize> = (0..n).chain(0..n).collect();
        let goal = Options { tolerance: GOAL * options.tolerance, ..options };
        let mut solutions = smo::solve(&Subset::new(gram, &twice, &twice), &problems, &goal, task.control)?;
        solutions.iter_mut().for_each(|s| s.converged = s.gap <= options.tolerance && s.violation <= options.tolerance);
        let (mut coef, mut bias, mut halves) = (Vec::new(), Vec::new(), Vec::new());
        for (s, scale) in solutions.iter().zip(&scales) {
            let (above, below) = (s.offsets[0], s.offsets[1]);
            coef.push((0..n).map(|i| (i, scale.size * (s.coef[i] + s.coef[n + i]))).collect());
            bias.push(scale.mean + scale.size * 0.5 * (above + below));
            // At 0 both offsets agree within the tolerance.
            halves.push((0.5 * (above - below)).max(0.0));
        }
        let mut expansion = svm::expansion(n, &coef, bias);
        expansion.weigh(task.gram()?, task.control)?;
        let rounded = svm::round(&mut expansion, task, options.tolerance, scales.iter().map(|s| s.size))?;
        let mut summary = svm::summary(&Totals::of(&solutions), options.tolerance, rounded);
        summary.notes.insert(0, self.equivalent(c, &halves));
        Ok(ExpansionFit::new(expansion, Link::Numbers, summary).into())
    }
}

impl NuSvr {
    /// The epsilon of `svr` that gives the same functions.
    fn equivalent(&self, c: f64, halves: &[f64]) -> String {
        // Digits of epsilon in a note.
        const DIGITS: usize = 4;
        let short = |x: &f64| Value::Number(*x).rounded(DIGITS).to_string();
        let list = halves.iter().map(short).collect::<Vec<_>>().join(", ");
        let unit = if self.standardise_target { ", in standard deviations of the target," } else { "" };
        let each = if halves.len() > 1 { " for each target" } else { "" };
        format!("svr with the same c = {} and epsilon = {list}{unit} gives the same function{each}", short(&c))
    }
}

/// a of every row, and then -ahat of every row. The start is that of LIBSVM, where both are alike and f is 0.
fn both_sides(column: &[f64], scale: &Scale, c: f64, nu: f64, task: &Task<'_>) -> Problem {
    let n = column.len();
    let bounds: Vec<f64> = (0..n).map(|i| c * task.weight(i)).collect();
    let mut left = 0.5 * nu * bounds.iter().sum::<f64>();
    let half: Vec<f64> = bounds
        .iter()
        .map(|bound| {
            let a = bound.min(left);
            left -= a;
            a
        })
        .collect();
    let (none, target) = (vec![0.0; n], column.iter().map(|t| (t - scale.mean) / scale.size).collect::<Vec<_>>());
    let minus = |list: &[f64]| -> Vec<f64> { list.iter().map(|x| -x).collect() };
    Problem {
        row: (0..2 * n).collect(),
        target: [&target[..], &target].concat(),
        low: [&none[..], &minus(&bounds)].concat(),
        high: [&bounds[..], &none].concat(),
        start: Some([&half[..], &minus(&half)].concat()),
        group: (0..2 * n).map(|k| usize::from(k >= n)).collect(),
        tube: 0.0,
    }
}
