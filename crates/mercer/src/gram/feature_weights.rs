//! Kernel expansions over counts, folded: sum_s coef[s, o] <phi(x), phi(s)> = <phi(x), w_o> with w_o = sum_s coef[s, o] phi(s).

use super::PreparedPoints;
use crate::linalg::Matrix;

/// Weights of features, columns x outputs.
pub(crate) struct FeatureWeights(Matrix);

impl FeatureWeights {
    /// The weights of the features of some inputs with coefficients; `None` where there would be many more weights than features.
    pub(crate) fn of(points: &PreparedPoints, coef: &Matrix) -> Option<Self> {
        // Weights are kept if they are no more than this, or so many for each count.
        const MOST_WEIGHTS: usize = 1 << 20;
        const PER_STORED: usize = 4;
        let dim = points.dim();
        if dim * coef.cols() > MOST_WEIGHTS.max(PER_STORED * points.stored()) {
            return None;
        }
        let mut weights = Matrix::zeros(dim, coef.cols());
        for s in 0..points.rows() {
            for (column, v) in points.each(s) {
                weights.row_mut(column).iter_mut().zip(coef.row(s)).for_each(|(w, c)| *w += c * v);
            }
        }
        Some(FeatureWeights(weights))
    }

    /// The expansions of some rows of a batch, rows x outputs.
    pub(crate) fn sums(&self, points: &PreparedPoints, rows: &[usize]) -> Matrix {
        let mut out = Matrix::zeros(rows.len(), self.0.cols());
        for (k, &i) in rows.iter().enumerate() {
            for (column, v) in points.each(i) {
                out.row_mut(k).iter_mut().zip(self.0.row(column)).for_each(|(o, w)| *o += v * w);
            }
        }
        out
    }
}
