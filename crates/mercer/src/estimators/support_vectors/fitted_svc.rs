//! What `svc` leaves: a kernel expansion with one output for each machine, and how their decision values become a class.

use super::class_pairs::ClassPairs;
use super::dag;
use super::left_out::LeftOutValue;
use super::output_codes::CodedClasses;
use super::svc::EqualVotes;
use crate::blocks;
use crate::data::TargetInfo;
use crate::error::{Error, Result};
use crate::estimators::targets::class_scores::ClassScores;
use crate::estimators::targets::link::Link;
use crate::estimators::{Answer, Expansion, Fitted, Predictions, Query, Summary, Task, Want, WarmStart, pairs_among};
use crate::linalg::Matrix;
use serde::{Deserialize, Serialize};

/// Bytes of a decision value of a pair: the values of blocks of rows, and those of all.
const PER_SCORE: u64 = 16;

/// How the decision values of the machines become a class.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum SvcDecision {
    /// The class of most votes among the pairs of classes.
    Pairs(ClassPairs),
    /// The class left by a decision graph over the pairs of classes, which evaluates one machine fewer than there are classes.
    Dag(ClassPairs),
    /// The class of the greatest decision value: a machine for each class, or one alone for two.
    PerClass(LargestScore),
    /// The class whose code word agrees best with the machines.
    Codes(CodedClasses),
}

/// A machine for each class that has rows, or one alone for two; the greatest decision value wins, the first of equal ones.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LargestScore {
    pub(super) link: Link,
}

impl LargestScore {
    pub(super) fn new(classes: ClassScores) -> Self {
        LargestScore { link: Link::Margins(classes) }
    }
}

/// A fitted support vector classifier.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FittedSvc {
    /// One output for each machine.
    pub expansion: Expansion,
    /// Classes that have names; those without a training row are never predicted.
    pub classes: usize,
    /// How the outputs become a class.
    pub decision: SvcDecision,
    /// Steps of the solver for each problem.
    #[serde(with = "blocks::usizes")]
    pub iterations: Vec<usize>,
    summary: Summary,
}

impl FittedSvc {
    /// A classifier of so many named classes.
    pub(super) fn new(expansion: Expansion, classes: usize, decision: SvcDecision, iterations: Vec<usize>, summary: Summary) -> Self {
        FittedSvc { expansion, classes, decision, iterations, summary }
    }

    /// Machines of all pairs of so many classes that another program has solved; of classes with equal votes the first wins.
    pub(crate) fn solved_elsewhere(expansion: Expansion, classes: usize, summary: Summary) -> Self {
        let pairs: Vec<(usize, usize)> = pairs_among(classes).collect();
        let decision = SvcDecision::Pairs(ClassPairs::new(&pairs, EqualVotes::First));
        FittedSvc::new(expansion, classes, decision, vec![0; pairs.len()], summary)
    }

    /// The pairs of classes, where there is a machine for each.
    pub(super) fn pairs(&self) -> Option<&ClassPairs> {
        match &self.decision {
            SvcDecision::Pairs(pairs) | SvcDecision::Dag(pairs) => Some(pairs),
            SvcDecision::PerClass(_) | SvcDecision::Codes(_) => None,
        }
    }

    /// The output of a pair of classes.
    pub(super) fn output(&self, pair: (usize, usize)) -> Option<usize> {
        self.pairs()?.output(pair)
    }

    /// The coefficients of a pair of classes for the given training rows.
    pub(super) fn coefficients(&self, pair: (usize, usize), rows: &[usize]) -> Option<Vec<f64>> {
        let pairs = self.pairs()?;
        let output = pairs.output(pair)?;
        let places = if self.expansion.pairs.is_some() { (pairs.place(pair.0)?, pairs.place(pair.1)?) } else { (0, 1) };
        Some(self.expansion.coefficients(output, places, rows))
    }

    /// Predictions from decision values of every machine.
    fn decided(&self, scores: Matrix, want: Want) -> Predictions {
        match &self.decision {
            SvcDecision::Pairs(pairs) => pairs.predictions(scores, want, self.classes, |row| pairs.most_votes(row, self.classes)),
            SvcDecision::Dag(pairs) => pairs.predictions(scores, want, self.classes, |row| dag::walk(pairs, row)),
            SvcDecision::PerClass(largest) => largest.link.predictions(scores, want),
            SvcDecision::Codes(codes) => codes.predictions(&scores, want),
        }
    }

    /// Predictions of each training row by machines that were fitted without it: where it takes part in one, `values` are those without it.
    pub(super) fn left_out(&self, task: &Task<'_>, values: &[LeftOutValue]) -> Result<Predictions> {
        let all: Vec<usize> = (0..task.rows()).collect();
        let part = task.view.part(&all, &self.expansion.support);
        let mut scores = self.expansion.predict(part.view().values()?, task.control)?;
        values.iter().for_each(|one| scores[(one.row, one.machine)] = one.value);
        Ok(self.decided(scores, Want { scores: true, ..Want::default() }))
    }

    /// An error unless the parts fit together, which a damaged model file may bring about.
    fn check(&self) -> Result<()> {
        let outputs = self.expansion.bias.len();
        match &self.decision {
            SvcDecision::Pairs(pairs) | SvcDecision::Dag(pairs) => {
                pairs.check(outputs, self.classes)?;
                Error::unless_equal("steps of the pairs", outputs, self.iterations.len())
            }
            SvcDecision::PerClass(largest) => largest.link.check(outputs),
            SvcDecision::Codes(codes) => codes.check(outputs),
        }
    }
}

impl Fitted for FittedSvc {
    fn support(&self) -> &[usize] {
        &self.expansion.support
    }

    /// Scores are M x pairs, pairs in the order (0,1), (0,2), ..., (1,2), ..., or one for each class; for two classes one column, above 0
    /// for the class of the second name.
    fn predict(&self, query: &Query<'_>) -> Result<Predictions> {
        self.check()?;
        let outputs = self.expansion.bias.len();
        if let (SvcDecision::Dag(pairs), false) = (&self.decision, query.want.scores) {
            return dag::predict(pairs, &self.expansion, query);
        }
        if query.want.scores && !query.want.by_class {
            let needed = PER_SCORE * query.view.shape().0 as u64 * outputs as u64;
            query.control.plan(&format!("decision values of {outputs} machines"), needed)?;
            return Ok(self.decided(self.expansion.predict(query.cross()?, query.control)?, query.want));
        }
        query.in_blocks(outputs, |part| Ok(self.decided(self.expansion.predict(part.cross()?, part.control)?, part.want)))
    }

    /// Two classes: every row of the task is a variable of their problem.
    fn predict_left_out(&self, trace: &WarmStart, rows: &[usize], want: Want) -> Option<Predictions> {
        let ([offset], 2, Some(_)) = (&self.expansion.bias[..], self.classes, self.pairs()) else { return None };
        let scores = trace.values(0, rows)?.into_iter().map(|f| f + offset).collect();
        Some(self.decided(Matrix::column(scores), want))
    }

    fn summary(&self) -> &Summary {
        &self.summary
    }
    fn answer(&self, target: &TargetInfo) -> Result<Answer> {
        Answer::of_target(target, Some(self.classes))
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
    fn steps(&self) -> Vec<usize> {
        self.iterations.clone()
    }
}
