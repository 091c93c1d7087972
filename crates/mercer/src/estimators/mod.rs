//! Estimators: from Gram blocks and targets to something that predicts. None of them sees an input or a kernel.

mod answer;
mod any;
mod baseline;
mod bordered;
mod by_class;
mod calibration;
mod centred;
mod centroids;
mod class_scores;
mod class_weight;
mod clusters;
mod costs;
mod count_by;
mod coupling;
mod criterion;
mod damped_newton;
mod discriminant;
mod draws;
mod elsewhere;
mod exemplars;
mod expansion;
mod facts;
mod fitted_gp;
mod found;
mod gaussian_probabilities;
mod gp;
mod gp_classes;
mod gp_numbers;
mod held_out;
mod held_out_pairs;
mod k_medoids;
mod kde;
mod kernel_k_means;
mod kernel_pca;
mod knn;
mod l1vm;
mod l2vm;
mod least_norm;
mod linear_machine;
mod linear_svc;
mod linear_svr;
mod link;
mod list;
mod local_regression;
mod logistic;
mod mds;
mod nadaraya_watson;
mod nearest_medoid;
mod outputs;
mod perceptron;
mod platt;
mod primal;
mod rbf_network;
mod registered;
mod residual;
mod ridge;
mod ridge_path;
mod rvm;
mod scaled_softmax;
mod settled;
mod size;
mod spectral_clustering;
mod svc;
mod svm;
mod svr;
mod task;
mod tempering;
mod variants;
mod warm_start;

pub use answer::{Answer, Finds, Gives, Needs, Scores, When, those_that_give};
pub use any::DynEstimator;
pub use baseline::{Baseline, FittedBaseline, Guess};
pub use calibration::{Calibrated, Calibration};
pub use centroids::Centroids;
pub use class_weight::ClassWeight;
pub(crate) use clusters::MOST_CLUSTERS;
pub use clusters::{Clusters, FittedClusters};
pub use costs::Costs;
pub use count_by::{CountBy, CountCurve, CountTried};
pub use criterion::{Criterion, Near};
pub use discriminant::{Discriminant, FittedDiscriminant, Priors};
pub(crate) use elsewhere::ELSEWHERE;
pub use expansion::Expansion;
pub use facts::EstimatorFacts;
pub use fitted_gp::{FittedGp, GpOfNumbers};
pub use found::Found;
pub use gp::{Gp, Inference, NumberLikelihood};
pub use gp_classes::GpOfClasses;
pub use gp_numbers::GpOfLikelihood;
pub use held_out::HeldOut;
pub use k_medoids::KMedoids;
pub use kde::{FittedKde, Kde};
pub use kernel_k_means::KernelKMeans;
pub use kernel_pca::{FittedKernelPca, KernelPca, Spectrum, Values};
pub use knn::{FittedKnn, Knn, NeighbourWeights, Ties};
pub use l1vm::{FittedL1vm, L1vm, PathPoint, choose};
pub use l2vm::{FittedL2vm, L2vm};
pub use linear_machine::LinearSolver;
pub use linear_svc::{FittedLinearSvc, HingeLoss, LinearSvc};
pub use linear_svr::{FittedLinearSvr, LinearSvr, TubeLoss};
pub use list::{EstimatorEntry, EstimatorExpr, FittedModel, catalogue};
pub use local_regression::{FittedLocalRegression, LocalRegression};
pub use logistic::{FittedLogistic, Logistic};
pub use mds::{FittedMds, Loss, Mds};
pub use nadaraya_watson::{FittedNadarayaWatson, NadarayaWatson};
pub use nearest_medoid::{FittedNearestMedoid, NearestMedoid};
pub use perceptron::{FittedPerceptron, Order, Perceptron, Vector};
pub use platt::Sigmoid;
pub use rbf_network::{FittedRbfNetwork, RbfNetwork};
pub use registered::{FittedOfProgram, Registered, RegisteredFit, register, register_unlisted};
pub use ridge::{FittedRidge, Ridge};
pub use rvm::{FittedRvm, Rvm};
pub use scaled_softmax::ScaledSoftmax;
pub use size::Size;
pub use spectral_clustering::{FittedSpectralClustering, SpectralClustering};
pub use svc::{EqualVotes, FittedSvc, Svc};
pub use svr::{FittedSvr, Svr};
pub use task::Task;
pub use warm_start::WarmStart;

use crate::control::Control;
use crate::data::{Kind, Split, Target, TargetInfo};
use crate::error::{Error, Result};
use crate::gram::Gram;
use crate::linalg::{Lower, Matrix};
use crate::param::{Alias, Param};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::borrow::Cow;

