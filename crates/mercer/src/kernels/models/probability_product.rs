//! probability_product: k(x, z) = integral of p(u | theta_x)^rho p(u | theta_z)^rho du, theta_x being a model of the row x alone (K33-K36;
//! S3 14.23, 14.24, where the product stands without its integral and rho = 1; Jebara, Kondor & Howard, Probability product kernels, 2004).
//!
//! rho = 1/2 is Bhattacharyya's affinity, with k(x, x) = 1. Values fall exponentially with the length of a string and the number of
//! columns: ln k is what is computed, and the normalised form is exp(ln k(x, z) - (ln k(x, x) + ln k(z, z)) / 2).

use crate::control::Control;
use crate::data::{Arity, Cells, ColumnKind, ColumnNeeds, Dataset, PER_FUNCTION, Points, RowWeights, Values};
use crate::error::{Error, Result};
use crate::generative::{FittedGenerative, GenerativeExpr, Markov};
use crate::gram::{Kernel, Mercer, PreparedBatch, Tile};
use crate::kernels::fitted::foreign;
use crate::linalg::Real;
use crate::param::Value;
use mercer_derive::{Choice, Formula, Parameters};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::ops::Range;

/// Inner product of the densities of two generative models, each of one row.
///
/// ```text
/// integral of p(u | x)^rho p(u | z)^rho du with a model p(u | x) of each row alone: strings, sets and series by
/// the distributions that they are drawn from
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Formula, Parameters)]
#[serde(deny_unknown_fields)]
pub struct ProbabilityProduct {
    /// the model p, fitted to each row alone
    #[param(default = Markov::default().into())]
    model: GenerativeExpr,
    /// power of the densities: 1, the expected density of one under the other; 0.5, Bhattacharyya's affinity
    #[param(default = 1.0, domain = PositiveFinite)]
    rho: Value,
    /// whether k(x, x) is 1: the cosine
    #[param(default = true)]
    normalised: bool,
    /// what a model is fitted to: row, the row; vectors, the vectors of the set or of the series in the row
    #[param(default = Datum::Row)]
    datum: Datum,
    /// seed of what the fit of a model draws
    #[param(default = 0.0, domain = Integer(0, usize::MAX))]
    seed: Value,
}

/// What a model is fitted to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Choice)]
#[serde(rename_all = "snake_case")]
pub enum Datum {
    /// The row.
    Row,
    /// The vectors of the set or of the series in the row.
    Vectors,
}

/// The model of all training rows, whose shape the models of single rows take.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PooledModel {
    model: Option<FittedGenerative>,
}

/// A model of each row, and ln k(x, x).
pub struct RowModels {
    models: Vec<FittedGenerative>,
    logs: Vec<f64>,
}

impl PreparedBatch for RowModels {}

/// Which vectors of a column are those of a row.
type VectorsOfRow<'d> = Box<dyn Fn(usize) -> Range<usize> + Sync + 'd>;

/// All vectors of a column of sets or series, and which of them are those of a row.
fn vectors(inputs: &Dataset) -> Result<(&Points, VectorsOfRow<'_>)> {
    match inputs.columns().first().map(|column| &column.values) {
        Some(Values::Sets(sets)) => Ok((sets.vectors(), Box::new(|i| sets.range(i)))),
        Some(Values::Series(series)) => Ok((series.vectors(), Box::new(|i| series.range(i)))),
        _ => Err(Error::Setting {
            name: format!("{}: datum=vectors", ProbabilityProduct::NAME),
            why: "there is no column of sets or series; leave it out".into(),
        }),
    }
}

/// The control that a tile is filled under.
fn control_of<T>(tile: &Tile<'_, RowModels, T>) -> Control {
    tile.out.control().cloned().unwrap_or_else(Control::unwatched)
}

impl ProbabilityProduct {
    /// -ln(k(x, z) / sqrt(k(x, x) k(z, z))).
    fn log_decay(&self, (a, i): (&RowModels, usize), (b, j): (&RowModels, usize), control: &Control) -> f64 {
        // Models of one shape have a product, as each has with itself.
        let log = a.models[i].log_product_within(&b.models[j], self.rho.number(), control).unwrap_or(f64::NEG_INFINITY);
        (0.5 * (a.logs[i] + b.logs[j]) - log).max(0.0)
    }

    /// What the model of all rows is fitted to, and the row of each of its rows.
    fn pooled<'d>(&self, inputs: &'d Dataset) -> Result<(Cow<'d, Dataset>, Vec<usize>)> {
        match self.datum {
            Datum::Row => Ok((Cow::Borrowed(inputs), (0..inputs.rows()).collect())),
            Datum::Vectors => {
                let (all, range) = vectors(inputs)?;
                let owners = (0..inputs.rows()).flat_map(|i| std::iter::repeat_n(i, range(i).len())).collect();
                Ok((Cow::Owned(Dataset::from_points(all.clone())), owners))
            }
        }
    }
}

impl Kernel for ProbabilityProduct {
    const NAME: &'static str = "probability_product";
    const DOC: &'static str = Self::FORMULA;
    const SOURCE: &'static str = "Jebara, Kondor & Howard, Probability product kernels (2004); Murphy (2012), (14.23) and (14.24)";
    const BECAUSE: &'static str = "an inner product of the functions p(u | x)^rho of u";
    type Inputs = Dataset;
    type Learnt = PooledModel;
    type Prepared = RowModels;

