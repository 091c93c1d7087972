//! Features against kernel values: whatever a kernel or a composition keeps of features multiplies to its values.

use super::{Checked, Verdict, close, fail, whole, words};
use crate::control::Control;
use crate::data::Dataset;
use crate::gram::{Bound, Features, Gram, Side, Structure, Subset};
use crate::kernels::KernelExpr;
use crate::linalg::{Matrix, SparseMatrix, product_transposed};

/// Features survive among rows, for new rows and for selections; those that an expression promises are there; those that stand alone are
/// the same in a batch of other rows. `bound` is the settled expression among all rows.
pub(super) fn check(settled: &KernelExpr, data: &Dataset, bound: &dyn Bound) -> Verdict {
    let some: Vec<usize> = (0..data.rows()).rev().step_by(2).collect();
    let new = data.select(&some);
    products_are_values("features", bound)?;
    products_are_values("features of new rows", words(settled.bind(Some(&new), data))?.as_ref())?;
    let selection = Subset::new(bound, &some, &(0..data.rows()).step_by(3).collect::<Vec<_>>());
    products_are_values("features of a selection", &selection)?;
    let structure = bound.structure();
    if selection.structure().features_stand_alone() != structure.features_stand_alone() {
        return fail("features that stand alone", "a selection says otherwise than the whole");
    }
    let cols = structure.dense_features(Side::Rows).map(|z| z.cols());
    if let Some(rank) = settled.rank(data).filter(|rank| cols.is_none_or(|cols| cols > *rank)) {
        return fail("rank", format!("{rank} features are promised, {cols:?} are there"));
    }
    if settled.stored(data).is_some() && Features::of(bound, Side::Rows).is_none() {
        return fail("sparse features", "they are promised and not there");
    }
    if structure.features_stand_alone() && !settled.needs_training_rows() {
        return stand_alone(settled, data, bound, &some);
    }
    Ok(())
}

/// Features of a batch without the other rows, and those of all rows, multiply to the values between them.
fn stand_alone(settled: &KernelExpr, data: &Dataset, bound: &dyn Bound, some: &[usize]) -> Verdict {
    let learnt = words(settled.learn(data, None, &Control::default()))?;
    let alone = words(learnt.gram(&data.select(some), &Control::default()))?;
    let k = whole(bound)?;
    for (features, storage) in STORAGES {
        if let (Some(rows), Some(cols)) = (features(alone.structure(), Side::Rows), features(bound.structure(), Side::Cols)) {
            let expected = k.select_rows(some);
            equal(&format!("{storage} features that stand alone"), &rows, &cols, &expected)?;
        }
    }
    Ok(())
}

/// Forms the features of one side in one storage.
type Former = fn(Structure<'_>, Side) -> Option<Matrix>;

/// Both storages, with their names.
const STORAGES: [(Former, &str); 2] = [
    (|structure, side| structure.dense_features(side).map(|z| z.into_owned()), "dense"),
    (|structure, side| structure.sparse_features(side).map(|z| written_out(&z)), "sparse"),
];

fn written_out(z: &SparseMatrix<'_>) -> Matrix {
    let mut out = Matrix::zeros(z.rows(), z.cols());
    for i in 0..z.rows() {
        let (columns, values) = z.row(i);
        columns.iter().zip(values).for_each(|(&j, v)| out[(i, j as usize)] += v);
    }
    out
}

fn products_are_values(what: &str, of: &dyn Gram) -> Verdict {
    for (features, storage) in STORAGES {
        match [Side::Rows, Side::Cols].map(|side| features(of.structure(), side)) {
            [Some(rows), Some(cols)] => equal(&format!("{storage} {what}"), &rows, &cols, &whole(of)?)?,
            [None, None] => {}
            _ => return fail(what, format!("{storage} ones are there for one side only")),
        }
    }
    Ok(())
}

fn equal(what: &str, rows: &Matrix, cols: &Matrix, k: &Matrix) -> Verdict {
    // Rounding of a product of features, relative to the values.
    const ROUNDING: f64 = 1e-10;
    if rows.cols() != cols.cols() {
        return fail(what, format!("{} of rows and {} of columns", rows.cols(), cols.cols()));
    }
    let products: Checked<Matrix> = words(product_transposed(rows, cols));
    let products = products?;
    match (0..k.data().len()).find(|&at| !close(products.data()[at], k.data()[at], ROUNDING)) {
        Some(at) => fail(what, format!("their product is {} where the value is {}", products.data()[at], k.data()[at])),
        None => Ok(()),
    }
}
