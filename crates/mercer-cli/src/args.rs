//! What may be typed.

use crate::commands::Command;
use clap::{Args, Parser};
use mercer::read::{ColumnType, Source};
use std::path::Path;

const AFTER: &str = "\
A TABLE is a file, - for standard input, or example:NAME. Its format is recognised from its first bytes: CSV \
with commas, semicolons, tabs or spaces, JSON lines, LIBSVM, FASTA, FASTQ, ARFF, .ts, NPY or NPZ, each also \
packed by gzip, Zstandard, bzip2 or xz; or a folder of texts (or a tar archive of one) with a folder for each label, \
or of several tables, which are joined. Several files, such as a FASTA file for each class, may be named one after the other. \
A note says whatever was not plain: dates, decimal commas, missing cells, new labels.

A first look:
  mercer compare example:iris
  mercer fit example:iris --estimator svc -o iris.mercer
  mercer predict iris.mercer example:iris
  mercer inspect iris.mercer

Exit codes:
  0    done
  1    'mercer check' refuted the kernel
  2    an option, an expression or a parameter
  3    the data or a file
  4    memory, time, or numerical failure
  5    a model file
  70   an internal error: please report it
  130  ctrl-C or SIGTERM; compare and fit write the best so far
After an error nothing is half-written.";

/// Kernel methods side by side on your table.
#[derive(Debug, Parser)]
#[command(name = "mercer", version, after_help = AFTER, max_term_width = 100)]
pub(crate) struct Arguments {
    /// Threads; 0 takes every core. Results are the same for any number.
    #[arg(long, global = true, default_value_t = 0, value_name = "N", value_parser = threads, help_heading = "Limits", display_order = 900)]
    pub threads: usize,
    #[command(subcommand)]
    pub command: Command,
}

/// Where the rows are.
#[derive(Debug, Args)]
pub(crate) struct Tables {
    /// File or folder of texts, - for standard input, or example:NAME (see 'mercer examples'). Several files are joined: the
    /// column 'file' holds the name of each without its ending, and is the target if no other is named.
    #[arg(required = true)]
    table: Vec<String>,
}

impl Tables {
    pub(crate) fn source(&self) -> Source {
        Source::of_words(&self.table)
    }
    /// The files, which nothing may be written to.
    pub(crate) fn paths(&self) -> Vec<&Path> {
        self.table.iter().map(Path::new).collect()
    }
}

/// The table to learn from and how to read it.
#[derive(Debug, Args)]
pub(crate) struct Tabular {
    #[command(flatten)]
    pub table: Tables,
    /// Column to predict; several number columns separated by commas, a name that holds a comma in double quotes. Not needed
    /// where the table names it: LIBSVM, NPZ with y, folders of texts, a file for each class, example:NAME.
    #[arg(long, value_name = "COL[,COL]", help_heading = "What to learn")]
    pub target: Option<String>,
    #[command(flatten)]
    pub inputs: Inputs,
}

/// What the columns of a table are as inputs.
#[derive(Debug, Args)]
pub(crate) struct Inputs {
    /// Kernel such as "rbf + on(seq, spectrum(k=3))"; made from the column types if left out.
    #[arg(long, value_name = "EXPR", help_heading = "What to learn", allow_hyphen_values = true)]
    pub kernel: Option<String>,
    #[command(flatten)]
    pub reading: Reading,
    /// How missing cells are handled: median+flag (numbers), category (labels), empty (texts) or interpolate (series that lack numbers),
    /// which are the defaults; for series also forward (the last number) or skip (leave the time out); drop (drop the row) or error.
    #[arg(long, value_name = "COL=POLICY", help_heading = "What to learn")]
    pub missing: Vec<String>,
    /// Precomputed kernel matrix: COL holds the names of rows, FILE their kernel matrix (CSV with the names in
    /// header and first column, or NPY whose rows are called 0, 1, 2, ...). The kernel precomputed takes them.
    #[arg(long, value_name = "COL=FILE", help_heading = "What to learn")]
    pub gram: Vec<String>,
    /// Make the rows that have one value in COL one row: its numbers become a set of vectors, which set_mean(rbf) takes.
    #[arg(long, value_name = "COL", help_heading = "What to learn")]
    pub group_into: Option<String>,
    /// Do not standardise number columns (to mean 0 and standard deviation 1).
    #[arg(long, help_heading = "What to learn")]
    pub no_standardise: bool,
}

