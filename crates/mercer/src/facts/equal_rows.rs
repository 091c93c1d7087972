//! Rows that are equal in every column: a row on both sides of a split is judged by what was learnt from itself.

use super::Fact;
use crate::data::{Dataset, Storage, Target, Values};
use std::collections::HashMap;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher, Hasher};

/// Shares of rows that repeat another from which it is told.
const TOLD: f64 = 0.01;

/// A group for each row, numbered from 0 as they first appear: rows equal in every column share one. Missing cells equal
/// each other, 0 equals -0.
pub fn equal_rows(data: &Dataset) -> Vec<usize> {
    let seed = BuildHasherDefault::<DefaultHasher>::default();
    let mut hashers: Vec<_> = (0..data.rows()).map(|_| seed.build_hasher()).collect();
    for column in data.columns() {
        for (i, hasher) in hashers.iter_mut().enumerate() {
            each_word(&column.values, i, &mut |word| hasher.write_u64(word));
        }
    }
    let mut groups = Vec::with_capacity(data.rows());
    // The first row of each group by hash; rows of one hash are compared.
    let mut firsts: HashMap<u64, Vec<(usize, usize)>> = HashMap::new();
    let mut count = 0;
    for (i, hasher) in hashers.iter().enumerate() {
        let known = firsts.entry(hasher.finish()).or_default();
        let group = match known.iter().find(|(first, _)| same(data, *first, i)) {
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

fn same(data: &Dataset, a: usize, b: usize) -> bool {
    let words = |row: usize| {
        let mut all = Vec::new();
        data.columns().iter().for_each(|c| each_word(&c.values, row, &mut |word| all.push(word)));
        all
    };
    words(a) == words(b)
}

/// The cell of a row as words that are equal where the cells are; a string is as many as it is long, and its length.
fn each_word(values: &Values, row: usize, word: &mut dyn FnMut(u64)) {
    let number = |x: f64| if x.is_nan() { u64::MAX } else { (x + 0.0).to_bits() };
    match values {
        Values::Numbers(v) => word(number(v[row])),
        Values::Categories(c) => word(u64::from(c.codes[row])),
        Values::Similarities(s) => word(s.own(row) as u64),
        Values::Texts(s) | Values::Sequences(s) => {
            let text = s.get(row).as_bytes();
            word(text.len() as u64);
            for part in text.chunks(8) {
                let mut bytes = [0; 8];
                bytes[..part.len()].copy_from_slice(part);
                word(u64::from_le_bytes(bytes));
            }
        }
        Values::Points(p) => match p.storage() {
            Storage::Dense(v) => v[row * p.dim()..(row + 1) * p.dim()].iter().for_each(|x| word(number(*x))),
            Storage::Csr { starts, columns, values } => {
                for k in starts[row]..starts[row + 1] {
                    word(u64::from(columns[k]));
                    word(number(values[k]));
                }
                word(u64::MAX);
            }
        },
    }
}

/// A target as words, so that rows can be told apart by it too.
fn target_word(target: &Target, row: usize) -> Vec<u64> {
    match target {
        Target::Numbers(y) => y.row(row).iter().map(|x| x.to_bits()).collect(),
        Target::Classes { codes, .. } => vec![codes[row] as u64],
        Target::Absent => Vec::new(),
    }
}

/// Groups of rows that are copies, target included, where a table has them: at least one row in a hundred repeats another, and
/// the targets of equal rows hardly ever differ. Where they do differ, rows are equal because the columns are coarse, and a
/// fold may well learn from the one and be judged by the other: `None`.
pub fn copies(data: &Dataset, target: &Target) -> Option<Vec<usize>> {
    let groups = equal_rows(data);
    let different = groups.iter().max().map_or(0, |g| g + 1);
    let repeats = data.rows() - different;
    let mut seen: HashMap<usize, Vec<u64>> = HashMap::new();
    let mut differ = 0;
    for (i, &group) in groups.iter().enumerate() {
        let word = target_word(target, i);
        differ += usize::from(seen.entry(group).or_insert_with(|| word.clone()) != &word);
    }
    let told = repeats > 0 && repeats as f64 >= TOLD * data.rows() as f64;
    (told && (differ as f64) <= TOLD * repeats as f64).then_some(groups)
}

pub(super) fn fact(data: &Dataset, target: &Target, groups: &[usize]) -> Option<Fact> {
    let different = groups.iter().max().map_or(0, |g| g + 1);
    let repeats = data.rows() - different;
    if repeats == 0 || (repeats as f64) < TOLD * data.rows() as f64 {
        return None;
    }
    // Of the rows that are alike in every input, those whose targets differ set a bound to what can be learnt.
    let mut seen: HashMap<usize, Vec<u64>> = HashMap::new();
    let mut at_odds = std::collections::HashSet::new();
    for (i, &group) in groups.iter().enumerate() {
        let word = target_word(target, i);
        if seen.entry(group).or_insert_with(|| word.clone()) != &word {
            at_odds.insert(group);
        }
    }
    let odds = match at_odds.len() {
        0 => String::new(),
        n => format!("; in {n} of the {different} groups the targets differ, which no model of these columns can tell apart"),
    };
    let share = 100.0 * repeats as f64 / data.rows() as f64;
    Some(Fact {
        found: format!("{repeats} of {} rows ({share:.0}%) repeat another row in every column{odds}", data.rows()),
        advice: "equal rows must stay in one fold, or each is judged by its copy; if they are copies, take them out".into(),
    })
}
