//! Fits from batches of rows against fits to all of them at once.

use mercer::control::{CancelFlag, Control, Progress};
use mercer::data::{Column, Dataset, Target, TargetInfo, Values};
use mercer::estimators::{EstimatorExpr, Predicted, Want};
use mercer::kernels::KernelExpr;
use mercer::learner::{Learner, Model};
use mercer::linalg::Matrix;
use mercer::partial::{BatchSettings, BatchedTable, Partial, PassOutcome};
use mercer::prep::Recipe;
use mercer::read::{Batches, ReadOptions, Source, Table};
use mercer::store;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::path::Path;
use std::sync::Arc;

/// Rows of two numbers far from 0 and of a label, a target of numbers or of three classes, and weights.
struct Made {
    data: Dataset,
    numbers: Target,
    classes: Target,
    weights: Vec<f64>,
}

fn made(rows: usize) -> Made {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(3);
    let x: Vec<[f64; 2]> = (0..rows).map(|_| [random.random_range(-2.0..2.0), random.random_range(-1.0..1.0)]).collect();
    let f = |x: &[f64; 2]| (2.0 * x[0]).sin() + x[1] * x[1];
    let y = x.iter().map(|x| f(x) + random.random_range(-0.1..0.1)).collect();
    let codes = x
        .iter()
        .map(|x| {
            if f(x) < -0.2 {
                0
            } else if f(x) < 0.7 {
                1
            } else {
                2
            }
        })
        .collect();
    let column = |name: &str, k: usize, scale: f64, origin: f64| Column {
        name: name.into(),
        values: Values::Numbers(x.iter().map(|x| origin + scale * x[k]).collect()),
    };
    Made {
        data: Dataset::new(vec![column("a", 0, 1e3, 1e5), column("b", 1, 1e-3, 0.0)]).unwrap(),
        numbers: Target::Numbers(Matrix::column(y)),
        classes: Target::Classes { codes, names: ["low", "middle", "high"].map(String::from).to_vec() },
        weights: (0..rows).map(|i| if i % 7 == 0 { 0.0 } else { 1.0 + (i % 3) as f64 }).collect(),
    }
}

fn info(target: &Target) -> TargetInfo {
    let classes = if let Target::Classes { names, .. } = target { Some(names.clone()) } else { None };
    TargetInfo { names: vec!["y".into()], classes, labels: Default::default() }
}

fn learner(kernel: &str, estimator: &str) -> Learner {
    Learner { kernel: Some(KernelExpr::parse(kernel).unwrap()), ..Learner::new(EstimatorExpr::parse(estimator).unwrap()) }
}

fn scores(model: &Model, data: &Dataset) -> Vec<f64> {
    let want = Want { scores: true, ..Want::default() };
    let found = model.predict(data, want, &Control::default()).unwrap();
    match (found.scores, found.values) {
        (Some(scores), _) => scores.into_data(),
        (None, Predicted::Numbers(values)) => values.into_data(),
        (None, Predicted::Classes(codes)) => codes.into_iter().map(|k| k as f64).collect(),
    }
}

/// Batches of `size` rows, with their numbers.
fn parts(rows: usize, size: usize) -> Vec<(u64, Vec<usize>)> {
    let starts = (0..rows).step_by(size).enumerate();
    starts.map(|(number, start)| (number as u64, (start..rows.min(start + size)).collect())).collect()
}

fn add(partial: &mut Partial, (number, rows): &(u64, Vec<usize>), made: &Made, target: &Target) {
    let weights: Vec<f64> = rows.iter().map(|&i| made.weights[i]).collect();
    partial.add(*number, &made.data.select(rows), &target.select(rows), Some(&weights), &Control::default()).unwrap();
}

/// The model that passes over batches lead to, with their number.
fn passes(mut partial: Partial, parts: &[(u64, Vec<usize>)], made: &Made, target: &Target) -> (Model, usize) {
    loop {
        parts.iter().for_each(|part| add(&mut partial, part, made, target));
        match partial.next(&Control::default()).unwrap() {
            PassOutcome::Model(model) => return (*model, partial.pass()),
            PassOutcome::Next(next) => partial = *next,
        }
    }
}

