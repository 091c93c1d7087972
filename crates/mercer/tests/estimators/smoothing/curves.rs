//! Local regression against its definitions, and lowess against statsmodels.

use super::shared::{data, integral, normal};
use mercer::control::Control;
use mercer::linalg::Matrix;
use mercer::smoothing::{LocalFit, LocalOptions, Lowess, LowessOptions, Reach, SmoothingKernel};

fn fit(x: &[f64], y: &[f64], weights: Option<&[f64]>, options: &LocalOptions) -> LocalFit {
    LocalFit::fit(&Matrix::column(x.to_vec()), y, weights, options, &Control::default()).unwrap()
}

fn at(local: &LocalFit, x: f64) -> f64 {
    local.predict(&Matrix::column(vec![x]), &Control::default()).unwrap().values[0]
}

fn options(kernel: SmoothingKernel, degree: usize, h: f64) -> LocalOptions {
    LocalOptions { kernel, degree, reach: Reach::Widths(vec![h]), rounds: 0 }
}

fn rows(n: usize, seed: u64) -> (Vec<f64>, Vec<f64>) {
    let (x, noise) = (normal(n, seed), normal(n, seed + 1));
    let y = x.iter().zip(&noise).map(|(x, e)| (2.0 * x).sin() + 0.2 * e).collect();
    (x, y)
}

// spec: G26
#[test]
fn a_local_line_is_exact_for_a_line_and_an_average_is_not_at_the_end() {
    let x: Vec<f64> = (0..11).map(|i| f64::from(i) / 10.0).collect();
    let y: Vec<f64> = x.iter().map(|x| 2.0 + 3.0 * x).collect();
    assert!((at(&fit(&x, &y, None, &options(SmoothingKernel::Gaussian, 1, 0.2)), 1.0) - 5.0).abs() < 1e-12);
    assert!((at(&fit(&x, &y, None, &options(SmoothingKernel::Gaussian, 0, 0.2)), 1.0) - 4.609_304_236_0).abs() < 1e-10);
    let square: Vec<f64> = x.iter().map(|x| 1.0 - x + 4.0 * x * x).collect();
    assert!(
        (at(&fit(&x, &square, None, &options(SmoothingKernel::Epanechnikov, 2, 0.35)), 0.63) - (0.37 + 4.0 * 0.63 * 0.63)).abs() < 1e-12
    );
}

/// E[y | x] of the joint density (1/N) sum k_h(x - x_i) k_h(y - y_i), by numerical integration over y.
// spec: G18, G20
#[test]
fn an_average_is_the_conditional_expectation_of_the_joint_density() {
    let (x, y) = rows(30, 3);
    let h = 0.4;
    for kernel in [SmoothingKernel::Gaussian, SmoothingKernel::Epanechnikov, SmoothingKernel::Tricube] {
        let local = fit(&x, &y, None, &options(kernel, 0, h));
        let joint = |at: f64, v: f64| {
            x.iter().zip(&y).map(|(x, y)| kernel.profile((at - x).abs() / h) * kernel.profile((v - y).abs() / h)).sum::<f64>()
        };
        for place in [-0.9, 0.1, 0.8] {
            let mass = integral(|v| joint(place, v), -6.0, 6.0, 4000);
            let mean = integral(|v| v * joint(place, v), -6.0, 6.0, 4000);
            assert!((at(&local, place) - mean / mass).abs() < 1e-6, "{kernel:?} {place}");
        }
        let constant = fit(&x, &[7.0; 30], None, &options(kernel, 0, h));
        assert!((at(&constant, 0.3) - 7.0).abs() < 1e-13);
    }
    let compact = fit(&x, &y, None, &options(SmoothingKernel::Epanechnikov, 0, h));
    let found = compact.predict(&Matrix::column(vec![0.0, 50.0, 0.1]), &Control::default()).unwrap();
    assert_eq!(found.alone, [1]);
    assert!(found.values[1].is_nan() && found.deviations[1].is_nan() && found.slopes[(1, 0)].is_nan(), "{found:?}");
    assert!((found.values[0], found.values[2]) == (at(&compact, 0.0), at(&compact, 0.1)) && found.deviations[0] > 0.0);
    // A Gaussian is nowhere 0: far away the nearest row decides.
    let far = at(&fit(&x, &y, None, &options(SmoothingKernel::Gaussian, 0, h)), 1e4);
    let last = (0..30).max_by(|&a, &b| x[a].total_cmp(&x[b])).unwrap();
    assert!((far - y[last]).abs() < 1e-12);
}

