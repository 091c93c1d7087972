//! Facts of an estimator by which what runs it may take shorter ways.

/// What holds of an estimator with its parameters. Where a fact is not stated, the long way is taken and is correct.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EstimatorFacts {
    /// k(x, z) + f(x) + f(z) gives the same predictions as k(x, z), whatever f.
    pub ignores_shifts: bool,
    /// Only the order of kernel distances counts: a width that is the same for all of them changes nothing.
    pub uses_order_alone: bool,
    /// A row of weight 0 in a task is a row that is not there.
    pub skips_zero_weights: bool,
    /// A fit to few features only multiplies by them, so that they need not be formed.
    pub multiplies_features: bool,
    /// The smooth criterion leaves rows out and keeps the kernel: it is correct only for a kernel that takes nothing from all
    /// training rows, or nothing but shifts that the estimator ignores.
    pub criterion_keeps_kernel: bool,
    /// Columns are read in their units: they are not standardised for it.
    pub takes_columns_as_they_are: bool,
    /// Labels are read as the strings that they are.
    pub reads_labels_as_strings: bool,
    /// The fit and its smooth criterion read kernel values of all rows with a few of them: nothing is gained by holding all values.
    pub reads_few_values: bool,
    /// The fit itself holds rows out, calibrated or not.
    pub holds_out: bool,
    /// It learns from one row after another, and continues with new rows where an earlier fit ended.
    pub learns_row_by_row: bool,
    /// Weights that sum to less than a fit needs are shares to it, or their unit has a meaning of its own: nothing is to be said of a sum
    /// that no number of rows has.
    pub takes_weights_of_any_unit: bool,
    /// Its models are those of another estimator of the list with another parameter: a comparison takes it where it is named.
    pub is_other_parametrisation: bool,
}
