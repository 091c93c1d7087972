//! Strings by the substrings that they hold: sparse features whose inner product is sum_s w_s (times s in x) (times s in z) (S3 (14.22)).
//!
//! Substrings of a few lengths over a small alphabet are numbered; all others are the states of the suffix automaton of the batch. Both
//! take one pass over each string.

use super::automaton::Automaton;
use super::kmers::Numbering;
use super::letters::{Code, Encoded, Reading, with_codes};
use super::weights::SubstringWeights;
use crate::control::Control;
use crate::data::{PER_FUNCTION, Strings};
use crate::error::Result;
use crate::gram::{Counts, FeatureWeights, Fold, PreparedBatch, PreparedPoints, Sparse, prepare_each};
use crate::linalg::{Matrix, SCATTERED};
use rayon::prelude::*;
use std::collections::HashMap;
use std::f64::consts::FRAC_1_SQRT_2;
use std::sync::Arc;

/// Numbered substrings have a column each, whether they occur or not, up to so many: weights of all columns take 2 MB then.
const ALL_COLUMNS: u64 = 1 << 18;
/// Above so many lengths the automaton, whose cost does not depend on their number, is as fast as sorting the numbers of each length
/// (1,000 strings of 300 bases: see the figures in the decisions).
const MOST_LENGTHS: usize = 12;
/// Rows from which the cost of a value is estimated.
const SAMPLE: usize = 64;

/// How substrings are counted.
#[derive(Clone, Debug)]
pub(crate) struct Counting {
    pub(crate) reading: Reading,
    pub(crate) weights: SubstringWeights,
}

/// What the columns of a batch mean.
enum Columns {
    /// Numbers of substrings are columns.
    All(Numbering),
    /// The column of each number that occurs.
    Occurring(HashMap<u64, u32>),
    /// States of the automaton.
    States(Automaton),
    /// So many substrings that are given.
    Given(usize),
}

impl Columns {
    fn count(&self) -> usize {
        match self {
            Columns::All(numbering) => numbering.count() as usize,
            Columns::Occurring(columns) => columns.len(),
            Columns::States(automaton) => automaton.states(),
            Columns::Given(count) => *count,
        }
    }
}

/// Counts of substrings.
pub struct Counted {
    counts: PreparedPoints,
    /// Sum of the counts of each string, those without a column included.
    totals: Vec<f64>,
    columns: Arc<Columns>,
    /// The letters of the batch of the columns.
    letters: Encoded,
}

impl PreparedBatch for Counted {
    const FOLDS: bool = true;
    fn fold(&self, coef: &Matrix) -> Option<Box<dyn Fold<Counted>>> {
        FeatureWeights::of(&self.counts, coef).map(|weights| Box::new(weights) as _)
    }
}

impl Fold<Counted> for FeatureWeights {
    fn values(&self, batch: &Counted, rows: &[usize]) -> Matrix {
        self.sums(&batch.counts, rows)
    }
}

impl Counted {
    /// The counts, one row a string.
    pub(crate) fn points(&self) -> &PreparedPoints {
        &self.counts
    }
    /// The counts, with their sum for each string.
    pub(crate) fn counts(&self) -> Counts<'_> {
        Counts { features: self.counts.sparse(), totals: self.totals.clone() }
    }
}

impl Counting {
    /// Numbers of the substrings, where they are numbered, and the weights of their lengths.
    fn numbering(&self, size: usize) -> Option<(Numbering, &[f64])> {
        match &self.weights {
            SubstringWeights::Bounded { shortest, weights } if weights.len() <= MOST_LENGTHS => {
                Numbering::new(size, *shortest..=shortest + weights.len() - 1).map(|n| (n, &weights[..]))
            }
            _ => None,
        }
    }

    /// Whether a substring has the same column in every batch.
    pub(crate) fn stand_alone(&self) -> bool {
        let numbering = || self.reading.fixed_size().and_then(|size| self.numbering(size));
        matches!(self.weights, SubstringWeights::Given { .. }) || numbering().is_some_and(|(n, _)| n.count() <= ALL_COLUMNS)
    }

    /// Whether substrings are counted one by one, whatever the strings hold: substrings of several lengths that share a state of the
    /// automaton are not. Of few lengths over a large alphabet the strings decide.
    pub(crate) fn has_counts(&self) -> bool {
        match &self.weights {
            SubstringWeights::Bounded { weights, .. } => weights.len() <= MOST_LENGTHS,
            SubstringWeights::Geometric { .. } => false,
            SubstringWeights::Given { .. } => true,
        }
    }

