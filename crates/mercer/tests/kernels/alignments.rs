//! Kernels of alignments against sums over all alignments, textbook recursions and each other.

use crate::evaluated::{matrix, near};
use crate::subsequences::{random_strings, sequences};
use mercer::control::Control;
use mercer::gram::{self, Mercer, Side};
use mercer::kernels::KernelExpr;
use mercer::linalg::Matrix;

/// The scores of an alignment's letters and gaps.
struct Scoring<'s> {
    pair: &'s dyn Fn(char, char) -> f64,
    open: f64,
    extend: f64,
}

impl Scoring<'_> {
    fn gap(&self, letters: usize) -> f64 {
        if letters == 0 { 0.0 } else { -self.open - self.extend * (letters - 1) as f64 }
    }

    /// The scores of all alignments that begin with the pair of x_i and z_j, by enumeration.
    fn from(&self, x: &[char], z: &[char], i: usize, j: usize, so_far: f64, all: &mut Vec<f64>) {
        let score = so_far + (self.pair)(x[i], z[j]);
        all.push(score);
        for p in i + 1..x.len() {
            for q in j + 1..z.len() {
                self.from(x, z, p, q, score + self.gap(p - i - 1) + self.gap(q - j - 1), all);
            }
        }
    }

    fn scores(&self, x: &str, z: &str) -> Vec<f64> {
        let (x, z): (Vec<char>, Vec<char>) = (x.chars().collect(), z.chars().collect());
        // The empty alignment.
        let mut all = vec![0.0];
        for i in 0..x.len() {
            (0..z.len()).for_each(|j| self.from(&x, &z, i, j, 0.0, &mut all));
        }
        all
    }

    /// ln sum exp(beta score) or, without beta, the greatest score, by the recursion of Vert, Saigo & Akutsu in logarithms.
    fn recursion(&self, x: &str, z: &str, beta: Option<f64>) -> f64 {
        let by = beta.unwrap_or(1.0);
        let (x, z): (Vec<char>, Vec<char>) = (x.chars().collect(), z.chars().collect());
        let add = |a: f64, b: f64| {
            let (less, more) = (a.min(b), a.max(b));
            if beta.is_none() || less == f64::NEG_INFINITY { more } else { more + (less - more).exp().ln_1p() }
        };
        let mut cells = [(); 3].map(|()| vec![vec![f64::NEG_INFINITY; z.len() + 1]; x.len() + 1]);
        let mut total = 0.0;
        for i in 1..=x.len() {
            for j in 1..=z.len() {
                let [m, down, along] = &cells;
                let before = add(0.0, add(m[i - 1][j - 1], add(down[i - 1][j - 1], along[i - 1][j - 1])));
                let new = [
                    by * (self.pair)(x[i - 1], z[j - 1]) + before,
                    add(m[i - 1][j] - by * self.open, down[i - 1][j] - by * self.extend),
                    add(add(m[i][j - 1], down[i][j - 1]) - by * self.open, along[i][j - 1] - by * self.extend),
                ];
                cells.iter_mut().zip(new).for_each(|(cells, new)| cells[i][j] = new);
                total = add(total, new[0]);
            }
        }
        total
    }
}

fn equal_or_not(x: char, z: char) -> f64 {
    if x == 'N' || z == 'N' {
        f64::NEG_INFINITY
    } else if x == z {
        3.0
    } else {
        -1.5
    }
}

