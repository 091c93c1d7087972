//! Error-correcting output codes (Dietterich and Bakiri 1995): each class has a code word of +1 and -1, a machine learns each letter of
//! it, and the class wins whose word agrees best with the machines (Allwein, Schapire and Singer 2000).
//!
//! ```text
//! score_c(x) = -sum_l max(0, 1 - M[c, l] f_l(x))           decoding=loss
//! score_c(x) = -sum_l (1 - M[c, l] sign f_l(x)) / 2        decoding=hamming
//! ```
//!
//! The identity code has +1 on its diagonal alone. Its loss falls as f_c rises, so that it decides as one against the rest does.

use super::dichotomies::{self, Dichotomies};
use super::fitted_svc::{FittedSvc, LargestScore, SvcDecision};
use super::model::SvcRows;
use crate::error::{Error, Result};
use crate::estimators::targets::class_scores::ClassScores;
use crate::estimators::{Estimator, Predictions, Svc, Want, pairs_among};
use crate::linalg::Matrix;
use mercer_derive::Choice;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};

/// Classes up to which every split of them has a machine: 2^(C - 1) - 1 of C classes (Dietterich and Bakiri 1995, section 2.3).
const MOST_EXHAUSTIVE: usize = 7;

/// Which code words the classes have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Choice)]
#[serde(rename_all = "snake_case")]
pub enum OutputCode {
    /// Exhaustive up to seven classes, random for more.
    #[default]
    Auto,
    /// Every split of the classes.
    Exhaustive,
    /// Random splits, drawn by the seed.
    Random,
    /// Each class against the rest.
    Identity,
}

/// How the machines of a code become a class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Choice)]
#[serde(rename_all = "snake_case")]
pub enum Decoding {
    /// The least sum of hinge losses.
    #[default]
    Loss,
    /// The fewest machines of the other sign; the first of equal classes.
    Hamming,
}

/// The settings of `svc(multiclass=codes)`.
pub(super) struct CodeSettings {
    pub(super) code: OutputCode,
    pub(super) decoding: Decoding,
}

/// Fits the machines of a code.
pub(super) fn fit(settings: &CodeSettings, rows: &SvcRows<'_>, earlier: Option<&FittedSvc>) -> Result<FittedSvc> {
    let code = settings.code.words(rows.present.len(), rows.task.seed)?;
    fitted(dichotomies::fit(&code, rows, earlier)?, code, settings, rows)
}

/// Predictions of each row by machines that were fitted without it.
pub(super) fn leave_one_out(settings: &CodeSettings, rows: &SvcRows<'_>) -> Result<Predictions> {
    let code = settings.code.words(rows.present.len(), rows.task.seed)?;
    let (machines, values) = dichotomies::leave_one_out(&code, rows)?;
    fitted(machines, code, settings, rows)?.left_out(rows.task, &values)
}

/// The classifier that the machines of a code make.
fn fitted(machines: Dichotomies, code: Matrix, settings: &CodeSettings, rows: &SvcRows<'_>) -> Result<FittedSvc> {
    let Dichotomies { expansion, iterations, summary } = machines;
    let largest = LargestScore::new(ClassScores::present_in(rows.task, Svc::NAME)?);
    let decision = SvcDecision::Codes(CodedClasses { largest, code, decoding: settings.decoding });
    Ok(FittedSvc::new(expansion, rows.names.len(), decision, iterations, summary))
}

/// +1 on the diagonal, else -1.
pub(super) fn identity(classes: usize) -> Matrix {
    Matrix::from_fn(classes, classes, |c, l| if c == l { 1.0 } else { -1.0 })
}

/// Every split of the classes once: the first class is always on the side of +1.
fn exhaustive(classes: usize) -> Matrix {
    // Column l: the other classes by the binary digits of l, which are not all 1.
    let other = |c: usize, l: usize| if c > 0 && (l >> (classes - 1 - c)) & 1 == 0 { -1.0 } else { 1.0 };
    Matrix::from_fn(classes, (1 << (classes - 1)) - 1, other)
}

/// Machines of a random code.
fn random_machines(classes: usize) -> usize {
    // Machines of a random code for each binary digit of the number of classes (Allwein et al. 2000, section 6).
    const RANDOM_PER_DIGIT: f64 = 10.0;
    (RANDOM_PER_DIGIT * (classes as f64).log2()).ceil() as usize
}

/// Of some random codes the one whose closest words differ most, and first of those the one that was drawn first.
fn random(classes: usize, seed: u64) -> Matrix {
    // Random codes of which the one is taken whose words differ most. Allwein et al. draw 10,000; the best distance hardly grows after 100.
    const DRAWS: usize = 100;
    let machines = random_machines(classes);
    let mut draw = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut one = || {
        let mut code = Matrix::zeros(classes, machines);
        for l in 0..machines {
            // A machine has classes on both sides.
            loop {
                (0..classes).for_each(|c| code[(c, l)] = if draw.random::<bool>() { 1.0 } else { -1.0 });
                if (1..classes).any(|c| code[(c, l)] != code[(0, l)]) {
                    break;
                }
            }
        }
        code
    };
    let mut best = one();
    let mut most = least_distance(&best);
    for _ in 1..DRAWS {
        let code = one();
        let distance = least_distance(&code);
        if distance > most {
            (best, most) = (code, distance);
        }
    }
    best
}

