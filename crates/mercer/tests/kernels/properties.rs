//! Laws that hold for whatever is drawn: expressions, Gram matrices, folds, shifts.

use mercer::control::Control;
use mercer::data::{Dataset, Points, Target};
use mercer::data::{Split, folds};
use mercer::estimators::{EstimatorExpr, Predicted, Want, catalogue};
use mercer::gram::{self, Mercer};
use mercer::kernels::KernelExpr;
use mercer::learner::Learner;
use mercer::linalg::Matrix;
use mercer::param::{Domain, Param, TermList};
use mercer::read::TargetInfo;
use mercer::testkit;
use proptest::prelude::*;
use proptest::sample::Index;

/// A number of any size in a domain, as text.
fn number(domain: Domain) -> BoxedStrategy<String> {
    let positive = prop_oneof![0.01..100.0f64, (-300i32..300).prop_map(|e| 10f64.powi(e)), Just(f64::MIN_POSITIVE)];
    match domain {
        Domain::Real => (any::<bool>(), positive).prop_map(|(minus, x)| format!("{}{x:e}", if minus { "-" } else { "" })).boxed(),
        Domain::Fraction | Domain::UpToOne => (0.001..0.999f64).prop_map(|x| x.to_string()).boxed(),
        Domain::CountOrShare => prop_oneof![0.001..0.999f64, (1u32..50).prop_map(f64::from)].prop_map(|x| x.to_string()).boxed(),
        Domain::Integer(low, high) => (0usize..50).prop_map(move |k| (low + k).min(high).to_string()).boxed(),
        Domain::IntegerOrInfinite(low) => {
            prop_oneof![Just(f64::INFINITY), (0usize..50).prop_map(move |k| (low + k) as f64)].prop_map(|x| x.to_string()).boxed()
        }
        Domain::Flag => any::<bool>().prop_map(|b| b.to_string()).boxed(),
        Domain::Choice(words) => any::<Index>().prop_map(move |i| words[i.index(words.len())].to_owned()).boxed(),
        Domain::Words => prop::collection::vec("[a-z ']{1,8}", 0..4)
            .prop_map(|words| format!("[{}]", words.iter().map(|w| quoted(w)).collect::<Vec<_>>().join(", ")))
            .boxed(),
        Domain::Term(list) => model_text(list),
        Domain::Positive | Domain::PositiveFinite | Domain::NonNegative => positive.prop_map(|x| x.to_string()).boxed(),
    }
}

/// Any expression of the list that a parameter takes.
fn model_text(list: &TermList) -> BoxedStrategy<String> {
    let all: Vec<_> = mercer::generative::catalogue().into_iter().map(|e| call(e.name, e.params)).collect();
    assert_eq!(all.len(), list.names().len());
    prop::strategy::Union::new(all).boxed()
}

/// A value of a parameter, settled or not, as text.
fn value(param: &'static Param) -> BoxedStrategy<String> {
    let one = number(param.domain);
    match param.domain {
        Domain::Flag | Domain::Choice(_) | Domain::Words | Domain::Term(_) => one,
        Domain::IntegerOrInfinite(low) => prop_oneof![4 => one, 1 => Just("auto".into()), 1 => Just(format!("{low}..{}", low + 9))].boxed(),
        Domain::Integer(low, high) => {
            prop_oneof![4 => one, 1 => Just("auto".into()), 1 => Just(format!("{low}..{}", high.min(low + 9)))].boxed()
        }
        Domain::Fraction | Domain::UpToOne | Domain::CountOrShare => {
            prop_oneof![4 => one, 1 => Just("auto".into()), 1 => Just("0.25..0.5".into())].boxed()
        }
        _ => prop_oneof![4 => one, 1 => Just("auto".into()), 1 => (0.001..1.0f64, 1.5..900.0f64).prop_map(|(a, b)| format!("{a}..{b}"))]
            .boxed(),
    }
}

