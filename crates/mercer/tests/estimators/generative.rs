//! Generative models as densities and as classifiers by Bayes' rule, against scikit-learn 1.9, SciPy and probabilities worked by hand.

use mercer::control::Control;
use mercer::data::{Categories, Column, Dataset, Series, Strings, Target, Values};
use mercer::error::Error;
use mercer::estimators::{EstimatorExpr, Fitted, Predicted, Predictions, Want};
use mercer::kernels::KernelExpr;
use mercer::learner::{Learner, Model};
use mercer::read::TargetInfo;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

const X: [[f64; 2]; 9] = [[0.0, 1.0], [1.0, 0.5], [0.5, 2.0], [2.0, 1.5], [3.0, 4.0], [4.0, 3.0], [3.5, 5.0], [5.0, 4.5], [2.5, 3.5]];
const CODES: [usize; 9] = [0, 0, 0, 0, 1, 1, 1, 1, 1];
const NEW: [[f64; 2]; 3] = [[1.5, 2.0], [3.0, 3.0], [2.2, 2.6]];

fn numbers(rows: &[[f64; 2]]) -> Dataset {
    let column = |j: usize, name: &str| Column { name: name.into(), values: Values::Numbers(rows.iter().map(|r| r[j]).collect()) };
    Dataset::new(vec![column(0, "a"), column(1, "b")]).unwrap()
}

fn strings(rows: &[&str]) -> Dataset {
    Dataset::new(vec![Column { name: "s".into(), values: Values::Sequences(Strings::new(rows.iter().copied())) }]).unwrap()
}

fn classes(codes: &[usize]) -> Target {
    let names = (0..=codes.iter().copied().max().unwrap_or(0)).map(|c| format!("c{c}")).collect();
    Target::Classes { codes: codes.to_vec(), names }
}

fn fit(estimator: &str, data: &Dataset, target: &Target, weights: Option<&[f64]>) -> Result<Model, Error> {
    let learner = Learner::new(EstimatorExpr::parse(estimator).unwrap());
    learner.fit(data, target, &TargetInfo::of(target), weights, &Control::default())
}

fn predict(model: &Model, data: &Dataset) -> Predictions {
    let want = Want { probabilities: true, scores: true, ..Want::default() };
    model.predict(data, want, &Control::default()).unwrap()
}

/// Probabilities of the second class.
fn second(model: &Model, data: &Dataset) -> Vec<f64> {
    predict(model, data).probabilities.unwrap().col(1)
}

fn close(found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len());
    assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() <= tolerance), "{found:?} {expected:?}");
}

#[test]
fn gaussian_classes_with_a_variance_per_column_are_naive_bayes_of_scikit_learn() {
    let target = classes(&CODES);
    let model = fit("bayes", &numbers(&X), &target, None).unwrap();
    // GaussianNB(var_smoothing=0).predict_proba
    close(&second(&model, &numbers(&NEW)), &[0.0027713096925761167, 0.9995108025049503, 0.7453085165476913], 1e-12);
    let weights = [1.0, 2.0, 1.0, 3.0, 1.0, 1.0, 2.0, 1.0, 1.0];
    let model = fit("bayes", &numbers(&X), &target, Some(&weights)).unwrap();
    close(&second(&model, &numbers(&NEW)), &[0.0008275694228804234, 0.9986065997076261, 0.5100761244780988], 1e-12);
}

#[test]
fn gaussian_classes_with_full_covariances_are_quadratic_discriminants() {
    let model = fit("bayes(gaussian(covariance=full))", &numbers(&X), &classes(&CODES), None).unwrap();
    // scipy.stats.multivariate_normal with numpy.cov(bias=True) of each class
    close(&second(&model, &numbers(&NEW)), &[0.010200016869423616, 0.9992519064353153, 0.8073148564759193], 1e-10);
    let equal = fit("bayes(gaussian(covariance=full), priors=equal)", &numbers(&X), &classes(&CODES), None).unwrap();
    // Odds are those without the priors 4/9 and 5/9.
    for (with, without) in second(&model, &numbers(&NEW)).iter().zip(second(&equal, &numbers(&NEW))) {
        let odds = with / (1.0 - with) * (4.0 / 5.0);
        assert!((odds / (1.0 + odds) - without).abs() <= 1e-12);
    }
}

