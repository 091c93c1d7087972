//! The parts of rows that a model answers by: what is reported is the difference to the prediction of a row that is masked by hand, and
//! what was planted is found.

use mercer::control::Control;
use mercer::data::{Column, Dataset, Graphs, Series, Sets, Strings, Target, TargetInfo, Trees, Values};
use mercer::estimators::{EstimatorExpr, Want};
use mercer::kernels::KernelExpr;
use mercer::learner::{Influences, Learner, Masking, Measure, Model};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

fn table(values: Values) -> Dataset {
    Dataset::new(vec![Column { name: "x".into(), values }]).unwrap()
}

fn fitted(values: Values, target: &Target, estimator: &str, kernel: Option<&str>) -> (Dataset, Model) {
    let data = table(values);
    let kernel = kernel.map(|kernel| KernelExpr::parse(kernel).unwrap());
    let learner = Learner { kernel, ..Learner::new(EstimatorExpr::parse(estimator).unwrap()) };
    let model = learner.fit(&data, target, &TargetInfo::of(target), None, &Control::default()).unwrap();
    (data, model)
}

/// Rows of two classes in turn, so that every second row is of one class.
fn in_turn(rows: usize) -> Target {
    Target::Classes { codes: (0..rows).map(|i| i % 2).collect(), names: vec!["without".into(), "with".into()] }
}

/// The decision value of the second class, or the number.
fn value(model: &Model, values: Values) -> f64 {
    let found = model.predict(&table(values), Want { scores: true, ..Want::default() }, &Control::default()).unwrap();
    found.scores.as_ref().map_or_else(|| found.numbers().unwrap()[0], |scores| scores[(0, 0)])
}

fn influences(model: &Model, data: &Dataset) -> Vec<Influences> {
    model.influences(data, &Masking::default(), &Control::default()).unwrap()
}

/// The effect of a part of a row of the second class, by its text.
fn effect(model: &Model, data: &Dataset, row: usize, text: &str) -> f64 {
    let found = model.explain(data, row, None, &Control::default()).unwrap();
    assert_eq!((found.of.as_str(), found.measure), ("with", Measure::DecisionValue));
    let parts = &found.columns[0].strongest;
    parts.iter().find(|part| part.text == text).unwrap_or_else(|| panic!("{text} is none of {parts:?}")).effect
}

fn close(a: f64, b: f64) {
    assert!((a - b).abs() <= 1e-9 * a.abs().max(1.0), "{a} {b}");
}

/// Chains of carbon with one nitrogen in the second class, one oxygen in the first.
fn chain(i: usize) -> (Vec<&'static str>, usize) {
    let (nodes, at) = (5 + i % 3, 1 + i % 4);
    (
        (0..nodes)
            .map(|k| {
                if k != at {
                    "C"
                } else if i % 2 == 1 {
                    "N"
                } else {
                    "O"
                }
            })
            .collect(),
        at,
    )
}

fn written(labels: &[&str], cut: Option<usize>) -> String {
    let edges: Vec<String> = (1..labels.len()).filter(|k| Some(*k) != cut).map(|k| format!("{}-{k}", k - 1)).collect();
    format!("{} | {}", labels.join(" "), edges.join(" "))
}

#[test]
fn a_node_is_masked_with_its_edges_and_the_planted_one_is_found() {
    let graphs = |i: usize| written(&chain(i).0, None);
    let (data, model) = fitted(Values::Graphs(Graphs::new((0..40).map(graphs)).unwrap()), &in_turn(40), "svc(c=10)", None);
    let found = &influences(&model, &data)[0];
    assert!(found.parts[..2].iter().any(|part| part.text.contains('N') && part.mean > 0.0), "{found:?}");
    assert!(found.parts[..2].iter().any(|part| part.text.contains('O') && part.mean < 0.0), "{found:?}");
    // Row 8 (7 from 0) has N at node 4 of 6: without it there is a chain of four nodes and one node alone.
    let (labels, at) = chain(7);
    assert_eq!((labels.len(), at), (6, 4));
    let whole = value(&model, Values::Graphs(Graphs::new([graphs(7)]).unwrap()));
    let masked = value(&model, Values::Graphs(Graphs::new(["C C C C C | 0-1 1-2 2-3"]).unwrap()));
    close(effect(&model, &data, 7, "N(C C)"), whole - masked);
    let without_edge = value(&model, Values::Graphs(Graphs::new([written(&labels, Some(1))]).unwrap()));
    let units = &model.explain(&data, 7, None, &Control::default()).unwrap().columns[0];
    let edge = units.units.iter().position(|unit| unit.trim() == "0-1").unwrap();
    close(units.effects[edge], whole - without_edge);
}

