//! What is done with a hostile input: as much of the way from bytes to a prediction as it gets.

use mercer::control::Control;
use mercer::data::Schema;
use mercer::estimators::{EstimatorExpr, Fitted, Want};
use mercer::kernels::KernelExpr;
use mercer::learner::Learner;
use mercer::prep::Recipe;
use mercer::read::{EXAMPLES, ReadOptions, Table};
use mercer::{expr, store};

/// Memory that an honest plan may ask for.
const MEMORY: u64 = 1 << 28;

pub(crate) struct Target {
    pub(crate) name: &'static str,
    pub(crate) run: fn(&[u8]),
    pub(crate) seeds: fn() -> Result<Vec<Vec<u8>>, String>,
    /// What the format is made of.
    pub(crate) words: &'static [&'static str],
}

pub(crate) const ALL: &[Target] = &[
    Target {
        name: "csv",
        run: csv,
        seeds: csv_seeds,
        words: &[
            "\"\"",
            "\r\n",
            "\u{FEFF}",
            "NA",
            "NaN",
            "inf",
            "yes",
            "no",
            "2024-02-29T23:59:60.5+01:00",
            "1,234",
            "$1,234.50",
            "12.5 %",
            "31.12.2016",
            "12/31/2016 6:00 PM",
            "20240229",
            "-999",
            "# ",
            ",\n",
            "sep=;\n",
            "ACGTACGTACGT",
            ";",
            "\n\n",
        ],
    },
    Target {
        name: "libsvm",
        run: libsvm,
        seeds: || folder("libsvm"),
        words: &["qid:1", " 1:1", "#", "\n", "0:", "4294967294:1", " -1", "+1 "],
    },
    Target {
        name: "table",
        run: table,
        seeds: || folder("table"),
        words: &[
            "{\"a\":",
            "[1,2]",
            "null",
            "true",
            "'descr': '<f8'",
            "'shape': (",
            "PK\u{1}\u{2}",
            "\u{1F}",
            ">a b=1\n",
            "@attribute a {x,'y z'}\n",
            "@data\n",
            "{0 1, 2 'x'}",
            "ustar\u{0}00",
            "\\ud800",
            "}\n{",
        ],
    },
    Target {
        name: "expr",
        run: expression,
        seeds: expression_seeds,
        words: &["rbf", "spectrum", "normalise(", "on([", "auto", "0.1..10", "length_scale=", "inf", "svc(c=", ")", "\\\"", "-", "*", "+"],
    },
    Target {
        name: "store",
        run: model,
        seeds: model_seeds,
        words: &["null", "[]", "{}", "\"auto\"", "1e300", "-1", "\"block\":", "\"inline\":"],
    },
];

fn control() -> Control {
    Control { max_memory: MEMORY, ..Control::default() }
}

/// Every file of a folder of seeds.
fn folder(name: &str) -> Result<Vec<Vec<u8>>, String> {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds").join(name);
    let fault = |e: std::io::Error| format!("{}: {e}", path.display());
    let mut paths: Vec<_> =
        std::fs::read_dir(&path).map_err(fault)?.map(|entry| entry.map(|e| e.path())).collect::<Result<_, _>>().map_err(fault)?;
    paths.sort();
    paths.iter().map(|file| std::fs::read(file).map_err(fault)).collect()
}

fn csv_seeds() -> Result<Vec<Vec<u8>>, String> {
    let mut seeds = folder("csv")?;
    for example in EXAMPLES {
        let few: Vec<String> = example.csv().lines().take(12).map(str::to_owned).collect();
        seeds.push(few.join("\n").into_bytes());
    }
    Ok(seeds)
}

fn csv(bytes: &[u8]) {
    if let Ok(table) = Table::parse_delimited("t", bytes) {
        walk(table);
    }
}

fn libsvm(bytes: &[u8]) {
    // The format is told from its first row.
    if let Ok(table) = Table::parse_within("t", &[b"1 1:1\n", bytes].concat(), &ReadOptions::default(), &control()) {
        walk(table);
    }
}

fn table(bytes: &[u8]) {
    if let Ok(table) = Table::parse_within("t", bytes, &ReadOptions::default(), &control()) {
        walk(table);
    }
}

