//! Hostile inputs: `mercer-fuzz TARGET [--seconds N] [--seed N] [FILE...]` changes its seeds at random and watches for a
//! panic, for an input that takes too long, and for one that takes too much memory. With files it runs those alone.
//!
//! Built with the flags of `make fuzz` the compiler counts the edges that an input reaches, and inputs that reach new ones
//! become seeds (see `coverage`). What is found is written to `fuzz/findings/`, the first finding ends the run.

mod coverage;
mod memory;
mod mutate;
mod targets;
mod watch;

use coverage::Coverage;
use mutate::Mutator;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::time::{Duration, Instant};
use targets::Target;

#[global_allocator]
static MEMORY: memory::Counting = memory::Counting;

/// Inputs are cut off here: faults of size show long before.
const LONGEST: usize = 1 << 14;

struct Options {
    target: &'static Target,
    seconds: u64,
    seed: u64,
    files: Vec<String>,
}

fn options() -> Result<Options, String> {
    let mut words = std::env::args().skip(1);
    let names: Vec<&str> = targets::ALL.iter().map(|t| t.name).collect();
    let usage = format!("usage: mercer-fuzz TARGET [--seconds N] [--seed N] [FILE...]; targets: {}", names.join(", "));
    let name = words.next().ok_or_else(|| usage.clone())?;
    let target = targets::ALL.iter().find(|t| t.name == name).ok_or_else(|| usage.clone())?;
    let mut options = Options { target, seconds: 600, seed: 0, files: Vec::new() };
    while let Some(word) = words.next() {
        let mut number = || words.next().and_then(|w| w.parse().ok()).ok_or_else(|| usage.clone());
        match word.as_str() {
            "--seconds" => options.seconds = number()?,
            "--seed" => options.seed = number()?,
            _ => options.files.push(word),
        }
    }
    Ok(options)
}

fn main() -> ExitCode {
    match options().and_then(|options| if options.files.is_empty() { search(&options) } else { replay(&options) }) {
        Ok(said) => {
            println!("{said}");
            ExitCode::SUCCESS
        }
        Err(said) => {
            eprintln!("{said}");
            ExitCode::FAILURE
        }
    }
}

/// Runs one input; an error is a finding, written to a file.
fn run(target: &Target, input: &[u8]) -> Result<(), String> {
    watch::begin(target.name, input);
    memory::begin();
    let outcome = catch_unwind(AssertUnwindSafe(|| (target.run)(input)));
    watch::end();
    match outcome {
        Err(_) => Err(watch::keep(target.name, input, "it panicked")),
        Ok(()) if memory::most() > memory::BOUND => {
            Err(watch::keep(target.name, input, &format!("it took {} MB of memory", memory::most() / 1_000_000)))
        }
        Ok(()) => Ok(()),
    }
}

fn replay(options: &Options) -> Result<String, String> {
    for file in &options.files {
        let input = std::fs::read(file).map_err(|e| format!("{file}: {e}"))?;
        run(options.target, &input)?;
        println!("{file}: no finding");
    }
    Ok(format!("{} files", options.files.len()))
}

fn search(options: &Options) -> Result<String, String> {
    let target = options.target;
    let mut coverage = Coverage::new();
    let mut mutator = Mutator::new(options.seed, target.words);
    let mut kept = (target.seeds)()?;
    let of_project = kept.len();
    for input in &kept {
        run(target, input)?;
        coverage.is_new();
    }
    let begin = Instant::now();
    let end = begin + Duration::from_secs(options.seconds);
    let mut runs: u64 = 0;
    while Instant::now() < end {
        let mut input = mutator.change(&kept);
        input.truncate(LONGEST);
        run(target, &input)?;
        runs += 1;
        if coverage.is_new() {
            kept.push(input);
        }
    }
    let guided = match coverage.edges() {
        0 => "built without counters, so that no input was added to the seeds".into(),
        edges => {
            format!("{} inputs added to the {of_project} seeds, {} of {edges} edges reached", kept.len() - of_project, coverage.reached())
        }
    };
    Ok(format!("{}: no finding in {runs} inputs over {} s; {guided}", target.name, begin.elapsed().as_secs()))
}
