//! k medoids: of N places with dissimilarities d and weights w, the k from which the others are least far,
//!
//! ```text
//! minimise  sum_j w_j min_{m in M} d(j, m)   over sets M of k places
//! ```
//!
//! A greedy start among some places (BUILD of Kaufman & Rousseeuw 1990, on a sample as LAB of Schubert & Rousseeuw 2021) or one that is
//! drawn, then swaps of a medoid with another place, the best of some
//! as soon as one pays (FasterPAM, Schubert & Rousseeuw 2021). What is left is a fixed point: no swap pays.

use crate::control::Control;
use crate::data::even_rows;
use crate::error::Result;
use crate::gram::{Level, dispatch, dot, level, spread};
use crate::linalg::{Matrix, count_passed};
use rayon::prelude::*;

/// Numbers that are added up side by side.
const LANES: usize = 8;
/// A swap pays where it takes more than this share off the loss: less may be rounding.
const LEAST: f64 = 1e-12;

/// Medoids and what they cost.
#[derive(Clone, Debug)]
pub struct Medoids {
    /// Places of the medoids.
    pub places: Vec<usize>,
    /// For each place the nearest medoid, by its position in `places`.
    pub nearest: Vec<usize>,
    /// sum_j w_j d(j, nearest medoid).
    pub loss: f64,
    /// Swaps that were made, of all starts.
    pub swaps: usize,
    /// Whether no swap pays; false where time was up before.
    pub fixed: bool,
    /// Whether every set of medoids was tried: then there is no better one.
    pub every_set: bool,
}

/// The best medoids of several starts: one greedy, the others drawn. `d` is symmetric, N x N; 1 <= count <= N.
pub fn medoids(d: &Matrix, weights: &[f64], count: usize, starts: usize, seed: u64, control: &Control) -> Result<Medoids> {
    // All sets of medoids are tried where there are no more of them.
    const FEW_SETS: f64 = 20_000.0;
    let n = weights.len();
    if sets(n, count) <= FEW_SETS {
        return every_set(d, weights, count, control);
    }
    let mut best = MedoidAssignment::new(d, weights, greedy(d, weights, count, control)?).improve(control)?;
    for start in 1..starts {
        if control.out_of_time() {
            break;
        }
        let first = drawn(d, weights, count, seed.wrapping_add(start as u64), control)?;
        let found = MedoidAssignment::new(d, weights, first).improve(control)?;
        let swaps = best.swaps + found.swaps;
        best = Medoids { swaps, ..if found.loss < best.loss { found } else { best } };
    }
    Ok(best)
}

/// How many sets of k places there are.
fn sets(n: usize, k: usize) -> f64 {
    (0..k.min(n - k)).map(|i| (n - i) as f64 / (i + 1) as f64).product()
}

/// The best of all sets, the first of equal ones in the order of the dictionary.
fn every_set(d: &Matrix, weights: &[f64], count: usize, control: &Control) -> Result<Medoids> {
    let n = weights.len();
    let mut set: Vec<usize> = (0..count).collect();
    let (mut best, mut least) = (set.clone(), f64::INFINITY);
    loop {
        control.check()?;
        let loss: f64 = (0..n).map(|j| weights[j] * set.iter().fold(f64::INFINITY, |m, &c| m.min(d[(j, c)]))).sum();
        if loss < least * (1.0 - LEAST) {
            (least, best) = (loss, set.clone());
        }
        let Some(last) = (0..count).rev().find(|&k| set[k] < n - count + k) else { break };
        set[last] += 1;
        (last + 1..count).for_each(|k| set[k] = set[k - 1] + 1);
    }
    Ok(Medoids { every_set: true, fixed: true, ..MedoidAssignment::new(d, weights, best).found(0, true) })
}

dispatch! {
    /// What a place that becomes a medoid takes off the loss: of the rows that come to it, sum_j w_j min(d_j - first_j, 0), and by their
    /// nearest medoid of those that would come to it were that one gone, w_j (min(max(d_j, first_j), second_j) - second_j). Sums go by
    /// lanes.
    weigh, weigh_body, <>, (row: &[f64], of: [&[f64]; 3], nearest: &[usize], changes: &mut [[f64; LANES]]) -> f64, operations: 10 * row.len()
}

