//! Rules for bandwidths. Each follows the scale and the place of its values, h(c x + b) = |c| h(x), is above 0, and takes a weight for
//! a repetition. They are made for the Gaussian and carried to other kernels by canonical bandwidths (Marron & Nolan 1988), but for the
//! likelihood, which is that of the kernel itself.

use super::differences::Differences;
use super::{Sample, Scale, Shape, SmoothingKernel, cross_validation, plug_in};
use crate::control::Control;
use crate::error::{Error, Result};
use crate::linalg::Matrix;
use crate::param::Choice;
use serde::{Deserialize, Serialize};

/// A rule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, Choice)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// Another of them as the sample asks for, with equal rows once: see [`Rule::settle`].
    #[default]
    Auto,
    /// (4 / ((D + 2) N))^(1 / (D + 4)) times 1.4826 MAD: best for a normal density (Murphy 2012, 14.89).
    NormalReference,
    /// 0.9 min(sd, IQR / 1.34) N^(-1/5) (Silverman 1986, 3.31; R's bw.nrd0).
    Silverman,
    /// 1.06 min(sd, IQR / 1.34) N^(-1/5) (Scott 1992; R's bw.nrd).
    Scott,
    /// The plug-in of Sheather & Jones (1991), by solving its equation (R's bw.SJ), over all pairs.
    SheatherJones,
    /// The improved plug-in of Botev, Grotowski & Kroese (2010), without a reference to the normal density.
    Isj,
    /// The greatest likelihood of rows that are left out, each in turn.
    CrossValidation,
    /// The least integrated squared error as cross-validation estimates it, over N (N - 1) pairs (R's bw.ucv takes N^2).
    LeastSquares,
}

/// What a rule chose.
#[derive(Clone, Debug, PartialEq)]
pub struct Chosen {
    /// A bandwidth for each column.
    pub columns: Vec<f64>,
    /// H = h^2 times the covariance, where that was asked for: widths and directions at once.
    pub matrix: Option<Matrix>,
    /// What the user should know.
    pub notes: Vec<String>,
}

/// The bandwidth of a regression of y on x by the normal reference of both, h = (h_x h_y)^(1/2) with h_j = (4 / (3 N))^(1/5) times
/// 1.4826 MAD (Bowman & Azzalini 1997; Murphy 2012, Fig. 14.18, whose text prints h_x h_y): like a width, it follows the scale of the
/// columns, which the product does not.
///
/// # Errors
/// Numbers that do not vary or are not finite; on request of `control`.
pub fn regression_width(x: &[f64], y: &[f64], control: &Control) -> Result<f64> {
    Error::unless_equal("targets", x.len(), y.len())?;
    let of = |numbers: &[f64]| -> Result<f64> {
        let sample = Sample::of_numbers(numbers, None)?;
        Ok(Rule::NormalReference.choose(&sample, SmoothingKernel::Gaussian, Shape::Radial, control)?.columns[0])
    };
    Ok((of(x)? * of(y)?).sqrt())
}

impl Rule {
    /// Every rule with a formula of its own.
    pub const ALL: [Rule; 7] =
        [Rule::NormalReference, Rule::Silverman, Rule::Scott, Rule::SheatherJones, Rule::Isj, Rule::CrossValidation, Rule::LeastSquares];

