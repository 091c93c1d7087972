//! Estimators: from views of rows and targets to something that predicts. None of them sees a kernel, and most see kernel values alone.
//!
//! | folder | what it holds |
//! |---|---|
//! | `contract` | traits [`Estimator`] and [`Fitted`]; tasks, predictions, summaries, costs; the kernel [`Expansion`] |
//! | `registry` | the list of estimators, their expressions, and those that a program registers |
//! | `targets` | targets as columns of numbers, and numbers back as classes |
//! | `systems` | linear systems that several estimators solve |
//! | `probabilities` | held-out scores and the maps from scores to class probabilities |
//! | `batched` | fits from sums over batches of rows, by one pass over them or by several |
//! | `baseline` | the most frequent class, or the mean |
//! | `generative` | generative models as densities, and as classifiers by Bayes' rule |
//! | `linear` | linear models in feature space: ridge, logistic, discriminant, perceptron |
//! | `support_vectors` | support vector machines, from kernel values and from features |
//! | `gaussian_process` | Gaussian processes of numbers and of classes |
//! | `kernelised_features` | L1, L2 and relevance vector machines, networks of radial basis functions |
//! | `neighbours` | nearest neighbours, nearest medoids |
//! | `smoothers` | local averages under a smoothing kernel |
//! | `clustering` | k-means, k medoids, spectral clustering |
//! | `embedding` | kernel principal components, multidimensional scaling |

mod baseline;
mod batched;
mod clustering;
mod contract;
mod embedding;
mod gaussian_process;
mod generative;
mod kernelised_features;
mod linear;
mod neighbours;
mod probabilities;
mod registry;
mod smoothers;
mod support_vectors;
mod systems;
mod targets;

pub use baseline::*;
pub(crate) use batched::{AfterPass, PassSums, SizeOfPasses, learner_of};
pub(crate) use clustering::MOST_CLUSTERS;
pub use clustering::*;
pub use contract::{
    Answer, Certificate, Costs, Criterion, CriterionName, CriterionSort, Estimator, EstimatorFacts, Expansion, Finds, Fit, FitContext,
    Fitted, GenerativePart, Gives, GradientQuery, HoldOut, LeaveOneOut, Near, Needs, OwnedView, PairLayout, Predicted, PredictionGradient,
    Predictions, Query, RelearntKernel, RowNotice, Scores, Size, Summary, TargetTransform, Task, Transformed, View, ViewKind, Want,
    WarmStart, When, those_that_give,
};
pub(crate) use contract::{pair_count, pairs_among};
pub use embedding::*;
pub use gaussian_process::*;
pub use generative::*;
pub use kernelised_features::*;
pub use linear::*;
pub use neighbours::*;
pub use probabilities::{Calibrated, Calibration, HeldOut, ScaledSoftmax, Sigmoid};
#[cfg(feature = "report")]
pub(crate) use registry::ELSEWHERE;
pub use registry::{
    DynEstimator, EstimatorEntry, EstimatorExpr, FittedModel, FittedOfProgram, Registered, RegisteredFit, TargetTransformEntry,
    TransformedTarget, catalogue, constructors, register, register_unlisted, target_transforms,
};
pub use smoothers::*;
pub use support_vectors::*;
pub use targets::{ClassWeight, ExpansionFit, FittedTransformed};
