//! Which trial runs next under a budget. Pure: results go in, trials come out; no thread, no clock, no fit.
//!
//! 1. Every estimator has a first look: its starting values on the same rows of every fold.
//! 2. As many of the cheapest searches as take little together, or all where that was asked for, go to their end on every fold, whatever
//!    they promise.
//! 3. The others are searched on the first fold; what is worse there by more than noise goes no further. The leader is finished first:
//!    searched and scored on every fold, fitted to all rows. Then the others, the best first, until the budget is spent. Nothing is left
//!    behind by its starting values.
//! 4. What is scored on every fold is fitted to all rows, the best first. The price of that fit of the leader is set aside from
//!    the beginning.
//!
//! Where everything that is left costs little beside the budget the order does not matter, and it is handed out together, so that
//! every core is busy.

mod candidate;
#[cfg(test)]
mod tests;

pub use candidate::{Candidate, Out};

use crate::error::Error;
use crate::metrics::{Contribution, Judged, Metric, against_best};
use crate::trial::limits::{BATCH_SHARE, CHEAP_SHARE, NEGLIGIBLE_SHARE, TRIFLE};
use crate::trial::{LastSearch, Purpose, Trial, TrialResult};

/// Estimated costs of trials, in the unit of the budget.
pub trait Prices {
    /// The price of a trial of a candidate.
    fn price(&self, trial: &Trial) -> f64;
}

/// The next action of a comparison.
#[derive(Debug)]
pub enum NextAction {
    /// These trials, in any order or side by side. They may take so much of the budget together.
    Run(Vec<Trial>, f64),
    /// Nothing is left, or nothing that the budget allows.
    Done,
}

/// The state of a comparison.
#[derive(Debug)]
pub struct Schedule {
    /// In the order asked for.
    pub candidates: Vec<Candidate>,
    folds: usize,
    metric: Metric,
    /// The cheapest searches that take no more than this together, in the unit of the budget, go to their end; infinite: all.
    whole: f64,
    /// Whether the search of each candidate does, which is known after the first looks.
    to_the_end: Option<Vec<bool>>,
    /// What the trials so far have taken, in the unit of the budget.
    spent: f64,
}

impl Schedule {
    /// A schedule of candidates that have had no trial, scored on so many folds by a metric. `whole`: the work, in the unit of the
    /// budget, up to which candidates are searched to their end, whatever they promise, the cheapest first.
    pub fn new(candidates: Vec<Candidate>, folds: usize, metric: Metric, whole: f64) -> Self {
        Schedule { candidates, folds, metric, whole, to_the_end: None, spent: 0.0 }
    }

    /// What is to be done with so much of the budget left; 0 or less where it is spent, or an end was asked for.
    pub fn next(&mut self, left: f64, prices: &dyn Prices) -> NextAction {
        let step = self.looks(left, prices).or_else(|| self.tunes(left, prices)).or_else(|| self.lasts(left, prices));
        step.unwrap_or(NextAction::Done)
    }

    /// What the trials so far have taken, in the unit of the budget.
    pub fn spent(&self) -> f64 {
        self.spent
    }

    /// What there is still to do with so much of the budget left, in its unit, if nothing falls behind: an estimate from above.
    /// `None` before every first look is done, as no search has a price before.
    pub fn remaining(&self, left: f64, prices: &dyn Prices) -> Option<f64> {
        let order = self.by_promise(self.contenders());
        if order.iter().any(|&c| !self.candidates[c].is_looked()) {
            return None;
        }
        let fit = |c: usize| {
            let candidate = &self.candidates[c];
            let search = match (candidate.is_open && candidate.out.is_none(), order.first() == Some(&c)) {
                (false, _) => LastSearch::None,
                (true, false) => LastSearch::Judged,
                (true, true) => LastSearch::Full,
            };
            if candidate.is_fittable() { prices.price(&candidate.trial(c, None, Purpose::Last(search))) } else { 0.0 }
        };
        let search = |c: usize| {
            if self.candidates[c].is_settled() { 0.0 } else { price_of(&self.trials(c, Purpose::Tune), prices) }
        };
        let work: f64 = order.iter().map(|&c| search(c) + fit(c)).sum();
        let others = self.alive().filter(|&c| self.candidates[c].out.is_some());
        Some((work + others.map(fit).sum::<f64>()).min(left.max(0.0)))
    }

