//! Kernels of infinitely wide networks against neural-tangents, trapezoid sums, formulas worked by hand, and random units.

use crate::evaluated;

use evaluated::{matrix, near, points, value};
use mercer::kernels::KernelExpr;
use rand::SeedableRng;
use rand_distr::{Distribution, StandardNormal};
use rand_xoshiro::Xoshiro256PlusPlus;
use rayon::prelude::*;
use std::f64::consts::PI;

/// An activation and its slope.
type ValueAndSlope<'a> = &'a dyn Fn(f64) -> (f64, f64);

const X: [f64; 3] = [0.5, -1.2, 0.3];
const Z: [f64; 3] = [1.1, 0.4, -0.7];

/// Points of two columns whose inner products, divided by 2, are a, c and b.
fn with_covariance(a: f64, b: f64, c: f64) -> ([f64; 2], [f64; 2]) {
    let length = (2.0 * a).sqrt();
    let along = 2.0 * c / length;
    ([length, 0.0], [along, (2.0 * b - along * along).max(0.0).sqrt()])
}

// E f(u) f(v) and E f'(u) f'(v) for (u, v) ~ N(0, [[a, c], [c, b]]) by the trapezoid rule on a plane of 1e-3, to 15 digits.
// spec: GP14
#[test]
fn one_hidden_layer_is_the_gaussian_expectation_for_every_activation() {
    for (activation, expected) in [
        (
            "relu",
            [
                [0.304_498_890_522_114_7, 1.0 / 3.0],
                [0.241_372_141_917_743_8, 0.298_493_342_010_339_1],
                [0.038_683_205_833_271_4, 0.132_971_070_107_315],
                [2.561_783_483_072_84, 0.406_785_250_661_331_3],
            ],
        ),
        (
            "erf",
            [
                [0.216_346_895_938_785_5, 0.450_158_158_078_553],
                [0.121_526_848_424_232_7, 0.410_082_844_868_366_1],
                [-0.324_615_018_687_988_2, 0.395_576_278_987_781_3],
                [0.554_244_550_290_689_2, 0.151_105_733_817_878_3],
            ],
        ),
        (
            "sine",
            [
                [0.191_700_249_782_101_8, 0.414_830_409_930_532],
                [0.087_246_524_813_879_1, 0.299_494_498_640_622],
                [-0.266_114_463_529_955, 0.371_513_688_091_819],
                [0.111_560_015_027_415_6, 0.111_570_145_121_014],
            ],
        ),
        (
            "tanh",
            [
                [0.186_324_413_203_448, 0.384_747_028_441_039],
                [0.105_120_717_110_678, 0.353_954_491_970_958],
                [-0.283_891_559_668_82, 0.340_101_340_861_411],
                [0.522_066_431_447_033, 0.137_391_656_792_363],
            ],
        ),
        (
            "sigmoid",
            [
                [0.271_428_325_631_705, 0.043_190_020_462_261_7],
                [0.262_251_519_640_009, 0.040_941_010_511_275],
                [0.214_833_135_658_761, 0.039_881_543_336_440_1],
                [0.342_414_946_251_65, 0.021_135_695_905_998_9],
            ],
        ),
        (
            "gelu",
            [
                [0.227_294_915_021_992, 0.342_267_242_459_443],
                [0.157_563_153_434_128, 0.300_475_688_985_942],
                [-0.044_957_750_378_726_7, 0.116_690_336_810_792],
                [2.463_873_289_440_01, 0.429_112_680_651_245],
            ],
        ),
    ] {
        for ([a, b, c], [layer, slope]) in [[1.0, 1.0, 0.5], [2.0, 0.5, 0.3], [1.5, 1.2, -0.9], [4.0, 9.0, 5.0]].into_iter().zip(expected) {
            let (x, z) = with_covariance(a, b, c);
            let settings = format!("(activation={activation}, depth=1, weight_variance=1, bias_variance=0)");
            let (k, t) = (value(&format!("nngp{settings}"), &x, &z), value(&format!("ntk{settings}"), &x, &z));
            near(k, layer, 1e-10);
            near((t - k) / c, slope, 1e-10);
        }
    }
}

