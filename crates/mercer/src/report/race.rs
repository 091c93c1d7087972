//! A comparison while it runs: the table as it fills, best first, and one line for a log.

use super::Estimate;
use super::text::{Column, within};
use super::words::{UNKNOWN, digits, listed, score, shown};
use crate::compare::{CandidateProgress, CandidateState, RaceUpdate};
use crate::schedule::Out;
use crate::trial::{LastSearch, Purpose};
use comfy_table::CellAlignment;

/// Characters of an estimator's name.
const NAME: usize = 28;
/// Characters of the columns of words, so that no column moves while the table fills.
const WORDS: usize = 15;

/// The table of a comparison while it runs, in lines of at most `width` characters (at least 24). Where `height` lines do not suffice,
/// the worst rows are left out and counted.
pub fn race_table(update: &RaceUpdate, width: usize, height: usize) -> Vec<String> {
    // Lines of the heading.
    const HEADING: usize = 2;
    let width = width.max(24);
    let most = height.saturating_sub(HEADING).max(2);
    let rows = if update.candidates.len() > most { &update.candidates[..most - 1] } else { &update.candidates[..] };
    let digits = score_digits(update);
    let leader = update.leader().map(CandidateProgress::label);
    let name = |c: &CandidateProgress| {
        format!("{} {}", if leader.as_ref() == Some(&c.label()) { "*" } else { " " }, shown(&c.label(), NAME.min(width / 3)))
    };
    let value = |c: &CandidateProgress| c.score.map_or(UNKNOWN.to_owned(), |s| score(update.metric, s, digits));
    let padded = |words: &str| format!("{words:<WORDS$}");
    let column = |heading: &str, align, cell: &dyn Fn(&CandidateProgress) -> String| Column {
        heading: heading.to_owned(),
        cells: rows.iter().map(cell).collect(),
        align,
    };
    let columns = vec![
        column("  estimator", CellAlignment::Left, &name),
        // Beside the first heading: no cell is wrapped.
        column(&shown(update.metric.heading(), width - 15), CellAlignment::Right, &value),
        column("state", CellAlignment::Left, &|c| padded(state(c.state))),
        column("settings", CellAlignment::Left, &|c| padded(&settings(c))),
        column("folds", CellAlignment::Right, &|c| format!("{}/{}", c.folds, c.of_folds)),
    ];
    let (table, _) = within(columns, width);
    let mut lines: Vec<String> = table.lines().map(str::to_owned).collect();
    if rows.len() < update.candidates.len() {
        lines.push(format!("  and {} more", update.candidates.len() - rows.len()));
    }
    lines
}

/// What is being done in a comparison that runs, the best estimator so far, and the time left, in one line.
pub fn race_line(update: &RaceUpdate) -> String {
    let mut parts: Vec<String> = Vec::new();
    for purpose in [Purpose::Look, Purpose::Tune, Purpose::Last(LastSearch::Full)] {
        let of = state(CandidateState::Running(purpose));
        let running: Vec<String> = update.candidates.iter().filter(|c| state(c.state) == of).map(CandidateProgress::name).collect();
        if !running.is_empty() {
            parts.push(format!("{of}: {}", named(&running.iter().map(String::as_str).collect::<Vec<_>>())));
        }
    }
    if let Some((c, value)) = update.leader().and_then(|c| Some((c, c.score?))) {
        let value = score(update.metric, value, score_digits(update));
        let of = match c.searched {
            n if c.is_open && n > 0 && n < c.of_folds => format!("searched on {n} of {} folds", c.of_folds),
            _ => settings(c),
        };
        parts.push(format!("best so far: {}, {} {value} ({of})", shown(&c.label(), NAME), update.metric.heading()));
    }
    parts.extend(race_time_left(update));
    parts.join("; ")
}

/// The time that a comparison takes at most from here, rounded up; `None` where it is not known, or less than a second.
pub fn race_time_left(update: &RaceUpdate) -> Option<String> {
    update.seconds_left.filter(|s| *s >= 1.0).map(|s| format!("at most {} left", rounded_up(s)))
}

/// Seconds rounded up to a size that a reader can use: `7 s`, `45 s`, `3 min`, `2 h`.
fn rounded_up(seconds: f64) -> String {
    match seconds {
        s if s <= 20.0 => format!("{:.0} s", s.ceil()),
        s if s <= 90.0 => format!("{:.0} s", (s / 5.0).ceil() * 5.0),
        s if s <= 5400.0 => format!("{:.0} min", (s / 60.0).ceil()),
        s => format!("{:.0} h", (s / 3600.0).ceil()),
    }
}

/// Some names, and how many more there are.
fn named(names: &[&str]) -> String {
    // Estimators named in a line for each kind of work.
    const NAMED: usize = 3;
    match names.len().checked_sub(NAMED) {
        Some(more) if more > 1 => format!("{} and {more} more", names[..NAMED].join(", ")),
        _ => listed(names),
    }
}

