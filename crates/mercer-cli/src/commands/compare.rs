//! `mercer compare`: the table on standard output, the page and the JSON in files.

use super::{
    Loaded, Role, Run, attach_grams, bounds, command_line, comparing, control, estimators, kernel, leave_out_untargeted, load,
    options_like, watched,
};
use crate::args::Contest;
use crate::output::{check_folder, check_writable, notices, print, width, write_figures};
use crate::progress::race_view;
use crate::{OUT_OF_RESOURCES, Stop};
use clap::Args;
use mercer::compare::{self, GridName, Processes, RaceUpdate};
use mercer::control::{Control, threads_in_use};
use mercer::data::{Dataset, Examples, Schema, Target};
use mercer::error::{Error, Result};
use mercer::estimators::EstimatorExpr;
use mercer::facts;
use mercer::learner::Model;
use mercer::prep::Missing;
use mercer::read::{Fact, ReadOptions, Source, Table, Topic};
use mercer::report::{self, Comparison, Request, TestRows};
use mercer::store::{self, write_atomically};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::Arc;

const COMPARE: &str = "\
Examples:
  mercer compare example:iris
  mercer compare wine.csv --target quality --report wine.html --figures wine
  mercer compare dna.csv --target class --estimators svc,knn \\
    --kernel 'normalise(spectrum(k=4))'
  mercer compare sales.csv.gz --target amount --time day \\
    --missing 'price=drop,region=error'
  mercer compare GunPoint_TRAIN.ts --test GunPoint_TEST.ts
  mercer compare letters.csv --target letter --grid libsvm --save svc.mercer
  cat big.jsonl | mercer compare - --target y --max-seconds 60";

/// Tune, cross-validate and time several estimators under one kernel, side by side.
#[derive(Debug, Args)]
#[command(after_help = COMPARE)]
pub(crate) struct Compare {
    #[command(flatten)]
    pub contest: Contest,
    /// Column whose equal rows stay in one fold; it is no input.
    #[arg(long, value_name = "COL", help_heading = "How to judge", conflicts_with = "time")]
    pub groups: Option<String>,
    /// Column of dates or numbers: folds in that order, each predicted by models trained on earlier rows (forward chaining).
    #[arg(long, value_name = "COL", help_heading = "How to judge")]
    pub time: Option<String>,
    /// Calibrated class probabilities of every estimator that can have them; the predicted class is then the most probable one.
    #[arg(long, help_heading = "What to learn")]
    pub probabilities: bool,
    /// What a wrong prediction of a row of each of two classes costs, such as fraud=50,no=1: predicted is what costs least on held-out
    /// rows. Rare classes cost as much together as frequent ones if this is left out.
    #[arg(long, value_name = "CLASS=COST", value_delimiter = ',', help_heading = "How to judge")]
    pub costs: Vec<String>,
    /// Table on which every fitted model is scored after the comparison, by the metric that decides. It has the columns of TABLE and
    /// the target, and takes no part in tuning and choice; --max-seconds does not bound these scores.
    #[arg(long, value_name = "TABLE", help_heading = "How to judge")]
    pub test: Option<String>,
    /// Judge every setting of a grid in place of a comparison: libsvm, the 110 settings of C and gamma of LIBSVM's guide, for svc, or
    /// svr where the target holds numbers, under rbf. --save writes the best one.
    #[arg(
        long, value_name = "GRID", help_heading = "How to judge",
        conflicts_with_all = ["probabilities", "costs", "test", "workers", "report", "held_out", "figures", "effort", "thorough", "sample", "kernel"]
    )]
    pub grid: Option<String>,
    /// Run the work in so many processes, which share the threads and the memory allowed. The result is the same; one that the system ends
    /// in the middle of its work is replaced.
    #[arg(long, value_name = "N", value_parser = workers, help_heading = "Limits")]
    pub workers: Option<usize>,
    /// Write an HTML report with table and figures.
    #[arg(long, value_name = "F.html", help_heading = "Output")]
    pub report: Option<PathBuf>,
    /// Write the table as JSON.
    #[arg(long, value_name = "F", help_heading = "Output")]
    pub json: Option<PathBuf>,
    /// With --json: the held-out (cross-validated) prediction of each row, for every estimator.
    #[arg(long, requires = "json", help_heading = "Output")]
    pub held_out: bool,
    /// Write every figure as an SVG file into this folder, created if missing.
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub figures: Option<PathBuf>,
    /// Write the model that predicts best, as fit writes one.
    #[arg(long, value_name = "BEST.mercer", help_heading = "Output")]
    pub save: Option<PathBuf>,
}