/// Objectives of the whole fit and of passes, to the tolerance of both, on features of two data sets (numbers far from 0, and a nonlinear map of
/// them), with weights, of two classes, several, and numbers.
#[test]
fn passes_over_batches_lead_to_the_optimum_of_the_fit_to_all_rows() {
    let made = made(700);
    let control = Control::default();
    let Target::Classes { codes, .. } = &made.classes else { unreachable!("targets are classes") };
    let two = Target::Classes { codes: codes.iter().map(|&k| k.min(1)).collect(), names: ["low", "high"].map(String::from).to_vec() };
    let nystroem = "nystroem(rbf(length_scale=0.7), rank=40)";
    for (kernel, estimator, target) in [
        ("linear", "logistic(lambda=0.1)", &two),
        ("linear", "logistic(lambda=0.1, class_weight=balanced)", &made.classes),
        (nystroem, "logistic(lambda=0.1)", &two),
        (nystroem, "logistic(lambda=0.1, intercept=false)", &made.classes),
        ("linear", "linear_svc(c=1)", &two),
        ("linear", "linear_svc(c=10, class_weight=balanced)", &two),
        (nystroem, "linear_svc(c=10, intercept_scale=3)", &made.classes),
        ("linear", "linear_svc(c=1, intercept_scale=0)", &made.classes),
        ("linear", "linear_svr(c=1, epsilon=0.1, loss=squared_epsilon_insensitive)", &made.numbers),
        (nystroem, "linear_svr(c=10, epsilon=0.05, loss=squared_epsilon_insensitive, standardise_target=false)", &made.numbers),
    ] {
        let learner = learner(kernel, estimator);
        let whole = learner.fit(&made.data, target, &info(target), Some(&made.weights), &control).unwrap();
        let partial = Partial::new(whole.clone(), &learner.prep, &made.data, target, None, &control).unwrap();
        let (model, count) = passes(partial, &parts(700, 97), &made, target);
        let objective = |m: &Model| m.summary().objective.unwrap();
        let difference = objective(&model) / objective(&whole) - 1.0;
        assert!(model.summary().converged, "{kernel} {estimator}: {:?}", model.summary());
        assert!(difference.abs() < 1e-6, "{kernel} {estimator}: {difference:e}");
        // An objective that is strongly convex by the penalty, at so much above its least value: how far its weights are off at most.
        let penalty = if estimator.starts_with("logistic") { 0.1 } else { 1.0 };
        let off = |m: &Model| (2.0 * m.summary().certificate.as_ref().unwrap().value * objective(m) / penalty).sqrt();
        let (expected, found) = (scores(&whole, &made.data), scores(&model, &made.data));
        let most = expected.iter().zip(&found).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        // Features and the constant are no longer than 4.
        assert!(most <= 4.0 * (off(&whole) + off(&model)) + 1e-6, "{kernel} {estimator}: {most:e}");
        // Squared hinges bend, and these classes are separable.
        let most = if estimator.starts_with("linear_svc(c=10") { 80 } else { 50 };
        assert!(count <= most, "{kernel} {estimator}: {count} passes");
    }
}

/// Two rows at -1 and 1, once scaled, in so many copies. A slope v loses 2 log(1 + e^-v) + lambda/2 v^2, least at 1 for lambda = 2 / (1 + e);
/// v^2/2 + 2 c (1 - v)^2, least at 4 c / (1 + 4 c); and with a tube v^2/2 + 2 c (1 - epsilon - v)^2, least at (1 - epsilon) times that.
#[test]
fn two_rows_have_the_solution_that_paper_gives() {
    let control = Control::default();
    let data = Dataset::new(vec![Column { name: "x".into(), values: Values::Numbers(vec![3.0, 7.0]) }]).unwrap();
    let classes = Target::Classes { codes: vec![0, 1], names: ["no", "yes"].map(String::from).to_vec() };
    let numbers = Target::Numbers(Matrix::column(vec![-1.0, 1.0]));
    let lambda = 2.0 / (1.0 + 1f64.exp());
    for (estimator, target, slope) in [
        (format!("logistic(lambda={lambda})"), &classes, 1.0),
        ("linear_svc(c=1)".to_owned(), &classes, 0.8),
        ("linear_svc(c=0.25)".to_owned(), &classes, 0.5),
        ("linear_svr(c=1, epsilon=0.25, loss=squared_epsilon_insensitive)".to_owned(), &numbers, 0.6),
    ] {
        let learner = learner("linear", &estimator);
        let whole = learner.fit(&data, target, &info(target), None, &control).unwrap();
        let mut partial = Partial::new(whole, &learner.prep, &data, target, None, &control).unwrap();
        let model = loop {
            (0..2).for_each(|i| partial.add(i as u64, &data.select(&[i]), &target.select(&[i]), None, &control).unwrap());
            match partial.next(&control).unwrap() {
                PassOutcome::Model(model) => break model,
                PassOutcome::Next(next) => partial = *next,
            }
        };
        let found = scores(&model, &data);
        assert!(model.summary().converged);
        // The gap of logistic is 1e-8 of about 1, and so the square of what the slope is off.
        assert!((found[0] + slope).abs() < 3e-4 && (found[1] - slope).abs() < 3e-4, "{estimator}: {found:?}");
    }
}

