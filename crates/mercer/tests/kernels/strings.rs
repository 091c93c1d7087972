//! Kernels of strings against their definitions, on short random strings.

use crate::evaluated::{matrix, near};
use mercer::control::Control;
use mercer::data::{Column, Dataset, Strings, Values};
use mercer::gram::{self, Mercer, Side};
use mercer::kernels::KernelExpr;
use mercer::linalg::Matrix;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::collections::BTreeMap;

type Features = BTreeMap<String, f64>;
type Definition = dyn Fn(&[char]) -> Features;

fn sequences(rows: &[String]) -> Dataset {
    Dataset::new(vec![Column { name: "seq".into(), values: Values::Sequences(Strings::new(rows)) }]).unwrap()
}

fn inner(a: &Features, b: &Features) -> f64 {
    a.iter().filter_map(|(s, v)| Some(v * b.get(s)?)).sum()
}

/// Every substring of the lengths, with the root of its weight for each time it occurs; none runs across `|`.
fn substrings(text: &[char], weight: impl Fn(&str) -> f64) -> Features {
    let mut found = Features::new();
    for from in 0..text.len() {
        for to in from + 1..=text.len() {
            let s: String = text[from..to].iter().collect();
            if !s.contains('|') && weight(&s) > 0.0 {
                *found.entry(s.clone()).or_default() += weight(&s).sqrt();
            }
        }
    }
    found
}

fn windows(text: &[char], length: usize) -> impl Iterator<Item = &[char]> {
    text.windows(length).filter(|w| !w.contains(&'|'))
}

/// Every word over the letters that is within m letters of a window.
fn within(text: &[char], k: usize, m: usize, letters: &[char]) -> Features {
    let mut found = Features::new();
    let mut words: Vec<Vec<char>> = vec![Vec::new()];
    for _ in 0..k {
        words = words.iter().flat_map(|w| letters.iter().map(move |c| [&w[..], &[*c]].concat())).collect();
    }
    for window in windows(text, k) {
        for word in &words {
            if word.iter().zip(window).filter(|(a, b)| a != b).count() <= m {
                *found.entry(word.iter().collect()).or_default() += 1.0;
            }
        }
    }
    found
}

/// Every choice of k places of every window, with `-` at the others.
fn gapped(text: &[char], length: usize, k: usize) -> Features {
    let mut found = Features::new();
    for window in windows(text, length) {
        for kept in (0u32..1 << length).filter(|kept| kept.count_ones() as usize == k) {
            let word = window.iter().enumerate().map(|(p, c)| if kept >> p & 1 == 1 { *c } else { '-' }).collect();
            *found.entry(word).or_default() += 1.0;
        }
    }
    found
}

fn draw(random: &mut Xoshiro256PlusPlus, letters: &[char], longest: usize) -> String {
    let length = random.random_range(0..=longest);
    (0..length).map(|_| letters[random.random_range(0..letters.len())]).collect()
}

fn complement(c: char) -> char {
    match c {
        'A' => 'T',
        'C' => 'G',
        'G' => 'C',
        'T' => 'A',
        other => other,
    }
}

/// A kernel is its definition on 100 draws: among a batch, against another one, and on the diagonal.
fn is_its_definition(
    kernel: &str,
    letters: &[char],
    longest: usize,
    read: &dyn Fn(&str) -> Vec<char>,
    both_strands: bool,
    features: &Definition,
) {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(7);
    for _ in 0..100 {
        let rows: Vec<String> = (0..4).map(|_| draw(&mut random, letters, longest)).collect();
        let new: Vec<String> = (0..3).map(|_| draw(&mut random, letters, longest)).collect();
        let reversed = |s: &String| features(&read(s).into_iter().rev().map(complement).collect::<Vec<char>>());
        let strands = |s: &String| if both_strands { vec![features(&read(s)), reversed(s)] } else { vec![features(&read(s))] };
        let [of_rows, of_new] = [&rows, &new].map(|all| all.iter().map(strands).collect::<Vec<_>>());
        // k(x, z) + k(x, reverse complement of z), where the features are closed under it.
        let value =
            |x: &Vec<Features>, z: &Vec<Features>| x.iter().flat_map(|a| z.iter().map(|b| inner(a, b))).sum::<f64>() / x.len() as f64;
        let (data, others) = (sequences(&rows), sequences(&new));
        let settled = KernelExpr::parse(kernel).unwrap().settle(&data).unwrap();
        let k = gram::dense(settled.bind(None, &data).unwrap().as_ref(), &Control::default()).unwrap();
        let bound = settled.bind(Some(&others), &data).unwrap();
        let cross = gram::dense(bound.as_ref(), &Control::default()).unwrap();
        let own = bound.diagonal(Side::Rows);
        let is = |found: f64, expected: f64| near(found, expected, 1e-9 * (1.0 + expected));
        for (j, z) in of_rows.iter().enumerate() {
            of_rows.iter().enumerate().for_each(|(i, x)| is(k[(i, j)], value(x, z)));
            of_new.iter().enumerate().for_each(|(i, x)| is(cross[(i, j)], value(x, z)));
        }
        of_new.iter().enumerate().for_each(|(i, x)| is(own[i], value(x, x)));
    }
}

