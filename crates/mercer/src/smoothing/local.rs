//! Local polynomial regression: at each place a polynomial of degree 0, 1 or 2 is fitted to the rows, weighed by a smoothing kernel, and
//! read off there (Nadaraya 1964 and Watson 1964 for degree 0; Cleveland & Devlin 1988; Murphy 2012, 14.84 to 14.96).
//!
//! ```text
//! minimise  sum_i w_i p(|x_i - x| / h) (y_i - phi(x_i - x)'beta)^2,     f(x) = beta_0 = sum_i l_i(x) y_i
//! l_i(x) = w_i p_i e_0'(Phi'V Phi)^-1 phi_i: the equivalent kernel;     y_i - f_-i(x_i) = (y_i - f(x_i)) / (1 - l_i(x_i) / w_i)
//! ```
//!
//! A row of weight w stands w times, and one repetition is left out. Where the rows near a place do not determine the polynomial its
//! degree is lowered there, and counted.

use super::moments::{Columns, Moments, number_of_terms, terms};
use super::sample::require_finite;
use super::{Sample, SmoothingKernel};
use crate::blocks;
use crate::control::Control;
use crate::error::{Error, Result};
use crate::gram::dot;
use crate::linalg::{Matrix, eigh};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::sync::OnceLock;

/// How far a place looks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reach {
    /// A bandwidth for each column.
    Widths(Vec<f64>),
    /// To the row that is this share of all away (R's span; columns in units of their standard deviation): its distance is the bandwidth,
    /// times the root of a share above 1.
    Nearest(f64),
    /// One bandwidth in units of the columns, by the squares of rows left out.
    LeftOut,
}

/// What a local regression is asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct LocalOptions {
    /// How rows are weighed.
    pub kernel: SmoothingKernel,
    /// How far.
    pub reach: Reach,
    /// Degree of the polynomials: 0, 1 or 2.
    pub degree: usize,
}

impl Default for LocalOptions {
    /// Local lines under a Gaussian by leave-one-out.
    fn default() -> Self {
        LocalOptions { kernel: SmoothingKernel::Gaussian, reach: Reach::LeftOut, degree: 1 }
    }
}

/// A local regression that is ready to be asked for values.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LocalRegression {
    kernel: SmoothingKernel,
    degree: usize,
    reach: Reach,
    /// One number each by which differences of a column are divided.
    units: Vec<f64>,
    sample: Sample,
    #[serde(with = "blocks::f64s")]
    y: Vec<f64>,
    /// What was tried, where the bandwidth was chosen: factor of the units and mean square of rows left out.
    curve: Vec<(f64, f64)>,
    look: Look,
    #[serde(skip)]
    columns: OnceLock<Columns>,
}

/// A look at the training rows.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Look {
    #[serde(with = "blocks::f64s")]
    fitted: Vec<f64>,
    #[serde(with = "blocks::f64s")]
    left_out: Vec<f64>,
    freedom: f64,
    deviation: f64,
    lowered: usize,
}

/// Values at new places.
#[derive(Clone, Debug, PartialEq)]
pub struct Smoothed {
    /// f(x).
    pub values: Vec<f64>,
    /// Standard deviation of f(x), were the noise as in the training rows.
    pub deviations: Vec<f64>,
    /// df/dx of each column, M x D; 0 where the degree is.
    pub slopes: Matrix,
    /// Places at which the degree was lowered.
    pub lowered: usize,
}

/// The fit at one place: everything of it follows from the moments of the terms.
struct At {
    value: f64,
    slope: Vec<f64>,
    /// l_i / w_i of a row that lies there and whose kernel value is the greatest there is, and sum_i l_i^2 / w_i.
    own: f64,
    spread: f64,
    /// l_i = v_i g'phi_i.
    g: Vec<f64>,
    /// The distance beside which the kernel was taken.
    least: f64,
    lowered: bool,
}