// Cho & Saul (2009), (6); Rasmussen & Williams (2006), (4.29), worked in Python with 30 digits.
// spec: K42
#[test]
fn arc_cosine_and_arcsine_have_their_values() {
    near(value("arc_cosine(order=0)", &X, &Z), 0.475_484_478_945_659_34, 1e-14);
    near(value("arc_cosine", &X, &Z), 0.510_899_297_209_813_7, 1e-14);
    near(value("arc_cosine(order=2)", &X, &Z), 1.350_336_812_277_832_3, 1e-14);
    near(value("arcsine(weight_variance=1, bias_variance=1)", &X, &Z), 0.166_822_149_557_407_49, 1e-14);
    near(value("arcsine(weight_variance=4, bias_variance=4)", &X, &Z), 0.188_672_950_038_720_84, 1e-14);
    // Orthogonal inputs of length 1: the angle is pi / 2. J_0 = pi / 2, J_1 = 1, J_2 = pi / 2.
    let (e, f) = ([1.0, 0.0], [0.0, 1.0]);
    near(value("arc_cosine(order=0)", &e, &f), 0.5, 1e-15);
    near(value("arc_cosine(order=1)", &e, &f), 1.0 / PI, 1e-15);
    near(value("arc_cosine(order=2)", &e, &f), 0.5, 1e-15);
    // One layer more has the cosine 1 / pi.
    let t = (1.0 / PI).acos();
    near(value("arc_cosine(depth=2)", &e, &f), (t.sin() + (PI - t) / PI) / PI, 1e-15);
    // A step is 1/2 at the origin, which halves its square.
    let k = matrix("arc_cosine(order=0)", &points(&[&[0.0, 0.0], &[3.0, 4.0]]));
    k.data().iter().zip([0.5, 0.5, 0.5, 1.0]).for_each(|(found, expected)| near(*found, expected, 1e-15));
}

// neural-tangents 0.6.5 in f64, K_1 = b^2 + W^2 x . z / 3.
#[test]
fn deep_networks_have_the_values_of_neural_tangents() {
    for (settings, nngp, ntk) in [
        (
            "depth=1, weight_variance=2, bias_variance=0",
            [1.186_666_666_666_67, 0.340_599_531_473_209, 1.24],
            [2.373_333_333_333_33, 0.296_220_980_104_948, 2.48],
        ),
        (
            "depth=3, weight_variance=2, bias_variance=0",
            [1.186_666_666_666_67, 0.715_737_853_366_533, 1.24],
            [4.746_666_666_666_67, 1.205_737_101_210_28, 4.96],
        ),
        (
            "depth=3, weight_variance=2, bias_variance=0.01",
            [1.226_666_666_666_67, 0.751_725_790_965_689, 1.28],
            [4.846_666_666_666_67, 1.271_554_747_987_81, 5.06],
        ),
        (
            "activation=erf, depth=3, weight_variance=1.5, bias_variance=0.1",
            [0.707_083_621_356_899, 0.245_832_356_697_323, 0.708_662_326_346_782],
            [2.892_320_699_759_11, 0.472_583_721_922_09, 2.913_709_578_882_55],
        ),
        (
            "activation=erf, depth=5, weight_variance=1.5, bias_variance=0.1",
            [0.693_787_931_466_331, 0.338_190_609_588_874, 0.694_048_952_770_793],
            [4.147_591_780_424_57, 0.895_353_316_095_513, 4.165_492_702_172_82],
        ),
    ] {
        for (name, expected) in [("nngp", nngp), ("ntk", ntk)] {
            let k = matrix(&format!("{name}({settings})"), &points(&[&X, &Z]));
            for (found, expected) in [k[(0, 0)], k[(0, 1)], k[(1, 1)]].into_iter().zip(expected) {
                near(found, expected, 2e-14 * expected.max(1.0));
            }
        }
    }
}

// bias + weight K for each layer, and T = K + weight T.
#[test]
fn networks_without_bends_are_linear() {
    let dot = -0.14 / 3.0;
    for name in ["nngp", "ntk"] {
        let k = value(&format!("{name}(activation=tanh, depth=0, weight_variance=1.7, bias_variance=0.3)"), &X, &Z);
        near(k, 0.3 + 1.7 * dot, 1e-15);
    }
    let settings = "(activation=leaky_relu, slope=1, depth=2, weight_variance=1.5, bias_variance=0.2)";
    let k: [f64; 3] = {
        let first = 0.2 + 1.5 * dot;
        [first, 0.2 + 1.5 * first, 0.2 + 1.5 * (0.2 + 1.5 * first)]
    };
    near(value(&format!("nngp{settings}"), &X, &Z), k[2], 1e-15);
    near(value(&format!("ntk{settings}"), &X, &Z), k[2] + 1.5 * (k[1] + 1.5 * k[0]), 1e-15);
}

