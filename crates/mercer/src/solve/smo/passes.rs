//! The two passes of a pair step over all variables of a block, in registers, compiled once per instruction set.

use super::kept_rows::KeptRows;
use super::simd::{Lanes, Plain};
use crate::gram::{Cell, Level, RowCache, level};
use crate::linalg::{Real, count_passed};

/// Lengths of the lists that a pass takes are multiples of this.
pub(super) const PAD: usize = 32;
/// Operations of each pass for a variable.
const ADVANCE: usize = 7;
const SECOND: usize = 11;

/// Calls a pass as it is compiled for the instruction set that there is.
macro_rules! compiled {
    ($pass:ident($($x:ident: $kind:ty),*) -> $out:ty) => {{
        #[cfg(target_arch = "x86_64")]
        {
            #[target_feature(enable = "avx512f,avx512dq,avx512vl,fma")]
            fn avx512<V: Lanes>($($x: $kind),*) -> $out {
                // SAFETY: the features are there.
                unsafe { $pass::<V>($($x),*) }
            }
            #[target_feature(enable = "avx2,fma")]
            fn avx2<V: Lanes>($($x: $kind),*) -> $out {
                // SAFETY: the features are there.
                unsafe { $pass::<V>($($x),*) }
            }
            // SAFETY: called only where the features were detected.
            unsafe {
                match level() {
                    Level::Avx512 => return avx512::<Self::Widest>($($x),*),
                    Level::Avx2 => return avx2::<Self::Wide>($($x),*),
                    Level::Base => {}
                }
            }
        }
        // SAFETY: arrays need no instructions of their own.
        unsafe { $pass::<Plain<Self>>($($x),*) }
    }};
}

/// A number that pair steps are taken in.
pub(super) trait Passes: Cell {
    /// Registers of AVX2 and of AVX-512.
    type Wide: Lanes<Number = Self>;
    type Widest: Lanes<Number = Self>;
    /// Numbers in f32 as they are, where these are the numbers.
    fn lent(single: &[f32]) -> Option<&[Self]>;
    /// The rows of these numbers that are kept; those of others are given up.
    fn kept<'r, 'a>(rows: &'r mut KeptRows<'a>) -> &'r mut Option<RowCache<'a, Self>>;
    /// v <- v - step (row - other); then where v + up is greatest, that value, and the least v + down.
    fn advance(v: &mut [Self], lists: [&[Self]; 4], step: Self) -> (usize, Self, Self) {
        count_passed(ADVANCE * v.len());
        compiled!(advance(v: &mut [V::Number], lists: [&[V::Number]; 4], step: V::Number) -> (usize, V::Number, V::Number))
    }
    /// Where (top - v - down)^2 / max(own + diagonal - 2 row, flat) is greatest among those with top > v + down, and that
    /// value, 0 if there is none; in the order v, down, row, diagonal, and top, own, flat.
    fn second(lists: [&[Self]; 4], numbers: [Self; 3]) -> (usize, Self) {
        count_passed(SECOND * lists[0].len());
        compiled!(second(lists: [&[V::Number]; 4], numbers: [V::Number; 3]) -> (usize, V::Number))
    }
}

macro_rules! passes {
    ($number:ty, $avx2:ident, $avx512:ident, $lent:expr, $own:ident, $other:ident) => {
        impl Passes for $number {
            #[cfg(target_arch = "x86_64")]
            type Wide = std::arch::x86_64::$avx2;
            #[cfg(target_arch = "x86_64")]
            type Widest = std::arch::x86_64::$avx512;
            #[cfg(not(target_arch = "x86_64"))]
            type Wide = Plain<$number>;
            #[cfg(not(target_arch = "x86_64"))]
            type Widest = Plain<$number>;
            fn lent(single: &[f32]) -> Option<&[Self]> {
                $lent(single)
            }
            fn kept<'r, 'a>(rows: &'r mut KeptRows<'a>) -> &'r mut Option<RowCache<'a, Self>> {
                rows.$other = None;
                &mut rows.$own
            }
        }
    };
}
passes!(f32, __m256, __m512, Some, single, double);
passes!(f64, __m256d, __m512d, |_| None, double, single);

