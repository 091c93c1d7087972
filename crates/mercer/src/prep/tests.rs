use super::*;
use crate::data::{Categories, DateOrder, Points, Storage, Strings, Writing, Written};
use proptest::prelude::*;

fn number(name: &str, v: &[f64]) -> Column {
    Column { name: name.into(), values: Values::Numbers(v.to_vec()) }
}

fn category(name: &str, v: &[&str]) -> Column {
    Column { name: name.into(), values: Values::Categories(Categories::from_labels(v)) }
}

fn data(columns: Vec<Column>) -> Dataset {
    Dataset::new(columns).unwrap()
}

fn numbers<'a>(data: &'a Dataset, name: &str) -> &'a [f64] {
    match &data.column(name).unwrap().values {
        Values::Numbers(v) => v,
        other => panic!("{name} holds {}", other.kind()),
    }
}

fn close(found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    for (a, b) in found.iter().zip(expected) {
        assert!((a - b).abs() <= 1e-12, "{found:?} against {expected:?}");
    }
}

fn sentences(notices: &[Notice]) -> String {
    notices.iter().map(Notice::to_string).collect::<Vec<_>>().join("\n")
}

#[test]
fn numbers_are_standardised_like_scikit_learn() {
    // spec: S35, R04. Expected by scikit-learn 1.9.1: StandardScaler().fit([[1], [2], [4], [9]]).transform([[1], [2], [4], [9], [6]]).
    let train = data(vec![number("x", &[1.0, 2.0, 4.0, 9.0])]);
    let (fitted, notices) = Recipe::default().fit(&train, &[]).unwrap();
    assert!(notices.is_empty());
    let new = data(vec![number("x", &[1.0, 2.0, 4.0, 9.0, 6.0])]);
    let expected = [-0.9733285267845753, -0.6488856845230502, 0.0, 1.6222142113076254, 0.6488856845230502];
    close(numbers(&fitted.apply(&new).unwrap(), "x"), &expected);
    // Mean 4, population variance (9 + 4 + 0 + 25) / 4.
    let (mean, sd) = fitted.scale_of("x").unwrap();
    close(&[mean, sd].concat(), &[4.0, 9.5_f64.sqrt()]);
}

#[test]
fn standardising_can_be_turned_off() {
    // spec: S35
    let train = data(vec![number("x", &[1.0, 2.0, 4.0])]);
    let (fitted, _) = Recipe { standardise: false, ..Recipe::default() }.fit(&train, &[]).unwrap();
    assert_eq!(fitted.apply(&train).unwrap(), train);
}

#[test]
fn missing_numbers_get_the_training_median_and_a_flag() {
    let recipe = Recipe { standardise: false, ..Recipe::default() };
    let train = data(vec![number("a", &[1.0, f64::NAN, 5.0, 2.0]), number("b", &[1.0, 2.0, 3.0, 10.0])]);
    let (fitted, notices) = recipe.fit(&train, &[]).unwrap();
    assert!(notices[0].to_string().contains("'a'") && notices[0].to_string().contains("1 missing cell"), "{notices:?}");
    let made = fitted.apply(&train).unwrap();
    assert_eq!(made.names(), ["a", "a=missing", "b"]);
    assert_eq!(numbers(&made, "a"), [1.0, 2.0, 5.0, 2.0]);
    assert_eq!(numbers(&made, "a=missing"), [0.0, 1.0, 0.0, 0.0]);
    // Missing where training had none: the training median, (2 + 3) / 2.
    let new = data(vec![number("b", &[f64::NAN]), number("a", &[7.0])]);
    let made = fitted.apply(&new).unwrap();
    assert_eq!((numbers(&made, "a"), numbers(&made, "b")), (&[7.0][..], &[2.5][..]));
}

#[test]
fn flags_are_not_standardised_and_take_a_free_name() {
    let train = data(vec![number("a", &[1.0, f64::NAN, 5.0]), number("a=missing", &[0.0, 1.0, 2.0])]);
    let (fitted, _) = Recipe::default().fit(&train, &[]).unwrap();
    let made = fitted.apply(&train).unwrap();
    assert_eq!(made.names(), ["a", "a=missing_", "a=missing"]);
    assert_eq!(numbers(&made, "a=missing_"), [0.0, 1.0, 0.0]);
}

