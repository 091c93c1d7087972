//! The figure of README.md: what a support vector machine predicts where, on the iris data.

use mercer::control::Control;
use mercer::error::{Error, Result};
use mercer::estimators::EstimatorExpr;
use mercer::kernels::KernelExpr;
use mercer::learner::Learner;
use mercer::read::{ReadOptions, Source, Table};
use mercer::report::{Picture, Row};

/// Every parameter is given and the solver exact, so that every machine draws the same.
pub(crate) fn iris() -> Result<String> {
    let options = ReadOptions::with_types(["sepal_length=ignore", "sepal_width=ignore"])?;
    let mut table = Table::read(&Source::new("example:iris"))?;
    let (target, info) = table.take_target(&["species"], &options)?;
    let data = table.dataset(&options)?;
    let mut learner = Learner::new(EstimatorExpr::parse("svc(c=10, tolerance=1e-8)")?);
    learner.kernel = Some(KernelExpr::parse("rbf(length_scale=1)")?);
    let model = learner.fit(&data, &target, &info, None, &Control::default())?;
    let row = Row::of_model(&model, &data, &target, None, &Control::default())?;
    let regions = row.pictures.iter().find(|p| matches!(p, Picture::Regions(_)));
    regions.ok_or_else(|| Error::Data("the iris data gave no picture of regions".into()))?.file(&row)
}
