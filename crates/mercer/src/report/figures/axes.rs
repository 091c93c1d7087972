//! Axes: from numbers to places on the sheet, ticks at round numbers, names in the user's words, and the legend.
//!
//! Ticks are spaced by 1, 2 or 5 times a power of ten (Heckbert, "Nice numbers for graph labels", Graphics Gems, 1990).

use super::canvas::{Anchor, Sheet, SheetPoint, width};
use super::colours::{Colour, FAINT, INK, MUTED};
use crate::error::Result;
use crate::report::words::{number, shown, value};

/// Pixels of tick labels, names and the legend.
pub(super) const SMALL: f64 = 13.0;
const NAME: f64 = 14.0;
const LINE: f64 = 22.0;

/// A range of numbers that is finite and not empty.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    pub(super) low: f64,
    pub(super) high: f64,
    /// Whether the scale is logarithmic; the range is then above 0.
    log: bool,
}

impl Span {
    /// The finite ones of some numbers, with a margin of `share` of their width on both sides.
    pub(super) fn of(values: impl Iterator<Item = f64>, share: f64) -> Span {
        let (low, high) =
            values.filter(|v| v.abs() <= 1e300).fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
        if low > high {
            return Span { low: 0.0, high: 1.0, log: false };
        }
        let margin = (high - low) * share;
        // Numbers that agree to nine digits get a range of their own size: ticks could not tell them apart.
        let least = 1e-9 * low.abs().max(high.abs());
        let margin = if high - low > least { margin } else { (0.1 * low.abs()).max(if low == 0.0 { 1.0 } else { 0.0 }) };
        Span { low: low - margin, high: high + margin, log: false }
    }

    /// The positive ones of some numbers on a logarithmic scale, with a small margin.
    pub(super) fn logarithmic(values: impl Iterator<Item = f64>) -> Span {
        let span = Span::of(values.filter(|v| *v > 1e-280 && *v < 1e280).map(f64::ln), 0.05);
        Span { low: span.low.exp().max(1e-300), high: span.high.exp().min(1e300), log: true }
    }

    fn share(self, value: f64) -> f64 {
        let scale = |x: f64| if self.log { x.max(f64::MIN_POSITIVE).ln() } else { x };
        ((scale(value) - scale(self.low)) / (scale(self.high) - scale(self.low))).clamp(0.0, 1.0)
    }

    /// Whether a number is inside.
    pub(super) fn has(self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }

    /// At most about `most` round numbers inside, and how to write them.
    fn ticks(self, most: f64) -> Vec<(f64, String)> {
        let decades = if self.log { self.decades(most) } else { Vec::new() };
        // A scale that spans no more than a factor of a few has ticks like any other.
        if decades.len() >= 2 { decades } else { self.even(most) }
    }

    /// Powers of ten, or 1, 2 and 5 times them where there are few.
    fn decades(self, most: f64) -> Vec<(f64, String)> {
        let (first, last) = (self.low.log10().floor() as i32, self.high.log10().ceil() as i32);
        let every = (f64::from(last - first) / most).ceil().max(1.0) as usize;
        let steps: &[f64] = if f64::from(last - first) * 3.0 <= most + 3.0 { &[1.0, 2.0, 5.0] } else { &[1.0] };
        let powers = (first..=last).filter(|k| k.rem_euclid(every as i32) == 0);
        let all = powers.flat_map(|k| steps.iter().map(move |m| format!("{m}e{k}").parse().unwrap_or(f64::NAN)));
        all.filter(|v| self.has(*v)).map(|v| (v, value(v))).collect()
    }

    fn even(self, most: f64) -> Vec<(f64, String)> {
        let rough = (self.high - self.low) / most;
        let power = 10f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0].map(|m| m * power).into_iter().find(|s| *s >= rough).unwrap_or(10.0 * power);
        let size = self.low.abs().max(self.high.abs());
        let digits = (-step.log10() - 1e-9).ceil().clamp(0.0, 17.0) as usize;
        let write = |v: f64| {
            if v == 0.0 {
                "0".into()
            } else if size >= 1e6 || step < 1e-5 {
                let figures = (v.abs().log10().floor() - step.log10().floor()).clamp(0.0, 8.0) as usize;
                format!("{v:.figures$e}").replace('-', "−")
            } else {
                number(v, digits)
            }
        };
        let first = (self.low / step).ceil();
        let count = ((self.high / step).floor() - first).clamp(0.0, 20.0) as usize;
        (0..=count).map(|k| (first + k as f64) * step).map(|v| (v, write(v))).collect()
    }
}

