//! Handwritten digits of 16 x 16 pixels classified by support vector machines of polynomial and of Gaussian kernels, ten classes by pairs:
//! the task with which these machines became known (LeCun et al. 1989; Schoelkopf, Burges & Vapnik 1995). The digits are those of
//! letters of the post (USPS), where a folder above has them, else drawn.

use super::digits::{SIDE, digit, picture};
use super::made::{Draw, column_names, fit};
use super::{Demo, Shown};
use mercer::control::Control;
use mercer::data::{Column, Dataset, Target, Values};
use mercer::error::{Error, Result};
use mercer::estimators::{Predicted, Want};
use mercer::linalg::Matrix;
use mercer::read::{ReadOptions, Source, Table};
use std::path::Path;

pub(super) const DEMO: Demo = Demo {
    name: "handwriting",
    figures: &[],
    about: "digits of 16 x 16 pixels: polynomial and Gaussian support vector machines are 95% correct on digits that they have not seen",
    run,
};

/// Rows that are drawn where there are none.
const DRAWN: [usize; 2] = [1000, 500];
const CLASSES: usize = 10;

/// A pixel from 0 to 1 as one from -1 to 1.
fn signed(ink: f64) -> f64 {
    2.0 * ink - 1.0
}

/// Digits: pixels from -1 (paper) to 1 (ink), row by row, and what they are.
struct Digits {
    pixels: Matrix,
    codes: Vec<usize>,
}

impl Digits {
    /// A table without a header: the digit, then its pixels from 0 to 1.
    fn read(file: &Path, control: &Control) -> Result<Digits> {
        let options = ReadOptions { no_header: true, ..ReadOptions::default() };
        let data = Table::read_within(&Source::File(file.to_owned()), &options, control)?.dataset(&options)?;
        let columns: Vec<&Vec<f64>> =
            data.columns().iter().filter_map(|c| if let Values::Numbers(v) = &c.values { Some(v) } else { None }).collect();
        let [codes, pixels @ ..] = columns.as_slice() else { return Err(Error::Data(format!("{}: no column of numbers", file.display()))) };
        if pixels.len() != SIDE * SIDE || codes.iter().any(|k| !(0.0..CLASSES as f64).contains(k)) {
            return Err(Error::Data(format!(
                "{}: a digit from 0 to 9 and {} pixels are expected, and there are {} columns of numbers",
                file.display(),
                SIDE * SIDE,
                columns.len()
            )));
        }
        let codes: Vec<usize> = codes.iter().map(|k| *k as usize).collect();
        Ok(Digits { pixels: Matrix::from_fn(codes.len(), pixels.len(), |i, d| signed(pixels[d][i])), codes })
    }

    fn drawn(count: usize, draw: &mut Draw) -> Result<Digits> {
        let codes: Vec<usize> = (0..count).map(|i| i % CLASSES).collect();
        let pixels = codes.iter().flat_map(|&code| digit(code, draw)).map(signed).collect();
        Ok(Digits { pixels: Matrix::new(count, SIDE * SIDE, pixels)?, codes })
    }

    fn table(&self) -> Result<Dataset> {
        let column = |d: usize| Column { name: column_names(d), values: Values::Numbers(self.pixels.col(d)) };
        Dataset::new((0..self.pixels.cols()).map(column).collect())
    }

    fn target(&self) -> Target {
        Target::Classes { codes: self.codes.clone(), names: (0..CLASSES).map(|k| k.to_string()).collect() }
    }

    /// The ink of some of them, from 0 to 1.
    fn some(&self, rows: &[usize]) -> Matrix {
        Matrix::from_fn(rows.len(), self.pixels.cols(), |i, d| 0.5 * (self.pixels[(rows[i], d)] + 1.0))
    }
}

/// Training digits, others, and where they are from.
fn digits(control: &Control) -> Result<([Digits; 2], &'static str)> {
    // Where the digits of letters stand, in some folder above the one that is worked in: training rows and others.
    const MEASURED: [&str; 2] = ["shared/data/usps/usps_train.csv.gz", "shared/data/usps/usps_test.csv.gz"];
    let here = std::env::current_dir().unwrap_or_default();
    if let Some(folder) = here.ancestors().find(|folder| MEASURED.iter().all(|file| folder.join(file).exists())) {
        return Ok(([Digits::read(&folder.join(MEASURED[0]), control)?, Digits::read(&folder.join(MEASURED[1]), control)?], "of letters"));
    }
    Ok((drawn()?, "drawn"))
}

fn drawn() -> Result<[Digits; 2]> {
    let mut draw = Draw::new(16);
    Ok([Digits::drawn(DRAWN[0], &mut draw)?, Digits::drawn(DRAWN[1], &mut draw)?])
}

fn run(control: &Control) -> Result<Shown> {
    let (both, source) = digits(control)?;
    judged(&both, source, control)
}

fn judged([known, others]: &[Digits; 2], source: &str, control: &Control) -> Result<Shown> {
    // The share of digits that has to be correct.
    const CORRECT: f64 = 0.95;
    // (x'z / 256)^3, the polynomial of the source, and a Gaussian.
    const KERNELS: [&str; 2] = ["polynomial(degree=3, gamma=0.00390625, offset=0)", "rbf(gamma=0.0075)"];
    const ESTIMATOR: &str = "svc(c=10)";
    let mut shown = Shown::default();
    let (data, judged) = (known.table()?, others.table()?);
    let first: Vec<usize> = (0..CLASSES).filter_map(|k| others.codes.iter().position(|code| *code == k)).collect();
    let mut lines = vec![("digits".to_owned(), others.some(&first))];
    for kernel in KERNELS {
        let model = fit(ESTIMATOR, kernel, &data, &known.target(), control)?;
        let Predicted::Classes(found) = model.predict(&judged, Want::default(), control)?.values else {
            return Err(Error::Data("classes were expected, and numbers are predicted".into()));
        };
        let wrong: Vec<usize> = (0..found.len()).filter(|&i| found[i] != others.codes[i]).collect();
        let correct = 1.0 - wrong.len() as f64 / found.len() as f64;
        shown.finding(
            format!("{kernel}: correct of {} digits {source} after {}", found.len(), known.codes.len()),
            format!("{:.1}%", 100.0 * correct),
            "95% or more",
            correct >= CORRECT,
        );
        let name = kernel.split('(').next().unwrap_or_default();
        lines.push((format!("not by {name}"), others.some(&wrong[..wrong.len().min(CLASSES)])));
    }
    let lines: Vec<(String, &Matrix)> = lines.iter().map(|(name, rows)| (name.clone(), rows)).collect();
    let label = "One digit of each class, and the first digits that each machine takes for another";
    shown.figures.push(("handwriting.svg".into(), picture(&lines, label)));
    Ok(shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drawn_digits_are_told_as_well() {
        let shown = judged(&drawn().unwrap(), "drawn", &Control::default()).unwrap();
        assert!(shown.findings.len() == 2 && shown.holds(), "{:?}", shown.findings);
        assert!(shown.findings[0].what.contains("500 digits drawn after 1000"));
    }
}
