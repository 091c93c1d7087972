//! Densities against direct sums, closed forms and scipy.

use super::shared::{close, cloud, data, integral, normal};
use mercer::control::Control;
use mercer::linalg::Matrix;
use mercer::smoothing::{Asked, Bandwidth, ClassDensities, Density, Rule, Sample, Shape, SmoothingKernel, Support};

fn at(h: f64) -> Asked {
    Asked { bandwidth: Bandwidth::Number(h), ..Asked::default() }
}

fn density(points: &Matrix, weights: Option<&[f64]>, asked: &Asked) -> Density {
    Density::fit(&Sample::new(points, weights).unwrap(), asked, &Control::default()).unwrap()
}

fn line(x: &[f64], asked: &Asked) -> Density {
    density(&Matrix::column(x.to_vec()), None, asked)
}

fn value(density: &Density, x: &[f64]) -> f64 {
    let row = Matrix::new(1, x.len(), x.to_vec()).unwrap();
    density.log_density(&row, &Control::default()).unwrap()[0].exp()
}

/// The sum of the definition, kernel by kernel.
fn direct(points: &Matrix, weights: &[f64], kernel: SmoothingKernel, shape: Shape, h: f64, x: &[f64]) -> f64 {
    let dim = points.cols();
    let constant = kernel.log_constant(shape, dim).exp() / h.powi(dim as i32);
    let one = |i: usize| {
        let apart = points.row(i).iter().zip(x).map(|(p, x)| (p - x).abs() / h);
        weights[i]
            * match shape {
                Shape::Radial => kernel.profile(apart.map(|d| d * d).sum::<f64>().sqrt()),
                Shape::Product => apart.map(|d| kernel.profile(d)).product(),
            }
    };
    constant * (0..points.rows()).map(one).sum::<f64>() / weights.iter().sum::<f64>()
}

const SIX: [f64; 6] = [-2.1, -1.3, -0.4, 1.9, 5.1, 6.2];

// spec: G11, G12
#[test]
fn six_points_have_the_densities_of_the_textbook() {
    // Murphy (2012), Fig 14.17: (1/6) sum N(0; x_i, 1.5^2), and one point within 1 of 0: 1 / (2 * 6).
    assert!((value(&line(&SIX, &at(1.5)), &[0.0]) - 0.109_882_139_94).abs() <= 1e-11);
    let boxcar = Asked { kernel: SmoothingKernel::Boxcar, ..at(1.0) };
    assert!((value(&line(&SIX, &boxcar), &[0.0]) - 1.0 / 12.0).abs() <= 1e-12);
    // The mixture with one normal density for each point.
    let normal = |x: f64, m: f64| (-0.5 * ((x - m) / 1.5f64).powi(2)).exp() / (1.5 * (2.0 * std::f64::consts::PI).sqrt());
    for x in [-4.0, 0.3, 5.5, 9.0] {
        let mixture = SIX.iter().map(|m| normal(x, *m)).sum::<f64>() / 6.0;
        assert!(close(value(&line(&SIX, &at(1.5)), &[x]), mixture, 1e-13));
    }
    for kernel in SmoothingKernel::ALL {
        let d = line(&SIX, &Asked { kernel, ..at(1.5) });
        let whole = integral(|x| value(&d, &[x]), -60.0, 60.0, 12_000);
        assert!((whole - 1.0).abs() <= 2e-4, "{kernel:?} {whole}");
    }
}

