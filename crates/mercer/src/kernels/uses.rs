//! Which columns the kernels of an expression take, and in what form.

use super::composition::Learns;
use super::leaf::{AnyKernel, Takes};
use super::sequences::parts::usual::common_length;
use super::{Composed, KernelExpr, Normalise, On, OverSets, Sum};
use crate::data::{Arity, Column, ColumnKind, Dataset, Draw, Inputs, Values};
use crate::error::{Error, Result};
use crate::gram::Mercer;
use crate::notice::Notice;
use std::borrow::Cow;

/// Name and kind of a column.
pub type Selection<'a> = (&'a str, ColumnKind);

/// What an expression does with the columns of a table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Uses {
    /// Category columns that must become numbers, because only number kernels take them.
    pub one_hot: Vec<String>,
    /// Number columns that a kernel takes as they are: they are neither standardised nor dropped.
    pub as_is: Vec<String>,
    /// Those of them that another kernel would rather have standardised.
    pub not_scaled: Vec<String>,
    /// Columns that no kernel takes.
    pub unused: Vec<String>,
    /// Columns that a kernel is pointed at by name.
    pub named: Vec<String>,
}

/// Whether a column of a prepared dataset stems from the column of this name: itself, or its `name=...` indicators.
pub(super) fn stems_from(column: &str, name: &str) -> bool {
    column == name || column.strip_prefix(name).is_some_and(|rest| rest.starts_with('='))
}

/// The error of a column that a kernel cannot take.
pub(super) fn wrong_kind(kernel: &(impl Takes + ?Sized), column: &str, kind: ColumnKind) -> Error {
    Error::WrongKind {
        kernel: kernel.name().into(),
        column: column.into(),
        needs: kernel.takes_words().into(),
        found: kind.holds().into(),
        fix: "point it at other columns, or declare the column with --types".into(),
    }
}

/// The columns of `data` that a kernel takes, out of the selected names or out of all.
pub(super) fn pick(kernel: &(impl Takes + ?Sized), data: &[Selection<'_>], selected: Option<&[String]>) -> Result<Vec<usize>> {
    let columns: Vec<usize> = match selected {
        None => (0..data.len()).filter(|&c| kernel.takes(data[c].1)).collect(),
        Some(names) => {
            let mut found = Vec::new();
            for name in names {
                let mine: Vec<usize> = (0..data.len()).filter(|&c| stems_from(data[c].0, name)).collect();
                if mine.is_empty() {
                    return Err(Error::unknown("column", name, data.iter().map(|c| c.0)));
                }
                if kernel.arity() == Arity::None {
                    continue;
                }
                if let Some(&c) = mine.iter().find(|&&c| !kernel.takes(data[c].1)) {
                    return Err(wrong_kind(kernel, name, data[c].1));
                }
                found.extend(mine);
            }
            found
        }
    };
    if kernel.arity() == Arity::None {
        return Ok(Vec::new());
    }
    if columns.is_empty() {
        let have: Vec<String> = data.iter().map(|(n, s)| format!("{n} ({s})")).collect();
        return Err(Error::Data(format!(
            "{} takes {}, and the table has none; its columns: {}; declare with --types what was guessed wrong, as of a column of empty cells",
            kernel.name(),
            kernel.takes_words(),
            if have.is_empty() { "none".into() } else { have.join(", ") }
        )));
    }
    if kernel.arity() == Arity::One && columns.len() > 1 {
        let names: Vec<&str> = columns.iter().map(|&c| data[c].0).collect();
        return Err(Error::Data(format!(
            "{} takes {} and there are {}: {}; write on({}, {})",
            kernel.name(),
            kernel.takes_words(),
            names.len(),
            names.join(", "),
            crate::expr::quoted(names[0]),
            kernel.term()
        )));
    }
    Ok(columns)
}

pub(super) fn kinds(data: &Dataset) -> Vec<Selection<'_>> {
    data.columns().iter().map(|c: &Column| (c.name.as_str(), c.values.kind())).collect()
}

