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
    /// How the clusters are found.
    #[arg(long, value_enum, default_value_t = Method::Medoids, help_heading = "What to learn")]
    pub method: Method,
    /// How many; found from the rows if left out.
    #[arg(long, value_name = "K", help_heading = "What to learn")]
    pub clusters: Option<usize>,
    /// How that is found; left out: by the silhouette, and of spectral clustering by the eigenvalues.
    #[arg(long, value_enum, conflicts_with = "clusters", help_heading = "What to learn")]
    pub count_by: Option<CountBy>,
    /// The method as an expression, such as "k_medoids(clusters=3, power=1)", instead of --method and --clusters.
    #[arg(long, value_name = "EXPR", conflicts_with_all = ["method", "clusters", "count_by"], help_heading = "What to learn")]
    pub estimator: Option<String>,
}

/// How the number of clusters is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CountBy {
    /// How much nearer rows lie to their own cluster than to the next one.
    Silhouette,
    /// How much less rows scatter within clusters than rows without any; may say that there is one cluster.
    Gap,
    /// Whether samples of the rows have the same clusters.
    Stability,
    /// Where eigenvalues fall most: spectral clustering.
    Eigengap,
}

/// How clusters are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Method {
    /// Around rows: k medoids.
    Medoids,
    /// Around means in feature space: kernel k-means.
    Means,
    /// Parts of the rows that few similarities cross: spectral clustering.
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