    /// Counts what trials have in common.
    pub fn spend(&mut self, spent: f64) {
        self.spent += spent;
    }

    /// Takes the result of a trial into account, which has taken so much of the budget. A result of what is out already changes nothing.
    pub fn take(&mut self, result: &TrialResult, spent: f64) {
        self.spent += spent;
        let Trial { candidate: c, rows, purpose, .. } = result.trial;
        let candidate = &mut self.candidates[c];
        if candidate.failed {
            return;
        }
        candidate.is_open |= result.is_open;
        if result.exact_wins
            && let Some(landmarks) = candidate.landmarks.take()
        {
            candidate.rows = landmarks.exact_rows;
        }
        match (&result.judged, purpose, rows.fold) {
            (Ok(Some(judged)), Purpose::Look, Some(k)) => candidate.looks[k] = Some(judged.clone()),
            (Ok(Some(judged)), Purpose::Tune, Some(k)) => candidate.tuned[k] = Some(judged.clone()),
            (Ok(_), ..) => candidate.fitted = true,
            (Err(Error::Memory { .. }), ..) if candidate.shrink(rows.most, purpose) => {}
            (Err(Error::Time { .. } | Error::Stopped { .. }), Purpose::Last(LastSearch::Judged | LastSearch::Full), _) => {
                candidate.is_plain = true
            }
            (Err(Error::Time { .. } | Error::Stopped { .. }), Purpose::Last(LastSearch::None), _) => candidate.is_unfitted = true,
            // What it shared its time with may have taken it: once more.
            (Err(Error::Time { .. }), Purpose::Look, _) if candidate.late_looks < self.folds => candidate.late_looks += 1,
            (Err(Error::Time { .. } | Error::Stopped { .. }), ..) => candidate.out = Some(Out::Budget),
            (Err(_), ..) => candidate.failed = true,
        }
    }

    /// The loss of each candidate by what it is scored on at last; infinite where it is not scored on every fold.
    pub fn loss(&self, c: usize) -> f64 {
        self.candidates[c].scores().map_or(f64::INFINITY, |scores| self.mean(scores))
    }

    /// Candidates that are scored on every fold and fitted to all rows, or may be: what is tuned first, the best first.
    pub fn ranked(&self) -> Vec<usize> {
        let mut order: Vec<usize> = self.alive().filter(|&c| self.loss(c).is_finite()).collect();
        let is_any_tuned = order.iter().any(|&c| self.candidates[c].is_tuned() && !self.candidates[c].is_guess());
        let key = |c: usize| (is_any_tuned && !self.candidates[c].is_tuned(), self.loss(c));
        order.sort_by(|&a, &b| key(a).0.cmp(&key(b).0).then(key(a).1.total_cmp(&key(b).1)));
        order
    }

    fn alive(&self) -> impl Iterator<Item = usize> {
        (0..self.candidates.len()).filter(|&c| !self.candidates[c].failed)
    }

    /// Candidates that may still be searched.
    fn contenders(&self) -> Vec<usize> {
        self.alive().filter(|&c| self.candidates[c].out.is_none()).collect()
    }

    fn mean(&self, scores: &[Option<Contribution>]) -> f64 {
        let values: Vec<f64> = scores.iter().flatten().map(|c| c.value).filter(|v| !v.is_nan()).collect();
        let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
        match values.is_empty() {
            true => f64::INFINITY,
            false if self.metric.rises() => -mean,
            false => mean,
        }
    }

    /// How far a candidate has come, smaller is better: what is tuned on the first fold goes before what has been looked at.
    fn promise(&self, c: usize) -> (bool, f64) {
        let candidate = &self.candidates[c];
        match candidate.tuned[0] {
            Some(_) => (false, self.mean(&candidate.tuned[..1])),
            None => (true, self.mean(&candidate.looks)),
        }
    }

