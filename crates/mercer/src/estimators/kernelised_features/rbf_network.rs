//! Networks of radial basis functions, and of any other similarity: a linear model on the similarities with m centroids,
//!
//! ```text
//! phi(x) = [k(x, mu_1), ..., k(x, mu_m)],     minimise  sum_i w_i l(y_i, u'phi(x_i) + b) + (lambda/2) |u|^2
//! ```
//!
//! l the square loss, or that of `logistic` (Murphy 2012, 14.28, 14.3.1 and 14.3.2; M01 to M09). It is `ridge` or `logistic` with the
//! kernel matrix Z Z', Z the N x m features, which is positive semi-definite whatever the similarity: u = Z'alpha. Of numbers lambda
//! and kernel parameters are chosen by the closed-form leave-one-out error, of classes by evidence; centroids stay, as they know of no
//! target. Those that are optimised do: lambda and the kernel are then chosen with k medoids, and the rows for them.

use super::centroids::{self, Centroids};
use crate::data::{Kind, Target, even_rows};
use crate::error::{Error, Result};
use crate::estimators::linear::logistic::{NEWTON_PRODUCTS, OfFeatures, newton_over_features};
use crate::estimators::registry::settled::settled;
use crate::estimators::systems::bordered;
use crate::estimators::targets::class_scores::ClassScores;
use crate::estimators::targets::link::Link;
use crate::estimators::targets::outputs::{centred_outputs, outputs};
use crate::estimators::{
    ClassWeight, Costs, Criterion, CriterionName, Estimator, EstimatorFacts, Expansion, ExpansionFit, Fit, FitContext, Fitted, Gives,
    Logistic, Near, Needs, Ridge, Scores, Size, Task, View, When,
};
use crate::gram::{self, CentreWeights, LowRank, PairWeights, Subset};
use crate::linalg::{Matrix, transposed_product_within};
use crate::param::{Value, require_settled};
use mercer_derive::Parameters;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Similarities whose squares have no room among numbers.
const MOST: f64 = 1e120;

/// A network of similarities with centroids.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Parameters)]
#[serde(deny_unknown_fields)]
pub struct RbfNetwork {
    /// strength of the penalty on the squares of the weights of the similarities
    #[param(domain = Positive, search = 1e6)]
    pub lambda: Value,
    /// how many centroids; auto: twice the root of the number of rows that differ; not used by centroids=all
    #[param(domain = Integer(1, usize::MAX))]
    pub count: Value,
    /// rows that are centroids. k_medoids: those from which the others are least far; k_means: of each cluster of k-means in feature space
    /// the row nearest to its centre (both among 8 rows for each centroid, 1000 at least, where there are more); grid: spread evenly over
    /// the range of the rows, each as far as can be from those before; optimised: those by which least squares fit the target best, where
    /// no exchange of a row for another is better, the best of four starts (among 4 rows for each centroid, 500 at least; lambda and the
    /// kernel are chosen with k_medoids); all: every row
    pub centroids: Centroids,
    /// whether to add an unpenalised intercept per output
    #[param(default = true)]
    pub intercept: bool,
    /// none: rows count by their own weights; balanced: classes have equal total weight (classification only)
    pub class_weight: ClassWeight,
}

/// Most rows from which the scale of similarities is estimated.
const STARTING_ROWS: usize = 500;

/// The centroids with the similarities of all rows with them.
struct Features {
    /// Training rows, ascending.
    centroids: Vec<usize>,
    /// N x m.
    z: Arc<Matrix>,
    /// The inner products Z Z'.
    products: LowRank<()>,
}

impl Features {
    fn of(network: &RbfNetwork, task: &Task<'_>) -> Result<Self> {
        Self::with(centroids::choose(network.centroids, network.count.integer(), RbfNetwork::NAME, task)?, task)
    }

    fn with(centroids: Vec<usize>, task: &Task<'_>) -> Result<Self> {
        let z = Arc::new(gram::values_with(task.gram()?, &centroids, task.control)?);
        if let Some(value) = z.data().iter().find(|v| v.is_nan() || v.abs() > MOST) {
            return Err(Error::Numerical {
                what: "similarities with centroids".into(),
                why: format!(
                    "one of them is {value:e}, and its square is beyond the range of numbers; scale the columns, or wrap the kernel in normalise(...)"
                ),
            });
        }
        Ok(Features { centroids, products: LowRank::among(z.clone(), ()), z })
    }

    /// d value / dK from d value / dZ.
    fn slope(&self, by_features: Matrix) -> PairWeights {
        PairWeights::Centres(CentreWeights::new(self.centroids.clone(), by_features))
    }
}

impl RbfNetwork {
    fn ridge(&self) -> Ridge {
        Ridge { lambda: self.lambda.clone(), intercept: self.intercept, probabilities: false }
    }
    fn logistic(&self) -> Logistic {
        Logistic { lambda: self.lambda.clone(), intercept: self.intercept, class_weight: self.class_weight }
    }

