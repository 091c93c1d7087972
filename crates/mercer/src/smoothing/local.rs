//! Local polynomial regression: at each place a polynomial of degree 0, 1 or 2 is fitted to the rows, weighed by a smoothing kernel, and
//! read off there (Nadaraya 1964 and Watson 1964 for degree 0; Cleveland & Devlin 1988; Murphy 2012, 14.84 to 14.96).
//!
//! ```text
//! minimise  sum_i w_i p(|x_i - x| / h) (y_i - phi(x_i - x)'beta)^2,     f(x) = beta_0 = sum_i l_i(x) y_i
//! l_i(x) = w_i p_i e_0'(Phi'V Phi)^-1 phi_i: the equivalent kernel;     y_i - f_-i(x_i) = (y_i - f(x_i)) / (1 - l_i(x_i) / w_i)
//! ```
//!
//! A row of weight w stands w times, and one repetition is left out. Where the rows near a place do not determine the polynomial its
//! degree is lowered there, and counted. Rounds against outliers fit again with weights by residuals (Cleveland 1979).

use super::moments::{Columns, Moments, bytes_of_place, terms};
use super::place::{At, DETERMINED};
use super::sample::require_finite;
use super::together::{RegressionRows, Together};
use super::{Sample, SmoothingKernel, robust};
use crate::blocks;
use crate::control::Control;
use crate::error::{Error, Result};
use crate::gram::dot;
use crate::linalg::Matrix;
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
    /// To the row that is this share of all away (the span of R's `loess`; several columns in units of their standard deviation without
    /// a tenth of the rows at each end): its distance is the bandwidth, times the D-th root of a share above 1.
    Nearest(f64),
    /// One bandwidth in units of the columns, by the squares of rows left out, equal rows together.
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
    /// Rounds after the first fit in which outliers lose weight; a bandwidth by rows left out is chosen before them.
    pub rounds: usize,
}

impl Default for LocalOptions {
    /// Local lines under a Gaussian by leave-one-out.
    fn default() -> Self {
        LocalOptions { kernel: SmoothingKernel::Gaussian, reach: Reach::LeftOut, degree: 1, rounds: 0 }
    }
}

/// A local regression that is ready to be asked for values.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LocalFit {
    pub(super) kernel: SmoothingKernel,
    degree: usize,
    pub(super) reach: Reach,
    /// One number each by which differences of a column are divided.
    pub(super) units: Vec<f64>,
    pub(super) sample: Sample,
    /// Targets less `origin`, their mean: a polynomial that is shifted with them loses no digit.
    #[serde(with = "blocks::f64s")]
    pub(super) y: Vec<f64>,
    #[serde(default)]
    origin: f64,
    /// Weights against outliers; empty where there were no rounds.
    #[serde(with = "blocks::f64s")]
    robust: Vec<f64>,
    /// What was tried, where the bandwidth was chosen: factor of the units and mean square of rows left out.
    pub(super) curve: Vec<(f64, f64)>,
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
    /// Rows that have no other near: `left_out` has no value of theirs.
    #[serde(with = "blocks::usizes")]
    alone: Vec<usize>,
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
    /// Places, ascending, without a training row within the bandwidth: all of the above is NaN there.
    pub alone: Vec<usize>,
}

impl PartialEq for LocalFit {
    /// Of the same rows in the same way.
    fn eq(&self, other: &LocalFit) -> bool {
        let parts = |l: &LocalFit| (l.kernel, l.degree, l.curve.clone());
        parts(self) == parts(other)
            && (&self.reach, &self.units, &self.sample) == (&other.reach, &other.units, &other.sample)
            && (&self.y, self.origin, &self.robust, &self.look) == (&other.y, other.origin, &other.robust, &other.look)
    }
}

impl LocalFit {
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
        let y: Vec<f64> = (0..y.len()).filter(|&i| weights.is_none_or(|w| w[i] > 0.0)).map(|i| y[i]).collect();
        let origin = mean(&y, sample.weights());
        let y = y.iter().map(|y| y - origin).collect();
        let units = match &options.reach {
            Reach::Widths(widths) => {
                Error::unless_equal("bandwidths, one for each column", sample.dim(), widths.len())?;
                widths.clone()
            }
            Reach::Nearest(_) if sample.dim() == 1 => vec![1.0],
            reach => {
                let middle = matches!(reach, Reach::Nearest(_));
                let unit = |j| if middle { sample.middle_deviation(j) } else { sample.deviation(j) };
                (0..sample.dim()).map(|j| sample.require_spread(j).map(|()| unit(j))).collect::<Result<_>>()?
            }
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
        let (robust, curve) = (Vec::new(), Vec::new());
        let mut local =
            LocalFit { kernel, degree, reach, units, sample, y, origin, robust, curve, look: Look::default(), columns: OnceLock::new() };
        if local.reach == Reach::LeftOut {
            local.choose(control)?;
        }
        for round in 0..options.rounds {
            control.tell("rounds against outliers", round + 1, options.rounds);
            let fitted = local.values_at_rows(control)?;
            let Some(robust) = robust::weights(&local.residuals(&fitted), local.sample.weights()) else { break };
            local = local.with(None, robust);
        }
        local.look = local.look_at_all(control)?;
        if !local.robust.is_empty() {
            let (fitted, residuals) = (&local.look.fitted, local.residuals(&local.look.fitted));
            let pseudo = robust::pseudo_values(fitted, &residuals, &local.robust, local.sample.weights());
            local.look.deviation = local.clone().with(Some(pseudo), Vec::new()).look_at_all(control)?.deviation;
        }
        let Look { fitted, left_out, .. } = &mut local.look;
        fitted.iter_mut().chain(left_out).for_each(|f| *f += origin);
        Ok(local)
    }