/// Eigenvalues below this share of the largest are of no direction that rows determine.
const DETERMINED: f64 = 1e-10;
/// Factors of the data-based width that are tried, and their ends.
const TRIED: usize = 25;
const ENDS: [f64; 2] = [0.05, 8.0];
/// Golden sections between the best of them and its neighbours.
const SECTIONS: usize = 16;
/// Rows at which bandwidths are judged, at most.
const JUDGED: usize = 2000;

impl LocalRegression {
    /// Takes the rows of a sample and their numbers.
    ///
    /// # Errors
    /// Numbers of another count or not finite; a degree above 2; a bandwidth or share that is not above 0; a training row that no other
    /// is near enough to judge it by; on request of `control`.
    pub fn fit(points: &Matrix, y: &[f64], weights: Option<&[f64]>, options: &LocalOptions, control: &Control) -> Result<Self> {
        Error::unless_equal("targets", points.rows(), y.len())?;
        if let Some(i) = y.iter().position(|v| !v.is_finite()) {
            return Err(Error::Data(format!("row {}: the target is {}; expected a finite number", i + 1, y[i])));
        }
        if options.degree > 2 {
            let (value, domain) = (options.degree.to_string(), "0, 1 or 2".into());
            return Err(Error::OutOfDomain { owner: "local regression".into(), name: "degree".into(), value, domain });
        }
        let sample = Sample::new(points, weights)?;
        let y = (0..y.len()).filter(|&i| weights.is_none_or(|w| w[i] > 0.0)).map(|i| y[i]).collect();
        let units = match &options.reach {
            Reach::Widths(widths) => {
                Error::unless_equal("bandwidths, one for each column", sample.dim(), widths.len())?;
                widths.clone()
            }
            Reach::Nearest(_) if sample.dim() == 1 => vec![1.0],
            _ => (0..sample.dim()).map(|j| sample.require_spread(j).map(|()| sample.deviation(j))).collect::<Result<_>>()?,
        };
        let span = if let Reach::Nearest(span) = options.reach { span } else { 1.0 };
        if let Some(h) = units.iter().chain([&span]).find(|h| !(**h > 0.0 && h.is_finite())) {
            return Err(Error::OutOfDomain {
                owner: "local regression".into(),
                name: "bandwidth".into(),
                value: h.to_string(),
                domain: "a finite number above 0".into(),
            });
        }
        let (kernel, degree, reach) = (options.kernel, options.degree, options.reach.clone());
        let mut local =
            LocalRegression { kernel, degree, reach, units, sample, y, curve: Vec::new(), look: Look::default(), columns: OnceLock::new() };
        if local.reach == Reach::LeftOut {
            local.choose(control)?;
        }
        local.look = local.look_at_all(control)?;
        Ok(local)
    }

    /// The bandwidth in each column; none where each place has its own.
    pub fn widths(&self) -> Option<&[f64]> {
        if let Reach::Nearest(_) = self.reach { None } else { Some(&self.units) }
    }
    /// Bandwidths of the first column at which every row has another near, of those that were tried, and the mean squares of rows
    /// left out.
    pub fn curve(&self) -> &[(f64, f64)] {
        &self.curve
    }
    /// f at the training rows of weight above 0.
    pub fn fitted(&self) -> &[f64] {
        &self.look.fitted
    }
    /// Their targets.
    pub fn targets(&self) -> &[f64] {
        &self.y
    }
    /// f at each of them, had it not been there.
    pub fn left_out(&self) -> &[f64] {
        &self.look.left_out
    }
    /// The trace of the matrix that makes fitted values of targets: how many numbers a polynomial of the same freedom would have.
    pub fn degrees_of_freedom(&self) -> f64 {
        self.look.freedom
    }
    /// Standard deviation of the noise, from residuals and what freedom they have.
    pub fn noise(&self) -> f64 {
        self.look.deviation
    }
    /// Training rows at which the degree was lowered.
    pub fn lowered(&self) -> usize {
        self.look.lowered
    }

