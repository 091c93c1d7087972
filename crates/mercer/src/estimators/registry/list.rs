//! The closed list of estimators, their expressions `svc(c=10)`, and their fitted forms as one type.

use super::any::DynEstimator;
use super::elsewhere::ELSEWHERE;
use super::registered::{self, Registered, RegisteredFit};
use super::transformed::{TransformedTarget, target_transforms};
use crate::data::{Kind, Target, TargetInfo};
use crate::error::{Error, Result};
use crate::estimators::probabilities::held_out;
use crate::estimators::{
    Answer, Calibrated, Clusters, CriterionName, Estimator, Expansion, Fit, FitContext, Fitted, FittedTransformed, GenerativePart, Gives,
    GradientQuery, Needs, PredictionGradient, Predictions, Query, Sigmoid, Size, Spectrum, Summary, Task, ViewKind, Want, WarmStart, When,
};
use crate::expr::{self, Argument, Term};
use crate::linalg::Lower;
use crate::param::{self, Alias, NumericSetting, Param, Value};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::{Deref, DerefMut};

/// What the lists, the help and the docs say of an estimator.
#[derive(Clone, Copy, Debug)]
pub struct EstimatorEntry {
    /// Name in expressions.
    pub name: &'static str,
    /// One sentence.
    pub doc: &'static str,
    /// Parameter records.
    pub params: &'static [Param],
    /// Other names of parameters.
    pub aliases: &'static [Alias],
    /// Name of its smooth selection criterion, if it has one.
    pub criterion: Option<CriterionName>,
    /// The kinds of target that it can be fitted to.
    pub takes: &'static [Kind],
    /// What it gives besides the predicted values.
    pub gives: Gives,
    /// What it needs of the similarity.
    pub needs: Needs,
}

impl EstimatorEntry {
    /// What the lists say of an estimator.
    pub fn of<E: Estimator>(estimator: &E) -> Self {
        EstimatorEntry {
            name: E::NAME,
            doc: E::DOC,
            params: E::default().records(),
            aliases: E::ALIASES,
            criterion: E::CRITERION,
            takes: E::TAKES,
            gives: estimator.gives(),
            needs: estimator.needs(),
        }
    }
}

/// Every estimator there is, in the order of the list; after them those that are registered.
pub fn catalogue() -> Vec<EstimatorEntry> {
    listed().into_iter().chain(registered::entries()).collect()
}

