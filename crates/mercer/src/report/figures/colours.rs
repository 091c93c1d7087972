//! The colours of the figures: one table for light and for dark.
//!
//! A figure is drawn in the light colours, so that it is correct in any viewer; on a dark screen the style sheet made
//! here exchanges each for its dark partner. Class colours follow Okabe and Ito, "Color Universal Design" (2008).

use plotters::style::RGBColor;
use std::fmt::Write as _;

/// A colour on light and on dark paper.
#[derive(Clone, Copy)]
pub(super) struct Colour {
    light: RGBColor,
    dark: RGBColor,
}

const fn colour(light: u32, dark: u32) -> Colour {
    Colour { light: rgb(light), dark: rgb(dark) }
}

const fn rgb(hex: u32) -> RGBColor {
    RGBColor((hex >> 16) as u8, (hex >> 8) as u8, hex as u8)
}

/// What figures are drawn on; the page has the same paper.
pub(super) const PAPER: Colour = colour(0xFDFDFC, 0x141617);
/// Text, axes, rings.
pub(super) const INK: Colour = colour(0x1C1D1F, 0xE6E6E3);
/// Names of axes, ticks.
pub(super) const MUTED: Colour = colour(0x5B6066, 0xA3A8AD);
/// Grid lines.
pub(super) const FAINT: Colour = colour(0xE3E4E0, 0x33373A);
/// One per class; the first is also the colour of anything that is alone.
pub(super) const CLASSES: [Colour; 7] = [
    colour(0x0072B2, 0x4AA3DF),
    colour(0xD55E00, 0xF0803C),
    colour(0x009E73, 0x2FBF95),
    colour(0xCC79A7, 0xE39AC4),
    colour(0xE69F00, 0xF0B429),
    colour(0x56B4E9, 0x8FD0F5),
    colour(0x7A7A7A, 0xB5B5B5),
];

impl Colour {
    /// What plotters draws with.
    pub(super) fn paint(self) -> RGBColor {
        self.light
    }
    /// The colour thinned with paper: `share` of it, 0 to 1.
    pub(super) fn tint(self, share: f64) -> Colour {
        Colour { light: mix(self.light, PAPER.light, share), dark: mix(self.dark, PAPER.dark, share) }
    }
}

fn mix(a: RGBColor, b: RGBColor, share: f64) -> RGBColor {
    let part = |x: u8, y: u8| (f64::from(x) * share + f64::from(y) * (1.0 - share)).round() as u8;
    RGBColor(part(a.0, b.0), part(a.1, b.1), part(a.2, b.2))
}

/// The colour of a class.
pub(super) fn class(code: usize) -> Colour {
    CLASSES[code % CLASSES.len()]
}

/// The colour of the region where a class is predicted.
pub(super) fn region(code: usize) -> Colour {
    class(code).tint(0.22)
}

/// The colour of intervals and bands.
pub(super) fn band() -> Colour {
    CLASSES[0].tint(0.32)
}

/// Steps of the shading of a confusion matrix.
pub(super) const SHADES: usize = 20;

/// The shade of a share, 0 to 1.
pub(super) fn shade(share: f64) -> Colour {
    let step = (share.clamp(0.0, 1.0) * SHADES as f64).round() / SHADES as f64;
    CLASSES[0].tint(0.04 + 0.46 * step)
}

/// Every colour that a figure may have.
fn all() -> impl Iterator<Item = Colour> {
    let shades = (0..=SHADES).map(|s| shade(s as f64 / SHADES as f64));
    [PAPER, INK, MUTED, FAINT, band()].into_iter().chain(CLASSES).chain((0..CLASSES.len()).map(region)).chain(shades)
}

/// The style sheet that every figure needs: its font, and its colours on a dark screen.
pub(crate) fn style() -> String {
    let mut css = String::from(
        ".figure text{font-family:system-ui,-apple-system,\"Segoe UI\",Roboto,\"Helvetica Neue\",sans-serif;\
         font-variant-numeric:tabular-nums}\n.figure rect{shape-rendering:crispEdges}\n\
         @media screen and (prefers-color-scheme:dark){\n",
    );
    for c in all() {
        let (light, dark) = (hex(c.light), hex(c.dark));
        // Writing to a String cannot fail.
        let _ = writeln!(css, ".figure [fill=\"{light}\"]{{fill:{dark}}}.figure [stroke=\"{light}\"]{{stroke:{dark}}}");
    }
    css.push_str("}\n");
    css
}

/// As plotters writes it.
fn hex(c: RGBColor) -> String {
    format!("#{:02X}{:02X}{:02X}", c.0, c.1, c.2)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Relative luminance, WCAG 2.1.
    fn luminance(c: RGBColor) -> f64 {
        let part = |v: u8| {
            let v = f64::from(v) / 255.0;
            if v <= 0.04045 { v / 12.92 } else { ((v + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * part(c.0) + 0.7152 * part(c.1) + 0.0722 * part(c.2)
    }

    fn contrast(a: RGBColor, b: RGBColor) -> f64 {
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    #[test]
    fn text_has_a_contrast_of_at_least_four_and_a_half_on_everything_it_stands_on() {
        for text in [INK, MUTED] {
            assert!(contrast(text.light, PAPER.light) >= 4.5);
            assert!(contrast(text.dark, PAPER.dark) >= 4.5);
        }
        for step in 0..=SHADES {
            let ground = shade(step as f64 / SHADES as f64);
            assert!(contrast(INK.light, ground.light) >= 4.5, "light shade {step}");
            assert!(contrast(INK.dark, ground.dark) >= 4.5, "dark shade {step}");
        }
    }

    #[test]
    fn no_two_light_colours_with_different_dark_partners_are_the_same() {
        let mut seen = std::collections::HashMap::new();
        for c in all() {
            assert_eq!(*seen.entry(hex(c.light)).or_insert(hex(c.dark)), hex(c.dark));
        }
    }
}
