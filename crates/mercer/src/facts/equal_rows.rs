//! Rows that are equal in every column: a row on both sides of a split is judged by what was learnt from itself.

use super::Fact;
use crate::data::{Dataset, Split, Target, Values};
use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher, Hasher};

/// Duplicate rows are reported from this share of all rows.
const TOLD: f64 = 0.01;

/// A group for each row, numbered from 0 as they first appear: rows equal in every column share one. Missing cells equal
/// each other, 0 equals -0.
pub fn equal_rows(data: &Dataset) -> Vec<usize> {
    groups(data, &hashes(data))
}

/// Group numbers that depend on the content of the rows only, not on their position or how often they occur, nor on the units of numbers
/// or the order of columns.
fn in_order_of_content(data: &Dataset, groups: &[usize], hashes: Vec<u64>) -> Vec<usize> {
    let standings = standings(data);
    // Rows with equal ranks in exchanged columns are ordered by what they hold.
    let mut of_group: Vec<((u64, u64), usize)> = standings.into_iter().zip(hashes).zip(groups.iter().copied()).collect();
    of_group.sort_unstable();
    of_group.dedup();
    let mut place = vec![0; of_group.len()];
    of_group.iter().enumerate().for_each(|(at, (_, group))| place[*group] = at);
    groups.iter().map(|&group| place[group]).collect()
}

/// A number for each row of the ranks of its numbers within their columns and of its other cells, whatever the order of the columns.
fn standings(data: &Dataset) -> Vec<u64> {
    let seed = BuildHasherDefault::<DefaultHasher>::default();
    let mut all = vec![0u64; data.rows()];
    let mut add_ranks = |numbers: &[f64]| {
        for (sum, rank) in all.iter_mut().zip(ranks(numbers)) {
            *sum = sum.wrapping_add(seed.hash_one(rank));
        }
    };
    let mut others = Vec::new();
    for column in data.columns() {
        match &column.values {
            Values::Numbers(numbers) => add_ranks(numbers),
            Values::Points(points) if !points.is_sparse() => {
                let values = points.to_dense();
                (0..points.dim()).for_each(|d| add_ranks(&values.iter().skip(d).step_by(points.dim()).copied().collect::<Vec<_>>()));
            }
            other => others.push(other),
        }
    }
    for values in others {
        for (i, sum) in all.iter_mut().enumerate() {
            let mut hasher = seed.build_hasher();
            values.words(i, &mut |word| hasher.write_u64(word));
            *sum = sum.wrapping_add(hasher.finish());
        }
    }
    all
}

/// The rank of each number among the different ones; that of a missing one is above all.
fn ranks(numbers: &[f64]) -> Vec<usize> {
    let mut different: Vec<f64> = numbers.iter().filter(|x| !x.is_nan()).map(|x| x + 0.0).collect();
    different.sort_by(f64::total_cmp);
    different.dedup();
    numbers.iter().map(|x| if x.is_nan() { usize::MAX } else { different.partition_point(|other| other < x) }).collect()
}

fn hashes(data: &Dataset) -> Vec<u64> {
    let seed = BuildHasherDefault::<DefaultHasher>::default();
    let mut hashers: Vec<_> = (0..data.rows()).map(|_| seed.build_hasher()).collect();
    for column in data.columns() {
        for (i, hasher) in hashers.iter_mut().enumerate() {
            column.values.words(i, &mut |word| hasher.write_u64(word));
        }
    }
    hashers.iter().map(Hasher::finish).collect()
}

fn groups(data: &Dataset, hashes: &[u64]) -> Vec<usize> {
    let mut groups = Vec::with_capacity(data.rows());
    // The first row of each group by hash; rows of one hash are compared.
    let mut firsts: HashMap<u64, Vec<(usize, usize)>> = HashMap::new();
    let mut count = 0;
    for (i, &hash) in hashes.iter().enumerate() {
        let known = firsts.entry(hash).or_default();
        let group = match known.iter().find(|(first, _)| data.words(*first) == data.words(i)) {
            Some((_, group)) => *group,
            None => {
                known.push((i, count));
                count += 1;
                count - 1
            }
        };
        groups.push(group);
    }
    groups
}

/// A target as words, so that rows can be distinguished by it too.
fn target_word(target: &Target, row: usize) -> Vec<u64> {
    match target {
        Target::Numbers(y) => y.row(row).iter().map(|x| x.to_bits()).collect(),
        Target::Classes { codes, .. } => vec![codes[row] as u64],
        Target::Absent { .. } => Vec::new(),
    }
}

