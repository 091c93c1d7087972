//! The representer theorem and the recipe that follows from it: one expansion for every loss.

use crate::problem;

use mercer::control::Control;
use mercer::data::{Kind, Target};
use mercer::error::Result;
use mercer::estimators::{
    Answer, Costs, Estimator, Expansion, Fit, FitContext, Fitted, Gives, Needs, Predicted, Predictions, Query, Size, Summary, Svc, Svr,
    Task,
};
use mercer::gram;
use mercer::linalg::{Cholesky, Matrix, product, product_transposed};
use mercer::param::Parameters;
use mercer::read::TargetInfo;
use mercer::solve::Minimiser;
use problem::*;
use serde::{Deserialize, Serialize};

/// A loss that an author might plug in: of a target y and a value f.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
enum Loss {
    /// (y - f)^2 / 2
    #[default]
    Square,
    /// log(1 + exp(-y f)), y = +-1
    Logistic,
    /// Square up to 1/2, then a line.
    Huber,
    /// max(0, 1 - y f), y = +-1
    Hinge,
    /// max(0, |y - f| - 0.1)
    Tube,
}

const KNEE: f64 = 0.5;
const TUBE: f64 = 0.1;

impl Loss {
    fn value(self, y: f64, f: f64) -> f64 {
        let e = y - f;
        match self {
            Loss::Square => 0.5 * e * e,
            Loss::Logistic => (-y * f).max(0.0) + (-(y * f).abs()).exp().ln_1p(),
            Loss::Huber if e.abs() <= KNEE => 0.5 * e * e,
            Loss::Huber => KNEE * (e.abs() - 0.5 * KNEE),
            Loss::Hinge => (1.0 - y * f).max(0.0),
            Loss::Tube => (e.abs() - TUBE).max(0.0),
        }
    }

    /// The slopes in f: one number, or all between two at a kink (within `blur` of it).
    fn slopes(self, y: f64, f: f64, blur: f64) -> (f64, f64) {
        let e = y - f;
        let one = |s| (s, s);
        match self {
            Loss::Square => one(-e),
            Loss::Logistic => one(-y / (1.0 + (y * f).exp())),
            Loss::Huber => one(-e.clamp(-KNEE, KNEE)),
            Loss::Hinge if y * f < 1.0 - blur => one(-y),
            Loss::Hinge if y * f > 1.0 + blur => one(0.0),
            Loss::Hinge => ((-y).min(0.0), (-y).max(0.0)),
            Loss::Tube if e.abs() < TUBE - blur => one(0.0),
            Loss::Tube if e.abs() > TUBE + blur => one(-e.signum()),
            Loss::Tube => ((-e.signum()).min(0.0), (-e.signum()).max(0.0)),
        }
    }
}

/// An estimator as an author outside of the library writes it: representer, substitute, Gram, solve, predict.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Plugged {
    loss: Loss,
    lambda: f64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct FittedPlugged {
    expansion: Expansion,
    summary: Summary,
}

impl Parameters for Plugged {}

impl Estimator for Plugged {
    const NAME: &'static str = "plugged";
    const DOC: &'static str = "any smooth loss";
    const TAKES: &'static [Kind] = &[Kind::Numbers];
    type Fitted = FittedPlugged;

    fn gives(&self) -> Gives {
        Gives::VALUES
    }
    fn needs(&self) -> Needs {
        Needs::MercerKernel
    }