#[test]
fn constant_and_empty_columns_are_dropped_with_a_notice() {
    let train = data(vec![
        number("same", &[0.1, 0.1, 0.1]),
        number("x", &[1.0, 2.0, 3.0]),
        number("empty", &[f64::NAN; 3]),
        category("one", &["a", "a", "a"]),
        number("flagged", &[4.0, f64::NAN, 4.0]),
    ]);
    let (fitted, notices) = Recipe::default().fit(&train, &[]).unwrap();
    assert_eq!(fitted.apply(&train).unwrap().names(), ["x", "flagged=missing"]);
    for name in ["same", "empty", "one", "flagged"] {
        assert!(
            notices.iter().any(|n| n.to_string().contains(&format!("'{name}'")) && n.to_string().contains("dropped")),
            "{name}: {notices:?}"
        );
    }
    let nothing = data(vec![number("same", &[1.0, 1.0])]);
    let message = Recipe::default().fit(&nothing, &[]).unwrap_err().to_string();
    assert!(message.contains("no input column is left") && message.contains("'same'"), "{message}");
}

#[test]
fn a_constant_column_that_is_kept_becomes_zero_not_nan() {
    let recipe = Recipe { drop_constant: false, ..Recipe::default() };
    let train = data(vec![number("same", &[0.1; 10])]);
    let (fitted, _) = recipe.fit(&train, &[]).unwrap();
    assert_eq!(numbers(&fitted.apply(&train).unwrap(), "same"), [0.0; 10]);
    // One row is constant in every column: nothing is dropped.
    let single = data(vec![number("x", &[3.0])]);
    let (fitted, _) = Recipe::default().fit(&single, &[]).unwrap();
    assert_eq!(numbers(&fitted.apply(&single).unwrap(), "x"), [0.0]);
}

#[test]
fn categories_become_zero_one_columns_of_training_labels() {
    let train = data(vec![category("c", &["red", "blue", "red"]), number("x", &[1.0, 2.0, 3.0])]);
    let (fitted, _) = Recipe::default().fit(&train, &["c".into()]).unwrap();
    let new = data(vec![number("x", &[1.0, 2.0]), category("c", &["green", "red"])]);
    let made = fitted.apply(&new).unwrap();
    assert_eq!(made.names(), ["c=blue", "c=red", "x"]);
    assert_eq!((numbers(&made, "c=blue"), numbers(&made, "c=red")), (&[0.0, 0.0][..], &[0.0, 1.0][..]));
    assert!(Recipe::default().fit(&train, &["x".into()]).unwrap_err().to_string().contains("expected categories"));
    assert!(Recipe::default().fit(&train, &["cc".into()]).unwrap_err().to_string().contains("unknown column 'cc'"));
}

#[test]
fn new_rows_lacking_a_column_are_refused_by_name() {
    let train = data(vec![number("x", &[1.0, 2.0]), number("y", &[1.0, 2.0])]);
    let (fitted, _) = Recipe::default().fit(&train, &[]).unwrap();
    let message = fitted.apply(&data(vec![number("x", &[1.0])])).unwrap_err().to_string();
    assert!(message.contains("unknown column 'y'"), "{message}");
    let message = fitted.apply(&data(vec![number("x", &[1.0]), category("y", &["a"])])).unwrap_err().to_string();
    assert!(message.contains("'y'") && message.contains("numbers") && message.contains("categories"), "{message}");
}

#[test]
fn infinite_and_overflowing_numbers_are_refused_by_name() {
    let message = Recipe::default().fit(&data(vec![number("x", &[1.0, f64::INFINITY])]), &[]).unwrap_err().to_string();
    assert!(message.contains("row 2, column 'x'"), "{message}");
    let message = Recipe::default().fit(&data(vec![number("x", &[f64::MAX, -f64::MAX, f64::MAX])]), &[]).unwrap_err().to_string();
    assert!(message.contains("column 'x'") && message.contains("too large"), "{message}");
    // Squares would overflow or vanish; deviations do neither.
    for size in [1e200, 1e-200] {
        let train = data(vec![number("x", &[-size, size])]);
        let (fitted, _) = Recipe::default().fit(&train, &[]).unwrap();
        close(numbers(&fitted.apply(&train).unwrap(), "x"), &[-1.0, 1.0]);
    }
}

