//! Starts of a search, and columns in exchange for others: the evidence has many maxima.

use super::super::forward;
use super::super::span::Columns;
use super::super::{Change, Relevance, gain};
use super::{NumberSearch, Numbers, Plan};
use crate::control::Control;
use crate::error::Result;
use crate::linalg::Matrix;
use rand::SeedableRng;
use rand::seq::index::sample;
use rand_xoshiro::Xoshiro256PlusPlus;

/// The best of all starts, and of several one with exchanges. `kept`: what was found so far.
pub(super) fn search(
    columns: Columns<'_>,
    numbers: Numbers<'_>,
    plan: &Plan<'_>,
    kept: &mut Option<Relevance>,
    control: &Control,
) -> Result<Relevance> {
    // Changes that exchanges may take together: so many for each change of the search, and at least.
    const EXCHANGES: usize = 1;
    const LEAST_EXCHANGES: usize = 100;
    // Columns up to which there are exchanges: of more each takes as long as a start.
    const FEW: usize = 100;
    let empty = NumberSearch::new(columns, numbers, control)?;
    let mut changes = 0;
    let mut top: Option<NumberSearch<'_>> = None;
    let earlier = usize::from(!plan.first.is_empty());
    for start in 0..plan.starts.max(1) {
        if top.is_some() && control.out_of_time() {
            break;
        }
        let mut state = empty.clone();
        match (start + 1).checked_sub(earlier) {
            None | Some(0) => state.begin_from(plan.first, plan.most, control)?,
            Some(1) => state.begin_orthogonally(plan.most, control)?,
            Some(2) => {}
            Some(k) => state.begin_from(&random(&empty.span.outside, plan.seed, k), plan.most, control)?,
        }
        state.climb(plan.most, &mut changes, control)?;
        if top.as_ref().is_none_or(|top| state.evidence > top.evidence) {
            *kept = Some(state.found(changes, f64::INFINITY));
            top = Some(state);
        }
    }
    let mut state = top.unwrap_or(empty);
    let allowed = changes + (EXCHANGES * changes).max(LEAST_EXCHANGES);
    while plan.starts > 1
        && state.active.len() <= FEW
        && let Some(better) = state.exchanged(plan.most, &mut changes, allowed, control)?
    {
        state = better;
        *kept = Some(state.found(changes, f64::INFINITY));
    }
    // The last word is that of numbers that were computed directly.
    let gain = state.climb(plan.most, &mut changes, control)?;
    Ok(state.found(changes, gain))
}

/// Random columns, ascending, of those that have a length: copies have none.
fn random(squares: &[f64], seed: u64, start: usize) -> Vec<usize> {
    // Columns of a random start, as a share of all and at most.
    const ONE_IN: usize = 10;
    const MOST_RANDOM: usize = 50;
    let columns: Vec<usize> = (0..squares.len()).filter(|&m| squares[m] > 0.0).collect();
    let mut source = Xoshiro256PlusPlus::seed_from_u64(seed.wrapping_add(start as u64));
    let count = (columns.len() / ONE_IN).clamp(1, MOST_RANDOM).min(columns.len());
    let mut chosen: Vec<usize> = sample(&mut source, columns.len(), count).into_iter().map(|k| columns[k]).collect();
    chosen.sort_unstable();
    chosen
}

impl NumberSearch<'_> {
    /// Some columns, of which functions of each alone have the variance of the targets.
    fn begin_from(&mut self, first: &[usize], most: usize, control: &Control) -> Result<()> {
        for &column in first.iter().take(most) {
            let square = self.span.length(column);
            if square > 0.0 {
                self.widen(column, control)?;
                self.active.push(column);
                self.x.push(self.numbers.rows * self.numbers.variance / square);
            }
        }
        self.update(control)
    }

    /// Columns that are chosen one after another for what the others leave, each with the alpha that its least squares weight asks for.
    fn begin_orthogonally(&mut self, most: usize, control: &Control) -> Result<()> {
        let Numbers { targets, rows, least_noise, .. } = self.numbers;
        let targets = Matrix::new(1, targets.len(), targets.to_vec())?;
        let found = forward::chosen(self.columns, &targets, (rows, rows * least_noise), most, control)?;
        let mut pairs: Vec<(usize, f64)> =
            found.columns.iter().copied().zip(found.weights.data().iter().map(|w| w * w)).filter(|(_, x)| *x > 0.0).collect();
        for (column, _) in &pairs {
            self.widen(*column, control)?;
        }
        let free = (rows - pairs.len() as f64).max(1.0);
        self.beta = (free / found.left[0]).min(1.0 / least_noise);
        pairs.sort_unstable_by_key(|pair| pair.0);
        (self.active, self.x) = pairs.into_iter().unzip();
        self.update(control)
    }

    /// This state after one exchange that raised the evidence: a column goes, and others come or change.
    fn exchanged(&self, most: usize, changes: &mut usize, allowed: usize, control: &Control) -> Result<Option<Self>> {
        // Changes in one exchange, and by how much its evidence may lie below before all numbers settle.
        const IN_ONE: usize = 25;
        const NEAR: f64 = 3.0;
        // Joint steps in one exchange.
        const SETTLED: usize = 10;
        // What an exchange must add to be made.
        const WORTH: f64 = 1e-2;
        let loss = |k: usize| {
            let (s, q) = self.without(k);
            gain(&[s], &[q], self.x[k], 0.0)
        };
        let mut order: Vec<(usize, f64)> = (0..self.active.len()).map(|k| (self.active[k], loss(k))).collect();
        order.sort_by(|a, b| b.1.total_cmp(&a.1));
        for (column, loss) in order {
            if *changes >= allowed || control.out_of_time() {
                break;
            }
            let mut tried = self.clone();
            tried.apply(Change { column, x: 0.0, gain: loss }, control)?;
            *changes += 1;
            for k in 0..IN_ONE {
                let change = tried.best_change(tried.active.len() < most, (k == 0).then_some(column));
                if change.gain <= WORTH {
                    break;
                }
                tried.apply(change, control)?;
                *changes += 1;
            }
            if tried.evidence > self.evidence - NEAR && tried.active != self.active {
                tried.settle(SETTLED, control)?;
                if tried.evidence > self.evidence + WORTH {
                    tried.climb(most, changes, control)?;
                    return Ok(Some(tried));
                }
            }
        }
        Ok(None)
    }
}
