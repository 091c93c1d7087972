//! Multinomial and Dirichlet-multinomial distributions of counts, and their Fisher kernels.

use crate::evaluated;

use evaluated::{matrix, near, points};
use mercer::control::Control;
use mercer::data::{Column, Dataset, Points, RowWeights, Strings, Values};
use mercer::generative::{FittedGenerative, GenerativeExpr};
use mercer::testkit;

fn fit_weighed(text: &str, data: &Dataset, weights: Option<&[f64]>) -> mercer::error::Result<FittedGenerative> {
    let weights = RowWeights::from(weights);
    GenerativeExpr::parse(text)?.settle(data, weights)?.fit(data, weights, 0, &Control::default())
}

fn fit(text: &str, data: &Dataset) -> mercer::error::Result<FittedGenerative> {
    fit_weighed(text, data, None)
}

/// Counts that come in bursts: four columns, some rows of which hold nearly all of one.
fn bursts(rows: usize) -> Dataset {
    let x = |i: usize, j: usize| ((i * 7 + j * 5) % 4) as f64 + if (i * 3 + 1) % 4 == j { (i % 6) as f64 } else { 0.0 };
    Dataset::from_points(Points::dense(rows, 4, (0..rows).flat_map(|i| (0..4).map(move |j| x(i, j))).collect()).unwrap())
}

#[test]
fn distributions_of_counts_pass_the_conformance_kit() {
    for text in [
        "multinomial",
        "multinomial(prior=0)",
        "multinomial(prior=2, trials=5)",
        "dirichlet_multinomial",
        "dirichlet_multinomial(prior=0)",
        "dirichlet_multinomial(prior=0.1, trials=3)",
    ] {
        for rows in [5, 40] {
            let expr = GenerativeExpr::parse(text).unwrap();
            testkit::check_model_expr(&expr, &bursts(rows)).unwrap_or_else(|why| panic!("{text} on {rows} rows: {why}"));
        }
    }
}

#[test]
fn densities_are_those_of_the_formulas() {
    let data = points(&[&[2.0, 0.0, 1.0], &[0.0, 1.0, 0.0]]);
    let new = points(&[&[2.0, 1.0, 0.0], &[0.0, 0.0, 0.0]]);
    // theta = (2.5, 1.5, 1.5) / 5.5.
    let found = fit("multinomial", &data).unwrap().log_densities(&new).unwrap();
    near(found[0], (3.0 * 2.5f64.powi(2) * 1.5 / 5.5f64.powi(3)).ln(), 1e-14);
    near(found[1], 0.0, 1e-14);
    // All counts of one sum are alike under Dirichlet(1, 1, 1): there are 10 of sum 3.
    let alike = fit("dirichlet_multinomial", &data).unwrap().with_parameters(&[1.0; 3]).unwrap();
    near(alike.log_densities(&new).unwrap()[0], -10f64.ln(), 1e-14);
    near(alike.log_densities(&new).unwrap()[1], 0.0, 1e-14);
}

/// Boys among the first twelve children of 6,115 families of thirteen (Geissler 1889). The two derivatives of the beta-binomial likelihood,
/// as sums of 1 / (a + k), vanish at these numbers: Newton's method in another program (Python), to all digits.
#[test]
fn the_fit_is_that_of_the_beta_binomial_to_the_boys_of_saxony() {
    let families = [3.0, 24.0, 104.0, 286.0, 670.0, 1033.0, 1343.0, 1112.0, 829.0, 478.0, 181.0, 45.0, 7.0];
    let rows: Vec<[f64; 2]> = (0..13).map(|boys| [f64::from(boys), 12.0 - f64::from(boys)]).collect();
    let data = points(&rows.iter().map(<[f64; 2]>::as_slice).collect::<Vec<_>>());
    let fitted = fit_weighed("dirichlet_multinomial(prior=0)", &data, Some(&families)).unwrap();
    let found = fitted.parameters();
    near(found[0].value, 34.102857615803, 1e-9);
    near(found[1].value, 31.578234155043, 1e-9);
    let likelihood: f64 = fitted.log_densities(&data).unwrap().iter().zip(families).map(|(log, weight)| weight * log).sum();
    near(likelihood, -12_492.871358551, 1e-6);
    assert!(fitted.is_maximum_likelihood() && fitted.notices().is_empty());
}

const CORPUS: [&str; 12] = [
    "the oven bakes the bread while the dough of the next bread rises",
    "knead the dough with flour and water then let the dough rise in the warm oven",
    "bread needs flour water salt and yeast and the yeast needs time",
    "salt the soup and let the soup simmer with onions and a little water",
    "the telescope showed a planet near the star and the planet had a moon",
    "a star burns hydrogen and the light of the star reaches the telescope",
    "the moon of the planet is covered with ice and the ice hides water",
    "light from a galaxy takes a long time and the galaxy holds many a star",
    "the striker shot the ball and the keeper caught the ball",
    "the referee gave a goal because the ball crossed the line of the goal",
    "a keeper trains with the striker and the team trains with the referee",
    "the team lost the match in the last minute of the match when the goal fell",
];

