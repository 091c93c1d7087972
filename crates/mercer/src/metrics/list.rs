//! The list of metrics: one record each.

use super::classes::{self, ClassRows};
use super::numbers::{self, NumberRows};
use crate::data::Target;
use crate::estimators::Want;
use serde::{Deserialize, Serialize};

/// Which values of a metric are good ones.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Better {
    /// The larger, the better.
    More,
    /// The smaller, the better.
    Less,
    /// The nearer to this value, the better.
    Near(f64),
}

/// The parts of predictions that a metric needs besides the predicted values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// Nothing.
    Nothing,
    /// Probabilities of the classes.
    Probabilities,
    /// Probabilities or decision values.
    Ranking,
    /// Predictive variances.
    Variance,
}

/// The function that a metric is, `None` where the rows do not define it.
pub(super) enum Measure {
    Classes(fn(&ClassRows<'_>) -> Option<f64>),
    Numbers(fn(&NumberRows<'_>) -> Option<f64>),
}

use Better::{Less, More, Near};
use Measure::{Classes, Numbers};
use Needs::{Nothing, Probabilities, Ranking, Variance};

/// The record of a metric.
struct Record {
    name: &'static str,
    /// Names that other libraries give it.
    synonyms: &'static [&'static str],
    heading: &'static str,
    meaning: &'static str,
    /// What an estimator reaches, {} for the value.
    achieved: &'static str,
    /// What is said of the best estimator, {} for the value.
    wins: &'static str,
    /// Whether it is a share, which people read as a percentage.
    share: bool,
    better: Better,
    /// The value that none is better than, where there is one.
    perfect: Option<f64>,
    /// What does as well as can be done without looking at an input.
    naive: &'static str,
    needs: Needs,
    measure: Measure,
    /// The standard error of a value over so many independent rows, where there is a formula for it.
    sampling: Option<fn(f64, f64) -> f64>,
}

/// What does best without looking at an input, as the subject of a sentence.
const MOST_FREQUENT: &str = "guessing the largest class";
const MEAN: &str = "predicting the mean";
const GUESS: &str = "guessing without inputs";

macro_rules! metrics {
    ($($variant:ident: $record:expr;)*) => {
        /// A measure of predictions against targets; `meaning` says what it is.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        #[allow(missing_docs, reason = "each is described by its record")]
        #[non_exhaustive]
        pub enum Metric { $($variant,)* }

        impl Metric {
            /// Every metric, in the order in which they are shown.
            pub const ALL: &[Metric] = &[$(Metric::$variant,)*];

            fn record(self) -> &'static Record {
                match self { $(Metric::$variant => { const RECORD: Record = $record; &RECORD })* }
            }
        }
    };
}

metrics! {
    Accuracy: Record {
        name: "accuracy", synonyms: &["accuracy_score"], heading: "accuracy",
        meaning: "share of rows whose class is predicted correctly; 100% is perfect",
        achieved: "{} correct", wins: "is the most accurate: {} correct", share: true,
        better: More, perfect: Some(1.0), naive: MOST_FREQUENT,
        needs: Nothing, measure: Classes(classes::accuracy), sampling: Some(classes::sampling_error_of_share),
    };
    BalancedAccuracy: Record {
        name: "balanced_accuracy", synonyms: &["balanced_accuracy_score", "mean_recall"], heading: "balanced accuracy",
        meaning: "mean recall over the classes, so that a rare class counts as much as a frequent one; 100% is perfect",
        achieved: "balanced accuracy {}", wins: "has the highest balanced accuracy: {}", share: true,
        better: More, perfect: Some(1.0), naive: GUESS,
        needs: Nothing, measure: Classes(classes::balanced_accuracy), sampling: None,
    };
    F1: Record {
        name: "f1", synonyms: &["f1_score", "f_measure", "f_score"], heading: "F1",
        meaning: "harmonic mean of recall and precision (of two classes 1 or true, else the rarer; mean over classes if more than two); 1 is perfect",
        achieved: "F1 {}", wins: "has the highest F1: {}", share: false,
        better: More, perfect: Some(1.0), naive: GUESS,
        needs: Nothing, measure: Classes(classes::f1), sampling: None,
    };
    F1Macro: Record {
        name: "f1_macro", synonyms: &["macro_f1"], heading: "macro F1",
        meaning: "mean over the classes of the harmonic mean of recall and precision; 1 is perfect",
        achieved: "macro F1 {}", wins: "has the highest macro F1: {}", share: false,
        better: More, perfect: Some(1.0), naive: GUESS,
        needs: Nothing, measure: Classes(classes::f1_macro), sampling: None,
    };
    Auc: Record {
        name: "auc", synonyms: &["roc_auc", "auroc", "roc_auc_ovr", "roc_auc_score"], heading: "AUC",
        meaning: "probability that a row of a class is ranked above a row of the others (area under the ROC curve; mean over classes if more than two); 1 is perfect, 0.5 is chance",
        achieved: "AUC {}", wins: "has the highest AUC: {}", share: false,
        better: More, perfect: Some(1.0), naive: GUESS,
        needs: Ranking, measure: Classes(classes::auc), sampling: None,
    };
    AveragePrecision: Record {
        name: "average_precision", synonyms: &["ap", "average_precision_score", "pr_auc", "auprc"], heading: "average precision",
        meaning: "mean precision over the rows of a class, each at the cut that just finds it (of two classes 1 or true, else the rarer; mean over classes if more than two); 1 is perfect, the share of the class is chance",
        achieved: "average precision {}", wins: "has the highest average precision: {}", share: false,
        better: More, perfect: Some(1.0), naive: GUESS,
        needs: Ranking, measure: Classes(classes::average_precision), sampling: None,
    };
    LogLoss: Record {
        name: "log_loss", synonyms: &["neg_log_loss", "cross_entropy", "logloss"], heading: "log loss",
        meaning: "mean negative log probability of the true class; 0 is perfect, lower is better",
        achieved: "log loss {}", wins: "has the lowest log loss: {}", share: false,
        better: Less, perfect: Some(0.0), naive: GUESS,
        needs: Probabilities, measure: Classes(classes::log_loss), sampling: None,
    };
    Brier: Record {
        name: "brier", synonyms: &["brier_score", "brier_score_loss", "neg_brier_score"], heading: "Brier score",
        meaning: "squared distance between the predicted probabilities and the true class (of two classes that of the probability of one); 0 is perfect, lower is better",
        achieved: "Brier score {}", wins: "has the lowest Brier score: {}", share: false,
        better: Less, perfect: Some(0.0), naive: GUESS,
        needs: Probabilities, measure: Classes(classes::brier), sampling: None,
    };
    CalibrationError: Record {
        name: "calibration_error", synonyms: &["ece", "expected_calibration_error"], heading: "calibration error",
        meaning: "mean distance between the probability of the predicted class and the share that is correct, over ten bins (ECE); 0% is perfect, lower is better",
        achieved: "calibration error {}", wins: "has the lowest calibration error: {}", share: true,
        better: Less, perfect: Some(0.0), naive: GUESS,
        needs: Probabilities, measure: Classes(classes::calibration_error), sampling: None,
    };
    Rmse: Record {
        name: "rmse", synonyms: &["root_mean_squared_error", "neg_root_mean_squared_error"], heading: "RMSE",
        meaning: "root mean squared error, in the units of the target; lower is better",
        achieved: "RMSE {}", wins: "has the lowest error: RMSE {}", share: false,
        better: Less, perfect: Some(0.0), naive: MEAN,
        needs: Nothing, measure: Numbers(numbers::rmse), sampling: Some(numbers::sampling_error_of_root),
    };
    Mae: Record {
        name: "mae", synonyms: &["mean_absolute_error", "neg_mean_absolute_error"], heading: "MAE",
        meaning: "mean absolute error, in the units of the target; lower is better",
        achieved: "MAE {}", wins: "has the lowest error: MAE {}", share: false,
        better: Less, perfect: Some(0.0), naive: MEAN,
        needs: Nothing, measure: Numbers(numbers::mae), sampling: None,
    };
    MedianAbsoluteError: Record {
        name: "median_absolute_error", synonyms: &["medae", "median_error", "neg_median_absolute_error"], heading: "median error",
        meaning: "median absolute error, in the units of the target, robust to outliers; lower is better",
        achieved: "median error {}", wins: "has the lowest error: median {}", share: false,
        better: Less, perfect: Some(0.0), naive: GUESS,
        needs: Nothing, measure: Numbers(numbers::median_absolute_error), sampling: None,
    };
    R2: Record {
        name: "r2", synonyms: &["r2_score", "r_squared", "coefficient_of_determination"], heading: "R²",
        meaning: "share of the target's variance that is explained; 1 is perfect, 0 is no better than the mean",
        achieved: "R² {}", wins: "has the highest R²: {}", share: false,
        better: More, perfect: Some(1.0), naive: MEAN,
        needs: Nothing, measure: Numbers(numbers::r2), sampling: None,
    };
    Nlpd: Record {
        name: "nlpd", synonyms: &["negative_log_predictive_density"], heading: "NLPD",
        meaning: "mean negative log density of the true value under the predicted distribution; lower is better",
        achieved: "NLPD {}", wins: "has the lowest NLPD: {}", share: false,
        better: Less, perfect: None, naive: GUESS,
        needs: Variance, measure: Numbers(numbers::nlpd), sampling: None,
    };
    Coverage: Record {
        name: "coverage", synonyms: &["coverage_95", "interval_coverage"], heading: "95% coverage",
        meaning: "share of the true values that lie in the 95% interval of their prediction; 95% is perfect",
        achieved: "{} of the 95% intervals hold their value", wins: "has the best coverage: {}", share: true,
        better: Near(numbers::LEVEL), perfect: None, naive: GUESS,
        needs: Variance, measure: Numbers(numbers::coverage), sampling: None,
    };
}

impl Metric {
    /// Name in options and files.
    pub fn name(self) -> &'static str {
        self.record().name
    }
    /// Names that other libraries give it.
    pub fn synonyms(self) -> &'static [&'static str] {
        self.record().synonyms
    }
    /// Whether tables of all metrics have it: not what another one is on more than two classes.
    pub fn is_listed(self) -> bool {
        self != Metric::F1Macro
    }
    /// Whether a name is that of a scorer of scikit-learn whose values are minus those of the metric: `neg_log_loss`.
    pub fn is_negated(name: &str) -> bool {
        name.trim().to_lowercase().starts_with("neg_")
    }
    /// Its heading in a table.
    pub fn heading(self) -> &'static str {
        self.record().heading
    }
    /// What it measures, for readers new to it.
    pub fn meaning(self) -> &'static str {
        self.record().meaning
    }
    /// What an estimator reaches, such as "97.0% correct".
    pub fn achieved(self, value: &str) -> String {
        self.record().achieved.replace("{}", value)
    }
    /// What is said of the best estimator, such as "is the most accurate: 97.0% correct".
    pub fn wins(self, value: &str) -> String {
        self.record().wins.replace("{}", value)
    }
    /// Whether it is a share, which people read as a percentage.
    pub fn is_share(self) -> bool {
        self.record().share
    }
    /// Which values are good ones.
    pub fn better(self) -> Better {
        self.record().better
    }
    /// Whether more is better.
    pub fn rises(self) -> bool {
        self.record().better == More
    }
    /// The default deciding metric of a target. Errors of several targets have no common unit: they are ranked by the share of the variance
    /// that is explained.
    pub fn usual(target: &Target) -> Metric {
        match target {
            Target::Classes { .. } => Metric::Accuracy,
            Target::Numbers(y) if y.cols() > 1 => Metric::R2,
            _ => Metric::Rmse,
        }
    }
    /// The value that none is better than, where there is one.
    pub fn perfect(self) -> Option<f64> {
        self.record().perfect
    }
    /// Whether nothing can be better than a value.
    pub fn is_perfect(self, value: f64) -> bool {
        self.record().perfect.is_some_and(|perfect| if self.rises() { value >= perfect } else { value <= perfect })
    }
    /// The best guess without inputs, in words.
    pub fn naive(self) -> &'static str {
        self.record().naive
    }
    /// The standard error that a value would have over so many independent rows; 0 where there is no formula for it.
    pub fn sampling_error(self, value: f64, rows: usize) -> f64 {
        self.record().sampling.map_or(0.0, |error| error(value, rows.max(1) as f64))
    }
    /// The parts of predictions that it needs.
    pub fn needs(self) -> Needs {
        self.record().needs
    }
    /// The parts of predictions that it is computed from, as a prediction is asked for them.
    pub(crate) fn wants(self) -> Want {
        let needs = self.needs();
        Want {
            probabilities: matches!(needs, Needs::Probabilities | Needs::Ranking),
            scores: needs == Needs::Ranking,
            by_class: true,
            variance: needs == Needs::Variance,
            ..Want::default()
        }
    }
    /// Whether it judges classes, and not numbers.
    pub fn of_classes(self) -> bool {
        matches!(self.record().measure, Classes(_))
    }
    /// The value of predictions that are no numbers.
    pub(super) fn worst(self) -> f64 {
        if self.rises() { f64::NEG_INFINITY } else { f64::INFINITY }
    }
    pub(super) fn measure(self) -> &'static Measure {
        &self.record().measure
    }
}
