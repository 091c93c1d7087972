//! Optimality of a fitted model, computed anew from its coefficients and the training rows, by none of the code that fitted it.
//!
//! With f = K a + b each of these problems states what a may be, given f: the negative slope of the loss of a row,
//! `lambda a_i = -w_i l'(f_i)` (ridge, gp, logistic), an interval of it where the loss has a corner (svc, svr), or a bound on the
//! correlation of the slopes with a kernel column (l1vm). An intercept that is not penalised adds `sum a = 0`.

mod joint;
mod relevance;

use super::Model;
use crate::control::Control;
use crate::data::{Dataset, Target};
use crate::error::{Error, Result};
use crate::estimators::{ClassWeight, EstimatorExpr, Expansion, Fitted, Multiclass, NumberLikelihood};
use crate::gram::{Bound, Dense, Subset};
use crate::linalg::Matrix;

/// A number that is 0 at the optimum.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    /// What is measured.
    pub name: &'static str,
    /// Its value.
    pub value: f64,
    /// What it may be.
    pub tolerance: f64,
}

impl Condition {
    /// Whether the value is within the tolerance; a value that is no number is not.
    pub fn is_met(&self) -> bool {
        self.value <= self.tolerance
    }
}

/// What rounding may leave of a sum that is 0, as a share of the sum of its sizes.
const BALANCE: f64 = 1e-9;
/// What rounding may leave of an equation of one row, as a share of the greatest number in it.
const EQUATION: f64 = 1e-6;
/// Violation of a stationary point of a solver whose gap is 1e-8: its square root, with a margin.
const SLOPE: f64 = 1e-3;

/// The training rows of a model with its coefficients.
struct Evidence<'a> {
    bound: &'a dyn Bound,
    expansion: &'a Expansion,
    /// Weights of the rows.
    weights: Vec<f64>,
    control: &'a Control,
}

impl Model {
    /// The optimality conditions of the fit on its training table: N rows without the target, as they were given to the fit.
    ///
    /// # Errors
    /// Other rows than the model was fitted to; an estimator without such conditions, or a model that keeps no coefficients of rows.
    pub fn verify(&self, data: &Dataset, target: &Target, weights: Option<&[f64]>, control: &Control) -> Result<Vec<Condition>> {
        let expansion = self.fitted.uncalibrated().expansion().ok_or_else(|| self.not_covered())?;
        self.verify_coefficients(expansion, data, target, weights, control)
    }

