//! A grid of settings in lines: the best one, and the score of each by C and gamma.

use super::text::{Column, within};
use super::words::{UNKNOWN, counted, digits, digits_for, estimate, number, score, wrapped};
use crate::compare::{JudgedSetting, SettingsGrid};
use crate::error::{Error, Result};
use crate::metrics::Estimate;
use comfy_table::CellAlignment;
use serde_json::{Value as Json, json};

/// A value of an axis: `2^-5`, or three digits where it is no power of two.
fn as_power_of_two(value: f64) -> String {
    match value.log2() {
        exponent if exponent.fract() == 0.0 => format!("2^{exponent}"),
        _ => format!("{value:.3}"),
    }
}

impl SettingsGrid {
    /// All settings that there are.
    fn planned(&self) -> usize {
        self.axes.iter().map(Vec::len).product()
    }

    fn scores(&self) -> impl Iterator<Item = Estimate> + Clone {
        self.settings.iter().filter_map(|s| s.score)
    }

    /// The best setting, what it is expected to reach, and what the choice was made from.
    fn verdict(&self) -> String {
        let best = &self.settings[self.best];
        let digits = digits(self.scores());
        let reached = best.score.map_or_else(|| UNKNOWN.into(), |e| estimate(self.metric, e, digits));
        let corrected = self.corrected.map_or_else(String::new, |value| {
            format!(
                "; on new rows expect {}, as the best of {} settings is the luckiest too",
                score(self.metric, value, digits),
                self.settings.len()
            )
        });
        format!(
            "Best: {} with C = {} and gamma = {}: {} {reached} on {}{corrected}.",
            self.estimator.name(),
            as_power_of_two(best.c),
            as_power_of_two(best.gamma),
            self.metric.heading(),
            counted(self.folds, "fold"),
        )
    }

    /// The score of a setting, and whether it is the best.
    fn cell(&self, setting: &JudgedSetting, is_best: bool) -> String {
        let value = match setting.score {
            None => UNKNOWN.to_owned(),
            Some(score) if self.metric.is_share() => number(100.0 * score.mean, 1),
            Some(score) => number(score.mean, digits_for(score.mean.abs() * 0.1).min(6)),
        };
        // Each cell is as wide as the marked one, so that points stand under each other.
        format!("{value}{}", if is_best { "*" } else { " " })
    }
}

/// The best setting, the scores of all of them by gamma and C, and the notices, in lines of at most `width` characters (at least 40).
pub fn settings_text(grid: &SettingsGrid, width: usize) -> String {
    let width = width.max(40);
    let [penalties, gammas] = &grid.axes;
    let strips: Vec<&[JudgedSetting]> = grid.settings.chunks(penalties.len()).collect();
    let first = Column {
        heading: "gamma \\ C".into(),
        cells: gammas.iter().take(strips.len()).map(|g| as_power_of_two(*g)).collect(),
        align: CellAlignment::Left,
    };
    let column = |(place, c): (usize, &f64)| Column {
        heading: format!("{} ", as_power_of_two(*c)),
        cells: strips.iter().enumerate().map(|(k, strip)| grid.cell(&strip[place], k * penalties.len() + place == grid.best)).collect(),
        align: CellAlignment::Right,
    };
    let (table, left_out) = within(std::iter::once(first).chain(penalties.iter().enumerate().map(column)).collect(), width);
    let unit = if grid.metric.is_share() { ", in per cent" } else { "" };
    let mut lines = wrapped(&grid.verdict(), ["", ""], width);
    lines.extend([String::new(), format!("{} on held-out rows{unit} (* best)", grid.metric.heading()), table, String::new()]);
    let mut notes: Vec<String> = Vec::new();
    let mut note = |holds: bool, text: String| notes.extend(holds.then_some(text));
    note(left_out > 0, format!("{left_out} columns do not fit; --json has them"));
    note(grid.settings.len() < grid.planned(), format!("{} of {} settings were tried before the end", grid.settings.len(), grid.planned()));
    let failed: Vec<&String> = grid.settings.iter().filter_map(|s| s.failure.as_ref()).collect();
    note(
        !failed.is_empty(),
        format!("{} failed, the first: {}", counted(failed.len(), "setting"), failed.first().map_or("", |why| why.as_str())),
    );
    let unconverged: usize = grid.settings.iter().map(|s| s.unconverged).sum();
    note(unconverged > 0, format!("{} did not meet the tolerance", counted(unconverged, "fit")));
    note(is_at_edge(grid), "the best setting lies at an edge of the grid: better ones may lie beyond".into());
    notes.push("columns were prepared once, on all rows".into());
    notes.extend(grid.notices.iter().map(ToString::to_string));
    lines.extend(notes.iter().flat_map(|text| wrapped(text, ["note: ", "      "], width)));
    lines.join("\n")
}

/// Whether the best setting has the least or the most C or gamma of the grid.
fn is_at_edge(grid: &SettingsGrid) -> bool {
    let best = &grid.settings[grid.best];
    let ends = |axis: &[f64], value: f64| [axis.first(), axis.last()].contains(&Some(&value));
    ends(&grid.axes[0], best.c) || ends(&grid.axes[1], best.gamma)
}

/// A grid of settings as a document.
///
/// # Errors
/// Numbers that cannot be written.
pub fn settings_json(grid: &SettingsGrid) -> Result<String> {
    let of = |setting: &JudgedSetting| {
        json!({
            "c": setting.c, "gamma": setting.gamma, "mean": setting.score.map(|s| s.mean), "se": setting.score.map(|s| s.se),
            "folds": setting.folds, "unconverged": setting.unconverged, "failure": setting.failure,
        })
    };
    let document = json!({
        "estimator": grid.estimator.to_string(), "metric": grid.metric.name(), "rows": grid.rows, "folds": grid.folds,
        "planned": grid.planned(), "best": of(&grid.settings[grid.best]), "corrected": grid.corrected,
        "settings": grid.settings.iter().map(of).collect::<Vec<Json>>(),
        "notices": grid.notices.iter().map(ToString::to_string).collect::<Vec<_>>(),
    });
    serde_json::to_string_pretty(&document).map_err(|e| Error::Data(e.to_string()))
}
