//! `mercer.Learner`: the recipe of a model.

use crate::answers::parameters;
use crate::arrays::{from_matrix, from_vec};
use crate::batched::{PythonBatches, SampleRead};
use crate::dataset::weights;
use crate::errors::{data_error, guarded, raise, warn};
use crate::given::training_rows;
use crate::intervals::ScoresAsked;
use crate::kernel::{Kernel, kernel};
use crate::model::Model;
use crate::own;
use crate::pickle::not_for_skops;
use crate::target::{Takes, absent, coded, named, target};
use crate::work::{Limits, Size};
use mercer::data::{Dataset, Examples, Split, Target};
use mercer::estimators::EstimatorExpr;
use mercer::fitting::{cannot_predict, prepare_weighed};
use mercer::kernels::KernelExpr;
use mercer::learner::TrainingRows;
use mercer::metrics::Metric;
use mercer::notice::Notice;
use mercer::partial::{BatchSettings, BatchSource};
use mercer::prep::{Missing, Recipe};
use mercer::report;
use mercer::select;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::Arc;

/// The recipe of a model: preparation, kernel, estimator.
///
/// Parameters
/// ----------
/// estimator : str or object, optional
///     An expression such as ``"svc(c=1)"`` or ``"gp(noise=auto)"``; None: svc for classes, ridge for numbers. Or an object of one's
///     own with ``fit(gram, target, sample_weight=None)`` and ``predict(cross)``: `gram` holds the kernel values among the training
///     rows, `cross` those of new rows (along the rows) with them, `target` numbers, or classes by their numbers 0, 1, ..., as
///     ``predict`` gives them. With ``predict_proba(cross)``, one column for each class, it has probabilities. An estimator of
///     scikit-learn is fitted to the prepared columns: numbers filled and standardised, a column of 0 and 1 for each label, or the
///     texts of a single column; with ``kernel="precomputed"`` (its pairwise tag), or where the first argument of its ``fit`` is called
///     `gram`, to kernel values. A copy is fitted; an open `random_state` gets the seed, and a pair (low, high) in place of an
///     argument whose default is one number is searched between.
/// kernel : Kernel, str or callable, optional
///     None: made from the types of the columns. A function is one that `mercer.kernels.register` has made a kernel.
/// standardise : bool
///     Bring numbers to mean 0 and standard deviation 1 first.
/// missing : dict, optional
///     What is done with missing cells, ``{"age": "drop"}``: median+flag (numbers), category (labels), empty (texts) or
///     interpolate (series), which is done where nothing is said; for series also forward (the last number) or skip (leave the time out);
///     or drop the row, or error.
/// seed : int
///     Of anything random.
/// allow_non_mercer : bool
///     Fit although the kernel is not positive semi-definite.
/// metric : str, optional
///     What cross-validation tunes by, such as ``"auc"``, ``"f1"`` or ``"mae"``; None: accuracy for classes, rmse for numbers.
/// sample : int, optional
///     The most rows to learn from, drawn at random; None: all.
/// keep_rows : bool
///     Keep the training rows where prediction needs none of them, as with the kernel ``linear``: for their coefficients.
///
/// Raises
/// ------
/// ExpressionError
///     An estimator, a kernel, a parameter or a policy that there is not.
///
/// Examples
/// --------
/// >>> import mercer
/// >>> data, species = mercer.example("iris")
/// >>> learner = mercer.Learner("svc(c=1)", kernel="rbf(length_scale=1)")
/// >>> model = learner.fit(data, species)
/// >>> print(model.predict(data[:2]))
/// ['setosa' 'setosa']
#[pyclass(frozen, module = "mercer")]
pub(crate) struct Learner {
    estimator: Option<EstimatorExpr>,
    kernel: Option<KernelExpr>,
    recipe: Recipe,
    seed: u64,
    allow_non_mercer: bool,
    metric: Option<Metric>,
    sample: Option<usize>,
    keep_rows: bool,
}

/// How columns are prepared.
pub(crate) fn recipe(standardise: bool, missing: Option<&Bound<'_, PyAny>>) -> PyResult<Recipe> {
    let mut policies = Vec::new();
    if let Some(missing) = missing {
        let missing = missing.cast::<PyDict>().map_err(|_| data_error("missing: expected a dict such as {\"age\": \"drop\"}"))?;
        for (name, word) in missing.iter() {
            let policy: Missing = word.str()?.to_string().parse().map_err(raise)?;
            policies.push((name.str()?.to_string(), policy));
        }
    }
    Ok(Recipe { standardise, missing: policies, ..Recipe::default() })
}

