//! The result of a comparison in a few sentences: the best estimator, what a guess would give, and how many others are as good.

use super::words::{counted, digits, digits_for, is_baseline, listed, number, points, score, shown};
use super::{AgainstBest, Comparison, Estimate, Metric, Row};

/// A value of a metric with its standard error in brackets, such as `96.0% correct (± 1.9)`.
pub(super) fn achievement(metric: Metric, value: Estimate, said: impl Fn(&str) -> String) -> String {
    let digits = digits([value].into_iter());
    let (mean, error) = (score(metric, value.mean, digits), value.se);
    let error = match metric.is_share() {
        _ if !(error > 0.0 && error.is_finite()) => String::new(),
        true => format!(" (± {})", points(error)),
        false => format!(" (± {})", number(error, digits)),
    };
    format!("{}{error}", said(&mean))
}

impl Comparison {
    /// The best estimator with its score, or that there is none: one sentence.
    pub fn headline(&self) -> String {
        // Estimators that tie with the best one and are named.
        const TIED: usize = 3;
        let Some(best) = self.best() else { return self.without_a_best() };
        let name = |r: &Row| shown(&r.estimator, 60);
        let Some((metric, value)) = best.metrics.first() else {
            return format!("{} is the best; no score on held-out rows.", name(best));
        };
        let reached = achievement(*metric, *value, |v| metric.achieved(v));
        if is_baseline(best) && self.entries.len() > 1 {
            return format!("Nothing beats the baseline ({reached} by {}).", metric.naive());
        }
        let tied: Vec<String> =
            std::iter::once(best).chain(self.entries.iter().filter(|r| r.difference.is_some_and(|d| d.tied))).map(name).collect();
        let said = match tied.len() {
            1 if self.entries.len() == 1 => format!("{}: {reached}", tied[0]),
            1 => format!("{} {}", tied[0], achievement(*metric, *value, |v| metric.wins(v))),
            n if n <= TIED => format!("{} tie, in every fold: {reached}", listed(&tied)),
            n => format!("{} and {} tie, in every fold: {reached}", tied[0], counted(n - 1, "other")),
        };
        let open = if best.converged { "" } else { "; not all of its fits converged" };
        format!("{said}{}{open}.", self.but_a_leak())
    }

    /// That a column gives the target away, as the end of the sentence on the best estimator.
    fn but_a_leak(&self) -> String {
        // Columns that give the target away and are named.
        const LEAKS: usize = 2;
        let named: Vec<String> = self.leaks.iter().take(LEAKS).map(|c| format!("'{}'", shown(c, 40))).collect();
        match named.len() {
            0 => String::new(),
            1 => format!(", but column {} alone gives the target away", named[0]),
            _ => format!(", but columns such as {} each give the target away", listed(&named)),
        }
    }

    /// The result: the headline, what a guess gives, and how many others are as good.
    pub fn verdict(&self) -> String {
        [self.headline()].into_iter().chain(self.beside_the_best()).collect::<Vec<_>>().join(" ")
    }

    /// What a guess gives, and how the others stand to the best: short sentences that follow the headline.
    pub(super) fn beside_the_best(&self) -> Vec<String> {
        let mut out = Vec::new();
        let Some(best) = self.best() else { return out };
        out.extend(self.corrected_in_words(best));
        out.extend(self.guess_in_words(best));
        let is_other = |r: &&Row| !is_baseline(r) && !r.difference.is_some_and(|d| d.tied);
        let count = |how: AgainstBest| self.standing_so(how).filter(is_other).count();
        let rows = counted(self.rows, "row");
        let others = |n: usize, how: AgainstBest, one: &str, several: &str| match n {
            0 => None,
            1 => self.standing_so(how).find(is_other).map(|r| format!("{} {one}", shown(&r.estimator, 60))),
            n => Some(format!("{} {several}", counted(n, "other"))),
        };
        let same = count(AgainstBest::NotDistinguishable);
        let said = format!("cannot be distinguished from it with {rows}.");
        out.extend(others(same, AgainstBest::NotDistinguishable, &said, &said));
        if same == 0 {
            out.extend(others(count(AgainstBest::Worse), AgainstBest::Worse, "is worse.", "are worse."));
        }
        let missing = count(AgainstBest::NotTuned);
        out.extend((missing > 0).then(|| format!("{missing} {} not tuned and not compared.", if missing == 1 { "is" } else { "are" })));
        out
    }

    /// What the best row is expected to reach on new rows, where the choice of the best made its score better by a digit that is shown.
    fn corrected_in_words(&self, best: &Row) -> Option<String> {
        let metric = self.ranking();
        let (reached, corrected) = (best.metric(metric)?, self.corrected?);
        let digits = digits([reached].into_iter());
        let said = score(metric, corrected, digits);
        let among = self.entries.iter().filter(|r| r.failure.is_none()).count();
        (said != score(metric, reached.mean, digits)).then(|| format!("Corrected for the choice among {among}: {said}."))
    }

    /// What a guess that looks at no input gives, and whether the best row is better.
    fn guess_in_words(&self, best: &Row) -> Option<String> {
        let guess = self.guess().filter(|_| !is_baseline(best))?;
        let metric = self.ranking();
        let reached = best.metric(metric)?;
        let ahead = best.over_guess.is_some_and(|d| d.is_significant() && (d.mean > 0.0) == metric.rises());
        let digits = digits([reached].into_iter()).min(digits_for(guess.mean.abs() * 1e-2));
        let value = score(metric, guess.mean, digits);
        let naive = metric.naive();
        let capital: String = naive.chars().take(1).flat_map(char::to_uppercase).chain(naive.chars().skip(1)).collect();
        Some(if ahead { format!("{capital}: {value}.") } else { format!("That is not distinguishable from {naive}: {value}.") })
    }

    /// Why there is no best row.
    fn without_a_best(&self) -> String {
        let scored: Vec<&Row> = self.entries.iter().filter(|r| r.failure.is_none() && !r.metrics.is_empty()).collect();
        if scored.is_empty() {
            return "No winner: no method could be fitted; the table gives the reasons.".into();
        }
        let bare = |r: &&Row| shown(r.estimator.split('(').next().unwrap_or_default(), 40);
        let few: Vec<String> = scored.iter().filter(|r| !is_baseline(r)).take(2).map(bare).collect();
        let example = if few.is_empty() { String::new() } else { format!(", e.g. --estimators {}", few.join(",")) };
        format!("No winner: the work ended before any method finished. Give more time or fewer methods{example}")
    }
}
