//! Dual coordinate descent (Hsieh et al. 2008; Ho and Lin 2012): one b_i after another, w = X'b kept beside them.
//!
//! With v_i = z_i - x_i'w - d_i b_i, the best b_i for given others minimises h (s - b_i)^2 / 2 - v_i (s - b_i) + tube |s| over
//! its bounds, h = |x_i|^2 + d_i: a soft threshold, then the bounds. Rows are taken in an order that is drawn anew for each
//! pass. A row whose b_i stands at a bound, or at the kink at 0, and is held there by more than the greatest violation of the
//! last pass is left out until the others are done. A shift o of all targets is the price of the sum of b.

use super::rows::{Bands, Rows, soon};
use super::{Loss, Options, Problem, Solution, certify, relative};
use crate::control::Control;
use crate::error::Result;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;

/// How many rows ahead the places of a row are asked for, and its numbers.
const AHEAD: [usize; 2] = [12, 4];
/// Numbers between two looks at the clock.
const LOOK: usize = 1 << 20;
/// Times that a tolerance is made smaller because the gap is not met.
const ROUNDS: usize = 8;

/// What a step needs of a row, in one place of memory.
#[derive(Clone, Copy)]
#[repr(align(32))]
struct Entry {
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
    entries: Vec<Entry>,
    pub(in crate::solve) weights: Vec<f64>,
    /// What is taken off every target.
    pub(in crate::solve) shift: f64,
    order: Vec<u32>,
    /// Rows of `order` that are taken.
    active: usize,
    /// Rows are left out above this.
    threshold: f64,
    random: Xoshiro256PlusPlus,
    /// Rows between two looks at the clock.
    look: usize,
}

/// Solves one problem.
pub(super) fn solve<R: Rows>(rows: &R, squares: &[f64], problem: &Problem, options: &Options, control: &Control) -> Result<Solution> {
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
                descent.leave_out(met, 1.0);
            } else if whole {
                break false;
            } else {
                descent.take_all();
            }
        };
        let found = certify(rows, problem, &descent.coef(), &bands, &|| control.check())?;
        let gap = relative(found.gap, found.primal);
        let converged = !ended && violation <= options.tolerance && gap <= options.tolerance;
        if converged || ended || round == ROUNDS {
            let dual = found.primal - found.gap;
            return Ok(Solution { weights: found.weights, primal: found.primal, dual, gap, violation, iterations, converged });
        }
        descent.weights = found.weights;
        aim *= 0.25;
    }
}

impl<'a, R: Rows> Descent<'a, R> {
    pub(in crate::solve) fn new(rows: &'a R, squares: &[f64], problem: &Problem, seed: u64) -> Self {
        let entry = |i: usize| Entry { coef: 0.0, target: problem.target[i], cost: problem.cost[i], square: squares[i] };
        let order: Vec<u32> = (0..rows.len() as u32).filter(|i| problem.cost[*i as usize] > 0.0).collect();
        Descent {
            rows,
            loss: problem.loss,
            entries: (0..rows.len()).map(entry).collect(),
            weights: vec![0.0; rows.width()],
            shift: 0.0,
            active: order.len(),
            order,
            threshold: f64::INFINITY,
            random: Xoshiro256PlusPlus::seed_from_u64(seed),
            look: (LOOK * rows.len() / rows.stored(rows.len()).max(1)).clamp(1, LOOK / 8),
        }
    }

    /// Takes all rows again.
    pub(in crate::solve) fn take_all(&mut self) {
        self.active = self.order.len();
        self.threshold = f64::INFINITY;
    }

    /// From now on leaves out what is held where it stands by more than a share of what was met.
    pub(in crate::solve) fn leave_out(&mut self, met: Met, share: f64) {
        let most = share * met.steepest();
        self.threshold = if most > 0.0 { most } else { f64::INFINITY };
    }

    /// Rows that are taken.
    pub(in crate::solve) fn active(&self) -> usize {
        self.active
    }

    /// Whether every row is taken.
    pub(in crate::solve) fn takes_all(&self) -> bool {
        self.active == self.order.len()
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
        self.order[..self.active].shuffle(&mut self.random);
        let (mut met, mut k, mut until_look) = (Met::NOTHING, 0, 1);
        while k < self.active {
            until_look -= 1;
            if until_look == 0 {
                until_look = self.look;
                control.check()?;
                if control.out_of_time() {
                    return Ok(None);
                }
            }
            if let Some(&far) = self.order.get(k + AHEAD[0]) {
                soon(&self.entries[far as usize]);
                self.rows.fetch_place(far as usize);
            }
            if let Some(&near) = self.order.get(k + AHEAD[1]) {
                self.rows.fetch(near as usize);
            }
            if self.step(self.order[k] as usize, &mut met) {
                k += 1;
            } else {
                self.active -= 1;
                self.order.swap(k, self.active);
            }
        }
        Ok(Some(met))
    }

    /// Takes the best b_i; false where the row is to be left out.
    #[inline(always)]
    fn step(&mut self, i: usize, met: &mut Met) -> bool {
        let Entry { coef: b, target: z, cost, square } = self.entries[i];
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