/// Fits one variant of the expressions.
type FitsVariant<'a, F> = &'a dyn Fn(&FitContext<'_, F>) -> Result<Fit<FittedModel>>;

/// From one list: the enum of expressions, the enum of fitted forms, the lookup by name and the catalogue.
macro_rules! estimators {
    ($($name:ident: $Estimator:ident,)*) => {
        $(use crate::estimators::$Estimator;)*

        /// An estimator with its parameters: stored, parsed, printed, searched over and fitted.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case", deny_unknown_fields)]
        #[non_exhaustive]
        pub enum EstimatorExpr {
            $(#[doc = concat!("See [`", stringify!($Estimator), "`].")] $Estimator($Estimator),)*
            /// An estimator of the program's own: see [`register`](crate::estimators::register).
            Registered(Registered),
            /// Any estimator of numbers, fitted to a transformed target.
            TransformedTarget(TransformedTarget),
        }

        $(impl From<$Estimator> for EstimatorExpr {
            fn from(estimator: $Estimator) -> Self {
                EstimatorExpr::$Estimator(estimator)
            }
        })*

        /// Functions that make estimators, each at its defaults.
        pub mod constructors {
            pub use super::super::transformed::{log_target, power_target};

            $(#[doc = concat!("The estimator [`", stringify!($name), "`](super::", stringify!($Estimator), ") at its defaults.")]
            pub fn $name() -> super::$Estimator {
                super::$Estimator::default()
            })*
        }

        /// What an estimator left after fitting.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case", deny_unknown_fields)]
        #[non_exhaustive]
        pub enum FittedModel {
            $(#[doc = concat!("By [`", stringify!($Estimator), "`].")] $Estimator(<$Estimator as Estimator>::Fitted),)*
            /// By an estimator of the program's own.
            Registered(RegisteredFit),
            /// By any of them that has scores, with probabilities made of these.
            Calibrated(Calibrated),
            /// By one of numbers that was fitted to a transformed target.
            TransformedTarget(FittedTransformed),
        }

        impl Deref for EstimatorExpr {
            type Target = dyn DynEstimator;
            fn deref(&self) -> &Self::Target {
                match self {
                    $(EstimatorExpr::$Estimator(e) => e,)*
                    EstimatorExpr::Registered(e) => e.any(),
                    EstimatorExpr::TransformedTarget(e) => e,
                }
            }
        }

        impl DerefMut for EstimatorExpr {
            fn deref_mut(&mut self) -> &mut Self::Target {
                match self {
                    $(EstimatorExpr::$Estimator(e) => e,)*
                    EstimatorExpr::Registered(e) => e.any_mut(),
                    EstimatorExpr::TransformedTarget(e) => e,
                }
            }
        }

        impl EstimatorExpr {
            fn call(name: &str, args: &[Argument]) -> Option<Result<EstimatorExpr>> {
                match name {
                    $($Estimator::NAME => {
                        Some(param::build($Estimator::NAME, $Estimator::ALIASES, args).map(EstimatorExpr::$Estimator))
                    })*
                    _ => TransformedTarget::call(name, args)
                        .map(|made| made.map(EstimatorExpr::TransformedTarget))
                        .or_else(|| registered::call(name, args).map(|made| made.map(EstimatorExpr::Registered))),
                }
            }
            /// Fits; every parameter is settled. An earlier fit by another estimator is ignored.
            ///
            /// # Errors
            /// New rows for a method that learns from all rows at once; where the fit itself fails.
            pub fn fit_with(&self, task: &Task<'_>, context: &FitContext<'_, FittedModel>) -> Result<Fit<FittedModel>> {
                self.require_settled()?;
                match self {
                    $(EstimatorExpr::$Estimator(e) => {
                        let context = context.map(|m| if let FittedModel::$Estimator(f) = m.uncalibrated() { Some(f) } else { None });
                        self.calibrating(task, &context, &|context| {
                            Ok(held_out::fit(e, task, context)?.map(FittedModel::$Estimator))
                        })
                    })*
                    EstimatorExpr::Registered(e) => {
                        let context = context.map(|m| if let FittedModel::Registered(f) = m.uncalibrated() { Some(f) } else { None });
                        self.calibrating(task, &context, &|context| Ok(e.fit_with(task, context)?.map(FittedModel::Registered)))
                    }
                    EstimatorExpr::TransformedTarget(e) => {
                        let context = context.map(|m| if let FittedModel::TransformedTarget(f) = m { Some(f) } else { None });
                        if context.known.is_some() {
                            return Err(Error::Data(format!("{} learns from all rows at once", e.name())));
                        }
                        Ok(e.fit_with(task, &context)?.map(FittedModel::TransformedTarget))
                    }
                }
            }
        }

        impl FittedModel {
            fn any(&self) -> &dyn Fitted {
                match self {
                    $(FittedModel::$Estimator(f) => f,)*
                    FittedModel::Registered(f) => f.fitted(),
                    FittedModel::Calibrated(f) => f,
                    FittedModel::TransformedTarget(f) => f,
                }
            }
            pub(super) fn any_mut(&mut self) -> &mut dyn Fitted {
                match self {
                    $(FittedModel::$Estimator(f) => f,)*
                    FittedModel::Registered(f) => f.fitted_mut(),
                    FittedModel::Calibrated(f) => f,
                    FittedModel::TransformedTarget(f) => f,
                }
            }
        }

        /// Each estimator of the list by its constructor, and with one parameter after the other set to each of some values.
        #[cfg(test)]
        pub(super) fn set_one_by_one() -> Vec<(&'static str, Vec<EstimatorExpr>)> {
            vec![$({
                assert_eq!($Estimator::default(), constructors::$name());
                let all = param::set_one_by_one::<$Estimator>(stringify!($name));
                (stringify!($name), all.into_iter().map(EstimatorExpr::from).collect())
            },)*]
        }

        /// The estimators of the list.
        pub(super) fn listed() -> Vec<EstimatorEntry> {
            vec![$(EstimatorEntry::of(&$Estimator::default()),)*]
        }
    };
}

estimators! {
    ridge: Ridge,
    gp: Gp,
    svc: Svc,
    svr: Svr,
    knn: Knn,
    baseline: Baseline,
    kernel_pca: KernelPca,
    mds: Mds,
    k_medoids: KMedoids,
    kernel_k_means: KernelKMeans,
    spectral_clustering: SpectralClustering,
    nearest_medoid: NearestMedoid,
    logistic: Logistic,
    rvm: Rvm,
    l2vm: L2vm,
    l1vm: L1vm,
    rbf_network: RbfNetwork,
    perceptron: Perceptron,
    discriminant: Discriminant,
    nadaraya_watson: NadarayaWatson,
    linear_svc: LinearSvc,
    linear_svr: LinearSvr,
    kde: Kde,
    local_regression: LocalRegression,
    density: Density,
    bayes: Bayes,
    mi_svm: MiSvm,
    one_class: OneClass,
    nu_svc: NuSvc,
    nu_svr: NuSvr,
}

impl Fitted for FittedModel {
    fn support(&self) -> &[usize] {
        self.any().support()
    }
    fn predict(&self, query: &Query<'_>) -> Result<Predictions> {
        self.any().predict(query)
    }
    fn predict_gradient(&self, query: &GradientQuery<'_>) -> Result<Option<PredictionGradient>> {
        self.any().predict_gradient(query)
    }
    fn predict_left_out(&self, trace: &WarmStart, rows: &[usize], want: Want) -> Option<Predictions> {
        self.any().predict_left_out(trace, rows, want)
    }
    fn summary(&self) -> &Summary {
        self.any().summary()
    }
    fn answer(&self, target: &TargetInfo) -> Result<Answer> {
        self.any().answer(target)
    }
    fn expansion(&self) -> Option<&Expansion> {
        self.any().expansion()
    }
    fn expansion_mut(&mut self) -> Option<&mut Expansion> {
        self.any_mut().expansion_mut()
    }
    fn reads(&self) -> ViewKind {
        self.any().reads()
    }
    fn forget_rows(&mut self) {
        self.any_mut().forget_rows();
    }
    fn factor(&self) -> Option<&Lower> {
        self.any().factor()
    }
    fn sigmoids(&self) -> &[Sigmoid] {
        self.any().sigmoids()
    }
    fn spectrum(&self) -> Option<&Spectrum> {
        self.any().spectrum()
    }
    fn clusters(&self) -> Option<&Clusters> {
        self.any().clusters()
    }
    fn distributions(&self) -> Vec<GenerativePart<'_>> {
        self.any().distributions()
    }
    fn steps(&self) -> Vec<usize> {
        self.any().steps()
    }
}

impl FittedModel {
    /// The fit whose scores are calibrated, or itself.
    pub fn uncalibrated(&self) -> &FittedModel {
        match self {
            FittedModel::Calibrated(calibrated) => calibrated.fitted(),
            other => other,
        }
    }
}

impl EstimatorExpr {
    /// Reads an expression such as `svc(c=0.1..100)`.
    pub fn parse(text: &str) -> Result<EstimatorExpr> {
        let list = expr::parse_list(text)?;
        if let Some((_, at)) = list.get(1) {
            let expected = "one estimator is expected, and here begins another; compare takes several".to_owned();
            return Err(Error::Syntax { text: text.to_owned(), at: *at, expected });
        }
        expr::parse(text).and_then(|term| Self::of_term(text, &term, 0))
    }

    /// A term that begins at a character of the text.
    pub(super) fn of_term(text: &str, term: &Term, begins: usize) -> Result<EstimatorExpr> {
        let names = || catalogue().into_iter().map(|e| e.name).chain(target_transforms().map(|t| t.name));
        match term {
            Term::Call { name, args, at } => {
                let made = Self::call(name, args).unwrap_or_else(|| Err(Error::unknown_here("estimator", name, names(), ELSEWHERE)));
                expr::locate(text, *at, made)
            }
            _ => Err(Error::Syntax {
                text: text.to_owned(),
                at: begins,
                expected: format!("expected one estimator here; there are: {}", names().collect::<Vec<_>>().join(", ")),
            }),
        }
    }

    /// Reads a list such as `svc(c=1, tolerance=1e-4), ridge`.
    pub fn parse_list(text: &str) -> Result<Vec<EstimatorExpr>> {
        expr::parse_list(text)?.iter().map(|(term, at)| Self::of_term(text, term, *at)).collect()
    }

    /// Every estimator at its defaults that can be fitted to such a target.
    pub fn all_for(target: &Target) -> Result<Vec<EstimatorExpr>> {
        let all: Vec<EstimatorExpr> = catalogue().iter().map(|e| Self::parse(e.name)).collect::<Result<_>>()?;
        Ok(all.into_iter().filter(|e| e.takes(target)).collect())
    }

    /// Those of them that a comparison takes where none are named: all that read kernel values, each kind of model once.
    pub fn usual_for(target: &Target) -> Result<Vec<EstimatorExpr>> {
        Ok(Self::all_for(target)?.into_iter().filter(Self::is_usual).collect())
    }

    /// Whether a comparison takes it where none are named.
    pub(crate) fn is_usual(&self) -> bool {
        self.needs().reads_values() && !self.facts().is_other_parametrisation
    }

    /// Whether its predictions depend on the inputs.
    pub fn looks_at_inputs(&self) -> bool {
        self.needs() != Needs::Nothing
    }
    /// Whether fits read all kernel values among their rows, so that others may use them.
    pub(crate) fn shares_values(&self) -> bool {
        self.needs().reads_values() && !self.facts().reads_few_values
    }
    /// Whether its predictions depend on the kernel.
    pub fn uses_kernel(&self) -> bool {
        !matches!(self.needs(), Needs::Nothing | Needs::Rows)
    }
    /// Whether a fit of this size does no more than multiply by features.
    pub(crate) fn multiplies(&self, size: Size) -> bool {
        size.few().is_some() && self.facts().multiplies_features
    }
    /// Whether it can be fitted to such a target.
    pub fn takes(&self, target: &Target) -> bool {
        self.kinds().contains(&target.kind())
    }
    /// An error where it cannot be fitted to the values of such a target; `rows`: their numbers, from 0, as the user knows them.
    ///
    /// # Errors
    /// What the parser refuses in such an expression; a value that a transformation of the target is not defined for.
    pub(crate) fn require_in_domain(&self, target: &Target, rows: &[usize]) -> Result<()> {
        // A program's own estimator may be shown in words that are no expression.
        if !matches!(self.untransformed(), EstimatorExpr::Registered(_)) {
            Self::parse(&self.to_string())?;
        }
        if let EstimatorExpr::TransformedTarget(e) = self { e.require_in_domain(target, rows) } else { Ok(()) }
    }
    /// The estimator that is fitted to a transformed target, or itself.
    pub(crate) fn untransformed(&self) -> &EstimatorExpr {
        if let EstimatorExpr::TransformedTarget(e) = self { &e.estimator } else { self }
    }
    /// Its name, with that of the estimator which is fitted to a transformed target.
    pub(crate) fn full_name(&self) -> String {
        let inner = self.untransformed();
        if std::ptr::eq(inner, self) { self.name().into() } else { format!("{}({})", self.name(), inner.name()) }
    }
    /// Whether it is fitted without a target.
    pub fn takes_no_target(&self) -> bool {
        self.kinds() == [Kind::Nothing]
    }
    /// Every parameter with its value as an expression writes it, in the order of the records.
    pub fn arguments(&self) -> Vec<(&'static str, String)> {
        self.terms().into_iter().map(|(name, term)| (name, term.to_string())).collect()
    }
    /// Whether a fit to a target is calibrated on held-out scores.
    ///
    /// # Errors
    /// Where the user asks for probabilities of numbers.
    fn is_calibrated(&self, target: &Target) -> Result<bool> {
        let of_classes = matches!(target, Target::Classes { .. });
        match self.gives().calibrated {
            When::Never => Ok(false),
            When::Always => Ok(of_classes),
            When::Of(kind) => Ok(kind == target.kind()),
            When::If(flag) => {
                let asked = self.is_set(flag);
                if asked && !of_classes && self.is_calibrated_by_default() {
                    return Ok(false);
                }
                if asked && !of_classes {
                    let why = format!("{} makes them of classes, and the target holds numbers; leave it out", self.name());
                    return Err(Error::Setting { name: flag.into(), why });
                }
                Ok(asked)
            }
        }
    }
    /// Whether it calibrates where nothing is said.
    fn is_calibrated_by_default(&self) -> bool {
        let When::If(flag) = self.gives().calibrated else { return self.gives().calibrated != When::Never };
        Self::parse(self.name()).is_ok_and(|plain| plain.is_set(flag))
    }
    /// Fits from the task alone.
    ///
    /// # Errors
    /// Where the fit itself fails.
    pub fn fit(&self, task: &Task<'_>) -> Result<FittedModel> {
        self.fit_with(task, &FitContext::default()).map(|fit| fit.fitted)
    }
    /// A fit by one variant, calibrated where the estimator asks for it.
    fn calibrating<F>(&self, task: &Task<'_>, context: &FitContext<'_, F>, fit: FitsVariant<'_, F>) -> Result<Fit<FittedModel>> {
        let calibrated = self.is_calibrated(task.target)?;
        if context.known.is_some() {
            self.require_stream(context, calibrated)?;
            return fit(context);
        }
        if !calibrated {
            return fit(context);
        }
        let scored = fit(&FitContext { wants_scores: true, warm: None, ..*context }).and_then(Fit::with_scores);
        let made = scored.and_then(|(fitted, held_out)| Calibrated::of(fitted, &held_out.each_once(task, context.hold.split), task));
        match made {
            Ok(fitted) => Ok(FittedModel::Calibrated(fitted).into()),
            // Nobody asked for it.
            Err(error) if self.is_calibrated_by_default() && !error.ends_all() => fit(context),
            Err(error) => Err(error),
        }
    }
    /// An error where new rows cannot be learnt after an earlier fit.
    fn require_stream<F>(&self, context: &FitContext<'_, F>, calibrated: bool) -> Result<()> {
        if calibrated || context.earlier.is_none() {
            let why = "a model whose probabilities are calibrated learns from all rows at once; leave probabilities out";
            return Err(Error::Data(why.into()));
        }
        if !self.facts().learns_row_by_row {
            return Err(Error::Data(format!("{} learns from all rows at once; perceptron takes rows as they come", self.name())));
        }
        Ok(())
    }
    /// Whether a fit to such a target holds out rows, to calibrate or for the fit itself.
    pub(crate) fn holds_out(&self, target: &Target) -> bool {
        self.facts().holds_out || self.is_calibrated(target).unwrap_or(false)
    }
    /// Whether a flag is set.
    pub(crate) fn is_set(&self, flag: &str) -> bool {
        self.arguments().iter().any(|(name, value)| *name == flag && value == "true")
    }
    /// Replaces every `auto` by its data-based start, and every range by its point nearest to that.
    pub fn settle(&self, task: &Task<'_>) -> Result<EstimatorExpr> {
        let mut settled = self.clone();
        for NumericSetting { path, param, value } in self.values() {
            let stays = param.learnt && value == Value::Auto;
            if !value.is_settled() && !stays {
                settled.set(&path, &value.settle(self.start(&path, task)?))?;
            }
        }
        Ok(settled)
    }
}

impl fmt::Display for EstimatorExpr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.term().fmt(f)
    }
}

impl std::str::FromStr for EstimatorExpr {
    type Err = Error;
    fn from_str(text: &str) -> Result<Self> {
        Self::parse(text)
    }
}
