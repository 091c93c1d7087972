//! What every generative model must keep to.

use super::{Checked, Verdict, close, fail, fields_are_parameters, table, words};
use crate::control::Control;
use crate::data::{Column, Dataset, RowWeights, Values};
use crate::generative::{FittedGenerative, GenerativeExpr, GenerativeModel, catalogue};
use crate::linalg::{Cholesky, Matrix, gramian_of_columns_within, product_transposed};

/// Runs every check on a generative model with its defaults, on small tables. It is registered then, unless it stands in the list.
pub fn check_model<M: GenerativeModel>() -> Verdict {
    let expr = words(GenerativeExpr::parse(M::NAME).or_else(|_| GenerativeExpr::own(M::default())))?;
    [3, 40].iter().try_for_each(|&rows| check_model_expr(&expr, &table(rows, 11)))
}

/// Every check that a generative model must pass on the columns of a table that it takes.
pub fn check_model_expr(expr: &GenerativeExpr, table: &Dataset) -> Verdict {
    let needs = expr.column_needs();
    let columns = table.columns().iter().filter(|c| (needs.takes)(c.values.kind())).cloned().collect();
    let data = words(Dataset::with_rows(table.rows(), columns))?;
    text_and_json_round_trips(expr)?;
    let json = serde_json::to_value(expr).map_err(|e| e.to_string())?;
    if let Some(entry) = catalogue().iter().find(|entry| entry.name == expr.name()) {
        fields_are_parameters(entry.name, &json, entry.params)?;
    }
    let model = words(expr.settle(&data, RowWeights::default()))?;
    text_and_json_round_trips(&model)?;
    let fitted = fit(&model, &data, None)?;
    if fit(&model, &data, None)? != fitted {
        return fail("same seed", "two fits differ");
    }
    a_fit_is_stored_exactly(&fitted, &data)?;
    scores_have_their_width(&model, &fitted, &data)?;
    scores_are_those_of_differences(&fitted, &data)?;
    rows_count_by_weight(&model, &data)?;
    order_does_not_matter(&model, &data, &fitted)?;
    let weights: Vec<f64> = (0..data.rows()).map(|i| [1.0, 2.0, 0.5][i % 3]).collect();
    for weights in [None, Some(weights.as_slice())] {
        scores_sum_to_zero(&fit(&model, &data, weights)?, &data, weights)?;
    }
    whitened_scores_are_those_of_the_information(&fitted, &data)?;
    samples_follow_the_density(&fitted, &data)
}

fn fit(model: &GenerativeExpr, data: &Dataset, weights: Option<&[f64]>) -> Checked<FittedGenerative> {
    words(model.fit(data, RowWeights::from(weights), 7, &Control::default()))
}

fn text_and_json_round_trips(expr: &GenerativeExpr) -> Verdict {
    let text = expr.to_string();
    if words(GenerativeExpr::parse(&text))? != *expr {
        return fail("text round trip", text);
    }
    let json = serde_json::to_string(expr).map_err(|e| e.to_string())?;
    match serde_json::from_str::<GenerativeExpr>(&json) {
        Ok(back) if back == *expr => Ok(()),
        _ => fail("JSON round trip", json),
    }
}

fn a_fit_is_stored_exactly(fitted: &FittedGenerative, data: &Dataset) -> Verdict {
    let json = serde_json::to_string(fitted).map_err(|e| e.to_string())?;
    let back: FittedGenerative = serde_json::from_str(&json).map_err(|e| e.to_string())?;
    if back != *fitted || words(back.scores(data))? != words(fitted.scores(data))? {
        return fail("JSON round trip", "of a fitted model");
    }
    Ok(())
}

