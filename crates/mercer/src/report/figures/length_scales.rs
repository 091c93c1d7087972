//! How fast the answer changes along each column, to a kernel with one length scale per column: 1 / length_scale, as bars.

use super::canvas::{Anchor, draw, width};
use super::colours::{CLASSES, INK, MUTED};
use crate::error::{Error, Result};
use crate::report::words::{brief, shown};

/// The length scale of each column.
#[derive(Clone, Debug, PartialEq)]
pub struct LengthScales {
    /// The kernel that has them.
    pub kernel: String,
    /// The columns.
    pub columns: Vec<String>,
    /// The length scale of each; infinite for a column that is left out.
    pub lengths: Vec<f64>,
    /// Whether the columns were brought to one unit first; bars of columns in different units do not compare.
    pub standardised: bool,
}

/// Bars that are drawn.
const MOST: usize = 24;
const LINE: f64 = 24.0;
const WIDE: f64 = 460.0;

impl LengthScales {
    /// Places of the columns, the shortest length scale first.
    fn order(&self) -> Vec<usize> {
        let mut all: Vec<usize> = (0..self.lengths.len().min(self.columns.len())).collect();
        all.sort_by(|&a, &b| self.lengths[a].total_cmp(&self.lengths[b]).then(a.cmp(&b)));
        all
    }

    /// What the figure shows, with its numbers. A length scale is no importance: that of a straight line, however steep, is long.
    pub(super) fn sentence(&self) -> String {
        let order = self.order();
        let said = |k: usize| {
            let length = self.lengths[k];
            let scale = if length.is_finite() { format!("length scale {}", brief(length)) } else { "left out".into() };
            format!("{} ({scale})", shown(&self.columns[k], 40))
        };
        let (Some(&first), Some(&last)) = (order.first(), order.last()) else { return "There are no columns.".into() };
        format!(
            "The answer bends most quickly along {} and least along {}. A length scale does not say how much a column matters: that of a \
             straight line, however steep, is long.",
            said(first),
            said(last)
        )
    }

    /// How many of the columns are drawn, where it is not all.
    pub(super) fn part(&self) -> Option<[usize; 2]> {
        (self.columns.len() > MOST).then_some([MOST, self.columns.len()])
    }

    pub(super) fn svg(&self, label: &str) -> Result<String> {
        Error::unless_equal("length scales of the columns", self.columns.len(), self.lengths.len())?;
        let mut order = self.order();
        order.truncate(MOST);
        let names: Vec<String> = order.iter().map(|&k| shown(&self.columns[k], 26)).collect();
        let left = 12.0 + names.iter().map(|n| width(n, 13.0)).fold(0.0, f64::max) + 10.0;
        let most = order.iter().map(|&k| 1.0 / self.lengths[k]).filter(|r| r.is_finite()).fold(0.0, f64::max);
        let room = WIDE - left - 64.0;
        let size = (WIDE, LINE * order.len() as f64 + 44.0);
        draw(size, label, |sheet| {
            sheet.text(&format!("1 / length_scale of {}", shown(&self.kernel, 40)), (left, 14.0), Anchor::Start, 13.0, MUTED)?;
            for (line, (&k, name)) in order.iter().zip(&names).enumerate() {
                let y = 30.0 + LINE * (line as f64 + 0.5);
                let value = 1.0 / self.lengths[k];
                let long = if most > 0.0 && value.is_finite() { room.max(20.0) * value / most } else { 0.0 };
                sheet.text(name, (left - 10.0, y), Anchor::End, 13.0, INK)?;
                sheet.area((left, y - 8.0), (left + long.max(1.0), y + 8.0), CLASSES[0])?;
                sheet.text(&brief(value), (left + long.max(1.0) + 6.0, y), Anchor::Start, 12.0, MUTED)?;
            }
            Ok(())
        })
    }
}
