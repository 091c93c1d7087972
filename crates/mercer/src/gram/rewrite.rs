//! A kernel whose values are those of another kernel, rewritten row by row.

use super::gathered::GatheredRewrite;
use super::gradient::log_gradient_of_values;
use super::input_gradient::no_known_input_gradient;
use super::{Block, Bound, Counts, FeatureSource, Gram, LogGram, PairWeights, PointFormula, Side, Structure, UnrelatedRows, distances};
use crate::control::Control;
use crate::error::Result;
use crate::linalg::{Matrix, Real, SparseMatrix};
use std::borrow::Cow;
use std::ops::Range;

/// What becomes of the logarithm of the inner kernel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum LogForm {
    /// ln k is the inner kernel itself.
    Exponential,
    /// It is multiplied by a number.
    Power(f64),
    /// ln(f(x) f(z)) is added, f what [`Rewrite::multiplies`] says, above 0.
    Multiplied,
}

/// How values are rewritten.
pub(crate) trait Rewrite: Send + Sync {
    /// Rewrites kernel values of row `i` of the batch with the columns from `first` on. `same` says that rows and columns
    /// are one batch.
    fn row<T: Real>(&self, i: usize, first: usize, same: bool, values: &mut [T]);
    /// Rewrites k(x, x) of every input of one side.
    fn diagonal(&self, side: Side, inner: Vec<f64>) -> Vec<f64>;
    /// By what squared distances in feature space are multiplied, where that is all that happens to them.
    fn stretches(&self) -> Option<f64> {
        None
    }
    /// By what the features of each input are multiplied, where that is all that happens to them; `inputs` are those of the side.
    fn multiplies(&self, _side: Side, _inputs: usize) -> Option<Vec<f64>> {
        None
    }
    /// What becomes of logarithms, where values that are known by theirs stay so.
    fn log_form(&self) -> Option<LogForm> {
        None
    }
    /// By what every value is multiplied, where that is all that happens to it.
    fn factor(&self) -> Option<f64> {
        None
    }
    /// Its own parameters, which come before those of the inner kernel.
    fn parameters(&self) -> usize {
        0
    }
    /// [`Bound::gradient`] of the whole, own parameters first.
    fn gradient(&self, inner: &dyn Bound, weights: &PairWeights, control: &Control) -> Result<Vec<f64>>;
    /// Weights of the inner kernel in [`Bound::input_gradient`] from those of the whole; `None` where other things than values of the inner
    /// kernel change with an input.
    fn input_weights(&self, _inner: &dyn Bound, _weights: &Matrix, _control: &Control) -> Result<Option<Matrix>> {
        Ok(None)
    }
}

/// The kernel `of`, rewritten.
pub(crate) struct Rewritten<R> {
    of: Box<dyn Bound>,
    how: R,
}

impl<R: Rewrite> Rewritten<R> {
    pub(crate) fn new(of: Box<dyn Bound>, how: R) -> Self {
        Rewritten { of, how }
    }
    fn rows<T: Real>(&self, rows: impl Iterator<Item = usize>, first: usize, mut out: Block<'_, T>) {
        let same = self.of.symmetric();
        for (k, i) in rows.enumerate() {
            self.how.row(i, first, same, out.row_mut(k));
        }
    }
}

impl<R: Rewrite> Gram for Rewritten<R> {
    fn shape(&self) -> (usize, usize) {
        self.of.shape()
    }
    fn fill(&self, rows: Range<usize>, cols: Range<usize>, mut out: Block<'_, f64>) {
        self.of.fill(rows.clone(), cols.clone(), out.reborrow());
        self.rows(rows, cols.start, out);
    }
    fn fill_rows(&self, rows: &[usize], cols: Range<usize>, mut out: Block<'_, f64>) {
        self.of.fill_rows(rows, cols.clone(), out.reborrow());
        self.rows(rows.iter().copied(), cols.start, out);
    }
    fn fill_f32(&self, rows: &[usize], cols: Range<usize>, mut out: Block<'_, f32>) {
        self.of.fill_f32(rows, cols.clone(), out.reborrow());
        self.rows(rows.iter().copied(), cols.start, out);
    }
    fn diagonal(&self, side: Side) -> Vec<f64> {
        self.how.diagonal(side, self.of.diagonal(side))
    }
    fn fill_distances(&self, rows: &[usize], cols: Range<usize>, out: Block<'_, f64>) {
        match self.how.stretches() {
            Some(_) => self.of.fill_distances(rows, cols, out),
            None => distances::fill(self, rows, cols, out),
        }
    }
    fn squared_distances(&self, apart: &mut [f64]) {
        match self.how.stretches() {
            Some(by) => {
                self.of.squared_distances(apart);
                apart.iter_mut().for_each(|d| *d *= by);
            }
            None => distances::square(self, apart),
        }
    }
    fn logarithm(&self) -> Option<&dyn LogGram> {
        let is_positive = |side| self.multipliers(side).is_some_and(|f| f.iter().all(|f| *f > 0.0 && f.is_finite()));
        let known = match self.how.log_form()? {
            LogForm::Exponential => true,
            LogForm::Power(_) => self.of.logarithm().is_some(),
            LogForm::Multiplied => self.of.logarithm().is_some() && is_positive(Side::Rows) && is_positive(Side::Cols),
        };
        known.then_some(self)
    }
    fn unrelated_rows(&self) -> Vec<UnrelatedRows> {
        self.of.unrelated_rows()
    }
    fn is_constant(&self) -> bool {
        self.how.factor().is_some() && self.of.is_constant()
    }
    fn nearest(&self, rows: &[usize], count: usize) -> Option<Vec<Vec<(usize, f64)>>> {
        self.how.stretches().and_then(|_| self.of.nearest(rows, count))
    }
    fn symmetric(&self) -> bool {
        self.of.symmetric()
    }
    fn gathered(&self, rows: &[usize]) -> Option<Box<dyn Gram + '_>> {
        Some(Box::new(GatheredRewrite { of: self.of.gathered(rows)?, how: &self.how, inputs: rows.to_vec() }))
    }
    fn structure(&self) -> Structure<'_> {
        Structure::Features(self)
    }
    fn folds(&self) -> bool {
        self.of.folds()
    }
    fn folded(&self, rows: &[usize], coef: &Matrix, control: &Control) -> Result<Option<Matrix>> {
        let (Some(by_row), Some(by_col)) = (self.multipliers(Side::Rows), self.multipliers(Side::Cols)) else { return Ok(None) };
        let mut scaled = coef.clone();
        by_col.iter().enumerate().for_each(|(s, by)| scaled.row_mut(s).iter_mut().for_each(|c| *c *= by));
        let mut values = self.of.folded(rows, &scaled, control)?;
        if let Some(values) = &mut values {
            rows.iter().enumerate().for_each(|(k, &i)| values.row_mut(k).iter_mut().for_each(|v| *v *= by_row[i]));
        }
        Ok(values)
    }
}

