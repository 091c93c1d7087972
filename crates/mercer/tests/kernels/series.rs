//! Kernels of series against values from elsewhere, enumerations and formulas, and series from tables to predictions.

use mercer::control::Control;
use mercer::data::{Column, Dataset, Points, Series, Values};
use mercer::estimators::{EstimatorExpr, Want};
use mercer::gram::{self, Side};
use mercer::kernels::{KernelExpr, Validity};
use mercer::learner::{Learner, Model};
use mercer::linalg::Matrix;
use mercer::read::{ReadOptions, Table};
use mercer::store;

type Rows = Vec<Vec<Vec<f64>>>;

fn data(rows: &[Vec<Vec<f64>>]) -> Dataset {
    Dataset::new(vec![Column { name: "path".into(), values: Values::Series(Series::of_rows(rows).unwrap()) }]).unwrap()
}

fn kernel(text: &str) -> KernelExpr {
    KernelExpr::parse(text).unwrap()
}

fn dense(text: &str, new: Option<&[Vec<Vec<f64>>]>, rows: &[Vec<Vec<f64>>]) -> Matrix {
    let new = new.map(data);
    let settled = kernel(text).settle(&data(rows)).unwrap();
    gram::dense(settled.bind(new.as_ref(), &data(rows)).unwrap().as_ref(), &Control::default()).unwrap()
}

/// Two short paths, the oracle of `../shared/peers/series_peers.py`.
fn short() -> Rows {
    let path = |points: &[[f64; 2]]| points.iter().map(|p| p.to_vec()).collect();
    vec![path(&[[0.0, 0.0], [1.0, 0.5], [0.5, 1.5], [2.0, 1.0]]), path(&[[0.0, 0.0], [0.5, 1.0], [1.5, 0.5]])]
}

/// Walks of unlike lengths.
fn walks(rows: usize, channels: usize, longest: usize) -> Rows {
    let at =
        |i: usize, t: usize, c: usize| (0.7 * (t * (c + 1)) as f64 + (i * 13 + c) as f64).sin() + 0.1 * (i * t) as f64 / longest as f64;
    (0..rows).map(|i| (0..(i * 5 + 3) % longest + 1).map(|t| (0..channels).map(|c| at(i, t, c)).collect()).collect()).collect()
}

fn square(x: &[f64], z: &[f64]) -> f64 {
    x.iter().zip(z).map(|(x, z)| (x - z).powi(2)).sum()
}

/// Every alignment that ends in two times, as the list of its pairs of times.
fn alignments(i: usize, j: usize) -> Vec<Vec<(usize, usize)>> {
    if (i, j) == (0, 0) {
        return vec![vec![(0, 0)]];
    }
    let mut all = Vec::new();
    for (up, along) in [(1, 0), (1, 1), (0, 1)] {
        if i >= up && j >= along {
            all.extend(alignments(i - up, j - along));
        }
    }
    all.iter_mut().for_each(|pairs| pairs.push((i, j)));
    all
}

fn close(a: f64, b: f64, tolerance: f64) -> bool {
    (a - b).abs() <= tolerance * (1.0 + b.abs())
}

/// The sum over all alignments of the product of the local kernel.
fn global_alignment(x: &[Vec<f64>], z: &[Vec<f64>], scale: f64, band: usize) -> f64 {
    let local = |&(i, j): &(usize, usize)| {
        let inside = if band == 0 { 1.0 } else { (1.0 - i.abs_diff(j) as f64 / band as f64).max(0.0) };
        let e = inside * (-square(&x[i], &z[j]) / (2.0 * scale * scale)).exp();
        e / (2.0 - e)
    };
    alignments(x.len() - 1, z.len() - 1).iter().map(|pairs| pairs.iter().map(local).product::<f64>()).sum()
}

#[test]
fn global_alignment_has_the_values_of_the_oracle() {
    let [xz, xx, zz] = [1.434063540308097f64, 4.781496363364518, 3.3076231443157122];
    let k = dense("global_alignment(length_scale=1)", None, &short());
    assert!(close(k[(0, 1)], xz / (xx * zz).sqrt(), 1e-14), "{}", k[(0, 1)]);
    assert_eq!((k[(0, 0)], k[(1, 1)], k[(0, 1)]), (1.0, 1.0, k[(1, 0)]));
}