    /// As [`Model::verify`], of other coefficients.
    fn verify_coefficients(
        &self,
        expansion: &Expansion,
        data: &Dataset,
        target: &Target,
        weights: Option<&[f64]>,
        control: &Control,
    ) -> Result<Vec<Condition>> {
        let rows = self.training_rows(data.rows())?;
        let prepared = self.prep.apply(&data.select(&rows))?;
        let bound = self.kernel.gram(&prepared, control)?;
        let target = target.select(&rows);
        let weights = rows.iter().map(|&i| weights.map_or(1.0, |w| w[i])).collect();
        if expansion.support.last().is_some_and(|&last| last >= rows.len()) {
            return Err(Error::Data(
                "the model has coefficients of rows that the table does not have; give the table it was fitted to".into(),
            ));
        }
        let is_of_rows = !expansion.support.is_empty() || !expansion.is_of_features();
        let evidence = Evidence { bound: bound.as_ref(), expansion, weights, control };
        match &self.estimator {
            EstimatorExpr::Ridge(e) => evidence.smooth(&numbers_of(&target), e.lambda.number(), e.intercept, EQUATION),
            EstimatorExpr::Gp(e)
                if e.likelihood == NumberLikelihood::Gaussian && !e.has_inducing_rows() && matches!(target, Target::Numbers(_)) =>
            {
                // The constants are the means of the targets, and no part of the problem.
                evidence.smooth(&numbers_of(&target), e.noise.number() / e.variance.number(), false, EQUATION)
            }
            EstimatorExpr::Logistic(e) => evidence.classes(&target, e.class_weight)?.logistic(&target, e.lambda.number(), e.intercept),
            EstimatorExpr::Svc(_) | EstimatorExpr::Svr(_) | EstimatorExpr::L1vm(_) if !is_of_rows => Err(self.without_rows()),
            EstimatorExpr::Svc(e) => {
                let evidence = evidence.classes(&target, e.class_weight)?;
                let (c, tolerance) = (e.c.number(), e.tolerance.number());
                match e.multiclass {
                    Multiclass::Pairs | Multiclass::Dag => evidence.margins(&target, Splits::Pairs, c, tolerance),
                    Multiclass::OneVsRest => evidence.margins(&target, Splits::Rest, c, tolerance),
                    Multiclass::WestonWatkins | Multiclass::CrammerSinger => evidence.all_classes(&target, e.multiclass, c, tolerance),
                    Multiclass::Codes => Err(self.not_covered()),
                }
            }
            EstimatorExpr::Rvm(e) => match &target {
                Target::Classes { names, .. } if names.len() > 2 => Err(self.not_covered()),
                Target::Classes { .. } => evidence.classes(&target, e.class_weight)?.relevance_of_classes(&target, e.intercept),
                _ => evidence.relevance_of_numbers(&numbers_of(&target), e.intercept),
            },
            EstimatorExpr::Svr(e) => {
                evidence.tubes(&target, [e.c.number(), e.epsilon.number(), e.tolerance.number()], e.standardise_target)
            }
            EstimatorExpr::L1vm(e) => evidence.classes(&target, e.class_weight)?.sparse(&target, e.lambda.number(), e.tolerance.number()),
            _ => Err(self.not_covered()),
        }
    }

    fn without_rows(&self) -> Error {
        Error::Data(format!(
            "the model of {} keeps weights of features and no coefficient of a row, by which its conditions are stated",
            self.estimator.name()
        ))
    }

    fn not_covered(&self) -> Error {
        // Names of the estimators that can be verified.
        const COVERED: &str = "ridge, logistic, svc but for multiclass=codes, svr, l1vm, rvm of numbers or two classes, gp of numbers with \
                               normal noise and every row";
        Error::Data(format!("the conditions of {} as it was fitted are not among those that can be verified: {COVERED}", self.estimator))
    }
}

/// Numbers, or -1 and +1 for two classes and for each of more.
fn numbers_of(target: &Target) -> Matrix {
    match target {
        Target::Numbers(y) => y.clone(),
        Target::Classes { codes, names } => {
            let outputs = if names.len() == 2 { 1 } else { names.len() };
            Matrix::from_fn(codes.len(), outputs, |i, c| if codes[i] == if outputs == 1 { 1 } else { c } { 1.0 } else { -1.0 })
        }
        Target::Absent { rows } => Matrix::zeros(*rows, 0),
    }
}

/// Codes of the classes that have rows, and the place of each row's class among them.
fn numbered(target: &Target) -> (Vec<usize>, Vec<usize>) {
    let Target::Classes { codes, .. } = target else { return (Vec::new(), Vec::new()) };
    let mut present = codes.clone();
    present.sort_unstable();
    present.dedup();
    let places = codes.iter().map(|c| present.binary_search(c).unwrap_or(0)).collect();
    (present, places)
}

