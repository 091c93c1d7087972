//! What least squares over features need of rows: the sums of w a a' over a = (z, y, 1), features, outputs and a constant. Any grouping of
//! the same batches gives the same bits. Where the squares of features are only to precondition, those of every k-th row suffice, and a row
//! costs no more than its product with a vector (Rudi, Carratino and Rosasco 2017, FALKON, take those of the landmarks).

use super::columns::{ColumnScale, PassColumns};
use crate::blocks;
use crate::control::Control;
use crate::error::{Error, Result};
use crate::estimators::systems::residual::TOLERANCE;
use crate::estimators::{Certificate, Summary};
use crate::gram::{Features, Multiplied};
use crate::linalg::{Cholesky, ExactSums, Matrix, gramian_of_columns_within, product, transposed_product_within};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// The sums over some rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SquareSums {
    features: usize,
    /// What features and outputs are measured from: 0 where there is no constant.
    #[serde(with = "blocks::f64s")]
    origin: Vec<f64>,
    /// Powers of two that they are measured in.
    #[serde(with = "blocks::f64s")]
    unit: Vec<f64>,
    /// Of every how many rows the squares of features are added up: 1 for all of them.
    every: usize,
    /// Where they are not all: the lower triangle of the sums of a a' over these, a = (z, 1), row by row.
    of_some: ExactSums,
    /// The lower triangle of the sums over all rows, row by row: from the first output on where squares of features are of some.
    sums: ExactSums,
}

/// What is measured from its mean over the rows that set the scale, so that no digit is lost where 0 lies far off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Centred {
    /// Features and outputs, where a constant that nothing penalises takes up the difference.
    Both,
    /// Outputs alone.
    Outputs,
    /// Neither.
    Neither,
}

/// Weights of the features and constants that minimise sum_i w_i |y_i - f_i|^2 / 2 + (lambda/2) |beta|^2.
pub(crate) struct SquareSolution {
    /// Features x outputs.
    pub(crate) beta: Matrix,
    /// One number per output.
    pub(crate) bias: Vec<f64>,
    pub(crate) summary: Summary,
}

impl SquareSums {
    /// Sums over no rows, with origins and units by which numbers of such rows are near 1: features N x m, targets N x outputs.
    ///
    /// # Errors
    /// On request of `control`.
    pub(crate) fn scaled_by(z: &Multiplied<'_>, y: &Matrix, centred: Centred, control: &Control) -> Result<Self> {
        let (mut origin, mut unit) = (Vec::new(), Vec::new());
        let z = written_out(z, control)?;
        for (of, is_centred) in [(z.as_ref(), centred == Centred::Both), (y, centred != Centred::Neither)] {
            let rows = of.rows().max(1) as f64;
            let from: Vec<f64> = match is_centred {
                true => (0..of.cols()).map(|j| (0..of.rows()).map(|i| of[(i, j)]).sum::<f64>() / rows).collect(),
                false => vec![0.0; of.cols()],
            };
            let far = |j: usize| (0..of.rows()).map(|i| (of[(i, j)] - from[j]).abs()).fold(0.0, f64::max);
            let far: Vec<f64> = (0..of.cols()).map(far).collect();
            // A feature that is constant in these rows need not be so in others.
            let most = far.iter().copied().fold(0.0, f64::max);
            let usual = if most > 0.0 { most } else { 1.0 };
            unit.extend(far.iter().map(|f| 2f64.powf((if *f > 0.0 { *f } else { usual }).log2().ceil())));
            origin.extend(from);
        }
        let none = ExactSums::zeros(0);
        Ok(SquareSums { features: z.cols(), origin, unit, every: 1, of_some: none.clone(), sums: none }.emptied())
    }

    /// Sums over no rows of which the squares of features are added up of every so many.
    pub(crate) fn of_every(self, every: usize) -> Self {
        SquareSums { every: every.max(1), ..self }.emptied()
    }

    /// Sums over no rows of the same features.
    pub(crate) fn emptied(&self) -> Self {
        let (of_some, all) = self.places();
        let (origin, unit) = (self.origin.clone(), self.unit.clone());
        let (features, every) = (self.features, self.every);
        SquareSums { features, origin, unit, every, of_some: ExactSums::zeros(of_some), sums: ExactSums::zeros(all) }
    }