/// `name(parameter=value, ...)`, some parameters left out.
fn call(name: &'static str, params: &'static [Param]) -> BoxedStrategy<String> {
    let each: Vec<_> = params.iter().map(|p| prop::option::of(value(p).prop_map(move |v| format!("{}={v}", p.name)))).collect();
    each.prop_map(move |given| {
        let given: Vec<String> = given.into_iter().flatten().collect();
        if given.is_empty() { name.to_owned() } else { format!("{name}({})", given.join(", ")) }
    })
    .boxed()
}

fn quoted(word: &str) -> String {
    format!("\"{}\"", word.replace('\\', "\\\\").replace('"', "\\\""))
}

/// Any kernel expression that may be written down.
fn kernel_text() -> impl Strategy<Value = String> {
    let leaves: Vec<BoxedStrategy<String>> = mercer::kernels::catalogue().into_iter().map(|e| call(e.name, e.params)).collect();
    let leaf = prop::strategy::Union::new(leaves);
    leaf.prop_recursive(5, 24, 3, |inner| {
        prop_oneof![
            3 => prop::collection::vec(inner.clone(), 2..4).prop_map(|v| v.join(" + ")),
            1 => (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("{a} - ({b})")),
            3 => prop::collection::vec(inner.clone(), 2..4).prop_map(|v| format!("({})", v.join(")*("))),
            2 => (number(Domain::Real), inner.clone()).prop_map(|(n, k)| format!("{n}*({k})")),
            1 => inner.clone().prop_map(|k| format!("-({k})")),
            1 => ("normalise|exp|centre|clip|flip|shift", inner.clone()).prop_map(|(name, k)| format!("{name}({k})")),
            1 => (1u32..=64, inner.clone()).prop_map(|(n, k)| format!("({k})^{n}")),
            1 => (0.0..9.0f64, inner.clone()).prop_map(|(c, k)| format!("{c} + {k}")),
            1 => (any::<String>(), inner.clone()).prop_map(|(name, k)| format!("weighted({}, {k})", quoted(&name))),
            1 => (prop::collection::vec(any::<String>(), 1..3), inner.clone())
                .prop_map(|(names, k)| format!("on([{}], {k})", names.iter().map(|n| quoted(n)).collect::<Vec<_>>().join(", "))),
        ]
    })
}

fn estimator_text() -> impl Strategy<Value = String> {
    prop::strategy::Union::new(catalogue().into_iter().map(|e| call(e.name, e.params)).collect::<Vec<_>>())
}

/// A Mercer expression over the columns of the kit's table, every parameter within reason. None is centred: what centring
/// leaves may be as small as the rounding of what it takes away.
fn mercer_text() -> impl Strategy<Value = String> {
    let length = (-1.0..1.0f64).prop_map(|e| 10f64.powf(e));
    let leaf = (0usize..10, length, 0.0..3.0f64, 1usize..4).prop_map(|(which, l, offset, k)| match which {
        0 => "linear".to_owned(),
        1 => format!("polynomial(degree={k}, gamma={l}, offset={offset})"),
        2 => format!("rbf(length_scale={l})"),
        3 => format!("rbf(length_scale=[{l}, 1, {}])", 1.0 + offset),
        4 => format!("laplacian(length_scale={l})"),
        5 => format!("matern(nu={}.5, length_scale={l})", k - 1),
        6 => "cosine".to_owned(),
        7 => "equal".to_owned(),
        8 => format!("spectrum(k={k})"),
        _ => format!("on([a, b], rbf(length_scale={l}))"),
    });
    leaf.prop_recursive(3, 8, 2, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("{a} + {b}")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a})*({b})")),
            (0.0..5.0f64, inner.clone()).prop_map(|(c, k)| format!("{c}*({k})")),
            inner.clone().prop_map(|k| format!("normalise({k})")),
            inner.clone().prop_map(|k| format!("weighted(c, {k})")),
            inner.clone().prop_map(|k| format!("exp(0.1*normalise({k}))")),
            inner.clone().prop_map(|k| format!("2*({k})^2 + 0.5*({k}) + 1")),
        ]
    })
}