// spec: G02, G03
#[test]
fn densities_integrate_to_one_in_one_two_and_three_columns() {
    for h in [0.1, 1.0, 10.0] {
        let d = line(&[0.3], &at(h));
        assert!((integral(|x| value(&d, &[x]), 0.3 - 10.0 * h, 0.3 + 10.0 * h, 400) - 1.0).abs() <= 1e-9);
    }
    for (kernel, shape) in [
        (SmoothingKernel::Gaussian, Shape::Radial),
        (SmoothingKernel::Epanechnikov, Shape::Radial),
        (SmoothingKernel::Tricube, Shape::Radial),
        (SmoothingKernel::Epanechnikov, Shape::Product),
        (SmoothingKernel::Cosine, Shape::Product),
    ] {
        let end = if kernel.is_compact() { 1.0 } else { 7.0 };
        let asked = Asked { kernel, shape, ..at(1.0) };
        let plane = density(&Matrix::zeros(1, 2), None, &asked);
        let whole = integral(|x| integral(|y| value(&plane, &[x, y]), -end, end, 60), -end, end, 60);
        assert!((whole - 1.0).abs() <= 4e-3, "{kernel:?} {shape:?} {whole}");
        let space = density(&Matrix::zeros(1, 3), None, &asked);
        let third = |x: f64, y: f64| integral(|z| value(&space, &[x, y, z]), -end, end, 20);
        let whole = integral(|x| integral(|y| third(x, y), -end, end, 20), -end, end, 20);
        assert!((whole - 1.0).abs() <= 2e-2, "{kernel:?} {shape:?} {whole}");
    }
}

// spec: G09, G13
#[test]
fn trees_and_series_give_what_the_direct_sum_gives() {
    let weights: Vec<f64> = (0..3000).map(|i| [1.0, 0.5, 3.0][i % 3]).collect();
    for dim in [1, 2, 5] {
        let points = cloud(3000, dim, 8);
        let new = cloud(20, dim, 9);
        for kernel in SmoothingKernel::ALL {
            for shape in [Shape::Radial, Shape::Product] {
                for h in [0.05, 0.4, 3.0] {
                    let d = density(&points, Some(&weights), &Asked { kernel, shape, ..at(h) });
                    for i in 0..new.rows() {
                        let x: Vec<f64> = new.row(i).iter().map(|v| if i < 15 { *v } else { 3.0 * v }).collect();
                        let (found, expected) = (value(&d, &x), direct(&points, &weights, kernel, shape, h, &x));
                        let scale = kernel.log_constant(shape, dim).exp() / h.powi(dim as i32) / 4500.0;
                        assert!(
                            close(found, expected, 1e-12) || (found - expected).abs() <= 1e-14 * scale,
                            "{kernel:?} {shape:?} {dim} {h}: {found} and {expected}"
                        );
                    }
                }
            }
        }
    }
    // A moving window counts: rows within h / (2 h N).
    let x = normal(500, 3);
    let d = line(&x, &Asked { kernel: SmoothingKernel::Boxcar, ..at(0.25) });
    let count = x.iter().filter(|v| (*v - 0.1).abs() <= 0.25).count() as f64;
    assert!(close(value(&d, &[0.1]), count / (2.0 * 0.25 * 500.0), 1e-13));
}

// spec: G09
#[test]
fn sums_over_cells_are_those_over_pairs() {
    // Two clouds and a far row: places in a cloud, between the clouds, and where no row is.
    let (x, e) = (cloud(6000, 2, 11), cloud(6000, 2, 12));
    let part = |i: usize, j: usize| match i % 3 {
        0 => 0.3 * x[(i, j)] + 2.0,
        1 => x[(i, j)],
        _ => 0.05 * e[(i, j)] - 1.0,
    };
    let points = Matrix::from_fn(6000, 2, |i, j| if i == 5999 { 300.0 } else { part(i, j) });
    let places = Matrix::from_fn(4000, 2, |i, j| if i < 3000 { part(i, j) } else { 3.0 * e[(i, j)] });
    let weights: Vec<f64> = (0..6000).map(|i| [1.0, 0.5, 3.0][i % 3]).collect();
    for (h, tolerance) in [(0.05, 1e-12), (0.2, 1e-12), (0.2, 1e-6), (2.0, 1e-12)] {
        let asked = Asked { tolerance, ..at(h) };
        let d = density(&points, Some(&weights), &asked);
        let one = |d: &Density, x: &[f64]| d.log_density(&Matrix::from_fn(1, 2, |_, j| x[j]), &Control::default()).unwrap()[0];
        let alone = |i: usize| one(&d, places.row(i));
        let together = d.log_density(&places, &Control::default()).unwrap();
        let wrong = (0..4000).step_by(7).map(|i| (together[i] - alone(i)).abs()).fold(0.0, f64::max);
        assert!(wrong <= 2.0 * tolerance + 1e-13, "{h}: {wrong:e}");
        // A row that is left out, against a density without it.
        let left = d.left_out(&Control::default()).unwrap();
        for i in (0..6000).step_by(1499).chain([5999]) {
            let mut others = weights.clone();
            others[i] -= others[i].min(1.0);
            let found = one(&density(&points, Some(&others), &asked), points.row(i));
            assert!((left[i] - found).abs() <= 4.0 * tolerance * (1.0 + found.abs()) + 1e-13, "{h}: {} and {found}", left[i]);
        }
    }
}

