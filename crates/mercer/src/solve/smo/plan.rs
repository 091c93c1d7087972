//! Which way each problem is solved: the roads, the facts that decide between them, and the choice. A road takes the problems that
//! have chosen it as far as it leads; what is open then goes on to its next road. The certificate is the same for all of them.

use super::kept_rows::KeptRows;
use super::limits::roads::*;
use super::state::ProblemState;
use super::{SolverJob, class_blocks, coordinates, dense, interior, lazy_rows, settle_in_turn};
use crate::error::Result;
use crate::gram::Features;

/// A way to solve problems.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Road {
    /// One block; rows of K are computed when they are first asked for.
    LazyRows,
    /// One block; K is held by the Gram matrix.
    Held,
    /// One block for each problem; K among the rows of all is computed at once.
    Shared,
    /// One block for each problem; K between groups of rows, one group after the other. Left where the cache is too small for it.
    ClassBlocks,
    /// One block; K of one problem after the other.
    Alone,
    /// Coordinate descent over features and pair steps in turns.
    Coordinates,
    /// An interior point over few features. A problem of one block takes pair steps first and goes there by itself.
    Interior,
    /// Decomposition over the variables that may still change.
    Shrinking,
    /// Decomposition into blocks.
    Blocks,
}

impl Road {
    /// In the order in which they are taken.
    pub(super) const ALL: [Road; 9] = {
        use Road::*;
        [LazyRows, Held, Shared, ClassBlocks, Alone, Coordinates, Interior, Shrinking, Blocks]
    };

    /// Takes open problems along it.
    pub(super) fn take(self, job: &SolverJob<'_>, kept: &mut KeptRows<'_>, states: &mut [&mut ProblemState<'_>]) -> Result<()> {
        match self {
            Road::LazyRows => dense::by_class(job, states, lazy_rows::run),
            Road::Held => dense::by_class(job, states, dense::held),
            Road::Shared => dense::by_class(job, states, dense::shared),
            Road::ClassBlocks => dense::by_class(job, states, class_blocks::run),
            Road::Alone => dense::by_class(job, states, dense::alone),
            Road::Coordinates | Road::Interior => {
                // These move b without f.
                states.iter_mut().for_each(|s| s.known = None);
                if self == Road::Interior { interior::run(job, states) } else { coordinates::run(job, states) }
            }
            Road::Shrinking | Road::Blocks => settle_in_turn(job, kept, states, self),
        }
    }
}

/// What the choice asks of one problem.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ProblemFacts {
    pub(super) variables: usize,
    /// Whether a start is given.
    pub(super) started: bool,
    /// Whether it is the problem of a linear machine over its features.
    pub(super) linear: bool,
    /// Whether more than one sum is kept.
    pub(super) grouped: bool,
}

/// What the choice asks of the Gram matrix, of memory and of all problems together.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RoadFacts {
    pub(super) problems: usize,
    /// Problems that are no block.
    pub(super) larger: usize,
    /// Rows that the others have together.
    pub(super) rows: usize,
    /// Whether each of those has all rows.
    pub(super) all_rows: bool,
    /// Whether K is held.
    pub(super) held: bool,
    /// Whether inputs can be laid out anew.
    pub(super) gathers: bool,
    /// How many dense features there are, and whether there are sparse ones.
    pub(super) dense_features: Option<usize>,
    pub(super) sparse_features: bool,
    pub(super) cache_bytes: u64,
    pub(super) allowed_bytes: u64,
}

impl ProblemFacts {
    pub(super) fn of(state: &ProblemState<'_>) -> Self {
        let (p, grouped) = (state.problem, !state.problem.group.is_empty());
        ProblemFacts { variables: p.row.len(), started: p.start.is_some(), linear: coordinates::is_linear(p), grouped }
    }
}

