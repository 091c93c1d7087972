//! The rows of one round of a search: a sample, its inner folds, and how the rows became inputs.

use super::crossval;
use super::free::Setting;
use crate::data::{Dataset, Examples, Fold, Sample, Split, folds, some_rows_of};
use crate::error::Result;
use crate::estimators::EstimatorExpr;
use crate::facts;
use crate::fitting::{KernelValues, Prepared, Sharing};
use crate::kernels::KernelExpr;
use crate::prep::Layout;
use std::collections::HashMap;

/// How rows became inputs: what inner folds repeat without the rows that they hold out.
#[derive(Clone, Copy)]
pub struct Preparation<'a> {
    /// Rows whose columns the examples have.
    pub prepared: &'a Prepared,
    /// The rows of the examples before any step.
    pub raw: &'a Dataset,
    /// The kernel as the examples settle it, where that is known, and the estimator as it settles under that kernel.
    pub settled: Option<(&'a KernelExpr, Option<&'a EstimatorExpr>)>,
    /// Where others use kernel values among the examples.
    pub(crate) sharing: Option<&'a Sharing>,
}

/// The rows of one round.
pub(super) struct Round {
    pub sample: Sample,
    /// The places of the sample among the examples.
    pub rows: Vec<usize>,
    /// Where searches begin, with what is not searched as these rows suggest it.
    pub start: Setting,
    /// Inner folds; none where the criterion is smooth.
    pub folds: Vec<Fold>,
    /// Whether the rows are all there are, or as many as a fit can be repeated for.
    pub all: bool,
    /// How the rows became inputs, where other training rows would give other inputs.
    pub raw: Option<Raw>,
}

/// A preparation that owns the rows of a round.
pub(super) struct Raw {
    layout: Layout,
    rows: Dataset,
}

impl Round {
    /// The places among the examples of some rows of the sample.
    pub(super) fn places(&self, of: &[usize]) -> Vec<usize> {
        of.iter().map(|&i| self.rows[i]).collect()
    }

    /// The rows of an inner fold prepared anew, without those that it holds out: training rows, held-out rows. `None` where
    /// that makes no difference.
    pub(super) fn prepared(&self, fold: &Fold) -> Option<(Dataset, Dataset)> {
        let raw = self.raw.as_ref()?;
        let weights: Option<Vec<f64>> = self.sample.weights_of(&fold.train);
        let train = raw.rows.select(&fold.train);
        let prep = raw.layout.fit(&train, weights.as_deref()).ok()?;
        Some((prep.apply(&train).ok()?, prep.apply(&raw.rows.select(&fold.test)).ok()?))
    }
}

/// Folds of some rows of the examples. Rows that are equal before any step stay together, so that a row of weight 2 is two
/// rows here too, and no copy is judged by what was learnt from the other.
pub(super) fn inner_folds(sample: &Sample, rows: &[usize], prepared: Option<Preparation<'_>>, seed: u64) -> Result<Vec<Fold>> {
    let dealt = match (&sample.split, prepared) {
        (Split::Rows, Some(p)) => facts::dealt_by_content(&p.raw.select(rows), &sample.target),
        (Split::Rows, None) => facts::dealt_by_content(&sample.data, &sample.target),
        _ => None,
    };
    let enough = |split: &Split| split.most_folds(rows.len()) >= crossval::FOLDS;
    let split = dealt.map(Split::Groups).filter(enough).unwrap_or_else(|| sample.split.clone());
    folds(&sample.target, &split, crossval::FOLDS.min(split.most_folds(rows.len())), seed)
}

/// How some rows became inputs, where other training rows would give other inputs. Of inputs with structure the values of a kernel are
/// computed once for all inner folds: these choose between settings, and no score is theirs.
pub(super) fn raw_of(rows: &[usize], prepared: Option<Preparation<'_>>) -> Option<Raw> {
    let learns = prepared.filter(|p| !KernelValues::have_structure(p.raw) && p.prepared.layout().learns_from_rows(p.raw));
    learns.map(|p| Raw { layout: p.prepared.layout().clone(), rows: p.raw.select(rows) })
}

/// The rows that rounds are drawn from.
pub(super) struct Drawn {
    pub rows: Vec<usize>,
    /// The weights of all examples, where they are not their own.
    pub weights: Option<Vec<f64>>,
}

impl Drawn {
    /// All rows. A criterion that leaves out one row at a time, or that takes all as drawn independently, is fooled by copies: it sees
    /// each once, with the total of their weights.
    pub(super) fn of(examples: &Examples<'_>, each_once: bool) -> Drawn {
        let Some(groups) = each_once.then(|| facts::copies(examples.data, examples.target)).flatten() else {
            return Drawn { rows: (0..examples.rows()).collect(), weights: None };
        };
        let mut firsts: HashMap<usize, usize> = HashMap::new();
        let (mut rows, mut weights) = (Vec::new(), vec![0.0; groups.len()]);
        for (i, group) in groups.iter().enumerate() {
            let first = *firsts.entry(*group).or_insert(i);
            weights[first] += examples.weights.map_or(1.0, |w| w[i]);
            if first == i {
                rows.push(i);
            }
        }
        Drawn { rows, weights: Some(weights) }
    }

    /// At most so many of them, with every class in its share.
    pub(super) fn some(&self, examples: &Examples<'_>, most: usize, seed: u64) -> Vec<usize> {
        some_rows_of(&examples.target.select(&self.rows), most, seed).into_iter().map(|k| self.rows[k]).collect()
    }
}
