//! The way downhill of one problem from pass to pass: limited-memory BFGS in coordinates in which the curvature at 0 is that of a sphere.
//!
//! With M = diag(penalties) + scale curvature A'W A = L L' from the squares of the first pass, over all rows or some of them, steps s and gradients g are L's and L^-1 g in
//! these coordinates. A pass computes the objective and its gradient at several lengths along a direction, so that there is no search for
//! the length: the best of them is where the way goes on.

use super::{DescentPlan, DescentProblem, SquareSums};
use crate::blocks;
use crate::control::Control;
use crate::error::{Error, Result};
use crate::gram::dot;
use crate::linalg::{Cholesky, Matrix};
use crate::solve::Pairs;
use serde::{Deserialize, Serialize};
use std::sync::{Arc, OnceLock};

/// Lengths along a direction that a pass tries together: 1 alone took 103 passes (two separable classes through 40 landmarks), two of them
/// 63, four 55, eight 50.
pub(crate) const LENGTHS: usize = 4;

/// Where a problem stands between two passes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Descent {
    /// The best point that is known.
    best: Option<DescentPoint>,
    /// Length of the gradient where all functions are 0.
    start: f64,
    /// The direction, outputs x columns.
    along: Matrix,
    /// The direction in the coordinates of the sphere.
    whitened: Matrix,
    /// How far along it the objective is computed; none where the problem is solved or no step helps.
    #[serde(with = "blocks::f64s")]
    lengths: Vec<f64>,
    /// Steps in these coordinates, the newest last, and the changes of the gradient on them.
    steps: Matrix,
    changes: Matrix,
    /// Passes one after another that found no better point.
    failures: usize,
}

/// A point with what a pass found there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct DescentPoint {
    /// Weights of the columns, outputs x columns.
    at: Matrix,
    gradient: Matrix,
    value: f64,
    /// How far the value lies above the least one, at most.
    gap: f64,
}

/// Sums over all rows at one point.
pub(crate) struct PassedPoint {
    /// sum_i w_i l_i.
    pub(crate) loss: f64,
    /// -d loss / d weights, outputs x columns.
    pub(crate) slopes: Matrix,
    /// Second derivatives of the loss by constants, outputs x outputs.
    pub(crate) constants: Matrix,
}

/// Where a problem ended.
pub(crate) struct DescentEnd {
    /// Weights of the features and of the constant, outputs x (m + 1).
    pub(crate) weights: Matrix,
    pub(crate) value: f64,
    /// The duality gap as a share of the value.
    pub(crate) gap: f64,
    /// Length of the gradient as a share of that where all functions are 0.
    pub(crate) slope: f64,
    /// Whether gap and gradient are within their tolerances.
    pub(crate) is_solved: bool,
    /// Passes over the rows so far.
    pub(crate) passes: usize,
}

/// What the problems of a plan have in common between two passes.
pub(crate) struct Descending<'a> {
    plan: &'a DescentPlan<'a>,
    /// What features are measured in.
    units: &'a [f64],
    penalties: Vec<f64>,
    squares: &'a SquareSums,
    kept: &'a KeptFactor,
}

/// The factor of the curvature where all functions are 0, which follows from the squares and is kept from pass to pass.
#[derive(Clone, Debug, Default)]
pub(crate) struct KeptFactor(Arc<OnceLock<Cholesky>>);

/// Equal squares have equal factors.
impl PartialEq for KeptFactor {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl<'a> Descending<'a> {
    /// `kept`: the factor by these squares.
    pub(crate) fn new(plan: &'a DescentPlan<'a>, squares: &'a SquareSums, kept: &'a KeptFactor) -> Self {
        let units = squares.scales().1;
        Descending { plan, units, penalties: plan.penalties(units), squares, kept }
    }

    /// The factor of the curvature.
    ///
    /// # Errors
    /// A matrix that is singular in working precision; on request of `control`.
    fn factor(&self, control: &Control) -> Result<&Cholesky> {
        if let Some(factor) = self.kept.0.get() {
            return Ok(factor);
        }
        let mut curvature = self.squares.squares(self.plan.constant.value());
        curvature.data_mut().iter_mut().for_each(|v| *v *= self.plan.scale * self.plan.curvature);
        curvature.add_to_diagonal(&self.penalties);
        let factor = Cholesky::new(curvature, control)?;
        Ok(self.kept.0.get_or_init(|| factor))
    }

