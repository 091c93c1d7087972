//! What every kernel expression must keep to.

use super::{Checked, Verdict, close, fail, features, fields_are_parameters, normal, whole, words};
use crate::control::Control;
use crate::data::Dataset;
use crate::gram::{self, Block, Bound, CentreWeights, Mercer, PairWeights, Side};
use crate::kernels::{FittedKernel, KernelExpr, catalogue};
use crate::linalg::Matrix;
use crate::param::Value;
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

/// Every check that a kernel expression must pass on a table.
pub fn check_kernel_expr(expr: &KernelExpr, data: &Dataset) -> Verdict {
    text_and_json_round_trips(expr)?;
    parameters_are_fields(expr)?;
    let settled = words(expr.settle(data))?;
    rows_count_by_weight_where_values_are_settled(expr, data)?;
    text_and_json_round_trips(&settled)?;
    let bound = words(settled.bind(None, data))?;
    let k = whole(bound.as_ref())?;
    values_agree(&settled, data, bound.as_ref(), &k)?;
    logarithms_and_distances_are_those_of_values(bound.as_ref(), &k)?;
    features::check(&settled, data, bound.as_ref())?;
    if settled.mercer() == Mercer::Always {
        let check = words(gram::psd_check(&k, &Control::default()))?;
        if let Some(witness) = check.witness {
            let why = format!("smallest eigenvalue {} of {}, v'Kv = {}", check.smallest, check.largest, witness.value);
            return fail("declared Mercer", why);
        }
    }
    what_is_learnt_is_kept(&settled, data, &k)?;
    permuted_inputs_permute_the_matrix(&settled, data, &k)?;
    gradient_is_that_of_differences(&settled, data)?;
    a_gradient_with_centres_is_that_of_all_pairs(bound.as_ref())?;
    empty_and_single_batches(&settled, data)
}

fn rows_count_by_weight_where_values_are_settled(expr: &KernelExpr, data: &Dataset) -> Verdict {
    let counts: Vec<usize> = (0..data.rows()).map(|i| [1, 2, 1, 3][i % 4]).collect();
    let rows: Vec<usize> = (0..data.rows()).flat_map(|i| std::iter::repeat_n(i, counts[i])).collect();
    let weights: Vec<f64> = counts.iter().map(|&c| c as f64).collect();
    let weighed = words(expr.settle_weighed(data, Some(&weights)))?;
    let repeated = words(expr.settle(&data.select(&rows)))?;
    for (a, b) in weighed.values().iter().zip(repeated.values()) {
        if a.value.numbers().iter().zip(b.value.numbers()).any(|(x, y)| x != y && !close(*x, *y, 1e-12)) {
            return fail("weight 2 and a repeated row", format!("{} is {} and {}", a.path, a.value, b.value));
        }
    }
    let (weighed, repeated) =
        (words(weighed.learn(data, Some(&weights), &control()))?, words(repeated.learn(&data.select(&rows), None, &control()))?);
    if expr.needs_training_rows() {
        return Ok(());
    }
    let (k, other) = (whole(words(weighed.gram(data, &control()))?.as_ref())?, whole(words(repeated.gram(data, &control()))?.as_ref())?);
    match k.data().iter().zip(other.data()).find(|(x, y)| !close(**x, **y, 1e-12)) {
        Some((x, y)) => fail("weight 2 and a repeated row", format!("learnt values give {x} and {y}")),
        None => Ok(()),
    }
}

