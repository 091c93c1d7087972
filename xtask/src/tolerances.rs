//! One-sided tolerances: `assert!(a - b < tol)` also holds when `a` is far too small.

use crate::rust_source::closing;

/// Bytes of the assertions in blanked Rust code that compare a signed difference with a tolerance.
pub(crate) fn in_rust(code: &str) -> Vec<usize> {
    let mut found = Vec::new();
    for (at, _) in code.match_indices("assert!(") {
        let open = at + "assert!".len();
        let inside = code.get(open + 1..closing(code, open)).unwrap_or_default();
        if one_sided(first_argument(inside)) {
            found.push(at);
        }
    }
    found
}

/// Lines (from 1) of a Python file with such an assertion.
pub(crate) fn in_python(text: &str) -> Vec<usize> {
    let claims = text.lines().enumerate().filter_map(|(i, line)| {
        let claim = line.trim_start().strip_prefix("assert ")?;
        Some((i + 1, claim))
    });
    claims.filter(|(_, claim)| one_sided(first_argument(claim))).map(|(line, _)| line).collect()
}

/// The text up to the first comma outside brackets.
fn first_argument(text: &str) -> &str {
    outside(text).find(|(_, c)| *c == ',').map_or(text, |(i, _)| &text[..i])
}

/// Characters outside all brackets, with their place.
fn outside(text: &str) -> impl Iterator<Item = (usize, char)> {
    let mut depth = 0i64;
    text.char_indices().filter(move |(_, c)| {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
        depth == 0
    })
}

/// Whether any `&&` part of a claim is a signed difference below a tolerance.
fn one_sided(claim: &str) -> bool {
    claim.split("&&").flat_map(|part| part.split(" and ")).any(|part| {
        let Some((at, sign)) = outside(part).find(|(i, c)| matches!(c, '<' | '>') && part[..*i].ends_with(' ')) else { return false };
        let (left, right) = (&part[..at], part[at + 1..].trim_start_matches('='));
        let (difference, tolerance) = if sign == '<' { (left, right) } else { (right, left) };
        is_difference(difference) && is_tolerance(tolerance)
    })
}

/// A binary minus outside the brackets of calls, with nothing that makes the sign go away.
fn is_difference(text: &str) -> bool {
    let two_sided = ["abs", "norm", "powi(2)", "** 2", "hypot", "distance", "max(", "fabs"];
    if two_sided.iter().any(|word| text.contains(word)) {
        return false;
    }
    let mut calls = Vec::new();
    let mut before = ' ';
    for (i, c) in text.char_indices() {
        match c {
            '(' | '[' => calls.push(c == '[' || before.is_alphanumeric() || matches!(before, '_' | '>')),
            ')' | ']' => {
                calls.pop();
            }
            '-' if text[i..].starts_with("- ") && text[..i].ends_with(' ') && !calls.contains(&true) => return true,
            _ => {}
        }
        before = c;
    }
    false
}

/// A small number or a name that says so.
fn is_tolerance(text: &str) -> bool {
    let text = text.trim();
    let named = ["tol", "eps", "1e-", "e-"].iter().any(|word| text.to_lowercase().contains(word));
    named || text.parse::<f64>().is_ok_and(|x| x > 0.0 && x < 0.5)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signed_differences_below_a_tolerance_are_found() {
        for bad in [
            "assert!(a - b < 1e-9);",
            "assert!((a - b) / b <= tol, \"x\")",
            "prop_assert!(1e-8 > f(x) - g(x));",
            "assert!(ok && a - b < 0.01)",
        ] {
            assert_eq!(in_rust(bad).len(), 1, "{bad}");
        }
        assert_eq!(in_python("def test_a():\n    assert a - b < 1e-9\n"), [2]);
    }

    #[test]
    fn two_sided_and_unrelated_comparisons_are_not() {
        for good in [
            "assert!((a - b).abs() <= 1e-9);",
            "assert!(f(x - 1.0) < 1e-3);",
            "assert!((a - b).powi(2) < 1e-9);",
            "assert!(a < b - 1e-9);",
            "assert!(end - start < rows);",
            "assert!(x.iter().all(|v| v < &1e-3));",
            "assert!(gap < 1e-6, \"{} - {}\", a, b);",
        ] {
            assert!(in_rust(good).is_empty(), "{good}");
        }
        assert!(in_python("assert abs(a - b) < 1e-9\nassert np.max(np.abs(a - b)) < tol\n").is_empty());
    }
}
