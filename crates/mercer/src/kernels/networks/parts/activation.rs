//! Activations f of networks by what they make of covariances: E f(u) f(v) and E f'(u) f'(v) for (u, v) ~ N(0, [[a, c], [c, b]]).
//!
//! Rectifiers and their like: Cho & Saul, Kernel methods for deep learning (2009). erf: Williams, Computing with infinite networks (1997).
//! gelu: Tsuchida, Pearce, van der Heide, Roosta & Gallagher, Avoiding kernel fixed points (2021). sine: E sin u sin v from the
//! characteristic function. tanh and sigmoid are mixtures of erf: see `mixture.rs`.
//!
//! Correlations are kept as 1 - r and 1 + r, which are computed without cancellation: copies of a row stay copies at any depth.

use super::jet::Scalar;
use super::mixture::{mixture, series};
use mercer_derive::Choice;
use serde::{Deserialize, Serialize};
use std::f64::consts::{FRAC_1_PI, FRAC_2_PI};

/// The activation of the hidden units of a network.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Choice)]
#[serde(rename_all = "snake_case")]
pub enum Activation {
    /// max(0, u).
    #[default]
    Relu,
    /// u above 0, slope u below.
    LeakyRelu,
    /// The error function.
    Erf,
    /// The hyperbolic tangent.
    Tanh,
    /// 1 / (1 + e^-u).
    Sigmoid,
    /// u Phi(u), Phi the distribution function of a standard normal number.
    Gelu,
    /// The sine.
    Sine,
}

/// A layer of hidden units, by its activation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum LayerMap {
    /// 1 above 0, else 0.
    Step,
    /// u above 0, slope u below.
    Rectifier {
        slope: f64,
    },
    /// u^2 above 0, else 0.
    SquaredRectifier,
    Erf,
    Tanh,
    Sigmoid,
    Gelu,
    Sine,
}

impl Activation {
    /// Its layer; the slope is that of `leaky_relu`.
    pub(crate) fn layer(self, slope: f64) -> LayerMap {
        match self {
            Activation::Relu => LayerMap::Rectifier { slope: 0.0 },
            Activation::LeakyRelu => LayerMap::Rectifier { slope },
            Activation::Erf => LayerMap::Erf,
            Activation::Tanh => LayerMap::Tanh,
            Activation::Sigmoid => LayerMap::Sigmoid,
            Activation::Gelu => LayerMap::Gelu,
            Activation::Sine => LayerMap::Sine,
        }
    }
}

/// A correlation r as 1 - r and 1 + r.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Correlation<N> {
    pub(crate) deficit: N,
    pub(crate) excess: N,
}

impl<N: Scalar> Correlation<N> {
    /// 0, which is also what counts as that of a variable without variance.
    #[inline(always)]
    pub(crate) fn none() -> Self {
        Correlation { deficit: N::constant(1.0), excess: N::constant(1.0) }
    }
    /// 1: of a variable with itself.
    #[inline(always)]
    pub(crate) fn whole() -> Self {
        Correlation { deficit: N::constant(0.0), excess: N::constant(2.0) }
    }
    #[inline(always)]
    pub(crate) fn value(self) -> N {
        (self.excess - self.deficit).times(0.5)
    }
    #[inline(always)]
    fn of_deficit(deficit: N) -> Self {
        Correlation { deficit, excess: N::constant(2.0) - deficit }
    }
    /// sqrt(1 - r^2), arccos r and pi - arccos r.
    #[inline(always)]
    fn angles(self) -> (N, N, N) {
        let (angle, rest) = N::arcs(self.deficit, self.excess);
        ((self.deficit * self.excess).root(), angle, rest)
    }
}

/// The covariance of the inputs of a hidden unit at two rows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Covariance<N> {
    /// The variances a and b.
    pub(crate) variances: (N, N),
    /// sqrt(a b).
    pub(crate) scale: N,
    /// The covariance c.
    pub(crate) cross: N,
    /// c / sqrt(a b).
    pub(crate) correlation: Correlation<N>,
}

impl<N: Scalar> Covariance<N> {
    /// Of an input with itself.
    fn own(variance: N) -> Self {
        Covariance { variances: (variance, variance), scale: variance, cross: variance, correlation: Correlation::whole() }
    }
    #[inline(always)]
    fn sum(&self) -> N {
        self.variances.0 + self.variances.1
    }
    /// a b - c^2.
    #[inline(always)]
    pub(super) fn determinant(&self) -> N {
        (self.variances.0 * self.variances.1) * self.correlation.deficit * self.correlation.excess
    }
    #[inline(always)]
    pub(super) fn is_degenerate(&self) -> bool {
        self.scale.value() == 0.0
    }
    /// The covariance of both inputs divided by 2.
    fn quartered(&self) -> Self {
        let quarter = |x: N| x.times(0.25);
        let (a, b) = self.variances;
        Covariance { variances: (quarter(a), quarter(b)), scale: quarter(self.scale), cross: quarter(self.cross), ..*self }
    }
}

