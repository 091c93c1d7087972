//! The text that LIBSVM and LIBLINEAR write a model as: lines `KEY VALUE ...`, and behind a line of one word the coefficients.

use crate::control::Control;
use crate::data::{Labels, TargetInfo};
use crate::error::{Error, Result};
use std::fmt::Display;
use std::str::FromStr;

/// A line with its number, from 1.
pub(super) type Line<'a> = (usize, &'a str);

/// The entries of a model, and the lines of its coefficients.
pub(super) struct TextModel<'a> {
    /// The program that writes such text.
    program: &'static str,
    file: &'a str,
    /// Key, number of its line, values.
    entries: Vec<(&'a str, usize, Vec<&'a str>)>,
    /// The lines behind the entries that are not empty.
    pub(super) body: Vec<Line<'a>>,
    /// The number of the last line.
    pub(super) last: usize,
}

impl<'a> TextModel<'a> {
    /// Splits the text; `body` is the word before the coefficients.
    ///
    /// # Errors
    /// An entry that is not among `keys`, or stands twice; text that ends before `body` or within a line; memory.
    pub(super) fn of(
        program: &'static str,
        (text, file): (&'a str, &'a str),
        keys: &[&str],
        body: &str,
        control: &Control,
    ) -> Result<Self> {
        // Bytes that are held of each byte of the text while it is read: words, numbers, and the rows or weights that these become.
        const PER_BYTE: u64 = 6;
        control.plan(&format!("reading {file}"), PER_BYTE * text.len() as u64)?;
        let mut lines = text.lines().enumerate().map(|(at, line)| (at + 1, line.trim())).filter(|(_, line)| !line.is_empty());
        let mut model = TextModel { program, file, entries: Vec::new(), body: Vec::new(), last: text.lines().count() };
        if !text.ends_with('\n') {
            return Err(model.cut_off("within this line"));
        }
        for (number, line) in lines.by_ref() {
            let mut words = line.split_ascii_whitespace();
            let key = words.next().unwrap_or_default();
            if key == body {
                model.body = lines.collect();
                return Ok(model);
            }
            if !keys.contains(&key) {
                return Err(model.fault(number, Error::unknown("entry", key, keys.iter().copied().chain([body]))));
            }
            if let Some((_, first, _)) = model.entries.iter().find(|(known, ..)| *known == key) {
                return Err(model.fault(number, format!("{key} stands in line {first} already; leave one of them")));
            }
            model.entries.push((key, number, words.collect()));
        }
        Err(model.cut_off(&format!("before the line '{body}'")))
    }

    /// What is wrong with a line.
    pub(super) fn fault(&self, line: usize, why: impl Display) -> Error {
        Error::ModelFile { file: self.file.into(), why: format!("line {line}: {why}") }
    }

    /// That the text ends too early.
    pub(super) fn cut_off(&self, place: &str) -> Error {
        self.fault(self.last, format!("the text ends {place}: truncated; copy it again"))
    }

    /// A fault of what an entry says; of the whole where there is none.
    pub(super) fn fault_of(&self, key: &str, why: impl Display) -> Error {
        let line = self.entries.iter().find(|(known, ..)| *known == key).map_or(self.last, |(_, line, _)| *line);
        self.fault(line, why)
    }

    /// The values of an entry, where it is there.
    pub(super) fn values(&self, key: &str) -> Option<&[&'a str]> {
        self.entries.iter().find(|(known, ..)| *known == key).map(|(.., values)| values.as_slice())
    }