/// Silverman (1986), 5.6 to 5.8: (1/N) sum_i k((x - x_i) / (h l_i)) / (h l_i)^D with l_i = (f~(x_i) / g)^(-1/2).
#[test]
fn widths_of_rows_are_those_of_abramson() {
    for (dim, kernel, shape) in [
        (1, SmoothingKernel::Gaussian, Shape::Radial),
        (1, SmoothingKernel::Epanechnikov, Shape::Radial),
        (2, SmoothingKernel::Gaussian, Shape::Radial),
        (2, SmoothingKernel::Exponential, Shape::Product),
        (3, SmoothingKernel::Biweight, Shape::Product),
    ] {
        // Long tails, and more rows than a leaf holds.
        let (z, h) = (cloud(400, dim, 21), 0.6);
        let points = Matrix::from_fn(400, dim, |i, j| z[(i, j)] * (1.0 + z[(i, j)].abs()));
        let weights: Vec<f64> = (0..400).map(|i| [1.0, 2.0, 0.0][i % 3]).collect();
        let asked = Asked { kernel, shape, adaptive: true, ..at(h) };
        let (d, pilot) =
            (density(&points, Some(&weights), &asked), density(&points, Some(&weights), &Asked { adaptive: false, ..asked.clone() }));
        let kept: Vec<usize> = (0..400).filter(|i| weights[*i] > 0.0).collect();
        let (rows, counts) = (points.select_rows(&kept), kept.iter().map(|&i| weights[i]).collect::<Vec<f64>>());
        let total: f64 = counts.iter().sum();
        let logs: Vec<f64> = (0..kept.len()).map(|i| direct(&rows, &counts, kernel, shape, h, rows.row(i)).ln()).collect();
        let mean = logs.iter().zip(&counts).map(|(l, w)| l * w).sum::<f64>() / total;
        let widths: Vec<f64> = logs.iter().map(|l| (0.5 * (mean - l)).exp()).collect();
        assert!(d.widths_of_rows().iter().zip(&widths).all(|(a, b)| close(*a, *b, 1e-10)) && pilot.widths_of_rows().is_empty());
        let one = |i: usize, x: &[f64]| direct(&rows.select_rows(&[i]), &[1.0], kernel, shape, h * widths[i], x);
        let sum = |x: &[f64]| (0..kept.len()).map(|i| counts[i] * one(i, x)).sum::<f64>();
        let places = cloud(25, dim, 22);
        for k in 0..25 {
            let x: Vec<f64> = places.row(k).iter().map(|v| 2.0 * v).collect();
            assert!((value(&d, &x) - sum(&x) / total).abs() <= 1e-10 * sum(&x) / total, "{dim} {kernel:?} {x:?}");
        }
        let left = d.left_out(&Control::default()).unwrap();
        for i in [0, 7, 100, 200] {
            let expected = (sum(rows.row(i)) - one(i, rows.row(i))) / (total - 1.0);
            assert!(close(left[i].exp(), expected, 1e-10) || expected < 1e-12, "{dim} {kernel:?}: {} and {expected}", left[i].exp());
        }
        // What is stored, and another unit: f(c x) = f(x) / c^D.
        let stored: Density = serde_json::from_str(&serde_json::to_string(&d).unwrap()).unwrap();
        assert_eq!(value(&stored, rows.row(3)), value(&d, rows.row(3)));
        let wide = density(
            &Matrix::from_fn(400, dim, |i, j| 8.0 * points[(i, j)]),
            Some(&weights),
            &Asked { adaptive: true, ..Asked { bandwidth: Bandwidth::Number(8.0 * h), ..asked } },
        );
        let x: Vec<f64> = rows.row(3).iter().map(|v| 8.0 * v).collect();
        assert!(close(value(&wide, &x) * 8f64.powi(dim as i32), value(&d, rows.row(3)), 1e-11));
    }
    let x: Vec<f64> = normal(300, 5).iter().map(|v| v * v * v).collect();
    for (kernel, support) in
        [(SmoothingKernel::Gaussian, None), (SmoothingKernel::Triangular, None), (SmoothingKernel::Gaussian, Some(-40.0))]
    {
        let support = support.map(|low| Support { low, high: f64::INFINITY });
        let d = line(&x, &Asked { kernel, adaptive: true, support: support.into_iter().collect(), ..at(0.3) });
        let low = support.map_or(-80.0, |s| s.low);
        assert!((integral(|x| value(&d, &[x]), low, 80.0, 20_000) - 1.0).abs() <= 1e-4, "{kernel:?}");
        let f = d.distribution().unwrap();
        assert!((f.cumulative(0.4) - integral(|x| value(&d, &[x]), low, 0.4, 20_000)).abs() <= 1e-4, "{kernel:?}");
        let mut drawn = d.draw(4000, 7, &Control::default()).unwrap().into_data();
        drawn.sort_by(f64::total_cmp);
        let apart = drawn.iter().enumerate().map(|(i, v)| (f.cumulative(*v) - (i as f64 + 0.5) / 4000.0).abs()).fold(0.0, f64::max);
        assert!(apart <= 1.95 / 4000f64.sqrt(), "{kernel:?} {apart}");
    }
    // A conditional density is a quotient of joint ones here too.
    let points = cloud(60, 2, 11);
    let d = density(&points, None, &Asked { adaptive: true, ..at(0.5) });
    let given = d.given(&[(0, 0.3)]).unwrap();
    let mass = integral(|y| value(&d, &[0.3, y]), -12.0, 12.0, 2000);
    assert!(close(value(&given, &[-0.4]), value(&d, &[0.3, -0.4]) / mass, 1e-9));
}

