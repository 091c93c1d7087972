//! `independence_test`, `two_sample_test` and `canonical_correlations`.

use crate::arrays::from_matrix;
use crate::dataset::dataset;
use crate::errors::{data_error, warn};
use crate::kernel::kernel;
use crate::target::groups as group_of_rows;
use crate::work::Limits;
use mercer::dependence::{self, Asked, AskedCorrelations, TestResult};
use mercer::kernels::KernelExpr;
use mercer::prep::Recipe;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Whether two sides of the same rows depend on one another: HSIC with a p-value by permutations.
///
/// Parameters
/// ----------
/// a : Dataset, data frame, mapping or array
///     One side.
/// b : Dataset, data frame, mapping or array
///     The other side, row by row.
/// kernel_a : Kernel or str, optional
///     Kernel of the one side; made from its columns if left out.
/// kernel_b : Kernel or str, optional
///     Kernel of the other.
/// permutations : int, default 999
///     Permutations that are drawn; the least p-value is 1 / (1 + permutations).
/// seed : int, default 0
///     Their seed.
/// standardise : bool, default True
///     Numbers to mean 0 and standard deviation 1.
/// max_seconds : float, optional
///     Seconds after which no more permutations are drawn.
/// threads : int, default 0
///     0 takes every core; the answer is the same for any number.
///
/// Returns
/// -------
/// dict
///     ``statistic`` (HSIC with bias), ``unbiased``, ``p_value``, ``p_gamma`` (by a gamma distribution; None where there is none),
///     ``mean`` and ``deviation`` of the statistic over all permutations, ``permutations``, ``rows`` and ``kernels``.
///
/// Examples
/// --------
/// >>> import mercer
/// >>> x = [float(i) for i in range(30)]
/// >>> found = mercer.independence_test({"x": x}, {"y": [(v - 15) ** 2 for v in x]})
/// >>> found["p_value"]
/// 0.001
#[pyfunction]
#[pyo3(signature = (a, b, kernel_a=None, kernel_b=None, *, permutations=999, seed=0, standardise=true, max_seconds=None, threads=0))]
#[allow(clippy::too_many_arguments, reason = "keyword arguments of Python")]
pub(crate) fn independence_test<'py>(
    py: Python<'py>,
    a: &Bound<'py, PyAny>,
    b: &Bound<'py, PyAny>,
    kernel_a: Option<&Bound<'py, PyAny>>,
    kernel_b: Option<&Bound<'py, PyAny>>,
    permutations: usize,
    seed: u64,
    standardise: bool,
    max_seconds: Option<f64>,
    threads: usize,
) -> PyResult<Bound<'py, PyDict>> {
    let (a, b) = (dataset(a)?, dataset(b)?);
    let kernels = kernels_of(kernel_a, kernel_b)?;
    let (recipe, asked) = (Recipe { standardise, ..Recipe::default() }, Asked { permutations, seed });
    let found = Limits { threads, max_seconds, ..Limits::default() }
        .run(py, move |control| dependence::independence_test([&a, &b], kernels.each_ref().map(Option::as_ref), &recipe, asked, control))?;
    as_dict(py, found)
}

/// Whether two groups of rows are of one distribution: the squared maximum mean discrepancy with a p-value by permutations.
///
/// Parameters
/// ----------
/// data : Dataset, data frame, mapping or array
///     Rows.
/// groups : array-like of shape (n_rows,)
///     Two different values: the group of each row.
/// kernel : Kernel or str, optional
///     Made from the columns if left out.
/// permutations : int, default 999
///     Permutations that are drawn; the least p-value is 1 / (1 + permutations).
/// seed : int, default 0
///     Their seed.
/// standardise : bool, default True
///     Numbers to mean 0 and standard deviation 1.
/// max_seconds : float, optional
///     Seconds after which no more permutations are drawn.
/// threads : int, default 0
///     0 takes every core; the answer is the same for any number.
///
/// Returns
/// -------
/// dict
///     As `independence_test` gives it; ``statistic`` is the squared discrepancy with bias.
///
/// Examples
/// --------
/// >>> import mercer
/// >>> found = mercer.two_sample_test({"x": [float(i % 10) for i in range(40)]}, ["a", "b"] * 20, permutations=99)
/// >>> found["rows"]
/// 40
#[pyfunction]
#[pyo3(signature = (data, groups, kernel=None, *, permutations=999, seed=0, standardise=true, max_seconds=None, threads=0))]
#[allow(clippy::too_many_arguments, reason = "keyword arguments of Python")]
pub(crate) fn two_sample_test<'py>(
    py: Python<'py>,
    data: &Bound<'py, PyAny>,
    groups: &Bound<'py, PyAny>,
    kernel: Option<&Bound<'py, PyAny>>,
    permutations: usize,
    seed: u64,
    standardise: bool,
    max_seconds: Option<f64>,
    threads: usize,
) -> PyResult<Bound<'py, PyDict>> {
    let data = dataset(data)?;
    let groups = group_of_rows(groups, data.rows())?;
    let mut values = groups.clone();
    values.sort_unstable();
    values.dedup();
    let [_, last] = values[..] else {
        return Err(data_error(format!("groups: {} different values, and a test of two groups needs two", values.len())));
    };
    let second: Vec<bool> = groups.iter().map(|g| *g == last).collect();
    let kernel = kernel.map(crate::kernel::kernel).transpose()?;
    let (recipe, asked) = (Recipe { standardise, ..Recipe::default() }, Asked { permutations, seed });
    let found = Limits { threads, max_seconds, ..Limits::default() }
        .run(py, move |control| dependence::two_sample_test(&data, &second, kernel.as_ref(), &recipe, asked, control))?;
    as_dict(py, found)
}

