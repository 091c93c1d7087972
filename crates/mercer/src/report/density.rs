//! Report of a density of columns and the rules for its bandwidth, side by side: in the terminal and as a page of figures.

use super::figures::contours;
use super::html::page;
use super::{Layer, Panel, Panels};
use crate::control::Control;
use crate::error::{Error, Result};
use crate::linalg::Matrix;
use crate::smoothing::{Asked, Bandwidth, Chosen, Density, Rule, Shape, squares_curve};
use maud::{PreEscaped, html};

/// Places of a curve, and of each side of a plane.
const PLACES: usize = 512;
const SIDE: usize = 72;

/// What is said of a density.
#[derive(Debug)]
pub struct DensityReport<'a> {
    /// The density.
    pub density: &'a Density,
    /// Names of its columns.
    pub names: &'a [String],
    /// The table.
    pub table: &'a str,
    /// The rule that chose the bandwidth; `None`: it was given.
    pub rule: Option<Rule>,
    /// How the kernel is one of several columns.
    pub shape: Shape,
    /// Each rule with what it chose, or why it chose nothing.
    rules: Vec<(Rule, std::result::Result<Chosen, String>)>,
}

impl<'a> DensityReport<'a> {
    /// Asks each rule.
    ///
    /// # Errors
    /// On request of `control`.
    pub fn new(
        density: &'a Density,
        names: &'a [String],
        table: &'a str,
        rule: Option<Rule>,
        shape: Shape,
        control: &Control,
    ) -> Result<Self> {
        let sample = density.sample();
        let rule = rule.map(|rule| rule.settle(sample, control)).transpose()?;
        let mut rules = Vec::new();
        for one in Rule::ALL.into_iter().filter(|r| sample.dim() == 1 || !r.of_one_column()) {
            control.check_time("bandwidths")?;
            let found = match one.choose(sample, density.kernel(), shape, control) {
                Err(error) if error.ends_all() => return Err(error),
                found => found.map_err(|e| e.to_string()),
            };
            rules.push((one, found));
        }
        Ok(DensityReport { density, names, table, rule, shape, rules })
    }

    fn setting(&self) -> String {
        let sample = self.density.sample();
        let by = self.rule.map_or("as given", |r| r.name());
        let own = self.density.widths_of_rows();
        let ends = own.iter().fold((f64::INFINITY, 0.0f64), |(low, high), l| (low.min(*l), high.max(*l)));
        let own = if own.is_empty() { String::new() } else { format!(", times {:.3} to {:.3} from row to row", ends.0, ends.1) };
        format!("{} kernel, bandwidth {}{own} ({by}), {} rows", self.density.kernel(), listed(&self.density.widths()), sample.rows())
    }

    /// For the terminal.
    pub fn text(&self) -> String {
        let mut out = format!("density of   {}\n             {}\nrules\n", self.names.join(", "), self.setting());
        for (rule, found) in &self.rules {
            let listed_columns = found.as_ref().map_or_else(|why| format!("none: {why}"), |c| listed(&c.columns));
            out.push_str(&format!("  {:<18} {listed_columns:<24} {}\n", rule.name(), rule.formula(self.density.dim())));
        }
        out
    }

    /// The page.
    ///
    /// # Errors
    /// On request of `control`; a picture that cannot be drawn.
    pub fn html(&self, command: &str, control: &Control) -> Result<String> {
        let title = format!("Density of {} in {}", self.names.join(", "), self.table);
        let pictures = self.pictures(control)?;
        let dim = self.density.dim();
        Ok(page(
            &title,
            html! {
                p.verdict { (self.setting()) }
                @for (words, svg) in &pictures { figure { (PreEscaped(svg)) figcaption { (words) } } }
                h2 { "Rules for the bandwidth" }
                p { "The same name means different things in different programs, so each rule stands with its formula." }
                table {
                    thead { tr { th { "rule" } th { "bandwidth" } th { "formula" } } }
                    tbody {
                        @for (rule, found) in &self.rules {
                            tr.best[Some(*rule) == self.rule] {
                                th scope="row" { (rule.name()) }
                                @match found {
                                    Ok(chosen) => td { (listed(&chosen.columns)) },
                                    Err(why) => td.reason { (why) },
                                }
                                td { (rule.formula(dim)) }
                            }
                        }
                    }
                }
                @let notes = self.notes();
                @if !notes.is_empty() { h2 { "Notices" } @for note in &notes { p { (note) } } }
                h2 { "To make this page again" }
                pre { code { (command) } }
            },
        ))
    }

