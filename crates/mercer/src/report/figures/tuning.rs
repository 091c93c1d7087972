//! How the score depends on one searched parameter, with the choice and the range that scores the same.

use super::axes::{Axes, Legend, Sign, Span};
use super::canvas::draw;
use super::colours::{CLASSES, band};
use crate::error::Result;
use crate::report::tuning::full_name;
use crate::report::words::{brief, shown, value};
use crate::select::{BoundStatus, TunedParameter, Tuning};

/// The scores of the values of one parameter that were tried, the others held.
#[derive(Clone, Debug, PartialEq)]
pub struct TuningCurve {
    /// What was minimised or maximised.
    pub criterion: String,
    /// Without the number of folds: for the axis.
    pub label: String,
    /// Whether more of it is better.
    pub rises: bool,
    /// The score of the choice.
    pub score: f64,
    /// The worst score statistically tied with the best.
    pub same: f64,
    /// The values tried, the choice, and the range that scores the same.
    pub parameter: TunedParameter,
    /// The standard error of the score of each value tried; empty where none is known.
    pub errors: Vec<f64>,
}

impl TuningCurve {
    /// The curves of a search, one for each parameter that was looked at; a parameter of one column among many has none.
    pub(crate) fn all(t: &Tuning) -> Vec<TuningCurve> {
        let (Some(score), Some(same)) = (t.value, t.same) else { return Vec::new() };
        let drawn = t.parameters.iter().filter(|p| p.column.is_none() && p.tried.len() >= 2);
        let curve = |p: &TunedParameter| {
            let (criterion, label) = (t.criterion.to_string(), t.criterion.label());
            TuningCurve { criterion, label, rises: t.rises, score, same, parameter: p.clone(), errors: Vec::new() }
        };
        drawn.map(curve).collect()
    }

    /// What the figure shows, with its numbers.
    pub(super) fn sentence(&self) -> String {
        let p = &self.parameter;
        let gain = |score: f64| if self.rises { score - self.score } else { self.score - score };
        let top = p.tried.iter().filter(|(_, s)| gain(*s) > 0.0).max_by(|a, b| gain(a.1).total_cmp(&gain(b.1)));
        let extreme = match top {
            // Looked at after the choice was made: the choice does not follow it, as it could not in the folds.
            Some((x, s)) => {
                let slack = (self.score - self.same).abs();
                let noise = if gain(*s) > slack { ", better by more than the noise" } else { ", within noise" };
                format!("; {} gives {}{}", value(*x), brief(*s), if slack > 0.0 { noise } else { "" })
            }
            None => format!(", the {} of {} values tried", if self.rises { "highest" } else { "lowest" }, p.tried.len()),
        };
        // Values beyond the range were tried on a side where some lie.
        let tried = |beyond: &dyn Fn(f64) -> bool| p.tried.iter().any(|(x, _)| beyond(*x));
        let open = |side: usize| p.edges[side] != BoundStatus::Worse;
        let beyond = match [open(0) && tried(&|x| x < p.same[0]), open(1) && tried(&|x| x > p.same[1])] {
            [false, false] => "",
            [false, true] => ", as does every larger value tried",
            [true, false] => ", as does every smaller value tried",
            [true, true] => ", as does every value tried",
        };
        let range = if p.edges.contains(&BoundStatus::Unknown) {
            String::new()
        } else {
            format!(" {} to {} (shaded) score alike{}.", value(p.same[0]), value(p.same[1]), beyond.replace(" does ", " do "))
        };
        format!(
            "{} = {} (ring): {} {}{extreme}.{range}",
            shown(&full_name(p), 120),
            value(p.value),
            shown(&self.criterion, 80),
            brief(self.score)
        )
    }

    pub(super) fn svg(&self, label: &str) -> Result<String> {
        const SIZE: (f64, f64) = (460.0, 290.0);
        let p = &self.parameter;
        let colour = CLASSES[0];
        let bars: Vec<(f64, [f64; 2])> = p.tried.iter().zip(&self.errors).map(|((x, s), e)| (*x, [s - e, s + e])).collect();
        let tried = if bars.is_empty() { "one value tried" } else { "one value tried, and its standard error" };
        let mut entries = vec![(Sign::Mark(0, colour), tried.to_owned()), (Sign::Ring, "chosen".into())];
        let shaded = p.same[1] > p.same[0];
        if shaded {
            entries.push((Sign::Area(band()), "scores alike".into()));
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
        // Where no noise is known every score is of interest.
        let far = if slack > 0.0 { (20.0 * slack).max(off.get(off.len() / 2).copied().unwrap_or(0.0)) } else { f64::INFINITY };
        let near = |s: f64| (s - self.score).abs() <= far * (1.0 + 1e-9);
        let scores = p
            .tried
            .iter()
            .map(|(_, s)| *s)
            .filter(|s| near(*s))
            .chain([self.score, self.same])
            .chain(bars.iter().flat_map(|(_, ends)| *ends));
        let upwards = Span::of(scores, 0.08);
        let axes = Axes::new(size, legend.height, across, upwards, [&full_name(p), &self.label]);
        draw(size, label, |sheet| {
            if shaded {
                let (from, to) = (axes.place(p.same[0], upwards.low), axes.place(p.same[1], upwards.high));
                sheet.area((from.0, to.1), (to.0, from.1), band())?;
            }
            axes.grid(sheet)?;
            for pair in p.tried.windows(2) {
                if let Some([a, b]) = inside(pair[0], pair[1], upwards, p.low > 0.0) {
                    sheet.line(&[axes.place(a.0, a.1), axes.place(b.0, b.1)], colour, 1.8)?;
                }
            }
            for (x, [low, high]) in &bars {
                sheet.line(&[axes.place(*x, *low), axes.place(*x, *high)], colour, 1.2)?;
            }
            for (x, s) in p.tried.iter().filter(|(x, s)| axes.has(*x, *s)) {
                sheet.mark(axes.place(*x, *s), 0, colour, 3.2)?;
            }
            sheet.ring(axes.place(p.value, self.score), 6.5)?;
            legend.draw(sheet)?;
            axes.frame(sheet)
        })
    }
}

/// The part of a line between two values that lies within the range of scores.
fn inside(a: (f64, f64), b: (f64, f64), scores: Span, log: bool) -> Option<[(f64, f64); 2]> {
    let cut = |from: (f64, f64), to: (f64, f64)| {
        let edge = from.1.clamp(scores.low, scores.high);
        let share = if edge == from.1 { 0.0 } else { (edge - from.1) / (to.1 - from.1) };
        let x = if log { from.0.powf(1.0 - share) * to.0.powf(share) } else { from.0 + share * (to.0 - from.0) };
        (x, edge)
    };
    let missed = (a.1 > scores.high && b.1 > scores.high) || (a.1 < scores.low && b.1 < scores.low);
    (!missed).then(|| [cut(a, b), cut(b, a)])
}