    fn by_promise(&self, mut of: Vec<usize>) -> Vec<usize> {
        let key = |c: &usize| self.promise(*c);
        of.sort_by(|a, b| key(a).0.cmp(&key(b).0).then(key(a).1.total_cmp(&key(b).1)));
        of
    }

    fn trials(&self, c: usize, purpose: Purpose) -> Vec<Trial> {
        let missing = |k: &usize| match purpose {
            Purpose::Look => self.candidates[c].looks[*k].is_none(),
            _ => self.candidates[c].tuned[*k].is_none(),
        };
        (0..self.folds).filter(missing).map(|k| self.candidates[c].trial(c, Some(k), purpose)).collect()
    }

    /// The fit of a candidate to all rows, after as far a search as costs no more than so much together; beyond the noise for the
    /// best one alone.
    fn last(&self, c: usize, is_best: bool, most: f64, prices: &dyn Prices) -> Trial {
        let candidate = &self.candidates[c];
        let of = |search| candidate.trial(c, None, Purpose::Last(search));
        let searches = [LastSearch::Full, LastSearch::Judged].into_iter().skip(usize::from(!is_best)).map(of);
        let is_searched = candidate.is_tuned() && !candidate.is_plain;
        searches.filter(|_| is_searched).find(|t| prices.price(t) <= most).unwrap_or_else(|| of(LastSearch::None))
    }

    /// The reserve for the fit of the best to all rows, of those for whose fit there is room.
    fn reserve(&self, left: f64, prices: &dyn Prices) -> f64 {
        let price = |c: usize| if self.candidates[c].fitted { 0.0 } else { prices.price(&self.last(c, true, 0.0, prices)) };
        self.by_promise(self.contenders()).into_iter().map(price).find(|price| *price <= left).unwrap_or(0.0)
    }

    /// As many of these groups of trials as take a small part of what is left, in their order; at least the first that there is
    /// room for. What there is no room for is searched no further.
    fn batch(&mut self, groups: Vec<(usize, Vec<Trial>)>, left: f64, reserve: f64, prices: &dyn Prices) -> Option<NextAction> {
        let waiting = groups.len().max(1) as f64;
        let (mut chosen, mut taken, mut groups_taken) = (Vec::new(), 0.0, 0);
        for (c, trials) in groups {
            let price = price_of(&trials, prices);
            let is_free = self.candidates[c].is_guess();
            if (left <= 0.0 || price > left - reserve) && !is_free {
                self.candidates[c].out.get_or_insert(Out::Budget);
                continue;
            }
            // What the others leave behind, such as kernel values, may make it cheaper.
            if price > left - reserve - taken && !is_free {
                continue;
            }
            // Two at least, so that what one of them does on one core leaves no other idle.
            if groups_taken > 1 && taken + price > BATCH_SHARE * left {
                break;
            }
            taken += price;
            groups_taken += 1;
            chosen.extend(trials);
        }
        // A price may be wrong by a factor: no step takes what the others need.
        let most = (left - reserve).min((3.0 * taken).max(left / waiting));
        (!chosen.is_empty()).then_some(NextAction::Run(chosen, most))
    }

    fn looks(&mut self, left: f64, prices: &dyn Prices) -> Option<NextAction> {
        let due: Vec<usize> = self.contenders().into_iter().filter(|&c| !self.candidates[c].is_looked()).collect();
        if due.is_empty() {
            return None;
        }
        let mut groups: Vec<(usize, Vec<Trial>)> = due.into_iter().map(|c| (c, self.trials(c, Purpose::Look))).collect();
        groups.sort_by(|a, b| price_of(&a.1, prices).total_cmp(&price_of(&b.1, prices)));
        // A model is left in any case.
        let reserve = self.reserve(left, prices);
        self.batch(groups, left, reserve, prices)
    }

