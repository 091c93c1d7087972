//! Ridge regression over features from sums over batches of rows, which are never together in memory: one pass where the squares of features
//! are of all rows, else passes of least squares that they precondition (Rudi, Carratino and Rosasco 2017, FALKON).

use super::ridge::Ridge;
use crate::control::Control;
use crate::error::{Error, Result};
use crate::estimators::batched::{
    AfterSquares, BatchLearner, Centred, DescentEnd, DescentPlan, DescentProblem, MOST_PASSES, PassConstant, SquareSums, another_fit,
};
use crate::estimators::registry::settled::settled;
use crate::estimators::systems::residual::TOLERANCE;
use crate::estimators::targets::outputs::outputs;
use crate::estimators::{Certificate, Estimator, Expansion, ExpansionFit, FittedModel, Summary, Task};
use crate::linalg::Matrix;
use crate::param::Value;
use crate::solve::linear::{Loss, Problem};

impl BatchLearner for Ridge {
    fn check(&self) -> Result<()> {
        let refused = |why: &str| Err(Error::Setting { name: "estimator".into(), why: format!("ridge {why}") });
        if self.probabilities {
            return refused("holds rows out for its probabilities, which batches do not allow; leave probabilities out");
        }
        if self.lambda == Value::Number(0.0) {
            return refused("has no penalty, and sums over rows settle no solution without one; take a lambda above 0");
        }
        Ok(())
    }

    fn columns(&self, task: &Task<'_>) -> Result<Matrix> {
        outputs(task, Ridge::NAME)
    }

    fn centred(&self) -> Centred {
        if self.intercept { Centred::Both } else { Centred::Neither }
    }

    fn descends(&self) -> bool {
        false
    }

    fn after_squares<'a>(&'a self, squares: &'a SquareSums, like: &'a FittedModel, control: &Control) -> Result<AfterSquares<'a>> {
        let FittedModel::Ridge(like) = like else { return Err(another_fit()) };
        let lambda = settled::<Ridge>("lambda", &self.lambda)?;
        if !squares.is_whole() {
            return self.descent(squares, like, lambda).map(AfterSquares::Descend);
        }
        let solution = squares.solve(lambda, self.intercept, control)?;
        let none = Expansion::new(Vec::new(), Matrix::zeros(0, solution.bias.len()), solution.bias);
        let fit = ExpansionFit::new(none.with_weights(solution.beta), like.link().clone(), solution.summary);
        Ok(AfterSquares::Solved(Box::new(FittedModel::Ridge(fit))))
    }
}

impl Ridge {
    /// A problem for each output, sum_i w_i (y_i - f_i)^2 / 2 + (lambda/2) |v|^2 with targets measured from their mean.
    fn descent<'a>(&self, squares: &SquareSums, like: &'a ExpansionFit, lambda: f64) -> Result<DescentPlan<'a>> {
        let (total, count) = (squares.total()?, squares.outputs());
        let constant = if self.intercept { PassConstant::Free } else { PassConstant::Absent };
        let means: Vec<f64> = squares.masses().iter().map(|mass| if self.intercept { mass / total } else { 0.0 }).collect();
        let of_output = |(o, &mean): (usize, &f64)| {
            let mut by = vec![0.0; count + 1];
            (by[o], by[count]) = (2.0, -2.0 * mean);
            DescentProblem {
                slopes: squares.combined(constant.value(), &[by]),
                slope: f64::INFINITY,
                losses: Box::new(move |task: &Task<'_>| {
                    let target = outputs(task, Ridge::NAME)?.col(o).iter().map(|y| y - mean).collect();
                    let loss = Loss { one_sided: false, squared: true, tube: 0.0 };
                    Ok(Box::new(Problem { target, cost: task.all_weights(), loss }))
                }),
            }
        };
        Ok(DescentPlan {
            scale: 0.5,
            penalty: lambda,
            constant,
            curvature: 2.0,
            gap: TOLERANCE,
            passes: MOST_PASSES,
            problems: means.iter().enumerate().map(of_output).collect(),
            finish: Box::new(move |ends| {
                let m = ends[0].weights.cols() - 1;
                let bias = ends.iter().zip(&means).map(|(end, mean)| constant.value() * end.weights[(0, m)] + mean).collect();
                let beta = Matrix::from_fn(m, ends.len(), |j, o| ends[o].weights[(0, j)]);
                let expansion = Expansion::new(Vec::new(), Matrix::zeros(0, ends.len()), bias).with_weights(beta);
                Ok(FittedModel::Ridge(ExpansionFit::new(expansion, like.link().clone(), summary(ends))))
            }),
        })
    }
}

/// The summary of all problems together.
fn summary(ends: &[DescentEnd]) -> Summary {
    let value: f64 = ends.iter().map(|end| end.value).sum();
    let gap: f64 = ends.iter().map(|end| end.gap * end.value).sum();
    let share = if gap > 0.0 { gap / value } else { 0.0 };
    Summary {
        iterations: ends.iter().map(|end| end.passes).max().unwrap_or(0),
        converged: ends.iter().all(|end| end.is_solved),
        objective: Some(value),
        certificate: Some(Certificate { name: "relative duality gap".into(), value: share, tolerance: TOLERANCE }),
        notes: ends.iter().find(|end| !end.is_solved).map(|end| end.stopped(TOLERANCE)).into_iter().collect(),
        ..Summary::default()
    }
}
