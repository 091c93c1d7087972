//! `cargo xtask spec`: which rows of docs/spec.md are proved by a test that cites them.

use crate::citations::{self, Citation, Extent};
use crate::placed::Placed;
use crate::repo;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

const PAGE: &str = "docs/spec.md";

/// One section of the page: its heading and its rows in order.
#[derive(Debug, PartialEq)]
struct Section {
    title: String,
    rows: Vec<Row>,
}

/// One row of the page.
#[derive(Debug, PartialEq)]
struct Row {
    id: String,
    name: String,
    /// Whether a test has to prove it.
    owed: bool,
}

/// The tests that cite each row, in order, and how much of its check each performs.
type Proofs = BTreeMap<String, Vec<(Extent, Placed)>>;

/// How far a row is proved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Coverage {
    Proved,
    /// Tests perform a part of its check.
    InPart,
    Open,
}

/// The coverage, or the tests of one row; an error for a citation that no row or no test stands behind.
pub(crate) fn run(row: Option<&str>) -> Result<String, String> {
    let sections = sections(&repo::read(PAGE)?)?;
    let files = repo::files(&[".rs", ".py", ".md"])?;
    let is_rust = |f: &&repo::File| f.path.starts_with("crates/") && f.path.ends_with(".rs");
    let pages: BTreeSet<String> =
        files.iter().filter(is_rust).flat_map(|f| citations::pages(&f.text).into_iter().map(|page| beside(&f.path, page))).collect();
    let cited: Vec<(String, Vec<Citation>)> = files
        .iter()
        .filter_map(|f| {
            let found = match () {
                () if is_rust(&f) => citations::in_rust(&f.text),
                () if pages.contains(&f.path) => citations::in_page(&f.text),
                () if f.path.ends_with(".py") && ["crates/mercer-python/tests/", "bench/"].iter().any(|room| f.path.starts_with(room)) => {
                    citations::in_python(&f.text)
                }
                () => return None,
            };
            Some((f.path.clone(), found))
        })
        .collect();
    let proofs = proofs(&sections, &cited)?;
    match row {
        None => Ok(coverage(&sections, &proofs)),
        Some(id) => tests_of(&sections, &proofs, id),
    }
}

/// The path from the root of the repository of what a file names from its own folder.
fn beside(file: &str, named: &str) -> String {
    let mut parts: Vec<&str> = file.split('/').collect();
    parts.pop();
    for part in named.split('/') {
        match part {
            ".." => drop(parts.pop()),
            "." | "" => {}
            name => parts.push(name),
        }
    }
    parts.join("/")
}

/// The rows of the page by section; an error for an id that stands twice.
fn sections(page: &str) -> Result<Vec<Section>, String> {
    let mut found: Vec<Section> = Vec::new();
    let mut seen = BTreeMap::new();
    for (i, line) in page.lines().enumerate() {
        if let Some(heading) = line.strip_prefix("## ") {
            let title = heading.split(" (").next().unwrap_or(heading).replacen("1b.", "1b", 1);
            found.push(Section { title, rows: Vec::new() });
        } else if let Some(cells) = cells(line)
            && let [id, name, .., check] = &cells[..]
            && citations::is_id(id)
            && let Some(section) = found.last_mut()
        {
            if let Some(first) = seen.insert(id.clone(), i + 1) {
                return Err(format!("{}\n", Placed::new(PAGE, i + 1, format!("row {id} stands already in line {first}"))));
            }
            let owed = !["docs only", "out of scope", "P2"].iter().any(|mark| check.starts_with(mark));
            section.rows.push(Row { id: id.clone(), name: name.clone(), owed });
        }
    }
    found.retain(|s| !s.rows.is_empty());
    Ok(found)
}

/// The cells of a table row; `\|` is a bar inside a cell.
fn cells(line: &str) -> Option<Vec<String>> {
    let inner = line.trim().strip_prefix('|')?.strip_suffix('|')?.replace("\\|", "\0");
    Some(inner.split('|').map(|c| c.trim().replace('\0', "|")).collect())
}

