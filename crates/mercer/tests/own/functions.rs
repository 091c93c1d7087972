//! Kernels that are functions of whole batches: what `register_function` promises.

#![allow(clippy::unwrap_used, reason = "what fails here fails the test")]

use mercer::control::Control;
use mercer::data::{Arity, ColumnKind, Dataset, Inputs, Points, Target};
use mercer::error::{Error, Result};
use mercer::estimators::{EstimatorExpr, Want};
use mercer::expr::Term;
use mercer::gram;
use mercer::kernels::{KernelEntry, KernelExpr, KernelFunction, register_function};
use mercer::learner::{Learner, Model};
use mercer::linalg::Matrix;
use mercer::param::{Domain, Param};
use mercer::store;
use std::sync::Arc;

const PARAMS: &[Param] = &[Param::searched("width", "where it is 0", Domain::Real, 10.0)];

/// max(0, 1 - |x - z| / width), multiplied over the columns, times a sign.
struct Triangles {
    name: &'static str,
    sign: f64,
}

impl Triangles {
    fn value(&self, arguments: &[(&'static Param, Term)], x: &[f64], z: &[f64]) -> Result<f64> {
        let [(_, Term::Number(width))] = arguments else { return Err(Error::Data("expected a width".into())) };
        if *width <= 0.0 {
            return Err(Error::Data(format!("a width of {width}")));
        }
        Ok(self.sign * x.iter().zip(z).map(|(x, z)| (1.0 - (x - z).abs() / width).max(0.0)).product::<f64>())
    }
}

impl KernelFunction for Triangles {
    fn entry(&self) -> KernelEntry {
        KernelEntry::of_function(self.name, "triangles", "number columns", false, PARAMS, &["4"])
    }
    fn takes(&self, kind: ColumnKind) -> bool {
        Points::takes(kind)
    }
    fn arity(&self) -> Arity {
        Arity::Some
    }
    fn is_declared_mercer(&self) -> bool {
        true
    }
    fn values(&self, arguments: &[(&'static Param, Term)], rows: &Dataset, columns: &Dataset) -> Result<Matrix> {
        let all = |data: &Dataset| Points::gather(data, &(0..data.columns().len()).collect::<Vec<_>>()).map(|p| p.into_owned());
        let (x, z) = (all(rows)?, all(columns)?);
        let (a, b, dim) = (x.to_dense(), z.to_dense(), x.dim());
        let mut values = Vec::new();
        for i in 0..x.rows() {
            for j in 0..z.rows() {
                values.push(self.value(arguments, &a[i * dim..(i + 1) * dim], &b[j * dim..(j + 1) * dim])?);
            }
        }
        Matrix::new(x.rows(), z.rows(), values)
    }
    fn diagonal(&self, _: &[(&'static Param, Term)], rows: &Dataset) -> Result<Vec<f64>> {
        Ok(vec![self.sign; rows.rows()])
    }
}

fn rows(count: usize) -> Dataset {
    Dataset::from_points(Points::dense(count, 1, (0..count).map(|i| i as f64 / 10.0).collect()).unwrap())
}

#[test]
fn a_function_stands_in_expressions_and_models_by_its_name() {
    register_function(Arc::new(Triangles { name: "triangles", sign: 1.0 })).unwrap();
    let (control, data) = (Control::default(), rows(30));
    let k = KernelExpr::parse("2*triangles(width=2) + linear").unwrap();
    assert_eq!(k.functions(), ["triangles"]);
    let values = gram::dense(k.bind(None, &data).unwrap().as_ref(), &control).unwrap();
    // By hand: 2 (1 - 1.5 / 2) + 1 * 2.5.
    assert!((values[(10, 25)] - 3.0).abs() < 1e-12);
    let y: Vec<f64> = (0..30).map(|i| (f64::from(i) / 5.0).sin()).collect();
    let target = Target::numbers(&y);
    let kernel = Some(KernelExpr::parse("normalise(triangles(width=0.5..20) + 1)").unwrap());
    let learner = Learner { kernel, ..Learner::new(EstimatorExpr::parse("ridge(lambda=0.01)").unwrap()) };
    let model = learner.fit(&data, &target, &mercer::data::TargetInfo::of(&target), None, &control).unwrap();
    let again: Model = store::from_bytes(&store::to_bytes(&model).unwrap(), "model").unwrap();
    let predict = |model: &Model| model.predict(&rows(3), Want::default(), &control).unwrap();
    assert_eq!(predict(&model), predict(&again));
    assert!(model.kernel.expr().values().iter().all(|p| p.value.is_settled()));
}

#[test]
fn what_it_refuses_and_what_it_does_not_is_an_error() {
    register_function(Arc::new(Triangles { name: "upside_down", sign: -1.0 })).unwrap();
    let (data, tight) = (rows(300), Control::default().with_memory(1_000_000));
    let bind = |text: &str, control: &Control| KernelExpr::parse(text).and_then(|k| k.bind_within(None, &data, control).map(|_| ()));
    assert!(bind("upside_down(width=-1)", &Control::default()).unwrap_err().to_string().contains("a width of -1"));
    // Values of 300 rows take 2.2 MB with what is held while they are made.
    let said = bind("upside_down", &tight).unwrap_err().to_string();
    assert!(said.contains("values of upside_down between 300 and 300 rows") && said.contains("nystroem(upside_down, rank=200)"), "{said}");
    // Declared, and refuted by its values.
    let y: Vec<f64> = (0..300).map(f64::from).collect();
    let target = Target::numbers(&y);
    let learner = Learner { kernel: KernelExpr::parse("upside_down").ok(), ..Learner::new(EstimatorExpr::parse("svr(c=1)").unwrap()) };
    let said = learner.fit(&data, &target, &mercer::data::TargetInfo::of(&target), None, &Control::default()).unwrap_err().to_string();
    assert!(said.contains("its author declares it positive semi-definite") && said.contains("has the eigenvalue -"), "{said}");
}

#[test]
fn a_name_may_be_given_again_to_another_function_and_not_to_a_kernel_of_the_list() {
    for sign in [1.0, 3.0] {
        register_function(Arc::new(Triangles { name: "again", sign })).unwrap();
        let k = KernelExpr::parse("again(width=1)").unwrap();
        assert_eq!(gram::dense(k.bind(None, &rows(1)).unwrap().as_ref(), &Control::default()).unwrap()[(0, 0)], sign);
    }
    assert!(register_function(Arc::new(Triangles { name: "rbf", sign: 1.0 })).is_err());
}
