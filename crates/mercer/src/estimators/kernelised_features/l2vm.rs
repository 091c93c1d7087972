//! The L2 vector machine: a linear model on kernel features phi(x) = [k(x, x_1), ..., k(x, x_N)] with a square penalty on its weights
//! (Murphy 2012, 14.3.2; M10).
//!
//! ```text
//! minimise  sum_i w_i l(y_i, u'phi(x_i) + b) + (lambda/2) sum_j u_j^2 / w_j,     l the square loss, or that of `logistic`
//! ```
//!
//! A row of weight w stands w times, as an exemplar too. It is `ridge` or `logistic` with the kernel matrix K V K' instead of K,
//! V = diag(w), which is positive semi-definite whatever the similarity: u = V K'alpha, and without constant and weights
//! u = (K'K + lambda I)^-1 K'y. Lambda and kernel parameters are chosen by evidence: of classes that of `logistic`; of numbers with
//! the constant integrated and the variance at its best, V = 1/2 sum_o ((N - 1) log y_o'P y_o + log |C| + log 1'C^-1 1),
//! C = G / lambda + W^-1, P as in `ridge` (Harville 1977).

use crate::data::{Kind, Target, even_rows};
use crate::error::{Error, Result};
use crate::estimators::gaussian_process::gp::FEW_VALUES;
use crate::estimators::linear::logistic::{NEWTON_PRODUCTS, Start};
use crate::estimators::registry::settled::settled;
use crate::estimators::systems::bordered;
use crate::estimators::targets::class_scores::ClassScores;
use crate::estimators::targets::link::Link;
use crate::estimators::targets::outputs::{centred_outputs, outputs};
use crate::estimators::{
    ClassWeight, Costs, Criterion, CriterionName, Estimator, Expansion, ExpansionFit, Fit, FitContext, Fitted, Gives, Logistic, Near,
    Needs, Ridge, Scores, Size, Task, View, When,
};
use crate::gram::{self, Dense, PairWeights, Subset};
use crate::linalg::{Cholesky, Matrix, gramian_within, product_within, transposed_product_within};
use crate::param::Value;
use mercer_derive::Parameters;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Rows by which the size of the features is judged.
const JUDGED: usize = 500;

/// The L2 vector machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Parameters)]
#[serde(deny_unknown_fields)]
pub struct L2vm {
    /// strength of the penalty on the squares of the weights of the similarities
    #[param(domain = Positive, search = 1e6)]
    pub lambda: Value,
    /// whether to add an unpenalised intercept per output
    #[param(default = true)]
    pub intercept: bool,
    /// none: rows count by their own weights; balanced: classes have equal total weight (classification only)
    pub class_weight: ClassWeight,
}

/// The features K and their inner products K V K'.
struct Features {
    k: Matrix,
    products: Dense,
}

impl Features {
    fn of(task: &Task<'_>) -> Result<Self> {
        let k = gram::dense(task.gram()?, task.control)?;
        let products = match task.weights {
            None => gramian_within(&k, task.control)?,
            Some(weights) => {
                let mut scaled = k.clone();
                let roots: Vec<f64> = weights.iter().map(|w| w.sqrt()).collect();
                scaled.data_mut().par_chunks_mut(roots.len().max(1)).for_each(|row| row.iter_mut().zip(&roots).for_each(|(v, r)| *v *= r));
                gramian_within(&scaled, task.control)?
            }
        };
        Ok(Features { k, products: Dense::square(products)? })
    }

    /// u = V K'alpha.
    fn weights(&self, task: &Task<'_>, alpha: &Matrix) -> Result<Matrix> {
        let mut u = transposed_product_within(&self.k, alpha, task.control)?;
        for i in 0..u.rows() {
            let w = task.weight(i);
            u.row_mut(i).iter_mut().for_each(|u| *u *= w);
        }
        Ok(u)
    }

