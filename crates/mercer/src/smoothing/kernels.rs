//! Smoothing kernels: densities around zero of variance above zero, k_h(x) = c_{k,D} h^-D p(|x| / h) with the profile p.
//!
//! Murphy (2012), 14.7.1 and (14.69)-(14.76), with the constant of each dimension; Wand & Jones (1995), 2.7 and 4.4.
//! They weigh by nearness and say nothing of inner products: only [`SmoothingKernel::mercer_kernel`] leads to Mercer kernels.

use crate::error::{Error, Result};
use crate::kernels::KernelExpr;
use crate::param::Choice;
use rand::RngExt;
use rand_distr::{Exp1, StandardNormal};
use serde::{Deserialize, Serialize};
use std::f64::consts::{FRAC_PI_2, PI};

/// A kernel that smooths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, Choice)]
#[serde(rename_all = "snake_case")]
pub enum SmoothingKernel {
    /// exp(-r^2 / 2): smooth, never 0.
    #[default]
    Gaussian,
    /// 1 - r^2: of least error for the best width.
    Epanechnikov,
    /// (1 - r^3)^3: two continuous derivatives at the border.
    Tricube,
    /// 1: a moving window.
    Boxcar,
    /// (1 - r^2)^2: one continuous derivative at the border.
    Biweight,
    /// 1 - r.
    Triangular,
    /// cos(pi r / 2).
    Cosine,
    /// exp(-r): a peak, heavy tails, never 0.
    Exponential,
}

/// How a kernel of one column becomes one of D columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, Choice)]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    /// p(|x|): the same in all directions.
    #[default]
    Radial,
    /// The product of p(|x_j|): its parts are kernels of the columns, and conditional densities come from it.
    Product,
}

impl Shape {
    /// The shape of a name: radial or product.
    ///
    /// # Errors
    /// A name that there is not.
    pub fn parse(name: &str) -> Result<Self> {
        match name {
            "radial" => Ok(Shape::Radial),
            "product" => Ok(Shape::Product),
            other => Err(Error::unknown("shape of a smoothing kernel", other, ["radial", "product"])),
        }
    }
}

/// How a profile is computed.
enum Form {
    /// (1 - r^a)^m up to 1, and 0 beyond.
    Powers(i32, i32),
    Cosine,
    Gaussian,
    Exponential,
}

impl SmoothingKernel {
    /// Every kernel.
    pub const ALL: [SmoothingKernel; 8] = [
        SmoothingKernel::Gaussian,
        SmoothingKernel::Epanechnikov,
        SmoothingKernel::Tricube,
        SmoothingKernel::Boxcar,
        SmoothingKernel::Biweight,
        SmoothingKernel::Triangular,
        SmoothingKernel::Cosine,
        SmoothingKernel::Exponential,
    ];

