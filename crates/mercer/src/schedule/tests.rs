//! The schedule with a counted budget and a runner that makes no fit: no sleep, no clock.

use super::*;
use crate::estimators::EstimatorExpr;
use crate::kernels::KernelExpr;
use crate::trial::{RowsOf, Spent};

const FOLDS: usize = 5;

/// An estimator as the runner knows it: errors per thousand before and after a search, and prices.
#[derive(Clone, Copy)]
struct Known {
    look: f64,
    tuned: f64,
    price: f64,
    fails: Option<&'static str>,
}

const SOME: Known = Known { look: 0.2, tuned: 0.1, price: 1.0, fails: None };

struct Runner {
    known: Vec<Known>,
    log: Vec<(usize, Purpose, Option<usize>)>,
    spent: f64,
}

impl Prices for Runner {
    fn price(&self, trial: &Trial) -> f64 {
        let of = match trial.purpose {
            Purpose::Look => 0.1,
            Purpose::Tune => 1.0,
            Purpose::Last(LastSearch::Full) => 2.0,
            Purpose::Last(LastSearch::Judged) => 1.0,
            Purpose::Last(LastSearch::None) => 0.5,
        };
        of * self.known[trial.candidate].price
    }
}

/// One hundred units, of which so many are wrong.
fn judged(error: f64) -> Contribution {
    let wrong = (100.0 * error).round() as usize;
    let by_unit = (0..100).map(|u| if u < wrong { 0.0 } else { 1.0 }).collect();
    Contribution { value: 1.0 - wrong as f64 / 100.0, by_unit }
}

impl Runner {
    fn run(&mut self, schedule: &mut Schedule, budget: f64) {
        for _ in 0..1000 {
            let NextAction::Run(trials, _) = schedule.next(budget - self.spent, self) else { return };
            assert!(!trials.is_empty());
            for trial in trials {
                let known = self.known[trial.candidate];
                let price = self.price(&trial);
                self.spent += price;
                self.log.push((trial.candidate, trial.purpose, trial.rows.fold));
                let error = if trial.purpose == Purpose::Look { known.look } else { known.tuned };
                let judged = match (known.fails, trial.purpose) {
                    (Some("panic"), Purpose::Tune) => Err(Error::Internal { what: "svc".into(), why: "a panic".into() }),
                    (Some("time"), Purpose::Tune) => Err(Error::Time { what: "svc".into() }),
                    (Some("no room"), Purpose::Last(_)) => Err(Error::Time { what: "svc".into() }),
                    (_, Purpose::Last(_)) => Ok(None),
                    _ => Ok(Some(judged(error))),
                };
                schedule.take(&TrialResult { trial, judged, is_open: true, exact_wins: false, spent: Spent::default() }, price);
            }
        }
        unreachable!("a schedule comes to an end");
    }

    fn times(&self, c: usize, purpose: Purpose) -> usize {
        self.log.iter().filter(|(k, p, _)| *k == c && *p == purpose).count()
    }

    fn is_fitted(&self, c: usize) -> bool {
        self.log.iter().any(|(k, p, _)| *k == c && matches!(p, Purpose::Last(_)))
    }
}

/// A race in which nothing is searched to its end whatever it promises.
fn race(known: &[Known], budget: f64) -> (Schedule, Runner) {
    race_of(known, budget, 0.0)
}

/// A race in which the cheapest searches that take no more than `whole` go to their end.
fn race_of(known: &[Known], budget: f64, whole: f64) -> (Schedule, Runner) {
    let (estimator, kernel) = (EstimatorExpr::parse("svc").unwrap(), KernelExpr::parse("rbf").unwrap());
    let rows = RowsOf { rows: 1000, most: 1000, landmarks: None };
    let candidates = known.iter().map(|_| Candidate::new(estimator.clone(), kernel.clone(), rows, 1000, FOLDS)).collect();
    let mut schedule = Schedule::new(candidates, FOLDS, Metric::Accuracy, whole);
    let mut runner = Runner { known: known.to_vec(), log: Vec::new(), spent: 0.0 };
    runner.run(&mut schedule, budget);
    (schedule, runner)
}

