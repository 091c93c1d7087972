//! Every entry of every list at the large end of its whole numbers and on large inputs: an answer or a refusal, within the memory
//! allowed. The cases run in processes of their own, whose allocator has no more than that to give: where a plan forgets something the
//! process ends.

#![allow(clippy::unwrap_used, clippy::panic, reason = "what fails here fails the test")]

use super::{LIMIT, column};
use mercer::control::{Control, memory_size};
use mercer::data::{Column, Dataset, Points, Similarities, Strings, Target, Values};
use mercer::error::{Error, Result};
use mercer::estimators::{self, EstimatorExpr, Needs};
use mercer::gram;
use mercer::kernels::{self, KernelExpr};
use mercer::learner::Learner;
use mercer::linalg::Matrix;
use mercer::param::{Domain, Param, Value};
use mercer::read::TargetInfo;
use mercer::{generative, testkit};
use std::process::{Command, Stdio};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Names the process that runs cases: which share of them, of how many.
const PART: &str = "MERCER_TEST_LIMITS";
const PARTS: usize = 2;

/// The memory that plans may ask for, and what a process takes besides: buffers of products and tiles, stacks of tests, tables.
const ALLOWED: &str = "64MB";
const BESIDES: usize = 24_000_000;
/// A fit is given so many seconds, which a search or a series of steps without an end uses up.
const SECONDS: f64 = 0.1;

/// A process whose case goes on for so long has lost its clock: hundreds of times what it was given.
const HUNG: Duration = Duration::from_secs(30);

/// Rows of the tables, numbers of a wide row, and letters of a long string.
const ROWS: usize = 24;
const WIDE: usize = 2000;
const LONG: usize = 800;

/// Work that is done or refused.
type Work = Box<dyn Fn(&Control) -> Result<()>>;

/// A case and its name.
struct Case {
    name: String,
    work: Work,
}

/// Whole numbers that a parameter takes: the greatest, and one that is large beside the rows and small beside memory.
fn large(param: &Param) -> Vec<f64> {
    let most = match param.domain {
        Domain::Integer(_, most) => most as f64,
        Domain::IntegerOrInfinite(_) | Domain::CountOrShare => usize::MAX as f64,
        _ => return Vec::new(),
    };
    // Whole numbers of this size are exact.
    let most = most.min(9e15);
    if most > 30_000.0 { vec![most, 30_000.0] } else { vec![most] }
}

