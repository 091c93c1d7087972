//! Estimators: from Gram blocks and targets to something that predicts. None of them sees an input or a kernel.
//!
//! | folder | what it holds |
//! |---|---|
//! | `contract` | traits [`Estimator`] and [`Fitted`]; tasks, predictions, summaries, costs; the kernel [`Expansion`] |
//! | `registry` | the list of estimators, their expressions, and those that a program registers |
//! | `targets` | targets as columns of numbers, and numbers back as classes |
//! | `systems` | linear systems that several estimators solve |
//! | `probabilities` | held-out scores and the maps from scores to class probabilities |
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

pub use baseline::{Baseline, FittedBaseline, Guess};
pub(crate) use clustering::MOST_CLUSTERS;
pub use clustering::{
    Clusters, CountBy, CountCurve, CountTried, FittedClusters, FittedSpectralClustering, KMedoids, KernelKMeans, SpectralClustering,
};
pub use contract::{
    Answer, Certificate, Costs, Criterion, Estimator, EstimatorFacts, Expansion, Finds, Fitted, Gives, Near, Needs, Predicted, Predictions,
    Query, Scores, Size, Summary, Task, Want, WarmStart, When, those_that_give,
};
pub use embedding::{FittedKernelPca, FittedMds, KernelPca, KernelValueKind, Loss, Mds, Spectrum};
pub use gaussian_process::{FittedGp, Gp, GpOfClasses, GpOfLikelihood, GpOfNumbers, Inference, NumberLikelihood};
pub use generative::{Bayes, Density, FittedBayes, FittedDensity};
pub use kernelised_features::{
    Centroids, FittedL1vm, FittedL2vm, FittedRbfNetwork, FittedRvm, L1vm, L2vm, PathPoint, RbfNetwork, Rvm, choose,
};
pub use linear::{
    Discriminant, FittedDiscriminant, FittedLogistic, FittedPerceptron, FittedRidge, Logistic, Perceptron, Priors, Ridge, RowOrder, Vector,
};
pub use neighbours::{FittedKnn, FittedNearestMedoid, FoundNeighbours, Knn, NearestMedoid, NeighbourWeights, Ties};
pub use probabilities::{Calibrated, Calibration, HeldOut, ScaledSoftmax, Sigmoid};
pub(crate) use registry::ELSEWHERE;
pub use registry::{
    DynEstimator, EstimatorEntry, EstimatorExpr, FittedModel, FittedOfProgram, Registered, RegisteredFit, catalogue, register,
    register_unlisted,
};
pub use smoothers::{FittedKde, FittedLocalRegression, FittedNadarayaWatson, Kde, LocalRegression, NadarayaWatson};
pub use support_vectors::{
    EqualVotes, FittedLinearSvc, FittedLinearSvr, FittedMiSvm, FittedSvc, FittedSvr, HingeLoss, LinearSolver, LinearSvc, LinearSvr, MiSvm,
    Svc, Svr, TubeLoss,
};
pub use targets::ClassWeight;