    /// How it is written.
    pub fn name(self) -> &'static str {
        self.word()
    }

    /// The rule of a name, ours or that of another program.
    ///
    /// # Errors
    /// A name that there is not.
    pub fn parse(name: &str) -> Result<Rule> {
        let plain = name.to_lowercase().replace('-', "_");
        let here = match plain.as_str() {
            "nrd0" | "bw.nrd0" => "silverman",
            "nrd" | "bw.nrd" => "scott",
            "sj" | "bw.sj" => "sheather_jones",
            "ucv" | "bw.ucv" | "lscv" | "cv_ls" => "least_squares",
            "cv_ml" | "mlcv" => "cross_validation",
            "improved_sheather_jones" | "botev" => "isj",
            "normal" => "normal_reference",
            other => other,
        };
        let found = [Rule::Auto].into_iter().chain(Rule::ALL).find(|r| r.name() == here);
        found.ok_or_else(|| Error::unknown("bandwidth rule", name, Rule::ALL.map(Rule::name)))
    }

    /// What it is, as a formula for D columns: the same name means different things elsewhere.
    pub fn formula(self, dim: usize) -> &'static str {
        match (self, dim) {
            (Rule::Auto, _) => "another rule, as the sample asks for",
            (Rule::NormalReference, 1) => "(4 / (3 N))^(1/5) * 1.4826 MAD",
            (Rule::NormalReference, _) => "(4 / ((D + 2) N))^(1/(D + 4)) * 1.4826 MAD of each column",
            (Rule::Silverman, 1) => "0.9 min(sd, IQR / 1.34) N^(-1/5)",
            (Rule::Silverman, _) => "(4 / ((D + 2) N))^(1/(D + 4)) * min(sd, IQR / 1.34) of each column",
            (Rule::Scott, 1) => "1.06 min(sd, IQR / 1.34) N^(-1/5)",
            (Rule::Scott, _) => "N^(-1/(D + 4)) * sd of each column",
            (Rule::SheatherJones, _) => "solve-the-equation plug-in of Sheather and Jones (1991)",
            (Rule::Isj, _) => "improved plug-in of Botev, Grotowski and Kroese (2010)",
            (Rule::CrossValidation, _) => "greatest likelihood of rows left out",
            (Rule::LeastSquares, _) => "least squares cross-validation",
        }
    }

    /// Whether it chooses for one column only.
    pub fn of_one_column(self) -> bool {
        matches!(self, Rule::SheatherJones | Rule::Isj)
    }

    /// The rule that is meant: of `auto` the improved plug-in for one column, which has the least error of all over densities of many
    /// forms (bench/RESULTS.md), and Silverman's for several, or where the former is narrower than most distances between neighbouring
    /// values and would draw how they are rounded.
    ///
    /// # Errors
    /// On request of `control`.
    pub fn settle(self, sample: &Sample, control: &Control) -> Result<Rule> {
        self.settled(sample, control).map(|(rule, _)| rule)
    }

    /// The rule that `auto` stands for, and the bandwidth for a Gaussian where choosing has computed it.
    fn settled(self, sample: &Sample, control: &Control) -> Result<(Rule, Option<f64>)> {
        // Of fewer different values, each of which stands so many times on the average, the rows are rounded numbers and no copies.
        const FEW_VALUES: usize = 20;
        const TIMES: f64 = 4.0;
        if self != Rule::Auto {
            return Ok((self, None));
        }
        if sample.dim() > 1 || sample.require_spread(0).is_err() {
            return Ok((Rule::Silverman, None));
        }
        // Copies of all rows, or another unit of their weights, say nothing of how wide it is.
        let once = sample.once();
        let few = once.rows() < FEW_VALUES && sample.count() > TIMES * once.count();
        let once = if few { sample.clone() } else { once };
        let values: Vec<f64> = once.ordered(0).into_iter().map(|(x, _)| x).collect();
        let mut gaps: Vec<f64> = values.windows(2).map(|pair| pair[1] - pair[0]).filter(|gap| *gap > 0.0).collect();
        gaps.sort_by(f64::total_cmp);
        let middle = gaps.get(gaps.len() / 2).copied().unwrap_or(0.0);
        // A note says that there is no solution, and Sheather and Jones's in its place.
        let mut notes = Vec::new();
        match plug_in::improved(&Differences::new(&once, control)?, control, &mut notes) {
            Err(error) if error.ends_all() => Err(error),
            Ok(h) if h >= middle => Ok((if notes.is_empty() { Rule::Isj } else { Rule::SheatherJones }, Some(h))),
            _ => Ok((Rule::Silverman, None)),
        }
    }

    /// Bandwidths for the columns of a sample.
    ///
    /// # Errors
    /// Values without a spread, several columns for a rule of one, an equation without a solution; on request of `control`.
    pub fn choose(self, sample: &Sample, kernel: SmoothingKernel, shape: Shape, control: &Control) -> Result<Chosen> {
        self.choose_by(sample, kernel, shape, control).map(|(_, chosen)| chosen)
    }

    /// Bandwidths for the columns of a sample, and the rule that `auto` stood for.
    pub(super) fn choose_by(self, sample: &Sample, kernel: SmoothingKernel, shape: Shape, control: &Control) -> Result<(Rule, Chosen)> {
        let dim = sample.dim();
        (0..dim).try_for_each(|j| sample.require_spread(j))?;
        let (rule, known) = self.settled(sample, control)?;
        if rule.of_one_column() && dim > 1 {
            let why = format!(
                "{} chooses for one column, and there are {dim}; use scott, silverman, normal_reference, cross_validation or least_squares",
                self.name()
            );
            return Err(Error::Setting { name: "bandwidth".into(), why });
        }
        let mut notes = Vec::new();
        let carried = kernel.width_beside_gaussian(shape, dim);
        let columns = match rule {
            _ if known.is_some() => known.into_iter().collect(),
            Rule::NormalReference => (0..dim).map(|j| factor(sample) * noted_scale(sample, j, &mut notes)).collect(),
            Rule::Silverman if dim == 1 => vec![0.9 * sample.lesser_scale(0, 1.34) * sample.count().powf(-0.2)],
            Rule::Silverman | Rule::Auto => (0..dim).map(|j| factor(sample) * sample.lesser_scale(j, 1.34)).collect(),
            Rule::Scott => scott(sample),
            Rule::SheatherJones => vec![plug_in::sheather_jones(&Differences::new(sample, control)?)?],
            Rule::Isj => vec![plug_in::improved(&Differences::new(sample, control)?, control, &mut notes)?],
            Rule::LeastSquares => cross_validation::least_squares(sample, control, &mut notes)?,
            Rule::CrossValidation => {
                let columns = cross_validation::likelihood(sample, kernel, shape, carried, control, &mut notes)?;
                return Ok((rule, Chosen { columns, matrix: None, notes }));
            }
        };
        let columns: Vec<f64> = columns.into_iter().map(|h| carried * h).collect();
        match columns.iter().find(|h| !(**h > 0.0 && h.is_finite())) {
            Some(h) => Err(Error::Numerical {
                what: format!("bandwidth by {}", self.name()),
                why: format!("it comes to {h}: the values are too near one another or too far apart; rescale the column, or give a number"),
            }),
            None => Ok((rule, Chosen { columns, matrix: None, notes })),
        }
    }

    /// A bandwidth matrix H = h^2 S with the covariance S of the columns, by a rule that needs no more than a scale.
    ///
    /// # Errors
    /// Those of [`Rule::choose`]; another rule; columns that depend linearly on one another.
    pub fn choose_matrix(self, sample: &Sample, kernel: SmoothingKernel, control: &Control) -> Result<Chosen> {
        let dim = sample.dim();
        (0..dim).try_for_each(|j| sample.require_spread(j))?;
        let h = match self {
            Rule::Auto | Rule::NormalReference | Rule::Silverman => factor(sample),
            Rule::Scott => sample.count().powf(-1.0 / (dim as f64 + 4.0)),
            _ => {
                let why = format!("a full matrix comes by normal_reference, silverman or scott, not by {}", self.name());
                return Err(Error::Setting { name: "bandwidth".into(), why });
            }
        } * kernel.width_beside_gaussian(Shape::Radial, dim);
        let covariance = covariance(sample);
        let matrix = Matrix::from_fn(dim, dim, |i, j| h * h * covariance[(i, j)]);
        super::frame::factor(&matrix, control)?;
        let columns = (0..dim).map(|j| matrix[(j, j)].sqrt()).collect();
        Ok(Chosen { columns, matrix: Some(matrix), notes: Vec::new() })
    }
}