/// Every pass has the same bits whatever the order and the division of batches, sums of two passes are not merged, every pass goes over the
/// same batches, and there is a model of the passes that are done at any time.
#[test]
fn passes_are_the_same_in_any_order_and_are_not_mixed() {
    let made = made(300);
    let control = Control::default();
    let learner = learner("linear", "logistic(lambda=0.1)");
    let whole = learner.fit(&made.data, &made.classes, &info(&made.classes), None, &control).unwrap();
    let first = Partial::new(whole, &learner.prep, &made.data, &made.classes, None, &control).unwrap();
    let parts = parts(300, 77);
    let of = |empty: &Partial, places: &[usize]| {
        let mut partial = empty.clone();
        places.iter().for_each(|&k| add(&mut partial, &parts[k], &made, &made.classes));
        partial
    };
    let next = |partial: &Partial| match partial.next(&control).unwrap() {
        PassOutcome::Next(next) => *next,
        PassOutcome::Model(_) => panic!("two passes are not enough"),
    };
    let too_early = of(&first, &[0, 1]).finish(&control).unwrap_err().to_string();
    assert!(too_early.contains("several passes"), "{too_early}");
    let second = next(&of(&first, &[0, 1, 2, 3]));
    assert_eq!(second, next(&of(&first, &[2, 0, 3, 1])));
    assert_eq!((first.pass(), second.pass(), second.rows()), (1, 2, 0));
    let third = next(&of(&second, &[0, 1, 2, 3]));
    let mut merged = of(&second, &[3]);
    let sent = store::partial_to_bytes(&of(&second, &[2, 0, 1])).unwrap();
    merged.merge(&store::partial_from_bytes(&sent).unwrap()).unwrap();
    assert_eq!(next(&merged), third);
    let mut mixed = of(&third, &[0]);
    let before = mixed.clone();
    for (other, said) in [(of(&second, &[1]), "of pass 2 and those of pass 3"), (of(&first, &[1]), "of pass 1 and those of pass 3")] {
        let why = mixed.merge(&other).unwrap_err().to_string();
        assert!(why.contains(said), "{why}");
    }
    let other = next(&of(&next(&of(&first, &[0, 1, 2])), &[0, 1, 2]));
    let why = mixed.merge(&of(&other, &[1])).unwrap_err().to_string();
    assert!(why.contains("follow from other passes"), "{why}");
    let rows = made.data.select(&[0]);
    let why = mixed.add(9, &rows, &made.classes.select(&[0]), None, &control).unwrap_err().to_string();
    assert!(why.contains("batch 9 was not in the passes before"), "{why}");
    let why = mixed.next(&control).unwrap_err().to_string();
    assert!(why.contains("pass 3 has 1 of 4 batches"), "{why}");
    assert_eq!(mixed, before);
    mixed.add(1, &rows, &made.classes.select(&[0]), None, &control).unwrap();
    add(&mut mixed, &parts[2], &made, &made.classes);
    add(&mut mixed, &parts[3], &made, &made.classes);
    let why = mixed.next(&control).unwrap_err().to_string();
    assert!(why.contains("the same rows"), "{why}");
    let best = third.finish(&control).unwrap();
    assert!(!best.summary().converged && best.summary().notes[0].contains("stopped after 2 passes"), "{:?}", best.summary());
    assert_eq!(best.about.rows, 257);
}

