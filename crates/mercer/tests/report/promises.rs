//! The report at its border: what the table, the JSON document, the page and the figures promise.

use crate::samples;

use mercer::report::{
    AgainstBest, Comparison, Confusion, Curve, Difference, Estimate, LengthScales, Metric, Picture, PredictedTrue, Regions, Reliability,
    Residuals, Row, Task, TuningCurve, figure_files,
};
use mercer::select::BoundStatus;

const HOSTILE: &str = "<script>alert(\"x\")</script>&'\u{0}\u{7}";

fn keys(value: &serde_json::Value) -> Vec<String> {
    let mut all: Vec<String> = value.as_object().into_iter().flat_map(|o| o.keys().cloned()).collect();
    all.sort();
    all
}

fn sorted(names: &str) -> Vec<String> {
    let mut all: Vec<String> = names.split_whitespace().map(String::from).collect();
    all.sort();
    all
}

#[test]
fn the_json_document_has_exactly_the_promised_keys() {
    let value: serde_json::Value = serde_json::from_str(&samples::classes().json().unwrap()).unwrap();
    assert_eq!(
        keys(&value),
        sorted(
            "command task kernel folds seed metric verdict corrected standings leaks classes class_rows baseline notices recommendation rows trials"
        )
    );
    let row = &value["rows"][0];
    assert_eq!((&value["metric"], &value["class_rows"]["setosa"]), (&"accuracy".into(), &50.into()));
    let promised = "estimator settled metrics recalls support fit_seconds predict_us_per_row converged certificate tuning best difference over_guess failure";
    let terms = "at_start scored_rows fitted_rows method folds against_best";
    assert_eq!(keys(row), sorted(&format!("{promised} {terms}")));
    assert_eq!(keys(&row["metrics"]), sorted("accuracy log_loss"));
    assert_eq!(keys(&row["metrics"]["accuracy"]), sorted("mean se folds"));
    assert_eq!(keys(&row["certificate"]), sorted("name value tolerance"));
    assert_eq!(value["task"], "classification");
    assert_eq!(row["metrics"]["accuracy"]["mean"], 0.9733);
    assert!(row["difference"].is_null());
    let value: serde_json::Value = serde_json::from_str(&samples::regression().json().unwrap()).unwrap();
    assert_eq!(value["task"], "regression");
    assert_eq!(keys(&value["rows"][0]["metrics"]), sorted("rmse r2 nlpd"));
    assert_eq!(keys(&value["rows"][1]["metrics"]), sorted("rmse r2"));
}

#[test]
fn a_number_that_is_not_known_is_null_in_json() {
    let mut one = samples::classes();
    one.entries[0].metrics[0].1.se = f64::NAN;
    let value: serde_json::Value = serde_json::from_str(&one.json().unwrap()).unwrap();
    assert!(value["rows"][0]["metrics"]["accuracy"]["se"].is_null());
}

#[test]
fn the_verdict_names_the_best_and_those_within_noise() {
    assert_eq!(
        samples::classes().verdict(),
        "ridge is the most accurate: 97.3% correct (± 1.2). Corrected for the choice among 4: 96.7%. Guessing the largest class: 33.3%. 2 others cannot be distinguished from it \
         with 150 rows."
    );
    assert_eq!(
        samples::regression().verdict(),
        "gp has the lowest error: RMSE 14.21 (± 0.62). Predicting the mean: 41.70. svr cannot be distinguished from it with 220 rows."
    );
    let mut none = samples::classes();
    for row in &mut none.entries {
        row.failure = Some("no".into());
    }
    assert_eq!(none.verdict(), "No winner: no method could be fitted; the table gives the reasons.");
}

#[test]
fn the_verdict_always_holds_what_a_guess_achieves_and_never_speaks_of_what_was_not_judged() {
    let mut c = samples::classes();
    // Nine of ten rows are of one class, and that is all that is learnt.
    c.baseline = Some(Estimate { mean: 0.9691, se: f64::NAN, folds: 0 });
    c.entries[0].over_guess = Some(samples::apart(0.004, 0.01));
    assert!(c.verdict().contains("That is not distinguishable from guessing the largest class: 96.9%."), "{}", c.verdict());
    // A difference that is sure, and the wrong way round.
    c.entries[0].over_guess = Some(samples::apart(-0.1, 0.01));
    assert!(c.verdict().contains("That is not distinguishable from guessing the largest class: 96.9%."));
    // Nothing is known of the error: nothing is compared.
    for row in &mut c.entries {
        row.difference = row.difference.map(|d| Difference { se: f64::NAN, ..d });
    }
    assert_eq!(c.against_best(&c.entries[1]), AgainstBest::NotTuned);
    let mut two = samples::regression();
    two.entries[1].difference = Some(samples::apart(2.2, 1.2));
    assert!(two.verdict().ends_with("svr cannot be distinguished from it with 220 rows."));
    two.entries[1].difference = Some(samples::apart(2.5, 1.2));
    assert!(two.verdict().ends_with("svr is worse."), "{}", two.verdict());
}

