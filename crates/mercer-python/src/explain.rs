//! `explain`: the letters of sequences and the words of texts that a model answers by.

use crate::answers::{Object, from_json};
use crate::errors::data_error;
use crate::model::Model;
use crate::work::Limits;
use mercer::report;
use pyo3::prelude::*;

/// The letters of sequences, or the words of texts, that a model answers by: each is masked in turn, and the answer compared.
///
/// Parameters
/// ----------
/// model : Model
///     A model that reads sequences or texts.
/// data : Dataset, or anything one is made from
///     Rows with the columns of training.
/// row : int or None
///     Place of a row, from 0, whose answer is explained; None: the parts of most effect over all rows.
/// width : int or None
///     Letters or words that are masked together; None: 6 letters of a sequence, 1 word of a text.
/// threads : int
///     How many to use; 0: one per core.
///
/// Returns
/// -------
/// dict or list of dict
///     Of a row: `of`, the class or number that effects add to, `answer`, `value`, and for each column of strings its `units` (letters or
///     words), their `effects`, and the `strongest` parts with `text`, `first` (from 1) and `effect`. Of all rows: for each class `of`,
///     `rows` and `substrings`, each with `column`, `text`, `times` and `mean` effect, largest sums first.
///
/// Raises
/// ------
/// DataError
///     A model that reads no sequence or text, or that has no decision values.
///
/// Examples
/// --------
/// >>> import mercer
/// >>> data = mercer.Dataset({"seq": ["ACGTACGTAC", "TTTTATTTTA", "ACGTTCGTAC", "TTATATTTTT"]})
/// >>> model = mercer.Learner("svc", "spectrum(k=2, alphabet=dna)").fit(data, ["a", "b", "a", "b"])
/// >>> mercer.explain(model, data, 0)["answer"]
/// 'a'
#[pyfunction]
#[pyo3(signature = (model, data, row=None, *, width=None, threads=0))]
pub(crate) fn explain<'py>(
    py: Python<'py>,
    model: &Model,
    data: &Object<'py>,
    row: Option<usize>,
    width: Option<usize>,
    threads: usize,
) -> PyResult<Object<'py>> {
    if width == Some(0) {
        return Err(data_error("width must be at least 1 letter or word"));
    }
    let (data, model) = (model.rows(py, data)?, model.model.clone());
    if let Some(row) = row.filter(|row| *row >= data.rows()) {
        return Err(data_error(format!("row {row} is asked for, and the data has {} rows", data.rows())));
    }
    let text = Limits::threads(threads).run(py, move |control| match row {
        Some(row) => report::explanation_json(&model.explain(&data, row, width, control)?),
        None => report::influences_json(&model.influences(&data, width, control)?),
    })?;
    from_json(py, &text)
}