    /// The counts of the substrings of a batch one by one, where they are kept so.
    pub(crate) fn counts<'p>(&self, x: &'p Counted) -> Option<Counts<'p>> {
        let share_states = matches!(*x.columns, Columns::States(_)) && !self.has_one_length();
        (self.has_counts() && !share_states).then(|| x.counts())
    }

    fn has_one_length(&self) -> bool {
        matches!(&self.weights, SubstringWeights::Bounded { weights, .. } if weights.len() == 1)
    }

    /// Counts of a batch, by the columns of another one where it is compared with that. What the other one lacks meets nothing there,
    /// and counts in k(x, x).
    ///
    /// # Errors
    /// Bounds of `control`.
    pub(crate) fn prepare(&self, inputs: &Strings, like: Option<&Counted>, control: &Control) -> Result<Counted> {
        self.plan(inputs, control)?;
        let strings = self.reading.encode(inputs, like.map(|l| &l.letters));
        let letters = like.map_or_else(|| strings.without_strings(), |l| l.letters.clone());
        if let SubstringWeights::Given { substrings, weights } = &self.weights {
            let rows = self.given(substrings, weights, strings, control)?;
            let sizes = rows.iter().map(|row| Size::of(row)).collect();
            return Ok(self.counted(rows, sizes, Arc::new(Columns::Given(substrings.len())), letters, like));
        }
        if let Some((numbering, weights)) = self.numbering(strings.size()) {
            let numbered = self.numbered(&numbering, weights, &strings, control)?;
            let sizes = match (like, self.reading.fixed_size()) {
                (Some(_), None) => self.sizes(inputs, control)?,
                _ => numbered.iter().map(|row| Size::of(row)).collect(),
            };
            let columns = like.map_or_else(|| Arc::new(columns(numbering, &numbered)), |l| l.columns.clone());
            let column = |number: u64| match &*columns {
                Columns::Occurring(columns) => columns.get(&number).copied(),
                _ => Some(number as u32),
            };
            let placed = |row: Vec<(u64, f64)>| row.into_iter().filter_map(|(number, v)| Some((column(number)?, v))).collect();
            let rows = numbered.into_par_iter().map(placed).collect();
            return Ok(self.counted(rows, sizes, columns, letters, like));
        }
        let strings = self.strands(strings);
        let columns = match like {
            Some(like) => like.columns.clone(),
            None => Arc::new(Columns::States(self.automaton(&strings, control)?)),
        };
        let rows = match &*columns {
            Columns::States(automaton) => self.by_states(automaton, &strings, control)?,
            _ => vec![Vec::new(); inputs.len()],
        };
        let sizes = if like.is_some() { self.sizes(inputs, control)? } else { rows.iter().map(|row| Size::of(row)).collect() };
        Ok(self.counted(rows, sizes, columns, letters, like))
    }

    /// Refuses strings whose counts would need more memory than allowed.
    fn plan(&self, inputs: &Strings, control: &Control) -> Result<()> {
        // Bytes of a count while a batch is prepared: with its number, with its column, and in the whole.
        const PER_COUNT: u64 = 44;
        // Bytes of the automaton for a letter: two states, with a table of transitions, and room to grow.
        const PER_STATE: u64 = 320;
        let strands = if self.reading.reverse_complement { 2 } else { 1 };
        let letters = strands * inputs.iter().map(str::len).sum::<usize>() as u64;
        let is_numbered = matches!(&self.weights, SubstringWeights::Bounded { weights, .. } if weights.len() <= MOST_LENGTHS);
        let states = if is_numbered { 0 } else { PER_STATE.saturating_mul(letters) };
        let counts = PER_COUNT.saturating_mul(self.stored(inputs) as u64);
        control.plan("counts of substrings", states.saturating_add(counts))
    }

    fn counted(
        &self,
        rows: Vec<Vec<(u32, f64)>>,
        sizes: Vec<Size>,
        columns: Arc<Columns>,
        letters: Encoded,
        like: Option<&Counted>,
    ) -> Counted {
        let (totals, norms) = sizes.into_iter().map(|size| (size.total, size.square)).unzip();
        let counts = PreparedPoints::from_counts(columns.count(), Sparse::from_rows(rows), norms, like.map(|l| &l.counts));
        Counted { counts, totals, columns, letters }
    }

    fn numbered(&self, numbering: &Numbering, weights: &[f64], strings: &Encoded, control: &Control) -> Result<Vec<Vec<(u64, f64)>>> {
        let both = self.reading.reverse_complement;
        prepare_each(strings.len(), 1, control, |i| numbering.counts(strings, i, weights, both))
    }

    /// How often each string holds each of some substrings, times the root of its weight.
    fn given(&self, substrings: &[String], weights: &[f64], strings: Encoded, control: &Control) -> Result<Vec<Vec<(u32, f64)>>> {
        let sought = self.reading.encode(&Strings::new(substrings), Some(&strings));
        let (strings, factor) = (self.strands(strings), self.strand_factor());
        let count = |i: usize, s: usize| with_codes!(strings, codes => with_codes!(sought, words => occurrences(&codes[strings.range(i)], &words[sought.range(s)])));
        let row = |i| {
            let held = (0..substrings.len()).map(|s| (s as u32, count(i, s)));
            held.filter(|(_, n)| *n > 0).map(|(s, n)| (s, factor * n as f64 * weights[s as usize].sqrt())).collect()
        };
        prepare_each(strings.len(), 1, control, row)
    }

    /// What features of both strands are multiplied by: both strands of x against both of z are twice x against both of z.
    fn strand_factor(&self) -> f64 {
        if self.reading.reverse_complement { FRAC_1_SQRT_2 } else { 1.0 }
    }

    /// The strings as the automaton reads them: with both strands, one after the other.
    fn strands(&self, strings: Encoded) -> Encoded {
        if self.reading.reverse_complement { strings.with_reverse_complements() } else { strings }
    }

    fn automaton(&self, strings: &Encoded, control: &Control) -> Result<Automaton> {
        with_codes!(strings, codes => Automaton::of((0..strings.len()).map(|i| &codes[strings.range(i)]), strings.size(), &self.weights, control))
    }

    fn by_states(&self, automaton: &Automaton, strings: &Encoded, control: &Control) -> Result<Vec<Vec<(u32, f64)>>> {
        let factor = self.strand_factor();
        let scratch = || (vec![0.0; automaton.states()], Vec::new());
        let rows = (0..strings.len()).into_par_iter().with_min_len(SAMPLE);
        rows.map_init(scratch, |(seen, touched), i| {
            control.check_time("counts of substrings")?;
            let mut row = with_codes!(strings, codes => automaton.features(&codes[strings.range(i)], &self.weights, seen, touched));
            row.iter_mut().for_each(|(_, v)| *v *= factor);
            Ok(row)
        })
        .collect()
    }

    /// The sizes of the counts of each string, prepared without the others.
    fn sizes(&self, inputs: &Strings, control: &Control) -> Result<Vec<Size>> {
        let strings = self.reading.encode(inputs, None);
        if let Some((numbering, weights)) = self.numbering(strings.size()) {
            return Ok(self.numbered(&numbering, weights, &strings, control)?.iter().map(|row| Size::of(row)).collect());
        }
        let strings = self.strands(strings);
        let factor = self.strand_factor();
        let one = |i: usize| {
            let automaton = with_codes!(strings, codes => Automaton::of([&codes[strings.range(i)]].into_iter(), strings.size(), &self.weights, control))?;
            let (mut seen, mut touched) = (vec![0.0; automaton.states()], Vec::new());
            let row = with_codes!(strings, codes => automaton.features(&codes[strings.range(i)], &self.weights, &mut seen, &mut touched));
            let Size { total, square } = Size::of(&row);
            Ok(Size { total: factor * total, square: factor * factor * square })
        };
        (0..strings.len()).into_par_iter().map(one).collect()
    }

    /// About as many counts as these strings have. A state of the automaton is met by every string that holds its substrings: one for each
    /// letter, and the branches above it, of which a string of n letters among N has about log(N) - log(n) for each letter, to the base of
    /// the number of letters.
    pub(crate) fn stored(&self, inputs: &Strings) -> usize {
        let letters = inputs.iter().map(str::len).sum::<usize>() as f64;
        let per_letter = match &self.weights {
            SubstringWeights::Bounded { weights, .. } if weights.len() <= MOST_LENGTHS => weights.len() as f64,
            SubstringWeights::Given { substrings, .. } => return substrings.len() * inputs.len(),
            _ => 2.0 + (inputs.len().max(1) as f64).ln() / 4f64.ln(),
        };
        (letters * per_letter * if self.reading.reverse_complement { 2.0 } else { 1.0 }) as usize
    }

    /// Operations of a value: one at a scattered place for each column that two strings share, by some of them. Of strings that are too
    /// long to be prepared for this, as many as they have.
    pub(crate) fn per_value(&self, inputs: &Strings) -> f64 {
        // Letters of these that are prepared for it: about a tenth of a second.
        const SAMPLED_LETTERS: usize = 1 << 20;
        let step = inputs.len().div_ceil(SAMPLE).max(1);
        let some = Strings::new(inputs.iter().step_by(step));
        let of_dot = if some.iter().map(str::len).sum::<usize>() <= SAMPLED_LETTERS {
            self.prepare(&some, None, &Control::unwatched()).map_or(0.0, |counted| counted.counts.per_dot())
        } else {
            2.0 * SCATTERED * self.stored(&some) as f64 / some.len() as f64
        };
        PER_FUNCTION + of_dot
    }
}

