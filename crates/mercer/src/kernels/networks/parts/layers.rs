//! The recursion of an infinitely wide network over its layers, in the covariances of the inputs of its units.
//!
//! ```text
//! K_1 = bias + weight x . z,  K_(l+1) = bias + weight E f(u) f(v),  (u, v) ~ N(0, K_l)
//! T_1 = K_1,                  T_(l+1) = K_(l+1) + weight T_l E f'(u) f'(v)
//! ```
//!
//! K of the last layer is the kernel of the outputs of random networks (Neal 1996; Lee, Bahri, Novak, Schoenholz, Pennington &
//! Sohl-Dickstein 2018), T the one of networks that are trained by gradient descent (Jacot, Gabriel & Hongler 2018).

use super::activation::{Correlation, Covariance, LayerMap};
use super::jet::Scalar;
use super::lanes::{ABREAST, PairLanes};

/// A linear layer: bias + weight K.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LinearLayer<N> {
    pub(crate) weight: N,
    pub(crate) bias: N,
}

/// A network of infinite width.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Network<N> {
    /// The hidden layers.
    pub(crate) map: LayerMap,
    pub(crate) depth: usize,
    /// Between the inputs and the first of them.
    pub(crate) first: LinearLayer<N>,
    /// Between them.
    pub(crate) between: LinearLayer<N>,
    /// Behind the last of them.
    pub(crate) last: LinearLayer<N>,
}

/// What a row brings to one linear layer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stage<N> {
    /// The variance in front of the layer, with its root.
    before: N,
    before_root: N,
    /// The variance behind it, with its root.
    after: N,
    after_root: N,
}

impl Stage<f64> {
    /// Of eight rows.
    pub(crate) fn together(of: [&Stage<f64>; ABREAST]) -> Stage<PairLanes> {
        Stage {
            before: PairLanes(of.map(|s| s.before)),
            before_root: PairLanes(of.map(|s| s.before_root)),
            after: PairLanes(of.map(|s| s.after)),
            after_root: PairLanes(of.map(|s| s.after_root)),
        }
    }
}

/// The two kernels of a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quantity {
    /// The covariance of its outputs.
    Output,
    /// The inner product of the derivatives of its output in all of its weights.
    Tangent,
}

impl<N: Scalar> Network<N> {
    #[inline(always)]
    fn linear(&self, stage: usize) -> &LinearLayer<N> {
        match stage {
            0 => &self.first,
            s if s == self.depth => &self.last,
            _ => &self.between,
        }
    }

    /// What a row of this squared norm brings to each linear layer; the variance behind the last of them is k(x, x).
    pub(crate) fn stages(&self, norm: f64) -> Vec<Stage<N>> {
        let mut before = N::constant(norm);
        (0..=self.depth)
            .map(|s| {
                if s > 0 {
                    before = self.map.variance(before);
                }
                let layer = self.linear(s);
                let after = layer.bias + layer.weight * before;
                let stage = Stage { before, before_root: before.root(), after, after_root: after.root() };
                before = after;
                stage
            })
            .collect()
    }

    /// The kernel of two rows whose directions have this correlation, from their stages.
    #[inline(always)]
    pub(crate) fn value(&self, quantity: Quantity, cosine: Correlation<N>, x: &[Stage<N>], z: &[Stage<N>]) -> N {
        let mut correlation = self.first.correlation(cosine, &x[0], &z[0]);
        let mut cross = self.first.bias + self.first.weight * ((x[0].before_root * z[0].before_root) * cosine.value());
        let mut tangent = cross;
        for (s, (near, far)) in x.windows(2).zip(z.windows(2)).enumerate() {
            let layer = self.linear(s + 1);
            let scale = near[0].after_root * far[0].after_root;
            let of = Covariance { variances: (near[0].after, far[0].after), scale, cross, correlation };
            let (hidden, behind) = self.map.apply(&of, near[1].before_root * far[1].before_root);
            cross = layer.bias + layer.weight * hidden;
            if quantity == Quantity::Tangent {
                tangent = cross + layer.weight * tangent * self.map.slope(&of);
            }
            if s + 1 < self.depth {
                correlation = layer.correlation(behind, &near[1], &far[1]);
            }
        }
        if quantity == Quantity::Tangent { tangent } else { cross }
    }
}

impl Network<f64> {
    /// The network for eight pairs at a time.
    pub(crate) fn abreast(&self) -> Network<PairLanes> {
        let all =
            |layer: LinearLayer<f64>| LinearLayer { weight: PairLanes::constant(layer.weight), bias: PairLanes::constant(layer.bias) };
        Network { map: self.map, depth: self.depth, first: all(self.first), between: all(self.between), last: all(self.last) }
    }
}

impl<N: Scalar> LinearLayer<N> {
    /// The correlation behind the layer. With A, B the variances in front of it, times the weight, T = sqrt(A B), R = sqrt(A' B') of
    /// those behind it, and r the correlation in front of it:
    ///
    /// ```text
    /// R (1 - r') = T (1 - r) + bias (sqrt A - sqrt B)^2 / (R + bias + T)
    /// R (1 + r') = T (1 + r) + bias (1 + (bias + A + B) / (R + T))
    /// ```
    #[inline(always)]
    fn correlation(&self, before: Correlation<N>, x: &Stage<N>, z: &Stage<N>) -> Correlation<N> {
        if self.bias.is_zero() {
            return before;
        }
        let behind = x.after_root * z.after_root;
        if behind.value() == 0.0 {
            return Correlation::none();
        }
        let front = self.weight * (x.before_root * z.before_root);
        let apart = x.before_root - z.before_root;
        let less = self.bias * self.weight * (apart * apart) / (behind + self.bias + front);
        let more = self.bias * ((self.bias + self.weight * (x.before + z.before)) / (behind + front)).plus(1.0);
        Correlation { deficit: (front * before.deficit + less) / behind, excess: (front * before.excess + more) / behind }
    }
}
