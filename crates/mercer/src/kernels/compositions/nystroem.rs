//! Nystroem's approximation by m landmarks c among the training rows: k(x, z) ~ k_c(x)' K_cc^+ k_c(z) (M41; Williams & Seeger,
//! Using the Nystroem method to speed up kernel machines, 2001).
//!
//! With K_cc = L L' over landmarks none of which the others make, the features of an input are L^-1 k_c(x): m numbers. The kernel
//! is exact between landmarks, and what it lacks of k(x, x) is never below 0.

use crate::blocks;
use crate::control::Control;
use crate::data::{Dataset, RowWeights, even_rows};
use crate::error::{Error, Result};
use crate::gram::{
    self, Block, Bound, CentreWeights, Dense, Gram, LazyWhitening, LowRank, Mercer, PairWeights, Side, Slope, Triangular, pivoted_cholesky,
    spread,
};
use crate::kernels::FittedKernel;
use crate::kernels::composition::{Closure, Composition, Form, Learns, Properties};
use crate::kernels::fitted::{Fixed, Scope, foreign};
use crate::kernels::shared::Shared;
use crate::linalg::{Cholesky, Lower, Matrix, transposed_product_within};
use crate::notice::Notice;
use crate::param::Value;
use mercer_derive::{Choice, Formula, Parameters};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Rows on which the residual of the landmarks is measured.
const TOLD: usize = 2000;

/// A kernel through its values with some training rows.
///
/// ```text
/// low-rank approximation of k by its values with a few training rows: time and memory grow with the rows, not
/// with their square
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Formula, Parameters)]
#[parameters(composed)]
#[serde(deny_unknown_fields)]
pub struct Nystroem {
    /// number of landmarks; all rows where there are fewer
    #[param(default = 500.0, domain = Integer(1, 1_000_000))]
    rank: Value,
    /// uniform: drawn at random; spread: each far from those before it (k-means++); pivots: pivoted Cholesky, each the row with the largest
    /// residual
    #[param(default = LandmarkChoice::Uniform)]
    landmarks: LandmarkChoice,
    /// seed of the random landmarks
    #[param(default = 0.0, domain = Integer(0, u32::MAX as usize))]
    seed: Value,
}

/// How landmarks are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Choice)]
#[serde(rename_all = "snake_case")]
pub enum LandmarkChoice {
    /// Rows drawn at random.
    Uniform,
    /// Rows drawn one after the other, by the square of the distance in feature space to those that are there: k-means++.
    Spread,
    /// Each the row of which most is left: pivoted Cholesky.
    Pivots,
}

/// The landmarks of some training rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LandmarkRows {
    rows: Dataset,
    /// Which of the training rows they are, and of how many.
    #[serde(with = "blocks::usizes")]
    places: Vec<usize>,
    of: usize,
    /// L.
    factor: Lower,
    /// The share of the sum of k(x, x) that is left, on some of the training rows.
    left: f64,
}

