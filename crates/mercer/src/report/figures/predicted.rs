//! Predicted against true values of held-out rows, with intervals where the model gives them.

use super::axes::{Axes, Legend, Sign, Span};
use super::canvas::draw;
use super::colours::{CLASSES, MUTED, band};
use super::{drawn, median};
use crate::error::{Error, Result};
use crate::report::Row;
use crate::report::words::{brief, count, counted, shown};

/// Predicted and true values of held-out rows.
#[derive(Clone, Debug, PartialEq)]
pub struct PredictedTrue {
    /// The target column.
    pub target: String,
    /// True values.
    pub truth: Vec<f64>,
    /// Predicted values, one per true value.
    pub predicted: Vec<f64>,
    /// Lower and upper end of the interval of each prediction, where the model gives one; empty where it does not.
    pub intervals: Vec<[f64; 2]>,
    /// Probability that an interval claims to hold the true value, 0 to 1.
    pub level: f64,
}

impl PredictedTrue {
    /// What the figure shows, in one sentence with its numbers.
    pub(super) fn sentence(&self, row: &Row) -> String {
        let off = self.truth.iter().zip(&self.predicted).map(|(t, p)| (t - p).abs()).filter(|d| d.is_finite()).collect::<Vec<f64>>();
        let predictions = counted(off.len(), "prediction");
        let Some(half) = median(off).map(brief) else { return format!("{} predicts no number.", shown(&row.estimator, 60)) };
        let held = if self.intervals.is_empty() { String::new() } else { self.coverage() };
        format!(
            "Half of the {predictions} of {} by {}, on held-out rows, lie within {half} of the truth (line){held}.",
            shown(&self.target, 60),
            shown(&row.estimator, 60)
        )
    }

    fn coverage(&self) -> String {
        let inside = self.truth.iter().zip(&self.intervals).filter(|(t, [low, high])| low <= t && *t <= high).count();
        format!(
            ", and the vertical lines, which should hold {:.0} of 100 true values, hold {:.0} of 100 ({} of {})",
            100.0 * self.level,
            100.0 * inside as f64 / self.intervals.len().max(1) as f64,
            count(inside),
            count(self.intervals.len())
        )
    }

    pub(super) fn svg(&self, label: &str) -> Result<String> {
        const SIZE: (f64, f64) = (460.0, 430.0);
        Error::unless_equal("predicted values", self.truth.len(), self.predicted.len())?;
        if !self.intervals.is_empty() {
            Error::unless_equal("intervals", self.truth.len(), self.intervals.len())?;
        }
        let colour = CLASSES[0];
        let mut entries = vec![(Sign::Mark(0, colour), "one row".to_owned())];
        if !self.intervals.is_empty() {
            entries.push((Sign::Line(band()), format!("{:.0}% interval", 100.0 * self.level)));
        }
        entries.push((Sign::Line(MUTED), "perfect prediction".into()));
        let legend = Legend::new(entries, SIZE.0);
        let size = (SIZE.0, SIZE.1 + legend.height);
        // One range for both axes; the interval of a single row does not widen it beyond twice the values' own.
        let values = Span::of(self.truth.iter().chain(&self.predicted).copied(), 0.5);
        let ends = self.intervals.iter().flatten().copied().filter(|v| values.has(*v));
        let span = Span::of(self.truth.iter().chain(&self.predicted).copied().chain(ends), 0.04);
        let axes = Axes::new(size, legend.height, span, span, [&format!("true {}", self.target), &format!("predicted {}", self.target)]);
        draw(size, label, |sheet| {
            axes.grid(sheet)?;
            for i in drawn(self.intervals.len()) {
                let [low, high] = self.intervals[i];
                if self.truth[i].is_finite() && low.is_finite() && high.is_finite() {
                    sheet.line(&[axes.place(self.truth[i], low), axes.place(self.truth[i], high)], band(), 1.2)?;
                }
            }
            sheet.line(&[axes.place(span.low, span.low), axes.place(span.high, span.high)], MUTED, 1.2)?;
            for i in drawn(self.truth.len()).filter(|&i| axes.has(self.truth[i], self.predicted[i])) {
                sheet.mark(axes.place(self.truth[i], self.predicted[i]), 0, colour, 3.0)?;
            }
            legend.draw(sheet)?;
            axes.frame(sheet)
        })
    }
}
