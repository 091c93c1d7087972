//! Models of strings: predictions folded into one function, and the letters that they answer by.

use mercer::control::Control;
use mercer::data::{Column, Dataset, Labels, Strings, Target, TargetInfo, Values};
use mercer::estimators::{EstimatorExpr, Want};
use mercer::gram;
use mercer::kernels::KernelExpr;
use mercer::learner::{Learner, Masking, Model};
use mercer::linalg::Matrix;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

const BASES: [char; 4] = ['A', 'C', 'G', 'T'];

fn draw(random: &mut Xoshiro256PlusPlus, length: usize) -> String {
    (0..length).map(|_| BASES[random.random_range(0..4)]).collect()
}

/// Random sequences, the second half with a motif planted.
fn planted(seed: u64, rows: usize, length: usize, motif: &str) -> (Vec<String>, Target) {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let sequences = (0..rows)
        .map(|i| {
            let mut s = draw(&mut random, length);
            if i >= rows / 2 {
                let at = random.random_range(0..length - motif.len());
                s.replace_range(at..at + motif.len(), motif);
            }
            s
        })
        .collect();
    (
        sequences,
        Target::Classes { codes: (0..rows).map(|i| usize::from(i >= rows / 2)).collect(), names: vec!["without".into(), "with".into()] },
    )
}

fn sequences(rows: &[String]) -> Dataset {
    Dataset::new(vec![Column { name: "seq".into(), values: Values::Sequences(Strings::new(rows)) }]).unwrap()
}

fn fit(kernel: &str, estimator: &str, data: &Dataset, target: &Target) -> Model {
    let Target::Classes { names, .. } = target else { panic!("the target is of classes") };
    let info = TargetInfo { names: vec!["class".into()], classes: Some(names.clone()), labels: Labels::Text };
    let learner = Learner { kernel: Some(KernelExpr::parse(kernel).unwrap()), ..Learner::new(EstimatorExpr::parse(estimator).unwrap()) };
    learner.fit(data, target, &info, None, &Control::default()).unwrap()
}

/// What folds gives what kernel values give: counts of substrings, tables of all words, with both strands, normalised, scaled and added.
#[test]
fn folded_columns_give_the_products_of_kernel_values() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(5);
    let rows: Vec<String> = (0..150).map(|i| draw(&mut random, 60 + i)).collect();
    let new: Vec<String> = (0..7).map(|i| if i == 3 { "ACGTNNACGTAAACCCGGGTTT".into() } else { draw(&mut random, 20 * i) }).collect();
    let coef = Matrix::from_fn(rows.len(), 2, |s, o| ((s * 7 + o * 3) % 11) as f64 - 5.0);
    let control = Control::default();
    for kernel in [
        "gapped(length=8, k=5)",
        "normalise(gapped(length=8, k=5, reverse_complement=true))",
        "3*mismatch(k=8, m=1)",
        "spectrum(k=4)",
        "normalise(substrings(decay=0.7, reverse_complement=true))",
        "normalise(gapped(length=8, k=5)) + 0.5*normalise(weighted_degree(degree=4))",
    ] {
        let settled = KernelExpr::parse(kernel).unwrap().settle(&sequences(&rows)).unwrap();
        let cross = settled.bind(Some(&sequences(&new)), &sequences(&rows)).unwrap_or_else(|e| panic!("{kernel}: {e}"));
        let all: Vec<usize> = (0..new.len()).collect();
        let folded = cross.folded(&all, &coef, &control).unwrap().unwrap_or_else(|| panic!("{kernel} does not fold"));
        let direct = gram::apply(cross.as_ref(), &coef, &control).unwrap();
        let size = direct.data().iter().fold(1.0f64, |most, v| most.max(v.abs()));
        for (a, b) in folded.data().iter().zip(direct.data()) {
            assert!((a - b).abs() <= 1e-10 * size, "{kernel}: {a} {b}");
        }
    }
    // A table of 4^12 words would be larger than it may be.
    let long = KernelExpr::parse("gapped(length=12, k=5, mismatches=7, alphabet=dna)").unwrap();
    assert!(long.bind(Some(&sequences(&new)), &sequences(&rows)).unwrap().folded(&[0, 1], &coef, &control).unwrap().is_none());
}

/// The longest part of a text that another one holds.
fn longest_common(a: &str, b: &str) -> usize {
    (0..a.len())
        .flat_map(|i| (i + 1..=a.len()).map(move |j| (i, j)))
        .filter(|&(i, j)| b.contains(&a[i..j]))
        .map(|(i, j)| j - i)
        .max()
        .unwrap_or(0)
}

