//! A dataset out of whatever holds columns in Python.

use crate::arrays::{asarray, points, shape, sparse, two_axes};
use crate::cells::Sort;
use crate::columns::{Cells, MOST_EXACT, Texts, cells, strings, written};
use crate::errors::{data_error, guarded, raise, within};
use crate::frames::{Named, is_categorical, is_frame, mapping, tabled};
use crate::given::{against_frame, kernel_values, of_similarities};
use crate::graphs::are_graphs;
use crate::lone_columns::is_lone_column;
use crate::panels::{channels_last, doubt_of_axes, is_panel};
use crate::sets::sets_alone;
use crate::trees::are_trees;
use mercer::data::{Column, ColumnKind, ColumnSchema, Holds, Own, Schema, Series, Similarities, Values, Writing, Written};
use mercer::error::Error;
use mercer::facts::repeated_identifiers;
use mercer::linalg::Matrix;
use mercer::read::{ColumnType, ReadOptions, Table, column_name, doubts};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};
use std::collections::HashMap;

/// What messages call data that came from no file.
const HERE: &str = "data";
/// The column of data that has one column without a name.
pub(crate) const ONLY: &str = "x";
/// Columns that a line names.
pub(crate) const NAMED: usize = 20;

/// What is said about columns beside the columns.
#[derive(Default)]
pub(crate) struct Asked<'a> {
    pub(crate) options: ReadOptions,
    pub(crate) like: Option<&'a Schema>,
    pub(crate) grams: Vec<NamedGram>,
}

/// A kernel matrix, the column of names that it belongs to, and the names of its rows and columns.
pub(crate) struct NamedGram {
    column: String,
    names: Vec<String>,
    values: Matrix,
}

/// Kernel matrices by column: `{"item": K}`, its rows called 0, 1, 2, ..., or `{"item": (names, K)}`.
pub(crate) fn grams(gram: Option<&Bound<'_, PyDict>>) -> PyResult<Vec<NamedGram>> {
    let one = |(column, given): (Bound<'_, PyAny>, Bound<'_, PyAny>)| {
        let column = column_name(&column.str()?.to_string());
        let fault = |e| within(given.py(), &format!("gram of '{column}'"), e);
        let pair: Option<(Bound<'_, PyAny>, Bound<'_, PyAny>)> = given.cast::<PyTuple>().ok().and_then(|pair| pair.extract().ok());
        let values = kernel_values(pair.as_ref().map_or(&given, |(_, values)| values)).map_err(fault)?;
        let names = match pair {
            Some((names, _)) => asarray(&names).and_then(|array| written(&names, &array)).map_err(fault)?.texts,
            None => (0..values.rows()).map(|i| i.to_string()).collect(),
        };
        Ok(NamedGram { column, names, values })
    };
    gram.into_iter().flat_map(|gram| gram.iter()).map(one).collect()
}