#[test]
fn global_alignment_is_the_sum_over_all_alignments() {
    for channels in [1, 2, 4] {
        let rows = walks(9, channels, 6);
        for (scale, band) in [(0.5, 0), (1.0, 3), (2.0, 1)] {
            let k = dense(&format!("global_alignment(length_scale={scale}, band={band})"), None, &rows);
            for (i, x) in rows.iter().enumerate() {
                for (j, z) in rows.iter().enumerate() {
                    let sum = |x, z| global_alignment(x, z, scale, band);
                    let expected = sum(x, z) / (sum(x, x) * sum(z, z)).sqrt();
                    assert!(close(k[(i, j)], expected, 1e-13), "{channels} {scale} {band} ({i}, {j}): {} {expected}", k[(i, j)]);
                }
            }
        }
    }
}

// The paths of 400 times are more than a double counts.
#[test]
fn global_alignment_of_two_thousand_times_is_a_number() {
    let long = |shift: f64| (0..2000).map(|t| vec![(0.05 * t as f64 + shift).sin()]).collect();
    let rows: Rows = vec![long(0.0), long(0.1), long(2.0), vec![vec![0.5]; 2000], vec![vec![0.0]; 3]];
    for text in ["global_alignment(length_scale=100)", "global_alignment(length_scale=0.01)", "global_alignment(length_scale=1, band=200)"]
    {
        let k = dense(text, None, &rows);
        for i in 0..rows.len() {
            assert!((0..rows.len()).all(|j| (0.0..=1.0).contains(&k[(i, j)])), "{text}: {k:?}");
            assert_eq!(k[(i, i)], 1.0);
        }
    }
}

#[test]
fn alignments_of_equal_vectors_are_counted_by_delannoy_numbers() {
    // D(m, n) by its recurrence, m and n steps; series of one more time each.
    let counted = |m: usize, n: usize| {
        let mut row = vec![1.0f64; n + 1];
        for _ in 0..m {
            let mut corner = row[0];
            for j in 1..=n {
                (row[j], corner) = (row[j] + row[j - 1] + corner, row[j]);
            }
        }
        row[n]
    };
    let rows: Rows = [200, 190, 70].iter().map(|length| vec![vec![0.5]; *length]).collect();
    let k = dense("global_alignment(length_scale=1)", None, &rows);
    for (i, j, m, n) in [(0, 1, 199, 189), (0, 2, 199, 69)] {
        let expected = counted(m, n) / (counted(m, m) * counted(n, n)).sqrt();
        assert!((k[(i, j)] / expected - 1.0).abs() <= 1e-11, "{} {expected}", k[(i, j)]);
    }
}

#[test]
fn warping_has_the_values_of_the_oracle_and_of_all_alignments() {
    assert!(close(dense("dtw(gamma=1)", None, &short())[(0, 1)], (-1.25f64).exp(), 1e-15));
    for channels in [1, 3] {
        let rows = walks(9, channels, 6);
        for window in [0, 1, 2] {
            let k = dense(&format!("dtw(gamma=0.3, window={window})"), None, &rows);
            for (i, x) in rows.iter().enumerate() {
                for (j, z) in rows.iter().enumerate() {
                    let (m, n) = (x.len() as isize, z.len() as isize);
                    // Less than the window from the diagonal through the start or that through the end, or between them.
                    let inside = |&(p, q): &(usize, usize)| {
                        let along = q as isize - p as isize;
                        window == 0 || along > (n - m).min(0) - window && along < (n - m).max(0) + window
                    };
                    let all = alignments(x.len() - 1, z.len() - 1);
                    let sums = all
                        .iter()
                        .filter(|pairs| pairs.iter().all(inside))
                        .map(|pairs| pairs.iter().map(|&(p, q)| square(&x[p], &z[q])).sum());
                    let least: f64 = sums.fold(f64::INFINITY, f64::min);
                    assert!(close(k[(i, j)], (-0.3 * least).exp(), 1e-14), "{channels} {window} ({i}, {j})");
                }
            }
        }
    }
}