    /// Values at new rows (M x D).
    ///
    /// # Errors
    /// Another number of columns; a number that is not finite; a place without a row within the bandwidth; on request of `control`.
    pub fn predict(&self, points: &Matrix, control: &Control) -> Result<Smoothed> {
        Error::unless_equal("columns", self.sample.dim(), points.cols())?;
        require_finite(points)?;
        let one = |i: usize| -> Result<(f64, f64, Vec<f64>, bool)> {
            control.check_time("local fits")?;
            let at = self.at(points.row(i), control)?.ok_or_else(|| nobody(i))?;
            Ok((at.value, self.look.deviation * at.spread.sqrt(), at.slope, at.lowered))
        };
        let all: Vec<_> = (0..points.rows()).into_par_iter().map(one).collect::<Result<_>>()?;
        Ok(Smoothed {
            values: all.iter().map(|a| a.0).collect(),
            deviations: all.iter().map(|a| a.1).collect(),
            slopes: Matrix::new(points.rows(), points.cols(), all.iter().flat_map(|a| a.2.iter().copied()).collect())?,
            lowered: all.iter().filter(|a| a.3).count(),
        })
    }

    /// The equivalent kernel l_i(x) of every training row of weight above 0; none where no row is within the bandwidth.
    ///
    /// # Errors
    /// Another number of columns; on request of `control`.
    pub fn equivalent_kernel(&self, x: &[f64], control: &Control) -> Result<Option<Vec<f64>>> {
        Error::unless_equal("columns", self.sample.dim(), x.len())?;
        let Some(at) = self.at(x, control)? else { return Ok(None) };
        let widths = self.widths_at(x);
        let (mut z, mut phi) = (vec![0.0; x.len()], vec![0.0; at.g.len()]);
        let weight = |i: usize| {
            let r = steps(self.sample.points().row(i), x, &widths, &mut z);
            terms(&z, &mut phi);
            self.sample.weights()[i] * self.kernel.beside(r, at.least) * dot(&phi, &at.g)
        };
        Ok(Some((0..self.sample.rows()).map(weight).collect()))
    }

