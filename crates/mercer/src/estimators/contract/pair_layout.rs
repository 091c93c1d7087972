//! Coefficients of machines of pairs of classes: a row has some only in the pairs of its own class, K - 1 of the K (K - 1) / 2 among K
//! classes. With c_s the class of the support row s, the output of the classes a < b is
//!
//! ```text
//! f_ab(x) = sum over s with c_s = a of coef[s, b - 1] k(s, x) + sum over s with c_s = b of coef[s, a] k(s, x) + bias_ab
//! ```

use crate::blocks;
use crate::control::Control;
use crate::error::{Error, Result};
use crate::gram::{self, Block, Features, Gram, Precision, ranges, with_scratch};
use crate::linalg::{Matrix, product_into};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Numbers that one thread holds of kernel values or of outputs while it computes outputs, and rows that it takes at most.
const TILE_NUMBERS: usize = 1 << 20;
const TILE_ROWS: usize = 64;
/// Columns of kernel values that are filled together.
const TILE_COLUMNS: usize = 256;

/// Which coefficients there are: column j of those of a row is of the pair of its class and the j-th of the other classes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PairLayout {
    /// The place of the class of each support row among the classes that have rows.
    #[serde(with = "blocks::usizes")]
    pub class: Vec<usize>,
    /// Classes that have rows.
    pub classes: usize,
}

/// Number of pairs among so many classes.
pub(crate) fn pair_count(classes: usize) -> usize {
    classes.saturating_mul(classes.saturating_sub(1)) / 2
}

/// The pairs of places among so many classes, in the order of the outputs: (0, 1), (0, 2), .., (1, 2), ..
pub(crate) fn pairs_among(classes: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..classes).flat_map(move |a| (a + 1..classes).map(move |b| (a, b)))
}

impl PairLayout {
    /// The number of an output, which is that of a pair of places of classes in the order of [`pairs_among`].
    fn output(&self, a: usize, b: usize) -> usize {
        let (first, second) = (a.min(b), a.max(b));
        first * (2 * self.classes - first - 1) / 2 + second - first - 1
    }

    /// The output that each coefficient of a row of a class belongs to.
    pub(crate) fn outputs_of(&self, class: usize) -> Vec<usize> {
        (0..self.classes).filter(|&other| other != class).map(|other| self.output(class, other)).collect()
    }

    /// Places of the rows of each class.
    fn rows_of(&self) -> Vec<Vec<usize>> {
        let mut rows = vec![Vec::new(); self.classes];
        self.class.iter().enumerate().for_each(|(s, &class)| rows[class].push(s));
        rows
    }

    /// An error unless the sizes are those of an expansion of pairs.
    pub(super) fn check(&self, coef: &Matrix, outputs: usize) -> Result<()> {
        Error::unless_equal("classes of support rows", coef.rows(), self.class.len())?;
        Error::unless_equal("coefficients of a row of pairs of classes", self.classes.saturating_sub(1), coef.cols())?;
        Error::unless_equal("constants of pairs of classes", pair_count(self.classes), outputs)?;
        match self.class.iter().find(|&&class| class >= self.classes) {
            Some(class) => Err(Error::Shape { what: "classes of pairs".into(), expected: class + 1, found: self.classes }),
            None => Ok(()),
        }
    }

    /// The column of the coefficient of a row in a pair of places of classes, where it has one.
    pub(super) fn column(&self, row: usize, (a, b): (usize, usize)) -> Option<usize> {
        match self.class[row] {
            class if class == a => Some(b - 1),
            class if class == b => Some(a),
            _ => None,
        }
    }

    /// The layout of some of the rows.
    pub(super) fn select(&self, rows: &[usize]) -> Self {
        PairLayout { class: rows.iter().map(|&s| self.class[s]).collect(), classes: self.classes }
    }

    /// Coefficients of every output, support x pairs.
    pub(super) fn dense(&self, coef: &Matrix) -> Matrix {
        let columns: Vec<Vec<usize>> = (0..self.classes).map(|class| self.outputs_of(class)).collect();
        let mut all = Matrix::zeros(coef.rows(), pair_count(self.classes));
        for (s, &class) in self.class.iter().enumerate() {
            columns[class].iter().zip(coef.row(s)).for_each(|(&o, c)| all[(s, o)] = *c);
        }
        all
    }

    /// sum_s coef[s] phi(s) for the features of the support, rank x pairs.
    pub(super) fn weights(&self, features: &Features<'_>, coef: &Matrix, control: &Control) -> Result<Matrix> {
        let mut all = Matrix::zeros(features.cols(), pair_count(self.classes));
        for (class, rows) in self.rows_of().iter().enumerate().filter(|(_, rows)| !rows.is_empty()) {
            let own = features.select_rows(rows).transposed_product(&coef.select_rows(rows), control)?;
            for (j, o) in self.outputs_of(class).into_iter().enumerate() {
                (0..own.rows()).for_each(|k| all[(k, o)] += own[(k, j)]);
            }
        }
        Ok(all)
    }

