//! What a model answers by: the effects of letters, words, times, nodes or members under the cell, and the parts of most effect.

use super::figures::{Picture, Places, TypicalGraphs};
use super::words::{brief, counted, listed, shown};
use crate::control::Control;
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::learner::{Explained, Explanation, Influences, Masking, Measure, Model};
use maud::{Markup, html};
use serde::Serialize;

/// Parts that are listed, and characters of a part.
const LISTED: usize = 20;
const PART: usize = 100;
/// A letter is marked from this share of the largest effect on, and twice as strongly from [`STRONG`] on.
const MARKED: f64 = 0.2;
const STRONG: f64 = 0.6;

/// The marks of the letters: for and against, weakly and strongly.
fn marks(effects: &[f64]) -> Vec<char> {
    let most = effects.iter().fold(0.0, |most: f64, e| most.max(e.abs()));
    let mark = |e: &f64| match e / most {
        share if share >= STRONG => '#',
        share if share >= MARKED => '+',
        share if share <= -STRONG => '=',
        share if share <= -MARKED => '-',
        _ => ' ',
    };
    effects.iter().map(|e| if most > 0.0 { mark(e) } else { ' ' }).collect()
}

/// A cell with the marks under it, cut to a width; the number of the first letter of each line before it.
fn drawn(column: &Explained, width: usize) -> String {
    let marks = marks(&column.effects);
    let margin = column.units.len().to_string().len();
    let mut out = String::new();
    let (mut line, mut under, mut first, mut used) = (String::new(), String::new(), 1, 0);
    let room = width.saturating_sub(margin + 4).max(10);
    let mut end = |line: &mut String, under: &mut String, first: usize| {
        out.push_str(&format!("  {first:>margin$}  {}\n", line.trim_end()));
        if !under.trim().is_empty() {
            out.push_str(&format!("  {:margin$}  {}\n", "", under.trim_end()));
        }
        line.clear();
        under.clear();
    };
    for (k, (unit, mark)) in column.units.iter().zip(&marks).enumerate() {
        let length = unit.chars().count();
        if used + length > room && used > 0 {
            end(&mut line, &mut under, first);
            (first, used) = (k + 1, 0);
        }
        line.extend(unit.chars().map(|c| if c.is_control() { ' ' } else { c }));
        let word = unit.trim_end().chars().count();
        under.extend(std::iter::repeat_n(*mark, word).chain(std::iter::repeat_n(' ', length - word)));
        used += length;
    }
    if used > 0 {
        end(&mut line, &mut under, first);
    }
    out
}

/// Why a model answers as it does for one row.
pub fn explanation_text(explanation: &Explanation, width: usize) -> String {
    let measure = explanation.measure.words();
    let said = if explanation.measure == Measure::LogDensity { String::new() } else { format!("{measure} ") };
    let mut out = format!("{}: {said}{}\n", explanation.of, brief(explanation.value));
    for column in &explanation.columns {
        out.push_str(&format!("\ncolumn '{}'\n", column.column));
        out.push_str(&drawn(column, width));
        if column.strongest.is_empty() {
            out.push_str("  No part of it changes the answer.\n");
            continue;
        }
        out.push_str("\n  effect      part\n");
        for part in &column.strongest {
            let at = if part.place.is_empty() { String::new() } else { format!(" at {}", part.place) };
            out.push_str(&format!("  {:<10}  {}{at}\n", format!("{:+}", Brief(part.effect)), shown(&part.text, PART)));
        }
    }
    out.push_str(&format!(
        "\nEffect: {measure} of {} minus that with the part masked. # and + raise it, = and - lower it.\n",
        explanation.of
    ));
    out
}

/// A number with a few digits, signed on request.
struct Brief(f64);

impl std::fmt::Display for Brief {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let sign = if f.sign_plus() && self.0 >= 0.0 { "+" } else { "" };
        write!(f, "{sign}{}", brief(self.0))
    }
}

/// The rows that were looked at, by class.
pub(super) fn looked_at(influences: &Influences) -> String {
    let of_class = |c: &crate::learner::ClassRows| format!("{} predicted as {}", counted(c.rows, "row"), shown(&c.class, 60));
    match influences.classes.as_slice() {
        [] => counted(influences.rows, "row"),
        classes => listed(&classes.iter().map(of_class).collect::<Vec<_>>()),
    }
}

/// The parts that a model answers by.
pub fn influences_text(all: &[Influences]) -> String {
    let mut out = String::new();
    for influences in all {
        let measure = influences.measure.words();
        out.push_str(&format!("{}: change of the {measure}, {}\n  mean effect  times  part\n", influences.of, looked_at(influences)));
        let has_several = influences.parts.iter().any(|part| part.column != influences.parts[0].column);
        for part in influences.parts.iter().take(LISTED) {
            let column = if has_several { format!("{}: ", shown(&part.column, PART)) } else { String::new() };
            let effect = format!("{:+}", Brief(part.mean));
            out.push_str(&format!("  {effect:<11}  {:>5}  {column}{}\n", part.times, shown(&part.text, PART)));
        }
        out.push('\n');
    }
    out.push_str(EFFECT);
    out.push('\n');
    out
}