#[inline(always)]
fn weigh_body<const FMA: bool>(row: &[f64], of: [&[f64]; 3], nearest: &[usize], changes: &mut [[f64; LANES]]) -> f64 {
    let whole = row.len() / LANES * LANES;
    let mut gain = [0.0; LANES];
    for at in (0..whole).step_by(LANES) {
        let ([first, second, weights], row) = (of.map(|of| &of[at..at + LANES]), &row[at..at + LANES]);
        let mut change = [0.0; LANES];
        for l in 0..LANES {
            // The greater and the lesser by comparison, which is one instruction.
            let least = if row[l] > first[l] { row[l] } else { first[l] };
            let kept = if least < second[l] { least } else { second[l] };
            change[l] = weights[l] * (kept - second[l]);
            let nearer = if row[l] < first[l] { row[l] } else { first[l] };
            gain[l] += weights[l] * (nearer - first[l]);
        }
        for l in 0..LANES {
            changes[nearest[at + l]][l] += change[l];
        }
    }
    for j in whole..row.len() {
        let [first, second, weight] = of.map(|of| of[j]);
        changes[nearest[j]][j - whole] += weight * (row[j].max(first).min(second) - second);
        gain[j - whole] += weight * (row[j].min(first) - first);
    }
    gain.iter().sum()
}

/// sum_j w_j min(a_j, b_j) in lanes, which the compiler makes vectors of.
fn sum_of_least(weights: &[f64], a: &[f64], b: &[f64]) -> f64 {
    count_passed(3 * a.len());
    let mut sums = [0.0; LANES];
    let (w, x, y) = (weights.chunks_exact(LANES), a.chunks_exact(LANES), b.chunks_exact(LANES));
    let rest: f64 = w.remainder().iter().zip(x.remainder()).zip(y.remainder()).map(|((w, a), b)| w * a.min(*b)).sum();
    for ((w, a), b) in w.zip(x).zip(y) {
        (0..LANES).for_each(|l| sums[l] += w[l] * a[l].min(b[l]));
    }
    sums.iter().sum::<f64>() + rest
}

/// BUILD: one medoid after another, each the place that takes most off the loss, of so many at even steps. What a place takes off never
/// grows as others are chosen, so that only those are weighed anew that promised as much (Minoux 1978, Accelerated greedy algorithms for
/// maximizing submodular set functions).
fn greedy(d: &Matrix, weights: &[f64], count: usize, control: &Control) -> Result<Vec<usize>> {
    // Places that a greedy start chooses among: at even steps of their order.
    const CANDIDATES: usize = 192;
    // Of them so many are weighed side by side, and sums differ beyond this share of the loss.
    const WEIGHED: usize = 16;
    const ROUNDING: f64 = 1e-12;
    let n = weights.len();
    let most = CANDIDATES.max(2 * count);
    // Places with what they took off the loss when they were weighed last.
    let mut open: Vec<(usize, f64)> = even_rows(n, most).into_iter().map(|place| (place, f64::INFINITY)).collect();
    let mut nearest = vec![f64::INFINITY; n];
    let mut chosen: Vec<usize> = Vec::with_capacity(count);
    for _ in 0..count {
        control.check()?;
        let loss = if chosen.is_empty() { f64::INFINITY } else { dot(weights, &nearest) };
        let weigh = |c: usize| if chosen.is_empty() { dot(weights, d.row(c)) } else { sum_of_least(weights, d.row(c), &nearest) };
        open.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let (mut least, mut weighed) = (f64::INFINITY, Vec::new());
        for some in open.chunks_mut(WEIGHED) {
            if !weighed.is_empty() && some[0].1 + ROUNDING * loss < loss - least {
                break;
            }
            let left: Vec<f64> = some.par_iter().with_min_len(4).map(|place| weigh(place.0)).collect();
            for (place, left) in some.iter_mut().zip(left) {
                place.1 = loss - left;
                least = f64::min(least, left);
                weighed.push((place.0, left));
            }
        }
        // Of places that rounding alone tells apart the first.
        let alike = weighed.into_iter().filter(|(_, left)| *left <= least + ROUNDING * least.abs());
        let Some(next) = alike.map(|(place, _)| place).min() else { break };
        nearest.iter_mut().zip(d.row(next)).for_each(|(m, v)| *m = m.min(*v));
        open.retain(|place| place.0 != next);
        chosen.push(next);
    }
    Ok(chosen)
}

/// A start that is drawn; places that all lie on earlier ones are as good as any.
fn drawn(d: &Matrix, weights: &[f64], count: usize, seed: u64, control: &Control) -> Result<Vec<usize>> {
    let mut places = spread(weights, count, seed, control, |c, out| out.copy_from_slice(d.row(c)))?;
    let others = (0..weights.len()).filter(|c| !places.contains(c)).take(count - places.len());
    places.extend(others.collect::<Vec<_>>());
    Ok(places)
}

