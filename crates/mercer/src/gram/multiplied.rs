//! Features Z as something to multiply by: formed, sparse, or lazy as Z = C L'^-1.

use super::{Features, Gram, Side, Structure};
use crate::control::Control;
use crate::error::Result;
use crate::linalg::{Lower, Matrix, over_rows, product_within, transposed_product_within};

/// Features, inputs x rank.
pub(crate) enum Multiplied<'a> {
    /// As they are.
    Whole(Features<'a>),
    /// C, inputs x rank, and L.
    Lazy(&'a Matrix, &'a Lower),
}

impl<'a> Multiplied<'a> {
    /// Those of the rows of a Gram matrix, where it has such.
    pub(crate) fn of(gram: &'a (impl Gram + ?Sized)) -> Option<Self> {
        match gram.structure() {
            Structure::Whitened { values, factor, .. } => Some(Multiplied::Lazy(values, factor)),
            _ => Features::of(gram, Side::Rows).map(Multiplied::Whole),
        }
    }

    /// Number of features.
    pub(crate) fn cols(&self) -> usize {
        match self {
            Multiplied::Whole(z) => z.cols(),
            Multiplied::Lazy(values, _) => values.cols(),
        }
    }

    /// Number of inputs.
    pub(crate) fn rows(&self) -> usize {
        match self {
            Multiplied::Whole(z) => z.rows(),
            Multiplied::Lazy(values, _) => values.rows(),
        }
    }

    /// The features of some inputs, all of them written out.
    pub(crate) fn written_out(&self, rows: &[usize], control: &Control) -> Result<Matrix> {
        Ok(match self {
            Multiplied::Whole(Features::Dense(z)) => z.select_rows(rows),
            Multiplied::Whole(Features::Sparse(z)) => {
                let mut dense = Matrix::zeros(rows.len(), z.cols());
                for (place, &i) in rows.iter().enumerate() {
                    let (columns, values) = z.row(i);
                    let row = dense.row_mut(place);
                    columns.iter().zip(values).for_each(|(j, v)| row[*j as usize] += v);
                }
                dense
            }
            Multiplied::Lazy(values, factor) => {
                let mut some = values.select_rows(rows);
                factor.solve_rows(&mut some, control)?;
                some
            }
        })
    }

    /// Z B for B of rank x outputs.
    pub(crate) fn product(&self, b: &Matrix, control: &Control) -> Result<Matrix> {
        match self {
            Multiplied::Whole(z) => z.product(b, control),
            Multiplied::Lazy(values, factor) => product_within(values, &back(factor, b, control)?, control),
        }
    }

    /// Z'B for B of inputs x outputs.
    pub(crate) fn transposed_product(&self, b: &Matrix, control: &Control) -> Result<Matrix> {
        match self {
            Multiplied::Whole(z) => z.transposed_product(b, control),
            Multiplied::Lazy(values, factor) => forth(factor, &transposed_product_within(values, b, control)?, control),
        }
    }

    /// F = Z B, and Z'R for what `rest` makes of it: R_io = rest(i, o, F_io). Dense features are read once.
    pub(crate) fn there_and_back(
        &self,
        b: &Matrix,
        rest: &(dyn Fn(usize, usize, f64) -> f64 + Sync),
        control: &Control,
    ) -> Result<(Matrix, Matrix)> {
        match self {
            Multiplied::Whole(Features::Dense(z)) => over_rows(z, b, rest, control),
            Multiplied::Whole(z) => {
                let f = z.product(b, control)?;
                let left = Matrix::from_fn(f.rows(), f.cols(), |i, o| rest(i, o, f[(i, o)]));
                Ok((f, z.transposed_product(&left, control)?))
            }
            Multiplied::Lazy(values, factor) => {
                let (f, left) = over_rows(values, &back(factor, b, control)?, rest, control)?;
                Ok((f, forth(factor, &left, control)?))
            }
        }
    }
}

/// L'^-1 B.
fn back(factor: &Lower, b: &Matrix, control: &Control) -> Result<Matrix> {
    let mut rows = b.transpose();
    factor.solve_transposed_rows(&mut rows, control)?;
    Ok(rows.transpose())
}

/// L^-1 B.
fn forth(factor: &Lower, b: &Matrix, control: &Control) -> Result<Matrix> {
    let mut rows = b.transpose();
    factor.solve_rows(&mut rows, control)?;
    Ok(rows.transpose())
}
