//! A density as a mean of kernels, f(x) = sum_i w_i k_h(x - x_i) / sum_i w_i (Rosenblatt 1956, Parzen 1962; Murphy 2012, 14.78), in logs
//! throughout: far from all rows it is small, and 0 only where a compact kernel is.
//!
//! With `adaptive` each row has the width h l_i, l_i = (f~(x_i) / g)^(-1/2), f~ the density of one width and g the geometric mean of its
//! values at the rows (Abramson 1982; Silverman 1986, 5.3): wide where rows are sparse.

use super::boundary::Support;
use super::frame::Frame;
use super::index::{Index, Summed};
use super::line::Line;
use super::plane::{Ask, Bounded, Sources};
use super::sample::require_finite;
use super::weighing::Law;
use super::{Chosen, Rule, Sample, Shape, SmoothingKernel};
use crate::control::Control;
use crate::error::{Error, Result};
use crate::linalg::Matrix;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::sync::OnceLock;

/// How wide the kernels are.
#[derive(Clone, Debug, PartialEq)]
pub enum Bandwidth {
    /// By a rule, a width for each column.
    Rule(Rule),
    /// By a rule, widths and directions of the covariance of the columns.
    Covariance(Rule),
    /// One number for every column.
    Number(f64),
    /// One for each column.
    Columns(Vec<f64>),
    /// H, D x D: the covariance of a Gaussian kernel.
    Matrix(Matrix),
}

/// What a density is asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Asked {
    /// The kernel.
    pub kernel: SmoothingKernel,
    /// How it is one of several columns.
    pub shape: Shape,
    /// How wide it is.
    pub bandwidth: Bandwidth,
    /// Where the values can be: one for each column; none: anywhere.
    pub support: Vec<Support>,
    /// Whether each row has a width of its own.
    pub adaptive: bool,
    /// The relative error that a density may have.
    pub tolerance: f64,
}

impl Default for Asked {
    /// A Gaussian whose width the sample decides, with a relative error of 1e-12.
    fn default() -> Self {
        Asked {
            kernel: SmoothingKernel::Gaussian,
            shape: Shape::Radial,
            bandwidth: Bandwidth::Rule(Rule::Auto),
            support: Vec::new(),
            adaptive: false,
            tolerance: 1e-12,
        }
    }
}

/// A density that is ready to be asked for values.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "Stored", into = "Stored")]
pub struct Density {
    pub(super) stored: Stored,
    /// Made ready where the first sum is asked for: where places are taken together none may be.
    sums: OnceLock<Sums>,
}

/// What a density is stored as.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Stored {
    pub(super) kernel: SmoothingKernel,
    pub(super) shape: Shape,
    pub(super) sample: Sample,
    pub(super) frame: Frame,
    pub(super) support: Vec<Support>,
    /// l of each row; empty: 1.
    pub(super) widths: Vec<f64>,
    tolerance: f64,
    notes: Vec<String>,
}

impl PartialEq for Density {
    /// Of the same rows in the same way.
    fn eq(&self, other: &Density) -> bool {
        self.stored == other.stored
    }
}

#[derive(Clone, Debug)]
enum Sums {
    Line(Line),
    Points(Index),
}

impl Stored {
    /// Points one after the other, in units of the bandwidth.
    fn in_units(&self, points: &Matrix) -> Vec<f64> {
        (0..points.rows()).flat_map(|i| self.frame.in_units(points.row(i))).collect()
    }
}

impl From<Density> for Stored {
    fn from(density: Density) -> Stored {
        density.stored
    }
}

impl TryFrom<Stored> for Density {
    type Error = Error;

    /// Checks what was stored as if it were new.
    fn try_from(stored: Stored) -> Result<Density> {
        let sample = Sample::new(stored.sample.points(), Some(stored.sample.weights()))?;
        Error::unless_equal("widths of the columns", sample.dim(), stored.frame.dim())?;
        if !stored.widths.is_empty() {
            Error::unless_equal("widths of the rows", sample.rows(), stored.widths.len())?;
        }
        if let Some(width) = stored.widths.iter().find(|l| !(**l > 0.0 && l.is_finite())) {
            return Err(Error::Data(format!("the width of a row is {width}; expected a finite number above 0")));
        }
        Density::ready(Stored { sample, ..stored })
    }
}

