//! Two hundred random jobs under a hard limit of memory: each is done or refused, none is killed. And the limit that the user
//! sets is what the process holds at its peak.
#![cfg(target_os = "linux")]

use super::shell::Shell;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::process::Command;

/// Address space that two threads reserve and hardly touch: arenas of the allocator, stacks, and work space of matrix
/// products, twice the third-level cache for each thread; an arena for the thread that waits for signals, and one that is mapped
/// for a moment to align another. What a job plans with comes on top.
fn program() -> u64 {
    let text = std::fs::read_to_string("/sys/devices/system/cpu/cpu0/cache/index3/size").unwrap_or_default();
    let cache = text.trim().strip_suffix('K').and_then(|kb| kb.parse::<u64>().ok()).map_or(33_000_000, |kb| kb * 1024);
    100_000_000 + 2 * 67_200_000 + 2 * (76_000_000 + 2 * cache)
}

struct Job {
    words: Vec<String>,
    memory: u64,
}

fn table(random: &mut Xoshiro256PlusPlus, rows: usize) -> String {
    let mut text = String::from("a,b,c,d,seq,class,number\n");
    for i in 0..rows {
        let x: Vec<f64> = (0..4).map(|_| random.random::<f64>()).collect();
        let letters: String = (0..8).map(|_| ['A', 'C', 'G', 'T'][random.random_range(0..4)]).collect();
        let class = ["p", "q", "r"][(3.0 * x[0]) as usize % 3];
        text.push_str(&format!(
            "{:.4},{:.4},{:.4},{:.4},{letters},{class},{:.4}\n",
            x[0],
            x[1],
            x[2],
            x[3],
            x[0] * 3.0 + x[1] + i as f64 * 1e-4
        ));
    }
    text
}

fn job(random: &mut Xoshiro256PlusPlus, number: usize, rows: &[usize]) -> Job {
    let mut pick = |list: &[&str]| list[random.random_range(0..list.len())].to_owned();
    let classes = pick(&["class", "number"]) == "class";
    let estimators: &[&str] = if classes {
        &["svc(c=1)", "svc", "ridge(lambda=0.1)", "ridge", "knn(k=3)", "knn", "baseline"]
    } else {
        &["gp(noise=0.1, variance=1)", "gp", "svr(c=1, epsilon=0.1)", "ridge(lambda=0.1)", "ridge", "knn(k=3)", "baseline"]
    };
    let (target, other) = if classes { ("class", "number") } else { ("number", "class") };
    let kernel = pick(&[
        "on([a, b, c, d], rbf(length_scale=0.5))",
        "on([a, b, c, d], rbf)",
        "on([a, b], matern(nu=1.5)) + on([c, d], linear)",
        "on(seq, spectrum(k=3))",
        "on([a, b, c, d], laplacian(ard=true))",
        "on(a, rbf) * on(seq, normalise(spectrum(k=2)))",
    ]);
    let estimator = pick(estimators);
    let rows = rows[random.random_range(0..rows.len())];
    let memory = [1_000_000u64, 4_000_000, 12_000_000, 40_000_000, 120_000_000][random.random_range(0..5)];
    let table = format!("t{rows}.csv");
    let mut words: Vec<String> =
        ["fit", &table, "--target", target, "--types", &format!("seq=sequence,{other}=ignore")].map(String::from).into();
    words.extend(["--kernel", &kernel, "--estimator", &estimator, "--threads", "2", "--max-seconds", "0.3"].map(String::from));
    words.extend(["-o".into(), format!("m{number}.mercer")]);
    // Every other job insists on all rows, the rest take what they can.
    if number.is_multiple_of(2) {
        words.extend(["--sample".into(), rows.to_string()]);
    }
    // Every fourth job has to find out by itself what it may take.
    if !number.is_multiple_of(4) {
        words.extend(["--max-memory".into(), memory.to_string()]);
    }
    Job { words, memory }
}

