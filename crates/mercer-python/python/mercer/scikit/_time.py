"""How long a fit may take, where it has several steps."""

from numbers import Real
from time import monotonic

#: What a step of a fit gets whose time is up: it ends with its best so far, or says so.
LEAST_SECONDS = 1e-3


class Timed:
    """Limits of threads and time for what a fit asks of the library."""

    def _limits(self):
        return {"threads": self._threads(), "progress": self._progress(), "max_seconds": self._seconds_left()}

    def _begin(self, times=1.0):
        """Sets the end of a fit from now on, after so many times `max_seconds`."""
        limit = getattr(self, "max_seconds", None)
        if isinstance(limit, Real) and limit > 0:
            self._end = monotonic() + times * limit

    def _seconds_left(self):
        """Seconds until the end of the fit, which may take several steps; None without a limit."""
        end = getattr(self, "_end", None)
        return getattr(self, "max_seconds", None) if end is None else max(end - monotonic(), LEAST_SECONDS)

    def _progress(self):
        """A function that receives the progress of long work, or None."""