impl Composition for Nystroem {
    const FORMS: &'static [Form] = &[Form {
        name: "nystroem",
        also: Some("nystrom"),
        form: "nystroem(k, rank=500)",
        example: "nystroem(rbf, rank=500)",
        doc: Self::FORMULA,
        because: "an inner product of values with landmarks",
    }];
    const SOURCE: &'static str = "Williams & Seeger, Using the Nystroem method to speed up kernel machines (2001)";
    const IS: Properties = Properties { learns: Learns::Values, other_rows: true, ..Properties::PLAIN };
    type Learnt = LandmarkRows;

    fn learn(&self, parts: &[FittedKernel], rows: Scope<'_>, _: RowWeights<'_>, control: &Control) -> Result<LandmarkRows> {
        let [of] = parts else { return Err(foreign()) };
        let places = self.places(of, rows, control)?;
        let chosen = |places: &[usize]| rows.data.select(places);
        let among = of.fix(rows.over(&chosen(&places)), control)?.among(control)?;
        let not_mercer = |why: Error| match why {
            Error::Numerical { what, .. } if of.expr().mercer() != Mercer::Always => {
                let why = format!(
                    "{} is not known to be a Mercer kernel, and its values among landmarks are not those of one; take clip({0})",
                    of.expr()
                );
                Error::Numerical { what, why }
            }
            other => other,
        };
        let (kept, factor) = independent(gram::dense(among.as_ref(), control)?, control).map_err(not_mercer)?;
        let places: Vec<usize> = kept.into_iter().map(|k| places[k]).collect();
        let landmarks = chosen(&places);
        let n = rows.data.rows();
        let some = rows.data.select(&even_rows(n, TOLD));
        let whole: f64 = of.fix(rows.over(&some), control)?.among(control)?.diagonal(Side::Rows).iter().sum();
        let phi = features(of.fix(rows.over(&landmarks), control)?.as_ref(), &factor, &some, control)?;
        let kept: f64 = phi.data().iter().map(|v| v * v).sum();
        let left = if whole > 0.0 { (1.0 - kept / whole).max(0.0) } else { 0.0 };
        Ok(LandmarkRows { rows: landmarks, places, of: n, factor, left })
    }

    fn fix(&self, learnt: &Shared<LandmarkRows>, parts: &[FittedKernel], rows: Scope<'_>, control: &Control) -> Result<Box<dyn Fixed>> {
        let [of] = parts else { return Err(foreign()) };
        Error::unless_equal("landmarks", learnt.factor.size(), learnt.rows.rows())?;
        let landmarks = of.fix(rows.over(&learnt.rows), control)?;
        let parameters = of.expr().numbers();
        if rows.multiplied {
            return Ok(Box::new(FixedValues { learnt: learnt.clone(), landmarks, rows: rows.data.clone(), parameters }));
        }
        let features = Arc::new(features(landmarks.as_ref(), &learnt.factor, rows.data, control)?);
        // The rows that were learnt from are those of a gradient.
        let own = if rows.data.rows() == learnt.of && learnt.of <= TOLD { Some(of.fix(rows, control)?) } else { None };
        Ok(Box::new(FixedFeatures { learnt: learnt.clone(), landmarks, features, own, parameters }))
    }

    fn closure(&self) -> Closure {
        Closure::OfMercer
    }
    fn rank(&self, _: &[Option<usize>], rows: usize) -> Option<usize> {
        Some(self.rank.integer().min(rows.max(1)))
    }
    /// A value with a landmark and, of the triangular solve or of the product of features, as many numbers as there are landmarks.
    fn per_value(&self, parts: &[f64], _: Scope<'_>) -> f64 {
        parts.iter().sum::<f64>() + 2.0 * self.rank.number()
    }
    fn notice(&self, learnt: &LandmarkRows) -> Option<Notice> {
        Some(Notice::Landmarks { landmarks: learnt.places.len(), left: 100.0 * learnt.left })
    }
}

impl Nystroem {
    /// Through so many rows drawn at random.
    pub(crate) fn with(rank: usize, seed: u64) -> Self {
        Nystroem { rank: Value::Number(rank as f64), seed: Value::Number(f64::from(seed as u32)), ..Self::default() }
    }

    /// The training rows that are landmarks, before those are left out that the others make.
    fn places(&self, of: &FittedKernel, rows: Scope<'_>, control: &Control) -> Result<Vec<usize>> {
        let (n, most, seed) = (rows.data.rows(), self.rank.integer(), self.seed.integer() as u64);
        if n <= most || self.landmarks == LandmarkChoice::Uniform {
            return Ok(rows.draw(most, seed));
        }
        let whole = || of.fix(rows, control).and_then(|fixed| fixed.among(control));
        if self.landmarks == LandmarkChoice::Pivots {
            return pivoted_cholesky(whole()?.as_ref(), &vec![1.0; n], most, control).map(|found| found.pivots);
        }
        far_apart(whole()?.as_ref(), &rows.draw(n, seed), most, seed, control)
    }
}

/// Some of these rows, drawn by the square of their distance in feature space to the nearest one drawn before.
fn far_apart(gram: &dyn Gram, rows: &[usize], most: usize, seed: u64, control: &Control) -> Result<Vec<usize>> {
    let own = gram.diagonal(Side::Rows);
    let mut values = vec![0.0; own.len()];
    let places = spread(&vec![1.0; rows.len()], most, seed, control, |chosen, out| {
        let chosen = rows[chosen];
        gram.fill_rows(&[chosen], 0..own.len(), Block::new(&mut values, 1, own.len()));
        out.iter_mut().zip(rows).for_each(|(far, &i)| *far = own[i] + own[chosen] - 2.0 * values[i]);
    })?;
    Ok(places.into_iter().map(|k| rows[k]).collect())
}

/// LandmarkChoice none of which the others make in working precision, and the Cholesky factor of the kernel among them.
fn independent(among: Matrix, control: &Control) -> Result<(Vec<usize>, Lower)> {
    let m = among.rows();
    let whole = Cholesky::new(among.clone(), control)?;
    let pivots = whole.pivots();
    let (least, most) = pivots.iter().fold((f64::INFINITY, 0.0f64), |(l, m), p| (l.min(p * p), m.max(p * p)));
    if whole.jitter() == 0.0 && least > m as f64 * f64::EPSILON * most {
        return Ok(((0..m).collect(), whole.into_lower()));
    }
    let found = pivoted_cholesky(&Dense::square(among)?, &vec![1.0; m], m, control)?;
    let rank = found.pivots.len();
    let lower = Matrix::from_fn(rank, rank, |i, j| if j <= i { found.g[(j, found.pivots[i])] } else { 0.0 });
    Ok((found.pivots, Lower::from_square(lower)))
}

