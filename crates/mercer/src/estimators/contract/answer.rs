//! What a fitted thing answers: how every face reads its predictions (columns of a file, metrics, pictures, base class in
//! Python); and what an estimator says of itself before it is fitted.

use crate::data::{Kind, Labels, TargetInfo};
use crate::error::{Error, Result};
use crate::estimators::ViewKind;
use crate::estimators::registry::list::catalogue;
use serde::{Deserialize, Serialize};

/// What predictions mean. Stored in the model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Answer {
    /// Numbers, one column for each column of the target.
    Numbers {
        /// Names of the columns.
        names: Vec<String>,
    },
    /// One of several classes.
    Classes {
        /// The target column.
        name: String,
        /// Names of the classes, as written in the table, by their codes.
        classes: Vec<String>,
        /// What the classes were before they were written.
        labels: Labels,
    },
    /// Coordinates along components, one column each.
    Components {
        /// Names of the columns: pc1, pc2, ...
        names: Vec<String>,
    },
    /// Numbers of clusters, from 0.
    Clusters {
        /// How many there are.
        count: usize,
    },
    /// The logarithm of a density.
    LogDensity,
    /// A score of how like the training rows a row is: below 0 for outliers.
    Novelty,
}

impl Answer {
    /// Predictions of the target itself; `classes`: how many the fit decides between, where it does.
    ///
    /// # Errors
    /// A fit and a target with other classes, which a damaged file may bring about.
    pub fn of_target(target: &TargetInfo, classes: Option<usize>) -> Result<Answer> {
        let named = target.classes.as_ref().map(Vec::len);
        if named != classes {
            let (expected, found) = (named.unwrap_or(0), classes.unwrap_or(0));
            return Err(Error::Shape { what: "classes of the model".into(), expected, found });
        }
        Ok(match &target.classes {
            None => Answer::Numbers { names: target.names.clone() },
            Some(classes) => {
                Answer::Classes { name: target.names.first().cloned().unwrap_or_default(), classes: classes.clone(), labels: target.labels }
            }
        })
    }

    /// The target that is answered for; one without columns where there was none.
    pub fn target(&self) -> TargetInfo {
        let none = TargetInfo { names: Vec::new(), classes: None, labels: Labels::Text };
        match self {
            Answer::Numbers { names } => TargetInfo { names: names.clone(), ..none },
            Answer::Classes { name, classes, labels } => {
                TargetInfo { names: vec![name.clone()], classes: Some(classes.clone()), labels: *labels }
            }
            // A target is what numbers and classes are predicted of.
            _ => none,
        }
    }

    /// Names of the predicted columns.
    pub fn columns(&self) -> Vec<String> {
        match self {
            Answer::Numbers { names } | Answer::Components { names } => names.clone(),
            Answer::Classes { name, .. } => vec![name.clone()],
            Answer::Clusters { .. } => vec!["cluster".into()],
            Answer::LogDensity => vec!["log_density".into()],
            Answer::Novelty => vec!["score".into()],
        }
    }

    /// The names of the classes; `None` where there are none.
    pub fn classes(&self) -> Option<&[String]> {
        match self {
            Answer::Classes { classes, .. } => Some(classes),
            _ => None,
        }
    }

    /// The predicted classes or clusters of these codes, in words.
    pub fn labels(&self, codes: &[usize]) -> Vec<String> {
        match self {
            Answer::Classes { classes, .. } => codes.iter().map(|&k| classes.get(k).cloned().unwrap_or_default()).collect(),
            _ => codes.iter().map(usize::to_string).collect(),
        }
    }

    /// The name of the column of words that stands before the predicted numbers, where these have such.
    pub fn heading_of_words(&self) -> Option<&'static str> {
        matches!(self, Answer::Novelty).then_some("novelty")
    }

    /// The word of a predicted number, where it has one.
    pub fn word(&self, score: f64) -> Option<&'static str> {
        matches!(self, Answer::Novelty).then_some(if score < 0.0 { "outlier" } else { "inlier" })
    }

    /// What it consists of, for a sentence.
    pub fn noun(&self) -> &'static str {
        match self {
            Answer::Numbers { .. } => "numbers",
            Answer::Classes { .. } => "classes",
            Answer::Components { .. } => "components",
            Answer::Clusters { .. } => "clusters",
            Answer::LogDensity => "densities",
            Answer::Novelty => "scores of novelty",
        }
    }
}

/// What a flag of an estimator says that asks for calibrated probabilities.
pub(crate) const CALIBRATED: &str = "whether to give class probabilities, calibrated on scores of rows that were left out one by one or held out in folds; the predicted class is then the one of the greatest probability";

/// When a fitted thing has something besides its predicted values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// It never has.
    Never,
    /// Where this flag of the estimator is set.
    If(&'static str),
    /// Where it was fitted to such a target.
    Of(Kind),
    /// It always has.
    Always,
}

impl When {
    /// Whether it has, whatever its flags, where it was fitted to such a target.
    pub fn is_always_for(self, kind: Kind) -> bool {
        self == When::Always || self == When::Of(kind)
    }
}