/// A method of fitting. Small, stored as data.
pub trait Estimator: Serialize + DeserializeOwned + Default + Clone + Send + Sync {
    /// Its name in expressions.
    const NAME: &'static str;
    /// One sentence for lists and help.
    const DOC: &'static str;
    /// Its parameters, in the order of the struct's fields.
    const PARAMS: &'static [Param];
    /// Other names of parameters.
    const ALIASES: &'static [Alias] = &[];
    /// The kinds of target that it can be fitted to.
    const TAKES: &'static [Kind];
    /// What it gives besides the predicted values.
    const GIVES: Gives;
    /// What it needs of the similarity: a kernel that is not positive semi-definite may have to be refused, and where predictions
    /// depend on no input, no kernel parameter is worth searching.
    const NEEDS: Needs;
    /// Name of the smooth criterion that [`Estimator::criterion`] minimises; `None`: tuned by cross-validation.
    const CRITERION: Option<&'static str> = None;
    /// What fitting gives. Bit-equal after being stored and read again.
    type Fitted: Fitted + Serialize + DeserializeOwned;

    /// The value of the smooth criterion in the unit shown to the user; increases with the value.
    fn criterion_for_display(value: f64) -> f64 {
        value
    }
    /// By what searches and fits around it may take shorter ways; nothing unless the estimator says so.
    fn facts(&self) -> EstimatorFacts {
        EstimatorFacts::default()
    }
    /// Memory and operations of a fit of a given size, from which plans are made.
    fn costs(&self, size: Size) -> Costs;
    /// Whether a parameter counts for such a target.
    fn uses(&self, _param: &str, _target: Kind) -> bool {
        true
    }
    /// The data-based start for a parameter that is `auto`. Errors that the fit meets anyway may be left to it.
    fn start(&self, param: &str, task: &Task<'_>) -> Result<f64>;
    /// The size of kernel values that suits the target, where a kernel leaves its factors open: 1 unless the estimator says
    /// otherwise. Every parameter is settled.
    fn amplitude(&self, _target: &Target, _weights: Option<&[f64]>) -> f64 {
        1.0
    }
    /// Fits; every parameter is settled.
    fn fit(&self, task: &Task<'_>) -> Result<Self::Fitted>;
    /// Fits, warm-started from a fit to the same task with other parameters if the method can: along a path of penalties this
    /// takes a fraction of the steps. The solution meets the same tolerance.
    fn fit_from(&self, task: &Task<'_>, _earlier: Option<&Self::Fitted>) -> Result<Self::Fitted> {
        self.fit(task)
    }
    /// Learns on from rows that come: the first `known` rows of the task are those that an earlier fit keeps, the others are new.
    ///
    /// # Errors
    /// A method that learns from all rows at once.
    fn learn_on(&self, _task: &Task<'_>, _earlier: &Self::Fitted, _known: usize) -> Result<Self::Fitted> {
        Err(Error::Data(format!("{} learns from all rows at once; perceptron takes rows as they come", Self::NAME)))
    }
    /// Fits along a path of parameters: takes the earlier fit with its warm start and returns both for the next one.
    fn fit_along(&self, task: &Task<'_>, earlier: Option<(&Self::Fitted, &WarmStart)>) -> Result<(Self::Fitted, WarmStart)> {
        Ok((self.fit_from(task, earlier.map(|(fitted, _)| fitted))?, WarmStart::default()))
    }
    /// Fits along a path; rows that the fit itself holds out, for calibration or otherwise, are chosen by a split.
    fn fit_keeping(
        &self,
        task: &Task<'_>,
        earlier: Option<(&Self::Fitted, &WarmStart)>,
        _split: &Split,
    ) -> Result<(Self::Fitted, WarmStart)> {
        self.fit_along(task, earlier)
    }
    /// The fit, with scores of training rows by fits without them, which calibration learns from: rows left out in closed form where
    /// there is one and any row may be, else held out in folds that keep to the split. To be written where the two come cheaper together.
    fn fit_held_out(&self, task: &Task<'_>, earlier: Option<&Self::Fitted>, split: &Split) -> Result<(Self::Fitted, HeldOut)> {
        let fitted = self.fit_from(task, earlier)?;
        if let (Some(copies), true) = (split.repeated(), Self::GIVES.leave_one_out != When::Never) {
            return Ok((fitted, held_out::each_once(self, task, copies)?));
        }
        let left_out = if split.frees_rows() { self.leave_one_out(task)? } else { None };
        let scored = left_out.filter(|p| p.probabilities.is_some() || p.scores.is_some());
        let held_out = scored.map_or_else(|| held_out::out_of_fold(self, task, split), |p| HeldOut::one_by_one(&p, task))?;
        Ok((fitted, held_out))
    }
    /// The value of the smooth selection criterion and its derivatives; every parameter is settled.
    fn criterion(&self, _task: &Task<'_>) -> Result<Criterion> {
        Err(Error::Data(format!("{} has no smooth selection criterion", Self::NAME)))
    }
    /// The selection criterion within a search, warm-started from its previous evaluation if the method can: then to the
    /// tolerance of a search. Also gives where this evaluation ended.
    fn criterion_near(&self, task: &Task<'_>, _last: Option<&Near>) -> Result<(Criterion, Option<Near>)> {
        self.criterion(task).map(|criterion| (criterion, None))
    }
    /// The criterion for many values of one own parameter, the others settled, where that is cheaper than one by one.
    fn criterion_along(&self, _param: &str, _values: &[f64], _task: &Task<'_>) -> Result<Option<Vec<f64>>> {
        Ok(None)
    }
    /// The parameter that says how many components are kept, where it is to be found from the rows, and the variance along each of
    /// the `most` first components: see [`crate::select`] on parallel analysis.
    fn component_variances(&self, _task: &Task<'_>, _most: usize) -> Result<Option<(&'static str, Vec<f64>)>> {
        Ok(None)
    }
    /// What is measured of each number of clusters up to `most`, where it finds such: see [`CountCurve`].
    fn counts(&self, _task: &Task<'_>, _most: usize) -> Result<Option<CountCurve>> {
        Ok(None)
    }
    /// Predictions for each training row by the model fitted without it, where there is a closed form.
    fn leave_one_out(&self, _task: &Task<'_>) -> Result<Option<Predictions>> {
        Ok(None)
    }
}

/// Something that predicts.
pub trait Fitted: Send + Sync {
    /// Training rows (ascending) that prediction needs; `cross` has one column for each of them.
    fn support(&self) -> &[usize];
    /// Predictions for M new inputs; only what is wanted is computed, and time and cancelling are looked at per block of rows.
    fn predict(&self, query: &Query<'_>) -> Result<Predictions>;
    /// Predictions for rows that had weight 0 in the fit, from their values in its warm start, without kernel values; `None`
    /// where it does not hold them.
    fn predict_left_out(&self, _trace: &WarmStart, _rows: &[usize], _want: Want) -> Option<Predictions> {
        None
    }
    /// How the fit went.
    fn summary(&self) -> &Summary;
    /// What its predictions mean, for a fit to such a target: [`Answer::of_target`] where that itself is predicted.
    ///
    /// # Errors
    /// A target with other classes than those that the fit decides between.
    fn answer(&self, target: &TargetInfo) -> Result<Answer>;
    /// The kernel expansion that it is, where it is one.
    fn expansion(&self) -> Option<&Expansion> {
        None
    }
    /// Whether it predicts from the features of new rows alone, and no training row is asked for.
    fn reads_features(&self) -> bool {
        self.support().is_empty() && self.expansion().is_some_and(Expansion::is_of_features)
    }
    /// Forgets the training rows where weights of features say the same, so that none is stored.
    fn forget_rows(&mut self) {}
    /// The Cholesky factor of the covariance of the training targets, where it keeps one.
    fn factor(&self) -> Option<&Lower> {
        None
    }
    /// What makes probabilities of the decision values of pairs of classes, where it has such: one sigmoid a pair.
    fn sigmoids(&self) -> &[Sigmoid] {
        &[]
    }
    /// The variance along its components, where it has such.
    fn spectrum(&self) -> Option<&Spectrum> {
        None
    }
    /// The clusters that it found, where it finds such.
    fn clusters(&self) -> Option<&Clusters> {
        None
    }
    /// Steps of the solver, one number for each problem that was solved.
    fn steps(&self) -> Vec<usize> {
        vec![self.summary().iterations]
    }
}

/// What is asked of a fitted thing: predictions for M new inputs.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct Query<'a> {
    /// Kernel values of the new inputs with the support, M x support.
    pub cross: &'a dyn Gram,
    /// What is wanted besides the predicted values.
    pub want: Want,
    /// Bounds and watchers.
    pub control: &'a Control,
}

impl<'a> Query<'a> {
    /// Predictions from kernel values with the support.
    pub fn new(cross: &'a dyn Gram, want: Want, control: &'a Control) -> Self {
        Query { cross, want, control }
    }
}

/// What a prediction should hold besides the predicted value itself.
#[derive(Clone, Copy, Debug, Default)]
pub struct Want {
    /// Variance of each prediction, where the model has one.
    pub variance: bool,
    /// Covariance between all predictions of a batch (M x M), where the model has one.
    pub covariance: bool,
    /// Class probabilities, where the model has them.
    pub probabilities: bool,
    /// Decision values before they become classes.
    pub scores: bool,
}

impl Want {
    /// What rows held out are judged by: all that metrics look at.
    pub(crate) const JUDGED: Want = Want { variance: true, covariance: false, probabilities: true, scores: true };
}

/// The predicted values of M inputs.
#[derive(Clone, Debug, PartialEq)]
pub enum Predicted {
    /// M x outputs.
    Numbers(Matrix),
    /// M class codes.
    Classes(Vec<usize>),
}

/// Predictions for M inputs.
#[derive(Clone, Debug, PartialEq)]
pub struct Predictions {
    /// The predicted values.
    pub values: Predicted,
    /// Variance of the function value, M x outputs; of classes that of the latent functions, where an estimator has them.
    pub variance: Option<Matrix>,
    /// Covariance of the function values, M x M (the same for every output up to `scale`).
    pub covariance: Option<Matrix>,
    /// Variance of the noise added to the function to give a target, one per output.
    pub noise: Option<Vec<f64>>,
    /// Class probabilities, M x classes; the predicted class is their largest.
    pub probabilities: Option<Matrix>,
    /// Decision values, one column for each class, or one alone for two.
    pub scores: Option<Matrix>,
    /// Where the decision values are of pairs of classes, the pair of each column: above 0 for the second.
    pub pairs: Vec<(usize, usize)>,
}

impl Predictions {
    /// Numbers by which rows can be ranked, one column for each of so many classes, or one alone for two (larger: the second):
    /// probabilities, else decision values by class.
    pub(crate) fn ranking(&self, classes: usize) -> Option<Cow<'_, Matrix>> {
        self.probabilities.as_ref().map(Cow::Borrowed).or_else(|| self.scores_by_class(classes))
    }

    /// Decision values, one column for each of so many classes, or one alone for two (larger: the second). Those of pairs become
    /// votes, and between equal votes their sum decides.
    pub fn scores_by_class(&self, classes: usize) -> Option<Cow<'_, Matrix>> {
        let values = self.scores.as_ref()?;
        if self.pairs.is_empty() || classes == 2 {
            return Some(Cow::Borrowed(values));
        }
        let mut votes = Matrix::zeros(values.rows(), classes);
        for i in 0..values.rows() {
            let mut sums = vec![0.0; classes];
            for (&score, &(a, b)) in values.row(i).iter().zip(&self.pairs) {
                votes[(i, if score > 0.0 { b } else { a })] += 1.0;
                sums[b] += score;
                sums[a] -= score;
            }
            // Less than half a vote, and rising with the sum.
            sums.iter().enumerate().for_each(|(k, s)| votes[(i, k)] += s / (3.0 * (s.abs() + 1.0)));
        }
        Some(Cow::Owned(votes))
    }

