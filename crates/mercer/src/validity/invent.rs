//! Tables made up to refute an expression: the columns that its kernels ask for, at several sizes and scales.

use crate::data::{Column, ColumnKind, Dataset, Draw, Values};
use crate::kernels::KernelExpr;

/// Rows that are made up.
pub(super) struct Invented {
    /// What is `auto` is settled on these, as on training rows; `None`: on the rows themselves.
    settled_on: Option<Dataset>,
    /// Rows that may refute the expression.
    pub(super) rows: Dataset,
}

impl Invented {
    fn alone(rows: Dataset) -> Self {
        Invented { settled_on: None, rows }
    }
    /// The rows that the expression is settled on.
    pub(super) fn training(&self) -> &Dataset {
        self.settled_on.as_ref().unwrap_or(&self.rows)
    }
}

/// Tables with the columns that the expression wants, the shortest first; numbers first of both signs, then of 0 or above.
/// Then, where there are cells that can be changed a little, one with all that are one change away, and all else the same in
/// every row; then rows that are unlike those that it is settled on, and at last counts.
pub(super) fn tables(expr: &KernelExpr, seed: u64) -> impl Iterator<Item = Invented> {
    // Rows and scale of each table: few rows give short witnesses, wide and narrow clouds reach other parts of a kernel.
    const SHAPES: [(usize, f64); 8] = [(1, 1.0), (2, 1.0), (2, 8.0), (12, 1.0), (30, 1.0), (30, 0.1), (30, 10.0), (60, 3.0)];
    // Rows and scale of each table of counts, which some kernels take alone.
    const COUNTED: [(usize, f64); 2] = [(2, 3.0), (30, 3.0)];
    // Rows that are each one change away from the first row of a table.
    const STARS: [usize; 3] = [3, 10, 60];
    // Rows, scale and whether they lie in clusters, of tables for an expression that is settled on others, of scale 1: a length scale that
    // is found by the rows themselves keeps rows from being far apart.
    const ELSEWHERE: [(usize, f64, bool); 4] = [(60, 0.03, false), (60, 30.0, false), (60, 30.0, true), (300, 1000.0, false)];
    // The number of rows that it is settled on.
    const TRAINING: usize = 30;
    let wanted = expr.wanted_columns();
    let mut draw = Draw::new(1, seed);
    let (columns, more, last) = (wanted.clone(), wanted.clone(), wanted.clone());
    let star = move |others: usize| {
        let repeated = |kind: ColumnKind| Some(kind.invent(&mut Draw::new(1, seed))?.select(&vec![0; others + 1]));
        columns
            .iter()
            .any(|(_, kind)| kind.star(others).is_some())
            .then(|| Invented::alone(table(others + 1, &columns, |kind| kind.star(others).or_else(|| repeated(kind)))))
    };
    let drawn = SHAPES.into_iter().flat_map(move |(rows, scale)| {
        [false, true].map(|positive| {
            (draw.rows, draw.scale, draw.positive) = (rows, scale, positive);
            Invented::alone(table(rows, &wanted, |kind| kind.invent(&mut draw)))
        })
    });
    let mut draw = Draw::new(1, seed.wrapping_add(1));
    let elsewhere = ELSEWHERE.into_iter().flat_map(move |(rows, scale, clustered)| {
        [false, true].map(|positive| {
            (draw.rows, draw.scale, draw.clustered, draw.positive) = (TRAINING, 1.0, false, positive);
            let training = table(TRAINING, &more, |kind| kind.invent(&mut draw));
            (draw.rows, draw.scale, draw.clustered) = (rows, scale, clustered);
            Invented { settled_on: Some(training), rows: table(rows, &more, |kind| kind.invent(&mut draw)) }
        })
    });
    let counted = COUNTED.into_iter().map(move |(rows, scale)| {
        let mut draw = Draw::new(rows, seed);
        (draw.scale, draw.counts) = (scale, true);
        Invented::alone(table(rows, &last, |kind| kind.invent(&mut draw)))
    });
    drawn.chain(STARS.into_iter().filter_map(star)).chain(elsewhere).chain(counted)
}

/// Whether cells of every kind of column that the expression wants can be made up.
pub(super) fn has_tables(expr: &KernelExpr, seed: u64) -> bool {
    expr.wanted_columns().iter().all(|(_, kind)| kind.invent(&mut Draw::new(1, seed)).is_some())
}

fn table(rows: usize, columns: &[(String, ColumnKind)], mut cells: impl FnMut(ColumnKind) -> Option<Values>) -> Dataset {
    let made = columns.iter().filter_map(|(name, kind)| Some(Column { name: name.clone(), values: cells(*kind)? }));
    Dataset::with_rows(rows, made.collect()).unwrap_or_default()
}
