//! `mercer fit`: one model, written whole or not at all.

use super::{
    AskedTable, Loaded, Role, Run, bounds, command_line, control, done, kernel, load, metric, named_targets, no_target, read_options,
    recipe,
};
use crate::Stop;
use crate::args::Learning;
use crate::output::{check_folder, check_writable, notices, print, width, write_figures};
use clap::Args;
use mercer::conformal::ConformalBy;
use mercer::control::Control;
use mercer::data::{Examples, Target};
use mercer::error::{Error, Result};
use mercer::estimators::EstimatorExpr;
use mercer::learner::{CONFORMAL_FOLDS, Learner, Model, TrainingRows, check_sample};
use mercer::notice::Notice;
use mercer::partial::{BatchPlan, BatchSettings, BatchSource, BatchedFit, BatchedTable, descends};
use mercer::prep::Recipe;
use mercer::read::{Batches, Fact, ReadOptions, split_list};
use mercer::report::Row;
use mercer::{report, store};
use std::path::PathBuf;
use std::process::ExitCode;

const FIT: &str = "\
Examples:
  mercer fit wine.csv --target quality -o wine.mercer
  mercer fit wine.csv --target quality -o wine.mercer \\
    --kernel 'rbf(length_scale=0.5..5)'
  mercer fit wine.csv --target quality --estimator svr --intervals \\
    -o wine.mercer";

/// Fit one estimator to a table and write a model file.
#[derive(Debug, Args)]
#[command(after_help = FIT)]
pub(crate) struct Fit {
    #[command(flatten)]
    pub learning: Learning,
    /// Estimator such as "svc(c=0.1..100)", or "kernel_pca(components=2)", which takes no target; svc for classes and ridge for
    /// numbers if left out.
    #[arg(long, alias = "estimators", value_name = "EXPR", help_heading = "What to learn")]
    pub estimator: Vec<String>,
    /// Store conformity scores of held-out rows, by which 'predict --interval' makes intervals of numbers and sets of classes that cover: of
    /// rows left out in closed form where there is one (stored on up to 1,000 rows in any case), else in folds, each fitted anew.
    #[arg(long, help_heading = "Intervals")]
    pub intervals: bool,
    /// With --intervals: cover each group of rows that COL names, or each class where COL is the target (Mondrian). 'predict' then takes COL
    /// from its table.
    #[arg(long, value_name = "COL", requires = "intervals", help_heading = "Intervals")]
    pub intervals_by: Option<String>,
    /// With --intervals: how many folds where there is no closed form.
    #[arg(long, value_name = "N", requires = "intervals", default_value_t = CONFORMAL_FOLDS, help_heading = "Intervals")]
    pub intervals_folds: usize,
    /// Read the table in batches, several times, so that it need not fit in memory: a sample of the rows (--sample, 5,000) settles columns, kernel
    /// and parameters, and all rows the coefficients. Of ridge in one pass, of logistic, linear_svc and linear_svr (with squared losses) in several; on CSV, JSON lines, LIBSVM's text, NPY and Parquet; taken where a table is larger than memory.
    #[arg(long, conflicts_with_all = ["intervals", "report", "figures"], help_heading = "Batches")]
    pub batches: bool,
    /// With --batches: landmarks that a kernel without features of its own goes through, at most.
    #[arg(long, value_name = "N", default_value_t = BatchSettings::default().landmarks, value_parser = landmarks, help_heading = "Batches")]
    pub landmarks: usize,
    /// Model file to write.
    #[arg(short, long, value_name = "MODEL.mercer", help_heading = "Output")]
    pub output: PathBuf,
    /// Write an HTML report of the model with figures.
    #[arg(long, value_name = "F.html", help_heading = "Output")]
    pub report: Option<PathBuf>,
    /// Write figures of the fit as SVG files into this folder, created if missing.
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub figures: Option<PathBuf>,
}

impl Run for Fit {
    const BEST_SO_FAR: bool = true;