#[test]
fn a_density_is_the_logarithm_of_that_of_the_fit_and_its_information_criteria_follow() {
    let target = Target::Absent { rows: X.len() };
    let model = fit("density(gaussian(covariance=full))", &numbers(&X), &target, None).unwrap();
    let Predicted::Numbers(logs) = predict(&model, &numbers(&NEW)).values else { panic!("a density is a number") };
    close(&logs.col(0), &[-2.319073302220313, -2.2741366220877723, -2.16360872957268], 1e-10);
    let likelihood: f64 = -28.402638794922673;
    let summary = model.fitted.summary();
    assert!((summary.objective.unwrap() + likelihood).abs() <= 1e-9);
    let (aic, bic) = (2.0 * 5.0 - 2.0 * likelihood, 5.0 * 9f64.ln() - 2.0 * likelihood);
    let note = summary.notes.iter().find(|n| n.contains("BIC")).unwrap();
    assert!(note.contains(&format!("{aic:.4}")) && note.contains(&format!("{bic:.4}")), "{note} {aic} {bic}");
}

#[test]
fn chains_of_each_class_share_their_letters_and_give_the_odds_of_counts() {
    // Letters of order 0 with half a count each: class 0 has a 5, b 1; class 1 has b 2, c 3.
    let data = strings(&["aab", "aaa", "bcc", "cb"]);
    let model = fit("bayes(markov(order=0))", &data, &classes(&[0, 0, 1, 1]), None).unwrap();
    let p = |counts: [f64; 3]| counts.map(|c| (c + 0.5) / (counts.iter().sum::<f64>() + 1.5));
    let (zero, one) = (p([5.0, 1.0, 0.0]), p([0.0, 2.0, 3.0]));
    let odds = |letters: &[usize]| letters.iter().map(|&l| one[l] / zero[l]).product::<f64>();
    let expected: Vec<f64> = [odds(&[0, 2]), odds(&[1]), odds(&[1, 1, 2])].iter().map(|o| o / (1.0 + o)).collect();
    close(&second(&model, &strings(&["ac", "b", "bbc"])), &expected, 1e-12);
}

#[test]
fn strings_that_repeat_are_strings_and_not_labels() {
    let texts = ["ACGT", "AAAC", "GGTT", "GTGT"];
    let labels: Vec<&str> = (0..12).map(|i| texts[i % 4]).collect();
    let column = Column { name: "s".into(), values: Values::Categories(Categories::from_labels(&labels)) };
    let target = classes(&(0..12).map(|i| usize::from(i % 4 > 1)).collect::<Vec<_>>());
    let model = fit("bayes(markov)", &Dataset::new(vec![column]).unwrap(), &target, None).unwrap();
    let same = fit("bayes(markov)", &strings(&labels), &target, None).unwrap();
    let new = strings(&["AACC", "GGGT"]);
    assert_eq!(second(&model, &new), second(&same, &new));
}

#[test]
fn columns_that_the_model_does_not_take_are_named() {
    let mut columns = numbers(&X).into_columns();
    columns.extend(strings(&["ab", "ba", "aa", "bb", "ab", "cb", "cc", "bc", "cc"]).into_columns());
    let mixed = Dataset::new(columns.clone()).unwrap();
    let target = classes(&CODES);
    let model = fit("bayes", &mixed, &target, None).unwrap();
    assert!(model.fitted.summary().notes.iter().any(|n| n.contains("'s' is not used")));
    assert_eq!(second(&model, &mixed), second(&fit("bayes", &numbers(&X), &target, None).unwrap(), &numbers(&X)));
    let why = fit("bayes(autoregressive)", &mixed, &target, None).unwrap_err().to_string();
    assert!(why.contains("series") && why.contains("a (number)") && why.contains("markov"), "{why}");
    columns.push(Column { name: "t".into(), ..columns[2].clone() });
    let two = Dataset::new(columns).unwrap();
    let why = fit("bayes(markov)", &two, &target, None).unwrap_err().to_string();
    assert!(why.contains("on(s, identical)"), "{why}");
    let on = Learner {
        kernel: Some(KernelExpr::parse("on(t, identical)").unwrap()),
        ..Learner::new(EstimatorExpr::parse("bayes(markov)").unwrap())
    };
    on.fit(&two, &target, &TargetInfo::of(&target), None, &Control::default()).unwrap();
    let rbf = Learner { kernel: Some(KernelExpr::parse("rbf").unwrap()), ..on };
    let why = rbf.fit(&two, &target, &TargetInfo::of(&target), None, &Control::default()).unwrap_err().to_string();
    assert!(why.contains("no kernel"), "{why}");
}