    /// The value of the objective, its gradient and the gap at a point.
    fn at(&self, at: Matrix, sums: &PassedPoint, control: &Control) -> Result<DescentPoint> {
        let DescentPlan { scale, .. } = *self.plan;
        let penalty = |v: &Matrix, by: &dyn Fn(f64, f64) -> f64| {
            (0..v.rows()).map(|o| v.row(o).iter().zip(&self.penalties).map(|(v, p)| by(*v, *p)).sum::<f64>()).sum::<f64>()
        };
        let gradient = Matrix::from_fn(at.rows(), at.cols(), |o, j| self.penalties[j] * at[(o, j)] - scale * sums.slopes[(o, j)]);
        let value = scale * sums.loss + 0.5 * penalty(&at, &|v, p| p * v * v);
        // The objective is convex, and strongly so in what is penalised.
        let mut gap = 0.5 * penalty(&gradient, &|g, p| if p > 0.0 { g * g / p } else { 0.0 });
        let last = at.cols() - 1;
        if self.penalties[last] == 0.0 {
            // Constants are moved to their best, by Newton's step there, at a gain of no more than twice its first order.
            let of_constants = Matrix::column(gradient.col(last));
            let mut curvature = sums.constants.clone();
            curvature.data_mut().iter_mut().for_each(|v| *v *= scale);
            gap += match Cholesky::new(curvature, control).and_then(|factor| factor.solve(&of_constants, control)) {
                Ok(step) => dot(step.data(), of_constants.data()),
                Err(error @ Error::Cancelled) => return Err(error),
                // Constants that nothing holds.
                Err(_) => f64::MAX,
            };
        }
        Ok(DescentPoint { at, gradient, value, gap: gap.min(f64::MAX) })
    }

    /// The length of a gradient by the weights of the features as they are.
    fn length(&self, gradient: &Matrix) -> f64 {
        let units = || self.units.iter().copied().chain([1.0]);
        (0..gradient.rows())
            .map(|o| gradient.row(o).iter().zip(units()).map(|(g, unit)| (g * unit).powi(2)).sum::<f64>())
            .sum::<f64>()
            .sqrt()
    }

    /// The start of a problem.
    pub(crate) fn begin(&self, problem: &DescentProblem<'_>, control: &Control) -> Result<Descent> {
        // 0, where the gradient says how short is short, and lengths about the step by the squares, which are those of the problem.
        const FIRST: [f64; LENGTHS] = [0.0, 1.0, 2.0, 4.0];
        let mut whitened = problem.slopes.clone();
        whitened.data_mut().iter_mut().for_each(|v| *v *= self.plan.scale);
        self.factor(control)?.solve_rows(&mut whitened, control)?;
        let size = whitened.data().len();
        let along = self.unwhitened(&whitened, control)?;
        let none = Matrix::zeros(0, size);
        let (steps, changes) = (none.clone(), none);
        Ok(Descent { best: None, start: 0.0, along, whitened, lengths: FIRST.into(), steps, changes, failures: 0 })
    }

    fn unwhitened(&self, whitened: &Matrix, control: &Control) -> Result<Matrix> {
        let mut along = whitened.clone();
        self.factor(control)?.solve_transposed_rows(&mut along, control)?;
        Ok(along)
    }

    /// Goes to the best of the points of a pass and on from there.
    ///
    /// # Errors
    /// On request of `control`.
    pub(crate) fn advance(
        &self,
        problem: &DescentProblem<'_>,
        descent: &mut Descent,
        passed: &[PassedPoint],
        control: &Control,
    ) -> Result<()> {
        // Pairs of steps and changes that are remembered: 20 took 70 passes where 50 took 55 and 100 took 54 (two separable classes through 40
        // landmarks), and no fewer elsewhere.
        const MEMORY: usize = 50;
        const NEXT: [f64; LENGTHS] = [1.0, 0.5, 2.0, 0.125];
        // How much shorter they are after a pass that found no better point, and such passes that end the way.
        const SHORTER: f64 = 0.02;
        const FAILURES: usize = 3;
        // Values that differ by no more are the same but for rounding.
        const ROUNDING: f64 = 1e-13;
        let mut found: Option<(f64, DescentPoint)> = None;
        for (place, sums) in passed.iter().enumerate() {
            let length = descent.lengths[place];
            let point = self.at(descent.at(place), sums, control)?;
            if length == 0.0 {
                descent.start = self.length(&point.gradient);
            }
            if found.as_ref().is_none_or(|(_, best)| point.value < best.value) {
                found = Some((length, point));
            }
        }
        let Some((length, next)) = found else { return Ok(()) };
        let is_better = descent.best.as_ref().is_none_or(|best| {
            next.value < best.value - ROUNDING * best.value.abs()
                || next.gap < best.gap && next.value <= best.value + ROUNDING * best.value.abs()
        });
        let rows = |m: &Matrix| (0..m.rows()).map(|i| m.row(i).to_vec()).collect::<Vec<_>>();
        let mut pairs = Pairs::of(rows(&descent.steps).into_iter().zip(rows(&descent.changes)).collect(), MEMORY);
        if is_better {
            if let Some(best) = &descent.best {
                let mut change = Matrix::from_fn(next.at.rows(), next.at.cols(), |o, j| next.gradient[(o, j)] - best.gradient[(o, j)]);
                self.factor(control)?.solve_rows(&mut change, control)?;
                pairs.remember(descent.whitened.data().iter().map(|d| length * d).collect(), change.into_data());
            }
            (descent.best, descent.failures) = (Some(next), 0);
        } else {
            descent.failures += 1;
            pairs = Pairs::of(Default::default(), MEMORY);
        }
        let best = descent.best.as_ref().ok_or_else(|| Error::Internal { what: "passes".into(), why: "no point is known".into() })?;
        descent.lengths = if self.is_solved(problem, descent.start, best) || descent.failures == FAILURES {
            Vec::new()
        } else {
            NEXT.map(|length| length * SHORTER.powi(descent.failures as i32)).into()
        };
        let mut gradient = best.gradient.clone();
        self.factor(control)?.solve_rows(&mut gradient, control)?;
        let free = vec![true; gradient.data().len()];
        descent.whitened = Matrix::new(gradient.rows(), gradient.cols(), pairs.direction(gradient.data(), &free))?;
        descent.along = self.unwhitened(&descent.whitened, control)?;
        let (steps, changes): (Vec<_>, Vec<_>) = pairs.into_list().into_iter().unzip();
        (descent.steps, descent.changes) =
            (Matrix::new(steps.len(), free.len(), steps.concat())?, Matrix::new(changes.len(), free.len(), changes.concat())?);
        Ok(())
    }

