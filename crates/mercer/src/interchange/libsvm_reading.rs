//! The text of a model of LIBSVM:
//!
//! ```text
//! svm_type c_svc
//! kernel_type rbf
//! gamma 0.5
//! nr_class 3
//! total_sv 30
//! rho 0.1 0.2 0.3
//! label 1 2 3
//! nr_sv 10 12 8
//! SV
//! 0.5 -1 1:0.25 3:1
//! ```
//!
//! A line of a support vector holds a coefficient for each other class and the features that are not 0. Of the classes i < j in the order of
//! the labels, sum_s coef k - rho is above 0 for i. The first of two labels is here the second class, so that decision values have
//! the same sign and 0 is of the same class; of more labels the signs are turned, so that the order of equal votes is the same.

use super::TextOptions;
use super::solved_elsewhere::SolvedElsewhere;
use super::sparse_rows::{FeatureColumns, SparseRows};
use super::text_model::{TextModel, finite};
use crate::control::Control;
use crate::error::{Error, Result};
use crate::estimators::{EstimatorExpr, Expansion, PairLayout, Sigmoid, pair_count};
use crate::expr::Short;
use crate::kernels::KernelExpr;
use crate::learner::Model;
use crate::linalg::Matrix;
use crate::notice::Notice;

/// Entries that a model may have.
const KEYS: [&str; 13] = [
    "svm_type",
    "kernel_type",
    "degree",
    "gamma",
    "coef0",
    "nr_class",
    "total_sv",
    "rho",
    "label",
    "probA",
    "probB",
    "prob_density_marks",
    "nr_sv",
];
/// The program, for messages.
const PROGRAM: &str = "LIBSVM";

/// Reads the text.
///
/// # Errors
/// A line that is damaged; a kernel that there is not; bounds of `control`.
pub(super) fn read(text: &str, file: &str, options: &TextOptions, control: &Control) -> Result<Model> {
    let model = TextModel::of(PROGRAM, (text, file), &KEYS, "SV", control)?;
    let kernel = kernel(&model)?;
    let (name, of_classes) = match model.word("svm_type")? {
        "c_svc" => ("svc", true),
        "nu_svc" => ("nu_svc", true),
        "epsilon_svr" => ("svr", false),
        "nu_svr" => ("nu_svr", false),
        "one_class" => ("one_class", false),
        other => {
            let known = ["c_svc", "nu_svc", "one_class", "epsilon_svr", "nu_svr"];
            return Err(model.fault_of("svm_type", Error::unknown("svm_type", other, known)));
        }
    };
    let classes = model.classes(of_classes)?;
    let rho = model.finites("rho", pair_count(classes))?.ok_or_else(|| model.fault(model.last, "the entry rho is missing"))?;
    let (coef, rows) = support_vectors(&model, classes - 1)?;
    let mut notices = vec![model.origin()];
    if options.columns == FeatureColumns::Vectors(None) && kernel.starts_with("rbf") {
        notices.push(format!(
            "features beyond the {}th, the last that a support vector has, are left out of new rows; --features says how many there are",
            rows.largest
        ));
    }
    let sigmoids = if of_classes { sigmoids(&model, classes, options.probabilities, &mut notices)? } else { Vec::new() };
    for (key, what) in [("probA", "the width of its distribution of errors"), ("prob_density_marks", "its probabilities of novelty")] {
        if !of_classes && model.values(key).is_some() {
            notices.push(format!("{what} ({key}) is left out"));
        }
    }
    let arguments = match (of_classes, sigmoids.is_empty()) {
        (true, true) => "(ties=first)",
        (true, false) => "(ties=first, probabilities=true)",
        (false, _) => "",
    };
    let all = (0..coef.rows()).collect();
    let expansion = match (of_classes, classes) {
        (true, 2) => {
            class_of_rows(&model, coef.rows(), classes)?;
            Expansion::new(all, coef, turned(rho))
        }
        (true, _) => {
            let pairs = Some(PairLayout { class: class_of_rows(&model, coef.rows(), classes)?, classes });
            let turned = Matrix::new(coef.rows(), coef.cols(), turned(coef.into_data()))?;
            Expansion { pairs, ..Expansion::new(all, turned, rho) }
        }
        (false, _) => Expansion::new(all, coef, turned(rho)),
    };
    let target = model.target(of_classes.then_some(classes), name == "one_class")?;
    SolvedElsewhere {
        program: PROGRAM.into(),
        estimator: EstimatorExpr::parse(&format!("{name}{arguments}"))?,
        kernel: KernelExpr::parse(&kernel).map_err(|why| model.fault_of("kernel_type", why))?,
        support: rows.into_columns(&options.columns, control)?,
        expansion,
        sigmoids,
        process: None,
        target,
        rows: None,
        converged: true,
        notices: notices.into_iter().map(Notice::TakenOver).collect(),
    }
    .into_model(control)
}

