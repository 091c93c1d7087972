//! `explain`: the parts of rows that a model answers by.

use crate::answers::{Object, from_json};
use crate::errors::data_error;
use crate::model::Model;
use crate::work::Limits;
use mercer::learner::Masking;
use mercer::report;
use pyo3::prelude::*;

/// The parts of rows that a model answers by: letters of sequences, words of texts, times of series, nodes and edges of graphs, subtrees of
/// trees, members of sets. Each is masked in turn, and the answer compared.
///
/// Parameters
/// ----------
/// model : Model
///     A model that reads sequences, texts, series, graphs, trees or sets.
/// data : Dataset, or anything one is made from
///     Rows with the columns of training.
/// row : int or None
///     Place of a row, from 0, whose answer is explained; None: the parts of most effect over 200 rows, drawn from each predicted class by
///     turns.
/// width : int or None
///     Letters, words or times that are masked together; None: 4 to 6 letters of a sequence, 1 word of a text, a tenth of a series.
/// threads : int
///     How many to use; 0: one per core.
///
/// Returns
/// -------
/// dict or list of dict
///     Of a row: `of`, the class or number that effects add to, `answer`, `value` and its `measure` (decision_value, probability, ..), and for
///     each column with parts its `units` (letters, words, times, nodes and edges, members), their `effects`, and the `strongest` parts with
///     `text`, `place`, `first` (from 1) and `effect`. Of all rows: for each class `of`, `measure`, `rows`, `classes` (how many `rows` of
///     which predicted `class`), `parts`, each with `column`, `text`, `times` and `mean` effect, and `places`, the `means` by letter or time
///     for the rows of each `class`.
///
/// Raises
/// ------
/// DataError
///     A model that reads no column with such parts, or that gives neither decision values nor probabilities.
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
        return Err(data_error("width must be at least 1 letter, word or time"));
    }
    let (data, model) = (model.rows(py, data)?, model.model.clone());
    if let Some(row) = row.filter(|row| *row >= data.rows()) {
        return Err(data_error(format!("row {row} is asked for, and the data has {} rows", data.rows())));
    }
    let text = Limits::threads(threads).run(py, move |control| match row {
        Some(row) => report::explanation_json(&model.explain(&data, row, width, control)?),
        None => report::influences_json(&model.influences(&data, &Masking { width, ..Masking::default() }, control)?),
    })?;
    from_json(py, &text)
}