impl KernelExpr {
    /// Kernels of the expression that find nothing in the strings of a column, as all are shorter than what they count, in words.
    pub(crate) fn longer_than(&self, column: &Column) -> Vec<Notice> {
        let (Values::Sequences(strings) | Values::Texts(strings)) = &column.values else { return Vec::new() };
        let longest = strings.iter().map(|s| s.chars().count()).max().unwrap_or(0);
        let mut found = Vec::new();
        self.each_leaf(&mut |k| {
            let counted = ["length", "shortest", "k"].iter().find_map(|name| k.values().into_iter().find(|v| v.path == *name));
            let of_strings = ["spectrum", "mismatch", "gapped", "substrings", "subsequence"].contains(&k.name());
            if let Some(length) = counted.filter(|_| of_strings).map(|v| v.value.integer()).filter(|length| *length > longest) {
                let (column, kernel) = (column.name.clone(), k.term().to_string());
                found.push(Notice::PartsTooLong { column, longest, kernel, length });
            }
        });
        found
    }

    /// Calls `each` with every kernel of the list in the expression.
    fn each_leaf(&self, each: &mut dyn FnMut(&dyn AnyKernel)) {
        self.parts().iter().for_each(|p| p.each_leaf(each));
        if let Some(leaf) = self.leaf() {
            each(leaf);
        }
    }

    /// What the expression does not see in a column of sequences that all have one length: where their letters are.
    pub(crate) fn without_places(&self, column: &Column) -> Option<Notice> {
        let Values::Sequences(strings) = &column.values else { return None };
        let of = |names: &[&str]| self.has_leaf(&|k| names.contains(&k.name()) && k.takes(ColumnKind::Sequence));
        if of(&["weighted_degree"]) || !of(&["spectrum", "blended", "substrings", "mismatch", "gapped"]) {
            return None;
        }
        let length = common_length(strings)?;
        Some(Notice::EqualLengths { column: column.name.clone(), length })
    }

    /// The expression used when none is given and features are read: linear over numbers and, where they may be `indicated`, over
    /// indicators of labels, the weighted words of each column of texts, and the natural kernel of each column of graphs. `None` where
    /// no column has such.
    pub fn natural_features(columns: &[Selection<'_>], indicated: bool) -> Option<KernelExpr> {
        let of = |kinds: &[ColumnKind]| -> Vec<String> {
            columns.iter().filter(|(_, kind)| kinds.contains(kind)).map(|(name, _)| (*name).to_owned()).collect()
        };
        let on = |names: Vec<String>, kernel: KernelExpr| KernelExpr::On(Composed::of(On { columns: names }, kernel));
        let linear = KernelExpr::Linear(super::Linear::default());
        let (numbers, labels) = (of(&[ColumnKind::Number, ColumnKind::Points]), of(&[ColumnKind::Category]));
        if !indicated {
            return match (numbers.is_empty(), labels.is_empty()) {
                (true, _) => None,
                (false, true) => Some(linear),
                (false, false) => Some(on(numbers, linear)),
            };
        }
        let texts = of(&[ColumnKind::Text]);
        let words = || KernelExpr::Tfidf(super::Tfidf::default());
        let mut parts: Vec<KernelExpr> = (!(numbers.is_empty() && labels.is_empty())).then_some(linear).into_iter().collect();
        match texts.len() {
            // A kernel that is not pointed at a column takes every one that it can.
            1 if of(&[ColumnKind::Sequence]).is_empty() => parts.push(words()),
            _ => parts.extend(texts.into_iter().map(|name| on(vec![name], words()))),
        }
        let graphs = of(&[ColumnKind::Graph]);
        parts.extend(graphs.into_iter().filter_map(|name| Self::alone(ColumnKind::Graph).map(|kernel| on(vec![name], kernel))));
        match parts.len() {
            0 | 1 => parts.pop(),
            _ => Some(KernelExpr::Sum(Composed { how: Sum {}, of: parts })),
        }
    }

    /// Whether its features are the numbers of columns themselves: linear, on some columns, or a sum of such.
    pub fn has_coordinates(&self) -> bool {
        match self {
            KernelExpr::Linear(_) => true,
            KernelExpr::On(Composed { of, .. }) | KernelExpr::Sum(Composed { of, .. }) => of.iter().all(KernelExpr::has_coordinates),
            _ => false,
        }
    }

    /// The expression used when none is given and kernel values between the vectors of sets are read; `None` where no column has sets.
    pub fn natural_vectors(columns: &[Selection<'_>]) -> Option<KernelExpr> {
        let rbf = KernelExpr::Rbf(super::Rbf::default());
        columns.iter().any(|(_, kind)| *kind == ColumnKind::Set).then(|| KernelExpr::OverSets(Composed::of(OverSets::default(), rbf)))
    }

    /// Whether it is made of the values of a kernel between the vectors of sets.
    pub fn compares_vectors(&self) -> bool {
        match self {
            KernelExpr::OverSets(_) | KernelExpr::BestMatch(_) => true,
            KernelExpr::On(Composed { of, .. }) => of.iter().all(KernelExpr::compares_vectors),
            _ => false,
        }
    }

    /// Whether it names columns and compares nothing in them but whether they are equal: `identical`, on some columns. What reads the
    /// cells of rows and no kernel value reads these.
    pub fn only_names_columns(&self) -> bool {
        match self {
            KernelExpr::Identical(_) => true,
            KernelExpr::On(Composed { of, .. }) => of.iter().all(KernelExpr::only_names_columns),
            _ => false,
        }
    }

    /// The columns of a table that one such kernel names.
    ///
    /// # Errors
    /// A kernel that names none; a table without one of them.
    pub(crate) fn named_table<'d>(&self, data: &'d Dataset) -> Result<Cow<'d, Dataset>> {
        let (mut columns, mut leaves) = (Vec::new(), 0);
        self.leaves(None, &mut |kernel, selected| {
            leaves += 1;
            columns = pick(kernel, &kinds(data), selected)?;
            Ok(())
        })?;
        match self.only_names_columns() && leaves == 1 {
            true => Dataset::gather(data, &columns),
            false => Err(Error::Internal { what: self.to_string(), why: "cells of rows are read, and it names no columns".into() }),
        }
    }