    fn run(&self, stop: &Stop) -> Result<ExitCode> {
        fit(self, stop).map(done)
    }
}

/// The estimator asked for, if one is.
fn one_estimator(asked: &[String]) -> Result<Option<EstimatorExpr>> {
    match asked {
        [] => Ok(None),
        [one] => EstimatorExpr::parse(one).map(Some),
        several => Err(Error::Setting {
            name: "--estimator".into(),
            why: format!("fit takes one, and {} are asked for (--estimators is the same option); compare takes several", several.len()),
        }),
    }
}

/// The model with the conformity scores that are asked for, or that cost little.
fn with_intervals(args: &Fit, learner: &Learner, model: Model, loaded: &Loaded, control: &Control) -> Result<Model> {
    let examples = Examples { data: &loaded.data, target: &loaded.target, weights: loaded.weights.as_deref(), split: &loaded.split };
    if !args.intervals {
        return Ok(learner.conformalise_cheaply(model, &examples, control));
    }
    let by = match (&args.intervals_by, loaded.kept.first()) {
        (Some(column), _) if loaded.info.names.contains(column) => ConformalBy::Class,
        (Some(_), Some((column, labels))) => ConformalBy::Groups { column, labels },
        _ => ConformalBy::All,
    };
    match learner.conformalise(&model, &examples, by, args.intervals_folds, control) {
        // The model is there, and is written.
        Err(error @ (Error::Time { .. } | Error::Memory { .. })) => {
            notices(&[format!("the model has no conformity scores: {error}")]);
            Ok(model)
        }
        made => made,
    }
}

/// A number of landmarks.
fn landmarks(text: &str) -> std::result::Result<usize, String> {
    text.parse().ok().filter(|n| *n > 0).ok_or_else(|| "write a whole number of 1 or more".into())
}

/// A fit to a table that is read batch by batch.
fn fit_in_batches(args: &Fit, learner: Learner, stop: &Stop) -> Result<()> {
    let asked = &args.learning.table;
    if !asked.inputs.gram.is_empty() || asked.inputs.group_into.is_some() {
        let why = "kernel matrices and sets of rows are read whole; leave out --gram and --group-into";
        return Err(Error::Setting { name: "--batches".into(), why: why.into() });
    }
    let names: Vec<String> = asked.target.iter().flat_map(|list| split_list(list)).collect();
    let options = ReadOptions { names, ..read_options(&asked.inputs.reading)? };
    let control = control(&args.learning.limits, args.learning.verbose, stop);
    let batches = Batches::open(&asked.table.source(), &options, &control)?;
    let own = Some(batches.own_target().to_vec()).filter(|own| !own.is_empty());
    let target = asked.target.as_ref().map(|asked| named_targets(asked, batches.header())).or(own);
    let target = target.ok_or_else(|| no_target(batches.header(), None))?;
    let usual = BatchSettings::default();
    let settings = BatchSettings { sample: args.learning.sample.unwrap_or(usual.sample), landmarks: args.landmarks };
    check_sample(args.learning.sample)?;
    let table: &dyn BatchSource =
        &BatchedTable { batches: &batches, options: &options, target: &target, weights: args.learning.weights.as_deref() };
    let mut announce = |plan: &BatchPlan| stop.screen.suspend(|| eprintln!("{}", report::batch_plan_text(plan)));
    let learner = Learner { sample: TrainingRows::All, ..learner };
    let BatchedFit { model, facts } = table.fit(&learner, settings, &control, &mut announce)?;
    drop(control);
    notices(&facts.iter().filter(|fact| !fact.plain).map(Fact::sentence).collect::<Vec<_>>());
    notices(&model.about.notices.iter().filter(|n| !n.is_of_steps()).collect::<Vec<_>>());
    write_model(args, &model)
}

/// Writes the model and what is said of it.
fn write_model(args: &Fit, model: &Model) -> Result<()> {
    store::save(model, &args.output)?;
    let text = if args.learning.verbose { report::model_text_in_full(model, width()) } else { report::model_text(model, width()) };
    print(&format!("{text}\nwritten: {}\n", args.output.display()))
}

