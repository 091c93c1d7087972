//! `mercer inspect`: what a model file holds, or what there is to choose from.

use super::{Run, done};
use crate::Stop;
use crate::output::{print, width};
use clap::Args;
use mercer::error::Result;
use mercer::{report, store};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const INSPECT: &str = "\
Examples:
  mercer inspect
  mercer inspect rbf
  mercer inspect wine.mercer --verbose";

/// Describe a model file, or one kernel or estimator; without an argument, list them all.
#[derive(Debug, Args)]
#[command(after_help = INSPECT)]
pub(crate) struct Inspect {
    /// Model file, or the name of a kernel, of a composite kernel or of an estimator.
    pub model: Option<PathBuf>,
    /// Show all digits of the parameters, all columns, and every search with the values tried.
    #[arg(short, long)]
    pub verbose: bool,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

impl Run for Inspect {
    fn run(&self, _: &Stop) -> Result<ExitCode> {
        inspect(self).map(done)
    }
}

/// Whether a word is no file and no path, and so the name of a kernel or an estimator.
fn names_an_entry(word: &Path) -> bool {
    !word.exists() && word.components().count() == 1 && word.extension().is_none()
}

fn entry(name: &str, json: bool) -> Result<String> {
    if json { report::entry_json(name) } else { report::entry_text(name) }
}

fn inspect(args: &Inspect) -> Result<()> {
    let text = match (&args.model, args.json) {
        (Some(name), json) if names_an_entry(name) => entry(&name.to_string_lossy(), json)?,
        (Some(path), false) if args.verbose => report::model_text_in_full(&store::load(path)?, width()),
        (Some(path), false) => report::model_text(&store::load(path)?, width()),
        (Some(path), true) => report::model_json(&store::load(path)?)?,
        (None, false) => report::catalogue_text(),
        (None, true) => report::catalogue_json()?,
    };
    print(&format!("{text}\n"))
}
