//! `mercer cluster`: the cluster of each row, under any kernel.

use super::untargeted::Untargeted;
use super::{Run, done};
use crate::Stop;
use clap::{Args, ValueEnum};
use mercer::error::{Error, Result};
use mercer::estimators::EstimatorExpr;
use std::process::ExitCode;

const CLUSTER: &str = "\
Examples:
  mercer cluster example:iris --clusters 3 --report clusters.html
  mercer cluster example:iris --count-by gap --kernel linear --report gap.html
  mercer cluster reviews.csv --method spectral --kernel 'tfidf' -o found.csv
  mercer cluster names.csv --gram name=apart.csv --distances";

/// Find clusters: writes the cluster of each row, from 0, the heaviest first.
#[derive(Debug, Args)]
#[command(after_help = CLUSTER)]
pub(crate) struct Cluster {
    #[command(flatten)]
    pub asked: Untargeted,
    /// Clustering method.
    #[arg(long, value_enum, default_value_t = Method::Medoids, help_heading = "What to learn")]
    pub method: Method,
    /// Number of clusters; chosen from the data if left out.
    #[arg(long, value_name = "K", help_heading = "What to learn")]
    pub clusters: Option<usize>,
    /// Criterion for the number of clusters; if left out the silhouette, for spectral clustering the eigengap.
    #[arg(long, value_enum, conflicts_with = "clusters", help_heading = "What to learn")]
    pub count_by: Option<CountBy>,
    /// The method as an expression, such as "k_medoids(clusters=3, power=1)", instead of --method and --clusters.
    #[arg(long, value_name = "EXPR", conflicts_with_all = ["method", "clusters", "count_by"], help_heading = "What to learn")]
    pub estimator: Option<String>,
}

/// Criteria for the number of clusters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CountBy {
    /// Mean silhouette.
    Silhouette,
    /// Gap statistic; may find a single cluster.
    Gap,
    /// Stability of the clusters under subsampling.
    Stability,
    /// Eigengap (spectral clustering).
    Eigengap,
}

/// Clustering methods.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Method {
    /// k-medoids.
    Medoids,
    /// Kernel k-means.
    Means,
    /// Spectral clustering.
    Spectral,
}

impl Run for Cluster {
    const BEST_SO_FAR: bool = true;

    fn run(&self, stop: &Stop) -> Result<ExitCode> {
        self.asked.run(self.expression()?, stop).map(done)
    }
}

impl Cluster {
    fn expression(&self) -> Result<EstimatorExpr> {
        if let Some(text) = &self.estimator {
            return EstimatorExpr::parse(text);
        }
        let count = self.clusters.map_or("auto".to_owned(), |k| k.to_string());
        let by = self.count_by.and_then(|by| by.to_possible_value()).map_or(String::new(), |by| format!(", count_by={}", by.get_name()));
        let name = match self.method {
            Method::Medoids => return EstimatorExpr::parse(&format!("k_medoids(clusters={count}, values={}{by})", self.asked.values())),
            Method::Means => "kernel_k_means",
            Method::Spectral => "spectral_clustering",
        };
        if self.asked.distances {
            let why = format!("{name} goes by similarities; --method medoids takes distances");
            return Err(Error::Setting { name: "--distances".into(), why });
        }
        EstimatorExpr::parse(&format!("{name}(clusters={count}{by})"))
    }
}
