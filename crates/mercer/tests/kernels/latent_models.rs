//! Mixtures, hidden Markov models of series and autoregressions, against scikit-learn, hmmlearn, numpy and their conformance kit.

use crate::evaluated;

use evaluated::{matrix, near, points};
use mercer::control::Control;
use mercer::data::{Column, Dataset, Points, RowWeights, Series, Sets, Values};
use mercer::generative::{
    Autoregressive, FittedDistribution, FittedGenerative, GaussianHmm, GaussianMixture, GenerativeExpr, GenerativeModel,
};
use mercer::gram::{self, Mercer};
use mercer::kernels::KernelExpr;
use mercer::testkit;
use serde_json::json;

type FittedHmm = <GaussianHmm as GenerativeModel>::Fitted;
type FittedMixture = <GaussianMixture as GenerativeModel>::Fitted;

fn series(rows: &[Vec<Vec<f64>>]) -> Dataset {
    Dataset::new(vec![Column { name: "x".into(), values: Values::Series(Series::of_rows(rows).unwrap()) }]).unwrap()
}

fn fit_by(text: &str, rows: &Dataset, weights: Option<&[f64]>) -> mercer::Result<FittedGenerative> {
    let weights = RowWeights::from(weights);
    let model = GenerativeExpr::parse(text)?.settle(rows, weights)?;
    model.check(rows)?;
    model.fit(rows, weights, 0, &Control::default())
}

fn fit(text: &str, rows: &Dataset) -> FittedGenerative {
    fit_by(text, rows, None).unwrap()
}

fn kit(texts: &[&str]) {
    for text in texts {
        let expr = GenerativeExpr::parse(text).unwrap();
        testkit::check_model_expr(&expr, &testkit::table(40, 11)).unwrap_or_else(|why| panic!("{text}: {why}"));
    }
}

#[test]
fn latent_models_pass_the_conformance_kit() {
    testkit::check_model::<GaussianHmm>().unwrap();
    testkit::check_model::<GaussianMixture>().unwrap();
    testkit::check_model::<Autoregressive>().unwrap();
    kit(&["gaussian_hmm(states=3, starts=1)", "gaussian_hmm(states=1, prior=1)", "gaussian_hmm(2, prior=1.5, iterations=20)"]);
    kit(&["gaussian_mixture(3, full)", "gaussian_mixture(2, spherical, prior=2)", "gaussian_mixture(1, prior=1)"]);
    kit(&["gaussian_mixture(1, full, prior=1)", "gaussian_mixture(5, starts=1, iterations=10)", "autoregressive(prior=1)"]);
}

/// Two states, two channels.
fn chain(length: usize) -> FittedHmm {
    let stored = json!({
        "chain": {"start": {"inline": [0.6, 0.4]}, "next": {"inline": [0.7, 0.3, 0.2, 0.8]}},
        "emission": {"means": {"inline": [0.0, 1.0, 2.0, -1.0]}, "variances": {"inline": [1.0, 0.5, 0.25, 2.0]}},
        "length": length,
        "is_maximum": false,
        "notices": [],
    });
    serde_json::from_value(stored).unwrap()
}

/// hmmlearn 0.3.3, `GaussianHMM(2, covariance_type="diag").score` with these parameters.
#[test]
fn log_densities_of_series_are_those_of_hmmlearn() {
    let short = vec![vec![0.1, 0.9], vec![1.7, -2.0], vec![2.2, 0.3], vec![-0.4, 1.5]];
    let long = (0..10_000).map(f64::from).map(|t| vec![t.sin(), (0.3 * t).cos()]).collect();
    let found = chain(4).log_densities(&Series::of_rows(&[short, long, vec![]]).unwrap()).unwrap();
    for (value, expected) in found.iter().zip([-10.713649103793593, -35245.25513353736, 0.0]) {
        near(*value, expected, 1e-12 * (1.0 + expected.abs()));
    }
    // Times so far off that every density is 0 as a number.
    let far = Series::of_rows(&[vec![vec![1e3, 1e3], vec![-1e4, 0.0], vec![0.0, 1.0]]]).unwrap();
    assert!(chain(4).log_densities(&far).unwrap()[0].is_finite());
    assert!(chain(4).scores(&far).unwrap().data().iter().all(|g| g.is_finite()));
}