    /// The one value of an entry that has to be there.
    pub(super) fn word(&self, key: &str) -> Result<&'a str> {
        match self.values(key) {
            Some([word]) => Ok(word),
            Some(several) => Err(self.fault_of(key, format!("{key}: expected one value, found {}", several.len()))),
            None => Err(self.fault(self.last, format!("the entry {key} is missing"))),
        }
    }

    /// The number of an entry that has to be there.
    pub(super) fn number<T: FromStr>(&self, key: &str, expected: &str) -> Result<T> {
        let word = self.word(key)?;
        word.parse().map_err(|_| self.fault_of(key, format!("{key}: found '{word}', expected {expected}")))
    }

    /// The finite number of an entry that has to be there.
    pub(super) fn finite(&self, key: &str) -> Result<f64> {
        finite(self.word(key)?).map_err(|why| self.fault_of(key, format!("{key}: {why}")))
    }

    /// So many finite numbers of an entry, where it is there.
    pub(super) fn finites(&self, key: &str, count: usize) -> Result<Option<Vec<f64>>> {
        let Some(values) = self.values(key) else { return Ok(None) };
        if values.len() != count {
            return Err(self.fault_of(key, format!("{key}: expected {count} numbers, found {}", values.len())));
        }
        values
            .iter()
            .map(|word| finite(word))
            .collect::<std::result::Result<_, _>>()
            .map(Some)
            .map_err(|why| self.fault_of(key, format!("{key}: {why}")))
    }

    /// The number of classes, which is 2 where there are none.
    pub(super) fn classes(&self, of_classes: bool) -> Result<usize> {
        const KEY: &str = "nr_class";
        let classes: usize = self.number(KEY, "the number of classes")?;
        if classes < 2 || (!of_classes && classes != 2) {
            let without = format!("2, as {} writes where there are no classes", self.program);
            let expected = if of_classes { "2 or more" } else { &without };
            return Err(self.fault_of(KEY, format!("{KEY} is {classes}, expected {expected}")));
        }
        Ok(classes)
    }

    /// Refuses another number of lines of coefficients; `fewer` and `more` say what they are.
    pub(super) fn require_lines(&self, expected: usize, fewer: &str, more: &str) -> Result<()> {
        let found = self.body.len();
        match self.body.get(expected) {
            Some((line, _)) => Err(self.fault(*line, format!("one more {more}"))),
            None if found < expected => Err(self.cut_off(&format!("after {found} {fewer}"))),
            None => Ok(()),
        }
    }

    /// Where the model is from.
    pub(super) fn origin(&self) -> String {
        format!("taken over from {} ({}), which tells neither the training rows nor their penalty", self.program, self.file)
    }

    /// What is predicted: classes by their labels, of two the first label last, or numbers, or nothing that has a name.
    pub(super) fn target(&self, classes: Option<usize>, is_novelty: bool) -> Result<TargetInfo> {
        let mut labels = classes.map(|count| self.labels(count)).transpose()?;
        if let Some([first, second]) = labels.as_deref_mut() {
            std::mem::swap(first, second);
        }
        Ok(TargetInfo {
            names: if is_novelty { Vec::new() } else { vec!["target".into()] },
            labels: if labels.is_some() { Labels::Integer } else { Labels::Text },
            classes: labels,
        })
    }

    /// The labels of so many classes: whole numbers that differ.
    fn labels(&self, count: usize) -> Result<Vec<String>> {
        const KEY: &str = "label";
        let words = self.values(KEY).ok_or_else(|| self.fault(self.last, "the entry label is missing: there are no names of classes"))?;
        if words.len() != count {
            return Err(
                self.fault_of(KEY, format!("label: expected {count} labels, one for each class of nr_class, found {}", words.len()))
            );
        }
        let mut labels = Vec::with_capacity(count);
        for word in words {
            let Ok(label) = word.parse::<i64>() else {
                return Err(self.fault_of(KEY, format!("label: found '{word}', expected a whole number")));
            };
            labels.push(label.to_string());
        }
        let mut sorted: Vec<&String> = labels.iter().collect();
        sorted.sort_unstable();
        match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => Err(self.fault_of(KEY, format!("label: two classes are called {}", pair[0]))),
            None => Ok(labels),
        }
    }
}

/// A finite number, or what was found instead.
pub(super) fn finite(word: &str) -> std::result::Result<f64, String> {
    word.parse::<f64>().ok().filter(|x| x.is_finite()).ok_or_else(|| format!("found '{word}', expected a finite number"))
}
