//! What an estimator reads of inputs. Fitting hands over what [`Needs`](crate::estimators::Needs) names.

use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::gram::{Bound, Gram, RowFeatures, SelectedVectors, SetVectors, Subset};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::sync::Arc;

/// What a fit or a prediction reads of some rows.
#[derive(Clone, Copy)]
pub enum View<'a> {
    /// Kernel values: among the training rows, N x N, or of new rows with the support, M x support.
    Values(&'a dyn Gram),
    /// Features that the kernel writes out.
    Features(RowFeatures<'a>),
    /// Kernel values between the vectors of sets.
    Vectors(SetVectors<'a>),
    /// The prepared columns themselves.
    Rows(&'a Dataset),
}

/// The kind of a [`View`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ViewKind {
    /// [`View::Values`].
    Values,
    /// [`View::Features`].
    Features,
    /// [`View::Vectors`].
    Vectors,
    /// [`View::Rows`].
    Rows,
}

/// What a [`View`] looks at, owned.
pub enum OwnedView<'a> {
    /// Kernel values.
    Values(Arc<dyn Gram + 'a>),
    /// A kernel that writes features out.
    Features(Box<dyn Gram + 'a>),
    /// A kernel of sets.
    Sets(Box<dyn Bound + 'a>),
    /// The vectors of some sets of another view.
    Vectors(SelectedVectors<'a>),
    /// Columns.
    Rows(Cow<'a, Dataset>),
}

impl<'a> View<'a> {
    /// The view of a kind of what a kernel is bound to. Columns are no part of it: of these there are the values alone.
    pub fn of(kind: ViewKind, bound: &'a dyn Bound) -> View<'a> {
        match (kind, bound.vectors()) {
            (ViewKind::Features, _) => View::Features(RowFeatures::of(bound)),
            (ViewKind::Vectors, Some(vectors)) => View::Vectors(vectors),
            _ => View::Values(bound),
        }
    }

    /// Number of rows.
    pub fn rows(self) -> usize {
        self.shape().0
    }

    /// Numbers of rows, and of rows that these are compared with: none where columns are read.
    pub(crate) fn shape(self) -> (usize, usize) {
        match self {
            View::Values(gram) => gram.shape(),
            View::Features(features) => features.products().shape(),
            View::Vectors(sets) => (sets.rows.len() - 1, sets.cols.len() - 1),
            View::Rows(table) => (table.rows(), 0),
        }
    }

    /// Some of the rows, against some of the rows that they are compared with.
    pub(crate) fn part(self, rows: &[usize], cols: &[usize]) -> OwnedView<'a> {
        match self {
            View::Values(gram) => OwnedView::Values(Arc::new(Subset::new(gram, rows, cols))),
            View::Features(features) => OwnedView::Features(Box::new(Subset::new(features.products(), rows, cols))),
            View::Vectors(sets) => OwnedView::Vectors(sets.select(rows, cols)),
            View::Rows(table) => OwnedView::Rows(Cow::Owned(table.select(rows))),
        }
    }

    /// Kernel values.
    ///
    /// # Errors
    /// Another view.
    pub fn values(self) -> Result<&'a dyn Gram> {
        match self {
            View::Values(gram) => Ok(gram),
            _ => Err(Error::Internal { what: "a view".into(), why: "kernel values are read, and there are none".into() }),
        }
    }

    /// Features, for an estimator that reads these and no kernel value.
    ///
    /// # Errors
    /// Another view.
    pub fn features(self, who: &str) -> Result<RowFeatures<'a>> {
        match self {
            View::Features(features) => Ok(features),
            _ => Err(no_features(who)),
        }
    }

    /// Kernel values between the vectors of sets.
    ///
    /// # Errors
    /// Another view.
    pub fn vectors(self, who: &str) -> Result<SetVectors<'a>> {
        match self {
            View::Vectors(vectors) => Ok(vectors),
            _ => Err(Error::Data(format!(
                "{who} reads vectors of sets and their kernel values, and this kernel has none; take set_mean(K) with a kernel K of vectors"
            ))),
        }
    }

    /// The columns, for an estimator that reads the cells of rows and no kernel value.
    ///
    /// # Errors
    /// Another view.
    pub fn table(self, who: &str) -> Result<&'a Dataset> {
        match self {
            View::Rows(table) => Ok(table),
            _ => Err(Error::Data(format!(
                "{who} reads the cells of rows, and this kernel keeps none; take the kernel identical, or on(NAME, identical)"
            ))),
        }
    }
}

/// The error of a kernel that writes no features out.
pub(crate) fn no_features(who: &str) -> Error {
    Error::Data(format!(
        "{who} reads the features of rows, and this kernel has none written out; take the kernel linear, or tfidf for texts"
    ))
}

impl<'a> OwnedView<'a> {
    /// What a view of a kind reads of a kernel that is bound. Columns are no part of it: of these there are the values alone.
    pub fn of(kind: ViewKind, bound: Box<dyn Bound + 'a>) -> OwnedView<'a> {
        match kind {
            ViewKind::Features => OwnedView::Features(bound),
            ViewKind::Vectors => OwnedView::Sets(bound),
            ViewKind::Values | ViewKind::Rows => OwnedView::Values(Arc::<dyn Bound + 'a>::from(bound)),
        }
    }

    /// The kernel that is bound, where rows are read through one.
    pub(crate) fn gram(&self) -> Option<&dyn Gram> {
        match self {
            OwnedView::Values(gram) => Some(gram.as_ref()),
            OwnedView::Features(gram) => Some(gram.as_ref()),
            OwnedView::Sets(bound) => Some(bound.as_ref()),
            OwnedView::Vectors(_) | OwnedView::Rows(_) => None,
        }
    }

    /// The view of it.
    pub fn view(&self) -> View<'_> {
        match self {
            OwnedView::Values(gram) => View::Values(gram.as_ref()),
            OwnedView::Features(gram) => View::Features(RowFeatures::of(gram.as_ref())),
            OwnedView::Sets(bound) => View::of(ViewKind::Vectors, bound.as_ref()),
            OwnedView::Vectors(some) => View::Vectors(some.vectors()),
            OwnedView::Rows(table) => View::Rows(table),
        }
    }
}