/// It survives JSON; new rows meet the values that the training rows met; a kernel that learns nothing is the same on fewer rows.
fn what_is_learnt_is_kept(settled: &KernelExpr, data: &Dataset, k: &Matrix) -> Verdict {
    let learnt = words(settled.learn(data, None, &control()))?;
    let json = serde_json::to_string(&learnt).map_err(|e| e.to_string())?;
    let back: FittedKernel = serde_json::from_str(&json).map_err(|e| e.to_string())?;
    if back != learnt {
        return fail("JSON round trip", "of what was learnt");
    }
    if whole(words(back.gram(data, &control()))?.as_ref())? != *k {
        return fail("JSON round trip", "what was learnt gives other bits");
    }
    let some: Vec<usize> = (0..data.rows()).step_by(2).collect();
    let alone = match (settled.needs_training_rows(), settled.learns()) {
        (true, _) => return Ok(()),
        (false, true) => whole(words(back.gram(&data.select(&some), &control()))?.as_ref())?,
        (false, false) => whole(words(settled.bind(None, &data.select(&some)))?.as_ref())?,
    };
    for (i, &row) in some.iter().enumerate() {
        for (j, &col) in some.iter().enumerate() {
            if !close(alone[(i, j)], k[(row, col)], 1e-12) {
                return fail("fewer rows", format!("{} and {} at ({row}, {col})", alone[(i, j)], k[(row, col)]));
            }
        }
    }
    Ok(())
}

fn control() -> Control {
    Control::default()
}

fn text_and_json_round_trips(expr: &KernelExpr) -> Verdict {
    let text = expr.to_string();
    let again = words(KernelExpr::parse(&text))?;
    if again.to_string() != text {
        return fail("text round trip", format!("{text} became {again}"));
    }
    let json = serde_json::to_string(expr).map_err(|e| e.to_string())?;
    let back: KernelExpr = serde_json::from_str(&json).map_err(|e| e.to_string())?;
    if &back != expr {
        return fail("JSON round trip", json);
    }
    Ok(())
}

/// For a kernel of the list: its records are its fields.
fn parameters_are_fields(expr: &KernelExpr) -> Verdict {
    let json = serde_json::to_value(expr).map_err(|e| e.to_string())?;
    match catalogue().iter().find(|e| json.get(e.name).is_some() || json["registered"]["name"] == e.name) {
        Some(entry) => fields_are_parameters(entry.name, &json, entry.params),
        None => Ok(()),
    }
}

/// Symmetric to the bit; diagonal; tiles of any shape, f32 rows and inputs that are laid out anew agree; one thread and many agree to the bit.
fn values_agree(settled: &KernelExpr, data: &Dataset, bound: &dyn Bound, k: &Matrix) -> Verdict {
    let n = data.rows();
    let diagonal = bound.diagonal(Side::Rows);
    // Sums of so many products may be added up in two orders.
    let terms = settled.rank(data).unwrap_or(1) as f64;
    let (rounding, rounding_of_f32) = ((f64::EPSILON * terms).max(1e-14), (0.5 * f64::from(f32::EPSILON) * terms).max(2e-5));
    for i in 0..n {
        if diagonal[i] != k[(i, i)] && !close(diagonal[i], k[(i, i)], rounding) {
            return fail("diagonal", format!("{} and {} at row {i}", diagonal[i], k[(i, i)]));
        }
        for j in 0..n {
            if k[(i, j)].to_bits() != k[(j, i)].to_bits() {
                return fail("symmetry", format!("{} and {} at ({i}, {j})", k[(i, j)], k[(j, i)]));
            }
        }
    }
    let cross = whole(words(settled.bind(Some(data), data))?.as_ref())?;
    // What a repair takes from eigenvectors of the whole matrix is rounded at the size of the whole.
    let whole_size = if settled.needs_training_rows() { k.data().iter().fold(0.0, |m: f64, v| m.max(v.abs())) } else { 0.0 };
    let mut single = vec![0f32; n * n];
    let rows: Vec<usize> = (0..n).rev().collect();
    bound.fill_f32(&rows, 0..n, Block::new(&mut single, n, n));
    for i in 0..n {
        let mut row = vec![0.0; n.saturating_sub(1)];
        bound.fill(i..i + 1, 1..n.max(1), Block::new(&mut row, 1, n.saturating_sub(1)));
        for j in 0..n {
            let same_row = i == j && settled.depends_on_row_identity();
            if !same_row && (cross[(i, j)] - k[(i, j)]).abs() > 1e-12 * (1.0 + k[(i, j)].abs().max(whole_size)) {
                return fail("bound to itself as new rows", format!("{} and {} at ({i}, {j})", cross[(i, j)], k[(i, j)]));
            }
            if j > 0 && !close(row[j - 1], k[(i, j)], 1e-12) {
                return fail("one row alone", format!("{} and {} at ({i}, {j})", row[j - 1], k[(i, j)]));
            }
            let short = f64::from(single[(n - 1 - i) * n + j]);
            if !close(short, k[(i, j)], rounding_of_f32) {
                return fail("f32", format!("{short} and {} at ({i}, {j})", k[(i, j)]));
            }
        }
    }
    if let Some(gathered) = bound.gathered(&rows) {
        let (own, diagonal) = (words(gram::dense(gathered.as_ref(), &control()))?, gathered.diagonal(Side::Rows));
        gathered.fill_f32(&rows, 0..n, Block::new(&mut single, n, n));
        for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
            let (value, short) = (k[(rows[i], rows[j])], f64::from(single[(n - 1 - i) * n + j]));
            let is_diagonal = i != j || diagonal[i] == value || close(diagonal[i], value, rounding);
            if !is_diagonal || !close(own[(i, j)], value, 1e-12) || !close(short, value, rounding_of_f32) {
                return fail("gathered", format!("{} and {value} at ({i}, {j})", own[(i, j)]));
            }
        }
    }
    for threads in [1, 3] {
        let other = words(crate::control::with_threads(threads, || gram::dense(bound, &Control::default())).and_then(|k| k))?;
        if other != *k {
            return fail("threads", format!("{threads} threads give other bits"));
        }
    }
    Ok(())
}

