//! A sheet to draw one figure on: lines, areas, marks and text in whole pixels, as an SVG element.
//!
//! Plotters places everything on whole units; a sheet therefore has [`FINE`] units to a pixel, so that curves are
//! smooth, and the finished element says its size in pixels.

use super::colours::{Colour, INK, style};
use crate::error::{Error, Result};
use crate::report::words::shown;
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// Units of the drawing to one pixel.
const FINE: f64 = 4.0;

/// A place on the sheet, in pixels from the upper left corner.
pub(super) type SheetPoint = (f64, f64);

/// Where the text stands from its place.
#[derive(Clone, Copy)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
    /// In the middle, read upwards.
    Upwards,
    /// From the place upwards.
    Climbing,
}

/// A sheet while it is drawn on.
pub(super) struct Sheet<'a> {
    area: DrawingArea<SVGBackend<'a>, Shift>,
}

/// Draws a figure of `size` pixels (width, height). `label` is its alternative text.
pub(super) fn draw(size: (f64, f64), label: &str, paint: impl FnOnce(&Sheet<'_>) -> Result<()>) -> Result<String> {
    let fine = |x: f64| (x * FINE).round() as u32;
    let mut svg = String::new();
    {
        let sheet = Sheet { area: SVGBackend::with_string(&mut svg, (fine(size.0), fine(size.1))).into_drawing_area() };
        paint(&sheet)?;
        sheet.area.present().map_err(failed)?;
    }
    let body = svg.split_once('\n').map_or("", |(_, rest)| rest);
    // What an element has anyway need not be said; quotes inside text are escaped, so that only attributes are met.
    let body = body.replace(" opacity=\"1\"", "").replace(" stroke=\"none\"", "").replace(" stroke-width=\"1\"", "");
    Ok(format!(
        "<svg class=\"figure\" xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{}\" viewBox=\"0 0 {} {}\" role=\"img\" \
         aria-label=\"{}\">\n{body}",
        size.0,
        size.1,
        fine(size.0),
        fine(size.1),
        escaped(label)
    ))
}

/// The figure as a file of its own: with its style sheet, and a title.
pub(super) fn standalone(svg: &str, title: &str) -> String {
    match svg.split_once('\n') {
        Some((open, body)) => {
            format!("{open}\n<title>{}</title>\n<style>\n{}</style>\n{body}", escaped(title), style())
        }
        None => svg.to_owned(),
    }
}

fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in shown(text, 2000).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c => out.push(c),
        }
    }
    out
}

fn failed(why: impl std::fmt::Display) -> Error {
    Error::Numerical { what: "drawing a figure".into(), why: why.to_string() }
}

fn fine((x, y): SheetPoint) -> (i32, i32) {
    ((x * FINE).round() as i32, (y * FINE).round() as i32)
}

/// About how wide a text of `size` pixels will be.
pub(super) fn width(text: &str, size: f64) -> f64 {
    text.chars().map(|c| if c.is_ascii() || ('\u{80}'..'\u{1100}').contains(&c) { 0.57 } else { 1.0 }).sum::<f64>() * size
}

impl Sheet<'_> {
    /// A line through places.
    pub(super) fn line(&self, path: &[SheetPoint], colour: Colour, thickness: f64) -> Result<()> {
        let path: Vec<(i32, i32)> = path.iter().copied().map(fine).collect();
        let style = colour.paint().stroke_width((thickness * FINE).round() as u32);
        self.area.draw(&PathElement::new(path, style)).map_err(failed)
    }
    /// A filled rectangle between two corners.
    pub(super) fn area(&self, from: SheetPoint, to: SheetPoint, colour: Colour) -> Result<()> {
        self.area.draw(&Rectangle::new([fine(from), fine(to)], colour.paint().filled())).map_err(failed)
    }
    /// A filled polygon.
    pub(super) fn polygon(&self, corners: &[SheetPoint], colour: Colour) -> Result<()> {
        let corners: Vec<(i32, i32)> = corners.iter().copied().map(fine).collect();
        self.area.draw(&Polygon::new(corners, colour.paint().filled())).map_err(failed)
    }
    /// A ring around a mark.
    pub(super) fn ring(&self, at: SheetPoint, radius: f64) -> Result<()> {
        let style = INK.paint().stroke_width((1.1 * FINE).round() as u32);
        self.area.draw(&Circle::new(fine(at), (radius * FINE) as i32, style)).map_err(failed)
    }
    /// The mark of class `code`: shapes repeat after five classes and colours after seven, pairs after 35.
    pub(super) fn mark(&self, at: SheetPoint, code: usize, colour: Colour, radius: f64) -> Result<()> {
        let (x, y) = at;
        let corners = |unit: &[SheetPoint]| unit.iter().map(|(u, v)| (x + u * radius, y + v * radius)).collect::<Vec<_>>();
        match code % 5 {
            0 => self.area.draw(&Circle::new(fine(at), (radius * FINE) as i32, colour.paint().filled())).map_err(failed),
            1 => self.polygon(&corners(&[(0.0, -1.2), (1.1, 0.8), (-1.1, 0.8)]), colour),
            2 => self.polygon(&corners(&[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)]), colour),
            3 => self.polygon(&corners(&[(0.0, -1.3), (1.3, 0.0), (0.0, 1.3), (-1.3, 0.0)]), colour),
            _ => self.polygon(&corners(&[(0.0, 1.2), (1.1, -0.8), (-1.1, -0.8)]), colour),
        }
    }
    /// A text of `size` pixels, its middle at the height of the place.
    pub(super) fn text(&self, text: &str, at: SheetPoint, anchor: Anchor, size: f64, colour: Colour) -> Result<()> {
        let (side, turn) = match anchor {
            Anchor::Start => (HPos::Left, FontTransform::None),
            Anchor::Middle => (HPos::Center, FontTransform::None),
            Anchor::End => (HPos::Right, FontTransform::None),
            Anchor::Climbing => (HPos::Left, FontTransform::Rotate270),
            Anchor::Upwards => (HPos::Center, FontTransform::Rotate270),
        };
        // Plotters divides a size by 1.24 on writing it.
        let font = ("sans-serif", size * FINE * 1.24).into_font().transform(turn);
        let paint = colour.paint();
        let style = TextStyle::from(font).color(&paint).pos(Pos::new(side, VPos::Center));
        self.area.draw(&Text::new(text.to_owned(), fine(at), style)).map_err(failed)
    }
}
