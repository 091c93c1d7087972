//! Report of a smoothing curve: in the terminal and as a page with the curve over its rows, its bands, and how its bandwidth was chosen.

use super::html::page;
use super::{Layer, Panel, Panels};
use crate::control::Control;
use crate::error::Result;
use crate::linalg::Matrix;
use crate::param::Value;
use crate::smoothing::{LocalFit, LocalOptions, Lowess, LowessOptions, Reach};
use maud::{PreEscaped, html};

/// What smooths, and what was asked of it.
#[derive(Debug)]
pub enum Smoother {
    /// Local regression.
    Local(Box<LocalFit>, LocalOptions),
    /// Lowess.
    Lowess(Lowess, LowessOptions),
}

/// What is said of a curve.
#[derive(Debug)]
pub struct SmoothReport<'a> {
    /// The curve.
    pub smoother: &'a Smoother,
    /// Names of the columns.
    pub names: &'a [String],
    /// Name of the target.
    pub target: &'a str,
    /// The table.
    pub table: &'a str,
    /// The rows (N x D).
    pub points: &'a Matrix,
    /// Their targets.
    pub y: &'a [f64],
}

impl SmoothReport<'_> {
    fn setting(&self) -> String {
        let rows = self.points.rows();
        match self.smoother {
            Smoother::Local(local, asked) => {
                let what = ["averages (Nadaraya-Watson)", "local lines", "local parabolas"][asked.degree.min(2)];
                let width = match (&asked.reach, local.widths()) {
                    (Reach::Nearest(span), _) => format!("the nearest {} % of the rows", Value::Number(100.0 * span).rounded(4)),
                    (reach, widths) => {
                        let by = if *reach == Reach::LeftOut { "by rows left out" } else { "as given" };
                        format!(
                            "bandwidth {} ({by})",
                            widths.unwrap_or_default().iter().map(|h| format!("{h:.4}")).collect::<Vec<_>>().join(", ")
                        )
                    }
                };
                let rounds = if asked.rounds > 0 { format!(", {} rounds against outliers", asked.rounds) } else { String::new() };
                format!("{what}, {} kernel, {width}, {rows} rows{rounds}", asked.kernel)
            }
            Smoother::Lowess(_, asked) => {
                format!("lowess, {:.4} % of {rows} rows for each line, {} rounds against outliers", 100.0 * asked.frac, asked.rounds)
            }
        }
    }

    /// Facts with their numbers.
    fn facts(&self) -> Vec<(&'static str, String)> {
        let Smoother::Local(local, _) = self.smoother else { return Vec::new() };
        let mut facts = vec![
            ("degrees of freedom", format!("{:.2}", local.degrees_of_freedom())),
            ("standard deviation of the noise", format!("{:.4}", local.noise())),
        ];
        if let Some(least) = local.curve().iter().map(|c| c.1).min_by(f64::total_cmp) {
            facts.push(("root mean square error of rows left out", format!("{:.4}", least.sqrt())));
        }
        if local.lowered() > 0 {
            facts.push(("rows at which the polynomial has a lower degree, as too few rows are near", local.lowered().to_string()));
        }
        facts
    }

    /// For the terminal.
    pub fn text(&self) -> String {
        let mut out = format!("{} over {}: {}\n", self.target, self.names.join(", "), self.setting());
        self.facts().iter().for_each(|(what, value)| out.push_str(&format!("  {what}: {value}\n")));
        out
    }

    /// The page.
    ///
    /// # Errors
    /// On request of `control`; a picture that cannot be drawn.
    pub fn html(&self, command: &str, control: &Control) -> Result<String> {
        let (words, svg) = self.picture(control)?;
        Ok(page(
            &format!("{} over {} in {}", self.target, self.names.join(", "), self.table),
            html! {
                p.verdict { (self.setting()) }
                figure { (PreEscaped(svg)) figcaption { (words) } }
                @let facts = self.facts();
                @if !facts.is_empty() {
                    table { tbody { @for (what, value) in &facts { tr { th scope="row" { (what) } td { (value) } } } } }
                }
                h2 { "To make this page again" }
                pre { code { (command) } }
            },
        ))
    }

    fn picture(&self, control: &Control) -> Result<(String, String)> {
        // Places of a curve.
        const PLACES: usize = 400;
        // Standard deviations of the bands.
        const BANDS: f64 = 2.0;
        let (mut panels, mut words) = (Vec::new(), String::new());
        if self.names.len() == 1 {
            let x = self.points.col(0);
            let (low, high) = x.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(*x), h.max(*x)));
            let at: Vec<f64> = (0..PLACES).map(|k| low + (high - low) * k as f64 / (PLACES - 1) as f64).collect();
            let marks = x.iter().zip(self.y).map(|(x, y)| [*x, *y]).collect();
            let mut layers = vec![("rows".into(), Layer::Marks(0, marks))];
            let line = |values: &[f64]| at.iter().zip(values).map(|(x, f)| [*x, *f]).collect::<Vec<[f64; 2]>>();
            words.push_str("The curve over the rows");
            match self.smoother {
                Smoother::Local(local, _) => {
                    let found = local.predict(&Matrix::column(at.clone()), control)?;
                    let band = |by: f64| line(&found.values.iter().zip(&found.deviations).map(|(f, d)| f + by * d).collect::<Vec<f64>>());
                    layers.push(("curve".into(), Layer::Line(line(&found.values))));
                    layers.push((String::new(), Layer::Contours(vec![band(BANDS), band(-BANDS)])));
                    words.push_str(", with bands of two standard deviations of the curve");
                }
                Smoother::Lowess(lowess, _) => layers.push(("curve".into(), Layer::Line(line(&lowess.predict(&at, control)?)))),
            }
            words.push('.');
            let axes = [self.names[0].clone(), self.target.to_owned()];
            panels.push(Panel { title: "curve".into(), axes, layers, upwards: None });
        }
        if let Smoother::Local(local, _) = self.smoother {
            if self.names.len() > 1 {
                let marks = local.left_out().iter().zip(local.targets()).filter(|(f, _)| f.is_finite()).map(|(f, y)| [*f, y]).collect();
                let axes = ["value without the row".into(), self.target.to_owned()];
                panels.push(Panel {
                    title: "rows left out".into(),
                    axes,
                    layers: vec![(String::new(), Layer::Marks(0, marks))],
                    upwards: None,
                });
                words.push_str("Each row against the value of the surface without it.");
            }
            let tried: Vec<[f64; 2]> = local.curve().iter().filter(|c| c.1.is_finite()).map(|c| [c.0.log10(), c.1.sqrt()]).collect();
            if let (Some(widths), false) = (local.widths(), tried.is_empty()) {
                let least = tried.iter().fold(f64::INFINITY, |m, c| m.min(c[1]));
                let layers =
                    vec![("tried".into(), Layer::Line(tried)), ("chosen".into(), Layer::Marks(1, vec![[widths[0].log10(), least]]))];
                let axes = [format!("log10 of the bandwidth of {}", self.names[0]), "error of rows left out".into()];
                panels.push(Panel { title: "how the bandwidth was chosen".into(), axes, layers, upwards: None });
                words.push_str(" Right: the root mean square error of rows left out over the bandwidth, with the one that was chosen.");
            }
        }
        let across = panels.len().max(1);
        Ok((words.clone(), Panels { panels, across }.file("Curve", &words)?))
    }
}
