//! What a search leaves behind: the values tried, the range that scores the same, parameters at a bound.

use mercer::control::Control;
use mercer::data::Examples;
use mercer::data::{Dataset, Points, Target};
use mercer::estimators::{EstimatorExpr, Gp, Task, View};
use mercer::kernels::KernelExpr;
use mercer::learner::Learner;
use mercer::metrics::Scoring;
use mercer::param::Value;
use mercer::read::{Labels, TargetInfo};
use mercer::report;
use mercer::select::{self, Aim, BoundStatus, End, Search, Tuned, TunedParameter, Tuning};
use mercer::store;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

fn points(rows: usize, dim: usize, seed: u64) -> Dataset {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let values = (0..rows * dim).map(|_| 4.0 * random.random::<f64>() - 2.0).collect();
    Dataset::from_points(Points::dense(rows, dim, values).unwrap())
}

/// Only the first column matters: y = sin(2 x_1) + noise.
fn wave(data: &Dataset, noise: f64) -> Target {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(9);
    let mercer::data::Values::Points(p) = &data.columns()[0].values else { panic!("points") };
    let y: Vec<f64> = p.to_dense().chunks(p.dim()).map(|x| (2.0 * x[0]).sin() + noise * (random.random::<f64>() - 0.5)).collect();
    Target::numbers(&y)
}

fn tuned(kernel: &str, estimator: &str, data: &Dataset, target: &Target, curves: bool) -> Tuned {
    let examples = Examples { data, target, weights: None, split: &mercer::data::Split::Rows };
    let (kernel, estimator) = (KernelExpr::parse(kernel).unwrap(), EstimatorExpr::parse(estimator).unwrap());
    select::tune(&kernel, &estimator, &examples, &Control::default(), 3, curves).unwrap()
}

fn parameter<'a>(t: &'a Tuning, name: &str) -> &'a TunedParameter {
    t.parameters.iter().find(|p| p.name == name).unwrap_or_else(|| panic!("{name} in {:?}", t.parameters))
}

/// The negative log evidence of a settled process.
fn evidence(kernel: &KernelExpr, estimator: &EstimatorExpr, data: &Dataset, target: &Target) -> f64 {
    let gram = kernel.bind(None, data).unwrap();
    let control = Control::default();
    estimator.criterion(&Task { view: View::Values(gram.as_ref()), target, weights: None, control: &control, seed: 0 }).unwrap().value
}

#[test]
fn the_range_that_scores_the_same_ends_where_the_evidence_has_fallen_by_one_unit() {
    let data = points(80, 1, 1);
    let target = wave(&data, 0.5);
    let Tuned { kernel, estimator, tuning, .. } = tuned("rbf", "gp", &data, &target, true);
    let t = tuning.unwrap();
    let best = evidence(&kernel, &estimator, &data, &target);
    assert!((t.value.unwrap() - best).abs() <= 1e-9 * best.abs() && (t.same.unwrap() - best - 1.0).abs() <= 1e-9 * best.abs());
    for name in ["noise", "variance"] {
        let p = parameter(&t, name);
        assert_eq!(p.edges, [BoundStatus::Worse; 2], "{p:?}");
        assert!(p.tried.len() >= 5 && p.tried.len() <= 7 && p.tried.windows(2).all(|w| w[0].0 < w[1].0), "{p:?}");
        for end in p.same {
            let mut there = estimator.clone();
            there.set(name, &Value::Number(end)).unwrap();
            let fall = evidence(&kernel, &there, &data, &target) - best;
            // Met by interpolation between values tried on both sides: to a fifth of a unit.
            assert!((fall - 1.0).abs() <= 0.2, "{name} = {end}: {fall}");
        }
    }
    let p = parameter(&t, "length_scale of rbf");
    for end in p.same {
        let mut there = kernel.clone();
        there.set("rbf.length_scale", &Value::Number(end)).unwrap();
        let fall = evidence(&there, &estimator, &data, &target) - best;
        assert!((fall - 1.0).abs() <= 0.2, "length_scale = {end}: {fall}");
    }
}