    /// Decides which candidates are searched to their end, whatever they promise: as many of the cheapest as take little together.
    fn decide_ends(&mut self, due: &[usize], prices: &dyn Prices) {
        if self.to_the_end.is_some() {
            return;
        }
        let mut priced: Vec<(usize, f64)> = due.iter().map(|&c| (c, price_of(&self.trials(c, Purpose::Tune), prices))).collect();
        priced.sort_by(|a, b| a.1.total_cmp(&b.1));
        let mut to_the_end = vec![false; self.candidates.len()];
        let mut taken = 0.0;
        for (c, price) in priced {
            taken += price;
            to_the_end[c] = taken <= self.whole;
        }
        self.to_the_end = Some(to_the_end);
    }

    fn tunes(&mut self, left: f64, prices: &dyn Prices) -> Option<NextAction> {
        for c in self.contenders() {
            let is_perfect = self.is_perfect(c);
            self.candidates[c].settle(is_perfect);
        }
        let due: Vec<usize> = self.contenders().into_iter().filter(|&c| !self.candidates[c].is_tuned()).collect();
        self.decide_ends(&due, prices);
        self.leave_what_is_out_of_reach(left, prices);
        let order = self.by_promise(self.contenders());
        let leader = *order.first()?;
        let due: Vec<usize> = order.iter().copied().filter(|&c| !self.candidates[c].is_tuned()).collect();
        let next = |s: &Self, of: &[usize]| of.iter().map(|&c| (c, s.next_trials(c))).collect::<Vec<(usize, Vec<Trial>)>>();
        let by_price = |mut groups: Vec<(usize, Vec<Trial>)>| {
            groups.sort_by(|a, b| price_of(&a.1, prices).total_cmp(&price_of(&b.1, prices)));
            groups
        };
        let all: f64 = due.iter().map(|&c| price_of(&self.trials(c, Purpose::Tune), prices)).sum();
        if all > BATCH_SHARE * left && left > 0.0 {
            let reserve = self.reserve(left, prices);
            // A better leader may be found at little cost.
            let is_cheap = |c: &usize| !self.candidates[*c].is_begun() && price_of(&self.next_trials(*c), prices) <= CHEAP_SHARE * left;
            let cheap: Vec<usize> = due.iter().copied().filter(is_cheap).collect();
            if let Some(step) = self.batch(by_price(next(self, &cheap)), left, reserve, prices) {
                return Some(step);
            }
            // The leader is finished before the field is widened; but what was better at first sight than it is now comes before
            // that, the cheap ones first.
            if self.candidates[leader].is_begun() {
                let tuned = self.mean(&self.candidates[leader].tuned[..1]);
                let ahead = |c: &usize| !self.candidates[*c].is_begun() && self.mean(&self.candidates[*c].looks[..1]) < tuned;
                let ahead: Vec<usize> = due.iter().copied().filter(ahead).collect();
                if let Some(step) = self.batch(by_price(next(self, &ahead)), left, reserve, prices) {
                    return Some(step);
                }
                if due.first() == Some(&leader)
                    && let Some(step) = self.batch(next(self, &[leader]), left, reserve, prices)
                {
                    return Some(step);
                }
                if self.candidates[leader].is_tuned() && self.candidates[leader].is_fittable() {
                    return Some(NextAction::Run(vec![self.last(leader, true, left, prices)], left));
                }
            }
        }
        // What there is no room for is searched no further, and the reserve may then be for another.
        loop {
            let open = self.contenders().into_iter().filter(|&c| !self.candidates[c].is_tuned()).collect();
            let due = self.by_promise(open);
            if due.is_empty() {
                return None;
            }
            let reserve = self.reserve(left, prices);
            if let Some(step) = self.batch(next(self, &due), left, reserve, prices) {
                return Some(step);
            }
        }
    }

    /// Whether nothing can be better than a candidate at its starting values, on every fold.
    pub fn is_perfect(&self, c: usize) -> bool {
        let candidate = &self.candidates[c];
        candidate.is_looked() && candidate.looks.iter().flatten().all(|look| self.metric.is_perfect(look.value))
    }