#[test]
fn without_a_budget_everything_that_can_win_is_searched_scored_and_fitted() {
    let (schedule, runner) = race(&[SOME, Known { tuned: 0.09, ..SOME }], f64::INFINITY);
    for c in 0..2 {
        assert_eq!((runner.times(c, Purpose::Look), runner.times(c, Purpose::Tune)), (FOLDS, FOLDS));
        assert!(runner.is_fitted(c) && schedule.candidates[c].out.is_none());
    }
    assert_eq!(schedule.ranked(), [1, 0]);
}

#[test]
fn what_remains_is_known_after_the_first_looks_and_bounds_what_is_spent() {
    let known = [SOME, Known { tuned: 0.09, ..SOME }, Known { look: 0.25, tuned: 0.2, ..SOME }];
    let (estimator, kernel) = (EstimatorExpr::parse("svc").unwrap(), KernelExpr::parse("rbf").unwrap());
    let rows = RowsOf { rows: 1000, most: 1000, landmarks: None };
    let candidates = known.iter().map(|_| Candidate::new(estimator.clone(), kernel.clone(), rows, 1000, FOLDS)).collect();
    let mut schedule = Schedule::new(candidates, FOLDS, Metric::Accuracy, 0.0);
    let runner = Runner { known: known.to_vec(), log: Vec::new(), spent: 0.0 };
    let mut seen = Vec::new();
    while let NextAction::Run(trials, _) = schedule.next(1000.0 - schedule.spent(), &runner) {
        seen.push((schedule.remaining(1000.0 - schedule.spent(), &runner), schedule.spent()));
        for trial in trials {
            let (price, known) = (runner.price(&trial), known[trial.candidate]);
            let judged = match trial.purpose {
                Purpose::Last(_) => Ok(None),
                Purpose::Look => Ok(Some(judged(known.look))),
                Purpose::Tune => Ok(Some(judged(known.tuned))),
            };
            schedule.take(&TrialResult { trial, judged, is_open: true, exact_wins: false, spent: Spent::default() }, price);
        }
    }
    assert_eq!((seen[0].0, schedule.remaining(900.0, &runner)), (None, Some(0.0)));
    // Three searches on five folds at 1 each, the fit of the best at 2 and two others at 1.
    assert_eq!(seen[1].0, Some(19.0));
    assert!(seen.len() > 3 && seen[1..].iter().all(|(left, spent)| spent + left.unwrap() >= schedule.spent() - 1e-9), "{seen:?}");
}

/// A schedule of three estimators of which the second is expensive, with its log.
fn long_race(look_of_expensive: f64) -> Vec<(usize, Purpose, Option<usize>)> {
    let cheap = Known { look: 0.20, tuned: 0.10, price: 1.0, fails: None };
    let expensive = Known { look: look_of_expensive, tuned: 0.08, price: 12.0, fails: None };
    let other = Known { look: 0.22, tuned: 0.09, price: 12.0, fails: None };
    race(&[cheap, expensive, other], 240.0).1.log
}

#[test]
fn where_all_takes_long_the_leader_is_finished_unless_another_was_better_at_first_sight_than_it_is_now() {
    let first = |log: &[(usize, Purpose, Option<usize>)], c: usize, purpose: fn(Purpose) -> bool| {
        log.iter().position(|(k, p, _)| *k == c && purpose(*p)).unwrap_or(usize::MAX)
    };
    let (is_tune, is_last) = (|p: Purpose| p == Purpose::Tune, |p: Purpose| matches!(p, Purpose::Last(_)));
    let log = long_race(0.19);
    assert!(first(&log, 0, is_last) < first(&log, 1, is_tune), "{log:?}");
    let log = long_race(0.09);
    assert!(first(&log, 1, is_tune) < first(&log, 0, is_last), "{log:?}");
    // What is fitted as the best is searched on all rows, others are judged.
    assert!(log.contains(&(1, Purpose::Last(LastSearch::Full), None)), "{log:?}");
}

#[test]
fn starting_values_leave_nothing_behind() {
    let (schedule, runner) = race(&[Known { look: 0.03, tuned: 0.02, ..SOME }, Known { look: 0.8, tuned: 0.0, ..SOME }], f64::INFINITY);
    assert_eq!((runner.times(0, Purpose::Tune), runner.times(1, Purpose::Tune)), (FOLDS, FOLDS));
    assert_eq!(schedule.ranked(), [1, 0]);
}

