//! L1 vector machine: a generalised linear model on kernel values with the training rows of which few are needed.
//!
//! ```text
//! minimise  sum_i w_i loss(y_i, f(x_i)) + lambda sum_j |B_j|,     f(x) = sum_j B_j k(x, x_j) + b
//! ```
//!
//! loss: 1/2 (y - f)^2 for numbers, the log loss for classes; |B_j| is a number's size, or the length of the row of several outputs,
//! so that a training row serves all outputs or none. b is not penalised. Murphy (2012) 14.3.2; Krishnapuram et al. (2005).
//! Certificate: the duality gap and the greatest violation of the conditions of optimality, as a share of lambda.

use super::exemplars::Exemplars;
use crate::data::{Kind, some_rows_of};
use crate::error::Result;
use crate::estimators::registry::settled::settled;
use crate::estimators::targets::link::Link;
use crate::estimators::{
    Certificate, ClassWeight, Costs, Estimator, Expansion, ExpansionFit, Fit, FitContext, Gives, Needs, Scores, Size, Summary, Task, View,
    When,
};
use crate::gram::Subset;
use crate::linalg::Matrix;
use crate::param::Value;
use crate::solve::l1::{self, Options, Solution, Solver};
use crate::solve::losses::Losses;
use mercer_derive::Parameters;
use serde::{Deserialize, Serialize};

/// The relative duality gap that a fit is asked for.
const GAP: f64 = 1e-5;
/// The lambda that a search begins at, as a share of the one at which every coefficient is 0.
const START: f64 = 0.05;
/// Rows that it is looked for on, at most.
const STARTED_ROWS: usize = 1000;
/// Columns of the working set that a plan counts on, and those of them that are not 0.
const HELD: u64 = 1000;
const KEPT: u64 = 500;

/// A kernel machine with an L1 penalty.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Parameters)]
#[serde(deny_unknown_fields)]
pub struct L1vm {
    /// strength of the penalty, lambda sum_j |B_j| beside the sum of the losses; the larger, the fewer rows are kept
    #[param(domain = PositiveFinite, search = 50.0)]
    pub lambda: Value,
    /// greatest violation of the optimality conditions, as a share of lambda
    #[param(default = 1e-6, domain = Fraction)]
    pub tolerance: Value,
    /// most Newton steps
    #[param(default = 1000.0, domain = Integer(1, usize::MAX))]
    pub max_iterations: Value,
    /// none: rows count by their own weights; balanced: classes have equal total weight
    pub class_weight: ClassWeight,
}

/// One point of a path.
#[derive(Clone, Debug)]
pub struct PathPoint {
    /// The penalty.
    pub lambda: f64,
    /// The minimum there; its numbers are in units of the greatest target.
    pub solution: Solution,
    /// Mean loss of each row by the others, approximately; of one output.
    pub left_out: Option<f64>,
    /// Its standard error over the rows.
    pub error: Option<f64>,
}

impl L1vm {
    fn options(&self) -> Result<Options> {
        let max_iterations = settled::<Self>("max_iterations", &self.max_iterations)? as usize;
        Ok(Options { tolerance: settled::<Self>("tolerance", &self.tolerance)?, max_iterations })
    }

    /// The whole path: `count` values of lambda from the one at which every coefficient is 0 down to `share` of it, each solution the
    /// start of the next; for one output with approximate leave-one-out losses. Time that ends cuts it short.
    pub fn path(&self, task: &Task<'_>, count: usize, share: f64) -> Result<Vec<PathPoint>> {
        let (_, scale, losses) = Link::of(task, self.class_weight, Self::NAME)?;
        let columns = Exemplars::new(task.gram()?, task.control)?;
        let mut solver = Solver::new(&columns, &losses, self.options()?, task.control)?;
        let mut points = Vec::with_capacity(count);
        for lambda in l1::path(solver.greatest_lambda(), share, count) {
            if task.control.out_of_time() {
                break;
            }
            let solution = solver.solve(lambda)?;
            let (left_out, error) = match losses.outputs() {
                1 => left_out_loss(&columns, &losses, &solution, task)?,
                _ => (None, None),
            };
            task.control.tell("penalties along the path", points.len() + 1, count);
            points.push(PathPoint { lambda: lambda * scale, solution, left_out, error });
        }
        Ok(points)
    }
}

/// Mean and standard error of the approximate leave-one-out loss.
fn left_out_loss(columns: &Exemplars<'_>, losses: &Losses, solution: &Solution, task: &Task<'_>) -> Result<(Option<f64>, Option<f64>)> {
    let f = l1::leave_one_out(columns, losses, solution, task.control)?;
    let of_rows = losses.of_rows(&f);
    let total: f64 = (0..task.rows()).map(|i| task.weight(i)).sum();
    let mean = of_rows.iter().enumerate().map(|(i, l)| task.weight(i) * l).sum::<f64>() / total;
    let spread = of_rows.iter().enumerate().map(|(i, l)| task.weight(i) * (l - mean).powi(2)).sum::<f64>() / total;
    Ok((Some(mean), Some((spread / task.rows() as f64).sqrt())))
}

/// The point of a path with the smallest loss of rows left out, or with `cautious` the one of the greatest penalty within one standard
/// error of it (Breiman et al. 1984).
pub fn choose(points: &[PathPoint], cautious: bool) -> Option<&PathPoint> {
    let judged = || points.iter().filter_map(|p| Some((p, p.left_out?, p.error?)));
    let (best, loss, error) = judged().min_by(|a, b| a.1.total_cmp(&b.1))?;
    if !cautious {
        return Some(best);
    }
    judged().filter(|p| p.1 <= loss + error).map(|p| p.0).max_by(|a, b| a.lambda.total_cmp(&b.lambda))
}

