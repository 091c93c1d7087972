"""A line in a notebook that says how long work goes on, where no function receives progress updates."""

import sys
import time

#: Seconds before which nothing is shown, and between two updates.
FIRST, EACH = 3.0, 0.5


def line():
    """What shows updates in the notebook that this thread runs a cell of; None anywhere else."""
    interactive = sys.modules.get("IPython")
    shell = interactive.get_ipython() if interactive is not None else None
    return Line() if type(shell).__name__ == "ZMQInteractiveShell" else None


class Line:
    """One line of output that is written again and again, and is gone at the end."""

    def __init__(self):
        self.next = time.monotonic() + FIRST
        self.handle = None

    def __call__(self, what, done, total):
        if time.monotonic() < self.next:
            return
        self.next = time.monotonic() + EACH
        self._show(f"{what}: {done} of {total}")

    def close(self):
        """Takes the line away."""
        if self.handle is not None:
            self._show("")

    def _show(self, text):
        from IPython.display import display

        said = {"text/plain": text}
        if self.handle is None:
            self.handle = display(said, raw=True, display_id=True)
        else:
            self.handle.update(said, raw=True)