    /// The fit of other targets, or with other robustness weights.
    pub(super) fn with(self, y: Option<Vec<f64>>, robust: Vec<f64>) -> Self {
        LocalFit { y: y.unwrap_or_else(|| self.y.clone()), robust, columns: OnceLock::new(), ..self }
    }

    fn residuals(&self, fitted: &[f64]) -> Vec<f64> {
        self.y.iter().zip(fitted).map(|(y, f)| y - f).collect()
    }

    /// f at the training rows, and nothing else.
    fn values_at_rows(&self, control: &Control) -> Result<Vec<f64>> {
        let all: Vec<usize> = (0..self.sample.rows()).collect();
        let judged = self.judge(&all, false, control)?.into_iter().enumerate();
        judged.map(|(i, judged)| judged.map(|j| j.value).ok_or_else(|| self.nobody(i))).collect()
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
    pub fn targets(&self) -> Vec<f64> {
        self.y.iter().map(|y| self.origin + y).collect()
    }
    /// f at each of them, had it not been there: where the nearest share decides, with the window of the others. Rounds against outliers
    /// are not gone through again without the row: then its weight and those of the others are the ones that all rows together have.
    pub fn left_out(&self) -> Vec<f64> {
        let of = |(i, f): (usize, &f64)| if self.look.alone.binary_search(&i).is_ok() { f64::NAN } else { *f };
        self.look.left_out.iter().enumerate().map(of).collect()
    }
    /// The trace of the matrix that makes fitted values of targets: how many numbers a polynomial of the same freedom would have.
    pub fn degrees_of_freedom(&self) -> f64 {
        self.look.freedom
    }
    /// Standard deviation of the noise, from residuals and what freedom they have; after rounds against outliers from those of the
    /// pseudo-values.
    pub fn noise(&self) -> f64 {
        self.look.deviation
    }
    /// Training rows at which the degree was lowered.
    pub fn lowered(&self) -> usize {
        self.look.lowered
    }

    /// Values at new rows (M x D), with their deviations and slopes.
    ///
    /// # Errors
    /// Another number of columns; a number that is not finite; on request of `control`.
    pub fn predict(&self, points: &Matrix, control: &Control) -> Result<Smoothed> {
        let all = self.each(points, true, control)?;
        let of = |read: &dyn Fn(&At) -> f64| all.iter().map(|at| at.as_ref().map_or(f64::NAN, read)).collect::<Vec<f64>>();
        let slope = |at: &Option<At>| at.as_ref().map_or_else(|| vec![f64::NAN; points.cols()], |at| at.slope.clone());
        Ok(Smoothed {
            values: of(&|at| self.origin + at.value),
            deviations: of(&|at| self.look.deviation * at.spread.sqrt()),
            slopes: Matrix::new(points.rows(), points.cols(), all.iter().flat_map(slope).collect())?,
            lowered: all.iter().flatten().filter(|at| at.lowered).count(),
            alone: (0..all.len()).filter(|&i| all[i].is_none()).collect(),
        })
    }

    /// Values at new rows alone, which take less time: NaN where no training row lies within the bandwidth.
    ///
    /// # Errors
    /// Those of [`LocalFit::predict`].
    pub fn values(&self, points: &Matrix, control: &Control) -> Result<Vec<f64>> {
        Ok(self.each(points, false, control)?.iter().map(|at| at.as_ref().map_or(f64::NAN, |at| self.origin + at.value)).collect())
    }

    fn each(&self, points: &Matrix, spread: bool, control: &Control) -> Result<Vec<Option<At>>> {
        // They may come from a file.
        Error::unless_equal("bandwidths, one for each column", self.sample.dim(), self.units.len())?;
        Error::unless_equal("targets", self.sample.rows(), self.y.len())?;
        Error::unless_equal("weights of rows", self.sample.rows(), self.sample.weights().len())?;
        Error::unless_equal("weights against outliers", if self.robust.is_empty() { 0 } else { self.y.len() }, self.robust.len())?;
        Error::unless_equal("columns", self.sample.dim(), points.cols())?;
        require_finite(points)?;
        self.at_all(points, spread, control, |_, at| Ok(at))
    }

    /// The equivalent kernel l_i(x) of every training row of weight above 0; none where no row is within the bandwidth.
    ///
    /// # Errors
    /// Another number of columns; on request of `control`.
    pub fn equivalent_kernel(&self, x: &[f64], control: &Control) -> Result<Option<Vec<f64>>> {
        Error::unless_equal("columns", self.sample.dim(), x.len())?;
        self.plan_places(1, false, control)?;
        let Some(at) = self.at(x, false, control)? else { return Ok(None) };
        let widths = self.widths_at(x);
        let (mut z, mut phi) = (vec![0.0; x.len()], vec![0.0; at.g.len()]);
        let weight = |i: usize| {
            let r = steps(self.sample.points().row(i), x, &widths, &mut z);
            terms(&z, &mut phi);
            self.sample.weights()[i] * self.robust_of(i) * self.kernel.beside(r, at.least) * dot(&phi, &at.g)
        };
        Ok(Some((0..self.sample.rows()).map(weight).collect()))
    }

    /// Refuses fits at places that would need more memory than allowed: each thread is at one.
    fn plan_places(&self, places: usize, spread: bool, control: &Control) -> Result<()> {
        let (dim, together) = (self.sample.dim(), places.min(rayon::current_num_threads()));
        let needed = bytes_of_place(dim, self.degree, spread).saturating_mul(together as u64);
        control.plan(&format!("polynomials of degree {} in {dim} columns", self.degree), needed)
    }

    /// What to say of a place without a row.
    fn nobody(&self, row: usize) -> Error {
        let (what, also) =
            if self.robust.is_empty() { ("no training row", "") } else { ("no training row but outliers", ", or fewer rounds") };
        Error::Data(format!(
            "row {}: {what} lies within a bandwidth of it; give a wider bandwidth{also}, or a kernel without an end (gaussian)",
            row + 1
        ))
    }

    fn robust_of(&self, row: usize) -> f64 {
        self.robust.get(row).copied().unwrap_or(1.0)
    }

    fn columns(&self) -> &Columns {
        self.columns.get_or_init(|| Columns::of(&self.sample, &self.y, &self.robust, &self.units))
    }

    /// The bandwidths at a place.
    fn widths_at<'a>(&'a self, x: &[f64]) -> Cow<'a, [f64]> {
        let Reach::Nearest(span) = self.reach else { return Cow::Borrowed(&self.units) };
        self.widths_of(self.nearest(x, span, 0.0), x.len())
    }

    /// The bandwidths of a window of such a width.
    fn widths_of(&self, width: f64, columns: usize) -> Cow<'_, [f64]> {
        // Several columns are added up in another order than here: the farthest row stays within.
        let width = width * if columns > 1 { 1.0 + 4.0 * f64::EPSILON } else { 1.0 };
        Cow::Owned(self.units.iter().map(|unit| unit * width).collect())
    }

    /// The fit at x, with its spread where asked for; none where no row is near.
    fn at(&self, x: &[f64], spread: bool, control: &Control) -> Result<Option<At>> {
        self.at_with(x, &self.widths_at(x), spread, control)
    }

    fn at_with(&self, x: &[f64], widths: &[f64], spread: bool, control: &Control) -> Result<Option<At>> {
        At::of(&Moments::at(self.columns(), self.kernel, x, widths, self.degree, spread), self.degree, widths, control)
    }

    /// The fits at places (pairs with what is made of them), together where that pays.
    fn at_all<T: Send>(
        &self,
        places: &Matrix,
        spread: bool,
        control: &Control,
        of: impl Fn(usize, Option<At>) -> Result<T> + Sync,
    ) -> Result<Vec<T>> {
        self.plan_places(places.rows(), spread, control)?;
        let rows = RegressionRows {
            points: self.sample.points().data(),
            targets: &self.y,
            weights: self.sample.weights(),
            robust: &self.robust,
            widths: &self.units,
            degree: self.degree,
        };
        let together = match self.reach {
            Reach::Nearest(_) => None,
            _ => Together::of(&rows, self.kernel, places.data(), spread, control)?,
        };
        let one = |i: usize| {
            control.check_time("local fits")?;
            let known = together.as_ref().map(|together| together.at(i, control)).transpose()?.flatten();
            of(i, if known.is_some() { known } else { self.at(places.row(i), spread, control)? })
        };
        (0..places.rows()).into_par_iter().map(one).collect()
    }

    /// The distance of the row that is a share of all away; repetitions count. So many of those at the place itself are absent.
    fn nearest(&self, x: &[f64], span: f64, absent: f64) -> f64 {
        let mut wanted = (span.min(1.0) * (self.sample.count() - absent) + 1e-5).floor().max(1.0);
        let mut near = self.columns().near(x, &self.units, wanted + absent);
        if let Some(own) = near.iter_mut().find(|(r, count)| absent > 0.0 && *r == 0.0 && *count >= absent) {
            own.1 -= absent;
        }
        near.retain(|(_, count)| *count > 0.0);
        // Where all of those lie at the place itself, the next one off it.
        let off = near.iter().map(|(r, _)| *r).filter(|r| *r > 0.0).fold(f64::INFINITY, f64::min);
        let mut rest = near.as_mut_slice();
        while rest.len() > 1 {
            let middle = rest.len() / 2;
            rest.select_nth_unstable_by(middle, |a, b| a.0.total_cmp(&b.0));
            let (first, second) = rest.split_at_mut(middle);
            let counted: f64 = first.iter().map(|(_, count)| count).sum();
            rest = if wanted <= counted {
                first
            } else {
                wanted -= counted;
                second
            };
        }
        let reach = rest.first().map_or(0.0, |(r, _)| *r);
        let off = if off.is_finite() { off } else { 1.0 };
        (if reach > 0.0 { reach } else { off }) * span.max(1.0).powf(1.0 / self.units.len() as f64)
    }

    /// Fitted values, those of rows left out, and the freedom that is used, at some training rows; the spread where asked for.
    pub(super) fn judge(&self, rows: &[usize], spread: bool, control: &Control) -> Result<Vec<Option<Judged>>> {
        self.at_all(&self.sample.points().select_rows(rows), spread, control, |k, at| {
            let (Some(at), i) = (at, rows[k]) else { return Ok(None) };
            // At a row the kernel is 1, and so is the first term, all others 0.
            let (weight, each) = (self.sample.weights()[i], at.own * self.robust_of(i));
            let one = weight.min(1.0);
            let without = |at: &At| {
                let own = at.own * self.robust_of(i) * one;
                (1.0 - own > DETERMINED).then(|| self.y[i] - (self.y[i] - at.value) / (1.0 - own))
            };
            let left_out = match self.reach {
                // Another window.
                Reach::Nearest(span) if spread => {
                    let x = self.sample.points().row(i);
                    let widths = self.widths_of(self.nearest(x, span, one), x.len());
                    self.at_with(x, &widths, false, control)?.as_ref().and_then(without)
                }
                _ => without(&at),
            };
            Ok(Some(Judged { value: at.value, left_out, own: weight * each, square: weight * at.spread, lowered: at.lowered }))
        })
    }

    fn look_at_all(&self, control: &Control) -> Result<Look> {
        let n = self.sample.rows();
        let all: Vec<usize> = (0..n).collect();
        let mut look = Look::default();
        let (mut squares, mut spread) = (0.0, 0.0);
        for (i, judged) in self.judge(&all, true, control)?.into_iter().enumerate() {
            let judged = judged.ok_or_else(|| self.nobody(i))?;
            squares += self.sample.weights()[i] * (self.y[i] - judged.value).powi(2);
            look.freedom += judged.own;
            spread += judged.square;
            look.lowered += usize::from(judged.lowered);
            look.fitted.push(judged.value);
            look.left_out.push(judged.left_out.unwrap_or(0.0));
            look.alone.extend(judged.left_out.is_none().then_some(i));
        }
        let left = self.sample.count() - 2.0 * look.freedom + spread;
        look.deviation = if left > DETERMINED * self.sample.count() { (squares / left).sqrt() } else { 0.0 };
        Ok(look)
    }
}

/// A training row judged by the fit at it.
pub(super) struct Judged {
    value: f64,
    pub(super) left_out: Option<f64>,
    /// Its own weight in that, and w_i sum_j l_j^2 / w_j.
    own: f64,
    square: f64,
    lowered: bool,
}

/// The mean of numbers by weight, in two steps: the second takes the rounding of the first away.
fn mean(y: &[f64], weights: &[f64]) -> f64 {
    let total: f64 = weights.iter().sum();
    let from = |origin: f64| y.iter().zip(weights).map(|(y, w)| w / total * (y - origin)).sum::<f64>();
    let first = from(0.0);
    if first.is_finite() { first + from(first) } else { 0.0 }
}

/// How far a row is in bandwidths, and its step along each column.
fn steps(row: &[f64], x: &[f64], widths: &[f64], z: &mut [f64]) -> f64 {
    z.iter_mut().zip(row.iter().zip(x).zip(widths)).for_each(|(z, ((to, x), h))| *z = (to - x) / h);
    z.iter().map(|z| z * z).sum::<f64>().sqrt()
}
