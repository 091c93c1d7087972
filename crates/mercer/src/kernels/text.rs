//! Kernel expressions as text: reading and printing.

use super::operators::{Factors, KernelOperators};
use super::{Constant, KernelExpr, catalogue, compositions, shorthands};
use crate::error::{Error, Result};
use crate::expr::{self, Argument, Term};
use crate::param::{Domain, Value};
use std::fmt;

impl KernelExpr {
    /// Reads an expression such as `0.5*rbf(length_scale=2) + on(seq, spectrum(k=3))`.
    pub fn parse(text: &str) -> Result<KernelExpr> {
        Self::from_term(&expr::parse(text)?, text)
    }

    fn from_term(term: &Term, text: &str) -> Result<KernelExpr> {
        match term {
            Term::Sum(terms) => {
                let part = |t: &Term| if let Term::Number(x) = t { Self::number(*x) } else { Self::from_term(t, text) };
                Ok(Self::sum(terms.iter().map(part).collect::<Result<_>>()?))
            }
            Term::Product(factors) => Self::product_of(factors, text),
            Term::Power { base, exponent } => Self::from_term(base, text).map(|of| of.pow(*exponent)),
            Term::Call { name, args, at } => {
                let part = |term: &Term| Self::from_term(term, text);
                let made = shorthands::call(name, args, &part).or_else(|| Self::call(name, args, &part));
                expr::locate(text, *at, made.unwrap_or_else(|| Err(Error::unknown_here("kernel", name, names(), ELSEWHERE))))
            }
            other => fault(text, 0, &format!("'{other}' alone is not a kernel; there are: {}", names().join(", "))),
        }
    }

    /// A number among the terms of a sum: a constant kernel.
    fn number(x: f64) -> Result<KernelExpr> {
        Domain::Real.check("kernel", "a number in a sum", &Value::Number(x))?;
        let constant = |size: f64| -> Result<KernelExpr> {
            let term = Argument { name: None, term: Term::Number(size) };
            super::leaf::build::<Constant>(&[term]).map(KernelExpr::Constant)
        };
        if x < 0.0 { Ok(constant(1.0)?.scaled(Value::Number(x))) } else { constant(x) }
    }

    fn product_of(terms: &[Term], text: &str) -> Result<KernelExpr> {
        let mut factors = Factors::default();
        for term in terms {
            match term {
                Term::Number(_) | Term::Auto | Term::Range(..) => {
                    factors.number(Value::from_term(term, "kernel", "scale", Domain::Real)?);
                }
                kernel => factors.kernel(Self::from_term(kernel, text)?),
            }
            if let Some(number) = factors.second_number() {
                return Err(Error::OutOfDomain {
                    owner: "kernel".into(),
                    name: "scale".into(),
                    value: number.to_string(),
                    domain: "one number, auto or range per product".into(),
                });
            }
        }
        factors.product().map_or_else(|| fault(text, 0, "a product needs at least one kernel"), Ok)
    }

    pub(super) fn term(&self) -> Term {
        match (self.leaf(), self.composed()) {
            (Some(kernel), _) => kernel.term(),
            (None, Some(composed)) => composed.term(),
            (None, None) => Term::Auto,
        }
    }
}

fn fault<T>(text: &str, at: usize, expected: &str) -> Result<T> {
    Err(Error::Syntax { text: text.to_owned(), at, expected: expected.to_owned() })
}

/// What other books and libraries call kernels, and what that is here.
pub(crate) const ELSEWHERE: &[(&str, &str)] = &[
    ("gaussian", "rbf"),
    ("squared_exponential", "rbf"),
    ("exponentiated_quadratic", "rbf"),
    ("se", "rbf"),
    ("ard", "rbf(length_scale=[..]), one number per column"),
    ("poly", "polynomial"),
    ("quadratic", "polynomial(degree=2)"),
    ("cubic", "polynomial(degree=3)"),
    ("tanh", "sigmoid"),
    ("mlp", "sigmoid"),
    ("logistic", "sigmoid, or the estimator svc to classify"),
    ("neural_network", "arcsine, or nngp for a deeper one"),
    ("arccos", "arc_cosine"),
    ("arccosine", "arc_cosine"),
    ("arcsin", "arcsine"),
    ("relu", "nngp(activation=relu)"),
    ("neural_tangent", "ntk"),
    ("change_point", "changepoint(t, k1, k2), t a column of numbers"),
    ("change_points", "changepoint(t, k1, k2), t a column of numbers"),
    ("dot_product", "linear"),
    ("exponential", "matern(nu=0.5), or laplacian for the sum of absolute differences"),
    ("ornstein_uhlenbeck", "matern(nu=0.5)"),
    ("ou", "matern(nu=0.5)"),
    ("rq", "rational_quadratic"),
    ("cauchy", "rational_quadratic(alpha=1)"),
    ("exp_sine_squared", "periodic"),
    ("chi2", "chi_squared"),
    ("additive_chi2", "chi_squared"),
    ("intersection", "histogram_intersection"),
    ("tanimoto", "min_max(k), k a kernel that counts, such as min_max(weisfeiler_lehman)"),
    ("jaccard", "min_max(k), k a kernel that counts, such as min_max(linear)"),
    ("ruzicka", "min_max(k), k a kernel that counts, such as min_max(linear)"),
    ("bias", "constant"),
    ("noise", "white"),
    ("white_kernel", "white"),
    ("delta", "equal"),
    ("levenshtein", "edit"),
    ("gkm", "gapped"),
    ("gapped_kmer", "gapped"),
    ("kmer", "spectrum"),
    ("boundrange", "blended"),
    ("all_substrings", "substrings"),
    ("wd", "weighted_degree"),
    ("wdk", "weighted_degree"),
    ("ssk", "subsequence"),
    ("string_subsequence", "subsequence"),
    ("smith_waterman", "local_alignment(score=best)"),
    ("la", "local_alignment"),
    ("ngram", "spectrum"),
    ("kmer", "spectrum"),
    ("cosine_similarity", "cosine"),
    ("tf_idf", "tfidf"),
    ("bag_of_words", "tfidf(tf=count, idf=none, normalised=false)"),
    ("bow", "tfidf(tf=count, idf=none, normalised=false)"),
    ("tree", "subset_tree"),
    ("ptk", "partial_tree"),
    ("graph", "weisfeiler_lehman"),
    ("wl", "weisfeiler_lehman"),
    ("wl_subtree", "weisfeiler_lehman"),
    ("gak", "global_alignment"),
    ("ga", "global_alignment"),
    ("gdtw", "dtw"),
    ("minirocket", "convolutions"),
    ("mini_rocket", "convolutions"),
    ("rocket", "convolutions"),
    ("sig", "signature"),
    ("sigkernel", "signature_pde"),
    ("signature_kernel", "signature_pde"),
    ("multi_instance", "set_mean(rbf), or set_sum(rbf), of a column of sets"),
    ("normalize", "normalise"),
];

/// Names that may stand in an expression.
fn names() -> Vec<&'static str> {
    let compositions = compositions().into_iter().map(|c| c.form.name).filter(|name| !name.is_empty());
    let shorthands = shorthands::shorthands().iter().map(|s| s.form.name);
    catalogue().into_iter().map(|e| e.name).chain(compositions).chain(shorthands).collect()
}

impl fmt::Display for KernelExpr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.term().fmt(f)
    }
}

impl std::str::FromStr for KernelExpr {
    type Err = Error;
    fn from_str(text: &str) -> Result<Self> {
        Self::parse(text)
    }
}
