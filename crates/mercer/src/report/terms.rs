//! How each row stands to the best one: worse, not distinguishable, or not to be compared because it was scored on other terms.

use super::words::{UNKNOWN, count, counted, is_baseline, listed, shown};
use super::{Comparison, Estimate, Row};
use crate::schedule::Out;
use serde::Serialize;

/// What marks a score at the starting values.
pub(super) const AT_START: &str = "°";
/// Share of what the best row gains over a guess that a recommended row gains at least, and one that is not distinguishable; a row
/// that gains less although its interval holds no difference was judged on too few rows.
const KEPT_GAIN: f64 = 0.9;
/// Names in one line.
const NAMED: usize = 20;

/// How a row stands to the best one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AgainstBest {
    /// It is the best.
    Best,
    /// Its score equals the best one in every fold.
    Tied,
    /// The interval of the difference holds zero, and little would be lost.
    NotDistinguishable,
    /// The interval holds zero, although the score is far behind.
    TooFewRows,
    /// Zero lies outside the interval.
    Worse,
    /// Scored with fits to fewer rows than the best: not compared.
    FewerRows,
    /// Behind after a first look or on the first fold, so that it was searched no further: not compared.
    OutOfReach,
    /// Scored at the starting values of its parameters: not compared.
    NotTuned,
    /// Not scored on every fold, or not fitted to all rows: not compared.
    Unfinished,
    /// The fit failed or was not reached.
    NoResult,
}

impl AgainstBest {
    /// What a list of such rows is headed by.
    fn heading(self, rows: &str, best: &str) -> Option<String> {
        Some(match self {
            AgainstBest::Best | AgainstBest::Tied => return None,
            AgainstBest::NotDistinguishable => format!("Not distinguishable from {best} with {rows}"),
            AgainstBest::TooFewRows => format!("Too few rows to tell from {best}"),
            AgainstBest::Worse => "Worse".into(),
            AgainstBest::FewerRows => "Not compared, trained on fewer rows".into(),
            AgainstBest::OutOfReach => "Too far behind to be searched further".into(),
            AgainstBest::NotTuned => "Not compared, not tuned".into(),
            AgainstBest::Unfinished => "Not compared, unfinished".into(),
            AgainstBest::NoResult => "No result".into(),
        })
    }
}

impl Row {
    /// The mark of a score that no search has bettered.
    pub(super) fn mark(&self) -> &'static str {
        if self.status.at_start { AT_START } else { "" }
    }

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

    /// Whether any score is at the starting values.
    pub(super) fn any_at_start(&self) -> bool {
        self.judged().any(|r| r.status.at_start)
    }

    /// How a row stands to the best one; of a comparison without a best row only what keeps it from being compared.
    pub fn against_best(&self, row: &Row) -> AgainstBest {
        let most = self.best().map_or(0, |b| b.status.rows);
        match row.difference {
            _ if row.failure.is_some() || row.metrics.is_empty() => AgainstBest::NoResult,
            _ if row.best => AgainstBest::Best,
            _ if !is_baseline(row) && matches!(row.status.out, Some(Out::Behind { .. })) => AgainstBest::OutOfReach,
            _ if !is_baseline(row) && row.status.rows < most => AgainstBest::FewerRows,
            _ if !is_baseline(row) && row.status.at_start => AgainstBest::NotTuned,
            Some(d) if d.se.is_finite() && row.fitted() => match () {
                () if d.tied => AgainstBest::Tied,
                () if d.is_told() => AgainstBest::Worse,
                () if self.loses_little(row) => AgainstBest::NotDistinguishable,
                () => AgainstBest::TooFewRows,
            },
            _ => AgainstBest::Unfinished,
        }
    }

    /// The rows that stand so to the best one.
    pub(super) fn standing_so(&self, how: AgainstBest) -> impl Iterator<Item = &Row> {
        self.entries.iter().filter(move |r| self.against_best(r) == how)
    }

    /// What a guess that looks at no input scores.
    pub(super) fn guess(&self) -> Option<Estimate> {
        let entry = self.entries.iter().find(|r| is_baseline(r) && r.failure.is_none());
        entry.and_then(|r| r.metric(self.ranking())).or(self.baseline).filter(|e| e.mean.is_finite())
    }

    /// How far a row lies ahead of the guess; `None` where either is not known.
    fn gain(&self, row: &Row) -> Option<f64> {
        let (own, guess) = (row.metric(self.ranking())?.mean, self.guess()?.mean);
        Some(if self.ranking().rises() { own - guess } else { guess - own }).filter(|g| g.is_finite())
    }

    /// Whether a row gains over the guess nearly as much as the best one does.
    pub(super) fn loses_little(&self, row: &Row) -> bool {
        let gains = self.gain(row).zip(self.best().and_then(|best| self.gain(best)));
        gains.is_none_or(|(own, best)| own >= KEPT_GAIN * best)
    }

    /// Whether a row may be recommended: compared with the best on equal terms, ahead of the guess, and little behind the best.
    pub(super) fn may_be_taken(&self, row: &Row) -> bool {
        let compared =
            matches!(self.against_best(row), AgainstBest::Best | AgainstBest::Tied | AgainstBest::NotDistinguishable | AgainstBest::Worse);
        compared && row.fitted() && !is_baseline(row) && self.gain(row).is_none_or(|g| g > 0.0) && self.loses_little(row)
    }

    /// Which rows are worse than the best, which are not distinguishable from it, and which were not compared: a line for each.
    pub fn standings(&self) -> Vec<String> {
        use AgainstBest::*;
        let Some(best) = self.best() else { return Vec::new() };
        let (rows, most) = (counted(self.rows, "row"), best.status.rows);
        let line = |how: AgainstBest| {
            let name = |r: &Row| match how {
                FewerRows => format!("{} ({})", shown(&r.estimator, 60), count(r.status.rows)),
                _ => shown(&r.estimator, 60),
            };
            let mut names: Vec<String> = self.standing_so(how).map(name).collect();
            let more = names.len().saturating_sub(NAMED);
            names.truncate(NAMED);
            names.extend((more > 0).then(|| format!("{more} more")));
            let than = if how == FewerRows { format!("; {} on {}", shown(&best.estimator, 60), count(most)) } else { String::new() };
            let heading = how.heading(&rows, &shown(&best.estimator, 60)).filter(|_| !names.is_empty())?;
            Some(format!("{heading}: {}{than}.", listed(&names)))
        };
        [NotDistinguishable, TooFewRows, Worse, OutOfReach, FewerRows, NotTuned, Unfinished, NoResult]
            .into_iter()
            .filter_map(line)
            .collect()
    }
}