/// All paths of two states, written out, of rows of several lengths.
#[test]
fn states_of_series_are_those_of_all_paths_written_out() {
    let (start, next, means, variances) = ([0.6, 0.4], [[0.7, 0.3], [0.2, 0.8]], [[0.0, 1.0], [2.0, -1.0]], [[1.0, 0.5], [0.25, 2.0]]);
    let row = |times: usize, from: f64| (0..times).map(|t| vec![1.0 + (from + t as f64).sin(), (2.0 * t as f64 + from).cos()]).collect();
    let rows: Vec<Vec<Vec<f64>>> = (0..11).map(|k| row(k % 7, k as f64)).collect();
    let found = chain(4).hidden_states(&Series::of_rows(&rows).unwrap(), &Control::default()).unwrap().unwrap();
    for (row, states) in rows.iter().zip(found) {
        let (mut best, mut total, mut sums) = ((f64::NEG_INFINITY, Vec::new()), 0.0, vec![[0.0; 2]; row.len()]);
        for number in 0..1usize << row.len() {
            let path: Vec<usize> = (0..row.len()).map(|t| number >> t & 1).collect();
            let step = |t: usize| if t == 0 { start[path[0]] } else { next[path[t - 1]][path[t]] };
            let normal = |x: f64, m: f64, v: f64| (-0.5 * (x - m).powi(2) / v).exp() / (std::f64::consts::TAU * v).sqrt();
            let emit = |t: usize| (0..2).map(|c| normal(row[t][c], means[path[t]][c], variances[path[t]][c])).product::<f64>();
            let p: f64 = (0..path.len()).map(|t| step(t) * emit(t)).product();
            path.iter().enumerate().for_each(|(t, state)| sums[t][*state] += p);
            total += p;
            if p > best.0 {
                best = (p, path);
            }
        }
        assert_eq!(states.path, best.1);
        for (t, sum) in sums.iter().enumerate() {
            (0..2).for_each(|q| near(states.posteriors[(t, q)], sum[q] / total, 1e-12));
        }
    }
}

// spec: K35
#[test]
fn the_product_of_two_chains_of_series_is_the_integral() {
    let one = |means: [f64; 2], variances: [f64; 2], stays: f64, length: usize| -> FittedHmm {
        let stored = json!({
            "chain": {"start": {"inline": [0.3, 0.7]}, "next": {"inline": [stays, 1.0 - stays, 0.25, 0.75]}},
            "emission": {"means": {"inline": means}, "variances": {"inline": variances}},
            "length": length,
            "is_maximum": false,
            "notices": [],
        });
        serde_json::from_value(stored).unwrap()
    };
    let (p, q) = (one([0.0, 1.5], [0.5, 1.0], 0.9, 2), one([0.5, -1.0], [0.7, 0.4], 0.6, 2));
    // The trapezoidal rule on functions that fall to 0 at both ends.
    let (low, step, count) = (-8.0, 0.1, 170);
    let at = |k: usize| vec![low + step * k as f64];
    let grid: Vec<Vec<Vec<f64>>> = (0..count * count).map(|k| vec![at(k / count), at(k % count)]).collect();
    let grid = Series::of_rows(&grid).unwrap();
    let logs = p.log_densities(&grid).unwrap().into_iter().zip(q.log_densities(&grid).unwrap());
    let integral = logs.map(|(p, q)| (p + q).exp()).sum::<f64>() * step * step;
    near(p.log_product(&q, 1.0).unwrap(), integral.ln(), 1e-12);
    assert!(p.log_product(&q, 0.5).unwrap_err().to_string().contains("only rho=1 has a recursion"));
    assert!(p.log_product(&one([0.5, -1.0], [0.7, 0.4], 0.6, 3), 1.0).is_err());
    assert!(p.log_product(&chain(2), 1.0).is_err());
}

