"""The exceptions of Mercer: one class for each kind of thing that the user must fix."""


class MercerError(Exception):
    """Any error of Mercer."""


class ExpressionError(MercerError, ValueError):
    """An expression, a name or a parameter: fix what was written."""


class DataError(MercerError, ValueError):
    """A table, a column, a target or a file: fix the data."""


class ResourceError(MercerError, RuntimeError):
    """Memory, time or a computation without a finite answer: fix the size of the job."""


class ModelFileError(MercerError, ValueError):
    """A model file that is damaged, truncated or not one of ours."""


class InternalError(MercerError, RuntimeError):
    """A fault of Mercer itself: report it."""


class MercerWarning(UserWarning):
    """Something worth knowing about how data were taken or how a fit went."""