#[test]
fn open_numbers_of_the_model_are_searched_by_held_out_rows() {
    // Two clouds for each class, which interleave: one Gaussian each tells nothing.
    let n = 80;
    let rows: Vec<[f64; 2]> = (0..n)
        .map(|i| {
            let (class, side) = (i % 2, (i / 2) % 2);
            let wave = |k: f64| 0.3 * (k * (i as f64 + 1.0)).sin();
            [4.0 * (2 * side + class) as f64 + wave(1.7), wave(2.3)]
        })
        .collect();
    let target = classes(&(0..n).map(|i| i % 2).collect::<Vec<_>>());
    let model = fit("bayes(gaussian_mixture(components=1..3))", &numbers(&rows), &target, None).unwrap();
    let said = model.estimator.to_string();
    assert!(!said.contains("components=1"), "{said}");
    let tuned = model.about.tuning.as_ref().unwrap();
    assert_eq!(tuned.parameters[0].path, "model.gaussian_mixture.components");
    let Predicted::Classes(codes) = predict(&model, &numbers(&rows)).values else { panic!("classes") };
    assert!(codes.iter().enumerate().all(|(i, c)| *c == i % 2));
}

#[test]
fn the_number_of_components_of_a_density_is_the_one_of_least_bic() {
    // Three normal clouds far apart.
    let mut random = Xoshiro256PlusPlus::seed_from_u64(3);
    let mut normal = || (0..12).map(|_| random.random::<f64>()).sum::<f64>() - 6.0;
    let rows: Vec<[f64; 2]> = (0..60).map(|i| [20.0 * (i % 3) as f64 + normal(), normal()]).collect();
    let (data, target) = (numbers(&rows), Target::Absent { rows: rows.len() });
    let bic = |components: usize| {
        let model = fit(&format!("density(gaussian_mixture(components={components}))"), &data, &target, None).unwrap();
        let free = (components * 5 - 1) as f64;
        free * 60f64.ln() + 2.0 * model.fitted.summary().objective.unwrap()
    };
    let expected: Vec<f64> = (1..=5).map(bic).collect();
    let least = expected.iter().copied().fold(f64::INFINITY, f64::min);
    assert_eq!(expected[2], least, "{expected:?}");
    let model = fit("density(gaussian_mixture(components=1..5))", &data, &target, None).unwrap();
    assert!(model.estimator.to_string().contains("components=3"), "{}", model.estimator);
    let tuning = model.about.tuning.as_ref().unwrap();
    assert_eq!((tuning.criterion.to_string().as_str(), tuning.evaluations, tuning.complete, tuning.rises), ("BIC", 5, true, false));
    let curve: Vec<f64> = tuning.parameters[0].tried.iter().map(|(_, value)| *value).collect();
    close(&curve, &expected, 1e-6);
    // What cannot be fitted is passed over: five rows have no six components.
    let few = fit("density(gaussian_mixture(components=4..9))", &numbers(&X), &Target::Absent { rows: X.len() }, None).unwrap();
    assert!(few.about.tuning.unwrap().evaluations == 6);
    let few = numbers(&X[..5]);
    let model = fit("density(gaussian_mixture(components=4..9))", &few, &Target::Absent { rows: 5 }, None).unwrap();
    let tuning = model.about.tuning.unwrap();
    assert_eq!((tuning.evaluations, tuning.complete), (2, true));
    let why = fit("density(gaussian_mixture(prior=1..3))", &data, &target, None).unwrap_err().to_string();
    assert!(why.contains("prior") && why.contains("BIC chooses among whole numbers"), "{why}");
    let series = Dataset::new(vec![mercer::testkit::table(20, 3).column("series").unwrap().clone()]).unwrap();
    let why = fit("density(autoregressive(order=1..3))", &series, &Target::Absent { rows: 20 }, None).unwrap_err().to_string();
    assert!(why.contains("other times"), "{why}");
    let why = fit("density(gaussian_mixture(components=1..30, starts=1..30))", &data, &target, None).unwrap_err().to_string();
    assert!(why.contains("narrow"), "{why}");
}

