//! Conditional densities of a joint one, p(y | x) = sum_i W_i(x) k_h(y - y_i) with W_i(x) = k_h(x - x_i) / sum_l k_h(x - x_l) (Murphy
//! 2012, 14.7.4), their means, and classes by Bayes' rule, p(c | x) = p(c) p(x | c) / sum_d p(d) p(x | d) (14.7.3).

use super::boundary::log_sum;
use super::density::{Asked, Density};
use super::{Sample, Shape, SmoothingKernel};
use crate::control::Control;
use crate::error::{Error, Result};
use crate::linalg::Matrix;

impl Density {
    /// The density of the other columns where some columns have given values: the quotient of the joint density and that of the given
    /// columns, whose mirror images at the ends of a support count as they do there.
    ///
    /// # Errors
    /// A radial kernel that is not Gaussian, or a bandwidth matrix: they are no products of kernels of the columns; no column that is left
    /// or given; a value outside of its support, or that no row is near to.
    pub fn given(&self, values: &[(usize, f64)]) -> Result<Density> {
        let stored = &self.stored;
        if stored.frame.is_oblique() || stored.shape == Shape::Radial && stored.kernel != SmoothingKernel::Gaussian {
            let why = "a conditional density needs a kernel for each column: shape=product, and one bandwidth for each column";
            return Err(Error::Setting { name: "shape".into(), why: why.into() });
        }
        let fault = |why: String| Err(Error::Setting { name: "given".into(), why });
        if let Some((j, x)) = values.iter().find(|(j, x)| *j >= self.dim() || !x.is_finite()) {
            return fault(format!("column {} is given the value {x}; there are {} columns, and values are finite", j + 1, self.dim()));
        }
        let left: Vec<usize> = (0..self.dim()).filter(|j| values.iter().all(|(given, _)| given != j)).collect();
        if left.is_empty() || left.len() + values.len() != self.dim() {
            return fault(format!(
                "{} values are given of {} columns; each column once, and one at least has to be left",
                values.len(),
                self.dim()
            ));
        }
        if let Some((j, x)) = values.iter().find(|(j, x)| stored.support.get(*j).is_some_and(|ends| !ends.has(*x))) {
            return fault(format!("column {} is given the value {x}, outside of its support", j + 1));
        }
        let places: Vec<(usize, Vec<f64>)> = values.iter().map(|&(j, x)| (j, self.with_images(j, x))).collect();
        let own = |i: usize| stored.widths.get(i).copied().unwrap_or(1.0);
        let log_weight = |i: usize| -> f64 {
            let one = |(j, places): &(usize, Vec<f64>)| {
                let log_kernel = |x: &f64| {
                    let u = (x - stored.sample.points()[(i, *j)]).abs() / (stored.frame.width(*j) * own(i));
                    match stored.kernel {
                        SmoothingKernel::Gaussian => -0.5 * u * u,
                        SmoothingKernel::Exponential => -u,
                        compact => compact.profile(u).ln(),
                    }
                };
                log_sum(&places.iter().map(log_kernel).collect::<Vec<_>>())
            };
            stored.sample.weights()[i].ln() - values.len() as f64 * own(i).ln() + places.iter().map(one).sum::<f64>()
        };
        let logs: Vec<f64> = (0..stored.sample.rows()).map(log_weight).collect();
        let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if most == f64::NEG_INFINITY {
            return fault("no row is within a bandwidth of the values; widen the bandwidth, or use a kernel that is never 0".into());
        }
        let weights: Vec<f64> = logs.iter().map(|l| (l - most).exp()).collect();
        self.among(&left, &weights)
    }

    /// The mean of each column: the mean of the rows, since kernels are even. Of a conditional density it is the regression of
    /// Nadaraya and Watson. A support is not regarded.
    pub fn mean(&self) -> Vec<f64> {
        (0..self.dim()).map(|j| self.sample().mean(j)).collect()
    }
}

/// A density for each class, and how frequent it is.
#[derive(Clone, Debug)]
pub struct ClassDensities {
    /// One for each class.
    pub densities: Vec<Density>,
    /// ln p(c).
    pub log_priors: Vec<f64>,
}

impl ClassDensities {
    /// Densities of the rows of each class; bandwidths are chosen for each class by itself.
    ///
    /// # Errors
    /// A class without rows, and what a density refuses.
    pub fn fit(points: &Matrix, codes: &[usize], weights: Option<&[f64]>, asked: &Asked, control: &Control) -> Result<Self> {
        Error::unless_equal("classes of rows", points.rows(), codes.len())?;
        let classes = codes.iter().max().map_or(0, |last| last + 1);
        let (mut densities, mut counts) = (Vec::new(), Vec::new());
        for class in 0..classes {
            let rows: Vec<usize> = (0..codes.len()).filter(|&i| codes[i] == class).collect();
            if rows.is_empty() {
                return Err(Error::Data(format!("class {} has no row", class + 1)));
            }
            let own: Option<Vec<f64>> = weights.map(|w| rows.iter().map(|&i| w[i]).collect());
            let sample = Sample::new(&points.select_rows(&rows), own.as_deref())?;
            counts.push(sample.count());
            densities.push(Density::fit(&sample, asked, control)?);
        }
        let total: f64 = counts.iter().sum();
        Ok(ClassDensities { densities, log_priors: counts.iter().map(|c| (c / total).ln()).collect() })
    }

    /// p(c | x), rows x classes. Where no class reaches a row, the priors.
    ///
    /// # Errors
    /// Those of [`Density::log_density`].
    pub fn probabilities(&self, points: &Matrix, control: &Control) -> Result<Matrix> {
        let logs: Vec<Vec<f64>> = self.densities.iter().map(|d| d.log_density(points, control)).collect::<Result<_>>()?;
        let mut out = Matrix::zeros(points.rows(), logs.len());
        for i in 0..points.rows() {
            let joint: Vec<f64> = logs.iter().zip(&self.log_priors).map(|(l, p)| l[i] + p).collect();
            let most = joint.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let shares: Vec<f64> = if most == f64::NEG_INFINITY {
                self.log_priors.iter().map(|p| p.exp()).collect()
            } else {
                joint.iter().map(|l| (l - most).exp()).collect()
            };
            let sum: f64 = shares.iter().sum();
            out.row_mut(i).iter_mut().zip(&shares).for_each(|(o, s)| *o = s / sum);
        }
        Ok(out)
    }
}