/// Registers used in turns, so that one need not wait for the other.
const TURNS: usize = 2;

/// `advance` with lists up, down, row, other.
///
/// # Safety
/// The processor has the instructions of V.
#[inline(always)]
unsafe fn advance<V: Lanes>(v: &mut [V::Number], lists: [&[V::Number]; 4], step: V::Number) -> (usize, V::Number, V::Number) {
    let n = v.len();
    assert!(n.is_multiple_of(PAD) && lists.iter().all(|l| l.len() >= n));
    let number = V::Number::from_f64;
    let v = v.as_mut_ptr();
    let [up, down, row, other] = lists.map(<[_]>::as_ptr);
    // SAFETY: the instructions are there as promised; every list has n numbers, a multiple of the numbers in a turn.
    unsafe {
        let (back, one, zero) = (V::splat(number(-step.to_f64())), V::splat(number(1.0)), V::splat(number(0.0)));
        let mut best = [V::splat(number(f64::NEG_INFINITY)); TURNS];
        let mut least = [V::splat(number(f64::INFINITY)); TURNS];
        let mut at = [zero; TURNS];
        let mut place = zero;
        for k in (0..n).step_by(TURNS * V::COUNT) {
            for turn in 0..TURNS {
                let o = k + turn * V::COUNT;
                let change = V::load(row.add(o)).sub(V::load(other.add(o)));
                let new = back.fused(change, V::load(v.add(o)));
                new.store(v.add(o));
                let rise = new.add(V::load(up.add(o)));
                [at[turn], best[turn]] = V::pick(rise, best[turn], [place, rise], [at[turn], best[turn]]);
                least[turn] = new.add(V::load(down.add(o))).min(least[turn]);
                place = place.add(one);
            }
        }
        let [at, best] = V::pick(best[1], best[0], [at[1], best[1]], [at[0], best[0]]);
        let (i, top) = found(best, at);
        let bottom = zero.sub(least[0].min(least[1])).greatest().0;
        (i, top, number(-bottom.to_f64()))
    }
}

/// `second` with lists v, down, row, diagonal; quotients are compared by cross-multiplication.
///
/// # Safety
/// The processor has the instructions of V.
#[inline(always)]
unsafe fn second<V: Lanes>(lists: [&[V::Number]; 4], numbers: [V::Number; 3]) -> (usize, V::Number) {
    let n = lists[0].len();
    assert!(n.is_multiple_of(PAD) && lists.iter().all(|l| l.len() >= n));
    let number = V::Number::from_f64;
    let [v, down, row, diagonal] = lists.map(<[_]>::as_ptr);
    // SAFETY: as in `advance`.
    unsafe {
        let [top, own, flat] = numbers.map(|x| V::splat(x));
        let (zero, one, twice) = (V::splat(number(0.0)), V::splat(number(1.0)), V::splat(number(-2.0)));
        let (mut squares, mut curves, mut at) = ([zero; TURNS], [one; TURNS], [zero; TURNS]);
        let mut place = zero;
        for k in (0..n).step_by(TURNS * V::COUNT) {
            for turn in 0..TURNS {
                let o = k + turn * V::COUNT;
                let fall = top.sub(V::load(v.add(o)).add(V::load(down.add(o)))).max(zero);
                let curve = twice.fused(V::load(row.add(o)), own.add(V::load(diagonal.add(o)))).max(flat);
                let square = fall.mul(fall);
                let (new, old) = (square.mul(curves[turn]), squares[turn].mul(curve));
                [at[turn], squares[turn], curves[turn]] =
                    V::pick(new, old, [place, square, curve], [at[turn], squares[turn], curves[turn]]);
                place = place.add(one);
            }
        }
        let [a, b] = [squares[0].div(curves[0]), squares[1].div(curves[1])];
        let [at, best] = V::pick(b, a, [at[1], b], [at[0], a]);
        found(best, at)
    }
}