fn series(rows: &[Vec<f64>]) -> Dataset {
    let rows: Vec<Vec<Vec<f64>>> = rows.iter().map(|row| row.iter().map(|x| vec![*x]).collect()).collect();
    Dataset::new(vec![Column { name: "s".into(), values: Values::Series(Series::of_rows(&rows).unwrap()) }]).unwrap()
}

/// BIC -2 ln L + p ln N, as `GaussianHMM.bic` of hmmlearn has it: N counts the times of all series, and the letters of all strings.
#[test]
fn bic_counts_times_and_letters_where_the_likelihood_is_a_product_over_them() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut normal = || (0..12).map(|_| random.random::<f64>()).sum::<f64>() - 6.0;
    let rows: Vec<Vec<f64>> = (0..2).map(|_| (0..200).map(|t| 6.0 * f64::from(u8::from(t / 25 % 2 == 1)) + normal()).collect()).collect();
    let words: String = (0..600)
        .map(|t| {
            if t % 3 == 0 {
                'a'
            } else if (t * t + t / 7) % 5 < 2 {
                'b'
            } else {
                'c'
            }
        })
        .collect();
    let says = |model: &Model, free: f64, count: f64| {
        let summary = model.fitted.summary();
        let bic = free * count.ln() + 2.0 * summary.objective.unwrap();
        let note = summary.notes.iter().find(|note| note.contains("BIC")).unwrap();
        assert!(note.contains(&format!("{bic:.2}")), "{bic}: {note}");
    };
    // The choice among numbers of states has the same count: two levels, which four states describe no better than two.
    let (data, target) = (series(&rows), Target::Absent { rows: 2 });
    let model = fit("density(gaussian_hmm(states=1..4))", &data, &target, None).unwrap();
    says(&model, 1.0 + 2.0 + 4.0, 400.0);
    assert_eq!(model.fitted.distributions()[0].fitted.parameters().len(), 7, "{}", model.estimator);
    // Weights of any unit.
    says(&fit("density(gaussian_hmm(states=2))", &data, &target, Some(&[1.0, 1.0])).unwrap(), 7.0, 400.0);
    let model = fit("density(markov(order=1))", &strings(&[&words]), &Target::Absent { rows: 1 }, None).unwrap();
    says(&model, 6.0, 600.0);
    // The first times are given.
    says(&fit("density(autoregressive(order=2))", &data, &target, None).unwrap(), 4.0, 396.0);
}

/// A chain of order 1 that each letter follows from, by its transitions alone.
#[test]
fn the_order_of_one_long_string_is_found() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(2);
    let mut letter = 0;
    let text: String = (0..2000)
        .map(|_| {
            letter = if random.random::<f64>() < 0.6 { (letter + 1) % 4 } else { (random.random::<f64>() * 4.0) as usize % 4 };
            ['w', 'x', 'y', 'z'][letter]
        })
        .collect();
    let model = fit("density(markov(order=0..4))", &strings(&[&text]), &Target::Absent { rows: 1 }, None).unwrap();
    assert_eq!(model.fitted.distributions()[0].fitted.parameters().len(), 12, "{}", model.estimator);
}