/// How two sides of the same rows go together: kernel canonical correlations, with functions f of the one and g of the other.
///
/// Parameters
/// ----------
/// a : Dataset, data frame, mapping or array
///     One side.
/// b : Dataset, data frame, mapping or array
///     The other side, row by row.
/// kernel_a : Kernel or str, optional
///     Kernel of the one side; made from its columns if left out.
/// kernel_b : Kernel or str, optional
///     Kernel of the other.
/// count : int, default 1
///     Pairs of functions.
/// new_a : Dataset, data frame, mapping or array, optional
///     New rows of the one side, at which f is wanted too.
/// new_b : Dataset, data frame, mapping or array, optional
///     New rows of the other, for g; there may be another number of them.
/// shrinkage : float, default 0.01
///     What is added to the variances of the features, as a share of their sum: without it every function can be met.
/// permutations : int, default 99
///     Permutations of the rows by which the first correlation is judged.
/// seed : int, default 0
///     Their seed.
/// standardise : bool, default True
///     Numbers to mean 0 and standard deviation 1.
/// max_seconds : float, optional
///     Seconds after which no more permutations are drawn.
/// threads : int, default 0
///     0 takes every core; the answer is the same for any number.
///
/// Returns
/// -------
/// dict
///     ``correlations`` (shrunk), ``scores_a`` and ``scores_b`` (f and g at the rows, n x count), ``new_scores_a`` and ``new_scores_b`` (at
///     new rows, else None), ``by_chance`` and ``p_value`` (the mean
///     first correlation of permuted rows, and how often it is as large), ``permutations`` and ``kernels``.
///
/// Examples
/// --------
/// >>> import mercer
/// >>> x = [float(i) for i in range(30)]
/// >>> found = mercer.canonical_correlations({"x": x}, {"y": [(v - 15) ** 2 for v in x]})
/// >>> found["correlations"][0] > found["by_chance"]
/// True
#[pyfunction]
#[pyo3(signature = (a, b, kernel_a=None, kernel_b=None, *, count=1, new_a=None, new_b=None, shrinkage=0.01, permutations=99, seed=0, standardise=true, max_seconds=None, threads=0))]
#[allow(clippy::too_many_arguments, reason = "keyword arguments of Python")]
pub(crate) fn canonical_correlations<'py>(
    py: Python<'py>,
    a: &Bound<'py, PyAny>,
    b: &Bound<'py, PyAny>,
    kernel_a: Option<&Bound<'py, PyAny>>,
    kernel_b: Option<&Bound<'py, PyAny>>,
    count: usize,
    new_a: Option<&Bound<'py, PyAny>>,
    new_b: Option<&Bound<'py, PyAny>>,
    shrinkage: f64,
    permutations: usize,
    seed: u64,
    standardise: bool,
    max_seconds: Option<f64>,
    threads: usize,
) -> PyResult<Bound<'py, PyDict>> {
    let (a, b) = (dataset(a)?, dataset(b)?);
    let new = [new_a.map(dataset).transpose()?, new_b.map(dataset).transpose()?];
    let kernels = kernels_of(kernel_a, kernel_b)?;
    let (recipe, asked) = (Recipe { standardise, ..Recipe::default() }, AskedCorrelations { count, shrinkage, permutations, seed });
    let found = Limits { threads, max_seconds, ..Limits::default() }.run(py, move |control| {
        let new = new.each_ref().map(Option::as_deref);
        dependence::canonical_correlations([&a, &b], new, kernels.each_ref().map(Option::as_ref), &recipe, asked, control)
    })?;
    warn(py, &found.notices)?;
    let (out, [f, g], [new_f, new_g]) = (PyDict::new(py), found.scores, found.new_scores);
    out.set_item("new_scores_a", new_f.map(|f| from_matrix(py, f)).transpose()?)?;
    out.set_item("new_scores_b", new_g.map(|g| from_matrix(py, g)).transpose()?)?;
    out.set_item("correlations", found.correlations)?;
    out.set_item("scores_a", from_matrix(py, f)?)?;
    out.set_item("scores_b", from_matrix(py, g)?)?;
    out.set_item("by_chance", found.by_chance.map(|(mean, _)| mean))?;
    out.set_item("p_value", found.by_chance.map(|(_, p)| p))?;
    out.set_item("permutations", found.permutations)?;
    out.set_item("kernels", found.kernels)?;
    Ok(out)
}

/// Kernels of two sides, where they are given.
fn kernels_of(a: Option<&Bound<'_, PyAny>>, b: Option<&Bound<'_, PyAny>>) -> PyResult<[Option<KernelExpr>; 2]> {
    Ok([a.map(kernel).transpose()?, b.map(kernel).transpose()?])
}

fn as_dict(py: Python<'_>, found: TestResult) -> PyResult<Bound<'_, PyDict>> {
    warn(py, &found.notices)?;
    let out = PyDict::new(py);
    for (name, value) in [
        ("statistic", found.statistic),
        ("unbiased", found.unbiased),
        ("p_value", found.p_value),
        ("mean", found.mean),
        ("deviation", found.deviation),
    ] {
        out.set_item(name, value)?;
    }
    out.set_item("p_gamma", found.p_gamma)?;
    out.set_item("permutations", found.permutations)?;
    out.set_item("rows", found.rows)?;
    out.set_item("kernels", found.kernels)?;
    Ok(out)
}
