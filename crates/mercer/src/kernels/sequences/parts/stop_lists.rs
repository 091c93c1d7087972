//! Stop words by the name of a language: the lists of NLTK, most of which are those of Snowball.

use std::borrow::Cow;

/// Languages, and their codes in ISO 639-1.
const LANGUAGES: [(&str, &str); 32] = [
    ("albanian", "sq"),
    ("arabic", "ar"),
    ("azerbaijani", "az"),
    ("basque", "eu"),
    ("belarusian", "be"),
    ("bengali", "bn"),
    ("catalan", "ca"),
    ("chinese", "zh"),
    ("danish", "da"),
    ("dutch", "nl"),
    ("english", "en"),
    ("finnish", "fi"),
    ("french", "fr"),
    ("german", "de"),
    ("greek", "el"),
    ("hebrew", "he"),
    ("hungarian", "hu"),
    ("indonesian", "id"),
    ("italian", "it"),
    ("kazakh", "kk"),
    ("nepali", "ne"),
    ("norwegian", "no"),
    ("portuguese", "pt"),
    ("romanian", "ro"),
    ("russian", "ru"),
    ("slovenian", "sl"),
    ("spanish", "es"),
    ("swedish", "sv"),
    ("tajik", "tg"),
    ("tamil", "ta"),
    ("turkish", "tr"),
    ("uzbek", "uz"),
];

/// The words that are meant: the lists of languages where nothing but their names is given, the words themselves otherwise.
pub(in crate::kernels) fn meant(given: &[String]) -> Cow<'_, [String]> {
    let list = |name: &String| {
        let (_, code) = LANGUAGES.iter().find(|(language, _)| name.eq_ignore_ascii_case(language))?;
        stop_words::lookup(code)
    };
    match given.iter().map(list).collect::<Option<Vec<_>>>() {
        Some(lists) if !lists.is_empty() => Cow::Owned(lists.into_iter().flatten().map(|word| (*word).to_owned()).collect()),
        _ => Cow::Borrowed(given),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_that_is_named_has_a_list() {
        for (language, _) in LANGUAGES {
            assert!(meant(&[language.to_owned()]).len() > 10, "{language}");
        }
        assert_eq!(meant(&["klingon".to_owned()]).as_ref(), ["klingon"]);
    }
}