    /// d value / dK from d value / d(K V K') = G, symmetric: 2 G K V, and of a symmetric K its symmetric part.
    fn slope(&self, task: &Task<'_>, by_products: &PairWeights) -> Result<Matrix> {
        let product = by_products.product(&self.k, task.control)?;
        let n = product.rows();
        let mut out = product.clone();
        if !task.gram()?.symmetric() {
            out.data_mut()
                .chunks_exact_mut(n.max(1))
                .for_each(|row| row.iter_mut().enumerate().for_each(|(j, v)| *v *= 2.0 * task.weight(j)));
            return Ok(out);
        }
        out.data_mut().par_chunks_mut(n.max(1)).enumerate().for_each(|(i, row)| {
            for (j, v) in row.iter_mut().enumerate() {
                *v = product[(i, j)] * task.weight(j) + product[(j, i)] * task.weight(i);
            }
        });
        Ok(out)
    }
}

impl L2vm {
    fn ridge(&self) -> Ridge {
        Ridge { lambda: self.lambda.clone(), intercept: self.intercept, probabilities: false }
    }
    fn logistic(&self) -> Logistic {
        Logistic { lambda: self.lambda.clone(), intercept: self.intercept, class_weight: self.class_weight }
    }

    /// Numbers to be explained: with a constant, what is left of them without their means.
    fn targets(&self, task: &Task<'_>) -> Result<Matrix> {
        if self.intercept { centred_outputs(task, Self::NAME) } else { outputs(task, Self::NAME) }
    }

    /// The evidence of numbers and its derivatives by G and by lambda.
    fn evidence_of_numbers(&self, products: &Matrix, task: &Task<'_>) -> Result<(f64, Matrix, f64)> {
        let lambda = settled::<Self>("lambda", &self.lambda)?;
        let y = self.targets(task)?;
        let n = y.rows();
        if n < 3 {
            return Err(Error::Data(format!(
                "the evidence of l2vm needs at least 3 rows, and there are {n}; add rows, or give lambda and the kernel's parameters"
            )));
        }
        let mut c = products.clone();
        c.data_mut().iter_mut().for_each(|v| *v /= lambda);
        c.add_to_diagonal(&(0..n).map(|i| 1.0 / task.weight(i)).collect::<Vec<_>>());
        let factor = Cholesky::new(c, task.control)?;
        let log_det = factor.log_det();
        let mut p = factor.into_inverse(task.control)?;
        let mut freedom = n as f64;
        let mut log_one = 0.0;
        if self.intercept {
            let z: Vec<f64> = (0..n).map(|i| p.row(i).iter().sum()).collect();
            let sum: f64 = z.iter().sum();
            for i in 0..n {
                p.row_mut(i).iter_mut().zip(&z).for_each(|(v, other)| *v -= z[i] * other / sum);
            }
            (freedom, log_one) = (freedom - 1.0, sum.ln());
        }
        let alpha = product_within(&p, &y, task.control)?;
        let mut value = 0.0;
        // Outputs that are constant have no evidence and count for none.
        let mut by_output = vec![0.0; y.cols()];
        for (o, by) in by_output.iter_mut().enumerate() {
            let (size, square): (f64, f64) =
                (y.col(o).iter().map(|v| v * v).sum(), y.col(o).iter().zip(alpha.col(o)).map(|(y, a)| y * a).sum());
            value += evidence_of(square, size, freedom, log_det + log_one);
            if has_evidence(square, size) {
                *by = freedom / square;
            }
        }
        let counted = by_output.iter().filter(|b| **b > 0.0).count() as f64;
        p.data_mut().par_chunks_mut(n).enumerate().for_each(|(i, row)| {
            for (j, v) in row.iter_mut().enumerate() {
                let outer: f64 = by_output.iter().enumerate().map(|(o, by)| by * alpha[(i, o)] * alpha[(j, o)]).sum();
                *v = 0.5 * (counted * *v - outer) / lambda;
            }
        });
        let by_lambda = -gram::dot(p.data(), products.data()) / lambda;
        Ok((value, p, by_lambda))
    }
}

