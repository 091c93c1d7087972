//! `mercer fit`: one model, written whole or not at all.

use super::{Role, bounds, control, kernel, load, recipe};
use crate::args::Fit;
use crate::output::{check_writable, notices, print};
use mercer::control::CancelFlag;
use mercer::data::Target;
use mercer::error::Result;
use mercer::estimators::EstimatorExpr;
use mercer::learner::Learner;
use mercer::{report, store};
use std::path::Path;

pub(crate) fn fit(args: &Fit, cancel: &CancelFlag) -> Result<()> {
    let asked_kernel = kernel(&args.learning.table)?;
    let asked = args.estimator.as_deref().map(EstimatorExpr::parse).transpose()?;
    check_writable(&args.output, &[Path::new(&args.learning.table.table)])?;
    let recipe = recipe(&args.learning.table)?;
    let roles: Vec<Role<'_>> = args.learning.weights.as_deref().map(Role::Weights).into_iter().collect();
    let loaded = load(&args.learning.table, &roles, false, &bounds(args.learning.limits.max_memory, cancel))?;
    notices(&loaded.notices);
    let estimator = match asked {
        Some(e) => e,
        None => EstimatorExpr::parse(if matches!(loaded.target, Target::Classes { .. }) { "svc" } else { "ridge" })?,
    };
    let learner = Learner {
        prep: recipe,
        kernel: asked_kernel,
        estimator,
        seed: args.learning.seed,
        allow_non_mercer: args.learning.allow_non_mercer,
    };
    let control = control(&args.learning.limits, cancel);
    let model = learner.fit(&loaded.data, &loaded.target, &loaded.info, loaded.weights.as_deref(), &control)?;
    drop(control);
    notices(&model.about.notices);
    store::save(&model, &args.output)?;
    print(&format!("{}\nwritten: {}\n", report::model_text(&model), args.output.display()))
}
