//! The tables that are made: each is a header and its rows in shuffled order.

use super::draw::Draw;

fn csv(header: &str, rows: Vec<String>) -> String {
    rows.into_iter().fold(header.to_owned() + "\n", |text, row| text + &row + "\n")
}

/// x uniform in -10..10, y = sin(x)/x + normal(0, 0.1).
pub(super) fn sinc() -> String {
    let mut draw = Draw::new(1);
    let rows = (0..200).map(|_| {
        let x = 20.0 * draw.uniform() - 10.0;
        let sinc = if x == 0.0 { 1.0 } else { libm::sin(x) / x };
        format!("{x:.4},{:.4}", draw.normal(sinc, 0.1))
    });
    csv("x,y", rows.collect())
}

/// 50 points around each corner of the unit square, standard deviation 0.15; the label says whether both coordinates agree.
pub(super) fn xor() -> String {
    let mut draw = Draw::new(2);
    let mut corners: Vec<usize> = (0..200).map(|i| i % 4).collect();
    draw.shuffle(&mut corners);
    let rows = corners.into_iter().map(|corner| {
        let (a, b) = (corner % 2, corner / 2);
        let label = if a == b { "same" } else { "different" };
        format!("{:.4},{:.4},{label}", draw.normal(a as f64, 0.15), draw.normal(b as f64, 0.15))
    });
    csv("a,b,label", rows.collect())
}

/// Centres of the clouds of each class of `blobs`.
pub(super) const CLOUDS: [[(f64, f64); 2]; 2] = [[(-1.0, 0.0), (1.0, 0.0)], [(0.0, 1.0), (2.0, 1.0)]];
/// Standard deviation of every cloud of `blobs` in both directions.
pub(super) const CLOUD_SD: f64 = 0.5;

/// Two classes, each an equal mixture of two round normal clouds. The Bayes error is 0.1080: half the integral of
/// the smaller class density.
pub(super) fn blobs() -> String {
    let mut draw = Draw::new(3);
    let mut clouds: Vec<usize> = (0..300).map(|i| i % 4).collect();
    draw.shuffle(&mut clouds);
    let rows = clouds.into_iter().map(|cloud| {
        let (class, part) = (cloud % 2, cloud / 2);
        let (x, y) = CLOUDS[class][part];
        format!("{:.4},{:.4},{}", draw.normal(x, CLOUD_SD), draw.normal(y, CLOUD_SD), ["low", "high"][class])
    });
    csv("x,y,label", rows.collect())
}

/// The label is the majority of three hidden bits, all eight combinations equally often: one bit alone predicts it in
/// three rows of four, all three always. The numbers encode the first bit, the sequence the second, the note the third.
pub(super) fn mixed() -> String {
    let mut draw = Draw::new(4);
    let mut hidden: Vec<usize> = (0..320).map(|i| i % 8).collect();
    draw.shuffle(&mut hidden);
    let rows = hidden.into_iter().map(|bits| {
        let bit = |k: usize| bits >> k & 1;
        let length = draw.normal([8.0, 12.0][bit(0)], 1.0);
        let width = draw.normal([3.0, 4.0][bit(0)], 0.5);
        let label = ["reject", "accept"][usize::from(bits.count_ones() >= 2)];
        format!("{length:.2},{width:.2},{},{},{label}", sequence(&mut draw, bit(1)), note(&mut draw, bit(2)))
    });
    csv("length,width,sequence,note,label", rows.collect())
}

/// Three copies of a motif of six letters among four to six pieces of six letters, each letter equally likely.
fn sequence(draw: &mut Draw, bit: usize) -> String {
    let mut pieces = vec![["GGCGCC", "TATAAT"][bit].to_owned(); 3];
    for _ in 0..4 + draw.below(3) {
        pieces.push((0..6).map(|_| draw.one_of(&["A", "C", "G", "T"])).collect());
    }
    draw.shuffle(&mut pieces);
    pieces.concat()
}

/// A sentence whose two adjectives come from one of two lists; the rest carries no information.
fn note(draw: &mut Draw, bit: usize) -> String {
    const RATED: [[&str; 5]; 2] = [["harsh", "noisy", "rough", "broken", "murky"], ["gentle", "calm", "smooth", "bright", "clean"]];
    let when = draw.one_of(&["at dawn", "at noon", "at dusk", "by night"]);
    let first = draw.one_of(&RATED[bit]);
    let second = draw.one_of(&RATED[bit]);
    let after = draw.one_of(&["kept in the dark", "sent by post", "stored on ice", "left to dry"]);
    format!("taken {when} {first} and {second} then {after}")
}