/// Level n of the signature of a path by Chen's identity: sums over pieces of the levels of what comes before times d^m / m!.
pub(crate) fn signature(x: &[Vec<f64>], depth: usize) -> Vec<Vec<f64>> {
    let product = |a: &[f64], b: &[f64]| -> Vec<f64> { a.iter().flat_map(|a| b.iter().map(move |b| a * b)).collect() };
    let channels = x[0].len();
    let mut levels: Vec<Vec<f64>> = (0..=depth).map(|n| vec![if n == 0 { 1.0 } else { 0.0 }; channels.pow(n as u32)]).collect();
    for pair in x.windows(2) {
        let d: Vec<f64> = pair[0].iter().zip(&pair[1]).map(|(from, to)| to - from).collect();
        let mut powers = vec![vec![1.0]];
        (1..=depth).for_each(|m| powers.push(product(&powers[m - 1], &d).iter().map(|v| v / m as f64).collect()));
        levels = (0..=depth)
            .map(|n| {
                let mut sum = vec![0.0; channels.pow(n as u32)];
                (0..=n).for_each(|m| sum.iter_mut().zip(product(&levels[m], &powers[n - m])).for_each(|(s, v)| *s += v));
                sum
            })
            .collect();
    }
    levels
}

#[test]
fn signatures_have_the_level_terms_of_the_oracle_and_of_chens_identity() {
    let terms = [1.0, 3.5, 3.84375, 2.134982638888889, 0.7355821397569444, 0.17409932454427085, 0.030005401328757952, 0.003916223162696474];
    for depth in 1..8 {
        let expected: f64 = terms[..=depth].iter().sum();
        let k = dense(&format!("signature(depth={depth})"), None, &short());
        assert!(close(k[(0, 1)], expected, 1e-14), "{depth}: {} {expected}", k[(0, 1)]);
    }
    for channels in [1, 2, 3] {
        let rows = walks(11, channels, 7);
        let k = dense("signature(depth=4)", None, &rows);
        let all: Vec<Vec<f64>> = rows.iter().map(|x| signature(x, 4).concat()).collect();
        for i in 0..rows.len() {
            for j in 0..rows.len() {
                let expected: f64 = all[i].iter().zip(&all[j]).map(|(a, b)| a * b).sum();
                assert!(close(k[(i, j)], expected, 1e-12), "{channels} ({i}, {j}): {} {expected}", k[(i, j)]);
            }
        }
    }
    let refusal = kernel("signature(depth=15)").bind(None, &data(&walks(3, 3, 4))).err().unwrap().to_string();
    assert!(refusal.contains("3 channels") && refusal.contains("signature_pde"), "{refusal}");
}

#[test]
fn the_signature_pde_has_the_values_of_the_oracle_at_every_order() {
    for (order, expected) in
        [(0, 11.109757635328505), (1, 11.535327764349482), (2, 11.4787400170215), (4, 11.427515870745248), (6, 11.423084756644833)]
    {
        let k = dense(&format!("signature_pde(order={order})"), None, &short());
        assert!(close(k[(0, 1)], expected, 1e-14), "{order}: {} {expected}", k[(0, 1)]);
    }
    // Its limit is the sum over all levels.
    let k = dense("signature_pde(order=8)", None, &short());
    assert!(close(k[(0, 1)], 11.42276941399017, 1e-5), "{}", k[(0, 1)]);
}

