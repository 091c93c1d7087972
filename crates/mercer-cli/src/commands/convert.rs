//! `mercer convert`: models of LIBSVM and LIBLINEAR become model files, and model files text of LIBSVM.

use super::{Run, bounds, done};
use crate::Stop;
use crate::args::bytes;
use crate::output::{check_writable, notices};
use clap::Args;
use mercer::control::Control;
use mercer::error::{Error, Result};
use mercer::interchange::{FeatureColumns, TextOptions, is_model_text, read_text, to_libsvm};
use mercer::read::split_list;
use mercer::store;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const CONVERT: &str = "\
Examples:
  mercer convert heart.model heart.mercer
  mercer predict heart.mercer heart.t -o predictions.csv
  mercer convert sizes.model sizes.mercer --columns height,width
  mercer fit heart_scale --estimator svc --no-standardise -o heart.mercer
  mercer convert heart.mercer heart.model";

/// Take over a model of LIBSVM or LIBLINEAR as a model file, or write a model file as a model of LIBSVM.
///
/// The direction follows from the input: a model file, or text that starts with svm_type or solver_type. Decision values are
/// equal to rounding; a model that LIBSVM cannot express is refused.
#[derive(Debug, Args)]
#[command(after_help = CONVERT)]
pub(crate) struct Convert {
    /// Model file, or text of LIBSVM or LIBLINEAR.
    pub input: PathBuf,
    /// The file to write.
    pub output: PathBuf,
    /// Names of the features in order: columns of numbers instead of one column of sparse vectors.
    #[arg(long, value_name = "NAMES", conflicts_with = "features")]
    pub columns: Option<String>,
    /// The number of features, where new rows have more than the text names.
    #[arg(long, value_name = "N")]
    pub features: Option<usize>,
    /// Keep the probabilities of the text; the predicted class is then the one of the greatest.
    #[arg(long)]
    pub probabilities: bool,
    /// Memory limit of the process, such as 4GB; 80% of the free memory if left out.
    #[arg(long, value_name = "SIZE", value_parser = bytes, help_heading = "Limits")]
    pub max_memory: Option<u64>,
}

impl Run for Convert {
    fn run(&self, stop: &Stop) -> Result<ExitCode> {
        convert(self, stop).map(done)
    }
}

fn convert(args: &Convert, stop: &Stop) -> Result<()> {
    let control = bounds(args.max_memory, stop);
    check_writable(&args.output, &[&args.input])?;
    if let Some(text) = text(&args.input, &control)? {
        let columns =
            args.columns.as_ref().map_or(FeatureColumns::Vectors(args.features), |names| FeatureColumns::Numbers(split_list(names)));
        let options = TextOptions { columns, probabilities: args.probabilities };
        let model = read_text(&text, &args.input.display().to_string(), &options, &control)?;
        store::save(&model, &args.output)?;
        notices(&model.about.notices);
        return Ok(());
    }
    if args.columns.is_some() || args.features.is_some() || args.probabilities {
        let why = "a model file has its own columns and probabilities; leave --columns, --features and --probabilities out";
        return Err(Error::Setting { name: "convert".into(), why: why.into() });
    }
    let written = to_libsvm(&store::load_within(&args.input, &control)?)?;
    store::write_atomically(&args.output, written.text.as_bytes())?;
    notices(&written.notices);
    Ok(())
}

/// The text of a model of another program; `None` where the file is a model file.
fn text(path: &Path, control: &Control) -> Result<Option<String>> {
    // Bytes at the beginning that say which of both it is.
    const FIRST: u64 = 64;
    let fault = |e| Error::io(path.display(), e);
    let mut file = File::open(path).map_err(fault)?;
    let mut bytes = Vec::new();
    file.by_ref().take(FIRST).read_to_end(&mut bytes).map_err(fault)?;
    let refuse = |why: &str| Error::ModelFile { file: path.display().to_string(), why: why.into() };
    if store::is_model_file(&bytes) {
        return Ok(None);
    }
    if !is_model_text(&bytes) {
        return Err(refuse("it is neither a model file nor a model of LIBSVM, which starts with svm_type, or LIBLINEAR, with solver_type"));
    }
    control.plan(&format!("reading {}", path.display()), file.metadata().map_err(fault)?.len())?;
    file.read_to_end(&mut bytes).map_err(fault)?;
    let why = "it begins as a model of LIBSVM or LIBLINEAR does and is not text; copy it again";
    String::from_utf8(bytes).map(Some).map_err(|_| refuse(why))
}