    /// The bandwidths at a place.
    fn widths_at<'a>(&'a self, x: &[f64]) -> Cow<'a, [f64]> {
        let Reach::Nearest(span) = self.reach else { return Cow::Borrowed(&self.units) };
        let mut z = vec![0.0; x.len()];
        let far: Vec<f64> = (0..self.sample.rows()).map(|i| steps(self.sample.points().row(i), x, &self.units, &mut z)).collect();
        // Several columns are added up in another order than here: the farthest row stays within.
        let width = self.nearest(&far, span) * if x.len() > 1 { 1.0 + 4.0 * f64::EPSILON } else { 1.0 };
        Cow::Owned(self.units.iter().map(|unit| unit * width).collect())
    }

    /// The fit at x; none where no row is near.
    fn at(&self, x: &[f64], control: &Control) -> Result<Option<At>> {
        let columns = self.columns.get_or_init(|| Columns::of(&self.sample, &self.y));
        let (widths, count) = (self.widths_at(x), number_of_terms(x.len(), self.degree));
        let Moments { terms: moments, squares, targets, least } = Moments::at(columns, self.kernel, x, &widths, self.degree);
        if moments[0] == 0.0 {
            return Ok(None);
        }
        let whole = |triangle: &[f64]| {
            Matrix::from_fn(count, count, |a, b| {
                let (a, b) = (a.min(b), a.max(b));
                triangle[a * count - a * (a + 1) / 2 + b]
            })
        };
        let (moments, squares) = (whole(&moments), whole(&squares));
        for degree in (0..=self.degree).rev() {
            let Some(inverse) = inverse(&moments, number_of_terms(x.len(), degree), control)? else { continue };
            let g = inverse.row(0).to_vec();
            let read = |row: &[f64]| dot(row, &targets[..row.len()]);
            let quadratic = |a: usize| (0..g.len()).map(|b| g[b] * squares[(a, b)]).sum::<f64>() * g[a];
            let slope_of = |j: usize| read(inverse.row(1 + j)) / widths[j];
            return Ok(Some(At {
                value: read(&g),
                slope: (0..x.len()).map(|j| if degree == 0 { 0.0 } else { slope_of(j) }).collect(),
                own: g[0],
                spread: (0..g.len()).map(quadratic).sum(),
                lowered: degree < self.degree,
                g,
                least,
            }));
        }
        Ok(None)
    }

    /// The distance of the row that is a share of all away; repetitions count.
    fn nearest(&self, far: &[f64], span: f64) -> f64 {
        let mut order: Vec<usize> = (0..far.len()).collect();
        order.sort_unstable_by(|&a, &b| far[a].total_cmp(&far[b]));
        let wanted = (span.min(1.0) * self.sample.count() + 1e-5).floor().max(1.0);
        let mut counted = 0.0;
        let at = order.iter().find(|&&i| {
            counted += self.sample.weights()[i];
            counted >= wanted
        });
        let reach = far[*at.unwrap_or(&order[far.len() - 1])];
        // Where all of those lie at the place itself, the next one off it.
        let off = || order.iter().map(|&i| far[i]).find(|r| *r > 0.0).unwrap_or(1.0);
        (if reach > 0.0 { reach } else { off() }) * span.max(1.0).powf(1.0 / self.units.len() as f64)
    }

    /// Fitted values, those of rows left out, and the freedom that is used, at some training rows.
    fn judge(&self, rows: &[usize], control: &Control) -> Result<Vec<Option<Judged>>> {
        let one = |&i: &usize| -> Result<Option<Judged>> {
            control.check_time("local fits")?;
            let Some(at) = self.at(self.sample.points().row(i), control)? else { return Ok(None) };
            // At a row the kernel is 1, and so is the first term, all others 0.
            let (weight, own) = (self.sample.weights()[i], at.own * self.sample.weights()[i].min(1.0));
            let left_out = (1.0 - own > DETERMINED).then(|| self.y[i] - (self.y[i] - at.value) / (1.0 - own));
            Ok(Some(Judged { value: at.value, left_out, own: weight * at.own, square: weight * at.spread, lowered: at.lowered }))
        };
        rows.par_iter().map(one).collect()
    }

    fn look_at_all(&self, control: &Control) -> Result<Look> {
        let n = self.sample.rows();
        let all: Vec<usize> = (0..n).collect();
        let mut look = Look::default();
        let (mut squares, mut spread) = (0.0, 0.0);
        for (i, judged) in self.judge(&all, control)?.into_iter().enumerate() {
            let judged = judged.ok_or_else(|| nobody(i))?;
            squares += self.sample.weights()[i] * (self.y[i] - judged.value).powi(2);
            look.freedom += judged.own;
            spread += judged.square;
            look.lowered += usize::from(judged.lowered);
            look.fitted.push(judged.value);
            look.left_out.push(judged.left_out.unwrap_or(f64::NAN));
        }
        let left = self.sample.count() - 2.0 * look.freedom + spread;
        look.deviation = if left > DETERMINED * self.sample.count() { (squares / left).sqrt() } else { 0.0 };
        Ok(look)
    }

    /// Mean square of rows left out with some units; infinite where a row has no other near.
    fn left_out_square(&self, rows: &[usize], control: &Control) -> Result<f64> {
        let (mut sum, mut count) = (0.0, 0.0);
        for (judged, &i) in self.judge(rows, control)?.iter().zip(rows) {
            let Some(left_out) = judged.as_ref().and_then(|j| j.left_out) else { return Ok(f64::INFINITY) };
            let weight = self.sample.weights()[i];
            sum += weight * (self.y[i] - left_out).powi(2);
            count += weight;
        }
        Ok(sum / count)
    }

    /// The bandwidth by the squares of rows left out: factors of the deviations, then golden sections about the best.
    fn choose(&mut self, control: &Control) -> Result<()> {
        let (n, dim) = (self.sample.rows(), self.sample.dim());
        let base: Vec<f64> = self.units.iter().map(|s| s * self.sample.count().powf(-1.0 / (dim as f64 + 4.0))).collect();
        let rows: Vec<usize> = (0..n).step_by(n.div_ceil(JUDGED)).collect();
        let mut curve = Vec::new();
        let mut tried = |local: &mut Self, log: f64| -> Result<f64> {
            local.units = base.iter().map(|b| b * log.exp()).collect();
            let score = local.left_out_square(&rows, control)?;
            curve.push((local.units[0], score));
            control.tell("bandwidths", curve.len(), TRIED + SECTIONS + 2);
            Ok(if score.is_nan() { f64::INFINITY } else { score })
        };
        let (low, high) = (ENDS[0].ln(), ENDS[1].ln());
        let step = (high - low) / (TRIED - 1) as f64;
        let mut best = (f64::INFINITY, high);
        for k in 0..TRIED {
            let log = low + step * k as f64;
            let score = tried(self, log)?;
            if score < best.0 {
                best = (score, log);
            }
        }
        let golden = 0.5 * (5f64.sqrt() - 1.0);
        let (mut from, mut to) = (best.1 - step, best.1 + step);
        let (mut a, mut b) = (to - golden * (to - from), from + golden * (to - from));
        let (mut at_a, mut at_b) = (tried(self, a)?, tried(self, b)?);
        for _ in 0..SECTIONS {
            best = [(at_a, a), (at_b, b)].into_iter().fold(best, |best, new| if new.0 < best.0 { new } else { best });
            if at_a < at_b {
                (to, b, at_b) = (b, a, at_a);
                a = to - golden * (to - from);
                at_a = tried(self, a)?;
            } else {
                (from, a, at_a) = (a, b, at_b);
                b = from + golden * (to - from);
                at_b = tried(self, b)?;
            }
        }
        if best.0 == f64::INFINITY {
            return Err(Error::Data(
                "no bandwidth leaves every row another one near enough to judge it by; give a bandwidth, or a kernel without an end (gaussian)".into(),
            ));
        }
        self.units = base.iter().map(|b| b * best.1.exp()).collect();
        curve.retain(|(_, square)| square.is_finite());
        curve.sort_by(|a, b| a.0.total_cmp(&b.0));
        self.curve = curve;
        self.reach = Reach::Widths(self.units.clone());
        Ok(())
    }
}