    /// The first kernel of the list that takes a column, normalised where it is a Mercer kernel; `None` where that takes several.
    pub(super) fn alone(kind: ColumnKind) -> Option<KernelExpr> {
        let takes = |kernel: &KernelExpr| kernel.taker().is_some_and(|k| k.takes(kind));
        let kernel = super::candidates().into_iter().find(takes)?;
        if kernel.taker().is_none_or(|k| k.arity() != Arity::One) {
            return None;
        }
        let normalised = kernel.mercer() == Mercer::Always;
        Some(if normalised { KernelExpr::Normalise(Composed::of(Normalise {}, kernel)) } else { kernel })
    }

    /// Calls `each` with every kernel of the list and the names it is pointed at.
    pub(super) fn leaves<'e>(
        &'e self,
        selected: Option<&'e [String]>,
        each: &mut dyn FnMut(&'e dyn Takes, Option<&'e [String]>) -> Result<()>,
    ) -> Result<()> {
        self.leaves_within(selected, false, &mut |k, selected, _| each(k, selected))
    }

    /// Calls `each` with every kernel of the list, the names it is pointed at, and whether it takes numbers as they are, by itself or by
    /// what stands around it.
    fn leaves_within<'e>(
        &'e self,
        selected: Option<&'e [String]>,
        as_is: bool,
        each: &mut dyn FnMut(&'e dyn Takes, Option<&'e [String]>, bool) -> Result<()>,
    ) -> Result<()> {
        let as_is = as_is || self.composed().is_some_and(|c| c.is().as_is);
        if let Some(k) = self.taker() {
            return each(k, selected, as_is || k.as_is());
        }
        let selected = self.composed().and_then(|c| c.selected()).or(selected);
        self.parts().iter().try_for_each(|p| p.leaves_within(selected, as_is, each))
    }

    /// The first value of a given matrix that the values of the expression show not to be symmetric, in words, and the name of the
    /// composition that cannot make a kernel of such, where one stands around it: what learns from the training rows decomposes the
    /// matrix or takes means of it.
    pub(crate) fn first_asymmetry<'d>(&self, data: &'d Dataset) -> Option<(&'d str, Option<&'static str>)> {
        self.lopsided_in(data, None, None)
    }

    fn lopsided_in<'d>(
        &self,
        data: &'d Dataset,
        selected: Option<&[String]>,
        within: Option<&'static str>,
    ) -> Option<(&'d str, Option<&'static str>)> {
        if let Some(k) = self.taker().filter(|k| k.takes(ColumnKind::Similarities)) {
            let columns = pick(k, &kinds(data), selected).ok()?;
            let why = columns.into_iter().find_map(|c| match &data.columns()[c].values {
                Values::Similarities(rows) => rows.first_asymmetry(),
                _ => None,
            });
            return why.map(|why| (why, within));
        }
        let around = self.composed().filter(|c| c.is().learns != Learns::Nothing).map(|c| c.form().name);
        let selected = self.composed().and_then(|c| c.selected()).or(selected);
        let mut found = self.parts().iter().filter_map(|p| p.lopsided_in(data, selected, within.or(around)));
        let first = found.next()?;
        // What no estimator takes comes first.
        Some(if first.1.is_some() { first } else { found.find(|f| f.1.is_some()).unwrap_or(first) })
    }

    /// Names and kinds of columns that every kernel of the expression can take: those it is pointed at, two columns of
    /// numbers (or as many as its parameters ask for, or one of another kind) where it takes what there is, and those that weigh.
    pub(crate) fn wanted_columns(&self) -> Vec<(String, ColumnKind)> {
        let mut wanted: Vec<(String, ColumnKind)> = Vec::new();
        let mut want = |name: &str, kind: ColumnKind| {
            if wanted.iter().all(|(n, _)| n != name) {
                wanted.push((name.to_owned(), kind));
            }
        };
        let _ = self.leaves(None, &mut |k, selected| {
            let invented = |kind: &&ColumnKind| k.takes(**kind) && kind.invent(&mut Draw::new(1, 0)).is_some();
            let Some(&kind) = ColumnKind::ALL.iter().find(invented) else { return Ok(()) };
            match (selected, kind) {
                (Some(names), _) => names.iter().for_each(|n| want(n, kind)),
                (None, ColumnKind::Number) => (1..=k.dim().unwrap_or(2)).for_each(|j| want(&format!("x{j}"), kind)),
                (None, _) => want(kind.name(), kind),
            }
            Ok(())
        });
        self.weights(&mut |_, column| want(column, ColumnKind::Number));
        wanted
    }

    /// Names that kernels of the expression are pointed at.
    fn named_columns(&self) -> Vec<String> {
        let mut named = Vec::new();
        let _ = self.leaves(None, &mut |_, selected| {
            named.extend_from_slice(selected.unwrap_or_default());
            Ok(())
        });
        named
    }

    /// Whether any kernel of the expression is such.
    pub(super) fn has_leaf(&self, such: &dyn Fn(&dyn AnyKernel) -> bool) -> bool {
        self.parts().iter().any(|p| p.has_leaf(such)) || self.leaf().is_some_and(such)
    }

    /// Whether values of the expression are computed where it is bound, all at once: those of a function of the program.
    pub(crate) fn computes_whole_matrices(&self) -> bool {
        self.has_leaf(&|k| k.computes_whole_matrices())
    }

    /// Calls `each` with the name of every composition that takes a column of numbers itself, and that column.
    fn weights<'e>(&'e self, each: &mut dyn FnMut(&'static str, &'e str)) {
        if let Some((name, column)) = self.composed().and_then(|c| Some((c.form().name, c.column()?))) {
            each(name, column);
        }
        self.parts().iter().for_each(|p| p.weights(each));
    }

    /// Names of the columns of a prepared dataset that the kernel at a path of [`KernelExpr::values`] sees, in its order:
    /// one per number, so that a column of vectors gives several.
    pub fn columns_at(&self, path: &str, data: &Dataset) -> Result<Vec<String>> {
        self.columns_at_in(path, data, None)
    }

    fn columns_at_in(&self, path: &str, data: &Dataset, selected: Option<&[String]>) -> Result<Vec<String>> {
        if let Some(k) = self.taker() {
            let chosen = pick(k, &kinds(data), selected)?.into_iter().map(|c| &data.columns()[c]);
            return Ok(chosen.flat_map(Column::numbers).collect());
        }
        let selected = self.composed().and_then(|c| c.selected()).or(selected);
        let unknown = || Error::unknown("kernel parameter", path, self.values().into_iter().map(|p| p.path));
        let (child, rest) = path.split_once('.').ok_or_else(unknown)?;
        let child = child.parse::<usize>().ok().and_then(|i| self.parts().get(i)).ok_or_else(unknown)?;
        child.columns_at_in(rest, data, selected)
    }

    /// Category columns that the expression can only take as strings: strings that repeat are read as labels, and a kernel of
    /// strings that is pointed at them, or finds no others, means the strings. None where the columns suit it as they are, or
    /// where that does not help.
    pub fn strings_among(&self, columns: &[Selection<'_>]) -> Vec<String> {
        if self.uses(columns).is_ok() {
            return Vec::new();
        }
        let mut wanted = vec![false; columns.len()];
        let mut otherwise = vec![false; columns.len()];
        let _ = self.leaves(None, &mut |k, selected| {
            for (c, (name, _)) in columns.iter().enumerate() {
                let named = selected.is_some_and(|names| names.iter().any(|n| n == name));
                wanted[c] |= (named || selected.is_none()) && k.takes(ColumnKind::Sequence);
                otherwise[c] |= (named || selected.is_none()) && k.takes(ColumnKind::Category) || named && k.takes(ColumnKind::Number);
            }
            Ok(())
        });
        let turned = |c: usize| columns[c].1 == ColumnKind::Category && wanted[c] && !otherwise[c];
        let kinds: Vec<Selection<'_>> =
            columns.iter().enumerate().map(|(c, &(name, kind))| (name, if turned(c) { ColumnKind::Sequence } else { kind })).collect();
        if self.uses(&kinds).is_err() {
            return Vec::new();
        }
        (0..columns.len()).filter(|&c| turned(c)).map(|c| columns[c].0.to_owned()).collect()
    }

    /// What the expression does with the columns of a raw table. An error names columns that the table lacks or that are
    /// of the wrong kind.
    pub fn uses(&self, columns: &[Selection<'_>]) -> Result<Uses> {
        let mut as_labels = vec![false; columns.len()];
        let mut as_numbers = vec![false; columns.len()];
        let mut used = vec![false; columns.len()];
        let mut as_is = vec![false; columns.len()];
        let mut scaled = vec![false; columns.len()];
        let mut bare_numbers = false;
        self.leaves_within(None, false, &mut |k, selected, kept| {
            let numeric = k.takes(ColumnKind::Number);
            // What takes labels as they are asks for no indicators.
            let coded = numeric && !k.takes(ColumnKind::Category);
            bare_numbers |= coded && selected.is_none();
            // For a number kernel, a selected category stands for its indicators.
            let seen: Vec<Selection<'_>> = columns
                .iter()
                .map(|&(n, s)| (n, if coded && selected.is_some() && s == ColumnKind::Category { ColumnKind::Number } else { s }))
                .collect();
            match pick(k, &seen, selected) {
                Ok(list) => {
                    for c in list {
                        used[c] = true;
                        as_labels[c] |= k.takes(ColumnKind::Category);
                        as_numbers[c] |= coded && columns[c].1 == ColumnKind::Category;
                        as_is[c] |= kept;
                        scaled[c] |= numeric && !kept;
                    }
                    Ok(())
                }
                // A bare number kernel may live on indicators alone.
                Err(_) if coded && selected.is_none() && columns.iter().any(|(_, s)| *s == ColumnKind::Category) => Ok(()),
                Err(e) => Err(e),
            }
        })?;
        let mut wrong = Ok(());
        self.weights(&mut |kernel, name| match columns.iter().position(|(n, _)| *n == name) {
            Some(c) if columns[c].1 == ColumnKind::Number => (used[c], as_is[c]) = (true, true),
            Some(c) => {
                wrong = Err(Error::WrongKind {
                    kernel: kernel.into(),
                    column: name.into(),
                    needs: "one number column".into(),
                    found: columns[c].1.holds().into(),
                    fix: "name another column".into(),
                });
            }
            None => wrong = Err(Error::unknown("column", name, columns.iter().map(|c| c.0))),
        });
        wrong?;
        let mut uses = Uses { named: self.named_columns(), ..Uses::default() };
        for (c, (name, kind)) in columns.iter().enumerate() {
            let encode = *kind == ColumnKind::Category && (as_numbers[c] || (bare_numbers && !as_labels[c]));
            let name = (*name).to_owned();
            if encode {
                uses.one_hot.push(name);
            } else if as_is[c] {
                if scaled[c] {
                    uses.not_scaled.push(name.clone());
                }
                uses.as_is.push(name);
            } else if !used[c] {
                uses.unused.push(name);
            }
        }
        Ok(uses)
    }
}
