//! Which pictures suit a model and its held-out predictions, and the numbers that they are drawn from.

use super::figures::median;
use super::gather::Request;
use super::predictions::interval;
use super::typical;
use super::{
    Components, Confusion, Curve, Directions, LengthScales, Picture, PredictedTrue, Regions, Reliability, Residuals, Scree, TuningCurve,
};
use crate::compare::Scored;
use crate::control::Control;
use crate::data::{Column, ColumnKind, Dataset, Target, Values, even_rows};
use crate::error::{Error, Result};
use crate::estimators::{
    Answer, Estimator, EstimatorExpr, Fitted, FittedModel, KernelPca, MOST_CLUSTERS, Predicted, Predictions, Query, Task, View, Want,
};
use crate::gram::{Dense, Subset};
use crate::learner::Model;
use crate::linalg::Matrix;
use crate::param::Value;
use crate::prep::PrepStep;
use crate::select::{BoundStatus, TunedParameter};
use statrs::distribution::{ContinuousCDF, Normal};

/// Clusters of more rows are not looked for again with other numbers of them.
const COUNTED: usize = 2000;
/// Probability of the intervals shown.
const LEVEL: f64 = 0.9;

/// The z with P(-z < Z < z) = level for a standard normal Z.
pub(super) fn normal_quantile(level: f64) -> f64 {
    Normal::standard().inverse_cdf(0.5 + level / 2.0)
}

/// Pictures that need no rows held out: what is predicted where, what the search learnt, which columns matter. Where time is
/// up for the predictions of one, or memory does not suffice, it is left out.
pub(super) fn of_model(model: &Model, data: &Dataset, target: &Target, weights: Option<&[f64]>, control: &Control) -> Result<Vec<Picture>> {
    // A slice through more columns says little of where the rows lie.
    const MOST_COLUMNS: usize = 6;
    let mut out = Vec::new();
    let numbers = all_numbers(data);
    match (target, numbers.as_deref()) {
        (Target::Classes { codes, names }, Some(columns))
            if (2..=MOST_COLUMNS).contains(&columns.len()) && model.estimator.looks_at_inputs() =>
        {
            out.extend(on_a_grid(regions(model, codes, names, columns, control))?)
        }
        (Target::Numbers(y), Some([x])) if y.cols() == 1 => {
            out.extend(on_a_grid(curve(model, *x, &y.col(0), &model.answer.columns().concat(), control))?)
        }
        _ => {}
    }
    if let Target::Classes { codes, names } = target {
        out.extend(in_time(directions(model, data, codes, names, control))?.flatten().map(Picture::Directions));
    }
    if let Answer::Components { names } = &model.answer {
        out.extend(in_time(components(model, data, names, control))?);
        out.extend(in_time(scree(model, data, weights, control))?.flatten().map(Picture::Scree));
    }
    if model.fitted.clusters().is_some() {
        out.extend(in_time(clusters(model, data, control))?);
        out.extend(in_time(counts(model, data, weights, control))?.flatten().map(Picture::Tuning));
    }
    out.extend(in_time(typical::of_model(model, data, target, control))?.into_iter().flatten());
    out.extend(length_scales(model)?);
    out.extend(model.about.tuning.iter().flat_map(TuningCurve::all).map(Picture::Tuning));
    Ok(out)
}

fn in_time<T>(picture: Result<T>) -> Result<Option<T>> {
    match picture {
        Err(Error::Time { .. } | Error::Memory { .. }) => Ok(None),
        other => other.map(Some),
    }
}

/// A picture of predictions between the rows: a model of counts has none there.
fn on_a_grid(picture: Result<Picture>) -> Result<Option<Picture>> {
    match in_time(picture) {
        Err(Error::Data(_)) => Ok(None),
        other => other,
    }
}