/// From a table to prepared inputs, and the same again as a new table.
fn walk(table: Table) {
    let options = ReadOptions::default();
    for name in [table.header().first(), table.header().last()].into_iter().flatten() {
        let _ = table.clone().take_target(&[name], &options);
        let _ = table.clone().take_weights(name);
        let _ = table.clone().take_groups(name);
        let _ = table.times(name, &options);
    }
    let Ok(data) = table.clone().dataset(&options) else { return };
    assert_eq!(data.rows(), table.rows());
    let again = table.clone().dataset_like(&Schema::of(&data), &options);
    assert!(again.is_ok_and(|again| again.rows() == data.rows()), "what was read is read again");
    let Ok((fitted, _)) = Recipe::default().fit(&data, &[]) else { return };
    let made = fitted.apply(&data);
    assert!(made.is_ok(), "{:?}", made.err());
    let _ = fitted.tell(&data);
}

fn expression_seeds() -> Result<Vec<Vec<u8>>, String> {
    let catalogue =
        mercer::kernels::catalogue().into_iter().map(|k| k.name).chain(mercer::estimators::catalogue().into_iter().map(|e| e.name));
    Ok(folder("expr")?.into_iter().chain(catalogue.map(|name| name.as_bytes().to_vec())).collect())
}

fn expression(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Ok(term) = expr::parse(text) {
        let _ = term.to_string();
    }
    if let Ok(kernel) = KernelExpr::parse(text) {
        let printed = kernel.to_string();
        match KernelExpr::parse(&printed) {
            Ok(again) => assert_eq!(again.to_string(), printed, "what is printed reads back"),
            Err(e) => assert!(printed.is_empty(), "{printed} does not read back: {e}"),
        }
        let _ = (kernel.mercer(), kernel.values());
    }
    if let Ok(list) = EstimatorExpr::parse_list(text) {
        for estimator in list {
            let printed = estimator.to_string();
            assert!(EstimatorExpr::parse(&printed).is_ok_and(|again| again.to_string() == printed), "{printed} does not read back");
        }
    }
}

/// Small models of every kind.
fn model_seeds() -> Result<Vec<Vec<u8>>, String> {
    let made = |estimator: &str, example: &'static mercer::read::Example| -> mercer::error::Result<Vec<u8>> {
        let options = ReadOptions::default();
        let few: Vec<String> = example.csv().lines().step_by(9).map(str::to_owned).collect();
        let mut table = Table::parse("t", few.join("\n").as_bytes())?;
        let (target, info) = table.take_target(&[example.target], &options)?;
        let learner = Learner::new(EstimatorExpr::parse(estimator)?);
        store::to_bytes(&learner.fit(&table.dataset(&options)?, &target, &info, None, &control())?)
    };
    let mut seeds = Vec::new();
    for example in EXAMPLES {
        for estimator in ["svc(c=1)", "svr(c=1)", "ridge(lambda=1)", "gp(noise=0.1)", "knn(k=2)", "baseline"] {
            seeds.extend(made(estimator, example));
        }
    }
    if seeds.len() < 10 { Err(format!("only {} models could be fitted", seeds.len())) } else { Ok(seeds) }
}

fn model(bytes: &[u8]) {
    let _ = store::from_bytes(bytes, "m");
    // The same with a header length and a checksum that are right, so that what lies behind them is reached.
    let Some((prefix, body)) = bytes.split_at_checked(20) else { return };
    let mut header = serde_json::Deserializer::from_slice(body).into_iter::<serde_json::Value>();
    if !matches!(header.next(), Some(Ok(_))) {
        return;
    }
    let length = (header.byte_offset() as u64).to_le_bytes();
    let whole = [&prefix[..8], &length, &crc32fast::hash(body).to_le_bytes(), body].concat();
    if let Ok(model) = store::from_bytes(&whole, "m") {
        let everything = Want { variance: true, covariance: true, probabilities: true, scores: true, by_class: false };
        let _ = model.predict_prepared(&model.support, everything, &Control::default()).map(|p| model.labels(&p));
        let _ = (model.fitted.summary(), model.support_rows(), mercer::report::model_text(&model, 80), mercer::report::model_json(&model));
    }
}
