//! `mercer density`: how dense rows lie in one or more columns of numbers.

use super::smoothed::{self, numbers};
use super::{Run, command_line, control, done};
use crate::Stop;
use crate::args::{Limits, Reading};
use crate::output::{check_writable, notices, print};
use clap::Args;
use mercer::error::{Error, Result};
use mercer::read::split_list;
use mercer::report::{DensityReport, density_grid, rows_csv};
use mercer::smoothing::{self, Asked, Bandwidth, Rule, Sample, Shape, SmoothingKernel, Support};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const DENSITY: &str = "\
Examples:
  mercer density faithful.csv --columns eruptions --report density.html
  mercer density faithful.csv --columns eruptions,waiting --bandwidth scott
  mercer density waits.csv --columns minutes --support 0, -o densities.csv";

/// Estimate a density: writes the logarithm of the density at each row.
///
/// A rule for the bandwidth follows the scale of each column; all rules are reported beside the one that is used.
#[derive(Debug, Args)]
#[command(after_help = DENSITY)]
pub(crate) struct Density {
    /// File or folder of texts, - for standard input, or example:NAME (see 'mercer examples').
    pub table: String,
    /// Columns of numbers, separated by commas; all of numbers if left out.
    #[arg(long, value_name = "COL[,COL]", help_heading = "What to learn")]
    pub columns: Option<String>,
    /// A rule (auto: isj, or silverman for several columns and values that repeat; normal_reference, silverman, scott, sheather_jones, isj, cross_validation, least_squares), or a number, or one for
    /// each column, separated by commas.
    #[arg(long, value_name = "RULE", default_value = "auto", help_heading = "What to learn")]
    pub bandwidth: String,
    /// gaussian, epanechnikov, tricube, boxcar, biweight, triangular, cosine or exponential.
    #[arg(long, value_name = "K", default_value = "gaussian", help_heading = "What to learn")]
    pub kernel: String,
    /// Radial or product kernel, for several columns.
    #[arg(long, value_name = "SHAPE", default_value = "radial", help_heading = "What to learn")]
    pub shape: String,
    /// Adaptive bandwidth: wider where rows are sparse, for long tails (Abramson 1982).
    #[arg(long, help_heading = "What to learn")]
    pub adaptive: bool,
    /// Column of sample weights: 2 means the row counts twice, 0 that it is absent.
    #[arg(long, value_name = "COL", help_heading = "What to learn")]
    pub weights: Option<String>,
    /// Bounds of the values, such as 0,1 or 0, for no upper bound; once for all columns, or once for each.
    #[arg(long, value_name = "LOW,HIGH", help_heading = "What to learn", allow_hyphen_values = true)]
    pub support: Vec<String>,
    /// Write the density on a grid of N points per column, up to three bandwidths beyond the data, instead of at each row.
    #[arg(long, value_name = "N", help_heading = "Output")]
    pub grid: Option<usize>,
    /// Table columns to copy to the left of the result, separated by commas; or all.
    #[arg(long, value_name = "COL[,COL]|all", conflicts_with = "grid", help_heading = "Output")]
    pub keep: Option<String>,
    /// CSV file to write; standard output if left out.
    #[arg(short, long, value_name = "F.csv", help_heading = "Output")]
    pub output: Option<PathBuf>,
    /// Write a page: the density over its rows, and every rule on the curve of cross-validation.
    #[arg(long, value_name = "F.html", help_heading = "Output")]
    pub report: Option<PathBuf>,
    #[command(flatten)]
    pub reading: Reading,
    #[command(flatten)]
    pub limits: Limits,
}

impl Run for Density {
    fn run(&self, stop: &Stop) -> Result<ExitCode> {
        density(self, stop).map(done)
    }
}

fn density(args: &Density, stop: &Stop) -> Result<()> {
    let kernel = SmoothingKernel::parse(&args.kernel)?;
    let shape = Shape::parse(&args.shape)?;
    let (bandwidth, rule) = bandwidth(&args.bandwidth)?;
    for path in [&args.output, &args.report].into_iter().flatten() {
        check_writable(path, &[Path::new(&args.table)])?;
    }
    let control = control(&args.limits, false, stop);
    let given = args.columns.as_deref().map(split_list);
    let asked = given.clone().unwrap_or_default();
    let (data, weights, kept) = smoothed::read(&args.table, asked, args.weights.as_deref(), args.keep.as_deref(), &args.reading, &control)?;
    let names = given.map_or_else(|| smoothed::number_columns(&data, None), Ok)?;
    let support = supports(&args.support, names.len())?;
    let points = numbers(&data, &names, &args.table)?;
    let sample = Sample::new(&points, weights.as_deref())?;
    let found = smoothing::Density::fit(
        &sample,
        &Asked { kernel, shape, bandwidth, support, adaptive: args.adaptive, ..Asked::default() },
        &control,
    )?;
    notices(found.notes());
    let csv = match args.grid {
        None => rows_csv(&kept, &[("log_density", &found.log_density(&points, &control)?)])?,
        Some(count) => {
            let grid = density_grid(&found, count)?;
            let (logs, sides) = (found.log_density(&grid, &control)?, (0..names.len()).map(|j| grid.col(j)).collect::<Vec<_>>());
            let columns =
                names.iter().zip(&sides).map(|(name, side)| (name.as_str(), side.as_slice())).chain([("log_density", logs.as_slice())]);
            rows_csv(&[], &columns.collect::<Vec<_>>())?
        }
    };
    if args.output.is_none() && args.report.is_none() {
        return print(&csv);
    }
    let page = DensityReport::new(&found, &names, &args.table, rule, shape, &control)?;
    smoothed::write(&csv, || page.text(), || page.html(&command_line(), &control), args.output.as_ref(), args.report.as_ref())
}

/// A rule by its name, or numbers.
fn bandwidth(text: &str) -> Result<(Bandwidth, Option<Rule>)> {
    let numbers: Option<Vec<f64>> = split_list(text).iter().map(|n| n.parse().ok()).collect();
    match numbers.as_deref() {
        Some([one]) => Ok((Bandwidth::Number(*one), None)),
        Some(several) => Ok((Bandwidth::Columns(several.to_vec()), None)),
        None => Rule::parse(text).map(|rule| (Bandwidth::Rule(rule), Some(rule))),
    }
}

fn supports(texts: &[String], columns: usize) -> Result<Vec<Support>> {
    let end = |text: &str, none: f64| if text.trim().is_empty() { Some(none) } else { text.trim().parse().ok() };
    let one = |text: &String| {
        let ends = text
            .split_once(',')
            .and_then(|(low, high)| Some(Support { low: end(low, f64::NEG_INFINITY)?, high: end(high, f64::INFINITY)? }));
        ends.ok_or_else(|| Error::Setting {
            name: "--support".into(),
            why: format!("'{text}' is not LOW,HIGH, such as 0,1 or 0, for no upper end"),
        })
    };
    let all: Vec<Support> = texts.iter().map(one).collect::<Result<_>>()?;
    Ok(if all.len() == 1 { vec![all[0]; columns] } else { all })
}