fn matrix(kernel: &str, data: &Dataset) -> Matrix {
    let kernel = KernelExpr::parse(kernel).unwrap().settle(data).unwrap();
    gram::dense(kernel.bind(None, data).unwrap().as_ref(), &Control::default()).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn a_kernel_that_is_printed_and_read_again_is_the_same(text in kernel_text()) {
        // Two numbers in one product, one of them open, are refused; whatever is taken survives.
        if let Ok(kernel) = KernelExpr::parse(&text) {
            let printed = kernel.to_string();
            let again = KernelExpr::parse(&printed);
            prop_assert!(again.is_ok(), "{} was printed as {} which cannot be read: {:?}", text, printed, again);
            prop_assert_eq!(&again.unwrap(), &kernel, "printed as {}", printed);
            let json = serde_json::to_string(&kernel).unwrap();
            prop_assert_eq!(serde_json::from_str::<KernelExpr>(&json).unwrap(), kernel);
        }
    }

    #[test]
    fn an_estimator_that_is_printed_and_read_again_is_the_same(text in estimator_text()) {
        let estimator = EstimatorExpr::parse(&text).unwrap();
        prop_assert_eq!(EstimatorExpr::parse(&estimator.to_string()).unwrap(), estimator.clone());
        let json = serde_json::to_string(&estimator).unwrap();
        prop_assert_eq!(serde_json::from_str::<EstimatorExpr>(&json).unwrap(), estimator);
    }

    #[test]
    fn any_text_is_an_expression_or_an_error(text in "[-+*().,=\"a-z0-9_ \\[\\]é]{0,40}") {
        let _ = (KernelExpr::parse(&text), EstimatorExpr::parse(&text), EstimatorExpr::parse_list(&text));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    // spec: F19, F24
    #[test]
    fn gram_matrices_of_mercer_expressions_have_no_negative_eigenvalue(text in mercer_text(), rows in 1usize..24, seed in 0u64..1000) {
        prop_assert_eq!(KernelExpr::parse(&text).unwrap().mercer(), Mercer::Always);
        let k = matrix(&text, &testkit::table(rows, seed));
        let check = gram::psd_check(&k, &Control::default()).unwrap();
        prop_assert!(check.smallest >= -(rows as f64) * f64::EPSILON * check.largest, "{}: {} of {}", text, check.smallest, check.largest);
    }

    // spec: F19, F24
    #[test]
    fn centred_gram_matrices_have_no_negative_eigenvalue(text in mercer_text(), rows in 1usize..24, seed in 0u64..1000) {
        let data = testkit::table(rows, seed);
        // What is left after the means are taken away carries the rounding of what was there before.
        let before = gram::psd_check(&matrix(&text, &data), &Control::default()).unwrap().largest;
        let check = gram::psd_check(&matrix(&format!("centre({text})"), &data), &Control::default()).unwrap();
        prop_assert!(check.smallest >= -(rows as f64) * f64::EPSILON * before, "centre({}): {} of {}", text, check.smallest, before);
    }

    // spec: F24
    #[test]
    fn functions_exponentials_and_power_series_of_a_mercer_kernel_are_positive(text in mercer_text(), rows in 1usize..16, seed in 0u64..1000, c in prop::collection::vec(0.0..2.0f64, 4)) {
        let k = matrix(&text, &testkit::table(rows, seed));
        let largest = k.data().iter().fold(1.0f64, |m, v| m.max(v.abs()));
        let f: Vec<f64> = (0..rows).map(|i| (i as f64 * 1.7 + seed as f64).sin()).collect();
        let around = Matrix::from_fn(rows, rows, |i, j| f[i] * k[(i, j)] * f[j]);
        let exponential = Matrix::from_fn(rows, rows, |i, j| (3.0 * k[(i, j)] / largest).exp());
        let power = Matrix::from_fn(rows, rows, |i, j| c.iter().rev().fold(0.0, |p, c| p * k[(i, j)] / largest + c));
        // An exponential multiplies the relative rounding of its argument by that argument, which is 3 at most.
        for (name, m, carried) in [("f(x) k f(z)", around, 0.0), ("exp(k)", exponential, 3.0), ("p(k)", power, 0.0)] {
            let check = gram::psd_check(&m, &Control::default()).unwrap();
            let rounding = rows as f64 * f64::EPSILON * (1.0 + carried) * check.largest;
            prop_assert!(check.smallest >= -rounding, "{} of {}: {}", name, text, check.smallest);
        }
    }

    #[test]
    fn folds_are_a_partition_that_keeps_groups_together(n in 4usize..120, count in 2usize..8, seed in any::<u64>(), classes in 1usize..5, grouped in any::<bool>()) {
        let codes: Vec<usize> = (0..n).map(|i| (i * i + i / 5) % classes).collect();
        let names = (0..classes).map(|k| k.to_string()).collect();
        let groups: Vec<usize> = (0..n).map(|i| (i * 7) % (n / 2).max(1)).collect();
        let groups = grouped.then_some(groups);
        let split = groups.clone().map_or(Split::Rows, Split::Groups);
        let made = folds(&Target::Classes { codes: codes.clone(), names }, &split, count, seed);
        let Ok(made) = made else {
            let units = groups.as_ref().map_or(n, |g| g.iter().collect::<std::collections::BTreeSet<_>>().len());
            prop_assert!(units < count, "{} units refused for {} folds", units, count);
            return Ok(());
        };
        prop_assert_eq!(made.len(), count);
        let mut tested = vec![0; n];
        for fold in &made {
            prop_assert!(!fold.test.is_empty() && fold.train.len() + fold.test.len() == n);
            prop_assert!(fold.train.windows(2).all(|w| w[0] < w[1]) && fold.test.windows(2).all(|w| w[0] < w[1]));
            prop_assert!(fold.train.iter().all(|i| fold.test.binary_search(i).is_err()));
            fold.test.iter().for_each(|&i| tested[i] += 1);
            if let Some(g) = &groups {
                prop_assert!(fold.test.iter().all(|&i| fold.train.iter().all(|&j| g[i] != g[j])));
            } else {
                for k in 0..classes {
                    let all = codes.iter().filter(|c| **c == k).count();
                    let here = fold.test.iter().filter(|i| codes[**i] == k).count();
                    prop_assert!(here >= all / count && here <= all.div_ceil(count), "class {}: {} of {}", k, here, all);
                }
            }
        }
        prop_assert!(tested.iter().all(|t| *t == 1));
    }

    // spec: M28
    #[test]
    fn ridge_with_its_constant_follows_a_shift_of_the_target_exactly(
        rows in prop::collection::vec((-2.0..2.0f64, -2.0..2.0f64, -5.0..5.0f64, 0.1..3.0f64), 2..20),
        lambda in (-3.0..2.0f64).prop_map(|e| 10f64.powf(e)),
        shift in prop_oneof![-10.0..10.0f64, Just(1e6), Just(-1e9)],
        weighted in any::<bool>(),
    ) {
        let n = rows.len();
        let x = rows.iter().flat_map(|r| [r.0, r.1]).collect();
        let data = Dataset::from_points(Points::dense(n, 2, x).unwrap());
        let weights: Vec<f64> = rows.iter().map(|r| r.3).collect();
        let info = TargetInfo { names: vec!["y".into()], classes: None, labels: Default::default() };
        let learner = Learner { kernel: Some(KernelExpr::parse("rbf(length_scale=1)").unwrap()), ..Learner::new(EstimatorExpr::parse(&format!("ridge(lambda={lambda})")).unwrap()) };
        let run = |by: f64| {
            let target = Target::Numbers(Matrix::from_fn(n, 1, |i, _| rows[i].2 + by));
            let model = learner.fit(&data, &target, &info, weighted.then_some(weights.as_slice()), &Control::default()).unwrap();
            match model.predict(&data, Want::default(), &Control::default()).unwrap().values {
                Predicted::Numbers(m) => m.into_data(),
                Predicted::Classes(_) => panic!("numbers were expected"),
            }
        };
        // What rounding y + shift to 53 bits loses is not the learner's.
        for (a, b) in run(0.0).iter().zip(run(shift)) {
            prop_assert!((a + shift - b).abs() <= 1e-11 + 8.0 * f64::EPSILON * shift.abs(), "{} + {} and {}", a, shift, b);
        }
    }
}
