//! Graphs and series that a page draws: those of the rows with the largest decision values of their class.

use mercer::control::Control;
use mercer::data::{Column, Dataset, Graphs, Series, Target, TargetInfo, Values};
use mercer::estimators::EstimatorExpr;
use mercer::kernels::KernelExpr;
use mercer::learner::{Learner, Model};
use mercer::report::{Picture, Row};

fn fitted(values: Values, target: &Target, estimator: &str, kernel: &str) -> (Model, Row) {
    let data = Dataset::new(vec![Column { name: "x".into(), values }]).unwrap();
    let learner = Learner { kernel: Some(KernelExpr::parse(kernel).unwrap()), ..Learner::new(EstimatorExpr::parse(estimator).unwrap()) };
    let model = learner.fit(&data, target, &TargetInfo::of(target), None, &Control::default()).unwrap();
    let row = Row::of_model(&model, &data, target, None, &Control::default()).unwrap();
    (model, row)
}

fn classes(rows: usize) -> Target {
    Target::Classes { codes: (0..rows).map(|i| i % 2).collect(), names: vec!["ring".into(), "path".into()] }
}

/// Rings and paths of some nodes, in turn, labelled C, with an O at the first node and one double edge.
fn graphs(rows: usize) -> Graphs {
    let one = |i: usize| {
        let nodes = 4 + i / 2;
        let labels: Vec<&str> = (0..nodes).map(|k| if k == 0 { "O" } else { "C" }).collect();
        let mut edges: Vec<String> = (1..nodes).map(|k| format!("{}-{k}{}", k - 1, if k == 1 { ":double" } else { "" })).collect();
        if i.is_multiple_of(2) {
            edges.push(format!("0-{}", nodes - 1));
        }
        format!("{} | {}", labels.join(" "), edges.join(" "))
    };
    Graphs::new((0..rows).map(one)).unwrap()
}

#[test]
fn graphs_of_the_rows_most_typical_of_each_class_are_drawn_with_their_labels() {
    let (model, row) = fitted(Values::Graphs(graphs(16)), &classes(16), "svc(c=10)", "normalise(weisfeiler_lehman)");
    let picture = row.pictures.iter().find(|p| matches!(p, Picture::Graphs(_))).unwrap();
    let Picture::Graphs(graphs) = picture else { panic!() };
    assert_eq!((graphs.column.as_str(), graphs.drawn.len()), ("x", 6));
    for (k, (typical, drawn)) in graphs.drawn.iter().enumerate() {
        // Rows 1, 3, .. are rings: as many edges as nodes.
        let ring = k < 3;
        assert_eq!((typical.class.as_str(), typical.row % 2 == 1), (if ring { "ring" } else { "path" }, ring));
        assert_eq!(drawn.nodes.len() - usize::from(!ring), drawn.edges.len());
        assert!(typical.value > 0.0 && drawn.nodes[0] == "O" && drawn.edges[0].2 == "double", "{typical:?}");
        assert!(k % 3 == 0 || graphs.drawn[k - 1].0.value >= typical.value);
    }
    let sentence = picture.sentence(&row);
    assert!(sentence.contains("graphs of column x") && sentence.contains("2 classes") && sentence.contains("dark edges"), "{sentence}");
    assert!(graphs.drawn.iter().all(|(_, g)| !g.strong.is_empty() && g.strong.iter().all(|unit| *unit < g.nodes.len() + g.edges.len())));
    let svg = picture.file(&row).unwrap();
    let circles: usize = graphs.drawn.iter().map(|(_, g)| g.nodes.len()).sum();
    assert_eq!(svg.matches("<circle").count(), circles);
    assert!(svg.contains("Typical graphs of x") && svg.contains(">\nO\n<") && svg.contains("row "), "{svg}");
    let page = mercer::report::model_page(&model, &row, "t.csv", "mercer fit").unwrap();
    assert!(page.contains("Typical graphs of x") && page.contains("What svc answers by") && page.contains("mercer explain"));
    assert_eq!(row.influences[0].rows, 16);
}

#[test]
fn series_are_drawn_channel_by_channel_and_numbers_have_two_ends() {
    let path = |i: usize| (0..12 + i).map(|t| vec![(0.3 * t as f64).sin() * (1 + i) as f64, i as f64]).collect::<Vec<_>>();
    let series = Series::of_rows(&(0..10).map(path).collect::<Vec<_>>()).unwrap();
    let target = Target::numbers(&(0..10).map(f64::from).collect::<Vec<_>>());
    let (_, row) = fitted(Values::Series(series), &target, "ridge(lambda=0.01)", "signature(depth=2)");
    let picture = row.pictures.iter().find(|p| matches!(p, Picture::Series(_))).unwrap();
    let Picture::Series(drawn) = picture else { panic!() };
    assert_eq!(drawn.drawn.len(), 6);
    let values: Vec<f64> = drawn.drawn.iter().map(|(row, _)| row.value).collect();
    assert!(values[0] >= values[1] && values[1] >= values[2] && values[3] <= values[4] && values[2] > values[5], "{values:?}");
    let (first, lines) = &drawn.drawn[0];
    assert!(first.class.is_empty() && lines.len() == 2 && lines[0].len() == 12 + first.row - 1);
    let sentence = picture.sentence(&row);
    assert!(sentence.contains("largest and the smallest predictions") && sentence.contains("2 channels"), "{sentence}");
    assert!(picture.file(&row).unwrap().matches("<polyline").count() >= 12);
    let Some(Picture::Places(places)) = row.pictures.iter().find(|p| matches!(p, Picture::Places(_))) else { panic!() };
    assert_eq!((places.axis.as_str(), places.lines.len(), places.lines[0].1.len()), ("time", 1, 21));
}

#[test]
fn nothing_is_drawn_of_numbers() {
    let (_, row) = fitted(Values::Numbers((0..12).map(f64::from).collect()), &classes(12), "svc(c=1)", "rbf(length_scale=1)");
    assert!(!row.pictures.iter().any(|p| matches!(p, Picture::Graphs(_) | Picture::Series(_))));
}
