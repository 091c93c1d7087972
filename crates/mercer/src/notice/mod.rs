//! What users should know, as values: one variant for each kind of notice, with its numbers and names; Display is the sentence.

mod display;

pub use display::listed;

use crate::control::Ending;
use crate::data::GapFill;
use serde::{Deserialize, Serialize};

/// Something that the user should know; its text is one sentence without a full stop. Rows are numbered from 0.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
#[allow(missing_docs, reason = "fields are named for what stands in the sentence")]
pub enum Notice {
    /// How a table was read: the sentence of a fact.
    OfTable(String),
    /// What a kernel, a generative model or an estimator of another crate reports.
    Authored(String),

    // Preparation.
    /// A column of numbers without any.
    EmptyColumn { column: String },
    /// Missing numbers of training rows.
    Filled { column: String, cells: usize, median: String, flag: String },
    /// Missing numbers of new rows.
    FilledNew { column: String, cells: usize, median: String, flag: Option<String> },
    /// Missing labels and texts.
    TakenAs { column: String, cells: usize, taken_as: String },
    /// Times at which series lack a number; how to choose another way is said where the user can.
    Gaps { column: String, times: usize, rows: usize, first: usize, fill: GapFill, can_be_chosen: bool },
    /// Rows left out for a missing cell.
    RowsDropped { column: String, rows: usize, first: usize, of_series: bool },
    /// Columns for the periods of dates.
    Calendar { column: String, periods: Vec<String> },
    /// Columns that hold one value.
    ConstantColumns { columns: Vec<String> },
    /// A column of categories as columns of 0 and 1.
    OneHot { column: String, labels: usize },
    /// Dimensions of a column of vectors that hold one value.
    ConstantDimensions { column: String, constant: usize, dimensions: usize },

    // Kernels and the rows that they compare.
    /// Texts compared by their words alone.
    ByWords { column: String },
    /// A column that a kernel takes as it is.
    NotStandardised { column: String, kernel: String },
    /// A column that no kernel reads.
    NotUsed { column: String, kernel: String },
    /// Sequences of one length under a kernel without places.
    EqualLengths { column: String, length: usize },
    /// Parts that no string is long enough for.
    PartsTooLong { column: String, longest: usize, kernel: String, length: usize },
    /// How sequences are compared.
    Sequences { column: String, how: String },
    /// Rows with k(x, x) = 0.
    ZeroRows { rows: usize, first: usize },
    /// Off-diagonal entries of the information that were taken away.
    ShrunkInformation { share: f64 },
    /// Finite differences that are far from the exact value.
    FiniteDifferences { kernel: String, order: String, row: usize, found: f64, exact: f64 },
    /// What landmarks leave of the trace, as a percentage.
    Landmarks { landmarks: usize, left: f64 },

    // Generative models.
    /// A notice about the model of one class.
    OfClass { class: String, notice: Box<Notice> },
    /// Iterations that did not converge.
    NotConverged { model: String, iterations: usize },
    /// Fewer observations than hidden states.
    FewObservations { model: String, states: usize, observations: f64 },
    /// Numbers that are constant over the rows.
    ConstantNumbers { first: usize, others: usize, variance: f64 },
    /// Correlations that were taken away.
    Shrinkage { share: f64 },
    /// Counts that vary no more than those of a multinomial distribution.
    Multinomial { model: String },
    /// Steps that did not suffice.
    StepsSpent { model: String },
    /// A component with a singular covariance.
    SingularComponent,
    /// Predictors of an autoregression that depend on each other.
    DependentPredictors,

    // Estimators.
    /// Weights that sum to less than two rows.
    SmallWeights { sum: f64 },
    /// Weights taken as shares.
    WeightsAsShares { sum: f64, less_than: String },
    /// Negative eigenvalues of centred similarities.
    NegativeEigenvalues { count: usize, is_least: bool, share: f64 },
    /// Negative squared distances.
    NegativeDistances { count: usize },

