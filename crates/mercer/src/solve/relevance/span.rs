//! The span of the columns that are kept: an orthonormal basis of it, what every column has along that basis, and how much of every column
//! lies outside.

use crate::control::Control;
use crate::error::Result;
use crate::gram::{axpy, dot};
use crate::linalg::{Matrix, product_transposed_within};
use rayon::prelude::*;

/// Columns as rows of a matrix (P x N).
#[derive(Clone, Copy)]
pub struct Columns<'a> {
    /// P x N.
    pub values: &'a Matrix,
    /// Squared lengths up to which a part of a column is taken for rounding, one for each column.
    pub rounding: &'a [f64],
}

#[derive(Clone)]
pub(super) struct Span<'a> {
    columns: Columns<'a>,
    /// Orthonormal rows, b x N.
    basis: Vec<Vec<f64>>,
    /// Coordinates of every column, b x P.
    pub(super) coordinates: Matrix,
    /// The squared length of what lies outside, of every column.
    pub(super) outside: Vec<f64>,
    /// Squared length outside the span when it was last computed from the column itself, of every column.
    computed: Vec<f64>,
}

impl<'a> Span<'a> {
    /// The span of no column.
    pub(super) fn new(columns: Columns<'a>) -> Self {
        let values = columns.values;
        let outside: Vec<f64> = (0..values.rows()).map(|m| dot(values.row(m), values.row(m))).collect();
        Span { columns, basis: Vec::new(), coordinates: Matrix::zeros(0, values.rows()), computed: outside.clone(), outside }
    }

    /// The squared length of a column.
    pub(super) fn length(&self, column: usize) -> f64 {
        let column = self.columns.values.row(column);
        dot(column, column)
    }

    /// The number of directions.
    pub(super) fn size(&self) -> usize {
        self.basis.len()
    }

    /// Whether this squared length of a column's part is more than rounding of the column.
    pub(super) fn is_more_than_rounding(&self, column: usize, part: f64) -> bool {
        part > self.columns.rounding[column]
    }

    /// The part of a vector outside of the span.
    fn outside_of(&self, mut vector: Vec<f64>) -> Vec<f64> {
        // What rounding leaves along the basis after the first pass the second takes away.
        for _ in 0..2 {
            for q in &self.basis {
                axpy(-dot(q, &vector), q, &mut vector);
            }
        }
        vector
    }

    /// Adds the direction of what lies outside of one column, unless it is rounding; the direction.
    pub(super) fn extend(&mut self, column: usize, control: &Control) -> Result<Option<&[f64]>> {
        // The share of a squared length from which on differences of squares have lost their digits, and the length is computed anew.
        const LOST: f64 = 1e-8;
        let mut direction = self.outside_of(self.columns.values.row(column).to_vec());
        let square = dot(&direction, &direction);
        if !self.is_more_than_rounding(column, square) {
            self.outside[column] = 0.0;
            return Ok(None);
        }
        let length = square.sqrt();
        direction.iter_mut().for_each(|v| *v /= length);
        let along = Matrix::new(1, direction.len(), direction)?;
        let mut coordinates = product_transposed_within(self.columns.values, &along, control)?.into_data();
        coordinates[column] = length;
        self.basis.push(along.into_data());
        self.outside.iter_mut().zip(&coordinates).for_each(|(left, c)| *left -= c * c);
        self.coordinates.append_rows(Matrix::new(1, coordinates.len(), coordinates)?);
        self.outside[column] = 0.0;
        let spent: Vec<usize> = (0..self.outside.len())
            .filter(|&m| m != column && self.computed[m] > 0.0 && self.outside[m] < LOST * self.computed[m])
            .collect();
        let anew: Vec<f64> = spent
            .par_iter()
            .map(|&m| {
                let rest = self.outside_of(self.columns.values.row(m).to_vec());
                dot(&rest, &rest)
            })
            .collect();
        for (m, square) in spent.into_iter().zip(anew) {
            let square = if self.is_more_than_rounding(m, square) { square } else { 0.0 };
            (self.outside[m], self.computed[m]) = (square, square);
        }
        Ok(self.basis.last().map(Vec::as_slice))
    }

    /// Coordinates of one column.
    pub(super) fn of(&self, column: usize) -> Vec<f64> {
        (0..self.size()).map(|j| self.coordinates[(j, column)]).collect()
    }
}
