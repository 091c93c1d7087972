//! The conditions of a support vector machine of all classes at once. With B the coefficients, N x C, the dual variables of a row of class
//! y are a_c = -B_c of the other classes, B_y is their sum, and m_c = 1 - (f_y - f_c) is what the row lacks to a margin. At the optimum the
//! columns of B sum to 0, the variables are within their bounds, and no row adds to the duality gap:
//! `C l(m) = sum_c a_c m_c`.

use super::{BALANCE, Condition, Evidence, balance_within, numbered, relative_gap, worst};
use crate::data::Target;
use crate::error::Result;
use crate::estimators::Multiclass;
use crate::linalg::Matrix;

impl Evidence<'_> {
    /// Conditions of the losses of Weston and Watkins (1999) or Crammer and Singer (2001), of two classes as their difference.
    pub(super) fn all_classes(&self, target: &Target, loss: Multiclass, c: f64, tolerance: f64) -> Result<Vec<Condition>> {
        let (present, places) = numbered(target);
        let classes = present.len();
        let (coef, f, bias) = match &self.expansion.bias[..] {
            // The difference of two functions that are each other's negative.
            [bias] => {
                let (coef, f) = self.of_rows(1)?;
                let halves = |m: Matrix| Matrix::from_fn(m.rows(), 2, |i, k| if k == 0 { -0.5 } else { 0.5 } * m[(i, 0)]);
                (halves(coef), halves(f), vec![-0.5 * bias, 0.5 * bias])
            }
            bias => {
                let (coef, f) = self.of_rows(classes)?;
                (coef, f, bias.to_vec())
            }
        };
        let (mut violation, mut outside, mut square, mut gain, mut losses) = (0.0, 0.0, 0.0, 0.0, 0.0);
        for (i, &y) in places.iter().enumerate() {
            let (b, f, cost) = (coef.row(i), f.row(i), c * self.weights[i]);
            square += b.iter().zip(f).zip(&bias).map(|((b, f), bias)| b * (f - bias)).sum::<f64>();
            let others = (0..classes).filter(|&k| k != y).map(|k| (-b[k], 1.0 - (f[y] - f[k])));
            let sum: f64 = others.clone().map(|(a, _)| a).sum();
            gain += sum;
            let least = others.clone().map(|(a, _)| -a).fold((sum - b[y]).abs(), worst);
            // What a row adds to the gap, as a share of its cost: of all margins, or of the nearest one.
            let most = match loss {
                Multiclass::WestonWatkins => {
                    losses += cost * others.clone().map(|(_, m)| m.max(0.0)).sum::<f64>();
                    violation = others.clone().map(|(a, m)| m.max(0.0) - a / cost * m).fold(violation, worst);
                    others.map(|(a, _)| a).fold(0.0, worst)
                }
                _ => {
                    let nearest = others.clone().map(|(_, m)| m).fold(0.0, worst);
                    losses += cost * nearest;
                    violation = worst(violation, nearest - others.map(|(a, m)| a / cost * m).sum::<f64>());
                    sum
                }
            };
            outside = worst(outside, worst(least, most - cost) / cost);
        }
        Ok(vec![
            Condition { name: "relative duality gap", value: relative_gap(square, losses, gain), tolerance },
            // Predictions in single precision change a value by a twentieth of the tolerance, and a difference of two by twice that.
            Condition { name: "greatest share of a row in the gap, per unit of its cost", value: violation, tolerance: 1.1 * tolerance },
            Condition { name: "coefficients outside their bounds, as a share of these", value: outside, tolerance: BALANCE },
            balance_within((0..classes).map(|k| coef.col(k)), BALANCE),
        ])
    }
}
