//! An engine of another crate: plain loops over the points of named formulas, and the CPU for the rest.

use mercer::control::Control;
use mercer::data::{Dataset, Points, Target, TargetInfo};
use mercer::error::Result;
use mercer::estimators::{EstimatorExpr, Predicted, Want};
use mercer::gram::{
    self, Cpu, Engine, Gram, Kernel, Map, MapFormula, Mercer, PointFormula, PointStatistic, Precision, PreparedPoints, Subset, Tile,
};
use mercer::kernels::{KernelExpr, catalogue, register};
use mercer::learner::Learner;
use mercer::linalg::{Matrix, Real};
use mercer::param::Parameters;
use mercer::testkit::table;
use serde::{Deserialize, Serialize};
use std::sync::atomic::{AtomicUsize, Ordering};

type Function = fn(f64, &[f64]) -> f64;

/// The formulas by name, written anew from their documentation.
const FORMULAS: &[(&str, Function)] = &[
    ("identity", |x, _| x),
    ("gaussian", |s, _| (-s / 2.0).exp()),
    ("exponential_decay", |d, _| (-d).exp()),
    ("polynomial", |x, n| (n[1] * x + n[2]).powf(n[0])),
    ("tanh", |x, n| (n[0] * x + n[1]).tanh()),
    ("rational_quadratic", |s, n| (1.0 + s / (2.0 * n[0])).powf(-n[1])),
    ("negative_power", |s, n| -s.powf(n[0])),
    // Rasmussen & Williams (2006), (4.17).
    ("matern", |s, n| {
        let t = (2.0 * n[0] * s).sqrt();
        let polynomial = if n[0] == 0.5 { 1.0 } else { 1.0 + t + if n[0] == 2.5 { t * t / 3.0 } else { 0.0 } };
        polynomial * (-t).exp()
    }),
];

/// A kernel value from (x.z, x.x, z.z) and parameters.
type OfNorms = fn([f64; 3], &[f64]) -> f64;

/// Formulas of x . z, |x|^2 and |z|^2.
const WITH_NORMS: &[(&str, OfNorms)] = &[
    // Rasmussen & Williams (2006), (4.29).
    ("arcsine", |[dot, x, z], n| {
        let [c, a, b] = [dot, x, z].map(|v| n[1] + n[0] * v);
        std::f64::consts::FRAC_2_PI * (2.0 * c / ((1.0 + 2.0 * a) * (1.0 + 2.0 * b)).sqrt()).asin()
    }),
    // Cho & Saul (2009), (6) and (11).
    ("arc_cosine", |[dot, x, z], n| {
        let ([mut c, mut a, mut b], pi) = ([dot, x, z], std::f64::consts::PI);
        for _ in 0..n[1] as usize {
            let cosine = (c / (a * b).sqrt()).clamp(-1.0, 1.0);
            let (t, sine) = (cosine.acos(), (1.0 - cosine * cosine).sqrt());
            let (j, own) = match n[0] as usize {
                0 => (pi - t, 1.0),
                1 => (sine + (pi - t) * cosine, 1.0),
                _ => (3.0 * sine * cosine + (pi - t) * (1.0 + 2.0 * cosine * cosine), 3.0),
            };
            c = (a * b).powf(n[0] / 2.0) * j / pi;
            [a, b] = [a, b].map(|v| own * v.powf(n[0]));
        }
        c
    }),
];

struct Plain {
    formulas: &'static [(&'static str, Function)],
    /// Dense matrices and products computed here.
    computed: [AtomicUsize; 2],
}

