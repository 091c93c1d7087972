//! Convolutions of series with 84 fixed kernels, and the shares of their outputs above biases (Dempster, Schmidt & Webb, MiniRocket: a very
//! fast (almost) deterministic transform for time series classification, 2021, section 3).
//!
//! A kernel has nine weights w_j, 2 at the three taps p, q and r and -1 at the six others. At time t and dilation d its output is
//! sum_j w_j x_(t + (j - 4) d) = A_t + C_tp + C_tq + C_tr with A_t = -sum_j x_(t + (j - 4) d) and C_tj = 3 x_(t + (j - 4) d), sums that all
//! kernels share. Of several channels the output is the sum of those of some of them.

use crate::gram::{Level, axpy, dispatch, level};
use std::ops::Range;

/// Weights of a kernel.
const TAPS: usize = 9;
/// Ways to place three weights of 2 among nine.
pub(crate) const KERNELS: usize = 84;

/// The taps with a weight of 2 of every kernel.
fn kernels() -> impl Iterator<Item = [usize; 3]> {
    let with_first = |p: usize| (p + 1..TAPS).flat_map(move |q| (q + 1..TAPS).map(move |r| [p, q, r]));
    (0..TAPS).flat_map(with_first)
}

/// Dilations for series of a length, and which of the `features` of each kernel are taken at each: powers of 2 with evenly spaced
/// exponents, rounded down, from 1 to the dilation at which a kernel is as long as the series. Exponents have equal shares of the features.
fn dilations(length: usize, features: usize) -> Vec<(usize, Range<usize>)> {
    // Exponents of dilations, of which several may give one dilation.
    const MOST_EXPONENTS: usize = 32;
    // Relative rounding of a power of 2: one that is a whole number is to be that number on every machine.
    const ROUNDING: f64 = 1e-9;
    let exponents = features.min(MOST_EXPONENTS);
    let greatest = (length.saturating_sub(1) as f64 / (TAPS - 1) as f64).max(1.0).log2();
    let mut all: Vec<(usize, Range<usize>)> = Vec::new();
    for feature in 0..features {
        let share = (feature * exponents / features) as f64 / exponents.saturating_sub(1).max(1) as f64;
        let dilation = ((share * greatest).exp2() * (1.0 + ROUNDING)) as usize;
        match all.last_mut() {
            Some((last, own)) if *last == dilation => own.end = feature + 1,
            _ => all.push((dilation, feature..feature + 1)),
        }
    }
    all
}

/// One kernel at one dilation.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Combination {
    dilation: usize,
    taps: [usize; 3],
    /// Whether there is an output for every time, with zeros beyond both ends of the series.
    is_padded: bool,
    /// Its features among those of its kernel.
    pub(crate) of_kernel: Range<usize>,
    /// Its features among those of all combinations.
    pub(crate) features: Range<usize>,
}

/// Every kernel at every dilation for series of a length, with so many features of each kernel: by dilation, every second one padded.
pub(crate) fn combinations(length: usize, features: usize) -> Vec<Combination> {
    let mut all = Vec::new();
    for (place, (dilation, of_kernel)) in dilations(length, features).into_iter().enumerate() {
        for (kernel, taps) in kernels().enumerate() {
            let first = KERNELS * of_kernel.start + kernel * of_kernel.len();
            let is_padded = (place + kernel).is_multiple_of(2);
            all.push(Combination { dilation, taps, is_padded, of_kernel: of_kernel.clone(), features: first..first + of_kernel.len() });
        }
    }
    all
}

/// The sums of one series at one dilation that all kernels share, channel after channel, and room for outputs.
#[derive(Default)]
pub(crate) struct SharedSums {
    dilation: usize,
    times: usize,
    /// Times between two taps: a dilation beyond the length leaves the middle tap alone on the series, as the length does.
    step: usize,
    /// A_t of every time.
    minus: Vec<f64>,
    /// 3 x_t of every time, four steps of 0 before and behind.
    threefold: Vec<f64>,
    /// Both of several channels together.
    joint: (Vec<f64>, Vec<f64>),
    outputs: Vec<f64>,
}

impl SharedSums {
    fn margin(&self) -> usize {
        TAPS / 2 * self.step
    }