/// As many numbers as there are free parameters, which the model foretells where it can.
fn scores_have_their_width(model: &GenerativeExpr, fitted: &FittedGenerative, data: &Dataset) -> Verdict {
    let (parameters, scores) = (fitted.parameters(), words(fitted.scores(data))?);
    let promised = model.free_parameters(data).unwrap_or(parameters.len());
    if (scores.rows(), scores.cols(), promised) != (data.rows(), parameters.len(), parameters.len()) {
        let found = format!("{} x {} for {} parameters of which {promised} were promised", scores.rows(), scores.cols(), parameters.len());
        return fail("score vectors", found);
    }
    let mut names: Vec<&str> = parameters.iter().map(|p| p.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    if names.len() < parameters.len() {
        return fail("names of free parameters", "one stands twice");
    }
    let given: Vec<f64> = parameters.iter().map(|p| p.value).collect();
    let again = words(words(fitted.with_parameters(&given))?.log_densities(data))?;
    match again.iter().zip(words(fitted.log_densities(data))?).find(|(a, b)| !close(**a, *b, 1e-9)) {
        Some((a, b)) => fail("free parameters", format!("they give a log density of {a}, and the fit has {b}")),
        None => Ok(()),
    }
}

/// d ln p / d theta against differences of fourth order, for every free parameter: a variance may be so small that the step counts beside it.
fn scores_are_those_of_differences(fitted: &FittedGenerative, data: &Dataset) -> Verdict {
    let scores = words(fitted.scores(data))?;
    let parameters = fitted.parameters();
    for (k, parameter) in parameters.iter().enumerate() {
        let h = 1e-5 * parameter.value.abs().max(1e-2);
        let moved = |by: f64| -> Checked<Vec<f64>> {
            let values: Vec<f64> = parameters.iter().enumerate().map(|(l, p)| if l == k { p.value + by } else { p.value }).collect();
            words(words(fitted.with_parameters(&values))?.log_densities(data))
        };
        let (near, far) = ((moved(h)?, moved(-h)?), (moved(2.0 * h)?, moved(-2.0 * h)?));
        for i in 0..data.rows() {
            let difference = (8.0 * (near.0[i] - near.1[i]) - (far.0[i] - far.1[i])) / (12.0 * h);
            if !close(scores[(i, k)], difference, 1e-6) {
                return fail("score vector", format!("{} of row {i}: {} and {difference} by differences", parameter.name, scores[(i, k)]));
            }
        }
    }
    Ok(())
}

/// Where the fit maximises the weighted likelihood, sum w g = 0 (K38).
fn scores_sum_to_zero(fitted: &FittedGenerative, data: &Dataset, weights: Option<&[f64]>) -> Verdict {
    if !fitted.is_maximum_likelihood() {
        return Ok(());
    }
    let (scores, weights) = (words(fitted.scores(data))?, RowWeights::from(weights));
    for (k, parameter) in fitted.parameters().iter().enumerate() {
        let terms: Vec<f64> = (0..data.rows()).map(|i| weights.at(i) * scores[(i, k)]).collect();
        let (sum, size) = (terms.iter().sum::<f64>(), terms.iter().map(|t| t.abs()).sum::<f64>());
        if sum.is_nan() || sum.abs() > 1e-10 * (1.0 + size) {
            return fail("sum of score vectors", format!("{sum} in {} of terms of size {size}", parameter.name));
        }
    }
    Ok(())
}

fn same_parameters(what: &str, a: &FittedGenerative, b: &FittedGenerative) -> Verdict {
    let (a, b) = (a.parameters(), b.parameters());
    match a.iter().zip(&b).find(|(a, b)| a.name != b.name || !close(a.value, b.value, 1e-10)) {
        Some((a, b)) => fail(what, format!("{} is {} and {} is {}", a.name, a.value, b.name, b.value)),
        None if a.len() == b.len() => Ok(()),
        None => fail(what, format!("{} and {} free parameters", a.len(), b.len())),
    }
}

fn rows_count_by_weight(model: &GenerativeExpr, data: &Dataset) -> Verdict {
    let counts: Vec<usize> = (0..data.rows()).map(|i| [1, 2, 0, 3][i % 4]).collect();
    let rows: Vec<usize> = (0..data.rows()).flat_map(|i| std::iter::repeat_n(i, counts[i])).collect();
    let weights: Vec<f64> = counts.iter().map(|&c| c as f64).collect();
    let weighed = fit(model, data, Some(&weights))?;
    same_parameters("weight 2 and a repeated row", &weighed, &fit(model, &data.select(&rows), None)?)
}

fn order_does_not_matter(model: &GenerativeExpr, data: &Dataset, fitted: &FittedGenerative) -> Verdict {
    let reversed: Vec<usize> = (0..data.rows()).rev().collect();
    same_parameters("permutation", fitted, &fit(model, &data.select(&reversed), None)?)
}

/// f(x)'f(z) = g(x)' I^-1 g(z).
fn whitened_scores_are_those_of_the_information(fitted: &FittedGenerative, data: &Dataset) -> Verdict {
    let (Some(whitened), Some(information)) = (words(fitted.whitened_scores(data))?, fitted.information()) else { return Ok(()) };
    let scores = words(fitted.scores(data))?;
    let solved = words(words(Cholesky::new(information, &Control::default()))?.solve(&scores.transpose(), &Control::default()))?;
    let (expected, found) = (words(product_transposed(&scores, &solved.transpose()))?, words(product_transposed(&whitened, &whitened))?);
    match found.data().iter().zip(expected.data()).find(|(a, b)| !close(**a, **b, 1e-7)) {
        Some((a, b)) => fail("whitened score vectors", format!("their product is {a}, and g' I^-1 g is {b}")),
        None => Ok(()),
    }
}

/// Equal seeds draw equal rows; over what is drawn E g = 0 and E g g' = I (K39), within 6 standard errors.
fn samples_follow_the_density(fitted: &FittedGenerative, data: &Dataset) -> Verdict {
    // Rows drawn from a fitted model.
    const DRAWN: usize = 20_000;
    let drawn = |rows: usize, seed: u64| words(fitted.sample(rows, seed));
    let some: Values = drawn(5, 3)?;
    if some.len() != 5 || drawn(5, 3)? != some || drawn(5, 4)? == some {
        return fail("sample", "one seed draws other rows, or two seeds draw the same");
    }
    let name = data.columns().first().map_or("x", |c| c.name.as_str()).to_owned();
    let sample = words(Dataset::new(vec![Column { name, values: drawn(DRAWN, 3)? }]))?;
    let (scores, Some(information)) = (words(fitted.scores(&sample))?, fitted.information()) else { return Ok(()) };
    let squares = Matrix::from_fn(scores.rows(), scores.cols(), |i, j| scores[(i, j)].powi(2));
    let shares = vec![1.0 / DRAWN as f64; DRAWN];
    let mean = |m: &Matrix| words(gramian_of_columns_within(m, Some(&shares), &Control::default()));
    let (second, fourth) = (mean(&scores)?, mean(&squares)?);
    let names = fitted.parameters();
    for i in 0..scores.cols() {
        let sum: f64 = (0..DRAWN).map(|k| scores[(k, i)]).sum::<f64>() / DRAWN as f64;
        if sum.abs() > 6.0 * (second[(i, i)] / DRAWN as f64).sqrt() {
            return fail("sample", format!("the mean of the score in {} is {sum}", names[i].name));
        }
        for j in 0..=i {
            let error = ((fourth[(i, j)] - second[(i, j)].powi(2)).max(0.0) / DRAWN as f64).sqrt();
            if (second[(i, j)] - information[(i, j)]).abs() > 6.0 * error {
                let which = format!("{} and {}", names[i].name, names[j].name);
                return fail("information", format!("{} of {which}, and {} over a sample", information[(i, j)], second[(i, j)]));
            }
        }
    }
    Ok(())
}
