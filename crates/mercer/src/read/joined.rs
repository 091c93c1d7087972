//! Several tables of a folder or an archive, such as FASTA files, end to end as one. Which table a row is from stands in the
//! column `file`, and in `label` where folders hold them.

use super::cells::Cells;
use super::facts::Fact;
use super::table::{Raw, Table};
use super::texts::{FILE, LABEL, parent};
use super::unpack::without_ending;
use super::{ColumnType, ReadOptions, format};
use crate::error::{Error, Result};

/// Endings of files that are tables of their own.
const TABLES: [&str; 13] =
    [".csv", ".tsv", ".tab", ".jsonl", ".ndjson", ".json", ".arff", ".fasta", ".fa", ".faa", ".fna", ".fastq", ".fq"];

/// Whether a file is a table by its name, packed or not.
pub(super) fn is_table(path: &str) -> bool {
    let name = path.to_ascii_lowercase();
    let name = without_ending(&name);
    TABLES.iter().any(|ending| name.ends_with(ending))
}

/// Joins the tables among files, each with its path and its text; `file` is what messages call the whole.
///
/// # Errors
/// A fault of one of the tables, and columns that do not fit those of the first.
pub(super) fn tables(file: &str, files: Vec<(String, String)>, options: &ReadOptions, most: u64) -> Result<Table> {
    let (tables, others): (Vec<_>, Vec<_>) = files.into_iter().partition(|(path, _)| is_table(path));
    let folders: Vec<Option<String>> = tables.iter().map(|(path, _)| parent(path)).collect();
    let labelled = folders.iter().all(Option::is_some) && folders.windows(2).any(|pair| pair[0] != pair[1]);
    let (first, last) = (&tables[0].0, &tables[tables.len() - 1].0);
    let which = if labelled { format!("columns '{FILE}' and '{LABEL}' say") } else { format!("column '{FILE}' says") };
    let mut said = vec![format!("{file}: {} tables are joined, {first} to {last}; {which} where a row is from", tables.len())];
    if let Some((path, _)) = others.first() {
        let more = if others.len() > 1 { format!(" and {} more", others.len() - 1) } else { String::new() };
        said.push(format!("{file}: {path}{more} left out, as no table"));
    }
    let mut facts: Vec<Fact> = said.into_iter().map(Fact::of_table).collect();
    let mut whole: Option<Table> = None;
    let (mut labels, mut paths) = (Cells::new(true, true), Cells::new(true, true));
    for ((path, text), folder) in tables.into_iter().zip(folders) {
        let name = format!("{file}: {path}");
        let mut part = format::of_text(&name, &text, Some(&path), options, most)?;
        for _ in 0..part.rows {
            labels.push(folder.as_deref().unwrap_or_default());
            paths.push(&path);
        }
        for fact in part.facts.drain(..) {
            // What is said of every part is said of the whole.
            let fact = if fact.columns.is_empty() { Fact::of_table(fact.sentence().replace(&name, file)) } else { fact };
            if !facts.contains(&fact) {
                facts.push(fact);
            }
        }
        whole = Some(match whole {
            None => part,
            Some(whole) => join(whole, part, &name)?,
        });
    }
    let Some(whole) = whole else {
        return Err(Error::Table { file: file.to_owned(), why: "there are no tables in it".into() });
    };
    let Table { rows, mut columns, mut own_target, mut aside, mut own_types, .. } = whole;
    let mut add = |name: &str, cells: Cells| {
        let free = columns.iter().all(|(other, _)| other != name);
        if free {
            columns.push((name.to_owned(), Raw::Cells(cells)));
            aside.push(name.to_owned());
        }
        free
    };
    if labelled && add(LABEL, labels) {
        own_types.push((LABEL.to_owned(), ColumnType::CATEGORY));
        own_target = vec![LABEL.to_owned()];
    }
    add(FILE, paths);
    Ok(Table { facts, own_target, aside, own_types, ..Table::of_raw(file, rows, columns)? })
}

/// The rows of another table below those of one. Records of sequences may lack fields; other tables have the same columns.
fn join(mut above: Table, below: Table, name: &str) -> Result<Table> {
    let fault = |why: String| Error::Table { file: name.to_owned(), why };
    let (rows, all) = (above.rows, above.rows + below.rows);
    let records = !above.own_types.is_empty();
    let lacks = |table: &Table, column: &str| table.columns.iter().all(|(other, _)| other != column);
    if let Some((column, _)) = above.columns.iter().find(|(column, _)| !records && lacks(&below, column)) {
        return Err(fault(format!("column '{column}' is missing, which the tables before have; join tables with the same columns")));
    }
    for (column, cells) in below.columns {
        let place = above.columns.iter().position(|(other, _)| *other == column);
        let place = match place {
            Some(place) => place,
            None if records => {
                let mut empty = Cells::new(true, false);
                empty.pad(rows);
                above.columns.push((column.clone(), Raw::Cells(empty)));
                above.columns.len() - 1
            }
            None => return Err(fault(format!("column '{column}' is not in the tables before; join tables with the same columns"))),
        };
        match (&mut above.columns[place].1, cells) {
            (Raw::Cells(there), Raw::Cells(more)) => there.append(&more),
            (Raw::Numbers(there), Raw::Numbers(more)) => there.extend(more),
            _ => return Err(fault(format!("column '{column}' cannot be joined to that of the tables before; name one table"))),
        }
    }
    for (_, raw) in &mut above.columns {
        match raw {
            Raw::Cells(cells) => cells.pad(all),
            Raw::Numbers(numbers) => numbers.resize(all, f64::NAN),
            Raw::Points(_) | Raw::Lists(_) | Raw::Indexed(_) | Raw::Ready(_) => {}
        }
    }
    above.rows = all;
    for name in below.aside {
        if !above.aside.contains(&name) {
            above.aside.push(name);
        }
    }
    Ok(above)
}
