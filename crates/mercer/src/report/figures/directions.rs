//! Rows of classes along the discriminant directions (kernel Fisher discriminant analysis).

use super::axes::{Axes, Legend, Sign, Span};
use super::canvas::draw;
use super::colours::class;
use super::drawn;
use crate::error::{Error, Result};
use crate::report::words::{counted, percent, shown};

/// Where rows lie along the first two discriminant directions.
#[derive(Clone, Debug, PartialEq)]
pub struct Directions {
    /// Names of the classes.
    pub names: Vec<String>,
    /// The class of each row.
    pub classes: Vec<usize>,
    /// Coordinates of each row; upwards its class where there is one direction.
    pub places: Vec<[f64; 2]>,
    /// The variance between classes as a share of all, along each of the first two directions or the only one.
    pub between: Vec<f64>,
}

impl Directions {
    fn axis(&self, k: usize) -> String {
        self.between.get(k).map_or_else(|| "class".into(), |share| format!("direction {} ({} between classes)", k + 1, percent(*share)))
    }

    /// What the figure shows, in one sentence with its numbers.
    pub(super) fn sentence(&self) -> String {
        let shares: Vec<String> = self.between.iter().map(|share| percent(*share)).collect();
        let directions = if shares.len() == 1 { "direction that tells" } else { "directions that tell" };
        format!(
            "{} of {} along the {directions} the classes apart best, in units of the deviation within classes; {} of the variance there lies between classes.",
            counted(self.places.len(), "row"),
            counted(self.names.len(), "class"),
            shares.join(" and ")
        )
    }

    pub(super) fn svg(&self, label: &str) -> Result<String> {
        const SIZE: (f64, f64) = (620.0, 460.0);
        // Classes that the legend names.
        const NAMED: usize = 12;
        const NAME: usize = 24;
        Error::unless_equal("classes of rows", self.places.len(), self.classes.len())?;
        let named = self.names.iter().take(NAMED).enumerate().map(|(c, name)| (Sign::Mark(c, class(c)), shown(name, NAME)));
        let legend = Legend::new(named.collect(), SIZE.0);
        let span = |k: usize| Span::of(self.places.iter().map(|p| p[k]), 0.08);
        let size = (SIZE.0, SIZE.1 + legend.height);
        let axes = Axes::new(size, legend.height, span(0), span(1), [&self.axis(0), &self.axis(1)]);
        draw(size, label, |sheet| {
            axes.grid(sheet)?;
            for i in drawn(self.places.len()) {
                let code = self.classes[i];
                sheet.mark(axes.place(self.places[i][0], self.places[i][1]), code, class(code), 3.0)?;
            }
            legend.draw(sheet)?;
            axes.frame(sheet)
        })
    }
}