/// What is said of a fitted model, where it is to be.
fn to_tell(model: &mercer::learner::Model, tell: bool) -> Vec<String> {
    if !tell {
        return Vec::new();
    }
    let mut notices: Vec<String> = model.about.notices.iter().map(Notice::to_string).collect();
    notices.extend(report::search_notices(model).into_iter().filter(|(_, asks)| *asks).map(|(said, _)| said));
    if !model.summary().converged {
        notices.push(format!("{}: the fit did not reach its tolerance; see model.summary", model.estimator));
    }
    notices
}

/// What a criterion of a settled kernel is computed from.
struct Asked {
    kernel: KernelExpr,
    estimator: EstimatorExpr,
    data: Dataset,
    target: Target,
    weights: Option<Vec<f64>>,
    seed: u64,
}

impl Asked {
    fn examples(&self) -> Examples<'_> {
        Examples { data: &self.data, target: &self.target, weights: self.weights.as_deref(), split: &Split::Rows }
    }
}

impl Learner {
    /// The rows that an object holds; for the kernel `precomputed` an array holds kernel values among them.
    fn rows(&self, data: &Bound<'_, PyAny>) -> PyResult<Arc<Dataset>> {
        training_rows(self.kernel.as_ref(), data).map(|(data, _)| data)
    }

    fn asked(&self, data: &Bound<'_, PyAny>, target: &Bound<'_, PyAny>, sample_weight: Option<&Bound<'_, PyAny>>) -> PyResult<Asked> {
        let named = "criterion: name an estimator, such as gp(noise=0.1, variance=1)";
        let estimator = self.estimator.clone().ok_or_else(|| data_error(named))?;
        let data = self.rows(data)?;
        let (target, _) = self::target(target, data.rows(), Takes::of(std::slice::from_ref(&estimator)), None)?;
        let weights = weights(sample_weight)?;
        let prepared = guarded(|| prepare_weighed(&self.recipe, self.kernel.as_ref(), &data, weights.as_deref()))?;
        let kernel = guarded(|| prepared.kernel.settle_weighed(&prepared.data, weights.as_deref()))?;
        Ok(Asked { kernel, estimator, data: prepared.data, target, weights, seed: self.seed })
    }
}

impl Learner {
    /// The learner of the library.
    fn of(&self, estimator: EstimatorExpr, sample: TrainingRows) -> mercer::learner::Learner {
        mercer::learner::Learner {
            prep: self.recipe.clone(),
            kernel: self.kernel.clone(),
            estimator,
            seed: self.seed,
            allow_non_mercer: self.allow_non_mercer,
            sample,
            keep_rows: self.keep_rows,
            metric: self.metric,
        }
    }

    /// The arguments that make this learner, by name.
    fn arguments<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let all = PyDict::new(py);
        match self.estimator.as_ref().and_then(|estimator| own::object_of(py, estimator)) {
            Some(object) => all.set_item("estimator", object?)?,
            None => all.set_item("estimator", self.estimator())?,
        }
        all.set_item("kernel", self.kernel())?;
        all.set_item("standardise", self.recipe.standardise)?;
        all.set_item("missing", self.missing(py)?)?;
        all.set_item("seed", self.seed)?;
        all.set_item("allow_non_mercer", self.allow_non_mercer)?;
        all.set_item("metric", self.metric())?;
        all.set_item("sample", self.sample)?;
        all.set_item("keep_rows", self.keep_rows)?;
        Ok(all)
    }
}

/// A function of Python and its arguments: a class, none by place, and those by name.
type Reduced<'py> = (Bound<'py, PyAny>, (Bound<'py, PyAny>, (), Bound<'py, PyDict>));

#[pymethods]
impl Learner {
    #[new]
    #[pyo3(signature = (estimator=None, kernel=None, *, standardise=true, missing=None, seed=0, allow_non_mercer=false, metric=None, sample=None, keep_rows=false))]
    #[allow(clippy::too_many_arguments, reason = "keyword arguments of Python")]
    fn make(
        estimator: Option<&Bound<'_, PyAny>>,
        kernel: Option<&Bound<'_, PyAny>>,
        standardise: bool,
        missing: Option<&Bound<'_, PyAny>>,
        seed: u64,
        allow_non_mercer: bool,
        metric: Option<&str>,
        sample: Option<usize>,
        keep_rows: bool,
    ) -> PyResult<Self> {
        let estimator = estimator.map(|given| own::estimator(given, "estimator")).transpose()?;
        let kernel = kernel.map(self::kernel).transpose()?;
        let (recipe, metric) = (recipe(standardise, missing)?, metric.map(Metric::parse).transpose().map_err(raise)?);
        Ok(Learner { estimator, kernel, recipe, seed, allow_non_mercer, metric, sample, keep_rows })
    }