    /// Sums of some rows, and of all.
    fn places(&self) -> (usize, usize) {
        let triangle = |width: usize| width * (width + 1) / 2;
        let all = triangle(self.origin.len() + 1);
        if self.is_whole() { (0, all) } else { (triangle(self.features + 1), all - triangle(self.features)) }
    }

    /// Whether the squares of features are of all rows.
    pub(crate) fn is_whole(&self) -> bool {
        self.every == 1
    }

    /// An error unless the sizes fit, which damaged bytes may bring about.
    pub(crate) fn check(&self) -> Result<()> {
        if self.features >= self.origin.len() {
            return Err(Error::Shape {
                what: "features beside outputs of sums".into(),
                expected: self.origin.len(),
                found: self.features + 1,
            });
        }
        Error::unless_equal("units of sums", self.origin.len(), self.unit.len())?;
        if self.every == 0 {
            return Err(Error::Shape { what: "rows of a sum".into(), expected: 1, found: 0 });
        }
        let (of_some, all) = self.places();
        Error::unless_equal("sums of some rows", of_some, self.of_some.len())?;
        Error::unless_equal("sums", all, self.sums.len())
    }

    /// Adds rows: features N x m, targets N x outputs, weights N. `first`: the place of the first one, by which some are picked.
    ///
    /// # Errors
    /// Other numbers of features or outputs; numbers far larger than those that set the scale; then the sums are not to be used any more.
    pub(crate) fn add(&mut self, z: &Multiplied<'_>, y: &Matrix, weights: Option<&[f64]>, first: usize, control: &Control) -> Result<()> {
        Error::unless_equal("features", self.features, z.cols())?;
        Error::unless_equal("outputs", self.outputs(), y.cols())?;
        if !self.is_whole() {
            return self.add_by_products(z, y, weights, first, control);
        }
        let (z, width) = (written_out(z, control)?, self.origin.len() + 1);
        let mut rows = Vec::with_capacity(z.rows() * width);
        for i in 0..z.rows() {
            let numbers = z.row(i).iter().chain(y.row(i)).zip(self.origin.iter().zip(&self.unit));
            rows.extend(numbers.map(|(v, (origin, unit))| (v - origin) / unit));
            rows.push(1.0);
        }
        self.sums.add(lower(&gramian_of_columns_within(&Matrix::new(z.rows(), width, rows)?, weights, control)?))
    }

    /// Adds rows by products of features with targets and the constant; the squares of features, of some rows alone.
    fn add_by_products(&mut self, z: &Multiplied<'_>, y: &Matrix, weights: Option<&[f64]>, first: usize, control: &Control) -> Result<()> {
        let (m, outputs) = (self.features, self.outputs());
        let weight = |i: usize| weights.map_or(1.0, |w| w[i]);
        let scaled = Matrix::from_fn(y.rows(), outputs + 1, |i, o| match self.unit.get(m + o) {
            Some(unit) => (y[(i, o)] - self.origin[m + o]) / unit,
            None => 1.0,
        });
        let weighed = Matrix::from_fn(y.rows(), outputs + 1, |i, o| weight(i) * scaled[(i, o)]);
        let with_features = self.columns(z, 1.0)?.sums(&weighed, control)?;
        let among = transposed_product_within(&weighed, &scaled, control)?;
        let sums = (0..=outputs).flat_map(|o| with_features.row(o)[..m].iter().chain(&among.row(o)[..=o]).copied());
        self.sums.add(sums.collect::<Vec<_>>().into_iter())?;
        let some: Vec<usize> = (0..z.rows()).filter(|i| (first + i).is_multiple_of(self.every)).collect();
        if some.is_empty() {
            return Ok(());
        }
        let weights: Option<Vec<f64>> = weights.map(|w| some.iter().map(|&i| w[i]).collect());
        let columns = self.scale(1.0).formed(&z.written_out(&some, control)?);
        self.of_some.add(lower(&gramian_of_columns_within(&columns, weights.as_deref(), control)?))
    }