/// Pictures of the predictions of each row by the model that did not see it.
pub(super) fn of_held_out(scored: &Scored, request: &Request<'_>) -> Vec<Picture> {
    let Some(held_out) = &scored.out_of_fold else { return Vec::new() };
    let (rows, p) = (&held_out.rows, &held_out.predictions);
    let name = request.info.names.first().map_or("", String::as_str);
    match (request.target, &p.values) {
        (Target::Classes { codes, names }, Predicted::Classes(found)) => {
            let codes: Vec<usize> = rows.iter().map(|&i| codes[i]).collect();
            let mut out = vec![confusion(&codes, found, names)];
            out.extend(reliability(p, &codes, found, names));
            out
        }
        (Target::Numbers(y), Predicted::Numbers(found)) => {
            let truth: Vec<f64> = rows.iter().map(|&i| y[(i, 0)]).collect();
            let predicted = found.col(0);
            let residual = truth.iter().zip(&predicted).map(|(t, p)| t - p).collect();
            let residuals = Residuals { target: name.to_owned(), predicted: predicted.clone(), residual };
            vec![predicted_true(p, truth, predicted, name), Picture::Residuals(residuals)]
        }
        _ => Vec::new(),
    }
}

/// The number columns, if the table has no others.
fn all_numbers(data: &Dataset) -> Option<Vec<(&str, &[f64])>> {
    data.columns()
        .iter()
        .map(|c| match &c.values {
            Values::Numbers(v) if v.iter().all(|x| x.is_finite()) => Some((c.name.as_str(), v.as_slice())),
            _ => None,
        })
        .collect()
}

fn confusion(codes: &[usize], found: &[usize], names: &[String]) -> Picture {
    let mut counts = vec![0; names.len() * names.len()];
    for (t, p) in codes.iter().zip(found) {
        counts[t * names.len() + p] += 1;
    }
    Picture::Confusion(Confusion { classes: names.to_vec(), counts })
}

/// Of two classes the probability of the second, of more that of the predicted class.
fn reliability(p: &Predictions, codes: &[usize], found: &[usize], names: &[String]) -> Option<Picture> {
    let probabilities = p.probabilities.as_ref()?;
    let pair = names.len() == 2;
    let event = |i: usize| if pair { 1 } else { found[i] };
    let stated: Vec<(f64, bool)> = (0..codes.len()).map(|i| (probabilities[(i, event(i))], codes[i] == event(i))).collect();
    let what = if pair { names[1].clone() } else { "the predicted class".to_owned() };
    Some(Picture::Reliability(Reliability::of(what, &stated)))
}

/// The ends of the intervals of the first output; none where there is no variance.
fn intervals(p: &Predictions) -> Vec<[f64; 2]> {
    let ends = interval(p, LEVEL).ok().flatten();
    ends.map_or(Vec::new(), |(low, high)| low.col(0).into_iter().zip(high.col(0)).map(|(low, high)| [low, high]).collect())
}

fn predicted_true(p: &Predictions, truth: Vec<f64>, predicted: Vec<f64>, target: &str) -> Picture {
    let intervals = intervals(p);
    Picture::PredictedTrue(PredictedTrue { target: target.to_owned(), truth, predicted, intervals, level: LEVEL })
}

/// The rows along the first two components, under their names: those of a column that names each row, or their numbers.
fn components(model: &Model, data: &Dataset, names: &[String], control: &Control) -> Result<Picture> {
    let places = match model.predict(data, Want::default(), control)?.values {
        Predicted::Numbers(places) => places,
        Predicted::Classes(_) => Matrix::zeros(data.rows(), 0),
    };
    Ok(Picture::Components(Components {
        axes: names.iter().take(2).cloned().collect(),
        shares: model.fitted.spectrum().map_or(Vec::new(), |s| s.shares().into_iter().take(2).collect()),
        places: plane(&places),
        rows: names_of_rows(data),
        clusters: Vec::new(),
        medoids: Vec::new(),
    }))
}