fn proofs(sections: &[Section], cited: &[(String, Vec<Citation>)]) -> Result<Proofs, String> {
    let mut proofs: Proofs = sections.iter().flat_map(|s| &s.rows).map(|r| (r.id.clone(), Vec::new())).collect();
    let mut faults = String::new();
    for (path, citations) in cited {
        for c in citations {
            let mut fault = |text: String| faults += &format!("{}\n", Placed::new(path, c.line, text));
            if c.rows.is_empty() {
                fault(format!("'{}' is followed by no row id", c.extent.marker()));
            }
            let Some(test) = &c.test else {
                fault(format!("{} cited outside a test; move the comment into the test or directly above it", c.rows.join(", ")));
                continue;
            };
            for id in &c.rows {
                match proofs.get_mut(id) {
                    Some(tests) => tests.push((c.extent, Placed::new(path, c.line, test))),
                    None => fault(format!("{PAGE} has no row {id}")),
                }
            }
        }
    }
    for (id, tests) in &proofs {
        let (whole, part): (Vec<_>, Vec<_>) = tests.iter().partition(|(extent, _)| *extent == Extent::Whole);
        if let ([(_, whole), ..], [(_, part), ..]) = (&whole[..], &part[..]) {
            let text = format!("{id} is cited in part here and as a whole in {}:{}; say the same in both", whole.path, whole.line);
            faults += &format!("{}\n", Placed::new(&part.path, part.line, text));
        }
    }
    if faults.is_empty() { Ok(proofs) } else { Err(faults) }
}

fn state(row: &Row, proofs: &Proofs) -> Coverage {
    match proofs.get(&row.id).map(Vec::as_slice) {
        None | Some([]) => Coverage::Open,
        Some(tests) if tests.iter().any(|(extent, _)| *extent == Extent::Part) => Coverage::InPart,
        Some(_) => Coverage::Proved,
    }
}

fn coverage(sections: &[Section], proofs: &Proofs) -> String {
    let mut out = String::new();
    let (mut all, mut done, mut half, mut spared) = (0, 0, 0, 0);
    for s in sections {
        let owed: Vec<&Row> = s.rows.iter().filter(|r| r.owed).collect();
        let of = |wanted: Coverage| -> Vec<&str> { owed.iter().filter(|r| state(r, proofs) == wanted).map(|r| r.id.as_str()).collect() };
        let (here, part, open) = (of(Coverage::Proved).len(), of(Coverage::InPart), of(Coverage::Open));
        let _ = write!(out, "{}: {here} of {} proved", s.title, owed.len());
        for (name, rows) in [("in part", &part), ("open", &open)].into_iter().filter(|(_, rows)| !rows.is_empty()) {
            let _ = write!(out, "; {name}: {}", rows.join(", "));
        }
        out.push('\n');
        (all, done, half, spared) = (all + owed.len(), done + here, half + part.len(), spared + s.rows.len() - owed.len());
    }
    let _ = writeln!(out, "total: {done} of {all} proved, {half} more in part; {spared} rows not owed (docs only, out of scope, P2)");
    out
}