/// A frame with two axes on a sheet.
pub(super) struct Axes {
    x: Span,
    y: Span,
    names: [String; 2],
    /// Pixels from the left edge of the sheet to that of the name of the upright axis.
    edge: f64,
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

impl Axes {
    /// A frame on a sheet of `size` pixels below `top` pixels of legend.
    pub(super) fn new(size: (f64, f64), top: f64, x: Span, y: Span, names: [&str; 2]) -> Axes {
        let labels = y.ticks(6.0).iter().map(|(_, label)| width(label, SMALL)).fold(0.0, f64::max);
        let names = names.map(|n| shown(n, 48));
        Axes { x, y, names, edge: 0.0, left: 30.0 + labels + 10.0, right: size.0 - 18.0, top: top + 10.0, bottom: size.1 - 52.0 }
    }
    /// Moves the frame to the right and down, in pixels.
    pub(super) fn moved(self, (across, down): (f64, f64)) -> Axes {
        Axes {
            edge: self.edge + across,
            left: self.left + across,
            right: self.right + across,
            top: self.top + down,
            bottom: self.bottom + down,
            ..self
        }
    }
    /// Where a pair of numbers is; on the edge where it is outside.
    pub(super) fn place(&self, x: f64, y: f64) -> SheetPoint {
        (self.left + self.x.share(x) * (self.right - self.left), self.bottom - self.y.share(y) * (self.bottom - self.top))
    }
    /// Whether a pair of numbers is inside the frame.
    pub(super) fn has(&self, x: f64, y: f64) -> bool {
        self.x.has(x) && self.y.has(y)
    }
    /// Faint lines at the ticks, to be drawn before anything else.
    pub(super) fn grid(&self, sheet: &Sheet<'_>) -> Result<()> {
        for (v, _) in self.x.ticks(7.0) {
            let (at, _) = self.place(v, self.y.low);
            sheet.line(&[(at, self.top), (at, self.bottom)], FAINT, 1.0)?;
        }
        for (v, _) in self.y.ticks(6.0) {
            let (_, at) = self.place(self.x.low, v);
            sheet.line(&[(self.left, at), (self.right, at)], FAINT, 1.0)?;
        }
        Ok(())
    }
    /// The axes, their ticks and names, to be drawn after everything else.
    pub(super) fn frame(&self, sheet: &Sheet<'_>) -> Result<()> {
        sheet.line(&[(self.left, self.top), (self.left, self.bottom), (self.right, self.bottom)], MUTED, 1.0)?;
        let mut free = f64::NEG_INFINITY;
        for (v, label) in self.x.ticks(7.0) {
            let (at, _) = self.place(v, self.y.low);
            sheet.line(&[(at, self.bottom), (at, self.bottom + 4.0)], MUTED, 1.0)?;
            // A long label that would touch the one before it is left out; its tick stays.
            let half = width(&label, SMALL) / 2.0;
            if at - half > free {
                sheet.text(&label, (at, self.bottom + 14.0), Anchor::Middle, SMALL, MUTED)?;
                free = at + half + 6.0;
            }
        }
        for (v, label) in self.y.ticks(6.0) {
            let (_, at) = self.place(self.x.low, v);
            sheet.line(&[(self.left - 4.0, at), (self.left, at)], MUTED, 1.0)?;
            sheet.text(&label, (self.left - 8.0, at), Anchor::End, SMALL, MUTED)?;
        }
        let [x, y] = &self.names;
        sheet.text(x, ((self.left + self.right) / 2.0, self.bottom + 38.0), Anchor::Middle, NAME, INK)?;
        sheet.text(y, (self.edge + 14.0, (self.top + self.bottom) / 2.0), Anchor::Upwards, NAME, INK)
    }
}

/// What stands before a legend's words.
#[derive(Clone, Copy)]
pub(super) enum Sign {
    /// The mark of a class.
    Mark(usize, Colour),
    /// A ring.
    Ring,
    /// A line.
    Line(Colour),
    /// An area.
    Area(Colour),
}

/// The legend: signs and words in lines above the frame.
pub(super) struct Legend {
    entries: Vec<(Sign, String, SheetPoint)>,
    /// Pixels that the legend takes from the top.
    pub(super) height: f64,
}

impl Legend {
    /// Lays entries out in lines of at most `across` pixels.
    pub(super) fn new(entries: Vec<(Sign, String)>, across: f64) -> Legend {
        let (mut x, mut y) = (8.0, LINE / 2.0);
        let entries: Vec<(Sign, String, SheetPoint)> = entries
            .into_iter()
            .map(|(sign, words)| {
                let words = shown(&words, 40);
                let takes = 20.0 + width(&words, SMALL) + 18.0;
                if x > 8.0 && x + takes > across {
                    (x, y) = (8.0, y + LINE);
                }
                let at = (x, y);
                x += takes;
                (sign, words, at)
            })
            .collect();
        let height = if entries.is_empty() { 0.0 } else { y + LINE / 2.0 };
        Legend { entries, height }
    }

