//! The kernel of a table where none is asked for, and those that are tried in its place, column by column.

use super::sequences::parts::usual::{alternatives, usual};
use super::uses::Selection;
use super::{Composed, KernelExpr, On, Sum, compositions::over_sets, graphs, sequences::parts::words, series, trees};
use crate::data::{Column, ColumnKind, Dataset, Values};
use crate::error::{Error, Result};
use crate::notice::Notice;
use std::collections::BTreeMap;

/// Kernels of columns, by their names: those of each are added.
pub(crate) type ColumnKernels = BTreeMap<String, Vec<KernelExpr>>;

/// Kernels that are tried in place of the natural ones of a column, each alone.
fn in_place(values: &Values) -> Result<Vec<KernelExpr>> {
    let texts: Vec<&str> = match values {
        Values::Sequences(strings) => alternatives(strings),
        Values::Graphs(_) => graphs::parts::ALTERNATIVES.to_vec(),
        Values::Series(all) => series::parts::alternatives(all),
        Values::Texts(_) => words::ALTERNATIVES.to_vec(),
        Values::Trees(_) => trees::parts::ALTERNATIVES.to_vec(),
        Values::Sets(_) => over_sets::ALTERNATIVES.to_vec(),
        _ => Vec::new(),
    };
    texts.into_iter().map(KernelExpr::parse).collect()
}

impl KernelExpr {
    /// The expression used when none is given: rbf over numbers, equal-or-not over categories, the weighted words and the
    /// normalised spectrum of each column of texts, and for each other column the first kernel of the list that takes it,
    /// normalised where it is a Mercer kernel; all of them added.
    pub fn natural(columns: &[Selection<'_>]) -> Result<KernelExpr> {
        natural_by(columns, &[], &|_| None)
    }

    /// As [`KernelExpr::natural`], with some columns of texts by their words alone, and sequences by what they are made of.
    pub(crate) fn natural_of(data: &Dataset, columns: &[Selection<'_>], by_words: &[&str]) -> Result<KernelExpr> {
        let own = |name: &str| match &data.column(name).ok()?.values {
            Values::Sequences(strings) => Some(usual(strings).0),
            _ => None,
        };
        natural_by(columns, by_words, &own)
    }

    /// As [`KernelExpr::natural`], with the kernels of some columns given.
    pub(crate) fn natural_with(columns: &[Selection<'_>], given: &ColumnKernels) -> Result<KernelExpr> {
        natural_by(columns, &[], &|name| given.get(name).cloned())
    }

    /// For each column with candidates: its name, and lists of kernels of which each list is added, the natural one first.
    pub(crate) fn candidates(data: &Dataset, columns: &[Selection<'_>], by_words: &[&str]) -> Result<Vec<(String, Vec<Vec<KernelExpr>>)>> {
        let mut all = Vec::new();
        for &(name, kind) in columns {
            let values = &data.column(name)?.values;
            let natural = match values {
                Values::Sequences(strings) => usual(strings).0,
                _ => of_column(name, kind, by_words),
            };
            // To compare the letters of what is compared by words alone would take long.
            let is_quick = |kernel: &KernelExpr| !by_words.contains(&name) || matches!(kernel, KernelExpr::Tfidf(_));
            let others = in_place(values)?.into_iter().filter(is_quick).map(|kernel| vec![kernel]);
            let others: Vec<_> = others.filter(|list| *list != natural).collect();
            if !others.is_empty() {
                all.push((name.to_owned(), std::iter::once(natural).chain(others).collect()));
            }
        }
        Ok(all)
    }

    /// The natural kernel with another candidate of one column, for every candidate.
    pub(crate) fn alternatives(data: &Dataset, columns: &[Selection<'_>]) -> Result<Vec<KernelExpr>> {
        let candidates = Self::candidates(data, columns, &[])?;
        let natural: ColumnKernels = candidates.iter().map(|(name, lists)| (name.clone(), lists[0].clone())).collect();
        let mut all = Vec::new();
        for (name, lists) in &candidates {
            for list in &lists[1..] {
                let mut given = natural.clone();
                given.insert(name.clone(), list.clone());
                all.push(Self::natural_with(columns, &given)?);
            }
        }
        Ok(all)
    }

    /// How [`KernelExpr::natural_of`] compares the sequences of a column, in words; `None` of another column.
    pub(crate) fn natural_sequences(column: &Column) -> Option<Notice> {
        match &column.values {
            Values::Sequences(strings) => Some(Notice::Sequences { column: column.name.clone(), how: usual(strings).1 }),
            _ => None,
        }
    }
}

/// The natural kernels of a column with kernels of its own.
fn of_column(name: &str, kind: ColumnKind, by_words: &[&str]) -> Vec<KernelExpr> {
    let words = (kind == ColumnKind::Text).then(|| KernelExpr::Tfidf(super::Tfidf::default()));
    let whole = KernelExpr::alone(kind).filter(|_| words.is_none() || !by_words.contains(&name));
    words.into_iter().chain(whole).collect()
}

fn natural_by(columns: &[Selection<'_>], by_words: &[&str], own: &dyn Fn(&str) -> Option<Vec<KernelExpr>>) -> Result<KernelExpr> {
    let has = |kind: ColumnKind| columns.iter().any(|(_, s)| *s == kind);
    let mut parts = Vec::new();
    if has(ColumnKind::Number) || has(ColumnKind::Points) {
        parts.push(KernelExpr::Rbf(super::Rbf::default()));
    }
    if has(ColumnKind::Category) {
        parts.push(KernelExpr::Equal(super::Equal::default()));
    }
    for &(name, kind) in columns {
        let kernels = own(name).unwrap_or_else(|| of_column(name, kind, by_words));
        parts.extend(kernels.into_iter().map(|of| {
            let plain = if let KernelExpr::Normalise(Composed { of, .. }) = &of { of.first() } else { Some(&of) };
            let takes = |kind: ColumnKind| plain.and_then(KernelExpr::taker).is_some_and(|k| k.takes(kind));
            match columns.iter().filter(|(_, kind)| takes(*kind)).count() {
                1 => of,
                _ => KernelExpr::On(Composed::of(On { columns: vec![name.to_owned()] }, of)),
            }
        }));
    }
    match parts.len() {
        0 => Err(Error::Data("the table has no column to learn from besides the target".into())),
        1 => Ok(parts.remove(0)),
        _ => Ok(KernelExpr::Sum(Composed { how: Sum {}, of: parts })),
    }
}