    /// How it is written.
    pub fn name(self) -> &'static str {
        self.word()
    }

    /// The kernel of a name, ours or that of another library.
    ///
    /// # Errors
    /// A name that there is not.
    pub fn parse(name: &str) -> Result<Self> {
        let plain = name.to_lowercase();
        let here = match plain.as_str() {
            "tophat" | "top_hat" | "box" | "uniform" | "rectangular" => "boxcar",
            "linear" | "triangle" | "tri" => "triangular",
            "quartic" | "bisquare" => "biweight",
            "normal" | "gauss" => "gaussian",
            "tri-cube" | "tricubic" => "tricube",
            "epa" | "parabolic" => "epanechnikov",
            "laplace" | "laplacian" => "exponential",
            other => other,
        };
        let found = Self::ALL.into_iter().find(|k| k.name() == here);
        found.ok_or_else(|| Error::unknown("smoothing kernel", name, Self::ALL.map(Self::name)))
    }

    fn form(self) -> Form {
        match self {
            SmoothingKernel::Gaussian => Form::Gaussian,
            SmoothingKernel::Exponential => Form::Exponential,
            SmoothingKernel::Cosine => Form::Cosine,
            SmoothingKernel::Boxcar => Form::Powers(1, 0),
            SmoothingKernel::Triangular => Form::Powers(1, 1),
            SmoothingKernel::Epanechnikov => Form::Powers(2, 1),
            SmoothingKernel::Biweight => Form::Powers(2, 2),
            SmoothingKernel::Tricube => Form::Powers(3, 3),
        }
    }

    /// p(r) of a distance r in units of the bandwidth, 0 or above; p(0) = 1.
    #[inline]
    pub fn profile(self, r: f64) -> f64 {
        match self.form() {
            Form::Gaussian => libm::exp(-0.5 * r * r),
            Form::Exponential => libm::exp(-r),
            _ if r > 1.0 => 0.0,
            Form::Powers(a, m) => (1.0 - r.powi(a)).powi(m),
            Form::Cosine if r < 1.0 => libm::cos(FRAC_PI_2 * r),
            Form::Cosine => 0.0,
        }
    }

    /// The mass of the kernel of one column and bandwidth 1 below u.
    pub fn cumulative(self, u: f64) -> f64 {
        let beyond = match self.form() {
            Form::Gaussian => return 0.5 * libm::erfc(-u * std::f64::consts::FRAC_1_SQRT_2),
            Form::Exponential => return if u < 0.0 { 0.5 * libm::exp(u) } else { 1.0 - 0.5 * libm::exp(-u) },
            _ if u.abs() >= 1.0 => 0.5,
            Form::Cosine => 0.5 * libm::sin(FRAC_PI_2 * u.abs()),
            Form::Powers(a, m) => {
                // The integral of (1 - r^a)^m, term by term of the binomial.
                let (mut choose, mut sum) = (1.0, 0.0);
                for k in 0..=m {
                    let power = a * k + 1;
                    sum += choose * u.abs().powi(power) / f64::from(power);
                    choose *= -f64::from(m - k) / f64::from(k + 1);
                }
                sum * libm::exp(self.log_constant(Shape::Radial, 1))
            }
        };
        if u < 0.0 { 0.5 - beyond } else { 0.5 + beyond }
    }

    /// A step drawn from the kernel of bandwidth 1 over D columns.
    pub fn draw(self, shape: Shape, dim: usize, source: &mut impl RngExt) -> Vec<f64> {
        match shape {
            Shape::Product => (0..dim).flat_map(|_| self.draw(Shape::Radial, 1, source)).collect(),
            Shape::Radial if self == SmoothingKernel::Gaussian => (0..dim).map(|_| source.sample(StandardNormal)).collect(),
            Shape::Radial => {
                // A direction, and a radius of density r^(D-1) p(r).
                let step: Vec<f64> = (0..dim).map(|_| source.sample(StandardNormal)).collect();
                let length = step.iter().map(|z| z * z).sum::<f64>().sqrt();
                let radius = self.radius(dim, source);
                step.into_iter().map(|z| z / length * radius).collect()
            }
        }
    }

    fn radius(self, dim: usize, source: &mut impl RngExt) -> f64 {
        // Uniform in the ball, taken with the probability p(r): a sum of D exponentials where there is no ball.
        if self == SmoothingKernel::Exponential {
            return (0..dim).map(|_| source.sample::<f64, _>(Exp1)).sum();
        }
        loop {
            let r = source.random::<f64>().powf(1.0 / dim as f64);
            if source.random::<f64>() < self.profile(r) {
                return r;
            }
        }
    }

    /// p(r) / p(least) of a kernel that is never 0; p(r) of a compact one.
    pub(super) fn beside(self, r: f64, least: f64) -> f64 {
        match self.form() {
            Form::Gaussian => libm::exp(-0.5 * (r - least) * (r + least)),
            Form::Exponential => libm::exp(least - r),
            _ => self.profile(r),
        }
    }

    /// Whether it is 0 beyond one bandwidth.
    pub fn is_compact(self) -> bool {
        !matches!(self.form(), Form::Gaussian | Form::Exponential)
    }

    /// ln c_{k,D}: what makes the kernel of bandwidth 1 integrate to 1 over D columns.
    pub fn log_constant(self, shape: Shape, dim: usize) -> f64 {
        match shape {
            Shape::Product => -(dim as f64) * self.log_mass(1, 1),
            Shape::Radial => -self.log_mass(dim, 1),
        }
    }

    /// The variance of one column under the kernel of bandwidth 1.
    pub fn variance(self, shape: Shape, dim: usize) -> f64 {
        let dim = match shape {
            Shape::Product => 1,
            Shape::Radial => dim,
        };
        self.moment(dim + 2, 1) / self.moment(dim, 1) / dim as f64
    }

    /// ln of the integral of the squared kernel of bandwidth 1.
    pub fn log_roughness(self, shape: Shape, dim: usize) -> f64 {
        match shape {
            Shape::Product => dim as f64 * self.log_roughness(Shape::Radial, 1),
            Shape::Radial => self.log_mass(dim, 2) - 2.0 * self.log_mass(dim, 1),
        }
    }

    /// The bandwidth at which this kernel smooths as the Gaussian does at 1: the quotient of (roughness / variance^2)^(1 / (D + 4)),
    /// the canonical bandwidths of Marron & Nolan (1988).
    pub fn width_beside_gaussian(self, shape: Shape, dim: usize) -> f64 {
        let log = |k: Self| (k.log_roughness(shape, dim) - 2.0 * k.variance(shape, dim).ln()) / (dim as f64 + 4.0);
        if self == SmoothingKernel::Gaussian { 1.0 } else { libm::exp(log(self) - log(SmoothingKernel::Gaussian)) }
    }

    /// The asymptotic mean integrated squared error of a density of one column, each kernel at its own best bandwidth, as a multiple
    /// of that of Epanechnikov's: (sqrt(variance) roughness)^(4/5), and no kernel is below 1.
    pub fn error_beside_epanechnikov(self) -> f64 {
        let error = |k: Self| (k.variance(Shape::Radial, 1).sqrt() * libm::exp(k.log_roughness(Shape::Radial, 1))).powf(0.8);
        error(self) / error(SmoothingKernel::Epanechnikov)
    }

    /// The Mercer kernel of the catalogue whose values are the profile: smoothing and inner products are two notions, so that this
    /// is a step of its own and most kernels have none.
    ///
    /// # Errors
    /// A kernel that the catalogue has not, by name; a bandwidth outside its domain.
    pub fn mercer_kernel(self, bandwidth: f64) -> Result<KernelExpr> {
        match self {
            SmoothingKernel::Gaussian => KernelExpr::parse(&format!("rbf(length_scale={bandwidth})")),
            SmoothingKernel::Exponential => KernelExpr::parse(&format!("matern(nu=0.5, length_scale={bandwidth})")),
            _ => Err(Error::Setting {
                name: "kernel".into(),
                why: format!(
                    "{} is a smoothing kernel, and no Mercer kernel of the catalogue has its values; gaussian is rbf, exponential is matern with nu = 0.5",
                    self.name()
                ),
            }),
        }
    }

    /// The integral of r^(d-1) p(r)^power over r above 0.
    fn moment(self, d: usize, power: i32) -> f64 {
        self.log_moment(d, power).exp()
    }

    fn log_moment(self, d: usize, power: i32) -> f64 {
        let (dim, times) = (d as f64, f64::from(power));
        match self.form() {
            // 2^(d/2 - 1) Gamma(d/2) for exp(-r^2 / 2); a power narrows it by its root.
            Form::Gaussian => (0.5 * dim - 1.0) * 2f64.ln() + libm::lgamma(0.5 * dim) - 0.5 * dim * times.ln(),
            Form::Exponential => libm::lgamma(dim) - dim * times.ln(),
            // B(d/a, m + 1) / a = m! / (a (d/a) (d/a + 1) .. (d/a + m)).
            Form::Powers(a, m) => {
                let (a, m) = (f64::from(a), power * m);
                let steps: f64 = (1..=m).map(|j| (f64::from(j) / (dim / a + f64::from(j))).ln()).sum();
                steps - dim.ln()
            }
            Form::Cosine if power == 1 => cosine_moment(dim, FRAC_PI_2).ln(),
            // cos^2(t) = (1 + cos(2 t)) / 2.
            Form::Cosine => (0.5 * (1.0 / dim + cosine_moment(dim, PI))).ln(),
        }
    }

    /// ln of the integral of p(|x|)^power over D columns: the surface of the ball, 2 pi^(D/2) / Gamma(D/2), times the moment.
    fn log_mass(self, dim: usize, power: i32) -> f64 {
        let half = 0.5 * dim as f64;
        2f64.ln() + half * PI.ln() - libm::lgamma(half) + self.log_moment(dim, power)
    }
}

impl std::fmt::Display for SmoothingKernel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// The integral of r^(d-1) cos(a r) over 0..1: sum_k (-1)^k a^(2k) / ((2k)! (d + 2k)).
fn cosine_moment(d: f64, a: f64) -> f64 {
    let (mut term, mut sum) = (1.0, 0.0);
    for k in 0..24 {
        let even = 2.0 * f64::from(k);
        sum += term / (d + even);
        term *= -a * a / ((even + 1.0) * (even + 2.0));
    }
    sum
}
