//! Logistic regression over features from sums over batches of rows, by passes over them.

use super::logistic::{Logistic, TOLERANCE, summary_at};
use crate::control::Control;
use crate::error::Result;
use crate::estimators::batched::{
    AfterSquares, BatchLearner, Centred, DescentPlan, DescentProblem, MOST_PASSES, PassConstant, SquareSums, another_fit,
};
use crate::estimators::registry::settled::settled;
use crate::estimators::targets::class_scores::ClassScores;
use crate::estimators::targets::link::Link;
use crate::estimators::targets::outputs::indicators;
use crate::estimators::{Estimator, Expansion, ExpansionFit, FittedModel, Task};
use crate::linalg::Matrix;

impl BatchLearner for Logistic {
    fn check(&self) -> Result<()> {
        Ok(())
    }

    fn columns(&self, task: &Task<'_>) -> Result<Matrix> {
        indicators(task, Self::NAME)
    }

    fn centred(&self) -> Centred {
        if self.intercept { Centred::Both } else { Centred::Outputs }
    }

    fn descends(&self) -> bool {
        true
    }

    fn after_squares<'a>(&'a self, squares: &'a SquareSums, like: &'a FittedModel, _: &Control) -> Result<AfterSquares<'a>> {
        let FittedModel::Logistic(_) = like else { return Err(another_fit()) };
        let masses = squares.masses();
        let scores = ClassScores::of_masses(&masses, Self::NAME)?;
        let factors = self.class_weight.factors(&masses);
        let constant = if self.intercept { PassConstant::Free } else { PassConstant::Absent };
        let (count, present, outputs) = (scores.present().len() as f64, scores.present().to_vec(), scores.outputs());
        // Where all functions are 0 all classes are as probable.
        let own = present.iter().copied().skip(if outputs == 1 { 1 } else { 0 });
        let by = own.map(|own| factors.iter().enumerate().map(|(k, f)| f * (f64::from(u8::from(k == own)) - 1.0 / count)).collect());
        let slopes = squares.combined(constant.value(), &by.collect::<Vec<_>>());
        let losing = scores.clone();
        let problem = DescentProblem {
            slopes,
            slope: f64::INFINITY,
            losses: Box::new(move |task| {
                let (codes, names) = task.target.as_classes(Self::NAME)?;
                Ok(Box::new(losing.likelihood(codes, names, &|i| task.weight(i), &factors)?))
            }),
        };
        Ok(AfterSquares::Descend(DescentPlan {
            scale: 1.0,
            penalty: settled::<Self>("lambda", &self.lambda)?,
            constant,
            curvature: if outputs == 1 { 0.25 } else { 1.0 / count },
            gap: TOLERANCE,
            passes: MOST_PASSES,
            problems: vec![problem],
            finish: Box::new(move |ends| {
                let [end] = ends else { return Err(another_fit()) };
                let m = end.weights.cols() - 1;
                let bias = (0..outputs).map(|o| constant.value() * end.weights[(o, m)]).collect();
                let weights = Matrix::from_fn(m, outputs, |j, o| end.weights[(o, j)]);
                let expansion = Expansion::new(Vec::new(), Matrix::zeros(0, outputs), bias).with_weights(weights);
                let mut summary = summary_at(end.passes, end.value, end.gap);
                summary.notes.extend((!summary.converged).then(|| end.stopped(TOLERANCE)));
                Ok(FittedModel::Logistic(ExpansionFit::new(expansion, Link::Latent(scores.clone()), summary)))
            }),
        }))
    }
}
