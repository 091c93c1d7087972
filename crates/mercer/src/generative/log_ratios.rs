//! Free coordinates of a distribution over A letters: isometric log-ratios (Egozcue, Pawlowsky-Glahn, Mateu-Figueras & Barcelo-Vidal,
//! Isometric logratio transformations for compositional data analysis, 2003).
//!
//! e_k = (k / (k + 1))^(1/2) (mean of ln p_1 .. ln p_k - ln p_(k+1)), k = 1 .. A - 1: e = V' ln p with V'V = 1, V'1 = 0. Any real e is a
//! distribution. The score of counts c with N = sum c is V'(c - N p), so that inner products of scores are those of c - N p: no
//! letter is singled out, whatever the order of the letters.

/// (k / (k + 1))^(1/2).
fn root(k: usize) -> f64 {
    (k as f64 / (k as f64 + 1.0)).sqrt()
}

/// V'x: the coordinates of ln p, and of a residual c - N p.
pub(super) fn contrasts(x: &[f64]) -> impl Iterator<Item = f64> {
    let mut sum = 0.0;
    x.windows(2).enumerate().map(move |(i, pair)| {
        sum += pair[0];
        root(i + 1) * (sum / (i + 1) as f64 - pair[1])
    })
}

/// ln p of the coordinates e.
pub(super) fn log_probabilities(e: &[f64]) -> Vec<f64> {
    let mut logs = vec![0.0; e.len() + 1];
    let mut behind = 0.0;
    for k in (1..=e.len()).rev() {
        let term = root(k) * e[k - 1];
        logs[k] = behind - term;
        behind += term / k as f64;
    }
    logs[0] = behind;
    let greatest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let total = greatest + logs.iter().map(|x| (x - greatest).exp()).sum::<f64>().ln();
    logs.iter_mut().for_each(|x| *x -= total);
    logs
}

/// f with f'f' = sum_a d_a d'_a / p_a for residuals d = c - N p: the score times the inverse root of the information of one draw,
/// f_k = (P_k p_(k+1) / P_(k+1))^(1/2) (D_k / P_k - d_(k+1) / p_(k+1)), with the sums D_k, P_k of the first k.
pub(super) fn whitened(d: &[f64], p: &[f64]) -> impl Iterator<Item = f64> {
    let (mut sum, mut share) = (0.0, 0.0);
    (1..d.len()).map(move |k| {
        (sum, share) = (sum + d[k - 1], share + p[k - 1]);
        (share * p[k] / (share + p[k])).sqrt() * (sum / share - d[k] / p[k])
    })
}

/// Row k of V'(diag(p) - p p')V, the information of one draw.
pub(super) fn information_row(p: &[f64], k: usize) -> Vec<f64> {
    let place = k + 1;
    // Column k of V.
    let v = |a: usize| {
        root(place)
            * if a < place {
                1.0 / place as f64
            } else if a == place {
                -1.0
            } else {
                0.0
            }
    };
    let mean: f64 = p.iter().enumerate().map(|(a, p)| p * v(a)).sum();
    let row: Vec<f64> = p.iter().enumerate().map(|(a, p)| p * (v(a) - mean)).collect();
    contrasts(&row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_are_log_ratios_in_an_orthonormal_basis() {
        let p: [f64; 4] = [0.5, 0.125, 0.25, 0.125];
        let logs: Vec<f64> = p.iter().map(|p| p.ln()).collect();
        let e: Vec<f64> = contrasts(&logs).collect();
        // ln 4 / 2^(1/2), (2/3)^(1/2) (ln(1/16) / 2 - ln(1/4)), (3/4)^(1/2) (ln(1/64) / 3 - ln(1/8)).
        let expected = [4f64.ln() / 2f64.sqrt(), 0.0, 0.75f64.sqrt() * 2f64.ln()];
        assert!(e.iter().zip(expected).all(|(a, b)| (a - b).abs() <= 1e-15), "{e:?}");
        assert!(log_probabilities(&e).iter().zip(&logs).all(|(a, b)| (a - b).abs() <= 1e-15));
        let d: [f64; 4] = [1.0, -2.0, 0.5, 0.5];
        let square = |x: Vec<f64>| x.iter().map(|x| x * x).sum::<f64>();
        assert!((square(contrasts(&d).collect()) - square(d.to_vec())).abs() <= 1e-14);
        let weighed: f64 = d.iter().zip(p).map(|(d, p)| d * d / p).sum();
        assert!((square(whitened(&d, &p).collect()) - weighed).abs() <= 1e-13);
    }
}
