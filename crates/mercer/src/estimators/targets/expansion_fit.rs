//! A fit that is a kernel expansion and nothing else.

use super::class_scores::ClassScores;
use super::link::Link;
use crate::data::TargetInfo;
use crate::error::Result;
use crate::estimators::{
    Answer, Expansion, Fitted, GradientQuery, Predicted, PredictionGradient, Predictions, Query, Summary, View, ViewKind, Want, WarmStart,
};
use crate::linalg::Matrix;
use serde::{Deserialize, Serialize};

/// A kernel expansion, over training rows or over features, whose outputs are numbers or decide between classes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExpansionFit {
    /// The function: an output for each column of the target, or for the decision values of classes.
    pub expansion: Expansion,
    link: Link,
    reads: ViewKind,
    summary: Summary,
}

impl ExpansionFit {
    /// An expansion of kernel values; its outputs stand for what `link` says.
    pub(crate) fn new(expansion: Expansion, link: Link, summary: Summary) -> Self {
        ExpansionFit { expansion, link, reads: ViewKind::Values, summary }
    }
    /// An expansion of features.
    pub(crate) fn of_features(expansion: Expansion, link: Link, summary: Summary) -> Self {
        ExpansionFit { reads: ViewKind::Features, ..ExpansionFit::new(expansion, link, summary) }
    }
    /// Numbers, or decision values of so many classes, from an expansion that another program has solved.
    pub(crate) fn solved_elsewhere(expansion: Expansion, classes: Option<usize>, summary: Summary) -> Self {
        let link = classes.map_or(Link::Numbers, |classes| Link::Margins(ClassScores::of_all(classes)));
        ExpansionFit::new(expansion, link, summary)
    }
    /// A function whose sigmoid is the probability of the second of two classes, from an expansion that another program has solved.
    pub(crate) fn logit_solved_elsewhere(expansion: Expansion, summary: Summary) -> Self {
        ExpansionFit::new(expansion, Link::Latent(ClassScores::of_all(2)), summary)
    }
    /// What the outputs stand for.
    pub(crate) fn link(&self) -> &Link {
        &self.link
    }
    /// The expansion.
    pub fn expansion(&self) -> &Expansion {
        &self.expansion
    }
}

impl Fitted for ExpansionFit {
    fn support(&self) -> &[usize] {
        &self.expansion.support
    }
    fn reads(&self) -> ViewKind {
        self.reads
    }
    fn predict(&self, query: &Query<'_>) -> Result<Predictions> {
        self.link.check(self.expansion.bias.len())?;
        let products = match query.view {
            View::Features(features) => features.products(),
            view => view.values()?,
        };
        Ok(self.link.predictions(self.expansion.predict(products, query.control)?, query.want))
    }
    fn predict_gradient(&self, query: &GradientQuery<'_>) -> Result<Option<PredictionGradient>> {
        match self.link {
            Link::Numbers => Ok(Some(PredictionGradient { mean: self.expansion.gradient(query)?, variance: None })),
            _ => Ok(None),
        }
    }
    fn predict_left_out(&self, warm: &WarmStart, rows: &[usize], _want: Want) -> Option<Predictions> {
        let bias = &self.expansion.bias;
        let columns = (0..bias.len()).map(|o| warm.values(o, rows)).collect::<Option<Vec<_>>>()?;
        let values = Matrix::from_fn(rows.len(), bias.len(), |i, o| columns[o][i] + bias[o]);
        (self.link == Link::Numbers).then(|| Predictions::of(Predicted::Numbers(values)))
    }
    fn summary(&self) -> &Summary {
        &self.summary
    }
    fn answer(&self, target: &TargetInfo) -> Result<Answer> {
        Answer::of_target(target, self.link.classes())
    }
    fn expansion(&self) -> Option<&Expansion> {
        Some(&self.expansion)
    }
    fn expansion_mut(&mut self) -> Option<&mut Expansion> {
        Some(&mut self.expansion)
    }
    fn forget_rows(&mut self) {
        self.expansion.forget_rows();
    }
}