#[test]
fn dense_vectors_are_standardised_per_dimension() {
    // spec: S35
    let points = Points::dense(3, 2, vec![1.0, 7.0, 2.0, 7.0, 3.0, 7.0]).unwrap();
    let train = Dataset::from_points(points);
    let (fitted, notices) = Recipe::default().fit(&train, &[]).unwrap();
    assert!(notices[0].to_string().contains("1 of 2 dimensions"), "{notices:?}");
    let Values::Points(p) = &fitted.apply(&train).unwrap().columns()[0].values.clone() else { panic!("not points") };
    let a = 1.5_f64.sqrt();
    close(&p.to_dense(), &[-a, 0.0, 0.0, 0.0, a, 0.0]);
}

#[test]
fn sparse_vectors_stay_sparse_and_are_divided_by_their_largest() {
    // scikit-learn's MaxAbsScaler: the largest absolute value of each dimension becomes 1.
    let points = Points::csr(3, 3, vec![0, 2, 3, 4], vec![0, 2, 0, 2], vec![-4.0, 1.0, 2.0, 1.0]).unwrap();
    let train = Dataset::from_points(points);
    let (fitted, _) = Recipe::default().fit(&train, &[]).unwrap();
    let Values::Points(p) = &fitted.apply(&train).unwrap().columns()[0].values.clone() else { panic!("not points") };
    let Storage::Csr { values, .. } = p.storage() else { panic!("not sparse") };
    close(values, &[-1.0, 1.0, 0.5, 1.0]);
}

#[test]
fn fitted_steps_survive_json_and_say_what_they_do() {
    let train = data(vec![
        number("a", &[1.0, f64::NAN, 5.0]),
        number("same", &[1.0, 1.0, 1.0]),
        category("c", &["u", "v", "u"]),
        Column { name: "s".into(), values: Values::Sequences(Strings::new(["AC", "GT", "TT"])) },
        Column { name: "p".into(), values: Values::Points(Points::dense(3, 1, vec![1.0, 2.0, 4.0]).unwrap()) },
    ]);
    let (fitted, _) = Recipe::default().fit(&train, &["c".into()]).unwrap();
    let json = serde_json::to_string(&fitted).unwrap();
    let read: Fitted = serde_json::from_str(&json).unwrap();
    assert_eq!(read, fitted);
    assert_eq!(read.apply(&train).unwrap(), fitted.apply(&train).unwrap());
    let said = fitted.describe();
    assert_eq!(said.len(), 5);
    assert!(said.iter().all(|s| s.ends_with('.')), "{said:?}");
}

proptest! {
    #[test]
    fn standardised_training_numbers_have_mean_zero_and_deviation_one(
        v in proptest::collection::vec(-1e6_f64..1e6, 2..60), shift in -1e6_f64..1e6,
    ) {
        // spec: S35
        let v: Vec<f64> = v.iter().map(|x| x + shift).collect();
        prop_assume!(v.iter().any(|x| (x - v[0]).abs() > 1.0));
        let train = data(vec![number("x", &v)]);
        let (fitted, _) = Recipe::default().fit(&train, &[]).unwrap();
        let made = fitted.apply(&train).unwrap();
        let z = numbers(&made, "x");
        let n = z.len() as f64;
        let mean = z.iter().sum::<f64>() / n;
        let sd = (z.iter().map(|x| x * x).sum::<f64>() / n).sqrt();
        prop_assert!(mean.abs() <= 1e-8 && (sd - 1.0).abs() <= 1e-8, "{mean} {sd}");
    }
}

fn policies(words: &str) -> Recipe {
    Recipe { standardise: false, missing: Missing::of_columns([words]).unwrap(), ..Recipe::default() }
}