    #[doc = include_str!("learner/fit.txt")]
    #[allow(clippy::doc_lazy_continuation, reason = "what an example prints")]
    #[pyo3(signature = (data, target=None, sample_weight=None, *, task=None, classes=None, intervals=None, max_seconds=None, max_memory=None, threads=0, tell=true, progress=None))]
    #[allow(clippy::too_many_arguments, reason = "keyword arguments of Python")]
    fn fit(
        &self,
        py: Python<'_>,
        data: &Bound<'_, PyAny>,
        target: Option<&Bound<'_, PyAny>>,
        sample_weight: Option<&Bound<'_, PyAny>>,
        task: Option<&str>,
        classes: Option<Bound<'_, PyAny>>,
        intervals: Option<Bound<'_, PyAny>>,
        max_seconds: Option<f64>,
        max_memory: Option<Bound<'_, PyAny>>,
        threads: usize,
        tell: bool,
        progress: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Model> {
        let (data, read) = training_rows(self.kernel.as_ref(), data)?;
        let training = data.clone();
        let has_target = target.is_some();
        let (target, info) = match (classes, target) {
            (_, None) => absent(data.rows()),
            (Some(labels), Some(target)) => {
                let (names, sort) = named(&labels)?;
                coded(target, data.rows(), names, sort)?
            }
            (None, Some(target)) => self::target(target, data.rows(), Takes::of(self.estimator.as_slice()), task)?,
        };
        if let Some(estimator) = self.estimator.as_ref().filter(|estimator| has_target && estimator.takes_no_target()) {
            return Err(raise(cannot_predict(estimator, &target)));
        }
        let (weights, asked) = (weights(sample_weight)?, ScoresAsked::of(intervals.as_ref(), data.rows())?);
        let estimator = match &self.estimator {
            Some(estimator) => estimator.clone(),
            None => EstimatorExpr::parse(if matches!(target, Target::Classes { .. }) { "svc" } else { "ridge" }).map_err(raise)?,
        };
        let sample = self.sample.map_or(TrainingRows::All, TrainingRows::Most);
        let learner = self.of(estimator, sample);
        let limits = Limits { threads, max_seconds, max_memory, progress };
        // A search may take long on any number of rows.
        let open = learner.kernel.as_ref().is_none_or(|kernel| !kernel.values().iter().all(|p| p.value.is_settled()))
            || own::object_of(py, &learner.estimator).is_some()
            || learner.kernel.as_ref().is_some_and(|kernel| !kernel.functions().is_empty())
            || !learner.estimator.values().iter().all(|own| own.value.is_settled());
        let size = if open { Size::Any } else { Size::of_values(data.rows() * data.rows(), &data) };
        let mut model = limits.run_sized(py, size, move |control| {
            let model = learner.fit(&data, &target, &info, weights.as_deref(), control)?;
            asked.store(&learner, model, (&data, &target, weights.as_deref()), control)
        })?;
        warn(py, &to_tell(&model, tell))?;
        model.about.notices.splice(0..0, read.iter().cloned().map(Notice::OfTable));
        Ok(Model::of_training(model, &training, &read))
    }

    #[doc = include_str!("learner/fit_batches.txt")]
    #[allow(clippy::doc_lazy_continuation, reason = "what an example prints")]
    #[pyo3(signature = (batches, *, task=None, landmarks=1_000, max_seconds=None, max_memory=None, threads=0, tell=true, progress=None))]
    #[allow(clippy::too_many_arguments, reason = "keyword arguments of Python")]
    fn fit_batches(
        &self,
        py: Python<'_>,
        batches: &Bound<'_, PyAny>,
        task: Option<&str>,
        landmarks: usize,
        max_seconds: Option<f64>,
        max_memory: Option<Bound<'_, PyAny>>,
        threads: usize,
        tell: bool,
        progress: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Model> {
        let estimator = self.estimator.clone().map_or_else(|| EstimatorExpr::parse("ridge"), Ok).map_err(raise)?;
        if landmarks == 0 {
            return Err(data_error("landmarks: expected 1 or more"));
        }
        let source = PythonBatches::new(batches, self.kernel.clone(), &estimator, task)?;
        let learner = self.of(estimator, TrainingRows::All);
        let usual = BatchSettings::default();
        let settings = BatchSettings { sample: self.sample.unwrap_or(usual.sample), landmarks };
        let (mut model, read) = Limits { threads, max_seconds, max_memory, progress }.run(py, move |control| {
            let batches: &dyn BatchSource = &source;
            let fit = batches.fit(&learner, settings, control, &mut |_| ())?;
            Ok((fit.model, source.into_read()))
        })?;
        warn(py, &to_tell(&model, tell))?;
        let Some(SampleRead { data, notices, .. }) = read else { return Ok(Model::new(model)) };
        model.about.notices.splice(0..0, notices.iter().cloned().map(Notice::OfTable));
        Ok(Model::of_training(model, &data, &notices))
    }

    /// The smooth criterion that a search minimises (gp: negative log evidence; ridge: leave-one-out error), where nothing is
    /// left open.
    ///
    /// Parameters
    /// ----------
    /// data : Dataset, or anything one is made from
    ///     The training rows.
    /// target : array, list or series
    ///     As for `fit`.
    /// sample_weight : array, optional
    ///     2 means that the row counts twice, 0 that it is absent.
    /// max_seconds : float, optional
    ///     After so long it is given up.
    /// threads : int
    ///     How many to use; 0: one per core.
    ///
    /// Returns
    /// -------
    /// tuple of float and numpy.ndarray
    ///     Its value, and its derivatives by the numbers of the kernel in the order of ``Kernel.parameters``; for the kernel
    ///     ``precomputed`` by its values, N x N.
    #[pyo3(signature = (data, target, sample_weight=None, *, max_seconds=None, threads=0))]
    fn criterion<'py>(
        &self,
        py: Python<'py>,
        data: &Bound<'py, PyAny>,
        target: &Bound<'py, PyAny>,
        sample_weight: Option<&Bound<'py, PyAny>>,
        max_seconds: Option<f64>,
        threads: usize,
    ) -> PyResult<(f64, Bound<'py, PyAny>)> {
        let asked = self.asked(data, target, sample_weight)?;
        let given = matches!(asked.kernel, KernelExpr::Precomputed(_));
        let (value, by_values, by_kernel) = Limits { threads, max_seconds, ..Limits::default() }.run(py, move |control| {
            let examples = asked.examples();
            let (criterion, by_kernel) = select::criterion(&asked.kernel, &asked.estimator, &examples, control, asked.seed)?;
            let by_values = if given {
                let gram = asked.kernel.bind_within(None, examples.data, control)?;
                Some(criterion.weights.written_out(gram.as_ref(), asked.estimator.name(), control)?.into_owned())
            } else {
                None
            };
            Ok((criterion.value, by_values, by_kernel))
        })?;
        Ok((value, by_values.map_or_else(|| Ok(from_vec(py, by_kernel)), |values| from_matrix(py, values))?))
    }

    /// Where the numbers of the kernel make the criterion least, by descents from where they are and from other places.
    ///
    /// Parameters
    /// ----------
    /// data : Dataset, or anything one is made from
    ///     The training rows.
    /// target : array, list or series
    ///     As for `fit`.
    /// sample_weight : array, optional
    ///     2 means that the row counts twice, 0 that it is absent.
    /// ends : list
    ///     A pair (low, high) for every number of the kernel in the order of ``Kernel.parameters``, or None where it stays.
    /// starts : list of list of float
    ///     The numbers that move, at each other place to start from.
    /// max_seconds : float, optional
    ///     After so long the best numbers so far are returned.
    /// threads : int
    ///     How many to use; 0: one per core.
    ///
    /// Returns
    /// -------
    /// tuple of numpy.ndarray, float, bool and Kernel
    ///     The numbers that move, the criterion there (NaN where time was up before it was known), whether the descent met its tolerance, and the kernel with these numbers.
    #[pyo3(signature = (data, target, sample_weight=None, *, ends, starts, max_seconds=None, threads=0))]
    #[allow(clippy::too_many_arguments, reason = "keyword arguments of Python")]
    fn descend<'py>(
        &self,
        py: Python<'py>,
        data: &Bound<'py, PyAny>,
        target: &Bound<'py, PyAny>,
        sample_weight: Option<&Bound<'py, PyAny>>,
        ends: Vec<Option<(f64, f64)>>,
        starts: Vec<Vec<f64>>,
        max_seconds: Option<f64>,
        threads: usize,
    ) -> PyResult<(Bound<'py, PyAny>, f64, bool, Kernel)> {
        let asked = self.asked(data, target, sample_weight)?;
        let end = Limits { threads, max_seconds, ..Limits::default() }.run(py, move |control| {
            select::descend(&asked.kernel, &asked.estimator, &ends, &starts, &asked.examples(), control, asked.seed)
        })?;
        Ok((from_vec(py, end.numbers), end.value, end.converged, Kernel { expr: end.kernel }))
    }