/// The rank of each number, equal ones at the mean of theirs.
fn ranks(x: &[f64]) -> Vec<f64> {
    x.iter()
        .map(|a| {
            x.iter()
                .map(|b| {
                    if b < a {
                        1.0
                    } else if b == a {
                        0.5
                    } else {
                        0.0
                    }
                })
                .sum()
        })
        .collect()
}

fn rank_correlation(a: &[f64], b: &[f64]) -> f64 {
    let (a, b) = (ranks(a), ranks(b));
    let mean = a.iter().sum::<f64>() / a.len() as f64;
    let product = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| (x - mean) * (y - mean)).sum::<f64>();
    product(&a, &b) / (product(&a, &a) * product(&b, &b)).sqrt()
}

// spec: K41
#[test]
fn the_fisher_kernel_of_a_dirichlet_multinomial_ranks_documents_as_tf_idf_does() {
    let mut words: Vec<&str> = CORPUS.iter().flat_map(|text| text.split(' ')).collect();
    words.sort_unstable();
    words.dedup();
    let count = |text: &str, word: &str| text.split(' ').filter(|w| *w == word).count() as f64;
    let counts: Vec<f64> = CORPUS.iter().flat_map(|text| words.iter().map(|word| count(text, word)).collect::<Vec<_>>()).collect();
    let counts = Dataset::from_points(Points::dense(CORPUS.len(), words.len(), counts).unwrap());
    let texts = Dataset::new(vec![Column { name: "text".into(), values: Values::Texts(Strings::new(CORPUS)) }]).unwrap();
    let above =
        |k: mercer::linalg::Matrix| -> Vec<f64> { (0..CORPUS.len()).flat_map(|i| (0..i).map(|j| k[(i, j)]).collect::<Vec<_>>()).collect() };
    let tfidf = above(matrix("tfidf", &texts));
    for text in [
        "fisher(dirichlet_multinomial)",
        "normalise(fisher(dirichlet_multinomial))",
        "normalise(fisher(dirichlet_multinomial(prior=0.01)))",
    ] {
        let found = rank_correlation(&above(matrix(text, &counts)), &tfidf);
        assert!(found > 0.8, "{text}: {found}");
    }
}

#[test]
fn numbers_that_are_no_counts_are_named_with_row_and_column() {
    for model in ["multinomial", "dirichlet_multinomial"] {
        let said = |text: &str, rows: &[&[f64]]| fit(text, &points(rows)).unwrap_err().to_string();
        let below = said(model, &[&[1.0, 2.0], &[3.0, -1.0]]);
        assert!(below.contains("row 2, column 2: found -1, and counts are 0 or above") && below.contains(model), "{below}");
        let part = said(model, &[&[0.5, 2.0]]);
        assert!(part.contains("row 1, column 1: found 0.5, and counts are whole numbers"), "{part}");
        let empty = said(&format!("{model}(prior=0)"), &[&[1.0, 0.0, 2.0]]);
        assert!(empty.contains("column 2 has no count") && empty.contains("give a prior above 0"), "{empty}");
        assert!(said(model, &[&[1.0], &[2.0]]).contains("takes 2 at least"));
        let fitted = fit(model, &bursts(9)).unwrap();
        assert!(fitted.scores(&points(&[&[1.0]])).unwrap_err().to_string().contains(&format!("counts per row of {model}")));
        assert!(fitted.log_densities(&points(&[&[1.0, 1.0, 1.5, 0.0]])).is_err());
        // Rows without any count, and one row alone, have a fit.
        for rows in [[[0.0, 0.0]; 2], [[3.0, 0.0]; 2]] {
            let data = points(&[&rows[0], &rows[1]]);
            let scores = fit(model, &data).unwrap().scores(&data).unwrap();
            assert!(scores.data().iter().all(|g| g.is_finite()), "{model}: {rows:?}");
        }
    }
    let damaged = |model: &str, from: &str, to: &str| {
        let sound = serde_json::to_string(&fit(model, &bursts(9)).unwrap()).unwrap();
        assert!(sound.contains(from), "{sound}");
        serde_json::from_str::<FittedGenerative>(&sound.replace(from, to)).is_err()
    };
    assert!(damaged("multinomial", "\"trials\":", "\"trials\":0, \"t\":") && damaged("dirichlet_multinomial", "[", "[-1.0,"));
}

#[test]
fn counts_that_vary_less_than_a_multinomial_have_no_greatest_likelihood_and_it_is_said() {
    let alike = points(&[&[5.0, 5.0], &[4.0, 6.0], &[5.0, 5.0]]);
    let fitted = fit("dirichlet_multinomial(prior=0)", &alike).unwrap();
    assert!(!fitted.is_maximum_likelihood());
    assert!(fitted.notices()[0].to_string().contains("counts vary no more than those of a multinomial"), "{:?}", fitted.notices());
    let expected = fit("multinomial(prior=0)", &alike).unwrap().log_densities(&alike).unwrap();
    for (a, b) in fitted.log_densities(&alike).unwrap().iter().zip(expected) {
        near(*a, b, 1e-3);
    }
}
