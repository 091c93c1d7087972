//! What is worth knowing of how a table was taken, as facts about columns: what was found, what was made of it, and how to
//! say otherwise. Facts that say the same of several columns are one sentence.

use crate::data::names::shell_word;

/// What a fact is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Topic {
    /// What the target was taken for.
    Target,
    /// The table as a whole: its encoding, what parts its cells, what was left out.
    Table,
    /// Numbers written for people.
    Numbers,
    /// Dates.
    Dates,
    /// Words for true and false.
    Flags,
    /// Labels where there might be numbers.
    Labels,
    /// Columns that only identify rows.
    Identifiers,
    /// Values that may stand for missing cells.
    Missing,
    /// Values of a kernel matrix that may be distances.
    Distances,
    /// What training did not have.
    New,
}

/// One fact about some columns, or about the whole table.
#[derive(Clone, Debug, PartialEq)]
pub struct Fact {
    /// What it is about.
    pub topic: Topic,
    /// The columns concerned; none where it is the whole table.
    pub columns: Vec<String>,
    /// Whether it needs no notice: nothing was doubtful.
    pub plain: bool,
    /// What was found and made of it, with `{holds}`, `{has}`, `{looks}`, `{is}` for the verb.
    says: String,
    /// `TYPE does what` for `--types COLUMN=TYPE`.
    undo: Option<String>,
}

impl Fact {
    pub(super) fn of_table(says: impl Into<String>) -> Self {
        Fact { topic: Topic::Table, columns: Vec::new(), plain: false, says: says.into(), undo: None }
    }
    pub(super) fn of_column(topic: Topic, column: &str, says: impl Into<String>) -> Self {
        Fact { topic, columns: vec![column.to_owned()], plain: false, says: says.into(), undo: None }
    }
    /// With how to say otherwise: `TYPE does what`.
    pub(super) fn undone_by(self, undo: &str) -> Self {
        Fact { undo: Some(undo.to_owned()), ..self }
    }
    /// Changes the topic of the fact.
    pub(super) fn about(self, topic: Topic) -> Self {
        Fact { topic, ..self }
    }
    /// Without: the column is what training says.
    pub(super) fn settled(self) -> Self {
        Fact { undo: None, ..self }
    }
    pub(super) fn plainly(self) -> Self {
        Fact { plain: true, ..self }
    }

    /// The fact as one sentence, without a full stop.
    pub fn sentence(&self) -> String {
        // Names that are written out where several columns share a sentence.
        const NAMED: usize = 4;
        let several = self.columns.len() > 1;
        let noun = if self.topic == Topic::Target { "target" } else { "column" };
        let verbs = [("{holds}", "holds", "hold"), ("{has}", "has", "have"), ("{looks}", "looks", "look"), ("{is}", "is", "are")];
        let mut says = self.says.clone();
        for (verb, one, many) in verbs {
            says = says.replace(verb, if several { many } else { one });
        }
        let Some(first) = self.columns.first() else { return says };
        let names: Vec<String> = self.columns.iter().take(NAMED).map(|name| format!("'{name}'")).collect();
        let subject = match self.columns.len() {
            1 => format!("{noun} {}", names[0]),
            n if n > NAMED => format!("{noun}s {} and {} more", names.join(", "), n - NAMED),
            _ => format!("{noun}s {}", names.join(", ")),
        };
        let undo = self.undo.as_ref().map(|undo| match undo.split_once(' ') {
            Some((word, effect)) => format!("; {} {effect}", declared(first, word)),
            None => format!("; {}", declared(first, undo)),
        });
        let each = if several && undo.is_some() { ", and so for each" } else { "" };
        format!("{subject} {says}{}{each}", undo.unwrap_or_default())
    }
}

/// The option that declares a column, fit for a shell.
pub(super) fn declared(column: &str, word: &str) -> String {
    let column = if column.contains(',') { format!("\"{column}\"") } else { column.to_owned() };
    format!("--types {}", shell_word(&format!("{column}={word}")))
}

/// Facts that say the same of several columns as one; the target comes first, the others in the order they were met.
pub(super) fn merged(facts: &[Fact]) -> Vec<Fact> {
    let mut out: Vec<Fact> = Vec::new();
    for fact in facts {
        let same = |f: &&mut Fact| {
            !f.columns.is_empty() && (f.topic, &f.says, &f.undo, f.plain) == (fact.topic, &fact.says, &fact.undo, fact.plain)
        };
        match out.iter_mut().find(same) {
            Some(there) => there.columns.extend(fact.columns.iter().filter(|c| !there.columns.contains(c)).cloned().collect::<Vec<_>>()),
            None => out.push(fact.clone()),
        }
    }
    out.sort_by_key(|fact| fact.topic != Topic::Target);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_concerns_twenty_columns_is_one_sentence() {
        let fact = |name: &str| Fact::of_column(Topic::Dates, name, "{holds} dates: read as days").undone_by("category reads labels");
        let facts: Vec<Fact> = (0..20).map(|i| fact(&format!("c{i}"))).collect();
        let one = merged(&facts);
        assert_eq!(one.len(), 1);
        assert_eq!(
            one[0].sentence(),
            "columns 'c0', 'c1', 'c2', 'c3' and 16 more hold dates: read as days; --types c0=category reads labels, and so for each"
        );
        assert_eq!(merged(&facts[..1])[0].sentence(), "column 'c0' holds dates: read as days; --types c0=category reads labels");
        assert_eq!(merged(&[facts[0].clone(), facts[0].clone()])[0].columns, ["c0"]);
    }

    #[test]
    fn names_with_spaces_and_commas_are_quoted_as_a_shell_needs_them() {
        assert_eq!(declared("order id", "ignore"), "--types 'order id=ignore'");
        assert_eq!(declared("mass, kg", "number"), "--types '\"mass, kg\"=number'");
        assert_eq!(declared("Größe", "number"), "--types Größe=number");
    }

    #[test]
    fn the_target_comes_first() {
        let facts = [Fact::of_table("t: cells are separated by tabs"), Fact::of_column(Topic::Target, "y", "{has} two values")];
        assert_eq!(merged(&facts)[0].sentence(), "target 'y' has two values");
    }
}