    fn column_needs(&self) -> ColumnNeeds {
        let needs = self.model.column_needs();
        match self.datum {
            Datum::Row => needs,
            Datum::Vectors => ColumnNeeds {
                takes: |kind| matches!(kind, ColumnKind::Set | ColumnKind::Series),
                words: "one column of sets of vectors or of series",
                arity: Arity::One,
                as_is: needs.as_is,
            },
        }
    }
    fn settle(&self, inputs: &Dataset, weights: RowWeights<'_>) -> Self {
        // Rows of another kind are refused where the kernel is bound.
        let settled = |(pooled, owners): (Cow<'_, Dataset>, Vec<usize>)| {
            let each: Vec<f64> = owners.iter().map(|&i| weights.at(i)).collect();
            self.model.settle(&pooled, RowWeights::from(Some(each.as_slice())))
        };
        let model = self.pooled(inputs).and_then(settled).unwrap_or_else(|_| self.model.clone());
        ProbabilityProduct { model, ..self.clone() }
    }
    fn check(&self, inputs: &Dataset) -> Result<()> {
        self.model.check(&self.pooled(inputs)?.0)
    }
    fn learns(&self) -> bool {
        true
    }
    fn learn(&self, inputs: &Dataset, weights: RowWeights<'_>, control: &Control) -> Result<PooledModel> {
        let (pooled, owners) = self.pooled(inputs)?;
        let each: Vec<f64> = owners.iter().map(|&i| weights.at(i)).collect();
        let model = self.model.fit(&pooled, RowWeights::from(Some(each.as_slice())), self.seed.integer() as u64, control)?;
        Ok(PooledModel { model: Some(model) })
    }
    fn prepare(&self, learnt: &PooledModel, inputs: &Dataset, _: Option<&RowModels>, control: &Control) -> Result<RowModels> {
        // Models that a thread holds beside those of the rows while it fits one or multiplies two.
        const WORK: u64 = 4;
        let pooled = learnt.model.as_ref().ok_or_else(foreign)?;
        let (seed, rho) = (self.seed.integer() as u64, self.rho.number());
        let models = inputs.rows() as u64 + WORK * rayon::current_num_threads() as u64;
        control.plan(&format!("a model of each of {} rows", inputs.rows()), models.saturating_mul(pooled.bytes()))?;
        let control = &control.side_by_side(rayon::current_num_threads());
        let held = match self.datum {
            Datum::Row => None,
            Datum::Vectors => Some(vectors(inputs)?),
        };
        let one = |i: usize| -> Result<(FittedGenerative, f64)> {
            control.check_time("models of rows")?;
            let data = match &held {
                None => inputs.select(&[i]),
                Some((all, range)) => Dataset::from_points(all.select(&range(i).collect::<Vec<_>>())),
            };
            let of_row = |why: Error| if why.ends_all() { why } else { Error::Data(format!("{}: row {}: {why}", Self::NAME, i + 1)) };
            let model = self.model.fit_like(&data, pooled, seed, control).map_err(of_row)?;
            let log = model.log_product_within(&model, rho, control)?;
            if log.is_finite() {
                return Ok((model, log));
            }
            let why = format!("the integral of the density to the power {} is {log}", 2.0 * rho);
            Err(Error::Numerical { what: format!("{} of row {} with itself", Self::NAME, i + 1), why })
        };
        let (models, logs) = (0..inputs.rows()).into_par_iter().map(one).collect::<Result<Vec<_>>>()?.into_iter().unzip();
        Ok(RowModels { models, logs })
    }
    fn fill<T: Real>(&self, tile: Tile<'_, RowModels, T>) {
        let (a, b) = (tile.a, tile.b);
        let control = control_of(&tile);
        tile.from_pairs(|i, j| {
            let decay = self.log_decay((a, i), (b, j), &control);
            if self.normalised { (0.0 - decay).exp() } else { (0.5 * (a.logs[i] + b.logs[j]) - decay).exp() }
        });
    }
    fn log_diagonal(&self, x: &RowModels) -> Option<Vec<f64>> {
        Some(if self.normalised { vec![0.0; x.logs.len()] } else { x.logs.clone() })
    }
    fn fill_log_decay(&self, tile: Tile<'_, RowModels, f64>) {
        let (a, b) = (tile.a, tile.b);
        let control = control_of(&tile);
        tile.from_pairs(|i, j| self.log_decay((a, i), (b, j), &control));
    }
    fn diagonal(&self, x: &RowModels) -> Vec<f64> {
        x.logs.iter().map(|log| if self.normalised { 1.0 } else { log.exp() }).collect()
    }
    fn per_value(&self, inputs: &Dataset) -> f64 {
        let free = self.pooled(inputs).ok().and_then(|(pooled, _)| self.model.free_parameters(&pooled));
        PER_FUNCTION * (1.0 + free.unwrap_or(1) as f64)
    }
    fn mercer(&self) -> Mercer {
        Mercer::Always
    }
}
