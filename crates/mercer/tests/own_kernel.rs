//! Kernels, generative models and engines from outside of the crate: what `register` and `install_engine` promise.

#[path = "own/engine.rs"]
mod engine;
#[path = "../examples/own_kernel.rs"]
#[expect(dead_code, reason = "its main is for whoever runs it")]
mod example;
#[path = "own/functions.rs"]
mod functions;
#[path = "own/generative.rs"]
mod generative;

use example::Triangle;
use mercer::compare::{Comparing, compare};
use mercer::control::Control;
use mercer::data::{Dataset, Points, RowWeights, Split, Values};
use mercer::error::Result;
use mercer::estimators::{EstimatorExpr, Want};
use mercer::gram::{Kernel, Mercer, PreparedBatch, Tile, psd_check};
use mercer::kernels::{KernelExpr, catalogue, register};
use mercer::learner::{Learner, Model};
use mercer::linalg::Real;
use mercer::param::Parameters;
use mercer::read::{ReadOptions, Source, Table};
use mercer::store;
use mercer::testkit::{check_kernel, check_kernel_expr, table};
use serde::{Deserialize, Serialize};

/// k(x, z) = sum_d min(F_d(x_d), F_d(z_d)), F_d the distribution function of the training rows: that of a Brownian motion.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Parameters)]
#[serde(deny_unknown_fields)]
struct Ranks {}

/// Values of each dimension, ascending, with the share of weight up to each.
type Shares = Vec<Vec<(f64, f64)>>;

struct Prepared {
    dim: usize,
    shares: Vec<f64>,
}

impl PreparedBatch for Prepared {}

impl Kernel for Ranks {
    const NAME: &'static str = "ranks";
    const DOC: &'static str = "the lesser rank among the training rows";
    const SOURCE: &'static str = "the covariance of Brownian motion";
    const BECAUSE: &'static str = "a covariance";
    type Inputs = Points;
    type Learnt = Shares;
    type Prepared = Prepared;

    fn learns(&self) -> bool {
        true
    }
    fn learn(&self, inputs: &Points, weights: RowWeights<'_>, _: &Control) -> Result<Shares> {
        let (values, dim, rows) = (inputs.to_dense(), inputs.dim(), inputs.rows());
        let total = weights.total(rows);
        let of = |d: usize| {
            let mut all: Vec<(f64, f64)> = (0..rows).map(|i| (values[i * dim + d], weights.at(i))).collect();
            all.sort_by(|a, b| a.0.total_cmp(&b.0));
            let mut shares: Vec<(f64, f64)> = Vec::new();
            let mut passed = 0.0;
            for (value, weight) in all {
                passed += weight;
                match shares.last_mut() {
                    Some(last) if last.0 == value => last.1 = passed / total,
                    _ => shares.push((value, passed / total)),
                }
            }
            shares
        };
        Ok((0..dim).map(of).collect())
    }
    fn prepare(&self, learnt: &Shares, inputs: &Points, _: Option<&Prepared>, _: &Control) -> Result<Prepared> {
        let share = |(d, value): (usize, &f64)| {
            let known = &learnt[d % inputs.dim()];
            known.partition_point(|(v, _)| v <= value).checked_sub(1).map_or(0.0, |at| known[at].1)
        };
        Ok(Prepared { dim: inputs.dim(), shares: inputs.to_dense().iter().enumerate().map(share).collect() })
    }
    fn fill<T: Real>(&self, tile: Tile<'_, Prepared, T>) {
        let (a, b) = (tile.a, tile.b);
        tile.from_pairs(|i, j| (0..a.dim).map(|d| a.shares[i * a.dim + d].min(b.shares[j * b.dim + d])).sum());
    }
    fn diagonal(&self, x: &Prepared) -> Vec<f64> {
        x.shares.chunks(x.dim).map(|row| row.iter().sum()).collect()
    }
    fn mercer(&self) -> Mercer {
        Mercer::Always
    }
}

/// A kernel by a name that Mercer has.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Parameters)]
struct Impostor<const KIND: usize> {}