    /// Takes the sums of a series, time after time, at the dilation of a combination.
    pub(crate) fn take(&mut self, series: &[f64], channels: usize, combination: &Combination) {
        let times = series.len() / channels.max(1);
        (self.dilation, self.times, self.step) = (combination.dilation, times, combination.dilation.min(times));
        let (margin, width) = (self.margin(), times + 2 * self.margin());
        self.minus.clear();
        self.minus.resize(channels * times, 0.0);
        self.threefold.clear();
        self.threefold.resize(channels * width, 0.0);
        if times == 0 {
            return;
        }
        for (channel, (minus, threefold)) in self.minus.chunks_exact_mut(times).zip(self.threefold.chunks_exact_mut(width)).enumerate() {
            let own = &mut threefold[margin..margin + times];
            own.iter_mut().zip(series.iter().skip(channel).step_by(channels)).for_each(|(to, x)| *to = *x);
            (0..TAPS).for_each(|tap| axpy(-1.0, &threefold[tap * self.step..][..times], minus));
            threefold[margin..margin + times].iter_mut().for_each(|x| *x *= 3.0);
        }
    }

    /// The outputs of a combination, whose dilation was taken last, on the sum of some channels: at every time, or where it is not padded
    /// and not longer than the series, at the times at which all taps lie on it.
    pub(crate) fn outputs(&mut self, combination: &Combination, channels: &[usize]) -> &[f64] {
        let (times, margin) = (self.times, self.margin());
        let width = times + 2 * margin;
        let SharedSums { step, minus, threefold, joint, outputs, .. } = self;
        let own = |channel: usize| (&minus[channel * times..][..times], &threefold[channel * width..][..width]);
        let (minus, threefold) = match channels {
            _ if times == 0 => return &[],
            [one] => own(*one),
            several => {
                joint.0.clear();
                joint.0.resize(times, 0.0);
                joint.1.clear();
                joint.1.resize(width, 0.0);
                for &channel in several {
                    let (minus, threefold) = own(channel);
                    axpy(1.0, minus, &mut joint.0);
                    axpy(1.0, threefold, &mut joint.1);
                }
                (&*joint.0, &*joint.1)
            }
        };
        let at = if combination.is_padded || times <= 2 * margin { 0..times } else { margin..times - margin };
        let [p, q, r] = combination.taps.map(|tap| &threefold[tap * *step..][at.clone()]);
        outputs.clear();
        outputs.resize(at.len(), 0.0);
        convolve(outputs, &minus[at], p, q, r);
        outputs
    }
}

/// What turns series into features: combinations, the channels that each adds up, and a bias for each feature.
pub(crate) struct Convolver<'a> {
    pub(crate) channels: usize,
    pub(crate) combinations: &'a [Combination],
    pub(crate) added: &'a [&'a [usize]],
    pub(crate) biases: &'a [f64],
}

impl Convolver<'_> {
    /// Writes the features of a series: of each bias the share of the outputs above it, 0 of a series without any time.
    pub(crate) fn write(&self, series: &[f64], sums: &mut SharedSums, shares: &mut [f64]) {
        for (place, (combination, channels)) in self.combinations.iter().zip(self.added).enumerate() {
            if place == 0 || sums.dilation != combination.dilation {
                sums.take(series, self.channels, combination);
            }
            let own = combination.features.clone();
            shares_above(sums.outputs(combination, channels), &self.biases[own.clone()], &mut shares[own]);
        }
    }
}

dispatch! {
    /// out <- base + p + q + r.
    convolve, convolve_body, <>, (out: &mut [f64], base: &[f64], p: &[f64], q: &[f64], r: &[f64]) -> ()
}

#[inline(always)]
fn convolve_body<const FMA: bool>(out: &mut [f64], base: &[f64], p: &[f64], q: &[f64], r: &[f64]) {
    let sums = base.iter().zip(p).zip(q).zip(r).map(|(((base, p), q), r)| base + p + q + r);
    out.iter_mut().zip(sums).for_each(|(out, sum)| *out = sum);
}

dispatch! {
    /// Shares of numbers above each bias.
    shares_above, shares_body, <>, (numbers: &[f64], biases: &[f64], shares: &mut [f64]) -> ()
}

