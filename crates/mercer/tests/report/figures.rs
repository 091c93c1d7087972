//! What the sentences under figures say.

use crate::samples;
use mercer::report::{Confusion, Curve, LengthScales, Metric, Picture, PredictedTrue, Row};
use mercer::select::BoundStatus;

#[test]
fn a_tuning_curve_says_the_choice_the_range_that_scores_the_same_and_what_lies_beyond() {
    let row = Row::default();
    let said = Picture::Tuning(samples::choice([BoundStatus::Worse; 2], None)).sentence(&row);
    let expected = "c = 3.2 (ring): 4-fold cross-validated accuracy 0.967, the highest of 5 values tried. 1.05 to 40 (shaded) score alike.";
    assert_eq!(said, expected);
    let mut beside = samples::choice([BoundStatus::Worse; 2], None);
    beside.parameter.tried.push((5.0, 0.97));
    let said = Picture::Tuning(beside).sentence(&row);
    assert!(said.contains("accuracy 0.967; 5 gives 0.970, within noise. 1.05 to 40"), "{said}");
    let open = Picture::Tuning(samples::choice([BoundStatus::Worse, BoundStatus::Open], None)).sentence(&row);
    assert!(open.ends_with("to 40 (shaded) score alike, as do every larger value tried."), "{open}");
}

#[test]
fn length_scales_say_where_the_answer_bends_and_not_what_matters() {
    let columns = ["rm", "zn", "chas", "noise"].map(String::from).into();
    let scales = LengthScales { kernel: "rbf".into(), columns, lengths: vec![2.0, 0.5, 20.0, f64::INFINITY], standardised: true };
    let said = Picture::LengthScales(scales).sentence(&Row::default());
    assert!(said.starts_with("The answer bends most quickly along zn (length scale 0.500) and least along noise (left out)."), "{said}");
    assert!(said.contains("does not say how much a column matters"), "{said}");
}

#[test]
fn a_picture_counts_what_its_interval_holds() {
    let p = Picture::PredictedTrue(PredictedTrue {
        target: "y".into(),
        truth: vec![1.0, 2.0, 3.0, 4.0],
        predicted: vec![1.1, 2.2, 3.3, 8.0],
        intervals: vec![[0.0, 2.0], [1.0, 3.0], [3.0, 4.0], [7.0, 9.0]],
        level: 0.95,
    });
    let said = p.sentence(&Row { estimator: "gp".into(), ..Row::default() });
    assert!(said.starts_with("Half of the 4 predictions of y by gp, on held-out rows, lie within 0.300 of the truth (line)"), "{said}");
    assert!(said.contains("which should hold 95 of 100 true values, hold 75 of 100 (3 of 4)"), "{said}");
}

#[test]
fn a_curve_counts_what_its_band_holds_or_says_how_near_the_rows_lie() {
    // The line is 2x, the band one above and below.
    let mut curve = Curve {
        input: "x".into(),
        target: "y".into(),
        at: vec![0.0, 0.5, 1.0, 1.5, 2.0],
        mean: vec![0.0, 1.0, 2.0, 3.0, 4.0],
        band: vec![[-1.0, 1.0], [0.0, 2.0], [1.0, 3.0], [2.0, 4.0], [3.0, 5.0]],
        level: 0.9,
        x: vec![0.5, 1.0, 1.5],
        y: vec![1.25, 2.5, 4.5],
        support: vec![1],
    };
    let row = Row { estimator: "gp".into(), ..Row::default() };
    let said = Picture::Curve(curve.clone()).sentence(&row);
    let made = "The line is what gp predicts for y; it keeps 1 row (rings).";
    assert_eq!(said, format!("{made} The band, which should hold 90 of 100 new values, holds 2 of the 3 rows."));
    // A row between two known places is not judged by the line between them.
    curve.x[0] = 0.6;
    assert!(Picture::Curve(curve.clone()).sentence(&row).ends_with("holds 1 of the 2 rows."));
    curve.x[0] = 0.5;
    curve.band.clear();
    assert_eq!(Picture::Curve(curve).sentence(&row), format!("{made} Half of the 3 rows lie within 0.500 of it."));
}

#[test]
fn a_figure_that_draws_a_part_says_so_in_its_title() {
    let classes: Vec<String> = (0..26).map(|k| format!("c{k}")).collect();
    let confusion = Picture::Confusion(Confusion { counts: vec![1; classes.len().pow(2)], classes });
    assert_eq!(confusion.title(), "Confusion matrix (20 of 26 classes drawn)");
    let columns = vec!["a".to_owned(), "b".to_owned()];
    let scales = LengthScales { kernel: "rbf".into(), columns, lengths: vec![1.0, 2.0], standardised: false };
    assert_eq!(Picture::LengthScales(scales).title(), "Length scales of the columns to rbf, each in its own unit");
    let pictures = samples::classes().entries.into_iter().flat_map(|row| row.pictures);
    let mut regions = pictures.filter_map(|p| if let Picture::Regions(r) = p { Some(r) } else { None }).next().unwrap();
    regions.held = 2;
    assert_eq!(Picture::Regions(regions).title(), "Predicted classes, the other 2 columns at their medians");
}

#[test]
fn under_each_figure_stand_a_few_plain_sentences_that_cite_numbers() {
    let mut seen = std::collections::BTreeSet::new();
    for c in [samples::classes(), samples::regression(), samples::confusion()] {
        for row in &c.entries {
            for picture in &row.pictures {
                let said = picture.sentence(row);
                seen.insert(picture.title());
                let inner = said.strip_suffix('.').unwrap();
                assert!(inner.matches(". ").count() <= 2 && !inner.contains(['!', '?']), "{said}");
                assert!(said.chars().any(|c| c.is_ascii_digit()), "{said}");
                assert!(said.chars().count() <= 260, "{}: {said}", said.chars().count());
            }
        }
    }
    assert!(seen.len() >= 6, "{seen:?}");
}

#[test]
fn metric_names_are_those_of_the_json_document() {
    let names = [Metric::Accuracy, Metric::LogLoss, Metric::Rmse, Metric::R2, Metric::Nlpd].map(Metric::name);
    assert_eq!(names, ["accuracy", "log_loss", "rmse", "r2", "nlpd"]);
}