fn as_written(s: &str) -> Vec<char> {
    s.chars().collect()
}

const DNA: [char; 4] = ['A', 'C', 'G', 'T'];

// Steps and bytes by the letters: tests/costs/slopes.rs.
// spec: F09, K20, K21, K25
#[test]
fn kernels_of_dna_are_their_definitions() {
    for (both, strands) in [(false, ""), (true, ", reverse_complement=true")] {
        let of = |kernel: &str, longest, features: &Definition| {
            is_its_definition(&kernel.replace(')', &format!("{strands}, alphabet=dna)")), &DNA, longest, &as_written, both, features);
        };
        for k in [1, 2, 3, 5, 12] {
            of(&format!("spectrum(k={k})"), 30, &move |s| substrings(s, |t| f64::from(u8::from(t.len() == k))));
        }
        of("blended(k=4, decay=0.5)", 30, &|s| substrings(s, |t| if t.len() <= 4 { 0.5f64.powi(t.len() as i32) } else { 0.0 }));
        of("substrings(decay=1)", 30, &|s| substrings(s, |_| 1.0));
        of("substrings(decay=0.7)", 30, &|s| substrings(s, |t| 0.7f64.powi(t.len() as i32)));
        of("substrings(shortest=3, longest=16, decay=1.3)", 30, &|s| {
            substrings(s, |t| if (3..=16).contains(&t.len()) { 1.3f64.powi(t.len() as i32) } else { 0.0 })
        });
        of("substrings(only=[A, GT, CCA], weights=[3, 1, 2])", 30, &|s| {
            substrings(s, |t| BTreeMap::from([("A", 3.0), ("GT", 1.0), ("CCA", 2.0)]).get(t).copied().unwrap_or(0.0))
        });
        for (k, m) in [(1, 0), (1, 1), (2, 1), (3, 0), (3, 1), (4, 0), (4, 1), (4, 2)] {
            of(&format!("mismatch(k={k}, m={m})"), 30, &move |s| within(s, k, m, &DNA));
        }
        for (length, k) in [(4, 3), (5, 2), (8, 5), (9, 4)] {
            of(&format!("gapped(length={length}, k={k})"), 30, &move |s| gapped(s, length, k));
        }
    }
    // Windows of more words than have features.
    let mut random = Xoshiro256PlusPlus::seed_from_u64(3);
    let rows: Vec<String> = (0..8).map(|_| draw(&mut random, &DNA, 30)).collect();
    let (wide, plain) =
        (matrix("mismatch(k=7, m=0, alphabet=dna)", &sequences(&rows)), matrix("spectrum(k=7, alphabet=dna)", &sequences(&rows)));
    assert_eq!(wide.data(), plain.data());
}