impl Density {
    /// The density of a sample.
    ///
    /// # Errors
    /// A bandwidth that is not above 0 and finite, or does not fit to the columns; rows outside the support; what a rule refuses; on
    /// request of `control`.
    pub fn fit(sample: &Sample, asked: &Asked, control: &Control) -> Result<Density> {
        Self::fit_by(sample, asked, control).map(|(density, _)| density)
    }

    /// The density of a sample, and the rule by which its bandwidths were chosen, where one chose a bandwidth for each column.
    pub(crate) fn fit_by(sample: &Sample, asked: &Asked, control: &Control) -> Result<(Density, Option<Rule>)> {
        control.check()?;
        let dim = sample.dim();
        control.plan("a density", 8 * 3 * (sample.rows() * (dim + 1)) as u64)?;
        let (rule, chosen) = asked.chosen(sample, control)?;
        if asked.shape == Shape::Product && chosen.matrix.is_some() {
            let why = "a matrix has directions of its own and goes with shape=radial; a product takes one bandwidth for each column";
            return Err(Error::Setting { name: "shape".into(), why: why.into() });
        }
        if !(asked.tolerance > 0.0 && asked.tolerance < 1.0) {
            let value = asked.tolerance.to_string();
            return Err(Error::OutOfDomain { owner: "density".into(), name: "tolerance".into(), value, domain: "between 0 and 1".into() });
        }
        let support = super::boundary::checked(&asked.support, sample)?;
        let frame = Frame::new(sample, &chosen, control)?;
        let (kernel, shape, mut notes) = (asked.kernel, asked.shape, chosen.notes);
        notes.extend(few_rows_decide(sample, &frame));
        let (sample, tolerance, widths) = (sample.clone(), asked.tolerance, Vec::new());
        let density = Density::ready(Stored { kernel, shape, sample, frame, support, widths, tolerance, notes })?;
        Ok((if asked.adaptive { density.with_widths(control)? } else { density }, rule))
    }

    /// The density with a width for each row.
    fn with_widths(self, control: &Control) -> Result<Density> {
        let sample = &self.stored.sample;
        let logs = self.log_density(sample.points(), control)?;
        let mean = logs.iter().zip(sample.weights()).map(|(l, w)| w * l).sum::<f64>() / sample.count();
        let widths: Vec<f64> = logs.iter().map(|l| (0.5 * (mean - l)).exp()).collect();
        if widths.iter().any(|l| !(*l > 0.0 && l.is_finite())) {
            return Err(Error::Numerical {
                what: "density".into(),
                why: "densities at the rows are so far apart that rows have no widths of their own; give a wider bandwidth, or leave adaptive out".into(),
            });
        }
        Density::ready(Stored { widths, ..self.stored })
    }

    fn ready(stored: Stored) -> Result<Density> {
        if stored.in_units(stored.sample.points()).iter().any(|z| !z.is_finite()) {
            return Err(Error::Numerical {
                what: "density".into(),
                why: "a row is too far from the others, in bandwidths, to be counted; give a wider bandwidth".into(),
            });
        }
        Ok(Density { stored, sums: OnceLock::new() })
    }

    fn sums(&self) -> &Sums {
        self.sums.get_or_init(|| {
            let Stored { sample, kernel, widths, .. } = &self.stored;
            let units = self.stored.in_units(sample.points());
            match (sample.dim(), kernel) {
                (1, SmoothingKernel::Gaussian) if widths.is_empty() => Sums::Line(Line::new(&units, sample.weights())),
                (dim, _) => Sums::Points(Index::new(&units, dim, sample.weights(), widths)),
            }
        })
    }

    /// ln f of each row of `points`; -inf where a compact kernel reaches no row, and outside the support.
    ///
    /// # Errors
    /// Another number of columns; a number that is not finite; on request of `control`.
    pub fn log_density(&self, points: &Matrix, control: &Control) -> Result<Vec<f64>> {
        Error::unless_equal("columns", self.dim(), points.cols())?;
        require_finite(points)?;
        let log_count = self.stored.sample.count().ln();
        let together = self.together(points, control)?;
        self.each(points.rows(), control, |i| {
            let known = together.as_ref().and_then(|sums| self.exact(sums[i], 0.0));
            known.unwrap_or_else(|| self.folded(points.row(i), |x| self.log_sum(x, None))) - log_count
        })
    }

