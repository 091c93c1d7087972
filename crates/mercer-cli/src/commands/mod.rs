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

use crate::Stop;
use crate::args::{Learning, Limits};
use crate::output::notices;
use crate::progress::Line;
use mercer::control::Control;
use mercer::data::{Dataset, Target};
use mercer::error::{Error, Result};
use mercer::kernels::KernelExpr;
use mercer::prep::Recipe;
use mercer::read::{ReadOptions, Source, Table, TargetInfo, example};

/// A table taken apart: inputs, target, weights, groups; and what the user should know of it.
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
    take_apart(&mut table, learning, groups, &options).inspect_err(|_| notices(table.notices()))
}

fn take_apart(table: &mut Table, learning: &Learning, groups: Option<&str>, options: &ReadOptions) -> Result<Loaded> {
    let names = targets(table, learning)?;
    let weights = learning.weights.as_deref().map(|name| table.take_weights(name)).transpose()?;
    let groups = groups.map(|name| table.take_groups(name)).transpose()?;
    let (target, info) = table.take_target(&names, options)?;
    let data = table.dataset(options)?;
    Ok(Loaded { data, target, info, weights, groups, notices: table.notices().to_vec() })
}

/// The target columns: one whose name may hold commas, or several parted by commas.
fn targets(table: &Table, learning: &Learning) -> Result<Vec<String>> {
    match (&learning.target, learning.table.strip_prefix("example:")) {
        (Some(one), _) if table.header().contains(one) => Ok(vec![one.clone()]),
        (Some(several), _) => Ok(several.split(',').map(|name| name.trim().to_owned()).collect()),
        (None, Some(name)) => Ok(vec![example(name)?.target.to_owned()]),
        (None, None) => Err(Error::Setting {
            name: "--target".into(),
            why: format!("missing; which column is to be predicted? There are: {}", table.header().join(", ")),
        }),
    }
}

fn kernel(learning: &Learning) -> Result<Option<KernelExpr>> {
    learning.kernel.as_deref().map(KernelExpr::parse).transpose()
}

fn recipe(learning: &Learning) -> Recipe {
    Recipe { standardise: !learning.no_standardise, ..Recipe::default() }
}

/// Bounds and watchers of a long computation.
fn control(limits: &Limits, stop: &Stop) -> Control {
    let control = Control { progress: Line::visible(), ..bounds(limits.max_memory, stop) };
    match limits.max_seconds {
        Some(seconds) => control.with_seconds(seconds),
        None => control,
    }
}

fn bounds(max_memory: Option<u64>, stop: &Stop) -> Control {
    let control = Control { cancel: stop.cancel.clone(), enough: stop.enough.clone(), ..Control::default() };
    match max_memory {
        Some(bytes) => control.with_memory(bytes),
        None => control,
    }
}