/// Where the model of the start has learnt from all rows, sums over any batches give its fit.
#[test]
fn sums_over_batches_give_the_fit_to_all_rows() {
    let made = made(700);
    let control = Control::default();
    for (kernel, target) in [
        ("linear", &made.numbers),
        ("nystroem(polynomial(degree=2, offset=1), rank=6)", &made.numbers),
        ("fourier(rbf(length_scale=0.7), count=60)", &made.numbers),
        ("nystroem(rbf(length_scale=0.7), rank=50)", &made.numbers),
        ("nystroem(rbf(length_scale=0.7), rank=50)", &made.classes),
    ] {
        let learner = learner(kernel, "ridge(lambda=0.1)");
        let whole = learner.fit(&made.data, target, &info(target), Some(&made.weights), &control).unwrap();
        let expected = scores(&whole, &made.data);
        for size in [700, 97] {
            let mut partial = Partial::new(whole.clone(), &learner.prep, &made.data, target, None, &control).unwrap();
            parts(700, size).iter().for_each(|part| add(&mut partial, part, &made, target));
            let model = partial.finish(&control).unwrap();
            assert!(model.summary().converged, "{:?}", model.summary());
            assert_eq!((model.about.rows, partial.rows()), (600, 600));
            let found = scores(&model, &made.data);
            let difference = expected.iter().zip(&found).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            // Features of nystroem are solutions with the kernel among landmarks, whose rounding its condition enlarges.
            let most = if kernel.starts_with("nystroem") { 1e-9 } else { 1e-12 };
            assert!(difference <= most, "{kernel}, {size}: {difference:e}");
            let objective = |m: &Model| m.summary().objective.unwrap();
            assert!((objective(&model) / objective(&whole) - 1.0).abs() < 1e-9);
        }
    }
}

#[test]
fn no_order_and_no_division_among_machines_changes_a_bit() {
    let made = made(300);
    let control = Control::default();
    let learner = learner("nystroem(rbf(length_scale=0.7), rank=20)", "ridge(lambda=0.1)");
    let start = learner.fit(&made.data, &made.numbers, &info(&made.numbers), None, &control).unwrap();
    let empty = Partial::new(start, &learner.prep, &made.data, &made.numbers, None, &control).unwrap();
    let parts = parts(300, 41);
    let of = |places: &[usize]| {
        let mut partial = empty.clone();
        places.iter().for_each(|&k| add(&mut partial, &parts[k], &made, &made.numbers));
        partial
    };
    let all = of(&[0, 1, 2, 3, 4, 5, 6, 7]);
    assert_eq!(of(&[7, 3, 0, 1, 6, 5, 2, 4]), all);
    // Three machines, one of which sends bytes and is asked twice.
    let mut merged = of(&[5, 1]);
    let sent = store::partial_to_bytes(&of(&[6, 0, 4])).unwrap();
    merged.merge(&store::partial_from_bytes(&sent).unwrap()).unwrap();
    let twice = merged.merge(&store::partial_from_bytes(&sent).unwrap()).unwrap_err().to_string();
    assert!(twice.contains("batch 0 was added before"), "{twice}");
    merged.merge(&of(&[7, 2, 3])).unwrap();
    assert_eq!(merged, all);
    assert_eq!(merged.finish(&control).unwrap(), all.finish(&control).unwrap());
    assert_eq!(merged.batches().collect::<Vec<_>>(), (0..8).collect::<Vec<_>>());
    let cut = store::partial_from_bytes(&sent[..sent.len() - 9]).unwrap_err().to_string();
    assert!(cut.contains("sums over batches"), "{cut}");
}

