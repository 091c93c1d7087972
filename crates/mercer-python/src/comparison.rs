//! `mercer.compare` and what it gives: estimators side by side.

use crate::answers::from_json;
use crate::dataset::{self, weights};
use crate::errors::{data_error, guarded, raise, spoken, warn};
use crate::given::training_rows;
use crate::kernel::kernel;
use crate::learner::recipe;
use crate::own;
use crate::pickle::{Parts, not_for_skops, parts, restored};
use crate::target::{Takes, groups, target, times};
use crate::tested::TestRows;
use crate::work::Limits;
use crate::workers::processes;
use mercer::compare::Comparing;
use mercer::data::{Dataset, Split, Target};
use mercer::estimators::EstimatorExpr;
use mercer::facts;
use mercer::metrics::Metric;
use mercer::read::TargetInfo;
use mercer::report::{self, Request};
use mercer::store::write_atomically;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::sync::Arc;

/// Width of the text table in columns.
pub(crate) const WIDTH: usize = 100;

/// Several estimators on the same folds of one table, as `compare` gives them. ``str()`` is the table; `rows` hold the same as
/// data.
#[pyclass(frozen, module = "mercer")]
pub(crate) struct Comparison {
    said: Said,
    pages: Pages,
}

/// What is said of a comparison, as it is stored.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Said {
    kernel: String,
    task: String,
    notices: Vec<String>,
    facts: Vec<String>,
    json: String,
    text: String,
    fragment: String,
}

/// The page and the figures: made when they are asked for, and when they are stored.
enum Pages {
    ToMake(Box<report::Comparison>),
    Made(Drawn),
}

/// A page and figures by the names of their files.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Drawn {
    page: String,
    figures: Vec<(String, String)>,
}

impl Comparison {
    fn new(comparison: report::Comparison) -> mercer::error::Result<Self> {
        let said = Said {
            kernel: comparison.kernel.clone(),
            task: comparison.task.name().into(),
            notices: comparison.notices.clone(),
            facts: comparison.facts.clone(),
            json: comparison.json()?,
            text: spoken(&comparison.text(WIDTH)),
            fragment: comparison.fragment(),
        };
        Ok(Comparison { said, pages: Pages::ToMake(Box::new(comparison)) })
    }

    fn drawn(&self) -> PyResult<Drawn> {
        match &self.pages {
            Pages::ToMake(made) => {
                let figures = guarded(|| report::figure_files(&made.entries))?;
                Ok(Drawn { page: self.to_html()?, figures })
            }
            Pages::Made(drawn) => Ok(drawn.clone()),
        }
    }
}

