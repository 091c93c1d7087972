//! Classes of which one is far more frequent than another: by what a comparison judges, and what errors cost.

use super::Comparing;
use crate::data::Target;
use crate::error::{Error, Result};
use crate::facts;
use crate::metrics::{Metric, Scoring, balanced_costs};
use crate::notice::Notice;
use std::borrow::Cow;

/// The comparison with its deciding metric: where nothing is asked and accuracy says little, one that needs no cut between two classes, of
/// more classes balanced accuracy.
pub(super) fn decided<'c>(comparing: &'c Comparing, target: &Target, weights: Option<&[f64]>) -> Result<Cow<'c, Comparing>> {
    let Some((usual, _)) = facts::dominant_class(target).filter(|_| comparing.metric.is_none()) else {
        return Ok(Cow::Borrowed(comparing));
    };
    let Target::Classes { names, .. } = target else { return Ok(Cow::Borrowed(comparing)) };
    let metric = match Scoring::of(target, weights, None)?.positive {
        None => Metric::BalancedAccuracy,
        Some(positive) if names[positive] == usual => Metric::Auc,
        Some(_) => Metric::AveragePrecision,
    };
    Ok(Cow::Owned(Comparing { metric: Some(metric), ..comparing.clone() }))
}

/// The costs of errors of the first and of the second of two classes, where they are not alike.
pub(super) fn costs(comparing: &Comparing, target: &Target, weights: Option<&[f64]>) -> Result<Option<[f64; 2]>> {
    let Some(asked) = &comparing.costs else {
        let is_rare = facts::dominant_class(target).is_some() && comparing.metric.is_none();
        return Ok(if is_rare { balanced_costs(target, weights) } else { None });
    };
    let refused = |why: String| Error::Setting { name: "costs (--costs)".into(), why };
    let Target::Classes { names, .. } = target else { return Err(refused("are of two classes, and numbers are predicted".into())) };
    if names.len() != 2 {
        return Err(refused(format!("are of two classes, and there are {}", names.len())));
    }
    let mut costs = [1.0; 2];
    for (name, cost) in asked {
        let place = names.iter().position(|n| n == name).ok_or_else(|| Error::unknown("class", name, names))?;
        if !(*cost > 0.0 && cost.is_finite()) {
            return Err(refused(format!("{cost} of class '{name}' is no cost; write a number above 0, as in {name}=10")));
        }
        costs[place] = *cost;
    }
    Ok(Some(costs))
}

/// Why another metric than accuracy decides.
pub(super) fn why_decides(target: &Target, metric: Option<Metric>) -> Option<Notice> {
    let (class, share) = facts::dominant_class(target)?;
    let metric = metric?.heading();
    Some(Notice::Decides { metric: metric.into(), class: class.to_owned(), share })
}
