//! Conformance checks that every kernel, generative model and estimator of the lists must pass, with no code of its own.
//!
//! For authors of new ones, in this crate or outside: [`check_kernel`], [`check_model`] and [`check_estimator`] run all checks on a small
//! table; run [`check_kernel_expr`], [`check_model_expr`] and [`check_estimator_expr`] on data of your own too.

mod case;
mod edge_cases;
mod estimators;
mod features;
mod invariances;
mod kernels;
mod models;

pub use estimators::{check_calibrated, check_estimator_expr, check_estimator_of};
pub use kernels::check_kernel_expr;
pub use models::{check_model, check_model_expr};

use crate::control::Control;
use crate::data::{Categories, Column, ColumnKind, Dataset, Draw, Strings, Values};
use crate::error::Result;
use crate::estimators::{Estimator, EstimatorExpr, FittedOfProgram};
use crate::gram::{self, Gram, Kernel};
use crate::kernels::KernelExpr;
use crate::linalg::Matrix;
use crate::param::Param;
use rand::{Rng, RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// What a check found wrong, in words.
pub type Verdict = std::result::Result<(), String>;

/// Runs every check on a kernel with its defaults, on a small table. It is registered then.
pub fn check_kernel<K: Kernel>() -> Verdict {
    let expr = words(KernelExpr::own(K::default()))?;
    [1, 3, 40].iter().try_for_each(|&rows| check_kernel_expr(&expr, &table(rows, 11)))
}

/// Runs every check on an estimator with its defaults, on small tables of every kind of target that it takes. It is registered then.
pub fn check_estimator<E: Estimator<Fitted: FittedOfProgram> + 'static>() -> Verdict {
    let expr = words(EstimatorExpr::own(E::default()))?;
    check_estimator_expr(&expr, &words(KernelExpr::parse("rbf + equal"))?, &table(26, 17))
}

/// Something, or what a check found wrong on the way to it.
type Checked<T> = std::result::Result<T, String>;

/// A standard normal number.
fn normal(random: &mut impl Rng) -> f64 {
    (0..12).map(|_| random.random::<f64>()).sum::<f64>() - 6.0
}

/// A small table: three numbers, two categories, one sequence, and a column of every kind that none of the kernels of these
/// takes. Two rows are equal.
pub fn table(rows: usize, seed: u64) -> Dataset {
    // Kinds of columns that kernels take which take numbers, labels or sequences.
    const TAKEN: [ColumnKind; 5] = [ColumnKind::Number, ColumnKind::Points, ColumnKind::Category, ColumnKind::Text, ColumnKind::Sequence];
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let numbers = |random: &mut Xoshiro256PlusPlus| {
        let mut v: Vec<f64> = (0..rows).map(|_| normal(random)).collect();
        if rows > 2 {
            v[1] = v[0];
        }
        Values::Numbers(v)
    };
    let mut columns = Vec::new();
    for name in ["a", "b", "c"] {
        columns.push(Column { name: name.into(), values: numbers(&mut random) });
    }
    for name in ["colour", "shape"] {
        let mut labels: Vec<&str> = (0..rows).map(|_| ["red", "green", "blue"][random.random_range(0..3)]).collect();
        if rows > 2 {
            labels[1] = labels[0];
        }
        columns.push(Column { name: name.into(), values: Values::Categories(Categories::from_labels(&labels)) });
    }
    let mut words: Vec<String> =
        (0..rows).map(|_| (0..random.random_range(2..30)).map(|_| ['A', 'C', 'G', 'T'][random.random_range(0..4)]).collect()).collect();
    if rows > 2 {
        words[1] = words[0].clone();
    }
    columns.push(Column { name: "seq".into(), values: Values::Sequences(Strings::new(words)) });
    let twice: Vec<usize> = (0..rows).map(|i| if i == 1 && rows > 2 { 0 } else { i }).collect();
    for kind in ColumnKind::ALL.iter().filter(|kind| !TAKEN.contains(kind)) {
        let made = kind.invent(&mut Draw::new(rows, seed));
        columns.extend(made.map(|values| Column { name: kind.name().into(), values: values.select(&twice) }));
    }
    Dataset::new(columns).unwrap_or_default()
}

fn fail<T>(what: &str, detail: impl std::fmt::Display) -> Checked<T> {
    Err(format!("{what}: {detail}"))
}

fn words<T>(made: Result<T>) -> Checked<T> {
    made.map_err(|e| e.to_string())
}

/// Whether two numbers differ by no more than `tolerance`, relative to the larger of 1 and their size.
fn close(a: f64, b: f64, tolerance: f64) -> bool {
    (a - b).abs() <= tolerance * (1.0 + a.abs().max(b.abs()))
}

/// The whole matrix between new rows and support rows.
fn whole(gram: &dyn Gram) -> Checked<Matrix> {
    words(gram::dense(gram, &Control::default()))
}

/// The fields that serde sees are the parameters of the record, one for one; `tagged` is `{"name": {fields}}`.
fn fields_are_parameters(name: &str, tagged: &serde_json::Value, params: &[Param]) -> Verdict {
    // What is registered is stored by its name.
    let own = if tagged["registered"]["name"] == name { &tagged["registered"]["value"] } else { &tagged[name] };
    let mut fields: Vec<&str> = own.as_object().map(|o| o.keys().map(String::as_str).collect()).unwrap_or_default();
    let mut records: Vec<&str> = params.iter().map(|p| p.name).collect();
    fields.sort_unstable();
    records.sort_unstable();
    if fields != records {
        return fail("parameter records", format!("{name} has the fields {fields:?} and the records {records:?}"));
    }
    match params.iter().find(|p| p.doc.trim().is_empty()) {
        Some(p) => fail("parameter records", format!("{name}: {} has no meaning in words", p.name)),
        None => Ok(()),
    }
}