impl<R: Rewrite> Rewritten<R> {
    /// By what the features of each input of a side are multiplied, where that is all that happens to them.
    fn multipliers(&self, side: Side) -> Option<Vec<f64>> {
        let (rows, cols) = self.of.shape();
        self.how.multiplies(side, if side == Side::Rows { rows } else { cols })
    }
}

/// exp(k): l(x) = k(x, x), and d is half the squared distance of the inner kernel.
impl<R: Rewrite> LogGram for Rewritten<R> {
    fn log_diagonal(&self, side: Side) -> Vec<f64> {
        let inner = || self.of.logarithm().map(|log| log.log_diagonal(side)).unwrap_or_default();
        match self.how.log_form() {
            None | Some(LogForm::Exponential) => self.of.diagonal(side),
            Some(LogForm::Power(by)) => inner().iter().map(|l| by * l).collect(),
            Some(LogForm::Multiplied) => {
                inner().iter().zip(self.multipliers(side).unwrap_or_default()).map(|(l, f)| l + 2.0 * libm::log(f)).collect()
            }
        }
    }
    fn fill_log_decay(&self, rows: &[usize], cols: Range<usize>, mut out: Block<'_, f64>) {
        let times = match self.how.log_form() {
            None | Some(LogForm::Exponential) => {
                self.of.fill_distances(rows, cols, out.reborrow());
                (0..rows.len()).for_each(|k| self.of.squared_distances(out.row_mut(k)));
                0.5
            }
            Some(form) => {
                if let Some(log) = self.of.logarithm() {
                    log.fill_log_decay(rows, cols, out.reborrow());
                }
                if let LogForm::Power(by) = form { by } else { 1.0 }
            }
        };
        if times != 1.0 {
            (0..rows.len()).for_each(|k| out.row_mut(k).iter_mut().for_each(|d| *d *= times));
        }
    }
}

impl<R: Rewrite> FeatureSource for Rewritten<R> {
    fn dense(&self, side: Side) -> Option<Cow<'_, Matrix>> {
        let by = self.multipliers(side)?;
        let mut features = self.of.structure().dense_features(side)?.into_owned();
        by.iter().enumerate().for_each(|(i, by)| features.row_mut(i).iter_mut().for_each(|phi| *phi *= by));
        Some(Cow::Owned(features))
    }
    fn sparse(&self, side: Side) -> Option<SparseMatrix<'_>> {
        let by = self.multipliers(side)?;
        Some(self.of.structure().sparse_features(side)?.scale_rows(&by))
    }
    fn counts(&self, side: Side) -> Option<Counts<'_>> {
        let by = self.multipliers(side)?;
        Some(self.of.structure().counts(side)?.scale_rows(&by))
    }
    fn point_formula(&self) -> Option<PointFormula<'_>> {
        Some(PointFormula::Scaled(self.how.factor()?, Box::new(self.of.structure().point_formula()?)))
    }
    fn stand_alone(&self) -> bool {
        self.of.structure().features_stand_alone()
    }
}

impl<R: Rewrite> Bound for Rewritten<R> {
    fn parameters(&self) -> usize {
        self.how.parameters() + self.of.parameters()
    }
    fn gradient(&self, weights: &PairWeights, control: &Control) -> Result<Vec<f64>> {
        self.how.gradient(self.of.as_ref(), weights, control)
    }
    fn input_gradient(&self, weights: &Matrix, control: &Control) -> Result<Matrix> {
        match self.how.input_weights(self.of.as_ref(), weights, control)? {
            Some(inner) => self.of.input_gradient(&inner, control),
            None => Err(no_known_input_gradient()),
        }
    }
    fn log_gradient(&self, weights: &PairWeights, control: &Control) -> Result<Vec<f64>> {
        let inner = match self.how.log_form() {
            Some(LogForm::Exponential) => self.of.gradient(weights, control)?,
            Some(LogForm::Multiplied) => self.of.log_gradient(weights, control)?,
            Some(LogForm::Power(by)) => self.of.log_gradient(weights, control)?.iter().map(|g| by * g).collect(),
            None => return log_gradient_of_values(self, weights, control),
        };
        // d ln(c k) / dc = 1 / c.
        let own = self.how.factor().filter(|_| self.how.parameters() == 1).map(|by| weights.sum() / by);
        Ok(own.into_iter().chain(inner).collect())
    }
}
