//! Hidden Markov models against hmmlearn, against sums over all strings and against their conformance kit.

use crate::evaluated;

use evaluated::near;
use mercer::control::Control;
use mercer::data::{Column, Dataset, RowWeights, Strings, Values};
use mercer::generative::{Coordinates, FittedDistribution, FittedGenerative, GenerativeExpr, GenerativeModel, Hmm};
use mercer::testkit;
use serde_json::json;

type FittedHmm = <Hmm as GenerativeModel>::Fitted;

fn strings(rows: &[&str]) -> Dataset {
    Dataset::new(vec![Column { name: "x".into(), values: Values::Sequences(Strings::new(rows.iter().copied())) }]).unwrap()
}

fn fit(text: &str, rows: &Dataset) -> FittedGenerative {
    let model = GenerativeExpr::parse(text).unwrap().settle(rows, RowWeights::default()).unwrap();
    model.fit(rows, RowWeights::default(), 0, &Control::default()).unwrap()
}

/// Two states and the letters a, b, c.
fn chain(start: [f64; 2], next: [f64; 4], emitted: [f64; 6], length: usize) -> FittedHmm {
    let stored = json!({
        "chain": {"start": {"inline": start}, "next": {"inline": next}},
        "emission": {"inline": emitted},
        "reading": {"alphabet": "text", "ambiguity": "split"},
        "letters": "abc",
        "unseen": 0.01,
        "length": length,
        "is_maximum": false,
        "notices": [],
    });
    serde_json::from_value(stored).unwrap()
}

fn first(length: usize) -> FittedHmm {
    chain([0.6, 0.4], [0.7, 0.3, 0.2, 0.8], [0.5, 0.3, 0.2, 0.1, 0.4, 0.5], length)
}

fn second(length: usize) -> FittedHmm {
    chain([0.5, 0.5], [0.9, 0.1, 0.4, 0.6], [0.2, 0.2, 0.6, 0.3, 0.6, 0.1], length)
}

#[test]
fn hidden_markov_models_of_strings_pass_the_conformance_kit() {
    testkit::check_model::<Hmm>().unwrap();
    for text in ["hmm(states=3, starts=1)", "hmm(states=1, prior=1)", "hmm(states=2, prior=2, iterations=20)", "hmm(4, alphabet=text)"] {
        let expr = GenerativeExpr::parse(text).unwrap();
        testkit::check_model_expr(&expr, &testkit::table(40, 11)).unwrap_or_else(|why| panic!("{text}: {why}"));
    }
}

/// hmmlearn 0.3.3, `CategoricalHMM(2, n_features=3).score` with these probabilities; x_k = k^2 + floor(k / 3) mod 3 for the string of
/// 10,000 letters.
#[test]
fn log_densities_of_strings_are_those_of_hmmlearn() {
    let long: String = (0..10_000).map(|k| ['a', 'b', 'c'][(k * k + k / 3) % 3]).collect();
    let found = first(5).log_densities(&Strings::new(["acbba", long.as_str(), "c", ""])).unwrap();
    for (value, expected) in found.iter().zip([-5.71698832938131, -10750.672819167567, -1.1394342831883646, 0.0]) {
        near(*value, expected, 1e-12 * (1.0 + expected.abs()));
    }
    // Rows do not depend on those beside them.
    assert_eq!(first(5).log_densities(&Strings::new([long.as_str()])).unwrap()[0], found[1]);
}

