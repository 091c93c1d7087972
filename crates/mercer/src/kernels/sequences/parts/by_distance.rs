//! Kernels of strings that are a table of the Hamming distance summed over pairs of windows: k(x, z) = sum_u sum_v table[d(u, v)].
//!
//! Where there are few words as long as a window, the words that a string holds are its features, in the coordinates that diagonalise the
//! table; elsewhere pairs of windows are counted by their distance.

use super::hamming::{apply, eigenvalues, multiply, reflect};
use super::letters::{Code, Encoded, Reading, with_codes};
use super::windows::{BitMaps, Windows, steps};
use crate::control::Control;
use crate::data::{PER_FUNCTION, Points, Strings};
use crate::error::Result;
use crate::gram::{FeatureWeights, Fold, Identity, PreparedBatch, PreparedPoints, Tile, prepare_each};
use crate::linalg::{Matrix, Real};
use rayon::prelude::*;
use std::f64::consts::FRAC_1_SQRT_2;

/// Strings have features where there are no more words than this, and where a product of them takes no longer than the distances of the
/// windows: a multiplication or an addition takes about half the time of an operation on a word (300 letters: 49,000 operations in 2.4 us; 4,096
/// features in 0.2).
const MOST_WORDS: usize = 4096;
const PER_PRODUCT: f64 = 0.5;
/// Numbers of the tables of a folded batch: 64 MB.
const MOST_TABLE: usize = 1 << 23;
/// Operations for a word and a place of it in the transform of a table.
const PER_WORD: usize = 16;

/// A kernel of windows.
#[derive(Clone, Debug)]
pub(crate) struct ByDistance {
    pub(crate) reading: Reading,
    pub(crate) length: usize,
    /// The weight of two windows for each distance; 0 beyond.
    pub(crate) table: Vec<f64>,
}

/// A batch of strings for a kernel of windows.
pub struct Windowed {
    kernel: ByDistance,
    form: Form,
    letters: Encoded,
    diagonal: Vec<f64>,
}

enum Form {
    /// Features.
    Words(PreparedPoints),
    /// Windows, and those of both strands where both count.
    Windows(Windows, Option<Windows>),
}

impl PreparedBatch for Windowed {
    const FOLDS: bool = true;
    /// The value of every word as long as a window, where a table of them costs no more than some rows.
    fn fold(&self, coef: &Matrix) -> Option<Box<dyn Fold<Windowed>>> {
        // A batch is folded where its table costs no more than so many rows without it.
        const PAYS_AFTER: f64 = 100.0;
        let (plain, both) = match &self.form {
            Form::Windows(plain, both) => (plain, both),
            Form::Words(points) => return FeatureWeights::of(points, coef).map(|weights| Box::new(weights) as _),
        };
        let (size, length, outputs) = (self.kernel.reading.fixed_size()?, self.kernel.length, coef.cols());
        let words = size.checked_pow(u32::try_from(length).ok()?).filter(|words| words.saturating_mul(outputs) <= MOST_TABLE)?;
        let letters = plain.letters() as f64 / plain.len().max(1) as f64;
        let strands = if both.is_some() { 2.0 } else { 1.0 };
        let row = plain.len() as f64 * steps(letters, strands * letters + length as f64, length, self.kernel.table.len());
        if (PER_WORD * 2 * length * words * outputs) as f64 > PAYS_AFTER * row {
            return None;
        }
        let windows = both.as_ref().unwrap_or(plain);
        let tables = (0..outputs).map(|o| {
            let mut values = vec![0.0; words];
            for s in 0..windows.len() {
                windows.each_word(s, size, |word| values[word] += coef[(s, o)]);
            }
            apply(&self.kernel.table, &mut values, length, size);
            values
        });
        Some(Box::new(WordTables { tables: tables.collect(), size }))
    }
}

impl Fold<Windowed> for FeatureWeights {
    fn values(&self, batch: &Windowed, rows: &[usize]) -> Matrix {
        match &batch.form {
            Form::Words(points) => self.sums(points, rows),
            Form::Windows(..) => Matrix::zeros(0, 0),
        }
    }
}

/// The value of each word, one table for each output.
struct WordTables {
    tables: Vec<Vec<f64>>,
    size: usize,
}

impl Fold<Windowed> for WordTables {
    fn values(&self, batch: &Windowed, rows: &[usize]) -> Matrix {
        let Form::Windows(plain, _) = &batch.form else { return Matrix::zeros(0, self.tables.len()) };
        let mut out = Matrix::zeros(rows.len(), self.tables.len());
        for (k, &i) in rows.iter().enumerate() {
            let values = out.row_mut(k);
            plain.each_word(i, self.size, |word| values.iter_mut().zip(&self.tables).for_each(|(v, table)| *v += table[word]));
        }
        out
    }
}