#[test]
fn looking_along_the_parameters_changes_the_choice_for_a_better_one_alone() {
    let data = points(60, 2, 2);
    let target = wave(&data, 0.3);
    let classes = match &target {
        Target::Numbers(y) => Target::classes(&y.col(0).iter().map(|v| if *v > 0.0 { "up" } else { "down" }).collect::<Vec<_>>()),
        _ => panic!("numbers"),
    };
    for (estimator, target) in [("gp", &target), ("ridge", &target), ("svr", &target), ("svc", &classes), ("knn", &classes)] {
        let [with, without] = [true, false].map(|curves| tuned("rbf", estimator, &data, target, curves));
        let unchanged = (&with.kernel, &with.estimator) == (&without.kernel, &without.estimator);
        let (with, without) = (with.tuning.unwrap(), without.tuning.unwrap());
        if unchanged {
            assert_eq!((with.value, with.same), (without.value, without.same), "{estimator}");
            // The choice itself once more, and three values on each side of it.
            assert!(with.evaluations >= without.evaluations && with.evaluations <= without.evaluations + 1 + 6 * with.parameters.len());
        } else {
            assert!(if with.rises { with.value > without.value } else { with.value < without.value }, "{estimator}");
        }
        assert!(without.parameters.iter().all(|p| p.tried.is_empty() && p.edges == [BoundStatus::Unknown; 2]), "{estimator}");
        for p in &with.parameters {
            assert!(p.tried.iter().any(|(x, s)| *x == p.value && Some(*s) == with.value), "{estimator}: {p:?}");
            assert!(p.low <= p.same[0] && p.same[0] <= p.value && p.value <= p.same[1] && p.same[1] <= p.high, "{estimator}: {p:?}");
        }
    }
}

#[test]
fn the_leave_one_out_error_is_told_in_units_of_the_target() {
    let data = points(60, 1, 4);
    let target = wave(&data, 0.5);
    let t = tuned("rbf", "ridge", &data, &target, true);
    let gram = t.kernel.bind(None, &data).unwrap();
    let control = Control::default();
    let task = Task { view: View::Values(gram.as_ref()), target: &target, weights: None, control: &control, seed: 0 };
    let left_out = t.estimator.leave_one_out(&task).unwrap().unwrap();
    let (mercer::estimators::Predicted::Numbers(found), Target::Numbers(y)) = (&left_out.values, &target) else { panic!("numbers") };
    let squares: Vec<f64> = y.col(0).iter().zip(found.col(0)).map(|(y, f)| (y - f) * (y - f)).collect();
    let n = squares.len() as f64;
    let mean = squares.iter().sum::<f64>() / n;
    let error = (squares.iter().map(|s| (s - mean) * (s - mean)).sum::<f64>() / n / n).sqrt();
    let tuning = t.tuning.unwrap();
    assert!((tuning.value.unwrap() - mean.sqrt()).abs() <= 1e-9);
    assert!((tuning.same.unwrap() - (mean + error).sqrt()).abs() <= 1e-9, "one standard error of the mean square above it");
}

// spec: R02
#[test]
fn ranges_are_bounds_searched_by_factors_and_an_optimum_at_a_bound_is_told_with_its_curve() {
    let data = points(90, 2, 5);
    let Target::Numbers(y) = wave(&data, 0.1) else { panic!("numbers") };
    let target = Target::classes(&y.col(0).iter().map(|v| if *v > 0.3 { "up" } else { "down" }).collect::<Vec<_>>());
    // gamma 1e-4..1e1 and lambda 1e-5..1e2, as c = 1/lambda.
    let t = tuned("rbf(gamma=0.0001..10)", "svc(c=0.01..100000)", &data, &target, true).tuning.unwrap();
    assert!(t.criterion.to_string().contains("cross-validated"), "{}", t.criterion);
    let (c, l) = (parameter(&t, "c"), parameter(&t, "length_scale of rbf"));
    assert_eq!((c.low, c.high), (0.01, 1e5));
    // gamma = 1 / (2 length_scale^2)
    assert!((l.low - 0.05f64.sqrt()).abs() <= 1e-12 && (l.high - 5000f64.sqrt()).abs() <= 1e-9, "{l:?}");
    assert!(c.low <= c.value && c.value <= c.high && l.low <= l.value && l.value <= l.high);
    // Steps are factors: even steps, tenths of the range, would try one or two values in its first thirtieth.
    for p in [c, l] {
        let few = p.tried.iter().filter(|(v, _)| *v <= p.low + (p.high - p.low) / 30.0).count();
        assert!(few >= 5, "{}: {:?}", p.name, p.tried);
    }
    // Classes that a wide margin does not tell apart: whatever c may be at most is too small.
    let mut learner = Learner::new(EstimatorExpr::parse("svc(c=0.01..0.3)").unwrap());
    learner.kernel = Some(KernelExpr::parse("rbf(length_scale=0.7)").unwrap());
    let info = TargetInfo { names: vec!["y".into()], classes: Some(vec!["down".into(), "up".into()]), labels: Labels::Text };
    let model = learner.fit(&data, &target, &info, None, &Control::default()).unwrap();
    let tuning = model.about.tuning.as_ref().unwrap();
    let p = &tuning.parameters[0];
    assert_eq!((p.at_bound, p.edges[0]), (Some(End::Upper), BoundStatus::Worse), "{p:?}");
    let text = report::model_text_in_full(&model, 100).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("c = 0.3 is at the upper end of its search (0.01 to 0.3)") && text.contains("tried: "), "{text}");
    let back = store::from_bytes(&store::to_bytes(&model).unwrap(), "m").unwrap();
    assert_eq!(back.about.tuning, model.about.tuning, "the record survives storing");
}