// The sum over all levels, by a truncation that changes no more (the oracle of the test above), and I_0(2 sqrt(|x| |z|)) of straight paths,
// I_0(100) = 1.07375170713107382e42 (Abramowitz & Stegun 1964, table 9.8 with e^100).
#[test]
fn the_signature_pde_is_the_sum_over_all_levels_whatever_the_steps() {
    let k = dense("signature_pde", None, &short());
    assert!(close(k[(0, 1)], 11.42276941399017, 1e-14), "{}", k[(0, 1)]);
    let straight = |steps: usize, all: f64| -> Vec<Vec<f64>> { (0..=steps).map(|t| vec![all * t as f64 / steps as f64, 1.0]).collect() };
    for (m, n) in [(50, 4), (1, 1), (7, 15)] {
        let k = dense("signature_pde", None, &[straight(m, 50.0), straight(n, 50.0)]);
        assert!(close(k[(0, 1)], 1.073_751_707_131_073_8e42, 1e-12), "{m} {n}: {}", k[(0, 1)]);
    }
    // A path that returns on itself has the signature of a point (Chen 1958).
    let there_and_back: Rows = vec![[0.0, 3.0, -1.0, 3.0, 0.0].iter().map(|x| vec![*x]).collect(), vec![vec![0.0], vec![0.1]]];
    assert!(close(dense("signature_pde", None, &there_and_back)[(0, 0)], 1.0, 1e-9));
    // Inner products: no more than I_0(2 L) of paths of length L, and no eigenvalue below 0, for steps of every size.
    for scale in [0.1, 1.0, 4.0] {
        let rows: Rows =
            walks(7, 2, 9).into_iter().map(|s| s.into_iter().map(|x| x.into_iter().map(|v| scale * v).collect()).collect()).collect();
        for text in
            ["normalise(signature_pde)", "normalise(signature_pde(time=true))", "normalise(signature_pde(static=rbf, length_scale=0.7))"]
        {
            let found = gram::psd_check(&dense(text, None, &rows), &Control::default()).unwrap();
            assert!(found.smallest >= -1e-10 * found.largest, "{text} {scale}: {found:?}");
        }
    }
}

// -4851942 by the recursion of order 0 written out in Python, for 391153.505 by that of series of 25 terms on increments cut into 4 and 8.
#[test]
fn finite_differences_that_cannot_be_right_are_refused_and_those_that_are_off_are_reported() {
    let curve = |t: i32| vec![1.5 * (0.7 * f64::from(t * t)).sin(), 1.5 * (0.91 * f64::from(t * t)).cos()];
    let rows: Rows = vec![vec![vec![0.0; 2], vec![0.5; 2]], (0..16).map(curve).collect()];
    assert!(close(dense("signature_pde", None, &rows)[(1, 1)], 391_153.505_140_121, 1e-10));
    let why = kernel("signature_pde(order=0, length_scale=1)").bind(None, &data(&rows)).err().unwrap().to_string();
    assert!(why.contains("row 2") && why.contains("order 0") && why.contains("leave order out"), "{why}");
    // The signature of a point, by differences of numbers of 10^50: no digit is left.
    let to_and_fro: Rows = vec![(0..5).map(|t| vec![9.0 * f64::from(t % 2)]).collect()];
    let why = kernel("signature_pde(length_scale=1)").bind(None, &data(&to_and_fro)).err().unwrap().to_string();
    assert!(why.contains("row 1") && why.contains("scale its channels"), "{why}");
    let steep: Rows = vec![vec![vec![0.0], vec![0.1]], vec![vec![0.0], vec![2.0], vec![4.0]]];
    let notices = |text: &str| kernel(text).learn(&data(&steep), None, &Control::default()).unwrap().notices();
    // I_0(8) = 427.564 by one step in which p = 4: 2 (1 + 2 + 4/3) - (1 - 4/3) and so on.
    let told = notices("signature_pde(order=0, length_scale=1)");
    assert!(told.len() == 1 && told[0].to_string().contains("row 2") && told[0].to_string().contains("4.276e2"), "{told:?}");
    assert!(notices("signature_pde(length_scale=1)").is_empty() && notices("signature_pde(order=4, length_scale=1)").is_empty());
}

