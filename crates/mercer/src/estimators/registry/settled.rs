//! Parameters of an estimator as numbers, at the moment of fitting.

use crate::error::{Error, Result};
use crate::estimators::Estimator;
use crate::param::{self, Value};

/// The number of a parameter: settled, one, finite, and inside its domain.
pub(crate) fn settled<E: Estimator>(name: &'static str, value: &Value) -> Result<f64> {
    let param = param::find(E::NAME, E::default().records(), E::ALIASES, name)?;
    if !value.is_settled() {
        return Err(Error::Unsettled { owner: E::NAME.into(), name: name.into(), value: value.to_string() });
    }
    param.domain.check(E::NAME, name, value)?;
    let number = value.number();
    if number.is_finite() {
        return Ok(number);
    }
    let domain = format!("one finite number, {}", param.domain);
    Err(Error::OutOfDomain { owner: E::NAME.into(), name: name.into(), value: value.to_string(), domain })
}
