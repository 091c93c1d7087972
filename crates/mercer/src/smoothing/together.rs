//! Local polynomials at many places together, under a Gaussian of one bandwidth in one or two columns: their moments are sums of
//! [`plane`](super::plane), each with a bound of its error. A place at which that changes the fit by more than counts is asked alone.

use super::SmoothingKernel;
use super::moments::{Moments, number_of_terms};
use super::place::At;
use super::plane::{Ask, Bounded, Sources};
use crate::control::Control;
use crate::error::Result;
use std::f64::consts::SQRT_2;

/// The rows, and what is fitted to them.
pub(super) struct RegressionRows<'a> {
    /// In D columns, row by row.
    pub(super) points: &'a [f64],
    pub(super) targets: &'a [f64],
    /// How often they stand, and their weights against outliers (empty: 1).
    pub(super) weights: &'a [f64],
    pub(super) robust: &'a [f64],
    pub(super) widths: &'a [f64],
    pub(super) degree: usize,
}

/// Moments at places.
pub(super) struct Together<'a> {
    widths: &'a [f64],
    degree: usize,
    /// The mean of the targets, which moments are taken from: a polynomial that fits them does so for any constant more.
    centre: f64,
    asked: Vec<Ask>,
    sums: Vec<Bounded>,
    asked_squares: Vec<Ask>,
    squares: Vec<Bounded>,
}

impl<'a> Together<'a> {
    /// None where the sums at each place alone are no slower, and where there are none together.
    pub(super) fn of(
        rows: &RegressionRows<'a>,
        kernel: SmoothingKernel,
        places: &[f64],
        squares: bool,
        control: &Control,
    ) -> Result<Option<Self>> {
        // What is passed over is below this share of a row that is near.
        const NEGLIGIBLE: f64 = 1e-14;
        // Nanoseconds of a row at a place for each of its sums, where places are asked one by one.
        const PAIR: f64 = 0.7;
        let dim = rows.widths.len();
        if kernel != SmoothingKernel::Gaussian || dim > 2 {
            return Ok(None);
        }
        let robust = |i: usize| rows.robust.get(i).copied().unwrap_or(1.0);
        let count = rows.targets.len();
        let weights: Vec<f64> = (0..count).map(|i| rows.weights[i] * robust(i)).collect();
        let centre = weights.iter().zip(rows.targets).map(|(w, y)| w * y).sum::<f64>() / weights.iter().sum::<f64>();
        let targets: Vec<f64> = weights.iter().zip(rows.targets).map(|(w, y)| w * (y - centre)).collect();
        if !centre.is_finite() || targets.iter().any(|t| !t.is_finite()) {
            return Ok(None);
        }
        // Numbers far from 0 lose digits in units of a bandwidth.
        let middle: Vec<f64> = (0..dim).map(|j| rows.points.iter().skip(j).step_by(dim).sum::<f64>() / count as f64).collect();
        let in_units = |points: &[f64], per: f64| -> Vec<f64> {
            let pair = |x: &[f64]| [0, 1].map(|j| if j < dim { (x[j] - middle[j]) / rows.widths[j] * per } else { 0.0 });
            points.chunks_exact(dim).flat_map(pair).collect()
        };
        let powers = |list: usize, most: usize| -> Vec<Ask> {
            let second = |a: usize| 0..=if dim == 1 { 0 } else { most - a };
            (0..=most).flat_map(|a| second(a).map(move |b| Ask { list, powers: [a, b] })).collect()
        };
        let sums = |per: f64, weights: &[&[f64]], asked: &[Ask]| {
            let sources = Sources { points: &in_units(rows.points, per), weights, asked, pair: PAIR * asked.len() as f64 };
            sources.sums(&in_units(places, per), NEGLIGIBLE, control)
        };
        let asked: Vec<Ask> = powers(0, 2 * rows.degree).into_iter().chain(powers(1, rows.degree)).collect();
        let mut together = Together {
            widths: rows.widths,
            degree: rows.degree,
            centre,
            asked,
            sums: Vec::new(),
            asked_squares: Vec::new(),
            squares: Vec::new(),
        };
        let Some(found) = sums(1.0, &[&weights, &targets], &together.asked)? else { return Ok(None) };
        together.sums = found;
        if squares {
            // p^2 is the kernel of a bandwidth that is smaller by the root of 2.
            let twice: Vec<f64> = (0..count).map(|i| weights[i] * robust(i)).collect();
            together.asked_squares = powers(0, 2 * rows.degree);
            let Some(found) = sums(SQRT_2, &[&twice], &together.asked_squares)? else { return Ok(None) };
            together.squares = found;
        }
        Ok(Some(together))
    }

    /// The fit at a place, if its moments are exact enough.
    pub(super) fn at(&self, place: usize, control: &Control) -> Result<Option<At>> {
        let (moments, errors) = (self.moments(place, |sum| sum.value), self.moments(place, |sum| sum.error));
        let at = At::if_exact(&moments, &errors, self.widths, control)?;
        Ok(at.map(|at| At { value: at.value + self.centre, ..at }))
    }

    fn moments(&self, place: usize, of: impl Fn(&Bounded) -> f64) -> Moments {
        let (dim, count) = (self.widths.len(), number_of_terms(self.widths.len(), self.degree));
        let read = |asked: &[Ask], sums: &[Bounded], ask: Ask| {
            let at = asked.iter().position(|other| *other == ask);
            at.map_or(f64::NAN, |at| of(&sums[place * asked.len() + at]))
        };
        let powers: Vec<[usize; 2]> = (0..count).map(|term| powers_of(term, dim)).collect();
        let sum = |a: usize, b: usize| [powers[a][0] + powers[b][0], powers[a][1] + powers[b][1]];
        let pairs = || (0..count).flat_map(|a| (a..count).map(move |b| (a, b)));
        let first = |powers: [usize; 2]| read(&self.asked, &self.sums, Ask { list: 0, powers });
        let second = |powers: [usize; 2]| {
            read(&self.asked_squares, &self.squares, Ask { list: 0, powers }) * SQRT_2.powi(-((powers[0] + powers[1]) as i32))
        };
        Moments {
            terms: pairs().map(|(a, b)| first(sum(a, b))).collect(),
            squares: if self.squares.is_empty() { Vec::new() } else { pairs().map(|(a, b)| second(sum(a, b))).collect() },
            targets: powers.iter().map(|powers| read(&self.asked, &self.sums, Ask { list: 1, powers: *powers })).collect(),
            least: 0.0,
        }
    }
}

/// The powers of a term in each column, in the order of [`terms`](super::moments::terms).
fn powers_of(term: usize, dim: usize) -> [usize; 2] {
    match (dim, term) {
        (1, term) => [term, 0],
        (_, 0) => [0, 0],
        (_, 1) => [1, 0],
        (_, 2) => [0, 1],
        (_, 3) => [2, 0],
        (_, 4) => [1, 1],
        _ => [0, 2],
    }
}
