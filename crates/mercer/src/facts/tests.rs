//! Tables made so that the fact, and its absence, follow from how they are made.

use super::*;
use crate::data::Labels;
use crate::data::{Column, ColumnKind, Graphs, Points, Strings, Values};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

fn draws(n: usize, seed: u64) -> Vec<f64> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    (0..n).map(|_| (0..12).map(|_| random.random::<f64>()).sum::<f64>() - 6.0).collect()
}

fn table(columns: Vec<(&str, Values)>) -> Dataset {
    Dataset::new(columns.into_iter().map(|(name, values)| Column { name: name.into(), values }).collect()).unwrap()
}

fn numbers(columns: &[(&str, &[f64])]) -> Dataset {
    table(columns.iter().map(|(name, v)| (*name, Values::Numbers(v.to_vec()))).collect())
}

fn said(data: &Dataset, target: &Target, folds: usize) -> Vec<String> {
    let classes = match target {
        Target::Classes { names, .. } => Some(names.clone()),
        _ => None,
    };
    let info = TargetInfo { names: vec!["y".into()], classes, labels: Labels::Text };
    facts(data, target, &info, &Split::Rows, folds, true).iter().map(ToString::to_string).collect()
}

fn two(yes: impl Iterator<Item = bool>) -> Target {
    Target::Classes { codes: yes.map(usize::from).collect(), names: vec!["no".into(), "yes".into()] }
}

#[test]
fn an_ordinary_table_has_nothing_to_tell() {
    let (a, b, noise) = (draws(400, 1), draws(400, 2), draws(400, 3));
    let y: Vec<f64> = (0..400).map(|i| 3.0 * a[i] + b[i] + 0.3 * noise[i]).collect();
    let data = numbers(&[("a", &a), ("b", &b)]);
    assert_eq!(said(&data, &Target::numbers(&y), 5), Vec::<String>::new());
    assert_eq!(said(&data, &two(y.iter().map(|y| *y > 0.0)), 5), Vec::<String>::new());
}

#[test]
fn rows_equal_in_every_column_share_a_group() {
    let data = table(vec![
        ("x", Values::Numbers(vec![1.0, 0.0, 1.0, f64::NAN, -0.0, f64::NAN, 1.0])),
        ("s", Values::Texts(Strings::new(["a", "bb", "a", "c", "bb", "c", "aa"]))),
    ]);
    assert_eq!(equal_rows(&data), [0, 1, 0, 2, 1, 2, 3]);
    let dense = Points::dense(4, 2, vec![1.0, 2.0, 0.0, 2.0, 1.0, 2.0, 0.0, 0.0]).unwrap();
    assert_eq!(equal_rows(&table(vec![("p", Values::Points(dense))])), [0, 1, 0, 2]);
    let sparse = Points::csr(4, 9, vec![0, 1, 2, 3, 3], vec![4, 4, 5], vec![1.0; 3]).unwrap();
    assert_eq!(equal_rows(&table(vec![("p", Values::Points(sparse))])), [0, 0, 1, 2]);
}

#[test]
fn rows_are_dealt_by_what_they_hold_and_not_where_they_stand() {
    let x = draws(7, 3);
    let data = numbers(&[("x", &x.repeat(2)), ("z", &draws(7, 5).repeat(2))]);
    let y: Vec<f64> = x.iter().map(|x| x.floor()).collect::<Vec<_>>().repeat(2);
    let whole = dealt_by_content(&data, &Target::numbers(&y)).unwrap();
    let mut places = whole[..7].to_vec();
    places.sort_unstable();
    assert_eq!(places, [0, 1, 2, 3, 4, 5, 6]);
    assert_eq!(whole[..7], whole[7..]);
    let some = [12, 3, 9, 0, 2, 6, 1, 4];
    let found = dealt_by_content(&data.select(&some), &Target::numbers(&y).select(&some)).unwrap();
    assert_eq!(found, some.map(|i| whole[i]));
    // Inches or centimetres, and whichever column comes first.
    let turned: Vec<(&str, Vec<f64>)> = data
        .columns()
        .iter()
        .rev()
        .filter_map(
            |c| if let Values::Numbers(v) = &c.values { Some((c.name.as_str(), v.iter().map(|x| 2.54 * x).collect())) } else { None },
        )
        .collect();
    let turned: Vec<(&str, &[f64])> = turned.iter().map(|(name, v)| (*name, v.as_slice())).collect();
    assert_eq!(dealt_by_content(&numbers(&turned), &Target::numbers(&y)).unwrap(), whole);
    let at_odds: Vec<f64> = (0..14).map(f64::from).collect();
    assert_eq!(dealt_by_content(&data, &Target::numbers(&at_odds)), None);
}

