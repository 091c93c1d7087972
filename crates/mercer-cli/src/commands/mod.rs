//! One file per command, and what several of them share: reading the table, the bounds of the work.

mod compare;
mod examples;
mod fit;
mod inspect;
mod predict;

pub(crate) use compare::compare;
pub(crate) use examples::examples;
pub(crate) use fit::fit;
pub(crate) use inspect::inspect;
pub(crate) use predict::predict;

use crate::args::{Learning, Limits};
use crate::progress::Line;
use mercer::control::{CancelFlag, Control};
use mercer::data::{Dataset, Target};
use mercer::error::{Error, Result};
use mercer::kernels::KernelExpr;
use mercer::prep::Recipe;
use mercer::read::{ReadOptions, Source, Table, TargetInfo, example};

/// A table taken apart: inputs, target, weights, groups.
struct Loaded {
    data: Dataset,
    target: Target,
    info: TargetInfo,
    weights: Option<Vec<f64>>,
    groups: Option<Vec<usize>>,
    notices: Vec<String>,
}

fn load(learning: &Learning, groups: Option<&str>) -> Result<Loaded> {
    let options = ReadOptions::with_types(&learning.types)?;
    let mut table = Table::read(&Source::new(&learning.table))?;
    let weights = learning.weights.as_deref().map(|name| table.take_weights(name)).transpose()?;
    let groups = groups.map(|name| table.take_groups(name)).transpose()?;
    let names = match (learning.target.as_slice(), learning.table.strip_prefix("example:")) {
        ([], Some(name)) => vec![example(name)?.target.to_owned()],
        ([], None) => {
            return Err(Error::Data(format!(
                "--target is missing: which column is to be predicted? There are: {}",
                table.header().join(", ")
            )));
        }
        (names, _) => names.to_vec(),
    };
    let (target, info) = table.take_target(&names, &options)?;
    let data = table.dataset(&options)?;
    Ok(Loaded { data, target, info, weights, groups, notices: table.into_notices() })
}

fn kernel(learning: &Learning) -> Result<Option<KernelExpr>> {
    learning.kernel.as_deref().map(KernelExpr::parse).transpose()
}

fn recipe(learning: &Learning) -> Recipe {
    Recipe { standardise: !learning.no_standardise, ..Recipe::default() }
}

fn control(limits: &Limits, cancel: &CancelFlag) -> Control {
    let mut control = Control { progress: Line::visible(), cancel: cancel.clone(), ..Control::default() };
    if let Some(bytes) = limits.max_memory {
        control.max_memory = bytes;
    }
    match limits.max_seconds {
        Some(seconds) => control.with_seconds(seconds),
        None => control,
    }
}