#[test]
fn local_alignments_are_those_that_enumeration_finds() {
    for (seed, (letters, alphabet)) in
        [("ACGT", "dna"), ("ab", "text"), ("ACGTN", "dna"), ("xyz\u{e9}\u{4e2d}", "text")].into_iter().enumerate()
    {
        let letters: Vec<char> = letters.chars().collect();
        let strings = random_strings(25, 7, &letters, seed as u64);
        let data = sequences(&strings);
        for (beta, open, extend) in [(0.5, 2.0, 0.5), (1.0, 0.0, 0.0), (0.2, 11.0, 1.0), (3.0, 1.0, 2.0)] {
            let parameters = format!("beta={beta}, open={open}, extend={extend}, match=3, mismatch=-1.5, alphabet={alphabet}");
            let of = |score: &str| matrix(&format!("local_alignment(score={score}, {parameters})"), &data);
            let (best, log_sum, sum) = (of("best"), of("log_sum"), of("sum"));
            let scoring = Scoring { pair: &equal_or_not, open, extend };
            let n = strings.len();
            let mut totals = Matrix::zeros(n, n);
            for i in 0..n {
                for j in 0..n {
                    let scores = scoring.scores(&strings[i], &strings[j]);
                    assert_eq!(best[(i, j)], scores.iter().copied().fold(0.0, f64::max));
                    totals[(i, j)] = scores.iter().map(|s| (beta * s).exp()).sum();
                    near(log_sum[(i, j)], totals[(i, j)].ln() / beta, 1e-12 * (1.0 + log_sum[(i, j)]));
                }
            }
            for i in 0..n {
                for j in 0..n {
                    near(sum[(i, j)], totals[(i, j)] / (totals[(i, i)] * totals[(j, j)]).sqrt(), 1e-12);
                }
            }
        }
    }
}

/// The score of two amino acids: of strings of one letter K = 1 + exp(beta score).
fn blosum62() -> (Vec<char>, Matrix) {
    let letters: Vec<char> = "ARNDCQEGHILKMFPSTWYV".chars().collect();
    let k = matrix("local_alignment(beta=1, alphabet=protein)", &sequences(&letters.iter().map(char::to_string).collect::<Vec<_>>()));
    let scores = Matrix::from_fn(20, 20, |i, j| k[(i, j)].exp_m1().ln());
    (letters, scores)
}

#[test]
fn blosum62_is_whole_numbers_and_conditionally_positive_definite() {
    let (letters, scores) = blosum62();
    let score = |x: char, z: char| scores[(letters.iter().position(|l| *l == x).unwrap(), letters.iter().position(|l| *l == z).unwrap())];
    // As NCBI prints them.
    for (x, z, printed) in
        [('W', 'W', 11.0), ('A', 'A', 4.0), ('I', 'V', 3.0), ('D', 'E', 2.0), ('C', 'E', -4.0), ('F', 'Y', 3.0), ('H', 'Y', 2.0)]
    {
        near(score(x, z), printed, 1e-9);
    }
    assert!(scores.data().iter().all(|s| (s - s.round()).abs() <= 1e-9));
    near(scores.data().iter().map(|s| s.round()).sum::<f64>(), -426.0, 1e-9);
    // Without the mean of rows and columns: v'Sv for weights with sum 0.
    let means: Vec<f64> = (0..20).map(|i| (0..20).map(|j| scores[(i, j)]).sum::<f64>() / 20.0).collect();
    let mean = means.iter().sum::<f64>() / 20.0;
    let centred = Matrix::from_fn(20, 20, |i, j| scores[(i, j)].round() - means[i] - means[j] + mean);
    let check = gram::psd_check(&centred, &Control::default()).unwrap();
    assert!(check.witness.is_none(), "{check:?}");
    for beta in [0.001, 0.05, 0.5, 2.0] {
        let exponentials = Matrix::from_fn(20, 20, |i, j| (beta * scores[(i, j)].round()).exp());
        assert!(gram::psd_check(&exponentials, &Control::default()).unwrap().smallest > 0.0, "beta {beta}");
    }
}

