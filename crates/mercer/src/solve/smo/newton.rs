//! Steps on all free variables of a block at once: what ends the zigzag of pairs on badly scaled kernels.
//!
//! Over the free variables F, one of which, r, takes what the others move so that the sum stays, and with g = v + slope_up there,
//!
//! ```text
//! maximise  h'd - 1/2 d'H d,      h_a = g_a - g_r,   H_ab = K_ab - K_ar - K_rb + K_rr
//! ```
//!
//! H is factored with the variables left out that depend on those before them. Along each of these, the others moving so that f
//! stays, the objective is a line, and a step goes to a bound (a pivot of the simplex method); there are none where K is of full
//! rank. Then d = H^-1 h on the rest, as far as the bounds let go. Where a bound is met its variable is not free any more, and
//! the step is taken again. At the best point of a face of low rank, the worst variable at a bound is let in.
//!
//! References: Vishwanathan, Smola and Murty (2003) and Scheinberg (2006), active sets for support vector machines.

use super::limits::steps::*;
use super::pairs::{Block, Until};
use super::passes::Passes;
use super::state::ProblemState;
use crate::gram::{axpy, dot};

/// The free variables of a block, of one group.
struct Face {
    group: usize,
    /// r.
    taker: usize,
    /// Variables that do not depend on each other, and L with L L' = H among them, by rows.
    kept: Vec<usize>,
    lower: Vec<Vec<f64>>,
    /// K between them and r.
    beside: Vec<f64>,
    /// The others, each with its row of L, as far as there were rows above.
    dependent: Vec<(usize, Vec<f64>)>,
}

