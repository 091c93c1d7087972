//! Solutions of problems over one Gram matrix, one after the other, which share its rows: a search along penalties.

use super::kept_rows::KeptRows;
use super::plan::{self, ProblemFacts, Road, RoadFacts};
use super::state::ProblemState;
use super::{KnownValues, Options, Problem, Solution, SolverJob};
use crate::control::Control;
use crate::error::Result;
use crate::gram::{self, Features, Gram, Side};
use rayon::prelude::*;

/// What the certificate of a solution is computed from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proof {
    /// Values of f in f64.
    Exact,
    /// Values of f as steps have left them, where these say that the point is optimal: enough for a solution on the way to another.
    AsStepped,
}

/// Rows of a symmetric Gram matrix that solutions share.
pub struct SolverSession<'a> {
    gram: &'a dyn Gram,
    features: Option<Features<'a>>,
    diagonal: Vec<f64>,
    kept: KeptRows<'a>,
}

impl<'a> SolverSession<'a> {
    /// A session without rows; an error if some k(x, x) is not finite.
    pub fn new(gram: &'a dyn Gram) -> Result<Self> {
        Ok(SolverSession {
            gram,
            features: Features::of(gram, Side::Rows),
            diagonal: gram::finite_diagonal(gram)?,
            kept: KeptRows::new(gram),
        })
    }

    /// Solves problems as [`solve`](super::solve) does, where f = Kb of the start is known for some.
    pub fn solve(
        &mut self,
        problems: &[Problem],
        known: &[Option<KnownValues<'_>>],
        proof: Proof,
        options: &Options,
        control: &Control,
    ) -> Result<Vec<Solution>> {
        let (shape, diagonal) = (self.gram.shape(), &self.diagonal);
        let mut states = problems.par_iter().map(|p| ProblemState::new(p, shape, diagonal)).collect::<Result<Vec<_>>>()?;
        for (state, known) in states.iter_mut().zip(known) {
            if let Some(known) = known.filter(|known| known.values.len() == state.coef.len()) {
                state.values.copy_from_slice(known.values);
                state.known = Some(known.precision);
            }
        }
        let job = SolverJob { gram: self.gram, features: self.features.as_ref(), options: *options, proof, control };
        let facts = RoadFacts::of(&job, &states);
        states.par_iter_mut().for_each(|s| s.roads = plan::choose(&ProblemFacts::of(s), &facts));
        for road in Road::ALL {
            let mut open: Vec<&mut ProblemState<'_>> = states.iter_mut().filter(|s| !s.is_done() && s.roads.contains(&road)).collect();
            if !open.is_empty() {
                road.take(&job, &mut self.kept, &mut open)?;
            }
        }
        Ok(states.into_par_iter().map(|s| s.into_solution(options.tolerance)).collect())
    }
}