    /// Features of a fit to so many rows.
    fn features(&self, rows: usize) -> usize {
        match (self.centroids, &self.count) {
            (Centroids::All, _) => rows,
            (_, Value::Number(_)) => self.count.integer().min(rows),
            _ => centroids::usual(rows),
        }
    }

    /// Rows that fit the target best, classes by their indicators, and how every start of their search ended.
    fn optimised(&self, task: &Task<'_>) -> Result<(Vec<usize>, Vec<f64>)> {
        let weights = match task.target {
            Target::Classes { .. } => ClassScores::of(task, self.class_weight, Self::NAME)?.1.weights().to_vec(),
            _ => task.all_weights(),
        };
        let (count, lambda) = (self.count.integer(), settled::<Self>("lambda", &self.lambda)?);
        centroids::optimised(count, lambda, (outputs(task, Self::NAME)?, &weights), self.intercept, Self::NAME, task)
    }

    /// Numbers in units of their own deviation, so that the end of a search does not depend on the unit that they came in.
    fn in_own_unit(&self, task: &Task<'_>) -> Result<Target> {
        let (raw, y) = (outputs(task, Self::NAME)?, centred_outputs(task, Self::NAME)?);
        let squares = (0..y.rows()).map(|i| task.weight(i) * gram::dot(y.row(i), y.row(i))).sum::<f64>();
        let unit = (squares / (task.all_weights().iter().sum::<f64>() * y.cols() as f64)).sqrt();
        let unit = if unit > 0.0 && unit.is_finite() { unit } else { 1.0 };
        Ok(Target::Numbers(Matrix::from_fn(y.rows(), y.cols(), |i, o| raw[(i, o)] / unit)))
    }

    /// The classes of the target, where it is of classes.
    fn scores(&self, task: &Task<'_>) -> Result<Option<ClassScores>> {
        match task.target {
            Target::Classes { .. } => ClassScores::of(task, self.class_weight, Self::NAME).map(|(scores, _)| Some(scores)),
            _ => outputs(task, Self::NAME).map(|_| None),
        }
    }
}

/// Operations for each pair of rows among which centroids are chosen: rounds of swaps.
const MEDOIDS: f64 = 500.0;

impl Estimator for RbfNetwork {
    const NAME: &'static str = "rbf_network";
    const DOC: &'static str =
        "network of radial basis functions: a linear model on the similarities with few centroids, for numbers and classes";
    const TAKES: &'static [Kind] = &[Kind::Numbers, Kind::Classes];
    const CRITERION: Option<CriterionName> =
        Some(CriterionName::leave_one_out("log leave-one-out error in deviations of the target, of classes negative log evidence"));
    type Fitted = ExpansionFit;

    fn gives(&self) -> Gives {
        Gives { scores: Scores::Classes, probabilities: When::Always, ..Gives::VALUES }
    }
    fn needs(&self) -> Needs {
        Needs::AnySimilarity
    }

    fn facts(&self) -> EstimatorFacts {
        EstimatorFacts { criterion_keeps_kernel: true, ..EstimatorFacts::default() }
    }

    /// Distances and what finds clusters among some rows, sums of kernel values, and a fit to few features or to all. A criterion takes,
    /// of classes, products of features for each pair of latent functions, a factor and its inverse; of numbers matrices of all rows.
    fn costs(&self, size: Size) -> Costs {
        let (n, count) = (size.rows as f64, self.features(size.rows));
        let rank = (self.centroids != Centroids::All).then_some(count);
        let compared = centroids::chosen_among(size.rows);
        let (mut among, mut features) = (compared, count);
        match self.centroids {
            Centroids::All | Centroids::Grid => among = size.rows,
            Centroids::Optimised => features = centroids::tried(count, size.rows),
            Centroids::KMeans | Centroids::KMedoids => {}
        }
        let exchanges = if self.centroids == Centroids::Optimised { centroids::exchange_work(count, size.rows) } else { 0.0 };
        let (latent, m) = (if size.outputs > 2 { size.outputs as f64 } else { 1.0 }, count as f64);
        let steps = match rank {
            _ if !size.classes => 0.0,
            Some(rank) => newton_over_features(n, rank, latent),
            None => NEWTON_PRODUCTS * n * n * size.outputs as f64,
        };
        let costs = bordered::costs(Size { rank, ..size }, 20, 1.0);
        Costs {
            bytes: 8 * (among * among + size.rows * features + 20 * size.rows * size.outputs) as u64,
            values: costs.values + n * n.min(centroids::COMPARED as f64) + (compared as f64).powi(2),
            fit: costs.fit + steps + exchanges + MEDOIDS * (compared as f64).powi(2),
            criterion: match size.classes {
                true => 4.0 * n * (latent * m).powi(2) + 2.0 * (latent * m).powi(3) + 100.0 * n * n,
                false => 2.5 * n.powi(3),
            },
            ..costs
        }
    }

