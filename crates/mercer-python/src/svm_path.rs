//! `mercer.svm_path` and what it gives: all solutions of a two-class support vector machine, for every penalty C.

use crate::arrays::{from_indices, from_matrix, from_vec};
use crate::dataset::{dataset, weights};
use crate::errors::{raise, warn};
use crate::kernel::kernel;
use crate::target::{Takes, target as target_of};
use crate::work::Limits;
use mercer::data::{Examples, Split};
use mercer::error::Error;
use mercer::estimators::{ClassWeight, EstimatorExpr, Svc};
use mercer::learner::{PathSettings, TablePath};
use mercer::prep::Recipe;
use mercer::report::PathReport;
use mercer::solve::path::{Breakpoint, PathEnd};
use pyo3::prelude::*;
use std::sync::Arc;

/// The regularisation path of a support vector machine, as `svm_path` gives it. ``str()`` is the text that ``mercer path`` prints.
#[pyclass(frozen, module = "mercer")]
pub(crate) struct SvmPath {
    found: Arc<TablePath>,
}

/// The regularisation path of a two-class support vector machine: its solution for every penalty C.
///
/// Between breakpoints the coefficients alpha, each from 0 to the weight of its row, are linear in 1/C. Decision values above 0 are for
/// the second of `classes`.
///
/// Parameters
/// ----------
/// data : Dataset, or anything one is made from
///     The rows.
/// target : array, list or series
///     Two classes.
/// kernel : Kernel or str, optional
///     None: made from the types of the columns.
/// sample_weight : array, optional
///     Weights of the rows; 0 leaves a row out.
/// class_weight : {"balanced"}, optional
///     Give both classes equal total weight.
/// max_C : float, optional
///     Where the path ends; None: it covers every C.
/// folds : int, default 0
///     Folds for the error on held-out rows along C; 0: none.
/// seed : int, default 0
///     Seed of the folds.
/// standardise : bool, default True
///     Bring numbers to mean 0 and standard deviation 1 first.
/// max_seconds : float, optional
///     Seconds after which the path ends where it is.
/// max_memory : int or str, optional
///     Bytes, or a size such as ``"4GB"``.
/// threads : int, default 0
///     0 takes every core; the answer is the same for any number.
///
/// Returns
/// -------
/// SvmPath
///     Arrays ``C`` and ``intercept`` (breakpoints) and ``alpha`` (breakpoints x rows), and the solution at any C.
///
/// Examples
/// --------
/// >>> import mercer
/// >>> path = mercer.svm_path([[-3.0], [-1.0], [1.0], [3.0]], ["a", "a", "b", "b"], kernel="linear", standardise=False)
/// >>> path.C.round(4).tolist()
/// [0.0417, 0.1667, 0.5]
/// >>> path.alpha[0].round(6).tolist()
/// [1.0, 1.0, 1.0, 1.0]
/// >>> path.decision_function([[2.0]], C=0.25).round(6).tolist()
/// [1.0]
#[pyfunction]
#[pyo3(signature = (data, target, kernel=None, *, sample_weight=None, class_weight=None, max_C=None, folds=0, seed=0, standardise=true, max_seconds=None, max_memory=None, threads=0))]
#[allow(clippy::too_many_arguments, reason = "keyword arguments of Python")]
#[allow(non_snake_case, reason = "C is the name of the penalty")]
pub(crate) fn svm_path(
    py: Python<'_>,
    data: &Bound<'_, PyAny>,
    target: &Bound<'_, PyAny>,
    kernel: Option<&Bound<'_, PyAny>>,
    sample_weight: Option<&Bound<'_, PyAny>>,
    class_weight: Option<&str>,
    max_C: Option<f64>,
    folds: usize,
    seed: u64,
    standardise: bool,
    max_seconds: Option<f64>,
    max_memory: Option<Bound<'_, PyAny>>,
    threads: usize,
) -> PyResult<SvmPath> {
    let class_weight = match class_weight {
        None => ClassWeight::None,
        Some("balanced") => ClassWeight::Balanced,
        Some(other) => return Err(raise(Error::unknown("class_weight", other, ["balanced"]))),
    };
    let data = dataset(data)?;
    let machine = EstimatorExpr::from(Svc::default());
    let (target, _) = target_of(target, data.rows(), Takes::of(std::slice::from_ref(&machine)), None)?;
    let weights = weights(sample_weight)?;
    let settings = PathSettings {
        prep: Recipe { standardise, ..Recipe::default() },
        kernel: kernel.map(self::kernel).transpose()?,
        class_weight,
        most_c: max_C.unwrap_or(f64::INFINITY),
        folds,
        seed,
    };
    let limits = Limits { threads, max_seconds, max_memory, ..Limits::default() };
    let found = limits.run(py, move |control| {
        let examples = Examples { data: &data, target: &target, weights: weights.as_deref(), split: &Split::Rows };
        TablePath::of(&examples, &settings, control)
    })?;
    warn(py, &found.notices)?;
    Ok(SvmPath { found: Arc::new(found) })
}

