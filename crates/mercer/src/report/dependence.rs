//! What a test of independence or of two samples found, in words.

use super::words::{brief_kernel, wrapped};
use crate::dependence::TestResult;
use crate::kernels::KernelExpr;

/// What was asked.
#[derive(Clone, Debug)]
pub enum Question {
    /// Whether two sets of columns, each named as typed, depend on each other.
    Independence([String; 2]),
    /// Whether the rows of two groups, each with its name and number of rows, are of one distribution.
    TwoSamples([(String, usize); 2]),
}

impl Question {
    /// The answer as a sentence.
    fn answer(&self, p: f64) -> String {
        // A p-value below this is called evidence.
        const LEVEL: f64 = 0.05;
        let p_value = if p < 0.001 { "p < 0.001".into() } else { format!("p = {}", p_value(p)) };
        match (self, p < LEVEL) {
            (Question::Independence([a, b]), true) => format!("{a} and {b} depend on each other ({p_value})."),
            (Question::Independence([a, b]), false) => format!("No dependence between {a} and {b} was found ({p_value})."),
            (Question::TwoSamples([a, b]), true) => format!("{} and {} differ ({p_value}).", a.0, b.0),
            (Question::TwoSamples([a, b]), false) => format!("No difference between {} and {} was found ({p_value}).", a.0, b.0),
        }
    }

    fn setting(&self, rows: usize) -> String {
        match self {
            Question::Independence([a, b]) => format!("between      {a}\nand          {b}\nrows         {rows}\n"),
            Question::TwoSamples([a, b]) => format!("groups       {} ({} rows) and {} ({} rows)\n", a.0, a.1, b.0, b.1),
        }
    }
}

/// `0.032`, `<0.001`.
pub fn p_value(p: f64) -> String {
    if p < 0.001 { "<0.001".into() } else { format!("{p:.3}") }
}

/// The kernel of an expression with four significant digits; a text that is none as it is.
fn readable(kernel: &str) -> String {
    KernelExpr::parse(kernel).map_or_else(|_| kernel.to_owned(), |k| brief_kernel(&k))
}

/// The answer, what was asked, and the numbers behind it; the sentence in lines of at most `width` characters (at least 40).
pub fn dependence_text(question: &Question, found: &TestResult, seed: u64, width: usize) -> String {
    let statistic = match question {
        Question::Independence(_) => "HSIC",
        Question::TwoSamples(_) => "MMD squared",
    };
    let kernels: String = found.kernels.iter().map(|k| format!("kernel       {}\n", readable(k))).collect();
    let answer = wrapped(&question.answer(found.p_value), ["", ""], width.max(40)).join("\n");
    let by_gamma = found.p_gamma.map_or(String::new(), |p| format!("; {} by a gamma distribution", p_value(p)));
    format!(
        "{answer}\n\n{}{kernels}{statistic:<13}{:.3e} ({:.3e} without bias)\nby chance    {:.3e}, standard deviation {:.1e}\n\
         p-value      {} ({} permutations, seed {seed}){by_gamma}\n",
        question.setting(found.rows),
        found.statistic,
        found.unbiased,
        found.mean,
        found.deviation,
        p_value(found.p_value),
        found.permutations,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_answer_says_what_the_p_value_means() {
        let asked = Question::Independence(["alcohol".into(), "quality".into()]);
        assert_eq!(asked.answer(0.001), "alcohol and quality depend on each other (p = 0.001).");
        assert_eq!(asked.answer(0.0004), "alcohol and quality depend on each other (p < 0.001).");
        assert_eq!(asked.answer(0.41), "No dependence between alcohol and quality was found (p = 0.410).");
        let asked = Question::TwoSamples([("drug".into(), 40), ("placebo".into(), 38)]);
        assert_eq!(asked.answer(0.012), "drug and placebo differ (p = 0.012).");
        assert_eq!(asked.answer(0.05), "No difference between drug and placebo was found (p = 0.050).");
        assert_eq!(readable("rbf(length_scale=0.7071067811865475)"), "rbf(length_scale=0.7071)");
    }
}