impl<const KIND: usize> Kernel for Impostor<KIND> {
    const NAME: &'static str = ["rbf", "normalise", "nystroem", "triangle", "my kernel"][KIND];
    const DOC: &'static str = "none";
    const SOURCE: &'static str = "none";
    type Inputs = Points;
    type Learnt = ();
    type Prepared = Prepared;
    fn prepare(&self, (): &(), inputs: &Points, _: Option<&Prepared>, _: &Control) -> Result<Prepared> {
        Ok(Prepared { dim: inputs.dim(), shares: inputs.to_dense().into_owned() })
    }
    fn fill<T: Real>(&self, tile: Tile<'_, Prepared, T>) {
        tile.from_pairs(|_, _| 1.0);
    }
    fn diagonal(&self, x: &Prepared) -> Vec<f64> {
        vec![1.0; x.shares.len() / x.dim.max(1)]
    }
    fn mercer(&self) -> Mercer {
        Mercer::Always
    }
}

#[test]
fn kernels_of_a_program_pass_the_kit_alone_and_inside_of_compositions() {
    check_kernel::<Triangle>().unwrap();
    check_kernel::<Ranks>().unwrap();
    let data = table(24, 3);
    for text in ["triangle(width=2.5)", "2*triangle(width=3) + rbf", "normalise(ranks * rbf)", "on(a, ranks)"] {
        let kernel = KernelExpr::parse(text).unwrap();
        check_kernel_expr(&kernel, &data).unwrap_or_else(|why| panic!("{text}: {why}"));
    }
    // A triangle at half of its width is a half, by hand.
    let settled = KernelExpr::parse("on(a, triangle(width=2))").unwrap();
    let x = data.column("a").unwrap().values.clone();
    let Values::Numbers(x) = x else { panic!("numbers") };
    let gram = mercer::gram::dense(settled.bind(None, &data).unwrap().as_ref(), &Control::default()).unwrap();
    for (i, a) in x.iter().enumerate() {
        for (j, b) in x.iter().enumerate() {
            assert_eq!(gram[(i, j)], (1.0 - (a - b).abs() / 2.0).max(0.0));
        }
    }
    assert!(catalogue().iter().any(|entry| entry.name == "triangle"));
}

/// k(g(x), g(z)), k = rbf and g one layer of a network: a kernel on a map of the columns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Parameters)]
#[serde(deny_unknown_fields)]
struct Deep {}

impl Deep {
    /// tanh of two sums of the columns.
    fn map(row: &[f64]) -> [f64; 2] {
        [[1.0, -0.5], [0.3, 0.8]].map(|w| row.iter().zip(w.iter().cycle()).map(|(x, w)| w * x).sum::<f64>().tanh())
    }
}

impl Kernel for Deep {
    const NAME: &'static str = "deep";
    const DOC: &'static str = "rbf behind a layer";
    const SOURCE: &'static str = "Wilson, Hu, Salakhutdinov & Xing, Deep kernel learning (2016), (5)";
    const BECAUSE: &'static str = "a Mercer kernel of numbers made of each input";
    type Inputs = Points;
    type Learnt = ();
    type Prepared = Prepared;
    fn prepare(&self, (): &(), inputs: &Points, _: Option<&Prepared>, _: &Control) -> Result<Prepared> {
        let values = inputs.to_dense();
        Ok(Prepared { dim: 2, shares: values.chunks_exact(inputs.dim().max(1)).flat_map(Deep::map).collect() })
    }
    fn fill<T: Real>(&self, tile: Tile<'_, Prepared, T>) {
        let (a, b) = (tile.a, tile.b);
        let square = |i: usize, j: usize| (0..2).map(|c| (a.shares[2 * i + c] - b.shares[2 * j + c]).powi(2)).sum::<f64>();
        tile.from_pairs(|i, j| (-0.5 * square(i, j)).exp());
    }
    fn diagonal(&self, x: &Prepared) -> Vec<f64> {
        vec![1.0; x.shares.len() / 2]
    }
    fn mercer(&self) -> Mercer {
        Mercer::Always
    }
}

