//! What is said of expressions that cannot be taken.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "what fails here fails the test")]
#![allow(clippy::excessive_precision, reason = "reference values are quoted as their source prints them")]

use mercer::kernels::KernelExpr;
use mercer::testkit;

#[test]
fn expressions_say_where_and_what_is_wrong() {
    let message = |text: &str| KernelExpr::parse(text).unwrap_err().to_string();
    let e = message("rbf + rfb(length_scale=2)");
    assert!(e.contains("did you mean 'rbf'") && e.contains("spectrum") && e.contains(&format!("{}^", " ".repeat(8))), "{e}");
    let e = message("rbf(lengthscale=2)");
    assert!(e.contains("did you mean 'length_scale'"), "{e}");
    let e = message("rbf(length_scale=-1)");
    assert!(e.contains("above 0"), "{e}");
    let e = message("rbf(length_scale=2");
    assert!(e.contains("expected"), "{e}");
    let e = message("3");
    assert!(e.contains("not a kernel"), "{e}");
    let e = KernelExpr::parse("on(height, rbf)").unwrap().settle(&testkit::table(5, 0)).unwrap_err().to_string();
    assert!(e.contains("unknown column 'height'"), "{e}");
    let e = KernelExpr::parse("on(colour, rbf)").unwrap().bind(None, &testkit::table(5, 0)).err().map(|e| e.to_string());
    assert!(e.as_deref().is_some_and(|e| e.contains("categories")), "{e:?}");
}

#[test]
fn an_open_parameter_cannot_be_bound() {
    let e = KernelExpr::parse("rbf(length_scale=0.1..10)").unwrap().bind(None, &testkit::table(5, 0)).err().map(|e| e.to_string());
    assert!(e.as_deref().is_some_and(|e| e.contains("0.1..10")), "{e:?}");
}

/// Found by `make fuzz`: what is read must print as something that can be read.
#[test]
fn a_number_in_a_sum_is_finite() {
    for text in ["rbf - 1e999", "1e999 + rbf", "rbf - inf"] {
        let why = mercer::kernels::KernelExpr::parse(text).unwrap_err().to_string();
        assert!(why.contains("finite"), "{text}: {why}");
    }
}