#[test]
fn what_is_far_behind_is_never_recommended_and_what_is_not_tuned_is_not_ranked() {
    let mut c = samples::classes();
    // A tenth of what the best gains over a guess is 6.4 points; the interval holds zero all the same.
    c.entries[2].metrics[0].1 = Estimate { mean: 0.87, se: 0.05, folds: 5 };
    c.entries[2].difference = Some(samples::apart(-0.103, 0.06));
    assert_eq!(c.against_best(&c.entries[2]), AgainstBest::NotDistinguishable);
    assert!(c.recommendation().iter().all(|said| !said.contains("knn")));
    for row in &mut c.entries {
        (row.status.rows, row.status.fitted_rows) = (150, 150);
    }
    c.entries[1].difference = Some(samples::apart(-0.2, 0.01));
    assert_eq!(c.against_best(&c.entries[1]), AgainstBest::Worse);
    // What was trained on fewer rows, or was not tuned, has no difference.
    c.entries[1].difference = None;
    assert_eq!(c.against_best(&c.entries[1]), AgainstBest::NotTuned);
    c.entries[1].status.rows = 60;
    assert!(c.standings().contains(&"Not tuned, and so not compared: svc (trained on 60 of 150 rows).".into()), "{:?}", c.standings());
    (c.entries[1].status.rows, c.entries[1].status.at_start) = (150, true);
    let lines = c.standings();
    assert!(lines.contains(&"Not tuned, and so not compared: svc (the budget was spent).".into()), "{lines:?}");
    assert!(lines.contains(&"Worse: logistic.".into()), "{lines:?}");
    let table = c.text(120);
    let line = table.lines().find(|l| l.contains(" svc ")).unwrap();
    assert!(line.contains("not tuned"), "{line}");
}

#[test]
fn text_page_and_json_put_the_same_estimators_in_the_same_lists() {
    let mut c = samples::classes();
    c.entries[2].difference = Some(samples::apart(-0.04, 0.01));
    // What did not converge is judged like the others, and marked.
    c.entries[4].difference = Some(samples::apart(-0.06, 0.01));
    assert!(!c.entries[4].converged);
    let json: serde_json::Value = serde_json::from_str(&c.json().unwrap()).unwrap();
    let said: Vec<&str> = json["rows"].as_array().unwrap().iter().map(|r| r["against_best"].as_str().unwrap()).collect();
    assert_eq!(said, ["best", "not_distinguishable", "worse", "failed", "worse"]);
    let lines = c.standings();
    assert_eq!(lines, ["Not distinguishable from ridge with 150 rows: svc.", "Worse: knn and logistic.", "Failed: nu_svc."]);
    let (text, page) = (c.text(100), c.html().unwrap());
    assert!(lines.iter().all(|line| text.contains(line.as_str()) && page.contains(line.as_str())));
    assert_eq!(json["standings"].as_array().unwrap().len(), 3);
    assert!(text.contains("!: did not converge") && text.contains("Did not converge"));
}

#[test]
fn a_column_that_gives_the_target_away_is_named_in_the_headline() {
    let mut c = samples::classes();
    c.leaks = vec!["refund".into()];
    c.facts = vec!["column 'refund' alone gives the target away".into()];
    let headline = "ridge is the most accurate: 97.3% correct (± 1.2), but column 'refund' alone gives the target away.";
    assert_eq!(c.headline(), headline);
    let page = c.html().unwrap();
    assert!(page.find("but column 'refund'").unwrap() < page.find("<table").unwrap(), "the warning stands above the table");
    assert!(c.text(200).starts_with(headline));
}

#[test]
fn only_the_best_ones_figures_stand_open() {
    let page = samples::classes().html().unwrap();
    assert_eq!(page.matches("<details open").count(), 1);
    let open = page.find("<details open").unwrap();
    assert!(page[open..].starts_with("<details open><summary>ridge"), "{}", &page[open..open + 80]);
}

