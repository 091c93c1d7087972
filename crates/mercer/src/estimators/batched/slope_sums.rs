//! The sums of a pass that adds up losses and their slopes at points that the passes before have chosen.

use super::descent::{Descending, KeptFactor, PassedPoint};
use super::{AfterPass, AfterSquares, BatchLearner, Descent, DescentEnd, DescentPlan, PassSums, SquareSums, another_fit};
use crate::control::Control;
use crate::error::{Error, Result};
use crate::estimators::{FittedModel, Task};
use crate::gram::Multiplied;
use crate::linalg::{ExactSums, Matrix};
use crate::solve::likelihood::Slopes;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Losses and slopes over some rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SlopeSums {
    /// The number of the pass; 1 was that of the squares.
    pass: usize,
    /// Over all rows.
    squares: Arc<SquareSums>,
    #[serde(skip)]
    kept: KeptFactor,
    /// One for each problem.
    descents: Vec<Descent>,
    /// Of each point of each problem the loss, its slopes and its second derivatives by constants.
    sums: ExactSums,
}

impl SlopeSums {
    /// The first pass after that of the squares, over no rows yet.
    ///
    /// # Errors
    /// No rows; a matrix that is singular in working precision; on request of `control`.
    pub(crate) fn begin(squares: &SquareSums, plan: &DescentPlan<'_>, control: &Control) -> Result<Self> {
        let kept = KeptFactor::default();
        let shared = Descending::new(plan, squares, &kept);
        let descents = plan.problems.iter().map(|problem| shared.begin(problem, control)).collect::<Result<Vec<_>>>()?;
        Ok(SlopeSums::over_nothing(2, Arc::new(squares.clone()), kept, descents))
    }

    fn over_nothing(pass: usize, squares: Arc<SquareSums>, kept: KeptFactor, descents: Vec<Descent>) -> Self {
        let columns = squares.scales().0.len() + 1;
        let sums = ExactSums::zeros(descents.iter().map(|d| d.points() * numbers(d.outputs(), columns)).sum());
        SlopeSums { pass, squares, kept, descents, sums }
    }

    /// Sums of the same pass over no rows.
    pub(crate) fn emptied(&self) -> Self {
        SlopeSums::over_nothing(self.pass, self.squares.clone(), self.kept.clone(), self.descents.clone())
    }

    /// The number of the pass, from 1.
    pub(crate) fn pass(&self) -> usize {
        self.pass
    }

    /// Adds rows.
    ///
    /// # Errors
    /// Targets that the first pass had none of; numbers too large for the grid; then the sums are not to be used any more.
    pub(crate) fn add(&mut self, learner: &dyn BatchLearner, z: &Multiplied<'_>, task: &Task<'_>, like: &FittedModel) -> Result<()> {
        let control = task.control;
        let plan = self.plan(learner, like, control)?;
        let columns = self.squares.columns(z, plan.constant.value())?;
        let mut numbers = Vec::with_capacity(self.sums.len());
        for (problem, descent) in plan.problems.iter().zip(&self.descents) {
            if descent.points() == 0 {
                continue;
            }
            let losses = (problem.losses)(task)?;
            // Columns are read once for all points.
            let (count, outputs) = (descent.points(), descent.outputs());
            let weights: Vec<f64> = (0..count).flat_map(|place| descent.at(place).into_data()).collect();
            let values = columns.values(&Matrix::new(count * outputs, self.columns(), weights)?, control)?;
            let of_point = |place: usize| Matrix::from_fn(z.rows(), outputs, |i, o| values[(i, place * outputs + o)]);
            let here: Vec<Slopes> = (0..count).map(|place| losses.at(&of_point(place))).collect();
            let residuals = Matrix::from_fn(z.rows(), count * outputs, |i, f| here[f / outputs].residual[(i, f % outputs)]);
            let slopes = columns.sums(&residuals, control)?;
            for (place, here) in here.iter().enumerate() {
                numbers.push(here.loss);
                (0..outputs).for_each(|o| numbers.extend_from_slice(slopes.row(place * outputs + o)));
                numbers.extend(here.curvature.of_constants().into_data());
            }
        }
        drop(plan);
        self.sums.add(numbers.into_iter())
    }

