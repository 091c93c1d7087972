//! Headers of FASTA and FASTQ: a name, fields `KEY=VALUE` and words. Fields stand behind white space, or one behind the other with `;`,
//! `,` or `|` between them (`class=pos;len=3`), behind the name too (`read1;size=4`), or each in square brackets, as NCBI writes them
//! (`[organism=E. coli] [class=pos]`). A value in double quotes may hold anything else; one of a key of two capitals, as of UniProt
//! (`OS=Homo sapiens OX=9606`), goes up to the next key.

/// The name, the fields with their values in order, and the words that are left.
pub(super) fn parts(header: &str) -> (&str, Vec<(String, String)>, String) {
    let header = header.trim();
    let (name, mut text) = header.split_at(length_of_word(header));
    let (mut fields, mut words) = (Vec::new(), Vec::new());
    // A bracket that is never closed is no use to those behind it.
    let mut brackets = true;
    loop {
        text = text.trim_start();
        let behind = text.strip_prefix(SEPARATORS).filter(|behind| behind.is_empty() || starts_anew(behind));
        text = behind.unwrap_or(text).trim_start();
        if text.is_empty() {
            return (name, fields, words.join(" "));
        }
        let bracket = text.strip_prefix('[').filter(|inner| brackets && field(inner).is_some());
        let inner = bracket.and_then(|_| closed(text));
        brackets &= bracket.is_some() == inner.is_some();
        let length = if let Some((key, value)) = inner.and_then(field) {
            fields.push((key.to_owned(), unquoted(value.trim()).to_owned()));
            key.len() + value.len() + 3
        } else if let Some((key, value)) = field(text) {
            let length = length_of_value(key, value);
            fields.push((key.to_owned(), unquoted(value[..length].trim_end_matches(SEPARATORS)).to_owned()));
            key.len() + 1 + length
        } else {
            let length = length_of_word(text);
            words.push(&text[..length]);
            length
        };
        text = &text[length..];
    }
}

/// What stands between fields without white space.
const SEPARATORS: [char; 3] = [';', ',', '|'];

/// The key that the text begins with and what stands behind its `=`, if it begins with one.
fn field(text: &str) -> Option<(&str, &str)> {
    let end = text.find(|c: char| !(c.is_alphanumeric() || "_-.".contains(c)))?;
    let (key, behind) = text.split_at(end);
    behind.strip_prefix('=').filter(|_| key.starts_with(char::is_alphabetic)).map(|value| (key, value))
}

/// Whether white space or a field begins here.
fn starts_anew(text: &str) -> bool {
    text.starts_with(char::is_whitespace) || field(text).is_some()
}

/// Bytes up to white space, or to a separator with a field behind it.
fn length_of_word(text: &str) -> usize {
    let ends = |rest: &str| rest.starts_with(char::is_whitespace) || rest.strip_prefix(SEPARATORS).and_then(field).is_some();
    text.char_indices().map(|(at, _)| at).find(|&at| ends(&text[at..])).unwrap_or(text.len())
}

/// What stands between the bracket that the text begins with and the one that closes it.
fn closed(text: &str) -> Option<&str> {
    let mut open = 0;
    let end = text.char_indices().find(|(_, c)| {
        open += i32::from(*c == '[') - i32::from(*c == ']');
        open == 0
    });
    end.map(|(end, _)| &text[1..end])
}

/// Bytes of the value that a text begins with.
fn length_of_value(key: &str, text: &str) -> usize {
    if let Some(quoted) = text.strip_prefix('"') {
        return quoted.find('"').map_or(text.len(), |end| end + 2);
    }
    if key.len() != 2 || !key.bytes().all(|b| b.is_ascii_uppercase()) {
        return length_of_word(text);
    }
    // Up to the next field.
    let mut length = length_of_word(text);
    loop {
        let behind = text[length..].trim_start_matches(char::is_whitespace);
        if behind.is_empty() || behind.starts_with('[') || field(behind.trim_start_matches(SEPARATORS)).is_some() {
            return length;
        }
        length = text.len() - behind.len() + length_of_word(behind);
    }
}

/// The value without the quotes around it.
fn unquoted(value: &str) -> &str {
    value.strip_prefix('"').map_or(value, |value| value.strip_suffix('"').unwrap_or(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_of_headers_are_told_from_their_words() {
        let of = |text: &str| {
            let (name, fields, rest) = parts(text);
            (name.to_owned(), fields.iter().map(|(k, v)| format!("{k}:{v}")).collect::<Vec<_>>().join("|"), rest)
        };
        for (text, name, fields, rest) in [
            ("", "", "", ""),
            ("a label=1", "a", "label:1", ""),
            ("a a protein label=1 of note", "a", "label:1", "a protein of note"),
            ("a kind=\"two words\" y=3", "a", "kind:two words|y:3", ""),
            ("a kind=\"p;x=1\";y=3", "a", "kind:p;x=1|y:3", ""),
            ("a kind=\"never closed", "a", "kind:never closed", ""),
            ("a =1 2=3", "a", "", "=1 2=3"),
            ("a class=pos;len=3", "a", "class:pos|len:3", ""),
            ("a class=pos; len=3;", "a", "class:pos|len:3", ""),
            ("a class=pos,len=3 at 1,2", "a", "class:pos|len:3", "at 1,2"),
            // usearch and vsearch; a value with separators of its own.
            ("read1;size=25;tax=d:Bacteria,p:X;", "read1", "size:25|tax:d:Bacteria,p:X", ""),
            ("a|class=pos|len=3", "a", "class:pos|len:3", ""),
            ("gi|5524211|gb|AAD44166.1| cytochrome b;class=pos | x", "gi|5524211|gb|AAD44166.1|", "class:pos", "cytochrome b x"),
            // NCBI.
            ("a [class=pos] [organism=E. coli]", "a", "class:pos|organism:E. coli", ""),
            ("c_1 [gene=thrL] [protein=2-[methyl] x] of [note] [open=1", "c_1", "gene:thrL|protein:2-[methyl] x", "of [note] [open=1"),
            // UniProt.
            (
                "sp|P69905|HBA_HUMAN Hemoglobin subunit alpha OS=Homo sapiens (Human) OX=9606 GN=HBA1 PE=1 SV=2 label=1",
                "sp|P69905|HBA_HUMAN",
                "OS:Homo sapiens (Human)|OX:9606|GN:HBA1|PE:1|SV:2|label:1",
                "Hemoglobin subunit alpha",
            ),
            ("a OS=X y", "a", "OS:X y", ""),
            ("a OS= OX=1 x", "a", "OS:|OX:1 x", ""),
            ("größe ä=ö é", "größe", "ä:ö", "é"),
        ] {
            assert_eq!(of(text), (name.to_owned(), fields.to_owned(), rest.to_owned()), "{text}");
        }
    }
}
