//! signature: k(x, z) = sum over levels n from 0 to depth of <S_n(x), S_n(z)>, S_n the iterated integrals of order n of the path that joins
//! the vectors of a series by straight pieces (Chen, Iterated path integrals, 1977; Kiraly & Oberhauser, Kernels for sequentially ordered
//! data, 2019). See `series/signatures.rs`.

use super::parts::dense::{DenseSeries, with_time};
use super::parts::signatures::{signature_size, signatures};
use crate::control::Control;
use crate::data::{Points, Series};
use crate::error::{Error, Result};
use crate::gram::{Identity, Kernel, Mercer, PreparedPoints, Tile};
use crate::linalg::{Matrix, Real};
use crate::param::{Domain, Param, Value};
use mercer_derive::{Formula, Parameters};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Inner product of truncated signatures.
///
/// ```text
/// sum over levels n up to depth of <S_n(x), S_n(z)>, S_n the iterated integrals of order n of the path of a
/// series
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Formula, Parameters)]
#[serde(deny_unknown_fields)]
pub struct Signature {
    /// greatest order of the iterated integrals: channels^depth of them
    #[param(default = 4.0, domain = Integer(1, 20))]
    depth: Value,
    #[param(TIME)]
    #[serde(default)]
    time: bool,
}

/// The parameter that adds the time to a path.
pub(super) const TIME: Param =
    Param::fixed("time", "time as one more channel, from 0 to 1: distinguishes paths that differ in speed alone", Domain::Flag);
/// The most numbers of a signature: 8 MB a row.
const MOST_TERMS: usize = 1 << 20;

impl Signature {
    fn whole_depth(&self) -> usize {
        self.depth.number() as usize
    }
    /// Numbers at each time of such series.
    fn channels(&self, inputs: &Series) -> usize {
        inputs.channels() + usize::from(self.time)
    }
}

impl Kernel for Signature {
    const NAME: &'static str = "signature";
    const DOC: &'static str = Self::FORMULA;
    const SOURCE: &'static str = "Kiraly & Oberhauser, Kernels for sequentially ordered data (2019), for the kernel";
    const BECAUSE: &'static str = "an inner product of iterated integrals";
    type Inputs = Series;
    type Learnt = ();
    type Prepared = PreparedPoints;

    fn check(&self, inputs: &Series) -> Result<()> {
        match signature_size(self.channels(inputs), self.whole_depth()) {
            Some(size) if size <= MOST_TERMS => Ok(()),
            _ => Err(Error::Setting {
                name: format!("{}: depth", Self::NAME),
                why: format!(
                    "{} channels have more than {MOST_TERMS} iterated integrals up to order {}; give a smaller depth, or signature_pde",
                    self.channels(inputs),
                    self.whole_depth()
                ),
            }),
        }
    }
    /// A batch without any vector has the channels of the other one.
    fn prepare(&self, (): &(), inputs: &Series, like: Option<&PreparedPoints>, control: &Control) -> Result<PreparedPoints> {
        // Bytes of a number of a signature: as it is made, and prepared.
        const PER_TERM: u64 = 24;
        // Signatures that a thread holds while it makes eight of them.
        const LANES_HELD: u64 = 12;
        let path = if self.time { with_time(inputs)? } else { Cow::Borrowed(inputs) };
        let increments = DenseSeries::increments(&path, 1.0);
        let own = signature_size(self.channels(inputs), self.whole_depth()).unwrap_or(1);
        let threads = rayon::current_num_threads() as u64;
        let needed = PER_TERM.saturating_mul(own as u64).saturating_mul(increments.len() as u64 + LANES_HELD * threads);
        control.plan(&format!("signatures of {own} numbers each"), needed)?;
        let mut values = signatures(&increments, self.whole_depth(), control)?;
        if let Some(row) = values.chunks_exact(own).position(|row| row.iter().any(|x| !x.is_finite())) {
            return Err(Error::Numerical {
                what: format!("the series in row {}", row + 1),
                why: "its iterated integrals exceed the range of numbers; scale its channels, or take a smaller depth".into(),
            });
        }
        let size = like.map_or(own, PreparedPoints::dim).max(own);
        if size > own {
            values = values.iter().flat_map(|x| std::iter::once(*x).chain(std::iter::repeat_n(0.0, size - 1))).collect();
        }
        Ok(PreparedPoints::plain(&Points::computed(increments.len(), size, values), like))
    }
    fn fill<T: Real>(&self, tile: Tile<'_, PreparedPoints, T>) {
        tile.from_dots(Identity);
    }
    fn diagonal(&self, x: &PreparedPoints) -> Vec<f64> {
        x.norms().to_vec()
    }
    fn features(&self, x: &PreparedPoints) -> Option<Matrix> {
        Matrix::new(x.rows(), x.dim(), x.dense()?.to_vec()).ok()
    }
    fn rank(&self, inputs: &Series) -> Option<usize> {
        signature_size(self.channels(inputs), self.depth.number() as usize)
    }
    fn points<'p>(&self, x: &'p PreparedPoints) -> Option<&'p PreparedPoints> {
        Some(x)
    }
    fn per_value(&self, inputs: &Series) -> f64 {
        2.0 * signature_size(self.channels(inputs), self.whole_depth()).map_or(MOST_TERMS as f64, |size| size as f64)
    }
    fn mercer(&self) -> Mercer {
        Mercer::Always
    }
}