#[test]
fn what_cannot_be_added_up_is_refused_and_leaves_the_sums_as_they_were() {
    let made = made(120);
    let control = Control::default();
    let fitted = |kernel: &str, estimator: &str| {
        learner(kernel, estimator).fit(&made.data, &made.numbers, &info(&made.numbers), None, &control).unwrap()
    };
    let begun = |model: Model| Partial::new(model, &Recipe::default(), &made.data, &made.numbers, None, &control);
    for (kernel, estimator, said) in [
        ("rbf(length_scale=1)", "ridge(lambda=1)", "none written out"),
        ("linear", "svr(c=1, epsilon=0.1)", "ridge, logistic, linear_svc, linear_svr"),
        ("linear", "linear_svr(c=1, epsilon=0.1)", "loss=squared_epsilon_insensitive"),
        ("linear", "ridge(lambda=0)", "lambda above 0"),
    ] {
        let why = begun(fitted(kernel, estimator)).unwrap_err().to_string();
        assert!(why.contains(said), "{why}");
    }
    let mut partial = begun(fitted("linear", "ridge(lambda=1)")).unwrap();
    let nothing = partial.finish(&control).unwrap_err().to_string();
    assert!(nothing.contains("no batch"), "{nothing}");
    add(&mut partial, &(4, (0..60).collect()), &made, &made.numbers);
    let before = partial.clone();
    let huge = Dataset::new(vec![
        Column { name: "a".into(), values: Values::Numbers(vec![1e5, 1e25]) },
        Column { name: "b".into(), values: Values::Numbers(vec![0.0, 0.0]) },
    ])
    .unwrap();
    let two = made.numbers.select(&[0, 1]);
    let why = partial.add(7, &huge, &two, None, &control).unwrap_err().to_string();
    assert!(why.contains("batch 7") && why.contains("1e8 times"), "{why}");
    let without = Dataset::new(vec![huge.column("a").unwrap().clone()]).unwrap();
    let why = partial.add(8, &without, &two, None, &control).unwrap_err().to_string();
    assert!(why.contains("'b'"), "{why}");
    let why = partial.add(4, &huge, &two, None, &control).unwrap_err().to_string();
    assert!(why.contains("batch 4 was added before"), "{why}");
    let other = begun(fitted("linear", "ridge(lambda=2)")).unwrap();
    assert!(partial.merge(&other).unwrap_err().to_string().contains("another model"));
    assert_eq!(partial, before);
    // A batch of rows that all weigh nothing is no fault.
    partial.add(9, &made.data.select(&[0]), &made.numbers.select(&[0]), Some(&[0.0]), &control).unwrap();
    assert_eq!(partial.rows(), 51);
}

/// The table with a comma and a line end within quotes, missing cells and weights, written to a file.
fn written(path: &Path, rows: usize) {
    let made = made(rows);
    let numbers = |name: &str| match &made.data.column(name).unwrap().values {
        Values::Numbers(v) => v.clone(),
        _ => unreachable!("columns are numbers"),
    };
    let (a, b) = (numbers("a"), numbers("b"));
    let Target::Numbers(y) = &made.numbers else { unreachable!("targets are numbers") };
    let mut text = String::from("# made by hand\na,b,place,y,w\n");
    for i in 0..rows {
        let place = ["north", "\"south,\nwest\"", "east"][i % 3];
        let b = if i % 11 == 5 { String::new() } else { b[i].to_string() };
        text += &format!("{},{b},{place},{},{}\n", a[i], y[(i, 0)], made.weights[i].max(0.5));
    }
    std::fs::write(path, text).unwrap();
}

/// Means, deviations and sums are those of all rows though the sample has some; a median of the whole table needs all of it, so that here
/// missing cells are those that the recipe leaves out.
#[test]
fn a_file_in_batches_gives_the_fit_to_the_whole_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.csv");
    written(&path, 900);
    let control = Control::default();
    let options = ReadOptions::default();
    let target = ["y".to_owned()];
    let recipe = Recipe { missing: vec![("b".into(), mercer::prep::Missing::Drop)], ..Recipe::default() };
    let learner = Learner { prep: recipe, ..learner("linear", "ridge(lambda=3)") };
    let mut table = Table::read(&Source::File(path.clone())).unwrap();
    let weights = table.take_weights("w").unwrap();
    let (y, info) = table.take_target(&target, &options).unwrap();
    let data = table.dataset(&options).unwrap();
    let whole = learner.fit(&data, &y, &info, Some(&weights), &control).unwrap();
    let rows: Vec<usize> = (0..900).filter(|i| i % 11 != 5).collect();
    let data = data.select(&rows);
    let expected = scores(&whole, &data);
    let mut scaled = Vec::new();
    for (bytes, sample) in [(1 << 20, 200), (2_000, 200), (3_000, 5_000)] {
        let batches = Batches::of_file(&path, &options, bytes, &control).unwrap();
        assert_eq!(batches.header(), ["a", "b", "place", "y", "w"]);
        let table = BatchedTable { batches: &batches, options: &options, target: &target, weights: Some("w") };
        let model = table.fit(&learner, BatchSettings { sample, ..BatchSettings::default() }, &control).unwrap().model;
        assert_eq!(model.about.rows, whole.about.rows);
        let found = scores(&model, &data);
        let difference = expected.iter().zip(&found).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(difference <= 1e-12, "{bytes} {sample}: {difference:e}");
        scaled.push(model.prep);
    }
    assert_eq!(scaled[0], scaled[1], "scales depend on the size of batches");
    // The same rows are sampled whatever the batches.
    let places = |bytes| {
        let sampled = Batches::of_file(&path, &options, bytes, &control).unwrap().sample(50, 1, &control).unwrap();
        assert_eq!(sampled.rows, 900);
        sampled.table.texts(&["y".into()]).unwrap()[0].1.clone()
    };
    assert_eq!(places(1_500), places(1 << 20));
    assert_eq!(places(1_500).len(), 50);
}