/// What the columns of the list mean.
pub(super) const EFFECT: &str = "Mean effect: what masking such a part takes away. Times: such parts that overlap none above. The parts that stand out most come first.";

/// What a page shows, marked in its pictures of graphs too: none of a model whose rows have no parts, or where time does not suffice for one row.
pub(super) fn of_page(model: &Model, data: &Dataset, pictures: &mut [Picture], control: &Control) -> Result<Vec<Influences>> {
    // Rows that are masked for a page, and the seconds that this takes at most.
    const PAGE: Masking = Masking { width: None, rows: 50 };
    const PAGE_SECONDS: f64 = 3.0;
    let seconds = control.seconds_left().map_or(PAGE_SECONDS, |left| left.min(PAGE_SECONDS));
    let control = control.clone().with_seconds(seconds);
    let found = model.influences(data, &PAGE, &control).and_then(|found| {
        let graphs = pictures.iter_mut().filter_map(|picture| if let Picture::Graphs(graphs) = picture { Some(graphs) } else { None });
        for graphs in graphs {
            match mark(graphs, model, data, &control) {
                Err(Error::Time { .. }) => break,
                marked => marked?,
            }
        }
        Ok(found)
    });
    match found {
        Err(Error::Cancelled) => Err(Error::Cancelled),
        found => Ok(found.unwrap_or_default()),
    }
}

/// Marks in graphs that are drawn what the answers for them come from.
pub(super) fn mark(graphs: &mut TypicalGraphs, model: &Model, data: &Dataset, control: &Control) -> Result<()> {
    for (row, graph) in &mut graphs.drawn {
        let found = model.explain(&data.select(&[row.row - 1]), 0, None, control)?;
        let Some(column) = found.columns.iter().find(|column| column.column == graphs.column) else { continue };
        let most = column.effects.iter().fold(0.0, |most: f64, effect| most.max(effect.abs()));
        graph.strong = (0..column.effects.len()).filter(|&k| most > 0.0 && column.effects[k].abs() >= STRONG * most).collect();
    }
    Ok(())
}

/// The section of a page on the parts that a model answers by; nothing where there are none.
pub(super) fn answers_by(estimator: &str, all: &[Influences]) -> Markup {
    // Parts on a page, for each class.
    const PAGE_PARTS: usize = 12;
    let one = |influences: &Influences| {
        html! {
            h3 { (shown(&influences.of, 80)) }
            p { "Change of the " (influences.measure.words()) ", " (looked_at(influences)) "." }
            div.scroll tabindex="0" role="region" aria-label="Parts of most effect" {
                table.close {
                    thead { tr { th scope="col" { "part" } th scope="col" { "column" } th scope="col" { "mean effect" } th scope="col" { "times" } } }
                    tbody {
                        @for part in influences.parts.iter().take(PAGE_PARTS) {
                            tr {
                                th scope="row" { code { (shown(&part.text, PART)) } }
                                td { (shown(&part.column, 80)) }
                                td { (format!("{:+}", Brief(part.mean))) }
                                td { (part.times) }
                            }
                        }
                    }
                }
            }
        }
    };
    html! {
        @if all.iter().any(|influences| !influences.parts.is_empty()) {
            h2 { "What " (shown(estimator, 80)) " answers by" }
            p { (EFFECT) " More rows: " code { "mercer explain MODEL TABLE" } "; one row: " code { "--row NUMBER" } "." }
            @for influences in all { (one(influences)) }
        }
    }
}

/// The effects of places, a figure for each column: of two classes on the second, of more on the class of the rows.
pub(super) fn places(all: &[Influences]) -> Vec<Places> {
    let mut out: Vec<Places> = Vec::new();
    for (influences, places) in all.iter().flat_map(|i| i.places.iter().map(move |p| (i, p))) {
        let is_own = all.len() == 1 || places.class.is_empty() || places.class == influences.of;
        if !is_own || places.means.len() < 2 {
            continue;
        }
        let name = if places.class.is_empty() { &influences.of } else { &places.class };
        let line = (name.clone(), places.means.clone());
        match out.iter_mut().find(|found| found.column == places.column) {
            Some(found) => found.lines.push(line),
            None => out.push(Places {
                column: places.column.clone(),
                axis: places.axis.clone(),
                measure: match places.class.is_empty() {
                    true => format!("size of the change of the {}", influences.measure.words()),
                    false if all.len() == 1 => format!("change of the {} of {}", influences.measure.words(), influences.of),
                    false => format!("change of the {} of their class", influences.measure.words()),
                },
                rows: influences.rows,
                is_of_classes: !places.class.is_empty(),
                lines: vec![line],
            }),
        }
    }
    out
}

fn pretty(document: &impl Serialize) -> Result<String> {
    serde_json::to_string_pretty(document).map_err(|e| Error::Data(e.to_string()))
}

/// An explanation as JSON.
///
/// # Errors
/// None that a user can bring about.
pub fn explanation_json(explanation: &Explanation) -> Result<String> {
    pretty(explanation)
}

/// Influences as JSON.
///
/// # Errors
/// None that a user can bring about.
pub fn influences_json(all: &[Influences]) -> Result<String> {
    pretty(&all)
}
