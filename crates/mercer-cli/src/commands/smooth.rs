//! `mercer smooth`: a curve through rows, by local regression or lowess.

use super::smoothed::{self, numbers};
use super::{Run, command_line, control, done};
use crate::Stop;
use crate::args::{Limits, Reading};
use crate::output::{check_writable, print};
use clap::Args;
use mercer::error::{Error, Result};
use mercer::read::split_list;
use mercer::report::{SmoothReport, Smoother, rows_csv};
use mercer::smoothing::{LocalFit, LocalOptions, Lowess, LowessOptions, Reach, SmoothingKernel};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const SMOOTH: &str = "\
Examples:
  mercer smooth mcycle.csv --target accel --report curve.html
  mercer smooth waits.csv --target y --columns x --method lowess --span 0.2
  mercer smooth homes.csv --target price --columns lat,lon --bandwidth 0.1";

/// Smooth a column over others: writes the value of the curve at each row.
///
/// The bandwidth is chosen by rows left out, unless it is given.
#[derive(Debug, Args)]
#[command(after_help = SMOOTH)]
pub(crate) struct Smooth {
    /// File or folder of texts, - for standard input, or example:NAME (see 'mercer examples').
    pub table: String,
    /// Column of numbers that is smoothed.
    #[arg(long, value_name = "COL", help_heading = "What to learn")]
    pub target: String,
    /// Columns of numbers that it is smoothed over, separated by commas; all others of numbers if left out.
    #[arg(long, value_name = "COL[,COL]", help_heading = "What to learn")]
    pub columns: Option<String>,
    /// nadaraya_watson (averages), local_linear, local_quadratic, or lowess (lines without outliers, one column).
    #[arg(long, value_name = "M", default_value = "local_linear", help_heading = "What to learn")]
    pub method: String,
    /// left_out, or a number, or one for each column, separated by commas.
    #[arg(long, value_name = "H", conflicts_with = "span", help_heading = "What to learn")]
    pub bandwidth: Option<String>,
    /// Share of the rows that each place looks at, instead of a bandwidth; lowess: 2/3 if left out.
    #[arg(long, value_name = "F", help_heading = "What to learn")]
    pub span: Option<f64>,
    /// gaussian, epanechnikov, tricube, boxcar, biweight, triangular, cosine or exponential; with --span tricube if left out.
    #[arg(long, value_name = "K", help_heading = "What to learn")]
    pub kernel: Option<String>,
    /// Rounds in which outliers lose weight; if left out 3 of lowess and none of the others.
    #[arg(long, value_name = "N", help_heading = "What to learn")]
    pub rounds: Option<usize>,
    /// Distance within which lowess interpolates.
    #[arg(long, value_name = "D", default_value_t = 0.0, help_heading = "What to learn")]
    pub delta: f64,
    /// Column of sample weights: 2 means the row counts twice, 0 that it is absent.
    #[arg(long, value_name = "COL", help_heading = "What to learn")]
    pub weights: Option<String>,
    /// Columns of the table that stand to the left of what is found, separated by commas; or all.
    #[arg(long, value_name = "COL[,COL]|all", help_heading = "Output")]
    pub keep: Option<String>,
    /// CSV file to write; standard output if left out.
    #[arg(short, long, value_name = "F.csv", help_heading = "Output")]
    pub output: Option<PathBuf>,
    /// Write a page: the curve with its bands over the rows, and the curve by which the bandwidth was chosen.
    #[arg(long, value_name = "F.html", help_heading = "Output")]
    pub report: Option<PathBuf>,
    #[command(flatten)]
    pub reading: Reading,
    #[command(flatten)]
    pub limits: Limits,
}

impl Run for Smooth {
    fn run(&self, stop: &Stop) -> Result<ExitCode> {
        smooth(self, stop).map(done)
    }
}

