//! The modified Bessel function of the second kind K_nu, for the Matern kernel of any order.
//!
//! Small x: the series of Temme (1975, J. Comput. Phys. 19, 324); large x: the continued fraction CF2 of the same paper,
//! summed by Steed's method (Thompson & Barnett 1987, Comput. Phys. Commun. 47, 245).

/// Coefficients d_k of 1/Gamma(1 + v) = sum_k d_k v^k (Abramowitz & Stegun 6.1.34).
const RECIPROCAL_GAMMA: [f64; 21] = [
    1.0,
    0.577_215_664_901_532_9,
    -0.655_878_071_520_253_8,
    -0.042_002_635_034_095_2,
    0.166_538_611_382_291_5,
    -0.042_197_734_555_544_3,
    -0.009_621_971_527_877,
    0.007_218_943_246_663,
    -0.001_165_167_591_859_1,
    -0.000_215_241_674_114_9,
    0.000_128_050_282_388_2,
    -0.000_020_134_854_780_7,
    -0.000_001_250_493_482_1,
    0.000_001_133_027_232,
    -0.000_000_205_633_841_7,
    0.000_000_006_116_095,
    0.000_000_005_002_007_5,
    -0.000_000_001_181_274_6,
    0.000_000_000_104_342_7,
    0.000_000_000_007_782_3,
    -0.000_000_000_003_696_8,
];
/// Terms at most; the fraction needs about 50 at x = 2.
const TERMS: usize = 1000;

/// (e^x K_v(x), e^x K_(v+1)(x)) for |v| <= 1/2 and x > 0.
pub(super) fn scaled_pair(v: f64, x: f64) -> (f64, f64) {
    // Up to this x the series is used.
    const SERIES: f64 = 2.0;
    if x <= SERIES { series(v, x) } else { fraction(v, x) }
}

fn series(v: f64, x: f64) -> (f64, f64) {
    // (1/Gamma(1 - v) - 1/Gamma(1 + v)) / (2 v) and the mean of both, without cancellation.
    let (mut odd, mut even, mut power) = (0.0, 0.0, 1.0);
    for pair in RECIPROCAL_GAMMA.chunks(2) {
        even += pair[0] * power;
        odd -= pair.get(1).unwrap_or(&0.0) * power;
        power *= v * v;
    }
    let (gamma_plus, gamma_minus) = (1.0 / (even - v * odd), 1.0 / (even + v * odd));
    let log = (2.0 / x).ln();
    let sigma = v * log;
    let ratio = if sigma.abs() < 1e-9 { 1.0 } else { sigma.sinh() / sigma };
    let angle = std::f64::consts::PI * v;
    let prefactor = if angle.abs() < 1e-9 { 1.0 } else { angle / angle.sin() };
    let mut f = prefactor * (sigma.cosh() * odd + ratio * log * even);
    let mut p = 0.5 * sigma.exp() * gamma_plus;
    let mut q = 0.5 * (-sigma).exp() * gamma_minus;
    let quarter = 0.25 * x * x;
    let (mut c, mut low, mut high) = (1.0, f, p);
    for k in 1..TERMS {
        let k = k as f64;
        f = (k * f + p + q) / (k * k - v * v);
        p /= k - v;
        q /= k + v;
        c *= quarter / k;
        low += c * f;
        high += c * (p - k * f);
        if (c * f).abs() < f64::EPSILON * low.abs() {
            break;
        }
    }
    (low * x.exp(), high * 2.0 / x * x.exp())
}

fn fraction(v: f64, x: f64) -> (f64, f64) {
    let first = 0.25 - v * v;
    let mut b = 2.0 * (1.0 + x);
    let mut d = 1.0 / b;
    let (mut h, mut step) = (d, d);
    let (mut before, mut now) = (0.0, 1.0);
    let (mut q, mut c, mut a) = (first, first, -first);
    let mut sum = 1.0 + q * step;
    for i in 2..TERMS {
        let i = i as f64;
        a -= 2.0 * (i - 1.0);
        c *= -a / i;
        let next = (before - b * now) / a;
        before = now;
        now = next;
        q += c * next;
        b += 2.0;
        d = 1.0 / (b + a * d);
        step *= b * d - 1.0;
        h += step;
        sum += q * step;
        if (q * step / sum).abs() < f64::EPSILON {
            break;
        }
    }
    let low = (std::f64::consts::PI / (2.0 * x)).sqrt() / sum;
    (low, low * (v + x + 0.5 - first * h) / x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_one_half_is_a_closed_form() {
        for x in [1e-6, 0.01, 0.5, 1.9, 2.1, 10.0, 300.0] {
            let half = (std::f64::consts::PI / (2.0 * x)).sqrt();
            let (low, high) = scaled_pair(0.5, x);
            assert!((low / half - 1.0).abs() <= 1e-14, "{x}: {low} {half}");
            assert!((high / (half * (1.0 + 1.0 / x)) - 1.0).abs() <= 1e-14, "{x}: {high}");
        }
    }

    /// e^x K_v(x) = integral of exp(-x (cosh u - 1)) cosh(v u) over u > 0 (Abramowitz & Stegun 9.6.24), by the trapezoidal
    /// rule, whose error falls exponentially with the step.
    fn integral(v: f64, x: f64) -> f64 {
        const STEP: f64 = 1.0 / 64.0;
        let at = |u: f64| (-2.0 * x * (0.5 * u).sinh().powi(2)).exp() * (v * u).cosh();
        STEP * (0.5 + (1..4000).map(|k| at(f64::from(k) * STEP)).take_while(|t| *t > 0.0).sum::<f64>())
    }

    #[test]
    fn any_order_is_its_integral() {
        for v in [-0.49, -0.2, 0.0, 1e-12, 0.1, 0.3, 0.45] {
            for x in [1e-8, 1e-3, 0.1, 1.0, 1.999, 2.001, 5.0, 40.0, 500.0] {
                let (low, high) = scaled_pair(v, x);
                let (one, other) = (integral(v, x), integral(v + 1.0, x));
                assert!((low / one - 1.0).abs() <= 1e-14, "K_{v}({x}): {low} and {one}");
                assert!((high / other - 1.0).abs() <= 1e-14, "K_{v}+1({x}): {high} and {other}");
            }
        }
    }
}