#[test]
fn a_column_of_noise_can_be_left_out_and_the_column_of_the_signal_cannot() {
    let data = points(100, 3, 6);
    let target = wave(&data, 0.2);
    let t = tuned("rbf(ard=true)", "gp", &data, &target, true).tuning.unwrap();
    let of = |column: &str| t.parameters.iter().find(|p| p.column.as_deref() == Some(column)).unwrap();
    assert_eq!(of("x[1]").edges[1], BoundStatus::Worse, "{:?}", of("x[1]"));
    assert_eq!([of("x[2]").edges[1], of("x[3]").edges[1]], [BoundStatus::End; 2], "{:?}", of("x[2]"));
    assert!(of("x[2]").tried.len() <= 2, "one evaluation for a column among many");
}

#[test]
fn kernels_of_one_name_are_told_apart_by_their_place() {
    let data = points(40, 1, 7);
    let target = wave(&data, 0.2);
    let t = tuned("rbf(length_scale=0.1..1) + rbf(length_scale=1..10)", "ridge", &data, &target, true).tuning.unwrap();
    let names: Vec<&str> = t.parameters.iter().map(|p| p.name.as_str()).collect();
    assert_eq!(names, ["length_scale of rbf (part 1)", "length_scale of rbf (part 2)", "lambda"]);
}

#[test]
fn little_memory_makes_the_sample_of_the_search_smaller_and_not_the_fit() {
    let data = points(400, 1, 8);
    let target = wave(&data, 0.5);
    let examples = Examples { data: &data, target: &target, weights: None, split: &mercer::data::Split::Rows };
    let control = Control { max_memory: 3_000_000, ..Control::default() };
    let (kernel, estimator) = (KernelExpr::parse("rbf").unwrap(), EstimatorExpr::parse("ridge").unwrap());
    let t = select::tune(&kernel, &estimator, &examples, &control, 0, true).unwrap().tuning.unwrap();
    // Criteria take 48 n^2 bytes in half of 3 MB: n = 176 at most; the fits at last 8 n^2 in a quarter of it: n = 306.
    assert!(t.rows <= 306 && t.rows >= 177, "{}", t.rows);
}

#[test]
fn a_search_that_could_judge_nothing_in_its_time_says_so_and_leaves_the_start() {
    let data = points(300, 1, 10);
    let target = wave(&data, 0.5);
    let control = Control { deadline: Some(std::time::Instant::now()), ..Control::default() };
    let info = TargetInfo { names: vec!["y".into()], classes: None, labels: Labels::Text };
    for estimator in ["svr", "gp", "ridge"] {
        let mut learner = Learner::new(EstimatorExpr::parse(estimator).unwrap());
        learner.kernel = Some(KernelExpr::parse("rbf").unwrap());
        let model = learner.fit(&data, &target, &info, None, &control).unwrap();
        assert!(model.about.tuning.is_none(), "{estimator}");
        assert!(
            model
                .about
                .notices
                .iter()
                .any(|n| n.to_string().contains("the starting values are fitted") && n.to_string().contains("--max-seconds"))
        );
    }
    // An end that was asked for before anything was judged is an error, not a model.
    control.stop_early.cancel();
    let learner = Learner::new(EstimatorExpr::parse("ridge").unwrap());
    assert!(matches!(learner.fit(&data, &target, &info, None, &control), Err(mercer::error::Error::Cancelled)));
}

