//! Models of other programs: LIBSVM's text is read and written, LIBLINEAR's is read, and coefficients that another library has computed
//! become a [`Model`]. Predictions are those of the other program to rounding; what cannot be expressed is refused, what is left out is a
//! notice.
//!
//! Rows are those of the other program, as they are: no step of preparation stands before a kernel here, and none may stand before a
//! kernel that is written, except where the kernel is linear and the step is folded into its weights.

mod liblinear;
mod libsvm_reading;
mod libsvm_writing;
mod solved_elsewhere;
mod sparse_rows;
mod text_model;

pub use libsvm_writing::{WrittenModel, to_libsvm};
pub use solved_elsewhere::{SolvedElsewhere, SolvedProcess};
pub use sparse_rows::FeatureColumns;

use crate::control::Control;
use crate::error::{Error, Result};
use crate::learner::Model;

/// The first words of a model of LIBSVM and of one of LIBLINEAR.
const LIBSVM: &str = "svm_type";
const LIBLINEAR: &str = "solver_type";

/// How the text of a model is read.
#[derive(Clone, Debug, Default)]
pub struct TextOptions {
    /// The columns that its features become.
    pub columns: FeatureColumns,
    /// Keep its probabilities; the predicted class is then the one of the greatest.
    pub probabilities: bool,
}

/// Whether bytes begin as the text of a model of LIBSVM or LIBLINEAR does.
pub fn is_model_text(bytes: &[u8]) -> bool {
    let bytes = bytes.trim_ascii_start();
    bytes.starts_with(LIBSVM.as_bytes()) || bytes.starts_with(LIBLINEAR.as_bytes())
}

/// Reads the text of a model of LIBSVM or LIBLINEAR; `file` is used in messages.
///
/// # Errors
/// A line that is damaged, by its number; a kernel or a solver that there is not; bounds of `control`.
pub fn read_text(text: &str, file: &str, options: &TextOptions, control: &Control) -> Result<Model> {
    match text.split_ascii_whitespace().next() {
        Some(LIBSVM) => libsvm_reading::read(text, file, options, control),
        Some(LIBLINEAR) => liblinear::read(text, file, options, control),
        _ => Err(Error::ModelFile { file: file.into(), why: format!("line 1: expected {LIBSVM} (LIBSVM) or {LIBLINEAR} (LIBLINEAR)") }),
    }
}