/// Tunes, cross-validates and times several estimators under one kernel.
///
/// Parameters
/// ----------
/// data : Dataset, or anything one is made from
///     The rows.
/// target : array, list or series
///     As for `Learner.fit`.
/// kernel : Kernel, str or callable, optional
///     None: made from the types of the columns. A function is one that `mercer.kernels.register` has made a kernel.
/// estimators : str or list of str and objects, optional
///     ``"svc(c=1), ridge"`` or a list; None: every one that can predict the target. Objects of one's own and of scikit-learn are
///     fitted as `Learner` fits them.
/// folds : int
///     Parts of the cross-validation.
/// seed : int
///     Of the folds and of anything random.
/// standardise : bool
///     Standardise number columns to mean 0 and standard deviation 1.
/// missing : dict, optional
///     As for `Learner`.
/// allow_non_mercer : bool
///     Fit although the kernel is not positive semi-definite.
/// sample_weight : array, optional
///     2 means that the row counts twice, 0 that it is absent.
/// groups : array, optional
///     One label a row; rows of one group stay in one fold.
/// time : array, optional
///     One number or date a row; folds in that order, each predicted by models trained on earlier rows (forward chaining).
/// task : {"classification", "regression"}, optional
///     Decides what the target is.
/// metric : str, optional
///     Metric for tuning and ranking, such as ``"auc"``, ``"f1"`` or ``"mae"``; None: accuracy for classes, rmse
///     for numbers.
/// costs : dict, optional
///     What a wrong prediction of a row of each of two classes costs, such as ``{"fraud": 50, "no": 1}``: predicted is what costs least
///     on held-out rows. None: rare classes cost as much together as frequent ones.
/// sample : int, optional
///     Use at most so many random rows for training; None: as many as time and memory allow.
/// test : tuple, optional
///     ``(data, target)`` or ``(data, target, sample_weight)``: rows on which every fitted model is scored after the comparison, by the
///     metric that decides. They have the columns of the training rows and take no part in tuning and choice; `max_seconds` does not
///     bound these scores.
/// probabilities : bool
///     Calibrated class probabilities of every estimator that can have them; the predicted class is then the most probable one.
/// effort : float, optional
///     Search budget as a multiple of the default, about a minute on two cores; the result is the same on every machine. None: everything
///     that can still win is searched to its end. With `max_seconds` the time alone counts.
/// max_seconds : float, optional
///     Searches and solvers then stop with their best so far.
/// max_memory : int or str, optional
///     Bytes, or a size such as ``"4GB"``.
/// threads : int
///     How many to use; 0: one per core.
/// workers : int, optional
///     Run the work in so many processes, which share the threads and the memory allowed. The result is the same; a process that the
///     system ends loses nothing. Functions, classes and objects of the program are refused. None: the threads of this process.
/// progress : callable, optional
///     A function ``progress(what, done, total)`` that receives progress updates in the calling thread, a few times a second;
///     `total` is an upper limit. An exception raised in it ends the comparison.
///
/// Returns
/// -------
/// Comparison
///     The estimators side by side.
///
/// Raises
/// ------
/// DataError
///     Rows and target that do not fit together.
/// ExpressionError
///     An unknown kernel or estimator.
///
/// Examples
/// --------
/// >>> import mercer
/// >>> data, species = mercer.example("iris")
/// >>> table = mercer.compare(data, species, "rbf(length_scale=1)", "baseline, svc(c=1)")
/// >>> table.best["estimator"]
/// 'svc(c=1)'
#[pyfunction]
#[pyo3(signature = (data, target, kernel=None, estimators=None, *, folds=5, seed=0, standardise=true, missing=None, allow_non_mercer=false, sample_weight=None, groups=None, time=None, task=None, metric=None, costs=None, sample=None, test=None, probabilities=false, effort=Some(1.0), max_seconds=None, max_memory=None, threads=0, workers=None, progress=None))]
#[allow(clippy::too_many_arguments, reason = "keyword arguments of Python")]
pub(crate) fn compare(
    py: Python<'_>,
    data: &Bound<'_, PyAny>,
    target: &Bound<'_, PyAny>,
    kernel: Option<&Bound<'_, PyAny>>,
    estimators: Option<&Bound<'_, PyAny>>,
    folds: usize,
    seed: u64,
    standardise: bool,
    missing: Option<&Bound<'_, PyAny>>,
    allow_non_mercer: bool,
    sample_weight: Option<&Bound<'_, PyAny>>,
    groups: Option<&Bound<'_, PyAny>>,
    time: Option<&Bound<'_, PyAny>>,
    task: Option<&str>,
    metric: Option<&str>,
    costs: Option<&Bound<'_, PyDict>>,
    sample: Option<usize>,
    test: Option<&Bound<'_, PyAny>>,
    probabilities: bool,
    effort: Option<f64>,
    max_seconds: Option<f64>,
    max_memory: Option<Bound<'_, PyAny>>,
    threads: usize,
    workers: Option<usize>,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<Comparison> {
    let given = Given { data, target, kernel, estimators, missing, sample_weight, groups, time, task, metric };
    let cost = |(class, cost): (Bound<'_, PyAny>, Bound<'_, PyAny>)| Ok((class.str()?.to_string(), cost.extract()?));
    let costs = costs.map(|all| all.iter().map(cost).collect::<PyResult<Vec<(String, f64)>>>()).transpose()?;
    let rest = Comparing { folds, seed, allow_non_mercer, costs, sample, effort, ..Comparing::new(Vec::new()) };
    let mut asked = asked(&given, standardise, rest)?;
    if probabilities {
        asked.comparing.estimators = EstimatorExpr::all_with_probabilities(asked.comparing.estimators, &asked.target);
    }
    asked.comparing.processes = workers.map(|count| processes(py, count, threads, &asked.comparing)).transpose()?;
    let test = test.map(|test| TestRows::read(test, &asked)).transpose()?;
    let facts = facts::facts(&asked.data, &asked.target, &asked.info, &asked.split, folds, standardise);
    let leaks: Vec<String> = facts.iter().flat_map(|fact| fact.leaks.iter().cloned()).collect();
    let of_groups = data.cast::<dataset::Dataset>().ok().filter(|_| asked.split == Split::Rows).map(|data| &data.get().of_groups);
    let facts = facts.iter().map(ToString::to_string).chain(of_groups.into_iter().flatten().cloned());
    let facts: Vec<String> = facts.map(|fact| spoken(&fact)).collect();
    warn(py, &facts)?;
    let taken = asked.notices.clone();
    let limits = Limits { threads, max_seconds, max_memory, progress };
    let mut comparison = limits.run(py, move |control| {
        let Asked { data, target, info, weights, split, comparing, notices } = &asked;
        let outcome = mercer::compare::compare(data, target, info, weights.as_deref(), split, comparing, control)?;
        let request = Request {
            command: "mercer.compare(data, target)".into(),
            table: "data".into(),
            data,
            target,
            info,
            comparing,
            weights: weights.as_deref(),
            facts,
            leaks,
            read_notices: notices,
        };
        let mut comparison = report::Comparison::of(&outcome, &request, control)?;
        if let Some(test) = &test {
            test.score(&mut comparison, &outcome, target, control)?;
        }
        Ok(comparison)
    })?;
    let new: Vec<String> = comparison.notices.iter().filter(|notice| !taken.contains(notice)).cloned().collect();
    comparison.notices = comparison.notices.iter().map(|notice| spoken(notice)).collect();
    warn(py, &new)?;
    guarded(|| Comparison::new(comparison))
}

/// Objects of Python that say what is compared.
pub(crate) struct Given<'a, 'py> {
    pub(crate) data: &'a Bound<'py, PyAny>,
    pub(crate) target: &'a Bound<'py, PyAny>,
    pub(crate) kernel: Option<&'a Bound<'py, PyAny>>,
    pub(crate) estimators: Option<&'a Bound<'py, PyAny>>,
    pub(crate) missing: Option<&'a Bound<'py, PyAny>>,
    pub(crate) sample_weight: Option<&'a Bound<'py, PyAny>>,
    pub(crate) groups: Option<&'a Bound<'py, PyAny>>,
    pub(crate) time: Option<&'a Bound<'py, PyAny>>,
    pub(crate) task: Option<&'a str>,
    pub(crate) metric: Option<&'a str>,
}

/// The arguments of a comparison in the types of the library.
pub(crate) struct Asked {
    pub(crate) data: Arc<Dataset>,
    pub(crate) target: Target,
    pub(crate) info: TargetInfo,
    pub(crate) weights: Option<Vec<f64>>,
    pub(crate) split: Split,
    pub(crate) comparing: Comparing,
    /// Notices about how the rows were read.
    pub(crate) notices: Vec<String>,
}

/// What is compared; numbers and flags stand in `rest`.
pub(crate) fn asked(given: &Given<'_, '_>, standardise: bool, rest: Comparing) -> PyResult<Asked> {
    let estimators = given.estimators.map(list).transpose()?;
    let kernel = given.kernel.map(kernel).transpose()?;
    let (data, notices) = training_rows(kernel.as_ref(), given.data)?;
    let (target, info) = target(given.target, data.rows(), Takes::of(estimators.as_deref().unwrap_or_default()), given.task)?;
    let weights = weights(given.sample_weight)?;
    let split = match (given.groups, given.time) {
        (Some(_), Some(_)) => return Err(data_error("groups and time: give one of them")),
        (Some(labels), None) => Split::Groups(groups(labels, data.rows())?),
        (None, Some(time)) => Split::Time(times(time, data.rows())?),
        (None, None) => Split::Rows,
    };
    let own_scales = estimators.is_none();
    let estimators = match estimators {
        Some(list) => list,
        None => mercer::compare::usual(&data, &target, kernel.as_ref()).map_err(raise)?,
    };
    let metric = given.metric.map(Metric::parse).transpose().map_err(raise)?;
    let comparing = Comparing { prep: recipe(standardise, given.missing)?, kernel, estimators, own_scales, metric, ..rest };
    Ok(Asked { data, target, info, weights, split, comparing, notices })
}

/// Estimators given in one text, or in a list of texts and of objects with `fit` and `predict`.
fn list(object: &Bound<'_, PyAny>) -> PyResult<Vec<EstimatorExpr>> {
    if let Ok(text) = object.extract::<String>() {
        return guarded(|| EstimatorExpr::parse_list(&text));
    }
    let expected = || data_error("estimators: expected \"svc(c=1), ridge\", or a list of such texts and of objects with fit and predict");
    let all: Vec<Bound<'_, PyAny>> = object.extract().map_err(|_| expected())?;
    if all.is_empty() {
        return Err(data_error("estimators: the list is empty"));
    }
    all.iter().map(|given| own::estimator(given, "estimators")).collect()
}

#[pymethods]
impl Comparison {
    /// One dict per estimator, the best first: estimator, settled, metrics, folds (each metric in each fold), support, fit_seconds,
    /// predict_us_per_row, converged, certificate, tuning, best, difference (to the best, with its 95% interval by the held-out
    /// rows), against_best (best, not_distinguishable, worse, not_tuned, failed), failure; with `test` its score on these rows, ``{"mean": ..,
    /// "se": ..}``.
    #[getter]
    fn rows<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        from_json(py, &self.said.json)?.get_item("rows")
    }

    /// The best row; None if no estimator could be fitted.
    #[getter]
    fn best<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        for row in self.rows(py)?.try_iter()? {
            let row = row?;
            if row.get_item("best")?.is_truthy()? {
                return Ok(Some(row));
            }
        }
        Ok(None)
    }

    /// The kernel that all shared.
    #[getter]
    fn kernel(&self) -> String {
        self.said.kernel.clone()
    }

    /// classification or regression.
    #[getter]
    fn task(&self) -> &str {
        &self.said.task
    }

    /// What is worth knowing, one sentence each.
    #[getter]
    fn notices(&self) -> Vec<String> {
        self.said.notices.clone()
    }

    /// Facts about rows and target known before any fit: duplicate rows, columns that leak the target, rare classes, heavy
    /// tails; one sentence each. Warnings were issued for them.
    #[getter]
    fn facts(&self) -> Vec<String> {
        self.said.facts.clone()
    }

    /// The document that ``mercer compare --json`` writes.
    ///
    /// Returns
    /// -------
    /// str
    ///     JSON.
    fn json(&self) -> &str {
        &self.said.json
    }

    /// The page with table and pictures, in one piece.
    ///
    /// Returns
    /// -------
    /// str
    ///     HTML.
    fn to_html(&self) -> PyResult<String> {
        match &self.pages {
            Pages::ToMake(made) => guarded(|| made.html()),
            Pages::Made(drawn) => Ok(drawn.page.clone()),
        }
    }

    /// Writes the page, whole or not at all.
    ///
    /// Parameters
    /// ----------
    /// path : str or path
    ///     Where.
    fn save_html(&self, path: PathBuf) -> PyResult<()> {
        write_atomically(&path, self.to_html()?.as_bytes()).map_err(raise)
    }

    /// Writes each figure of the page as an SVG file.
    ///
    /// Parameters
    /// ----------
    /// folder : str or path
    ///     Where; made if it is not there.
    ///
    /// Returns
    /// -------
    /// int
    ///     How many there are.
    fn save_figures(&self, folder: PathBuf) -> PyResult<usize> {
        let figures = match &self.pages {
            Pages::ToMake(made) => return guarded(|| report::save_figures(&folder, &made.entries)),
            Pages::Made(drawn) => &drawn.figures,
        };
        std::fs::create_dir_all(&folder).map_err(|e| data_error(format!("{}: {e}", folder.display())))?;
        figures.iter().try_for_each(|(name, svg)| write_atomically(&folder.join(name), svg.as_bytes())).map_err(raise)?;
        Ok(figures.len())
    }

    fn _repr_html_(&self) -> &str {
        &self.said.fragment
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Parts<'py>)> {
        Ok((slf.get_type().getattr("_restored")?, parts(slf.py(), &(&slf.get().said, slf.get().drawn()?))?))
    }

    fn __getstate__(slf: &Bound<'_, Self>) -> PyResult<()> {
        Err(not_for_skops(&slf.get_type()))
    }

    #[staticmethod]
    fn _restored(text: &str, arrays: Vec<Vec<u8>>) -> PyResult<Self> {
        let (said, drawn): (Said, Drawn) = restored(text, arrays)?;
        Ok(Comparison { said, pages: Pages::Made(drawn) })
    }

    fn __str__(&self) -> String {
        let facts: String = self.said.facts.iter().map(|fact| format!("note: {fact}\n")).collect();
        format!("{facts}{}", self.said.text)
    }

    fn __repr__(&self) -> String {
        self.__str__()
    }
}