#[inline(always)]
fn shares_body<const FMA: bool>(numbers: &[f64], biases: &[f64], shares: &mut [f64]) {
    let count = numbers.len().max(1) as f64;
    for (share, bias) in shares.iter_mut().zip(biases) {
        *share = numbers.iter().filter(|x| **x > *bias).count() as f64 / count;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// sum_j w_j x_(t + (j - 4) d) with 0 beyond the ends, of one channel, at every time.
    fn direct(series: &[f64], taps: [usize; 3], dilation: usize) -> Vec<f64> {
        let at = |t: i64| usize::try_from(t).ok().and_then(|t| series.get(t)).copied().unwrap_or(0.0);
        let weight = |j: usize| if taps.contains(&j) { 2.0 } else { -1.0 };
        let output = |t: usize| (0..9).map(|j| weight(j) * at(t as i64 + (j as i64 - 4) * dilation as i64)).sum();
        (0..series.len()).map(output).collect()
    }

    #[test]
    fn there_are_84_kernels_whose_weights_add_up_to_zero() {
        let mut all: Vec<[usize; 3]> = kernels().collect();
        assert!(all.iter().all(|[p, q, r]| p < q && q < r && *r < 9));
        all.dedup();
        assert_eq!((all.len(), all[0], all[83]), (KERNELS, [0, 1, 2], [6, 7, 8]));
    }

    #[test]
    fn dilations_are_powers_of_two_with_even_exponents_and_have_all_features() {
        // (65 - 1) / 8 = 8: exponents 3 s / 3 of four features.
        assert_eq!(dilations(65, 4), [(1, 0..1), (2, 1..2), (4, 2..3), (8, 3..4)]);
        // The floors of 5^(s / 3): 1, 1.7, 2.9, 5.
        assert_eq!(dilations(41, 4), [(1, 0..2), (2, 2..3), (5, 3..4)]);
        // 32 exponents for 64 features, two each.
        let many = dilations(500, 64);
        assert!(many.iter().all(|(_, own)| own.len().is_multiple_of(2)) && many[many.len() - 1].0 == 62);
        for (length, features) in [(0, 3), (1, 1), (8, 119), (500, 119), (usize::MAX, 11_904)] {
            let all = dilations(length, features);
            assert_eq!((all[0].0, all[0].1.start, all[all.len() - 1].1.end), (1, 0, features));
            assert!(all.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1.end == pair[1].1.start));
            assert!(length > 16 || all.len() == 1);
        }
    }

    #[test]
    fn outputs_are_the_direct_sums_with_and_without_padding() {
        let series: Vec<f64> = (0..60).map(|t| (0.37 * f64::from(t * t)).sin() + 0.1 * f64::from(t)).collect();
        let (mut sums, mut seen) = (SharedSums::default(), [0; 2]);
        for length in [1, 2, 8, 9, 17, 40, 60] {
            let series = &series[..length];
            for combination in combinations(60, 8).iter().step_by(5) {
                sums.take(series, 1, combination);
                let all = direct(series, combination.taps, combination.dilation);
                let margin = 4 * combination.dilation;
                let inside = if combination.is_padded || length <= 2 * margin { &all[..] } else { &all[margin..length - margin] };
                let found = sums.outputs(combination, &[0]);
                assert_eq!(found.len(), inside.len());
                assert!(found.iter().zip(inside).all(|(a, b)| (a - b).abs() <= 1e-13 * 60.0), "{combination:?} of {length} times");
                seen[usize::from(combination.is_padded)] += 1;
            }
        }
        assert!(seen.iter().all(|count| *count > 50));
    }

    #[test]
    fn outputs_of_several_channels_are_the_sum_of_their_outputs() {
        let both: Vec<f64> = (0..80).map(|t| f64::from(t * t % 17) - 5.0).collect();
        let channel = |c: usize| both.iter().skip(c).step_by(2).copied().collect::<Vec<f64>>();
        let mut sums = SharedSums::default();
        // The second dilation of 39 / 8, 4, without padding and with it.
        for combination in &combinations(40, 2)[KERNELS + 2..KERNELS + 4] {
            sums.take(&both, 2, combination);
            let [one, other] = [0, 1].map(|c| direct(&channel(c), combination.taps, 4));
            let expected: Vec<f64> = one.iter().zip(&other).map(|(a, b)| a + b).collect();
            let inside = if combination.is_padded { 0..40 } else { 16..24 };
            // Whole numbers have no rounding.
            assert_eq!(sums.outputs(combination, &[0, 1]), &expected[inside.clone()]);
            assert_eq!(sums.outputs(combination, &[1]), &other[inside]);
        }
    }

    #[test]
    fn features_are_shares_of_outputs_above_biases() {
        let mut shares = [0.0; 4];
        shares_above(&[1.0, -2.0, 3.0, 0.5], &[0.0, 1.0, -2.0, 7.0], &mut shares);
        assert_eq!(shares, [0.75, 0.25, 0.75, 0.0]);
        shares_above(&[], &[0.0], &mut shares[..1]);
        assert_eq!(shares[0], 0.0);
        // One time, x = 2: the middle tap alone lies on the series, with weight 2 (output 4) or -1 (output -2).
        let all = combinations(1, 1);
        let (biases, added) = (vec![0.0; KERNELS], vec![&[0][..]; KERNELS]);
        let mut shares = vec![0.5; KERNELS];
        let convolver = Convolver { channels: 1, combinations: &all, added: &added, biases: &biases };
        convolver.write(&[2.0], &mut SharedSums::default(), &mut shares);
        let expected: Vec<f64> = kernels().map(|taps| f64::from(u8::from(taps.contains(&4)))).collect();
        assert_eq!(shares, expected);
        convolver.write(&[], &mut SharedSums::default(), &mut shares);
        assert_eq!(shares, [0.0; KERNELS]);
    }
}