#[test]
fn sums_beyond_the_range_of_numbers_are_those_of_logarithms() {
    let (letters, scores) = blosum62();
    let pair =
        |x: char, z: char| scores[(letters.iter().position(|l| *l == x).unwrap(), letters.iter().position(|l| *l == z).unwrap())].round();
    let long = random_strings(40, 450, &letters, 7);
    let mut strings: Vec<String> = long.iter().filter(|s| s.len() > 250).take(3).cloned().collect();
    // Two halves that are found in the other order, and strings for which nothing is out of range beside them.
    strings.extend([format!("{}{}", strings[0], strings[1]), format!("{}{}", strings[1], strings[0]), String::new(), "W".into()]);
    for (beta, open, extend) in [(0.5, 11.0, 1.0), (2.0, 0.5, 0.0)] {
        let parameters = format!("beta={beta}, open={open}, extend={extend}, alphabet=protein");
        let log_sum = matrix(&format!("local_alignment({parameters})"), &sequences(&strings));
        let best = matrix(&format!("local_alignment(score=best, {parameters})"), &sequences(&strings));
        let sum = matrix(&format!("local_alignment(score=sum, {parameters})"), &sequences(&strings));
        let scoring = Scoring { pair: &pair, open, extend };
        let logarithms = Matrix::from_fn(7, 7, |i, j| scoring.recursion(&strings[i], &strings[j], Some(beta)));
        assert!(logarithms.data().iter().any(|ln| *ln > 1500.0), "e^1500 is no number");
        for i in 0..7 {
            assert_eq!(sum[(i, i)], 1.0);
            for j in 0..7 {
                near(log_sum[(i, j)], logarithms[(i, j)] / beta, 1e-11 * (1.0 + log_sum[(i, j)]));
                assert_eq!(best[(i, j)], scoring.recursion(&strings[i], &strings[j], None));
                let normalised = (logarithms[(i, j)] - 0.5 * (logarithms[(i, i)] + logarithms[(j, j)])).exp();
                near(sum[(i, j)], normalised, 1e-9 * normalised);
            }
        }
    }
}

#[test]
fn the_normalised_sum_is_positive_semi_definite_and_the_best_score_is_not() {
    let proteins = sequences(&random_strings(60, 30, &"ACDEFGHIKLMNPQRSTVWYU".chars().collect::<Vec<_>>(), 5));
    for kernel in [
        "local_alignment(score=sum)",
        "local_alignment(score=sum, beta=0.05, open=1)",
        "local_alignment(score=sum, matrix=match, beta=0.1)",
    ] {
        assert_eq!(KernelExpr::parse(kernel).unwrap().mercer(), Mercer::Always);
        let check = gram::psd_check(&matrix(kernel, &proteins), &Control::default()).unwrap();
        assert!(check.smallest >= -1e-13 * check.largest, "{kernel}: {check:?}");
    }
    // Weights 1, 1, -1/2, -1/2: -min(S(a, a), S(b, b)) / 2, and the logarithm of the sum of proteins is not better.
    let four = |strings: &[&str], kernel: &str| {
        let k = matrix(kernel, &sequences(strings));
        let v = [1.0, 1.0, -0.5, -0.5];
        (0..4).flat_map(|i| (0..4).map(move |j| (i, j))).map(|(i, j)| v[i] * v[j] * k[(i, j)]).sum::<f64>()
    };
    assert_eq!(four(&["A", "C", "AC", "CA"], "local_alignment(score=best, alphabet=protein)"), -2.0);
    assert_eq!(four(&["a", "b", "ab", "ba"], "local_alignment(score=best, match=3, open=0, extend=0)"), -1.5);
    assert!(matches!(KernelExpr::parse("local_alignment(score=best)").unwrap().mercer(), Mercer::Never(_)));
    let strings = ["A", "C", "AC", "CA"];
    let check = gram::psd_check(&matrix("local_alignment(alphabet=protein)", &sequences(&strings)), &Control::default()).unwrap();
    assert!(check.witness.is_some() && check.smallest < -0.09, "{check:?}");
    for kernel in
        ["local_alignment", "local_alignment(score=sum, matrix=blosum62, ambiguity=letter)", "local_alignment(score=sum, mismatch=6)"]
    {
        assert!(matches!(KernelExpr::parse(kernel).unwrap().mercer(), Mercer::Conditional(_)), "{kernel}");
    }
}