    /// The sums over the support without constants, M x pairs.
    pub(super) fn product(&self, gram: &dyn Gram, coef: &Matrix, precision: Precision, control: &Control) -> Result<Matrix> {
        let ((m, n), outputs) = (gram.shape(), pair_count(self.classes));
        Error::unless_equal("rows of the coefficients", coef.rows(), n)?;
        let by_class: Vec<(Vec<usize>, Matrix)> = self
            .rows_of()
            .into_iter()
            .map(|rows| {
                let own = coef.select_rows(&rows);
                (rows, own)
            })
            .collect();
        let columns: Vec<Vec<usize>> = (0..self.classes).map(|class| self.outputs_of(class)).collect();
        let together = (TILE_NUMBERS / n.max(outputs).max(1)).clamp(1, TILE_ROWS);
        let parts: Vec<Vec<f64>> = ranges(m, together)
            .collect::<Vec<_>>()
            .into_par_iter()
            .map(|rows| {
                control.check_time("predictions")?;
                let list: Vec<usize> = rows.collect();
                let mut out = vec![0.0; list.len() * outputs];
                with_scratch(list.len() * n, |tile: &mut [f64]| {
                    fill(gram, &list, n, precision, tile);
                    for ((places, own), columns) in by_class.iter().zip(&columns) {
                        let (width, others) = (places.len(), own.cols());
                        let values: Vec<f64> = tile.chunks_exact(n.max(1)).flat_map(|row| places.iter().map(|&s| row[s])).collect();
                        let mut sums = vec![0.0; list.len() * others];
                        product_into(&values, own.data(), &mut sums, list.len(), width, others);
                        for (out, sums) in out.chunks_exact_mut(outputs.max(1)).zip(sums.chunks_exact(others.max(1))) {
                            columns.iter().zip(sums).for_each(|(&o, sum)| out[o] += sum);
                        }
                    }
                });
                Ok(out)
            })
            .collect::<Result<_>>()?;
        Matrix::new(m, outputs, parts.concat())
    }
}

/// Writes the kernel values of some rows with all columns.
fn fill(gram: &dyn Gram, rows: &[usize], n: usize, precision: Precision, out: &mut [f64]) {
    let mut whole = Block::new(out, rows.len(), n);
    for columns in ranges(n, TILE_COLUMNS) {
        match precision {
            Precision::Double => gram::fill_rows(gram, rows, columns.clone(), whole.part(0..rows.len(), columns)),
            Precision::Single => with_scratch(rows.len() * columns.len(), |rounded: &mut [f32]| {
                gram::fill_rows_f32(gram, rows, columns.clone(), Block::new(rounded, rows.len(), columns.len()));
                for (k, row) in rounded.chunks_exact(columns.len()).enumerate() {
                    whole.row_mut(k)[columns.clone()].iter_mut().zip(row).for_each(|(v, r)| *v = f64::from(*r));
                }
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gram::Dense;

    /// f_ab is linear in K: the product with the coefficients written out for every pair, class by class, is the definition.
    #[test]
    fn sums_by_class_are_those_of_coefficients_written_out_for_every_pair() {
        let (classes, n, m) = (4, 7, 5);
        let layout = PairLayout { class: vec![2, 0, 1, 3, 3, 0, 2], classes };
        let coef = Matrix::from_fn(n, classes - 1, |s, j| ((3 * s + 5 * j) as f64).sin());
        let k = Matrix::from_fn(m, n, |i, s| 0.5 + (i as f64 - 1.3 * s as f64).cos());
        let gram = Dense::cross(k.clone(), vec![1.0; m], vec![1.0; n]).unwrap();
        let control = Control::default();
        let found = layout.product(&gram, &coef, Precision::Double, &control).unwrap();
        let pairs: Vec<(usize, usize)> = pairs_among(classes).collect();
        assert_eq!((found.rows(), found.cols()), (m, pairs.len()));
        let written_out = layout.dense(&coef);
        for (o, (a, b)) in pairs.into_iter().enumerate() {
            for i in 0..m {
                let expected: f64 = (0..n)
                    .map(|s| match layout.class[s] {
                        c if c == a => coef[(s, b - 1)] * k[(i, s)],
                        c if c == b => coef[(s, a)] * k[(i, s)],
                        _ => 0.0,
                    })
                    .sum();
                let dense: f64 = (0..n).map(|s| written_out[(s, o)] * k[(i, s)]).sum();
                assert!((found[(i, o)] - expected).abs() <= 1e-14 && (dense - expected).abs() <= 1e-14, "{i}, {o}");
            }
        }
        let rounded = layout.product(&gram, &coef, Precision::Single, &control).unwrap();
        assert!(rounded.data().iter().zip(found.data()).all(|(a, b)| (a - b).abs() <= 1e-6));
        assert!(layout.check(&coef, 6).is_ok() && layout.check(&coef, 5).is_err() && layout.select(&[0]).check(&coef, 6).is_err());
    }
}
