//! Lines along which values on a grid are equal, square by square (marching squares).

/// Lines at `count` levels at even steps between the ends of the values; `values` row by row, one row for each y.
pub(crate) fn contours(x: &[f64], y: &[f64], values: &[f64], count: usize) -> Vec<Vec<[f64; 2]>> {
    let (low, high) = values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(*v), h.max(*v)));
    let mut out = Vec::new();
    for level in (1..=count).map(|k| low + (high - low) * k as f64 / (count + 1) as f64) {
        for (j, i) in (1..y.len()).flat_map(|j| (1..x.len()).map(move |i| (j, i))) {
            let corners = [(i - 1, j - 1), (i, j - 1), (i, j), (i - 1, j)];
            let at = |k: usize| values[corners[k].1 * x.len() + corners[k].0];
            let crossing = |k: usize| {
                let (a, b) = (at(k), at((k + 1) % 4));
                if (a < level) == (b < level) {
                    return None;
                }
                let ((i0, j0), (i1, j1), share) = (corners[k], corners[(k + 1) % 4], (level - a) / (b - a));
                Some([x[i0] + share * (x[i1] - x[i0]), y[j0] + share * (y[j1] - y[j0])])
            };
            let crossed: Vec<[f64; 2]> = (0..4).filter_map(crossing).collect();
            out.extend(crossed.chunks_exact(2).map(<[_]>::to_vec));
        }
    }
    out
}