/// Numbers with the other sign.
fn turned(numbers: Vec<f64>) -> Vec<f64> {
    numbers.into_iter().map(|x| -x).collect()
}

/// The expression of the kernel.
fn kernel(model: &TextModel<'_>) -> Result<String> {
    let number = |key: &str| model.finite(key).map(Short);
    Ok(match model.word("kernel_type")? {
        "linear" => "linear".into(),
        "rbf" => format!("rbf(gamma={})", number("gamma")?),
        "polynomial" => format!("polynomial(degree={}, gamma={}, offset={})", number("degree")?, number("gamma")?, number("coef0")?),
        "sigmoid" => format!("sigmoid(gamma={}, offset={})", number("gamma")?, number("coef0")?),
        "precomputed" => {
            let why = "kernel_type precomputed holds numbers of rows and not the rows themselves, so that nothing can be predicted for new \
                       rows; train with a kernel of numbers";
            return Err(model.fault_of("kernel_type", why));
        }
        other => {
            let known = ["linear", "polynomial", "rbf", "sigmoid"];
            return Err(model.fault_of("kernel_type", Error::unknown("kernel_type", other, known)));
        }
    })
}

/// The coefficients, so many a row, and the rows.
fn support_vectors(model: &TextModel<'_>, width: usize) -> Result<(Matrix, SparseRows)> {
    let expected: usize = model.number("total_sv", "the number of support vectors")?;
    let fewer = format!("support vectors of {expected} (total_sv)");
    model.require_lines(expected, &fewer, &format!("support vector than the {expected} of total_sv"))?;
    let (mut coef, mut rows) = (Vec::new(), SparseRows::default());
    for &(line, text) in &model.body {
        let words = || text.split_ascii_whitespace();
        let own = words().take_while(|word| !word.contains(':')).count();
        if own != width {
            return Err(
                model.fault(line, format!("expected {width} coefficients before the features, one fewer than classes, found {own}"))
            );
        }
        for word in words().take(width) {
            coef.push(finite(word).map_err(|why| model.fault(line, why))?);
        }
        rows.add(words().skip(width)).map_err(|why| model.fault(line, why))?;
    }
    Ok((Matrix::new(expected, width, coef)?, rows))
}

/// The place of the class of each support vector: they stand class by class.
fn class_of_rows(model: &TextModel<'_>, rows: usize, classes: usize) -> Result<Vec<usize>> {
    const KEY: &str = "nr_sv";
    let words = model.values(KEY).ok_or_else(|| model.fault(model.last, "the entry nr_sv is missing: the classes of support vectors"))?;
    let counts: Option<Vec<usize>> = words.iter().map(|word| word.parse().ok()).collect();
    let sum = |counts: &[usize]| counts.iter().fold(0usize, |sum, count| sum.saturating_add(*count));
    match counts {
        Some(counts) if counts.len() == classes && sum(&counts) == rows => {
            Ok(counts.into_iter().enumerate().flat_map(|(class, count)| std::iter::repeat_n(class, count)).collect())
        }
        Some(counts) if counts.len() == classes => {
            Err(model.fault_of(KEY, format!("nr_sv adds up to {} and total_sv is {rows}", sum(&counts))))
        }
        _ => Err(model.fault_of(KEY, format!("nr_sv: expected {classes} numbers of support vectors, one for each class"))),
    }
}

/// The sigmoid of each pair of classes where they are asked for: LIBSVM has 1 / (1 + exp(A f + B)) for the first class, f above 0 for it.
fn sigmoids(model: &TextModel<'_>, classes: usize, asked: bool, notices: &mut Vec<String>) -> Result<Vec<Sigmoid>> {
    let pairs = pair_count(classes);
    let constants = model.finites("probA", pairs)?.zip(model.finites("probB", pairs)?);
    match (constants, asked) {
        (Some((slopes, offsets)), true) => {
            if classes > 2 {
                notices.push("probabilities of pairs are coupled exactly, where LIBSVM iterates to 0.005 / classes".into());
            }
            let side = if classes == 2 { -1.0 } else { 1.0 };
            let pairs = slopes.into_iter().zip(offsets);
            Ok(pairs.map(|(slope, offset)| Sigmoid { slope: -slope, offset: side * offset }).collect())
        }
        (Some(_), false) => {
            notices.push(
                "its probabilities (probA, probB) are left out; --probabilities keeps them, and the predicted class is then the one of the \
                 greatest"
                    .into(),
            );
            Ok(Vec::new())
        }
        (None, true) => Err(model.fault(model.last, "there are no probabilities to keep: probA and probB are missing; train with -b 1")),
        (None, false) => Ok(Vec::new()),
    }
}
