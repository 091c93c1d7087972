//! The kernel of structured columns that a comparison chooses where none is asked for.

use mercer::compare::{Comparing, Outcome, compare};
use mercer::control::Control;
use mercer::data::Split;
use mercer::estimators::EstimatorExpr;
use mercer::kernels::KernelExpr;
use mercer::notice::Notice;
use mercer::read::{ReadOptions, Table};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

const LENGTH: usize = 48;

/// Random sequences of DNA, of which every second one holds a word of eight letters at a random place.
fn sequences(rows: usize, seed: u64) -> Vec<String> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut one = |row: usize| {
        let mut letters: Vec<u8> = (0..LENGTH).map(|_| b"ACGT"[random.random_range(0..4)]).collect();
        let at = random.random_range(0..LENGTH - 8);
        if row % 2 == 1 {
            letters[at..at + 8].copy_from_slice(b"GATTACCA");
        }
        String::from_utf8(letters).unwrap()
    };
    (0..rows).map(&mut one).collect()
}

fn compared(sequences: &[String], labels: &[usize], estimators: &str, kernel: Option<&str>) -> Outcome {
    let rows: String = sequences.iter().zip(labels).map(|(s, y)| format!("{s},c{y}\n")).collect();
    let mut table = Table::parse("t", format!("s,y\n{rows}").as_bytes()).unwrap();
    let options = ReadOptions::with_types(["y=category"]).unwrap();
    let (target, info) = table.take_target(&["y"], &options).unwrap();
    let data = table.dataset(&options).unwrap();
    let kernel = kernel.map(|k| KernelExpr::parse(k).unwrap());
    let comparing = Comparing { kernel, ..Comparing::new(EstimatorExpr::parse_list(estimators).unwrap()) };
    compare(&data, &target, &info, None, &Split::Rows, &comparing, &Control::default()).unwrap()
}

fn notice(outcome: &Outcome) -> Option<String> {
    outcome.notices.iter().find(|n| matches!(n, Notice::KernelChosen { .. })).map(Notice::to_string)
}

#[test]
fn a_word_of_eight_letters_is_found_by_words_of_eight_letters() {
    let rows = sequences(160, 1);
    let labels: Vec<usize> = (0..rows.len()).map(|i| i % 2).collect();
    let outcome = compared(&rows, &labels, "ridge, baseline", None);
    let kernel = outcome.kernel.to_string();
    assert!(kernel.contains("spectrum(k=8)"), "{kernel}");
    assert!(notice(&outcome).is_some_and(|said| said.contains(&kernel) && said.contains("lower than under")), "{:?}", outcome.notices);
    // Two random rows share a word of eight letters once in 40 pairs, those of the class always.
    let best = &outcome.rows[0];
    assert!(best.metrics[0].1.mean >= 0.9, "{:?}", best.metrics[0]);
    // The model has the kernel, with its alphabet settled, and what is asked for is taken.
    let of_model = best.model.as_ref().unwrap().kernel.expr().to_string();
    assert_eq!(of_model.replace(", alphabet=dna", ""), kernel);
    let asked = compared(&rows, &labels, "ridge, baseline", Some("normalise(spectrum(k=2))"));
    assert_eq!((asked.kernel.to_string().as_str(), notice(&asked)), ("normalise(spectrum(k=2))", None));
}

#[test]
fn a_choice_makes_nothing_out_of_noise() {
    // Over eight tables of 100 rows whose labels are coins, the mean accuracy has a standard error below 2%.
    let mean: f64 = (0..8)
        .map(|seed| {
            let rows = sequences(100, seed);
            let mut random = Xoshiro256PlusPlus::seed_from_u64(100 + seed);
            let labels: Vec<usize> = (0..rows.len()).map(|_| random.random_range(0..2)).collect();
            compared(&rows, &labels, "ridge", None).rows[0].metrics[0].1.mean / 8.0
        })
        .sum();
    assert!((mean - 0.5).abs() <= 0.06, "{mean}");
}