/// Whether an output with y'P y = `square` and y'y = `size` is no constant.
fn has_evidence(square: f64, size: f64) -> bool {
    square > (64.0 * f64::EPSILON).powi(2) * size && square.is_normal()
}

/// The negative log evidence of one output: infinite where numbers break down, 0 of a constant.
fn evidence_of(square: f64, size: f64, freedom: f64, log_dets: f64) -> f64 {
    match (square.is_finite(), has_evidence(square, size)) {
        (false, _) => f64::INFINITY,
        (true, true) => 0.5 * (freedom * square.ln() + log_dets),
        (true, false) => 0.0,
    }
}

impl Estimator for L2vm {
    const NAME: &'static str = "l2vm";
    const DOC: &'static str = "L2 vector machine: a linear model on the similarities with all training rows, for numbers and classes";
    const TAKES: &'static [Kind] = &[Kind::Numbers, Kind::Classes];
    const CRITERION: Option<CriterionName> = Some(CriterionName::evidence("negative log evidence"));
    type Fitted = ExpansionFit;

    fn gives(&self) -> Gives {
        Gives { scores: Scores::Classes, probabilities: When::Always, ..Gives::VALUES }
    }
    fn needs(&self) -> Needs {
        Needs::AnySimilarity
    }

    /// The features, their inner products (n^3, of which half is computed) and a factor; then what `ridge` does with these, or `logistic`.
    fn costs(&self, size: Size) -> Costs {
        let (n, several) = (size.rows as f64, size.classes && size.outputs > 2);
        let costs = bordered::costs(size.by_values(), 20, 1.4);
        let products = NEWTON_PRODUCTS * n * n * size.outputs as f64;
        let steps = match (size.classes, several) {
            (true, true) => 1.5 * products,
            (true, false) => products,
            (false, _) => 0.0,
        };
        Costs {
            bytes: costs.bytes + 16 * (size.rows as u64).pow(2),
            fit: costs.fit + steps,
            // On vowel and segment.
            pace: 2.0,
            criterion: n.powi(3) * if several { 3.0 * size.outputs as f64 + 5.0 } else { 6.0 },
            ..costs
        }
    }

    /// lambda: a tenth of the mean |phi(x)|^2.
    fn start(&self, _param: &str, task: &Task<'_>) -> Result<f64> {
        let n = task.rows();
        let rows = even_rows(n, JUDGED);
        let all: Vec<usize> = (0..n).collect();
        let k = gram::dense(&Subset::new(task.gram()?, &rows, &all), task.control)?;
        let of_row = |i: usize| k.row(i).iter().enumerate().map(|(j, v)| task.weight(j) * v * v).sum::<f64>();
        let square = (0..rows.len()).map(of_row).sum::<f64>() / rows.len().max(1) as f64;
        Ok(if square > 0.0 && square.is_finite() { 0.1 * square } else { 0.1 })
    }

    /// Of classes from the latent functions of the earlier fit.
    fn fit_with(&self, task: &Task<'_>, context: &FitContext<'_, ExpansionFit>) -> Result<Fit<ExpansionFit>> {
        settled::<Self>("lambda", &self.lambda)?;
        let scores = self.scores(task)?;
        let features = Features::of(task)?;
        let inner = Task { view: View::Values(&features.products), ..*task };
        let (found, summary) = if scores.is_some() {
            let start = context.earlier.map(|e| Start::of(&e.expansion, task)).transpose()?.flatten();
            let fitted = self.logistic().fit_near(&inner, start.as_ref())?;
            (fitted.expansion().clone(), fitted.summary().clone())
        } else {
            let fitted = self.ridge().fit(&inner)?;
            (fitted.expansion().clone(), fitted.summary().clone())
        };
        let mut expansion = Expansion::new(found.support, features.weights(task, &found.coef)?, found.bias);
        expansion.weigh(task.gram()?, task.control)?;
        Ok(ExpansionFit::new(expansion, Link::latent(scores), summary).into())
    }

