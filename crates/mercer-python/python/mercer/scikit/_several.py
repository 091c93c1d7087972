"""Targets that have a model each, or a few of them together."""

import numpy as np


class EachTarget:
    """Fitted models, each with the columns of the targets that it answers for. It answers like a Model."""

    def __init__(self, parts):
        self.columns, self.models = zip(*parts)

    def in_order(self, attribute):
        """An attribute of the model of each target, None where it has none."""
        each = {column: getattr(model, attribute, None) for columns, model in zip(self.columns, self.models) for column in columns}
        return [each[column] for column in sorted(each)]

    @property
    def takes_arrays(self):
        """Whether rows come as they were checked."""
        return getattr(self.models[0], "takes_arrays", False)

    @property
    def notices(self):
        """What is worth knowing about the fits."""
        return list(dict.fromkeys(notice for model in self.models for notice in model.notices))

    @property
    def summary(self):
        """How the fit went that is furthest from its tolerance."""
        return max((model.summary for model in self.models), key=lambda summary: (summary["certificate"] or {"value": 0.0})["value"])

    @property
    def parameters(self):
        """Settled parameters of the estimator, one for each target."""
        each = self.in_order("parameters")
        return {name: [one[name] for one in each] for name in each[0]}

    @property
    def support(self):
        """Training rows that prediction needs, the same for all."""
        return self.models[0].support

    @property
    def expansion(self):
        """Coefficients and constants."""
        coef, bias = zip(*(model.expansion for model in self.models))
        return self._placed(coef), self._placed([b[np.newaxis] for b in bias])[0]

    def predict(self, X, **words):
        """Predicted numbers or codes, rows x targets; of one target a vector."""
        return self._side_by_side([model.predict(X, **words) for model in self.models])

    def decision_function(self, X, **words):
        """Votes for the classes of each target, as a list."""
        return [model.decision_function(X, **words) for model in self.models]

    def leave_one_out(self, y, weight=None, *, scores=False, **words):
        """Predictions without each row; with `scores` votes, as a list."""
        targets = y.reshape(len(y), -1)
        each = [np.ascontiguousarray(targets[:, columns[0] if len(columns) == 1 else columns]) for columns in self.columns]
        found = [model.leave_one_out(part, weight, scores=scores, **words) for model, part in zip(self.models, each)]
        return found if scores else self._side_by_side(found)

    def _side_by_side(self, parts):
        found = self._placed(parts)
        return found[:, 0] if found.shape[1] == 1 else found

    def _placed(self, parts):
        """Columns of the parts in the order of the targets."""
        order = np.argsort(np.concatenate([np.asarray(columns) for columns in self.columns]))
        return np.concatenate([part.reshape(len(part), -1) for part in parts], axis=1)[:, order]