    /// The estimator as an expression; None: svc for classes, ridge for numbers.
    #[getter]
    fn estimator(&self) -> Option<String> {
        self.estimator.as_ref().map(EstimatorExpr::to_string)
    }

    /// The parameters of the estimator by name, its name among them as ``"name"``; empty where none is named.
    #[getter]
    fn parameters<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let Some(estimator) = &self.estimator else { return Ok(PyDict::new(py)) };
        let all = parameters(py, estimator)?;
        all.set_item("name", estimator.name())?;
        Ok(all)
    }

    /// The kernel; None: made from the types of the columns.
    #[getter]
    fn kernel(&self) -> Option<Kernel> {
        self.kernel.clone().map(|expr| Kernel { expr })
    }

    /// Whether numbers are standardised (mean 0, standard deviation 1) first.
    #[getter]
    fn standardise(&self) -> bool {
        self.recipe.standardise
    }

    /// What is done with missing cells, by column.
    #[getter]
    fn missing<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let policies = PyDict::new(py);
        for (name, policy) in &self.recipe.missing {
            policies.set_item(name, policy.name())?;
        }
        Ok(policies)
    }

    /// The seed of anything random.
    #[getter]
    fn seed(&self) -> u64 {
        self.seed
    }

    /// Whether to fit although the kernel is not positive semi-definite.
    #[getter]
    fn allow_non_mercer(&self) -> bool {
        self.allow_non_mercer
    }

    /// What cross-validation tunes by; None: accuracy for classes, rmse for numbers.
    #[getter]
    fn metric(&self) -> Option<&'static str> {
        self.metric.map(Metric::name)
    }

    /// The most rows to learn from; None: all.
    #[getter]
    fn sample(&self) -> Option<usize> {
        self.sample
    }

    fn __repr__(&self) -> String {
        let mut words = Vec::new();
        words.extend(self.estimator.iter().map(|e| format!("estimator={:?}", e.to_string())));
        words.extend(self.kernel.iter().map(|k| format!("kernel={:?}", k.to_string())));
        if !self.recipe.standardise {
            words.push("standardise=False".into());
        }
        if !self.recipe.missing.is_empty() {
            let each = self.recipe.missing.iter().map(|(name, policy)| format!("{name:?}: {:?}", policy.name()));
            words.push(format!("missing={{{}}}", each.collect::<Vec<_>>().join(", ")));
        }
        if self.seed != 0 {
            words.push(format!("seed={}", self.seed));
        }
        if self.allow_non_mercer {
            words.push("allow_non_mercer=True".into());
        }
        words.extend(self.metric.map(|metric| format!("metric={:?}", metric.name())));
        words.extend(self.sample.map(|rows| format!("sample={rows}")));
        format!("Learner({})", words.join(", "))
    }

    fn _repr_html_(&self) -> String {
        let auto = || "made from the target or the columns".to_owned();
        report::pairs_fragment(&[
            ("estimator", self.estimator().unwrap_or_else(auto)),
            ("kernel", self.kernel.as_ref().map_or_else(auto, ToString::to_string)),
            ("learner", self.__repr__()),
        ])
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Learner>().is_ok_and(|other| self.__repr__() == other.get().__repr__())
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Reduced<'py>> {
        let make = slf.py().import("copyreg")?.getattr("__newobj_ex__")?;
        Ok((make, (slf.get_type().into_any(), (), slf.get().arguments(slf.py())?)))
    }

    fn __getstate__(slf: &Bound<'_, Self>) -> PyResult<()> {
        Err(not_for_skops(&slf.get_type()))
    }
}