    // Rows of predictions.
    /// Nothing in common with the rows that a model keeps.
    Unrelated { shared: String, kernel: String },
    /// Letters that no training row has, and how many more there are.
    UnseenLetters { letters: Vec<char>, more: usize },
    /// Neighbours that tie by rounding.
    TiedByRounding,
    /// No training row within the bandwidth.
    NoneNear,

    // Fits.
    /// An estimator that is fitted with probabilities for a metric.
    WithProbabilities { metric: String, estimator: String },
    /// A random sample of the rows.
    Sampled { sizes: SampleSizes, of: usize, reason: SampleReason },
    /// A kernel through landmarks, as exact fits take too much.
    ThroughLandmarks,
    /// A fit to batches of rows by passes over them, of which some rows settled all but the coefficients.
    Batched { rows: usize, batches: usize, passes: usize, sample: usize },
    /// A search that takes too long.
    TooCostly { estimator: String },
    /// No setting judged in time.
    NothingJudged,
    /// A search stopped on request.
    SearchStopped,
    /// A fit stopped on request.
    FitStopped,
    /// A model taken over from another program, or what of it was not.
    TakenOver(String),
    /// How the number of clusters was chosen; where nothing could be measured, by nothing.
    Clusters { chosen: usize, by: Option<ClusterChoice> },
    /// Fewer permutations than asked for.
    Permutations { drawn: usize, of: usize },

    // Comparisons.
    /// Why another metric than accuracy decides.
    Decides { metric: String, class: String, share: f64 },
    /// An estimator whose kernel is not the common one.
    OwnKernel { estimator: String, reads: KernelReader, kernel: String },
    /// Folds in order of time.
    FoldsInTime { unscored: usize },
    /// The kernel that was chosen.
    KernelChosen { kernel: String, candidates: usize, rows: usize, gain: Option<KernelGain> },
    /// Estimators scored at starting values, as searches take too long.
    ScoredAtStart { estimators: Vec<String> },
    /// Estimators that are not tuned.
    NotTuned { estimators: Vec<String>, ending: Ending },
    /// Estimators whose search was cut.
    SearchCut { estimators: Vec<String>, ending: Ending },
    /// Estimators without a fit to all rows.
    NoFinalFit { estimators: Vec<String>, ending: Ending },
    /// Work within a limit of time.
    DependsOnSpeed,
    /// Where a model cuts between two classes.
    CostCut { estimator: String, classes: [String; 2], above: f64, of_probabilities: bool },
    /// A part of the outcome that is left out, by its error.
    Failed { why: String },
    /// Figures that are left out.
    NoFigures { estimator: String, why: String },
    /// No score on a table of tests.
    NoTestScore { estimator: String, table: String, why: String },
}

/// How many rows a sample has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SampleSizes {
    /// As many for all.
    Alike(usize),
    /// Rows of each estimator.
    Each(Vec<(String, usize)>),
}

/// Why rows were sampled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SampleReason {
    /// The learner is one of a sample.
    OfLearner,
    /// A comparison was asked for one.
    AsAsked,
    /// An exact fit takes too much.
    TooMuch,
    /// An end was asked for.
    Stopped,
}

/// What keeps an estimator from the common kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KernelReader {
    /// It takes no negative values.
    Nonnegative,
    /// It reads features.
    Features,
}

/// By how much a chosen kernel is better.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KernelGain {
    /// The error that it takes away, as a share.
    pub share: f64,
    /// The kernel that has it.
    pub than: String,
}

/// What a number of clusters was chosen by.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClusterChoice {
    /// What was measured.
    pub by: String,
    /// Its value at the choice.
    pub value: f64,
    /// Its standard error; 0 where nothing is drawn.
    pub error: f64,
    /// The least number tried.
    pub least: usize,
    /// The greatest.
    pub most: usize,
}

impl Notice {
    /// Whether the description of the preparation says as much.
    pub fn is_of_steps(&self) -> bool {
        matches!(self, Notice::ConstantColumns { .. })
    }
}
