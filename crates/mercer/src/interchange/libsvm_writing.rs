//! A [`Model`] as the text of a model of LIBSVM: see `libsvm_reading` for the format.
//!
//! A linear machine that keeps no rows is written with its weights as support vectors, and scaling is folded into them:
//! w . (x - centre) / scale = (w / scale) . x - w . (centre / scale).

use crate::data::{Column, ColumnKind, Storage, Values};
use crate::error::{Error, Result};
use crate::estimators::{
    Calibrated, EqualVotes, Expansion, Fitted, FittedModel, FittedSvc, PairLayout, SvcDecision, pair_count, pairs_among,
};
use crate::expr::Short;
use crate::kernels::KernelExpr;
use crate::learner::Model;
use crate::linalg::Matrix;
use crate::notice::Notice;
use crate::prep::{Fitted as Prep, PrepStep};
use std::collections::HashSet;
use std::fmt::Write;

/// A model as text, and what of it is left out.
#[derive(Clone, Debug, PartialEq)]
pub struct WrittenModel {
    /// The text.
    pub text: String,
    /// What the text does not hold.
    pub notices: Vec<Notice>,
}

/// The fitted machine in the words of LIBSVM.
struct Machine<'a> {
    svm_type: &'static str,
    expansion: &'a Expansion,
    /// How pairs become a class; none where there are no classes.
    svc: Option<&'a FittedSvc>,
}

/// A feature: its index in the text, and what is taken off and divided out before the kernel.
struct Feature {
    index: usize,
    centre: f64,
    scale: f64,
}

/// Rows with their coefficients, as they are written.
struct WrittenRows {
    /// Numbers of the rows by feature, zeros left out.
    rows: Vec<Vec<(usize, f64)>>,
    /// Rows x outputs, or x other classes.
    coef: Matrix,
    /// The place of the class of each row.
    layout: PairLayout,
    bias: Vec<f64>,
}

/// Writes the text of a model of LIBSVM.
///
/// # Errors
/// An estimator, a kernel or a preparation that LIBSVM does not have.
pub fn to_libsvm(model: &Model) -> Result<WrittenModel> {
    let mut notices = Vec::new();
    if model.cut.is_some() {
        return Err(refused("it decides at another cut than 0", "fit without costs of errors"));
    }
    let machine = machine(&model.fitted)?;
    let (kernel, is_linear) = kernel(model.kernel.expr())?;
    let features = features(model, is_linear)?;
    let classes = machine.svc.map(|svc| svc.classes);
    if classes.is_some() && machine.expansion.bias.len() != classes.map_or(1, pair_count) {
        return Err(refused("some of its classes had no row in training", "fit to a table whose target has rows of every class"));
    }
    let rows = rows(model, &machine, &features, is_linear)?;
    let mut out = format!("svm_type {}\n{kernel}nr_class {}\ntotal_sv {}\n", machine.svm_type, classes.unwrap_or(2), rows.rows.len());
    let sign = if classes.is_some_and(|k| k > 2) { -1.0 } else { 1.0 };
    line(&mut out, "rho", rows.bias.iter().map(|b| Short(-sign * b)));
    let order = match &machine.svc {
        Some(svc) => headings_of_classes(&mut out, model, svc, &rows, &mut notices)?,
        None => (0..rows.rows.len()).collect(),
    };
    out.push_str("SV\n");
    for row in order {
        rows.coef.row(row).iter().for_each(|c| _ = write!(out, "{} ", Short(sign * c)));
        rows.rows[row].iter().for_each(|(index, value)| _ = write!(out, "{index}:{} ", Short(*value)));
        out.push('\n');
    }
    if model.conformal.is_some() {
        notices.push("the scores of its intervals or prediction sets are left out".into());
    }
    Ok(WrittenModel { text: out, notices: notices.into_iter().map(Notice::TakenOver).collect() })
}

/// A line of a key and values.
fn line(out: &mut String, key: &str, values: impl Iterator<Item = impl std::fmt::Display>) {
    out.push_str(key);
    values.for_each(|value| _ = write!(out, " {value}"));
    out.push('\n');
}

/// That LIBSVM cannot express a model, and what to do instead.
fn refused(why: impl std::fmt::Display, instead: impl std::fmt::Display) -> Error {
    Error::Data(format!("a model of LIBSVM cannot express this one: {why}; {instead}"))
}