/// How the cells of a table are to be read.
#[derive(Debug, Args)]
pub(crate) struct Reading {
    #[arg(long, value_name = "COL=TYPE", help_heading = "How to read", help = types())]
    pub types: Vec<String>,
    /// Texts that stand for missing cells, such as -999 or COL=-999, besides the usual ones (empty, NA, N/A, NaN, NULL, None, ?;
    /// among numbers - and . too). An empty TEXT (--na '' or --na COL=) keeps such words as labels: only empty cells are missing.
    #[arg(long, value_name = "TEXT", help_heading = "How to read", allow_hyphen_values = true)]
    pub na: Vec<String>,
    /// The first line is a row; columns are called 1, 2, 3, ...
    #[arg(long, help_heading = "How to read")]
    pub no_header: bool,
    /// Skip the first N lines of the file, above the header.
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true, help_heading = "How to read")]
    pub skip: usize,
    /// Each line is a label and a text, with a space or tab between them; in a folder, each file holds the texts of one class.
    #[arg(long, help_heading = "How to read")]
    pub lines: bool,
    /// Column separator: one character, or comma, semicolon, tab, pipe, space; detected if left out.
    #[arg(long, value_name = "SIGN", help_heading = "How to read")]
    pub delimiter: Option<String>,
    /// Text encoding: utf-8, utf-16, latin-1, windows-1252, ...; detected if left out.
    #[arg(long, value_name = "NAME", help_heading = "How to read")]
    pub encoding: Option<String>,
    /// Make the columns from FIRST to LAST one column of series called NAME, such as s=t0..t95; channels are separated by +, as in
    /// s=x0..x95+y0..y95. In a table of a row for each time, --group-into id with --types id=series does it.
    #[arg(long, value_name = "NAME=FIRST..LAST", help_heading = "How to read")]
    pub series: Vec<String>,
    /// Decimal mark, . or , for ambiguous columns (1,234 may be 1234).
    #[arg(long, value_name = "SIGN", help_heading = "How to read")]
    pub decimal: Option<String>,
}

/// What fitting asks for besides the table.
#[derive(Debug, Args)]
pub(crate) struct Learning {
    #[command(flatten)]
    pub table: Tabular,
    /// Column of sample weights: 2 means the row counts twice, 0 that it is absent.
    #[arg(long, value_name = "COL", help_heading = "What to learn")]
    pub weights: Option<String>,
    /// Fit although the kernel is not positive semi-definite (not Mercer).
    #[arg(long, help_heading = "What to learn")]
    pub allow_non_mercer: bool,
    /// Seed of folds and searches.
    #[arg(long, default_value_t = 0, value_name = "N", help_heading = "What to learn")]
    pub seed: u64,
    /// Metric for tuning and ranking, such as auc, f1 or mae; if left out accuracy for classes
    /// (compare: balanced accuracy where one class is so frequent that accuracy says little) and rmse for numbers.
    #[arg(long, value_name = "NAME", help_heading = "How to judge")]
    pub metric: Option<String>,
    /// Use at most N random rows for training.
    #[arg(long, value_name = "N", help_heading = "What to learn")]
    pub sample: Option<usize>,
    /// Log progress to standard error, and report every search with the values tried.
    #[arg(short, long, help_heading = "Output")]
    pub verbose: bool,
    #[command(flatten)]
    pub limits: Limits,
}

/// What a comparison asks for.
#[derive(Debug, Args)]
pub(crate) struct Contest {
    #[command(flatten)]
    pub learning: Learning,
    /// Estimators such as "svc(c=1), ridge"; the usual ones that can predict the target if left out.
    #[arg(long, alias = "estimator", value_name = "A,B", help_heading = "What to learn")]
    pub estimators: Vec<String>,
    /// Folds of the cross-validation.
    #[arg(long, default_value_t = 5, value_name = "N", help_heading = "How to judge")]
    pub folds: usize,
    /// Search budget as a multiple of the default, 0.1 to 10; the default is about a minute on two cores. The result is the
    /// same on every machine.
    #[arg(long, value_name = "F", value_parser = effort, conflicts_with_all = ["thorough", "max_seconds"], help_heading = "Limits")]
    pub effort: Option<f64>,
    /// No budget: search every candidate that can still win to its end.
    #[arg(long, conflicts_with = "max_seconds", help_heading = "Limits")]
    pub thorough: bool,
}

impl Contest {
    /// Times the usual budget; `None`: no budget.
    pub(crate) fn effort(&self) -> Option<f64> {
        if self.thorough { None } else { Some(self.effort.unwrap_or(1.0)) }
    }
}

