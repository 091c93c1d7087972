//! Target leakage: a column that alone predicts the target, often because it is known only together with it.
//!
//! Each column alone predicts rows that it has not seen: the nearest value decides between classes, the line between its
//! two neighbours gives a number.

use super::{Fact, quoted, repeated};
use crate::data::names::named_as_owner;
use crate::data::{Cells as _, Dataset, Target, UNSEEN, Values, some_rows};
use std::collections::{HashMap, HashSet};

/// Fewer rows held out say nothing.
const LEAST: usize = 20;

/// One number or label a row.
enum Cells<'a> {
    Numbers(Vec<f64>),
    Labels(Vec<&'a str>),
}

/// A column's name as it stands in a sentence, the name that leaves it out, and its cells.
type Alone<'a> = (String, String, Cells<'a>);

impl Cells<'_> {
    /// Whether any two rows differ in them.
    fn differ(&self) -> bool {
        match self {
            Cells::Numbers(v) => v.windows(2).any(|w| w[0].to_bits() != w[1].to_bits()),
            Cells::Labels(labels) => labels.windows(2).any(|w| w[0] != w[1]),
        }
    }
    /// Whether they are labels, or whole numbers under the name of an identifier, each of which several rows share, and so many that they
    /// name groups of rows.
    fn name_groups(&self, name: &str) -> bool {
        match self {
            Cells::Numbers(x) => {
                let different = || x.iter().map(|x| (x + 0.0).to_bits()).collect::<HashSet<_>>().len();
                named_as_owner(name) && x.iter().all(|x| x.fract() == 0.0) && repeated::are_groups(different(), x.len())
            }
            Cells::Labels(labels) => repeated::are_groups(labels.iter().collect::<HashSet<_>>().len(), labels.len()),
        }
    }
}

/// Columns, each alone, by name; vectors give one for each coordinate.
fn alone<'a>(data: &'a Dataset, rows: &[usize]) -> Vec<Alone<'a>> {
    // Coordinates of a vector that are looked at.
    const COORDINATES: usize = 64;
    let mut out = Vec::new();
    for column in data.columns() {
        let one = |cells| (quoted(&column.name), column.name.clone(), cells);
        match &column.values {
            Values::Numbers(v) => out.push(one(Cells::Numbers(rows.iter().map(|&i| v[i]).collect()))),
            Values::Categories(c) => {
                let label = |&i: &usize| if c.codes[i] == UNSEEN { "" } else { c.label(i).unwrap_or("") };
                out.push(one(Cells::Labels(rows.iter().map(label).collect())));
            }
            Values::Texts(s) | Values::Sequences(s) => out.push(one(Cells::Labels(rows.iter().map(|&i| s.get(i)).collect()))),
            Values::Points(p) if p.dim() <= COORDINATES => {
                let some = p.select(rows);
                let dense = some.to_dense();
                for (k, name) in column.numbers().into_iter().enumerate() {
                    let cells = Cells::Numbers((0..rows.len()).map(|i| dense[i * p.dim() + k]).collect());
                    out.push((quoted(&name), column.name.clone(), cells));
                }
            }
            _ => {}
        }
    }
    out
}

