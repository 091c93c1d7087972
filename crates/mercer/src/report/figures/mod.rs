//! Figures as SVG: one picture per fit, drawn from plain numbers.
//!
//! A picture says what it shows in one plain sentence ([`Picture::sentence`]) and is drawn by [`Picture::svg`] (for a
//! page that has the figures' style sheet) or [`Picture::file`] (for a file of its own). Pictures of many rows
//! draw [`MOST_MARKS`] of them, evenly chosen.

mod axes;
mod canvas;
mod colours;
mod confusion;
mod curve;
mod predicted;
mod regions;

pub use confusion::Confusion;
pub use curve::Curve;
pub use predicted::PredictedTrue;
pub use regions::Regions;

pub(super) use colours::style;

use super::Row;
use super::words::{count, shown};
use crate::error::{Error, Result};

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
    /// Which classes are taken for which.
    Confusion(Confusion),
}

impl Picture {
    /// What the figure shows, in plain words with its numbers; `row` is the fit that it belongs to.
    pub fn sentence(&self, row: &Row) -> String {
        let (said, rows) = match self {
            Picture::Regions(p) => (p.sentence(row), p.points.len()),
            Picture::PredictedTrue(p) => (p.sentence(row), p.truth.len()),
            Picture::Curve(p) => (p.sentence(row), p.x.len()),
            Picture::Confusion(p) => (p.sentence(row), 0),
        };
        if rows > MOST_MARKS { format!("{said} Drawn are {} of {} rows.", count(MOST_MARKS), count(rows)) } else { said }
    }

    /// The figure as an SVG element for a page. Errors where the picture's lists do not fit each other.
    pub fn svg(&self, row: &Row) -> Result<String> {
        let label = format!("{}. {}", self.title(row), self.sentence(row));
        match self {
            Picture::Regions(p) => p.svg(&label),
            Picture::PredictedTrue(p) => p.svg(&label),
            Picture::Curve(p) => p.svg(&label),
            Picture::Confusion(p) => p.svg(&label),
        }
    }

    /// The figure as a file of its own. Errors as [`Picture::svg`].
    pub fn file(&self, row: &Row) -> Result<String> {
        Ok(canvas::standalone(&self.svg(row)?, &self.title(row)))
    }

    fn title(&self, row: &Row) -> String {
        let what = match self {
            Picture::Regions(_) => "predicted class",
            Picture::PredictedTrue(_) => "predicted against true values",
            Picture::Curve(_) => "predicted curve",
            Picture::Confusion(_) => "confusion matrix",
        };
        format!("{}: {what}", shown(&row.estimator, 60))
    }
}

/// Which of `n` marks are drawn: all, or [`MOST_MARKS`] evenly chosen.
fn drawn(n: usize) -> impl Iterator<Item = usize> {
    let most = n.min(MOST_MARKS);
    (0..most).map(move |k| k * n / most)
}

/// Two lengths that must agree.
fn same(what: &str, expected: usize, found: usize) -> Result<()> {
    if expected == found { Ok(()) } else { Err(Error::Shape { what: what.into(), expected, found }) }
}
