//! Tables made up to refute an expression: the columns that its kernels ask for, at several sizes and scales.

use crate::data::{Categories, Column, Dataset, Sort, Strings, Values};
use crate::kernels::KernelExpr;
use rand::{RngExt, SeedableRng};
use rand_distr::{Distribution, StandardNormal};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Rows and scale of each table: few rows give short witnesses, wide and narrow clouds reach other parts of a kernel.
const SHAPES: [(usize, f64); 8] = [(1, 1.0), (2, 1.0), (2, 8.0), (12, 1.0), (30, 1.0), (30, 0.1), (30, 10.0), (60, 3.0)];
/// Lengths of the string that the others of a table are next to.
const STARS: [usize; 3] = [3, 10, 60];

/// Tables with the columns that the expression wants, the shortest first; numbers first of both signs, then of 0 or above.
/// At last, where there are strings, a string with all that have one letter changed, and all else the same in every row.
pub(super) fn tables(expr: &KernelExpr, seed: u64) -> impl Iterator<Item = Dataset> {
    let wanted = expr.wanted_columns();
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let stars: Vec<usize> = if wanted.iter().any(|(_, s)| is_string(*s)) { STARS.to_vec() } else { Vec::new() };
    let columns = wanted.clone();
    let stars = stars.into_iter().map(move |length| {
        let columns = columns.iter().map(|(name, sort)| {
            let values = match sort {
                Sort::Category => Values::Categories(Categories::from_labels(&vec!["a"; length + 1])),
                Sort::Text => Values::Texts(star(length)),
                Sort::Sequence => Values::Sequences(star(length)),
                _ => Values::Numbers(vec![1.0; length + 1]),
            };
            Column { name: name.clone(), values }
        });
        Dataset::with_rows(length + 1, columns.collect()).unwrap_or_default()
    });
    let drawn = SHAPES.into_iter().flat_map(move |(rows, scale)| {
        [false, true].map(|positive| {
            let columns = wanted.iter().map(|(name, sort)| {
                let values = match sort {
                    Sort::Category => labels(rows, &mut random),
                    Sort::Text => Values::Texts(strings(rows, &mut random)),
                    Sort::Sequence => Values::Sequences(strings(rows, &mut random)),
                    _ => numbers(rows, scale, positive, &mut random),
                };
                Column { name: name.clone(), values }
            });
            Dataset::with_rows(rows, columns.collect()).unwrap_or_default()
        })
    });
    drawn.chain(stars)
}

fn is_string(sort: Sort) -> bool {
    matches!(sort, Sort::Text | Sort::Sequence)
}

/// A string of one letter, and those that have another letter at one of its places.
fn star(length: usize) -> Strings {
    let place = |changed: usize| (0..length).map(|i| if i == changed { 'C' } else { 'A' }).collect::<String>();
    Strings::new((0..=length).rev().map(place).collect::<Vec<_>>())
}

fn numbers(rows: usize, scale: f64, positive: bool, random: &mut Xoshiro256PlusPlus) -> Values {
    let number = |x: f64| if positive { (scale * x).abs() } else { scale * x };
    Values::Numbers((0..rows).map(|_| number(StandardNormal.sample(random))).collect())
}

fn labels(rows: usize, random: &mut Xoshiro256PlusPlus) -> Values {
    let labels: Vec<&str> = (0..rows).map(|_| ["a", "b", "c"][random.random_range(0..3)]).collect();
    Values::Categories(Categories::from_labels(&labels))
}

fn strings(rows: usize, random: &mut Xoshiro256PlusPlus) -> Strings {
    let mut string = || -> String { (0..random.random_range(2..20)).map(|_| ['A', 'C', 'G', 'T'][random.random_range(0..4)]).collect() };
    Strings::new((0..rows).map(|_| string()).collect::<Vec<_>>())
}
