//! Kernel principal components: the directions of greatest variance in feature space (Schölkopf, Smola & Müller 1998; Murphy
//! 2012, 14.4.4). With B = H K H = U L U', H = I - 11'/N, the coordinate of x along component j is
//!
//! ```text
//! f_j(x) = sum_i a_ij k~(x, x_i),  a_j = u_j / l_j^(1/2),  k~(x, x_i) = k(x, x_i) - mean_s k(x, x_s) - mean_s k(x_s, x_i) + mean_st k(x_s, x_t)
//! ```
//!
//! sum_i a_ij = 0, so that what the centring takes from every k(x, x_i) alike falls away and the rest is a constant: f_j(x) =
//! sum_i a_ij k(x, x_i) - sum_i a_ij mean_s k(x_s, x_i). What the components leave of x is its squared reconstruction error, large
//! where x is unlike the training rows (Hoffmann 2007):
//!
//! ```text
//! e(x) = k~(x, x) - sum_j f_j(x)^2 = k(x, x) - 2 mean_s k(x, x_s) + mean_st k(x_s, x_t) - sum_j f_j(x)^2
//! ```
//!
//! With `sparsity` s above 0 few rows have loadings b instead of a: those that minimise, around the row m nearest to the mean,
//!
//! ```text
//! 1/2 sum_j |v_j - sum_i b_ij (phi(x_i) - phi(x_m))|^2 + lambda sum_i |b_i|,   lambda = s times the least that leaves no row
//! ```
//!
//! with v_j the directions of the components; row m takes b_m = -sum_i b_i, so that loadings sum to 0 as those of components do.
//!
//! For distances d, -d^2/2 is used instead of k: classical scaling
//! (Torgerson 1952). The row that lies farthest from 0 along a component lies above it. Rows of weights: see `centred`.

use super::centred::{Centred, leading_costs, operations_of_validity};
use crate::blocks;
use crate::control::Control;
use crate::data::{Kind, TargetInfo};
use crate::error::{Error, Result};
use crate::estimators::{
    Answer, Certificate, Costs, Estimator, EstimatorFacts, Expansion, Fit, FitContext, Fitted, Needs, Predicted, Predictions, Query, Size,
    Summary, Task,
};
use crate::gram::{Block, Gram, Side, dot};
use crate::linalg::{Matrix, product_transposed_within, product_within};
use crate::notice::Notice;
use crate::param::{Value, require_settled};
use crate::solve::l1::{Sparsified, most_penalty, sparsified};
use mercer_derive::{Choice, Parameters};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// The relative residual that eigenpairs are asked to reach.
const TOLERANCE: f64 = 1e-10;
/// The duality gap that sparse loadings are asked to reach, as a share of the objective without any.
const GAP: f64 = 1e-6;
/// Rows that lie as far from 0 along a component, but for rounding.
const AS_FAR: f64 = 1e-9;
/// What the components leave of a row is rounding up to this share of its terms.
const REMADE: f64 = 1e-13;
/// Components that are looked at first where their number is found.
const FIRST: usize = 16;
/// Components that hold more than all variance by so small a share do so by rounding.
const OVER: f64 = 1e-9;
/// Components that a note gives the share of.
const SHOWN: usize = 10;

/// Kernel principal component analysis.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Parameters)]
#[serde(deny_unknown_fields)]
pub struct KernelPca {
    /// number of components, or the share of the variance that they explain together; auto: those with more variance than in rows whose
    /// columns are shuffled (parallel analysis), or 2 where kernel values are given
    #[param(default = 2.0, domain = CountOrShare)]
    pub components: Value,
    /// similarities: what kernels give; distances: the kernel's values are distances d, and -d^2/2 takes their place (classical scaling)
    pub values: KernelValueKind,
    /// add a last column with the squared reconstruction error in feature space, which is large for rows unlike the training rows
    #[serde(default)]
    pub novelty: bool,
    /// 0: every training row has loadings; above 0 and below 1: few have, by a penalty on those of each row, as a share of the least
    /// penalty that leaves none: predictions need these rows alone, and coordinates shrink
    #[param(default = none(), domain = NonNegative)]
    #[serde(default = "none")]
    pub sparsity: Value,
}

fn none() -> Value {
    Value::Number(0.0)
}

/// What kernel values are to kernel principal components.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Choice)]
#[serde(rename_all = "snake_case")]
pub enum KernelValueKind {
    /// Similarities.
    #[default]
    Similarities,
    /// Distances d, of which -d^2/2 is the similarity up to centring.
    Distances,
}