#[test]
fn recall_of_each_class_is_shown_where_one_is_twenty_times_rarer() {
    let mut c = samples::classes();
    assert!(!c.text(100).contains("Recall") && !c.html().unwrap().contains("Recall of each class"));
    c.class_rows = vec![5, 100, 101];
    c.entries[0].recalls = vec![Some(0.2), Some(0.99), None];
    let text = c.text(100);
    assert!(
        text.contains("rows: setosa 5, versicolor 100, virginica 101\n")
            && text.contains("ridge: setosa 20.0%, versicolor 99.0%, virginica –\n"),
        "{text}"
    );
    let page = c.html().unwrap();
    assert!(page.contains("Recall of each class") && page.contains("<td>20.0%</td>"));
    let value: serde_json::Value = serde_json::from_str(&c.json().unwrap()).unwrap();
    assert_eq!(value["rows"][0]["recalls"]["setosa"], 0.2);
    assert!(value["rows"][0]["recalls"]["virginica"].is_null());
}

#[test]
fn the_terminal_shows_three_metrics_and_page_and_json_all_of_them() {
    let mut c = samples::classes();
    let one = Estimate { mean: 0.77, se: 0.01, folds: 5 };
    for metric in [Metric::BalancedAccuracy, Metric::F1, Metric::Auc, Metric::Brier] {
        c.entries[0].metrics.push((metric, one));
    }
    assert_eq!(c.shown_metrics(), [Metric::Accuracy, Metric::LogLoss, Metric::BalancedAccuracy]);
    let text = c.text(120);
    assert!(
        text.contains("balanced accuracy") && !text.contains("Brier") && text.contains("3 more metrics in --json and --report."),
        "{text}"
    );
    let page = c.html().unwrap();
    assert!(page.contains("Every metric") && page.contains("Brier score"));
    let value: serde_json::Value = serde_json::from_str(&c.json().unwrap()).unwrap();
    assert_eq!(value["rows"][0]["metrics"]["brier"]["mean"], 0.77);
    // Where classes are far from alike, those that see the rare one stand beside the deciding metric.
    c.class_rows = vec![5, 100, 101];
    assert_eq!(c.shown_metrics(), [Metric::Accuracy, Metric::Auc, Metric::BalancedAccuracy]);
}

#[test]
fn values_that_were_tried_are_on_the_page_and_in_full_text_only() {
    let mut c = samples::classes();
    c.details = vec!["svc: c = 3.2 is not identified (tried: 1 (0.9))".into()];
    assert!(!c.text(100).contains("tried:"));
    assert!(c.text_in_full(100).contains("tried: 1 (0.9)") && c.html().unwrap().contains("tried: 1 (0.9)"));
}

/// The lines of the table: heading, rule, one line per estimator.
fn table(c: &Comparison, width: usize) -> Vec<String> {
    c.text(width).lines().skip_while(|l| !l.is_empty()).skip(1).take_while(|l| !l.is_empty()).map(String::from).collect()
}

#[test]
fn the_columns_of_the_table_stand_under_each_other() {
    let lines = table(&samples::classes(), 100);
    assert_eq!(lines.len(), 2 + 5, "{lines:#?}");
    assert!(lines[2].starts_with("* ridge") && lines[3].starts_with("  svc"));
    let at = |line: &str, what: char| line.chars().position(|c| c == what);
    let first = at(&lines[2], '±').unwrap();
    for line in &lines[3..=4] {
        assert_eq!(at(line, '±'), Some(first), "{lines:#?}");
    }
    assert!(lines[5].contains("nu_svc") && lines[5].contains("failed"));
    assert!(lines[3].contains("−0.7 (−2.0 to 0.7)"), "{lines:#?}");
    assert!(samples::classes().text(100).contains("nu_svc: nu=0.9 cannot be met"));
}

#[test]
fn no_line_is_wider_than_asked_whatever_the_names() {
    let mut long = samples::regression();
    long.entries[1].estimator = "a_very_long_name_of_an_estimator_that_no_table_can_hold(c=10, epsilon=0.001)".into();
    long.entries[1].settled = "x".repeat(400);
    long.entries[0].metrics.truncate(1);
    long.entries[0].metrics[0].1 = Estimate { mean: f64::NAN, se: f64::NAN, folds: 0 };
    long.notices.push("word ".repeat(60));
    for c in [long, samples::classes()] {
        for width in [40, 60, 80, 100, 200] {
            let text = c.text(width);
            for line in text.lines() {
                assert!(line.chars().count() <= width, "{width}: {line}");
            }
            assert!(!text.contains("NaN"));
        }
    }
}

