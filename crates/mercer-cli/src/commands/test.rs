//! `mercer test`: whether two sets of columns depend on one another and how, or two groups of rows differ.

use super::{Run, columns, control, done, read_options};
use crate::Stop;
use crate::args::{Limits, Reading, Tables};
use crate::output::{check_writable, notices, print, width};
use clap::Args;
use mercer::dependence::{Asked, AskedCorrelations, Correlations, TestResult, canonical_correlations, independence_test, two_sample_test};
use mercer::error::{Error, Result};
use mercer::kernels::KernelExpr;
use mercer::prep::Recipe;
use mercer::read::{ReadOptions, Source, Table, split_list};
use mercer::report::{Question, dependence_text, p_value};
use mercer::store::write_atomically;
use std::path::PathBuf;
use std::process::ExitCode;

const TEST: &str = "\
Examples:
  mercer test wine.csv --between alcohol,density --and quality
  mercer test reviews.csv --between text --and stars --kernel 'spectrum(k=3)'
  mercer test trial.csv --groups arm --permutations 9999
  mercer test wine.csv --between alcohol --and quality --correlations 1 -o p.csv";

/// Test whether two sets of columns are independent (HSIC), or whether two groups of rows are of one distribution (MMD).
///
/// The p-value counts random permutations of the rows, so that its level is exact for any kernels and any kinds of columns.
#[derive(Debug, Args)]
#[command(name = "test", after_help = TEST)]
pub(crate) struct Test {
    #[command(flatten)]
    pub table: Tables,
    /// Columns of one side, separated by commas.
    #[arg(long, value_name = "COL[,COL]", requires = "and", required_unless_present = "groups", help_heading = "What to test")]
    pub between: Option<String>,
    /// Columns of the other side.
    #[arg(long, value_name = "COL[,COL]", requires = "between", help_heading = "What to test")]
    pub and: Option<String>,
    /// Column with two values: are the other columns alike in the rows of one and of the other?
    #[arg(long, value_name = "COL", conflicts_with = "between", help_heading = "What to test")]
    pub groups: Option<String>,
    /// Kernel of the columns of --between, or of all but --groups; made from the column types if left out.
    #[arg(long, value_name = "EXPR", help_heading = "What to test", allow_hyphen_values = true)]
    pub kernel: Option<String>,
    /// Kernel of the columns of --and; made from the column types if left out.
    #[arg(long, value_name = "EXPR", requires = "and", help_heading = "What to test", allow_hyphen_values = true)]
    pub kernel_and: Option<String>,
    /// Compute this many kernel canonical correlations instead of HSIC.
    #[arg(long, value_name = "N", requires = "and", help_heading = "What to test")]
    pub correlations: Option<usize>,
    /// Regularisation of the canonical correlations, as a share of the variance of each side.
    #[arg(long, value_name = "S", requires = "correlations", default_value_t = 0.01, help_heading = "What to test")]
    pub shrinkage: f64,
    /// Table with the columns of both sides: evaluate the functions at its rows instead of the training rows.
    #[arg(long, value_name = "TABLE", requires = "correlations", requires = "output", help_heading = "What to test")]
    pub new: Option<String>,
    /// CSV file for the functions of both sides at each row.
    #[arg(short, long, value_name = "F.csv", requires = "correlations", help_heading = "Output")]
    pub output: Option<PathBuf>,
    /// Number of random permutations; the smallest p-value is 1 / (1 + N).
    #[arg(long, default_value_t = 999, value_name = "N", help_heading = "What to test")]
    pub permutations: usize,
    /// Seed of the permutations.
    #[arg(long, default_value_t = 0, value_name = "N", help_heading = "What to test")]
    pub seed: u64,
    /// Do not standardise number columns (to mean 0 and standard deviation 1).
    #[arg(long, help_heading = "What to test")]
    pub no_standardise: bool,
    #[command(flatten)]
    pub reading: Reading,
    #[command(flatten)]
    pub limits: Limits,
}

impl Run for Test {
    fn run(&self, stop: &Stop) -> Result<ExitCode> {
        test(self, stop).map(done)
    }
}

fn kernel(asked: Option<&String>) -> Result<Option<KernelExpr>> {
    asked.map(|text| KernelExpr::parse(text)).transpose()
}

