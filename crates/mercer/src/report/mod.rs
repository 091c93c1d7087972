//! What is said about a comparison of estimators: the facts once, as data; `text`, `json` and `html` say how.
//!
//! A [`Comparison`] is one table, one kernel, one set of folds and one [`Row`] per estimator. Every face prints the
//! same numbers from it: the terminal table, the JSON document, the page and the figures on the page.

mod advice;
mod catalogue;
mod density;
mod dependence;
mod distributions;
mod explain;
mod figures;
mod fragment;
mod gather;
mod html;
mod json;
mod methods;
mod model;
mod model_page;
mod pictures;
mod plan;
mod predictions;
mod race;
mod settings;
mod smooth;
mod svm_path;
mod terms;
mod tested;
mod text;
mod tuning;
mod typical;
mod validity;
mod verdict;
mod verify;
mod words;

pub use figures::{
    Bin, Components, Confusion, Curve, Directions, DrawnGraph, Layer, LengthScales, Panel, Panels, Picture, Places, PredictedTrue, Regions,
    Reliability, Residuals, Scree, TuningCurve, TypicalGraphs, TypicalRow, TypicalSeries, contours, figure_files, save_figures,
};

pub use advice::{advice_json, advice_text};
pub use catalogue::{catalogue_json, catalogue_text, entry_json, entry_text};

pub use density::{DensityReport, density_grid};
pub use dependence::{Question, dependence_text, p_value};
pub use distributions::{drawn_rows_csv, states_csv};
pub use explain::{explanation_json, explanation_text, influences_json, influences_text};
pub use fragment::{dataset_fragment, kernel_fragment, model_fragment, pairs_fragment};
pub use gather::Request;
pub use methods::Method;
pub use model::{model_json, model_text, model_text_in_full};
pub use model_page::model_page;
pub use plan::{batch_plan_text, gram_plan, plan_text};
pub use predictions::{
    DeviationOf, KeptColumn, PredictedTable, PredictionColumns, drawn_columns, interval, interval_wants, model_interval, pre_image_columns,
    predict_csv, rows_csv, standard_deviation,
};
pub use race::{race_line, race_table, race_time_left};
pub use settings::{settings_json, settings_text};
pub use smooth::{SmoothReport, Smoother};
pub use svm_path::PathReport;
pub use terms::AgainstBest;
pub use tested::{TestRows, TestedOn};
pub use tuning::search_notices;
pub use validity::{validity_json, validity_text};
pub use verify::{verification_json, verification_text};

pub use crate::metrics::Difference;
pub use crate::metrics::{Estimate, Metric, TargetScore};

use crate::compare::{OutOfFold, RowStatus};
use crate::estimators::Certificate;
use crate::learner::Influences;
use crate::select::Tuning;
use crate::trial::{Spent, Trial};

/// Several estimators on one table, judged on the same folds under one kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// The command that makes this report again.
    pub command: String,
    /// The table's name, as the user gave it.
    pub table: String,
    /// Rows of the table that took part.
    pub rows: usize,
    /// What was predicted.
    pub task: Task,
    /// The kernel expression, as the user may write it.
    pub kernel: String,
    /// Folds of the cross-validation.
    pub folds: usize,
    /// Seed of the folds and of anything random.
    pub seed: u64,
    /// What was done to the columns, one sentence each.
    pub columns: Vec<String>,
    /// Facts about rows and target, known before any fit.
    pub facts: Vec<String>,
    /// What the user should know, one sentence each.
    pub notices: Vec<String>,
    /// What the searches learnt of each parameter, with the values that were tried, one sentence each.
    pub details: Vec<String>,
    /// Columns each of which alone gives the target away.
    pub leaks: Vec<String>,
    /// Rows of each class; none where numbers are predicted.
    pub class_rows: Vec<usize>,
    /// What a guess achieves that looks at no input, by the metric that ranks, on the same held-out rows.
    pub baseline: Option<Estimate>,
    /// The score of the best row corrected for its choice among the others: what to expect on new rows.
    pub corrected: Option<f64>,
    /// The table beside the folds on which the models were scored ([`Comparison::score_on`]).
    pub test: Option<TestedOn>,
    /// One row per estimator, the best first.
    pub entries: Vec<Row>,
    /// Every trial in the order in which they were decided on, with what it took.
    pub trials: Vec<(Trial, Spent)>,
}

