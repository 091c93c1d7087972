//! The subsequence kernel against the enumeration of subsequences, printed values and another library.

use crate::evaluated::{matrix, near};
use mercer::data::{Column, Dataset, Strings, Values};
use mercer::kernels::KernelExpr;
use mercer::linalg::Matrix;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::collections::BTreeMap;

pub(crate) fn sequences<S: AsRef<str>>(strings: &[S]) -> Dataset {
    let values = Values::Sequences(Strings::new(strings.iter().map(|s| s.as_ref().to_owned())));
    Dataset::new(vec![Column { name: "seq".into(), values }]).unwrap()
}

/// Random strings of 0 to `most` letters.
pub(crate) fn random_strings(count: usize, most: usize, letters: &[char], seed: u64) -> Vec<String> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let string = |random: &mut Xoshiro256PlusPlus| {
        (0..random.random_range(0..=most)).map(|_| letters[random.random_range(0..letters.len())]).collect()
    };
    (0..count).map(|_| string(&mut random)).collect()
}

/// sum decay^span over the places of each subsequence of k letters, none of which is `split`.
fn features(letters: &[char], k: usize, decay: f64, split: Option<char>) -> BTreeMap<Vec<char>, f64> {
    let mut all = BTreeMap::new();
    let mut places: Vec<Vec<usize>> = vec![Vec::new()];
    for _ in 0..k {
        let longer = |p: &Vec<usize>| {
            let p = p.clone();
            (p.last().map_or(0, |last| last + 1)..letters.len()).map(move |next| [p.clone(), vec![next]].concat())
        };
        places = places.iter().flat_map(longer).collect();
    }
    for p in places {
        let u: Vec<char> = p.iter().map(|&at| letters[at]).collect();
        if split.is_none_or(|split| !u.contains(&split)) {
            *all.entry(u).or_insert(0.0) += decay.powi((p[k - 1] - p[0] + 1) as i32);
        }
    }
    all
}

fn by_enumeration(strings: &[String], k: usize, decay: f64, split: Option<char>) -> Matrix {
    let all: Vec<_> = strings.iter().map(|s| features(&s.chars().collect::<Vec<_>>(), k, decay, split)).collect();
    Matrix::from_fn(all.len(), all.len(), |i, j| all[i].iter().filter_map(|(u, w)| Some(w * all[j].get(u)?)).sum())
}

// spec: F09
#[test]
fn subsequences_are_those_that_enumeration_finds() {
    for (seed, letters) in
        [&['A', 'C', 'G', 'T'][..], &['a', 'b'], &['x', 'y', 'z', '\u{e9}', '\u{4e2d}', 'Q', '7']].into_iter().enumerate()
    {
        let strings = random_strings(40, 12, letters, seed as u64);
        let data = sequences(&strings);
        for (k, decay) in [(1, 0.5), (2, 0.3), (3, 1.0), (4, 0.5), (5, 0.9), (6, 0.7)] {
            let found = matrix(&format!("subsequence(k={k}, decay={decay}, alphabet=text)"), &data);
            let added = matrix(&format!("subsequence(k={k}, decay={decay}, alphabet=text, lengths=up_to)"), &data);
            let one = by_enumeration(&strings, k, decay, None);
            let shorter: Vec<Matrix> = (1..k).map(|k| by_enumeration(&strings, k, decay, None)).collect();
            for i in 0..strings.len() {
                for j in 0..strings.len() {
                    near(found[(i, j)], one[(i, j)], 1e-13 * (1.0 + one[(i, j)]));
                    let sum = one[(i, j)] + shorter.iter().map(|m| m[(i, j)]).sum::<f64>();
                    near(added[(i, j)], sum, 1e-13 * (1.0 + sum));
                }
            }
        }
    }
}

#[test]
fn ambiguous_letters_match_nothing_and_count_in_a_span() {
    let strings = random_strings(30, 10, &['A', 'C', 'G', 'T', 'N'], 4);
    let found = matrix("subsequence(k=2, decay=0.6, alphabet=dna)", &sequences(&strings));
    let expected = by_enumeration(&strings, 2, 0.6, Some('N'));
    let without: Vec<String> = strings.iter().map(|s| s.replace('N', "")).collect();
    let skipped = matrix("subsequence(k=2, decay=0.6, alphabet=dna, ambiguity=skip)", &sequences(&strings));
    let expected_skipped = by_enumeration(&without, 2, 0.6, None);
    for i in 0..strings.len() {
        for j in 0..strings.len() {
            near(found[(i, j)], expected[(i, j)], 1e-13 * (1.0 + expected[(i, j)]));
            near(skipped[(i, j)], expected_skipped[(i, j)], 1e-13 * (1.0 + expected_skipped[(i, j)]));
        }
    }
}