impl ByDistance {
    /// Roots of the eigenvalues where these strings are compared by features. Where there is no string a model may have nothing but weights
    /// of features, and new strings follow.
    fn roots_for(&self, inputs: &Strings) -> Option<Vec<f64>> {
        let roots = self.roots()?;
        let words = self.reading.fixed_size()?.pow(self.length as u32) as f64;
        (inputs.is_empty() || 2.0 * words * PER_PRODUCT <= self.steps(inputs)).then_some(roots)
    }

    /// Operations for the distances of the windows of two of these strings.
    fn steps(&self, inputs: &Strings) -> f64 {
        let letters = inputs.mean_length();
        let strands = if self.reading.reverse_complement { 2.0 } else { 1.0 };
        steps(letters, strands * letters + self.length as f64, self.length, self.table.len())
    }

    /// Roots of the eigenvalues of the table over all words, where there are few of them, every batch has the same and none is negative.
    fn roots(&self) -> Option<Vec<f64>> {
        let letters = self.reading.fixed_size()?;
        letters.checked_pow(u32::try_from(self.length).ok()?).filter(|words| *words <= MOST_WORDS)?;
        self.eigenvalues(letters).into_iter().map(|v| (v >= 0.0).then(|| v.sqrt())).collect()
    }

    /// The least eigenvalue of the table over all words of the alphabet, where that is known.
    pub(crate) fn least_eigenvalue(&self) -> Option<f64> {
        Some(self.eigenvalues(self.reading.fixed_size()?).into_iter().fold(f64::INFINITY, f64::min))
    }

    /// The eigenvalues of the table over all words, 0 where they are below 0 by rounding.
    fn eigenvalues(&self, letters: usize) -> Vec<f64> {
        // An eigenvalue below this share of the greatest is 0 but for rounding.
        const ROUNDING: f64 = 1e-12;
        let mut values = eigenvalues(&self.table, self.length, letters);
        let rounding = ROUNDING * values.iter().fold(0.0, |most: f64, v| most.max(v.abs()));
        values.iter_mut().filter(|v| **v < 0.0 && **v >= -rounding).for_each(|v| *v = 0.0);
        values
    }

    pub(crate) fn prepare(&self, inputs: &Strings, like: Option<&Windowed>, control: &Control) -> Result<Windowed> {
        // Bytes of a feature while a batch is prepared: of its row, of all rows, and prepared.
        const PER_FEATURE: u64 = 32;
        let strings = self.reading.encode(inputs, like.map(|l| &l.letters));
        let letters = like.map_or_else(|| strings.without_strings(), |l| l.letters.clone());
        let roots = match like.map(|l| &l.form) {
            Some(Form::Words(_)) => self.roots(),
            Some(Form::Windows(..)) => None,
            None => self.roots_for(inputs),
        };
        if let (Some(roots), Some(size)) = (roots, self.reading.fixed_size()) {
            let dim = size.pow(self.length as u32);
            control.plan(&format!("{dim} features of strings"), PER_FEATURE.saturating_mul((dim * strings.len()) as u64))?;
            let rows: Vec<Vec<f64>> = prepare_each(strings.len(), 1, control, |i| self.features(&strings, i, size, &roots))?;
            let diagonal: Vec<f64> = rows.iter().map(|row| row.iter().map(|v| v * v).sum()).collect();
            let points = PreparedPoints::plain(&Points::computed(rows.len(), dim, rows.concat()), None);
            return Ok(Windowed { kernel: self.clone(), form: Form::Words(points), letters, diagonal });
        }
        let windows = |strings: Encoded| {
            let both = self.reading.reverse_complement.then(|| Windows::new(strings.with_reverse_complements(), self.length));
            (Windows::new(strings, self.length), both)
        };
        // Letters that the other batch lacks match nothing there, and one another here.
        let own = like.filter(|_| self.reading.fixed_size().is_none()).map(|_| windows(self.reading.encode(inputs, None)));
        let (plain, both) = windows(strings);
        let (x, z) = own.as_ref().map_or((&plain, both.as_ref()), |(x, z)| (x, z.as_ref()));
        let own_value = |memory: &mut Memory, i: usize| {
            control.check_time("windows of strings")?;
            let strands = z.unwrap_or(x);
            if let Some(value) = self.by_words(x, strands, i) {
                return Ok(value);
            }
            strands.map(i..i + 1, &mut memory.maps);
            Ok(self.values(x, i, memory).next().unwrap_or(0.0))
        };
        let diagonal = (0..inputs.len()).into_par_iter().map_init(Memory::default, own_value).collect::<Result<_>>()?;
        Ok(Windowed { kernel: self.clone(), form: Form::Windows(plain, both), letters, diagonal })
    }