    fn notes(&self) -> Vec<String> {
        let of_rules = self.rules.iter().filter_map(|(_, c)| c.as_ref().ok()).flat_map(|c| c.notes.iter());
        let mut all: Vec<String> = self.density.notes().iter().chain(of_rules).cloned().collect();
        all.dedup();
        all
    }

    /// Pictures with a sentence each.
    fn pictures(&self, control: &Control) -> Result<Vec<(String, String)>> {
        match self.density.dim() {
            1 => self.line(control),
            2 => self.plane(control),
            _ => Ok(Vec::new()),
        }
    }

    fn line(&self, control: &Control) -> Result<Vec<(String, String)>> {
        let density = self.density;
        let at = places(&density.sample().points().col(0), 3.0 * density.widths()[0], PLACES);
        let rug = || Layer::Marks(0, density.sample().points().col(0).into_iter().map(|x| [x, 0.0]).collect());
        let panel =
            |title: &str, layers| Panel { title: title.into(), axes: [self.names[0].clone(), String::new()], layers, upwards: None };
        let curve = curve(density, &at, control)?;
        let own = panel("density", vec![("rows".into(), rug()), ("density".into(), Layer::Line(curve))]);
        let mut layers = vec![(String::new(), rug())];
        for (rule, found) in &self.rules {
            if let Ok(chosen) = found {
                let asked = Asked { kernel: density.kernel(), bandwidth: Bandwidth::Columns(chosen.columns.clone()), ..self.asked() };
                let other = Density::fit(density.sample(), &asked, control)?;
                layers.push((rule.name().into(), Layer::Line(self::curve(&other, &at, control)?)));
            }
        }
        let mut panels = vec![own, panel("by every rule", layers)];
        panels.extend(self.cross_validated(control)?);
        let words = "Left: the density over the rows. Middle: the density by each rule. Right: the error that least-squares cross-validation estimates for a Gaussian over its bandwidth, with each rule on the curve; the lower, the better.";
        let svg = Panels { panels, across: 3 }.file("Density", words)?;
        Ok(vec![(words.into(), svg)])
    }

    /// The curve of cross-validation with the rules on it.
    fn cross_validated(&self, control: &Control) -> Result<Option<Panel>> {
        let beside = self.density.kernel().width_beside_gaussian(Shape::Radial, 1);
        let chosen: Vec<(Rule, f64)> =
            self.rules.iter().filter_map(|(r, c)| c.as_ref().ok().map(|c| (*r, c.columns[0] / beside))).collect();
        let ends = chosen.iter().fold((f64::INFINITY, 0.0f64), |(l, h), (_, w)| (l.min(*w), h.max(*w)));
        if chosen.is_empty() {
            return Ok(None);
        }
        let (low, high) = ((0.6 * ends.0).ln(), (1.7 * ends.1).ln());
        let widths: Vec<f64> = (0..160).map(|k| (low + (high - low) * f64::from(k) / 159.0).exp()).collect();
        let errors = squares_curve(self.density.sample(), &widths, control)?;
        let at_rules = squares_curve(self.density.sample(), &chosen.iter().map(|(_, w)| *w).collect::<Vec<_>>(), control)?;
        let line = widths.iter().zip(&errors).map(|(w, e)| [w.log10(), *e]).collect();
        let mut layers = vec![("cross-validation".into(), Layer::Line(line))];
        for (k, ((rule, width), error)) in chosen.iter().zip(&at_rules).enumerate() {
            layers.push((rule.name().into(), Layer::Marks(k, vec![[width.log10(), *error]])));
        }
        let axes = ["log10 of the bandwidth".into(), String::new()];
        Ok(Some(Panel { title: "rules on the curve of cross-validation".into(), axes, layers, upwards: None }))
    }

