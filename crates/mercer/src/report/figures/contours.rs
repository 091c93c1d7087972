//! Lines along which values on a grid are equal, square by square (marching squares).

use std::collections::HashMap;

/// An edge of a square, by the places of its ends among the values, the lower first; where a line crosses it.
type Crossing = ((usize, usize), [f64; 2]);

/// Lines at `count` levels at even steps between the ends of the values; `values` row by row, one row for each y.
pub fn contours(x: &[f64], y: &[f64], values: &[f64], count: usize) -> Vec<Vec<[f64; 2]>> {
    let (low, high) = values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(*v), h.max(*v)));
    let across = x.len();
    let place = |k: usize| [x[k % across], y[k / across]];
    let mut out = Vec::new();
    for level in (1..=count).map(|k| low + (high - low) * k as f64 / (count + 1) as f64) {
        let crossing = |a: usize, b: usize| {
            let (a, b) = (a.min(b), a.max(b));
            let share = (level - values[a]) / (values[b] - values[a]);
            let between = |k: usize| place(a)[k] + share * (place(b)[k] - place(a)[k]);
            ((values[a] < level) != (values[b] < level)).then(|| ((a, b), [between(0), between(1)]))
        };
        let mut parts = Vec::new();
        for (j, i) in (1..y.len()).flat_map(|j| (1..across).map(move |i| (j, i))) {
            let corner = (j - 1) * across + i - 1;
            let corners = [corner, corner + 1, corner + across + 1, corner + across];
            let crossed: Vec<Crossing> = (0..4).filter_map(|k| crossing(corners[k], corners[(k + 1) % 4])).collect();
            parts.extend(crossed.chunks_exact(2).map(|two| [two[0], two[1]]));
        }
        out.extend(chained(&parts));
    }
    out
}

/// Lines of the parts that meet on an edge.
fn chained(parts: &[[Crossing; 2]]) -> Vec<Vec<[f64; 2]>> {
    let mut met: HashMap<(usize, usize), Vec<usize>> = HashMap::new();
    parts.iter().enumerate().for_each(|(k, part)| part.iter().for_each(|end| met.entry(end.0).or_default().push(k)));
    let loose = |end: &Crossing| met[&end.0].len() == 1;
    let mut used = vec![false; parts.len()];
    let mut lines = Vec::new();
    // Lines with ends start there; what is left goes round.
    for start in (0..parts.len()).filter(|&k| parts[k].iter().any(loose)).chain(0..parts.len()) {
        if std::mem::replace(&mut used[start], true) {
            continue;
        }
        let [a, b] = parts[start];
        let (from, mut to) = if loose(&b) && !loose(&a) { (b, a) } else { (a, b) };
        let mut line = vec![from.1, to.1];
        while let Some(&next) = met[&to.0].iter().find(|&&k| !used[k]) {
            used[next] = true;
            let [a, b] = parts[next];
            to = if a.0 == to.0 { b } else { a };
            line.push(to.1);
        }
        lines.push(line);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::contours;

    #[test]
    fn lines_go_round_a_hill_and_from_side_to_side() {
        let at: Vec<f64> = (-20..=20).map(|k| f64::from(k) / 10.0).collect();
        let of = |f: fn(f64, f64) -> f64| -> Vec<f64> { at.iter().flat_map(|y| at.iter().map(move |x| f(*x, *y))).collect() };
        let round = contours(&at, &at, &of(|x, y| (x * x + y * y).min(2.0)), 1);
        assert!(round.len() == 1 && round[0].first() == round[0].last());
        assert!(round[0].iter().all(|[x, y]| (x.hypot(*y) - 1.0).abs() < 0.01));
        let across = contours(&at, &at, &of(|x, y| x + 2.0 * y), 3);
        assert_eq!(across.len(), 3);
        assert!(across.iter().zip([-3.0, 0.0, 3.0]).all(|(line, level)| line.iter().all(|[x, y]| (x + 2.0 * y - level).abs() < 1e-12)));
        assert!(contours(&at, &at, &vec![1.0; at.len() * at.len()], 4).is_empty());
    }
}