/// exp((l(x) + l(z)) / 2 - d(x, z)) against k(x, z), and squared distances against k(x, x) + k(z, z) - 2 k(x, z).
fn logarithms_and_distances_are_those_of_values(bound: &dyn Bound, k: &Matrix) -> Verdict {
    let n = k.rows();
    let rows: Vec<usize> = (0..n).collect();
    let mut apart = vec![0.0; n * n];
    bound.fill_distances(&rows, 0..n, Block::new(&mut apart, n, n));
    bound.squared_distances(&mut apart);
    for (at, d) in apart.iter().enumerate() {
        let (i, j) = (at / n, at % n);
        let (size, expected) = (k[(i, i)].abs() + k[(j, j)].abs(), k[(i, i)] + k[(j, j)] - 2.0 * k[(i, j)]);
        if (d - expected).abs() > 1e-10 * size {
            return fail("squared distances", format!("{d} and {expected} at ({i}, {j})"));
        }
    }
    let Some(log) = bound.logarithm() else { return Ok(()) };
    let (own, mut decays) = (log.log_diagonal(Side::Rows), vec![0.0; n * n]);
    log.fill_log_decay(&rows, 0..n, Block::new(&mut decays, n, n));
    for (at, d) in decays.iter().enumerate() {
        let (i, j) = (at / n, at % n);
        let zero = own[i] == f64::NEG_INFINITY || own[j] == f64::NEG_INFINITY;
        let value = if zero { 0.0 } else { (0.5 * (own[i] + own[j]) - d).exp() };
        if !close(value, k[(i, j)], 1e-11) || i == j && !zero && *d != 0.0 {
            return fail("logarithms", format!("{value} and {} at ({i}, {j}), d = {d}", k[(i, j)]));
        }
    }
    Ok(())
}

fn permuted_inputs_permute_the_matrix(settled: &KernelExpr, data: &Dataset, k: &Matrix) -> Verdict {
    let n = data.rows();
    let order: Vec<usize> = (0..n).map(|i| (i * 7 + 3) % n).collect();
    if (0..n).any(|i| !order.contains(&i)) {
        return Ok(());
    }
    let other = whole(words(settled.bind(None, &data.select(&order)))?.as_ref())?;
    for i in 0..n {
        for j in 0..n {
            if !close(other[(i, j)], k[(order[i], order[j])], 1e-12) {
                return fail("permutation", format!("at ({i}, {j})"));
            }
        }
    }
    Ok(())
}