#[test]
fn a_subtree_is_masked_whole_and_the_planted_one_is_found() {
    let tree = |i: usize| {
        let (word, verb) = (["a", "the"][i % 2], ["runs", "sees", "goes"][i % 3]);
        if i % 4 < 2 { format!("(S (NP (D {word})) (VP (V {verb})))") } else { format!("(S (VP (V {verb})) (NP (D {word})))") }
    };
    let (data, model) = fitted(Values::Trees(Trees::new((0..40).map(tree)).unwrap()), &in_turn(40), "svc(c=10)", None);
    let found = &influences(&model, &data)[0];
    assert!(found.parts[..2].iter().any(|part| part.text.contains("the") && part.mean > 0.0), "{found:?}");
    let whole = value(&model, Values::Trees(Trees::new([tree(1)]).unwrap()));
    let masked = value(&model, Values::Trees(Trees::new(["(S (NP D) (VP (V sees)))"]).unwrap()));
    close(effect(&model, &data, 1, "the"), whole - masked);
    // The effect of a node is that of all below it.
    let (units, without) = (&model.explain(&data, 1, None, &Control::default()).unwrap().columns[0], "(S (VP (V sees)))");
    let phrase = units.units.iter().position(|unit| unit.trim() == "(NP").unwrap();
    close(units.effects[phrase], whole - value(&model, Values::Trees(Trees::new([without]).unwrap())));
}

#[test]
fn a_member_is_masked_by_leaving_it_out_and_the_planted_one_is_found() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut sets: Vec<Vec<Vec<f64>>> =
        (0..40).map(|i| (0..3 + i % 3).map(|_| vec![random.random_range(-1.0..1.0), random.random_range(-1.0..1.0)]).collect()).collect();
    sets.iter_mut().skip(1).step_by(2).for_each(|set| set.insert(1, vec![5.0, 4.0]));
    let of = |sets: &[Vec<Vec<f64>>]| Values::Sets(Sets::of_rows(sets).unwrap());
    let (data, model) = fitted(of(&sets), &in_turn(40), "svc(c=10)", None);
    let first = &influences(&model, &data)[0].parts[0];
    assert_eq!((first.text.as_str(), first.times), ("[5, 4]", 20));
    let mut masked = sets[3].clone();
    masked.remove(1);
    close(effect(&model, &data, 3, "[5, 4]"), value(&model, of(&sets[3..4])) - value(&model, of(&[masked])));
}

#[test]
fn times_are_masked_by_a_straight_line_and_the_planted_bump_is_found() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(2);
    let mut path = |i: usize| -> Vec<Vec<f64>> {
        let bump = |t: usize| if i % 2 == 1 && (13..17).contains(&t) { 2.0 } else { 0.0 };
        (0..30).map(|t| vec![bump(t) + random.random_range(-0.1..0.1), 0.5 * t as f64 + random.random_range(-0.1..0.1)]).collect()
    };
    let series: Vec<Vec<Vec<f64>>> = (0..30).map(&mut path).collect();
    let of = |rows: &[Vec<Vec<f64>>]| Values::Series(Series::of_rows(rows).unwrap());
    let (data, model) = fitted(of(&series), &in_turn(30), "svc(c=10)", Some("normalise(global_alignment(length_scale=1))"));
    let found = &model.influences(&data, &Masking { width: Some(6), rows: 200 }, &Control::default()).unwrap()[0];
    let best = &found.parts[0];
    assert!(["times 10 to 15", "times 13 to 18"].contains(&best.text.as_str()) && best.times == 30, "{best:?}");
    // Of the rows with a bump, the times of the bump are those of most effect.
    let places = found.places.iter().find(|places| places.class == "with").unwrap();
    let most = (0..30).max_by(|a, b| places.means[*a].total_cmp(&places.means[*b])).unwrap();
    assert!((12..18).contains(&most) && places.axis == "time" && places.means.len() == 30, "{places:?}");
    let row = &model.explain(&data, 5, Some(6), &Control::default()).unwrap().columns[0];
    for part in &row.strongest {
        let mut masked = series[5].clone();
        let (first, last) = (part.first - 1, part.first + 4);
        for channel in 0..2 {
            let before = if first > 0 { series[5][first - 1][channel] } else { series[5][last + 1][channel] };
            let after = if last < 29 { series[5][last + 1][channel] } else { before };
            for (k, time) in masked[first..=last].iter_mut().enumerate() {
                time[channel] = before + (after - before) * (k + 1) as f64 / 7.0;
            }
        }
        close(part.effect, value(&model, of(&series[5..6])) - value(&model, of(&[masked])));
    }
}

