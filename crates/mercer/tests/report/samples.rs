//! Comparisons made up for the tests of the report and for its example page; no estimator is run.

use mercer::estimators::Certificate;
use mercer::report::{
    Comparison, Confusion, Curve, Difference, Estimate, LengthScales, Metric, Picture, PredictedTrue, Regions, Reliability, Residuals, Row,
    Task, TuningCurve,
};
use mercer::select::{BoundStatus, TunedParameter};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

fn estimate(mean: f64, se: f64) -> Estimate {
    Estimate { mean, se, folds: 5 }
}

/// A difference with an interval of two errors on either side.
pub(crate) fn apart(mean: f64, se: f64) -> Difference {
    Difference { mean, se, low: mean - 2.0 * se, high: mean + 2.0 * se, tied: false }
}

fn strings<const N: usize>(all: [&str; N]) -> Vec<String> {
    all.map(String::from).into()
}

/// A value that looks normal: the sum of twelve uniform ones.
fn noise(random: &mut Xoshiro256PlusPlus) -> f64 {
    (0..12).map(|_| random.random::<f64>()).sum::<f64>() - 6.0
}

fn row(estimator: &str, settled: &str, metrics: Vec<(Metric, Estimate)>, difference: Option<Difference>) -> Row {
    Row {
        status: Default::default(),
        estimator: estimator.into(),
        settled: settled.into(),
        brief: String::new(),
        metrics,
        test: None,
        support: 150,
        weights: 0,
        fit_seconds: 0.0034,
        predict_us_per_row: 1.8,
        converged: true,
        certificate: Some(Certificate { name: "relative residual".into(), value: 3.1e-16, tolerance: 1e-10 }),
        tuning: None,
        method: None,
        best: difference.is_none(),
        difference,
        over_guess: None,
        log_loss_difference: None,
        folds: Vec::new(),
        held_out: None,
        recalls: Vec::new(),
        by_target: Vec::new(),
        failure: None,
        unreached: false,
        pictures: Vec::new(),
        influences: Vec::new(),
    }
}

/// The scores of some values of c, the best at 3.2.
pub(crate) fn choice(edges: [BoundStatus; 2], at_bound: Option<mercer::select::End>) -> TuningCurve {
    TuningCurve {
        criterion: "4-fold cross-validated accuracy".into(),
        label: "accuracy".into(),
        rises: true,
        score: 0.967,
        same: 0.952,
        parameter: TunedParameter {
            name: "c".into(),
            column: None,
            path: "c".into(),
            value: 3.2,
            low: 0.001,
            high: 1000.0,
            integer: false,
            tried: vec![(0.1, 0.91), (1.0, 0.95), (3.2, 0.967), (10.0, 0.96), (110.0, 0.94)],
            at_bound,
            same: [1.05, 40.0],
            edges,
        },
        errors: Vec::new(),
    }
}

fn reliability() -> Picture {
    let stated: Vec<(f64, bool)> = (0..150).map(|i| (0.35 + 0.65 * f64::from(i) / 150.0, i % 7 != 0 && i % 150 > 12)).collect();
    Picture::Reliability(Reliability::of("the predicted class".into(), &stated))
}

const CENTRES: [[f64; 2]; 3] = [[1.4, 0.25], [4.3, 1.35], [5.5, 2.0]];

fn regions(support: Vec<usize>, bend: f64) -> Picture {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(7);
    let codes: Vec<usize> = (0..150).map(|i| i / 50).collect();
    let points: Vec<[f64; 2]> =
        codes.iter().map(|&k| [CENTRES[k][0] + 0.45 * noise(&mut random), CENTRES[k][1] + 0.22 * noise(&mut random)]).collect();
    let (cells, lines) = (120, 100);
    let (across, upwards) = ([0.0, 7.0], [-0.5, 2.8]);
    let predicted = (0..cells * lines)
        .map(|c| {
            let x = across[0] + (across[1] - across[0]) * ((c % cells) as f64 + 0.5) / cells as f64;
            let y = upwards[0] + (upwards[1] - upwards[0]) * ((c / cells) as f64 + 0.5) / lines as f64;
            let far = |k: &usize| {
                let [a, b] = CENTRES[*k];
                (x - a).powi(2) + 4.0 * (y - b).powi(2) + bend * (3.0 * x + *k as f64).sin() * (y + 0.3).cos()
            };
            (0..3).min_by(|a, b| far(a).total_cmp(&far(b))).unwrap_or(0)
        })
        .collect();
    Picture::Regions(Regions {
        axes: ["petal length [cm]", "petal width [cm]"].map(String::from),
        held: 0,
        classes: strings(["setosa", "versicolor", "virginica"]),
        across,
        upwards,
        cells,
        predicted,
        points,
        codes,
        support,
    })
}