/// A planted motif is among the first three parts of most effect on each of ten draws, and where it lies in a row is where masking it
/// changes the answer most.
#[test]
fn a_planted_motif_is_what_the_model_answers_by() {
    let motif = "GATTACAT";
    for seed in 0..10 {
        let (rows, target) = planted(seed, 120, 60, motif);
        let data = sequences(&rows);
        let kernel = if seed % 2 == 0 { "normalise(gapped(length=6, k=4))" } else { "normalise(spectrum(k=4))" };
        let model = fit(kernel, "svc(c=10)", &data, &target);
        let all = model.influences(&data, &Masking::default(), &Control::default()).unwrap();
        assert_eq!((all.len(), all[0].of.as_str()), (1, "with"));
        let first = &all[0].parts[..3];
        assert!(first.iter().any(|s| s.mean > 0.0 && longest_common(&s.text, motif) >= 5), "draw {seed}: {first:?}");
        let row = 70;
        let found = model.explain(&data, row, Some(motif.len()), &Control::default()).unwrap();
        let at = rows[row].find(motif).unwrap() + 1;
        let best = &found.columns[0].strongest[0];
        assert!(best.first.abs_diff(at) <= 3 && best.effect > 0.0, "draw {seed}: {best:?}, and the motif is at {at}");
        // Effects are differences of decision values: that of the row itself is the value.
        let whole = model.predict(&data.select(&[row]), Want { scores: true, ..Want::default() }, &Control::default()).unwrap();
        assert!((whole.scores.unwrap()[(0, 0)] - found.value).abs() < 1e-12);
    }
}

#[test]
fn words_of_texts_are_masked_whole() {
    let texts = ["a good film", "a good day", "a bad film", "a bad day", "good", "bad"];
    let data = Dataset::new(vec![Column { name: "review".into(), values: Values::Texts(Strings::new(texts)) }]).unwrap();
    let target = Target::Classes { codes: vec![1, 1, 0, 0, 1, 0], names: vec!["neg".into(), "pos".into()] };
    let model = fit("tfidf", "svc(c=1)", &data, &target);
    let found = model.explain(&data, 2, None, &Control::default()).unwrap();
    assert_eq!((found.of.as_str(), found.columns[0].units.len()), ("neg", 3));
    assert_eq!(found.columns[0].strongest[0].text.trim(), "bad");
}

/// The default follows alphabet and lengths, and the notice says how; a given kernel that sees no places is told of aligned sequences.
#[test]
fn the_default_kernel_follows_alphabet_and_lengths() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(2);
    let mut of = |letters: &[char], lengths: &dyn Fn(usize) -> usize| -> Vec<String> {
        (0..30).map(|i| (0..lengths(i)).map(|_| letters[random.random_range(0..letters.len())]).collect()).collect()
    };
    let amino: Vec<char> = "ACDEFGHIKLMNPQRSTVWY".chars().collect();
    let words: Vec<char> = "abcdefghij -".chars().collect();
    let (same, different) = (|_| 24, |i| 20 + i % 7);
    for (rows, kernel, why) in [
        (of(&BASES, &same), "normalise(weighted_degree(degree=6)) + normalise(gapped(length=6, k=4))", "DNA, all of 24 letters"),
        (of(&BASES, &different), "normalise(gapped(length=6, k=4))", "by the gapped words"),
        (of(&amino, &different), "normalise(blended)", "proteins"),
        (of(&words, &different), "normalise(spectrum)", "three characters"),
    ] {
        let data = sequences(&rows);
        let made = mercer::fitting::prepare(&Default::default(), None, &data).unwrap();
        assert_eq!(made.kernel.to_string(), kernel);
        assert!(made.notices.iter().any(|n| n.to_string().contains(why)), "{:?}", made.notices);
    }
    let aligned = sequences(&of(&BASES, &same));
    let told = |kernel: &str| {
        let made = mercer::fitting::prepare(&Default::default(), Some(&KernelExpr::parse(kernel).unwrap()), &aligned).unwrap();
        made.notices.iter().any(|n| n.to_string().contains("all") || n.to_string().contains("place by place"))
    };
    assert!(told("spectrum(k=4)") && !told("weighted_degree") && !told("spectrum + weighted_degree"));
}

#[test]
fn the_greatest_length_of_substrings_is_searched_in_whole_numbers() {
    let (rows, target) = planted(4, 60, 30, "GATTACA");
    let mut learner = Learner::new(EstimatorExpr::parse("svc(c=1)").unwrap());
    learner.kernel = Some(KernelExpr::parse("normalise(substrings(longest=2..6))").unwrap());
    let model = learner.fit(&sequences(&rows), &target, &TargetInfo::of(&target), None, &Control::default()).unwrap();
    let tuned = &model.about.tuning.as_ref().unwrap().parameters[0];
    assert!(tuned.integer && (2.0..=6.0).contains(&tuned.value) && tuned.value.fract() == 0.0, "{tuned:?}");
    assert!(tuned.tried.iter().all(|(x, _)| x.fract() == 0.0) && tuned.tried.len() > 1, "{tuned:?}");
    let why = KernelExpr::parse("substrings(longest=2.5)").unwrap_err().to_string();
    assert!(why.contains("a whole number from 1, or inf"), "{why}");
}
