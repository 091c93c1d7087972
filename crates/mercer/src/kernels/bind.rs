//! From an expression and data to a Gram matrix: which columns each kernel takes, settling `auto`, binding, checking.

use super::KernelExpr;
use super::leaf::{AnyKernel, Columns};
use crate::data::{Column, Dataset, Sort};
use crate::error::{Error, Result};
use crate::gram::{Bound, Normalise, Product, Scale, Sum};
use crate::param::Value;

/// Name and sort of a column.
pub type Selection<'a> = (&'a str, Sort);

/// Whether a column of a prepared dataset stems from the column of this name: itself, or its `name=...` indicators.
fn stems_from(column: &str, name: &str) -> bool {
    column == name || column.strip_prefix(name).is_some_and(|rest| rest.starts_with('='))
}

/// The columns of `data` that a kernel takes, out of the selected names or out of all.
fn pick(kernel: &dyn AnyKernel, data: &[Selection<'_>], selected: Option<&[String]>) -> Result<Vec<usize>> {
    let wrong = |name: &str, sort: Sort, fix: String| Error::WrongSort {
        kernel: kernel.name().into(),
        column: name.into(),
        needs: kernel.takes_words().into(),
        found: sort.holds().into(),
        fix,
    };
    let columns: Vec<usize> = match selected {
        None => (0..data.len()).filter(|&c| kernel.takes(data[c].1)).collect(),
        Some(names) => {
            let mut found = Vec::new();
            for name in names {
                let mine: Vec<usize> = (0..data.len()).filter(|&c| stems_from(data[c].0, name)).collect();
                if mine.is_empty() {
                    return Err(Error::unknown("column", name, data.iter().map(|c| c.0)));
                }
                if let Some(&c) = mine.iter().find(|&&c| !kernel.takes(data[c].1)) {
                    let fix = "point it at other columns, or declare the column with --types".to_owned();
                    return Err(wrong(name, data[c].1, fix));
                }
                found.extend(mine);
            }
            found
        }
    };
    if columns.is_empty() {
        let have: Vec<String> = data.iter().map(|(n, s)| format!("{n} ({s})")).collect();
        return Err(Error::Data(format!(
            "{} takes {}, and the table has none; its columns: {}",
            kernel.name(),
            kernel.takes_words(),
            if have.is_empty() { "none".into() } else { have.join(", ") }
        )));
    }
    if kernel.takes(Sort::Sequence) && columns.len() > 1 {
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

fn sorts(data: &Dataset) -> Vec<Selection<'_>> {
    data.columns().iter().map(|c: &Column| (c.name.as_str(), c.values.sort())).collect()
}

impl KernelExpr {
    /// The expression used when none is given: rbf over numbers, equal-or-not over categories, and a normalised spectrum
    /// over each column of texts or sequences, added.
    pub fn natural(columns: &[Selection<'_>]) -> Result<KernelExpr> {
        let has = |sort: Sort| columns.iter().any(|(_, s)| *s == sort);
        let strings: Vec<&str> = columns.iter().filter(|(_, s)| matches!(s, Sort::Text | Sort::Sequence)).map(|(n, _)| *n).collect();
        let mut parts = Vec::new();
        if has(Sort::Number) || has(Sort::Points) {
            parts.push(KernelExpr::Rbf(super::Rbf::default()));
        }
        if has(Sort::Category) {
            parts.push(KernelExpr::Equal(super::Equal::default()));
        }
        for name in &strings {
            let spectrum = KernelExpr::Normalise(Box::new(KernelExpr::parse("spectrum(k=3)")?));
            let alone = strings.len() == 1;
            parts.push(if alone { spectrum } else { KernelExpr::On { columns: vec![(*name).to_owned()], of: Box::new(spectrum) } });
        }
        match parts.len() {
            0 => Err(Error::Data("the table has no column to learn from besides the target".into())),
            1 => Ok(parts.remove(0)),
            _ => Ok(KernelExpr::Sum(parts)),
        }
    }

    /// Calls `each` with every kernel of the list and the names it is pointed at.
    fn leaves<'e>(
        &'e self,
        selected: Option<&'e [String]>,
        each: &mut dyn FnMut(&'e dyn AnyKernel, Option<&'e [String]>) -> Result<()>,
    ) -> Result<()> {
        if let Some(k) = self.leaf() {
            return each(k, selected);
        }
        let selected = if let KernelExpr::On { columns, .. } = self { Some(columns.as_slice()) } else { selected };
        self.parts().into_iter().try_for_each(|p| p.leaves(selected, each))
    }

    /// Splits the columns of a raw table by what the expression does with them: category columns that must become
    /// numbers because only number kernels take them, and columns that no kernel takes. An error names columns that
    /// the table lacks or that are of the wrong sort.
    pub fn columns_used(&self, columns: &[Selection<'_>]) -> Result<(Vec<String>, Vec<String>)> {
        let mut as_labels = vec![false; columns.len()];
        let mut as_numbers = vec![false; columns.len()];
        let mut used = vec![false; columns.len()];
        let mut bare_numbers = false;
        self.leaves(None, &mut |k, selected| {
            let numeric = k.takes(Sort::Number);
            bare_numbers |= numeric && selected.is_none();
            // For a number kernel, a selected category stands for its indicators.
            let seen: Vec<Selection<'_>> = columns
                .iter()
                .map(|&(n, s)| (n, if numeric && selected.is_some() && s == Sort::Category { Sort::Number } else { s }))
                .collect();
            match pick(k, &seen, selected) {
                Ok(list) => {
                    for c in list {
                        used[c] = true;
                        as_labels[c] |= k.takes(Sort::Category);
                        as_numbers[c] |= numeric && columns[c].1 == Sort::Category;
                    }
                    Ok(())
                }
                // A bare number kernel may live on indicators alone.
                Err(_) if numeric && selected.is_none() && columns.iter().any(|(_, s)| *s == Sort::Category) => Ok(()),
                Err(e) => Err(e),
            }
        })?;
        let mut one_hot = Vec::new();
        let mut unused = Vec::new();
        for (c, (name, sort)) in columns.iter().enumerate() {
            let encode = *sort == Sort::Category && (as_numbers[c] || (bare_numbers && !as_labels[c]));
            if encode {
                one_hot.push((*name).to_owned());
            } else if !used[c] {
                unused.push((*name).to_owned());
            }
        }
        Ok((one_hot, unused))
    }

    /// Names of the columns of a prepared dataset that the kernel at a path of [`KernelExpr::values`] sees, in its order:
    /// one per number, so that a column of vectors gives several.
    pub fn columns_at(&self, path: &str, data: &Dataset) -> Result<Vec<String>> {
        self.columns_at_in(path, data, None)
    }

    fn columns_at_in(&self, path: &str, data: &Dataset, selected: Option<&[String]>) -> Result<Vec<String>> {
        if let Some(k) = self.leaf() {
            let chosen = pick(k, &sorts(data), selected)?.into_iter().map(|c| &data.columns()[c]);
            return Ok(chosen.flat_map(Column::numbers).collect());
        }
        let selected = if let KernelExpr::On { columns, .. } = self { Some(columns.as_slice()) } else { selected };
        let unknown = || Error::unknown("kernel parameter", path, self.values().into_iter().map(|p| p.path));
        let (child, rest) = path.split_once('.').ok_or_else(unknown)?;
        let child = child.parse::<usize>().ok().and_then(|i| self.parts().into_iter().nth(i)).ok_or_else(unknown)?;
        child.columns_at_in(rest, data, selected)
    }

    /// Replaces every `auto` by what the data suggest and every range by its point nearest to that.
    pub fn settle(&self, data: &Dataset) -> Result<KernelExpr> {
        let mut settled = self.clone();
        settled.settle_in(data, None)?;
        Ok(settled)
    }

    fn settle_in(&mut self, data: &Dataset, selected: Option<&[String]>) -> Result<()> {
        if let Some(k) = self.leaf_mut() {
            let columns = pick(&*k, &sorts(data), selected)?;
            return k.settle_on((data, &columns));
        }
        if let KernelExpr::Scale { by, .. } = self {
            *by = by.settle(1.0);
        }
        let own = if let KernelExpr::On { columns, .. } = self { Some(columns.clone()) } else { None };
        let selected = own.as_deref().or(selected);
        self.parts_mut().into_iter().try_for_each(|p| p.settle_in(data, selected))
    }

    /// The Gram matrix among the rows of one dataset (`new = None`), or of new rows against them. Every parameter is settled.
    pub fn bind(&self, new: Option<&Dataset>, data: &Dataset) -> Result<Box<dyn Bound>> {
        self.bind_in(new, data, None)
    }

    fn bind_in(&self, new: Option<&Dataset>, data: &Dataset, selected: Option<&[String]>) -> Result<Box<dyn Bound>> {
        if let Some(k) = self.leaf() {
            let columns = pick(k, &sorts(data), selected)?;
            let new_columns = new.map(|n| pick(k, &sorts(n), selected)).transpose()?;
            let rows: Option<Columns<'_>> = new.zip(new_columns.as_deref());
            return k.bind(rows, (data, &columns));
        }
        if self.parts().is_empty() {
            return Err(Error::Data("a sum or a product of no kernels cannot be bound".into()));
        }
        let part = |p: &KernelExpr| p.bind_in(new, data, selected);
        Ok(match self {
            KernelExpr::Sum(parts) => Box::new(Sum(parts.iter().map(part).collect::<Result<_>>()?)),
            KernelExpr::Product(parts) => Box::new(Product(parts.iter().map(part).collect::<Result<_>>()?)),
            KernelExpr::Scale { by: Value::Number(by), of } => Box::new(Scale { by: *by, of: part(of)? }),
            KernelExpr::Scale { by, .. } => {
                return Err(Error::Unsettled { owner: "kernel".into(), name: "scale".into(), value: by.to_string() });
            }
            KernelExpr::Normalise(of) => Box::new(Normalise::new(part(of)?)),
            KernelExpr::On { columns, of } => return of.bind_in(new, data, Some(columns)),
            leaf => return Err(Error::Data(format!("{leaf} cannot be bound"))),
        })
    }
}
