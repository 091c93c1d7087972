//! One numeric input: the predicted curve and its band over the rows.

use super::axes::{Axes, Legend, Sign, Span};
use super::canvas::{SheetPoint, draw};
use super::colours::{CLASSES, MUTED, band};
use super::{drawn, median};
use crate::error::{Error, Result};
use crate::report::Row;
use crate::report::words::{brief, count, counted, shown};

/// A predicted curve over one numeric column, and the training rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// The input column.
    pub input: String,
    /// The target column.
    pub target: String,
    /// Inputs at which the curve is known, ascending: those of the rows, and enough others to look smooth.
    pub at: Vec<f64>,
    /// The predicted value at each of them.
    pub mean: Vec<f64>,
    /// Lower and upper end of the interval of a new value at each of them; empty where the model gives none.
    pub band: Vec<[f64; 2]>,
    /// Probability that the band claims to hold a new value, 0 to 1.
    pub level: f64,
    /// Training rows: inputs.
    pub x: Vec<f64>,
    /// Training rows: targets.
    pub y: Vec<f64>,
    /// Training rows that the fit kept, as places in `x`.
    pub support: Vec<usize>,
}

impl Curve {
    /// What the figure shows, with its numbers: of the rows whose inputs are among those at which the curve is known.
    pub(super) fn sentence(&self, row: &Row) -> String {
        let kept = if self.keeps_all() {
            format!("it keeps all {}", counted(self.x.len(), "row"))
        } else if self.support.is_empty() {
            format!("it keeps none of the {}", counted(self.x.len(), "row"))
        } else {
            format!("it keeps {} (rings)", counted(self.support.len(), "row"))
        };
        let known: Vec<(usize, f64)> = self.x.iter().zip(&self.y).filter_map(|(x, y)| Some((self.place_of(*x)?, *y))).collect();
        let rows = counted(known.len(), "row");
        let fit = match self.band.is_empty() {
            true => {
                let off = known.iter().filter_map(|(k, y)| Some((self.mean.get(*k)? - y).abs())).filter(|d| d.is_finite()).collect();
                median(off).map_or(String::new(), |half| format!(" Half of the {rows} lie within {} of it.", brief(half)))
            }
            false => {
                let holds = |(k, y): &&(usize, f64)| self.band.get(*k).is_some_and(|[low, high]| low <= y && y <= high);
                let inside = count(known.iter().filter(holds).count());
                format!(" The band, which should hold {:.0} of 100 new values, holds {inside} of the {rows}.", 100.0 * self.level)
            }
        };
        format!("The line is what {} predicts for {}; {kept}.{fit}", shown(&row.estimator, 60), shown(&self.target, 60))
    }

    fn keeps_all(&self) -> bool {
        self.support.len() >= self.x.len()
    }

    /// The place of an input among those at which the curve is known.
    fn place_of(&self, x: f64) -> Option<usize> {
        let place = self.at.partition_point(|a| *a < x);
        (self.at.get(place) == Some(&x)).then_some(place)
    }

    pub(super) fn svg(&self, label: &str) -> Result<String> {
        const SIZE: (f64, f64) = (480.0, 340.0);
        Error::unless_equal("values of the curve", self.at.len(), self.mean.len())?;
        Error::unless_equal("targets of the rows", self.x.len(), self.y.len())?;
        if !self.band.is_empty() {
            Error::unless_equal("ends of the band", self.at.len(), self.band.len())?;
        }
        let colour = CLASSES[0];
        let mut entries = vec![(Sign::Mark(0, MUTED), "one row".to_owned()), (Sign::Line(colour), "prediction".into())];
        if !self.band.is_empty() {
            entries.push((Sign::Area(band()), format!("{:.0}% of new values", 100.0 * self.level)));
        }
        if !self.keeps_all() && !self.support.is_empty() {
            entries.push((Sign::Ring, "kept".into()));
        }
        let legend = Legend::new(entries, SIZE.0);
        let size = (SIZE.0, SIZE.1 + legend.height);
        let across = Span::of(self.x.iter().chain(&self.at).copied(), 0.0);
        let values = Span::of(self.y.iter().chain(&self.mean).copied(), 0.6);
        let ends = self.band.iter().flatten().copied().filter(|v| values.has(*v));
        let upwards = Span::of(self.y.iter().chain(&self.mean).copied().chain(ends), 0.05);
        let axes = Axes::new(size, legend.height, across, upwards, [&self.input, &self.target]);
        draw(size, label, |sheet| {
            let ends = |k: usize| self.at.iter().zip(&self.band).map(move |(a, b)| (*a, b[k]));
            let path = |pairs: &mut dyn Iterator<Item = (f64, f64)>| -> Vec<SheetPoint> {
                pairs.filter(|(a, v)| a.is_finite() && v.is_finite()).map(|(a, v)| axes.place(a, v)).collect()
            };
            if !self.band.is_empty() {
                let mut edge = path(&mut ends(0));
                edge.extend(path(&mut ends(1)).into_iter().rev());
                sheet.polygon(&edge, band())?;
            }
            axes.grid(sheet)?;
            for i in drawn(self.x.len()).filter(|&i| axes.has(self.x[i], self.y[i])) {
                sheet.mark(axes.place(self.x[i], self.y[i]), 0, MUTED, 2.6)?;
            }
            if !self.keeps_all() {
                let kept: Vec<usize> =
                    self.support.iter().copied().filter(|&i| i < self.x.len() && axes.has(self.x[i], self.y[i])).collect();
                for k in drawn(kept.len()) {
                    sheet.ring(axes.place(self.x[kept[k]], self.y[kept[k]]), 5.0)?;
                }
            }
            sheet.line(&path(&mut self.at.iter().copied().zip(self.mean.iter().copied())), colour, 2.2)?;
            legend.draw(sheet)?;
            axes.frame(sheet)
        })
    }
}