/// A dataset of what holds columns, or is one.
pub(crate) fn build(object: &Bound<'_, PyAny>, asked: &Asked<'_>) -> PyResult<(mercer::data::Dataset, Vec<String>)> {
    let object = &tabled(object)?;
    if object.is_instance_of::<PyString>() {
        return Err(data_error("found a str, expected columns; mercer.read_table(path) reads a file"));
    }
    if let Some(points) = sparse(object)? {
        return Ok((mercer::data::Dataset::from_points(points), Vec::new()));
    }
    let first = asked.like.filter(|schema| schema.columns.len() == 1).and_then(|schema| schema.columns.first());
    let alone = first.map_or(ONLY, |column| &column.name).to_owned();
    let holds = asked.options.declared(&alone).and_then(|declared| declared.kind()).or(first.map(|column| column.holds.kind()));
    if holds.map_or(Ok(false), |kind| is_lone_column(object, kind))? || are_graphs(object, false)? || are_trees(object, false)? {
        return from_columns(vec![(alone, object.clone())], asked, true);
    }
    if let Some([ColumnSchema { name, holds: Holds::Similarities(items), .. }]) = asked.like.map(|schema| schema.columns.as_slice())
        && is_frame(object)?
    {
        return against_frame(name, items, object).map(|data| (data, Vec::new()));
    }
    if let Some(columns) = mapping(object)? {
        return from_columns(columns, asked, true);
    }
    if let Some(sets) = sets_alone(object)? {
        let column = Column { name: alone, values: Values::Sets(sets) };
        return mercer::data::Dataset::new(vec![column]).map(|data| (data, Vec::new())).map_err(raise);
    }
    if let Some(texts) = strings(object)? {
        return from_texts(object, texts, asked);
    }
    let array = asarray(object)?;
    let are_texts = holds.is_some_and(|kind| kind == ColumnKind::Category || kind.empty().is_some());
    if asked.like.is_some() && are_texts && shape(&array)?.len() == 1 {
        return from_columns(vec![(alone, object.clone())], asked, true);
    }
    if shape(&array)?.len() == 3 {
        return Err(data_error(
            "expected an array of two axes (rows and columns), found three: types=\"series\" reads (rows, times, channels), \
             types=\"series-channels-first\" (rows, channels, times), types=\"set\" (rows, vectors, numbers)",
        ));
    }
    let [_, width] = two_axes(&array)?;
    let names: Vec<String> = match asked.like {
        None => (0..width).map(|j| format!("x{j}")).collect(),
        Some(schema) => match schema.columns.as_slice() {
            [ColumnSchema { name, holds: Holds::Similarities(items), .. }] => {
                return Ok((of_similarities(name, Similarities::against(items, kernel_values(&array)?, Own::Unknown))?, Vec::new()));
            }
            [one] if matches!(one.holds, Holds::Points(_)) => {
                let values = Values::Points(points(&array)?);
                let column = Column { name: one.name.clone(), values };
                return mercer::data::Dataset::new(vec![column]).map(|data| (data, Vec::new())).map_err(raise);
            }
            columns if columns.len() == width => columns.iter().map(|c| c.name.clone()).collect(),
            columns => return Err(raise(Error::Shape { what: "columns of the array".into(), expected: columns.len(), found: width })),
        },
    };
    let transposed = array.getattr("T")?;
    let columns = names.into_iter().zip(transposed.try_iter()?).map(|(name, column)| Ok((name, column?))).collect::<PyResult<_>>()?;
    from_columns(columns, asked, false)
}

/// What is worth knowing of columns that are declared to be ignored and name groups of rows.
pub(crate) fn ignored_groups(object: &Bound<'_, PyAny>, options: &ReadOptions) -> PyResult<Vec<String>> {
    let mut found = Vec::new();
    for (name, cells) in mapping(object)?.unwrap_or_default() {
        let name = column_name(&name);
        if options.declared(&name) == Some(ColumnType::Ignore) {
            // Cells that cannot be written name no group.
            let Ok(read) = asarray(&cells).and_then(|array| written(&cells, &array)) else { continue };
            found.extend(repeated_identifiers(&name, true, read.texts.iter().map(String::as_str)).map(|fact| fact.to_string()));
        }
    }
    Ok(found)
}

/// One unnamed column of str. One that looks like identifiers was still meant: it is text.
fn from_texts(object: &Bound<'_, PyAny>, texts: Vec<String>, asked: &Asked<'_>) -> PyResult<(mercer::data::Dataset, Vec<String>)> {
    let name = match asked.like.map(|s| s.columns.as_slice()) {
        None => ONLY.to_owned(),
        Some([one]) => one.name.clone(),
        Some(many) => return Err(raise(Error::Shape { what: "columns".into(), expected: many.len(), found: 1 })),
    };
    let rows = texts.len();
    let (data, notices) = from_columns(vec![(name.clone(), object.clone())], asked, true)?;
    if data.columns().is_empty() && asked.options.declared(&name).is_none() {
        let text = ReadOptions { types: vec![(name.clone(), ColumnType::TEXT)], ..ReadOptions::default() };
        let data = guarded(|| Table::of_cells(HERE, rows, &[(name, texts)]).and_then(|mut t| t.dataset(&text)))?;
        return Ok((data, Vec::new()));
    }
    Ok((data, notices))
}