/// What the decision values of a classifier are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scores {
    /// There are none.
    None,
    /// Votes, one column per class.
    Votes,
    /// One number for two classes, one for each class of more.
    Classes,
    /// One number for each pair of classes.
    Pairs,
}

impl Scores {
    /// Whether there are any.
    pub fn when(self) -> When {
        if self == Scores::None { When::Never } else { When::Always }
    }
}

/// How an estimator predicts each training row by the model fitted without it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeaveOneOut {
    /// Only by fits to the other rows, each from the start.
    None,
    /// In closed form, from one fit to all rows, where it does.
    ClosedForm(When),
    /// By a fit without each row that the model depends on, started from the model: exact to the tolerance of the estimator.
    Refits,
}

impl LeaveOneOut {
    /// When there are such predictions, whatever they cost.
    pub fn when(self) -> When {
        match self {
            LeaveOneOut::None => When::Never,
            LeaveOneOut::ClosedForm(when) => when,
            LeaveOneOut::Refits => When::Always,
        }
    }

    /// Whether they cost no further fit.
    pub fn is_closed_form(self) -> bool {
        matches!(self, LeaveOneOut::ClosedForm(_))
    }
}

/// What an estimator finds where it is fitted without a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finds {
    /// Coordinates.
    Components,
    /// Clusters.
    Clusters,
    /// A density, per unit of the columns: these are not standardised.
    Density,
    /// Rows unlike the others.
    Novelty,
}

/// What an estimator gives besides the predicted values.
#[derive(Clone, Copy, Debug)]
pub struct Gives {
    /// Decision values of classes.
    pub scores: Scores,
    /// Probabilities of classes.
    pub probabilities: When,
    /// Whether those are calibrated on held-out scores, which takes no code of the estimator: it names the flag that asks for it, or
    /// is always calibrated.
    pub calibrated: When,
    /// A variance of each predicted number.
    pub variance: When,
    /// Whether that variance is measured by rows that are held out: the flag that asks for it.
    pub measured_variance: When,
    /// A covariance between predicted numbers.
    pub covariance: When,
    /// Predictions for each training row by the model fitted without it.
    pub leave_one_out: LeaveOneOut,
    /// What it finds where there is no target.
    pub finds: Finds,
}

impl Gives {
    /// The predicted values alone.
    pub const VALUES: Gives = Gives {
        scores: Scores::None,
        probabilities: When::Never,
        calibrated: When::Never,
        measured_variance: When::Never,
        variance: When::Never,
        covariance: When::Never,
        leave_one_out: LeaveOneOut::None,
        finds: Finds::Components,
    };
}

/// What an estimator needs of the similarity of inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// A positive semi-definite kernel.
    MercerKernel,
    /// Any similarity: its values are features of a row, and k(x, z) need not be k(z, x).
    AnySimilarity,
    /// Any symmetric similarity, used to derive distances between rows.
    Symmetric,
    /// Any symmetric similarity whose values are 0 and above.
    NonNegative,
    /// A kernel whose features are written out: linear, texts by their words, their sums, approximations by few features.
    Features,
    /// The linear kernel of columns of numbers: its features are the coordinates of the rows, and differences of these have a length.
    Coordinates,
    /// Kernel values between the vectors of sets: the kernel is one of sets made of a Mercer kernel of vectors.
    Vectors,
    /// The cells of rows and no kernel value: the kernel `identical` names the columns.
    Rows,
    /// None: predictions depend on no input.
    Nothing,
}

impl Needs {
    /// Whether a similarity that is not positive semi-definite will do, whatever its values.
    pub fn any_values(self) -> bool {
        matches!(self, Needs::AnySimilarity | Needs::Symmetric)
    }
    /// What is read of rows.
    pub fn view(self) -> ViewKind {
        match self {
            Needs::MercerKernel | Needs::AnySimilarity | Needs::Symmetric | Needs::NonNegative | Needs::Nothing => ViewKind::Values,
            Needs::Features | Needs::Coordinates => ViewKind::Features,
            Needs::Vectors => ViewKind::Vectors,
            Needs::Rows => ViewKind::Rows,
        }
    }
    /// Whether kernel values are read, of whatever kernel; otherwise, where no kernel is given, one is taken that has what is read.
    pub fn reads_values(self) -> bool {
        self.view() == ViewKind::Values
    }
}

/// The estimators that look at inputs and give something besides the predicted values, for a sentence: `gp`, or
/// `knn or "svc(probabilities=true)"`.
pub fn those_that_give(what: &dyn Fn(&Gives) -> When) -> String {
    let all = catalogue().into_iter().filter(|e| e.needs != Needs::Nothing);
    let (mut always, mut asked) = (Vec::new(), Vec::new());
    for entry in all {
        match what(&entry.gives) {
            When::Always | When::Of(_) => always.push(entry.name.to_owned()),
            When::If(flag) => asked.push(format!("\"{}({flag}=true)\"", entry.name)),
            When::Never => {}
        }
    }
    always.extend(asked);
    match always.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        _ => always.concat(),
    }
}