#[test]
fn a_letter_that_no_training_row_has_is_improbable_and_tells_nothing_of_the_states() {
    let log = |x: &str| first(5).log_densities(&Strings::new([x])).unwrap()[0];
    let summed: f64 = ["aab", "abb", "acb"].iter().map(|x| log(x).exp()).sum();
    near(log("aNb"), summed.ln() + 0.01f64.ln(), 1e-14);
    near(log("NN"), 2.0 * 0.01f64.ln(), 1e-14);
    // Replacement characters stand for letters that are masked.
    near(log("a\u{fffd}b"), summed.ln(), 1e-14);
    let (rows, said) = FittedDistribution::unseen(&first(5), &Strings::new(["abc", "aNb", "", "Q"])).unwrap();
    assert!(rows == [1, 3] && said.to_string().contains("'N', 'Q'"), "{rows:?} {said}");
    assert!(FittedDistribution::unseen(&first(5), &Strings::new(["abc", "a\u{fffd}"])).is_none());
    // By hand: 5 letters, a and b, prior - 1 = 1/10 counts of each and of one more letter; of a class as of all rows, by weight.
    let fitted = fit("hmm(states=1, prior=1.1)", &strings(&["aab", "bb"]));
    near(fitted.log_densities(&strings(&["x"])).unwrap()[0], (0.1f64 / (5.0 + 0.1 * 3.0)).ln(), 1e-14);
    let (own, all, model) = (strings(&["aab"]), strings(&["aab", "bb"]), GenerativeExpr::parse("hmm(length=3, alphabet=text)").unwrap());
    let weights = RowWeights::from(Some(&[2.0, 1.0][..]));
    let class = model.fit_class(&own, RowWeights::default(), (&all, weights), 0, &Control::default()).unwrap();
    near(class.log_densities(&strings(&["x"])).unwrap()[0], (0.1f64 / (8.0 + 0.1 * 3.0)).ln(), 1e-14);
    // Of the maximum of the likelihood nothing has probability 0 as a number.
    assert!(fit("hmm(prior=1)", &strings(&["aab", "bb"])).log_densities(&strings(&["xx"])).unwrap()[0] < -400.0);
    let nucleic = fit("hmm(alphabet=dna)", &strings(&["ACGT", "GGTA"]));
    let found = nucleic.log_densities(&strings(&["A", "N", "AN", "Z"])).unwrap();
    near(found[1], 0.0, 1e-14);
    near(found[2], found[0], 1e-14);
    near(found[3], (0.1f64 / (8.0 + 0.1 * 5.0)).ln(), 1e-13);
}

/// All paths of two states, written out.
#[test]
fn states_are_those_of_all_paths_written_out() {
    let (start, next, emitted) = ([0.6, 0.4], [[0.7, 0.3], [0.2, 0.8]], [[0.5, 0.3, 0.2], [0.1, 0.4, 0.5]]);
    let texts = ["acbba", "ccccc", "c", "", "aaacccba", "aNNNc", "abcabcabca", "bcb", "bbb"];
    let found = first(5).hidden_states(&Strings::new(texts), &Control::default()).unwrap().unwrap();
    assert_eq!(found.len(), texts.len());
    for (text, states) in texts.iter().zip(found) {
        let letters: Vec<Option<usize>> = text.chars().map(|c| "abc".find(c)).collect();
        let (mut best, mut total, mut sums) = ((f64::NEG_INFINITY, Vec::new()), 0.0, vec![[0.0; 2]; letters.len()]);
        for number in 0..1usize << letters.len() {
            let path: Vec<usize> = (0..letters.len()).map(|t| number >> t & 1).collect();
            let step = |t: usize| if t == 0 { start[path[0]] } else { next[path[t - 1]][path[t]] };
            let emit = |t: usize| letters[t].map_or(1.0, |a| emitted[path[t]][a]);
            let p: f64 = (0..path.len()).map(|t| step(t) * emit(t)).product();
            path.iter().enumerate().for_each(|(t, state)| sums[t][*state] += p);
            total += p;
            if p > best.0 * (1.0 + 1e-12) {
                best = (p, path);
            }
        }
        assert_eq!(states.path, best.1, "{text}");
        assert_eq!((states.posteriors.rows(), states.posteriors.cols()), (letters.len(), 2));
        for (t, sum) in sums.iter().enumerate() {
            (0..2).for_each(|q| near(states.posteriors[(t, q)], sum[q] / total, 1e-13));
        }
    }
}

#[test]
fn parameters_are_named_arrays_with_states_and_letters_along_their_axes() {
    let arrays = first(5).arrays(&Coordinates::named(Vec::new()));
    let found: Vec<_> = arrays.iter().map(|array| (array.name, array.shape(), array.values.as_slice())).collect();
    let expected: [(_, &[usize], &[f64]); 4] = [
        ("startprob", &[2], &[0.6, 0.4]),
        ("transmat", &[2, 2], &[0.7, 0.3, 0.2, 0.8]),
        ("emissionprob", &[2, 3], &[0.5, 0.3, 0.2, 0.1, 0.4, 0.5]),
        ("unseen", &[], &[0.01]),
    ];
    for ((name, shape, values), (other, of, numbers)) in found.into_iter().zip(expected) {
        assert_eq!((name, shape.as_slice(), values), (other, of, numbers));
    }
    assert_eq!(arrays[2].axes[1].labels, ["a", "b", "c"]);
}

