use super::*;
use crate::data::{Column, Points, RowWeights, Values};

fn numbers(rows: &[&[f64]]) -> Dataset {
    Dataset::from_points(Points::dense(rows.len(), rows[0].len(), rows.concat()).unwrap())
}

fn fit(text: &str, rows: &Dataset) -> Result<FittedGenerative> {
    GenerativeExpr::parse(text)?.fit(rows, RowWeights::default(), 0, &Control::default())
}

fn close(a: f64, b: f64, tolerance: f64) {
    assert!((a - b).abs() <= tolerance, "{a} and {b}");
}

#[test]
fn an_unknown_model_or_parameter_is_named_with_what_there_is() {
    let said = |text: &str| GenerativeExpr::parse(text).unwrap_err().to_string();
    assert!(said("gausian").contains("did you mean 'gaussian'?"), "{}", said("gausian"));
    assert!(said("multivariate_normal").contains("(here that is gaussian)"));
    assert!(said("gaussian(covariance=tied)").contains("one of diagonal, full, spherical"));
    assert!(said("gaussian(variance=0)").contains("above 0 and finite"));
    assert!(said("3").contains("is not a generative model"));
}

/// By hand: S = [[2, .6], [.6, .5]], |S| = .64, S^-1 = [[.5, -.6], [-.6, 2]] / .64, d = (-.2, -1.45), d'S^-1 d = (.02 - .348 + 4.205) / .64.
#[test]
fn a_density_is_that_of_the_formula() {
    // Four rows m +- L e_k 2^(1/2) have the mean m and the covariance L L'.
    let (m, root) = ([0.5, 0.25], 2f64.sqrt());
    let l = [[2f64.sqrt(), 0.0], [0.6 / 2f64.sqrt(), (0.5f64 - 0.18).sqrt()]];
    let rows: Vec<Vec<f64>> = [(0, 1.0), (0, -1.0), (1, 1.0), (1, -1.0)]
        .iter()
        .map(|&(k, sign)| (0..2).map(|i| m[i] + sign * root * l[i][k]).collect())
        .collect();
    let data = numbers(&rows.iter().map(Vec::as_slice).collect::<Vec<_>>());
    let new = numbers(&[&[0.3, -1.2]]);
    let full = fit("gaussian(covariance=full)", &data).unwrap();
    let quadratic = (0.02 - 0.348 + 4.205) / 0.64;
    close(full.log_densities(&new).unwrap()[0], -(2.0 * std::f64::consts::PI).ln() - 0.5 * 0.64f64.ln() - 0.5 * quadratic, 1e-13);
    let expected = [("mean[1]", 0.5), ("mean[2]", 0.25), ("covariance[1,1]", 2.0), ("covariance[1,2]", 0.6), ("covariance[2,2]", 0.5)];
    for (found, (name, value)) in full.parameters().iter().zip(expected) {
        assert_eq!(found.name, name);
        close(found.value, value, 1e-14);
    }
    let diagonal = fit("gaussian", &data).unwrap();
    let terms = 0.04 / 2.0 + 1.45f64.powi(2) / 0.5;
    close(diagonal.log_densities(&new).unwrap()[0], -(2.0 * std::f64::consts::PI).ln() - 0.5 * terms, 1e-13);
    let spherical = fit("gaussian(covariance=spherical)", &data).unwrap();
    let terms = (0.04 + 1.45f64.powi(2)) / 1.25;
    close(spherical.log_densities(&new).unwrap()[0], -(2.0 * std::f64::consts::PI).ln() - 1.25f64.ln() - 0.5 * terms, 1e-13);
}

#[test]
fn a_singular_covariance_loses_correlations_and_says_so() {
    let twins = numbers(&[&[1.0, 2.0], &[2.0, 4.0], &[4.0, 8.0]]);
    let fitted = fit("gaussian(covariance=full)", &twins).unwrap();
    assert!(!fitted.is_maximum_likelihood());
    assert_eq!(fitted.notices()[0].to_string(), "gaussian: 40.0% of the correlations between columns were taken away (shrinkage)");
    // Variances 14/9 and 56/9, and 3/5 of the covariance 28/9.
    let found: Vec<f64> = fitted.parameters().iter().map(|p| p.value).collect();
    for (value, expected) in found.iter().zip([7.0 / 3.0, 14.0 / 3.0, 14.0 / 9.0, 0.6 * 28.0 / 9.0, 56.0 / 9.0]) {
        close(*value, expected, 1e-13);
    }
    let refused = fit("gaussian(covariance=full, shrinkage=1e-12)", &twins).unwrap_err().to_string();
    assert!(refused.contains("take more away, or leave it auto"), "{refused}");
}