fn smooth(args: &Smooth, stop: &Stop) -> Result<()> {
    let given = args.columns.as_deref().map(split_list);
    let early = given.as_ref().map(|names| Asked::of(args, names)).transpose()?;
    for path in [&args.output, &args.report].into_iter().flatten() {
        check_writable(path, &[Path::new(&args.table)])?;
    }
    let control = control(&args.limits, false, stop);
    let named = given.iter().flatten().chain([&args.target]).cloned().collect();
    let (data, weights, kept) = smoothed::read(&args.table, named, args.weights.as_deref(), args.keep.as_deref(), &args.reading, &control)?;
    let names = given.map_or_else(|| smoothed::number_columns(&data, Some(&args.target)), Ok)?;
    let asked = early.map_or_else(|| Asked::of(args, &names), Ok)?;
    let points = numbers(&data, &names, &args.table)?;
    let y = numbers(&data, std::slice::from_ref(&args.target), &args.table)?.into_data();
    let (smoother, csv) = match asked {
        Asked::Local(options) => {
            let local = LocalFit::fit(&points, &y, weights.as_deref(), &options, &control)?;
            let found = local.predict(&points, &control)?;
            let csv = rows_csv(&kept, &[("smoothed", &found.values), ("deviation", &found.deviations)])?;
            (Smoother::Local(Box::new(local), options), csv)
        }
        Asked::Lowess(options) => {
            let lowess = Lowess::fit(&points.col(0), &y, &options, &control)?;
            let csv = rows_csv(&kept, &[("smoothed", lowess.fitted())])?;
            (Smoother::Lowess(lowess, options), csv)
        }
    };
    if args.output.is_none() && args.report.is_none() {
        return print(&csv);
    }
    let page = SmoothReport { smoother: &smoother, names: &names, target: &args.target, table: &args.table, points: &points, y: &y };
    smoothed::write(&csv, || page.text(), || page.html(&command_line(), &control), args.output.as_ref(), args.report.as_ref())
}

/// What is asked for, by the words typed.
enum Asked {
    Local(LocalOptions),
    Lowess(LowessOptions),
}

impl Asked {
    fn of(args: &Smooth, names: &[String]) -> Result<Self> {
        let setting = |name: &str, why: &str| Error::Setting { name: name.into(), why: why.into() };
        let degree = match args.method.as_str() {
            "nadaraya_watson" => 0,
            "local_linear" => 1,
            "local_quadratic" => 2,
            "lowess" => {
                if names.len() != 1 || args.weights.is_some() {
                    return Err(setting("--method", "lowess goes over one column and takes no weights; take local_linear"));
                }
                if args.bandwidth.is_some() || args.kernel.is_some() {
                    return Err(setting("--method", "lowess takes the share of the rows (--span), no bandwidth and no kernel"));
                }
                let default = LowessOptions::default();
                let frac = args.span.unwrap_or(default.frac);
                return Ok(Asked::Lowess(LowessOptions { frac, rounds: args.rounds.unwrap_or(default.rounds), delta: args.delta }));
            }
            other => return Err(Error::unknown("method", other, ["nadaraya_watson", "local_linear", "local_quadratic", "lowess"])),
        };
        let kernel = match (&args.kernel, args.span) {
            (Some(name), _) => SmoothingKernel::parse(name)?,
            (None, Some(_)) => SmoothingKernel::Tricube,
            (None, None) => SmoothingKernel::Gaussian,
        };
        let reach = match (args.span, args.bandwidth.as_deref()) {
            (Some(span), _) => Reach::Nearest(span),
            (None, None | Some("left_out")) => Reach::LeftOut,
            (None, Some(text)) => {
                let widths: Option<Vec<f64>> = split_list(text).iter().map(|n| n.parse().ok()).collect();
                match widths.ok_or_else(|| setting("--bandwidth", &format!("'{text}' is neither left_out nor numbers")))?.as_slice() {
                    [one] => Reach::Widths(vec![*one; names.len()]),
                    several => Reach::Widths(several.to_vec()),
                }
            }
        };
        Ok(Asked::Local(LocalOptions { kernel, reach, degree, rounds: args.rounds.unwrap_or(0) }))
    }
}