// spec: K44
#[test]
fn a_kernel_behind_a_map_of_the_user_is_the_kernel_of_the_mapped_columns() {
    check_kernel::<Deep>().unwrap();
    register::<Deep>().unwrap();
    let data = table(30, 5);
    let of = |name: &str| match &data.column(name).unwrap().values {
        Values::Numbers(v) => v.clone(),
        _ => panic!("numbers"),
    };
    let (a, b) = (of("a"), of("b"));
    let mapped = Points::dense(30, 2, a.iter().zip(&b).flat_map(|(a, b)| Deep::map(&[*a, *b])).collect()).unwrap();
    let matrix = |text: &str, data: &Dataset| {
        mercer::gram::dense(KernelExpr::parse(text).unwrap().bind(None, data).unwrap().as_ref(), &Control::default()).unwrap()
    };
    let (deep, plain) = (matrix("on([a, b], deep)", &data), matrix("rbf(length_scale=1)", &Dataset::from_points(mapped)));
    assert!(deep.data().iter().zip(plain.data()).all(|(x, z)| (x - z).abs() <= 1e-15 * 8.0));
    assert!(psd_check(&deep, &Control::default()).unwrap().witness.is_none());
}

#[test]
fn a_model_with_a_kernel_of_the_program_is_searched_compared_stored_and_loaded() {
    register::<Ranks>().unwrap();
    let control = Control::default();
    let mut iris = Table::read(&Source::new("example:iris")).unwrap();
    let (target, info) = iris.take_target(&["species"], &ReadOptions::default()).unwrap();
    let data = iris.dataset(&ReadOptions::default()).unwrap();
    for kernel in [KernelExpr::own(Triangle::default()).unwrap(), KernelExpr::parse("ranks").unwrap()] {
        let learner = Learner { kernel: Some(kernel.clone()), ..Learner::new(EstimatorExpr::parse("svc").unwrap()) };
        let model = learner.fit(&data, &target, &info, None, &control).unwrap();
        let bytes = store::to_bytes(&model).unwrap();
        let again: Model = store::from_bytes(&bytes, "model").unwrap();
        let (one, two) = (model.predict(&data, Want::default(), &control), again.predict(&data, Want::default(), &control));
        assert_eq!(one.unwrap(), two.unwrap());
        let comparing = Comparing { kernel: Some(kernel), ..Comparing::new(EstimatorExpr::parse_list("svc, knn, baseline").unwrap()) };
        let outcome = compare(&data, &target, &info, None, &Split::Rows, &comparing, &control).unwrap();
        assert!(outcome.rows.iter().all(|row| row.failure.is_none()) && outcome.best.is_some());
    }
}

#[test]
fn what_is_not_registered_is_named_when_it_is_asked_for() {
    let json = serde_json::to_string(&KernelExpr::own(Triangle::default()).unwrap()).unwrap();
    assert_eq!(serde_json::from_str::<KernelExpr>(&json).unwrap().to_string(), "triangle");
    let error = serde_json::from_str::<KernelExpr>(&json.replace("triangle", "hat")).unwrap_err().to_string();
    assert!(error.contains("the kernel 'hat', which this program has not registered"), "{error}");
    assert!(KernelExpr::parse("hat").unwrap_err().to_string().contains("hat"));
}

#[test]
fn a_name_that_is_taken_or_cannot_be_written_is_refused() {
    register::<Triangle>().unwrap();
    // Twice is once.
    register::<Triangle>().unwrap();
    let why = |refused: Result<()>| refused.unwrap_err().to_string();
    for refused in [register::<Impostor<0>>(), register::<Impostor<1>>(), register::<Impostor<2>>()] {
        assert!(why(refused).contains("Mercer has a kernel or a composition of this name"));
    }
    assert!(why(register::<Impostor<3>>()).contains("another kernel is registered by this name"));
    assert!(why(register::<Impostor<4>>()).contains("cannot stand in an expression"));
}
