//! Ridge regression over features from sums over batches of rows, which are never together in memory: one pass.

use super::ridge::Ridge;
use crate::control::Control;
use crate::error::{Error, Result};
use crate::estimators::batched::{AfterSquares, BatchLearner, another_fit};
use crate::estimators::registry::settled::settled;
use crate::estimators::systems::square_sums::{Centred, SquareSums};
use crate::estimators::targets::outputs::outputs;
use crate::estimators::{Estimator, Expansion, ExpansionFit, FittedModel, Task};
use crate::linalg::Matrix;
use crate::param::Value;

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
        let solution = squares.solve(settled::<Ridge>("lambda", &self.lambda)?, self.intercept, control)?;
        let none = Expansion::new(Vec::new(), Matrix::zeros(0, solution.bias.len()), solution.bias);
        let fit = ExpansionFit::new(none.with_weights(solution.beta), like.link().clone(), solution.summary);
        Ok(AfterSquares::Solved(Box::new(FittedModel::Ridge(fit))))
    }
}
