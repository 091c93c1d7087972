//! Conformal prediction: intervals of numbers and sets of classes that hold the true value with a chosen probability, whatever the model.
//!
//! ```text
//! score of a number   |y - f(x)|, or |y - f(x)| / s(x) where the model has a standard deviation s
//! score of a class    1 - p_c(x), or max_{k != c} g_k(x) - g_c(x) by decision values g where there are no probabilities
//! q                   the ceil((n + 1) level)-th smallest score of n rows that the scoring model did not see
//! interval, set       every y, every class whose score is at most q
//! ```
//!
//! Vovk, Gammerman and Shafer (2005), Algorithmic learning in a random world; Barber, Candes, Ramdas and Tibshirani (2021), Predictive
//! inference with the jackknife+, Annals of Statistics 49, 486-507. Mondrian: a quantile for each category of rows.

mod answers;
mod quantile;
mod scores;

pub use scores::HeldOutPart;

use crate::blocks;
use crate::data::{Split, Target};
use crate::error::{Error, Result};
use crate::estimators::{TargetTransform, Want};
use crate::linalg::Matrix;
use crate::param::{Domain, Value};
use quantile::{SortedScores, fewest_rows};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Which rows the scores are of, and which model predicted them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum ConformalSource {
    /// Training rows, each predicted by the model fitted without it, in closed form (jackknife).
    LeaveOneOut,
    /// Training rows, predicted by models fitted without their fold (CV).
    Folds {
        /// How many.
        count: usize,
        /// What the folds respect.
        split: FoldSplit,
    },
    /// Rows of another table, predicted by the model itself (split conformal).
    Table,
}

/// What folds respect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FoldSplit {
    /// Nothing.
    Rows,
    /// Rows of one group stay together.
    Groups,
    /// Rows are predicted from earlier ones.
    Time,
}

/// What a score measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConformalScore {
    /// |y - f|.
    Residual,
    /// |y - f| / s.
    ScaledResidual,
    /// 1 - p of the class.
    Probability,
    /// The largest decision value of another class minus that of the class.
    DecisionValue,
}

/// Categories of rows with a quantile each (Mondrian).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScoreCategories {
    /// The column that names them; `None`: the classes of the target.
    pub column: Option<String>,
    /// Their names.
    pub names: Vec<String>,
    /// The category of each score.
    #[serde(with = "blocks::usizes")]
    codes: Vec<usize>,
}

/// By which rows a quantile is computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ConformalBy<'a> {
    /// All.
    #[default]
    All,
    /// Those of each class separately: every class is covered.
    Class,
    /// Those of each group separately: every group is covered.
    Groups {
        /// The column that names the groups.
        column: &'a str,
        /// The group of each row.
        labels: &'a [String],
    },
}

/// Conformity scores of rows that were held out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Conformal {
    /// Which rows they are of.
    pub source: ConformalSource,
    /// What they measure.
    pub score: ConformalScore,
    /// The transformation of the target whose values they are of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transform: Option<TargetTransform>,
    /// Rows x outputs; one column for classes.
    scores: Matrix,
    /// The weight of each row; empty: 1.
    #[serde(with = "blocks::f64s")]
    weights: Vec<f64>,
    /// Categories with a quantile each.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub categories: Option<ScoreCategories>,
}

impl FoldSplit {
    /// What folds respect by a split.
    pub(crate) fn of(split: &Split) -> Self {
        match split {
            Split::Rows | Split::Copies(_) => FoldSplit::Rows,
            Split::Groups(_) => FoldSplit::Groups,
            Split::Time(_) => FoldSplit::Time,
        }
    }
}

impl ConformalBy<'_> {
    /// The categories of the rows of a target.
    ///
    /// # Errors
    /// Classes of a target of numbers; another number of groups than of rows.
    fn categories(self, target: &Target) -> Result<Option<ScoreCategories>> {
        match self {
            ConformalBy::All => Ok(None),
            ConformalBy::Class => match target {
                Target::Classes { codes, names } => Ok(Some(ScoreCategories { column: None, names: names.clone(), codes: codes.clone() })),
                _ => Err(Error::Setting {
                    name: "intervals by class".into(),
                    why: "the target holds numbers; name a column of groups, or leave it out".into(),
                }),
            },
            ConformalBy::Groups { column, labels } => {
                Error::unless_equal(&format!("rows of '{column}'"), target.rows(), labels.len())?;
                let mut names: Vec<String> = labels.to_vec();
                names.sort();
                names.dedup();
                let codes = labels.iter().map(|label| names.partition_point(|name| name < label)).collect();
                Ok(Some(ScoreCategories { column: Some(column.into()), names, codes }))
            }
        }
    }
}

impl Conformal {
    /// How many rows have a score.
    pub fn rows(&self) -> usize {
        self.scores.rows()
    }

    /// The scores, rows x outputs.
    pub fn scores(&self) -> &Matrix {
        &self.scores
    }

    /// What predictions must hold for intervals and sets of new rows.
    pub fn want(&self) -> Want {
        Want {
            variance: self.score == ConformalScore::ScaledResidual || self.transform.is_some(),
            probabilities: self.score == ConformalScore::Probability,
            scores: self.score == ConformalScore::DecisionValue,
            by_class: self.score == ConformalScore::DecisionValue,
            ..Want::default()
        }
    }

    /// The column that new rows must name a group in.
    pub fn group_column(&self) -> Option<&str> {
        self.categories.as_ref()?.column.as_deref()
    }

    fn weight(&self, row: usize) -> f64 {
        self.weights.get(row).copied().unwrap_or(1.0)
    }