/// sum_ij W_ij dK_ij/dp against central differences, for every parameter that says it has a derivative.
fn gradient_is_that_of_differences(settled: &KernelExpr, data: &Dataset) -> Verdict {
    let n = data.rows();
    let mut random = Xoshiro256PlusPlus::seed_from_u64(5);
    let mut w = Matrix::zeros(n, n);
    for i in 0..n {
        for j in 0..=i {
            w[(i, j)] = normal(&mut random);
            w[(j, i)] = w[(i, j)];
        }
    }
    let found = words(words(settled.bind(None, data))?.gradient(&w.clone().into(), &Control::default()))?;
    let sum_at = |path: &str, value: Value| -> Checked<f64> {
        let mut moved = settled.clone();
        words(moved.set(path, &value))?;
        let k = whole(words(moved.bind(None, data))?.as_ref())?;
        Ok(k.data().iter().zip(w.data()).map(|(a, b)| a * b).sum())
    };
    let mut place = 0;
    for p in settled.values() {
        let numbers = p.value.numbers().to_vec();
        for (e, &x) in numbers.iter().enumerate() {
            let h = 1e-5 * x.abs().max(1e-3);
            let moved = |by: f64| {
                let mut list = numbers.clone();
                list[e] += by;
                if list.len() == 1 { Value::Number(list[0]) } else { Value::List(list) }
            };
            if p.differentiable && x.is_finite() {
                let difference = (sum_at(&p.path, moved(h))? - sum_at(&p.path, moved(-h))?) / (2.0 * h);
                if !close(found[place], difference, 1e-5) {
                    return fail("gradient", format!("{}: {} and {difference} by differences", p.path, found[place]));
                }
            }
            place += 1;
        }
    }
    if place != found.len() {
        return fail("gradient", format!("{} entries for {place} parameters", found.len()));
    }
    Ok(())
}

/// Weights of rows with every row and with three of them, and of rows with themselves, against the same weights among all pairs.
fn a_gradient_with_centres_is_that_of_all_pairs(bound: &dyn Bound) -> Verdict {
    let n = bound.shape().0;
    let mut random = Xoshiro256PlusPlus::seed_from_u64(6);
    for centres in [(0..n).rev().collect::<Vec<_>>(), (0..n).step_by(n.div_ceil(3).max(1)).collect()] {
        let values = Matrix::from_fn(n, centres.len(), |_, _| normal(&mut random));
        let diagonal: Vec<f64> = (0..n).map(|_| normal(&mut random)).collect();
        let mut all = Matrix::zeros(n, n);
        for (i, j) in (0..n).flat_map(|i| (0..centres.len()).map(move |j| (i, j))) {
            all[(i, centres[j])] += 0.5 * values[(i, j)];
            all[(centres[j], i)] += 0.5 * values[(i, j)];
        }
        (0..n).for_each(|i| all[(i, i)] += diagonal[i]);
        let with_centres = PairWeights::Centres(CentreWeights { centres, values, diagonal });
        let (found, expected) = (words(bound.gradient(&with_centres, &control()))?, words(bound.gradient(&all.into(), &control()))?);
        if let Some((a, b)) = found.iter().zip(&expected).find(|(a, b)| !close(**a, **b, 1e-9)) {
            return fail("gradient with centres", format!("{a} and {b} of all pairs"));
        }
    }
    Ok(())
}

fn empty_and_single_batches(settled: &KernelExpr, data: &Dataset) -> Verdict {
    let none = data.select(&[]);
    let shape = words(settled.bind(Some(&none), data))?.shape();
    if shape != (0, data.rows()) {
        return fail("empty batch", format!("shape {shape:?}"));
    }
    let one = data.select(&[0]);
    // One row may be too few to learn from.
    let bound = match settled.needs_training_rows() {
        true => words(settled.bind(None, &one))?,
        false => words(words(settled.learn(data, None, &control()))?.gram(&one, &control()))?,
    };
    let one = whole(bound.as_ref())?;
    if !one[(0, 0)].is_finite() {
        return fail("single row", one[(0, 0)]);
    }
    Ok(())
}
