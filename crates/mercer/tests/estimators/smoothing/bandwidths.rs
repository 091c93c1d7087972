//! Rules of bandwidths: values of other programs, equivariance, weights, ties, heavy tails.

use super::shared::{close, cloud, data, normal};
use mercer::control::Control;
use mercer::linalg::Matrix;
use mercer::smoothing::{Rule, Sample, Scale, Shape, SmoothingKernel, regression_width, robust_scale};

fn width(rule: Rule, numbers: &[f64], weights: Option<&[f64]>) -> f64 {
    let sample = Sample::of_numbers(numbers, weights).unwrap();
    rule.choose(&sample, SmoothingKernel::Gaussian, Shape::Radial, &Control::default()).unwrap().columns[0]
}

// spec: G22, G23, E3-21
#[test]
fn the_normal_reference_of_one_to_nine_is_that_of_its_formula() {
    let x: Vec<f64> = (1..=9).map(f64::from).collect();
    // MAD 2, sigma 2.9652, (4 / 27)^(1/5) sigma; (4/3)^(1/5) = 1.0592238410.
    let (scale, by) = robust_scale(&x, None).unwrap();
    assert!((scale - 2.9652).abs() <= 1e-12 && by == Scale::MedianDeviation);
    assert!((width(Rule::NormalReference, &x, None) - 2.023_919_510_0).abs() <= 1e-9);
    assert!((1.059_223_841_0 * 9f64.powf(-0.2) * 2.9652 - width(Rule::NormalReference, &x, None)).abs() <= 1e-9);
    for c in [1e-6, 7.5, -3.0, 1e9] {
        let scaled: Vec<f64> = x.iter().map(|v| c * v).collect();
        assert!(close(width(Rule::NormalReference, &scaled, None), c.abs() * width(Rule::NormalReference, &x, None), 1e-12));
    }
    // MAD = 0: the quartiles decide, else the standard deviation, and a note says so.
    let mostly = [0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 2.0, 3.0, 4.0];
    let (scale, by) = robust_scale(&mostly, None).unwrap();
    assert!((scale - 2.0 / 1.349).abs() <= 1e-12 && by == Scale::Quartiles);
    let nearly = [5.0, 5.0, 5.0, 5.0, 5.0, 5.0, 5.0, 5.0, 9.0];
    let (scale, by) = robust_scale(&nearly, None).unwrap();
    assert!((scale - 4.0 / 3.0).abs() <= 1e-12 && by == Scale::StandardDeviation);
    let chosen = Rule::NormalReference
        .choose(&Sample::of_numbers(&nearly, None).unwrap(), SmoothingKernel::Gaussian, Shape::Radial, &Control::default())
        .unwrap();
    assert!(chosen.columns[0] > 0.0 && chosen.notes.iter().any(|n| n.contains("standard deviation")));
}

#[test]
fn rules_agree_with_their_definitions_on_eruptions_and_galaxies() {
    // numpy 2.4: 0.9 and 1.06 min(sd, IQR/1.34) N^-.2; the equation of Sheather and Jones over all pairs, and |f|^2 less twice the mean of
    // densities left out, over N (N - 1) pairs, both without bins, solved by scipy 1.17 (brentq; minimize_scalar in the widest valley). R prints 0.3348 (bw.nrd0) and 0.14 (bw.SJ) for the eruptions.
    let known = [
        ("faithful", 0, [0.334_777_034_463_943_14, 0.394_292_951_701_977_5, 0.139_683_104_645_091_07, 0.102_626_665_9]),
        ("faithful", 1, [3.987_558_828_579_175_4, 4.696_458_175_882_141, 2.496_844_597_770_716_8, 2.639_415_425_9]),
        ("galaxies", 0, [1_001.839_295_025_077_3, 1_179.944_058_585_091, 638.264_615_188_509_8, 617.875_205_2]),
    ];
    for (set, column, expected) in known {
        let Some(columns) = data(set) else { return };
        let x = &columns[column];
        assert!(close(width(Rule::Silverman, x, None), expected[0], 1e-12));
        assert!(close(width(Rule::Scott, x, None), expected[1], 1e-12));
        assert!(close(width(Rule::SheatherJones, x, None), expected[2], 1e-5), "{set} {}", width(Rule::SheatherJones, x, None));
        assert!(close(width(Rule::LeastSquares, x, None), expected[3], 2e-4), "{set} {}", width(Rule::LeastSquares, x, None));
    }
}

#[test]
fn the_improved_rule_agrees_with_cosines_on_a_fine_grid() {
    // Botev's algorithm by scipy's dct of 65536 bins over three ranges: 726.488 for the galaxies, 2.6527 for the waiting times.
    let Some(columns) = data("galaxies") else { return };
    assert!(close(width(Rule::Isj, &columns[0], None), 726.488, 1e-3), "{}", width(Rule::Isj, &columns[0], None));
    let Some(columns) = data("faithful") else { return };
    assert!(close(width(Rule::Isj, &columns[1], None), 2.652_67, 1e-3), "{}", width(Rule::Isj, &columns[1], None));
}