// spec: G27, E3-29
#[test]
fn the_equivalent_kernel_sums_to_one_and_is_centred() {
    let (x, y) = rows(40, 5);
    for kernel in [SmoothingKernel::Gaussian, SmoothingKernel::Biweight] {
        for degree in [0, 1, 2] {
            let local = fit(&x, &y, None, &options(kernel, degree, 0.7));
            for place in [-1.5, 0.0, 0.7] {
                let l = local.equivalent_kernel(&[place], &Control::default()).unwrap().unwrap();
                let moment = |p: i32| l.iter().zip(&x).map(|(l, x)| l * (x - place).powi(p)).sum::<f64>();
                assert!((moment(0) - 1.0).abs() < 1e-10);
                assert!(degree < 1 || moment(1).abs() < 1e-10);
                assert!(degree < 2 || moment(2).abs() < 1e-9);
                assert!((l.iter().zip(&y).map(|(l, y)| l * y).sum::<f64>() - at(&local, place)).abs() < 1e-12);
            }
        }
    }
}

#[test]
fn rows_left_out_in_closed_form_are_those_of_a_fit_without_them() {
    let (x, y) = rows(25, 7);
    for degree in [0, 1, 2] {
        let asked = options(SmoothingKernel::Gaussian, degree, 0.5);
        let local = fit(&x, &y, None, &asked);
        for i in [0, 9, 24] {
            let without = |v: &[f64]| v.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, v)| *v).collect::<Vec<f64>>();
            let other = fit(&without(&x), &without(&y), None, &asked);
            assert!((at(&other, x[i]) - local.left_out()[i]).abs() < 1e-8, "{degree} {i}");
        }
    }
}

// A window of the nearest share is another one without the row.
#[test]
fn rows_left_out_of_a_nearest_share_are_those_of_a_fit_without_them() {
    let Some(table) = data("mcycle") else { return };
    let (x, y) = (&table[0], &table[1]);
    for (span, degree) in [(0.2, 1), (0.75, 2), (1.3, 1)] {
        let asked = LocalOptions { kernel: SmoothingKernel::Tricube, degree, reach: Reach::Nearest(span), rounds: 0 };
        let local = fit(x, y, None, &asked);
        for i in (0..x.len()).step_by(11) {
            let without = |v: &[f64]| v.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, v)| *v).collect::<Vec<f64>>();
            let other = fit(&without(x), &without(y), None, &asked);
            assert!((at(&other, x[i]) - local.left_out()[i]).abs() < 1e-7, "{span} {degree} {i}");
        }
    }
}

#[test]
fn a_row_of_weight_two_stands_twice_and_one_of_weight_zero_is_absent() {
    let (x, y) = rows(20, 9);
    let weights: Vec<f64> = (0..20).map(|i| f64::from([1, 2, 0][i % 3])).collect();
    let repeated = |v: &[f64]| v.iter().zip(&weights).flat_map(|(v, w)| vec![*v; *w as usize]).collect::<Vec<f64>>();
    for reach in [Reach::Widths(vec![0.6]), Reach::Nearest(0.5), Reach::LeftOut] {
        let asked = LocalOptions { reach, ..LocalOptions::default() };
        let (ours, other) = (fit(&x, &y, Some(&weights), &asked), fit(&repeated(&x), &repeated(&y), None, &asked));
        let places = Matrix::column(vec![-1.0, 0.2, 1.3]);
        let (a, b) = (ours.predict(&places, &Control::default()).unwrap(), other.predict(&places, &Control::default()).unwrap());
        for k in 0..3 {
            assert!((a.values[k] - b.values[k]).abs() < 1e-9 && (a.deviations[k] - b.deviations[k]).abs() < 1e-9);
        }
        assert!((ours.degrees_of_freedom() - other.degrees_of_freedom()).abs() < 1e-9);
    }
}

#[test]
fn slopes_are_those_of_a_plane_and_rows_in_a_line_lower_the_degree() {
    let (a, b) = (normal(60, 11), normal(60, 12));
    let points = Matrix::from_fn(60, 2, |i, j| if j == 0 { a[i] } else { 5.0 * b[i] });
    let y: Vec<f64> = (0..60).map(|i| 1.0 + 2.0 * points[(i, 0)] - 0.3 * points[(i, 1)]).collect();
    let asked = LocalOptions { reach: Reach::Widths(vec![0.8, 4.0]), ..LocalOptions::default() };
    let local = LocalFit::fit(&points, &y, None, &asked, &Control::default()).unwrap();
    let found = local.predict(&Matrix::new(1, 2, vec![0.1, -1.0]).unwrap(), &Control::default()).unwrap();
    assert!((found.values[0] - 1.5).abs() < 1e-10 && found.lowered == 0);
    assert!((found.slopes[(0, 0)] - 2.0).abs() < 1e-9 && (found.slopes[(0, 1)] + 0.3).abs() < 1e-9);
    assert!(found.deviations[0] < 1e-9);
    let line = Matrix::from_fn(60, 2, |i, _| a[i]);
    let lowered = LocalFit::fit(&line, &y, None, &asked, &Control::default()).unwrap();
    assert_eq!(lowered.lowered(), 60);
}

