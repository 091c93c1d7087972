//! The Cholesky factor of H over the numbers that are not 0, as they come and go: each costs the square of their number, where a new
//! factor costs the cube (Golub & Van Loan 2013, Matrix Computations, 6.5).

use crate::control::Control;
use crate::error::{Error, Result};
use crate::gram::{axpy, dot};
use crate::linalg::{Cholesky, Matrix};

/// A new factor is made where more than this share of the numbers changed.
const ANEW: f64 = 0.2;
/// A pivot below this share of its diagonal is rounding.
const LEAST: f64 = 1e-14;

/// L L' = H over the places, in their order here.
#[derive(Default)]
pub(super) struct ActiveFactor {
    places: Vec<usize>,
    /// The rows of L, each up to its diagonal.
    rows: Vec<Vec<f64>>,
}

impl ActiveFactor {
    /// Makes it that of these places, ascending; whether there is one.
    pub(super) fn hold(&mut self, h: &Matrix, places: &[usize], control: &Control) -> Result<bool> {
        let mut held = vec![false; h.rows()];
        self.places.iter().for_each(|&p| held[p] = true);
        let new: Vec<usize> = places.iter().copied().filter(|&p| !held[p]).collect();
        let gone: Vec<usize> = (0..self.places.len()).filter(|&k| places.binary_search(&self.places[k]).is_err()).collect();
        if (gone.len() + new.len()) as f64 > ANEW * places.len() as f64 {
            return self.begin(h, places, control);
        }
        gone.into_iter().rev().for_each(|k| self.remove(k));
        for p in new {
            if !self.append(h, p) {
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
        self.rows = (0..places.len()).map(|i| factor.row(i)[..=i].to_vec()).collect();
        Ok(true)
    }

    fn append(&mut self, h: &Matrix, place: usize) -> bool {
        let mut row: Vec<f64> = self.places.iter().map(|&q| h[(place, q)]).collect();
        self.forward(&mut row);
        let left = h[(place, place)] - dot(&row, &row);
        if left <= LEAST * h[(place, place)] {
            return false;
        }
        row.push(left.sqrt());
        self.rows.push(row);
        self.places.push(place);
        true
    }

    /// Without row k the rows below reach one past their diagonals; rotations of two columns at a time bring them back.
    fn remove(&mut self, k: usize) {
        self.places.remove(k);
        self.rows.remove(k);
        let mut turns: Vec<(f64, f64)> = Vec::with_capacity(self.rows.len() - k);
        for row in &mut self.rows[k..] {
            for (j, (c, s)) in turns.iter().enumerate() {
                let (a, b) = (row[k + j], row[k + j + 1]);
                (row[k + j], row[k + j + 1]) = (c * a + s * b, c * b - s * a);
            }
            let last = row.len() - 1;
            let (a, b) = (row[last - 1], row[last]);
            let length = a.hypot(b);
            turns.push((a / length, b / length));
            row[last - 1] = length;
            row.truncate(last);
        }
    }

    /// b becomes L^-1 b.
    fn forward(&self, b: &mut [f64]) {
        for (i, row) in self.rows.iter().enumerate() {
            b[i] = (b[i] - dot(&row[..i], &b[..i])) / row[i];
        }
    }

    /// The x of H x = b, where b(place) tells the right side; pairs of places and numbers.
    pub(super) fn solve(&self, b: impl Fn(usize) -> f64) -> Vec<(usize, f64)> {
        let mut x: Vec<f64> = self.places.iter().map(|&p| b(p)).collect();
        self.forward(&mut x);
        for (i, row) in self.rows.iter().enumerate().rev() {
            x[i] /= row[i];
            let (before, rest) = x.split_at_mut(i);
            axpy(-rest[0], &row[..i], before);
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