fn fit(args: &Fit, stop: &Stop) -> Result<()> {
    let asked_kernel = kernel(&args.learning.table.inputs)?;
    let asked = one_estimator(&args.estimator)?;
    check_writable(&args.output, &args.learning.table.table.paths())?;
    args.report.as_deref().map_or(Ok(()), |path| check_writable(path, &args.learning.table.table.paths()))?;
    args.figures.as_deref().map_or(Ok(()), check_folder)?;
    let roles: Vec<Role<'_>> = args.learning.weights.as_deref().map(Role::Weights).into_iter().collect();
    let without_target = asked.as_ref().filter(|e| e.takes_no_target());
    if let (Some(estimator), Some(_)) = (without_target, &args.learning.table.target) {
        let why =
            format!("{} takes no target; leave it out, and the column is an input, or is not with --types COL=ignore", estimator.name());
        return Err(Error::Setting { name: "--target".into(), why });
    }
    let learner = |estimator: EstimatorExpr, prep: Recipe| -> Result<Learner> {
        Ok(Learner {
            prep,
            kernel: asked_kernel.clone(),
            estimator,
            seed: args.learning.seed,
            allow_non_mercer: args.learning.allow_non_mercer,
            sample: args.learning.sample.map_or(TrainingRows::Affordable, TrainingRows::Most),
            keep_rows: false,
            metric: metric(&args.learning)?,
        })
    };
    let in_batches = || {
        let estimator = asked.clone().map_or_else(|| EstimatorExpr::parse("ridge"), Ok)?;
        fit_in_batches(args, learner(estimator, recipe(&args.learning.table.inputs)?)?, stop)
    };
    if args.batches {
        return in_batches();
    }
    let asked_table = AskedTable { keep: args.intervals_by.as_deref(), ..(&args.learning.table).into() };
    let mut loaded = match load(asked_table, &roles, without_target.is_some(), &bounds(args.learning.limits.max_memory, stop)) {
        Err(error @ Error::TooLarge { .. }) if asked.as_ref().is_none_or(|e| descends(e).is_ok()) => {
            notices(&[format!("{error}: read in batches (--batches)")]);
            return in_batches();
        }
        loaded => loaded?,
    };
    if let Some(estimator) = without_target {
        loaded.leave_target_out(estimator.name());
    }
    notices(&loaded.notices);
    let estimator = match asked {
        Some(e) => e,
        None => EstimatorExpr::parse(if matches!(loaded.target, Target::Classes { .. }) { "svc" } else { "ridge" })?,
    };
    let learner = learner(estimator, loaded.recipe.clone())?;
    let control = control(&args.learning.limits, args.learning.verbose, stop);
    control.tell(&format!("{}: fit", learner.estimator.name()), 0, 1);
    let mut model = learner.fit(&loaded.data, &loaded.target, &loaded.info, loaded.weights.as_deref(), &control)?;
    model = with_intervals(args, &learner, model, &loaded, &control)?;
    let telling = Control { progress: None, ..control.clone() };
    drop(control);
    // What the steps did to the columns stands in the text of the model.
    notices(&model.about.notices.iter().filter(|n| !n.is_of_steps()).collect::<Vec<_>>());
    write_model(args, &model)?;
    if args.figures.is_none() && args.report.is_none() {
        return Ok(());
    }
    let row = Row::of_model(&model, &loaded.data, &loaded.target, loaded.weights.as_deref(), &telling)?;
    if let Some(path) = &args.report {
        // The page says too how the table was read.
        model.about.notices.splice(0..0, loaded.notices.iter().cloned().map(Notice::OfTable));
        let page = report::model_page(&model, &row, &args.learning.table.table.source().to_string(), &command_line())?;
        store::write_atomically(path, page.as_bytes())?;
        print(&format!("written: {}\n", path.display()))?;
    }
    if let Some(folder) = &args.figures {
        write_figures(folder, &[row])?;
    }
    Ok(())
}