#[test]
fn copies_of_rows_are_counted_and_targets_at_odds_are_reported() {
    let a: Vec<f64> = draws(100, 4).repeat(5);
    let data = numbers(&[("a", &a), ("b", &a)]);
    let copies = said(&data, &two((0..500).map(|i| i % 100 % 3 == 0)), 5);
    assert!(
        copies.iter().any(|s| s.ends_with("400 of 500 rows (80%) repeat another row in every column: copies stay in one fold")),
        "{copies:?}"
    );
    let odds = said(&data, &two((0..500).map(|i| i >= 400)), 5);
    assert!(
        odds.iter().any(|s| s.contains("100 groups of identical rows have different targets") && s.contains("--groups COL")),
        "{odds:?}"
    );
    // What is said is what is done.
    let (rows, apart) = (two((0..500).map(|i| i % 100 % 3 == 0)), two((0..500).map(|i| i >= 400)));
    assert!(kept_together(&data, &rows, &Split::Rows, 5).is_some() && kept_together(&data, &apart, &Split::Rows, 5).is_none());
    assert!(kept_together(&data, &rows, &Split::Rows, 101).is_none());
    assert!(said(&data, &rows, 101).iter().any(|s| s.contains("too few distinct rows")));
    // One pair among 400 rows is what chance does.
    let mut b = draws(400, 5);
    b[7] = b[300];
    assert!(said(&numbers(&[("b", &b)]), &two((0..400).map(|i| i % 2 == 0)), 5).is_empty());
}

#[test]
fn a_column_that_alone_names_the_class_is_reported() {
    let (a, noise) = (draws(500, 6), draws(500, 7));
    let yes: Vec<bool> = (0..500).map(|i| a[i] + noise[i] > 0.0).collect();
    let labels: Vec<&str> = yes.iter().map(|y| if *y { "APPROVED" } else { "DENIED" }).collect();
    let label = Values::Categories(crate::data::Categories::from_labels(&labels));
    let data = table(vec![("a", Values::Numbers(a.clone())), ("result_code", label)]);
    let found = said(&data, &two(yes.iter().copied()), 5);
    assert_eq!(
        found,
        ["column 'result_code' alone gives the target away: it predicts the class of 100.0% of held-out rows: \
          if it is known only together with the target, leave it out (--types 'result_code=ignore')"]
    );
    // A number does as well, and a string that is another in each row does not.
    let code: Vec<f64> = yes.iter().zip(&noise).map(|(y, n)| if *y { 100.0 + n } else { -100.0 + n }).collect();
    let names = Values::Texts(Strings::new((0..500).map(|i| format!("{i} {}", yes[i]))));
    let data = table(vec![("a", Values::Numbers(a)), ("code", Values::Numbers(code)), ("id", names)]);
    let found = said(&data, &two(yes.iter().copied()), 5);
    assert!(found.len() == 1 && found[0].starts_with("column 'code' alone"), "{found:?}");
}

#[test]
fn a_column_of_which_the_target_is_a_curve_is_told_unless_it_is_the_only_one() {
    let (a, b) = (draws(500, 8), draws(500, 9));
    let y: Vec<f64> = a.iter().map(|a| (1.5 * a).sin() + a).collect();
    let found = said(&numbers(&[("b", &b), ("a", &a)]), &Target::numbers(&y), 5);
    assert!(found.len() == 1 && found[0].starts_with("column 'a' alone gives the target away: it explains more than 99.9%"), "{found:?}");
    assert!(said(&numbers(&[("a", &a)]), &Target::numbers(&y), 5).is_empty());
}

#[test]
fn classes_rarer_than_the_folds_and_far_rarer_than_others_are_reported() {
    let a = draws(203, 10);
    let target = two((0..203).map(|i| i < 3));
    let found = said(&numbers(&[("a", &a), ("b", &draws(203, 11))]), &target, 5);
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found[0].starts_with("1 class has fewer rows than the 5 folds ('yes' has 3)") && found[0].contains("use at most 3 folds"));
    assert!(
        found[1].starts_with("class 'yes' has 3 of 203 rows, one to 66 of 'no': always answering 'no' is correct in 98.5% of rows"),
        "{found:?}"
    );
    // One to twenty is not beyond it.
    assert!(said(&numbers(&[("a", &draws(210, 1)), ("b", &draws(210, 2))]), &two((0..210).map(|i| i < 10)), 5).is_empty());
}