/// The fewest letters by which two words differ.
fn least_distance(code: &Matrix) -> usize {
    let differ = |a: usize, b: usize| code.row(a).iter().zip(code.row(b)).filter(|(x, y)| x != y).count();
    pairs_among(code.rows()).map(|(a, b)| differ(a, b)).min().unwrap_or(0)
}

impl OutputCode {
    /// Code words of so many classes, classes x machines.
    ///
    /// # Errors
    /// More classes than have an exhaustive code.
    fn words(self, classes: usize, seed: u64) -> Result<Matrix> {
        match self {
            OutputCode::Identity => Ok(identity(classes)),
            OutputCode::Random => Ok(random(classes, seed)),
            OutputCode::Auto if classes > MOST_EXHAUSTIVE => Ok(random(classes, seed)),
            OutputCode::Exhaustive if classes > MOST_EXHAUSTIVE => {
                let why = format!(
                    "the exhaustive code of {classes} classes has more than {} machines; it takes {MOST_EXHAUSTIVE} classes at most, so write code=random",
                    (1u64 << MOST_EXHAUSTIVE) - 1
                );
                Err(Error::Setting { name: "code".into(), why })
            }
            OutputCode::Auto | OutputCode::Exhaustive => Ok(exhaustive(classes)),
        }
    }

    /// How many machines it has of so many classes, for a plan.
    pub(super) fn machines(self, classes: usize) -> usize {
        match self {
            OutputCode::Identity => classes,
            OutputCode::Auto | OutputCode::Exhaustive if classes <= MOST_EXHAUSTIVE => (1 << classes.saturating_sub(1)) - 1,
            _ => random_machines(classes),
        }
    }
}

/// The code words of the classes that have rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CodedClasses {
    largest: LargestScore,
    /// Classes that have rows x machines, +1 and -1.
    pub code: Matrix,
    decoding: Decoding,
}

impl CodedClasses {
    /// An error unless there is a machine for each letter and a word for each class, which a damaged model file may bring about.
    pub(super) fn check(&self, outputs: usize) -> Result<()> {
        Error::unless_equal("machines of a code", self.code.cols(), outputs)?;
        self.largest.link.check(self.code.rows())
    }

    /// Predictions from the decision values of the machines.
    pub(super) fn predictions(&self, f: &Matrix, want: Want) -> Predictions {
        let disagreement = |letter: f64, f: f64| match self.decoding {
            Decoding::Loss => (1.0 - letter * f).max(0.0),
            Decoding::Hamming => f64::from(u8::from((letter > 0.0) != (f > 0.0))),
        };
        let score = |i: usize, c: usize| -self.code.row(c).iter().zip(f.row(i)).map(|(m, f)| disagreement(*m, *f)).sum::<f64>();
        self.largest.link.predictions(Matrix::from_fn(f.rows(), self.code.rows(), score), want)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Dietterich and Bakiri (1995), table 6: the exhaustive code of five classes has 15 columns, and any two words differ in 8 letters.
    #[test]
    fn words_of_the_exhaustive_code_differ_in_half_of_two_to_the_classes() {
        for classes in 3..=MOST_EXHAUSTIVE {
            let code = OutputCode::Exhaustive.words(classes, 0).unwrap();
            assert_eq!((code.cols(), least_distance(&code)), ((1 << (classes - 1)) - 1, 1 << (classes - 2)), "{classes}");
            assert_eq!(code.cols(), OutputCode::Exhaustive.machines(classes));
            let splits: std::collections::HashSet<Vec<u64>> =
                (0..code.cols()).map(|l| code.col(l).iter().map(|v| v.to_bits()).collect()).collect();
            assert_eq!(splits.len(), code.cols());
            assert!((0..code.cols()).all(|l| code.col(l).contains(&-1.0)));
        }
        let error = OutputCode::Exhaustive.words(8, 0).unwrap_err().to_string();
        assert!(error.contains("code=random"), "{error}");
    }

    #[test]
    fn random_codes_come_by_the_seed_and_every_machine_has_two_sides() {
        let code = OutputCode::Auto.words(10, 3).unwrap();
        assert_eq!((code.rows(), code.cols()), (10, 34));
        assert_eq!(code, OutputCode::Random.words(10, 3).unwrap());
        assert_ne!(code, OutputCode::Random.words(10, 4).unwrap());
        assert!((0..34).all(|l| code.col(l).contains(&1.0) && code.col(l).contains(&-1.0)));
        assert!(least_distance(&code) >= 8);
    }
}