#[test]
fn kernels_of_text_are_their_definitions_with_letters_that_training_rows_lack() {
    let letters: Vec<char> = "aAbé文 ".chars().collect();
    let of = |kernel: &str, features: &Definition| is_its_definition(kernel, &letters, 20, &as_written, false, features);
    of("spectrum(k=2, alphabet=text)", &|s| substrings(s, |t| f64::from(u8::from(t.chars().count() == 2))));
    of("blended(k=3, alphabet=text)", &|s| substrings(s, |t| f64::from(u8::from(t.chars().count() <= 3))));
    of("substrings(decay=0.6, alphabet=text)", &|s| substrings(s, |t| 0.6f64.powi(t.chars().count() as i32)));
    of("gapped(length=4, k=2, alphabet=text)", &|s| gapped(s, 4, 2));
    of("mismatch(k=2, m=1, letters=6, alphabet=text)", &|s| within(s, 2, 1, &"aAbé文 ".chars().collect::<Vec<_>>()));
    // A letter that the training strings lack is none of the words: a window with it matches nothing, and only those over a and b are
    // counted. With fewer letters than there are the table is that of no inner product: the 16 words of 2 of 4 letters would have -1.
    let known = ["a", "ab", "abba", "babab", "bb", "aab"].map(str::to_owned);
    let new = ["abcab", "cacac", "bbca"].map(str::to_owned);
    let settled = KernelExpr::parse("mismatch(k=3, m=1, alphabet=text)").unwrap().settle(&sequences(&known)).unwrap();
    let bound = settled.bind(Some(&sequences(&new)), &sequences(&known)).unwrap();
    let (cross, own) = (gram::dense(bound.as_ref(), &Control::default()).unwrap(), bound.diagonal(Side::Rows));
    let counted = |s: &str| {
        let mut counts = BTreeMap::new();
        s.split('c').for_each(|part| {
            within(&as_written(part), 3, 1, &['a', 'b']).into_iter().for_each(|(w, n)| *counts.entry(w).or_insert(0.0) += n)
        });
        counts
    };
    let product =
        |a: &BTreeMap<String, f64>, b: &BTreeMap<String, f64>| a.iter().map(|(w, n)| n * b.get(w).copied().unwrap_or(0.0)).sum::<f64>();
    for (i, x) in new.iter().enumerate() {
        near(own[i], product(&counted(x), &counted(x)), 1e-12);
        (0..known.len()).for_each(|j| near(cross[(i, j)], product(&counted(x), &counted(&known[j])), 1e-12));
    }
    let words: Vec<String> = "abcd".chars().flat_map(|a| "abcd".chars().map(move |b| format!("{a}{b}"))).collect();
    let why = KernelExpr::parse("mismatch(k=2, m=1, letters=1, alphabet=text)").unwrap().bind(None, &sequences(&words)).err().unwrap();
    assert!(why.to_string().contains("at least 4, the letters of the strings"), "{why}");
    // More letters than a byte has codes for.
    let many: Vec<char> = (0..300).filter_map(|k| char::from_u32(0x4e00 + k)).collect();
    let rows: Vec<String> = vec![many.iter().collect(), many.iter().rev().collect(), many[..40].iter().collect()];
    for kernel in ["spectrum(k=2)", "substrings", "gapped(length=3, k=2)", "weighted_degree(degree=3)"] {
        let k = matrix(kernel, &sequences(&rows));
        let of = |s: &String| match kernel {
            "substrings" => substrings(&as_written(s)[..], |_| 1.0),
            "gapped(length=3, k=2)" => gapped(&as_written(s), 3, 2),
            _ => substrings(&as_written(s)[..], |t| f64::from(u8::from(t.chars().count() == 2))),
        };
        if kernel == "weighted_degree(degree=3)" {
            // All places but the last two begin 3 letters, which the others share; b = (1/2, 1/3, 1/6).
            near(k[(0, 2)], 40.0 / 2.0 + 39.0 / 3.0 + 38.0 / 6.0, 1e-9);
        } else if kernel != "substrings" {
            near(k[(0, 0)], inner(&of(&rows[0]), &of(&rows[0])), 1e-9);
            near(k[(0, 2)], inner(&of(&rows[0]), &of(&rows[2])), 1e-9);
        }
    }
}

#[test]
fn letters_that_stand_for_several_split_are_left_out_or_match_themselves() {
    let letters = ['A', 'C', 'G', 'T', 'N', 'R'];
    let several = |c: char| c == 'N' || c == 'R';
    let split = |s: &str| s.chars().map(|c| if several(c) { '|' } else { c }).collect::<Vec<char>>();
    let skip = |s: &str| s.chars().filter(|c| !several(*c)).collect::<Vec<char>>();
    for (policy, read) in [("split", &split as &dyn Fn(&str) -> Vec<char>), ("skip", &skip), ("letter", &as_written)] {
        let of = |kernel: &str, features: &Definition| {
            is_its_definition(&kernel.replace(')', &format!(", alphabet=dna, ambiguity={policy})")), &letters, 20, read, false, features);
        };
        of("spectrum(k=3)", &|s| substrings(s, |t| f64::from(u8::from(t.len() == 3))));
        of("substrings(decay=0.8)", &|s| substrings(s, |t| 0.8f64.powi(t.len() as i32)));
        of("gapped(length=4, k=3)", &|s| gapped(s, 4, 3));
        of("gapped(length=8, k=4)", &|s| gapped(s, 8, 4));
    }
}

