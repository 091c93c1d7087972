//! Markov chains over strings, and their Fisher kernel beside the spectrum kernel.

use crate::evaluated;

use evaluated::{matrix, near};
use mercer::control::Control;
use mercer::data::{Column, Dataset, RowWeights, Strings, Values};
use mercer::generative::{FittedGenerative, GenerativeExpr, Markov};
use mercer::testkit;

fn sequences(rows: &[impl AsRef<str>]) -> Dataset {
    let strings = Strings::new(rows.iter().map(|row| row.as_ref().to_owned()).collect::<Vec<String>>());
    Dataset::new(vec![Column { name: "s".into(), values: Values::Sequences(strings) }]).unwrap()
}

fn fit(text: &str, data: &Dataset) -> mercer::error::Result<FittedGenerative> {
    GenerativeExpr::parse(text)?.settle(data, RowWeights::default())?.fit(data, RowWeights::default(), 0, &Control::default())
}

#[test]
fn markov_chains_pass_the_conformance_kit() {
    testkit::check_model::<Markov>().unwrap();
    for text in [
        "markov(order=0)",
        "markov(order=2, prior=1, length=9)",
        "markov(order=0, alphabet=dna, ambiguity=letter)",
        "markov(alphabet=text)",
    ] {
        for rows in [3, 40] {
            let expr = GenerativeExpr::parse(text).unwrap();
            testkit::check_model_expr(&expr, &testkit::table(rows, 11)).unwrap_or_else(|why| panic!("{text} on {rows} rows: {why}"));
        }
    }
    for text in ["markov(order=0, prior=0)", "markov(prior=0)"] {
        testkit::check_model_expr(&GenerativeExpr::parse(text).unwrap(), &testkit::table(40, 11))
            .unwrap_or_else(|why| panic!("{text}: {why}"));
    }
}

/// By hand: transitions of abb, ab and ba are ab twice, bb and ba once: theta(b|a) = (2 + 1/2) / (2 + 1), theta(a|b) = theta(b|b) = 1/2.
#[test]
fn a_density_is_the_product_of_smoothed_transitions() {
    let fitted = fit("markov(alphabet=text)", &sequences(&["abb", "ab", "ba"])).unwrap();
    let logs = fitted.log_densities(&sequences(&["ab", "aab", "b", "", "abzba"])).unwrap();
    let (ab, aa, ba, one) = ((2.5f64 / 3.0).ln(), (0.5f64 / 3.0).ln(), 0.5f64.ln(), 0.5f64.ln());
    // The first letter is one of two, and so is one after a letter that the chain does not know, one of more than the seven seen.
    let unseen = (0.5f64 / (7.0 + 0.5 * 3.0)).ln();
    for (found, expected) in logs.iter().zip([one + ab, one + aa + ab, one, 0.0, 2.0 * one + unseen + ab + ba]) {
        near(*found, expected, 1e-14);
    }
    let parameters = fitted.parameters();
    assert_eq!((parameters[0].name.as_str(), parameters.len()), ("log_ratio[a,b]", 2));
    near(parameters[0].value, (0.2f64).ln() / 2f64.sqrt(), 1e-14);
}

/// Over all strings of the length of the chain the density sums to 1.
#[test]
fn densities_of_all_strings_of_one_length_sum_to_1() {
    let all: Vec<String> = (0..243usize).map(|n| (0..5).map(|t| ['a', 'b', 'c'][n / 3usize.pow(t) % 3]).collect()).collect();
    for order in [0, 1, 3] {
        let fitted = fit(&format!("markov(order={order}, alphabet=text)"), &sequences(&["abcabba", "ccab", "b"])).unwrap();
        near(fitted.log_densities(&sequences(&all)).unwrap().iter().map(|x| x.exp()).sum(), 1.0, 1e-13);
    }
}

/// A string in which each of four letters stands four times before another, four times of which before itself, with its letters
/// exchanged in all 24 ways: every context stands equally often in each string, and all transitions equally often in all of them.
fn balanced() -> Vec<String> {
    let mut all = Vec::new();
    for base in ["AACCGGTTACGTACGTA", "ATAAGTTCAGCCCGTGT", "CGGGTCTAAGACTTCAC"] {
        for code in 0..256usize {
            let image: Vec<usize> = (0..4).map(|k| code / 4usize.pow(k) % 4).collect();
            if (0..4).all(|letter| image.contains(&letter)) {
                all.push(base.bytes().map(|b| char::from(b"ACGT"[image[b"ACGT".iter().position(|l| *l == b).unwrap()]])).collect());
            }
        }
    }
    all
}

