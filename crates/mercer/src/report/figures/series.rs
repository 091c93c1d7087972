//! Some series, a line for each channel.

use super::axes::{Axes, Span};
use super::canvas::{Anchor, draw};
use super::colours::{INK, class};
use super::typical::{TypicalRow, chosen};
use crate::data::even_rows;
use crate::error::Result;
use crate::report::words::shown;

/// Series of the rows that are most typical of each class, or of large and of small numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct TypicalSeries {
    /// The column that holds them.
    pub column: String,
    /// The series, those of one class after another: the numbers of each channel in order of time.
    pub drawn: Vec<(TypicalRow, Vec<Vec<f64>>)>,
}

impl TypicalSeries {
    /// What the figure shows.
    pub(super) fn sentence(&self) -> String {
        let said = chosen(&self.column, "series", self.drawn.iter().map(|(row, _)| row));
        let channels = self.drawn.iter().map(|(_, lines)| lines.len()).max().unwrap_or(0);
        if channels > 1 { format!("{said} One line for each of {channels} channels.") } else { said }
    }

    pub(super) fn svg(&self, label: &str) -> Result<String> {
        // Pixels of one chart, and of the words above it.
        const SIZE: (f64, f64) = (300.0, 190.0);
        const TITLE: f64 = 22.0;
        // Charts side by side.
        const ACROSS: usize = 3;
        // Times of a line; of longer series so many are drawn, evenly chosen.
        const TIMES: usize = 400;
        let (width, height) = (SIZE.0, SIZE.1 + TITLE);
        let lines = self.drawn.len().div_ceil(ACROSS);
        let size = (width * self.drawn.len().min(ACROSS) as f64, height * lines as f64);
        // One scale upwards, so that series can be compared.
        let all = || self.drawn.iter().flat_map(|(_, channels)| channels.iter().flatten().copied());
        let longest = self.drawn.iter().flat_map(|(_, channels)| channels.iter().map(Vec::len)).max().unwrap_or(0);
        draw(size, label, |sheet| {
            for (k, (row, channels)) in self.drawn.iter().enumerate() {
                let at = ((k % ACROSS) as f64 * width, (k / ACROSS) as f64 * height);
                sheet.text(&shown(&row.caption(), 46), (at.0 + width / 2.0, at.1 + TITLE / 2.0), Anchor::Middle, 12.0, INK)?;
                let (across, upwards) = (Span::of([1.0, longest.max(2) as f64].into_iter(), 0.02), Span::of(all(), 0.06));
                let axes = Axes::new(SIZE, 0.0, across, upwards, ["time", ""]).moved((at.0, at.1 + TITLE));
                axes.grid(sheet)?;
                for (channel, values) in channels.iter().enumerate() {
                    let times = even_rows(values.len(), TIMES);
                    let path: Vec<(f64, f64)> = times.iter().map(|&t| axes.place((t + 1) as f64, values[t])).collect();
                    match path.as_slice() {
                        [alone] => sheet.mark(*alone, 0, class(channel), 2.8)?,
                        path => sheet.line(path, class(channel), 1.6)?,
                    }
                }
                axes.frame(sheet)?;
            }
            Ok(())
        })
    }
}