/// The sum over lags, lengths and places of its definition.
fn degrees(x: &[char], z: &[char], degree: usize, shift: usize) -> f64 {
    let mut sum = 0.0;
    for d in 1..=degree {
        let b = 2.0 * (degree - d + 1) as f64 / (degree * (degree + 1)) as f64;
        for p in 0..x.len() {
            for q in p.saturating_sub(shift)..=p + shift {
                let same = p + d <= x.len() && q + d <= z.len() && x[p..p + d] == z[q..q + d] && !x[p..p + d].contains(&'|');
                sum += f64::from(u8::from(same)) * b * if p == q { 1.0 } else { 0.5 / (p.abs_diff(q) + 1) as f64 };
            }
        }
    }
    sum
}

// spec: F09
#[test]
fn weighted_degree_is_its_definition_and_semi_definite_with_every_shift() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(11);
    for (degree, shift) in [(1, 0), (3, 0), (10, 0), (4, 1), (3, 5), (2, 40)] {
        let kernel = format!("weighted_degree(degree={degree}, shift={shift}, alphabet=dna)");
        for _ in 0..20 {
            let rows: Vec<String> = (0..5).map(|_| draw(&mut random, &['A', 'C', 'G', 'T', 'N'], 30)).collect();
            let read = |s: &String| s.chars().map(|c| if c == 'N' { '|' } else { c }).collect::<Vec<char>>();
            let k = matrix(&kernel, &sequences(&rows));
            let bound = KernelExpr::parse(&kernel).unwrap().bind(Some(&sequences(&rows[..2])), &sequences(&rows[2..])).unwrap();
            let (cross, own) = (gram::dense(bound.as_ref(), &Control::default()).unwrap(), bound.diagonal(Side::Rows));
            for i in 0..5 {
                for j in 0..5 {
                    near(k[(i, j)], degrees(&read(&rows[i]), &read(&rows[j]), degree, shift), 1e-9);
                }
            }
            for i in 0..2 {
                near(own[i], k[(i, i)], 1e-9);
                (2..5).for_each(|j| near(cross[(i, j - 2)], k[(i, j)], 1e-9));
            }
            let check = gram::psd_check(&k, &Control::default()).unwrap();
            assert!(check.smallest >= -1e-12 * check.largest.max(1.0), "{kernel}: {}", check.smallest);
        }
    }
    // A at places 0, 1 and 2 with A at place 2: 1 + 1 / (2 * 2) + 1 / (2 * 3) (Raetsch & Sonnenburg, 2005).
    let shifted = matrix("weighted_degree(degree=1, shift=2, alphabet=dna)", &sequences(&["AAAC", "GGAT"].map(str::to_owned)));
    near(shifted[(0, 1)], 1.0 + 0.25 + 1.0 / 6.0, 1e-12);
    // Strings over 255 letters, whose counts do not fit into a byte.
    let long: String = "ACGT".repeat(200);
    near(matrix("weighted_degree(degree=2)", &sequences(&[long.clone(), long]))[(0, 1)], 2.0 / 3.0 * 800.0 + 799.0 / 3.0, 1e-9);
}

fn mercer_of(kernel: &str) -> Mercer {
    KernelExpr::parse(kernel).unwrap().mercer()
}

/// gapped without distant windows is semi-definite where its eigenvalues over all words say so: the least eigenvalue over all words of 4
/// letters is that of the Gram matrix among them.
#[test]
fn truncated_gapped_kernels_are_judged_by_their_eigenvalues() {
    let mut words: Vec<String> = vec![String::new()];
    for _ in 0..4 {
        words = words.iter().flat_map(|w| DNA.map(|c| format!("{w}{c}"))).collect();
    }
    for (k, mismatches) in [(2, 0), (2, 1), (1, 1), (1, 2), (2, 2)] {
        let kernel = format!("gapped(length=4, k={k}, mismatches={mismatches}, alphabet=dna)");
        let check = gram::psd_check(&matrix(&kernel, &sequences(&words)), &Control::default()).unwrap();
        let positive = check.smallest >= -1e-9 * check.largest;
        assert_eq!(positive, mercer_of(&kernel) == Mercer::Always, "{kernel}: {}", check.smallest);
    }
    assert!(matches!(mercer_of("gapped(length=11, k=7, mismatches=3)"), Mercer::Conditional(_)));
    assert_eq!(mercer_of("gapped(length=11, k=7)"), Mercer::Always);
}