#[test]
fn factors_of_a_kernel_are_searched_around_the_variance_of_a_target_as_it_is() {
    let data = points(60, 1, 3);
    let plain = wave(&data, 0.3);
    let Target::Numbers(y) = &plain else { panic!("numbers") };
    let great = Target::numbers(&y.data().iter().map(|v| 1000.0 * v).collect::<Vec<_>>());
    let gp = "gp(noise=auto, variance=1, standardise_target=false)";
    for kernel in ["auto*rbf + auto*white", "constant(value=auto)*rbf", "auto*rbf + constant(value=auto)"] {
        let [small, large] = [&plain, &great].map(|target| tuned(kernel, gp, &data, target, false));
        let factors = |t: &Tuned| -> Vec<TunedParameter> {
            let of = |p: &&TunedParameter| p.path.ends_with("scale") && !p.path.contains("length") || p.path.ends_with("value");
            t.tuning.as_ref().unwrap().parameters.iter().filter(of).cloned().collect()
        };
        for (a, b) in factors(&small).iter().zip(&factors(&large)) {
            assert!((b.low / a.low / 1e6 - 1.0).abs() < 1e-9 && (b.high / a.high / 1e6 - 1.0).abs() < 1e-9, "{a:?} {b:?}");
        }
        assert!(!factors(&small).is_empty());
    }
    // A target that is standardised has the variance 1, whatever its units; so has anything but a process.
    for estimator in ["gp(variance=1)", "ridge"] {
        let t = tuned("auto*rbf", estimator, &data, &great, false).tuning.unwrap();
        let factor = parameter(&t, "scale");
        assert_eq!((factor.low, factor.high), (0.01, 100.0));
    }
}

fn search(estimator: &str, data: &Dataset, target: &Target) -> Search {
    let examples = Examples { data, target, weights: None, split: &mercer::data::Split::Rows };
    let aim = Aim { scoring: Scoring::of(target, None, None).unwrap(), within_noise: true };
    let (kernel, estimator) = (KernelExpr::parse("rbf").unwrap(), EstimatorExpr::parse(estimator).unwrap());
    Search::new(&kernel, &estimator, &examples, None, aim, &Control::default(), 3).unwrap()
}

#[test]
fn a_search_keeps_to_its_allowance_by_fewer_rows_and_one_that_cannot_is_left_out_and_says_so() {
    const CLASSES: usize = 26;
    let data = points(900, 3, 5);
    let of = |classes: usize| Target::Classes {
        codes: (0..900).map(|i| i % classes).collect(),
        names: (0..classes).map(|k| format!("{k}")).collect(),
    };
    let target = of(CLASSES);
    for estimator in ["gp", "l2vm", "logistic", "rbf_network", "svc", "ridge"] {
        let rounds = search(estimator, &data, &target);
        assert!(!rounds.state().exceeds_budget() && rounds.rounds_left() > 0, "{estimator}");
        // The round on all rows has an allowance of its own, 16 fits of 2e9.
        assert!(rounds.work_left() <= 6e10 + 3.2e10, "{estimator}: {:e}", rounds.work_left());
        assert!(rounds.next_rows() >= 6 * CLASSES, "{estimator}: {}", rounds.next_rows());
    }
    let expensive = search("rvm", &data, &of(150));
    assert!(expensive.state().is_open() && expensive.state().exceeds_budget() && expensive.rounds_left() == 0);
    let left = expensive.finish(true, &data, &Control::default()).unwrap();
    assert!(left.tuning.is_none() && !left.late);
    assert!(left.notice.unwrap().to_string().starts_with("rvm takes too long on so many rows and classes to be searched"));
    assert!(!search("rvm", &data, &of(2)).state().exceeds_budget());
}

/// Eight tenths of a slope and a wave whose length is a tenth of the range, in the column `wavy`; the others are noise.
fn slope_and_wave(data: &Dataset, wavy: usize, seed: u64) -> Target {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mercer::data::Values::Points(p) = &data.columns()[0].values else { panic!("points") };
    let of = |x: &[f64]| 0.75 * x[0] + 0.5 * (15.0 * x[wavy]).sin() + 0.3 * (random.random::<f64>() - 0.5);
    Target::numbers(&p.to_dense().chunks(p.dim()).map(of).collect::<Vec<f64>>())
}

