//! Tables made up to refute an expression: the columns that its kernels ask for, at several sizes and scales.

use crate::data::{Column, ColumnKind, Dataset, Draw, Values};
use crate::kernels::KernelExpr;

/// Rows and scale of each table: few rows give short witnesses, wide and narrow clouds reach other parts of a kernel.
const SHAPES: [(usize, f64); 8] = [(1, 1.0), (2, 1.0), (2, 8.0), (12, 1.0), (30, 1.0), (30, 0.1), (30, 10.0), (60, 3.0)];
/// Rows that are each one change away from the first row of a table.
const STARS: [usize; 3] = [3, 10, 60];

/// Tables with the columns that the expression wants, the shortest first; numbers first of both signs, then of 0 or above.
/// At last, where there are cells that can be changed a little, one with all that are one change away, and all else the same in
/// every row.
pub(super) fn tables(expr: &KernelExpr, seed: u64) -> impl Iterator<Item = Dataset> {
    let wanted = expr.wanted_columns();
    let mut draw = Draw::new(1, seed);
    let columns = wanted.clone();
    let star = move |others: usize| {
        let repeated = |kind: ColumnKind| Some(kind.invent(&mut Draw::new(1, seed))?.select(&vec![0; others + 1]));
        columns
            .iter()
            .any(|(_, kind)| kind.star(others).is_some())
            .then(|| table(others + 1, &columns, |kind| kind.star(others).or_else(|| repeated(kind))))
    };
    let drawn = SHAPES.into_iter().flat_map(move |(rows, scale)| {
        [false, true].map(|positive| {
            (draw.rows, draw.scale, draw.positive) = (rows, scale, positive);
            table(rows, &wanted, |kind| kind.invent(&mut draw))
        })
    });
    drawn.chain(STARS.into_iter().filter_map(star))
}

fn table(rows: usize, columns: &[(String, ColumnKind)], mut cells: impl FnMut(ColumnKind) -> Option<Values>) -> Dataset {
    let made = columns.iter().filter_map(|(name, kind)| Some(Column { name: name.clone(), values: cells(*kind)? }));
    Dataset::with_rows(rows, made.collect()).unwrap_or_default()
}