fn tests_of(sections: &[Section], proofs: &Proofs, id: &str) -> Result<String, String> {
    let row = sections.iter().flat_map(|s| &s.rows).find(|r| r.id == id).ok_or_else(|| format!("{PAGE} has no row {id}\n"))?;
    let tests = proofs.get(id).map_or(&[][..], Vec::as_slice);
    let mut out = format!("{id} {}\n", row.name);
    for (extent, test) in tests {
        let _ = writeln!(out, "  {test}{}", if *extent == Extent::Part { " (in part)" } else { "" });
    }
    if tests.is_empty() {
        out += if row.owed { "  open: no test cites it\n" } else { "  not owed\n" };
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE_TEXT: &str = "# Page\n\n| S0 | a source, before any section |\n\n## 1.1 First (words)\n\n| id | name | check |\n|---|---|---|\n\
                             | F01 | one | number |\n| F02 | \\|two\\| | docs only: words |\n| E1-04 | three | P2 |\n\n## 1b. Second\n\n| K01 | four | docs prove it |\n";

    fn citation(rows: &[&str], test: Option<&str>) -> Vec<(String, Vec<Citation>)> {
        let rows = rows.iter().map(|s| (*s).to_owned()).collect();
        vec![("a.rs".into(), vec![Citation { line: 7, rows, extent: Extent::Whole, test: test.map(str::to_owned) }])]
    }

    fn in_part(row: &str) -> (String, Vec<Citation>) {
        ("b.rs".into(), vec![Citation { line: 3, rows: vec![row.into()], extent: Extent::Part, test: Some("half".into()) }])
    }

    #[test]
    fn rows_are_read_with_their_section_and_whether_they_are_owed() {
        let found = sections(PAGE_TEXT).unwrap();
        assert_eq!(found.iter().map(|s| s.title.as_str()).collect::<Vec<_>>(), ["1.1 First", "1b Second"]);
        let rows: Vec<_> = found[0].rows.iter().map(|r| (r.id.as_str(), r.name.as_str(), r.owed)).collect();
        assert_eq!(rows, [("F01", "one", true), ("F02", "|two|", false), ("E1-04", "three", false)]);
        assert!(found[1].rows[0].owed);
    }

    #[test]
    fn an_id_that_stands_twice_is_refused() {
        let twice = format!("{PAGE_TEXT}| F01 | again | x |\n");
        assert!(sections(&twice).unwrap_err().contains("F01"));
    }

    #[test]
    fn the_page_has_every_row_that_it_counts_in_its_last_line() {
        let page = repo::read(PAGE).unwrap();
        let found = sections(&page).unwrap();
        let of = |letters: &str| {
            found
                .iter()
                .flat_map(|s| &s.rows)
                .filter(|r| r.id.trim_end_matches(|c: char| c.is_ascii_digit() || c == '-') == letters)
                .count()
        };
        assert_eq!(["F", "K", "M", "S", "GP", "G", "T", "D", "R", "E"].map(of), [39, 48, 43, 45, 14, 30, 6, 21, 11, 73]);
    }

    #[test]
    fn proved_and_open_rows_are_counted() {
        let found = sections(PAGE_TEXT).unwrap();
        let proofs = proofs(&found, &citation(&["F01"], Some("a_test"))).unwrap();
        let text = coverage(&found, &proofs);
        assert_eq!(
            text,
            "1.1 First: 1 of 1 proved\n1b Second: 0 of 1 proved; open: K01\n\
             total: 1 of 2 proved, 0 more in part; 2 rows not owed (docs only, out of scope, P2)\n"
        );
        assert_eq!(tests_of(&found, &proofs, "F01").unwrap(), "F01 one\n  a.rs:7: a_test\n");
        assert!(tests_of(&found, &proofs, "F99").is_err());
    }

    #[test]
    fn rows_proved_in_part_are_listed_and_not_counted() {
        let found = sections(PAGE_TEXT).unwrap();
        let mut cited = citation(&["F01"], Some("a_test"));
        cited.push(in_part("K01"));
        let proofs = proofs(&found, &cited).unwrap();
        assert_eq!(
            coverage(&found, &proofs),
            "1.1 First: 1 of 1 proved\n1b Second: 0 of 1 proved; in part: K01\n\
             total: 1 of 2 proved, 1 more in part; 2 rows not owed (docs only, out of scope, P2)\n"
        );
        assert_eq!(tests_of(&found, &proofs, "K01").unwrap(), "K01 four\n  b.rs:3: half (in part)\n");
    }

    #[test]
    fn a_row_cited_as_a_whole_and_in_part_is_refused_with_both_places() {
        let found = sections(PAGE_TEXT).unwrap();
        let mut cited = citation(&["F01"], Some("a_test"));
        cited.push(in_part("F01"));
        assert_eq!(
            proofs(&found, &cited).unwrap_err(),
            "b.rs:3: F01 is cited in part here and as a whole in a.rs:7; say the same in both\n"
        );
    }

    #[test]
    fn a_page_is_found_from_the_file_that_takes_it_in() {
        assert_eq!(beside("crates/mercer/src/lib.rs", "../../../docs/a.md"), "docs/a.md");
        assert_eq!(beside("crates/a/tests/b.rs", "./c.md"), "crates/a/tests/c.md");
    }

    #[test]
    fn unknown_rows_and_citations_outside_tests_are_refused_with_their_place() {
        let found = sections(PAGE_TEXT).unwrap();
        assert_eq!(proofs(&found, &citation(&["F77"], Some("t"))).unwrap_err(), "a.rs:7: docs/spec.md has no row F77\n");
        assert!(proofs(&found, &citation(&["F01"], None)).unwrap_err().contains("outside a test"));
        assert!(proofs(&found, &citation(&[], Some("t"))).unwrap_err().contains("no row id"));
    }
}