/// 200 random letters of which every second row has a motif: half of the rows, drawn at even steps, would all be of one class.
#[test]
fn every_class_is_looked_at_whatever_the_order_of_the_rows() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(3);
    let rows: Vec<String> = (0..80)
        .map(|i| {
            let mut s: String = (0..50).map(|_| ['A', 'C', 'G', 'T'][random.random_range(0..4)]).collect();
            let at = random.random_range(0..42);
            if i % 2 == 1 {
                s.replace_range(at..at + 8, "TGACTCAT");
            }
            s
        })
        .collect();
    let (data, model) =
        fitted(Values::Sequences(Strings::new(&rows)), &in_turn(80), "svc(c=10)", Some("normalise(spectrum(k=6, alphabet=dna))"));
    let sorted: Vec<usize> = (0..80).step_by(2).chain((1..80).step_by(2)).collect();
    for data in [data.clone(), data.select(&sorted)] {
        let found = &model.influences(&data, &Masking { width: Some(6), rows: 40 }, &Control::default()).unwrap()[0];
        let looked_at: Vec<(&str, usize)> = found.classes.iter().map(|c| (c.class.as_str(), c.rows)).collect();
        assert_eq!(looked_at, [("without", 20), ("with", 20)]);
        let first = &found.parts[0];
        assert!("TGACTCAT".contains(&first.text) && first.times >= 20 && first.mean > 0.0, "{first:?}");
        assert!(found.parts.iter().all(|part| !part.text.contains(" at ")), "the kernel sees no places: {:?}", found.parts);
    }
}

/// A word counts at place 21 alone: the place stands beside it, and versions of it with other letters around it do not fill the list.
#[test]
fn a_word_that_counts_at_one_place_is_named_with_it() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(4);
    let rows: Vec<String> = (0..120)
        .map(|i| {
            let mut s: String = (0..40).map(|_| ['A', 'C', 'G', 'T'][random.random_range(0..4)]).collect();
            let at = if i % 2 == 1 { 20 } else { random.random_range(0..16) };
            s.replace_range(at..at + 4, "TGAC");
            s
        })
        .collect();
    let kernel = "weighted_degree(degree=4, alphabet=dna)";
    let (data, model) = fitted(Values::Sequences(Strings::new(&rows)), &in_turn(120), "svc(c=1)", Some(kernel));
    let found = &influences(&model, &data)[0];
    let held: Vec<usize> = (0..120).filter(|i| rows[*i][20..24] == *"TGAC").collect();
    assert_eq!((found.parts[0].text.as_str(), found.parts[0].times), ("TGAC at 21", held.len()));
    assert!(found.parts[1..].iter().all(|part| part.mean.abs() * (part.times as f64).sqrt() < found.parts[0].mean * 5.0), "{found:?}");
    let places = found.places.iter().find(|places| places.class == "with").unwrap();
    let most = (0..40).max_by(|a, b| places.means[*a].total_cmp(&places.means[*b])).unwrap();
    assert!((20..24).contains(&most), "{places:?}");
    // The mean effect is that of masking the word in each row that has it there.
    let mean = held
        .iter()
        .map(|&i| {
            let masked = format!("{}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}{}", &rows[i][..20], &rows[i][24..]);
            let of = |s: &str| value(&model, Values::Sequences(Strings::new([s])));
            of(&rows[i]) - of(&masked)
        })
        .sum::<f64>()
        / held.len() as f64;
    close(found.parts[0].mean, mean);
}

#[test]
fn probabilities_votes_and_numbers_are_explained_too() {
    let graphs = || Values::Graphs(Graphs::new((0..40).map(|i| written(&chain(i).0, None))).unwrap());
    for (estimator, measure) in [("nadaraya_watson", Measure::Probability), ("knn(k=3)", Measure::Votes)] {
        let (data, model) = fitted(graphs(), &in_turn(40), estimator, Some("normalise(weisfeiler_lehman(depth=1))"));
        let found = model.explain(&data, 7, None, &Control::default()).unwrap();
        assert_eq!((found.of.as_str(), found.measure), ("with", measure));
        assert!(found.columns[0].strongest.iter().any(|part| part.text.starts_with('N') && part.effect > 0.0), "{estimator}: {found:?}");
        if measure == Measure::Probability {
            let predicted =
                model.predict(&data.select(&[7]), Want { probabilities: true, ..Want::default() }, &Control::default()).unwrap();
            close(found.value, predicted.probabilities.unwrap()[(0, 1)]);
        }
    }
    // 3 with a nitrogen and 0 with an oxygen: of the weights of labels that say so, the smallest are 1.5 and -1.5 around a mean of 1.5.
    let counted = Target::numbers(&(0..40).map(|i| if i % 2 == 1 { 3.0 } else { 0.0 }).collect::<Vec<_>>());
    let (data, model) = fitted(graphs(), &counted, "ridge(lambda=1e-6)", Some("weisfeiler_lehman(depth=0)"));
    let found = &influences(&model, &data)[0];
    assert_eq!((found.measure, found.classes.len(), found.rows), (Measure::Prediction, 0, 40));
    for (label, weight) in [("N", 1.5), ("O", -1.5)] {
        let part = found.parts.iter().find(|part| part.text.starts_with(label)).unwrap();
        assert!((part.mean - weight).abs() < 1e-3, "{:?}", found.parts);
    }
    let (data, model) = fitted(Values::Numbers((0..40).map(f64::from).collect()), &counted, "ridge", None);
    let why = model.explain(&data, 0, None, &Control::default()).unwrap_err().to_string();
    assert!(why.contains("no column with parts that could be masked"), "{why}");
}
