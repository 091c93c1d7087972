//! What the settings of a round have in common in each of its folds: kernel values, or features.

use super::{Field, FoldFeatures, possible};
use crate::control::Control;
use crate::data::{Dataset, Examples, Split};
use crate::error::Result;
use crate::estimators::ViewKind;
use crate::fitting::KernelValues;
use crate::kernels::KernelExpr;
use crate::select::free::{Setting, is_fixed};
use crate::select::search::RoundContext;
use rayon::prelude::*;
use std::sync::Arc;

impl Field<'_> {
    /// Whether the kernel values of a round on all rows are kept from one setting to the next, or for others: where they cost more than
    /// reading them, and there is room.
    fn keeps(&self) -> bool {
        let RoundContext { round, free, sharing, size, .. } = *self.place;
        let bytes: u64 = round.folds.iter().map(|f| KernelValues::bytes(f.train.len(), f.test.len())).sum();
        let is_kept = is_fixed(free) || sharing.is_some();
        is_kept && KernelValues::are_costly(&round.sample.data, size) && bytes <= self.control.allowed() / 4
    }

    /// Sees to it that the features of these folds are there, if there is room for those of all folds.
    fn compute_features(&mut self, setting: &Setting, folds: &[usize]) -> Result<()> {
        let RoundContext { round, size, start, .. } = *self.place;
        let rows: u64 = round.folds.iter().map(|f| (f.train.len() + f.test.len()) as u64).sum();
        if start.estimator.needs().view() != ViewKind::Features || rows.saturating_mul(size.feature_bytes()) > self.control.allowed() / 4 {
            return Ok(());
        }
        let kernel = setting.kernel.to_string();
        if self.features.as_ref().is_none_or(|(k, _)| *k != kernel) {
            self.features = Some((kernel, round.folds.iter().map(|_| None).collect()));
        }
        let Some((_, made)) = &mut self.features else { return Ok(()) };
        let due = folds.iter().filter(|&&k| made[k].is_none()).filter_map(|&k| Some((k, self.inner[k].as_ref()?)));
        let due: Vec<(usize, &(Dataset, Dataset))> = due.collect();
        let quiet = Control { progress: None, max_memory: self.control.allowed() / due.len().max(1) as u64, ..self.control.clone() };
        let make = |&(k, (train, test)): &(usize, &(Dataset, Dataset))| -> Result<(usize, Option<FoldFeatures>)> {
            let rows = &round.folds[k].train;
            let (target, weights) = (round.sample.target.select(rows), round.sample.weights_of(rows));
            let train = Examples { data: train, target: &target, weights: weights.as_deref(), split: &Split::Rows };
            Ok((k, possible(FoldFeatures::of(&setting.kernel, &setting.estimator, &train, test, &quiet))?))
        };
        let new: Vec<(usize, Option<FoldFeatures>)> = due.par_iter().map(make).collect::<Result<_>>()?;
        new.into_iter().for_each(|(k, features)| made[k] = features);
        Ok(())
    }

    /// Sees to it that the kernel values of these folds are there.
    pub(super) fn compute(&mut self, setting: &Setting, folds: &[usize]) -> Result<()> {
        let RoundContext { round, sharing, .. } = *self.place;
        if self.place.reads_features() {
            return self.compute_features(setting, folds);
        }
        if round.all && !self.keeps() {
            return Ok(());
        }
        let kernel = setting.kernel.to_string();
        if self.kernels.as_ref().is_none_or(|(k, _)| *k != kernel) {
            self.kernels = None;
            let mut made: Vec<Option<Arc<KernelValues>>> = round.folds.iter().map(|_| None).collect();
            if !setting.kernel.learns() && self.inner.iter().all(Option::is_none) {
                // Folds are parts of the values among all rows of the round.
                let among = |kernel: &KernelExpr| Ok([kernel.bind_within(None, &round.sample.data, self.control)?]);
                let mut make = || {
                    let [bound] = self.fixed.grams(round.folds.len(), &setting.kernel, self.control, among)?;
                    KernelValues::of(bound.as_ref(), None, self.control)
                };
                let all = match sharing {
                    Some(sharing) => sharing.values((&round.rows, &[]), false, &setting.kernel, make)?,
                    None => Arc::new(make()?),
                };
                made = round.folds.iter().map(|fold| Some(Arc::new(all.folded(&fold.train, &fold.test)))).collect();
            }
            self.kernels = Some((kernel, made));
        }
        let Some((_, made)) = &mut self.kernels else { return Ok(()) };
        for &k in folds.iter().filter(|&&k| made[k].is_none()).collect::<Vec<_>>() {
            let fold = &round.folds[k];
            let cut;
            let (train, test) = match &self.inner[k] {
                Some((train, test)) => (train, test),
                None => {
                    cut = (round.sample.data.select(&fold.train), round.sample.data.select(&fold.test));
                    (&cut.0, &cut.1)
                }
            };
            let weights = round.sample.weights_of(&fold.train);
            let bind = |kernel: &KernelExpr| KernelValues::bind(kernel, train, weights.as_deref(), test, self.control);
            let mut make = || {
                let [among, cross] = self.fixed.grams(k, &setting.kernel, self.control, bind)?;
                KernelValues::of(among.as_ref(), Some(cross.as_ref()), self.control)
            };
            let is_anew = round.raw.is_some();
            made[k] = Some(match sharing {
                Some(sharing) => sharing.values((&round.places(&fold.train), &round.places(&fold.test)), is_anew, &setting.kernel, make)?,
                None => Arc::new(make()?),
            });
        }
        Ok(())
    }
}