/// The machine in LIBSVM's words.
fn machine(fitted: &FittedModel) -> Result<Machine<'_>> {
    let fitted = if let FittedModel::Calibrated(calibrated) = fitted { calibrated.fitted() } else { fitted };
    let (svm_type, svc) = match fitted {
        FittedModel::Svc(svc) => ("c_svc", Some(svc)),
        FittedModel::NuSvc(svc) => ("nu_svc", Some(svc)),
        FittedModel::Svr(_) => ("epsilon_svr", None),
        FittedModel::NuSvr(_) => ("nu_svr", None),
        FittedModel::OneClass(_) => ("one_class", None),
        _ => return Err(refused("it is of another estimator", "fit svc, nu_svc, svr, nu_svr or one_class")),
    };
    let Some(expansion) = fitted.expansion() else { return Err(refused("it has no coefficients", "fit it again")) };
    if let Some(svc) = svc
        && !matches!(svc.decision, SvcDecision::Pairs(_))
    {
        return Err(refused("its classes are not decided by the votes of pairs", "fit with multiclass=pairs"));
    }
    if svc.is_none() && expansion.bias.len() != 1 {
        return Err(refused("it predicts several targets", "fit one model for each target"));
    }
    Ok(Machine { svm_type, expansion, svc })
}

/// The lines of the kernel, and whether it is linear.
fn kernel(kernel: &KernelExpr) -> Result<(String, bool)> {
    let numbers: Vec<f64> = kernel.values().iter().flat_map(|parameter| parameter.value.numbers().to_vec()).collect();
    let lines = match (kernel, &numbers[..]) {
        (KernelExpr::Linear(_), _) => "kernel_type linear\n".to_owned(),
        (KernelExpr::Rbf(_), [length]) => format!("kernel_type rbf\ngamma {}\n", Short(0.5 / (length * length))),
        (KernelExpr::Polynomial(_), [degree, gamma, offset]) => {
            format!("kernel_type polynomial\ndegree {degree}\ngamma {}\ncoef0 {}\n", Short(*gamma), Short(*offset))
        }
        (KernelExpr::Sigmoid(_), [gamma, offset]) => {
            format!("kernel_type sigmoid\ngamma {}\ncoef0 {}\n", Short(*gamma), Short(*offset))
        }
        _ => {
            let why = format!("its kernel is {kernel}");
            return Err(refused(why, "fit with linear, polynomial, rbf with one length_scale, or sigmoid, of all columns"));
        }
    };
    Ok((lines, matches!(kernel, KernelExpr::Linear(_))))
}

/// The features behind the numbers that the kernel sees, in their order.
fn features(model: &Model, is_linear: bool) -> Result<Vec<Feature>> {
    let (prep, of_distances) = (&model.prep, matches!(model.kernel.expr(), KernelExpr::Rbf(_)));
    let of_vectors = matches!(&prep.schema.columns[..], [only] if only.holds.kind() == ColumnKind::Points);
    if let Some(other) = prep.schema.columns.iter().find(|c| !of_vectors && c.holds.kind() != ColumnKind::Number) {
        let why = format!("its column '{}' holds {}", other.name, other.holds.kind().holds());
        return Err(refused(why, format!("LIBSVM has numbers: leave the column out (--types {}=ignore)", other.name)));
    }
    prep.steps.iter().try_for_each(|step| check_step(step, of_distances))?;
    let columns = model.support.columns();
    if let [Column { name, values: Values::Points(points) }] = columns
        && let [only] = &prep.schema.columns[..]
    {
        if name == "x_from_0" {
            return Err(refused("its features are counted from 0", "count them from 1 in the table"));
        }
        let listed = &only.written.features;
        if let Some(index) = listed.iter().find(|index| **index > i32::MAX as u64) {
            return Err(refused(format!("its feature {index} is beyond {}", i32::MAX), "number the features of the table from 1"));
        }
        let place = |d: usize| listed.get(d).map_or(d + 1, |index| *index as usize);
        let scaled = Scaling::of(prep, name);
        return (0..points.dim()).map(|d| feature(place(d), scaled.at(d), is_linear)).collect();
    }
    let of_column = |column: &Column| {
        let place = prep.schema.columns.iter().position(|c| c.name == column.name);
        feature(place.map_or(0, |place| place + 1), Scaling::of(prep, &column.name).at(0), is_linear)
    };
    columns.iter().map(of_column).collect()
}