#[test]
fn alphabets_are_guessed_and_letters_outside_are_named() {
    let alphabet = |rows: &[&str]| {
        let data = sequences(&rows.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>());
        KernelExpr::parse("spectrum").unwrap().settle(&data).unwrap().to_string()
    };
    assert!(alphabet(&["GATTACAGATTACA", "ACGTNACGT"]).contains("alphabet=dna"));
    assert!(alphabet(&["gattacagattaca", "acgtnacgt"]).contains("alphabet=dna"));
    assert!(alphabet(&["GAUUACAGAUUACA"]).contains("alphabet=rna"));
    assert!(alphabet(&["gattacaGATTACA", "acgt"]).contains("alphabet=dna"), "small letters mask repeats");
    assert!(alphabet(&["GATTACA-TACAGATTACAX", "ACG*TTACAGATTACA"]).contains("alphabet=dna"), "nine in ten letters decide");
    assert!(alphabet(&["GAUUACAGAUTACA"]).contains("alphabet=rna"));
    assert!(alphabet(&["gattaca gattaca x"]).contains("alphabet=text"), "more than one letter in ten is odd");
    assert!(alphabet(&["a cat", "tag"]).contains("alphabet=text"));
    assert!(alphabet(&["CAT", "TAG"]).contains("alphabet=text"), "too few letters to tell from words");
    let protein = include_str!("../../../../fixtures/protein_x.txt").trim();
    assert!(alphabet(&[protein]).contains("alphabet=protein"));
    assert!(alphabet(&[protein, "mkv1*"]).contains("alphabet=protein"));
    assert!(alphabet(&[&protein.to_lowercase()]).contains("alphabet=text"), "words are written in small letters");
    let refused = |kernel: &str, rows: &[&str]| {
        let data = sequences(&rows.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>());
        let settled = KernelExpr::parse(kernel).unwrap().settle(&data);
        settled.and_then(|k| k.bind(None, &data).map(|_| ())).unwrap_err().to_string()
    };
    let why = refused("spectrum(k=2, alphabet=dna)", &["ACGT", "ACEEEE"]);
    assert!(why.contains("row 2") && why.contains("'E' at letter 3") && why.contains("3 others"), "{why}");
    assert!(refused("substrings(only=[A, CE], alphabet=dna)", &["ACGT"]).contains("'E' at letter 2"));
    assert!(refused("spectrum(k=2, alphabet=protein, reverse_complement=true)", &["ACGT"]).contains("complement"));
    assert!(refused("gapped(length=3, k=4)", &["ACGT"]).contains("at most length=3"));
    assert!(refused("mismatch(k=2, m=3)", &["ACGT"]).contains("at most k=2"));
    assert!(refused("mismatch(k=2, m=1, letters=3, alphabet=dna)", &["ACGT"]).contains("at least 4"));
    assert!(refused("substrings(shortest=4, longest=2)", &["ACGT"]).contains("longest"));
    assert!(refused("substrings(only=[A, C], weights=[1, 2, 3])", &["ACGT"]).contains("one for each of the 2"));
}

/// A letter of none of the alphabet is treated as one that stands for several.
#[test]
fn odd_letters_split_or_are_left_out() {
    let with = |letter: &str| ["ACGT_ACGGT", "TTACG_ACGG", "GGTACGTACG"].map(|s| s.replace('_', letter)).to_vec();
    for kernel in
        ["spectrum(k=2", "gapped(length=4, k=3", "weighted_degree(degree=3", "subsequence(k=2", "local_alignment(beta=1", "mismatch(k=3"]
    {
        for policy in ["split", "skip"] {
            let kernel = format!("{kernel}, alphabet=dna, ambiguity={policy})");
            let unknown = matrix(&kernel, &sequences(&with("N")));
            for odd in ["*", "X", "x", "7", " ", "é"] {
                assert_eq!(matrix(&kernel, &sequences(&with(odd))).data(), unknown.data(), "{kernel} of '{odd}'");
            }
        }
    }
}

/// U is T, small letters are capital ones, where the alphabet is declared or guessed.
#[test]
fn nucleic_acids_are_read_without_regard_to_case() {
    let rows: Vec<String> = ["GATTACA", "gattaca", "GAUUACA"].map(str::to_owned).to_vec();
    let k: Matrix = matrix("spectrum(k=3, alphabet=dna)", &sequences(&rows));
    assert!(k.data().iter().all(|v| *v == k[(0, 0)]), "{:?}", k.data());
}
