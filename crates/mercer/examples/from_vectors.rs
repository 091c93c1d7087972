//! From numbers in memory to a model in a file and back, without a table.
//!
//! ```text
//! cargo run --release --example from_vectors
//! ```

use mercer::prelude::*;

fn main() -> mercer::Result<()> {
    // 60 points of a wave, row after row.
    let x: Vec<f64> = (0..60).map(|i| f64::from(i) / 10.0).collect();
    let y: Vec<f64> = x.iter().map(|x| x.sin()).collect();
    let data = Dataset::from_points(Points::dense(60, 1, x)?);
    let model = mercer::fit(Learner::new(gp()).kernel(periodic() + rbf()), &data, &Target::numbers(&y))?;

    let file = std::env::temp_dir().join("wave.mercer");
    model.save(&file)?;
    let again = Model::load(&file)?;

    let new = Dataset::from_points(Points::dense(2, 1, vec![0.55, 7.0])?);
    let Predictions { values, variance, .. } = again.predict(&new, Want { variance: true, ..Want::default() }, &Control::default())?;
    println!("{values:?}, variances {variance:?}");
    Ok(())
}