impl Run for Compare {
    const BEST_SO_FAR: bool = true;

    fn run(&self, stop: &Stop) -> Result<ExitCode> {
        // What was to be found is not there.
        compare(self, stop).map(|is_found| if is_found { ExitCode::SUCCESS } else { ExitCode::from(OUT_OF_RESOURCES) })
    }
}

/// What `--workers` takes.
fn workers(text: &str) -> std::result::Result<usize, String> {
    // More processes than this are a typo.
    const MOST_WORKERS: usize = 1024;
    text.parse().ok().filter(|count| (1..=MOST_WORKERS).contains(count)).ok_or_else(|| format!("write a number from 1 to {MOST_WORKERS}"))
}

/// So many processes of this program.
fn processes(count: usize) -> Result<Processes> {
    let program = std::env::current_exe().map_err(|e| Error::io("this program", e))?;
    let threads = (threads_in_use() / count).max(1);
    let start = move || {
        let mut command = Command::new(&program);
        command.args(["worker", "--threads", &threads.to_string()]);
        command
    };
    Ok(Processes { count, start: Arc::new(start) })
}

/// Whether there is a winner.
fn compare(args: &Compare, stop: &Stop) -> Result<bool> {
    let learning = &args.contest.learning;
    let asked_kernel = kernel(&learning.table.inputs)?;
    let asked = estimators(&args.contest.estimators)?;
    for path in args.report.iter().chain(&args.json).chain(&args.save) {
        check_writable(path, &learning.table.table.paths())?;
    }
    args.figures.as_deref().map_or(Ok(()), check_folder)?;
    let weights = learning.weights.as_deref().map(Role::Weights);
    let (groups, time) = (args.groups.as_deref().map(Role::Groups), args.time.as_deref().map(Role::Time));
    let roles: Vec<Role<'_>> = [weights, groups, time].into_iter().flatten().collect();
    let loaded = load(&learning.table, &roles, false, &bounds(learning.limits.max_memory, stop))?;
    let mut facts = loaded.told_first();
    let below: Vec<String> = loaded.notices.iter().filter(|n| !facts.contains(n)).cloned().collect();
    let of_table = facts::facts(&loaded.data, &loaded.target, &loaded.info, &loaded.split, args.contest.folds, loaded.recipe.standardise);
    facts.extend(of_table.iter().chain(&loaded.of_groups).map(ToString::to_string));
    notices(&facts);
    let test = args.test.as_deref().map(|table| test_table(table, args, &loaded, &bounds(learning.limits.max_memory, stop))).transpose()?;
    if let Some(name) = &args.grid {
        notices(&below);
        return judge_grid(name, args, asked, &loaded, stop);
    }
    let view = race_view(learning.verbose, &stop.screen);
    let control = watched(Some(view.clone()), &learning.limits, stop);
    let mut comparing = comparing(&args.contest, asked_kernel, asked, &loaded)?;
    comparing.costs = if args.costs.is_empty() { None } else { Some(args.costs.iter().map(|c| cost(c)).collect::<Result<_>>()?) };
    comparing.processes = args.workers.map(processes).transpose()?;
    if args.probabilities {
        comparing.estimators = EstimatorExpr::all_with_probabilities(comparing.estimators, &loaded.target);
    }
    let examples = Examples { data: &loaded.data, target: &loaded.target, weights: loaded.weights.as_deref(), split: &loaded.split };
    let mut announce = |plan: &compare::Plan| {
        if plan.is_worth_saying() {
            stop.screen.suspend(|| eprintln!("{}", report::plan_text(plan)));
        }
    };
    let observer = |update: &RaceUpdate| view.show(update);
    let outcome = compare::compare_watched(&examples, &loaded.info, &comparing, &control, &mut announce, Some(&observer));
    let telling = Control { progress: None, ..control.clone() };
    drop((control, view));
    // The notices of a comparison that went well stand below its table.
    let outcome = outcome.inspect_err(|_| notices(&below))?;
    let request = Request {
        command: command_line(),
        table: learning.table.table.source().to_string(),
        data: &loaded.data,
        target: &loaded.target,
        info: &loaded.info,
        comparing: &comparing,
        weights: loaded.weights.as_deref(),
        facts,
        leaks: of_table.iter().flat_map(|fact| fact.leaks.iter().cloned()).collect(),
        read_notices: &below,
    };
    let mut comparison = Comparison::of(&outcome, &request, &telling)?;
    if let Some(test) = &test {
        // The scores are what was asked for, also where the time of the comparison is spent.
        comparison.score_on(&test.rows(), &outcome, &loaded.target, &bounds(learning.limits.max_memory, stop))?;
    }
    let page = args.report.as_ref().map(|path| comparison.html().map(|html| (path, html))).transpose()?;
    let document = || if args.held_out { comparison.json_with_held_out() } else { comparison.json() };
    let json = args.json.as_ref().map(|path| document().map(|json| (path, json))).transpose()?;
    for (path, text) in page.iter().chain(&json) {
        write_atomically(path, text.as_bytes())?;
    }
    let text = if learning.verbose { comparison.text_in_full(width()) } else { comparison.text(width()) };
    print(&format!("{text}\n"))?;
    for (path, _) in page.iter().chain(&json) {
        print(&format!("written: {}\n", path.display()))?;
    }
    if let Some(path) = &args.save {
        save(path, &outcome, stop)?;
    }
    if let Some(folder) = &args.figures {
        write_figures(folder, &comparison.entries)?;
    }
    Ok(is_found(&outcome))
}

