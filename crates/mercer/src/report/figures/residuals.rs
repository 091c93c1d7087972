//! How far the truth lies from each prediction of a held-out row.

use super::axes::{Axes, Legend, Sign, Span};
use super::canvas::draw;
use super::colours::{CLASSES, MUTED};
use super::{drawn, median};
use crate::error::{Error, Result};
use crate::report::Row;
use crate::report::words::{brief, count, counted, shown};

/// Predictions of held-out rows and what was left over.
#[derive(Clone, Debug, PartialEq)]
pub struct Residuals {
    /// The target column.
    pub target: String,
    /// Predicted values.
    pub predicted: Vec<f64>,
    /// True value minus predicted value of each.
    pub residual: Vec<f64>,
}

impl Residuals {
    /// Pairs of finite numbers, by rising prediction.
    fn sorted(&self) -> Vec<(f64, f64)> {
        let pairs = self.predicted.iter().copied().zip(self.residual.iter().copied());
        let mut pairs: Vec<(f64, f64)> = pairs.filter(|(p, r)| p.is_finite() && r.is_finite()).collect();
        pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
        pairs
    }

    /// What the figure shows, with its numbers.
    pub(super) fn sentence(&self, row: &Row) -> String {
        let pairs = self.sorted();
        let above = pairs.iter().filter(|(_, r)| *r > 0.0).count();
        let what = format!(
            "Of {} held out, {} predicts {} too low (above the line)",
            counted(pairs.len(), "row"),
            shown(&row.estimator, 60),
            count(above),
        );
        // The size of the errors among the lowest and the highest third of the predictions.
        let third = pairs.len() / 3;
        let size = |part: &[(f64, f64)]| median(part.iter().map(|(_, r)| r.abs()).collect());
        let (Some(low), Some(high)) = (size(&pairs[..third]), size(&pairs[pairs.len() - third..])) else { return format!("{what}.") };
        let trend = if high > 1.5 * low {
            "so large predictions are less accurate"
        } else if low > 1.5 * high {
            "so small predictions are less accurate"
        } else {
            "about the same everywhere"
        };
        format!(
            "{what}. Half of the errors are below {} in the lowest third of the predictions and below {} in the highest, {trend}.",
            brief(low),
            brief(high)
        )
    }

    pub(super) fn svg(&self, label: &str) -> Result<String> {
        const SIZE: (f64, f64) = (460.0, 330.0);
        Error::unless_equal("residuals", self.predicted.len(), self.residual.len())?;
        let colour = CLASSES[0];
        let legend = Legend::new(vec![(Sign::Mark(0, colour), "one row".into()), (Sign::Line(MUTED), "exactly right".into())], SIZE.0);
        let size = (SIZE.0, SIZE.1 + legend.height);
        let pairs = self.sorted();
        let across = Span::of(pairs.iter().map(|p| p.0), 0.04);
        let upwards = Span::of(pairs.iter().map(|p| p.1).chain([0.0]), 0.06);
        let names = [format!("predicted {}", self.target), "true minus predicted".to_owned()];
        let axes = Axes::new(size, legend.height, across, upwards, [&names[0], &names[1]]);
        draw(size, label, |sheet| {
            axes.grid(sheet)?;
            sheet.line(&[axes.place(across.low, 0.0), axes.place(across.high, 0.0)], MUTED, 1.2)?;
            for i in drawn(pairs.len()).filter(|&i| axes.has(pairs[i].0, pairs[i].1)) {
                sheet.mark(axes.place(pairs[i].0, pairs[i].1), 0, colour, 3.0)?;
            }
            legend.draw(sheet)?;
            axes.frame(sheet)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sentence_counts_signs_and_compares_small_with_large_predictions() {
        let r = Residuals {
            target: "y".into(),
            predicted: vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
            residual: vec![0.1, -0.1, 1.0, -1.0, 2.0, -4.0],
        };
        let said = r.sentence(&Row { estimator: "svr".into(), ..Row::default() });
        assert!(said.contains("Of 6 rows held out, svr predicts 3 too low (above the line)"), "{said}");
        assert!(said.contains("below 0.100 in the lowest third of the predictions and below 4.00 in the highest, so large"), "{said}");
    }
}