    /// lambda: a tenth of what the mean |phi(x)|^2 were if centroids were drawn from the rows.
    fn start(&self, param: &str, task: &Task<'_>) -> Result<f64> {
        let n = task.rows();
        if param == "count" {
            return match self.centroids {
                Centroids::All => Ok(1.0),
                _ => centroids::differing(task).map(|rows| centroids::usual(rows) as f64),
            };
        }
        let some = even_rows(n, STARTING_ROWS);
        let values = gram::dense(&Subset::new(task.gram()?, &some, &some), task.control)?;
        let squares = |i: usize| some.iter().enumerate().map(|(k, &j)| task.weight(j) * values[(i, k)].powi(2)).sum::<f64>();
        let total: f64 = some.iter().map(|&i| task.weight(i)).sum();
        let square = some.iter().enumerate().map(|(k, &i)| task.weight(i) * squares(k)).sum::<f64>() / total.powi(2);
        let all = self.features(n) as f64 * square;
        Ok(if all > 0.0 && all.is_finite() { 0.1 * all } else { 0.1 })
    }

    fn fit_with(&self, task: &Task<'_>, _: &FitContext<'_, ExpansionFit>) -> Result<Fit<ExpansionFit>> {
        require_settled(self, Self::NAME)?;
        let scores = self.scores(task)?;
        let (features, ends) = match self.centroids {
            Centroids::Optimised => {
                let (rows, ends) = self.optimised(task)?;
                (Features::with(rows, task)?, ends)
            }
            _ => (Features::of(self, task)?, Vec::new()),
        };
        let inner = Task { view: View::Values(&features.products), ..*task };
        let (found, mut summary) = if scores.is_some() {
            let fitted = self.logistic().fit(&inner)?;
            (fitted.expansion().clone(), fitted.summary().clone())
        } else {
            let fitted = self.ridge().fit(&inner)?;
            (fitted.expansion().clone(), fitted.summary().clone())
        };
        summary.notes.push(format!("{} of {} rows are centroids", features.centroids.len(), task.rows()));
        if let [greedy, drawn @ ..] = &ends[..] {
            let drawn: Vec<String> = drawn.iter().map(|end| format!("{end:.6}")).collect();
            summary.notes.push(format!(
                "penalised sum of squares where no exchange of centroids pays: {greedy:.6} from the greedy start, {} from those that were drawn; the least is taken",
                drawn.join(", ")
            ));
        }
        let weights = match found.weights {
            Some(weights) => weights,
            None => transposed_product_within(&features.z, &found.coef, task.control)?,
        };
        let mut expansion = Expansion::new(features.centroids, weights, found.bias);
        expansion.weigh(task.gram()?, task.control)?;
        Ok(ExpansionFit::new(expansion, Link::latent(scores), summary).into())
    }

    /// That of `ridge` or of `logistic` over the inner products of the features.
    fn criterion(&self, task: &Task<'_>) -> Result<Criterion> {
        self.criterion_near(task, None).map(|(criterion, _)| criterion)
    }

    fn criterion_near(&self, task: &Task<'_>, last: Option<&Near>) -> Result<(Criterion, Option<Near>)> {
        settled::<Self>("lambda", &self.lambda)?;
        let features = match last {
            Some(near) => Features::with(near.chosen.clone(), task)?,
            None => Features::of(self, task)?,
        };
        let (criterion, alpha) = if self.scores(task)?.is_some() {
            let OfFeatures { value, by_features, by_lambda, alpha } =
                self.logistic().criterion_of_features(&features.z, task, Near::alpha(last))?;
            let weights = features.slope(by_features);
            (Criterion { value, weights, own: vec![("lambda", by_lambda)], indifference: 1.0 }, Some(alpha))
        } else {
            let target = self.in_own_unit(task)?;
            let found = self.ridge().criterion(&Task { view: View::Values(&features.products), target: &target, ..*task })?;
            // dV/dZ = 2 G Z for G = dV/d(Z Z').
            let mut by_features = found.weights.product(&features.z, task.control)?;
            by_features.data_mut().iter_mut().for_each(|v| *v *= 2.0);
            (Criterion { weights: features.slope(by_features), ..found }, None)
        };
        Ok((criterion, Some(Near { alpha, chosen: features.centroids })))
    }

    /// Of numbers one decomposition for all values of lambda, as in `ridge`.
    fn criterion_along(&self, param: &str, values: &[f64], task: &Task<'_>) -> Result<Option<Vec<f64>>> {
        if param != "lambda" || task.target.kind() != Kind::Numbers {
            return Ok(None);
        }
        let (features, target) = (Features::of(self, task)?, self.in_own_unit(task)?);
        self.ridge().criterion_along(param, values, &Task { view: View::Values(&features.products), target: &target, ..*task })
    }
}
