//! Pairs of series compared eight at a time, one in each lane, series of like lengths side by side.

use super::dense::DenseSeries;
use crate::control::Control;
use crate::error::Result;
use crate::gram::{Block, TileRows};
use crate::kernels::sequences::parts::abreast::{TilePlace, each_by_length, write_eight};
use crate::kernels::sequences::parts::octet::LANES;
use crate::linalg::Real;
use std::ops::Range;

/// A number of each of eight pairs.
pub(crate) type Eight = [f64; LANES];

/// Eight pairs of series: `x[p * channels + c][l]` is channel c at time p of the first series of lane l. The first is no longer than the
/// second. Numbers behind the end of a series are 0 in the first and [`BEYOND`] in the second.
pub(crate) struct EightSeries<'e> {
    pub(crate) x: &'e [Eight],
    pub(crate) z: &'e [Eight],
    pub(crate) channels: usize,
    /// Times of the first and of the second series; 0 in a lane without a pair.
    pub(crate) lengths: [(usize, usize); LANES],
    /// What the work is under.
    watch: Option<&'e Control>,
}

/// Times of the first series between two looks whether anybody waits for the recursion: rows of 20 cells take no more than a look.
pub(crate) const LOOK: usize = 64;
/// What stands behind the end of the second series: farther from any number than an exponential of the distance tells from infinity.
const BEYOND: f64 = 1e160;

impl EightSeries<'_> {
    /// Times of the longest second series.
    pub(crate) fn columns(&self) -> usize {
        self.z.len() / self.channels.max(1)
    }
    /// Whether nobody will look at what a recursion gives, looked up at every `every`-th step of it.
    pub(crate) fn is_given_up(&self, step: usize, every: usize) -> bool {
        step % every == every - 1 && self.watch.is_some_and(Control::is_given_up)
    }
    /// The lanes whose first series has so many times, and the times of their second; lanes with an empty series are left out.
    pub(crate) fn ending(&self, rows: usize) -> impl Iterator<Item = (usize, usize)> {
        self.lengths.iter().enumerate().filter(move |(_, (m, n))| *m == rows && *n > 0).map(|(lane, (_, n))| (lane, *n))
    }
}

/// Pairs of series that are gathered until there are eight.
pub(crate) struct SeriesAbreast<'a, P> {
    a: &'a DenseSeries,
    b: &'a DenseSeries,
    /// Rows of both batches.
    waiting: Vec<(usize, usize)>,
    /// What each of these pairs was added with.
    with: Vec<P>,
    x: Vec<Eight>,
    z: Vec<Eight>,
    watch: Option<&'a Control>,
}

impl<'a, P> SeriesAbreast<'a, P> {
    /// `watch`: what the work is under.
    pub(crate) fn new(a: &'a DenseSeries, b: &'a DenseSeries, watch: Option<&'a Control>) -> Self {
        SeriesAbreast { a, b, waiting: Vec::with_capacity(LANES), with: Vec::with_capacity(LANES), x: Vec::new(), z: Vec::new(), watch }
    }

    /// Adds a pair, and hands eight of them to `visit` once there are so many, with what they were added with.
    pub(crate) fn push(&mut self, i: usize, j: usize, with: P, visit: &mut impl FnMut(&EightSeries<'_>, &[P])) {
        self.waiting.push((i, j));
        self.with.push(with);
        if self.waiting.len() == LANES {
            self.finish(visit);
        }
    }

    /// Hands over the pairs that are left.
    pub(crate) fn finish(&mut self, visit: &mut impl FnMut(&EightSeries<'_>, &[P])) {
        if self.waiting.is_empty() {
            return;
        }
        // One order for the pair of i and j and for that of j and i, so that both have the same bits.
        let same = std::ptr::eq(self.a, self.b);
        let channels = self.a.channels().max(self.b.channels());
        let mut lengths = [(0, 0); LANES];
        let mut ordered = Vec::with_capacity(LANES);
        for (lane, &(i, j)) in self.waiting.iter().enumerate() {
            let (m, n) = (self.a.length(i), self.b.length(j));
            let turned = m > n || same && m == n && i > j;
            lengths[lane] = if turned { (n, m) } else { (m, n) };
            ordered.push(if turned { [self.b.row(j), self.a.row(i)] } else { [self.a.row(i), self.b.row(j)] });
        }
        let longest = |of: fn(&(usize, usize)) -> usize| lengths.iter().map(of).max().unwrap_or(0);
        let (m, n) = (longest(|l| l.0), longest(|l| l.1));
        for (to, times, beyond) in [(&mut self.x, m, 0.0), (&mut self.z, n, BEYOND)] {
            to.clear();
            to.resize(times * channels, [beyond; LANES]);
        }
        for (lane, [x, z]) in ordered.into_iter().enumerate() {
            self.x.iter_mut().zip(x).for_each(|(to, x)| to[lane] = *x);
            self.z.iter_mut().zip(z).for_each(|(to, z)| to[lane] = *z);
        }
        visit(&EightSeries { x: &self.x, z: &self.z, channels, lengths, watch: self.watch }, &self.with);
        self.waiting.clear();
        self.with.clear();
    }
}

/// Hands all pairs of a tile to `visit`, eight at a time. Pairs of one batch that the tile holds twice come once. `watch`: what the work
/// is under.
pub(crate) fn each_eight(
    (a, rows): (&DenseSeries, &TileRows<'_>),
    (b, cols): (&DenseSeries, Range<usize>),
    watch: Option<&Control>,
    visit: &mut impl FnMut(&EightSeries<'_>, &[TilePlace]),
) {
    let mut pairs = SeriesAbreast::new(a, b, watch);
    each_by_length((a, rows), (b, cols), DenseSeries::length, |i, j, place| pairs.push(i, j, place, visit));
    pairs.finish(visit);
}

/// Fills a tile from the values of eight pairs at a time, as [`write_eight`] does.
pub(crate) fn fill_eight<T: Real>(
    out: &mut Block<'_, T>,
    (a, rows): (&DenseSeries, &TileRows<'_>),
    (b, cols): (&DenseSeries, Range<usize>),
    mut values: impl FnMut(&EightSeries<'_>) -> Eight,
    of: impl Fn(f64, usize, usize) -> f64,
) {
    let (tile, watch) = ((rows, cols.start), out.control());
    each_eight((a, rows), (b, cols), watch, &mut |pairs, places| write_eight(out, tile, places, || values(pairs), &of));
}

/// The value of each series of a batch with itself.
///
/// # Errors
/// Time that is up before `what` is computed.
pub(crate) fn own_values(
    batch: &DenseSeries,
    mut values: impl FnMut(&EightSeries<'_>) -> Eight,
    what: &str,
    control: &Control,
) -> Result<Vec<f64>> {
    let mut own = vec![0.0; batch.len()];
    each_own(batch, Some(control), &mut |pairs, rows| {
        if !control.is_given_up() {
            rows.iter().zip(values(pairs)).for_each(|(row, value)| own[*row] = value);
        }
    });
    control.check_time(what)?;
    Ok(own)
}

/// Hands each series of a batch with itself to `visit`, eight at a time, with their rows. `watch`: what the work is under.
pub(crate) fn each_own(batch: &DenseSeries, watch: Option<&Control>, visit: &mut impl FnMut(&EightSeries<'_>, &[usize])) {
    let mut pairs = SeriesAbreast::new(batch, batch, watch);
    (0..batch.len()).for_each(|row| pairs.push(row, row, row, visit));
    pairs.finish(visit);
}