#[test]
fn every_rule_is_equivariant_above_zero_and_takes_a_weight_for_a_repetition() {
    let tails: Vec<f64> = normal(150, 3).iter().zip(normal(150, 4)).map(|(a, b)| a / b).collect();
    let rounded: Vec<f64> = normal(200, 5).iter().map(|v| (v * 4.0).round() / 4.0).collect();
    let mut outlier = normal(80, 6);
    outlier.push(1e7);
    for x in [normal(120, 1), tails, rounded, outlier, vec![0.0, 1.0], vec![-1.0, 2.0, 2.0, 5.0]] {
        for rule in [Rule::Auto].into_iter().chain(Rule::ALL) {
            let sample = Sample::of_numbers(&x, None).unwrap();
            let chosen = match rule.choose(&sample, SmoothingKernel::Gaussian, Shape::Radial, &Control::default()) {
                Ok(chosen) => chosen,
                // A rule may say by name that it finds none for two or three values.
                Err(error) => {
                    assert!(x.len() < 5, "{rule:?} of {} values: {error}", x.len());
                    continue;
                }
            };
            let h = chosen.columns[0];
            assert!(h > 0.0 && h.is_finite(), "{rule:?}");
            for (c, shift) in [(2.0f64.powi(-20), 0.0), (-3.0, 0.0), (1.0, 40.0)] {
                let moved: Vec<f64> = x.iter().map(|v| c * v + shift).collect();
                let found = width(rule, &moved, None);
                assert!(close(found, c.abs() * h, 1e-5), "{rule:?} {c} {shift}: {found} and {h}");
            }
            let weights: Vec<f64> = (0..x.len()).map(|i| [1.0, 2.0, 0.0, 3.0][i % 4]).collect();
            let repeated: Vec<f64> = x.iter().zip(&weights).flat_map(|(v, w)| vec![*v; *w as usize]).collect();
            if x.len() > 5 {
                let (a, b) = (width(rule, &x, Some(&weights)), width(rule, &repeated, None));
                assert!(close(a, b, 1e-6), "{rule:?}: weights {a}, repetitions {b}");
                let mut backwards = x.clone();
                backwards.reverse();
                assert!(close(width(rule, &backwards, None), h, 1e-9), "{rule:?}: the order of rows");
            }
        }
    }
}

#[test]
fn auto_is_the_rule_of_least_error_unless_it_would_draw_how_values_are_rounded() {
    let settled = |x: &[f64]| Rule::Auto.settle(&Sample::of_numbers(x, None).unwrap(), &Control::default()).unwrap();
    let two_modes: Vec<f64> = normal(200, 11).iter().enumerate().map(|(i, v)| v + if i % 2 == 0 { 3.0 } else { -3.0 }).collect();
    assert_eq!(settled(&two_modes), Rule::Isj);
    // A bell of the standard deviation of both would hide that there are two.
    assert!(width(Rule::Auto, &two_modes, None) < 0.7 * width(Rule::Silverman, &two_modes, None));
    let ratings: Vec<f64> = normal(300, 12).iter().map(|v| (3.0 + v).round().clamp(1.0, 5.0)).collect();
    assert_eq!(settled(&ratings), Rule::Silverman);
    let tenths: Vec<f64> = two_modes.iter().map(|v| (v * 10.0).round() / 10.0).collect();
    assert_eq!(settled(&tenths), Rule::Isj);
    let wide = Sample::new(&Matrix::from_fn(40, 2, |i, j| ((i * (j + 2)) as f64).sin()), None).unwrap();
    assert_eq!(Rule::Auto.settle(&wide, &Control::default()).unwrap(), Rule::Silverman);
}

#[test]
fn one_far_outlier_does_not_lead_robust_rules_astray() {
    let x = normal(300, 9);
    let mut far = x.clone();
    far.push(1e9);
    for rule in [Rule::NormalReference, Rule::Silverman, Rule::Scott, Rule::SheatherJones, Rule::Isj, Rule::LeastSquares] {
        let (a, b) = (width(rule, &far, None), width(rule, &x, None));
        assert!(close(a, b, 0.05), "{rule:?}: {a} with it, {b} without");
    }
}

// spec: G14
#[test]
fn the_likelihood_of_rows_left_out_in_closed_form_is_that_of_explicit_refits() {
    let x = normal(40, 2);
    let h = width(Rule::CrossValidation, &x, None);
    let explicit = |h: f64| -> f64 {
        let one = |i: usize| {
            let others = (0..x.len()).filter(|&j| j != i).map(|j| (-0.5 * ((x[i] - x[j]) / h).powi(2)).exp()).sum::<f64>();
            (others / (39.0 * h * (2.0 * std::f64::consts::PI).sqrt())).ln()
        };
        (0..x.len()).map(one).sum()
    };
    // The best of the explicit likelihood over a fine grid is where the rule is.
    let best = (1..4000).map(|k| 0.001 * f64::from(k)).max_by(|a, b| explicit(*a).total_cmp(&explicit(*b))).unwrap();
    assert!((h - best).abs() <= 0.0011, "{h} and {best}");
    let told = mercer::smoothing::left_out_likelihood(
        &Sample::of_numbers(&x, None).unwrap(),
        SmoothingKernel::Gaussian,
        Shape::Radial,
        &[0.3],
        &Control::default(),
    );
    assert!(close(told.unwrap(), explicit(0.3) / 40.0, 1e-12));
}