/// The rows along the discriminant directions, where a prediction uses features or only kernel values with the rows that were
/// kept.
fn directions(model: &Model, data: &Dataset, codes: &[usize], names: &[String], control: &Control) -> Result<Option<Directions>> {
    let fitted = match &model.fitted {
        FittedModel::Calibrated(calibrated) => calibrated.fitted(),
        fitted => fitted,
    };
    let FittedModel::Discriminant(found) = fitted else { return Ok(None) };
    let prepared = model.prep.apply(data)?;
    let kept = found.support().len();
    let bound = match kept {
        0 if found.expansion().is_of_features() => model.kernel.gram_to_multiply(&prepared, control)?,
        1.. if model.support.rows() == kept => model.support.reference(&model.kernel, control)?.cross(&prepared, control)?,
        _ => return Ok(None),
    };
    let along = found.expansion().predict(bound.as_ref(), control)?;
    let place = |i: usize| [along[(i, 0)], if along.cols() > 1 { along[(i, 1)] } else { codes[i] as f64 }];
    Ok((along.cols() > 0).then(|| Directions {
        names: names.to_vec(),
        classes: codes.to_vec(),
        places: (0..data.rows()).map(place).collect(),
        between: found.between.iter().take(2).copied().collect(),
    }))
}

/// The variance of the greatest components, those that are left out included, where rows are few.
fn scree(model: &Model, data: &Dataset, weights: Option<&[f64]>, control: &Control) -> Result<Option<Scree>> {
    // Components whose variance is drawn, though fewer are kept.
    const SCREE: usize = 10;
    let (EstimatorExpr::KernelPca(own), Some(spectrum)) = (&model.estimator, model.fitted.spectrum()) else { return Ok(None) };
    if data.rows() > COUNTED {
        return Ok(None);
    }
    let kept = spectrum.values.len();
    let gram = model.kernel.gram(&model.prep.apply(data)?, control)?;
    let task =
        Task { view: View::Values(gram.as_ref()), target: &Target::Absent { rows: data.rows() }, weights, control, seed: model.about.seed };
    let most = kept.max(SCREE).min(data.rows().saturating_sub(1)).max(1);
    let whole = KernelPca { components: Value::Number(most as f64), novelty: false, sparsity: Value::Number(0.0), ..own.clone() };
    let shares = whole.fit(&task)?.spectrum().map(|s| s.shares());
    Ok(shares.filter(|shares| shares.len() > 1).map(|shares| Scree { shares, kept }))
}

/// The first two columns of coordinates; 0 upwards where there is one.
fn plane(places: &Matrix) -> Vec<[f64; 2]> {
    (0..places.rows()).map(|i| [places[(i, 0)], if places.cols() > 1 { places[(i, 1)] } else { 0.0 }]).collect()
}

/// The rows by their clusters along the first two kernel principal components of the same kernel.
fn clusters(model: &Model, data: &Dataset, control: &Control) -> Result<Picture> {
    let Predicted::Classes(found) = model.predict(data, Want::default(), control)?.values else {
        return Err(Error::Data("clusters are numbered, and these are not".into()));
    };
    let gram = model.kernel.gram(&model.prep.apply(data)?, control)?;
    let task = Task {
        view: View::Values(gram.as_ref()),
        target: &Target::Absent { rows: data.rows() },
        weights: None,
        control,
        seed: model.about.seed,
    };
    let plane_of = KernelPca::default().fit(&task)?;
    let support: Vec<usize> = plane_of.support().to_vec();
    let cross = Subset::new(gram.as_ref(), &(0..data.rows()).collect::<Vec<_>>(), &support);
    let Predicted::Numbers(places) = plane_of.predict(&Query::new(&cross, Want::default(), control))?.values else {
        return Err(Error::Data("components are numbers, and these are not".into()));
    };
    Ok(Picture::Components(Components {
        axes: (1..=places.cols().min(2)).map(|k| format!("pc{k}")).collect(),
        shares: plane_of.spectrum().map_or(Vec::new(), |s| s.shares().into_iter().take(2).collect()),
        places: plane(&places),
        rows: names_of_rows(data),
        clusters: found,
        medoids: model.medoid_rows(),
    }))
}