/// What was predicted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Task {
    /// One of several classes.
    Classification {
        /// Names of the classes.
        classes: Vec<String>,
    },
    /// One or several numbers.
    Regression {
        /// Names of the target columns.
        targets: Vec<String>,
    },
}

/// One estimator's part in a comparison.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    /// The estimator, as the user named it.
    pub estimator: String,
    /// The settled kernel and parameters of the fit to all rows.
    pub settled: String,
    /// `settled` with four significant digits, for reading; empty where it reads well unshortened.
    pub brief: String,
    /// Held-out metrics. The first metric of the best row is the one by which rows are ranked and
    /// [`Row::difference`] is taken.
    pub metrics: Vec<(Metric, Estimate)>,
    /// The ranking metric of the model of all rows on the test table; none where there is no such table, or no such model.
    pub test: Option<Estimate>,
    /// The recall of each class on held-out rows; none for regression or without held-out rows.
    pub recalls: Vec<Option<f64>>,
    /// The scores of each of several targets on held-out rows; none of one target.
    pub by_target: Vec<TargetScore>,
    /// Training rows that prediction needs, of the fit to all rows: landmarks where it goes through them.
    pub support: usize,
    /// Weights of features that the model keeps for each output, where it keeps no training row.
    pub weights: usize,
    /// Seconds of the fit to all rows.
    pub fit_seconds: f64,
    /// Microseconds of prediction per row.
    pub predict_us_per_row: f64,
    /// Whether the solver met its tolerance.
    pub converged: bool,
    /// What proves it.
    pub certificate: Option<Certificate>,
    /// What the search of the fit to all rows learnt, where something was left to choose.
    pub tuning: Option<Tuning>,
    /// What kind of method it is; none where there is no fit to all rows.
    pub method: Option<Method>,
    /// How far the work on it came.
    pub status: RowStatus,
    /// Whether this row is the best.
    pub best: bool,
    /// This row's ranking metric minus the best row's, paired by held-out rows; `None` for the best row.
    pub difference: Option<Difference>,
    /// This row's ranking metric minus that of a guess without inputs, paired by held-out rows.
    pub over_guess: Option<Difference>,
    /// This row's log loss minus the lowest one; `None` for the lowest, and where there are no probabilities.
    pub log_loss_difference: Option<Difference>,
    /// Each metric in each fold; empty where nothing was scored.
    pub folds: Vec<(Metric, Vec<f64>)>,
    /// Predictions of rows by the models that had not seen them.
    pub held_out: Option<OutOfFold>,
    /// Why there is nothing else to say: the fit failed, or was not reached.
    pub failure: Option<String>,
    /// Whether the work ended, by time or on request, before there was anything to say: no fault of the estimator.
    pub unreached: bool,
    /// Pictures of the fit; none where no picture suits the task.
    pub pictures: Vec<Picture>,
    /// The parts of sequences, series, graphs, .. that the model answers by, from a few rows; none where it reads no such column, and of a
    /// comparison for the best row alone.
    pub influences: Vec<Influences>,
}

/// The word between an estimator and its kernel.
const WITH: &str = " with ";