#[test]
fn the_logarithm_of_a_density_is_finite_far_from_all_rows() {
    let x = normal(300, 1);
    let most = x.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    for (points, far) in [(Matrix::column(x), vec![1e4]), (cloud(300, 3, 2), vec![1e4, 0.0, 0.0])] {
        let d = density(&points, None, &at(0.1));
        let found = d.log_density(&Matrix::new(1, far.len(), far.clone()).unwrap(), &Control::default()).unwrap()[0];
        assert!(found < -1e9 && found.is_finite());
        if far.len() == 1 {
            // The nearest row alone: -(d / h)^2 / 2 - ln(N h sqrt(2 pi)).
            let expected = -0.5 * ((1e4 - most) / 0.1f64).powi(2) - (300.0 * 0.1 * (2.0 * std::f64::consts::PI).sqrt()).ln();
            assert!(close(found, expected, 1e-12));
        }
        let compact = density(&points, None, &Asked { kernel: SmoothingKernel::Biweight, ..at(0.1) });
        let found = compact.log_density(&Matrix::new(1, far.len(), far).unwrap(), &Control::default()).unwrap()[0];
        assert_eq!(found, f64::NEG_INFINITY);
    }
}

#[test]
fn a_full_matrix_gives_the_densities_of_scipy() {
    // scipy 1.17: gaussian_kde(faithful.T, bw_method="scott") at (2, 55), (3.5, 70), (4.5, 80); its H is N^(-1/3) times the covariance.
    let Some(columns) = data("faithful") else { return };
    let points = Matrix::from_fn(272, 2, |i, j| columns[j][i]);
    let d = density(&points, None, &Asked { bandwidth: Bandwidth::Covariance(Rule::Scott), ..Asked::default() });
    let expected = [0.016_885_010_444_093_032, 0.009_588_409_610_983_758, 0.025_626_177_008_243_53];
    for (x, expected) in [[2.0, 55.0], [3.5, 70.0], [4.5, 80.0]].iter().zip(expected) {
        assert!(close(value(&d, x), expected, 1e-10), "{} and {expected}", value(&d, x));
    }
}

