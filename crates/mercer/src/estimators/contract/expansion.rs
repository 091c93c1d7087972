//! f(x) = sum_s coef[s, o] k(support_s, x) + bias[o]: what the representer theorem makes of almost every fitted thing. Where the
//! kernel is an inner product of few features phi it is f(x) = sum_j weights[j, o] phi_j(x) + bias[o], and no row is needed.

use crate::blocks;
use crate::control::Control;
use crate::data::even_rows;
use crate::error::{Error, Result};
use crate::estimators::{GradientQuery, PairLayout};
use crate::gram::{self, Dense, Features, Gram, Multiplied, Precision, Side, Subset, ranges};
use crate::linalg::Matrix;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// A kernel expansion with one or several outputs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expansion {
    /// Training rows with a coefficient that is not zero, ascending.
    #[serde(with = "blocks::usizes")]
    pub support: Vec<usize>,
    /// Coefficients, support x outputs; of pairs of classes those that `pairs` says.
    pub coef: Matrix,
    /// One constant per output.
    pub bias: Vec<f64>,
    /// Whether new inputs are predicted from kernel values in f32, which halves the time: where a solver knows its own
    /// solution less precisely.
    #[serde(default)]
    pub single: bool,
    /// Weights of features, rank x outputs, where the kernel is made of few: f(x) = weights' phi(x) + bias, and once no row is
    /// kept it is all that there is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weights: Option<Matrix>,
    /// Where outputs are the pairs of more than two classes: which coefficients are kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pairs: Option<PairLayout>,
}

/// Training rows on which kernel values in f32 are tried.
const TRIED: usize = 128;
/// Rows of the support whose part in that is computed at once.
const TOGETHER: usize = 400;
/// Weights of sparse features are kept if they are no more than this, or so many for each number of the support.
const MOST_WEIGHTS: usize = 1 << 20;
const PER_STORED: usize = 4;
/// Outputs of the rows on which rounding is tried.
const TRIED_OUTPUTS: usize = 1 << 18;
/// Coefficients of pairs are written out for a kernel that folds where they are no more than this.
const MOST_WRITTEN_OUT: usize = 1 << 22;
/// Fewer support rows are not worth it.
const LEAST_SUPPORT: usize = 500;

impl Expansion {
    /// An expansion over the given training rows (ascending); `coef` is support x outputs, `bias` one number per output.
    pub fn new(support: Vec<usize>, coef: Matrix, bias: Vec<f64>) -> Self {
        Expansion { support, coef, bias, single: false, weights: None, pairs: None }
    }

    /// An expansion whose outputs are the pairs of more than two classes.
    pub(crate) fn of_pairs(support: Vec<usize>, coef: Matrix, bias: Vec<f64>, pairs: PairLayout) -> Self {
        Expansion { pairs: Some(pairs), ..Expansion::new(support, coef, bias) }
    }

    /// Adds the weights of the features, by which the function is then computed.
    pub(crate) fn with_weights(self, weights: Matrix) -> Self {
        Expansion { weights: Some(weights), ..self }
    }

    /// The weights of features, sum_s coef[s] phi(support_s), where there are so few of them that they are worth it.
    pub(crate) fn weigh(&mut self, gram: &dyn Gram, control: &Control) -> Result<()> {
        let count = self.support.len();
        let Some(features) = Features::of(gram, Side::Cols).filter(|_| gram.structure().features_stand_alone()) else { return Ok(()) };
        let some = if count == features.rows() { features } else { features.select_rows(&self.support) };
        let worth = match &some {
            Features::Dense(z) => z.cols() * self.bias.len() < self.coef.data().len(),
            Features::Sparse(z) => z.cols() * self.bias.len() <= MOST_WEIGHTS.max(PER_STORED * z.stored()),
        };
        if worth {
            self.weights = Some(self.weights_of(&some, control)?);
        }
        Ok(())
    }

    /// sum_s coef[s] phi(support_s), rank x outputs, of the features of the support.
    pub(crate) fn weights_of(&self, support: &Features<'_>, control: &Control) -> Result<Matrix> {
        match &self.pairs {
            Some(pairs) => pairs.weights(support, &self.coef, control),
            None => support.transposed_product(&self.coef, control),
        }
    }

    /// Keeps the weights alone, where there are such: no training row is needed any more.
    pub(crate) fn forget_rows(&mut self) {
        if let Some(weights) = &self.weights {
            (self.support, self.coef, self.single, self.pairs) = (Vec::new(), Matrix::zeros(0, weights.cols()), false, None);
        }
    }