impl Row {
    /// The text shown instead of results where there are none.
    fn without_results(&self) -> &'static str {
        if self.unreached { "not reached" } else { "failed" }
    }
    /// The estimator's name, with the folds that were scored where some were not.
    fn named(&self, most: usize) -> String {
        let name = words::shown(&self.estimator, most);
        let RowStatus { folds, of_folds, .. } = self.status;
        let part = self.failure.is_none() && folds < of_folds;
        if part { format!("{name} ({folds} of {})", words::counted(of_folds, "fold")) } else { name }
    }
    /// Whether there is a fit to all rows: it did not fail, and time allowed it.
    fn fitted(&self) -> bool {
        self.failure.is_none() && self.fit_seconds.is_finite()
    }
    /// Rows that the model keeps, or that it keeps weights of features.
    fn kept(&self) -> String {
        if self.support == 0 && self.weights > 0 { "weights".into() } else { words::count(self.support) }
    }
    /// What was settled, for reading.
    fn readable(&self) -> &str {
        if self.brief.is_empty() { &self.settled } else { &self.brief }
    }
    /// The kernel that was settled, for reading.
    fn chosen_kernel(&self) -> Option<&str> {
        self.readable().split_once(WITH).map(|(_, kernel)| kernel)
    }
    /// What was settled, without a kernel that is named elsewhere.
    fn readable_beside(&self, common: Option<&str>) -> &str {
        let own = |common: &str| self.readable().strip_suffix(common)?.strip_suffix(WITH);
        common.and_then(own).unwrap_or_else(|| self.readable())
    }
    /// The value of a metric, where the row has it.
    pub fn metric(&self, metric: Metric) -> Option<Estimate> {
        self.metrics.iter().find(|(m, _)| *m == metric).map(|(_, e)| *e)
    }
}

impl Task {
    /// `classification` or `regression`.
    pub fn name(&self) -> &'static str {
        match self {
            Task::Classification { .. } => "classification",
            Task::Regression { .. } => "regression",
        }
    }
}

impl Comparison {
    /// Names of the classes; none where numbers are predicted.
    pub fn classes(&self) -> &[String] {
        match &self.task {
            Task::Classification { classes } => classes,
            Task::Regression { .. } => &[],
        }
    }
    /// Names of the targets where there are several; none otherwise.
    pub fn targets(&self) -> &[String] {
        match &self.task {
            Task::Regression { targets } if targets.len() > 1 => targets,
            _ => &[],
        }
    }
    /// The kernel of most fits, in words, where several have the same: named once, and not beside each of them.
    fn common_kernel(&self) -> Option<(&str, String)> {
        let kernels = || self.entries.iter().filter(|r| r.fitted()).filter_map(Row::chosen_kernel);
        let times = |kernel: &str| kernels().filter(|other| *other == kernel).count();
        let common = kernels().max_by_key(|kernel| times(kernel)).filter(|kernel| times(kernel) > 1)?;
        Some((common, format!("kernel, unless another is named: {common}")))
    }
    /// The best row, if any estimator could be fitted.
    pub fn best(&self) -> Option<&Row> {
        self.entries.iter().find(|r| r.best && r.failure.is_none())
    }
    /// The metric by which rows are ranked.
    pub fn ranking(&self) -> Metric {
        self.best()
            .into_iter()
            .chain(&self.entries)
            .find_map(|r| r.metrics.first())
            .map_or(if self.classes().is_empty() { Metric::Rmse } else { Metric::Accuracy }, |(m, _)| *m)
    }
    /// The metrics that stand in a table: the ranking one, and two more that say what it does not.
    pub fn shown_metrics(&self) -> Vec<Metric> {
        use Metric::*;
        let beside: &[Metric] = match self.task {
            Task::Classification { .. } if self.imbalanced() => &[Auc, BalancedAccuracy, F1, Accuracy],
            Task::Classification { .. } => &[Accuracy, LogLoss, BalancedAccuracy, Auc],
            Task::Regression { .. } => &[Rmse, R2, Mae],
        };
        let all = self.metrics();
        let first = self.ranking();
        std::iter::once(first).chain(beside.iter().copied().filter(|m| *m != first && all.contains(m))).take(3).collect()
    }
    /// Whether the most frequent class has more than twenty rows to one of the rarest, so that each class must be looked at.
    pub fn imbalanced(&self) -> bool {
        let present = || self.class_rows.iter().filter(|n| **n > 0);
        present().min().zip(present().max()).is_some_and(|(few, many)| few * 20 < *many)
    }
    /// Every metric that some row has, the ranking one first.
    pub fn metrics(&self) -> Vec<Metric> {
        let mut all = vec![self.ranking()];
        for (metric, _) in self.entries.iter().flat_map(|r| &r.metrics) {
            if !all.contains(metric) {
                all.push(*metric);
            }
        }
        all
    }
}