/// Means and variances of the rows of each class as they stand in the table, whose columns are standardised for the fit.
#[test]
fn parameters_and_draws_are_in_the_units_of_the_table() {
    let rows: Vec<[f64; 2]> = X.iter().map(|x| [1000.0 + 20.0 * x[0], 0.01 * x[1]]).collect();
    for (model, is_full) in [("gaussian", false), ("gaussian(covariance=full)", true)] {
        let model = fit(&format!("bayes({model})"), &numbers(&rows), &classes(&CODES), None).unwrap();
        for (class, of) in model.distributions().unwrap().iter().enumerate() {
            let own: Vec<&[f64; 2]> = rows.iter().zip(CODES).filter(|(_, code)| *code == class).map(|(row, _)| row).collect();
            let mean = |of: &dyn Fn(&[f64; 2]) -> f64| own.iter().map(|row| of(row)).sum::<f64>() / own.len() as f64;
            let centre = [mean(&|row| row[0]), mean(&|row| row[1])];
            let moment = |i: usize, j: usize| mean(&|row| (row[i] - centre[i]) * (row[j] - centre[j]));
            let arrays = model.parameter_arrays(of).unwrap();
            close(&arrays[0].values, &centre, 1e-9);
            let all = if is_full { vec![moment(0, 0), moment(0, 1), moment(1, 0), moment(1, 1)] } else { vec![moment(0, 0), moment(1, 1)] };
            arrays[1]
                .values
                .iter()
                .zip(&all)
                .for_each(|(found, expected)| assert!((found - expected).abs() <= 1e-9 * moment(0, 0), "{found} {expected}"));
            assert_eq!(arrays[0].axes[0].labels, ["a", "b"]);
            let drawn = model.draw_rows_of(of, 4000, 1).unwrap();
            for (j, column) in drawn.rows.columns().iter().enumerate() {
                let Values::Numbers(found) = &column.values else { panic!("numbers") };
                let found = found.iter().sum::<f64>() / 4000.0;
                assert!((found - centre[j]).abs() <= 5.0 * (moment(j, j) / 4000.0).sqrt(), "{found} for {}", centre[j]);
            }
        }
        // Classes are drawn by their priors, 4/9 and 5/9.
        let drawn = model.draw_rows(9000, 3).unwrap();
        assert_eq!(drawn, model.draw_rows(9000, 3).unwrap());
        assert!((drawn[0].rows.rows() as f64 - 4000.0).abs() < 5.0 * (9000.0 * 20.0 / 81.0f64).sqrt());
    }
    // The same series in two units have the same parameters, but for these units.
    let rows: Vec<Vec<f64>> = (0..8).map(|i| (0..12).map(|t| (i as f64 + 1.3 * t as f64).sin() + 0.2 * i as f64).collect()).collect();
    let scaled: Vec<Vec<f64>> = rows.iter().map(|row| row.iter().map(|x| 50.0 * x - 7.0).collect()).collect();
    let target = classes(&[0, 1, 0, 1, 0, 1, 0, 1]);
    for (model, means, variances) in
        [("autoregressive(order=2, prior=1)", "intercept", "variances"), ("gaussian_hmm(states=2)", "means", "covars")]
    {
        let [one, other] = [&rows, &scaled].map(|rows| fit(&format!("bayes({model})"), &series(rows), &target, None).unwrap());
        for (a, b) in one.distributions().unwrap().iter().zip(other.distributions().unwrap()) {
            let (a, b) = (one.parameter_arrays(a).unwrap(), other.parameter_arrays(&b).unwrap());
            let slopes: f64 = a.iter().filter(|array| array.name == "coefs").flat_map(|array| &array.values).sum();
            for (a, b) in a.iter().zip(&b) {
                let moved = |x: f64| match a.name {
                    name if name == means => 50.0 * x - 7.0 * (1.0 - slopes),
                    name if name == variances => 2500.0 * x,
                    _ => x,
                };
                close(&b.values, &a.values.iter().map(|x| moved(*x)).collect::<Vec<_>>(), 1e-6 * (1.0 + moved(1.0).abs()));
            }
        }
    }
}