fn from_columns(mut columns: Named<'_>, asked: &Asked<'_>, named: bool) -> PyResult<(mercer::data::Dataset, Vec<String>)> {
    let Asked { options, like, grams } = asked;
    columns.iter_mut().for_each(|(name, _)| *name = column_name(name));
    let known = || columns.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
    let declared = options.types.iter().map(|(name, _)| name).chain(grams.iter().map(|gram| &gram.column));
    for column in like.iter().flat_map(|s| &s.columns) {
        if !columns.iter().any(|(name, _)| *name == column.name) {
            return Err(data_error(format!(
                "column '{}' is missing: the model was trained with it; found {}",
                column.name,
                known().iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ")
            )));
        }
    }
    for name in declared {
        if !columns.iter().any(|(n, _)| n == name) {
            return Err(raise(Error::unknown("column", name, known())));
        }
    }
    if let Some(schema) = like {
        let place = |name: &str| schema.columns.iter().position(|c| c.name == name);
        columns.retain(|(name, _)| place(name).is_some());
        columns.sort_by_key(|(name, _)| place(name));
    }
    let mut rows = None;
    let mut notices = Vec::new();
    let mut made: Vec<(String, Option<Values>)> = Vec::new();
    let mut texts = Vec::new();
    let mut types = Vec::new();
    let mut ways = Vec::new();
    let mut objects = Vec::new();
    for (name, object) in &columns {
        let declared = options.declared(name).or_else(|| is_categorical(object).then_some(ColumnType::CATEGORY));
        if declared == Some(ColumnType::Ignore) {
            continue;
        }
        let trained = like.and_then(|s| s.columns.iter().find(|c| c.name == *name));
        let wanted = declared.as_ref().and_then(ColumnType::kind).or(trained.map(|c| c.holds.kind()));
        if let Some(gram) = grams.iter().find(|gram| gram.column == *name) {
            let wanted = asarray(object).and_then(|array| written(object, &array))?.texts;
            let found = Similarities::looked_up(gram.names.clone(), &gram.values, &wanted).map_err(raise);
            let found = found.map_err(|e| within(object.py(), &format!("column '{name}'"), e))?;
            rows.get_or_insert(wanted.len());
            made.push((name.clone(), Some(Values::Similarities(found))));
            continue;
        }
        let channels_first = match &declared {
            Some(declared) => *declared == ColumnType::ChannelsFirst,
            None => trained.is_some_and(|column| column.written.channels_first),
        };
        let channels_first = channels_first && !is_panel(object)?;
        let turned = if channels_first {
            Some(channels_last(object).map_err(|e| within(object.py(), &format!("column '{name}'"), e))?)
        } else {
            None
        };
        if channels_first {
            ways.push((name.clone(), Written { channels_first, ..Written::default() }));
        }
        let values = match cells(name, turned.as_ref().unwrap_or(object), wanted, &mut notices)? {
            Cells::Numbers(v) => {
                // What somebody named may be no measurement; columns of training and of arrays are what they are.
                if named && declared.is_none() && like.is_none() {
                    let (said, keeps) = doubts(name, &v);
                    notices.extend(said);
                    if !keeps {
                        rows.get_or_insert(v.len());
                        continue;
                    }
                }
                Some(Values::Numbers(v))
            }
            // As a file has them; a model that was fitted on a file counts as that did.
            Cells::Durations(v) => {
                let writing = trained.map_or(Writing::Clock, |c| c.written.numbers.clone());
                ways.push((name.clone(), Written { numbers: writing.clone(), ..Written::default() }));
                Some(Values::Numbers(v.into_iter().map(|seconds| writing.of_seconds(seconds)).collect()))
            }
            Cells::Points(p) if wanted == Some(ColumnKind::Series) => Some(Values::Series(Series::try_from(&p).map_err(raise)?)),
            Cells::Points(p) => Some(Values::Points(p)),
            Cells::Sets(sets) => Some(Values::Sets(sets)),
            Cells::Series(series) => {
                if !channels_first && !is_panel(object)? {
                    notices.extend(doubt_of_axes(name, &series));
                }
                Some(Values::Series(series))
            }
            Cells::Texts(mut read) => {
                if let Some(column) = trained.filter(|_| options.declared(name).is_none()) {
                    as_in_training(column, &mut read)?;
                }
                rows.get_or_insert(read.cells.len());
                objects.extend(read.class.filter(|_| declared.is_none() && like.is_none()).map(|class| (name.clone(), class)));
                types.extend(declared.or(read.kind.map(ColumnType::Of)).map(|t| (name.clone(), t)));
                texts.push((name.clone(), read.cells));
                None
            }
        };
        rows = rows.or(values.as_ref().map(Values::len));
        made.push((name.clone(), values));
    }
    let rows = rows.unwrap_or(0);
    let mut read = Vec::new();
    if !texts.is_empty() {
        let mut table = guarded(|| Table::of_strings(HERE, rows, &texts))?;
        let data = match like {
            None => table.dataset(&ReadOptions { types, ..ReadOptions::default() }),
            Some(schema) => {
                let part = schema.columns.iter().filter(|c| texts.iter().any(|(name, _)| *name == c.name)).cloned();
                table.dataset_like(&Schema { columns: part.collect() }, &ReadOptions::default())
            }
        };
        let data = data.map_err(raise)?;
        ways.extend(data.names().into_iter().map(|name| (name.to_owned(), data.written(name))));
        read = data.into_columns();
        notices.extend(table.into_notices());
        let labels = |name: &str| read.iter().any(|column| column.name == name && column.values.kind() == ColumnKind::Category);
        let said = |(name, class): (String, String)| {
            labels(&name).then(|| format!("column '{name}' holds {class} objects: each is a label by its text"))
        };
        notices.extend(objects.into_iter().filter_map(said));
    }
    let mut finished = Vec::new();
    for (name, values) in made {
        match values {
            Some(values) => finished.push(Column { name, values }),
            // A column that was read and left out is an identifier.
            None => finished.extend(read.iter().position(|c| c.name == name).map(|at| read.remove(at))),
        }
    }
    let data = mercer::data::Dataset::with_rows(rows, finished).map_err(raise)?;
    Ok((ways.into_iter().fold(data, |data, (name, how)| data.remember(&name, how)), notices))
}

