//! The active set of a parametric quadratic programme, followed from one event to the next.
//!
//! ```text
//! minimise  1/2 s'Ks + t c's   subject to  sum s = 0,  0 <= y_i s_i <= w_i,      as the parameter t falls
//! ```
//!
//! With h = K s + s_0 the slopes are g_i = h_i + t c_i: 0 on the elbow, y_i g_i >= 0 right of it, y_i g_i <= 0 left of it. On the elbow
//! [K 1; 1' 0] (ds/dt, ds_0/dt) = (-c, 0), by a Cholesky factor of K that gains and loses one row at a time. A row that reaches the elbow
//! and is determined by the rows there takes the place of one of them, along a direction that changes no h. The elbow is never empty: one
//! row with its coefficient at a bound stays, and the offset follows it. Of events at one t that of the first row is the next (Murty 1974,
//! the least index): an active set that comes again at one t is reported.

use crate::control::Control;
use crate::error::Result;
use crate::linalg::{Matrix, combined_rows};
use crate::solve::active_factor::ActiveFactor;
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Where a row is by its coefficient.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum RowSide {
    /// At its bound.
    Left,
    /// Free.
    Elbow,
    /// At 0.
    Right,
}

/// A change of the active set.
pub(super) struct PathEvent {
    /// How far the parameter falls before it.
    pub(super) after: f64,
    row: usize,
    /// Where the row goes.
    to: RowSide,
}

/// The state of a path.
pub(super) struct Walk<'a> {
    k: &'a Matrix,
    pub(super) signs: &'a [f64],
    pub(super) weights: &'a [f64],
    /// Which rows may change sides.
    moves: Vec<bool>,
    pub(super) side: Vec<RowSide>,
    /// The signed coefficients.
    pub(super) s: Vec<f64>,
    pub(super) offset: f64,
    parameter: f64,
    /// A parameter that is 0 but for rounding.
    nought: f64,
    c: Vec<f64>,
    factor: ActiveFactor,
    /// K s of the rows at their bound, and how often it was changed since it was summed.
    bound: Vec<f64>,
    changes: usize,
    /// The sum of the weights, the unit of coefficients.
    total: f64,
    /// h, dg/dt of every row and ds/dt on the elbow, in the order of the factor.
    pub(super) h: Vec<f64>,
    rates: Vec<f64>,
    steps: Vec<(usize, f64)>,
    pub(super) offset_rate: f64,
    /// Active sets at this parameter.
    seen: HashSet<u64>,
}

impl<'a> Walk<'a> {
    /// A walk with coefficients that sum to 0, all at their bounds but for that of the one row on the elbow.
    pub(super) fn new(k: &'a Matrix, signs: &'a [f64], weights: &'a [f64], s: Vec<f64>, elbow: usize) -> Self {
        // Values of h below this share of the greatest that there may be are rounding.
        const NOUGHT: f64 = 1e-13;
        let n = signs.len();
        let side = |i: usize| match s[i] {
            _ if i == elbow => RowSide::Elbow,
            0.0 => RowSide::Right,
            _ => RowSide::Left,
        };
        let mut factor = ActiveFactor::default();
        factor.append(k, elbow, 0.0);
        Walk {
            k,
            signs,
            weights,
            moves: vec![false; n],
            side: (0..n).map(side).collect(),
            s,
            offset: 0.0,
            parameter: 0.0,
            nought: NOUGHT * k.diagonal().iter().fold(0.0, |m: f64, v| m.max(*v)) * weights.iter().sum::<f64>(),
            c: vec![0.0; n],
            factor,
            bound: vec![0.0; n],
            changes: usize::MAX,
            total: weights.iter().sum(),
            h: vec![0.0; n],
            rates: vec![0.0; n],
            steps: Vec::new(),
            offset_rate: 0.0,
            seen: HashSet::new(),
        }
    }

    /// Sets c and the rows that may move.
    pub(super) fn aim(&mut self, c: Vec<f64>, moves: impl Fn(usize) -> bool) {
        self.moves = (0..c.len()).map(|i| self.weights[i] > 0.0 && moves(i)).collect();
        self.c = c;
    }

