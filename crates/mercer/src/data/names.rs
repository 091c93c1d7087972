//! What the name of a column says of its cells, and how a name is written in a shell.

/// A word as it is written in a shell: in quotes where it has signs that a shell reads.
pub(crate) fn shell_word(word: &str) -> String {
    let is_plain = word.chars().all(|c| c.is_alphanumeric() || "_-.:=/%+@".contains(c));
    if is_plain { word.to_owned() } else { format!("'{}'", word.replace('\'', "'\\''")) }
}

/// Last words of the names of what several rows are often of.
const OWNERS: [&str; 18] = [
    "account",
    "animal",
    "client",
    "customer",
    "device",
    "donor",
    "household",
    "machine",
    "member",
    "participant",
    "patient",
    "person",
    "pid",
    "speaker",
    "subject",
    "user",
    "username",
    "volunteer",
];

/// Whether the last word of a name is one of an identifier: `order id`, `PassengerId`, `Kunde Nr.`, but not `paid`.
pub(crate) fn named_as_identifier(name: &str) -> bool {
    // Last words of the names of identifiers.
    const IDENTIFIERS: [&str; 12] = ["id", "ids", "nr", "no", "key", "uuid", "guid", "rowid", "rownumber", "rownames", "index", "idx"];
    words(name).last().is_some_and(|word| IDENTIFIERS.contains(&word.as_str()))
}

/// Whether a name is that of an identifier, or of what several rows are often of: `customer`, `patient`.
pub(crate) fn named_as_owner(name: &str) -> bool {
    named_as_identifier(name) || words(name).last().is_some_and(|word| OWNERS.contains(&word.as_str()))
}

/// The words of a name in small letters.
pub(crate) fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = ' ';
    for c in name.chars() {
        let begins = !c.is_alphanumeric() || (c.is_uppercase() && before.is_lowercase());
        if begins && words.last().is_some_and(|word| !word.is_empty()) {
            words.push(String::new());
        }
        if c.is_alphanumeric() {
            words.last_mut().into_iter().for_each(|word| word.extend(c.to_lowercase()));
        }
        before = c;
    }
    words.retain(|word| !word.is_empty());
    words
}