/// How the numbers of a column are scaled.
struct Scaling(Option<(Vec<f64>, Vec<f64>)>);

impl Scaling {
    fn of(prep: &Prep, column: &str) -> Self {
        Scaling(prep.scale_of(column))
    }

    /// What is taken off the d-th number and divided out.
    fn at(&self, d: usize) -> (f64, f64) {
        self.0.as_ref().map_or((0.0, 1.0), |(centre, scale)| (centre[d], scale[d]))
    }
}

/// A feature, which is scaled where weights take that up.
fn feature(index: usize, (centre, scale): (f64, f64), is_linear: bool) -> Result<Feature> {
    if !is_linear && (centre != 0.0 || scale != 1.0) {
        let instead =
            "fit on columns as they are (--no-standardise, Python standardise=False) that were scaled before, or with kernel linear";
        return Err(refused("its columns are standardised and its kernel is not linear", instead));
    }
    Ok(Feature { index, centre, scale })
}

/// Refuses a step that no number in the text stands for.
fn check_step(step: &PrepStep, of_distances: bool) -> Result<()> {
    let left_out = |columns: &[String]| match columns.first().filter(|_| of_distances) {
        Some(name) => Err(refused(
            format!("its column '{name}' is left out as it was constant in training, and LIBSVM's rbf takes every column"),
            format!("take it out of the table (--types {name}=ignore)"),
        )),
        None => Ok(()),
    };
    match step {
        PrepStep::Complete(_) | PrepStep::Standardise(_) | PrepStep::Vectors(_) => Ok(()),
        PrepStep::Drop(drop) => left_out(&drop.columns),
        PrepStep::Fill(fill) => match fill.columns.iter().find(|filled| filled.flag.is_some()) {
            Some(filled) => Err(refused(
                format!("its column '{}' had missing cells, which are filled and marked", filled.column),
                format!("drop such rows (--missing {}=drop), or fill them in the table", filled.column),
            )),
            None => left_out(&fill.empty),
        },
        PrepStep::Gaps(_) | PrepStep::Calendar(_) | PrepStep::OneHot(_) | PrepStep::Hold(_) => Err(refused(
            "its preparation makes other columns of those of the table (dates, categories, series)",
            "leave such columns out (--types COLUMN=ignore), or write them as numbers in the table",
        )),
    }
}

/// The rows of the expansion with their coefficients; of weights alone, a row for each output.
fn rows(model: &Model, machine: &Machine<'_>, features: &[Feature], is_linear: bool) -> Result<WrittenRows> {
    let Expansion { coef, bias, weights, pairs, .. } = machine.expansion;
    let outputs = bias.len();
    let classes = machine.svc.map_or(2, |svc| svc.classes);
    let (numbers, coef, class) = match weights {
        Some(weights) => {
            Error::unless_equal("weights of features", features.len(), weights.rows())?;
            let own: Vec<Vec<(usize, f64)>> = (0..outputs).map(|o| weights.col(o).into_iter().enumerate().collect()).collect();
            // The vector of a pair is one of its first class.
            let of_pairs: Vec<(usize, usize)> = pairs_among(classes).collect();
            let ones = Matrix::from_fn(outputs, classes - 1, |o, j| f64::from(u8::from(j + 1 == of_pairs[o].1)));
            (own, ones, of_pairs.into_iter().map(|(a, _)| a).collect())
        }
        None => {
            let class = match pairs {
                Some(PairLayout { class, .. }) => class.clone(),
                // Of two classes a coefficient above 0 is one of the second.
                None => (0..coef.rows()).map(|s| usize::from(coef.row(s).iter().any(|c| *c > 0.0))).collect(),
            };
            (numbers_of(model), coef.clone(), class)
        }
    };
    let (layout, mut bias) = (PairLayout { class, classes }, bias.clone());
    let mut written = Vec::with_capacity(numbers.len());
    for (s, row) in numbers.into_iter().enumerate() {
        // What the centres take off, for each output that the row counts in.
        let taken: f64 = if is_linear { row.iter().map(|&(j, x)| x * features[j].centre / features[j].scale).sum() } else { 0.0 };
        if taken != 0.0 {
            layout.outputs_of(layout.class[s]).into_iter().zip(coef.row(s)).for_each(|(o, c)| bias[o] -= c * taken);
        }
        let unscaled = row.into_iter().map(|(j, x)| (features[j].index, x / features[j].scale));
        written.push(unscaled.filter(|(_, x)| *x != 0.0).collect());
    }
    Ok(WrittenRows { rows: written, coef, layout, bias })
}