/// Judges the settings of a grid, prints them and writes what was asked for; there is a best one.
fn judge_grid(name: &str, args: &Compare, asked: Option<Vec<EstimatorExpr>>, loaded: &Loaded, stop: &Stop) -> Result<bool> {
    let learning = &args.contest.learning;
    let grid = GridName::parse(name)?;
    let machine = if matches!(loaded.target, Target::Classes { .. }) { "svc" } else { "svr" };
    let asked = asked.map_or_else(|| EstimatorExpr::parse_list(machine), Ok)?;
    let comparing = comparing(&args.contest, None, Some(asked), loaded)?;
    let examples = Examples { data: &loaded.data, target: &loaded.target, weights: loaded.weights.as_deref(), split: &loaded.split };
    let control = control(&learning.limits, learning.verbose, stop);
    let judged = compare::judge_settings(&examples, &loaded.info, &comparing, grid, &control);
    drop(control);
    let judged = judged?;
    let json = args.json.as_ref().map(|path| report::settings_json(&judged).map(|json| (path, json))).transpose()?;
    print(&format!("{}\n", report::settings_text(&judged, width())))?;
    if let Some((path, json)) = &json {
        write_atomically(path, json.as_bytes())?;
        print(&format!("written: {}\n", path.display()))?;
    }
    args.save.as_ref().map_or(Ok(()), |path| write_model(path, &judged.model))?;
    Ok(true)
}

/// The rows of a test table, as a model of the comparison reads new rows.
struct TestTable {
    table: String,
    data: Dataset,
    target: Target,
    weights: Option<Vec<f64>>,
}