    fn costs(&self, size: Size) -> Costs {
        let n = size.rows as f64;
        Costs { bytes: 8 * (size.rows as u64).pow(2), values: n * n, fit: 2000.0 * n * n, ..Costs::default() }
    }
    fn start(&self, _: &str, _: &Task<'_>) -> Result<f64> {
        Ok(1.0)
    }
    /// min over a of sum_i loss(y_i, (K a)_i) + lambda/2 a'K a.
    fn fit_with(&self, task: &Task<'_>, _: &FitContext<'_, FittedPlugged>) -> Result<Fit<FittedPlugged>> {
        let k = gram::dense(task.gram()?, task.control)?;
        let y = task.target.as_numbers(Self::NAME)?;
        let n = y.rows();
        let solver = Minimiser { max_iterations: 2000, tolerance: 1e-12, decrease: 0.0, ..Minimiser::unbounded(n) };
        let mut objective = |a: &[f64]| -> Result<(f64, Vec<f64>)> {
            let f = product(&k, &Matrix::column(a.to_vec()))?;
            let value: f64 = (0..n).map(|i| self.loss.value(y[(i, 0)], f[(i, 0)]) + 0.5 * self.lambda * a[i] * f[(i, 0)]).sum();
            let inner = (0..n).map(|i| self.loss.slopes(y[(i, 0)], f[(i, 0)], 0.0).0 + self.lambda * a[i]).collect();
            Ok((value, product(&k, &Matrix::column(inner))?.into_data()))
        };
        let found = solver.minimise(&mut objective, &vec![0.0; n], task.control)?;
        let expansion = Expansion::new((0..n).collect(), Matrix::column(found.x), vec![0.0]);
        Ok(FittedPlugged { expansion, summary: Summary { converged: found.converged, ..Summary::default() } }.into())
    }
}

impl Fitted for FittedPlugged {
    fn support(&self) -> &[usize] {
        &self.expansion.support
    }
    fn predict(&self, query: &Query<'_>) -> Result<Predictions> {
        Ok(Predictions::of(Predicted::Numbers(self.expansion.predict(query.cross()?, query.control)?)))
    }
    fn summary(&self) -> &Summary {
        &self.summary
    }
    fn answer(&self, target: &TargetInfo) -> Result<Answer> {
        Answer::of_target(target, None)
    }
}

/// The minimum is known by its coefficients: lambda a_i is minus a slope of the loss of row i, and f = K a + b.
fn check(loss: Loss, expansion: &Expansion, lambda: f64, k: &Matrix, y: &Matrix, tolerance: f64) {
    let mut a = vec![0.0; y.rows()];
    for (s, &i) in expansion.support.iter().enumerate() {
        a[i] = expansion.coef[(s, 0)];
    }
    assert!(a.iter().any(|a| a.abs() > 0.01), "{loss:?}: nothing was learnt");
    for i in 0..y.rows() {
        let f: f64 = (0..y.rows()).map(|j| k[(i, j)] * a[j]).sum::<f64>() + expansion.bias[0];
        let (low, high) = loss.slopes(y[(i, 0)], f, 10.0 * tolerance);
        let found = -lambda * a[i];
        assert!(found >= low - tolerance && found <= high + tolerance, "{loss:?}, row {i}: {found} outside of {low}..{high}");
    }
}

// spec: F28
#[test]
fn one_expansion_serves_every_loss_and_its_coefficients_are_slopes_of_that_loss() {
    let x = Matrix::from_fn(24, 1, |i, _| i as f64 * 0.9);
    let (k, lambda) = (values(&x, &x, rbf), 0.4);
    let numbers = Matrix::from_fn(24, 1, |i, _| 1.5 * (i as f64).sin() + if i == 7 { 6.0 } else { 0.0 });
    let signs = Matrix::from_fn(24, 1, |i, _| if (i / 3 + i / 7) % 2 == 0 { 1.0 } else { -1.0 });
    for loss in [Loss::Square, Loss::Huber, Loss::Logistic] {
        let y = if loss == Loss::Logistic { &signs } else { &numbers };
        let fitted = fit(&Plugged { loss, lambda }, &square(&x, rbf), &Target::Numbers(y.clone()), None);
        check(loss, &fitted.expansion, lambda, &k, y, 1e-6);
        if loss == Loss::Square {
            let ridge = mercer::estimators::Ridge { lambda: lambda.into(), intercept: false, ..Default::default() };
            let ridge = fit(&ridge, &square(&x, rbf), &Target::Numbers(y.clone()), None);
            close(&fitted.expansion.coef, &ridge.expansion().coef, 1e-6);
            check(loss, ridge.expansion(), lambda, &k, y, 1e-10);
        }
    }
    // The two losses with kinks by the library's own estimators, c = 1 / lambda.
    let svc = Svc { c: (1.0 / lambda).into(), tolerance: 1e-9.into(), ..Svc::default() };
    let labels: Vec<&str> = signs.data().iter().map(|s| if *s > 0.0 { "plus" } else { "minus" }).collect();
    let target =
        Target::Classes { codes: labels.iter().map(|l| usize::from(*l == "plus")).collect(), names: vec!["minus".into(), "plus".into()] };
    check(Loss::Hinge, &fit(&svc, &square(&x, rbf), &target, None).expansion, lambda, &k, &signs, 1e-7);
    let svr = Svr { c: (1.0 / lambda).into(), epsilon: TUBE.into(), tolerance: 1e-9.into(), standardise_target: false, ..Svr::default() };
    check(Loss::Tube, &fit(&svr, &square(&x, rbf), &Target::Numbers(numbers.clone()), None).expansion, lambda, &k, &numbers, 1e-7);
}