#[test]
fn the_signature_pde_with_a_static_kernel_is_the_recursion_of_its_increments() {
    let rows = walks(10, 2, 6);
    for order in [0, 2] {
        let k = dense(&format!("signature_pde(order={order}, static=rbf, length_scale=0.9)"), None, &rows);
        for (i, x) in rows.iter().enumerate() {
            for (j, z) in rows.iter().enumerate() {
                let value = |p: usize, q: usize| (-square(&x[p], &z[q]) / (2.0 * 0.81)).exp();
                let (parts, share) = (1 << order, 0.25f64.powi(order));
                let (m, n) = ((x.len() - 1) * parts, (z.len() - 1) * parts);
                let mut solution = vec![vec![1.0; n + 1]; m + 1];
                for p in 0..m {
                    for q in 0..n {
                        let (s, t) = (p / parts, q / parts);
                        let d = share * (value(s + 1, t + 1) - value(s + 1, t) - value(s, t + 1) + value(s, t));
                        solution[p + 1][q + 1] = (solution[p + 1][q] + solution[p][q + 1]) * (1.0 + d / 2.0 + d * d / 12.0)
                            - solution[p][q] * (1.0 - d * d / 12.0);
                    }
                }
                assert!(close(k[(i, j)], solution[m][n], 1e-13), "{order} ({i}, {j}): {} {}", k[(i, j)], solution[m][n]);
            }
        }
    }
}

#[test]
fn a_series_whose_signature_exceeds_numbers_is_named() {
    let steep: Rows = vec![vec![vec![0.0]; 4], (0..400).map(|t| vec![100.0 * (t % 2) as f64 * t as f64]).collect()];
    let why = kernel("signature_pde(length_scale=1)").bind(None, &data(&steep)).err().unwrap().to_string();
    assert!(why.contains("row 2") && why.contains("scale its channels"), "{why}");
}

#[test]
fn an_empty_series_is_like_nothing_but_itself() {
    let rows: Rows = vec![vec![], vec![vec![1.0, 2.0]], vec![]];
    let k = dense("global_alignment(length_scale=1)", None, &rows);
    assert_eq!([k[(0, 0)], k[(0, 1)], k[(0, 2)], k[(1, 1)]], [1.0, 0.0, 1.0, 1.0]);
}

#[test]
fn cross_values_are_the_block_of_the_joint_matrix() {
    let rows = walks(14, 3, 9);
    let texts = ["global_alignment(length_scale=0.8)", "global_alignment(length_scale=2, band=4)", "dtw(gamma=0.5, window=2)", "signature"];
    for text in texts.into_iter().chain(["signature_pde(order=1)", "signature_pde(static=rbf, length_scale=1)"]) {
        let joint = dense(text, None, &rows);
        let bound = kernel(text).settle(&data(&rows)).unwrap().bind(Some(&data(&rows[5..])), &data(&rows[..5])).unwrap();
        let cross = gram::dense(bound.as_ref(), &Control::default()).unwrap();
        for i in 0..9 {
            assert!((0..5).all(|j| close(cross[(i, j)], joint[(i + 5, j)], 1e-13)), "{text} row {i}");
        }
        assert!(bound.diagonal(Side::Rows).iter().enumerate().all(|(i, k)| close(*k, joint[(i + 5, i + 5)], 1e-13)), "{text}");
    }
}

#[test]
fn kernels_of_series_say_whether_they_are_mercer_kernels() {
    for text in ["global_alignment(length_scale=1, band=5)", "signature(depth=3)", "normalise(signature)", "signature_pde(static=rbf)"] {
        assert!(matches!(kernel(text).validity(), Validity::Proved(_)), "{text}");
    }
    assert!(!matches!(kernel("signature_pde(order=0)").validity(), Validity::Proved(_)));
    // A series that waits is at no distance from one that does not, and farther from others.
    let rows: Rows = vec![vec![vec![0.0]], vec![vec![0.0]; 2], vec![vec![1.0]]];
    for gamma in [0.1f64, 1.0, 3.0] {
        let k = dense(&format!("dtw(gamma={gamma})"), None, &rows);
        assert!(close(k[(0, 1)], 1.0, 0.0) && close(k[(0, 2)], (-gamma).exp(), 1e-15) && close(k[(1, 2)], (-2.0 * gamma).exp(), 1e-15));
        let (a, b) = (k[(0, 2)], k[(1, 2)]);
        let weights = [1.0, -1.0, -(a - b)];
        let form: f64 = (0..9).map(|c| weights[c / 3] * weights[c % 3] * k[(c / 3, c % 3)]).sum();
        assert!(form < 0.0 && matches!(kernel(&format!("dtw(gamma={gamma})")).validity(), Validity::Refuted(_)), "{gamma}: {form}");
    }
}