// spec: G10
#[test]
fn a_support_keeps_the_mass_inside_and_what_is_drawn_too() {
    let x: Vec<f64> = (0..1000).map(|i| (f64::from(i) + 0.5) / 1000.0).collect();
    let without = line(&x, &at(0.05));
    assert!((value(&without, &[0.0]) - 0.5).abs() <= 0.02, "half of the mass at the end is beyond it");
    for support in [(0.0, 1.0), (0.0, f64::INFINITY), (f64::NEG_INFINITY, 1.0)] {
        for kernel in [SmoothingKernel::Gaussian, SmoothingKernel::Epanechnikov, SmoothingKernel::Exponential] {
            let support = Support { low: support.0, high: support.1 };
            let d = line(&x, &Asked { kernel, support: vec![support], ..at(0.05) });
            let end = if support.low.is_finite() { 0.0 } else { 1.0 };
            assert!((value(&d, &[end]) - 1.0).abs() <= 0.05, "{kernel:?} {}", value(&d, &[end]));
            let (low, high) = (support.low.max(-3.0), support.high.min(4.0));
            let whole = integral(|x| value(&d, &[x]), low, high, 4000);
            assert!((whole - 1.0).abs() <= 1e-3, "{kernel:?} {support:?} {whole}");
            assert_eq!(value(&d, &[if support.low.is_finite() { -0.01 } else { 1.01 }]), 0.0);
            let drawn = d.draw(5000, 3, &Control::default()).unwrap();
            assert!(drawn.data().iter().all(|v| support.has(*v)), "{kernel:?} {support:?}");
            let f = d.distribution().unwrap();
            let below = integral(|x| value(&d, &[x]), low, 0.3, 4000);
            assert!((f.cumulative(0.3) - below).abs() <= 1e-3, "{kernel:?} {support:?} {} {below}", f.cumulative(0.3));
        }
    }
    // A bandwidth far wider than the interval: the uniform density.
    let d = line(&x, &Asked { support: vec![Support { low: 0.0, high: 1.0 }], ..at(5.0) });
    assert!((value(&d, &[0.2]) - 1.0).abs() <= 1e-9, "{}", value(&d, &[0.2]));
    // Two columns with ends each, one without.
    let square = Matrix::from_fn(400, 2, |i, j| if j == 0 { (i % 20) as f64 / 20.0 + 0.025 } else { (i / 20) as f64 / 20.0 + 0.025 });
    let d = density(&square, None, &Asked { support: vec![Support { low: 0.0, high: 1.0 }, Support::ANYWHERE], ..at(0.1) });
    let whole = integral(|x| integral(|y| value(&d, &[x, y]), -0.7, 1.7, 100), 0.0, 1.0, 60);
    assert!((whole - 1.0).abs() <= 1e-4, "{whole}");
    let outside = Sample::of_numbers(&[0.5, 1.5], None).unwrap();
    let asked = Asked { support: vec![Support { low: 0.0, high: 1.0 }], ..at(0.1) };
    let said = Density::fit(&outside, &asked, &Control::default()).unwrap_err().to_string();
    assert!(said.contains("row 2") && said.contains("1.5"), "{said}");
}