// spec: K40
#[test]
fn the_fisher_kernel_of_a_uniform_markov_chain_is_the_centred_spectrum_kernel() {
    let strings = balanced();
    let data = sequences(&strings);
    let (fisher, spectrum) = (matrix("fisher(markov(prior=0), identity)", &data), matrix("centre(spectrum(k=2))", &data));
    assert!(fit("markov(prior=0)", &data).unwrap().parameters().iter().all(|p| p.value.abs() <= 1e-15));
    assert!(fisher.data().iter().any(|k| *k > 4.0));
    for (a, b) in fisher.data().iter().zip(spectrum.data()) {
        near(*a, *b, 1e-12);
    }
    // By its formula the information is E N_u / 4 in each coordinate: 16 places, 4 of each context.
    for (a, b) in matrix("fisher(markov(prior=0))", &data).data().iter().zip(spectrum.data()) {
        near(*a, *b, 1e-12);
    }
    // Of any strings: the counts of k = L + 1 letters minus their mean given the contexts, k_(L+1)(x, z) - k_L(x', z') / 4 where
    // x' is x without its last letter. So many strings in the prior make every transition equally likely.
    let any = ["ACGTTTGA", "A", "CCCCC", "TGACGTACCA", "GATTACA"];
    let before: Vec<&str> = any.iter().map(|s| &s[..s.len() - 1]).collect();
    for order in 1..4 {
        let fisher = matrix(&format!("fisher(markov(order={order}, prior=1e15, alphabet=dna), identity)"), &sequences(&any));
        let spectrum = |k: usize, of: &[&str]| matrix(&format!("spectrum(k={k}, alphabet=dna)"), &sequences(of));
        let (longer, contexts) = (spectrum(order + 1, &any), spectrum(order, &before));
        for (k, (a, b)) in longer.data().iter().zip(contexts.data()).enumerate() {
            near(fisher.data()[k], a - b / 4.0, 1e-11);
        }
    }
}

/// By hand: 6 letters, a and b, half a count of each and of one more letter for all others, after which a context begins anew.
#[test]
fn a_letter_that_no_training_row_has_is_improbable() {
    let fitted = fit("markov(order=1, prior=0.5, alphabet=text)", &sequences(&["aabb", "ba"])).unwrap();
    let (unseen, alike) = ((0.5f64 / (6.0 + 0.5 * 3.0)).ln(), 0.5f64.ln());
    // Of a: aa and ab once each; of b: ba and bb once each.
    let next = 0.5f64.ln();
    let found = fitted.log_densities(&sequences(&["ab", "aQb", "QQ", "abQ"])).unwrap();
    for (found, expected) in found.into_iter().zip([alike + next, 2.0 * alike + unseen, 2.0 * unseen, alike + next + unseen]) {
        near(found, expected, 1e-14);
    }
    let (rows, said) = fitted.unseen(&sequences(&["ab", "aQb", "QQ"])).unwrap().unwrap();
    assert!(rows == [1, 2] && said.to_string().contains("'Q'"), "{said}");
    assert_eq!(fitted.observations(&sequences(&["ab", "", "aba"])).unwrap(), [2, 0, 3]);
    // Without a context the model is a distribution over the letters and one more, but for the share of that one.
    let fitted = fit("markov(order=0, prior=0.5, alphabet=text)", &sequences(&["aabb", "ba"])).unwrap();
    near(fitted.log_densities(&sequences(&["Q"])).unwrap()[0], unseen, 1e-14);
}

#[test]
fn a_string_of_one_letter_has_a_chain() {
    for text in ["markov", "markov(order=3, alphabet=dna)", "markov(alphabet=protein)", "markov(order=0)"] {
        for string in ["A", "AA", "AAAAAAAAAAAAAAAAAA"] {
            let data = sequences(&[string]);
            let fitted = fit(text, &data).unwrap();
            let scores = fitted.scores(&data).unwrap();
            assert!(fitted.log_densities(&data).unwrap()[0].is_finite(), "{text} of {string}");
            assert!(scores.data().iter().all(|g| g.is_finite()), "{text} of {string}");
            assert!(fitted.whitened_scores(&data).unwrap().unwrap().data().iter().all(|g| g.is_finite()), "{text} of {string}");
        }
    }
}

#[test]
fn what_no_chain_can_be_fitted_to_is_refused() {
    let said = |text: &str, rows: &[&str]| fit(text, &sequences(rows)).unwrap_err().to_string();
    let never = said("markov(prior=0, alphabet=dna)", &["ACGT", "AC"]);
    assert!(never.contains("the letter 'A' never comes after 'A'") && never.contains("give a prior above 0"), "{never}");
    let outside = said("markov(alphabet=dna)", &["ACGT", "ACEEEE"]);
    assert!(outside.contains("row 2: markov with alphabet=dna found 'E' at letter 3"), "{outside}");
    assert!(said("markov(alphabet=text)", &["", ""]).contains("there is no letter in the rows"));
    assert!(said("markov(order=2, length=2)", &["ACGT"]).contains("more letters than the order, 2"));
    assert!(said("markov(order=9, alphabet=protein)", &["ACDE"]).contains("order=9: 20 letters have more than 16777216 transitions"));
    let damaged = |from: &str, to: &str| {
        let sound = serde_json::to_string(&fit("markov(alphabet=dna)", &sequences(&["ACGT"])).unwrap()).unwrap();
        assert!(sound.contains(from), "{sound}");
        serde_json::from_str::<FittedGenerative>(&sound.replace(from, to)).is_err()
    };
    assert!(damaged("\"order\":1", "\"order\":2") && damaged("[\"A\",", "[\"A\",\"N\",") && damaged("\"length\":4", "\"length\":1"));
}
