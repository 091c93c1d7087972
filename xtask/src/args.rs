//! The words after `cargo xtask`, as a task.

/// What was asked for.
#[derive(Debug, PartialEq)]
pub(crate) enum Task {
    Help,
    Spec { row: Option<String> },
    Smells,
    Readme { write: bool },
}

/// The task that the words name; `None` if they name none.
pub(crate) fn parse(words: &[String]) -> Option<Task> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words[..] {
        [] | ["help" | "--help" | "-h"] => Some(Task::Help),
        ["spec"] => Some(Task::Spec { row: None }),
        ["spec", "--row", row] => Some(Task::Spec { row: Some(row.to_owned()) }),
        ["smells"] => Some(Task::Smells),
        ["readme"] => Some(Task::Readme { write: false }),
        ["readme", "--write"] => Some(Task::Readme { write: true }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(text: &str) -> Option<Task> {
        parse(&text.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn every_task_is_read_and_nothing_else() {
        assert_eq!(task("spec --row F31"), Some(Task::Spec { row: Some("F31".into()) }));
        assert_eq!(task("readme --write"), Some(Task::Readme { write: true }));
        assert_eq!(task(""), Some(Task::Help));
        assert_eq!(task("spec F31"), None);
        assert_eq!(task("smell"), None);
    }
}
