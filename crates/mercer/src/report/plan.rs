//! A plan in lines: rows, memory and time of each estimator.

use super::words::{count, counted, seconds};
use crate::compare::{Plan, label};
use crate::estimators::Size;
use crate::partial::BatchPlan;

impl Plan {
    /// Whether it is worth a look before the work begins: it takes a while, or not every row is learnt from.
    pub fn is_worth_saying(&self) -> bool {
        self.fits.iter().any(|f| f.rows < self.rows || f.landmarks.is_some()) || self.seconds().is_some_and(|s| s > 5.0)
    }
}

/// What a fit to batches is going to do.
pub fn batch_plan_text(plan: &BatchPlan) -> String {
    let (reading, sums) = (plan.seconds_of_reading(), plan.seconds_of_sums());
    format!(
        "plan: {} in {}{}; {} over them, at least {}: {} of reading, as fast as the sample was read, {} of sums for {}{}{}",
        counted(plan.rows, "row"),
        if plan.batches == 1 { "1 batch".into() } else { format!("{} batches", count(plan.batches)) },
        plan.bytes.map_or(String::new(), |size| format!(" ({})", bytes(size))),
        if plan.passes == 1 { "1 pass".into() } else { format!("{} passes", plan.passes) },
        seconds(reading + sums),
        seconds(reading),
        seconds(sums),
        counted(plan.features, "feature"),
        if plan.squared < plan.rows { format!(" over {} of the rows", count(plan.squared)) } else { String::new() },
        if plan.descends { "; then passes until the fit converges" } else { "" }
    )
}

/// One line for the whole and one for each estimator.
pub fn plan_text(plan: &Plan) -> String {
    let whole = match plan.seconds() {
        Some(s) if plan.is_more_than_budget() => format!(
            "plan: {}; up to {} of work on this machine, and more to do: the most promising first; --effort (0.1 to 10) and --thorough \
             do more",
            counted(plan.rows, "row"),
            seconds(s)
        ),
        Some(s) => format!("plan: {}; up to {} of work on this machine", counted(plan.rows, "row"), seconds(s)),
        None => format!("plan: {}", counted(plan.rows, "row")),
    };
    let line = |f: &crate::compare::Planned| {
        let part = match f.landmarks {
            Some(l) => {
                format!("all of them through {} landmarks (nystroem), or a random part of {}", count(l.rank), count(l.exact_rows))
            }
            None if f.rows < plan.rows => format!("a random part, {} of them", count(f.rows)),
            None => "all of them".into(),
        };
        let time = f.seconds().map(|s| format!(", about {}", seconds(s))).unwrap_or_default();
        let most = if f.most_bytes > f.bytes {
            format!(", up to {} with the kernel rows that it keeps", bytes(f.most_bytes))
        } else {
            String::new()
        };
        let road = road(f, plan.size.at(f.rows)).unwrap_or_default();
        format!("  {}: {part}{road}, {} of memory for a fit{most}{time}", label(&f.estimator.to_string(), f.own_scales), bytes(f.bytes))
    };
    std::iter::once(whole).chain(plan.fits.iter().map(line)).collect::<Vec<_>>().join("\n")
}

/// Whether a fit solves for the weights of features or for a coefficient of each row, where the kernel is a product of features and the
/// estimator may do either.
fn road(f: &crate::compare::Planned, size: Size) -> Option<String> {
    let rank = size.rank.filter(|_| f.landmarks.is_none())?;
    let few = Size { rank: Some(1), rows: size.rows.max(3), ..size };
    // An estimator that never asks for features has the same costs with and without them.
    if f.estimator.costs(few) == f.estimator.costs(few.by_values()) {
        return None;
    }
    let (features, rows) = (counted(rank, "feature"), count(size.rows));
    Some(match size.few() {
        Some(_) => format!(", primal ({features}, fewer than half of {rows} rows)"),
        None => format!(", dual ({features}, not fewer than half of {rows} rows)"),
    })
}

/// What a Gram matrix would take.
pub fn gram_plan(rows: usize, cols: usize, taken: f64) -> String {
    format!("{} x {} kernel values; about {} of work on this machine", count(rows), count(cols), seconds(taken))
}

/// A size in the unit that suits it.
fn bytes(n: u64) -> String {
    let n = n as f64;
    match n {
        n if n < 1e6 => format!("{:.0} kB", (n / 1e3).ceil()),
        n if n < 1e9 => format!("{:.0} MB", n / 1e6),
        n => format!("{:.1} GB", n / 1e9),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::Planned;
    use crate::estimators::EstimatorExpr;

    #[test]
    fn a_plan_names_the_rows_that_each_estimator_learns_from() {
        let fit = |name: &str, rows, operations| Planned {
            estimator: EstimatorExpr::parse(name).unwrap(),
            own_scales: false,
            rows,
            most_rows: rows,
            first_rows: rows,
            landmarks: None,
            bytes: 2_500_000,
            most_bytes: if name == "svc" { 1_600_000_000 } else { 2_500_000 },
            operations,
        };
        let fits = vec![fit("svc", 20_000, Some(2e11)), fit("knn", 5_000, Some(4e11))];
        let size = Size { rows: 20_000, outputs: 2, classes: true, rank: None, stored: None, per_value: Size::PER_VALUE };
        let plan = Plan { rows: 20_000, fits, shared_rows: 0, size, shared: Some(0.0), budget: None };
        let text = plan_text(&plan);
        assert!(text.contains("svc: all of them, 2 MB of memory") || text.contains("svc: all of them, 3 MB of memory"), "{text}");
        assert!(text.contains("knn: a random part, 5") && text.contains("up to"), "{text}");
        assert!(text.contains("up to 1.6 GB with the kernel rows") && text.matches("up to").count() == 2, "{text}");
        assert!(plan.is_worth_saying());
    }

    #[test]
    fn a_plan_says_whether_weights_of_features_or_coefficients_of_rows_are_solved_for() {
        let size = |rank| Size { rows: 100, outputs: 1, classes: false, rank, stored: None, per_value: Size::PER_VALUE };
        let of = |name: &str, rank| {
            let estimator = EstimatorExpr::parse(name).unwrap();
            let [rows, most_rows, first_rows] = [100; 3];
            let (landmarks, operations, own_scales) = (None, None, false);
            let fits = vec![Planned { estimator, own_scales, rows, most_rows, first_rows, landmarks, bytes: 1, most_bytes: 1, operations }];
            plan_text(&Plan { rows: 100, fits, shared_rows: 0, size: size(rank), shared: None, budget: None })
        };
        assert!(of("gp", Some(49)).contains("all of them, primal (49 features, fewer than half of 100 rows)"), "{}", of("gp", Some(49)));
        assert!(of("ridge", Some(50)).contains("dual (50 features, not fewer than half of 100 rows)"), "{}", of("ridge", Some(50)));
        assert!(["gp", "ridge"].iter().all(|name| !of(name, None).contains("features")));
        assert!(!of("knn", Some(4)).contains("features"), "{}", of("knn", Some(4)));
    }
}