/// Numbers, labels and texts that each miss a cell, in rows 2, 3 and 4.
fn with_gaps() -> Dataset {
    data(vec![
        number("n", &[1.0, f64::NAN, 3.0, 8.0, 5.0]),
        category("c", &["a", "b", crate::read::MISSING, "a", "b"]),
        Column { name: "t".into(), values: Values::Texts(Strings::new(["one", "two", "three", "", "five"])) },
    ])
}

#[test]
fn missing_cells_are_filled_marked_and_said_in_training_and_in_new_rows() {
    let (fitted, notices) = policies("").fit(&with_gaps(), &[]).unwrap();
    let text = sentences(&notices);
    for part in [
        "'n' has 1 missing cell: filled with the median 4",
        "'c' has 1 missing cell: taken as the label",
        "'t' has 1 missing cell: taken as the empty",
    ] {
        assert!(text.contains(part), "'{part}' is not in\n{text}");
    }
    assert_eq!(fitted.apply(&with_gaps()).unwrap().names(), ["n", "n=missing", "c", "t"]);
    let of_new = sentences(&fitted.tell(&with_gaps()));
    assert!(of_new.contains("training median 4, marked in 'n=missing'") && of_new.contains("'c'") && of_new.contains("'t'"), "{of_new}");
    let whole = policies("").fit(&with_gaps().select(&[0, 4]), &[]).unwrap().0;
    assert!(sentences(&whole.tell(&with_gaps())).contains("not marked, since training had none"));
    assert!(whole.tell(&with_gaps().select(&[0])).is_empty());
}

#[test]
fn rows_with_a_missing_cell_are_left_out_of_training_where_asked_and_refused_afterwards() {
    let recipe = policies("n=drop, t=drop");
    let kept = recipe.rows_kept(&with_gaps()).unwrap();
    assert_eq!(kept.rows, Some(vec![0, 2, 4]));
    assert!(
        kept.notices[0].to_string().contains("'n': 1 row")
            && kept.notices[0].to_string().contains("row 2")
            && kept.notices[1].to_string().contains("row 4"),
        "{:?}",
        kept.notices
    );
    let (fitted, _) = recipe.fit(&with_gaps().select(&[0, 2, 4]), &[]).unwrap();
    assert!(fitted.describe()[0].contains("left out in n, t"), "{:?}", fitted.describe());
    // Training had no gap left in n: no flag.
    assert_eq!(fitted.apply(&with_gaps().select(&[0, 2])).unwrap().names(), ["n", "c", "t"]);
    let refused = fitted.apply(&with_gaps().select(&[0, 1])).unwrap_err().to_string();
    assert!(refused.contains("row 2, column 'n'") && refused.contains("no prediction"), "{refused}");
    assert!(!sentences(&fitted.tell(&with_gaps())).contains("'n'"), "what is refused is not said to be filled");
    assert_eq!(policies("c=category").rows_kept(&with_gaps()).unwrap(), Kept::default());
    assert!(recipe.rows_kept(&with_gaps().select(&[1, 3])).unwrap_err().to_string().contains("no row is left"));
}

#[test]
fn a_missing_cell_is_an_error_where_asked_in_training_and_in_new_rows() {
    let recipe = policies("c=error");
    let refused = recipe.rows_kept(&with_gaps()).unwrap_err().to_string();
    assert!(refused.contains("row 3, column 'c'") && refused.contains("error"), "{refused}");
    let (fitted, _) = recipe.fit(&with_gaps().select(&[0, 1, 3]), &[]).unwrap();
    assert!(fitted.apply(&with_gaps()).unwrap_err().to_string().contains("row 3, column 'c'"));
    // The step is stored, and reads back.
    let text = serde_json::to_string(&fitted).unwrap();
    assert_eq!(serde_json::from_str::<Fitted>(&text).unwrap(), fitted);
}