/// Expected counts over probabilities u, by numpy (`../shared/peers/generative_peers.py`): with r_k = p_k (u_k - sum_l p_l u_l) the
/// score in the isometric log-ratios is (r_1 - r_2) / 2^(1/2), (2/3)^(1/2) ((r_1 + r_2) / 2 - r_3).
#[test]
fn score_vectors_are_those_of_expected_counts() {
    let probabilities: [&[f64]; 5] = [&[0.6, 0.4], &[0.7, 0.3], &[0.2, 0.8], &[0.5, 0.3, 0.2], &[0.1, 0.4, 0.5]];
    let counted: [&[f64]; 5] = [
        &[1.383704879665, 0.4244426805032],
        &[2.046476608486, 2.284280365486],
        &[2.934750306663, 1.619040253852],
        &[3.124223614568, 2.924977699438, 2.050507489779],
        &[4.378881927158, 2.806266725421, 1.179797004089],
    ];
    let found = first(5).scores(&Strings::new(["acbba"])).unwrap();
    let mut expected = Vec::new();
    for (p, u) in probabilities.iter().zip(counted) {
        let mean: f64 = p.iter().zip(u).map(|(p, u)| p * u).sum();
        let r: Vec<f64> = p.iter().zip(u).map(|(p, u)| p * (u - mean)).collect();
        expected.push((r[0] - r[1]) / 2f64.sqrt());
        expected.extend(r.get(2).map(|last| (2.0f64 / 3.0).sqrt() * ((r[0] + r[1]) / 2.0 - last)));
    }
    assert_eq!(found.cols(), expected.len());
    found.data().iter().zip(expected).for_each(|(a, b)| near(*a, b, 1e-11));
}

/// Every string of three letters.
fn all_strings(length: usize) -> Strings {
    let string = |number: usize| (0..length).map(|t| ['a', 'b', 'c'][number / 3usize.pow(t as u32) % 3]).collect::<String>();
    Strings::new((0..3usize.pow(length as u32)).map(string))
}

// spec: K35
#[test]
fn the_product_of_two_chains_is_the_sum_over_all_strings() {
    for (length, value) in [(1, 0.333), (2, 0.113333), (5, 0.004837093808775), (10, 2.6823459232873e-5)] {
        let found = first(length).log_product(&second(length), 1.0).unwrap().exp();
        near(found, value, 1e-12 * value.max(1e-3));
        let (p, q) =
            (first(length).log_densities(&all_strings(length)).unwrap(), second(length).log_densities(&all_strings(length)).unwrap());
        let sum: f64 = p.iter().zip(&q).map(|(p, q)| (p + q).exp()).sum();
        near(found, sum, 1e-12 * sum);
        near(first(length).log_product(&second(length), 1.0).unwrap(), second(length).log_product(&first(length), 1.0).unwrap(), 1e-13);
    }
    near(first(5).log_product(&first(5), 1.0).unwrap().exp(), 0.004600470160240, 1e-15);
    near(second(5).log_product(&second(5), 1.0).unwrap().exp(), 0.006765079177165, 1e-15);
    near(first(5).log_product(&second(5), 0.5).unwrap().exp(), 0.966026166521776, 1e-13);
    near(first(5).log_product(&first(5), 0.5).unwrap(), 0.0, 1e-13);
    let refused = first(11).log_product(&second(11), 0.5).unwrap_err().to_string();
    assert!(refused.contains("only rho=1 has a recursion") && refused.contains("length=10"), "{refused}");
    assert!(first(11).log_product(&second(10), 1.0).is_err());
    let other_letters = fit("hmm(alphabet=text, length=4)", &strings(&["XY"]));
    let stored = serde_json::to_value(&other_letters).unwrap()["hmm"].clone();
    let other_letters: FittedHmm = serde_json::from_value(stored).unwrap();
    assert_eq!(first(4).log_product(&other_letters, 1.0).unwrap(), f64::NEG_INFINITY);
    assert!(first(100_000).log_product(&second(100_000), 1.0).unwrap().is_finite());
}

