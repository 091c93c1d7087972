//! Arrays of the crate ndarray: rows in, a Gram matrix and predictions out.
//!
//! ```text
//! cargo run --release --example from_ndarray
//! ```

use mercer::estimators::Predicted;
use mercer::prelude::*;
use mercer::{Error, Result, gram};
use ndarray::{Array1, Array2, ArrayView2};

/// The rows of an array as rows of points.
fn points(x: ArrayView2<'_, f64>) -> Result<Dataset> {
    Ok(Dataset::from_points(Points::dense(x.nrows(), x.ncols(), x.iter().copied().collect())?))
}

/// A matrix as an array.
fn array(m: mercer::linalg::Matrix) -> Result<Array2<f64>> {
    Array2::from_shape_vec((m.rows(), m.cols()), m.data().to_vec()).map_err(|e| Error::Data(e.to_string()))
}

fn main() -> Result<()> {
    let control = Control::default();
    let x = Array2::from_shape_fn((40, 2), |(i, j)| ((i * (j + 2)) as f64 * 0.37).sin());
    let y: Array1<f64> = x.rows().into_iter().map(|row| row[0] * row[1]).collect();

    let kernel = KernelExpr::from(rbf().length_scale(1));
    let gram = array(gram::dense(kernel.bind(None, &points(x.view())?)?.as_ref(), &control)?)?;
    println!("Gram matrix {:?}, trace {}", gram.dim(), gram.diag().sum());

    let model = mercer::fit(ridge().lambda(0.1..10.0), &points(x.view())?, &Target::numbers(&y.to_vec()))?;
    if let Predicted::Numbers(found) = model.predict(&points(x.view())?, Want::default(), &control)?.values {
        let error = (&array(found)?.column(0) - &y).mapv(|e| e * e).mean().unwrap_or_default().sqrt();
        println!("{} with {}: RMSE {error:.4} on its own rows", model.estimator, model.kernel);
    }
    Ok(())
}
