//! Random Fourier features: k(x, z) = E cos w'(x - z) over the spectral measure of a stationary kernel, by a mean over frequencies w
//! that are drawn from it (M40; Rahimi & Recht, Random features for large-scale kernel machines, 2007).
//!
//! Each frequency gives two features, cos w'x and sin w'x, so that k(x, x) is exact. Orthogonal ones (Yu, Suresh, Choromanski,
//! Holtmann-Rice & Kumar, Orthogonal random features, 2016) err less where the measure is the same in all directions. Structured ones
//! are products of Hadamard transforms (M42): the same measure, fewer operations where there are many columns.

use crate::control::Control;
use crate::data::{Dataset, Points, RowWeights};
use crate::error::{Error, Result};
use crate::features::{Fastfood, Frequencies};
use crate::gram::{Bound, LowRank, PairWeights, Slope, Spectral, dot};
use crate::kernels::composition::{Closure, Composition, Form, Properties};
use crate::kernels::fitted::{Fixed, Scope, foreign};
use crate::kernels::shared::Shared;
use crate::kernels::{FittedKernel, KernelExpr};
use crate::linalg::Matrix;
use crate::param::Value;
use mercer_derive::{Formula, Parameters};
use rand::SeedableRng;
use rand_distr::{Cauchy, ChiSquared, Distribution, StandardNormal};
use rand_xoshiro::Xoshiro256PlusPlus;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

/// A stationary kernel through random frequencies.
///
/// ```text
/// random Fourier features of a stationary kernel (rbf, laplacian, matern): time and memory grow with the rows
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Formula, Parameters)]
#[parameters(composed)]
#[serde(deny_unknown_fields)]
pub struct Fourier {
    /// number of features, two for each frequency
    #[param(default = 1000.0, domain = Integer(2, 1_000_000))]
    count: Value,
    /// orthogonal random features (rbf and matern only)
    #[param(default = true)]
    orthogonal: bool,
    /// structured random features (Fastfood; rbf and matern only) in place of orthogonal ones: Hadamard transforms, for many columns
    #[param(default = false)]
    structured: bool,
    /// seed of the frequencies
    #[param(default = 0.0, domain = Integer(0, u32::MAX as usize))]
    seed: Value,
}

impl Composition for Fourier {
    const FORMS: &'static [Form] = &[Form {
        name: "fourier",
        also: None,
        form: "fourier(k, count=1000)",
        example: "fourier(rbf, count=1000)",
        doc: Self::FORMULA,
        because: "an inner product of waves",
    }];
    const SOURCE: &'static str = "Rahimi & Recht, Random features for large-scale kernel machines (2007)";
    const IS: Properties = Properties { other_rows: true, ..Properties::PLAIN };
    type Learnt = Frequencies;

    fn learn(&self, parts: &[FittedKernel], rows: Scope<'_>, _: RowWeights<'_>, control: &Control) -> Result<Frequencies> {
        let [of] = parts else { return Err(foreign()) };
        let (spectral, _) = spectral(of.expr())?;
        if self.structured && spectral == Spectral::Cauchy {
            return Err(Error::Setting {
                name: "fourier".into(),
                why: format!(
                    "frequencies of {} differ between directions, and structured ones do not; leave structured out, or take rbf or matern",
                    of.expr()
                ),
            });
        }
        self.draw(spectral, points(of.expr(), rows)?.dim(), control)
    }

    fn fix(&self, learnt: &Shared<Frequencies>, parts: &[FittedKernel], rows: Scope<'_>, control: &Control) -> Result<Box<dyn Fixed>> {
        let [of] = parts else { return Err(foreign()) };
        let (_, lengths) = spectral(of.expr())?;
        if lengths.len() != 1 {
            Error::unless_equal("length scales of a kernel of frequencies", learnt.columns(), lengths.len())?;
        }
        let waves = Arc::new(Waves {
            of: of.expr().clone(),
            selected: rows.selected.map(<[String]>::to_vec),
            frequencies: learnt.clone(),
            lengths,
        });
        let inputs = waves.inputs(rows.data)?;
        let features = Arc::new(waves.features(&inputs, control)?);
        Ok(Box::new(FixedWaves { waves, inputs, features }))
    }

    fn closure(&self) -> Closure {
        Closure::OfMercer
    }
    fn rank(&self, _: &[Option<usize>], _: usize) -> Option<usize> {
        Some(2 * self.pairs())
    }
}