    /// Adds the sums over other rows.
    ///
    /// # Errors
    /// Sums in other units or of other features.
    pub(crate) fn merge(&mut self, other: &SquareSums) -> Result<()> {
        if (&self.origin, &self.unit, self.features, self.every) != (&other.origin, &other.unit, other.features, other.every) {
            return Err(Error::Data("these sums are of other features or in other units; begin all of them from the same one".into()));
        }
        self.of_some.merge(&other.of_some)?;
        self.sums.merge(&other.sums)
    }

    fn at(&self, i: usize, j: usize) -> f64 {
        let (high, low) = (i.max(j), i.min(j));
        let behind = if self.is_whole() { 0 } else { self.features * (self.features + 1) / 2 };
        self.sums.get(high * (high + 1) / 2 + low - behind)
    }

    /// Columns of the targets.
    pub(crate) fn outputs(&self) -> usize {
        self.origin.len() - self.features
    }

    /// What the features are measured from, and in.
    pub(crate) fn scales(&self) -> (&[f64], &[f64]) {
        (&self.origin[..self.features], &self.unit[..self.features])
    }

    /// The sum of the weights.
    ///
    /// # Errors
    /// No rows; none of those whose squares of features are added up.
    pub(crate) fn total(&self) -> Result<f64> {
        let total = self.at(self.origin.len(), self.origin.len());
        let nothing = || Error::Data("no batch has been added, so there is nothing to fit; add one first".into());
        if total <= 0.0 {
            return Err(nothing());
        }
        if !self.is_whole() && self.of_some.get(self.of_some.len() - 1) <= 0.0 {
            let why = "far fewer rows were added than were announced; begin again with their number";
            return Err(Error::Data(why.into()));
        }
        Ok(total)
    }

