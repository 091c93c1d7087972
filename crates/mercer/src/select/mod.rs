//! Choosing: tuning of what is `auto` or a range, grids of settings.

mod crossval;
mod descent;
mod fixed_terms;
mod fold_features;
mod free;
mod grid;
mod inducing_inputs;
mod landmarks;
mod parallel;
mod part;
mod profile;
mod round;
mod search;
mod smooth;
mod starts;
mod tune;
mod whole_numbers;

pub use descent::{Descent, descend};
pub use grid::{Cell, Cells, Strip, grid};
pub(crate) use inducing_inputs::{MovedInducing, move_inducing};
pub(crate) use landmarks::wins;
pub(crate) use parallel::without_target;
pub(crate) use part::part;
pub use profile::{BoundStatus, End, TunedParameter};
pub use round::Preparation;
pub(crate) use search::MOST_SEARCHED;
pub use search::{Aim, Search, SearchState};
pub use tune::{Tuned, TunedBy, Tuning, criterion, tune};
