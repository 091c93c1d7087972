//! Which class is predicted at every point of a plane, over the training rows.

use super::axes::{Axes, Legend, Sign, Span};
use super::canvas::{Sheet, draw};
use super::colours::{class, region};
use super::drawn;
use crate::error::{Error, Result};
use crate::report::verdict::achievement;
use crate::report::words::{count, counted, shown};
use crate::report::{Metric, Row};

/// Predicted classes on a grid over two numeric columns, and the training rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Regions {
    /// Names of the two columns, across and upwards.
    pub axes: [String; 2],
    /// Other columns, which are held at their medians.
    pub held: usize,
    /// Names of the classes.
    pub classes: Vec<String>,
    /// Range across, in the user's units: the left edge of the first cell and the right edge of the last.
    pub across: [f64; 2],
    /// Range upwards: the lower edge of the first line of cells and the upper edge of the last.
    pub upwards: [f64; 2],
    /// Cells in a line; about 120 look smooth.
    pub cells: usize,
    /// Code of the class predicted at the middle of each cell, line after line from the lowest.
    pub predicted: Vec<usize>,
    /// Training rows: their two values.
    pub points: Vec<[f64; 2]>,
    /// Training rows: their class codes.
    pub codes: Vec<usize>,
    /// Training rows that the fit kept, as places in `points`.
    pub support: Vec<usize>,
}

impl Regions {
    /// What the figure shows, in one sentence with its numbers.
    pub(super) fn sentence(&self, row: &Row) -> String {
        let right = row.metric(Metric::Accuracy).map_or(String::new(), |a| {
            format!(" Cross-validated: {}.", achievement(Metric::Accuracy, a, |v| Metric::Accuracy.achieved(v)))
        });
        let rows = counted(self.points.len(), "row");
        let kept = if self.keeps_all() {
            format!("the model keeps all {rows}")
        } else if self.support.is_empty() {
            format!("the model keeps none of the {rows}")
        } else {
            format!("the model keeps {} of {rows} (rings)", count(self.support.len()))
        };
        format!("Background: the class that {} predicts; {kept}.{right}", shown(&row.estimator, 60))
    }

    /// What is said of the columns that are not drawn.
    pub(super) fn slice(&self) -> Option<String> {
        match self.held {
            0 => None,
            1 => Some("the other column at its median".into()),
            n => Some(format!("the other {} at their medians", counted(n, "column"))),
        }
    }

    fn keeps_all(&self) -> bool {
        self.support.len() >= self.points.len()
    }

    pub(super) fn svg(&self, label: &str) -> Result<String> {
        const SIZE: (f64, f64) = (480.0, 370.0);
        let lines = self.predicted.len().checked_div(self.cells).unwrap_or(0);
        Error::unless_equal("predicted classes on the grid", lines * self.cells, self.predicted.len())?;
        Error::unless_equal("class codes of the points", self.points.len(), self.codes.len())?;
        let mut entries: Vec<(Sign, String)> =
            self.classes.iter().take(35).enumerate().map(|(k, name)| (Sign::Mark(k, class(k)), name.clone())).collect();
        if !self.keeps_all() && !self.support.is_empty() {
            entries.push((Sign::Ring, "kept".into()));
        }
        let legend = Legend::new(entries, SIZE.0);
        let size = (SIZE.0, SIZE.1 + legend.height);
        let across = Span::of(self.across.into_iter(), 0.0);
        let upwards = Span::of(self.upwards.into_iter(), 0.0);
        let axes = Axes::new(size, legend.height, across, upwards, [&self.axes[0], &self.axes[1]]);
        draw(size, label, |sheet| {
            let (w, h) = ((across.high - across.low) / self.cells.max(1) as f64, (upwards.high - upwards.low) / lines.max(1) as f64);
            for [left, low, right, high] in merged(&self.predicted, self.cells) {
                let corner = |i: usize, j: usize| axes.place(across.low + w * i as f64, upwards.low + h * j as f64);
                let ((x0, y1), (x1, y0)) = (corner(left, low), corner(right, high));
                sheet.area((x0, y0), (x1, y1), region(self.predicted[low * self.cells + left]))?;
            }
            legend.draw(sheet)?;
            self.marks(sheet, &axes)?;
            axes.frame(sheet)
        })
    }

    fn marks(&self, sheet: &Sheet<'_>, axes: &Axes) -> Result<()> {
        let mut kept = vec![false; self.points.len()];
        for &s in self.support.iter().filter(|s| **s < self.points.len() && !self.keeps_all()) {
            kept[s] = true;
        }
        for i in drawn(self.points.len()) {
            let [x, y] = self.points[i];
            if !axes.has(x, y) {
                continue;
            }
            sheet.mark(axes.place(x, y), self.codes[i], class(self.codes[i]), 3.4)?;
            if kept[i] {
                sheet.ring(axes.place(x, y), 5.5)?;
            }
        }
        Ok(())
    }
}

/// Rectangles `[left, low, right, high]` (the last two exclusive) of one class each that cover the grid: runs of a
/// line, grown upwards while the next line has the same run.
fn merged(grid: &[usize], cells: usize) -> Vec<[usize; 4]> {
    let mut done: Vec<[usize; 4]> = Vec::new();
    let mut open: Vec<[usize; 4]> = Vec::new();
    for (j, line) in grid.chunks(cells.max(1)).enumerate() {
        let mut next = Vec::new();
        let mut left = 0;
        for run in line.chunk_by(|a, b| a == b) {
            let right = left + run.len();
            let below = open.iter().position(|r| r[0] == left && r[2] == right && grid[r[1] * cells + left] == run[0]);
            let mut grown = below.map_or([left, j, right, j], |at| open.swap_remove(at));
            grown[3] = j + 1;
            next.push(grown);
            left = right;
        }
        done.append(&mut open);
        open = next;
    }
    done.append(&mut open);
    done
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merged_rectangles_cover_every_cell_once_with_its_own_class() {
        let cells = 13;
        let grid: Vec<usize> = (0..cells * 11).map(|k| ((k % cells) * 3 + (k / cells) * (k / cells)) / 17 % 4).collect();
        let mut seen = vec![0; grid.len()];
        for [left, low, right, high] in merged(&grid, cells) {
            for j in low..high {
                for i in left..right {
                    seen[j * cells + i] += 1;
                    assert_eq!(grid[j * cells + i], grid[low * cells + left]);
                }
            }
        }
        assert!(seen.iter().all(|n| *n == 1));
        assert_eq!(merged(&[2; 12], 4), [[0, 0, 4, 3]]);
        assert!(merged(&[], 0).is_empty());
    }
}
