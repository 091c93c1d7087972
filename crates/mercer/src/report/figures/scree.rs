//! The share of the variance of one kernel principal component after another, kept or not (Cattell's scree plot).

use super::axes::{Axes, Legend, Sign, Span};
use super::canvas::draw;
use super::colours::CLASSES;
use crate::error::Result;

/// The shares of the variance that the greatest components hold.
#[derive(Clone, Debug, PartialEq)]
pub struct Scree {
    /// The share of each, greatest first.
    pub shares: Vec<f64>,
    /// How many the model keeps.
    pub kept: usize,
}

impl Scree {
    /// What the figure shows, with its numbers.
    pub(super) fn sentence(&self) -> String {
        let percent = |share: f64| format!("{:.1}%", 100.0 * share);
        let kept: f64 = self.shares.iter().take(self.kept).sum();
        let next = match self.shares.get(self.kept) {
            Some(share) => format!("; the next would add {}", percent(*share)),
            None => String::new(),
        };
        let (count, s) = (self.kept, if self.kept == 1 { "s" } else { "" });
        format!("The share of the variance along each component: the {count} that the model keeps hold{s} {}{next}.", percent(kept))
    }

    pub(super) fn svg(&self, label: &str) -> Result<String> {
        const SIZE: (f64, f64) = (460.0, 290.0);
        let entries = vec![(Sign::Mark(0, CLASSES[0]), "kept".to_owned()), (Sign::Mark(1, CLASSES[1]), "left out".into())];
        let legend = Legend::new(entries, SIZE.0);
        let place = |k: usize| (k + 1) as f64;
        let across = Span::of((0..self.shares.len()).map(place), 0.05);
        let upwards = Span::of(self.shares.iter().copied().chain([0.0]), 0.08);
        let size = (SIZE.0, SIZE.1 + legend.height);
        let axes = Axes::new(size, legend.height, across, upwards, ["component", "share of the variance"]);
        draw(size, label, |sheet| {
            axes.grid(sheet)?;
            let points: Vec<(f64, f64)> = self.shares.iter().enumerate().map(|(k, share)| axes.place(place(k), *share)).collect();
            sheet.line(&points, CLASSES[0], 1.8)?;
            for (k, point) in points.iter().enumerate() {
                let class = usize::from(k >= self.kept);
                sheet.mark(*point, class, CLASSES[class], 3.6)?;
            }
            legend.draw(sheet)?;
            axes.frame(sheet)
        })
    }
}