/// The measure of frequencies of a kernel, and its length scales.
fn spectral(kernel: &KernelExpr) -> Result<(Spectral, Vec<f64>)> {
    kernel.spectral().ok_or_else(|| Error::Setting {
        name: "fourier".into(),
        why: format!("{kernel} has no frequencies to draw; fourier takes one of rbf, laplacian and matern, and nystroem takes any kernel"),
    })
}

/// The points that a kernel compares.
fn points<'a>(kernel: &KernelExpr, rows: Scope<'a>) -> Result<Cow<'a, Points>> {
    rows.gather(kernel.leaf().ok_or_else(foreign)?)
}

impl Fourier {
    fn pairs(&self) -> usize {
        self.count.integer().div_ceil(2)
    }

    /// Frequencies of a measure in `dim` dimensions.
    fn draw(&self, of: Spectral, dim: usize, control: &Control) -> Result<Frequencies> {
        let mut draw = Xoshiro256PlusPlus::seed_from_u64(self.seed.integer() as u64);
        let mut all = if self.structured {
            Frequencies::Structured(Fastfood::draw(self.pairs(), dim, self.orthogonal, &mut draw, control)?)
        } else {
            Frequencies::Dense(self.draw_dense(of, dim, &mut draw, control)?)
        };
        if let Spectral::Student(freedom) = of
            && let Ok(square) = ChiSquared::new(freedom)
        {
            (0..all.count()).for_each(|p| all.scale(p, (freedom / square.sample(&mut draw)).sqrt()));
        }
        control.check_time("random frequencies")?;
        Ok(all)
    }

    /// Cauchy numbers, or normal vectors.
    fn draw_dense(&self, of: Spectral, dim: usize, draw: &mut Xoshiro256PlusPlus, control: &Control) -> Result<Matrix> {
        control.plan("random frequencies", 8 * (self.pairs() as u64).saturating_mul(dim as u64))?;
        let mut all = Matrix::zeros(self.pairs(), dim);
        if of == Spectral::Cauchy {
            // Scale 1 is above 0.
            let each = Cauchy::new(0.0, 1.0).ok();
            all.data_mut().iter_mut().for_each(|w| *w = each.map_or(0.0, |c| c.sample(draw)));
            return Ok(all);
        }
        all.data_mut().iter_mut().for_each(|w| *w = StandardNormal.sample(draw));
        if self.orthogonal {
            for first in (0..all.rows()).step_by(dim.max(1)) {
                control.check_time("random frequencies")?;
                at_right_angles(&mut all, first..self.pairs().min(first + dim), draw);
            }
        }
        Ok(all)
    }
}

/// Orthogonalises some rows, no more than there are columns, each with the length of another normal vector.
fn at_right_angles(all: &mut Matrix, rows: Range<usize>, draw: &mut Xoshiro256PlusPlus) {
    let dim = all.cols();
    for p in rows.clone() {
        // Twice is enough (Giraud, Langou & Rozloznik 2005).
        for _ in 0..2 {
            for q in rows.start..p {
                let (by, size) = (dot(all.row(p), all.row(q)), dot(all.row(q), all.row(q)));
                let other = all.row(q).to_vec();
                all.row_mut(p).iter_mut().zip(other).for_each(|(w, o)| *w -= by / size * o);
            }
        }
        let length = (0..dim).map(|_| StandardNormal.sample(draw)).map(|v: f64| v * v).sum::<f64>().sqrt();
        let size = dot(all.row(p), all.row(p)).sqrt();
        all.row_mut(p).iter_mut().for_each(|w| *w *= length / size);
    }
}

/// Frequencies, and the inputs that they are for.
struct Waves {
    of: KernelExpr,
    selected: Option<Vec<String>>,
    frequencies: Shared<Frequencies>,
    lengths: Vec<f64>,
}