    /// ln f_-i of each row of the sample: one repetition of the row is absent; widths of rows stay.
    ///
    /// # Errors
    /// Weights that count no more than one row; on request of `control`.
    pub fn left_out(&self, control: &Control) -> Result<Vec<f64>> {
        let sample = &self.stored.sample;
        let count = sample.count();
        if count <= 1.0 {
            return Err(Error::Data(format!("the weights count {count} rows, and leaving one out leaves none; weights count rows here")));
        }
        let together = self.together(sample.points(), control)?;
        self.each(sample.rows(), control, |i| {
            let own = sample.weights()[i].min(1.0);
            let known = together.as_ref().and_then(|sums| self.exact(sums[i], own));
            known.unwrap_or_else(|| self.folded(sample.points().row(i), |x| self.log_sum(x, Some(i)))) - (count - own).ln()
        })
    }

    /// The sums at all places together, where that pays.
    fn together(&self, places: &Matrix, control: &Control) -> Result<Option<Vec<Bounded>>> {
        // Nanoseconds of a pair of a row and a place.
        const PAIR: f64 = 2.0;
        let stored = &self.stored;
        if self.dim() != 2 || stored.kernel != SmoothingKernel::Gaussian || !stored.support.is_empty() || !stored.widths.is_empty() {
            return Ok(None);
        }
        let (points, places) = (stored.in_units(stored.sample.points()), stored.in_units(places));
        let asked = [Ask { list: 0, powers: [0, 0] }];
        let sources = Sources { points: &points, weights: &[stored.sample.weights()], asked: &asked, pair: PAIR };
        sources.sums(&places, stored.tolerance, control)
    }

    /// ln of a sum less what a row itself adds, as [`Density::log_sum`] has it, where its error is within the tolerance.
    fn exact(&self, sum: Bounded, own: f64) -> Option<f64> {
        let value = sum.value - own;
        (sum.error <= self.stored.tolerance * value).then(|| self.log_constant() + value.ln())
    }

    /// Values of rows in bands, on all threads.
    fn each(&self, rows: usize, control: &Control, of: impl Fn(usize) -> f64 + Sync) -> Result<Vec<f64>> {
        // Queries that one thread takes at a time.
        const BAND: usize = 64;
        let mut out = vec![0.0; rows];
        out.par_chunks_mut(BAND).enumerate().try_for_each(|(band, part)| {
            control.check_time("densities")?;
            part.iter_mut().enumerate().for_each(|(k, value)| *value = of(BAND * band + k));
            Ok::<(), Error>(())
        })?;
        Ok(out)
    }

    /// ln of sum_i w_i k_h(x - x_i) without regard to a support.
    fn log_sum(&self, x: &[f64], left_out: Option<usize>) -> f64 {
        let (z, law) = (self.stored.frame.in_units(x), self.law());
        if z.iter().any(|z| !z.is_finite()) {
            return f64::NEG_INFINITY;
        }
        let Summed { value, near } = match self.sums() {
            Sums::Line(line) => line.sum(z[0], left_out, self.stored.tolerance),
            Sums::Points(index) => index.sum(law, &z, left_out, self.stored.tolerance),
        };
        // So far from all rows that no distance is a number.
        if !near.is_finite() {
            return f64::NEG_INFINITY;
        }
        self.log_constant() + value.ln() + law.log_profile(near)
    }

    fn law(&self) -> Law {
        Law { kernel: self.stored.kernel, shape: self.stored.shape }
    }

    /// ln of c_{k,D} / |L|.
    pub(super) fn log_constant(&self) -> f64 {
        self.stored.kernel.log_constant(self.stored.shape, self.dim()) - self.stored.frame.log_volume()
    }

    /// Columns.
    pub fn dim(&self) -> usize {
        self.stored.sample.dim()
    }
    /// The kernel.
    pub fn kernel(&self) -> SmoothingKernel {
        self.stored.kernel
    }
    /// The rows it is made from.
    pub fn sample(&self) -> &Sample {
        &self.stored.sample
    }
    /// The bandwidth of each column; of a matrix the roots of its diagonal.
    pub fn widths(&self) -> Vec<f64> {
        (0..self.dim()).map(|j| self.stored.frame.width(j)).collect()
    }
    /// The width of each row of weight above 0 as a multiple of the bandwidth; empty where all are 1.
    pub fn widths_of_rows(&self) -> &[f64] {
        &self.stored.widths
    }
    /// The greatest of them.
    pub(super) fn widest(&self) -> f64 {
        self.stored.widths.iter().copied().reduce(f64::max).unwrap_or(1.0)
    }
    /// What the user should know.
    pub fn notes(&self) -> &[String] {
        &self.stored.notes
    }
    /// Where the values can be; empty: anywhere.
    pub fn support(&self) -> &[Support] {
        &self.stored.support
    }