#[test]
fn a_single_row_that_makes_the_error_and_a_heavy_tail_are_reported() {
    let (a, b) = (draws(800, 12), draws(800, 13));
    let data = numbers(&[("a", &a), ("b", &b)]);
    let mut y = draws(800, 14);
    y[7] = 1e12;
    let found = said(&data, &Target::numbers(&y), 5);
    assert!(found.len() == 1 && found[0].starts_with("row 8 of the target 'y' is 1.000e12"), "{found:?}");
    assert!(found[0].contains("it alone makes more than 99% of the squared deviation"), "{found:?}");
    let tail: Vec<f64> = draws(800, 15).iter().zip(0..).map(|(x, i)| if i % 100 == 0 { 900.0 + x.abs() } else { 10.0 + x }).collect();
    let found = said(&data, &Target::numbers(&tail), 5);
    assert!(found.len() == 1 && found[0].starts_with("of the target 'y', 8 of 800 rows make more than 99%"), "{found:?}");
    // The logarithm of two heaps is two heaps.
    assert!(found[0].contains("judge by another metric") && !found[0].contains("log_target"), "{found:?}");
    let found = said(&numbers(&[("a", &a), ("rev", &y)]), &Target::numbers(&b), 5);
    assert!(found.len() == 1 && found[0].starts_with("column 'rev' has a few values far from the rest (row 8: 1.000e12"), "{found:?}");
}

#[test]
fn a_skewed_target_is_told_with_the_transformation_that_straightens_it() {
    let (a, b, normal) = (draws(800, 22), draws(800, 23), draws(800, 24));
    let data = numbers(&[("a", &a), ("b", &b)]);
    let found = |y: &dyn Fn(f64) -> f64| said(&data, &Target::numbers(&normal.iter().map(|x| y(*x)).collect::<Vec<_>>()), 5).join("\n");
    // Log-normal numbers, the logarithm of which has skewness 0; squares, whose root has; and zeros among them.
    let log = found(&|x| x.exp());
    assert!(log.starts_with("the target 'y' is skewed, and its logarithm much less: log_target(E) fits any method E"), "{log}");
    assert!(log.contains("--estimators 'ridge, log_target(ridge)'"), "{log}");
    // Five rows far above log-normal ones.
    let mut far: Vec<f64> = normal.iter().map(|x| x.exp()).collect();
    (0..5).for_each(|k| far[160 * k] = 300.0 + 160.0 * k as f64);
    let tail = said(&data, &Target::numbers(&far), 5).join("\n");
    assert!(tail.contains("RMSE and R² speak of these rows; log_target(E)"), "{tail}");
    assert!(found(&|x| (x + 0.5).max(0.0).powi(2)).contains("its square root much less: power_target(E)"));
    // Below 0, and where nothing is skewed, there is nothing to take.
    assert_eq!((found(&|x| x.exp() - 3.0), found(&|x| x)), (String::new(), String::new()));
}

#[test]
fn what_is_advised_can_be_done() {
    // A logarithm of numbers above 0 alone; a marker of missing cells is reported when it is read.
    let (b, mut far) = (draws(800, 16), draws(800, 17));
    far[7] = 1e12;
    let of = |x: &[f64]| said(&numbers(&[("a", &b), ("x", x)]), &two((0..800).map(|i| i % 2 == 0)), 5).join("\n");
    assert!(!of(&far).contains("logarithm") && of(&far).contains("far from the rest"), "{}", of(&far));
    let above: Vec<f64> = far.iter().map(|x| x.abs() + 0.1).collect();
    assert!(of(&above).contains("take the logarithm"), "{}", of(&above));
    let marked: Vec<f64> = draws(800, 18).iter().enumerate().map(|(i, x)| if i % 100 == 0 { -999.0 } else { *x }).collect();
    assert_eq!(of(&marked), "");
    // Of two columns one is constant: the other is what there is to learn from.
    let yes = two(b.iter().map(|b| *b > 0.0));
    assert!(said(&numbers(&[("a", &b), ("one", &[1.0; 800])]), &yes, 5).is_empty());
    // One row in sixty of one class leaves accuracy to the others.
    let codes = (0..120).map(|i| if i < 2 { 0 } else { 1 + i % 2 }).collect();
    let three = Target::Classes { codes, names: ["rare", "p", "q"].map(String::from).into() };
    let found = said(&numbers(&[("a", &b[..120]), ("b", &far[100..220])]), &three, 5).join("\n");
    assert!(found.contains("accuracy hardly depends on 'rare'") && found.contains("--metric balanced_accuracy"), "{found}");
}

#[test]
fn vectors_of_length_one_are_reported() {
    let target = two((0..40).map(|i| i % 3 == 0));
    let of = |data: &Dataset| said(data, &target, 5).into_iter().filter(|s| !s.contains("repeat another row")).collect::<Vec<_>>();
    let (x, y) = (0.6, 0.8);
    let tfidf = |factor: f64| {
        let values = (0..40).flat_map(|_| [factor * x, factor * y]).collect();
        let columns = (0..40).flat_map(|i| [i, i + 1]).collect();
        Points::csr(40, 50, (0..=40).map(|i| 2 * i).collect(), columns, values).unwrap()
    };
    let found = of(&table(vec![("words", Values::Points(tfidf(1.0)))]));
    assert!(found.len() == 1 && found[0].starts_with("40 of 40 vectors of 'words' have length 1"), "{found:?}");
    assert!(of(&table(vec![("words", Values::Points(tfidf(2.0)))])).is_empty());
    let followed = table(vec![("words", Values::Points(tfidf(1.0)))]);
    let info = TargetInfo { names: vec!["y".into()], classes: None, labels: Labels::Text };
    assert!(facts(&followed, &Target::Absent { rows: 40 }, &info, &Split::Rows, 5, false).is_empty(), "what is done is not asked for");
}

