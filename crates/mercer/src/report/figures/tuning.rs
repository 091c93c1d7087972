//! How the score depends on one searched parameter, with the choice and the range that scores the same.

use super::axes::{Axes, Legend, Sign, Span};
use super::canvas::draw;
use super::colours::{CLASSES, band};
use crate::error::Result;
use crate::report::tuning::{choice, full_name};
use crate::report::words::{brief, counted};
use crate::select::{Edge, TunedParameter, Tuning};

/// The scores of the values of one parameter that were tried, the others held.
#[derive(Clone, Debug, PartialEq)]
pub struct TuningCurve {
    /// What was minimised or maximised.
    pub criterion: String,
    /// Whether more of it is better.
    pub rises: bool,
    /// The score of the choice.
    pub score: f64,
    /// The worst score that is not told from it.
    pub same: f64,
    /// The values tried, the choice, and the range that scores the same.
    pub parameter: TunedParameter,
}

const SIZE: (f64, f64) = (460.0, 290.0);

impl TuningCurve {
    /// The curves of a search, one for each parameter that was looked at; a parameter of one column among many has none.
    pub(crate) fn all(t: &Tuning) -> Vec<TuningCurve> {
        let (Some(score), Some(same)) = (t.value, t.same) else { return Vec::new() };
        let drawn = t.parameters.iter().filter(|p| p.column.is_none() && p.tried.len() >= 2);
        drawn.map(|p| TuningCurve { criterion: t.criterion.clone(), rises: t.rises, score, same, parameter: p.clone() }).collect()
    }

    /// What the figure shows, with its numbers.
    pub(super) fn sentence(&self) -> String {
        let p = &self.parameter;
        let others = counted(p.tried.len().saturating_sub(1), "other value");
        let beyond = match p.edges {
            [Edge::Worse, Edge::Worse] => "outside it gets worse on both sides, so the data settle the value about this well.".to_owned(),
            [Edge::Worse, _] => "below it gets worse; above, nothing that was tried is worse, so a larger value would do as well.".into(),
            [_, Edge::Worse] => "above it gets worse; below, nothing that was tried is worse, so a smaller value would do as well.".into(),
            _ => "nothing that was tried is worse, so the data do not settle the value and any of these will do.".into(),
        };
        let range = if p.edges.contains(&Edge::Unknown) { String::new() } else { format!(" (the shaded range); {beyond}") };
        let end = if range.is_empty() { "." } else { "" };
        format!(
            "The ring is the value chosen, with a {} of {}; {others} of {} were tried with everything else held. {}{range}{end}",
            self.criterion,
            brief(self.score),
            full_name(p),
            choice(p)
        )
    }

    pub(super) fn svg(&self, label: &str) -> Result<String> {
        let p = &self.parameter;
        let colour = CLASSES[0];
        let mut entries = vec![(Sign::Mark(0, colour), "one value tried".to_owned()), (Sign::Ring, "chosen".into())];
        let shaded = p.same[1] > p.same[0];
        if shaded {
            entries.push((Sign::Area(band()), "the same within noise".into()));
        }
        let legend = Legend::new(entries, SIZE.0);
        let size = (SIZE.0, SIZE.1 + legend.height);
        let across = p.tried.iter().map(|(x, _)| *x).chain(p.same);
        let across = if p.low > 0.0 { Span::logarithmic(across) } else { Span::of(across, 0.05) };
        // Scores far worse than the range of interest would flatten it: the axis holds what is within twenty slacks, and
        // at least half of the values tried.
        let slack = (self.score - self.same).abs();
        let mut off: Vec<f64> = p.tried.iter().map(|(_, s)| (s - self.score).abs()).collect();
        off.sort_by(f64::total_cmp);
        let far = (20.0 * slack).max(off.get(off.len() / 2).copied().unwrap_or(0.0));
        let near = |s: f64| (s - self.score).abs() <= far * (1.0 + 1e-9);
        let scores = p.tried.iter().map(|(_, s)| *s).filter(|s| near(*s)).chain([self.score, self.same]);
        let upwards = Span::of(scores, 0.08);
        let better = if self.rises { "higher is better" } else { "lower is better" };
        let axes = Axes::new(size, legend.height, across, upwards, [&full_name(p), &format!("{} ({better})", short(&self.criterion))]);
        draw(size, label, |sheet| {
            if shaded {
                let (from, to) = (axes.place(p.same[0], upwards.low), axes.place(p.same[1], upwards.high));
                sheet.area((from.0, to.1), (to.0, from.1), band())?;
            }
            axes.grid(sheet)?;
            let path: Vec<_> = p.tried.iter().map(|(x, s)| axes.place(*x, *s)).collect();
            sheet.line(&path, colour, 1.8)?;
            for (x, s) in p.tried.iter().filter(|(x, s)| axes.has(*x, *s)) {
                sheet.mark(axes.place(*x, *s), 0, colour, 3.2)?;
            }
            sheet.ring(axes.place(p.value, self.score), 6.5)?;
            legend.draw(sheet)?;
            axes.frame(sheet)
        })
    }
}

/// The criterion without the number of folds, for an axis.
fn short(criterion: &str) -> &str {
    criterion.split_once("cross-validated ").map_or(criterion, |(_, metric)| metric)
}
