//! Runs one workload of `bench/` on arrays in files, once per line read from standard input, and says how long it took.
//!
//! `mercer-bench gram|gram_lower|gram_f32|gram_rows FOLDER KERNEL` or `... evidence|path|fit FOLDER KERNEL ESTIMATOR`: reads
//! `x.npy` (or `indptr.npy`, `indices.npy`, `data.npy` of a square sparse matrix), `y.npy`, `xt.npy` in FOLDER; each line of input starts a run, each run answers with one line of JSON, and what
//! it computed lies in `FOLDER/mercer_*.npy`. The runner takes turns between this program and other libraries.

mod blocks;
mod npy;

use mercer::control::Control;
use mercer::data::{Dataset, Points, Target};
use mercer::data::{Examples, Split};
use mercer::error::{Error, Result};
use mercer::estimators::{EstimatorExpr, Fitted, FittedModel, Predicted, Predictions, Task, View, Want};
use mercer::fitting;
use mercer::gram::{self, Gram};
use mercer::kernels::KernelExpr;
use mercer::linalg::Matrix;
use mercer::select;
use npy::{read_npy, write_npy};
use serde_json::{Map, Value, json};
use std::io::BufRead;
use std::path::{Path, PathBuf};
use std::time::Instant;

fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [kind, folder, kernel, rest @ ..] = args.as_slice() else {
        return Err(Error::Data(
            "usage: mercer-bench gram|gram_lower|gram_f32|gram_rows|evidence|path|fit FOLDER KERNEL [ESTIMATOR]".into(),
        ));
    };
    let estimator = rest.first().map(|text| EstimatorExpr::parse(text)).transpose()?;
    let work = Work::read(PathBuf::from(folder), KernelExpr::parse(kernel)?, estimator)?;
    for line in std::io::stdin().lock().lines() {
        line.map_err(|e| Error::io("standard input", e))?;
        let answer = match kind.as_str() {
            "gram" => work.gram(),
            "gram_lower" => work.row_sums(blocks::lower),
            "gram_f32" => work.row_sums(blocks::single),
            "gram_rows" => work.row_sums(|gram| blocks::rows(gram, ROWS)),
            "evidence" => work.evidence(),
            "path" => work.path(),
            "fit" => work.fit(),
            other => Err(Error::Data(format!("there is no kind of work named {other}"))),
        }?;
        println!("{}", Value::Object(answer));
    }
    Ok(())
}

/// Rows of a large Gram matrix that are asked for.
const ROWS: usize = 2000;

/// Arrays and expressions.
struct Work {
    folder: PathBuf,
    kernel: KernelExpr,
    estimator: Option<EstimatorExpr>,
    data: Dataset,
    target: Target,
    new: Option<Dataset>,
    control: Control,
}

impl Work {
    fn read(folder: PathBuf, kernel: KernelExpr, estimator: Option<EstimatorExpr>) -> Result<Self> {
        let data = if folder.join("x.npy").exists() { points(read_npy(&folder.join("x.npy"))?)? } else { sparse(&folder)? };
        let file = folder.join("y.npy");
        let target = if file.exists() { Target::Numbers(read_npy(&file)?) } else { Target::Absent { rows: data.rows() } };
        let target = match (&estimator, target) {
            (Some(EstimatorExpr::Svc(_)), Target::Numbers(y)) => {
                let mut values = y.data().to_vec();
                values.sort_by(f64::total_cmp);
                values.dedup();
                let codes = y.data().iter().map(|v| values.partition_point(|w| w < v)).collect();
                Target::Classes { codes, names: values.iter().map(f64::to_string).collect() }
            }
            (_, target) => target,
        };
        let file = folder.join("xt.npy");
        let new = if file.exists() { Some(points(read_npy(&file)?)?) } else { None };
        Ok(Work { folder, kernel, estimator, data, target, new, control: Control::default().with_buffer_pool() })
    }

    fn estimator(&self) -> Result<&EstimatorExpr> {
        self.estimator.as_ref().ok_or_else(|| Error::Data("this kind of work needs an estimator".into()))
    }

    fn write(&self, what: &str, values: &Matrix) -> Result<()> {
        write_npy(&self.folder.join(format!("mercer_{what}.npy")), values)
    }

    /// The whole Gram matrix of the rows; afterwards the sums of its rows are written.
    fn gram(&self) -> Result<Map<String, Value>> {
        let clock = Instant::now();
        let matrix = gram::dense(self.kernel.bind_within(None, &self.data, &self.control)?.as_ref(), &self.control)?;
        let seconds = clock.elapsed().as_secs_f64();
        self.write("predictions", &Matrix::column((0..matrix.rows()).map(|i| matrix.row(i).iter().sum()).collect()))?;
        Ok(entries([("seconds", json!(seconds))]))
    }

    /// Gram values that a user of rows or blocks asks for, into memory that is kept for the next run; `work` gives seconds
    /// and sums.
    fn row_sums(&self, work: impl FnOnce(&dyn Gram) -> Result<(f64, Vec<f64>)>) -> Result<Map<String, Value>> {
        let bound = self.kernel.bind_within(None, &self.data, &self.control)?;
        let (seconds, sums) = work(bound.as_ref())?;
        self.write("predictions", &Matrix::column(sums))?;
        Ok(entries([("seconds", json!(seconds))]))
    }

