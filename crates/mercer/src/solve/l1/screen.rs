//! Which columns can violate |g_j| <= lambda: those of which that is not ruled out by how far the residuals have moved since g_j was
//! computed, |x_j'(r - r')| <= |x_j - mean_j| |r - r'| + |mean_j| |sum (r - r')|.

use super::Columns;
use super::conditions::norm;
use crate::control::Control;
use crate::error::Result;
use crate::linalg::Matrix;

pub(super) struct Screen {
    /// Mean and spread of each column.
    spreads: Vec<(f64, f64)>,
    /// Residuals when all columns were looked at last, and |g_j| then.
    residuals: Matrix,
    sizes: Vec<f64>,
}

impl Screen {
    pub(super) fn new(columns: &dyn Columns, residuals: Matrix, control: &Control) -> Result<Screen> {
        let spreads = columns.spreads(control)?;
        let g = columns.correlations(None, &residuals, control)?;
        let sizes = (0..g.rows()).map(|j| norm(g.row(j))).collect();
        Ok(Screen { spreads, residuals, sizes })
    }

    /// The largest |g_j| of the last look at all.
    pub(super) fn greatest(&self) -> f64 {
        self.sizes.iter().fold(0.0, |m, s| m.max(*s))
    }

    /// Every column with |g_j| > lambda, with the excess.
    pub(super) fn violators(
        &mut self,
        columns: &dyn Columns,
        residuals: Matrix,
        lambda: f64,
        control: &Control,
    ) -> Result<Vec<(usize, f64)>> {
        // Where more than this share of the columns must be looked at, all are, and from then on all bounds start there.
        const ALL: f64 = 0.4;
        let (mut square, mut sums) = (0.0, 0.0);
        for c in 0..residuals.rows() {
            let moved = residuals.row(c).iter().zip(self.residuals.row(c)).map(|(r, s)| r - s);
            let sum = moved.clone().sum::<f64>();
            sums += sum * sum;
            square += moved.map(|m| m * m).sum::<f64>();
        }
        let (far, sum) = (square.sqrt(), sums.sqrt());
        // Rounding of a sum over N is no part of the bound.
        let slack = 1.0 + 1e-9;
        let bound = |j: usize| slack * (self.sizes[j] + self.spreads[j].1 * far + self.spreads[j].0.abs() * sum);
        let doubtful: Vec<usize> = (0..self.sizes.len()).filter(|&j| bound(j) > lambda).collect();
        if doubtful.len() as f64 > ALL * self.sizes.len() as f64 {
            let g = columns.correlations(None, &residuals, control)?;
            self.sizes = (0..g.rows()).map(|j| norm(g.row(j))).collect();
            self.residuals = residuals;
            return Ok(self.sizes.iter().enumerate().filter(|(_, s)| **s > lambda).map(|(j, s)| (j, s - lambda)).collect());
        }
        if doubtful.is_empty() {
            return Ok(Vec::new());
        }
        let g = columns.correlations(Some(&doubtful), &residuals, control)?;
        let sizes = doubtful.iter().enumerate().map(|(k, &j)| (j, norm(g.row(k)) - lambda));
        Ok(sizes.filter(|(_, excess)| *excess > 0.0).collect())
    }
}
