//! The kernels themselves: integrals, moments, smoothness at the ends.

use super::shared::{close, integral};
use mercer::smoothing::{Shape, SmoothingKernel};
use std::f64::consts::PI;

/// c p(|x|) in one dimension.
fn value(kernel: SmoothingKernel, x: f64) -> f64 {
    kernel.log_constant(Shape::Radial, 1).exp() * kernel.profile(x.abs())
}

fn end(kernel: SmoothingKernel) -> f64 {
    match kernel {
        SmoothingKernel::Gaussian => 12.0,
        SmoothingKernel::Exponential => 50.0,
        _ => 1.0,
    }
}

// spec: G01, G05, G06, G07, E3-19
#[test]
fn every_kernel_is_a_density_around_zero_with_the_variance_of_its_formula() {
    for kernel in SmoothingKernel::ALL {
        let to = end(kernel);
        let moment = |p: i32| integral(|x| x.powi(p) * value(kernel, x), -to, to, 4000);
        assert!((moment(0) - 1.0).abs() <= 1e-6, "{kernel:?} {}", moment(0));
        assert!(moment(1).abs() <= 1e-12, "{kernel:?}");
        assert!(moment(2) > 0.0 && close(moment(2), kernel.variance(Shape::Radial, 1), 1e-5), "{kernel:?} {}", moment(2));
        let squared = integral(|x| value(kernel, x).powi(2), -to, to, 4000);
        assert!(close(squared, kernel.log_roughness(Shape::Radial, 1).exp(), 1e-5), "{kernel:?} {squared}");
    }
    // Murphy (14.74) to (14.76): 3/4, 70/81, 1/2; variances 1/5, 35/243, 1/3.
    let known = [
        (SmoothingKernel::Epanechnikov, 0.75, 0.2),
        (SmoothingKernel::Tricube, 70.0 / 81.0, 35.0 / 243.0),
        (SmoothingKernel::Boxcar, 0.5, 1.0 / 3.0),
        (SmoothingKernel::Biweight, 15.0 / 16.0, 1.0 / 7.0),
        (SmoothingKernel::Triangular, 1.0, 1.0 / 6.0),
        (SmoothingKernel::Cosine, PI / 4.0, 1.0 - 8.0 / (PI * PI)),
        (SmoothingKernel::Gaussian, 1.0 / (2.0 * PI).sqrt(), 1.0),
        (SmoothingKernel::Exponential, 0.5, 2.0),
    ];
    for (kernel, top, variance) in known {
        assert!(close(value(kernel, 0.0), top, 1e-14), "{kernel:?}");
        assert!(close(kernel.variance(Shape::Radial, 1), variance, 1e-13), "{kernel:?}");
    }
    // The boxcar as printed, I(|x| <= 1) without 1/2, integrates to 2.
    assert!((integral(|x: f64| SmoothingKernel::Boxcar.profile(x.abs()), -1.0, 1.0, 2000) - 2.0).abs() <= 1e-12);
    // The tri-cube with one power in place of two, as a scanned book has it, is no density.
    let scanned = integral(|x: f64| 70.0 / 81.0 * (1.0 - x.abs().powi(3)), -1.0, 1.0, 2000);
    assert!((scanned - 1.2963).abs() <= 1e-4);
}

// spec: G04, E3-18
#[test]
fn the_constant_of_a_radial_kernel_is_that_of_its_dimension() {
    // 2/pi for Epanechnikov's in the plane, 15 / (8 pi) in space: (D + 2) / (2 V_D).
    assert!(close(SmoothingKernel::Epanechnikov.log_constant(Shape::Radial, 2).exp(), 2.0 / PI, 1e-14));
    assert!(close(SmoothingKernel::Epanechnikov.log_constant(Shape::Radial, 3).exp(), 15.0 / (8.0 * PI), 1e-14));
    for kernel in SmoothingKernel::ALL {
        for dim in [1, 2, 3] {
            let surface = [2.0, 2.0 * PI, 4.0 * PI][dim - 1];
            let shell = |r: f64| surface * r.powi(dim as i32 - 1) * kernel.profile(r);
            let whole = kernel.log_constant(Shape::Radial, dim).exp() * integral(shell, 0.0, end(kernel), 4000);
            assert!((whole - 1.0).abs() <= 1e-6, "{kernel:?} {dim} {whole}");
            let product = kernel.log_constant(Shape::Product, dim);
            assert!((product - dim as f64 * kernel.log_constant(Shape::Radial, 1)).abs() <= 1e-12, "{kernel:?} {dim}");
        }
        // Finite and of the right size in many dimensions too.
        assert!(kernel.log_constant(Shape::Radial, 50).is_finite() && kernel.variance(Shape::Radial, 50) > 0.0, "{kernel:?}");
    }
}

