use super::*;
use crate::data::Target;

fn target(text: &str, types: &str) -> Result<(Target, TargetInfo)> {
    parsed(text).take_target(&["y"], &options(types))
}

fn classes(text: &str, types: &str) -> (Vec<usize>, Vec<String>) {
    match target(text, types).unwrap().0 {
        Target::Classes { codes, names } => (codes, names),
        other => panic!("{other:?} is not of classes"),
    }
}

fn numbers(text: &str, types: &str) -> Vec<f64> {
    match target(text, types).unwrap().0 {
        Target::Numbers(m) => m.data().to_vec(),
        other => panic!("{other:?} is not of numbers"),
    }
}

#[test]
fn two_numbers_are_classes_named_as_written_and_ordered_by_size() {
    assert_eq!(classes("x,y\n1,1\n2,-1\n3,1\n", ""), (vec![1, 0, 1], vec!["-1".into(), "1".into()]));
    assert_eq!(classes("x,y\n1,1.0\n2,-1.0\n3,1\n", ""), (vec![1, 0, 1], vec!["-1.0".into(), "1.0".into()]));
    let mut table = parsed("x,y\n1,0\n2,1\n3,1\n");
    table.take_target(&["y"], &ReadOptions::default()).unwrap();
    says(&table.notices()[0], &["'y'", "0 and 1", "--types y=number"]);
}

#[test]
fn the_type_decides_between_numbers_and_classes() {
    let text = "x,y\n1,10\n2,9\n3,2\n4,9\n";
    assert_eq!(numbers(text, ""), [10.0, 9.0, 2.0, 9.0]);
    assert_eq!(classes(text, "y=category"), (vec![2, 1, 0, 1], vec!["2".into(), "9".into(), "10".into()]));
    assert_eq!(numbers("x,y\n1,0\n2,1\n3,1\n", "y=number"), [0.0, 1.0, 1.0]);
    says(&message(target(text, "y=text")), &["'y'", "number or category"]);
}

#[test]
fn labels_are_classes_sorted_by_text() {
    assert_eq!(classes("x,y\n1,no\n2,maybe\n3,no\n", ""), (vec![1, 0, 1], vec!["maybe".into(), "no".into()]));
}

#[test]
fn several_targets_are_numbers_in_the_order_asked_for() {
    let mut table = parsed("a,x,b\n1,2,3\n4,5,6\n");
    let (target, info) = table.take_target(&["b", "a"], &ReadOptions::default()).unwrap();
    let Target::Numbers(m) = target else { panic!("not numbers") };
    assert_eq!((m.data(), info.names), (&[3.0, 1.0, 6.0, 4.0][..], vec!["b".into(), "a".into()]));
    assert_eq!(table.dataset(&ReadOptions::default()).unwrap().names(), ["x"]);
    let labels = "a,b\n1,u\n2,v\n";
    says(&message(parsed(labels).take_target(&["a", "b"], &ReadOptions::default())), &["row 1, column 'b'", "finite number"]);
    says(&message(parsed(labels).take_target(&["a", "b"], &options("b=category"))), &["'b'", "all be numbers"]);
    says(&message(parsed(labels).take_target(&["a", "a"], &ReadOptions::default())), &["'a' is asked for twice"]);
}

#[test]
fn targets_that_teach_nothing_are_refused() {
    says(&message(target("x,y\n1,a\n2,\n3,b\n", "")), &["row 2, column 'y'", "a value"]);
    says(&message(target("x,y\n1,1.5\n2,NA\n3,2\n", "")), &["row 2, column 'y'", "a value"]);
    says(&message(target("x,y\n1,a\n2,a\n3,a\n", "")), &["'y'", "'a' in every row"]);
    says(&message(target("x,y\n1,a\n2,b\n3,c\n", "")), &["'y'", "different value in every row"]);
    says(
        &message(parsed("x,label\n1,2\n").take_target(&["lable"], &ReadOptions::default())),
        &["unknown column 'lable'", "did you mean 'label'"],
    );
    let names = column("y", (0..50).map(|i| format!("ATRINS-DONOR-{i}")));
    says(&message(target(&names, "")), &["'y'", "neither classes nor numbers", "--types y=category"]);
    let dna = column("y", (0..50).map(|i| format!("ACGTACGTACGT{}", "A".repeat(i))));
    says(&message(target(&dna, "")), &["'y'", "neither classes nor numbers"]);
    let stray = column("y", (0..50).map(|i| if i == 17 { "ten".into() } else { i.to_string() }));
    says(&message(target(&stray, "")), &["row 18, column 'y'", "'ten'"]);
}

#[test]
fn new_targets_get_the_training_codes() {
    let (_, info) = target("x,y\n1,1\n2,-1\n3,1\n", "").unwrap();
    let read: TargetInfo = serde_json::from_str(&serde_json::to_string(&info).unwrap()).unwrap();
    let new = parsed("y\n-1.0\n1\n").take_target_like(&read).unwrap();
    assert_eq!(new, Target::Classes { codes: vec![0, 1], names: vec!["-1".into(), "1".into()] });
    says(&message(parsed("y\n1\n2\n").take_target_like(&read)), &["row 2, column 'y'", "'2'", "-1, 1"]);
}

#[test]
fn a_table_without_a_wanted_target_has_none() {
    let none: [&str; 0] = [];
    let (target, info) = parsed("x\n1\n").take_target(&none, &ReadOptions::default()).unwrap();
    assert_eq!((target, info.classes), (Target::Absent { rows: 1 }, None));
}
