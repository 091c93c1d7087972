//! One file per command, and what several of them share: reading the table, the bounds of the work.

use crate::Stop;
use crate::args::{Contest, Inputs, Learning, Limits, Reading, Tables, Tabular};
use crate::output::notices;
use crate::progress::Line;
use clap::Subcommand;
use mercer::compare::Comparing;
use mercer::control::{Control, Progress};
use mercer::data::Split;
use mercer::data::{Dataset, Schema, Target};
use mercer::error::{Error, Result};
use mercer::estimators::EstimatorExpr;
use mercer::facts::repeated_identifiers;
use mercer::kernels::KernelExpr;
use mercer::metrics::Metric;
use mercer::prep::{Missing, Recipe};
use mercer::read::{ColumnType, Fact, ReadOptions, Source, Table, TargetInfo, Topic, column_name, split_list};
use mercer::report::KeptColumn;
use std::process::ExitCode;
use std::sync::Arc;

mod smoothed;
mod untargeted;

/// A command: its options are the fields, what it does is [`Run::run`].
pub(crate) trait Run {
    /// Whether there may be a best so far when the user asks it to end.
    const BEST_SO_FAR: bool = false;
    /// Does it.
    fn run(&self, stop: &Stop) -> Result<ExitCode>;
}

/// From one list: the modules, what may be typed, what is done.
macro_rules! commands {
    ($($module:ident: $($Command:ident),+;)*) => {
        $(mod $module;)*

        #[derive(Debug, Subcommand)]
        pub(crate) enum Command {
            $($($Command($module::$Command),)+)*
        }

        impl Command {
            pub(crate) fn has_best_so_far(&self) -> bool {
                match self { $($(Command::$Command(_) => $module::$Command::BEST_SO_FAR,)+)* }
            }
            pub(crate) fn run(&self, stop: &Stop) -> Result<ExitCode> {
                match self { $($(Command::$Command(asked) => asked.run(stop),)+)* }
            }
        }
    };
}

commands! {
    compare: Compare;
    plan: Plan;
    advise: Advise;
    fit: Fit;
    predict: Predict;
    sample: Sample;
    explain: Explain;
    check: Check;
    verify: Verify;
    convert: Convert;
    inspect: Inspect;
    examples: Examples;
    demo: Demo;
    gram: Gram;
    cluster: Cluster;
    density: Density;
    map: Map;
    smooth: Smooth;
    path: Path;
    test: Test;
    shell: Completions, Man;
    worker: Worker;
}

/// The exit code of what is done.
fn done((): ()) -> ExitCode {
    ExitCode::SUCCESS
}

/// Columns that are no inputs but say something of the rows.
enum Role<'a> {
    Weights(&'a str),
    Groups(&'a str),
    Time(&'a str),
}

impl Role<'_> {
    fn column(&self) -> &str {
        match self {
            Role::Weights(name) | Role::Groups(name) | Role::Time(name) => name,
        }
    }
}

/// A table split into inputs, target, weights and constraints on folds, with notices for the user.
struct Loaded {
    data: Dataset,
    target: Target,
    info: TargetInfo,
    weights: Option<Vec<f64>>,
    split: Split,
    /// How the inputs are prepared.
    recipe: Recipe,
    notices: Vec<String>,
    facts: Vec<Fact>,
    /// Identifiers that are ignored and name groups of rows.
    of_groups: Vec<mercer::facts::Fact>,
    /// Columns that stand beside what is written for each row.
    kept: Vec<KeptColumn>,
}

impl Loaded {
    /// Leaves out a target that the table names itself.
    fn leave_target_out(&mut self, estimator: &str) {
        if let [name, ..] = self.info.names.as_slice() {
            self.notices.push(format!("column '{name}', the target of the table, is left out: {estimator} takes no target"));
        }
        self.target = Target::Absent { rows: self.data.rows() };
        self.info = TargetInfo { names: Vec::new(), classes: None, ..self.info.clone() };
    }

    /// Does not ask whether values are distances, which the user says they are.
    fn takes_distances(&mut self) {
        self.facts.retain(|fact| fact.topic != Topic::Distances);
        self.notices = self.facts.iter().filter(|fact| !fact.plain).map(Fact::sentence).collect();
    }

    /// What the user may want to change before a long run: what the target was taken for, identifiers, marks of missing cells.
    fn told_first(&self) -> Vec<String> {
        let weighty =
            |fact: &&Fact| !fact.plain && matches!(fact.topic, Topic::Target | Topic::Identifiers | Topic::Missing | Topic::Distances);
        self.facts.iter().filter(weighty).map(Fact::sentence).collect()
    }
}

/// How the table is to be read, from the words typed.
fn read_options(asked: &Reading) -> Result<ReadOptions> {
    Ok(ReadOptions {
        na: asked.na.iter().flat_map(|list| if list.trim().is_empty() { vec![String::new()] } else { split_list(list) }).collect(),
        no_header: asked.no_header,
        skip: asked.skip,
        lines: asked.lines,
        delimiter: asked.delimiter.as_deref().map(str::parse).transpose()?,
        encoding: asked.encoding.clone(),
        decimal: asked.decimal.as_deref().map(str::parse).transpose()?,
        series: asked.series.iter().flat_map(|list| split_list(list)).map(|text| text.parse()).collect::<Result<_>>()?,
        ..ReadOptions::with_types(&asked.types)?
    })
}

/// How a new table is to be read whose columns are those of training.
fn options_like(asked: &Reading, schema: &Schema) -> Result<ReadOptions> {
    let names = schema.columns.iter().map(|column| column.name.clone()).collect();
    Ok(ReadOptions { names, ..read_options(asked)? })
}

/// A table as it is asked for.
#[derive(Clone, Copy)]
struct AskedTable<'a> {
    table: &'a Tables,
    target: Option<&'a String>,
    /// The columns to use, where some are named.
    columns: Option<&'a String>,
    inputs: &'a Inputs,
    /// Columns to keep beside what is written for each row.
    keep: Option<&'a str>,
}