/// What other numbers of clusters are worth beside that of the fit, by what finds it where it is open, where rows are few.
fn counts(model: &Model, data: &Dataset, weights: Option<&[f64]>, control: &Control) -> Result<Option<TuningCurve>> {
    let Some(clusters) = model.fitted.clusters() else { return Ok(None) };
    // Rows of weight 0 are absent, here as in the fit.
    let kept: Vec<usize> = (0..data.rows()).filter(|&i| weights.is_none_or(|w| w[i] > 0.0)).collect();
    if !(3..=COUNTED).contains(&kept.len()) {
        return Ok(None);
    }
    let weights: Option<Vec<f64>> = weights.map(|w| kept.iter().map(|&i| w[i]).collect());
    let prepared = model.prep.apply(&data.select(&kept))?;
    let gram = Dense::of(model.kernel.gram(&prepared, control)?.as_ref(), control)?;
    let task = Task {
        view: View::Values(&gram),
        target: &Target::Absent { rows: kept.len() },
        weights: weights.as_deref(),
        control,
        seed: model.about.seed,
    };
    let chosen = clusters.sizes.len();
    let Some(curve) = model.estimator.counts(&task, MOST_CLUSTERS.max(chosen + 1))? else { return Ok(None) };
    let Some(own) = curve.tried.iter().find(|t| t.count == chosen) else { return Ok(None) };
    let (first, last) = (curve.tried[0].count as f64, curve.tried[curve.tried.len() - 1].count as f64);
    let parameter = TunedParameter {
        name: "clusters".into(),
        column: None,
        path: "clusters".into(),
        value: chosen as f64,
        low: first,
        high: last,
        integer: true,
        tried: curve.tried.iter().map(|t| (t.count as f64, t.value)).collect(),
        at_bound: None,
        same: [chosen as f64; 2],
        edges: [BoundStatus::Unknown; 2],
    };
    let (same, drawn) = (own.value - curve.indifference(), curve.tried.iter().any(|t| t.error > 0.0));
    let errors = if drawn { curve.tried.iter().map(|t| t.error).collect() } else { Vec::new() };
    let by = curve.by.in_words();
    Ok(Some(TuningCurve { criterion: by.into(), label: by.into(), rises: true, score: own.value, same, parameter, errors }))
}

/// What rows are called: the cells of a column that names each, or their numbers.
fn names_of_rows(data: &Dataset) -> Vec<String> {
    let named = data.columns().iter().find_map(|column| {
        if column.values.kind() == ColumnKind::Number || column.values.vectors().is_some() {
            return None;
        }
        let word = |cell: serde_json::Value| cell.as_str().map_or_else(|| cell.to_string(), str::to_owned);
        let cells: Vec<String> = (0..data.rows()).map(|i| word(column.values.cell(i))).collect();
        let different: std::collections::HashSet<&String> = cells.iter().collect();
        (different.len() == data.rows()).then_some(cells)
    });
    named.unwrap_or_else(|| (1..=data.rows()).map(|i| i.to_string()).collect())
}

/// One picture for each kernel of the expression that has a length scale per column.
fn length_scales(model: &Model) -> Result<Vec<Picture>> {
    if !model.estimator.uses_kernel() {
        return Ok(Vec::new());
    }
    let standardised = model.prep.steps.iter().any(|s| matches!(s, PrepStep::Standardise(_) | PrepStep::Vectors(_)));
    let mut out = Vec::new();
    for p in model.kernel.expr().values().into_iter().filter(|p| p.param.name == "length_scale") {
        let Value::List(lengths) = &p.value else { continue };
        let columns = model.kernel.expr().columns_at(&p.path, &model.support)?;
        if columns.len() == lengths.len() && lengths.len() > 1 {
            let kernel = p.path.rsplit('.').nth(1).unwrap_or("the kernel").to_owned();
            out.push(Picture::LengthScales(LengthScales { kernel, columns, lengths: lengths.clone(), standardised }));
        }
    }
    Ok(out)
}

/// The ends of an axis: the data with a margin, which ends at 0 where all have one sign: a model of counts has no value beyond.
fn span(values: &[f64]) -> [f64; 2] {
    let (low, high) = values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| (a.min(*x), b.max(*x)));
    let margin = if high > low { 0.06 * (high - low) } else { 0.5 };
    [if low >= 0.0 { (low - margin).max(0.0) } else { low - margin }, if high <= 0.0 { (high + margin).min(0.0) } else { high + margin }]
}

fn numbers_table(columns: Vec<(&str, Vec<f64>)>) -> Result<Dataset> {
    Dataset::new(columns.into_iter().map(|(name, v)| Column { name: name.to_owned(), values: Values::Numbers(v) }).collect())
}