// spec: G08
#[test]
fn kernels_are_as_smooth_at_the_ends_as_the_table_says() {
    let step = 1e-5;
    // Slopes, and second slopes, of the value on both sides of 1.
    let sides = |kernel: SmoothingKernel| {
        let at = |k: f64| value(kernel, 1.0 + k * step);
        let value = [at(-1e-3), at(1e-3)];
        let first = [(at(-1.0) - at(-2.0)) / step, (at(2.0) - at(1.0)) / step];
        let second = [(at(-1.0) - 2.0 * at(-2.0) + at(-3.0)) / (step * step), (at(3.0) - 2.0 * at(2.0) + at(1.0)) / (step * step)];
        [value, first, second].map(|[a, b]| (a - b).abs())
    };
    let [jump, ..] = sides(SmoothingKernel::Boxcar);
    assert!((jump - 0.5).abs() <= 1e-9, "discontinuous");
    for kernel in [SmoothingKernel::Epanechnikov, SmoothingKernel::Triangular, SmoothingKernel::Cosine] {
        let [jump, kink, _] = sides(kernel);
        assert!(jump <= 1e-6 && kink >= 0.9, "{kernel:?}: continuous with a kink");
    }
    let [jump, kink, bend] = sides(SmoothingKernel::Biweight);
    assert!(jump <= 1e-6 && kink <= 1e-3 && bend >= 1.0, "one continuous derivative");
    let [jump, kink, bend] = sides(SmoothingKernel::Tricube);
    assert!(jump <= 1e-6 && kink <= 1e-3 && bend <= 1e-2, "two continuous derivatives");
    let [jump, kink, bend] = sides(SmoothingKernel::Gaussian);
    assert!(jump <= 1e-6 && kink <= 1e-3 && bend <= 1e-2 && !SmoothingKernel::Gaussian.is_compact());
}

// spec: R05
#[test]
fn the_form_of_a_kernel_matters_less_than_its_width() {
    // Wand & Jones (1995), Table 2.1: efficiency (C_epanechnikov / C)^(5/4) of .9939 for the biweight, .9512 for the Gaussian, .9295 for
    // the boxcar, .9859 for the triangular; errors at the best width are those to the power -4/5.
    let table = [
        (SmoothingKernel::Biweight, 0.9939),
        (SmoothingKernel::Gaussian, 0.9512),
        (SmoothingKernel::Boxcar, 0.9295),
        (SmoothingKernel::Triangular, 0.9859),
    ];
    for (kernel, efficiency) in table {
        let error = kernel.error_beside_epanechnikov();
        assert!((error.powf(-1.25) - efficiency).abs() <= 1e-4, "{kernel:?} {error}");
    }
    // All but the exponential, whose peak costs a quarter: 1.247 = ((2 / 0.2)^(1/2) / (4 * 0.6))^(4/5).
    assert!((SmoothingKernel::Exponential.error_beside_epanechnikov() - (10f64.sqrt() / 2.4).powf(0.8)).abs() <= 1e-12);
    for kernel in SmoothingKernel::ALL.into_iter().filter(|k| *k != SmoothingKernel::Exponential) {
        let error = kernel.error_beside_epanechnikov();
        assert!((0.0..=0.08).contains(&(error - 1.0 + 1e-15)), "{kernel:?}: within 8 %, found {error}");
    }
}

// spec: G30
#[test]
fn a_smoothing_kernel_becomes_a_mercer_kernel_only_where_the_catalogue_has_its_values() {
    assert_eq!(SmoothingKernel::Gaussian.mercer_kernel(0.7).unwrap().to_string(), "rbf(length_scale=0.7)");
    let matern = SmoothingKernel::Exponential.mercer_kernel(2.0).unwrap().to_string();
    assert!(matern.contains("matern") && matern.contains("nu=0.5"), "{matern}");
    for kernel in SmoothingKernel::ALL.into_iter().filter(|k| k.is_compact()) {
        let said = kernel.mercer_kernel(0.7).unwrap_err().to_string();
        assert!(said.contains(kernel.name()) && said.contains("no Mercer kernel"), "{said}");
    }
}

#[test]
fn kernels_are_read_by_the_names_of_other_libraries() {
    for (name, kernel) in
        [("tophat", SmoothingKernel::Boxcar), ("linear", SmoothingKernel::Triangular), ("quartic", SmoothingKernel::Biweight)]
    {
        assert_eq!(SmoothingKernel::parse(name).unwrap(), kernel);
    }
    for kernel in SmoothingKernel::ALL {
        assert_eq!(SmoothingKernel::parse(kernel.name()).unwrap(), kernel);
    }
    let said = SmoothingKernel::parse("epanechnikow").unwrap_err().to_string();
    assert!(said.contains("did you mean 'epanechnikov'"), "{said}");
}

#[test]
fn a_kernel_smooths_as_the_gaussian_does_at_its_canonical_width() {
    // Marron & Nolan (1988); Wand & Jones (1995), 2.7: 1.7188 for Epanechnikov's, .7764 for the Gaussian, 2.0362 for the biweight,
    // 1.3510 for the boxcar, 1.8882 for the triangular.
    let canonical = [
        (SmoothingKernel::Epanechnikov, 1.7188),
        (SmoothingKernel::Biweight, 2.0362),
        (SmoothingKernel::Boxcar, 1.3510),
        (SmoothingKernel::Triangular, 1.8882),
    ];
    for (kernel, width) in canonical {
        let found = kernel.width_beside_gaussian(Shape::Radial, 1);
        assert!(close(found, width / 0.7764, 2e-4), "{kernel:?} {found}");
    }
}