#[test]
fn rules_in_several_columns_follow_each_column_and_the_covariance() {
    let points = cloud(200, 3, 7);
    let stretched = Matrix::from_fn(200, 3, |i, j| points[(i, j)] * [1.0, 10.0, 0.01][j]);
    for rule in [Rule::NormalReference, Rule::Silverman, Rule::Scott, Rule::CrossValidation, Rule::LeastSquares] {
        let of = |p: &Matrix| {
            rule.choose(&Sample::new(p, None).unwrap(), SmoothingKernel::Gaussian, Shape::Radial, &Control::default()).unwrap().columns
        };
        for (a, (b, factor)) in of(&stretched).iter().zip(of(&points).iter().zip([1.0, 10.0, 0.01])) {
            assert!(close(*a, factor * b, 1e-6), "{rule:?}");
        }
    }
    let said =
        Rule::SheatherJones.choose(&Sample::new(&points, None).unwrap(), SmoothingKernel::Gaussian, Shape::Radial, &Control::default());
    assert!(said.unwrap_err().to_string().contains("one column"));
}

#[test]
fn values_without_a_spread_are_named() {
    let said = |x: &[f64], w: Option<&[f64]>| {
        let sample = Sample::of_numbers(x, w)?;
        Rule::SheatherJones.choose(&sample, SmoothingKernel::Gaussian, Shape::Radial, &Control::default())
    };
    let text = |x: &[f64], w: Option<&[f64]>| said(x, w).unwrap_err().to_string();
    assert!(text(&[3.0; 5], None).contains("all 3"), "{}", text(&[3.0; 5], None));
    assert!(text(&[3.0], None).contains("one row"));
    assert!(text(&[1.0, 2.0], Some(&[0.0, 0.0])).contains("weights"));
    assert!(text(&[1.0, 2.0], Some(&[0.5, 0.5])).contains("sum to 1"), "{}", text(&[1.0, 2.0], Some(&[0.5, 0.5])));
    assert!(text(&[1.0, f64::NAN], None).contains("row 2"));
    assert!(text(&[1.0, 2.0], Some(&[1.0, -1.0])).contains("row 2"));
}

// h = sqrt(h_x h_y) with h_j = (4 / (3 N))^(1/5) 1.4826 MAD_j, by hand: the medians of 0..8 and of its squares / 10 are 4 and 1.6, those of
// the distances from them 2 and 1.5.
// spec: G24, E3-20
#[test]
fn the_bandwidth_of_a_regression_is_the_root_of_the_product_of_those_of_the_columns() {
    let x: Vec<f64> = (0..9).map(f64::from).collect();
    let y: Vec<f64> = x.iter().map(|x| 0.1 * x * x).collect();
    let width = |x: &[f64], y: &[f64]| regression_width(x, y, &Control::default()).unwrap();
    let factor = (4.0 / 27.0f64).powf(0.2) * 1.4826;
    let product = factor * 2.0 * factor * 1.5;
    assert!((width(&x, &y) - product.sqrt()).abs() <= 1e-9, "{} and {}", width(&x, &y), product.sqrt());
    assert!((width(&x, &y) - product).abs() > 0.1);
    // A width follows the scale.
    let times = |v: &[f64], by: f64| v.iter().map(|v| by * v).collect::<Vec<f64>>();
    assert!((width(&times(&x, 3.0), &times(&y, 3.0)) - 3.0 * width(&x, &y)).abs() <= 1e-12);
}

// Rows left out, and the plug-in that auto takes, look at equal rows once: neither copies nor the unit of the weights make them narrow.
#[test]
fn copies_and_units_of_weights_leave_the_bandwidths_of_auto_and_of_cross_validation() {
    let z = normal(100, 41);
    let twice = [&z[..], &z].concat();
    for rule in [Rule::CrossValidation, Rule::Auto] {
        let alone = width(rule, &z, None);
        for (how, other) in [
            ("twice", width(rule, &twice, None)),
            ("weights of 2", width(rule, &z, Some(&[2.0; 100]))),
            ("weights of 1.999", width(rule, &z, Some(&[1.999; 100]))),
            ("weights of 1/4", width(rule, &z, Some(&[0.25; 100]))),
        ] {
            assert!(close(other, alone, 1e-5), "{rule:?}, {how}: {other} and {alone}");
        }
        // Drawn with repetitions.
        let drawn: Vec<f64> = (0..100).map(|i| z[(i * i + 7 * i) % 97]).collect();
        assert!(width(rule, &drawn, None) > 0.5 * alone, "{rule:?}: {} and {alone}", width(rule, &drawn, None));
    }
}
