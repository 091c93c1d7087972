//! The fitted model: everything that prediction needs.

use crate::conformal::Conformal;
use crate::control::{Control, contain};
use crate::data::{Dataset, Target, Values};
use crate::error::{Error, Result};
use crate::estimators::{
    Answer, EstimatorExpr, Fitted, FittedModel, FoundNeighbours, LeaveOneOut, Predicted, Predictions, Summary, Task, Want, When,
};
use crate::fitting::{predict_settled, read_rows, rows_leave_the_kernel};
use crate::kernels::{FittedKernel, Support};
use crate::linalg::Matrix;
use crate::metrics::{Cut, Metric, Needs, score_by};
use crate::notice::Notice;
use crate::select::Tuning;
use crate::validity::require_symmetric;
use crate::{blocks, prep};
use serde::{Deserialize, Serialize};

/// Where a model came from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct About {
    /// Version of Mercer that fitted it.
    pub version: String,
    /// Training rows, without those left out.
    pub rows: usize,
    /// The kernel expression as asked for, before anything was settled.
    pub asked_kernel: String,
    /// The estimator expression as asked for.
    pub asked_estimator: String,
    /// Seed.
    pub seed: u64,
    /// The result of tuning, if anything was tuned.
    pub tuning: Option<Tuning>,
    /// Notices shown to the user.
    pub notices: Vec<Notice>,
    /// Those of them that say what the fit changed of what it was asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Notice>,
    /// Rows not used for training: of weight 0, or with a missing cell where such rows are dropped; from 0,
    /// ascending.
    #[serde(with = "blocks::usizes")]
    pub left_out: Vec<usize>,
}

/// A fitted model: predicts from a table with the same columns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Model {
    /// How columns become inputs, and which columns a table must have.
    pub prep: prep::Fitted,
    /// The settled kernel with what it has learnt.
    pub kernel: FittedKernel,
    /// The settled estimator.
    pub estimator: EstimatorExpr,
    /// The prepared training rows that prediction needs.
    pub support: Support,
    /// The fitted coefficients.
    pub fitted: FittedModel,
    /// The meaning of its predictions: numbers, classes, components, ...
    pub answer: Answer,
    /// Of two classes, where the second begins: not at the larger probability, where errors cost unlike.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut: Option<Cut>,
    /// Conformity scores of held-out rows, for intervals and prediction sets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conformal: Option<Conformal>,
    /// Where it came from.
    pub about: About,
}

impl Model {
    /// Predictions for every row of a table that has the training columns, in any order.
    ///
    /// # Errors
    /// Rows without these columns; memory; time; a panic, of a kernel or an estimator of the program's own too.
    pub fn predict(&self, data: &Dataset, want: Want, control: &Control) -> Result<Predictions> {
        control.check()?;
        contain(format_args!("predicting by {}", self.estimator.name()), || {
            let prepared = self.prep.apply(data)?;
            self.predict_prepared(&prepared, want, control)
        })
    }

    /// Scores predictions of rows that have the training columns: the given metric, or accuracy of classes and R²
    /// of numbers.
    ///
    /// # Errors
    /// A metric of the other sort of target, or one that the estimator has nothing for.
    pub fn score(&self, data: &Dataset, truth: &Target, weights: Option<&[f64]>, metric: Option<Metric>, control: &Control) -> Result<f64> {
        if self.estimator.takes_no_target() {
            let why = format!("{} gives {}, and metrics judge predictions of a target", self.estimator.name(), self.answer.noun());
            return Err(Error::Setting { name: "metric".into(), why });
        }
        let usual = if matches!(truth, Target::Classes { .. }) { Metric::Accuracy } else { Metric::R2 };
        let metric = metric.unwrap_or(usual);
        // One that tables do not list is there where it decides.
        let first = if metric.is_listed() || metric.of_classes() != usual.of_classes() { usual } else { metric };
        let predictions = self.predict(data, metric.wants(), control)?;
        predictions.require_all()?;
        let all = score_by(&predictions, truth, weights, first);
        let value = all.into_iter().find(|(m, _)| *m == metric).map(|(_, value)| value);
        value.ok_or_else(|| Error::Setting {
            name: "metric".into(),
            why: match metric.of_classes() == usual.of_classes() {
                true => self.lacks_for(metric),
                false => format!(
                    "{} judges {}, which the model does not predict",
                    metric.name(),
                    if metric.of_classes() { "classes" } else { "numbers" }
                ),
            },
        })
    }

