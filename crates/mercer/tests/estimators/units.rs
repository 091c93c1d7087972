//! An answer does not depend on the units of columns and target.

use crate::made;
use mercer::data::{Column, Dataset, Target, Values};
use mercer::estimators::{EstimatorExpr, Predicted, Want, catalogue};
use mercer::linalg::Matrix;
use mercer::read::TargetInfo;
use mercer::{Control, Learner};

/// Two columns and a target of 40 rows: a curve, a line and noise.
fn table() -> (Vec<[f64; 2]>, Vec<f64>) {
    let noise = made::errors(3, 40);
    let rows: Vec<[f64; 2]> = (0..40).map(|i| [i as f64 / 4.0, (1.7 * i as f64).cos()]).collect();
    let target = rows.iter().zip(noise).map(|([a, b], e)| a.sin() + 0.3 * b + 0.1 * e).collect();
    (rows, target)
}

/// Predictions of the training rows by an estimator with everything at its default, numbers or codes of classes.
fn predicted(name: &str, columns: f64, target: f64, classes: bool) -> Result<Vec<f64>, String> {
    let (rows, y) = table();
    let column = |k: usize| Column { name: format!("x{k}"), values: Values::Numbers(rows.iter().map(|r| columns * r[k]).collect()) };
    let data = Dataset::new(vec![column(0), column(1)]).map_err(|e| e.to_string())?;
    let target = match classes {
        true => Target::classes(&y.iter().map(|y| if *y > 0.0 { "b" } else { "a" }).collect::<Vec<_>>()),
        false => Target::Numbers(Matrix::column(y.iter().map(|y| target * y).collect())),
    };
    let estimator = EstimatorExpr::parse(name).map_err(|e| e.to_string())?;
    let (info, control) = (TargetInfo::of(&target), Control::default());
    let model = Learner::new(estimator).fit(&data, &target, &info, None, &control).map_err(|e| e.to_string())?;
    let found = model.predict(&data, Want::default(), &control).map_err(|e| e.to_string())?;
    Ok(match found.values {
        Predicted::Numbers(m) => m.into_data(),
        Predicted::Classes(codes) => codes.into_iter().map(|c| c as f64).collect(),
    })
}

#[test]
fn predictions_do_not_depend_on_the_units_of_columns_and_target() {
    let mut faults = Vec::new();
    for entry in catalogue() {
        for classes in [true, false] {
            let Ok(base) = predicted(entry.name, 1.0, 1.0, classes) else { continue };
            let spread = base.iter().fold(0.0, |most: f64, p| most.max(p.abs()));
            // Powers of two change no digit; those of ten change the last ones.
            for (unit, tolerance) in [(2f64.powi(60), 1e-12), (2f64.powi(-60), 1e-12), (1e18, 1e-2), (1e-18, 1e-2), (1e-3, 1e-2)] {
                for (columns, target) in [(unit, 1.0), (1.0, unit)] {
                    match predicted(entry.name, columns, if classes { 1.0 } else { target }, classes) {
                        Err(why) => faults.push(format!("{} of {columns:e}, {target:e}: {why}", entry.name)),
                        Ok(found) => {
                            let unit = if classes { 1.0 } else { target };
                            let gap = base.iter().zip(&found).fold(0.0, |most: f64, (p, q)| most.max((p - q / unit).abs())) / spread;
                            if gap.is_nan() || gap > tolerance {
                                faults
                                    .push(format!("{} (classes {classes}) of columns {columns:e}, target {target:e}: {gap:e}", entry.name));
                            }
                        }
                    }
                }
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
