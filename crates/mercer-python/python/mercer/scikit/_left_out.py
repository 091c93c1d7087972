"""Predictions for each training row by the model fitted without it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sklearn.base import ClassifierMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from ..errors import MercerError
from ._names import LEFT_OUT_CLASSES, LEFT_OUT_NUMBERS

if TYPE_CHECKING:
    from numpy.typing import NDArray


def _has_left_out(estimator):
    return estimator._estimator_name() in (LEFT_OUT_CLASSES if isinstance(estimator, ClassifierMixin) else LEFT_OUT_NUMBERS)


class RowsLeftOut:
    """What estimators have whose model in the library predicts its training rows without them."""

    @available_if(_has_left_out)
    def leave_one_out(self, X: Any = None) -> NDArray[Any]:
        """Predict each training row by the model fitted without it, in closed form or by fits without each support vector.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), optional
            The training rows once more, which an estimator of support vectors does not keep.

        Returns
        -------
        y : ndarray of shape (n_samples,) or (n_samples, n_targets)
            One prediction for each row that was learnt from: rows of weight 0 have none.
        """
        check_is_fitted(self)
        try:
            rows = {} if X is None else {"data": self._rows_for_model(X)}
            found = self.model_.leave_one_out(*self._learnt, threads=self._threads(), **rows)
        except MercerError as error:
            raise type(error)(self._translate(str(error))) from None
        return self.classes_.take(found) if hasattr(self, "classes_") else found
