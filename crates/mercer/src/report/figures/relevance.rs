//! How much each column matters to a kernel with one length scale per column: 1 / length_scale, as bars.

use super::canvas::{Anchor, draw, width};
use super::colours::{CLASSES, INK, MUTED};
use crate::error::{Error, Result};
use crate::report::words::{brief, counted, shown};

/// The relevance of each column.
#[derive(Clone, Debug, PartialEq)]
pub struct Relevance {
    /// The kernel that has the length scales.
    pub kernel: String,
    /// The columns.
    pub columns: Vec<String>,
    /// 1 / length_scale of each; 0 for a column that is left out.
    pub relevance: Vec<f64>,
    /// Whether the columns were brought to one unit first; bars of columns in different units do not compare.
    pub standardised: bool,
}

/// Bars that are drawn.
const MOST: usize = 24;
const LINE: f64 = 24.0;
const WIDE: f64 = 460.0;

impl Relevance {
    /// Places of the columns, the most relevant first.
    fn order(&self) -> Vec<usize> {
        let mut all: Vec<usize> = (0..self.relevance.len().min(self.columns.len())).collect();
        all.sort_by(|&a, &b| self.relevance[b].total_cmp(&self.relevance[a]).then(a.cmp(&b)));
        all
    }

    /// What the figure shows, with its numbers.
    pub(super) fn sentence(&self) -> String {
        let order = self.order();
        let name = |k: usize| shown(&self.columns[k], 40);
        let (Some(&first), Some(&last)) = (order.first(), order.last()) else { return "There are no columns.".into() };
        let [most, least] = [first, last].map(|k| self.relevance[k]);
        let ratio = if least > 0.0 && most / least < 1e6 {
            format!(", {} times as much as {} ({})", brief(most / least), name(last), brief(least))
        } else {
            format!(" and {} not at all", name(last))
        };
        // A column counts as idle where a change by its whole usual range moves the kernel by little.
        let idle = order.iter().filter(|&&k| self.relevance[k] < 0.1 * most).count();
        let idle = match idle {
            0 => String::new(),
            1 => format!(", and {} has less than a tenth of the longest bar", name(last)),
            n => format!(", and {n} of {} have less than a tenth of the longest bar", counted(order.len(), "column")),
        };
        format!("A change in {} changes the prediction most ({}){ratio}{idle}.", name(first), brief(most))
    }

    /// How many of the columns are drawn, where it is not all.
    pub(super) fn part(&self) -> Option<[usize; 2]> {
        (self.columns.len() > MOST).then_some([MOST, self.columns.len()])
    }

    pub(super) fn svg(&self, label: &str) -> Result<String> {
        Error::unless_equal("relevance of the columns", self.columns.len(), self.relevance.len())?;
        let mut order = self.order();
        order.truncate(MOST);
        let names: Vec<String> = order.iter().map(|&k| shown(&self.columns[k], 26)).collect();
        let left = 12.0 + names.iter().map(|n| width(n, 13.0)).fold(0.0, f64::max) + 10.0;
        let most = order.iter().map(|&k| self.relevance[k]).filter(|r| r.is_finite()).fold(0.0, f64::max);
        let room = WIDE - left - 64.0;
        let size = (WIDE, LINE * order.len() as f64 + 44.0);
        draw(size, label, |sheet| {
            sheet.text(&format!("1 / length_scale of {}", shown(&self.kernel, 40)), (left, 14.0), Anchor::Start, 13.0, MUTED)?;
            for (line, (&k, name)) in order.iter().zip(&names).enumerate() {
                let y = 30.0 + LINE * (line as f64 + 0.5);
                let value = self.relevance[k];
                let long = if most > 0.0 && value.is_finite() { room.max(20.0) * value / most } else { 0.0 };
                sheet.text(name, (left - 10.0, y), Anchor::End, 13.0, INK)?;
                sheet.area((left, y - 8.0), (left + long.max(1.0), y + 8.0), CLASSES[0])?;
                sheet.text(&brief(value), (left + long.max(1.0) + 6.0, y), Anchor::Start, 12.0, MUTED)?;
            }
            Ok(())
        })
    }
}