impl TestTable {
    fn rows(&self) -> TestRows<'_> {
        TestRows { table: &self.table, data: &self.data, target: &self.target, weights: self.weights.as_deref() }
    }
}

/// Reads the table that `--test` names, with the notices on its columns.
fn test_table(source: &str, args: &Compare, training: &Loaded, control: &Control) -> Result<TestTable> {
    let inputs = &args.contest.learning.table.inputs;
    let schema = Schema::of(&training.data);
    let mut options = options_like(&inputs.reading, &schema)?;
    options.names.extend(training.info.names.iter().cloned());
    let source = Source::new(source);
    let mut table = Table::read_within(&source, &options, control)?;
    attach_grams(&mut table, &inputs.gram, control)?;
    if let Some(column) = &inputs.group_into {
        let weights = args.contest.learning.weights.iter();
        let kept: Vec<String> = training.info.names.iter().chain(weights).cloned().collect();
        table.group_into(column, &kept, &options)?;
    }
    let parts = test_parts(&mut table, args, training, &options);
    // How the cells of training were read is reported once.
    let is_new =
        |fact: &&Fact| !fact.plain && matches!(fact.topic, Topic::New | Topic::Target) && !training.notices.contains(&fact.sentence());
    notices(&table.facts().iter().filter(is_new).map(|fact| format!("{source}: {}", fact.sentence())).collect::<Vec<_>>());
    let (data, target, weights) = parts.map_err(|error| table.in_file(error))?;
    Ok(TestTable { table: source.to_string(), data, target, weights })
}

/// Inputs, target and weights of a test table, without the rows whose missing target `--missing` leaves out.
fn test_parts(table: &mut Table, args: &Compare, training: &Loaded, options: &ReadOptions) -> Result<(Dataset, Target, Option<Vec<f64>>)> {
    let learning = &args.contest.learning;
    leave_out_untargeted(table, &training.info.names, &Missing::of_columns(&learning.table.inputs.missing)?)?;
    let weights = learning.weights.as_deref().map(|name| table.take_weights(name)).transpose()?;
    let target = table.take_target_like(&training.info)?;
    Ok((table.dataset_like(&Schema::of(&training.data), options)?, target, weights))
}

/// Whether something won: the baseline alone, where time was up before anything else was scored, is no winner.
fn is_found(outcome: &compare::Outcome) -> bool {
    let is_alone = |best: &compare::Scored| !best.estimator.looks_at_inputs() && outcome.rows.iter().any(|r| r.metrics.is_empty());
    outcome.best.is_some_and(|best| !is_alone(&outcome.rows[best]))
}

/// `CLASS=COST`.
fn cost(asked: &str) -> Result<(String, f64)> {
    let cost = asked.rsplit_once('=').and_then(|(class, cost)| Some((class.trim().to_owned(), cost.trim().parse().ok()?)));
    cost.ok_or_else(|| Error::Setting { name: "--costs".into(), why: format!("'{asked}' is no class with its cost, as in fraud=50") })
}

fn write_model(path: &Path, model: &Model) -> Result<()> {
    store::save(model, path)?;
    print(&format!("written: {}, with {} fitted to {} rows\n", path.display(), model.estimator.name(), model.about.rows))
}

/// The best model, where there is one.
fn save(path: &Path, outcome: &compare::Outcome, stop: &Stop) -> Result<()> {
    match outcome.best.and_then(|best| outcome.rows[best].model.as_ref()) {
        Some(model) => write_model(path, model),
        // That the work was ended is the answer to what was asked, and no fault of the data.
        None if stop.stop_early.is_cancelled() => {
            notices(&["no model is written: no estimator was scored on every fold and fitted to all rows before the stop"]);
            Ok(())
        }
        None => {
            Err(Error::Data("no model is written: no estimator was scored on every fold and fitted to all rows; the table says why".into()))
        }
    }
}