    /// Whether new inputs are predicted from their features.
    pub fn is_of_features(&self) -> bool {
        self.weights.is_some()
    }

    /// Goes over to kernel values in f32 where, on training rows spread evenly, they change no output o by more than
    /// `most[o]`; then the largest change as a share of it.
    pub(crate) fn round(&mut self, gram: &dyn Gram, most: &[f64], control: &Control) -> Result<Option<f64>> {
        let n = gram.shape().0;
        if self.support.len() < LEAST_SUPPORT {
            return Ok(None);
        }
        let outputs = self.bias.len();
        let rows = even_rows(n, TRIED.min(TRIED_OUTPUTS / outputs.max(1)).max(1));
        let count = self.support.len();
        // The support and then the rows, one after the other in memory.
        let laid_out = gram.gathered(&[&self.support[..], &rows].concat());
        let tried: Vec<usize> = (count..count + rows.len()).collect();
        let of_support = |some: Range<usize>| {
            let some: Vec<usize> = some.collect();
            let part = match &laid_out {
                Some(own) => Subset::new(&**own, &tried, &some),
                None => Subset::new(gram, &rows, &some.iter().map(|&s| self.support[s]).collect::<Vec<_>>()),
            };
            let own = self.of_support(&some);
            Ok([own.multiply(&part, Precision::Double, control)?, own.multiply(&part, Precision::Single, control)?])
        };
        let parts = ranges(count, TOGETHER).collect::<Vec<_>>().into_par_iter().map(of_support).collect::<Result<Vec<_>>>()?;
        let [exact, rounded] = [0, 1].map(|precision| {
            let mut sum = Matrix::zeros(rows.len(), outputs);
            for part in &parts {
                sum.data_mut().iter_mut().zip(part[precision].data()).for_each(|(s, v)| *s += v);
            }
            sum
        });
        let pairs = exact.data().iter().zip(rounded.data()).zip(most.iter().cycle());
        let changes: Vec<f64> = pairs.map(|((x, y), most)| (x - y).abs() / most).collect();
        self.single = changes.iter().all(|c| *c <= 1.0);
        Ok(self.single.then(|| changes.into_iter().fold(0.0, f64::max)))
    }

    /// f of M new inputs, M x outputs, from their Gram matrix with the support (M x support).
    ///
    /// An error if the sizes do not fit, which a damaged model file may bring about; on request of `control`.
    pub fn predict(&self, cross: &dyn Gram, control: &Control) -> Result<Matrix> {
        self.check()?;
        let mut out = match (&self.weights, self.weights.as_ref().and_then(|_| Multiplied::of(cross))) {
            (Some(weights), Some(features)) => features.product(weights, control)?,
            (Some(_), None) if self.support.is_empty() => {
                return Err(Error::Data("the model holds weights of features, and this kernel has none".into()));
            }
            _ => match self.folded(cross, &(0..cross.shape().0).collect::<Vec<_>>(), control)? {
                Some(values) => values,
                None => self.multiply(cross, if self.single { Precision::Single } else { Precision::Double }, control)?,
            },
        };
        self.add_bias(&mut out);
        Ok(out)
    }

    /// f of some rows, whose kernel values with the support are known: as [`Expansion::predict`] gives it for them.
    pub(crate) fn predict_known(&self, cross: &dyn Gram, rows: &[usize], known: &Dense, control: &Control) -> Result<Matrix> {
        self.check()?;
        match self.folded(cross, rows, control)? {
            Some(mut values) => {
                self.add_bias(&mut values);
                Ok(values)
            }
            None => self.predict(known, control),
        }
    }

    /// f of some rows and their kernel values with the support, which are computed once for both.
    pub(crate) fn predict_with_values(&self, cross: &dyn Gram, rows: &[usize], control: &Control) -> Result<(Matrix, Matrix)> {
        let all: Vec<usize> = (0..cross.shape().1).collect();
        let values = gram::dense(&Subset::new(cross, rows, &all), control)?;
        let known = Dense::cross(values.clone(), vec![0.0; rows.len()], vec![0.0; all.len()])?;
        Ok((self.predict_known(cross, rows, &known, control)?, values))
    }