/// An expression with each of its whole numbers as large as can be, alone and all together.
fn enlarged<E: Clone>(expr: &E, values: &[(String, &'static Param)], set: impl Fn(&mut E, &str, f64) -> Result<()>) -> Vec<E> {
    let mut all = vec![expr.clone()];
    let mut together = expr.clone();
    for (path, param) in values {
        for (k, number) in large(param).into_iter().enumerate() {
            let mut one = expr.clone();
            if set(&mut one, path, number).is_ok() {
                all.push(one);
                if k == 0 && set(&mut together, path, number).is_err() {
                    together = expr.clone();
                }
            }
        }
    }
    all.push(together);
    all
}

fn kernels_of(text: &str) -> Vec<KernelExpr> {
    let expr = KernelExpr::parse(text).unwrap();
    let values: Vec<_> = expr.values().into_iter().map(|p| (p.path, p.param)).collect();
    enlarged(&expr, &values, |expr, path, number| expr.set(path, &Value::Number(number)))
}

fn estimators_of(text: &str) -> Vec<EstimatorExpr> {
    let expr = EstimatorExpr::parse(text).unwrap();
    let values: Vec<_> = expr.values().into_iter().map(|p| (p.path, p.param)).collect();
    enlarged(&expr, &values, |expr, path, number| expr.set(path, &Value::Number(number)))
}

/// A matrix of kernel values, and a model that is fitted and asked.
fn kernel_case(kernel: KernelExpr, data: &Dataset, on: &str) -> Case {
    let (name, data) = (format!("{kernel} {on}"), data.clone());
    let work = move |control: &Control| {
        let settled = kernel.settle(&data)?;
        let fitted = settled.learn(&data, None, control)?;
        let reference = fitted.reference(&data, control)?;
        gram::dense(reference.among(control)?.as_ref(), control)?;
        gram::dense(reference.cross(&data.select(&[0, 1]), control)?.as_ref(), control).map(drop)
    };
    Case { name, work: Box::new(work) }
}

fn fit_case(estimator: EstimatorExpr, kernel: Option<KernelExpr>, data: &Dataset, target: &Target, on: &str) -> Case {
    let (data, target) = (data.clone(), target.clone());
    let name = format!("{estimator}, kernel {}, {on}", kernel.as_ref().map_or("of its own".to_owned(), ToString::to_string));
    let learner = Learner { kernel, allow_non_mercer: true, ..Learner::new(estimator) };
    let work = move |control: &Control| {
        let model = learner.fit(&data, &target, &TargetInfo::of(&target), None, control)?;
        model.predict(&data.select(&[0, 1]), mercer::estimators::Want { probabilities: true, ..Default::default() }, control).map(drop)
    };
    Case { name, work: Box::new(work) }
}

/// Numbers, and so many classes.
fn targets(rows: usize, many: usize) -> Vec<(&'static str, Target)> {
    let numbers = Matrix::column((0..rows).map(|i| (0.7 * i as f64).sin()).collect());
    let classes = |count: usize| Target::Classes {
        codes: (0..rows).map(|i| i % count).collect(),
        names: (0..count).map(|k| format!("class {k}")).collect(),
    };
    vec![
        ("numbers", Target::Numbers(numbers)),
        ("two classes", classes(2)),
        ("many classes", classes(many)),
        ("no target", Target::Absent { rows }),
    ]
}

/// The table that a kernel of the list takes.
fn table_for(kernel: &str, any: &Dataset) -> Dataset {
    match kernel {
        "tfidf" => column(Values::Texts(Strings::new((0..ROWS).map(|i| format!("word{i} and {} more", i % 3))))).unwrap(),
        "precomputed" => {
            let k = Matrix::from_fn(ROWS, ROWS, |i, j| (-(i as f64 - j as f64).powi(2)).exp());
            let names = (0..ROWS).map(|i| format!("item {i}")).collect();
            column(Values::Similarities(Similarities::new(names, (0..ROWS as u32).collect(), k).unwrap())).unwrap()
        }
        _ => not_negative(any),
    }
}

fn not_negative(data: &Dataset) -> Dataset {
    let columns = data.columns().iter().cloned().map(|mut c| {
        if let Values::Numbers(v) = &mut c.values {
            v.iter_mut().for_each(|x| *x = x.abs());
        }
        c
    });
    Dataset::new(columns.collect()).unwrap()
}

/// Rows of many numbers, and long strings.
fn wide() -> Dataset {
    let numbers = (0..ROWS * WIDE).map(|k| ((k * k) as f64 * 0.37).sin()).collect();
    Dataset::from_points(Points::dense(ROWS, WIDE, numbers).unwrap())
}

fn long() -> Dataset {
    let letter = |i: usize, t: usize| ['A', 'C', 'G', 'T'][(i + t * t + t / 7) % 4];
    column(Values::Sequences(Strings::new((0..ROWS).map(|i| (0..LONG).map(|t| letter(i, t)).collect::<String>())))).unwrap()
}

fn cases() -> Vec<Case> {
    let any = testkit::table(ROWS, 11);
    let [wide, long] = [wide(), long()];
    let mut all = Vec::new();
    let models: Vec<String> = generative::catalogue().iter().map(|entry| entry.name.to_owned()).collect();
    let of_models = ["fisher", "probability_product"].iter().flat_map(|of| models.iter().map(move |model| format!("{of}({model})")));
    let listed = kernels::catalogue().into_iter().map(|entry| entry.name.to_owned());
    for text in listed.chain(of_models) {
        let data = table_for(&text, &any);
        let made = kernels_of(&text);
        all.extend(made.iter().map(|kernel| kernel_case(kernel.clone(), &data, "")));
        all.extend([("wide", &wide), ("long", &long)].map(|(on, data)| kernel_case(made[0].clone(), data, on)));
    }
    all.push(kernel_case(KernelExpr::parse("fisher(gaussian(covariance=full))").unwrap(), &wide, "wide"));
    all.push(kernel_case(KernelExpr::parse("probability_product(gaussian(covariance=full))").unwrap(), &wide, "wide"));
    all.push(kernel_case(KernelExpr::parse("fisher(markov(order=5, alphabet=text))").unwrap(), &long, "long"));
    for form in kernels::compositions().iter().map(|c| c.form) {
        all.extend(kernels_of(form.example).into_iter().map(|kernel| kernel_case(kernel, &any, "")));
    }
    let numbers = Dataset::new(any.columns()[..2].to_vec()).unwrap();
    let many_rows = testkit::table(600, 11);
    let many_numbers = Dataset::new(many_rows.columns()[..2].to_vec()).unwrap();
    for entry in estimators::catalogue() {
        let sets = entry.needs == Needs::Vectors;
        let data = if sets { Dataset::new(vec![of_kind(&any, "set")]).unwrap() } else { numbers.clone() };
        for (on, target) in targets(ROWS, 2).into_iter().filter(|(on, _)| *on != "many classes") {
            for estimator in estimators_of(entry.name).into_iter().filter(|e| e.takes(&target)) {
                all.push(fit_case(estimator, None, &data, &target, on));
            }
        }
        let data = if sets { Dataset::new(vec![of_kind(&many_rows, "set")]).unwrap() } else { many_numbers.clone() };
        for (on, target) in targets(600, 300).into_iter().filter(|(on, _)| *on == "many classes") {
            let estimator = EstimatorExpr::parse(entry.name).unwrap();
            if estimator.takes(&target) {
                all.push(fit_case(estimator, None, &data, &target, on));
            }
        }
        if !sets {
            for (on, target) in targets(ROWS, 2).into_iter().filter(|(on, _)| *on != "many classes") {
                let estimator = EstimatorExpr::parse(entry.name).unwrap();
                if estimator.takes(&target) {
                    all.push(fit_case(estimator, None, &wide, &target, on));
                }
            }
        }
    }
    for model in &models {
        for of in ["bayes", "density"] {
            let data = table_for("", &any);
            for (on, target) in targets(ROWS, 2) {
                for estimator in estimators_of(&format!("{of}({model})")).into_iter().filter(|e| e.takes(&target)) {
                    all.push(fit_case(estimator, None, &data, &target, on));
                }
            }
        }
    }
    all
}

fn of_kind(data: &Dataset, name: &str) -> Column {
    data.columns().iter().find(|c| c.name == name).unwrap().clone()
}

/// Runs a share of the cases from one of them on, and names each before it begins.
fn run(part: usize, from: usize) {
    let most = memory_size(ALLOWED).unwrap();
    let all = cases();
    super::warm_up().unwrap();
    let besides = super::HELD.load(Ordering::Relaxed) + BESIDES;
    LIMIT.store(most as usize + besides, Ordering::Relaxed);
    let show = std::env::var_os("SHOW_LIMITS").is_some();
    let begun = Arc::new(Mutex::new(Instant::now()));
    let watched = begun.clone();
    std::thread::spawn(move || {
        while watched.lock().unwrap().elapsed() < HUNG {
            std::thread::sleep(Duration::from_millis(100));
        }
        eprintln!("goes on although its time is up");
        std::process::exit(1);
    });
    for (k, case) in all.iter().enumerate().skip(from).filter(|(k, _)| k % PARTS == part) {
        println!("\ncase {k}: {}", case.name);
        *begun.lock().unwrap() = Instant::now();
        let clock = Instant::now();
        let control = Control { max_memory: most, ..Control::default() }.with_seconds(SECONDS);
        let outcome = (case.work)(&control);
        if let Err(error @ Error::Internal { .. }) = &outcome {
            panic!("{}: {error}", case.name);
        }
        if show {
            println!("  {:.2} s: {}", clock.elapsed().as_secs_f64(), outcome.map_or_else(|e| e.to_string(), |()| "done".into()));
        }
    }
}

#[test]
fn every_entry_at_large_parameters_is_answered_or_refused_within_the_memory_allowed() {
    const NAME: &str = "limits::every_entry_at_large_parameters_is_answered_or_refused_within_the_memory_allowed";
    if let Ok(asked) = std::env::var(PART) {
        let (part, from) = asked.split_once(' ').unwrap();
        return run(part.parse().unwrap(), from.parse().unwrap());
    }
    let show = std::env::var_os("SHOW_LIMITS").is_some();
    let ended = |part: usize| {
        let (mut from, mut ended) = (0, Vec::new());
        loop {
            let mut command = Command::new(std::env::current_exe().unwrap());
            command
                .args(["--exact", NAME, "--nocapture", "--test-threads=1"])
                .env(PART, format!("{part} {from}"))
                .env("RUST_BACKTRACE", "0");
            let output = command.stderr(Stdio::piped()).output().unwrap();
            let said = String::from_utf8_lossy(&output.stdout);
            if show {
                println!("{said}");
            }
            if output.status.success() {
                return ended;
            }
            // The last case that was named ended the process; the others are tried all the same.
            let last = said.lines().rev().find_map(|line| line.strip_prefix("case ")?.split_once(": "));
            let why = String::from_utf8_lossy(&output.stderr).lines().take(4).collect::<Vec<_>>().join(" ");
            let Some((k, name)) = last else { return vec![why] };
            ended.push(format!("{name}: {}: {why}", output.status));
            from = k.parse::<usize>().unwrap() + 1;
        }
    };
    let all: Vec<String> = std::thread::scope(|scope| {
        let parts: Vec<_> = (0..PARTS).map(|part| scope.spawn(move || ended(part))).collect();
        parts.into_iter().flat_map(|part| part.join().unwrap()).collect()
    });
    assert!(all.is_empty(), "{} cases ended their process:\n{}", all.len(), all.join("\n"));
}
