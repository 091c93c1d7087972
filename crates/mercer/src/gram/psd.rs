//! The numeric test of positive semi-definiteness, with a witness when it fails.

use crate::control::Control;
use crate::error::Result;
use crate::linalg::{Matrix, eigh};

/// The numeric test of positive semi-definiteness of one Gram matrix (F19, F20).
#[derive(Clone, Debug)]
pub struct PsdCheck {
    /// Smallest eigenvalue.
    pub smallest: f64,
    /// Largest eigenvalue.
    pub largest: f64,
    /// Rows and weights with v' K v < 0, if the smallest eigenvalue is below -8 N eps times the largest in size.
    pub witness: Option<Witness>,
}

/// Rows and weights that prove to anyone who evaluates sum_ij v_i v_j K_ij that a matrix is not positive semi-definite.
#[derive(Clone, Debug, PartialEq)]
pub struct Witness {
    /// Rows of the matrix, from 0; as few as were found to be enough.
    pub rows: Vec<usize>,
    /// The weight of each.
    pub weights: Vec<f64>,
    /// sum_ij v_i v_j K_ij, below 0.
    pub value: f64,
}

/// Tests a symmetric matrix.
pub fn psd_check(gram: &Matrix, control: &Control) -> Result<PsdCheck> {
    let (values, vectors) = eigh(gram.clone(), control)?;
    let (smallest, largest) = (values.first().copied().unwrap_or(0.0), values.last().copied().unwrap_or(0.0));
    let witness = if smallest < bound(gram.rows(), smallest, largest) { fewest(gram, &vectors.col(0), control)? } else { None };
    Ok(PsdCheck { smallest, largest, witness })
}

fn bound(n: usize, smallest: f64, largest: f64) -> f64 {
    // How far below 0 an eigenvalue must lie, in units of N eps times the largest in size, to be no rounding. Kernels of the
    // list stay within 1, the definition of the specification; what is tested besides are expressions that no rule decides,
    // whose terms may cancel and leave the rounding of larger numbers.
    const ROUNDING: f64 = 8.0;
    -ROUNDING * n as f64 * f64::EPSILON * largest.abs().max(smallest.abs())
}

/// The witness on the fewest of the rows with the largest weights, their number doubled until it is enough.
fn fewest(gram: &Matrix, direction: &[f64], control: &Control) -> Result<Option<Witness>> {
    let n = gram.rows();
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&a, &b| direction[b].abs().total_cmp(&direction[a].abs()).then(a.cmp(&b)));
    let mut size = 1;
    loop {
        let mut rows = order[..size.min(n)].to_vec();
        rows.sort_unstable();
        let part = Matrix::from_fn(rows.len(), rows.len(), |i, j| gram[(rows[i], rows[j])]);
        let (values, vectors) = eigh(part.clone(), control)?;
        let (smallest, largest) = (values[0], values[values.len() - 1]);
        if smallest < bound(rows.len(), smallest, largest) {
            let weights = vectors.col(0);
            let value = (0..rows.len())
                .flat_map(|i| (0..rows.len()).map(move |j| (i, j)))
                .map(|(i, j)| weights[i] * weights[j] * part[(i, j)])
                .sum();
            if value < 0.0 {
                return Ok(Some(Witness { rows, weights, value }));
            }
        }
        if size >= n {
            return Ok(None);
        }
        size = if size < 4 { size + 1 } else { 2 * size };
    }
}
