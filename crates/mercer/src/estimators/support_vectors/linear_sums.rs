//! Linear support vector machines with squared losses from sums over batches of rows, by passes over them.

use super::linear_machine::Machine;
use super::linear_svc::{HingeLoss, LinearSvc};
use super::linear_svr::{LinearSvr, TubeLoss, in_units};
use super::svr::Scale;
use crate::control::Control;
use crate::error::{Error, Result};
use crate::estimators::batched::{
    AfterSquares, BatchLearner, Centred, DescentEnd, DescentPlan, DescentProblem, FitOfEnds, MOST_PASSES, PassConstant, SquareSums,
    another_fit,
};
use crate::estimators::registry::settled::settled;
use crate::estimators::targets::class_scores::ClassScores;
use crate::estimators::targets::link::Link;
use crate::estimators::targets::outputs::{indicators, outputs};
use crate::estimators::{Estimator, ExpansionFit, FittedModel, Task};
use crate::linalg::Matrix;
use crate::solve::linear::{NEWTON_MARGIN, Solution};

/// The error of a loss that bends.
fn bent(owner: &str, loss: &str) -> Error {
    let why = format!("{owner} over batches goes by the slopes of its losses, and this one has none where it bends; write loss={loss}");
    Error::Setting { name: "loss".into(), why }
}

impl Machine<'_> {
    /// What the problems of one machine have in common.
    fn plan<'a>(&self, c: f64, problems: Vec<DescentProblem<'a>>, finish: FitOfEnds<'a>) -> DescentPlan<'a> {
        let constant = self.intercept_scale.number();
        DescentPlan {
            scale: c,
            penalty: 1.0,
            constant: if constant > 0.0 { PassConstant::Penalised(constant) } else { PassConstant::Absent },
            curvature: 2.0,
            gap: self.tolerance.number(),
            passes: MOST_PASSES.min(self.max_iterations.integer()),
            problems,
            finish,
        }
    }

    /// The solutions that passes have led to. `slopes`: the longest gradient of each problem, as a share of that at 0.
    fn solutions(&self, ends: &[DescentEnd], slopes: &[f64]) -> Vec<Solution> {
        let solution = |(end, slope): (&DescentEnd, &f64)| Solution {
            weights: end.weights.data().to_vec(),
            coef: Vec::new(),
            primal: end.value,
            dual: end.value * (1.0 - end.gap),
            gap: end.gap,
            violation: NEWTON_MARGIN * self.tolerance.number() * end.slope / slope,
            iterations: end.passes,
            converged: end.is_solved,
        };
        ends.iter().zip(slopes).map(solution).collect()
    }
}

impl BatchLearner for LinearSvc {
    fn check(&self) -> Result<()> {
        if self.probabilities {
            let why = "linear_svc holds rows out for its probabilities, which batches do not allow; leave probabilities out";
            return Err(Error::Setting { name: "estimator".into(), why: why.into() });
        }
        if self.loss == HingeLoss::SquaredHinge { Ok(()) } else { Err(bent(Self::NAME, "squared_hinge")) }
    }

    fn columns(&self, task: &Task<'_>) -> Result<Matrix> {
        indicators(task, Self::NAME)
    }

    /// The constant is penalised: it does not take up where features are measured from.
    fn centred(&self) -> Centred {
        Centred::Outputs
    }

    fn descends(&self) -> bool {
        true
    }