/// A training row judged by the fit at it.
struct Judged {
    value: f64,
    left_out: Option<f64>,
    /// Its own weight in that, and w_i sum_j l_j^2 / w_j.
    own: f64,
    square: f64,
    lowered: bool,
}

fn nobody(row: usize) -> Error {
    Error::Data(format!(
        "row {}: no training row lies within a bandwidth of it; give a wider bandwidth, or a kernel without an end (gaussian)",
        row + 1
    ))
}

/// How far a row is in bandwidths, and its step along each column.
fn steps(row: &[f64], x: &[f64], widths: &[f64], z: &mut [f64]) -> f64 {
    z.iter_mut().zip(row.iter().zip(x).zip(widths)).for_each(|(z, ((to, x), h))| *z = (to - x) / h);
    z.iter().map(|z| z * z).sum::<f64>().sqrt()
}

/// The inverse of the first moments, every term in units of its own size; none where rows do not determine it.
fn inverse(moments: &Matrix, count: usize, control: &Control) -> Result<Option<Matrix>> {
    let sizes: Vec<f64> = (0..count).map(|a| moments[(a, a)].sqrt()).collect();
    if sizes.iter().any(|s| !(*s > 0.0 && s.is_finite())) {
        return Ok(None);
    }
    let (values, vectors) = eigh(Matrix::from_fn(count, count, |a, b| moments[(a, b)] / (sizes[a] * sizes[b])), control)?;
    let most = values.iter().copied().fold(0.0, f64::max);
    if values.iter().any(|l| *l <= DETERMINED * most) {
        return Ok(None);
    }
    let of = |a: usize, b: usize| (0..count).map(|e| vectors[(a, e)] * vectors[(b, e)] / values[e]).sum::<f64>() / (sizes[a] * sizes[b]);
    Ok(Some(Matrix::from_fn(count, count, of)))
}
