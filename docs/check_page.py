#!/usr/bin/env python3
"""Opens report pages in headless Chromium and checks them: python3 docs/check_page.py PAGE.html ...

A page passes when the browser writes nothing to its console and every figure of the page, as the browser read it,
has a size, a drawing and words. Without Chromium there is nothing to check with: that is said, and is no failure.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from html.parser import HTMLParser
from pathlib import Path

SHAPES = {"path", "rect", "circle", "line", "polyline", "polygon"}
CHROMIUM = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --enable-logging=stderr --v=0 --dump-dom"
).split()


class Figures(HTMLParser):
    """What each <svg> of a page holds."""

    def __init__(self):
        super().__init__()
        self.all = []
        self.inside = False

    def handle_starttag(self, tag, attrs):
        if tag == "svg":
            attrs = dict(attrs)
            size = [float(attrs.get(side) or 0) for side in ("width", "height")]
            self.all.append({"size": size, "label": attrs.get("aria-label"), "shapes": 0, "words": 0})
            self.inside = True
        elif self.inside and tag in SHAPES:
            self.all[-1]["shapes"] += 1
        elif self.inside and tag == "text":
            self.all[-1]["words"] += 1

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag):
        if tag == "svg":
            self.inside = False


def faults(browser, page):
    """What is wrong with a page, one sentence each, and how many figures it has."""
    with tempfile.TemporaryDirectory() as profile:
        command = [browser, *CHROMIUM, f"--user-data-dir={profile}", page.resolve().as_uri()]
        run = subprocess.run(command, capture_output=True, text=True, timeout=120)
    found = [line for line in run.stderr.splitlines() if re.search(r":CONSOLE[:(]", line)]
    if run.returncode != 0 or "</html>" not in run.stdout:
        found.append(f"the browser ended with {run.returncode} and no page")
    figures = Figures()
    figures.feed(run.stdout)
    for k, figure in enumerate(figures.all, start=1):
        if min(figure["size"]) <= 0 or not figure["shapes"] or not figure["words"]:
            found.append(f"figure {k} is empty: {figure}")
        if not figure["label"]:
            found.append(f"figure {k} has no label for those who cannot see it")
    if len(figures.all) != page.read_text(encoding="utf-8").count("<svg "):
        found.append("the browser did not read every figure")
    return found, len(figures.all)


def main(pages):
    if not pages:
        sys.exit("give the pages to check: python3 docs/check_page.py PAGE.html ...")
    browser = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if browser is None:
        print("skipped: no Chromium here, so no page was opened")
        return
    bad = False
    for page in map(Path, pages):
        found, figures = faults(browser, page)
        bad |= bool(found)
        for fault in found:
            print(f"{page}: {fault}")
        if not found:
            print(f"{page}: {figures} figures, nothing on the console")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main(sys.argv[1:])