impl L1vm {
    /// A twentieth of the lambda at which every coefficient is 0.
    fn start_on(&self, task: &Task<'_>) -> Result<f64> {
        let (_, scale, losses) = Link::of(task, self.class_weight, Self::NAME)?;
        let columns = Exemplars::new(task.gram()?, task.control)?;
        let options = Options { tolerance: 1.0, max_iterations: 0 };
        let greatest = Solver::new(&columns, &losses, options, task.control)?.greatest_lambda() * scale;
        Ok(Some(START * greatest).filter(|l| l.is_normal()).unwrap_or(1.0))
    }
}

impl Estimator for L1vm {
    const NAME: &'static str = "l1vm";
    const DOC: &'static str = "L1 vector machine: a sparse linear or logistic model on kernel values with training rows";
    const TAKES: &'static [Kind] = &[Kind::Numbers, Kind::Classes];
    type Fitted = ExpansionFit;

    fn gives(&self) -> Gives {
        Gives { scores: Scores::Classes, probabilities: When::Always, ..Gives::VALUES }
    }
    fn needs(&self) -> Needs {
        Needs::AnySimilarity
    }

    /// Passes over the columns of the working set: some for each output, and of several classes a block for each pair of these. K is kept
    /// where memory allows.
    fn costs(&self, size: Size) -> Costs {
        let (n, rows, outputs) = (size.rows as f64, size.rows as u64, size.outputs as u64);
        let held = if outputs > 1 { 16 * outputs * (rows / 5).min(KEPT).pow(2) } else { 0 };
        let passes = match (size.classes, size.outputs > 2) {
            (true, true) => 480.0 * (outputs as f64).powi(2),
            (true, false) => 190.0,
            (false, _) => 90.0 * outputs as f64,
        };
        Costs {
            bytes: 8 * rows * (rows.min(HELD) + 300 + 8 * outputs) + held,
            kept_bytes: 8 * rows * rows,
            fit: passes * n * n,
            // On vowel and wine_white.
            pace: 6.0,
            ..size.by_values().costs()
        }
    }

    /// lambda: a twentieth of the one at which every coefficient is 0; of many rows that of some of them times their number, as it is a
    /// sum over rows.
    fn start(&self, _param: &str, task: &Task<'_>) -> Result<f64> {
        let n = task.rows();
        if n <= STARTED_ROWS {
            return self.start_on(task);
        }
        let rows = some_rows_of(task.target, STARTED_ROWS, task.seed);
        let (gram, target) = (Subset::new(task.gram()?, &rows, &rows), task.target.select(&rows));
        let weights: Option<Vec<f64>> = task.weights.map(|w| rows.iter().map(|&i| w[i]).collect());
        let of_some = self.start_on(&Task { view: View::Values(&gram), target: &target, weights: weights.as_deref(), ..*task })?;
        Ok(of_some * n as f64 / rows.len() as f64)
    }

    fn fit_with(&self, task: &Task<'_>, context: &FitContext<'_, ExpansionFit>) -> Result<Fit<ExpansionFit>> {
        let lambda = settled::<Self>("lambda", &self.lambda)?;
        let options = self.options()?;
        let (link, scale, losses) = Link::of(task, self.class_weight, Self::NAME)?;
        let columns = Exemplars::new(task.gram()?, task.control)?;
        let mut solver = Solver::new(&columns, &losses, options, task.control)?;
        let greatest = solver.greatest_lambda();
        if let Some(ExpansionFit { expansion, .. }) = context.earlier.filter(|earlier| *earlier.link() == link) {
            let by = 1.0 / scale;
            solver.start(&expansion.support, &scaled(&expansion.coef, by), &expansion.bias.iter().map(|b| by * b).collect::<Vec<_>>())?;
        }
        let found = solver.solve(lambda / scale)?;
        let summary = summary(&found, greatest, lambda / scale, scale, options.tolerance);
        let bias = found.constants.iter().map(|b| scale * b).collect();
        Ok(ExpansionFit::new(Expansion::new(found.support, scaled(&found.coef, scale), bias), link, summary).into())
    }
}

fn scaled(matrix: &Matrix, by: f64) -> Matrix {
    Matrix::from_fn(matrix.rows(), matrix.cols(), |i, j| by * matrix[(i, j)])
}

/// How the fit went; numbers are in units of `scale`.
fn summary(found: &Solution, greatest: f64, lambda: f64, scale: f64, tolerance: f64) -> Summary {
    let kept = found.support.len();
    let mut notes = Vec::new();
    if kept == 0 {
        notes.push(format!(
            "every coefficient is 0: lambda is at or above {}, from where on no training row is worth its penalty; choose a smaller one",
            Value::Number(greatest * scale).rounded(4)
        ));
    } else if found.gap.is_finite() {
        notes.push(format!(
            "{kept} training rows are kept; relative duality gap {}; every coefficient is 0 from lambda = {} on",
            Value::Number(found.gap).rounded(2),
            Value::Number(greatest * scale).rounded(4)
        ));
    }
    if lambda < 1e-8 * greatest {
        notes.push("lambda is so small that hardly anything is penalised: the fit follows every row, and its digits are few".into());
    }
    let objective = found.objective * scale * scale;
    Summary {
        iterations: found.iterations,
        converged: found.converged && found.gap <= GAP.max(tolerance),
        objective: objective.is_finite().then_some(objective),
        certificate: Some(Certificate {
            name: "violation of the optimality conditions, by lambda".into(),
            value: found.violation,
            tolerance,
        }),
        violation: Some(found.violation),
        notes,
        ..Summary::default()
    }
}
