//! `mercer.Fitted`: an estimator fitted on kernel values that are there already, without the inputs behind them.

use crate::answers::{Pair, answered, documented, expansion, from_left_out, parameters, sigmoids, spectrum};
use crate::arrays::{from_indices, from_matrix, from_outputs, vector};
use crate::errors::{data_error, raise};
use crate::given::{finite, given, matrix};
use crate::pickle::{Parts, parts, restored};
use crate::work::Limits;
use mercer::blocks;
use mercer::error::Result;
use mercer::estimators::{Answer, EstimatorExpr, Fitted as _, FittedModel, Predictions, Query, Want};
use mercer::fitting;
use mercer::gram::{Dense, Subset};
use mercer::linalg::Matrix;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// An estimator fitted on a given Gram matrix.
///
/// It keeps coefficients, and neither the matrix nor rows: predictions are made from kernel values too. It can be pickled.
///
/// Parameters
/// ----------
/// estimator : str
///     An expression such as ``"svc(c=1)"``; what is ``auto`` or a range takes the value that the data suggest, nothing is tuned.
/// gram : array of shape (N, N)
///     Kernel values among the training rows, symmetric.
/// target : array of shape (N,) or (N, outputs), optional
///     None for a method that takes no target; numbers, or codes of `classes`, 0 for the first.
/// sample_weight : array of shape (N,), optional
///     Above 0; 2 means that the row counts twice.
/// classes : list of str, optional
///     Names of the classes; None where numbers are predicted.
/// seed : int
///     Of anything random.
/// max_seconds : float, optional
///     Solvers then stop with their best so far.
/// max_memory : int or str, optional
///     Bytes, or a size such as ``"4GB"``.
/// threads : int
///     How many to use; 0: one per core.
/// progress : callable, optional
///     A function ``progress(what, done, total)`` that is told of long work.
///
/// Raises
/// ------
/// DataError
///     Kernel values that are not finite, square and symmetric; a target or weights that do not fit to them.
/// ExpressionError
///     An estimator or a parameter that there is not, and an estimator that cannot predict such a target.
/// ResourceError
///     A fit that does not fit in the memory allowed.
///
/// Examples
/// --------
/// >>> import numpy as np
/// >>> from mercer._native import Fitted
/// >>> x = np.array([1.0, 2.0, 3.0])
/// >>> Fitted("ridge(lambda=1)", np.outer(x, x), x).predict([6 * x]).round(6)
/// array([4.666667])
#[pyclass(frozen, module = "mercer._native")]
pub(crate) struct Fitted {
    inside: Arc<Inside>,
}

/// What is stored.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Inside {
    estimator: EstimatorExpr,
    fitted: FittedModel,
    /// k(x, x) of every training row.
    #[serde(with = "blocks::f64s")]
    diagonal: Vec<f64>,
    answer: Answer,
}

/// What is known of the kernel among new rows themselves.
enum Own {
    Unknown,
    /// k(x, x) of each.
    Diagonal(Vec<f64>),
    /// The kernel between any two.
    Among(Matrix),
}

impl Fitted {
    fn predictions(&self, py: Python<'_>, cross: &Bound<'_, PyAny>, own: Own, want: Want, threads: usize) -> PyResult<Predictions> {
        let cross = matrix(cross)?;
        let inside = self.inside.clone();
        Limits::threads(threads).run(py, move |control| {
            let all: Vec<usize> = (0..cross.rows()).collect();
            let against = inside.diagonal.clone();
            let cross = match own {
                Own::Unknown => {
                    let rows = vec![0.0; cross.rows()];
                    Dense::cross(cross, rows, against)?
                }
                Own::Diagonal(rows) => Dense::cross(cross, rows, against)?,
                Own::Among(among) => Dense::cross(cross, among.diagonal(), against)?.with_rows(among)?,
            };
            let support = inside.fitted.support();
            match support.len() == inside.diagonal.len() {
                true => inside.fitted.predict(&Query::new(&cross, want, control)),
                false => inside.fitted.predict(&Query::new(&Subset::new(&cross, &all, support), want, control)),
            }
        })
    }

