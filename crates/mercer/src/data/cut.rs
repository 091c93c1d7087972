//! Strings cut into pieces, such as words or substrings: each piece is known by a number, so that what uses pieces reads every
//! string once, whatever rows of the same table it is given.

use rayon::prelude::*;
use std::collections::HashMap;

/// Calls its second argument with each piece of a string, in order.
pub(crate) type Cutter<'a> = &'a (dyn Fn(&str, &mut dyn FnMut(&str)) + Sync);

/// Strings cut into pieces.
#[derive(Debug)]
pub(crate) struct Cut {
    /// The different pieces, ascending.
    pieces: Vec<String>,
    /// Where the pieces of each string begin, and the end of the last.
    starts: Vec<usize>,
    /// The number of each piece among `pieces`, string after string.
    numbers: Vec<u32>,
}

impl Cut {
    /// Of strings, each cut in one way.
    pub(super) fn of(strings: &[&str], cut: Cutter<'_>) -> Cut {
        // Strings that one thread cuts together.
        const TOGETHER: usize = 64;
        /// Of some strings: their pieces by number, the numbers, and how many each string has.
        type Part = (HashMap<String, u32>, Vec<u32>, Vec<usize>);
        let of_some = |strings: &[&str]| -> Part {
            let (mut known, mut numbers, mut counts) = (HashMap::new(), Vec::new(), Vec::new());
            for string in strings {
                let before = numbers.len();
                cut(string, &mut |piece| {
                    let next = known.len() as u32;
                    let number = known.get(piece).copied().unwrap_or_else(|| *known.entry(piece.to_owned()).or_insert(next));
                    numbers.push(number);
                });
                counts.push(numbers.len() - before);
            }
            (known, numbers, counts)
        };
        let parts: Vec<Part> = strings.par_chunks(TOGETHER).map(of_some).collect();
        let mut pieces: Vec<&str> = parts.iter().flat_map(|(known, ..)| known.keys().map(String::as_str)).collect();
        pieces.par_sort_unstable();
        pieces.dedup();
        let place: HashMap<&str, u32> = pieces.iter().enumerate().map(|(place, piece)| (*piece, place as u32)).collect();
        let (mut starts, mut numbers) = (vec![0], Vec::new());
        for (known, own, counts) in &parts {
            let mut places = vec![0; known.len()];
            known.iter().for_each(|(piece, number)| places[*number as usize] = place[piece.as_str()]);
            numbers.extend(own.iter().map(|&number| places[number as usize]));
            for count in counts {
                starts.push(starts.last().copied().unwrap_or_default() + count);
            }
        }
        Cut { pieces: pieces.into_iter().map(str::to_owned).collect(), starts, numbers }
    }

    /// The different pieces, ascending.
    pub(crate) fn pieces(&self) -> &[String] {
        &self.pieces
    }

    /// The pieces of a string, in order, as places among [`Cut::pieces`].
    pub(super) fn numbers(&self, string: usize) -> &[u32] {
        &self.numbers[self.starts[string]..self.starts[string + 1]]
    }

    /// How many pieces all strings have.
    pub(super) fn len(&self) -> usize {
        self.numbers.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_ascend_and_numbers_give_each_string_back() {
        let strings: Vec<String> = (0..300).map(|i| format!("b{} a c{}", i % 7, i % 90)).collect();
        let all: Vec<&str> = strings.iter().map(String::as_str).chain([""]).collect();
        let cut = Cut::of(&all, &|text, visit| text.split(' ').filter(|word| !word.is_empty()).for_each(visit));
        assert!(cut.pieces().is_sorted() && cut.pieces().len() == 7 + 1 + 90);
        for (i, text) in all.iter().enumerate() {
            let words: Vec<&str> = cut.numbers(i).iter().map(|&n| cut.pieces()[n as usize].as_str()).collect();
            assert_eq!(words.join(" "), *text);
        }
        assert_eq!(cut.len(), 900);
    }
}
