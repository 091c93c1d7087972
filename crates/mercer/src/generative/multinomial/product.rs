//! ln of the sum over all counts x of n trials of prod_w exp(x_w l_w) / x_w!^nu: coefficient n of a product of D power series.
//!
//! Each series is multiplied by exp(s x_w) and divided by its sum, with s such that the mean of sum x is near n. The coefficient is then
//! the probability of n under a sum of D independent counts, and neither it nor a series leaves the range of numbers.

/// The terms exp(k l - nu ln k!) for k = 0, 1 .. n over their sum, and ln of the sum.
fn series(l: f64, n: usize, nu: f64) -> (Vec<f64>, f64) {
    // Terms of a series below its greatest one times this are left out.
    const NEGLIGIBLE: f64 = 1e-20;
    let (mut logs, mut log, mut greatest) = (vec![0.0], 0.0, 0.0_f64);
    for k in 1..=n {
        let step = l - nu * (k as f64).ln();
        log += step;
        greatest = greatest.max(log);
        if step < 0.0 && log < greatest + NEGLIGIBLE.ln() {
            break;
        }
        logs.push(log);
    }
    let sum: f64 = logs.iter().map(|log| (log - greatest).exp()).sum();
    logs.iter_mut().for_each(|log| *log = (*log - greatest).exp() / sum);
    (logs, greatest + sum.ln())
}

/// ln sum over x with sum x = n of prod_w exp(x_w logs_w) / x_w!^nu.
pub(super) fn log_sum(logs: &[f64], n: usize, nu: f64) -> f64 {
    // Halvings of the interval in which s is looked for: s need not be exact.
    const HALVINGS: usize = 30;
    let mean_at = |s: f64| -> f64 {
        let mean = |l: &f64| series(l + s, n, nu).0.iter().enumerate().map(|(k, p)| k as f64 * p).sum::<f64>();
        logs.iter().map(mean).sum()
    };
    let greatest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let (mut low, mut high) = (-greatest, -greatest);
    let mut width = 1.0;
    while mean_at(low) > n as f64 {
        (low, width) = (low - width, 2.0 * width);
    }
    width = 1.0;
    while mean_at(high) < n as f64 {
        (high, width) = (high + width, 2.0 * width);
    }
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        let mean = mean_at(middle);
        if mean < n as f64 {
            low = middle
        } else {
            high = middle
        }
        if (mean - n as f64).abs() < 0.5 {
            break;
        }
    }
    let s = 0.5 * (low + high);
    let (mut sums, mut log) = (vec![0.0; n + 1], -s * n as f64);
    sums[0] = 1.0;
    for l in logs {
        let (terms, log_of_sum) = series(l + s, n, nu);
        log += log_of_sum;
        for at in (0..=n).rev() {
            sums[at] = terms.iter().take(at + 1).enumerate().map(|(k, p)| p * sums[at - k]).sum();
        }
    }
    log + sums[n].ln()
}