// spec: S02
#[test]
fn the_square_loss_gives_ridge_regression_and_the_log_loss_logistic_regression() {
    let (x, lambda, control) = (wave(24, 3, 41), 0.4, Control::default());
    let numbers = Matrix::from_fn(24, 1, |i, _| x[(i, 0)] - 0.5 * x[(i, 2)] + 0.3 * (5.0 * i as f64).sin());
    let signs = Matrix::from_fn(24, 1, |i, _| if numbers[(i, 0)] > 0.1 * (i as f64).cos() { 1.0 } else { -1.0 });
    let ridge = mercer::estimators::Ridge { lambda: lambda.into(), intercept: false, ..Default::default() };
    let logistic = mercer::estimators::Logistic { lambda: lambda.into(), intercept: false, ..Default::default() };
    let codes: Vec<usize> = signs.data().iter().map(|s| usize::from(*s > 0.0)).collect();
    let target = Target::Classes { codes, names: vec!["minus".into(), "plus".into()] };
    for (kernel, of_columns) in [(linear as Kernel, true), (rbf as Kernel, false)] {
        let (k, gram) = (values(&x, &x, kernel), square(&x, kernel));
        // f on the rows themselves: of a linear kernel of 3 columns many coefficients give the same.
        let f = |e: &Expansion| {
            let coef = Matrix::from_fn(24, 1, |i, _| e.support.binary_search(&i).map_or(0.0, |s| e.coef[(s, 0)]));
            product(&k, &coef).unwrap()
        };
        let by_ridge = f(fit(&ridge, &gram, &Target::Numbers(numbers.clone()), None).expansion());
        let by_logistic = f(fit(&logistic, &gram, &target, None).expansion());
        close(&f(&fit(&Plugged { loss: Loss::Square, lambda }, &gram, &Target::Numbers(numbers.clone()), None).expansion), &by_ridge, 1e-6);
        close(
            &f(&fit(&Plugged { loss: Loss::Logistic, lambda }, &gram, &Target::Numbers(signs.clone()), None).expansion),
            &by_logistic,
            1e-6,
        );
        if of_columns {
            // Ridge regression of the columns, (X'X + lambda I)^-1 X'y; and of the log loss lambda w = sum_i t_i x_i / (1 + exp(t_i f_i)).
            let mut normal = product(&x.transpose(), &x).unwrap();
            normal.add_to_diagonal(&[lambda]);
            let w = Cholesky::new(normal, &control).unwrap().solve(&product(&x.transpose(), &numbers).unwrap(), &control).unwrap();
            close(&by_ridge, &product(&x, &w).unwrap(), 1e-10);
            let slopes = Matrix::from_fn(24, 1, |i, _| signs[(i, 0)] / (1.0 + (signs[(i, 0)] * by_logistic[(i, 0)]).exp()) / lambda);
            close(&by_logistic, &product(&x, &product(&x.transpose(), &slopes).unwrap()).unwrap(), 1e-8);
        }
    }
}