/// One penalty, or several.
#[derive(FromPyObject)]
enum Penalties {
    One(f64),
    Several(Vec<f64>),
}

impl SvmPath {
    fn array<'py>(&self, py: Python<'py>, of: impl Fn(&Breakpoint) -> f64) -> Bound<'py, PyAny> {
        from_vec(py, self.found.path.breakpoints().iter().map(of).collect())
    }

    fn counts<'py>(&self, py: Python<'py>, of: impl Fn(&Breakpoint) -> usize) -> Bound<'py, PyAny> {
        from_indices(py, &self.found.path.breakpoints().iter().map(of).collect::<Vec<_>>())
    }
}

#[pymethods]
#[allow(non_snake_case, reason = "C is the name of the penalty")]
impl SvmPath {
    /// C of the breakpoints, ascending; one stands twice where equally good coefficients are exchanged.
    #[getter]
    fn C<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        self.array(py, |b| b.c)
    }
    /// alpha at the breakpoints (breakpoints x rows that take part), from 0 to the weight of the row.
    #[getter]
    fn alpha<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let found = Arc::clone(&self.found);
        from_matrix(py, Limits::default().run(py, move |control| found.path.alphas(control))?)
    }
    /// Intercepts at the breakpoints.
    #[getter]
    fn intercept<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        self.array(py, |b| b.intercept)
    }
    /// Rows on the margin from each breakpoint on.
    #[getter]
    fn elbow<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        self.counts(py, |b| b.elbow)
    }
    /// Rows within the margin or beyond it from each breakpoint on.
    #[getter]
    fn left<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        self.counts(py, |b| b.left)
    }
    /// Rows outside the margin from each breakpoint on.
    #[getter]
    fn right<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        self.counts(py, |b| b.right)
    }
    /// Weighted shares of misclassified training rows at the breakpoints.
    #[getter]
    fn training_error<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        self.array(py, |b| b.error)
    }
    /// Values of C and the share of misclassified held-out rows at each; empty without folds.
    #[getter]
    fn held_out_error<'py>(&self, py: Python<'py>) -> (Bound<'py, PyAny>, Bound<'py, PyAny>) {
        let (c, errors) = self.found.held_out.iter().copied().unzip();
        (from_vec(py, c), from_vec(py, errors))
    }
    /// The rows that take part.
    #[getter]
    fn rows<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        from_indices(py, &self.found.rows)
    }
    /// The two classes.
    #[getter]
    fn classes(&self) -> Vec<String> {
        self.found.classes.iter().map(|(name, _)| name.clone()).collect()
    }
    /// The kernel with its parameters.
    #[getter]
    fn kernel(&self) -> String {
        self.found.kernel().to_string()
    }
    /// The greatest C that the path covers; infinity where it is complete.
    #[getter]
    fn max_C(&self) -> f64 {
        self.found.path.most_c()
    }
    /// Whether it covers every C.
    #[getter]
    fn complete(&self) -> bool {
        self.found.path.end() == PathEnd::Complete
    }
    /// Why it ends where it does.
    #[getter]
    fn end(&self) -> &'static str {
        self.found.path.end().reason()
    }
    /// The signed coefficients of the rows that take part, and the intercept.
    ///
    /// Parameters
    /// ----------
    /// C : float
    ///     The penalty.
    ///
    /// Returns
    /// -------
    /// tuple
    ///     An array of coefficients, each from -C to C times the weight of the row, and the intercept.
    fn at<'py>(&self, py: Python<'py>, C: f64) -> PyResult<(Bound<'py, PyAny>, f64)> {
        let point = self.found.path.at(C).map_err(raise)?;
        Ok((from_vec(py, point.coef), point.intercept))
    }
    /// Decision values of new rows.
    ///
    /// Parameters
    /// ----------
    /// data : Dataset, or anything one is made from
    ///     Rows with the columns of the path.
    /// C : float or array of float
    ///     The penalty, or several, for which kernel values are computed once.
    ///
    /// Returns
    /// -------
    /// array
    ///     One value a row; above 0 for the second of `classes`. Of several penalties rows x penalties.
    fn decision_function<'py>(&self, py: Python<'py>, data: &Bound<'py, PyAny>, C: Penalties) -> PyResult<Bound<'py, PyAny>> {
        let (data, found) = (dataset(data)?, Arc::clone(&self.found));
        let of = |penalties: Vec<f64>| Limits::default().run(py, move |control| found.decision_function(&data, &penalties, control));
        match C {
            Penalties::One(c) => Ok(from_vec(py, of(vec![c])?.into_data())),
            Penalties::Several(list) => from_matrix(py, of(list)?),
        }
    }
    fn __str__(&self) -> PyResult<String> {
        // Characters of a line.
        const WIDTH: usize = 100;
        PathReport { found: &self.found, table: "", penalties: &[] }.text(WIDTH).map_err(raise)
    }
}
