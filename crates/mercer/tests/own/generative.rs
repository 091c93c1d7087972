//! Generative models from outside of the crate: what `generative::register` promises.

use mercer::control::Control;
use mercer::data::{Column, Dataset, Points, RowWeights, Values};
use mercer::error::{Error, Result};
use mercer::generative::{FittedDistribution, FreeParameter, GenerativeExpr, GenerativeModel, catalogue, register};
use mercer::gram;
use mercer::kernels::{FittedKernel, KernelExpr};
use mercer::linalg::Matrix;
use mercer::param::{Parameters, Value};
use mercer::testkit::{check_kernel_expr, check_model, check_model_expr, table};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};

/// Independent normal columns around the origin, with a variance s each: s = sum w (x - at)^2 / sum w.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Parameters)]
#[serde(deny_unknown_fields)]
struct Spreads {
    /// the mean of every column
    #[param(default = 0.0, domain = Real, search = 10.0)]
    at: Value,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Fit {
    at: f64,
    variances: Vec<f64>,
}

impl Fit {
    fn rows(&self, inputs: &Points, of: impl Fn(f64, f64) -> f64) -> Result<Matrix> {
        Error::unless_equal("numbers per row", self.variances.len(), inputs.dim())?;
        let all = inputs.to_dense();
        Matrix::new(
            inputs.rows(),
            inputs.dim(),
            all.iter().enumerate().map(|(k, x)| of(x - self.at, self.variances[k % inputs.dim()])).collect(),
        )
    }
}

impl GenerativeModel for Spreads {
    const NAME: &'static str = "spreads";
    const DOC: &'static str = "normal columns around a point that is known";
    const SOURCE: &'static str = "this test";
    type Inputs = Points;
    type Fitted = Fit;

    fn settle(&self, _: &Points, _: RowWeights<'_>) -> Self {
        Spreads { at: self.at.settle(0.0) }
    }
    fn free_parameters(&self, inputs: &Points) -> Option<usize> {
        Some(inputs.dim())
    }
    fn fit(&self, inputs: &Points, weights: RowWeights<'_>, _: u64, _: &Control) -> Result<Fit> {
        let (all, dim, at) = (inputs.to_dense(), inputs.dim(), self.at.number());
        let total = weights.total(inputs.rows());
        let variance = |j: usize| (0..inputs.rows()).map(|i| weights.at(i) * (all[i * dim + j] - at).powi(2)).sum::<f64>() / total;
        Ok(Fit { at, variances: (0..dim).map(variance).collect() })
    }
}

impl FittedDistribution for Fit {
    type Inputs = Points;

    fn parameters(&self) -> Vec<FreeParameter> {
        self.variances.iter().enumerate().map(|(j, &value)| FreeParameter { name: format!("variance[{}]", j + 1), value }).collect()
    }
    fn with_parameters(&self, values: &[f64]) -> Result<Self> {
        Error::unless_equal("variances", self.variances.len(), values.len())?;
        Ok(Fit { at: self.at, variances: values.to_vec() })
    }
    fn log_densities(&self, inputs: &Points) -> Result<Vec<f64>> {
        let terms = self.rows(inputs, |x, s| -0.5 * ((std::f64::consts::TAU * s).ln() + x * x / s))?;
        Ok((0..terms.rows()).map(|i| terms.row(i).iter().sum()).collect())
    }
    fn scores(&self, inputs: &Points) -> Result<Matrix> {
        self.rows(inputs, |x, s| 0.5 * (x * x / s - 1.0) / s)
    }
    fn information(&self) -> Option<Matrix> {
        Some(Matrix::from_fn(self.variances.len(), self.variances.len(), |i, j| if i == j { 0.5 / self.variances[i].powi(2) } else { 0.0 }))
    }
    /// By the method of Box and Muller.
    fn sample(&self, rows: usize, seed: u64) -> Result<Values> {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut normal = || (-2.0 * (1.0 - random.random::<f64>()).ln()).sqrt() * (std::f64::consts::TAU * random.random::<f64>()).cos();
        let values = (0..rows).flat_map(|_| self.variances.iter().map(|s| self.at + s.sqrt() * normal()).collect::<Vec<_>>()).collect();
        Points::dense(rows, self.variances.len(), values).map(Values::Points)
    }
    fn is_maximum_likelihood(&self) -> bool {
        true
    }
}

#[test]
fn a_model_of_ones_own_passes_the_kit_and_is_a_part_of_kernels() {
    check_model::<Spreads>().unwrap();
    register::<Spreads>().unwrap();
    assert_eq!(catalogue().iter().filter(|entry| entry.name == "spreads").count(), 1);
    check_model_expr(&GenerativeExpr::parse("spreads(at=-0.3)").unwrap(), &table(30, 2)).unwrap();
    for text in ["fisher(spreads)", "fisher(spreads(at=0.5), empirical)", "2*fisher(spreads(at=0..1), identity) + rbf"] {
        check_kernel_expr(&KernelExpr::parse(text).unwrap(), &table(40, 3)).unwrap_or_else(|why| panic!("{text}: {why}"));
    }
    let product = KernelExpr::parse("probability_product(spreads)").unwrap().bind(None, &table(5, 3)).err().unwrap().to_string();
    assert!(product.contains("no closed form of the integral of p^rho q^rho is known for this model"), "{product}");
    // (u^2 - 1)(v^2 - 1) / 2 of each column, u = x / s^(1/2), with s = (1 + 9 + 4) / 3.
    let x = [1.0, -3.0, 2.0];
    let data = Dataset::new(vec![Column { name: "x".into(), values: Values::Numbers(x.to_vec()) }]).unwrap();
    let kernel = KernelExpr::parse("fisher(spreads)").unwrap().learn(&data, None, &Control::default()).unwrap();
    let k = gram::dense(kernel.gram(&data, &Control::default()).unwrap().as_ref(), &Control::default()).unwrap();
    for (i, a) in x.iter().enumerate() {
        for (j, b) in x.iter().enumerate() {
            let expected = 0.5 * (a * a / (14.0 / 3.0) - 1.0) * (b * b / (14.0 / 3.0) - 1.0);
            assert!((k[(i, j)] - expected).abs() <= 1e-14);
        }
    }
    let json = serde_json::to_string(&kernel).unwrap();
    assert_eq!(serde_json::from_str::<FittedKernel>(&json).unwrap(), kernel);
    let unknown = serde_json::from_str::<FittedKernel>(&json.replace("\"spreads\"", "\"spraeds\"")).unwrap_err().to_string();
    assert!(unknown.contains("the generative model 'spraeds', which this program has not registered"), "{unknown}");
}

#[test]
fn a_name_that_is_taken_is_refused() {
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Parameters)]
    struct Taken {}
    impl GenerativeModel for Taken {
        const NAME: &'static str = "gaussian";
        const DOC: &'static str = "another";
        const SOURCE: &'static str = "this test";
        type Inputs = Points;
        type Fitted = Fit;
        fn free_parameters(&self, _: &Points) -> Option<usize> {
            None
        }
        fn fit(&self, inputs: &Points, weights: RowWeights<'_>, seed: u64, control: &Control) -> Result<Fit> {
            Spreads::default().fit(inputs, weights, seed, control)
        }
    }
    let refused = register::<Taken>().unwrap_err().to_string();
    assert!(refused.contains("Mercer has a generative model of this name"), "{refused}");
}
