//! The text of a model of LIBLINEAR:
//!
//! ```text
//! solver_type L2R_L2LOSS_SVC_DUAL
//! nr_class 3
//! label 1 2 3
//! nr_feature 4
//! bias 1
//! w
//! 0.1 -0.2 0.3
//! ```
//!
//! One line of `w` for each feature, and one more for the constant feature where `bias` is not below 0; one number for each class, one
//! alone for two classes, above 0 for the first label. The first of two labels is here the second class, so that decision values have the
//! same sign.

use super::TextOptions;
use super::solved_elsewhere::SolvedElsewhere;
use super::text_model::{TextModel, finite};
use crate::control::Control;
use crate::error::{Error, Result};
use crate::estimators::{EstimatorExpr, Expansion};
use crate::kernels::KernelExpr;
use crate::learner::Model;
use crate::linalg::Matrix;
use crate::notice::Notice;

/// The program, for messages.
const PROGRAM: &str = "LIBLINEAR";

/// What a solver solves.
#[derive(Clone, Copy, PartialEq)]
enum Problem {
    /// Decision values of classes; the estimator.
    Classes(&'static str),
    /// Log odds of classes.
    Logistic,
    /// Numbers; the estimator.
    Numbers(&'static str),
    Novelty,
}

/// The solvers.
const SOLVERS: [(&str, Problem); 12] = [
    ("L2R_LR", Problem::Logistic),
    ("L2R_L2LOSS_SVC_DUAL", Problem::Classes("linear_svc")),
    ("L2R_L2LOSS_SVC", Problem::Classes("linear_svc")),
    ("L2R_L1LOSS_SVC_DUAL", Problem::Classes("linear_svc(loss=hinge)")),
    ("MCSVM_CS", Problem::Classes("linear_svc(loss=hinge)")),
    ("L1R_L2LOSS_SVC", Problem::Classes("linear_svc")),
    ("L1R_LR", Problem::Logistic),
    ("L2R_LR_DUAL", Problem::Logistic),
    ("L2R_L2LOSS_SVR", Problem::Numbers("linear_svr(loss=squared_epsilon_insensitive)")),
    ("L2R_L2LOSS_SVR_DUAL", Problem::Numbers("linear_svr(loss=squared_epsilon_insensitive)")),
    ("L2R_L1LOSS_SVR_DUAL", Problem::Numbers("linear_svr")),
    ("ONECLASS_SVM", Problem::Novelty),
];

/// Reads the text.
///
/// # Errors
/// A line that is damaged; a solver that there is not; bounds of `control`.
pub(super) fn read(text: &str, file: &str, options: &TextOptions, control: &Control) -> Result<Model> {
    // Entries that a model may have.
    const KEYS: [&str; 6] = ["solver_type", "nr_class", "label", "nr_feature", "bias", "rho"];
    let model = TextModel::of(PROGRAM, (text, file), &KEYS, "w", control)?;
    let solver = model.word("solver_type")?;
    let Some((_, problem)) = SOLVERS.iter().find(|(name, _)| *name == solver) else {
        return Err(model.fault_of("solver_type", Error::unknown("solver_type", solver, SOLVERS.map(|(name, _)| name))));
    };
    let of_classes = matches!(problem, Problem::Classes(_) | Problem::Logistic);
    let classes = model.classes(of_classes)?;
    let width = if classes == 2 && solver != "MCSVM_CS" { 1 } else { classes };
    let features: usize = model.number("nr_feature", "the number of features")?;
    let constant = model.finite("bias")?;
    let all = weights(&model, width, features.saturating_add(usize::from(constant >= 0.0)))?;
    // Of two classes the first column alone is looked at.
    let outputs = if classes == 2 { 1 } else { width };
    let rho = if *problem == Problem::Novelty { model.finite("rho")? } else { 0.0 };
    let bias = (0..outputs).map(|o| if constant >= 0.0 { constant * all[(features, o)] } else { 0.0 } - rho).collect();
    let support = options.columns.without_rows(features)?;
    let own = Matrix::from_fn(options.columns.count(features), outputs, |j, o| if j < features { all[(j, o)] } else { 0.0 });
    let mut notices = vec![model.origin()];
    let logistic = *problem == Problem::Logistic;
    if logistic && classes > 2 {
        notices.push("its probabilities, sigmoids of each class divided by their sum, are left out".into());
    }
    if options.probabilities && !(logistic && classes == 2) {
        let why = format!("solver_type {solver} with {classes} classes has no probabilities that can be kept; leave --probabilities out");
        return Err(model.fault_of("solver_type", why));
    }
    let estimator = match problem {
        Problem::Logistic if classes == 2 => "logistic",
        Problem::Logistic => "linear_svc",
        Problem::Classes(estimator) | Problem::Numbers(estimator) => estimator,
        Problem::Novelty => "one_class",
    };
    let target = model.target(of_classes.then_some(classes), *problem == Problem::Novelty)?;
    SolvedElsewhere {
        program: PROGRAM.into(),
        estimator: EstimatorExpr::parse(estimator)?,
        kernel: KernelExpr::parse("linear")?,
        support,
        expansion: Expansion { weights: Some(own), ..Expansion::new(Vec::new(), Matrix::zeros(0, outputs), bias) },
        sigmoids: Vec::new(),
        process: None,
        target,
        rows: None,
        converged: true,
        notices: notices.into_iter().map(Notice::TakenOver).collect(),
    }
    .into_model(control)
}

/// The numbers of `w`: so many lines of so many.
fn weights(model: &TextModel<'_>, width: usize, lines: usize) -> Result<Matrix> {
    let fewer = format!("lines of w, of {lines} (nr_feature, and one for the bias)");
    model.require_lines(lines, &fewer, &format!("line of w than the {lines} of nr_feature and bias"))?;
    let mut all = Vec::new();
    for &(line, text) in &model.body {
        let before = all.len();
        for word in text.split_ascii_whitespace() {
            all.push(finite(word).map_err(|why| model.fault(line, why))?);
        }
        if all.len() - before != width {
            return Err(model.fault(line, format!("expected {width} numbers, found {}", all.len() - before)));
        }
    }
    Matrix::new(lines, width, all)
}