// leaky_relu = (1 + s)/2 u + (1 - s)/2 |u|, and E |u| |v| = 4 E relu relu - c.
#[test]
fn leaky_rectifiers_are_a_line_and_a_fold() {
    let (x, z) = with_covariance(2.0, 0.5, 0.3);
    let k = |settings: &str| value(&format!("nngp(depth=1, weight_variance=1, bias_variance=0, {settings})"), &x, &z);
    let fold = 4.0 * k("activation=relu") - 0.3;
    let s: f64 = 0.2;
    let expected = (0.5 * (1.0 + s)).powi(2) * 0.3 + (0.5 * (1.0 - s)).powi(2) * fold;
    near(k("activation=leaky_relu, slope=0.2"), expected, 1e-15);
}

#[test]
fn near_copies_and_opposites_keep_their_angle() {
    // The cosine of 1e-9 is 1 in f64.
    let t = 1e-9;
    near(value("arc_cosine(order=0)", &[1.0, 0.0], &[1.0, t]), 1.0 - t / PI, 1e-15);
    near(value("arc_cosine(order=0)", &[1.0, 0.0], &[-1.0, t]), t / PI, 2e-16);
    // In one column there are two directions.
    let k = matrix("arc_cosine(order=0, depth=3)", &points(&[&[0.3], &[1.1], &[7e-3]]));
    k.data().iter().for_each(|v| near(*v, 1.0, 1e-15));
    near(value("arc_cosine(order=0)", &[0.3], &[-1.1]), 0.0, 1e-16);
    // T = K + 2 c (1/2 - t / (2 pi)), c = K = 1 up to t^2.
    let k = value("ntk(depth=1, weight_variance=2, bias_variance=0)", &[1.0, 0.0], &[1.0, t]);
    near(k, 1.0 + (1.0 - t / PI), 1e-15);
}

#[test]
fn a_hundred_layers_do_not_drift() {
    let (x, near_x) = ([0.3, -1.1, 0.8], [0.3, -1.1, 0.8 + 1e-12]);
    let data = points(&[&x, &x, &Z, &near_x]);
    // Rectifiers of weight variance 2 keep every variance.
    let k = matrix("nngp(depth=100, weight_variance=2, bias_variance=0)", &data);
    let own = 2.0 * (0.09 + 1.21 + 0.64) / 3.0;
    for (i, j) in [(0, 0), (0, 1), (1, 1)] {
        near(k[(i, j)], own, 2e-15);
    }
    near(k[(0, 3)], (k[(0, 0)] * k[(3, 3)]).sqrt(), 2e-15);
    // Correlations go to 1 as 1 - r = 9 pi^2 / (2 l^2) (Hayou, Doucet & Rousseau, 2019).
    let r = k[(0, 2)] / (k[(0, 0)] * k[(2, 2)]).sqrt();
    assert!((0.98..1.0).contains(&r), "{r}");
    for activation in ["relu", "leaky_relu", "erf", "tanh", "sigmoid", "gelu", "sine"] {
        // Large weights drive rows apart, layer by layer: copies stay copies.
        for weight in [1.0, 12.0] {
            if activation == "gelu" && weight > 2.0 {
                continue;
            }
            let depth = if activation == "tanh" || activation == "sigmoid" { 30 } else { 100 };
            let name = format!("nngp(activation={activation}, depth={depth}, weight_variance={weight}, bias_variance=0.05)");
            let k = matrix(&name, &data);
            near(k[(0, 1)] / k[(0, 0)], 1.0, 1e-15);
            let r = k[(0, 2)] / (k[(0, 0)] * k[(2, 2)]).sqrt();
            assert!((-1.0..=1.0 + 1e-15).contains(&r), "{name}: {r}");
        }
    }
}