/// Medoids with, for each place, its nearest and its second nearest.
struct MedoidAssignment<'a> {
    d: &'a Matrix,
    weights: &'a [f64],
    places: Vec<usize>,
    /// Positions of the nearest two medoids, and distances to them.
    nearest: Vec<usize>,
    next: Vec<usize>,
    first: Vec<f64>,
    second: Vec<f64>,
}

impl<'a> MedoidAssignment<'a> {
    fn new(d: &'a Matrix, weights: &'a [f64], places: Vec<usize>) -> Self {
        let n = weights.len();
        let mut state =
            MedoidAssignment { d, weights, places, nearest: vec![0; n], next: vec![0; n], first: vec![0.0; n], second: vec![0.0; n] };
        (0..n).for_each(|j| state.look(j));
        state
    }

    /// Finds the nearest two medoids of a place.
    fn look(&mut self, j: usize) {
        let row = self.d.row(j);
        let (mut nearest, mut next) = ((0, f64::INFINITY), (0, f64::INFINITY));
        for (m, &place) in self.places.iter().enumerate() {
            // A medoid is its own, though another may lie at the same place.
            if row[place] < nearest.1 || place == j {
                (nearest, next) = ((m, row[place]), nearest);
            } else if row[place] < next.1 {
                next = (m, row[place]);
            }
        }
        (self.nearest[j], self.first[j]) = nearest;
        (self.next[j], self.second[j]) = next;
    }

    fn loss(&self) -> f64 {
        dot(self.weights, &self.first)
    }

    /// What taking away each medoid alone adds to the loss; nothing where there is but one, which every swap replaces.
    fn removals(&self) -> Vec<f64> {
        let mut by = vec![0.0; self.places.len()];
        let others = by.len() > 1;
        for j in (0..self.weights.len()).filter(|_| others) {
            by[self.nearest[j]] += self.weights[j] * (self.second[j] - self.first[j]);
        }
        by
    }

    /// The medoid that a place had best replace, the first of those that differ by no more than rounding, and what that adds to the loss:
    /// Schubert & Rousseeuw, algorithm 3.
    fn best_swap(&self, candidate: usize, removals: &[f64], rounding: f64) -> (usize, f64) {
        let row = self.d.row(candidate);
        if removals.len() == 1 {
            return (0, dot(self.weights, row) - self.loss());
        }
        let mut changes = vec![[0.0; LANES]; removals.len()];
        let gain = weigh(row, [&self.first, &self.second, self.weights], &self.nearest, &mut changes);
        let change: Vec<f64> = removals.iter().zip(&changes).map(|(r, c)| r + c.iter().sum::<f64>()).collect();
        let least = change.iter().copied().fold(f64::INFINITY, f64::min);
        let best = change.iter().position(|change| *change <= least + rounding).unwrap_or(0);
        (best, change[best] + gain)
    }

    fn swap(&mut self, position: usize, candidate: usize) {
        self.places[position] = candidate;
        for j in 0..self.weights.len() {
            let went = self.nearest[j] == position || self.next[j] == position;
            if went || self.d[(candidate, j)] < self.second[j] || j == candidate {
                self.look(j);
            }
        }
    }

    /// Swaps until a whole round of places has none that pays, or time is up.
    fn improve(mut self, control: &Control) -> Result<Medoids> {
        // Places whose swaps are weighed side by side.
        const BLOCK: usize = 128;
        let n = self.weights.len();
        let (mut swaps, mut unchanged, mut at) = (0, 0, 0);
        let mut removals = self.removals();
        while unchanged < n && self.places.len() < n {
            control.check()?;
            if control.out_of_time() {
                return Ok(self.found(swaps, false));
            }
            let block: Vec<usize> = (at..n.min(at + BLOCK)).collect();
            // Of terms that cancel too: where the loss is 0 what is left of them is rounding, and swaps for it would never end.
            let rounding = LEAST * removals.iter().fold(self.loss().abs(), |most, change| most.max(change.abs()));
            let weighed: Vec<(usize, f64)> = block.par_iter().with_min_len(8).map(|&c| self.best_swap(c, &removals, rounding)).collect();
            let open = || block.iter().zip(&weighed).filter(|(c, _)| !self.places.contains(c));
            // Two rows of a cluster of two are as good as its medoid: of swaps that rounding alone tells apart the first is made.
            let least = open().map(|(_, (_, change))| *change).fold(f64::INFINITY, f64::min);
            let best = open().find(|(_, (_, change))| *change <= least + rounding && *change < -rounding);
            if let Some((&candidate, &(position, _))) = best {
                self.swap(position, candidate);
                removals = self.removals();
                swaps += 1;
                unchanged = 0;
            } else {
                unchanged += block.len();
            }
            at = if at + BLOCK >= n { 0 } else { at + BLOCK };
        }
        Ok(self.found(swaps, true))
    }