#[test]
fn a_constant_column_takes_the_variance_of_the_others() {
    let data = numbers(&[&[0.1, 7.0, 1.0], &[0.1, 9.0, 4.0], &[0.1, 11.0, 7.0]]);
    let fitted = fit("gaussian", &data).unwrap();
    let variances: Vec<f64> = fitted.parameters()[3..].iter().map(|p| p.value).collect();
    for (value, expected) in variances.iter().zip([(8.0 / 3.0 + 6.0) / 2.0, 8.0 / 3.0, 6.0]) {
        close(*value, expected, 1e-14);
    }
    assert!(
        fitted.notices()[0].to_string().contains("number 1 of each row is constant: its variance is taken to be 4.333e0"),
        "{:?}",
        fitted.notices()
    );
    assert!(fit("gaussian(covariance=spherical)", &data).unwrap().is_maximum_likelihood());
    let alone = fit("gaussian(covariance=spherical)", &numbers(&[&[3.0, 4.0]])).unwrap();
    assert_eq!(alone.parameters()[2].value, 1.0);
}

#[test]
fn rows_that_no_gaussian_can_be_fitted_to_are_refused() {
    let none = numbers(&[&[1.0]]).select(&[]);
    assert!(fit("gaussian", &none).unwrap_err().to_string().contains("no row of positive weight"));
    let long = numbers(&[&[1.0, 2.0], &[3.0, 5.0]]);
    assert!(fit("gaussian(variance=[1, 2, 3])", &long).unwrap_err().to_string().contains("known variances of gaussian"));
    assert!(fit("gaussian", &numbers(&[&[1e200], &[-1e200]])).unwrap_err().to_string().contains("above 1e308"));
    let fitted = fit("gaussian", &long).unwrap();
    assert!(fitted.scores(&numbers(&[&[1.0]])).is_err());
    assert!(fitted.with_parameters(&[0.0, 0.0, 1.0, -1.0]).is_err());
}

#[test]
fn a_damaged_fit_is_not_read() {
    let fitted = fit("gaussian", &numbers(&[&[1.0, 2.0], &[3.0, 5.0]])).unwrap();
    let sound = serde_json::to_value(&fitted).unwrap();
    let read = |json: serde_json::Value| serde_json::from_value::<FittedGenerative>(json);
    assert_eq!(read(sound.clone()).unwrap(), fitted);
    for (place, damage) in [("mean", serde_json::json!({"inline": [1.0]})), ("constant", serde_json::json!({"inline": [2]}))] {
        let mut json = sound.clone();
        json["gaussian"][place] = damage;
        assert!(read(json).is_err(), "{place}");
    }
    let mut json = sound;
    json["gaussian"]["spread"] = serde_json::json!({"spherical": 0.0});
    assert!(read(json).is_err());
}

#[test]
fn columns_of_numbers_and_of_vectors_are_one_input() {
    let vectors = numbers(&[&[1.0, 2.0], &[3.0, 5.0], &[0.0, 1.0]]);
    let column = |name: &str, v: &[f64]| Column { name: name.into(), values: Values::Numbers(v.to_vec()) };
    let columns = Dataset::new(vec![column("a", &[1.0, 3.0, 0.0]), column("b", &[2.0, 5.0, 1.0])]).unwrap();
    for text in ["gaussian", "gaussian(covariance=full)", "gaussian(covariance=spherical)", "gaussian(variance=[1, 2])"] {
        assert_eq!(fit(text, &vectors).unwrap(), fit(text, &columns).unwrap());
    }
}

#[test]
fn every_model_has_a_constructor_and_each_parameter_is_printed_as_it_is_read() {
    let made = set_one_by_one();
    let names: Vec<&str> = made.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, listed().iter().map(|entry| entry.name).collect::<Vec<_>>());
    for model in made.into_iter().flat_map(|(_, models)| models) {
        assert_eq!(model, GenerativeExpr::parse(&model.to_string()).unwrap());
    }
}
