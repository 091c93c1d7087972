//! One-class support vector machine: where most of the rows lie.
//!
//! ```text
//! minimise  1/2 |w|^2 + sum_i weight_i max(0, rho - f(x_i)) - nu N rho,     f(x) = w'phi(x),     N = sum_i weight_i
//! ```
//!
//! solved in its dual: minimise 1/2 a'Ka with 0 <= a_i <= weight_i and sum a = nu N, which is the dual with a_i <= weight_i / (nu N) and
//! sum a = 1 times nu N, the scale of LIBSVM. A row is an outlier where its score f(x) - rho is below 0. Their share of the training rows is
//! nu at most, that of support vectors nu at least. The certificate is the duality gap in the unit in which rho is 1.
//! Schölkopf, Platt, Shawe-Taylor, Smola and Williamson (2001), Estimating the support of a high-dimensional distribution.

use super::by_class::ByClass;
use super::nu::{self, InUnit};
use super::svm::{self, Totals};
use crate::data::{Kind, TargetInfo, even_rows};
use crate::error::{Error, Result};
use crate::estimators::{
    Answer, Costs, Estimator, EstimatorFacts, Expansion, Finds, Fit, FitContext, Fitted, Gives, Predicted, Predictions, Query, Size,
    Summary, Task,
};
use crate::gram::{Gram, Subset, apply_rows};
use crate::linalg::Matrix;
use crate::param::{Value, require_settled};
use crate::solve::smo::Problem;
use mercer_derive::Parameters;
use serde::{Deserialize, Serialize};

/// One-class support vector machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Parameters)]
#[serde(deny_unknown_fields)]
pub struct OneClass {
    /// upper bound on the share of training rows that are outliers, and lower bound on the share of support vectors
    #[param(default = 0.1, domain = UpToOne)]
    pub nu: Value,
    /// greatest violation of the optimality conditions, as a share of the offset, and greatest relative duality gap
    #[param(default = 1e-3, domain = Fraction)]
    pub tolerance: Value,
    /// most steps of the solver
    #[param(default = svm::MAX_ITERATIONS, domain = Integer(1, usize::MAX))]
    pub max_iterations: Value,
    /// kernel cache in MB; affects speed only
    #[param(default = svm::CACHE_MB, domain = Positive)]
    pub cache_mb: Value,
}

impl Estimator for OneClass {
    const NAME: &'static str = "one_class";
    const DOC: &'static str = "one-class support vector machine: finds rows unlike most of the training rows";
    const TAKES: &'static [Kind] = &[Kind::Nothing];
    type Fitted = FittedOneClass;

    fn gives(&self) -> Gives {
        Gives { finds: Finds::Novelty, ..Gives::VALUES }
    }

    fn facts(&self) -> EstimatorFacts {
        EstimatorFacts { skips_zero_weights: true, ..EstimatorFacts::default() }
    }

    /// As svc; the sample for the start has the kernel values that the solver asks for.
    fn costs(&self, size: Size) -> Costs {
        // Operations for each pair of rows.
        const STEPS: f64 = 70.0;
        svm::costs(size, (1, size.rows), &self.cache_mb, STEPS)
    }

