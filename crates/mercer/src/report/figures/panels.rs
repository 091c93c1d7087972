//! Several small charts side by side: curves, marks, stems and words over two axes each.

use super::axes::{Axes, Legend, SMALL, Sign, Span};
use super::canvas::{Anchor, Sheet, draw, standalone};
use super::colours::{Colour, INK, MUTED, class};
use super::drawn;
use crate::error::Result;

/// What is drawn in a chart.
#[derive(Clone, Debug, PartialEq)]
pub enum Layer {
    /// A line through points.
    Line(Vec<[f64; 2]>),
    /// Fine lines without a name, such as contours.
    Contours(Vec<Vec<[f64; 2]>>),
    /// A mark at each point, of the shape and colour of a class.
    Marks(usize, Vec<[f64; 2]>),
    /// A ring around each point.
    Rings(Vec<[f64; 2]>),
    /// A line from 0 to each point.
    Stems(Vec<[f64; 2]>),
    /// Words beside points.
    Words(Vec<([f64; 2], String)>),
}

impl Layer {
    fn points(&self) -> Vec<[f64; 2]> {
        match self {
            Layer::Line(points) | Layer::Marks(_, points) | Layer::Rings(points) => points.clone(),
            Layer::Contours(lines) => lines.concat(),
            Layer::Stems(points) => points.iter().flat_map(|p| [*p, [p[0], 0.0]]).collect(),
            Layer::Words(words) => words.iter().map(|(at, _)| *at).collect(),
        }
    }
}

/// One chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    /// What it is.
    pub title: String,
    /// Names of the axes, across and upwards.
    pub axes: [String; 2],
    /// What is drawn, with its words in the legend; those without words are not in it.
    pub layers: Vec<(String, Layer)>,
    /// The ends of the upright axis, where they are not those of the points.
    pub upwards: Option<[f64; 2]>,
}

/// Charts in rows of so many.
#[derive(Clone, Debug, PartialEq)]
pub struct Panels {
    /// The charts, row by row.
    pub panels: Vec<Panel>,
    /// Charts in a row.
    pub across: usize,
}

const SIZE: (f64, f64) = (400.0, 300.0);
/// Pixels of the title of a chart.
const TITLE: f64 = 24.0;

impl Panels {
    /// The figure as an SVG file; `label` is its alternative text.
    pub fn file(&self, title: &str, label: &str) -> Result<String> {
        let across = self.across.clamp(1, self.panels.len().max(1));
        let legends: Vec<Legend> = self.panels.iter().map(Panel::legend).collect();
        let rows: Vec<f64> = legends.chunks(across).map(|row| TITLE + SIZE.1 + row.iter().map(|l| l.height).fold(0.0, f64::max)).collect();
        let size = (SIZE.0 * across as f64, rows.iter().sum());
        let svg = draw(size, label, |sheet| {
            let mut down = 0.0;
            for (r, (panels, legends)) in self.panels.chunks(across).zip(legends.chunks(across)).enumerate() {
                for (c, (panel, legend)) in panels.iter().zip(legends).enumerate() {
                    panel.draw(sheet, (c as f64 * SIZE.0, down), rows[r], legend)?;
                }
                down += rows[r];
            }
            Ok(())
        })?;
        Ok(standalone(&svg, title))
    }
}

impl Panel {
    /// The colour of a layer: marks have that of their class, lines one each.
    fn colour(&self, k: usize) -> Colour {
        match &self.layers[k].1 {
            Layer::Marks(code, _) => class(*code),
            Layer::Line(_) => class(self.layers[..k].iter().filter(|(_, l)| matches!(l, Layer::Line(_))).count()),
            _ => MUTED,
        }
    }

    fn legend(&self) -> Legend {
        let named = (0..self.layers.len()).filter(|&k| !self.layers[k].0.is_empty());
        let entry = |k: usize| {
            let (words, layer) = &self.layers[k];
            let sign = match layer {
                Layer::Marks(code, _) => Sign::Mark(*code, self.colour(k)),
                Layer::Rings(_) => Sign::Ring,
                _ => Sign::Line(self.colour(k)),
            };
            (sign, words.clone())
        };
        Legend::new(named.map(entry).collect(), SIZE.0)
    }

    fn draw(&self, sheet: &Sheet<'_>, at: (f64, f64), height: f64, legend: &Legend) -> Result<()> {
        let points: Vec<[f64; 2]> = self.layers.iter().flat_map(|(_, layer)| layer.points()).collect();
        let across = Span::of(points.iter().map(|p| p[0]), 0.02);
        let upwards = match self.upwards {
            Some(ends) => Span::of(ends.into_iter(), 0.0),
            None => Span::of(points.iter().map(|p| p[1]), 0.06),
        };
        let [x, y] = &self.axes;
        let axes = Axes::new((SIZE.0, height - TITLE), legend.height, across, upwards, [x, y]).moved((at.0, at.1 + TITLE));
        sheet.text(&self.title, (at.0 + SIZE.0 / 2.0, at.1 + TITLE / 2.0), Anchor::Middle, SMALL, INK)?;
        axes.grid(sheet)?;
        let inside = |p: &[f64; 2]| axes.has(p[0], p[1]);
        // Where a line leaves the frame it is broken.
        let line = |points: &[[f64; 2]], colour: Colour, width: f64| {
            let mut parts = points.split(|p| !inside(p)).filter(|part| part.len() > 1);
            let placed = |part: &[[f64; 2]]| part.iter().map(|p| axes.place(p[0], p[1])).collect::<Vec<_>>();
            parts.try_for_each(|part| sheet.line(&placed(part), colour, width))
        };
        for (k, (_, layer)) in self.layers.iter().enumerate() {
            let colour = self.colour(k);
            match layer {
                Layer::Line(points) => line(points, colour, 2.0)?,
                Layer::Contours(lines) => lines.iter().try_for_each(|points| line(points, colour, 1.0))?,
                Layer::Marks(code, points) => {
                    for i in drawn(points.len()).filter(|&i| inside(&points[i])) {
                        sheet.mark(axes.place(points[i][0], points[i][1]), *code, colour, 2.8)?;
                    }
                }
                Layer::Rings(points) => {
                    for i in drawn(points.len()).filter(|&i| inside(&points[i])) {
                        sheet.ring(axes.place(points[i][0], points[i][1]), 5.0)?;
                    }
                }
                Layer::Stems(points) => {
                    for p in points {
                        sheet.line(&[axes.place(p[0], 0.0), axes.place(p[0], p[1])], colour, 1.2)?;
                        if p[1] != 0.0 {
                            sheet.mark(axes.place(p[0], p[1]), 0, class(0), 2.2)?;
                        }
                    }
                }
                Layer::Words(words) => {
                    for (p, word) in words.iter().filter(|(p, _)| inside(p)) {
                        let (left, middle) = axes.place(p[0], p[1]);
                        sheet.text(word, (left + 6.0, middle - 7.0), Anchor::Start, SMALL - 2.0, INK)?;
                    }
                }
            }
        }
        axes.frame(sheet)?;
        legend.draw_at(sheet, (at.0, at.1 + TITLE))
    }
}