// Real-valued sequences, from a table on.
#[test]
fn series_go_from_a_table_through_a_fit_to_predictions() {
    let phase = |i: usize| 0.37 * i as f64;
    let cell = |i: usize| {
        let speed = if i.is_multiple_of(2) { 0.3 } else { 0.6 };
        let values: Vec<f64> = (0..20 + i % 5).map(|t| ((speed * t as f64 + phase(i)).sin() * 1000.0).round() / 1000.0).collect();
        format!("{values:?}")
    };
    let lines: Vec<String> = (0..40).map(|i| format!("\"{}\",{}", cell(i), ["slow", "fast"][i % 2])).collect();
    let text = format!("path,speed\n{}\n", lines.join("\n"));
    let options = ReadOptions::with_types(["path=series"]).unwrap();
    let mut table = Table::parse("waves.csv", text.as_bytes()).unwrap();
    let (target, info) = table.take_target(&["speed"], &options).unwrap();
    let data = table.dataset(&options).unwrap();
    assert!(matches!(data.columns()[0].values, Values::Series(_)));
    for kernel in [
        None,
        Some("clip(dtw)"),
        Some("lockstep(rbf, differences=true)"),
        Some("normalise(signature)"),
        Some("clip(normalise(signature_pde))"),
    ] {
        let mut learner = Learner::new(EstimatorExpr::parse("svc(c=10)").unwrap());
        learner.kernel = kernel.map(|text| KernelExpr::parse(text).unwrap());
        let model = learner.fit(&data, &target, &info, None, &Control::default()).unwrap();
        let again = store::from_bytes(&store::to_bytes(&model).unwrap(), "model").unwrap();
        let new = Table::parse("waves.csv", text.as_bytes()).unwrap().dataset_like(&again.prep.schema, &ReadOptions::default()).unwrap();
        let say = |model: &Model, data: &Dataset| format!("{:?}", model.predict(data, Want::default(), &Control::default()).unwrap());
        assert_eq!(say(&model, &data), say(&again, &new), "{kernel:?}");
    }
    let mut unlike = Table::parse("t.csv", "x;y\n[[1,2],[3,4]];a\n[[5,6], [7]];b\n".as_bytes()).unwrap();
    let why = unlike.dataset(&ReadOptions::with_types(["x=series"]).unwrap()).unwrap_err().to_string();
    assert!(why.contains("row 2, column 'x': found '1 channels at time 2', expected 2, as in row 1"), "{why}");
}

/// A series minus its means, of norm 1.
fn unit(series: &[Vec<f64>]) -> Rows {
    let (times, channels) = (series.len() as f64, series[0].len());
    let mean: Vec<f64> = (0..channels).map(|c| series.iter().map(|x| x[c]).sum::<f64>() / times).collect();
    let centred: Vec<Vec<f64>> = series.iter().map(|x| x.iter().zip(&mean).map(|(x, m)| x - m).collect()).collect();
    let norm = centred.iter().flatten().map(|x| x * x).sum::<f64>().sqrt();
    vec![centred.iter().map(|x| x.iter().map(|x| if norm > 0.0 { x / norm } else { 0.0 }).collect()).collect()]
}