impl Plain {
    const fn new(formulas: &'static [(&'static str, Function)]) -> Self {
        Plain { formulas, computed: [AtomicUsize::new(0), AtomicUsize::new(0)] }
    }
    fn knows(&self, of: &PointFormula<'_>) -> bool {
        match of {
            PointFormula::Map { statistic: PointStatistic::InnerProductAndNorms, map, .. } => {
                WITH_NORMS.iter().any(|(name, _)| *name == map.name)
            }
            PointFormula::Map { map, .. } => {
                let order = map.name != "matern" || [0.5, 1.5, 2.5].contains(&map.numbers[0]);
                order && self.formulas.iter().any(|(name, _)| *name == map.name)
            }
            PointFormula::Scaled(_, part) | PointFormula::Selected { of: part, .. } => self.knows(part),
            PointFormula::Sum(parts) | PointFormula::Product(parts) => parts.iter().all(|part| self.knows(part)),
            _ => false,
        }
    }
    fn value(&self, of: &PointFormula<'_>, i: usize, j: usize) -> f64 {
        match of {
            PointFormula::Map { statistic, map, rows, cols } => {
                let spread = |points: &PreparedPoints, i| {
                    let mut x = vec![0.0; points.dim()];
                    points.each(i).for_each(|(column, value)| x[column] = value);
                    x
                };
                let (x, z) = (spread(rows, i), spread(cols, j));
                let dot = |x: &[f64], z: &[f64]| x.iter().zip(z).map(|(x, z)| x * z).sum::<f64>();
                let pairs = x.iter().zip(&z);
                let of_points: f64 = match statistic {
                    PointStatistic::InnerProduct => dot(&x, &z),
                    PointStatistic::SquaredDistance => pairs.map(|(x, z)| (x - z) * (x - z)).sum(),
                    PointStatistic::L1Distance => pairs.map(|(x, z)| (x - z).abs()).sum(),
                    PointStatistic::InnerProductAndNorms => {
                        let found = WITH_NORMS.iter().find(|(name, _)| *name == map.name);
                        return found.map_or(f64::NAN, |(_, f)| f([dot(&x, &z), dot(&x, &x), dot(&z, &z)], &map.numbers));
                    }
                };
                let found = self.formulas.iter().find(|(name, _)| *name == map.name);
                found.map_or(f64::NAN, |(_, function)| function(of_points, &map.numbers))
            }
            PointFormula::Scaled(by, part) => by * self.value(part, i, j),
            PointFormula::Sum(parts) => parts.iter().map(|part| self.value(part, i, j)).sum(),
            PointFormula::Product(parts) => parts.iter().map(|part| self.value(part, i, j)).product(),
            PointFormula::Selected { rows, cols, of } => self.value(of, rows[i], cols[j]),
            _ => unreachable!("not known"),
        }
    }
    /// The matrix, where its formula is known.
    fn matrix(&self, gram: &dyn Gram, which: usize) -> Option<Matrix> {
        let formula = gram.structure().point_formula().filter(|formula| self.knows(formula))?;
        self.computed[which].fetch_add(1, Ordering::Relaxed);
        let (m, n) = gram.shape();
        Some(Matrix::from_fn(m, n, |i, j| self.value(&formula, i, j)))
    }
}

impl Engine for Plain {
    fn dense(&self, gram: &dyn Gram, control: &Control) -> Result<Matrix> {
        self.matrix(gram, 0).map_or_else(|| Cpu.dense(gram, control), Ok)
    }
    fn apply(&self, gram: &dyn Gram, coef: &Matrix, precision: Precision, control: &Control) -> Result<Matrix> {
        let Some(k) = self.matrix(gram, 1) else { return Cpu.apply(gram, coef, precision, control) };
        let at = |i: usize, o: usize| (0..k.cols()).map(|j| k[(i, j)] * coef[(j, o)]).sum();
        Ok(Matrix::from_fn(k.rows(), coef.cols(), at))
    }
}

fn assert_close(a: &Matrix, b: &Matrix, what: &str) {
    assert_eq!((a.rows(), a.cols()), (b.rows(), b.cols()));
    for (a, b) in a.data().iter().zip(b.data()) {
        assert!((a - b).abs() <= 1e-12 * b.abs().max(1.0), "{what}: {a} and {b}");
    }
}

/// Whether the engine computes both by itself, and as the CPU does.
fn agrees(kernel: &KernelExpr, data: &Dataset, new: &Dataset) -> Result<bool> {
    let (plain, control) = (Plain::new(FORMULAS), Control::default());
    let settled = kernel.settle(data)?;
    let (among, cross) = (settled.bind(None, data)?, settled.bind(Some(new), data)?);
    let some = Subset::new(among.as_ref(), &[7, 3, 11], &[2, 9]);
    for gram in [among.as_ref() as &dyn Gram, cross.as_ref(), &some] {
        let coef = Matrix::from_fn(gram.shape().1, 2, |j, o| (j as f64 + o as f64).sin());
        assert_close(&plain.dense(gram, &control)?, &gram::dense(gram, &control)?, &kernel.to_string());
        let product = plain.apply(gram, &coef, Precision::Double, &control)?;
        assert_close(&product, &gram::apply(gram, &coef, &control)?, &kernel.to_string());
    }
    let computed = plain.computed.map(AtomicUsize::into_inner);
    assert!(computed == [3, 3] || computed == [0, 0], "{kernel}: {computed:?}");
    Ok(computed == [3, 3])
}

#[test]
fn an_engine_computes_formulas_of_points_as_the_cpu_does() {
    let (data, new) = (table(24, 5), table(9, 6));
    for text in [
        "linear",
        "rbf",
        "rbf(length_scale=[0.5, 2, inf])",
        "matern(nu=0.5)",
        "matern(nu=1.5)",
        "matern(nu=2.5)",
        "rational_quadratic",
        "polynomial",
        "sigmoid",
        "laplacian",
        "periodic",
        "mahalanobis",
        "negative_distance",
        "negative_distance(power=1)",
        "negative_distance(power=0.7)",
        "arcsine(weight_variance=0.7)",
        "arc_cosine",
        "arc_cosine(order=2, depth=2)",
        "on(a, rbf) + 2*(matern * polynomial)",
        "-0.5*rbf",
    ] {
        assert!(agrees(&KernelExpr::parse(text).unwrap(), &data, &new).unwrap(), "{text}");
    }
}