    /// The next trials of a candidate: the first fold, then the others.
    fn next_trials(&self, c: usize) -> Vec<Trial> {
        let all = self.trials(c, Purpose::Tune);
        all.into_iter().take(if self.candidates[c].is_begun() { usize::MAX } else { 1 }).collect()
    }

    /// Takes out what after a search on the first fold is worse than the best by more than noise.
    fn leave_what_is_out_of_reach(&mut self, left: f64, prices: &dyn Prices) {
        let negligible = if left.is_finite() { NEGLIGIBLE_SHARE * left } else { 0.0 };
        let contenders = self.contenders();
        let judged: Vec<Option<Judged>> =
            contenders.iter().map(|&c| Judged::of_folds(std::slice::from_ref(self.candidates[c].tuned[0].as_ref()?))).collect();
        let sign = if self.metric.rises() { -1.0 } else { 1.0 };
        let loss = |i: usize| judged[i].as_ref().map_or(f64::INFINITY, |judged| sign * judged.value);
        let Some(best) = (0..judged.len()).min_by(|&a, &b| loss(a).total_cmp(&loss(b))).filter(|&b| loss(b).is_finite()) else { return };
        let found = against_best(&judged.iter().map(Option::as_ref).collect::<Vec<_>>(), best, self.metric.rises());
        let mut gone = Vec::new();
        for (i, &c) in contenders.iter().enumerate() {
            let (Some(difference), candidate) = (found[i], &self.candidates[c]) else { continue };
            let margin = difference.high - difference.mean;
            // One fold of a small table says little, and the others are had for next to nothing.
            let to_the_end = self.to_the_end.as_ref().is_some_and(|ends| ends[c]);
            if to_the_end || candidate.is_tuned() || !candidate.is_open || price_of(&self.trials(c, Purpose::Tune), prices) <= negligible {
                continue;
            }
            if loss(i) - loss(best) > margin {
                gone.push((c, Out::Behind { own: sign * loss(i), best: sign * loss(best) }));
            }
        }
        gone.into_iter().for_each(|(c, out)| self.candidates[c].out = Some(out));
    }

    fn lasts(&mut self, left: f64, prices: &dyn Prices) -> Option<NextAction> {
        let order = self.ranked();
        let due: Vec<usize> = order.iter().copied().filter(|&c| self.candidates[c].is_fittable()).collect();
        let price = |s: &Self, c: usize| prices.price(&s.last(c, false, 0.0, prices));
        if left <= 0.0 && due.first() != order.first() && order.iter().all(|&c| !self.candidates[c].fitted) {
            // There was no time for the best: the one that takes least is fitted.
            let least = due.iter().copied().min_by(|&a, &b| price(self, a).total_cmp(&price(self, b)))?;
            return Some(NextAction::Run(vec![self.last(least, false, 0.0, prices)], left));
        }
        let first = *due.first()?;
        // The best is fitted in any case, and without a search where there is no room for one.
        let trial = self.last(first, first == order[0], left, prices);
        if first == order[0] && prices.price(&trial) > BATCH_SHARE * left {
            return Some(NextAction::Run(vec![trial], left));
        }
        let mut groups = Vec::new();
        for (place, &c) in due.iter().enumerate() {
            // What is searched no further is fitted where that is next to nothing.
            let is_spared = left.is_finite() && !self.candidates[c].is_tuned();
            let most = if is_spared { TRIFLE * self.spent } else { left };
            let share = (left / (due.len() - place) as f64).min(most);
            let trial = self.last(c, c == order[0], share, prices);
            match c == order[0] || prices.price(&trial) <= share {
                true => groups.push((c, vec![trial])),
                false => self.candidates[c].is_unfitted = true,
            }
        }
        self.batch(groups, left, 0.0, prices)
    }
}

/// The price of trials together.
fn price_of(trials: &[Trial], prices: &dyn Prices) -> f64 {
    trials.iter().map(|t| prices.price(t)).sum()
}