#[test]
fn cross_correlations_are_sums_over_all_lags() {
    let rows = walks(6, 2, 9);
    for gamma in [0.5, 20.0] {
        let value = |x: &[Vec<f64>], z: &[Vec<f64>]| -> f64 {
            let (x, z) = (&unit(x)[0], &unit(z)[0]);
            let at = |lag: i64| -> f64 {
                let shifted = |t: usize| usize::try_from(t as i64 + lag).ok().and_then(|t| x.get(t));
                (0..z.len()).filter_map(|t| shifted(t).map(|x| x.iter().zip(&z[t]).map(|(a, b)| a * b).sum::<f64>())).sum()
            };
            (-20..20).map(|lag| (gamma * (at(lag) - 1.0)).exp() - (-gamma).exp()).sum()
        };
        let k = dense(&format!("cross_correlation(gamma={gamma})"), None, &rows);
        for (i, x) in rows.iter().enumerate() {
            for (j, z) in rows.iter().enumerate() {
                assert!((k[(i, j)] - value(x, z)).abs() <= 1e-12, "{gamma}, {i}, {j}: {} beside {}", k[(i, j)], value(x, z));
            }
        }
    }
    // A bump early and one late are alike, a ramp is not like them, and a constant is like nothing.
    let bump = |at: usize| (0..30).map(|t| vec![(-0.5 * (t as f64 - at as f64).powi(2)).exp()]).collect::<Vec<_>>();
    let ramp = (0..30).map(|t| vec![f64::from(t)]).collect::<Vec<_>>();
    let k = dense("normalise(cross_correlation)", None, &[bump(8), bump(20), vec![vec![0.1]; 30], ramp]);
    assert!(k[(0, 1)] > 0.5 && k[(0, 2)] == 0.0 && k[(0, 3)] < 0.05, "{k:?}");
}

#[test]
fn time_as_a_channel_is_that_channel() {
    let rows = walks(5, 1, 7);
    let timed: Rows = rows
        .iter()
        .map(|series| {
            let last = (series.len() - 1).max(1) as f64;
            series.iter().enumerate().map(|(t, x)| vec![x[0], t as f64 / last]).collect()
        })
        .collect();
    for kernel in ["signature(depth=3", "signature_pde(order=1", "signature_pde(static=rbf, length_scale=0.8"] {
        assert_eq!(
            dense(&format!("{kernel}, time=true)"), None, &rows).data(),
            dense(&format!("{kernel})"), None, &timed).data(),
            "{kernel}"
        );
    }
}

#[test]
fn autoregressive_coefficients_are_compared_as_numpy_fits_them() {
    // numpy.linalg.lstsq on the centred and scaled series with sqrt(penalty) I below the predictors and 0 below the answers.
    let at = |i: usize, t: usize| {
        let (i, t) = (i as f64, t as f64);
        vec![0.5 * (t + 1.0).sin() * (1.0 + 0.1 * i) + 0.2 * (3.0 * t + i).cos(), (0.7 * t * (i + 1.0)).cos()]
    };
    let rows: Rows = (0..3).map(|i| (0..6 + i).map(|t| at(i, t)).collect()).collect();
    for (text, expected) in [
        ("autoregressive(order=1, penalty=1, length_scale=0.5)", [0.2588994360780565, 0.12989921162503645, 0.27663510509932177]),
        ("autoregressive(order=2, penalty=0.1, length_scale=1)", [0.18661999326193346, 0.0062410348695125725, 0.051302784391850834]),
    ] {
        let k = dense(text, None, &rows);
        for ((i, j), expected) in [(0, 1), (0, 2), (1, 2)].into_iter().zip(expected) {
            assert!(close(k[(i, j)], expected, 1e-12), "{text} ({i}, {j}): {} {expected}", k[(i, j)]);
        }
    }
}