#[test]
fn policies_that_do_not_exist_or_do_not_suit_are_refused() {
    let parse = |words: &str| Missing::of_columns([words]).unwrap_err().to_string();
    assert!(parse("n=dropp").contains("did you mean 'drop'") && parse("n").contains("COLUMN=POLICY"));
    for (words, parts) in [
        ("c=median+flag", "categories; these do: category, drop, error"),
        ("n=empty", "numbers; these do: median+flag"),
        ("m=drop", "unknown column 'm'"),
    ] {
        let refused = policies(words).rows_kept(&with_gaps()).unwrap_err().to_string();
        assert!(refused.contains(parts), "{refused}");
    }
    // The last word counts.
    assert_eq!(policies("n=drop,n=median+flag").rows_kept(&with_gaps()).unwrap().rows, None);
}

// A row of weight 2 is two rows; weights may be any share of a row.
#[test]
fn a_row_of_weight_two_is_prepared_like_two_rows() {
    let train = data(vec![
        number("x", &[1.0, f64::NAN, 4.0, 9.0, 2.5]),
        number("even", &[3.0, 1.0, 8.0, 2.0, f64::NAN]),
        Column {
            name: "v".into(),
            values: Values::Points(Points::dense(5, 2, vec![1.0, 5.0, 2.0, 5.0, 4.0, 1.0, 0.0, 2.0, 7.0, 3.0]).unwrap()),
        },
    ]);
    let counts = [2, 1, 3, 1, 4];
    let rows: Vec<usize> = (0..5).flat_map(|i| std::iter::repeat_n(i, counts[i])).collect();
    let (repeated, _) = Recipe::default().fit(&train.select(&rows), &[]).unwrap();
    for unit in [1.0, 0.1] {
        let weights: Vec<f64> = counts.iter().map(|&c| unit * c as f64).collect();
        let (weighed, _) = Recipe::default().fit_keeping(&train, &[], &[], Some(&weights)).unwrap();
        let (a, b) = (weighed.apply(&train).unwrap(), repeated.apply(&train).unwrap());
        assert_eq!(a.names(), b.names());
        for (a, b) in a.columns().iter().zip(b.columns()) {
            match (&a.values, &b.values) {
                (Values::Numbers(a), Values::Numbers(b)) => close(a, b),
                (Values::Points(a), Values::Points(b)) => close(&a.to_dense(), &b.to_dense()),
                _ => panic!("numbers expected"),
            }
        }
    }
    // 1 and 2.5 have the weights 2 and 4 of 12, so that half of it lies below anything between 2.5 and 4.
    let (fitted, _) = Recipe::default().fit_keeping(&train, &[], &[], Some(&[2.0, 1.0, 3.0, 3.0, 4.0])).unwrap();
    let PrepStep::Fill(fill) = &fitted.steps[0] else { panic!("no filling") };
    assert_eq!((fill.columns[0].median, fill.columns[1].median), (3.25, 3.0));
    assert!(Recipe::default().fit_keeping(&train, &[], &[], Some(&[1.0])).is_err());
}

// Of an odd and of an even number of rows, in any order: as with a weight for each row that is near 1.
#[test]
fn medians_of_rows_that_weigh_alike_are_those_of_weighed_ones() {
    for rows in [1, 2, 7, 8] {
        let v: Vec<f64> = (0..rows).map(|i| ((i * 5) % rows) as f64 * 1.5 - 3.0).collect();
        let data = Dataset::new(vec![Column { name: "n".into(), values: Values::Numbers(v.clone()) }]).unwrap();
        let median = |weights: Option<&[f64]>| {
            let (fitted, _) = Recipe { drop_constant: false, ..Recipe::default() }.fit_keeping(&data, &[], &[], weights).unwrap();
            let PrepStep::Fill(fill) = &fitted.steps[0] else { panic!("no filling") };
            fill.columns[0].median
        };
        let mut sorted = v.clone();
        sorted.sort_by(f64::total_cmp);
        let expected = 0.5 * (sorted[(rows - 1) / 2] + sorted[rows / 2]);
        let nearly: Vec<f64> = (0..rows).map(|i| 1.0 + 1e-15 * i as f64).collect();
        assert_eq!((median(None), median(Some(&nearly))), (expected, expected));
    }
}

