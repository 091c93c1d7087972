//! Several tables of a folder or an archive, or named one by one, such as FASTA files, end to end as one. Which table a row is from
//! stands in the column `file`, and in `label` where folders hold them.

use super::cells::Cells;
use super::facts::Fact;
use super::table::{Raw, Table};
use super::texts::{FILE, LABEL, parent};
use super::unpack::without_ending;
use super::{ColumnType, ReadOptions, format};
use crate::data::Values;
use crate::error::{Error, Result};
use std::collections::HashSet;

/// Whether a file is a table by its name, packed or not.
pub(super) fn is_table(path: &str) -> bool {
    // Endings of files that are tables of their own.
    const TABLES: [&str; 14] =
        [".csv", ".tsv", ".tab", ".jsonl", ".ndjson", ".json", ".arff", ".ts", ".fasta", ".fa", ".faa", ".fna", ".fastq", ".fq"];
    let name = path.to_ascii_lowercase();
    let name = without_ending(&name);
    TABLES.iter().any(|ending| name.ends_with(ending))
}

/// Joins the tables among the files of a folder, each with its path and its text; `file` is what messages call the whole.
///
/// # Errors
/// A fault of one of the tables, and columns that do not fit those of the first.
pub(super) fn tables(file: &str, files: Vec<(String, String)>, options: &ReadOptions, most: u64) -> Result<Table> {
    let (tables, others): (Vec<_>, Vec<_>) = files.into_iter().partition(|(path, _)| is_table(path));
    let folders: Vec<Option<String>> = tables.iter().map(|(path, _)| parent(path)).collect();
    let labelled = folders.iter().all(Option::is_some) && folders.windows(2).any(|pair| pair[0] != pair[1]);
    let which = if labelled { format!("columns '{FILE}' and '{LABEL}' say") } else { format!("column '{FILE}' says") };
    let mut facts = vec![tell_joined(file, &tables, &format!("{which} where a row is from"))];
    if let Some((path, _)) = others.first() {
        let more = if others.len() > 1 { format!(" and {} more", others.len() - 1) } else { String::new() };
        facts.push(Fact::of_table(format!("{file}: {path}{more} left out, as no table")));
    }
    let (mut whole, rows) = end_to_end(file, &tables, |path| format!("{file}: {path}"), facts, options, most)?;
    if labelled && add(&mut whole, LABEL, &rows, folders.iter().flatten().map(String::as_str)) {
        whole.own_types.push((LABEL.to_owned(), ColumnType::CATEGORY));
        whole.own_target = vec![LABEL.to_owned()];
    }
    add(&mut whole, FILE, &rows, tables.iter().map(|(path, _)| path.as_str()));
    Ok(whole)
}

/// Joins tables that are named one by one; each is a class of the name of its file without its ending, which is the target unless the
/// tables or the user name another.
///
/// # Errors
/// As [`tables`].
pub(super) fn classes(file: &str, tables: &[(String, String)], options: &ReadOptions, most: u64) -> Result<Table> {
    let mut names: Vec<&str> = tables.iter().map(|(path, _)| stem(path)).collect();
    if names.iter().collect::<HashSet<_>>().len() < names.len() {
        names = tables.iter().map(|(path, _)| path.as_str()).collect();
    }
    let facts = vec![tell_joined(file, tables, &format!("column '{FILE}' says where a row is from, the target if no other is named"))];
    let (mut whole, rows) = end_to_end(file, tables, str::to_owned, facts, options, most)?;
    if add(&mut whole, FILE, &rows, names.into_iter()) && whole.own_target.is_empty() {
        whole.own_types.push((FILE.to_owned(), ColumnType::CATEGORY));
        whole.own_target = vec![FILE.to_owned()];
    }
    Ok(whole)
}

/// The name of a file without folders and endings.
fn stem(path: &str) -> &str {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let unpacked = without_ending(&name.to_ascii_lowercase()).len();
    let name = &name[..unpacked];
    name.rsplit_once('.').map_or(name, |(stem, _)| if stem.is_empty() { name } else { stem })
}

fn tell_joined(file: &str, tables: &[(String, String)], which: &str) -> Fact {
    let ends: Vec<&str> = tables.first().into_iter().chain(tables.last()).map(|(path, _)| path.as_str()).collect();
    Fact::of_table(format!("{file}: {} tables are joined, {}; {which}", tables.len(), ends.join(" to ")))
}

/// A column that says of each row which table it is from, where there is none of its name; no input unless it is declared.
fn add<'a>(whole: &mut Table, name: &str, rows: &[usize], words: impl Iterator<Item = &'a str>) -> bool {
    if whole.header.iter().any(|other| other == name) {
        return false;
    }
    let mut cells = Cells::new(true, true);
    rows.iter().zip(words).for_each(|(rows, word)| (0..*rows).for_each(|_| cells.push(word)));
    whole.columns.push((name.to_owned(), Raw::Cells(cells)));
    whole.header.push(name.to_owned());
    whole.aside.push(name.to_owned());
    true
}

/// Tables one below the other, and the rows of each; `named` is what messages call one of a path.
fn end_to_end(
    file: &str,
    tables: &[(String, String)],
    named: impl Fn(&str) -> String,
    mut facts: Vec<Fact>,
    options: &ReadOptions,
    most: u64,
) -> Result<(Table, Vec<usize>)> {
    let (mut whole, mut rows): (Option<Table>, Vec<usize>) = (None, Vec::new());
    for (path, text) in tables {
        let name = named(path);
        let mut part = format::of_text(&name, text, Some(path), options, most)?;
        rows.push(part.rows);
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
    let Some(Table { rows: all, columns, own_target, aside, own_types, .. }) = whole else {
        return Err(Error::Table { file: file.to_owned(), why: "there are no tables in it".into() });
    };
    Ok((Table { facts, own_target, aside, own_types, ..Table::of_raw(file, all, columns)? }, rows))
}

/// The rows of another table below those of one. Records of sequences may lack fields; other tables have the same columns.
pub(super) fn join(mut above: Table, below: Table, name: &str) -> Result<Table> {
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
            (Raw::Indexed(there), Raw::Indexed(more)) => there.append(&more),
            (Raw::Ready(Values::Series(there)), Raw::Ready(Values::Series(more))) => {
                *there = there.followed_by(&more).map_err(|why| fault(format!("column '{column}': {why}")))?;
            }
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