#[test]
fn states_of_classes_are_those_of_the_model_of_the_class_that_is_predicted() {
    let data = strings(&["aabb", "abab", "bbbb", "ccdd", "cdcd", "dddd"]);
    let model = fit("bayes(hmm(states=2))", &data, &classes(&[0, 0, 0, 1, 1, 1]), None).unwrap();
    let new = strings(&["aab", "ddc", "ba"]);
    let found = model.hidden_states(&new, &Control::default()).unwrap();
    let all = model.distributions().unwrap();
    for (row, class) in [0, 1, 0].into_iter().enumerate() {
        let own = model.hidden_states_of(&all[class], &new.select(&[row]), &Control::default()).unwrap();
        assert_eq!((found[row].posteriors.rows(), &found[row].path), (["aab", "ddc", "ba"][row].len(), &own[0].path));
    }
    let mixture = fit("density(gaussian_mixture(components=2))", &numbers(&X), &Target::Absent { rows: X.len() }, None).unwrap();
    let found = mixture.hidden_states(&numbers(&X), &Control::default()).unwrap();
    assert!((0..9).all(|i| found[i].path.len() == 1 && (found[i].path == found[0].path) == (CODES[i] == 0)), "{found:?}");
    for (estimator, said) in [("density(gaussian)", "has no hidden states"), ("kde", "fits no generative model")] {
        let model = fit(estimator, &numbers(&X), &Target::Absent { rows: X.len() }, None).unwrap();
        let why = model.hidden_states(&numbers(&X), &Control::default()).unwrap_err().to_string();
        assert!(why.contains(said), "{why}");
    }
}

#[test]
fn a_row_that_the_model_of_a_class_cannot_hold_is_named_by_its_place_in_the_table() {
    let counts = [[3.0, 1.0], [0.0, 2.0], [4.0, 1.0], [1.0, 5.0], [2.0, 0.0], [1.0, -3.0], [2.0, 2.0]];
    let why = fit("bayes(multinomial)", &numbers(&counts), &classes(&[0, 1, 0, 1, 0, 1, 0]), None).unwrap_err().to_string();
    assert!(why.contains("row 6, column 2: found -3"), "{why}");
}

// The unit of weights, which may sum to 1, is no number of rows.
#[test]
fn the_number_of_components_does_not_depend_on_the_unit_of_the_weights() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(5);
    let mut normal = || (0..12).map(|_| random.random::<f64>()).sum::<f64>() - 6.0;
    let rows: Vec<[f64; 2]> = (0..90).map(|i| [8.0 * (i % 3) as f64 + normal(), normal()]).collect();
    let (data, target) = (numbers(&rows), Target::Absent { rows: rows.len() });
    let chosen = |weights: Option<&[f64]>| {
        let model = fit("density(gaussian_mixture(components=1..5))", &data, &target, weights).unwrap();
        model.estimator.to_string()
    };
    let plain = chosen(None);
    assert!(plain.contains("components=3"), "{plain}");
    for weight in [1.0 / 90.0, 0.002, 0.01, 1.0, 10.0] {
        assert_eq!(chosen(Some(&vec![weight; 90])), plain, "weights of {weight}");
    }
    // Unequal weights count as (sum w)^2 / sum w^2 rows, 90 * 2.5^2 / 7.5 = 75 of the weights 1, 2, 3 and 4 in turn but for the last two.
    let weights: Vec<f64> = (0..90).map(|i| 0.01 * (1 + i % 4) as f64).collect();
    let (sum, square) = (weights.iter().sum::<f64>(), weights.iter().map(|w| w * w).sum::<f64>());
    let model = fit("density(gaussian)", &data, &target, Some(&weights)).unwrap();
    let summary = model.fitted.summary();
    let (n, log) = (sum * sum / square, -summary.objective.unwrap());
    let bic = 4.0 * n.ln() - 2.0 * log;
    assert!(summary.notes.iter().any(|note| note.contains(&format!("{bic:.3}"))), "{bic}: {:?}", summary.notes);
}