#[test]
fn what_is_worse_on_the_first_fold_by_more_than_noise_goes_no_further() {
    let known = [Known { tuned: 0.02, ..SOME }, Known { tuned: 0.19, ..SOME }];
    let (schedule, runner) = race(&known, f64::INFINITY);
    assert_eq!((runner.times(0, Purpose::Tune), runner.times(1, Purpose::Tune)), (FOLDS, 1));
    let Some(Out::Behind { own, best }) = schedule.candidates[1].out else { panic!("{:?}", schedule.candidates[1].out) };
    assert!((own - 0.81).abs() < 1e-12 && (best - 0.98).abs() < 1e-12);
    // What is left after the looks takes 10: two searches on five folds.
    let (_, runner) = race_of(&known, f64::INFINITY, 9.9);
    assert_eq!(runner.times(1, Purpose::Tune), 1);
    let (schedule, runner) = race_of(&known, f64::INFINITY, 10.0);
    assert_eq!((runner.times(1, Purpose::Tune), schedule.candidates[1].out), (FOLDS, None));
    // What takes long keeps no cheap search from its end.
    let (_, runner) = race_of(&[known[0], Known { price: 9.0, ..known[1] }, known[1]], f64::INFINITY, 10.0);
    assert_eq!([0, 1, 2].map(|c| runner.times(c, Purpose::Tune)), [FOLDS, 1, FOLDS]);
}

#[test]
fn a_tuned_method_goes_before_one_at_its_starting_values() {
    // The second is better at first sight, and there is no room for its search.
    let (schedule, runner) = race(&[SOME, Known { look: 0.05, price: 100.0, ..SOME }], 80.0);
    assert_eq!((runner.times(1, Purpose::Tune), schedule.candidates[1].out), (0, Some(Out::Budget)));
    assert_eq!(schedule.ranked(), [0, 1]);
}

#[test]
fn what_is_perfect_at_its_starting_values_is_not_searched() {
    let (schedule, runner) = race_of(&[Known { look: 0.0, ..SOME }, SOME], f64::INFINITY, f64::INFINITY);
    assert_eq!((runner.times(0, Purpose::Tune), runner.times(1, Purpose::Tune)), (0, FOLDS));
    assert!(runner.log.contains(&(0, Purpose::Last(LastSearch::None), None)), "{:?}", runner.log);
    assert_eq!(schedule.ranked(), [0, 1]);
}

#[test]
fn the_leader_is_finished_before_the_field_is_widened_where_time_is_short() {
    let (_, runner) = race(&[Known { look: 0.15, ..SOME }, SOME, SOME], 20.0);
    let last = runner.log.iter().position(|(c, p, _)| *c == 0 && matches!(p, Purpose::Last(_))).unwrap();
    let widened = runner.log.iter().position(|(c, p, k)| *c > 0 && *p == Purpose::Tune && *k > Some(0));
    assert!(widened.is_none_or(|w| w > last), "{:?}", runner.log);
}

#[test]
fn at_every_budget_the_best_of_what_is_scored_on_every_fold_is_fitted() {
    let known = [SOME, Known { look: 0.18, tuned: 0.05, price: 3.0, ..SOME }, Known { look: 0.12, price: 9.0, ..SOME }];
    let mut before = 0;
    for budget in [0.0, 0.2, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0] {
        let (schedule, runner) = race(&known, budget);
        let scored = (0..3).filter(|&c| schedule.candidates[c].is_looked()).count();
        assert!(scored >= before, "less is done with more");
        before = scored;
        match schedule.ranked().first() {
            Some(&best) => assert!(runner.is_fitted(best), "{budget}: {:?}", runner.log),
            None => assert_eq!(scored, 0),
        }
        // The fit of the best may go beyond a budget that was spent on looks.
        assert!(runner.spent <= budget + 0.5 * 9.0, "{budget}: {}", runner.spent);
    }
}