// Lodhi et al. (2002), section 2: K(car, cat) = decay^4 and K(car, car) = 2 decay^4 + decay^6 for k = 2.
#[test]
fn subsequences_of_the_printed_words() {
    let decay: f64 = 0.7;
    let k = matrix("subsequence(k=2, decay=0.7)", &sequences(&["car", "cat", "bat"]));
    near(k[(0, 1)], decay.powi(4), 1e-15);
    near(k[(0, 0)], 2.0 * decay.powi(4) + decay.powi(6), 1e-15);
    near(matrix("normalise(subsequence(k=2, decay=0.7))", &sequences(&["car", "cat"]))[(0, 1)], 1.0 / (2.0 + decay * decay), 1e-15);
    // The two sentences of section 4 of the paper, normalised, decay .5.
    let texts = sequences(&["science is organized knowledge", "wisdom is organized life"]);
    for (k, printed) in [(2, 0.580), (3, 0.478), (4, 0.439), (5, 0.406)] {
        near(matrix(&format!("normalise(subsequence(k={k}, decay=0.5))"), &texts)[(0, 1)], printed, 6e-4);
    }
}

// strkernels 0.2.15, SubsequenceStringKernel(maxlen=4, ssk_lambda=0.5), which adds the lengths 1 to 4.
#[test]
fn subsequences_of_two_proteins_of_another_library() {
    let strings: Vec<&str> = include_str!("../../../../fixtures/two_random_proteins.txt").split_whitespace().collect();
    assert_eq!(strings.iter().map(|s| s.len()).collect::<Vec<_>>(), [300, 300]);
    let k = matrix("normalise(subsequence(k=4, decay=0.5, lengths=up_to))", &sequences(&strings));
    near(k[(0, 1)], 0.914024, 5e-7);
}

#[test]
fn new_strings_are_compared_like_those_among_each_other_whatever_their_lengths() {
    let strings = random_strings(50, 40, &['A', 'C', 'G', 'T'], 9);
    let data = sequences(&strings);
    for kernel in ["subsequence(k=3)", "subsequence(k=5, lengths=up_to, alphabet=text)"] {
        let whole = matrix(kernel, &data);
        let settled = KernelExpr::parse(kernel).unwrap().settle(&data).unwrap();
        let some = data.select(&(0..50).step_by(3).collect::<Vec<_>>());
        let cross = mercer::gram::dense(settled.bind(Some(&some), &data).unwrap().as_ref(), &mercer::control::Control::default()).unwrap();
        for i in 0..some.rows() {
            for j in 0..50 {
                near(cross[(i, j)], whole[(3 * i, j)], 1e-13 * (1.0 + whole[(3 * i, j)]));
            }
        }
    }
    // Letters that training strings lack match nothing, but themselves on the diagonal.
    let (old, new) = (sequences(&["abcabc", "bca"]), sequences(&["a\u{4e2d}c", "\u{4e2d}\u{4e2d}"]));
    let bound = KernelExpr::parse("subsequence(k=1, decay=1)").unwrap().bind(Some(&new), &old).unwrap();
    let cross = mercer::gram::dense(bound.as_ref(), &mercer::control::Control::default()).unwrap();
    assert_eq!(cross.data(), [4.0, 2.0, 0.0, 0.0]);
    assert_eq!(bound.diagonal(mercer::gram::Side::Rows), [3.0, 4.0]);
}

#[test]
fn subsequences_do_not_change_when_all_strings_are_reversed_or_letters_renamed() {
    let strings = random_strings(30, 25, &['A', 'C', 'G', 'T'], 3);
    let k = matrix("subsequence(k=4, decay=0.8)", &sequences(&strings));
    let reversed: Vec<String> = strings.iter().map(|s| s.chars().rev().collect()).collect();
    let renamed: Vec<String> = strings.iter().map(|s| s.replace('A', "x").replace('T', "A").replace('x', "T")).collect();
    for other in [reversed, renamed] {
        let other = matrix("subsequence(k=4, decay=0.8)", &sequences(&other));
        for (a, b) in k.data().iter().zip(other.data()) {
            near(*a, *b, 1e-12 * (1.0 + a));
        }
    }
}

#[test]
fn strings_with_more_subsequences_than_a_number_holds_are_refused() {
    // C(1500, 100)^2 is about 10^316.
    let data = sequences(&["A".repeat(1500)]);
    let refused = KernelExpr::parse("subsequence(k=100, decay=1)").unwrap().bind(None, &data);
    let why = refused.err().map(|e| e.to_string()).unwrap_or_default();
    assert!(why.contains("row 1") && why.contains("smaller decay"), "{why}");
}