    /// Adds those of further inputs by the same model, of which no covariance was wanted.
    pub(crate) fn append(&mut self, more: Predictions) {
        match (&mut self.values, more.values) {
            (Predicted::Numbers(all), Predicted::Numbers(some)) => all.append_rows(some),
            (Predicted::Classes(all), Predicted::Classes(some)) => all.extend(some),
            _ => {}
        }
        let both = [(&mut self.variance, more.variance), (&mut self.probabilities, more.probabilities), (&mut self.scores, more.scores)];
        for (all, some) in both {
            if let (Some(all), Some(some)) = (all.as_mut(), some) {
                all.append_rows(some);
            }
        }
    }

    /// Predictions with nothing besides the values.
    pub fn of(values: Predicted) -> Self {
        Predictions { values, variance: None, covariance: None, noise: None, probabilities: None, scores: None, pairs: Vec::new() }
    }
}

/// How a fit went.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Summary {
    /// Steps of the solver; 0 for a closed form.
    pub iterations: usize,
    /// Whether the certificate is within its tolerance.
    pub converged: bool,
    /// The objective at the solution, where there is one: sum of losses + (lambda/2) norm^2.
    pub objective: Option<f64>,
    /// Log marginal likelihood, where there is one.
    pub evidence: Option<f64>,
    /// Proof of quality.
    pub certificate: Option<Certificate>,
    /// Greatest violation of the optimality conditions, 0 where none is, where these are inequalities; held against the
    /// tolerance of the certificate.
    pub violation: Option<f64>,
    /// What had to be added to the diagonal of the Gram matrix for a factorisation, if anything.
    pub jitter: Option<f64>,
    /// Anything the user should know, one sentence each.
    pub notes: Vec<String>,
}

/// A number that proves how good a solution is, and the tolerance that it was asked to meet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Certificate {
    /// What is measured: `relative duality gap`, `relative residual`, ...
    pub name: String,
    /// Its value; 0 is perfect.
    pub value: f64,
    /// The tolerance asked for.
    pub tolerance: f64,
}

impl Certificate {
    /// Whether the value is within the tolerance.
    pub fn is_met(&self) -> bool {
        self.value <= self.tolerance
    }
}