impl Evidence<'_> {
    /// Its weights times those of the classes.
    fn classes(mut self, target: &Target, class_weight: ClassWeight) -> Result<Self> {
        if class_weight == ClassWeight::Balanced {
            let (present, places) = numbered(target);
            let mut mass = vec![0.0; present.len()];
            places.iter().zip(&self.weights).for_each(|(&p, w)| mass[p] += w);
            let total: f64 = mass.iter().sum();
            places.iter().zip(&mut self.weights).for_each(|(&p, w)| *w *= total / (mass.len() as f64 * mass[p]));
        }
        Ok(self)
    }

    fn rows(&self) -> usize {
        self.weights.len()
    }

    /// Calls `at` with each row and its kernel values with the given rows.
    fn each_row(&self, cols: &[usize], mut at: impl FnMut(usize, &[f64])) -> Result<()> {
        // Rows of K that are held at once.
        const BLOCK: usize = 512;
        for start in (0..self.rows()).step_by(BLOCK) {
            let rows: Vec<usize> = (start..self.rows().min(start + BLOCK)).collect();
            let k = Dense::of(&Subset::new(self.bound, &rows, cols), self.control)?.into_matrix();
            rows.iter().enumerate().for_each(|(place, &i)| at(i, k.row(place)));
        }
        Ok(())
    }

    /// sum_j a_j k(x_i, x_j), N x outputs, for columns of coefficients of all rows that are 0 but for the support.
    fn functions(&self, columns: &[Vec<f64>]) -> Result<Matrix> {
        let support = &self.expansion.support;
        let coef = Matrix::from_fn(support.len(), columns.len(), |s, o| columns[o][support[s]]);
        let mut g = Matrix::zeros(self.rows(), coef.cols());
        self.each_row(support, |i, k| {
            for (s, k) in k.iter().enumerate() {
                (0..coef.cols()).for_each(|o| g[(i, o)] += k * coef[(s, o)]);
            }
        })?;
        Ok(g)
    }

    /// The coefficients of one output for all rows; of a pair of classes those at two places.
    fn coefficients(&self, output: usize, pair: (usize, usize)) -> Vec<f64> {
        self.expansion.coefficients(output, pair, &(0..self.rows()).collect::<Vec<_>>())
    }

    /// Coefficients of all outputs and f, N x outputs; of weights of features f alone.
    fn of_outputs(&self, outputs: usize) -> Result<(Option<Matrix>, Matrix)> {
        Error::unless_equal("outputs of the model", outputs, self.expansion.bias.len())?;
        if self.expansion.support.is_empty() && self.expansion.is_of_features() {
            return Ok((None, self.expansion.predict(self.bound, self.control)?));
        }
        self.of_rows(outputs).map(|(a, f)| (Some(a), f))
    }

    /// Coefficients of all rows and f, N x outputs.
    fn of_rows(&self, outputs: usize) -> Result<(Matrix, Matrix)> {
        Error::unless_equal("outputs of the model", outputs, self.expansion.bias.len())?;
        let columns: Vec<Vec<f64>> = (0..outputs).map(|o| self.coefficients(o, (0, 1))).collect();
        let mut f = self.functions(&columns)?;
        (0..f.rows()).for_each(|i| (0..outputs).for_each(|o| f[(i, o)] += self.expansion.bias[o]));
        Ok((Matrix::from_fn(self.rows(), outputs, |i, o| columns[o][i]), f))
    }

    /// lambda a = w (y - f).
    fn smooth(&self, y: &Matrix, lambda: f64, intercept: bool, tolerance: f64) -> Result<Vec<Condition>> {
        let (a, f) = self.of_outputs(y.cols())?;
        let slopes = Matrix::from_fn(y.rows(), y.cols(), |i, o| self.weights[i] * (y[(i, o)] - f[(i, o)]));
        let size = y.data().iter().chain(f.data()).fold(0.0, |m: f64, v| m.max(v.abs())) * self.weights.iter().copied().fold(0.0, f64::max);
        self.stationary((a, f), &slopes, lambda, (size, tolerance), intercept)
    }

    /// lambda a = w (1[y = c] - p_c).
    fn logistic(&self, target: &Target, lambda: f64, intercept: bool) -> Result<Vec<Condition>> {
        let (present, places) = numbered(target);
        let (a, f) = self.of_outputs(if present.len() == 2 { 1 } else { present.len() })?;
        let slopes = self.class_slopes(&places, &f);
        let size = slopes.data().iter().fold(0.0, |m: f64, v| m.max(v.abs()));
        self.stationary((a, f), &slopes, lambda, (size, SLOPE), intercept)
    }

    /// w (1[y = c] - p_c), N x outputs; of two classes that of the second.
    fn class_slopes(&self, places: &[usize], f: &Matrix) -> Matrix {
        Matrix::from_fn(f.rows(), f.cols(), |i, o| {
            let row = f.row(i);
            let most = row.iter().copied().fold(if row.len() == 1 { 0.0 } else { f64::NEG_INFINITY }, f64::max);
            let others: f64 = row.iter().map(|v| (v - most).exp()).sum::<f64>() + if row.len() == 1 { (-most).exp() } else { 0.0 };
            let class = if row.len() == 1 { 1 } else { o };
            self.weights[i] * (f64::from(u8::from(places[i] == class)) - (row[o] - most).exp() / others)
        })
    }

    /// The greatest difference between lambda a and the slopes as a share of `size`, and the sum of a. Without coefficients of rows that
    /// between f and the function of which the slopes / lambda are the coefficients, as a share of the greatest f.
    fn stationary(
        &self,
        (a, f): (Option<Matrix>, Matrix),
        slopes: &Matrix,
        lambda: f64,
        (size, tolerance): (f64, f64),
        intercept: bool,
    ) -> Result<Vec<Condition>> {
        let share = |off: f64, size: f64| if off == 0.0 { 0.0 } else { off / size };
        let Some(a) = a else {
            let (n, outputs) = (self.rows(), f.cols());
            let (mut off, mut most) = (0.0, 0.0);
            self.each_row(&(0..n).collect::<Vec<_>>(), |i, k| {
                for o in 0..outputs {
                    let implied = k.iter().enumerate().map(|(j, k)| k * slopes[(j, o)]).sum::<f64>() / lambda + self.expansion.bias[o];
                    (off, most) = (worst(off, (f[(i, o)] - implied).abs()), worst(most, f[(i, o)].abs()));
                }
            })?;
            return Ok(vec![Condition {
                name: "greatest relative violation of f = K a + b, lambda a = -w l'(f)",
                value: share(off, most),
                tolerance: SLOPE,
            }]);
        };
        let off = a.data().iter().zip(slopes.data()).fold(0.0, |m: f64, (a, s)| worst(m, (lambda * a - s).abs()));
        let mut out = vec![Condition { name: "greatest relative violation of lambda a = -w l'(f)", value: share(off, size), tolerance }];
        out.extend(intercept.then(|| balance_within((0..a.cols()).map(|o| a.col(o)), EQUATION)));
        Ok(out)
    }

    /// Hinge losses of machines of two sides each.
    fn margins(&self, target: &Target, splits: Splits, c: f64, tolerance: f64) -> Result<Vec<Condition>> {
        let (present, places) = numbered(target);
        let classes = present.len();
        // The classes of +1 and of -1 of a machine; the rest is -1 where there is none.
        let sides: Vec<(usize, Option<usize>)> = match splits {
            Splits::Pairs => (0..classes).flat_map(|a| (a + 1..classes).map(move |b| (b, Some(a)))).collect(),
            Splits::Rest => (0..classes).map(|k| (k, None)).collect(),
        };
        Error::unless_equal("machines of the model", sides.len(), self.expansion.bias.len())?;
        let pair = |&(plus, minus): &(usize, Option<usize>)| (minus.unwrap_or(plus), plus);
        let columns: Vec<Vec<f64>> = sides.iter().enumerate().map(|(o, sides)| self.coefficients(o, pair(sides))).collect();
        let g = self.functions(&columns)?;
        let found: Vec<Cornered> = (0..sides.len())
            .map(|o| {
                let (plus, minus) = sides[o];
                let rows = (0..self.rows()).filter(|&i| places[i] == plus || minus.is_none_or(|minus| places[i] == minus));
                let hinge = |i: usize, a: f64, f: f64| {
                    let sign = if places[i] == plus { 1.0 } else { -1.0 };
                    RowLoss { beyond: 1.0 - sign * f, most: c * self.weights[i], gain: sign * a, is_opposed: sign * a < 0.0 }
                };
                Cornered::of((&columns[o], &g.col(o), self.expansion.bias[o]), rows, hinge)
            })
            .collect();
        Ok(joined(&found, tolerance))
    }

    /// Losses |y - f| beyond epsilon.
    fn tubes(&self, target: &Target, [c, epsilon, tolerance]: [f64; 3], standardise: bool) -> Result<Vec<Condition>> {
        let y = numbers_of(target);
        Error::unless_equal("outputs of the model", y.cols(), self.expansion.bias.len())?;
        let columns: Vec<Vec<f64>> = (0..y.cols()).map(|o| self.coefficients(o, (0, 1))).collect();
        let g = self.functions(&columns)?;
        let rows = || 0..self.rows();
        let mut found = Vec::with_capacity(y.cols());
        for o in 0..y.cols() {
            let total: f64 = self.weights.iter().sum();
            let mean = rows().map(|i| self.weights[i] * y[(i, o)]).sum::<f64>() / total;
            let spread = (rows().map(|i| self.weights[i] * (y[(i, o)] - mean).powi(2)).sum::<f64>() / total).sqrt();
            let unit = if standardise && spread > 1e-12 * mean.abs() { spread } else { 1.0 };
            let tube = |i: usize, a: f64, f: f64| {
                let r = y[(i, o)] - f;
                // The mean is a constant that the intercept takes up, and keeps digits.
                let gain = a * (y[(i, o)] - mean) - epsilon * unit * a.abs();
                RowLoss {
                    beyond: r.abs() - epsilon * unit,
                    most: c * unit * self.weights[i],
                    gain,
                    is_opposed: a * r < 0.0 && r.abs() > epsilon * unit,
                }
            };
            let one = Cornered::of((&columns[o], &g.col(o), self.expansion.bias[o]), rows(), tube);
            found.push(Cornered { violation: one.violation / unit, ..one });
        }
        Ok(joined(&found, tolerance))
    }

    /// |sum_i k(x_i, x_j) slope_i| <= lambda for each row j, with equality along the coefficients that are not 0.
    fn sparse(&self, target: &Target, lambda: f64, tolerance: f64) -> Result<Vec<Condition>> {
        let (present, places) = numbered(target);
        let (a, slopes) = if let Target::Classes { .. } = target {
            let (a, f) = self.of_outputs(if present.len() == 2 { 1 } else { present.len() })?;
            (a, self.class_slopes(&places, &f))
        } else {
            let y = numbers_of(target);
            let (a, f) = self.of_outputs(y.cols())?;
            (a, Matrix::from_fn(y.rows(), y.cols(), |i, o| self.weights[i] * (y[(i, o)] - f[(i, o)])))
        };
        let a = a.unwrap_or_else(|| Matrix::zeros(self.rows(), slopes.cols()));
        let (n, outputs) = (self.rows(), slopes.cols());
        let mut along = Matrix::zeros(n, outputs);
        self.each_row(&(0..n).collect::<Vec<_>>(), |i, k| {
            for (j, k) in k.iter().enumerate() {
                (0..outputs).for_each(|o| along[(j, o)] += k * slopes[(i, o)]);
            }
        })?;
        let length = |row: &[f64]| row.iter().map(|v| v * v).sum::<f64>().sqrt();
        let mut value = 0.0;
        for j in 0..n {
            let size = length(a.row(j));
            let off = match size {
                0.0 => (length(along.row(j)) - lambda).max(0.0),
                _ => length(&along.row(j).iter().zip(a.row(j)).map(|(g, a)| g - lambda * a / size).collect::<Vec<_>>()),
            };
            value = worst(value, off / lambda);
        }
        let constant = (0..outputs).fold(0.0, |m, o| worst(m, slopes.col(o).iter().sum::<f64>().abs() / lambda));
        Ok(vec![
            Condition {
                name: "greatest violation of the conditions of a kernel column, as a share of lambda",
                value,
                tolerance: 2.0 * tolerance,
            },
            Condition { name: "sum of the slopes, as a share of lambda", value: constant, tolerance: 2.0 * tolerance },
        ])
    }
}

