//! What is said of expressions that cannot be taken.

use mercer::data::ColumnKind;
use mercer::estimators::EstimatorExpr;
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
    assert!(e.starts_with("a closing ')' is missing here"), "{e}");
    assert!(message("(rbf + linear").starts_with("a closing ')' is missing here"));
    assert!(message("rbf(length_scale=2 ard=true)").starts_with("expected ',' or ')' here"));
    let e = message("rbf(gama=1)");
    assert!(e.contains("did you mean 'gamma'"), "{e}");
    assert!(!message("foo").contains("did you mean"));
    let e = message("3");
    assert!(e.contains("not a kernel"), "{e}");
    let e = KernelExpr::parse("on(height, rbf)").unwrap().settle(&testkit::table(5, 0)).unwrap_err().to_string();
    assert!(e.contains("unknown column 'height'"), "{e}");
    let e = KernelExpr::parse("on(colour, rbf)").unwrap().bind(None, &testkit::table(5, 0)).err().map(|e| e.to_string());
    assert!(e.as_deref().is_some_and(|e| e.contains("categories")), "{e:?}");
}

#[test]
fn parameters_of_other_libraries_lead_to_those_of_this_one() {
    let message = |text: &str| EstimatorExpr::parse(text).unwrap_err().to_string();
    for (text, here) in [
        ("ridge(alpha=1)", "(here that is lambda)"),
        ("gp(alpha=1)", "(here that is noise)"),
        ("knn(n_neighbors=5)", "(here that is k)"),
        ("svc(gamma=1)", "(here that is a parameter of the kernel, such as rbf(gamma=1)"),
        ("svr(kernel=rbf)", "(--kernel)"),
    ] {
        assert!(message(text).contains(here), "{}", message(text));
    }
    assert!(!message("foo").contains("did you mean"));
}

#[test]
fn several_estimators_where_one_is_expected_are_told_apart_from_a_fault() {
    let e = EstimatorExpr::parse("svc(c=1), knn").unwrap_err().to_string();
    assert!(e.starts_with("one estimator is expected") && e.ends_with(&format!("  svc(c=1), knn\n  {}^", " ".repeat(10))), "{e}");
    let list = EstimatorExpr::parse_list("svc(c=1), knn").unwrap();
    assert_eq!(list.iter().map(ToString::to_string).collect::<Vec<_>>(), ["svc(c=1)", "knn"]);
    let e = EstimatorExpr::parse_list("knn, svc(c=1").unwrap_err().to_string();
    assert!(e.starts_with("a closing ')' is missing here\n  knn, svc(c=1\n"), "{e}");
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

#[test]
fn labels_are_strings_where_a_kernel_of_strings_can_mean_nothing_else() {
    let columns = [("age", ColumnKind::Number), ("city", ColumnKind::Category), ("s", ColumnKind::Category)];
    let strings = |text: &str, columns: &[(&str, ColumnKind)]| KernelExpr::parse(text).unwrap().strings_among(columns);
    assert_eq!(strings("spectrum(k=2)", &columns[1..2]), ["city"]);
    assert_eq!(strings("on(s, spectrum(k=2)) + on(city, equal)", &columns), ["s"]);
    assert_eq!(strings("rbf + on(s, spectrum(k=2))", &columns), ["s"]);
    // Two columns for a kernel of one, a column that is asked for as labels too, and columns that suit the kernel as they are.
    assert!(strings("spectrum(k=2)", &columns).is_empty());
    assert!(strings("on(s, spectrum(k=2)) + on(s, equal)", &columns).is_empty());
    assert!(strings("equal", &columns).is_empty());
    assert!(strings("spectrum(k=2)", &[("s", ColumnKind::Sequence), ("city", ColumnKind::Category)]).is_empty());
}

#[test]
fn a_kernel_with_open_numbers_costs_what_it_does_where_these_are_settled() {
    let data = testkit::table(40, 3);
    for text in [
        "on(seq, spectrum(k=2..4))",
        "on(seq, normalise(spectrum(k=auto)))",
        "on(seq, fisher(hmm(states=2..3)))",
        "on([a, b], fisher(gaussian_mixture(components=1..4)))",
        "on([a, b], nystroem(rbf, rank=5)) + on(seq, blended(k=2..4))",
    ] {
        let open = KernelExpr::parse(text).unwrap();
        let settled = open.settle(&data).unwrap();
        let costs = |kernel: &KernelExpr| (kernel.rank(&data), kernel.stored(&data), kernel.per_value(&data));
        assert_eq!(costs(&open), costs(&settled), "{text}");
    }
}