#[test]
fn what_is_drawn_has_the_distribution_of_the_density() {
    let x = normal(50, 4);
    for kernel in SmoothingKernel::ALL {
        let d = line(&x, &Asked { kernel, ..at(0.5) });
        let f = d.distribution().unwrap();
        let mut drawn = d.draw(4000, 7, &Control::default()).unwrap().into_data();
        assert_eq!(drawn, d.draw(4000, 7, &Control::default()).unwrap().into_data(), "one seed, the same bits");
        drawn.sort_by(f64::total_cmp);
        // Kolmogorov and Smirnov: 1.95 / sqrt(n) is passed once in a thousand times.
        let apart = drawn.iter().enumerate().map(|(i, v)| (f.cumulative(*v) - (i as f64 + 0.5) / 4000.0).abs()).fold(0.0, f64::max);
        assert!(apart <= 1.95 / 4000f64.sqrt(), "{kernel:?} {apart}");
        for p in [0.01, 0.3, 0.5, 0.99] {
            assert!((f.cumulative(f.quantile(p).unwrap()) - p).abs() <= 1e-12, "{kernel:?} {p}");
        }
        let slope = (f.cumulative(0.3 + 1e-5) - f.cumulative(0.3 - 1e-5)) / 2e-5;
        assert!((slope - value(&d, &[0.3])).abs() <= 2e-3, "{kernel:?}");
    }
    // Radial kernels of several columns: the covariance of what is drawn is that of the rows and h^2 times the kernel's variance.
    for kernel in SmoothingKernel::ALL {
        let d = density(&Matrix::zeros(1, 3), None, &Asked { kernel, ..at(2.0) });
        let drawn = d.draw(20_000, 5, &Control::default()).unwrap();
        let variance = drawn.col(1).iter().map(|v| v * v).sum::<f64>() / 20_000.0;
        assert!(close(variance, 4.0 * kernel.variance(Shape::Radial, 3), 0.06), "{kernel:?} {variance}");
    }
}

// spec: G18, G19
#[test]
fn conditional_densities_are_quotients_of_joint_ones() {
    let points = cloud(60, 2, 11);
    for (kernel, shape) in [(SmoothingKernel::Gaussian, Shape::Radial), (SmoothingKernel::Epanechnikov, Shape::Product)] {
        let joint = density(&points, None, &Asked { kernel, shape, ..at(0.6) });
        let given = joint.given(&[(0, 0.4)]).unwrap();
        let marginal = integral(|y| value(&joint, &[0.4, y]), -8.0, 8.0, 2000);
        for y in [-1.0, 0.1, 1.2] {
            assert!((value(&given, &[y]) - value(&joint, &[0.4, y]) / marginal).abs() <= 1e-5, "{kernel:?} {y}");
        }
        // E[y | x] is the integral of y p(y | x), and the mean of y_i weighted by k_h(x - x_i).
        let mean = integral(|y| y * value(&joint, &[0.4, y]), -8.0, 8.0, 2000) / marginal;
        let weights: Vec<f64> = (0..60).map(|i| kernel.profile((0.4 - points[(i, 0)]).abs() / 0.6)).collect();
        let averaged = (0..60).map(|i| weights[i] * points[(i, 1)]).sum::<f64>() / weights.iter().sum::<f64>();
        assert!((given.mean()[0] - averaged).abs() <= 1e-12 && (mean - averaged).abs() <= 1e-5, "{kernel:?}");
        let whole = integral(|x| integral(|y| value(&joint, &[x, y]), -7.0, 7.0, 150), -7.0, 7.0, 150);
        assert!((whole - 1.0).abs() <= 2e-3, "{whole}");
    }
    let compact = density(&points, None, &Asked { kernel: SmoothingKernel::Boxcar, shape: Shape::Product, ..at(0.6) });
    assert!(compact.given(&[(0, 1e3)]).unwrap_err().to_string().contains("no row is within a bandwidth"));
    let radial = density(&points, None, &Asked { kernel: SmoothingKernel::Boxcar, ..at(0.6) });
    assert!(radial.given(&[(0, 0.0)]).unwrap_err().to_string().contains("product"));
}