/// Asks for an early end when work of a name begins.
struct EndsAt(&'static str, CancelFlag);

impl Progress for EndsAt {
    fn update(&self, what: &str, _: usize, _: usize) {
        if what == self.0 {
            self.1.cancel();
        }
    }
}

#[test]
fn passes_over_a_file_lead_to_the_whole_fit_and_an_early_end_leaves_the_best_so_far() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.csv");
    let control = Control::default();
    let (options, target) = (ReadOptions::default(), ["y".to_owned()]);
    let made = made(900);
    let Target::Classes { codes, names } = &made.classes else { unreachable!("targets are classes") };
    let Values::Numbers(a) = &made.data.column("a").unwrap().values else { unreachable!("columns are numbers") };
    let rows = codes.iter().zip(a).enumerate().map(|(i, (&k, a))| format!("{a},{},{}\n", i % 7, names[k]));
    std::fs::write(&path, format!("a,b,y\n{}", rows.collect::<String>())).unwrap();
    let learner = learner("linear", "logistic(lambda=0.5)");
    let batches = Batches::of_file(&path, &options, 3_000, &control).unwrap();
    let table = BatchedTable { batches: &batches, options: &options, target: &target, weights: None };
    let settings = BatchSettings { sample: 200, ..BatchSettings::default() };
    let model = table.fit(&learner, settings, &control).unwrap().model;
    let mut whole = Table::read(&Source::File(path.clone())).unwrap();
    let (y, info) = whole.take_target(&target, &options).unwrap();
    let whole = learner.fit(&whole.dataset(&options).unwrap(), &y, &info, None, &control).unwrap();
    let objective = |m: &Model| m.summary().objective.unwrap();
    assert!(model.summary().converged && (objective(&model) / objective(&whole) - 1.0).abs() < 1e-6);
    let said = |model: &Model| model.about.notices.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
    assert!(said(&model).contains("passes over them"), "{}", said(&model));
    let ended = |at: &'static str| {
        let stop_early = CancelFlag::default();
        let progress = Arc::new(EndsAt(at, stop_early.clone()));
        table.fit(&learner, settings, &Control { progress: Some(progress), stop_early, ..Control::default() })
    };
    let best = ended("adding up batches, pass 4").unwrap().model;
    assert!(!best.summary().converged && best.summary().notes[0].contains("after 3 passes"), "{:?}", best.summary());
    assert!(said(&best).contains("by 3 passes over them") && objective(&best) < 900.0 * 3f64.ln(), "{}", said(&best));
}

#[test]
fn a_file_of_another_kind_later_on_is_refused_by_its_row() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.csv");
    let control = Control::default();
    let options = ReadOptions::default();
    let fit = |path: &Path, sample: usize| {
        let batches = Batches::of_file(path, &options, 400, &control)?;
        let table = BatchedTable { batches: &batches, options: &options, target: &["y".to_owned()], weights: None };
        table.fit(&learner("linear", "ridge(lambda=1)"), BatchSettings { sample, ..BatchSettings::default() }, &control)
    };
    let rows = |n: usize| (0..n).map(|i| format!("{i}.5,{}\n", (i * i) % 17)).collect::<String>();
    std::fs::write(&path, format!("x,y\n{}red,3\n{}", rows(400), rows(10))).unwrap();
    let why = fit(&path, 30).unwrap_err().to_string();
    assert!(why.contains("row 401, column 'x': found 'red'"), "{why}");
    std::fs::write(&path, format!("x,y\n{}7,8,9\n", rows(200))).unwrap();
    let why = fit(&path, 30).unwrap_err().to_string();
    assert!(why.contains("t.csv"), "{why}");
    std::fs::write(&path, "x,y\n").unwrap();
    assert!(fit(&path, 30).unwrap_err().to_string().contains("row"));
    let why = Batches::open(&Source::Stdin, &options, &control).unwrap_err().to_string();
    assert!(why.contains("give a file"), "{why}");
    // A file that ends within a line is a table whose last line has no end.
    std::fs::write(&path, format!("x,y\n{}11.5,4", rows(100))).unwrap();
    assert_eq!(fit(&path, 500).unwrap().model.about.rows, 101);
}
