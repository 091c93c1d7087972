//! Sums and products of bound kernels, tile by tile (F24).

use super::gathered::{Combination, GatheredParts};
use super::gradient::{plan_copies, reweigh};
use super::logarithm::{fill_log_decay_of_sum, log_diagonal_of_sum};
use super::{
    Block, Bound, Counts, FeatureSource, Features, Gram, LogGram, PairWeights, PointFormula, Side, Structure, Subset, UnrelatedRows, apply,
    distances, reweighed, with_scratch,
};
use crate::control::Control;
use crate::error::Result;
use crate::linalg::{Matrix, Real, SparseMatrix};
use std::borrow::Cow;
use std::ops::Range;

/// sum_t k_t.
pub(crate) struct Sum(pub Vec<Box<dyn Bound>>);
/// prod_t k_t.
pub(crate) struct Product(pub Vec<Box<dyn Bound>>);

/// out <- op(out, term) over a block, the term filled into scratch.
pub(super) fn combine<T: Real>(mut out: Block<'_, T>, fill: impl FnOnce(Block<'_, T>), op: impl Fn(T, T) -> T) {
    let (m, n) = (out.rows(), out.cols());
    with_scratch(m * n, |scratch| {
        fill(Block::new(scratch, m, n).like(&out));
        for (i, term) in scratch.chunks_exact(n.max(1)).enumerate() {
            for (o, t) in out.row_mut(i).iter_mut().zip(term) {
                *o = op(*o, *t);
            }
        }
    });
}

/// What sums and products share.
macro_rules! of_parts {
    ($name:ident, $op:tt, { $($more:tt)* }) => {
        impl $name {
            fn fold<T: Real>(&self, mut out: Block<'_, T>, fill: impl Fn(&dyn Bound, Block<'_, T>)) {
                for (t, k) in self.0.iter().enumerate() {
                    if t == 0 {
                        fill(k.as_ref(), out.reborrow());
                    } else {
                        combine(out.reborrow(), |block| fill(k.as_ref(), block), |x, y| x $op y);
                    }
                }
            }
        }

        impl Gram for $name {
            fn shape(&self) -> (usize, usize) {
                self.0.first().map_or((0, 0), |k| k.shape())
            }
            fn fill(&self, rows: Range<usize>, cols: Range<usize>, out: Block<'_, f64>) {
                self.fold(out, |k, block| k.fill(rows.clone(), cols.clone(), block));
            }
            fn fill_rows(&self, rows: &[usize], cols: Range<usize>, out: Block<'_, f64>) {
                self.fold(out, |k, block| k.fill_rows(rows, cols.clone(), block));
            }
            fn fill_f32(&self, rows: &[usize], cols: Range<usize>, out: Block<'_, f32>) {
                self.fold(out, |k, block| k.fill_f32(rows, cols.clone(), block));
            }
            fn diagonal(&self, side: Side) -> Vec<f64> {
                let mut parts = self.0.iter().map(|k| k.diagonal(side));
                let first = parts.next().unwrap_or_default();
                parts.fold(first, |all, d| all.iter().zip(&d).map(|(x, y)| x $op y).collect())
            }
            fn symmetric(&self) -> bool {
                self.0.iter().all(|k| k.symmetric())
            }
            fn unrelated_rows(&self) -> Vec<UnrelatedRows> {
                self.0.iter().flat_map(|k| k.unrelated_rows()).collect()
            }
            fn is_constant(&self) -> bool {
                self.0.iter().all(|k| k.is_constant())
            }
            fn gathered(&self, rows: &[usize]) -> Option<Box<dyn Gram + '_>> {
                let mut parts: Vec<Box<dyn Gram + '_>> = Vec::with_capacity(self.0.len());
                let mut is_any = false;
                for k in &self.0 {
                    let found = k.gathered(rows);
                    is_any |= found.is_some();
                    parts.push(found.unwrap_or_else(|| Box::new(Subset::new(k.as_ref(), rows, rows))));
                }
                if !is_any {
                    return None;
                }
                Some(Box::new(GatheredParts { parts, how: Combination::$name }))
            }
            $($more)*
        }
    };
}

