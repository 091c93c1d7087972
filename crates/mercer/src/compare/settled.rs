//! Estimators as the training rows of a fold settle them, once for all looks at it.

use super::entrants::Entrant;
use super::worker::Worker;
use crate::control::{Control, contain};
use crate::data::Examples;
use crate::error::Result;
use crate::estimators::{Task, ViewKind};
use crate::fitting::with_view;
use rayon::prelude::*;
use std::sync::atomic::Ordering;

impl Worker<'_> {
    /// Settles all estimators with the common kernel by the training rows of a fold, once: inputs are prepared once for all of them. What
    /// fails the first look says.
    pub(super) fn settle_starts_of(&self, k: usize, control: &Control) {
        if !self.settled[k].load(Ordering::Relaxed) {
            let is_done = contain("starting values", || self.try_to_settle(k, control)).is_ok();
            self.settled[k].store(is_done, Ordering::Relaxed);
        }
    }

    fn try_to_settle(&self, k: usize, control: &Control) -> Result<()> {
        let prepared = self.arena.prepared_fold(k)?;
        let searched = self.arena.searched(k, &prepared, self.learnt)?;
        let examples = &searched.examples(&prepared);
        let &Examples { data, target, weights, .. } = examples;
        let is_open = |e: &Entrant| e.estimator.values().iter().any(|own| !own.value.is_settled());
        let common = |e: &Entrant| e.kernel == *self.arena.kernel() && e.estimator.needs().reads_values() && e.estimator.takes(target);
        let open: Vec<_> = self.entrants.iter().zip(&self.starts).filter(|(e, _)| common(e) && is_open(e)).collect();
        if open.is_empty() {
            return Ok(());
        }
        // Where values are products of features, these take most of the work, and values of all training rows come with them.
        if self.arena.size.rank.is_some()
            && data.rows() == prepared.train.data.rows()
            && self.arena.values(k, &prepared, &prepared.train.examples(), &searched.kernel, control)?.is_some()
        {
            self.arena.note_computed(Some(k), data.rows());
        }
        with_view((&searched.kernel, ViewKind::Values), examples, self.arena.sharing(k, &searched).as_ref(), control, |view| {
            let task = Task { view, target, weights, control, seed: self.comparing.seed };
            open.par_iter().for_each(|(e, starts)| {
                if let Ok(settled) = contain(e.estimator.name(), || e.estimator.settle(&task)) {
                    starts[k].get_or_init(|| settled);
                }
            });
            Ok(())
        })
    }
}