/// Between the classes over within them: the F ratio of one column, up to a factor that all columns share.
fn separation(values: &[f64], codes: &[usize], classes: usize) -> f64 {
    let mut sums = vec![(0.0, 0.0); classes];
    for (x, &k) in values.iter().zip(codes) {
        sums[k] = (sums[k].0 + 1.0, sums[k].1 + x);
    }
    let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
    let middle = |k: usize| sums[k].1 / f64::max(sums[k].0, 1.0);
    let between: f64 = (0..classes).map(|k| sums[k].0 * (middle(k) - mean).powi(2)).sum();
    let within: f64 = values.iter().zip(codes).map(|(x, &k)| (x - middle(k)).powi(2)).sum();
    if within > 0.0 { between / within } else { between }
}

/// The plane of the two columns that separate the classes best; the others are held at their medians.
fn regions(model: &Model, codes: &[usize], names: &[String], columns: &[(&str, &[f64])], control: &Control) -> Result<Picture> {
    // Cells along each side of a picture of regions.
    const CELLS: usize = 100;
    let mut order: Vec<usize> = (0..columns.len()).collect();
    let apart: Vec<f64> = columns.iter().map(|(_, v)| separation(v, codes, names.len())).collect();
    order.sort_by(|&a, &b| apart[b].total_cmp(&apart[a]));
    let (first, second) = (order[0].min(order[1]), order[0].max(order[1]));
    let (x, y) = (columns[first], columns[second]);
    let (across, upwards) = (span(x.1), span(y.1));
    let middle = |ends: [f64; 2], k: usize| ends[0] + (ends[1] - ends[0]) * (k as f64 + 0.5) / CELLS as f64;
    let cells = |place: usize, values: &[f64]| -> Vec<f64> {
        let held = median(values.to_vec()).unwrap_or(0.0);
        (0..CELLS * CELLS)
            .map(|c| match place {
                p if p == first => middle(across, c % CELLS),
                p if p == second => middle(upwards, c / CELLS),
                _ => held,
            })
            .collect()
    };
    let grid = numbers_table(columns.iter().enumerate().map(|(k, (name, values))| (*name, cells(k, values))).collect())?;
    let predicted = match model.predict(&grid, Want::default(), control)?.values {
        Predicted::Classes(codes) => codes,
        Predicted::Numbers(_) => Vec::new(),
    };
    Ok(Picture::Regions(Regions {
        axes: [x.0.to_owned(), y.0.to_owned()],
        held: columns.len() - 2,
        classes: names.to_vec(),
        across,
        upwards,
        cells: CELLS,
        predicted,
        points: x.1.iter().zip(y.1).map(|(a, b)| [*a, *b]).collect(),
        codes: codes.to_vec(),
        support: model.support_rows(),
    }))
}

fn curve(model: &Model, x: (&str, &[f64]), y: &[f64], target: &str, control: &Control) -> Result<Picture> {
    // Points of a curve, evenly spread, and rows at whose inputs it is known besides.
    const CURVE: usize = 200;
    const CURVE_ROWS: usize = 5000;
    let [low, high] = span(x.1);
    let between = (0..CURVE).map(|k| low + (high - low) * k as f64 / (CURVE - 1) as f64);
    // The rows themselves: a curve may turn between any two places of a fixed number, and what its band holds is counted at the rows.
    let mut at: Vec<f64> = between.chain(even_rows(x.1.len(), CURVE_ROWS).into_iter().map(|i| x.1[i])).collect();
    at.sort_by(f64::total_cmp);
    at.dedup();
    let p = model.predict(&numbers_table(vec![(x.0, at.clone())])?, Want { variance: true, ..Want::default() }, control)?;
    let mean = match &p.values {
        Predicted::Numbers(m) => m.col(0),
        Predicted::Classes(_) => Vec::new(),
    };
    Ok(Picture::Curve(Curve {
        input: x.0.to_owned(),
        target: target.to_owned(),
        at,
        mean,
        band: intervals(&p),
        level: LEVEL,
        x: x.1.to_vec(),
        y: y.to_vec(),
        support: model.support_rows(),
    }))
}