    /// See the head of the file; less than one unit is no evidence worth the name (Kass and Raftery 1995, Bayes factors).
    fn criterion(&self, task: &Task<'_>) -> Result<Criterion> {
        self.criterion_near(task, None).map(|(criterion, _)| criterion)
    }

    /// Evidence of numbers for a few values of lambda: the features once, and a factor for each.
    fn criterion_along(&self, param: &str, values: &[f64], task: &Task<'_>) -> Result<Option<Vec<f64>>> {
        if param != "lambda" || values.len() > FEW_VALUES || task.target.kind() == Kind::Classes || task.rows() < 3 {
            return Ok(None);
        }
        let (y, features) = (self.targets(task)?, Features::of(task)?);
        values.iter().map(|lambda| self.value_of_numbers(features.products.matrix(), *lambda, &y, task)).collect::<Result<_>>().map(Some)
    }

    fn criterion_near(&self, task: &Task<'_>, last: Option<&Near>) -> Result<(Criterion, Option<Near>)> {
        let features = Features::of(task)?;
        let mut end = None;
        let (value, by_products, by_lambda) = if self.scores(task)?.is_some() {
            let (found, alpha) = self.logistic().criterion_near(&Task { view: View::Values(&features.products), ..*task }, last)?;
            end = alpha;
            let by_lambda = found.own.first().map_or(0.0, |(_, d)| *d);
            (found.value, found.weights, by_lambda)
        } else {
            let (value, by_products, by_lambda) = self.evidence_of_numbers(features.products.matrix(), task)?;
            (value, by_products.into(), by_lambda)
        };
        let weights = features.slope(task, &by_products)?;
        Ok((Criterion { value, weights: weights.into(), own: vec![("lambda", by_lambda)], indifference: 1.0 }, end))
    }
}

impl L2vm {
    /// The evidence of numbers without its derivatives: one factor of C.
    fn value_of_numbers(&self, products: &Matrix, lambda: f64, y: &Matrix, task: &Task<'_>) -> Result<f64> {
        let n = y.rows();
        let mut c = products.clone();
        c.data_mut().iter_mut().for_each(|v| *v /= lambda);
        c.add_to_diagonal(&(0..n).map(|i| 1.0 / task.weight(i)).collect::<Vec<_>>());
        let factor = match Cholesky::new(c, task.control) {
            Err(Error::Numerical { .. }) => return Ok(f64::INFINITY),
            found => found?,
        };
        let solved = factor.solve(&Matrix::from_fn(n, y.cols() + 1, |i, o| if o < y.cols() { y[(i, o)] } else { 1.0 }), task.control)?;
        let ones: f64 = (0..n).map(|i| solved[(i, y.cols())]).sum();
        let (freedom, log_one) = if self.intercept { (n as f64 - 1.0, ones.ln()) } else { (n as f64, 0.0) };
        let mut value = 0.0;
        for o in 0..y.cols() {
            let column = y.col(o);
            let size: f64 = column.iter().map(|v| v * v).sum();
            let constant = if self.intercept { (0..n).map(|i| solved[(i, o)]).sum::<f64>() / ones } else { 0.0 };
            let square: f64 = (0..n).map(|i| column[i] * (solved[(i, o)] - constant * solved[(i, y.cols())])).sum();
            value += evidence_of(square, size, freedom, factor.log_det() + log_one);
        }
        Ok(value)
    }

    /// The classes of the target, where it is of classes.
    fn scores(&self, task: &Task<'_>) -> Result<Option<ClassScores>> {
        match task.target {
            Target::Classes { .. } => ClassScores::of(task, self.class_weight, Self::NAME).map(|(scores, _)| Some(scores)),
            _ => outputs(task, Self::NAME).map(|_| None),
        }
    }
}