/// The greatest number and the place in the list of it, from the place of its register.
#[inline(always)]
fn found<V: Lanes>(best: V, at: V) -> (usize, V::Number) {
    let mut places = [V::Number::from_f64(0.0); PAD];
    // SAFETY: no register holds more numbers.
    unsafe { at.store(places.as_mut_ptr()) };
    let (top, lane) = best.greatest();
    let place = places.get(lane).map_or(0, |p| p.to_f64() as usize);
    (place * V::COUNT + lane.min(V::COUNT - 1), top)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<T: Passes>(
        n: usize,
        advance: impl Fn(&mut [T], [&[T]; 4], T) -> (usize, T, T),
        second: impl Fn([&[T]; 4], [T; 3]) -> (usize, T),
    ) {
        let wave = |i: usize, k: f64| (i as f64 * k).sin() + 0.5 * (i as f64 * k * 3.7).cos();
        let list = |k: f64| (0..n).map(|i| T::from_f64(wave(i, k))).collect::<Vec<T>>();
        let (row, other, mut v) = (list(0.7), list(1.1), list(1.9));
        let mut up = vec![T::from_f64(0.0); n];
        let mut down = up.clone();
        for i in 0..n {
            if i % 3 == 0 {
                up[i] = T::from_f64(f64::NEG_INFINITY);
            }
            if i % 5 == 1 {
                down[i] = T::from_f64(f64::INFINITY);
            }
        }
        let step = T::from_f64(0.3);
        let expected: Vec<f64> = (0..n).map(|k| v[k].to_f64() - 0.3 * (row[k].to_f64() - other[k].to_f64())).collect();
        let (i, top, bottom) = advance(&mut v, [&up, &down, &row, &other], step);
        v.iter().zip(&expected).for_each(|(v, e)| assert!((v.to_f64() - e).abs() <= 1e-6));
        let rise = |k: usize| v[k].to_f64() + up[k].to_f64();
        let fall = |k: usize| v[k].to_f64() + down[k].to_f64();
        assert_eq!(top.to_f64(), (0..n).map(rise).fold(f64::NEG_INFINITY, f64::max));
        assert_eq!(rise(i), top.to_f64());
        assert_eq!(bottom.to_f64(), (0..n).map(fall).fold(f64::INFINITY, f64::min));
        let diagonal = vec![T::from_f64(2.0); n];
        let gain = |k: usize| (top.to_f64() - fall(k)).max(0.0).powi(2) / (3.5 - 2.0 * row[k].to_f64()).max(0.1);
        let (j, best) = second([&v, &down, &row, &diagonal], [top, T::from_f64(1.5), T::from_f64(0.1)]);
        let most = (0..n).map(gain).fold(0.0, f64::max);
        assert!((best.to_f64() / most - 1.0).abs() <= 1e-5 && (gain(j) / most - 1.0).abs() <= 1e-5);
    }

    #[test]
    fn passes_of_every_instruction_set_find_what_a_plain_search_finds() {
        for n in [32, 64, 96, 608] {
            check::<f32>(n, f32::advance, f32::second);
            check::<f64>(n, f64::advance, f64::second);
            // SAFETY: arrays need no instructions of their own.
            check::<f32>(n, |v, l, s| unsafe { advance::<Plain<f32>>(v, l, s) }, |l, x| unsafe { second::<Plain<f32>>(l, x) });
            // SAFETY: as above.
            check::<f64>(n, |v, l, s| unsafe { advance::<Plain<f64>>(v, l, s) }, |l, x| unsafe { second::<Plain<f64>>(l, x) });
        }
    }

    #[test]
    fn nothing_to_raise_or_lower_is_told_by_infinities() {
        let (mut v, none, row) = (vec![1.0; 32], vec![f64::NEG_INFINITY; 32], vec![0.0; 32]);
        let all: Vec<f64> = vec![f64::INFINITY; 32];
        let (i, top, bottom) = f64::advance(&mut v, [&none, &all, &row, &row], 0.0);
        assert!(i < 32 && top == f64::NEG_INFINITY && bottom == f64::INFINITY);
        let (j, best) = f64::second([&v, &all, &row, &v], [1.0, 1.0, 1e-12]);
        assert!(j < 32 && best == 0.0);
    }
}
