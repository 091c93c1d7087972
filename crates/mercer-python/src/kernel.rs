//! `mercer.Kernel`: a kernel expression, as data that can be written, combined and evaluated.

use crate::answers;
use crate::arrays::{from_matrix, from_vec};
use crate::dataset::{Dataset, batch};
use crate::errors::{guarded, raise, warn};
use crate::own_kernel::{self, operand, registered};
use crate::pickle::no_state;
use crate::work::Limits;
use mercer::data::{ColumnKind, Schema};
use mercer::error::Error;
use mercer::expr::Short;
use mercer::gram::{self, Mercer, Side};
use mercer::kernels::{Centre, Composed, Exp, KernelExpr, KernelOperators, Normalise, On, Repair, Repaired, Weighted};
use mercer::prep::interpolated_gaps;
use mercer::read::ColumnType;
use mercer::{report, validity};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// A similarity of two inputs, as an expression that can be written, combined and evaluated.
///
/// Kernels are added and multiplied with one another and with numbers, and raised to whole powers. ``k(X)`` is the Gram matrix
/// of the rows of X, ``k(X, Y)`` that of X against Y. Rows are taken as they are: nothing is standardised. A parameter that is
/// ``auto`` is settled from Y, or from X where it stands alone: Y is what a model was trained on, X what is new.
///
/// Parameters
/// ----------
/// expression : str, Kernel or callable
///     As in the shell: ``"0.5*rbf(length_scale=2) + on(seq, spectrum(k=3))"``; or a function that `mercer.kernels.register` has made a
///     kernel.
///
/// Raises
/// ------
/// ExpressionError
///     What cannot be read, with the place, and a name or value that there is not.
///
/// See Also
/// --------
/// mercer.kernels : one function per kernel.
///
/// Notes
/// -----
/// ``k(x, y=None, *, threads=0, max_memory=None)`` takes as rows an array (points), a list of str, a sparse matrix, lists of series, sets,
/// trees or graphs where the kernel is one of these, and anything a Dataset is made from. It gives float64, a row for each row of X and a
/// column for each row of Y. With ``threads=0`` there is one per core; ``max_memory`` is in bytes, or a size such as ``"4GB"``. Columns that
/// the kernel cannot take are a DataError, and a matrix that does not fit in the memory allowed is a ResourceError.
///
/// Examples
/// --------
/// >>> from mercer import Kernel
/// >>> k = 0.5 * Kernel("rbf(length_scale=1)") + Kernel("linear")
/// >>> k
/// 0.5*rbf(length_scale=1) + linear
/// >>> k([[0.0], [1.0]]).round(4)
/// array([[0.5   , 0.3033],
///        [0.3033, 1.5   ]])
#[pyclass(frozen, module = "mercer")]
pub(crate) struct Kernel {
    pub(crate) expr: KernelExpr,
}

/// A kernel given as an expression, as its text, or as a function that is registered.
pub(crate) fn kernel(object: &Bound<'_, PyAny>) -> PyResult<KernelExpr> {
    if let Ok(kernel) = object.cast::<Kernel>() {
        return Ok(kernel.get().expr.clone());
    }
    if let Some(kernel) = registered(object)? {
        return Ok(kernel);
    }
    let text: String = object.extract().map_err(|_| own_kernel::refused(object))?;
    guarded(|| KernelExpr::parse(&text))
}

/// The expression as it reads once written: products of products are one product, with one number in front.
fn written(expr: &KernelExpr) -> PyResult<Kernel> {
    Ok(Kernel { expr: KernelExpr::parse(&expr.to_string()).map_err(raise)? })
}

/// A number, unless it is something else.
fn number(object: &Bound<'_, PyAny>) -> Option<f64> {
    if object.hasattr("__len__").unwrap_or(true) { None } else { object.extract().ok() }
}

impl Kernel {
    /// The sum with a number, as it is written; 0 leaves the kernel as it is.
    fn plus<'py>(
        &self,
        py: Python<'py>,
        other: &Bound<'py, PyAny>,
        written: impl Fn(&KernelExpr, Short) -> String,
    ) -> PyResult<Bound<'py, PyAny>> {
        let expr = match number(other) {
            Some(0.0) => self.expr.clone(),
            Some(x) if x.is_finite() => KernelExpr::parse(&written(&self.expr, Short(x))).map_err(raise)?,
            _ => return Ok(py.NotImplemented().into_bound(py)),
        };
        Ok(Bound::new(py, Kernel { expr })?.into_any())
    }

    /// The rows that an object holds, as this kernel can take them.
    fn rows(&self, object: &Bound<'_, PyAny>) -> PyResult<Arc<mercer::data::Dataset>> {
        let takes =
            |kind: &&ColumnKind| kind.empty().is_some() && self.expr.uses(&[("x", **kind)]).is_ok_and(|uses| uses.unused.is_empty());
        // What takes numbers too, such as a model of one's own, takes an array as points.
        let takes_numbers = self.expr.uses(&[("x", ColumnKind::Number)]).is_ok_and(|uses| uses.unused.is_empty());
        let takes = |kind: &&ColumnKind| takes(kind) && !(takes_numbers && **kind != ColumnKind::Sequence);
        let text = ColumnKind::ALL.iter().rev().find(takes).map_or(ColumnType::CATEGORY, |kind| ColumnType::Of(*kind));
        let rows = batch(object, self.expr.names_columns(), text)?;
        warn(object.py(), &interpolated_gaps(rows.columns()).map_err(raise)?)?;
        Ok(rows)
    }
}

