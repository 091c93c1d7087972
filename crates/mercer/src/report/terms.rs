//! On what terms the rows of a comparison were scored: with searched parameters or not, and from how many rows.

use super::words::{UNKNOWN, count, counted, is_baseline, listed, shown};
use super::{Comparison, Row};

/// What marks a score at the starting values.
pub(super) const AT_START: &str = "°";

impl Row {
    /// The mark of a score that no search has bettered.
    pub(super) fn mark(&self) -> &'static str {
        if self.standing.at_start { AT_START } else { "" }
    }

    /// Rows that the scores come from, and those of the model where it learnt from others.
    pub(super) fn learnt_from(&self) -> String {
        let (scored, fitted) = (self.standing.rows, self.standing.fitted_rows);
        match fitted {
            0 if scored == 0 => UNKNOWN.into(),
            _ if fitted == 0 || fitted == scored => count(scored),
            _ => format!("{}, model {}", count(scored), count(fitted)),
        }
    }
}

impl Comparison {
    /// The rows with scores, but for the guess that learns nothing from the inputs.
    fn judged(&self) -> impl Iterator<Item = &Row> {
        self.entries.iter().filter(|r| r.failure.is_none() && !r.metrics.is_empty() && !is_baseline(r))
    }

    /// Whether scores come from other numbers of rows, or from others than the models.
    pub(super) fn rows_differ(&self) -> bool {
        let first = self.judged().next().map_or(0, |r| r.standing.rows);
        self.judged().any(|r| r.standing.rows != first || (r.standing.fitted_rows > 0 && r.standing.fitted_rows != r.standing.rows))
    }

    /// Whether any score is at the starting values.
    pub(super) fn any_at_start(&self) -> bool {
        self.judged().any(|r| r.standing.at_start)
    }

    /// What keeps the scores from being compared on equal terms, as the end of a sentence; empty where nothing does.
    pub(super) fn unequal_terms(&self) -> String {
        let name = |r: &Row| shown(&r.estimator, 60);
        let mut said = String::new();
        let start: Vec<String> = self.judged().filter(|r| r.standing.at_start).map(name).collect();
        match start.as_slice() {
            [] => {}
            [one] => said.push_str(&format!("; {one} was not searched and stands at its starting values")),
            several => said.push_str(&format!("; {} were not searched and stand at their starting values", listed(several))),
        }
        let most = self.judged().map(|r| r.standing.rows).max().unwrap_or(0);
        let fewer: Vec<String> = self
            .judged()
            .filter(|r| r.standing.rows < most)
            .map(|r| format!("{} learnt from {}", name(r), counted(r.standing.rows, "row")))
            .collect();
        if !fewer.is_empty() {
            said.push_str(&format!("; {}, others from {}", listed(&fewer), count(most)));
        }
        said
    }
}
