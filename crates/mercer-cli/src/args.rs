//! What may be typed.

use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;

const CODES: &str = "\
A TABLE is a CSV or TSV file, - for standard input, or example:NAME (see 'mercer examples').

Exit codes: 0 done; 2 an option, expression or parameter; 3 the data or a file; 4 memory, or numbers that
break down; 5 a model file; 130 stopped by ctrl-C. After an error nothing is half-written.";

/// Kernel methods side by side on your table.
#[derive(Debug, Parser)]
#[command(name = "mercer", version, after_help = CODES, max_term_width = 100)]
pub(crate) struct Arguments {
    /// Threads to use; 0 takes every core. Results are the same for any number.
    #[arg(long, global = true, default_value_t = 0, value_name = "N")]
    pub threads: usize,
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Tune, cross-validate and time several estimators under one kernel, side by side.
    Compare(Compare),
    /// Fit one estimator to a table and write a model file.
    Fit(Fit),
    /// Predict every row of a table with a model file; CSV on standard output or in a file.
    Predict(Predict),
    /// Say what a model file holds; without a file, list every kernel and estimator with its parameters.
    Inspect(Inspect),
    /// List the built-in tables, or print one as CSV.
    Examples(Examples),
}

/// The table to learn from and how to read it.
#[derive(Debug, Args)]
pub(crate) struct Learning {
    /// Table to learn from.
    pub table: String,
    /// Column to predict; several number columns separated by commas. Not needed for example:NAME.
    #[arg(long, value_name = "COL[,COL]", value_delimiter = ',')]
    pub target: Vec<String>,
    /// Kernel expression such as "rbf + on(seq, spectrum(k=3))"; made from the column types if left out.
    #[arg(long, value_name = "EXPR")]
    pub kernel: Option<String>,
    /// What a column holds where that is read wrongly: number, category, text, sequence or ignore.
    #[arg(long, value_name = "COL=TYPE", value_delimiter = ',')]
    pub types: Vec<String>,
    /// Column of sample weights: 2 means the row counts twice, 0 that it is absent.
    #[arg(long, value_name = "COL")]
    pub weights: Option<String>,
    /// Leave numbers in their own units instead of mean 0 and standard deviation 1.
    #[arg(long)]
    pub no_standardise: bool,
    /// Fit although the kernel is not positive semi-definite.
    #[arg(long)]
    pub allow_non_mercer: bool,
    /// Seed of folds and searches.
    #[arg(long, default_value_t = 0, value_name = "N")]
    pub seed: u64,
    #[command(flatten)]
    pub limits: Limits,
}

/// Bounds of the work.
#[derive(Debug, Args)]
pub(crate) struct Limits {
    /// The most memory a plan may ask for, such as 4GB; four fifths of what is free if left out.
    #[arg(long, value_name = "SIZE", value_parser = bytes)]
    pub max_memory: Option<u64>,
    /// Seconds after which searches and solvers stop with their best so far.
    #[arg(long, value_name = "S", value_parser = positive)]
    pub max_seconds: Option<f64>,
}

#[derive(Debug, Args)]
pub(crate) struct Compare {
    #[command(flatten)]
    pub learning: Learning,
    /// Estimators such as "svc(c=1), ridge"; every one that can predict the target if left out.
    #[arg(long, value_name = "A,B")]
    pub estimators: Option<String>,
    /// Folds of the cross-validation.
    #[arg(long, default_value_t = 5, value_name = "N")]
    pub folds: usize,
    /// Column whose equal rows stay in one fold.
    #[arg(long, value_name = "COL")]
    pub groups: Option<String>,
    /// Write a page with table and pictures.
    #[arg(long, value_name = "F.html")]
    pub report: Option<PathBuf>,
    /// Write the table as JSON.
    #[arg(long, value_name = "F")]
    pub json: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct Fit {
    #[command(flatten)]
    pub learning: Learning,
    /// Estimator such as "svc(c=0.1..100)"; if left out svc for classes and ridge for numbers.
    #[arg(long, value_name = "EXPR")]
    pub estimator: Option<String>,
    /// Model file to write.
    #[arg(short, long, value_name = "MODEL.mercer")]
    pub output: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct Predict {
    /// Model file.
    pub model: PathBuf,
    /// Table with the columns that the model was fitted on, in any order.
    pub table: String,
    /// CSV file to write instead of standard output.
    #[arg(short, long, value_name = "F.csv")]
    pub output: Option<PathBuf>,
    /// Add the standard deviation of a new target around each prediction (gp, baseline).
    #[arg(long)]
    pub std: bool,
    /// Add the ends of the central interval that holds a new target with this probability (gp, baseline).
    #[arg(long, value_name = "0.9", value_parser = fraction)]
    pub interval: Option<f64>,
    /// Add the probability of each class (knn, baseline).
    #[arg(long)]
    pub probabilities: bool,
    #[command(flatten)]
    pub limits: Limits,
}

#[derive(Debug, Args)]
pub(crate) struct Inspect {
    /// Model file.
    pub model: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Examples {
    /// Table to print as CSV; the list of tables if left out.
    pub name: Option<String>,
}

fn bytes(text: &str) -> Result<u64, String> {
    mercer::control::memory_size(text).ok_or_else(|| "write a size such as 500MB or 4GB".into())
}

fn positive(text: &str) -> Result<f64, String> {
    text.parse().ok().filter(|x: &f64| *x > 0.0 && x.is_finite()).ok_or_else(|| "write a number of seconds above 0".into())
}

fn fraction(text: &str) -> Result<f64, String> {
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
    fn sizes_are_read_with_their_units() {
        assert_eq!(bytes("4GB"), Ok(4_000_000_000));
        assert_eq!(bytes("1.5 GiB"), Ok(1_610_612_736));
        assert_eq!(bytes("100"), Ok(100));
        assert!(bytes("four").is_err() && bytes("-1GB").is_err() && bytes("3 parsecs").is_err());
    }
}