    fn is_solved(&self, problem: &DescentProblem<'_>, start: f64, best: &DescentPoint) -> bool {
        best.gap <= self.plan.gap * best.value.abs() && self.length(&best.gradient) <= problem.slope * start
    }

    /// Where a problem stands, in the units of the features; `None` before its first point. `origin`: what features are measured from.
    pub(crate) fn end(&self, problem: &DescentProblem<'_>, descent: &Descent, origin: &[f64], passes: usize) -> Option<DescentEnd> {
        let best = descent.best.as_ref()?;
        let constant = self.plan.constant.value();
        let mut weights = best.at.clone();
        for o in 0..weights.rows() {
            let row = weights.row_mut(o);
            row.iter_mut().zip(self.units).for_each(|(w, unit)| *w /= unit);
            if let [features @ .., last] = row
                && constant != 0.0
            {
                *last -= dot(features, origin) / constant;
            }
        }
        let share = |part: f64, of: f64| if part > 0.0 { part / of.max(f64::MIN_POSITIVE) } else { 0.0 };
        Some(DescentEnd {
            weights,
            value: best.value,
            gap: share(best.gap, best.value.abs()),
            slope: share(self.length(&best.gradient), descent.start),
            is_solved: self.is_solved(problem, descent.start, best),
            passes,
        })
    }
}

impl DescentEnd {
    /// That passes ended before the tolerance was met, as a sentence.
    pub(crate) fn stopped(&self, tolerance: f64) -> String {
        format!(
            "stopped after {} passes before the tolerance was met: the relative duality gap is {:.3e}, where the tolerance is {tolerance:e}; allow more time, raise lambda, or scale the columns",
            self.passes, self.gap
        )
    }
}

impl Descent {
    /// Functions of the problem.
    pub(crate) fn outputs(&self) -> usize {
        self.along.rows()
    }

    /// Points at which the next pass computes it.
    pub(crate) fn points(&self) -> usize {
        self.lengths.len()
    }

    /// One of these points, outputs x columns.
    pub(crate) fn at(&self, place: usize) -> Matrix {
        let length = self.lengths[place];
        Matrix::from_fn(self.along.rows(), self.along.cols(), |o, j| {
            self.best.as_ref().map_or(0.0, |best| best.at[(o, j)]) + length * self.along[(o, j)]
        })
    }

    /// An error unless the sizes fit, which damaged bytes may bring about.
    pub(crate) fn check(&self, columns: usize) -> Result<()> {
        let matrices =
            [Some(&self.along), Some(&self.whitened), self.best.as_ref().map(|b| &b.at), self.best.as_ref().map(|b| &b.gradient)];
        for matrix in matrices.into_iter().flatten() {
            Error::unless_equal("columns of a direction", columns, matrix.cols())?;
            Error::unless_equal("outputs of a direction", self.along.rows(), matrix.rows())?;
        }
        Error::unless_equal("steps", self.steps.rows(), self.changes.rows())?;
        let size = self.along.data().len();
        [&self.steps, &self.changes].into_iter().try_for_each(|m| Error::unless_equal("numbers of a step", size, m.cols()))
    }
}
