//! Whether probabilities mean what they say: how often a class comes true among the rows that were given its probability.
//!
//! Ten bins of equal width; the calibration error beside them is the metric of that name, whatever event is drawn.

use super::axes::{Axes, Legend, Sign, Span};
use super::canvas::{Anchor, draw};
use super::colours::{CLASSES, INK, MUTED, band};
use crate::error::Result;
use crate::metrics::Metric;
use crate::report::Row;
use crate::report::words::{count, counted, percent, percentage, shown};

/// Bins of equal width.
const BINS: usize = 10;

/// Probabilities of held-out rows against what came true, by bins.
#[derive(Clone, Debug, PartialEq)]
pub struct Reliability {
    /// The event whose probability was stated: `virginica`, `the predicted class`.
    pub event: String,
    /// Bins with rows, by rising probability.
    pub bins: Vec<Bin>,
}

/// Rows whose stated probability lies between two tenths.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bin {
    /// How many rows.
    pub rows: usize,
    /// Mean of the stated probabilities.
    pub stated: f64,
    /// Share of the rows for which the event came true.
    pub found: f64,
}

impl Reliability {
    /// Bins of stated probabilities and of whether the event came true.
    pub fn of(event: String, stated: &[(f64, bool)]) -> Reliability {
        let mut sums = [(0usize, 0.0, 0usize); BINS];
        for (p, came) in stated.iter().filter(|(p, _)| p.is_finite()) {
            let bin = &mut sums[((p * BINS as f64) as usize).min(BINS - 1)];
            *bin = (bin.0 + 1, bin.1 + p, bin.2 + usize::from(*came));
        }
        let bins = sums.iter().filter(|b| b.0 > 0);
        let bins = bins.map(|(n, p, came)| Bin { rows: *n, stated: p / *n as f64, found: *came as f64 / *n as f64 }).collect();
        Reliability { event, bins }
    }

    fn rows(&self) -> usize {
        self.bins.iter().map(|b| b.rows).sum()
    }

    /// What the figure shows, with its numbers; the calibration error is the one of the table.
    pub(super) fn sentence(&self, row: &Row) -> String {
        let n = self.rows();
        let Some(most) = self.bins.iter().max_by_key(|b| b.rows) else { return "No probability was predicted.".into() };
        let mean = |f: &dyn Fn(&Bin) -> f64| self.bins.iter().map(|b| b.rows as f64 * f(b)).sum::<f64>() / n.max(1) as f64;
        let (stated, found) = (mean(&|b| b.stated), mean(&|b| b.found));
        let bias = if (stated - found).abs() <= 0.02 {
            "No bias overall."
        } else if stated > found {
            "Too high overall."
        } else {
            "Too low overall."
        };
        let error = row.metric(Metric::CalibrationError).filter(|e| e.mean.is_finite());
        let error = error.map_or(String::new(), |e| format!(" Calibration error of the predicted class: {}.", percentage(e.mean)));
        format!(
            "{}: of {} predicted at about {} for {}, {} were so. {bias}{error}",
            shown(&row.estimator, 60),
            counted(most.rows, "held-out row"),
            percent(most.stated),
            shown(&self.event, 40),
            percent(most.found),
        )
    }

    pub(super) fn svg(&self, label: &str) -> Result<String> {
        const SIZE: (f64, f64) = (460.0, 400.0);
        let colour = CLASSES[0];
        let entries = vec![
            (Sign::Mark(0, colour), "rows by predicted probability (count)".to_owned()),
            (Sign::Line(MUTED), "perfectly calibrated".into()),
            (Sign::Area(band()), "share of rows".into()),
        ];
        let legend = Legend::new(entries, SIZE.0);
        let size = (SIZE.0, SIZE.1 + legend.height);
        let span = Span::of([0.0, 1.0].into_iter(), 0.04);
        let axes = Axes::new(size, legend.height, span, span, [&format!("predicted probability of {}", self.event), "share observed"]);
        let all = self.rows().max(1) as f64;
        draw(size, label, |sheet| {
            axes.grid(sheet)?;
            for b in &self.bins {
                // The bars stand on the axis, to its scale.
                let from = (b.stated * BINS as f64).floor().min(BINS as f64 - 1.0) / BINS as f64;
                let (low, high) = (axes.place(from + 0.004, 0.0), axes.place(from + 0.096, b.rows as f64 / all));
                sheet.area((low.0, high.1), (high.0, low.1), band())?;
            }
            sheet.line(&[axes.place(0.0, 0.0), axes.place(1.0, 1.0)], MUTED, 1.2)?;
            for b in &self.bins {
                let at = axes.place(b.stated, b.found);
                sheet.line(&[axes.place(b.stated, b.stated), at], colour, 1.4)?;
                sheet.mark(at, 0, colour, 4.2)?;
                let (beside, side) = if b.stated > 0.85 { (-9.0, Anchor::End) } else { (9.0, Anchor::Start) };
                sheet.text(&count(b.rows), (at.0 + beside, at.1), side, 12.0, INK)?;
            }
            legend.draw(sheet)?;
            axes.frame(sheet)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::Estimate;

    #[test]
    fn bins_hold_their_means_and_the_calibration_error_is_that_of_the_table() {
        let stated = [(0.95, true), (0.91, true), (1.0, false), (0.12, false), (0.18, false)];
        let r = Reliability::of("b".into(), &stated);
        assert_eq!(r.bins.len(), 2);
        assert!((r.bins[0].stated - 0.15).abs() <= 1e-15 && r.bins[0].found == 0.0 && r.bins[0].rows == 2);
        assert!((r.bins[1].stated - 2.86 / 3.0).abs() <= 1e-15 && (r.bins[1].found - 2.0 / 3.0).abs() <= 1e-15);
        let error = Estimate { mean: 0.0431, se: 0.01, folds: 5 };
        let row = Row { estimator: "knn".into(), metrics: vec![(Metric::CalibrationError, error)], ..Row::default() };
        assert_eq!(
            r.sentence(&row),
            "knn: of 3 held-out rows predicted at about 95% for b, 67% were so. Too high overall. Calibration error of the predicted \
             class: 4.3%."
        );
    }
}
