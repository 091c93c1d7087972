//! Dual coordinate descent (Hsieh et al. 2008; Ho and Lin 2012): one b_i after another, w = X'b kept beside them.
//!
//! With v_i = z_i - x_i'w - d_i b_i, the best b_i for given others minimises h (s - b_i)^2 / 2 - v_i (s - b_i) + tube |s| over
//! its bounds, h = |x_i|^2 + d_i: a soft threshold, then the bounds. The order of rows is drawn anew for each pass: blocks of
//! neighbours in memory, then the rows of some blocks at a time. A row whose b_i stands at a bound, or at the kink at 0, and is
//! held there by more than a share of the greatest violation of the last pass is left out until the others are done. A shift o
//! of all targets is the price of the sum of b.

use super::rows::{Bands, RowAccess, soon};
use super::{Loss, Options, Problem, Solution, certify, relative};
use crate::control::Control;
use crate::error::Result;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;

/// What a step needs of a row, in one place of memory.
#[derive(Clone, Copy)]
#[repr(align(32))]
struct DualVariable {
    coef: f64,
    target: f64,
    cost: f64,
    square: f64,
}

/// What a pass has met.
#[derive(Clone, Copy)]
pub(in crate::solve) struct Met {
    /// Greatest and least slope of the dual objective by |b| where it can be followed.
    largest: f64,
    least: f64,
    /// Sum of their sizes.
    sum: f64,
}

impl Met {
    const NOTHING: Met = Met { largest: 0.0, least: 0.0, sum: 0.0 };

    /// The greatest size of a slope that can be followed.
    pub(in crate::solve) fn steepest(self) -> f64 {
        self.largest.max(-self.least)
    }
}

pub(in crate::solve) struct Descent<'a, R> {
    rows: &'a R,
    loss: Loss,
    entries: Vec<DualVariable>,
    pub(in crate::solve) weights: Vec<f64>,
    /// What is taken off every target.
    pub(in crate::solve) shift: f64,
    /// Rows that are taken, ascending.
    taken: Vec<u32>,
    /// All rows that cost something.
    rows_that_cost: usize,
    /// Rows are left out above this.
    threshold: f64,
    random: Xoshiro256PlusPlus,
    /// Rows between two looks at the clock.
    look: usize,
}

/// Solves one problem.
pub(super) fn solve<R: RowAccess>(rows: &R, squares: &[f64], problem: &Problem, options: &Options, control: &Control) -> Result<Solution> {
    // Times that a tolerance is made smaller because the gap is not met.
    const ROUNDS: usize = 8;
    let mut descent = Descent::new(rows, squares, problem, options.seed);
    let (mut aim, mut iterations, mut violation) = (options.tolerance, 0, f64::INFINITY);
    let bands = Bands::new(rows, true);
    let mut first_sum = None;
    let mut round = 0;
    loop {
        round += 1;
        descent.take_all();
        let ended = loop {
            if iterations >= options.max_iterations {
                break true;
            }
            let whole = descent.takes_all();
            let Some(met) = descent.pass(control)? else { break true };
            iterations += 1;
            control.tell("passes over the rows", iterations, options.max_iterations);
            let first = *first_sum.get_or_insert(met.sum);
            violation = match problem.loss.one_sided {
                true => met.largest - met.least,
                false if first > 0.0 => met.sum / first,
                false => 0.0,
            };
            if violation > aim {
                descent.leave_out(met, descent.share());
            } else if whole {
                break false;
            } else {
                descent.take_all();
            }
        };
        let coef = descent.coef();
        let found = certify(rows, problem, &coef, &bands, &|| control.check())?;
        let gap = relative(found.gap, found.primal);
        let converged = !ended && violation <= options.tolerance && gap <= options.tolerance;
        if converged || ended || round == ROUNDS {
            let dual = found.primal - found.gap;
            return Ok(Solution { weights: found.weights, coef, primal: found.primal, dual, gap, violation, iterations, converged });
        }
        descent.weights = found.weights;
        aim *= 0.25;
    }
}

impl<'a, R: RowAccess> Descent<'a, R> {
    pub(in crate::solve) fn new(rows: &'a R, squares: &[f64], problem: &Problem, seed: u64) -> Self {
        // Numbers between two looks at the clock.
        const LOOK: usize = 1 << 20;
        let entry = |i: usize| DualVariable { coef: 0.0, target: problem.target[i], cost: problem.cost[i], square: squares[i] };
        let mut descent = Descent {
            rows,
            loss: problem.loss,
            entries: (0..rows.len()).map(entry).collect(),
            weights: vec![0.0; rows.width()],
            shift: 0.0,
            taken: Vec::new(),
            rows_that_cost: problem.cost.iter().filter(|c| **c > 0.0).count(),
            threshold: f64::INFINITY,
            random: Xoshiro256PlusPlus::seed_from_u64(seed),
            look: (LOOK * rows.len() / rows.stored(rows.len()).max(1)).clamp(1, LOOK / 8),
        };
        descent.take_all();
        descent
    }