of_parts!(Sum, +, {
    /// Constant parts are of no account. The numbers of one part that is not constant are its own; of several with logarithms and each
    /// with one k(x, x), d of their sum; squared distances else.
    fn fill_distances(&self, rows: &[usize], cols: Range<usize>, out: Block<'_, f64>) {
        match self.distances() {
            SumDistances::OfPart(part) => part.fill_distances(rows, cols, out),
            SumDistances::LogDecay(parts, _) => fill_log_decay_of_sum(parts.into_iter(), rows, cols, out),
            SumDistances::Squares => distances::from_parts(self, self.0.iter().map(|k| k.as_ref() as &dyn Gram), rows, cols, out),
        }
    }
    fn squared_distances(&self, apart: &mut [f64]) {
        match self.distances() {
            SumDistances::OfPart(part) => part.squared_distances(apart),
            SumDistances::LogDecay(_, log) => distances::square_log_decay(log, apart),
            SumDistances::Squares => {}
        }
    }
    fn logarithm(&self) -> Option<&dyn LogGram> {
        self.0.iter().all(|k| k.logarithm().is_some()).then_some(self)
    }
    fn structure(&self) -> Structure<'_> {
        Structure::Features(self)
    }
    fn folds(&self) -> bool {
        self.0.iter().any(|k| k.folds())
    }
    /// Where some parts fold, the others are applied.
    fn folded(&self, rows: &[usize], coef: &Matrix, control: &Control) -> Result<Option<Matrix>> {
        let parts = self.0.iter().map(|k| k.folded(rows, coef, control)).collect::<Result<Vec<_>>>()?;
        if parts.iter().all(Option::is_none) {
            return Ok(None);
        }
        let all: Vec<usize> = (0..self.shape().1).collect();
        let mut sum = Matrix::zeros(rows.len(), coef.cols());
        for (k, part) in self.0.iter().zip(parts) {
            let part = part.map_or_else(|| apply(&Subset::new(k.as_ref(), rows, &all), coef, control), Ok)?;
            sum.data_mut().iter_mut().zip(part.data()).for_each(|(s, v)| *s += v);
        }
        Ok(Some(sum))
    }
});
of_parts!(Product, *, {
    fn logarithm(&self) -> Option<&dyn LogGram> {
        self.0.iter().all(|k| k.logarithm().is_some()).then_some(self)
    }
    fn structure(&self) -> Structure<'_> {
        Structure::Features(self)
    }
});

/// What the numbers of [`Gram::fill_distances`] are of a sum.
enum SumDistances<'a> {
    /// Those of the one part that is not constant.
    OfPart(&'a dyn Bound),
    /// d of the sum of these parts, whose k(x, x) has this logarithm.
    LogDecay(Vec<&'a dyn LogGram>, f64),
    /// Squared distances.
    Squares,
}

impl Sum {
    fn distances(&self) -> SumDistances<'_> {
        let varying: Vec<&dyn Bound> = self.0.iter().map(|k| k.as_ref()).filter(|k| !k.is_constant()).collect();
        if let [one] = varying[..] {
            return SumDistances::OfPart(one);
        }
        let logs: Option<Vec<&dyn LogGram>> = varying.iter().map(|k| k.logarithm()).collect();
        let common = |logs: &Vec<&dyn LogGram>| -> Option<f64> {
            let each = logs.iter().map(|k| k.common_log_diagonal()).collect::<Option<Vec<f64>>>()?;
            Some(super::log_sum(each.iter().copied()))
        };
        match logs.filter(|logs| !logs.is_empty()).and_then(|logs| Some((common(&logs)?, logs))) {
            Some((log, logs)) => SumDistances::LogDecay(logs, log),
            None => SumDistances::Squares,
        }
    }

    fn logs(&self) -> impl Iterator<Item = &dyn LogGram> + Clone {
        self.0.iter().filter_map(|k| k.logarithm())
    }
}

impl LogGram for Sum {
    fn log_diagonal(&self, side: Side) -> Vec<f64> {
        log_diagonal_of_sum(self.logs(), side)
    }
    fn fill_log_decay(&self, rows: &[usize], cols: Range<usize>, out: Block<'_, f64>) {
        fill_log_decay_of_sum(self.logs(), rows, cols, out);
    }
}

impl LogGram for Product {
    fn log_diagonal(&self, side: Side) -> Vec<f64> {
        let mut parts = self.0.iter().filter_map(|k| k.logarithm()).map(|k| k.log_diagonal(side));
        let first = parts.next().unwrap_or_default();
        parts.fold(first, |all, logs| all.iter().zip(&logs).map(|(a, b)| a + b).collect())
    }
    fn fill_log_decay(&self, rows: &[usize], cols: Range<usize>, mut out: Block<'_, f64>) {
        for (t, log) in self.0.iter().filter_map(|k| k.logarithm()).enumerate() {
            let fill = |block: Block<'_, f64>| log.fill_log_decay(rows, cols.clone(), block);
            if t == 0 { fill(out.reborrow()) } else { combine(out.reborrow(), fill, |a, b| a + b) }
        }
    }
}

/// The formulas of the parts, where all have one.
fn point_formulas(parts: &[Box<dyn Bound>]) -> Option<Vec<PointFormula<'_>>> {
    parts.iter().map(|k| k.structure().point_formula()).collect()
}