impl Waves {
    /// Rows as a matrix of numbers, in units of the length scales.
    fn inputs(&self, data: &Dataset) -> Result<Matrix> {
        let points = points(&self.of, Scope { selected: self.selected.as_deref(), ..Scope::of(data) })?;
        Error::unless_equal("columns of a kernel of frequencies", self.frequencies.columns(), points.dim())?;
        let mut inputs = Matrix::new(points.rows(), points.dim(), points.to_dense().into_owned())?;
        for row in inputs.data_mut().chunks_mut(points.dim().max(1)) {
            row.iter_mut().zip(self.lengths.iter().cycle()).for_each(|(x, length)| *x /= length);
        }
        Ok(inputs)
    }

    /// cos w'x, then sin w'x for every frequency, over the root of their number.
    fn features(&self, x: &Matrix, control: &Control) -> Result<Matrix> {
        let pairs = self.frequencies.count();
        control.plan("random features", 24 * (x.rows() as u64).saturating_mul(pairs as u64))?;
        let angles = self.frequencies.angles(x, control)?;
        let mut out = Matrix::zeros(x.rows(), 2 * pairs);
        let by = (1.0 / pairs as f64).sqrt();
        out.data_mut().par_chunks_mut(2 * pairs).zip(angles.data().par_chunks(pairs)).try_for_each(|(out, angles)| {
            control.check_time("random features")?;
            let (cos, sin) = out.split_at_mut(pairs);
            for ((c, s), angle) in cos.iter_mut().zip(sin).zip(angles) {
                let (sine, cosine) = angle.sin_cos();
                (*c, *s) = (by * cosine, by * sine);
            }
            Ok::<(), Error>(())
        })?;
        Ok(out)
    }

    /// Numbers among the parameters of the kernel that stand before its length scales.
    fn before_lengths(&self) -> usize {
        let values = self.of.values();
        values.iter().take_while(|p| p.param.name != "length_scale").map(|p| p.value.numbers().len()).sum()
    }
}

/// Rows made ready: their features.
struct FixedWaves {
    waves: Arc<Waves>,
    inputs: Matrix,
    features: Arc<Matrix>,
}

impl Fixed for FixedWaves {
    fn among(&self, _: &Control) -> Result<Box<dyn Bound>> {
        let slope = ByLengths { waves: self.waves.clone(), inputs: self.inputs.clone() };
        Ok(Box::new(LowRank::among(self.features.clone(), slope)))
    }
    fn cross(&self, new: &Dataset, control: &Control) -> Result<Box<dyn Bound>> {
        let inputs = self.waves.inputs(new)?;
        let rows = Arc::new(self.waves.features(&inputs, control)?);
        Ok(Box::new(LowRank::cross(rows, self.features.clone(), ByLengths { waves: self.waves.clone(), inputs })))
    }
}

/// How kernel values change with the length scales.
struct ByLengths {
    waves: Arc<Waves>,
    inputs: Matrix,
}

impl Slope for ByLengths {
    /// Its own two numbers, which move nothing smoothly, and those of its part.
    fn parameters(&self) -> usize {
        2 + self.waves.of.numbers()
    }
    /// dk/dl_d = sum_p sin(w_p'(u - v)) w_pd (u_d - v_d) / (pairs l_d) for inputs u, v in units of the length scales; over symmetric
    /// weights G that is, with features C and S and T = S o GC - C o GS, 2 sum_i u_id (T W)_id / l_d.
    fn gradient(&self, phi: &Matrix, weights: &PairWeights, control: &Control) -> Result<Vec<f64>> {
        let Waves { frequencies, lengths, .. } = self.waves.as_ref();
        let pairs = frequencies.count();
        let along = weights.product(phi, control)?;
        let turned = Matrix::from_fn(phi.rows(), pairs, |i, p| phi[(i, pairs + p)] * along[(i, p)] - phi[(i, p)] * along[(i, pairs + p)]);
        let combined = frequencies.combined(&turned, control)?;
        let slope = |d: usize, length: f64| (0..phi.rows()).map(|i| self.inputs[(i, d)] * combined[(i, d)]).sum::<f64>() * 2.0 / length;
        let mut out = vec![0.0; 2 + self.waves.before_lengths()];
        match lengths.as_slice() {
            [one] => out.push((0..frequencies.columns()).map(|d| slope(d, *one)).sum()),
            each => out.extend(each.iter().enumerate().map(|(d, length)| slope(d, *length))),
        }
        out.resize(self.parameters(), 0.0);
        Ok(out)
    }
}
