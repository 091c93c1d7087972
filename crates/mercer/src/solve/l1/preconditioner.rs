//! The preconditioner of Newton steps of several outputs: the inverse of each output's own block of the Hessian with the curvature of
//! the lengths of groups.

use super::bends::Bends;
use super::conditions::norm;
use crate::control::Control;
use crate::error::Result;
use crate::gram::{axpy, dot};
use crate::linalg::{Cholesky, Matrix, gramian_within};
use rayon::prelude::*;

/// The blocks of the outputs in the Hessian of the losses, over some columns, the last of them that of the constants.
pub(super) struct Blocks(Vec<Matrix>);

/// The inverse of those blocks with the curvature of lengths: by each output with lambda / |b_j|, and by what the u_j take away
/// (Woodbury).
pub(super) struct Preconditioner {
    outputs: Vec<Matrix>,
    units: Matrix,
    taken: Cholesky,
    coupled: bool,
}

impl Blocks {
    /// Of columns X, one a row.
    pub(super) fn new(x: &Matrix, bends: &Bends<'_>, control: &Control) -> Result<Blocks> {
        let (rows, size) = (x.rows() as u64, bends.d.rows() as u64);
        control.plan("blocks of a Newton step", 8 * size * rows * (2 * rows + x.cols() as u64))?;
        let of_output = |c: usize| {
            let roots: Vec<f64> = bends.between(c, c).into_iter().flatten().map(f64::sqrt).collect();
            let mut scaled = x.clone();
            for row in scaled.data_mut().chunks_exact_mut(roots.len().max(1)) {
                row.iter_mut().zip(&roots).for_each(|(v, root)| *v *= root);
            }
            gramian_within(&scaled, control)
        };
        (0..bends.d.rows()).into_par_iter().map(of_output).collect::<Result<_>>().map(Blocks)
    }
}

impl Preconditioner {
    /// For groups b_j (one a row) at these places of the columns under the penalty lambda; see `Held` for the damping.
    ///
    /// # Errors
    /// Numbers that break down; on request of `control`.
    pub(super) fn new(
        blocks: &Blocks,
        places: &[usize],
        b: &Matrix,
        (lambda, damping): (f64, f64),
        coupled: bool,
        control: &Control,
    ) -> Result<Self> {
        // Share of the mean diagonal that makes it definite where the penalty has no curvature.
        const DEFINITE: f64 = 1e-10;
        // No less than this share of the curvature along a group is taken away.
        const LEAST: f64 = 1e-3;
        let groups = b.rows();
        let lengths: Vec<f64> = (0..groups).map(|j| norm(b.row(j))).collect();
        let inverse = |block: &Matrix| {
            let mut own = Matrix::from_fn(places.len(), places.len(), |j, k| block[(places[j], places[k])]);
            let least = DEFINITE * own.diagonal().iter().sum::<f64>() / places.len() as f64;
            let by: Vec<f64> = lengths.iter().map(|length| lambda / length + least).chain([least]).collect();
            own.add_to_diagonal(&by);
            Cholesky::new(own, control)?.into_inverse(control)
        };
        let outputs = blocks.0.par_iter().map(inverse).collect::<Result<Vec<Matrix>>>()?;
        let units = Matrix::from_fn(groups, b.cols(), |j, c| b[(j, c)] / lengths[j]);
        let mut taken = Matrix::zeros(groups, groups);
        for (c, inverse) in outputs.iter().enumerate() {
            for j in 0..groups {
                for k in 0..groups {
                    taken[(j, k)] -= units[(j, c)] * inverse[(j, k)] * units[(k, c)];
                }
            }
        }
        let share = lambda * (1.0 - damping).max(LEAST);
        taken.add_to_diagonal(&lengths.iter().map(|length| length / share).collect::<Vec<_>>());
        Ok(Preconditioner { outputs, units, taken: Cholesky::new(taken, control)?, coupled })
    }

    /// Its product with numbers of the groups and the constants; where outputs are coupled, without what is common to them.
    pub(super) fn times(&self, r: &Matrix) -> Result<Matrix> {
        let groups = self.units.rows();
        let each = |r: &Matrix| -> Matrix {
            let columns: Vec<Vec<f64>> = self
                .outputs
                .par_iter()
                .enumerate()
                .map(|(c, inverse)| {
                    let column = r.col(c);
                    (0..inverse.rows()).map(|j| dot(inverse.row(j), &column)).collect()
                })
                .collect();
            Matrix::from_fn(r.rows(), r.cols(), |j, c| columns[c][j])
        };
        let mut out = each(r);
        let along = (0..groups).map(|j| dot(self.units.row(j), out.row(j))).collect();
        let taken = self.taken.solve(&Matrix::column(along), &Control::unwatched())?;
        let back = Matrix::from_fn(r.rows(), r.cols(), |j, c| if j < groups { self.units[(j, c)] * taken[(j, 0)] } else { 0.0 });
        axpy(1.0, each(&back).data(), out.data_mut());
        if self.coupled {
            for j in 0..out.rows() {
                let mean = out.row(j).iter().sum::<f64>() / r.cols() as f64;
                out.row_mut(j).iter_mut().for_each(|v| *v -= mean);
            }
        }
        Ok(out)
    }
}
