//! The training rows that prediction needs, made ready for their kernel once, when they are first asked for.

use super::{FittedKernel, Reference};
use crate::control::Control;
use crate::data::Dataset;
use crate::error::Result;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::ops::Deref;
use std::sync::OnceLock;

/// Prepared training rows, read as the table that they are.
#[derive(Debug, Default)]
pub struct Support {
    rows: Dataset,
    reference: OnceLock<Reference>,
}

impl Support {
    /// The rows made ready for a kernel, which is the same at every call.
    pub fn reference(&self, kernel: &FittedKernel, control: &Control) -> Result<&Reference> {
        if let Some(made) = self.reference.get() {
            return Ok(made);
        }
        let made = kernel.reference(&self.rows, control)?;
        Ok(self.reference.get_or_init(|| made))
    }
}

impl From<Dataset> for Support {
    fn from(rows: Dataset) -> Self {
        Support { rows, reference: OnceLock::new() }
    }
}

impl Deref for Support {
    type Target = Dataset;
    fn deref(&self) -> &Dataset {
        &self.rows
    }
}

impl Clone for Support {
    fn clone(&self) -> Self {
        self.rows.clone().into()
    }
}

impl PartialEq for Support {
    fn eq(&self, other: &Self) -> bool {
        self.rows == other.rows
    }
}

impl Serialize for Support {
    fn serialize<S: Serializer>(&self, s: S) -> std::result::Result<S::Ok, S::Error> {
        self.rows.serialize(s)
    }
}

impl<'de> Deserialize<'de> for Support {
    fn deserialize<D: Deserializer<'de>>(d: D) -> std::result::Result<Self, D::Error> {
        Dataset::deserialize(d).map(Self::from)
    }
}
