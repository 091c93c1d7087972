//! How many features a polynomial has, and how many ways of labelling points a plane can realise.

/// C(n, k), exactly; `None` above 2^128.
pub fn binomial(n: u64, k: u64) -> Option<u128> {
    let k = k.min(n.checked_sub(k)?);
    // After step i the value is C(n - k + i, i), a whole number.
    (1..=k).try_fold(1u128, |c, i| c.checked_mul(u128::from(n - k + i)).map(|p| p / u128::from(i)))
}

/// Monomials of degree up to `degree` in `dim` variables, the constant included: C(dim + degree, degree) (F14).
pub fn monomials_up_to(dim: u64, degree: u64) -> Option<u128> {
    binomial(dim.checked_add(degree)?, degree)
}

/// Ways of labelling `points` points in general position in `dim` dimensions with two classes that a hyperplane can part:
/// 2 sum_k C(points - 1, k), k = 0..dim (Cover 1965, F30).
pub fn separable_dichotomies(points: u64, dim: u64) -> Option<u128> {
    let last = points.checked_sub(1)?;
    let sum = (0..=dim.min(last)).try_fold(0u128, |sum, k| sum.checked_add(binomial(last, k)?))?;
    sum.checked_mul(2)
}