    fn asked(&self) -> Asked {
        let adaptive = !self.density.widths_of_rows().is_empty();
        Asked { shape: self.shape, support: self.density.support().to_vec(), adaptive, ..Asked::default() }
    }

    fn plane(&self, control: &Control) -> Result<Vec<(String, String)>> {
        // Lines of equal density.
        const LEVELS: usize = 9;
        let (density, widths) = (self.density, self.density.widths());
        let points = density.sample().points();
        let sides: Vec<Vec<f64>> = (0..2).map(|j| places(&points.col(j), 2.5 * widths[j], SIDE)).collect();
        let grid = Matrix::from_fn(SIDE * SIDE, 2, |k, j| if j == 0 { sides[0][k % SIDE] } else { sides[1][k / SIDE] });
        let values: Vec<f64> = density.log_density(&grid, control)?.iter().map(|l| l.exp()).collect();
        let rows = Layer::Marks(0, (0..points.rows()).map(|i| [points[(i, 0)], points[(i, 1)]]).collect());
        let lines = Layer::Contours(contours(&sides[0], &sides[1], &values, LEVELS));
        let layers = vec![("rows".into(), rows), ("lines of equal density".into(), lines)];
        let axes = [self.names[0].clone(), self.names[1].clone()];
        let panel = Panel { title: "density".into(), axes, layers, upwards: None };
        let words = format!("Lines of equal density, at {LEVELS} even steps below the greatest, over the rows.");
        Ok(vec![(words.clone(), Panels { panels: vec![panel], across: 1 }.file("Density", &words)?)])
    }
}

/// Places on a grid over the rows and three bandwidths beyond, within the support: so many for each column, the last column
/// changing fastest.
///
/// # Errors
/// Fewer than two places for each column, or more than a million places.
pub fn density_grid(density: &Density, count: usize) -> Result<Matrix> {
    // Places of a grid at most.
    const MOST_PLACES: usize = 1_000_000;
    let (dim, widths) = (density.dim(), density.widths());
    let all = u32::try_from(dim).ok().and_then(|dim| count.checked_pow(dim)).filter(|all| count >= 2 && *all <= MOST_PLACES);
    let Some(all) = all else {
        let why = format!("{count} places for each of {dim} columns; give 2 or more, and {MOST_PLACES} in all at most");
        return Err(Error::Setting { name: "grid".into(), why });
    };
    let side = |j: usize| {
        let within = |x: f64| density.support().get(j).map_or(x, |s| x.clamp(s.low, s.high));
        let ends = places(&density.sample().points().col(j), 3.0 * widths[j], 2).into_iter().map(within).collect::<Vec<_>>();
        places(&ends, 0.0, count)
    };
    let sides: Vec<Vec<f64>> = (0..dim).map(side).collect();
    Ok(Matrix::from_fn(all, dim, |k, j| sides[j][k / count.pow((dim - 1 - j) as u32) % count]))
}

/// Even places over numbers and beyond.
fn places(numbers: &[f64], beyond: f64, count: usize) -> Vec<f64> {
    let (low, high) = numbers.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(*x), h.max(*x)));
    let (low, high) = (low - beyond, high + beyond);
    (0..count).map(|k| low + (high - low) * k as f64 / (count - 1) as f64).collect()
}

fn curve(density: &Density, at: &[f64], control: &Control) -> Result<Vec<[f64; 2]>> {
    let logs = density.log_density(&Matrix::column(at.to_vec()), control)?;
    Ok(at.iter().zip(&logs).map(|(x, l)| [*x, l.exp()]).collect())
}

fn listed(widths: &[f64]) -> String {
    widths.iter().map(|h| four_digits(*h)).collect::<Vec<_>>().join(", ")
}

/// A width in four significant digits.
fn four_digits(h: f64) -> String {
    let digits = 3 - h.log10().floor() as i32;
    if (0..9).contains(&digits) { format!("{h:.*}", digits as usize) } else { format!("{h:.3e}") }
}
