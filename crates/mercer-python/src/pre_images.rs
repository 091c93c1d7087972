//! `pre_images`: rows that fit best what kernel principal components make of others.

use crate::answers::Object;
use crate::arrays::{from_indices, from_vec, matrix};
use crate::errors::raise;
use crate::model::Model;
use crate::work::Limits;
use mercer::data::{Column, Values};
use mercer::learner::PreImageMethod;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Rows that fit best what the components of a `kernel_pca` make of others.
///
/// Parameters
/// ----------
/// model : Model
///     Fitted by kernel_pca.
/// coordinates : array of shape (n_rows, n_components)
///     What the model predicts of the rows, or its first columns.
/// method : str
///     fixed_point or distances (Gaussian and linear kernels of numbers), or nearest: the nearest training row, under any kernel.
/// threads : int
///     How many to use; 0: one per core.
///
/// Returns
/// -------
/// tuple
///     Columns of numbers by name (an N x D array for a column of vectors; none for nearest), the place among the rows learnt from
///     of the nearest training row, the squared distance in feature space that is left, and the places of the rows whose fixed
///     point was not reached.
///
/// Raises
/// ------
/// DataError
///     Another estimator, more coordinates than components, a kernel that the method is not for.
///
/// Examples
/// --------
/// >>> import mercer
/// >>> model = mercer.Learner("kernel_pca(components=1)", "rbf", standardise=False).fit([[0.0], [1.0], [3.0]])
/// >>> columns, nearest, left, unfinished = mercer.pre_images(model, model.predict([[1.0]]), "nearest")
/// >>> nearest.tolist()
/// [1]
#[pyfunction]
#[pyo3(signature = (model, coordinates, method="fixed_point", *, threads=0))]
pub(crate) fn pre_images<'py>(
    py: Python<'py>,
    model: &Model,
    coordinates: &Object<'py>,
    method: &str,
    threads: usize,
) -> PyResult<(Bound<'py, PyDict>, Object<'py>, Object<'py>, Object<'py>)> {
    let method: PreImageMethod = method.parse().map_err(raise)?;
    let (model, coordinates) = (model.model.clone(), matrix(coordinates)?);
    let found = Limits::threads(threads).run(py, move |control| model.pre_images(&coordinates, method, control))?;
    let column = |values: &Values| match values {
        Values::Numbers(v) => Ok(from_vec(py, v.clone())),
        Values::Points(p) => from_vec(py, p.to_dense().into_owned()).call_method1("reshape", (p.rows(), p.dim())),
        _ => Ok(py.None().into_bound(py)),
    };
    let columns = PyDict::new(py);
    for Column { name, values } in found.rows.columns() {
        columns.set_item(name, column(values)?)?;
    }
    Ok((columns, from_indices(py, &found.nearest), from_vec(py, found.left), from_indices(py, &found.unfinished)))
}
