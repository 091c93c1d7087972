//! What the commands without a target share: a fit, a line of CSV for each row, a page.

use super::{AskedTable, Role, bounds, columns, command_line, control, kernel, load};
use crate::Stop;
use crate::args::{Inputs, Limits, Tables};
use crate::output::{check_writable, notices, print, width};
use clap::Args;
use mercer::control::Control;
use mercer::error::{Error, Result};
use mercer::estimators::EstimatorExpr;
use mercer::learner::{Learner, TrainingRows};
use mercer::notice::Notice;
use mercer::report::{PredictionColumns, Row, predict_csv};
use mercer::{report, store};
use std::path::PathBuf;

/// What a command without a target asks for besides its method.
#[derive(Debug, Args)]
pub(crate) struct Untargeted {
    #[command(flatten)]
    pub table: Tables,
    /// Columns to use, separated by commas; all if left out.
    #[arg(long, value_name = "COL[,COL]", help_heading = "What to learn")]
    pub columns: Option<String>,
    #[command(flatten)]
    pub inputs: Inputs,
    /// Column of sample weights: 2 means the row counts twice, 0 that it is absent.
    #[arg(long, value_name = "COL", help_heading = "What to learn")]
    pub weights: Option<String>,
    /// The kernel's values are distances: those of a file that --gram names.
    #[arg(long, help_heading = "What to learn")]
    pub distances: bool,
    /// Seed of anything random.
    #[arg(long, default_value_t = 0, value_name = "N", help_heading = "What to learn")]
    pub seed: u64,
    /// Table columns to copy to the left of the result, separated by commas; or all.
    #[arg(long, value_name = "COL[,COL]|all", help_heading = "Output")]
    pub keep: Option<String>,
    /// CSV file to write; standard output if left out.
    #[arg(short, long, value_name = "F.csv", help_heading = "Output")]
    pub output: Option<PathBuf>,
    /// Model file to write: 'mercer predict' takes new rows with it.
    #[arg(long, value_name = "MODEL.mercer", help_heading = "Output")]
    pub model: Option<PathBuf>,
    /// Write an HTML report with a figure of the rows.
    #[arg(long, value_name = "F.html", help_heading = "Output")]
    pub report: Option<PathBuf>,
    #[command(flatten)]
    pub limits: Limits,
}

/// An error that advises `values=distances`, which an option stands for here.
fn by_option(why: Error) -> Error {
    match why {
        Error::Data(said) => Error::Data(match said.rsplit_once("Write ") {
            Some((before, advice)) if advice.ends_with("(values=distances)") => format!("{before}Add --distances"),
            _ => said,
        }),
        other => other,
    }
}

impl Untargeted {
    /// Fits, and writes a line for each row of the table.
    pub(crate) fn run(&self, estimator: EstimatorExpr, stop: &Stop) -> Result<()> {
        if !estimator.takes_no_target() {
            let why = format!("{} predicts a target; mercer fit takes it", estimator.name());
            return Err(Error::Setting { name: "--estimator".into(), why });
        }
        let asked_kernel = kernel(&self.inputs)?;
        for path in [&self.output, &self.model, &self.report].into_iter().flatten() {
            check_writable(path, &self.table.paths())?;
        }
        let roles: Vec<Role<'_>> = self.weights.iter().map(|name| Role::Weights(name)).collect();
        let asked = AskedTable {
            table: &self.table,
            target: None,
            columns: self.columns.as_ref(),
            inputs: &self.inputs,
            keep: self.keep.as_deref(),
        };
        let mut loaded = load(asked, &roles, true, &bounds(self.limits.max_memory, stop))?;
        if self.distances {
            loaded.takes_distances();
        }
        loaded.leave_target_out(estimator.name());
        if let Some(names) = &self.columns {
            loaded.data = columns(&loaded.data, names)?;
        }
        notices(&loaded.notices);
        let learner = Learner {
            prep: loaded.recipe.clone(),
            kernel: asked_kernel,
            seed: self.seed,
            sample: TrainingRows::Affordable,
            ..Learner::new(estimator)
        };
        let control = control(&self.limits, false, stop);
        let mut model = learner.fit(&loaded.data, &loaded.target, &loaded.info, loaded.weights.as_deref(), &control).map_err(by_option)?;
        let telling = Control { progress: None, ..control.clone() };
        drop(control);
        notices(&model.about.notices.iter().filter(|n| !n.is_of_steps()).collect::<Vec<_>>());
        let csv = predict_csv(&model, &loaded.data, &PredictionColumns::default(), &loaded.kept, &telling)?.csv;
        if let Some(path) = &self.model {
            store::save(&model, path)?;
        }
        if let Some(path) = &self.report {
            let row = Row::of_model(&model, &loaded.data, &loaded.target, loaded.weights.as_deref(), &telling)?;
            // The page says too how the table was read.
            model.about.notices.splice(0..0, loaded.notices.iter().cloned().map(Notice::OfTable));
            let page = report::model_page(&model, &row, &self.table.source().to_string(), &command_line())?;
            store::write_atomically(path, page.as_bytes())?;
        }
        match &self.output {
            None => print(&csv),
            Some(path) => {
                store::write_atomically(path, csv.as_bytes())?;
                let written = [&self.output, &self.model, &self.report];
                let written: String = written.into_iter().flatten().map(|p| format!("written: {}\n", p.display())).collect();
                print(&format!("{}\n{written}", report::model_text(&model, width())))
            }
        }
    }

    /// What `values=` is.
    pub(crate) fn values(&self) -> &'static str {
        if self.distances { "distances" } else { "similarities" }
    }
}
