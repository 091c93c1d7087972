//! Which classes are taken for which: counts and the percentage of each true class.

use super::canvas::{Anchor, draw, width};
use super::colours::{INK, MUTED, shade};
use crate::error::{Error, Result};
use crate::report::Row;
use crate::report::words::{count, counted, percent, shown};

/// Counts of held-out rows by true and predicted class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Confusion {
    /// Names of the classes.
    pub classes: Vec<String>,
    /// Rows of true class i (the line) that were predicted as class j: classes x classes, line after line.
    pub counts: Vec<usize>,
}

/// Classes that a readable matrix can show.
const MOST: usize = 20;

impl Confusion {
    fn at(&self, truth: usize, predicted: usize) -> usize {
        self.counts.get(truth * self.classes.len() + predicted).copied().unwrap_or(0)
    }

    /// Rows of a true class.
    fn rows(&self, truth: usize) -> usize {
        (0..self.classes.len()).map(|j| self.at(truth, j)).sum()
    }

    /// The most common error: the true class and the predicted one.
    fn worst(&self) -> Option<(usize, usize)> {
        let n = self.classes.len();
        let mistakes = (0..n).flat_map(|i| (0..n).map(move |j| (i, j))).filter(|(i, j)| i != j && self.at(*i, *j) > 0);
        mistakes.rev().max_by_key(|(i, j)| self.at(*i, *j))
    }

    /// Codes of the classes that are drawn: all, or the two of the most frequent mistake and those with most rows, in their
    /// order.
    fn chosen(&self) -> Vec<usize> {
        let named = self.worst().map_or(Vec::new(), |(i, j)| vec![i, j]);
        let mut all: Vec<usize> = (0..self.classes.len()).collect();
        all.sort_by_key(|&k| (!named.contains(&k), std::cmp::Reverse(self.rows(k))));
        all.truncate(MOST);
        all.sort_unstable();
        all
    }

    /// What the figure shows, in one sentence with its numbers.
    pub(super) fn sentence(&self, row: &Row) -> String {
        let n = self.classes.len();
        let right: usize = (0..n).map(|k| self.at(k, k)).sum();
        let total: usize = self.counts.iter().sum();
        let mistakes = match self.worst() {
            Some((i, j)) => format!(
                " Most common error: {} predicted as {} ({} of {}).",
                shown(&self.classes[i], 40),
                shown(&self.classes[j], 40),
                count(self.at(i, j)),
                counted(self.rows(i), "row")
            ),
            _ => String::new(),
        };
        format!("{}: {} of {} correct (diagonal).{mistakes}", shown(&row.estimator, 60), count(right), counted(total, "held-out row"))
    }

    /// How many of the classes are drawn, where it is not all.
    pub(super) fn part(&self) -> Option<[usize; 2]> {
        (self.classes.len() > MOST).then_some([MOST, self.classes.len()])
    }

    pub(super) fn svg(&self, label: &str) -> Result<String> {
        const NAME: f64 = 13.0;
        Error::unless_equal("counts of the confusion matrix", self.classes.len().pow(2), self.counts.len())?;
        let chosen = self.chosen();
        let names: Vec<String> = chosen.iter().map(|&k| shown(&self.classes[k], 22)).collect();
        let widest = names.iter().map(|n| width(n, NAME)).fold(0.0, f64::max);
        let cell = (400.0 / chosen.len().max(1) as f64).clamp(30.0, 84.0);
        // Names of columns lie flat where they fit in a cell, and stand upright where they do not.
        let flat = widest < cell - 6.0;
        let top = 34.0 + if flat { 24.0 } else { widest + 14.0 };
        let left = 34.0 + widest + 12.0;
        let side = cell * chosen.len() as f64;
        let size = ((left + side + 12.0).max(220.0), (top + side + 12.0).max(140.0));
        draw(size, label, |sheet| {
            sheet.text("predicted", (left + side / 2.0, 12.0), Anchor::Middle, NAME, MUTED)?;
            sheet.text("true", (12.0, top + side / 2.0), Anchor::Upwards, NAME, MUTED)?;
            for (b, (&j, name)) in chosen.iter().zip(&names).enumerate() {
                let middle = cell * (b as f64 + 0.5);
                sheet.text(name, (left - 10.0, top + middle), Anchor::End, NAME, INK)?;
                if flat {
                    sheet.text(name, (left + middle, top - 14.0), Anchor::Middle, NAME, INK)?;
                } else {
                    sheet.text(name, (left + middle, top - 8.0), Anchor::Climbing, NAME, INK)?;
                }
                for (a, &i) in chosen.iter().enumerate() {
                    let (x, y) = (left + cell * b as f64, top + cell * a as f64);
                    let n = self.at(i, j);
                    let share = n as f64 / self.rows(i).max(1) as f64;
                    sheet.area((x + 1.0, y + 1.0), (x + cell - 1.0, y + cell - 1.0), shade(share))?;
                    let (x, y) = (x + cell / 2.0, y + cell / 2.0);
                    if cell < 48.0 {
                        if n > 0 {
                            sheet.text(&n.to_string(), (x, y), Anchor::Middle, 11.0, INK)?;
                        }
                    } else {
                        sheet.text(&count(n), (x, y - 8.0), Anchor::Middle, 15.0, INK)?;
                        sheet.text(&percent(share), (x, y + 11.0), Anchor::Middle, 11.5, INK)?;
                    }
                }
            }
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sentence_counts_the_diagonal_and_names_the_commonest_mistake() {
        let c = Confusion { classes: ["a", "b", "c"].map(String::from).into(), counts: vec![50, 0, 0, 0, 47, 3, 0, 5, 45] };
        let s = c.sentence(&Row { estimator: "svc".into(), ..Row::default() });
        assert!(s.contains("svc: 142 of 150 held-out rows correct (diagonal)."), "{s}");
        assert!(s.contains("Most common error: c predicted as b (5 of 50 rows)."), "{s}");
    }

    #[test]
    fn the_classes_of_the_sentence_are_drawn_however_rare_they_are() {
        // Thirty classes; the two rarest are taken for each other most often.
        let n = 30;
        let mut counts = vec![0; n * n];
        (0..n).for_each(|k| counts[k * n + k] = 100 - 3 * k);
        counts[28 * n + 29] = 7;
        let c = Confusion { classes: (0..n).map(|k| format!("class {k}")).collect(), counts };
        assert!(c.sentence(&Row::default()).contains("class 28 predicted as class 29 (7 of 23 rows)"));
        let drawn = c.chosen();
        assert_eq!(drawn.len(), MOST);
        assert!(drawn.ends_with(&[17, 28, 29]), "{drawn:?}");
        assert!(c.svg("").unwrap().contains("class 28"));
    }

    #[test]
    fn a_percentage_is_not_rounded_to_none_or_all() {
        assert_eq!([0.0, 0.001, 0.5, 0.999, 1.0].map(percent), ["0%", "<1%", "50%", ">99%", "100%"]);
    }
}