/// What is left of w after projection onto the rows of X.
fn outside(x: &Matrix, w: &Matrix) -> Matrix {
    let inner = product(x, w).unwrap();
    let onto = Cholesky::new(product_transposed(x, x).unwrap(), &Control::default()).unwrap().solve(&inner, &Control::default()).unwrap();
    let inside = product(&x.transpose(), &onto).unwrap();
    Matrix::from_fn(w.rows(), 1, |j, _| w[(j, 0)] - inside[(j, 0)])
}

fn signs(n: usize) -> Matrix {
    Matrix::from_fn(n, 1, |i, _| if i % 2 == 0 { 1.0 } else { -1.0 })
}

// spec: F27
#[test]
fn the_primal_optimum_of_the_logistic_loss_lies_in_the_span_of_the_rows() {
    // No estimator yet: the problem itself, minimised over all weights in R^12 from a start outside of the span.
    let (x, t, lambda) = (wave(5, 12, 31), signs(5), 0.3);
    let start = wave(12, 1, 32);
    assert!(outside(&x, &start).data().iter().any(|v| v.abs() > 0.1));
    let solver = Minimiser { max_iterations: 2000, tolerance: 1e-11, decrease: 0.0, ..Minimiser::unbounded(12) };
    let mut objective = |w: &[f64]| -> Result<(f64, Vec<f64>)> {
        let (mut value, mut slope) = (0.0, w.iter().map(|w| lambda * w).collect::<Vec<_>>());
        value += 0.5 * lambda * w.iter().map(|w| w * w).sum::<f64>();
        for i in 0..5 {
            let f = linear(x.row(i), w);
            value += Loss::Logistic.value(t[(i, 0)], f);
            let s = Loss::Logistic.slopes(t[(i, 0)], f, 0.0).0;
            slope.iter_mut().zip(x.row(i)).for_each(|(g, x)| *g += s * x);
        }
        Ok((value, slope))
    };
    let found = solver.minimise(&mut objective, start.data(), &Control::default()).unwrap();
    assert!(found.gradient_norm <= 1e-9);
    close(&outside(&x, &Matrix::column(found.x)), &Matrix::zeros(12, 1), 1e-8);
}

// spec: F27
#[test]
fn the_primal_optimum_of_the_hinge_loss_lies_in_the_span_of_the_rows() {
    let (n, d, c) = (5, 12, 2.0);
    let (x, t) = (wave(n, d, 33), signs(n));
    let target =
        Target::Classes { codes: t.data().iter().map(|t| usize::from(*t > 0.0)).collect(), names: vec!["minus".into(), "plus".into()] };
    let svc = Svc { c: c.into(), tolerance: 1e-10.into(), ..Svc::default() };
    let fitted = fit(&svc, &square(&x, linear), &target, None);
    let e = &fitted.expansion;
    let w = product(&x.select_rows(&e.support).transpose(), &e.coef).unwrap();
    let primal = |w: &Matrix| {
        let loss: f64 = (0..n).map(|i| Loss::Hinge.value(t[(i, 0)], linear(x.row(i), w.data()) + e.bias[0])).sum();
        c * loss + 0.5 * linear(w.data(), w.data())
    };
    // Any dual value bounds the primal from below for weights anywhere in R^12: met, w is the optimum, and it is the
    // only one because the norm is strictly convex.
    let dual = e.coef.data().iter().map(|a| a.abs()).sum::<f64>() - 0.5 * linear(w.data(), w.data());
    assert!((primal(&w) - dual).abs() <= 1e-8, "{} and {dual}", primal(&w));
    close(&outside(&x, &w), &Matrix::zeros(d, 1), 1e-10);
    // A step out of the span changes no value of f and costs half its squared length.
    let step = outside(&x, &wave(d, 1, 34));
    let moved = Matrix::from_fn(d, 1, |j, _| w[(j, 0)] + step[(j, 0)]);
    let cost = primal(&moved) - primal(&w);
    assert!((cost - 0.5 * linear(step.data(), step.data())).abs() <= 1e-9 && cost > 0.01);
}