impl KernelPca {
    fn centred<'a>(&self, task: &Task<'a>) -> Result<Centred<'a>> {
        if task.rows() < 2 {
            return Err(Error::Data(format!("components need rows that differ, and there is {}; add rows", task.rows())));
        }
        Centred::new(task, (self.values == KernelValueKind::Distances).then_some(similarity))
    }

    fn check_sparsity(&self) -> Result<()> {
        let share = self.sparsity.number();
        if share >= 1.0 {
            let why = format!("{share} leaves no training row; it is a share of the least penalty that does, below 1, such as 0.2");
            return Err(Error::Setting { name: "sparsity".into(), why });
        }
        if share > 0.0 && self.novelty {
            let why = "what components leave of a row depends on all training rows; leave novelty or sparsity out".into();
            return Err(Error::Setting { name: "sparsity".into(), why });
        }
        Ok(())
    }

    /// Loadings of few rows for those of all.
    fn sparse(&self, centred: &Centred<'_>, coef: &Matrix, task: &Task<'_>) -> Result<Sparsified> {
        let middle = centred.middle();
        task.control.plan("kernel values around a row", 8 * (task.rows() as u64).pow(2))?;
        let around = centred.around(middle);
        let products = product_within(&around, coef, task.control)?;
        let lambda = self.sparsity.number() * most_penalty(&products);
        let mut found = sparsified(&around, &products, &vec![1.0; coef.cols()], lambda, GAP, task.control)?;
        for j in 0..coef.cols() {
            found.coef[(middle, j)] = -found.coef.col(j).iter().sum::<f64>();
        }
        Ok(found)
    }
}

impl Estimator for KernelPca {
    const NAME: &'static str = "kernel_pca";
    const DOC: &'static str =
        "kernel principal component analysis: directions of greatest variance in feature space; classical scaling of distances";
    const TAKES: &'static [Kind] = &[Kind::Nothing];
    type Fitted = FittedKernelPca;

    fn needs(&self) -> Needs {
        Needs::Symmetric
    }

    /// Coefficients that sum to 0 see nothing of f(x), and the constant takes up f(z).
    fn facts(&self) -> EstimatorFacts {
        // How far a row lies from the components is measured with its own k(x, x).
        EstimatorFacts { ignores_shifts: !self.novelty, ..EstimatorFacts::default() }
    }

    /// The matrix; its leading eigenvectors, and those of the least eigenvalues, which show whether the kernel is positive semi-definite.
    fn costs(&self, size: Size) -> Costs {
        let asked = self.components.number();
        let found = leading_costs(size.rows, if asked >= 1.0 { asked as usize } else { size.rows });
        let fit = found.fit + operations_of_validity(size.rows);
        Costs { bytes: found.bytes + 8 * (size.rows as u64).pow(2), fit, ..size.by_values().costs() }
    }

    fn start(&self, _param: &str, _task: &Task<'_>) -> Result<f64> {
        Ok(2.0)
    }