// The map of correlations of erf has the slope q = weight E f'(u)^2 at 1, u of the variance at which layers settle: rows that differ by
// so little that their distance stays small are q^(layers / 2) times as far apart behind them.
#[test]
fn distances_of_near_copies_grow_by_the_slope_of_the_map() {
    let weight = 9.0;
    let own = |depth: usize| {
        let settings = format!("nngp(activation=erf, depth={depth}, weight_variance={weight}, bias_variance=0)");
        matrix(&settings, &points(&[&[1.0, 0.0, 0.0], &[(1e-5f64).cos(), (1e-5f64).sin(), 0.0]]))
    };
    let deficit = |depth| {
        let k = own(depth);
        1.0 - k[(0, 1)] / k[(0, 0)]
    };
    // 4 / pi / sqrt(1 + 4 a) is E f'^2, weight 2/pi asin(2 a / (1 + 2 a)) the next variance.
    let (mut a, mut growth): (f64, f64) = (weight / 3.0, 1.0);
    let mut expected = 0.5e-10;
    for _ in 0..4 {
        let next = 2.0 / PI * (2.0 * a / (1.0 + 2.0 * a)).asin();
        growth *= a * 4.0 / PI / (1.0 + 4.0 * a).sqrt() / next;
        a = weight * next;
    }
    expected *= growth;
    near(deficit(4) / expected, 1.0, 1e-4);
}

/// A kernel of one hidden layer, its activation, and the variances of the weights and of the bias of a unit.
type Layer<'a> = (&'a str, &'a dyn Fn(f64) -> f64, f64, f64);

// A million hidden units with Gaussian weights, erf as libm has it.
// spec: K42, GP11, GP14, E4-13
#[test]
fn random_units_have_the_covariance_of_the_kernels() {
    let layers: [Layer<'_>; 9] = [
        ("nngp(activation=relu, D)", &|u| u.max(0.0), 1.0 / 3.0, 0.0),
        ("nngp(activation=leaky_relu, slope=0.1, D)", &|u| if u > 0.0 { u } else { 0.1 * u }, 1.0 / 3.0, 0.0),
        ("nngp(activation=erf, D)", &libm::erf, 1.0 / 3.0, 0.0),
        ("nngp(activation=tanh, D)", &f64::tanh, 1.0 / 3.0, 0.0),
        ("nngp(activation=sigmoid, D)", &|u| 1.0 / (1.0 + (-u).exp()), 1.0 / 3.0, 0.0),
        ("nngp(activation=gelu, D)", &|u| u * 0.5 * libm::erfc(-u / 2f64.sqrt()), 1.0 / 3.0, 0.0),
        ("nngp(activation=sine, D)", &f64::sin, 1.0 / 3.0, 0.0),
        ("arcsine(weight_variance=0.7, bias_variance=0.4)", &libm::erf, 0.7, 0.4),
        ("arc_cosine(order=2)", &|u| if u > 0.0 { 2f64.sqrt() * u * u } else { 0.0 }, 1.0, 0.0),
    ];
    let found = over_units(&layers, |random| StandardNormal.sample(random));
    for ((text, ..), (mean, error)) in layers.iter().zip(found) {
        near(value(&text.replace('D', "depth=1, weight_variance=1, bias_variance=0"), &X, &Z), mean, 3.0 * error);
    }
}