    /// Begins at a parameter: the offset is that of the first row on the elbow.
    pub(super) fn begin(&mut self, parameter: f64) {
        self.parameter = if parameter <= self.nought { 0.0 } else { parameter };
        self.seen.clear();
        if let Some(&row) = self.factor.places().first() {
            let h: f64 = self.k.row(row).iter().zip(&self.s).map(|(k, s)| k * s).sum();
            self.offset = -self.parameter * self.c[row] - h;
        }
    }

    pub(super) fn parameter(&self) -> f64 {
        self.parameter
    }

    /// Whether a row takes part.
    pub(super) fn takes_part(&self, row: usize) -> bool {
        self.moves[row]
    }

    /// What rounding may leave of a coefficient.
    fn rounding(&self) -> f64 {
        1e-12 * self.total
    }

    /// The sum of the weights, the unit of coefficients.
    pub(super) fn total(&self) -> f64 {
        self.total
    }

    /// The side of a row where one on the elbow whose coefficient is at a bound is not free.
    pub(super) fn bound_side(&self, row: usize) -> RowSide {
        // What rounding may leave between a coefficient and its bound, as a share of all weights.
        const AT_BOUND: f64 = 1e-10;
        let (alpha, most) = (self.signs[row] * self.s[row], AT_BOUND * self.total);
        match self.side[row] {
            RowSide::Elbow if alpha <= most.min(0.5 * self.weights[row]) => RowSide::Right,
            RowSide::Elbow if self.weights[row] - alpha <= most => RowSide::Left,
            side => side,
        }
    }

    /// Whether no coefficient moves, and none is between its bounds.
    pub(super) fn is_open(&self) -> bool {
        self.least_rate() == f64::INFINITY && self.factor.places().iter().all(|&i| self.bound_side(i) != RowSide::Elbow)
    }

    /// The least ds/dt that is more than rounding; infinity where none moves until t = 0.
    fn least_rate(&self) -> f64 {
        let most = self.steps.iter().fold(0.0, |m: f64, (_, q)| m.max(q.abs()));
        if most * self.parameter <= self.rounding() { f64::INFINITY } else { 1e-12 * most }
    }

    /// x, x_0 of [K 1; 1' 0] (x, x_0) = (b, sum) on the elbow.
    fn bordered(&self, b: impl Fn(usize) -> f64, sum: f64) -> (Vec<(usize, f64)>, f64) {
        let (mut x, ones) = (self.factor.solve(b), self.factor.solve(|_| 1.0));
        let total = |v: &[(usize, f64)]| v.iter().map(|(_, v)| v).sum::<f64>();
        let border = (total(&x) - sum) / total(&ones);
        x.iter_mut().zip(&ones).for_each(|((_, x), (_, one))| *x -= border * one);
        (x, border)
    }

    /// sum over the elbow of x_j K_j.
    fn product(&self, x: &[(usize, f64)], control: &Control) -> Result<Vec<f64>> {
        let rows: Vec<&[f64]> = x.iter().map(|(j, _)| self.k.row(*j)).collect();
        let by: Vec<f64> = x.iter().map(|(_, x)| *x).collect();
        combined_rows(&rows, &by, self.signs.len(), control)
    }