impl<'a> From<&'a Tabular> for AskedTable<'a> {
    fn from(asked: &'a Tabular) -> Self {
        AskedTable { table: &asked.table, target: asked.target.as_ref(), columns: None, inputs: &asked.inputs, keep: None }
    }
}

/// Columns of a table as they are written, by their names separated by commas, or all.
fn kept_columns(table: &Table, keep: Option<&str>) -> Result<Vec<KeptColumn>> {
    match keep {
        None => Ok(Vec::new()),
        Some("all") => table.texts(&[]),
        Some(names) => table.texts(&split_list(names)),
    }
}

/// Some columns of a data set, by their names separated by commas.
fn columns(data: &Dataset, names: &str) -> Result<Dataset> {
    let names = split_list(names);
    Dataset::with_rows(data.rows(), names.iter().map(|name| data.column(name).cloned()).collect::<Result<_>>()?)
}

/// Reads a table and splits it by the roles of its columns; `targetless`: no target is required.
fn load<'a>(asked: impl Into<AskedTable<'a>>, roles: &[Role<'_>], targetless: bool, control: &Control) -> Result<Loaded> {
    let AskedTable { table: path, target, columns, inputs, keep } = asked.into();
    let names = target.into_iter().chain(columns).flat_map(|list| split_list(list)).collect();
    let options = ReadOptions { names, ..read_options(&inputs.reading)? };
    let recipe = recipe(inputs)?;
    let mut table = Table::read_within(&path.source(), &options, control)?;
    table.require_room(control)?;
    attach_grams(&mut table, &inputs.gram, control)?;
    let names = targets(&table, target, &options, targetless)?;
    if let Some(column) = &inputs.group_into {
        let kept: Vec<String> = names.iter().cloned().chain(roles.iter().map(|role| role.column().to_owned())).collect();
        table.group_into(column, &kept, &options)?;
    }
    let parts = take_apart(&mut table, (&names, keep), recipe, roles, &options);
    parts.inspect_err(|_| notices(&table.notices())).map_err(|error| table.in_file(error))
}

/// Makes columns of names columns of rows of kernel matrices, as `--gram COL=FILE` asks.
fn attach_grams(table: &mut Table, asked: &[String], control: &Control) -> Result<()> {
    for word in asked {
        let Some((column, file)) = word.split_once('=') else {
            return Err(Error::Setting { name: "--gram".into(), why: format!("'{word}' is not COL=FILE, such as id=K.csv") });
        };
        table.attach_gram(column, &Source::new(file), control)?;
    }
    Ok(())
}

/// Leaves out the rows without a target where `--missing` asks for that.
fn leave_out_untargeted(table: &mut Table, targets: &[String], missing: &[(String, Missing)]) -> Result<()> {
    Missing::targets_to_drop(missing, targets)?.into_iter().try_for_each(|name| table.leave_out_missing(name))
}