// The evidence of "slope and much noise" has an optimum of its own: a start at the length scale of the wave, found by eye, is the other.
#[test]
fn a_fast_wave_beside_a_slope_is_found_and_its_evidence_kept() {
    for seed in 0..6 {
        let data = points(80, 1, 100 + seed);
        let target = slope_and_wave(&data, 0, seed);
        for (estimator, near) in [("gp", "gp(noise=0.02, variance=1)"), ("l2vm", "l2vm(lambda=0.05)")] {
            let free = tuned("rbf(length_scale=auto)", estimator, &data, &target, false);
            let (kernel, near) = (KernelExpr::parse("rbf(length_scale=0.11)").unwrap(), EstimatorExpr::parse(near).unwrap());
            let (found, by_eye) = (evidence(&free.kernel, &free.estimator, &data, &target), evidence(&kernel, &near, &data, &target));
            assert!(found <= by_eye + 0.1, "{estimator} {seed}: {found} and {by_eye} with {}", free.kernel);
        }
    }
}

// Values without derivatives are those with them.
#[test]
fn criteria_along_the_noise_are_those_one_by_one() {
    let data = points(40, 2, 3);
    let target = wave(&data, 0.3);
    let gram = KernelExpr::parse("rbf(length_scale=0.7)").unwrap().bind(None, &data).unwrap();
    let control = Control::default();
    let weights: Vec<f64> = (0..40).map(|i| 0.5 + (i % 3) as f64).collect();
    let task = Task { view: View::Values(gram.as_ref()), target: &target, weights: Some(&weights), control: &control, seed: 0 };
    for (name, form) in [
        ("noise", "gp(variance=1.3, noise="),
        ("lambda", "ridge(lambda="),
        ("lambda", "l2vm(lambda="),
        ("lambda", "l2vm(intercept=false, lambda="),
    ] {
        let of = |value: f64| EstimatorExpr::parse(&format!("{form}{value})")).unwrap();
        let along = of(1.0).criterion_along(name, &[0.01, 0.2, 3.0], &task).unwrap().unwrap();
        for (value, along) in [0.01, 0.2, 3.0].into_iter().zip(along) {
            let one = of(value).criterion(&task).unwrap().value;
            assert!((one - along).abs() <= 1e-9 * one.abs().max(1.0), "{form}{value}): {along} and {one}");
        }
    }
}

#[test]
fn a_search_ends_at_a_score_that_nothing_betters() {
    // Two classes far apart: every row is right at the first setting that is tried.
    let x: Vec<f64> = (0..160).map(|i| if i < 80 { f64::from(i) / 80.0 } else { 100.0 + f64::from(i) / 80.0 }).collect();
    let names: Vec<&str> = (0..160).map(|i| if i < 80 { "near" } else { "far" }).collect();
    let data = Dataset::from_points(Points::dense(160, 1, x).unwrap());
    let of = |target: &Target| tuned("rbf", "svc", &data, target, false).tuning.unwrap();
    let found = of(&Target::classes(&names));
    assert_eq!((found.evaluations, found.value, found.complete), (1, Some(1.0), true));
    // One row on the wrong side: no setting is right of all, and the search goes on.
    let mut wrong = names;
    wrong[3] = "far";
    let found = of(&Target::classes(&wrong));
    assert!(found.evaluations > 5 && found.value.is_some_and(|v| v < 1.0), "{found:?}");
}

/// Numbers drawn from a process of this kernel, with noise of this variance.
fn drawn(kernel: &str, noise: f64, data: &Dataset, seed: u64) -> Target {
    let bound = KernelExpr::parse(kernel).unwrap().settle(data).unwrap().bind(None, data).unwrap();
    let mut k = mercer::gram::dense(bound.as_ref(), &Control::default()).unwrap();
    let n = k.rows();
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let z: Vec<f64> = (0..n).map(|_| (0..12).map(|_| random.random::<f64>()).sum::<f64>() - 6.0).collect();
    // The factor of Cholesky, in place.
    let mut y = vec![0.0; n];
    for j in 0..n {
        k[(j, j)] = (k[(j, j)] + noise - (0..j).map(|c| k[(j, c)].powi(2)).sum::<f64>()).sqrt();
        for i in j + 1..n {
            k[(i, j)] = (k[(i, j)] - (0..j).map(|c| k[(i, c)] * k[(j, c)]).sum::<f64>()) / k[(j, j)];
        }
    }
    (0..n).for_each(|i| y[i] = (0..=i).map(|c| k[(i, c)] * z[c]).sum());
    Target::numbers(&y)
}