    fn lacks(&self, what: &str) -> PyErr {
        data_error(format!("{} has no {what}", self.inside.estimator))
    }
}

#[pymethods]
impl Fitted {
    #[new]
    #[pyo3(signature = (estimator, gram, target=None, sample_weight=None, *, classes=None, seed=0, max_seconds=None, max_memory=None, threads=0, progress=None))]
    #[allow(clippy::too_many_arguments, reason = "keyword arguments of Python")]
    fn make(
        py: Python<'_>,
        estimator: &str,
        gram: &Bound<'_, PyAny>,
        target: Option<&Bound<'_, PyAny>>,
        sample_weight: Option<&Bound<'_, PyAny>>,
        classes: Option<Vec<String>>,
        seed: u64,
        max_seconds: Option<f64>,
        max_memory: Option<Bound<'_, PyAny>>,
        threads: usize,
        progress: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let estimator = EstimatorExpr::parse(estimator).map_err(raise)?;
        let (given, info) = given(gram, target, sample_weight, classes.as_deref(), seed)?;
        let inside = Limits { threads, max_seconds, max_memory, progress }.run(py, move |control| -> Result<Inside> {
            if !estimator.takes(&given.target) {
                return Err(fitting::cannot_predict(&estimator, &given.target));
            }
            fitting::plan(&estimator, given.gram.matrix().rows(), &given.target, control)?;
            let task = given.task(control);
            let estimator = estimator.settle(&task)?;
            let fitted = estimator.fit(&task)?;
            let answer = fitted.answer(&info)?;
            Ok(Inside { estimator, fitted, diagonal: given.gram.matrix().diagonal(), answer })
        })?;
        Ok(Fitted { inside: Arc::new(inside) })
    }

    /// Predicted numbers, or codes of classes.
    ///
    /// Parameters
    /// ----------
    /// cross : array of shape (M, N)
    ///     Kernel values between new rows and all training rows.
    /// threads : int
    ///     How many to use; 0: one per core.
    ///
    /// Returns
    /// -------
    /// numpy.ndarray of shape (M,) or (M, outputs)
    ///     Numbers, or the places of classes among those that were given.
    ///
    /// Raises
    /// ------
    /// DataError
    ///     Kernel values that are not finite or of another shape.
    ///
    /// Examples
    /// --------
    /// >>> import numpy as np
    /// >>> from mercer._native import Fitted
    /// >>> K = np.eye(4)
    /// >>> fitted = Fitted("knn(k=1)", K, [0, 1, 1, 0], classes=["low", "high"])
    /// >>> fitted.predict(K[:2])
    /// array([0, 1])
    #[pyo3(signature = (cross, *, threads=0))]
    fn predict<'py>(&self, py: Python<'py>, cross: &Bound<'py, PyAny>, threads: usize) -> PyResult<Bound<'py, PyAny>> {
        let predictions = self.predictions(py, cross, Own::Unknown, Want::default(), threads)?;
        answered(py, predictions.values, &self.inside.answer, true)
    }