/// The mean of the products of what a unit makes of two inputs, over a million units whose weights are drawn, and its standard error.
fn over_units(layers: &[Layer<'_>], mut weight: impl FnMut(&mut Xoshiro256PlusPlus) -> f64) -> Vec<(f64, f64)> {
    const UNITS: usize = 1_000_000;
    let mut random = Xoshiro256PlusPlus::seed_from_u64(64);
    let mut sums = vec![(0.0, 0.0); layers.len()];
    for _ in 0..UNITS {
        let w: [f64; 4] = std::array::from_fn(|_| weight(&mut random));
        let along = |x: &[f64; 3]| x.iter().zip(&w[1..]).map(|(x, w)| x * w).sum::<f64>();
        let (x, z) = (along(&X), along(&Z));
        for ((_, f, weight, bias), (sum, squares)) in layers.iter().zip(&mut sums) {
            let unit = |along: f64| f(bias.sqrt() * w[0] + weight.sqrt() * along);
            let product = unit(x) * unit(z);
            *sum += product;
            *squares += product * product;
        }
    }
    let of = |(sum, squares): (f64, f64)| {
        let mean = sum / UNITS as f64;
        (mean, ((squares / UNITS as f64 - mean * mean) / UNITS as f64).sqrt())
    };
    sums.into_iter().map(of).collect()
}

// Of a network of n hidden units f = sum_j v_j relu(w_j . x) / sqrt n, v_j of variance 1 and excess kurtosis e, the covariance is that of
// the kernel for every n and every law of v; the excess kurtosis of f(x) is (e E r^4 / (E r^2)^2 + 3 (E r^4 / (E r^2)^2 - 1)) / n with
// E r^4 / (E r^2)^2 = 6 of rectified normals: 15 / n for normal v and 3 / n for v = +1 or -1. So f is Gaussian in the limit alone. With
// weights into the hidden units that are +1 or -1 even the covariance is another one.
// spec: E4-13
#[test]
fn a_finite_network_is_no_gaussian_process_and_other_weights_have_another_kernel() {
    const DRAWS: usize = 400_000;
    let mut random = Xoshiro256PlusPlus::seed_from_u64(7);
    let length = X.iter().map(|x| x * x).sum::<f64>().sqrt();
    for (units, is_normal, expected) in [(1, true, 15.0), (1, false, 3.0), (4, true, 15.0 / 4.0), (64, true, 15.0 / 64.0)] {
        let draws = DRAWS / units;
        let (mut second, mut fourth) = (0.0, 0.0);
        for _ in 0..draws {
            let f: f64 = (0..units)
                .map(|_| {
                    let (v, w): (f64, f64) = (StandardNormal.sample(&mut random), StandardNormal.sample(&mut random));
                    (if is_normal { v } else { v.signum() }) * (length * w).max(0.0)
                })
                .sum();
            second += f * f / draws as f64;
            fourth += f.powi(4) / draws as f64;
        }
        let excess = fourth / (second * second) - 3.0;
        assert!((excess - expected).abs() <= 0.25 * expected + 0.2, "{units} units: {excess} and {expected}");
        near(second / units as f64, value("arc_cosine", &X, &X) * 0.5, 0.05 * second / units as f64);
    }
    let layer: [Layer<'_>; 1] = [("arcsine(weight_variance=4, bias_variance=0)", &libm::erf, 4.0, 0.0)];
    let [(mean, error)] = over_units(&layer, |random| f64::signum(StandardNormal.sample(random)))[..] else { panic!("one") };
    assert!((value(layer[0].0, &X, &Z) - mean).abs() > 30.0 * error, "{mean} within {error}");
}

// Cho & Saul (2009): |x| |z| (sin t + (pi - t) cos t) / (2 pi) is the mean of products of rectified units; Williams (1998): that of erf is
// 2 / pi asin(2 c / sqrt((1 + 2 a) (1 + 2 b))); of one hidden layer and of the next.
// spec: GP14
#[test]
fn rectified_and_erf_layers_are_their_closed_forms() {
    let relu = |a: f64, b: f64, c: f64| {
        let t = (c / (a * b).sqrt()).clamp(-1.0, 1.0).acos();
        (a * b).sqrt() * (t.sin() + (PI - t) * t.cos()) / (2.0 * PI)
    };
    let erf = |a: f64, b: f64, c: f64| 2.0 / PI * (2.0 * c / ((1.0 + 2.0 * a) * (1.0 + 2.0 * b)).sqrt()).asin();
    let (weight, bias) = (1.7, 0.2);
    for (activation, layer) in [("relu", &relu as &dyn Fn(f64, f64, f64) -> f64), ("erf", &erf)] {
        let input = |x: &[f64], z: &[f64]| bias + weight * x.iter().zip(z).map(|(x, z)| x * z).sum::<f64>() / 3.0;
        let mut k = [input(&X, &X), input(&Z, &Z), input(&X, &Z)];
        for depth in 1..4 {
            k = [(k[0], k[0], k[0]), (k[1], k[1], k[1]), (k[0], k[1], k[2])].map(|(a, b, c)| bias + weight * layer(a, b, c));
            let settings = format!("activation={activation}, depth={depth}, weight_variance={weight}, bias_variance={bias}");
            near(value(&format!("nngp({settings})"), &X, &Z), k[2], 1e-10);
        }
    }
}

// The inner product of the derivatives of v . f(W x + b) / sqrt(width) in all weights, each standard normal times the root of its variance.
// One network of width 8192 is 1 to 2.5% off; the mean of sixteen is a quarter of that.
// spec: K43, GP11, R11
#[test]
fn wide_networks_have_the_tangent_kernel() {
    const UNITS: usize = 16 * 8192;
    let (weight, bias) = (1.6, 0.3);
    let mut random = Xoshiro256PlusPlus::seed_from_u64(43);
    let functions: [(&str, ValueAndSlope<'_>); 3] = [
        ("relu", &|u| (u.max(0.0), f64::from(u > 0.0))),
        ("tanh", &|u| (u.tanh(), 1.0 - u.tanh().powi(2))),
        ("sine", &|u| (u.sin(), u.cos())),
    ];
    for (activation, f) in functions {
        let pairs = [(X, X), (Z, Z), (X, Z)];
        let first = pairs.map(|(x, z)| bias + weight / 3.0 * x.iter().zip(&z).map(|(x, z)| x * z).sum::<f64>());
        let mut sums = [0.0; 3];
        for _ in 0..UNITS {
            let mut normal = || -> f64 { StandardNormal.sample(&mut random) };
            let (b, v, w) = (f64::sqrt(bias) * normal(), normal(), [normal(), normal(), normal()]);
            let unit = |x: [f64; 3]| f(b + f64::sqrt(weight / 3.0) * x.iter().zip(&w).map(|(x, w)| x * w).sum::<f64>());
            for ((sum, (x, z)), first) in sums.iter_mut().zip(pairs).zip(first) {
                let ((x, slope_x), (z, slope_z)) = (unit(x), unit(z));
                *sum += weight * (x * z + v * v * slope_x * slope_z * first) / UNITS as f64;
            }
        }
        let text = format!("ntk(activation={activation}, depth=1, weight_variance={weight}, bias_variance={bias})");
        let k = matrix(&text, &points(&[&X, &Z]));
        for (found, sum) in [k[(0, 0)], k[(1, 1)], k[(0, 1)]].into_iter().zip(sums) {
            near((sum + bias) / found, 1.0, 0.02);
        }
    }
}

/// Two inputs of one number of units.
type OfInputs = [Vec<f64>; 2];

/// What a share of the second hidden layer adds to the tangent kernel of a network, for the pairs XX, ZZ and XZ: products of outputs and of
/// derivatives of the output by inputs of units; and the derivatives by the outputs of the first layer.
struct Second {
    outputs: [f64; 3],
    derivatives: [f64; 3],
    below: OfInputs,
}

const PAIRS: [(usize, usize); 3] = [(0, 0), (1, 1), (0, 1)];

// Two hidden layers of 8,192 rectified units: the inner product of the derivatives of the output in all 67 million weights, by a pass
// forwards and one back over each row of the matrix between them. One network is off by as much as its first layer, which four take turns
// in front of the same matrix; the mean counts.
// spec: K43, GP11, R11
#[test]
fn deep_networks_of_8192_units_have_the_tangent_kernel() {
    const WIDTH: usize = 8192;
    const NETWORKS: usize = 4;
    const SHARES: usize = 16;
    let (weight, bias) = (1.6, 0.3);
    let scale = f64::sqrt(weight / WIDTH as f64);
    let mut random = Xoshiro256PlusPlus::seed_from_u64(8192);
    let mut first = || -> OfInputs {
        let mut inputs = [vec![0.0; WIDTH], vec![0.0; WIDTH]];
        for i in 0..WIDTH {
            let [b, w @ ..]: [f64; 4] = std::array::from_fn(|_| StandardNormal.sample(&mut random));
            let unit = |x: [f64; 3]| f64::sqrt(bias) * b + f64::sqrt(weight / 3.0) * x.iter().zip(&w).map(|(x, w)| x * w).sum::<f64>();
            [inputs[0][i], inputs[1][i]] = [X, Z].map(unit);
        }
        inputs
    };
    let layers: Vec<OfInputs> = (0..NETWORKS).map(|_| first()).collect();
    let outputs: Vec<OfInputs> = layers.iter().map(|layer| layer.each_ref().map(|h| h.iter().map(|u| u.max(0.0)).collect())).collect();
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let share = |k: usize| -> Vec<Second> {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(k as u64);
        let nothing = || Second { outputs: [0.0; 3], derivatives: [0.0; 3], below: [vec![0.0; WIDTH], vec![0.0; WIDTH]] };
        let mut all: Vec<Second> = (0..NETWORKS).map(|_| nothing()).collect();
        let mut row = vec![0.0; WIDTH];
        for _ in 0..WIDTH / SHARES {
            row.iter_mut().for_each(|w| *w = StandardNormal.sample(&mut random));
            for (outputs, second) in outputs.iter().zip(&mut all) {
                let (b, v): (f64, f64) = (StandardNormal.sample(&mut random), StandardNormal.sample(&mut random));
                let h = outputs.each_ref().map(|a| f64::sqrt(bias) * b + scale * dot(&row, a));
                let d = h.map(|h| if h > 0.0 { scale * v } else { 0.0 });
                for (p, (x, z)) in PAIRS.into_iter().enumerate() {
                    second.outputs[p] += h[x].max(0.0) * h[z].max(0.0);
                    second.derivatives[p] += d[x] * d[z];
                }
                for (below, d) in second.below.iter_mut().zip(d).filter(|(_, d)| *d != 0.0) {
                    below.iter_mut().zip(&row).for_each(|(below, w)| *below += scale * d * w);
                }
            }
        }
        all
    };
    let shares: Vec<Vec<Second>> = (0..SHARES).into_par_iter().map(share).collect();
    let mut found = [0.0; 3];
    for (n, (layer, outputs)) in layers.iter().zip(&outputs).enumerate() {
        for (p, (x, z)) in PAIRS.into_iter().enumerate() {
            let over = |of: &dyn Fn(&Second) -> f64| shares.iter().map(|all| of(&all[n])).sum::<f64>();
            let last = bias + scale * scale * over(&|s| s.outputs[p]);
            let between = over(&|s| s.derivatives[p]) * (bias + scale * scale * dot(&outputs[x], &outputs[z]));
            let below = |input: usize, i: usize| over(&|s| s.below[input][i]);
            let both = (0..WIDTH).filter(|&i| layer[x][i] > 0.0 && layer[z][i] > 0.0);
            let products = both.map(|i| below(x, i) * below(z, i)).sum::<f64>();
            let inputs = [X, Z];
            let weights = products * (bias + weight / 3.0 * dot(&inputs[x], &inputs[z]));
            found[p] += (last + between + weights) / NETWORKS as f64;
        }
    }
    let k = matrix(&format!("ntk(activation=relu, depth=2, weight_variance={weight}, bias_variance={bias})"), &points(&[&X, &Z]));
    for ((x, z), found) in PAIRS.into_iter().zip(found) {
        near(found / k[(x, z)], 1.0, 0.02);
    }
}

#[test]
fn settings_of_networks_are_checked() {
    for (text, expected) in [
        ("nngp(weight_variance=-1)", "above 0 and finite"),
        ("ntk(weight_variance=0)", "above 0 and finite"),
        ("nngp(bias_variance=-0.1)", "0 or above"),
        ("arcsine(weight_variance=-2)", "above 0 and finite"),
        ("nngp(activation=swish)", "one of relu, leaky_relu, erf, tanh, sigmoid, gelu, sine"),
        ("nngp(depth=1.5)", "a whole number from 0 to 1000"),
        ("ntk(activation=leaky_relu, slope=2)", "above 0 and at most 1"),
        ("arc_cosine(order=3)", "a whole number from 0 to 2"),
        ("arc_cosine(depth=0)", "a whole number from 1 to 1000"),
    ] {
        let e = KernelExpr::parse(text).unwrap_err().to_string();
        assert!(e.contains(expected), "{text}: {e}");
    }
    let grown = KernelExpr::parse("arc_cosine(order=2, depth=1000)").unwrap();
    let e = grown.bind(None, &points(&[&[1.0, 2.0]])).err().unwrap().to_string();
    assert!(e.contains("row 1") && e.contains("take fewer layers"), "{e}");
}
