//! `mercer map`: coordinates of each row in few dimensions, from any kernel or from distances.

use super::untargeted::Untargeted;
use super::{Run, done};
use crate::Stop;
use clap::Args;
use mercer::error::Result;
use mercer::estimators::EstimatorExpr;
use std::process::ExitCode;

const MAP: &str = "\
Examples:
  mercer map example:iris --report map.html
  mercer map reviews.csv --kernel 'tfidf' -o places.csv
  mercer map towns.csv --gram town=roads.csv --distances";

/// Draw a map: writes coordinates of each row, so that rows alike to the kernel lie near each other: kernel principal components, of distances classical scaling.
#[derive(Debug, Args)]
#[command(after_help = MAP)]
pub(crate) struct Map {
    #[command(flatten)]
    pub asked: Untargeted,
    /// How many dimensions.
    #[arg(long, value_name = "K", default_value_t = 2, help_heading = "What to learn")]
    pub components: usize,
}

impl Run for Map {
    const BEST_SO_FAR: bool = true;

    fn run(&self, stop: &Stop) -> Result<ExitCode> {
        let (count, values) = (self.components, self.asked.values());
        let estimator = format!("kernel_pca(components={count}, values={values})");
        self.asked.run(EstimatorExpr::parse(&estimator)?, stop).map(done)
    }
}