// A sum of the kernels of activations that bend, saturate and come back, whose factors are all learnt: of numbers from one of them nearly all
// variance is given to it, and no draw has less evidence under the sum than under that kernel with its factor learnt, which is a part of it, but
// for half a unit: what differs by one scores alike.
// spec: GP14
#[test]
fn evidence_picks_the_activation_that_made_the_data() {
    const ROWS: usize = 140;
    const DRAWS: u64 = 4;
    let data = points(ROWS, 1, 5);
    let activations = ["relu", "erf", "sine"];
    let kernels = activations.map(|a| format!("nngp(activation={a}, depth=1, weight_variance=6, bias_variance=0.1)"));
    let mixture = kernels.each_ref().map(|kernel| format!("auto*{kernel}")).join(" + ");
    let process = "gp(noise=1e-4, variance=1, standardise_target=false)";
    let estimator = EstimatorExpr::parse(process).unwrap();
    let variances = kernels.each_ref().map(|kernel| {
        let bound = KernelExpr::parse(kernel).unwrap().bind(None, &data).unwrap();
        bound.diagonal(mercer::gram::Side::Rows).iter().sum::<f64>() / ROWS as f64
    });
    for (own, activation) in activations.iter().enumerate() {
        let mut share = 0.0;
        for seed in 3..3 + DRAWS {
            let target = drawn(&kernels[own], 1e-4, &data, seed);
            let [of_all, alone] =
                [mixture.clone(), format!("auto*{}", kernels[own])].map(|k| tuned(&k, process, &data, &target, false).kernel);
            let [of_sum, of_own] = [&of_all, &alone].map(|kernel| -evidence(kernel, &estimator, &data, &target));
            assert!(of_sum >= of_own - 0.5, "{activation}, draw {seed}: {of_sum} under {of_all}, {of_own} under {alone}");
            let factors = of_all.values().into_iter().filter(|p| p.path.ends_with("scale")).map(|p| p.value.number());
            let given: Vec<f64> = factors.zip(variances).map(|(factor, variance)| factor * variance).collect();
            assert_eq!(given.len(), 3);
            share += given[own] / given.iter().sum::<f64>() / DRAWS as f64;
        }
        assert!(share > 0.8, "{activation}: {share}");
    }
}

#[test]
fn evidence_learns_the_variances_of_a_network() {
    let data = points(60, 1, 2);
    let target = wave(&data, 0.3);
    for kernel in ["arcsine", "nngp(activation=erf)", "ntk(activation=relu)"] {
        let estimator = EstimatorExpr::parse("gp(noise=0.01, variance=1, standardise_target=false)").unwrap();
        let start = KernelExpr::parse(kernel).unwrap().settle(&data).unwrap();
        let t = tuned(kernel, &estimator.to_string(), &data, &target, false);
        assert!(evidence(&t.kernel, &estimator, &data, &target) < evidence(&start, &estimator, &data, &target) - 1.0, "{}", t.kernel);
    }
}

#[test]
fn a_search_through_inducing_rows_finds_what_that_of_the_exact_process_finds() {
    let data = points(300, 1, 5);
    let target = wave(&data, 0.6);
    let at = |estimator: &str| {
        let Tuned { kernel, estimator, tuning, .. } = tuned("rbf", estimator, &data, &target, false);
        let EstimatorExpr::Gp(found) = estimator else { panic!("gp expected") };
        let exact = EstimatorExpr::Gp(Gp { inducing: Gp::default().inducing, ..found });
        (evidence(&kernel, &exact, &data, &target), tuning.unwrap())
    };
    let ((exact, _), (through, tuning)) = (at("gp"), at("gp(inducing=20)"));
    assert!((through - exact).abs() <= 1.0, "{through} and {exact}");
    assert_eq!(tuning.rows, 300);
    // The bound, of which so few rows of one column leave nothing.
    assert!((tuning.value.unwrap() - through).abs() <= 0.1, "{:?} and {through}", tuning.value);
}