    /// Computes h and all rates anew, and takes rounding out of the coefficients of the elbow where it shows.
    pub(super) fn refresh(&mut self, control: &Control) -> Result<()> {
        // What rounding may leave of g on the elbow, as a share of the parameter.
        const SHOWN: f64 = 1e-11;
        // Changes of the rows at their bound after which their sum is made anew.
        const ANEW: usize = 64;
        if self.changes >= ANEW {
            let left: Vec<(usize, f64)> = (0..self.s.len()).filter(|&i| self.side[i] == RowSide::Left).map(|i| (i, self.s[i])).collect();
            self.bound = self.product(&left, control)?;
            self.changes = 0;
        }
        self.function(control)?;
        let g = |i: usize| self.h[i] + self.parameter * self.c[i];
        let off = self.factor.places().iter().fold(0.0, |m: f64, &i| m.max(g(i).abs()));
        let sum: f64 = self.s.iter().sum();
        if off > SHOWN * self.parameter || sum.abs() > self.rounding() {
            let (steps, of_offset) = self.bordered(|i| -g(i), -sum);
            steps.iter().for_each(|&(i, d)| self.s[i] += d);
            self.offset += of_offset;
            self.function(control)?;
        }
        (self.steps, self.offset_rate) = self.bordered(|i| -self.c[i], 0.0);
        self.rates = self.product(&self.steps, control)?;
        self.rates.iter_mut().zip(&self.c).for_each(|(r, c)| *r += self.offset_rate + c);
        if self.is_open() {
            // Rows on the elbow that stay at their bound are no support vectors by rounding.
            for &(i, _) in &self.steps {
                self.s[i] = if self.bound_side(i) == RowSide::Left { self.signs[i] * self.weights[i] } else { 0.0 };
            }
        }
        Ok(())
    }

    /// Computes h.
    fn function(&mut self, control: &Control) -> Result<()> {
        let elbow: Vec<(usize, f64)> = self.factor.places().iter().map(|&i| (i, self.s[i])).collect();
        self.h = self.product(&elbow, control)?;
        self.h.iter_mut().zip(&self.bound).for_each(|(h, bound)| *h += bound + self.offset);
        Ok(())
    }

    /// The greatest violation of a condition as a share of the parameter.
    pub(super) fn violation(&self) -> f64 {
        let of_row = |i: usize| {
            let g = self.signs[i] * (self.h[i] + self.parameter * self.c[i]);
            match self.side[i] {
                RowSide::Left => g,
                RowSide::Elbow => g.abs(),
                RowSide::Right => -g,
            }
        };
        let worst = (0..self.h.len()).filter(|&i| self.moves[i]).map(of_row).fold(0.0, f64::max);
        if worst > 0.0 { worst / self.parameter } else { 0.0 }
    }

    /// The next change of the active set as the parameter falls; `None`: there is none.
    pub(super) fn next_event(&self) -> Option<PathEvent> {
        // A row whose slope changes by no more than this share of the parameter's change stays where it is.
        const STAYS: f64 = 1e-10;
        // Events are at one parameter that differ by no more than this share of it.
        const EQUAL: f64 = 1e-12;
        let mut events = Vec::new();
        for i in (0..self.h.len()).filter(|&i| self.moves[i]) {
            let (g, rate) = (self.signs[i] * (self.h[i] + self.parameter * self.c[i]), self.signs[i] * self.rates[i]);
            let crosses = match self.side[i] {
                RowSide::Right => rate > STAYS,
                RowSide::Left => rate < -STAYS,
                RowSide::Elbow => false,
            };
            if crosses {
                events.push(PathEvent { after: (g / rate).max(0.0), row: i, to: RowSide::Elbow });
            }
        }
        let least = self.least_rate();
        for &(i, step) in &self.steps {
            let (alpha, rate) = (self.signs[i] * self.s[i], -self.signs[i] * step);
            if rate.abs() > least {
                let (room, to) = if rate < 0.0 { (alpha, RowSide::Right) } else { (self.weights[i] - alpha, RowSide::Left) };
                events.push(PathEvent { after: (room / rate.abs()).max(0.0), row: i, to });
            }
        }
        let first = events.iter().map(|e| e.after).fold(f64::INFINITY, f64::min);
        let equal = EQUAL * self.parameter;
        if self.parameter - first <= self.nought {
            return None;
        }
        let mut next = events.into_iter().filter(|e| e.after <= first + equal).min_by_key(|e| e.row)?;
        if next.after <= equal {
            next.after = 0.0;
        }
        Some(next)
    }