#[test]
fn an_engine_leaves_to_the_cpu_what_it_does_not_know() {
    let (data, new) = (table(24, 5), table(9, 6));
    for text in ["on(seq, spectrum(k=2))", "matern(nu=0.8)", "normalise(polynomial)", "rbf + on(seq, spectrum(k=2))"] {
        assert!(!agrees(&KernelExpr::parse(text).unwrap(), &data, &new).unwrap(), "{text}");
    }
}

#[test]
fn no_kernel_of_the_list_gives_a_formula_that_its_tiles_do_not_have() {
    let (data, new) = (table(24, 5), table(9, 6));
    for entry in catalogue() {
        let Ok(kernel) = KernelExpr::parse(entry.name) else { continue };
        if kernel.settle(&data).and_then(|settled| settled.bind(None, &data).map(|_| ())).is_ok() {
            agrees(&kernel, &data, &new).unwrap();
        }
    }
}

/// k(x, z) = 1 / (1 + |x - z|^2).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Parameters)]
#[serde(deny_unknown_fields)]
struct InverseQuadratic {}

#[derive(Clone, Copy)]
struct Reciprocal;

impl Map for Reciprocal {
    #[inline(always)]
    fn at<T: Real, const FMA: bool>(self, s: T) -> T {
        T::from_f64(1.0) / (T::from_f64(1.0) + s)
    }
    fn formula(self) -> Option<MapFormula> {
        Some(MapFormula::new("reciprocal", &[]))
    }
}

impl Kernel for InverseQuadratic {
    const NAME: &'static str = "inverse_quadratic";
    const DOC: &'static str = "1 / (1 + |x - z|^2)";
    const SOURCE: &'static str = "rational_quadratic with alpha = 1 and 2 length_scale^2 = 1";
    const BECAUSE: &'static str = "a mixture of rbf kernels";
    type Inputs = Points;
    type Learnt = ();
    type Prepared = PreparedPoints;

    fn prepare(&self, (): &(), inputs: &Points, like: Option<&PreparedPoints>, _: &Control) -> Result<PreparedPoints> {
        Ok(PreparedPoints::scaled(inputs, &[1.0], like))
    }
    fn fill<T: Real>(&self, tile: Tile<'_, PreparedPoints, T>) {
        tile.from_sqdist(Reciprocal);
    }
    fn point_formula<'p>(&self, rows: &'p PreparedPoints, cols: &'p PreparedPoints) -> Option<PointFormula<'p>> {
        PointFormula::of_sqdist(Reciprocal, rows, cols)
    }
    fn diagonal(&self, x: &PreparedPoints) -> Vec<f64> {
        vec![1.0; x.rows()]
    }
    fn mercer(&self) -> Mercer {
        Mercer::Always
    }
}

/// Knows one formula, so that the other tests of this program stay with the CPU.
static ENGINE: Plain = Plain::new(&[("reciprocal", |s, _| 1.0 / (1.0 + s))]);

#[test]
fn fits_and_predictions_go_to_the_engine_that_is_installed() {
    register::<InverseQuadratic>().unwrap();
    gram::install_engine(&ENGINE).unwrap();
    assert!(gram::install_engine(&ENGINE).unwrap_err().to_string().contains("installed already"));
    let control = Control::default();
    let points = Points::dense(40, 1, (0..40).map(|i| f64::from(i) / 8.0).collect()).unwrap();
    let data = Dataset::from_points(points);
    let target = Target::Numbers(Matrix::column((0..40).map(|i| (f64::from(i) / 5.0).sin()).collect()));
    let info = TargetInfo { names: vec!["y".into()], classes: None, labels: Default::default() };
    let [own, listed] = ["inverse_quadratic", "rational_quadratic(alpha=1, length_scale=0.7071067811865476)"].map(|kernel| {
        let kernel = Some(KernelExpr::parse(kernel).unwrap());
        let learner = Learner { kernel, ..Learner::new(EstimatorExpr::parse("ridge(lambda=0.1)").unwrap()) };
        let model = learner.fit(&data, &target, &info, None, &control).unwrap();
        match model.predict(&data, Want::default(), &control).unwrap().values {
            Predicted::Numbers(values) => values,
            Predicted::Classes(_) => panic!("numbers"),
        }
    });
    assert_close(&own, &listed, "ridge");
    let computed = [0, 1].map(|which| ENGINE.computed[which].load(Ordering::Relaxed));
    assert!(computed.iter().all(|count| *count > 0), "{computed:?}");
}