    /// Takes all rows again.
    pub(in crate::solve) fn take_all(&mut self) {
        if !self.takes_all() {
            self.taken.clear();
            self.taken.extend((0u32..).zip(&self.entries).filter(|(_, e)| e.cost > 0.0).map(|(i, _)| i));
        }
        self.threshold = f64::INFINITY;
    }

    /// From now on leaves out what is held where it stands by more than a share of what was met.
    pub(in crate::solve) fn leave_out(&mut self, met: Met, share: f64) {
        let most = share * met.steepest();
        self.threshold = if most > 0.0 { most } else { f64::INFINITY };
    }

    /// The share of the steepest slope that holds a row: while most rows are taken, what is left out counts for more than what
    /// is taken back once too often; at last it is the other way round.
    fn share(&self) -> f64 {
        if self.active() > self.rows_that_cost / 8 { 0.5 } else { 1.0 }
    }

    /// Rows that are taken.
    pub(in crate::solve) fn active(&self) -> usize {
        self.taken.len()
    }

    /// Whether every row is taken.
    pub(in crate::solve) fn takes_all(&self) -> bool {
        self.taken.len() == self.rows_that_cost
    }

    pub(in crate::solve) fn coef(&self) -> Vec<f64> {
        self.entries.iter().map(|e| e.coef).collect()
    }

    /// Goes to a point, whose weights X'b are given.
    pub(in crate::solve) fn go_to(&mut self, coef: &[f64], weights: Vec<f64>) {
        self.entries.iter_mut().zip(coef).for_each(|(e, b)| e.coef = *b);
        self.weights = weights;
    }

    /// One step for each row that is taken; `None` where time is up.
    pub(in crate::solve) fn pass(&mut self, control: &Control) -> Result<Option<Met>> {
        // How many rows ahead the places of a row are asked for, and its numbers.
        const AHEAD: [usize; 2] = [12, 4];
        let order = self.order();
        let mut left_out = Vec::new();
        let (mut met, mut until_look) = (Met::NOTHING, 1);
        for (k, &i) in order.iter().enumerate() {
            until_look -= 1;
            if until_look == 0 {
                until_look = self.look;
                control.check()?;
                if control.out_of_time() {
                    return Ok(None);
                }
            }
            if let Some(&far) = order.get(k + AHEAD[0]) {
                soon(&self.entries[far as usize]);
                self.rows.fetch_place(far as usize);
            }
            if let Some(&near) = order.get(k + AHEAD[1]) {
                self.rows.fetch(near as usize);
            }
            if !self.step(i as usize, &mut met) {
                left_out.push(i);
            }
        }
        left_out.sort_unstable();
        let mut next = left_out.into_iter().peekable();
        self.taken.retain(|i| next.next_if_eq(i).is_none());
        Ok(Some(met))
    }

    /// The rows that are taken, in the order of one pass.
    fn order(&mut self) -> Vec<u32> {
        // Rows that lie together are taken at about the same time: orders drawn row by row miss the cache and the table of pages, three
        // times the time of a pass over a million sparse rows. Several blocks are mixed, for what one block has in common would else
        // settle with its neighbours alone.
        const BLOCK: usize = 32;
        const MIXED: usize = 32;
        let mut blocks: Vec<&[u32]> = self.taken.chunks(BLOCK).collect();
        blocks.shuffle(&mut self.random);
        let mut order = blocks.concat();
        order.chunks_mut(BLOCK * MIXED).for_each(|rows| rows.shuffle(&mut self.random));
        order
    }

    /// Takes the best b_i; false where the row is to be left out.
    #[inline(always)]
    fn step(&mut self, i: usize, met: &mut Met) -> bool {
        let DualVariable { coef: b, target: z, cost, square } = self.entries[i];
        let (low, high) = self.loss.bounds(z, cost);
        let (ridge, tube) = (self.loss.ridge(cost), self.loss.tube);
        let v = z - self.shift - self.rows.dot(i, &self.weights) - ridge * b;
        let up = if b >= 0.0 { v - tube } else { v + tube };
        let down = if b > 0.0 { v - tube } else { v + tube };
        if (b >= high || up < -self.threshold) && (b <= low || down > self.threshold) {
            return false;
        }
        let slope = if b < high && up > 0.0 {
            up
        } else if b > low && down < 0.0 {
            down
        } else {
            return true;
        };
        // By |b|, for classes: what raises a b below 0 lowers its size.
        let signed = if self.loss.one_sided { -z * slope } else { -slope };
        met.largest = met.largest.max(signed);
        met.least = met.least.min(signed);
        met.sum += slope.abs();
        let best = match square + ridge {
            h if h > 0.0 => {
                let free = h * b + v;
                if free > tube {
                    (free - tube) / h
                } else if free < -tube {
                    (free + tube) / h
                } else {
                    0.0
                }
            }
            // A row of zeros: a bound, for the objective falls in a line.
            _ if slope > 0.0 => high,
            _ => low,
        };
        let best = best.clamp(low, high);
        if best != b {
            self.entries[i].coef = best;
            self.rows.add(i, best - b, &mut self.weights);
        }
        true
    }
}