    /// The derivatives of each output in the numbers of new inputs.
    ///
    /// # Errors
    /// As of [`Fitted::predict_gradient`](super::Fitted::predict_gradient).
    pub(crate) fn gradient(&self, query: &GradientQuery<'_>) -> Result<Vec<Matrix>> {
        self.check()?;
        if self.weights.is_some() || self.pairs.is_some() {
            let why =
                "the model keeps weights of features in place of rows; under a linear kernel they are the derivative (Model.expansion)";
            return Err(Error::Data(format!("no derivative in the inputs: {why}")));
        }
        let of_output = |o: usize| query.gradient(Matrix::from_fn(query.rows(), self.coef.rows(), |_, s| self.coef[(s, o)]));
        (0..self.bias.len()).map(of_output).collect()
    }

    fn folded(&self, cross: &dyn Gram, rows: &[usize], control: &Control) -> Result<Option<Matrix>> {
        if self.weights.is_some() || cross.shape().1 != self.coef.rows() {
            return Ok(None);
        }
        match &self.pairs {
            None => cross.folded(rows, &self.coef, control),
            Some(pairs) if cross.folds() && self.coef.rows() * self.bias.len() <= MOST_WRITTEN_OUT => {
                cross.folded(rows, &pairs.dense(&self.coef), control)
            }
            Some(_) => Ok(None),
        }
    }

    /// The part of some rows of the support.
    fn of_support(&self, some: &[usize]) -> Expansion {
        let support = some.iter().map(|&s| self.support[s]).collect();
        let pairs = self.pairs.as_ref().map(|pairs| pairs.select(some));
        Expansion { pairs, ..Expansion::new(support, self.coef.select_rows(some), self.bias.clone()) }
    }

    /// The sums over the support without constants, M x outputs.
    fn multiply(&self, cross: &dyn Gram, precision: Precision, control: &Control) -> Result<Matrix> {
        match (&self.pairs, precision) {
            (Some(pairs), _) => pairs.product(cross, &self.coef, precision, control),
            (None, Precision::Double) => gram::apply(cross, &self.coef, control),
            (None, Precision::Single) => gram::apply_f32(cross, &self.coef, control),
        }
    }

    /// The coefficients of some training rows in one output; of pairs of classes in that of two places of classes.
    pub(crate) fn coefficients(&self, output: usize, pair: (usize, usize), rows: &[usize]) -> Vec<f64> {
        let of = |s: usize| match &self.pairs {
            None => self.coef[(s, output)],
            Some(pairs) => pairs.column(s, pair).map_or(0.0, |j| self.coef[(s, j)]),
        };
        rows.iter().map(|r| self.support.binary_search(r).map_or(0.0, of)).collect()
    }

    /// One output alone, and the places in the support of the rows that it has coefficients of; of pairs of classes that of two places of
    /// classes.
    ///
    /// # Errors
    /// Sizes that do not fit, which a damaged model file may bring about.
    pub(crate) fn of_output(&self, output: usize, pair: (usize, usize)) -> Result<(Vec<usize>, Expansion)> {
        self.check()?;
        let column = |s: usize| match &self.pairs {
            None => Some(output),
            Some(pairs) => pairs.column(s, pair),
        };
        let coefficient = |s: usize| column(s).map_or(0.0, |j| self.coef[(s, j)]);
        let keeps_all = self.is_of_features();
        let places: Vec<usize> = (0..self.support.len()).filter(|&s| keeps_all || coefficient(s) != 0.0).collect();
        let coef = places.iter().map(|&s| coefficient(s)).collect();
        let support = places.iter().map(|&s| self.support[s]).collect();
        let weights = self.weights.as_ref().map(|w| Matrix::column(w.col(output)));
        let single = self.single;
        Ok((places, Expansion { single, weights, ..Expansion::new(support, Matrix::column(coef), vec![self.bias[output]]) }))
    }

    fn add_bias(&self, out: &mut Matrix) {
        if self.bias.iter().any(|b| *b != 0.0) {
            for row in out.data_mut().chunks_exact_mut(self.bias.len()) {
                for (f, b) in row.iter_mut().zip(&self.bias) {
                    *f += b;
                }
            }
        }
    }

    /// An error unless support, coefficients and bias have sizes that fit.
    fn check(&self) -> Result<()> {
        let constants = match &self.pairs {
            Some(pairs) => pairs.check(&self.coef, self.bias.len()).map(|()| self.bias.len())?,
            None => self.coef.cols(),
        };
        for (what, expected, found) in [
            ("rows of the coefficients of an expansion", self.support.len(), self.coef.rows()),
            ("constants of an expansion", constants, self.bias.len()),
            ("outputs of the weights of features", self.bias.len(), self.weights.as_ref().map_or(self.bias.len(), Matrix::cols)),
        ] {
            if expected != found {
                return Err(Error::Shape { what: what.into(), expected, found });
            }
        }
        Ok(())
    }
}