impl FeatureSource for Product {
    fn dense(&self, _: Side) -> Option<Cow<'_, Matrix>> {
        None
    }
    fn point_formula(&self) -> Option<PointFormula<'_>> {
        point_formulas(&self.0).map(PointFormula::Product)
    }
}

impl FeatureSource for Sum {
    /// Those of the parts side by side.
    fn dense(&self, side: Side) -> Option<Cow<'_, Matrix>> {
        let parts: Vec<Cow<'_, Matrix>> = self.0.iter().map(|k| k.structure().dense_features(side)).collect::<Option<_>>()?;
        let rows = parts.first()?.rows();
        let data: Vec<f64> = (0..rows).flat_map(|i| parts.iter().flat_map(move |p| p.row(i).iter().copied())).collect();
        Matrix::new(rows, parts.iter().map(|p| p.cols()).sum(), data).ok().map(Cow::Owned)
    }
    /// Features of the parts side by side in sparse storage: if one part is sparse, all are stored so.
    fn sparse(&self, side: Side) -> Option<SparseMatrix<'_>> {
        let parts = self.0.iter().map(|k| Features::of(k.as_ref(), side).map(Features::into_sparse));
        let parts: Vec<SparseMatrix<'_>> = parts.collect::<Option<_>>()?;
        SparseMatrix::beside(&parts)
    }
    fn counts(&self, side: Side) -> Option<Counts<'_>> {
        let parts: Vec<Counts<'_>> = self.0.iter().map(|k| k.structure().counts(side)).collect::<Option<_>>()?;
        Counts::beside(&parts)
    }
    fn point_formula(&self) -> Option<PointFormula<'_>> {
        point_formulas(&self.0).map(PointFormula::Sum)
    }
    fn stand_alone(&self) -> bool {
        self.0.iter().all(|k| k.structure().features_stand_alone())
    }
}

impl Bound for Sum {
    fn parameters(&self) -> usize {
        self.0.iter().map(|k| k.parameters()).sum()
    }
    fn gradient(&self, weights: &PairWeights, control: &Control) -> Result<Vec<f64>> {
        let parts: Vec<Vec<f64>> = self.0.iter().map(|k| k.gradient(weights, control)).collect::<Result<_>>()?;
        Ok(parts.concat())
    }
    fn input_gradient(&self, weights: &Matrix, control: &Control) -> Result<Matrix> {
        sum_of(self.0.iter().map(|k| k.input_gradient(weights, control)))
    }
}

/// The sum of matrices of one shape.
fn sum_of(mut parts: impl Iterator<Item = Result<Matrix>>) -> Result<Matrix> {
    let first = parts.next().unwrap_or_else(|| Ok(Matrix::zeros(0, 0)))?;
    parts.try_fold(first, |mut sum, part| {
        sum.data_mut().iter_mut().zip(part?.data()).for_each(|(s, v)| *s += v);
        Ok(sum)
    })
}

impl Bound for Product {
    fn parameters(&self) -> usize {
        self.0.iter().map(|k| k.parameters()).sum()
    }
    /// d(prod k) = sum_t (prod of the others) dk_t: the others join the weights.
    fn gradient(&self, weights: &PairWeights, control: &Control) -> Result<Vec<f64>> {
        plan_copies(usize::from(self.0.len() > 1), weights, control)?;
        let mut out = Vec::new();
        for (t, k) in self.0.iter().enumerate().filter(|(_, k)| k.parameters() > 0) {
            let mut all = Cow::Borrowed(weights);
            for (_, other) in self.0.iter().enumerate().filter(|(s, _)| *s != t) {
                reweigh(other.as_ref(), all.to_mut(), control, |w, k| w * k)?;
            }
            out.extend(k.gradient(&all, control)?);
        }
        Ok(out)
    }
    /// d ln(prod k) = sum_t d ln k_t.
    fn log_gradient(&self, weights: &PairWeights, control: &Control) -> Result<Vec<f64>> {
        let parts: Vec<Vec<f64>> = self.0.iter().map(|k| k.log_gradient(weights, control)).collect::<Result<_>>()?;
        Ok(parts.concat())
    }
    fn input_gradient(&self, weights: &Matrix, control: &Control) -> Result<Matrix> {
        sum_of(self.0.iter().enumerate().map(|(t, k)| {
            let mut others = self.0.iter().enumerate().filter(|(s, _)| *s != t).map(|(_, other)| other.as_ref());
            let all =
                others.try_fold(Cow::Borrowed(weights), |all, other| reweighed(other, &all, control, |w, k| w * k).map(Cow::Owned))?;
            k.input_gradient(&all, control)
        }))
    }
}