impl LayerMap {
    /// Whether pairs are computed eight at a time: where no branch but a rare one depends on the values.
    pub(crate) fn runs_abreast(self) -> bool {
        matches!(self, LayerMap::Rectifier { .. } | LayerMap::SquaredRectifier | LayerMap::Erf | LayerMap::Gelu)
    }

    /// E f(u)^2.
    pub(crate) fn variance<N: Scalar>(self, a: N) -> N {
        match self {
            LayerMap::Step => N::constant(if a.value() > 0.0 { 0.5 } else { 0.25 }),
            LayerMap::Rectifier { slope } => a.times(0.5 * (1.0 + slope * slope)),
            LayerMap::SquaredRectifier => (a * a).times(1.5),
            _ => self.smooth(&Covariance::own(a)),
        }
    }

    /// E f(u) f(v), and what it is of `top` = sqrt(E f(u)^2 E f(v)^2).
    #[inline(always)]
    pub(crate) fn apply<N: Scalar>(self, of: &Covariance<N>, top: N) -> (N, Correlation<N>) {
        let correlation = match self {
            LayerMap::Step if of.is_degenerate() => {
                let cross = N::constant(0.25);
                return (cross, Correlation::of_deficit(N::constant(1.0) - cross / top));
            }
            LayerMap::Step | LayerMap::Rectifier { .. } | LayerMap::SquaredRectifier => self.homogeneous(of.correlation),
            _ => return self.of_smooth(of, top),
        };
        (top * correlation.value(), correlation)
    }

    /// E f'(u) f'(v).
    #[inline(always)]
    pub(crate) fn slope<N: Scalar>(self, of: &Covariance<N>) -> N {
        match self {
            LayerMap::Step => N::constant(0.0),
            LayerMap::Rectifier { slope } => of.correlation.angles().2.times((1.0 - slope).powi(2) * 0.5 * FRAC_1_PI).plus(slope),
            // 4 E u v over both above 0.
            LayerMap::SquaredRectifier => {
                let (sine, _, rest) = of.correlation.angles();
                of.scale * (sine + rest * of.correlation.value()).times(FRAC_2_PI)
            }
            LayerMap::Erf => (N::constant(4.0 * FRAC_1_PI)) / erf_spread(of).root(),
            LayerMap::Tanh => match series(of) {
                Some((_, slope)) => slope,
                None => mixture(of, |one, other, spread| N::constant(one * other * 4.0 * FRAC_1_PI) / spread.root()),
            },
            LayerMap::Sigmoid => LayerMap::Tanh.slope(&of.quartered()).times(1.0 / 16.0),
            LayerMap::Gelu => {
                let (spread, c) = (gelu_spread(of), of.cross);
                let (root, inverses) = (spread.root(), inverses(of));
                let inner = inverses.times(2.0).plus(-1.0) + (of.determinant() + c * c * inverses) / spread;
                (c.angle_over(root) + c * inner / root).times(0.5 * FRAC_1_PI).plus(0.25)
            }
            LayerMap::Sine => {
                let (near, far) = sine_parts(of);
                (near + far).times(0.5)
            }
        }
    }

    /// The correlation after a layer that multiplies by a power of the scale of its input.
    #[inline(always)]
    fn homogeneous<N: Scalar>(self, before: Correlation<N>) -> Correlation<N> {
        let (sine, angle, rest) = before.angles();
        let cosine = before.value();
        match self {
            LayerMap::Step => Correlation { deficit: angle.times(FRAC_1_PI), excess: rest.times(FRAC_1_PI).plus(1.0) },
            LayerMap::SquaredRectifier => {
                let deficit = ((angle - sine * cosine).times(3.0) + (rest * sine * sine).times(2.0)).times(FRAC_1_PI / 3.0);
                Correlation::of_deficit(deficit.not_negative())
            }
            LayerMap::Rectifier { slope } => {
                // Below rounding the difference may be less than it takes away.
                let deficit = (before.deficit + (angle * cosine - sine).times(FRAC_1_PI)).not_negative();
                let excess = (sine + rest * cosine).times(FRAC_1_PI).plus(1.0);
                let (linear, bent) = (slope / (0.5 * (1.0 + slope * slope)), (1.0 - slope).powi(2) / (1.0 + slope * slope));
                Correlation {
                    deficit: before.deficit.times(linear) + deficit.times(bent),
                    excess: before.excess.times(linear) + excess.times(bent),
                }
            }
            _ => before,
        }
    }