#[test]
fn where_no_time_is_left_the_baseline_is_scored_and_fitted_all_the_same() {
    let (svc, baseline) = (EstimatorExpr::parse("svc").unwrap(), EstimatorExpr::parse("baseline").unwrap());
    let (kernel, rows) = (KernelExpr::parse("rbf").unwrap(), RowsOf { rows: 1000, most: 1000, landmarks: None });
    let candidates = [svc, baseline].map(|e| Candidate::new(e, kernel.clone(), rows, 1000, FOLDS)).into();
    let mut schedule = Schedule::new(candidates, FOLDS, Metric::Accuracy, 0.0);
    let mut runner = Runner { known: vec![SOME; 2], log: Vec::new(), spent: 0.0 };
    runner.run(&mut schedule, 0.0);
    assert_eq!((runner.times(0, Purpose::Look), runner.times(1, Purpose::Look)), (0, FOLDS));
    assert!(runner.is_fitted(1) && schedule.ranked() == [1]);
}

#[test]
fn where_there_is_no_time_for_the_best_what_takes_least_is_fitted() {
    let known = [
        Known { look: 0.0, price: 8.0, fails: Some("no room"), ..SOME },
        Known { look: 0.1, price: 4.0, ..SOME },
        Known { look: 0.2, price: 1.0, ..SOME },
    ];
    // The first looks and a reserve for the first fit are all that there is.
    let (schedule, runner) = race(&known, 10.5);
    let fitted: Vec<bool> = schedule.candidates.iter().map(|c| c.fitted).collect();
    assert_eq!(fitted, [false, false, true], "{:?}", runner.log);
}

#[test]
fn nothing_wins_that_is_not_scored_on_every_fold() {
    let (schedule, runner) = race(&[SOME, Known { tuned: 0.01, fails: Some("time"), ..SOME }], f64::INFINITY);
    assert_eq!(runner.times(1, Purpose::Tune), 1);
    // It keeps the scores of its looks, which are worse.
    assert_eq!(schedule.ranked(), [0, 1]);
    assert!((schedule.loss(1) + 0.8).abs() < 1e-12);
}

#[test]
fn a_trial_that_panics_takes_its_candidate_out_and_the_rest_goes_on() {
    let (schedule, runner) = race(&[Known { fails: Some("panic"), ..SOME }, SOME], f64::INFINITY);
    assert!(schedule.candidates[0].failed && !runner.is_fitted(0));
    assert_eq!(schedule.ranked(), [1]);
    assert!(runner.is_fitted(1));
}

#[test]
fn a_late_result_changes_nothing_of_a_candidate_that_has_failed() {
    let (mut schedule, _) = race(&[Known { fails: Some("panic"), ..SOME }, SOME], f64::INFINITY);
    let trial = schedule.candidates[0].trial(0, Some(1), Purpose::Tune);
    let judged = Ok(Some(judged(0.0)));
    schedule.take(&TrialResult { trial, judged, is_open: true, exact_wins: false, spent: Spent::default() }, 1.0);
    assert_eq!(schedule.ranked(), [1]);
}

#[test]
fn a_fit_that_was_refused_for_memory_is_tried_with_fewer_rows() {
    let (estimator, kernel) = (EstimatorExpr::parse("svc").unwrap(), KernelExpr::parse("rbf").unwrap());
    let rows = RowsOf { rows: 1000, most: 1000, landmarks: None };
    let mut schedule = Schedule::new(vec![Candidate::new(estimator, kernel, rows, 1000, 2)], 2, Metric::Accuracy, 0.0);
    let runner = Runner { known: vec![SOME], log: Vec::new(), spent: 0.0 };
    let NextAction::Run(trials, _) = schedule.next(100.0, &runner) else { panic!("nothing to do") };
    let refused = Error::Memory { what: "a fit".into(), needed: 2, allowed: 1, instead: String::new() };
    let result = TrialResult { trial: trials[0].clone(), judged: Err(refused), is_open: true, exact_wins: false, spent: Spent::default() };
    schedule.take(&result, 0.0);
    let NextAction::Run(trials, _) = schedule.next(100.0, &runner) else { panic!("nothing to do") };
    assert!(trials.iter().all(|t| t.rows.most == 666 && t.purpose == Purpose::Look), "{trials:?}");
}

#[test]
fn trials_are_data() {
    let (schedule, _) = race(&[SOME], 0.0);
    let trial = schedule.candidates[0].trial(0, Some(3), Purpose::Tune);
    let text = serde_json::to_string(&trial).unwrap();
    assert_eq!(serde_json::from_str::<Trial>(&text).unwrap(), trial);
    assert_eq!(std::collections::HashSet::from([trial.clone(), trial]).len(), 1);
}