/// What the rows that are alike in every input are.
struct Alike {
    /// Different rows.
    different: usize,
    /// Rows that repeat an earlier one.
    repeats: usize,
    /// Repeats whose target is another than that of the first such row.
    differ: usize,
    /// Groups with such a repeat.
    at_odds: usize,
}

impl Alike {
    fn of(target: &Target, groups: &[usize]) -> Self {
        let mut seen: HashMap<usize, Vec<u64>> = HashMap::new();
        let (mut differ, mut at_odds) = (0, HashSet::new());
        for (i, &group) in groups.iter().enumerate() {
            let word = target_word(target, i);
            if seen.entry(group).or_insert_with(|| word.clone()) != &word {
                differ += 1;
                at_odds.insert(group);
            }
        }
        Alike { different: seen.len(), repeats: groups.len() - seen.len(), differ, at_odds: at_odds.len() }
    }
    /// Whether repeats are more than chance makes.
    fn are_many(&self) -> bool {
        self.repeats > 0 && self.repeats as f64 >= TOLD * (self.different + self.repeats) as f64
    }
    /// Whether they are copies: their targets hardly ever differ. Where they do, rows are equal because the columns are coarse.
    fn are_copies(&self) -> bool {
        self.are_many() && self.agree()
    }
    /// Whether the targets of equal rows hardly ever differ; so too where no rows are equal.
    fn agree(&self) -> bool {
        self.differ as f64 <= TOLD * self.repeats as f64
    }
}

/// Groups of rows that are copies, target included, where a table has them: at least one row in a hundred repeats another, and
/// the targets of equal rows hardly ever differ. Where they do differ, rows are equal because the columns are coarse, and a
/// fold may well learn from the one and be judged by the other: `None`.
pub fn copies(data: &Dataset, target: &Target) -> Option<Vec<usize>> {
    let groups = equal_rows(data);
    Alike::of(target, &groups).are_copies().then_some(groups)
}

/// Groups of equal rows whose targets hardly ever differ, to be dealt out in the order of their numbers: the same rows come
/// to the same folds wherever they stand, whatever the units and the order of their columns, and a row of weight 2 where two rows do. `None` where equal rows differ in
/// their targets.
pub fn dealt_by_content(data: &Dataset, target: &Target) -> Option<Vec<usize>> {
    let hashes = hashes(data);
    let groups = groups(data, &hashes);
    Alike::of(target, &groups).agree().then(|| in_order_of_content(data, &groups, hashes))
}

/// The split by which rows are held out to calibrate: equal rows count as one row of their total weight. Rows are split one by
/// one where the columns are so coarse that equal rows have different targets.
pub fn each_once(data: &Dataset, target: &Target) -> Split {
    let groups = equal_rows(data);
    if Alike::of(target, &groups).agree() { Split::Copies(groups) } else { Split::Rows }
}

/// The split that keeps copies in one fold, where nothing else was asked for and there are copies and enough other rows.
pub fn kept_together(data: &Dataset, target: &Target, split: &Split, folds: usize) -> Option<Split> {
    match split {
        Split::Rows => copies(data, target).map(Split::Copies).filter(|split| split.most_folds(data.rows()) >= folds),
        _ => None,
    }
}

pub(super) fn fact(data: &Dataset, target: &Target, groups: &[usize], split: &Split, folds: usize) -> Option<Fact> {
    let alike = Alike::of(target, groups);
    if data.columns().is_empty() || !alike.are_many() {
        return None;
    }
    let odds = match alike.at_odds {
        0 => String::new(),
        1 => "; one group of identical rows has different targets, so perfect scores are impossible".into(),
        n => format!("; {n} groups of identical rows have different targets, so perfect scores are impossible"),
    };
    let done = match split {
        Split::Copies(_) => "copies stay in one fold",
        Split::Groups(_) => "groups stay in one fold; identical rows of different groups may fall into different folds",
        Split::Time(_) => "folds follow time, and identical rows may fall into different folds",
        Split::Rows if alike.are_copies() && alike.different >= folds => "copies stay in one fold",
        Split::Rows if alike.are_copies() => {
            "there are too few distinct rows to keep copies in one fold, so that a row may be scored by a model trained on its copy"
        }
        Split::Rows => "identical rows may fall into different folds; if they belong together, name a column of groups: --groups COL",
    };
    let share = 100.0 * alike.repeats as f64 / data.rows() as f64;
    Some(Fact {
        leaks: Vec::new(),
        found: format!("{} of {} rows ({share:.0}%) repeat another row in every column{odds}", alike.repeats, data.rows()),
        advice: done.into(),
    })
}