#[test]
fn local_alignments_do_not_change_when_all_strings_are_reversed() {
    let strings = random_strings(30, 40, &['A', 'C', 'G', 'T'], 8);
    let reversed: Vec<String> = strings.iter().map(|s| s.chars().rev().collect()).collect();
    for kernel in ["local_alignment(beta=0.3)", "local_alignment(score=best)", "local_alignment(score=sum, beta=0.1)"] {
        let (k, other) = (matrix(kernel, &sequences(&strings)), matrix(kernel, &sequences(&reversed)));
        for (a, b) in k.data().iter().zip(other.data()) {
            near(*a, *b, 1e-12 * (1.0 + a));
        }
    }
}

#[test]
fn new_strings_have_letters_that_training_strings_lack() {
    let (old, new) = (sequences(&["abc", "bca", ""]), sequences(&["a\u{4e2d}c", "\u{4e2d}\u{4e2d}"]));
    let bound = KernelExpr::parse("local_alignment(score=best, match=2, mismatch=-1)").unwrap().bind(Some(&new), &old).unwrap();
    let cross = gram::dense(bound.as_ref(), &Control::default()).unwrap();
    // A letter unknown to the columns is another letter than theirs: 2 - 1 + 2.
    assert_eq!(cross.data(), [3.0, 2.0, 0.0, 0.0, 0.0, 0.0]);
    assert_eq!(bound.diagonal(Side::Rows), [6.0, 4.0]);
}

#[test]
fn settings_of_local_alignments_that_do_not_fit_are_refused() {
    let bases = sequences(&["ACGTACGTACGTACGT", "ACGTTACGTTAACCGT"]);
    for (kernel, why) in [
        ("local_alignment(matrix=blosum62)", "matrix=match"),
        ("local_alignment(beta=100)", "smaller beta"),
        ("local_alignment(alphabet=protein, beta=30)", "smaller beta"),
    ] {
        let settled = KernelExpr::parse(kernel).unwrap().settle(&bases).unwrap();
        let refused = settled.bind(None, &bases).err().map(|e| e.to_string()).unwrap_or_default();
        assert!(refused.contains(why), "{kernel}: {refused}");
    }
}

/// The edit distance, one letter after the other.
fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut corner = std::mem::replace(&mut row[0], i + 1);
        for (j, z) in b.iter().enumerate() {
            let changed = corner + usize::from(x != *z);
            corner = row[j + 1];
            row[j + 1] = changed.min(corner + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[test]
fn edit_distances_of_many_words_of_bits_are_those_of_the_recursion() {
    let gamma = 1e-4;
    for (seed, letters) in ["ACGT", "a", "ab\u{e9}\u{4e2d}xyzQRS", "ACDEFGHIKLMNPQRSTVWY"].into_iter().enumerate() {
        let letters: Vec<char> = letters.chars().collect();
        for most in [10, 64, 65, 130, 200] {
            let mut strings = random_strings(20, most, &letters, seed as u64);
            strings.extend([String::new(), letters.iter().cycle().take(64).collect(), letters.iter().cycle().take(128).collect()]);
            let k = matrix(&format!("edit(gamma={gamma})"), &sequences(&strings));
            for i in 0..strings.len() {
                for j in 0..strings.len() {
                    near((-k[(i, j)].ln() / gamma).sqrt(), edit_distance(&strings[i], &strings[j]) as f64, 1e-6);
                }
            }
        }
    }
    // Letters that training strings lack match nothing.
    let (old, new) = (sequences(&["abc", "bca", ""]), sequences(&["a\u{4e2d}c", "\u{4e2d}"]));
    let bound = KernelExpr::parse("edit(gamma=1)").unwrap().bind(Some(&new), &old).unwrap();
    let cross = gram::dense(bound.as_ref(), &Control::default()).unwrap();
    for (value, distance) in cross.data().iter().zip([1.0, 3.0, 3.0, 3.0, 3.0, 1.0f64]) {
        near(*value, (-distance * distance).exp(), 1e-15);
    }
}