/// Three classes over two columns, five estimators, one of them failed.
pub(crate) fn classes() -> Comparison {
    let both = |a, b| vec![(Metric::Accuracy, a), (Metric::LogLoss, b)];
    let mut ridge =
        row("ridge", "rbf(length_scale=[0.71, 0.32]), lambda=0.013", both(estimate(0.9733, 0.0123), estimate(0.0912, 0.021)), None);
    ridge.over_guess = apart(0.64, 0.04).into();
    ridge.pictures = vec![regions((0..150).collect(), 0.4), reliability()];
    let apart = |m, s| Some(apart(m, s));
    let mut svc = row(
        "svc",
        "rbf(length_scale=[0.71, 0.32]), c=3.2",
        both(estimate(0.9667, 0.0149), estimate(0.1034, 0.024)),
        apart(-0.0067, 0.0067),
    );
    svc.support = 28;
    svc.pictures = vec![
        regions((0..150).filter(|i| i % 4 == 1 && *i > 40).collect(), 0.8),
        Picture::Tuning(choice([BoundStatus::Worse; 2], None)),
        Picture::Tuning(choice([BoundStatus::Worse, BoundStatus::Open], None)),
    ];
    let mut knn =
        row("knn", "rbf(length_scale=[0.71, 0.32]), k=7", both(estimate(0.9600, 0.0163), estimate(0.2051, 0.061)), apart(-0.0133, 0.0082));
    knn.pictures = vec![regions((0..150).collect(), 1.6)];
    knn.certificate = None;
    let mut svc_nu = row("nu_svc", "", Vec::new(), None);
    svc_nu.best = false;
    svc_nu.failure = Some("nu=0.9 cannot be met with these classes: it must be at most 0.67".into());
    let mut logistic = row(
        "logistic",
        "rbf(length_scale=[0.71, 0.32]), lambda=0.0002",
        both(estimate(0.9333, 0.0211), estimate(0.1406, 0.031)),
        apart(-0.0400, 0.0124),
    );
    logistic.converged = false;
    logistic.fit_seconds = 4.12;
    logistic.certificate = Some(Certificate { name: "relative gradient".into(), value: 2.4e-3, tolerance: 1e-6 });
    logistic.pictures = vec![regions((0..150).collect(), 0.0)];
    Comparison {
        trials: Vec::new(),
        facts: Vec::new(),
        command: "mercer compare iris.csv --target species --columns petal_length,petal_width --folds 10 --seed 1 --report iris.html"
            .into(),
        table: "iris.csv".into(),
        rows: 150,
        task: Task::Classification { classes: strings(["setosa", "versicolor", "virginica"]) },
        kernel: "rbf(petal_length, petal_width, length_scale=auto)".into(),
        folds: 10,
        seed: 1,
        columns: strings(["petal length [cm]: scaled to mean 0 and deviation 1.", "petal width [cm]: scaled to mean 0 and deviation 1."]),
        notices: strings(["3 rows stand twice; folds keep each pair together."]),
        details: Vec::new(),
        leaks: Vec::new(),
        class_rows: vec![50, 50, 50],
        baseline: Some(estimate(1.0 / 3.0, f64::NAN)),
        corrected: Some(0.9668),
        test: None,
        entries: vec![ridge, svc, knn, svc_nu, logistic],
    }
}