#[test]
fn a_table_of_no_estimators_and_no_metrics_is_still_a_report() {
    let mut empty = samples::regression();
    empty.entries.clear();
    assert!(empty.text(100).contains("No winner: no method could be fitted"));
    assert!(empty.html().is_ok() && empty.json().is_ok());
    empty.entries.push(Row { estimator: "x".into(), best: true, ..Row::default() });
    assert!(empty.text(100).contains("* x"));
    balanced(&empty.html().unwrap());
}

/// Every element that is opened is closed, in order.
fn balanced(page: &str) {
    const ALONE: [&str; 3] = ["meta", "br", "!DOCTYPE"];
    let mut open: Vec<String> = Vec::new();
    let mut rest = page;
    while let Some(at) = rest.find('<') {
        let end = at + rest[at..].find('>').unwrap_or_default();
        let tag = &rest[at + 1..end];
        rest = &rest[end + 1..];
        let name = tag.trim_start_matches('/').split_whitespace().next().unwrap_or_default().trim_end_matches('/');
        if tag.starts_with('/') {
            assert_eq!(open.pop().as_deref(), Some(name));
        } else if !tag.ends_with('/') && !ALONE.contains(&name) {
            open.push(name.into());
        }
    }
    assert!(open.is_empty(), "{open:?}");
}

#[test]
fn the_page_is_balanced_asks_the_network_for_nothing_and_has_every_section() {
    for c in [samples::classes(), samples::regression(), samples::confusion()] {
        let page = c.html().unwrap();
        balanced(&page);
        let bare = page.replace("xmlns=\"http://www.w3.org/2000/svg\"", "");
        for asks in ["http://", "https://", "src=", "<script", "@import", "url(", "<link"] {
            assert!(!bare.contains(asks), "{asks}");
        }
        for needs in ["lang=\"en\"", "name=\"viewport\"", "prefers-color-scheme:dark", "scope=\"col\"", "scope=\"row\"", "<pre>"] {
            assert!(page.contains(needs), "{needs}");
        }
        let pictures: usize = c.entries.iter().map(|r| r.pictures.len()).sum();
        assert_eq!(page.matches("<svg ").count(), pictures);
        assert_eq!(page.matches("role=\"img\" aria-label=\"").count(), pictures);
        assert!(page.len() < 1_000_000, "{}", page.len());
    }
}

#[test]
fn a_page_of_five_estimators_and_many_rows_stays_under_a_megabyte() {
    let mut heavy = samples::classes();
    for row in &mut heavy.entries {
        let (codes, points) = (0..20_000).map(|i| (i % 3, [(i * 37 % 700) as f64 / 100.0, (i * 91 % 330) as f64 / 100.0 - 0.5])).unzip();
        let wild = |c: usize| ((c % 120) as f64 * 0.3).sin() * ((c / 120) as f64 * 0.25).cos();
        row.failure = None;
        row.pictures = vec![Picture::Regions(Regions {
            axes: ["a", "b"].map(String::from),
            held: 0,
            classes: ["x", "y", "z"].map(String::from).into(),
            across: [0.0, 7.0],
            upwards: [-0.5, 2.8],
            cells: 120,
            predicted: (0..120 * 120).map(|c| if wild(c) > 0.3 { 2 } else { usize::from(wild(c) > 0.0) }).collect(),
            points,
            codes,
            support: (0..10_000).collect(),
        })];
    }
    let page = heavy.html().unwrap();
    assert!(page.len() < 1_000_000, "{}", page.len());
    assert!(page.contains("Predicted classes (800 of 20\u{202f}000 rows drawn)"));
}

#[test]
fn every_colour_of_a_figure_has_a_partner_for_dark_screens() {
    for c in [samples::classes(), samples::regression(), samples::confusion()] {
        for row in &c.entries {
            for picture in &row.pictures {
                let file = picture.file(row).unwrap();
                let (style, drawing) = file.split_once("</style>").unwrap();
                for attribute in ["fill=\"#", "stroke=\"#"] {
                    for rest in drawing.split(attribute).skip(1) {
                        let colour = &rest[..6];
                        assert!(style.contains(&format!("[{attribute}{colour}\"]")), "{attribute}{colour}");
                    }
                }
            }
        }
    }
}

fn hostile_choice() -> TuningCurve {
    let mut curve = samples::choice([BoundStatus::Open, BoundStatus::End], None);
    curve.criterion = HOSTILE.into();
    (curve.parameter.name, curve.parameter.path) = (HOSTILE.into(), HOSTILE.into());
    curve.parameter.tried = vec![(-1.0, f64::NAN), (0.0, 1e300), (1e300, -1e300)];
    curve
}