#[test]
fn sets_in_another_order_and_graphs_with_other_numbers_of_nodes_are_copies() {
    let sets = |texts: &[&str]| ColumnKind::Set.parse(&mut texts.iter().copied()).unwrap();
    let equal = |values: Values| equal_rows(&table(vec![("x", values)]));
    assert_eq!(equal(sets(&["[[1, 2], [3, 4]]", "[[3, 4], [1, 2]]", "[[3, 2], [1, 4]]", "[[1, 2], [1, 2], [3, 4]]"])), [0, 0, 1, 2]);
    // A series has an order.
    let series = ColumnKind::Series.parse(&mut ["[1, 2, 3]", "[3, 2, 1]", "[1, 2, 3]"].into_iter()).unwrap();
    assert_eq!(equal(series), [0, 1, 0]);
    let graphs = |texts: &[&str]| Values::Graphs(Graphs::new(texts).unwrap());
    let paths = ["C C O | 0-1 1-2", "O C C | 0-1 1-2", "C O C | 0-1 1-2", "C C O | 0-1 1-2:double", "C C O | 0-1"];
    assert_eq!(equal(graphs(&paths)), [0, 0, 1, 2, 3]);
    // Every node of two triangles and of a ring of six has two neighbours; distances tell them apart.
    let rings = ["0-1 1-2 0-2 3-4 4-5 3-5", "0-1 1-2 2-3 3-4 4-5 0-5", "0-2 2-4 4-1 1-3 3-5 5-0", "0-4 4-2 2-0 1-3 3-5 5-1"];
    assert_eq!(equal(graphs(&rings)), [0, 1, 1, 0]);
}

/// Forty groups of six rows.
fn owners() -> Vec<String> {
    (0..240).map(|i| format!("C{:03}", i / 6)).collect()
}

fn labels(of: &[String]) -> Values {
    Values::Categories(crate::data::Categories::from_labels(of))
}

#[test]
fn identifiers_that_several_rows_share_advise_groups() {
    let (x, noise) = (draws(240, 1), draws(240, 2));
    let target = two(noise.iter().map(|e| *e > 0.0));
    let with = |name: &str, values: Values| said(&table(vec![("x", Values::Numbers(x.clone())), (name, values)]), &target, 5);
    let codes: Vec<f64> = (0..240).map(|i| f64::from(i / 6 + 100)).collect();
    for (name, values) in [("customer", labels(&owners())), ("Patient ID", labels(&owners())), ("patient", Values::Numbers(codes.clone()))]
    {
        let found = with(name, values);
        let option = if name.contains(' ') { format!("--groups '{name}' ") } else { format!("--groups {name} ") };
        assert!(
            found.len() == 1 && found[0].contains("names 40 groups of rows: 6.0 rows of each value") && found[0].contains(&option),
            "{found:?}"
        );
    }
    // A place is no identifier; one value for each row identifies rows; measured numbers are numbers.
    let each: Vec<String> = (0..240).map(|i| format!("C{i}")).collect();
    let measured: Vec<f64> = codes.iter().map(|x| x + 0.5).collect();
    for (name, values) in [("city", labels(&owners())), ("customer", labels(&each)), ("patient", Values::Numbers(measured))] {
        assert_eq!(with(name, values), Vec::<String>::new(), "{name}");
    }
    let data = table(vec![("x", Values::Numbers(x)), ("customer", labels(&owners()))]);
    let info = TargetInfo { names: vec!["y".into()], classes: Some(vec!["no".into(), "yes".into()]), labels: Labels::Text };
    let split = Split::Groups((0..240).map(|i| i / 12).collect());
    assert_eq!(facts(&data, &target, &info, &split, 5, true), []);
}

#[test]
fn groups_whose_target_is_one_are_kept_together_and_not_left_out() {
    let x = draws(240, 1);
    let data = table(vec![("x", Values::Numbers(x)), ("site", labels(&owners()))]);
    let found = said(&data, &two((0..240).map(|i| i / 6 % 3 == 0)), 5);
    assert!(
        found.len() == 1 && found[0].starts_with("column 'site' alone gives the target away: it predicts the class of 100.0%"),
        "{found:?}"
    );
    assert!(found[0].contains("--groups site keeps them in one fold") && !found[0].contains("site=ignore"), "{found:?}");
}
