//! The small problem on one block, solved pair by pair.
//!
//! Pair (i, j): i has the greatest v among those that may rise; j, among those that may fall, promises the greatest
//! decrease (v_i - v_j)^2 / (2 c) with c = K_ii + K_jj - 2 K_ij (Fan, Chen and Lin 2005). Where c is not positive
//! (equal inputs, rounding, an indefinite kernel) the objective falls all the way, and the step goes to the bound.
//! One step is two passes over the block: the update of v finds the next i on its way. Where pairs zigzag, steps on all
//! free variables at once come between them.

use super::limits::steps::*;
use super::passes::{PAD, Passes};
use super::state::ProblemState;
use super::{CHECK, ROUNDING};
use crate::control::Control;

/// The block: everything about its B variables, the lists padded with variables that can do nothing.
pub(super) struct Block<'a, T> {
    /// Places of its variables in the problem.
    pub(super) members: &'a [usize],
    pub(super) rows: BlockRows<'a, T>,
    /// v = z - f, kept up to date.
    pub(super) v: Vec<T>,
    /// What v counts where the variable is raised, and where it is lowered: see `ProblemState::slope_up`.
    pub(super) up: Vec<T>,
    pub(super) down: Vec<T>,
    pub(super) diagonal: Vec<T>,
    /// `up` and `down` of each group alone, where there are several.
    groups: Vec<[Vec<T>; 2]>,
    /// Their values.
    pub(super) coef: Vec<f64>,
    /// How many are free to go both ways.
    free: usize,
    /// How many of them were found not to depend on each other; without an end before.
    pub(super) rank: usize,
    /// Curvature that counts as none.
    pub(super) flat: f64,
}

/// Rows of K among the variables of a block, one after the other, each of [`width`] numbers.
pub(super) enum BlockRows<'a, T> {
    /// All rows, held by others.
    Held(&'a [T]),
    /// Rows that are written when they are first asked for: where to, how, and which are there.
    Later(&'a mut [T], Write<'a, T>, Vec<bool>),
}

/// Writes the row of a member.
type Write<'a, T> = &'a dyn Fn(usize, &mut [T]);

/// Numbers that the row of a member takes: zeros follow on its values.
pub(super) fn width(members: usize) -> usize {
    members.next_multiple_of(PAD)
}

impl<'a, T: Passes> BlockRows<'a, T> {
    /// Rows that are written when they are first asked for, into memory whatever stands there.
    pub(super) fn later(members: usize, memory: &'a mut [T], write: Write<'a, T>) -> Self {
        BlockRows::Later(memory, write, vec![false; members])
    }
    fn make(&mut self, a: usize) {
        if let BlockRows::Later(values, write, ready) = self
            && !std::mem::replace(&mut ready[a], true)
        {
            let wide = width(ready.len());
            let (row, rest) = values[a * wide..(a + 1) * wide].split_at_mut(ready.len());
            write(a, row);
            rest.fill(T::default());
        }
    }
    fn of(&self, a: usize, wide: usize) -> &[T] {
        let all: &[T] = match self {
            BlockRows::Held(all) => all,
            BlockRows::Later(all, ..) => all,
        };
        &all[a * wide..(a + 1) * wide]
    }
}

/// When to leave a block.
pub(super) struct Until<'a> {
    /// The violation within the block to be reached.
    pub(super) goal: f64,
    /// The most pair steps.
    pub(super) most: usize,
    pub(super) control: &'a Control,
}

impl Until<'_> {
    /// Whether time is up, or an end was asked for.
    pub(super) fn stopped(&self) -> bool {
        self.control.out_of_time() || self.control.check().is_err()
    }
}

impl<'a, T: Passes> Block<'a, T> {
    /// The members of a problem as it stands, and K among them.
    pub(super) fn new(state: &ProblemState<'_>, members: &'a [usize], rows: BlockRows<'a, T>) -> Self {
        let width = width(members.len());
        let flat = FLAT * members.iter().fold(f64::MIN_POSITIVE, |m, &k| m.max(state.diagonal[k].abs()));
        let list = |padding: f64| vec![T::from_f64(padding); width];
        let groups = 0..state.problem.group.iter().max().map_or(0, |g| g + 1);
        let mut block = Block {
            members,
            rows,
            v: list(0.0),
            up: list(f64::NEG_INFINITY),
            down: list(f64::INFINITY),
            diagonal: list(1.0),
            groups: groups.map(|_| [list(f64::NEG_INFINITY), list(f64::INFINITY)]).collect(),
            coef: members.iter().map(|&k| state.coef[k]).collect(),
            free: 0,
            rank: usize::MAX,
            flat,
        };
        for (a, &k) in members.iter().enumerate() {
            block.diagonal[a] = T::from_f64(state.diagonal[k]);
            block.bound(state, a);
        }
        block.reset(state);
        block
    }

    /// v as the problem has it.
    pub(super) fn reset(&mut self, state: &ProblemState<'_>) {
        for (v, &k) in self.v.iter_mut().zip(self.members) {
            *v = T::from_f64(state.v(k));
        }
    }

