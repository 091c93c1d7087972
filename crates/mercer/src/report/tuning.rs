//! What a search learnt, in words: the choice, the range that scores the same, and what the data do not say.

use super::words::{brief, listed, shown, value};
use crate::learner::Model;
use crate::param::Value;
use crate::select::{BoundStatus, End, TunedBy, TunedParameter, Tuning};

/// Values that are named with their scores.
const MOST_TRIED: usize = 7;

/// The parameter with its column, where it has one.
pub(super) fn full_name(p: &TunedParameter) -> String {
    match &p.column {
        Some(column) => format!("{} for {}", p.name, shown(column, 60)),
        None => p.name.clone(),
    }
}

/// `c = 3.2; 0.4 to 110 score alike`.
pub(super) fn choice(p: &TunedParameter) -> String {
    let chosen = format!("{} = {}", full_name(p), value(p.value));
    if p.edges.contains(&BoundStatus::Unknown) {
        return chosen;
    }
    same(p).map_or(chosen.clone(), |same| format!("{chosen}; {same}"))
}

/// The range that scores the same, where it is more than the choice alone.
fn same(p: &TunedParameter) -> Option<String> {
    let [a, b] = p.same.map(value);
    (a != b).then(|| format!("{a} to {b} score alike"))
}

/// Whether nothing can be gained by another choice.
fn is_settled(t: &Tuning) -> bool {
    matches!((&t.criterion, t.value), (TunedBy::CrossValidation { metric, .. }, Some(score)) if metric.is_perfect(score))
}

/// The values tried and their scores: `tried: 0.1 (0.91), 3.2 (0.97, chosen), 110 (0.95)`; empty where none is known.
fn curve(p: &TunedParameter) -> String {
    if p.tried.len() < 2 {
        return String::new();
    }
    let one = |(x, score): &(f64, f64)| {
        let chosen = if *x == p.value { ", chosen" } else { "" };
        format!("{} ({}{chosen})", value(*x), brief(*score))
    };
    // Of a run of equal scores the ends say enough.
    let score = |k: usize| p.tried.get(k).map(|(_, s)| brief(*s));
    let inner = |k: usize| k > 0 && score(k - 1) == score(k) && score(k) == score(k + 1) && p.tried[k].0 != p.value;
    let mut kept: Vec<usize> = (0..p.tried.len()).filter(|k| !inner(*k)).collect();
    // Of many, those that lie closest between their neighbours are left out.
    while kept.len() > MOST_TRIED {
        let gap = |k: usize| (p.tried[kept[k + 1]].0 / p.tried[kept[k - 1]].0).abs().ln().abs();
        let open = (1..kept.len() - 1).filter(|&k| p.tried[kept[k]].0 != p.value);
        let Some(closest) = open.min_by(|&a, &b| gap(a).total_cmp(&gap(b))) else { break };
        kept.remove(closest);
    }
    format!("; tried: {}", kept.iter().map(|&k| one(&p.tried[k])).collect::<Vec<_>>().join(", "))
}

/// What to write to search around a value beyond or beside what was searched; a whole number counts rows, of which there are
/// so many.
fn further(p: &TunedParameter, around: f64, rows: usize) -> Option<String> {
    let name = p.path.rsplit('.').next().unwrap_or(&p.path);
    let written = |x: f64| Value::Number(if p.integer { x.round().max(1.0) } else { x }).rounded(3);
    let (low, high) = if around >= p.value { (around / 10.0, around * 100.0) } else { (around / 100.0, around * 10.0) };
    // At an end of the search it is continued beyond that end.
    let below = p.at_bound == Some(End::Lower);
    let (low, high) = if below { (around / 100.0, around * 10.0) } else { (low, high) };
    let high = if p.integer { high.min(rows.saturating_sub(1) as f64) } else { high };
    if p.integer && (if below { low.max(1.0) >= p.low } else { high <= p.high }) {
        return None;
    }
    Some(if p.low > 0.0 && high.is_finite() {
        format!("{name}={}..{}", written(low), written(high))
    } else {
        format!("a wider range for {name}")
    })
}

/// The best value tried, where it scores better than the choice by more than noise: a search that was not finished, or
/// that ended in another valley.
fn better(t: &Tuning, p: &TunedParameter) -> Option<(f64, f64)> {
    let (best, same) = (t.value?, t.same?);
    let gain = |s: f64| if t.rises { s - best } else { best - s };
    let top = p.tried.iter().copied().max_by(|a, b| gain(a.1).total_cmp(&gain(b.1)))?;
    (gain(top.1) > (same - best).abs()).then_some(top)
}