/// The numbers of the support rows that the kernel sees, in the order of the features.
fn numbers_of(model: &Model) -> Vec<Vec<(usize, f64)>> {
    let mut rows = vec![Vec::new(); model.support.rows()];
    let mut first = 0;
    for column in model.support.columns() {
        match &column.values {
            Values::Numbers(v) => {
                v.iter().enumerate().for_each(|(i, x)| rows[i].push((first, *x)));
                first += 1;
            }
            Values::Points(points) => {
                match points.storage() {
                    Storage::Dense(v) => {
                        v.chunks_exact(points.dim().max(1)).zip(&mut rows).for_each(|(x, row)| row.extend(x.iter().copied().enumerate()));
                    }
                    Storage::Csr { starts, columns, values } => {
                        for (w, row) in starts.windows(2).zip(&mut rows) {
                            row.extend((w[0]..w[1]).map(|k| (columns[k] as usize, values[k])));
                        }
                    }
                }
                first += points.dim();
            }
            _ => {}
        }
    }
    rows
}

/// The lines of classes, and the rows class by class.
fn headings_of_classes(
    out: &mut String,
    model: &Model,
    svc: &FittedSvc,
    rows: &WrittenRows,
    notices: &mut Vec<String>,
) -> Result<Vec<usize>> {
    let names = model.answer.classes().unwrap_or_default();
    // The first label of two is the class of decision values above 0.
    let places: Vec<usize> = if names.len() == 2 { vec![1, 0] } else { (0..names.len()).collect() };
    let numbers: Option<Vec<i32>> = names.iter().map(|name| name.parse().ok()).collect();
    match numbers.filter(|numbers| numbers.iter().collect::<HashSet<_>>().len() == names.len()) {
        Some(numbers) => line(out, "label", places.iter().map(|&k| numbers[k])),
        None => {
            line(out, "label", places.iter());
            let list: Vec<String> = names.iter().enumerate().map(|(k, name)| format!("{k} = {name}")).collect();
            notices.push(format!("LIBSVM's labels are whole numbers: {}", list.join(", ")));
        }
    }
    if let (SvcDecision::Pairs(pairs), true) = (&svc.decision, names.len() > 2)
        && pairs.ties() == EqualVotes::Sum
    {
        notices.push(
            "of classes with equal votes LIBSVM takes the first, and this model the one with the greater sum of decision values; \
             fit with ties=first for equal labels"
                .into(),
        );
    }
    if let FittedModel::Calibrated(calibrated) = &model.fitted {
        sigmoids(out, calibrated, names.len(), notices);
    }
    let of_class = |class: usize| (0..rows.rows.len()).filter(move |&s| rows.layout.class[s] == class);
    line(out, "nr_sv", places.iter().map(|&class| of_class(class).count()));
    Ok(places.iter().flat_map(|&class| of_class(class)).collect())
}

/// The constants of probabilities, where sigmoids alone make them: of the first label 1 / (1 + exp(A f + B)).
fn sigmoids(out: &mut String, calibrated: &Calibrated, classes: usize, notices: &mut Vec<String>) {
    match calibrated.sigmoids_alone() {
        Some(sigmoids) => {
            let side = if classes == 2 { -1.0 } else { 1.0 };
            line(out, "probA", sigmoids.iter().map(|s| Short(-s.slope)));
            line(out, "probB", sigmoids.iter().map(|s| Short(side * s.offset)));
            notices
                .push("classes are those of svm-predict -b 1: with -b 0 LIBSVM decides by votes, not by the greatest probability".into());
        }
        None => notices.push(
            "its probabilities are left out, a softmax that LIBSVM does not have; LIBSVM decides by votes, not by the greatest of them"
                .into(),
        ),
    }
}
