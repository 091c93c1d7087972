//! The generative models that a model holds: their parameters in the units of the table, the hidden states of new rows, rows drawn from them.

use super::Model;
use crate::control::{Control, contain};
use crate::data::{Column, Dataset, Points, Values};
use crate::error::{Error, Result};
use crate::estimators::{Fitted, GenerativePart, Predicted, Want};
use crate::generative::{Coordinates, HiddenStates, ParameterArray};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Rows drawn from a generative model.
#[derive(Clone, Debug, PartialEq)]
pub struct DrawnRows {
    /// The class whose model they are drawn from; `None`: the model of all rows.
    pub class: Option<usize>,
    /// The rows, in the columns that the model is of and in the units of the table.
    pub rows: Dataset,
}

impl Model {
    /// Its generative models: one of all rows, or one for each class that has rows.
    ///
    /// # Errors
    /// An estimator that fits none.
    pub fn distributions(&self) -> Result<Vec<GenerativePart<'_>>> {
        let all = self.fitted.distributions();
        let why = || format!("{} fits no generative model, such as density(hmm) or bayes(gaussian)", self.estimator.name());
        if all.is_empty() { Err(Error::Data(why())) } else { Ok(all) }
    }

    /// The parameters of one of these as named arrays, in the units of the table.
    ///
    /// # Errors
    /// A damaged model.
    pub fn parameter_arrays(&self, of: &GenerativePart<'_>) -> Result<Vec<ParameterArray>> {
        Ok(of.fitted.arrays(&self.coordinates(of)?))
    }

    /// The logarithm of the density of each row under one of these, per unit of the prepared columns.
    ///
    /// # Errors
    /// As [`Model::predict`].
    pub fn log_densities(&self, of: &GenerativePart<'_>, data: &Dataset, control: &Control) -> Result<Vec<f64>> {
        of.fitted.log_densities_of(&modelled(of, &self.prep.apply(data)?)?, control)
    }

    /// The most probable states behind each row under one of these, and the posterior probabilities of the states at each time.
    ///
    /// # Errors
    /// As [`Model::predict`]; a model without hidden states.
    pub fn hidden_states_of(&self, of: &GenerativePart<'_>, data: &Dataset, control: &Control) -> Result<Vec<HiddenStates>> {
        self.decoded(of, &self.prep.apply(data)?, control)
    }

    /// The states behind each row: under the model of all rows, or of the class that is predicted for it.
    ///
    /// # Errors
    /// As [`Model::predict`]; an estimator that fits no generative model, or one without hidden states.
    pub fn hidden_states(&self, data: &Dataset, control: &Control) -> Result<Vec<HiddenStates>> {
        let all = self.distributions()?;
        let prepared = self.prep.apply(data)?;
        if let [one] = all[..] {
            return self.decoded(&one, &prepared, control);
        }
        let Predicted::Classes(codes) = self.predict_prepared(&prepared, Want::default(), control)?.values else {
            return Err(Error::Data("models of classes predict classes".into()));
        };
        let mut found: Vec<(usize, HiddenStates)> = Vec::with_capacity(codes.len());
        for one in &all {
            let own: Vec<usize> = (0..codes.len()).filter(|&i| one.class == Some(codes[i])).collect();
            found.extend(own.iter().copied().zip(self.decoded(one, &prepared.select(&own), control)?));
        }
        found.sort_by_key(|(row, _)| *row);
        Ok(found.into_iter().map(|(_, states)| states).collect())
    }

    /// Whether one of these has hidden states, or components.
    ///
    /// # Errors
    /// A damaged model.
    pub fn has_hidden_states(&self, of: &GenerativePart<'_>) -> Result<bool> {
        Ok(of.fitted.hidden_states(&modelled(of, &self.support.select(&[]))?, &Control::unwatched())?.is_some())
    }

    fn decoded(&self, of: &GenerativePart<'_>, prepared: &Dataset, control: &Control) -> Result<Vec<HiddenStates>> {
        contain(format_args!("decoding by {}", self.estimator.name()), || {
            let why = || format!("{} has no hidden states; hmm, gaussian_hmm and gaussian_mixture have", self.estimator);
            of.fitted.hidden_states(&modelled(of, prepared)?, control)?.ok_or_else(|| Error::Data(why()))
        })
    }

    /// Rows drawn from its generative models, which of several are drawn by the priors of their classes; equal seeds give equal bits.
    ///
    /// # Errors
    /// An estimator that fits no generative model; more rows than memory holds.
    pub fn draw_rows(&self, count: usize, seed: u64) -> Result<Vec<DrawnRows>> {
        let all = self.distributions()?;
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut counts = vec![0; all.len()];
        for _ in 0..count {
            let mut left: f64 = random.random();
            let drawn = all.iter().position(|one| {
                left -= one.prior;
                left < 0.0
            });
            counts[drawn.unwrap_or(all.len() - 1)] += 1;
        }
        let each = all.iter().zip(counts).zip(0..).filter(|((_, count), _)| *count > 0);
        each.map(|((one, count), k)| self.draw_rows_of(one, count, seed.wrapping_add(k))).collect()
    }

    /// Rows drawn from one of its generative models.
    ///
    /// # Errors
    /// More rows than memory holds; a model that draws none.
    pub fn draw_rows_of(&self, of: &GenerativePart<'_>, count: usize, seed: u64) -> Result<DrawnRows> {
        let (coordinates, drawn) = (self.coordinates(of)?, of.fitted.sample(count, seed)?);
        let in_units = |p: &Points| Points::dense(p.rows(), p.dim(), coordinates.points(&p.to_dense()));
        let moved = drawn.vectors().map(in_units).transpose()?.and_then(|vectors| drawn.with_vectors(vectors)).unwrap_or(drawn);
        let columns = match moved {
            Values::Points(points) => self.split(&points, of.columns)?,
            values => of.columns.iter().take(1).map(|name| Column { name: name.clone(), values: values.clone() }).collect(),
        };
        Ok(DrawnRows { class: of.class, rows: Dataset::with_rows(count, columns)? })
    }

    /// Rows of numbers as the columns that they are gathered from.
    fn split(&self, points: &Points, names: &[String]) -> Result<Vec<Column>> {
        let (all, dim, mut from) = (points.to_dense(), points.dim(), 0);
        let mut columns = Vec::with_capacity(names.len());
        for name in names {
            let width = self.width(name)?;
            let of = from..from + width.unwrap_or(1);
            Error::unless_equal("numbers of a row that is drawn", of.end.max(dim), dim)?;
            let numbers: Vec<f64> = all.chunks(dim.max(1)).flat_map(|row| row[of.clone()].iter().copied()).collect();
            from = of.end;
            let values = match width {
                None => Values::Numbers(numbers),
                Some(width) => Values::Points(Points::dense(points.rows(), width, numbers)?),
            };
            columns.push(Column { name: name.clone(), values });
        }
        Ok(columns)
    }

    /// Numbers of a cell of a prepared column of vectors; `None`: it holds a number, or no numbers.
    fn width(&self, column: &str) -> Result<Option<usize>> {
        Ok(self.support.column(column)?.values.vectors().map(Points::dim))
    }

    /// The coordinates of the columns of a generative model.
    fn coordinates(&self, of: &GenerativePart<'_>) -> Result<Coordinates> {
        let mut all = Coordinates::named(Vec::new());
        for name in of.columns {
            let width = self.width(name)?.unwrap_or(1);
            all.names.extend((1..=width).map(|k| if width == 1 { name.clone() } else { format!("{name}[{k}]") }));
            let (shift, scale) = self.prep.scale_of(name).unwrap_or_else(|| (vec![0.0; width], vec![1.0; width]));
            Error::unless_equal(&format!("numbers of column '{name}'"), width, shift.len())?;
            all.shift.extend(shift);
            all.scale.extend(scale);
        }
        Ok(all)
    }
}

/// The columns of prepared rows that a generative model is a distribution of.
fn modelled(of: &GenerativePart<'_>, prepared: &Dataset) -> Result<Dataset> {
    Dataset::with_rows(prepared.rows(), of.columns.iter().map(|name| prepared.column(name).cloned()).collect::<Result<_>>()?)
}
