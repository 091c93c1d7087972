//! Places that lie far from one another: each drawn by its weight times how far it is from the nearest one drawn before
//! (k-means++: Arthur & Vassilvitskii 2007).

use crate::control::Control;
use crate::error::Result;
use rand::SeedableRng;
use rand::distr::{Distribution, weighted::WeightedIndex};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Draws `most` places, fewer where fewer are distinct; `apart` writes the distance of each place from one of them, 0 or above.
pub(crate) fn spread(
    weights: &[f64],
    most: usize,
    seed: u64,
    control: &Control,
    mut apart: impl FnMut(usize, &mut [f64]),
) -> Result<Vec<usize>> {
    let mut draw = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut odds = weights.to_vec();
    let (mut nearest, mut row) = (vec![f64::INFINITY; odds.len()], vec![0.0; odds.len()]);
    let mut places = Vec::with_capacity(most);
    while places.len() < most {
        control.check_time("choice of places")?;
        // None where every place is as one of them.
        let Ok(by_distance) = WeightedIndex::new(&odds) else { break };
        let chosen = by_distance.sample(&mut draw);
        apart(chosen, &mut row);
        row[chosen] = 0.0;
        for (((odds, near), far), w) in odds.iter_mut().zip(&mut nearest).zip(&row).zip(weights) {
            *near = near.min(far.max(0.0));
            *odds = w * *near;
        }
        places.push(chosen);
    }
    Ok(places)
}
