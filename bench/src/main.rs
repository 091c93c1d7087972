//! Runs one workload of `bench/` on arrays in files, once per line read from standard input, and says how long it took.
//!
//! `mercer-bench gram FOLDER KERNEL`, `... evidence FOLDER KERNEL ESTIMATOR` or `... fit FOLDER KERNEL ESTIMATOR`: reads
//! `x.npy`, `y.npy`, `xt.npy` in FOLDER; each line of input starts a run, each run answers with one line of JSON, and what
//! it computed lies in `FOLDER/mercer_*.npy`. The runner takes turns between this program and other libraries.

use mercer::control::Control;
use mercer::data::{Dataset, Points, Target};
use mercer::error::{Error, Result};
use mercer::estimators::{EstimatorExpr, Fitted, FittedModel, Predicted, Predictions, Task, Want};
use mercer::gram;
use mercer::kernels::KernelExpr;
use mercer::learner;
use mercer::linalg::Matrix;
use mercer::select::{self, Sample};
use serde_json::{Map, Value, json};
use std::io::BufRead;
use std::path::{Path, PathBuf};
use std::time::Instant;

fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [kind, folder, kernel, rest @ ..] = args.as_slice() else {
        return Err(Error::Data("usage: mercer-bench gram|evidence|fit FOLDER KERNEL [ESTIMATOR]".into()));
    };
    let estimator = rest.first().map(|text| EstimatorExpr::parse(text)).transpose()?;
    let work = Work::read(PathBuf::from(folder), KernelExpr::parse(kernel)?, estimator)?;
    for line in std::io::stdin().lock().lines() {
        line.map_err(|e| Error::io("standard input", e))?;
        let answer = match kind.as_str() {
            "gram" => work.gram(),
            "evidence" => work.evidence(),
            "fit" => work.fit(),
            other => Err(Error::Data(format!("there is no kind of work named {other}"))),
        }?;
        println!("{}", Value::Object(answer));
    }
    Ok(())
}

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
        let data = points(read_npy(&folder.join("x.npy"))?)?;
        let file = folder.join("y.npy");
        let target = if file.exists() { Target::Numbers(read_npy(&file)?) } else { Target::Absent };
        let target = match (&estimator, target) {
            (Some(EstimatorExpr::Svc(_)), Target::Numbers(y)) => {
                Target::Classes { codes: y.data().iter().map(|&v| usize::from(v > 0.0)).collect(), names: vec!["-1".into(), "1".into()] }
            }
            (_, target) => target,
        };
        let file = folder.join("xt.npy");
        let new = if file.exists() { Some(points(read_npy(&file)?)?) } else { None };
        Ok(Work { folder, kernel, estimator, data, target, new, control: Control::default() })
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
        let matrix = gram::dense(self.kernel.bind(None, &self.data)?.as_ref(), &self.control)?;
        let seconds = clock.elapsed().as_secs_f64();
        self.write("predictions", &Matrix::column((0..matrix.rows()).map(|i| matrix.row(i).iter().sum()).collect()))?;
        Ok(entries([("seconds", json!(seconds))]))
    }

    /// The smooth criterion of an estimator and its derivatives by every parameter of kernel and estimator.
    fn evidence(&self) -> Result<Map<String, Value>> {
        let clock = Instant::now();
        let bound = self.kernel.bind(None, &self.data)?;
        let task = Task { gram: bound.as_ref(), target: &self.target, weights: None, control: &self.control, seed: 0 };
        let criterion = self.estimator()?.criterion(&task)?;
        let mut gradient = gram::weighted_gradient(bound.as_ref(), &criterion.weights);
        let seconds = clock.elapsed().as_secs_f64();
        gradient.extend(criterion.own.iter().map(|(_, slope)| slope));
        self.write("gradient", &Matrix::column(gradient))?;
        Ok(entries([("seconds", json!(seconds)), ("log_evidence", json!(-criterion.value))]))
    }

    /// Settles what is open, fits, predicts the new rows.
    fn fit(&self) -> Result<Map<String, Value>> {
        let sample = Sample { data: &self.data, target: &self.target, weights: None, groups: None };
        let clock = Instant::now();
        let tuned = select::tune(&self.kernel, self.estimator()?, &sample, &self.control, 0, false)?;
        let fitted = learner::fit_settled(&tuned.kernel, &tuned.estimator, &sample, &self.control, 0)?;
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
            let support = self.data.select(fitted.support());
            let want = Want { variance: matches!(fitted, FittedModel::Gp(_)), ..Want::default() };
            let clock = Instant::now();
            let predictions = learner::predict_settled(&tuned.kernel, &fitted, &support, new, want)?;
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

/// Reads a file of numpy's format 1.0 that holds one or two dimensions of little-endian f64 in C order.
fn read_npy(path: &Path) -> Result<Matrix> {
    let fault = |why: &str| Error::Data(format!("{}: {why}", path.display()));
    let bytes = std::fs::read(path).map_err(|e| Error::io(path.display(), e))?;
    let length = match bytes.get(..10) {
        Some([0x93, b'N', b'U', b'M', b'P', b'Y', 1, _, low, high]) => usize::from(u16::from_le_bytes([*low, *high])),
        _ => return Err(fault("not a file of numpy's format 1.0")),
    };
    let header = bytes.get(10..10 + length).map(String::from_utf8_lossy).ok_or_else(|| fault("the header is cut off"))?;
    if !header.contains("'<f8'") || !header.contains("'fortran_order': False") {
        return Err(fault("expected little-endian f64 in C order"));
    }
    let shape = header.split_once("'shape': (").and_then(|(_, rest)| rest.split_once(')')).ok_or_else(|| fault("no shape"))?.0;
    let sizes: Vec<usize> = shape.split(',').filter_map(|s| s.trim().parse().ok()).collect();
    let (rows, cols) = match sizes.as_slice() {
        [rows] => (*rows, 1),
        [rows, cols] => (*rows, *cols),
        _ => return Err(fault("expected one or two dimensions")),
    };
    let numbers = bytes[10 + length..].as_chunks::<8>().0.iter().map(|b| f64::from_le_bytes(*b)).collect();
    Matrix::new(rows, cols, numbers)
}

/// Writes a matrix in the same format.
fn write_npy(path: &Path, values: &Matrix) -> Result<()> {
    let header = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({}, {}), }}", values.rows(), values.cols());
    let padded = format!("{header:<width$}\n", width = (header.len() + 11).next_multiple_of(64) - 11);
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((padded.len() as u16).to_le_bytes());
    bytes.extend(padded.bytes());
    bytes.extend(values.data().iter().flat_map(|v| v.to_le_bytes()));
    std::fs::write(path, bytes).map_err(|e| Error::io(path.display(), e))
}
