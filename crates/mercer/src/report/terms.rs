//! How each row stands to the best one: worse, not distinguishable, or not to be compared because it was scored on other terms.

use super::words::{UNKNOWN, count, counted, digits_for, is_baseline, listed, score, shown};
use super::{Comparison, Estimate, Row};
use crate::schedule::Out;
use serde::Serialize;

/// What stands in the place of the difference of a score that is not compared.
pub(super) const NOT_TUNED: &str = "not tuned";

/// How a row stands to the best one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AgainstBest {
    /// It is the best.
    Best,
    /// The interval of the difference holds zero.
    NotDistinguishable,
    /// Zero lies outside the interval.
    Worse,
    /// Not reached, or not scored with searched values on every fold and on as many rows: not compared.
    NotTuned,
    /// The fit failed.
    Failed,
}

impl AgainstBest {
    /// What a list of such rows is headed by.
    fn heading(self, rows: &str, best: &str) -> Option<String> {
        Some(match self {
            AgainstBest::Best => return None,
            AgainstBest::NotDistinguishable => format!("Not distinguishable from {best} with {rows}"),
            AgainstBest::Worse => "Worse".into(),
            AgainstBest::NotTuned => "Not tuned, and so not compared".into(),
            AgainstBest::Failed => "Failed".into(),
        })
    }
}

impl Row {
    /// Rows that the scores come from, and those of the model where it was trained on others.
    pub(super) fn rows_used(&self) -> String {
        let (scored, fitted) = (self.status.rows, self.status.fitted_rows);
        match fitted {
            0 if scored == 0 => UNKNOWN.into(),
            _ if fitted == 0 || fitted == scored => count(scored),
            _ => format!("{}, model {}", count(scored), count(fitted)),
        }
    }
}

impl Comparison {
    /// The rows with scores, but for the guess that learns nothing from the inputs.
    pub(super) fn judged(&self) -> impl Iterator<Item = &Row> {
        self.entries.iter().filter(|r| r.failure.is_none() && !r.metrics.is_empty() && !is_baseline(r))
    }

    /// Whether scores come from other numbers of rows, or from others than the models.
    pub(super) fn rows_differ(&self) -> bool {
        let first = self.judged().next().map_or(0, |r| r.status.rows);
        self.judged().any(|r| r.status.rows != first || (r.status.fitted_rows > 0 && r.status.fitted_rows != r.status.rows))
    }

    /// Whether any score is not compared.
    pub(super) fn any_not_tuned(&self) -> bool {
        self.standing_so(AgainstBest::NotTuned).next().is_some()
    }

    /// How a row stands to the best one; of a comparison without a best row only what keeps it from being compared.
    pub fn against_best(&self, row: &Row) -> AgainstBest {
        match row.difference {
            _ if row.unreached => AgainstBest::NotTuned,
            _ if row.failure.is_some() || row.metrics.is_empty() => AgainstBest::Failed,
            _ if row.best => AgainstBest::Best,
            Some(d) if !d.se.is_nan() && row.fitted() && d.is_significant() => AgainstBest::Worse,
            Some(d) if !d.se.is_nan() && row.fitted() => AgainstBest::NotDistinguishable,
            _ => AgainstBest::NotTuned,
        }
    }

    /// Why a row is not tuned.
    fn reason(&self, row: &Row) -> String {
        let status = &row.status;
        let (most, metric) = (self.best().map_or(0, |best| best.status.rows), self.ranking());
        match status.out {
            Some(Out::Behind { own, best }) => {
                let digits = digits_for(best.abs() * 1e-2);
                let [own, best] = [own, best].map(|value| score(metric, value, digits));
                format!("behind after a search on the first fold, {own} against {best}")
            }
            _ if row.unreached => format!("not reached: {}", status.ending.reason()),
            _ if status.folds < status.of_folds => format!("scored on {} of {}", status.folds, counted(status.of_folds, "fold")),
            _ if status.exceeds_budget => "its search takes too long".into(),
            _ if status.at_start => status.ending.reason().into(),
            _ if status.rows < most => format!("trained on {} of {}", count(status.rows), counted(most, "row")),
            _ => format!("{} before the fit to all rows", status.ending.reason()),
        }
    }

    /// The rows that stand so to the best one.
    pub(super) fn standing_so(&self, how: AgainstBest) -> impl Iterator<Item = &Row> {
        self.entries.iter().filter(move |r| self.against_best(r) == how)
    }

    /// What a guess that looks at no input scores.
    pub(super) fn guess(&self) -> Option<Estimate> {
        self.baseline.filter(|e| e.mean.is_finite())
    }

    /// How far a row lies ahead of the guess; `None` where either is not known.
    fn gain(&self, row: &Row) -> Option<f64> {
        let (own, guess) = (row.metric(self.ranking())?.mean, self.guess()?.mean);
        Some(if self.ranking().rises() { own - guess } else { guess - own }).filter(|g| g.is_finite())
    }

    /// Whether a row gains over the guess nearly as much as the best one does.
    pub(super) fn loses_little(&self, row: &Row) -> bool {
        // Share of what the best row gains over a guess that a recommended row gains at least, and one that is not distinguishable; a row
        // that gains less although its interval holds no difference was judged on too few rows.
        const KEPT_GAIN: f64 = 0.9;
        let gains = self.gain(row).zip(self.best().and_then(|best| self.gain(best)));
        gains.is_none_or(|(own, best)| own >= KEPT_GAIN * best)
    }

    /// Whether a row was compared with the best on equal terms, and there is a model.
    pub(super) fn is_compared(&self, row: &Row) -> bool {
        let compared = !matches!(self.against_best(row), AgainstBest::NotTuned | AgainstBest::Failed);
        compared && row.fitted() && !is_baseline(row)
    }

    /// Whether a row may be recommended for its predictions: compared, ahead of the guess, and little behind the best.
    pub(super) fn may_be_taken(&self, row: &Row) -> bool {
        self.is_compared(row) && self.gain(row).is_none_or(|g| g > 0.0) && self.loses_little(row)
    }

    /// Which rows are worse than the best, which are not distinguishable from it, and which were not compared: a line for each.
    pub fn standings(&self) -> Vec<String> {
        // Names in one line.
        const NAMED: usize = 20;
        let Some(best) = self.best() else { return Vec::new() };
        let rows = counted(self.rows, "row");
        let line = |how: AgainstBest| {
            let name = |r: &Row| match how {
                AgainstBest::NotTuned => format!("{} ({})", shown(&r.estimator, 60), self.reason(r)),
                _ => shown(&r.estimator, 60),
            };
            let mut names: Vec<String> = self.standing_so(how).map(name).collect();
            let more = names.len().saturating_sub(NAMED);
            names.truncate(NAMED);
            names.extend((more > 0).then(|| format!("{more} more")));
            let heading = how.heading(&rows, &shown(&best.estimator, 60)).filter(|_| !names.is_empty())?;
            Some(format!("{heading}: {}.", listed(&names)))
        };
        [AgainstBest::NotDistinguishable, AgainstBest::Worse, AgainstBest::NotTuned, AgainstBest::Failed]
            .into_iter()
            .filter_map(line)
            .collect()
    }
}
