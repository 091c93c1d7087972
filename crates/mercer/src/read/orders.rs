//! Labels that have an order: steps of agreement, how often, low to high, sizes. `--types COL=ordinal` reads them as 0, 1, 2, ...

use super::cells::Cells;
use super::unseen::look;

/// Orders that are recognised, from the least step to the greatest; each step by all of its names.
const ORDERS: [&[&[&str]]; 12] = [
    &[
        &["strongly disagree", "totally disagree", "completely disagree"],
        &["disagree"],
        &["somewhat disagree", "slightly disagree", "rather disagree"],
        &["neutral", "neither agree nor disagree", "undecided"],
        &["somewhat agree", "slightly agree", "rather agree"],
        &["agree"],
        &["strongly agree", "totally agree", "completely agree"],
    ],
    &[&["very dissatisfied"], &["dissatisfied"], &["neutral", "neither satisfied nor dissatisfied"], &["satisfied"], &["very satisfied"]],
    &[
        &["never"],
        &["rarely", "seldom", "hardly ever"],
        &["sometimes", "occasionally"],
        &["often", "frequently"],
        &["very often", "usually"],
        &["always"],
    ],
    &[&["very low"], &["low"], &["medium", "moderate", "mid", "middle", "normal", "average"], &["high"], &["very high"]],
    &[
        &["very poor", "very bad"],
        &["poor", "bad"],
        &["fair", "average", "ok", "okay", "acceptable"],
        &["good"],
        &["very good"],
        &["excellent", "outstanding"],
    ],
    &[&["xxs"], &["xs"], &["s"], &["m"], &["l"], &["xl"], &["xxl", "2xl"], &["xxxl", "3xl"]],
    &[&["tiny", "very small"], &["small"], &["medium"], &["large", "big"], &["very large", "extra large", "huge"]],
    &[&["none", "absent"], &["mild", "slight"], &["moderate"], &["severe"], &["very severe"]],
    &[&["very unlikely"], &["unlikely"], &["neutral", "possible"], &["likely"], &["very likely"]],
    &[&["nie"], &["selten"], &["manchmal"], &["oft", "häufig"], &["sehr oft"], &["immer"]],
    &[&["sehr niedrig"], &["niedrig"], &["mittel"], &["hoch"], &["sehr hoch"]],
    &[&["sehr schlecht"], &["schlecht"], &["mittel", "befriedigend"], &["gut"], &["sehr gut"]],
];

/// The different labels of a column that are not missing, in any order; `None` of more than any order has.
fn labels(cells: &Cells) -> Option<Vec<&str>> {
    let mut found: Vec<&str> = Vec::new();
    for cell in cells.iter().filter(|cell| !cells.misses(cell)) {
        if !found.contains(&cell) {
            found.push(cell);
        }
        if found.len() > 2 * ORDERS[0].len() {
            return None;
        }
    }
    Some(found)
}

/// The labels of a column, from the least to the greatest, where an order is known that has each of them.
pub(super) fn recognised(cells: &Cells) -> Option<Vec<String>> {
    let labels = labels(cells)?;
    let place = |order: &[&[&str]], label: &str| order.iter().position(|step| step.contains(&look(label).as_str()));
    ORDERS.iter().find_map(|order| {
        let mut steps: Vec<(usize, &str)> = labels.iter().map(|label| Some((place(order, label)?, *label))).collect::<Option<_>>()?;
        steps.sort_unstable();
        // `Low` and `low` are one label; two names of one step are no order of their own.
        steps.dedup_by(|a, b| look(a.1) == look(b.1));
        let ascend = steps.len() > 1 && steps.windows(2).all(|two| two[0].0 < two[1].0);
        ascend.then(|| steps.into_iter().map(|(_, label)| label.to_owned()).collect())
    })
}

/// What an order is worth a word: its labels are there, and not in two steps alone.
pub(super) fn worth_a_word(cells: &Cells) -> Option<Vec<String>> {
    // Fewer labels are no order that anybody would miss.
    const FEWEST: usize = 3;
    let steps = recognised(cells)?;
    (labels(cells)?.len() >= FEWEST).then_some(steps)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(list: &[&str]) -> Option<Vec<String>> {
        let mut cells = Cells::default();
        list.iter().for_each(|cell| cells.push(cell));
        recognised(&cells)
    }

    #[test]
    fn usual_answers_have_their_order_whatever_their_case() {
        let agreement = ["strongly disagree", "disagree", "neutral", "agree"];
        assert_eq!(of(&["agree", "neutral", "", "strongly disagree", "disagree"]).unwrap(), agreement);
        assert_eq!(of(&["High", "low", "medium"]).unwrap(), ["low", "medium", "High"]);
        assert_eq!(of(&["L", "S", "XL", "s"]).unwrap(), ["S", "L", "XL"]);
        assert_eq!(of(&["often", "never"]).unwrap(), ["never", "often"]);
        for none in [&["red", "blue"][..], &["low", "medium", "moderate"], &["low"], &["good", "never"]] {
            assert_eq!(of(none), None, "{none:?}");
        }
    }
}