#[test]
fn two_hundred_jobs_under_a_hard_limit_are_done_or_refused_and_none_is_killed() {
    let shell = Shell::new();
    let mut random = Xoshiro256PlusPlus::seed_from_u64(200);
    let sizes = [20, 150, 500, 1200, 2500, 5000];
    for rows in sizes {
        let text = table(&mut random, rows);
        shell.write(&format!("t{rows}.csv"), text);
    }
    let binary = assert_cmd::cargo::cargo_bin("mercer");
    let (mut done, mut refused, mut late) = (0, 0, 0);
    for number in 0..200 {
        let Job { words, memory } = job(&mut random, number, &sizes);
        let script = format!("ulimit -v {} && exec \"$0\" \"$@\"", (program() + memory) / 1024);
        let output = Command::new("bash").arg("-c").arg(script).arg(&binary).args(&words).current_dir(shell.folder()).output().unwrap();
        let said = format!("job {number}: {memory} bytes, mercer {}\n{}", words.join(" "), String::from_utf8_lossy(&output.stderr));
        let model = shell.path(&format!("m{number}.mercer"));
        match output.status.code() {
            Some(0) => {
                assert!(model.exists(), "{said}");
                done += 1;
            }
            Some(4) if said.contains("of memory and may take") && said.contains("--max-memory") => refused += 1,
            Some(4) if said.contains("time was up") => late += 1,
            code => panic!("exit {code:?}: {said}"),
        }
        if output.status.code() != Some(0) {
            assert!(!model.exists(), "{said}");
        }
    }
    println!("200 jobs: {done} done, {refused} refused for memory, {late} for time");
    assert!(done >= 50 && refused >= 10, "{done} done, {refused} refused");
    assert!(shell.files().iter().all(|f| !f.ends_with(".part")));
}

/// The stacks and the work space of two threads.
const WORK_SPACE: u64 = 24_000_000;

/// What the program may hold beyond the limit that it is given: what the least fit takes, most of it code, and its work space; `None` as of
/// [`peak`].
fn program_held(shell: &Shell) -> Option<u64> {
    shell.write("least.csv", "x,y\n1,1\n2,2\n3,4\n");
    let (code, held, said) = peak(shell, &["fit", "least.csv", "--target", "y", "--estimator", "baseline", "-o", "least.mercer"])?;
    assert_eq!(code, Some(0), "{said}");
    Some(held + WORK_SPACE)
}

/// Runs mercer and returns its exit code, the most memory that it held, and what it said; `None` where GNU time is not there.
fn peak(shell: &Shell, words: &[&str]) -> Option<(Option<i32>, u64, String)> {
    let time = std::path::Path::new("/usr/bin/time");
    if !time.exists() {
        println!("skipped: /usr/bin/time is not there, which says how much memory a process held");
        return None;
    }
    let binary = assert_cmd::cargo::cargo_bin("mercer");
    let file = shell.path("held");
    let output = Command::new(time)
        .args(["-f", "%M", "-o"])
        .arg(&file)
        .arg(binary)
        .args(words)
        .args(["--threads", "2"])
        .current_dir(shell.folder())
        .output()
        .unwrap();
    let held = std::fs::read_to_string(file).unwrap();
    let kilobytes: u64 = held.lines().last().unwrap().trim().parse().unwrap();
    Some((output.status.code(), 1024 * kilobytes, String::from_utf8_lossy(&output.stderr).into_owned()))
}

#[test]
fn no_command_holds_more_than_its_limit_and_the_program_itself() {
    let shell = Shell::new();
    let Some(program) = program_held(&shell) else { return };
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    let text = table(&mut random, 2000);
    shell.write("t.csv", text);
    let fit = |target: &'static str, other: &'static str, estimator: &'static str, limit: &'static str| {
        let task = ["fit", "t.csv", "--target", target, "--types", other, "--estimator", estimator];
        [&task[..], &["--max-memory", limit, "-o", "m.mercer"]].concat()
    };
    let (number, class) = ("seq=ignore,class=ignore", "seq=ignore,number=ignore");
    let jobs = [
        (fit("number", number, "gp(noise=0.1, variance=1)", "50MB"), 50_000_000),
        (vec!["predict", "m.mercer", "t.csv", "--std", "--max-memory", "30MB", "-o", "p.csv"], 30_000_000),
        (fit("number", number, "gp", "50MB"), 50_000_000),
        (fit("number", number, "ridge(lambda=0.1)", "50MB"), 50_000_000),
        (fit("number", number, "ridge", "50MB"), 50_000_000),
        (fit("number", number, "svr(c=1, epsilon=0.1)", "14MB"), 14_000_000),
        (fit("class", class, "svc(c=1)", "14MB"), 14_000_000),
        (fit("class", class, "knn(k=3)", "12MB"), 12_000_000),
        (vec!["predict", "m.mercer", "t.csv", "--max-memory", "12MB", "-o", "p.csv"], 12_000_000),
    ];
    for (words, limit) in jobs {
        let Some((code, held, said)) = peak(&shell, &words) else { return };
        assert_eq!(code, Some(0), "mercer {}: {said}", words.join(" "));
        assert!(held <= limit + program, "mercer {}: held {held} bytes", words.join(" "));
    }
}