/// Whether the range that scores the same reaches far on one side (0: below, 1: above): to the end of the search, or by a
/// factor of thirty.
fn reaches_far(p: &TunedParameter, side: usize) -> bool {
    // A range that scores the same and reaches this many times as far says nothing of where the value should be.
    const FAR: f64 = 30.0;
    let far = if p.low > 0.0 {
        (p.same[side] / p.value).ln().abs() >= FAR.ln()
    } else {
        (p.same[side] - p.value).abs() >= 0.4 * (p.high - p.low)
    };
    p.edges[side] == BoundStatus::End || (p.edges[side] == BoundStatus::Open && far)
}

/// Whether the score still changes at an end of the search: where values far inside score alike, nothing says that those beyond the end
/// are better. A search further goes ten times as far inside.
fn changes_at_end(p: &TunedParameter) -> bool {
    if p.low > 0.0 { p.same[1] < 10.0 * p.same[0] } else { p.same[0] == p.same[1] }
}

/// Something that a search leaves to be said.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Finding {
    /// The sentence.
    pub said: String,
    /// What it was seen by, and the values tried.
    seen: String,
    /// Whether the user should do something.
    pub asks: bool,
    /// What it is about.
    pub kind: Kind,
}

/// What a finding is about.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind {
    /// The choice stands at an end of its range; what to write to search beyond it, where there is more.
    AtAnEnd(Option<String>),
    /// Time ended the search.
    Unfinished,
    /// A range that goes beyond the rows there are.
    Cut(TunedParameter),
    /// Anything else.
    Other,
}

impl Finding {
    /// The sentence with the values that were tried.
    pub(super) fn in_full(&self) -> String {
        format!("{}{}", self.said, self.seen)
    }
}

/// A sentence where the choice stands at an end of its search or the data do not say where it should be.
fn finding(t: &Tuning, p: &TunedParameter, rows: usize) -> Option<Finding> {
    let name = full_name(p);
    let chosen = format!("{name} = {}", value(p.value));
    // An end of the range that scores the same may lie between two values that were tried.
    let within = || p.tried.iter().map(|(x, _)| *x).filter(|x| (p.same[0]..=p.same[1]).contains(x));
    let [first, last] = [within().reduce(f64::min), within().reduce(f64::max)].map(|x| value(x.unwrap_or(p.value)));
    let alike = format!("{name} matters little: {first} to {last} score alike");
    let far = [0, 1].map(|side| reaches_far(p, side));
    let settled = is_settled(t);
    let beyond = |around: f64| match further(p, around, rows).filter(|_| !settled) {
        Some(range) => format!("; to search further, write {range}"),
        None => String::new(),
    };
    let mut kind = Kind::Other;
    let (said, asks) = match (p.at_bound, far) {
        _ if better(t, p).is_some() => {
            let (x, score) = better(t, p).unwrap_or_default();
            let range = beyond(x);
            (
                format!("{chosen} is not the best value tried: {} scores {} instead of {}{range}", value(x), brief(score), brief(t.value?)),
                true,
            )
        }
        (Some(End::Lower), _) if p.integer && p.low <= 1.0 => {
            (format!("{chosen} is the smallest possible{}", same(p).map_or(String::new(), |same| format!("; {same}"))), false)
        }
        (Some(end), _) => {
            kind = Kind::AtAnEnd(further(p, p.value, rows));
            let (which, inward) = match end {
                End::Upper => ("upper", 0),
                End::Lower => ("lower", 1),
            };
            let [low, high] = [p.low, p.high].map(value);
            let place = format!("best {chosen} is at the {which} end of its search ({low} to {high})");
            match p.edges[inward] {
                BoundStatus::Open | BoundStatus::End => (alike, false),
                BoundStatus::Worse => {
                    let same = same(p).map_or(String::new(), |same| format!("; {same}"));
                    (format!("{place}{same}{}", beyond(p.value)), changes_at_end(p) && !settled)
                }
                BoundStatus::Unknown => (format!("{place}{}", beyond(p.value)), !settled),
            }
        }
        (None, [true, true]) => (alike, false),
        (None, [false, true]) => (format!("{alike}; smaller is worse"), false),
        (None, [true, false]) => (format!("{alike}; larger is worse"), false),
        (None, [false, false]) => return None,
    };
    Some(Finding { said, seen: format!(" ({}{})", t.criterion, curve(p)), asks, kind })
}

