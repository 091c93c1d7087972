//! Figures as SVG: one picture per fit, drawn from plain numbers.
//!
//! A picture says what it shows in one plain sentence ([`Picture::sentence`]) and is drawn by [`Picture::svg`] (for a
//! page that has the figures' style sheet) or [`Picture::file`] (for a file of its own). Pictures of many rows
//! draw [`MOST_MARKS`] of them, evenly chosen.

mod axes;
mod canvas;
mod colours;
mod components;
mod confusion;
mod contours;
mod curve;
mod directions;
mod graphs;
mod length_scales;
mod panels;
mod places;
mod predicted;
mod regions;
mod reliability;
mod residuals;
mod scree;
mod series;
mod tuning;
mod typical;

pub use components::Components;
pub use confusion::Confusion;
pub use contours::contours;
pub use curve::Curve;
pub use directions::Directions;
pub use graphs::{DrawnGraph, TypicalGraphs};
pub use length_scales::LengthScales;
pub use panels::{Layer, Panel, Panels};
pub use places::Places;
pub use predicted::PredictedTrue;
pub use regions::Regions;
pub use reliability::{Bin, Reliability};
pub use residuals::Residuals;
pub use scree::Scree;
pub use series::TypicalSeries;
pub use tuning::TuningCurve;
pub use typical::TypicalRow;

pub(super) use colours::style;

use super::Row;
use super::words::{count, shown};
use crate::data::even_rows;
use crate::error::{Error, Result};
use crate::store::write_atomically;
use std::path::Path;

/// Marks in one figure; more would make the page heavy and the figure no clearer.
const MOST_MARKS: usize = 800;

/// What can be drawn of a fit.
#[derive(Clone, Debug, PartialEq)]
pub enum Picture {
    /// Classes over two numeric columns.
    Regions(Regions),
    /// Predicted against true values.
    PredictedTrue(PredictedTrue),
    /// A curve over one numeric column.
    Curve(Curve),
    /// Rows along two components.
    Components(Components),
    /// Rows of classes along discriminant directions.
    Directions(Directions),
    /// How much of the variance each component holds.
    Scree(Scree),
    /// Which classes are taken for which.
    Confusion(Confusion),
    /// What is left over of the truth after a prediction.
    Residuals(Residuals),
    /// Whether probabilities mean what they say.
    Reliability(Reliability),
    /// How fast the answer changes along each column.
    LengthScales(LengthScales),
    /// How the score depends on one parameter.
    Tuning(TuningCurve),
    /// What each place of a sequence or of a series adds to the answer.
    Places(Places),
    /// Graphs that are typical of what is predicted.
    Graphs(TypicalGraphs),
    /// Series that are typical of what is predicted.
    Series(TypicalSeries),
}

impl Picture {
    /// What the figure shows, in one plain sentence with its numbers; `row` is the fit that it belongs to.
    pub fn sentence(&self, row: &Row) -> String {
        match self {
            Picture::Regions(p) => p.sentence(row),
            Picture::PredictedTrue(p) => p.sentence(row),
            Picture::Curve(p) => p.sentence(row),
            Picture::Components(p) => p.sentence(),
            Picture::Directions(p) => p.sentence(),
            Picture::Scree(p) => p.sentence(),
            Picture::Confusion(p) => p.sentence(row),
            Picture::Residuals(p) => p.sentence(row),
            Picture::Reliability(p) => p.sentence(row),
            Picture::LengthScales(p) => p.sentence(),
            Picture::Tuning(p) => p.sentence(),
            Picture::Places(p) => p.sentence(),
            Picture::Graphs(p) => p.sentence(),
            Picture::Series(p) => p.sentence(),
        }
    }

    /// The figure as an SVG element for a page. Errors where the picture's lists do not fit each other.
    pub fn svg(&self, row: &Row) -> Result<String> {
        let label = format!("{}: {}. {}", shown(&row.estimator, 60), self.title(), self.sentence(row));
        match self {
            Picture::Regions(p) => p.svg(&label),
            Picture::PredictedTrue(p) => p.svg(&label),
            Picture::Curve(p) => p.svg(&label),
            Picture::Components(p) => p.svg(&label),
            Picture::Directions(p) => p.svg(&label),
            Picture::Scree(p) => p.svg(&label),
            Picture::Confusion(p) => p.svg(&label),
            Picture::Residuals(p) => p.svg(&label),
            Picture::Reliability(p) => p.svg(&label),
            Picture::LengthScales(p) => p.svg(&label),
            Picture::Tuning(p) => p.svg(&label),
            Picture::Places(p) => p.svg(&label),
            Picture::Graphs(p) => p.svg(&label),
            Picture::Series(p) => p.svg(&label),
        }
    }

    /// The figure as a file of its own. Errors as [`Picture::svg`].
    pub fn file(&self, row: &Row) -> Result<String> {
        Ok(canvas::standalone(&self.svg(row)?, &format!("{}: {}", shown(&row.estimator, 60), self.title())))
    }