/// statsmodels 0.15, KernelReg(reg_type="lc" and "ll", bw="cv_ls") of the 132 different rows, by its simplex, whose last step is about
/// 1e-4; values at bw=2 of all rows.
#[test]
fn bandwidths_by_rows_left_out_and_values_are_those_of_statsmodels() {
    let Some(table) = data("mcycle") else { return };
    let (x, y) = (&table[0], &table[1]);
    let twice = (1..x.len()).find(|&i| x[i - 1] == x[i] && y[i - 1] == y[i]).unwrap();
    let different: Vec<usize> = (0..x.len()).filter(|i| *i != twice).collect();
    let of = |values: &[f64]| different.iter().map(|&i| values[i]).collect::<Vec<f64>>();
    for (degree, wide) in [(0, 0.916_983), (1, 1.476_876)] {
        let (x, y) = (&of(x), &of(y));
        let local = fit(x, y, None, &LocalOptions { degree, ..LocalOptions::default() });
        assert!((local.widths().unwrap()[0] / wide - 1.0).abs() < 2e-4, "{:?}", local.widths());
        let least = local.curve().iter().map(|c| c.1).fold(f64::INFINITY, f64::min);
        let mean = local.left_out().iter().zip(y).map(|(f, y)| (y - f).powi(2)).sum::<f64>() / y.len() as f64;
        assert!((mean / least - 1.0).abs() < 1e-9);
    }
    let two = |degree| fit(x, y, None, &options(SmoothingKernel::Gaussian, degree, 2.0));
    for (degree, row, value) in
        [(0, 0, -1.377_446_125_821_57), (0, 60, -97.249_526_691_430_99), (1, 0, -0.944_197_000_219_67), (1, 60, -101.401_952_737_941_09)]
    {
        assert!((two(degree).fitted()[row] - value).abs() < 1e-9);
    }
}

/// statsmodels 0.14: lowess(y, x, frac, it, delta, return_sorted=False). Its weights of the second round on are 1 and 0 at the very ends
/// of their range only, ours, like Cleveland's and R's, within a thousandth of them: 2e-8 of the spread.
// spec: G28
#[test]
fn lowess_is_that_of_statsmodels() {
    let Some(table) = data("mcycle") else { return };
    let (x, y) = (&table[0], &table[1]);
    let expected: [(f64, usize, f64, [f64; 5], f64); 4] = [
        (
            2.0 / 3.0,
            0,
            0.0,
            [26.071_300_740_772_27, 25.102_538_367_024_06, -60.480_049_373_205_79, 1.136_079_277_666_68, 5.776_178_407_098_84],
            1e-12,
        ),
        (
            2.0 / 3.0,
            3,
            0.0,
            [22.104_669_240_308_65, 21.234_858_666_304_8, -53.505_519_531_717_65, -2.483_824_098_791_31, 5.512_370_238_661_04],
            2e-8,
        ),
        (
            0.2,
            3,
            0.0,
            [-1.154_221_149_162_13, -1.203_913_968_296_5, -112.294_873_567_215_18, 28.001_184_517_000_56, 1.540_177_779_657_83],
            2e-8,
        ),
        (
            0.2,
            3,
            1.0,
            [-1.154_215_754_608_84, -1.203_686_792_025_99, -111.914_073_778_272_71, 27.850_282_680_513_49, 1.527_059_340_264_86],
            2e-8,
        ),
    ];
    let spread = y.iter().fold(0.0f64, |m, v| m.max(v.abs()));
    for (frac, rounds, delta, values, within) in expected {
        let lowess = Lowess::fit(x, y, &LowessOptions { frac, rounds, delta }, &Control::default()).unwrap();
        for (row, value) in [0, 1, 60, 100, 132].into_iter().zip(values) {
            let found = lowess.fitted()[row];
            assert!((found - value).abs() <= within * spread, "{frac} {rounds} {delta} row {row}: {found} and {value}");
        }
        if delta == 0.0 {
            let again = lowess.predict(x, &Control::default()).unwrap();
            assert!(again.iter().zip(lowess.fitted()).all(|(a, b)| (a - b).abs() < 1e-10));
        }
    }
}