    /// Variance of the function value at new rows, without the noise of a target (gp).
    ///
    /// Parameters
    /// ----------
    /// cross : array of shape (M, N)
    ///     Kernel values between new rows and all training rows.
    /// diagonal : array of shape (M,)
    ///     k(x, x) of every new row.
    /// threads : int
    ///     How many to use; 0: one per core.
    ///
    /// Returns
    /// -------
    /// numpy.ndarray of shape (M,) or (M, outputs)
    ///     Variances.
    ///
    /// Raises
    /// ------
    /// DataError
    ///     Kernel values that are not finite or of another shape, and an estimator without predictive variance.
    ///
    /// Examples
    /// --------
    /// >>> import numpy as np
    /// >>> from mercer._native import Fitted
    /// >>> fitted = Fitted("gp(noise=1, variance=1, standardise_target=false)", np.eye(2), [1.0, -1.0])
    /// >>> fitted.variance([[1.0, 0.0]], [1.0]).round(6)
    /// array([0.5])
    #[pyo3(signature = (cross, diagonal, *, threads=0))]
    fn variance<'py>(
        &self,
        py: Python<'py>,
        cross: &Bound<'py, PyAny>,
        diagonal: &Bound<'py, PyAny>,
        threads: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        let own = Own::Diagonal(finite(vector(diagonal, "diagonal")?)?);
        let predictions = self.predictions(py, cross, own, Want { variance: true, ..Want::default() }, threads)?;
        from_outputs(py, predictions.variance.ok_or_else(|| self.lacks("predictive variance"))?)
    }

    /// Probability of each class; the predicted class is the one of the largest.
    ///
    /// Parameters
    /// ----------
    /// cross : array of shape (M, N)
    ///     Kernel values between new rows and all training rows.
    /// threads : int
    ///     How many to use; 0: one per core.
    ///
    /// Returns
    /// -------
    /// numpy.ndarray of shape (M, classes)
    ///     In the order of the classes.
    ///
    /// Raises
    /// ------
    /// DataError
    ///     Kernel values that are not finite or of another shape, and an estimator without class probabilities.
    ///
    /// Examples
    /// --------
    /// >>> import numpy as np
    /// >>> from mercer._native import Fitted
    /// >>> fitted = Fitted("knn(k=2)", np.eye(3), [0, 0, 1], classes=["low", "high"])
    /// >>> fitted.predict_proba([[0.9, 0.8, 0.1]])
    /// array([[0.86666667, 0.13333333]])
    #[pyo3(signature = (cross, *, threads=0))]
    fn predict_proba<'py>(&self, py: Python<'py>, cross: &Bound<'py, PyAny>, threads: usize) -> PyResult<Bound<'py, PyAny>> {
        let predictions = self.predictions(py, cross, Own::Unknown, Want { probabilities: true, ..Want::default() }, threads)?;
        from_matrix(py, predictions.probabilities.ok_or_else(|| self.lacks("class probabilities"))?)
    }

    /// Decision values before they become classes.
    ///
    /// Parameters
    /// ----------
    /// cross : array of shape (M, N)
    ///     Kernel values between new rows and all training rows.
    /// threads : int
    ///     How many to use; 0: one per core.
    ///
    /// Returns
    /// -------
    /// numpy.ndarray of shape (M,) or (M, values)
    ///     One number a row for two classes (above 0 is the second), one for each class or for each pair of more; votes of knn.
    ///
    /// Raises
    /// ------
    /// DataError
    ///     Kernel values that are not finite or of another shape, and an estimator without decision values.
    ///
    /// Examples
    /// --------
    /// >>> import numpy as np
    /// >>> from mercer._native import Fitted
    /// >>> fitted = Fitted("ridge(lambda=1)", 9 * np.eye(2), [0, 1], classes=["low", "high"])
    /// >>> fitted.decision_function(10 * np.eye(2))
    /// array([-1.,  1.])
    #[pyo3(signature = (cross, *, threads=0))]
    fn decision_function<'py>(&self, py: Python<'py>, cross: &Bound<'py, PyAny>, threads: usize) -> PyResult<Bound<'py, PyAny>> {
        let predictions = self.predictions(py, cross, Own::Unknown, Want { scores: true, ..Want::default() }, threads)?;
        from_outputs(py, predictions.scores.ok_or_else(|| self.lacks("decision values"))?)
    }

    /// Covariance between the function values of new rows, for the first output (gp).
    ///
    /// Parameters
    /// ----------
    /// cross : array of shape (M, N)
    ///     Kernel values between new rows and all training rows.
    /// among : array of shape (M, M)
    ///     Kernel values among the new rows.
    /// threads : int
    ///     How many to use; 0: one per core.
    ///
    /// Returns
    /// -------
    /// numpy.ndarray of shape (M, M)
    ///     Covariances.
    ///
    /// Raises
    /// ------
    /// DataError
    ///     Kernel values that are not finite or of another shape, and an estimator without predictive covariance.
    ///
    /// Examples
    /// --------
    /// >>> import numpy as np
    /// >>> from mercer._native import Fitted
    /// >>> fitted = Fitted("gp(noise=1, variance=1, standardise_target=false)", np.eye(2), [1.0, -1.0])
    /// >>> fitted.covariance(np.eye(2), np.eye(2)).round(6)
    /// array([[0.5, 0. ],
    ///        [0. , 0.5]])
    #[pyo3(signature = (cross, among, *, threads=0))]
    fn covariance<'py>(
        &self,
        py: Python<'py>,
        cross: &Bound<'py, PyAny>,
        among: &Bound<'py, PyAny>,
        threads: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        let predictions = self.predictions(py, cross, Own::Among(matrix(among)?), Want { covariance: true, ..Want::default() }, threads)?;
        from_matrix(py, predictions.covariance.ok_or_else(|| self.lacks("predictive covariance"))?)
    }

    /// Predictions for each training row by the model fitted without it, in closed form (ridge, gp, knn).
    ///
    /// Parameters
    /// ----------
    /// gram : array of shape (N, N)
    ///     Kernel values among the training rows, once more.
    /// target : array of shape (N,) or (N, outputs)
    ///     The target as it was given.
    /// sample_weight : array of shape (N,), optional
    ///     The weights as they were given.
    /// scores : bool
    ///     Decision values (votes of knn) instead of predictions.
    /// threads : int
    ///     How many to use; 0: one per core.
    ///
    /// Returns
    /// -------
    /// numpy.ndarray of shape (N,) or (N, outputs)
    ///     Numbers or codes of classes; with `scores` N x values.
    ///
    /// Raises
    /// ------
    /// DataError
    ///     Kernel values that are not finite or of another shape, and an estimator without a closed form.
    ///
    /// Examples
    /// --------
    /// >>> import numpy as np
    /// >>> from mercer._native import Fitted
    /// >>> x, y = np.array([0.0, 1.0, 3.0]), [5.0, 6.0, 7.0]
    /// >>> K = np.outer(x, x)
    /// >>> Fitted("knn(k=1)", K, y).leave_one_out(K, y)
    /// array([6., 5., 6.])
    #[pyo3(signature = (gram, target, sample_weight=None, *, scores=false, threads=0))]
    fn leave_one_out<'py>(
        &self,
        py: Python<'py>,
        gram: &Bound<'py, PyAny>,
        target: &Bound<'py, PyAny>,
        sample_weight: Option<&Bound<'py, PyAny>>,
        scores: bool,
        threads: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (given, _) = given(gram, Some(target), sample_weight, self.inside.answer.classes(), 0)?;
        let inside = self.inside.clone();
        let left_out = Limits::threads(threads).run(py, move |control| inside.estimator.leave_one_out(&given.task(control)))?;
        from_left_out(py, left_out, scores, &self.inside.answer.target(), |what| self.lacks(what))
    }

    /// The smooth criterion that a search minimises (gp: negative log evidence; ridge: leave-one-out error).
    ///
    /// Parameters
    /// ----------
    /// estimator : str
    ///     An expression with nothing left open.
    /// gram : array of shape (N, N)
    ///     Kernel values among the training rows, symmetric.
    /// target : array of shape (N,) or (N, outputs)
    ///     Numbers.
    /// sample_weight : array of shape (N,), optional
    ///     Above 0.
    /// threads : int
    ///     How many to use; 0: one per core.
    ///
    /// Returns
    /// -------
    /// tuple of float and numpy.ndarray of shape (N, N)
    ///     Its value, and its derivatives by the kernel values.
    ///
    /// Raises
    /// ------
    /// DataError
    ///     Kernel values that are not finite or of another shape, and an estimator without a criterion.
    ///
    /// Examples
    /// --------
    /// >>> import numpy as np
    /// >>> from mercer._native import Fitted
    /// >>> value, slopes = Fitted.criterion("gp(noise=1, variance=1, standardise_target=false)", np.zeros((1, 1)), [0.0])
    /// >>> round(value, 6)  # log(2 pi) / 2
    /// 0.918939
    /// >>> slopes
    /// array([[0.5]])
    #[staticmethod]
    #[pyo3(signature = (estimator, gram, target, sample_weight=None, *, threads=0))]
    fn criterion<'py>(
        py: Python<'py>,
        estimator: &str,
        gram: &Bound<'py, PyAny>,
        target: &Bound<'py, PyAny>,
        sample_weight: Option<&Bound<'py, PyAny>>,
        threads: usize,
    ) -> PyResult<(f64, Bound<'py, PyAny>)> {
        let estimator = EstimatorExpr::parse(estimator).map_err(raise)?;
        let (given, _) = given(gram, Some(target), sample_weight, None, 0)?;
        let found = Limits::threads(threads).run(py, move |control| estimator.criterion(&given.task(control)))?;
        Ok((found.value, from_matrix(py, found.weights)?))
    }

    /// Of a kernel expansion over the rows of `support`: coefficients (support x outputs), one constant per output; else None.
    #[getter]
    fn expansion<'py>(&self, py: Python<'py>) -> PyResult<Option<Pair<'py>>> {
        expansion(py, self.inside.fitted.expansion())
    }

    /// Training rows that prediction needs, numbered from 0 in ascending order.
    #[getter]
    fn support<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        from_indices(py, self.inside.fitted.support())
    }

    /// Slope and offset of Platt's sigmoid for each pair of classes (pairs x 2), where svc fitted probabilities; else None.
    #[getter]
    fn sigmoids<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        sigmoids(py, self.inside.fitted.sigmoids())
    }

    /// Steps of the solver, one number for each problem that was solved.
    #[getter]
    fn steps(&self) -> Vec<usize> {
        self.inside.fitted.steps()
    }

    /// How the fit went: iterations, converged, objective, evidence, certificate, jitter, notes.
    #[getter]
    fn summary<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        documented(py, self.inside.fitted.summary())
    }

    /// The Cholesky factor L of the covariance of the training targets (gp): L L' = variance K + noise / weights.
    ///
    /// Returns
    /// -------
    /// numpy.ndarray of shape (N, N) or None
    ///     Lower triangular; None for an estimator that keeps none.
    fn factor<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.inside.fitted.factor().map(|factor| from_matrix(py, factor.to_matrix())).transpose()
    }

    /// The settled parameters of the estimator.
    #[getter]
    fn parameters<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        parameters(py, &self.inside.estimator)
    }

    /// The variance along each component, as a sum over the rows, and that along all directions (kernel_pca); else None.
    #[getter]
    fn spectrum<'py>(&self, py: Python<'py>) -> Option<(Bound<'py, PyAny>, f64)> {
        spectrum(py, self.inside.fitted.spectrum())
    }

    /// The settled estimator.
    #[getter]
    fn estimator(&self) -> String {
        self.inside.estimator.to_string()
    }

    fn __repr__(&self) -> String {
        format!("Fitted {}, {} of {} rows kept", self.inside.estimator, self.inside.fitted.support().len(), self.inside.diagonal.len())
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Parts<'py>)> {
        Ok((slf.get_type().getattr("_restored")?, parts(slf.py(), &*slf.get().inside)?))
    }

    #[staticmethod]
    fn _restored(text: &str, arrays: Vec<Vec<u8>>) -> PyResult<Self> {
        Ok(Fitted { inside: Arc::new(restored(text, arrays)?) })
    }
}