/// Which half of the groups of equal rows one is in, whatever their order: copies say nothing of a column.
fn held_out(group: usize) -> bool {
    (group as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 63 == 1
}

pub(super) fn facts(data: &Dataset, target: &Target, groups: &[usize]) -> Vec<Fact> {
    // Rows that are looked at.
    const ROWS: usize = 20_000;
    let rows = some_rows(data.rows(), ROWS, 0);
    let held: Vec<bool> = rows.iter().map(|&i| held_out(groups[i])).collect();
    let columns: Vec<_> = alone(data, &rows).into_iter().filter(|(_, _, cells)| cells.differ()).collect();
    // The only column that tells rows apart is what there is to learn from.
    if columns.len() < 2 {
        return Vec::new();
    }
    // What is found of several columns is one fact.
    let mut found: Vec<(String, Vec<&Alone<'_>>)> = Vec::new();
    for column in &columns {
        let cells = &column.2;
        let how = match target {
            Target::Classes { codes, names } => {
                let codes: Vec<usize> = rows.iter().map(|&i| codes[i]).collect();
                right(cells, &codes, names.len(), &held).map(|share| format!("predicts the class of {} of held-out rows", percent(share)))
            }
            Target::Numbers(y) if y.cols() == 1 => match cells {
                Cells::Numbers(x) => {
                    let y: Vec<f64> = rows.iter().map(|&i| y[(i, 0)]).collect();
                    explained(x, &y, &held).map(|r2| format!("explains {} of the variance of held-out rows", percent(r2)))
                }
                Cells::Labels(_) => None,
            },
            _ => None,
        };
        if let Some(how) = how {
            match found.iter_mut().find(|(other, _)| *other == how) {
                Some((_, columns)) => columns.push(column),
                None => found.push((how, vec![column])),
            }
        }
    }
    found.into_iter().map(|(how, columns)| fact(&how, &columns)).collect()
}

fn fact(how: &str, columns: &[&Alone<'_>]) -> Fact {
    // Columns that are named.
    const NAMED: usize = 6;
    let (shown, name, _) = columns[0];
    let (found, known) = match columns {
        [_] => (format!("column {shown} alone gives the target away: it {how}"), "it is"),
        _ => {
            let names: Vec<&str> = columns.iter().take(NAMED).map(|(shown, ..)| shown.as_str()).collect();
            let more = if columns.len() > NAMED { format!(" and {} more", columns.len() - NAMED) } else { String::new() };
            (format!("columns {}{more} give the target away, each alone: each {how}", names.join(", ")), "one of them is")
        }
    };
    let leaks = columns.iter().map(|(_, name, _)| name.clone()).collect();
    if let Some((_, groups, _)) = columns.iter().find(|column| column.2.name_groups(&column.1)) {
        return Fact { leaks, found, advice: repeated::advice(groups) };
    }
    Fact { leaks, found, advice: format!("if {known} known only together with the target, leave it out (--types '{name}=ignore')") }
}

/// A share next to 1, not rounded to it.
fn percent(share: f64) -> String {
    if share < 1.0 && share > 0.999 { "more than 99.9%".into() } else { format!("{:.1}%", 100.0 * share) }
}

/// Known values in order, each with what stands for its rows.
fn known<T>(x: &[f64], held: &[bool], mut sum: impl FnMut(&[usize]) -> T) -> Vec<(f64, T)> {
    let mut order: Vec<usize> = (0..x.len()).filter(|&i| !held[i] && x[i].is_finite()).collect();
    order.sort_by(|&a, &b| x[a].total_cmp(&x[b]));
    order.chunk_by(|&a, &b| x[a] == x[b]).map(|tied| (x[tied[0]], sum(tied))).collect()
}

/// The places of the known values on both sides of one, or the same place twice.
fn beside<T>(known: &[(f64, T)], x: f64) -> (usize, usize) {
    let at = known.partition_point(|(k, _)| *k < x);
    if known.get(at).is_some_and(|(k, _)| *k == x) {
        return (at, at);
    }
    (at.saturating_sub(1), at.min(known.len() - 1))
}

fn most_frequent(codes: impl Iterator<Item = usize>, classes: usize) -> usize {
    let mut counts = vec![0usize; classes];
    codes.for_each(|k| counts[k] += 1);
    (0..classes).rev().max_by_key(|&k| counts[k]).unwrap_or(0)
}

/// The share of held-out rows whose class the column names, where that leaves next to no error of the most frequent class.
fn right(cells: &Cells<'_>, codes: &[usize], classes: usize, held: &[bool]) -> Option<f64> {
    // Share of the errors of the most frequent class that must be gone.
    const FEWER_ERRORS: f64 = 0.98;
    let usual = most_frequent(codes.iter().copied(), classes);
    let (mut hits, mut usual_hits, mut total) = (0usize, 0usize, 0usize);
    let mut judge = |i: usize, named: usize| {
        total += 1;
        hits += usize::from(named == codes[i]);
        usual_hits += usize::from(usual == codes[i]);
    };
    match cells {
        Cells::Numbers(x) => {
            let known = known(x, held, |tied| most_frequent(tied.iter().map(|&i| codes[i]), classes));
            if known.is_empty() {
                return None;
            }
            for i in (0..x.len()).filter(|&i| held[i] && x[i].is_finite()) {
                let (a, b) = beside(&known, x[i]);
                judge(i, if (x[i] - known[a].0).abs() <= (known[b].0 - x[i]).abs() { known[a].1 } else { known[b].1 });
            }
        }
        Cells::Labels(labels) => {
            let mut seen: HashMap<&str, Vec<usize>> = HashMap::new();
            (0..labels.len()).filter(|&i| !held[i]).for_each(|i| seen.entry(labels[i]).or_default().push(codes[i]));
            let named: HashMap<&str, usize> = seen.into_iter().map(|(l, c)| (l, most_frequent(c.into_iter(), classes))).collect();
            (0..labels.len()).filter(|&i| held[i]).for_each(|i| judge(i, named.get(labels[i]).copied().unwrap_or(usual)));
        }
    }
    let (errors, usual_errors) = (total - hits, total - usual_hits);
    let gone = usual_errors >= 5 && errors as f64 <= (1.0 - FEWER_ERRORS) * usual_errors as f64;
    (total >= LEAST && gone).then(|| hits as f64 / total as f64)
}

/// R² of held-out rows by the line between the neighbours in the column, where it is next to 1.
fn explained(x: &[f64], y: &[f64], held: &[bool]) -> Option<f64> {
    // R² from which a column is reported.
    const EXPLAINED: f64 = 0.995;
    let known = known(x, held, |tied| tied.iter().map(|&i| y[i]).sum::<f64>() / tied.len() as f64);
    let test: Vec<usize> = (0..x.len()).filter(|&i| held[i] && x[i].is_finite()).collect();
    if known.len() < 2 || test.len() < LEAST || 2 * test.len() < y.len() / 2 {
        return None;
    }
    let mean = test.iter().map(|&i| y[i]).sum::<f64>() / test.len() as f64;
    let (mut residual, mut total) = (0.0, 0.0);
    for &i in &test {
        let (a, b) = beside(&known, x[i]);
        let ((x0, y0), (x1, y1)) = (&known[a], &known[b]);
        let line = if x1 > x0 { y0 + (y1 - y0) * (x[i] - x0) / (x1 - x0) } else { *y0 };
        residual += (y[i] - line).powi(2);
        total += (y[i] - mean).powi(2);
    }
    let r2 = 1.0 - residual / total;
    (total > 0.0 && r2 >= EXPLAINED).then_some(r2)
}