/// Cells of a column that training had as labels or texts: numbers are refused where none was one, and number labels are written as there.
fn as_in_training(column: &ColumnSchema, read: &mut Texts) -> PyResult<()> {
    let (cells, sort) = (&mut read.cells, read.sort);
    if !matches!(sort, Sort::Flag | Sort::Integer | Sort::Number | Sort::Duration) {
        return Ok(());
    }
    let refused = |what: &str| {
        data_error(format!(
            "column '{name}': found {sort}s, and the model was trained on {what}; give str, or declare what the digits are: \
             Dataset(.., types={{\"{name}\": \"{kind}\"}})",
            name = column.name,
            sort = sort.word().trim_start_matches("a ").trim_start_matches("an "),
            kind = column.holds.kind()
        ))
    };
    let Holds::Category(labels) = &column.holds else { return Err(refused(&format!("a column of kind {}", column.holds.kind()))) };
    // Whole numbers above are labels by their digits.
    let number = |text: &str| text.parse::<f64>().ok().filter(|number| number.abs() <= MOST_EXACT);
    let known: HashMap<u64, &String> = labels.iter().filter_map(|label| Some((number(label)?.to_bits(), label))).collect();
    let flags = sort == Sort::Flag && labels.iter().any(|label| label == "True" || label == "False");
    if !flags && !labels.iter().any(|label| label.parse::<f64>().is_ok()) {
        let some: Vec<String> = labels.iter().take(NAMED).map(|label| format!("'{label}'")).collect();
        return Err(refused(&format!("labels such as {}", some.join(", "))));
    }
    for cell in cells.iter_mut().filter(|cell| !labels.contains(*cell)) {
        if let Some(label) = number(cell).and_then(|number| known.get(&number.to_bits())) {
            cell.clone_from(label);
        }
    }
    Ok(())
}

/// Declared types as `{"column": "type"}`, or one word for `every` column.
pub(crate) fn declared(types: Option<&Bound<'_, PyAny>>, every: impl FnOnce() -> PyResult<Vec<String>>) -> PyResult<ReadOptions> {
    let Some(types) = types else { return Ok(ReadOptions::default()) };
    if let Ok(word) = types.extract::<String>() {
        let word: ColumnType = word.parse().map_err(raise)?;
        let types = every()?.into_iter().map(|name| (name, word.clone())).collect();
        return Ok(ReadOptions { types, ..ReadOptions::default() });
    }
    let types = types.cast::<PyDict>().map_err(|_| data_error("types: expected a dict such as {\"zip\": \"category\"}"))?;
    let mut out = Vec::new();
    for (name, word) in types.iter() {
        out.push((column_name(&name.str()?.to_string()), word.str()?.to_string().parse().map_err(raise)?));
    }
    Ok(ReadOptions { types: out, ..ReadOptions::default() })
}