impl RoadFacts {
    pub(super) fn of(job: &SolverJob<'_>, states: &[ProblemState<'_>]) -> Self {
        let dense_features = job.features.and_then(|z| matches!(z, Features::Dense(_)).then_some(z.cols()));
        let sparse_features = job.features.is_some() && dense_features.is_none();
        let (n, held) = (job.gram.shape().0, job.gram.structure().held().is_some());
        let gathers = n > 0 && job.gram.gathered(&[0]).is_some();
        let (problems, cache_bytes, allowed_bytes) = (states.len(), job.options.cache_bytes, job.control.allowed());
        let (larger, rows, all_rows) = (0, 0, true);
        let mut facts =
            RoadFacts { problems, larger, rows, all_rows, held, gathers, dense_features, sparse_features, cache_bytes, allowed_bytes };
        let mut used = vec![false; n];
        for state in states {
            let rows = &state.problem.row;
            if facts.is_block(rows.len()) {
                facts.all_rows &= rows.len() == n;
                rows.iter().for_each(|&r| facts.rows += usize::from(!std::mem::replace(&mut used[r], true)));
            } else {
                facts.larger += 1;
            }
        }
        facts
    }

    /// Whether a problem of so many variables is one block: K in f64 and the rows of the block in f32, whatever else is kept.
    fn is_block(&self, variables: usize) -> bool {
        let most = match (self.held, self.problems) {
            (true, _) => ONE_BLOCK_HELD,
            (false, 1) => ONE_BLOCK,
            _ => ONE_BLOCK_SEVERAL,
        };
        variables <= most && 12 * (variables * variables) as u64 <= self.allowed_bytes / 2
    }

    /// Whether an interior point is worth its steps.
    fn interior(&self, problem: &ProblemFacts) -> bool {
        let (n, free) = (problem.variables, !problem.started && !problem.grouped);
        free && n >= INTERIOR_LEAST && self.dense_features.is_some_and(|d| d <= INTERIOR_FEATURES && n >= INTERIOR_ROWS * d)
    }

    /// Whether coordinates come first: features are few beside the variables, or sparse.
    fn coordinates(&self, problem: &ProblemFacts) -> bool {
        let dense = |d: usize| COORDINATES_ROWS * d < problem.variables && (d > COORDINATES_FEATURES || !self.interior(problem));
        problem.linear && !problem.grouped && (self.sparse_features || self.dense_features.is_some_and(dense))
    }
}

/// The roads of a problem, in the order in which they are tried. Coordinates and the interior keep one sum only; all others keep one
/// for each group.
pub(super) fn choose(problem: &ProblemFacts, facts: &RoadFacts) -> Vec<Road> {
    let block = facts.is_block(problem.variables);
    let shared = facts.rows <= SHARED && 8 * (facts.rows * facts.rows) as u64 <= facts.cache_bytes;
    let lazy = !facts.held && !facts.all_rows && facts.gathers && facts.dense_features.is_none() && !facts.sparse_features;
    let shrinks = facts.larger == 1 && facts.gathers && problem.variables > SHRINKING;
    let wanted = |road: &Road| match road {
        Road::LazyRows => block && lazy,
        Road::Held => block && facts.held,
        Road::Shared => block && !facts.held && shared,
        Road::ClassBlocks | Road::Alone => block && !facts.held && !shared,
        Road::Coordinates => !block && facts.coordinates(problem),
        Road::Interior => facts.interior(problem),
        Road::Shrinking => !block && shrinks,
        Road::Blocks => !block && !shrinks,
    };
    Road::ALL.into_iter().filter(wanted).collect()
}

#[cfg(test)]
mod tests {
    use super::Road::*;
    use super::*;