    fn after_squares<'a>(&'a self, squares: &'a SquareSums, like: &'a FittedModel, _: &Control) -> Result<AfterSquares<'a>> {
        let FittedModel::LinearSvc(_) = like else { return Err(another_fit()) };
        let masses = squares.masses();
        let total: f64 = masses.iter().sum();
        let scores = ClassScores::of_masses(&masses, Self::NAME)?;
        let (machine, c) = (self.machine(), settled::<Self>("c", &self.c)?);
        let constant = machine.intercept_scale.number();
        let sides = self.sides(&scores, &self.class_weight.factors(&masses));
        let problems: Vec<DescentProblem<'a>> = sides
            .into_iter()
            .map(|side| {
                let by = side.factors.iter().enumerate().map(|(k, factor)| 2.0 * factor * side.sign(k)).collect();
                let rarer = masses[side.class].min(total - masses[side.class]) / total;
                DescentProblem {
                    slopes: squares.combined(constant, &[by]),
                    slope: NEWTON_MARGIN * self.tolerance.number() * rarer,
                    losses: Box::new(move |task| {
                        let (codes, _) = task.target.as_classes(Self::NAME)?;
                        Ok(Box::new(side.problem(codes, &|i| task.weight(i), self.losses())))
                    }),
                }
            })
            .collect();
        let slopes: Vec<f64> = problems.iter().map(|p| p.slope).collect();
        let finish = move |ends: &[DescentEnd]| {
            let machine = self.machine();
            let (expansion, summary) = machine.expansion(&machine.solutions(ends, &slopes))?;
            Ok(FittedModel::LinearSvc(ExpansionFit::of_features(expansion, Link::Margins(scores.clone()), summary)))
        };
        Ok(AfterSquares::Descend(machine.plan(c, problems, Box::new(finish))))
    }
}

impl BatchLearner for LinearSvr {
    fn check(&self) -> Result<()> {
        if self.loss == TubeLoss::SquaredEpsilonInsensitive { Ok(()) } else { Err(bent(Self::NAME, "squared_epsilon_insensitive")) }
    }

    fn columns(&self, task: &Task<'_>) -> Result<Matrix> {
        outputs(task, Self::NAME)
    }

    fn centred(&self) -> Centred {
        Centred::Outputs
    }

    fn descends(&self) -> bool {
        true
    }

    fn after_squares<'a>(&'a self, squares: &'a SquareSums, like: &'a FittedModel, _: &Control) -> Result<AfterSquares<'a>> {
        let FittedModel::LinearSvr(_) = like else { return Err(another_fit()) };
        let total = squares.total()?;
        let (machine, c) = (self.machine(), settled::<Self>("c", &self.c)?);
        let loss = self.losses(settled::<Self>("epsilon", &self.epsilon)?);
        let constant = machine.intercept_scale.number();
        let slope = NEWTON_MARGIN * self.tolerance.number();
        let count = squares.outputs();
        let scale = |(o, mass): (usize, &f64)| Ok(Scale::of_moments(mass / total, squares.variance(o)?.sqrt()));
        let scales: Vec<Scale> = match self.standardise_target {
            true => squares.masses().iter().enumerate().map(scale).collect::<Result<_>>()?,
            false => vec![Scale::NONE; count],
        };
        let of_output = |(o, scale): (usize, &Scale)| {
            let mut by = vec![0.0; count + 1];
            (by[o], by[count]) = (2.0 / scale.size, -2.0 * scale.mean / scale.size);
            let scale = *scale;
            DescentProblem {
                slopes: squares.combined(constant, &[by]),
                slope,
                losses: Box::new(move |task: &Task<'_>| {
                    let target = task.target.as_numbers(Self::NAME)?.col(o);
                    Ok(Box::new(scale.problem(&target, task.all_weights(), loss)))
                }),
            }
        };
        let problems: Vec<DescentProblem<'a>> = scales.iter().enumerate().map(of_output).collect();
        let slopes = vec![slope; count];
        let finish = move |ends: &[DescentEnd]| {
            let machine = self.machine();
            let (expansion, summary) = machine.expansion(&machine.solutions(ends, &slopes))?;
            Ok(FittedModel::LinearSvr(ExpansionFit::of_features(in_units(expansion, &scales), Link::Numbers, summary)))
        };
        Ok(AfterSquares::Descend(machine.plan(c, problems, Box::new(finish))))
    }
}