    /// Why a metric has no value, and what would give it one.
    fn lacks_for(&self, metric: Metric) -> String {
        let name = self.estimator.name();
        let said = format!("{name} has nothing that {} could be computed from", metric.name());
        match self.estimator.gives().probabilities {
            When::If(flag) if metric.needs() == Needs::Probabilities => format!("{said}; fit {name}({flag}=true)"),
            _ => said,
        }
    }

    /// `count` functions drawn from the posterior at the rows of a table, without the noise of a target: one matrix (rows x
    /// count) for each output. `None` where the estimator has no covariance.
    pub fn sample(&self, data: &Dataset, count: usize, seed: u64, control: &Control) -> Result<Option<Vec<Matrix>>> {
        control.plan("a covariance between predictions", 24 * (data.rows() as u64).pow(2))?;
        self.predict(data, Want { variance: true, covariance: true, ..Want::default() }, control)?.draws(count, seed, control)
    }

    /// Leave-one-out predictions: for each training row by the model fitted without it, from the target and the weights as they
    /// were given; `None` where the estimator gives none, or the kernel takes something from all training rows. `data` are the training
    /// rows once more, which a model needs that does not keep all of them, as one of support vectors, or whose rows are those of a kernel
    /// matrix.
    ///
    /// # Errors
    /// Training rows that are needed and not given, or are others; what the estimator refuses; bounds of `control`.
    pub fn leave_one_out(
        &self,
        data: Option<&Dataset>,
        target: &Target,
        weights: Option<&[f64]>,
        control: &Control,
    ) -> Result<Option<Predictions>> {
        if self.estimator.gives().leave_one_out == LeaveOneOut::None || self.keeps_rows_in().is_some() {
            return Ok(None);
        }
        if data.is_none() && self.support.rows() != self.about.rows {
            let (name, kept, all) = (self.estimator.name(), self.support.rows(), self.about.rows);
            let why =
                format!("leaving rows out of {name} needs the training rows once more: the model keeps {kept} of {all}; give them as data");
            return Err(Error::Data(why));
        }
        let rows = self.training_rows(target.rows())?;
        if let Some(data) = data {
            Error::unless_equal("training rows given once more", target.rows(), data.rows())?;
        }
        let again = data.map(|data| Ok(self.prep.apply(data)?.select(&rows))).transpose()?;
        self.left_out_of(again.as_ref().unwrap_or(&self.support), &rows, target, weights, control)
    }

    /// The rows of so many given ones that the fit learnt from.
    ///
    /// # Errors
    /// Another number of rows than were given to the fit.
    pub(super) fn training_rows(&self, given: usize) -> Result<Vec<usize>> {
        let mut rows: Vec<usize> = (0..given).collect();
        rows.retain(|i| self.about.left_out.binary_search(i).is_err());
        Error::unless_equal("rows that the model was fitted to", self.about.rows, rows.len())?;
        Ok(rows)
    }

    /// Leave-one-out predictions of prepared training rows; `rows`: their places in the target and the weights.
    pub(super) fn left_out_of(
        &self,
        data: &Dataset,
        rows: &[usize],
        target: &Target,
        weights: Option<&[f64]>,
        control: &Control,
    ) -> Result<Option<Predictions>> {
        let target = target.select(rows);
        let weights: Option<Vec<f64>> = weights.map(|w| rows.iter().filter_map(|&i| w.get(i).copied()).collect());
        if data.columns().iter().any(|c| matches!(&c.values, Values::Similarities(s) if s.are_items())) {
            let why = "leaving rows out needs the training kernel matrix once more, which a precomputed kernel does not keep";
            return Err(Error::Data(why.into()));
        }
        require_symmetric(self.kernel.expr(), self.estimator.name(), self.estimator.needs(), data)?;
        contain(format_args!("leaving rows out of {}", self.estimator.name()), || {
            let reading = read_rows(&self.kernel, self.estimator.needs().view(), data, control)?;
            let task = Task { view: reading.view(), target: &target, weights: weights.as_deref(), control, seed: self.about.seed };
            self.estimator.leave_one_out(&task)
        })
    }

    /// Predictions from nearest neighbours among the training rows that were found elsewhere.
    ///
    /// # Errors
    /// Another estimator than knn.
    pub fn predict_found(&self, found: &FoundNeighbours, want: Want, control: &Control) -> Result<Predictions> {
        let none = || Err(Error::Data(format!("{} asks no neighbours", self.estimator.name())));
        match &self.fitted {
            FittedModel::Knn(knn) => knn.predict_found(found, want, control),
            FittedModel::Calibrated(c) => c.predict_found(found, want, control).unwrap_or_else(none),
            _ => none(),
        }
    }

