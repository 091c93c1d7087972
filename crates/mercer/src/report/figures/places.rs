//! How much an answer changes where each place of a sequence or of a series is masked.

use super::axes::{Axes, Legend, Sign, Span};
use super::canvas::draw;
use super::colours::class;
use crate::data::even_rows;
use crate::error::Result;
use crate::report::words::{brief, counted, shown};

/// The mean effect of each place of the cells of a column.
#[derive(Clone, Debug, PartialEq)]
pub struct Places {
    /// The column.
    pub column: String,
    /// The name of a place: `letter`, `time`.
    pub axis: String,
    /// What changes, in words.
    pub measure: String,
    /// Rows that were masked.
    pub rows: usize,
    /// Whether a line is of the rows of a predicted class; else it is of one of the numbers that are predicted.
    pub is_of_classes: bool,
    /// A name and the mean effect of each place.
    pub lines: Vec<(String, Vec<f64>)>,
}

/// Lines that are drawn.
const MOST_LINES: usize = 7;

impl Places {
    /// What the figure shows, with the place of most effect.
    pub(super) fn sentence(&self) -> String {
        let all = self.lines.iter().flat_map(|(name, means)| means.iter().enumerate().map(move |(at, mean)| (name, at, *mean)));
        let rows = counted(self.rows, "row");
        let said = format!("The mean {} where a {} is masked with those beside it, over {rows}", shown(&self.measure, 120), self.axis);
        match all.max_by(|a, b| a.2.abs().total_cmp(&b.2.abs()).then(b.1.cmp(&a.1))) {
            Some((name, at, mean)) => {
                let whose = if self.is_of_classes { format!(", in rows predicted as {}", shown(name, 60)) } else { String::new() };
                format!("{said}: largest at {} {} ({}){whose}.", self.axis, at + 1, brief(mean))
            }
            None => format!("{said}."),
        }
    }

    /// How many of the lines are drawn, where it is not all.
    pub(super) fn part(&self) -> Option<[usize; 2]> {
        (self.lines.len() > MOST_LINES).then_some([MOST_LINES, self.lines.len()])
    }

    pub(super) fn svg(&self, label: &str) -> Result<String> {
        const SIZE: (f64, f64) = (480.0, 300.0);
        // Places of a line; of longer cells so many are drawn, evenly chosen.
        const DRAWN: usize = 400;
        let lines = || self.lines.iter().take(MOST_LINES).enumerate();
        let named = if self.lines.len() > 1 { self.lines.len() } else { 0 };
        let legend = Legend::new(lines().take(named).map(|(k, (name, _))| (Sign::Line(class(k)), name.clone())).collect(), SIZE.0);
        let longest = self.lines.iter().map(|(_, means)| means.len()).max().unwrap_or(0);
        let size = (SIZE.0, SIZE.1 + legend.height);
        let upwards = Span::of(lines().flat_map(|(_, (_, means))| means.iter().copied()).chain([0.0]), 0.06);
        let axes =
            Axes::new(size, legend.height, Span::of([1.0, longest.max(2) as f64].into_iter(), 0.02), upwards, [&self.axis, "mean effect"]);
        draw(size, label, |sheet| {
            axes.grid(sheet)?;
            for (k, (_, means)) in lines() {
                let path: Vec<(f64, f64)> =
                    even_rows(means.len(), DRAWN).into_iter().map(|at| axes.place((at + 1) as f64, means[at])).collect();
                sheet.line(&path, class(k), 1.8)?;
            }
            legend.draw(sheet)?;
            axes.frame(sheet)
        })
    }
}