/// Digits after the point for the column of scores.
fn score_digits(update: &RaceUpdate) -> usize {
    digits(update.candidates.iter().filter_map(|c| c.score).map(|mean| Estimate { mean, se: f64::NAN, folds: 0 }))
}

/// What is being done with an estimator.
fn state(state: CandidateState) -> &'static str {
    match state {
        CandidateState::Waiting => "waiting",
        CandidateState::Running(Purpose::Look) => "starting values",
        CandidateState::Running(Purpose::Tune) => "search",
        CandidateState::Running(Purpose::Last(_)) => "fit to all rows",
        CandidateState::Fitted => "fitted",
        CandidateState::Out(Out::Behind { .. }) => "behind",
        CandidateState::Out(Out::Budget) => "out of budget",
        CandidateState::NotFitted => "not fitted",
        CandidateState::Failed => "failed",
    }
}

/// Which settings the score of an estimator is of.
fn settings(c: &CandidateProgress) -> String {
    match (c.folds, c.searched) {
        (0, _) => String::new(),
        (folds, _) if !c.is_open && folds == c.of_folds => "as given".into(),
        (_, 0) => "starting values".into(),
        (_, searched) if searched < c.of_folds => format!("searched {searched}/{}", c.of_folds),
        _ => "searched".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::estimators::EstimatorExpr;
    use crate::metrics::Metric;

    fn candidate(name: &str, score: Option<f64>, searched: usize, state: CandidateState) -> CandidateProgress {
        let estimator = EstimatorExpr::parse(name).unwrap();
        let folds = if score.is_some() { 5 } else { 0 };
        CandidateProgress { estimator, own_scales: false, score, folds, of_folds: 5, searched, is_open: true, state }
    }

    fn update() -> RaceUpdate {
        let behind = Out::Behind { own: 0.4, best: 0.96 };
        RaceUpdate {
            metric: Metric::Accuracy,
            candidates: vec![
                candidate("svc", Some(0.96), 2, CandidateState::Running(Purpose::Tune)),
                candidate("knn", Some(0.9533), 0, CandidateState::Waiting),
                CandidateProgress { is_open: false, ..candidate("baseline", Some(0.4), 0, CandidateState::Out(behind)) },
                candidate("gp", None, 0, CandidateState::Running(Purpose::Look)),
            ],
            spent_share: Some(0.25),
            seconds_left: Some(42.3),
        }
    }

    #[test]
    fn the_table_marks_the_leader_and_says_what_each_score_is_of() {
        let lines = race_table(&update(), 100, 50);
        let words: Vec<Vec<&str>> = lines.iter().map(|l| l.split_whitespace().collect()).collect();
        assert_eq!(words[0], ["estimator", "accuracy", "state", "settings", "folds"]);
        assert_eq!(words[2], ["*", "svc", "96.0%", "search", "searched", "2/5", "5/5"]);
        assert_eq!(words[3], ["knn", "95.3%", "waiting", "starting", "values", "5/5"]);
        assert_eq!(words[4], ["baseline", "40.0%", "behind", "as", "given", "5/5"]);
        assert_eq!(words[5], ["gp", "–", "starting", "values", "0/5"]);
        assert_eq!(lines.len(), 6);
    }

    #[test]
    fn the_table_keeps_to_width_and_height() {
        let long = candidate("svc(c=1.2345678901234, tolerance=0.000123456789)", Some(0.9), 5, CandidateState::Fitted);
        let mut update = update();
        update.candidates.extend(std::iter::repeat_n(long, 30));
        for width in [24, 40, 47, 60, 76, 77, 78, 200] {
            for height in [4, 10, 24, 50] {
                let lines = race_table(&update, width, height);
                assert!(lines.iter().all(|l| l.chars().count() <= width), "{width}: {lines:#?}");
                assert!(lines.len() <= height, "{height}: {lines:#?}");
                assert!(lines.iter().any(|l| l.starts_with("* svc")), "{width}: {lines:#?}");
                assert!(lines[0].contains("state") || width < 47, "{width}: {lines:#?}");
            }
        }
        assert_eq!(race_table(&update, 100, 10).last().map(String::as_str), Some("  and 27 more"));
    }

    #[test]
    fn the_line_says_what_is_done_what_leads_and_how_long_it_takes_at_most() {
        let said = "starting values: gp; search: svc; best so far: svc, accuracy 96.0% (searched on 2 of 5 folds); at most 45 s left";
        assert_eq!(race_line(&update()), said);
        let nothing = RaceUpdate { candidates: Vec::new(), seconds_left: Some(0.3), ..update() };
        assert_eq!((race_line(&nothing).as_str(), race_table(&nothing, 80, 24).len()), ("", 2));
    }

    #[test]
    fn times_are_rounded_up() {
        for (seconds, text) in [(0.2, "1 s"), (19.1, "20 s"), (41.0, "45 s"), (91.0, "2 min"), (5401.0, "2 h")] {
            assert_eq!(rounded_up(seconds), text);
        }
    }
}
