//! What fitting and predicting cost: memory, kernel values and floating-point operations, from the size of a fit alone.

use crate::estimators::Size;

/// The costs of one fit. Operations count as those of a dense matrix product do; where memory is read at random, each counts
/// `linalg::SCATTERED`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Costs {
    /// Bytes that the fit needs, the Gram matrix or the features included.
    pub bytes: u64,
    /// Bytes of kernel rows that the fit keeps besides, where memory allows.
    pub kept_bytes: u64,
    /// Kernel values that the fit computes; where it uses few features, numbers of these.
    pub values: f64,
    /// Floating-point operations of the fit, without computing kernel values.
    pub fit: f64,
    /// How many times as long as one of a dense product an operation of the fit takes, as a rule: 1 but where steps follow one another,
    /// or tables of users need several times the steps of the problems that operations are counted on. Measured in seconds.
    pub pace: f64,
    /// Kernel values, or numbers of few features, that the prediction of one row computes.
    pub prediction_values: f64,
    /// Floating-point operations of the prediction of one row, without computing kernel values.
    pub prediction: f64,
    /// Kernel values of one evaluation of the smooth criterion; with derivatives each counts twice.
    pub criterion_values: f64,
    /// Floating-point operations of one evaluation of the smooth criterion with derivatives, without computing kernel values.
    pub criterion: f64,
}

impl Default for Costs {
    /// Nothing, at the pace of a product.
    fn default() -> Self {
        Costs {
            bytes: 0,
            kept_bytes: 0,
            values: 0.0,
            fit: 0.0,
            pace: 1.0,
            prediction_values: 0.0,
            prediction: 0.0,
            criterion_values: 0.0,
            criterion: 0.0,
        }
    }
}

impl Costs {
    /// Bytes that the fit takes at most where so many are allowed.
    pub fn most_bytes(&self, allowed: u64) -> u64 {
        self.bytes + self.kept_bytes.min(allowed / 2)
    }
    /// Operations of the fit in units of those of a dense product, kernel values included.
    pub fn work(&self, size: Size) -> f64 {
        self.values * size.per_value + self.pace * self.fit
    }
    /// Operations of the prediction of one row, kernel values included.
    pub fn prediction_work(&self, size: Size) -> f64 {
        self.prediction_values * size.per_value + self.prediction
    }
    /// Operations of one evaluation of the smooth criterion with derivatives, kernel values included.
    pub fn criterion_work(&self, size: Size) -> f64 {
        self.criterion_values * size.per_value + self.criterion
    }
}
