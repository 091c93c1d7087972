//! tanh as a mixture of error functions, whose covariances have a closed form.
//!
//! The logistic distribution is a mixture of normal ones whose deviations are 2 s, s of Kolmogorov's distribution (Andrews & Mallows,
//! Scale mixtures of normal distributions, 1974): tanh u = E erf(u / (s sqrt 2)).

use super::activation::Covariance;
use super::jet::Scalar;
use std::f64::consts::FRAC_2_PI;

/// tanh u = sum_k w_k erf(t_k u) up to 2e-12, as pairs of t_k and w_k; its slope up to 1.2e-11: the 18 points of Gauss for the mixture
/// as a function of ln s.
pub(crate) const TANH: [(f64, f64); 18] = [
    (3.085_256_492_208_983_6, 5.309_213_218_897_191e-9),
    (2.642_836_178_115_788_7, 1.514_419_267_672_748_5e-6),
    (2.285_974_091_438_207, 7.272_387_767_713_307e-5),
    (1.977_953_385_896_762_4, 0.001_203_356_675_504_177_8),
    (1.705_753_964_997_384_3, 0.009_261_903_307_060_095),
    (1.463_505_600_973_582_3, 0.039_264_502_664_263_19),
    (1.248_335_201_974_756_7, 0.102_546_754_248_578_69),
    (1.058_755_296_812_482, 0.179_027_161_735_802_9),
    (0.893_832_087_418_443_3, 0.222_104_964_876_714_7),
    (0.752_659_802_833_954_4, 0.204_029_423_533_611_48),
    (0.633_944_742_903_656_5, 0.140_633_126_171_529_32),
    (0.535_621_409_008_448_6, 0.070_990_034_857_966_61),
    (0.454_832_754_479_784_1, 0.024_713_894_590_885_143),
    (0.388_433_220_957_989_2, 0.005_438_153_583_151_231),
    (0.333_458_720_147_615_6, 0.000_672_402_832_723_412_1),
    (0.287_275_699_736_383_7, 3.927_449_038_212_597e-5),
    (0.247_457_120_133_507_76, 8.000_548_928_436_209e-7),
    (0.211_105_691_360_816_2, 2.770_775_975_613_239_6e-9),
];

/// sum_kl w_k w_l value(t_k, t_l, spread of erf for the inputs t_k u and t_l v), in pairs that change places with u and v.
pub(super) fn mixture<N: Scalar>(of: &Covariance<N>, value: impl Fn(f64, f64, N) -> N) -> N {
    let ((a, b), determinant) = (of.variances, of.determinant().times(4.0));
    let one = |(t, w): (f64, f64), (s, v): (f64, f64)| {
        let (t2, s2) = (t * t, s * s);
        value(t, s, (a.times(2.0 * t2) + b.times(2.0 * s2)).plus(1.0) + determinant.times(t2 * s2)).times(w * v)
    };
    let mut sum = N::constant(0.0);
    for (k, first) in TANH.into_iter().enumerate() {
        for second in TANH.into_iter().take(k) {
            sum = sum + (one(first, second) + one(second, first));
        }
        sum = sum + one(first, first);
    }
    sum
}

/// E f(u) f(v) and E f'(u) f'(v) of tanh by the series of the arcsine, where that ends soon:
///
/// ```text
/// 2/pi sum_n b_n / (2 n + 1) r^(2 n + 1) A_n B_n,  A_n = sum_k w_k p_k^(2 n + 1),  p_k^2 = 2 t_k^2 a / (1 + 2 t_k^2 a)
/// ```
///
/// B_n the same of b, and b_n = (2 n)! / (4^n n!^2). It takes 2 * 18 products for each n, the double sum 18^2 arcsines.
pub(super) fn series<N: Scalar>(of: &Covariance<N>) -> Option<(N, N)> {
    // What is left out, as a share of 1.
    const REST: f64 = 1e-16;
    // Terms that take as long as the double sum.
    const MOST: f64 = 250.0;
    if of.is_degenerate() {
        return None;
    }
    let squares = |a: N| {
        TANH.map(|(t, _)| {
            let twice = a.times(2.0 * t * t);
            twice / twice.plus(1.0)
        })
    };
    let (squares_of_a, squares_of_b) = (squares(of.variances.0), squares(of.variances.1));
    let r = of.correlation.value();
    let ratio = r.value() * r.value() * squares_of_a[0].value() * squares_of_b[0].value();
    let count = libm::log(REST) / libm::log(ratio);
    if count > MOST || count.is_nan() {
        return None;
    }
    let first = |squares: &[N; TANH.len()]| {
        let mut powers = [N::constant(0.0); TANH.len()];
        powers.iter_mut().zip(squares).zip(TANH).for_each(|((power, square), (_, w))| *power = square.root().times(w));
        powers
    };
    let (mut of_a, mut of_b) = (first(&squares_of_a), first(&squares_of_b));
    let sum = |powers: &[N; TANH.len()]| powers.iter().copied().fold(N::constant(0.0), |sum, p| sum + p);
    let (mut power, mut binomial) = (N::constant(FRAC_2_PI), 1.0);
    let (mut value, mut slope) = (N::constant(0.0), N::constant(0.0));
    let mut n = 0.0;
    while n <= count.max(1.0) {
        let term = power * (sum(&of_a) * sum(&of_b)).times(binomial);
        value = value + term.times(1.0 / (2.0 * n + 1.0));
        slope = slope + term;
        if term.value() <= REST * (1.0 - ratio) {
            break;
        }
        power = power * r * r;
        binomial *= (2.0 * n + 1.0) / (2.0 * n + 2.0);
        n += 1.0;
        of_a.iter_mut().zip(&squares_of_a).for_each(|(p, s)| *p = *p * *s);
        of_b.iter_mut().zip(&squares_of_b).for_each(|(p, s)| *p = *p * *s);
    }
    Some((value * r, slope / of.scale))
}