#[test]
fn autoregressive_knows_neither_level_nor_size_and_takes_any_length() {
    let wave = |rate: f64, size: f64, level: f64, times: usize| -> Vec<Vec<f64>> {
        (0..times).map(|t| vec![level + size * (rate * t as f64).sin()]).collect()
    };
    let rows: Rows = vec![
        wave(0.5, 1.0, 0.0, 60),
        wave(0.5, 1e-3, 7.0, 60),
        wave(0.5, 1e200, 0.0, 60),
        wave(2.5, 1.0, 0.0, 60),
        vec![vec![3.0]; 9],
        vec![vec![1.0]],
        Vec::new(),
    ];
    let k = dense("autoregressive(length_scale=1)", None, &rows);
    assert!(k.data().iter().all(|v| (0.0..=1.0).contains(v)), "{k:?}");
    assert!((k[(0, 1)] - 1.0).abs() <= 1e-9 && (k[(0, 2)] - 1.0).abs() <= 1e-12 && k[(0, 3)] < 0.1, "{k:?}");
    // Coefficients of 0: a constant, a single time and no time at all are alike.
    assert_eq!((k[(4, 5)], k[(4, 6)], k[(5, 5)]), (1.0, 1.0, 1.0));
    // A sinusoid of rate w has x_t = 2 cos(w) x_t-1 - x_t-2; the penalty is hardly felt.
    let far = |a: f64, b: f64| (2.0 * (a.cos() - b.cos())).powi(2);
    let long = dense("autoregressive(length_scale=1, penalty=1e-9)", None, &[wave(0.5, 1.0, 0.0, 4000), wave(0.9, 1.0, 0.0, 4000)]);
    assert!((long[(0, 1)] - (-0.5 * far(0.5, 0.9)).exp()).abs() <= 1e-3, "{} {}", long[(0, 1)], (-0.5 * far(0.5, 0.9)).exp());
    // New rows are compared as they are among the training rows.
    let cross = dense("autoregressive(length_scale=1)", Some(&rows[..2]), &rows);
    assert!((0..rows.len()).all(|j| cross[(0, j)] == k[(0, j)] && cross[(1, j)] == k[(1, j)]));
    let refusal = kernel("autoregressive(order=900)").settle(&data(&walks(3, 2, 4))).and_then(|k| k.bind(None, &data(&walks(3, 2, 4))));
    assert!(refusal.err().unwrap().to_string().contains("smaller order"));
}

/// Vectors by hand: values time by time, held after the end and cut behind the longest training series; and their differences.
#[test]
fn lockstep_is_a_kernel_of_values_time_by_time() {
    let path = |points: &[[f64; 2]]| points.iter().map(|p| p.to_vec()).collect::<Vec<_>>();
    let rows = vec![path(&[[1.0, 2.0], [3.0, 5.0], [4.0, 4.0]]), path(&[[0.5, 1.0], [2.0, -1.0]]), Vec::new()];
    let new = vec![path(&[[1.0, 0.0], [1.0, 1.0], [2.0, 2.0], [9.0, 9.0]])];
    let table = |all: &[[f64; 6]]| Dataset::from_points(Points::dense(all.len(), 6, all.concat()).unwrap());
    let values = table(&[[1.0, 2.0, 3.0, 5.0, 4.0, 4.0], [0.5, 1.0, 2.0, -1.0, 2.0, -1.0], [0.0; 6]]);
    let of_new = table(&[[1.0, 0.0, 1.0, 1.0, 2.0, 2.0]]);
    for inner in ["linear", "rbf(length_scale=0.7)", "polynomial(degree=2, gamma=1, offset=1)"] {
        let plain = kernel(inner).settle(&values).unwrap();
        let among = gram::dense(plain.bind(None, &values).unwrap().as_ref(), &Control::default()).unwrap();
        let cross = gram::dense(plain.bind(Some(&of_new), &values).unwrap().as_ref(), &Control::default()).unwrap();
        assert_eq!(dense(&format!("lockstep({inner})"), None, &rows), among, "{inner}");
        assert_eq!(dense(&format!("lockstep({inner})"), Some(&new), &rows), cross, "{inner}");
    }
    // Differences (2, 3, 1, -1), (1.5, -2, 0, 0) and 0; those of the new series (0, 1, 1, 1).
    let k = dense("lockstep(linear, differences=true)", None, &rows);
    assert_eq!(k.data(), [15.0, -3.0, 0.0, -3.0, 6.25, 0.0, 0.0, 0.0, 0.0]);
    assert_eq!(dense("lockstep(linear, differences=true)", Some(&new), &rows).data(), [3.0, -2.0, 0.0]);
    // Of one time there is no difference.
    assert_eq!(dense("lockstep(linear, differences=true)", None, &[vec![vec![2.0]], vec![vec![3.0]]]).data(), [0.0; 4]);
}