    /// Notes in which direction a member may go.
    pub(super) fn bound(&mut self, state: &ProblemState<'_>, a: usize) {
        let (k, b) = (self.members[a], self.coef[a]);
        self.free -= usize::from(self.up[a] == self.down[a]);
        (self.up[a], self.down[a]) = (T::from_f64(state.slope_up(k, b)), T::from_f64(state.slope_down(k, b)));
        self.free += usize::from(self.up[a] == self.down[a]);
        if let Some([up, down]) = self.groups.get_mut(state.problem.group_of(k)) {
            (up[a], down[a]) = (self.up[a], self.down[a]);
        }
    }

    /// The row of a member.
    pub(super) fn row(&mut self, a: usize) -> &[T] {
        let wide = self.v.len();
        self.rows.make(a);
        self.rows.of(a, wide)
    }

    /// v of all members, and the row of one.
    pub(super) fn v_and_row(&mut self, a: usize) -> (&mut [T], &[T]) {
        let wide = self.v.len();
        self.rows.make(a);
        (&mut self.v, self.rows.of(a, wide))
    }

    /// Takes pair steps until the violation within the block is at most `goal`, or limits are met. Returns the steps.
    pub(super) fn solve(&mut self, state: &ProblemState<'_>, until: &Until<'_>) -> usize {
        let (mut i, mut j, mut step) = (0, 0, 0.0);
        // Steps on all free variables never follow on each other: where rounding hides a move, a pair goes on.
        let (mut spent, mut paired, mut taken, wide) = (0.0, true, 0, self.v.len());
        if self.members.is_empty() {
            return 0;
        }
        self.rows.make(0);
        loop {
            let (group, (next, top, bottom)) = self.advance(i, j, step);
            let violation = top.to_f64() - bottom.to_f64();
            // Also the end where nothing may rise or nothing may fall.
            if taken >= until.most || violation <= until.goal || !violation.is_finite() {
                return taken;
            }
            if taken % CHECK == CHECK - 1 && until.stopped() {
                return taken;
            }
            spent += self.v.len() as f64 + PASS;
            let share = SHARE[usize::from(self.is_easy(self.free))];
            if paired && (2..=MOST_FREE).contains(&self.free) && self.newton_cost(self.free) <= share * spent {
                if until.stopped() {
                    return taken;
                }
                self.newton(state, group, until, share * spent);
                (step, spent, paired) = (0.0, 0.0, false);
                taken += 1;
                continue;
            }
            i = next;
            self.rows.make(i);
            let down = self.groups.get(group).map_or(&self.down, |[_, down]| down);
            let lists = [&self.v[..], down, self.rows.of(i, wide), &self.diagonal];
            let gain;
            (j, gain) = T::second(lists, [top, self.diagonal[i], T::from_f64(self.flat)]);
            self.rows.make(j.min(self.members.len() - 1));
            if gain.to_f64() <= 0.0 || !self.change(state, i, j, &mut step) {
                return taken;
            }
            (paired, taken) = (true, taken + 1);
        }
    }

    /// Brings v up to a step on i and j; the group of the greatest violation, what is to be raised there, and the greatest and the
    /// least slope.
    fn advance(&mut self, i: usize, j: usize, step: f64) -> (usize, (usize, T, T)) {
        let wide = self.v.len();
        let (i, j) = (self.rows.of(i, wide), self.rows.of(j, wide));
        let Some(([up, down], others)) = self.groups.split_first() else {
            return (0, T::advance(&mut self.v, [&self.up, &self.down, i, j], T::from_f64(step)));
        };
        let mut worst = (0, T::advance(&mut self.v, [up, down, i, j], T::from_f64(step)));
        for (g, [up, down]) in others.iter().enumerate() {
            let found = T::advance(&mut self.v, [up, down, i, i], T::from_f64(0.0));
            if found.1.to_f64() - found.2.to_f64() > worst.1.1.to_f64() - worst.1.2.to_f64() {
                worst = (g + 1, found);
            }
        }
        worst
    }

    /// Raises i and lowers j as far as pays, but for v; false if that is nowhere.
    fn change(&mut self, state: &ProblemState<'_>, i: usize, j: usize, step: &mut f64) -> bool {
        let curve = self.diagonal[i].to_f64() + self.diagonal[j].to_f64() - 2.0 * self.rows.of(i, self.v.len())[j].to_f64();
        let (most, least) = (state.room_up(self.members[i], self.coef[i]), state.room_down(self.members[j], self.coef[j]));
        let (room_i, room_j) = (most - self.coef[i], self.coef[j] - least);
        let slope = (self.v[i] + self.up[i]).to_f64() - (self.v[j] + self.down[j]).to_f64();
        *step = (slope / curve.max(self.flat)).min(room_i).min(room_j);
        let before = (self.coef[i], self.coef[j]);
        // At a bound the value is the bound to the last bit: rows outside of the expansion have exactly nothing in it, and
        // what rounding left between bounds would be the one row to give the offset.
        let ends = |room: f64, bound: f64, before: f64| room - *step <= ROUNDING * bound.abs().max(before.abs());
        self.coef[i] = if ends(room_i, most, before.0) { most } else { before.0 + *step };
        self.coef[j] = if ends(room_j, least, before.1) { least } else { before.1 - *step };
        self.bound(state, i);
        self.bound(state, j);
        before != (self.coef[i], self.coef[j])
    }
}