    /// The density of some of the columns with weights of the rows.
    pub(super) fn among(&self, columns: &[usize], weights: &[f64]) -> Result<Density> {
        let all = &self.stored;
        let points = Matrix::from_fn(all.sample.rows(), columns.len(), |i, k| all.sample.points()[(i, columns[k])]);
        let support = if all.support.is_empty() { Vec::new() } else { columns.iter().map(|&j| all.support[j]).collect() };
        let sample = Sample::new(&points, Some(weights))?;
        let (frame, notes) = (all.frame.columns(columns), all.notes.clone());
        let widths = all.widths.iter().zip(weights).filter(|(_, w)| **w > 0.0).map(|(l, _)| *l).collect();
        Density::ready(Stored { sample, frame, support, widths, notes, ..all.clone() })
    }
}

impl Asked {
    fn chosen(&self, sample: &Sample, control: &Control) -> Result<(Option<Rule>, Chosen)> {
        let dim = sample.dim();
        let given = |columns: Vec<f64>| {
            Error::unless_equal("bandwidths, one for each column", dim, columns.len())?;
            match columns.iter().find(|h| !(**h > 0.0 && h.is_finite())) {
                Some(h) => Err(Error::OutOfDomain {
                    owner: "density".into(),
                    name: "bandwidth".into(),
                    value: h.to_string(),
                    domain: "a finite number above 0, or the name of a rule".into(),
                }),
                None => Ok((None, Chosen { columns, matrix: None, notes: Vec::new() })),
            }
        };
        match &self.bandwidth {
            Bandwidth::Rule(rule) => rule.choose_by(sample, self.kernel, self.shape, control).map(|(rule, chosen)| (Some(rule), chosen)),
            Bandwidth::Covariance(rule) => rule.choose_matrix(sample, self.kernel, control).map(|chosen| (None, chosen)),
            Bandwidth::Number(h) => given(vec![*h; dim]),
            Bandwidth::Columns(columns) => given(columns.clone()),
            Bandwidth::Matrix(matrix) => {
                Error::unless_equal("rows of the bandwidth matrix", dim, matrix.rows())?;
                super::frame::factor(matrix, control)?;
                let columns = matrix.diagonal().iter().map(|d| d.sqrt()).collect();
                Ok((None, Chosen { columns, matrix: Some(matrix.clone()), notes: Vec::new() }))
            }
        }
    }
}

/// Says so where few rows decide the density at a typical row: (sum_j k_ij)^2 / sum_j k_ij^2 over the other rows, in the middle of up to
/// a hundred rows; the weights are Gaussian, so that kernels can be compared.
fn few_rows_decide(sample: &Sample, frame: &Frame) -> Option<String> {
    // Columns from which on it is asked how many rows decide.
    const MANY_COLUMNS: usize = 4;
    // Rows that have to decide at a typical row.
    const ENOUGH: f64 = 5.0;
    let (rows, dim) = (sample.rows(), sample.dim());
    if dim < MANY_COLUMNS || rows < 2 {
        return None;
    }
    let others: Vec<Vec<f64>> = (0..rows).step_by(rows.div_ceil(5000)).map(|i| frame.in_units(sample.points().row(i))).collect();
    let count = others.len();
    let decide = |i: usize| {
        let logs =
            (0..count).filter(|&j| j != i).map(|j| -0.5 * others[i].iter().zip(&others[j]).map(|(a, b)| (a - b).powi(2)).sum::<f64>());
        let logs: Vec<f64> = logs.collect();
        let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let (sum, squares) = logs.iter().map(|l| (l - most).exp()).fold((0.0, 0.0), |(s, q), k| (s + k, q + k * k));
        sum * sum / squares * rows as f64 / count as f64
    };
    let mut found: Vec<f64> = (0..count).step_by(count.div_ceil(100)).map(decide).collect();
    found.sort_by(f64::total_cmp);
    let typical = found[found.len() / 2];
    (typical < ENOUGH).then(|| {
        format!(
            "at a typical row about {typical:.1} of {rows} rows decide the density: in {dim} columns rows are far from one another, and a density needs more of them than there are; use fewer columns, such as components of mercer map"
        )
    })
}
