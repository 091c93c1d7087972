//! The Cholesky factor of H over the numbers that are not 0, as they come and go: each costs the square of their number, where a new
//! factor costs the cube (Golub & Van Loan 2013, Matrix Computations, 6.5).

use crate::control::Control;
use crate::error::{Error, Result};
use crate::gram::{axpy, dot, rotate};
use crate::linalg::{Cholesky, Matrix};

/// L L' = H over the places, in their order here.
#[derive(Default)]
pub(super) struct ActiveFactor {
    places: Vec<usize>,
    /// The columns of L, each from its diagonal down.
    columns: Vec<Vec<f64>>,
}

impl ActiveFactor {
    /// Makes it that of these places, ascending; whether there is one.
    pub(super) fn hold(&mut self, h: &Matrix, places: &[usize], control: &Control) -> Result<bool> {
        // A pivot below this share of its diagonal is rounding.
        const LEAST: f64 = 1e-14;
        // A new factor is made where more than this share of the numbers changed.
        const ANEW: f64 = 0.2;
        let mut held = vec![false; h.rows()];
        self.places.iter().for_each(|&p| held[p] = true);
        let new: Vec<usize> = places.iter().copied().filter(|&p| !held[p]).collect();
        let gone: Vec<usize> = (0..self.places.len()).filter(|&k| places.binary_search(&self.places[k]).is_err()).collect();
        if (gone.len() + new.len()) as f64 > ANEW * places.len() as f64 {
            return self.begin(h, places, control);
        }
        gone.into_iter().rev().for_each(|k| self.remove(k));
        for p in new {
            if !self.append(h, p, LEAST) {
                return self.begin(h, places, control);
            }
        }
        Ok(true)
    }

    fn begin(&mut self, h: &Matrix, places: &[usize], control: &Control) -> Result<bool> {
        let factor = match Cholesky::new(Matrix::from_fn(places.len(), places.len(), |p, q| h[(places[p], places[q])]), control) {
            Ok(factor) => factor.into_lower().to_matrix(),
            Err(Error::Numerical { .. }) => {
                *self = ActiveFactor::default();
                return Ok(false);
            }
            Err(other) => return Err(other),
        };
        self.places = places.to_vec();
        self.columns = (0..places.len()).map(|j| (j..places.len()).map(|i| factor[(i, j)]).collect()).collect();
        Ok(true)
    }

    /// The places in the order of the factor.
    pub(super) fn places(&self) -> &[usize] {
        &self.places
    }

    /// Adds a place; whether its pivot is more than the share `least` of its diagonal, without which the factor stays as it is.
    pub(super) fn append(&mut self, h: &Matrix, place: usize, least: f64) -> bool {
        let mut row: Vec<f64> = self.places.iter().map(|&q| h[(place, q)]).collect();
        self.forward(&mut row);
        let left = h[(place, place)] - dot(&row, &row);
        if left <= least * h[(place, place)] {
            return false;
        }
        self.columns.iter_mut().zip(&row).for_each(|(column, v)| column.push(*v));
        self.columns.push(vec![left.sqrt()]);
        self.places.push(place);
        true
    }

    /// Takes out the place at position k. What stood below it in its column is left over: rotations with it bring the columns after it up to date.
    pub(super) fn remove(&mut self, k: usize) {
        self.places.remove(k);
        for (j, column) in self.columns[..k].iter_mut().enumerate() {
            column.remove(k - j);
        }
        let mut left = self.columns.remove(k);
        let mut rest = &mut left[1..];
        for column in &mut self.columns[k..] {
            let Some((first, below)) = rest.split_first_mut() else { break };
            let length = column[0].hypot(*first);
            let (c, s) = (column[0] / length, *first / length);
            column[0] = length;
            rotate(c, s, &mut column[1..], below);
            rest = below;
        }
    }

    /// b becomes L^-1 b.
    fn forward(&self, b: &mut [f64]) {
        let mut rest = b;
        for column in &self.columns {
            let Some((first, below)) = rest.split_first_mut() else { break };
            *first /= column[0];
            axpy(-*first, &column[1..], below);
            rest = below;
        }
    }

    /// The x of H x = b, where b(place) gives the right-hand side; pairs of places and numbers.
    pub(super) fn solve(&self, b: impl Fn(usize) -> f64) -> Vec<(usize, f64)> {
        let mut x: Vec<f64> = self.places.iter().map(|&p| b(p)).collect();
        self.forward(&mut x);
        for (i, column) in self.columns.iter().enumerate().rev() {
            x[i] = (x[i] - dot(&column[1..], &x[i + 1..])) / column[0];
        }
        self.places.iter().copied().zip(x).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Against a factor made anew: numbers that come, go and come back.
    #[test]
    fn numbers_that_come_and_go_leave_the_factor_of_those_that_stay() {
        let n = 40;
        let h = Matrix::from_fn(n, n, |i, j| (-0.02 * (i as f64 - j as f64).powi(2)).exp() + if i == j { 0.1 } else { 0.0 });
        let mut factor = ActiveFactor::default();
        let control = Control::default();
        let steps: [&dyn Fn(usize) -> bool; 5] = [&|_| true, &|i| i != 3, &|i| i != 0 && i != 3 && i != 39, &|i| i != 0, &|i| i % 20 != 7];
        for keep in steps {
            let places: Vec<usize> = (0..n).filter(|&i| keep(i)).collect();
            assert!(factor.hold(&h, &places, &control).unwrap());
            let x = factor.solve(|p| (p as f64).sin());
            assert_eq!(x.len(), places.len());
            for &p in &places {
                let product: f64 = x.iter().map(|(q, v)| h[(p, *q)] * v).sum();
                assert!((product - (p as f64).sin()).abs() <= 1e-11, "{p}: {product}");
            }
        }
        // An indefinite matrix has no factor.
        let indefinite = Matrix::new(2, 2, vec![1.0, 2.0, 2.0, 1.0]).unwrap();
        assert!(!ActiveFactor::default().hold(&indefinite, &[0, 1], &control).unwrap());
    }
}