fn hostile_pictures() -> Vec<Picture> {
    let bad = || HOSTILE.to_owned();
    vec![
        Picture::Regions(Regions {
            axes: [bad(), bad()],
            held: 1,
            classes: vec![bad(), bad()],
            across: [0.0, 1.0],
            upwards: [0.0, 1.0],
            cells: 2,
            predicted: vec![0, 1, 1, 0],
            points: vec![[0.5, 0.5], [f64::NAN, 0.1]],
            codes: vec![0, 1],
            support: vec![0, 99],
        }),
        Picture::PredictedTrue(PredictedTrue {
            target: bad(),
            truth: vec![1.0, f64::NAN, 1e300],
            predicted: vec![1.0, 2.0, f64::INFINITY],
            intervals: vec![[0.0, 2.0], [f64::NAN, 1.0], [-1e300, 1e300]],
            level: 0.9,
        }),
        Picture::Curve(Curve {
            input: bad(),
            target: bad(),
            at: vec![0.0, 1.0],
            mean: vec![f64::NAN, 1.0],
            band: vec![[0.0, 1.0], [0.0, 1.0]],
            level: 0.95,
            x: vec![2.0],
            y: vec![5.0],
            support: vec![],
        }),
        Picture::Confusion(Confusion { classes: vec![bad(), bad()], counts: vec![1, 2, 3, 4] }),
        Picture::Residuals(Residuals { target: bad(), predicted: vec![1.0, f64::NAN, 3.0], residual: vec![0.1, 1.0, f64::INFINITY] }),
        Picture::Reliability(Reliability::of(bad(), &[(0.5, true), (f64::NAN, false), (1.0, true)])),
        Picture::Reliability(Reliability::of(bad(), &[])),
        Picture::LengthScales(LengthScales {
            kernel: bad(),
            columns: vec![bad(), bad()],
            lengths: vec![0.0, f64::INFINITY],
            standardised: false,
        }),
        Picture::Tuning(hostile_choice()),
    ]
}

#[test]
fn hostile_names_are_escaped_everywhere() {
    let mut c = samples::classes();
    (c.command, c.table, c.kernel) = (HOSTILE.into(), HOSTILE.into(), HOSTILE.into());
    c.task = Task::Regression { targets: vec![HOSTILE.into()] };
    c.columns = vec![HOSTILE.into()];
    c.notices = vec![HOSTILE.into()];
    for row in &mut c.entries {
        (row.estimator, row.settled) = (HOSTILE.into(), HOSTILE.into());
        row.pictures = hostile_pictures();
        row.failure = row.failure.as_ref().map(|_| HOSTILE.into());
    }
    let page = c.html().unwrap();
    balanced(&page);
    assert!(!page.contains("<script") && !page.contains("=\"x\""));
    let control = |t: &str| t.chars().any(|c| c.is_control() && c != '\n');
    assert!(!control(&page) && !control(&c.text(100)));
    for picture in hostile_pictures() {
        let file = picture.file(&c.entries[0]).unwrap();
        balanced(&file);
        assert!(!file.contains("<script") && !control(&file));
        assert!(file.starts_with("<svg ") && file.trim_end().ends_with("</svg>"));
    }
}

#[test]
fn lists_that_do_not_fit_each_other_are_an_error_and_not_a_panic() {
    let row = Row::default();
    let wrong = [
        Picture::Confusion(Confusion { classes: vec!["a".into()], counts: vec![1, 2] }),
        Picture::PredictedTrue(PredictedTrue { target: "t".into(), truth: vec![1.0], predicted: vec![], intervals: vec![], level: 0.9 }),
    ];
    for picture in wrong {
        assert!(picture.svg(&row).is_err());
    }
    let none = Picture::Confusion(Confusion { classes: vec![], counts: vec![] });
    balanced(&none.svg(&row).unwrap());
}

#[test]
fn files_of_figures_have_names_that_every_file_system_takes_and_no_two_alike() {
    let mut c = samples::classes();
    for row in &mut c.entries {
        row.estimator = "svc(c=1, weird/../\u{e9})".into();
    }
    let files = figure_files(&c.entries).unwrap();
    assert_eq!(files.len(), c.entries.iter().filter(|r| r.failure.is_none()).map(|r| r.pictures.len()).sum::<usize>());
    let names: std::collections::BTreeSet<&str> = files.iter().map(|(n, _)| n.as_str()).collect();
    assert_eq!(names.len(), files.len());
    let fine = |n: &str| n.ends_with(".svg") && n.chars().all(|c| c.is_ascii_alphanumeric() || "-_.=".contains(c));
    assert!(names.iter().all(|n| fine(n)) && names.contains("svc_c=1_weird-regions.svg"), "{names:?}");
}