    /// What it is, in a few words, and which part of it is drawn.
    pub fn title(&self) -> String {
        let what = match self {
            Picture::Regions(p) => ["Predicted classes".into()].into_iter().chain(p.slice()).collect::<Vec<String>>().join(", "),
            Picture::PredictedTrue(_) => "Predicted and true values".into(),
            Picture::Curve(_) => "Predicted curve".into(),
            Picture::Components(p) => if p.clusters.is_empty() { "Components" } else { "Clusters" }.into(),
            Picture::Directions(_) => "Discriminant directions".into(),
            Picture::Scree(_) => "Variance of the components".into(),
            Picture::Confusion(_) => "Confusion matrix".into(),
            Picture::Residuals(_) => "Residuals".into(),
            Picture::Reliability(_) => "Reliability".into(),
            Picture::LengthScales(p) => {
                let units = if p.standardised { "" } else { ", each in its own unit" };
                format!("Length scales of the columns to {}{units}", shown(&p.kernel, 40))
            }
            Picture::Tuning(p) => format!("Choice of {}", shown(&p.parameter.name, 60)),
            Picture::Places(p) => format!("Effect by {} of {}", p.axis, shown(&p.column, 40)),
            Picture::Graphs(p) => format!("Typical graphs of {}", shown(&p.column, 40)),
            Picture::Series(p) => format!("Typical series of {}", shown(&p.column, 40)),
        };
        let marks = |rows: usize| (rows > MOST_MARKS).then_some([MOST_MARKS, rows]);
        let (part, of) = match self {
            Picture::Regions(p) => (marks(p.points.len()), "rows"),
            Picture::PredictedTrue(p) => (marks(p.truth.len()), "rows"),
            Picture::Curve(p) => (marks(p.x.len()), "rows"),
            Picture::Components(p) => (marks(p.places.len()), "rows"),
            Picture::Directions(p) => (marks(p.places.len()), "rows"),
            Picture::Residuals(p) => (marks(p.predicted.len()), "rows"),
            Picture::Confusion(p) => (p.part(), "classes"),
            Picture::LengthScales(p) => (p.part(), "columns"),
            Picture::Places(p) => (p.part(), "lines"),
            Picture::Reliability(_) | Picture::Scree(_) | Picture::Tuning(_) | Picture::Graphs(_) | Picture::Series(_) => (None, ""),
        };
        part.map_or(what.clone(), |[drawn, all]| format!("{what} ({} of {} {of} drawn)", count(drawn), count(all)))
    }

    /// Its name in the name of a file.
    fn stem(&self) -> String {
        match self {
            Picture::Regions(_) => "regions".into(),
            Picture::PredictedTrue(_) => "predicted".into(),
            Picture::Curve(_) => "curve".into(),
            Picture::Components(p) => if p.clusters.is_empty() { "components" } else { "clusters" }.into(),
            Picture::Directions(_) => "directions".into(),
            Picture::Scree(_) => "scree".into(),
            Picture::Confusion(_) => "confusion".into(),
            Picture::Residuals(_) => "residuals".into(),
            Picture::Reliability(_) => "reliability".into(),
            Picture::LengthScales(p) => format!("length-scales-{}", p.kernel),
            Picture::Tuning(p) => format!("tuning-{}", p.parameter.path),
            Picture::Places(p) => format!("places-{}", p.column),
            Picture::Graphs(p) => format!("graphs-{}", p.column),
            Picture::Series(p) => format!("series-{}", p.column),
        }
    }

    /// Where it stands among the pictures of a fit.
    pub(super) fn place(&self) -> usize {
        match self {
            Picture::Curve(_) | Picture::Components(_) | Picture::Directions(_) => 0,
            Picture::Confusion(_) | Picture::PredictedTrue(_) | Picture::Scree(_) => 1,
            Picture::Regions(_) | Picture::Residuals(_) => 2,
            Picture::Reliability(_) => 3,
            Picture::LengthScales(_) | Picture::Places(_) | Picture::Graphs(_) | Picture::Series(_) => 4,
            Picture::Tuning(_) => 5,
        }
    }
}

/// Every figure of some fits as an SVG file: (name, text). Names are `ESTIMATOR-FIGURE.svg` in letters, digits and
/// `-_.=`, unique even on case-insensitive file systems.
pub fn figure_files(rows: &[Row]) -> Result<Vec<(String, String)>> {
    let mut out: Vec<(String, String)> = Vec::new();
    for row in rows.iter().filter(|r| r.failure.is_none()) {
        for picture in &row.pictures {
            let stem = format!("{}-{}", plain(&row.estimator), plain(&picture.stem()));
            let mut name = format!("{stem}.svg");
            let mut copy = 1;
            while out.iter().any(|(taken, _)| taken.eq_ignore_ascii_case(&name)) {
                copy += 1;
                name = format!("{stem}-{copy}.svg");
            }
            out.push((name, picture.file(row)?));
        }
    }
    Ok(out)
}

/// Writes every figure of some fits into a folder, which is made if it is not there: each file whole or not at all, files
/// of other names left alone. How many there are.
pub fn save_figures(folder: &Path, rows: &[Row]) -> Result<usize> {
    let files = figure_files(rows)?;
    std::fs::create_dir_all(folder).map_err(|e| Error::io(folder.display(), e))?;
    for (name, svg) in &files {
        write_atomically(&folder.join(name), svg.as_bytes())?;
    }
    Ok(files.len())
}

/// A name that every file system takes.
fn plain(name: &str) -> String {
    let kept = |c: char| if c.is_ascii_alphanumeric() || "-.=".contains(c) { c } else { '_' };
    let mut out = String::new();
    for c in name.chars().map(kept).take(80) {
        if c != '_' || !out.ends_with('_') {
            out.push(c);
        }
    }
    let trimmed = out.trim_matches(['_', '.']);
    if trimmed.is_empty() { "figure".into() } else { trimmed.into() }
}

/// The median of some numbers.
pub(super) fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

/// Which of `n` marks are drawn: all, or [`MOST_MARKS`] evenly chosen.
fn drawn(n: usize) -> impl Iterator<Item = usize> {
    even_rows(n, MOST_MARKS).into_iter()
}
