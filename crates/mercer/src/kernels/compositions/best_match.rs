//! best_match: k(X, Z) = (sum_i max_j k(x_i, z_j) / |X| + sum_j max_i k(x_i, z_j) / |Z|) / 2, each vector with the one of the other set
//! that it is most like (Wallraven, Caputo & Graf, Recognition with local features: the kernel recipe, ICCV 2003). An empty set is like
//! nothing. It is no Mercer kernel (Lyu, Mercer kernels for object recognition with local features, CVPR 2005).

use super::over_sets::{Reduction, fix_sets, per_value, weighed_vectors};
use crate::control::Control;
use crate::data::{ColumnKind, Dataset, RowWeights};
use crate::error::Result;
use crate::kernels::FittedKernel;
use crate::kernels::composition::{Closure, Composition, Form, Properties};
use crate::kernels::fitted::{Fixed, Scope};
use crate::kernels::shared::Shared;
use mercer_derive::{Formula, Parameters};
use serde::{Deserialize, Serialize};

/// A kernel of vectors, over the best pairs of two sets.
///
/// ```text
/// the mean of k over the vectors of two sets, each with the one of the other set that it is most like: not a
/// Mercer kernel
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Formula, Parameters)]
#[serde(deny_unknown_fields)]
pub struct BestMatch {}

impl Composition for BestMatch {
    const FORMS: &'static [Form] =
        &[Form { name: "best_match", also: None, form: "best_match(k)", example: "best_match(rbf)", doc: Self::FORMULA, because: "" }];
    const SOURCE: &'static str = "Wallraven, Caputo & Graf, Recognition with local features: the kernel recipe (2003)";
    const IS: Properties = Properties { other_rows: true, smooth: false, ..Properties::PLAIN };
    type Learnt = ();

    fn takes() -> Option<(ColumnKind, &'static str)> {
        Some((ColumnKind::Set, "one column of sets of vectors"))
    }
    fn inner(&self, rows: Scope<'_>, weights: RowWeights<'_>) -> Result<Option<(Dataset, Vec<f64>)>> {
        weighed_vectors(rows, weights).map(Some)
    }
    fn learn(&self, _: &[FittedKernel], _: Scope<'_>, _: RowWeights<'_>, _: &Control) -> Result<()> {
        Ok(())
    }
    fn fix(&self, _: &Shared<()>, parts: &[FittedKernel], rows: Scope<'_>, control: &Control) -> Result<Box<dyn Fixed>> {
        fix_sets(Reduction::Best, parts, rows, control)
    }
    fn closure(&self) -> Closure {
        Closure::Never(
            "the best of several values is no sum of them, and sets exist whose matrix has a negative eigenvalue; set_mean and pyramid_match are Mercer kernels, and clip(..) repairs a matrix"
                .into(),
        )
    }
    fn per_value(&self, parts: &[f64], rows: Scope<'_>) -> f64 {
        per_value(parts, rows)
    }
}
