//! `mercer map`: coordinates of each row in few dimensions, from any kernel or from distances.

use super::untargeted::Untargeted;
use super::{Run, done};
use crate::Stop;
use clap::{Args, ValueEnum};
use mercer::error::Result;
use mercer::estimators::EstimatorExpr;
use std::process::ExitCode;

const MAP: &str = "\
Examples:
  mercer map example:iris --report map.html
  mercer map example:iris --method mds --kernel linear -o places.csv
  mercer map reviews.csv --method mds --kernel 'tfidf' -o places.csv
  mercer map towns.csv --gram town=roads.csv --distances --method sammon";

/// Draw a map: writes coordinates of each row, so that rows alike to the kernel lie near each other.
#[derive(Debug, Args)]
#[command(after_help = MAP)]
pub(crate) struct Map {
    #[command(flatten)]
    pub asked: Untargeted,
    /// Embedding method.
    #[arg(long, value_enum, default_value_t = Method::KernelPca, help_heading = "What to learn")]
    pub method: Method,
    /// Number of dimensions.
    #[arg(long, value_name = "K", default_value_t = 2, help_heading = "What to learn")]
    pub components: usize,
}

/// Embedding methods.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub(crate) enum Method {
    /// Kernel principal component analysis; classical scaling for distances.
    #[value(alias = "classical")]
    KernelPca,
    /// Metric multidimensional scaling: preserves distances.
    Mds,
    /// Sammon mapping: gives small distances more weight.
    Sammon,
}

impl Run for Map {
    const BEST_SO_FAR: bool = true;

    fn run(&self, stop: &Stop) -> Result<ExitCode> {
        let (count, values) = (self.components, self.asked.values());
        let estimator = match self.method {
            Method::KernelPca => format!("kernel_pca(components={count}, values={values})"),
            Method::Mds => format!("mds(components={count}, values={values})"),
            Method::Sammon => format!("mds(components={count}, values={values}, loss=sammon)"),
        };
        self.asked.run(EstimatorExpr::parse(&estimator)?, stop).map(done)
    }
}