/// A sentence for each parameter that stands at an end of its search or is not identified by the data of so many rows, with
/// its curve. Columns with a length scale of their own are named together.
fn findings(t: &Tuning, rows: usize) -> Vec<Finding> {
    // Columns that are named.
    const MOST_NAMES: usize = 8;
    let mut out: Vec<Finding> = t.parameters.iter().filter(|p| p.column.is_none()).filter_map(|p| finding(t, p, rows)).collect();
    let mut paths: Vec<&str> = t.parameters.iter().filter(|p| p.column.is_some()).map(|p| p.path.as_str()).collect();
    paths.dedup();
    for path in paths {
        let all: Vec<&TunedParameter> = t.parameters.iter().filter(|p| p.path == path).collect();
        let idle = all.iter().filter(|p| p.edges[1] == BoundStatus::End).filter_map(|p| p.column.as_deref());
        let mut names: Vec<String> = idle.map(|c| shown(c, 40)).collect();
        let count = names.len();
        if count > MOST_NAMES {
            names.truncate(MOST_NAMES);
            names.push(format!("{} more", count - MOST_NAMES));
        }
        let one = if count == 1 { "column" } else { "each of the columns" };
        if count > 0 {
            let said = format!(
                "{one} {} could be left out alone ({count} of {}): at the largest {} searched the {} is the same",
                listed(&names),
                all.len(),
                all[0].name,
                t.criterion
            );
            out.push(Finding { said, seen: String::new(), asks: false, kind: Kind::Other });
        }
    }
    out
}

/// A range of a whole number of the estimator's own that goes beyond the rows there are.
fn cut(p: &TunedParameter, rows: usize) -> Option<String> {
    let counts_rows = p.integer && !p.path.contains('.');
    (counts_rows && p.high > rows as f64).then(|| {
        let [low, high] = [p.low, p.high].map(|x| Value::Number(x).to_string());
        format!("the range of {} ({low} to {high}) ends at {rows}, the number of rows", p.name)
    })
}

/// What the search of a model's fit leaves to be said; that a range was cut only where it is not the usual one of its parameter,
/// which nobody asked for.
pub(super) fn notices_of(model: &Model) -> Vec<Finding> {
    let asked = |p: &TunedParameter| {
        let span = model.estimator.values().into_iter().find(|own| own.path == p.name).and_then(|own| own.param.search);
        span.is_none_or(|span| (p.high / p.low / (span * span) - 1.0).abs() > 1e-6)
    };
    let found = model.about.tuning.iter().flat_map(|t| notices(t, model.about.rows));
    found.filter(|f| if let Kind::Cut(p) = &f.kind { asked(p) } else { true }).collect()
}

/// What tuning has to say of a fit to so many rows: what the data do not settle, and what was searched on.
fn notices(t: &Tuning, rows: usize) -> Vec<Finding> {
    let mut out = findings(t, rows);
    let mut say = |said: String, asks: bool, kind: Kind| out.push(Finding { said, seen: String::new(), asks, kind });
    t.parameters.iter().for_each(|p| cut(p, rows).into_iter().for_each(|said| say(said, true, Kind::Cut(p.clone()))));
    if t.value.is_none() {
        say("no setting could be fitted on every fold, so the starting values are used; use more rows per class".into(), true, Kind::Other);
    }
    if !t.complete {
        let said = "the search ran out of time: the best of";
        let said = format!("{said} {} settings is used; allow more max_seconds (--max-seconds)", t.evaluations);
        say(said, !is_settled(t), Kind::Unfinished);
    }
    if t.rows < rows {
        say(format!("tuned on a sample of {} of {rows} rows, fitted on all", t.rows), false, Kind::Other);
    }
    out
}