    fn scale(&self, constant: f64) -> ColumnScale<'_> {
        let (origin, unit) = self.scales();
        ColumnScale { origin, unit, constant }
    }

    /// Features of rows (N x m) as they are summed up, a = (z - origin) / unit, and a column that holds a constant.
    ///
    /// # Errors
    /// Another number of features.
    pub(crate) fn columns<'a>(&'a self, z: &'a Multiplied<'a>, constant: f64) -> Result<PassColumns<'a>> {
        Error::unless_equal("features", self.features, z.cols())?;
        Ok(PassColumns::of(z, self.scale(constant)))
    }

    /// sum_i w_i a_i a_i' over these columns; by some rows where they are not of all.
    pub(crate) fn squares(&self, constant: f64) -> Matrix {
        let m = self.features;
        let sum = |i: usize, j: usize| match self.is_whole() {
            true => self.at(if i < m { i } else { self.origin.len() }, if j < m { j } else { self.origin.len() }),
            false => self.every as f64 * self.of_some.get(i.max(j) * (i.max(j) + 1) / 2 + i.min(j)),
        };
        let factor = |j: usize| if j < m { 1.0 } else { constant };
        Matrix::from_fn(m + 1, m + 1, |i, j| factor(i) * factor(j) * sum(i, j))
    }

    /// sum_i w_i t_i a_i over these columns for targets t = sum_o by_o y_o + by_outputs that are made of the outputs and of 1; a row for each.
    pub(crate) fn combined(&self, constant: f64, by: &[Vec<f64>]) -> Matrix {
        let last = self.origin.len();
        Matrix::from_fn(by.len(), self.features + 1, |target, j| {
            let (j, factor) = if j < self.features { (j, 1.0) } else { (last, constant) };
            let of = |(o, by): (usize, &f64)| by * if o < self.outputs() { self.with_output(j, o) } else { self.at(j, last) };
            factor * by[target].iter().enumerate().map(of).sum::<f64>()
        })
    }

    /// sum_i w_i y_io of all outputs.
    pub(crate) fn masses(&self) -> Vec<f64> {
        (0..self.outputs()).map(|o| self.with_output(self.origin.len(), o)).collect()
    }

    /// sum_i w_i a_ij y_io.
    fn with_output(&self, j: usize, output: usize) -> f64 {
        let output = self.features + output;
        self.origin[output] * self.at(j, self.origin.len()) + self.unit[output] * self.at(j, output)
    }

    /// The weighted mean square of an output's distance from its weighted mean.
    ///
    /// # Errors
    /// No rows.
    pub(crate) fn variance(&self, output: usize) -> Result<f64> {
        let (total, last, output) = (self.total()?, self.origin.len(), self.features + output);
        let mean = self.at(output, last) / total;
        Ok(self.unit[output].powi(2) * (self.at(output, output) / total - mean * mean).max(0.0))
    }

    /// The solution under a penalty above 0, with a constant or without, from the squares of all rows.
    ///
    /// # Errors
    /// No rows; a system that is singular in working precision; bounds of `control`.
    pub(crate) fn solve(&self, lambda: f64, intercept: bool, control: &Control) -> Result<SquareSolution> {
        // Steps of iterative refinement at most.
        const REFINEMENTS: usize = 4;
        let (m, outputs, last) = (self.features, self.outputs(), self.origin.len());
        let total = self.total()?;
        let mean = |i: usize| if intercept { self.at(i, last) / total } else { 0.0 };
        let means: Vec<f64> = (0..last).map(mean).collect();
        let about = |i: usize, j: usize| (self.at(i, j) - total * means[i] * means[j]) * self.unit[i] * self.unit[j];
        let squares = Matrix::from_fn(m, m, about);
        let products = Matrix::from_fn(m, outputs, |i, o| about(i, m + o));
        let mut system = squares.clone();
        system.add_to_diagonal(&[lambda]);
        let factor = Cholesky::new(system, control)?;
        // The gradient of the objective at beta, but for its sign.
        let open = |beta: &Matrix| -> Result<Matrix> {
            let mut open = product(&squares, beta)?;
            open.data_mut().iter_mut().zip(products.data()).zip(beta.data()).for_each(|((v, target), b)| *v = target - *v - lambda * b);
            Ok(open)
        };
        let mut beta = factor.solve(&products, control)?;
        let mut left = open(&beta)?;
        let mut steps = 1;
        for _ in 0..REFINEMENTS {
            let mut next = factor.solve(&left, control)?;
            next.data_mut().iter_mut().zip(beta.data()).for_each(|(step, b)| *step += b);
            let after = open(&next)?;
            if after.norm() >= left.norm() {
                break;
            }
            (beta, left, steps) = (next, after, steps + 1);
        }
        let dot = |a: &Matrix, b: &Matrix| a.data().iter().zip(b.data()).map(|(a, b)| a * b).sum::<f64>();
        let outputs_squared: f64 = (0..outputs).map(|o| about(m + o, m + o)).sum();
        let fitted = product(&squares, &beta)?;
        let objective = 0.5 * (outputs_squared - 2.0 * dot(&beta, &products) + dot(&beta, &fitted) + lambda * dot(&beta, &beta));
        // The objective is strongly convex: it lies no more than |gradient|^2 / (2 lambda) above its least value.
        let gap = left.norm().powi(2) / (2.0 * lambda);
        let share = if gap > 0.0 { gap / objective.max(gap) } else { 0.0 };
        let bias = (0..outputs)
            .map(|o| {
                let moved: f64 = (0..m).map(|j| beta[(j, o)] * (self.origin[j] + self.unit[j] * means[j])).sum();
                if intercept { self.origin[m + o] + self.unit[m + o] * means[m + o] - moved } else { 0.0 }
            })
            .collect();
        let summary = Summary {
            iterations: steps,
            converged: share <= TOLERANCE,
            objective: Some(objective.max(0.0)),
            certificate: Some(Certificate { name: "relative duality gap".into(), value: share, tolerance: TOLERANCE }),
            jitter: factor.jitter_used(),
            ..Summary::default()
        };
        Ok(SquareSolution { beta, bias, summary })
    }
}

/// The features of all rows.
fn written_out<'a>(z: &'a Multiplied<'_>, control: &Control) -> Result<Cow<'a, Matrix>> {
    match z {
        Multiplied::Whole(Features::Dense(z)) => Ok(Cow::Borrowed(z)),
        _ => z.written_out(&(0..z.rows()).collect::<Vec<_>>(), control).map(Cow::Owned),
    }
}

/// The lower triangle, row by row.
fn lower(squares: &Matrix) -> impl ExactSizeIterator<Item = f64> + use<> {
    (0..squares.rows()).flat_map(|i| squares.row(i)[..=i].iter().copied()).collect::<Vec<_>>().into_iter()
}