/// L^-1 k_c(x) of every row x.
fn features(landmarks: &dyn Fixed, factor: &Lower, rows: &Dataset, control: &Control) -> Result<Matrix> {
    let mut values = gram::dense(landmarks.cross(rows, control)?.as_ref(), control)?;
    factor.solve_rows(&mut values, control)?;
    Ok(values)
}

/// Rows made ready: their features.
struct FixedFeatures {
    learnt: Shared<LandmarkRows>,
    landmarks: Box<dyn Fixed>,
    features: Arc<Matrix>,
    own: Option<Box<dyn Fixed>>,
    parameters: usize,
}

impl FixedFeatures {
    fn slope(&self, of: Option<Box<dyn Bound>>) -> ByPart {
        ByPart { learnt: self.learnt.clone(), of, parameters: self.parameters }
    }
}

impl Fixed for FixedFeatures {
    fn among(&self, control: &Control) -> Result<Box<dyn Bound>> {
        let of = self.own.as_ref().map(|own| own.among(control)).transpose()?;
        Ok(Box::new(LowRank::among(self.features.clone(), self.slope(of))))
    }
    fn cross(&self, new: &Dataset, control: &Control) -> Result<Box<dyn Bound>> {
        let rows = Arc::new(features(self.landmarks.as_ref(), &self.learnt.factor, new, control)?);
        Ok(Box::new(LowRank::cross(rows, self.features.clone(), self.slope(None))))
    }
}

/// Prepared rows whose features are only multiplied: they stay lazy.
struct FixedValues {
    learnt: Shared<LandmarkRows>,
    landmarks: Box<dyn Fixed>,
    rows: Dataset,
    parameters: usize,
}

impl FixedValues {
    fn values(&self, control: &Control) -> Result<LazyWhitening<ByPart>> {
        let slope = ByPart { learnt: self.learnt.clone(), of: None, parameters: self.parameters };
        Ok(LazyWhitening::new(gram::dense(self.landmarks.cross(&self.rows, control)?.as_ref(), control)?, slope))
    }
}

impl Fixed for FixedValues {
    fn among(&self, control: &Control) -> Result<Box<dyn Bound>> {
        Ok(Box::new(self.values(control)?))
    }
    fn cross(&self, new: &Dataset, control: &Control) -> Result<Box<dyn Bound>> {
        let own = self.values(control)?.written_out(control)?;
        let rows = Arc::new(features(self.landmarks.as_ref(), &self.learnt.factor, new, control)?);
        Ok(Box::new(own.against(rows)))
    }
}

/// How kernel values change with the parameters of the exact kernel among the training rows.
struct ByPart {
    learnt: Shared<LandmarkRows>,
    of: Option<Box<dyn Bound>>,
    parameters: usize,
}

impl Triangular for ByPart {
    fn factor(&self) -> &Lower {
        &self.learnt.factor
    }
}

impl Slope for ByPart {
    /// Its own two numbers, which move nothing smoothly, and those of its part.
    fn parameters(&self) -> usize {
        2 + self.parameters
    }
    /// With B = K_cc^-1 K_cn, dK = dK_nc B + B' dK_cn - B' dK_cc B: weights of the exact matrix in the columns of the landmarks.
    fn gradient(&self, phi: &Matrix, weights: &PairWeights, control: &Control) -> Result<Vec<f64>> {
        let (n, places) = (weights.rows(), &self.learnt.places);
        let Some(of) = &self.of else {
            return Err(Error::Data(format!("a gradient of nystroem is of the training rows, {TOLD} at most, and these are {n} others")));
        };
        let mut b = phi.clone();
        self.learnt.factor.solve_transposed_rows(&mut b, control)?;
        let with_landmarks = weights.product(&b, control)?;
        let among = transposed_product_within(&b, &with_landmarks, control)?;
        let mut moved = with_landmarks;
        moved.data_mut().iter_mut().for_each(|w| *w *= 2.0);
        for (j, &place) in places.iter().enumerate() {
            moved.row_mut(place).iter_mut().enumerate().for_each(|(k, w)| *w -= among[(j, k)]);
        }
        let mut out = vec![0.0; 2];
        out.extend(of.gradient(&PairWeights::Centres(CentreWeights::new(places.clone(), moved)), control)?);
        Ok(out)
    }
}