/// One target, intervals, and a curve over one column.
pub(crate) fn regression() -> Comparison {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(3);
    let truth: Vec<f64> = (0..220).map(|_| 240.0 + 38.0 * noise(&mut random)).collect();
    let predicted: Vec<f64> = truth.iter().map(|t| 240.0 + 0.86 * (t - 240.0) + 13.0 * noise(&mut random)).collect();
    let intervals: Vec<[f64; 2]> = predicted.iter().map(|p| [p - 28.0, p + 28.0]).collect();
    let scatter = |intervals: &[[f64; 2]]| {
        Picture::PredictedTrue(PredictedTrue {
            target: "price [kEUR]".into(),
            truth: truth.clone(),
            predicted: predicted.clone(),
            intervals: intervals.to_vec(),
            level: 0.95,
        })
    };
    let wave = |t: f64| 220.0 + 60.0 * (t / 9.0).sin() + 1.1 * t;
    let x: Vec<f64> = (0..90).map(|_| 100.0 * random.random::<f64>()).collect();
    let y: Vec<f64> = x.iter().map(|t| wave(*t) + 14.0 * noise(&mut random)).collect();
    let at: Vec<f64> = (0..=200).map(|k| 0.5 * f64::from(k)).collect();
    let curve = |band: bool, support: Vec<usize>| {
        Picture::Curve(Curve {
            input: "floor area [m²]".into(),
            target: "price [kEUR]".into(),
            mean: at.iter().map(|t| wave(*t)).collect(),
            band: if band { at.iter().map(|t| [wave(*t) - 27.0, wave(*t) + 27.0]).collect() } else { Vec::new() },
            at: at.clone(),
            level: 0.95,
            x: x.clone(),
            y: y.clone(),
            support,
        })
    };
    let three = |a, b, c: Option<Estimate>| {
        let mut all = vec![(Metric::Rmse, a), (Metric::R2, b)];
        all.extend(c.map(|c| (Metric::Nlpd, c)));
        all
    };
    let mut gp = row(
        "gp",
        "rbf(length_scale=8.9) + linear, noise=201",
        three(estimate(14.21, 0.62), estimate(0.874, 0.013), Some(estimate(4.05, 0.05))),
        None,
    );
    let columns = strings(["floor area [m²]", "rooms", "age of the house", "distance to the station", "floor"]);
    let lengths = vec![0.48, 2.3, 1.1, 25.0, f64::INFINITY];
    let scales = LengthScales { kernel: "rbf".into(), columns, lengths, standardised: true };
    let residual = truth.iter().zip(&predicted).map(|(t, p)| t - p).collect();
    let residuals = Residuals { target: "price [kEUR]".into(), predicted: predicted.clone(), residual };
    gp.over_guess = Some(apart(-27.5, 2.1));
    gp.pictures = vec![scatter(&intervals), curve(true, (0..90).collect()), Picture::Residuals(residuals), Picture::LengthScales(scales)];
    let mut svr = row(
        "svr",
        "rbf(length_scale=8.9) + linear, c=40, epsilon=9",
        three(estimate(14.97, 0.71), estimate(0.860, 0.015), None),
        Some(apart(0.76, 0.41)),
    );
    svr.support = 30;
    svr.pictures = vec![scatter(&[]), curve(false, (0..90).step_by(3).collect())];
    Comparison {
        trials: Vec::new(),
        facts: Vec::new(),
        command: "mercer compare flats.csv --target 'price [kEUR]' --estimators gp,svr --report flats.html".into(),
        table: "flats.csv".into(),
        rows: 220,
        task: Task::Regression { targets: strings(["price [kEUR]"]) },
        kernel: "rbf(length_scale=auto) + linear".into(),
        folds: 5,
        seed: 0,
        columns: strings(["floor area [m²]: scaled to mean 0 and deviation 1."]),
        notices: Vec::new(),
        details: Vec::new(),
        leaks: Vec::new(),
        class_rows: Vec::new(),
        baseline: Some(estimate(41.7, f64::NAN)),
        corrected: Some(14.21),
        test: None,
        entries: vec![gp, svr],
    }
}

/// Three classes from many columns: confusion matrices, one small and one of long names.
pub(crate) fn confusion() -> Comparison {
    let mut all = classes();
    all.table = "reads.csv".into();
    all.entries.truncate(2);
    let small = Confusion { classes: strings(["setosa", "versicolor", "virginica"]), counts: vec![50, 0, 0, 0, 48, 2, 0, 2, 48] };
    let names: Vec<String> = (0..9).map(|k| format!("family {k} of proteins")).collect();
    let counts = (0..81).map(|c| if c % 10 == 0 { 140 + 7 * (c / 10) } else { (c * 31 % 17) / 4 * (c % 3) }).collect();
    all.entries[0].pictures = vec![Picture::Confusion(small)];
    all.entries[1].pictures = vec![Picture::Confusion(Confusion { classes: names, counts })];
    all
}