/// How often a word stands in a string, overlaps included.
fn occurrences<A: Code, B: Code>(string: &[A], word: &[B]) -> usize {
    if word.is_empty() {
        return 0;
    }
    let same = |(a, b): (&A, &B)| a.number() == b.number() && a.is_letter();
    string.windows(word.len()).filter(|window| window.iter().zip(word).all(same)).count()
}

/// Sums over all counts of a string, whether they have a column or not.
struct Size {
    /// Of the counts.
    total: f64,
    /// Of their squares: k(x, x).
    square: f64,
}

impl Size {
    fn of<N>(row: &[(N, f64)]) -> Size {
        Size { total: row.iter().map(|(_, v)| v).sum(), square: row.iter().map(|(_, v)| v * v).sum() }
    }
}

/// Columns for a batch that stands alone.
fn columns(numbering: Numbering, rows: &[Vec<(u64, f64)>]) -> Columns {
    if numbering.count() <= ALL_COLUMNS {
        return Columns::All(numbering);
    }
    let mut numbers: Vec<u64> = rows.iter().flatten().map(|(number, _)| *number).collect();
    numbers.par_sort_unstable();
    numbers.dedup();
    Columns::Occurring(numbers.into_iter().zip(0..).collect())
}

/// The methods of [`crate::gram::Kernel`] of a kernel that counts substrings, from its `reading` and its `counting`.
macro_rules! by_counts {
    () => {
        by_counts!(check: |_kernel| Ok(()));
    };
    (check: |$kernel:ident| $check:expr) => {
        fn check(&self, inputs: &Strings) -> Result<()> {
            let parameters = |$kernel: &Self| -> Result<()> { $check };
            parameters(self)?;
            self.reading().check(Self::NAME, inputs)
        }
        fn prepare(&self, (): &(), inputs: &Strings, like: Option<&Counted>, control: &$crate::control::Control) -> Result<Counted> {
            self.counting().prepare(inputs, like, control)
        }
        fn fill<T: Real>(&self, tile: Tile<'_, Counted, T>) {
            tile.of(Counted::points).from_dots(Identity);
        }
        fn diagonal(&self, x: &Counted) -> Vec<f64> {
            x.points().norms().to_vec()
        }
        fn sparse_features<'p>(&self, x: &'p Counted) -> Option<SparseMatrix<'p>> {
            Some(x.points().sparse())
        }
        fn has_counts(&self) -> bool {
            self.counting().has_counts()
        }
        fn counts<'p>(&self, x: &'p Counted) -> Option<$crate::gram::Counts<'p>> {
            self.counting().counts(x)
        }
        fn stored(&self, inputs: &Strings) -> Option<usize> {
            Some(self.counting().stored(inputs))
        }
        fn per_value(&self, inputs: &Strings) -> f64 {
            self.counting().per_value(inputs)
        }
        fn features_stand_alone(&self) -> bool {
            self.counting().stand_alone()
        }
        fn mercer(&self) -> Mercer {
            Mercer::Always
        }
    };
}
pub(crate) use by_counts;