#[test]
fn states_of_a_series_are_found_and_variances_do_not_fall_to_zero() {
    let rows = Dataset::new(vec![Column { name: "x".into(), values: chain(80).sample(100, 2).unwrap() }]).unwrap();
    let fitted = fit("gaussian_hmm(states=2, prior=1)", &rows);
    assert!(fitted.notices().is_empty(), "{:?}", fitted.notices());
    let found: Vec<f64> = fitted.parameters().iter().map(|p| p.value).collect();
    let means = &found[3..7];
    let (a, b) = if means[0] < means[2] { (0, 2) } else { (2, 0) };
    for (value, expected) in [(means[a], 0.0), (means[a + 1], 1.0), (means[b], 2.0), (means[b + 1], -1.0)] {
        near(value, expected, 0.1);
    }
    let same = series(&[vec![vec![3.0]; 4], vec![vec![3.0]; 2]]);
    for text in ["gaussian_hmm", "gaussian_hmm(states=5, prior=1)", "autoregressive", "autoregressive(prior=1)"] {
        let fitted = fit(text, &same);
        assert!(fitted.log_densities(&same).unwrap()[0].is_finite(), "{text}");
        assert!(fitted.scores(&same).unwrap().data().iter().all(|g| g.is_finite()), "{text}");
    }
    assert!(fit_by("gaussian_hmm", &series(&[vec![], vec![]]), None).is_err());
    assert!(fitted.log_densities(&same).unwrap_err().to_string().contains("channels of gaussian_hmm"));
}

fn mixture(components: [serde_json::Value; 2]) -> FittedMixture {
    let component =
        |mean: [f64; 2], spread: &serde_json::Value| json!({"mean": {"inline": mean}, "spread": spread, "constant": {"inline": []}});
    let components = [component([0.0, 0.5], &components[0]), component([1.5, 1.0], &components[1])];
    let stored = json!({"weights": {"inline": [0.3, 0.7]}, "components": components, "is_maximum": false, "notices": []});
    serde_json::from_value(stored).unwrap()
}

fn diagonal() -> FittedMixture {
    mixture([[1.0, 0.5f64], [0.25, 2.0]].map(|v| json!({"diagonal": {"inline": v.map(f64::sqrt)}})))
}

const ROWS: [[f64; 2]; 6] = [[0.2, 1.0], [1.7, 2.5], [-0.4, 0.3], [2.2, 0.9], [-1.1, -0.7], [40.0, -30.0]];

fn rows() -> Points {
    Points::dense(6, 2, ROWS.concat()).unwrap()
}

/// scikit-learn 1.9.1, `GaussianMixture.score_samples` with these parameters.
#[test]
fn log_densities_of_mixtures_are_those_of_scikit_learn() {
    let spherical = mixture([0.8f64, 1.7].map(|v| json!({"spherical": v.sqrt()})));
    let values = [[0.0, 0.5, 1.0, 0.3, 0.5], [1.5, 1.0, 0.25, -0.2, 2.0]].concat();
    let full = fit("gaussian_mixture(2, full)", &Dataset::from_points(rows()));
    let full = full.with_parameters(&[[(0.3f64 / 0.7).ln() / 2f64.sqrt()].as_slice(), &values].concat()).unwrap();
    let expected = [
        [-2.866273928937071, -2.486966366677613, -2.813574453922348, -2.7472926562413265, -4.740264513413755, -1732.9452762804551],
        [-2.7824180511753904, -2.618872101851335, -2.683394591906741, -2.7440284584213552, -4.124099310579617, -2966.317157180816],
        [-2.41178699157574, -3.37491203788384, -2.6270284698060062, -2.8269282102163853, -4.184726303316328, -721.3281214378807],
    ];
    let found = [
        diagonal().log_densities(&rows()).unwrap(),
        full.log_densities(&Dataset::from_points(rows())).unwrap(),
        spherical.log_densities(&rows()).unwrap(),
    ];
    for (found, expected) in found.iter().zip(expected) {
        found.iter().zip(expected).for_each(|(a, b)| near(*a, b, 1e-12 * (1.0 + b.abs())));
    }
}