impl<T: Passes> Block<'_, T> {
    /// What one step over so many free variables costs, in multiplications, if their rank is that of the last.
    pub(super) fn newton_cost(&self, free: usize) -> f64 {
        let (f, r) = (free as f64, free.min(self.rank) as f64);
        r * r * (f / 2.0 - r / 3.0) + 2.0 * f * r + self.cost_of_moving(free.min(self.rank)) + 200.0
    }

    /// What it costs to move so many variables.
    fn cost_of_moving(&self, some: usize) -> f64 {
        0.25 * (some * self.v.len()) as f64
    }

    /// Whether K is of a rank so low that a step over so many free variables costs few passes.
    pub(super) fn is_easy(&self, free: usize) -> bool {
        self.rank < usize::MAX && self.newton_cost(free) <= EASY * self.v.len() as f64
    }

    /// Takes such steps in a group until none meets a bound, or `budget` multiplications are spent.
    pub(super) fn newton(&mut self, state: &ProblemState<'_>, group: usize, until: &Until<'_>, mut budget: f64) {
        let is_free = |a: &usize| self.up[*a] == self.down[*a] && state.problem.group_of(self.members[*a]) == group;
        let mut free: Vec<usize> = (0..self.members.len()).filter(is_free).collect();
        while free.len() > 1 && budget > 0.0 && !until.stopped() {
            budget -= self.newton_cost(free.len());
            let face = self.face(group, &free);
            let rank = face.kept.len() + 1;
            if !face.dependent.is_empty() || rank > self.rank {
                self.rank = if face.dependent.is_empty() { usize::MAX } else { rank };
            }
            if !self.slide(state, &face, until.goal, &mut budget) && !self.go_to_best(state, &face) {
                let Some((a, slope)) = self.worst(state, &face, 0.5 * until.goal).filter(|_| self.is_easy(free.len())) else { return };
                let (line, _) = self.line(&face, a);
                let (d, gain) = self.direction(&face, line, slope);
                self.along(state, &face, a, d, gain);
                free.push(a);
            }
            free.retain(|&a| self.up[a] == self.down[a]);
        }
    }

    /// The variable at a bound that violates the conditions most where those of the face do not, by more than `goal`; and the
    /// slope that it is moved along.
    fn worst(&self, state: &ProblemState<'_>, face: &Face, goal: f64) -> Option<(usize, f64)> {
        let level = self.slope(face.taker);
        let mut worst = (goal, None);
        let own = |a: usize| state.problem.group_of(self.members[a]) == face.group;
        for a in (0..self.members.len()).filter(|&a| self.up[a] != self.down[a] && own(a)) {
            let (rise, fall) = (self.slope(a), (self.v[a] + self.down[a]).to_f64());
            for (slope, off) in [(rise, rise - level), (fall, level - fall)] {
                if off > worst.0 {
                    worst = (off, Some((a, slope)));
                }
            }
        }
        worst.1
    }

    /// The face of free variables.
    fn face(&mut self, group: usize, free: &[usize]) -> Face {
        let least = DEPENDENT[usize::from(size_of::<T>() == 8)];
        let mut face = Face { group, taker: free[0], kept: Vec::new(), beside: Vec::new(), lower: Vec::new(), dependent: Vec::new() };
        for &a in &free[1..] {
            let (mut line, pivot) = self.line(&face, a);
            if pivot > least * self.diagonal[a].to_f64().abs() && pivot > self.flat {
                line.push(pivot.sqrt());
                face.lower.push(line);
                face.kept.push(a);
                face.beside.push(self.row(a)[face.taker].to_f64());
            } else {
                face.dependent.push((a, line));
            }
        }
        face
    }

    /// What a variable would add to the factor of a face: its row and the square of its pivot.
    fn line(&mut self, face: &Face, a: usize) -> (Vec<f64>, f64) {
        let own = self.diagonal[face.taker].to_f64();
        let row = self.row(a);
        let here = row[face.taker].to_f64();
        let mut pivot = row[a].to_f64() - 2.0 * here + own;
        let mut line: Vec<f64> = face.kept.iter().zip(&face.beside).map(|(&b, k)| row[b].to_f64() - here - k + own).collect();
        for c in 0..line.len() {
            let before = dot(&face.lower[c][..c], &line[..c]);
            line[c] = (line[c] - before) / face.lower[c][c];
            pivot -= line[c] * line[c];
        }
        (line, pivot)
    }

    /// g: the slope where a variable is raised.
    fn slope(&self, a: usize) -> f64 {
        (self.v[a] + self.up[a]).to_f64()
    }

    /// h of the variables that are kept.
    fn slopes(&self, face: &Face) -> Vec<f64> {
        face.kept.iter().map(|&a| self.slope(a) - self.slope(face.taker)).collect()
    }

    /// Moves dependent variables along what leaves f as it is, but for rounding, where that gains more than `goal` per unit; true
    /// as soon as one of the others meets a bound, or nothing is left of the budget.
    fn slide(&mut self, state: &ProblemState<'_>, face: &Face, goal: f64, budget: &mut f64) -> bool {
        face.dependent.iter().any(|(a, line)| {
            let (d, gain) = self.direction(face, line.clone(), self.slope(*a));
            gain.abs() > goal && {
                *budget -= self.cost_of_moving(d.len() + 1);
                self.along(state, face, *a, d, gain) || *budget <= 0.0
            }
        })
    }

    /// How variables of a face move so that the slopes there stay while another is moved by 1, and what that gains per unit.
    fn direction(&self, face: &Face, line: Vec<f64>, slope: f64) -> (Vec<f64>, f64) {
        let with = face.back(line);
        let gain = slope - self.slope(face.taker) - dot(&with, &self.slopes(face)[..with.len()]);
        (with.iter().map(|c| -c).chain([1.0]).collect(), gain)
    }

    /// Goes along such a direction of a variable as far as pays; whether one of the face meets a bound.
    fn along(&mut self, state: &ProblemState<'_>, face: &Face, a: usize, mut d: Vec<f64>, gain: f64) -> bool {
        let list: Vec<usize> = face.kept[..d.len() - 1].iter().copied().chain([a]).collect();
        let most = gain / self.curvature(face.taker, &list, &d);
        d.iter_mut().for_each(|d| *d *= most);
        most.is_finite() && self.go(state, face.taker, &list, &d).is_some_and(|met| met != a)
    }

    /// d'K d, what rounding of K hides of it at least.
    fn curvature(&mut self, taker: usize, list: &[usize], d: &[f64]) -> f64 {
        let rounding = ROUNDING_OF_K[usize::from(size_of::<T>() == 8)];
        let ways = with_taker(taker, list, d);
        let (mut curve, mut least) = (0.0, self.flat * rounding);
        for &(a, d) in &ways {
            let row = self.row(a);
            curve += d * ways.iter().map(|&(b, d)| d * row[b].to_f64()).sum::<f64>();
            least += rounding * d * d * row[a].to_f64().abs();
        }
        curve.max(least)
    }

    /// Goes towards the best point of the face; whether a bound was met on the way.
    fn go_to_best(&mut self, state: &ProblemState<'_>, face: &Face) -> bool {
        let slopes = self.slopes(face);
        let d = face.solve(slopes.clone());
        let gain = dot(&d, &slopes);
        gain > 0.0 && gain.is_finite() && self.go(state, face.taker, &face.kept, &d).is_some()
    }

    /// Goes along d, and along what keeps the sum, as far as the bounds let; the variable that met one.
    fn go(&mut self, state: &ProblemState<'_>, taker: usize, list: &[usize], d: &[f64]) -> Option<usize> {
        let ways = with_taker(taker, list, d);
        let end = |coef: f64, a: usize, d: f64| {
            let k = self.members[a];
            if d > 0.0 { state.room_up(k, coef) } else { state.room_down(k, coef) }
        };
        let ends: Vec<f64> = ways.iter().map(|&(a, d)| end(self.coef[a], a, d)).collect();
        let (mut share, mut met) = (1.0, None);
        for (&(a, d), end) in ways.iter().zip(&ends) {
            let room = (end - self.coef[a]) / d;
            if d != 0.0 && room < share {
                (share, met) = (room, Some(a));
            }
        }
        for (&(a, d), &end) in ways.iter().zip(&ends) {
            let old = self.coef[a];
            let new = old + share * d;
            let beyond = if d > 0.0 { new >= end } else { new <= end };
            self.coef[a] = if d != 0.0 && (met == Some(a) || beyond) { end } else { new };
            let change = T::from_f64(old - self.coef[a]);
            let (v, row) = self.v_and_row(a);
            axpy(change, row, v);
            self.bound(state, a);
        }
        met
    }
}

/// The ways of variables, and of the one that keeps their sum.
fn with_taker(taker: usize, list: &[usize], d: &[f64]) -> Vec<(usize, f64)> {
    list.iter().copied().zip(d.iter().copied()).chain([(taker, -d.iter().sum::<f64>())]).collect()
}

impl Face {
    /// L^-T x.
    fn back(&self, mut x: Vec<f64>) -> Vec<f64> {
        for c in (0..x.len()).rev() {
            x[c] /= self.lower[c][c];
            let last = x[c];
            x[..c].iter_mut().zip(&self.lower[c]).for_each(|(x, l)| *x -= l * last);
        }
        x
    }

    /// H^-1 x.
    fn solve(&self, mut x: Vec<f64>) -> Vec<f64> {
        for c in 0..x.len() {
            let before = dot(&self.lower[c][..c], &x[..c]);
            x[c] = (x[c] - before) / self.lower[c][c];
        }
        self.back(x)
    }
}
