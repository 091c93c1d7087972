//! Fit a Gaussian process to a table and predict with variances.

use mercer::prelude::*;
use mercer::read::{ReadOptions, Source, Table};

fn main() -> mercer::Result<()> {
    let options = ReadOptions::default();
    let mut table = Table::read(&Source::new("example:iris"))?;
    let (target, info) = table.take_target(&["petal_width"], &options)?;
    let data = table.dataset(&options)?;

    // The evidence settles what is `auto`.
    let learner = Learner::new(gp().noise(auto())).kernel(2.0 * matern().nu(1.5) + equal());
    let control = Control::default().with_seconds(60.0);
    let model = learner.fit(&data, &target, &info, None, &control)?;
    println!("{}: log evidence {:?}", model.kernel, model.summary().evidence);

    // Variances are computed because they are wanted.
    let predictions = model.predict(&data, Want { variance: true, ..Want::default() }, &control)?;
    println!("variance of row 1: {:?}", predictions.variance.map(|v| v[(0, 0)]));
    Ok(())
}