/// Perronnin, Sanchez & Mensink (2010), (8) and (9): p_k (x - m) / (s w^(1/2)) and p_k ((x - m)^2 / s^2 - 1) / (2 w)^(1/2).
#[test]
fn fisher_vectors_are_those_of_the_formula() {
    let (w, m, v) = ([0.3f64, 0.7], [[0.0, 0.5], [1.5, 1.0]], [[1.0, 0.5f64], [0.25, 2.0]]);
    let found = diagonal().whitened_scores(&rows()).unwrap().unwrap();
    let logs = diagonal().log_densities(&rows()).unwrap();
    let vectors = ROWS.iter().zip(logs).map(|(x, all)| {
        let mut vector = Vec::new();
        let log = |k: usize| -> f64 {
            w[k].ln() - 0.5 * (0..2).map(|j| (std::f64::consts::TAU * v[k][j]).ln() + (x[j] - m[k][j]).powi(2) / v[k][j]).sum::<f64>()
        };
        let p = [0, 1].map(|k| (log(k) - all).exp());
        vector.extend((0..2).map(|k| (p[k] - w[k]) / w[k].sqrt()));
        for k in 0..2 {
            let u = [0, 1].map(|j| (x[j] - m[k][j]) / v[k][j].sqrt());
            vector.extend(u.map(|u| p[k] * u / w[k].sqrt()));
            vector.extend(u.map(|u| p[k] * (u * u - 1.0) / (2.0 * w[k]).sqrt()));
        }
        vector
    });
    let vectors: Vec<Vec<f64>> = vectors.collect();
    // Products: the two numbers of the weights are one number here, since they depend on each other.
    assert_eq!((found.cols(), vectors[0].len()), (9, 10));
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    for (i, a) in vectors.iter().enumerate() {
        for (j, b) in vectors.iter().enumerate() {
            near(dot(found.row(i), found.row(j)), dot(a, b), 1e-11 * (1.0 + dot(a, a).max(dot(b, b))));
        }
    }
}

#[test]
fn the_product_of_two_mixtures_is_the_integral() {
    let (p, q) = (diagonal(), mixture([0.8f64, 1.7].map(|v| json!({"spherical": v.sqrt()}))));
    let (low, step, count) = (-12.0, 0.1, 260);
    let grid = (0..count * count).flat_map(|k| [low + step * (k / count) as f64, low + step * (k % count) as f64]).collect();
    let grid = Points::dense(count * count, 2, grid).unwrap();
    let logs = p.log_densities(&grid).unwrap().into_iter().zip(q.log_densities(&grid).unwrap());
    let integral = logs.map(|(p, q)| (p + q).exp()).sum::<f64>() * step * step;
    near(p.log_product(&q, 1.0).unwrap(), integral.ln(), 1e-12);
    near(q.log_product(&p, 1.0).unwrap(), integral.ln(), 1e-12);
    assert!(p.log_product(&q, 0.5).unwrap_err().to_string().contains("only rho=1"));
}

/// Two clouds of 200 points, around (-2, 1) and (3, 0).
fn clouds() -> Dataset {
    let angle = |i: usize| i as f64 * 2.399_963;
    let radius = |i: usize| (((i / 2) as f64 + 0.5) / 100.0).sqrt();
    let place = |i: usize| {
        let middle = if i.is_multiple_of(2) { [-2.0, 1.0] } else { [3.0, 0.0] };
        [middle[0] + radius(i) * angle(i).cos(), middle[1] + 0.5 * radius(i) * angle(i).sin()]
    };
    Dataset::from_points(Points::dense(200, 2, (0..200).flat_map(place).collect()).unwrap())
}

// spec: K38
#[test]
fn a_mixture_finds_clouds_and_its_score_vectors_sum_to_zero() {
    for form in ["diagonal", "full", "spherical"] {
        let fitted = fit(&format!("gaussian_mixture(2, {form}, prior=1, tolerance=0)"), &clouds());
        assert!(fitted.is_maximum_likelihood(), "{form}");
        let scores = fitted.scores(&clouds()).unwrap();
        (0..scores.cols()).for_each(|k| near((0..200).map(|i| scores[(i, k)]).sum(), 0.0, 1e-8));
        let at = |name: &str| fitted.parameters().iter().find(|p| p.name == name).unwrap().value;
        let first = at("component[1] mean[1]").min(at("component[2] mean[1]"));
        near(first, -2.0, 0.05);
        near(at("log_ratio[weight 2]"), 0.0, 1e-6);
        // The prior keeps the likelihood below its maximum.
        assert!(!fit(&format!("gaussian_mixture(2, {form})"), &clouds()).is_maximum_likelihood());
    }
}