/// What `--effort` takes.
fn effort(text: &str) -> Result<f64, String> {
    text.parse().ok().filter(|f| (0.1..=10.0).contains(f)).ok_or_else(|| "write a number from 0.1 to 10, or --thorough".into())
}

/// Bounds of the work.
#[derive(Debug, Args)]
pub(crate) struct Limits {
    /// Memory limit of the process, such as 4GB; 80% of the free memory if left out.
    #[arg(long, value_name = "SIZE", value_parser = bytes, help_heading = "Limits")]
    pub max_memory: Option<u64>,
    /// Time limit in seconds: searches and solvers then stop with their best so far; ctrl-C does the same.
    #[arg(long, value_name = "S", value_parser = positive, help_heading = "Limits")]
    pub max_seconds: Option<f64>,
}

/// What `--types` says of itself.
fn types() -> String {
    let kinds: Vec<&str> = ColumnType::all().into_iter().filter(|t| matches!(t, ColumnType::Of(_))).map(|t| t.name()).collect();
    format!(
        "Column type, if detection is wrong: {}, date (date-dmy and date-mdy say whether day or month comes first), days (a date without its time of day, weekday and season), flag, ordinal (labels in \
         their usual order, or ordinal(never<rarely<often)), series-channels-first (arrays of rows, channels and times) or ignore",
        kinds.join(", ")
    )
}

fn threads(text: &str) -> Result<usize, String> {
    // More threads than this are a typo.
    const MOST_THREADS: usize = 1024;
    let most = format!("write a whole number from 0 to {MOST_THREADS}");
    text.parse().ok().filter(|n| *n <= MOST_THREADS).ok_or(most)
}

pub(crate) fn bytes(text: &str) -> Result<u64, String> {
    mercer::control::memory_size(text).ok_or_else(|| "write a size such as 500MB or 4GB".into())
}

pub(crate) fn positive(text: &str) -> Result<f64, String> {
    text.parse().ok().filter(|x: &f64| *x > 0.0 && x.is_finite()).ok_or_else(|| "write a number of seconds above 0".into())
}

pub(crate) fn fraction(text: &str) -> Result<f64, String> {
    text.parse().ok().filter(|x: &f64| *x > 0.0 && *x < 1.0).ok_or_else(|| "write a probability between 0 and 1, such as 0.9".into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn the_help_of_types_names_every_type_and_the_foot_is_left_to_be_wrapped() {
        let mut all = Arguments::command();
        all.build();
        for command in ["compare", "fit", "gram", "check"] {
            let page = all.find_subcommand_mut(command).unwrap().render_long_help().to_string();
            let said = page.split_whitespace().collect::<Vec<_>>().join(" ");
            let types = said.split("if detection is wrong: ").nth(1).unwrap().split_inclusive('.').next().unwrap();
            for kind in mercer::read::ColumnType::all() {
                assert!(types.contains(kind.name()), "{command}: {types} lacks {}", kind.name());
            }
        }
        let examples: Vec<String> = all.get_subcommands().filter_map(|c| c.get_after_help()).map(ToString::to_string).collect();
        assert!(examples.len() >= 9 && examples.iter().flat_map(|e| e.lines()).all(|line| line.len() <= 80), "a command stays on its line");
        assert!(AFTER.lines().next().is_some_and(|line| line.len() > 200), "a paragraph is one line, whatever the terminal's width");
    }

    #[test]
    fn either_spelling_of_the_estimators_is_understood() {
        let asked = |words: &[&str]| match Arguments::try_parse_from(words).unwrap().command {
            Command::Compare(c) => c.contest.estimators,
            Command::Plan(p) => p.contest.estimators,
            Command::Fit(f) => f.estimator,
            _ => Vec::new(),
        };
        for command in ["compare", "plan"] {
            assert_eq!(asked(&["mercer", command, "t.csv", "--estimator", "svc", "--estimators", "knn"]), ["svc", "knn"]);
        }
        assert_eq!(asked(&["mercer", "fit", "t.csv", "-o", "m", "--estimators", "svc"]), ["svc"]);
    }

    #[test]
    fn sizes_are_read_with_their_units() {
        assert_eq!(bytes("4GB"), Ok(4_000_000_000));
        assert_eq!(bytes("1.5 GiB"), Ok(1_610_612_736));
        assert_eq!(bytes("100"), Ok(100));
        assert!(bytes("four").is_err() && bytes("-1GB").is_err() && bytes("3 parsecs").is_err());
    }
}