    fn fit_with(&self, task: &Task<'_>, _: &FitContext<'_, FittedKernelPca>) -> Result<Fit<FittedKernelPca>> {
        require_settled(self, Self::NAME)?;
        let (n, asked) = (task.rows(), self.components.number());
        self.check_sparsity()?;
        let centred = self.centred(task)?;
        let (mut below, mut count_below) = centred.below_zero(false, task.seed, task.control)?;
        // Of similarities that are no kernel the trace is less than what the directions hold whose variance is above 0.
        let (mut total, floor) = (centred.trace() + below, centred.floor());
        let mut count = if asked < 1.0 { FIRST } else { asked as usize };
        let (mut found, mut kept);
        loop {
            found = centred.leading(count, TOLERANCE, task.seed, task.control)?;
            kept = found.values.iter().take_while(|l| **l > floor).count();
            let mut sum = 0.0;
            let enough = found.values[..kept].iter().position(|l| {
                sum += l;
                sum >= asked * total
            });
            match enough {
                Some(last) if asked < 1.0 => kept = last + 1,
                None if asked < 1.0 && kept == count && count < n => {
                    count *= 4;
                    continue;
                }
                _ => {}
            }
            break;
        }
        if kept == 0 {
            return Err(Error::Data(
                "all rows are alike to the kernel: nothing is left once their mean is taken away, and there is no component; check the columns and the kernel's parameters"
                    .into(),
            ));
        }
        let values = found.values[..kept].to_vec();
        let mut coef = Matrix::zeros(n, kept);
        let mut bias = vec![0.0; kept];
        for (j, value) in values.iter().enumerate() {
            let direction: Vec<f64> = found.vectors.row(j).iter().zip(&centred.root).map(|(u, r)| u / r).collect();
            let size = sign(&direction) / value.sqrt();
            let column: Vec<f64> = found.vectors.row(j).iter().zip(&centred.root).map(|(u, r)| size * u * r).collect();
            bias[j] = -dot(&centred.means, &column);
            (0..n).for_each(|i| coef[(i, j)] = column[i]);
        }
        let sparse = (self.sparsity.number() > 0.0).then(|| self.sparse(&centred, &coef, task)).transpose()?;
        if let Some(found) = &sparse {
            coef = found.coef.clone();
            (0..kept).for_each(|j| bias[j] = -dot(&centred.means, &coef.col(j)));
        }
        if self.novelty {
            coef = Matrix::from_fn(n, kept + 1, |i, j| if j < kept { coef[(i, j)] } else { centred.share[i] });
            bias.push(0.0);
        }
        let held: f64 = values.iter().sum();
        if count_below == 0 && held > total * (1.0 + OVER) {
            (below, count_below) = centred.below_zero(true, task.seed, task.control)?;
            total += below;
        }
        total = total.max(held);
        let spectrum = Spectrum { values, total };
        let (mut notes, mut warnings) = (vec![spectrum.note()], Vec::new());
        if count_below > 0 {
            let share = below / (below + spectrum.total);
            warnings.push(Notice::NegativeEigenvalues { count: count_below, is_least: centred.looks_at_some(), share });
        }
        if asked >= 1.0 && kept < asked as usize {
            notes.push(format!("{asked} components are asked for, and rows differ in {kept} directions: there are {kept}"));
        }
        let mut summary = Summary {
            iterations: found.products,
            converged: found.residual <= TOLERANCE,
            certificate: Some(Certificate {
                name: "relative residual of the eigenvectors".into(),
                value: found.residual,
                tolerance: TOLERANCE,
            }),
            notes,
            warnings,
            ..Summary::default()
        };
        let mut support: Vec<usize> = (0..n).collect();
        if let Some(found) = &sparse {
            support.retain(|&i| coef.row(i).iter().any(|b| *b != 0.0));
            coef = coef.select_rows(&support);
            summary.iterations += found.sweeps;
            summary.converged &= found.gap <= GAP;
            summary.objective = Some(found.objective);
            summary.certificate =
                Some(Certificate { name: "relative duality gap of the loadings".into(), value: found.gap, tolerance: GAP });
            let kept: Vec<String> = found.left.iter().take(SHOWN).map(|l| format!("{:.1}%", 100.0 * (1.0 - l))).collect();
            summary.notes.push(format!(
                "{} of {n} training rows have loadings; of the direction of each component they make {}",
                support.len(),
                kept.join(", ")
            ));
        }
        let mut expansion = Expansion::new(support, coef, bias);
        if self.values != KernelValueKind::Distances {
            expansion.weigh(task.gram()?, task.control)?;
        }
        let (mean, share) = (centred.mean, centred.share);
        Ok(FittedKernelPca { expansion, spectrum, values: self.values, mean, share, novelty: self.novelty, summary }.into())
    }

    fn component_variances(&self, task: &Task<'_>, most: usize) -> Result<Option<(&'static str, Vec<f64>)>> {
        if self.components != Value::Auto {
            return Ok(None);
        }
        let found = self.centred(task)?.leading(most, 1e-4, task.seed, task.control)?;
        Ok(Some(("components", found.values)))
    }
}

/// -d^2/2.
fn similarity(distance: f64) -> f64 {
    -0.5 * distance * distance
}

/// 1 where the farthest number from 0 is above it, -1 where it is below; of several the first.
fn sign(numbers: &[f64]) -> f64 {
    let far = numbers.iter().fold(0.0f64, |m, v| m.max(v.abs())) * (1.0 - AS_FAR);
    numbers.iter().find(|v| v.abs() >= far).map_or(1.0, |v| v.signum())
}

/// The variance along components, each as a sum over the rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spectrum {
    /// Eigenvalues of the centred Gram matrix, greatest first.
    pub values: Vec<f64>,
    /// The sum of all that are above 0, those of components that are not kept included.
    pub total: f64,
}

impl Spectrum {
    /// The share of the whole variance that each component holds.
    pub fn shares(&self) -> Vec<f64> {
        self.values.iter().map(|v| v / self.total).collect()
    }

    fn note(&self) -> String {
        let shares = self.shares();
        let percent = |share: f64| format!("{:.1}%", 100.0 * share);
        let each: Vec<String> = shares.iter().take(SHOWN).map(|s| percent(*s)).collect();
        let more = if shares.len() > SHOWN { ", ..." } else { "" };
        format!("share of the variance: {} in all ({}{more})", percent(shares.iter().sum()), each.join(", "))
    }
}

/// Fitted kernel principal components.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FittedKernelPca {
    expansion: Expansion,
    spectrum: Spectrum,
    values: KernelValueKind,
    /// |m|^2.
    mean: f64,
    /// s, of which m = sum_i s_i phi(x_i).
    #[serde(with = "blocks::f64s")]
    share: Vec<f64>,
    /// Whether the last output of the expansion is m'phi(x), from which the error follows.
    novelty: bool,
    summary: Summary,
}