    fn fit_with(&self, task: &Task<'_>, _: &FitContext<'_, FittedOneClass>) -> Result<Fit<FittedOneClass>> {
        // Digits of the offset in a note.
        const DIGITS: usize = 4;
        require_settled(self, Self::NAME)?;
        let (n, weights) = (task.rows(), task.all_weights());
        if n == 0 {
            return Err(Error::Shape { what: "rows of the table".into(), expected: 1, found: 0 });
        }
        let nu = self.nu.number();
        let sum = nu * weights.iter().sum::<f64>();
        let held = ByClass::of(task, &[], 1, true)?;
        let gram: &dyn Gram = held.as_ref().map_or(task.gram()?, |held| &held.k);
        let start = start(gram, &weights, sum, task)?;
        let (row, start, none) = ((0..n).collect(), Some(start), vec![0.0; n]);
        let problem = Problem { row, target: vec![1.0; n], low: none, high: weights, start, ..Problem::default() };
        let options = svm::options(task, &self.tolerance, &self.max_iterations, &self.cache_mb);
        let InUnit { solution, coef, scale, flat } = nu::solve(gram, &problem, task.mean_square()?, &options, task.control)?;
        let (size, rho) = (solution.coef.iter().sum::<f64>(), 1.0 - solution.offsets[0]);
        // Below that of every row that is not at its bound, by what its kernel value may be rounded to: no such row is an outlier.
        let offset = (rho - solution.violation.max(0.0) - svm::ROUNDING * options.tolerance) / scale;
        let column: Vec<(usize, f64)> = coef.iter().copied().enumerate().collect();
        let mut expansion = svm::expansion(n, &[column], vec![-offset]);
        expansion.weigh(task.gram()?, task.control)?;
        let rounded = svm::round(&mut expansion, task, options.tolerance, std::iter::once(rho.abs() / scale))?;
        let share = outliers(gram, &expansion, &coef, &problem.high, task)?;
        let mut summary = svm::summary(&Totals::of(std::slice::from_ref(&solution)), options.tolerance, rounded);
        summary.objective = Some((solution.primal - size) / (scale * scale));
        let short = |x: f64| Value::Number(x).rounded(DIGITS).to_string();
        summary.notes.insert(
            0,
            format!(
                "{:.1}% of the training rows are outliers, at most nu = {:.1}%; the offset is {}",
                100.0 * share,
                100.0 * nu,
                short(offset)
            ),
        );
        if flat {
            summary.notes.push(
                "rows surround the origin of the feature space: no function of this kernel separates them from it; take a kernel such as rbf".into(),
            );
        }
        Ok(FittedOneClass { expansion, summary }.into())
    }
}

/// Coefficients that sum to `sum`: rows at their bounds where rows are rare, by the mean of kernel values with a sample. These are most of
/// the support vectors of a kernel that decreases with distance.
fn start(gram: &dyn Gram, weights: &[f64], sum: f64, task: &Task<'_>) -> Result<Vec<f64>> {
    // Rows whose mean of kernel values tells where rows are rare, for the start.
    const SAMPLE: usize = 256;
    let n = weights.len();
    let sample = even_rows(n, SAMPLE.min(n));
    let ones = Matrix::column(vec![1.0; sample.len()]);
    let near = apply_rows(gram, &sample, 0..n, &ones, 1, task.control)?;
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&a, &b| near.data()[a].total_cmp(&near.data()[b]));
    let (mut left, mut start) = (sum, vec![0.0; n]);
    for i in order {
        start[i] = weights[i].min(left);
        left -= start[i];
    }
    Ok(start)
}

/// The share of the training rows whose score is below 0; all of them are at their bounds.
fn outliers(gram: &dyn Gram, expansion: &Expansion, coef: &[f64], bounds: &[f64], task: &Task<'_>) -> Result<f64> {
    let bound: Vec<usize> = (0..coef.len()).filter(|&i| coef[i] == bounds[i]).collect();
    // A fit that was ended is judged all the same.
    let control = task.control.last_step().at_least(1.0);
    let scores = expansion.predict(&Subset::new(gram, &bound, &expansion.support), &control)?;
    let out: f64 = bound.iter().zip(scores.data()).filter(|(_, score)| **score < 0.0).map(|(&i, _)| bounds[i]).sum();
    Ok(out / bounds.iter().sum::<f64>())
}

/// A fitted one-class machine: f(x) - rho, below 0 for outliers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FittedOneClass {
    /// One output.
    pub expansion: Expansion,
    summary: Summary,
}

impl FittedOneClass {
    /// A machine that another program has solved.
    pub(crate) fn solved_elsewhere(expansion: Expansion, summary: Summary) -> Self {
        FittedOneClass { expansion, summary }
    }
}

impl Fitted for FittedOneClass {
    fn support(&self) -> &[usize] {
        &self.expansion.support
    }
    fn predict(&self, query: &Query<'_>) -> Result<Predictions> {
        Error::unless_equal("outputs of a one-class machine", 1, self.expansion.bias.len())?;
        Ok(Predictions::of(Predicted::Numbers(self.expansion.predict(query.cross()?, query.control)?)))
    }
    fn summary(&self) -> &Summary {
        &self.summary
    }
    fn answer(&self, _target: &TargetInfo) -> Result<Answer> {
        Ok(Answer::Novelty)
    }
    fn expansion(&self) -> Option<&Expansion> {
        Some(&self.expansion)
    }
    fn expansion_mut(&mut self) -> Option<&mut Expansion> {
        Some(&mut self.expansion)
    }
    fn forget_rows(&mut self) {
        self.expansion.forget_rows();
    }
}