/// What the search of a fit has to say, one sentence each, and whether it asks for something, such as a wider range.
pub fn search_notices(model: &Model) -> Vec<(String, bool)> {
    let found = model.about.tuning.iter().flat_map(|t| notices(t, model.about.rows));
    found.map(|finding| (finding.said, finding.asks)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::Metric;

    fn parameter(chosen: f64, same: [f64; 2], edges: [BoundStatus; 2], at_bound: Option<End>) -> TunedParameter {
        let (name, path) = ("c".into(), "c".into());
        let open = |side: usize| (matches!(edges[side], BoundStatus::Open | BoundStatus::End)).then_some((same[side], 0.95));
        let mut tried: Vec<(f64, f64)> = [Some((1.0, 0.9)), Some((chosen, 0.95)), open(0), open(1)].into_iter().flatten().collect();
        tried.sort_by(|a, b| a.0.total_cmp(&b.0));
        tried.dedup();
        TunedParameter { name, column: None, path, value: chosen, low: 0.001, high: 1000.0, integer: false, tried, at_bound, same, edges }
    }

    fn tuning(parameters: Vec<TunedParameter>) -> Tuning {
        let criterion = TunedBy::CrossValidation { metric: Metric::Accuracy, scored: 4, folds: 4 };
        Tuning { criterion, rises: true, value: Some(0.95), same: Some(0.94), evaluations: 9, complete: true, rows: 150, parameters }
    }

    fn in_full(t: &Tuning) -> Vec<String> {
        notices(t, 150).iter().map(Finding::in_full).collect()
    }

    #[test]
    fn only_what_the_user_can_better_asks_for_something() {
        let asks = |p: TunedParameter| notices(&tuning(vec![p]), 150).iter().map(|f| f.asks).collect::<Vec<_>>();
        assert_eq!(asks(parameter(1000.0, [1000.0, 1000.0], [BoundStatus::Worse, BoundStatus::End], Some(End::Upper))), [true]);
        assert_eq!(asks(parameter(1000.0, [450.0, 1000.0], [BoundStatus::Worse, BoundStatus::End], Some(End::Upper))), [true]);
        assert_eq!(asks(parameter(1000.0, [20.0, 1000.0], [BoundStatus::Worse, BoundStatus::End], Some(End::Upper))), [false]);
        assert_eq!(asks(parameter(1000.0, [0.1, 1000.0], [BoundStatus::Open, BoundStatus::End], Some(End::Upper))), [false]);
        assert_eq!(asks(parameter(10.0, [0.1, 900.0], [BoundStatus::Open; 2], None)), [false]);
        let t = Tuning { complete: false, ..tuning(Vec::new()) };
        let sampled: Vec<(bool, bool)> = notices(&t, 900).iter().map(|f| (f.said.contains("sample of 150 of 900"), f.asks)).collect();
        assert_eq!(sampled, [(false, true), (true, false)]);
    }

    #[test]
    fn no_more_neighbours_are_asked_for_than_there_are_rows() {
        let k = |value: f64, high: f64| {
            let p = parameter(value, [value / 5.0, value], [BoundStatus::Worse, BoundStatus::End], Some(End::Upper));
            TunedParameter { integer: true, low: 1.0, high, name: "k".into(), path: "k".into(), ..p }
        };
        let said = |p: TunedParameter, rows: usize| notices(&tuning(vec![p]), rows)[0].said.clone();
        assert!(said(k(100.0, 100.0), 400).ends_with("; to search further, write k=10..399"));
        assert!(said(k(100.0, 100.0), 90_000).ends_with("write k=10..10000"));
        assert!(said(k(149.0, 149.0), 150).ends_with("search (1 to 149); 29.8 to 149 score alike"), "there are no more rows");
    }

    #[test]
    fn a_range_beyond_the_rows_is_told_and_one_value_is_no_range() {
        let p = parameter(10.0, [10.0; 2], [BoundStatus::Worse; 2], Some(End::Lower));
        let p = TunedParameter { integer: true, low: 10.0, high: 10_000.0, name: "k".into(), path: "k".into(), ..p };
        assert_eq!(choice(&p), "k = 10");
        let t = Tuning { rows: 400, ..tuning(vec![p]) };
        let said: Vec<String> = notices(&t, 400).into_iter().map(|f| f.said).collect();
        assert_eq!(
            said,
            [
                "best k = 10 is at the lower end of its search (10 to 10000); to search further, write k=1..100",
                "the range of k (10 to 10000) ends at 400, the number of rows"
            ]
        );
    }

    #[test]
    fn nothing_is_asked_for_where_nothing_can_be_gained() {
        let p = parameter(1000.0, [200.0, 1000.0], [BoundStatus::Worse, BoundStatus::End], Some(End::Upper));
        let t = Tuning { value: Some(1.0), same: Some(1.0), complete: false, ..tuning(vec![p]) };
        let found = notices(&t, 150);
        assert!(found.iter().all(|f| !f.asks && !f.said.contains("search further")), "{found:?}");
        assert!(Metric::Rmse.is_perfect(0.0) && !Metric::Nlpd.is_perfect(-3.0) && !Metric::Coverage.is_perfect(1.0));
    }

    #[test]
    fn a_parameter_that_the_data_settle_is_not_spoken_of() {
        let p = parameter(10.0, [4.0, 30.0], [BoundStatus::Worse; 2], None);
        assert_eq!(choice(&p), "c = 10; 4 to 30 score alike");
        assert!(notices(&tuning(vec![p]), 150).is_empty());
    }

    #[test]
    fn a_parameter_at_a_bound_is_told_with_its_curve_and_what_to_write() {
        let said = in_full(&tuning(vec![parameter(1000.0, [200.0, 1000.0], [BoundStatus::Worse, BoundStatus::End], Some(End::Upper))]));
        assert_eq!(
            said,
            ["best c = 1000 is at the upper end of its search (0.001 to 1000); 200 to 1000 score alike; to search further, write \
              c=100..100000 (4-fold cross-validated accuracy; tried: 1 (0.900), 1000 (0.950, chosen))"]
        );
    }

    #[test]
    fn a_parameter_that_is_not_identified_is_told_with_the_range_that_will_do() {
        let said = in_full(&tuning(vec![parameter(10.0, [0.1, 900.0], [BoundStatus::Open; 2], None)]));
        assert!(said[0].contains("c matters little: 0.1 to 900 score alike ("), "{said:?}");
        let mut p = parameter(10.0, [2.0, 900.0], [BoundStatus::Worse, BoundStatus::Open], None);
        p.tried.push((2.0, 0.95));
        let half = in_full(&tuning(vec![p]));
        assert!(half[0].contains("c matters little: 2 to 900 score alike; smaller is worse"), "{half:?}");
        let near = in_full(&tuning(vec![parameter(10.0, [4.0, 30.0], [BoundStatus::Worse, BoundStatus::Open], None)]));
        assert!(near.is_empty(), "a factor of three is not far: {near:?}");
        let unseen = in_full(&tuning(vec![parameter(10.0, [10.0; 2], [BoundStatus::Unknown; 2], None)]));
        assert!(unseen.is_empty());
    }

    #[test]
    fn an_end_between_two_values_is_not_called_tried() {
        let mut p = parameter(0.1, [0.01, 0.673], [BoundStatus::End, BoundStatus::Worse], None);
        p.tried = vec![(0.01, 0.95), (0.1, 0.95), (0.3, 0.95), (0.9, 0.8)];
        let said = in_full(&tuning(vec![p]));
        assert!(said[0].contains("c matters little: 0.01 to 0.3 score alike; larger is worse"), "{said:?}");
    }

    #[test]
    fn a_long_curve_is_told_by_its_ends_its_choice_and_values_far_apart() {
        let mut p = parameter(8.0, [8.0, 1000.0], [BoundStatus::Worse, BoundStatus::End], None);
        p.tried = (0..11).map(|k| (f64::from(1 << k), 0.9 + 0.001 * f64::from(k))).collect();
        let text = curve(&p);
        assert_eq!(text.matches('(').count(), MOST_TRIED);
        assert!(text.starts_with("; tried: 1 (0.900)") && text.contains("8 (0.903, chosen)") && text.ends_with("1020 (0.910)"), "{text}");
        p.tried = vec![(1.0, 0.5), (2.0, 0.9), (4.0, 0.9), (8.0, 0.9), (16.0, 0.9), (32.0, 0.9), (64.0, 0.4)];
        assert_eq!(curve(&p), "; tried: 1 (0.500), 2 (0.900), 8 (0.900, chosen), 32 (0.900), 64 (0.400)");
    }

    #[test]
    fn a_better_value_beside_the_choice_is_told_as_such() {
        let mut p = parameter(10.0, [4.0, 30.0], [BoundStatus::Worse; 2], None);
        p.tried = vec![(0.01, 0.99), (4.0, 0.94), (10.0, 0.95)];
        let mut t = tuning(vec![p]);
        t.complete = false;
        let said = in_full(&t);
        assert!(
            said[0]
                .contains("c = 10 is not the best value tried: 0.01 scores 0.990 instead of 0.950; to search further, write c=0.0001..0.1")
        );
        assert!(said[1].contains("the search ran out of time"), "{said:?}");
    }

    #[test]
    fn columns_that_do_not_matter_are_named_together() {
        let column = |name: &str, edge: BoundStatus| TunedParameter {
            column: Some(name.into()),
            name: "length_scale of rbf".into(),
            path: "rbf.length_scale".into(),
            ..parameter(30.0, [20.0, 90.0], [BoundStatus::Worse, edge], None)
        };
        let said =
            in_full(&tuning(vec![column("zn", BoundStatus::End), column("rm", BoundStatus::Worse), column("chas", BoundStatus::End)]));
        assert_eq!(said.len(), 1);
        assert!(said[0].starts_with("each of the columns zn and chas could be left out alone (2 of 3): at the largest length_scale"));
    }
}