/// The parts of a table: its targets, columns that are kept, inputs.
fn take_apart(
    table: &mut Table,
    (names, keep): (&[String], Option<&str>),
    mut recipe: Recipe,
    roles: &[Role<'_>],
    options: &ReadOptions,
) -> Result<Loaded> {
    leave_out_untargeted(table, names, &recipe.missing)?;
    let kept = kept_columns(table, keep)?;
    recipe.missing.retain(|(column, _)| !names.contains(column));
    let (mut weights, mut split) = (None, Split::Rows);
    for role in roles {
        match role {
            Role::Weights(name) => weights = Some(table.take_weights(name)?),
            Role::Groups(name) => split = Split::Groups(table.take_groups(name)?),
            Role::Time(name) => split = Split::Time(table.times(name, options)?),
        }
    }
    let (target, info) = table.take_target(names, options)?;
    let ignored = if matches!(split, Split::Rows) { table.ignored(options) } else { Vec::new() };
    let of_groups = ignored.into_iter().filter_map(|(name, cells)| repeated_identifiers(name, true, cells.into_iter())).collect();
    let data = table.dataset(options)?;
    let (notices, facts) = (table.notices(), table.facts());
    Ok(Loaded { data, target, info, weights, split, recipe, notices, facts, of_groups, kept })
}

/// The target columns: one whose name may hold commas, several separated by commas, or those that the table names itself.
fn targets(table: &Table, asked: Option<&String>, options: &ReadOptions, targetless: bool) -> Result<Vec<String>> {
    let own = table.own_target();
    match asked {
        Some(asked) => Ok(named_targets(asked, table.header())),
        // What needs no target may go without one of the table's own.
        None if targetless => Ok(own.iter().filter(|name| options.declared(name) != Some(ColumnType::Ignore)).cloned().collect()),
        None if !own.is_empty() => Ok(own.to_vec()),
        None => Err(no_target(table.header(), table.doubt_of_header())),
    }
}

/// One column whose name may hold commas, or several separated by commas.
fn named_targets(asked: &str, header: &[String]) -> Vec<String> {
    let one = column_name(asked);
    if header.contains(&one) { vec![one] } else { split_list(asked) }
}

/// The refusal of a table without a target, with the columns that it has.
fn no_target(header: &[String], doubt: Option<&str>) -> Error {
    // Letters of a name that a list of columns shows.
    const LONGEST_NAME: usize = 60;
    let doubt = doubt.map(|doubt| format!("; {doubt}")).unwrap_or_default();
    let names: Vec<String> = header.iter().map(|name| name.chars().take(LONGEST_NAME).collect()).collect();
    let why = format!("missing; which column is to be predicted? There are: {}{doubt}", names.join(", "));
    Error::Setting { name: "--target".into(), why }
}

fn kernel(asked: &Inputs) -> Result<Option<KernelExpr>> {
    asked.kernel.as_deref().map(KernelExpr::parse).transpose()
}

/// The estimators asked for, in one list or one by one; `None`: nothing is said.
fn estimators(asked: &[String]) -> Result<Option<Vec<EstimatorExpr>>> {
    if asked.is_empty() { Ok(None) } else { EstimatorExpr::parse_list(&asked.join(", ")).map(Some) }
}

/// A comparison on a table, of all estimators that can predict its target where none is asked for.
fn comparing(asked: &Contest, kernel: Option<KernelExpr>, estimators: Option<Vec<EstimatorExpr>>, loaded: &Loaded) -> Result<Comparing> {
    let learning = &asked.learning;
    Ok(Comparing {
        prep: loaded.recipe.clone(),
        own_scales: estimators.is_none(),
        estimators: estimators.map_or_else(|| mercer::compare::usual(&loaded.data, &loaded.target, kernel.as_ref()), Ok)?,
        kernel,
        folds: asked.folds,
        seed: learning.seed,
        allow_non_mercer: learning.allow_non_mercer,
        metric: metric(learning)?,
        costs: None,
        sample: learning.sample,
        effort: asked.effort(),
        processes: None,
    })
}

fn recipe(asked: &Inputs) -> Result<Recipe> {
    Ok(Recipe { standardise: !asked.no_standardise, missing: Missing::of_columns(&asked.missing)?, ..Recipe::default() })
}

/// What decides, where the user says so.
fn metric(learning: &Learning) -> Result<Option<Metric>> {
    learning.metric.as_deref().map(Metric::parse).transpose()
}

/// Bounds and watchers of a long computation.
fn control(limits: &Limits, verbose: bool, stop: &Stop) -> Control {
    watched(Line::visible(verbose, &stop.screen), limits, stop)
}

/// Bounds of a long computation under a watcher.
fn watched(progress: Option<Arc<dyn Progress>>, limits: &Limits, stop: &Stop) -> Control {
    let control = Control { progress, ..bounds(limits.max_memory, stop) };
    match limits.max_seconds {
        Some(seconds) => control.with_seconds(seconds),
        None => control,
    }
}

fn bounds(max_memory: Option<u64>, stop: &Stop) -> Control {
    let control = Control { cancel: stop.cancel.clone(), stop_early: stop.stop_early.clone(), ..Control::default() };
    match max_memory {
        Some(bytes) => control.with_memory(bytes),
        None => control,
    }
}

/// The command as it was typed, quoted for a shell.
fn command_line() -> String {
    let plain = |w: &str| !w.is_empty() && w.chars().all(|c| c.is_ascii_alphanumeric() || "-_=./:,@%+".contains(c));
    std::iter::once("mercer".to_owned())
        .chain(std::env::args().skip(1).map(|w| if plain(&w) { w } else { format!("'{}'", w.replace('\'', "'\\''")) }))
        .collect::<Vec<_>>()
        .join(" ")
}
