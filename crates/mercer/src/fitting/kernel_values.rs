//! Kernel values computed once for several fits to the same rows.

use super::Sharing;
use crate::control::Control;
use crate::data::{ColumnKind, Dataset, Examples};
use crate::error::Result;
use crate::estimators::{EstimatorExpr, Fitted, FittedModel, Predictions, Query, Size, View, Want};
use crate::gram::{Bound, Dense, Gram, Known, Subset};
use crate::kernels::KernelExpr;
use std::sync::Arc;

/// Kernel values among training rows, and of held-out rows with them.
pub(crate) struct KernelValues {
    /// Among the training rows, or among more.
    all: Arc<Dense>,
    places: Places,
}

/// Which of the values.
enum Places {
    /// All; those of held-out rows are a matrix of their own, if there are such.
    All(Option<Arc<Dense>>),
    /// Training and held-out rows among all rows.
    Within(Vec<usize>, Vec<usize>),
}

impl KernelValues {
    /// The values of a kernel that learns from the training rows, not yet computed: among these rows, and of the held-out rows with them.
    pub(crate) fn bind(
        kernel: &KernelExpr,
        train: &Dataset,
        weights: Option<&[f64]>,
        held_out: &Dataset,
        control: &Control,
    ) -> Result<[Box<dyn Bound>; 2]> {
        let reference = kernel.learn(train, weights, control)?.reference(train, control)?;
        Ok([reference.among(control)?, reference.cross(held_out, control)?])
    }

    /// Computes them, with held-out rows or without.
    pub(crate) fn of(among: &dyn Gram, cross: Option<&dyn Gram>, control: &Control) -> Result<KernelValues> {
        let all = Arc::new(Dense::of(among, control)?);
        Ok(KernelValues { all, places: Places::All(cross.map(|cross| Dense::of(cross, control).map(Arc::new)).transpose()?) })
    }

    /// Memory of the kernel values of so many training and held-out rows, in bytes.
    pub(crate) fn bytes(train: usize, held_out: usize) -> u64 {
        8 * train as u64 * (train + held_out) as u64
    }

    /// Whether some column has inputs with structure, of which each is prepared before any value.
    pub(crate) fn have_structure(data: &Dataset) -> bool {
        let is_plain = |kind| matches!(kind, ColumnKind::Number | ColumnKind::Points | ColumnKind::Category | ColumnKind::Similarities);
        data.columns().iter().any(|c| !is_plain(c.values.kind()))
    }

    /// Whether a value takes much more work than reading it again, and fits use values instead of few features.
    pub(crate) fn are_costly(data: &Dataset, size: Size) -> bool {
        // Operations of a kernel value above which it is read again rather than computed again: a value of ten numbers takes a tenth.
        const COSTLY: f64 = 10.0 * Size::PER_VALUE;
        size.few().is_none() && (size.per_value > COSTLY || KernelValues::have_structure(data))
    }

    /// Operations of the values of a fit of a size and of so many held-out rows with its rows.
    pub(crate) fn work(size: Size, held_out: usize) -> f64 {
        let n = size.rows as f64;
        size.per_value * (n * (n + 1.0) / 2.0 + n * held_out as f64)
    }

    /// Some of the training rows, and others of them as held-out rows. Nothing is copied.
    pub(crate) fn folded(&self, train: &[usize], test: &[usize]) -> KernelValues {
        let places = |of: &[usize]| match &self.places {
            Places::All(_) => of.to_vec(),
            Places::Within(own, _) => of.iter().map(|&i| own[i]).collect(),
        };
        KernelValues { all: self.all.clone(), places: Places::Within(places(train), places(test)) }
    }

    /// Among the training rows.
    pub(crate) fn among(&self) -> Box<dyn Gram + '_> {
        match &self.places {
            Places::All(_) => Box::new(Known(self.all.clone())),
            Places::Within(train, _) => Box::new(Subset::new(self.all.as_ref(), train, train)),
        }
    }

    /// Those among the training rows as one matrix, copied where it holds more.
    pub(crate) fn matrix(&self, control: &Control) -> Result<Arc<Dense>> {
        match &self.places {
            Places::All(_) => Ok(self.all.clone()),
            Places::Within(..) => Dense::of(self.among().as_ref(), control).map(Arc::new),
        }
    }

    /// The values of the held-out rows with some training rows.
    pub(crate) fn against(&self, support: &[usize]) -> Subset<'_> {
        match &self.places {
            Places::All(None) => Subset::new(self.all.as_ref(), &[], support),
            Places::All(Some(cross)) => Subset::new(cross.as_ref(), &(0..cross.shape().0).collect::<Vec<usize>>(), support),
            Places::Within(train, test) => Subset::new(self.all.as_ref(), test, &support.iter().map(|&i| train[i]).collect::<Vec<usize>>()),
        }
    }

    /// Among all training rows and of the held-out rows with them, where these are matrices of their own.
    pub(super) fn held(&self) -> Option<[Known; 2]> {
        match &self.places {
            Places::All(Some(cross)) => Some([Known(self.all.clone()), Known(cross.clone())]),
            _ => None,
        }
    }

    /// A settled fit to the training rows, whose values these are by `kernel`, and its predictions for the rows held out. `sharing`: where
    /// others use kernel values among the training rows.
    pub(crate) fn fit(
        &self,
        sharing: Option<&Sharing>,
        (kernel, estimator): (&KernelExpr, &EstimatorExpr),
        train: &Examples<'_>,
        want: Want,
        control: &Control,
        seed: u64,
    ) -> Result<(FittedModel, Predictions)> {
        let fitted = super::fit_view(View::Values(self.among().as_ref()), (kernel, estimator), (train, sharing), control, seed)?;
        let predictions = fitted.predict(&Query::new(&self.against(fitted.support()), want, control))?;
        Ok((fitted, predictions))
    }
}