#[test]
fn what_cannot_be_smoothed_is_named() {
    let refused = |x: &[f64], y: &[f64], asked: &LocalOptions| {
        LocalFit::fit(&Matrix::column(x.to_vec()), y, None, asked, &Control::default()).unwrap_err().to_string()
    };
    let plain = LocalOptions::default();
    assert!(refused(&[1.0, 1.0, 1.0], &[1.0, 2.0, 3.0], &plain).contains("all 1"));
    assert!(refused(&[1.0, 2.0], &[1.0, f64::NAN], &plain).contains("row 2"));
    // A line goes through a row by itself at every bandwidth, under a Gaussian too; an average can be judged there.
    let far: Vec<f64> = (0..20).map(f64::from).chain([1e12]).collect();
    assert!(refused(&far, &far, &plain).contains("nadaraya_watson"));
    let average = fit(&far, &far, None, &LocalOptions { degree: 0, ..LocalOptions::default() });
    assert!(average.fitted().iter().all(|f| f.is_finite()));
    assert!(refused(&[1.0, 2.0], &[1.0, 2.0], &options(SmoothingKernel::Gaussian, 1, 0.0)).contains("above 0"));
    assert!(refused(&[1.0, 2.0], &[1.0, 2.0], &options(SmoothingKernel::Gaussian, 3, 1.0)).contains("0, 1 or 2"));
    let one = Lowess::fit(&[1.0], &[2.0], &LowessOptions::default(), &Control::default()).unwrap_err().to_string();
    assert!(one.contains("two rows"));
    let frac = LowessOptions { frac: 0.0, ..LowessOptions::default() };
    assert!(Lowess::fit(&[1.0, 2.0], &[2.0, 3.0], &frac, &Control::default()).unwrap_err().to_string().contains("frac"));
    // Equal places: their mean.
    let equal =
        Lowess::fit(&[1.0; 5], &[1.0, 2.0, 3.0, 4.0, 5.0], &LowessOptions { rounds: 0, ..LowessOptions::default() }, &Control::default())
            .unwrap();
    assert!(equal.fitted().iter().all(|f| (f - 3.0).abs() < 1e-12));
}

// Neither copies of rows nor the unit of their weights tell how wide a curve is to be; nor does the place of the target.
#[test]
fn copies_units_of_weights_and_shifts_of_the_target_leave_the_bandwidth() {
    let (x, e) = (normal(60, 31), normal(60, 32));
    let y: Vec<f64> = x.iter().zip(&e).map(|(x, e)| (2.0 * x).sin() + 0.3 * e).collect();
    let twice = |v: &[f64]| [v, v].concat();
    for degree in [0, 1, 2] {
        let asked = LocalOptions { degree, ..LocalOptions::default() };
        let width = |x: &[f64], y: &[f64], weights: Option<&[f64]>| fit(x, y, weights, &asked).widths().unwrap()[0];
        let alone = width(&x, &y, None);
        let mut all = vec![width(&twice(&x), &twice(&y), None)];
        all.extend([0.1, 0.5, 1.999, 2.0, 7.0].map(|w| width(&x, &y, Some(&[w; 60]))));
        all.extend([1e5, -1e7, 1e9].map(|shift| width(&x, &y.iter().map(|y| y + shift).collect::<Vec<_>>(), None)));
        for (k, other) in all.iter().enumerate() {
            assert!((other / alone - 1.0).abs() < 1e-4, "degree {degree}, case {k}: {other} and {alone}");
        }
        // A row of weight 3 is three rows; and a draw with repetitions is no narrower than half.
        let counts: Vec<f64> = (0..60).map(|i| [1.0, 3.0, 0.0, 2.0][i % 4]).collect();
        let rows: Vec<usize> = (0..60).flat_map(|i| vec![i; counts[i] as usize]).collect();
        let of = |values: &[f64]| rows.iter().map(|&i| values[i]).collect::<Vec<f64>>();
        let (weighted, repeated) = (width(&x, &y, Some(&counts)), width(&of(&x), &of(&y), None));
        assert!((weighted / repeated - 1.0).abs() < 1e-6 && weighted > 0.5 * alone, "{weighted}, {repeated}, {alone}");
    }
    let far: Vec<f64> = y.iter().map(|y| y + 1e9).collect();
    let (near, far) = (fit(&x, &y, None, &LocalOptions::default()), fit(&x, &far, None, &LocalOptions::default()));
    assert!(near.fitted().iter().zip(far.fitted()).all(|(a, b)| (b - 1e9 - a).abs() < 1e-5));
}