    /// Draws it.
    pub(super) fn draw(&self, sheet: &Sheet<'_>) -> Result<()> {
        self.draw_at(sheet, (0.0, 0.0))
    }

    /// Draws it so many pixels to the right and down.
    pub(super) fn draw_at(&self, sheet: &Sheet<'_>, (across, down): SheetPoint) -> Result<()> {
        for (sign, words, (x, y)) in &self.entries {
            let (x, y) = (&(x + across), &(y + down));
            let middle = (x + 6.0, *y);
            match sign {
                Sign::Mark(code, colour) => sheet.mark(middle, *code, *colour, 4.2)?,
                Sign::Ring => sheet.ring(middle, 5.5)?,
                Sign::Line(colour) => sheet.line(&[(x - 3.0, *y), (x + 14.0, *y)], *colour, 2.0)?,
                Sign::Area(colour) => sheet.area((x - 3.0, y - 6.0), (x + 14.0, y + 6.0), *colour)?,
            }
            sheet.text(words, (x + 20.0, *y), Anchor::Start, SMALL, INK)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(low: f64, high: f64) -> Vec<String> {
        Span { low, high, log: false }.ticks(6.0).into_iter().map(|(_, l)| l).collect()
    }

    #[test]
    fn ticks_are_round_numbers_inside_the_range() {
        assert_eq!(labels(0.0, 1.0), ["0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(labels(-3.2, 11.0), ["0", "5", "10"]);
        assert_eq!(labels(4.31, 7.88), ["5", "6", "7"]);
    }

    #[test]
    fn a_logarithmic_range_has_ticks_at_round_numbers_of_every_size() {
        let labels = |low: f64, high: f64| Span { low, high, log: true }.ticks(7.0).into_iter().map(|(_, l)| l).collect::<Vec<_>>();
        assert_eq!(labels(0.004, 300.0), ["0.01", "0.1", "1", "10", "100"]);
        assert_eq!(labels(0.8, 30.0), ["1", "2", "5", "10", "20"]);
        assert_eq!(labels(1e-7, 1e7).len(), 7);
        assert!(labels(1.1, 1.9).len() >= 2);
        let span = Span::logarithmic([0.01, 100.0].into_iter());
        assert!((span.share(1.0) - 0.5).abs() <= 1e-12);
    }

    #[test]
    fn ticks_of_extreme_ranges_are_few_and_written_short() {
        for (low, high) in [(1e-20, 9e-20), (-1e300, 1e300), (1e15, 1e15 + 1e7), (0.0, 1e-300), (-7e8, 9e8)] {
            let all = labels(low, high);
            assert!(!all.is_empty() && all.len() <= 8, "{low} {high} {all:?}");
            assert!(all.iter().all(|l| l.chars().count() <= 15), "{low} {high} {all:?}");
        }
    }

    #[test]
    fn a_range_of_one_value_of_none_and_of_nan_is_still_a_range() {
        for values in [vec![], vec![f64::NAN], vec![3.0, 3.0], vec![0.0], vec![f64::INFINITY, 1.0], vec![-1e300, 1e300]] {
            let span = Span::of(values.iter().copied(), 0.05);
            assert!(span.low < span.high && span.high - span.low > 0.0 && (span.high - span.low).is_finite(), "{values:?} {span:?}");
        }
    }
}