impl FittedKernelPca {
    /// How many components there are.
    pub(crate) fn components(&self) -> usize {
        self.expansion.bias.len().saturating_sub(usize::from(self.novelty))
    }

    /// What components make of rows, P phi = m + sum_j f_j v_j = sum_i g_i phi(x_i), from their coordinates f along all components
    /// or the first: g_i = s_i + sum_j f_j a_ij, one row of them for each, and |P phi|^2 = |m|^2 + sum_j f_j (f_j + 2 m'v_j).
    ///
    /// # Errors
    /// Components of distances, of few rows or of features alone; more coordinates than components.
    pub(crate) fn projections(&self, coordinates: &Matrix, control: &Control) -> Result<(Matrix, Vec<f64>)> {
        let (count, n) = (coordinates.cols(), self.share.len());
        let refused = |why: &str| Err(Error::Data(format!("pre-images: {why}")));
        if self.values == KernelValueKind::Distances {
            return refused("classical scaling has distances and no features");
        }
        if n == 0 {
            return refused("the model keeps weights of features and no training row; fit with rbf, or in the library with keep_rows");
        }
        if self.expansion.support.len() != n {
            return refused("few training rows have loadings; fit with sparsity=0");
        }
        if count > self.components() {
            return refused("there are more coordinates than components");
        }
        // m'v_j = sum_i a_ij m'phi(x_i), which is what is taken from every coordinate.
        let first = Matrix::from_fn(n, count, |i, j| self.expansion.coef[(i, j)]);
        let mut shares = product_transposed_within(coordinates, &first, control)?;
        for k in 0..shares.rows() {
            shares.row_mut(k).iter_mut().zip(&self.share).for_each(|(g, s)| *g += s);
        }
        let along = |f: &[f64]| f.iter().zip(&self.expansion.bias).map(|(f, b)| f * (f - 2.0 * b)).sum::<f64>();
        let squares = (0..coordinates.rows()).map(|k| self.mean + along(coordinates.row(k))).collect();
        Ok((shares, squares))
    }
}

impl Fitted for FittedKernelPca {
    fn support(&self) -> &[usize] {
        &self.expansion.support
    }
    fn predict(&self, query: &Query<'_>) -> Result<Predictions> {
        let of_distances = OfDistances(query.cross()?);
        let cross: &dyn Gram = if self.values == KernelValueKind::Distances { &of_distances } else { query.cross()? };
        let mut values = self.expansion.predict(cross, query.control)?;
        if self.novelty {
            let mean = self.mean;
            let own = cross.diagonal(Side::Rows);
            for (row, own) in values.data_mut().chunks_exact_mut(self.expansion.bias.len().max(1)).zip(own) {
                if let Some((along, coordinates)) = row.split_last_mut() {
                    let left = own - 2.0 * *along + mean - dot(coordinates, coordinates);
                    *along = if left.abs() <= REMADE * (own.abs() + mean.abs()) { 0.0 } else { left };
                }
            }
        }
        Ok(Predictions::of(Predicted::Numbers(values)))
    }
    fn summary(&self) -> &Summary {
        &self.summary
    }
    fn answer(&self, _target: &TargetInfo) -> Result<Answer> {
        let names = (1..=self.components()).map(|k| format!("pc{k}")).chain(self.novelty.then(|| "novelty".into()));
        Ok(Answer::Components { names: names.collect() })
    }
    fn expansion(&self) -> Option<&Expansion> {
        Some(&self.expansion)
    }
    fn expansion_mut(&mut self) -> Option<&mut Expansion> {
        Some(&mut self.expansion)
    }
    fn forget_rows(&mut self) {
        self.expansion.forget_rows();
        if self.expansion.is_of_features() {
            self.share = Vec::new();
        }
    }
    fn spectrum(&self) -> Option<&Spectrum> {
        Some(&self.spectrum)
    }
}

/// -d^2/2 of distances d.
struct OfDistances<'a>(&'a dyn Gram);

impl Gram for OfDistances<'_> {
    fn shape(&self) -> (usize, usize) {
        self.0.shape()
    }
    fn fill(&self, rows: Range<usize>, cols: Range<usize>, mut out: Block<'_, f64>) {
        self.0.fill(rows, cols, out.reborrow());
        (0..out.rows()).for_each(|i| out.row_mut(i).iter_mut().for_each(|v| *v = similarity(*v)));
    }
    fn diagonal(&self, side: Side) -> Vec<f64> {
        self.0.diagonal(side).into_iter().map(similarity).collect()
    }
}
