//! What a fit of clusters leaves: the clusters, and a score of each for new rows.

use crate::blocks;
use crate::data::TargetInfo;
use crate::error::Result;
use crate::estimators::neighbours::nearest_column;
use crate::estimators::{Answer, Expansion, Fitted, Predicted, Predictions, Query, Summary};
use serde::{Deserialize, Serialize};

/// Clusters of training rows, the heaviest first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Clusters {
    /// The weight of the training rows of each.
    pub sizes: Vec<f64>,
    /// The training row that is the medoid of each; empty where centres are no rows.
    #[serde(with = "blocks::usizes")]
    pub medoids: Vec<usize>,
    /// Their mean silhouette, where there are two and more and it is looked at.
    #[serde(default)]
    pub silhouette: Option<f64>,
}

/// Fitted clusters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FittedClusters {
    /// One score per cluster; the greatest decides.
    pub(super) expansion: Expansion,
    pub(super) clusters: Clusters,
    pub(super) summary: Summary,
}

impl Fitted for FittedClusters {
    fn support(&self) -> &[usize] {
        &self.expansion.support
    }
    fn predict(&self, query: &Query<'_>) -> Result<Predictions> {
        let columns: Vec<usize> = self.clusters.medoids.iter().filter_map(|m| self.expansion.support.binary_search(m).ok()).collect();
        // Of distances that are given coefficients are below 0, and nothing is added to them.
        let of_kernel = self.expansion.coef.data().iter().all(|c| *c >= 0.0);
        if of_kernel && !columns.is_empty() && query.cross()?.shape().1 == self.expansion.support.len() {
            return Ok(Predictions::of(Predicted::Classes(nearest_column(query.cross()?, &columns, query.control)?)));
        }
        let scores = self.expansion.predict(query.cross()?, query.control)?;
        let greatest = |row: &[f64]| (0..row.len()).fold(0, |b, k| if row[k] > row[b] { k } else { b });
        Ok(Predictions::of(Predicted::Classes((0..scores.rows()).map(|i| greatest(scores.row(i))).collect())))
    }
    fn summary(&self) -> &Summary {
        &self.summary
    }
    fn answer(&self, _target: &TargetInfo) -> Result<Answer> {
        Ok(Answer::Clusters { count: self.expansion.bias.len() })
    }
    fn expansion(&self) -> Option<&Expansion> {
        Some(&self.expansion)
    }
    fn expansion_mut(&mut self) -> Option<&mut Expansion> {
        Some(&mut self.expansion)
    }
    fn clusters(&self) -> Option<&Clusters> {
        Some(&self.clusters)
    }
    fn forget_rows(&mut self) {
        self.expansion.forget_rows();
    }
}