    /// Why the kernel lets no closed form leave a row out, where it does not.
    pub fn keeps_rows_in(&self) -> Option<Error> {
        (!rows_leave_the_kernel(self.kernel.expr(), &self.estimator)).then(|| {
            let why = "has learnt from all rows, the row to be left out as well; cross-validate instead";
            Error::Data(format!("leave-one-out: {} {why}", self.kernel))
        })
    }

    /// Predictions for rows that its own preparation has made ready.
    ///
    /// # Errors
    /// Rows without the columns of the support; memory; time.
    pub fn predict_prepared(&self, prepared: &Dataset, want: Want, control: &Control) -> Result<Predictions> {
        require_symmetric(self.kernel.expr(), self.estimator.name(), self.estimator.needs(), prepared)?;
        let Some(cut) = self.cut else { return predict_settled(&self.kernel, &self.fitted, &self.support, prepared, want, control) };
        let [probabilities, scores] = [want.probabilities || cut.of_probabilities, want.scores || !cut.of_probabilities];
        let wanted = Want { probabilities, scores, ..want };
        let mut found = predict_settled(&self.kernel, &self.fitted, &self.support, prepared, wanted, control)?;
        cut.apply(&mut found);
        found.probabilities = found.probabilities.filter(|_| want.probabilities);
        found.scores = found.scores.filter(|_| want.scores);
        Ok(found)
    }

    /// An error unless the parts are consistent: checked for every model read from a file.
    pub(crate) fn check(&self, control: &Control) -> Result<()> {
        let rows = self.fitted.support().len();
        let whole = self.kernel.expr().needs_training_rows() && self.fitted.support().iter().all(|i| *i < self.support.rows());
        if rows != self.support.rows() && !whole {
            return Err(Error::Shape { what: "support rows".into(), expected: rows, found: self.support.rows() });
        }
        if self.fitted.answer(&self.answer.target())? != self.answer {
            return Err(Error::Data(format!("the model says that it gives {}, and it gives something else", self.answer.noun())));
        }
        if self.cut.is_some_and(|cut| !cut.above.is_finite() || self.answer.target().classes.is_none_or(|names| names.len() != 2)) {
            return Err(Error::Data("the model has a cut between two classes, and it does not predict two".into()));
        }
        if let Some(conformal) = &self.conformal {
            conformal.check(self.answer.columns().len(), self.answer.classes().map(<[String]>::len))?;
        }
        if rows > 0 {
            self.support.reference(&self.kernel, control)?;
        }
        // A prediction for no row meets every check of sizes that a prediction for many does.
        let everything = Want { variance: true, covariance: true, probabilities: true, scores: true, by_class: false };
        match self.predict_prepared(&self.support.select(&[]), everything, control)?.values {
            Predicted::Numbers(m) => Error::unless_equal("outputs of the model", self.answer.columns().len(), m.cols()),
            Predicted::Classes(_) => Ok(()),
        }
    }

    /// The training rows that prediction needs, numbered from 0 as they were given, rows left out counted; none where the inputs are no
    /// training rows ([`Model::move_inducing`]).
    pub fn support_rows(&self) -> Vec<usize> {
        let mut skipped = 0;
        let place = |&kept: &usize| {
            while self.about.left_out.get(skipped).is_some_and(|&gap| gap <= kept + skipped) {
                skipped += 1;
            }
            kept + skipped
        };
        self.fitted.support().iter().filter(|kept| **kept < self.about.rows).map(place).collect()
    }

    /// The training rows that are medoids, by cluster, numbered as [`Model::support_rows`].
    pub fn medoid_rows(&self) -> Vec<usize> {
        let rows = self.support_rows();
        let place = |m: &usize| self.fitted.support().binary_search(m).ok().map(|s| rows[s]);
        self.fitted.clusters().map_or(Vec::new(), |c| c.medoids.iter().filter_map(place).collect())
    }

    /// How the fit went.
    pub fn summary(&self) -> &Summary {
        self.fitted.summary()
    }

    /// The label of each predicted class or cluster, and whether a row is an outlier; `None` for other numbers.
    pub fn labels(&self, predictions: &Predictions) -> Option<Vec<String>> {
        match &predictions.values {
            Predicted::Classes(codes) => Some(self.answer.labels(codes)),
            Predicted::Numbers(m) => m.data().iter().map(|v| self.answer.word(*v).map(str::to_owned)).collect(),
        }
    }
}
