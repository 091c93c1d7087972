//! `mercer compare`: the table on standard output, the page and the JSON in files.

use super::{Loaded, Role, bounds, control, kernel, load, recipe};
use crate::Stop;
use crate::args::Compare;
use crate::output::{check_folder, check_writable, notices, print, write_figures};
use mercer::control::Control;
use mercer::error::Result;
use mercer::estimators::EstimatorExpr;
use mercer::learner;
use mercer::report::{Comparison, Request};
use mercer::select::{self, Comparing};
use mercer::store::write_atomically;
use std::path::Path;

pub(crate) fn compare(args: &Compare, stop: &Stop) -> Result<()> {
    let asked_kernel = kernel(&args.learning.table)?;
    let asked = args.estimators.as_deref().map(EstimatorExpr::parse_list).transpose()?;
    for path in args.report.iter().chain(&args.json) {
        check_writable(path, &[Path::new(&args.learning.table.table)])?;
    }
    args.figures.as_deref().map_or(Ok(()), check_folder)?;
    let recipe = recipe(&args.learning.table)?;
    let weights = args.learning.weights.as_deref().map(Role::Weights);
    let (groups, time) = (args.groups.as_deref().map(Role::Groups), args.time.as_deref().map(Role::Time));
    let roles: Vec<Role<'_>> = [weights, groups, time].into_iter().flatten().collect();
    let loaded = load(&args.learning.table, &roles, false, &bounds(args.learning.limits.max_memory, stop))?;
    notices(&loaded.told_first());
    let control = control(&args.learning.limits, stop);
    let comparing = Comparing {
        prep: recipe,
        kernel: asked_kernel,
        estimators: match asked {
            Some(list) => list,
            None => EstimatorExpr::all_for(&loaded.target)?,
        },
        folds: args.folds,
        seed: args.learning.seed,
        allow_non_mercer: args.learning.allow_non_mercer,
    };
    short_of_memory(&comparing.estimators, &loaded, &control);
    let weights = loaded.weights.as_deref();
    let outcome = select::compare(&loaded.data, &loaded.target, &loaded.info, weights, &loaded.split, &comparing, &control);
    drop(control);
    // The notices of a comparison that went well stand below its table.
    let outcome = outcome.inspect_err(|_| notices(&loaded.notices))?;
    let request = Request {
        command: command_line(),
        table: args.learning.table.table.clone(),
        data: &loaded.data,
        target: &loaded.target,
        info: &loaded.info,
        comparing: &comparing,
        read_notices: &loaded.notices,
    };
    let comparison = Comparison::of(&outcome, &request)?;
    let page = args.report.as_ref().map(|path| comparison.html().map(|html| (path, html))).transpose()?;
    let json = args.json.as_ref().map(|path| comparison.json().map(|json| (path, json))).transpose()?;
    for (path, text) in page.iter().chain(&json) {
        write_atomically(path, text.as_bytes())?;
    }
    print(&format!("{}\n", comparison.text(width())))?;
    for (path, _) in page.iter().chain(&json) {
        print(&format!("written: {}\n", path.display()))?;
    }
    if let Some(folder) = &args.figures {
        write_figures(folder, &comparison.entries)?;
    }
    Ok(())
}

/// Says before the work begins which estimators the memory allowed will not do for.
fn short_of_memory(estimators: &[EstimatorExpr], loaded: &Loaded, control: &Control) {
    let short = |e: &EstimatorExpr| learner::plan(e, loaded.data.rows(), &loaded.target, control).err();
    let said: Vec<String> = estimators.iter().filter(|e| e.takes(&loaded.target)).filter_map(short).map(|e| e.to_string()).collect();
    notices(&said);
}

/// Columns of the terminal, 100 where there is none.
fn width() -> usize {
    std::env::var("COLUMNS").ok().and_then(|c| c.parse().ok()).filter(|c| *c >= 60).unwrap_or(100)
}

/// The command as it was typed, quoted for a shell.
fn command_line() -> String {
    let plain = |w: &str| !w.is_empty() && w.chars().all(|c| c.is_ascii_alphanumeric() || "-_=./:,@%+".contains(c));
    std::iter::once("mercer".to_owned())
        .chain(std::env::args().skip(1).map(|w| if plain(&w) { w } else { format!("'{}'", w.replace('\'', "'\\''")) }))
        .collect::<Vec<_>>()
        .join(" ")
}
