//! Strictly increasing transformations g of a target, and predictions of g(y) in the unit of y.

use crate::linalg::Matrix;
use serde::{Deserialize, Serialize};

/// A strictly increasing transformation of a target.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum TargetTransform {
    /// g(y) = ln(y + shift), of y above -shift.
    Log {
        /// In the unit of the target.
        shift: f64,
    },
    /// g(y) = y^power, of y at 0 and above; a negative value of g stands for 0.
    Power {
        /// Above 0.
        power: f64,
    },
}

/// Values of a normal distribution at which an expectation is summed, on either side of its mean, and their distance in standard
/// deviations. The sum is exact to rounding for a smooth function.
#[cfg(feature = "report")]
const NODES: i32 = 100;
#[cfg(feature = "report")]
const STEP: f64 = 0.08;

impl TargetTransform {
    /// g(y); `None` where it is not defined.
    pub fn forward(self, y: f64) -> Option<f64> {
        match self {
            TargetTransform::Log { shift } => (y + shift > 0.0).then(|| (y + shift).ln()),
            TargetTransform::Power { power } => (y >= 0.0).then(|| y.powf(power)),
        }
    }

    /// The y with g(y) = z.
    pub fn inverse(self, z: f64) -> f64 {
        match self {
            TargetTransform::Log { shift } => z.exp() - shift,
            TargetTransform::Power { power } => z.max(0.0).powf(1.0 / power),
        }
    }

    /// ln g'(y), by which the density of y differs from that of g(y).
    pub(crate) fn log_slope(self, y: f64) -> f64 {
        match self {
            TargetTransform::Log { shift } => -(y + shift).ln(),
            TargetTransform::Power { power } => power.ln() + (power - 1.0) * y.ln(),
        }
    }

    /// The standard deviation of y where g(y) is normal. Of the logarithm it is that of a log-normal distribution.
    #[cfg(feature = "report")]
    pub(crate) fn deviation(self, mean: f64, variance: f64) -> f64 {
        if let TargetTransform::Log { .. } = self {
            return (mean + variance / 2.0).exp() * variance.exp_m1().sqrt();
        }
        let at = |k: i32| {
            let u = STEP * f64::from(k);
            ((-u * u / 2.0).exp(), self.inverse(mean + u * variance.sqrt()))
        };
        let expected = |f: &dyn Fn(f64) -> f64| {
            let (sum, total) = (-NODES..=NODES).map(at).fold((0.0, 0.0), |(s, t), (w, y)| (s + w * f(y), t + w));
            sum / total
        };
        let middle = expected(&|y| y);
        expected(&|y| (y - middle).powi(2)).sqrt()
    }
}

/// Predictions of a transformed target, of which variances and covariances are those of g(y).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Transformed {
    /// g.
    pub transform: TargetTransform,
    /// Predictions of g(y), M x outputs.
    #[serde(with = "rows")]
    pub values: Matrix,
}

/// A matrix as a list of its rows.
pub(super) mod rows {
    use crate::linalg::Matrix;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(crate) fn serialize<S: Serializer>(matrix: &Matrix, s: S) -> Result<S::Ok, S::Error> {
        s.collect_seq((0..matrix.rows()).map(|i| matrix.row(i)))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<Matrix, D::Error> {
        let all = Vec::<Vec<f64>>::deserialize(d)?;
        Matrix::new(all.len(), all.first().map_or(0, Vec::len), all.concat()).map_err(D::Error::custom)
    }

    /// A matrix that may be absent.
    pub(crate) mod option {
        use super::Matrix;
        use serde::{Deserialize, Deserializer, Serializer};

        #[derive(Deserialize)]
        struct MatrixRows(#[serde(with = "super")] Matrix);

        pub(crate) fn serialize<S: Serializer>(matrix: &Option<Matrix>, s: S) -> Result<S::Ok, S::Error> {
            match matrix {
                Some(matrix) => super::serialize(matrix, s),
                None => s.serialize_none(),
            }
        }

        pub(crate) fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<Option<Matrix>, D::Error> {
            Ok(Option::<MatrixRows>::deserialize(d)?.map(|MatrixRows(matrix)| matrix))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deviations_are_those_of_squares_and_of_log_normal_numbers() {
        // y = z^2 of a normal z: variance 4 m^2 s^2 + 2 s^4, where next to no z lies below 0.
        let (mean, variance) = (5.0f64, 0.49f64);
        let square = (4.0 * mean * mean * variance + 2.0 * variance * variance).sqrt();
        let found = TargetTransform::Power { power: 0.5 }.deviation(mean, variance);
        assert!((found / square - 1.0).abs() < 1e-9, "{found} {square}");
        // Johnson, Kotz and Balakrishnan (1994), Continuous univariate distributions, 14.8b.
        let normal = (variance.exp() * (variance.exp() - 1.0) * (2.0 * mean).exp()).sqrt();
        let found = TargetTransform::Log { shift: 3.0 }.deviation(mean, variance);
        assert!((found / normal - 1.0).abs() < 1e-12, "{found} {normal}");
        // The rounding of 7.
        assert!(TargetTransform::Power { power: 1.0 }.deviation(7.0, 0.0) < 7.0 * f64::EPSILON);
    }

    #[test]
    fn inverses_lead_back_and_slopes_are_those_of_differences() {
        for transform in [TargetTransform::Log { shift: 0.5 }, TargetTransform::Power { power: 0.3 }, TargetTransform::Power { power: 2.0 }]
        {
            for y in [0.01, 1.0, 40.0] {
                let forward = |y| transform.forward(y).unwrap();
                assert!((transform.inverse(forward(y)) / y - 1.0).abs() < 1e-12);
                let slope = (forward(y * 1.0001) - forward(y * 0.9999)) / (0.0002 * y);
                assert!((transform.log_slope(y) - slope.ln()).abs() < 1e-6);
            }
        }
        assert_eq!(TargetTransform::Log { shift: 0.0 }.forward(0.0), None);
        assert_eq!(TargetTransform::Power { power: 0.5 }.forward(-1e-9), None);
        assert_eq!(
            (TargetTransform::Power { power: 0.5 }.forward(0.0), TargetTransform::Power { power: 0.5 }.inverse(-3.0)),
            (Some(0.0), 0.0)
        );
    }
}