    /// Lets the parameter fall.
    pub(super) fn advance(&mut self, by: f64) {
        self.parameter -= by;
        self.steps.iter().for_each(|&(i, step)| self.s[i] -= by * step);
        self.offset -= by * self.offset_rate;
        for (h, (rate, c)) in self.h.iter_mut().zip(self.rates.iter().zip(&self.c)) {
            *h -= by * (rate - c);
        }
        if by > 0.0 {
            self.seen.clear();
        }
    }

    /// Changes the active set; whether it is one that was not there before at this parameter.
    pub(super) fn change(&mut self, event: &PathEvent, control: &Control) -> Result<bool> {
        control.check()?;
        let is_done = match event.to {
            RowSide::Elbow => self.enter(event.row),
            to => self.leave(event.row, to),
        };
        Ok(is_done && self.seen.insert(self.signature()))
    }

    /// A number of the active set.
    fn signature(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.side.hash(&mut hasher);
        hasher.finish()
    }

    /// Adds by times the kernel values of a row to those of the rows at their bound.
    fn add_bound(&mut self, row: usize, by: f64) {
        crate::gram::axpy(by, self.k.row(row), &mut self.bound);
        self.changes = self.changes.saturating_add(1);
    }

    /// Takes a row off the elbow to one of its bounds; whether it was there.
    fn leave(&mut self, row: usize, to: RowSide) -> bool {
        let Some(position) = self.factor.places().iter().position(|&p| p == row) else { return false };
        self.factor.remove(position);
        self.settle(row, to);
        true
    }

    /// Puts a row that is not on the elbow at one of its bounds.
    fn settle(&mut self, row: usize, to: RowSide) {
        if self.side[row] == RowSide::Left {
            self.add_bound(row, -self.s[row]);
        }
        self.side[row] = to;
        self.s[row] = if to == RowSide::Left { self.signs[row] * self.weights[row] } else { 0.0 };
        if to == RowSide::Left {
            self.add_bound(row, self.s[row]);
        }
    }

    /// Whether the factor took a row that is to be on the elbow.
    fn append(&mut self, row: usize) -> bool {
        // A pivot below this share of its diagonal is rounding: the row is determined by those on the elbow.
        const LEAST: f64 = 1e-12;
        if !self.factor.append(self.k, row, LEAST) {
            return false;
        }
        if self.side[row] == RowSide::Left {
            self.add_bound(row, -self.s[row]);
        }
        self.side[row] = RowSide::Elbow;
        true
    }

    /// Takes a row to the elbow; where those there determine it, its coefficient moves against theirs until one reaches a bound: that
    /// row leaves, or the row itself is on its other side.
    fn enter(&mut self, row: usize) -> bool {
        // A coefficient that moves by less than this share of that of the row does not leave.
        const MOVES: f64 = 1e-9;
        if self.append(row) {
            return true;
        }
        // ds_row = d: K_E ds_E = -d K_row.
        let d = if self.side[row] == RowSide::Right { self.signs[row] } else { -self.signs[row] };
        let shares = self.factor.solve(|j| -d * self.k[(j, row)]);
        let mut blocking = (self.weights[row], row, RowSide::Right, 1.0);
        for &(j, share) in shares.iter().filter(|(_, share)| share.abs() > MOVES) {
            let (alpha, rate) = (self.signs[j] * self.s[j], self.signs[j] * share);
            let (room, to) = if rate < 0.0 { (alpha, RowSide::Right) } else { (self.weights[j] - alpha, RowSide::Left) };
            let after = (room / rate.abs()).max(0.0);
            let is_first = after < blocking.0 - self.rounding();
            if is_first || (after <= blocking.0 + self.rounding() && share.abs() > blocking.3) {
                blocking = (after, j, to, share.abs());
            }
        }
        let (by, leaving, to, _) = blocking;
        shares.iter().for_each(|&(j, share)| self.s[j] += by * share);
        if leaving == row {
            let to = if self.side[row] == RowSide::Right { RowSide::Left } else { RowSide::Right };
            self.settle(row, to);
            return true;
        }
        if self.side[row] == RowSide::Left {
            self.add_bound(row, by * d);
        }
        self.s[row] += by * d;
        self.leave(leaving, to) && self.append(row)
    }
}