    /// The scores of an output, those of each category separately.
    fn sorted(&self, output: usize) -> Vec<SortedScores> {
        let mut pairs = vec![Vec::new(); self.categories.as_ref().map_or(1, |of| of.names.len())];
        for row in 0..self.rows() {
            let category = self.categories.as_ref().map_or(0, |of| of.codes[row]);
            pairs[category].push((self.scores[(row, output)], self.weight(row)));
        }
        pairs.into_iter().map(SortedScores::of).collect()
    }

    /// The largest score that an interval or set of this level admits, for each category (one where there are none); infinite where there
    /// are too few rows.
    ///
    /// # Errors
    /// A level that does not lie strictly between 0 and 1.
    pub fn quantiles(&self, level: f64, output: usize) -> Result<Vec<f64>> {
        check_level(level)?;
        Ok(self.sorted(output).iter().map(|scores| scores.quantile(level)).collect())
    }

    /// The share of the rows with a score that intervals or sets by the scores of the others hold; `None` without rows.
    ///
    /// # Errors
    /// A level that does not lie strictly between 0 and 1.
    pub fn coverage(&self, level: f64) -> Result<Option<f64>> {
        check_level(level)?;
        let all: Vec<SortedScores> = (0..self.scores.cols()).flat_map(|output| self.sorted(output)).collect();
        let total: f64 = all.iter().map(SortedScores::total).sum();
        Ok((total > 0.0).then(|| all.iter().map(|scores| scores.covered(level)).sum::<f64>() / total))
    }

    /// A sentence where the scores are too few for a level.
    ///
    /// # Errors
    /// A level that does not lie strictly between 0 and 1.
    pub fn too_few(&self, level: f64) -> Result<Option<String>> {
        let unbounded: Vec<bool> = self.quantiles(level, 0)?.iter().map(|q| q.is_infinite()).collect();
        if !unbounded.contains(&true) {
            return Ok(None);
        }
        let of_classes = matches!(self.score, ConformalScore::Probability | ConformalScore::DecisionValue);
        let what = if of_classes { "prediction sets hold every class" } else { "intervals are unbounded" };
        let (percent, fewest) = (Percent(level), fewest_rows(level));
        let Some(of) = &self.categories else {
            return Ok(Some(format!(
                "{percent} {what}: the model stores the scores of {} rows, and {fewest} are needed; fit more rows, or ask for a lower level",
                self.rows()
            )));
        };
        let count = |code: usize| of.codes.iter().filter(|c| **c == code).count();
        let few: Vec<String> =
            (0..of.names.len()).filter(|&k| unbounded[k]).map(|k| format!("'{}' ({} rows)", of.names[k], count(k))).collect();
        let member = if of_classes && of.column.is_none() { "prediction sets always hold" } else { what };
        Ok(Some(format!(
            "{percent} {member} {}{}: {fewest} rows are needed",
            if of.column.is_some() { "for " } else { "" },
            few.join(", ")
        )))
    }

    /// An error unless the parts fit together and to the outputs, or classes, of a model: they may come from a file.
    ///
    /// # Errors
    /// Parts of different lengths; scores that are not finite; weights below 0; codes without a name.
    pub(crate) fn check(&self, outputs: usize, classes: Option<usize>) -> Result<()> {
        let of_classes = matches!(self.score, ConformalScore::Probability | ConformalScore::DecisionValue);
        if of_classes != classes.is_some() {
            return Err(Error::Data("the conformity scores of the model are not those of its kind of target".into()));
        }
        Error::unless_equal("columns of conformity scores", if of_classes { 1 } else { outputs }, self.scores.cols())?;
        if !self.weights.is_empty() {
            Error::unless_equal("weights of conformity scores", self.rows(), self.weights.len())?;
        }
        if self.scores.data().iter().any(|s| !s.is_finite()) || self.weights.iter().any(|w| !(w.is_finite() && *w >= 0.0)) {
            return Err(Error::Data("conformity scores and their weights must be finite, weights 0 or above".into()));
        }
        let Some(of) = &self.categories else { return Ok(()) };
        Error::unless_equal("categories of conformity scores", self.rows(), of.codes.len())?;
        let fits = if of.column.is_some() { of.names.is_sorted() } else { classes == Some(of.names.len()) };
        if !fits || of.codes.iter().any(|code| *code >= of.names.len()) {
            return Err(Error::Data("a category of the conformity scores has no name".into()));
        }
        Ok(())
    }
}

/// Refuses a level that is no probability.
pub(crate) fn check_level(level: f64) -> Result<()> {
    Domain::Fraction.check("interval", "level", &Value::Number(level))
}

/// A level as a percentage without needless digits.
pub(crate) struct Percent(pub(crate) f64);

impl fmt::Display for Percent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rounded = (self.0 * 1e6).round() / 1e4;
        write!(f, "{rounded}%")
    }
}

impl fmt::Display for ConformalSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ConformalSource::LeaveOneOut => f.write_str("leave-one-out conformal (jackknife)"),
            ConformalSource::Folds { count, split } => {
                let keeping = match split {
                    FoldSplit::Rows => "",
                    FoldSplit::Groups => " by groups",
                    FoldSplit::Time => " in order of time",
                };
                write!(f, "cross-validation conformal ({count} folds{keeping})")
            }
            ConformalSource::Table => f.write_str("split conformal (a separate table)"),
        }
    }
}

impl fmt::Display for ConformalScore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ConformalScore::Residual => "|y - f|",
            ConformalScore::ScaledResidual => "|y - f| / s",
            ConformalScore::Probability => "1 - p",
            ConformalScore::DecisionValue => "margins of decision values",
        })
    }
}