    /// The leave-one-out error for 200 lambdas from 1e-6 to 1e3; one fit for comparison.
    fn path(&self) -> Result<Map<String, Value>> {
        let lambdas: Vec<f64> = (0..200).map(|k| 10f64.powf(-6.0 + 9.0 * f64::from(k) / 199.0)).collect();
        let bound = self.kernel.bind_within(None, &self.data, &self.control)?;
        let task = Task { view: View::Values(bound.as_ref()), target: &self.target, weights: None, control: &self.control, seed: 0 };
        let clock = Instant::now();
        let path = self.estimator()?.criterion_along("lambda", &lambdas, &task)?.unwrap_or_default();
        let seconds = clock.elapsed().as_secs_f64();
        let clock = Instant::now();
        self.estimator()?.fit(&task)?;
        let fit = clock.elapsed().as_secs_f64();
        self.write("predictions", &Matrix::column(path.iter().map(|v| v.exp()).collect()))?;
        Ok(entries([("seconds", json!(seconds)), ("one_fit_seconds", json!(fit))]))
    }

    /// The smooth criterion of an estimator and its derivatives by every parameter of kernel and estimator.
    fn evidence(&self) -> Result<Map<String, Value>> {
        let clock = Instant::now();
        let bound = self.kernel.bind_within(None, &self.data, &self.control)?;
        let task = Task { view: View::Values(bound.as_ref()), target: &self.target, weights: None, control: &self.control, seed: 0 };
        let criterion = self.estimator()?.criterion(&task)?;
        let mut gradient = bound.gradient(&criterion.weights, &self.control)?;
        let seconds = clock.elapsed().as_secs_f64();
        self.control.keep(criterion.weights.into_data());
        gradient.extend(criterion.own.iter().map(|(_, slope)| slope));
        self.write("gradient", &Matrix::column(gradient))?;
        Ok(entries([("seconds", json!(seconds)), ("log_evidence", json!(-criterion.value))]))
    }

    /// Settles what is open, fits, predicts the new rows.
    fn fit(&self) -> Result<Map<String, Value>> {
        let examples = Examples { data: &self.data, target: &self.target, weights: None, split: &Split::Rows };
        let clock = Instant::now();
        let tuned = select::tune(&self.kernel, self.estimator()?, &examples, &self.control, 0, false)?;
        let (kernel, fitted) = fitting::fit_settled(&tuned.kernel, &tuned.estimator, &examples, &self.control, 0)?;
        let seconds = clock.elapsed().as_secs_f64();
        let mut out = entries([("seconds", json!(seconds)), ("converged", json!(fitted.summary().converged))]);
        let summary = fitted.summary();
        let optional = [
            ("log_evidence", summary.evidence.map(|v| json!(v))),
            ("evaluations", tuned.tuning.as_ref().map(|t| json!(t.evaluations))),
            ("gap", summary.certificate.as_ref().map(|c| json!(c.value))),
        ];
        out.extend(optional.into_iter().filter_map(|(name, v)| Some((name.to_owned(), v?))));
        if let FittedModel::Svc(model) = &fitted {
            let mut coef = Matrix::zeros(self.data.rows(), 1);
            for (k, &i) in model.expansion.support.iter().enumerate() {
                coef[(i, 0)] = model.expansion.coef[(k, 0)];
            }
            self.write("coef", &coef)?;
        }
        if let Some(new) = &self.new {
            let support = fitting::support_of(&kernel, &fitted, &self.data);
            let want = Want { variance: matches!(fitted, FittedModel::Gp(_)), ..Want::default() };
            let clock = Instant::now();
            let predictions = fitting::predict_settled(&kernel, &fitted, &support, new, want, &self.control)?;
            out.insert("predict_seconds".into(), json!(clock.elapsed().as_secs_f64()));
            self.write_predictions(&predictions)?;
        }
        Ok(out)
    }

    fn write_predictions(&self, predictions: &Predictions) -> Result<()> {
        match &predictions.values {
            Predicted::Numbers(values) => self.write("predictions", values)?,
            Predicted::Classes(codes) => {
                self.write("predictions", &Matrix::column(codes.iter().map(|&k| if k == 1 { 1.0 } else { -1.0 }).collect()))?;
            }
        }
        if let (Some(variance), Some(noise)) = (&predictions.variance, &predictions.noise) {
            self.write("variance", &Matrix::column(variance.data().iter().map(|v| v + noise[0]).collect()))?;
        }
        Ok(())
    }
}

fn entries<const N: usize>(list: [(&str, Value); N]) -> Map<String, Value> {
    list.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

fn points(values: Matrix) -> Result<Dataset> {
    let (rows, dim) = (values.rows(), values.cols());
    Ok(Dataset::from_points(Points::dense(rows, dim, values.into_data())?))
}

fn sparse(folder: &Path) -> Result<Dataset> {
    let part = |name: &str| read_npy(&folder.join(format!("{name}.npy"))).map(Matrix::into_data);
    let starts: Vec<usize> = part("indptr")?.iter().map(|v| *v as usize).collect();
    let columns = part("indices")?.iter().map(|v| *v as u32).collect();
    let size = starts.len() - 1;
    Ok(Dataset::from_points(Points::csr(size, size, starts, columns, part("data")?)?))
}
