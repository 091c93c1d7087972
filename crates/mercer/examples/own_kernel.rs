//! A kernel of one's own: written once, it stands in expressions, is searched over, compared, stored and loaded like any other.
//!
//! ```text
//! cargo run --release --example own_kernel
//! ```

use mercer::control::Control;
use mercer::data::{Points, RowWeights};
use mercer::error::Result;
use mercer::estimators::constructors::svc;
use mercer::gram::{Kernel, Mercer, PreparedBatch, Tile};
use mercer::kernels::{KernelExpr, register};
use mercer::learner::Learner;
use mercer::linalg::Real;
use mercer::param::{Parameters, Value};
use mercer::read::{ReadOptions, Source, Table};
use serde::{Deserialize, Serialize};

/// k(x, z) = prod_d max(0, 1 - |x_d - z_d| / width): a Mercer kernel, as the Fourier transform of a triangle is a square.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Parameters)]
#[serde(deny_unknown_fields)]
pub(crate) struct Triangle {
    /// where it is 0; auto: 4
    #[param(domain = PositiveFinite, search = 10.0)]
    width: Value,
}

/// What is compared: rows of numbers.
pub(crate) struct Numbers {
    dim: usize,
    values: Vec<f64>,
}

impl Numbers {
    fn row(&self, i: usize) -> &[f64] {
        &self.values[i * self.dim..(i + 1) * self.dim]
    }
}

impl PreparedBatch for Numbers {}

impl Kernel for Triangle {
    const NAME: &'static str = "triangle";
    const DOC: &'static str = "a triangle in every direction, 0 from a width on";
    const SOURCE: &'static str = "Fejer, Sur les fonctions bornees et integrables (1900), for its Fourier transform";
    const BECAUSE: &'static str = "a product of triangles, whose Fourier transforms are squares";
    type Inputs = Points;
    type Learnt = ();
    type Prepared = Numbers;

    fn settle(&self, _: &Points, _: RowWeights<'_>) -> Self {
        Triangle { width: self.width.settle(4.0) }
    }
    fn prepare(&self, (): &(), inputs: &Points, _: Option<&Numbers>, _: &Control) -> Result<Numbers> {
        Ok(Numbers { dim: inputs.dim(), values: inputs.to_dense().into_owned() })
    }
    fn fill<T: Real>(&self, tile: Tile<'_, Numbers, T>) {
        let (a, b, width) = (tile.a, tile.b, self.width.number());
        tile.from_pairs(|i, j| a.row(i).iter().zip(b.row(j)).map(|(x, z)| (1.0 - (x - z).abs() / width).max(0.0)).product());
    }
    fn diagonal(&self, x: &Numbers) -> Vec<f64> {
        vec![1.0; x.values.len() / x.dim.max(1)]
    }
    fn mercer(&self) -> Mercer {
        Mercer::Always
    }
}

fn main() -> Result<()> {
    register::<Triangle>()?;
    let mut table = Table::read(&Source::new("example:iris"))?;
    let (target, info) = table.take_target(&["species"], &ReadOptions::default())?;
    let data = table.dataset(&ReadOptions::default())?;
    let learner = Learner::new(svc()).kernel(KernelExpr::own(Triangle::default().width(1.0..20.0))?);
    let model = learner.fit(&data, &target, &info, None, &Control::default())?;
    println!("{} with {}", model.estimator, model.kernel);
    Ok(())
}
