//! `mercer plan`: what a comparison would take, without doing it.

use super::{control, estimators, kernel, load, metric};
use crate::Stop;
use crate::args::Plan;
use crate::output::{notices, print};
use mercer::compare::{self, Comparing};
use mercer::data::Examples;
use mercer::error::Result;
use mercer::estimators::EstimatorExpr;
use mercer::report;

pub(crate) fn plan(args: &Plan, stop: &Stop) -> Result<()> {
    let learning = &args.learning;
    let asked = estimators(&args.estimators)?;
    let kernel = kernel(&learning.table)?;
    let control = control(&learning.limits, learning.verbose, stop);
    let loaded = load(&learning.table, &[], false, &control)?;
    notices(&loaded.notices);
    let estimators = match asked {
        Some(list) => list,
        None => EstimatorExpr::all_for(&loaded.target)?,
    };
    let comparing = Comparing {
        prep: loaded.recipe.clone(),
        kernel,
        folds: args.folds,
        seed: learning.seed,
        allow_non_mercer: learning.allow_non_mercer,
        metric: metric(learning)?,
        sample: learning.sample,
        ..Comparing::new(estimators)
    };
    let examples = Examples { data: &loaded.data, target: &loaded.target, weights: None, split: &loaded.split };
    let plan = compare::plan(&examples, &comparing, &control)?;
    drop(control);
    print(&format!("{}\n", report::plan_text(&plan)))
}