    fn found(self, swaps: usize, fixed: bool) -> Medoids {
        let loss = self.loss();
        Medoids { places: self.places, nearest: self.nearest, loss, swaps, fixed, every_set: false }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(points: &[f64]) -> Matrix {
        Matrix::from_fn(points.len(), points.len(), |i, j| (points[i] - points[j]).abs())
    }

    fn least(d: &Matrix, w: &[f64], k: usize) -> f64 {
        every_set(d, w, k, &Control::default()).unwrap().loss
    }

    // spec: M19, E3-25
    #[test]
    fn swaps_from_any_start_lower_the_loss_to_a_fixed_point_and_the_best_of_several_is_the_optimum() {
        let points: Vec<f64> = (0..10).map(|i| ((i * 37) % 23) as f64 + 0.1 * i as f64).collect();
        let weights: Vec<f64> = (0..10).map(|i| 1.0 + (i % 3) as f64).collect();
        let d = line(&points);
        for k in 1..5 {
            let ends = (0..6).map(|seed| {
                let start = MedoidAssignment::new(&d, &weights, drawn(&d, &weights, k, seed, &Control::default()).unwrap());
                let before = start.loss();
                let found = start.improve(&Control::default()).unwrap();
                assert!(found.fixed && found.loss <= before && (found.loss < before) == (found.swaps > 0));
                for candidate in (0..10).filter(|c| !found.places.contains(c)) {
                    for position in 0..k {
                        let mut places = found.places.clone();
                        places[position] = candidate;
                        assert!(MedoidAssignment::new(&d, &weights, places).loss() >= found.loss * (1.0 - 1e-9));
                    }
                }
                found.loss
            });
            let best = ends.fold(f64::INFINITY, f64::min);
            assert!((best - least(&d, &weights, k)).abs() <= 1e-12 * best);
        }
    }

    #[test]
    fn the_greedy_start_takes_the_place_that_takes_most_off_the_loss_each_time() {
        let points: Vec<f64> = (0..90).map(|i| ((i * 53) % 97) as f64 + 0.3 * (i % 7) as f64).collect();
        let weights: Vec<f64> = (0..90).map(|i| 0.5 + (i % 5) as f64).collect();
        let d = line(&points);
        let found = greedy(&d, &weights, 30, &Control::default()).unwrap();
        let loss =
            |set: &[usize]| -> f64 { (0..90).map(|j| weights[j] * set.iter().fold(f64::INFINITY, |m: f64, &c| m.min(d[(j, c)]))).sum() };
        for k in 0..found.len() {
            let with = |c: usize| loss(&[&found[..k], &[c]].concat());
            let least = (0..90).filter(|c| !found[..k].contains(c)).map(with).fold(f64::INFINITY, f64::min);
            assert!(with(found[k]) <= least * (1.0 + 1e-12), "place {k}");
        }
    }

    #[test]
    fn what_a_swap_is_said_to_change_is_what_it_changes() {
        let points: Vec<f64> = (0..40).map(|i| ((i * 29) % 41) as f64 * 0.7 + 0.01 * i as f64).collect();
        let weights: Vec<f64> = (0..40).map(|i| 0.5 + (i % 4) as f64).collect();
        let d = line(&points);
        let mut state = MedoidAssignment::new(&d, &weights, vec![3, 17, 30]);
        for candidate in [5, 22, 9, 39, 1] {
            let (position, change) = state.best_swap(candidate, &state.removals(), 0.0);
            let before = state.loss();
            state.swap(position, candidate);
            assert!((state.loss() - before - change).abs() <= 1e-9 * before);
            let fresh = MedoidAssignment::new(&d, &weights, state.places.clone());
            assert_eq!((&fresh.nearest, &fresh.first, &fresh.second), (&state.nearest, &state.first, &state.second));
        }
    }
}