    /// E f(u) f(v) of an activation with a derivative everywhere.
    #[inline(always)]
    fn smooth<N: Scalar>(self, of: &Covariance<N>) -> N {
        match self {
            LayerMap::Erf => of.cross.times(2.0).angle_over(erf_spread(of).root()).times(FRAC_2_PI),
            LayerMap::Tanh => match series(of) {
                Some((value, _)) => value,
                None => mixture(of, |one, other, spread| of.cross.times(2.0 * one * other).angle_over(spread.root()).times(FRAC_2_PI)),
            },
            LayerMap::Sigmoid => LayerMap::Tanh.smooth(&of.quartered()).plus(1.0).times(0.25),
            LayerMap::Gelu => {
                let (root, c) = (gelu_spread(of).root(), of.cross);
                let density = (of.determinant() + c * c * inverses(of)) / root;
                c.times(0.25) + (c * c.angle_over(root) + density).times(0.5 * FRAC_1_PI)
            }
            LayerMap::Sine => {
                let (near, far) = sine_parts(of);
                (near - far).times(0.5)
            }
            LayerMap::Step | LayerMap::Rectifier { .. } | LayerMap::SquaredRectifier => N::constant(f64::NAN),
        }
    }

    /// [`LayerMap::apply`] of an activation with a derivative everywhere.
    #[inline(always)]
    fn of_smooth<N: Scalar>(self, of: &Covariance<N>, top: N) -> (N, Correlation<N>) {
        // A correlation is this near to 1, in units of what changes E f' f', where 1 - r is integrated: the difference of E f f
        // would leave no digit of it.
        const NEAR: f64 = 1e-3;
        let cross = self.smooth(of);
        if top.value() == 0.0 {
            return (cross, Correlation::none());
        }
        let measure = of.correlation.deficit * of.scale.plus(1.0);
        let near = || (self.spread_of_variances(of.variances) + self.lost(of)) / top;
        let deficit = N::unless_below(measure, NEAR, near, (N::constant(1.0) - cross / top).not_negative());
        (cross, Correlation::of_deficit(deficit))
    }

    /// E f(u) f(v) at r = 1 less that at r, the integral of sqrt(a b) E f'(u) f'(v) over correlations between them, by three points of
    /// Gauss and Legendre.
    fn lost<N: Scalar>(self, of: &Covariance<N>) -> N {
        const POINTS: [(f64, f64); 3] = [(0.112_701_665_379_258_31, 5.0 / 18.0), (0.5, 8.0 / 18.0), (0.887_298_334_620_741_7, 5.0 / 18.0)];
        let slope_at = |share: f64| {
            let correlation = Correlation::of_deficit(of.correlation.deficit.times(share));
            self.slope(&Covariance { cross: of.scale * correlation.value(), correlation, ..*of })
        };
        let mean = POINTS.iter().map(|(share, weight)| slope_at(*share).times(*weight)).reduce(|sum, x| sum + x);
        of.scale * of.correlation.deficit * mean.unwrap_or(N::constant(0.0))
    }

    /// sqrt(E f(u)^2 E f(v)^2) - E f(u) f(v) at r = 1: 0 for equal variances, and quadratic in the logarithm of their quotient.
    fn spread_of_variances<N: Scalar>(self, (a, b): (N, N)) -> N {
        // Variances nearer than this share take the quadratic through two at a distance where nothing cancels.
        const NEAR: f64 = 1e-4;
        const APART: f64 = 2e-3;
        let at = |a: N, b: N| {
            let scale = (a * b).root();
            let of = Covariance { variances: (a, b), scale, cross: scale, correlation: Correlation::whole() };
            ((self.variance(a) * self.variance(b)).root() - self.smooth(&of)).not_negative()
        };
        let (apart, sum) = (a - b, a + b);
        if apart.value() == 0.0 {
            return N::constant(0.0);
        }
        if apart.value().abs() > NEAR * sum.value() {
            return at(a, b);
        }
        let middle = sum.times(0.5);
        let share = apart / sum;
        at(middle.times(1.0 + APART), middle.times(1.0 - APART)) * share * share.times(APART.powi(-2))
    }
}

/// 1 + 2 a + 2 b + 4 (a b - c^2).
#[inline(always)]
fn erf_spread<N: Scalar>(of: &Covariance<N>) -> N {
    of.sum().times(2.0).plus(1.0) + of.determinant().times(4.0)
}

/// (1 + a) (1 + b) - c^2.
fn gelu_spread<N: Scalar>(of: &Covariance<N>) -> N {
    of.sum().plus(1.0) + of.determinant()
}

/// 1 / (1 + a) + 1 / (1 + b).
fn inverses<N: Scalar>(of: &Covariance<N>) -> N {
    let (one, (a, b)) = (N::constant(1.0), of.variances);
    one / a.plus(1.0) + one / b.plus(1.0)
}

/// exp(-E (u - v)^2 / 2) and exp(-E (u + v)^2 / 2).
fn sine_parts<N: Scalar>(of: &Covariance<N>) -> (N, N) {
    let (a, b) = (of.variances.0.root(), of.variances.1.root());
    let square = (a - b) * (a - b);
    let decay = |part: N| (square + (a * b * part).times(2.0)).times(-0.5).exponential();
    (decay(of.correlation.deficit), decay(of.correlation.excess))
}