#[test]
fn medians_are_told_with_the_digits_worth_reading_and_those_of_dates_as_dates() {
    let text = b"when,x,n\n2024-03-01,0.123456789,12345\n2024-03-03,0.2,12346\n,,\n2024-03-02,0.1,12347\n";
    let mut table = crate::read::Table::parse("t", text).unwrap();
    let data = table.dataset(&crate::read::ReadOptions::default()).unwrap();
    let (fitted, said) = Recipe::default().fit(&data, &[]).unwrap();
    let all = [sentences(&said), fitted.describe().join("\n"), sentences(&fitted.tell(&data))].join("\n");
    for (median, times) in [("2024-03-02", 3), ("0.1235", 3), ("12346", 3), ("19784", 0), ("0.123456789", 0)] {
        assert_eq!(all.matches(median).count(), times, "{median}: {all}");
    }
}

/// Dates as a table has them.
fn dates(days: &[f64], days_alone: bool) -> Dataset {
    let written = Written { numbers: Writing::Date(DateOrder::YearFirst), days_alone, ..Written::default() };
    data(vec![number("t", days), number("x", days)]).remember("t", written)
}

fn cycles(days: &[f64]) -> Vec<String> {
    let (fitted, _) = Recipe::default().fit(&dates(days, false), &[]).unwrap();
    let of_step =
        |step: &PrepStep| if let PrepStep::Calendar(c) = step { c.columns.iter().map(|c| c.period.clone()).collect() } else { vec![] };
    fitted.steps.iter().flat_map(of_step).collect()
}

#[test]
fn dates_get_the_periods_that_they_span_and_show() {
    let spaced = |n: usize, by: f64| (0..n).map(|i| 19000.0 + by * i as f64).collect::<Vec<f64>>();
    assert_eq!(cycles(&spaced(24 * 30, 1.0 / 24.0)), ["day", "week"]);
    assert_eq!(cycles(&spaced(24, 1.0 / 24.0)), Vec::<String>::new());
    assert_eq!(cycles(&spaced(3 * 365, 1.0)), ["week", "year"]);
    assert_eq!(cycles(&spaced(100, 30.5)), ["year"]);
    assert_eq!(cycles(&spaced(30, 365.2425)), Vec::<String>::new());
    // A weekly report always falls on one weekday.
    assert_eq!(cycles(&spaced(200, 7.0)), ["year"]);
    let (fitted, notices) = Recipe::default().fit(&dates(&spaced(3 * 365, 1.0), true), &[]).unwrap();
    assert!(notices.is_empty() && fitted.steps.iter().all(|step| !matches!(step, PrepStep::Calendar(_))));
}

#[test]
fn hours_and_weekdays_lie_on_circles() {
    let hourly: Vec<f64> = (0..24 * 30).map(|i| 19000.0 + f64::from(i) / 24.0).collect();
    let (fitted, notices) = Recipe::default().fit(&dates(&hourly, false), &[]).unwrap();
    assert!(
        notices.iter().any(|n| n.to_string().contains("column 't' holds dates: the time of day, the weekday are added")),
        "{notices:?}"
    );
    // 1970-01-01 was a Thursday; a quarter of a day is 06:00, a negative date is before it.
    let new = fitted.apply(&dates(&[0.0, 0.25, 7.5, -0.25], false)).unwrap();
    close(numbers(&new, "t_day_cos"), &[1.0, 0.0, -1.0, 0.0]);
    close(numbers(&new, "t_day_sin"), &[0.0, 1.0, 0.0, -1.0]);
    let week = |t: f64| std::f64::consts::TAU * t / 7.0;
    close(numbers(&new, "t_week_cos"), &[1.0, week(0.25).cos(), week(0.5).cos(), week(0.25).cos()]);
    close(numbers(&new, "t_week_sin"), &[0.0, week(0.25).sin(), week(0.5).sin(), -week(0.25).sin()]);
    // Part of the rows has the columns of all.
    let layout = Layout::new(&Recipe::default(), &[], &fitted);
    let few = dates(&[0.0, 0.25, 7.5], false);
    assert_eq!(layout.fit(&few, None).unwrap().apply(&few).unwrap().names(), new.names());
}