// The same with ends: mirror images of a given value count as they do in the joint density. x = y on (0, 1).
#[test]
fn given_columns_have_the_supports_of_the_joint_density() {
    let points = Matrix::from_fn(200, 2, |i, _| (i as f64 + 0.5) / 200.0);
    let ends = Support { low: 0.0, high: 1.0 };
    for kernel in [SmoothingKernel::Gaussian, SmoothingKernel::Exponential, SmoothingKernel::Tricube] {
        let asked = Asked { kernel, shape: Shape::Product, support: vec![ends; 2], ..at(0.2) };
        let joint = density(&points, None, &asked);
        let one = density(&Matrix::column(points.col(0)), None, &Asked { support: vec![ends], ..asked.clone() });
        for x in [0.0, 0.1, 0.2, 0.55, 1.0] {
            let given = joint.given(&[(0, x)]).unwrap();
            for y in [0.05, 0.3, 0.9] {
                let expected = value(&joint, &[x, y]) / value(&one, &[x]);
                assert!((value(&given, &[y]) - expected).abs() <= 1e-10 * (1.0 + expected), "{kernel:?} {x} {y}: {expected}");
            }
        }
        assert!(joint.given(&[(0, 1.1)]).unwrap_err().to_string().contains("support"));
    }
    // 2,000 midpoints of x = y by numpy, h = .2: the mean of y weighed by k_h of x = .1 is .2018 without the images of x, and this with them.
    let fine = Matrix::from_fn(2000, 2, |i, _| (i as f64 + 0.5) / 2000.0);
    let joint = density(&fine, None, &Asked { shape: Shape::Product, support: vec![ends; 2], ..at(0.2) });
    let given = joint.given(&[(0, 0.1)]).unwrap();
    assert!((given.mean()[0] - 0.179_118_380_645_512).abs() <= 1e-9, "{}", given.mean()[0]);
}

// spec: G16
#[test]
fn classes_by_bayes_rule_are_quotients_of_their_densities() {
    let points = Matrix::from_fn(90, 1, |i, _| normal(90, 5)[i] + if i % 3 == 0 { 1.5 } else { -0.5 });
    let codes: Vec<usize> = (0..90).map(|i| usize::from(i % 3 == 0)).collect();
    let found = ClassDensities::fit(&points, &codes, None, &Asked::default(), &Control::default()).unwrap();
    let p = found.probabilities(&Matrix::column(vec![0.7, -2.0]), &Control::default()).unwrap();
    let of_class = |class: usize| {
        let rows: Vec<usize> = (0..90).filter(|&i| codes[i] == class).collect();
        density(&points.select_rows(&rows), None, &Asked::default())
    };
    let by_class = [of_class(0), of_class(1)];
    for (i, x) in [0.7, -2.0].into_iter().enumerate() {
        let joint = [2.0 / 3.0 * value(&by_class[0], &[x]), value(&by_class[1], &[x]) / 3.0];
        assert!((p[(i, 1)] - joint[1] / (joint[0] + joint[1])).abs() <= 1e-12);
        assert!((p[(i, 0)] + p[(i, 1)] - 1.0).abs() <= 1e-15);
    }
}

#[test]
fn rows_left_out_are_those_of_explicit_refits_and_a_weight_is_a_repetition() {
    for dim in [1, 2] {
        let points = cloud(40, dim, 6);
        let weights: Vec<f64> = (0..40).map(|i| [1.0, 2.0, 3.0][i % 3]).collect();
        for kernel in [SmoothingKernel::Gaussian, SmoothingKernel::Exponential, SmoothingKernel::Tricube] {
            let asked = Asked { kernel, ..at(0.8) };
            let found = density(&points, Some(&weights), &asked).left_out(&Control::default()).unwrap();
            for i in [0, 1, 17] {
                let without: Vec<f64> = (0..40).map(|k| weights[k] - if k == i { 1.0 } else { 0.0 }).collect();
                let expected = direct(&points, &without, kernel, Shape::Radial, 0.8, points.row(i)).ln();
                assert!(close(found[i], expected, 1e-12) || found[i] == expected, "{kernel:?} {dim}");
            }
        }
        let rows: Vec<usize> = (0..40).flat_map(|i| vec![i; weights[i] as usize]).collect();
        let (a, b) = (density(&points, Some(&weights), &Asked::default()), density(&points.select_rows(&rows), None, &Asked::default()));
        let new = cloud(10, dim, 7);
        for (a, b) in a.log_density(&new, &Control::default()).unwrap().iter().zip(b.log_density(&new, &Control::default()).unwrap()) {
            assert!(close(*a, b, 1e-12));
        }
    }
}