fn test(args: &Test, stop: &Stop) -> Result<()> {
    let kernels = [kernel(args.kernel.as_ref())?, kernel(args.kernel_and.as_ref())?];
    if let Some(path) = &args.output {
        check_writable(path, &args.table.paths())?;
    }
    let control = control(&args.limits, false, stop);
    let names = [&args.between, &args.and].into_iter().flatten().flat_map(|list| split_list(list)).collect();
    let options = ReadOptions { names, ..read_options(&args.reading)? };
    let mut table = Table::read_within(&args.table.source(), &options, &control)?;
    table.require_room(&control)?;
    let asked = Asked { permutations: args.permutations, seed: args.seed };
    let recipe = Recipe { standardise: !args.no_standardise, ..Recipe::default() };
    if let Some(column) = &args.groups {
        let names = table.texts(std::slice::from_ref(column))?.into_iter().flat_map(|(_, cells)| cells).collect::<Vec<_>>();
        let groups = table.take_groups(column)?;
        let name = |group: usize| groups.iter().position(|g| *g == group).map_or("", |row| &names[row]);
        let count = groups.iter().max().map_or(0, |last| last + 1);
        if count != 2 {
            let first: Vec<&str> = (0..count.min(5)).map(name).collect();
            let why = format!(
                "column '{column}' has {count} values ({}{}), and a test of two groups needs two; --between COL,COL --and {column} tests more",
                first.join(", "),
                if count > 5 { ", ..." } else { "" }
            );
            return Err(Error::Setting { name: "--groups".into(), why });
        }
        let data = table.dataset(&options)?;
        notices(&table.notices());
        let second: Vec<bool> = groups.iter().map(|g| *g == 1).collect();
        let many = second.iter().filter(|s| **s).count();
        let found = two_sample_test(&data, &second, kernels[0].as_ref(), &recipe, asked, &control)?;
        let question = Question::TwoSamples([(name(0).into(), second.len() - many), (name(1).into(), many)]);
        return tell(&question, &found, args.seed);
    }
    let data = table.dataset(&options)?;
    notices(&table.notices());
    let (Some(a), Some(b)) = (&args.between, &args.and) else {
        return Err(Error::Setting { name: "--between".into(), why: "give --between COLS and --and COLS, or --groups COL".into() });
    };
    let sides = [columns(&data, a)?, columns(&data, b)?];
    let (sides, kernels) = ([&sides[0], &sides[1]], kernels.each_ref().map(Option::as_ref));
    if let Some(count) = args.correlations {
        let asked = AskedCorrelations { count, shrinkage: args.shrinkage, permutations: args.permutations, seed: args.seed };
        let new = args.new.as_ref().map(|path| {
            let mut table = Table::read_within(&Source::new(path), &options, &control)?;
            table.require_room(&control)?;
            let data = table.dataset(&options)?;
            Ok([columns(&data, a)?, columns(&data, b)?])
        });
        let new = new.transpose()?;
        let at = new.as_ref().map_or([None, None], |sides| sides.each_ref().map(Some));
        let found = canonical_correlations(sides, at, kernels, &recipe, asked, &control)?;
        if let Some(path) = &args.output {
            write_atomically(path, pairs(&found).as_bytes())?;
        }
        return tell_correlations(&format!("between      {a}\nand          {b}\nrows         {}", data.rows()), &found, args.seed);
    }
    let found = independence_test(sides, kernels, &recipe, asked, &control)?;
    tell(&Question::Independence([a.clone(), b.clone()]), &found, args.seed)
}

/// Both functions of each pair, row by row: at new rows where there are such.
fn pairs(found: &Correlations) -> String {
    let [f, g] = match &found.new_scores {
        [Some(f), Some(g)] => [f, g],
        _ => found.scores.each_ref(),
    };
    let names: Vec<String> = (1..=f.cols()).flat_map(|k| [format!("f{k}"), format!("g{k}")]).collect();
    let row = |i: usize| (0..f.cols()).map(|k| format!("{},{}", f[(i, k)], g[(i, k)])).collect::<Vec<_>>().join(",");
    std::iter::once(names.join(",")).chain((0..f.rows()).map(row)).map(|line| line + "\n").collect()
}

fn tell_correlations(sides: &str, found: &Correlations, seed: u64) -> Result<()> {
    notices(&found.notices);
    let kernels: String = found.kernels.iter().map(|k| format!("kernel       {k}\n")).collect();
    let values: Vec<String> = found.correlations.iter().map(|r| format!("{r:.4}")).collect();
    let chance = found.by_chance.map_or(String::new(), |(mean, p)| {
        let permutations = found.permutations;
        format!("by chance    {mean:.4} is the first\np-value      {} ({permutations} permutations, seed {seed})\n", p_value(p))
    });
    print(&format!("{sides}\n{kernels}correlations {}\n{chance}", values.join(", ")))
}

fn tell(question: &Question, found: &TestResult, seed: u64) -> Result<()> {
    notices(&found.notices);
    print(&dependence_text(question, found, seed, width()))
}