#[pymethods]
impl Kernel {
    #[new]
    fn make(expression: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Kernel { expr: kernel(expression)? })
    }

    /// numpy leaves a number times a kernel to the kernel.
    #[classattr]
    fn __array_ufunc__() -> Option<bool> {
        None
    }

    /// The Gram matrix of X, or the kernel values of X against Y. Python shows the docstring of the class for it.
    #[pyo3(signature = (x, y=None, *, threads=0, max_memory=None))]
    fn __call__<'py>(
        &self,
        py: Python<'py>,
        x: &Bound<'py, PyAny>,
        y: Option<&Bound<'py, PyAny>>,
        threads: usize,
        max_memory: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let x = self.rows(x)?;
        let y = y.map(|y| self.rows(y)).transpose()?;
        let expr = self.expr.clone();
        let limits = Limits { threads, max_memory, ..Limits::default() };
        let matrix = limits.run(py, move |control| match y {
            None => gram::dense(expr.settle(&x)?.bind_within(None, &x, control)?.as_ref(), control),
            Some(y) => {
                let x = Schema::of(&y).align(&x)?;
                gram::dense(expr.settle(&y)?.bind_within(Some(&x), &y, control)?.as_ref(), control)
            }
        })?;
        from_matrix(py, matrix)
    }

    /// k(x, x) of every row of X, without the rest of the Gram matrix.
    ///
    /// Parameters
    /// ----------
    /// x : array, list of str, sparse matrix, or anything a Dataset is made from
    ///     Rows.
    /// threads : int
    ///     How many to use; 0: one per core.
    ///
    /// Returns
    /// -------
    /// numpy.ndarray
    ///     One number a row.
    ///
    /// Examples
    /// --------
    /// >>> from mercer import Kernel
    /// >>> Kernel("linear").diag([[1.0, 2.0], [3.0, 0.0]])
    /// array([5., 9.])
    #[pyo3(signature = (x, *, threads=0))]
    fn diag<'py>(&self, py: Python<'py>, x: &Bound<'py, PyAny>, threads: usize) -> PyResult<Bound<'py, PyAny>> {
        let (x, expr) = (self.rows(x)?, self.expr.clone());
        let diagonal =
            Limits::threads(threads).run(py, move |control| Ok(expr.settle(&x)?.bind_within(None, &x, control)?.diagonal(Side::Rows)))?;
        Ok(from_vec(py, diagonal))
    }

    /// X as this kernel takes it.
    ///
    /// Parameters
    /// ----------
    /// x : array, list of str, sparse matrix, or anything a Dataset is made from
    ///     Rows.
    ///
    /// Returns
    /// -------
    /// Dataset
    ///     The rows as columns.
    #[pyo3(name = "dataset")]
    fn taken(&self, x: &Bound<'_, PyAny>) -> PyResult<Dataset> {
        self.rows(x).map(|data| Dataset::new((*data).clone(), Vec::new()))
    }

    /// The kernel with every ``auto`` settled.
    ///
    /// Parameters
    /// ----------
    /// x : array, list of str, sparse matrix, or anything a Dataset is made from
    ///     The rows from which.
    ///
    /// Returns
    /// -------
    /// Kernel
    ///     The kernel with numbers.
    ///
    /// Examples
    /// --------
    /// >>> from mercer import Kernel
    /// >>> Kernel("rbf").settle([[0.0], [2.0], [4.0]])
    /// rbf(length_scale=1.1547005383792515)
    fn settle(&self, py: Python<'_>, x: &Bound<'_, PyAny>) -> PyResult<Self> {
        let (x, expr) = (self.rows(x)?, self.expr.clone());
        Ok(Kernel { expr: Limits::default().run(py, move |_| expr.settle(&x))? })
    }

    /// k(x, z) / sqrt(k(x, x) k(z, z)): every row is as similar to itself as 1.
    ///
    /// Returns
    /// -------
    /// Kernel
    ///     The normalised kernel.
    ///
    /// Examples
    /// --------
    /// >>> from mercer.kernels import spectrum
    /// >>> spectrum(k=2).normalise()
    /// normalise(spectrum(k=2))
    fn normalise(&self) -> PyResult<Self> {
        Ok(Kernel { expr: KernelExpr::Normalise(Composed::of(Normalise {}, self.expr.clone())) })
    }

    /// exp(k), valid where k is.
    ///
    /// Returns
    /// -------
    /// Kernel
    ///     The exponential of the kernel.
    fn exp(&self) -> PyResult<Self> {
        Ok(Kernel { expr: KernelExpr::Exp(Composed::of(Exp {}, self.expr.clone())) })
    }

    /// The kernel of features whose mean over the training rows is subtracted.
    ///
    /// Returns
    /// -------
    /// Kernel
    ///     The centred kernel.
    fn centre(&self) -> PyResult<Self> {
        Ok(Kernel { expr: KernelExpr::Centre(Composed::of(Centre {}, self.expr.clone())) })
    }

    /// A valid kernel from any similarity: negative eigenvalues among the training rows are dealt with.
    ///
    /// Parameters
    /// ----------
    /// how : {"clip", "flip", "shift"}
    ///     Set them to 0; change their signs; raise k(x, x) until there are none.
    ///
    /// Returns
    /// -------
    /// Kernel
    ///     The repaired kernel.
    ///
    /// Raises
    /// ------
    /// ExpressionError
    ///     Another word.
    ///
    /// Examples
    /// --------
    /// >>> from mercer.kernels import sigmoid
    /// >>> sigmoid().repair("clip").mercer
    /// 'always'
    fn repair(&self, how: &str) -> PyResult<Self> {
        let known = Repair::ALL.into_iter().find(|r| r.name() == how);
        let how = known.ok_or_else(|| raise(Error::unknown("repair", how, Repair::ALL.map(Repair::name))))?;
        Ok(Kernel { expr: KernelExpr::Repaired(Composed::of(Repaired { how }, self.expr.clone())) })
    }

    /// f(x) k(x, z) f(z), f a column of numbers as it is.
    ///
    /// Parameters
    /// ----------
    /// column : str
    ///     The column of f.
    ///
    /// Returns
    /// -------
    /// Kernel
    ///     The weighted kernel.
    fn weighted(&self, column: String) -> PyResult<Self> {
        Ok(Kernel { expr: KernelExpr::Weighted(Composed::of(Weighted { column }, self.expr.clone())) })
    }

    /// Whether the kernel is valid, that is positive semi-definite: proved, tested or refuted.
    ///
    /// Parameters
    /// ----------
    /// x : array, list of str, sparse matrix, or anything a Dataset is made from, optional
    ///     Rows to test on; rows are made up where these do not decide.
    /// seed : int
    ///     Of the rows that are made up.
    ///
    /// Returns
    /// -------
    /// dict
    ///     ``{"verdict": "proved", "derivation": ...}``, ``{"verdict": "tested", "smallest": ...}`` or ``{"verdict": "refuted",
    ///     "rows": ...}`` with rows and weights that show it.
    ///
    /// Examples
    /// --------
    /// >>> from mercer import Kernel
    /// >>> Kernel("rbf + linear").check()["verdict"]
    /// 'proved'
    /// >>> Kernel("rbf - 2*linear").check()["verdict"]
    /// 'refuted'
    #[pyo3(signature = (x=None, *, seed=0))]
    fn check<'py>(&self, py: Python<'py>, x: Option<&Bound<'py, PyAny>>, seed: u64) -> PyResult<Bound<'py, PyAny>> {
        let rows = x.map(|x| self.rows(x)).transpose()?;
        let expr = self.expr.clone();
        let text = Limits::default().run(py, move |control| {
            let verdict = validity::check(&expr, rows.as_deref(), control, seed)?;
            report::validity_json(&expr, &verdict)
        })?;
        py.import("json")?.call_method1("loads", (text,))
    }

    /// The kernel restricted to some columns.
    ///
    /// Parameters
    /// ----------
    /// *columns : str
    ///     At least one.
    ///
    /// Returns
    /// -------
    /// Kernel
    ///     The kernel of these columns.
    ///
    /// Raises
    /// ------
    /// DataError
    ///     No column.
    ///
    /// Examples
    /// --------
    /// >>> from mercer.kernels import rbf
    /// >>> rbf().on("age", "height")
    /// on([age, height], rbf)
    #[pyo3(signature = (*columns))]
    fn on(&self, columns: Vec<String>) -> PyResult<Self> {
        if columns.is_empty() {
            return Err(crate::errors::data_error("on: name at least one column: rbf().on(\"age\")"));
        }
        Ok(Kernel { expr: KernelExpr::On(Composed::of(On { columns }, self.expr.clone())) })
    }

    /// Every number of the expression in order: {path: number, "auto", (low, high) or list}.
    #[getter]
    fn parameters<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let all = PyDict::new(py);
        for parameter in self.expr.values() {
            all.set_item(parameter.path, answers::parameter(py, &parameter.value)?)?;
        }
        Ok(all)
    }

    /// Whether the expression names the columns that it compares.
    #[getter]
    fn by_column(&self) -> bool {
        self.expr.names_columns()
    }

    /// What is known about positive semi-definiteness from structure alone: always, conditional or never.
    #[getter]
    fn mercer(&self) -> &'static str {
        match self.expr.mercer() {
            Mercer::Always => "always",
            Mercer::Conditional(_) => "conditional",
            Mercer::Never(_) => "never",
        }
    }

    /// Why `mercer` is not always; None where it is.
    #[getter]
    fn mercer_reason(&self) -> Option<String> {
        match self.expr.mercer() {
            Mercer::Always => None,
            Mercer::Conditional(why) | Mercer::Never(why) => Some(why),
        }
    }

    fn __add__<'py>(&self, py: Python<'py>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        match operand(other)? {
            Some(other) => Ok(Bound::new(py, Kernel { expr: KernelExpr::sum(vec![self.expr.clone(), other]) })?.into_any()),
            None => self.plus(py, other, |k, x| format!("{k} + {x}")),
        }
    }

    /// 0 + k is k, so that sum([k1, k2]) works; other numbers are constant kernels.
    fn __radd__<'py>(&self, py: Python<'py>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        match operand(other)? {
            Some(other) => Ok(Bound::new(py, Kernel { expr: KernelExpr::sum(vec![other, self.expr.clone()]) })?.into_any()),
            None => self.plus(py, other, |k, x| format!("{x} + {k}")),
        }
    }

    fn __sub__<'py>(&self, py: Python<'py>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        match operand(other)? {
            Some(other) => Ok(Bound::new(py, written(&(self.expr.clone() - other))?)?.into_any()),
            None => Ok(py.NotImplemented().into_bound(py)),
        }
    }

    /// k ** n for a whole number n from 1.
    fn __pow__<'py>(
        &self,
        py: Python<'py>,
        exponent: &Bound<'py, PyAny>,
        _modulo: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        match number(exponent) {
            Some(n) if n.fract() == 0.0 && (1.0..=64.0).contains(&n) => {
                Ok(Bound::new(py, Kernel { expr: self.expr.clone().pow(n as u32) })?.into_any())
            }
            Some(n) => Err(crate::errors::data_error(format!("kernel ** {}: expected a whole number from 1 to 64", Short(n)))),
            None => Ok(py.NotImplemented().into_bound(py)),
        }
    }

    fn __mul__<'py>(&self, py: Python<'py>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let product = match (operand(other)?, number(other)) {
            (Some(other), _) => written(&(self.expr.clone() * other))?,
            (_, Some(by)) if by.is_finite() => written(&(by * self.expr.clone()))?,
            (_, Some(by)) => return Err(crate::errors::data_error(format!("{} times a kernel: expected a finite number", Short(by)))),
            _ => return Ok(py.NotImplemented().into_bound(py)),
        };
        Ok(Bound::new(py, product)?.into_any())
    }

    fn __rmul__<'py>(&self, py: Python<'py>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.__mul__(py, other)
    }

    fn __repr__(&self) -> String {
        self.expr.to_string()
    }

    fn _repr_html_(&self) -> String {
        report::kernel_fragment(&self.expr)
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Kernel>().is_ok_and(|other| self.expr == other.get().expr)
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.expr.to_string().hash(&mut hasher);
        hasher.finish()
    }

    fn __copy__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __deepcopy__<'py>(slf: Bound<'py, Self>, _memo: &Bound<'py, PyAny>) -> Bound<'py, Self> {
        slf
    }

    /// Functions of the user's own go along by where they stand.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(answers::Object<'py>, Bound<'py, PyTuple>)> {
        let (py, class, expr) = (slf.py(), slf.get_type().into_any(), &slf.get().expr);
        Ok(match own_kernel::registrations(py, expr)? {
            None => (class, (expr.to_string(),).into_pyobject(py)?),
            Some(functions) => (class.getattr("_restored")?, (expr.to_string(), functions).into_pyobject(py)?),
        })
    }

    #[staticmethod]
    fn _restored(expression: &str, functions: Bound<'_, PyAny>) -> PyResult<Self> {
        own_kernel::restore(&functions)?;
        Ok(Kernel { expr: guarded(|| KernelExpr::parse(expression))? })
    }

    fn __getstate__(slf: &Bound<'_, Self>) -> PyResult<()> {
        Err(no_state(&slf.get_type()))
    }
}