#[test]
fn a_stored_density_gives_the_same_bits() {
    let points = cloud(200, 2, 3);
    let asked = Asked { support: vec![Support { low: -9.0, high: f64::INFINITY }, Support::ANYWHERE], ..Asked::default() };
    let d = density(&points, None, &asked);
    let again: Density = serde_json::from_str(&serde_json::to_string(&d).unwrap()).unwrap();
    let new = cloud(10, 2, 4);
    let control = Control::default();
    assert_eq!(d.log_density(&new, &control).unwrap(), again.log_density(&new, &control).unwrap());
}

#[test]
fn bandwidths_and_rows_that_make_no_density_are_named() {
    let points = cloud(20, 2, 1);
    let sample = Sample::new(&points, None).unwrap();
    let said = |bandwidth: Bandwidth| {
        Density::fit(&sample, &Asked { bandwidth, ..Asked::default() }, &Control::default()).unwrap_err().to_string()
    };
    for h in [0.0, -1.0, f64::INFINITY, f64::NAN] {
        assert!(said(Bandwidth::Number(h)).contains("finite number above 0"), "{}", said(Bandwidth::Number(h)));
    }
    assert!(said(Bandwidth::Columns(vec![1.0])).contains("expected 2, found 1"));
    let flat = Matrix::new(2, 2, vec![1.0, 1.0, 1.0, 1.0]).unwrap();
    assert!(said(Bandwidth::Matrix(flat)).contains("positive definite"));
    // Fifty columns of two hundred rows: hardly a row has neighbours.
    let wide = density(&cloud(200, 50, 2), None, &Asked::default());
    assert!(wide.notes().iter().any(|n| n.contains("of 200 rows decide")), "{:?}", wide.notes());
    assert!(density(&cloud(2000, 2, 2), None, &Asked::default()).notes().is_empty());
    // One row, and rows that are all equal, have a density of a given bandwidth.
    assert!(close(value(&line(&[3.0], &at(1.0)), &[3.0]), 0.398_942_280_401_432_7, 1e-12));
    let cancelled = Control::default();
    cancelled.cancel.cancel();
    assert!(density(&points, None, &at(1.0)).log_density(&points, &cancelled).is_err());
}

#[test]
fn one_thread_gives_the_bits_of_many() {
    for (dim, kernel) in [(1, SmoothingKernel::Gaussian), (3, SmoothingKernel::Gaussian), (2, SmoothingKernel::Cosine)] {
        let (points, new) = (cloud(2000, dim, 3), cloud(500, dim, 4));
        let of = |threads: usize| {
            let work = || density(&points, None, &Asked { kernel, ..Asked::default() }).log_density(&new, &Control::default()).unwrap();
            mercer::control::with_threads(threads, work).unwrap()
        };
        assert_eq!(of(1), of(3));
    }
}

// So far away that no square of a distance is a number: never NaN.
#[test]
fn the_density_of_a_row_far_from_all_others_is_very_low_or_minus_infinity() {
    for dim in [1, 3] {
        let points = Matrix::from_fn(50, dim, |i, j| ((i * (j + 2)) as f64 * 0.7).sin());
        for kernel in [SmoothingKernel::Gaussian, SmoothingKernel::Exponential, SmoothingKernel::Epanechnikov, SmoothingKernel::Boxcar] {
            for adaptive in [false, true] {
                let asked = Asked { kernel, adaptive, bandwidth: Bandwidth::Number(0.1), ..Asked::default() };
                let d = density(&points, None, &asked);
                let far = Matrix::from_fn(4, dim, |i, j| if j == 0 { [1e100, 1e153, 1e154, 1e200][i] } else { 0.0 });
                let found = d.log_density(&far, &Control::default()).unwrap();
                assert!(found.iter().all(|log| *log < -1e90), "{kernel:?}, {dim} columns: {found:?}");
            }
        }
    }
}