    #[test]
    fn every_kind_of_problem_has_its_road_and_every_road_a_problem() {
        let alone = |variables| ProblemFacts { variables, linear: true, ..ProblemFacts::default() };
        let gathers = |rows, all_rows| RoadFacts {
            problems: if all_rows { 1 } else { 10 },
            rows,
            all_rows,
            gathers: true,
            cache_bytes: 1_000_000_000,
            allowed_bytes: 8_000_000_000,
            ..RoadFacts::default()
        };
        let one = |variables: usize| gathers(if variables > 2048 { 0 } else { variables }, true);
        let large = |variables| RoadFacts { larger: 1, ..one(variables) };
        let dense = |d, facts| RoadFacts { dense_features: Some(d), ..facts };
        let sparse = |facts| RoadFacts { sparse_features: true, ..facts };
        let fixed = |facts| RoadFacts { gathers: false, ..facts };
        let started = |variables| ProblemFacts { started: true, ..alone(variables) };
        let grouped = |variables| ProblemFacts { grouped: true, ..alone(variables) };
        let cases: &[(&str, ProblemFacts, RoadFacts, &[Road])] = &[
            ("two classes", alone(1000), one(1000), &[Shared]),
            ("the most rows of one block", alone(2048), one(2048), &[Shared]),
            ("one row more", alone(2049), large(2049), &[Blocks]),
            ("a fold of a search", alone(3000), RoadFacts { held: true, ..one(3000) }, &[Held]),
            ("a held matrix too large for a block", alone(5000), RoadFacts { held: true, ..fixed(large(5000)) }, &[Blocks]),
            ("a few rows, little memory", alone(1000), RoadFacts { allowed_bytes: 1_000_000, ..large(1000) }, &[Blocks]),
            ("ten pairs of classes", alone(400), gathers(1000, false), &[LazyRows, Shared]),
            ("325 pairs of 26 classes", alone(1154), gathers(15_000, false), &[LazyRows, ClassBlocks, Alone]),
            ("pairs of classes of strings", alone(400), fixed(gathers(1000, false)), &[Shared]),
            ("pairs of many classes of strings", alone(400), fixed(gathers(9000, false)), &[ClassBlocks, Alone]),
            (
                "pairs of classes, small cache",
                alone(400),
                RoadFacts { cache_bytes: 1_000_000, ..fixed(gathers(1000, false)) },
                &[ClassBlocks, Alone],
            ),
            ("few columns, linear", alone(1000), dense(20, one(1000)), &[Shared, Interior]),
            ("pairs of classes, few columns, linear", alone(400), dense(20, gathers(1000, false)), &[Shared, Interior]),
            ("few columns, linear, from a start", started(1000), dense(20, one(1000)), &[Shared]),
            ("as many columns as rows, linear", alone(200), dense(200, one(200)), &[Shared]),
            ("many rows of few columns, linear", alone(50_000), dense(20, large(50_000)), &[Interior, Shrinking]),
            ("the same from a start", started(50_000), dense(20, large(50_000)), &[Coordinates, Shrinking]),
            ("landmarks", alone(100_000), dense(1000, fixed(large(100_000))), &[Coordinates, Blocks]),
            ("few landmarks", alone(5000), dense(200, fixed(large(5000))), &[Coordinates, Interior, Blocks]),
            ("bounds that no linear machine has", ProblemFacts { linear: false, ..alone(5000) }, dense(300, fixed(large(5000))), &[Blocks]),
            ("documents", alone(20_000), fixed(sparse(large(20_000))), &[Coordinates, Blocks]),
            ("many rows", alone(20_000), large(20_000), &[Shrinking]),
            ("many rows of strings", alone(20_000), fixed(large(20_000)), &[Blocks]),
            ("groups of variables", grouped(1000), one(1000), &[Shared]),
            ("groups, few columns, linear", grouped(1000), dense(20, one(1000)), &[Shared]),
            ("groups, landmarks", grouped(100_000), dense(1000, fixed(large(100_000))), &[Blocks]),
            ("groups of many rows", grouped(20_000), large(20_000), &[Shrinking]),
            ("groups, documents", grouped(20_000), fixed(sparse(large(20_000))), &[Blocks]),
            ("two targets of many rows", alone(20_000), RoadFacts { problems: 2, larger: 2, ..large(20_000) }, &[Blocks]),
        ];
        for (name, problem, facts, roads) in cases {
            assert_eq!(&choose(problem, facts), roads, "{name}");
        }
        assert!(Road::ALL.iter().all(|road| cases.iter().any(|case| case.3.contains(road))));
    }
}