    /// Adds the sums of the same pass over other rows.
    ///
    /// # Errors
    /// Sums of another pass, or from other passes before it.
    pub(crate) fn merge(&mut self, other: &SlopeSums) -> Result<()> {
        if self.pass != other.pass {
            return Err(Error::Data(format!(
                "these sums are of pass {} and those of pass {}; merge sums of one pass only",
                other.pass, self.pass
            )));
        }
        if (&self.squares, &self.descents) != (&other.squares, &other.descents) {
            let why = "these sums follow from other passes than those; begin each pass from copies of one";
            return Err(Error::Data(why.into()));
        }
        self.sums.merge(&other.sums)
    }

    /// What follows where all rows were added.
    ///
    /// # Errors
    /// On request of `control`.
    pub(crate) fn after(&self, learner: &dyn BatchLearner, like: &FittedModel, control: &Control) -> Result<AfterPass> {
        let plan = self.plan(learner, like, control)?;
        let shared = Descending::new(&plan, &self.squares, &self.kept);
        let mut descents = self.descents.clone();
        let mut passed = self.passed().into_iter();
        for (problem, descent) in plan.problems.iter().zip(&mut descents) {
            let points: Vec<PassedPoint> = passed.by_ref().take(descent.points()).collect();
            shared.advance(problem, descent, &points, control)?;
        }
        let next = SlopeSums::over_nothing(self.pass + 1, self.squares.clone(), self.kept.clone(), descents);
        let is_last = next.pass > plan.passes || next.sums.len() == 0;
        match next.fit(&plan, &shared)?.filter(|_| is_last) {
            Some(fit) => Ok(AfterPass::Done(Box::new(fit))),
            None => Ok(AfterPass::Next(PassSums::Slopes(next.into()))),
        }
    }

    /// The fit at the best points of the passes before; `None` where there are none yet.
    ///
    /// # Errors
    /// On request of `control`.
    pub(crate) fn best(&self, learner: &dyn BatchLearner, like: &FittedModel, control: &Control) -> Result<Option<FittedModel>> {
        let plan = self.plan(learner, like, control)?;
        self.fit(&plan, &Descending::new(&plan, &self.squares, &self.kept))
    }

    fn fit(&self, plan: &DescentPlan<'_>, shared: &Descending<'_>) -> Result<Option<FittedModel>> {
        let (origin, _) = self.squares.scales();
        let both = plan.problems.iter().zip(&self.descents);
        let ends: Option<Vec<DescentEnd>> = both.map(|(problem, descent)| shared.end(problem, descent, origin, self.pass - 1)).collect();
        ends.map(|ends| (plan.finish)(&ends)).transpose()
    }

    fn plan<'a>(&'a self, learner: &'a dyn BatchLearner, like: &'a FittedModel, control: &Control) -> Result<DescentPlan<'a>> {
        match learner.after_squares(&self.squares, like, control)? {
            AfterSquares::Descend(plan) if plan.problems.len() == self.descents.len() => Ok(plan),
            _ => Err(another_fit()),
        }
    }

    /// Number of columns: of the features, and one of a constant.
    fn columns(&self) -> usize {
        self.squares.scales().0.len() + 1
    }

    /// The sums at all points, one after another.
    fn passed(&self) -> Vec<PassedPoint> {
        let columns = self.columns();
        let mut place = 0;
        let mut next = || {
            place += 1;
            self.sums.get(place - 1)
        };
        let outputs = self.descents.iter().flat_map(|d| std::iter::repeat_n(d.outputs(), d.points()));
        outputs
            .map(|outputs| PassedPoint {
                loss: next(),
                slopes: Matrix::from_fn(outputs, columns, |_, _| next()),
                constants: Matrix::from_fn(outputs, outputs, |_, _| next()),
            })
            .collect()
    }

    /// An error unless the sizes fit, which damaged bytes may bring about.
    pub(crate) fn check(&self) -> Result<()> {
        self.squares.check()?;
        let columns = self.columns();
        self.descents.iter().try_for_each(|d| d.check(columns))?;
        let numbers: usize = self.descents.iter().map(|d| d.points() * numbers(d.outputs(), columns)).sum();
        Error::unless_equal("sums", numbers, self.sums.len())
    }
}

/// Sums at a point.
fn numbers(outputs: usize, columns: usize) -> usize {
    1 + outputs * columns + outputs * outputs
}