/// The two sides of each machine.
#[derive(Clone, Copy)]
enum Splits {
    /// Two classes.
    Pairs,
    /// A class and all others.
    Rest,
}

/// What a row adds to a problem whose loss has corners.
struct RowLoss {
    /// How far it lies beyond what costs nothing; below 0 within.
    beyond: f64,
    /// The bound of its coefficient.
    most: f64,
    /// What its coefficient adds to the linear part of the dual.
    gain: f64,
    /// Whether its coefficient has the sign of the other side.
    is_opposed: bool,
}

/// The conditions of one output whose loss has corners.
#[derive(Clone, Copy, Default)]
struct Cornered {
    violation: f64,
    outside: f64,
    sum: f64,
    size: f64,
    gap: f64,
}

impl Cornered {
    /// Of coefficients, K a and the offset of one output, over some rows.
    fn of((a, g, bias): (&[f64], &[f64], f64), rows: impl Iterator<Item = usize>, loss: impl Fn(usize, f64, f64) -> RowLoss) -> Cornered {
        let mut found = Cornered::default();
        let (mut square, mut losses, mut gains) = (0.0, 0.0, 0.0);
        for i in rows {
            let of = loss(i, a[i], g[i] + bias);
            // At the bound but for rounding.
            let violation = match a[i].abs() {
                0.0 => of.beyond.max(0.0),
                size if size >= of.most * (1.0 - BALANCE) => (-of.beyond).max(0.0),
                _ => of.beyond.abs(),
            };
            found.violation = worst(found.violation, violation);
            let outside = if of.is_opposed { a[i].abs() } else { a[i].abs() - of.most };
            found.outside = worst(found.outside, outside / of.most);
            found.sum += a[i];
            found.size += a[i].abs();
            square += a[i] * g[i];
            losses += of.most * of.beyond.max(0.0);
            gains += of.gain;
        }
        found.gap = relative_gap(square, losses, gains);
        found
    }
}