    /// Words that a string holds, in the coordinates of the table, times the roots of its eigenvalues.
    fn features(&self, strings: &Encoded, i: usize, size: usize, roots: &[f64]) -> Vec<f64> {
        let mut counts = vec![0.0; size.pow(self.length as u32)];
        let mut add = |strings: &Encoded, row: usize, factor: f64| {
            with_codes!(strings, codes => {
                for window in codes[strings.range(row)].windows(self.length).filter(|w| !w.iter().any(|c| c.is_split())) {
                    counts[window.iter().fold(0, |number, c| number * size + c.number())] += factor;
                }
            });
        };
        if self.reading.reverse_complement {
            add(&strings.row(i).with_reverse_complements(), 0, FRAC_1_SQRT_2);
        } else {
            add(strings, i, 1.0);
        }
        reflect(&mut counts, self.length, size);
        multiply(&mut counts, size, roots);
        counts
    }

    /// k(x, x) of a string so long that a table of all words costs less than its pairs of windows.
    fn by_words(&self, x: &Windows, strands: &Windows, i: usize) -> Option<f64> {
        let size = self.reading.fixed_size()?;
        let words = size.checked_pow(u32::try_from(self.length).ok()?).filter(|words| *words <= MOST_TABLE)?;
        let pairs = steps(x.length(i) as f64, (strands.length(i) + self.length) as f64, self.length, self.table.len());
        if (PER_WORD * 2 * self.length * words) as f64 > pairs {
            return None;
        }
        let mut values = vec![0.0; words];
        strands.each_word(i, size, |word| values[word] += 1.0);
        apply(&self.table, &mut values, self.length, size);
        let mut sum = 0.0;
        x.each_word(i, size, |word| sum += values[word]);
        Some(sum)
    }

    /// k of string i and each of the bit maps.
    fn values<'m>(&'m self, x: &Windows, i: usize, memory: &'m mut Memory) -> impl Iterator<Item = f64> + 'm {
        let distances = self.table.len();
        x.count(i, &mut memory.maps, distances, &mut memory.counts);
        memory.counts.chunks_exact(distances.max(1)).map(|own| own.iter().zip(&self.table).map(|(count, t)| *count as f64 * t).sum())
    }

    pub(crate) fn fill<T: Real>(&self, tile: Tile<'_, Windowed, T>) {
        match (&tile.a.form, &tile.b.form) {
            (Form::Words(a), Form::Words(b)) => Tile { a, rows: tile.rows, b, cols: tile.cols, out: tile.out }.from_dots(Identity),
            (Form::Windows(a, _), Form::Windows(b, both)) => {
                let (mut memory, b, mut out) = (Memory::default(), both.as_ref().unwrap_or(b), tile.out);
                let mut j = tile.cols.start;
                while j < tile.cols.end {
                    let some = j..j + b.together(j, tile.cols.end);
                    b.map(some.clone(), &mut memory.maps);
                    for k in 0..tile.rows.len() {
                        if out.is_given_up() {
                            return;
                        }
                        let own = &mut out.row_mut(k)[j - tile.cols.start..][..some.len()];
                        own.iter_mut().zip(self.values(a, tile.rows.at(k), &mut memory)).for_each(|(o, v)| *o = T::from_f64(v));
                    }
                    j = some.end;
                }
            }
            _ => {}
        }
    }

    /// The number of features, where these strings have such.
    pub(crate) fn rank(&self, inputs: &Strings) -> Option<usize> {
        self.roots_for(inputs)?;
        Some(self.reading.fixed_size()?.pow(self.length as u32))
    }

    /// Operations of a value.
    pub(crate) fn per_value(&self, inputs: &Strings) -> f64 {
        PER_FUNCTION + self.rank(inputs).map_or_else(|| self.steps(inputs), |rank| 2.0 * rank as f64)
    }
}

#[derive(Default)]
struct Memory {
    counts: Vec<u64>,
    maps: BitMaps,
}

impl Windowed {
    pub(crate) fn diagonal(&self) -> Vec<f64> {
        self.diagonal.clone()
    }
    pub(crate) fn features(&self) -> Option<Matrix> {
        match &self.form {
            Form::Words(points) => Matrix::new(points.rows(), points.dim(), points.dense()?.to_vec()).ok(),
            Form::Windows(..) => None,
        }
    }
}

/// The methods of [`crate::gram::Kernel`] of a kernel of windows, from its method `by_distance`.
macro_rules! by_windows {
    () => {
        fn fill<T: Real>(&self, tile: Tile<'_, Windowed, T>) {
            self.by_distance().fill(tile);
        }
        fn diagonal(&self, x: &Windowed) -> Vec<f64> {
            x.diagonal()
        }
        fn features(&self, x: &Windowed) -> Option<Matrix> {
            x.features()
        }
        fn rank(&self, inputs: &Strings) -> Option<usize> {
            self.by_distance().rank(inputs)
        }
        fn per_value(&self, inputs: &Strings) -> f64 {
            self.by_distance().per_value(inputs)
        }
    };
}
pub(crate) use by_windows;