#[test]
fn a_chain_is_fitted_to_one_letter_and_to_states_that_nobody_visits() {
    for (text, rows) in
        [("hmm", vec!["A"]), ("hmm(states=9)", vec!["AB"]), ("hmm(states=20, prior=1)", vec!["AAAA", "A"]), ("hmm", vec!["", "B"])]
    {
        let rows = strings(&rows);
        let fitted = fit(text, &rows);
        assert!(fitted.parameters().iter().all(|p| p.value.is_finite()), "{text}");
        assert!(fitted.log_densities(&strings(&["ABBA", "", "AAAA"])).unwrap().iter().all(|p| p.is_finite()));
        assert!(fitted.scores(&rows).unwrap().data().iter().all(|g| g.is_finite()));
    }
    assert!(fit("hmm(states=9)", &strings(&["AB"])).notices().iter().any(|n| n.to_string().contains("9 states for 2 observations")));
    let empty = GenerativeExpr::parse("hmm").unwrap().fit(&strings(&["", ""]), RowWeights::default(), 0, &Control::default());
    assert!(empty.unwrap_err().to_string().contains("hmm"));
}

/// Two states that stay and emit letters of their own are found again, from strings that are drawn from them.
#[test]
fn training_finds_the_chain_that_strings_were_drawn_from() {
    let true_chain = chain([0.5, 0.5], [0.95, 0.05, 0.1, 0.9], [0.8, 0.1, 0.1, 0.05, 0.15, 0.8], 60);
    let rows = Dataset::new(vec![Column { name: "x".into(), values: true_chain.sample(200, 1).unwrap() }]).unwrap();
    let fitted = fit("hmm(states=2, prior=1)", &rows);
    assert!(fitted.notices().is_empty(), "{:?}", fitted.notices());
    let stored = serde_json::to_value(&fitted).unwrap();
    let next: Vec<f64> = serde_json::from_value(stored["hmm"]["chain"]["next"]["inline"].clone()).unwrap();
    let stays = if next[0] > next[3] { [next[0], next[3]] } else { [next[3], next[0]] };
    near(stays[0], 0.95, 0.02);
    near(stays[1], 0.9, 0.02);
    // Iterations that do not suffice are reported.
    assert!(fit("hmm(states=2, iterations=2)", &rows).notices()[0].to_string().contains("not converged after 2 iterations"));
}

// spec: K38
#[test]
fn score_vectors_of_a_converged_chain_sum_to_zero() {
    let rows = first(12).sample(40, 5).unwrap();
    let rows = Dataset::new(vec![Column { name: "x".into(), values: rows }]).unwrap();
    let fitted = fit("hmm(states=2, prior=1, tolerance=0, iterations=20000, starts=1)", &rows);
    assert!(fitted.is_maximum_likelihood());
    let scores = fitted.scores(&rows).unwrap();
    for k in 0..scores.cols() {
        near((0..scores.rows()).map(|i| scores[(i, k)]).sum(), 0.0, 1e-8);
    }
    assert!(!fit("hmm", &rows).is_maximum_likelihood());
}

#[test]
fn letters_are_those_of_the_alphabet_and_of_text_those_of_all_rows() {
    let rows = strings(&["3 \"b", ",]\\\u{e9}", "auto['"]);
    let settled = GenerativeExpr::parse("hmm").unwrap().settle(&rows, RowWeights::default()).unwrap();
    assert_eq!(GenerativeExpr::parse(&settled.to_string()).unwrap(), settled);
    let pooled = settled.fit(&rows, RowWeights::default(), 0, &Control::default()).unwrap();
    let one = settled.fit_like(&rows.select(&[0]), &pooled, 0, &Control::default()).unwrap();
    assert_eq!(one.parameters().len(), pooled.parameters().len());
    assert!(one.log_densities(&rows.select(&[1])).unwrap()[0] < -4.0);
    // Soft-masked bases are bases.
    let dna = fit("hmm(alphabet=dna)", &strings(&["ACGTTGCA", "GGCA"]));
    let masked = dna.log_densities(&strings(&["ACGT", "acgt"])).unwrap();
    assert_eq!(masked[0], masked[1]);
    let refused = GenerativeExpr::parse("hmm(alphabet=dna)").unwrap().check(&strings(&["ACGT", "ACEEEE"])).unwrap_err().to_string();
    assert!(refused.contains("row 2"), "{refused}");
}
