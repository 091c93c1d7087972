//! A comparison that is watched while it runs.

use mercer::compare::{CandidateState, Comparing, Outcome, Plan, RaceObserver, RaceUpdate, compare_watched};
use mercer::control::{Control, with_threads};
use mercer::data::{Examples, Split};
use mercer::estimators::EstimatorExpr;
use mercer::read::{ReadOptions, Table};
use mercer::report::{race_line, race_table};
use std::sync::Mutex;

const FOLDS: usize = 3;

fn compared(observer: Option<RaceObserver<'_>>) -> Outcome {
    let rows: String = (0..90).map(|i| format!("{},{},{}\n", i * i % 23, i % 7, (i * i % 23 + i % 7) / 10)).collect();
    let mut table = Table::parse("t", format!("a,b,y\n{rows}").as_bytes()).unwrap();
    let options = ReadOptions::with_types(["y=category"]).unwrap();
    let (target, info) = table.take_target(&["y"], &options).unwrap();
    let data = table.dataset(&options).unwrap();
    let examples = Examples { data: &data, target: &target, weights: None, split: &Split::Rows };
    let estimators = EstimatorExpr::parse_list("ridge, svc(c=1), knn, baseline").unwrap();
    let comparing = Comparing { folds: FOLDS, ..Comparing::new(estimators) };
    let mut announce = |_: &Plan| ();
    compare_watched(&examples, &info, &comparing, &Control::default(), &mut announce, observer).unwrap()
}

fn scores(outcome: &Outcome) -> Vec<(Vec<u64>, bool)> {
    let bits = |values: &[f64]| values.iter().map(|v| v.to_bits()).collect();
    outcome.rows.iter().map(|r| (bits(&r.folds[0].1), r.model.is_some())).collect()
}

#[test]
fn an_observer_sees_the_table_fill_and_changes_nothing() {
    let alone = compared(None);
    for threads in [1, 2] {
        let updates: Mutex<Vec<RaceUpdate>> = Mutex::default();
        let observer = |update: &RaceUpdate| updates.lock().unwrap().push(update.clone());
        let watched = with_threads(threads, || compared(Some(&observer))).unwrap();
        assert_eq!(scores(&watched), scores(&alone));
        let updates = updates.into_inner().unwrap();
        let first = &updates[0];
        assert!(first.leader().is_none() && first.candidates.iter().all(|c| c.state == CandidateState::Waiting && c.folds == 0));
        for update in &updates {
            assert_eq!(update.candidates.len(), 4);
            assert!(update.candidates.iter().all(|c| c.searched <= c.folds && c.folds <= c.of_folds && c.of_folds == FOLDS));
            let known: Vec<f64> = update.candidates.iter().map_while(|c| c.score).collect();
            assert!(known.is_sorted_by(|a, b| a >= b), "the best first: {known:?}");
            assert!(race_table(update, 80, 24).iter().all(|line| line.chars().count() <= 80 && !line.contains(char::is_control)));
        }
        // One for each trial that begins, one for each that ends, one for each step of the schedule.
        assert!(updates.len() >= 2 * watched.trials.len(), "{} of {}", updates.len(), watched.trials.len());
        assert!(updates.iter().any(|u| race_line(u).starts_with("starting values: ")));
        let (last, best) = (updates.last().unwrap(), &watched.rows[watched.best.unwrap()]);
        let shown = last.leader().unwrap();
        assert_eq!(shown.state, CandidateState::Fitted);
        assert!((shown.score.unwrap() - best.metrics[0].1.mean).abs() <= 1e-12, "{shown:?}");
    }
}