#[test]
fn a_mixture_keeps_its_variances_and_refuses_more_components_than_rows() {
    let twins = points(&[&[1.0, 2.0], &[1.0, 2.0], &[5.0, 2.0]]);
    for text in [
        "gaussian_mixture(3)",
        "gaussian_mixture(3, full)",
        "gaussian_mixture(3, spherical, prior=1)",
        "gaussian_mixture(3, full, prior=1)",
    ] {
        let fitted = fit(text, &twins);
        assert!(fitted.log_densities(&points(&[&[1e6, -3.0], &[1.0, 2.0]])).unwrap().iter().all(|p| p.is_finite()), "{text}");
        assert!(fitted.scores(&twins).unwrap().data().iter().all(|g| g.is_finite()), "{text}");
    }
    let refused = fit_by("gaussian_mixture(4)", &twins, None).unwrap_err().to_string();
    assert!(refused.contains("components=4") && refused.contains("the 3 rows"), "{refused}");
    assert!(fit_by("gaussian_mixture(4)", &twins, Some(&[1.0, 2.0, 1.0])).is_ok());
    assert!(fit_by("gaussian_mixture(3)", &twins, Some(&[1.0, 0.0, 0.5])).is_err());
    assert!(fit_by("gaussian_mixture(prior=0.5)", &twins, None).unwrap_err().to_string().contains("1 or above"));
    assert!(fit("gaussian_mixture(2, iterations=1)", &clouds()).notices()[0].to_string().contains("not converged after 1 iterations"));
}

#[test]
fn fisher_vectors_of_sets_are_means_over_their_vectors() {
    let place = |k: usize| vec![(k as f64 * 0.7).sin() + if k.is_multiple_of(3) { 4.0 } else { 0.0 }, (k as f64 * 1.3).cos()];
    let rows: Vec<Vec<Vec<f64>>> = (0..12).map(|i| (0..3 + i % 4).map(|t| place(5 * i + t)).collect()).collect();
    let sets = Dataset::new(vec![Column { name: "s".into(), values: Values::Sets(Sets::of_rows(&rows).unwrap()) }]).unwrap();
    let all = Dataset::from_points(Sets::of_rows(&rows).unwrap().vectors().clone());
    let text = "fisher(gaussian_mixture(components=2))";
    assert_eq!(KernelExpr::parse(text).unwrap().mercer(), Mercer::Always);
    let (k, each) = (matrix(&format!("on(s, set_mean({text}))"), &sets), matrix(text, &all));
    let start = |i: usize| rows[..i].iter().map(Vec::len).sum::<usize>();
    for i in 0..12 {
        for j in 0..12 {
            let pairs = (0..rows[i].len()).flat_map(|a| (0..rows[j].len()).map(move |b| (a, b)));
            let sum: f64 = pairs.map(|(a, b)| each[(start(i) + a, start(j) + b)]).sum();
            let mean = sum / (rows[i].len() * rows[j].len()) as f64;
            near(k[(i, j)], mean, 1e-10 * (1.0 + mean.abs()));
        }
    }
    assert!(gram::psd_check(&k, &Control::default()).unwrap().witness.is_none());
}

#[test]
fn fisher_kernels_of_latent_models_pass_the_conformance_kit_of_kernels() {
    for text in [
        "on([a, b], fisher(gaussian_mixture))",
        "on([a, b], fisher(gaussian_mixture(2, full), information=empirical))",
        "on(seq, fisher(hmm(starts=1), information=identity))",
        "on(series, fisher(gaussian_hmm(starts=1), information=identity))",
        "on(series, fisher(autoregressive, information=identity))",
    ] {
        let expr = KernelExpr::parse(text).unwrap();
        testkit::check_kernel_expr(&expr, &testkit::table(40, 3)).unwrap_or_else(|why| panic!("{text}: {why}"));
    }
    for text in ["on(seq, fisher(hmm(starts=1), empirical))", "on(series, fisher(autoregressive, empirical))"] {
        let check = gram::psd_check(&matrix(text, &testkit::table(30, 2)), &Control::default()).unwrap();
        assert!(check.witness.is_none(), "{text}: {}", check.smallest);
    }
    // What there is a formula of is taken from it, else from the rows.
    let same = |a: &str, b: &str| assert_eq!(matrix(a, &testkit::table(30, 2)), matrix(b, &testkit::table(30, 2)));
    same("on(seq, fisher(hmm(starts=1)))", "on(seq, fisher(hmm(starts=1), information=empirical))");
    same("on([a, b], fisher(gaussian))", "on([a, b], fisher(gaussian, information=analytic))");
    let refused = KernelExpr::parse("on(seq, fisher(hmm, information=analytic))").unwrap().settle(&testkit::table(20, 3));
    let refused = refused.and_then(|k| k.learn(&testkit::table(20, 3), None, &Control::default())).unwrap_err().to_string();
    assert!(refused.contains("information=empirical"), "{refused}");
}