// scikit-learn 1.9, GaussianNB with var_smoothing=1e-9, is right in every row: the second column alone tells the class.
#[test]
fn a_column_that_is_constant_in_one_class_tells_it_from_others() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(7);
    let mut normal = || (0..12).map(|_| random.random::<f64>()).sum::<f64>() - 6.0;
    let codes: Vec<usize> = (0..80).map(|i| i % 2).collect();
    for unit in [1.0, 1e-6, 1e6] {
        let mut made = || -> Vec<[f64; 2]> { codes.iter().map(|&k| [normal(), if k == 0 { 0.0 } else { unit * normal() }]).collect() };
        let (rows, new) = (numbers(&made()), numbers(&made()));
        for (model, least) in [
            ("gaussian", 80),
            ("gaussian(covariance=full)", 80),
            ("gaussian_mixture(components=2)", 74),
            ("gaussian_mixture(components=1, covariance=full)", 74),
        ] {
            let fitted = fit(&format!("bayes({model})"), &rows, &classes(&codes), None).unwrap();
            let Predicted::Classes(found) = predict(&fitted, &new).values else { panic!("classes") };
            let right = found.iter().zip(&codes).filter(|(a, b)| a == b).count();
            assert!(right >= least, "{model}, unit {unit}: {right} of 80");
            let told =
                fitted.about.notices.iter().any(|n| n.to_string().starts_with("class 'c0'") && n.to_string().contains("is constant"));
            assert_eq!(told, model.starts_with("gaussian(") || model == "gaussian", "{model}: {:?}", fitted.about.notices);
        }
    }
    // One row says nothing of variances, which are those of all rows: the nearer mean decides, and both classes are told.
    let one = numbers(&[[0.0, 0.0], [10.0, 0.0], [11.0, 1.0], [9.0, -1.0], [10.5, 0.5]]);
    let fitted = fit("bayes(gaussian, priors=equal)", &one, &classes(&[0, 1, 1, 1, 1]), None).unwrap();
    let Predicted::Classes(found) = predict(&fitted, &numbers(&[[-1.0, 0.0], [1.0, 0.1], [10.0, 0.2]])).values else { panic!("classes") };
    assert_eq!(found, [0, 0, 1]);
}

// A start that ends by its number of iterations is judged by where it ended: with one iteration more the likelihood is no less.
#[test]
fn the_best_start_of_few_iterations_is_the_one_of_the_greatest_likelihood_at_its_end() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(11);
    let mut normal = || (0..12).map(|_| random.random::<f64>()).sum::<f64>() - 6.0;
    let rows: Vec<[f64; 2]> = (0..60).map(|i| [3.0 * (i % 4) as f64 + normal(), normal()]).collect();
    let (data, target) = (numbers(&rows), Target::Absent { rows: rows.len() });
    let log = |starts: usize, iterations: usize| {
        let text = format!("density(gaussian_mixture(components=4, starts={starts}, iterations={iterations}, prior=1, tolerance=0))");
        -fit(&text, &data, &target, None).unwrap().fitted.summary().objective.unwrap()
    };
    for iterations in 1..6 {
        // The starts are the same ones: of more of them the best is no worse.
        let of: Vec<f64> = (1..=6).map(|starts| log(starts, iterations)).collect();
        assert!(of.is_sorted_by(|a, b| b - a >= -1e-9), "{iterations} iterations: {of:?}");
    }
}

#[test]
fn densities_of_rows_that_no_number_is_far_enough_for_are_minus_infinity() {
    let (data, target) = (numbers(&X), Target::Absent { rows: X.len() });
    for model in [
        "gaussian",
        "gaussian(covariance=full)",
        "gaussian(covariance=spherical)",
        "gaussian_mixture(components=2)",
        "gaussian_mixture(components=2, covariance=full)",
    ] {
        let fitted = fit(&format!("density({model})"), &data, &target, None).unwrap();
        let far = numbers(&[[1e100, 0.0], [1e154, 0.0], [1e200, -1e200], [1e308, 1e308]]);
        let Predicted::Numbers(logs) = predict(&fitted, &far).values else { panic!("numbers") };
        assert!(logs.data().iter().all(|log| *log < -1e90), "{model}: {logs:?}");
    }
}