#[test]
fn what_a_comparison_plans_within_its_memory_is_fitted() {
    let shell = Shell::new();
    let Some(program) = program_held(&shell) else { return };
    let mut random = Xoshiro256PlusPlus::seed_from_u64(2);
    shell.write("t.csv", table(&mut random, 2500));
    for (target, types, estimators, limit) in
        [("number", "seq=ignore,class=ignore", "gp,ridge", 40_000_000), ("class", "seq=ignore,number=ignore", "ridge,svc", 24_000_000)]
    {
        let most = limit.to_string();
        let words = ["compare", "t.csv", "--target", target, "--types", types, "--estimators", estimators, "--max-memory", &most];
        let words = [&words[..], &["--max-seconds", "60", "--json", "o.json"]].concat();
        let Some((code, held, said)) = peak(&shell, &words) else { return };
        assert_eq!(code, Some(0), "mercer {}: {said}", words.join(" "));
        assert!(held <= limit + program, "mercer {}: held {held} bytes", words.join(" "));
        let json = std::fs::read_to_string(shell.path("o.json")).unwrap();
        assert!(json.matches("\"failure\": null").count() == 2, "{json}");
    }
}

#[test]
fn a_table_of_which_a_comparison_cannot_hold_its_copies_is_refused_with_its_size() {
    let shell = Shell::new();
    let Some(program) = program_held(&shell) else { return };
    let mut random = Xoshiro256PlusPlus::seed_from_u64(3);
    shell.write("t.csv", table(&mut random, 20_000));
    let words = ["compare", "t.csv", "--target", "number", "--types", "seq=ignore,class=ignore", "--max-memory", "2MB"];
    let Some((code, held, said)) = peak(&shell, &words) else { return };
    assert_eq!(code, Some(4), "{said}");
    assert!(said.contains("20000 rows") && said.contains("--max-memory") && said.contains("give fewer rows or columns"), "{said}");
    assert!(held <= 2_000_000 + program, "held {held} bytes");
}

/// Bytes or seconds of a line of a plan: the numbers before units, added up.
fn figure(line: &str, units: &[(&str, f64)]) -> Option<f64> {
    let words: Vec<&str> = line.split([' ', ',']).filter(|w| !w.is_empty()).collect();
    let one = |pair: &[&str]| {
        let (_, factor) = units.iter().find(|(unit, _)| *unit == pair[1])?;
        pair[0].parse::<f64>().ok().map(|number| number * factor)
    };
    words.windows(2).filter_map(one).reduce(|a, b| a + b)
}

// spec: R09
#[test]
fn a_plan_says_bytes_and_seconds_before_anything_is_fitted() {
    let shell = Shell::new();
    let mut random = Xoshiro256PlusPlus::seed_from_u64(5);
    let said = |rows: usize, random: &mut Xoshiro256PlusPlus| {
        shell.write("t.csv", table(random, rows));
        let words = ["plan", "t.csv", "--target", "number", "--types", "seq=ignore,class=ignore", "--estimators", "ridge,gp"];
        // No budget: all that there is to do.
        let plan = shell.done(&[&words[..], &["--kernel", "rbf", "--max-memory", "16GB", "--thorough"]].concat()).out;
        assert_eq!(shell.files(), ["t.csv"]);
        assert!(plan.starts_with("plan: "), "{plan}");
        let (bytes, seconds) =
            ([("kB", 1e3), ("MB", 1e6), ("GB", 1e9)], [("ms", 1e-3), ("s", 1.0), ("min", 60.0), ("h", 3600.0), ("days", 86_400.0)]);
        ["ridge", "gp"].map(|name| {
            let line = plan.lines().find(|l| l.trim_start().starts_with(name)).unwrap_or_else(|| panic!("{name}: {plan}"));
            let memory = line.find(" of memory").and_then(|end| figure(&line[..end + 3], &bytes));
            let time = line.find("about ").and_then(|start| figure(&line[start..], &seconds));
            (memory.unwrap_or_else(|| panic!("bytes: {line}")), time.unwrap_or_else(|| panic!("seconds: {line}")))
        })
    };
    let (few, many) = (said(4000, &mut random), said(8000, &mut random));
    for ((bytes, seconds), (more, longer)) in few.iter().zip(&many) {
        // A matrix of numbers of 8 bytes for each pair of rows at least, and four times as much for twice the rows.
        assert!(*bytes >= 8.0 * 4000.0 * 4000.0 && (3.0..=5.0).contains(&(more / bytes)), "{bytes} and {more} bytes");
        // Fits are cubic in rows, searches on samples are not: more than twice as long for twice the rows.
        assert!(*seconds > 0.0 && (2.0..=10.0).contains(&(longer / seconds)), "{seconds} and {longer} seconds");
    }
}