fn wave(times: u32, a: f64) -> Vec<Vec<f64>> {
    (0..times).map(f64::from).map(|t| vec![(a * t * t).sin() + 0.3 * t, (0.7 * a * t).cos() - 0.1 * t * t]).collect()
}

/// numpy 2.4, `numpy.linalg.lstsq` on two series, the second of which has weight 2.
#[test]
fn an_autoregression_is_the_weighted_least_squares_fit() {
    let data = series(&[wave(9, 0.37), wave(12, 1.1)]);
    let fitted = fit_by("autoregressive(order=2, prior=1)", &data, Some(&[1.0, 2.0])).unwrap();
    let expected = [
        1.5212825595086485,
        -0.17151174607864467,
        0.5313187883425993,
        -0.17816365743982984,
        -1.225075514577086,
        0.16172362526352474,
        -0.2285216211408816,
        2.0173320276412436,
        -0.23618923409000342,
        -1.1713237770007614,
        0.398861974603146,
        0.04764730890206926,
    ];
    let names: Vec<String> = fitted.parameters().into_iter().map(|p| p.name).collect();
    assert_eq!(names[..3], ["constant[1]", "coefficient[1,1] of lag 1", "coefficient[1,2] of lag 1"]);
    for (found, value) in fitted.parameters().iter().zip(expected) {
        near(found.value, value, 1e-11 * (1.0 + value.abs()));
    }
    for (found, value) in fitted.log_densities(&data).unwrap().iter().zip([-6.895542330143293, -8.112853636192282]) {
        near(*found, value, 1e-10 * value.abs());
    }
    assert!(fitted.is_maximum_likelihood());
    let scores = fitted.scores(&data).unwrap();
    (0..scores.cols()).for_each(|k| near(scores[(0, k)] + 2.0 * scores[(1, k)], 0.0, 1e-8));
    let short = series(&[wave(9, 0.37), wave(2, 1.1)]);
    for refused in [fit_by("autoregressive(order=2)", &short, None).map(|_| ()), fitted.log_densities(&short).map(|_| ())] {
        let refused = refused.unwrap_err().to_string();
        assert!(refused.contains("row 2") && refused.contains("3 times or more, found 2"), "{refused}");
    }
}

#[test]
fn damaged_fits_are_not_read() {
    let table = testkit::table(40, 11);
    let column = |names: &[&str]| Dataset::new(names.iter().map(|n| table.column(n).unwrap().clone()).collect()).unwrap();
    let probabilities = json!({"inline": [0.5, 0.6]});
    for (model, columns, damages) in [
        (
            "hmm",
            vec!["seq"],
            vec![("/chain/start", probabilities.clone()), ("/letters", json!("AAGT")), ("/emission", probabilities.clone())],
        ),
        ("gaussian_hmm", vec!["series"], vec![("/chain/next", probabilities.clone()), ("/emission/variances", json!({"inline": [-1.0]}))]),
        ("gaussian_mixture", vec!["a", "b"], vec![("/weights", probabilities), ("/components", json!([]))]),
        (
            "autoregressive",
            vec!["series"],
            vec![("/order", json!(2)), ("/innovations", json!({"inline": [1.0, 0.0]})), ("/length", json!(0))],
        ),
    ] {
        let fitted = fit(model, &column(&columns));
        let sound = serde_json::to_value(&fitted).unwrap();
        assert_eq!(serde_json::from_value::<FittedGenerative>(sound.clone()).unwrap(), fitted);
        for (place, damage) in damages {
            let mut json = sound.clone();
            *json.pointer_mut(&format!("/{model}{place}")).unwrap() = damage;
            assert!(serde_json::from_value::<FittedGenerative>(json).is_err(), "{model}{place}");
        }
    }
}
