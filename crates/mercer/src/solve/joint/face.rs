//! Steps on the free variables of all rows at once: what ends the zigzag of steps of single rows where costs are large.
//!
//! A free direction moves B of a row from one class to another. Over the directions of a face, with m the slopes along them,
//!
//! ```text
//! maximise  m'd - 1/2 d'H d,      H_pq = (K_ij + rho) u_p'u_q,      u_p = e_to - e_from
//! ```
//!
//! d = H^-1 m as far as the bounds let go, directions left out that depend on others. Where a variable meets a bound at a share t of the way,
//! its direction leaves the face, and (1 - t) m is left of m: the next step needs no new values.
//!
//! References: Nocedal and Wright (2006), 16.5, active sets; Scheinberg (2006) and [`smo`](super::super::smo), for pairs of rows.

use super::row_loss::{Direction, ROUNDING};
use super::state::JointState;
use crate::control::Control;
use crate::error::Result;
use crate::gram::{RowCache, Subset, dense};
use crate::linalg::Matrix;
use crate::solve::active_factor::ActiveFactor;
use std::ops::Range;

/// The most free directions of a face: a factor of more takes seconds.
const MOST: usize = 2048;

/// Bytes that a face of so many directions takes at most: H, its factor, and K among its rows.
pub(super) fn bytes(directions: usize) -> u64 {
    // Of each pair of directions.
    const PER_PAIR: u64 = 20;
    PER_PAIR * (directions.min(MOST) as u64).pow(2)
}

/// The rows that are free, and the directions in which they are.
pub(super) struct JointFace {
    rows: Vec<FreeRow>,
    directions: Vec<Direction>,
}

/// A row and its directions.
struct FreeRow {
    row: usize,
    directions: Range<usize>,
}

impl JointFace {
    /// The face of a point.
    pub(super) fn of(state: &JointState<'_>) -> Self {
        let mut face = JointFace { rows: Vec::new(), directions: Vec::new() };
        for row in 0..state.problem.class.len() {
            let first = face.directions.len();
            face.directions.extend(state.free_directions(row));
            if face.directions.len() > first {
                face.rows.push(FreeRow { row, directions: first..face.directions.len() });
            }
        }
        face
    }

    /// How many rows a step moves.
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether a step costs no more multiplications than were spent, those of its factor, and has its memory.
    pub(super) fn is_worth(&self, spent: f64, control: &Control) -> bool {
        let count = self.directions.len();
        let fits = bytes(count) <= control.allowed() / 4;
        count > 1 && count <= MOST && (count as f64).powi(3) / 6.0 <= spent && fits
    }

    /// H, from K among the rows.
    fn curvature(&self, k: &Matrix, rho: f64) -> Matrix {
        let mut h = Matrix::zeros(self.directions.len(), self.directions.len());
        for (s, of) in self.rows.iter().enumerate() {
            for (t, other) in self.rows.iter().enumerate() {
                let value = k[(s, t)] + rho;
                for p in of.directions.clone() {
                    other.directions.clone().for_each(|q| h[(p, q)] = value * self.directions[p].product(&self.directions[q]));
                }
            }
        }
        h
    }

    /// Moves the variables of a point to the best of the face, and on from there where bounds are met.
    pub(super) fn settle(&self, state: &mut JointState<'_>, cache: &mut RowCache<'_, f64>, control: &Control) -> Result<()> {
        // A pivot below this share of its diagonal is rounding: a direction that depends on others stays.
        const DEPENDENT: f64 = 1e-10;
        let list: Vec<usize> = self.rows.iter().map(|free| free.row).collect();
        let k = dense(&Subset::new(cache.gram(), &list, &list), &control.finishing())?;
        let h = self.curvature(&k, state.rho);
        let (offsets, mut margins, mut slopes) = (state.offsets(), vec![0.0; state.problem.classes], Vec::new());
        for free in &self.rows {
            state.margins(free.row, &offsets, &mut margins);
            slopes.extend(self.directions[free.directions.clone()].iter().map(|d| margins[d.from] - margins[d.to]));
        }
        let mut factor = ActiveFactor::default();
        for p in 0..slopes.len() {
            control.check()?;
            factor.append(&h, p, DEPENDENT);
        }
        let before: Vec<Vec<f64>> = list.iter().map(|&i| state.variables.row(i).to_vec()).collect();
        let mut left = 1.0;
        while !factor.places().is_empty() {
            let step = factor.solve(|p| left * slopes[p]);
            if !step.iter().all(|(_, d)| d.is_finite()) {
                break;
            }
            let way = self.step(state, &step);
            left *= 1.0 - way;
            if way >= 1.0 || !self.leave(state, &mut factor) {
                break;
            }
        }
        state.take(&list, &before, cache, control)
    }

    /// Goes along directions as far as the bounds let go, at most all of the way; how far.
    fn step(&self, state: &mut JointState<'_>, step: &[(usize, f64)]) -> f64 {
        let mut along = vec![0.0; self.directions.len()];
        step.iter().for_each(|&(p, d)| along[p] = d);
        let moves = |free: &FreeRow| {
            let mut moves = vec![0.0; state.problem.classes];
            for (direction, d) in self.directions[free.directions.clone()].iter().zip(&along[free.directions.clone()]) {
                moves[direction.from] += d;
                moves[direction.to] -= d;
            }
            // The variable of the own class is none.
            moves[state.problem.class[free.row]] = 0.0;
            moves
        };
        let moves: Vec<Vec<f64>> = self.rows.iter().map(moves).collect();
        let room =
            |(free, moves): (&FreeRow, &Vec<f64>)| state.rule.room(state.variables.row(free.row), moves, state.problem.cost[free.row]);
        let way = self.rows.iter().zip(&moves).map(room).fold(1.0, f64::min);
        for (free, moves) in self.rows.iter().zip(&moves) {
            let variables = state.variables.row_mut(free.row);
            for (a, d) in variables.iter_mut().zip(moves) {
                let moved = *a + way * d;
                // What comes to 0 is 0 to the last bit.
                *a = if moved <= ROUNDING * *a { 0.0 } else { moved };
            }
            state.rule.clip(variables, state.problem.cost[free.row]);
        }
        way
    }

    /// Takes out directions that are not free any more; whether there were any, and others have not taken their place.
    fn leave(&self, state: &JointState<'_>, factor: &mut ActiveFactor) -> bool {
        let mut stays = vec![false; self.directions.len()];
        for free in &self.rows {
            for now in state.free_directions(free.row) {
                match free.directions.clone().find(|&p| self.directions[p] == now) {
                    Some(p) => stays[p] = true,
                    None => return false,
                }
            }
        }
        let gone: Vec<usize> = (0..factor.places().len()).filter(|&at| !stays[factor.places()[at]]).collect();
        gone.iter().rev().for_each(|&at| factor.remove(at));
        !gone.is_empty()
    }
}