/// The gap between square / 2 + losses and gains - square / 2, as a share of the greater size.
fn relative_gap(square: f64, losses: f64, gains: f64) -> f64 {
    let (primal, dual) = (0.5 * square + losses, gains - 0.5 * square);
    // Nothing is lost where both are 0.
    if primal == dual { 0.0 } else { (primal - dual) / primal.abs().max(dual.abs()) }
}

/// The greater of two numbers, and what is no number.
fn worst(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() { f64::NAN } else { a.max(b) }
}

/// The conditions of several outputs, the worst of each.
fn joined(found: &[Cornered], tolerance: f64) -> Vec<Condition> {
    let most = |of: fn(&Cornered) -> f64| found.iter().map(of).fold(0.0, worst);
    let sum: fn(&Cornered) -> f64 = |c| if c.size == 0.0 { 0.0 } else { c.sum.abs() / c.size };
    vec![
        Condition { name: "relative duality gap", value: most(|c| c.gap), tolerance },
        // Predictions in single precision change a value by a twentieth of the tolerance, and a pair of rows by twice the violation.
        Condition { name: "greatest violation of a row's condition", value: most(|c| c.violation), tolerance: 1.1 * tolerance },
        Condition { name: "coefficients outside their bounds, as a share of these", value: most(|c| c.outside), tolerance: BALANCE },
        Condition { name: "sum of the coefficients, as a share of their sizes", value: most(sum), tolerance: BALANCE },
    ]
}

/// The sum of the coefficients of each output, as a share of their sizes.
fn balance_within(columns: impl Iterator<Item = Vec<f64>>, tolerance: f64) -> Condition {
    let share = |column: Vec<f64>| match column.iter().map(|a| a.abs()).sum::<f64>() {
        0.0 => 0.0,
        size => column.iter().sum::<f64>().abs() / size,
    };
    Condition { name: "sum of the coefficients, as a share of their sizes", value: columns.map(share).fold(0.0, worst), tolerance }
}

#[cfg(test)]
mod tests;