impl std::fmt::Display for Rule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// (4 / ((D + 2) N))^(1 / (D + 4)).
fn factor(sample: &Sample) -> f64 {
    let dim = sample.dim() as f64;
    (4.0 / ((dim + 2.0) * sample.count())).powf(1.0 / (dim + 4.0))
}

/// Scott's bandwidths, where searches start from too.
pub(super) fn scott(sample: &Sample) -> Vec<f64> {
    let dim = sample.dim();
    let power = sample.count().powf(-1.0 / (dim as f64 + 4.0));
    let one = |j: usize| if dim == 1 { 1.06 * sample.lesser_scale(j, 1.34) } else { sample.deviation(j) };
    (0..dim).map(|j| power * one(j)).collect()
}

fn noted_scale(sample: &Sample, column: usize, notes: &mut Vec<String>) -> f64 {
    let (scale, by) = sample.robust_scale(column);
    let used = match by {
        Scale::MedianDeviation => return scale,
        Scale::Quartiles => "the distance of the quartiles",
        Scale::StandardDeviation => "the standard deviation",
    };
    notes.push(format!("more than half of the values of column {} are equal (MAD = 0): {used} is its scale", column + 1));
    scale
}

fn covariance(sample: &Sample) -> Matrix {
    let dim = sample.dim();
    let means: Vec<f64> = (0..dim).map(|j| sample.mean(j)).collect();
    let mut sum = Matrix::zeros(dim, dim);
    for (i, w) in sample.weights().iter().enumerate() {
        let row: Vec<f64> = sample.points().row(i).iter().zip(&means).map(|(x, m)| x - m).collect();
        for a in 0..dim {
            for b in 0..dim {
                sum[(a, b)] += w * row[a] * row[b];
            }
        }
    }
    let by = sample.count() - 1.0;
    Matrix::from_fn(dim, dim, |a, b| sum[(a, b)] / by)
}
